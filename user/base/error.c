// SPDX-License-Identifier: GPL-2.0-only
#include "error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <aletheia/limits.h>

#include "memory.h"

static struct error **list_end(struct error **err, unsigned int *nr)
{
	for (*nr = 0; *err; (*nr)++)
		err = &(*err)->next;
	return err;
}

static struct error *append(struct error **err, enum error_kind kind, int code,
			    char *message)
{
	struct error *error = xzalloc(sizeof(*error));
	unsigned int nr;

	*list_end(err, &nr) = error;
	error->kind = kind;
	error->code = code > 0 ? -code : code;
	error->message = message;
	return error;
}

int error_set(struct error **err, enum error_kind kind, int code,
	      const char *format, ...)
{
	va_list args;

	if (err) {
		va_start(args, format);
		append(err, kind, code, xvasprintf(format, args));
		va_end(args);
	}
	return code > 0 ? -code : code;
}

/* Bytes of a quoted line on either side of the place. */
#define QUOTE_SIZE 400

/* The line of text that holds an offset, bounded so that one can print it. */
static char *source_line(const char *text, size_t length, size_t offset,
			 size_t *ret_start)
{
	size_t start = offset, end = offset;

	if (!text || offset > length)
		return NULL;
	while (start > 0 && text[start - 1] != '\n' &&
	       offset - start < QUOTE_SIZE)
		start--;
	while (end < length && text[end] != '\n' && end - offset < QUOTE_SIZE)
		end++;
	*ret_start = start;
	return xmemdup0(text + start, end - start);
}

int error_at(struct error **err, enum error_kind kind, const struct span *at,
	     const char *text, size_t length, const char *format, ...)
{
	struct error *error;
	unsigned int nr;
	va_list args;
	size_t start;

	if (!err)
		return -EINVAL;
	list_end(err, &nr);
	if (nr > AL_MAX_ERRORS)
		return -EINVAL;
	if (nr == AL_MAX_ERRORS) {
		append(err, kind, EINVAL, xstrdup("too many errors; the rest is left out"));
		return -EINVAL;
	}
	va_start(args, format);
	error = append(err, kind, EINVAL, xvasprintf(format, args));
	va_end(args);
	error->at = *at;
	error->at.file = xstrdup(at->file ? at->file : "-");
	error->line = source_line(text, length, at->start.offset, &start);
	error->line_column = 1;
	if (error->line && at->start.column > at->start.offset - start)
		error->line_column =
			at->start.column - (uint32_t)(at->start.offset - start);
	return -EINVAL;
}

void error_hint(struct error **err, const char *format, ...)
{
	va_list args;

	if (!err || !*err)
		return;
	while ((*err)->next)
		err = &(*err)->next;
	va_start(args, format);
	free((*err)->hint);
	(*err)->hint = xvasprintf(format, args);
	va_end(args);
}

int error_wrap(struct error **err, enum error_kind kind, int code,
	       const char *format, ...)
{
	struct error *cause;
	va_list args;

	if (!err)
		return code > 0 ? -code : code;
	cause = *err;
	*err = NULL;
	va_start(args, format);
	append(err, kind, cause ? cause->code : code, xvasprintf(format, args));
	va_end(args);
	(*err)->cause = cause;
	return (*err)->code;
}

enum error_kind error_kind_of(const struct error *err)
{
	return err ? err->kind : ERROR_INTERNAL;
}

void error_move(struct error **to, struct error **from)
{
	unsigned int nr;

	*list_end(to, &nr) = *from;
	*from = NULL;
}

void error_free(struct error *err)
{
	while (err) {
		struct error *next = err->next;

		error_free(err->cause);
		free((char *)err->at.file);
		free(err->line);
		free(err->message);
		free(err->hint);
		free(err);
		err = next;
	}
}
