// SPDX-License-Identifier: GPL-2.0-only
#include "branch/state.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "branch/mounts.h"
#include "branch/tree.h"

struct state {
	const struct bound *bound;
	struct hasher *hasher;
	const char *top;
};

static void add_text(struct state *state, const char *text)
{
	hasher_add(state->hasher, text, strlen(text) + 1);
}

static bool is_rule(const struct bound *bound, const char *path)
{
	const struct object *rule = &bound->objects[bound->rule_object];
	size_t i;

	for (i = 0; i < rule->nr_paths; i++)
		if (!strcmp(rule->paths[i], path))
			return true;
	return false;
}

static bool is_above_rule(const struct bound *bound, const char *path)
{
	const struct object *rule = &bound->objects[bound->rule_object];
	size_t i;

	for (i = 0; i < rule->nr_paths; i++)
		if (path_below(rule->paths[i], path))
			return true;
	return false;
}

static int add_link(struct state *state, int directory, const char *name)
{
	char target[PATH_MAX];
	ssize_t nr = readlinkat(directory, name, target, sizeof(target));

	if (nr < 0)
		return -errno;
	hasher_add(state->hasher, target, (size_t)nr);
	return 0;
}

/* Numbers of devices and inodes, and times, differ between equal states. */
static int add_entry(int directory, const char *name, const char *path,
		     const struct stat *st, void *context, struct error **err)
{
	struct state *state = context;
	char *full cleanup_free = *path ? xasprintf("%s/%s", state->top, path)
					: xstrdup(state->top);
	char text[160];
	bool regular = S_ISREG(st->st_mode);
	int code = 0;

	snprintf(text, sizeof(text), "%o %u %u %" PRIu64 " %ju", st->st_mode,
		 st->st_uid, st->st_gid,
		 S_ISDIR(st->st_mode) ? 0 : (uint64_t)st->st_nlink,
		 regular && !is_rule(state->bound, full)
			 ? (uintmax_t)st->st_size
			 : 0);
	add_text(state, full);
	add_text(state, text);
	if (S_ISLNK(st->st_mode))
		code = add_link(state, directory, name);
	if (code)
		return error_set(err, ERROR_INTERNAL, code, "%s: %s", full,
				 strerror(-code));
	return TREE_INTO;
}

static int open_at(int root, const char *path)
{
	struct open_how how = {
		.flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};

	return (int)syscall(SYS_openat2, root, path, &how, sizeof(how));
}

static int add_subject(struct state *state, int root, const struct step *step,
		       struct error **err)
{
	int fd cleanup_close = open_at(root, step->target);
	struct stat st;
	int code;

	if (fd < 0 || fstat(fd, &st))
		return error_set(err, ERROR_INTERNAL, errno, "%s: %s",
				 step->target, strerror(errno));
	state->top = step->target;
	code = add_entry(fd, "", "", &st, state, err);
	if (code >= 0 && S_ISDIR(st.st_mode))
		code = tree_walk(fd, add_entry, state, err);
	return code < 0 ? code : 0;
}

static bool is_subject(const struct root_plan *plan, const struct step *step)
{
	return step->kind == STEP_BIND &&
	       path_below(step->source, plan->merged);
}

/* The mount, not what is in it. */
static void add_system(struct state *state, const struct step *step)
{
	char text[64];

	snprintf(text, sizeof(text), "%d %" PRIx64 " %jx", step->kind,
		 step->attributes, (uintmax_t)step->device);
	add_text(state, step->target);
	add_text(state, text);
	if (step->kind == STEP_SYMLINK)
		add_text(state, step->source);
}

static int refuse_entry(int directory, const char *name, const char *path,
			const struct stat *st, void *context,
			struct error **err)
{
	(void)directory;
	(void)name;
	(void)st;
	return error_set(err, ERROR_INTERNAL, EEXIST,
			 "%s/%s is there before the branch has begun",
			 (const char *)context, path);
}

static int check_fresh(const struct root_plan *plan, int root,
		       struct error **err)
{
	size_t i;
	int code = 0;

	for (i = 0; !code && i < plan->nr_fresh; i++) {
		int fd cleanup_close = open_at(root, plan->fresh[i]);

		if (fd < 0)
			return error_set(err, ERROR_INTERNAL, errno, "%s: %s",
					 plan->fresh[i], strerror(errno));
		code = tree_walk(fd, refuse_entry,
				 (void *)(uintptr_t)plan->fresh[i], err);
	}
	return code;
}

static int check_upper_entry(int directory, const char *name, const char *path,
			     const struct stat *st, void *context,
			     struct error **err)
{
	const struct bound *bound = context;
	char *full cleanup_free = xasprintf("/%s", path);

	(void)directory;
	(void)name;
	if (S_ISDIR(st->st_mode) ? is_above_rule(bound, full)
				 : is_rule(bound, full))
		return TREE_INTO;
	return error_set(err, ERROR_INTERNAL, EEXIST,
			 "%s was written before the branch has begun", full);
}

static int check_upper(const struct bound *bound, const struct root_plan *plan,
		       bool empty_rule, struct error **err)
{
	char *path cleanup_free = xasprintf("%s/upper", plan->directory);
	int fd cleanup_close =
		open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0)
		return error_set(err, ERROR_INTERNAL, errno, "%s: %s", path,
				 strerror(errno));
	return empty_rule ? tree_walk(fd, check_upper_entry,
				      (void *)(uintptr_t)bound, err)
			  : tree_walk(fd, refuse_entry,
				      (void *)(uintptr_t) "the subject", err);
}

int state_digest(const struct bound *bound, const struct digest *snapshot,
		 const struct root_plan *plan, int root, bool empty_rule,
		 struct digest *ret, struct error **err)
{
	struct state state = { .bound = bound };
	size_t i;
	int code = check_upper(bound, plan, empty_rule, err);

	if (!code)
		code = check_fresh(plan, root, err);
	if (code)
		return code;
	state.hasher = hasher_new();
	hasher_add(state.hasher, snapshot->bytes, sizeof(snapshot->bytes));
	for (i = 0; !code && i < plan->nr_steps; i++) {
		const struct step *step = &plan->steps[i];

		if (step->kind == STEP_MAKE || step->kind == STEP_TOUCH ||
		    step->kind == STEP_ROOT || step->kind == STEP_OVERLAY)
			continue; /* outside: paths of this run alone */
		if (is_subject(plan, step))
			code = add_subject(&state, root, step, err);
		else
			add_system(&state, step);
	}
	*ret = hasher_end(state.hasher);
	return code;
}
