// SPDX-License-Identifier: GPL-2.0-only
/*
 * libFuzzer target for the language: whatever the bytes are, the parser ends,
 * with errors or with a program; a program survives printing, formatting,
 * merging and being located in any rule.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "cli/print_error.h"
#include "dsl/program.h"
#include "dsl_support.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void fail(const char *what, const struct buffer *text)
{
	fprintf(stderr, "%s\n%s", what, text ? buffer_text(text) : "");
	abort();
}

static struct program *parse(const struct buffer *text)
{
	struct error *err cleanup_error = NULL;
	struct program *program = NULL;

	if (program_parse("printed", buffer_text(text), text->length, &program,
			  &err))
		fail("printed text is not a program", text);
	return program;
}

/* Errors are printed, too: they quote the bytes. */
static void print_errors(const struct error *err)
{
	char *printed cleanup_free = NULL;
	size_t length, i;
	FILE *out = open_memstream(&printed, &length);

	error_print(out, err, false);
	fclose(out);
	for (i = 0; i < length; i++)
		if ((unsigned char)printed[i] < 0x20 && printed[i] != '\n')
			fail("an error prints a control character", NULL);
	if (!text_is_utf8(printed, length))
		fail("an error prints what is no UTF-8", NULL);
}

static void check_program(const struct program *program)
{
	struct program *parsed cleanup_program = NULL;
	struct program *formatted cleanup_program = NULL;
	struct program *merged cleanup_program = NULL;
	struct error *err cleanup_error = NULL;
	struct buffer text cleanup_buffer = { 0 };
	struct buffer again cleanup_buffer = { 0 };
	struct buffer with_comments cleanup_buffer = { 0 };
	struct buffer twice cleanup_buffer = { 0 };

	program_print(program, &text);
	parsed = parse(&text);
	if (dsl_difference(program, parsed))
		fail("printing changed the program", &text);
	program_print(parsed, &again);
	if (strcmp(buffer_text(&text), buffer_text(&again)))
		fail("printing is not idempotent", &text);

	program_format(program, &with_comments);
	formatted = parse(&with_comments);
	if (dsl_difference(program, formatted))
		fail("formatting changed the program", &with_comments);
	program_format(formatted, &twice);
	if (strcmp(buffer_text(&with_comments), buffer_text(&twice)))
		fail("formatting is not idempotent", &with_comments);

	/* A setup alone may bind what is declared elsewhere. */
	if (program_merge((const struct program *const *)&parsed, 1, &merged,
			  &err)) {
		print_errors(err);
		if (program->has_system)
			fail("a program does not merge with nothing", &text);
		return;
	}
	if (dsl_difference(program, merged))
		fail("merging changed the program", &text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct program *program cleanup_program = NULL;
	struct error *err cleanup_error = NULL;

	if (program_parse("input", (const char *)data, size, &program, &err)) {
		if (!err || program)
			fail("an error without an error", NULL);
		print_errors(err);
		return 0;
	}
	if (err)
		fail("a program and errors", NULL);
	check_program(program);
	program_locate(program, "rule", (const char *)data, size, &err);
	print_errors(err);
	return 0;
}
