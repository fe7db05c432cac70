// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test Anything Protocol, as far as it decides: version, plan, test lines and
 * "Bail out!". The program under test may print between them; what is no line
 * of the protocol is not looked at, and what is one must be right.
 */
#include "branch/result_tap.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "branch/result.h"

/**
 * struct tap
 * @plan:	number of tests, -1: not said yet
 * @plan_last:	it came after tests, so that none may follow
 * @line:	number of the present one
 */
struct tap {
	struct arena *arena;
	struct record_test *tests;
	size_t nr;
	long plan;
	bool plan_last;
	bool bailed;
	size_t line;
	struct error **err;
};

static int wrong(struct tap *tap, const char *what)
{
	return error_set(tap->err, ERROR_INPUT, EINVAL, "TAP, line %zu: %s",
			 tap->line, what);
}

/* Digits only; -1: none or too many. */
static long number(const char **at, const char *end)
{
	const char *start = *at;
	long value = 0;

	while (*at < end && isdigit((unsigned char)**at)) {
		value = value * 10 + (**at - '0');
		if (value > RESULT_TESTS_MAX)
			return -1;
		(*at)++;
	}
	return *at == start ? -1 : value;
}

static bool starts(const char **at, const char *end, const char *word)
{
	size_t nr = strlen(word);

	if ((size_t)(end - *at) < nr || memcmp(*at, word, nr))
		return false;
	*at += nr;
	return true;
}

static void skip_spaces(const char **at, const char *end)
{
	while (*at < end && (**at == ' ' || **at == '\t'))
		(*at)++;
}

/* "1..N", perhaps with "# SKIP reason" behind it. */
static int parse_plan(struct tap *tap, const char *at, const char *end)
{
	long plan;

	if (tap->plan >= 0)
		return wrong(tap, "a second plan");
	plan = number(&at, end);
	if (plan < 0)
		return wrong(tap, "a plan without its number of tests");
	skip_spaces(&at, end);
	if (at < end && *at != '#')
		return wrong(tap, "something behind the plan");
	tap->plan = plan;
	tap->plan_last = tap->nr > 0;
	return 0;
}

/* Skipped or still to do, in any case, directly behind the "#". */
static bool is_directive(const char *at, const char *end)
{
	skip_spaces(&at, end);
	return end - at >= 4 &&
	       (!strncasecmp(at, "skip", 4) || !strncasecmp(at, "todo", 4));
}

/* Up to an unescaped " #"; "\#" and "\\" are a "#" and a "\". */
static const char *parse_name(struct tap *tap, const char *at, const char *end,
			      bool *ret_directive)
{
	struct buffer name = { 0 };
	const char *ret;

	for (; at < end; at++) {
		if (*at == '\\' && at + 1 < end &&
		    (at[1] == '#' || at[1] == '\\')) {
			buffer_addc(&name, *++at);
			continue;
		}
		if (*at == '#') {
			*ret_directive = is_directive(at + 1, end);
			break;
		}
		buffer_addc(&name, *at);
	}
	while (name.length && (name.data[name.length - 1] == ' ' ||
			       name.data[name.length - 1] == '\t'))
		name.data[--name.length] = '\0';
	ret = name.length > RESULT_NAME_MAX ||
			      memchr(name.data ? name.data : "", 0, name.length)
		      ? NULL
		      : arena_strdup(tap->arena, buffer_text(&name));
	buffer_done(&name);
	return ret;
}

/* "ok 3 - name # SKIP reason"; number and dash may be missing. */
static int parse_test(struct tap *tap, bool ok, const char *at, const char *end)
{
	struct record_test *test;
	bool directive = false;
	const char *name;
	long nr;

	if (tap->plan_last)
		return wrong(tap, "a test behind the plan");
	if (tap->nr == RESULT_TESTS_MAX)
		return wrong(tap, "too many tests");
	skip_spaces(&at, end);
	if (at < end && isdigit((unsigned char)*at)) {
		nr = number(&at, end);
		if (nr < 0 || (size_t)nr != tap->nr + 1)
			return wrong(tap, "a test out of order");
		if (at < end && *at != ' ' && *at != '\t' && *at != '#')
			return wrong(tap, "something behind the number");
	}
	skip_spaces(&at, end);
	if (at < end && *at == '-') {
		at++;
		skip_spaces(&at, end);
	}
	name = parse_name(tap, at, end, &directive);
	if (!name)
		return wrong(tap, "a name too long or with a zero byte");
	test = ARENA_PUSH(tap->arena, tap->tests, tap->nr);
	test->name = name;
	test->passed = ok && !directive;
	return 0;
}

static int parse_version(struct tap *tap, const char *at, const char *end)
{
	long version = number(&at, end);

	if (tap->nr || tap->plan >= 0)
		return wrong(tap, "a version behind the beginning");
	if (version < 12 || version > 14 || at != end)
		return wrong(tap, "not TAP 12 to 14");
	return 0;
}

static bool ends_word(const char *at, const char *end)
{
	return at == end || *at == ' ' || *at == '\t';
}

static int parse_line(struct tap *tap, const char *at, const char *end)
{
	const char *start = at;

	if (starts(&at, end, "TAP version "))
		return parse_version(tap, at, end);
	if (starts(&at, end, "1.."))
		return parse_plan(tap, at, end);
	if (starts(&at, end, "Bail out!")) {
		tap->bailed = true;
		return 0;
	}
	if (starts(&at, end, "not ok") && ends_word(at, end))
		return parse_test(tap, false, at, end);
	at = start;
	if (starts(&at, end, "ok") && ends_word(at, end))
		return parse_test(tap, true, at, end);
	return 0;
}

int tap_parse(const char *data, size_t length, struct arena *arena,
	      struct record_test **ret, size_t *ret_nr, struct error **err)
{
	struct tap tap = { .arena = arena, .plan = -1, .err = err };
	const char *at = data, *end = data + length;
	int code = 0;

	/* After "Bail out!" nothing is run, so nothing can be said. */
	while (!code && at < end && !tap.bailed) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		const char *stop = newline ? newline : end;

		tap.line++;
		if (stop > at && stop[-1] == '\r')
			code = parse_line(&tap, at, stop - 1);
		else
			code = parse_line(&tap, at, stop);
		at = newline ? newline + 1 : end;
	}
	if (!code && tap.plan < 0 && !tap.nr && !tap.bailed)
		code = error_set(err, ERROR_INPUT, ENODATA,
				 "no TAP: neither plan nor test");
	if (!code && tap.plan >= 0 && tap.nr > (size_t)tap.plan)
		code = error_set(err, ERROR_INPUT, EINVAL,
				 "TAP: %zu tests, but a plan of %ld", tap.nr,
				 tap.plan);
	if (code)
		return code;
	/* Without a plan nobody knows whether that was all. */
	if (tap.plan < 0)
		while (tap.nr)
			tap.tests[--tap.nr].passed = false;
	*ret = tap.tests;
	*ret_nr = tap.nr;
	return 0;
}
