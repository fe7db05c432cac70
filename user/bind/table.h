/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shipped tables of paths: which files control agents and tools, which are
 * sensitive, where package registries are. Data in YAML, embedded.
 */
#ifndef USER_BIND_TABLE_H
#define USER_BIND_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/memory.h"
#include "dsl/program.h"

/**
 * glob_match() - a pattern against a path, component by component
 * @pattern:	"*", "?" and "[...]" stand for characters of one component,
 *		"**" for any number of components
 */
bool glob_match(const char *pattern, const char *path);
/* glob_exact() - does a pattern stand for one path only? */
bool glob_exact(const char *pattern);

/* A list of strings. */
struct list {
	const char **items;
	size_t nr;
};

/* What is sensitive, of one class. */
struct sensitive {
	enum resource_class class_;
	struct list files;     /* patterns of absolute paths in the branch */
	struct list variables; /* patterns of names */
};

/* A package registry: its name and its hosts. */
struct registry {
	const char *name;
	struct list hosts;
};

/**
 * struct tables - all of them
 * @control_files: patterns relative to a project
 */
struct tables {
	struct list control_files;
	struct sensitive *sensitive;
	size_t nr_sensitive;
	struct registry *registries;
	size_t nr_registries;
};

/* tables_load() - from what is embedded; @err: ERROR_INTERNAL */
int tables_load(struct arena *arena, struct tables *ret, struct error **err);

/* sensitive_file(), sensitive_variable() - class, CLASS_ANY: not sensitive */
enum resource_class sensitive_file(const struct tables *tables,
				   const char *path);
enum resource_class sensitive_variable(const struct tables *tables,
				       const char *name);

#endif /* USER_BIND_TABLE_H */
