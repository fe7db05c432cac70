// SPDX-License-Identifier: GPL-2.0-only
/*
 * Carriers: which files are found, what they bring, and that nothing outside of
 * the project is read.
 */
#include "harness.h"

#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "extract/carriers.h"

static char *path_of(const char *name)
{
	return xasprintf("%s/project/%s", test_dir(), name);
}

/* A file with its folders. */
static void put(const char *name, const char *text)
{
	char *path cleanup_free = path_of(name);

	for (char *slash = path + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		if (mkdir(path, 0755))
			ASSERT_EQ(errno, EEXIST);
		*slash = '/';
	}
	ASSERT_EQ(file_write_atomic(path, text, strlen(text), 0644, NULL), 0);
}

static void put_link(const char *name, const char *target)
{
	char *path cleanup_free = path_of(name);

	ASSERT_EQ(symlink(target, path), 0);
}

static struct carriers *look(void)
{
	char *path cleanup_free = path_of("");
	struct carriers *carriers = NULL;
	struct error *err cleanup_error = NULL;

	EXPECT_EQ(carriers_find(path, &carriers, &err), 0)
	{
		TH_LOG("%s", err ? err->message : "?");
	}
	ASSERT_NOT_NULL(carriers);
	return carriers;
}

/* "PATH KIND FIRST-AGENT [< FROM:LINE] [outside]" a line. */
static void print(const struct carriers *carriers, struct buffer *out)
{
	for (size_t i = 0; i < carriers->nr; i++) {
		const struct carrier *carrier = &carriers->list[i];

		buffer_printf(out, "%s %s %s", carrier->path,
			      carrier_kind_word(carrier->kind),
			      carrier->agents[0]);
		if (carrier->from != SIZE_MAX)
			buffer_printf(out, " < %s:%u",
				      carriers->list[carrier->from].path,
				      carrier->line);
		buffer_adds(out, carrier->outside ? " outside\n" : "\n");
	}
}

static void expect(const char *expected)
{
	struct carriers *carriers cleanup_carriers = look();
	struct buffer out cleanup_buffer = { 0 };

	print(carriers, &out);
	EXPECT_STREQ(buffer_text(&out), expected);
}

TEST(every_kind_is_found)
{
	static const char *const names[] = {
		".claude/agents/a.md",
		".claude/commands/deep/b.md",
		".claude/rules/deep/c.md",
		".cursor/rules/deep/d.mdc",
		".cursorrules",
		".github/copilot-instructions.md",
		".github/instructions/e.instructions.md",
		".windsurfrules",
		"AGENTS.md",
		"AGENTS.override.md",
		"CLAUDE.local.md",
		"CLAUDE.md",
		"GEMINI.md",
		"skills/f/SKILL.md",
		"sub/AGENTS.md",
	};
	/* Of another name, in another place, or in a folder that is skipped. */
	static const char *const others[] = {
		"README.md",
		"agents.md",
		"sub/.github/copilot-instructions.md",
		"node_modules/x/AGENTS.md",
		".git/CLAUDE.md",
		"AGENTS.md.orig",
		".cursor/rules/x.txt",
	};
	struct carriers *carriers cleanup_carriers = NULL;

	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		put(others[i], "x\n");
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		put(names[i], "x\n");
	carriers = look();
	ASSERT_EQ(carriers->nr, ARRAY_SIZE(names));
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		EXPECT_STREQ(carriers->list[i].path, names[i]);
}

TEST(includes_are_followed)
{
	put("CLAUDE.md",
	    "Read @docs/a.md, and (@docs/b.md).\n\n"
	    "Not `@docs/c.md`, me@docs/c.md, @deprecated, nor\n"
	    "```\n@docs/c.md\n```\n"
	    "but @~/mine.md and @/etc/motd and @docs/a.md again.\n");
	put("docs/a.md", "See @b.md and @../CLAUDE.md and @../../out.md.\n");
	put("docs/b.md", "nothing\n");
	put("docs/c.md", "nothing\n");
	/* These do not follow includes. */
	put("AGENTS.md", "Read @docs/a.md.\n");
	expect("AGENTS.md rule Codex\n"
	       "CLAUDE.md rule Claude Code\n"
	       "docs/a.md include Claude Code < CLAUDE.md:1\n"
	       "docs/b.md include Claude Code < docs/a.md:1\n"
	       "docs/b.md include Claude Code < CLAUDE.md:1\n"
	       "~/mine.md include Claude Code < CLAUDE.md:7 outside\n"
	       "/etc/motd include Claude Code < CLAUDE.md:7 outside\n");
}

TEST(includes_end)
{
	char name[32], text[64];

	put("CLAUDE.md", "@CLAUDE.md @0.md\n");
	for (int i = 0; i < 20; i++) {
		snprintf(name, sizeof(name), "%d.md", i);
		snprintf(text, sizeof(text), "@%d.md @%d.md\n", i,
			 (i + 1) % 20);
		put(name, text);
	}
	/* One in the other at most as many as Claude Code follows. */
	expect("CLAUDE.md rule Claude Code\n"
	       "0.md include Claude Code < CLAUDE.md:1\n"
	       "1.md include Claude Code < 0.md:1\n"
	       "2.md include Claude Code < 1.md:1\n"
	       "3.md include Claude Code < 2.md:1\n"
	       "4.md include Claude Code < 3.md:1\n"
	       "5.md include Claude Code < 4.md:1\n");
}

/* Each of many includes all others: that is more than one wants to see. */
TEST(includes_are_bounded)
{
	char *path cleanup_free = path_of("");
	struct carriers *carriers = NULL;
	struct error *err cleanup_error = NULL;
	struct buffer text cleanup_buffer = { 0 };
	char name[32];

	for (int i = 0; i < 30; i++)
		buffer_printf(&text, "@%d.md\n", i);
	for (int i = 0; i < 30; i++) {
		snprintf(name, sizeof(name), "%d.md", i);
		put(name, text.data);
	}
	put("CLAUDE.md", text.data);
	EXPECT_EQ(carriers_find(path, &carriers, &err), -E2BIG);
	EXPECT_NULL(carriers);
	ASSERT_NOT_NULL(err);
	EXPECT_EQ(err->kind, ERROR_INPUT);
}

TEST(scripts_that_are_run)
{
	put("AGENTS.md", "```sh\n./scripts/run.sh\nscripts/gone.sh\n```\n");
	put("scripts/run.sh", "#!/bin/sh\nscripts/more.sh\n");
	put("scripts/more.sh", "id\n");
	put("s/x/SKILL.md", "---\nname: x\ndescription: y\n---\ntext\n");
	put("s/x/scripts/a.py", "print(1)\n");
	put("s/x/scripts/deep/b.py", "print(1)\n");
	expect("AGENTS.md rule Codex\n"
	       "scripts/run.sh script Codex < AGENTS.md:2\n"
	       "scripts/more.sh script Codex < scripts/run.sh:2\n"
	       "s/x/SKILL.md skill Claude Code\n"
	       "s/x/scripts/a.py script Claude Code < s/x/SKILL.md:0\n");
}

/* What a link leads to is read if it stays in the project, else not. */
TEST(links_stay_in_the_project)
{
	char *outside cleanup_free = xasprintf("%s/secret.md", test_dir());
	struct carriers *carriers cleanup_carriers = NULL;
	struct buffer text cleanup_buffer = { 0 };

	put("CLAUDE.md", "See @inner.md @outer.md.\n");
	ASSERT_EQ(file_write_atomic(outside, "secret", 6, 0644, NULL), 0);
	put_link("AGENTS.md", "CLAUDE.md");
	put_link("GEMINI.md", "../secret.md");
	put_link("QWEN.md", outside);
	put_link("WARP.md", "WARP.md");
	put_link("CRUSH.md", "nowhere");
	put("docs/inner.md", "x\n");
	put_link("inner.md", "docs/inner.md");
	put_link("outer.md", "../secret.md");
	put_link("loop", ".");
	expect("AGENTS.md rule Codex\n"
	       "CLAUDE.md rule Claude Code\n"
	       "inner.md include Claude Code < CLAUDE.md:1\n");
	carriers = look();
	ASSERT_EQ(carrier_read(carriers, &carriers->list[0], &text, NULL), 0);
	EXPECT_STREQ(buffer_text(&text), "See @inner.md @outer.md.\n");
}

/* A pipe would make the search wait for ever, a folder is no text. */
TEST(only_files_are_carriers)
{
	char *pipe_path cleanup_free = NULL;
	char *folder cleanup_free = NULL;

	put("README.md", "x\n");
	pipe_path = path_of("AGENTS.md");
	folder = path_of("CLAUDE.md");
	ASSERT_EQ(mkfifo(pipe_path, 0644), 0);
	ASSERT_EQ(mkdir(folder, 0755), 0);
	put("GEMINI.md", "x\n");
	expect("GEMINI.md rule Gemini CLI\n");
}

TEST(deep_folders_are_an_error)
{
	char *path cleanup_free = path_of("");
	struct carriers *carriers = NULL;
	struct error *err cleanup_error = NULL;
	struct buffer name cleanup_buffer = { 0 };

	for (int i = 0; i < 210; i++)
		buffer_adds(&name, "d/");
	buffer_adds(&name, "AGENTS.md");
	put(name.data, "x\n");
	EXPECT_EQ(carriers_find(path, &carriers, &err), -ELOOP);
}

TEST(no_project)
{
	struct carriers *carriers = NULL;
	struct error *err cleanup_error = NULL;

	EXPECT_EQ(carriers_find("/nonexistent", &carriers, &err), -ENOENT);
	EXPECT_NULL(carriers);
	ASSERT_NOT_NULL(err);
	EXPECT_EQ(err->kind, ERROR_INPUT);
}
