// SPDX-License-Identifier: GPL-2.0-only
/*
 * From runs to outcomes and witnesses. Nothing is taken on trust that the
 * evidence itself can contradict: a run whose counters show that something was
 * permitted which its policy forbids is no result, and neither is one that
 * began in another state than the others.
 */
#include <string.h>

#include "base/cleanup.h"
#include "judge/record.h"

/**
 * struct judge - what all judgements of one record look at
 * @full:	the full branch, NULL: none
 * @control:	control with the baseline alone, NULL: none
 * @state:	initial state that all runs must have begun in
 * @nr_ids:	object ids are below it
 * @masks:	[nr_ids] operations per object, scratch of one judgement
 */
struct judge {
	struct record *record;
	const struct record_branch *full;
	const struct record_branch *control;
	const char *state;
	size_t nr_ids;
	uint32_t *masks;
};

static void judge_init(struct judge *judge, struct record *record)
{
	size_t i;

	*judge = (struct judge){ .record = record, .nr_ids = 1 };
	for (i = 0; i < record->nr_objects; i++)
		if (record->objects[i].id >= judge->nr_ids)
			judge->nr_ids = record->objects[i].id + 1;
	judge->masks = xzalloc(judge->nr_ids * sizeof(*judge->masks));
	for (i = 0; i < record->nr_branches; i++) {
		const struct record_branch *branch = &record->branches[i];

		if (branch->role == ROLE_FULL && !judge->full)
			judge->full = branch;
		if (branch->role == ROLE_CONTROL && !branch->all_grants &&
		    !judge->control)
			judge->control = branch;
		if (!judge->state && branch->run &&
		    branch->run->end == RUN_DONE &&
		    branch->run->initial_state[0])
			judge->state = branch->run->initial_state;
	}
}

static void judge_done(struct judge *judge)
{
	free(judge->masks);
}

/* The operations that a run's policy permits, per object. */
static void load_rules(struct judge *judge, const struct record_run *run)
{
	size_t i;

	memset(judge->masks, 0, judge->nr_ids * sizeof(*judge->masks));
	for (i = 0; i < run->nr_rules; i++)
		if (run->rules[i].object < judge->nr_ids)
			judge->masks[run->rules[i].object] =
				run->rules[i].allow;
}

/* The operations that a branch lacks, also on the directories of its trees. */
static void load_removed(struct judge *judge,
			 const struct record_branch *branch)
{
	const struct record *record = judge->record;
	size_t i;

	memset(judge->masks, 0, judge->nr_ids * sizeof(*judge->masks));
	for (i = 0; i < branch->nr_removed; i++)
		if (branch->removed[i].object < judge->nr_ids)
			judge->masks[branch->removed[i].object] |=
				1u << branch->removed[i].operation;
	for (i = 0; i < record->nr_objects; i++)
		if (record->objects[i].directory &&
		    record->objects[i].within < judge->nr_ids)
			judge->masks[record->objects[i].id] |=
				judge->masks[record->objects[i].within];
}

/* A permitted operation that the policy forbids: the guard did not hold. */
static const char *find_breach(struct judge *judge,
			       const struct record_branch *branch)
{
	const struct record_run *run = branch->run;
	size_t i;

	load_rules(judge, run);
	for (i = 0; i < branch->nr_removed; i++) {
		const struct record_count *pair = &branch->removed[i];

		if (pair->object < judge->nr_ids &&
		    judge->masks[pair->object] & 1u << pair->operation)
			return "the policy permits what is withheld";
	}
	for (i = 0; i < run->nr_counts; i++) {
		const struct record_count *count = &run->counts[i];

		if (!count->allowed || count->object == AL_OBJECT_NONE)
			continue;
		if (count->object >= judge->nr_ids ||
		    !(judge->masks[count->object] & 1u << count->operation))
			return "an operation was permitted that the policy "
			       "forbids";
	}
	return NULL;
}

static enum branch_outcome no_result(struct record_branch *branch,
				     enum branch_outcome outcome,
				     const char *detail)
{
	branch->detail = detail;
	return outcome;
}

/*
 * What a run says for itself: accepted, rejected, or why it says nothing. The
 * rule of control is empty; nobody needs to have read it.
 */
static enum branch_outcome run_outcome(struct judge *judge,
				       struct record_branch *branch)
{
	const struct record_run *run = branch->run;
	const char *breach;

	switch (run->end) {
	case RUN_DONE:
		break;
	case RUN_TIMEOUT:
		return no_result(branch, OUTCOME_TIMEOUT, run->detail);
	case RUN_AGENT_FAILED:
		return no_result(branch, OUTCOME_AGENT_FAILED, run->detail);
	case RUN_ORACLE_ERROR:
		return no_result(branch, OUTCOME_ORACLE_ERROR, run->detail);
	case RUN_CONFIGURATION_ERROR:
		return no_result(branch, OUTCOME_CONFIGURATION_ERROR,
				 run->detail);
	default:
		return no_result(branch, OUTCOME_ENFORCEMENT_ERROR,
				 run->detail);
	}
	if (!run->nr_counts)
		return no_result(branch, OUTCOME_ENFORCEMENT_ERROR,
				 "the guard decided nothing at all");
	if (!judge->state || strcmp(run->initial_state, judge->state) != 0)
		return no_result(branch, OUTCOME_ENFORCEMENT_ERROR,
				 "it began in another state than the others");
	breach = find_breach(judge, branch);
	if (breach)
		return no_result(branch, OUTCOME_ENFORCEMENT_ERROR, breach);
	if (branch->role != ROLE_CONTROL && !run->rule_read)
		return no_result(branch, OUTCOME_RULE_NOT_READ,
				 "no process of the agent opened the rule");
	return run->accepted ? OUTCOME_ACCEPTED : OUTCOME_REJECTED;
}

static bool same_grants(const struct record_branch *a,
			const struct record_branch *b)
{
	return a->nr_without == b->nr_without &&
	       (!a->nr_without || !memcmp(a->without, b->without,
					  a->nr_without * sizeof(*a->without)));
}

/* Control with all grants but those of a branch, NULL: there is none. */
static const struct record_branch *
control_without(const struct judge *judge, const struct record_branch *branch)
{
	const struct record *record = judge->record;
	size_t i;

	if (judge->control && same_grants(judge->control, branch))
		return judge->control;
	for (i = 0; i < record->nr_branches; i++) {
		const struct record_branch *control = &record->branches[i];

		if (control->role == ROLE_CONTROL && control->all_grants &&
		    same_grants(control, branch))
			return control;
	}
	return NULL;
}

static bool is_accepted(const struct record_branch *branch)
{
	return branch && branch->outcome == OUTCOME_ACCEPTED;
}

/* Rejected without the grant: does the task need it, or the rule alone? */
static enum branch_outcome rejected_outcome(const struct judge *judge,
					    struct record_branch *branch)
{
	const struct record_branch *control;

	if (is_accepted(judge->control))
		return OUTCOME_COUPLED;
	control = control_without(judge, branch);
	if (!control)
		return no_result(
			branch, OUTCOME_NOT_RUN,
			"rejected, but control was not run without it");
	if (control->outcome == OUTCOME_ACCEPTED)
		return OUTCOME_COUPLED;
	if (control->outcome == OUTCOME_REJECTED)
		return OUTCOME_NEEDED;
	return no_result(branch, control->outcome,
			 control->detail ? control->detail
					 : "control gave no result");
}

static enum branch_outcome deletion_outcome(struct judge *judge,
					    struct record_branch *branch)
{
	enum branch_outcome outcome;

	if (!branch->nr_removed)
		return branch->nr_covered_by ? OUTCOME_INEFFECTIVE
					     : OUTCOME_BASELINE;
	if (!branch->run)
		return OUTCOME_NOT_RUN;
	outcome = run_outcome(judge, branch);
	if (!outcome_is_result(outcome))
		return outcome;
	if (!is_accepted(judge->full))
		return no_result(branch, OUTCOME_NOT_RUN,
				 "full was not accepted, so this says nothing");
	return outcome == OUTCOME_ACCEPTED ? OUTCOME_DISPENSABLE
					   : rejected_outcome(judge, branch);
}

/* All that is withheld is the environment: the kernel sees no getenv. */
static bool is_unobservable(const struct record *record,
			    const struct record_branch *branch)
{
	size_t i;

	for (i = 0; i < branch->nr_without; i++)
		if (record->grants[branch->without[i]].action !=
		    AL_OP_NR_GETENV)
			return false;
	return branch->nr_without;
}

static bool canary_arrived(const struct record_run *run, const char *resource)
{
	size_t i, k;

	for (i = 0; resource && i < run->nr_sinks; i++)
		for (k = 0; k < run->sinks[i].nr_canaries; k++)
			if (!strcmp(run->sinks[i].canaries[k], resource))
				return true;
	return false;
}

/* Is the object a grant's own, or a directory of that tree? */
static bool is_object_of(const struct record *record, uint32_t id,
			 uint32_t granted)
{
	const struct record_object *object;

	if (id == granted)
		return true;
	object = record_object(record, id);
	return object && object->directory && object->within == granted;
}

/* Needs load_removed(). */
static bool went_another_way(const struct judge *judge,
			     const struct record_branch *branch)
{
	const struct record *record = judge->record;
	const struct record_run *run = branch->run;
	size_t i, k;

	for (i = 0; i < branch->nr_without; i++) {
		const struct record_grant *grant =
			&record->grants[branch->without[i]];

		if (canary_arrived(run, grant->declared))
			return true;
		for (k = 0; k < run->nr_counts; k++) {
			const struct record_count *count = &run->counts[k];

			if (count->object < judge->nr_ids &&
			    is_object_of(record, count->object,
					 grant->object) &&
			    !(judge->masks[count->object] &
			      1u << count->operation))
				return true;
		}
	}
	return false;
}

/*
 * Lost events do not matter here: counters are exact. Labels that could not be
 * given do, because then something was counted for another object.
 */
static enum attempt attempt_of(struct judge *judge,
			       struct record_branch *branch)
{
	const struct record_run *run = branch->run;
	size_t i;

	if (is_unobservable(judge->record, branch))
		return ATTEMPT_NOT_OBSERVABLE;
	if (!run || branch->outcome == OUTCOME_ENFORCEMENT_ERROR ||
	    branch->outcome == OUTCOME_CONFIGURATION_ERROR || !run->nr_counts)
		return ATTEMPT_UNKNOWN;
	load_removed(judge, branch);
	for (i = 0; i < run->nr_counts; i++) {
		const struct record_count *count = &run->counts[i];

		if (count->object >= judge->nr_ids ||
		    !(judge->masks[count->object] & 1u << count->operation))
			continue;
		branch->attempted += count->allowed + count->denied;
		branch->denied += count->denied;
	}
	if (branch->denied)
		return ATTEMPT_DENIED;
	if (run->nr_unlabelled)
		return ATTEMPT_UNKNOWN;
	return went_another_way(judge, branch) ? ATTEMPT_ANOTHER_WAY
					       : ATTEMPT_NEVER;
}

static void add_witness(struct record *record, size_t branch)
{
	const struct record_branch *from = &record->branches[branch];
	struct record_witness *witness = ARENA_PUSH(
		record->arena, record->witnesses, record->nr_witnesses);

	*witness = (struct record_witness){
		.branch = branch,
		.grants = from->without,
		.nr_grants = from->nr_without,
	};
}

static void judge_deletions(struct judge *judge)
{
	struct record *record = judge->record;
	size_t i;

	for (i = 0; i < record->nr_branches; i++) {
		struct record_branch *branch = &record->branches[i];

		if (branch->role != ROLE_WITHOUT)
			continue;
		branch->outcome = deletion_outcome(judge, branch);
		branch->attempt = attempt_of(judge, branch);
		if (branch->outcome == OUTCOME_DISPENSABLE &&
		    run_is_intact(judge->full->run) &&
		    run_is_intact(branch->run))
			add_witness(record, i);
	}
}

/* Controls and full come first: the deletions are held against them. */
void judge_record(struct record *record)
{
	struct judge judge cleanup_with(judge_done);
	size_t i;

	judge_init(&judge, record);
	record->witnesses = NULL;
	record->nr_witnesses = 0;
	for (i = 0; i < record->nr_branches; i++) {
		struct record_branch *branch = &record->branches[i];

		branch->detail = NULL;
		branch->attempt = ATTEMPT_UNKNOWN;
		branch->attempted = 0;
		branch->denied = 0;
		if (branch->role != ROLE_WITHOUT)
			branch->outcome = branch->run
						  ? run_outcome(&judge, branch)
						  : OUTCOME_NOT_RUN;
	}
	judge_deletions(&judge);
}

size_t judge_needs_control_without(struct record *record, size_t **ret)
{
	struct judge judge cleanup_with(judge_done);
	size_t *indices = NULL, nr = 0, i;

	judge_record(record);
	judge_init(&judge, record);
	for (i = 0; i < record->nr_branches; i++) {
		struct record_branch *branch = &record->branches[i];

		if (branch->role == ROLE_WITHOUT &&
		    branch->outcome == OUTCOME_NOT_RUN && branch->run &&
		    is_accepted(judge.full) && !is_accepted(judge.control) &&
		    !control_without(&judge, branch))
			*ARENA_PUSH(record->arena, indices, nr) = i;
	}
	*ret = indices;
	return nr;
}
