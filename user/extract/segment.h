/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Segments: stretches of a rule that are read in one way. Their bytes may
 * differ from the original (markup and escapes removed, blobs decoded), so
 * each byte knows where it came from.
 */
#ifndef USER_EXTRACT_SEGMENT_H
#define USER_EXTRACT_SEGMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/memory.h"
#include "extract/extract.h"

enum segment_kind {
	SEGMENT_PROSE,	/* a paragraph, list item, cell, heading */
	SEGMENT_CODE,	/* a fenced or indented block */
	SEGMENT_INLINE, /* a code span inside prose */
	SEGMENT_META,	/* one value of the front matter */
};

/* What a stretch of prose is in the rule. */
enum segment_role {
	SEGMENT_PARAGRAPH,
	SEGMENT_ITEM, /* a paragraph of a list item */
	SEGMENT_CELL, /* of a table */
	SEGMENT_HEADING,
};

/**
 * struct segment
 * @kind:	how it is read
 * @role:	of prose
 * @language:	of code: first word of the info string, lower case, or NULL;
 *		of front matter: the key ("allowed-tools")
 * @text:	its bytes, a zero behind them. Of prose: emphasis and tags are
 *		gone, a soft line break is a space, a hard one a line feed, a
 *		code span stands in backquotes, a link is "text (URL)" (only the
 *		URL where the text is that), an image "![text](URL)". Characters
 *		that cannot be seen are gone from all kinds
 * @length:	how many
 * @origin:	[length + 1] offset in the rule of each byte, ascending; several
 *		bytes of one decoded blob have the same
 * @start:	whole stretch in the rule, markup included
 * @end:	behind it
 * @heading:	text of the nearest heading above, or ""
 * @under:	the segment of that heading, or NULL
 * @lead:	the prose that leads into it, or NULL: for code what stands right
 *		before it ("Run the following:", "Never do this:"), for list
 *		items what stands before the list or the item that the list is
 *		in, for cells the first cell of the row
 * @column:	of a cell: text of the column's head, or NULL
 * @hidden:	how it hides from a reader, or NULL
 * @inlines:	of prose: its code spans as segments of their own (their text
 *		stands in @text as well, between backquotes)
 */
struct segment {
	enum segment_kind kind;
	enum segment_role role;
	const char *language;
	const char *text;
	size_t length;
	const size_t *origin;
	size_t start;
	size_t end;
	const char *heading;
	const struct segment *under;
	const struct segment *lead;
	const char *column;
	const char *hidden;
	struct segment *inlines;
	size_t nr_inlines;
};

/* A stretch of the rule that does not look like what it says. @opaque: nobody
 * could say what that is. */
struct concealed {
	size_t start;
	size_t end;
	const char *how;
	bool opaque;
};

/**
 * struct segments - everything there is to read in a rule
 * @list:	in order of the rule, what was decoded last
 * @concealed:	by start; what is found in them is marked, whoever found it
 */
struct segments {
	struct segment **list;
	size_t nr;
	struct concealed *concealed;
	size_t nr_concealed;
};

/*
 * structure_find() - Markdown (libcmark), front matter, HTML, plain text
 * @path:	name of the rule
 * @ret:	appended to
 */
void structure_find(struct arena *arena, const char *path, const char *text,
		    size_t length, struct segments *ret);

/* hidden_find() - append what a reader does not see: comments, zero-width,
 * tag and bidi characters, homoglyph hosts, far-away text, decoded blobs */
void hidden_find(struct arena *arena, const char *text, size_t length,
		 struct segments *segments);

/**
 * struct mood - how a stretch of prose asks
 * @request:	it asks for something
 * @negated:	it asks not to
 * @conditional: only in some case, or optional
 * @run:	what it asks is to run, enter or paste what follows; a block in a
 *		scripting language is read only then, for most are examples of
 *		style
 */
struct mood {
	bool request;
	bool negated;
	bool conditional;
	bool run;
};

/* prose_mood() - of the sentence that leads into a code block or a code span;
 * @at: offset in @segment->text that the question is about */
struct mood prose_mood(const struct segment *segment, size_t at);

/* prose_read() - requests and gaps of one prose segment, code spans included
 * where the sentence asks to run or use them (they go to shell_read()) */
void prose_read(const struct segment *segment, struct translation *ret);

/* shell_read() - requests and gaps of code: @segment is a block or a span;
 * @mood: of what leads into it; @length 0: the whole segment, else the part
 * from @from (a command inside prose) */
void shell_read(const struct segment *segment, size_t from, size_t length,
		struct mood mood, struct translation *ret);

/* shell_looks_like_command() - does a code span start with a known command
 * or a path, so that naming it can mean running it? */
bool shell_looks_like_command(const char *text, size_t length);

/* lexicon_class() - class of a well-known place ("~/.aws/credentials"), by
 * its path; CLASS_ANY: none */
enum resource_class lexicon_class(const char *object);

#endif /* USER_EXTRACT_SEGMENT_H */
