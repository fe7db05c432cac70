// SPDX-License-Identifier: GPL-2.0-only
/* The statements of a system block: rule, resource, grant. */
#include "parser.h"

#include <string.h>

#include <aletheia/limits.h>

#include "check.h"

bool statement_rule(struct parser *parser)
{
	struct program *program = parser->program;
	struct span at = parser->token.at;
	const char *rule = NULL, *hex = NULL;

	if (!parser_string(parser, "the name of the rule", &rule) ||
	    !parser_word(parser, "sha256"))
		return false;
	if (!*rule)
		return complain(parser->diagnostics, &at, "the name is empty");
	if (program->has_digest) {
		complain(parser->diagnostics, &at, "a second rule");
		return complain_hint(parser->diagnostics,
				     "the first is in line %u",
				     program->rule_at.start.line);
	}
	at = parser->token.at;
	if (!parser_string(parser, "a digest", &hex))
		return false;
	if (!digest_parse(hex, &program->rule_digest)) {
		complain(parser->diagnostics, &at, "this is no SHA-256 digest");
		return complain_hint(parser->diagnostics,
				     "64 hexadecimal digits, as sha256sum "
				     "prints them");
	}
	program->rule = rule;
	program->rule_at = at;
	program->has_digest = true;
	return true;
}

struct resource *parser_declare(struct parser *parser, const struct token *name)
{
	struct program *program = parser->program;
	struct resource *resource;

	if (program->nr_resources == AL_MAX_RESOURCES) {
		parser_too_many(parser, "resources", AL_MAX_RESOURCES);
		return NULL;
	}
	resource = ARENA_PUSH(parser->arena, program->resources,
			      program->nr_resources);
	resource->name = name->text;
	resource->at = name->at;
	resource->selector.kind = NR_RESOURCE_KINDS;
	resource->selector.origin = ORIGIN_UNSPECIFIED;
	return resource;
}

bool statement_resource(struct parser *parser)
{
	struct token name = parser->token;
	struct selector selector = { 0 };
	struct resource *resource;

	if (!parser_name(parser, "the name of the resource", &name.text))
		return false;
	resource = parser_declare(parser, &name);
	if (!resource || !parser_mark(parser, ':') ||
	    !parser_kind(parser, &selector) || !parser_mark(parser, '=') ||
	    !parser_designator(parser, &selector))
		return false;
	resource->selector = selector;
	return true;
}

static bool parse_position(struct parser *parser, struct position *position)
{
	uint64_t line, column;

	if (!parser_number(parser, "a line", 1, UINT32_MAX, &line) ||
	    !parser_mark(parser, ':') ||
	    !parser_number(parser, "a column", 1, UINT32_MAX, &column))
		return false;
	position->line = (uint32_t)line;
	position->column = (uint32_t)column;
	return true;
}

static bool position_before(const struct position *a, const struct position *b)
{
	return a->line < b->line ||
	       (a->line == b->line && a->column < b->column);
}

static bool same_place(const struct span *a, const struct span *b)
{
	return a->start.line == b->start.line &&
	       a->start.column == b->start.column &&
	       a->end.line == b->end.line && a->end.column == b->end.column;
}

static bool parse_span(struct parser *parser, struct grant *grant,
		       const char *rule)
{
	struct source_span span = { .where.file = rule,
				    .at = parser->token.at };
	size_t i;

	if (grant->nr_spans == AL_MAX_SPANS)
		return parser_too_many(parser, "places in one grant",
				       AL_MAX_SPANS);
	if (parser->token.kind != TOKEN_NUMBER) {
		parser_expected(parser, "a place in the rule");
		return complain_hint(parser->diagnostics,
				     "LINE:COLUMN-LINE:COLUMN, for example "
				     "3:34-3:46");
	}
	if (!parse_position(parser, &span.where.start) ||
	    !parser_mark(parser, '-') ||
	    !parse_position(parser, &span.where.end))
		return false;
	span.at.end = parser->end;
	if (!position_before(&span.where.start, &span.where.end)) {
		complain(parser->diagnostics, &span.at,
			 "the place is empty or ends before it "
			 "begins");
		return complain_hint(parser->diagnostics,
				     "columns count from 1, and the end is "
				     "behind the last byte");
	}
	for (i = 0; i < grant->nr_spans; i++)
		if (same_place(&grant->spans[i].where, &span.where))
			return complain(parser->diagnostics, &span.at,
					"the same place twice");
	if (parser->token.kind == TOKEN_STRING) {
		if (!*parser->token.text)
			return complain(parser->diagnostics, &parser->token.at,
					"the text of a place is empty");
		span.text = parser->token.text;
		parser_advance(parser);
		span.at.end = parser->end;
	}
	*ARENA_PUSH(parser->arena, grant->spans, grant->nr_spans) = span;
	return true;
}

static bool parse_spans(struct parser *parser, struct grant *grant)
{
	struct span at = parser->token.at;
	const char *rule = NULL;

	if (!parser_string(parser, "the name of the rule", &rule))
		return false;
	if (!*rule)
		return complain(parser->diagnostics, &at, "the name is empty");
	do {
		if (!parse_span(parser, grant, rule))
			return false;
	} while (parser_accept_mark(parser, ','));
	return true;
}

static bool parse_hidden(struct parser *parser, struct grant *grant)
{
	struct span at;
	bool twice = grant->hidden;

	if (!parser_once(parser, &twice))
		return false;
	at = parser->token.at;
	if (!parser_string(parser, "a string that says how it is hidden",
			   &grant->hidden))
		return false;
	return *grant->hidden ||
	       complain(parser->diagnostics, &at, "how is it hidden?");
}

static bool parse_attributes(struct parser *parser, struct grant *grant)
{
	bool fine = true;

	while (fine) {
		if (parser_at_word(parser, "conditional"))
			fine = parser_once(parser, &grant->conditional);
		else if (parser_at_word(parser, "base"))
			fine = parser_once(parser, &grant->base);
		else if (parser_at_word(parser, "hidden"))
			fine = parse_hidden(parser, grant);
		else
			break;
	}
	return fine;
}

static bool parse_why(struct parser *parser, struct grant *grant)
{
	if (parser_at_word(parser, "observed")) {
		grant->observed = true;
		parser_advance(parser);
		if (!parser_at_word(parser, "from"))
			return true;
		return complain(parser->diagnostics, &parser->token.at,
				"a grant is observed or asked for, not both");
	}
	if (parser_accept_word(parser, "from"))
		return parse_spans(parser, grant);
	parser_expected(parser, "\"from\" or \"observed\"");
	return complain_hint(parser->diagnostics,
			     "a grant says which place of the rule asked for "
			     "it, or that it was observed");
}

bool statement_grant(struct parser *parser)
{
	struct program *program = parser->program;
	struct reference reference = { 0 };
	struct grant grant = { .resource = SIZE_MAX, .at = parser->token.at };

	if (program->nr_grants == AL_MAX_GRANTS)
		return parser_too_many(parser, "grants", AL_MAX_GRANTS);
	if (!parser_name(parser, "the name of the grant", &grant.name))
		return false;
	reference.action_at = parser->token.at;
	if (!parser_action(parser, &grant.action)) {
		if (operation_from_word(grant.name) >= 0)
			complain_hint(parser->diagnostics,
				      "a grant has a name before its action: "
				      "grant NAME %s ...",
				      grant.name);
		return false;
	}
	reference.resource_at = parser->token.at;
	if (!parser_name(parser, "the name of a resource",
			 &reference.resource) ||
	    !parse_why(parser, &grant) || !parse_attributes(parser, &grant))
		return false;
	*ARENA_PUSH(parser->arena, program->grants, program->nr_grants) = grant;
	*ARENA_PUSH(parser->arena, parser->references, parser->nr_references) =
		reference;
	return true;
}

/* Hold the grants against the declarations. */
void parser_resolve(struct parser *parser)
{
	struct program *program = parser->program;
	size_t i;

	for (i = 0; i < program->nr_grants; i++) {
		const struct reference *reference = &parser->references[i];
		struct grant *grant = &program->grants[i];
		const struct resource *resource =
			program_resource(program, reference->resource);
		const char *nearest;

		if (!resource) {
			complain(parser->diagnostics, &reference->resource_at,
				 "no resource %s is declared",
				 quoted(parser->diagnostics,
					reference->resource));
			nearest =
				nearest_resource(program, reference->resource);
			if (nearest)
				complain_hint(parser->diagnostics,
					      "did you mean \"%s\"?", nearest);
			continue;
		}
		grant->resource = (size_t)(resource - program->resources);
		if (resource->selector.kind != NR_RESOURCE_KINDS)
			parser_signature(parser, &reference->action_at,
					 grant->action,
					 resource->selector.kind);
	}
}
