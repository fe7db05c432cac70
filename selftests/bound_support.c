// SPDX-License-Identifier: GPL-2.0-only
#include "bound_support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

uint64_t random_seed(void)
{
	const char *given = getenv("SEED");
	uint64_t seed = given ? strtoull(given, NULL, 0) : (uint64_t)time(NULL);

	printf("SEED=%llu\n", (unsigned long long)seed);
	return seed * 2654435761u + 1;
}

/* xorshift64* */
uint32_t random_below(uint64_t *state, uint32_t limit)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return (uint32_t)((*state * 2685821657736338717ull) >> 33) % limit;
}

void maker_init(struct maker *maker)
{
	struct arena *arena = arena_new();

	*maker = (struct maker){ 0 };
	maker->bound.arena = arena;
	maker->bound.program = &maker->program;
	maker->program.arena = arena;
	maker->program.name = "test";
	/* Object 0 is what nothing is bound to. */
	ARENA_PUSH(arena, maker->bound.objects, maker->bound.nr_objects)->name =
		"(nothing)";
}

void maker_done(struct maker *maker)
{
	arena_free(maker->bound.arena);
}

uint32_t make_object(struct maker *maker, enum resource_kind kind,
		     const char *path, bool tree)
{
	struct bound *bound = &maker->bound;
	struct object *object =
		ARENA_PUSH(bound->arena, bound->objects, bound->nr_objects);

	object->id = (uint32_t)(bound->nr_objects - 1);
	object->kind = kind;
	object->name = arena_strdup(bound->arena, path);
	object->tree = tree;
	if (path[0] == '/')
		make_alias(maker, object->id, path);
	return object->id;
}

void make_alias(struct maker *maker, uint32_t object, const char *path)
{
	struct bound *bound = &maker->bound;
	struct object *to = &bound->objects[object];

	*ARENA_PUSH(bound->arena, to->paths, to->nr_paths) =
		arena_strdup(bound->arena, path);
}

size_t make_resource(struct maker *maker, const char *name,
		     enum resource_kind kind, enum resource_origin origin,
		     uint32_t object)
{
	struct program *program = &maker->program;
	struct bound *bound = &maker->bound;
	size_t nr = program->nr_resources;
	struct resource *resource = ARENA_PUSH(bound->arena, program->resources,
					       program->nr_resources);

	resource->name = arena_strdup(bound->arena, name);
	resource->selector.kind = kind;
	resource->selector.origin = origin;
	resource->selector.name = bound->objects[object].name;
	*ARENA_PUSH(bound->arena, bound->resource_objects, nr) = object;
	bound->objects[object].declared = true;
	return program->nr_resources - 1;
}

size_t make_grant(struct maker *maker, const char *name, unsigned int action,
		  size_t resource)
{
	struct program *program = &maker->program;
	struct grant *grant =
		ARENA_PUSH(program->arena, program->grants, program->nr_grants);

	grant->name = arena_strdup(program->arena, name);
	grant->action = action;
	grant->resource = resource;
	return program->nr_grants - 1;
}

void make_baseline(struct maker *maker, uint32_t actions,
		   enum resource_kind kind, enum resource_origin origin,
		   uint32_t object)
{
	struct program *program = &maker->program;
	struct bound *bound = &maker->bound;
	size_t nr = program->nr_baselines;
	struct baseline *baseline = ARENA_PUSH(
		program->arena, program->baselines, program->nr_baselines);

	baseline->actions = actions;
	baseline->selector.kind = kind;
	baseline->selector.origin = origin;
	*ARENA_PUSH(bound->arena, bound->baseline_objects, nr) = object;
}

void make_dependency(struct maker *maker, uint32_t object, uint32_t when,
		     uint32_t needs, uint32_t then)
{
	struct bound *bound = &maker->bound;
	struct dependency *dependency = ARENA_PUSH(
		bound->arena, bound->dependencies, bound->nr_dependencies);

	*dependency = (struct dependency){ object, when, needs, then };
}

bool is_below(const char *path, const char *directory)
{
	size_t length = strlen(directory);

	if (length == 1)
		return path[1];
	return !strncmp(path, directory, length) && path[length] == '/';
}

/* The length of the longest path of @tree that a path of @object is below. */
static size_t depth_within(const struct object *object,
			   const struct object *tree)
{
	size_t longest = 0, i, k;

	for (i = 0; i < object->nr_paths; i++)
		for (k = 0; k < tree->nr_paths; k++)
			if (is_below(object->paths[i], tree->paths[k]) &&
			    strlen(tree->paths[k]) > longest)
				longest = strlen(tree->paths[k]);
	return longest;
}

void make_within(struct maker *maker)
{
	struct bound *bound = &maker->bound;
	size_t o, t, i;

	for (o = 1; o < bound->nr_objects; o++) {
		struct object *object = &bound->objects[o];

		for (t = 1; t < bound->nr_objects; t++) {
			struct object *tree = &bound->objects[t];
			size_t depth = depth_within(object, tree);

			if (t == o || !tree->tree || !depth)
				continue;
			ARENA_PUSH(bound->arena, object->within,
				   object->nr_within);
			for (i = object->nr_within - 1; i > 0; i--) {
				uint32_t before = object->within[i - 1];

				if (depth_within(object,
						 &bound->objects[before]) >=
				    depth)
					break;
				object->within[i] = before;
			}
			object->within[i] = (uint32_t)t;
		}
	}
}

/* ---- random programs */

/* A path of one to four components of which there are few. */
static const char *random_path(struct arena *arena, uint64_t *state)
{
	uint32_t depth = 1 + random_below(state, 4);
	const char *path = "";

	while (depth--)
		path = arena_printf(arena, "%s/%c", path,
				    'a' + (int)random_below(state, 3));
	return path;
}

static bool is_taken(const struct bound *bound, const char *path)
{
	size_t i, k;

	for (i = 0; i < bound->nr_objects; i++)
		for (k = 0; k < bound->objects[i].nr_paths; k++)
			if (!strcmp(bound->objects[i].paths[k], path))
				return true;
	return false;
}

/* Is something that is no directory above a path? */
static bool is_below_file(const struct bound *bound, const char *path)
{
	size_t i, k;

	for (i = 0; i < bound->nr_objects; i++)
		for (k = 0; k < bound->objects[i].nr_paths; k++)
			if (bound->objects[i].kind != RESOURCE_DIR &&
			    is_below(path, bound->objects[i].paths[k]))
				return true;
	return false;
}

static bool is_above_any(const struct bound *bound, const char *path)
{
	size_t i, k;

	for (i = 0; i < bound->nr_objects; i++)
		for (k = 0; k < bound->objects[i].nr_paths; k++)
			if (is_below(bound->objects[i].paths[k], path))
				return true;
	return false;
}

static void make_random_objects(struct maker *maker, uint64_t *state)
{
	static const enum resource_kind kinds[] = {
		RESOURCE_DIR,  RESOURCE_DIR,  RESOURCE_FILE,
		RESOURCE_FILE, RESOURCE_TOOL,
	};
	struct bound *bound = &maker->bound;
	uint32_t nr = 2 + random_below(state, 14), i, id;

	for (i = 0; i < nr; i++) {
		enum resource_kind kind = kinds[random_below(state, 5)];
		const char *path = random_path(bound->arena, state);

		if (is_taken(bound, path) || is_below_file(bound, path) ||
		    (kind != RESOURCE_DIR && is_above_any(bound, path)))
			continue;
		id = make_object(maker, kind, path, kind == RESOURCE_DIR);
		bound->objects[id].excepted = !random_below(state, 6);
		bound->objects[id].task = !random_below(state, 10);
		path = random_path(bound->arena, state);
		if (kind == RESOURCE_FILE && !random_below(state, 3) &&
		    !is_taken(bound, path) && !is_below_file(bound, path) &&
		    !is_above_any(bound, path))
			make_alias(maker, id, path);
	}
	if (random_below(state, 2))
		make_object(maker, RESOURCE_ENDPOINT, "tcp host 22", false);
	if (random_below(state, 2))
		make_object(maker, RESOURCE_ENV, "env NAME", false);
}

static enum resource_origin random_origin(uint64_t *state)
{
	return random_below(state, 2) ? ORIGIN_HOST : ORIGIN_WORKSPACE;
}

/* What makes sense to ask for does not matter here. */
static unsigned int random_action(uint64_t *state)
{
	static const unsigned int actions[] = {
		AL_OP_NR_READ,	 AL_OP_NR_LIST,	   AL_OP_NR_WRITE,
		AL_OP_NR_DELETE, AL_OP_NR_EXECUTE, AL_OP_NR_CONNECT,
	};

	return actions[random_below(state, 6)];
}

void make_random(struct maker *maker, uint64_t *state)
{
	struct bound *bound = &maker->bound;
	uint32_t nr, i, objects;

	maker_init(maker);
	make_random_objects(maker, state);
	objects = (uint32_t)bound->nr_objects;
	if (objects == 1)
		objects = make_object(maker, RESOURCE_DIR, "/a", true) + 1;
	make_within(maker);
	nr = 1 + random_below(state, 6);
	for (i = 0; i < nr; i++) {
		uint32_t id = 1 + random_below(state, objects - 1);

		make_resource(
			maker, arena_printf(bound->arena, "resource%u", i),
			bound->objects[id].kind, random_origin(state), id);
	}
	nr = random_below(state, 8);
	for (i = 0; i < nr; i++)
		make_grant(maker, arena_printf(bound->arena, "grant%u", i),
			   random_action(state),
			   random_below(state,
					(uint32_t)maker->program.nr_resources));
	nr = random_below(state, 4);
	for (i = 0; i < nr; i++) {
		uint32_t id = random_below(state, objects);

		make_baseline(
			maker,
			1u << random_action(state) | 1u << random_action(state),
			bound->objects[id].kind, random_origin(state), id);
	}
	nr = random_below(state, 6);
	for (i = 0; i < nr; i++)
		make_dependency(maker, 1 + random_below(state, objects - 1),
				1u << random_action(state),
				1 + random_below(state, objects - 1),
				AL_OP_READ | 1u << random_action(state));
	if (!random_below(state, 3))
		bound->rule_object = 1 + random_below(state, objects - 1);
	if (!random_below(state, 3))
		bound->own_object = 1 + random_below(state, objects - 1);
}
