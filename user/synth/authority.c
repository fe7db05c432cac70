// SPDX-License-Identifier: GPL-2.0-only
/*
 * The least fixed point. Every rule has one premise (a source gives to an
 * object, a tree to what lies within it, a tool to what it needs), so that
 * A(G) is the union of what its sources give one by one; nothing here relies
 * on it, but it is why the order of sources cannot matter.
 */
#include "authority.h"

#include <string.h>

/**
 * struct closure - the fixed point under construction
 * @allow:	what each object has so far
 * @wide:	of trees: what everything within them gets (grants)
 * @narrow:	of trees: what they get that stops at carved objects
 *		(baselines and dependencies)
 * @carved:	objects that a tree around them does not reach narrowly
 */
struct closure {
	const struct bound *bound;
	uint32_t *allow;
	uint32_t *wide;
	uint32_t *narrow;
	bool *carved;
};

uint32_t action_operations(unsigned int action, const struct selector *selector)
{
	uint32_t operations = 1u << action;

	switch (action) {
	case AL_OP_NR_READ:
		/* System files are libraries too. */
		if (selector->origin == ORIGIN_HOST)
			operations |= AL_OP_MAP;
		break;
	case AL_OP_NR_EXECUTE:
		operations |= AL_OP_READ | AL_OP_MAP;
		break;
	}
	return operations;
}

/*
 * Is the object, declared or not, what every branch has anyway: the rule or
 * the agent's own files? Fixture tools lie among the latter and are not.
 */
static bool is_own(const struct bound *bound, const struct object *object)
{
	const struct program *program = bound->program;
	size_t i, k;

	if (object->id == bound->rule_object || object->id == bound->own_object)
		return true;
	for (i = 0; i < object->nr_within; i++)
		if (object->within[i] == bound->own_object)
			break;
	if (!bound->own_object || i == object->nr_within)
		return false;
	for (i = 0; i < program->nr_resources; i++) {
		if (bound->resource_objects[i] != object->id)
			continue;
		for (k = 0; k < program->nr_bindings; k++)
			if (program->bindings[k].kind != BINDING_REAL &&
			    !strcmp(program->bindings[k].resource,
				    program->resources[i].name))
				return false;
	}
	return true;
}

static bool is_within(const struct object *object, uint32_t tree)
{
	size_t i;

	for (i = 0; i < object->nr_within; i++)
		if (object->within[i] == tree)
			return true;
	return false;
}

/* Does anything carved, the object itself included, lie between it and @tree? */
static bool is_carved_from(const struct closure *closure,
			   const struct object *object, uint32_t tree)
{
	const struct object *objects = closure->bound->objects;
	size_t i;

	/* What the task needs is reached through anything. */
	if (object->task)
		return false;
	if (closure->carved[object->id])
		return true;
	for (i = 0; i < object->nr_within; i++)
		if (closure->carved[object->within[i]] &&
		    is_within(&objects[object->within[i]], tree))
			return true;
	return false;
}

/* Add bits; was there anything new? */
static bool add(uint32_t *to, uint32_t operations)
{
	bool new = operations & ~*to;

	*to |= operations;
	return new;
}

/* The object itself and, if it is a tree, what lies within it. */
static bool give(struct closure *closure, uint32_t object, uint32_t operations,
		 uint32_t *trees)
{
	bool new;

	if (object == AL_OBJECT_NONE)
		return false;
	new = add(&closure->allow[object], operations);
	if (closure->bound->objects[object].tree)
		new |= add(&trees[object], operations);
	return new;
}

static bool spread(struct closure *closure)
{
	const struct bound *bound = closure->bound;
	bool new = false;
	uint32_t id, tree;
	size_t i;

	for (id = AL_OBJECT_FIRST; id < bound->nr_objects; id++) {
		const struct object *object = &bound->objects[id];

		for (i = 0; i < object->nr_within; i++) {
			tree = object->within[i];
			if (closure->wide[tree])
				new |= give(closure, id, closure->wide[tree],
					    closure->wide);
			if (closure->narrow[tree] &&
			    !is_carved_from(closure, object, tree))
				new |= give(closure, id, closure->narrow[tree],
					    closure->narrow);
		}
	}
	return new;
}

static bool depend(struct closure *closure)
{
	const struct bound *bound = closure->bound;
	bool new = false;
	size_t i;

	for (i = 0; i < bound->nr_dependencies; i++) {
		const struct dependency *need = &bound->dependencies[i];

		if (closure->allow[need->object] & need->when)
			new |= give(closure, need->needs, need->then,
				    closure->narrow);
	}
	return new;
}

static void close_under_rules(struct closure *closure)
{
	bool new;

	do {
		new = spread(closure);
		new |= depend(closure);
	} while (new);
}

static void closure_init(struct closure *closure, struct arena *arena,
			 const struct bound *bound)
{
	size_t nr = bound->nr_objects;
	uint32_t id;

	closure->bound = bound;
	closure->allow = arena_alloc(arena, nr * sizeof(uint32_t));
	closure->wide = arena_alloc(arena, nr * sizeof(uint32_t));
	closure->narrow = arena_alloc(arena, nr * sizeof(uint32_t));
	closure->carved = arena_alloc(arena, nr * sizeof(bool));
	for (id = AL_OBJECT_FIRST; id < nr; id++) {
		const struct object *object = &bound->objects[id];

		closure->carved[id] =
			!object->task &&
			(object->excepted ||
			 (object->declared && !is_own(bound, object)));
	}
}

static void give_baseline(struct closure *closure)
{
	const struct bound *bound = closure->bound;
	const struct program *program = bound->program;
	unsigned int action;
	size_t i;

	for (i = 0; i < program->nr_baselines; i++) {
		const struct baseline *baseline = &program->baselines[i];

		for (action = 0; action < AL_NR_OPERATIONS; action++)
			if (baseline->actions & 1u << action)
				give(closure, bound->baseline_objects[i],
				     action_operations(action,
						       &baseline->selector),
				     closure->narrow);
	}
	/* Without these there would be no test at all. */
	give(closure, bound->rule_object, AL_OP_READ, closure->narrow);
	give(closure, bound->own_object,
	     AL_OP_READ | AL_OP_LIST | AL_OP_EXECUTE | AL_OP_MAP,
	     closure->narrow);
}

static void give_grants(struct closure *closure, const bool *with)
{
	const struct bound *bound = closure->bound;
	const struct program *program = bound->program;
	size_t i;

	for (i = 0; i < program->nr_grants; i++) {
		const struct grant *grant = &program->grants[i];
		const struct selector *selector =
			&program->resources[grant->resource].selector;

		if (!with || with[i])
			give(closure, bound->resource_objects[grant->resource],
			     action_operations(grant->action, selector),
			     closure->wide);
	}
}

struct authority *authority_synthesize(const struct bound *bound,
				       const bool *with)
{
	struct arena *arena = arena_new();
	struct authority *authority = arena_alloc(arena, sizeof(*authority));
	struct closure closure;

	authority->arena = arena;
	authority->nr = bound->nr_objects;

	closure_init(&closure, arena, bound);
	give_baseline(&closure);
	give_grants(&closure, with);
	close_under_rules(&closure);
	authority->allow = closure.allow;

	/* What the grants name, whether given or not: no dependencies. */
	closure_init(&closure, arena, bound);
	give_grants(&closure, NULL);
	while (spread(&closure))
		;
	authority->granted = closure.allow;
	return authority;
}

void authority_free(struct authority *authority)
{
	if (authority)
		arena_free(authority->arena);
}

size_t authority_reduction(struct arena *arena, const struct authority *more,
			   const struct authority *less,
			   struct removed **ret_removed)
{
	struct removed *removed = NULL, *new;
	size_t nr = 0;
	uint32_t id;

	for (id = AL_OBJECT_FIRST; id < more->nr; id++) {
		uint32_t gone = more->allow[id] & ~less->allow[id];

		if (!gone)
			continue;
		new = ARENA_PUSH(arena, removed, nr);
		new->object = id;
		new->operations = gone;
	}
	*ret_removed = removed;
	return nr;
}
