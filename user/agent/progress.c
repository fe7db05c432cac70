// SPDX-License-Identifier: GPL-2.0-only
#include "progress.h"

#include <unistd.h>

#include "base/file.h"
#include "base/text.h"

static int append(const char *data, size_t size, void *out)
{
	buffer_add(out, data, size);
	return 0;
}

void progress(json_t *event)
{
	struct buffer line cleanup_buffer = { 0 };

	if (event && !json_dump_callback(event, append, &line, JSON_COMPACT)) {
		buffer_addc(&line, '\n');
		(void)fd_write_all(STDOUT_FILENO, line.data, line.length);
	}
	json_decref(event);
}

json_t *progress_text(const char *data, size_t length)
{
	struct buffer text cleanup_buffer = { 0 };

	text_escape(&text, data, length);
	return json_stringn(buffer_text(&text), text.length);
}
