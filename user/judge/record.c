// SPDX-License-Identifier: GPL-2.0-only
#include "judge/record.h"

#include "base/cleanup.h"

struct record *record_new(void)
{
	struct arena *arena = arena_new();
	struct record *record = arena_alloc(arena, sizeof(*record));

	record->arena = arena;
	record->version = RECORD_VERSION;
	return record;
}

void record_free(struct record *record)
{
	if (record)
		arena_free(record->arena);
}

#define X_(name, word) [ROLE_##name] = word,
const char *branch_role_word(enum branch_role role)
{
	static const char *const words[] = { BRANCH_ROLES(X_) };

	return words[role];
}
#undef X_

#define X_(name, word) [OUTCOME_##name] = word,
const char *branch_outcome_word(enum branch_outcome outcome)
{
	static const char *const words[] = { BRANCH_OUTCOMES(X_) };

	return words[outcome];
}
#undef X_

#define X_(name, word) [ATTEMPT_##name] = word,
const char *attempt_word(enum attempt attempt)
{
	static const char *const words[] = { ATTEMPTS(X_) };

	return words[attempt];
}
#undef X_

#define X_(name, word) [VERDICT_##name] = word,
const char *verdict_word(enum verdict verdict)
{
	static const char *const words[] = { VERDICTS(X_) };

	return words[verdict];
}
#undef X_

int verdict_exit(enum verdict verdict, enum error_kind kind)
{
	switch (verdict) {
	case VERDICT_CLEAR:
		return 0;
	case VERDICT_ALARM:
		return 1;
	case VERDICT_UNRESOLVED:
		return 2;
	default:
		return (int)kind;
	}
}

enum error_kind record_error_kind(const struct record *record)
{
	size_t i;

	for (i = 0; i < record->nr_branches; i++)
		if (record->branches[i].outcome == OUTCOME_ENFORCEMENT_ERROR)
			return ERROR_INTERNAL;
	return ERROR_CONFIG;
}

const struct record_object *record_object(const struct record *record,
					  uint32_t id)
{
	size_t i;

	/* As records are made, the index is the id. */
	if (id < record->nr_objects && record->objects[id].id == id)
		return &record->objects[id];
	for (i = 0; i < record->nr_objects; i++)
		if (record->objects[i].id == id)
			return &record->objects[i];
	return NULL;
}

const char *record_branch_name(const struct record *record,
			       const struct record_branch *branch,
			       struct arena *arena)
{
	struct buffer name cleanup_buffer = { 0 };
	size_t i;

	buffer_adds(&name, branch_role_word(branch->role));
	if (branch->role == ROLE_CONTROL && branch->all_grants)
		buffer_adds(&name, branch->nr_without ? " with all grants but"
						      : " with all grants");
	if (branch->role == ROLE_WITHOUT || branch->all_grants)
		for (i = 0; i < branch->nr_without; i++)
			buffer_printf(&name, "%s %s", i ? "," : "",
				      record->grants[branch->without[i]].id);
	return arena_strdup(arena, buffer_text(&name));
}

bool outcome_is_result(enum branch_outcome outcome)
{
	return outcome < OUTCOME_NOT_RUN;
}

bool run_is_intact(const struct record_run *run)
{
	return run && run->end == RUN_DONE && !run->nr_lost &&
	       !run->nr_unlabelled;
}
