// SPDX-License-Identifier: GPL-2.0-only
#include "cli/rule_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <aletheia/limits.h>

#include "base/cleanup.h"
#include "base/file.h"

int rule_file_read(const char *path, struct buffer *text, const char **ret_name,
		   struct error **err)
{
	int r;

	*ret_name = path;
	if (strcmp(path, "-") != 0)
		return file_read(AT_FDCWD, path, AL_MAX_RULE_SIZE, text, err);
	*ret_name = "<stdin>";
	r = fd_read_all(STDIN_FILENO, AL_MAX_RULE_SIZE, text);
	if (r == -EFBIG)
		return error_set(err, ERROR_INPUT, r,
				 "standard input: larger than %u bytes",
				 AL_MAX_RULE_SIZE);
	if (r)
		return error_set(err, ERROR_INPUT, r, "standard input: %s",
				 strerror(-r));
	return 0;
}
