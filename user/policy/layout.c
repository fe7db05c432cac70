// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which inode is which object, and which names are spoken for.
 *
 * A bound path has its own label, so that the object is governed by what it
 * is. Between it and the tree that it lies in, each directory gets an object
 * too: its parent then knows that name (a slot), and the name cannot be moved
 * away under what is bound below it. Such a directory is no tree: what lies in
 * it without a name of its own belongs to the tree above.
 */
#include "policy.h"

#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

/* A directory object that is not bound; one path per alias of its tree. */
struct directory {
	const char **paths;
	size_t nr_paths;
	uint32_t tree;
	bool exists;
};

/* What has an absolute path: a bound object or a directory. */
struct named {
	const char *path;
	uint32_t object;
};

/**
 * struct compiler - the layout under construction
 * @layout:	its result
 * @directories: objects from @bound->nr_objects on
 * @named:	tsearch() tree of struct named, by path
 * @slots:	tsearch() tree of struct policy_slot, by parent and name
 */
struct compiler {
	const struct bound *bound;
	struct layout *layout;
	struct arena *arena;
	struct directory *directories;
	size_t nr_directories;
	void *named;
	void *slots;
};

static int compare_named(const void *a, const void *b)
{
	const struct named *x = a, *y = b;

	return strcmp(x->path, y->path);
}

static int compare_slots(const void *a, const void *b)
{
	const struct policy_slot *x = a, *y = b;

	if (x->parent != y->parent)
		return x->parent < y->parent ? -1 : 1;
	return strcmp(x->name, y->name);
}

static int compare_below(const void *a, const void *b)
{
	const struct policy_below *x = a, *y = b;

	if (x->directory != y->directory)
		return x->directory < y->directory ? -1 : 1;
	return x->object < y->object ? -1 : x->object > y->object;
}

/* The trees own nothing: all is in the arena. */
static void keep(void *node)
{
	(void)node;
}

static void compiler_done(struct compiler *compiler)
{
	tdestroy(compiler->named, keep);
	tdestroy(compiler->slots, keep);
}

static uint32_t object_at(const struct compiler *compiler, const char *path)
{
	const struct named key = { .path = path };
	struct named **found = tfind(&key, &compiler->named, compare_named);

	return found ? (*found)->object : AL_OBJECT_NONE;
}

static uint32_t object_in_slot(const struct compiler *compiler, uint32_t parent,
			       const char *name)
{
	const struct policy_slot key = { .parent = parent, .name = name };
	struct policy_slot **found =
		tfind(&key, &compiler->slots, compare_slots);

	return found ? (*found)->object : AL_OBJECT_NONE;
}

static bool is_directory(const struct compiler *compiler, uint32_t object)
{
	return object >= compiler->bound->nr_objects;
}

static bool is_tree(const struct compiler *compiler, uint32_t object)
{
	return !is_directory(compiler, object) &&
	       compiler->bound->objects[object].tree;
}

static void add_name(struct compiler *compiler, const char *path,
		     uint32_t object)
{
	struct named *named = arena_alloc(compiler->arena, sizeof(*named));

	named->path = path;
	named->object = object;
	if (!tsearch(named, &compiler->named, compare_named))
		abort(); /* out of memory */
}

/* Name every bound path; two objects on one path cannot both be meant. */
static int add_bound_names(struct compiler *compiler, struct error **err)
{
	const struct bound *bound = compiler->bound;
	uint32_t id, other;
	size_t i;

	for (id = AL_OBJECT_FIRST; id < bound->nr_objects; id++) {
		const struct object *object = &bound->objects[id];

		for (i = 0; i < object->nr_paths; i++) {
			const char *path = object->paths[i];

			if (path[0] != '/')
				return error_set(err, ERROR_INTERNAL, EINVAL,
						 "object \"%s\": the path "
						 "\"%s\" is not absolute",
						 object->name, path);
			other = object_at(compiler, path);
			if (other == id)
				continue;
			if (other != AL_OBJECT_NONE)
				return error_set(
					err, ERROR_INTERNAL, EINVAL,
					"\"%s\" is both \"%s\" and \"%s\"",
					path, object->name,
					bound->objects[other].name);
			add_name(compiler, path, id);
		}
	}
	return 0;
}

/* The directory that a path lies in; NULL: the path is the root's. */
static const char *parent_path(struct arena *arena, const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!path[1])
		return NULL;
	return slash == path
		       ? "/"
		       : arena_strndup(arena, path, (size_t)(slash - path));
}

static const char *last_name(const char *path)
{
	return strrchr(path, '/') + 1;
}

static int add_slot(struct compiler *compiler, uint32_t parent,
		    const char *name, uint32_t object, struct error **err)
{
	struct layout *layout = compiler->layout;
	uint32_t other = object_in_slot(compiler, parent, name);
	struct policy_slot *slot;

	if (other == object)
		return 0;
	if (other != AL_OBJECT_NONE)
		return error_set(err, ERROR_INTERNAL, EINVAL,
				 "two objects have the name \"%s\" in one "
				 "directory",
				 name);
	if (strlen(name) >= AL_NAME_SIZE)
		return error_set(err, ERROR_CONFIG, ENAMETOOLONG,
				 "the name \"%s\" is longer than %d bytes",
				 name, AL_NAME_SIZE - 1);
	if (layout->nr_slots >= AL_MAX_SLOTS)
		return error_set(err, ERROR_CONFIG, E2BIG,
				 "more than %d names are bound", AL_MAX_SLOTS);
	/* Nodes of the search tree must not move: sorted into place later. */
	slot = arena_alloc(compiler->arena, sizeof(*slot));
	slot->parent = parent;
	slot->name = name;
	slot->object = object;
	if (!tsearch(slot, &compiler->slots, compare_slots))
		abort();
	layout->nr_slots++;
	return 0;
}

static int add_directory(struct compiler *compiler, const char *path,
			 uint32_t tree, uint32_t *ret, struct error **err)
{
	struct directory *directory;
	uint32_t id = (uint32_t)(compiler->bound->nr_objects +
				 compiler->nr_directories);

	if (id >= AL_MAX_OBJECTS)
		return error_set(err, ERROR_CONFIG, E2BIG,
				 "more than %d objects are bound",
				 AL_MAX_OBJECTS - 1);
	directory = ARENA_PUSH(compiler->arena, compiler->directories,
			       compiler->nr_directories);
	directory->tree = tree;
	*ARENA_PUSH(compiler->arena, directory->paths, directory->nr_paths) =
		path;
	add_name(compiler, path, id);
	*ret = id;
	return 0;
}

/*
 * The object of the directory at a path, below a tree or without one. A tree
 * that has several names leads to the same directories by each.
 */
static int find_directory(struct compiler *compiler, const char *path,
			  uint32_t tree, uint32_t parent, uint32_t *ret,
			  struct error **err)
{
	struct directory *directory;
	uint32_t id = object_at(compiler, path);
	int r;

	if (id == AL_OBJECT_NONE && tree != AL_OBJECT_NONE) {
		id = object_in_slot(compiler, parent, last_name(path));
		if (id != AL_OBJECT_NONE && is_directory(compiler, id)) {
			directory = &compiler->directories
					     [id - compiler->bound->nr_objects];
			*ARENA_PUSH(compiler->arena, directory->paths,
				    directory->nr_paths) = path;
			add_name(compiler, path, id);
		}
	}
	if (id == AL_OBJECT_NONE) {
		r = add_directory(compiler, path, tree, &id, err);
		if (r)
			return r;
	}
	*ret = id;
	return tree == AL_OBJECT_NONE
		       ? 0
		       : add_slot(compiler, parent, last_name(path), id, err);
}

/* The nearest tree strictly above a path. */
static uint32_t tree_above(const struct compiler *compiler, const char *path)
{
	uint32_t id;

	while ((path = parent_path(compiler->arena, path))) {
		id = object_at(compiler, path);
		if (id != AL_OBJECT_NONE && is_tree(compiler, id))
			return id;
	}
	return AL_OBJECT_NONE;
}

/* The directory that @path lies in, and those above it up to the tree. */
static int name_parent(struct compiler *compiler, const char *path,
		       uint32_t tree, uint32_t *ret, struct error **err)
{
	const char *directory = parent_path(compiler->arena, path);
	uint32_t id = object_at(compiler, directory), above = AL_OBJECT_NONE;
	int r = 0;

	if (id != AL_OBJECT_NONE && id == tree) {
		*ret = id;
		return 0;
	}
	if (tree != AL_OBJECT_NONE)
		r = name_parent(compiler, directory, tree, &above, err);
	return r ? r
		 : find_directory(compiler, directory, tree, above, ret, err);
}

static int add_path(struct compiler *compiler, uint32_t id, const char *path,
		    struct error **err)
{
	uint32_t parent;
	int r;

	if (!path[1])
		return 0;
	r = name_parent(compiler, path, tree_above(compiler, path), &parent,
			err);
	return r ? r : add_slot(compiler, parent, last_name(path), id, err);
}

/* Note for each directory object above a path what is bound below it. */
static void add_below(struct compiler *compiler, const struct object *object,
		      const char *path)
{
	struct layout *layout = compiler->layout;
	struct policy_below *below;
	uint32_t id;

	while ((path = parent_path(compiler->arena, path))) {
		id = object_at(compiler, path);
		if (!is_directory(compiler, id))
			continue;
		below = ARENA_PUSH(compiler->arena, layout->below,
				   layout->nr_below);
		below->directory = id;
		below->object = object->id;
		if (!object->absent)
			compiler->directories[id - compiler->bound->nr_objects]
				.exists = true;
	}
}

static int add_paths(struct compiler *compiler, struct error **err)
{
	const struct bound *bound = compiler->bound;
	uint32_t id;
	size_t i;
	int r;

	for (id = AL_OBJECT_FIRST; id < bound->nr_objects; id++) {
		const struct object *object = &bound->objects[id];

		for (i = 0; i < object->nr_paths; i++) {
			r = add_path(compiler, id, object->paths[i], err);
			if (r)
				return r;
		}
	}
	for (id = AL_OBJECT_FIRST; id < bound->nr_objects; id++) {
		const struct object *object = &bound->objects[id];

		for (i = 0; i < object->nr_paths; i++)
			add_below(compiler, object, object->paths[i]);
	}
	return 0;
}

static void collect_slot(const void *node, VISIT which, void *layout_)
{
	struct layout *layout = layout_;

	if (which == postorder || which == leaf)
		layout->slots[layout->nr_slots++] =
			**(const struct policy_slot *const *)node;
}

/* In order of parent and name, with the flags of what they lead to. */
static void finish_slots(struct compiler *compiler)
{
	struct layout *layout = compiler->layout;
	bool *slotted = arena_alloc(compiler->arena,
				    layout->nr_objects * sizeof(*slotted));
	size_t i;

	layout->slots = arena_alloc(layout->arena,
				    layout->nr_slots * sizeof(*layout->slots));
	layout->nr_slots = 0;
	twalk_r(compiler->slots, collect_slot, layout);
	for (i = 0; i < layout->nr_slots; i++)
		slotted[layout->slots[i].parent] = true;
	for (i = 0; i < layout->nr_slots; i++) {
		uint32_t object = layout->slots[i].object;

		layout->slots[i].flags =
			(is_tree(compiler, object) ? AL_LABEL_TREE : 0) |
			(slotted[object] ? AL_LABEL_SLOTTED : 0);
	}
	for (i = 0; i < layout->nr_labels; i++)
		if (slotted[layout->labels[i].object])
			layout->labels[i].flags |= AL_LABEL_SLOTTED;
}

static void add_label(struct compiler *compiler, const char *path,
		      uint32_t object, uint32_t flags, bool optional)
{
	struct layout *layout = compiler->layout;
	struct policy_label *label =
		ARENA_PUSH(layout->arena, layout->labels, layout->nr_labels);

	label->path = arena_strdup(layout->arena, path);
	label->object = object;
	label->flags = flags;
	label->optional = optional;
}

static void add_labels(struct compiler *compiler)
{
	const struct bound *bound = compiler->bound;
	uint32_t id;
	size_t i;

	for (id = AL_OBJECT_FIRST; id < bound->nr_objects; id++) {
		const struct object *object = &bound->objects[id];

		for (i = 0; i < object->nr_paths && !object->absent; i++)
			add_label(compiler, object->paths[i], id,
				  object->tree ? AL_LABEL_TREE : 0, false);
	}
	for (id = 0; id < compiler->nr_directories; id++) {
		const struct directory *directory = &compiler->directories[id];

		for (i = 0; i < directory->nr_paths; i++)
			add_label(compiler, directory->paths[i],
				  (uint32_t)bound->nr_objects + id, 0,
				  !directory->exists);
	}
}

static void add_objects(struct compiler *compiler)
{
	const struct bound *bound = compiler->bound;
	struct layout *layout = compiler->layout;
	struct arena *arena = layout->arena;
	size_t nr = bound->nr_objects + compiler->nr_directories, i;

	layout->nr_objects = nr;
	layout->parents = arena_alloc(arena, nr * sizeof(*layout->parents));
	layout->names = arena_alloc(arena, nr * sizeof(*layout->names));
	layout->names[AL_OBJECT_NONE] = "(nothing bound)";
	for (i = AL_OBJECT_FIRST; i < bound->nr_objects; i++)
		layout->names[i] = arena_strdup(arena, bound->objects[i].name);
	for (; i < nr; i++) {
		const struct directory *directory =
			&compiler->directories[i - bound->nr_objects];

		layout->parents[i] = directory->tree;
		layout->names[i] = arena_strdup(arena, directory->paths[0]);
	}
}

static int add_endpoints(struct compiler *compiler, struct error **err)
{
	const struct bound *bound = compiler->bound;
	struct layout *layout = compiler->layout;
	struct policy_endpoint *endpoint;
	uint32_t id;
	size_t i;

	for (id = AL_OBJECT_FIRST; id < bound->nr_objects; id++) {
		const struct object *object = &bound->objects[id];

		for (i = 0; i < object->nr_keys; i++) {
			if (layout->nr_endpoints == AL_MAX_ENDPOINTS)
				return error_set(err, ERROR_CONFIG, E2BIG,
						 "more than %d addresses are "
						 "bound",
						 AL_MAX_ENDPOINTS);
			endpoint = ARENA_PUSH(layout->arena, layout->endpoints,
					      layout->nr_endpoints);
			endpoint->key = object->keys[i];
			endpoint->object = id;
		}
	}
	return 0;
}

/* Sorted and without repetition, in the layout's own memory. */
static void finish_below(struct layout *layout)
{
	struct policy_below *sorted = NULL, *from = layout->below;
	size_t nr = 0, i;

	if (layout->nr_below)
		qsort(from, layout->nr_below, sizeof(*from), compare_below);
	for (i = 0; i < layout->nr_below; i++)
		if (!i || compare_below(&from[i - 1], &from[i]))
			*ARENA_PUSH(layout->arena, sorted, nr) = from[i];
	layout->below = sorted;
	layout->nr_below = nr;
}

static int compile(struct compiler *compiler, struct error **err)
{
	int r;

	if (compiler->bound->nr_objects > AL_MAX_OBJECTS)
		return error_set(err, ERROR_CONFIG, E2BIG,
				 "more than %d objects are bound",
				 AL_MAX_OBJECTS - 1);
	r = add_bound_names(compiler, err);
	if (!r)
		r = add_paths(compiler, err);
	if (!r)
		r = add_endpoints(compiler, err);
	if (r)
		return r;
	add_objects(compiler);
	add_labels(compiler);
	finish_slots(compiler);
	finish_below(compiler->layout);
	return 0;
}

/* Strings of slots point into the working memory until here. */
static void copy_slot_names(struct layout *layout)
{
	size_t i;

	for (i = 0; i < layout->nr_slots; i++)
		layout->slots[i].name =
			arena_strdup(layout->arena, layout->slots[i].name);
}

int layout_compile(const struct bound *bound, struct layout **ret,
		   struct error **err)
{
	struct arena *scratch cleanup_arena = arena_new();
	struct arena *arena = arena_new();
	struct layout *layout = arena_alloc(arena, sizeof(*layout));
	struct compiler compiler = {
		.bound = bound,
		.layout = layout,
		.arena = scratch,
	};
	int r;

	layout->arena = arena;
	r = compile(&compiler, err);
	if (!r)
		copy_slot_names(layout);
	compiler_done(&compiler);
	if (r) {
		layout_free(layout);
		return r;
	}
	*ret = layout;
	return 0;
}

void layout_free(struct layout *layout)
{
	if (layout)
		arena_free(layout->arena);
}
