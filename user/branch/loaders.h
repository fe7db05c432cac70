/* SPDX-License-Identifier: GPL-2.0-only */
/* Files that a test runner loads by itself; see loaders.txt. */
#ifndef USER_BRANCH_LOADERS_H
#define USER_BRANCH_LOADERS_H

#include <stdbool.h>

#include "base/error.h"

/* loaders_match() - is this the name of one? */
bool loaders_match(const char *name);

/**
 * loaders_restore() - undo what was done to them
 * @workspace:	the project as the agent left it
 * @original:	as it was
 * @solution:	of the task, -1: none
 * @notes:	the path of each is written here, with a zero behind it
 */
int loaders_restore(int workspace, int original, int solution, int notes,
		    struct error **err);

#endif /* USER_BRANCH_LOADERS_H */
