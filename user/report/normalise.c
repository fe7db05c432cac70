// SPDX-License-Identifier: GPL-2.0-only
/*
 * Two records of the same input differ in what the kernel happens to number,
 * in clocks and in random tokens. All of that is dropped, or replaced by the
 * order in which it is first seen. Events of one process keep their order;
 * processes have none.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "report/report.h"

/* Canary tokens: this many letters and digits in a row. */
#define TOKEN_LENGTH 32
/* Digits in names that are a process's or an address's. */
#define NUMBER_LENGTH 4

/* Names for what differs: tokens and digests -> "#1", "#2", ... */
struct names {
	json_t *seen; /* object: what it was -> its new name */
};

static const char *new_name(struct names *names, const char *old)
{
	const char *name = json_string_value(json_object_get(names->seen, old));

	if (!name) {
		json_object_set_new(
			names->seen, old,
			json_sprintf("#%zu",
				     json_object_size(names->seen) + 1));
		name = json_string_value(json_object_get(names->seen, old));
	}
	return name;
}

static size_t run_length(const char *text, size_t most, bool digits)
{
	size_t n = 0;

	while (n < most && (digits ? isdigit((unsigned char)text[n])
				   : isalnum((unsigned char)text[n])))
		n++;
	return n;
}

/* Letters and digits in a row, with long numbers replaced. */
static void add_word(struct buffer *out, const char *word, size_t length,
		     size_t digits)
{
	size_t i, n;

	for (i = 0; i < length; i += n) {
		n = run_length(word + i, length - i, true);
		if (n >= digits)
			buffer_addc(out, 'N');
		else
			buffer_add(out, word + i, n ? n : 1);
		n = n ? n : 1;
	}
}

/* Tokens get names; numbers of at least @digits digits become "N". */
static json_t *normal_text(struct names *names, const char *text, size_t length,
			   size_t digits)
{
	struct buffer out cleanup_buffer = { 0 };
	size_t i, n;

	for (i = 0; i < length; i += n) {
		n = run_length(text + i, length - i, false);
		if (n == TOKEN_LENGTH) {
			char token[TOKEN_LENGTH + 1] = { 0 };

			memcpy(token, text + i, n);
			buffer_adds(&out, new_name(names, token));
		} else if (n) {
			add_word(&out, text + i, n, digits);
		} else {
			n = 1;
			buffer_addc(&out, text[i]);
		}
	}
	return json_stringn(buffer_text(&out), out.length);
}

static void replace_text(struct names *names, json_t *object, const char *key,
			 size_t digits)
{
	json_t *value = json_object_get(object, key);

	if (json_is_string(value))
		json_object_set_new(object, key,
				    normal_text(names, json_string_value(value),
						json_string_length(value),
						digits));
}

/* ---- events */

/* A file without a name (O_TMPFILE) is called "#" and its inode number. */
static bool is_unnamed(const json_t *event)
{
	const char *name = json_string_value(json_object_get(event, "name"));

	return name && name[0] == '#' && name[1] &&
	       name[1 + strspn(name + 1, "0123456789")] == '\0';
}

/* Processes in the order in which they appear, each with its events. */
static json_t *events_by_process(struct names *names, const json_t *events)
{
	static const char *const dropped[] = { "sequence", "time", "policy",
					       "ino",	   "dev",  "pid",
					       "tgid" };
	json_t *processes = json_object(), *event;
	size_t i, k;

	json_array_foreach(events, i, event)
	{
		json_t *copy = json_deep_copy(event), *list;
		char key[24];

		snprintf(key, sizeof(key), "%lld",
			 (long long)json_integer_value(
				 json_object_get(event, "tgid")));
		list = json_object_get(processes, key);
		if (!list) {
			list = json_array();
			json_object_set_new(processes, key, list);
		}
		for (k = 0; k < ARRAY_SIZE(dropped); k++)
			json_object_del(copy, dropped[k]);
		replace_text(names, copy, "name",
			     is_unnamed(copy) ? 1 : NUMBER_LENGTH);
		json_array_append_new(list, copy);
	}
	return processes;
}

static int compare_texts(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Members of an object or a list, as a list in the order of their text. */
static json_t *sorted(json_t *values)
{
	size_t nr = json_array_size(values), i;
	char **texts = xreallocarray(NULL, nr, sizeof(*texts));
	json_t *list = json_array();

	for (i = 0; i < nr; i++) {
		texts[i] = json_dumps(json_array_get(values, i),
				      JSON_COMPACT | JSON_SORT_KEYS |
					      JSON_ENCODE_ANY);
		if (!texts[i])
			abort(); /* out of memory: dumping a value of ours */
	}
	qsort(texts, nr, sizeof(*texts), compare_texts);
	for (i = 0; i < nr; i++) {
		json_array_append_new(
			list, json_loads(texts[i], JSON_DECODE_ANY, NULL));
		free(texts[i]);
	}
	free(texts);
	json_decref(values);
	return list;
}

static json_t *normal_events(struct names *names, const json_t *events)
{
	json_t *processes = events_by_process(names, events);
	json_t *list = json_array();
	void *next;

	for (next = json_object_iter(processes); next;
	     next = json_object_iter_next(processes, next))
		json_array_append(list, json_object_iter_value(next));
	json_decref(processes);
	return sorted(list);
}

/* ---- the rest */

static void normalise_sinks(struct names *names, json_t *sinks)
{
	json_t *sink;
	size_t i;

	json_array_foreach(sinks, i, sink)
	{
		const char *digest =
			json_string_value(json_object_get(sink, "sha256"));

		if (digest && *digest)
			json_object_set_new(
				sink, "sha256",
				json_string(new_name(names, digest)));
	}
}

static void normalise_run(struct names *names, json_t *run)
{
	static const char *const times[] = { "wall_ms", "agent_ms",
					     "oracle_ms" };
	static const char *const lists[] = { "rules", "counts", "tests" };
	json_t *value;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(times); i++)
		json_object_del(run, times[i]);
	for (i = 0; i < ARRAY_SIZE(lists); i++) {
		value = json_object_get(run, lists[i]);
		if (json_is_array(value))
			json_object_set_new(run, lists[i],
					    sorted(json_incref(value)));
	}
	value = json_object_get(run, "events");
	if (json_is_array(value))
		json_object_set_new(run, "events", normal_events(names, value));
	normalise_sinks(names, json_object_get(run, "sinks"));
	replace_text(names, run, "detail", 1);
	replace_text(names, run, "agent_output", 1);
	replace_text(names, run, "oracle_output", 1);
}

json_t *record_normalise(const json_t *record)
{
	struct names names = { .seen = json_object() };
	json_t *copy = json_deep_copy(record), *branch, *run;
	size_t i;

	json_array_foreach(json_object_get(copy, "branches"), i, branch)
	{
		json_object_del(branch, "wall_ms");
		replace_text(&names, branch, "detail", 1);
		run = json_object_get(branch, "run");
		if (json_is_object(run))
			normalise_run(&names, run);
	}
	json_decref(names.seen);
	return copy;
}
