// SPDX-License-Identifier: GPL-2.0-only
/*
 * libFuzzer target for the prose reader: whatever the bytes are, it ends, each
 * request and gap lies in the text, and the same text says the same again. The
 * first line is a heading, the second leads into the rest.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "extract/segment.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The text starts somewhere in the rule. */
#define OFFSET 1000

static void fail(const char *what)
{
	fprintf(stderr, "%s\n", what);
	abort();
}

/* One stretch, in memory of its own so that the sanitizer sees its ends. */
static void segment_init(struct segment *segment, const char *text,
			 size_t length)
{
	size_t *origin = xreallocarray(NULL, length + 1, sizeof(*origin));

	for (size_t i = 0; i <= length; i++)
		origin[i] = OFFSET + i;
	*segment = (struct segment){
		.kind = SEGMENT_PROSE,
		.text = xmemdup0(text, length),
		.length = length,
		.origin = origin,
		.start = OFFSET,
		.end = OFFSET + length,
		.heading = "",
	};
}

static void segment_done(struct segment *segment)
{
	free((void *)(uintptr_t)segment->text);
	free((void *)(uintptr_t)segment->origin);
}

static void check(const struct translation *translation, size_t length)
{
	size_t end = OFFSET + length;

	for (size_t i = 0; i < translation->nr_requests; i++) {
		const struct request *request = &translation->requests[i];

		if (request->start > request->end || request->start < OFFSET ||
		    request->end > end)
			fail("a request lies outside of the text");
		if (!request->object || !*request->object)
			fail("a request without an object");
		if (request->action >= AL_NR_OPERATIONS ||
		    request->kind >= NR_RESOURCE_KINDS)
			fail("a request of no kind");
	}
	for (size_t i = 0; i < translation->nr_gaps; i++) {
		const struct gap *gap = &translation->gaps[i];

		if (gap->start > gap->end || gap->start < OFFSET ||
		    gap->end > end)
			fail("a gap lies outside of the text");
	}
}

static void check_equal(const struct translation *a,
			const struct translation *b)
{
	if (a->nr_requests != b->nr_requests || a->nr_gaps != b->nr_gaps)
		fail("the same text says something else");
	for (size_t i = 0; i < a->nr_requests; i++)
		if (strcmp(a->requests[i].object, b->requests[i].object) ||
		    a->requests[i].start != b->requests[i].start)
			fail("the same text says something else");
}

static size_t line_length(const char *text, size_t length)
{
	const char *end = memchr(text, '\n', length);

	return end ? (size_t)(end - text) : length;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct segment heading, lead, segment;
	const char *text = (const char *)data;
	struct translation *once, *again;
	size_t first, second, at;

	if (!size)
		return 0;
	first = line_length(text, size);
	second = first < size ? line_length(text + first + 1, size - first - 1)
			      : 0;
	at = first + 1 + second + 1;
	if (at > size)
		at = size;
	segment_init(&heading, text, first);
	segment_init(&lead, text + (first < size ? first + 1 : size), second);
	segment_init(&segment, text + at, size - at);
	heading.role = SEGMENT_HEADING;
	segment.role = (enum segment_role)(data[0] % 4);
	segment.under = data[0] & 8 ? &heading : NULL;
	segment.lead = data[0] & 16 ? &lead : NULL;
	once = translation_new();
	again = translation_new();
	prose_read(&segment, once);
	check(once, segment.length);
	prose_read(&segment, again);
	check_equal(once, again);
	prose_mood(&segment, segment.length);
	prose_mood(&segment, data[size - 1] % (segment.length + 1));
	segment.kind = SEGMENT_CODE;
	prose_mood(&segment, 0);
	lexicon_class(segment.text);
	translation_free(once);
	translation_free(again);
	segment_done(&heading);
	segment_done(&lead);
	segment_done(&segment);
	return 0;
}
