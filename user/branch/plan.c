// SPDX-License-Identifier: GPL-2.0-only
#include "branch/branch.h"
#include "branch/root.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "branch/mounts.h"

#define SAFE	  (MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV)
#define READ_ONLY (SAFE | MOUNT_ATTR_RDONLY)

/* File systems whose mounts below those are reproduced; others are hidden. */
static const char *const real_types[] = {
	"ext2", "ext3",	 "ext4",     "xfs",	 "btrfs", "f2fs",    "zfs",
	"9p",	"nfs",	 "nfs4",     "cifs",	 "tmpfs", "overlay", "squashfs",
	"vfat", "erofs", "virtiofs", "bcachefs", "fuse",  "fuseblk",
};

struct fresh {
	const char *path;
	mode_t mode;
};

static const struct fresh fresh_directories[] = {
	{ "/tmp", 01777 },
	{ "/var/tmp", 01777 },
	{ "/dev/shm", 01777 },
	{ "/run", 0755 },
};

struct device {
	const char *name;
	unsigned int major, minor;
};

static const struct device devices[] = {
	{ "/dev/null", 1, 3 },	  { "/dev/zero", 1, 5 },
	{ "/dev/full", 1, 7 },	  { "/dev/random", 1, 8 },
	{ "/dev/urandom", 1, 9 }, { "/dev/tty", 5, 0 },
};

struct link {
	const char *name, *to;
};

static const struct link links[] = {
	{ "/dev/fd", "/proc/self/fd" },
	{ "/dev/stdin", "/proc/self/fd/0" },
	{ "/dev/stdout", "/proc/self/fd/1" },
	{ "/dev/stderr", "/proc/self/fd/2" },
};

/* The part of /proc that is the whole machine's. */
static const char *const global_proc[] = { "/proc/sys", "/proc/sysrq-trigger",
					   "/proc/irq", "/proc/bus",
					   "/proc/fs" };
static const char *const hidden_proc[] = { "/proc/kcore", "/proc/keys",
					   "/proc/timer_list",
					   "/proc/sched_debug" };

static struct step *add(struct root_plan *plan, enum step_kind kind,
			const char *target)
{
	struct step *step =
		ARENA_PUSH(plan->arena, plan->steps, plan->nr_steps);

	step->kind = kind;
	step->target = target;
	step->mode = 0755;
	return step;
}

static const char *in(struct root_plan *plan, const char *name)
{
	return arena_printf(plan->arena, "%s/%s", plan->directory, name);
}

static void add_make(struct root_plan *plan, const char *target, mode_t mode,
		     uid_t uid)
{
	struct step *step = add(plan, STEP_MAKE, target);

	step->mode = mode;
	step->uid = uid;
}

static struct step *add_bind(struct root_plan *plan, const char *source,
			     const char *target, uint64_t attributes)
{
	struct step *step = add(plan, STEP_BIND, target);

	step->source = source;
	step->attributes = attributes;
	return step;
}

static void add_link(struct root_plan *plan, const char *target,
		     const char *source)
{
	struct step *step = add(plan, STEP_SYMLINK, target);

	step->source = source;
}

static void start(struct root_plan *plan, const char *directory,
		  const char *const *layers)
{
	struct step *step;
	size_t i;

	memset(plan, 0, sizeof(*plan));
	plan->arena = arena_new();
	plan->directory = arena_strdup(plan->arena, directory);
	plan->root = in(plan, "root");
	plan->merged = in(plan, "merged");
	add_make(plan, in(plan, "upper"), 0755, 0);
	add_make(plan, in(plan, "work"), 0700, 0);
	add_make(plan, in(plan, "fresh"), 0755, 0);
	add_make(plan, plan->merged, 0755, 0);
	add_make(plan, plan->root, 0755, 0);
	add(plan, STEP_ROOT, plan->root);
	step = add(plan, STEP_OVERLAY, plan->merged);
	for (i = 0; i < ROOT_MAX_LAYERS && layers[i]; i++)
		step->layers[i] = arena_strdup(plan->arena, layers[i]);
	step->upper = in(plan, "upper");
	step->work = in(plan, "work");
}

/* ---- system */

/* A directory of the host in which the branch needs names it lacks. */
struct extended {
	const char *path;
	const char *extra; /* outside path of the layer with the names */
};

static bool is_real(const struct mount *mount)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(real_types); i++)
		if (!strcmp(mount->type, real_types[i]))
			return true;
	return !strncmp(mount->type, "fuse.", 5);
}

static void add_extended(struct root_plan *plan, const struct extended *what)
{
	struct step *step = add(plan, STEP_LAYERS, what->path);

	step->layers[0] = what->extra;
	step->layers[1] = what->path;
	step->attributes = READ_ONLY;
	step->governed = true;
}

/* @path and what is extended or mounted below it, parents first. */
static void add_tree(struct root_plan *plan, const char *path,
		     const struct mount *mounts, size_t nr_mounts,
		     const struct extended *extended, size_t nr_extended)
{
	const char **below = NULL;
	size_t nr = 0, i, j;

	*ARENA_PUSH(plan->arena, below, nr) = path;
	for (i = 0; i < nr_mounts; i++)
		if (is_real(&mounts[i]) && path_below(mounts[i].point, path))
			*ARENA_PUSH(plan->arena, below, nr) = mounts[i].point;
	for (i = 0; i < nr; i++)
		for (j = i + 1; j < nr; j++)
			if (strcmp(below[j], below[i]) < 0) {
				const char *name = below[i];

				below[i] = below[j];
				below[j] = name;
			}
	for (i = 0, j = 0; i < nr; i++) {
		struct step *step;

		if (i && !strcmp(below[i], below[i - 1]))
			continue;
		/* Extended directories come sorted; each covers its own. */
		for (; j < nr_extended; j++) {
			if (strcmp(extended[j].path, below[i]) >= 0)
				break;
			if (!strcmp(extended[j].path, path) ||
			    path_below(extended[j].path, path))
				add_extended(plan, &extended[j]);
		}
		step = add_bind(plan, below[i], below[i], READ_ONLY);
		step->governed = true;
		step->optional = i > 0;
	}
	for (; j < nr_extended; j++)
		if (!strcmp(extended[j].path, path) ||
		    path_below(extended[j].path, path))
			add_extended(plan, &extended[j]);
}

static int add_system(struct root_plan *plan, const struct extended *extended,
		      size_t nr_extended, struct error **err)
{
	struct mount *mounts;
	size_t nr, i;
	int code = mounts_read(plan->arena, &mounts, &nr, err);

	if (code)
		return code;
	for (i = 0; bound_system[i]; i++) {
		const char *path = bound_system[i];
		struct stat st;

		if (lstat(path, &st))
			continue;
		if (S_ISLNK(st.st_mode)) {
			char to[PATH_MAX];
			ssize_t length = readlink(path, to, sizeof(to));

			if (length < 0)
				continue;
			add_link(
				plan, path,
				arena_strndup(plan->arena, to, (size_t)length));
		} else if (S_ISDIR(st.st_mode)) {
			add(plan, STEP_DIRECTORY, path);
			add_tree(plan, path, mounts, nr, extended, nr_extended);
		}
	}
	return 0;
}

/* ---- fresh */

static bool has_top(const char *const *tops, size_t nr, const char *path)
{
	size_t i;

	for (i = 0; i < nr; i++) {
		size_t length = strlen(tops[i]);

		if (!strncmp(tops[i], path, length) &&
		    (!path[length] || path[length] == '/'))
			return true;
	}
	return false;
}

static void add_fresh(struct root_plan *plan, const char *path, mode_t mode,
		      uid_t uid)
{
	char *name cleanup_free = xasprintf("fresh%s", path);
	const char *source;
	struct step *step;
	char *c;

	for (c = name + strlen("fresh/"); *c; c++)
		if (*c == '/')
			*c = '-';
	source = in(plan, name);
	add_make(plan, source, mode, uid);
	step = add_bind(plan, source, path, SAFE);
	step->governed = true;
	*ARENA_PUSH(plan->arena, plan->fresh, plan->nr_fresh) = path;
}

static void add_devices(struct root_plan *plan)
{
	struct step *step;
	size_t i;

	add(plan, STEP_DIRECTORY, "/dev");
	/* Below the next mount, where nobody can reach them. */
	add(plan, STEP_PINS, "/dev");
	step = add(plan, STEP_TMPFS, "/dev");
	step->source = "mode=0755,size=64k,nr_inodes=64";
	step->attributes = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC;
	step->governed = true;
	for (i = 0; i < ARRAY_SIZE(devices); i++) {
		step = add(plan, STEP_DEVICE, devices[i].name);
		step->mode = 0666;
		step->device = makedev(devices[i].major, devices[i].minor);
	}
	for (i = 0; i < ARRAY_SIZE(links); i++)
		add_link(plan, links[i].name, links[i].to);
	add(plan, STEP_DIRECTORY, "/dev/shm");
	step = add(plan, STEP_ATTRIBUTES, "/dev");
	step->attributes = MOUNT_ATTR_RDONLY;
}

static void add_proc(struct root_plan *plan)
{
	struct step *step;
	size_t i;

	add(plan, STEP_DIRECTORY, "/proc");
	step = add(plan, STEP_PROC, "/proc");
	step->governed = true;
	for (i = 0; i < ARRAY_SIZE(global_proc); i++) {
		step = add(plan, STEP_AGAIN, global_proc[i]);
		step->source = global_proc[i];
		step->attributes = READ_ONLY | MOUNT_ATTR_NOEXEC;
		step->optional = true;
	}
	for (i = 0; i < ARRAY_SIZE(hidden_proc); i++) {
		step = add(plan, STEP_AGAIN, hidden_proc[i]);
		step->source = "/dev/null";
		step->attributes = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID |
				   MOUNT_ATTR_NOEXEC;
		step->optional = true;
	}
}

/* Does the subject itself bring @path or something below it? */
static bool brings(const struct bound *bound, const char *path)
{
	size_t i;

	for (i = 0; bound && i < bound->nr_contents; i++)
		if (!strcmp(bound->contents[i].path, path) ||
		    path_below(bound->contents[i].path, path))
			return true;
	return false;
}

/*
 * Each fresh directory but those that the subject brings, which are its own
 * and so come back to the same state, too. @tops: directories of the subject.
 */
static void add_fresh_all(struct root_plan *plan, const struct bound *bound,
			  const char *const *tops, size_t nr_tops)
{
	size_t i;

	add_devices(plan);
	for (i = 0; i < ARRAY_SIZE(fresh_directories); i++) {
		const char *path = fresh_directories[i].path;

		if (brings(bound, path))
			continue;
		if (!has_top(tops, nr_tops, path) &&
		    strncmp(path, "/dev/", 5)) {
			if (strchr(path + 1, '/'))
				add(plan, STEP_DIRECTORY, "/var");
			add(plan, STEP_DIRECTORY, path);
		}
		add_fresh(plan, path, fresh_directories[i].mode, 0);
	}
	add_proc(plan);
}

/* ---- subject */

/* The first component of each path of the snapshot, once. */
static int subject_tops(const struct bound *bound, struct root_plan *plan,
			const char ***ret, size_t *ret_nr, struct error **err)
{
	const char **tops = NULL;
	size_t nr = 0, i;

	*ARENA_PUSH(plan->arena, tops, nr) = BRANCH_WORKSPACE;
	for (i = 0; i < bound->nr_contents; i++) {
		const char *path = bound->contents[i].path;
		size_t length = path[0] == '/' ? 1 + strcspn(path + 1, "/") : 0;
		const char *top = arena_strndup(plan->arena, path, length);

		/* Those in a system directory are put there as places. */
		if (length < 2 || path_is_system(top) || has_top(tops, nr, top))
			continue;
		if (!strcmp(top, "/dev") || !strcmp(top, "/proc") ||
		    !strcmp(top, "/sys"))
			return error_set(err, ERROR_CONFIG, EINVAL,
					 "%s: no fixture can be put there",
					 path);
		*ARENA_PUSH(plan->arena, tops, nr) = top;
	}
	*ret = tops;
	*ret_nr = nr;
	return 0;
}

static void add_subject(struct root_plan *plan, const char *const *tops,
			size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++) {
		bool own = !strcmp(tops[i], BRANCH_OWN);

		add(plan, STEP_DIRECTORY, tops[i]);
		add_bind(plan,
			 arena_printf(plan->arena, "%s%s", plan->merged,
				      tops[i]),
			 tops[i], own ? READ_ONLY : SAFE);
	}
}

/* ---- places */

/* @path without symlinks, as far as it exists; the rest is kept. */
static char *resolve_host(const char *path)
{
	char *head cleanup_free = xstrdup(path);
	const char *rest = "";
	char *real cleanup_free = NULL;
	char *slash = strrchr(head, '/');

	/* The last component is replaced, not followed. */
	while (slash && slash > head) {
		*slash = '\0';
		rest = path + (slash - head);
		free(real);
		real = realpath(head, NULL);
		if (real)
			break;
		slash = strrchr(head, '/');
	}
	if (!real)
		return xstrdup(path);
	return xasprintf("%s%s", real, rest);
}

static const char *nearest_directory(struct root_plan *plan, const char *path)
{
	char *directory = arena_strdup(plan->arena, path);
	struct stat st;
	char *slash;

	while ((slash = strrchr(directory, '/')) && slash > directory) {
		*slash = '\0';
		if (!lstat(directory, &st) && S_ISDIR(st.st_mode))
			return directory;
	}
	return NULL;
}

static struct extended *find_extended(struct root_plan *plan,
				      struct extended **extended, size_t *nr,
				      const char *path)
{
	struct extended *new;
	size_t i;

	for (i = 0; i < *nr; i++)
		if (!strcmp((*extended)[i].path, path))
			return &(*extended)[i];
	new = ARENA_PUSH(plan->arena, *extended, *nr);
	new->path = path;
	new->extra = arena_printf(plan->arena, "%s/extra-%zu", plan->directory,
				  *nr - 1);
	add_make(plan, new->extra, 0755, 0);
	return new;
}

static int compare_extended(const void *a, const void *b)
{
	const struct extended *left = a, *right = b;

	return strcmp(left->path, right->path);
}

/* Empty things that the place is then mounted on. */
static void add_mount_point(struct root_plan *plan, const char *extra,
			    const char *rest, bool directory)
{
	const char *slash = rest;

	while ((slash = strchr(slash + 1, '/')))
		add_make(plan,
			 arena_printf(plan->arena, "%s%.*s", extra,
				      (int)(slash - rest), rest),
			 0755, 0);
	if (directory)
		add_make(plan, arena_printf(plan->arena, "%s%s", extra, rest),
			 0755, 0);
	else
		add(plan, STEP_TOUCH,
		    arena_printf(plan->arena, "%s%s", extra, rest));
}

static bool is_directory(const struct bound *bound, const char *path)
{
	size_t i;

	for (i = 0; i < bound->nr_contents; i++) {
		const struct content *content = &bound->contents[i];
		struct stat st;

		if (path_below(content->path, path))
			return true;
		if (strcmp(content->path, path))
			continue;
		if (content->kind == CONTENT_DIRECTORY)
			return true;
		return content->kind == CONTENT_COPY &&
		       !fstatat(content->directory, content->source, &st, 0) &&
		       S_ISDIR(st.st_mode);
	}
	return false;
}

static int add_places(struct root_plan *plan, const struct bound *bound,
		      struct extended **extended, size_t *nr_extended,
		      struct step **ret_binds, size_t *ret_nr,
		      struct error **err)
{
	struct step *binds = NULL;
	size_t nr = 0, i;

	for (i = 0; i < bound->nr_places; i++) {
		const struct place *place = &bound->places[i];
		char *resolved cleanup_free = resolve_host(place->target);
		const char *target = arena_strdup(plan->arena, resolved);
		bool directory = is_directory(bound, place->subject);
		struct stat st;
		struct step *step;

		if (!path_is_system(target))
			return error_set(
				err, ERROR_CONFIG, EINVAL,
				"%s: not in a system directory of the branch",
				place->target);
		if (lstat(target, &st) ||
		    (directory ? !S_ISDIR(st.st_mode) : !S_ISREG(st.st_mode))) {
			const char *parent = nearest_directory(plan, target);
			struct extended *to;

			if (!parent)
				return error_set(err, ERROR_CONFIG, ENOENT,
						 "%s: nothing can be put there",
						 place->target);
			to = find_extended(plan, extended, nr_extended, parent);
			add_mount_point(plan, to->extra,
					target + strlen(parent), directory);
		}
		step = ARENA_PUSH(plan->arena, binds, nr);
		step->kind = STEP_BIND;
		step->target = target;
		step->source = arena_printf(plan->arena, "%s%s", plan->merged,
					    place->subject);
		step->attributes = SAFE;
	}
	if (*nr_extended)
		qsort(*extended, *nr_extended, sizeof(**extended),
		      compare_extended);
	*ret_binds = binds;
	*ret_nr = nr;
	return 0;
}

/* ---- the two roots */

int root_plan_branch(const struct bound *bound, const char *snapshot,
		     const char *directory, struct root_plan *ret,
		     struct error **err)
{
	const char *layers[] = { snapshot, NULL };
	struct extended *extended = NULL;
	size_t nr_extended = 0, nr_tops = 0, nr_places = 0, i;
	struct step *places = NULL;
	const char **tops = NULL;
	int code;

	start(ret, directory, layers);
	code = add_places(ret, bound, &extended, &nr_extended, &places,
			  &nr_places, err);
	if (!code)
		code = add_system(ret, extended, nr_extended, err);
	if (!code)
		code = subject_tops(bound, ret, &tops, &nr_tops, err);
	if (code)
		return code;
	add_subject(ret, tops, nr_tops);
	for (i = 0; i < nr_places; i++)
		*add(ret, places[i].kind, places[i].target) = places[i];
	add_fresh_all(ret, bound, tops, nr_tops);
	return 0;
}

int root_plan_oracle(const char *upper, const char *snapshot,
		     const char *directory, struct root_plan *ret,
		     struct error **err)
{
	static const char *const tops[] = { BRANCH_WORKSPACE, "/home" };
	const char *layers[] = { upper, snapshot, NULL };
	int code;

	start(ret, directory, layers);
	code = add_system(ret, NULL, 0, err);
	if (code)
		return code;
	add_subject(ret, tops, 1);
	add(ret, STEP_DIRECTORY, "/home");
	add(ret, STEP_DIRECTORY, BRANCH_HOME);
	add_fresh(ret, BRANCH_HOME, 0700, BRANCH_AGENT_UID);
	add_fresh_all(ret, NULL, tops, ARRAY_SIZE(tops));
	return 0;
}

static const char *const step_words[] = {
	[STEP_MAKE] = "make",
	[STEP_TOUCH] = "make file",
	[STEP_ROOT] = "new root at",
	[STEP_OVERLAY] = "overlay at",
	[STEP_DIRECTORY] = "directory",
	[STEP_SYMLINK] = "symlink",
	[STEP_DEVICE] = "device",
	[STEP_BIND] = "bind",
	[STEP_LAYERS] = "extend",
	[STEP_TMPFS] = "tmpfs at",
	[STEP_PROC] = "proc at",
	[STEP_AGAIN] = "cover",
	[STEP_ATTRIBUTES] = "attributes of",
	[STEP_PINS] = "pin the guard below",
};

static void print_word(struct buffer *out, const char *before, const char *word)
{
	buffer_adds(out, before);
	text_escape(out, word, strlen(word));
}

void root_plan_print(const struct root_plan *plan, struct buffer *out)
{
	size_t i, j;

	for (i = 0; i < plan->nr_steps; i++) {
		const struct step *step = &plan->steps[i];

		buffer_adds(out, step_words[step->kind]);
		print_word(out, " ", step->target);
		if (step->source)
			print_word(out, " from ", step->source);
		for (j = 0; j < ROOT_MAX_LAYERS && step->layers[j]; j++)
			print_word(out, j ? " over " : " of ", step->layers[j]);
		if (step->upper)
			print_word(out, ", written to ", step->upper);
		if (step->attributes & MOUNT_ATTR_RDONLY)
			buffer_adds(out, ", read-only");
		if (step->optional)
			buffer_adds(out, ", if there");
		buffer_addc(out, '\n');
	}
}

void root_plan_done(struct root_plan *plan)
{
	arena_free(plan->arena);
	memset(plan, 0, sizeof(*plan));
}
