// SPDX-License-Identifier: GPL-2.0-only
#include "program.h"

#include <string.h>

#include <aletheia/limits.h>

#include "base/cleanup.h"
#include "check.h"

/**
 * struct merger - copies parts into one program
 * @part:	the one being copied
 * @sources:	where the copies of its sources begin
 * @resources:	where the copies of its resources begin
 */
struct merger {
	struct program *program;
	struct diagnostics *diagnostics;
	const struct program *part;
	size_t sources;
	size_t resources;
};

static const char *copy_text(struct merger *merger, const char *text)
{
	return text ? arena_strdup(merger->program->arena, text) : NULL;
}

/* Spans in SystemDSL keep pointing to the name of their source. */
static struct span copy_at(struct merger *merger, struct span at)
{
	size_t i;

	for (i = 0; i < merger->part->nr_sources; i++)
		if (merger->part->sources[i].file == at.file)
			break;
	at.file = i < merger->part->nr_sources
			  ? merger->program->sources[merger->sources + i].file
			  : copy_text(merger, at.file);
	return at;
}

static struct selector copy_selector(struct merger *merger,
				     struct selector selector)
{
	selector.name = copy_text(merger, selector.name);
	selector.symbolic = copy_text(merger, selector.symbolic);
	return selector;
}

static void copy_sources(struct merger *merger)
{
	struct program *program = merger->program;
	size_t i;

	merger->sources = program->nr_sources;
	for (i = 0; i < merger->part->nr_sources; i++) {
		const struct source *from = &merger->part->sources[i];
		struct source *to = ARENA_PUSH(program->arena, program->sources,
					       program->nr_sources);

		to->file = copy_text(merger, from->file);
		to->text =
			arena_strndup(program->arena, from->text, from->length);
		to->length = from->length;
	}
}

static void copy_resources(struct merger *merger)
{
	struct program *program = merger->program;
	size_t i;

	merger->resources = program->nr_resources;
	for (i = 0; i < merger->part->nr_resources; i++) {
		const struct resource *from = &merger->part->resources[i];
		struct resource *to =
			ARENA_PUSH(program->arena, program->resources,
				   program->nr_resources);

		to->name = copy_text(merger, from->name);
		to->selector = copy_selector(merger, from->selector);
		to->at = copy_at(merger, from->at);
	}
}

static void copy_spans(struct merger *merger, struct grant *to,
		       const struct grant *from)
{
	struct arena *arena = merger->program->arena;
	size_t i;

	to->spans = NULL;
	to->nr_spans = 0;
	for (i = 0; i < from->nr_spans; i++) {
		struct source_span *span =
			ARENA_PUSH(arena, to->spans, to->nr_spans);

		*span = from->spans[i];
		span->where.file = copy_text(merger, span->where.file);
		span->text = copy_text(merger, span->text);
		span->at = copy_at(merger, span->at);
	}
}

static void copy_grants(struct merger *merger)
{
	struct program *program = merger->program;
	size_t i;

	for (i = 0; i < merger->part->nr_grants; i++) {
		const struct grant *from = &merger->part->grants[i];
		struct grant *to = ARENA_PUSH(program->arena, program->grants,
					      program->nr_grants);

		*to = *from;
		to->name = copy_text(merger, from->name);
		to->resource = merger->resources + from->resource;
		to->hidden = copy_text(merger, from->hidden);
		to->at = copy_at(merger, from->at);
		copy_spans(merger, to, from);
	}
}

static void copy_baselines(struct merger *merger)
{
	struct program *program = merger->program;
	size_t i, k;

	for (i = 0; i < merger->part->nr_baselines; i++) {
		const struct baseline *from = &merger->part->baselines[i];
		struct baseline *to =
			ARENA_PUSH(program->arena, program->baselines,
				   program->nr_baselines);

		to->actions = from->actions;
		to->selector = copy_selector(merger, from->selector);
		to->at = copy_at(merger, from->at);
		for (k = 0; k < from->nr_excepts; k++) {
			struct except *except = ARENA_PUSH(
				program->arena, to->excepts, to->nr_excepts);

			except->table =
				copy_text(merger, from->excepts[k].table);
			except->path = copy_text(merger, from->excepts[k].path);
		}
	}
}

static void copy_bindings(struct merger *merger)
{
	struct program *program = merger->program;
	size_t i, k;

	for (i = 0; i < merger->part->nr_bindings; i++) {
		const struct binding *from = &merger->part->bindings[i];
		struct binding *to =
			ARENA_PUSH(program->arena, program->bindings,
				   program->nr_bindings);

		*to = *from;
		to->resource = copy_text(merger, from->resource);
		to->place = copy_selector(merger, from->place);
		to->content = copy_text(merger, from->content);
		to->from = copy_text(merger, from->from);
		to->at = copy_at(merger, from->at);
		to->aliases = NULL;
		to->nr_aliases = 0;
		for (k = 0; k < from->nr_aliases; k++) {
			struct alias *alias = ARENA_PUSH(
				program->arena, to->aliases, to->nr_aliases);

			*alias = from->aliases[k];
			alias->path = copy_text(merger, alias->path);
		}
	}
}

static void merge_name(struct merger *merger)
{
	const struct program *part = merger->part;
	struct program *program = merger->program;
	struct span at = copy_at(merger, part->name_at);

	/* The shipped baseline is for any system. */
	if (!part->has_system && !strcmp(part->name, STANDARD_SETUP) &&
	    *program->name)
		return;
	if (!*program->name ||
	    (!program->has_system && !strcmp(program->name, STANDARD_SETUP))) {
		program->name = copy_text(merger, part->name);
		program->name_at = at;
		return;
	}
	if (!*part->name || !strcmp(program->name, part->name))
		return;
	complain(merger->diagnostics, &at,
		 "this is about %s, but %s is about %s",
		 quoted(merger->diagnostics, part->name),
		 program->name_at.file ? program->name_at.file : "the rest",
		 quoted(merger->diagnostics, program->name));
	complain_hint(merger->diagnostics,
		      "a translation and its setup have the same name");
}

static void merge_rule(struct merger *merger)
{
	const struct program *part = merger->part;
	struct program *program = merger->program;
	struct span at = copy_at(merger, part->rule_at);

	if (!part->has_digest)
		return;
	if (!program->has_digest) {
		program->rule = copy_text(merger, part->rule);
		program->rule_digest = part->rule_digest;
		program->rule_at = at;
		program->has_digest = true;
		return;
	}
	if (strcmp(program->rule, part->rule) ||
	    memcmp(&program->rule_digest, &part->rule_digest,
		   sizeof(part->rule_digest)))
		complain(merger->diagnostics, &at,
			 "%s was made from another rule",
			 program->rule_at.file);
}

static void merge_part(struct merger *merger)
{
	const struct program *part = merger->part;
	struct program *program = merger->program;

	copy_sources(merger);
	merge_name(merger);
	merge_rule(merger);
	program->has_system |= part->has_system;
	program->has_setup |= part->has_setup;
	program->agent_root |= part->agent_root;
	program->use_standard |= part->use_standard;
	copy_resources(merger);
	copy_grants(merger);
	copy_baselines(merger);
	copy_bindings(merger);
}

static void merge_limits(struct merger *merger)
{
	const struct program *program = merger->program;
	const struct span whole = {
		.file = program->nr_sources ? program->sources[0].file : NULL,
	};
	const struct {
		const char *what;
		size_t nr, most;
	} lists[] = {
		{ "resources", program->nr_resources, AL_MAX_RESOURCES },
		{ "grants", program->nr_grants, AL_MAX_GRANTS },
		{ "baselines", program->nr_baselines, AL_MAX_BASELINES },
		{ "bindings", program->nr_bindings, AL_MAX_RESOURCES },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(lists); i++)
		if (lists[i].nr > lists[i].most)
			complain(merger->diagnostics, &whole,
				 "more than %zu %s together", lists[i].most,
				 lists[i].what);
}

int program_merge(const struct program *const *parts, size_t nr,
		  struct program **ret, struct error **err)
{
	struct program *program cleanup_program = xzalloc(sizeof(*program));
	struct diagnostics diagnostics = { .program = program };
	struct merger merger = { .program = program,
				 .diagnostics = &diagnostics };
	size_t i;
	int code;

	program->arena = arena_new();
	program->name = "";
	program->file = nr ? arena_strdup(program->arena, parts[0]->file) : "";
	for (i = 0; i < nr; i++) {
		merger.part = parts[i];
		merge_part(&merger);
	}
	merge_limits(&merger);
	if (!diagnostics.list)
		check_program(program, true, &diagnostics);
	code = diagnostics_end(&diagnostics, err);
	if (!code)
		*ret = take_ptr(program);
	return code;
}
