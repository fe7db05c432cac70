/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Interpretation: facts about a grant and its surroundings against a table
 * of reasons that ships as data (reasons.yaml). Pure and deterministic; no
 * text of the rule takes part, so none can lower a finding.
 */
#ifndef USER_INTERPRET_INTERPRET_H
#define USER_INTERPRET_INTERPRET_H

#include "base/error.h"
#include "judge/record.h"

struct reasons;

/**
 * reasons_load() - the embedded table, or a user's file on top of it
 * @path:	NULL: only the embedded one
 * @err:	ERROR_CONFIG with line and column
 */
int reasons_load(const char *path, struct reasons **ret, struct error **err);
void reasons_free(struct reasons *reasons);

/* interpret_record() - fill in findings, verdict, basis and reasons */
void interpret_record(struct record *record, const struct reasons *reasons);

#endif /* USER_INTERPRET_INTERPRET_H */
