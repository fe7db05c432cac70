// SPDX-License-Identifier: GPL-2.0-only
#include "carriers.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/openat2.h>

#include <aletheia/limits.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "bind/table.h"
#include "extract/extract.h"
#include "extract/structure.h"
#include "manifest/document.h"

extern const char data_carriers_yaml[];

#define MAX_INCLUDES 5	   /* in each other, as Claude Code has it */
#define MAX_CARRIERS 10000 /* of one project, with what they name */

#define X_(name, word) word,
static const char *const kind_words[] = { CARRIER_KINDS(X_) };
#undef X_

const char *carrier_kind_word(enum carrier_kind kind)
{
	return kind < NR_CARRIER_KINDS ? kind_words[kind] : "?";
}

/* ---- the table */

/**
 * struct type - an entry of the table
 * @path:	pattern
 * @top:	relative to the project's folder, else to any
 */
struct type {
	const char *path;
	bool top;
	enum carrier_kind kind;
	const char **agents;
	size_t nr_agents;
	bool includes;
};

struct table {
	struct arena *arena;
	const char **skip;
	size_t nr_skip;
	struct type *types;
	size_t nr_types;
};

static bool is_yes(const char *text)
{
	return text && (!strcmp(text, "yes") || !strcmp(text, "true"));
}

static void read_list(struct document *document, yaml_node_t *node,
		      const char *what, struct arena *arena, const char ***ret,
		      size_t *ret_nr)
{
	yaml_node_t *item;

	if (!document_list(document, node, what))
		return;
	for (size_t i = 0; (item = document_item(document, node, i)); i++) {
		const char *text = document_text(document, item, what);

		if (text)
			*ARENA_PUSH(arena, *ret, *ret_nr) =
				arena_strdup(arena, text);
	}
}

static void read_kind(struct document *document, yaml_node_t *node,
		      const char *text, struct type *type)
{
	for (size_t i = 0; text && i < CARRIER_INCLUDE; i++) {
		if (strcmp(kind_words[i], text) != 0)
			continue;
		type->kind = (enum carrier_kind)i;
		return;
	}
	document_complain(document, node, "no kind of carrier");
}

static void read_field(struct document *document, const char *key,
		       yaml_node_t *value, struct table *table,
		       struct type *type)
{
	const char *text;

	if (!strcmp(key, "agents")) {
		read_list(document, value, key, table->arena, &type->agents,
			  &type->nr_agents);
		return;
	}
	text = document_text(document, value, key);
	if (!strcmp(key, "path") && text)
		type->path = arena_strdup(table->arena, text);
	else if (!strcmp(key, "kind"))
		read_kind(document, value, text, type);
	else if (!strcmp(key, "top"))
		type->top = is_yes(text);
	else if (!strcmp(key, "includes"))
		type->includes = is_yes(text);
	else
		document_complain(document, value, "no such key: %s", key);
}

static void read_type(struct document *document, yaml_node_t *node,
		      struct table *table)
{
	struct type *type =
		ARENA_PUSH(table->arena, table->types, table->nr_types);
	yaml_node_t *key;

	if (!document_mapping(document, node, "carrier"))
		return;
	for (size_t i = 0; (key = document_key(document, node, i)); i++)
		read_field(document, document_text(document, key, "carrier"),
			   document_value(document, node, i), table, type);
	if (!type->path || !type->nr_agents)
		document_complain(document, node,
				  "a carrier has a path and agents");
	/* The list ends with NULL. */
	*ARENA_PUSH(table->arena, type->agents, type->nr_agents) = NULL;
}

static void read_types(struct document *document, yaml_node_t *list,
		       struct table *table)
{
	yaml_node_t *item;

	if (!document_list(document, list, "carriers"))
		return;
	for (size_t i = 0; (item = document_item(document, list, i)); i++)
		read_type(document, item, table);
}

static int table_load(struct table *table, struct error **err)
{
	struct document document cleanup_document = { 0 };
	yaml_node_t *root, *key;
	int r = document_open(&document, "carriers.yaml", data_carriers_yaml,
			      strlen(data_carriers_yaml), ERROR_INTERNAL, err);

	if (r)
		return r;
	root = document_root(&document);
	if (!document_mapping(&document, root, "carriers.yaml"))
		return document.status;
	for (size_t i = 0; (key = document_key(&document, root, i)); i++) {
		const char *name = document_text(&document, key, "key");
		yaml_node_t *value = document_value(&document, root, i);

		if (name && !strcmp(name, "skip"))
			read_list(&document, value, name, table->arena,
				  &table->skip, &table->nr_skip);
		else
			read_types(&document, value, table);
	}
	return document.status;
}

static const struct type *type_of(const struct table *table, const char *path)
{
	for (size_t i = 0; i < table->nr_types; i++) {
		const struct type *type = &table->types[i];
		const char *below = path;

		do {
			if (glob_match(type->path, below))
				return type;
			below = strchr(below, '/');
			below = below ? below + 1 : NULL;
		} while (below && !type->top);
	}
	return NULL;
}

static bool is_skipped(const struct table *table, const char *name)
{
	for (size_t i = 0; i < table->nr_skip; i++)
		if (!strcmp(table->skip[i], name))
			return true;
	return false;
}

/* ---- reading */

static int open_within(int directory, const char *path, int flags)
{
	struct open_how how = {
		.flags = (unsigned int)(flags | O_CLOEXEC | O_NONBLOCK |
					O_NOCTTY),
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS,
	};

	return (int)syscall(SYS_openat2, directory, path, &how, sizeof(how));
}

/* A regular file of the project, maybe behind links that stay in it. */
static bool is_file(const struct carriers *carriers, const char *path)
{
	int fd cleanup_close = open_within(carriers->directory, path, O_RDONLY);
	struct stat st;

	return fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode);
}

int carrier_read(const struct carriers *carriers, const struct carrier *carrier,
		 struct buffer *ret, struct error **err)
{
	int fd cleanup_close =
		open_within(carriers->directory, carrier->path, O_RDONLY);
	struct stat st;
	int r;

	if (fd < 0 || fstat(fd, &st))
		return error_set(err, ERROR_INPUT, errno, "%s: %s",
				 carrier->path, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return error_set(err, ERROR_INPUT, EINVAL,
				 "%s: not a regular file", carrier->path);
	r = fd_read_all(fd, AL_MAX_RULE_SIZE, ret);
	if (r)
		return error_set(err, ERROR_INPUT, r, "%s: %s", carrier->path,
				 r == -EFBIG ? "too large" : strerror(-r));
	return 0;
}

/* ---- the walk */

/**
 * struct walk - a search through a project
 * @paths:	of what was found
 * @entries:	that were looked at
 */
struct walk {
	struct carriers *carriers;
	struct table table;
	const char **paths;
	size_t nr_paths;
	size_t entries;
	struct error **err;
};

static int walk_directory(struct walk *walk, int fd, const char *path,
			  unsigned int depth);

static int walk_entry(struct walk *walk, int fd, const char *path,
		      const char *name, unsigned int depth)
{
	struct arena *arena = walk->carriers->arena;
	const char *entry = *path ? arena_printf(arena, "%s/%s", path, name)
				  : arena_strdup(arena, name);
	struct stat st;
	int below cleanup_close = -1;

	if (++walk->entries > AL_MAX_ENTRIES)
		return error_set(walk->err, ERROR_INPUT, E2BIG,
				 "more than %d files", AL_MAX_ENTRIES);
	if (fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW))
		return 0; /* it is gone */
	if (S_ISDIR(st.st_mode)) {
		if (is_skipped(&walk->table, name))
			return 0;
		if (depth == AL_MAX_DEPTH)
			return error_set(walk->err, ERROR_INPUT, ELOOP,
					 "%s: too deep", entry);
		below = openat(fd, name,
			       O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (below < 0)
			return error_set(walk->err, ERROR_INPUT, errno,
					 "%s: %s", entry, strerror(errno));
		return walk_directory(walk, below, entry, depth + 1);
	}
	if ((S_ISREG(st.st_mode) || S_ISLNK(st.st_mode)) &&
	    type_of(&walk->table, entry) && is_file(walk->carriers, entry))
		*ARENA_PUSH(arena, walk->paths, walk->nr_paths) = entry;
	return 0;
}

static int walk_directory(struct walk *walk, int fd, const char *path,
			  unsigned int depth)
{
	DIR *dir cleanup_dir = NULL;
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0), r = 0;
	struct dirent *entry;

	if (copy >= 0)
		dir = fdopendir(copy);
	if (!dir) {
		r = error_set(walk->err, ERROR_INPUT, errno, "%s: %s", path,
			      strerror(errno));
		if (copy >= 0)
			close(copy);
		return r;
	}
	while (!r && (errno = 0, entry = readdir(dir)))
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
			r = walk_entry(walk, fd, path, entry->d_name, depth);
	if (!r && errno)
		r = error_set(walk->err, ERROR_INPUT, errno, "%s: %s", path,
			      strerror(errno));
	return r;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* ---- what carriers name */

static size_t add(struct walk *walk, const struct carrier *carrier)
{
	struct carriers *carriers = walk->carriers;

	*ARENA_PUSH(carriers->arena, carriers->list, carriers->nr) = *carrier;
	return carriers->nr - 1;
}

/* Is @path already among those that led here, or listed beside them? */
static bool is_known(const struct walk *walk, const char *path, size_t from)
{
	const struct carriers *carriers = walk->carriers;

	for (size_t i = from; i != SIZE_MAX; i = carriers->list[i].from)
		if (!strcmp(carriers->list[i].path, path))
			return true;
	for (size_t i = 0; i < carriers->nr; i++)
		if (carriers->list[i].from == from &&
		    !strcmp(carriers->list[i].path, path))
			return true;
	return false;
}

/* Folder of a path, with its slash; "" at the top. */
static const char *folder(struct arena *arena, const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? arena_strndup(arena, path, (size_t)(slash - path) + 1)
		     : "";
}

/* Without "." and ".."; NULL: it leaves the project. */
static const char *simple(struct arena *arena, const char *path)
{
	char *out = arena_alloc(arena, strlen(path) + 1);
	size_t nr = 0;

	while (*path) {
		size_t length = strcspn(path, "/");

		if (length == 2 && !memcmp(path, "..", 2)) {
			if (!nr)
				return NULL;
			while (nr && out[--nr] != '/')
				;
		} else if (length && !(length == 1 && *path == '.')) {
			if (nr)
				out[nr++] = '/';
			memcpy(out + nr, path, length);
			nr += length;
		}
		path += length;
		path += *path == '/';
	}
	out[nr] = '\0';
	return nr ? out : NULL;
}

static unsigned int line_of(const struct buffer *text, size_t offset)
{
	unsigned int line = 1;

	for (size_t i = 0; i < offset && i < text->length; i++)
		line += text->data[i] == '\n';
	return line;
}

static int follow(struct walk *walk, size_t index, unsigned int depth);

static int add_named(struct walk *walk, size_t from, enum carrier_kind kind,
		     const char *path, unsigned int line, bool outside,
		     unsigned int depth)
{
	const struct carrier *parent = &walk->carriers->list[from];
	struct carrier carrier = {
		.path = path,
		.kind = kind,
		.agents = parent->agents,
		.includes = kind == CARRIER_INCLUDE,
		.from = from,
		.line = line,
		.outside = outside,
	};
	size_t index;

	if (is_known(walk, path, from))
		return 0;
	if (walk->carriers->nr == MAX_CARRIERS)
		return error_set(walk->err, ERROR_INPUT, E2BIG,
				 "%s: more than %d files are named",
				 parent->path, MAX_CARRIERS);
	index = add(walk, &carrier);
	return outside || depth == MAX_INCLUDES
		       ? 0
		       : follow(walk, index, depth + 1);
}

/* "@docs/style.md" is relative to the file that says it. */
static int include(struct walk *walk, size_t from, const char *name,
		   unsigned int line, unsigned int depth)
{
	struct arena *arena = walk->carriers->arena;
	const char *base = folder(arena, walk->carriers->list[from].path);
	const char *path;

	if (*name == '~' || *name == '/')
		return strchr(name, '.') || strchr(name + 1, '/')
			       ? add_named(walk, from, CARRIER_INCLUDE, name,
					   line, true, depth)
			       : 0;
	path = simple(arena, arena_printf(arena, "%s%s", base, name));
	/* "@deprecated" is no file, nor is the domain of an address. */
	if (!path || !is_file(walk->carriers, path))
		return 0;
	return add_named(walk, from, CARRIER_INCLUDE, path, line, false, depth);
}

static size_t include_end(const struct segment *segment, size_t at)
{
	size_t end = at;

	while (end < segment->length &&
	       !isspace((unsigned char)segment->text[end]) &&
	       !strchr("()<>[]\"'`", segment->text[end]))
		end++;
	while (end > at && strchr(".,;:!?*_", segment->text[end - 1]))
		end--;
	return end;
}

static int read_includes(struct walk *walk, size_t from,
			 const struct buffer *text,
			 const struct segment *segment, unsigned int depth)
{
	const char *data = segment->text;
	int r = 0;

	for (size_t at = 0; !r && at + 1 < segment->length; at++) {
		size_t end;

		/* In a code span it is code. */
		if (data[at] == '`') {
			const char *close = strchr(data + at + 1, '`');

			at = close ? (size_t)(close - data) : at;
			continue;
		}
		if (data[at] != '@' ||
		    (at && !isspace((unsigned char)data[at - 1]) &&
		     data[at - 1] != '('))
			continue;
		end = include_end(segment, at + 1);
		if (end > at + 1 && end - at < AL_MAX_PATH)
			r = include(walk, from,
				    arena_strndup(walk->carriers->arena,
						  data + at + 1, end - at - 1),
				    line_of(text, segment->origin[at]), depth);
		at = end > at ? end - 1 : at;
	}
	return r;
}

static int find_includes(struct walk *walk, size_t from,
			 const struct buffer *text, unsigned int depth)
{
	struct arena *arena cleanup_arena = arena_new();
	struct segments segments = { 0 };
	int r = 0;

	structure_find(arena, walk->carriers->list[from].path,
		       buffer_text(text), text->length, &segments);
	for (size_t i = 0; !r && i < segments.nr; i++)
		if (segments.list[i]->kind == SEGMENT_PROSE)
			r = read_includes(walk, from, text, segments.list[i],
					  depth);
	return r;
}

/* A script that is run lies beside the carrier or below the top. */
static int find_script(struct walk *walk, size_t from, const char *object,
		       unsigned int line, unsigned int depth)
{
	struct arena *arena = walk->carriers->arena;
	const char *base = folder(arena, walk->carriers->list[from].path);
	const char *path =
		simple(arena, arena_printf(arena, "%s%s", base, object));

	if (!path || !is_file(walk->carriers, path))
		path = simple(arena, object);
	if (!path || !is_file(walk->carriers, path))
		return 0;
	return add_named(walk, from, CARRIER_SCRIPT, path, line, false, depth);
}

static int find_scripts(struct walk *walk, size_t from,
			const struct buffer *text, unsigned int depth)
{
	struct translation *translation cleanup_translation = NULL;
	int r = extract_rule(walk->carriers->list[from].path, buffer_text(text),
			     text->length, &translation, walk->err);

	for (size_t i = 0; !r && i < translation->nr_requests; i++) {
		const struct request *request = &translation->requests[i];

		if (request->action == AL_OP_NR_EXECUTE &&
		    request->kind == RESOURCE_TOOL &&
		    !strpbrk(request->object, "*~") && *request->object != '/')
			r = find_script(walk, from, request->object,
					line_of(text, request->start), depth);
	}
	return r;
}

/* All of a skill's folder "scripts" is there to be run. */
static int find_bundled(struct walk *walk, size_t from, unsigned int depth)
{
	struct arena *arena = walk->carriers->arena;
	const char *path =
		arena_printf(arena, "%sscripts",
			     folder(arena, walk->carriers->list[from].path));
	int fd = open_within(walk->carriers->directory, path,
			     O_RDONLY | O_DIRECTORY);
	DIR *dir cleanup_dir = fd >= 0 ? fdopendir(fd) : NULL;
	const char **names = NULL;
	struct dirent *entry;
	size_t nr = 0, i;
	int r = 0;

	if (!dir) {
		if (fd >= 0)
			close(fd);
		return 0;
	}
	while ((entry = readdir(dir)) && nr < AL_MAX_RESOURCES)
		*ARENA_PUSH(arena, names, nr) =
			arena_printf(arena, "%s/%s", path, entry->d_name);
	if (nr)
		qsort(names, nr, sizeof(*names), by_name);
	for (i = 0; !r && i < nr; i++)
		if (is_file(walk->carriers, names[i]))
			r = add_named(walk, from, CARRIER_SCRIPT, names[i], 0,
				      false, depth);
	return r;
}

/* What a carrier names comes right behind it. */
static int follow(struct walk *walk, size_t index, unsigned int depth)
{
	struct carrier carrier = walk->carriers->list[index];
	struct buffer text cleanup_buffer = { 0 };
	int r = carrier_read(walk->carriers, &carrier, &text, walk->err);

	if (!r && carrier.includes)
		r = find_includes(walk, index, &text, depth);
	if (!r)
		r = find_scripts(walk, index, &text, depth);
	if (!r && carrier.kind == CARRIER_SKILL)
		r = find_bundled(walk, index, depth);
	return r;
}

static int add_carriers(struct walk *walk)
{
	int r = 0;

	if (walk->nr_paths)
		qsort(walk->paths, walk->nr_paths, sizeof(*walk->paths),
		      by_name);
	for (size_t i = 0; !r && i < walk->nr_paths; i++) {
		const struct type *type = type_of(&walk->table, walk->paths[i]);
		struct carrier carrier = {
			.path = walk->paths[i],
			.kind = type->kind,
			.agents = (const char *const *)type->agents,
			.includes = type->includes,
			.from = SIZE_MAX,
		};

		r = follow(walk, add(walk, &carrier), 0);
	}
	return r;
}

int carriers_find(const char *path, struct carriers **ret, struct error **err)
{
	struct arena *arena = arena_new();
	struct carriers *carriers cleanup_carriers =
		arena_alloc(arena, sizeof(*carriers));
	struct walk walk = { .carriers = carriers,
			     .table = { .arena = arena },
			     .err = err };
	int r;

	carriers->arena = arena;
	carriers->directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (carriers->directory < 0)
		return error_set(err, ERROR_INPUT, errno, "%s: %s", path,
				 strerror(errno));
	r = table_load(&walk.table, err);
	if (!r)
		r = walk_directory(&walk, carriers->directory, "", 0);
	if (!r)
		r = add_carriers(&walk);
	if (r)
		return r;
	*ret = take_ptr(carriers);
	return 0;
}

void carriers_free(struct carriers *carriers)
{
	if (!carriers)
		return;
	if (carriers->directory >= 0)
		close(carriers->directory);
	arena_free(carriers->arena);
}
