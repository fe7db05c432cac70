// SPDX-License-Identifier: GPL-2.0-only
#include "branch/root.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"

/* The root's own file system holds only directories and links. */
#define ROOT_OPTIONS "mode=0755,size=1m,nr_inodes=4096"

static int failed(struct error **err, const struct step *step, const char *what)
{
	int code = errno;

	return error_set(err, ERROR_MACHINE, code, "%s: %s: %s", step->target,
			 what, strerror(code));
}

/* Names inside, whatever symlinks are there, never lead out of the root. */
static int open_inside(int root, const char *path)
{
	struct open_how how = {
		.flags = O_PATH | O_CLOEXEC,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};

	return (int)syscall(SYS_openat2, root, path, &how, sizeof(how));
}

/* The directory that @path is a name in. */
static int open_parent(int root, const char *path, const char **ret_name)
{
	const char *slash = strrchr(path, '/');
	char *directory cleanup_free =
		xmemdup0(path, slash > path ? (size_t)(slash - path) : 1);

	*ret_name = slash + 1;
	return open_inside(root, directory);
}

static int make_inside(int root, const struct step *step, struct error **err)
{
	const char *name;
	int parent cleanup_close = open_parent(root, step->target, &name);
	int ret;

	if (parent < 0)
		return failed(err, step, "parent");
	if (step->kind == STEP_SYMLINK)
		ret = symlinkat(step->source, parent, name);
	else if (step->kind == STEP_DEVICE)
		ret = mknodat(parent, name, S_IFCHR | step->mode, step->device);
	else
		ret = mkdirat(parent, name, step->mode);
	if (ret && errno == EEXIST && step->kind == STEP_DIRECTORY)
		return 0;
	/* The mode whatever our umask. */
	if (!ret && step->kind != STEP_SYMLINK)
		ret = fchmodat(parent, name, step->mode, 0);
	return ret ? failed(err, step, "cannot make it") : 0;
}

static int set_attributes(int fd, uint64_t attributes)
{
	struct mount_attr attr = {
		.attr_set = attributes,
		.propagation = MS_PRIVATE,
	};

	return mount_setattr(fd, "", AT_EMPTY_PATH, &attr, sizeof(attr));
}

/* @tree: a detached mount; it gets its attributes before anyone sees it */
static int attach(int root, int tree, const struct step *step,
		  struct error **err)
{
	int target cleanup_close = -1;

	if (set_attributes(tree, step->attributes))
		return failed(err, step, "mount attributes");
	target = open_inside(root, step->target);
	if (target < 0)
		return errno == ENOENT && step->optional
			       ? 0
			       : failed(err, step, "mount point");
	if (move_mount(tree, "", target, "",
		       MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH))
		return failed(err, step, "mount");
	return 0;
}

static int bind_inside(int root, const struct step *step, struct error **err)
{
	int tree cleanup_close = -1;

	if (step->kind == STEP_AGAIN) {
		int source cleanup_close = open_inside(root, step->source);

		if (source >= 0)
			tree = open_tree(source, "",
					 AT_EMPTY_PATH | OPEN_TREE_CLONE |
						 OPEN_TREE_CLOEXEC);
	} else {
		tree = open_tree(AT_FDCWD, step->source,
				 AT_SYMLINK_NOFOLLOW | OPEN_TREE_CLONE |
					 OPEN_TREE_CLOEXEC);
	}
	if (tree < 0)
		return errno == ENOENT && step->optional
			       ? 0
			       : failed(err, step, "source");
	return attach(root, tree, step, err);
}

/*
 * Mounts a file system on what @target names now. The call takes a path; the
 * descriptor's name in /proc is one that no symlink can bend.
 */
static int mount_inside(int root, const struct step *step, const char *type,
			const char *options, struct error **err)
{
	int target cleanup_close = open_inside(root, step->target);
	int top cleanup_close = -1;
	char path[64];

	if (target < 0)
		return failed(err, step, "mount point");
	snprintf(path, sizeof(path), "/proc/self/fd/%d", target);
	if (mount("aletheia", path, type, MS_NOSUID | MS_NOEXEC, options))
		return failed(err, step, type);
	top = open_inside(root, step->target);
	if (top < 0 || set_attributes(top, step->attributes))
		return failed(err, step, "mount attributes");
	return 0;
}

/* Extends a directory of the host: put together outside, then moved in. */
static int layers_inside(int root, const struct root_plan *plan,
			 const struct step *step, struct error **err)
{
	char *outside cleanup_free = xasprintf("%s/layers", plan->directory);
	int tree cleanup_close = -1;
	int code;

	if (mkdir(outside, 0700) && errno != EEXIST)
		return failed(err, step, outside);
	code = overlay_mount(outside, step->layers, NULL, NULL, err);
	if (code)
		return code;
	tree = open_tree(AT_FDCWD, outside,
			 OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
	if (tree < 0 || umount2(outside, MNT_DETACH))
		return failed(err, step, "overlay");
	return attach(root, tree, step, err);
}

static int pin(int root, const struct step *step, struct guard *guard,
	       struct error **err)
{
	int fd cleanup_close = -1;
	int code;

	if (!guard)
		return 0;
	code = mount_inside(root, step, "bpf", "mode=0700", err);
	if (code)
		return code;
	fd = open_inside(root, step->target);
	if (fd < 0)
		return failed(err, step, "bpf file system");
	return guard_pin(guard, fd, err);
}

static int make_outside(const struct step *step, struct error **err)
{
	int fd cleanup_close = -1;

	if (step->kind == STEP_TOUCH) {
		fd = open(step->target, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
		return fd < 0 ? failed(err, step, "cannot make it") : 0;
	}
	if (mkdir(step->target, step->mode) && errno != EEXIST)
		return failed(err, step, "cannot make it");
	if (chown(step->target, step->uid, step->uid) ||
	    chmod(step->target, step->mode))
		return failed(err, step, "owner and mode");
	return 0;
}

static int do_step(const struct root_plan *plan, const struct step *step,
		   int *root, struct guard *guard, struct error **err)
{
	switch (step->kind) {
	case STEP_MAKE:
	case STEP_TOUCH:
		return make_outside(step, err);
	case STEP_ROOT:
		if (mount("aletheia", step->target, "tmpfs",
			  MS_NOSUID | MS_NODEV, ROOT_OPTIONS))
			return failed(err, step, "tmpfs");
		*root = open(step->target, O_PATH | O_DIRECTORY | O_CLOEXEC);
		return *root < 0 ? failed(err, step, "root") : 0;
	case STEP_OVERLAY:
		return overlay_mount(step->target, step->layers, step->upper,
				     step->work, err);
	case STEP_DIRECTORY:
	case STEP_SYMLINK:
	case STEP_DEVICE:
		return make_inside(*root, step, err);
	case STEP_BIND:
	case STEP_AGAIN:
		return bind_inside(*root, step, err);
	case STEP_LAYERS:
		return layers_inside(*root, plan, step, err);
	case STEP_TMPFS:
		return mount_inside(*root, step, "tmpfs", step->source, err);
	case STEP_PROC:
		return mount_inside(*root, step, "proc", NULL, err);
	case STEP_ATTRIBUTES: {
		int fd cleanup_close = open_inside(*root, step->target);

		if (fd < 0 || set_attributes(fd, step->attributes))
			return failed(err, step, "mount attributes");
		return 0;
	}
	case STEP_PINS:
		return pin(*root, step, guard, err);
	}
	return error_set(err, ERROR_INTERNAL, EINVAL, "no such step");
}

int root_build(const struct root_plan *plan, struct guard *guard,
	       struct error **err)
{
	int root cleanup_close = -1;
	size_t i;
	int code = 0;

	for (i = 0; !code && i < plan->nr_steps; i++)
		code = do_step(plan, &plan->steps[i], &root, guard, err);
	return code;
}

int root_enter(const struct root_plan *plan, struct error **err)
{
	struct mount_attr attr = { .attr_set = MOUNT_ATTR_RDONLY };

	/* The old root is stacked on the new one and then taken away. */
	if (chdir(plan->root) || syscall(SYS_pivot_root, ".", ".") ||
	    umount2(".", MNT_DETACH) || chdir("/") ||
	    mount_setattr(AT_FDCWD, "/", 0, &attr, sizeof(attr)))
		return error_set(err, ERROR_MACHINE, errno,
				 "cannot enter the branch's root: %s",
				 strerror(errno));
	return 0;
}
