/* SPDX-License-Identifier: GPL-2.0-only */
/* Trees of files in which somebody else could have put anything. */
#ifndef USER_BRANCH_TREE_H
#define USER_BRANCH_TREE_H

#include <sys/stat.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/memory.h"

enum {
	TREE_DEPTH_MAX = 128,
	TREE_ENTRIES_MAX = 1000000,
};

/**
 * tree_copy() - lay regular files, directories and symlinks over a directory
 * @from, @to:	directories
 * @uid:	owner and group of what is made
 * @err:	ERROR_CONFIG (@from cannot be read, or holds something else),
 *		ERROR_MACHINE (full)
 *
 * What stands in the way of a file is removed, and never followed.
 */
int tree_copy(int from, int to, uid_t uid, struct error **err);

/* tree_keep() - the same of an overlay's upper layer, for people to look at */
int tree_keep(int from, int to, struct error **err);

/**
 * tree_restore() - one file, to where it was
 * @path:	relative to both
 */
int tree_restore(int from, int to, const char *path, uid_t uid,
		 struct error **err);

/**
 * tree_open() - a file of a tree, no symlink followed, whatever it is
 * @flags:	of open()
 *
 * Return: a descriptor or -errno.
 */
int tree_open(int root, const char *path, int flags);

enum tree_next {
	TREE_INTO, /* go on, into a directory */
	TREE_OVER, /* go on, not into this directory */
};

/**
 * typedef tree_fn - one entry
 * @directory:	that it is in
 * @name:	in @directory
 * @path:	from the root of the walk, without a leading slash
 *
 * Return: enum tree_next, or -errno with @err set, which ends the walk. A
 * directory that it removes is not gone into.
 */
typedef int (*tree_fn)(int directory, const char *name, const char *path,
		       const struct stat *st, void *context,
		       struct error **err);

/**
 * tree_walk() - every entry below a directory, sorted by name, parents first
 *
 * Symlinks are not followed. ERROR_CONFIG beyond TREE_*_MAX.
 */
int tree_walk(int root, tree_fn fn, void *context, struct error **err);

/* tree_remove() - @name in @directory, whatever it is, with all below it */
int tree_remove(int directory, const char *name, struct error **err);

#endif /* USER_BRANCH_TREE_H */
