// SPDX-License-Identifier: GPL-2.0-only
/* How errors look: places, carets, windows of long lines, escapes, causes. */
#include "harness.h"

#include "base/cleanup.h"
#include "base/memory.h"
#include "cli/print_error.h"

static char *printed(const struct error *err, bool colour)
{
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	error_print(out, err, colour);
	fclose(out);
	return text;
}

/* An error at bytes @from to @to of the line that holds them. */
static struct error *error_in(const char *text, size_t from, size_t to)
{
	struct error *err = NULL;
	struct span at = { .file = "f",
			   .start = { 7, 0, from },
			   .end = { 7, 0, to } };
	size_t line = from;

	while (line > 0 && text[line - 1] != '\n')
		line--;
	at.start.column = (uint32_t)(from - line) + 1;
	at.end.column = (uint32_t)(to - line) + 1;
	error_at(&err, ERROR_INPUT, &at, text, strlen(text), "wrong");
	return err;
}

static void check(const char *text, size_t from, size_t to,
		  const char *expected)
{
	struct error *err cleanup_error = error_in(text, from, to);
	char *found cleanup_free = printed(err, false);

	EXPECT_STREQ(found, expected);
}

TEST(caret_is_below_the_place)
{
	check("a\nbc def\n", 5, 8, "f:7:4: wrong\n    bc def\n       ^~~\n");
	check("abc", 0, 1, "f:7:1: wrong\n    abc\n    ^\n");
	check("abc", 3, 3, "f:7:4: wrong\n    abc\n       ^\n");
	check("", 0, 0, "f:7:1: wrong\n    \n    ^\n");
	/* Tabs, wide and combined characters take their columns. */
	check("\tab", 1, 3, "f:7:2: wrong\n            ab\n            ^~\n");
	check("a\tb", 2, 3, "f:7:3: wrong\n    a       b\n            ^\n");
	check("漢字x", 6, 7, "f:7:7: wrong\n    漢字x\n        ^\n");
	check("é\xcc\x81x", 4, 5, "f:7:5: wrong\n    é\xcc\x81x\n     ^\n");
}

TEST(what_is_shown_is_harmless)
{
	check("\x1b[31m\xe2\x80\xae x\xff", 9, 10,
	      "f:7:10: wrong\n    \\x1b[31m\\u{202e} x\\xff\n"
	      "                     ^\n");
	check("\r\\", 1, 2, "f:7:2: wrong\n    \\r\\\n      ^\n");
}

TEST(long_lines_are_windowed)
{
	char text[5001];
	struct error *err cleanup_error = NULL;
	char *found cleanup_free = NULL;

	memset(text, 'x', 5000);
	text[5000] = '\0';
	text[2500] = 'Y';
	err = error_in(text, 2500, 2501);
	/* Only what is near is kept at all. */
	EXPECT_LE(strlen(err->line), 1000);
	found = printed(err, false);
	EXPECT_STREQ(
		found,
		"f:7:2501: wrong\n"
		"    ...xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
		"xxxxxxxxYxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...\n"
		"                                                           "
		"        ^\n");
}

TEST(names_messages_hints_and_causes)
{
	struct error *err cleanup_error = NULL;
	char *found cleanup_free = NULL, *coloured cleanup_free = NULL;
	struct span at = { .file = "a\nb" };

	error_set(&err, ERROR_CONFIG, EINVAL, "low \x1b");
	error_hint(&err, "do\tthis");
	error_set(&err, ERROR_CONFIG, EINVAL, "lower");
	error_wrap(&err, ERROR_CONFIG, EINVAL, "high");
	error_at(&err, ERROR_INPUT, &at, NULL, 0, "whole file");
	found = printed(err, false);
	EXPECT_STREQ(found, "aletheia: high\n"
			    "  because:\n"
			    "    low \\x1b\n"
			    "      hint: do\\tthis\n"
			    "    lower\n"
			    "a\\nb: whole file\n");
	EXPECT_HAS_NOT_SUBSTR(found, "\033");
	coloured = printed(err, true);
	EXPECT_HAS_SUBSTR(coloured, "\033[1;31mhigh\033[0m\n");
	free(found);
	found = printed(NULL, true);
	EXPECT_STREQ(found, "");
}
