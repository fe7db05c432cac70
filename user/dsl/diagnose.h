/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * All errors of a text in one run, in order. The passes over a program each
 * find theirs in their own order, so they are collected here and sorted.
 */
#ifndef USER_DSL_DIAGNOSE_H
#define USER_DSL_DIAGNOSE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "program.h"

/**
 * struct diagnostics - the errors of a program's sources
 * @program:	whose sources are quoted from; its arena holds the text of
 *		messages until they are copied
 * @list:	the errors
 * @nr:		how many
 * @muted:	the last complaint was about something that is already in the
 *		list, and so are its hints
 * @full:	no more are kept, so that no more need be looked for
 */
struct diagnostics {
	const struct program *program;
	struct error *list;
	unsigned int nr;
	bool muted;
	bool full;
};

/* complain() - one more error; always false, for "return complain(...)" */
bool complain(struct diagnostics *diagnostics, const struct span *at,
	      const char *format, ...) __attribute__((format(printf, 3, 4)));

/* complain_hint() - what to do about the last one; always false */
bool complain_hint(struct diagnostics *diagnostics, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/**
 * diagnostics_end() - hand the errors over, in the order of the sources
 *
 * Return: 0 when there are none, else -EINVAL.
 */
int diagnostics_end(struct diagnostics *diagnostics, struct error **err);

/* quoted() - bytes of the input in a message: in quotes, not too long */
const char *quoted(const struct diagnostics *diagnostics, const char *text);

#endif /* USER_DSL_DIAGNOSE_H */
