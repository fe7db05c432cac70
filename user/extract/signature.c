/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The signatures are read from YAML at their first use and kept until the
 * process ends. Only the outer structure is taken apart then; the lists of
 * options and roles stay texts, which a command's arguments are held against
 * when it occurs.
 */
#include "signature.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <yaml.h>

#include "base/memory.h"

#define MAX_DEPTH 8
#define NR_BUCKETS 4096

#define DATA(name) extern const char data_##name[], data_##name##_end[]
DATA(signatures_base_yaml);
DATA(signatures_build_yaml);
DATA(signatures_desk_yaml);
DATA(signatures_network_yaml);
DATA(signatures_service_yaml);
DATA(signatures_system_yaml);
DATA(signatures_tables_yaml);
#undef DATA

/* An entry of one of the hash tables: a command's or a table's. */
struct entry {
	const char *table; /* "" for commands */
	const char *name;
	size_t length;
	const void *value; /* struct signature or text */
	struct entry *next;
};

struct library {
	struct arena *arena;
	struct entry *buckets[NR_BUCKETS];
};

struct reader {
	yaml_parser_t parser;
	yaml_event_t event;
	bool has_event;
	const char *file;
	const char *text;
	size_t length;
	struct library *library;
	struct error **err;
};

static const char *const role_words[] = {
#define X_(name, word, help) word,
	SIGNATURE_ROLES(X_)
#undef X_
};

static const char *const style_words[] = {
#define X_(name, word, help) word,
	SIGNATURE_STYLES(X_)
#undef X_
};

static size_t hash(const char *table, const char *name, size_t length)
{
	uint32_t value = 2166136261u;

	for (; *table; table++)
		value = (value ^ (unsigned char)*table) * 16777619u;
	for (size_t i = 0; i < length; i++)
		value = (value ^ (unsigned char)name[i]) * 16777619u;
	return value % NR_BUCKETS;
}

static const void *look_up(const struct library *library, const char *table,
			   const char *name, size_t length)
{
	const struct entry *entry;

	entry = library->buckets[hash(table, name, length)];
	for (; entry; entry = entry->next)
		if (entry->length == length && !strcmp(entry->table, table) &&
		    !memcmp(entry->name, name, length))
			return entry->value;
	return NULL;
}

static void enter(struct library *library, const char *table, const char *name,
		  size_t length, const void *value)
{
	struct entry **bucket = &library->buckets[hash(table, name, length)];
	struct entry *entry = arena_alloc(library->arena, sizeof(*entry));

	*entry = (struct entry){ table, name, length, value, *bucket };
	*bucket = entry;
}

static int wrong(struct reader *reader, yaml_mark_t mark, const char *what,
		 const char *word)
{
	struct span at = { .file = reader->file };

	at.start.line = (uint32_t)mark.line + 1;
	at.start.column = (uint32_t)mark.column + 1;
	at.start.offset = mark.index;
	at.end = at.start;
	return error_at(reader->err, ERROR_INPUT, &at, reader->text,
			reader->length, "%s%s%s", what, word ? ": " : "",
			word ? word : "");
}

/* The event is the reader's until the next call. */
static int next(struct reader *reader)
{
	if (reader->has_event)
		yaml_event_delete(&reader->event);
	reader->has_event = false;
	if (!yaml_parser_parse(&reader->parser, &reader->event))
		return wrong(reader, reader->parser.problem_mark,
			     reader->parser.problem ? reader->parser.problem
						    : "no YAML",
			     NULL);
	reader->has_event = true;
	return 0;
}

static int expect(struct reader *reader, yaml_event_type_t type,
		  const char *what)
{
	int r = next(reader);

	if (r < 0)
		return r;
	if (reader->event.type != type)
		return wrong(reader, reader->event.start_mark, what, NULL);
	return 0;
}

static const char *scalar(struct reader *reader)
{
	return arena_strndup(reader->library->arena,
			     (char *)reader->event.data.scalar.value,
			     reader->event.data.scalar.length);
}

static int word_in(const char *const *words, size_t nr, const char *word,
		   size_t length)
{
	for (size_t i = 0; i < nr; i++)
		if (strlen(words[i]) == length && !memcmp(words[i], word, length))
			return (int)i;
	return -1;
}

int role_from_word(const char *word, size_t length)
{
	return word_in(role_words, NR_SIGNATURE_ROLES, word, length);
}

/* Roles of a list, options with "=ROLE" or words that are roles themselves. */
static int check_roles(struct reader *reader, const char *list, bool options)
{
	while (*list) {
		const char *word = list + strspn(list, " ");
		size_t length = strcspn(word, " ");
		const char *role = word;
		size_t role_length = length;

		list = word + length;
		if (!length)
			break;
		if (options) {
			if (*word != '-' && *word != '+' && *word != '/')
				return wrong(reader, reader->event.start_mark,
					     "no option", word);
			role = memchr(word, '=', length);
			if (!role || (size_t)(role - word) + 1 == length ||
			    !strncmp(role, "=]", 2))
				continue;
			role++;
			role_length = length - (size_t)(role - word);
			if (role[role_length - 1] == ']')
				role_length--;
		} else if (length > 3 && !memcmp(word + length - 3, "...", 3)) {
			role_length -= 3;
		}
		if (role_from_word(role, role_length) < 0)
			return wrong(reader, reader->event.start_mark,
				     "no role", word);
	}
	return 0;
}

static int read_signature(struct reader *reader, struct signature *signature,
			  unsigned int depth);

static int read_list(struct reader *reader, const struct signature *owner,
		     const struct signature **ret, size_t *ret_nr,
		     unsigned int depth)
{
	struct signature *list = NULL;
	size_t nr = 0;
	int r = expect(reader, YAML_MAPPING_START_EVENT, "not a mapping");

	if (r < 0)
		return r;
	for (;;) {
		struct signature *one;

		r = next(reader);
		if (r < 0)
			return r;
		if (reader->event.type == YAML_MAPPING_END_EVENT)
			break;
		if (reader->event.type != YAML_SCALAR_EVENT)
			return wrong(reader, reader->event.start_mark,
				     "not a name", NULL);
		one = ARENA_PUSH(reader->library->arena, list, nr);
		one->names = scalar(reader);
		one->owner = owner;
		r = read_signature(reader, one, depth + 1);
		if (r < 0)
			return r;
	}
	*ret = list;
	*ret_nr = nr;
	return 0;
}

/* A field that is a text. */
static int read_field(struct reader *reader, struct signature *signature,
		      const char *key)
{
	struct {
		const char *key;
		const char **place;
		enum { TEXT, ROLES, OPTIONS } what;
	} fields[] = {
		{ "alone", &signature->alone, TEXT },
		{ "args", &signature->args, ROLES },
		{ "implies", &signature->implies, TEXT },
		{ "last", &signature->last, ROLES },
		{ "lead", &signature->lead, ROLES },
		{ "options", &signature->options, OPTIONS },
		{ "protocol", &signature->protocol, TEXT },
		{ "suffix", &signature->suffix, TEXT },
		{ "without", &signature->without, TEXT },
	};
	const char *value = scalar(reader);
	int style;

	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++) {
		if (strcmp(key, fields[i].key))
			continue;
		*fields[i].place = value;
		if (fields[i].what == TEXT)
			return 0;
		return check_roles(reader, value, fields[i].what == OPTIONS);
	}
	if (!strcmp(key, "port")) {
		signature->port = (unsigned int)strtoul(value, NULL, 10);
		return 0;
	}
	if (!strcmp(key, "base")) {
		signature->base = !strcmp(value, "builtin") ? BASE_BUILTIN
							    : BASE_UTILITY;
		if (strcmp(value, "builtin") && strcmp(value, "utility"))
			return wrong(reader, reader->event.start_mark,
				     "neither builtin nor utility", value);
		return 0;
	}
	if (strcmp(key, "style"))
		return wrong(reader, reader->event.start_mark,
			     "no such field", key);
	style = word_in(style_words, NR_SIGNATURE_STYLES, value, strlen(value));
	if (style < 0)
		return wrong(reader, reader->event.start_mark, "no such style",
			     value);
	signature->style = (enum signature_style)style;
	return 0;
}

/* Either a mapping, or only the roles of the arguments. */
static int read_signature(struct reader *reader, struct signature *signature,
			  unsigned int depth)
{
	int r = next(reader);

	if (r < 0)
		return r;
	if (depth > MAX_DEPTH)
		return wrong(reader, reader->event.start_mark, "too deep", NULL);
	if (reader->event.type == YAML_SCALAR_EVENT)
		return read_field(reader, signature, "args");
	if (reader->event.type != YAML_MAPPING_START_EVENT)
		return wrong(reader, reader->event.start_mark,
			     "neither a mapping nor roles", NULL);
	for (;;) {
		const char *key;

		r = next(reader);
		if (r < 0)
			return r;
		if (reader->event.type == YAML_MAPPING_END_EVENT)
			return 0;
		if (reader->event.type != YAML_SCALAR_EVENT)
			return wrong(reader, reader->event.start_mark,
				     "not a field", NULL);
		key = scalar(reader);
		if (!strcmp(key, "sub"))
			r = read_list(reader, signature, &signature->sub,
				      &signature->nr_sub, depth);
		else if (!strcmp(key, "when"))
			r = read_list(reader, signature, &signature->when,
				      &signature->nr_when, depth);
		else if ((r = expect(reader, YAML_SCALAR_EVENT,
				     "not a text")) == 0)
			r = read_field(reader, signature, key);
		if (r < 0)
			return r;
	}
}

static int read_commands(struct reader *reader)
{
	const struct signature *list = NULL;
	size_t nr = 0;
	int r = read_list(reader, NULL, &list, &nr, 0);

	if (r < 0)
		return r;
	for (size_t i = 0; i < nr; i++) {
		const char *name = list[i].names;

		while (*name) {
			size_t length = strcspn(name, " ");

			if (look_up(reader->library, "", name, length))
				return wrong(reader, reader->event.start_mark,
					     "listed twice", name);
			enter(reader->library, "", name, length, &list[i]);
			name += length + strspn(name + length, " ");
		}
	}
	return 0;
}

static int read_table(struct reader *reader, const char *table)
{
	int r = expect(reader, YAML_MAPPING_START_EVENT, "not a mapping");

	if (r < 0)
		return r;
	for (;;) {
		const char *names, *value;

		r = next(reader);
		if (r < 0)
			return r;
		if (reader->event.type == YAML_MAPPING_END_EVENT)
			return 0;
		if (reader->event.type != YAML_SCALAR_EVENT)
			return wrong(reader, reader->event.start_mark,
				     "not a name", NULL);
		names = scalar(reader);
		r = expect(reader, YAML_SCALAR_EVENT, "not a text");
		if (r < 0)
			return r;
		value = scalar(reader);
		while (*names) {
			size_t length = strcspn(names, " ");

			enter(reader->library, table, names, length, value);
			names += length + strspn(names + length, " ");
		}
	}
}

static int read_file(struct reader *reader)
{
	int r = expect(reader, YAML_STREAM_START_EVENT, "no YAML");

	if (r == 0)
		r = expect(reader, YAML_DOCUMENT_START_EVENT, "no document");
	if (r == 0)
		r = expect(reader, YAML_MAPPING_START_EVENT, "not a mapping");
	while (r == 0) {
		r = next(reader);
		if (r < 0 || reader->event.type == YAML_MAPPING_END_EVENT)
			break;
		if (reader->event.type != YAML_SCALAR_EVENT)
			return wrong(reader, reader->event.start_mark,
				     "not a name", NULL);
		if (!strcmp((char *)reader->event.data.scalar.value,
			    "commands"))
			r = read_commands(reader);
		else
			r = read_table(reader, scalar(reader));
	}
	return r;
}

static int read_text(struct library *library, const char *file,
		     const char *text, size_t length, struct error **err)
{
	struct reader reader = {
		.file = file,
		.text = text,
		.length = length,
		.library = library,
		.err = err,
	};
	int r;

	if (!yaml_parser_initialize(&reader.parser))
		return error_set(err, ERROR_INTERNAL, ENOMEM, "no YAML parser");
	yaml_parser_set_input_string(&reader.parser,
				     (const unsigned char *)text, length);
	yaml_parser_set_encoding(&reader.parser, YAML_UTF8_ENCODING);
	r = read_file(&reader);
	if (reader.has_event)
		yaml_event_delete(&reader.event);
	yaml_parser_delete(&reader.parser);
	return r;
}

int signatures_check(const char *file, const char *text, size_t length,
		     struct error **err)
{
	struct library *library = xzalloc(sizeof(*library));
	int r;

	library->arena = arena_new();
	r = read_text(library, file, text, length, err);
	arena_free(library->arena);
	free(library);
	return r;
}

/* A shipped file that cannot be read is found by signature_test. */
static const struct library *shipped(void)
{
	static struct library *library;
	static const struct {
		const char *name, *text, *end;
	} files[] = {
#define DATA(name)                                                             \
	{                                                                      \
#name, data_##name, data_##name##_end                          \
	}
		DATA(signatures_tables_yaml), DATA(signatures_base_yaml),
		DATA(signatures_network_yaml), DATA(signatures_build_yaml),
		DATA(signatures_service_yaml), DATA(signatures_system_yaml),
		DATA(signatures_desk_yaml),
#undef DATA
	};

	if (library)
		return library;
	library = xzalloc(sizeof(*library));
	library->arena = arena_new();
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		read_text(library, files[i].name, files[i].text,
			  (size_t)(files[i].end - files[i].text), NULL);
	return library;
}

const struct signature *signature_find(const char *name, size_t length)
{
	return look_up(shipped(), "", name, length);
}

const char *signature_value(const char *table, const char *name, size_t length)
{
	return look_up(shipped(), table, name, length);
}

bool signature_names(const char *list, const char *name, size_t length)
{
	while (*list) {
		size_t here = strcspn(list, " ");

		if (here == length && !memcmp(list, name, length))
			return true;
		list += here + strspn(list + here, " ");
	}
	return false;
}

const struct signature *signature_sub(const struct signature *signature,
				      const char *name, size_t length)
{
	for (size_t i = 0; i < signature->nr_sub; i++)
		if (signature_names(signature->sub[i].names, name, length))
			return &signature->sub[i];
	return NULL;
}
