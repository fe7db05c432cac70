// SPDX-License-Identifier: GPL-2.0-only
#include "parser.h"

#include <string.h>

#include <aletheia/limits.h>

#include "base/cleanup.h"

void parser_advance(struct parser *parser)
{
	if (parser_at_mark(parser, '{'))
		parser->depth++;
	if (parser_at_mark(parser, '}') && parser->depth)
		parser->depth--;
	parser->end = parser->token.at.end;
	parser->token = lexer_next(&parser->lexer);
}

bool parser_at_mark(const struct parser *parser, char mark)
{
	return parser->token.kind == TOKEN_MARK && parser->token.mark == mark;
}

bool parser_at_word(const struct parser *parser, const char *word)
{
	return parser->token.kind == TOKEN_WORD &&
	       !strcmp(parser->token.text, word);
}

bool parser_accept_mark(struct parser *parser, char mark)
{
	if (!parser_at_mark(parser, mark))
		return false;
	parser_advance(parser);
	return true;
}

bool parser_accept_word(struct parser *parser, const char *word)
{
	if (!parser_at_word(parser, word))
		return false;
	parser_advance(parser);
	return true;
}

const char *parser_found(const struct parser *parser)
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

/* Is what was expected missing at the end of a line, or of the text? */
static bool ends_here(const struct parser *parser)
{
	return parser->end.line &&
	       (parser->token.kind == TOKEN_END ||
		(parser->token.first &&
		 (parser_at_mark(parser, '}') || parser_at_statement(parser))));
}

/* A bad token was complained about when it was read. */
bool parser_expected(struct parser *parser, const char *what)
{
	if (parser->token.kind == TOKEN_BAD) {
		parser->diagnostics->muted = true;
		return false;
	}
	if (ends_here(parser)) {
		struct span at = { parser->token.at.file, parser->end,
				   parser->end };

		return complain(parser->diagnostics, &at,
				"expected %s, but the %s ends", what,
				parser->token.kind == TOKEN_END ? "text"
								: "line");
	}
	return complain(parser->diagnostics, &parser->token.at,
			"expected %s, found %s", what, parser_found(parser));
}

bool parser_mark(struct parser *parser, char mark)
{
	return parser_accept_mark(parser, mark) ||
	       parser_expected(parser,
			       arena_printf(parser->arena, "\"%c\"", mark));
}

bool parser_word(struct parser *parser, const char *word)
{
	return parser_accept_word(parser, word) ||
	       parser_expected(parser,
			       arena_printf(parser->arena, "\"%s\"", word));
}

bool parser_string(struct parser *parser, const char *what, const char **ret)
{
	if (parser->token.kind != TOKEN_STRING)
		return parser_expected(parser, what);
	*ret = parser->token.text;
	parser_advance(parser);
	return true;
}

bool parser_hint_words(struct parser *parser, const struct words *words,
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
bool parser_one_of(struct parser *parser, const struct words *words,
		   const char *what, int *ret)
{
	if (parser->token.kind != TOKEN_WORD)
		return parser_expected(parser, what);
	*ret = words_find(words, parser->token.text);
	if (*ret < 0) {
		parser_expected(parser, what);
		return parser_hint_words(parser, words, parser->token.text);
	}
	parser_advance(parser);
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

bool parser_name(struct parser *parser, const char *what, const char **ret)
{
	if (parser->token.kind != TOKEN_WORD || is_reserved(parser->token.text))
		return parser_expected(parser, what);
	if (!is_name(parser->token.text)) {
		complain(parser->diagnostics, &parser->token.at,
			 "%s is no name", parser_found(parser));
		return complain_hint(parser->diagnostics,
				     "a lower-case letter, then lower-case "
				     "letters, digits, \".\", \"_\" and "
				     "\"-\"; at most %d bytes",
				     AL_MAX_WORD);
	}
	*ret = parser->token.text;
	parser_advance(parser);
	return true;
}

/* Digits alone, in @base, at most @most. */
bool parser_digits(const char *text, unsigned int base, uint64_t most,
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

bool parser_number(struct parser *parser, const char *what, uint64_t least,
		   uint64_t most, uint64_t *ret)
{
	if (parser->token.kind != TOKEN_NUMBER)
		return parser_expected(parser, what);
	if (!parser_digits(parser->token.text, 10, most, ret) || *ret < least) {
		parser_expected(parser, what);
		return complain_hint(
			parser->diagnostics, "a number from %llu to %llu",
			(unsigned long long)least, (unsigned long long)most);
	}
	parser_advance(parser);
	return true;
}

bool parser_too_many(struct parser *parser, const char *what, unsigned int most)
{
	complain(parser->diagnostics, &parser->token.at, "more than %u %s",
		 most, what);
	parser->lexer.stop = true;
	parser->token.kind = TOKEN_END;
	return false;
}

bool parser_once(struct parser *parser, bool *flag)
{
	if (*flag)
		return complain(parser->diagnostics, &parser->token.at,
				"%s twice", parser_found(parser));
	*flag = true;
	parser_advance(parser);
	return true;
}
