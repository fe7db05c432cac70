/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef USER_DSL_LEX_H
#define USER_DSL_LEX_H

#include "diagnose.h"

enum token_kind {
	TOKEN_END,
	TOKEN_WORD,
	TOKEN_NUMBER, /* digits, and letters behind them */
	TOKEN_STRING,
	TOKEN_MARK, /* one of { } ( ) : = , - */
	TOKEN_BAD,  /* already complained about */
};

/**
 * struct token - what the parser looks at
 * @kind:	what it is
 * @mark:	TOKEN_MARK: which one
 * @first:	the first of its line; errors are recovered from at such a one
 * @text:	word or number as written, string without quotes and escapes
 * @at:		where
 */
struct token {
	enum token_kind kind;
	char mark;
	bool first;
	const char *text;
	struct span at;
};

/* A comment that is not yet known to belong to anything. */
struct loose_comment {
	const char *text;
	struct position at;
};

/**
 * struct lexer - a text on its way to tokens
 * @comments:	found so far and not taken by the parser
 * @stop:	only TOKEN_END follows: the text is no text, or the errors are
 *		too many
 */
struct lexer {
	struct arena *arena;
	struct diagnostics *diagnostics;
	const char *file;
	const char *text;
	size_t length;
	size_t offset;
	size_t line_start;
	uint32_t line;
	bool first;
	bool stop;
	struct loose_comment *comments;
	size_t nr_comments;
	size_t all_comments;
};

void lexer_init(struct lexer *lexer, struct arena *arena, const char *file,
		const char *text, size_t length,
		struct diagnostics *diagnostics);
struct token lexer_next(struct lexer *lexer);

/* string_print() - text as a string of the language */
void string_print(struct buffer *out, const char *text);

#endif /* USER_DSL_LEX_H */
