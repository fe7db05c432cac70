// SPDX-License-Identifier: GPL-2.0-only
#include "document.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/*
 * What we read is three levels deep. The bound keeps libyaml away from texts
 * like "[[[[": for these it takes a time that grows with the square.
 */
#define MAX_DEPTH 16

/* ---- places */

/*
 * libyaml counts characters, and lines by rules of its own; editors and our
 * messages count bytes and line feeds.
 */
static struct position position_of(const struct document *document,
				   size_t character)
{
	const char *text = document->text;
	struct position position = { .line = 1, .column = 1 };
	size_t offset = 0;

	for (; character && offset < document->length; character--) {
		bool line_ends = text[offset] == '\n';

		do {
			offset++;
			position.column++;
		} while (offset < document->length &&
			 ((unsigned char)text[offset] & 0xc0) == 0x80);
		if (line_ends) {
			position.line++;
			position.column = 1;
		}
	}
	position.offset = offset;
	return position;
}

static struct span span_of(const struct document *document,
			   const yaml_mark_t *start, const yaml_mark_t *end)
{
	struct span span = {
		.file = document->file,
		.start = position_of(document, start->index),
	};

	span.end = span.start;
	/* One line is marked at most. */
	if (end->line == start->line)
		span.end = position_of(document, end->index);
	return span;
}

void document_complain(struct document *document, const yaml_node_t *node,
		       const char *format, ...)
{
	struct span at = span_of(document, &node->start_mark, &node->end_mark);
	char *message;
	va_list args;

	va_start(args, format);
	message = xvasprintf(format, args);
	va_end(args);
	document->status =
		error_at(document->err, document->kind, &at, document->text,
			 document->length, "%s", message);
	free(message);
}

void document_hint(struct document *document, const char *format, ...)
{
	char *hint;
	va_list args;

	va_start(args, format);
	hint = xvasprintf(format, args);
	va_end(args);
	error_hint(document->err, "%s", hint);
	free(hint);
}

/* ---- reading */

static int refuse_at(struct document *document, struct span at,
		     const char *message)
{
	at.file = document->file;
	return error_at(document->err, ERROR_INPUT, &at, document->text,
			document->length, "%s", message);
}

/* What libyaml says about a text that is no YAML. */
static int refuse_syntax(struct document *document, const yaml_parser_t *parser)
{
	const char *problem = parser->problem ? parser->problem : "no YAML";
	struct span at =
		span_of(document, &parser->problem_mark, &parser->problem_mark);

	return refuse_at(document, at, problem);
}

static bool start_parser(const struct document *document, yaml_parser_t *parser)
{
	if (!yaml_parser_initialize(parser))
		return false;
	/* Else it would guess, and also take UTF-16. */
	yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(parser,
				     (const unsigned char *)document->text,
				     document->length);
	return true;
}

/* By events, which are found one by one, so that one can stop in between. */
static int check_events(struct document *document, yaml_parser_t *parser)
{
	unsigned int depth = 0, documents = 0;
	yaml_event_type_t type = YAML_NO_EVENT;

	while (type != YAML_STREAM_END_EVENT) {
		yaml_event_t event;
		const char *message = NULL;
		yaml_mark_t mark;

		if (!yaml_parser_parse(parser, &event))
			return refuse_syntax(document, parser);
		type = event.type;
		mark = event.start_mark;
		yaml_event_delete(&event);
		switch (type) {
		case YAML_SEQUENCE_START_EVENT:
		case YAML_MAPPING_START_EVENT:
			if (++depth > MAX_DEPTH)
				message = "nested too deeply";
			break;
		case YAML_SEQUENCE_END_EVENT:
		case YAML_MAPPING_END_EVENT:
			depth--;
			break;
		case YAML_DOCUMENT_START_EVENT:
			if (++documents > 1)
				message = "a second document";
			break;
		case YAML_STREAM_END_EVENT:
			if (!documents)
				message = "there is nothing in it";
			break;
		default:
			break;
		}
		if (message)
			return refuse_at(document,
					 span_of(document, &mark, &mark),
					 message);
	}
	return 0;
}

/* Binary files would otherwise be blamed on some detail of YAML. */
static int check_text(struct document *document)
{
	size_t offset = 0, character = 0;
	yaml_mark_t mark = { 0 };

	if (text_is_utf8(document->text, document->length))
		return 0;
	while (offset < document->length) {
		const char *at = document->text + offset;
		size_t nr = 1;

		while (offset + nr < document->length &&
		       ((unsigned char)at[nr] & 0xc0) == 0x80)
			nr++;
		if (!text_is_utf8(at, nr))
			break;
		offset += nr;
		character++;
	}
	mark.index = character;
	return refuse_at(document, span_of(document, &mark, &mark),
			 "this is no text: a byte that is not UTF-8, or zero");
}

static int load(struct document *document)
{
	yaml_parser_t parser;
	int ret;

	ret = check_text(document);
	if (ret)
		return ret;
	if (!start_parser(document, &parser))
		return error_set(document->err, ERROR_INTERNAL, ENOMEM,
				 "libyaml does not start");
	ret = check_events(document, &parser);
	yaml_parser_delete(&parser);
	if (ret)
		return ret;
	if (!start_parser(document, &parser))
		return error_set(document->err, ERROR_INTERNAL, ENOMEM,
				 "libyaml does not start");
	/* Aliases are resolved here; an unknown one is an error. */
	if (!yaml_parser_load(&parser, &document->yaml))
		ret = refuse_syntax(document, &parser);
	yaml_parser_delete(&parser);
	return ret;
}

int document_open(struct document *document, const char *file, const char *text,
		  size_t length, enum error_kind kind, struct error **err)
{
	*document = (struct document){
		.file = file,
		.text = text,
		.length = length,
		.kind = kind,
		.err = err,
	};
	document->status = load(document);
	return document->status;
}

void document_close(struct document *document)
{
	yaml_document_delete(&document->yaml);
}

yaml_node_t *document_root(struct document *document)
{
	return yaml_document_get_root_node(&document->yaml);
}

/* ---- nodes */

static const char *kind_of(const yaml_node_t *node)
{
	switch (node->type) {
	case YAML_MAPPING_NODE:
		return "a mapping";
	case YAML_SEQUENCE_NODE:
		return "a list";
	default:
		return "a single value";
	}
}

static bool is_kind(struct document *document, const yaml_node_t *node,
		    yaml_node_type_t type, const char *what, const char *kind)
{
	if (node->type == type)
		return true;
	document_complain(document, node, "%s must be %s, not %s", what, kind,
			  kind_of(node));
	return false;
}

yaml_node_t *document_key(struct document *document, yaml_node_t *mapping,
			  size_t i)
{
	yaml_node_pair_t *pair = mapping->data.mapping.pairs.start + i;

	if (pair >= mapping->data.mapping.pairs.top)
		return NULL;
	return yaml_document_get_node(&document->yaml, pair->key);
}

yaml_node_t *document_value(struct document *document, yaml_node_t *mapping,
			    size_t i)
{
	yaml_node_pair_t *pair = mapping->data.mapping.pairs.start + i;

	if (pair >= mapping->data.mapping.pairs.top)
		return NULL;
	return yaml_document_get_node(&document->yaml, pair->value);
}

yaml_node_t *document_item(struct document *document, yaml_node_t *list,
			   size_t i)
{
	yaml_node_item_t *item = list->data.sequence.items.start + i;

	if (item >= list->data.sequence.items.top)
		return NULL;
	return yaml_document_get_node(&document->yaml, *item);
}

static bool same_text(const yaml_node_t *a, const yaml_node_t *b)
{
	return a->type == YAML_SCALAR_NODE && b->type == YAML_SCALAR_NODE &&
	       a->data.scalar.length == b->data.scalar.length &&
	       !memcmp(a->data.scalar.value, b->data.scalar.value,
		       a->data.scalar.length);
}

/* Keys of one mapping; more than we know are hardly meant. */
#define MAX_KEYS 256

bool document_mapping(struct document *document, yaml_node_t *node,
		      const char *what)
{
	yaml_node_t *key, *other;
	bool fine = true;
	size_t i, k;

	if (!is_kind(document, node, YAML_MAPPING_NODE, what, "a mapping"))
		return false;
	for (i = 0; (key = document_key(document, node, i)); i++) {
		if (i == MAX_KEYS) {
			document_complain(document, key,
					  "%s has more than %d keys", what,
					  MAX_KEYS);
			return false;
		}
		if (!document_text(document, key, "a key")) {
			fine = false;
			continue;
		}
		for (k = 0; k < i; k++) {
			other = document_key(document, node, k);
			if (!same_text(key, other))
				continue;
			document_complain(document, key, "%s is given twice",
					  (const char *)key->data.scalar.value);
			document_hint(document, "the first is in line %zu",
				      other->start_mark.line + 1);
			fine = false;
			break;
		}
	}
	return fine;
}

bool document_list(struct document *document, yaml_node_t *node,
		   const char *what)
{
	return is_kind(document, node, YAML_SEQUENCE_NODE, what, "a list");
}

const char *document_text(struct document *document, yaml_node_t *node,
			  const char *what)
{
	const char *text;

	if (!is_kind(document, node, YAML_SCALAR_NODE, what, "a single value"))
		return NULL;
	text = (const char *)node->data.scalar.value;
	if (!node->data.scalar.length ||
	    (node->data.scalar.style == YAML_PLAIN_SCALAR_STYLE &&
	     (!strcmp(text, "~") || !strcmp(text, "null")))) {
		document_complain(document, node, "%s has no value", what);
		return NULL;
	}
	if (memchr(text, '\0', node->data.scalar.length)) {
		document_complain(document, node, "%s has a zero byte in it",
				  what);
		return NULL;
	}
	return text;
}
