// SPDX-License-Identifier: GPL-2.0-only
#include "table.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "bind/bound.h"
#include "manifest/document.h"

/* Each is followed by a NUL byte. */
extern const char data_control_files_yaml[];
extern const char data_sensitive_yaml[];
extern const char data_registries_yaml[];

/* ---- patterns */

static bool component_matches(const char *pattern, size_t pattern_length,
			      const char *name, size_t name_length)
{
	char *pattern0 cleanup_free = xmemdup0(pattern, pattern_length);
	char *name0 cleanup_free = xmemdup0(name, name_length);

	return !fnmatch(pattern0, name0, 0);
}

static const char *behind(const char *end)
{
	return *end ? end + 1 : end;
}

bool glob_match(const char *pattern, const char *path)
{
	while (*pattern) {
		const char *pattern_end = strchrnul(pattern, '/');
		const char *path_end = strchrnul(path, '/');

		if (pattern_end - pattern == 2 && !strncmp(pattern, "**", 2)) {
			pattern = behind(pattern_end);
			if (!*pattern)
				return true;
			for (; *path; path = behind(strchrnul(path, '/')))
				if (glob_match(pattern, path))
					return true;
			return false;
		}
		if (!*path ||
		    !component_matches(pattern, (size_t)(pattern_end - pattern),
				       path, (size_t)(path_end - path)))
			return false;
		pattern = behind(pattern_end);
		path = behind(path_end);
		/* Nothing is left of the path, but a "**" may follow. */
		if (!*path && *pattern)
			return !strcmp(pattern, "**");
	}
	return !*path;
}

bool glob_exact(const char *pattern)
{
	return !strpbrk(pattern, "*?[\\");
}

/* ---- reading */

/**
 * struct reader - one embedded table
 * @arena:	what is read goes there
 */
struct reader {
	struct document document;
	struct arena *arena;
	struct tables *tables;
};

static void add_items(struct reader *reader, yaml_node_t *node,
		      const char *what, struct list *list)
{
	yaml_node_t *item;
	size_t i;

	if (!document_list(&reader->document, node, what))
		return;
	for (i = 0; (item = document_item(&reader->document, node, i)); i++) {
		const char *text = document_text(&reader->document, item, what);

		if (text)
			*ARENA_PUSH(reader->arena, list->items, list->nr) =
				arena_strdup(reader->arena, text);
	}
}

/* "~/" is the agent's home. */
static void expand_home(struct arena *arena, struct list *list)
{
	size_t i;

	for (i = 0; i < list->nr; i++)
		if (!strncmp(list->items[i], "~/", 2))
			list->items[i] = arena_printf(
				arena, "%s%s", BRANCH_HOME, list->items[i] + 1);
}

static void read_control_files(struct reader *reader, const char *key,
			       yaml_node_t *value)
{
	add_items(reader, value, key, &reader->tables->control_files);
}

static void read_sensitive(struct reader *reader, const char *key,
			   yaml_node_t *value)
{
	struct tables *tables = reader->tables;
	int class_ = resource_class_from_word(key);
	struct sensitive *sensitive;
	yaml_node_t *part;
	size_t i;

	if (class_ <= CLASS_ANY) {
		document_complain(&reader->document, value, "no class: %s",
				  key);
		return;
	}
	sensitive = ARENA_PUSH(reader->arena, tables->sensitive,
			       tables->nr_sensitive);
	sensitive->class_ = (enum resource_class)class_;
	if (!document_mapping(&reader->document, value, key))
		return;
	for (i = 0; (part = document_key(&reader->document, value, i)); i++) {
		const char *name = document_text(&reader->document, part, key);

		add_items(reader, document_value(&reader->document, value, i),
			  name,
			  !strcmp(name, "files") ? &sensitive->files
						 : &sensitive->variables);
	}
	expand_home(reader->arena, &sensitive->files);
}

static void read_registry(struct reader *reader, const char *key,
			  yaml_node_t *value)
{
	struct tables *tables = reader->tables;
	struct registry *registry = ARENA_PUSH(
		reader->arena, tables->registries, tables->nr_registries);

	registry->name = arena_strdup(reader->arena, key);
	add_items(reader, value, key, &registry->hosts);
}

static int read_table(struct reader *reader, const char *file, const char *text,
		      void (*read)(struct reader *reader, const char *key,
				   yaml_node_t *value),
		      struct error **err)
{
	struct document *document = &reader->document;
	yaml_node_t *root, *key;
	size_t i;
	int ret;

	ret = document_open(document, file, text, strlen(text), ERROR_INTERNAL,
			    err);
	if (ret)
		return ret;
	root = document_root(document);
	if (document_mapping(document, root, file))
		for (i = 0; (key = document_key(document, root, i)); i++)
			read(reader, document_text(document, key, file),
			     document_value(document, root, i));
	ret = document->status;
	document_close(document);
	return ret;
}

int tables_load(struct arena *arena, struct tables *ret, struct error **err)
{
	struct reader reader = { .arena = arena, .tables = ret };
	int code;

	*ret = (struct tables){ 0 };
	code = read_table(&reader, "control-files.yaml",
			  data_control_files_yaml, read_control_files, err);
	if (!code)
		code = read_table(&reader, "sensitive.yaml",
				  data_sensitive_yaml, read_sensitive, err);
	if (!code)
		code = read_table(&reader, "registries.yaml",
				  data_registries_yaml, read_registry, err);
	return code;
}

/* ---- asking */

static bool list_matches(const struct list *list, const char *path)
{
	size_t i;

	for (i = 0; i < list->nr; i++)
		if (glob_match(list->items[i], path))
			return true;
	return false;
}

enum resource_class sensitive_file(const struct tables *tables,
				   const char *path)
{
	size_t i;

	for (i = 0; i < tables->nr_sensitive; i++)
		if (list_matches(&tables->sensitive[i].files, path))
			return tables->sensitive[i].class_;
	return CLASS_ANY;
}

enum resource_class sensitive_variable(const struct tables *tables,
				       const char *name)
{
	size_t i;

	for (i = 0; i < tables->nr_sensitive; i++)
		if (list_matches(&tables->sensitive[i].variables, name))
			return tables->sensitive[i].class_;
	return CLASS_ANY;
}
