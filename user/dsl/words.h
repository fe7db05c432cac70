/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The closed vocabularies of SystemDSL, in one shape, so that each of them has
 * the same look-up and the same "did you mean".
 */
#ifndef USER_DSL_WORDS_H
#define USER_DSL_WORDS_H

#include <stddef.h>

#include "base/memory.h"

struct words {
	const char *const *list;
	size_t nr;
};

extern const struct words operation_words;
extern const struct words kind_words;
extern const struct words origin_words;
extern const struct words class_words;
extern const struct words facility_words; /* of kernel resources */
extern const struct words except_words;	  /* shipped tables */

/* words_find() - position of @word, -1: it is not one of them */
int words_find(const struct words *words, const char *word);

/* words_nearest() - the one that @word seems to mean, or NULL */
const char *words_nearest(const struct words *words, const char *word);

/* words_text() - "a, b, c" */
const char *words_text(struct arena *arena, const struct words *words);

/* word_distance() - edits (a swap is one) between words, or @limit if more */
unsigned int word_distance(const char *a, const char *b, unsigned int limit);

#endif /* USER_DSL_WORDS_H */
