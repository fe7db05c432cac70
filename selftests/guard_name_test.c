// SPDX-License-Identifier: GPL-2.0-only
/*
 * Objects, not strings: what a name leads to is governed as the object it is,
 * and a name never gives it more authority than it had.
 */
#include <linux/fs.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "guard_world.h"
#include "harness.h"

/* ---- what is done in the cgroup; what with, is left in these */

static const char *first, *second;
static int flags;

static int done(int ret)
{
	return ret < 0 ? errno : 0;
}

static int act_open(void)
{
	int fd = open(first, flags | O_CLOEXEC, 0666);

	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

static int act_link(void)
{
	return done(link(first, second));
}

static int act_symlink(void)
{
	return done(symlink(first, second));
}

static int act_rename(void)
{
	return done(rename(first, second));
}

static int act_exchange(void)
{
	return done(renameat2(AT_FDCWD, first, AT_FDCWD, second,
			      RENAME_EXCHANGE));
}

static int act_unlink(void)
{
	return done(unlink(first));
}

static int act_mkdir(void)
{
	return done(mkdir(first, 0777));
}

static int act_chmod(void)
{
	return done(chmod(first, 0640));
}

static int run(struct world *world, int (*act)(void), const char *a,
	       const char *b)
{
	first = a;
	second = b;
	return world_run(world, act);
}

static int run_open(struct world *world, const char *path, int how)
{
	flags = how;
	return run(world, act_open, path, NULL);
}

static void touch(const char *path)
{
	cleanup_close int fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0666);

	ASSERT_GE(fd, 0);
}

static void drop_caches(void)
{
	cleanup_close int fd =
		open("/proc/sys/vm/drop_caches", O_WRONLY | O_CLOEXEC);

	sync();
	ASSERT_EQ(1, write(fd, "3", 1));
}

/* The label of a path, 0 if it has none. */
static uint32_t label_of(struct world *world, const char *path)
{
	cleanup_close int fd = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	struct al_label label = { 0 };

	ASSERT_GE(fd, 0) {
		TH_LOG("%s", path);
	}
	if (guard_label_get(world->guard, fd, &label))
		return 0;
	return label.object;
}

/* Each test runs on both kinds of file system. */
#define TEST_BOTH(name)                                                        \
	static void name(struct world *world);                                 \
	TEST(name##_tmpfs)                                                     \
	{                                                                      \
		static struct world world;                                     \
		world_open(&world, test_dir(), WORLD_TMPFS);                   \
		name(&world);                                                  \
		world_close(&world);                                           \
	}                                                                      \
	TEST(name##_overlay)                                                   \
	{                                                                      \
		static struct world world;                                     \
		world_open(&world, test_dir(), WORLD_OVERLAY);                 \
		name(&world);                                                  \
		world_close(&world);                                           \
	}                                                                      \
	static void name(struct world *world)

/* narrow may be read, written and deleted in, but not run or changed. */
static void arm_narrow(struct world *world)
{
	world->rules[WORLD_NARROW].allow = AL_OP_READ | AL_OP_LIST |
					   AL_OP_WRITE | AL_OP_DELETE;
	world_arm(world, AL_MODE_ENFORCE);
}

static void expect_exdev(struct world *world, uint32_t hook, uint32_t from,
			 uint32_t to)
{
	const struct al_event *event;

	world_read(world);
	for (int i = 0; i < world->nr_events; i++) {
		event = &world->event[i];
		if (event->error != EXDEV)
			continue;
		EXPECT_EQ(hook, event->hook);
		EXPECT_EQ(from, event->from);
		EXPECT_EQ(to, event->object);
		EXPECT_EQ(AL_OP_WRITE, event->missing);
		return;
	}
	EXPECT_TRUE(false) {
		TH_LOG("no event says EXDEV");
	}
}

/* ---- links */

TEST_BOTH(link_into_wider)
{
	arm_narrow(world);
	EXPECT_EQ(EXDEV, run(world, act_link, "narrow/file", "work/new"));
	EXPECT_EQ(1, world_count(world, WORLD_WORK, AL_OP_WRITE, true));
	EXPECT_EQ(1, world_counts(world));
	expect_exdev(world, AL_HOOK_PATH_LINK, WORLD_NARROW, WORLD_WORK);
	EXPECT_EQ(-1, access("work/new", F_OK));
	/* What is refused is the difference, not the act. */
	world->rules[WORLD_NARROW].allow = WORLD_ALL;
	world_arm(world, AL_MODE_ENFORCE);
	EXPECT_EQ(0, run(world, act_link, "narrow/file", "work/new"));
}

TEST_BOTH(link_into_narrower)
{
	arm_narrow(world);
	EXPECT_EQ(0, run(world, act_chmod, "work/file", NULL));
	EXPECT_EQ(0, run(world, act_link, "work/file", "narrow/new"));
	/* Under both names. */
	EXPECT_EQ(WORLD_NARROW, label_of(world, "work/file"));
	EXPECT_EQ(EACCES, run(world, act_chmod, "narrow/new", NULL));
	EXPECT_EQ(EACCES, run(world, act_chmod, "work/file", NULL));
	EXPECT_EQ(0, run_open(world, "work/file", O_RDWR));
}

TEST_BOTH(link_made_before)
{
	world->rules[WORLD_SECRET].allow = 0;
	world_arm(world, AL_MODE_ENFORCE);
	EXPECT_EQ(EACCES, run_open(world, "keys/secret", O_RDONLY));
	EXPECT_EQ(EACCES, run_open(world, "work/alias", O_RDONLY));
	EXPECT_EQ(EACCES, run(world, act_chmod, "work/alias", NULL));
	EXPECT_EQ(EACCES, run(world, act_unlink, "work/alias", NULL));
	EXPECT_EQ(EXDEV, run(world, act_link, "work/alias", "work/new"));
	EXPECT_EQ(2, world_count(world, WORLD_SECRET, AL_OP_READ, true));
	/* Outside it works, and copies up. */
	EXPECT_EQ(0, chmod("keys/secret", 0666));
	EXPECT_EQ(EACCES, run_open(world, "work/alias", O_RDONLY));
	EXPECT_EQ(0, run_open(world, "work/file", O_RDONLY));
}

TEST_BOTH(link_into_slot)
{
	ASSERT_EQ(0, unlink("keys/secret"));
	world->rules[WORLD_SECRET].allow = AL_OP_WRITE;
	world_arm(world, AL_MODE_ENFORCE);
	EXPECT_EQ(0, run_open(world, "work/file", O_RDONLY));
	EXPECT_EQ(0, run(world, act_link, "work/file", "keys/secret"));
	EXPECT_EQ(EACCES, run_open(world, "keys/secret", O_RDONLY));
	EXPECT_EQ(EACCES, run_open(world, "work/file", O_RDONLY));
	EXPECT_EQ(0, run_open(world, "work/file", O_WRONLY));
}

/* A file without a label belongs where it is opened, however often. */
TEST_BOTH(link_unlabelled)
{
	world_arm(world, AL_MODE_ENFORCE);
	for (int i = 0; i < 2; i++) {
		EXPECT_EQ(0, run_open(world, "work/twin", O_RDONLY));
		EXPECT_EQ(0, run_open(world, "other/twin", O_RDONLY));
	}
	EXPECT_EQ(2, world_count(world, WORLD_WORK, AL_OP_READ, false));
	EXPECT_EQ(2, world_count(world, WORLD_OTHER, AL_OP_READ, false));
}

TEST_BOTH(symlink_is_its_target)
{
	world->rules[WORLD_SECRET].allow = 0;
	world_arm(world, AL_MODE_ENFORCE);
	EXPECT_EQ(0, run(world, act_symlink, "../keys/secret", "work/new"));
	EXPECT_EQ(EACCES, run_open(world, "work/new", O_RDONLY));
	EXPECT_EQ(0, run(world, act_symlink, "file", "work/newer"));
	EXPECT_EQ(0, run_open(world, "work/newer", O_RDONLY));
}

TEST_BOTH(bind_mount_is_its_source)
{
	ASSERT_EQ(0, mount("keys", "work/empty", NULL, MS_BIND, NULL));
	world->rules[WORLD_SECRET].allow = 0;
	world_arm(world, AL_MODE_ENFORCE);
	EXPECT_EQ(EACCES, run_open(world, "work/empty/secret", O_RDONLY));
	EXPECT_EQ(0, run_open(world, "work/empty/folder/inner", O_RDONLY));
	EXPECT_EQ(1, world_count(world, WORLD_INNER, AL_OP_READ, false));
}

/* ---- renames */

TEST_BOTH(rename_into_wider)
{
	arm_narrow(world);
	EXPECT_EQ(EXDEV, run(world, act_rename, "narrow/file", "work/new"));
	expect_exdev(world, AL_HOOK_PATH_RENAME, WORLD_NARROW, WORLD_WORK);
	EXPECT_EQ(EXDEV, run(world, act_rename, "narrow/file", "work/file"));
	EXPECT_EQ(EXDEV, run(world, act_exchange, "narrow/file", "work/file"));
	EXPECT_EQ(EXDEV, run(world, act_exchange, "work/file", "narrow/file"));
	EXPECT_EQ(0, label_of(world, "narrow/file"));
	EXPECT_EQ(0, label_of(world, "work/file"));
}

TEST_BOTH(rename_into_narrower)
{
	arm_narrow(world);
	EXPECT_EQ(0, run(world, act_chmod, "work/file", NULL));
	EXPECT_EQ(0, run(world, act_rename, "work/file", "narrow/new"));
	EXPECT_EQ(WORLD_NARROW, label_of(world, "narrow/new"));
	EXPECT_EQ(EACCES, run(world, act_chmod, "narrow/new", NULL));
	EXPECT_EQ(EXDEV, run(world, act_rename, "narrow/new", "work/file"));
}

TEST_BOTH(rename_among_equals)
{
	world_arm(world, AL_MODE_ENFORCE);
	EXPECT_EQ(0, run_open(world, "work/file", O_RDONLY));
	EXPECT_EQ(0, run(world, act_rename, "work/file", "work/sub/file"));
	EXPECT_EQ(0, label_of(world, "work/sub/file"));
	EXPECT_EQ(0, run(world, act_rename, "work/sub/file", "other/new"));
	EXPECT_EQ(0, run_open(world, "other/new", O_RDONLY));
	EXPECT_EQ(1, world_count(world, WORLD_OTHER, AL_OP_READ, false));
	EXPECT_EQ(0, run(world, act_exchange, "other/new", "work/two"));
	EXPECT_EQ(0, run_open(world, "other/new", O_RDONLY));
	EXPECT_EQ(0, run_open(world, "work/two", O_RDONLY));
	EXPECT_EQ(2, world_count(world, WORLD_OTHER, AL_OP_READ, false));
	EXPECT_EQ(2, world_count(world, WORLD_WORK, AL_OP_READ, false));
}

/* What lies below was opened before, so that its class is remembered. */
TEST(rename_directory)
{
	static struct world world;

	/* An overlay's lower directories cannot be renamed at all. */
	world_open(&world, test_dir(), WORLD_TMPFS);
	arm_narrow(&world);
	EXPECT_EQ(0, run(&world, act_chmod, "work/sub/deep/file", NULL));
	EXPECT_EQ(0, run_open(&world, "work/sub/deep/file", O_RDONLY));
	EXPECT_EQ(0, run(&world, act_rename, "work/sub", "narrow/sub"));
	EXPECT_EQ(EACCES, run(&world, act_chmod, "narrow/sub/deep/file", NULL));
	EXPECT_EQ(0, run_open(&world, "narrow/sub/deep/new",
			      O_CREAT | O_WRONLY));
	EXPECT_EQ(EACCES, run(&world, act_chmod, "narrow/sub/deep/new", NULL));
	EXPECT_EQ(EXDEV, run(&world, act_rename, "narrow/sub", "work/sub"));
	EXPECT_EQ(EXDEV, run(&world, act_rename, "narrow/sub/deep/file",
			     "work/new"));
	world_close(&world);
}

static void relabel(struct world *world, const char *path, uint32_t object,
		    uint32_t label_flags)
{
	/* Open until the test ends, as the label's life depends on it. */
	int fd = open(path, O_PATH | O_CLOEXEC);
	struct error *err = NULL;

	ASSERT_GE(fd, 0);
	world_must(guard_label(world->guard, fd, object, label_flags, &err),
		   err, path);
}

/*
 * Its own class could go there, but what is in it is of another, which could
 * not: it would gain by the move.
 */
TEST_BOTH(rename_directory_that_is_no_tree)
{
	ASSERT_EQ(0, mkdir("narrow/sub", 0777));
	touch("narrow/sub/file");
	relabel(world, "narrow/sub", WORLD_WORK, 0);
	arm_narrow(world);
	EXPECT_EQ(EACCES, run(world, act_chmod, "narrow/sub/file", NULL));
	EXPECT_EQ(EXDEV, run(world, act_rename, "narrow/sub", "work/new"));
	EXPECT_EQ(EXDEV, run(world, act_exchange, "work/empty", "narrow/sub"));
	/* If it were a tree, all in it would be of its class. */
	relabel(world, "narrow/sub", WORLD_WORK, AL_LABEL_TREE);
	EXPECT_EQ(0, run(world, act_chmod, "narrow/sub/file", NULL));
	EXPECT_EQ(0, run(world, act_rename, "narrow/sub", "work/new"));
}

/* ---- slots */

/* What somebody labelled is not the slot's, for being in its place. */
TEST_BOTH(slot_with_other_label)
{
	relabel(world, "keys/folder", WORLD_NARROW, 0);
	touch("keys/folder/file");
	world_arm(world, AL_MODE_ENFORCE);
	EXPECT_EQ(0, run_open(world, "keys/folder/file", O_RDONLY));
	EXPECT_EQ(1, world_count(world, WORLD_KEYS, AL_OP_READ, false));
	EXPECT_EQ(WORLD_NARROW, label_of(world, "keys/folder"));
	EXPECT_EQ(0, run_open(world, "keys/folder", O_RDONLY));
	EXPECT_EQ(1, world_count(world, WORLD_NARROW, AL_OP_LIST, false));
}

/* Where a file is expected, a directory has the file's rules, for itself. */
TEST_BOTH(slot_of_file_is_directory)
{
	world_arm(world, AL_MODE_ENFORCE);
	ASSERT_EQ(0, unlink("keys/secret"));
	EXPECT_EQ(0, run(world, act_mkdir, "keys/secret", NULL));
	EXPECT_EQ(0, run_open(world, "keys/secret/x", O_CREAT | O_WRONLY));
	EXPECT_EQ(0, run_open(world, "keys/secret", O_RDONLY));
	EXPECT_EQ(1, world_count(world, WORLD_SECRET, AL_OP_LIST, false));
	EXPECT_EQ(2, world_count(world, WORLD_KEYS, AL_OP_WRITE, false));
	EXPECT_EQ(EXDEV, run(world, act_rename, "keys/secret", "work/new"));
}

TEST_BOTH(slot_recreated)
{
	world->rules[WORLD_SECRET].allow = AL_OP_DELETE;
	world_arm(world, AL_MODE_ENFORCE);
	EXPECT_EQ(0, run(world, act_unlink, "keys/secret", NULL));
	EXPECT_EQ(EACCES,
		  run_open(world, "keys/secret", O_CREAT | O_WRONLY));
	EXPECT_EQ(EACCES, run(world, act_mkdir, "keys/secret", NULL));
	EXPECT_EQ(EACCES, run(world, act_symlink, "x", "keys/secret"));
	EXPECT_EQ(3, world_count(world, WORLD_SECRET, AL_OP_WRITE, true));

	world->rules[WORLD_SECRET].allow = AL_OP_WRITE;
	world_arm(world, AL_MODE_ENFORCE);
	EXPECT_EQ(0, run_open(world, "keys/secret", O_CREAT | O_WRONLY));
	EXPECT_EQ(WORLD_SECRET, label_of(world, "keys/secret"));
	EXPECT_EQ(EACCES, run_open(world, "keys/secret", O_RDONLY));
	/* The name is a slot there, not everywhere. */
	EXPECT_EQ(0, run_open(world, "work/secret", O_CREAT | O_RDWR));
	EXPECT_EQ(0, label_of(world, "work/secret"));
	EXPECT_EQ(0, run_open(world, "keys/other", O_CREAT | O_RDWR));
	EXPECT_EQ(2, world_count(world, WORLD_KEYS, AL_OP_WRITE, false));
}

TEST_BOTH(slot_renamed_over)
{
	world->rules[WORLD_SECRET].allow = 0;
	world_arm(world, AL_MODE_ENFORCE);
	EXPECT_EQ(EACCES, run(world, act_rename, "work/two", "keys/secret"));
	EXPECT_EQ(EACCES, run(world, act_rename, "keys/secret", "work/new"));
	EXPECT_EQ(EACCES, run(world, act_exchange, "work/two", "keys/secret"));

	world->rules[WORLD_SECRET].allow = AL_OP_WRITE;
	world_arm(world, AL_MODE_ENFORCE);
	EXPECT_EQ(0, run_open(world, "work/two", O_RDONLY));
	EXPECT_EQ(0, run(world, act_rename, "work/two", "keys/secret"));
	EXPECT_EQ(EACCES, run_open(world, "keys/secret", O_RDONLY));
	EXPECT_EQ(0, run_open(world, "keys/secret", O_WRONLY));
	/* The replaced object still is what it was, under its other name. */
	EXPECT_EQ(EACCES, run_open(world, "work/alias", O_RDONLY));
}

TEST_BOTH(slot_renamed_away)
{
	world->rules[WORLD_SECRET].allow = AL_OP_DELETE | AL_OP_WRITE;
	world_arm(world, AL_MODE_ENFORCE);
	EXPECT_EQ(EXDEV, run(world, act_rename, "keys/secret", "work/new"));
	EXPECT_EQ(EXDEV, run(world, act_exchange, "work/two", "keys/secret"));
	EXPECT_EQ(EACCES, run_open(world, "keys/secret", O_RDONLY));
	EXPECT_EQ(0, run_open(world, "work/two", O_RDONLY));
}

TEST_BOTH(slot_of_component)
{
	world->rules[WORLD_INNER].allow = AL_OP_DELETE;
	world_arm(world, AL_MODE_ENFORCE);
	EXPECT_EQ(0, run(world, act_unlink, "keys/folder/inner", NULL));
	ASSERT_EQ(0, rmdir("keys/folder"));
	EXPECT_EQ(0, run(world, act_mkdir, "keys/folder", NULL));
	EXPECT_EQ(WORLD_FOLDER, label_of(world, "keys/folder"));
	EXPECT_EQ(EACCES,
		  run_open(world, "keys/folder/inner", O_CREAT | O_WRONLY));
	EXPECT_EQ(1, world_count(world, WORLD_INNER, AL_OP_WRITE, true));
	EXPECT_EQ(0, run_open(world, "keys/folder/x", O_CREAT | O_WRONLY));
}

/* The names in it have been seen already, as names of something else. */
TEST_BOTH(slot_of_moved_directory)
{
	world->rules[WORLD_INNER].allow = AL_OP_WRITE;
	world_arm(world, AL_MODE_ENFORCE);
	ASSERT_EQ(0, unlink("keys/folder/inner"));
	ASSERT_EQ(0, rmdir("keys/folder"));
	EXPECT_EQ(0, run(world, act_mkdir, "work/new", NULL));
	EXPECT_EQ(0, run_open(world, "work/new/inner", O_CREAT | O_RDWR));
	EXPECT_EQ(0, run_open(world, "work/new/inner", O_RDONLY));
	EXPECT_EQ(0, run(world, act_rename, "work/new", "keys/folder"));
	EXPECT_EQ(EACCES, run_open(world, "keys/folder/inner", O_RDONLY));
	EXPECT_EQ(1, world_count(world, WORLD_INNER, AL_OP_READ, true));
	EXPECT_EQ(0, run_open(world, "keys/folder/inner", O_WRONLY));
}

/* Whoever makes it, or looks it up again, and whether or not a policy does. */
TEST_BOTH(slot_outside)
{
	struct error *err = NULL;

	world_must(guard_slot(world->guard, WORLD_KEYS, "late", WORLD_SECRET, 0,
			      &err),
		   err, "guard_slot");
	touch("keys/late");
	EXPECT_EQ(WORLD_SECRET, label_of(world, "keys/late"));
	drop_caches();
	EXPECT_EQ(WORLD_SECRET, label_of(world, "keys/late"));
	drop_caches();
	world->rules[WORLD_SECRET].allow = 0;
	world_arm(world, AL_MODE_ENFORCE);
	EXPECT_EQ(EACCES, run_open(world, "keys/late", O_RDONLY));
	EXPECT_EQ(0, run_open(world, "work/file", O_RDONLY));
}

/* ---- trees */

TEST_BOTH(tree_follows_labels)
{
	cleanup_close int fd = open("work/sub", O_PATH | O_CLOEXEC);
	struct error *err = NULL;

	world->rules[WORLD_NARROW].allow = 0;
	world_arm(world, AL_MODE_ENFORCE);
	EXPECT_EQ(0, run_open(world, "work/sub/deep/file", O_RDONLY));
	/* The class that was remembered is void. */
	world_must(guard_label(world->guard, fd, WORLD_NARROW, AL_LABEL_TREE,
			       &err),
		   err, "guard_label");
	EXPECT_EQ(EACCES, run_open(world, "work/sub/deep/file", O_RDONLY));
	EXPECT_EQ(EACCES, run_open(world, "work/sub", O_RDONLY));
	/* Without the flag the label is the directory's own. */
	world_must(guard_label(world->guard, fd, WORLD_NARROW, 0, &err), err,
		   "guard_label");
	EXPECT_EQ(0, run_open(world, "work/sub/deep/file", O_RDONLY));
	EXPECT_EQ(EACCES, run_open(world, "work/sub", O_RDONLY));
}

TEST_BOTH(tree_without_label)
{
	const struct al_event *event;

	ASSERT_EQ(0, mount("none", "work/empty", "tmpfs", 0, NULL));
	touch("work/empty/file");
	world_arm(world, AL_MODE_ENFORCE);
	EXPECT_EQ(EACCES, run_open(world, "work/empty/file", O_RDONLY));
	EXPECT_EQ(EACCES, run_open(world, "work/empty", O_RDONLY));
	EXPECT_EQ(EACCES, run_open(world, "work/empty/x", O_CREAT | O_RDWR));
	EXPECT_EQ(EACCES, run(world, act_chmod, "work/empty/file", NULL));
	world_read(world);
	event = world_find(world, AL_HOOK_FILE_OPEN, AL_OBJECT_NONE);
	ASSERT_NOT_NULL(event);
	EXPECT_EQ(AL_KIND_OTHER, event->kind);
	EXPECT_STREQ("file", (const char *)event->name);
}

/* Further down than the walk goes, there is no authority. */
TEST_BOTH(tree_too_deep)
{
	char path[2 * (AL_MAX_WALK + 20) + 64] = "work";
	size_t shallow = 0;

	for (int i = 1; i < AL_MAX_WALK + 10; i++) {
		strcat(path, "/d");
		ASSERT_EQ(0, mkdir(path, 0777));
		if (i == AL_MAX_WALK - 2)
			shallow = strlen(path);
	}
	strcat(path, "/f");
	touch(path);
	world_arm(world, AL_MODE_ENFORCE);
	EXPECT_EQ(EACCES, run_open(world, path, O_RDONLY));
	strcpy(path + shallow, "/f");
	touch(path);
	EXPECT_EQ(0, run_open(world, path, O_RDONLY));
}

/* ---- descriptors and handles */

static int act_handle(void)
{
	struct {
		struct file_handle handle;
		char bytes[128];
	} to = { .handle.handle_bytes = sizeof(to.bytes) };
	cleanup_close int root = open(".", O_RDONLY | O_CLOEXEC);
	int mount_id, fd;

	if (root < 0 || name_to_handle_at(AT_FDCWD, first, &to.handle,
					  &mount_id, 0))
		return errno;
	fd = open_by_handle_at(root, &to.handle, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

TEST(handle_is_its_file)
{
	static struct world world;

	world_open(&world, test_dir(), WORLD_TMPFS);
	world.rules[WORLD_SECRET].allow = 0;
	world_arm(&world, AL_MODE_ENFORCE);
	EXPECT_EQ(EACCES, run(&world, act_handle, "keys/secret", NULL));
	EXPECT_EQ(EACCES, run(&world, act_handle, "work/alias", NULL));
	EXPECT_EQ(0, run(&world, act_handle, "work/sub/deep/file", NULL));
	world_close(&world);
}

/* Deleted, but still open: the way to its place is still known. */
static int act_reopen_deleted(void)
{
	cleanup_close int fd = open("work/file", O_RDONLY | O_CLOEXEC);
	cleanup_free char *path = xasprintf("/proc/self/fd/%d", fd);

	if (fd < 0 || unlink("work/file"))
		return errno;
	first = path;
	flags = O_WRONLY;
	return act_open();
}

TEST_BOTH(deleted_is_still_its_class)
{
	world->rules[WORLD_WORK].allow &= ~AL_OP_WRITE;
	world_arm(world, AL_MODE_ENFORCE);
	EXPECT_EQ(EACCES, world_run(world, act_reopen_deleted));
	EXPECT_EQ(1, world_count(world, WORLD_WORK, AL_OP_WRITE, true));
}
