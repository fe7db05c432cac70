// SPDX-License-Identifier: GPL-2.0-only
/*
 * A record held against itself: every decision is made again by the decision
 * core, counters are held against events and policies against each other, and
 * the judgement is made again from the runs.
 */
#include <errno.h>
#include <string.h>

#include <aletheia/decide.h>

#include "base/cleanup.h"
#include "dsl/program.h"
#include "interpret/interpret.h"
#include "report/report.h"

/**
 * struct replayer
 * @rules:	[nr_ids] of the run at hand, by object id
 * @events:	[nr_ids] decisions among its events, by object id
 * @branch:	its name, for messages
 */
struct replayer {
	const struct record *record;
	struct error **err;
	struct arena *arena;
	unsigned int nr_disagreements;
	size_t nr_ids;
	struct al_rule *rules;
	struct al_count *events;
	const char *branch;
};

__attribute__((format(printf, 2, 3))) static void
disagree(struct replayer *replayer, const char *format, ...)
{
	va_list args;
	char *text;

	if (replayer->nr_disagreements++ >= AL_MAX_ERRORS)
		return;
	va_start(args, format);
	text = xvasprintf(format, args);
	va_end(args);
	error_set(replayer->err, ERROR_INPUT, EBADMSG, "%s: %s",
		  replayer->branch, text);
	free(text);
}

static void load_run(struct replayer *replayer, const struct record_run *run)
{
	size_t i;

	memset(replayer->rules, 0, replayer->nr_ids * sizeof(*replayer->rules));
	memset(replayer->events, 0,
	       replayer->nr_ids * sizeof(*replayer->events));
	for (i = 0; i < run->nr_rules; i++)
		replayer->rules[run->rules[i].object] =
			(struct al_rule){ run->rules[i].allow,
					  run->rules[i].granted };
}

/* ---- decisions */

static struct al_verdict decide_again(const struct replayer *replayer,
				      const struct al_event *event)
{
	struct al_query query = {
		.allow = replayer->rules[event->object].allow,
		.granted = replayer->rules[event->object].granted,
		.wanted = event->operations,
		.object = event->object,
		.kind = event->kind,
		.mode = AL_MODE_ENFORCE,
		.moves = event->moves,
		.from = replayer->rules[event->from].allow,
	};

	return al_decide(&query);
}

/* Hooks may refuse with another errno than EACCES, never with EXDEV. */
static bool same_answer(const struct al_verdict *verdict,
			const struct al_event *event)
{
	if (verdict->missing != event->missing)
		return false;
	if (!verdict->error || verdict->error == EXDEV || event->error == EXDEV)
		return event->error == (__s32)verdict->error;
	return event->error != 0;
}

static void tally(struct replayer *replayer, const struct al_event *event)
{
	struct al_count *count = &replayer->events[event->object];
	unsigned int i;

	for (i = 0; i < AL_NR_OPERATIONS; i++) {
		if (event->missing & 1u << i)
			count->denied[i]++;
		else if (!event->missing && event->operations & 1u << i)
			count->allowed[i]++;
	}
}

static void replay_events(struct replayer *replayer,
			  const struct record_run *run)
{
	uint64_t last = 0, gaps = 0;
	size_t i;

	for (i = 0; i < run->nr_events; i++) {
		const struct al_event *event = &run->events[i];
		struct al_verdict verdict = decide_again(replayer, event);

		if (!same_answer(&verdict, event))
			disagree(replayer,
				 "event %llu: \"%s\" on object %u was %s; "
				 "decided again it is %s",
				 event->sequence,
				 operations_text(replayer->arena,
						 event->operations),
				 event->object,
				 event->missing ? "denied" : "allowed",
				 verdict.missing ? "denied" : "allowed");
		if (event->sequence <= last)
			disagree(replayer, "event %llu is out of order",
				 event->sequence);
		else
			gaps += event->sequence - last - 1;
		last = event->sequence;
		tally(replayer, event);
	}
	/* What was lost behind the last event leaves no gap. */
	if (gaps > run->nr_lost)
		disagree(replayer,
			 "%llu events are missing, but only %llu were lost",
			 (unsigned long long)gaps,
			 (unsigned long long)run->nr_lost);
}

/* ---- counters */

/* Each denial is an event, and so is each decision that a grant is about. */
static void replay_count(struct replayer *replayer,
			 const struct record_run *run,
			 const struct record_count *count)
{
	const struct al_rule *rule = &replayer->rules[count->object];
	struct al_count *events = &replayer->events[count->object];
	unsigned int operation = count->operation;
	uint64_t denied = events->denied[operation];
	uint64_t allowed = events->allowed[operation];
	bool each = rule->granted & 1u << operation;

	if (count->allowed && count->object != AL_OBJECT_NONE &&
	    !(rule->allow & 1u << operation))
		disagree(replayer,
			 "\"%s\" on object %u was allowed, which its policy "
			 "forbids",
			 operation_word(operation), count->object);
	if (denied > count->denied || allowed > count->allowed)
		disagree(replayer,
			 "there are more events than decisions of \"%s\" on "
			 "object %u",
			 operation_word(operation), count->object);
	else if (!run->nr_lost && count->object != AL_OBJECT_NONE &&
		 (denied < count->denied || (each && allowed < count->allowed)))
		disagree(replayer,
			 "decisions of \"%s\" on object %u have no event, "
			 "although none was lost",
			 operation_word(operation), count->object);
	events->denied[operation] = 0;
	events->allowed[operation] = 0;
}

/* Events whose pair has no counter are left over. */
static void replay_counts(struct replayer *replayer,
			  const struct record_run *run)
{
	unsigned int operation;
	size_t id, i;

	for (i = 0; i < run->nr_counts; i++)
		replay_count(replayer, run, &run->counts[i]);
	for (id = AL_OBJECT_FIRST; id < replayer->nr_ids; id++)
		for (operation = 0; operation < AL_NR_OPERATIONS; operation++)
			if (replayer->events[id].allowed[operation] ||
			    replayer->events[id].denied[operation])
				disagree(replayer,
					 "events of \"%s\" on object %zu were "
					 "never counted",
					 operation_word(operation), id);
}

/* ---- policies */

static bool is_removed(const struct record_branch *branch, uint32_t object,
		       unsigned int operation)
{
	size_t i;

	for (i = 0; i < branch->nr_removed; i++)
		if (branch->removed[i].object == object &&
		    branch->removed[i].operation == operation)
			return true;
	return false;
}

/* What full may and this one may not must be what the branch lacks. */
static void replay_reduction(struct replayer *replayer,
			     const struct record_branch *branch,
			     const struct record_run *full)
{
	const struct record *record = replayer->record;
	uint32_t *more =
		arena_alloc(replayer->arena, replayer->nr_ids * sizeof(*more));
	unsigned int operation;
	size_t i;

	for (i = 0; i < full->nr_rules; i++)
		more[full->rules[i].object] = full->rules[i].allow;
	for (i = 0; i < record->nr_objects; i++) {
		uint32_t id = record->objects[i].id;
		uint32_t less = replayer->rules[id].allow;

		if (less & ~more[id])
			disagree(replayer,
				 "object %u has rights that full lacks", id);
		if (record->objects[i].directory)
			continue;
		for (operation = 0; operation < AL_NR_OPERATIONS; operation++)
			if (!(more[id] & ~less & 1u << operation) ==
			    is_removed(branch, id, operation))
				disagree(replayer,
					 "the policies and what was taken away "
					 "differ in \"%s\" on object %u",
					 operation_word(operation), id);
	}
}

/* ---- judgement */

static const json_t *member(const json_t *json, const char *key)
{
	return json_object_get(json, key);
}

static void compare_member(struct replayer *replayer, const json_t *was,
			   const json_t *is, const char *key)
{
	char *before, *after;

	if (json_equal(member(was, key), member(is, key)))
		return;
	before = json_dumps(member(was, key), JSON_ENCODE_ANY | JSON_COMPACT);
	after = json_dumps(member(is, key), JSON_ENCODE_ANY | JSON_COMPACT);
	disagree(replayer, "\"%s\" was %.200s; judged again it is %.200s", key,
		 before ? before : "?", after ? after : "?");
	free(before);
	free(after);
}

static void compare_records(struct replayer *replayer, const json_t *was,
			    const json_t *is)
{
	static const char *const tops[] = { "verdict", "basis", "reasons",
					    "witnesses", "findings" };
	static const char *const branches[] = { "outcome", "detail", "attempt",
						"attempted", "denied" };
	const struct record *record = replayer->record;
	size_t i, k;

	replayer->branch = "judgement";
	for (i = 0; i < ARRAY_SIZE(tops); i++)
		compare_member(replayer, was, is, tops[i]);
	for (i = 0; i < record->nr_branches; i++) {
		replayer->branch = record_branch_name(
			record, &record->branches[i], replayer->arena);
		for (k = 0; k < ARRAY_SIZE(branches); k++)
			compare_member(
				replayer,
				json_array_get(member(was, "branches"), i),
				json_array_get(member(is, "branches"), i),
				branches[k]);
	}
}

static int judge_again(struct replayer *replayer, const struct reasons *reasons,
		       struct error **err)
{
	json_t *was = record_to_json(replayer->record), *is;
	struct record *copy;
	int r;

	r = record_from_json(was, &copy, err);
	if (!r) {
		judge_record(copy);
		interpret_record(copy, reasons);
		is = record_to_json(copy);
		compare_records(replayer, was, is);
		json_decref(is);
		record_free(copy);
	}
	json_decref(was);
	return r;
}

/* ---- all of it */

/* Where records are read, ids are bounded. */
#define NR_IDS (AL_MAX_OBJECTS + 1)

static const struct record_run *full_run(const struct record *record)
{
	size_t i;

	for (i = 0; i < record->nr_branches; i++)
		if (record->branches[i].role == ROLE_FULL)
			return record->branches[i].run;
	return NULL;
}

int record_replay(const struct record *record, const struct reasons *reasons,
		  struct error **err)
{
	const struct record_run *full = full_run(record);
	struct arena *arena cleanup_arena = arena_new();
	struct al_rule *rules cleanup_free = NULL;
	struct al_count *events cleanup_free = NULL;
	struct replayer replayer = {
		.record = record,
		.err = err,
		.arena = arena,
		.nr_ids = NR_IDS,
	};
	size_t i;
	int r;

	/* First, because it goes through the reader, which checks all ids. */
	r = judge_again(&replayer, reasons, err);
	if (r)
		return r;
	replayer.rules = rules =
		xreallocarray(NULL, replayer.nr_ids, sizeof(*rules));
	replayer.events = events =
		xreallocarray(NULL, replayer.nr_ids, sizeof(*events));
	for (i = 0; i < record->nr_branches; i++) {
		const struct record_branch *branch = &record->branches[i];

		if (!branch->run)
			continue;
		replayer.branch = record_branch_name(record, branch, arena);
		load_run(&replayer, branch->run);
		replay_events(&replayer, branch->run);
		replay_counts(&replayer, branch->run);
		if (branch->role == ROLE_WITHOUT && full)
			replay_reduction(&replayer, branch, full);
	}
	return replayer.nr_disagreements ? -EBADMSG : 0;
}
