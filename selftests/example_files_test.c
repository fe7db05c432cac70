// SPDX-License-Identifier: GPL-2.0-only
/*
 * Documentation/examples without a kernel to enforce anything: the files belong
 * together, the translation is that of the rule, and the tests reject the
 * project as it is and accept the given solution.
 */
#include "harness.h"

#include <dirent.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <aletheia/limits.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "dsl/program.h"
#include "manifest/manifest.h"

#define AGENT	 TEST_BUILD "/aletheia-scripted"
#define EXAMPLES TEST_SOURCE "/Documentation/examples/"

enum { NR_EXAMPLES = 7 };

static void show_errors(const struct error *error)
{
	for (; error; error = error->next)
		TH_LOG("%s:%u:%u: %s (%s)",
		       error->at.file ? error->at.file : "",
		       error->at.start.line, error->at.start.column,
		       error->message, error->hint ? error->hint : "");
}

/* Run a program in a directory; its output, its exit status. */
static int run(const char *directory, char *const *argv, struct buffer *ret)
{
	int output[2], status;
	pid_t pid;

	ASSERT_EQ(pipe2(output, O_CLOEXEC), 0);
	pid = fork();
	ASSERT_GE(pid, 0);
	if (!pid) {
		dup2(output[1], STDOUT_FILENO);
		if (!chdir(directory))
			execvp(argv[0], argv);
		_exit(112);
	}
	close(output[1]);
	ASSERT_EQ(fd_read_all(output[0], 1 << 20, ret), 0);
	close(output[0]);
	ASSERT_EQ(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

/* A manifest's argv, with one more word. Freed by argv_free(). */
static char **argv_new(const char *const *words, const char *more)
{
	char **argv = xzalloc(64 * sizeof(*argv));
	size_t i;

	for (i = 0; words[i] && i < 62; i++)
		argv[i] = xstrdup(words[i]);
	if (more)
		argv[i] = xstrdup(more);
	return argv;
}

static void argv_free(char **argv)
{
	for (size_t i = 0; argv[i]; i++)
		free(argv[i]);
	free(argv);
}

/* The agent, without a rule, lays one directory over another. */
static void lay(const char *from, const char *to)
{
	char *rule cleanup_free = xasprintf("%s/empty", test_dir());
	const char *const words[] = { AGENT, "--rule",	   rule, "--workspace",
				      to,    "--solution", from, NULL };
	struct buffer output cleanup_buffer = { 0 };
	int fd = open(rule, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	char **argv;

	ASSERT_GE(fd, 0);
	close(fd);
	argv = argv_new(words, NULL);
	ASSERT_EQ(run("/", argv, &output), 0)
	{
		TH_LOG("%s", buffer_text(&output));
	}
	argv_free(argv);
}

/* A test is said to have passed exactly once. */
static bool passed(const char *output, const char *name)
{
	char *line cleanup_free = xasprintf(" - %s\n", name);
	const char *found = strstr(output, line), *start = found;

	while (start && start > output && start[-1] != '\n')
		start--;
	return found && !strncmp(start, "ok ", 3) && !strstr(found + 1, line);
}

static size_t count(const char *text, const char *what)
{
	size_t nr = 0;

	for (; (text = strstr(text, what)); text++)
		nr++;
	return nr;
}

/* Does the oracle accept the workspace? As user/branch decides it, simply. */
static bool accepted(const struct manifest *manifest, const char *workspace,
		     struct buffer *output)
{
	char *tests cleanup_free = xasprintf(EXAMPLES "%s/%s", manifest->name,
					     manifest->oracle_tests);
	char **argv = argv_new(manifest->oracle_command, NULL);
	bool all = true;
	int status;
	size_t i;

	lay(tests, workspace);
	status = run(workspace, argv, output);
	argv_free(argv);
	for (i = 0; i < manifest->nr_expect; i++)
		all &= passed(buffer_text(output), manifest->expect[i]);
	return !status && all &&
	       count(buffer_text(output), "\nok ") == manifest->nr_expect;
}

static struct manifest *load(const char *name)
{
	char *path cleanup_free = xasprintf(EXAMPLES "%s", name);
	struct manifest *manifest = NULL;
	struct error *err cleanup_error = NULL;

	ASSERT_EQ(manifest_load(path, &manifest, &err), 0)
	{
		show_errors(err);
	}
	return manifest;
}

static char *workspace_new(const struct manifest *manifest, const char *name)
{
	char *project cleanup_free =
		xasprintf(EXAMPLES "%s/%s", manifest->name, manifest->project);
	char *workspace =
		xasprintf("%s/%s-%s", test_dir(), manifest->name, name);

	ASSERT_EQ(mkdir(workspace, 0755), 0);
	lay(project, workspace);
	return workspace;
}

/*
 * The command that completes needed-grant's solution reads the table where the
 * fixture is in a branch, unless it is told otherwise.
 */
static void solve(const struct manifest *manifest, const char *workspace)
{
	char *solution cleanup_free =
		xasprintf(EXAMPLES "%s/%s", manifest->name, manifest->solution);
	struct buffer output cleanup_buffer = { 0 };
	char **argv;

	lay(solution, workspace);
	if (!manifest->apply)
		return;
	argv = argv_new(manifest->apply,
			EXAMPLES "needed-grant/fixtures/table.csv");
	EXPECT_EQ(run(workspace, argv, &output), 0);
	argv_free(argv);
}

static void each(void (*check)(const struct manifest *manifest))
{
	DIR *dir cleanup_dir = opendir(EXAMPLES);
	struct dirent *entry;
	int nr = 0;

	ASSERT_NOT_NULL(dir);
	while ((entry = readdir(dir))) {
		struct manifest *manifest cleanup_manifest = NULL;

		if (entry->d_name[0] == '.' || strchr(entry->d_name, '.'))
			continue;
		TH_LOG("example %s", entry->d_name);
		manifest = load(entry->d_name);
		EXPECT_STREQ(manifest->name, entry->d_name);
		check(manifest);
		nr++;
	}
	EXPECT_EQ(nr, NR_EXAMPLES);
}

static struct program *parse(const struct manifest *manifest, const char *file)
{
	struct buffer text cleanup_buffer = { 0 };
	struct error *err cleanup_error = NULL;
	struct program *program = NULL;
	int code;

	code = file_read(manifest->directory, file, AL_MAX_SDL_SIZE, &text,
			 &err);
	if (!code)
		code = program_parse(file, buffer_text(&text), text.length,
				     &program, &err);
	ASSERT_EQ(code, 0)
	{
		show_errors(err);
	}
	return program;
}

static void check_translation(const struct manifest *manifest)
{
	struct program *translation cleanup_program =
		parse(manifest, manifest->translation);
	struct program *setup cleanup_program =
		parse(manifest, manifest->setup);
	const struct program *parts[] = { translation, setup };
	struct program *program cleanup_program = NULL;
	struct buffer rule cleanup_buffer = { 0 };
	struct error *err cleanup_error = NULL;
	int code;

	ASSERT_EQ(file_read(manifest->directory, manifest->rule,
			    AL_MAX_RULE_SIZE, &rule, &err),
		  0);
	code = program_merge(parts, ARRAY_SIZE(parts), &program, &err);
	if (!code)
		code = program_locate(program, manifest->rule,
				      buffer_text(&rule), rule.length, &err);
	EXPECT_EQ(code, 0)
	{
		show_errors(err);
	}
	EXPECT_TRUE(program->has_digest);
	EXPECT_GT(program->nr_grants, 0);
	EXPECT_STREQ(program->name, manifest->name);
	for (size_t i = 0; i < program->nr_grants; i++)
		EXPECT_GT(program->grants[i].nr_spans, 0);
	error_free(err);
	err = NULL;
	/* One byte more, and the review is stale. */
	buffer_addc(&rule, '\n');
	EXPECT_LT(program_locate(program, manifest->rule, buffer_text(&rule),
				 rule.length, &err),
		  0);
}

TEST(translations_are_of_their_rules)
{
	each(check_translation);
}

/* What people copy is as "aletheia fmt" writes it. */
static void check_format(const struct manifest *manifest)
{
	const char *const files[] = { manifest->translation, manifest->setup };

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		struct program *program cleanup_program =
			parse(manifest, files[i]);
		struct buffer text cleanup_buffer = { 0 };
		struct buffer canonical cleanup_buffer = { 0 };

		ASSERT_EQ(file_read(manifest->directory, files[i],
				    AL_MAX_SDL_SIZE, &text, NULL),
			  0);
		program_format(program, &canonical);
		EXPECT_STREQ(buffer_text(&canonical), buffer_text(&text));
	}
}

TEST(systemdsl_is_canonical)
{
	each(check_format);
}

static void check_oracle(const struct manifest *manifest)
{
	char *untouched cleanup_free = workspace_new(manifest, "untouched");
	char *solved cleanup_free = workspace_new(manifest, "solved");
	struct buffer before cleanup_buffer = { 0 };
	struct buffer after cleanup_buffer = { 0 };

	EXPECT_FALSE(accepted(manifest, untouched, &before));
	/* It ran to its end, and said why. */
	EXPECT_HAS_SUBSTR(buffer_text(&before), "\nnot ok ");
	EXPECT_EQ(count(buffer_text(&before), "\nok ") +
			  count(buffer_text(&before), "\nnot ok "),
		  manifest->nr_expect);
	solve(manifest, solved);
	EXPECT_TRUE(accepted(manifest, solved, &after))
	{
		TH_LOG("%s", buffer_text(&after));
	}
}

TEST_TIMEOUT(oracles_tell_done_from_undone, 300)
{
	each(check_oracle);
}

/* Modules of the project with names that the tests import. */
static void check_shadows(const struct manifest *manifest)
{
	static const char lie[] = "import os\n"
				  "print('TAP version 13\\n1..1\\nok 1 - x')\n"
				  "open('shadowed', 'w').close()\n"
				  "os._exit(0)\n";
	static const char *const modules[] = {
		"unittest",	 "decimal", "pathlib",	   "sitecustomize",
		"usercustomize", "sys",	    "dataclasses",
	};
	char *workspace cleanup_free = workspace_new(manifest, "shadows");
	char *mark cleanup_free = xasprintf("%s/shadowed", workspace);
	char *script cleanup_free =
		xasprintf("import sys; sys.path.insert(0, '%s'); import "
			  "unittest",
			  workspace);
	const char *const control[] = { "python3", "-B", "-c", script, NULL };
	struct buffer output cleanup_buffer = { 0 };
	char **argv;

	for (size_t i = 0; i < ARRAY_SIZE(modules); i++) {
		char *path cleanup_free =
			xasprintf("%s/%s.py", workspace, modules[i]);

		ASSERT_EQ(file_write_atomic(path, lie, sizeof(lie) - 1, 0644,
					    NULL),
			  0);
	}
	EXPECT_FALSE(accepted(manifest, workspace, &output));
	EXPECT_NE(access(mark, F_OK), 0);
	EXPECT_HAS_SUBSTR(buffer_text(&output), "\nnot ok ");

	/* Who looks into the project first does find them. */
	argv = argv_new(control, NULL);
	buffer_done(&output);
	EXPECT_EQ(run(workspace, argv, &output), 0);
	EXPECT_EQ(access(mark, F_OK), 0);
	argv_free(argv);
}

TEST_TIMEOUT(projects_cannot_replace_modules, 300)
{
	each(check_shadows);
}
