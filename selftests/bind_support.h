/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A small world to bind in: a project, a solution, stand-ins for our own
 * programs, and SystemDSL given as text.
 */
#ifndef SELFTESTS_BIND_SUPPORT_H
#define SELFTESTS_BIND_SUPPORT_H

#include "bind/bound.h"
#include "dsl/program.h"
#include "manifest/manifest.h"

#define WORLD_RULE "Be brief.\nRead the plan.\n"

/**
 * struct world
 * @dir:	holds project/, solution/ and libexec/
 * @manifest:	names them
 * @program:	what world_bind() was given
 * @bound:	its result, NULL if it failed
 * @err:	its errors
 */
struct world {
	char *dir;
	struct manifest manifest;
	struct program *program;
	struct bound *bound;
	struct error *err;
};

/* world_init() - in an existing directory; false: said on standard output */
bool world_init(struct world *world, const char *dir);
void world_done(struct world *world);

/* Files below the world's directory; parents are made; false: said why. */
bool world_file(struct world *world, const char *name, const char *content);
bool world_directory(struct world *world, const char *name);
bool world_symlink(struct world *world, const char *name, const char *target);
bool world_link(struct world *world, const char *name, const char *old);

/**
 * world_bind() - parse, merge and bind
 * @system:	statements of the system block
 * @setup:	statements of the setup block
 *
 * Return: what bind_program() returned; earlier errors end the test process.
 */
int world_bind(struct world *world, const char *system, const char *setup);

/* Of the last world_bind(). */
const struct object *world_resource(const struct world *world,
				    const char *name);
const struct object *world_object(const struct world *world, const char *path);
bool object_has_path(const struct object *object, const char *path);
bool object_within(const struct world *world, const struct object *object,
		   const char *tree);
/* all errors as "message | hint" lines; valid until the next call */
const char *world_errors(const struct world *world);

#define cleanup_world __attribute__((__cleanup__(world_done)))

#endif /* SELFTESTS_BIND_SUPPORT_H */
