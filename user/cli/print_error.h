/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef USER_CLI_PRINT_ERROR_H
#define USER_CLI_PRINT_ERROR_H

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"

/**
 * error_print() - print a list of errors for a person
 * @out:	where to
 * @err:	the list; NULL prints nothing
 * @colour:	with escape sequences
 *
 * For each: "file:line:column: message", the source line with a caret below
 * the place, the hint, and what caused it, indented. All of it may come from
 * inputs, so all of it is escaped.
 */
void error_print(FILE *out, const struct error *err, bool colour);

#endif /* USER_CLI_PRINT_ERROR_H */
