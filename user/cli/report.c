// SPDX-License-Identifier: GPL-2.0-only
/*
 * aletheia report - print a saved record
 */
#include <string.h>

#include "base/cleanup.h"
#include "cli/command.h"
#include "cli/record_file.h"
#include "report/report.h"

enum { OPTION_FORMAT = 256 };

struct options {
	struct common common;
	bool json;
};

static int parse_options(int argc, char **argv, struct options *options)
{
	static const struct option table[] = {
		COMMON_OPTIONS,
		{ "format", required_argument, NULL, OPTION_FORMAT },
		{ NULL, 0, NULL, 0 },
	};
	int option;

	while ((option = getopt_long(argc, argv, COMMON_SHORT, table, NULL)) !=
	       -1) {
		if (common_option(option, &options->common)) {
			if (options->common.done)
				return options->common.status;
			continue;
		}
		options->json = !strcmp(optarg, "json");
		if (!options->json && strcmp(optarg, "text") != 0)
			return usage_error("--format is text or json, not "
					   "\"%s\"",
					   optarg);
	}
	if (optind == argc)
		return usage_error("name a record that \"aletheia test -o\" "
				   "has saved");
	if (argc - optind > 1)
		return usage_error("one record at a time, not also \"%s\"",
				   argv[optind + 1]);
	return 0;
}

/* The one who reads standard output may be a terminal: ASCII only. */
static void print_json(const struct record *record)
{
	json_t *json = record_to_json(record);

	/* What cannot be written is noticed when standard output is closed. */
	if (!json_dumpf(json, stdout, JSON_INDENT(2) | JSON_ENSURE_ASCII))
		putchar('\n');
	json_decref(json);
}

int command_report(int argc, char **argv)
{
	struct options options = { 0 };
	struct error *err cleanup_error = NULL;
	struct record *record cleanup_record = NULL;
	int status;

	status = parse_options(argc, argv, &options);
	if (status || options.common.done)
		return status;
	if (record_file_read(argv[optind], &record, &err))
		return fail(&err);
	if (options.json)
		print_json(record);
	else
		report_text(record, use_colour(stdout), options.common.verbose,
			    stdout);
	return verdict_exit(record->verdict, record_error_kind(record));
}
