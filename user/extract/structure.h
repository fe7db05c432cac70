/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The structure reader's own types.
 *
 *   structure.c         windows of the rule, what is unseen taken out
 *   structure_block.c   blocks: paragraphs, lists, code, definitions
 *   structure_inline.c  what stands in a paragraph, put back onto its bytes
 *   structure_html.c    tags, comments, what is styled to be invisible
 *   structure_meta.c    front matter
 *   structure_write.c   segments and the origins of their bytes
 *
 * A rule is read in windows: libcmark needs a hundred times a text's size for
 * some texts. A window ends at a blank line outside of lists and code where
 * there is one.
 */
#ifndef USER_EXTRACT_STRUCTURE_H
#define USER_EXTRACT_STRUCTURE_H

#include <stdbool.h>
#include <stddef.h>

#include <cmark.h>

#include "base/memory.h"
#include "extract/segment.h"

#define STRUCTURE_WINDOW  (256u << 10) /* bytes that are parsed at once */
#define STRUCTURE_OVERLAP 512 /* bytes read twice where a window ends inside */
#define STRUCTURE_NESTED  3   /* Markdown in HTML in Markdown */
#define STRUCTURE_MARKERS 32  /* quotes and lists that one line can begin */
#define STRUCTURE_META	  (64u << 10) /* bytes of front matter */

/**
 * struct view - text and where each byte comes from
 * @data:	the bytes; a zero need not follow
 * @length:	how many
 * @origin:	[length + 1] offsets in the rule, ascending; NULL: it is the rule
 *		itself
 */
struct view {
	const char *data;
	size_t length;
	const size_t *origin;
};

static inline size_t view_origin(const struct view *view, size_t at)
{
	return view->origin ? view->origin[at] : at;
}

/* A fence that is open: its character, how long it is, and its line. */
struct fence {
	char mark;
	size_t nr;
	char line[128];
};

/**
 * struct html - the element that makes what is in it invisible
 * @tag:	its name
 * @depth:	elements of that name that are open in it and itself, 0: none
 * @how:	it hides
 * @start:	offset in the rule of its content
 */
struct html {
	char tag[16];
	size_t depth;
	const char *how;
	size_t start;
};

/**
 * struct structure - a text on its way to segments
 * @view:	the text
 * @at:		offset of what comes next
 * @carried:	memory of what a window hands to the next one
 * @hidden:	how all of it hides
 * @nested:	texts that this one is in
 * @fence:	code that goes on in the next window
 * @under:	the last heading
 * @lead:	the last prose outside of lists
 */
struct structure {
	struct view view;
	size_t at;
	struct arena *carried;
	const char *hidden;
	unsigned int nested;
	struct fence fence;
	struct html html;
	const struct segment *under;
	const struct segment *lead;
};

/* A block that other blocks are in. @lead: what leads into it; @last: the
 * prose right before the next block. */
struct container {
	const struct segment *lead;
	const struct segment *last;
	bool item;
	bool quote;
};

/**
 * struct reader - one window on its way to segments
 * @lines:	offsets in @view of its lines
 * @seen:	by line: it belongs to a block
 */
struct reader {
	struct structure *structure;
	struct arena *arena;
	struct segments *out;
	struct view view;
	size_t *lines;
	size_t nr_lines;
	bool *seen;
	struct container *stack;
	size_t nr_stack;
};

/**
 * struct writer - text that grows with its origins
 * @inlines:	code spans of it, complete
 */
struct writer {
	struct arena *arena;
	struct buffer text;
	size_t *origin;
	size_t room;
	struct segment *inlines;
	size_t nr_inlines;
};

/* structure.c */
/* @hidden: how all of it hides, or NULL */
void structure_begin(struct structure *structure, const struct view *view,
		     const char *hidden);
/* Append the segments of the next window. False: there is none. */
bool structure_next(struct structure *structure, struct arena *arena,
		    struct segments *ret);
void structure_done(struct structure *structure);
/* A text inside of the one that @reader reads. @hidden: how, or NULL. */
void structure_inside(struct reader *reader, struct view view,
		      const char *hidden);
/* How what comes now hides, or NULL. */
const char *structure_hidden(const struct structure *structure);
bool character_is_unseen(uint32_t c);

/* structure_block.c */
void blocks_read(struct reader *reader);

/* structure_inline.c */
/* The content of a paragraph or heading. @raw: as the parser saw it. */
void inlines_read(struct reader *reader, cmark_node *block,
		  const struct view *raw, enum segment_role role);

/* structure_html.c */
/* One tag, with its brackets. @start, @end: of it in the rule. */
void html_tag(struct reader *reader, const char *tag, size_t length,
	      size_t start, size_t end);
/* The name in a tag, lower case; "" if there is none. True: a closing tag. */
bool html_name(const char *tag, size_t length, char *ret, size_t size);
/* The target of a link or image, before a link's text, so that origins ascend:
 * " (URL) ", "![](URL)". [at, end) is the tag. */
void html_put_target(struct writer *writer, const struct view *view, size_t at,
		     size_t end);
void html_block(struct reader *reader, const struct view *view);
/* At the end of a window: conceal what an open element has made invisible. */
void html_end(struct structure *structure, struct arena *arena,
	      struct segments *ret, size_t end);

/* structure_meta.c */
/* Bytes of the front matter, 0: none */
size_t meta_read(const char *text, size_t length, struct arena *arena,
		 struct segments *ret);

/* structure_write.c */
void writer_put(struct writer *writer, char c, size_t origin);
void writer_add(struct writer *writer, const char *data, const size_t *origin,
		size_t length);
/* Bytes that stand in the rule as they are, from @origin on. */
void writer_run(struct writer *writer, const char *data, size_t origin,
		size_t length);
void writer_adds(struct writer *writer, const char *text, size_t origin);
/* What was written, into the arena. @end: in the rule. The writer is empty. */
struct view writer_take(struct writer *writer, size_t end);
void writer_done(struct writer *writer);
#define cleanup_writer __attribute__((__cleanup__(writer_done)))
bool view_is_blank(const struct view *view);
struct view view_part(const struct view *view, size_t from, size_t length);
struct segment *segment_new(struct arena *arena, struct segments *out,
			    enum segment_kind kind, const struct view *view);
/* Its text in another arena, of a long one the end. */
struct segment *segment_copy(struct arena *arena, const struct segment *from);
void conceal(struct arena *arena, struct segments *out, size_t start,
	     size_t end, const char *how, bool opaque);

#endif /* USER_EXTRACT_STRUCTURE_H */
