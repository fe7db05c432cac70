// SPDX-License-Identifier: GPL-2.0-only
/*
 * The whole translator. Each folder of data/translate/ is a case: a rule, and
 * what is said to be asked for.
 */
#include "harness.h"

#include <sys/resource.h>

#include <aletheia/limits.h>

#include "base/cleanup.h"
#include "extract_support.h"

static struct translation *translate(const char *path,
				     const struct buffer *rule)
{
	struct translation *translation = NULL;
	struct error *err cleanup_error = NULL;

	ASSERT_EQ(extract_rule(path, buffer_text(rule), rule->length,
			       &translation, &err),
		  0);
	return translation;
}

static void check_asked(const char *name, const struct buffer *rule,
			const struct buffer *expected)
{
	struct translation *translation cleanup_translation =
		translate("AGENTS.md", rule);
	struct buffer out cleanup_buffer = { 0 };

	TH_LOG("case %s", name);
	translation_print(translation, &out);
	EXPECT_STREQ(buffer_text(&out), buffer_text(expected));
	EXPECT_STREQ(
		translation_fault(translation, buffer_text(rule), rule->length),
		NULL);
}

TEST(asked)
{
	EXPECT_GE(cases_run("translate", "asked", check_asked), 6);
}

/* What the structure cases have must hold here as well. */
static void check_fault(const char *name, const struct buffer *rule,
			const struct buffer *expected)
{
	struct translation *translation cleanup_translation =
		translate("AGENTS.md", rule);

	(void)expected;
	EXPECT_STREQ(
		translation_fault(translation, buffer_text(rule), rule->length),
		NULL)
	{
		TH_LOG("case %s", name);
	}
}

TEST(places_lie_in_the_rule)
{
	EXPECT_GE(cases_run("structure", "segments", check_fault), 10);
	EXPECT_GE(cases_run("hidden", "found", check_fault), 19);
}

/* ---- one list of what was found */

static void add(struct translation *translation, unsigned int action,
		const char *object, size_t start, size_t end, bool conditional)
{
	struct request request = {
		.action = action,
		.kind = RESOURCE_FILE,
		.object = object,
		.start = start,
		.end = end,
		.conditional = conditional,
	};

	translation_add(translation, &request);
}

TEST(equal_requests_are_one)
{
	struct translation *translation cleanup_translation = translation_new();

	add(translation, AL_OP_NR_READ, "b", 30, 31, true);
	add(translation, AL_OP_NR_READ, "a", 20, 21, true);
	add(translation, AL_OP_NR_WRITE, "a", 20, 21, true);
	add(translation, AL_OP_NR_READ, "a", 10, 11, false);
	add(translation, AL_OP_NR_READ, "a", 20, 21, true);
	/* Around the first: the smaller place counts. */
	add(translation, AL_OP_NR_READ, "a", 9, 12, true);
	translation_end(translation);
	ASSERT_EQ(translation->nr_requests, 3);
	EXPECT_STREQ(translation->requests[0].object, "a");
	EXPECT_EQ(translation->requests[0].start, 10);
	EXPECT_EQ(translation->requests[0].nr_places, 2);
	EXPECT_FALSE(translation->requests[0].conditional);
	EXPECT_TRUE(translation->requests[1].conditional);
	EXPECT_STREQ(translation->requests[2].object, "b");
}

TEST(bytes_count_once)
{
	struct translation *translation cleanup_translation = translation_new();

	translation_asks(translation, 0, 50);
	translation_asks(translation, 40, 60);
	add(translation, AL_OP_NR_READ, "a", 10, 20, false);
	translation_gap(translation, 15, 30, "x", true, false);
	translation_gap(translation, 15, 30, "y", true, false);
	translation_gap(translation, 70, 80, "z", false, true);
	translation_end(translation);
	EXPECT_EQ(translation->actionable, 60);
	EXPECT_EQ(translation->unmapped, 10);
	EXPECT_FALSE(translation_unresolved(translation));
}

TEST(too_much_is_unresolved)
{
	for (size_t gap = 20; gap <= 21; gap++) {
		struct translation *translation cleanup_translation =
			translation_new();

		translation_asks(translation, 0, 100);
		translation_gap(translation, 0, gap, "x", true, false);
		translation_end(translation);
		EXPECT_EQ(translation_unresolved(translation), gap > 20);
	}
}

TEST(one_grave_gap_is_unresolved)
{
	for (int grave = 0; grave < 2; grave++) {
		struct translation *translation cleanup_translation =
			translation_new();

		translation_asks(translation, 0, 100);
		translation_gap(translation, 0, 1, "x", true, grave);
		translation_end(translation);
		EXPECT_EQ(translation_unresolved(translation), grave);
	}
}

TEST(too_many_are_one_grave_gap)
{
	struct translation *translation cleanup_translation = translation_new();
	char object[32];

	for (size_t i = 0; i < TRANSLATION_MAX_REQUESTS + 10; i++) {
		snprintf(object, sizeof(object), "f%zu", i);
		add(translation, AL_OP_NR_READ,
		    arena_strdup(translation->arena, object), i, i + 1, false);
	}
	translation_end(translation);
	EXPECT_EQ(translation->nr_requests, TRANSLATION_MAX_REQUESTS);
	EXPECT_GE(translation->nr_gaps, 1);
	EXPECT_TRUE(translation_unresolved(translation));
}

/* ---- the program */

static const struct {
	unsigned int action;
	enum resource_kind kind;
	const char *object;
	const char *printed; /* NULL: a comment */
} ways[] = {
	{ AL_OP_NR_READ, RESOURCE_FILE, "src/x",
	  "read file(workspace) \"src/x\"" },
	{ AL_OP_NR_READ, RESOURCE_FILE, "~/.netrc",
	  "read file(home) \".netrc\"" },
	{ AL_OP_NR_READ, RESOURCE_FILE, "/etc/x",
	  "read file(host) \"/etc/x\"" },
	{ AL_OP_NR_READ, RESOURCE_FILE, "/tmp/x", "read file(scratch) \"x\"" },
	{ AL_OP_NR_READ, RESOURCE_FILE, "/tmpx", "read file(host) \"/tmpx\"" },
	{ AL_OP_NR_READ, RESOURCE_FILE, "a/../b//./c",
	  "read file(workspace) \"b/c\"" },
	{ AL_OP_NR_READ, RESOURCE_FILE, "../x", "read file(unspecified) any" },
	{ AL_OP_NR_READ, RESOURCE_FILE, "*", "read file(unspecified) any" },
	{ AL_OP_NR_READ, RESOURCE_FILE, "/var/log/*",
	  "read dir(host) \"/var/log\"" },
	{ AL_OP_NR_READ, RESOURCE_FILE, "~/.*_history",
	  "read file(unspecified) any" },
	{ AL_OP_NR_LIST, RESOURCE_DIR, "~/", "list dir(home) \".\"" },
	{ AL_OP_NR_LIST, RESOURCE_DIR, "/", "list dir(host) \"/\"" },
	{ AL_OP_NR_LIST, RESOURCE_FILE, "/etc/x",
	  "read file(host) \"/etc/x\"" },
	{ AL_OP_NR_LIST, RESOURCE_PROCESS, "*", "list dir(host) \"/proc\"" },
	{ AL_OP_NR_EXECUTE, RESOURCE_TOOL, "scp",
	  "execute tool(host) \"scp\"" },
	{ AL_OP_NR_EXECUTE, RESOURCE_TOOL, "bin/x",
	  "execute tool(workspace) \"bin/x\"" },
	{ AL_OP_NR_EXECUTE, RESOURCE_TOOL, "*",
	  "execute tool(unspecified) any" },
	{ AL_OP_NR_CONNECT, RESOURCE_ENDPOINT, "tcp Host.Example 443",
	  "connect endpoint(remote) tcp \"host.example\" port 443" },
	{ AL_OP_NR_CONNECT, RESOURCE_ENDPOINT, "tcp * 22",
	  "connect endpoint(remote) tcp \"*\" port 22" },
	{ AL_OP_NR_CONNECT, RESOURCE_ENDPOINT, "udp 192.0.2.1 *",
	  "connect endpoint(remote) udp \"192.0.2.1\" port any" },
	{ AL_OP_NR_CONNECT, RESOURCE_ENDPOINT, "tcp 10.1.2.3/8 80-90",
	  "connect endpoint(remote) tcp \"10.0.0.0/8\" port 80-90" },
	{ AL_OP_NR_CONNECT, RESOURCE_ENDPOINT, "tcp [::1] 80",
	  "connect endpoint(local) tcp \"::1\" port 80" },
	{ AL_OP_NR_CONNECT, RESOURCE_ENDPOINT,
	  "tcp b\xc3\xbc"
	  "cher.example 443",
	  "connect endpoint(remote) tcp \"xn--bcher-kva.example\" port 443" },
	{ AL_OP_NR_CONNECT, RESOURCE_ENDPOINT, "tcp not a host 443",
	  "connect endpoint(remote) tcp \"*\" port 443" },
	{ AL_OP_NR_CONNECT, RESOURCE_ENDPOINT, "tcp registry:npm 443",
	  "connect endpoint(remote) registry \"npm\"" },
	{ AL_OP_NR_CONNECT, RESOURCE_ENDPOINT, "tcp remote:origin *",
	  "connect endpoint(remote) remote \"origin\"" },
	{ AL_OP_NR_CONNECT, RESOURCE_ENDPOINT, "icmp host.example *", NULL },
	{ AL_OP_NR_BIND, RESOURCE_PORT, "tcp 8080",
	  "bind port(local) tcp 8080" },
	{ AL_OP_NR_GETENV, RESOURCE_ENV, "HOME", "getenv env(host) \"HOME\"" },
	{ AL_OP_NR_READ, RESOURCE_ENV, "HOME", "getenv env(host) \"HOME\"" },
	{ AL_OP_NR_WRITE, RESOURCE_ENV, "HOME", NULL },
	{ AL_OP_NR_SIGNAL, RESOURCE_PROCESS, "auditd",
	  "signal process(host) \"auditd\"" },
	{ AL_OP_NR_KERNEL, RESOURCE_KERNEL, "time",
	  "kernel kernel(host) \"clock\"" },
	{ AL_OP_NR_KERNEL, RESOURCE_KERNEL, "wonder",
	  "kernel kernel(unspecified) any" },
	{ AL_OP_NR_READ, RESOURCE_DEVICE, "/dev/sda",
	  "read device(host) \"/dev/sda\"" },
	{ AL_OP_NR_READ, RESOURCE_DEVICE, "/dev/bpf*",
	  "read device(unspecified) any" },
};

static void print_grants(const struct program *program, struct buffer *out)
{
	for (size_t i = 0; i < program->nr_grants; i++) {
		const struct grant *grant = &program->grants[i];

		buffer_printf(out, "%s ", operation_word(grant->action));
		selector_print(&program->resources[grant->resource].selector,
			       out);
	}
}

TEST(requests_in_the_language)
{
	static const char text[] = "x\n";

	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		struct translation *translation cleanup_translation =
			translation_new();
		struct program *program cleanup_program = NULL;
		struct error *err cleanup_error = NULL;
		struct buffer out cleanup_buffer = { 0 };
		struct request request = { .action = ways[i].action,
					   .kind = ways[i].kind,
					   .object = ways[i].object,
					   .end = 1 };

		translation_add(translation, &request);
		translation_end(translation);
		ASSERT_EQ(translation_program(translation, "t", "r", text, 2,
					      &program, &err),
			  0);
		print_grants(program, &out);
		EXPECT_STREQ(buffer_text(&out),
			     ways[i].printed ? ways[i].printed : "");
		EXPECT_EQ(program->nr_comments[COMMENT_TOP], !ways[i].printed);
		EXPECT_STREQ(translation_fault(translation, text, 2), NULL);
	}
}

/* Names are made from objects, whatever these are. */
TEST(names_are_names)
{
	static const char *const objects[] = {
		"from",
		"to",
		"observed",
		"9",
		"...",
		"-",
		"A.B",
		"a.b",
		"a\nb",
		"\xff\xfe",
		"a b",
		"\"",
		"~/x",
		"x",
		"/x",
		"/tmp/x",
		".env",
		"\xe2\x80\x8b",
		"a/very/long/path/that/goes/on/and/on/and/on/and/on/and/on",
	};
	struct translation *translation cleanup_translation = translation_new();
	struct program *program cleanup_program = NULL;
	struct error *err cleanup_error = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(objects); i++)
		add(translation, AL_OP_NR_READ, objects[i], 0, 1, false);
	translation_end(translation);
	EXPECT_STREQ(translation_fault(translation, "x", 1), NULL);
	ASSERT_EQ(translation_program(translation, "t", "r", "x", 1, &program,
				      &err),
		  0);
	EXPECT_GE(program->nr_grants, ARRAY_SIZE(objects) - 4);
}

TEST(too_many_grants_are_an_error)
{
	struct translation *translation cleanup_translation = translation_new();
	struct program *program cleanup_program = NULL;
	struct error *err cleanup_error = NULL;

	for (size_t i = 0; i <= AL_MAX_GRANTS; i++)
		add(translation, AL_OP_NR_READ,
		    arena_printf(translation->arena, "f%zu", i), 0, 1, false);
	translation_end(translation);
	EXPECT_EQ(translation_program(translation, "t", "r", "x", 1, &program,
				      &err),
		  -E2BIG);
	EXPECT_NULL(program);
	ASSERT_NOT_NULL(err);
	EXPECT_EQ(err->kind, ERROR_INPUT);
}

/* ---- texts that want to cost time or memory */

/* What ends each text has to be found, whatever is before it. */
static const struct {
	const char *what, *head, *piece, *tail;
} texts[] = {
#define END_PROSE "\n\nRun `curl https://end.example/x` now.\n"
#define END_CODE  "\n\n```sh\ncurl https://end.example/x\n```\n"
	{ "newlines", "", "\n", END_PROSE },
	{ "carriage returns", "", "\r", END_PROSE },
	{ "paragraphs", "", "a\n\n", END_CODE },
	{ "quotes", "", ">", END_PROSE },
	{ "quotes in lines", "", "> > > x\n", END_PROSE },
	{ "lists", "", "- ", END_PROSE },
	{ "brackets", "", "[", END_PROSE },
	{ "images", "", "![a](", END_PROSE },
	{ "emphasis", "", "*a _b", END_PROSE },
	{ "backquotes", "", "``a`", END_CODE },
	{ "one line", "", "word ", END_PROSE },
	{ "one word", "", "x", END_CODE },
	{ "open fence", "```sh\n", "echo a\n", "curl https://end.example/x\n" },
	{ "fences", "", "```\n", "```" END_CODE },
	{ "open comment", "<!--\n", "a b\n", END_PROSE },
	{ "comments", "", "<!--a-->", END_CODE },
	{ "open tags", "", "<p style=\"\n", END_PROSE },
	{ "hidden elements", "", "<p hidden>\n\n", END_PROSE },
	{ "tables", "", "| a | b |\n|---|---|\n", END_PROSE },
	{ "open quotes in code", "```sh\n", "echo \"a'\n", "\n```" END_CODE },
	{ "nested commands", "```sh\n", "$(", "\n```" END_CODE },
	{ "pipes", "```sh\n", "a | ", "b\n```" END_CODE },
	{ "invalid UTF-8", "", "\xff\xc3", END_PROSE },
	{ "unseen characters", "", "\xe2\x80\x8b\xe2\x80\x8c", END_CODE },
	{ "entities", "", "&amp;", END_PROSE },
	{ "definitions", "", "[//]: # (x y)\n\n", END_PROSE },
};

static bool finds_end(const struct translation *translation)
{
	for (size_t i = 0; i < translation->nr_requests; i++)
		if (!strcmp(translation->requests[i].object,
			    "tcp end.example 443"))
			return true;
	return false;
}

#if defined(__SANITIZE_ADDRESS__)
#define HAVE_LIMIT false
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAVE_LIMIT false
#endif
#endif
#ifndef HAVE_LIMIT
#define HAVE_LIMIT true
#endif

/* A process that wants more memory ends: memory.c exits with 70. */
static void limit_memory(size_t bytes)
{
	struct rlimit limit = { bytes, bytes };

	if (HAVE_LIMIT)
		ASSERT_EQ(setrlimit(RLIMIT_AS, &limit), 0);
}

static void translate_all(size_t size)
{
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct translation *translation cleanup_translation = NULL;
		struct buffer text cleanup_buffer = { 0 };

		fill(&text, texts[i].head, texts[i].piece, texts[i].tail, size);
		TH_LOG("%s", texts[i].what);
		translation = translate("AGENTS.md", &text);
		EXPECT_TRUE(finds_end(translation));
		EXPECT_STREQ(
			translation_fault(translation, text.data, text.length),
			NULL);
	}
}

TEST_TIMEOUT(hostile_texts_are_searched_to_their_end, 120)
{
	limit_memory(512u << 20);
	translate_all(1u << 20);
}

TEST_TIMEOUT(a_line_of_five_megabytes, 120)
{
	struct translation *translation cleanup_translation = NULL;
	struct buffer text cleanup_buffer = { 0 };

	limit_memory(768u << 20);
	fill(&text, "", "read this and that ",
	     " and then run `curl https://end.example/x` now.", 5u << 20);
	translation = translate("AGENTS.md", &text);
	EXPECT_TRUE(finds_end(translation));
}

TEST(an_ordinary_rule_needs_little_memory)
{
	struct translation *translation cleanup_translation = NULL;
	struct buffer text cleanup_buffer = { 0 };
	struct rusage usage;

	fill(&text, "",
	     "## Build\n\nRun `make all`, then read the log.\n\n"
	     "```sh\nmake test\n```\n\n- Never commit secrets.\n\n",
	     END_PROSE, 100000);
	translation = translate("AGENTS.md", &text);
	ASSERT_EQ(getrusage(RUSAGE_SELF, &usage), 0);
	EXPECT_TRUE(finds_end(translation));
	if (HAVE_LIMIT)
		EXPECT_LE(usage.ru_maxrss, 50 << 10);
}

TEST(a_rule_has_a_size)
{
	char *text cleanup_free = xzalloc(AL_MAX_RULE_SIZE + 1);
	struct translation *translation = NULL;
	struct error *err cleanup_error = NULL;

	EXPECT_EQ(extract_rule("r", text, AL_MAX_RULE_SIZE + 1, &translation,
			       &err),
		  -EFBIG);
	EXPECT_NULL(translation);
	ASSERT_NOT_NULL(err);
	EXPECT_EQ(err->kind, ERROR_INPUT);
}

/* ---- scripts */

TEST(a_script_is_code)
{
	struct buffer text cleanup_buffer = { 0 };
	struct translation *by_name cleanup_translation = NULL;
	struct translation *by_line cleanup_translation = NULL;
	struct translation *neither cleanup_translation = NULL;

	buffer_adds(&text, "curl https://end.example/x\n");
	by_name = translate("setup.sh", &text);
	EXPECT_TRUE(finds_end(by_name));
	text.length = 0;
	buffer_adds(&text, "#!/bin/sh\ncurl https://end.example/x\n");
	by_line = translate("setup", &text);
	EXPECT_TRUE(finds_end(by_line));
	text.length = 0;
	buffer_adds(&text,
		    "The tool curl https://end.example/x is mentioned.\n");
	neither = translate("AGENTS.md", &text);
	EXPECT_FALSE(finds_end(neither));
}
