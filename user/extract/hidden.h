/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The types of what looks for hidden text.
 *
 *   hidden.c		places: far away, between characters, in look-alikes
 *   hidden_decode.c	encodings of text in characters nobody sees
 *   hidden_blob.c	base64, hexadecimal digits, escapes, compressed data
 */
#ifndef USER_EXTRACT_HIDDEN_H
#define USER_EXTRACT_HIDDEN_H

#include "extract/structure.h"

#define HIDDEN_FAR_RIGHT 200	     /* columns of space in a line */
#define HIDDEN_FAR_DOWN	 40	     /* blank lines */
#define HIDDEN_NESTED	 3	     /* encodings in each other */
#define HIDDEN_BLOB	 (64u << 10) /* bytes that one blob decodes to */
#define HIDDEN_BUDGET	 (16u << 20) /* bytes that all of them do */

/**
 * struct hidden - a search for hidden text
 * @budget:	bytes that may still be decoded
 */
struct hidden {
	struct arena *arena;
	struct segments *out;
	size_t budget;
};

/**
 * hidden_text() - text that was decoded: it becomes segments, if it is any
 * @view:	origins are those of the encoded bytes
 * @how:	it was hidden
 * @sure:	nothing innocent is encoded like that
 *
 * Return: was it text that means something?
 */
bool hidden_text(struct hidden *hidden, const struct view *view,
		 const char *how, bool sure);

/* Printable, whatever it says? */
bool hidden_is_text(const char *data, size_t length);
/* Does a text name a command, an address or a place, or is it language? */
bool hidden_means(const struct view *view);
/* A command, and not a sentence that begins with "find" or "read"? */
bool hidden_reads_as_command(const struct view *view);

/* Sequences of characters that nobody sees, [at, end) of the rule. */
void hidden_unseen(struct hidden *hidden, const char *text, size_t at,
		   size_t end);

/* Blobs in a text. @nested: encodings that it was in itself. */
void hidden_blobs(struct hidden *hidden, const struct view *view,
		  unsigned int nested);

#endif /* USER_EXTRACT_HIDDEN_H */
