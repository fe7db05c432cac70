// SPDX-License-Identifier: GPL-2.0-only
/*
 * A record before anything ran: what was asked, of what, and which deletions
 * will be tried.
 */
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/cleanup.h"
#include "run/run.h"

static void add_objects(struct record *record, const struct input *input)
{
	const struct bound *bound = input->bound;
	const struct layout *layout = input->layout;
	size_t i;

	record->nr_objects = layout->nr_objects;
	record->objects = arena_alloc(record->arena,
				      layout->nr_objects *
					      sizeof(*record->objects));
	for (i = 0; i < layout->nr_objects; i++) {
		struct record_object *to = &record->objects[i];
		const struct object *object =
			i < bound->nr_objects ? &bound->objects[i] : NULL;

		to->id = (uint32_t)i;
		to->name = arena_strdup(record->arena, layout->names[i]);
		to->kind = resource_kind_word(object ? object->kind :
						       RESOURCE_DIR);
		to->within = layout->parents[i];
		to->directory = !object && i;
		if (!object)
			continue;
		if (object->nr_within)
			to->within = object->within[0];
		if (object->sensitive != CLASS_ANY)
			to->class_ = resource_class_word(object->sensitive);
	}
}

/* What plays a resource: an alias is played by what its object is bound to. */
static const char *binding_word(const struct input *input, size_t resource)
{
	const struct program *program = input->program;
	const uint32_t *objects = input->bound->resource_objects;
	size_t i;

	for (i = 0; i < program->nr_bindings; i++) {
		const struct binding *binding = &program->bindings[i];
		const struct resource *bound =
			program_resource(program, binding->resource);

		if (!bound ||
		    objects[bound - program->resources] != objects[resource])
			continue;
		switch (binding->kind) {
		case BINDING_REAL:
			return "real";
		case BINDING_FIXTURE_ENDPOINT:
			return "sink";
		default:
			return "fixture";
		}
	}
	return program->resources[resource].selector.kind == RESOURCE_TOOL ?
		       "real" :
		       "project";
}

static void add_spans(struct arena *arena, struct record_grant *to,
		      const struct grant *grant)
{
	size_t i;

	to->nr_spans = grant->nr_spans;
	to->spans = arena_alloc(arena, grant->nr_spans * sizeof(*to->spans));
	for (i = 0; i < grant->nr_spans; i++) {
		const struct source_span *from = &grant->spans[i];

		to->spans[i] = (struct record_span){
			.file = arena_strdup(arena, from->where.file),
			.start_line = from->where.start.line,
			.start_column = from->where.start.column,
			.end_line = from->where.end.line,
			.end_column = from->where.end.column,
			.start = from->where.start.offset,
			.end = from->where.end.offset,
			.text = arena_strdup(arena, from->text),
		};
	}
}

static void add_grants(struct record *record, const struct input *input)
{
	const struct program *program = input->program;
	struct arena *arena = record->arena;
	size_t i;

	record->nr_grants = program->nr_grants;
	record->grants = arena_alloc(arena, program->nr_grants *
						    sizeof(*record->grants));
	for (i = 0; i < program->nr_grants; i++) {
		const struct grant *grant = &program->grants[i];
		const struct resource *resource =
			&program->resources[grant->resource];
		struct record_grant *to = &record->grants[i];
		struct buffer text cleanup_buffer = { 0 };

		selector_print(&resource->selector, &text);
		to->id = arena_strdup(arena, grant->name);
		to->action = grant->action;
		to->declared = arena_strdup(arena, resource->name);
		to->resource = arena_strdup(arena, buffer_text(&text));
		to->name = arena_strdup(arena, resource->selector.name);
		if (resource->selector.symbolic)
			to->symbolic = arena_strdup(arena, resource->selector.symbolic);
		if (resource->selector.class_ != CLASS_ANY)
			to->class_ = resource_class_word(resource->selector.class_);
		to->kind = resource_kind_word(resource->selector.kind);
		to->origin = resource_origin_word(resource->selector.origin);
		to->object = input->bound->resource_objects[grant->resource];
		to->binding = binding_word(input, grant->resource);
		to->real_tool = input->bound->real_tools[grant->resource];
		to->conditional = grant->conditional;
		to->base = grant->base;
		to->observed = grant->observed;
		if (grant->hidden)
			to->hidden = arena_strdup(arena, grant->hidden);
		add_spans(arena, to, grant);
	}
}

static size_t *copy_indices(struct arena *arena, const size_t *from, size_t nr)
{
	size_t *to = arena_alloc(arena, nr * sizeof(*to));

	if (nr)
		memcpy(to, from, nr * sizeof(*to));
	return to;
}

/* The pairs of a reduction, one entry per operation. */
static void add_removed(struct arena *arena, struct record_branch *branch,
			const struct removed *removed, size_t nr)
{
	unsigned int operation;
	size_t i;

	for (i = 0; i < nr; i++) {
		for (operation = 0; operation < AL_NR_OPERATIONS; operation++) {
			struct record_count *count;

			if (!(removed[i].operations & 1u << operation))
				continue;
			count = ARENA_PUSH(arena, branch->removed,
					   branch->nr_removed);
			count->object = removed[i].object;
			count->operation = operation;
		}
	}
}

static void add_deletions(struct record *record, const struct input *input)
{
	size_t nr_grants = input->program->nr_grants;
	bool *with cleanup_free = xzalloc(nr_grants * sizeof(*with));
	struct arena *arena = record->arena;
	struct authority *full;
	struct deletion *deletions;
	size_t first = record->nr_branches, nr, i, k;

	memset(with, true, nr_grants * sizeof(*with));
	full = authority_synthesize(input->bound, with);
	nr = deletions_plan(arena, input->bound, &deletions);
	for (i = 0; i < nr; i++) {
		const struct deletion *deletion = &deletions[i];
		struct record_branch *branch = ARENA_PUSH(
			arena, record->branches, record->nr_branches);
		struct authority *less;
		struct removed *removed;
		size_t nr_removed;

		branch->role = ROLE_WITHOUT;
		branch->outcome = OUTCOME_NOT_RUN;
		branch->without = copy_indices(arena, deletion->grants,
					       deletion->nr_grants);
		branch->nr_without = deletion->nr_grants;
		branch->covered_by = copy_indices(arena, deletion->covered_by,
						  deletion->nr_covered_by);
		branch->nr_covered_by = deletion->nr_covered_by;
		branch->group = deletion->group < 0 ?
					-1 :
					(int)first + deletion->group;
		for (k = 0; k < deletion->nr_grants; k++)
			with[deletion->grants[k]] = false;
		less = authority_synthesize(input->bound, with);
		nr_removed = authority_reduction(arena, full, less, &removed);
		add_removed(arena, branch, removed, nr_removed);
		authority_free(less);
		for (k = 0; k < deletion->nr_grants; k++)
			with[deletion->grants[k]] = true;
	}
	authority_free(full);
}

static void add_oracle(struct record *record, const struct manifest *manifest)
{
	struct buffer command cleanup_buffer = { 0 };
	size_t i;

	for (i = 0; manifest->oracle_command[i]; i++)
		buffer_printf(&command, "%s%s", i ? " " : "",
			      manifest->oracle_command[i]);
	record->oracle.command =
		arena_strdup(record->arena, buffer_text(&command));
	record->oracle.nr_expect = manifest->nr_expect;
	record->oracle.expect =
		arena_alloc(record->arena, manifest->nr_expect *
						   sizeof(*record->oracle.expect));
	for (i = 0; i < manifest->nr_expect; i++)
		record->oracle.expect[i] =
			arena_strdup(record->arena, manifest->expect[i]);
}

struct record *record_begin(const struct input *input)
{
	const struct manifest *manifest = input->manifest;
	struct record *record = record_new();
	struct buffer source cleanup_buffer = { 0 };
	struct record_branch *control, *full;
	struct utsname uts;
	struct digest digest =
		digest_of(buffer_text(&input->rule), input->rule.length);
	size_t i;

	record->version = RECORD_VERSION;
	record->program_version = AL_VERSION;
	record->name = arena_strdup(record->arena, manifest->name);
	record->agent = arena_strdup(record->arena, manifest->agent ?
							    manifest->agent :
							    "command");
	if (!uname(&uts))
		record->kernel = arena_strdup(record->arena, uts.release);
	record->rule_file = arena_strdup(record->arena, manifest->rule);
	digest_hex(&digest, record->rule_digest);
	program_print(input->program, &source);
	record->source = arena_strdup(record->arena, buffer_text(&source));
	record->translator = !input->translation ? "given" :
			     translation_unresolved(input->translation) ?
				"builtin, incomplete" :
				"builtin";
	add_oracle(record, manifest);
	add_objects(record, input);
	add_grants(record, input);

	control = ARENA_PUSH(record->arena, record->branches,
			     record->nr_branches);
	control->role = ROLE_CONTROL;
	control->group = -1;
	control->outcome = OUTCOME_NOT_RUN;
	control->nr_without = input->program->nr_grants;
	control->without = arena_alloc(record->arena,
				       control->nr_without *
					       sizeof(*control->without));
	for (i = 0; i < control->nr_without; i++)
		control->without[i] = i;
	full = ARENA_PUSH(record->arena, record->branches, record->nr_branches);
	full->role = ROLE_FULL;
	full->group = -1;
	full->outcome = OUTCOME_NOT_RUN;
	add_deletions(record, input);
	return record;
}
