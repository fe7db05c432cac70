// SPDX-License-Identifier: GPL-2.0-only
#include "structure.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"

/* ---- what nobody sees */

bool character_is_unseen(uint32_t c)
{
	return (c < 0x20 && c != '\t' && c != '\n' && c != '\r' && c != '\f') ||
	       (c >= 0x7f && c < 0xa0) || c == 0xad || c == 0x34f ||
	       c == 0x61c || c == 0x115f || c == 0x1160 || c == 0x17b4 ||
	       c == 0x17b5 || c == 0x180e || (c >= 0x200b && c <= 0x200f) ||
	       (c >= 0x202a && c <= 0x202e) || (c >= 0x2060 && c <= 0x206f) ||
	       c == 0x3164 || (c >= 0xfe00 && c <= 0xfe0f) || c == 0xfeff ||
	       c == 0xffa0 || (c >= 0xfff0 && c <= 0xfffb) ||
	       (c >= 0xe0000 && c <= 0xe0fff);
}

/* A terminal's escape sequence, whole. */
static size_t escape_length(const char *data, size_t length)
{
	size_t i = 2;

	if (length < 3 || data[0] != 0x1b || data[1] != '[')
		return 0;
	while (i < length && i < 32 && data[i] >= 0x20 && data[i] < 0x40)
		i++;
	return i < length && data[i] >= 0x40 && data[i] < 0x7f ? i + 1 : 0;
}

static void copy(struct writer *writer, const struct view *view, size_t at,
		 size_t end)
{
	if (view->origin)
		writer_add(writer, view->data + at, view->origin + at,
			   end - at);
	else
		writer_run(writer, view->data + at, at, end - at);
}

/* [at, end) of a text, without what nobody sees. */
static void copy_seen(struct writer *writer, const struct view *view, size_t at,
		      size_t end)
{
	const char *data = view->data;
	size_t from = at;

	while (at < end) {
		uint32_t c = (unsigned char)data[at];
		size_t nr = 1;
		bool unseen = false;

		if (c < 0x20 || c >= 0x7f) {
			nr = escape_length(data + at, end - at);
			unseen = nr > 0;
			if (!unseen) {
				nr = text_character(data + at, end - at, &c);
				unseen = nr && character_is_unseen(c);
			}
		}
		if (unseen) {
			copy(writer, view, from, at);
			from = at + nr;
		}
		at += nr ? nr : 1;
	}
	copy(writer, view, from, end);
}

/* ---- where a window ends */

/* A quote's or list's mark: its length, 0: none. */
static size_t marker_length(const char *line, size_t length)
{
	size_t i = 0;

	if (!length)
		return 0;
	if (*line == '>')
		return 1;
	if (strchr("-+*", *line) && *line)
		i = 1;
	while (i < 9 && i < length && line[i] >= '0' && line[i] <= '9')
		i++;
	if (i && line[0] >= '0' && line[0] <= '9') {
		if (i == length || (line[i] != '.' && line[i] != ')'))
			return 0;
		i++;
	} else if (i > 1) {
		return 0;
	}
	if (!i || (i < length && line[i] != ' ' && line[i] != '\t'))
		return 0;
	return i;
}

/* Where the text of a line begins, behind space and the marks of blocks. */
static size_t line_text(const char *line, size_t length)
{
	size_t i = 0, nr;

	for (;;) {
		while (i < length && (line[i] == ' ' || line[i] == '\t'))
			i++;
		nr = marker_length(line + i, length - i);
		if (!nr)
			return i;
		i += nr;
	}
}

static bool only_space(const char *data, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (data[i] != ' ' && data[i] != '\t' && data[i] != '\r')
			return false;
	return true;
}

/* Opens or closes @fence, if the line is that. */
static void fence_line(struct fence *fence, const char *line, size_t length)
{
	size_t i = line_text(line, length), nr = 0;
	char mark;

	if (i == length || (line[i] != '`' && line[i] != '~'))
		return;
	mark = line[i];
	while (i + nr < length && line[i + nr] == mark)
		nr++;
	if (nr < 3)
		return;
	if (fence->nr) {
		if (mark == fence->mark && nr >= fence->nr &&
		    only_space(line + i + nr, length - i - nr))
			fence->nr = 0;
		return;
	}
	if (mark == '`' && memchr(line + i + nr, '`', length - i - nr))
		return;
	fence->mark = mark;
	fence->nr = nr;
	length -= i;
	if (length >= sizeof(fence->line))
		length = sizeof(fence->line) - 1;
	memcpy(fence->line, line + i, length);
	fence->line[length] = '\0';
}

/* A place where a window can end, and how well. */
struct cut {
	size_t at;
	struct fence fence;
	enum { CUT_ANYWHERE, CUT_SPACE, CUT_LINE, CUT_BLANK, CUT_BLOCK } how;
};

static void cut_at(struct cut *cut, size_t at, const struct fence *fence,
		   int how)
{
	if (how < (int)cut->how)
		return;
	cut->at = at;
	cut->fence = *fence;
	cut->how = how;
}

static struct cut window_end(const struct structure *structure)
{
	const char *data = structure->view.data + structure->at;
	size_t length = structure->view.length - structure->at, line = 0, next;
	struct fence fence = structure->fence;
	struct cut cut = { .at = STRUCTURE_WINDOW };
	bool blank = false;

	if (length <= STRUCTURE_WINDOW)
		return (struct cut){ .at = length, .how = CUT_BLOCK };
	length = STRUCTURE_WINDOW;
	for (; line < length; line = next) {
		const char *eol = memchr(data + line, '\n', length - line);

		next = eol ? (size_t)(eol - data) + 1 : length;
		if (line > STRUCTURE_WINDOW / 4)
			cut_at(&cut, line, &fence,
			       !blank || fence.nr	       ? CUT_LINE
			       : strchr(" \t\r\n", data[line]) ? CUT_BLANK
							       : CUT_BLOCK);
		blank = only_space(data + line, next - line - (eol != NULL));
		if (eol)
			fence_line(&fence, data + line, next - line - 1);
	}
	if (cut.how == CUT_ANYWHERE)
		for (next = length; next > length - STRUCTURE_OVERLAP; next--)
			if (strchr(" \t", data[next - 1]) && data[next - 1])
				cut_at(&cut, next, &fence, CUT_SPACE);
	return cut;
}

/* The next window begins a bit before the end of one that ends inside. */
static size_t window_next(const struct structure *structure,
			  const struct cut *cut)
{
	const char *data = structure->view.data;
	size_t end = structure->at + cut->at, at = end - STRUCTURE_OVERLAP;

	if (cut->how >= CUT_LINE)
		return end;
	for (size_t i = at; i < end; i++)
		if (data[i] == ' ' || data[i] == '\t')
			return i;
	return at;
}

/* ---- what the parser gets */

/*
 * Each mark of a quote or list costs the parser a block and, in each line, a
 * step: what nobody would write is made space.
 */
static void cap_markers(char *text, size_t length)
{
	size_t line = 0;

	while (line < length) {
		const char *eol = memchr(text + line, '\n', length - line);
		size_t end = eol ? (size_t)(eol - text) : length;
		size_t i = line, nr, marks = 0;

		for (;;) {
			while (i < end && (text[i] == ' ' || text[i] == '\t'))
				i++;
			nr = marker_length(text + i, end - i);
			if (!nr)
				break;
			if (++marks > STRUCTURE_MARKERS)
				memset(text + i, ' ', nr);
			i += nr;
		}
		line = end + 1;
	}
}

static struct view window_copy(struct structure *structure, struct arena *arena,
			       size_t length)
{
	struct writer writer cleanup_writer = { .arena = arena };
	size_t start = view_origin(&structure->view, structure->at);
	size_t end = structure->at + length;

	if (structure->fence.nr) {
		writer_adds(&writer, structure->fence.line, start);
		writer_put(&writer, '\n', start);
	}
	copy_seen(&writer, &structure->view, structure->at, end);
	if (writer.text.length)
		cap_markers(writer.text.data, writer.text.length);
	return writer_take(&writer, view_origin(&structure->view, end));
}

static void line_push(struct reader *reader, size_t at)
{
	*ARENA_PUSH(reader->arena, reader->lines, reader->nr_lines) = at;
}

/* As the parser counts them: CR alone ends a line, too. */
static void split(struct reader *reader)
{
	const char *data = reader->view.data;
	size_t length = reader->view.length;

	line_push(reader, 0);
	for (size_t i = 0; i < length; i++)
		if (data[i] == '\n' ||
		    (data[i] == '\r' &&
		     (i + 1 == length || data[i + 1] != '\n')))
			line_push(reader, i + 1);
	reader->seen = arena_alloc(reader->arena,
				   reader->nr_lines * sizeof(*reader->seen));
}

/* What the next window needs survives this one's memory. */
static void carry(struct structure *structure)
{
	structure->carried = arena_new();
	if (structure->under)
		structure->under =
			segment_copy(structure->carried, structure->under);
	if (structure->lead)
		structure->lead =
			segment_copy(structure->carried, structure->lead);
}

static void carry_into(struct structure *structure, struct arena *arena)
{
	if (!structure->carried)
		return;
	if (structure->under)
		structure->under = segment_copy(arena, structure->under);
	if (structure->lead)
		structure->lead = segment_copy(arena, structure->lead);
	arena_free(structure->carried);
	structure->carried = NULL;
}

bool structure_next(struct structure *structure, struct arena *arena,
		    struct segments *ret)
{
	struct reader reader = { .structure = structure,
				 .arena = arena,
				 .out = ret };
	struct cut cut;
	bool last;

	if (structure->at >= structure->view.length)
		return false;
	cut = window_end(structure);
	last = structure->at + cut.at == structure->view.length;
	carry_into(structure, arena);
	reader.view = window_copy(structure, arena, cut.at);
	split(&reader);
	blocks_read(&reader);
	html_end(structure, arena, ret,
		 view_origin(&structure->view, structure->at + cut.at));
	structure->fence = cut.fence;
	structure->at =
		last ? structure->view.length : window_next(structure, &cut);
	if (!last)
		carry(structure);
	return true;
}

void structure_begin(struct structure *structure, const struct view *view,
		     const char *hidden)
{
	*structure = (struct structure){ .view = *view, .hidden = hidden };
}

void structure_done(struct structure *structure)
{
	arena_free(structure->carried);
	structure->carried = NULL;
}

void structure_inside(struct reader *reader, struct view view,
		      const char *hidden)
{
	struct structure *outer = reader->structure;
	struct structure inner = {
		.view = view,
		.hidden = hidden ? hidden : structure_hidden(outer),
		.nested = outer->nested + 1,
		.under = outer->under,
		.lead = hidden ? NULL : outer->lead,
	};

	if (view_is_blank(&view))
		return;
	if (inner.nested > STRUCTURE_NESTED) {
		segment_new(reader->arena, reader->out, SEGMENT_PROSE, &view)
			->hidden = inner.hidden;
		return;
	}
	while (structure_next(&inner, reader->arena, reader->out))
		;
	structure_done(&inner);
	if (!hidden)
		outer->lead = inner.lead;
}

const char *structure_hidden(const struct structure *structure)
{
	return structure->html.depth ? structure->html.how : structure->hidden;
}

void structure_find(struct arena *arena, const char *path, const char *text,
		    size_t length, struct segments *ret)
{
	struct structure structure;
	struct view view = { text, length, NULL };

	(void)path;
	structure_begin(&structure, &view, NULL);
	structure.at = meta_read(text, length, arena, ret);
	while (structure_next(&structure, arena, ret))
		;
	structure_done(&structure);
}
