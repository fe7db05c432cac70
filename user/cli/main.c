// SPDX-License-Identifier: GPL-2.0-only
/*
 * aletheia - test what a rule file asks a coding agent to be allowed
 */
#include "cli/command.h"

#include <string.h>
#include <unistd.h>

const struct command *command_running;

/*
 * Output that could not be written (a full disk, a closed pipe) must not look
 * like success: whatever a command found, the one who asked did not get it.
 */
static int close_stdout(int status)
{
	if (!fflush(stdout) && !ferror(stdout))
		return status;
	perror("aletheia: standard output");
	return status ? status : ERROR_INTERNAL;
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : "help";
	const struct command *command;

	if (!strcmp(name, "-h") || !strcmp(name, "--help"))
		name = "help";
	if (!strcmp(name, "-V") || !strcmp(name, "--version")) {
		printf("aletheia %s\n", AL_VERSION);
		return close_stdout(0);
	}
	for (command = commands; command->name; command++) {
		if (strcmp(command->name, name))
			continue;
		command_running = command;
		if (argc < 2)
			return close_stdout(command->run(argc, argv));
		return close_stdout(command->run(argc - 1, argv + 1));
	}
	return usage_error("there is no command \"%s\"", name);
}
