// SPDX-License-Identifier: GPL-2.0-only
/*
 * JUnit's XML, read by expat. A document type declaration is refused before
 * anything of it is looked at: no entities, internal or external.
 */
#include "branch/result_junit.h"

#include <errno.h>
#include <expat.h>
#include <string.h>

#include "base/cleanup.h"
#include "branch/result.h"

/**
 * struct junit
 * @depth:	elements around the present one
 * @test_depth:	of the present <testcase>, 0: none
 * @complaint:	why it was refused, NULL: it was not
 */
struct junit {
	struct arena *arena;
	XML_Parser parser;
	struct record_test *tests;
	size_t nr;
	unsigned int depth;
	unsigned int test_depth;
	const char *complaint;
};

static void refuse(struct junit *junit, const char *complaint)
{
	if (!junit->complaint)
		junit->complaint = complaint;
	XML_StopParser(junit->parser, XML_FALSE);
}

static const char *attribute(const char **attributes, const char *name)
{
	for (; attributes[0]; attributes += 2)
		if (!strcmp(attributes[0], name))
			return attributes[1];
	return NULL;
}

static void start_test(struct junit *junit, const char **attributes)
{
	const char *class_name = attribute(attributes, "classname");
	const char *name = attribute(attributes, "name");
	struct record_test *test;

	if (!name || !*name) {
		refuse(junit, "a testcase without a name");
		return;
	}
	if (strlen(name) + (class_name ? strlen(class_name) : 0) >
	    RESULT_NAME_MAX) {
		refuse(junit, "a name too long");
		return;
	}
	if (junit->nr == RESULT_TESTS_MAX) {
		refuse(junit, "too many tests");
		return;
	}
	test = ARENA_PUSH(junit->arena, junit->tests, junit->nr);
	test->name =
		class_name && *class_name
			? arena_printf(junit->arena, "%s.%s", class_name, name)
			: arena_strdup(junit->arena, name);
	test->passed = true;
	junit->test_depth = junit->depth;
}

static void XMLCALL start_element(void *context, const char *name,
				  const char **attributes)
{
	struct junit *junit = context;

	/* expat still calls for what it had when it was stopped. */
	if (junit->complaint)
		return;
	if (++junit->depth > RESULT_DEPTH_MAX) {
		refuse(junit, "elements are nested too deeply");
		return;
	}
	if (junit->depth == 1 && strcmp(name, "testsuites") &&
	    strcmp(name, "testsuite")) {
		refuse(junit, "its root is neither testsuites nor testsuite");
		return;
	}
	if (!strcmp(name, "testcase")) {
		if (junit->test_depth)
			refuse(junit, "a testcase in a testcase");
		else
			start_test(junit, attributes);
	} else if (junit->test_depth && junit->nr &&
		   (!strcmp(name, "failure") || !strcmp(name, "error") ||
		    !strcmp(name, "skipped"))) {
		junit->tests[junit->nr - 1].passed = false;
	}
}

static void XMLCALL end_element(void *context, const char *name)
{
	struct junit *junit = context;

	(void)name;
	if (junit->test_depth == junit->depth)
		junit->test_depth = 0;
	junit->depth--;
}

static void XMLCALL start_doctype(void *context, const char *name,
				  const char *sysid, const char *pubid,
				  int has_internal_subset)
{
	(void)name;
	(void)sysid;
	(void)pubid;
	(void)has_internal_subset;
	refuse(context, "a document type declaration");
}

int junit_parse(const char *data, size_t length, struct arena *arena,
		struct record_test **ret, size_t *ret_nr, struct error **err)
{
	struct junit junit = { .arena = arena };
	unsigned long line;
	enum XML_Status status;
	const char *why;

	junit.parser = XML_ParserCreate(NULL);
	if (!junit.parser)
		return error_set(err, ERROR_INTERNAL, ENOMEM, "expat: %s",
				 strerror(ENOMEM));
	XML_SetUserData(junit.parser, &junit);
	XML_SetElementHandler(junit.parser, start_element, end_element);
	XML_SetStartDoctypeDeclHandler(junit.parser, start_doctype);
	status = XML_Parse(junit.parser, data, (int)length, XML_TRUE);
	line = XML_GetCurrentLineNumber(junit.parser);
	why = junit.complaint ? junit.complaint
			      : XML_ErrorString(XML_GetErrorCode(junit.parser));
	XML_ParserFree(junit.parser);
	if (junit.complaint || status != XML_STATUS_OK)
		return error_set(err, ERROR_INPUT, EINVAL,
				 "JUnit, line %lu: %s", line, why);
	*ret = junit.tests;
	*ret_nr = junit.nr;
	return 0;
}
