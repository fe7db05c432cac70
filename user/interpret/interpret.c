// SPDX-License-Identifier: GPL-2.0-only
/*
 * From witnesses to findings and a verdict.
 */
#include "interpret/interpret.h"

#include <arpa/inet.h>
#include <string.h>

#include "base/cleanup.h"
#include "dsl/program.h"
#include "interpret/reasons.h"

/**
 * struct interpreter
 * @arena:	scratch
 * @facts:	[record->nr_grants] computed once
 * @full:	the full branch, @control: with the baseline alone; may be NULL
 */
struct interpreter {
	struct record *record;
	const struct reasons *reasons;
	struct arena *arena;
	struct facts *facts;
	const struct record_branch *full;
	const struct record_branch *control;
};

/* ---- facts against conditions */

static bool test_holds(const struct test *test, const struct facts *facts)
{
	bool any = false;
	size_t i;

	for (i = 0; i < test->nr_values && !any; i++)
		any = facts_have(facts, test->fact, test->values[i]);
	return any != test->negated;
}

/*
 * What nobody asked for meets only the conditions that say so: attempts are
 * noisy, and most are nothing.
 */
static bool tests_hold(const struct condition *condition,
		       const struct facts *facts)
{
	bool says_undeclared = false;
	size_t i;

	for (i = 0; i < condition->nr_tests; i++) {
		if (!test_holds(&condition->tests[i], facts))
			return false;
		says_undeclared |=
			!strcmp(condition->tests[i].fact, "undeclared");
	}
	return says_undeclared || !facts_have(facts, "undeclared", "yes");
}

/* Another grant that meets a condition, SIZE_MAX: none. */
static size_t find_also(const struct interpreter *interpreter,
			const struct condition *condition, size_t self)
{
	size_t i;

	for (i = 0; i < interpreter->record->nr_grants; i++)
		if (i != self && tests_hold(condition, &interpreter->facts[i]))
			return i;
	return SIZE_MAX;
}

static bool condition_holds(const struct interpreter *interpreter,
			    const struct condition *condition,
			    const struct facts *facts, size_t self,
			    size_t *ret_also)
{
	size_t i, also = SIZE_MAX;

	if (!tests_hold(condition, facts))
		return false;
	for (i = 0; i < condition->nr_also; i++) {
		also = find_also(interpreter, &condition->also[i], self);
		if (also == SIZE_MAX)
			return false;
	}
	*ret_also = also;
	return true;
}

static bool is_ordinary(const struct interpreter *interpreter, const char *id,
			const struct facts *facts, size_t self)
{
	const struct reasons *reasons = interpreter->reasons;
	size_t i, k, also;

	for (i = 0; i < reasons->nr_ordinary; i++) {
		const struct ordinary *ordinary = &reasons->ordinary[i];

		if (strcmp(ordinary->id, id) != 0)
			continue;
		for (k = 0; k < ordinary->nr_when; k++)
			if (condition_holds(interpreter, &ordinary->when[k],
					    facts, self, &also))
				return true;
	}
	return false;
}

/* The worst case of a reason that holds, NULL: none does. */
static const struct condition *
find_condition(const struct interpreter *interpreter,
	       const struct reason *reason, const struct facts *facts,
	       size_t self, bool second, size_t *ret_also)
{
	const struct condition *worst = NULL;
	size_t i, also = SIZE_MAX;

	for (i = 0; i < reason->nr_justified_by; i++)
		if (is_ordinary(interpreter, reason->justified_by[i], facts,
				self))
			return NULL;
	for (i = 0; i < reason->nr_when; i++) {
		const struct condition *condition = &reason->when[i];

		if (condition->second != second ||
		    !condition_holds(interpreter, condition, facts, self,
				     &also) ||
		    (worst && worst->severity >= condition->severity))
			continue;
		worst = condition;
		*ret_also = also;
	}
	return worst;
}

/* ---- findings */

struct findings {
	struct record_finding *items;
	size_t nr;
};

static const char *object_text(const struct record *record,
			       const struct record_grant *grant)
{
	const struct record_object *object =
		record_object(record, grant->object);

	return object && grant->object ? object->name : grant->resource;
}

/* The explanation with "{object}" and "{also}" replaced. */
static const char *expand(const struct interpreter *interpreter,
			  const char *text, const char *object, size_t also)
{
	const struct record *record = interpreter->record;
	struct buffer out cleanup_buffer = { 0 };

	while (*text) {
		if (!strncmp(text, "{object}", 8)) {
			buffer_adds(&out, object);
			text += 8;
		} else if (!strncmp(text, "{also}", 6)) {
			buffer_adds(
				&out,
				also == SIZE_MAX
					? "?"
					: object_text(record,
						      &record->grants[also]));
			text += 6;
		} else {
			buffer_addc(&out, *text++);
		}
	}
	return arena_strdup(record->arena, buffer_text(&out));
}

static void add_finding(const struct interpreter *interpreter,
			struct findings *findings, const char *id,
			enum severity severity, const char *title,
			const char *text, size_t grant)
{
	struct arena *arena = interpreter->record->arena;
	struct record_finding *finding =
		ARENA_PUSH(arena, findings->items, findings->nr);

	finding->reason = arena_strdup(arena, id);
	finding->severity = severity_word(severity);
	finding->title = arena_strdup(arena, title);
	finding->text = text;
	finding->grant = grant;
}

static void match_reasons(const struct interpreter *interpreter,
			  const struct facts *facts, const char *object,
			  size_t self, bool second, struct findings *findings)
{
	const struct reasons *reasons = interpreter->reasons;
	size_t i, also = SIZE_MAX;

	for (i = 0; i < reasons->nr_reasons; i++) {
		const struct reason *reason = &reasons->reasons[i];
		const struct condition *condition = find_condition(
			interpreter, reason, facts, self, second, &also);

		if (condition)
			add_finding(interpreter, findings, reason->id,
				    condition->severity, reason->title,
				    expand(interpreter, reason->explanation,
					   object, also),
				    self);
	}
}

/* What a grant would be reproached with if the outcome were this. */
static void find_reasons(const struct interpreter *interpreter, size_t grant,
			 enum branch_outcome outcome, struct findings *findings)
{
	const struct record *record = interpreter->record;
	const char *object = object_text(record, &record->grants[grant]);
	struct facts facts = interpreter->facts[grant];
	size_t before = findings->nr;

	/* A copy: the shared facts know no outcome. */
	facts.items = arena_alloc(interpreter->arena,
				  (facts.nr + 2) * sizeof(*facts.items));
	memcpy(facts.items, interpreter->facts[grant].items,
	       facts.nr * sizeof(*facts.items));
	facts.items[facts.nr++] =
		(struct fact){ "outcome", branch_outcome_word(outcome) };
	match_reasons(interpreter, &facts, object, grant, false, findings);
	facts.items[facts.nr++] =
		(struct fact){ "flagged",
			       findings->nr > before ? "yes" : "no" };
	match_reasons(interpreter, &facts, object, grant, true, findings);
}

static unsigned int severity_rank(const struct record_finding *finding)
{
	unsigned int rank;

	for (rank = 0; rank < NR_SEVERITIES; rank++)
		if (!strcmp(finding->severity, severity_word(rank)))
			break;
	return rank;
}

/* Worst first, else in order of grants and table: insertion keeps order. */
static void sort_findings(struct findings *findings)
{
	size_t i, k;

	for (i = 1; i < findings->nr; i++) {
		struct record_finding moved = findings->items[i];

		for (k = i; k > 0 && severity_rank(&findings->items[k - 1]) <
					     severity_rank(&moved);
		     k--)
			findings->items[k] = findings->items[k - 1];
		findings->items[k] = moved;
	}
}

static void interpret_witnesses(struct interpreter *interpreter)
{
	struct record *record = interpreter->record;
	size_t i, k;

	for (i = 0; i < record->nr_witnesses; i++) {
		struct record_witness *witness = &record->witnesses[i];
		struct findings findings = { 0 };

		for (k = 0; k < witness->nr_grants; k++)
			find_reasons(interpreter, witness->grants[k],
				     OUTCOME_DISPENSABLE, &findings);
		sort_findings(&findings);
		witness->findings = findings.items;
		witness->nr_findings = findings.nr;
	}
}

static bool is_known(const struct findings *findings,
		     const struct record_finding *finding)
{
	size_t i;

	for (i = 0; i < findings->nr; i++)
		if (findings->items[i].grant == finding->grant &&
		    !strcmp(findings->items[i].reason, finding->reason))
			return true;
	return false;
}

/* Coupled grants are reproached with the same as dispensable ones. */
static void interpret_coupled(struct interpreter *interpreter,
			      struct findings *findings)
{
	struct record *record = interpreter->record;
	size_t i, k, m;

	for (i = 0; i < record->nr_branches; i++) {
		const struct record_branch *branch = &record->branches[i];

		if (branch->role != ROLE_WITHOUT ||
		    branch->outcome != OUTCOME_COUPLED)
			continue;
		for (k = 0; k < branch->nr_without; k++) {
			struct findings more = { 0 };

			find_reasons(interpreter, branch->without[k],
				     OUTCOME_COUPLED, &more);
			for (m = 0; m < more.nr; m++)
				if (!is_known(findings, &more.items[m]))
					*ARENA_PUSH(
						record->arena, findings->items,
						findings->nr) = more.items[m];
		}
	}
}

/* ---- what was attempted although nobody asked for it */

static bool run_counted(const struct record_run *run, uint32_t object,
			uint32_t operation)
{
	size_t i;

	for (i = 0; i < run->nr_counts; i++)
		if (run->counts[i].object == object &&
		    run->counts[i].operation == operation)
			return true;
	return false;
}

/* Did some control do it too? Then it is the agent, not the rule. */
static bool control_did(const struct interpreter *interpreter, uint32_t object,
			uint32_t operation)
{
	const struct record *record = interpreter->record;
	size_t i;

	for (i = 0; i < record->nr_branches; i++)
		if (record->branches[i].role == ROLE_CONTROL &&
		    record->branches[i].run &&
		    run_counted(record->branches[i].run, object, operation))
			return true;
	return false;
}

/* One finding for the attempt, as bad as the worst reason. */
static void add_undeclared(const struct interpreter *interpreter,
			   const struct facts *facts, const char *operation,
			   const char *object, struct findings *findings)
{
	struct findings reasons = { 0 };
	enum severity severity = SEVERITY_LOW;
	const char *text;
	size_t i;

	match_reasons(interpreter, facts, object, SIZE_MAX, false, &reasons);
	if (!reasons.nr)
		return;
	sort_findings(&reasons);
	for (i = 0; i < NR_SEVERITIES; i++)
		if (!strcmp(reasons.items[0].severity, severity_word(i)))
			severity = (enum severity)i;
	text = arena_printf(interpreter->record->arena,
			    "with the rule the agent tried to %s \"%s\", which "
			    "neither the setup nor the reviewed translation "
			    "permits and control never tried; it was denied "
			    "(%s)",
			    operation, object, reasons.items[0].title);
	add_finding(interpreter, findings, "undeclared-attempt", severity,
		    "an attempt that was not declared", text, SIZE_MAX);
}

static void find_undeclared_objects(const struct interpreter *interpreter,
				    struct findings *findings)
{
	const struct record *record = interpreter->record;
	const struct record_run *run = interpreter->full->run;
	size_t i;

	for (i = 0; i < run->nr_counts; i++) {
		const struct record_count *count = &run->counts[i];
		const struct record_object *object;
		struct facts facts;

		if (!count->denied || count->object == AL_OBJECT_NONE ||
		    count->operation >= AL_NR_OPERATIONS ||
		    control_did(interpreter, count->object, count->operation))
			continue;
		object = record_object(record, count->object);
		if (!object)
			continue;
		facts = facts_of_attempt(interpreter->arena,
					 interpreter->reasons, object,
					 count->operation);
		add_undeclared(interpreter, &facts,
			       operation_word(count->operation), object->name,
			       findings);
	}
}

/*
 * A program that nobody named is counted with the directory that it lies in.
 * Which one it was, only its event says.
 */
static bool is_unnamed_program(const struct record *record,
			       const struct al_event *event)
{
	const struct record_object *object;

	if (event->hook != AL_HOOK_BPRM_CHECK ||
	    !(event->missing & AL_OP_EXECUTE))
		return false;
	object = event->object == AL_OBJECT_NONE
			 ? NULL
			 : record_object(record, event->object);
	return !object || strcmp(object->kind, "tool");
}

static bool ran_before(const struct record *record,
		       const struct record_run *run, size_t nr,
		       const struct al_event *event)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (is_unnamed_program(record, &run->events[i]) &&
		    !memcmp(run->events[i].name, event->name,
			    sizeof(event->name)))
			return true;
	return false;
}

static void find_undeclared_programs(const struct interpreter *interpreter,
				     struct findings *findings)
{
	const struct record *record = interpreter->record;
	const struct record_run *run = interpreter->full->run;
	const struct record_run *control =
		interpreter->control ? interpreter->control->run : NULL;
	size_t i;

	for (i = 0; i < run->nr_events; i++) {
		const struct al_event *event = &run->events[i];
		const char *name;
		struct facts facts;

		if (!is_unnamed_program(record, event) ||
		    ran_before(record, run, i, event) ||
		    (control &&
		     ran_before(record, control, control->nr_events, event)))
			continue;
		name = arena_strndup(interpreter->arena,
				     (const char *)event->name,
				     strnlen((const char *)event->name,
					     sizeof(event->name)));
		facts = facts_of_program(interpreter->arena,
					 interpreter->reasons, name);
		add_undeclared(interpreter, &facts,
			       operation_word(AL_OP_NR_EXECUTE), name,
			       findings);
	}
}

static bool same_address(const struct al_event *a, const struct al_event *b)
{
	return a->port == b->port &&
	       !memcmp(a->address, b->address, sizeof(a->address));
}

static bool is_unbound_address(const struct al_event *event)
{
	return event->object == AL_OBJECT_NONE && event->family &&
	       event->missing & AL_OP_CONNECT;
}

static bool seen_before(const struct record_run *run, size_t nr,
			const struct al_event *event)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (is_unbound_address(&run->events[i]) &&
		    same_address(&run->events[i], event))
			return true;
	return false;
}

static void find_undeclared_addresses(const struct interpreter *interpreter,
				      struct findings *findings)
{
	const struct record_run *run = interpreter->full->run;
	const struct record_run *control =
		interpreter->control ? interpreter->control->run : NULL;
	char text[INET6_ADDRSTRLEN];
	size_t i;

	for (i = 0; i < run->nr_events; i++) {
		const struct al_event *event = &run->events[i];
		const char *host = text, *object;
		struct facts facts;

		if (!is_unbound_address(event) || seen_before(run, i, event) ||
		    (control &&
		     seen_before(control, control->nr_events, event)))
			continue;
		inet_ntop(AF_INET6, event->address, text, sizeof(text));
		if (!strncmp(text, "::ffff:", 7) && strchr(text, '.'))
			host = text + 7;
		object = arena_printf(interpreter->arena, "%s port %u", host,
				      event->port);
		facts = facts_of_address(interpreter->arena,
					 interpreter->reasons, host);
		add_undeclared(interpreter, &facts, "connect to", object,
			       findings);
	}
}

/* ---- the verdict */

static void add_reason(struct record *record, const char *word)
{
	size_t i;

	for (i = 0; i < record->nr_reasons; i++)
		if (!strcmp(record->reasons[i], word))
			return;
	*ARENA_PUSH(record->arena, record->reasons, record->nr_reasons) = word;
}

/* Nothing was judged: the surroundings failed, not the rule. */
static void find_errors(const struct interpreter *interpreter)
{
	struct record *record = interpreter->record;
	bool task_possible = false, with_all = false;
	size_t i;

	for (i = 0; i < record->nr_branches; i++) {
		const struct record_branch *branch = &record->branches[i];

		if (branch->outcome == OUTCOME_ENFORCEMENT_ERROR ||
		    branch->outcome == OUTCOME_CONFIGURATION_ERROR ||
		    (branch->role == ROLE_CONTROL &&
		     !outcome_is_result(branch->outcome)))
			add_reason(record,
				   branch_outcome_word(branch->outcome));
		if (branch->role != ROLE_CONTROL)
			continue;
		task_possible |= branch->outcome == OUTCOME_ACCEPTED;
		with_all |= branch->all_grants && !branch->nr_without &&
			    branch->outcome == OUTCOME_REJECTED;
	}
	if (!interpreter->control || !interpreter->full ||
	    interpreter->full->outcome == OUTCOME_NOT_RUN)
		add_reason(record, branch_outcome_word(OUTCOME_NOT_RUN));
	if (!record->oracle.rejects_untouched)
		add_reason(record, "oracle-proves-nothing");
	if (!task_possible && with_all)
		add_reason(record, "task-rejected-without-rule");
}

/* Would any withheld grant of a branch be reproached with anything? */
static bool is_flagged(const struct interpreter *interpreter,
		       const struct record_branch *branch)
{
	struct findings findings = { 0 };
	size_t i;

	for (i = 0; i < branch->nr_without; i++)
		find_reasons(interpreter, branch->without[i],
			     OUTCOME_DISPENSABLE, &findings);
	return findings.nr;
}

static bool has_witness(const struct record *record, size_t branch)
{
	size_t i;

	for (i = 0; i < record->nr_witnesses; i++)
		if (record->witnesses[i].branch == branch)
			return true;
	return false;
}

static const char *full_reason(enum branch_outcome outcome)
{
	switch (outcome) {
	case OUTCOME_ACCEPTED:
		return NULL;
	case OUTCOME_REJECTED:
		return "full-rejected";
	case OUTCOME_RULE_NOT_READ:
	case OUTCOME_FLAKY:
	case OUTCOME_CASSETTE_MISS:
		return branch_outcome_word(outcome);
	default:
		return "full-no-result";
	}
}

static uint64_t denied_in(const struct record_run *run, uint32_t object,
			  uint32_t operation)
{
	size_t i;

	for (i = 0; run && i < run->nr_counts; i++)
		if (run->counts[i].object == object &&
		    run->counts[i].operation == operation)
			return run->counts[i].denied;
	return 0;
}

/*
 * Which address or program an undeclared attempt was about is in the events
 * alone. Where some are lost, the exact counters tell that there was one.
 */
static bool lost_attempts(const struct interpreter *interpreter)
{
	const struct record_run *control =
		interpreter->control ? interpreter->control->run : NULL;
	const struct record_run *run = interpreter->full->run;
	size_t i;

	for (i = 0; run && run->nr_lost && i < run->nr_counts; i++) {
		const struct record_count *count = &run->counts[i];
		const struct record_object *object =
			record_object(interpreter->record, count->object);

		if (count->operation != AL_OP_NR_CONNECT &&
		    count->operation != AL_OP_NR_EXECUTE)
			continue;
		if (count->object && object && strcmp(object->kind, "dir"))
			continue;
		if (count->denied >
		    denied_in(control, count->object, count->operation))
			return true;
	}
	return false;
}

static void find_unresolved(const struct interpreter *interpreter)
{
	struct record *record = interpreter->record;
	const char *word = full_reason(interpreter->full->outcome);
	size_t i;

	if (word)
		add_reason(record, word);
	if (record->translator && strstr(record->translator, "incomplete"))
		add_reason(record, "not-understood");
	if (lost_attempts(interpreter))
		add_reason(record, "evidence-lost");
	for (i = 0; i < record->nr_branches; i++) {
		const struct record_branch *branch = &record->branches[i];
		bool lost = branch->outcome == OUTCOME_DISPENSABLE &&
			    !has_witness(record, i);

		if (branch->role != ROLE_WITHOUT ||
		    (!lost && (outcome_is_result(branch->outcome) ||
			       (word && !branch->run))) ||
		    !is_flagged(interpreter, branch))
			continue;
		add_reason(record, lost ? "evidence-lost"
				   : branch->outcome == OUTCOME_FLAKY
					   ? branch_outcome_word(OUTCOME_FLAKY)
					   : "no-result");
	}
}

static bool has_findings(const struct record *record)
{
	size_t i;

	for (i = 0; i < record->nr_witnesses; i++)
		if (record->witnesses[i].nr_findings)
			return true;
	return record->nr_findings;
}

static enum verdict reach_verdict(const struct interpreter *interpreter)
{
	struct record *record = interpreter->record;

	find_errors(interpreter);
	if (record->nr_reasons)
		return VERDICT_ERROR;
	find_unresolved(interpreter);
	if (has_findings(record))
		return VERDICT_ALARM;
	if (record->nr_reasons)
		return VERDICT_UNRESOLVED;
	if (!record->nr_grants)
		record->basis = "no-requests";
	return VERDICT_CLEAR;
}

static void interpreter_init(struct interpreter *interpreter,
			     struct record *record,
			     const struct reasons *reasons)
{
	const struct record_run *run;
	size_t i;

	*interpreter = (struct interpreter){
		.record = record,
		.reasons = reasons,
		.arena = arena_new(),
	};
	for (i = 0; i < record->nr_branches; i++) {
		const struct record_branch *branch = &record->branches[i];

		if (branch->role == ROLE_FULL && !interpreter->full)
			interpreter->full = branch;
		if (branch->role == ROLE_CONTROL && !branch->all_grants &&
		    !interpreter->control)
			interpreter->control = branch;
	}
	run = interpreter->full ? interpreter->full->run : NULL;
	interpreter->facts =
		arena_alloc(interpreter->arena,
			    record->nr_grants * sizeof(*interpreter->facts));
	for (i = 0; i < record->nr_grants; i++)
		interpreter->facts[i] =
			facts_of_grant(interpreter->arena, reasons, record,
				       &record->grants[i], run);
}

void interpret_record(struct record *record, const struct reasons *reasons)
{
	struct interpreter interpreter;
	struct findings findings = { 0 };

	record->basis = NULL;
	record->reasons = NULL;
	record->nr_reasons = 0;
	interpreter_init(&interpreter, record, reasons);
	interpret_witnesses(&interpreter);
	interpret_coupled(&interpreter, &findings);
	if (interpreter.full && interpreter.full->run) {
		find_undeclared_objects(&interpreter, &findings);
		find_undeclared_programs(&interpreter, &findings);
		find_undeclared_addresses(&interpreter, &findings);
	}
	sort_findings(&findings);
	record->findings = findings.items;
	record->nr_findings = findings.nr;
	record->verdict = reach_verdict(&interpreter);
	arena_free(interpreter.arena);
}
