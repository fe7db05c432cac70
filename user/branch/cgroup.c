// SPDX-License-Identifier: GPL-2.0-only
#include "branch/cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/memory.h"
#include "branch/mounts.h"

/* The kernel's fixed inode number of the first cgroup namespace. */
#define INITIAL_CGROUP_NAMESPACE "cgroup:[4026531835]"

static int write_at(int dirfd, const char *file, const char *text)
{
	int fd cleanup_close = openat(dirfd, file, O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	return fd_write_all(fd, text, strlen(text));
}

static int read_at(int dirfd, const char *file, struct buffer *ret)
{
	int fd cleanup_close = openat(dirfd, file, O_RDONLY | O_CLOEXEC);

	return fd < 0 ? -errno : fd_read_all(fd, 65536, ret);
}

static uint32_t depth(const char *path)
{
	uint32_t nr = 0;

	for (; *path; path++)
		nr += path[0] == '/' && path[1] && path[1] != '/';
	return nr;
}

static int open_cgroup(const char *path, uint32_t level, struct cgroup *ret)
{
	int fd cleanup_close =
		open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		return -errno;
	ret->id = st.st_ino;
	ret->level = level;
	ret->fd = take_fd(&fd);
	return 0;
}

/*
 * Can cgroups be made here? Making one to see it could leave it behind; root
 * is refused only by a read-only mount, as containers have it.
 */
static int try_cgroup(const struct cgroup *cgroup)
{
	return faccessat(cgroup->fd, ".", W_OK, 0) ? -errno : 0;
}

/* Path of our own cgroup below the mount, from "0::/path". */
static char *own_path(void)
{
	struct buffer text cleanup_buffer = { 0 };
	const char *line;

	if (read_at(AT_FDCWD, "/proc/self/cgroup", &text))
		return NULL;
	line = buffer_text(&text);
	while (line && strncmp(line, "0::", 3)) {
		line = strchr(line, '\n');
		line = line ? line + 1 : NULL;
	}
	if (!line)
		return NULL;
	return xmemdup0(line + 3, strcspn(line + 3, "\n"));
}

static int check_namespace(struct error **err)
{
	char link[64];
	ssize_t nr = readlink("/proc/self/ns/cgroup", link, sizeof(link) - 1);

	if (nr < 0)
		return error_set(err, ERROR_MACHINE, errno,
				 "/proc/self/ns/cgroup: %s", strerror(errno));
	link[nr] = '\0';
	if (!strcmp(link, INITIAL_CGROUP_NAMESPACE))
		return 0;
	error_set(err, ERROR_MACHINE, EINVAL,
		  "this is a container with a cgroup namespace of its own");
	error_hint(err, "give it the host's (--cgroupns=host)");
	return -EINVAL;
}

int cgroup_hierarchy(struct cgroup *ret, char **ret_path, struct error **err)
{
	struct arena *arena cleanup_arena = arena_new();
	const struct mount *mount = NULL;
	struct mount *mounts;
	char *own cleanup_free = NULL;
	char *path cleanup_free = NULL;
	size_t nr, i;
	int code;

	code = check_namespace(err);
	if (!code)
		code = mounts_read(arena, &mounts, &nr, err);
	if (code)
		return code;
	for (i = 0; i < nr && !mount; i++)
		if (!strcmp(mounts[i].type, "cgroup2"))
			mount = &mounts[i];
	if (!mount) {
		error_set(err, ERROR_MACHINE, ENODEV,
			  "cgroup v2 is not mounted");
		error_hint(err, "mount -t cgroup2 cgroup2 /sys/fs/cgroup");
		return -ENODEV;
	}
	path = xstrdup(mount->point);
	code = open_cgroup(path, depth(mount->root), ret);
	if (!code)
		code = try_cgroup(ret);
	own = code ? own_path() : NULL;
	/* Only what is below the mount's root can be reached through it. */
	if (own && (path_below(own, mount->root))) {
		const char *below = own;

		if (strcmp(mount->root, "/"))
			below += strlen(mount->root);
		free(path);
		path = xasprintf("%s%s", mount->point, below);
		cgroup_done(ret);
		code = open_cgroup(path, depth(own), ret);
		if (!code)
			code = try_cgroup(ret);
	}
	if (code) {
		cgroup_done(ret);
		return error_set(err,
				 code == -EACCES || code == -EPERM
					 ? ERROR_PERMISSION
					 : ERROR_MACHINE,
				 code, "%s: cannot make a cgroup: %s", path,
				 strerror(-code));
	}
	*ret_path = take_ptr(path);
	return 0;
}

int cgroup_make(const struct cgroup *parent, const char *name,
		struct cgroup *ret, struct error **err)
{
	int fd cleanup_close = -1;
	struct stat st;

	if (mkdirat(parent->fd, name, 0755))
		return error_set(err, ERROR_MACHINE, errno,
				 "cannot make the cgroup %s: %s", name,
				 strerror(errno));
	fd = openat(parent->fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st))
		return error_set(err, ERROR_MACHINE, errno, "cgroup %s: %s",
				 name, strerror(errno));
	if (faccessat(fd, "cgroup.kill", F_OK, 0)) {
		error_set(err, ERROR_MACHINE, errno,
			  "cgroups have no cgroup.kill");
		error_hint(err, "use Linux 6.1 or later");
		unlinkat(parent->fd, name, AT_REMOVEDIR);
		return -ENOTSUP;
	}
	ret->id = st.st_ino;
	ret->level = parent->level + 1;
	ret->fd = take_fd(&fd);
	return 0;
}

unsigned int cgroup_enable(const struct cgroup *cgroup)
{
	unsigned int controllers = 0;

	/* One by one: a single one that is missing would refuse them all. */
	if (!write_at(cgroup->fd, "cgroup.subtree_control", "+memory"))
		controllers |= CGROUP_MEMORY;
	if (!write_at(cgroup->fd, "cgroup.subtree_control", "+pids"))
		controllers |= CGROUP_PIDS;
	return controllers;
}

static int set_number(const struct cgroup *cgroup, const char *file,
		      uint64_t value, struct error **err)
{
	char text[32];
	int code;

	snprintf(text, sizeof(text), "%" PRIu64, value);
	code = write_at(cgroup->fd, file, text);
	if (code)
		return error_set(err, ERROR_MACHINE, code,
				 "cannot set %s to %s: %s", file, text,
				 strerror(-code));
	return 0;
}

int cgroup_limit(const struct cgroup *cgroup, unsigned int controllers,
		 uint64_t memory, uint64_t processes, struct error **err)
{
	int code = 0;

	if (memory && controllers & CGROUP_MEMORY) {
		code = set_number(cgroup, "memory.max", memory, err);
		/* Kernels without swap accounting lack the file. */
		if (!code && !faccessat(cgroup->fd, "memory.swap.max", F_OK, 0))
			code = set_number(cgroup, "memory.swap.max", 0, err);
	}
	if (!code && processes && controllers & CGROUP_PIDS)
		code = set_number(cgroup, "pids.max", processes, err);
	return code;
}

int cgroup_kill(int fd)
{
	return write_at(fd, "cgroup.kill", "1");
}

static int64_t now_ms(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

int cgroup_wait_empty(int fd, unsigned int milliseconds)
{
	int64_t end = now_ms() + milliseconds;
	int events cleanup_close =
		openat(fd, "cgroup.events", O_RDONLY | O_CLOEXEC);

	if (events < 0)
		return -errno;
	for (;;) {
		struct pollfd poll_fd = { .fd = events, .events = POLLPRI };
		char text[256];
		ssize_t nr = pread(events, text, sizeof(text) - 1, 0);
		int64_t left = end - now_ms();

		if (nr < 0)
			return -errno;
		text[nr] = '\0';
		if (strstr(text, "populated 0"))
			return 0;
		if (left <= 0)
			return -ETIMEDOUT;
		/* Notifications are merged by the kernel: look again soon. */
		if (poll(&poll_fd, 1, left < 20 ? (int)left : 20) < 0 &&
		    errno != EINTR)
			return -errno;
	}
}

/* Its own recursion: cgroups nest as deep as the branch could make them. */
static int remove_below(int parent, const char *name, unsigned int level)
{
	DIR *dir cleanup_dir = NULL;
	struct dirent *entry;
	int fd = openat(parent, name,
			O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);

	if (fd < 0)
		return errno == ENOENT ? 0 : -errno;
	dir = fdopendir(fd);
	if (!dir) {
		close(fd);
		return -ENOMEM;
	}
	if (level > 64)
		return -ELOOP;
	while ((entry = readdir(dir)))
		if (entry->d_type == DT_DIR && strcmp(entry->d_name, ".") &&
		    strcmp(entry->d_name, ".."))
			remove_below(fd, entry->d_name, level + 1);
	if (unlinkat(parent, name, AT_REMOVEDIR) && errno != ENOENT)
		return -errno;
	return 0;
}

int cgroup_remove(int parent, const char *name)
{
	/*
	 * A process that has just been reaped may hold its cgroup for a
	 * moment: the kernel answers EBUSY.
	 */
	unsigned int tries;
	int code = 0;

	for (tries = 0; tries < 100; tries++) {
		struct timespec pause = { .tv_nsec = 10000000 };

		code = remove_below(parent, name, 0);
		if (code != -EBUSY)
			return code;
		nanosleep(&pause, NULL);
	}
	return code;
}

void cgroup_done(struct cgroup *cgroup)
{
	if (cgroup->fd >= 0)
		close(cgroup->fd);
	cgroup->fd = -1;
}
