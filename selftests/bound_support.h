/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Bound programs for tests: random ones, and small ones made by hand. Nothing
 * of the machine is looked at.
 */
#ifndef SELFTESTS_BOUND_SUPPORT_H
#define SELFTESTS_BOUND_SUPPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "bind/bound.h"

/* The seed of a test: SEED of the environment, else the time. Printed. */
uint64_t random_seed(void);
/* random_below() - 0 to @limit - 1, from a state that it changes */
uint32_t random_below(uint64_t *state, uint32_t limit);

/**
 * struct maker - a bound program under construction, and what owns it
 */
struct maker {
	struct bound bound;
	struct program program;
};

void maker_init(struct maker *maker);
void maker_done(struct maker *maker);

/* Each returns the object's id, or the index of the resource or grant. */
uint32_t make_object(struct maker *maker, enum resource_kind kind,
		     const char *path, bool tree);
void make_alias(struct maker *maker, uint32_t object, const char *path);
size_t make_resource(struct maker *maker, const char *name,
		     enum resource_kind kind, enum resource_origin origin,
		     uint32_t object);
size_t make_grant(struct maker *maker, const char *name, unsigned int action,
		  size_t resource);
void make_baseline(struct maker *maker, uint32_t actions,
		   enum resource_kind kind, enum resource_origin origin,
		   uint32_t object);
void make_dependency(struct maker *maker, uint32_t object, uint32_t when,
		     uint32_t needs, uint32_t then);

/* make_within() - fill in what lies within what, when all objects are there */
void make_within(struct maker *maker);

/* is_below() - is @path strictly below @directory? */
bool is_below(const char *path, const char *directory);

/* make_random() - trees, files, aliases, tools, endpoints, everything */
void make_random(struct maker *maker, uint64_t *state);

#endif /* SELFTESTS_BOUND_SUPPORT_H */
