// SPDX-License-Identifier: GPL-2.0-only
/*
 * The lexicon is read from YAML at its first use and kept until the process
 * ends: words into one hash table, phrases into a tree whose edges are in
 * another.
 */
#include "lexicon.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <yaml.h>

#include <aletheia/limits.h>

#include "base/memory.h"
#include "extract/segment.h"

#define DATA(name) extern const char data_##name[], data_##name##_end[]
DATA(lexicon_words_yaml);
DATA(lexicon_things_yaml);
DATA(lexicon_paths_yaml);
#undef DATA

#define NR_WORD_BUCKETS 4096
#define NR_EDGE_BUCKETS 8192
#define NR_NAME_BUCKETS 256

static const char *const act_words[NR_ACTS] = {
#define X_(name, word, help) word,
	LEXICON_ACTS(X_)
#undef X_
};

static const char *const class_words[NR_WORD_CLASSES] = {
#define X_(name, word) word,
	LEXICON_CLASSES(X_)
#undef X_
};

struct word {
	const char *name;
	size_t length;
	struct lexeme lexeme;
	struct word *next;
};

/* From one place in the tree of phrases to another. */
struct edge {
	uint32_t from;
	const char *word;
	size_t length;
	struct phrase to;
	struct edge *next;
};

struct pattern {
	const char *text;
	enum resource_class class_;
};

struct name {
	const char *name;
	const char *folder;
	struct name *next;
};

struct lexicon {
	struct arena *arena;
	struct word *words[NR_WORD_BUCKETS];
	struct edge *edges[NR_EDGE_BUCKETS];
	struct name *names[NR_NAME_BUCKETS];
	struct phrase root;
	uint32_t nr_phrases;
	struct pattern *patterns;
	size_t nr_patterns;
};

static uint32_t hash(uint32_t value, const char *text, size_t length)
{
	value ^= 2166136261u;
	for (size_t i = 0; i < length; i++)
		value = (value ^ (unsigned char)text[i]) * 16777619u;
	return value ^ (value >> 15);
}

/* ---- the tables */

static struct word *word_get(const struct lexicon *lexicon, const char *name,
			     size_t length)
{
	uint32_t at = hash(0, name, length) % NR_WORD_BUCKETS;
	struct word *word = lexicon->words[at];

	while (word &&
	       (word->length != length || memcmp(word->name, name, length)))
		word = word->next;
	return word;
}

static struct lexeme *word_add(struct lexicon *lexicon, const char *name,
			       size_t length)
{
	struct word **bucket, *word = word_get(lexicon, name, length);

	if (word)
		return &word->lexeme;
	bucket = &lexicon->words[hash(0, name, length) % NR_WORD_BUCKETS];
	word = arena_alloc(lexicon->arena, sizeof(*word));
	*word = (struct word){
		.name = arena_strndup(lexicon->arena, name, length),
		.length = length,
		.lexeme = { .act = ACT_NONE, .noun = ACT_NONE },
		.next = *bucket,
	};
	*bucket = word;
	return &word->lexeme;
}

static struct phrase *edge_get(const struct lexicon *lexicon, uint32_t from,
			       const char *word, size_t length)
{
	uint32_t at = hash(from * 2654435761u, word, length) % NR_EDGE_BUCKETS;
	struct edge *edge = lexicon->edges[at];

	while (edge && (edge->from != from || edge->length != length ||
			memcmp(edge->word, word, length)))
		edge = edge->next;
	return edge ? &edge->to : NULL;
}

/*
 * "keys" as "key", "process's" as "process", "histories" as "history": how
 * many bytes of a word are left, and what is behind them.
 */
static size_t singular(const char *word, size_t length, const char **ret_end)
{
	*ret_end = "";
	if (length > 2 && word[length - 2] == '\'' && word[length - 1] == 's')
		length -= 2;
	else if (length > 1 && word[length - 1] == '\'')
		length--;
	if (length < 4 || word[length - 1] != 's')
		return length;
	switch (word[length - 2]) {
	case 's':
	case 'u':
	case 'i':
		return length;
	case 'e':
		if (word[length - 3] == 'i') {
			*ret_end = "y";
			return length - 3;
		}
		if (strchr("sxz", word[length - 3]) ||
		    (word[length - 3] == 'h' && length > 4 &&
		     strchr("sc", word[length - 4])))
			return word[length - 3] == 's' && length > 4 &&
					       word[length - 4] != 's'
				       ? length - 1
				       : length - 2;
		return length - 1;
	default:
		return length - 1;
	}
}

/* One word of a phrase, as it stands in the tree. @room: AL_MAX_WORD + 2 */
static size_t plain(const char *word, size_t length, char *room)
{
	const char *end;
	size_t nr = length > AL_MAX_WORD ? AL_MAX_WORD : length;

	nr = singular(word, nr, &end);
	memcpy(room, word, nr);
	for (; *end; end++)
		room[nr++] = *end;
	return nr;
}

/* Words with hyphens are several. */
static const struct phrase *phrase_step(const struct lexicon *lexicon,
					const struct phrase *phrase,
					const char *word, size_t length)
{
	char room[AL_MAX_WORD + 2];

	while (phrase && length) {
		const char *hyphen = memchr(word, '-', length);
		size_t part = hyphen && hyphen > word ? (size_t)(hyphen - word)
						      : length;

		phrase = edge_get(lexicon, phrase->number, room,
				  plain(word, part, room));
		if (part < length)
			part++;
		word += part;
		length -= part;
	}
	return phrase;
}

static struct phrase *phrase_add(struct lexicon *lexicon, const char *text,
				 size_t length)
{
	struct phrase *phrase = &lexicon->root;

	for (size_t i = 0; i < length;) {
		char room[AL_MAX_WORD + 2];
		size_t part = i, nr;
		struct phrase *next;

		if (text[i] == ' ' || text[i] == '-') {
			i++;
			continue;
		}
		while (part < length && text[part] != ' ' && text[part] != '-')
			part++;
		nr = plain(text + i, part - i, room);
		next = edge_get(lexicon, phrase->number, room, nr);
		if (!next) {
			struct edge *edge =
				arena_alloc(lexicon->arena, sizeof(*edge));
			struct edge **bucket;

			bucket = &lexicon->edges[hash(phrase->number *
							      2654435761u,
						      room, nr) %
						 NR_EDGE_BUCKETS];
			*edge = (struct edge){
				.from = phrase->number,
				.word = arena_strndup(lexicon->arena, room, nr),
				.length = nr,
				.to = { .act = ACT_NONE,
					.number = ++lexicon->nr_phrases },
				.next = *bucket,
			};
			*bucket = edge;
			next = &edge->to;
		}
		phrase = next;
		i = part;
	}
	return phrase;
}

/* ---- the files */

struct reader {
	yaml_parser_t parser;
	yaml_event_t event;
	bool has_event;
	const char *file;
	struct lexicon *lexicon;
	struct error **err;
};

static int wrong(struct reader *reader, const char *what, const char *word)
{
	return error_set(reader->err, ERROR_INPUT, EINVAL, "%s:%zu: %s%s%s",
			 reader->file, reader->event.start_mark.line + 1, what,
			 word ? ": " : "", word ? word : "");
}

static int next(struct reader *reader)
{
	if (reader->has_event)
		yaml_event_delete(&reader->event);
	reader->has_event = false;
	if (!yaml_parser_parse(&reader->parser, &reader->event))
		return wrong(reader, "no YAML", reader->parser.problem);
	reader->has_event = true;
	return 0;
}

static int expect(struct reader *reader, yaml_event_type_t type,
		  const char *what)
{
	int r = next(reader);

	if (r == 0 && reader->event.type != type)
		r = wrong(reader, what, NULL);
	return r;
}

static char *scalar(struct reader *reader)
{
	return arena_strndup(reader->lexicon->arena,
			     (char *)reader->event.data.scalar.value,
			     reader->event.data.scalar.length);
}

/* The next word of a list; false: there is none. */
static bool list_next(const char **list, const char *separators,
		      const char **ret, size_t *ret_length)
{
	const char *word = *list + strspn(*list, separators);
	size_t length = strcspn(word, separators);

	*list = word + length;
	while (length && word[length - 1] == ' ')
		length--;
	*ret = word;
	*ret_length = length;
	return length > 0;
}

static int index_of(const char *const *words, size_t nr, const char *word,
		    size_t length)
{
	for (size_t i = 0; i < nr; i++)
		if (strlen(words[i]) == length &&
		    !memcmp(words[i], word, length))
			return (int)i;
	return -1;
}

static int act_from_word(const char *word, size_t length)
{
	return index_of(act_words, NR_ACTS, word, length);
}

/* Calls @each for every key of a mapping with its text. */
static int read_pairs(struct reader *reader,
		      int (*each)(struct reader *reader, const char *key,
				  const char *value))
{
	int r = expect(reader, YAML_MAPPING_START_EVENT, "not a mapping");

	while (r == 0) {
		const char *key;

		r = next(reader);
		if (r < 0 || reader->event.type == YAML_MAPPING_END_EVENT)
			return r;
		if (reader->event.type != YAML_SCALAR_EVENT)
			return wrong(reader, "not a name", NULL);
		key = scalar(reader);
		r = expect(reader, YAML_SCALAR_EVENT, "not a text");
		if (r == 0)
			r = each(reader, key, scalar(reader));
	}
	return r;
}

static enum act act_of_word(const struct lexicon *lexicon, const char *name)
{
	const struct word *word = word_get(lexicon, name, strlen(name));

	return word ? word->lexeme.act : ACT_NONE;
}

static int read_class(struct reader *reader, const char *key, const char *list)
{
	int bit = index_of(class_words, NR_WORD_CLASSES, key, strlen(key));
	const char *word;
	size_t length;

	if (bit < 0)
		return wrong(reader, "no such class", key);
	while (list_next(&list, " \n", &word, &length))
		word_add(reader->lexicon, word, length)->classes |= UINT64_C(1)
								    << bit;
	return 0;
}

static int read_act(struct reader *reader, const char *key, const char *list)
{
	int act = act_from_word(key, strlen(key));
	const char *word;
	size_t length;

	if (act < 0)
		return wrong(reader, "no such act", key);
	while (list_next(&list, " \n", &word, &length)) {
		struct lexeme *lexeme = word_add(reader->lexicon, word, length);

		if (lexeme->act != ACT_NONE)
			return wrong(reader, "listed twice", word);
		lexeme->act = (enum act)act;
	}
	return 0;
}

static int read_noun(struct reader *reader, const char *key, const char *list)
{
	int act = act_from_word(key, strlen(key));
	const char *word;
	size_t length;

	if (act < 0)
		return wrong(reader, "no such act", key);
	while (list_next(&list, " \n", &word, &length))
		word_add(reader->lexicon, word, length)->noun = (enum act)act;
	return 0;
}

/* "sent: send" */
static int read_past(struct reader *reader, const char *key, const char *value)
{
	if (act_of_word(reader->lexicon, value) == ACT_NONE)
		return wrong(reader, "no such verb", value);
	word_add(reader->lexicon, key, strlen(key))->past = value;
	return 0;
}

static int read_phrase(struct reader *reader, const char *key,
		       const char *value)
{
	int act = act_from_word(value, strlen(value));

	if (act < 0)
		return wrong(reader, "no such act", value);
	phrase_add(reader->lexicon, key, strlen(key))->act = (enum act)act;
	return 0;
}

static int read_path(struct reader *reader, const char *key, const char *list)
{
	struct lexicon *lexicon = reader->lexicon;
	int class_ = resource_class_from_word(key);
	const char *word;
	size_t length;

	if (class_ < 0)
		return wrong(reader, "no such class", key);
	while (list_next(&list, " \n", &word, &length)) {
		struct pattern *pattern =
			ARENA_PUSH(lexicon->arena, lexicon->patterns,
				   lexicon->nr_patterns);

		pattern->text = arena_strndup(lexicon->arena, word, length);
		pattern->class_ = (enum resource_class)class_;
	}
	return 0;
}

static int read_name(struct reader *reader, const char *list,
		     const char *folder)
{
	struct lexicon *lexicon = reader->lexicon;
	const char *word;
	size_t length;

	while (list_next(&list, " \n", &word, &length)) {
		struct name *name = arena_alloc(lexicon->arena, sizeof(*name));
		struct name **bucket;

		bucket = &lexicon->names[hash(0, word, length) %
					 NR_NAME_BUCKETS];
		*name = (struct name){
			.name = arena_strndup(lexicon->arena, word, length),
			.folder = folder,
			.next = *bucket,
		};
		*bucket = name;
	}
	return 0;
}

/* "file NAME" */
static int read_object(struct reader *reader, const char *text,
		       enum resource_kind *ret_kind, const char **ret)
{
	size_t length = strcspn(text, " ");
	char *word = arena_strndup(reader->lexicon->arena, text, length);
	int kind = resource_kind_from_word(word);

	if (kind < 0)
		return wrong(reader, "no such kind", text);
	if (text[length] != ' ' || !text[length + 1])
		return wrong(reader, "no object", text);
	*ret_kind = (enum resource_kind)kind;
	*ret = text + length + 1;
	return 0;
}

/* "read file NAME; write file NAME" */
static int read_demands(struct reader *reader, const char *list,
			const struct demand **ret)
{
	const struct demand **last = ret;
	const char *one;
	size_t length;

	*ret = NULL;
	while (list_next(&list, ";\n", &one, &length)) {
		struct demand *demand;
		const char *text;
		char *action;
		size_t space;
		int r, number;

		demand = arena_alloc(reader->lexicon->arena, sizeof(*demand));
		while (length && *one == ' ') {
			one++;
			length--;
		}
		text = arena_strndup(reader->lexicon->arena, one, length);
		space = strcspn(text, " ");
		action = arena_strndup(reader->lexicon->arena, text, space);
		number = operation_from_word(action);
		if (number < 0)
			return wrong(reader, "no such action", text);
		demand->action = (unsigned int)number;
		r = read_object(reader, text + space + (text[space] == ' '),
				&demand->kind, &demand->object);
		if (r < 0)
			return r;
		*last = demand;
		last = &demand->next;
	}
	return 0;
}

static int read_acts(struct reader *reader, const char *list, uint64_t *ret)
{
	const char *word;
	size_t length;

	*ret = 0;
	while (list_next(&list, " \n", &word, &length)) {
		int act = act_from_word(word, length);

		if (act < 0)
			return wrong(reader, "no such act or field", word);
		*ret |= UINT64_C(1) << act;
	}
	return 0;
}

static int read_field(struct reader *reader, struct thing *thing,
		      const char *key, const char *value)
{
	const struct demand *demands;
	uint64_t acts;
	int r;

	if (!strcmp(key, "is")) {
		if (!strcmp(value, "nothing"))
			return 0;
		return read_object(reader, value, &thing->kind, &thing->object);
	}
	if (!strcmp(key, "class")) {
		r = resource_class_from_word(value);
		if (r < 0)
			return wrong(reader, "no such class", value);
		thing->class_ = (enum resource_class)r;
		return 0;
	}
	if (!strcmp(key, "task")) {
		if (strcmp(value, "only"))
			return wrong(reader, "not \"only\"", value);
		thing->task = true;
		return 0;
	}
	if (!strcmp(key, "scope")) {
		thing->scope = value;
		return 0;
	}
	if (!strcmp(key, "not") || !strcmp(key, "only")) {
		r = read_acts(reader, value, &acts);
		thing->acts = *key == 'n' ? thing->acts & ~acts : acts;
		return r;
	}
	r = read_acts(reader, key, &acts);
	if (r == 0)
		r = read_demands(reader, value, &demands);
	if (r < 0)
		return r;
	for (size_t i = 0; i < NR_ACTS; i++)
		if (acts & UINT64_C(1) << i)
			thing->demands[i] = demands;
	return 0;
}

static int read_thing(struct reader *reader)
{
	struct lexicon *lexicon = reader->lexicon;
	struct thing *thing = arena_alloc(lexicon->arena, sizeof(*thing));
	const char *what = "", *phrase;
	size_t length;
	int r = 0;

	thing->acts = UINT64_MAX;
	for (;;) {
		const char *key;

		r = next(reader);
		if (r < 0)
			return r;
		if (reader->event.type == YAML_MAPPING_END_EVENT)
			break;
		if (reader->event.type != YAML_SCALAR_EVENT)
			return wrong(reader, "not a field", NULL);
		key = scalar(reader);
		r = expect(reader, YAML_SCALAR_EVENT, "not a text");
		if (r < 0)
			return r;
		if (!strcmp(key, "what"))
			what = scalar(reader);
		else
			r = read_field(reader, thing, key, scalar(reader));
		if (r < 0)
			return r;
	}
	while (list_next(&what, ",\n", &phrase, &length)) {
		struct phrase *end = phrase_add(lexicon, phrase, length);

		if (end->thing)
			return wrong(reader, "listed twice", phrase);
		end->thing = thing;
	}
	return 0;
}

static int read_things(struct reader *reader)
{
	int r = expect(reader, YAML_SEQUENCE_START_EVENT, "not a list");

	while (r == 0) {
		r = next(reader);
		if (r < 0 || reader->event.type == YAML_SEQUENCE_END_EVENT)
			return r;
		if (reader->event.type != YAML_MAPPING_START_EVENT)
			return wrong(reader, "not a mapping", NULL);
		r = read_thing(reader);
	}
	return r;
}

/* @program: of words that are common, those that in code are programs */
static int read_common(struct reader *reader, bool program)
{
	const char *list, *word;
	size_t length;
	int r = expect(reader, YAML_SCALAR_EVENT, "not a text");

	if (r < 0)
		return r;
	list = scalar(reader);
	while (list_next(&list, " \n", &word, &length))
		*(program ? &word_add(reader->lexicon, word, length)->program
			  : &word_add(reader->lexicon, word, length)->common) =
			true;
	return 0;
}

static int read_section(struct reader *reader, const char *section)
{
	static const struct {
		const char *name;
		int (*each)(struct reader *reader, const char *key,
			    const char *value);
	} sections[] = {
		{ "classes", read_class },  { "acts", read_act },
		{ "phrases", read_phrase }, { "nouns", read_noun },
		{ "paths", read_path },	    { "names", read_name },
		{ "past", read_past },
	};

	for (size_t i = 0; i < sizeof(sections) / sizeof(*sections); i++)
		if (!strcmp(section, sections[i].name))
			return read_pairs(reader, sections[i].each);
	if (!strcmp(section, "things"))
		return read_things(reader);
	if (!strcmp(section, "common"))
		return read_common(reader, false);
	if (!strcmp(section, "programs"))
		return read_common(reader, true);
	return wrong(reader, "no such section", section);
}

static int read_document(struct reader *reader)
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
			return wrong(reader, "not a name", NULL);
		r = read_section(reader, scalar(reader));
	}
	return r;
}

static int read_file(struct lexicon *lexicon, const char *file,
		     const char *text, const char *end, struct error **err)
{
	struct reader reader = { .file = file, .lexicon = lexicon, .err = err };
	int r;

	if (!yaml_parser_initialize(&reader.parser))
		return error_set(err, ERROR_INTERNAL, ENOMEM, "no YAML parser");
	yaml_parser_set_input_string(&reader.parser,
				     (const unsigned char *)text,
				     (size_t)(end - text));
	yaml_parser_set_encoding(&reader.parser, YAML_UTF8_ENCODING);
	r = read_document(&reader);
	if (reader.has_event)
		yaml_event_delete(&reader.event);
	yaml_parser_delete(&reader.parser);
	return r;
}

static struct lexicon *lexicon_new(struct error **err, int *ret)
{
	static const struct {
		const char *name, *text, *end;
	} files[] = {
#define DATA(name) { #name, data_##name, data_##name##_end }
		DATA(lexicon_words_yaml),
		DATA(lexicon_things_yaml),
		DATA(lexicon_paths_yaml),
#undef DATA
	};
	struct lexicon *lexicon = xzalloc(sizeof(*lexicon));

	lexicon->arena = arena_new();
	lexicon->root.act = ACT_NONE;
	*ret = 0;
	for (size_t i = 0; i < sizeof(files) / sizeof(*files) && *ret == 0; i++)
		*ret = read_file(lexicon, files[i].name, files[i].text,
				 files[i].end, err);
	return lexicon;
}

/* What is wrong with the shipped files is found by prose_test. */
static const struct lexicon *shipped(void)
{
	static struct lexicon *lexicon;
	int r;

	if (!lexicon)
		lexicon = lexicon_new(NULL, &r);
	return lexicon;
}

int lexicon_check(struct error **err)
{
	struct lexicon *lexicon;
	int r;

	lexicon = lexicon_new(err, &r);
	arena_free(lexicon->arena);
	free(lexicon);
	return r;
}

/* ---- words */

const struct lexeme *lexicon_word(const char *word, size_t length)
{
	const struct word *found = word_get(shipped(), word, length);

	return found ? &found->lexeme : NULL;
}

static enum act act_of(const char *base, size_t length)
{
	const struct lexeme *lexeme = lexicon_word(base, length);

	return lexeme ? lexeme->act : ACT_NONE;
}

static bool is_vowel(char c)
{
	return strchr("aeiou", c) != NULL;
}

/*
 * The base form without a suffix: as it is ("read-ing"), with an "e"
 * ("writ-ing"), with one consonant less ("run-n-ing"), with a "y" for an "i"
 * ("cop-i-ed").
 */
static enum act stem_act(char *base, size_t length, size_t *ret_length)
{
	enum act act;

	if (length < 2)
		return ACT_NONE;
	*ret_length = length;
	act = act_of(base, length);
	if (act != ACT_NONE)
		return act;
	base[length] = 'e';
	*ret_length = length + 1;
	act = act_of(base, length + 1);
	if (act != ACT_NONE)
		return act;
	if (length > 2 && base[length - 1] == base[length - 2] &&
	    !is_vowel(base[length - 1])) {
		*ret_length = length - 1;
		act = act_of(base, length - 1);
		if (act != ACT_NONE)
			return act;
	}
	if (base[length - 1] == 'i') {
		base[length - 1] = 'y';
		*ret_length = length;
		act = act_of(base, length);
		base[length - 1] = 'i';
		if (act != ACT_NONE)
			base[length - 1] = 'y';
	}
	return act;
}

enum act lexicon_verb(const char *word, size_t length, enum verb_form *ret,
		      char *ret_base)
{
	const struct lexeme *lexeme;
	enum act act = ACT_NONE;
	size_t nr = length;

	*ret = FORM_NONE;
	if (length < 2 || length > AL_MAX_WORD - 2)
		return ACT_NONE;
	memcpy(ret_base, word, length);
	ret_base[length] = '\0';
	lexeme = lexicon_word(word, length);
	if (lexeme && lexeme->act != ACT_NONE) {
		*ret = FORM_BASE;
		return lexeme->act;
	}
	if (lexeme && lexeme->past) {
		snprintf(ret_base, AL_MAX_WORD, "%s", lexeme->past);
		*ret = FORM_PAST;
		return act_of(ret_base, strlen(ret_base));
	}
	if (length > 2 && word[length - 1] == 's' && word[length - 2] != 's') {
		act = stem_act(ret_base, length - 1, &nr);
		*ret = FORM_THIRD;
		if (act == ACT_NONE && word[length - 2] == 'e') {
			memcpy(ret_base, word, length);
			act = stem_act(ret_base, length - 2, &nr);
		}
	} else if (length > 4 && !memcmp(word + length - 3, "ing", 3)) {
		act = stem_act(ret_base, length - 3, &nr);
		*ret = FORM_GERUND;
	} else if (length > 3 && !memcmp(word + length - 2, "ed", 2)) {
		act = stem_act(ret_base, length - 2, &nr);
		*ret = FORM_PAST;
	}
	if (act == ACT_NONE) {
		*ret = FORM_NONE;
		nr = 0;
	}
	ret_base[nr] = '\0';
	return act;
}

/* ---- phrases */

const struct phrase *phrase_root(void)
{
	return &shipped()->root;
}

const struct phrase *phrase_next(const struct phrase *phrase, const char *word,
				 size_t length)
{
	return phrase_step(shipped(), phrase, word, length);
}

/* ---- paths */

const char *lexicon_name(const char *name, size_t length)
{
	const struct name *known;

	known = shipped()->names[hash(0, name, length) % NR_NAME_BUCKETS];
	while (known && (strlen(known->name) != length ||
			 memcmp(known->name, name, length)))
		known = known->next;
	return known ? known->folder : NULL;
}

/*
 * "*" is a part of one name, "?" one byte, "**" anything. @text may itself
 * have wildcards, which stand for themselves. The last "*" that was passed is
 * gone back to, so the time is bounded by the product of the lengths.
 */
static bool matches(const char *pattern, const char *text)
{
	const char *star = NULL, *again = NULL, *deep = NULL, *deeper = NULL;

	for (;;) {
		if (pattern[0] == '*' && pattern[1] == '*') {
			pattern += 2;
			deep = pattern;
			deeper = text;
			star = NULL;
			if (!*pattern)
				return true;
		} else if (*pattern == '*') {
			star = ++pattern;
			again = text;
		} else if (*text && (*pattern == *text || *pattern == '?')) {
			pattern++;
			text++;
		} else if (!*text && !*pattern) {
			return true;
		} else if (star && *again && *again != '/') {
			text = ++again;
			pattern = star;
		} else if (deep && *deeper) {
			text = ++deeper;
			pattern = deep;
			star = NULL;
		} else {
			return false;
		}
	}
}

/* Everybody's home is somebody's "~". */
static const char *home_of(const char *path)
{
	static const char *const homes[] = { "/home/", "/Users/" };

	if (!strncmp(path, "/root/", 6))
		return path + 6;
	for (size_t i = 0; i < sizeof(homes) / sizeof(*homes); i++) {
		const char *slash;

		if (strncmp(path, homes[i], strlen(homes[i])))
			continue;
		slash = strchr(path + strlen(homes[i]), '/');
		if (slash)
			return slash + 1;
	}
	return NULL;
}

enum resource_class lexicon_class(const char *object)
{
	const struct lexicon *lexicon = shipped();
	const char *home = home_of(object);
	struct buffer path = { 0 }, folder = { 0 };
	enum resource_class ret = CLASS_ANY;

	if (strlen(object) > AL_MAX_PATH)
		return CLASS_ANY;
	buffer_printf(&path, "%s%s", home ? "~/" : "", home ? home : object);
	buffer_printf(&folder, "%s/", buffer_text(&path));
	for (size_t i = 0; i < lexicon->nr_patterns && ret == CLASS_ANY; i++) {
		const struct pattern *pattern = &lexicon->patterns[i];

		if (pattern->text[0] != '*' &&
		    strncmp(pattern->text, buffer_text(&path), 2))
			continue;
		if (matches(pattern->text, buffer_text(&path)) ||
		    matches(pattern->text, buffer_text(&folder)) ||
		    (!strncmp(pattern->text, "**/", 3) &&
		     matches(pattern->text + 3, buffer_text(&path))))
			ret = pattern->class_;
	}
	buffer_done(&path);
	buffer_done(&folder);
	return ret;
}
