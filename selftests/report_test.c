// SPDX-License-Identifier: GPL-2.0-only
/*
 * Records on their way out and back: golden files, hostile names, broken
 * records, normalisation and replay. UPDATE=1 writes the golden files anew.
 */
#include "harness.h"

#include "base/cleanup.h"
#include "base/file.h"
#include "interpret/interpret.h"
#include "record_support.h"
#include "report/report.h"

#define DATA TEST_SOURCE "/selftests/data/report/"

/* Loaded once: some tests interpret thousands of records. */
static struct reasons *reasons;

static void load_reasons(void)
{
	if (!reasons)
		ASSERT_EQ(reasons_load(NULL, &reasons, NULL), 0);
}

static void interpret(struct record *record)
{
	load_reasons();
	judge_record(record);
	interpret_record(record, reasons);
}

static struct record *make_judged(void)
{
	struct record *record = make_rename_total();

	interpret(record);
	return record;
}

static int replay(const struct record *record, struct error **err)
{
	load_reasons();
	return record_replay(record, reasons, err);
}

static char *print(const struct record *record, bool colour, bool verbose)
{
	char *text = NULL;
	size_t size;
	FILE *file = open_memstream(&text, &size);

	ASSERT_NOT_NULL(file);
	report_text(record, colour, verbose, file);
	fclose(file);
	return text;
}

static void expect_golden(const char *name, const char *text)
{
	struct buffer golden cleanup_buffer = { 0 };
	char path[512];

	snprintf(path, sizeof(path), DATA "%s", name);
	if (getenv("UPDATE"))
		ASSERT_EQ(
			file_write_atomic(path, text, strlen(text), 0644, NULL),
			0);
	ASSERT_EQ(file_read(AT_FDCWD, path, 1 << 20, &golden, NULL), 0);
	EXPECT_STREQ(text, buffer_text(&golden))
	TH_LOG("%s", path);
}

/* ---- golden files */

TEST(text)
{
	struct record *record = make_judged();
	char *text = print(record, false, false);

	expect_golden("rename-total.txt", text);
	free(text);
	record_free(record);
}

TEST(text_verbose)
{
	struct record *record = make_judged();
	char *text = print(record, false, true);

	expect_golden("rename-total-verbose.txt", text);
	free(text);
	record_free(record);
}

TEST(json)
{
	struct record *record = make_judged();
	json_t *json = record_to_json(record);
	char *text = json_dumps(json, JSON_INDENT(2));

	expect_golden("rename-total.json", text);
	free(text);
	json_decref(json);
	record_free(record);
}

/* Every outcome that has no run, and every verdict, in words. */
TEST(text_of_everything_else)
{
	struct record *record = make_rename_total();
	size_t cover[] = { 1 };
	char *text;

	make_branch(record, ROLE_WITHOUT, 0, 1);
	make_run(record, 5, false);
	record->branches[2].run = NULL;
	record->branches[2].nr_removed = 0;
	record->branches[2].covered_by = cover;
	record->branches[2].nr_covered_by = 1;
	record->branches[2].group = 5;
	record->branches[3].run = NULL;
	record->branches[3].nr_removed = 0;
	record->branches[4].run->end = RUN_TIMEOUT;
	record->branches[4].run->detail = "the agent ran longer than 60 s";
	record->branches[4].run->nr_lost = 2;
	record->agent = "command";
	record->vm = true;
	interpret(record);
	text = print(record, false, false);
	expect_golden("others.txt", text);
	free(text);
	record_free(record);
}

TEST(colour_only_when_asked)
{
	struct record *record = make_judged();
	char *plain = print(record, false, true);
	char *coloured = print(record, true, true);

	EXPECT_NULL(strchr(plain, '\033'));
	EXPECT_HAS_SUBSTR(coloured, "\033[1;31mVerdict: alarm\033[0m");
	free(plain);
	free(coloured);
	record_free(record);
}

/* ---- there and back */

static void expect_same_after_reading(const struct record *record)
{
	struct error *err cleanup_error = NULL;
	json_t *before = record_to_json(record), *parsed, *after;
	struct record *again = NULL;
	char *text = json_dumps(before, JSON_COMPACT);
	int r;

	ASSERT_NOT_NULL(text);
	parsed = json_loads(text, JSON_ALLOW_NUL, NULL);
	ASSERT_NOT_NULL(parsed);
	r = record_from_json(parsed, &again, &err);
	ASSERT_EQ(r, 0)
	TH_LOG("%s", err ? err->message : "");
	after = record_to_json(again);
	EXPECT_TRUE(json_equal(before, after));
	free(text);
	json_decref(before);
	json_decref(parsed);
	json_decref(after);
	record_free(again);
}

TEST(round_trip)
{
	struct record *record = make_judged();

	expect_same_after_reading(record);
	record_free(record);
}

/* Names with anything in them: newlines, escapes, no UTF-8, directions. */
static const char hostile[] = "a\nverdict: clear\033[2J\xff\xfe\xe2\x80\xae"
			      "\"\\\r\t\x01}";

static struct record *make_hostile(void)
{
	struct record *record = make_rename_total();
	struct record_run *full = record->branches[1].run;
	size_t i;

	record->name = record->rule_file = record->kernel = hostile;
	record->grants[0].id = record->grants[0].resource = hostile;
	record->grants[0].name = record->grants[0].declared = hostile;
	record->grants[0].hidden = hostile;
	record->grants[0].spans[0].text = hostile;
	record->grants[0].spans[0].file = hostile;
	for (i = 0; i < record->nr_objects; i++)
		record->objects[i].name = arena_printf(
			record->arena, "/workspace/%zu%s", i, hostile);
	for (i = 0; i < full->nr_events; i++) {
		memcpy(full->events[i].name, hostile, sizeof(hostile) - 1);
		memcpy(full->events[i].comm, hostile, AL_COMM_SIZE);
	}
	full->agent_output = hostile;
	full->agent_output_length = sizeof(hostile); /* with its zero */
	full->oracle_output = hostile;
	full->oracle_output_length = sizeof(hostile) - 1;
	full->tests[0].name = hostile;
	full->agent_status = hostile;
	full->sinks[0].canaries[0] = hostile;
	*ARENA_PUSH(record->arena, full->removed_loaders,
		    full->nr_removed_loaders) = hostile;
	*ARENA_PUSH(record->arena, record->not_represented,
		    record->nr_not_represented) = hostile;
	record->branches[2].run->end = RUN_ORACLE_ERROR;
	record->branches[2].run->detail = hostile;
	interpret(record);
	return record;
}

TEST(hostile_round_trip)
{
	struct record *record = make_hostile();

	expect_same_after_reading(record);
	record_free(record);
}

TEST(hostile_text_is_tame)
{
	struct record *record = make_hostile();
	char *text = print(record, false, true);

	for (const char *c = text; *c; c++)
		EXPECT_TRUE((unsigned char)*c >= 0x20 || *c == '\n');
	EXPECT_NULL(strstr(text, "\xe2\x80\xae"));
	EXPECT_NULL(strchr(text, '\xff'));
	EXPECT_NULL(strstr(text, "\nverdict: clear"));
	/* The same in words is there: it was not just left out. */
	EXPECT_HAS_SUBSTR(text,
			  "a\\nverdict: clear\\x1b[2J\\xff\\xfe\\u{202e}");
	free(text);
	record_free(record);
}

TEST(one_run_alone)
{
	struct record *record = make_judged();
	struct arena *arena = arena_new();
	json_t *before = run_to_json(record->branches[1].run), *after;
	struct record_run *run;

	ASSERT_EQ(run_from_json(before, arena, &run, NULL), 0);
	after = run_to_json(run);
	EXPECT_TRUE(json_equal(before, after));
	json_decref(before);
	json_decref(after);
	arena_free(arena);
	record_free(record);
}

/* The numbers that are as large as they get. */
TEST(extreme_numbers)
{
	struct record *record = make_rename_total();
	struct al_event *event = &record->branches[1].run->events[0];

	event->ino = event->time = UINT64_MAX;
	event->dev = event->pid = event->uid = UINT32_MAX;
	event->error = -1;
	event->hook = 1000;
	memset(event->address, 0xff, sizeof(event->address));
	event->port = UINT16_MAX;
	record->branches[1].run->counts[0].allowed = UINT64_MAX;
	judge_record(record);
	expect_same_after_reading(record);
	record_free(record);
}

/* ---- broken records */

/* Give a member a value (NULL: none); nothing may crash. */
static void break_member(json_t *root, json_t *at, const char *key,
			 json_t *value, size_t *tried, size_t *refused)
{
	struct error *err cleanup_error = NULL;
	struct record *record = NULL;

	if (value)
		json_object_set_new(at, key, value);
	else
		json_object_del(at, key);
	(*tried)++;
	if (record_from_json(root, &record, &err)) {
		(*refused)++;
		EXPECT_EQ(error_kind_of(err), ERROR_INPUT);
		EXPECT_NULL(record);
		return;
	}
	/* What is accepted can be judged, printed and replayed. */
	interpret(record);
	free(print(record, true, true));
	if (*tried % 16 == 0)
		replay(record, NULL);
	record_free(record);
}

/* Each member of all objects, one after the other, of lists the first. */
static void break_members(json_t *root, json_t *at, size_t *tried,
			  size_t *refused)
{
	static const char *const others[] = {
		"null", "\"x\"", "-1",	 "18000000000", "[]",
		"{}",	"true",	 "[{}]", "[\"x\"]"
	};
	char keys[64][32];
	size_t nr = 0, i, k;
	const char *key;
	json_t *value;

	if (json_is_array(at)) {
		break_members(root, json_array_get(at, 0), tried, refused);
		return;
	}
	/* Members that are taken out and put back change their order. */
	json_object_foreach(at, key, value)
		snprintf(keys[nr++ % 64], sizeof(keys[0]), "%s", key);
	for (i = 0; i < nr; i++) {
		value = json_incref(json_object_get(at, keys[i]));
		for (k = 0; k < ARRAY_SIZE(others); k++)
			break_member(
				root, at, keys[i],
				json_loads(others[k], JSON_DECODE_ANY, NULL),
				tried, refused);
		break_member(root, at, keys[i], NULL, tried, refused);
		json_object_set_new(at, keys[i], value);
		break_members(root, value, tried, refused);
	}
}

TEST_TIMEOUT(broken_records, 120)
{
	struct record *record = make_judged();
	json_t *json = record_to_json(record);
	size_t refused = 0, tried = 0;

	break_members(json, json, &tried, &refused);
	TH_LOG("%zu records, %zu refused", tried, refused);
	EXPECT_GT(tried, 1000);
	EXPECT_GT(refused, tried / 2);
	json_decref(json);
	record_free(record);
}

TEST(other_versions_are_refused)
{
	struct error *err cleanup_error = NULL;
	struct record *record = make_judged(), *again = NULL;
	json_t *json = record_to_json(record);

	json_object_set_new(json, "format", json_integer(RECORD_VERSION + 1));
	EXPECT_EQ(record_from_json(json, &again, &err), -EPROTONOSUPPORT);
	EXPECT_EQ(error_kind_of(err), ERROR_INPUT);
	json_decref(json);
	record_free(record);
}

TEST(names_the_place)
{
	struct error *err cleanup_error = NULL;
	struct record *record = make_judged(), *again = NULL;
	json_t *json = record_to_json(record), *branch;

	branch = json_array_get(json_object_get(json, "branches"), 3);
	json_object_del(json_object_get(branch, "run"), "wall_ms");
	EXPECT_NE(record_from_json(json, &again, &err), 0);
	EXPECT_HAS_SUBSTR(err->message, "branch 3: \"wall_ms\" is missing");
	json_decref(json);
	record_free(record);
}

/* ---- normalisation */

/* The same run as another machine would have numbered it. */
static void renumber(struct record *record)
{
	for (size_t i = 0; i < record->nr_branches; i++) {
		struct record_run *run = record->branches[i].run;

		run->wall_ms += 17;
		run->agent_ms += 3;
		for (size_t k = 0; k < run->nr_events; k++) {
			run->events[k].time += 1000;
			run->events[k].policy = 1;
			run->events[k].ino += 7;
			run->events[k].dev = 9;
			run->events[k].pid += 100;
			run->events[k].tgid += 100;
		}
		run->oracle_output = "Ran 3 tests in 1.25s: "
				     "0123456789abcdef0123456789abcdef";
		run->oracle_output_length = strlen(run->oracle_output);
	}
}

static bool normal_equal(const struct record *a, const struct record *b)
{
	json_t *x = record_to_json(a), *y = record_to_json(b);
	json_t *p = record_normalise(x), *q = record_normalise(y);
	bool equal = json_equal(p, q);

	json_decref(x);
	json_decref(y);
	json_decref(p);
	json_decref(q);
	return equal;
}

TEST(normalised_records_are_equal)
{
	struct record *one = make_judged(), *other = make_judged();

	renumber(one);
	for (size_t i = 0; i < other->nr_branches; i++) {
		other->branches[i].run->oracle_output =
			"Ran 3 tests in 0.2s: "
			"fedcba9876543210fedcba9876543210";
		other->branches[i].run->oracle_output_length =
			strlen(other->branches[i].run->oracle_output);
	}
	EXPECT_TRUE(normal_equal(one, other));
	record_free(one);
	record_free(other);
}

/* A file without a name is called by its inode number. */
TEST(unnamed_files)
{
	struct record *one = make_judged(), *other = make_judged();

	strcpy((char *)one->branches[1].run->events[1].name, "#19");
	strcpy((char *)other->branches[1].run->events[1].name, "#7");
	EXPECT_TRUE(normal_equal(one, other));
	strcpy((char *)one->branches[1].run->events[1].name, "x19");
	strcpy((char *)other->branches[1].run->events[1].name, "x7");
	EXPECT_FALSE(normal_equal(one, other));
	record_free(one);
	record_free(other);
}

/* Two processes whose events were interleaved in another way. */
TEST(processes_have_no_order)
{
	struct record *one = make_judged(), *other = make_judged();
	struct al_event *events = one->branches[1].run->events, swap;

	events[0].tgid = events[0].pid = 1;
	events[1].tgid = events[1].pid = 1;
	other->branches[1].run->events[0].tgid = 77;
	other->branches[1].run->events[1].tgid = 77;
	EXPECT_TRUE(normal_equal(one, other));
	swap = events[0];
	memmove(&events[0], &events[1],
		(one->branches[1].run->nr_events - 1) * sizeof(swap));
	events[one->branches[1].run->nr_events - 1] = swap;
	EXPECT_FALSE(normal_equal(one, other));
	record_free(one);
	record_free(other);
}

TEST(what_matters_stays_different)
{
	struct record *one = make_judged(), *other = make_judged();

	other->branches[2].run->events[0].object = 3;
	EXPECT_FALSE(normal_equal(one, other));
	record_free(other);
	other = make_judged();
	other->branches[2].run->accepted = false;
	EXPECT_FALSE(normal_equal(one, other));
	record_free(other);
	other = make_judged();
	other->branches[1].run->counts[0].allowed++;
	EXPECT_FALSE(normal_equal(one, other));
	record_free(other);
	other = make_judged();
	other->branches[1].run->sinks[0].nr_canaries = 0;
	EXPECT_FALSE(normal_equal(one, other));
	record_free(other);
	record_free(one);
}

/* ---- replay */

TEST(replay_agrees)
{
	struct error *err cleanup_error = NULL;
	struct record *record = make_judged();

	EXPECT_EQ(replay(record, &err), 0)
	TH_LOG("%s", err ? err->message : "");
	EXPECT_NULL(err);
	record_free(record);
}

static void expect_disagreement(struct record *record, const char *message)
{
	struct error *err cleanup_error = NULL;
	bool found = false;

	EXPECT_EQ(replay(record, &err), -EBADMSG)
	TH_LOG("%s", message);
	for (struct error *e = err; e; e = e->next) {
		EXPECT_EQ(e->kind, ERROR_INPUT);
		found |= !!strstr(e->message, message);
	}
	EXPECT_TRUE(found)
	TH_LOG("%s, but: %s", message, err ? err->message : "nothing");
	record_free(record);
}

/* The events of the restricted run: two of the workspace, then scp's. */
TEST(replay_notices)
{
	struct record *record = make_judged();
	struct record_run *run;

	run = record->branches[2].run;
	run->events[run->nr_events - 1].missing = 0;
	run->events[run->nr_events - 1].error = 0;
	expect_disagreement(record, "decided again it is denied");

	record = make_judged();
	record->branches[1].run->events[1].sequence = 1;
	expect_disagreement(record, "out of order");

	record = make_judged();
	run = record->branches[1].run;
	run->events[run->nr_events - 1].sequence += 5;
	expect_disagreement(record, "are missing");

	record = make_judged();
	run = record->branches[2].run;
	run->nr_events--;
	expect_disagreement(record, "have no event");

	record = make_judged();
	run = record->branches[2].run;
	for (size_t i = 0; i < run->nr_counts; i++)
		if (run->counts[i].denied)
			run->counts[i].denied = 0;
	expect_disagreement(record, "more events than decisions");

	record = make_judged();
	record->branches[2].removed[0].operation = AL_OP_NR_WRITE;
	expect_disagreement(record, "what was taken away differ");

	record = make_judged();
	record->verdict = VERDICT_CLEAR;
	expect_disagreement(record, "\"verdict\" was \"clear\"; judged again");

	record = make_judged();
	record->branches[3].outcome = OUTCOME_NEEDED;
	expect_disagreement(record, "\"outcome\" was \"needed\"");

	record = make_judged();
	record->witnesses[0].findings[0].severity = "low";
	expect_disagreement(record, "\"witnesses\" was");

	record = make_judged();
	record->branches[2].run->rules[0].allow |= AL_OP_SETATTR;
	expect_disagreement(record, "rights that full lacks");
}
