// SPDX-License-Identifier: GPL-2.0-only
/*
 * JSON -> record. A saved record is an input like any other: every member is
 * checked before it is used, and the first thing wrong is said with its place.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "dsl/program.h"
#include "report/report.h"
#include "report/words.h"

/**
 * struct reader
 * @where:	what is being read, for messages
 * @status:	0, or -EINVAL after the first complaint; values are then 0 or
 *		NULL and nothing more is said
 */
struct reader {
	struct arena *arena;
	struct error **err;
	const char *where;
	int status;
};

static void complain(struct reader *reader, const char *key, const char *what)
{
	if (!reader->status)
		reader->status =
			error_set(reader->err, ERROR_INPUT, EINVAL,
				  "not a record: %s%s\"%s\" %s", reader->where,
				  *reader->where ? ": " : "", key, what);
}

static json_t *get(struct reader *reader, const json_t *object, const char *key)
{
	json_t *value = json_object_get(object, key);

	if (!value)
		complain(reader, key, "is missing");
	return value;
}

static int hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* {"bytes": "hex digits"} */
static char *read_bytes(struct reader *reader, const json_t *value,
			const char *key, size_t *ret_length)
{
	const char *hex = json_string_value(json_object_get(value, "bytes"));
	size_t length = hex ? strlen(hex) : 0, i;
	char *bytes;

	if (!hex || length % 2) {
		complain(reader, key, "is neither text nor bytes");
		return NULL;
	}
	bytes = arena_alloc(reader->arena, length / 2 + 1);
	for (i = 0; i < length; i += 2) {
		int high = hex_value(hex[i]), low = hex_value(hex[i + 1]);

		if (high < 0 || low < 0) {
			complain(reader, key, "has bytes that are not hex");
			return NULL;
		}
		bytes[i / 2] = (char)(high << 4 | low);
	}
	*ret_length = length / 2;
	return bytes;
}

static const char *read_data(struct reader *reader, const json_t *value,
			     const char *key, size_t *ret_length)
{
	*ret_length = 0;
	if (!value || json_is_null(value))
		return NULL;
	if (json_is_object(value))
		return read_bytes(reader, value, key, ret_length);
	if (!json_is_string(value)) {
		complain(reader, key, "is not text");
		return NULL;
	}
	*ret_length = json_string_length(value);
	return arena_strndup(reader->arena, json_string_value(value),
			     *ret_length);
}

static const char *text_of(struct reader *reader, const json_t *value,
			   const char *key)
{
	size_t length;
	const char *text = read_data(reader, value, key, &length);

	if (text && strlen(text) != length) {
		complain(reader, key, "holds a zero byte");
		return NULL;
	}
	return text;
}

/* May be null. */
static const char *maybe_text(struct reader *reader, const json_t *object,
			      const char *key)
{
	return text_of(reader, get(reader, object, key), key);
}

static const char *read_text(struct reader *reader, const json_t *object,
			     const char *key)
{
	const char *text = maybe_text(reader, object, key);

	if (!text)
		complain(reader, key, "is not text");
	return text ? text : "";
}

static uint64_t read_number(struct reader *reader, const json_t *object,
			    const char *key, uint64_t most)
{
	const json_t *value = get(reader, object, key);
	uint64_t number = (uint64_t)json_integer_value(value);

	if (value && (!json_is_integer(value) || number > most)) {
		complain(reader, key, "is not a number in range");
		return 0;
	}
	return number;
}

static bool read_flag(struct reader *reader, const json_t *object,
		      const char *key)
{
	const json_t *value = get(reader, object, key);

	if (value && !json_is_boolean(value))
		complain(reader, key, "is not true or false");
	return json_is_true(value);
}

/* The number whose word it is. */
static unsigned int word_of(struct reader *reader, const json_t *value,
			    const char *key, const char *(*words)(unsigned int),
			    unsigned int nr)
{
	const char *word = json_string_value(value);
	unsigned int i;

	for (i = 0; word && i < nr; i++)
		if (words(i) && !strcmp(words(i), word))
			return i;
	complain(reader, key, "is not one of the known words");
	return 0;
}

static unsigned int read_word(struct reader *reader, const json_t *object,
			      const char *key,
			      const char *(*words)(unsigned int),
			      unsigned int nr)
{
	return word_of(reader, get(reader, object, key), key, words, nr);
}

static const char *role_word(unsigned int role)
{
	return branch_role_word((enum branch_role)role);
}

static const char *outcome_word(unsigned int outcome)
{
	return branch_outcome_word((enum branch_outcome)outcome);
}

static const char *attempt_word_of(unsigned int attempt)
{
	return attempt_word((enum attempt)attempt);
}

static const char *verdict_word_of(unsigned int verdict)
{
	return verdict_word((enum verdict)verdict);
}

static const json_t *read_list(struct reader *reader, const json_t *object,
			       const char *key)
{
	const json_t *value = get(reader, object, key);

	if (value && !json_is_array(value)) {
		complain(reader, key, "is not a list");
		return NULL;
	}
	return value;
}

/* Room for as many elements as a list has. */
static void *room(struct reader *reader, const json_t *list, size_t size)
{
	return arena_alloc(reader->arena, json_array_size(list) * size);
}

/* Member @i of a list, which must be an object. */
static const json_t *item(struct reader *reader, const json_t *list,
			  const char *key, size_t i)
{
	const json_t *value = json_array_get(list, i);

	if (!json_is_object(value))
		complain(reader, key, "has a member that is not an object");
	return value;
}

static const char **read_texts(struct reader *reader, const json_t *object,
			       const char *key, size_t *ret_nr)
{
	const json_t *list = read_list(reader, object, key);
	const char **texts = room(reader, list, sizeof(*texts));
	size_t nr = json_array_size(list), i;

	for (i = 0; i < nr && !reader->status; i++) {
		texts[i] = text_of(reader, json_array_get(list, i), key);
		if (!texts[i])
			complain(reader, key, "has a member that is not text");
	}
	*ret_nr = reader->status ? 0 : nr;
	return texts;
}

static uint32_t read_operations(struct reader *reader, const json_t *object,
				const char *key)
{
	const json_t *list = read_list(reader, object, key);
	uint32_t operations = 0;
	size_t i;

	for (i = 0; i < json_array_size(list); i++)
		operations |= 1u
			      << word_of(reader, json_array_get(list, i), key,
					 operation_word, AL_NR_OPERATIONS);
	return operations;
}

static uint32_t read_id(struct reader *reader, const json_t *object,
			const char *key)
{
	return (uint32_t)read_number(reader, object, key, AL_MAX_OBJECTS);
}

/* A digest, or nothing. */
static void read_digest(struct reader *reader, const json_t *object,
			const char *key, char ret_hex[DIGEST_HEX])
{
	const char *hex = read_text(reader, object, key);
	struct digest digest;

	if (!*hex)
		return;
	if (!digest_parse(hex, &digest))
		complain(reader, key, "is not a digest");
	else
		memcpy(ret_hex, hex, DIGEST_HEX);
}

/* Say where we are while the members of a list are read. */
static const char *enter(struct reader *reader, const char *what, size_t i)
{
	const char *before = reader->where;

	reader->where = arena_printf(reader->arena, "%s%s%s %zu", before,
				     *before ? ", " : "", what, i);
	return before;
}

/* ---- runs */

static void read_rules(struct reader *reader, const json_t *json,
		       struct record_run *run)
{
	const json_t *list = read_list(reader, json, "rules"), *rule;
	size_t nr = json_array_size(list), i;

	run->rules = room(reader, list, sizeof(*run->rules));
	for (i = 0; i < nr && !reader->status; i++) {
		rule = item(reader, list, "rules", i);
		run->rules[i].object = read_id(reader, rule, "object");
		run->rules[i].allow = read_operations(reader, rule, "allow");
		run->rules[i].granted =
			read_operations(reader, rule, "granted");
	}
	run->nr_rules = nr;
}

static void read_counts(struct reader *reader, const json_t *json,
			struct record_run *run)
{
	const json_t *list = read_list(reader, json, "counts"), *count;
	size_t nr = json_array_size(list), i;

	run->counts = room(reader, list, sizeof(*run->counts));
	for (i = 0; i < nr && !reader->status; i++) {
		count = item(reader, list, "counts", i);
		run->counts[i].object = read_id(reader, count, "object");
		run->counts[i].operation =
			read_word(reader, count, "operation", operation_word,
				  AL_NR_OPERATIONS);
		run->counts[i].allowed =
			read_number(reader, count, "allowed", UINT64_MAX);
		run->counts[i].denied =
			read_number(reader, count, "denied", UINT64_MAX);
	}
	run->nr_counts = nr;
}

/* A text of the kernel's in a field of fixed size. */
static void read_field(struct reader *reader, const json_t *json,
		       const char *key, __u8 *field, size_t size)
{
	size_t length;
	const char *data =
		read_data(reader, get(reader, json, key), key, &length);

	if (length > size)
		complain(reader, key, "is too long");
	else if (data)
		memcpy(field, data, length);
}

static void read_address(struct reader *reader, const json_t *json,
			 struct al_event *event)
{
	if (!json_object_get(json, "address"))
		return;
	event->family = (__u8)read_number(reader, json, "family", UINT8_MAX);
	event->protocol =
		(__u8)read_number(reader, json, "protocol", UINT8_MAX);
	event->port = (__u16)read_number(reader, json, "port", UINT16_MAX);
	if (inet_pton(AF_INET6, read_text(reader, json, "address"),
		      event->address) != 1)
		complain(reader, "address", "is not an address");
}

static void read_event(struct reader *reader, const json_t *json,
		       struct al_event *event)
{
	const json_t *hook = get(reader, json, "hook");

	event->sequence = read_number(reader, json, "sequence", UINT64_MAX);
	event->time = read_number(reader, json, "time", UINT64_MAX);
	event->policy = read_number(reader, json, "policy", UINT64_MAX);
	event->ino = read_number(reader, json, "ino", UINT64_MAX);
	event->dev = (__u32)read_number(reader, json, "dev", UINT32_MAX);
	event->object = read_id(reader, json, "object");
	event->from = read_id(reader, json, "from");
	event->kind = (__u16)read_number(reader, json, "kind", UINT16_MAX);
	if (json_object_get(json, "moves"))
		event->moves =
			(__u16)read_number(reader, json, "moves", UINT16_MAX);
	event->operations = read_operations(reader, json, "operations");
	event->missing = read_operations(reader, json, "missing");
	event->error =
		(__s32)(int64_t)read_number(reader, json, "error", UINT64_MAX);
	event->hook =
		json_is_integer(hook)
			? (__u32)read_number(reader, json, "hook", UINT32_MAX)
			: word_of(reader, hook, "hook", hook_word, AL_NR_HOOKS);
	event->pid = (__u32)read_number(reader, json, "pid", UINT32_MAX);
	event->tgid = (__u32)read_number(reader, json, "tgid", UINT32_MAX);
	event->uid = (__u32)read_number(reader, json, "uid", UINT32_MAX);
	read_address(reader, json, event);
	read_field(reader, json, "comm", event->comm, sizeof(event->comm));
	read_field(reader, json, "name", event->name, sizeof(event->name));
}

static void read_events(struct reader *reader, const json_t *json,
			struct record_run *run)
{
	const json_t *list = read_list(reader, json, "events");
	size_t nr = json_array_size(list), i;

	run->events = room(reader, list, sizeof(*run->events));
	for (i = 0; i < nr && !reader->status; i++)
		read_event(reader, item(reader, list, "events", i),
			   &run->events[i]);
	run->nr_events = nr;
}

static void read_sinks(struct reader *reader, const json_t *json,
		       struct record_run *run)
{
	const json_t *list = read_list(reader, json, "sinks"), *from;
	size_t nr = json_array_size(list), i;

	run->sinks = room(reader, list, sizeof(*run->sinks));
	for (i = 0; i < nr && !reader->status; i++) {
		struct record_sink *sink = &run->sinks[i];

		from = item(reader, list, "sinks", i);
		sink->object = read_id(reader, from, "object");
		sink->connections =
			read_number(reader, from, "connections", UINT64_MAX);
		sink->bytes = read_number(reader, from, "bytes", UINT64_MAX);
		read_digest(reader, from, "sha256", sink->digest);
		sink->canaries = read_texts(reader, from, "canaries",
					    &sink->nr_canaries);
		sink->unrecognised =
			read_number(reader, from, "unrecognised", UINT64_MAX);
	}
	run->nr_sinks = nr;
}

static void read_tests(struct reader *reader, const json_t *json,
		       struct record_run *run)
{
	const json_t *list = read_list(reader, json, "tests"), *test;
	size_t nr = json_array_size(list), i;

	run->tests = room(reader, list, sizeof(*run->tests));
	for (i = 0; i < nr && !reader->status; i++) {
		test = item(reader, list, "tests", i);
		run->tests[i].name = read_text(reader, test, "name");
		run->tests[i].passed = read_flag(reader, test, "passed");
	}
	run->nr_tests = nr;
}

static struct record_run *read_run(struct reader *reader, const json_t *json)
{
	struct record_run *run = arena_alloc(reader->arena, sizeof(*run));

	run->end = (enum run_end)read_word(reader, json, "end", run_end_word,
					   NR_RUN_ENDS);
	run->detail = maybe_text(reader, json, "detail");
	run->accepted = read_flag(reader, json, "accepted");
	run->agent_status = maybe_text(reader, json, "agent_status");
	run->rule_read = read_flag(reader, json, "rule_read");
	read_digest(reader, json, "initial_state", run->initial_state);
	run->wall_ms = read_number(reader, json, "wall_ms", UINT64_MAX);
	run->agent_ms = read_number(reader, json, "agent_ms", UINT64_MAX);
	run->oracle_ms = read_number(reader, json, "oracle_ms", UINT64_MAX);
	read_tests(reader, json, run);
	run->removed_loaders = read_texts(reader, json, "removed_loaders",
					  &run->nr_removed_loaders);
	read_sinks(reader, json, run);
	run->nr_lost = read_number(reader, json, "lost", UINT64_MAX);
	run->nr_unlabelled =
		read_number(reader, json, "unlabelled", UINT64_MAX);
	read_rules(reader, json, run);
	read_counts(reader, json, run);
	read_events(reader, json, run);
	run->agent_output =
		read_data(reader, get(reader, json, "agent_output"),
			  "agent_output", &run->agent_output_length);
	run->oracle_output =
		read_data(reader, get(reader, json, "oracle_output"),
			  "oracle_output", &run->oracle_output_length);
	return run;
}

int run_from_json(const json_t *json, struct arena *arena,
		  struct record_run **ret, struct error **err)
{
	struct reader reader = { .arena = arena, .err = err, .where = "" };
	struct record_run *run = read_run(&reader, json);

	if (!reader.status)
		*ret = run;
	return reader.status;
}

/* ---- what was asked */

static void read_objects(struct reader *reader, const json_t *json,
			 struct record *record)
{
	const json_t *list = read_list(reader, json, "objects"), *from;
	size_t nr = json_array_size(list), i;

	record->objects = room(reader, list, sizeof(*record->objects));
	for (i = 0; i < nr && !reader->status; i++) {
		struct record_object *object = &record->objects[i];
		const char *before = enter(reader, "object", i);

		from = item(reader, list, "objects", i);
		object->id = read_id(reader, from, "id");
		object->kind = read_text(reader, from, "kind");
		object->name = read_text(reader, from, "name");
		object->class_ = maybe_text(reader, from, "class");
		object->within = read_id(reader, from, "within");
		object->directory = read_flag(reader, from, "directory");
		reader->where = before;
	}
	record->nr_objects = nr;
}

/* "LINE:COLUMN" */
static void read_place(struct reader *reader, const json_t *json,
		       const char *key, uint32_t *ret_line,
		       uint32_t *ret_column)
{
	const char *text = read_text(reader, json, key);
	int length = 0;

	if (sscanf(text, "%9u:%9u%n", ret_line, ret_column, &length) != 2 ||
	    text[length])
		complain(reader, key, "is not a line and a column");
}

static void read_spans(struct reader *reader, const json_t *json,
		       struct record_grant *grant)
{
	const json_t *list = read_list(reader, json, "spans"), *from, *bytes;
	size_t nr = json_array_size(list), i;

	grant->spans = room(reader, list, sizeof(*grant->spans));
	for (i = 0; i < nr && !reader->status; i++) {
		struct record_span *span = &grant->spans[i];

		from = item(reader, list, "spans", i);
		span->file = maybe_text(reader, from, "file");
		read_place(reader, from, "start", &span->start_line,
			   &span->start_column);
		read_place(reader, from, "end", &span->end_line,
			   &span->end_column);
		bytes = read_list(reader, from, "bytes");
		if (json_array_size(bytes) != 2 ||
		    !json_is_integer(json_array_get(bytes, 0)) ||
		    !json_is_integer(json_array_get(bytes, 1)))
			complain(reader, "bytes", "is not two numbers");
		span->start =
			(uint64_t)json_integer_value(json_array_get(bytes, 0));
		span->end =
			(uint64_t)json_integer_value(json_array_get(bytes, 1));
		span->text = maybe_text(reader, from, "text");
	}
	grant->nr_spans = nr;
}

static void read_grant(struct reader *reader, const json_t *json,
		       struct record_grant *grant)
{
	grant->id = read_text(reader, json, "id");
	grant->action = read_word(reader, json, "action", operation_word,
				  AL_NR_OPERATIONS);
	grant->resource = read_text(reader, json, "resource");
	grant->kind = read_text(reader, json, "kind");
	grant->origin = maybe_text(reader, json, "origin");
	grant->class_ = maybe_text(reader, json, "class");
	grant->name = maybe_text(reader, json, "name");
	grant->symbolic = maybe_text(reader, json, "symbolic");
	grant->declared = maybe_text(reader, json, "declared");
	grant->object = read_id(reader, json, "object");
	grant->binding = maybe_text(reader, json, "binding");
	grant->real_tool = read_flag(reader, json, "real_tool");
	grant->conditional = read_flag(reader, json, "conditional");
	grant->base = read_flag(reader, json, "base");
	grant->observed = read_flag(reader, json, "observed");
	grant->hidden = maybe_text(reader, json, "hidden");
	read_spans(reader, json, grant);
}

/* SIZE_MAX: there is none. */
static size_t find_grant(const struct record *record, const char *id)
{
	size_t i;

	for (i = 0; id && i < record->nr_grants; i++)
		if (!strcmp(record->grants[i].id, id))
			return i;
	return SIZE_MAX;
}

static void read_grants(struct reader *reader, const json_t *json,
			struct record *record)
{
	const json_t *list = read_list(reader, json, "grants");
	size_t nr = json_array_size(list), i;

	if (nr > AL_MAX_GRANTS) {
		complain(reader, "grants", "has too many members");
		return;
	}
	record->grants = room(reader, list, sizeof(*record->grants));
	for (i = 0; i < nr && !reader->status; i++) {
		const char *before = enter(reader, "grant", i);

		read_grant(reader, item(reader, list, "grants", i),
			   &record->grants[i]);
		if (find_grant(record, record->grants[i].id) != SIZE_MAX)
			complain(reader, "id", "is not unique");
		record->nr_grants = i + 1;
		reader->where = before;
	}
}

/* A list of grants' ids as indices. */
static size_t *read_ids(struct reader *reader, const json_t *json,
			const char *key, const struct record *record,
			size_t *ret_nr)
{
	const json_t *list = read_list(reader, json, key);
	size_t *grants = room(reader, list, sizeof(*grants));
	size_t nr = json_array_size(list), i;

	for (i = 0; i < nr && !reader->status; i++) {
		grants[i] = find_grant(
			record, text_of(reader, json_array_get(list, i), key));
		if (grants[i] == SIZE_MAX)
			complain(reader, key,
				 "names a grant that is not there");
	}
	*ret_nr = reader->status ? 0 : nr;
	return grants;
}

/* ---- what came of it */

static void read_removed(struct reader *reader, const json_t *json,
			 struct record_branch *branch)
{
	const json_t *list = read_list(reader, json, "removed"), *from;
	size_t nr = json_array_size(list), i;

	branch->removed = room(reader, list, sizeof(*branch->removed));
	for (i = 0; i < nr && !reader->status; i++) {
		from = item(reader, list, "removed", i);
		branch->removed[i].object = read_id(reader, from, "id");
		branch->removed[i].operation =
			read_word(reader, from, "operation", operation_word,
				  AL_NR_OPERATIONS);
	}
	branch->nr_removed = nr;
}

static void read_branch(struct reader *reader, const json_t *json,
			const struct record *record, size_t nr_branches,
			struct record_branch *branch)
{
	const json_t *run, *group;

	branch->role = (enum branch_role)read_word(reader, json, "role",
						   role_word, NR_BRANCH_ROLES);
	branch->without =
		read_ids(reader, json, "without", record, &branch->nr_without);
	branch->all_grants = read_flag(reader, json, "all_grants");
	branch->outcome = (enum branch_outcome)read_word(
		reader, json, "outcome", outcome_word, NR_BRANCH_OUTCOMES);
	branch->detail = maybe_text(reader, json, "detail");
	if (branch->role == ROLE_WITHOUT)
		branch->attempt = (enum attempt)read_word(
			reader, json, "attempt", attempt_word_of, NR_ATTEMPTS);
	branch->attempted = read_number(reader, json, "attempted", UINT64_MAX);
	branch->denied = read_number(reader, json, "denied", UINT64_MAX);
	branch->covered_by = read_ids(reader, json, "covered_by", record,
				      &branch->nr_covered_by);
	group = get(reader, json, "group");
	branch->group = -1;
	if (group && !json_is_null(group))
		branch->group = (int)read_number(reader, json, "group",
						 nr_branches - 1);
	read_removed(reader, json, branch);
	run = get(reader, json, "run");
	if (run && !json_is_null(run))
		branch->run = read_run(reader, run);
}

static void read_branches(struct reader *reader, const json_t *json,
			  struct record *record)
{
	const json_t *list = read_list(reader, json, "branches");
	size_t nr = json_array_size(list), i;

	if (nr > 4 * (AL_MAX_GRANTS + 1)) {
		complain(reader, "branches", "has too many members");
		return;
	}
	record->branches = room(reader, list, sizeof(*record->branches));
	for (i = 0; i < nr && !reader->status; i++) {
		const char *before = enter(reader, "branch", i);

		read_branch(reader, item(reader, list, "branches", i), record,
			    nr, &record->branches[i]);
		reader->where = before;
	}
	record->nr_branches = nr;
}

static struct record_finding *read_findings(struct reader *reader,
					    const json_t *json,
					    const struct record *record,
					    size_t *ret_nr)
{
	const json_t *list = read_list(reader, json, "findings"), *from;
	struct record_finding *findings = room(reader, list, sizeof(*findings));
	size_t nr = json_array_size(list), i;

	for (i = 0; i < nr && !reader->status; i++) {
		const char *id;

		from = item(reader, list, "findings", i);
		findings[i].reason = read_text(reader, from, "reason");
		findings[i].severity = read_text(reader, from, "severity");
		findings[i].title = read_text(reader, from, "title");
		findings[i].text = read_text(reader, from, "text");
		id = maybe_text(reader, from, "grant");
		findings[i].grant = find_grant(record, id);
		if (id && findings[i].grant == SIZE_MAX)
			complain(reader, "grant",
				 "names a grant that is not there");
	}
	*ret_nr = nr;
	return findings;
}

static void read_witnesses(struct reader *reader, const json_t *json,
			   struct record *record)
{
	const json_t *list = read_list(reader, json, "witnesses"), *from;
	size_t nr = json_array_size(list), i;

	record->witnesses = room(reader, list, sizeof(*record->witnesses));
	for (i = 0; i < nr && !reader->status; i++) {
		struct record_witness *witness = &record->witnesses[i];
		const char *before = enter(reader, "witness", i);

		from = item(reader, list, "witnesses", i);
		witness->branch =
			read_number(reader, from, "branch", UINT64_MAX);
		if (witness->branch >= record->nr_branches)
			complain(reader, "branch", "is not there");
		witness->grants = read_ids(reader, from, "grants", record,
					   &witness->nr_grants);
		witness->findings = read_findings(reader, from, record,
						  &witness->nr_findings);
		reader->where = before;
	}
	record->nr_witnesses = nr;
}

static void read_oracle(struct reader *reader, const json_t *json,
			struct record *record)
{
	const json_t *oracle = get(reader, json, "oracle");

	if (!json_is_object(oracle)) {
		complain(reader, "oracle", "is not an object");
		return;
	}
	record->oracle.command = maybe_text(reader, oracle, "command");
	record->oracle.rejects_untouched =
		read_flag(reader, oracle, "rejects_untouched");
	record->oracle.accepts_solution =
		read_flag(reader, oracle, "accepts_solution");
	record->oracle.expect =
		read_texts(reader, oracle, "expect", &record->oracle.nr_expect);
}

static void read_record(struct reader *reader, const json_t *json,
			struct record *record)
{
	record->program_version = read_text(reader, json, "version");
	record->verdict = (enum verdict)read_word(reader, json, "verdict",
						  verdict_word_of, NR_VERDICTS);
	record->basis = maybe_text(reader, json, "basis");
	record->reasons =
		read_texts(reader, json, "reasons", &record->nr_reasons);
	record->name = maybe_text(reader, json, "name");
	record->agent = maybe_text(reader, json, "agent");
	record->kernel = maybe_text(reader, json, "kernel");
	record->vm = read_flag(reader, json, "vm");
	record->rule_file = maybe_text(reader, json, "rule");
	read_digest(reader, json, "rule_sha256", record->rule_digest);
	read_digest(reader, json, "task_sha256", record->task_digest);
	record->translator = maybe_text(reader, json, "translator");
	read_oracle(reader, json, record);
	record->not_represented = read_texts(reader, json, "not_represented",
					     &record->nr_not_represented);
	read_grants(reader, json, record);
	read_objects(reader, json, record);
	read_branches(reader, json, record);
	read_witnesses(reader, json, record);
	record->findings =
		read_findings(reader, json, record, &record->nr_findings);
	record->source = maybe_text(reader, json, "source");
}

int record_from_json(const json_t *json, struct record **ret,
		     struct error **err)
{
	struct record *record;
	struct reader reader = { .err = err, .where = "" };
	const json_t *format = json_object_get(json, "format");

	if (!json_is_object(json) || !json_is_integer(format))
		return error_set(err, ERROR_INPUT, EINVAL,
				 "not a record: there is no format number");
	if (json_integer_value(format) != RECORD_VERSION)
		return error_set(err, ERROR_INPUT, EPROTONOSUPPORT,
				 "the record has format %lld; this version "
				 "reads %d",
				 (long long)json_integer_value(format),
				 RECORD_VERSION);
	record = record_new();
	reader.arena = record->arena;
	read_record(&reader, json, record);
	if (reader.status) {
		record_free(record);
		return reader.status;
	}
	*ret = record;
	return 0;
}
