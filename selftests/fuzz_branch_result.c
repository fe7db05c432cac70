// SPDX-License-Identifier: GPL-2.0-only
/*
 * libFuzzer target for what an oracle says: the first byte chooses the format.
 * Whatever follows, the parser ends; what it yields is bounded, and a result
 * that names nothing is never accepted.
 */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "branch/result.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const expect[] = { "a" };
	struct arena *arena cleanup_arena = arena_new();
	struct error *err cleanup_error = NULL;
	struct record_test *tests = NULL;
	size_t nr = 0, i;
	int code;

	if (!size)
		return 0;
	code = result_parse(data[0] & 1 ? RESULT_JUNIT : RESULT_TAP,
			    (const char *)data + 1, size - 1, arena, &tests,
			    &nr, &err);
	if (!code != !err || (code && nr) || nr > RESULT_TESTS_MAX)
		abort();
	for (i = 0; i < nr; i++)
		if (strlen(tests[i].name) > RESULT_NAME_MAX + 1)
			abort();
	if (result_accepted(tests, nr, expect, 1) &&
	    (nr != 1 || !tests[0].passed || strcmp(tests[0].name, "a")))
		abort();
	return 0;
}
