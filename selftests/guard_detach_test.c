// SPDX-License-Identifier: GPL-2.0-only
/*
 * Without the programs nothing is refused, so the other tests can fail; with
 * links that are pinned the programs outlive whoever attached them.
 */
#include <limits.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "guard_world.h"
#include "harness.h"

const bool world_attaches_late = true;

static int open_file(void)
{
	cleanup_close int fd = open("work/file", O_RDONLY | O_CLOEXEC);

	return fd < 0 ? errno : 0;
}

TEST_TIMEOUT(detach, 120)
{
	static struct world world;

	world_open(&world, test_dir(), WORLD_TMPFS);
	world_allow(&world, 0);
	world_arm(&world, AL_MODE_ENFORCE);
	EXPECT_EQ(EACCES, world_run(&world, open_file));
	guard_detach(world.guard);
	EXPECT_EQ(0, world_run(&world, open_file));
	world_close(&world);
}

TEST_TIMEOUT(attach_again, 120)
{
	cleanup_free char *dir = xasprintf("%s/again", test_dir());
	static struct world world;

	world_open(&world, test_dir(), WORLD_TMPFS);
	world_close(&world);
	ASSERT_EQ(0, mkdir(dir, 0777));
	world_open(&world, dir, WORLD_TMPFS);
	world_allow(&world, 0);
	world_arm(&world, AL_MODE_ENFORCE);
	EXPECT_EQ(EACCES, world_run(&world, open_file));
	world_close(&world);
}

/* ---- after the death of the owner */

/* How often opening went well and not; for all processes of a test. */
struct tally {
	volatile int ready;
	volatile long opened, refused;
};

static struct tally *tally;

static int open_for_ever(void)
{
	/* What it has from its owner would keep the programs, too. */
	if (close_range(3, ~0u, 0))
		return errno;
	for (long n = 0; n < LONG_MAX; n++) {
		if (open_file())
			tally->refused++;
		else
			tally->opened++;
	}
	return 0;
}

static void own(const char *pins)
{
	cleanup_close int dir = -1;
	static struct world world;
	struct error *err = NULL;

	world_open(&world, test_dir(), WORLD_TMPFS);
	if (pins) {
		dir = open(pins, O_DIRECTORY | O_CLOEXEC);
		world_must(guard_pin(world.guard, dir, &err), err, "guard_pin");
	}
	world_allow(&world, 0);
	world_arm(&world, AL_MODE_ENFORCE);
	tally->ready = 1;
	world_run(&world, open_for_ever);
	_exit(1);
}

static bool waited_for(const volatile long *number, long above, int seconds)
{
	for (int i = 0; i < seconds * 20; i++) {
		if (*number > above)
			return true;
		usleep(50000);
	}
	return false;
}

static void start_owner(pid_t *ret, const char *pins)
{
	tally = mmap(NULL, sizeof(*tally), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(MAP_FAILED, tally);
	fflush(NULL);
	*ret = fork();
	if (*ret == 0)
		own(pins);
	ASSERT_TRUE(waited_for(&tally->refused, 1000, 60));
	ASSERT_EQ(0, tally->opened);
}

static void kill_owner(pid_t owner)
{
	ASSERT_EQ(0, kill(owner, SIGKILL));
	ASSERT_EQ(owner, waitpid(owner, NULL, 0));
}

TEST_TIMEOUT(pinned, 240)
{
	cleanup_free char *pins = xasprintf("%s/pins", test_dir());
	pid_t owner;

	ASSERT_EQ(0, mkdir(pins, 0700));
	ASSERT_EQ(0, unshare(CLONE_NEWNS));
	ASSERT_EQ(0, mount(NULL, "/", NULL, MS_PRIVATE | MS_REC, NULL));
	ASSERT_EQ(0, mount("bpf", pins, "bpf", 0, "mode=700"));
	start_owner(&owner, pins);
	kill_owner(owner);
	/* As long as the file system is there, nothing is let through. */
	EXPECT_TRUE(waited_for(&tally->refused, tally->refused + 10000, 60));
	sleep(10);
	EXPECT_EQ(0, tally->opened);
}

/* Without pins the programs go with their owner, one after the other. */
TEST_TIMEOUT(not_pinned, 240)
{
	pid_t owner;

	start_owner(&owner, NULL);
	kill_owner(owner);
	EXPECT_TRUE(waited_for(&tally->opened, 0, 90));
}
