// SPDX-License-Identifier: GPL-2.0-only
/*
 * A saved record: read, judged, interpreted, printed and replayed. A good
 * corpus is selftests/data/report.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "report/report.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct reasons *reasons;

static void use(struct record *record)
{
	struct error *err cleanup_error = NULL;
	char *text = NULL;
	size_t length;
	FILE *file = open_memstream(&text, &length);
	json_t *json, *normal;

	if (!file)
		abort();
	report_text(record, true, true, file);
	fclose(file);
	free(text);
	json = record_to_json(record);
	normal = record_normalise(json);
	json_decref(normal);
	json_decref(json);
	record_replay(record, reasons, &err);
	judge_record(record);
	interpret_record(record, reasons);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct error *err cleanup_error = NULL;
	struct record *record;
	json_t *json;

	if (!reasons && reasons_load(NULL, &reasons, NULL))
		abort();
	json = json_loadb((const char *)data, size, JSON_ALLOW_NUL, NULL);
	if (!json)
		return 0;
	if (!record_from_json(json, &record, &err)) {
		use(record);
		record_free(record);
	}
	json_decref(json);
	return 0;
}
