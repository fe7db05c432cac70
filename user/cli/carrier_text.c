// SPDX-License-Identifier: GPL-2.0-only
#include "cli/carrier_text.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"

#define SHOWN_AGENTS 3

static void agents_text(struct buffer *out, const struct carrier *carrier,
			bool all)
{
	size_t nr = 0, i;

	while (carrier->agents[nr])
		nr++;
	for (i = 0; i < nr; i++) {
		if (!all && i == SHOWN_AGENTS && nr > SHOWN_AGENTS + 1) {
			buffer_printf(out, " and %zu more", nr - i);
			return;
		}
		buffer_printf(out, "%s%s", i ? ", " : "", carrier->agents[i]);
	}
}

void carrier_text(struct buffer *out, const struct carriers *carriers,
		  const struct carrier *carrier, bool all)
{
	buffer_adds(out, carrier_kind_word(carrier->kind));
	if (carrier->from == SIZE_MAX) {
		buffer_adds(out, ": ");
		agents_text(out, carrier, all);
	} else {
		const char *from = carriers->list[carrier->from].path;

		buffer_adds(out, " of ");
		text_escape(out, from, strlen(from));
		if (carrier->line)
			buffer_printf(out, ", line %u", carrier->line);
	}
	if (carrier->outside)
		buffer_adds(out, ", outside of the project");
}

unsigned int carrier_depth(const struct carriers *carriers,
			   const struct carrier *carrier)
{
	unsigned int depth = 0;

	for (; carrier->from != SIZE_MAX;
	     carrier = &carriers->list[carrier->from])
		depth++;
	return depth;
}

static json_t *path_to_json(const char *path)
{
	struct buffer escaped cleanup_buffer = { 0 };

	if (text_is_utf8(path, strlen(path)))
		return json_string(path);
	text_escape(&escaped, path, strlen(path));
	return json_string(buffer_text(&escaped));
}

json_t *carrier_to_json(const struct carriers *carriers,
			const struct carrier *carrier)
{
	json_t *agents = json_array();
	json_t *from =
		carrier->from == SIZE_MAX
			? json_null()
			: path_to_json(carriers->list[carrier->from].path);

	for (size_t i = 0; carrier->agents[i]; i++)
		json_array_append_new(agents, json_string(carrier->agents[i]));
	return json_pack("{s:o, s:s, s:o, s:o, s:I, s:b}", "path",
			 path_to_json(carrier->path), "kind",
			 carrier_kind_word(carrier->kind), "agents", agents,
			 "from", from, "line", (json_int_t)carrier->line,
			 "outside", carrier->outside);
}
