// SPDX-License-Identifier: GPL-2.0-only
#include "lex.h"

#include <string.h>

#include <aletheia/limits.h>

#include "base/cleanup.h"

void lexer_init(struct lexer *lexer, struct arena *arena, const char *file,
		const char *text, size_t length,
		struct diagnostics *diagnostics)
{
	*lexer = (struct lexer){
		.arena = arena,
		.diagnostics = diagnostics,
		.file = file,
		.text = text,
		.length = length,
		.line = 1,
		.first = true,
	};
}

static struct position here(const struct lexer *lexer)
{
	return (struct position){
		.line = lexer->line,
		.column = (uint32_t)(lexer->offset - lexer->line_start) + 1,
		.offset = lexer->offset,
	};
}

static struct span since(const struct lexer *lexer, struct position start)
{
	return (struct span){ lexer->file, start, here(lexer) };
}

static int peek(const struct lexer *lexer)
{
	if (lexer->offset >= lexer->length)
		return -1;
	return (unsigned char)lexer->text[lexer->offset];
}

static void newline(struct lexer *lexer)
{
	lexer->offset++;
	lexer->line++;
	lexer->line_start = lexer->offset;
	lexer->first = true;
}

static bool is_digit(int c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(int c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_word(int c)
{
	return is_letter(c) || is_digit(c) || c == '.' || c == '_' || c == '-';
}

/*
 * Step over one character of a string or comment. What would not be seen, or
 * would be seen elsewhere than it is, must not stand in a text that people
 * review; and what is no UTF-8 is no text, of which the rest says nothing.
 */
static void step(struct lexer *lexer)
{
	const char *text = lexer->text + lexer->offset;
	struct position start = here(lexer);
	bool plain;
	size_t nr = text_next(text, lexer->length - lexer->offset, &plain);
	struct span at;

	lexer->offset += nr;
	if (plain || (nr == 1 && *text == '\t'))
		return;
	at = since(lexer, start);
	if (*text == '\r') {
		complain(lexer->diagnostics, &at,
			 "a carriage return that does not end a line");
		return;
	}
	if (nr == 1) {
		complain(lexer->diagnostics, &at, "byte 0x%02x: this is no %s",
			 (unsigned char)*text, *text & 0x80 ? "UTF-8" : "text");
		complain_hint(lexer->diagnostics,
			      *text ? "in a string, write such a byte as "
				      "\\x%02x"
				    : "no string can hold this byte",
			      (unsigned char)*text);
		lexer->stop = true;
		return;
	}
	if (start.offset == 0 && !memcmp(text, "\xef\xbb\xbf", nr)) {
		complain(lexer->diagnostics, &at, "a byte order mark");
		complain_hint(lexer->diagnostics, "save the text without it");
		return;
	}
	complain(lexer->diagnostics, &at,
		 "a character that cannot be seen, or that changes how others "
		 "are seen");
	complain_hint(lexer->diagnostics,
		      "remove it, or in a string write its bytes as \\xHH");
}

static void comment(struct lexer *lexer)
{
	struct position start = here(lexer);
	struct loose_comment *loose;
	size_t end;

	while (peek(lexer) >= 0 && peek(lexer) != '\n' && !lexer->stop) {
		if (peek(lexer) == '\r' && lexer->offset + 1 < lexer->length &&
		    lexer->text[lexer->offset + 1] == '\n')
			break;
		step(lexer);
	}
	if (++lexer->all_comments > AL_MAX_COMMENTS) {
		struct span at = since(lexer, start);

		complain(lexer->diagnostics, &at, "more than %d comments",
			 AL_MAX_COMMENTS);
		lexer->stop = true;
		return;
	}
	for (end = lexer->offset; end > start.offset; end--)
		if (lexer->text[end - 1] != ' ' && lexer->text[end - 1] != '\t')
			break;
	loose = ARENA_PUSH(lexer->arena, lexer->comments, lexer->nr_comments);
	loose->text = arena_strndup(lexer->arena, lexer->text + start.offset,
				    end - start.offset);
	loose->at = start;
}

static void skip_blank(struct lexer *lexer)
{
	while (!lexer->stop) {
		int c = peek(lexer);

		if (c == '\n')
			newline(lexer);
		else if (c == ' ' || c == '\t' ||
			 (c == '\r' && lexer->offset + 1 < lexer->length &&
			  lexer->text[lexer->offset + 1] == '\n'))
			lexer->offset++;
		else if (c == '#')
			comment(lexer);
		else
			return;
	}
}

static int hex_value(int c)
{
	if (is_digit(c))
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

static int byte_at(const struct lexer *lexer, size_t ahead)
{
	if (ahead >= lexer->length - lexer->offset)
		return -1;
	return (unsigned char)lexer->text[lexer->offset + ahead];
}

/* At a backslash. */
static void escape(struct lexer *lexer, struct buffer *out)
{
	struct position start = here(lexer);
	int c = byte_at(lexer, 1);
	int high = hex_value(byte_at(lexer, 2));
	int low = high < 0 ? -1 : hex_value(byte_at(lexer, 3));
	struct span at;

	if (c == 'x' && low >= 0 && (high || low)) {
		buffer_addc(out, (char)(high << 4 | low));
		lexer->offset += 4;
		return;
	}
	if (c == 'n' || c == 't' || c == '"' || c == '\\') {
		buffer_addc(out, (char)(c == 'n' ? '\n' : c == 't' ? '\t' : c));
		lexer->offset += 2;
		return;
	}
	lexer->offset++;
	if (c >= 0 && c != '\n')
		step(lexer);
	at = since(lexer, start);
	if (c == 'x' && low >= 0) {
		complain(lexer->diagnostics, &at, "a string cannot hold NUL");
		return;
	}
	complain(lexer->diagnostics, &at, "no such escape");
	complain_hint(lexer->diagnostics,
		      "there are \\n, \\t, \\\", \\\\ and \\xHH with two "
		      "hexadecimal digits");
}

static void string(struct lexer *lexer, struct token *token)
{
	struct buffer out cleanup_buffer = { 0 };
	struct position start = here(lexer);

	lexer->offset++;
	while (peek(lexer) != '"' && !lexer->stop) {
		size_t before = lexer->offset;

		if (peek(lexer) < 0 || peek(lexer) == '\n') {
			struct span at = since(lexer, start);

			complain(lexer->diagnostics, &at,
				 "the string does not end on its line");
			complain_hint(lexer->diagnostics,
				      "close it with a quote; a line break "
				      "in it is written \\n");
			return;
		}
		if (peek(lexer) == '\\') {
			escape(lexer, &out);
			continue;
		}
		step(lexer);
		buffer_add(&out, lexer->text + before, lexer->offset - before);
	}
	if (lexer->stop)
		return;
	lexer->offset++;
	token->kind = TOKEN_STRING;
	token->text = arena_strdup(lexer->arena, buffer_text(&out));
}

static void run(struct lexer *lexer, struct token *token, enum token_kind kind)
{
	size_t start = lexer->offset;

	while (kind == TOKEN_WORD
		       ? is_word(peek(lexer))
		       : is_digit(peek(lexer)) || is_letter(peek(lexer)))
		lexer->offset++;
	token->kind = kind;
	token->text = arena_strndup(lexer->arena, lexer->text + start,
				    lexer->offset - start);
}

/* Whatever cannot begin a token, up to what can end it, is one error. */
static void garbage(struct lexer *lexer)
{
	struct position start = here(lexer);
	unsigned int nr = lexer->diagnostics->nr;
	struct span at;

	step(lexer);
	if (lexer->diagnostics->nr != nr)
		return;
	at = since(lexer, start);
	complain(lexer->diagnostics, &at, "unexpected character");
	if (lexer->text[start.offset] == '\'')
		complain_hint(lexer->diagnostics,
			      "strings are in double quotes");
	while (peek(lexer) > ' ' && peek(lexer) < 0x80 &&
	       !strchr("\"#{}(),", peek(lexer)))
		lexer->offset++;
}

struct token lexer_next(struct lexer *lexer)
{
	struct token token = { .kind = TOKEN_BAD, .text = "" };
	struct position start;
	int c;

	skip_blank(lexer);
	start = here(lexer);
	token.first = lexer->first;
	lexer->first = false;
	c = peek(lexer);
	if (lexer->stop || lexer->diagnostics->full || c < 0) {
		token.kind = TOKEN_END;
	} else if (is_letter(c) || c == '_') {
		run(lexer, &token, TOKEN_WORD);
	} else if (is_digit(c)) {
		run(lexer, &token, TOKEN_NUMBER);
	} else if (c == '"') {
		string(lexer, &token);
	} else if (c && strchr("{}():=,-", c)) {
		token.kind = TOKEN_MARK;
		token.mark = (char)c;
		lexer->offset++;
	} else {
		garbage(lexer);
	}
	/* What is no token does not make the next one the second. */
	if (token.kind == TOKEN_BAD)
		lexer->first = token.first;
	token.at = since(lexer, start);
	return token;
}

void string_print(struct buffer *out, const char *text)
{
	size_t length = strlen(text), i, k, nr;
	bool plain;

	buffer_addc(out, '"');
	for (i = 0; i < length; i += nr) {
		nr = text_next(text + i, length - i, &plain);
		if (text[i] == '"' || text[i] == '\\') {
			buffer_addc(out, '\\');
			buffer_addc(out, text[i]);
		} else if (text[i] == '\n') {
			buffer_adds(out, "\\n");
		} else if (text[i] == '\t') {
			buffer_adds(out, "\\t");
		} else if (plain) {
			buffer_add(out, text + i, nr);
		} else {
			for (k = 0; k < nr; k++)
				buffer_printf(out, "\\x%02x",
					      (unsigned char)text[i + k]);
		}
	}
	buffer_addc(out, '"');
}
