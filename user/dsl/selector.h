/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef USER_DSL_SELECTOR_H
#define USER_DSL_SELECTOR_H

#include "program.h"

/**
 * struct fault - what is wrong with a selector
 * @message:	NULL: nothing
 * @hint:	what to write instead, or NULL
 */
struct fault {
	const char *message;
	const char *hint;
};

/*
 * selector_fault() - does a selector denote something of its kind, within its
 * origin, and is it written in the one way that it can be?
 */
struct fault selector_fault(struct arena *arena,
			    const struct selector *selector);

/*
 * path_fault() - of a path that must not leave @base ("the workspace"), which
 * it is relative to
 */
struct fault path_fault(struct arena *arena, const char *path,
			const char *base);

/* selector_equal() - do two selectors say the same? */
bool selector_equal(const struct selector *a, const struct selector *b);

#endif /* USER_DSL_SELECTOR_H */
