// SPDX-License-Identifier: GPL-2.0-only
/*
 * aletheia replay - make all decisions and judgements of a record again
 */
#include "base/cleanup.h"
#include "cli/command.h"
#include "cli/record_file.h"
#include "interpret/interpret.h"
#include "report/report.h"

enum { OPTION_REASONS = 256 };

struct options {
	struct common common;
	const char *reasons;
};

static int parse_options(int argc, char **argv, struct options *options)
{
	static const struct option table[] = {
		COMMON_OPTIONS,
		{ "reasons", required_argument, NULL, OPTION_REASONS },
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
		options->reasons = optarg;
	}
	if (optind == argc)
		return usage_error("name a record that \"aletheia test -o\" "
				   "has saved");
	if (argc - optind > 1)
		return usage_error("one record at a time, not also \"%s\"",
				   argv[optind + 1]);
	return 0;
}

static void print_summary(const struct record *record)
{
	size_t runs = 0, events = 0, counts = 0, i;

	for (i = 0; i < record->nr_branches; i++) {
		const struct record_run *run = record->branches[i].run;

		runs += !!run;
		events += run ? run->nr_events : 0;
		counts += run ? run->nr_counts : 0;
	}
	printf("%zu runs, %zu events, %zu counters: all agree\n"
	       "verdict: %s\n",
	       runs, events, counts, verdict_word(record->verdict));
}

int command_replay(int argc, char **argv)
{
	struct options options = { 0 };
	struct error *err cleanup_error = NULL;
	struct record *record cleanup_record = NULL;
	struct reasons *reasons = NULL;
	int status, r;

	status = parse_options(argc, argv, &options);
	if (status || options.common.done)
		return status;
	r = reasons_load(options.reasons, &reasons, &err);
	if (!r)
		r = record_file_read(argv[optind], &record, &err);
	if (!r)
		r = record_replay(record, reasons, &err);
	reasons_free(reasons);
	if (r)
		return fail(&err);
	if (!options.common.quiet)
		print_summary(record);
	return verdict_exit(record->verdict, record_error_kind(record));
}
