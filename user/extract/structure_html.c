// SPDX-License-Identifier: GPL-2.0-only
/*
 * HTML in Markdown: tags are taken away and what is between them is read as
 * Markdown, which is what a model makes of it. Comments and elements that are
 * styled to be invisible are read as well, and marked.
 */
#include "structure.h"

#include <ctype.h>
#include <string.h>

#include "base/cleanup.h"

bool html_name(const char *tag, size_t length, char *ret, size_t size)
{
	size_t i = 1, nr = 0;
	bool close = length > 1 && tag[1] == '/';

	i += close;
	for (; i < length && isalnum((unsigned char)tag[i]); i++)
		if (nr + 1 < size)
			ret[nr++] = (char)tolower((unsigned char)tag[i]);
	ret[nr] = '\0';
	return close;
}

static bool is_one_of(const char *name, const char *const *list, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (!strcmp(name, list[i]))
			return true;
	return false;
}

static bool is_void(const char *name)
{
	static const char *const names[] = {
		"area",	 "base", "br",	 "col",	  "embed",  "hr",    "img",
		"input", "link", "meta", "param", "source", "track", "wbr",
	};

	return is_one_of(name, names, ARRAY_SIZE(names));
}

/* Elements that stand in a line of text. */
static bool is_inline(const char *name)
{
	static const char *const names[] = {
		"a",	"abbr", "b",	 "bdi",	 "bdo",	   "big",
		"cite", "code", "del",	 "dfn",	 "em",	   "font",
		"i",	"img",	"ins",	 "kbd",	 "mark",   "q",
		"s",	"samp", "small", "span", "strike", "strong",
		"sub",	"sup",	"tt",	 "u",	 "var",
	};

	return is_one_of(name, names, ARRAY_SIZE(names));
}

static bool is_code(const char *name)
{
	static const char *const names[] = { "code", "kbd", "samp", "tt" };

	return is_one_of(name, names, ARRAY_SIZE(names));
}

/* ---- invisible elements */

/* A tag's attributes in lower case and without space, but for one before each
 * name: "<p style=\"color: White\">" is " style=\"color:white\"". */
static void normalise(struct buffer *out, const char *tag, size_t length)
{
	char quote = '\0';

	for (size_t i = 0; i < length && out->length < 4096; i++) {
		unsigned char c = (unsigned char)tag[i];

		if (quote && c == (unsigned char)quote)
			quote = '\0';
		else if (!quote && (c == '"' || c == '\''))
			quote = (char)c;
		if (isspace(c) || c == '/') {
			if (!quote)
				buffer_addc(out, ' ');
			continue;
		}
		buffer_addc(out, (char)tolower(c));
	}
}

/* @value, and not the beginning of a larger one ("opacity:0" in
 * "opacity:0.5"). */
static bool has_value(const char *attributes, const char *value)
{
	const char *at = attributes;
	size_t length = strlen(value);

	while ((at = strstr(at, value))) {
		const char *end = at + length;

		end += strspn(end, ".0");
		if (!strncmp(end, "px", 2) || !strncmp(end, "em", 2))
			end += 2;
		if ((at == attributes ||
		     (!isalnum((unsigned char)at[-1]) && at[-1] != '-')) &&
		    (!*end || strchr(";\"' >!,)%", *end)))
			return true;
		at += length;
	}
	return false;
}

static bool is_white(const char *attributes)
{
	static const char *const values[] = {
		"color:white",	     "color:#fff",	"color:#ffffff",
		"color=white",	     "color=\"white",	"color=\"#fff",
		"color=#fff",	     "color:snow",	"color:ivory",
		"color:#fefefe",     "color=\"#ffffff", "color:rgb(255,255,255",
		"color:transparent",
	};

	/* White on something is a badge. */
	if (strstr(attributes, "background"))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(values); i++)
		if (has_value(attributes, values[i]))
			return true;
	return false;
}

static bool is_invisible(const char *name, const char *tag, size_t length)
{
	static const char *const values[] = {
		"display:none", "visibility:hidden", "visibility:collapse",
		"opacity:0",	"font-size:0",	     "font-size:1px",
		"max-height:0", "max-width:0",	     "height:0",
		"width:0",	"clip:rect(0",	     "size=0",
		"size=\"0",	"line-height:0",     "scale(0",
	};
	static const char *const far[] = { "left:-9", "top:-9", "indent:-9",
					   "right:-9" };
	static const char *const names[] = { "template", "noscript", "script",
					     "style",	 "head",     "object" };
	struct buffer text cleanup_buffer = { 0 };
	bool ret = is_one_of(name, names, ARRAY_SIZE(names));

	normalise(&text, tag, length);
	if (strstr(buffer_text(&text), " hidden ") ||
	    strstr(buffer_text(&text), " hidden>") ||
	    strstr(buffer_text(&text), " hidden=") ||
	    is_white(buffer_text(&text)))
		ret = true;
	for (size_t i = 0; !ret && i < ARRAY_SIZE(values); i++)
		ret = has_value(buffer_text(&text), values[i]);
	for (size_t i = 0; !ret && i < ARRAY_SIZE(far); i++)
		ret = strstr(buffer_text(&text), far[i]) != NULL;
	return ret;
}

void html_tag(struct reader *reader, const char *tag, size_t length,
	      size_t start, size_t end)
{
	struct html *html = &reader->structure->html;
	char name[sizeof(html->tag)];
	bool close = html_name(tag, length, name, sizeof(name));

	if (!*name || is_void(name) || (length >= 2 && tag[length - 2] == '/'))
		return;
	if (html->depth) {
		if (strcmp(name, html->tag))
			return;
		if (!close)
			html->depth++;
		else if (!--html->depth)
			conceal(reader->arena, reader->out, html->start, start,
				html->how, false);
	} else if (!close && is_invisible(name, tag, length)) {
		memcpy(html->tag, name, sizeof(name));
		html->depth = 1;
		html->how = "html-invisible";
		html->start = end;
	}
}

void html_end(struct structure *structure, struct arena *arena,
	      struct segments *ret, size_t end)
{
	if (!structure->html.depth)
		return;
	conceal(arena, ret, structure->html.start, end, structure->html.how,
		false);
	structure->html.start = end;
}

/* ---- targets */

static void put_attribute(struct writer *writer, const struct view *view,
			  size_t at, size_t end, const char *attribute,
			  const char *before, const char *behind)
{
	const char *found =
		memmem(view->data + at, end - at, attribute, strlen(attribute));
	const char *quote;

	if (!found)
		return;
	found += strlen(attribute);
	quote = memchr(found, '"', (size_t)(view->data + end - found));
	if (!quote || *found == '#')
		return;
	at = (size_t)(found - view->data);
	writer_adds(writer, before, view->origin[at]);
	writer_add(writer, found, view->origin + at, (size_t)(quote - found));
	writer_adds(writer, behind, view->origin[quote - view->data]);
}

void html_put_target(struct writer *writer, const struct view *view, size_t at,
		     size_t end)
{
	char name[16];

	if (html_name(view->data + at, end - at, name, sizeof(name)))
		return;
	if (!strcmp(name, "a"))
		put_attribute(writer, view, at, end, "href=\"", " (", ") ");
	else if (!strcmp(name, "img"))
		put_attribute(writer, view, at, end, "src=\"", "![](", ")");
}

/* ---- a block of HTML */

/**
 * struct block - one on its way to segments
 * @writer:	Markdown so far
 * @pre:	in <pre>, which is code
 */
struct block {
	struct reader *reader;
	const struct view *view;
	struct writer writer;
	bool pre;
};

static void flush(struct block *block, size_t at)
{
	struct reader *reader = block->reader;
	struct view text = writer_take(&block->writer, block->view->origin[at]);
	struct segment *segment;

	if (view_is_blank(&text))
		return;
	if (!block->pre) {
		structure_inside(reader, text, NULL);
		return;
	}
	segment = segment_new(reader->arena, reader->out, SEGMENT_CODE, &text);
	segment->lead = reader->structure->lead;
	segment->under = reader->structure->under;
	segment->heading = segment->under ? segment->under->text : "";
	segment->hidden = structure_hidden(reader->structure);
}

#define MAX_TAG 2048

/* Behind the ">" of a tag; quotes may hold others. 0: it does not end. */
static size_t tag_end(const struct view *view, size_t at)
{
	char quote = '\0';

	for (size_t i = at; i < view->length && i < at + MAX_TAG; i++) {
		char c = view->data[i];

		if (quote)
			quote = c == quote ? '\0' : quote;
		else if (c == '"' || c == '\'')
			quote = c;
		else if (c == '>')
			return i + 1;
	}
	return 0;
}

static void read_tag(struct block *block, size_t at, size_t end)
{
	const struct view *view = block->view;
	char name[16];
	bool close = html_name(view->data + at, end - at, name, sizeof(name));

	if (!block->pre && is_code(name)) {
		writer_put(&block->writer, '`', view->origin[at]);
	} else if (!strcmp(name, "br")) {
		writer_put(&block->writer, '\n', view->origin[at]);
	} else if (!is_inline(name) ||
		   (!block->reader->structure->html.depth && !close &&
		    is_invisible(name, view->data + at, end - at)) ||
		   (close && block->reader->structure->html.depth &&
		    !strcmp(name, block->reader->structure->html.tag))) {
		flush(block, at);
	}
	if (!close)
		html_put_target(&block->writer, view, at, end);
	if (!strcmp(name, "pre"))
		block->pre = !close;
	html_tag(block->reader, view->data + at, end - at, view->origin[at],
		 view->origin[end]);
}

static bool starts(const struct view *view, size_t at, const char *with)
{
	size_t length = strlen(with);

	return view->length - at >= length &&
	       !memcmp(view->data + at, with, length);
}

/* Behind a comment; one that is not closed goes on to the end. */
static size_t read_comment(struct block *block, size_t at)
{
	const struct view *view = block->view;
	const char *found =
		memmem(view->data + at + 4, view->length - at - 4, "-->", 3);
	size_t end = found ? (size_t)(found - view->data) : view->length;

	structure_inside(block->reader, view_part(view, at + 4, end - at - 4),
			 "html-comment");
	return found ? end + 3 : end;
}

void html_block(struct reader *reader, const struct view *view)
{
	struct block block = { .reader = reader,
			       .view = view,
			       .writer = { .arena = reader->arena } };
	/* Past this no tag ends: a "<" is text there. */
	size_t at = 0, end, no_tags = view->length;

	while (no_tags && view->data[no_tags - 1] != '>')
		no_tags--;
	while (at < view->length) {
		end = 0;
		if (starts(view, at, "<!--")) {
			at = read_comment(&block, at);
			continue;
		}
		if (view->data[at] == '<' && at + 1 < no_tags &&
		    (isalpha((unsigned char)view->data[at + 1]) ||
		     strchr("/!?", view->data[at + 1])))
			end = tag_end(view, at);
		if (end) {
			read_tag(&block, at, end);
			at = end;
			continue;
		}
		writer_add(&block.writer, view->data + at, view->origin + at,
			   1);
		at++;
	}
	flush(&block, view->length);
	writer_done(&block.writer);
}
