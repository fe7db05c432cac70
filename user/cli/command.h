/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The command line: a table of commands, each with its work elsewhere. This
 * folder is the only one that prints.
 */
#ifndef USER_CLI_COMMAND_H
#define USER_CLI_COMMAND_H

#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"

/**
 * struct command - one entry of the table
 * @name:	exact name
 * @arguments:	what follows the name, for the usage line
 * @summary:	one line
 * @options:	help text of the options, one line each, NULL: none but the
 *		common ones
 * @run:	argv[0] is the command's name; returns the exit status
 */
struct command {
	const char *name;
	const char *arguments;
	const char *summary;
	const char *options;
	int (*run)(int argc, char **argv);
};

/* The table, ended by a NULL name, and the command that is running. */
extern const struct command commands[];
extern const struct command *command_running;

/*
 * Options that mean the same everywhere. A command's own long options follow
 * COMMON_OPTIONS in its table; its short options follow COMMON_SHORT. Options
 * may follow the arguments.
 */
#define COMMON_SHORT "hVvq"
#define COMMON_OPTIONS                                                         \
	{ "help", no_argument, NULL, 'h' },                                    \
	{ "version", no_argument, NULL, 'V' },                                 \
	{ "verbose", no_argument, NULL, 'v' }, { "quiet", no_argument, NULL, 'q' }

/**
 * struct common - values of the common options
 * @done:	help or version was printed, leave with @status
 */
struct common {
	bool verbose;
	bool quiet;
	bool done;
	int status;
};

/**
 * common_option() - handle what getopt_long() returned, if it is common
 * @option:	the value; '?' prints the usage hint
 *
 * Return: true if it was handled (then look at @common->done).
 */
bool common_option(int option, struct common *common);

/* usage_error() - one line and "Try ... --help"; returns ERROR_USAGE */
int usage_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* fail() - print and free an error, return its exit status */
int fail(struct error **err);

/* use_colour() - is @file a terminal that wants colour? (NO_COLOR) */
bool use_colour(FILE *file);

int command_check(int argc, char **argv);
int command_completion(int argc, char **argv);
int command_doctor(int argc, char **argv);
int command_fmt(int argc, char **argv);
int command_help(int argc, char **argv);
int command_ls(int argc, char **argv);
int command_replay(int argc, char **argv);
int command_report(int argc, char **argv);
int command_scan(int argc, char **argv);
int command_synthesize(int argc, char **argv);
int command_test(int argc, char **argv);
int command_translate(int argc, char **argv);

#endif /* USER_CLI_COMMAND_H */
