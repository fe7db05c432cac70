/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Errors are values. A function that can fail returns 0 or -errno and, as its
 * last parameter, takes a place for a list of diagnostics: each with a kind,
 * a position in some input, a message, a hint and what caused it. A function
 * either handles an error or hands it on; only user/cli prints one.
 */
#ifndef USER_BASE_ERROR_H
#define USER_BASE_ERROR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What an error means to the one who called; the value is the exit status. */
enum error_kind {
	ERROR_USAGE = 64,      /* the command line is wrong */
	ERROR_INPUT = 65,      /* a file's content is wrong */
	ERROR_MACHINE = 69,    /* this machine cannot do it */
	ERROR_INTERNAL = 70,   /* Aletheia or the guard failed */
	ERROR_PERMISSION = 77, /* not allowed to this user */
	ERROR_CONFIG = 78,     /* task, setup or machine set up wrongly */
};

/* A place in an input: 1-based line and byte column, 0-based byte offset. */
struct position {
	uint32_t line;
	uint32_t column;
	size_t offset;
};

/* A stretch of an input, @end exclusive. @file is borrowed; NULL: nowhere. */
struct span {
	const char *file;
	struct position start;
	struct position end;
};

/**
 * struct error - one diagnostic of a list
 * @kind:	what it means to the caller
 * @code:	-errno of the same failure
 * @at:		where in an input; at.file NULL: nowhere (owned copy)
 * @line:	the source line of @at, escaped by the printer; may be NULL
 * @line_column: byte column of the first byte of @line: 1, or more where the
 *		line is long and only what is near @at was kept
 * @message:	what is wrong, one line
 * @hint:	what to do about it, or NULL
 * @cause:	the error below it, or NULL
 * @next:	the next diagnostic of the same input, or NULL
 */
struct error {
	enum error_kind kind;
	int code;
	struct span at;
	char *line;
	uint32_t line_column;
	char *message;
	char *hint;
	struct error *cause;
	struct error *next;
};

/**
 * error_set() - append a diagnostic without a position
 * @err:	list to append to; may be NULL (then only the code is returned)
 * @kind:	its kind
 * @code:	-errno (a positive value is negated)
 * @format:	printf format of the message; %s arguments may be untrusted,
 *		the printer escapes them
 *
 * Return: @code as -errno, so that callers can write "return error_set(...)".
 */
int error_set(struct error **err, enum error_kind kind, int code,
	      const char *format, ...) __attribute__((format(printf, 4, 5)));

/**
 * error_at() - append a diagnostic at a place of an input
 * @err:	list to append to; may be NULL
 * @kind:	its kind
 * @at:		the place; copied
 * @text:	the whole input, to quote the line from, or NULL
 * @length:	bytes of @text
 * @format:	printf format of the message
 *
 * Return: -EINVAL. At most AL_MAX_ERRORS diagnostics are kept per list; the
 * last one then says that more were left out.
 */
int error_at(struct error **err, enum error_kind kind, const struct span *at,
	     const char *text, size_t length, const char *format, ...)
	__attribute__((format(printf, 6, 7)));

/* error_hint() - set the hint of the newest diagnostic of a list */
void error_hint(struct error **err, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/**
 * error_wrap() - make a new diagnostic whose cause is the present list
 *
 * Return: the code of the first cause, or @code if there was none.
 */
int error_wrap(struct error **err, enum error_kind kind, int code,
	       const char *format, ...) __attribute__((format(printf, 4, 5)));

/* error_kind_of() - kind of the first diagnostic, ERROR_INTERNAL if none */
enum error_kind error_kind_of(const struct error *err);

/* error_move() - append all of @from to @to and empty @from */
void error_move(struct error **to, struct error **from);

void error_free(struct error *err);

static inline void error_done(struct error **err)
{
	error_free(*err);
	*err = NULL;
}

#define cleanup_error __attribute__((__cleanup__(error_done)))

#endif /* USER_BASE_ERROR_H */
