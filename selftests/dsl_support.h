/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Random programs, random ways to write them down, and when two are the same.
 * Everything follows from the seed.
 */
#ifndef SELFTESTS_DSL_SUPPORT_H
#define SELFTESTS_DSL_SUPPORT_H

#include "dsl/program.h"

struct random {
	uint64_t state;
};

uint64_t random_next(struct random *random);
/* random_below() - 0 to @nr - 1 */
unsigned int random_below(struct random *random, unsigned int nr);
/* random_chance() - true once in @nr times */
bool random_chance(struct random *random, unsigned int nr);

/* dsl_generate() - a valid program with up to @size statements of a kind */
struct program *dsl_generate(struct random *random, unsigned int size);

/*
 * dsl_scribble() - write a program as nobody would: any layout, comments
 * anywhere, the order changed where it means nothing, each number, string and
 * list in one of the ways that mean the same
 */
void dsl_scribble(const struct program *program, struct random *random,
		  struct buffer *out);

/* dsl_difference() - where two programs differ, NULL: nowhere */
const char *dsl_difference(const struct program *a, const struct program *b);

#endif /* SELFTESTS_DSL_SUPPORT_H */
