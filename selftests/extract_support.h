/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SELFTESTS_EXTRACT_SUPPORT_H
#define SELFTESTS_EXTRACT_SUPPORT_H

#include "extract/extract.h"
#include "extract/segment.h"

/* A line per segment: kind, language, how it hides, text, what leads into it. */
void segments_print(const struct segments *segments, struct buffer *out);

/*
 * What is wrong with places, NULL: nothing. Origins ascend, lie in the rule,
 * and each letter of a text that nobody decoded stands where they say.
 */
const char *segments_fault(const struct segments *segments, const char *text,
			   size_t length);

/* "read file ~/x ? {html-comment}" a line; gaps as "gap REASON!" */
void translation_print(const struct translation *translation,
		       struct buffer *out);

/*
 * What is wrong with a translation, NULL: nothing. Places lie in the rule and
 * are in order; it becomes a program that survives printing and is of the rule.
 */
const char *translation_fault(const struct translation *translation,
			      const char *text, size_t length);

/* @head, then @piece until there are @size bytes, then @tail. */
void fill(struct buffer *text, const char *head, const char *piece,
	  const char *tail, size_t size);

/*
 * cases_run() - for each folder of selftests/data/@set: its file "rule", and
 * its file @expected
 *
 * Return: how many there are.
 */
unsigned int cases_run(const char *set, const char *expected,
		       void (*run)(const char *name, const struct buffer *rule,
				   const struct buffer *expected));

#endif /* SELFTESTS_EXTRACT_SUPPORT_H */
