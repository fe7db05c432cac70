// SPDX-License-Identifier: GPL-2.0-only
/*
 * Programs and code: by name, as a script, by descriptor, as a mapping, and
 * from memory that has no name.
 */
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <linux/fs.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "guard_world.h"
#include "harness.h"

#ifdef __x86_64__
#define LOADER "/lib64/ld-linux-x86-64.so.2"
#else
#define LOADER "/lib/ld-linux-aarch64.so.1"
#endif

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

static char *no_environment[] = { NULL };

/* A program that runs ends with 0, as if the call had returned that. */
static int execute(const char *path)
{
	char name[] = "program";
	char *arguments[] = { name, NULL };

	execve(path, arguments, no_environment);
	return errno;
}

static void copy_file(const char *from, const char *to)
{
	cleanup_close int in = open(from, O_RDONLY | O_CLOEXEC);
	cleanup_close int out = open(to, O_CREAT | O_WRONLY | O_CLOEXEC, 0777);
	char block[65536];
	ssize_t n;

	ASSERT_GE(in, 0);
	ASSERT_GE(out, 0);
	while ((n = read(in, block, sizeof(block))) > 0)
		ASSERT_EQ(n, write(out, block, n));
	ASSERT_EQ(0, fchmod(out, 0777));
}

static void expect_denied(struct world *world, uint32_t hook, uint32_t object,
			  uint32_t operation)
{
	const struct al_event *event;

	EXPECT_EQ(1, world_count(world, object, operation, true));
	world_read(world);
	for (int i = 0; i < world->nr_events; i++) {
		event = &world->event[i];
		if (!event->missing)
			continue;
		EXPECT_EQ(hook, event->hook);
		EXPECT_EQ(object, event->object);
		EXPECT_EQ(operation, event->missing);
		return;
	}
	EXPECT_TRUE(false) {
		TH_LOG("no event of a denial");
	}
}

static int run_program(void)
{
	return execute("work/prog");
}

TEST_BOTH(program)
{
	world_arm(world, AL_MODE_ENFORCE);
	EXPECT_EQ(0, world_run(world, run_program));
	EXPECT_EQ(1, world_count(world, WORLD_WORK, AL_OP_EXECUTE, false));
	EXPECT_EQ(1, world_count(world, WORLD_WORK, AL_OP_MAP, false));
	/* The open that exec does is no read. */
	EXPECT_EQ(0, world_count(world, WORLD_WORK, AL_OP_READ, false));
	EXPECT_EQ(2, world_counts(world));

	world->rules[WORLD_WORK].allow &= ~AL_OP_EXECUTE;
	world_arm(world, AL_MODE_ENFORCE);
	EXPECT_EQ(EACCES, world_run(world, run_program));
	EXPECT_EQ(1, world_counts(world));
	expect_denied(world, AL_HOOK_BPRM_CHECK, WORLD_WORK, AL_OP_EXECUTE);

	world->rules[WORLD_WORK].allow = AL_OP_EXECUTE | AL_OP_MAP;
	world_arm(world, AL_MODE_ENFORCE);
	EXPECT_EQ(0, world_run(world, run_program));
}

/* Too late for an error: the kernel has replaced the caller. */
static int run_unmappable(void)
{
	pid_t pid = fork();
	int status;

	if (pid == 0)
		_exit(execute("work/prog"));
	if (waitpid(pid, &status, 0) != pid)
		return errno;
	return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

TEST_BOTH(program_not_mappable)
{
	world->rules[WORLD_WORK].allow &= ~AL_OP_MAP;
	world_arm(world, AL_MODE_ENFORCE);
	EXPECT_NE(0, world_run(world, run_unmappable));
	expect_denied(world, AL_HOOK_MMAP_FILE, WORLD_WORK, AL_OP_MAP);
}

static int run_script(void)
{
	return execute("other/script");
}

TEST_BOTH(script)
{
	copy_file("work/script", "other/script");
	world_arm(world, AL_MODE_ENFORCE);
	EXPECT_EQ(0, world_run(world, run_script));
	EXPECT_EQ(1, world_count(world, WORLD_OTHER, AL_OP_EXECUTE, false));
	EXPECT_EQ(1, world_count(world, WORLD_WORK, AL_OP_EXECUTE, false));

	/* Neither the script nor its interpreter alone. */
	world->rules[WORLD_OTHER].allow &= ~AL_OP_EXECUTE;
	world_arm(world, AL_MODE_ENFORCE);
	EXPECT_EQ(EACCES, world_run(world, run_script));
	expect_denied(world, AL_HOOK_BPRM_CHECK, WORLD_OTHER, AL_OP_EXECUTE);
	world_allow(world, WORLD_ALL);
	world->rules[WORLD_WORK].allow &= ~AL_OP_EXECUTE;
	world_arm(world, AL_MODE_ENFORCE);
	EXPECT_EQ(EACCES, world_run(world, run_script));
	expect_denied(world, AL_HOOK_BPRM_CHECK, WORLD_WORK, AL_OP_EXECUTE);
}

/* A copy is another object, in the class it lies in. */
static int run_copy(void)
{
	return execute("other/prog");
}

TEST_BOTH(copy)
{
	world->rules[WORLD_OTHER].allow &= ~AL_OP_EXECUTE;
	world_arm(world, AL_MODE_ENFORCE);
	copy_file("work/prog", "other/prog");
	EXPECT_EQ(EACCES, world_run(world, run_copy));
	EXPECT_EQ(0, world_run(world, run_program));
}

static int run_by_descriptor(void)
{
	cleanup_close int fd = open("work/prog", O_PATH | O_CLOEXEC);
	char name[] = "program";
	char *arguments[] = { name, NULL };

	if (fd < 0)
		return errno;
	syscall(SYS_execveat, fd, "", arguments, no_environment, AT_EMPTY_PATH);
	return errno;
}

TEST_BOTH(descriptor)
{
	world_arm(world, AL_MODE_ENFORCE);
	EXPECT_EQ(0, world_run(world, run_by_descriptor));
	world->rules[WORLD_WORK].allow &= ~AL_OP_EXECUTE;
	world_arm(world, AL_MODE_ENFORCE);
	EXPECT_EQ(EACCES, world_run(world, run_by_descriptor));
	expect_denied(world, AL_HOOK_BPRM_CHECK, WORLD_WORK, AL_OP_EXECUTE);
}

/* ---- dynamic programs */

static int run_dynamic(void)
{
	return execute("work/true");
}

static int run_by_loader(void)
{
	char loader[] = "ld.so", program[] = "work/true";
	char *arguments[] = { loader, program, NULL };

	/* It complains. */
	if (dup2(memfd_create("complaint", 0), STDERR_FILENO) < 0)
		return errno;
	execve(LOADER, arguments, no_environment);
	return errno;
}

TEST_BOTH(loader)
{
	copy_file("/bin/true", "work/true");
	world_arm(world, AL_MODE_ENFORCE);
	EXPECT_EQ(0, world_run(world, run_dynamic));
	EXPECT_EQ(0, world_run(world, run_by_loader));

	/* "ld.so program" executes only ld.so, and maps the program. */
	world->rules[WORLD_WORK].allow &= ~AL_OP_EXECUTE;
	world_arm(world, AL_MODE_ENFORCE);
	EXPECT_EQ(EACCES, world_run(world, run_dynamic));
	EXPECT_EQ(0, world_run(world, run_by_loader));
	world->rules[WORLD_WORK].allow &= ~AL_OP_MAP;
	world_arm(world, AL_MODE_ENFORCE);
	EXPECT_NE(0, world_run(world, run_by_loader));
	expect_denied(world, AL_HOOK_MMAP_FILE, WORLD_WORK, AL_OP_MAP);
}

/* ---- mappings */

static int protection, flags;

static int map_file(void)
{
	cleanup_close int fd = open("work/file", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return errno;
	return mmap(NULL, 4096, protection, flags, fd, 0) == MAP_FAILED ? errno :
									  0;
}

TEST_BOTH(mapping)
{
	world->rules[WORLD_WORK].allow &= ~AL_OP_MAP;
	world_arm(world, AL_MODE_ENFORCE);
	flags = MAP_PRIVATE;
	protection = PROT_READ;
	EXPECT_EQ(0, world_run(world, map_file));
	protection = PROT_READ | PROT_EXEC;
	EXPECT_EQ(EACCES, world_run(world, map_file));
	flags = MAP_SHARED;
	EXPECT_EQ(EACCES, world_run(world, map_file));
	EXPECT_EQ(2, world_count(world, WORLD_WORK, AL_OP_MAP, true));
	world_allow(world, WORLD_ALL);
	world_arm(world, AL_MODE_ENFORCE);
	EXPECT_EQ(0, world_run(world, map_file));
}

static int map_and_change(void)
{
	cleanup_close int fd = open("work/file", O_RDONLY | O_CLOEXEC);
	void *address;

	if (fd < 0)
		return errno;
	address = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
	if (address == MAP_FAILED)
		return errno;
	return mprotect(address, 4096, PROT_READ | PROT_EXEC) ? errno : 0;
}

TEST(mapping_changed)
{
	static struct world world;

	world_open(&world, test_dir(), WORLD_TMPFS);
	world_arm(&world, AL_MODE_ENFORCE);
	EXPECT_EQ(0, world_run(&world, map_and_change));
	EXPECT_EQ(1, world_count(&world, WORLD_WORK, AL_OP_MAP, false));
	world.rules[WORLD_WORK].allow &= ~AL_OP_MAP;
	world_arm(&world, AL_MODE_ENFORCE);
	EXPECT_EQ(EACCES, world_run(&world, map_and_change));
	expect_denied(&world, AL_HOOK_FILE_MPROTECT, WORLD_WORK, AL_OP_MAP);
	world_close(&world);
}

/*
 * Where a mapping keeps the layer's file, it is refused even if the overlay's
 * object could be mapped: closed, but not exact. See bpf/exec.bpf.c.
 */
TEST(mapping_changed_overlay)
{
	static struct world world;
	int error;

	world_open(&world, test_dir(), WORLD_OVERLAY);
	world.rules[WORLD_WORK].allow &= ~AL_OP_MAP;
	world_arm(&world, AL_MODE_ENFORCE);
	EXPECT_EQ(EACCES, world_run(&world, map_and_change));
	world_allow(&world, WORLD_ALL);
	world_arm(&world, AL_MODE_ENFORCE);
	error = world_run(&world, map_and_change);
	EXPECT_TRUE(error == 0 || error == EACCES);
	TH_LOG("mprotect() of a granted file on an overlay: %s",
	       strerror(error));
	EXPECT_EQ(0, map_and_change());
	world_close(&world);
}

/* Memory of a process's own is not represented. */
static int map_anonymous(void)
{
	void *address = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (address == MAP_FAILED)
		return errno;
	return mprotect(address, 4096, PROT_READ | PROT_EXEC) ? errno : 0;
}

TEST(mapping_anonymous)
{
	static struct world world;

	world_open(&world, test_dir(), WORLD_TMPFS);
	world_allow(&world, 0);
	world_arm(&world, AL_MODE_ENFORCE);
	EXPECT_EQ(0, world_run(&world, map_anonymous));
	EXPECT_EQ(0, world_counts(&world));
	world_close(&world);
}

/* ---- memory with a descriptor */

static int make_memory(void)
{
	int fd = memfd_create("program", MFD_CLOEXEC);
	cleanup_close int in = open("work/prog", O_RDONLY | O_CLOEXEC);
	char block[65536];
	ssize_t n;

	while (fd >= 0 && in >= 0 && (n = read(in, block, sizeof(block))) > 0)
		if (write(fd, block, n) != n)
			return -1;
	return fd;
}

static int run_memory(void)
{
	cleanup_close int fd = make_memory();
	cleanup_free char *path = xasprintf("/proc/self/fd/%d", fd);

	return fd < 0 ? errno : execute(path);
}

static int map_memory(void)
{
	cleanup_close int fd = make_memory();

	return mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0) ==
			       MAP_FAILED ?
		       errno :
		       0;
}

static int read_memory(void)
{
	cleanup_close int fd = make_memory();
	cleanup_free char *path = xasprintf("/proc/self/fd/%d", fd);
	cleanup_close int again = open(path, O_RDWR | O_CLOEXEC);

	return again < 0 ? errno : 0;
}

/* Outside, in a child: it replaces its caller. */
static int in_child(int (*act)(void))
{
	pid_t pid = fork();
	int status;

	if (pid == 0)
		_exit(act());
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	return WEXITSTATUS(status);
}

TEST(memory)
{
	static struct world world;

	world_open(&world, test_dir(), WORLD_TMPFS);
	world_arm(&world, AL_MODE_ENFORCE);
	EXPECT_EQ(EACCES, world_run(&world, run_memory));
	expect_denied(&world, AL_HOOK_BPRM_CHECK, AL_OBJECT_NONE,
		      AL_OP_EXECUTE);
	EXPECT_EQ(EACCES, world_run(&world, map_memory));
	EXPECT_EQ(0, world_run(&world, read_memory));
	EXPECT_EQ(0, in_child(run_memory));
	EXPECT_EQ(0, in_child(map_memory));
	world_close(&world);
}

/* ---- a file that no prepared map knows */

static int run_nameless(void)
{
	int fd = open("work", O_TMPFILE | O_RDWR | O_CLOEXEC, 0777);
	cleanup_close int in = open("work/prog", O_RDONLY | O_CLOEXEC);
	cleanup_free char *path = xasprintf("/proc/self/fd/%d", fd);
	char block[65536];
	ssize_t n;

	if (fd < 0 || in < 0)
		return errno;
	while ((n = read(in, block, sizeof(block))) > 0)
		if (write(fd, block, n) != n)
			return errno;
	if (linkat(AT_FDCWD, path, AT_FDCWD, "work/new", AT_SYMLINK_FOLLOW))
		return errno;
	close(fd);
	return execute("work/new");
}

TEST(nameless)
{
	static struct world world;

	world_open(&world, test_dir(), WORLD_TMPFS);
	world_arm(&world, AL_MODE_ENFORCE);
	EXPECT_EQ(0, world_run(&world, run_nameless));
	ASSERT_EQ(0, unlink("work/new"));
	world.rules[WORLD_WORK].allow &= ~AL_OP_EXECUTE;
	world_arm(&world, AL_MODE_ENFORCE);
	EXPECT_EQ(EACCES, world_run(&world, run_nameless));
	expect_denied(&world, AL_HOOK_BPRM_CHECK, WORLD_WORK, AL_OP_EXECUTE);
	world_close(&world);
}
