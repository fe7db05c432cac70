/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The prose reader's own types. A stretch of prose is read sentence by
 * sentence, each of bounded length:
 *
 *   prose_token.c   bytes to words, code spans, paths, hosts; to sentences
 *   prose_mood.c    which verbs ask for something, which forbid it
 *   prose_task.c    described tasks: "do this task: Delete logs - Deletes ..."
 *   prose_object.c  verbs and their objects to requests
 *   prose_channel.c what no request represents
 *   prose.c         what leads into a stretch
 */
#ifndef USER_EXTRACT_PROSE_H
#define USER_EXTRACT_PROSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/memory.h"
#include "extract/lexicon.h"
#include "extract/segment.h"
#include "extract/shell.h"

#define PROSE_MAX_TOKENS 384  /* of a sentence; a longer one is cut */
#define PROSE_MAX_BEFORE 2048 /* bytes before a place that tell its mood */
#define PROSE_MAX_WORD	 512  /* bytes of a word */
#define PROSE_MAX_VAGUE	 64   /* unnamed objects of a stretch */
#define PROSE_MAX_LAST	 4    /* things that "they" can mean */

enum token_kind {
	TOKEN_WORD,
	TOKEN_SPAN, /* code that is none of the following */
	TOKEN_PATH,
	TOKEN_URL,
	TOKEN_HOST, /* a name or an address, with or without a port */
	TOKEN_VARIABLE,
	TOKEN_NUMBER,
	TOKEN_MARK,
};

/* Marks that are no character of their own. */
#define MARK_DASH  '-' /* between two parts of a sentence */
#define MARK_WRONG 'x' /* what follows is an example of what not to do */
#define MARK_ITEM  '#' /* "1." inside of a sentence */

/**
 * struct token
 * @kind:	what it looks like
 * @from:	where it begins in the segment's text, quotes included
 * @to:		behind it
 * @text:	what it says
 * @length:	of @text
 * @lower:	@text in lower case, without a genitive's end; "" if not a word
 * @nr:		length of @lower
 * @code:	it stands in backquotes
 * @capital:	it begins with a capital letter
 * @sure:	it surely is a variable
 * @mark:	of a mark: which one
 * @classes:	enum word_class
 * @common:	see struct lexeme
 * @program:	see struct lexeme
 * @act:	of a verb, ACT_NONE
 * @noun:	of a noun that means an act
 * @form:	of a verb
 * @ask:	it is a verb that asks for something
 * @left:	its object stands before it
 * @negated:	what is said here is not to be done
 * @conditional: only in some case
 * @aside:	nothing here asks: a description, a reference
 * @intro:	it says when or why
 * @task:	it is part of a described task
 * @object:	it is the object of something that was understood
 * @thing:	of the first token of a phrase
 * @things:	tokens of that phrase
 */
struct token {
	enum token_kind kind;
	size_t from;
	size_t to;
	const char *text;
	size_t length;
	const char *lower;
	size_t nr;
	bool code;
	bool capital;
	bool sure;
	char mark;
	uint64_t classes;
	bool common;
	bool program;
	enum act act;
	enum act noun;
	enum verb_form form;
	bool ask;
	bool left;
	bool negated;
	bool conditional;
	bool aside;
	bool intro;
	bool task;
	const struct thing *thing;
	size_t things;
};

/**
 * struct sentence
 * @list:	its tokens
 * @from:	where it begins in the segment's text
 * @to:		behind it
 * @asks:	some verb in it asks, ordinary things included
 * @describes:	it has a verb that says what something does
 */
struct sentence {
	struct token *list;
	size_t nr;
	size_t from;
	size_t to;
	bool asks;
	bool describes;
};

/* What was asked for without naming it. */
struct vague {
	unsigned int action;
	enum resource_kind kind;
	const char *object;
	enum resource_class class_;
	bool conditional;
	size_t start;
	size_t end;
};

/**
 * struct prose - one stretch that is read
 * @at:		where the next sentence begins
 * @inline_at:	the next code span
 * @shell:	the shell reader's helpers work on one of these
 * @negated:	what leads into the stretch forbids
 * @conditional: what leads into it is for some case only
 * @secret:	something that is nobody's business was asked for
 * @told:	an earlier sentence says when something is to be done
 * @telling:	the present one does
 * @task:	a task is described from here on
 * @loose:	its objects need no names
 * @title:	the task's name; what it asks for is better said further on
 * @last:	what "it" means
 * @vague:	see there
 * @named:	[action] bits of kinds that were asked for by name
 */
struct prose {
	const struct segment *segment;
	struct translation *ret;
	struct arena *arena;
	struct shell shell;
	size_t at;
	size_t inline_at;
	struct token *tokens;
	bool negated;
	bool conditional;
	bool secret;
	bool told;
	bool telling;
	bool task;
	bool loose;
	struct sentence title;
	struct token last[PROSE_MAX_LAST];
	size_t nr_last;
	struct vague vague[PROSE_MAX_VAGUE];
	size_t nr_vague;
	uint32_t named[AL_NR_OPERATIONS];
};

static inline bool token_is(const struct token *token, const char *word)
{
	return token->kind == TOKEN_WORD && *token->lower == *word &&
	       !strcmp(token->lower, word);
}

static inline bool token_has(const struct token *token, uint64_t classes)
{
	return (token->classes & classes) != 0;
}

static inline bool token_mark(const struct token *token, char mark)
{
	return token->kind == TOKEN_MARK && token->mark == mark;
}

/* A mark that parts of a sentence end at, for which nothing before counts. */
static inline bool token_ends_clause(const struct token *token)
{
	return token->kind == TOKEN_MARK && strchr(";:-().x#", token->mark);
}

/* prose_token.c */
/* The next sentence, its words looked up. False: there is none. */
bool sentence_next(struct prose *prose, struct sentence *ret);

/* prose_mood.c */
void sentence_mood(struct prose *prose, struct sentence *sentence);
/* How the code span at token @at is asked for. */
struct mood span_mood(const struct sentence *sentence, size_t at);

/* prose_task.c */
/* Where in it, or after it, a task is described; what that asks for. */
void sentence_task(struct prose *prose, struct sentence *sentence);
/* Does a text lead into tasks, "do the following:"? */
bool leads_to_task(const struct sentence *sentence, size_t from, size_t to);

/* prose_object.c */
void sentence_requests(struct prose *prose, struct sentence *sentence);
/* What was not named, if nothing of its kind was. */
void prose_vague(struct prose *prose);
/* The program that a token names, NULL: none. @sure: it surely names one. */
const char *token_tool(struct prose *prose, const struct token *token,
		       bool sure);
bool span_is_command(const struct token *token);
/* "rsync remote file copy": a title that begins with a program */
void title_tool(struct prose *prose, const struct sentence *title);
void use_things(struct prose *prose, const struct sentence *sentence);

/* prose_channel.c */
/* What it sends over channels that no request represents, what it hides. */
void sentence_channel(struct prose *prose, const struct sentence *sentence);

#endif /* USER_EXTRACT_PROSE_H */
