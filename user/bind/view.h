/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The view: which files an agent will see in a branch, before there is one.
 * What we lay out ourselves (workspace, home, fixtures) is a tree of nodes;
 * of the host's system directories the machine is asked; all else is empty or
 * fresh. Names are resolved in it as the kernel will in the branch.
 */
#ifndef USER_BIND_VIEW_H
#define USER_BIND_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/memory.h"

enum node_kind { NODE_DIRECTORY, NODE_FILE, NODE_SYMLINK };

/* Names of one file, where it has several. */
struct names {
	struct node **list;
	size_t nr;
};

/**
 * struct node - one name
 * @name:	last component, any bytes; "" for the root
 * @parent:	NULL for the root
 * @children:	sorted by name
 * @target:	of a symlink
 * @names:	all names of the file, this one too; NULL: the only one
 * @trusted:	the symlink was made by the setup, so it may lead anywhere
 * @complete:	what the directory lacks does not exist in the branch
 * @made:	a fixture or another thing of ours, not found by walking
 * @source:	where it comes from on the host, relative to @directory; NULL:
 *		from where its parent says, or generated if it was @made
 */
struct node {
	const char *name;
	enum node_kind kind;
	struct node *parent;
	struct node **children;
	size_t nr_children;
	const char *target;
	struct names *names;
	bool trusted;
	bool complete;
	bool made;
	const char *source;
	int directory;
};

struct view;

/* view_new() - with what every branch has: system, fresh parts, devices */
struct view *view_new(struct arena *arena);
void view_free(struct view *view);
struct node *view_root(struct view *view);

/**
 * view_walk() - add a directory of the host, with all that is in it
 * @to:		directory node that its content goes into
 * @directory:	descriptor that @path is relative to
 * @what:	for messages: "the project"
 * @err:	ERROR_CONFIG, all of them: what cannot be read, what is neither
 *		file nor directory nor symlink, too much
 *
 * Never leaves the directory: symlinks are noted, not followed.
 */
int view_walk(struct view *view, struct node *to, int directory,
	      const char *path, const char *what, struct error **err);

/* node_find() - child by name, NULL: none */
struct node *node_find(const struct node *directory, const char *name);
/* node_path() - absolute path in the branch */
const char *node_path(struct arena *arena, const struct node *node);

/**
 * view_directory() - node of a directory, made if need be with its parents
 * @path:	absolute, without symlinks
 *
 * Return: NULL where something that is no directory is in the way.
 */
struct node *view_directory(struct view *view, const char *path);
/* view_file() - node of a file at @path, the same conditions */
struct node *view_file(struct view *view, const char *path);
/* view_symlink() - a trusted symlink; NULL if the name is taken */
struct node *view_symlink(struct view *view, const char *path,
			  const char *target);
/* view_link() - make @path another name of @file; NULL if it is taken */
struct node *view_link(struct view *view, const char *path, struct node *file);

/**
 * struct found - what a name leads to in the branch
 * @path:	absolute, all symlinks resolved
 * @exists:	there is something
 * @node:	what we lay out, NULL where the host or nothing has it
 * @type:	S_IFREG, S_IFDIR or another type; 0 if it does not exist
 * @host:	it is the host's; @stat counts
 * @stat:	of the host's file
 * @link:	path of the first symlink of the project on the way, or NULL
 * @target:	what that one says
 * @problem:	why it cannot be resolved (loop, a file on the way), or NULL
 */
struct found {
	const char *path;
	bool exists;
	struct node *node;
	mode_t type;
	bool host;
	struct stat stat;
	const char *link;
	const char *target;
	const char *problem;
};

/* view_resolve() - follow an absolute path, symlinks at its end too */
struct found view_resolve(struct view *view, const char *path);

/**
 * found_source() - where the bytes of a file are before there is a branch
 * @ret_directory: descriptor that *@ret_path is relative to
 * @ret_path:	on the host
 *
 * Return: false where we generate them.
 */
bool found_source(struct arena *arena, const struct found *found,
		  int *ret_directory, const char **ret_path);

/* path_within() - is @path strictly below @directory, both canonical? */
bool path_within(const char *path, const char *directory);

#endif /* USER_BIND_VIEW_H */
