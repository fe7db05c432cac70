// SPDX-License-Identifier: GPL-2.0-only
/*
 * aletheia completion - a completion script for bash, made from the table of
 * commands, so that it knows what they know
 */
#include <ctype.h>
#include <string.h>

#include "cli/command.h"

static const char common[] =
	"  -v, --verbose\n  -q, --quiet\n  -h, --help\n  -V, --version\n";

/* The long options of a help text: words that begin with "--". */
static void print_options(const char *help)
{
	const char *at = help;

	while (at && (at = strstr(at, "--"))) {
		size_t length = 2;

		while (islower((unsigned char)at[length]) || at[length] == '-')
			length++;
		/* An option stands behind blanks or its short form. */
		if (at > help && at[-1] == ' ' && length > 2)
			printf(" %.*s", (int)length, at);
		at += length;
	}
}

static void print_script(void)
{
	const struct command *command;

	printf("# bash completion for aletheia; made by "
	       "\"aletheia completion bash\"\n"
	       "_aletheia() {\n"
	       "\tlocal word=${COMP_WORDS[COMP_CWORD]}\n"
	       "\tlocal command=${COMP_WORDS[1]} options\n\n"
	       "\tif [ \"$COMP_CWORD\" = 1 ]; then\n"
	       "\t\tmapfile -t COMPREPLY < <(compgen -W '");
	for (command = commands; command->name; command++)
		printf("%s%s", command == commands ? "" : " ", command->name);
	printf("' -- \"$word\")\n\t\treturn\n\tfi\n\tcase $command in\n");
	for (command = commands; command->name; command++) {
		printf("\t%s) options='", command->name);
		print_options(command->options);
		print_options(common);
		printf("' ;;\n");
	}
	printf("\t*) options= ;;\n\tesac\n"
	       "\tif [[ $word == -* ]]; then\n"
	       "\t\tmapfile -t COMPREPLY < <(compgen -W \"$options\" -- "
	       "\"$word\")\n"
	       "\telse\n"
	       "\t\tmapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n"
	       "\tfi\n"
	       "}\n"
	       "complete -o filenames -F _aletheia aletheia\n");
}

int command_completion(int argc, char **argv)
{
	static const struct option table[] = {
		COMMON_OPTIONS,
		{ NULL, 0, NULL, 0 },
	};
	struct common options = { 0 };
	int option;

	while ((option = getopt_long(argc, argv, COMMON_SHORT, table, NULL)) !=
	       -1) {
		if (common_option(option, &options) && options.done)
			return options.status;
	}
	if (argc - optind != 1 || strcmp(argv[optind], "bash"))
		return usage_error("name the shell, which is bash");
	print_script();
	return 0;
}
