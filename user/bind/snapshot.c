// SPDX-License-Identifier: GPL-2.0-only
/*
 * The snapshot: what all branches start from, written once. The project is
 * not ours and may be hostile, so nothing is ever reached by a path of more
 * than one component and no symlink is followed, here or there.
 */
#include <errno.h>
#include <fcntl.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <aletheia/limits.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "bind/bound.h"
#include "bind/view.h"

/* Of what we generate: 2000-01-01, so that nothing depends on when. */
static const struct timespec fixed_times[2] = { { .tv_sec = 946684800 },
						{ .tv_sec = 946684800 } };

/* An inode, and what is known about it. */
struct known {
	dev_t device;
	ino_t inode;
	const char *path; /* where its first name is; NULL in digests */
	size_t number;
};

/**
 * struct maker
 * @root:	descriptor of the snapshot's root
 * @chown:	we may give files away
 * @copied:	files of the present source that have several names
 * @canaries:	files of the snapshot that carry a token
 * @size:	bytes written so far
 */
struct maker {
	const struct bound *bound;
	struct arena *arena;
	struct error **err;
	int root;
	uid_t uid;
	bool chown;
	void *copied;
	void *canaries;
	uint64_t size;
};

static int compare_known(const void *a, const void *b)
{
	const struct known *x = a, *y = b;

	if (x->device != y->device)
		return x->device < y->device ? -1 : 1;
	return x->inode < y->inode ? -1 : x->inode > y->inode;
}

static void keep(void *node)
{
	(void)node; /* in the arena */
}

/* The inode's entry, new or not. */
static struct known *note(struct maker *maker, void **tree,
			  const struct stat *st)
{
	struct known *new = arena_alloc(maker->arena, sizeof(*new));
	struct known **found;

	new->device = st->st_dev;
	new->inode = st->st_ino;
	found = tsearch(new, tree, compare_known);
	if (!found)
		abort(); /* out of memory */
	return *found;
}

/* What could not be written. */
static int refuse(struct maker *maker, const char *path, int code)
{
	bool full = code == ENOSPC || code == EDQUOT || code == ENOMEM;

	return error_set(maker->err, ERROR_MACHINE, code, "snapshot: %s: %s%s",
			 path, strerror(code),
			 full ? " (the project and its fixtures do not fit)"
			      : "");
}

static int refuse_source(struct maker *maker, const char *source,
			 const char *what)
{
	return error_set(maker->err, ERROR_CONFIG, EINVAL, "%s: %s", source,
			 what);
}

/* ---- places in the snapshot */

/* Does what lies at @path belong to the agent? */
static bool is_agents(const char *path)
{
	return !strcmp(path, BRANCH_WORKSPACE) || !strcmp(path, BRANCH_HOME) ||
	       path_within(path, BRANCH_WORKSPACE) ||
	       path_within(path, BRANCH_HOME);
}

static int give(const struct maker *maker, int fd, const char *name, bool agent)
{
	uid_t uid = agent ? maker->uid : 0;

	if (!maker->chown)
		return 0;
	return fchownat(fd, name, uid, uid, AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH)
		       ? -errno
		       : 0;
}

static int open_directory(int parent, const char *name)
{
	int fd = openat(parent, name,
			O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

static int finish_file(struct maker *maker, int fd, uint32_t mode, bool agent,
		       const struct timespec times[2])
{
	/* After the owner, whose change would clear bits. */
	int code = give(maker, fd, "", agent);

	if (!code && (fchmod(fd, mode) || futimens(fd, times)))
		code = -errno;
	return code;
}

/*
 * A directory's times do not tell when something was put into it. (What cannot
 * be set is no harm: times are in no digest.)
 */
static void keep_times(int fd, const struct stat *before)
{
	const struct timespec times[2] = { before->st_atim, before->st_mtim };

	if (futimens(fd, times))
		return;
}

/* A directory above a content, ours unless the project has it. */
static int make_parent(struct maker *maker, int parent, const char *name,
		       bool agent)
{
	struct stat before;
	int fd, code;

	if (fstat(parent, &before))
		return -errno;
	if (mkdirat(parent, name, 0700))
		return errno == EEXIST ? open_directory(parent, name) : -errno;
	keep_times(parent, &before);
	fd = open_directory(parent, name);
	if (fd < 0)
		return fd;
	code = finish_file(maker, fd, 0755, agent, fixed_times);
	if (!code)
		return fd;
	close(fd);
	return code;
}

/* Parent of @path and, in *@ret_name, its last component. */
static int open_parent(struct maker *maker, const char *path,
		       const char **ret_name)
{
	const char *start = path + 1, *end;
	int fd = openat(maker->root, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return refuse(maker, path, errno);
	for (; (end = strchr(start, '/')); start = end + 1) {
		char *name cleanup_free =
			xmemdup0(start, (size_t)(end - start));
		char *so_far cleanup_free =
			xmemdup0(path, (size_t)(end - path));
		int parent cleanup_close = fd;

		fd = make_parent(maker, parent, name, is_agents(so_far));
		if (fd < 0)
			return refuse(maker, so_far, -fd);
	}
	*ret_name = start;
	return fd;
}

/* A new file, or an old one without content: its other names stay. */
static int open_file(int parent, const char *name)
{
	int fd = openat(parent, name,
			O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_NONBLOCK |
				O_NOCTTY | O_CLOEXEC,
			0600);
	struct stat st;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
		close(fd);
		return -EEXIST;
	}
	return fd;
}

/* ---- copies */

static int add_size(struct maker *maker, const char *source, off_t size)
{
	maker->size += (uint64_t)size;
	if (maker->size <= AL_MAX_TREE_SIZE)
		return 0;
	return error_set(maker->err, ERROR_CONFIG, EFBIG,
			 "%s: project and fixtures are larger than %llu bytes",
			 source, (unsigned long long)AL_MAX_TREE_SIZE);
}

/* One stretch of data at its place. */
static int copy_range(int from, int to, off_t at, off_t end)
{
	char chunk[1 << 16];

	while (at < end) {
		size_t want = sizeof(chunk);
		ssize_t nr;
		int code;

		if (end - at < (off_t)want)
			want = (size_t)(end - at);
		nr = pread(from, chunk, want, at);
		if (nr < 0 && errno == EINTR)
			continue;
		if (nr < 0)
			return -errno;
		if (!nr)
			break;
		if (lseek(to, at, SEEK_SET) < 0)
			return -errno;
		code = fd_write_all(to, chunk, (size_t)nr);
		if (code)
			return code;
		at += nr;
	}
	return 0;
}

/* Holes stay holes. */
static int copy_data(int from, int to, off_t size)
{
	off_t at = 0;
	int code;

	while (at < size) {
		off_t data = lseek(from, at, SEEK_DATA), end;

		if (data < 0 && errno == ENXIO)
			break;
		if (data < 0)
			return -errno;
		end = lseek(from, data, SEEK_HOLE);
		if (end < 0)
			return -errno;
		if (end > size)
			end = size;
		code = copy_range(from, to, data, end);
		if (code)
			return code;
		at = end;
	}
	return ftruncate(to, size) ? -errno : 0;
}

/**
 * struct copy - a file or tree on its way into the snapshot
 * @agent:	who gets it
 * @source:	its name on the host, for messages
 * @path:	where it goes, for messages and links
 */
struct copy {
	struct maker *maker;
	bool agent;
	const char *source;
	const char *path;
};

static struct copy copy_below(const struct copy *copy, const char *name)
{
	struct copy below = *copy;

	below.source =
		arena_printf(copy->maker->arena, "%s/%s", copy->source, name);
	below.path =
		arena_printf(copy->maker->arena, "%s/%s", copy->path, name);
	return below;
}

/* @mode: permission bits, or -1: those of the source. */
static int copy_open_file(const struct copy *copy, int in, int to_dir,
			  const char *to, int mode)
{
	struct maker *maker = copy->maker;
	int out cleanup_close = -1;
	struct stat st;
	int code;

	if (fstat(in, &st))
		return refuse_source(maker, copy->source, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return refuse_source(maker, copy->source,
				     "not a regular file any more");
	code = add_size(maker, copy->source, st.st_size);
	if (code)
		return code;
	out = open_file(to_dir, to);
	if (out < 0)
		return refuse(maker, copy->path, -out);
	code = copy_data(in, out, st.st_size);
	if (!code)
		code = finish_file(
			maker, out,
			mode < 0 ? st.st_mode & 0777 : (uint32_t)mode,
			copy->agent,
			(struct timespec[2]){ st.st_atim, st.st_mtim });
	return code ? refuse(maker, copy->path, -code) : 0;
}

static int copy_file(const struct copy *copy, int from_dir, const char *name,
		     int to_dir)
{
	int in cleanup_close = openat(from_dir, name,
				      O_RDONLY | O_NOFOLLOW | O_NONBLOCK |
					      O_NOCTTY | O_CLOEXEC);

	if (in < 0)
		return refuse_source(copy->maker, copy->source,
				     strerror(errno));
	return copy_open_file(copy, in, to_dir, name, -1);
}

/* Another name of a file that is already there. */
static int link_file(struct maker *maker, const char *source, int to_dir,
		     const char *to, const char *path)
{
	const char *name;
	int parent cleanup_close = open_parent(maker, source, &name);

	if (parent < 0)
		return parent;
	if (linkat(parent, name, to_dir, to, 0))
		return refuse(maker, path, errno);
	return 0;
}

static int copy_regular(const struct copy *copy, int from_dir, const char *name,
			int to_dir, const struct stat *st)
{
	struct known *known;

	if (st->st_nlink < 2)
		return copy_file(copy, from_dir, name, to_dir);
	known = note(copy->maker, &copy->maker->copied, st);
	if (known->path) {
		/* A fixture's file may have that name already. */
		if (unlinkat(to_dir, name, 0) && errno != ENOENT)
			return refuse(copy->maker, copy->path, errno);
		return link_file(copy->maker, known->path, to_dir, name,
				 copy->path);
	}
	known->path = copy->path;
	return copy_file(copy, from_dir, name, to_dir);
}

static int copy_symlink(const struct copy *copy, int from_dir, const char *name,
			int to_dir, const struct stat *st)
{
	struct maker *maker = copy->maker;
	char target[AL_MAX_PATH + 1];
	ssize_t length = readlinkat(from_dir, name, target, sizeof(target));
	int code;

	if (length < 0 || (size_t)length == sizeof(target))
		return refuse_source(maker, copy->source,
				     "the symbolic link cannot be read");
	target[length] = '\0';
	/* A fixture may bring a link that the project has too. */
	if (unlinkat(to_dir, name, 0) && errno != ENOENT)
		return refuse(maker, copy->path, errno);
	if (symlinkat(target, to_dir, name))
		return refuse(maker, copy->path, errno);
	code = give(maker, to_dir, name, copy->agent);
	if (!code && utimensat(to_dir, name,
			       (struct timespec[2]){ st->st_atim, st->st_mtim },
			       AT_SYMLINK_NOFOLLOW))
		code = -errno;
	return code ? refuse(maker, copy->path, -code) : 0;
}

static int copy_directory(const struct copy *copy, int from, int to,
			  unsigned int depth);

static int copy_subdirectory(const struct copy *copy, int from_dir,
			     const char *name, int to_dir,
			     const struct stat *st, unsigned int depth)
{
	struct maker *maker = copy->maker;
	int from cleanup_close = open_directory(from_dir, name);
	int to cleanup_close = -1;
	int code;

	if (from < 0)
		return refuse_source(maker, copy->source, strerror(-from));
	if (mkdirat(to_dir, name, 0700) && errno != EEXIST)
		return refuse(maker, copy->path, errno);
	to = open_directory(to_dir, name);
	if (to < 0)
		return refuse(maker, copy->path, -to);
	code = copy_directory(copy, from, to, depth + 1);
	if (code)
		return code;
	code = finish_file(maker, to, st->st_mode & 01777, copy->agent,
			   (struct timespec[2]){ st->st_atim, st->st_mtim });
	return code ? refuse(maker, copy->path, -code) : 0;
}

static int copy_entry(const struct copy *copy, int from_dir, const char *name,
		      int to_dir, unsigned int depth)
{
	struct copy below = copy_below(copy, name);
	struct stat st;

	if (fstatat(from_dir, name, &st, AT_SYMLINK_NOFOLLOW))
		return refuse_source(copy->maker, below.source,
				     strerror(errno));
	switch (st.st_mode & S_IFMT) {
	case S_IFREG:
		return copy_regular(&below, from_dir, name, to_dir, &st);
	case S_IFLNK:
		return copy_symlink(&below, from_dir, name, to_dir, &st);
	case S_IFDIR:
		return copy_subdirectory(&below, from_dir, name, to_dir, &st,
					 depth);
	default:
		return refuse_source(copy->maker, below.source,
				     "neither a file nor a directory nor a "
				     "symbolic link, it cannot be copied");
	}
}

static int compare_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void free_names(char **names)
{
	size_t i;

	for (i = 0; names && names[i]; i++)
		free(names[i]);
	free(names);
}

static void names_done(char ***names)
{
	free_names(*names);
}

/* Sorted, NULL-ended; the descriptor stays open. -errno. */
static int read_names(int directory, char ***ret)
{
	int fd = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir cleanup_dir = fd < 0 ? NULL : fdopendir(fd);
	char **names = xzalloc(sizeof(*names));
	struct dirent *entry;
	size_t nr = 0;

	if (!dir) {
		int code = -errno;

		if (fd >= 0)
			close(fd);
		free(names);
		return code;
	}
	for (errno = 0; (entry = readdir(dir)); errno = 0) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		/* Room grows with powers of two. */
		if (!(nr & (nr + 1)))
			names = xreallocarray(names, 2 * nr + 2,
					      sizeof(*names));
		names[nr++] = xstrdup(entry->d_name);
		names[nr] = NULL;
	}
	if (errno) {
		int code = -errno;

		free_names(names);
		return code;
	}
	qsort(names, nr, sizeof(*names), compare_text);
	*ret = names;
	return 0;
}

static int copy_directory(const struct copy *copy, int from, int to,
			  unsigned int depth)
{
	char **names __attribute__((__cleanup__(names_done))) = NULL;
	int code = depth > AL_MAX_DEPTH ? -ELOOP : read_names(from, &names);
	size_t i;

	if (code)
		return refuse_source(copy->maker, copy->source,
				     strerror(-code));
	for (i = 0; !code && names && names[i]; i++)
		code = copy_entry(copy, from, names[i], to, depth);
	return code;
}

/* ---- single contents */

static int make_copy(struct maker *maker, const struct content *content,
		     int parent, const char *name)
{
	struct copy copy = { maker, content->agent, content->source,
			     content->path };
	/* The source is named by the user and may be a symlink. */
	int from cleanup_close =
		openat(content->directory, content->source,
		       O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	int to cleanup_close = -1;
	struct stat st;
	int code;

	if (from < 0 || fstat(from, &st))
		return refuse_source(maker, content->source, strerror(errno));
	if (S_ISREG(st.st_mode))
		return copy_open_file(&copy, from, parent, name,
				      (int)content->mode);
	if (!S_ISDIR(st.st_mode))
		return refuse_source(maker, content->source,
				     "neither a file nor a directory");
	if (mkdirat(parent, name, 0700) && errno != EEXIST)
		return refuse(maker, content->path, errno);
	to = open_directory(parent, name);
	if (to < 0)
		return refuse(maker, content->path, -to);
	code = copy_directory(&copy, from, to, 0);
	tdestroy(maker->copied, keep);
	maker->copied = NULL;
	if (code)
		return code;
	code = finish_file(maker, to, content->mode, content->agent,
			   (struct timespec[2]){ st.st_atim, st.st_mtim });
	return code ? refuse(maker, content->path, -code) : 0;
}

static int make_directory(struct maker *maker, const struct content *content,
			  int parent, const char *name)
{
	int fd cleanup_close = -1;
	int code;

	if (mkdirat(parent, name, 0700) && errno != EEXIST)
		return refuse(maker, content->path, errno);
	fd = open_directory(parent, name);
	if (fd < 0)
		return refuse(maker, content->path, -fd);
	code = finish_file(maker, fd, content->mode, content->agent,
			   fixed_times);
	return code ? refuse(maker, content->path, -code) : 0;
}

/* Lines of 64 bytes: whoever has one has the token. */
static void canary_text(struct buffer *text, const struct content *content)
{
	size_t line;

	for (line = 0; text->length < content->size; line++)
		buffer_printf(text, "%s %030zu\n", content->canary->token,
			      line);
	text->length = content->size;
}

static int make_bytes(struct maker *maker, const struct content *content,
		      int parent, const char *name)
{
	struct buffer text cleanup_buffer = { 0 };
	const char *data = content->data;
	size_t length = content->length;
	int fd cleanup_close = -1;
	struct stat st;
	int code;

	fd = open_file(parent, name);
	if (fd < 0)
		return refuse(maker, content->path, -fd);
	if (content->kind == CONTENT_CANARY) {
		canary_text(&text, content);
		data = text.data;
		length = text.length;
		if (fstat(fd, &st))
			return refuse(maker, content->path, errno);
		note(maker, &maker->canaries, &st);
	}
	code = add_size(maker, content->path, (off_t)length);
	if (code)
		return code;
	code = fd_write_all(fd, data, length);
	if (!code)
		code = finish_file(maker, fd, content->mode, content->agent,
				   fixed_times);
	return code ? refuse(maker, content->path, -code) : 0;
}

static int make_symlink(struct maker *maker, const struct content *content,
			int parent, const char *name)
{
	int code;

	if (symlinkat(content->source, parent, name))
		return refuse(maker, content->path, errno);
	code = give(maker, parent, name, content->agent);
	if (!code && utimensat(parent, name, fixed_times, AT_SYMLINK_NOFOLLOW))
		code = -errno;
	return code ? refuse(maker, content->path, -code) : 0;
}

static int make_in(struct maker *maker, const struct content *content,
		   int parent, const char *name)
{
	switch (content->kind) {
	case CONTENT_DIRECTORY:
		return make_directory(maker, content, parent, name);
	case CONTENT_BYTES:
	case CONTENT_CANARY:
		return make_bytes(maker, content, parent, name);
	case CONTENT_COPY:
		return make_copy(maker, content, parent, name);
	case CONTENT_HARDLINK:
		return link_file(maker, content->source, parent, name,
				 content->path);
	case CONTENT_SYMLINK:
		return make_symlink(maker, content, parent, name);
	}
	return refuse(maker, content->path, EINVAL);
}

static int make_content(struct maker *maker, const struct content *content)
{
	const char *name;
	int parent cleanup_close = open_parent(maker, content->path, &name);
	struct stat before;
	int code;

	if (parent < 0)
		return parent;
	if (fstat(parent, &before))
		return refuse(maker, content->path, errno);
	code = make_in(maker, content, parent, name);
	keep_times(parent, &before);
	return code;
}

/* ---- the digest */

/**
 * struct digester
 * @seen:	files with several names, numbered in order of the first
 */
struct digester {
	struct maker *maker;
	struct hasher *hasher;
	void *seen;
	size_t nr_seen;
};

/* Lengths first, so that nothing can pass for something else. */
static void add_field(struct digester *digester, const void *data,
		      uint64_t length)
{
	hasher_add(digester->hasher, &length, sizeof(length));
	hasher_add(digester->hasher, data, length);
}

static void add_number(struct digester *digester, uint64_t number)
{
	hasher_add(digester->hasher, &number, sizeof(number));
}

/* Overwrite every token with what is the same each time. */
static void mask_tokens(const struct bound *bound, struct buffer *text)
{
	size_t i;

	for (i = 0; i < bound->nr_canaries; i++) {
		const char *token = bound->canaries[i].token;
		size_t length = strlen(token);
		char *at = text->data;

		while (at &&
		       (at = memmem(at,
				    text->length - (size_t)(at - text->data),
				    token, length))) {
			memset(at, '*', length);
			at += length;
		}
	}
}

static int digest_data(struct digester *digester, int fd, const struct stat *st)
{
	struct known key = { .device = st->st_dev, .inode = st->st_ino };
	char chunk[1 << 16];
	ssize_t nr;

	add_number(digester, (uint64_t)st->st_size);
	if (tfind(&key, &digester->maker->canaries, compare_known)) {
		struct buffer text cleanup_buffer = { 0 };
		int code = fd_read_all(fd, AL_MAX_CANARY, &text);

		if (code)
			return code;
		mask_tokens(digester->maker->bound, &text);
		hasher_add(digester->hasher, text.data, text.length);
		return 0;
	}
	while ((nr = read(fd, chunk, sizeof(chunk))) > 0)
		hasher_add(digester->hasher, chunk, (size_t)nr);
	return nr < 0 ? -errno : 0;
}

static int digest_directory(struct digester *digester, int fd);

static int digest_file(struct digester *digester, int parent, const char *name,
		       const struct stat *st)
{
	int fd cleanup_close =
		openat(parent, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	struct known *known;

	if (fd < 0)
		return -errno;
	if (st->st_nlink > 1) {
		known = note(digester->maker, &digester->seen, st);
		if (known->number) {
			add_number(digester, known->number);
			return 0;
		}
		known->number = ++digester->nr_seen;
	}
	add_number(digester, 0);
	return digest_data(digester, fd, st);
}

static int digest_entry(struct digester *digester, int parent, const char *name)
{
	char target[AL_MAX_PATH + 1];
	int fd cleanup_close = -1;
	struct stat st;
	ssize_t length;

	if (fstatat(parent, name, &st, AT_SYMLINK_NOFOLLOW))
		return -errno;
	add_field(digester, name, strlen(name));
	add_number(digester, st.st_mode);
	add_number(digester, st.st_uid == digester->maker->uid);
	switch (st.st_mode & S_IFMT) {
	case S_IFREG:
		return digest_file(digester, parent, name, &st);
	case S_IFDIR:
		fd = open_directory(parent, name);
		return fd < 0 ? fd : digest_directory(digester, fd);
	default:
		length = readlinkat(parent, name, target, sizeof(target));
		if (length < 0)
			return -errno;
		add_field(digester, target, (uint64_t)length);
		return 0;
	}
}

static int digest_directory(struct digester *digester, int fd)
{
	char **names __attribute__((__cleanup__(names_done))) = NULL;
	int code = read_names(fd, &names);
	size_t nr = 0, i;

	if (code)
		return code;
	while (names && names[nr])
		nr++;
	add_number(digester, nr);
	for (i = 0; !code && i < nr; i++)
		code = digest_entry(digester, fd, names[i]);
	return code;
}

static int digest_snapshot(struct maker *maker, struct digest *ret)
{
	struct digester digester = {
		.maker = maker,
		.hasher = hasher_new(),
	};
	int code = digest_directory(&digester, maker->root);
	struct digest digest = hasher_end(digester.hasher);

	tdestroy(digester.seen, keep);
	if (code)
		return refuse(maker, "/", -code);
	*ret = digest;
	return 0;
}

/* ---- all of it */

int snapshot_make(const struct bound *bound, int dirfd, uid_t uid,
		  struct digest *ret_digest, struct error **err)
{
	struct arena *arena cleanup_arena = arena_new();
	struct maker maker = {
		.bound = bound,
		.arena = arena,
		.err = err,
		.root = dirfd,
		.uid = uid,
		.chown = !geteuid(),
	};
	size_t i;
	int code = 0;

	for (i = 0; !code && i < bound->nr_contents; i++)
		code = make_content(&maker, &bound->contents[i]);
	if (!code)
		code = digest_snapshot(&maker, ret_digest);
	tdestroy(maker.copied, keep);
	tdestroy(maker.canaries, keep);
	return code;
}
