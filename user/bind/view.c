// SPDX-License-Identifier: GPL-2.0-only
#include "view.h"

#include <errno.h>
#include <fcntl.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <aletheia/limits.h>

#include "base/cleanup.h"
#include "bind/bound.h"

/* Symlinks followed in one name; kernel MAXSYMLINKS is 40. */
#define MAX_SYMLINKS 40

/* A file with several names, by which it is recognized in a walk. */
struct seen {
	dev_t device;
	ino_t inode;
	struct node *first;
};

struct view {
	struct arena *arena;
	struct node *root;
	size_t nr_entries; /* walked so far */
};

/* ---- nodes */

static size_t child_position(const struct node *directory, const char *name,
			     bool *ret_there)
{
	size_t low = 0, high = directory->nr_children;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = strcmp(directory->children[middle]->name, name);

		if (!order) {
			*ret_there = true;
			return middle;
		}
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	*ret_there = false;
	return low;
}

struct node *node_find(const struct node *directory, const char *name)
{
	bool there;
	size_t i = child_position(directory, name, &there);

	return there ? directory->children[i] : NULL;
}

/* The name must be new. */
static struct node *add_child(struct view *view, struct node *directory,
			      const char *name, enum node_kind kind)
{
	struct node *node = arena_alloc(view->arena, sizeof(*node));
	bool there;
	size_t i = child_position(directory, name, &there);

	node->name = arena_strdup(view->arena, name);
	node->kind = kind;
	node->parent = directory;
	node->complete = directory->complete;
	ARENA_PUSH(view->arena, directory->children, directory->nr_children);
	memmove(directory->children + i + 1, directory->children + i,
		(directory->nr_children - 1 - i) *
			sizeof(*directory->children));
	directory->children[i] = node;
	return node;
}

const char *node_path(struct arena *arena, const struct node *node)
{
	const struct node *at;
	size_t length = 0;
	char *path;

	if (!node->parent)
		return "/";
	for (at = node; at->parent; at = at->parent)
		length += strlen(at->name) + 1;
	path = arena_alloc(arena, length + 1);
	for (at = node; at->parent; at = at->parent) {
		size_t nr = strlen(at->name);

		length -= nr + 1;
		path[length] = '/';
		memcpy(path + length + 1, at->name, nr);
	}
	return path;
}

/* The directory that @path lies in; *ret_name is what is left. */
static struct node *make_parents(struct view *view, const char *path,
				 const char **ret_name)
{
	struct node *directory = view->root;
	const char *start = path + 1, *end;

	for (; (end = strchr(start, '/')); start = end + 1) {
		char *name cleanup_free =
			xmemdup0(start, (size_t)(end - start));
		struct node *child = node_find(directory, name);

		if (!child)
			child = add_child(view, directory, name,
					  NODE_DIRECTORY);
		if (child->kind != NODE_DIRECTORY)
			return NULL;
		directory = child;
	}
	*ret_name = start;
	return directory;
}

static struct node *make_node(struct view *view, const char *path,
			      enum node_kind kind)
{
	const char *name;
	struct node *directory = make_parents(view, path, &name);
	struct node *node;

	if (!directory)
		return NULL;
	if (!*name)
		return kind == NODE_DIRECTORY ? directory : NULL;
	node = node_find(directory, name);
	if (!node)
		return add_child(view, directory, name, kind);
	return node->kind == kind ? node : NULL;
}

struct node *view_directory(struct view *view, const char *path)
{
	return make_node(view, path, NODE_DIRECTORY);
}

struct node *view_file(struct view *view, const char *path)
{
	return make_node(view, path, NODE_FILE);
}

/* A new name, NULL if it is taken. */
static struct node *make_new(struct view *view, const char *path,
			     enum node_kind kind)
{
	const char *name;
	struct node *directory = make_parents(view, path, &name);

	if (!directory || !*name || node_find(directory, name))
		return NULL;
	return add_child(view, directory, name, kind);
}

struct node *view_symlink(struct view *view, const char *path,
			  const char *target)
{
	struct node *node = make_new(view, path, NODE_SYMLINK);

	if (!node)
		return NULL;
	node->target = arena_strdup(view->arena, target);
	node->trusted = true;
	return node;
}

static void add_name(struct view *view, struct node *file, struct node *node)
{
	if (!file->names) {
		file->names = arena_alloc(view->arena, sizeof(*file->names));
		*ARENA_PUSH(view->arena, file->names->list, file->names->nr) =
			file;
	}
	*ARENA_PUSH(view->arena, file->names->list, file->names->nr) = node;
	node->names = file->names;
}

struct node *view_link(struct view *view, const char *path, struct node *file)
{
	struct node *node = make_new(view, path, NODE_FILE);

	if (node)
		add_name(view, file, node);
	return node;
}

/* ---- what every branch has */

/* Directories that a branch has to itself; nothing of the host is in them. */
static const char *const fresh[] = {
	BRANCH_WORKSPACE, BRANCH_HOME, BRANCH_OWN, "/tmp",
	"/var/tmp",	  "/run",      "/dev/shm",
};

static const char *const devices[] = {
	"/dev/null",   "/dev/zero",    "/dev/full",
	"/dev/random", "/dev/urandom", "/dev/tty",
};

const char *const bound_system[] = {
	"/usr",	   "/bin", "/sbin", "/lib", "/lib32", "/lib64",
	"/libx32", "/etc", "/opt",  "/nix", "/gnu",   NULL,
};

bool path_is_system(const char *path)
{
	size_t i;

	for (i = 0; bound_system[i]; i++)
		if (!strcmp(path, bound_system[i]) ||
		    path_within(path, bound_system[i]))
			return true;
	return false;
}

bool path_within(const char *path, const char *directory)
{
	size_t length = strlen(directory);

	if (length == 1)
		return path[1];
	return !strncmp(path, directory, length) && path[length] == '/';
}

struct view *view_new(struct arena *arena)
{
	struct view *view = xzalloc(sizeof(*view));
	size_t i;

	view->arena = arena;
	view->root = arena_alloc(arena, sizeof(*view->root));
	view->root->name = "";
	for (i = 0; i < ARRAY_SIZE(fresh); i++)
		view_directory(view, fresh[i])->complete = true;
	for (i = 0; i < ARRAY_SIZE(devices); i++)
		view_file(view, devices[i]);
	view_directory(view, "/proc");
	return view;
}

void view_free(struct view *view)
{
	free(view);
}

struct node *view_root(struct view *view)
{
	return view->root;
}

/* ---- walking a directory of the host */

struct walk {
	struct view *view;
	const char *what;
	struct error **err;
	int status;
	void *seen; /* tsearch() tree of struct seen */
	bool stop;
};

static int compare_seen(const void *a, const void *b)
{
	const struct seen *x = a, *y = b;

	if (x->device != y->device)
		return x->device < y->device ? -1 : 1;
	return x->inode < y->inode ? -1 : x->inode > y->inode;
}

static void keep(void *node)
{
	(void)node; /* in the arena */
}

__attribute__((format(printf, 3, 4))) static void
walk_complain(struct walk *walk, const struct node *node, const char *format,
	      ...)
{
	struct arena *arena cleanup_arena = arena_new();
	va_list args;
	char *text;

	va_start(args, format);
	text = xvasprintf(format, args);
	va_end(args);
	walk->status = error_set(walk->err, ERROR_CONFIG, EINVAL, "%s: %s: %s",
				 walk->what, node_path(arena, node), text);
	free(text);
}

/* Enough to see what is wrong; a tree of sockets needs no million lines. */
#define MAX_COMPLAINTS 20

static bool too_many(const struct walk *walk)
{
	const struct error *error = walk->err ? *walk->err : NULL;
	unsigned int nr = 0;

	for (; error; error = error->next)
		nr++;
	return nr >= MAX_COMPLAINTS;
}

static void note_names(struct walk *walk, struct node *node,
		       const struct stat *st)
{
	struct seen *new = arena_alloc(walk->view->arena, sizeof(*new));
	struct seen **found;

	*new = (struct seen){ st->st_dev, st->st_ino, node };
	found = tsearch(new, &walk->seen, compare_seen);
	if (!found)
		abort(); /* out of memory */
	if ((*found)->first != node)
		add_name(walk->view, (*found)->first, node);
}

static const char *read_target(struct arena *arena, int directory,
			       const char *name)
{
	char target[AL_MAX_PATH + 1];
	ssize_t length = readlinkat(directory, name, target, sizeof(target));

	if (length < 0 || (size_t)length == sizeof(target))
		return NULL;
	return arena_strndup(arena, target, (size_t)length);
}

static const char *type_word(mode_t mode)
{
	switch (mode & S_IFMT) {
	case S_IFIFO:
		return "a FIFO";
	case S_IFSOCK:
		return "a socket";
	default:
		return "a device";
	}
}

static void walk_directory(struct walk *walk, struct node *to, int fd,
			   unsigned int depth);

static void walk_entry(struct walk *walk, struct node *to, int directory,
		       const char *name, unsigned int depth)
{
	enum node_kind kind = NODE_FILE;
	struct node *node;
	struct stat st;
	int fd;

	if (fstatat(directory, name, &st, AT_SYMLINK_NOFOLLOW)) {
		walk_complain(walk, to, "%s: %s", name, strerror(errno));
		return;
	}
	if (S_ISDIR(st.st_mode))
		kind = NODE_DIRECTORY;
	else if (S_ISLNK(st.st_mode))
		kind = NODE_SYMLINK;
	node = node_find(to, name);
	if (!node)
		node = add_child(walk->view, to, name, kind);
	if (node->kind != kind) {
		walk_complain(walk, node,
			      "a file and a directory, or a "
			      "symlink, have the same name");
		return;
	}
	switch (st.st_mode & S_IFMT) {
	case S_IFREG:
		if (st.st_nlink > 1)
			note_names(walk, node, &st);
		break;
	case S_IFLNK:
		node->target = read_target(walk->view->arena, directory, name);
		if (!node->target)
			walk_complain(walk, node, "%s", strerror(errno));
		break;
	case S_IFDIR:
		fd = openat(directory, name,
			    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (fd < 0)
			walk_complain(walk, node, "%s", strerror(errno));
		else
			walk_directory(walk, node, fd, depth + 1);
		break;
	default:
		walk_complain(walk, node, "%s cannot be copied",
			      type_word(st.st_mode));
	}
}

static int compare_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The names in a directory, sorted, so that all that follows is too. */
static size_t read_names(struct walk *walk, const struct node *to, DIR *dir,
			 char ***ret)
{
	struct dirent *entry;
	char **names = NULL;
	size_t nr = 0, room = 0;

	for (errno = 0; (entry = readdir(dir)); errno = 0) {
		if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
			continue;
		if (++walk->view->nr_entries > AL_MAX_ENTRIES) {
			walk_complain(walk, to, "more than %d files",
				      AL_MAX_ENTRIES);
			walk->stop = true;
			break;
		}
		if (nr == room) {
			room = room ? 2 * room : 32;
			names = xreallocarray(names, room, sizeof(*names));
		}
		names[nr++] = xstrdup(entry->d_name);
	}
	if (!entry && errno)
		walk_complain(walk, to, "%s", strerror(errno));
	if (nr)
		qsort(names, nr, sizeof(*names), compare_text);
	*ret = names;
	return nr;
}

/* Takes over @fd. */
static void walk_directory(struct walk *walk, struct node *to, int fd,
			   unsigned int depth)
{
	DIR *dir cleanup_dir = fdopendir(fd);
	char **names;
	size_t nr, i;

	if (!dir) {
		walk_complain(walk, to, "%s", strerror(errno));
		close(fd);
		return;
	}
	if (depth > AL_MAX_DEPTH) {
		walk_complain(walk, to, "more than %d directories deep",
			      AL_MAX_DEPTH);
		return;
	}
	nr = read_names(walk, to, dir, &names);
	for (i = 0; i < nr && !walk->stop; i++) {
		walk_entry(walk, to, dirfd(dir), names[i], depth);
		walk->stop |= walk->status && too_many(walk);
	}
	for (i = 0; i < nr; i++)
		free(names[i]);
	free(names);
}

/* Names in order, however the directories were read. */
static int compare_names(const void *a, const void *b)
{
	const struct node *x = *(struct node *const *)a;
	const struct node *y = *(struct node *const *)b;
	struct arena *arena cleanup_arena = arena_new();

	return strcmp(node_path(arena, x), node_path(arena, y));
}

static void sort_names(const void *item, VISIT which, int level)
{
	const struct seen *seen = *(struct seen *const *)item;
	struct names *names = seen->first->names;

	(void)level;
	if ((which == postorder || which == leaf) && names)
		qsort(names->list, names->nr, sizeof(*names->list),
		      compare_names);
}

int view_walk(struct view *view, struct node *to, int directory,
	      const char *path, const char *what, struct error **err)
{
	struct walk walk = { .view = view, .what = what, .err = err };
	int fd = openat(directory, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return error_set(err, ERROR_CONFIG, errno, "%s: %s: %s", what,
				 path, strerror(errno));
	to->source = arena_strdup(view->arena, path);
	to->directory = directory;
	walk_directory(&walk, to, fd, 0);
	twalk(walk.seen, sort_names);
	tdestroy(walk.seen, keep);
	return walk.status;
}

/* ---- resolving */

/**
 * struct resolver - a name on its way
 * @path:	what is resolved so far, "" for the root
 * @node:	its node; NULL: not one of ours
 * @rest:	what is still to be resolved
 * @type:	of what @path is
 */
struct resolver {
	struct view *view;
	struct found *found;
	struct buffer path;
	struct node *node;
	struct buffer rest;
	mode_t type;
	unsigned int nr_symlinks;
};

static struct node *look_up(struct view *view, const char *path)
{
	struct node *node = view->root;
	const char *start = path + 1, *end;

	for (; node && *start; start = *end ? end + 1 : end) {
		char *name cleanup_free = NULL;

		end = strchrnul(start, '/');
		name = xmemdup0(start, (size_t)(end - start));
		node = node_find(node, name);
	}
	return node;
}

static void go_up(struct resolver *resolver)
{
	char *slash = strrchr(buffer_text(&resolver->path), '/');

	if (!slash)
		return;
	if (!resolver->type) {
		resolver->found->problem =
			arena_printf(resolver->view->arena, "%s does not exist",
				     buffer_text(&resolver->path));
		return;
	}
	resolver->path.length = (size_t)(slash - resolver->path.data);
	*slash = '\0';
	resolver->node =
		look_up(resolver->view,
			resolver->path.length ? resolver->path.data : "/");
	resolver->type = S_IFDIR;
	resolver->found->host = !resolver->node;
}

/* Put a symlink's target in front of the rest. */
static void follow(struct resolver *resolver, const char *target)
{
	struct buffer rest = { 0 };

	if (++resolver->nr_symlinks > MAX_SYMLINKS) {
		resolver->found->problem = "too many symbolic links";
		return;
	}
	buffer_adds(&rest, target);
	buffer_addc(&rest, '/');
	buffer_adds(&rest, buffer_text(&resolver->rest));
	buffer_done(&resolver->rest);
	resolver->rest = rest;
	if (*target == '/') {
		buffer_done(&resolver->path);
		resolver->node = resolver->view->root;
		resolver->type = S_IFDIR;
	}
}

static void step_node(struct resolver *resolver, struct node *child,
		      const char *path)
{
	struct found *found = resolver->found;

	if (child->kind == NODE_SYMLINK) {
		if (!child->trusted && !found->link) {
			found->link = path;
			found->target = child->target;
		}
		follow(resolver, child->target);
		return;
	}
	buffer_done(&resolver->path);
	buffer_adds(&resolver->path, path);
	resolver->node = child;
	resolver->type = child->kind == NODE_FILE ? S_IFREG : S_IFDIR;
	found->host = false;
}

/* Go on at @path, which is none of ours and may not exist (@type is 0). */
static void step_to(struct resolver *resolver, const char *path, mode_t type,
		    bool host)
{
	buffer_done(&resolver->path);
	buffer_adds(&resolver->path, path);
	resolver->node = NULL;
	resolver->type = type;
	resolver->found->host = host;
}

/* The machine's part of /proc is the same in a branch, a process's is not. */
static void step_proc(struct resolver *resolver, const char *path)
{
	const char *name = path + strlen("/proc/");
	struct stat st;

	if (lstat(path, &st)) {
		step_to(resolver, path, 0, false);
		return;
	}
	if (S_ISLNK(st.st_mode) || strspn(name, "0123456789"))
		resolver->found->problem = "each process has its own";
	else
		step_to(resolver, path, st.st_mode & S_IFMT, false);
}

/* Only what a branch sees of the host. */
static void step_host(struct resolver *resolver, const char *path)
{
	struct found *found = resolver->found;
	const char *target;
	struct stat st;

	if (path_within(path, "/proc")) {
		step_proc(resolver, path);
		return;
	}
	if (!path_is_system(path) || lstat(path, &st)) {
		step_to(resolver, path, 0, false);
		return;
	}
	if (S_ISLNK(st.st_mode)) {
		target = read_target(resolver->view->arena, AT_FDCWD, path);
		if (target)
			follow(resolver, target);
		else
			found->problem = "a symbolic link cannot be read";
		return;
	}
	step_to(resolver, path, st.st_mode & S_IFMT, true);
}

static void step(struct resolver *resolver, const char *name)
{
	const char *path = arena_printf(resolver->view->arena, "%s/%s",
					buffer_text(&resolver->path), name);
	struct node *child;

	if (resolver->path.length + strlen(name) > AL_MAX_PATH) {
		resolver->found->problem = "the path is too long";
		return;
	}
	if (resolver->type && resolver->type != S_IFDIR) {
		resolver->found->problem = arena_printf(
			resolver->view->arena, "%s is no directory",
			buffer_text(&resolver->path));
		return;
	}
	child = resolver->node ? node_find(resolver->node, name) : NULL;
	if (child) {
		step_node(resolver, child, path);
	} else if (!resolver->type ||
		   (resolver->node && resolver->node->complete)) {
		step_to(resolver, path, 0, false);
	} else {
		step_host(resolver, path);
	}
}

/* Take the first component off the rest; NULL: nothing is left. */
static char *next_component(struct resolver *resolver)
{
	const char *text = buffer_text(&resolver->rest);
	const char *start = text + strspn(text, "/");
	const char *end = strchrnul(start, '/');
	struct buffer rest = { 0 };
	char *name;

	if (end == start)
		return NULL;
	name = xmemdup0(start, (size_t)(end - start));
	buffer_adds(&rest, end);
	buffer_done(&resolver->rest);
	resolver->rest = rest;
	return name;
}

struct found view_resolve(struct view *view, const char *path)
{
	struct found found = { 0 };
	struct resolver resolver = {
		.view = view,
		.found = &found,
		.node = view->root,
		.type = S_IFDIR,
	};
	char *name;

	buffer_adds(&resolver.rest, path);
	while (!found.problem && (name = next_component(&resolver))) {
		if (!strcmp(name, ".."))
			go_up(&resolver);
		else if (strcmp(name, "."))
			step(&resolver, name);
		free(name);
	}
	found.path =
		resolver.path.length
			? arena_strdup(view->arena, buffer_text(&resolver.path))
			: "/";
	found.node = resolver.node;
	found.type = resolver.type;
	found.exists = !found.problem && found.type;
	if (found.exists && found.host && lstat(found.path, &found.stat))
		found.exists = false;
	buffer_done(&resolver.path);
	buffer_done(&resolver.rest);
	return found;
}

bool found_source(struct arena *arena, const struct found *found,
		  int *ret_directory, const char **ret_path)
{
	const struct node *top = found->node;
	const char *path = found->path;
	size_t depth = 0;

	*ret_directory = AT_FDCWD;
	*ret_path = path;
	if (!top)
		return found->host;
	for (; top && !top->source && !top->made; top = top->parent)
		depth++;
	if (!top || !top->source)
		return false;
	/* What is below where it came from. */
	path += strlen(path);
	for (; depth; depth--)
		while (*--path != '/')
			;
	*ret_directory = top->directory;
	*ret_path = arena_printf(arena, "%s%s", top->source, path);
	return true;
}
