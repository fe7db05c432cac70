/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Records as text for people and as JSON for machines, and JSON back.
 * Everything in them is untrusted and escaped here.
 */
#ifndef USER_REPORT_REPORT_H
#define USER_REPORT_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include <jansson.h>

#include "base/error.h"
#include "interpret/interpret.h"
#include "judge/record.h"

/* record_to_json() - see aletheia-record(5); bytes that are no UTF-8 become
 * {"bytes": "hex digits"} */
json_t *record_to_json(const struct record *record);
/* record_from_json() - ERROR_INPUT: not such a record, or a newer version */
int record_from_json(const json_t *json, struct record **ret,
		     struct error **err);

/* run_to_json(), run_from_json() - one run alone, for the way between the
 * process that runs a branch and the controller */
json_t *run_to_json(const struct record_run *run);
int run_from_json(const json_t *json, struct arena *arena,
		  struct record_run **ret, struct error **err);

/**
 * report_text() - for a person: grants with the rule's own words, one line
 * per branch, witnesses, findings with reasons, verdict
 * @colour:	use terminal colours
 * @verbose:	also counters, events and the tails of outputs
 */
void report_text(const struct record *record, bool colour, bool verbose,
		 FILE *out);

/* record_normalise() - a copy of a record's JSON in which what must differ
 * between two equal runs (pids, inode and device numbers, times, canaries,
 * order across processes) is mapped or dropped: guarantee 1 */
json_t *record_normalise(const json_t *record);

/**
 * record_replay() - recompute every recorded decision and judgement
 * @reasons:	the table that the record was interpreted with
 * @err:	ERROR_INPUT, one per disagreement
 */
int record_replay(const struct record *record, const struct reasons *reasons,
		  struct error **err);

#endif /* USER_REPORT_REPORT_H */
