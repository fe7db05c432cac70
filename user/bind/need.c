// SPDX-License-Identifier: GPL-2.0-only
/*
 * Whoever may execute a program may do what starting it takes: read and map
 * the file itself, its ELF interpreter and libraries, and execute its
 * interpreter, which is a program in turn.
 */
#include "binder.h"

#include <fcntl.h>
#include <string.h>

#include "base/cleanup.h"

/**
 * struct needing - a program whose closure is to be added
 * @object:	its object
 * @at:		where it is named, to complain about what is missing; NULL:
 *		nobody named it, or the shipped baseline did
 */
struct needing {
	uint32_t object;
	const struct span *at;
};

struct needer {
	struct binder *binder;
	struct needing *list;
	size_t nr;
};

static void add_dependency(struct binder *binder, uint32_t object,
			   uint32_t needs, uint32_t then)
{
	struct bound *bound = binder->bound;
	struct dependency *dependency = ARENA_PUSH(
		binder->arena, bound->dependencies, bound->nr_dependencies);

	dependency->object = object;
	dependency->when = AL_OP_EXECUTE;
	dependency->needs = needs;
	dependency->then = then;
}

static void enqueue(struct needer *needer, uint32_t object,
		    const struct span *at)
{
	struct needing *needing;
	size_t i;

	for (i = 0; i < needer->nr; i++) {
		if (needer->list[i].object != object)
			continue;
		if (!needer->list[i].at)
			needer->list[i].at = at;
		return;
	}
	needing = ARENA_PUSH(needer->binder->arena, needer->list, needer->nr);
	needing->object = object;
	needing->at = at;
}

static bool find_file(struct binder *binder, const struct object *object,
		      struct program_file *ret)
{
	struct found found = view_resolve(binder->view, object->paths[0]);

	ret->path = found.path;
	return found.exists && S_ISREG(found.type) &&
	       found_source(binder->arena, &found, &ret->directory,
			    &ret->source);
}

static void add_needs(struct needer *needer, const struct needing *needing)
{
	struct binder *binder = needer->binder;
	const char *missing, *name;
	struct program_file file;
	struct need *needs;
	size_t nr, i;

	if (!find_file(binder, &binder->bound->objects[needing->object], &file))
		return;
	nr = closure_of(binder->closure, &file, &needs, &missing);
	if (missing && needing->at) {
		name = binder->bound->objects[needing->object].name;
		bind_complain(binder, needing->at,
			      "%s cannot start here: it needs %s, which is "
			      "nowhere",
			      name, missing);
	}
	add_dependency(binder, needing->object, needing->object,
		       AL_OP_READ | AL_OP_MAP);
	for (i = 0; i < nr; i++) {
		struct found found = view_resolve(binder->view, needs[i].path);
		uint32_t id = object_file(binder, &found,
					  needs[i].execute ? RESOURCE_TOOL
							   : RESOURCE_FILE);

		if (!id)
			return;
		if (needs[i].execute) {
			add_dependency(binder, needing->object, id,
				       AL_OP_EXECUTE);
			enqueue(needer, id, NULL);
		} else {
			add_dependency(binder, needing->object, id,
				       AL_OP_READ |
					       (needs[i].data ? 0 : AL_OP_MAP));
		}
	}
}

void bind_needs(struct binder *binder)
{
	const struct program *program = binder->program;
	const struct bound *bound = binder->bound;
	struct needer needer = { .binder = binder };
	size_t i;

	for (i = 0; i < program->nr_resources; i++)
		if (bound->resource_objects[i] &&
		    binder->selectors[i].kind == RESOURCE_TOOL)
			enqueue(&needer, bound->resource_objects[i],
				&program->resources[i].at);
	for (i = 0; i < program->nr_baselines; i++) {
		const struct baseline *baseline = &program->baselines[i];
		bool standard = baseline->at.file &&
				!strcmp(baseline->at.file, STANDARD_FILE);

		if (bound->baseline_objects[i] &&
		    baseline->selector.kind == RESOURCE_TOOL)
			enqueue(&needer, bound->baseline_objects[i],
				standard ? NULL : &baseline->at);
	}
	/* The list grows while it is walked. */
	for (i = 0; i < needer.nr; i++) {
		const struct needing needing = needer.list[i];

		add_needs(&needer, &needing);
	}
}
