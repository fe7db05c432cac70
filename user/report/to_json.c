// SPDX-License-Identifier: GPL-2.0-only
/*
 * A record as JSON, in the order in which aletheia-record(5) explains it.
 */
#include <arpa/inet.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "dsl/program.h"
#include "report/report.h"
#include "report/words.h"

/* Text where it is that; else its bytes, which JSON cannot hold. */
static json_t *bytes_to_json(const char *data, size_t length)
{
	struct buffer hex cleanup_buffer = { 0 };

	if (!data)
		return json_null();
	if (text_is_utf8(data, length))
		return json_stringn(data, length);
	hex_encode(&hex, data, length);
	return json_pack("{s:s}", "bytes", buffer_text(&hex));
}

static json_t *text_to_json(const char *text)
{
	return bytes_to_json(text, text ? strlen(text) : 0);
}

static json_t *number_to_json(uint64_t number)
{
	return json_integer((json_int_t)number);
}

static void set(json_t *object, const char *key, json_t *value)
{
	json_object_set_new(object, key, value);
}

static void set_text(json_t *object, const char *key, const char *text)
{
	set(object, key, text_to_json(text));
}

static void set_number(json_t *object, const char *key, uint64_t number)
{
	set(object, key, number_to_json(number));
}

static void set_flag(json_t *object, const char *key, bool flag)
{
	set(object, key, json_boolean(flag));
}

static json_t *texts_to_json(const char *const *texts, size_t nr)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < nr; i++)
		json_array_append_new(list, text_to_json(texts[i]));
	return list;
}

static json_t *operations_to_json(uint32_t operations)
{
	json_t *list = json_array();
	unsigned int i;

	for (i = 0; i < AL_NR_OPERATIONS; i++)
		if (operations & 1u << i)
			json_array_append_new(list,
					      text_to_json(operation_word(i)));
	return list;
}

static json_t *grants_to_ids(const struct record *record, const size_t *grants,
			     size_t nr)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < nr; i++)
		json_array_append_new(
			list, text_to_json(record->grants[grants[i]].id));
	return list;
}

/* ---- what was asked */

static json_t *object_to_json(const struct record_object *object)
{
	json_t *json = json_object();

	set_number(json, "id", object->id);
	set_text(json, "kind", object->kind);
	set_text(json, "name", object->name);
	set_text(json, "class", object->class_);
	set_number(json, "within", object->within);
	set_flag(json, "directory", object->directory);
	return json;
}

static json_t *span_to_json(const struct record_span *span)
{
	json_t *json = json_object();

	set_text(json, "file", span->file);
	set(json, "start",
	    json_sprintf("%u:%u", span->start_line, span->start_column));
	set(json, "end",
	    json_sprintf("%u:%u", span->end_line, span->end_column));
	set(json, "bytes",
	    json_pack("[I, I]", (json_int_t)span->start,
		      (json_int_t)span->end));
	set_text(json, "text", span->text);
	return json;
}

static json_t *grant_to_json(const struct record_grant *grant)
{
	json_t *json = json_object(), *spans = json_array();
	size_t i;

	set_text(json, "id", grant->id);
	set_text(json, "action", operation_word(grant->action));
	set_text(json, "resource", grant->resource);
	set_text(json, "kind", grant->kind);
	set_text(json, "origin", grant->origin);
	set_text(json, "class", grant->class_);
	set_text(json, "name", grant->name);
	set_text(json, "symbolic", grant->symbolic);
	set_text(json, "declared", grant->declared);
	set_number(json, "object", grant->object);
	set_text(json, "binding", grant->binding);
	set_flag(json, "real_tool", grant->real_tool);
	set_flag(json, "conditional", grant->conditional);
	set_flag(json, "base", grant->base);
	set_flag(json, "observed", grant->observed);
	set_text(json, "hidden", grant->hidden);
	for (i = 0; i < grant->nr_spans; i++)
		json_array_append_new(spans, span_to_json(&grant->spans[i]));
	set(json, "spans", spans);
	return json;
}

/* ---- runs */

static json_t *event_to_json(const struct al_event *event)
{
	static const __u8 nowhere[sizeof(event->address)];
	json_t *json = json_object();
	const char *hook = hook_word(event->hook);
	char address[INET6_ADDRSTRLEN];

	set_number(json, "sequence", event->sequence);
	set_number(json, "time", event->time);
	set_number(json, "policy", event->policy);
	set_number(json, "ino", event->ino);
	set_number(json, "dev", event->dev);
	set_number(json, "object", event->object);
	set_number(json, "from", event->from);
	set_number(json, "kind", event->kind);
	if (event->moves)
		set_number(json, "moves", event->moves);
	set(json, "operations", operations_to_json(event->operations));
	set(json, "missing", operations_to_json(event->missing));
	set(json, "error", json_integer(event->error));
	set(json, "hook", hook ? json_string(hook) : json_integer(event->hook));
	set_number(json, "pid", event->pid);
	set_number(json, "tgid", event->tgid);
	set_number(json, "uid", event->uid);
	if (event->family || event->port || event->protocol ||
	    memcmp(event->address, nowhere, sizeof(nowhere)) != 0) {
		inet_ntop(AF_INET6, event->address, address, sizeof(address));
		set_number(json, "family", event->family);
		set_number(json, "protocol", event->protocol);
		set_text(json, "address", address);
		set_number(json, "port", event->port);
	}
	set(json, "comm",
	    bytes_to_json(
		    (const char *)event->comm,
		    strnlen((const char *)event->comm, sizeof(event->comm))));
	set(json, "name",
	    bytes_to_json(
		    (const char *)event->name,
		    strnlen((const char *)event->name, sizeof(event->name))));
	return json;
}

static json_t *sink_to_json(const struct record_sink *sink)
{
	json_t *json = json_object();

	set_number(json, "object", sink->object);
	set_number(json, "connections", sink->connections);
	set_number(json, "bytes", sink->bytes);
	set_text(json, "sha256", sink->digest);
	set(json, "canaries", texts_to_json(sink->canaries, sink->nr_canaries));
	set_number(json, "unrecognised", sink->unrecognised);
	return json;
}

static json_t *rules_to_json(const struct record_run *run)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < run->nr_rules; i++) {
		json_t *json = json_object();

		set_number(json, "object", run->rules[i].object);
		set(json, "allow", operations_to_json(run->rules[i].allow));
		set(json, "granted", operations_to_json(run->rules[i].granted));
		json_array_append_new(list, json);
	}
	return list;
}

static json_t *counts_to_json(const struct record_run *run)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < run->nr_counts; i++) {
		const struct record_count *count = &run->counts[i];
		json_t *json = json_object();

		set_number(json, "object", count->object);
		set_text(json, "operation", operation_word(count->operation));
		set_number(json, "allowed", count->allowed);
		set_number(json, "denied", count->denied);
		json_array_append_new(list, json);
	}
	return list;
}

static json_t *tests_to_json(const struct record_run *run)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < run->nr_tests; i++) {
		json_t *json = json_object();

		set_text(json, "name", run->tests[i].name);
		set_flag(json, "passed", run->tests[i].passed);
		json_array_append_new(list, json);
	}
	return list;
}

json_t *run_to_json(const struct record_run *run)
{
	json_t *json = json_object(), *list;
	size_t i;

	set_text(json, "end", run_end_word(run->end));
	set_text(json, "detail", run->detail);
	set_flag(json, "accepted", run->accepted);
	set_text(json, "agent_status", run->agent_status);
	set_flag(json, "rule_read", run->rule_read);
	set_text(json, "initial_state", run->initial_state);
	set_number(json, "wall_ms", run->wall_ms);
	set_number(json, "agent_ms", run->agent_ms);
	set_number(json, "oracle_ms", run->oracle_ms);
	set(json, "tests", tests_to_json(run));
	set(json, "removed_loaders",
	    texts_to_json(run->removed_loaders, run->nr_removed_loaders));
	list = json_array();
	for (i = 0; i < run->nr_sinks; i++)
		json_array_append_new(list, sink_to_json(&run->sinks[i]));
	set(json, "sinks", list);
	set_number(json, "lost", run->nr_lost);
	set_number(json, "unlabelled", run->nr_unlabelled);
	set(json, "rules", rules_to_json(run));
	set(json, "counts", counts_to_json(run));
	list = json_array();
	for (i = 0; i < run->nr_events; i++)
		json_array_append_new(list, event_to_json(&run->events[i]));
	set(json, "events", list);
	set(json, "agent_output",
	    bytes_to_json(run->agent_output, run->agent_output_length));
	set(json, "oracle_output",
	    bytes_to_json(run->oracle_output, run->oracle_output_length));
	return json;
}

/* ---- what came of it */

static json_t *removed_to_json(const struct record *record,
			       const struct record_branch *branch)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < branch->nr_removed; i++) {
		const struct record_count *pair = &branch->removed[i];
		const struct record_object *object =
			record_object(record, pair->object);
		json_t *json = json_object();

		set_text(json, "operation", operation_word(pair->operation));
		set_text(json, "object", object ? object->name : NULL);
		set_number(json, "id", pair->object);
		json_array_append_new(list, json);
	}
	return list;
}

static json_t *branch_to_json(const struct record *record,
			      const struct record_branch *branch)
{
	const struct record_run *run = branch->run;
	json_t *json = json_object();

	set_text(json, "role", branch_role_word(branch->role));
	set(json, "without",
	    grants_to_ids(record, branch->without, branch->nr_without));
	set_flag(json, "all_grants", branch->all_grants);
	set_text(json, "outcome", branch_outcome_word(branch->outcome));
	set_text(json, "detail", branch->detail);
	set(json, "accepted",
	    run && run->end == RUN_DONE ? json_boolean(run->accepted)
					: json_null());
	set_number(json, "runs", run ? 1 : 0);
	set_text(json, "attempt",
		 branch->role == ROLE_WITHOUT ? attempt_word(branch->attempt)
					      : NULL);
	set_number(json, "attempted", branch->attempted);
	set_number(json, "denied", branch->denied);
	set(json, "covered_by",
	    grants_to_ids(record, branch->covered_by, branch->nr_covered_by));
	set(json, "group",
	    branch->group < 0 ? json_null() : json_integer(branch->group));
	set(json, "removed", removed_to_json(record, branch));
	set_number(json, "wall_ms", run ? run->wall_ms : 0);
	set(json, "run", run ? run_to_json(run) : json_null());
	return json;
}

static json_t *finding_to_json(const struct record *record,
			       const struct record_finding *finding)
{
	json_t *json = json_object();

	set_text(json, "reason", finding->reason);
	set_text(json, "severity", finding->severity);
	set_text(json, "title", finding->title);
	set_text(json, "text", finding->text);
	set_text(json, "grant",
		 finding->grant < record->nr_grants
			 ? record->grants[finding->grant].id
			 : NULL);
	return json;
}

static json_t *findings_to_json(const struct record *record,
				const struct record_finding *findings,
				size_t nr)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < nr; i++)
		json_array_append_new(list,
				      finding_to_json(record, &findings[i]));
	return list;
}

static json_t *witness_to_json(const struct record *record,
			       const struct record_witness *witness)
{
	json_t *json = json_object();

	set(json, "grants",
	    grants_to_ids(record, witness->grants, witness->nr_grants));
	set_number(json, "branch", witness->branch);
	set(json, "removed",
	    removed_to_json(record, &record->branches[witness->branch]));
	set(json, "finding",
	    witness->nr_findings
		    ? finding_to_json(record, &witness->findings[0])
		    : json_null());
	set(json, "findings",
	    findings_to_json(record, witness->findings, witness->nr_findings));
	return json;
}

/* Sums and the common initial state, for whoever reads only the top. */
static json_t *evidence_to_json(const struct record *record)
{
	uint64_t events = 0, lost = 0, unlabelled = 0;
	json_t *json = json_object();
	size_t i;

	for (i = 0; i < record->nr_branches; i++) {
		const struct record_run *run = record->branches[i].run;

		events += run ? run->nr_events : 0;
		lost += run ? run->nr_lost : 0;
		unlabelled += run ? run->nr_unlabelled : 0;
	}
	set_number(json, "events", events);
	set_number(json, "lost", lost);
	set_number(json, "unlabelled", unlabelled);
	return json;
}

static const char *initial_state(const struct record *record)
{
	size_t i;

	for (i = 0; i < record->nr_branches; i++)
		if (record->branches[i].run &&
		    record->branches[i].run->initial_state[0])
			return record->branches[i].run->initial_state;
	return NULL;
}

static json_t *oracle_to_json(const struct record *record)
{
	json_t *json = json_object();

	set_text(json, "command", record->oracle.command);
	set_flag(json, "rejects_untouched", record->oracle.rejects_untouched);
	set_flag(json, "accepts_solution", record->oracle.accepts_solution);
	set(json, "expect",
	    texts_to_json(record->oracle.expect, record->oracle.nr_expect));
	return json;
}

json_t *record_to_json(const struct record *record)
{
	json_t *json = json_object(), *list;
	size_t i;

	set_number(json, "format", record->version);
	set_text(json, "version", record->program_version);
	set_text(json, "verdict", verdict_word(record->verdict));
	set_text(json, "basis", record->basis);
	set(json, "reasons",
	    texts_to_json(record->reasons, record->nr_reasons));
	set_text(json, "name", record->name);
	set_text(json, "agent", record->agent);
	set_text(json, "kernel", record->kernel);
	set_flag(json, "vm", record->vm);
	set_text(json, "rule", record->rule_file);
	set_text(json, "rule_sha256", record->rule_digest);
	set_text(json, "task_sha256", record->task_digest);
	set_text(json, "translator", record->translator);
	set(json, "oracle", oracle_to_json(record));
	set_text(json, "initial_state", initial_state(record));
	set(json, "evidence", evidence_to_json(record));
	set(json, "not_represented",
	    texts_to_json(record->not_represented, record->nr_not_represented));
	list = json_array();
	for (i = 0; i < record->nr_grants; i++)
		json_array_append_new(list, grant_to_json(&record->grants[i]));
	set(json, "grants", list);
	list = json_array();
	for (i = 0; i < record->nr_witnesses; i++)
		json_array_append_new(
			list, witness_to_json(record, &record->witnesses[i]));
	set(json, "witnesses", list);
	set(json, "findings",
	    findings_to_json(record, record->findings, record->nr_findings));
	list = json_array();
	for (i = 0; i < record->nr_objects; i++)
		json_array_append_new(list,
				      object_to_json(&record->objects[i]));
	set(json, "objects", list);
	list = json_array();
	for (i = 0; i < record->nr_branches; i++)
		json_array_append_new(
			list, branch_to_json(record, &record->branches[i]));
	set(json, "branches", list);
	set_text(json, "source", record->source);
	return json;
}
