/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reading all of the YAML takes longer than translating a rule. So the shipped
 * files are laid out such that their lines tell where the entry of a command
 * or a table begins, and only entries that are used are read. Of these, lists
 * of options and roles stay texts, which a command's arguments are held
 * against when it occurs. What was read is kept until the process ends.
 */
#include "signature.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <yaml.h>

#include "base/memory.h"

#define MAX_DEPTH  8
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

/**
 * struct block - the lines of a command's entry, or of a whole table
 * @text:	YAML: a mapping with one key
 * @read:	@signature or the table's entries are there
 */
struct block {
	const char *text;
	size_t length;
	bool read;
	const struct signature *signature;
};

/**
 * struct entry - of the hash table: a command, a table, or a pair of a table
 * @table:	"" commands, ":" tables, else the table's name
 * @value:	struct block, or the pair's text
 */
struct entry {
	const char *table;
	const char *name;
	size_t length;
	const void *value;
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

static void *look_up(const struct library *library, const char *table,
		     const char *name, size_t length)
{
	const struct entry *entry;

	entry = library->buckets[hash(table, name, length)];
	for (; entry; entry = entry->next)
		if (entry->length == length && !strcmp(entry->table, table) &&
		    !memcmp(entry->name, name, length))
			return (void *)(uintptr_t)entry->value;
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
		if (strlen(words[i]) == length &&
		    !memcmp(words[i], word, length))
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
		signature->base =
			!strcmp(value, "builtin") ? BASE_BUILTIN : BASE_UTILITY;
		if (strcmp(value, "builtin") && strcmp(value, "utility"))
			return wrong(reader, reader->event.start_mark,
				     "neither builtin nor utility", value);
		return 0;
	}
	if (strcmp(key, "style"))
		return wrong(reader, reader->event.start_mark, "no such field",
			     key);
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
		return wrong(reader, reader->event.start_mark, "too deep",
			     NULL);
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

static int read_commands(struct reader *reader, const struct signature **ret)
{
	const struct signature *list = NULL;
	size_t nr = 0;
	int r = read_list(reader, NULL, &list, &nr, 0);

	if (r == 0 && ret)
		*ret = nr ? &list[0] : NULL;
	return r;
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

/* A document: tables, of which "commands" is one. */
static int read_document(struct reader *reader, const struct signature **ret)
{
	int r = expect(reader, YAML_STREAM_START_EVENT, "no YAML");

	if (r == 0)
		r = expect(reader, YAML_DOCUMENT_START_EVENT, "no document");
	if (r == 0 && ret)
		return read_commands(reader, ret);
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
			r = read_commands(reader, NULL);
		else
			r = read_table(reader, scalar(reader));
	}
	return r;
}

/* @ret: it is the entry of one command; NULL: a document. */
static int read_text(struct library *library, const char *file,
		     const char *text, size_t length,
		     const struct signature **ret, struct error **err)
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
	r = read_document(&reader, ret);
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
	r = read_text(library, file, text, length, NULL, err);
	arena_free(library->arena);
	free(library);
	return r;
}

/* ---- the shipped files */

static const struct {
	const char *name, *text, *end;
} files[] = {
#define DATA(name)                                                             \
	{                                                                      \
#name, data_##name, data_##name##_end                          \
	}
	DATA(signatures_tables_yaml),  DATA(signatures_base_yaml),
	DATA(signatures_network_yaml), DATA(signatures_build_yaml),
	DATA(signatures_service_yaml), DATA(signatures_system_yaml),
	DATA(signatures_desk_yaml),
#undef DATA
};

#define NR_FILES (sizeof(files) / sizeof(*files))

/* "  "a b c": ..." begins the entry of three commands. */
static int index_command(struct library *library, const char *line,
			 struct block *block, const char *file,
			 struct error **err)
{
	const char *name = line + 3, *end = strchr(name, '"');

	while (end && name < end) {
		size_t length = strcspn(name, " \"");

		if (look_up(library, "", name, length))
			return error_set(err, ERROR_INPUT, EINVAL,
					 "%s: listed twice: %.*s", file,
					 (int)length, name);
		enter(library, "", name, length, block);
		name += length + (name[length] == ' ');
	}
	return 0;
}

static int index_file(struct library *library, const char *file,
		      const char *text, const char *end, struct error **err)
{
	struct block *table = NULL, *command = NULL;
	bool commands = false;

	while (text < end) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		size_t length = newline ? (size_t)(newline - text) + 1
					: (size_t)(end - text);
		size_t name = strcspn(text, ":\n");
		struct block *block;

		if (*text == '#' || *text == '\n') {
			text += length;
			continue;
		}
		if (*text != ' ') {
			commands = name == 8 && !memcmp(text, "commands", 8);
			command = NULL;
			table = NULL;
			if (!commands) {
				table = arena_alloc(library->arena,
						    sizeof(*table));
				table->text = text;
				enter(library, ":", text, name, table);
			}
		} else if (commands && !strncmp(text, "  \"", 3)) {
			int r;

			command = arena_alloc(library->arena, sizeof(*command));
			command->text = text;
			r = index_command(library, text, command, file, err);
			if (r < 0)
				return r;
		}
		block = table ? table : command;
		if (block)
			block->length = (size_t)(text + length - block->text);
		text += length;
	}
	return 0;
}

static struct library *index_new(struct error **err, int *ret)
{
	struct library *library = xzalloc(sizeof(*library));

	library->arena = arena_new();
	*ret = 0;
	for (size_t i = 0; i < NR_FILES && *ret == 0; i++)
		*ret = index_file(library, files[i].name, files[i].text,
				  files[i].end, err);
	return library;
}

static struct library *shipped(void)
{
	static struct library *library;
	int r;

	if (!library)
		library = index_new(NULL, &r);
	return library;
}

int signatures_check_shipped(struct error **err)
{
	struct library *library;
	int r;

	library = index_new(err, &r);
	for (size_t i = 0; i < NR_FILES && r == 0; i++)
		r = signatures_check(files[i].name, files[i].text,
				     (size_t)(files[i].end - files[i].text),
				     err);
	/* The entries alone as well, since that is how they are used. */
	for (size_t i = 0; i < NR_BUCKETS && r == 0; i++) {
		const struct entry *entry = library->buckets[i];

		for (; entry && r == 0; entry = entry->next) {
			const struct block *block = entry->value;
			const struct signature *signature = NULL;
			bool command = !*entry->table;

			if (!command && strcmp(entry->table, ":"))
				continue;
			r = read_text(library, entry->name, block->text,
				      block->length,
				      command ? &signature : NULL, err);
			if (r == 0 && command &&
			    !signature_names(signature->names, entry->name,
					     entry->length))
				r = error_set(err, ERROR_INPUT, EINVAL,
					      "no entry of its own: %.*s",
					      (int)entry->length, entry->name);
		}
	}
	arena_free(library->arena);
	free(library);
	return r;
}

const struct signature *signature_find(const char *name, size_t length)
{
	struct library *library = shipped();
	struct block *block = look_up(library, "", name, length);

	if (block && !block->read) {
		block->read = true;
		if (read_text(library, "", block->text, block->length,
			      &block->signature, NULL) < 0)
			block->signature = NULL;
	}
	return block ? block->signature : NULL;
}

const char *signature_value(const char *table, const char *name, size_t length)
{
	struct library *library = shipped();
	struct block *block = look_up(library, ":", table, strlen(table));

	if (block && !block->read) {
		block->read = true;
		read_text(library, "", block->text, block->length, NULL, NULL);
	}
	return look_up(library, table, name, length);
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
