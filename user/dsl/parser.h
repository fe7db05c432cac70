/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The parser's parts. Functions that return a bool say whether the text was
 * as expected; if it was not, they have complained, and the statement is over.
 */
#ifndef USER_DSL_PARSER_H
#define USER_DSL_PARSER_H

#include "lex.h"
#include "program.h"
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
 * @depth:	braces that are open
 * @references:	one for each grant of @program
 * @saw_agent:	"agent" was there
 */
struct parser {
	struct lexer lexer;
	struct token token;
	struct position end;
	unsigned int depth;
	struct arena *arena;
	struct program *program;
	struct diagnostics *diagnostics;
	struct reference *references;
	size_t nr_references;
	bool saw_agent;
};

/* ---- tokens */

void parser_advance(struct parser *parser);
bool parser_at_mark(const struct parser *parser, char mark);
bool parser_at_word(const struct parser *parser, const char *word);
bool parser_accept_mark(struct parser *parser, char mark);
bool parser_accept_word(struct parser *parser, const char *word);

/* parser_at_statement() - at a word that begins a statement or a block */
bool parser_at_statement(const struct parser *parser);

/* parser_found() - the token, for messages */
const char *parser_found(const struct parser *parser);
/* parser_expected() - complain that the token is not @what; always false */
bool parser_expected(struct parser *parser, const char *what);
/* parser_hint_words() - which word may be meant; always false */
bool parser_hint_words(struct parser *parser, const struct words *words,
		       const char *word);
/* parser_too_many() - the text holds more than we keep; always false */
bool parser_too_many(struct parser *parser, const char *what,
		     unsigned int most);

/* What must come next. @what: how messages call it. */
bool parser_mark(struct parser *parser, char mark);
bool parser_word(struct parser *parser, const char *word);
bool parser_string(struct parser *parser, const char *what, const char **ret);
bool parser_name(struct parser *parser, const char *what, const char **ret);
bool parser_number(struct parser *parser, const char *what, uint64_t least,
		   uint64_t most, uint64_t *ret);
bool parser_one_of(struct parser *parser, const struct words *words,
		   const char *what, int *ret);

/* parser_once() - consume a word that sets a flag, only once */
bool parser_once(struct parser *parser, bool *flag);

/* parser_digits() - a number in @base, at most @most, and nothing else */
bool parser_digits(const char *text, unsigned int base, uint64_t most,
		   uint64_t *ret);

/* ---- selectors and actions */

/* parser_fault() - complain about a fault; true if there is none */
bool parser_fault(struct parser *parser, const struct span *at,
		  struct fault fault);
/* kind_text() - "a file" */
const char *kind_text(struct arena *arena, enum resource_kind kind);
/* parser_origin() - one that the kind has; NR_RESOURCE_KINDS has them all */
bool parser_origin(struct parser *parser, enum resource_kind kind,
		   enum resource_origin *ret);
/* parser_kind() - KIND(ORIGIN) */
bool parser_kind(struct parser *parser, struct selector *selector);
/* parser_designator() - what follows, by kind and origin */
bool parser_designator(struct parser *parser, struct selector *selector);
bool parser_action(struct parser *parser, unsigned int *ret);
/* parser_signature() - does an action take this kind? */
bool parser_signature(struct parser *parser, const struct span *at,
		      unsigned int action, enum resource_kind kind);

/* ---- statements, behind their keyword */

bool statement_rule(struct parser *parser);
bool statement_resource(struct parser *parser);
bool statement_grant(struct parser *parser);
bool statement_agent(struct parser *parser);
bool statement_use(struct parser *parser);
bool statement_baseline(struct parser *parser);
bool statement_bind(struct parser *parser);

/*
 * parser_declare() - a resource whose kind is not known (NULL: too many).
 * Until it is, nobody who uses the name is told that it does not exist.
 */
struct resource *parser_declare(struct parser *parser,
				const struct token *name);

/* parser_resolve() - hold the grants against the declarations */
void parser_resolve(struct parser *parser);

#endif /* USER_DSL_PARSER_H */
