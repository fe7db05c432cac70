// SPDX-License-Identifier: GPL-2.0-only
/*
 * SystemDSL text to typed program: recursive descent with one token of
 * look-ahead. A statement that is wrong is complained about once and skipped,
 * up to the next line that begins with the keyword of a statement.
 */
#include "program.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <aletheia/abi.h>
#include <aletheia/limits.h>

#include "base/cleanup.h"
#include "check.h"
#include "lex.h"
#include "selector.h"
#include "words.h"

/* The words of a grant, to be held against the declarations at the end. */
struct reference {
	const char *resource;
	struct span resource_at;
	struct span action_at;
};

/**
 * struct parser - a text on its way to a program
 * @token:	not yet consumed
 * @end:	where the last consumed token ended
 * @references:	one for each grant of @program
 */
struct parser {
	struct lexer lexer;
	struct token token;
	struct position end;
	struct arena *arena;
	struct program *program;
	struct diagnostics *diagnostics;
	struct reference *references;
	size_t nr_references;
	bool saw_agent;
};

/* ---- tokens */

static void advance(struct parser *parser)
{
	parser->end = parser->token.at.end;
	parser->token = lexer_next(&parser->lexer);
}

static bool at_mark(const struct parser *parser, char mark)
{
	return parser->token.kind == TOKEN_MARK && parser->token.mark == mark;
}

static bool at_word(const struct parser *parser, const char *word)
{
	return parser->token.kind == TOKEN_WORD &&
	       !strcmp(parser->token.text, word);
}

static bool accept_mark(struct parser *parser, char mark)
{
	if (!at_mark(parser, mark))
		return false;
	advance(parser);
	return true;
}

static bool accept_word(struct parser *parser, const char *word)
{
	if (!at_word(parser, word))
		return false;
	advance(parser);
	return true;
}

static const char *found(const struct parser *parser)
{
	switch (parser->token.kind) {
	case TOKEN_END:
		return "the end of the text";
	case TOKEN_STRING:
		return "a string";
	case TOKEN_MARK:
		return arena_printf(parser->arena, "\"%c\"",
				    parser->token.mark);
	case TOKEN_WORD:
	case TOKEN_NUMBER:
	case TOKEN_BAD:
		break;
	}
	return quoted(parser->diagnostics, parser->token.text);
}

/* Always false. A bad token was complained about when it was read. */
static bool expected(struct parser *parser, const char *what)
{
	if (parser->token.kind == TOKEN_BAD)
		return false;
	return complain(parser->diagnostics, &parser->token.at,
			"expected %s, found %s", what, found(parser));
}

static bool expect_mark(struct parser *parser, char mark)
{
	return accept_mark(parser, mark) ||
	       expected(parser,
			arena_printf(parser->arena, "\"%c\"", mark));
}

static bool expect_word(struct parser *parser, const char *word)
{
	return accept_word(parser, word) ||
	       expected(parser, arena_printf(parser->arena, "\"%s\"", word));
}

static bool expect_string(struct parser *parser, const char *what,
			  const char **ret)
{
	if (parser->token.kind != TOKEN_STRING)
		return expected(parser, what);
	*ret = parser->token.text;
	advance(parser);
	return true;
}

/* Always false. */
static bool hint_words(struct parser *parser, const struct words *words,
		       const char *word)
{
	const char *nearest = words_nearest(words, word);

	if (nearest)
		return complain_hint(parser->diagnostics,
				     "did you mean \"%s\"?", nearest);
	return complain_hint(parser->diagnostics, "there are %s",
			     words_text(parser->arena, words));
}

/* A word of a closed vocabulary. */
static bool expect_one_of(struct parser *parser, const struct words *words,
			  const char *what, int *ret)
{
	if (parser->token.kind != TOKEN_WORD)
		return expected(parser, what);
	*ret = words_find(words, parser->token.text);
	if (*ret < 0) {
		expected(parser, what);
		return hint_words(parser, words, parser->token.text);
	}
	advance(parser);
	return true;
}

static bool is_name(const char *word)
{
	if (*word < 'a' || *word > 'z' || strlen(word) > AL_MAX_WORD)
		return false;
	return word[strspn(word, "abcdefghijklmnopqrstuvwxyz0123456789._-")] ==
	       '\0';
}

/* These follow a name, so that a forgotten name can be told. */
static bool is_reserved(const char *word)
{
	return !strcmp(word, "from") || !strcmp(word, "observed") ||
	       !strcmp(word, "to");
}

static bool expect_name(struct parser *parser, const char *what,
			const char **ret)
{
	if (parser->token.kind != TOKEN_WORD || is_reserved(parser->token.text))
		return expected(parser, what);
	if (!is_name(parser->token.text)) {
		complain(parser->diagnostics, &parser->token.at,
			 "%s is no name", found(parser));
		return complain_hint(parser->diagnostics,
				     "a lower-case letter, then lower-case "
				     "letters, digits, \".\", \"_\" and "
				     "\"-\"; at most %d bytes",
				     AL_MAX_WORD);
	}
	*ret = parser->token.text;
	advance(parser);
	return true;
}

/* Digits alone, in @base, at most @most. */
static bool parse_digits(const char *text, unsigned int base, uint64_t most,
			 uint64_t *ret)
{
	uint64_t value = 0;

	for (; *text; text++) {
		if (*text < '0' || *text >= (char)('0' + base))
			return false;
		value = value * base + (uint64_t)(*text - '0');
		if (value > most)
			return false;
	}
	*ret = value;
	return true;
}

static bool expect_number(struct parser *parser, const char *what,
			  uint64_t least, uint64_t most, uint64_t *ret)
{
	if (parser->token.kind != TOKEN_NUMBER)
		return expected(parser, what);
	if (!parse_digits(parser->token.text, 10, most, ret) || *ret < least) {
		expected(parser, what);
		return complain_hint(parser->diagnostics,
				     "a number from %llu to %llu",
				     (unsigned long long)least,
				     (unsigned long long)most);
	}
	advance(parser);
	return true;
}

/* Everything that is kept is bounded; always false. */
static bool too_many(struct parser *parser, const char *what, unsigned int most)
{
	complain(parser->diagnostics, &parser->token.at, "more than %u %s",
		 most, what);
	parser->lexer.stop = true;
	parser->token.kind = TOKEN_END;
	return false;
}

/* ---- comments */

static void keep_comment(struct parser *parser, const struct loose_comment *loose,
			 enum comment_owner owner, size_t index, bool beside)
{
	struct program *program = parser->program;
	struct comment *comment = ARENA_PUSH(parser->arena,
					     program->comments[owner],
					     program->nr_comments[owner]);

	comment->text = loose->text;
	comment->index = index;
	comment->beside = beside;
}

/*
 * Give the comments so far to an owner: those up to @until stand above it (or
 * within it, from where they move up), one behind @until on its line beside.
 */
static void take_comments(struct parser *parser, enum comment_owner owner,
			  size_t index, const struct position *until)
{
	struct lexer *lexer = &parser->lexer;
	size_t i;

	for (i = 0; i < lexer->nr_comments; i++) {
		const struct loose_comment *loose = &lexer->comments[i];
		bool inside = loose->at.offset < until->offset;

		if (!inside && loose->at.line != until->line)
			break;
		keep_comment(parser, loose, owner, index, !inside);
	}
	lexer->nr_comments -= i;
	/* What is left was found while looking one token ahead. */
	if (i)
		memmove(lexer->comments, lexer->comments + i,
			lexer->nr_comments * sizeof(*lexer->comments));
}

/* ---- selectors */

static bool fault_at(struct parser *parser, const struct span *at,
		     struct fault fault)
{
	if (!fault.message)
		return true;
	complain(parser->diagnostics, at, "%s", fault.message);
	return fault.hint ? complain_hint(parser->diagnostics, "%s",
					  fault.hint) :
			    false;
}

static bool parse_kind(struct parser *parser, struct selector *selector)
{
	int kind, origin;
	struct span at;

	if (!expect_one_of(parser, &kind_words, "a kind", &kind) ||
	    !expect_mark(parser, '('))
		return false;
	at = parser->token.at;
	if (!expect_one_of(parser, &origin_words, "an origin", &origin))
		return false;
	selector->kind = (enum resource_kind)kind;
	selector->origin = (enum resource_origin)origin;
	if (!kind_has_origin(selector->kind, selector->origin)) {
		struct buffer list cleanup_buffer = { 0 };
		unsigned int i;

		for (i = 0; i < NR_RESOURCE_ORIGINS; i++)
			if (kind_has_origin(selector->kind, i))
				buffer_printf(&list, "%s%s",
					      list.length ? ", " : "",
					      resource_origin_word(i));
		complain(parser->diagnostics, &at, "no %s is in %s",
			 resource_kind_word(selector->kind),
			 resource_origin_word(selector->origin));
		return complain_hint(parser->diagnostics,
				     "its origins are %s", buffer_text(&list));
	}
	return expect_mark(parser, ')');
}

static bool parse_protocol(struct parser *parser, struct selector *selector)
{
	if (accept_word(parser, "tcp"))
		selector->protocol = AL_PROTOCOL_TCP;
	else if (accept_word(parser, "udp"))
		selector->protocol = AL_PROTOCOL_UDP;
	else
		return false;
	return true;
}

static bool parse_ports(struct parser *parser, struct selector *selector)
{
	uint64_t low, high;
	struct span at = parser->token.at;

	if (accept_word(parser, "any"))
		return true;
	if (!expect_number(parser, "a port, a range of ports or \"any\"", 1,
			   65535, &low))
		return false;
	high = low;
	if (accept_mark(parser, '-') &&
	    !expect_number(parser, "the last port", 1, 65535, &high))
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

	if (at_word(parser, "registry") || at_word(parser, "remote")) {
		selector->symbolic = parser->token.text;
		advance(parser);
		at = parser->token.at;
		return expect_string(parser, "a name", &selector->name) &&
		       fault_at(parser, &at,
				selector_fault(parser->arena, selector));
	}
	if (!parse_protocol(parser, selector))
		return expected(parser, "\"tcp\", \"udp\", \"registry\" or "
					"\"remote\"");
	at = parser->token.at;
	if (!expect_string(parser, "a host", &selector->name) ||
	    !fault_at(parser, &at, selector_fault(parser->arena, selector)))
		return false;
	return expect_word(parser, "port") && parse_ports(parser, selector);
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
	if (!expect_one_of(parser, &class_words, "a class", &class_))
		return false;
	selector->class_ = (enum resource_class)class_;
	return true;
}

/* What follows KIND(ORIGIN). */
static bool parse_designator(struct parser *parser, struct selector *selector)
{
	const char *kind = resource_kind_word(selector->kind);
	struct span at = parser->token.at;

	selector->name = "";
	if (selector->origin == ORIGIN_UNSPECIFIED)
		return parse_class(parser, selector);
	if (selector->kind == RESOURCE_ENDPOINT)
		return parse_endpoint(parser, selector);
	if (selector->kind == RESOURCE_PORT) {
		if (!parse_protocol(parser, selector))
			return expected(parser, "\"tcp\" or \"udp\"");
		return parse_ports(parser, selector);
	}
	if (at_word(parser, "tcp") || at_word(parser, "udp"))
		return complain(parser->diagnostics, &at,
				"a %s has no protocol", kind);
	if (parser->token.kind == TOKEN_WORD &&
	    words_find(&class_words, parser->token.text) >= 0) {
		complain(parser->diagnostics, &at, "a class, but no name");
		return complain_hint(parser->diagnostics,
				     "what only has a class is %s(unspecified)",
				     kind);
	}
	if (!expect_string(parser, "a name in quotes", &selector->name) ||
	    !fault_at(parser, &at, selector_fault(parser->arena, selector)))
		return false;
	if (at_word(parser, "port"))
		return complain(parser->diagnostics, &parser->token.at,
				"a %s has no port", kind);
	return true;
}

/* ---- system: rule, resource, grant */

static bool parse_rule(struct parser *parser)
{
	struct program *program = parser->program;
	struct span at = parser->token.at;
	const char *rule = NULL, *hex = NULL;

	if (!expect_string(parser, "the name of the rule", &rule) ||
	    !expect_word(parser, "sha256"))
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
	if (!expect_string(parser, "a digest", &hex))
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

/*
 * A declared name. Until the rest of the statement is understood, its kind is
 * none, and nobody who uses it is told that it does not exist.
 */
static struct resource *declare(struct parser *parser, const struct token *name)
{
	struct program *program = parser->program;
	struct resource *resource;

	if (program->nr_resources == AL_MAX_RESOURCES) {
		too_many(parser, "resources", AL_MAX_RESOURCES);
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

static bool parse_resource(struct parser *parser)
{
	struct token name = parser->token;
	struct selector selector = { 0 };
	struct resource *resource;

	if (!expect_name(parser, "the name of the resource", &name.text))
		return false;
	resource = declare(parser, &name);
	if (!resource || !expect_mark(parser, ':') ||
	    !parse_kind(parser, &selector) || !expect_mark(parser, '=') ||
	    !parse_designator(parser, &selector))
		return false;
	resource->selector = selector;
	return true;
}

static bool expect_action(struct parser *parser, unsigned int *ret)
{
	const struct words *words = &operation_words;
	int action;

	if (parser->token.kind != TOKEN_WORD)
		return expected(parser, "an action");
	action = words_find(words, parser->token.text);
	if (action < 0 || action == AL_OP_NR_MAP) {
		const char *nearest =
			words_nearest(words, parser->token.text);

		expected(parser, "an action");
		if (action < 0 && nearest)
			return complain_hint(parser->diagnostics,
					     "did you mean \"%s\"?", nearest);
		return complain_hint(parser->diagnostics, "there are %s",
				     operations_text(parser->arena,
						     ~AL_OP_MAP));
	}
	*ret = (unsigned int)action;
	advance(parser);
	return true;
}

static bool parse_position(struct parser *parser, struct position *position)
{
	uint64_t line, column;

	if (!expect_number(parser, "a line", 1, UINT32_MAX, &line) ||
	    !expect_mark(parser, ':') ||
	    !expect_number(parser, "a column", 1, UINT32_MAX, &column))
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
		return too_many(parser, "places in one grant", AL_MAX_SPANS);
	if (parser->token.kind != TOKEN_NUMBER) {
		expected(parser, "a place in the rule");
		return complain_hint(parser->diagnostics,
				     "LINE:COLUMN-LINE:COLUMN, for example "
				     "3:34-3:46");
	}
	if (!parse_position(parser, &span.where.start) ||
	    !expect_mark(parser, '-') ||
	    !parse_position(parser, &span.where.end))
		return false;
	span.at.end = parser->end;
	if (!position_before(&span.where.start, &span.where.end)) {
		complain(parser->diagnostics, &span.at,
			 "the place ends before it begins");
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
		advance(parser);
		span.at.end = parser->end;
	}
	*ARENA_PUSH(parser->arena, grant->spans, grant->nr_spans) = span;
	return true;
}

static bool parse_spans(struct parser *parser, struct grant *grant)
{
	struct span at = parser->token.at;
	const char *rule = NULL;

	if (!expect_string(parser, "the name of the rule", &rule))
		return false;
	if (!*rule)
		return complain(parser->diagnostics, &at, "the name is empty");
	do {
		if (!parse_span(parser, grant, rule))
			return false;
	} while (accept_mark(parser, ','));
	return true;
}

/* Sets a flag once; a second time is an error. */
static bool once(struct parser *parser, bool *flag)
{
	if (*flag)
		return complain(parser->diagnostics, &parser->token.at,
				"%s twice", found(parser));
	*flag = true;
	advance(parser);
	return true;
}

static bool parse_hidden(struct parser *parser, struct grant *grant)
{
	struct span at;
	bool twice = grant->hidden;

	if (!once(parser, &twice))
		return false;
	at = parser->token.at;
	if (!expect_string(parser, "how it is hidden", &grant->hidden))
		return false;
	return *grant->hidden ||
	       complain(parser->diagnostics, &at, "how is it hidden?");
}

static bool parse_attributes(struct parser *parser, struct grant *grant)
{
	bool fine = true;

	while (fine) {
		if (at_word(parser, "conditional"))
			fine = once(parser, &grant->conditional);
		else if (at_word(parser, "base"))
			fine = once(parser, &grant->base);
		else if (at_word(parser, "hidden"))
			fine = parse_hidden(parser, grant);
		else
			break;
	}
	return fine;
}

static bool parse_why(struct parser *parser, struct grant *grant)
{
	if (at_word(parser, "observed")) {
		grant->observed = true;
		advance(parser);
		if (!at_word(parser, "from"))
			return true;
		return complain(parser->diagnostics, &parser->token.at,
				"a grant is observed or asked for, not both");
	}
	if (accept_word(parser, "from"))
		return parse_spans(parser, grant);
	expected(parser, "\"from\" or \"observed\"");
	return complain_hint(parser->diagnostics,
			     "a grant says which place of the rule asked for "
			     "it, or that it was observed");
}

static bool parse_grant(struct parser *parser)
{
	struct program *program = parser->program;
	struct reference reference = { 0 };
	struct grant grant = { .resource = SIZE_MAX, .at = parser->token.at };

	if (program->nr_grants == AL_MAX_GRANTS)
		return too_many(parser, "grants", AL_MAX_GRANTS);
	if (!expect_name(parser, "the name of the grant", &grant.name))
		return false;
	reference.action_at = parser->token.at;
	if (!expect_action(parser, &grant.action)) {
		if (operation_from_word(grant.name) >= 0)
			complain_hint(parser->diagnostics,
				      "a grant has a name before its action: "
				      "grant NAME %s ...",
				      grant.name);
		return false;
	}
	reference.resource_at = parser->token.at;
	if (!expect_name(parser, "the name of a resource",
			 &reference.resource) ||
	    !parse_why(parser, &grant) || !parse_attributes(parser, &grant))
		return false;
	*ARENA_PUSH(parser->arena, program->grants, program->nr_grants) = grant;
	*ARENA_PUSH(parser->arena, parser->references, parser->nr_references) =
		reference;
	return true;
}

/* ---- setup: agent, use, baseline, bind */

static bool parse_agent(struct parser *parser)
{
	struct span at = parser->token.at;

	if (!expect_word(parser, "as"))
		return false;
	if (parser->saw_agent)
		return complain(parser->diagnostics, &at,
				"the agent's user is already said");
	parser->saw_agent = true;
	if (accept_word(parser, "user"))
		return true;
	if (!accept_word(parser, "root"))
		return expected(parser, "\"user\" or \"root\"");
	parser->program->agent_root = true;
	return true;
}

static bool parse_use(struct parser *parser)
{
	if (!at_word(parser, "standard"))
		return expected(parser, "\"standard\"");
	return once(parser, &parser->program->use_standard);
}

static int except_compare(const void *left, const void *right)
{
	const struct except *a = left, *b = right;

	if (!a->table != !b->table)
		return a->table ? -1 : 1;
	return a->table ? strcmp(a->table, b->table) :
			  strcmp(a->path, b->path);
}

static bool parse_except(struct parser *parser, struct baseline *baseline)
{
	struct except except = { 0 };
	struct span at = parser->token.at;
	size_t i;
	int table;

	if (baseline->nr_excepts == AL_MAX_EXCEPTS)
		return too_many(parser, "exceptions", AL_MAX_EXCEPTS);
	if (parser->token.kind == TOKEN_STRING) {
		except.path = parser->token.text;
		advance(parser);
		if (!fault_at(parser, &at,
			      path_fault(parser->arena, except.path,
					 "baseline's directory")))
			return false;
		if (!strcmp(except.path, "."))
			return complain(parser->diagnostics, &at,
					"nothing would be left");
	} else {
		if (!expect_one_of(parser, &except_words,
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

	if (!accept_word(parser, "except"))
		return true;
	if (baseline->selector.kind != RESOURCE_DIR)
		return complain(parser->diagnostics, &at,
				"only a dir has exceptions");
	do {
		if (!parse_except(parser, baseline))
			return false;
	} while (accept_mark(parser, ','));
	qsort(baseline->excepts, baseline->nr_excepts,
	      sizeof(baseline->excepts[0]), except_compare);
	return true;
}

/* "KIND takes A B", for hints. Always false. */
static bool hint_signature(struct parser *parser, unsigned int action,
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
	return complain_hint(parser->diagnostics,
			     "%s is for %s; for a %s there is: %s",
			     operation_word(action), buffer_text(&kinds),
			     resource_kind_word(kind),
			     operations_text(parser->arena, actions));
}

static bool check_signature(struct parser *parser, const struct span *at,
			    unsigned int action, enum resource_kind kind)
{
	if (action_takes(action, kind))
		return true;
	complain(parser->diagnostics, at, "no %s can be asked for %s",
		 resource_kind_word(kind), operation_word(action));
	return hint_signature(parser, action, kind);
}

static bool parse_actions(struct parser *parser, uint32_t *ret,
			  struct span at[static AL_NR_OPERATIONS])
{
	unsigned int action;
	bool fine = true;

	do {
		struct span here = parser->token.at;

		if (!expect_action(parser, &action))
			return false;
		if (*ret >> action & 1)
			fine = complain(parser->diagnostics, &here,
					"%s twice", operation_word(action));
		*ret |= 1u << action;
		at[action] = here;
	} while (!at_word(parser, "on") && parser->token.kind == TOKEN_WORD);
	return expect_word(parser, "on") && fine;
}

static bool parse_baseline(struct parser *parser)
{
	struct program *program = parser->program;
	struct span action_at[AL_NR_OPERATIONS];
	struct baseline baseline = { .at = parser->token.at };
	unsigned int i;
	bool fine = true;

	if (program->nr_baselines == AL_MAX_BASELINES)
		return too_many(parser, "baselines", AL_MAX_BASELINES);
	if (!parse_actions(parser, &baseline.actions, action_at))
		return false;
	baseline.at = parser->token.at;
	if (!parse_kind(parser, &baseline.selector))
		return false;
	baseline.at.end = parser->end;
	if (baseline.selector.origin == ORIGIN_UNSPECIFIED)
		return complain(parser->diagnostics, &baseline.at,
				"a baseline says exactly what it is on");
	if (!parse_designator(parser, &baseline.selector))
		return false;
	baseline.at.end = parser->end;
	if (!parse_excepts(parser, &baseline))
		return false;
	for (i = 0; i < AL_NR_OPERATIONS; i++)
		if (baseline.actions >> i & 1)
			fine &= check_signature(parser, &action_at[i], i,
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
			return parse_digits(digits, 10,
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
		expected(parser, "the size of a canary");
		return complain_hint(parser->diagnostics,
				     "from %u bytes, which hold it, to %uMiB; "
				     "for example 64KiB",
				     AL_MIN_CANARY, AL_MAX_CANARY >> 20);
	}
	binding->canary = size;
	advance(parser);
	return true;
}

static bool parse_content(struct parser *parser, struct binding *binding)
{
	struct span at = parser->token.at;

	if (!expect_string(parser, "the content in quotes", &binding->content))
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

	return expect_string(parser, "a path in quotes", &binding->from) &&
	       fault_at(parser, &at,
			path_fault(parser->arena, binding->from,
				   "folder of this text"));
}

static bool parse_mode(struct parser *parser, struct binding *binding)
{
	uint64_t mode;

	if (parser->token.kind != TOKEN_NUMBER ||
	    !parse_digits(parser->token.text, 8, 0777, &mode) || !mode) {
		expected(parser, "permission bits");
		return complain_hint(parser->diagnostics,
				     "octal, from 0001 to 0777");
	}
	binding->mode = (uint32_t)mode;
	advance(parser);
	return true;
}

/* "ORIGIN PATH", checked as a selector of @kind. */
static bool parse_place(struct parser *parser, struct selector *place,
			enum resource_kind kind)
{
	struct span at = parser->token.at;
	int origin;

	if (!expect_one_of(parser, &origin_words, "an origin", &origin))
		return false;
	place->kind = kind;
	place->origin = (enum resource_origin)origin;
	if (place->origin == ORIGIN_UNSPECIFIED ||
	    (kind != NR_RESOURCE_KINDS && !kind_has_origin(kind, origin)))
		return complain(parser->diagnostics, &at, "nothing can be in "
							  "%s here",
				resource_origin_word(place->origin));
	at = parser->token.at;
	if (!expect_string(parser, "a name in quotes", &place->name))
		return false;
	return kind == NR_RESOURCE_KINDS ||
	       fault_at(parser, &at, selector_fault(parser->arena, place));
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
		return too_many(parser, "further names", AL_MAX_ALIASES);
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
	[BINDING_FIXTURE_TREE] = PROPERTY_CANARY | PROPERTY_FROM |
				 PROPERTY_SYMLINK,
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

	if (!expect_one_of(parser, &property_words,
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

	if (accept_mark(parser, '{')) {
		while (!at_mark(parser, '}'))
			if (!parse_property(parser, binding, &said))
				return false;
		advance(parser);
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
	if (at_word(parser, "dir")) {
		expected(parser, "a kind of fixture");
		return complain_hint(parser->diagnostics,
				     "did you mean \"tree\"?");
	}
	if (!expect_one_of(parser, &words, "a kind of fixture", &i))
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
		return expect_word(parser, "sink");
	return true;
}

static bool parse_bind(struct parser *parser)
{
	struct program *program = parser->program;
	struct binding binding = { .at = parser->token.at };

	if (program->nr_bindings == AL_MAX_RESOURCES)
		return too_many(parser, "bindings", AL_MAX_RESOURCES);
	if (!expect_name(parser, "the name of a resource",
			 &binding.resource) ||
	    !expect_word(parser, "to"))
		return false;
	if (accept_word(parser, "fixture")) {
		if (!parse_fixture(parser, &binding))
			return false;
	} else if (!accept_word(parser, "real")) {
		return expected(parser, "\"real\" or \"fixture\"");
	}
	if (accept_word(parser, "at") &&
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

/* ---- blocks */

/**
 * struct statement - a keyword and what follows it
 * @setup:	it stands in a setup block, else in a system block
 * @owner:	whose comments are kept
 * @nr:		how many of them there are, to tell which one this is
 */
struct statement {
	const char *keyword;
	bool (*parse)(struct parser *parser);
	bool setup;
	enum comment_owner owner;
};

static const struct statement statements[] = {
	{ "rule", parse_rule, false, COMMENT_RULE },
	{ "resource", parse_resource, false, COMMENT_RESOURCE },
	{ "grant", parse_grant, false, COMMENT_GRANT },
	{ "agent", parse_agent, true, COMMENT_AGENT },
	{ "use", parse_use, true, COMMENT_USE },
	{ "baseline", parse_baseline, true, COMMENT_BASELINE },
	{ "bind", parse_bind, true, COMMENT_BINDING },
};

static size_t nr_owned(const struct program *program, enum comment_owner owner)
{
	switch (owner) {
	case COMMENT_RESOURCE:
		return program->nr_resources;
	case COMMENT_GRANT:
		return program->nr_grants;
	case COMMENT_BASELINE:
		return program->nr_baselines;
	case COMMENT_BINDING:
		return program->nr_bindings;
	default:
		return 0;
	}
}

static const struct statement *statement_of(const struct token *token)
{
	size_t i;

	for (i = 0; token->kind == TOKEN_WORD && i < ARRAY_SIZE(statements);
	     i++)
		if (!strcmp(statements[i].keyword, token->text))
			return &statements[i];
	return NULL;
}

static bool at_block(const struct parser *parser)
{
	return at_word(parser, "system") || at_word(parser, "setup");
}

/* To the next line that begins a statement or block, or to the block's end. */
static void recover(struct parser *parser)
{
	unsigned int depth = 0;

	while (parser->token.kind != TOKEN_END) {
		if (parser->token.first &&
		    (statement_of(&parser->token) || at_block(parser)))
			return;
		if (at_mark(parser, '{'))
			depth++;
		if (at_mark(parser, '}') && !depth--)
			return;
		advance(parser);
	}
}

/* Always false. */
static bool unknown_statement(struct parser *parser, bool setup)
{
	const char *list[ARRAY_SIZE(statements)];
	struct words words = { list, 0 };
	struct token token = parser->token;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(statements); i++)
		if (statements[i].setup == setup)
			list[words.nr++] = statements[i].keyword;
	expected(parser, "a statement or \"}\"");
	if (token.kind == TOKEN_WORD)
		hint_words(parser, &words, token.text);
	advance(parser);
	/* It may have been a declaration. */
	if (!setup && token.kind == TOKEN_WORD &&
	    parser->token.kind == TOKEN_WORD)
		declare(parser, &parser->token);
	return false;
}

static bool parse_statement(struct parser *parser, bool setup)
{
	const struct statement *statement = statement_of(&parser->token);
	struct program *program = parser->program;
	size_t index;

	if (!statement)
		return unknown_statement(parser, setup);
	if (statement->setup != setup) {
		complain(parser->diagnostics, &parser->token.at,
			 "%s does not belong here", found(parser));
		complain_hint(parser->diagnostics, "it goes into the %s block",
			      statement->setup ? "setup" : "system");
	}
	index = nr_owned(program, statement->owner);
	advance(parser);
	if (!statement->parse(parser))
		return false;
	take_comments(parser, statement->owner, index, &parser->end);
	return true;
}

static bool parse_block_name(struct parser *parser, bool first)
{
	struct program *program = parser->program;
	struct span at = parser->token.at;
	const char *name = NULL;

	if (!expect_string(parser, "the name of the system", &name))
		return false;
	if (!*name || strlen(name) >= AL_NAME_SIZE)
		return complain(parser->diagnostics, &at,
				"the name is empty or too long");
	if (!first && strcmp(program->name, name)) {
		complain(parser->diagnostics, &at,
			 "the other block is about %s",
			 quoted(parser->diagnostics, program->name));
		return complain_hint(parser->diagnostics,
				     "both blocks have the same name");
	}
	program->name = name;
	program->name_at = at;
	return true;
}

/* The lines of a block, after its opening brace. */
static void parse_statements(struct parser *parser, bool setup,
			     const struct span *opened)
{
	while (parser->token.kind != TOKEN_END && !at_mark(parser, '}')) {
		if (parser->token.first && at_block(parser))
			break;
		if (!parse_statement(parser, setup))
			recover(parser);
	}
	if (at_mark(parser, '}')) {
		advance(parser);
		take_comments(parser,
			      setup ? COMMENT_SETUP_END : COMMENT_SYSTEM_END, 0,
			      &parser->end);
		return;
	}
	if (parser->lexer.stop)
		return;
	expected(parser, "\"}\"");
	complain_hint(parser->diagnostics,
		      "the block was opened in line %u", opened->start.line);
}

static void parse_block(struct parser *parser)
{
	struct program *program = parser->program;
	bool setup = at_word(parser, "setup");
	bool *has = setup ? &program->has_setup : &program->has_system;
	struct span at = parser->token.at;
	bool first = !program->has_setup && !program->has_system;

	if (*has) {
		complain(parser->diagnostics, &at, "a second %s block",
			 parser->token.text);
		complain_hint(parser->diagnostics,
			      "a text holds each block at most once");
	}
	*has = true;
	advance(parser);
	if (!parse_block_name(parser, first))
		while (!at_mark(parser, '{') && !parser->token.first &&
		       parser->token.kind != TOKEN_END)
			advance(parser);
	if (!expect_mark(parser, '{')) {
		recover(parser);
		accept_mark(parser, '}');
		return;
	}
	take_comments(parser, setup ? COMMENT_SETUP : COMMENT_SYSTEM, 0,
		      &parser->end);
	parse_statements(parser, setup, &at);
}

static void parse_text(struct parser *parser)
{
	struct position end;

	advance(parser);
	while (parser->token.kind != TOKEN_END) {
		if (at_block(parser)) {
			parse_block(parser);
			continue;
		}
		expected(parser, "\"system\" or \"setup\"");
		if (statement_of(&parser->token))
			complain_hint(parser->diagnostics,
				      "statements stand in a block: %s "
				      "\"NAME\" { ... }",
				      statement_of(&parser->token)->setup ?
					      "setup" :
					      "system");
		do
			advance(parser);
		while (parser->token.kind != TOKEN_END &&
		       !(at_block(parser) && parser->token.first));
	}
	end = parser->token.at.end;
	end.offset++;
	take_comments(parser, COMMENT_END, 0, &end);
	if (!parser->lexer.stop && !parser->program->has_system &&
	    !parser->program->has_setup) {
		expected(parser, "a system or a setup block");
		complain_hint(parser->diagnostics,
			      "a rule that asks for nothing is: system "
			      "\"NAME\" { }");
	}
}

/* Hold the grants against the declarations. */
static void resolve(struct parser *parser)
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
			nearest = nearest_resource(program,
						   reference->resource);
			if (nearest)
				complain_hint(parser->diagnostics,
					      "did you mean \"%s\"?", nearest);
			continue;
		}
		grant->resource = (size_t)(resource - program->resources);
		if (resource->selector.kind != NR_RESOURCE_KINDS)
			check_signature(parser, &reference->action_at,
					grant->action, resource->selector.kind);
	}
}

static void parse(struct program *program, struct diagnostics *diagnostics)
{
	const struct source *source = &program->sources[0];
	struct parser parser = {
		.arena = program->arena,
		.program = program,
		.diagnostics = diagnostics,
	};

	if (source->length > AL_MAX_SDL_SIZE) {
		struct span at = { .file = source->file,
				   .start = { 1, 1, 0 },
				   .end = { 1, 1, 0 } };

		complain(diagnostics, &at, "the text is larger than %u bytes",
			 AL_MAX_SDL_SIZE);
		return;
	}
	lexer_init(&parser.lexer, program->arena, source->file, source->text,
		   source->length, diagnostics);
	parse_text(&parser);
	/* Of half a text it is not known what is missing. */
	if (parser.lexer.stop || diagnostics->full)
		return;
	resolve(&parser);
	check_program(program, program->has_system, diagnostics);
}

int program_parse(const char *file, const char *text, size_t length,
		  struct program **ret, struct error **err)
{
	struct program *program cleanup_program = xzalloc(sizeof(*program));
	struct diagnostics diagnostics = { .program = program };
	struct source *source;
	int code;

	program->arena = arena_new();
	source = ARENA_PUSH(program->arena, program->sources,
			    program->nr_sources);
	program->file = source->file = arena_strdup(program->arena, file);
	program->name = "";
	source->length = length;
	source->text = length > AL_MAX_SDL_SIZE ?
			       text :
			       arena_strndup(program->arena, text, length);
	parse(program, &diagnostics);
	code = diagnostics_end(&diagnostics, err);
	if (!code)
		*ret = take_ptr(program);
	return code;
}

const struct resource *program_resource(const struct program *program,
					const char *name)
{
	size_t i;

	for (i = 0; i < program->nr_resources; i++)
		if (!strcmp(program->resources[i].name, name))
			return &program->resources[i];
	return NULL;
}

void program_free(struct program *program)
{
	if (!program)
		return;
	arena_free(program->arena);
	free(program);
}
