// SPDX-License-Identifier: GPL-2.0-only
/* What the oracle says: TAP and JUnit, right, wrong and hostile. */
#include "harness.h"

#include "base/cleanup.h"
#include "base/error.h"
#include "base/memory.h"
#include "branch/result.h"

static struct arena *arena;
static struct record_test *tests;
static size_t nr;

/* 0 or the error's code; @tests and @nr are set. */
static int parse_bytes(enum result_format format, const char *data,
		       size_t length)
{
	struct error *err cleanup_error = NULL;
	int code;

	if (!arena)
		arena = arena_new();
	tests = NULL;
	nr = 0;
	code = result_parse(format, data, length, arena, &tests, &nr, &err);
	if (code) {
		ASSERT_NE(err, NULL);
		ASSERT_EQ(err->kind, ERROR_INPUT);
		TH_LOG("%s", err->message);
	}
	return code;
}

static int tap(const char *text)
{
	return parse_bytes(RESULT_TAP, text, strlen(text));
}

static int junit(const char *text)
{
	return parse_bytes(RESULT_JUNIT, text, strlen(text));
}

static bool accepted(const char *first, const char *second)
{
	const char *const expect[] = { first, second };

	return result_accepted(tests, nr, expect, second ? 2 : 1);
}

TEST(tap_accepted)
{
	ASSERT_EQ(tap("TAP version 13\n1..2\nok 1 - a\nok 2 - b c\n"), 0);
	EXPECT_EQ(nr, 2);
	EXPECT_TRUE(accepted("a", "b c"));
	EXPECT_TRUE(accepted("b c", "a"));
	EXPECT_FALSE(accepted("a", NULL));
	EXPECT_FALSE(accepted("a", "c"));
	EXPECT_FALSE(accepted("a", "a"));
	/* Plan behind, no numbers, no dash, CRLF, no newline at the end. */
	ASSERT_EQ(tap("ok a\r\nok - b c\r\n1..2"), 0);
	EXPECT_TRUE(accepted("a", "b c"));
	ASSERT_EQ(tap("1..1\nok 1 - a \\# b \\\\ c # time=3\n"), 0);
	EXPECT_TRUE(accepted("a # b \\ c", NULL));
}

TEST(tap_rejected)
{
	ASSERT_EQ(tap("1..2\nok 1 - a\nnot ok 2 - b\n"), 0);
	EXPECT_FALSE(accepted("a", "b"));
	ASSERT_EQ(tap("1..1\nok 1 - a # SKIP no such thing\n"), 0);
	EXPECT_FALSE(accepted("a", NULL));
	ASSERT_EQ(tap("1..1\nok 1 - a #todo\n"), 0);
	EXPECT_FALSE(accepted("a", NULL));
	/* The same name twice. */
	ASSERT_EQ(tap("1..2\nok 1 - a\nok 2 - a\n"), 0);
	EXPECT_FALSE(accepted("a", NULL));
	EXPECT_FALSE(accepted("a", "a"));
	/* It stopped in the middle. */
	ASSERT_EQ(tap("1..2\nok 1 - a\n"), 0);
	EXPECT_FALSE(accepted("a", "b"));
	ASSERT_EQ(tap("1..1\nBail out! on fire\nok 1 - a\n"), 0);
	EXPECT_FALSE(accepted("a", NULL));
	/* Nobody said how many there are. */
	ASSERT_EQ(tap("ok 1 - a\n"), 0);
	EXPECT_FALSE(accepted("a", NULL));
	ASSERT_EQ(tap("1..0 # SKIP all\n"), 0);
	EXPECT_FALSE(accepted("a", NULL));
}

/* Subtests and what the program prints are not results. */
TEST(tap_noise)
{
	ASSERT_EQ(tap("hello\n# ok 7 - x\n1..1\n    1..1\n    ok 1 - inner\n"
		      "okay\nok 1 - a\n  ---\n  ok: 1\n  ...\nnot okay\n"),
		  0);
	EXPECT_EQ(nr, 1);
	EXPECT_TRUE(accepted("a", NULL));
}

TEST(tap_wrong)
{
	static const char *const wrong[] = {
		"",
		"no tests here\n",
		"    ok 1 - only a subtest\n",
		"1..x\n",
		"1..\n",
		"1..-1\n",
		"1..1 and more\nok 1 - a\n",
		"1..99999999999999999999\n",
		"1..1\n1..1\nok 1 - a\n",
		"1..2\nok 2 - a\nok 1 - b\n",
		"1..2\nok 1 - a\nok 1 - a\n",
		"1..1\nok 1 - a\nok 2 - b\n",
		"ok 1 - a\n1..2\nok 2 - b\n",
		"1..1\nok 1x - a\n",
		"TAP version 11\n1..1\nok 1 - a\n",
		"TAP version 15\n1..1\nok 1 - a\n",
		"TAP version 13 or so\n1..1\nok 1 - a\n",
		"1..1\nTAP version 13\nok 1 - a\n",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(wrong); i++)
		EXPECT_NE(tap(wrong[i]), 0)
		{
			TH_LOG("case %zu: %s", i, wrong[i]);
		}
	EXPECT_NE(parse_bytes(RESULT_TAP, "1..1\nok 1 - a\0b\n", 17), 0);
}

TEST(tap_bounds)
{
	struct buffer text cleanup_buffer = { 0 };
	int i;

	for (i = 1; i <= RESULT_TESTS_MAX; i++)
		buffer_printf(&text, "ok %d - t%d\n", i, i);
	buffer_printf(&text, "1..%d\n", RESULT_TESTS_MAX);
	EXPECT_EQ(parse_bytes(RESULT_TAP, text.data, text.length), 0);
	EXPECT_EQ(nr, RESULT_TESTS_MAX);
	text.length = 0;
	for (i = 1; i <= RESULT_TESTS_MAX + 1; i++)
		buffer_adds(&text, "ok\n");
	EXPECT_NE(parse_bytes(RESULT_TAP, text.data, text.length), 0);
	text.length = 0;
	buffer_adds(&text, "1..1\nok 1 - ");
	for (i = 0; i <= RESULT_NAME_MAX; i++)
		buffer_addc(&text, 'x');
	EXPECT_NE(parse_bytes(RESULT_TAP, text.data, text.length), 0);
	for (i = 0; i <= RESULT_SIZE_MAX; i++)
		buffer_addc(&text, '\n');
	EXPECT_NE(parse_bytes(RESULT_TAP, text.data, text.length), 0);
}

TEST(junit_accepted)
{
	ASSERT_EQ(junit("<?xml version='1.0'?><testsuites><testsuite name='s'>"
			"<testcase classname='c.d' name='a' time='0'/>"
			"<testcase name='b'><system-out>x</system-out>"
			"</testcase></testsuite></testsuites>"),
		  0);
	EXPECT_EQ(nr, 2);
	EXPECT_TRUE(accepted("c.d.a", "b"));
	EXPECT_FALSE(accepted("a", "b"));
	ASSERT_EQ(junit("<testsuite><testcase classname='' name='a&amp;b'/>"
			"</testsuite>"),
		  0);
	EXPECT_TRUE(accepted("a&b", NULL));
}

TEST(junit_rejected)
{
	static const char *const ways[] = { "failure", "error", "skipped" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(ways); i++) {
		char text[200];

		snprintf(text, sizeof(text),
			 "<testsuite><testcase name='a'><%s/></testcase>"
			 "<testcase name='b'/></testsuite>",
			 ways[i]);
		ASSERT_EQ(junit(text), 0);
		EXPECT_FALSE(accepted("a", "b"));
		EXPECT_FALSE(tests[0].passed);
		EXPECT_TRUE(tests[1].passed);
	}
	ASSERT_EQ(junit("<testsuite/>"), 0);
	EXPECT_FALSE(accepted("a", NULL));
}

TEST(junit_wrong)
{
	static const char *const wrong[] = {
		"",
		"ok 1 - a",
		"<html><testcase name='a'/></html>",
		"<testcase name='a'/>",
		"<testsuite><testcase name='a'/>",
		"<testsuite><testcase/></testsuite>",
		"<testsuite><testcase name=''/></testsuite>",
		"<testsuite><testcase name='a'><testcase name='b'/>"
		"</testcase></testsuite>",
		"<testsuite></testsuite><testsuite/>",
		"<!DOCTYPE x><testsuite><testcase name='a'/></testsuite>",
		"<!DOCTYPE x [<!ENTITY e SYSTEM 'file:///etc/passwd'>]>"
		"<testsuite><testcase name='&e;'/></testsuite>",
		"<!DOCTYPE x [<!ENTITY a 'aaaaaaaaaa'>"
		"<!ENTITY b '&a;&a;&a;&a;&a;&a;&a;&a;'>]>"
		"<testsuite><testcase name='&b;'/></testsuite>",
		"<testsuite><testcase name='&undefined;'/></testsuite>",
	};
	struct buffer deep cleanup_buffer = { 0 };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(wrong); i++)
		EXPECT_NE(junit(wrong[i]), 0)
		{
			TH_LOG("case %zu: %s", i, wrong[i]);
		}
	for (i = 0; i < 100000; i++)
		buffer_adds(&deep, "<testsuite>");
	EXPECT_NE(parse_bytes(RESULT_JUNIT, deep.data, deep.length), 0);
}
