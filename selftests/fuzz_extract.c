// SPDX-License-Identifier: GPL-2.0-only
/*
 * libFuzzer target for the whole translator: whatever the bytes are, it ends,
 * everything it says lies in the rule, and what it found becomes a program of
 * the rule. The first byte chooses the name of the rule.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "extract/structure.h"
#include "extract_support.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void fail(const char *what)
{
	fprintf(stderr, "%s\n", what);
	abort();
}

static void check_segments(const char *text, size_t length)
{
	struct arena *arena cleanup_arena = arena_new();
	struct segments segments = { 0 };
	const char *fault;

	structure_find(arena, "rule", text, length, &segments);
	hidden_find(arena, text, length, &segments);
	fault = segments_fault(&segments, text, length);
	if (fault)
		fail(fault);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const names[] = { "AGENTS.md", "SKILL.md", "x.sh",
					     "x.py", "x.ps1" };
	struct translation *translation cleanup_translation = NULL;
	struct error *err cleanup_error = NULL;
	/* A copy of its own, so that a byte too many is noticed. */
	char *text cleanup_free = NULL;
	const char *fault;
	json_t *json;

	if (!size)
		return 0;
	text = xreallocarray(NULL, size, 1);
	memcpy(text, data + 1, size - 1);
	check_segments(text, size - 1);
	if (extract_rule(names[*data % ARRAY_SIZE(names)], text, size - 1,
			 &translation, &err))
		fail("a small rule is an error");
	fault = translation_fault(translation, text, size - 1);
	if (fault)
		fail(fault);
	json = translation_to_json(translation, "rule", text, size - 1);
	if (!json)
		fail("there is no JSON");
	json_decref(json);
	return 0;
}
