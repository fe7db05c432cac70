// SPDX-License-Identifier: GPL-2.0-only
/*
 * Each way to a file: what it needs, that it is refused without any one of
 * that, what the counters and the event say, and that it works where no policy
 * governs. On one tmpfs, and on an overlay before and after the copy-up.
 */
#include <linux/fs.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/xattr.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "guard_world.h"
#include "harness.h"

/* ---- the ways */

static int done(int ret)
{
	if (ret < 0)
		return errno;
	return 0;
}

static int opened(const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC, 0666);

	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

static int open_read(void)
{
	return opened("work/file", O_RDONLY);
}

static int open_deep(void)
{
	return opened("work/sub/deep/file", O_RDONLY);
}

static int open_write(void)
{
	return opened("work/file", O_WRONLY);
}

static int open_append(void)
{
	return opened("work/file", O_WRONLY | O_APPEND);
}

static int open_both(void)
{
	return opened("work/file", O_RDWR);
}

/* Access mode 3: good for ioctl() only, but needs both permissions. */
static int open_ioctl(void)
{
	return opened("work/file", O_ACCMODE);
}

static int open_truncate(void)
{
	return opened("work/file", O_WRONLY | O_TRUNC);
}

static int open_read_truncate(void)
{
	return opened("work/file", O_RDONLY | O_TRUNC);
}

static int open_directory(void)
{
	return opened("work/sub", O_RDONLY | O_DIRECTORY);
}

static int open_create(void)
{
	return opened("work/new", O_WRONLY | O_CREAT | O_EXCL);
}

static int open_nameless(void)
{
	return opened("work/sub", O_WRONLY | O_TMPFILE);
}

static int open_secret(void)
{
	return opened("keys/secret", O_RDONLY);
}

/* By no name of its own. */
static int open_again(void)
{
	cleanup_close int fd = open("work/file", O_PATH | O_CLOEXEC);
	char path[64];

	if (fd < 0)
		return errno;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return opened(path, O_RDONLY);
}

static int do_mkdir(void)
{
	return done(mkdir("work/new", 0777));
}

static int do_symlink(void)
{
	return done(symlink("file", "work/new"));
}

static int do_mkfifo(void)
{
	return done(mkfifo("work/new", 0666));
}

static int do_unlink(void)
{
	return done(unlink("work/file"));
}

static int do_rmdir(void)
{
	return done(rmdir("work/empty"));
}

static int do_rename(void)
{
	return done(rename("work/file", "work/sub/new"));
}

static int do_rename_over(void)
{
	return done(rename("work/file", "work/two"));
}

static int do_exchange(void)
{
	return done(renameat2(AT_FDCWD, "work/file", AT_FDCWD, "work/two",
			      RENAME_EXCHANGE));
}

static int do_link(void)
{
	return done(link("work/file", "work/sub/new"));
}

static int do_truncate(void)
{
	return done(truncate("work/file", 3));
}

static int do_ftruncate(void)
{
	cleanup_close int fd = open("work/file", O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return errno;
	return done(ftruncate(fd, 3));
}

static int do_chmod(void)
{
	return done(chmod("work/file", 0600));
}

static int do_fchmod(void)
{
	cleanup_close int fd = open("work/file", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return errno;
	return done(fchmod(fd, 0600));
}

static int do_chown(void)
{
	return done(chown("work/file", 12, 34));
}

static int do_utimes(void)
{
	return done(utimensat(AT_FDCWD, "work/file", NULL, 0));
}

static int do_setxattr(void)
{
	return done(setxattr("work/file", "trusted.test", "x", 1, 0));
}

/* Prepared by world_prepare(). */
static int do_removexattr(void)
{
	return done(removexattr("work/two", "trusted.made"));
}

static int do_getxattr(void)
{
	char value[16];

	return done(getxattr("work/two", "trusted.made", value, sizeof(value)));
}

static const struct {
	uint32_t version;
	struct {
		uint16_t tag, permissions;
		uint32_t id;
	} entry[5];
} acl = {
	2,
	{ { 1, 6, -1u }, { 2, 6, 55 }, { 4, 6, -1u }, { 16, 6, -1u },
	  { 32, 4, -1u } },
};

static int do_set_acl(void)
{
	return done(setxattr("work/file", "system.posix_acl_access", &acl,
			     sizeof(acl), 0));
}

static int do_remove_acl(void)
{
	return done(removexattr("work/sub/deep/file",
				"system.posix_acl_access"));
}

/**
 * struct need - one decision of a way
 * @hook:	where it is made
 * @other:	where it is made on other kernels, 0: the same
 * @object:	about what
 * @wanted:	operations
 */
struct need {
	uint32_t hook;
	uint32_t other;
	uint32_t object;
	uint32_t wanted;
};

#define OPEN  AL_HOOK_FILE_OPEN, 0
#define TRUNC AL_HOOK_FILE_TRUNCATE, AL_HOOK_PATH_TRUNCATE
#define WORK  WORLD_WORK
#define READ  AL_OP_READ
#define WRITE AL_OP_WRITE

static const struct way {
	const char *name;
	int (*act)(void);
	struct need need[5]; /* the last one wants nothing */
} ways[] = {
	{ "open to read", open_read, { { OPEN, WORK, READ } } },
	{ "open to read, deep", open_deep, { { OPEN, WORK, READ } } },
	{ "open to write", open_write, { { OPEN, WORK, WRITE } } },
	{ "open to append", open_append, { { OPEN, WORK, WRITE } } },
	{ "open for both", open_both, { { OPEN, WORK, READ | WRITE } } },
	{ "open for ioctl", open_ioctl, { { OPEN, WORK, READ | WRITE } } },
	{ "open to truncate",
	  open_truncate,
	  { { OPEN, WORK, WRITE }, { TRUNC, WORK, WRITE } } },
	{ "open to read and truncate",
	  open_read_truncate,
	  { { OPEN, WORK, READ | WRITE }, { TRUNC, WORK, WRITE } } },
	{ "open a directory", open_directory, { { OPEN, WORK, AL_OP_LIST } } },
	{ "create",
	  open_create,
	  { { AL_HOOK_PATH_MKNOD, 0, WORK, WRITE }, { OPEN, WORK, WRITE } } },
	{ "create without a name", open_nameless, { { OPEN, WORK, WRITE } } },
	{ "open a bound file", open_secret, { { OPEN, WORLD_SECRET, READ } } },
	{ "open a descriptor again", open_again, { { OPEN, WORK, READ } } },
	{ "mkdir", do_mkdir, { { AL_HOOK_PATH_MKDIR, 0, WORK, WRITE } } },
	{ "symlink", do_symlink, { { AL_HOOK_PATH_SYMLINK, 0, WORK, WRITE } } },
	{ "mkfifo", do_mkfifo, { { AL_HOOK_PATH_MKNOD, 0, WORK, WRITE } } },
	{ "unlink", do_unlink, { { AL_HOOK_PATH_UNLINK, 0, WORK, AL_OP_DELETE } } },
	{ "rmdir", do_rmdir, { { AL_HOOK_PATH_RMDIR, 0, WORK, AL_OP_DELETE } } },
	{ "rename",
	  do_rename,
	  { { AL_HOOK_PATH_RENAME, 0, WORK, AL_OP_DELETE },
	    { AL_HOOK_PATH_RENAME, 0, WORK, WRITE } } },
	{ "rename over",
	  do_rename_over,
	  { { AL_HOOK_PATH_RENAME, 0, WORK, AL_OP_DELETE },
	    { AL_HOOK_PATH_RENAME, 0, WORK, WRITE },
	    { AL_HOOK_PATH_RENAME, 0, WORK, WRITE } } },
	{ "exchange",
	  do_exchange,
	  { { AL_HOOK_PATH_RENAME, 0, WORK, AL_OP_DELETE },
	    { AL_HOOK_PATH_RENAME, 0, WORK, AL_OP_DELETE },
	    { AL_HOOK_PATH_RENAME, 0, WORK, WRITE },
	    { AL_HOOK_PATH_RENAME, 0, WORK, WRITE } } },
	{ "link", do_link, { { AL_HOOK_PATH_LINK, 0, WORK, WRITE } } },
	{ "truncate",
	  do_truncate,
	  { { AL_HOOK_PATH_TRUNCATE, 0, WORK, WRITE } } },
	{ "ftruncate",
	  do_ftruncate,
	  { { OPEN, WORK, WRITE }, { TRUNC, WORK, WRITE } } },
	{ "chmod", do_chmod, { { AL_HOOK_PATH_CHMOD, 0, WORK, AL_OP_SETATTR } } },
	{ "fchmod",
	  do_fchmod,
	  { { OPEN, WORK, READ },
	    { AL_HOOK_PATH_CHMOD, 0, WORK, AL_OP_SETATTR } } },
	{ "chown", do_chown, { { AL_HOOK_PATH_CHOWN, 0, WORK, AL_OP_SETATTR } } },
	{ "utimes",
	  do_utimes,
	  { { AL_HOOK_INODE_SETATTR, 0, WORK, AL_OP_SETATTR } } },
	{ "setxattr",
	  do_setxattr,
	  { { AL_HOOK_INODE_SETXATTR, 0, WORK, AL_OP_SETATTR } } },
	{ "removexattr",
	  do_removexattr,
	  { { AL_HOOK_INODE_REMOVEXATTR, 0, WORK, AL_OP_SETATTR } } },
	{ "getxattr",
	  do_getxattr,
	  { { AL_HOOK_INODE_GETXATTR, 0, WORK, READ } } },
	{ "set an access list",
	  do_set_acl,
	  { { AL_HOOK_INODE_SET_ACL, AL_HOOK_INODE_SETXATTR, WORK,
	      AL_OP_SETATTR } } },
	{ "remove an access list",
	  do_remove_acl,
	  { { AL_HOOK_INODE_SET_ACL, AL_HOOK_INODE_REMOVEXATTR, WORK,
	      AL_OP_SETATTR } } },
};

/* ---- how each is tried */

enum stage { PLAIN, BEFORE_COPY_UP, AFTER_COPY_UP, NR_STAGES };

static const char *const stage_names[] = { "tmpfs", "overlay",
					   "overlay after copy-up" };

static void copy_up(const char *path)
{
	ASSERT_EQ(0, chmod(path, 0667));
}

/* What some ways take away must be there. */
static void world_prepare(struct world *world, const char *dir,
			  enum stage stage)
{
	cleanup_free char *two = xasprintf("%s/lower/work/two", dir);
	cleanup_free char *deep =
		xasprintf("%s/lower/work/sub/deep/file", dir);

	world_open(world, dir, stage == PLAIN ? WORLD_TMPFS : WORLD_OVERLAY);
	ASSERT_EQ(0, setxattr(two, "trusted.made", "x", 1, 0));
	ASSERT_EQ(0, setxattr(deep, "system.posix_acl_access", &acl,
			      sizeof(acl), 0));
	if (stage != AFTER_COPY_UP)
		return;
	copy_up("work/file");
	copy_up("work/two");
	copy_up("work/sub/deep/file");
	copy_up("keys/secret");
}

/* The counters after the needs before @nr were permitted and it was not. */
static void expect_counts(struct world *world, const struct way *way, int nr,
			  uint32_t missing)
{
	uint64_t sum = 0;

	for (int i = 0; i < nr; i++)
		sum += __builtin_popcount(way->need[i].wanted);
	EXPECT_EQ(sum + !!missing, world_counts(world));
	if (missing)
		EXPECT_EQ(1, world_count(world, way->need[nr].object, missing,
					 true));
}

static void expect_event(struct world *world, const struct need *need,
			 uint32_t missing)
{
	const struct al_event *event;

	world_read(world);
	event = world_find(world, need->hook, need->object);
	if (!event || event->missing != missing)
		event = world_find(world, need->other, need->object);
	for (int i = 0; i < world->nr_events; i++)
		if (world->event[i].missing)
			event = &world->event[i];
	ASSERT_NOT_NULL(event);
	EXPECT_TRUE(event->hook == need->hook ||
		    (need->other && event->hook == need->other));
	EXPECT_EQ(need->object, event->object);
	EXPECT_EQ(need->wanted, event->operations);
	EXPECT_EQ(missing, event->missing);
	EXPECT_EQ(EACCES, event->error);
	EXPECT_EQ(world->cgroup, event->policy);
	EXPECT_STRNE("", (const char *)event->comm);
	EXPECT_STRNE("", (const char *)event->name);
}

static void without(struct world *world, const struct way *way, int nr,
		    uint32_t missing)
{
	const struct need *need = &way->need[nr];

	/* An earlier decision would be the one that fails. */
	for (int i = 0; i < nr; i++)
		if (way->need[i].object == need->object &&
		    way->need[i].wanted & missing)
			return;
	world_allow(world, WORLD_ALL);
	world->rules[need->object].allow &= ~missing;
	world_arm(world, AL_MODE_ENFORCE);
	EXPECT_EQ(EACCES, world_run(world, way->act));
	expect_counts(world, way, nr, missing);
	expect_event(world, need, missing);
}

static void with_all(struct world *world, const struct way *way)
{
	int nr = 0;

	while (way->need[nr].wanted)
		nr++;
	world_allow(world, WORLD_ALL);
	world_arm(world, AL_MODE_ENFORCE);
	EXPECT_EQ(0, world_run(world, way->act));
	expect_counts(world, way, nr, 0);
}

/*
 * Where no policy governs, what is loaded changes nothing. Returns whether the
 * kernel can do it at all: overlayfs had no O_TMPFILE before 6.1.
 */
static bool outside(struct world *world, const struct way *way)
{
	int error;

	world_allow(world, 0);
	world_arm(world, AL_MODE_ENFORCE);
	error = way->act();
	EXPECT_EQ(0, world_counts(world));
	if (error == EOPNOTSUPP && way->act == open_nameless) {
		TH_LOG("%s: not on this kernel", way->name);
		return false;
	}
	EXPECT_EQ(0, error);
	return true;
}

static void try_way(const struct way *way, enum stage stage, const char *dir)
{
	cleanup_free char *out = xasprintf("%s/out", dir);
	cleanup_free char *in = xasprintf("%s/in", dir);
	static struct world world;
	bool possible;

	ASSERT_EQ(0, mkdir(out, 0777));
	world_prepare(&world, out, stage);
	possible = outside(&world, way);
	world_close(&world);
	if (!possible)
		return;

	ASSERT_EQ(0, mkdir(in, 0777));
	world_prepare(&world, in, stage);
	for (int nr = 0; way->need[nr].wanted; nr++)
		for (uint32_t bit = 1; bit <= way->need[nr].wanted; bit <<= 1)
			if (way->need[nr].wanted & bit)
				without(&world, way, nr, bit);
	with_all(&world, way);
	world_close(&world);
}

/* In a child: each world has mounts of its own. */
static void try_in_child(const struct way *way, enum stage stage)
{
	cleanup_free char *dir = xasprintf("%s/%td", test_dir(), way - ways);
	bool before = test_note->failed;
	int status;
	pid_t pid;

	ASSERT_EQ(0, mkdir(dir, 0777));
	fflush(NULL);
	test_note->failed = false;
	pid = fork();
	if (pid == 0) {
		try_way(way, stage, dir);
		fflush(NULL);
		_exit(0);
	}
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	test_note->failed |= status != 0;
	if (test_note->failed)
		TH_LOG("%s on %s", way->name, stage_names[stage]);
	test_note->failed |= before;
}

static void try_all(enum stage stage)
{
	for (size_t i = 0; i < ARRAY_SIZE(ways); i++)
		try_in_child(&ways[i], stage);
}

TEST_TIMEOUT(ways_tmpfs, 120)
{
	try_all(PLAIN);
}

TEST_TIMEOUT(ways_overlay, 120)
{
	try_all(BEFORE_COPY_UP);
}

TEST_TIMEOUT(ways_copied_up, 120)
{
	try_all(AFTER_COPY_UP);
}
