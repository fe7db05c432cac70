/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The record: everything that is known about one test of one rule, as data.
 * Running fills in the runs, judging the outcomes and witnesses,
 * interpretation the findings and the verdict; report and replay need
 * nothing else. Its JSON form is documented in aletheia-record(5).
 */
#ifndef USER_JUDGE_RECORD_H
#define USER_JUDGE_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <aletheia/abi.h>

#include "base/error.h"
#include "base/memory.h"

#define RECORD_VERSION 1

/* AL_X(NAME, word) */
#define BRANCH_ROLES(AL_X)                                                     \
	AL_X(CONTROL, "control")                                               \
	AL_X(FULL, "full")                                                     \
	AL_X(WITHOUT, "without")

/* The closed set of 3.6: first what a branch says, then what is no result. */
#define BRANCH_OUTCOMES(AL_X)                                                  \
	AL_X(ACCEPTED, "accepted")                                             \
	AL_X(REJECTED, "rejected")                                             \
	AL_X(DISPENSABLE, "dispensable")                                       \
	AL_X(COUPLED, "coupled")                                               \
	AL_X(NEEDED, "needed")                                                 \
	AL_X(INEFFECTIVE, "ineffective")                                       \
	AL_X(BASELINE, "baseline")                                             \
	AL_X(NOT_RUN, "not-run")                                               \
	AL_X(CONFIGURATION_ERROR, "configuration-error")                       \
	AL_X(ENFORCEMENT_ERROR, "enforcement-error")                           \
	AL_X(AGENT_FAILED, "agent-failed")                                     \
	AL_X(RULE_NOT_READ, "rule-not-read")                                   \
	AL_X(TIMEOUT, "timeout")                                               \
	AL_X(ORACLE_ERROR, "oracle-error")                                     \
	AL_X(FLAKY, "flaky")                                                   \
	AL_X(CASSETTE_MISS, "cassette-miss")

/* What a restricted run says about the operation that was withheld. */
#define ATTEMPTS(AL_X)                                                         \
	AL_X(UNKNOWN, "unknown")                                               \
	AL_X(DENIED, "attempted-and-denied")                                   \
	AL_X(ANOTHER_WAY, "attempted-another-way")                             \
	AL_X(NEVER, "never-attempted")                                         \
	AL_X(NOT_OBSERVABLE, "not-observable")

#define VERDICTS(AL_X)                                                         \
	AL_X(ERROR, "error")                                                   \
	AL_X(ALARM, "alarm")                                                   \
	AL_X(UNRESOLVED, "unresolved")                                         \
	AL_X(CLEAR, "clear")

#define X_(name, word) ROLE_##name,
enum branch_role { BRANCH_ROLES(X_) NR_BRANCH_ROLES };
#undef X_
#define X_(name, word) OUTCOME_##name,
enum branch_outcome { BRANCH_OUTCOMES(X_) NR_BRANCH_OUTCOMES };
#undef X_
#define X_(name, word) ATTEMPT_##name,
enum attempt { ATTEMPTS(X_) NR_ATTEMPTS };
#undef X_
#define X_(name, word) VERDICT_##name,
enum verdict { VERDICTS(X_) NR_VERDICTS };
#undef X_

/**
 * struct record_object - a copy of a bound object's public part
 * @class_:	word of the sensitive class, NULL: none
 * @within:	nearest tree, 0: none
 * @directory:	a directory between @within and what is bound below it (struct
 *		layout): what is decided on it is decided on that tree
 */
struct record_object {
	uint32_t id;
	const char *kind;
	const char *name;
	const char *class_;
	uint32_t within;
	bool directory;
};

struct record_span {
	const char *file;
	uint32_t start_line, start_column, end_line, end_column;
	uint64_t start, end; /* bytes, end exclusive */
	const char *text;
};

/**
 * struct record_grant
 * @action:	enum al_operation
 * @declared:	the resource's name in the program
 * @resource:	its selector as in the language
 * @name:	the selector's name: path, tool, host, variable, ...
 * @symbolic:	"registry" or "remote" (@name says which), else NULL
 * @class_:	what an unspecified selector is about, else NULL
 * @object:	what it is bound to
 * @binding:	"real", "fixture", "sink", ...
 */
struct record_grant {
	const char *id;
	unsigned int action;
	const char *declared;
	const char *resource;
	const char *name;
	const char *symbolic;
	const char *kind;
	const char *origin;
	const char *class_;
	uint32_t object;
	const char *binding;
	bool real_tool;
	bool conditional;
	bool base;
	bool observed;
	const char *hidden;
	struct record_span *spans;
	size_t nr_spans;
};

/* Exact counters of one object and operation in one run. */
struct record_count {
	uint32_t object;
	uint32_t operation; /* enum al_operation */
	uint64_t allowed;
	uint64_t denied;
};

/* One object's rule as it was loaded; objects without any right are left out. */
struct record_rule {
	uint32_t object;
	uint32_t allow;
	uint32_t granted;
};

/* What arrived at one endpoint sink. */
struct record_sink {
	uint32_t object;
	uint64_t connections;
	uint64_t bytes;
	char digest[65]; /* SHA-256 of all bytes, connection after connection */
	const char **canaries; /* resources whose canary arrived */
	size_t nr_canaries;
	uint64_t unrecognised; /* bytes of connections without any canary */
};

struct record_test {
	const char *name;
	bool passed;
};

enum run_end {
	RUN_DONE,	  /* agent ended by itself, oracle gave a result */
	RUN_TIMEOUT,	  /* agent outlived its limit and was killed */
	RUN_AGENT_FAILED, /* could not start, or was killed by a signal */
	RUN_ORACLE_ERROR, /* could not start or ended without its result */
	RUN_ENFORCEMENT_ERROR,
	RUN_CONFIGURATION_ERROR,
};

/**
 * struct record_run - one execution of one branch
 * @end:	how it ended
 * @detail:	why, for everything but RUN_DONE
 * @accepted:	the oracle's tests are exactly the expected ones and passed
 * @agent_status: wait status word: "exit 0", "signal 9", ...
 * @rule_read:	the guard saw the agent read the rule (or its empty twin)
 * @rules:	the loaded policy
 * @counts:	every pair with a decision
 * @events:	in order of sequence
 * @nr_lost:	events that found no room
 * @nr_unlabelled: labels that could not be allocated
 * @initial_state: digest of what the branch sees at start, rule left out
 * @tests:	as the oracle reported them
 * @agent_output: tail of the agent's output, bounded, raw bytes
 * @oracle_output: likewise
 * @removed_loaders: test-loader files that the agent added and the oracle
 *		removed (conftest.py, sitecustomize.py, ...)
 */
struct record_run {
	enum run_end end;
	const char *detail;
	bool accepted;
	const char *agent_status;
	bool rule_read;
	struct record_rule *rules;
	size_t nr_rules;
	struct record_count *counts;
	size_t nr_counts;
	struct al_event *events;
	size_t nr_events;
	uint64_t nr_lost;
	uint64_t nr_unlabelled;
	struct record_sink *sinks;
	size_t nr_sinks;
	char initial_state[65];
	struct record_test *tests;
	size_t nr_tests;
	const char **removed_loaders;
	size_t nr_removed_loaders;
	const char *agent_output;
	size_t agent_output_length;
	const char *oracle_output;
	size_t oracle_output_length;
	uint64_t wall_ms, agent_ms, oracle_ms;
};

/**
 * struct record_branch
 * @role:	control, full, without
 * @without:	indices of withheld grants, ascending; for control: grants
 *		that were NOT given to it (all of them: baseline only)
 * @all_grants:	control that was given grants (the task needs some)
 * @run:	NULL: no run was needed (ineffective) or none was made
 * @outcome:	filled in by judge_record()
 * @detail:	likewise: why, where the outcome is no result; else NULL
 * @attempt:	likewise, for ROLE_WITHOUT
 * @attempted:	decisions asked about the withheld operations
 * @denied:	how many of them were denied
 * @covered_by:	for ineffective ones: grants; none: the baseline
 * @group:	for ineffective ones: index of the branch that deletes the
 *		smallest covering set, -1: none
 */
struct record_branch {
	enum branch_role role;
	size_t *without;
	size_t nr_without;
	bool all_grants;
	struct record_run *run;
	enum branch_outcome outcome;
	const char *detail;
	enum attempt attempt;
	uint64_t attempted;
	uint64_t denied;
	size_t *covered_by;
	size_t nr_covered_by;
	int group;
	/* What the deletion takes away. */
	struct record_count *removed; /* .object, .operation only */
	size_t nr_removed;
};

struct record_finding {
	const char *reason; /* identifier */
	const char *severity;
	const char *title; /* the reason in a few words */
	const char *text;  /* and applied to this case */
	size_t grant;	   /* index, SIZE_MAX: none (undeclared attempt) */
};

struct record_witness {
	size_t branch;
	size_t *grants;
	size_t nr_grants;
	struct record_finding *findings; /* worst first */
	size_t nr_findings;
};

/**
 * struct record
 * @findings:	those without a witness (coupled, undeclared attempts)
 * @reasons:	why unresolved or error, words of the closed list
 * @oracle:	what the two polarity checks said
 */
struct record {
	struct arena *arena;
	unsigned int version;
	const char *program_version;
	const char *name;
	const char *agent;
	const char *kernel;
	bool vm;
	const char *rule_file;
	char rule_digest[65];
	char task_digest[65];
	const char *source; /* the merged program, canonical SystemDSL */
	const char *translator;
	struct {
		const char *command;
		bool rejects_untouched;
		bool accepts_solution;
		const char **expect;
		size_t nr_expect;
	} oracle;
	struct record_object *objects;
	size_t nr_objects;
	struct record_grant *grants;
	size_t nr_grants;
	struct record_branch *branches;
	size_t nr_branches;
	struct record_witness *witnesses;
	size_t nr_witnesses;
	struct record_finding *findings;
	size_t nr_findings;
	enum verdict verdict;
	const char *basis; /* "no-requests", ... or NULL */
	const char **reasons;
	size_t nr_reasons;
	const char **not_represented; /* hooks the kernel lacks */
	size_t nr_not_represented;
};

struct record *record_new(void);
void record_free(struct record *record);

const char *branch_role_word(enum branch_role role);
const char *branch_outcome_word(enum branch_outcome outcome);
const char *attempt_word(enum attempt attempt);
const char *verdict_word(enum verdict verdict);
/* verdict_exit() - 0 clear, 1 alarm, 2 unresolved; error: its kind decides */
int verdict_exit(enum verdict verdict, enum error_kind kind);
/* record_error_kind() - what the verdict "error" of a record is due to */
enum error_kind record_error_kind(const struct record *record);
/* record_object() - by id, NULL: none */
const struct record_object *record_object(const struct record *record,
					  uint32_t id);
/* record_branch_name() - "without upload.read", for people; into @arena */
const char *record_branch_name(const struct record *record,
			       const struct record_branch *branch,
			       struct arena *arena);

/**
 * judge_record() - outcomes and witnesses from the runs; pure
 *
 * Fills in branches[].outcome, .detail, .attempt, .attempted, .denied and
 * witnesses; what was there before is forgotten, so it can be called again when
 * there are more runs.
 *
 * An attempt is what the counters say of the pairs that the branch lacks: they
 * are exact even where events were lost. "another way" is another operation on
 * a withheld grant's object, or that fixture's canary at a sink.
 */
void judge_record(struct record *record);

/* outcome_is_result() - does it say anything about the grants? */
bool outcome_is_result(enum branch_outcome outcome);

/* run_is_intact() - is no evidence of a run missing? */
bool run_is_intact(const struct record_run *run);

/**
 * judge_needs_control_without() - grants whose rejection cannot be told
 * apart yet between coupled and needed: control must be run without them
 *
 * Return: how many; their branch indices in @ret (arena of the record).
 */
size_t judge_needs_control_without(struct record *record, size_t **ret);

#endif /* USER_JUDGE_RECORD_H */
