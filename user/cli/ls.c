// SPDX-License-Identifier: GPL-2.0-only
/*
 * aletheia ls - list the files that coding agents take instructions from
 */
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "cli/carrier_text.h"
#include "cli/command.h"
#include "extract/carriers.h"

static void print_carrier(const struct carriers *carriers,
			  const struct carrier *carrier, bool all)
{
	struct buffer path cleanup_buffer = { 0 };
	struct buffer text cleanup_buffer = { 0 };
	unsigned int indent = 2 * carrier_depth(carriers, carrier);

	text_escape(&path, carrier->path, strlen(carrier->path));
	carrier_text(&text, carriers, carrier, all);
	printf("%*s%-*s  %s\n", (int)indent, "", indent < 40 ? 40 - indent : 0,
	       buffer_text(&path), buffer_text(&text));
}

static void print_json(const struct carriers *carriers)
{
	json_t *list = json_array();

	for (size_t i = 0; i < carriers->nr; i++)
		json_array_append_new(
			list, carrier_to_json(carriers, &carriers->list[i]));
	json_dumpf(list, stdout, JSON_INDENT(2));
	putchar('\n');
	json_decref(list);
}

int command_ls(int argc, char **argv)
{
	static const struct option long_options[] = {
		COMMON_OPTIONS,
		{ "format", required_argument, NULL, 'f' },
		{ NULL, 0, NULL, 0 },
	};
	struct carriers *carriers cleanup_carriers = NULL;
	struct common common = { 0 };
	struct error *err = NULL;
	bool json = false;
	int option;

	while ((option = getopt_long(argc, argv, COMMON_SHORT, long_options,
				     NULL)) != -1) {
		if (common_option(option, &common)) {
			if (common.done)
				return common.status;
		} else if (!strcmp(optarg, "json") || !strcmp(optarg, "text")) {
			json = !strcmp(optarg, "json");
		} else {
			return usage_error("--format is text or json, not "
					   "\"%s\"",
					   optarg);
		}
	}
	if (optind + 1 != argc)
		return usage_error("one directory is needed");
	if (carriers_find(argv[optind], &carriers, &err))
		return fail(&err);
	if (json)
		print_json(carriers);
	else
		for (size_t i = 0; i < carriers->nr; i++)
			print_carrier(carriers, &carriers->list[i],
				      common.verbose);
	return 0;
}
