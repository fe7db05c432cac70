// SPDX-License-Identifier: GPL-2.0-only
/*
 * Manifests. Each folder of data/manifest/ with a file "errors" is a case: its
 * manifest.yaml, and what is said about it.
 */
#include "harness.h"

#include <dirent.h>
#include <sys/stat.h>

#include <aletheia/limits.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/file.h"
#include "manifest/manifest.h"

#define DATA TEST_SOURCE "/selftests/data/manifest/"

/* A case's errors, one line each: place, exit status, message, hint. */
static void print_errors(const struct error *error, struct buffer *out)
{
	for (; error; error = error->next) {
		buffer_printf(out, "%u:%u-%u:%u %d %s", error->at.start.line,
			      error->at.start.column, error->at.end.line,
			      error->at.end.column, error->kind,
			      error->message);
		if (error->hint)
			buffer_printf(out, " (%s)", error->hint);
		buffer_addc(out, '\n');
	}
}

static void check_case(const char *name)
{
	struct manifest *manifest cleanup_manifest = NULL;
	struct buffer want cleanup_buffer = { 0 };
	struct buffer have cleanup_buffer = { 0 };
	char *path cleanup_free = xasprintf(DATA "%s", name);
	char *errors cleanup_free = xasprintf(DATA "%s/errors", name);
	struct error *err cleanup_error = NULL;

	TH_LOG("case %s", name);
	ASSERT_EQ(file_read(AT_FDCWD, errors, 1 << 20, &want, NULL), 0);
	EXPECT_LT(manifest_load(path, &manifest, &err), 0);
	EXPECT_NULL(manifest);
	print_errors(err, &have);
	EXPECT_STREQ(buffer_text(&have), buffer_text(&want));
}

TEST(errors)
{
	DIR *dir cleanup_dir = opendir(DATA);
	struct dirent *entry;
	int nr = 0;

	ASSERT_NOT_NULL(dir);
	while ((entry = readdir(dir))) {
		char *errors cleanup_free =
			xasprintf(DATA "%s/errors", entry->d_name);

		if (access(errors, F_OK))
			continue;
		check_case(entry->d_name);
		nr++;
	}
	EXPECT_GE(nr, 15);
}

TEST(every_key)
{
	struct manifest *manifest cleanup_manifest = NULL;
	struct error *err cleanup_error = NULL;

	ASSERT_EQ(manifest_load(DATA "full/manifest.yaml", &manifest, &err), 0);
	EXPECT_STREQ(manifest->file, DATA "full/manifest.yaml");
	EXPECT_STREQ(manifest->name, "rename total");
	EXPECT_STREQ(manifest->rule, "../common/AGENTS.md");
	EXPECT_STREQ(manifest->place, "docs/AGENTS.md");
	EXPECT_STREQ(manifest->project, "../common/project/");
	EXPECT_STREQ(manifest->prompt, "Rename it.\nThen stop.\n");
	EXPECT_STREQ(manifest->solution, "../common/solution");
	ASSERT_NOT_NULL(manifest->apply);
	EXPECT_STREQ(manifest->apply[0], "python3");
	EXPECT_STREQ(manifest->translation, "../common/rule.sdl");
	EXPECT_STREQ(manifest->setup, "../common/setup.sdl");
	EXPECT_STREQ(manifest->agent, "scripted");
	EXPECT_NULL(manifest->agent_command);
	EXPECT_TRUE(manifest->stop_at_first_denial);
	EXPECT_STREQ(manifest->oracle_command[0], "python3");
	EXPECT_STREQ(manifest->oracle_command[2], "print(\"a b\")");
	EXPECT_NULL(manifest->oracle_command[3]);
	EXPECT_STREQ(manifest->oracle_tests, "../common/tests");
	ASSERT_EQ(manifest->nr_expect, 2);
	EXPECT_STREQ(manifest->expect[1], "two");
	EXPECT_EQ(manifest->result, RESULT_JUNIT);
	EXPECT_EQ(manifest->oracle_seconds, 120);
	EXPECT_EQ(manifest->seconds, 3600);
	EXPECT_EQ(manifest->memory, 0);
	EXPECT_EQ(manifest->processes, 64);
	EXPECT_EQ(manifest->disk, 64 << 20);
	EXPECT_EQ(faccessat(manifest->directory, manifest->rule, R_OK, 0), 0);
}

TEST(defaults)
{
	struct manifest *manifest cleanup_manifest = NULL;
	struct error *err cleanup_error = NULL;

	/* The directory instead of the file. */
	ASSERT_EQ(manifest_load(DATA "minimal/", &manifest, &err), 0);
	EXPECT_STREQ(manifest->file, DATA "minimal/manifest.yaml");
	EXPECT_STREQ(manifest->name, "minimal");
	EXPECT_STREQ(manifest->place, "AGENTS.md");
	EXPECT_STREQ(manifest->agent, "scripted");
	EXPECT_FALSE(manifest->stop_at_first_denial);
	EXPECT_NULL(manifest->setup);
	EXPECT_NULL(manifest->apply);
	EXPECT_EQ(manifest->result, RESULT_TAP);
	EXPECT_EQ(manifest->oracle_seconds, 60);
	EXPECT_EQ(manifest->seconds, 300);
	EXPECT_EQ(manifest->memory, 1 << 30);
	EXPECT_EQ(manifest->processes, 256);
	EXPECT_EQ(manifest->disk, 1 << 30);
}

static void put(const char *dir, const char *name, const char *text)
{
	char *path cleanup_free = xasprintf("%s/%s", dir, name);

	ASSERT_EQ(file_write_atomic(path, text, strlen(text), 0644, NULL), 0);
}

static void put_dir(const char *dir, const char *name)
{
	char *path cleanup_free = xasprintf("%s/%s", dir, name);

	ASSERT_EQ(mkdir(path, 0755), 0);
}

#define REST                                                                   \
	"task: {prompt: p, solution: s}\n"                                     \
	"translation: t.sdl\n"                                                 \
	"oracle: {command: [c], tests: s, expect: [e], result: tap}\n"

/* The manifest's own directory may have any name. */
TEST(odd_directory)
{
	struct manifest *manifest cleanup_manifest = NULL;
	struct error *err cleanup_error = NULL;
	char *dir cleanup_free = xasprintf("%s/a b\n\xff'\"", test_dir());

	ASSERT_EQ(mkdir(dir, 0755), 0);
	put_dir(dir, "s");
	put_dir(dir, "pro ject");
	put_dir(dir, "pro ject/.cursor");
	put(dir, "pro ject/.cursor/x.mdc", "");
	put(dir, "t.sdl", "");
	put(dir, "manifest.yaml",
	    "rule: pro ject/.cursor/x.mdc\nproject: pro ject//\n" REST);
	ASSERT_EQ(manifest_load(dir, &manifest, &err), 0);
	EXPECT_STREQ(manifest->name, "a b\\n\\xff'\"");
	EXPECT_EQ(faccessat(manifest->directory, manifest->rule, F_OK, 0), 0);
	EXPECT_STREQ(manifest->place, ".cursor/x.mdc");
}

TEST(place_in_project)
{
	struct manifest *manifest cleanup_manifest = NULL;
	struct error *err cleanup_error = NULL;
	const char *dir = test_dir();
	char *path cleanup_free = xasprintf("%s/m", dir);

	put_dir(dir, "s");
	put_dir(dir, "s/.cursor");
	put(dir, "s/.cursor/x.mdc", "");
	put(dir, "t.sdl", "");
	put(dir, "m", "rule: s/.cursor/x.mdc\nproject: s/\n" REST);
	ASSERT_EQ(manifest_load(path, &manifest, &err), 0);
	EXPECT_STREQ(manifest->place, ".cursor/x.mdc");
}

static int load_kind(const char *path)
{
	struct manifest *manifest cleanup_manifest = NULL;
	struct error *err cleanup_error = NULL;
	int kind;

	EXPECT_LT(manifest_load(path, &manifest, &err), 0);
	ASSERT_NOT_NULL(err);
	TH_LOG("%s", err->message);
	EXPECT_NULL(err->next);
	kind = err->kind;
	return kind;
}

TEST(no_file)
{
	const char *dir = test_dir();
	char *path cleanup_free = xasprintf("%s/m", dir);
	char *large cleanup_free = xzalloc(AL_MAX_MANIFEST_SIZE + 2);

	EXPECT_EQ(load_kind(dir), ERROR_INPUT);
	EXPECT_EQ(load_kind(path), ERROR_INPUT);
	EXPECT_EQ(load_kind("/dev/null"), ERROR_INPUT);
	EXPECT_EQ(load_kind("/nonexistent/a/b"), ERROR_INPUT);
	EXPECT_EQ(load_kind(""), ERROR_INPUT);
	ASSERT_EQ(mkfifo(path, 0644), 0);
	EXPECT_EQ(load_kind(path), ERROR_INPUT);
	ASSERT_EQ(unlink(path), 0);
	memset(large, ' ', AL_MAX_MANIFEST_SIZE + 1);
	put(dir, "m", large);
	EXPECT_EQ(load_kind(path), ERROR_INPUT);
}

/* Texts that keep a careless reader busy. */
TEST_TIMEOUT(hostile, 10)
{
	static const char *const repeated[] = {
		"[",  "{",    "- ",	 "? ",	 "a: &a [", "&a a", "!!a ",
		"\n", "\"\\", "a: {a: ", "- - ", "*a ",	    "#",    "%",
	};
	const char *dir = test_dir();
	char *path cleanup_free = xasprintf("%s/m", dir);
	char *text cleanup_free = xzalloc(AL_MAX_MANIFEST_SIZE + 1);
	size_t i, nr;

	for (i = 0; i < ARRAY_SIZE(repeated); i++) {
		struct manifest *manifest cleanup_manifest = NULL;
		struct error *err cleanup_error = NULL;
		size_t length = strlen(repeated[i]);

		for (nr = 0; nr + length <= AL_MAX_MANIFEST_SIZE; nr += length)
			memcpy(text + nr, repeated[i], length);
		text[nr] = '\0';
		put(dir, "m", text);
		EXPECT_LT(manifest_load(path, &manifest, &err), 0)
		{
			TH_LOG("case %s", repeated[i]);
		}
		EXPECT_NOT_NULL(err);
	}
}
