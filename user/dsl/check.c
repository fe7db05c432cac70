// SPDX-License-Identifier: GPL-2.0-only
#include "check.h"

#include <string.h>

#include "base/cleanup.h"
#include "selector.h"
#include "words.h"

static const struct {
	const char *word;
	enum resource_kind kind;
} binding_kinds[] = {
	[BINDING_REAL] = { "real", NR_RESOURCE_KINDS },
	[BINDING_FIXTURE_FILE] = { "file", RESOURCE_FILE },
	[BINDING_FIXTURE_TREE] = { "tree", RESOURCE_DIR },
	[BINDING_FIXTURE_TOOL] = { "tool", RESOURCE_TOOL },
	[BINDING_FIXTURE_ENDPOINT] = { "endpoint", RESOURCE_ENDPOINT },
	[BINDING_FIXTURE_ENV] = { "env", RESOURCE_ENV },
	[BINDING_FIXTURE_SOCKET] = { "socket", RESOURCE_SOCKET },
	[BINDING_FIXTURE_PROCESS] = { "process", RESOURCE_PROCESS },
};

const char *binding_kind_word(enum binding_kind kind)
{
	return kind < ARRAY_SIZE(binding_kinds) ? binding_kinds[kind].word
						: "?";
}

enum resource_kind binding_resource_kind(enum binding_kind kind)
{
	return kind < ARRAY_SIZE(binding_kinds) ? binding_kinds[kind].kind
						: NR_RESOURCE_KINDS;
}

/* The fixture that stands for a kind of resource, BINDING_REAL: none does. */
static enum binding_kind fixture_for(enum resource_kind kind)
{
	size_t i;

	for (i = BINDING_FIXTURE_FILE; i < ARRAY_SIZE(binding_kinds); i++)
		if (binding_kinds[i].kind == kind)
			return (enum binding_kind)i;
	return BINDING_REAL;
}

const char *nearest_resource(const struct program *program, const char *name)
{
	const char *nearest = NULL;
	unsigned int least = 3;
	size_t i;

	for (i = 0; i < program->nr_resources && least > 1; i++) {
		unsigned int n =
			word_distance(program->resources[i].name, name, least);

		if (n < least) {
			least = n;
			nearest = program->resources[i].name;
		}
	}
	return nearest;
}

static void check_resources(const struct program *program,
			    struct diagnostics *diagnostics)
{
	size_t i, k;

	for (i = 0; i < program->nr_resources; i++) {
		const struct resource *b = &program->resources[i];

		for (k = 0; k < i; k++) {
			const struct resource *a = &program->resources[k];

			if (!strcmp(a->name, b->name)) {
				complain(diagnostics, &b->at,
					 "resource %s is declared twice",
					 quoted(diagnostics, b->name));
				complain_hint(diagnostics,
					      "the first is at %s:%u",
					      a->at.file, a->at.start.line);
				break;
			}
			/*
			 * Two phrases of one class may mean two things, so
			 * only what has a name is the same.
			 */
			if (b->selector.origin != ORIGIN_UNSPECIFIED &&
			    selector_equal(&a->selector, &b->selector)) {
				complain(diagnostics, &b->at,
					 "this is the same object as %s",
					 quoted(diagnostics, a->name));
				complain_hint(diagnostics,
					      "declare it once and use that "
					      "name in all grants");
				break;
			}
		}
	}
}

static void check_grants(const struct program *program,
			 struct diagnostics *diagnostics)
{
	size_t i, k;

	for (i = 0; i < program->nr_grants; i++) {
		const struct grant *b = &program->grants[i];

		for (k = 0; k < i; k++) {
			const struct grant *a = &program->grants[k];

			if (!strcmp(a->name, b->name)) {
				complain(diagnostics, &b->at,
					 "there are two grants %s",
					 quoted(diagnostics, b->name));
				complain_hint(diagnostics,
					      "the first is at %s:%u",
					      a->at.file, a->at.start.line);
				break;
			}
			if (a->action == b->action &&
			    a->resource == b->resource &&
			    b->resource < program->nr_resources) {
				complain(diagnostics, &b->at,
					 "grant %s asks for the same: %s %s",
					 quoted(diagnostics, a->name),
					 operation_word(b->action),
					 program->resources[b->resource].name);
				complain_hint(diagnostics,
					      "equal requests are one grant; "
					      "list this place in it, behind a "
					      "comma");
				break;
			}
		}
	}
}

/* All spans are in the one rule of the program. */
static void check_rule(struct program *program, struct diagnostics *diagnostics)
{
	size_t i, k;

	for (i = 0; i < program->nr_grants; i++) {
		const struct grant *grant = &program->grants[i];

		for (k = 0; k < grant->nr_spans; k++) {
			const struct source_span *span = &grant->spans[k];

			if (!program->rule)
				program->rule = span->where.file;
			if (!strcmp(program->rule, span->where.file))
				continue;
			complain(diagnostics, &span->at,
				 "this is another rule than %s",
				 quoted(diagnostics, program->rule));
			complain_hint(diagnostics,
				      "a program is about one rule");
			break;
		}
	}
}

/* "bind NAME to fixture KIND", the binding that one may have meant. */
static const char *suggestion(const struct binding *binding,
			      enum binding_kind kind, struct arena *arena)
{
	bool sink = kind == BINDING_FIXTURE_ENDPOINT ||
		    kind == BINDING_FIXTURE_SOCKET;

	return arena_printf(arena, "bind %s to %s%s%s", binding->resource,
			    kind == BINDING_REAL ? "" : "fixture ",
			    binding_kind_word(kind), sink ? " sink" : "");
}

/* Can what is unspecified be put somewhere by its binding? */
static bool has_place(const struct selector *selector)
{
	return selector->origin == ORIGIN_UNSPECIFIED &&
	       selector->kind != RESOURCE_ENDPOINT &&
	       selector->kind != RESOURCE_PORT;
}

static void no_place(const struct binding *binding, enum resource_kind kind,
		     struct diagnostics *diagnostics)
{
	complain(diagnostics, &binding->at,
		 "%s is unspecified, so its binding says where it is",
		 quoted(diagnostics, binding->resource));
	complain_hint(
		diagnostics, "for example: %s at %s",
		suggestion(binding, binding->kind, diagnostics->program->arena),
		kind_has_origin(kind, ORIGIN_HOME) ? "home \".config/x\""
						   : "host \"NAME\"");
}

static void check_place(struct binding *binding,
			const struct selector *selector,
			struct diagnostics *diagnostics)
{
	struct fault fault;

	if (!binding->place.name) {
		if (has_place(selector))
			no_place(binding, selector->kind, diagnostics);
		return;
	}
	if (!has_place(selector)) {
		complain(diagnostics, &binding->at,
			 "the declaration of %s says where it is",
			 quoted(diagnostics, binding->resource));
		complain_hint(diagnostics, "remove \"at\" and what follows");
		return;
	}
	binding->place.kind = selector->kind;
	if (!kind_has_origin(selector->kind, binding->place.origin)) {
		complain(diagnostics, &binding->at, "no %s has the origin %s",
			 resource_kind_word(selector->kind),
			 resource_origin_word(binding->place.origin));
		return;
	}
	fault = selector_fault(diagnostics->program->arena, &binding->place);
	if (!fault.message)
		return;
	complain(diagnostics, &binding->at, "%s", fault.message);
	if (fault.hint)
		complain_hint(diagnostics, "%s", fault.hint);
}

static void check_fit(struct binding *binding, const struct selector *selector,
		      struct diagnostics *diagnostics)
{
	struct arena *arena = diagnostics->program->arena;
	enum resource_kind kind = selector->kind;
	const char *name = quoted(diagnostics, binding->resource);

	if (kind == NR_RESOURCE_KINDS)
		return;
	if (kind == RESOURCE_KERNEL) {
		complain(diagnostics, &binding->at,
			 "%s is a kernel facility, which is simulated", name);
		complain_hint(diagnostics, "it needs no binding");
		return;
	}
	if (binding->kind == BINDING_REAL && kind == RESOURCE_ENDPOINT) {
		complain(diagnostics, &binding->at,
			 "%s is an endpoint, and no branch has a network",
			 name);
	} else if (binding->kind != BINDING_REAL &&
		   binding_resource_kind(binding->kind) != kind) {
		complain(diagnostics, &binding->at,
			 "%s is a %s, which no %s fixture can stand for", name,
			 resource_kind_word(kind),
			 binding_kind_word(binding->kind));
	} else {
		check_place(binding, selector, diagnostics);
		return;
	}
	complain_hint(diagnostics, "write: %s",
		      suggestion(binding, fixture_for(kind), arena));
}

static void check_bindings(struct program *program, bool whole,
			   struct diagnostics *diagnostics)
{
	size_t i, k;

	for (i = 0; i < program->nr_bindings; i++) {
		struct binding *binding = &program->bindings[i];
		const struct resource *resource =
			program_resource(program, binding->resource);
		const char *nearest;

		for (k = 0; k < i; k++)
			if (!strcmp(program->bindings[k].resource,
				    binding->resource))
				break;
		if (k < i) {
			complain(diagnostics, &binding->at, "%s is bound twice",
				 quoted(diagnostics, binding->resource));
			complain_hint(diagnostics, "the first is at %s:%u",
				      program->bindings[k].at.file,
				      program->bindings[k].at.start.line);
		} else if (resource) {
			check_fit(binding, &resource->selector, diagnostics);
		} else if (whole) {
			nearest = nearest_resource(program, binding->resource);
			complain(diagnostics, &binding->at,
				 "there is no resource %s to bind",
				 quoted(diagnostics, binding->resource));
			if (nearest)
				complain_hint(diagnostics,
					      "did you mean \"%s\"?", nearest);
		}
	}
}

void check_program(struct program *program, bool whole,
		   struct diagnostics *diagnostics)
{
	check_resources(program, diagnostics);
	check_grants(program, diagnostics);
	check_rule(program, diagnostics);
	check_bindings(program, whole, diagnostics);
}
