/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * libFuzzer target for the shell reader: whatever the bytes are, it ends, and
 * each request and gap lies in the text.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "extract/segment.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The block starts somewhere in the rule. */
#define OFFSET 1000

static void fail(const char *what)
{
	fprintf(stderr, "%s\n", what);
	abort();
}

static void check(const struct translation *translation, size_t length)
{
	size_t end = OFFSET + length;

	for (size_t i = 0; i < translation->nr_requests; i++) {
		const struct request *request = &translation->requests[i];

		if (request->start > request->end || request->end > end)
			fail("a request lies outside of the text");
		if (!request->object || !*request->object)
			fail("a request without an object");
		if (request->action >= AL_NR_OPERATIONS ||
		    request->kind >= NR_RESOURCE_KINDS)
			fail("a request of no kind");
	}
	for (size_t i = 0; i < translation->nr_gaps; i++) {
		const struct gap *gap = &translation->gaps[i];

		if (gap->start > gap->end || gap->end > end)
			fail("a gap lies outside of the text");
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const languages[] = { "sh",	      "console", NULL,
						 "python",    "perl",	 "js",
						 "powershell" };
	struct translation *translation = translation_new();
	struct mood mood = { .request = true, .run = true };
	struct segment segment = { .kind = SEGMENT_CODE, .heading = "" };
	size_t *origin, length;
	char *text;

	if (!size) {
		translation_free(translation);
		return 0;
	}
	length = size - 1;
	segment.language =
		languages[data[0] % (sizeof(languages) / sizeof(*languages))];
	text = xmemdup0(data + 1, length);
	origin = xreallocarray(NULL, length + 1, sizeof(*origin));
	for (size_t i = 0; i <= length; i++)
		origin[i] = OFFSET + i;
	segment.text = text;
	segment.length = length;
	segment.origin = origin;
	segment.start = OFFSET;
	segment.end = OFFSET + length;
	shell_read(&segment, 0, 0, mood, translation);
	check(translation, length);
	shell_looks_like_command(text, length);
	translation_free(translation);
	free(origin);
	free(text);
	return 0;
}
