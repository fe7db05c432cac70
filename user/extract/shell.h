/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The shell reader's own types. One struct shell lives as long as one block
 * of code is read; it knows what a shell would know: variables, functions,
 * the folder that commands run in.
 *
 *   shell.c        blocks: language, prompts, placeholders
 *   shell_parse.c  text to syntax trees, in windows; what is broken by lines
 *   shell_walk.c   trees to calls: lists, pipelines, loops, redirections
 *   shell_word.c   words: quotes, variables, substitutions, braces
 *   shell_call.c   a call held against its signature
 *   shell_style.c  commands that no list of roles describes
 *   shell_output.c what a command prints, where that is known
 *   shell_object.c canonical names of what a word names
 *   shell_code.c   inline code of scripting languages
 */
#ifndef USER_EXTRACT_SHELL_H
#define USER_EXTRACT_SHELL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tree_sitter/api.h>

#include "base/memory.h"
#include "extract/extract.h"
#include "extract/segment.h"
#include "extract/signature.h"

/* Bounds: what runs into one is a gap, "too-complex". */
#define SHELL_MAX_DEPTH	 150   /* of one syntax tree */
#define SHELL_MAX_NESTED 8     /* code in words in code */
#define SHELL_MAX_WINDOW 16384 /* bytes that are parsed at once */
#define SHELL_MAX_TEXT	 65536 /* of a value, a decoded blob */
#define SHELL_MAX_WORDS	 1024  /* of one command */
#define SHELL_MAX_VALUE	 4096  /* bytes of a variable's value */
#define SHELL_MAX_VALUES 32    /* that a variable may have */
#define SHELL_MAX_NAMES	 512   /* variables and functions */
#define SHELL_MAX_BRACES 8     /* {a,b} in one word */
#define SHELL_MAX_BRACED 4096  /* bytes of such a word */

/**
 * struct stretch - text and where each byte comes from
 * @data:	the bytes; a zero need not follow
 * @length:	how many
 * @origin:	[length + 1] offsets in the rule, ascending
 */
struct stretch {
	const char *data;
	size_t length;
	const size_t *origin;
};

/* A parsed window; offsets of nodes are relative to both. */
struct code {
	const char *data;
	const size_t *origin;
};

/* An environment variable that a word expands and the text does not set. */
struct use {
	const char *name;
	size_t start;
	size_t end;
};

/**
 * struct word - one word of a command, expanded
 * @text:	what it says; "*" stands for what nobody knows
 * @length:	of @text
 * @origin:	[length + 1]
 * @unknown:	part of it nobody knows
 * @anything:	all of it nobody knows
 * @quoted:	some of it was quoted
 * @stream:	it is a process substitution
 * @process:	it is the number of this process; "": of an own one
 * @uses:	environment variables in it
 */
struct word {
	const char *text;
	size_t length;
	const size_t *origin;
	bool unknown;
	bool anything;
	bool quoted;
	bool stream;
	const char *process;
	struct use *uses;
	size_t nr_uses;
};

struct words {
	struct word *list;
	size_t nr;
};

/**
 * struct stream - what goes through a pipe
 * @kind:	nothing; the known @text; something
 * @text:	for STREAM_TEXT
 * @other:	what it may be instead, or NULL
 * @process:	the text is the number of this process
 * @file:	it comes from this file, or NULL
 * @decoded:	the text is not what stands in the rule
 */
struct stream {
	enum { STREAM_SILENT, STREAM_TEXT, STREAM_UNKNOWN } kind;
	struct stretch text;
	struct stream *other;
	const char *process;
	const struct word *file;
	bool decoded;
};

/* A value that a variable has. @unknown: "*" in @text stands for anything. */
struct value {
	const char *text;
	bool unknown;
	const char *process;
};

/* A variable that the text sets. @nr 0: it has no known value. */
struct variable {
	const char *name;
	struct value values[SHELL_MAX_VALUES];
	size_t nr;
	size_t chosen; /* in the round */
	size_t round;
	struct variable *next;
};

/* A function or an alias of the text. */
struct function {
	const char *name;
	struct code code;
	TSNode body;
	struct stretch alias; /* data NULL: a function */
	bool called;
	bool active;
	struct function *next;
};

/* What is known while a block is read. */
struct shell {
	struct translation *ret;
	struct arena *arena; /* of the statement that is read */
	struct arena *keep;  /* of what later ones need */
	TSParser *parser;
	TSTree **trees; /* kept, functions are in them */
	size_t nr_trees;
	size_t end; /* of the block, in the rule */
	const char *hidden;
	bool conditional_mood;
	unsigned int conditional;
	unsigned int depth;
	unsigned int nested;
	unsigned int substitution; /* its output becomes a word */
	size_t choice;		   /* which value of variables with several */
	size_t choices;		   /* how many were seen */
	size_t radix;	 /* combinations of those seen in this round */
	size_t round;	 /* number of this round, of all commands */
	size_t steps;	 /* calls left to look at */
	size_t joins;	 /* times left that broken lines are put together */
	size_t broken;	 /* broken windows and lines that may still be parsed */
	size_t bytes;	 /* of nested code left to look at */
	size_t work;	 /* bytes of words left to put together */
	bool looping;	 /* over the values of variables */
	const char *cwd; /* "": the project */
	struct variable *variables;
	struct function *functions;
	size_t nr_names;
	bool counted;	      /* the command is among the actionable bytes */
	const char **folders; /* that the text has made */
	size_t nr_folders;
	const struct words *extra;     /* words behind a redirection */
	const struct words *arguments; /* of the function that is called */
};

/**
 * struct call - one command, expanded
 * @words:	its name first
 * @in:		its standard input
 * @from:	index of the first word that is its own (wrappers are before)
 */
struct call {
	const struct words *words;
	struct stream in;
};

/**
 * struct option - an option of a call
 * @name:	as in the signature, "-o" or "--output"
 * @value:	its argument, or NULL
 * @role:	of @value
 */
struct option {
	const char *name;
	size_t length;
	const struct word *value;
	enum signature_role role;
};

/**
 * struct arguments - a call's words, held against its signature
 * @signature:	the subcommand's, changed by what its flags say
 * @name:	the words that name it: command and subcommands
 * @options:	in order
 * @list:	positional arguments
 * @rest:	index in @list from which all belong to a nested command;
 *		@nr: none
 */
struct arguments {
	struct signature signature;
	const struct word *name;
	const struct word *name_end;
	struct option *options;
	size_t nr_options;
	const struct word **list;
	size_t nr;
	size_t rest;
};

/* shell_parse.c */
void shell_code(struct shell *shell, const struct stretch *source);
void shell_done(struct shell *shell);
/* Code in a word or in a pipe. Result: what it prints. */
struct stream shell_nested(struct shell *shell, const struct stretch *source,
			   struct stream in);

/* shell_walk.c */
struct stream shell_walk(struct shell *shell, const struct code *code,
			 TSNode node, struct stream in);
/* What two commands print, one after the other. */
struct stream shell_both(struct shell *shell, struct stream a, struct stream b);
/* Functions that nobody called are read with unknown arguments. */
void shell_walk_uncalled(struct shell *shell);
/* Everything that is run inside of a node: substitutions. */
void shell_walk_inside(struct shell *shell, const struct code *code,
		       TSNode node);
/* variable_new() - a variable without a value, in place of one of that name;
 * NULL: there are too many */
struct variable *variable_new(struct shell *shell, const char *name,
			      size_t length);
void variable_add(struct shell *shell, struct variable *variable,
		  const struct word *value);
/* NAME=VALUE: what setting it asks for, a preloaded library for one */
void shell_assigned(struct shell *shell, const char *name, size_t length,
		    const struct word *value);

/* shell_word.c */
void shell_words(struct shell *shell, const struct code *code, TSNode node,
		 struct words *ret);
/* As one word, without splitting: values, destinations. */
struct word shell_word(struct shell *shell, const struct code *code,
		       TSNode node);
/* A here-document's text. @raw: nothing in it is expanded. */
struct word shell_text(struct shell *shell, const struct code *code,
		       TSNode node, bool raw);
struct variable *shell_variable(struct shell *shell, const char *name,
				size_t length);
struct stretch word_stretch(const struct word *word);
/* @length bytes of a word, @from on */
struct word word_part(struct shell *shell, const struct word *word, size_t from,
		      size_t length);
/* A word that stands where another one is. */
struct word word_made(struct shell *shell, const struct word *at,
		      const char *text);
bool word_is(const struct word *word, const char *text);
void words_push(struct shell *shell, struct words *words, struct word word);
/* A text as words, split at white space. */
void words_split(struct shell *shell, const struct stretch *text,
		 struct words *ret);
/* Origins of @length bytes that were made from those of [start, end). */
const size_t *origin_spread(struct shell *shell, size_t start, size_t end,
			    size_t length);
/* Where the bytes [from, to) come from. */
void stretch_span(const struct stretch *source, size_t from, size_t to,
		  size_t *ret_start, size_t *ret_end);
void word_span(const struct word *word, size_t *ret_start, size_t *ret_end);

/* shell_call.c */
struct stream shell_call(struct shell *shell, const struct words *words,
			 struct stream in);
void arguments_read(struct shell *shell, const struct words *words,
		    const struct signature *signature, struct arguments *ret);
/* One argument in its role. */
void argument_apply(struct shell *shell, const struct arguments *arguments,
		    enum signature_role role, const struct word *word,
		    const struct stream *in);
/* Words that no command begins its arguments with, but sentences do. */
bool is_prose_word(const char *text, size_t length);
bool arguments_have(const struct arguments *arguments, const char *names);
const struct word *arguments_value(const struct arguments *arguments,
				   const char *names);
/* Roles of options and positional arguments, implied requests. True: they end
 * in a command, @ret is what that prints. */
bool arguments_apply(struct shell *shell, const struct arguments *arguments,
		     const struct stream *in, struct stream *ret);
/* What may be a version or an extension of the name is cut off. */
const struct signature *command_find(const char *name);

/* shell_style.c */
/* All that a call asks for. True: @ret is what it prints. */
bool shell_style(struct shell *shell, const struct arguments *arguments,
		 const struct words *words, struct stream in,
		 struct stream *ret);

/* shell_output.c */
struct stream shell_output(struct shell *shell, const char *name,
			   const struct arguments *arguments,
			   const struct words *words, struct stream in);
struct stream stream_text(const struct stretch *text);
bool base64_decode(const char *text, size_t length, struct buffer *out);

/* shell_object.c */
const char *object_path(struct shell *shell, const char *text, size_t length);
/* A request on a file, a directory, a device or a socket. @listed: even if it
 * is an ordinary file of the project. */
void request_path(struct shell *shell, unsigned int action,
		  const struct word *word, bool directory, bool listed);
void request_object(struct shell *shell, unsigned int action, const char *path,
		    bool directory, bool listed, size_t start, size_t end);
void request_tool(struct shell *shell, const struct word *word, bool base);
/* @port 0: any */
void request_host(struct shell *shell, const char *protocol, const char *host,
		  size_t length, unsigned int port, size_t start, size_t end);
/* A URL, or a host with or without port and path. False: neither. */
bool request_url(struct shell *shell, const struct word *word,
		 unsigned int port, const char *protocol);
void request_add(struct shell *shell, unsigned int action,
		 enum resource_kind kind, const char *object, size_t start,
		 size_t end);
void shell_gap(struct shell *shell, size_t start, size_t end,
	       const char *reason, bool actionable, bool grave);
bool path_is_ordinary(const char *object);
bool path_is_outside(const char *object);
/* Has the text a scheme, "://"? Its length, 0: no. */
size_t url_scheme(const char *text, size_t length);

/* shell_code.c */
/* @language: "python", "javascript", "perl", "ruby", "php", "powershell" */
void shell_scan(struct shell *shell, const char *language,
		const struct stretch *source);

#endif /* USER_EXTRACT_SHELL_H */
