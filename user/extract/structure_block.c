// SPDX-License-Identifier: GPL-2.0-only
/*
 * The blocks of a window. libcmark says in which lines a block stands; where
 * in a line its text begins follows from the quotes around it.
 */
#include "structure.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

static struct container *top(struct reader *reader)
{
	return &reader->stack[reader->nr_stack - 1];
}

/* ---- lines */

/* Offset of the first byte of a line, 1-based; behind the last: the end. */
static size_t line_start(const struct reader *reader, int line)
{
	if (line < 1)
		return 0;
	if ((size_t)line > reader->nr_lines)
		return reader->view.length;
	return reader->lines[line - 1];
}

/* Offset behind its last byte, the line break not counted. */
static size_t line_end(const struct reader *reader, int line)
{
	size_t start = line_start(reader, line);
	size_t end = line_start(reader, line + 1);
	const char *data = reader->view.data;

	while (end > start && (data[end - 1] == '\n' || data[end - 1] == '\r'))
		end--;
	return end;
}

static size_t skip_space(const struct reader *reader, size_t at, size_t end)
{
	while (at < end && strchr(" \t", reader->view.data[at]) &&
	       reader->view.data[at])
		at++;
	return at;
}

/* Behind space and the marks of @quotes quotes, which a lazy line leaves out. */
static size_t skip_quotes(const struct reader *reader, size_t at, size_t end,
			  size_t quotes)
{
	at = skip_space(reader, at, end);
	for (; quotes && at < end && reader->view.data[at] == '>'; quotes--)
		at = skip_space(reader, at + 1, end);
	return at;
}

static size_t quotes_around(const struct reader *reader)
{
	size_t nr = 0;

	for (size_t i = 0; i < reader->nr_stack; i++)
		nr += reader->stack[i].quote;
	return nr;
}

static void see_lines(struct reader *reader, cmark_node *node)
{
	int line = cmark_node_get_start_line(node);
	int last = cmark_node_get_end_line(node);

	for (; line <= last && line >= 1 && (size_t)line <= reader->nr_lines;
	     line++)
		reader->seen[line - 1] = true;
}

/* ---- prose */

/* What the parser read as the text of a paragraph or heading. */
static struct view raw_text(struct reader *reader, cmark_node *node)
{
	struct writer writer cleanup_writer = { .arena = reader->arena };
	int first = cmark_node_get_start_line(node), line;
	int last = cmark_node_get_end_line(node);
	size_t quotes = quotes_around(reader), at, end = 0;

	for (line = first; line <= last; line++) {
		end = line_end(reader, line);
		at = line_start(reader, line);
		if (line == first)
			at += (size_t)(cmark_node_get_start_column(node) - 1);
		else
			at = skip_quotes(reader, at, end, quotes);
		if (at < end)
			writer_add(&writer, reader->view.data + at,
				   reader->view.origin + at, end - at);
		if (line < last)
			writer_put(&writer, '\n', reader->view.origin[end]);
	}
	return writer_take(&writer, reader->view.origin[end]);
}

/* ---- definitions, which are never shown */

/* "[//]: # (text)" is how comments are written without HTML. */
static bool is_comment(const char *label, size_t nr_label, const char *target,
		       size_t nr_target, const struct view *title)
{
	size_t words = 0;

	if ((nr_label == 2 && !memcmp(label, "//", 2)) ||
	    (nr_label >= 7 && !strncasecmp(label, "comment", 7)) ||
	    (nr_target == 1 && *target == '#') ||
	    (nr_target == 3 && !memcmp(target, "<#>", 3)) ||
	    (nr_target == 2 && !memcmp(target, "<>", 2)))
		return true;
	for (size_t i = 0; i < title->length; i++)
		words += title->data[i] == ' ';
	return words >= 4;
}

static struct view definition_title(const struct view *text, size_t at)
{
	size_t end = text->length;

	while (at < end && strchr(" \t\n(\"'", text->data[at]))
		at++;
	while (end > at && strchr(" \t\n)\"'", text->data[end - 1]))
		end--;
	return view_part(text, at, end - at);
}

/* One definition, which may go on over several lines. */
static bool read_definition(struct reader *reader, const struct view *text)
{
	const char *data = text->data;
	const char *close = text->length && *data == '['
				    ? memchr(data, ']', text->length)
				    : NULL;
	size_t label, at, target;
	struct view title;

	if (!close || close + 1 >= data + text->length || close[1] != ':')
		return false;
	label = (size_t)(close - data) - 1;
	at = label + 3;
	while (at < text->length && strchr(" \t\n", data[at]))
		at++;
	target = at;
	while (at < text->length && !strchr(" \t\n", data[at]))
		at++;
	title = definition_title(text, at);
	if (is_comment(data + 1, label, data + target, at - target, &title))
		structure_inside(reader, title, "markdown-comment");
	return true;
}

/* Lines that belong to no block and are not blank are definitions. */
static void read_definitions(struct reader *reader)
{
	struct writer writer cleanup_writer = { .arena = reader->arena };
	struct view text;

	for (size_t i = 0; i <= reader->nr_lines; i++) {
		size_t end = line_end(reader, (int)i + 1);
		size_t at = skip_quotes(reader, line_start(reader, (int)i + 1),
					end, STRUCTURE_MARKERS);
		bool go_on =
			i < reader->nr_lines && !reader->seen[i] && at < end;

		if (writer.text.length &&
		    (!go_on || reader->view.data[at] == '[')) {
			text = writer_take(&writer, reader->view.origin[at]);
			read_definition(reader, &text);
		}
		if (!go_on)
			continue;
		writer_add(&writer, reader->view.data + at,
			   reader->view.origin + at, end - at);
		writer_put(&writer, '\n', reader->view.origin[end]);
	}
}

/* Definitions before a paragraph's text: the parser takes them out of it. */
static void skip_definitions(struct reader *reader, cmark_node *node,
			     struct view *raw)
{
	cmark_node *first = cmark_node_first_child(node);
	const char *literal =
		first && cmark_node_get_type(first) == CMARK_NODE_TEXT
			? cmark_node_get_literal(first)
			: NULL;
	struct view line;

	while (raw->length && *raw->data == '[' && literal && *literal != '[') {
		const char *eol = memchr(raw->data, '\n', raw->length);

		if (!eol)
			return;
		line = view_part(raw, 0, (size_t)(eol - raw->data));
		if (!read_definition(reader, &line))
			return;
		*raw = view_part(raw, line.length + 1,
				 raw->length - line.length - 1);
	}
}

static void read_text(struct reader *reader, cmark_node *node, bool heading)
{
	struct view raw = raw_text(reader, node);

	skip_definitions(reader, node, &raw);
	inlines_read(reader, node, &raw,
		     heading		 ? SEGMENT_HEADING
		     : top(reader)->item ? SEGMENT_ITEM
					 : SEGMENT_PARAGRAPH);
	if (reader->nr_stack == 1)
		reader->structure->lead = top(reader)->last;
}

/* ---- code, HTML */

/*
 * Lines of a literal are ends of lines of the rule, but for tabs of which a
 * part was indentation.
 */
static void put_line(struct reader *reader, struct writer *writer,
		     const char *text, size_t length, int line)
{
	const char *data = reader->view.data;
	size_t start = line_start(reader, line), at = line_end(reader, line);
	size_t same = 0;

	while (same < length && at > start &&
	       data[at - 1] == text[length - same - 1]) {
		same++;
		at--;
	}
	for (size_t i = 0; i < length - same; i++)
		writer_put(writer, text[i], reader->view.origin[at]);
	writer_add(writer, data + at, reader->view.origin + at, same);
}

static struct view literal_view(struct reader *reader, const char *text,
				int line)
{
	struct writer writer cleanup_writer = { .arena = reader->arena };

	while (*text) {
		size_t length = strcspn(text, "\n");

		put_line(reader, &writer, text, length, line);
		text += length;
		if (*text)
			writer_put(&writer, *text++,
				   reader->view.origin[line_end(reader, line)]);
		line++;
	}
	return writer_take(&writer,
			   reader->view.origin[line_end(reader, line - 1)]);
}

/* The lines of a fenced block begin behind the one of the fence. */
static bool is_fenced(const struct reader *reader, cmark_node *node)
{
	int line = cmark_node_get_start_line(node);
	size_t at = line_start(reader, line) +
		    (size_t)(cmark_node_get_start_column(node) - 1);
	size_t end = line_end(reader, line), nr = 0;
	const char *data = reader->view.data;
	const char *literal = cmark_node_get_literal(node);

	if (at >= end || (data[at] != '`' && data[at] != '~'))
		return false;
	while (at + nr < end && data[at + nr] == data[at])
		nr++;
	return nr >= 3 && (strlen(literal) < end - at ||
			   memcmp(literal, data + at, end - at) ||
			   literal[end - at] != '\n');
}

/* "Bash title=x", "{.bash}", "sh,ignore": the first word, lower case. */
static const char *info_word(struct arena *arena, const char *info)
{
	size_t length;
	char *word;

	info += strspn(info, " \t{.");
	length = strcspn(info, " \t,;:}{");
	if (!length)
		return NULL;
	word = arena_strndup(arena, info, length);
	for (char *c = word; *c; c++)
		if (*c >= 'A' && *c <= 'Z')
			*c = (char)(*c + ('a' - 'A'));
	return word;
}

static void read_code(struct reader *reader, cmark_node *node)
{
	struct container *in = top(reader);
	int first = cmark_node_get_start_line(node);
	int last = cmark_node_get_end_line(node);
	bool fenced = is_fenced(reader, node);
	struct view text = literal_view(reader, cmark_node_get_literal(node),
					fenced ? first + 1 : first);
	struct segment *segment;

	if (view_is_blank(&text))
		return;
	segment = segment_new(reader->arena, reader->out, SEGMENT_CODE, &text);
	segment->language = fenced ? info_word(reader->arena,
					       cmark_node_get_fence_info(node))
				   : NULL;
	segment->start = reader->view.origin[line_start(reader, first)];
	segment->end = reader->view.origin[line_end(reader, last)];
	if (segment->end < text.origin[text.length])
		segment->end = text.origin[text.length];
	segment->lead = in->last ? in->last : in->lead;
	segment->under = reader->structure->under;
	segment->heading = segment->under ? segment->under->text : "";
	segment->hidden = structure_hidden(reader->structure);
}

static void read_html(struct reader *reader, cmark_node *node)
{
	struct structure *structure = reader->structure;
	struct view text = literal_view(reader, cmark_node_get_literal(node),
					cmark_node_get_start_line(node));
	const struct segment *lead = structure->lead;

	structure->lead =
		top(reader)->last ? top(reader)->last : top(reader)->lead;
	html_block(reader, &text);
	if (structure->lead)
		top(reader)->last = structure->lead;
	if (reader->nr_stack > 1)
		structure->lead = lead;
}

/* ---- the walk */

static void enter(struct reader *reader, const struct segment *lead, bool item,
		  bool quote)
{
	struct container *container =
		ARENA_PUSH(reader->arena, reader->stack, reader->nr_stack);

	*container = (struct container){ .lead = lead,
					 .item = item,
					 .quote = quote };
}

/* What was last said in a list is what leads into the block behind it. */
static void leave(struct reader *reader)
{
	const struct segment *last = top(reader)->last;

	reader->nr_stack--;
	if (last)
		top(reader)->last = last;
	if (reader->nr_stack == 1)
		reader->structure->lead = top(reader)->last;
}

/* Items do not lead into each other. */
static void enter_item(struct reader *reader)
{
	enter(reader, top(reader)->lead, true, false);
}

static void enter_node(struct reader *reader, cmark_node *node)
{
	const struct container *in = top(reader);

	switch (cmark_node_get_type(node)) {
	case CMARK_NODE_BLOCK_QUOTE:
		enter(reader, in->last ? in->last : in->lead, false, true);
		break;
	case CMARK_NODE_LIST:
		enter(reader, in->last ? in->last : in->lead, false, false);
		break;
	case CMARK_NODE_ITEM:
		enter_item(reader);
		break;
	case CMARK_NODE_PARAGRAPH:
	case CMARK_NODE_HEADING:
		see_lines(reader, node);
		read_text(reader, node,
			  cmark_node_get_type(node) == CMARK_NODE_HEADING);
		break;
	case CMARK_NODE_CODE_BLOCK:
		see_lines(reader, node);
		read_code(reader, node);
		break;
	case CMARK_NODE_HTML_BLOCK:
		see_lines(reader, node);
		read_html(reader, node);
		break;
	case CMARK_NODE_THEMATIC_BREAK:
		see_lines(reader, node);
		top(reader)->last = NULL;
		break;
	default:
		break;
	}
}

static bool holds_blocks(cmark_node *node)
{
	switch (cmark_node_get_type(node)) {
	case CMARK_NODE_BLOCK_QUOTE:
	case CMARK_NODE_LIST:
	case CMARK_NODE_ITEM:
		return true;
	default:
		return false;
	}
}

static bool holds_inlines(cmark_node *node)
{
	return cmark_node_get_type(node) == CMARK_NODE_PARAGRAPH ||
	       cmark_node_get_type(node) == CMARK_NODE_HEADING;
}

void blocks_read(struct reader *reader)
{
	cmark_node *document = cmark_parse_document(
		reader->view.data, reader->view.length, CMARK_OPT_DEFAULT);
	cmark_iter *walk = cmark_iter_new(document);
	cmark_event_type event;

	enter(reader, NULL, false, false);
	top(reader)->last = reader->structure->lead;
	while ((event = cmark_iter_next(walk)) != CMARK_EVENT_DONE) {
		cmark_node *node = cmark_iter_get_node(walk);

		if (event == CMARK_EVENT_ENTER)
			enter_node(reader, node);
		else if (holds_blocks(node))
			leave(reader);
		if (event == CMARK_EVENT_ENTER && holds_inlines(node))
			cmark_iter_reset(walk, node, CMARK_EVENT_EXIT);
	}
	read_definitions(reader);
	cmark_iter_free(walk);
	cmark_node_free(document);
}
