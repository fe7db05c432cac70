// SPDX-License-Identifier: GPL-2.0-only
#include "diagnose.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <aletheia/limits.h>

#include "base/cleanup.h"

/* Bytes of the input in one message. */
#define QUOTED_SIZE 60

/* Spans of a program share the name of their source, so pointers tell. */
static size_t source_index(const struct program *program, const char *file)
{
	size_t i;

	for (i = 0; i < program->nr_sources; i++)
		if (program->sources[i].file == file)
			break;
	return i;
}

bool complain(struct diagnostics *diagnostics, const struct span *at,
	      const char *format, ...)
{
	const struct program *program = diagnostics->program;
	size_t i = source_index(program, at->file);
	char *message cleanup_free = NULL;
	va_list args;

	diagnostics->muted = false;
	if (diagnostics->full)
		return false;
	diagnostics->full = ++diagnostics->nr > AL_MAX_ERRORS;
	va_start(args, format);
	message = xvasprintf(format, args);
	va_end(args);
	error_at(&diagnostics->list, ERROR_INPUT, at,
		 i < program->nr_sources ? program->sources[i].text : NULL,
		 i < program->nr_sources ? program->sources[i].length : 0, "%s",
		 message);
	return false;
}

bool complain_hint(struct diagnostics *diagnostics, const char *format, ...)
{
	char *hint cleanup_free = NULL;
	va_list args;

	if (diagnostics->full || diagnostics->muted)
		return false;
	va_start(args, format);
	hint = xvasprintf(format, args);
	va_end(args);
	error_hint(&diagnostics->list, "%s", hint);
	return false;
}

struct ranked {
	struct error *error;
	size_t source;
	size_t nr;
};

static int ranked_compare(const void *left, const void *right)
{
	const struct ranked *a = left, *b = right;
	size_t from_a = a->error->at.start.offset;
	size_t from_b = b->error->at.start.offset;

	if (a->source != b->source)
		return a->source < b->source ? -1 : 1;
	if (from_a != from_b)
		return from_a < from_b ? -1 : 1;
	return a->nr < b->nr ? -1 : 1;
}

/* The errors hold copies of their file's name, so here its text tells. */
static size_t source_rank(const struct program *program,
			  const struct error *error)
{
	size_t i;

	/* "too many errors" has no place and stays the last. */
	if (!error->at.file)
		return SIZE_MAX;
	for (i = 0; i < program->nr_sources; i++)
		if (!strcmp(program->sources[i].file, error->at.file))
			break;
	return i;
}

static void sort(struct diagnostics *diagnostics)
{
	struct ranked ranked[AL_MAX_ERRORS + 1];
	struct error *error, **tail = &diagnostics->list;
	size_t nr = 0, i;

	for (error = diagnostics->list; error; error = error->next, nr++) {
		ranked[nr].error = error;
		ranked[nr].source = source_rank(diagnostics->program, error);
		ranked[nr].nr = nr;
	}
	if (!nr)
		return;
	qsort(ranked, nr, sizeof(ranked[0]), ranked_compare);
	for (i = 0; i < nr; i++) {
		*tail = ranked[i].error;
		tail = &ranked[i].error->next;
	}
	*tail = NULL;
}

int diagnostics_end(struct diagnostics *diagnostics, struct error **err)
{
	if (!diagnostics->list)
		return 0;
	sort(diagnostics);
	if (err)
		error_move(err, &diagnostics->list);
	error_done(&diagnostics->list);
	return -EINVAL;
}

const char *quoted(const struct diagnostics *diagnostics, const char *text)
{
	size_t length = strnlen(text, QUOTED_SIZE + 1);

	if (length <= QUOTED_SIZE)
		return arena_printf(diagnostics->program->arena, "\"%s\"",
				    text);
	return arena_printf(diagnostics->program->arena, "\"%.*s...\"",
			    QUOTED_SIZE, text);
}
