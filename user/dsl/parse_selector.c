// SPDX-License-Identifier: GPL-2.0-only
/* Selectors and actions: what both blocks have. */
#include "parser.h"

#include <string.h>

#include <aletheia/abi.h>

#include "base/cleanup.h"

bool parser_fault(struct parser *parser, const struct span *at,
		  struct fault fault)
{
	if (!fault.message)
		return true;
	complain(parser->diagnostics, at, "%s", fault.message);
	return fault.hint ? complain_hint(parser->diagnostics, "%s", fault.hint)
			  : false;
}

const char *kind_text(struct arena *arena, enum resource_kind kind)
{
	const char *word = resource_kind_word(kind);

	return arena_printf(arena, "%s %s", strchr("aeiou", *word) ? "an" : "a",
			    word);
}

static bool no_such_origin(struct parser *parser, const struct span *at,
			   enum resource_kind kind, enum resource_origin origin)
{
	struct buffer list cleanup_buffer = { 0 };
	unsigned int i;

	for (i = 0; i < NR_RESOURCE_ORIGINS; i++)
		if (kind_has_origin(kind, i))
			buffer_printf(&list, "%s%s", list.length ? ", " : "",
				      resource_origin_word(i));
	complain(parser->diagnostics, at, "no %s has the origin %s",
		 resource_kind_word(kind), resource_origin_word(origin));
	return complain_hint(parser->diagnostics, "the origins of %s are %s",
			     kind_text(parser->arena, kind),
			     buffer_text(&list));
}

bool parser_origin(struct parser *parser, enum resource_kind kind,
		   enum resource_origin *ret)
{
	struct span at = parser->token.at;
	int origin;

	if (!parser_one_of(parser, &origin_words, "an origin", &origin))
		return false;
	*ret = (enum resource_origin)origin;
	return kind == NR_RESOURCE_KINDS || kind_has_origin(kind, *ret) ||
	       no_such_origin(parser, &at, kind, *ret);
}

bool parser_kind(struct parser *parser, struct selector *selector)
{
	int kind;

	if (!parser_one_of(parser, &kind_words, "a kind", &kind) ||
	    !parser_mark(parser, '('))
		return false;
	selector->kind = (enum resource_kind)kind;
	return parser_origin(parser, selector->kind, &selector->origin) &&
	       parser_mark(parser, ')');
}

static bool parse_protocol(struct parser *parser, struct selector *selector)
{
	if (parser_accept_word(parser, "tcp"))
		selector->protocol = AL_PROTOCOL_TCP;
	else if (parser_accept_word(parser, "udp"))
		selector->protocol = AL_PROTOCOL_UDP;
	else
		return false;
	return true;
}

static bool parse_ports(struct parser *parser, struct selector *selector)
{
	uint64_t low, high;
	struct span at = parser->token.at;

	if (parser_accept_word(parser, "any"))
		return true;
	if (!parser_number(parser, "a port, a range of ports or \"any\"", 1,
			   65535, &low))
		return false;
	high = low;
	if (parser_accept_mark(parser, '-') &&
	    !parser_number(parser, "the last port", 1, 65535, &high))
		return false;
	if (high < low) {
		complain(parser->diagnostics, &at,
			 "the range of ports ends before it begins");
		return complain_hint(parser->diagnostics, "write %u-%u",
				     (unsigned int)high, (unsigned int)low);
	}
	if (low == 1 && high == 65535)
		return true;
	selector->port_low = (uint16_t)low;
	selector->port_high = (uint16_t)high;
	return true;
}

static bool parse_endpoint(struct parser *parser, struct selector *selector)
{
	struct span at;

	if (parser_at_word(parser, "registry") ||
	    parser_at_word(parser, "remote")) {
		selector->symbolic = parser->token.text;
		parser_advance(parser);
		at = parser->token.at;
		return parser_string(parser, "a name", &selector->name) &&
		       parser_fault(parser, &at,
				    selector_fault(parser->arena, selector));
	}
	if (!parse_protocol(parser, selector))
		return parser_expected(parser,
				       "\"tcp\", \"udp\", \"registry\" or "
				       "\"remote\"");
	at = parser->token.at;
	if (!parser_string(parser, "a host", &selector->name) ||
	    !parser_fault(parser, &at, selector_fault(parser->arena, selector)))
		return false;
	return parser_word(parser, "port") && parse_ports(parser, selector);
}

static bool parse_class(struct parser *parser, struct selector *selector)
{
	int class_;

	if (parser->token.kind == TOKEN_STRING) {
		complain(parser->diagnostics, &parser->token.at,
			 "what is unspecified has a class instead of a name");
		return complain_hint(parser->diagnostics, "the classes are %s",
				     words_text(parser->arena, &class_words));
	}
	if (!parser_one_of(parser, &class_words, "a class", &class_))
		return false;
	selector->class_ = (enum resource_class)class_;
	return true;
}

/* What follows KIND(ORIGIN). */
bool parser_designator(struct parser *parser, struct selector *selector)
{
	const char *kind = kind_text(parser->arena, selector->kind);
	struct span at = parser->token.at;

	selector->name = "";
	if (selector->origin == ORIGIN_UNSPECIFIED)
		return parse_class(parser, selector);
	if (selector->kind == RESOURCE_ENDPOINT)
		return parse_endpoint(parser, selector);
	if (selector->kind == RESOURCE_PORT) {
		if (!parse_protocol(parser, selector))
			return parser_expected(parser, "\"tcp\" or \"udp\"");
		return parse_ports(parser, selector);
	}
	if (parser_at_word(parser, "tcp") || parser_at_word(parser, "udp"))
		return complain(parser->diagnostics, &at, "%s has no protocol",
				kind);
	if (parser->token.kind == TOKEN_WORD &&
	    words_find(&class_words, parser->token.text) >= 0) {
		complain(parser->diagnostics, &at, "a class, but no name");
		return complain_hint(parser->diagnostics,
				     "what only has a class is %s(unspecified)",
				     resource_kind_word(selector->kind));
	}
	if (!parser_string(parser, "a name in quotes", &selector->name) ||
	    !parser_fault(parser, &at, selector_fault(parser->arena, selector)))
		return false;
	if (parser_at_word(parser, "port"))
		return complain(parser->diagnostics, &parser->token.at,
				"%s has no port", kind);
	return true;
}

bool parser_action(struct parser *parser, unsigned int *ret)
{
	const struct words *words = &operation_words;
	int action;

	if (parser->token.kind != TOKEN_WORD)
		return parser_expected(parser, "an action");
	action = words_find(words, parser->token.text);
	if (action < 0 || action == AL_OP_NR_MAP) {
		const char *nearest = words_nearest(words, parser->token.text);

		parser_expected(parser, "an action");
		if (action < 0 && nearest)
			return complain_hint(parser->diagnostics,
					     "did you mean \"%s\"?", nearest);
		return complain_hint(
			parser->diagnostics, "there are %s",
			operations_text(parser->arena, ~AL_OP_MAP));
	}
	*ret = (unsigned int)action;
	parser_advance(parser);
	return true;
}

static void hint_signature(struct parser *parser, unsigned int action,
			   enum resource_kind kind)
{
	struct buffer kinds cleanup_buffer = { 0 };
	uint32_t actions = 0;
	unsigned int i;

	for (i = 0; i < NR_RESOURCE_KINDS; i++)
		if (action_takes(action, i))
			buffer_printf(&kinds, "%s%s", kinds.length ? ", " : "",
				      resource_kind_word(i));
	for (i = 0; i < AL_NR_OPERATIONS; i++)
		if (action_takes(i, kind))
			actions |= 1u << i;
	complain_hint(parser->diagnostics, "%s is for %s; on %s there is: %s",
		      operation_word(action), buffer_text(&kinds),
		      kind_text(parser->arena, kind),
		      operations_text(parser->arena, actions));
}

bool parser_signature(struct parser *parser, const struct span *at,
		      unsigned int action, enum resource_kind kind)
{
	if (action_takes(action, kind))
		return true;
	complain(parser->diagnostics, at, "%s is not an action on %s",
		 operation_word(action), kind_text(parser->arena, kind));
	hint_signature(parser, action, kind);
	return false;
}
