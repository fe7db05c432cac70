/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef USER_CLI_TRANSLATE_TEXT_H
#define USER_CLI_TRANSLATE_TEXT_H

#include <stdbool.h>
#include <stdio.h>

#include "extract/extract.h"

/**
 * translate_text() - print a rule with its requests marked where they stand
 * @colour:	with escape sequences
 *
 * The rule is untrusted and escaped; of lines that are too long to read only
 * the parts that ask for something are printed.
 */
void translate_text(FILE *out, const struct translation *translation,
		    const char *rule, const char *text, size_t length,
		    bool colour);

/* request_text() - "read file ~/.ssh/id_rsa (conditional)", escaped */
void request_text(struct buffer *out, const struct request *request);

#endif /* USER_CLI_TRANSLATE_TEXT_H */
