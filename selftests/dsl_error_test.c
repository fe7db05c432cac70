// SPDX-License-Identifier: GPL-2.0-only
/*
 * What people read when a text is wrong: for each data/dsl/errors/x.sdl the
 * printed errors are exactly x.expected. TEST_UPDATE=1 in the environment
 * writes the expected files instead; read what changed before committing it.
 */
#include "harness.h"

#include <dirent.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "cli/print_error.h"
#include "dsl/program.h"

#define ERRORS TEST_SOURCE "/selftests/data/dsl/errors/"

static int is_sdl(const struct dirent *entry)
{
	size_t length = strlen(entry->d_name);

	return length > 4 && !strcmp(entry->d_name + length - 4, ".sdl");
}

/* The errors of a text as they are printed, "" if there are none. */
static void errors_of(const char *name, const struct buffer *text,
		      struct buffer *ret)
{
	struct error *err cleanup_error = NULL;
	struct program *program cleanup_program = NULL;
	char *printed cleanup_free = NULL;
	size_t length;
	FILE *out = open_memstream(&printed, &length);

	program_parse(name, buffer_text(text), text->length, &program, &err);
	error_print(out, err, false);
	fclose(out);
	buffer_add(ret, printed, length);
}

static bool check_case(const char *name)
{
	char *path cleanup_free = xasprintf("%s%s", ERRORS, name);
	char *golden cleanup_free =
		xasprintf("%s%.*s.expected", ERRORS,
			  (int)(strlen(name) - strlen(".sdl")), name);
	struct buffer text cleanup_buffer = { 0 };
	struct buffer expected cleanup_buffer = { 0 };
	struct buffer printed cleanup_buffer = { 0 };
	struct error *err cleanup_error = NULL;

	if (file_read(AT_FDCWD, path, 1 << 20, &text, &err)) {
		TH_LOG("%s", err->message);
		return false;
	}
	errors_of(name, &text, &printed);
	if (getenv("TEST_UPDATE"))
		return !file_write_atomic(golden, buffer_text(&printed),
					  printed.length, 0644, &err);
	if (file_read(AT_FDCWD, golden, 1 << 20, &expected, &err)) {
		TH_LOG("%s", err->message);
		return false;
	}
	if (!printed.length) {
		TH_LOG("%s: no error", name);
		return false;
	}
	if (!strcmp(buffer_text(&printed), buffer_text(&expected)))
		return true;
	TH_LOG("%s printed\n%sinstead of\n%s", name, buffer_text(&printed),
	       buffer_text(&expected));
	return false;
}

TEST(each_wrong_text_has_its_errors)
{
	struct dirent **entries;
	int nr = scandir(ERRORS, &entries, is_sdl, alphasort), i;

	ASSERT_GT(nr, 40);
	for (i = 0; i < nr; i++) {
		EXPECT_TRUE(check_case(entries[i]->d_name));
		free(entries[i]);
	}
	free(entries);
}
