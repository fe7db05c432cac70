// SPDX-License-Identifier: GPL-2.0-only
/*
 * Front matter: YAML between two lines of dashes at the top. Each value is a
 * segment whose language is its key. Agents are not strict about this YAML
 * ("globs: *.ts" is none), so what cannot be parsed is read by lines.
 */
#include "structure.h"

#include <string.h>

#include <yaml.h>

#include "base/cleanup.h"

#define MAX_NESTING 64
#define MAX_KEY	    64

/**
 * struct meta - front matter on its way to segments
 * @text:	the rule
 * @start:	where the YAML begins
 * @end:	where it ends
 * @line:	number of the line that @line_at is the offset of
 * @key:	of each level
 */
struct meta {
	const char *text;
	size_t start;
	size_t end;
	size_t line;
	size_t line_at;
	struct arena *arena;
	struct segments *out;
	char key[MAX_NESTING][MAX_KEY];
	bool mapping[MAX_NESTING];
	bool value[MAX_NESTING]; /* a key was read, its value comes next */
	size_t depth;
};

static bool is_marker(const char *line, size_t length, const char *marker)
{
	while (length && strchr(" \t\r\n", line[length - 1]))
		length--;
	return length == 3 && !memcmp(line, marker, 3);
}

/* Offset behind the line at @at. */
static size_t next_line(const char *text, size_t at, size_t end)
{
	const char *eol = memchr(text + at, '\n', end - at);

	return eol ? (size_t)(eol - text) + 1 : end;
}

/* Finds the YAML; result: bytes with both markers, 0: there is none. */
static size_t find(struct meta *meta, const char *text, size_t length)
{
	size_t at = length >= 3 && !memcmp(text, "\xef\xbb\xbf", 3) ? 3 : 0;
	size_t next = next_line(text, at, length);

	if (!is_marker(text + at, next - at, "---"))
		return 0;
	meta->start = next;
	for (at = next; at < length && at < STRUCTURE_META; at = next) {
		next = next_line(text, at, length);
		if (is_marker(text + at, next - at, "---") ||
		    is_marker(text + at, next - at, "...")) {
			meta->end = at;
			return next;
		}
	}
	return 0;
}

/* Marks count characters; their lines only ever grow. */
static size_t mark_offset(struct meta *meta, const yaml_mark_t *mark)
{
	size_t at;

	while (meta->line < mark->line && meta->line_at < meta->end) {
		meta->line_at = next_line(meta->text, meta->line_at, meta->end);
		meta->line++;
	}
	at = meta->line_at;
	for (size_t i = 0; i < mark->column && at < meta->end; i++) {
		at++;
		while (at < meta->end &&
		       ((unsigned char)meta->text[at] & 0xc0) == 0x80)
			at++;
	}
	return at;
}

static void add(struct meta *meta, const char *key, const char *value,
		size_t length, size_t start, size_t end)
{
	struct writer writer cleanup_writer = { .arena = meta->arena };
	struct segment *segment;
	struct view view;
	size_t at = start;

	/* Folding and escapes leave the order of the bytes. */
	for (size_t i = 0; i < length; i++) {
		size_t found = at;

		while (found < end && meta->text[found] != value[i])
			found++;
		if (found < end && found < at + 64)
			at = found;
		writer_put(&writer, value[i], at);
		if (at + 1 < end && meta->text[at] == value[i])
			at++;
	}
	view = writer_take(&writer, end);
	if (view_is_blank(&view))
		return;
	segment = segment_new(meta->arena, meta->out, SEGMENT_META, &view);
	segment->language = arena_strdup(meta->arena, key);
	segment->start = start;
	segment->end = end;
}

static void scalar(struct meta *meta, const yaml_event_t *event)
{
	const char *value = (const char *)event->data.scalar.value;
	size_t length = event->data.scalar.length, i = meta->depth;
	size_t start, end;

	if (i && meta->mapping[i - 1] && !meta->value[i - 1]) {
		if (length >= MAX_KEY)
			length = MAX_KEY - 1;
		memcpy(meta->key[i - 1], value, length);
		meta->key[i - 1][length] = '\0';
		meta->value[i - 1] = true;
		return;
	}
	if (i)
		meta->value[i - 1] = false;
	start = mark_offset(meta, &event->start_mark);
	end = mark_offset(meta, &event->end_mark);
	if (end > start)
		add(meta, i ? meta->key[i - 1] : "", value, length, start, end);
}

static bool enter(struct meta *meta, bool mapping)
{
	size_t i = meta->depth;

	if (i == MAX_NESTING)
		return false;
	/* Entries of a list go by the key of the list. */
	memcpy(meta->key[i], i ? meta->key[i - 1] : "", i ? MAX_KEY : 1);
	if (i)
		meta->value[i - 1] = false;
	meta->mapping[i] = mapping;
	meta->value[i] = false;
	meta->depth++;
	return true;
}

/* False: this is not YAML. */
static bool handle(struct meta *meta, const yaml_event_t *event)
{
	switch (event->type) {
	case YAML_SCALAR_EVENT:
		scalar(meta, event);
		return true;
	case YAML_MAPPING_START_EVENT:
		return enter(meta, true);
	case YAML_SEQUENCE_START_EVENT:
		return enter(meta, false);
	case YAML_MAPPING_END_EVENT:
	case YAML_SEQUENCE_END_EVENT:
		meta->depth--;
		return true;
	case YAML_ALIAS_EVENT:
		return false;
	default:
		return true;
	}
}

static bool read_yaml(struct meta *meta)
{
	yaml_parser_t parser;
	yaml_event_t event;
	bool good, done = false;

	if (!yaml_parser_initialize(&parser))
		return false;
	yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(
		&parser, (const unsigned char *)meta->text + meta->start,
		meta->end - meta->start);
	do {
		good = yaml_parser_parse(&parser, &event);
		if (!good)
			break;
		done = event.type == YAML_STREAM_END_EVENT;
		good = handle(meta, &event);
		yaml_event_delete(&event);
	} while (good && !done);
	yaml_parser_delete(&parser);
	return good;
}

/* "key: value" */
static void read_line(struct meta *meta, size_t at, size_t end)
{
	char key[MAX_KEY] = "";
	size_t from = at, length;
	const char *colon;

	while (end > at && strchr(" \t\r\n\"'", meta->text[end - 1]))
		end--;
	colon = memchr(meta->text + at, ':', end - at);
	if (colon && colon < meta->text + end) {
		while (at < end && strchr(" \t-", meta->text[at]))
			at++;
		length = colon > meta->text + at
				 ? (size_t)(colon - meta->text) - at
				 : 0;
		if (length < MAX_KEY) {
			memcpy(key, meta->text + at, length);
			from = (size_t)(colon - meta->text) + 1;
		}
	}
	while (from < end && strchr(" \t\"'", meta->text[from]))
		from++;
	if (from < end)
		add(meta, key, meta->text + from, end - from, from, end);
}

static void read_lines(struct meta *meta)
{
	size_t at, next;

	for (at = meta->start; at < meta->end; at = next) {
		next = next_line(meta->text, at, meta->end);
		read_line(meta, at, next);
	}
}

size_t meta_read(const char *text, size_t length, struct arena *arena,
		 struct segments *ret)
{
	struct segments out = { 0 };
	struct meta meta = { .text = text, .arena = arena, .out = &out };
	size_t size = find(&meta, text, length);

	if (!size)
		return 0;
	meta.line_at = meta.start;
	if (!read_yaml(&meta)) {
		out = (struct segments){ 0 };
		read_lines(&meta);
	}
	for (size_t i = 0; i < out.nr; i++)
		*ARENA_PUSH(arena, ret->list, ret->nr) = out.list[i];
	return size;
}
