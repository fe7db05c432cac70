// SPDX-License-Identifier: GPL-2.0-only
#include "cli/error_json.h"

#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "judge/record.h"

static json_t *text_to_json(const char *text)
{
	struct buffer escaped cleanup_buffer = { 0 };

	if (!text)
		return json_null();
	text_escape(&escaped, text, strlen(text));
	return json_string(buffer_text(&escaped));
}

static json_t *position_to_json(const struct position *position)
{
	return json_pack("{s:I, s:I, s:I}", "line", (json_int_t)position->line,
			 "column", (json_int_t)position->column, "byte",
			 (json_int_t)position->offset);
}

static json_t *list_to_json(const struct error *err)
{
	json_t *list = json_array();

	for (; err; err = err->next) {
		json_t *entry = json_pack("{s:i, s:o, s:o, s:o}", "status",
					  (int)err->kind, "message",
					  text_to_json(err->message), "hint",
					  text_to_json(err->hint), "causes",
					  list_to_json(err->cause));

		if (err->at.file) {
			json_object_set_new(entry, "file",
					    text_to_json(err->at.file));
			json_object_set_new(entry, "start",
					    position_to_json(&err->at.start));
			json_object_set_new(entry, "end",
					    position_to_json(&err->at.end));
		}
		json_array_append_new(list, entry);
	}
	return list;
}

json_t *errors_to_json(const struct error *err)
{
	return json_pack("{s:s, s:s, s:i, s:o}", "verdict", "error", "version",
			 AL_VERSION, "format", RECORD_VERSION, "errors",
			 list_to_json(err));
}
