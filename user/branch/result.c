// SPDX-License-Identifier: GPL-2.0-only
#include "branch/result.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "branch/result_junit.h"
#include "branch/result_tap.h"

int result_parse(enum result_format format, const char *data, size_t length,
		 struct arena *arena, struct record_test **ret, size_t *ret_nr,
		 struct error **err)
{
	if (length > RESULT_SIZE_MAX)
		return error_set(err, ERROR_INPUT, EFBIG,
				 "the result is larger than %d bytes",
				 RESULT_SIZE_MAX);
	return format == RESULT_JUNIT
		       ? junit_parse(data, length, arena, ret, ret_nr, err)
		       : tap_parse(data, length, arena, ret, ret_nr, err);
}

bool result_accepted(const struct record_test *tests, size_t nr,
		     const char *const *expect, size_t nr_expect)
{
	size_t i, j;

	if (nr != nr_expect || !nr)
		return false;
	/* As many as expected, and each expected one once: the same set. */
	for (i = 0; i < nr_expect; i++) {
		size_t found = 0;

		for (j = 0; j < nr; j++)
			if (!strcmp(tests[j].name, expect[i])) {
				if (!tests[j].passed)
					return false;
				found++;
			}
		if (found != 1)
			return false;
	}
	return true;
}
