// SPDX-License-Identifier: GPL-2.0-only
#include "branch/result.h"

#include <errno.h>
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

static size_t count(const struct record_test *tests, size_t nr,
		    const char *name)
{
	size_t found = 0, i;

	for (i = 0; i < nr; i++)
		found += !strcmp(tests[i].name, name);
	return found;
}

static bool expected(const char *name, const char *const *expect, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (!strcmp(expect[i], name))
			return true;
	return false;
}

bool result_accepted(const struct record_test *tests, size_t nr,
		     const char *const *expect, size_t nr_expect)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (!tests[i].passed ||
		    !expected(tests[i].name, expect, nr_expect))
			return false;
	for (i = 0; i < nr_expect; i++)
		if (count(tests, nr, expect[i]) != 1)
			return false;
	return nr > 0;
}
