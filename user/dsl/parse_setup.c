// SPDX-License-Identifier: GPL-2.0-only
/* The statements of a setup block: agent, use, baseline, bind. */
#include "parser.h"

#include <stdlib.h>
#include <string.h>

#include <aletheia/limits.h>

#include "base/cleanup.h"
#include "check.h"

bool statement_agent(struct parser *parser)
{
	struct span at = parser->token.at;

	if (!parser_word(parser, "as"))
		return false;
	if (parser->saw_agent)
		return complain(parser->diagnostics, &at,
				"the agent's user is already said");
	parser->saw_agent = true;
	if (parser_accept_word(parser, "user"))
		return true;
	if (!parser_accept_word(parser, "root"))
		return parser_expected(parser, "\"user\" or \"root\"");
	parser->program->agent_root = true;
	return true;
}

bool statement_use(struct parser *parser)
{
	if (!parser_at_word(parser, "standard"))
		return parser_expected(parser, "\"standard\"");
	return parser_once(parser, &parser->program->use_standard);
}

static int except_compare(const void *left, const void *right)
{
	const struct except *a = left, *b = right;

	if (a->table && b->table)
		return strcmp(a->table, b->table);
	if (a->table || b->table)
		return a->table ? -1 : 1;
	return strcmp(a->path, b->path);
}

static bool parse_except(struct parser *parser, struct baseline *baseline)
{
	struct except except = { 0 };
	struct span at = parser->token.at;
	size_t i;
	int table;

	if (baseline->nr_excepts == AL_MAX_EXCEPTS)
		return parser_too_many(parser, "exceptions", AL_MAX_EXCEPTS);
	if (parser->token.kind == TOKEN_STRING) {
		except.path = parser->token.text;
		parser_advance(parser);
		if (!parser_fault(parser, &at,
				  path_fault(parser->arena, except.path,
					     "the baseline's directory")))
			return false;
		if (!strcmp(except.path, "."))
			return complain(parser->diagnostics, &at,
					"nothing would be left");
	} else {
		if (!parser_one_of(parser, &except_words,
				   "a path or the name of a table", &table))
			return false;
		except.table = except_words.list[table];
	}
	for (i = 0; i < baseline->nr_excepts; i++)
		if (!except_compare(&baseline->excepts[i], &except))
			return complain(parser->diagnostics, &at,
					"the same exception twice");
	*ARENA_PUSH(parser->arena, baseline->excepts, baseline->nr_excepts) =
		except;
	return true;
}

static bool parse_excepts(struct parser *parser, struct baseline *baseline)
{
	struct span at = parser->token.at;

	if (!parser_accept_word(parser, "except"))
		return true;
	if (baseline->selector.kind != RESOURCE_DIR)
		return complain(parser->diagnostics, &at,
				"only a dir has exceptions");
	do {
		if (!parse_except(parser, baseline))
			return false;
	} while (parser_accept_mark(parser, ','));
	qsort(baseline->excepts, baseline->nr_excepts,
	      sizeof(baseline->excepts[0]), except_compare);
	return true;
}

static bool parse_actions(struct parser *parser, uint32_t *ret,
			  struct span at[static AL_NR_OPERATIONS])
{
	unsigned int action;
	bool fine = true;

	do {
		struct span here = parser->token.at;

		if (!parser_action(parser, &action))
			return false;
		if (*ret >> action & 1)
			fine = complain(parser->diagnostics, &here, "%s twice",
					operation_word(action));
		*ret |= 1u << action;
		at[action] = here;
	} while (!parser_at_word(parser, "on") &&
		 parser->token.kind == TOKEN_WORD);
	return parser_word(parser, "on") && fine;
}

bool statement_baseline(struct parser *parser)
{
	struct program *program = parser->program;
	struct span action_at[AL_NR_OPERATIONS];
	struct baseline baseline = { .at = parser->token.at };
	unsigned int i;
	bool fine = true;

	if (program->nr_baselines == AL_MAX_BASELINES)
		return parser_too_many(parser, "baselines", AL_MAX_BASELINES);
	if (!parse_actions(parser, &baseline.actions, action_at))
		return false;
	baseline.at = parser->token.at;
	if (!parser_kind(parser, &baseline.selector))
		return false;
	baseline.at.end = parser->end;
	if (baseline.selector.origin == ORIGIN_UNSPECIFIED)
		return complain(parser->diagnostics, &baseline.at,
				"a baseline says exactly what it is on");
	if (!parser_designator(parser, &baseline.selector))
		return false;
	baseline.at.end = parser->end;
	if (!parse_excepts(parser, &baseline))
		return false;
	for (i = 0; i < AL_NR_OPERATIONS; i++)
		if (baseline.actions >> i & 1)
			fine &= parser_signature(parser, &action_at[i], i,
						 baseline.selector.kind);
	if (fine)
		*ARENA_PUSH(parser->arena, program->baselines,
			    program->nr_baselines) = baseline;
	return fine;
}

static bool parse_size(const char *text, uint64_t *ret)
{
	static const struct {
		const char *unit;
		unsigned int shift;
	} units[] = { { "", 0 }, { "KiB", 10 }, { "MiB", 20 }, { "GiB", 30 } };
	size_t nr = strspn(text, "0123456789"), i;
	char digits[16];

	if (!nr || nr >= sizeof(digits))
		return false;
	memcpy(digits, text, nr);
	digits[nr] = '\0';
	for (i = 0; i < ARRAY_SIZE(units); i++)
		if (!strcmp(text + nr, units[i].unit))
			return parser_digits(digits, 10,
					     UINT64_MAX >> units[i].shift >> 1,
					     ret) &&
			       (*ret <<= units[i].shift, true);
	return false;
}

static bool parse_canary(struct parser *parser, struct binding *binding)
{
	uint64_t size;

	if (parser->token.kind != TOKEN_NUMBER) {
		binding->canary = AL_MIN_CANARY;
		return true;
	}
	if (!parse_size(parser->token.text, &size) || size < AL_MIN_CANARY ||
	    size > AL_MAX_CANARY) {
		parser_expected(parser, "the size of a canary");
		return complain_hint(parser->diagnostics,
				     "from %u bytes, which hold it, to %uMiB; "
				     "for example 64KiB",
				     AL_MIN_CANARY, AL_MAX_CANARY >> 20);
	}
	binding->canary = size;
	parser_advance(parser);
	return true;
}

static bool parse_content(struct parser *parser, struct binding *binding)
{
	struct span at = parser->token.at;

	if (!parser_string(parser, "the content in quotes", &binding->content))
		return false;
	binding->content_length = strlen(binding->content);
	if (binding->kind == BINDING_FIXTURE_ENV &&
	    binding->content_length > AL_MAX_ENV)
		return complain(parser->diagnostics, &at,
				"more than %d bytes for a variable",
				AL_MAX_ENV);
	return true;
}

static bool parse_from(struct parser *parser, struct binding *binding)
{
	struct span at = parser->token.at;

	return parser_string(parser, "a path in quotes", &binding->from) &&
	       parser_fault(parser, &at,
			    path_fault(parser->arena, binding->from,
				       "the folder of this text"));
}

static bool parse_mode(struct parser *parser, struct binding *binding)
{
	uint64_t mode;

	if (parser->token.kind != TOKEN_NUMBER ||
	    !parser_digits(parser->token.text, 8, 0777, &mode) || !mode) {
		parser_expected(parser, "permission bits");
		return complain_hint(parser->diagnostics,
				     "octal, from 0001 to 0777");
	}
	binding->mode = (uint32_t)mode;
	parser_advance(parser);
	return true;
}

/* "ORIGIN PATH", checked as a selector of @kind. */
static bool parse_place(struct parser *parser, struct selector *place,
			enum resource_kind kind)
{
	struct span at = parser->token.at;

	place->kind = kind;
	if (!parser_origin(parser, kind, &place->origin))
		return false;
	if (place->origin == ORIGIN_UNSPECIFIED)
		return complain(parser->diagnostics, &at,
				"a place cannot be unspecified");
	at = parser->token.at;
	if (!parser_string(parser, "a name in quotes", &place->name))
		return false;
	return kind == NR_RESOURCE_KINDS ||
	       parser_fault(parser, &at, selector_fault(parser->arena, place));
}

static int alias_compare(const void *left, const void *right)
{
	const struct alias *a = left, *b = right;

	if (a->symbolic != b->symbolic)
		return a->symbolic ? 1 : -1;
	if (a->origin != b->origin)
		return a->origin < b->origin ? -1 : 1;
	return strcmp(a->path, b->path);
}

static bool parse_alias(struct parser *parser, struct binding *binding,
			bool symbolic)
{
	struct span at = parser->token.at;
	struct alias alias = { .symbolic = symbolic };
	struct selector place = { 0 };
	size_t i;

	if (binding->nr_aliases == AL_MAX_ALIASES)
		return parser_too_many(parser, "further names", AL_MAX_ALIASES);
	if (!parse_place(parser, &place, RESOURCE_FILE))
		return false;
	if (place.origin == ORIGIN_HOST) {
		complain(parser->diagnostics, &at,
			 "a fixture has no names in the system");
		return complain_hint(parser->diagnostics,
				     "use workspace, home or scratch");
	}
	alias.origin = place.origin;
	alias.path = place.name;
	for (i = 0; i < binding->nr_aliases; i++)
		if (binding->aliases[i].origin == alias.origin &&
		    !strcmp(binding->aliases[i].path, alias.path))
			return complain(parser->diagnostics, &at,
					"the same name twice");
	*ARENA_PUSH(parser->arena, binding->aliases, binding->nr_aliases) =
		alias;
	return true;
}

enum property {
	PROPERTY_CANARY = 1,
	PROPERTY_CONTENT = 2,
	PROPERTY_FROM = 4,
	PROPERTY_MODE = 8,
	PROPERTY_HARD_LINK = 16,
	PROPERTY_SYMLINK = 32,
};

static const char *const property_list[] = {
	"canary", "content", "from", "mode", "hard-link", "symlink",
};
static const struct words property_words = { property_list,
					     ARRAY_SIZE(property_list) };

/* What each fixture may say; printed in systemdsl(5). */
static const unsigned int properties[] = {
	[BINDING_FIXTURE_FILE] = PROPERTY_CANARY | PROPERTY_CONTENT |
				 PROPERTY_FROM | PROPERTY_MODE |
				 PROPERTY_HARD_LINK | PROPERTY_SYMLINK,
	[BINDING_FIXTURE_TREE] =
		PROPERTY_CANARY | PROPERTY_FROM | PROPERTY_SYMLINK,
	[BINDING_FIXTURE_TOOL] = PROPERTY_FROM,
	[BINDING_FIXTURE_ENV] = PROPERTY_CANARY | PROPERTY_CONTENT,
	[BINDING_FIXTURE_PROCESS] = 0,
};

static bool parse_property(struct parser *parser, struct binding *binding,
			   unsigned int *said)
{
	struct token token = parser->token;
	unsigned int property;
	int i;

	if (!parser_one_of(parser, &property_words,
			   "a property of the fixture or \"}\"", &i))
		return false;
	property = 1u << i;
	if (!(properties[binding->kind] & property))
		return complain(parser->diagnostics, &token.at,
				"a fixture %s has no %s",
				binding_kind_word(binding->kind), token.text);
	if (*said & property & ~(PROPERTY_HARD_LINK | PROPERTY_SYMLINK))
		return complain(parser->diagnostics, &token.at, "%s twice",
				token.text);
	*said |= property;
	switch (property) {
	case PROPERTY_CANARY:
		return parse_canary(parser, binding);
	case PROPERTY_CONTENT:
		return parse_content(parser, binding);
	case PROPERTY_FROM:
		return parse_from(parser, binding);
	case PROPERTY_MODE:
		return parse_mode(parser, binding);
	default:
		return parse_alias(parser, binding,
				   property == PROPERTY_SYMLINK);
	}
}

static bool parse_properties(struct parser *parser, struct binding *binding)
{
	struct span at = parser->token.at;
	unsigned int said = 0, contents;

	if (parser_accept_mark(parser, '{')) {
		while (!parser_at_mark(parser, '}'))
			if (!parse_property(parser, binding, &said))
				return false;
		parser_advance(parser);
	}
	at.end = parser->end;
	contents = said & (PROPERTY_CANARY | PROPERTY_CONTENT | PROPERTY_FROM);
	if (binding->kind != BINDING_FIXTURE_TREE && contents & (contents - 1))
		return complain(parser->diagnostics, &at,
				"one content only: canary, content or from");
	if (binding->kind == BINDING_FIXTURE_ENV && !contents) {
		complain(parser->diagnostics, &binding->at,
			 "the variable has no value");
		return complain_hint(parser->diagnostics,
				     "write { canary } or { content \"...\" }");
	}
	if (binding->nr_aliases)
		qsort(binding->aliases, binding->nr_aliases,
		      sizeof(binding->aliases[0]), alias_compare);
	return true;
}

static bool parse_fixture_kind(struct parser *parser, struct binding *binding)
{
	const char *list[BINDING_FIXTURE_PROCESS + 1];
	struct words words = { list, 0 };
	enum binding_kind kind;
	int i;

	for (kind = BINDING_FIXTURE_FILE; kind <= BINDING_FIXTURE_PROCESS;
	     kind++)
		list[words.nr++] = binding_kind_word(kind);
	if (parser_at_word(parser, "dir")) {
		parser_expected(parser, "a kind of fixture");
		return complain_hint(parser->diagnostics,
				     "did you mean \"tree\"?");
	}
	if (!parser_one_of(parser, &words, "a kind of fixture", &i))
		return false;
	binding->kind = (enum binding_kind)(BINDING_FIXTURE_FILE + i);
	return true;
}

static bool parse_fixture(struct parser *parser, struct binding *binding)
{
	if (!parse_fixture_kind(parser, binding))
		return false;
	if ((binding->kind == BINDING_FIXTURE_ENDPOINT ||
	     binding->kind == BINDING_FIXTURE_SOCKET))
		return parser_word(parser, "sink");
	return true;
}

bool statement_bind(struct parser *parser)
{
	struct program *program = parser->program;
	struct binding binding = { .at = parser->token.at };

	if (program->nr_bindings == AL_MAX_RESOURCES)
		return parser_too_many(parser, "bindings", AL_MAX_RESOURCES);
	if (!parser_name(parser, "the name of a resource", &binding.resource) ||
	    !parser_word(parser, "to"))
		return false;
	if (parser_accept_word(parser, "fixture")) {
		if (!parse_fixture(parser, &binding))
			return false;
	} else if (!parser_accept_word(parser, "real")) {
		return parser_expected(parser, "\"real\" or \"fixture\"");
	}
	if (binding.kind == BINDING_FIXTURE_ENDPOINT &&
	    parser_at_word(parser, "at"))
		return complain(parser->diagnostics, &parser->token.at,
				"a sink is where its endpoint says");
	if (parser_accept_word(parser, "at") &&
	    !parse_place(parser, &binding.place,
			 binding_resource_kind(binding.kind)))
		return false;
	if (binding.kind != BINDING_REAL &&
	    binding.kind != BINDING_FIXTURE_ENDPOINT &&
	    binding.kind != BINDING_FIXTURE_SOCKET &&
	    !parse_properties(parser, &binding))
		return false;
	*ARENA_PUSH(parser->arena, program->bindings, program->nr_bindings) =
		binding;
	return true;
}
