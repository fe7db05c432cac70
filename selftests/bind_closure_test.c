// SPDX-License-Identifier: GPL-2.0-only
/* What programs need to start, held against the dynamic linker's own word. */
#include "harness.h"

#include <sys/stat.h>

#include "base/cleanup.h"
#include "bind/bound.h"
#include "bind/closure.h"
#include "bind_support.h"

FIXTURE(closure)
{
	struct world world;
	struct arena *arena;
	struct view *view;
	struct closure *closure;
};

FIXTURE_SETUP(closure)
{
	ASSERT_TRUE(world_init(&self->world, test_dir()));
	self->arena = arena_new();
	self->view = view_new(self->arena);
	self->closure = closure_new(self->arena, self->view);
}

FIXTURE_TEARDOWN(closure)
{
	closure_free(self->closure);
	view_free(self->view);
	arena_free(self->arena);
	world_done(&self->world);
}

struct needs {
	struct need *list;
	size_t nr;
	const char *missing;
};

static struct needs needs_of(struct closure_fixture *self, const char *path)
{
	struct found found = view_resolve(self->view, path);
	struct program_file file = { .path = found.path };
	struct needs needs;

	ASSERT_TRUE(found.exists)
	{
		TH_LOG("%s", path);
	}
	ASSERT_TRUE(found_source(self->arena, &found, &file.directory,
				 &file.source));
	needs.nr =
		closure_of(self->closure, &file, &needs.list, &needs.missing);
	return needs;
}

static const struct need *find(const struct needs *needs, const char *path)
{
	size_t i;

	for (i = 0; i < needs->nr; i++)
		if (!strcmp(needs->list[i].path, path))
			return &needs->list[i];
	return NULL;
}

/* Each file that the dynamic linker says it would load; -1: it says nothing. */
static int compare_with_ldd(struct closure_fixture *self, const char *path)
{
	/* Of the real name: else it takes a link's directory for $ORIGIN. */
	char *command cleanup_free =
		xasprintf("env -i /usr/bin/ldd '%s' 2>/dev/null",
			  view_resolve(self->view, path).path);
	FILE *ldd = popen(command, "re");
	struct needs needs = needs_of(self, path);
	char line[4096];
	size_t i, extra = 0;
	int nr = 0;

	ASSERT_NOT_NULL(ldd);
	while (fgets(line, sizeof(line), ldd)) {
		char *start = strchr(line, '/'), *end = strstr(line, " (0x");
		char *real cleanup_free = NULL;

		if (!start || !end || start > end)
			continue;
		*end = '\0';
		real = realpath(start, NULL);
		ASSERT_NOT_NULL(real);
		EXPECT_NOT_NULL(find(&needs, real))
		{
			TH_LOG("%s needs %s", path, real);
		}
		nr++;
	}
	if (pclose(ldd) || !nr)
		return -1;
	EXPECT_NULL(needs.missing)
	{
		TH_LOG("%s: %s", path, needs.missing);
	}
	for (i = 0; i < needs.nr; i++)
		extra += needs.list[i].data ||
			 strstr(needs.list[i].path, "/glibc-hwcaps/");
	/* Nothing else. */
	EXPECT_EQ(needs.nr - extra, nr)
	{
		TH_LOG("%s", path);
	}
	return nr;
}

TEST_F(closure, shell)
{
	EXPECT_GT(compare_with_ldd(self, "/bin/sh"), 1);
}

TEST_F(closure, python)
{
	EXPECT_GT(compare_with_ldd(self, "/usr/bin/python3"), 3);
}

/* A sample of what is installed. */
TEST_F_TIMEOUT(closure, programs, 120)
{
	DIR *dir cleanup_dir = opendir("/usr/bin");
	struct dirent *entry;
	int tried = 0, compared = 0;

	ASSERT_NOT_NULL(dir);
	while (compared < 100 && tried < 1000 && (entry = readdir(dir))) {
		char *path cleanup_free =
			xasprintf("/usr/bin/%s", entry->d_name);
		struct stat st;

		/* ldd runs what it is given, so nothing special. */
		if (stat(path, &st) || !S_ISREG(st.st_mode) ||
		    (st.st_mode & (S_ISUID | S_ISGID)) ||
		    !(st.st_mode & 0111) || strchr(path, '\''))
			continue;
		tried++;
		compared += compare_with_ldd(self, path) > 0;
	}
	TH_LOG("%d of %d programs compared", compared, tried);
	EXPECT_GT(compared, 20);
}

static void walk(struct closure_fixture *self)
{
	ASSERT_EQ(view_walk(self->view,
			    view_directory(self->view, BRANCH_WORKSPACE),
			    self->world.manifest.directory, "project",
			    "the project", NULL),
		  0);
}

TEST_F(closure, scripts)
{
	struct needs needs;
	const char *sh = view_resolve(self->view, "/bin/sh").path;
	const char *env = view_resolve(self->view, "/usr/bin/env").path;

	ASSERT_TRUE(world_file(&self->world, "project/a", "#!/bin/sh -e\nx\n"));
	ASSERT_TRUE(world_file(&self->world, "project/b",
			       "#! /usr/bin/env -S FOO=1 sh -u\n"));
	ASSERT_TRUE(world_file(&self->world, "project/c", "#!/no/such\n"));
	ASSERT_TRUE(world_file(&self->world, "project/d",
			       "#!/usr/bin/env no-such-tool\n"));
	ASSERT_TRUE(world_file(&self->world, "project/e", "just text\n"));
	ASSERT_TRUE(world_file(&self->world, "project/f", "#!\n"));
	ASSERT_TRUE(world_file(&self->world, "project/g", ""));
	walk(self);

	needs = needs_of(self, "/workspace/a");
	ASSERT_EQ(needs.nr, 1);
	EXPECT_STREQ(needs.list[0].path, sh);
	EXPECT_TRUE(needs.list[0].execute);
	EXPECT_NULL(needs.missing);

	needs = needs_of(self, "/workspace/b");
	EXPECT_EQ(needs.nr, 2);
	EXPECT_NOT_NULL(find(&needs, sh));
	EXPECT_NOT_NULL(find(&needs, env));

	EXPECT_STREQ(needs_of(self, "/workspace/c").missing, "/no/such");
	EXPECT_STREQ(needs_of(self, "/workspace/d").missing, "no-such-tool");
	EXPECT_EQ(needs_of(self, "/workspace/e").nr, 0);
	EXPECT_NULL(needs_of(self, "/workspace/e").missing);
	EXPECT_NOT_NULL(needs_of(self, "/workspace/f").missing);
	EXPECT_EQ(needs_of(self, "/workspace/g").nr, 0);
}

static void compile(struct closure_fixture *self, const char *command)
{
	char *line cleanup_free =
		xasprintf("cd '%s/project' && %s", self->world.dir, command);
	int status = system(line);

	if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
		SKIP("there is no compiler");
	ASSERT_EQ(status, 0);
}

/* Libraries beside the program, by each of the two ways to say so. */
TEST_F(closure, run_path)
{
	struct needs needs;

	ASSERT_TRUE(world_file(&self->world, "project/lib/two.c",
			       "int two(void); int two(void) { return 2; }"));
	ASSERT_TRUE(world_file(&self->world, "project/lib/one.c",
			       "int two(void); int one(void);"
			       "int one(void) { return two() - 1; }"));
	ASSERT_TRUE(
		world_file(&self->world, "project/main.c",
			   "int one(void); int main(void) { return one(); }"));
	ASSERT_TRUE(world_directory(&self->world, "project/bin"));
	compile(self, "cc -shared -fPIC -o lib/libtwo.so lib/two.c");
	compile(self, "cc -shared -fPIC -o lib/libone.so lib/one.c -Llib "
		      "-ltwo");
	/* RPATH is for the libraries' libraries too, RUNPATH is not. */
	compile(self, "cc -o bin/old main.c -Llib -lone "
		      "-Wl,-rpath-link,lib,--disable-new-dtags,-rpath,"
		      "'$ORIGIN/../lib'");
	compile(self, "cc -o bin/new main.c -Llib -lone "
		      "-Wl,-rpath-link,lib,--enable-new-dtags,-rpath,"
		      "'${ORIGIN}/../lib'");
	compile(self, "cc -o bin/none main.c -Llib -lone "
		      "-Wl,-rpath-link,lib");
	walk(self);

	needs = needs_of(self, "/workspace/bin/old");
	EXPECT_NULL(needs.missing);
	EXPECT_NOT_NULL(find(&needs, "/workspace/lib/libone.so"));
	EXPECT_NOT_NULL(find(&needs, "/workspace/lib/libtwo.so"));

	needs = needs_of(self, "/workspace/bin/new");
	EXPECT_STREQ(needs.missing, "libtwo.so");
	EXPECT_NOT_NULL(find(&needs, "/workspace/lib/libone.so"));
	EXPECT_NULL(find(&needs, "/workspace/lib/libtwo.so"));

	needs = needs_of(self, "/workspace/bin/none");
	EXPECT_STREQ(needs.missing, "libone.so");
}

/* Files that only look like programs. */
TEST_F(closure, broken)
{
	static const char elf[] = "\177ELF\002\001\001";
	char *path cleanup_free = xasprintf("%s/project/x", self->world.dir);
	unsigned char byte[64] = { 0 };
	unsigned int seed = 1, round;
	int fd cleanup_close = -1;

	ASSERT_TRUE(world_file(&self->world, "project/x", ""));
	walk(self);
	for (round = 0; round < 200; round++) {
		struct program_file file = {
			.path = arena_printf(self->arena, "/workspace/x%u",
					     round),
			.directory = AT_FDCWD,
			.source = path,
		};
		struct needs needs;
		size_t i;

		fd = open(path, O_RDWR | O_CLOEXEC);
		ASSERT_GE(fd, 0);
		memcpy(byte, elf, sizeof(elf));
		for (i = 16; i < sizeof(byte); i++)
			byte[i] = (unsigned char)rand_r(&seed) %
				  (round % 3 ? 4 : 255);
		ASSERT_EQ(pwrite(fd, byte, sizeof(byte), 0), sizeof(byte));
		close(fd);
		fd = -1;
		needs.nr = closure_of(self->closure, &file, &needs.list,
				      &needs.missing);
		EXPECT_EQ(needs.nr, 0);
	}
}

TEST_F(closure, path)
{
	struct found found;
	char *fake cleanup_free = xasprintf("%s/libexec", self->world.dir);

	ASSERT_TRUE(
		world_file(&self->world, "libexec/only-here", "#!/bin/sh\n"));
	setenv("PATH", fake, 1);
	found = path_search(self->view, self->arena, "sh");
	EXPECT_TRUE(found.exists);
	EXPECT_STREQ(found.path, view_resolve(self->view, "/bin/sh").path);
	/* The user's PATH does not matter. */
	EXPECT_FALSE(path_search(self->view, self->arena, "only-here").exists);
}
