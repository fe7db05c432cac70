// SPDX-License-Identifier: GPL-2.0-only
/*
 * Outcomes and witnesses from made-up runs, each way there is.
 */
#include "harness.h"

#include "base/cleanup.h"
#include "record_support.h"

/* One grant (reading a key), control, full, without it; all accepted. */
struct single {
	struct record *record;
	uint32_t key;
	struct record_branch *control, *full, *without;
};

static void single_init(struct single *single, unsigned int action)
{
	struct record *record = make_record();
	struct record_run *run;

	single->record = record;
	single->key = make_object(record, "file", "/home/agent/key", NULL);
	make_grant(record, "key", action, "file", "home", "key", single->key);
	make_branch(record, ROLE_CONTROL, 0, SIZE_MAX);
	make_branch(record, ROLE_FULL, SIZE_MAX, SIZE_MAX);
	make_branch(record, ROLE_WITHOUT, 0, SIZE_MAX);
	make_run(record, 0, true);
	run = make_run(record, 1, true);
	ask(record, run, single->key, 1u << action, "key");
	run = make_run(record, 2, true);
	ask(record, run, single->key, 1u << action, "key");
	single->control = &record->branches[0];
	single->full = &record->branches[1];
	single->without = &record->branches[2];
}

FIXTURE(judge)
{
	struct single s;
};

FIXTURE_SETUP(judge)
{
	single_init(&self->s, AL_OP_NR_READ);
}

FIXTURE_TEARDOWN(judge)
{
	record_free(self->s.record);
}

TEST_F(judge, dispensable_has_a_witness)
{
	struct single *s = &self->s;

	judge_record(s->record);
	EXPECT_EQ(s->control->outcome, OUTCOME_ACCEPTED);
	EXPECT_EQ(s->full->outcome, OUTCOME_ACCEPTED);
	EXPECT_EQ(s->without->outcome, OUTCOME_DISPENSABLE);
	EXPECT_EQ(s->without->attempt, ATTEMPT_DENIED);
	EXPECT_EQ(s->without->attempted, 1);
	EXPECT_EQ(s->without->denied, 1);
	ASSERT_EQ(s->record->nr_witnesses, 1);
	EXPECT_EQ(s->record->witnesses[0].branch, 2);
	ASSERT_EQ(s->record->witnesses[0].nr_grants, 1);
	EXPECT_EQ(s->record->witnesses[0].grants[0], 0);
}

/* Judging again forgets what was judged before. */
TEST_F(judge, can_be_repeated)
{
	struct single *s = &self->s;

	judge_record(s->record);
	judge_record(s->record);
	EXPECT_EQ(s->record->nr_witnesses, 1);
	EXPECT_EQ(s->without->attempted, 1);
	s->without->run = NULL;
	judge_record(s->record);
	EXPECT_EQ(s->record->nr_witnesses, 0);
	EXPECT_EQ(s->without->attempted, 0);
	EXPECT_EQ(s->without->outcome, OUTCOME_NOT_RUN);
	EXPECT_EQ(s->without->attempt, ATTEMPT_UNKNOWN);
}

TEST_F(judge, coupled_when_control_needs_nothing)
{
	struct single *s = &self->s;
	size_t *branches;

	s->without->run->accepted = false;
	EXPECT_EQ(judge_needs_control_without(s->record, &branches), 0);
	judge_record(s->record);
	EXPECT_EQ(s->without->outcome, OUTCOME_COUPLED);
	EXPECT_EQ(s->record->nr_witnesses, 0);
}

/* Control needs some grant: only control without this one can tell. */
TEST_F(judge, needed_or_coupled)
{
	struct record *record = self->s.record;
	uint32_t other;
	size_t *branches;

	other = make_object(record, "file", "/srv/table", NULL);
	make_grant(record, "table", AL_OP_NR_READ, "file", "host", "/srv/table",
		   other);
	*ARENA_PUSH(record->arena, record->branches[0].without,
		    record->branches[0].nr_without) = 1;
	make_branch(record, ROLE_WITHOUT, 1, SIZE_MAX);
	make_branch(record, ROLE_CONTROL, SIZE_MAX, SIZE_MAX)->all_grants =
		true;
	make_run(record, 0, false);
	make_run(record, 1, true);
	make_run(record, 2, false);
	make_run(record, 3, false);
	make_run(record, 4, true);
	ASSERT_EQ(judge_needs_control_without(record, &branches), 2);
	EXPECT_EQ(branches[0], 2);
	EXPECT_EQ(branches[1], 3);
	EXPECT_EQ(record->branches[2].outcome, OUTCOME_NOT_RUN);

	make_branch(record, ROLE_CONTROL, 0, SIZE_MAX)->all_grants = true;
	make_run(record, 5, true);
	make_branch(record, ROLE_CONTROL, 1, SIZE_MAX)->all_grants = true;
	make_run(record, 6, false);
	EXPECT_EQ(judge_needs_control_without(record, &branches), 0);
	judge_record(record);
	EXPECT_EQ(record->branches[0].outcome, OUTCOME_REJECTED);
	EXPECT_EQ(record->branches[4].outcome, OUTCOME_ACCEPTED);
	EXPECT_EQ(record->branches[2].outcome, OUTCOME_COUPLED);
	EXPECT_EQ(record->branches[3].outcome, OUTCOME_NEEDED);

	/* A control that gave no result tells nothing. */
	record->branches[6].run->end = RUN_TIMEOUT;
	judge_record(record);
	EXPECT_EQ(record->branches[3].outcome, OUTCOME_TIMEOUT);
}

/* The only grant: the plain control is control without it. */
TEST_F(judge, needed_by_the_plain_control)
{
	struct single *s = &self->s;
	size_t *branches;

	s->control->run->accepted = false;
	s->without->run->accepted = false;
	EXPECT_EQ(judge_needs_control_without(s->record, &branches), 0);
	judge_record(s->record);
	EXPECT_EQ(s->without->outcome, OUTCOME_NEEDED);
}

TEST_F(judge, ineffective_and_baseline)
{
	struct single *s = &self->s;
	size_t cover = 0;

	s->without->nr_removed = 0;
	s->without->run = NULL;
	judge_record(s->record);
	EXPECT_EQ(s->without->outcome, OUTCOME_BASELINE);
	s->without->covered_by = &cover;
	s->without->nr_covered_by = 1;
	judge_record(s->record);
	EXPECT_EQ(s->without->outcome, OUTCOME_INEFFECTIVE);
	EXPECT_EQ(s->record->nr_witnesses, 0);
}

/* A group's witness counts for all of its grants. */
TEST_F(judge, groups)
{
	struct record *record = self->s.record;

	make_grant(record, "link", AL_OP_NR_READ, "file", "home", "link",
		   self->s.key);
	make_branch(record, ROLE_WITHOUT, 0, 1);
	make_run(record, 3, true);
	record->branches[2].run = NULL;
	record->branches[2].nr_removed = 0;
	judge_record(record);
	EXPECT_EQ(record->branches[3].outcome, OUTCOME_DISPENSABLE);
	ASSERT_EQ(record->nr_witnesses, 1);
	EXPECT_EQ(record->witnesses[0].nr_grants, 2);
}

TEST_F(judge, runs_without_result)
{
	static const struct {
		enum run_end end;
		enum branch_outcome outcome;
	} ends[] = {
		{ RUN_TIMEOUT, OUTCOME_TIMEOUT },
		{ RUN_AGENT_FAILED, OUTCOME_AGENT_FAILED },
		{ RUN_ORACLE_ERROR, OUTCOME_ORACLE_ERROR },
		{ RUN_ENFORCEMENT_ERROR, OUTCOME_ENFORCEMENT_ERROR },
		{ RUN_CONFIGURATION_ERROR, OUTCOME_CONFIGURATION_ERROR },
	};
	struct single *s = &self->s;

	for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
		s->without->run->end = ends[i].end;
		s->without->run->detail = "because";
		judge_record(s->record);
		EXPECT_EQ(s->without->outcome, ends[i].outcome);
		EXPECT_STREQ(s->without->detail, "because");
		EXPECT_EQ(s->record->nr_witnesses, 0);
		EXPECT_FALSE(outcome_is_result(s->without->outcome));
	}
}

TEST_F(judge, rule_not_read)
{
	struct single *s = &self->s;

	/* Nobody needs to have read control's empty rule. */
	s->control->run->rule_read = false;
	s->without->run->rule_read = false;
	judge_record(s->record);
	EXPECT_EQ(s->control->outcome, OUTCOME_ACCEPTED);
	EXPECT_EQ(s->without->outcome, OUTCOME_RULE_NOT_READ);
	s->full->run->rule_read = false;
	judge_record(s->record);
	EXPECT_EQ(s->full->outcome, OUTCOME_RULE_NOT_READ);
	EXPECT_EQ(s->record->nr_witnesses, 0);
}

/* A guard that is not there decides nothing. */
TEST_F(judge, no_decision_at_all)
{
	struct single *s = &self->s;

	s->without->run->nr_counts = 0;
	judge_record(s->record);
	EXPECT_EQ(s->without->outcome, OUTCOME_ENFORCEMENT_ERROR);
	EXPECT_EQ(s->without->attempt, ATTEMPT_UNKNOWN);
	EXPECT_EQ(record_error_kind(s->record), ERROR_INTERNAL);
}

TEST_F(judge, another_initial_state)
{
	struct single *s = &self->s;

	s->without->run->initial_state[5] = 'f';
	judge_record(s->record);
	EXPECT_EQ(s->control->outcome, OUTCOME_ACCEPTED);
	EXPECT_EQ(s->without->outcome, OUTCOME_ENFORCEMENT_ERROR);
	EXPECT_HAS_SUBSTR(s->without->detail, "another state");
	s->without->run->initial_state[0] = '\0';
	judge_record(s->record);
	EXPECT_EQ(s->without->outcome, OUTCOME_ENFORCEMENT_ERROR);
}

/* What the policy forbids was counted as allowed. */
TEST_F(judge, a_breach_is_no_result)
{
	struct single *s = &self->s;
	struct record_run *run = s->without->run;

	for (size_t i = 0; i < run->nr_counts; i++)
		if (run->counts[i].object == s->key)
			run->counts[i].allowed = 1;
	judge_record(s->record);
	EXPECT_EQ(s->without->outcome, OUTCOME_ENFORCEMENT_ERROR);
	EXPECT_HAS_SUBSTR(s->without->detail, "forbids");
}

/* The policy that was loaded permits what should be withheld. */
TEST_F(judge, a_wrong_policy_is_no_result)
{
	struct single *s = &self->s;
	struct record_run *run = s->without->run;

	for (size_t i = 0; i < run->nr_rules; i++)
		if (run->rules[i].object == s->key)
			run->rules[i].allow |= AL_OP_READ;
	judge_record(s->record);
	EXPECT_EQ(s->without->outcome, OUTCOME_ENFORCEMENT_ERROR);
	EXPECT_HAS_SUBSTR(s->without->detail, "withheld");
}

TEST_F(judge, lost_evidence_is_no_witness)
{
	struct single *s = &self->s;

	/* Counters are exact although events were lost. */
	s->without->run->nr_lost = 1;
	judge_record(s->record);
	EXPECT_EQ(s->without->outcome, OUTCOME_DISPENSABLE);
	EXPECT_EQ(s->without->attempt, ATTEMPT_DENIED);
	EXPECT_EQ(s->record->nr_witnesses, 0);
	s->without->run->nr_lost = 0;
	s->full->run->nr_unlabelled = 1;
	judge_record(s->record);
	EXPECT_EQ(s->record->nr_witnesses, 0);
	s->full->run->nr_unlabelled = 0;
	judge_record(s->record);
	EXPECT_EQ(s->record->nr_witnesses, 1);
}

TEST_F(judge, full_not_accepted)
{
	struct single *s = &self->s;

	s->full->run->accepted = false;
	judge_record(s->record);
	EXPECT_EQ(s->full->outcome, OUTCOME_REJECTED);
	EXPECT_EQ(s->without->outcome, OUTCOME_NOT_RUN);
	EXPECT_EQ(s->record->nr_witnesses, 0);
}

/* ---- attempts */

static struct record_run *fresh_run(struct single *s)
{
	return make_run(s->record, 2, true);
}

TEST_F(judge, never_attempted)
{
	fresh_run(&self->s);
	judge_record(self->s.record);
	EXPECT_EQ(self->s.without->attempt, ATTEMPT_NEVER);
	EXPECT_EQ(self->s.without->attempted, 0);
}

TEST_F(judge, another_operation_is_another_way)
{
	struct single *s = &self->s;

	ask(s->record, fresh_run(s), s->key, AL_OP_SETATTR, "key");
	judge_record(s->record);
	EXPECT_EQ(s->without->attempt, ATTEMPT_ANOTHER_WAY);
	EXPECT_EQ(s->without->attempted, 0);
}

TEST_F(judge, a_canary_is_another_way)
{
	struct single *s = &self->s;
	struct record_run *run = fresh_run(s);

	send_to(s->record, run, OBJECT_WORKSPACE, 10, "other");
	judge_record(s->record);
	EXPECT_EQ(s->without->attempt, ATTEMPT_NEVER);
	send_to(s->record, run, OBJECT_WORKSPACE, 10, "key");
	judge_record(s->record);
	EXPECT_EQ(s->without->attempt, ATTEMPT_ANOTHER_WAY);
}

TEST_F(judge, unlabelled_makes_absence_unknown)
{
	struct single *s = &self->s;
	struct record_run *run = fresh_run(s);

	run->nr_unlabelled = 1;
	judge_record(s->record);
	EXPECT_EQ(s->without->attempt, ATTEMPT_UNKNOWN);
	/* What was seen was seen. */
	ask(s->record, run, s->key, AL_OP_READ, "key");
	judge_record(s->record);
	EXPECT_EQ(s->without->attempt, ATTEMPT_DENIED);
}

/* A directory of a withheld tree counts for the tree. */
TEST_F(judge, directories_of_a_tree)
{
	struct single *s = &self->s;
	uint32_t directory =
		make_object(s->record, "dir", "/home/agent/key/d", NULL);
	struct record_run *run;

	s->record->objects[directory].directory = true;
	s->record->objects[directory].within = s->key;
	run = fresh_run(s);
	ask(s->record, run, directory, AL_OP_READ, "d");
	judge_record(s->record);
	EXPECT_EQ(s->without->attempt, ATTEMPT_DENIED);
	EXPECT_EQ(s->without->denied, 1);
}

TEST(getenv_cannot_be_observed)
{
	struct single s;

	single_init(&s, AL_OP_NR_GETENV);
	judge_record(s.record);
	EXPECT_EQ(s.without->attempt, ATTEMPT_NOT_OBSERVABLE);
	EXPECT_EQ(s.without->outcome, OUTCOME_DISPENSABLE);
	record_free(s.record);
}

TEST(the_running_example)
{
	struct record *record = make_rename_total();

	judge_record(record);
	ASSERT_EQ(record->nr_witnesses, 3);
	for (size_t i = 2; i < 5; i++) {
		EXPECT_EQ(record->branches[i].outcome, OUTCOME_DISPENSABLE);
		EXPECT_EQ(record->branches[i].attempt, ATTEMPT_DENIED);
		EXPECT_EQ(record->branches[i].denied, 1);
	}
	record_free(record);
}

TEST(exit_status)
{
	EXPECT_EQ(verdict_exit(VERDICT_CLEAR, ERROR_CONFIG), 0);
	EXPECT_EQ(verdict_exit(VERDICT_ALARM, ERROR_CONFIG), 1);
	EXPECT_EQ(verdict_exit(VERDICT_UNRESOLVED, ERROR_CONFIG), 2);
	EXPECT_EQ(verdict_exit(VERDICT_ERROR, ERROR_CONFIG), 78);
	EXPECT_EQ(verdict_exit(VERDICT_ERROR, ERROR_INTERNAL), 70);
}

TEST(names_of_branches)
{
	struct record *record = make_rename_total();
	struct arena *arena = arena_new();

	EXPECT_STREQ(record_branch_name(record, &record->branches[0], arena),
		     "control");
	EXPECT_STREQ(record_branch_name(record, &record->branches[2], arena),
		     "without upload.read");
	record->branches[0].all_grants = true;
	EXPECT_STREQ(record_branch_name(record, &record->branches[0], arena),
		     "control with all grants but upload.read, upload.exec, "
		     "upload.connect");
	arena_free(arena);
	record_free(record);
}
