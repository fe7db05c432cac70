// SPDX-License-Identifier: GPL-2.0-only
/*
 * aletheia scan - say what a project's rules ask for, and what a test would ask
 * about that
 */
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "cli/carrier_text.h"
#include "cli/command.h"
#include "extract/carriers.h"
#include "extract/extract.h"
#include "interpret/untested.h"
#include "judge/record.h"

/**
 * struct scan - one project
 * @nr_files:	that were read
 * @nr_requests: in them
 * @nr_questioned: of those
 * @list:	of the files, for JSON; NULL: text
 */
struct scan {
	struct carriers *carriers;
	struct reasons *reasons;
	bool verbose;
	size_t nr_files;
	size_t nr_requests;
	size_t nr_questioned;
	json_t *list;
};

/**
 * struct scanned - one file
 * @record:	as many grants and witnesses as @program has grants
 */
struct scanned {
	const struct carrier *carrier;
	struct buffer text;
	struct translation *translation;
	struct program *program;
	struct record *record;
};

static void scanned_done(struct scanned *scanned)
{
	buffer_done(&scanned->text);
	translation_free(scanned->translation);
	program_free(scanned->program);
	record_free(scanned->record);
}

static int scan_carrier(const struct scan *scan, struct scanned *scanned,
			struct error **err)
{
	const char *path = scanned->carrier->path;
	int r = carrier_read(scan->carriers, scanned->carrier, &scanned->text,
			     err);

	if (!r)
		r = extract_rule(path, buffer_text(&scanned->text),
				 scanned->text.length, &scanned->translation,
				 err);
	if (!r)
		r = translation_program(scanned->translation, path, path,
					buffer_text(&scanned->text),
					scanned->text.length, &scanned->program,
					err);
	if (!r)
		r = interpret_untested(scanned->program, scan->reasons,
				       &scanned->record, err);
	return r;
}

/* ---- text */

static void print_escaped(const char *before, const char *text)
{
	struct buffer out cleanup_buffer = { 0 };

	text_escape(&out, text, strlen(text));
	printf("%s%s", before, buffer_text(&out));
}

static void print_grant(const struct scan *scan, const struct scanned *scanned,
			size_t index)
{
	const struct grant *grant = &scanned->program->grants[index];
	const struct record_grant *of = &scanned->record->grants[index];
	const struct record_witness *witness =
		&scanned->record->witnesses[index];
	char place[32];

	snprintf(place, sizeof(place), "%u:%u",
		 grant->spans[0].where.start.line,
		 grant->spans[0].where.start.column);
	printf("  %-7s %s ", place, operation_word(grant->action));
	print_escaped("", of->resource);
	printf("%s%s%s%s\n", grant->conditional ? ", conditional" : "",
	       grant->base ? ", base" : "", grant->hidden ? ", hidden: " : "",
	       grant->hidden ? grant->hidden : "");
	for (size_t i = 0; i < witness->nr_findings; i++) {
		const struct record_finding *finding = &witness->findings[i];

		printf("            %s: ", finding->severity);
		print_escaped("", finding->title);
		if (scan->verbose)
			print_escaped(": ", finding->text);
		putchar('\n');
	}
}

static void print_file(const struct scan *scan, const struct scanned *scanned)
{
	const struct translation *translation = scanned->translation;
	struct buffer text cleanup_buffer = { 0 };

	print_escaped("", scanned->carrier->path);
	carrier_text(&text, scan->carriers, scanned->carrier, scan->verbose);
	printf(" (%s)\n", buffer_text(&text));
	for (size_t i = 0; i < scanned->program->nr_grants; i++)
		print_grant(scan, scanned, i);
	if (translation->nr_gaps)
		printf("  not understood: %zu place%s, %zu of %zu bytes that "
		       "ask for something%s\n",
		       translation->nr_gaps,
		       translation->nr_gaps == 1 ? "" : "s",
		       translation->unmapped, translation->actionable,
		       translation_unresolved(translation)
			       ? "; that is too much"
			       : "");
	putchar('\n');
}

/* ---- JSON */

static json_t *findings_to_json(const struct record_witness *witness)
{
	json_t *list = json_array();

	for (size_t i = 0; i < witness->nr_findings; i++) {
		const struct record_finding *finding = &witness->findings[i];
		struct buffer text cleanup_buffer = { 0 };

		text_escape(&text, finding->text, strlen(finding->text));
		json_array_append_new(list,
				      json_pack("{s:s, s:s, s:s, s:s}",
						"reason", finding->reason,
						"severity", finding->severity,
						"title", finding->title, "text",
						buffer_text(&text)));
	}
	return list;
}

static json_t *questions_to_json(const struct scanned *scanned)
{
	json_t *list = json_array();

	for (size_t i = 0; i < scanned->program->nr_grants; i++) {
		const struct grant *grant = &scanned->program->grants[i];
		struct buffer resource cleanup_buffer = { 0 };

		text_escape(&resource, scanned->record->grants[i].resource,
			    strlen(scanned->record->grants[i].resource));
		json_array_append_new(
			list,
			json_pack(
				"{s:s, s:s, s:s, s:I, s:I, s:b, s:o}", "grant",
				grant->name, "action",
				operation_word(grant->action), "resource",
				buffer_text(&resource), "line",
				(json_int_t)grant->spans[0].where.start.line,
				"column",
				(json_int_t)grant->spans[0].where.start.column,
				"tested", 0, "findings",
				findings_to_json(
					&scanned->record->witnesses[i])));
	}
	return list;
}

static void add_file(struct scan *scan, const struct scanned *scanned)
{
	json_t *file = carrier_to_json(scan->carriers, scanned->carrier);

	json_object_set_new(file, "translation",
			    translation_to_json(scanned->translation,
						scanned->carrier->path,
						buffer_text(&scanned->text),
						scanned->text.length));
	json_object_set_new(file, "grants", questions_to_json(scanned));
	json_array_append_new(scan->list, file);
}

/* ---- the project */

static int scan_file(struct scan *scan, const struct carrier *carrier)
{
	struct scanned scanned cleanup_with(scanned_done) = { .carrier =
								      carrier };
	struct error *err = NULL;

	if (scan_carrier(scan, &scanned, &err))
		return fail(&err);
	scan->nr_files++;
	scan->nr_requests += scanned.program->nr_grants;
	for (size_t i = 0; i < scanned.record->nr_witnesses; i++)
		scan->nr_questioned +=
			scanned.record->witnesses[i].nr_findings > 0;
	if (scan->list)
		add_file(scan, &scanned);
	else
		print_file(scan, &scanned);
	return 0;
}

static int scan_project(struct scan *scan)
{
	int status = 0;

	for (size_t i = 0; i < scan->carriers->nr; i++) {
		int r = scan->carriers->list[i].outside
				? 0
				: scan_file(scan, &scan->carriers->list[i]);

		if (!status)
			status = r;
	}
	if (scan->list) {
		json_dumpf(scan->list, stdout, JSON_INDENT(2));
		putchar('\n');
	} else {
		printf("%zu file%s, %zu request%s; a test would question %zu\n"
		       "untested: nothing was run\n",
		       scan->nr_files, scan->nr_files == 1 ? "" : "s",
		       scan->nr_requests, scan->nr_requests == 1 ? "" : "s",
		       scan->nr_questioned);
	}
	return status;
}

int command_scan(int argc, char **argv)
{
	static const struct option long_options[] = {
		COMMON_OPTIONS,
		{ "format", required_argument, NULL, 'f' },
		{ "reasons", required_argument, NULL, 'r' },
		{ NULL, 0, NULL, 0 },
	};
	struct scan scan = { 0 };
	struct common common = { 0 };
	const char *reasons = NULL;
	struct error *err = NULL;
	int option, status;

	while ((option = getopt_long(argc, argv, COMMON_SHORT, long_options,
				     NULL)) != -1) {
		if (common_option(option, &common)) {
			if (common.done)
				return common.status;
		} else if (option == 'r') {
			reasons = optarg;
		} else if (!strcmp(optarg, "json")) {
			if (!scan.list)
				scan.list = json_array();
		} else if (strcmp(optarg, "text") != 0) {
			return usage_error("--format is text or json, not "
					   "\"%s\"",
					   optarg);
		}
	}
	if (optind + 1 != argc)
		return usage_error("one directory is needed");
	scan.verbose = common.verbose;
	if (reasons_load(reasons, &scan.reasons, &err) ||
	    carriers_find(argv[optind], &scan.carriers, &err))
		status = fail(&err);
	else
		status = scan_project(&scan);
	carriers_free(scan.carriers);
	reasons_free(scan.reasons);
	json_decref(scan.list);
	return status;
}
