/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef USER_INTERPRET_UNTESTED_H
#define USER_INTERPRET_UNTESTED_H

#include "dsl/program.h"
#include "interpret/interpret.h"

/**
 * interpret_untested() - what would be asked about each grant of a program if a
 * test found it dispensable
 *
 * Nothing is bound and nothing ran: objects are what the selectors say, and no
 * canary arrived anywhere.
 *
 * Return: a record with one witness for each grant, in order, whose findings
 * are those questions; it has no verdict.
 */
int interpret_untested(const struct program *program,
		       const struct reasons *reasons, struct record **ret,
		       struct error **err);

#endif /* USER_INTERPRET_UNTESTED_H */
