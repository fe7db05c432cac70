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
	SEGMENT_META,	/* front matter */
};

/**
 * struct segment
 * @kind:	how it is read
 * @language:	of code: first word of the info string, lower case, or NULL
 * @text:	its bytes, a zero behind them
 * @length:	how many
 * @origin:	[length + 1] offset in the rule of each byte, ascending; several
 *		bytes of one decoded blob have the same
 * @start:	whole stretch in the rule, markup included
 * @end:	behind it
 * @heading:	text of the nearest heading above, or ""
 * @lead:	for code and list items: the prose right before it, or NULL
 *		("Run the following:", "Never do this:")
 * @hidden:	how it hides from a reader, or NULL
 * @inlines:	of prose: its code spans as segments of their own (their text
 *		stands in @text as well, between backquotes)
 */
struct segment {
	enum segment_kind kind;
	const char *language;
	const char *text;
	size_t length;
	const size_t *origin;
	size_t start;
	size_t end;
	const char *heading;
	const struct segment *lead;
	const char *hidden;
	struct segment *inlines;
	size_t nr_inlines;
};

struct segments {
	struct segment *list;
	size_t nr;
};

/* structure_find() - Markdown (libcmark), front matter, HTML, plain text */
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
 */
struct mood {
	bool request;
	bool negated;
	bool conditional;
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
