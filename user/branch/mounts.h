/* SPDX-License-Identifier: GPL-2.0-only */
/* What is mounted where, as this process sees it. */
#ifndef USER_BRANCH_MOUNTS_H
#define USER_BRANCH_MOUNTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/memory.h"

/**
 * struct mount - one line of /proc/self/mountinfo, names unescaped
 * @root:	what of the filesystem is mounted
 * @point:	where
 * @type:	file system
 * @options:	of the superblock
 */
struct mount {
	const char *root;
	const char *point;
	const char *type;
	const char *options;
};

/**
 * mounts_read() - all mounts, in the kernel's order
 * @arena:	owns the result
 * @err:	ERROR_MACHINE: no /proc, or not understood
 */
int mounts_read(struct arena *arena, struct mount **ret, size_t *ret_nr,
		struct error **err);

/* mount_option() - is @option among the superblock's options? */
bool mount_option(const struct mount *mount, const char *option);

/* path_below() - is @path strictly below @directory? */
bool path_below(const char *path, const char *directory);

#endif /* USER_BRANCH_MOUNTS_H */
