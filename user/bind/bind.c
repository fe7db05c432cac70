// SPDX-License-Identifier: GPL-2.0-only
#include "binder.h"

#include <errno.h>
#include <fcntl.h>
#include <search.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <aletheia/limits.h>

#include "base/cleanup.h"

/* A NUL byte follows. */
extern const char data_standard_sdl[];

int standard_program(struct program **ret, struct error **err)
{
	return program_parse(STANDARD_FILE, data_standard_sdl,
			     strlen(data_standard_sdl), ret, err);
}

/* ---- errors */

static const struct source *source_of(const struct program *program,
				      const char *file)
{
	size_t i;

	for (i = 0; file && i < program->nr_sources; i++)
		if (!strcmp(program->sources[i].file, file))
			return &program->sources[i];
	return NULL;
}

uint32_t bind_complain(struct binder *binder, const struct span *at,
		       const char *format, ...)
{
	const struct source *source =
		at ? source_of(binder->program, at->file) : NULL;
	char *message cleanup_free = NULL;
	va_list args;

	va_start(args, format);
	message = xvasprintf(format, args);
	va_end(args);
	if (at && at->file)
		binder->status =
			error_at(binder->err, ERROR_CONFIG, at,
				 source ? source->text : NULL,
				 source ? source->length : 0, "%s", message);
	else
		binder->status = error_set(binder->err, ERROR_CONFIG, EINVAL,
					   "%s", message);
	return AL_OBJECT_NONE;
}

void bind_hint(struct binder *binder, const char *format, ...)
{
	char *hint cleanup_free = NULL;
	va_list args;

	va_start(args, format);
	hint = xvasprintf(format, args);
	va_end(args);
	error_hint(binder->err, "%s", hint);
}

/* ---- objects */

struct by_path {
	const char *path;
	uint32_t object;
};

struct by_inode {
	dev_t device;
	ino_t inode;
	uint32_t object;
};

static int compare_paths(const void *a, const void *b)
{
	const struct by_path *x = a, *y = b;

	return strcmp(x->path, y->path);
}

static int compare_inodes(const void *a, const void *b)
{
	const struct by_inode *x = a, *y = b;

	if (x->device != y->device)
		return x->device < y->device ? -1 : 1;
	return x->inode < y->inode ? -1 : x->inode > y->inode;
}

static void keep(void *node)
{
	(void)node; /* in the arena */
}

uint32_t object_new(struct binder *binder, enum resource_kind kind,
		    const char *name)
{
	struct bound *bound = binder->bound;
	uint32_t id = (uint32_t)bound->nr_objects;
	struct object *object;

	if (id >= AL_MAX_OBJECTS) {
		if (id == AL_MAX_OBJECTS && !binder->status)
			bind_complain(binder, NULL,
				      "more than %d objects are bound",
				      AL_MAX_OBJECTS - 1);
		return AL_OBJECT_NONE;
	}
	object = ARENA_PUSH(binder->arena, bound->objects, bound->nr_objects);
	object->id = id;
	object->kind = kind;
	object->name = arena_strdup(binder->arena, name);
	return id;
}

uint32_t object_named(struct binder *binder, enum resource_kind kind,
		      const char *name)
{
	struct bound *bound = binder->bound;
	size_t i;

	for (i = AL_OBJECT_FIRST; i < bound->nr_objects; i++)
		if (bound->objects[i].kind == kind &&
		    !bound->objects[i].nr_paths &&
		    !strcmp(bound->objects[i].name, name))
			return (uint32_t)i;
	return object_new(binder, kind, name);
}

uint32_t object_at(struct binder *binder, const char *path)
{
	const struct by_path key = { .path = path };
	struct by_path **found = tfind(&key, &binder->by_path, compare_paths);

	return found ? (*found)->object : AL_OBJECT_NONE;
}

static void add_path(struct binder *binder, uint32_t id, const char *path)
{
	struct object *object = &binder->bound->objects[id];
	struct by_path *new;

	if (object_at(binder, path))
		return;
	path = arena_strdup(binder->arena, path);
	new = arena_alloc(binder->arena, sizeof(*new));
	new->path = path;
	new->object = id;
	if (!tsearch(new, &binder->by_path, compare_paths))
		abort(); /* out of memory */
	*ARENA_PUSH(binder->arena, object->paths, object->nr_paths) = path;
}

/* Where other names of a host's program may be. */
static void add_host_names(struct binder *binder, uint32_t id,
			   const struct found *found)
{
	char *list cleanup_free = xasprintf(
		"%.*s:%s", (int)(strrchr(found->path, '/') - found->path),
		found->path, BRANCH_PATH);
	char *directory, *save = NULL;

	for (directory = strtok_r(list, ":", &save); directory;
	     directory = strtok_r(NULL, ":", &save)) {
		struct found in = view_resolve(binder->view, directory);
		DIR *dir cleanup_dir = in.host ? opendir(in.path) : NULL;
		struct dirent *entry;
		struct stat st;

		while (dir && (entry = readdir(dir))) {
			const char *path;
			struct found other;

			if (fstatat(dirfd(dir), entry->d_name, &st,
				    AT_SYMLINK_NOFOLLOW) ||
			    st.st_ino != found->stat.st_ino ||
			    st.st_dev != found->stat.st_dev)
				continue;
			path = arena_printf(binder->arena, "%s/%s", in.path,
					    entry->d_name);
			other = view_resolve(binder->view, path);
			if (other.host)
				add_path(binder, id, other.path);
		}
	}
}

/* The host's files with several names are known by their inode. */
static uint32_t object_by_inode(struct binder *binder,
				const struct found *found, uint32_t new_id)
{
	struct by_inode *new;
	struct by_inode **there;

	if (!found->host || !S_ISREG(found->type) || found->stat.st_nlink < 2)
		return new_id;
	new = arena_alloc(binder->arena, sizeof(*new));
	new->device = found->stat.st_dev;
	new->inode = found->stat.st_ino;
	new->object = new_id;
	there = new_id ? tsearch(new, &binder->by_inode, compare_inodes)
		       : tfind(new, &binder->by_inode, compare_inodes);
	if (!there) {
		if (new_id)
			abort(); /* out of memory */
		return AL_OBJECT_NONE;
	}
	return (*there)->object;
}

uint32_t object_file(struct binder *binder, const struct found *found,
		     enum resource_kind kind)
{
	const struct names *names = found->node ? found->node->names : NULL;
	uint32_t id = object_at(binder, found->path);
	struct object *object;
	size_t i;

	if (!id)
		id = object_by_inode(binder, found, AL_OBJECT_NONE);
	if (id) {
		add_path(binder, id, found->path);
		return id;
	}
	id = object_new(binder, kind, found->path);
	if (!id)
		return id;
	add_path(binder, id, found->path);
	object = &binder->bound->objects[id];
	object->absent = !found->exists;
	object->tree =
		found->exists ? S_ISDIR(found->type) : kind == RESOURCE_DIR;
	for (i = 0; names && i < names->nr; i++)
		add_path(binder, id, node_path(binder->arena, names->list[i]));
	if (object_by_inode(binder, found, id) == id && found->host &&
	    S_ISREG(found->type) && found->stat.st_nlink > 1)
		add_host_names(binder, id, found);
	return id;
}

struct content *content_add(struct binder *binder, enum content_kind kind,
			    const char *path, uint32_t mode, bool agent)
{
	struct content *content =
		ARENA_PUSH(binder->arena, binder->bound->contents,
			   binder->bound->nr_contents);

	content->kind = kind;
	content->path = arena_strdup(binder->arena, path);
	content->mode = mode;
	content->agent = agent;
	content->directory = AT_FDCWD;
	return content;
}

/* ---- names */

const char *selector_root(const struct selector *selector)
{
	switch (selector->origin) {
	case ORIGIN_WORKSPACE:
		return BRANCH_WORKSPACE;
	case ORIGIN_HOME:
		return BRANCH_HOME;
	default:
		return NULL;
	}
}

const char *selector_path(struct arena *arena, const struct selector *selector)
{
	const char *root = selector->origin == ORIGIN_SCRATCH
				   ? "/tmp"
				   : selector_root(selector);

	if (!root)
		return selector->name;
	if (!strcmp(selector->name, "."))
		return root;
	return arena_printf(arena, "%s/%s", root, selector->name);
}

bool resolve_wanted(struct binder *binder, const struct wanted *wanted,
		    const char *path, const char *root, struct found *ret)
{
	*ret = view_resolve(binder->view, path);
	if (ret->problem) {
		bind_complain(binder, wanted->at, "%s: %s: %s", wanted->who,
			      path, ret->problem);
		return false;
	}
	if (root && ret->link && strcmp(ret->path, root) &&
	    !path_within(ret->path, root)) {
		bind_complain(binder, wanted->at,
			      "%s: %s leads out of the %s, to %s", wanted->who,
			      path,
			      resource_origin_word(wanted->selector->origin),
			      ret->path);
		bind_hint(binder, "the symbolic link %s says %s", ret->link,
			  ret->target);
		return false;
	}
	return true;
}

/* ---- what is computed from all objects together */

struct nearest {
	uint32_t id;
	size_t length;
};

static int compare_nearest(const void *a, const void *b)
{
	const struct nearest *x = a, *y = b;

	if (x->length != y->length)
		return x->length > y->length ? -1 : 1;
	return x->id < y->id ? -1 : x->id > y->id;
}

/* Trees above any name of an object, the longest path first. */
static void find_within(struct binder *binder, struct object *object)
{
	struct nearest *trees = NULL;
	size_t nr = 0, i, k;

	for (i = 0; i < object->nr_paths; i++) {
		char *path cleanup_free = xstrdup(object->paths[i]);
		char *slash;

		while (path[1] && (slash = strrchr(path, '/'))) {
			uint32_t id;

			slash[slash == path] = '\0';
			id = object_at(binder, path);
			if (!id || id == object->id ||
			    !binder->bound->objects[id].tree)
				continue;
			for (k = 0; k < nr && trees[k].id != id; k++)
				;
			if (k == nr)
				*ARENA_PUSH(binder->arena, trees, nr) =
					(struct nearest){ id, strlen(path) };
		}
	}
	if (nr)
		qsort(trees, nr, sizeof(*trees), compare_nearest);
	object->within =
		arena_alloc(binder->arena, nr * sizeof(*object->within));
	object->nr_within = nr;
	for (i = 0; i < nr; i++)
		object->within[i] = trees[i].id;
}

static void classify(struct binder *binder, struct object *object)
{
	size_t i;

	for (i = 0; object->sensitive == CLASS_ANY && i < object->nr_paths; i++)
		object->sensitive =
			sensitive_file(&binder->tables, object->paths[i]);
}

static void finish_objects(struct binder *binder)
{
	uint32_t id;

	for (id = AL_OBJECT_FIRST; id < binder->bound->nr_objects; id++) {
		struct object *object = &binder->bound->objects[id];

		if (object->nr_paths)
			find_within(binder, object);
		classify(binder, object);
	}
}

/* ---- all of it */

static void bind_baselines(struct binder *binder)
{
	const struct program *program = binder->program;
	struct bound *bound = binder->bound;
	size_t i;

	bound->baseline_objects = arena_alloc(
		binder->arena,
		program->nr_baselines * sizeof(*bound->baseline_objects));
	for (i = 0; i < program->nr_baselines; i++) {
		const struct baseline *baseline = &program->baselines[i];
		const struct wanted wanted = {
			.selector = &baseline->selector,
			.who = "the baseline",
			.at = &baseline->at,
			.actions = baseline->actions,
			.optional = baseline->at.file &&
				    !strcmp(baseline->at.file, STANDARD_FILE),
		};

		bound->baseline_objects[i] = bind_wanted(binder, &wanted);
	}
}

static void bind_resources(struct binder *binder)
{
	const struct program *program = binder->program;
	struct bound *bound = binder->bound;
	size_t i;

	bound->resource_objects = arena_alloc(
		binder->arena,
		program->nr_resources * sizeof(*bound->resource_objects));
	bound->real_tools =
		arena_alloc(binder->arena,
			    program->nr_resources * sizeof(*bound->real_tools));
	for (i = 0; i < program->nr_resources; i++) {
		const struct selector *selector = &binder->selectors[i];
		const struct binding *binding = binder->bindings[i];
		struct wanted wanted = wanted_resource(binder, i);
		uint32_t id = bind_wanted(binder, &wanted);
		struct object *object;

		bound->resource_objects[i] = id;
		bound->real_tools[i] =
			selector->kind == RESOURCE_TOOL &&
			(!binding || binding->kind == BINDING_REAL);
		if (!id)
			continue;
		object = &bound->objects[id];
		object->declared = true;
		object->kind = selector->kind;
		if (program->resources[i].selector.class_ != CLASS_ANY)
			object->sensitive =
				program->resources[i].selector.class_;
	}
}

static const struct binding *binding_of(const struct program *program,
					const char *resource)
{
	size_t i;

	for (i = 0; i < program->nr_bindings; i++)
		if (!strcmp(program->bindings[i].resource, resource))
			return &program->bindings[i];
	return NULL;
}

static void find_bindings(struct binder *binder)
{
	const struct program *program = binder->program;
	size_t i;

	binder->bindings =
		arena_alloc(binder->arena,
			    program->nr_resources * sizeof(*binder->bindings));
	binder->selectors =
		arena_alloc(binder->arena,
			    program->nr_resources * sizeof(*binder->selectors));
	for (i = 0; i < program->nr_resources; i++) {
		const struct resource *resource = &program->resources[i];
		const struct binding *binding =
			binding_of(program, resource->name);

		binder->bindings[i] = binding;
		binder->selectors[i] = resource->selector;
		if (resource->selector.origin == ORIGIN_UNSPECIFIED &&
		    binding && binding->place.name) {
			binder->selectors[i] = binding->place;
			binder->selectors[i].kind = resource->selector.kind;
		}
	}
}

static void bind_all(struct binder *binder)
{
	find_bindings(binder);
	hosts_assign(binder);
	bind_given(binder);
	bind_fixtures(binder);
	bind_baselines(binder);
	bind_resources(binder);
	bind_excepts(binder);
	bind_task_files(binder);
	bind_needs(binder);
	bind_environment(binder);
	bind_names(binder);
	finish_objects(binder);
	endpoints_finish(binder);
}

int bind_program(const struct manifest *manifest, const struct program *program,
		 const char *rule, size_t rule_length, struct bound **ret,
		 struct error **err)
{
	struct bound *bound cleanup_bound = xzalloc(sizeof(*bound));
	struct arena *scratch cleanup_arena = arena_new();
	struct binder binder = {
		.bound = bound,
		.manifest = manifest,
		.program = program,
		.rule = rule,
		.rule_length = rule_length,
		.err = err,
	};
	int code;

	bound->arena = binder.arena = arena_new();
	bound->program = program;
	code = tables_load(scratch, &binder.tables, err);
	if (code)
		return code;
	binder.view = view_new(scratch);
	binder.closure = closure_new(scratch, binder.view);
	object_new(&binder, RESOURCE_FILE, "nothing bound");
	bind_all(&binder);
	tdestroy(binder.by_path, keep);
	tdestroy(binder.by_inode, keep);
	closure_free(binder.closure);
	view_free(binder.view);
	/* The view is gone; what is bound has copies of its names. */
	if (binder.status)
		return binder.status;
	*ret = take_ptr(bound);
	return 0;
}

void bound_free(struct bound *bound)
{
	if (!bound)
		return;
	arena_free(bound->arena);
	free(bound);
}
