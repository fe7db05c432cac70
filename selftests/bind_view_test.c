// SPDX-License-Identifier: GPL-2.0-only
/* What a name leads to in a branch that does not exist yet. */
#include "harness.h"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "base/cleanup.h"
#include "bind/bound.h"
#include "bind/view.h"
#include "bind_support.h"

FIXTURE(view)
{
	struct world world;
	struct arena *arena;
	struct view *view;
	struct error *err;
};

FIXTURE_SETUP(view)
{
	ASSERT_TRUE(world_init(&self->world, test_dir()));
	self->arena = arena_new();
	self->view = view_new(self->arena);
	self->err = NULL;
}

FIXTURE_TEARDOWN(view)
{
	error_free(self->err);
	view_free(self->view);
	arena_free(self->arena);
	world_done(&self->world);
}

static int walk(struct view_fixture *self)
{
	return view_walk(self->view,
			 view_directory(self->view, BRANCH_WORKSPACE),
			 self->world.manifest.directory, "project",
			 "the project", &self->err);
}

TEST_F(view, project)
{
	struct found found;

	ASSERT_TRUE(world_file(&self->world, "project/a/b", ""));
	ASSERT_TRUE(world_symlink(&self->world, "project/a/up", "../a/b"));
	ASSERT_TRUE(world_symlink(&self->world, "project/abs", "/workspace/a"));
	ASSERT_TRUE(world_symlink(&self->world, "project/out", "/etc"));
	ASSERT_TRUE(world_symlink(&self->world, "project/x", "y"));
	ASSERT_TRUE(world_symlink(&self->world, "project/y", "x"));
	ASSERT_TRUE(world_symlink(&self->world, "project/dangling", "no/such"));
	ASSERT_EQ(walk(self), 0);

	found = view_resolve(self->view, "/workspace/a/b");
	EXPECT_STREQ(found.path, "/workspace/a/b");
	EXPECT_TRUE(found.exists);
	EXPECT_EQ(found.type, S_IFREG);
	EXPECT_NOT_NULL(found.node);
	EXPECT_FALSE(found.host);
	EXPECT_NULL(found.link);

	found = view_resolve(self->view, "/workspace/abs/up");
	EXPECT_STREQ(found.path, "/workspace/a/b");
	EXPECT_TRUE(found.exists);
	EXPECT_STREQ(found.link, "/workspace/abs");
	EXPECT_STREQ(found.target, "/workspace/a");

	found = view_resolve(self->view, "/workspace/out");
	EXPECT_STREQ(found.path, "/etc");
	EXPECT_TRUE(found.host);
	EXPECT_STREQ(found.link, "/workspace/out");

	found = view_resolve(self->view, "/workspace/x");
	EXPECT_FALSE(found.exists);
	EXPECT_HAS_SUBSTR(found.problem, "symbolic links");

	found = view_resolve(self->view, "/workspace/dangling");
	EXPECT_STREQ(found.path, "/workspace/no/such");
	EXPECT_FALSE(found.exists);
	EXPECT_NULL(found.problem);

	found = view_resolve(self->view, "/workspace/a/b/c");
	EXPECT_HAS_SUBSTR(found.problem, "/workspace/a/b is no directory");

	found = view_resolve(self->view, "/workspace/../../workspace/./a//b/");
	EXPECT_STREQ(found.path, "/workspace/a/b");
}

/* Names are bytes. */
TEST_F(view, odd_names)
{
	static const char *const names[] = {
		"a b", "new\nline", "\xff\xfe", "-rf", "*", "\\", "caf\xc3\xa9",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		char *path cleanup_free = xasprintf("project/%s", names[i]);

		ASSERT_TRUE(world_file(&self->world, path, ""));
	}
	ASSERT_EQ(walk(self), 0);
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		char *path cleanup_free = xasprintf("/workspace/%s", names[i]);
		struct found found = view_resolve(self->view, path);

		EXPECT_TRUE(found.exists);
		EXPECT_STREQ(found.path, path);
	}
	EXPECT_EQ(view_directory(self->view, "/workspace")->nr_children,
		  ARRAY_SIZE(names));
}

TEST_F(view, special_files)
{
	char *fifo cleanup_free = xasprintf("%s/project/fifo", self->world.dir);
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd cleanup_close = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	const struct error *error;
	int nr = 0;

	ASSERT_EQ(mkfifo(fifo, 0644), 0);
	snprintf(address.sun_path, sizeof(address.sun_path), "%s/project/sock",
		 self->world.dir);
	ASSERT_EQ(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	EXPECT_LT(walk(self), 0);
	for (error = self->err; error; error = error->next)
		nr++;
	ASSERT_EQ(nr, 2);
	EXPECT_HAS_SUBSTR(self->err->message, "/workspace/fifo");
	EXPECT_HAS_SUBSTR(self->err->message, "a FIFO");
	EXPECT_HAS_SUBSTR(self->err->next->message, "a socket");
	EXPECT_EQ(self->err->kind, ERROR_CONFIG);
}

TEST_F(view, no_project)
{
	char *path cleanup_free = xasprintf("%s/project", self->world.dir);

	ASSERT_EQ(rmdir(path), 0);
	EXPECT_EQ(walk(self), -ENOENT);
	EXPECT_HAS_SUBSTR(self->err->message, "the project: project");
}

TEST_F(view, hard_links)
{
	struct found found;

	ASSERT_TRUE(world_file(&self->world, "project/z", ""));
	ASSERT_TRUE(world_link(&self->world, "project/b/a", "project/z"));
	/* A name outside the project is none in the branch. */
	ASSERT_TRUE(world_link(&self->world, "elsewhere", "project/z"));
	ASSERT_TRUE(world_file(&self->world, "project/single", ""));
	ASSERT_EQ(walk(self), 0);
	found = view_resolve(self->view, "/workspace/z");
	ASSERT_NOT_NULL(found.node->names);
	ASSERT_EQ(found.node->names->nr, 2);
	EXPECT_STREQ(node_path(self->arena, found.node->names->list[0]),
		     "/workspace/b/a");
	found = view_resolve(self->view, "/workspace/single");
	EXPECT_NULL(found.node->names);
}

/* What a branch does not have of the host. */
TEST_F(view, other_places)
{
	static const char *const empty[] = {
		"/home/agent/x", "/home/other", "/root",  "/srv",
		"/mnt",		 "/tmp/x",	"/run/x", "/sys",
		"/var/log",	 "/dev/sda",	"/boot",
	};
	static const char *const there[] = {
		"/",	     "/home", "/home/agent",   "/tmp",
		"/var/tmp",  "/run",  "/dev/shm",      "/dev/null",
		"/aletheia", "/proc", "/proc/cpuinfo",
	};
	static const char *const no_one[] = { "/proc/self", "/proc/1",
					      "/proc/mounts" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(empty); i++)
		EXPECT_FALSE(view_resolve(self->view, empty[i]).exists)
		{
			TH_LOG("%s", empty[i]);
		}
	for (i = 0; i < ARRAY_SIZE(there); i++) {
		struct found found = view_resolve(self->view, there[i]);

		EXPECT_TRUE(found.exists)
		{
			TH_LOG("%s", there[i]);
		}
		EXPECT_FALSE(found.host);
	}
	for (i = 0; i < ARRAY_SIZE(no_one); i++)
		EXPECT_NOT_NULL(view_resolve(self->view, no_one[i]).problem)
		{
			TH_LOG("%s", no_one[i]);
		}
}

/* The host's own names, links and merged directories included. */
TEST_F(view, system_names)
{
	static const char *const directories[] = {
		"/bin", "/lib", "/sbin", "/etc", "/etc/alternatives", "/usr/lib"
	};
	int nr = 0, links = 0;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(directories); i++) {
		DIR *dir cleanup_dir = opendir(directories[i]);
		struct dirent *entry;

		while (dir && (entry = readdir(dir))) {
			char *path cleanup_free = xasprintf(
				"%s/%s", directories[i], entry->d_name);
			char *real cleanup_free = realpath(path, NULL);
			struct found found = view_resolve(self->view, path);

			if (!real || !path_is_system(real))
				continue;
			EXPECT_STREQ(found.path, real);
			EXPECT_TRUE(found.host);
			links += entry->d_type == DT_LNK;
			nr++;
		}
	}
	TH_LOG("%d names, %d of them links", nr, links);
	EXPECT_GT(nr, 100);
	EXPECT_GT(links, 10);
}

TEST_F(view, made)
{
	struct node *file = view_file(self->view, "/home/agent/.ssh/key");
	struct found found;

	ASSERT_NOT_NULL(file);
	EXPECT_NOT_NULL(view_symlink(self->view, "/workspace/key",
				     "/home/agent/.ssh/key"));
	EXPECT_NOT_NULL(view_link(self->view, "/workspace/hard", file));
	/* Taken. */
	EXPECT_NULL(view_link(self->view, "/workspace/key", file));
	EXPECT_NULL(view_directory(self->view, "/home/agent/.ssh/key/x"));
	EXPECT_NULL(view_file(self->view, "/home/agent/.ssh"));

	found = view_resolve(self->view, "/workspace/key");
	EXPECT_STREQ(found.path, "/home/agent/.ssh/key");
	EXPECT_NULL(found.link); /* the setup's links are trusted */
	found = view_resolve(self->view, "/workspace/hard");
	EXPECT_STREQ(found.path, "/workspace/hard");
	EXPECT_EQ(found.node->names->nr, 2);
	/* Something of ours in a system directory hides nothing else there. */
	ASSERT_NOT_NULL(view_file(self->view, "/etc/hosts"));
	EXPECT_FALSE(view_resolve(self->view, "/etc/hosts").host);
	EXPECT_TRUE(view_resolve(self->view, "/etc/passwd").host);
}
