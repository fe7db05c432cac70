// SPDX-License-Identifier: GPL-2.0-only
/*
 * The manifest's keys are tables: each says how its value is read and where
 * it goes. A reader complains about what it does not like and goes on, so that
 * all errors are found in one run.
 */
#include "manifest.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <aletheia/limits.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/text.h"
#include "dsl/words.h"
#include "manifest/document.h"

#define FILE_NAME "manifest.yaml"

/* Defaults; printed in aletheia-manifest(5). */
enum {
	DEFAULT_ORACLE_SECONDS = 60,
	DEFAULT_SECONDS = 5 * 60,
	DEFAULT_PROCESSES = 256,
};
#define DEFAULT_MEMORY (1ull << 30)
#define DEFAULT_DISK   (1ull << 30)

/* Bounds of what can be asked for. */
enum {
	MAX_SECONDS = 24 * 60 * 60,
	MIN_PROCESSES = 4,	 /* pid 1, agent, shell, command */
	MAX_PROCESSES = 4194304, /* kernel PID_MAX_LIMIT */
	MAX_ITEMS = 10000,	 /* of one list */
	MAX_NAME = 200,
};
#define MIN_MEMORY (16ull << 20)
#define MIN_DISK   (1ull << 20)

struct loader {
	struct document document;
	struct manifest *manifest;
	struct arena *arena;
};

/**
 * struct field - one key
 * @key:	as written
 * @read:	takes the value to its place in struct manifest
 * @offset:	of that place
 * @required:	its absence is an error
 */
struct field {
	const char *key;
	void (*read)(struct loader *loader, const struct field *field,
		     yaml_node_t *node, void *to);
	size_t offset;
	bool required;
};

/* ---- mappings */

static const struct field *find_field(const struct field *fields, size_t nr,
				      const char *key)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (!strcmp(fields[i].key, key))
			return &fields[i];
	return NULL;
}

static void unknown_key(struct loader *loader, const yaml_node_t *node,
			const struct field *fields, size_t nr)
{
	const char *key = (const char *)node->data.scalar.value;
	struct words words = { NULL, nr };
	const char **list = arena_alloc(loader->arena, nr * sizeof(*list));
	const char *nearest;
	size_t i;

	for (i = 0; i < nr; i++)
		list[i] = fields[i].key;
	words.list = list;
	document_complain(&loader->document, node, "there is no key \"%.64s\"",
			  key);
	nearest = words_nearest(&words, key);
	if (nearest)
		document_hint(&loader->document, "did you mean \"%s\"?",
			      nearest);
	else
		document_hint(&loader->document, "there are: %s",
			      words_text(loader->arena, &words));
}

static void read_fields(struct loader *loader, yaml_node_t *node,
			const char *what, const struct field *fields, size_t nr)
{
	bool *seen = arena_alloc(loader->arena, nr * sizeof(*seen));
	yaml_node_t *key;
	size_t i;

	if (!document_mapping(&loader->document, node, what) &&
	    node->type != YAML_MAPPING_NODE)
		return;
	for (i = 0; (key = document_key(&loader->document, node, i)); i++) {
		yaml_node_t *value = document_value(&loader->document, node, i);
		const struct field *field;

		if (key->type != YAML_SCALAR_NODE)
			continue;
		field = find_field(fields, nr,
				   (const char *)key->data.scalar.value);
		if (!field) {
			unknown_key(loader, key, fields, nr);
			continue;
		}
		if (seen[field - fields])
			continue;
		seen[field - fields] = true;
		field->read(loader, field, value,
			    (char *)loader->manifest + field->offset);
	}
	for (i = 0; i < nr; i++) {
		if (!fields[i].required || seen[i])
			continue;
		document_complain(&loader->document, node,
				  "%s lacks the key \"%s\"", what,
				  fields[i].key);
	}
}

/* ---- values */

static void read_text(struct loader *loader, const struct field *field,
		      yaml_node_t *node, void *to)
{
	const char *text = document_text(&loader->document, node, field->key);

	if (text)
		*(const char **)to = arena_strdup(loader->arena, text);
}

static void read_name(struct loader *loader, const struct field *field,
		      yaml_node_t *node, void *to)
{
	const char *text = document_text(&loader->document, node, field->key);

	if (!text)
		return;
	if (strlen(text) > MAX_NAME)
		document_complain(&loader->document, node,
				  "%s is longer than %d bytes", field->key,
				  MAX_NAME);
	*(const char **)to = arena_strdup(loader->arena, text);
}

static const char *read_path(struct loader *loader, const struct field *field,
			     yaml_node_t *node)
{
	const char *path = document_text(&loader->document, node, field->key);

	if (path && strlen(path) > AL_MAX_PATH) {
		document_complain(&loader->document, node,
				  "%s is a path of more than %d bytes",
				  field->key, AL_MAX_PATH);
		return NULL;
	}
	return path;
}

static void read_existing(struct loader *loader, const struct field *field,
			  yaml_node_t *node, const char **to, mode_t type,
			  const char *type_word)
{
	const char *path = read_path(loader, field, node);
	struct stat st;

	/* Given, even if wrongly. */
	*to = path ? arena_strdup(loader->arena, path) : "";
	if (!path)
		return;
	if (fstatat(loader->manifest->directory, path, &st, 0)) {
		document_complain(&loader->document, node, "%s: %s: %s",
				  field->key, path, strerror(errno));
		document_hint(&loader->document,
			      "paths are relative to the manifest's directory");
	} else if ((st.st_mode & S_IFMT) != type) {
		document_complain(&loader->document, node, "%s: %s is no %s",
				  field->key, path, type_word);
	}
}

static void read_directory(struct loader *loader, const struct field *field,
			   yaml_node_t *node, void *to)
{
	read_existing(loader, field, node, to, S_IFDIR, "directory");
}

static void read_file(struct loader *loader, const struct field *field,
		      yaml_node_t *node, void *to)
{
	read_existing(loader, field, node, to, S_IFREG, "regular file");
}

/* The rule is the input, so what is wrong with it is no configuration error. */
static void read_rule(struct loader *loader, const struct field *field,
		      yaml_node_t *node, void *to)
{
	enum error_kind kind = loader->document.kind;

	loader->document.kind = ERROR_INPUT;
	read_file(loader, field, node, to);
	loader->document.kind = kind;
}

/* A path in the workspace, in its simplest form. */
static bool is_place(const char *path)
{
	const char *start = path, *end;

	do {
		end = strchrnul(start, '/');
		if (end == start ||
		    !strncmp(start, ".", (size_t)(end - start)) ||
		    (end - start == 2 && !strncmp(start, "..", 2)) ||
		    end - start >= AL_NAME_SIZE)
			return false;
		start = end + 1;
	} while (*end);
	return true;
}

static void read_place(struct loader *loader, const struct field *field,
		       yaml_node_t *node, void *to)
{
	const char *path = read_path(loader, field, node);

	if (!path)
		return;
	*(const char **)to = arena_strdup(loader->arena, path);
	if (is_place(path))
		return;
	document_complain(&loader->document, node,
			  "%s is no path below the project", field->key);
	document_hint(&loader->document,
		      "write it without leading \"/\", \".\" and \"..\", for "
		      "example AGENTS.md");
}

static const char **read_items(struct loader *loader, const char *what,
			       yaml_node_t *node, size_t *ret_nr)
{
	struct document *document = &loader->document;
	const char **items = NULL;
	yaml_node_t *item;
	size_t nr = 0, i;

	if (!document_list(document, node, what)) {
		if (node->type == YAML_SCALAR_NODE)
			document_hint(document, "write [a, b, ...]");
		return NULL;
	}
	for (i = 0; (item = document_item(document, node, i)); i++) {
		const char *text;

		if (i == MAX_ITEMS) {
			document_complain(document, item,
					  "%s has more than %d items", what,
					  MAX_ITEMS);
			break;
		}
		text = document_text(document, item, what);
		if (text)
			*ARENA_PUSH(loader->arena, items, nr) =
				arena_strdup(loader->arena, text);
	}
	if (!i)
		document_complain(document, node, "%s is empty", what);
	*ret_nr = nr;
	*ARENA_PUSH(loader->arena, items, nr) = NULL;
	return items;
}

static void read_command(struct loader *loader, const struct field *field,
			 yaml_node_t *node, void *to)
{
	size_t nr;

	*(const char *const **)to = read_items(loader, field->key, node, &nr);
}

static int compare_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void read_expect(struct loader *loader, const struct field *field,
			yaml_node_t *node, void *to)
{
	struct manifest *manifest = loader->manifest;
	const char **sorted;
	size_t nr = 0, i;

	*(const char *const **)to = read_items(loader, field->key, node, &nr);
	if (!manifest->expect)
		return;
	manifest->nr_expect = nr;
	sorted = arena_alloc(loader->arena, (nr + 1) * sizeof(*sorted));
	for (i = 0; i < nr; i++)
		sorted[i] = manifest->expect[i];
	qsort(sorted, nr, sizeof(*sorted), compare_text);
	for (i = 1; i < nr; i++)
		if (!strcmp(sorted[i - 1], sorted[i]))
			document_complain(&loader->document, node,
					  "%s names \"%.200s\" twice",
					  field->key, sorted[i]);
}

static void read_result(struct loader *loader, const struct field *field,
			yaml_node_t *node, void *to)
{
	static const char *const list[] = {
		[RESULT_TAP] = "tap",
		[RESULT_JUNIT] = "junit",
	};
	static const struct words words = { list, ARRAY_SIZE(list) };
	const char *text = document_text(&loader->document, node, field->key);
	int i;

	if (!text)
		return;
	i = words_find(&words, text);
	if (i >= 0) {
		*(enum result_format *)to = (enum result_format)i;
		return;
	}
	document_complain(&loader->document, node, "no such result: \"%.64s\"",
			  text);
	document_hint(&loader->document, "there are: %s",
		      words_text(loader->arena, &words));
}

struct unit {
	const char *word;
	uint64_t factor;
};

/* A whole number and one of the units. */
static bool parse_amount(const char *text, const struct unit *units, size_t nr,
			 uint64_t *ret)
{
	size_t digits = strspn(text, "0123456789"), i;
	unsigned long long value;

	if (!digits)
		return false;
	errno = 0;
	value = strtoull(text, NULL, 10);
	if (errno)
		return false;
	text += digits + strspn(text + digits, " ");
	for (i = 0; i < nr; i++)
		if (!strcmp(text, units[i].word))
			return !__builtin_mul_overflow((uint64_t)value,
						       units[i].factor, ret);
	return false;
}

/**
 * struct amount - what a number with a unit must be
 * @least:	and @most: inclusive
 * @none:	a word that stands for 0, or NULL
 * @hint:	how to write it
 */
struct amount {
	const struct unit *units;
	size_t nr_units;
	uint64_t least;
	uint64_t most;
	const char *none;
	const char *hint;
};

static bool read_amount(struct loader *loader, const struct field *field,
			yaml_node_t *node, const struct amount *amount,
			uint64_t *ret)
{
	const char *text = document_text(&loader->document, node, field->key);

	if (!text)
		return false;
	if (amount->none && !strcmp(text, amount->none)) {
		*ret = 0;
		return true;
	}
	if (!parse_amount(text, amount->units, amount->nr_units, ret))
		document_complain(&loader->document, node,
				  "%s cannot be \"%.64s\"", field->key, text);
	else if (*ret < amount->least || *ret > amount->most)
		document_complain(&loader->document, node,
				  "%s is too %s: %.64s", field->key,
				  *ret < amount->least ? "small" : "large",
				  text);
	else
		return true;
	document_hint(&loader->document, "%s", amount->hint);
	return false;
}

static void read_seconds(struct loader *loader, const struct field *field,
			 yaml_node_t *node, void *to)
{
	static const struct unit units[] = { { "s", 1 },
					     { "m", 60 },
					     { "h", 3600 } };
	static const struct amount seconds = {
		units, ARRAY_SIZE(units),
		1,     MAX_SECONDS,
		NULL,  "write 60s, 5m or 1h; from 1s to 24h",
	};
	uint64_t value;

	if (read_amount(loader, field, node, &seconds, &value))
		*(unsigned int *)to = (unsigned int)value;
}

static const struct unit byte_units[] = {
	{ "B", 1 },
	{ "KiB", 1ull << 10 },
	{ "MiB", 1ull << 20 },
	{ "GiB", 1ull << 30 },
	{ "TiB", 1ull << 40 },
};

static void read_memory(struct loader *loader, const struct field *field,
			yaml_node_t *node, void *to)
{
	static const struct amount memory = {
		byte_units,  ARRAY_SIZE(byte_units),
		MIN_MEMORY,  INT64_MAX,
		"unlimited", "write 512MiB, 2GiB or unlimited; at least 16MiB",
	};

	read_amount(loader, field, node, &memory, to);
}

static void read_disk(struct loader *loader, const struct field *field,
		      yaml_node_t *node, void *to)
{
	static const struct amount disk = {
		byte_units, ARRAY_SIZE(byte_units),
		MIN_DISK,   INT64_MAX,
		NULL,	    "write 512MiB or 2GiB; at least 1MiB",
	};

	read_amount(loader, field, node, &disk, to);
}

static void read_processes(struct loader *loader, const struct field *field,
			   yaml_node_t *node, void *to)
{
	static const struct unit units[] = { { "", 1 } };
	static const struct amount processes = {
		units,	       ARRAY_SIZE(units),
		MIN_PROCESSES, MAX_PROCESSES,
		NULL,	       "write a number, for example 256; at least 4",
	};

	read_amount(loader, field, node, &processes, to);
}

static void read_bool(struct loader *loader, const struct field *field,
		      yaml_node_t *node, void *to)
{
	const char *text = document_text(&loader->document, node, field->key);

	if (!text)
		return;
	if (!strcmp(text, "true") || !strcmp(text, "false")) {
		*(bool *)to = !strcmp(text, "true");
		return;
	}
	document_complain(&loader->document, node, "%s is true or false",
			  field->key);
}

/* ---- the keys */

#define AT(member) offsetof(struct manifest, member)

static void read_task(struct loader *loader, const struct field *field,
		      yaml_node_t *node, void *to)
{
	static const struct field fields[] = {
		{ "prompt", read_text, AT(prompt), true },
		{ "solution", read_directory, AT(solution), false },
		{ "apply", read_command, AT(apply), false },
	};

	(void)to;
	read_fields(loader, node, field->key, fields, ARRAY_SIZE(fields));
}

static void read_oracle(struct loader *loader, const struct field *field,
			yaml_node_t *node, void *to)
{
	static const struct field fields[] = {
		{ "command", read_command, AT(oracle_command), true },
		{ "tests", read_directory, AT(oracle_tests), true },
		{ "expect", read_expect, AT(expect), true },
		{ "result", read_result, AT(result), true },
		{ "timeout", read_seconds, AT(oracle_seconds), false },
	};

	(void)to;
	read_fields(loader, node, field->key, fields, ARRAY_SIZE(fields));
}

static void read_limits(struct loader *loader, const struct field *field,
			yaml_node_t *node, void *to)
{
	static const struct field fields[] = {
		{ "time", read_seconds, AT(seconds), false },
		{ "memory", read_memory, AT(memory), false },
		{ "processes", read_processes, AT(processes), false },
		{ "disk", read_disk, AT(disk), false },
	};

	(void)to;
	read_fields(loader, node, field->key, fields, ARRAY_SIZE(fields));
}

static void read_scripted(struct loader *loader, const struct field *field,
			  yaml_node_t *node, void *to)
{
	static const struct field fields[] = {
		{ "stop-at-first-denial", read_bool, AT(stop_at_first_denial),
		  false },
	};

	(void)to;
	read_fields(loader, node, field->key, fields, ARRAY_SIZE(fields));
	loader->manifest->agent = "scripted";
}

static void read_agent(struct loader *loader, const struct field *field,
		       yaml_node_t *node, void *to)
{
	static const struct field fields[] = {
		{ "scripted", read_scripted, 0, false },
		{ "command", read_command, AT(agent_command), false },
	};
	struct document *document = &loader->document;
	const char *text;

	(void)to;
	if (node->type != YAML_SCALAR_NODE) {
		int before = document->status;

		document->status = 0;
		read_fields(loader, node, field->key, fields,
			    ARRAY_SIZE(fields));
		if (!document->status &&
		    !loader->manifest->agent ==
			    !loader->manifest->agent_command)
			document_complain(document, node,
					  "agent is either scripted or a "
					  "command");
		if (before)
			document->status = before;
		return;
	}
	text = document_text(document, node, field->key);
	if (!text)
		return;
	loader->manifest->agent = "scripted";
	if (!strcmp(text, "scripted"))
		return;
	document_complain(document, node, "there is no agent \"%.64s\"", text);
	document_hint(document,
		      "write scripted, or {command: [PROGRAM, ARGUMENT, ...]}");
}

static const struct field root_fields[] = {
	{ "name", read_name, AT(name), false },
	{ "rule", read_rule, AT(rule), true },
	{ "place", read_place, AT(place), false },
	{ "project", read_directory, AT(project), true },
	{ "task", read_task, 0, true },
	{ "translation", read_file, AT(translation), false },
	{ "setup", read_file, AT(setup), false },
	{ "agent", read_agent, 0, false },
	{ "oracle", read_oracle, 0, true },
	{ "limits", read_limits, 0, false },
};

/* ---- what follows from other keys */

/* The last component of a path, however it is written. */
static const char *base_name(struct arena *arena, const char *path)
{
	size_t end = strlen(path), start;

	while (end > 1 && path[end - 1] == '/')
		end--;
	for (start = end; start && path[start - 1] != '/'; start--)
		;
	return arena_strndup(arena, path + start, end - start);
}

/* A rule in the project lies where it lies there, any other one at the top. */
static const char *default_place(struct loader *loader)
{
	const struct manifest *manifest = loader->manifest;
	size_t length = strlen(manifest->project);

	while (length && manifest->project[length - 1] == '/')
		length--;
	if (!strncmp(manifest->rule, manifest->project, length) &&
	    manifest->rule[length] == '/' &&
	    is_place(manifest->rule + length + 1))
		return manifest->rule + length + 1;
	return base_name(loader->arena, manifest->rule);
}

/* Where it came from tells the tests apart best. */
static const char *default_name(struct loader *loader)
{
	struct buffer escaped cleanup_buffer = { 0 };
	char path[AL_MAX_PATH + 1];
	char *proc cleanup_free =
		xasprintf("/proc/self/fd/%d", loader->manifest->directory);
	ssize_t length = readlink(proc, path, sizeof(path) - 1);
	const char *name;

	if (length <= 0)
		return "test";
	path[length] = '\0';
	name = base_name(loader->arena, path);
	/* Records are UTF-8. */
	text_escape(&escaped, name, strlen(name));
	return arena_strdup(loader->arena, buffer_text(&escaped));
}

static void complete(struct loader *loader, yaml_node_t *root)
{
	struct manifest *manifest = loader->manifest;

	if (!manifest->name)
		manifest->name = default_name(loader);
	if (manifest->rule && manifest->project && !manifest->place)
		manifest->place = default_place(loader);
	if (!manifest->agent && !manifest->agent_command)
		manifest->agent = "scripted";
	if (manifest->apply && !manifest->solution) {
		document_complain(&loader->document, root,
				  "apply completes a solution, but there is "
				  "none");
	}
	if (manifest->agent && manifest->prompt && !manifest->solution) {
		document_complain(&loader->document, root,
				  "the scripted agent needs a solution that it "
				  "can apply");
		document_hint(&loader->document,
			      "write solution: DIRECTORY below task");
	}
}

/* ---- the file */

/* The directory that @path lies in, or is, and the file's whole name. */
static int open_directory(struct manifest *manifest, const char *path,
			  struct error **err)
{
	const int flags = O_PATH | O_DIRECTORY | O_CLOEXEC;
	const char *slash = strrchr(path, '/');
	const char *directory = ".";

	manifest->file = arena_strdup(manifest->arena, path);
	manifest->directory = open(path, flags);
	if (manifest->directory >= 0) {
		manifest->file =
			arena_printf(manifest->arena, "%s%s%s", path,
				     slash && !slash[1] ? "" : "/", FILE_NAME);
		return 0;
	}
	if (slash)
		directory = arena_strndup(
			manifest->arena, path,
			slash == path ? 1 : (size_t)(slash - path));
	manifest->directory = open(directory, flags);
	if (manifest->directory >= 0)
		return 0;
	return error_set(err, ERROR_INPUT, errno, "%s: %s", path,
			 strerror(errno));
}

static int load(struct manifest *manifest, const char *text, size_t length,
		struct error **err)
{
	struct loader loader = { .manifest = manifest,
				 .arena = manifest->arena };
	struct document *document = &loader.document;
	yaml_node_t *root;
	int ret;

	ret = document_open(document, manifest->file, text, length,
			    ERROR_CONFIG, err);
	if (!ret) {
		root = document_root(document);
		read_fields(&loader, root, "the manifest", root_fields,
			    ARRAY_SIZE(root_fields));
		complete(&loader, root);
		ret = document->status;
	}
	document_close(document);
	return ret;
}

int manifest_load(const char *path, struct manifest **ret, struct error **err)
{
	struct manifest *manifest cleanup_manifest = xzalloc(sizeof(*manifest));
	struct buffer text cleanup_buffer = { 0 };
	int code;

	manifest->arena = arena_new();
	manifest->directory = -1;
	manifest->oracle_seconds = DEFAULT_ORACLE_SECONDS;
	manifest->seconds = DEFAULT_SECONDS;
	manifest->memory = DEFAULT_MEMORY;
	manifest->processes = DEFAULT_PROCESSES;
	manifest->disk = DEFAULT_DISK;
	code = open_directory(manifest, path, err);
	if (!code)
		code = file_read(AT_FDCWD, manifest->file, AL_MAX_MANIFEST_SIZE,
				 &text, err);
	if (!code)
		code = load(manifest, buffer_text(&text), text.length, err);
	if (code)
		return code;
	*ret = take_ptr(manifest);
	return 0;
}

void manifest_free(struct manifest *manifest)
{
	if (!manifest)
		return;
	if (manifest->directory >= 0)
		close(manifest->directory);
	arena_free(manifest->arena);
	free(manifest);
}
