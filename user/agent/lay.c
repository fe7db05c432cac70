// SPDX-License-Identifier: GPL-2.0-only
#include "lay.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/memory.h"
#include "progress.h"

enum {
	MAX_DEPTH = 128,
	MAX_REPORTED = 20,
	BLOCK = 4096, /* what a file system allocates at once, at most */
};

/**
 * struct place - one directory of both trees, during the walk
 * @from:	in the solution
 * @to:		in the workspace; -1: only measuring
 * @path:	relative to both roots, for messages
 * @depth:	below the roots
 */
struct place {
	int from;
	int to;
	const char *path;
	unsigned int depth;
};

struct lay {
	struct laid *laid;
	uint64_t size;
};

static void broken(struct lay *lay, const char *path)
{
	int code = errno;

	lay->laid->broken = true;
	progress(json_pack("{s:s s:o s:s}", "step", "solution-broken", "path",
			   progress_text(path, strlen(path)), "error",
			   strerror(code)));
}

static void refused(struct lay *lay, const char *path)
{
	int code = errno;

	if (lay->laid->refused++ >= MAX_REPORTED)
		return;
	progress(json_pack("{s:s s:o s:s}", "step", "refused", "path",
			   progress_text(path, strlen(path)), "error",
			   strerror(code)));
}

/*
 * What lies in the way of a new entry goes, unless it is a directory with
 * something in it.
 */
static int make_way(int to, const char *name)
{
	if (!unlinkat(to, name, 0) || errno == ENOENT)
		return 0;
	return errno == EISDIR ? unlinkat(to, name, AT_REMOVEDIR) : -1;
}

/* Where the file's bytes go: descriptor or -1. */
static int file_open(int to, const char *name, mode_t mode)
{
	int fd cleanup_close = -1;
	struct stat st;

	if (fstatat(to, name, &st, AT_SYMLINK_NOFOLLOW) ||
	    !S_ISREG(st.st_mode) || st.st_nlink != 1) {
		if (make_way(to, name))
			return -1;
		return openat(to, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
			      mode);
	}
	fd = openat(to, name, O_WRONLY | O_TRUNC | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0 && (st.st_mode ^ mode) & 0111 && fchmod(fd, mode))
		return -1;
	return take_fd(&fd);
}

static void lay_file(struct lay *lay, const struct place *place,
		     const char *name, const char *path, mode_t mode)
{
	char chunk[65536];
	int from cleanup_close = -1, to cleanup_close = -1;
	ssize_t nr;

	from = openat(place->from, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	if (from < 0) {
		broken(lay, path);
		return;
	}
	to = file_open(place->to, name, mode);
	if (to < 0) {
		refused(lay, path);
		return;
	}
	while ((nr = read(from, chunk, sizeof(chunk))) > 0) {
		int code = fd_write_all(to, chunk, (size_t)nr);

		if (code) {
			errno = -code;
			refused(lay, path);
			return;
		}
	}
	if (nr < 0)
		broken(lay, path);
	else
		lay->laid->files++;
}

static void lay_symlink(struct lay *lay, const struct place *place,
			const char *name, const char *path)
{
	char target[PATH_MAX];
	ssize_t nr = readlinkat(place->from, name, target, sizeof(target) - 1);

	if (nr < 0) {
		broken(lay, path);
		return;
	}
	target[nr] = '\0';
	if (make_way(place->to, name) || symlinkat(target, place->to, name))
		refused(lay, path);
	else
		lay->laid->files++;
}

/* The workspace's directory of that name, made if need be. */
static int directory_open(int to, const char *name, mode_t mode)
{
	const int flags = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	int fd = openat(to, name, flags);

	if (fd >= 0 || (errno != ENOENT && errno != ENOTDIR && errno != ELOOP))
		return fd;
	if (make_way(to, name) || mkdirat(to, name, mode))
		return -1;
	return openat(to, name, flags);
}

static void walk(struct lay *lay, const struct place *place);

static void lay_directory(struct lay *lay, const struct place *place,
			  const char *name, const char *path, mode_t mode)
{
	struct place below = {
		.from = openat(place->from, name,
			       O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC),
		.to = -1,
		.path = path,
		.depth = place->depth + 1,
	};

	if (below.from < 0) {
		broken(lay, path);
		return;
	}
	if (place->to >= 0)
		below.to = directory_open(place->to, name, mode);
	if (place->to >= 0 && below.to < 0)
		refused(lay, path);
	else
		walk(lay, &below);
	close(below.from);
	if (below.to >= 0)
		close(below.to);
}

static void entry(struct lay *lay, const struct place *place, const char *name)
{
	char *path cleanup_free =
		*place->path ? xasprintf("%s/%s", place->path, name)
			     : xstrdup(name);
	struct stat st;
	mode_t mode;

	if (fstatat(place->from, name, &st, AT_SYMLINK_NOFOLLOW)) {
		broken(lay, path);
		return;
	}
	mode = st.st_mode & 0777;
	/* The blocks, the inode, the name. */
	lay->size += ((uint64_t)st.st_size / BLOCK + 3) * BLOCK;
	if (S_ISDIR(st.st_mode)) {
		lay_directory(lay, place, name, path, mode | 0700);
	} else if (place->to < 0) {
		return;
	} else if (S_ISREG(st.st_mode)) {
		lay_file(lay, place, name, path, mode);
	} else if (S_ISLNK(st.st_mode)) {
		lay_symlink(lay, place, name, path);
	} else {
		errno = EINVAL;
		broken(lay, path);
	}
}

static int visible(const struct dirent *dirent)
{
	return strcmp(dirent->d_name, ".") && strcmp(dirent->d_name, "..");
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

/* In order of the names, so that every branch does the same in the same order. */
static void walk(struct lay *lay, const struct place *place)
{
	struct dirent **names;
	int nr, i;

	if (place->depth > MAX_DEPTH) {
		errno = ELOOP;
		broken(lay, place->path);
		return;
	}
	nr = scandirat(place->from, ".", &names, visible, by_name);
	if (nr < 0) {
		broken(lay, place->path);
		return;
	}
	for (i = 0; i < nr; i++) {
		entry(lay, place, names[i]->d_name);
		free(names[i]);
	}
	free(names);
}

void lay_over(int from, int to, struct laid *ret)
{
	struct place root = { .from = from, .to = to, .path = "" };
	struct lay lay = { .laid = ret };

	/* The solution's modes are meant as they are. */
	umask(0);
	walk(&lay, &root);
}

uint64_t lay_size(int from)
{
	struct place root = { .from = from, .to = -1, .path = "" };
	struct laid laid = { 0 };
	struct lay lay = { .laid = &laid };

	walk(&lay, &root);
	return lay.size;
}
