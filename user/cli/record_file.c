// SPDX-License-Identifier: GPL-2.0-only
#include "cli/record_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "report/report.h"

/* Records hold all events of all branches. */
#define MAX_RECORD_SIZE (1u << 30)

/* Duplicate members would make what a record says a matter of who reads it. */
static int parse(const char *path, const struct buffer *text, json_t **ret,
		 struct error **err)
{
	json_error_t error;
	struct span at = { .file = path };

	*ret = json_loadb(buffer_text(text), text->length,
			  JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &error);
	if (*ret)
		return 0;
	at.start.line = error.line > 0 ? (uint32_t)error.line : 1;
	at.start.column = error.column > 0 ? (uint32_t)error.column : 1;
	at.start.offset = error.position > 0 ? (size_t)error.position : 0;
	at.end = at.start;
	return error_at(err, ERROR_INPUT, &at, NULL, 0, "not JSON: %s",
			error.text);
}

int record_file_read(const char *path, struct record **ret, struct error **err)
{
	struct buffer text cleanup_buffer = { 0 };
	json_t *json;
	int r;

	if (strcmp(path, "-") != 0) {
		r = file_read(AT_FDCWD, path, MAX_RECORD_SIZE, &text, err);
		if (r)
			return r;
	} else {
		r = fd_read_all(STDIN_FILENO, MAX_RECORD_SIZE, &text);
		if (r)
			return error_set(err, ERROR_INPUT, r,
					 "standard input: %s", strerror(-r));
	}
	r = parse(path, &text, &json, err);
	if (r)
		return r;
	r = record_from_json(json, ret, err);
	json_decref(json);
	return r;
}
