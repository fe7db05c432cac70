// SPDX-License-Identifier: GPL-2.0-only
/*
 * aletheia fmt - print SystemDSL canonically
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/print_error.h"
#include "cli/sdl_file.h"

/* Exit status of --check where a file is not canonical. */
#define NOT_CANONICAL 1

struct options {
	struct common common;
	bool write;
	bool check;
};

/* A symbolic link stays one: what it points to is replaced. */
static int replace(const char *path, const struct buffer *text,
		   struct error **err)
{
	char *real cleanup_free = realpath(path, NULL);
	struct stat st;

	if (!real || stat(real, &st))
		return error_set(err, ERROR_CONFIG, errno, "%s: %s", path,
				 strerror(errno));
	return file_write_atomic(real, text->data, text->length,
				 st.st_mode & 07777, err);
}

static void say_not_canonical(const char *path)
{
	struct buffer name cleanup_buffer = { 0 };

	text_escape(&name, path, strlen(path));
	printf("%s: not canonical\n", buffer_text(&name));
}

static int format_file(const char *path, const struct options *options)
{
	struct program *program cleanup_program = NULL;
	struct buffer text cleanup_buffer = { 0 };
	struct buffer canonical cleanup_buffer = { 0 };
	struct error *err = NULL;
	bool same;

	if (sdl_file_read(path, &text, &program, &err))
		return fail(&err);
	program_format(program, &canonical);
	same = text.length == canonical.length &&
	       !memcmp(text.data, canonical.data, text.length);
	if (options->check) {
		if (!same && !options->common.quiet)
			say_not_canonical(path);
		return same ? 0 : NOT_CANONICAL;
	}
	if (!options->write) {
		fwrite(canonical.data, 1, canonical.length, stdout);
		return 0;
	}
	if (!same && replace(path, &canonical, &err))
		return fail(&err);
	return 0;
}

/* An error is worse than a file that is not canonical. */
static int worse(int a, int b)
{
	if (a >= ERROR_USAGE || b >= ERROR_USAGE)
		return a >= ERROR_USAGE ? a : b;
	return a > b ? a : b;
}

int command_fmt(int argc, char **argv)
{
	static const struct option long_options[] = {
		COMMON_OPTIONS,
		{ "write", no_argument, NULL, 'w' },
		{ "check", no_argument, NULL, 'c' },
		{ NULL, 0, NULL, 0 },
	};
	struct options options = { 0 };
	int option, status = 0, i;

	while ((option = getopt_long(argc, argv, COMMON_SHORT "w", long_options,
				     NULL)) != -1) {
		if (common_option(option, &options.common)) {
			if (options.common.done)
				return options.common.status;
		} else if (option == 'w') {
			options.write = true;
		} else {
			options.check = true;
		}
	}
	if (options.write && options.check)
		return usage_error("either --write or --check");
	if (optind == argc)
		return usage_error("no file to format (\"-\" is standard "
				   "input)");
	for (i = optind; i < argc; i++)
		if (options.write && !strcmp(argv[i], "-"))
			return usage_error("standard input cannot be written");
	for (i = optind; i < argc; i++)
		status = worse(status, format_file(argv[i], &options));
	return status;
}
