// SPDX-License-Identifier: GPL-2.0-only
/*
 * What baselines do not reach, and what they reach although it was declared:
 * the files that the given solution needs.
 */
#include "binder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

/* One baseline's tree. */
struct tree {
	struct binder *binder;
	const struct baseline *baseline;
	uint32_t object;
	const char *path;
};

static void except_object(struct tree *tree, const struct found *found,
			  enum resource_kind kind)
{
	struct bound *bound = tree->binder->bound;
	uint32_t id;

	if (found->problem || !path_within(found->path, tree->path))
		return;
	id = object_file(tree->binder, found, kind);
	/* The rule must stay readable, and ours is nobody else's. */
	if (id && id != bound->rule_object && id != bound->own_object &&
	    id != tree->object)
		bound->objects[id].excepted = true;
}

/*
 * What a name leads to and, if that is elsewhere, the symlink that it is: else
 * the link could be replaced by a file of its name.
 */
static void except_name(struct tree *tree, const char *name,
			enum resource_kind kind)
{
	struct view *view = tree->binder->view;
	char *path cleanup_free = xasprintf("%s/%s", tree->path, name);
	char *directory cleanup_free = xstrdup(path);
	struct found found = view_resolve(view, path), parent;
	struct node *node;

	except_object(tree, &found, kind);
	*strrchr(directory, '/') = '\0';
	parent = view_resolve(view, directory);
	node = parent.node ? node_find(parent.node, strrchr(path, '/') + 1)
			   : NULL;
	if (!node || node->kind != NODE_SYMLINK)
		return;
	found = (struct found){
		.path = node_path(tree->binder->arena, node),
		.exists = true,
		.node = node,
		.type = S_IFLNK,
	};
	except_object(tree, &found, RESOURCE_FILE);
}

/* What ends in two stars is the directory itself, as a tree. */
static char *pattern_path(const char *pattern, enum resource_kind *ret_kind)
{
	size_t length = strlen(pattern);

	*ret_kind = RESOURCE_FILE;
	if (length > 3 && !strcmp(pattern + length - 3, "/**")) {
		*ret_kind = RESOURCE_DIR;
		length -= 3;
	}
	return xmemdup0(pattern, length);
}

/* Everything below @node whose path matches. */
static void except_nodes(struct tree *tree, const struct node *node,
			 const char *path, const char *pattern)
{
	size_t i;

	for (i = 0; i < node->nr_children; i++) {
		const struct node *child = node->children[i];
		char *below cleanup_free = xasprintf(
			"%s%s%s", path, *path ? "/" : "", child->name);

		if (glob_match(pattern, below)) {
			except_name(tree, below, RESOURCE_FILE);
			continue;
		}
		if (child->kind == NODE_DIRECTORY)
			except_nodes(tree, child, below, pattern);
	}
}

/* A name without a pattern is kept apart even before it exists. */
static void except_pattern(struct tree *tree, const char *pattern)
{
	enum resource_kind kind;
	char *path cleanup_free = pattern_path(pattern, &kind);
	bool anywhere = !strncmp(path, "**/", 3);
	struct found found = view_resolve(tree->binder->view, tree->path);

	if (glob_exact(path)) {
		except_name(tree, path, kind);
		return;
	}
	if (found.node)
		except_nodes(tree, found.node, "", path);
	if (anywhere && glob_exact(path + 3))
		except_name(tree, path + 3, kind);
}

static void except_tree(struct tree *tree)
{
	const struct list *control = &tree->binder->tables.control_files;
	size_t i, k;

	for (i = 0; i < tree->baseline->nr_excepts; i++) {
		const struct except *except = &tree->baseline->excepts[i];
		struct found found =
			view_resolve(tree->binder->view, tree->path);

		if (!except->table) {
			if (!found.node && !glob_exact(except->path))
				bind_complain(tree->binder, &tree->baseline->at,
					      "patterns are for directories "
					      "of a branch's own, not for the "
					      "host's: \"%s\"",
					      except->path);
			except_pattern(tree, except->path);
			continue;
		}
		/* The only table; the parser knows its name. */
		for (k = 0; k < control->nr; k++)
			except_pattern(tree, control->items[k]);
	}
}

void bind_excepts(struct binder *binder)
{
	const struct program *program = binder->program;
	struct bound *bound = binder->bound;
	size_t i;

	for (i = 0; i < program->nr_baselines; i++) {
		struct tree tree = {
			.binder = binder,
			.baseline = &program->baselines[i],
			.object = bound->baseline_objects[i],
		};

		if (!tree.object || !tree.baseline->nr_excepts)
			continue;
		tree.path = bound->objects[tree.object].paths[0];
		except_tree(&tree);
	}
}

/* ---- the solution's files */

/* Does a tree that a baseline does not reach contain @path? */
static bool is_carved(struct binder *binder, const char *path)
{
	char *above cleanup_free = xstrdup(path);
	char *slash;

	while ((slash = strrchr(above, '/')) && slash > above) {
		const struct object *object;
		uint32_t id;

		*slash = '\0';
		id = object_at(binder, above);
		object = id ? &binder->bound->objects[id] : NULL;
		if (object && object->tree &&
		    (object->declared || object->excepted) &&
		    strcmp(above, BRANCH_WORKSPACE))
			return true;
	}
	return false;
}

/* What the solution has at @path goes to the same path of the workspace. */
static void task_node(struct binder *binder, const struct node *node,
		      const char *path)
{
	struct found found = view_resolve(binder->view, path);
	bool directory = node->kind == NODE_DIRECTORY;
	uint32_t id = object_at(binder, found.path);
	size_t i;

	if (found.problem || !path_within(found.path, BRANCH_WORKSPACE))
		return;
	/* A directory that is there already is not the solution's. */
	if (!directory || !found.exists) {
		if (!id && is_carved(binder, found.path))
			id = object_file(binder, &found,
					 directory ? RESOURCE_DIR
						   : RESOURCE_FILE);
		if (id)
			binder->bound->objects[id].task = true;
	}
	for (i = 0; i < node->nr_children; i++) {
		char *below cleanup_free =
			xasprintf("%s/%s", path, node->children[i]->name);

		task_node(binder, node->children[i], below);
	}
}

void bind_task_files(struct binder *binder)
{
	const struct node *solution =
		view_directory(binder->view, BRANCH_SOLUTION);
	size_t i;

	if (binder->bound->rule_object)
		binder->bound->objects[binder->bound->rule_object].task = true;
	for (i = 0; i < solution->nr_children; i++) {
		char *path cleanup_free = xasprintf(
			"%s/%s", BRANCH_WORKSPACE, solution->children[i]->name);

		task_node(binder, solution->children[i], path);
	}
}
