// SPDX-License-Identifier: GPL-2.0-only
/*
 * libFuzzer target for what arrives at a sink: archives, encodings and neither.
 * What is found in bytes is found in more bytes, too.
 */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "branch/canary.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct canary canaries[] = {
		{ .resource = "a",
		  .token = "Canary7f3a9c01d2e4b58697a0c1d2e3" },
		{ .resource = "b", .token = "0123456789abcdef" },
	};
	struct buffer more cleanup_buffer = { 0 };
	bool found[2] = { false, false };
	bool plain[2] = { false, false };
	bool again[2] = { false, false };

	canary_search(canaries, 2, (const char *)data, size, found);
	canary_search_plain(canaries, 2, (const char *)data, size, plain);
	buffer_adds(&more, "<>");
	buffer_add(&more, data, size);
	buffer_adds(&more, "<>");
	canary_search_plain(canaries, 2, more.data, more.length, again);
	if ((plain[0] && !found[0]) || (plain[1] && !found[1]))
		abort();
	/* Percent signs and digits at the edges do not matter here. */
	if ((plain[0] && !again[0]) || (plain[1] && !again[1]))
		abort();
	return 0;
}
