// SPDX-License-Identifier: GPL-2.0-only
#include "branch/enforce.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "branch/mounts.h"

/* No name that a label is for leads through a symlink. */
static int open_labelled(int root, const char *path)
{
	struct open_how how = {
		.flags = O_PATH | O_CLOEXEC | O_NOFOLLOW,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_SYMLINKS,
	};

	return (int)syscall(SYS_openat2, root, path, &how, sizeof(how));
}

static int put_label(struct enforcement *enforcement, int fd, const char *path,
		     uint32_t object, uint32_t flags, struct error **err)
{
	struct al_label old;
	int code = guard_label_get(enforcement->guard, fd, &old);

	/* The same inode in another branch has the same label. */
	if (!code && old.object == object && (old.flags & flags) == flags)
		return 0;
	if (!code && old.object != object)
		return error_set(err, ERROR_INTERNAL, EEXIST,
				 "%s: is object %u already, cannot be %u", path,
				 old.object, object);
	if (!code)
		flags |= old.flags;
	return guard_label(enforcement->guard, fd, object, flags, err);
}

static void hold(struct enforcement *enforcement, int fd)
{
	enforcement->held =
		xreallocarray(enforcement->held, enforcement->nr_held + 1,
			      sizeof(*enforcement->held));
	enforcement->held[enforcement->nr_held++] = fd;
}

/* Each label and each mount keeps a descriptor open. */
static int allow_descriptors(size_t nr, struct error **err)
{
	struct rlimit limit = { nr + 1024, nr + 1024 };
	struct rlimit old;

	if (getrlimit(RLIMIT_NOFILE, &old))
		return error_set(err, ERROR_INTERNAL, errno, "rlimit: %s",
				 strerror(errno));
	if (old.rlim_cur >= limit.rlim_cur)
		return 0;
	if (limit.rlim_max < old.rlim_max)
		limit.rlim_max = old.rlim_max;
	if (setrlimit(RLIMIT_NOFILE, &limit))
		return error_set(err, ERROR_MACHINE, errno,
				 "cannot hold %zu descriptors: %s", nr,
				 strerror(errno));
	return 0;
}

static bool is_absent(const struct policy_label *label, int code)
{
	return code == ENOENT && label->optional;
}

static int label_objects(struct enforcement *enforcement, int root,
			 bool complete, struct error **err)
{
	const struct layout *layout = enforcement->layout;
	size_t i;
	int code = 0;

	for (i = 0; !code && i < layout->nr_labels; i++) {
		const struct policy_label *label = &layout->labels[i];
		int fd = open_labelled(root, label->path);

		if (fd < 0) {
			/* The oracle's root lacks most, and what the agent
			 * put in the way is no object. */
			if (!complete || is_absent(label, errno))
				continue;
			return error_set(err, ERROR_INTERNAL, errno,
					 "%s: is not in the branch: %s",
					 label->path, strerror(errno));
		}
		hold(enforcement, fd);
		code = put_label(enforcement, fd, label->path, label->object,
				 label->flags, err);
	}
	return code;
}

/* The tree that @path lies in, as the layout names it. */
static const struct policy_label *tree_of(const struct layout *layout,
					  const char *path)
{
	const struct policy_label *best = NULL;
	size_t length = 0, i;

	for (i = 0; i < layout->nr_labels; i++) {
		const struct policy_label *label = &layout->labels[i];

		if (!strcmp(label->path, path))
			return NULL; /* has a label of its own */
		if (label->flags & AL_LABEL_TREE &&
		    path_below(path, label->path) &&
		    strlen(label->path) >= length) {
			best = label;
			length = strlen(label->path);
		}
	}
	return best;
}

/*
 * The guard looks for the tree that governs an inode only within the inode's
 * file system: the root of each mount carries the label of the tree around it.
 */
static int label_mounts(struct enforcement *enforcement, int root,
			const struct root_plan *plan, struct error **err)
{
	size_t i;
	int code = 0;

	for (i = 0; !code && i < plan->nr_steps; i++) {
		const struct step *step = &plan->steps[i];
		const struct policy_label *tree;
		struct stat st;
		int fd;

		if (!step->governed)
			continue;
		tree = tree_of(enforcement->layout, step->target);
		fd = tree ? open_labelled(root, step->target) : -1;
		if (fd < 0)
			continue;
		hold(enforcement, fd);
		if (fstat(fd, &st))
			return error_set(err, ERROR_INTERNAL, errno, "%s: %s",
					 step->target, strerror(errno));
		code = put_label(enforcement, fd, step->target, tree->object,
				 S_ISDIR(st.st_mode) ? AL_LABEL_TREE : 0, err);
	}
	return code;
}

static void on_event(const struct al_event *event, void *context)
{
	struct enforcement *enforcement = context;

	if (enforcement->nr_events == EVENTS_MAX) {
		enforcement->nr_dropped++;
		return;
	}
	if (!enforcement->events)
		enforcement->events = xreallocarray(
			NULL, EVENTS_MAX, sizeof(*enforcement->events));
	enforcement->events[enforcement->nr_events++] = *event;
}

int enforcement_arm(struct guard *guard, const struct layout *layout,
		    const struct al_rule *rules, bool complete,
		    const struct sandbox *sandbox, struct enforcement *ret,
		    struct error **err)
{
	const struct sandbox_spec *spec = sandbox->spec;
	int code;

	if (!guard)
		return 0;
	ret->guard = guard;
	ret->layout = layout;
	code = allow_descriptors(layout->nr_labels + spec->plan->nr_steps, err);
	if (!code)
		code = label_objects(ret, sandbox->root, complete, err);
	if (!code)
		code = label_mounts(ret, sandbox->root, spec->plan, err);
	if (code)
		return code;
	code = guard_policy_add(guard, spec->cgroup->id, spec->cgroup->level,
				rules, (uint32_t)layout->nr_objects, err);
	if (code)
		return code;
	ret->cgroup = spec->cgroup->id;
	code = guard_events_open(guard, ret->cgroup, on_event, ret,
				 &ret->reader, err);
	if (!code)
		code = guard_policy_mode(guard, ret->cgroup, AL_MODE_ENFORCE,
					 err);
	return code;
}

int enforcement_fd(const struct enforcement *enforcement)
{
	return enforcement->reader ? guard_events_fd(enforcement->reader) : -1;
}

int enforcement_ready(void *enforcement)
{
	struct enforcement *self = enforcement;
	int code = self->reader ? guard_events_read(self->reader) : 0;

	return code < 0 ? code : 0;
}

static void copy_rules(const struct enforcement *enforcement,
		       const struct al_rule *rules, struct arena *arena,
		       struct record_run *run)
{
	size_t i;

	for (i = 0; i < enforcement->layout->nr_objects; i++) {
		struct record_rule *to;

		if (!rules[i].allow && !rules[i].granted)
			continue;
		to = ARENA_PUSH(arena, run->rules, run->nr_rules);
		to->object = (uint32_t)i;
		to->allow = rules[i].allow;
		to->granted = rules[i].granted;
	}
}

static void copy_count(uint32_t object, const struct al_count *count,
		       struct arena *arena, struct record_run *run)
{
	uint32_t operation;

	for (operation = 0; operation < AL_NR_OPERATIONS; operation++) {
		struct record_count *to;

		if (!count->allowed[operation] && !count->denied[operation])
			continue;
		to = ARENA_PUSH(arena, run->counts, run->nr_counts);
		to->object = object;
		to->operation = operation;
		to->allowed = count->allowed[operation];
		to->denied = count->denied[operation];
	}
}

static int copy_counts(struct enforcement *enforcement, struct arena *arena,
		       struct record_run *run, struct error **err)
{
	uint32_t nr = (uint32_t)enforcement->layout->nr_objects, i;
	struct al_count *counts cleanup_free = xzalloc(nr * sizeof(*counts));
	int code = guard_policy_counts(enforcement->guard, enforcement->cgroup,
				       counts, nr, err);

	for (i = 0; !code && i < nr; i++)
		copy_count(i, &counts[i], arena, run);
	return code;
}

int enforcement_evidence(struct enforcement *enforcement,
			 const struct al_rule *rules, struct arena *arena,
			 struct record_run *run, struct error **err)
{
	struct al_policy state;
	int code;

	if (!enforcement->guard)
		return 0;
	code = enforcement_ready(enforcement);
	if (code)
		return error_set(err, ERROR_INTERNAL, code,
				 "events cannot be read: %s", strerror(-code));
	code = guard_policy_state(enforcement->guard, enforcement->cgroup,
				  &state, err);
	if (!code)
		code = copy_counts(enforcement, arena, run, err);
	if (code)
		return code;
	if (state.mode != AL_MODE_ENFORCE)
		return error_set(err, ERROR_INTERNAL, EIO,
				 "the policy was not enforced to the end");
	copy_rules(enforcement, rules, arena, run);
	run->nr_events = enforcement->nr_events;
	run->events = arena_alloc(arena, enforcement->nr_events *
						 sizeof(*run->events));
	if (enforcement->nr_events)
		memcpy(run->events, enforcement->events,
		       enforcement->nr_events * sizeof(*run->events));
	run->nr_lost = state.lost + enforcement->nr_dropped;
	run->nr_unlabelled = state.unlabelled;
	return 0;
}

void enforcement_done(struct enforcement *enforcement)
{
	size_t i;

	if (enforcement->reader)
		guard_events_close(enforcement->reader);
	if (enforcement->cgroup)
		guard_policy_remove(enforcement->guard, enforcement->cgroup);
	for (i = 0; i < enforcement->nr_held; i++)
		close(enforcement->held[i]);
	free(enforcement->held);
	free(enforcement->events);
	memset(enforcement, 0, sizeof(*enforcement));
}
