// SPDX-License-Identifier: GPL-2.0-only
#include "cli/command.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "cli/print_error.h"

#define VM_OPTION                                                              \
	"      --vm auto|always|never  where to run: here if this kernel has\n"  \
	"                       the BPF LSM, else in a VM (auto)\n"

const struct command commands[] = {
	{ "check", "FILE...", "check SystemDSL files", NULL, command_check },
	{ "completion", "bash", "print a completion script for a shell", NULL,
	  command_completion },
	{ "doctor", "", "say what this machine can and cannot do",
	  "      --format text|json  how to print (text)\n"
	  "      --can-enforce    print nothing, exit 0 if this kernel enforces\n",
	  command_doctor },
	{ "fmt", "[-w | --check] FILE...", "print SystemDSL canonically",
	  "  -w, --write          change the files instead of printing\n"
	  "      --check          say which files are not canonical, exit 1\n",
	  command_fmt },
	{ "help", "[COMMAND]", "print help", NULL, command_help },
	{ "ls", "DIRECTORY", "list files that coding agents take instructions from",
	  "      --format text|json  how to print (text)\n", command_ls },
	{ "replay", "FILE", "recompute all decisions and the verdict of a record",
	  "      --reasons FILE   the record was interpreted with these as well\n",
	  command_replay },
	{ "report", "FILE", "print a saved record",
	  "      --format text|json  how to print (text)\n", command_report },
	{ "scan", "DIRECTORY", "say what a project's rules ask for, running nothing",
	  "      --format text|json  how to print (text)\n"
	  "      --reasons FILE   more reasons for interpretation\n",
	  command_scan },
	{ "synthesize", "MANIFEST", "print the authority that a policy enforces",
	  "      --without GRANT  withhold it; may be repeated\n"
	  "      --diff           print only what that takes away\n"
	  "      --format text|json  how to print (text)\n",
	  command_synthesize },
	{ "test", "MANIFEST", "run a rule with and without each grant, and judge",
	  "      --format text|json  how to print (text)\n"
	  "  -o, --output FILE    save the record (JSON) there as well\n"
	  "  -j, --jobs N         branches at the same time (number of CPUs)\n"
	  "      --reasons FILE   more reasons for interpretation\n"
	  "      --keep           keep what each branch wrote, say where\n"
	  VM_OPTION
	  "      --kernel 6.12|6.1  the VM's kernel (6.12)\n",
	  command_test },
	{ "translate", "RULE... | --jsonl", "say in SystemDSL what rules ask for",
	  "      --format sdl|json|text  how to print (sdl)\n"
	  "      --jsonl          read lines {\"id\", \"text\", \"path\"}, write one\n"
	  "                       result for each\n",
	  command_translate },
	{ NULL, NULL, NULL, NULL, NULL },
};

static void print_usage(const struct command *command, FILE *out)
{
	fprintf(out, "Usage: aletheia %s %s%s\n%c%s.\n\n%s%s", command->name,
		command->options ? "[OPTION]... " : "", command->arguments,
		command->summary[0] - 'a' + 'A', command->summary + 1,
		command->options ? command->options : "",
		"  -v, --verbose        more detail\n"
		"  -q, --quiet          no progress\n"
		"  -h, --help           this help\n"
		"  -V, --version        the version\n");
}

int command_help(int argc, char **argv)
{
	const struct command *command;

	if (argc > 1 && argv[1][0] != '-') {
		for (command = commands; command->name; command++) {
			if (strcmp(command->name, argv[1]))
				continue;
			print_usage(command, stdout);
			return 0;
		}
		return usage_error("there is no command \"%s\"", argv[1]);
	}
	printf("Usage: aletheia COMMAND [OPTION]... [ARGUMENT]...\n"
	       "Test what a rule file asks a coding agent to be allowed.\n\n");
	for (command = commands; command->name; command++)
		printf("  %-11s %s\n", command->name, command->summary);
	printf("\n\"aletheia COMMAND --help\" says more; so do aletheia(1) and "
	       "aletheia-model(7).\n"
	       "Exit status: 0 clear, 1 alarm, 2 unresolved; 64 usage, 65 bad "
	       "input,\n69 this machine cannot do it, 70 internal, 77 no "
	       "permission, 78 configuration.\n");
	return 0;
}

bool common_option(int option, struct common *common)
{
	switch (option) {
	case 'h':
		print_usage(command_running, stdout);
		common->done = true;
		return true;
	case 'V':
		printf("aletheia %s\n", AL_VERSION);
		common->done = true;
		return true;
	case 'v':
		common->verbose = true;
		return true;
	case 'q':
		common->quiet = true;
		return true;
	case '?': /* getopt_long() has said what is wrong */
		fprintf(stderr, "Try \"aletheia %s --help\".\n",
			command_running->name);
		common->done = true;
		common->status = ERROR_USAGE;
		return true;
	default:
		return false;
	}
}

int usage_error(const char *format, ...)
{
	struct buffer text cleanup_buffer = { 0 };
	va_list args;
	char *message;

	va_start(args, format);
	message = xvasprintf(format, args);
	va_end(args);
	text_escape(&text, message, strlen(message));
	free(message);
	fprintf(stderr, "aletheia: %s\nTry \"aletheia %s%s--help\".\n",
		buffer_text(&text),
		command_running ? command_running->name : "",
		command_running ? " " : "");
	return ERROR_USAGE;
}

int fail(struct error **err)
{
	enum error_kind kind = error_kind_of(*err);

	error_print(stderr, *err, use_colour(stderr));
	error_done(err);
	return (int)kind;
}

bool use_colour(FILE *file)
{
	const char *no_colour = getenv("NO_COLOR");
	const char *term = getenv("TERM");

	return isatty(fileno(file)) && !(no_colour && *no_colour) &&
	       !(term && !strcmp(term, "dumb"));
}
