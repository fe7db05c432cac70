// SPDX-License-Identifier: GPL-2.0-only
#include "interpret/untested.h"

#include <string.h>

#include "base/cleanup.h"
#include "bind/bound.h"
#include "bind/table.h"

/* Where a path would be in a branch. */
static const char *branch_path(struct arena *arena,
			       const struct selector *selector)
{
	const char *root;

	switch (selector->origin) {
	case ORIGIN_WORKSPACE:
		root = BRANCH_WORKSPACE;
		break;
	case ORIGIN_HOME:
		root = BRANCH_HOME;
		break;
	case ORIGIN_SCRATCH:
		root = "/tmp";
		break;
	default:
		return selector->name;
	}
	if (!strcmp(selector->name, "."))
		return root;
	return arena_printf(arena, "%s/%s", root, selector->name);
}

static const char *object_name(struct arena *arena,
			       const struct selector *selector)
{
	if (selector->kind == RESOURCE_ENDPOINT ||
	    selector->kind == RESOURCE_PORT)
		return arena_printf(
			arena, "%s %s %u",
			selector->protocol == AL_PROTOCOL_UDP ? "udp" : "tcp",
			selector->name, selector->port_low);
	return branch_path(arena, selector);
}

static enum resource_class object_class(const struct tables *tables,
					const struct selector *selector,
					const char *name)
{
	if (selector->origin == ORIGIN_UNSPECIFIED)
		return selector->class_;
	if (selector->kind == RESOURCE_ENV)
		return sensitive_variable(tables, name);
	return *name == '/' ? sensitive_file(tables, name) : CLASS_ANY;
}

static const char *class_word(enum resource_class class_)
{
	return class_ == CLASS_ANY ? NULL : resource_class_word(class_);
}

static void add_objects(struct record *record, const struct program *program,
			const struct tables *tables)
{
	struct arena *arena = record->arena;

	/* Number 0 is no object. */
	record->nr_objects = program->nr_resources + 1;
	record->objects = arena_alloc(arena, record->nr_objects *
						     sizeof(*record->objects));
	record->objects[0].kind = record->objects[0].name = "";
	for (size_t i = 0; i < program->nr_resources; i++) {
		const struct selector *selector =
			&program->resources[i].selector;
		struct record_object *object = &record->objects[i + 1];
		const char *name = object_name(arena, selector);

		object->id = (uint32_t)i + 1;
		object->kind = resource_kind_word(selector->kind);
		object->name = arena_strdup(arena, name);
		object->class_ =
			class_word(object_class(tables, selector, name));
	}
}

static void add_grant(struct record *record, const struct program *program,
		      size_t index)
{
	const struct grant *grant = &program->grants[index];
	const struct resource *resource = &program->resources[grant->resource];
	const struct selector *selector = &resource->selector;
	struct record_grant *to = &record->grants[index];
	struct buffer text cleanup_buffer = { 0 };

	selector_print(selector, &text);
	to->id = arena_strdup(record->arena, grant->name);
	to->action = grant->action;
	to->declared = arena_strdup(record->arena, resource->name);
	to->resource = arena_strdup(record->arena, buffer_text(&text));
	to->name = arena_strdup(record->arena, selector->name);
	if (selector->symbolic)
		to->symbolic = arena_strdup(record->arena, selector->symbolic);
	to->class_ = class_word(selector->class_);
	to->kind = resource_kind_word(selector->kind);
	to->origin = resource_origin_word(selector->origin);
	to->object = (uint32_t)grant->resource + 1;
	to->conditional = grant->conditional;
	to->base = grant->base;
	to->observed = grant->observed;
	if (grant->hidden)
		to->hidden = arena_strdup(record->arena, grant->hidden);
}

int interpret_untested(const struct program *program,
		       const struct reasons *reasons, struct record **ret,
		       struct error **err)
{
	struct arena *arena cleanup_arena = arena_new();
	struct tables tables;
	struct record *record;
	int r = tables_load(arena, &tables, err);

	if (r)
		return r;
	record = record_new();
	add_objects(record, program, &tables);
	record->nr_grants = record->nr_witnesses = program->nr_grants;
	record->grants = arena_alloc(
		record->arena, program->nr_grants * sizeof(*record->grants));
	record->witnesses = arena_alloc(
		record->arena, program->nr_grants * sizeof(*record->witnesses));
	for (size_t i = 0; i < program->nr_grants; i++) {
		struct record_witness *witness = &record->witnesses[i];

		add_grant(record, program, i);
		witness->branch = SIZE_MAX;
		*ARENA_PUSH(record->arena, witness->grants,
			    witness->nr_grants) = i;
	}
	interpret_record(record, reasons);
	*ret = record;
	return 0;
}
