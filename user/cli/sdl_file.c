// SPDX-License-Identifier: GPL-2.0-only
#include "cli/sdl_file.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <aletheia/limits.h>

#include "base/cleanup.h"
#include "base/file.h"

static int read_input(struct buffer *text, struct error **err)
{
	struct buffer content cleanup_buffer = { 0 };
	int r = fd_read_all(STDIN_FILENO, AL_MAX_SDL_SIZE, &content);

	if (r == -EFBIG)
		return error_set(err, ERROR_INPUT, r,
				 "standard input: larger than %u bytes",
				 AL_MAX_SDL_SIZE);
	if (r)
		return error_set(err, ERROR_INPUT, r, "standard input: %s",
				 strerror(-r));
	buffer_done(text);
	*text = content;
	content = (struct buffer){ 0 };
	return 0;
}

int sdl_file_read(const char *path, struct buffer *text, struct program **ret,
		  struct error **err)
{
	bool input = !strcmp(path, "-");
	int r = input ? read_input(text, err)
		      : file_read(AT_FDCWD, path, AL_MAX_SDL_SIZE, text, err);

	if (r)
		return r;
	return program_parse(input ? "<stdin>" : path, buffer_text(text),
			     text->length, ret, err);
}
