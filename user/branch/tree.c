// SPDX-License-Identifier: GPL-2.0-only
#include "branch/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"

/* ---- walk */

struct walk {
	tree_fn fn;
	void *context;
	size_t entries;
};

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static int failed(struct error **err, const char *path)
{
	int code = errno;

	return error_set(err, ERROR_CONFIG, code, "%s: %s", path,
			 strerror(code));
}

static int read_names(int directory, const char *path, struct arena *arena,
		      char ***ret, size_t *ret_nr, struct error **err)
{
	DIR *dir cleanup_dir = NULL;
	struct dirent *entry;
	char **names = NULL;
	size_t nr = 0;
	int fd = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return failed(err, path);
	dir = fdopendir(fd);
	if (!dir) {
		close(fd);
		return failed(err, path);
	}
	while (errno = 0, (entry = readdir(dir))) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		if (nr == TREE_ENTRIES_MAX)
			return error_set(err, ERROR_CONFIG, E2BIG,
					 "%s: too many files", path);
		*ARENA_PUSH(arena, names, nr) =
			arena_strdup(arena, entry->d_name);
	}
	if (errno)
		return failed(err, path);
	if (nr)
		qsort(names, nr, sizeof(*names), compare_names);
	*ret = names;
	*ret_nr = nr;
	return 0;
}

static int walk_directory(struct walk *walk, int directory, const char *path,
			  unsigned int depth, struct error **err);

static int walk_entry(struct walk *walk, int directory, const char *name,
		      const char *path, unsigned int depth, struct error **err)
{
	int fd cleanup_close = -1;
	struct stat st;
	int next;

	if (++walk->entries > TREE_ENTRIES_MAX)
		return error_set(err, ERROR_CONFIG, E2BIG, "%s: too many files",
				 path);
	if (fstatat(directory, name, &st, AT_SYMLINK_NOFOLLOW))
		return errno == ENOENT ? 0 : failed(err, path);
	next = walk->fn(directory, name, path, &st, walk->context, err);
	if (next < 0 || next == TREE_OVER || !S_ISDIR(st.st_mode))
		return next < 0 ? next : 0;
	fd = openat(directory, name,
		    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return failed(err, path);
	return walk_directory(walk, fd, path, depth + 1, err);
}

static int walk_directory(struct walk *walk, int directory, const char *path,
			  unsigned int depth, struct error **err)
{
	struct arena *arena cleanup_arena = arena_new();
	char **names = NULL;
	size_t nr = 0, i;
	int code;

	if (depth > TREE_DEPTH_MAX)
		return error_set(err, ERROR_CONFIG, ELOOP,
				 "%s: directories are nested too deeply", path);
	code = read_names(directory, *path ? path : ".", arena, &names, &nr,
			  err);
	for (i = 0; !code && i < nr; i++) {
		const char *below =
			*path ? arena_printf(arena, "%s/%s", path, names[i])
			      : names[i];

		code = walk_entry(walk, directory, names[i], below, depth, err);
	}
	return code;
}

int tree_walk(int root, tree_fn fn, void *context, struct error **err)
{
	struct walk walk = { .fn = fn, .context = context };

	return walk_directory(&walk, root, "", 0, err);
}

/* ---- remove */

static int remove_entry(int directory, const char *name, unsigned int depth)
{
	DIR *dir cleanup_dir = NULL;
	struct dirent *entry;
	int fd;

	if (!unlinkat(directory, name, 0) || errno == ENOENT)
		return 0;
	if (errno != EISDIR || depth > PATH_MAX)
		return -errno;
	fd = openat(directory, name,
		    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	dir = fdopendir(fd);
	if (!dir) {
		close(fd);
		return -ENOMEM;
	}
	while ((entry = readdir(dir))) {
		int code;

		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		code = remove_entry(fd, entry->d_name, depth + 1);
		if (code)
			return code;
	}
	return unlinkat(directory, name, AT_REMOVEDIR) ? -errno : 0;
}

int tree_remove(int directory, const char *name, struct error **err)
{
	int code = remove_entry(directory, name, 0);

	if (code)
		return error_set(err, ERROR_MACHINE, code,
				 "%s: cannot be removed: %s", name,
				 strerror(-code));
	return 0;
}

/* ---- copy */

/**
 * struct copy
 * @keep:	of an upper layer: whiteouts come along, sockets and the like
 *		are left out
 */
struct copy {
	int to;
	uid_t uid;
	bool keep;
};

/* The directory in @root that @path is in; not by way of a symlink. */
static int open_target(int root, const char *path, const char **ret_name)
{
	char *copy cleanup_free = xstrdup(path);
	int fd cleanup_close =
		openat(root, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	char *name = copy, *slash;

	while (fd >= 0 && (slash = strchr(name, '/'))) {
		int next;

		*slash = '\0';
		next = openat(fd, name,
			      O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		close(fd);
		fd = next;
		name = slash + 1;
	}
	*ret_name = path + (name - copy);
	return take_fd(&fd);
}

static int write_failed(struct error **err, const char *path)
{
	int code = errno;

	return error_set(err, ERROR_MACHINE, code, "%s: %s", path,
			 strerror(code));
}

static int copy_bytes(int from, int to)
{
	char chunk[65536];

	for (;;) {
		ssize_t nr = read(from, chunk, sizeof(chunk));
		int code;

		if (nr < 0 && errno == EINTR)
			continue;
		if (nr <= 0)
			return nr ? -errno : 0;
		code = fd_write_all(to, chunk, (size_t)nr);
		if (code)
			return code;
	}
}

static int copy_file(int directory, const char *name, int to,
		     const char *to_name, const char *path,
		     const struct stat *st, uid_t uid, struct error **err)
{
	int in cleanup_close =
		openat(directory, name,
		       O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	int out cleanup_close = -1;
	int code;

	if (in < 0)
		return failed(err, path);
	code = tree_remove(to, to_name, err);
	if (code)
		return code;
	out = openat(to, to_name,
		     O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		     0600);
	if (out < 0)
		return write_failed(err, path);
	code = copy_bytes(in, out);
	if (code)
		errno = -code;
	if (code || fchown(out, uid, uid) || fchmod(out, st->st_mode & 0777))
		return write_failed(err, path);
	return 0;
}

static int copy_link(int directory, const char *name, int to,
		     const char *to_name, const char *path, uid_t uid,
		     struct error **err)
{
	char target[PATH_MAX];
	ssize_t nr = readlinkat(directory, name, target, sizeof(target) - 1);
	int code;

	if (nr < 0)
		return failed(err, path);
	target[nr] = '\0';
	code = tree_remove(to, to_name, err);
	if (code)
		return code;
	if (symlinkat(target, to, to_name) ||
	    fchownat(to, to_name, uid, uid, AT_SYMLINK_NOFOLLOW))
		return write_failed(err, path);
	return 0;
}

/* A directory that is there stays as it is; anything else makes room. */
static int copy_directory(int to, const char *to_name, const char *path,
			  const struct stat *st, uid_t uid, struct error **err)
{
	struct stat old;
	int code;

	if (!fstatat(to, to_name, &old, AT_SYMLINK_NOFOLLOW) &&
	    S_ISDIR(old.st_mode))
		return 0;
	code = tree_remove(to, to_name, err);
	if (code)
		return code;
	if (mkdirat(to, to_name, 0700) ||
	    fchownat(to, to_name, uid, uid, AT_SYMLINK_NOFOLLOW) ||
	    fchmodat(to, to_name, st->st_mode & 0777, 0))
		return write_failed(err, path);
	return 0;
}

static int copy_entry(int directory, const char *name, const char *path,
		      const struct stat *st, void *context, struct error **err)
{
	const struct copy *copy = context;
	const char *to_name;
	int to cleanup_close = open_target(copy->to, path, &to_name);
	int code;

	if (to < 0)
		return write_failed(err, path);
	if (S_ISDIR(st->st_mode))
		code = copy_directory(to, to_name, path, st, copy->uid, err);
	else if (S_ISREG(st->st_mode))
		code = copy_file(directory, name, to, to_name, path, st,
				 copy->uid, err);
	else if (S_ISLNK(st->st_mode))
		code = copy_link(directory, name, to, to_name, path, copy->uid,
				 err);
	else if (copy->keep && S_ISCHR(st->st_mode) && !st->st_rdev)
		code = mknodat(to, to_name, S_IFCHR, 0)
			       ? write_failed(err, path)
			       : 0;
	else if (copy->keep)
		code = 0;
	else
		code = error_set(err, ERROR_CONFIG, EINVAL,
				 "%s: neither file, directory nor symlink",
				 path);
	return code ? code : TREE_INTO;
}

int tree_copy(int from, int to, uid_t uid, struct error **err)
{
	struct copy copy = { .to = to, .uid = uid };

	return tree_walk(from, copy_entry, &copy, err);
}

int tree_keep(int from, int to, struct error **err)
{
	struct copy copy = { .to = to, .keep = true };

	return tree_walk(from, copy_entry, &copy, err);
}

int tree_open(int root, const char *path, int flags)
{
	const char *name;
	int directory cleanup_close = open_target(root, path, &name);
	int fd;

	if (directory < 0)
		return -errno;
	fd = openat(directory, name, flags | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int tree_restore(int from, int to, const char *path, uid_t uid,
		 struct error **err)
{
	const char *from_name, *to_name;
	int from_directory cleanup_close = open_target(from, path, &from_name);
	int to_directory cleanup_close = open_target(to, path, &to_name);
	struct stat st;

	if (from_directory < 0 || to_directory < 0 ||
	    fstatat(from_directory, from_name, &st, AT_SYMLINK_NOFOLLOW))
		return write_failed(err, path);
	return copy_file(from_directory, from_name, to_directory, to_name, path,
			 &st, uid, err);
}
