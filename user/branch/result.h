/* SPDX-License-Identifier: GPL-2.0-only */
/* What the oracle says, in a format that machines read. */
#ifndef USER_BRANCH_RESULT_H
#define USER_BRANCH_RESULT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/memory.h"
#include "judge/record.h"
#include "manifest/manifest.h"

enum {
	RESULT_SIZE_MAX = 4 << 20,
	RESULT_TESTS_MAX = 10000,
	RESULT_NAME_MAX = 1024, /* bytes */
	RESULT_DEPTH_MAX = 32,	/* XML elements in elements */
};

/**
 * result_parse() - the tests that a result names
 * @format:	RESULT_TAP: TAP 12 to 14; subtests and other lines do not
 *		count; a test that was skipped or is still to do has not passed.
 *		RESULT_JUNIT: XML of JUnit; a test is "classname.name", or
 *		"name" without a class; one with failure, error or skipped
 *		has not passed
 * @data:	untrusted
 * @err:	ERROR_INPUT: not a result at all, or one that contradicts itself
 *
 * A result that ends before its plan is one: the tests that are missing have
 * not passed.
 */
int result_parse(enum result_format format, const char *data, size_t length,
		 struct arena *arena, struct record_test **ret, size_t *ret_nr,
		 struct error **err);

/* result_parse_apart() - the same in an unprivileged process; needs root */
int result_parse_apart(enum result_format format, const char *data,
		       size_t length, struct arena *arena,
		       struct record_test **ret, size_t *ret_nr,
		       struct error **err);

/* result_accepted() - exactly the expected tests, each once, all passed */
bool result_accepted(const struct record_test *tests, size_t nr,
		     const char *const *expect, size_t nr_expect);

#endif /* USER_BRANCH_RESULT_H */
