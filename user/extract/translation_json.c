// SPDX-License-Identifier: GPL-2.0-only
#include "extract.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"

/* Names are bytes; what is no UTF-8 is escaped. */
static json_t *text_to_json(const char *text)
{
	struct buffer escaped cleanup_buffer = { 0 };

	if (!text)
		return json_null();
	if (text_is_utf8(text, strlen(text)))
		return json_string(text);
	text_escape(&escaped, text, strlen(text));
	return json_string(buffer_text(&escaped));
}

static json_t *places_to_json(const struct request *request)
{
	json_t *list = json_array();

	for (size_t i = 0; i < request->nr_places; i++)
		json_array_append_new(
			list, json_pack("[I, I]",
					(json_int_t)request->places[i].start,
					(json_int_t)request->places[i].end));
	return list;
}

static json_t *request_to_json(const struct request *request)
{
	json_t *class_ =
		request->class_ == CLASS_ANY
			? json_null()
			: json_string(resource_class_word(request->class_));

	return json_pack("{s:s, s:s, s:o, s:o, s:I, s:I, s:o, s:b, s:b, s:o}",
			 "action", operation_word(request->action), "kind",
			 resource_kind_word(request->kind), "object",
			 text_to_json(request->object), "class", class_,
			 "start", (json_int_t)request->start, "end",
			 (json_int_t)request->end, "places",
			 places_to_json(request), "conditional",
			 request->conditional, "base", request->base, "hidden",
			 text_to_json(request->hidden));
}

static json_t *gap_to_json(const struct gap *gap)
{
	return json_pack("{s:I, s:I, s:s, s:b, s:b}", "start",
			 (json_int_t)gap->start, "end", (json_int_t)gap->end,
			 "reason", gap->reason, "actionable", gap->actionable,
			 "grave", gap->grave);
}

json_t *translation_to_json(const struct translation *translation,
			    const char *rule, const char *text, size_t length)
{
	struct digest digest = digest_of(text, length);
	json_t *requests = json_array(), *gaps = json_array();
	char hex[DIGEST_HEX];

	digest_hex(&digest, hex);
	for (size_t i = 0; i < translation->nr_requests; i++)
		json_array_append_new(
			requests, request_to_json(&translation->requests[i]));
	for (size_t i = 0; i < translation->nr_gaps; i++)
		json_array_append_new(gaps, gap_to_json(&translation->gaps[i]));
	return json_pack("{s:o, s:s, s:s, s:o, s:o, s:{s:I, s:I}, s:b}", "rule",
			 text_to_json(rule), "sha256", hex, "translator",
			 "builtin", "requests", requests, "not_understood",
			 gaps, "bytes", "actionable",
			 (json_int_t)translation->actionable, "not_understood",
			 (json_int_t)translation->unmapped, "unresolved",
			 translation_unresolved(translation));
}
