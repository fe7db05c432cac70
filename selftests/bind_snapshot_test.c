// SPDX-License-Identifier: GPL-2.0-only
/* What all branches start from. */
#include "harness.h"

#include <sys/stat.h>
#include <sys/xattr.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "bind_support.h"

#define AGENT 12345
#define FROM  " from \"rule\" 1:1-1:2\n"

FIXTURE(snapshot)
{
	struct world world;
	char *path;
	int root;
};

FIXTURE_SETUP(snapshot)
{
	ASSERT_TRUE(world_init(&self->world, test_dir()));
	ASSERT_TRUE(world_directory(&self->world, "snapshot"));
	self->path = xasprintf("%s/snapshot", self->world.dir);
	self->root = open(self->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ASSERT_GE(self->root, 0);
}

FIXTURE_TEARDOWN(snapshot)
{
	close(self->root);
	free(self->path);
	world_done(&self->world);
}

#define BIND(system, setup)                                                    \
	ASSERT_EQ(world_bind(&self->world, system, setup), 0)                  \
	{                                                                      \
		TH_LOG("%s", world_errors(&self->world));                      \
	}

static struct digest make(struct snapshot_fixture *self)
{
	struct error *err cleanup_error = NULL;
	struct digest digest = { { 0 } };

	ASSERT_EQ(snapshot_make(self->world.bound, self->root, AGENT, &digest,
				&err),
		  0)
	{
		TH_LOG("%s", err->message);
	}
	return digest;
}

/* In another directory. */
static struct digest make_again(struct snapshot_fixture *self, const char *name)
{
	struct error *err cleanup_error = NULL;
	struct digest digest = { { 0 } };
	char *path cleanup_free = xasprintf("%s/%s", self->world.dir, name);
	int root cleanup_close = -1;

	ASSERT_EQ(mkdir(path, 0755), 0);
	root = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ASSERT_EQ(snapshot_make(self->world.bound, root, AGENT, &digest, &err),
		  0)
	{
		TH_LOG("%s", err->message);
	}
	return digest;
}

static int make_fails(struct snapshot_fixture *self, const char *name,
		      struct error **err)
{
	struct digest digest;
	char *path cleanup_free = xasprintf("%s/%s", self->world.dir, name);
	int root cleanup_close = -1;

	ASSERT_EQ(mkdir(path, 0755), 0);
	root = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return snapshot_make(self->world.bound, root, AGENT, &digest, err);
}

static bool same(struct digest a, struct digest b)
{
	return !memcmp(a.bytes, b.bytes, sizeof(a.bytes));
}

static struct stat look(struct snapshot_fixture *self, const char *name)
{
	struct stat st = { 0 };

	EXPECT_EQ(fstatat(self->root, name, &st, AT_SYMLINK_NOFOLLOW), 0)
	{
		TH_LOG("%s: %s", name, strerror(errno));
	}
	return st;
}

/* "": cannot be read. Freed by the caller. */
static char *content(struct snapshot_fixture *self, const char *name)
{
	struct buffer text = { 0 };

	if (file_read(self->root, name, 1 << 24, &text, NULL))
		return xstrdup("");
	return text.data ? text.data : xstrdup("");
}

#define EXPECT_CONTENT(name, text)                                             \
	do {                                                                   \
		char *content_ cleanup_free = content(self, name);             \
		EXPECT_STREQ(content_, text);                                  \
	} while (0)

static void set_mode(struct snapshot_fixture *self, const char *name,
		     mode_t mode)
{
	char *path cleanup_free = xasprintf("%s/%s", self->world.dir, name);

	ASSERT_EQ(chmod(path, mode), 0);
}

TEST_F(snapshot, project)
{
	struct world *world = &self->world;
	struct stat st, from;
	char *path cleanup_free = xasprintf("%s/project/a", world->dir);
	char target[64] = "";
	bool root = !geteuid();

	ASSERT_TRUE(world_file(world, "project/a", "a"));
	ASSERT_TRUE(world_file(world, "project/d/run", "#!/bin/sh\n"));
	ASSERT_TRUE(world_link(world, "project/b", "project/a"));
	ASSERT_TRUE(world_symlink(world, "project/out", "/etc/passwd"));
	ASSERT_TRUE(world_symlink(world, "project/up", "../../.."));
	ASSERT_TRUE(world_file(world, "project/AGENTS.md", "an older rule"));
	ASSERT_TRUE(world_file(world, "solution/a", "better"));
	set_mode(self, "project/d/run", 06755);
	set_mode(self, "project/d", 0700);
	set_mode(self, "project/a", 0440);
	setxattr(path, "user.test", "x", 1, 0);
	ASSERT_EQ(stat(path, &from), 0);
	BIND("", "");
	make(self);

	EXPECT_CONTENT("workspace/a", "a");
	EXPECT_CONTENT("workspace/AGENTS.md", WORLD_RULE);
	EXPECT_CONTENT("aletheia/agent/aletheia-scripted", "agent");
	EXPECT_CONTENT("aletheia/solution/a", "better");
	EXPECT_CONTENT("etc/hosts", "127.0.0.1\tlocalhost\n::1\tlocalhost\n");
	EXPECT_CONTENT("etc/resolv.conf", "");
	st = look(self, "workspace/a");
	EXPECT_EQ(st.st_mode, S_IFREG | 0440);
	EXPECT_EQ(st.st_nlink, 2);
	EXPECT_EQ(st.st_ino, look(self, "workspace/b").st_ino);
	EXPECT_EQ(st.st_mtim.tv_sec, from.st_mtim.tv_sec);
	EXPECT_EQ(st.st_mtim.tv_nsec, from.st_mtim.tv_nsec);
	/* No set-user-id, no attributes. */
	EXPECT_EQ(look(self, "workspace/d/run").st_mode, S_IFREG | 0755);
	EXPECT_EQ(look(self, "workspace/d").st_mode, S_IFDIR | 0700);
	free(path);
	path = xasprintf("%s/workspace/a", self->path);
	EXPECT_EQ(getxattr(path, "user.test", NULL, 0), -1);
	/* Links are copied, not followed. */
	EXPECT_EQ(
		readlinkat(self->root, "workspace/out", target, sizeof(target)),
		11);
	EXPECT_STREQ(target, "/etc/passwd");
	EXPECT_EQ(look(self, "workspace/up").st_mode & S_IFMT, S_IFLNK);
	if (!root)
		return;
	EXPECT_EQ(st.st_uid, AGENT);
	EXPECT_EQ(st.st_gid, AGENT);
	EXPECT_EQ(look(self, "workspace/out").st_uid, AGENT);
	EXPECT_EQ(look(self, "workspace").st_uid, AGENT);
	EXPECT_EQ(look(self, "home/agent").st_uid, AGENT);
	EXPECT_EQ(look(self, "home").st_uid, 0);
	EXPECT_EQ(look(self, "aletheia/bin").st_uid, 0);
	EXPECT_EQ(look(self, "etc/hosts").st_uid, 0);
}

TEST_F(snapshot, odd_names)
{
	static const char *const names[] = {
		"a b", "new\nline", "\xff\xfe", "-rf", "*", "\\", ":,=",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		char *name cleanup_free =
			xasprintf("project/%s/%s", names[i], names[i]);

		ASSERT_TRUE(world_file(&self->world, name, names[i]));
	}
	BIND("", "");
	make(self);
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		char *name cleanup_free =
			xasprintf("workspace/%s/%s", names[i], names[i]);

		EXPECT_CONTENT(name, names[i]);
	}
}

TEST_F(snapshot, fixtures)
{
	struct world *world = &self->world;
	char *canary, *again cleanup_free = NULL;
	const char *token;
	size_t at;

	ASSERT_TRUE(world_file(world, "project/old", "an older, longer text"));
	ASSERT_TRUE(world_link(world, "project/old2", "project/old"));
	ASSERT_TRUE(world_file(world, "data/x/y", "y"));
	BIND("resource a : file(home) = \"deep/a\"\n"
	     "resource old : file(workspace) = \"old\"\n"
	     "resource t : dir(home) = \"t\"\n"
	     "resource scp : tool(host) = \"scp\"\n"
	     "resource s : file(scratch) = \"s\"\n"
	     "resource h : file(host) = \"/srv/x/y\"\n"
	     "grant a read a" FROM,
	     "bind a to fixture file { canary 10000 "
	     "hard-link workspace \"links/a\" symlink workspace \"s\" }\n"
	     "bind old to fixture file { content \"new\" }\n"
	     "bind t to fixture tree { from \"data\" canary 64 }\n"
	     "bind scp to fixture tool\n"
	     "bind s to fixture file\n"
	     "bind h to fixture file { content \"h\" }");
	make(self);
	token = world->bound->canaries[0].token;
	canary = content(self, "home/agent/deep/a");
	EXPECT_EQ(strlen(canary), 10000);
	/* A short piece from anywhere is known again. */
	for (at = 0; at + 128 <= 10000; at += 61) {
		char *piece cleanup_free = xmemdup0(canary + at, 128);

		EXPECT_HAS_SUBSTR(piece, token);
	}
	free(canary);
	EXPECT_EQ(look(self, "home/agent/deep/a").st_ino,
		  look(self, "workspace/links/a").st_ino);
	EXPECT_EQ(look(self, "workspace/s").st_mode & S_IFMT, S_IFLNK);
	/* Both names of the project's file lead to the fixture. */
	EXPECT_CONTENT("workspace/old", "new");
	EXPECT_CONTENT("workspace/old2", "new");
	EXPECT_CONTENT("home/agent/t/x/y", "y");
	again = content(self, "home/agent/t/canary");
	EXPECT_EQ(strlen(again), 64);
	EXPECT_CONTENT("aletheia/bin/scp", "transfer");
	EXPECT_EQ(look(self, "aletheia/bin/scp").st_mode, S_IFREG | 0755);
	EXPECT_EQ(look(self, "tmp").st_mode, S_IFDIR | 01777);
	EXPECT_CONTENT("srv/x/y", "h");
}

#define SYSTEM                                                                 \
	"resource a : file(home) = \"a\"\n"                                    \
	"resource e : env(host) = \"E\"\n"                                     \
	"grant a read a" FROM
#define SETUP                                                                  \
	"bind a to fixture file { canary 4KiB hard-link workspace \"l\" }\n"   \
	"bind e to fixture env { canary }"

/* Equal inputs, equal digests; and each difference shows. */
TEST_F(snapshot, digest)
{
	struct world *world = &self->world;
	struct digest first, other;
	char *token cleanup_free = NULL;
	char *b cleanup_free = xasprintf("%s/project/b", world->dir);

	ASSERT_TRUE(world_file(world, "project/a", "a"));
	ASSERT_TRUE(world_file(world, "project/b", "b"));
	ASSERT_TRUE(world_symlink(world, "project/c", "a"));
	BIND(SYSTEM, SETUP);
	token = xstrdup(world->bound->canaries[0].token);
	first = make(self);
	EXPECT_TRUE(same(first, make_again(self, "same")));

	/* Other tokens, later. */
	usleep(10000);
	BIND(SYSTEM, SETUP);
	EXPECT_STRNE(world->bound->canaries[0].token, token);
	EXPECT_TRUE(same(first, make_again(self, "tokens")));

	ASSERT_TRUE(world_file(world, "project/b", "B"));
	EXPECT_FALSE(same(first, make_again(self, "content")));
	ASSERT_TRUE(world_file(world, "project/b", "b"));
	EXPECT_TRUE(same(first, make_again(self, "control")));

	set_mode(self, "project/b", 0755);
	EXPECT_FALSE(same(first, make_again(self, "mode")));
	set_mode(self, "project/b", 0644);

	ASSERT_EQ(unlink(b), 0);
	EXPECT_FALSE(same(first, make_again(self, "missing")));
	ASSERT_TRUE(world_file(world, "project/B", "b"));
	EXPECT_FALSE(same(first, make_again(self, "name")));
	ASSERT_TRUE(world_link(world, "project/b", "project/B"));
	other = make_again(self, "linked");
	ASSERT_EQ(unlink(b), 0);
	ASSERT_TRUE(world_file(world, "project/b", "b"));
	/* The same names and contents, but two files. */
	EXPECT_FALSE(same(other, make_again(self, "not linked")));

	BIND(SYSTEM, "bind a to fixture file { canary 8KiB hard-link workspace "
		     "\"l\" }\nbind e to fixture env { canary }");
	ASSERT_EQ(unlinkat(world->manifest.directory, "project/B", 0), 0);
	EXPECT_FALSE(same(first, make_again(self, "size")));
}

/* The project may have changed since it was bound. */
TEST_F(snapshot, changed_project)
{
	struct world *world = &self->world;
	struct error *err cleanup_error = NULL;
	struct buffer text cleanup_buffer = { 0 };
	struct digest digest;
	char *outside cleanup_free = xasprintf("%s/outside", world->dir);
	char *fifo cleanup_free = xasprintf("%s/project/z", world->dir);
	int directory = world->manifest.directory;

	ASSERT_TRUE(world_directory(world, "outside"));
	ASSERT_TRUE(world_directory(world, "project/d"));
	BIND("resource a : file(workspace) = \"d/a\"\ngrant a read a" FROM,
	     "bind a to fixture file { canary 4KiB }");
	/* Where a directory was, a link now leads out of the snapshot. */
	ASSERT_EQ(unlinkat(directory, "project/d", AT_REMOVEDIR), 0);
	ASSERT_EQ(symlinkat(outside, directory, "project/d"), 0);
	EXPECT_LT(snapshot_make(world->bound, self->root, AGENT, &digest, &err),
		  0);
	ASSERT_NOT_NULL(err);
	EXPECT_HAS_SUBSTR(err->message, "/workspace/d");
	EXPECT_EQ(faccessat(directory, "outside/a", F_OK, 0), -1);

	/* The rule's own name, too. */
	error_free(err);
	err = NULL;
	ASSERT_EQ(unlinkat(directory, "project/d", 0), 0);
	ASSERT_TRUE(world_file(world, "outside/victim", "untouched"));
	free(outside);
	outside = xasprintf("%s/outside/victim", world->dir);
	ASSERT_EQ(symlinkat(outside, directory, "project/AGENTS.md"), 0);
	EXPECT_LT(make_fails(self, "rule", &err), 0);
	EXPECT_HAS_SUBSTR(err->message, "/workspace/AGENTS.md");
	ASSERT_EQ(unlinkat(directory, "project/AGENTS.md", 0), 0);
	ASSERT_EQ(file_read(directory, "outside/victim", 100, &text, NULL), 0);
	EXPECT_STREQ(buffer_text(&text), "untouched");

	/* What cannot be copied is named; the copy does not hang. */
	error_free(err);
	err = NULL;
	ASSERT_EQ(mkfifo(fifo, 0644), 0);
	EXPECT_LT(make_fails(self, "fifo", &err), 0);
	EXPECT_HAS_SUBSTR(err->message, "project/z");
	EXPECT_EQ(err->kind, ERROR_CONFIG);
	ASSERT_EQ(unlink(fifo), 0);
	/* Control. */
	make_again(self, "fine");
}

TEST_F(snapshot, sparse)
{
	struct world *world = &self->world;
	char *path cleanup_free = xasprintf("%s/project/big", world->dir);
	int fd cleanup_close = -1;
	char byte = 0;

	ASSERT_TRUE(world_file(world, "project/big", ""));
	fd = open(path, O_WRONLY | O_CLOEXEC);
	ASSERT_EQ(pwrite(fd, "x", 1, 100 << 20), 1);
	ASSERT_EQ(ftruncate(fd, 200 << 20), 0);
	BIND("", "");
	make(self);
	EXPECT_EQ(look(self, "workspace/big").st_size, 200 << 20);
	EXPECT_LT(look(self, "workspace/big").st_blocks * 512, 1 << 20);
	close(fd);
	fd = openat(self->root, "workspace/big", O_RDONLY | O_CLOEXEC);
	EXPECT_EQ(pread(fd, &byte, 1, 100 << 20), 1);
	EXPECT_EQ(byte, 'x');
}

TEST_F(snapshot, too_large)
{
	struct world *world = &self->world;
	struct error *err cleanup_error = NULL;
	char *path cleanup_free = xasprintf("%s/project/big", world->dir);

	ASSERT_TRUE(world_file(world, "project/big", ""));
	if (truncate(path, 1ll << 40))
		SKIP("no file of this size on this filesystem");
	BIND("", "");
	EXPECT_EQ(make_fails(self, "large", &err), -EFBIG);
	EXPECT_HAS_SUBSTR(err->message, "project/big");
}

TEST_F(snapshot, gone)
{
	struct world *world = &self->world;
	struct error *err cleanup_error = NULL;
	char *path cleanup_free = xasprintf("%s/project", world->dir);

	BIND("", "");
	ASSERT_EQ(rmdir(path), 0);
	EXPECT_LT(make_fails(self, "gone", &err), 0);
	EXPECT_HAS_SUBSTR(err->message, "project: No such file");
}
