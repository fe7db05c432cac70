// SPDX-License-Identifier: GPL-2.0-only
/*
 * aletheia check - check SystemDSL files, each on its own
 */
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/print_error.h"
#include "cli/sdl_file.h"

static int check_file(const char *path, bool quiet)
{
	struct program *program cleanup_program = NULL;
	struct buffer text cleanup_buffer = { 0 };
	struct buffer name cleanup_buffer = { 0 };
	struct error *err = NULL;

	if (sdl_file_read(path, &text, &program, &err))
		return fail(&err);
	if (quiet)
		return 0;
	text_escape(&name, path, strlen(path));
	printf("%s: ok\n", buffer_text(&name));
	return 0;
}

int command_check(int argc, char **argv)
{
	static const struct option options[] = { COMMON_OPTIONS,
						 { NULL, 0, NULL, 0 } };
	struct common common = { 0 };
	int option, status = 0, i;

	while ((option = getopt_long(argc, argv, COMMON_SHORT, options,
				     NULL)) != -1)
		if (common_option(option, &common) && common.done)
			return common.status;
	if (optind == argc)
		return usage_error("no file to check");
	for (i = optind; i < argc; i++) {
		int r = check_file(argv[i], common.quiet);

		if (!status)
			status = r;
	}
	return status;
}
