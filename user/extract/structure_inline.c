// SPDX-License-Identifier: GPL-2.0-only
/*
 * What stands in a paragraph. libcmark's columns of inlines are wrong behind
 * line breaks, so each literal is found again in the paragraph's own bytes, in
 * order: both are the same but for markup, escapes and entities.
 */
#include "structure.h"

#include <ctype.h>
#include <string.h>

#include "base/cleanup.h"

#define MAX_COLUMNS 32

/**
 * struct paragraph - one on its way to segments
 * @raw:	its bytes
 * @at:		how far they are used up
 * @budget:	bytes that may still be searched for a literal
 * @writer:	the segment so far
 * @code:	a <code> element is open since here in @writer; SIZE_MAX: none
 * @table:	line of @raw that is the head of a table, SIZE_MAX: none
 * @row:	line of @raw that the present row is
 * @cell:	its number in the row
 * @in_table:	the text belongs to the table
 * @columns:	texts of the head
 * @first:	first cell of the row
 */
struct paragraph {
	struct reader *reader;
	const struct view *raw;
	size_t at;
	size_t budget;
	enum segment_role role;
	struct writer writer;
	size_t code;
	size_t table;
	size_t row;
	size_t cell;
	bool in_table;
	const char *columns[MAX_COLUMNS];
	const struct segment *first;
};

static size_t raw_origin(const struct paragraph *paragraph, size_t at)
{
	if (at > paragraph->raw->length)
		at = paragraph->raw->length;
	return paragraph->raw->origin[at];
}

/* ---- segments */

/* What was written, without the space around it. */
static struct view take_trimmed(struct paragraph *paragraph)
{
	struct buffer *text = &paragraph->writer.text;
	struct view view;
	size_t from = 0;

	while (text->length && strchr(" \t\n", text->data[text->length - 1]))
		text->length--;
	view = writer_take(&paragraph->writer,
			   raw_origin(paragraph, paragraph->at));
	while (from < view.length && strchr(" \t\n", view.data[from]))
		from++;
	return view_part(&view, from, view.length - from);
}

static struct segment *new_segment(struct paragraph *paragraph)
{
	struct reader *reader = paragraph->reader;
	struct segment *inlines = paragraph->writer.inlines, *segment;
	size_t nr = paragraph->writer.nr_inlines;
	struct view view = take_trimmed(paragraph);

	segment = segment_new(reader->arena, reader->out, SEGMENT_PROSE, &view);
	segment->role = paragraph->role;
	segment->inlines = inlines;
	segment->nr_inlines = nr;
	segment->under = reader->structure->under;
	segment->heading = segment->under ? segment->under->text : "";
	segment->hidden = structure_hidden(reader->structure);
	for (size_t i = 0; i < nr; i++)
		inlines[i].hidden = segment->hidden;
	return segment;
}

static bool writer_is_blank(const struct writer *writer)
{
	struct view view = { buffer_text(&writer->text), writer->text.length,
			     NULL };

	return view_is_blank(&view);
}

static void end_cell(struct paragraph *paragraph)
{
	const struct container *in = NULL;
	struct reader *reader = paragraph->reader;
	size_t column = paragraph->cell++;
	struct segment *segment;

	in = &reader->stack[reader->nr_stack - 1];
	if (paragraph->row == paragraph->table + 1 ||
	    writer_is_blank(&paragraph->writer)) {
		writer_take(&paragraph->writer, 0);
		return;
	}
	paragraph->role = SEGMENT_CELL;
	segment = new_segment(paragraph);
	if (paragraph->row == paragraph->table && column < MAX_COLUMNS)
		paragraph->columns[column] = segment->text;
	else if (column < MAX_COLUMNS)
		segment->column = paragraph->columns[column];
	segment->lead = paragraph->first ? paragraph->first
			: in->last	 ? in->last
					 : in->lead;
	if (!paragraph->first && paragraph->row != paragraph->table)
		paragraph->first = segment;
}

static void end_prose(struct paragraph *paragraph)
{
	struct reader *reader = paragraph->reader;
	struct container *in = &reader->stack[reader->nr_stack - 1];
	struct segment *segment;

	if (writer_is_blank(&paragraph->writer)) {
		writer_take(&paragraph->writer, 0);
		return;
	}
	segment = new_segment(paragraph);
	if (paragraph->role == SEGMENT_ITEM)
		segment->lead = in->lead;
	if (paragraph->role != SEGMENT_HEADING) {
		in->last = segment;
		return;
	}
	segment->heading = "";
	segment->under = NULL;
	in->last = NULL;
	reader->structure->under = segment;
}

/* ---- tables, which libcmark does not know */

static bool is_delimiter_row(const char *line, size_t length)
{
	bool dash = false, bar = false;

	for (size_t i = 0; i < length; i++) {
		if (!strchr("|-: \t\r", line[i]) || !line[i])
			return false;
		dash |= line[i] == '-';
		bar |= line[i] == '|';
	}
	return dash && bar;
}

static void find_table(struct paragraph *paragraph)
{
	const struct view *raw = paragraph->raw;
	size_t line = 0, nr = 0, next;

	paragraph->table = SIZE_MAX;
	for (; line < raw->length; line = next, nr++) {
		const char *eol =
			memchr(raw->data + line, '\n', raw->length - line);

		next = eol ? (size_t)(eol - raw->data) + 1 : raw->length;
		if (nr && is_delimiter_row(raw->data + line,
					   next - line - (eol != NULL))) {
			paragraph->table = nr - 1;
			break;
		}
	}
	paragraph->row = 0;
	paragraph->in_table = paragraph->table == 0;
}

static void end_row(struct paragraph *paragraph)
{
	end_cell(paragraph);
	paragraph->cell = 0;
	paragraph->first = NULL;
}

/* ---- text put back onto its bytes */

static void put(struct paragraph *paragraph, char c, size_t at)
{
	writer_put(&paragraph->writer, c, raw_origin(paragraph, at));
}

static size_t character_length(const char *text)
{
	size_t nr = 1;

	while (((unsigned char)text[nr] & 0xc0) == 0x80)
		nr++;
	return nr;
}

/* "&amp;", "&#38;": its length, 0: none. */
static size_t entity_length(const struct view *raw, size_t at)
{
	size_t i = at + 1;

	if (at >= raw->length || raw->data[at] != '&')
		return 0;
	while (i < raw->length && i < at + 40 &&
	       (isalnum((unsigned char)raw->data[i]) || raw->data[i] == '#'))
		i++;
	return i > at + 1 && i < raw->length && raw->data[i] == ';' ? i + 1 - at
								    : 0;
}

/* Does "&" at @text stand for the entity there, and not for its own text? */
static bool is_entity(const struct view *raw, size_t at, size_t length,
		      const char *text)
{
	return length &&
	       (*text != '&' || strncmp(text, raw->data + at, length));
}

/**
 * step() - which bytes of the paragraph the next character of a literal is
 * @text:	the literal
 * @ret_text:	bytes of it
 * @ret_raw:	bytes of the paragraph; 0: none fit
 */
static void step(const struct view *raw, size_t at, const char *text,
		 size_t *ret_text, size_t *ret_raw)
{
	size_t entity = entity_length(raw, at);

	*ret_text = 1;
	*ret_raw = 0;
	if (at >= raw->length)
		return;
	if (is_entity(raw, at, entity, text)) {
		*ret_text = character_length(text);
		*ret_raw = entity;
	} else if (raw->data[at] == '\\' && at + 1 < raw->length &&
		   raw->data[at + 1] == *text &&
		   ispunct((unsigned char)*text)) {
		*ret_raw = 2;
	} else if (raw->data[at] == *text ||
		   (raw->data[at] == '\n' && *text == ' ')) {
		*ret_raw = 1;
	}
}

static bool fits(const struct view *raw, size_t at, const char *text)
{
	size_t nr_text, nr_raw;

	for (int i = 0; i < 16 && *text; i++) {
		step(raw, at, text, &nr_text, &nr_raw);
		if (!nr_raw)
			return false;
		at += nr_raw;
		text += nr_text;
	}
	return true;
}

/* Past the markup before a literal. */
static void find_text(struct paragraph *paragraph, const char *text)
{
	size_t at = paragraph->at;

	while (at < paragraph->raw->length && paragraph->budget) {
		paragraph->budget--;
		if (fits(paragraph->raw, at, text)) {
			paragraph->at = at;
			return;
		}
		at++;
	}
}

/* As far as a literal is what stands there, without escapes and bars. */
static size_t put_same(struct paragraph *paragraph, const char *text)
{
	const struct view *raw = paragraph->raw;
	const char *data = raw->data + paragraph->at;
	size_t nr = 0, most = raw->length - paragraph->at;

	while (nr < most && text[nr] == data[nr] && text[nr] != '&' &&
	       text[nr] != '\\' && text[nr] != '|')
		nr++;
	writer_add(&paragraph->writer, data, raw->origin + paragraph->at, nr);
	paragraph->at += nr;
	return nr;
}

static void put_text(struct paragraph *paragraph, const char *text)
{
	size_t nr_text, nr_raw, at;

	find_text(paragraph, text);
	while (*(text += put_same(paragraph, text))) {
		at = paragraph->at;
		step(paragraph->raw, paragraph->at, text, &nr_text, &nr_raw);
		if (paragraph->in_table && *text == '|' && nr_raw == 1) {
			/* What is before the first bar is no cell. */
			if (paragraph->cell ||
			    !writer_is_blank(&paragraph->writer))
				end_cell(paragraph);
			text++;
		} else {
			for (; nr_text && *text; nr_text--)
				put(paragraph, *text++, at);
		}
		paragraph->at += nr_raw;
	}
}

/* The next @c in the paragraph, or its end. */
static size_t find_char(const struct paragraph *paragraph, size_t at, char c)
{
	const struct view *raw = paragraph->raw;
	const char *found =
		at < raw->length ? memchr(raw->data + at, c, raw->length - at)
				 : NULL;

	return found ? (size_t)(found - raw->data) : raw->length;
}

/* ---- code spans */

static void add_inline(struct paragraph *paragraph, const struct view *view,
		       size_t start, size_t end)
{
	struct writer *writer = &paragraph->writer;
	struct segment *span =
		ARENA_PUSH(writer->arena, writer->inlines, writer->nr_inlines);

	*span = (struct segment){
		.kind = SEGMENT_INLINE,
		.text = view->data,
		.length = view->length,
		.origin = view->origin,
		.start = start,
		.end = end,
		.heading = paragraph->reader->structure->under
				   ? paragraph->reader->structure->under->text
				   : "",
		.under = paragraph->reader->structure->under,
	};
}

/* A part of what is written so far, as a text of its own. */
static struct view written(struct paragraph *paragraph, size_t from, size_t end)
{
	struct writer *writer = &paragraph->writer;
	struct writer part cleanup_writer = { .arena = writer->arena };

	if (from < writer->text.length)
		writer_add(&part, writer->text.data + from,
			   writer->origin + from, writer->text.length - from);
	return writer_take(&part, end);
}

static void put_code(struct paragraph *paragraph, const char *literal)
{
	const struct view *raw = paragraph->raw;
	size_t open = find_char(paragraph, paragraph->at, '`'), nr = 0, from;
	size_t start = raw_origin(paragraph, open), end;
	struct view view;

	while (open + nr < raw->length && raw->data[open + nr] == '`')
		nr++;
	paragraph->at = open + nr;
	put(paragraph, '`', open);
	from = paragraph->writer.text.length;
	if (paragraph->at < raw->length &&
	    strchr(" \n", raw->data[paragraph->at]) && *literal != ' ')
		paragraph->at++;
	for (; *literal; literal++) {
		char c = paragraph->at < raw->length ? raw->data[paragraph->at]
						     : '\0';

		put(paragraph, *literal, paragraph->at);
		if (c == *literal || (c == '\n' && *literal == ' '))
			paragraph->at++;
	}
	end = raw_origin(paragraph, paragraph->at);
	view = written(paragraph, from, end);
	paragraph->at = find_char(paragraph, paragraph->at, '`');
	put(paragraph, '`', paragraph->at);
	while (nr && paragraph->at < raw->length &&
	       raw->data[paragraph->at] == '`') {
		nr--;
		paragraph->at++;
	}
	add_inline(paragraph, &view, start,
		   raw_origin(paragraph, paragraph->at));
}

/* ---- HTML */

static void html_code(struct paragraph *paragraph, bool close, size_t start,
		      size_t end)
{
	struct view view;

	if (!close && paragraph->code == SIZE_MAX) {
		put(paragraph, '`', start);
		paragraph->code = paragraph->writer.text.length;
	} else if (close && paragraph->code <= paragraph->writer.text.length) {
		view = written(paragraph, paragraph->code,
			       raw_origin(paragraph, start));
		put(paragraph, '`', start);
		add_inline(paragraph, &view, view.origin[0],
			   raw_origin(paragraph, end));
		paragraph->code = SIZE_MAX;
	}
}

static void put_html(struct paragraph *paragraph, const char *literal)
{
	size_t start = find_char(paragraph, paragraph->at, '<');
	size_t length = strlen(literal), end;
	char name[16];
	bool close;

	if (start + length > paragraph->raw->length)
		length = paragraph->raw->length - start;
	end = start + length;
	paragraph->at = end;
	if (length >= 7 && !strncmp(literal, "<!--", 4)) {
		structure_inside(
			paragraph->reader,
			view_part(paragraph->raw, start + 4, length - 7),
			"html-comment");
		return;
	}
	close = html_name(literal, length, name, sizeof(name));
	html_tag(paragraph->reader, literal, length,
		 raw_origin(paragraph, start), raw_origin(paragraph, end));
	html_put_target(&paragraph->writer, paragraph->raw, start, end);
	if (!strcmp(name, "br"))
		put(paragraph, '\n', start);
	else if (!strcmp(name, "code") || !strcmp(name, "kbd") ||
		 !strcmp(name, "samp") || !strcmp(name, "tt"))
		html_code(paragraph, close, start, end);
}

/* ---- links */

static void enter_link(struct paragraph *paragraph, bool image)
{
	size_t at = paragraph->at;

	if (image) {
		at = find_char(paragraph, at, '!');
		put(paragraph, '!', at);
		put(paragraph, '[', at);
	}
}

/* "[text](target)", "[text][name]", "[text]", "<target>" */
static void leave_link(struct paragraph *paragraph, cmark_node *node,
		       size_t from, bool image)
{
	const struct view *raw = paragraph->raw;
	const char *url = cmark_node_get_url(node);
	const char *text = buffer_text(&paragraph->writer.text);
	size_t close = paragraph->at, end;

	if (from <= paragraph->writer.text.length)
		text += from;
	while (close < raw->length && raw->data[close] != ']' &&
	       raw->data[close] != '>')
		close++;
	paragraph->at = close < raw->length ? close + 1 : close;
	if (!image && (!strncmp(url, "mailto:", 7) || !strcmp(text, url) ||
		       !*url || *url == '#'))
		url = NULL;
	if (url) {
		writer_adds(&paragraph->writer, image ? "](" : " (",
			    raw_origin(paragraph, close));
		if (paragraph->at < raw->length &&
		    raw->data[paragraph->at] == '(') {
			paragraph->at++;
			put_text(paragraph, url);
		} else {
			writer_adds(&paragraph->writer, url,
				    raw_origin(paragraph, close));
		}
		put(paragraph, ')', paragraph->at);
	}
	if (close + 1 >= raw->length || !strchr("([", raw->data[close + 1]) ||
	    raw->data[close] == '>')
		return;
	end = find_char(paragraph, paragraph->at,
			raw->data[close + 1] == '(' ? ')' : ']');
	paragraph->at = end < raw->length ? end + 1 : end;
}

/* ---- the walk */

static void put_break(struct paragraph *paragraph, bool hard)
{
	size_t at = find_char(paragraph, paragraph->at, '\n');

	paragraph->at = at < paragraph->raw->length ? at + 1 : at;
	if (paragraph->in_table) {
		end_row(paragraph);
	} else if (paragraph->row + 1 == paragraph->table) {
		end_prose(paragraph);
		paragraph->in_table = true;
	} else {
		put(paragraph, hard ? '\n' : ' ', at);
	}
	paragraph->row++;
}

static void enter_inline(struct paragraph *paragraph, cmark_node *node)
{
	switch (cmark_node_get_type(node)) {
	case CMARK_NODE_TEXT:
		put_text(paragraph, cmark_node_get_literal(node));
		break;
	case CMARK_NODE_CODE:
		put_code(paragraph, cmark_node_get_literal(node));
		break;
	case CMARK_NODE_HTML_INLINE:
		put_html(paragraph, cmark_node_get_literal(node));
		break;
	case CMARK_NODE_SOFTBREAK:
		put_break(paragraph, false);
		break;
	case CMARK_NODE_LINEBREAK:
		put_break(paragraph, true);
		break;
	default:
		break;
	}
}

static bool is_link(cmark_node *node)
{
	return cmark_node_get_type(node) == CMARK_NODE_LINK ||
	       cmark_node_get_type(node) == CMARK_NODE_IMAGE;
}

static void read_inline(struct paragraph *paragraph, cmark_node *node,
			cmark_event_type event)
{
	bool image = cmark_node_get_type(node) == CMARK_NODE_IMAGE;

	if (!is_link(node)) {
		if (event == CMARK_EVENT_ENTER)
			enter_inline(paragraph, node);
		return;
	}
	/* Where the text began is kept in the node; nothing else uses that. */
	if (event == CMARK_EVENT_ENTER) {
		enter_link(paragraph, image);
		cmark_node_set_user_data(node,
					 (void *)paragraph->writer.text.length);
	} else {
		leave_link(paragraph, node,
			   (size_t)cmark_node_get_user_data(node), image);
	}
}

void inlines_read(struct reader *reader, cmark_node *block,
		  const struct view *raw, enum segment_role role)
{
	struct paragraph paragraph = {
		.reader = reader,
		.raw = raw,
		.budget = raw->length * 8 + 64,
		.role = role,
		.writer = { .arena = reader->arena },
		.code = SIZE_MAX,
	};
	cmark_iter *walk = cmark_iter_new(block);
	cmark_event_type event;

	find_table(&paragraph);
	while ((event = cmark_iter_next(walk)) != CMARK_EVENT_DONE) {
		cmark_node *node = cmark_iter_get_node(walk);

		if (node != block)
			read_inline(&paragraph, node, event);
	}
	cmark_iter_free(walk);
	if (paragraph.in_table)
		end_row(&paragraph);
	else
		end_prose(&paragraph);
	writer_done(&paragraph.writer);
}
