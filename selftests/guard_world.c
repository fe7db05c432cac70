// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "guard_world.h"

static struct guard *attached;
static struct error *attach_error;

__attribute__((constructor)) static void attach_early(void)
{
	if (!&world_attaches_late)
		guard_open(&attached, &attach_error);
}

__attribute__((destructor)) static void detach(void)
{
	guard_close(attached);
	error_free(attach_error);
}

static void fail(const char *what, const struct error *err)
{
	printf("%s failed\n", what);
	for (; err; err = err->cause)
		printf("  %s\n", err->message);
	fflush(stdout);
	/* The harness takes an exit() for a failure. */
	exit(1);
}

static void fail_errno(const char *what)
{
	printf("%s: %s\n", what, strerror(errno));
	fail(what, NULL);
}

void world_must(int error, struct error *err, const char *what)
{
	if (error)
		fail(what, err);
	error_free(err);
}

#define MUST(call)                                                             \
	do {                                                                   \
		if ((call) < 0)                                                \
			fail_errno(#call);                                     \
	} while (0)

/* ---- the file system */

static void touch(const char *path, mode_t mode, const char *content)
{
	cleanup_close int fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, mode);

	MUST(fd);
	MUST(write(fd, content, strlen(content)));
	MUST(fchmod(fd, mode));
}

static void make_directory(const char *path)
{
	MUST(mkdir(path, 0777));
	MUST(chmod(path, 0777));
}

static void copy_program(const char *to)
{
	cleanup_close int in =
		open(TEST_BUILD "/selftests/guard_program", O_RDONLY | O_CLOEXEC);
	cleanup_close int out =
		open(to, O_CREAT | O_WRONLY | O_CLOEXEC, 0777);
	char block[65536];
	ssize_t n;

	MUST(in);
	MUST(out);
	while ((n = read(in, block, sizeof(block))) > 0)
		MUST(write(out, block, n));
	MUST(fchmod(out, 0777));
}

static void fill(void)
{
	umask(0);
	make_directory("work");
	make_directory("work/sub");
	make_directory("work/sub/deep");
	make_directory("work/empty");
	make_directory("work/full");
	touch("work/file", 0666, "content\n");
	touch("work/two", 0666, "content\n");
	touch("work/twin", 0666, "content\n");
	touch("work/sub/deep/file", 0666, "content\n");
	touch("work/full/x", 0666, "content\n");
	touch("work/script", 0777, "#!work/prog\n");
	copy_program("work/prog");
	make_directory("narrow");
	touch("narrow/file", 0666, "content\n");
	make_directory("other");
	touch("other/file", 0666, "content\n");
	make_directory("keys");
	touch("keys/secret", 0666, "content\n");
	make_directory("keys/folder");
	touch("keys/folder/inner", 0666, "content\n");
	MUST(link("keys/secret", "work/alias"));
	MUST(link("work/twin", "other/twin"));
}

static void label(struct world *world, const char *path, uint32_t object,
		  uint32_t flags)
{
	struct error *err = NULL;
	/* Kept open until the test ends: the label lives as long. */
	int fd = open(path, O_PATH | O_CLOEXEC);

	MUST(fd);
	world_must(guard_label(world->guard, fd, object, flags, &err), err,
		   path);
}

static void slot(struct world *world, uint32_t parent, const char *name,
		 uint32_t object, uint32_t flags)
{
	struct error *err = NULL;

	world_must(guard_slot(world->guard, parent, name, object, flags, &err),
		   err, name);
}

static void label_all(struct world *world)
{
	const uint32_t component = AL_LABEL_TREE | AL_LABEL_SLOTTED;

	label(world, "/", WORLD_SYSTEM, AL_LABEL_TREE);
	label(world, ".", WORLD_SYSTEM, AL_LABEL_TREE);
	label(world, "work", WORLD_WORK, AL_LABEL_TREE);
	label(world, "narrow", WORLD_NARROW, AL_LABEL_TREE);
	label(world, "other", WORLD_OTHER, AL_LABEL_TREE);
	label(world, "keys", WORLD_KEYS, component);
	label(world, "keys/secret", WORLD_SECRET, 0);
	label(world, "keys/folder", WORLD_FOLDER, component);
	label(world, "keys/folder/inner", WORLD_INNER, 0);
	slot(world, WORLD_KEYS, "secret", WORLD_SECRET, 0);
	slot(world, WORLD_KEYS, "folder", WORLD_FOLDER, component);
	slot(world, WORLD_FOLDER, "inner", WORLD_INNER, 0);
}

/* index=on is what makes hard links one inode: it must really be on. */
static void check_index(const char *root)
{
	cleanup_file FILE *mounts = fopen("/proc/self/mountinfo", "re");
	char line[4096];
	bool found = false;

	if (!mounts)
		fail_errno("/proc/self/mountinfo");
	while (fgets(line, sizeof(line), mounts))
		if (strstr(line, root) && strstr(line, "index=on"))
			found = true;
	if (!found)
		fail("index=on", NULL);
}

static void mount_overlay(const char *dir, const char *root)
{
	cleanup_free char *options = xasprintf(
		"lowerdir=%s/lower,upperdir=%s/upper/u,workdir=%s/upper/w,"
		"index=on",
		dir, dir, dir);

	MUST(mount("overlay", root, "overlay", 0, options));
	check_index(root);
}

static void make_root(struct world *world, const char *dir,
		      enum world_kind kind)
{
	cleanup_free char *lower = xasprintf("%s/lower", dir);
	cleanup_free char *upper = xasprintf("%s/upper", dir);

	MUST(unshare(CLONE_NEWNS));
	MUST(mount(NULL, "/", NULL, MS_PRIVATE | MS_REC, NULL));
	world->root = xasprintf("%s/root", dir);
	MUST(mkdir(world->root, 0777));
	MUST(mkdir(lower, 0777));
	MUST(mkdir(upper, 0777));
	MUST(mount("lower", lower, "tmpfs", 0, "mode=777"));
	MUST(mount("upper", upper, "tmpfs", 0, "mode=777"));
	MUST(chdir(upper));
	make_directory("u");
	make_directory("w");
	MUST(chdir(lower));
	fill();
	if (kind == WORLD_OVERLAY)
		mount_overlay(dir, world->root);
	else
		MUST(mount(lower, world->root, NULL, MS_BIND, NULL));
	MUST(chdir(world->root));
}

/* ---- the cgroup */

static void find_cgroups(char *ret, size_t size)
{
	cleanup_file FILE *mounts = fopen("/proc/mounts", "re");
	char type[64], path[200];

	if (!mounts)
		fail_errno("/proc/mounts");
	while (fscanf(mounts, "%*s %199s %63s %*[^\n]", path, type) == 2) {
		if (!strcmp(type, "cgroup2")) {
			snprintf(ret, size, "%s", path);
			return;
		}
	}
	fail("cgroup2", NULL);
}

static void make_cgroup(struct world *world)
{
	struct stat stat;
	char top[200];

	find_cgroups(top, sizeof(top));
	world->path = xasprintf("%s/guard-test-%d", top, getpid());
	MUST(mkdir(world->path, 0755));
	world->level = 1;
	world->dir = open(world->path, O_DIRECTORY | O_CLOEXEC);
	MUST(world->dir);
	world->procs = openat(world->dir, "cgroup.procs", O_WRONLY | O_CLOEXEC);
	MUST(world->procs);
	MUST(fstat(world->dir, &stat));
	world->cgroup = stat.st_ino;
}

void world_open(struct world *world, const char *dir, enum world_kind kind)
{
	if (&world_attaches_late)
		guard_open(&attached, &attach_error);
	if (!attached)
		fail("attaching the guard", attach_error);
	memset(world, 0, sizeof(*world));
	world->guard = attached;
	make_cgroup(world);
	make_root(world, dir, kind);
	label_all(world);
	world_allow(world, WORLD_ALL);
}

void world_close(struct world *world)
{
	guard_events_close(world->events);
	guard_policy_remove(world->guard, world->cgroup);
	close(world->procs);
	close(world->dir);
	MUST(chdir("/"));
	/* The last process may not be gone yet. */
	for (int i = 0; rmdir(world->path) && errno == EBUSY && i < 200; i++)
		usleep(10000);
	free(world->path);
	free(world->root);
	if (&world_attaches_late) {
		guard_close(attached);
		attached = NULL;
	}
}

/* ---- the policy */

void world_allow(struct world *world, uint32_t operations)
{
	for (int i = WORLD_SYSTEM; i < WORLD_NR; i++)
		world->rules[i].allow = operations;
}

void world_arm(struct world *world, uint32_t mode)
{
	struct error *err = NULL;

	guard_events_close(world->events);
	world->events = NULL;
	world->nr_events = 0;
	world_must(guard_policy_remove(world->guard, world->cgroup), NULL,
		   "removing the policy");
	world_must(guard_policy_add(world->guard, world->cgroup, world->level,
				    world->rules, WORLD_NR, &err),
		   err, "adding the policy");
	world_must(guard_policy_mode(world->guard, world->cgroup, mode, &err),
		   err, "arming the policy");
}

int world_run(struct world *world, int (*act)(void))
{
	int status;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		if (write(world->procs, "0", 1) != 1)
			_exit(255);
		_exit(act());
	}
	MUST(pid);
	MUST(waitpid(pid, &status, 0));
	if (!WIFEXITED(status)) {
		printf("killed by signal %d\n", WTERMSIG(status));
		return 254;
	}
	return WEXITSTATUS(status);
}

static void read_counts(struct world *world, struct al_count *counts)
{
	struct error *err = NULL;

	world_must(guard_policy_counts(world->guard, world->cgroup, counts,
				       WORLD_NR, &err),
		   err, "reading the counters");
}

uint64_t world_count(struct world *world, uint32_t object, uint32_t operation,
		     bool denied)
{
	struct al_count counts[WORLD_NR];
	int nr = __builtin_ctz(operation);

	read_counts(world, counts);
	return denied ? counts[object].denied[nr] : counts[object].allowed[nr];
}

uint64_t world_counts(struct world *world)
{
	struct al_count counts[WORLD_NR];
	uint64_t sum = 0;

	read_counts(world, counts);
	for (int i = 0; i < WORLD_NR; i++)
		for (int nr = 0; nr < AL_NR_OPERATIONS; nr++)
			sum += counts[i].allowed[nr] + counts[i].denied[nr];
	return sum;
}

static void take_event(const struct al_event *event, void *context)
{
	struct world *world = context;

	if (world->nr_events < (int)ARRAY_SIZE(world->event))
		world->event[world->nr_events] = *event;
	world->nr_events++;
}

void world_read(struct world *world)
{
	struct error *err = NULL;

	if (!world->events)
		world_must(guard_events_open(world->guard, world->cgroup,
					     take_event, world, &world->events,
					     &err),
			   err, "opening the ring");
	world->nr_events = 0;
	if (guard_events_read(world->events) < 0)
		fail("reading the ring", NULL);
}

const struct al_event *world_find(struct world *world, uint32_t hook,
				  uint32_t object)
{
	for (int i = 0; i < world->nr_events; i++)
		if (world->event[i].hook == hook &&
		    world->event[i].object == object)
			return &world->event[i];
	return NULL;
}
