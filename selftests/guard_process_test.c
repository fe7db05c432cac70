// SPDX-License-Identifier: GPL-2.0-only
/*
 * Other processes, the floor that no grant can lift, and which processes a
 * policy governs at all.
 */
#include <linux/bpf.h>
#include <linux/if_tun.h>
#include <linux/io_uring.h>
#include <linux/keyctl.h>
#include <linux/mount.h>
#include <linux/perf_event.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/klog.h>
#include <sys/mount.h>
#include <sys/ptrace.h>
#include <sys/quota.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "guard_world.h"
#include "harness.h"

FIXTURE(process)
{
	struct world world;
};

FIXTURE_SETUP(process)
{
	world_open(&self->world, test_dir(), WORLD_TMPFS);
	world_arm(&self->world, AL_MODE_ENFORCE);
}

FIXTURE_TEARDOWN(process)
{
	world_close(&self->world);
}

/* ---- signals and tracing */

static pid_t target;

static int do_signal(void)
{
	return kill(target, SIGUSR1) ? errno : 0;
}

static int do_signal_nothing(void)
{
	return kill(target, 0) ? errno : 0;
}

static int do_trace(void)
{
	return ptrace(PTRACE_SEIZE, target, NULL, NULL) ? errno : 0;
}

static int do_read_memory(void)
{
	char byte;
	struct iovec local = { &byte, 1 }, remote = { &target, 1 };

	return process_vm_readv(target, &local, 1, &remote, 1, 0) == 1 ? 0 :
									 errno;
}

/* A child of the caller's own, to do it to. */
static int to_child(int (*act)(void))
{
	int error;

	target = fork();
	if (target == 0) {
		pause();
		_exit(0);
	}
	error = act();
	kill(target, SIGKILL);
	waitpid(target, NULL, __WALL);
	return error;
}

static int signal_child(void)
{
	return to_child(do_signal);
}

static int trace_child(void)
{
	return to_child(do_trace);
}

static int read_child(void)
{
	return to_child(do_read_memory);
}

/* A process outside that can stand all of it. */
static void start_target(void)
{
	target = fork();
	if (target == 0) {
		signal(SIGUSR1, SIG_IGN);
		for (;;)
			pause();
	}
	usleep(100000);
}

static void expect_one(struct world *world, uint32_t hook, uint32_t operation)
{
	EXPECT_EQ(1, world_count(world, AL_OBJECT_NONE, operation, true));
	EXPECT_EQ(1, world_counts(world));
	world_read(world);
	ASSERT_EQ(1, world->nr_events);
	EXPECT_EQ(hook, world->event[0].hook);
	EXPECT_EQ(operation, world->event[0].missing);
	EXPECT_EQ(EPERM, world->event[0].error);
}

TEST_F(process, signal)
{
	struct world *world = &self->world;

	start_target();
	EXPECT_EQ(0, world_run(world, signal_child));
	EXPECT_EQ(0, world_counts(world));
	EXPECT_EQ(EPERM, world_run(world, do_signal));
	expect_one(world, AL_HOOK_TASK_KILL, AL_OP_SIGNAL);
	EXPECT_EQ(EPERM, world_run(world, do_signal_nothing));
	EXPECT_EQ(0, do_signal());
}

TEST_F(process, trace)
{
	struct world *world = &self->world;

	start_target();
	EXPECT_EQ(0, world_run(world, trace_child));
	EXPECT_EQ(0, world_counts(world));
	EXPECT_EQ(EPERM, world_run(world, do_trace));
	expect_one(world, AL_HOOK_PTRACE_ACCESS_CHECK, AL_OP_TRACE);
	EXPECT_EQ(0, do_trace());
}

TEST_F(process, read_memory)
{
	struct world *world = &self->world;

	start_target();
	EXPECT_EQ(0, world_run(world, read_child));
	EXPECT_EQ(0, world_counts(world));
	EXPECT_EQ(EPERM, world_run(world, do_read_memory));
	expect_one(world, AL_HOOK_PTRACE_ACCESS_CHECK, AL_OP_TRACE);
	EXPECT_EQ(0, do_read_memory());
}

/* ---- the floor */

static int result(long ret)
{
	return ret < 0 ? errno : 0;
}

static int do_mount(void)
{
	return result(mount("none", "work/empty", "tmpfs", 0, NULL));
}

static int do_umount(void)
{
	return result(umount2("work/full", MNT_DETACH));
}

static int do_remount(void)
{
	return result(mount(NULL, "work/full", NULL, MS_REMOUNT, NULL));
}

static int do_move_mount(void)
{
	int tree = syscall(SYS_open_tree, AT_FDCWD, "work/full",
			   OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);

	if (tree < 0)
		return 100;
	return result(syscall(SYS_move_mount, tree, "", AT_FDCWD, "work/sub",
			      MOVE_MOUNT_F_EMPTY_PATH));
}

static int do_pivot_root(void)
{
	return result(syscall(SYS_pivot_root, "work/full", "work/full"));
}

static int do_bpf(void)
{
	union bpf_attr attr = {
		.map_type = BPF_MAP_TYPE_ARRAY,
		.key_size = 4,
		.value_size = 4,
		.max_entries = 1,
	};

	return result(syscall(SYS_bpf, BPF_MAP_CREATE, &attr, sizeof(attr)));
}

static int do_userns(void)
{
	return result(unshare(CLONE_NEWUSER));
}

static int do_perf(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_CPU_CLOCK,
	};

	return result(syscall(SYS_perf_event_open, &attr, 0, -1, -1,
			      PERF_FLAG_FD_CLOEXEC));
}

/* No module, which the kernel sees only after it has read it. */
static int do_finit_module(void)
{
	cleanup_close int fd = open("work/prog", O_RDONLY | O_CLOEXEC);

	syscall(SYS_finit_module, fd, "", 0);
	return errno == EPERM ? EPERM : 0;
}

static int do_init_module(void)
{
	static const char nonsense[4096]; /* as large as a header must be */

	syscall(SYS_init_module, nonsense, sizeof(nonsense), "");
	return errno == EPERM ? EPERM : 0;
}

static int do_settime(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return result(clock_settime(CLOCK_REALTIME, &now));
}

static int do_syslog(void)
{
	return result(klogctl(10 /* size of the buffer */, NULL, 0));
}

static int do_quota(void)
{
	return result(quotactl(QCMD(Q_SYNC, USRQUOTA), NULL, 0, NULL));
}

static int do_sqpoll(void)
{
	struct io_uring_params params = { .flags = IORING_SETUP_SQPOLL };

	return result(syscall(SYS_io_uring_setup, 4, &params));
}

static int do_add_key(void)
{
	return result(syscall(SYS_add_key, "user", "guard-test", "x", 1,
			      KEY_SPEC_PROCESS_KEYRING));
}

static long key;

static int do_describe_key(void)
{
	return result(syscall(SYS_keyctl, KEYCTL_DESCRIBE, key, NULL, 0));
}

static int do_mknod(void)
{
	return result(mknod("work/device", S_IFCHR | 0666, makedev(1, 3)));
}

static int do_mknod_block(void)
{
	return result(mknod("work/device", S_IFBLK | 0666, makedev(7, 0)));
}

static int tun;

static int do_tun(void)
{
	struct ifreq request = { .ifr_name = "guard%d",
				 .ifr_flags = IFF_TUN | IFF_NO_PI };

	return result(ioctl(tun, TUNSETIFF, &request));
}

/*
 * All run outside as well, where each must not be refused: that shows that it
 * is the floor that refuses.
 */
static const struct {
	const char *name;
	int (*act)(void);
} floor_acts[] = {
	{ "mount", do_mount },
	{ "umount", do_umount },
	{ "remount", do_remount },
	{ "move_mount", do_move_mount },
	{ "bpf", do_bpf },
	{ "user namespace", do_userns },
	{ "perf_event_open", do_perf },
	{ "finit_module", do_finit_module },
	{ "init_module", do_init_module },
	{ "clock_settime", do_settime },
	{ "syslog", do_syslog },
	{ "quotactl", do_quota },
	{ "io_uring that polls", do_sqpoll },
	{ "add_key", do_add_key },
	{ "use of a key", do_describe_key },
	{ "device node", do_mknod },
	{ "block device node", do_mknod_block },
	{ "tun", do_tun }, /* the last */
};

static int in_child(int (*act)(void))
{
	pid_t pid = fork();
	int status;

	if (pid == 0)
		_exit(act());
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	return WEXITSTATUS(status);
}

TEST_F_TIMEOUT(process, floor, 60)
{
	struct world *world = &self->world;
	size_t nr = ARRAY_SIZE(floor_acts);
	uint64_t before, after = 0;

	ASSERT_EQ(0, mount("none", "work/full", "tmpfs", 0, NULL));
	key = syscall(SYS_add_key, "user", "guard-test", "x", 1,
		      KEY_SPEC_USER_KEYRING);
	ASSERT_GT(key, 0);
	tun = open("/dev/net/tun", O_RDWR | O_CLOEXEC);
	if (tun < 0) {
		TH_LOG("tun is not tried, the kernel has no module of it here");
		nr--;
	}
	for (size_t i = 0; i < nr; i++) {
		before = after;
		EXPECT_EQ(EPERM, world_run(world, floor_acts[i].act)) {
			TH_LOG("%s", floor_acts[i].name);
		}
		after = world_count(world, AL_OBJECT_NONE, AL_OP_KERNEL, true);
		/* A use of a key is more than one. */
		EXPECT_LT(before, after) {
			TH_LOG("%s", floor_acts[i].name);
		}
	}
	world_read(world);
	for (int i = 0; i < world->nr_events; i++) {
		if (world->event[i].object != AL_OBJECT_NONE)
			continue;
		EXPECT_EQ(AL_HOOK_FLOOR, world->event[i].hook);
		EXPECT_EQ(EPERM, world->event[i].error);
	}
	/* The order matters: what is unmounted is used before. */
	for (size_t i = nr; i-- > 0;) {
		EXPECT_EQ(0, in_child(floor_acts[i].act)) {
			TH_LOG("%s outside", floor_acts[i].name);
		}
		unlink("work/device");
	}
	EXPECT_EQ(after,
		  world_count(world, AL_OBJECT_NONE, AL_OP_KERNEL, true));
}

/* Refused for another reason outside. */
TEST_F(process, floor_pivot_root)
{
	EXPECT_EQ(EPERM, world_run(&self->world, do_pivot_root));
	EXPECT_EQ(1, world_count(&self->world, AL_OBJECT_NONE, AL_OP_KERNEL,
				 true));
	EXPECT_NE(EPERM, in_child(do_pivot_root));
}

/* Even if a policy says that everything is allowed. */
TEST_F(process, floor_is_no_grant)
{
	struct world *world = &self->world;

	for (int i = 0; i < WORLD_NR; i++)
		world->rules[i].allow = ~0u;
	world_arm(world, AL_MODE_ENFORCE);
	EXPECT_EQ(EPERM, world_run(world, do_bpf));
	EXPECT_EQ(EPERM, world_run(world, do_mount));
}

/* ---- whom a policy governs */

static int open_file(void)
{
	cleanup_close int fd = open("work/file", O_RDONLY | O_CLOEXEC);

	return fd < 0 ? errno : 0;
}

/* A second cgroup, below or beside the world's. */
static void open_below(struct world *below, const struct world *world,
		       const char *path)
{
	struct stat stat;

	*below = *world;
	below->events = NULL;
	below->path = xstrdup(path);
	ASSERT_EQ(0, mkdir(path, 0755));
	below->dir = open(path, O_DIRECTORY | O_CLOEXEC);
	below->procs = openat(below->dir, "cgroup.procs", O_WRONLY | O_CLOEXEC);
	ASSERT_GE(below->procs, 0);
	ASSERT_EQ(0, fstat(below->dir, &stat));
	below->cgroup = stat.st_ino;
}

static void close_below(struct world *below)
{
	guard_events_close(below->events);
	guard_policy_remove(below->guard, below->cgroup);
	close(below->procs);
	close(below->dir);
	for (int i = 0; rmdir(below->path) && errno == EBUSY && i < 200; i++)
		usleep(10000);
	free(below->path);
}

TEST_F(process, child_cgroup)
{
	cleanup_free char *path = xasprintf("%s/below", self->world.path);
	static struct world below;

	open_below(&below, &self->world, path);
	world_allow(&self->world, 0);
	world_arm(&self->world, AL_MODE_ENFORCE);
	EXPECT_EQ(EACCES, world_run(&below, open_file));
	EXPECT_EQ(1, world_count(&self->world, WORLD_WORK, AL_OP_READ, true));
	close_below(&below);
}

/* Both must allow, and both account. */
TEST_F(process, nested_policies)
{
	cleanup_free char *path = xasprintf("%s/below", self->world.path);
	static struct world below;

	open_below(&below, &self->world, path);
	below.level = self->world.level + 1;
	for (int outer = 0; outer < 2; outer++) {
		for (int inner = 0; inner < 2; inner++) {
			world_allow(&self->world, outer ? WORLD_ALL : 0);
			world_allow(&below, inner ? WORLD_ALL : 0);
			world_arm(&self->world, AL_MODE_ENFORCE);
			world_arm(&below, AL_MODE_ENFORCE);
			EXPECT_EQ(outer && inner ? 0 : EACCES,
				  world_run(&below, open_file));
			EXPECT_EQ(1, world_count(&self->world, WORLD_WORK,
						 AL_OP_READ, !outer));
			EXPECT_EQ(1, world_count(&below, WORLD_WORK,
						 AL_OP_READ, !inner));
		}
	}
	/* The inner one governs only what is in it. */
	EXPECT_EQ(0, world_run(&self->world, open_file));
	close_below(&below);
}

/* To a nested policy, its surroundings are as foreign as all the rest. */
TEST_F(process, nested_signal)
{
	cleanup_free char *path = xasprintf("%s/below", self->world.path);
	static struct world below;

	open_below(&below, &self->world, path);
	below.level = self->world.level + 1;
	world_arm(&below, AL_MODE_ENFORCE);
	EXPECT_EQ(0, world_run(&below, signal_child));
	start_target();
	ASSERT_GT(dprintf(self->world.procs, "%d", target), 0);
	EXPECT_EQ(EPERM, world_run(&below, do_signal));
	EXPECT_EQ(1, world_count(&below, AL_OBJECT_NONE, AL_OP_SIGNAL, true));
	EXPECT_EQ(0, world_counts(&self->world));
	EXPECT_EQ(0, world_run(&self->world, do_signal));
	EXPECT_EQ(0, kill(target, SIGKILL));
	EXPECT_EQ(target, waitpid(target, NULL, 0));
	close_below(&below);
}

/* The same objects, other rules, at the same time. */
TEST_F(process, two_policies)
{
	cleanup_free char *path = xasprintf("%s-two", self->world.path);
	static struct world two;

	open_below(&two, &self->world, path);
	world_allow(&two, 0);
	world_arm(&two, AL_MODE_ENFORCE);
	for (int i = 0; i < 3; i++) {
		EXPECT_EQ(0, world_run(&self->world, open_file));
		EXPECT_EQ(EACCES, world_run(&two, open_file));
	}
	EXPECT_EQ(3, world_counts(&self->world));
	EXPECT_EQ(3, world_counts(&two));
	close_below(&two);
}

/* A policy at a fifth level could not be seen by the programs. */
TEST_F(process, too_many_levels)
{
	struct error *err = NULL;
	int error = 0;

	for (uint32_t level = 2; level <= AL_MAX_LEVELS + 1 && !error; level++) {
		error = guard_policy_add(self->world.guard, level, level,
					 self->world.rules, WORLD_NR, &err);
		if (!error)
			EXPECT_EQ(0, guard_policy_remove(self->world.guard,
							 level));
	}
	EXPECT_EQ(-ENOSPC, error);
	EXPECT_EQ(ERROR_CONFIG, error_kind_of(err));
	error_free(err);
}
