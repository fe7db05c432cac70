// SPDX-License-Identifier: GPL-2.0-only
/*
 * Text that is there, but not where or what it looks like. Characters that
 * nobody sees are gone from the segments; here it is noted where they were.
 */
#include "hidden.h"

#include <ctype.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"

#define MAX_WORD 256

/* ---- far away */

static size_t line_end(const char *text, size_t at, size_t length)
{
	const char *eol = memchr(text + at, '\n', length - at);

	return eol ? (size_t)(eol - text) : length;
}

/* A tab is wide, and so is every space of Unicode. */
static size_t space_at(const char *text, size_t at, size_t end,
		       size_t *ret_columns)
{
	size_t nr;
	uint32_t c;

	*ret_columns = text[at] == '\t' ? 4 : 1;
	if (text[at] == ' ' || text[at] == '\t')
		return 1;
	if ((unsigned char)text[at] < 0x80)
		return 0;
	nr = text_character(text + at, end - at, &c);
	if (nr && (c == 0xa0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200a) ||
		   c == 0x202f || c == 0x205f || c == 0x2800 || c == 0x3000))
		return nr;
	return 0;
}

/* Offset of the text behind a wide gap, @end: there is none. */
static size_t far_right(const char *text, size_t at, size_t end)
{
	size_t columns = 0, wide, nr;

	for (; at < end; at += nr) {
		nr = space_at(text, at, end, &wide);
		if (nr) {
			columns += wide;
			continue;
		}
		/* The cells of a table are aligned. */
		if (columns >= HIDDEN_FAR_RIGHT && text[at] != '|' &&
		    text[at] != '\r')
			return at;
		columns = 0;
		nr = 1;
	}
	return end;
}

static void find_far(struct hidden *hidden, const char *text, size_t length)
{
	size_t at = 0, blank = 0, end, far;
	bool seen = false, down = false;

	for (; at < length; at = end + 1) {
		bool empty = true;

		end = line_end(text, at, length);
		for (size_t i = at; i < end && empty; i++)
			empty = isspace((unsigned char)text[i]);
		if (empty) {
			blank++;
			continue;
		}
		if (seen && !down && blank >= HIDDEN_FAR_DOWN) {
			conceal(hidden->arena, hidden->out, at, length,
				"far-down", false);
			down = true;
		}
		seen = true;
		blank = 0;
		far = far_right(text, at, end);
		conceal(hidden->arena, hidden->out, far, end, "far-right",
			false);
	}
}

/* ---- between characters */

static bool is_word(char c)
{
	return c > ' ' && c < 0x7f;
}

/* Conceal the word around [at, end). */
static void conceal_word(struct hidden *hidden, const char *text, size_t length,
			 size_t at, size_t end, const char *how)
{
	size_t from = at, to = end;

	while (from && at - from < MAX_WORD && is_word(text[from - 1]))
		from--;
	while (to < length && to - end < MAX_WORD && is_word(text[to]))
		to++;
	conceal(hidden->arena, hidden->out, from, to, how, false);
}

static const char *unseen_how(uint32_t c)
{
	if (c < 0x20 || (c >= 0x7f && c < 0xa0))
		return "control-characters";
	if (c >= 0xe0000 && c < 0xe0080)
		return "tag-characters";
	return "zero-width";
}

static bool is_direction(uint32_t c)
{
	return (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

/* What stands in another order than it is read: to the line's end at most. */
static size_t find_direction(struct hidden *hidden, const char *text,
			     size_t length, size_t at)
{
	size_t end = line_end(text, at, length), nr, i, stop = end;
	bool letters = false;
	uint32_t c;

	for (i = at + 3; i < end; i += nr ? nr : 1) {
		nr = text_character(text + i, end - i, &c);
		letters |= isalpha((unsigned char)text[i]) != 0;
		if (nr && (c == 0x202c || c == 0x2069)) {
			stop = i;
			break;
		}
	}
	if (letters)
		conceal(hidden->arena, hidden->out, at, stop, "bidi", false);
	return stop;
}

/* A terminal shows text behind an escape sequence as it is told to. */
static size_t find_escape(struct hidden *hidden, const char *text,
			  size_t length, size_t at)
{
	size_t end = line_end(text, at, length);

	conceal(hidden->arena, hidden->out, at, end, "terminal-escapes", false);
	return end;
}

static bool is_escape(const char *text, size_t length, size_t at)
{
	return length - at > 1 && text[at] == 0x1b && text[at + 1] == '[';
}

/* A run of characters that nobody sees. */
static size_t find_run(struct hidden *hidden, const char *text, size_t length,
		       size_t at, uint32_t first)
{
	size_t end = at, nr;
	bool marks = true;
	uint32_t c;

	while (end < length) {
		nr = text_character(text + end, length - end, &c);
		if (!nr || !character_is_unseen(c) || is_direction(c) ||
		    is_escape(text, length, end))
			break;
		marks &= c == 0x200e || c == 0x200f || c == 0x61c;
		end += nr;
	}
	/* Marks stand between languages, where they belong. */
	if (!marks && at && end < length && is_word(text[at - 1]) &&
	    is_word(text[end]))
		conceal_word(hidden, text, length, at, end, unseen_how(first));
	hidden_unseen(hidden, text, at, end);
	return end;
}

/* ---- look-alikes */

/* Letters that look like ASCII ones; Unicode's confusables, the close ones. */
static bool is_lookalike(uint32_t c)
{
	static const uint16_t letters[] = {
		/* Greek */
		0x391,
		0x392,
		0x395,
		0x396,
		0x397,
		0x399,
		0x39a,
		0x39c,
		0x39d,
		0x39f,
		0x3a1,
		0x3a4,
		0x3a5,
		0x3a7,
		0x3b1,
		0x3b9,
		0x3ba,
		0x3bd,
		0x3bf,
		0x3c1,
		0x3c4,
		0x3c5,
		0x3c7,
		0x3f2,
		0x3f3,
		/* Cyrillic */
		0x405,
		0x406,
		0x408,
		0x410,
		0x412,
		0x415,
		0x41a,
		0x41c,
		0x41d,
		0x41e,
		0x420,
		0x421,
		0x422,
		0x423,
		0x425,
		0x430,
		0x435,
		0x43a,
		0x43e,
		0x440,
		0x441,
		0x443,
		0x445,
		0x455,
		0x456,
		0x458,
		0x4ae,
		0x4af,
		0x4bb,
		0x4c0,
		0x4cf,
		0x501,
		0x51b,
		0x51d,
		/* Latin, Armenian */
		0x131,
		0x1c3,
		0x251,
		0x261,
		0x26a,
		0x578,
		0x57d,
		0x585,
	};

	if (c >= 0xff21 && c <= 0xff5a)
		return true;
	if (c >= 0x1d400 && c <= 0x1d7ff)
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(letters); i++)
		if (letters[i] == c)
			return true;
	return false;
}

/* One word of letters: does it mix scripts that look alike? */
static size_t find_lookalike(struct hidden *hidden, const char *text,
			     size_t length, size_t at)
{
	size_t end = at, nr, ascii = 0, alike = 0, other = 0;
	bool host;
	uint32_t c;

	while (end < length) {
		nr = text_character(text + end, length - end, &c);
		if (!nr || (c < 0x80 && !isalnum((int)c)) ||
		    (c >= 0x80 && c < 0xc0) || (c >= 0x2000 && c < 0x3040))
			break;
		ascii += c < 0x80 && isalpha((int)c);
		alike += is_lookalike(c);
		other += c >= 0x80 && !is_lookalike(c);
		end += nr;
	}
	/* A whole label of them before an ASCII one is a host, "paypal.com". */
	host = !ascii && alike >= 3 && end + 2 < length && text[end] == '.' &&
	       isalpha((unsigned char)text[end + 1]);
	if (alike && !other && (ascii || host)) {
		conceal_word(hidden, text, length, at, end, "homoglyph");
	}
	return end;
}

/* ---- everything */

/* Offset of the ASCII word that ends at @at, not before @from. */
static size_t word_start(const char *text, size_t from, size_t at)
{
	while (at > from && isalnum((unsigned char)text[at - 1]))
		at--;
	return at;
}

static void find_characters(struct hidden *hidden, const char *text,
			    size_t length)
{
	size_t at = length >= 3 && !memcmp(text, "\xef\xbb\xbf", 3) ? 3 : 0;
	size_t done = at, nr;
	uint32_t c;

	while (at < length) {
		c = (unsigned char)text[at];
		if ((c >= 0x20 && c < 0x7f) || c == '\n') {
			at++;
			continue;
		}
		nr = text_character(text + at, length - at, &c);
		if (!nr)
			at++;
		else if (is_escape(text, length, at))
			at = find_escape(hidden, text, length, at);
		else if (is_direction(c) && c != 0x202c && c != 0x2069)
			at = find_direction(hidden, text, length, at);
		else if (character_is_unseen(c) && !is_direction(c))
			at = find_run(hidden, text, length, at, c);
		else if (is_lookalike(c))
			at = find_lookalike(hidden, text, length,
					    word_start(text, done, at));
		else
			at += nr;
		done = at;
	}
}

bool hidden_text(struct hidden *hidden, const struct view *view,
		 const char *how, bool sure)
{
	struct structure structure;

	if (view_is_blank(view) || (!sure && !hidden_means(view)))
		return false;
	if (hidden_reads_as_command(view)) {
		struct segment *segment = segment_new(
			hidden->arena, hidden->out, SEGMENT_CODE, view);

		segment->language = "sh";
		segment->hidden = how;
		return true;
	}
	structure_begin(&structure, view, how);
	while (structure_next(&structure, hidden->arena, hidden->out))
		;
	structure_done(&structure);
	return true;
}

void hidden_find(struct arena *arena, const char *text, size_t length,
		 struct segments *segments)
{
	struct hidden hidden = { .arena = arena,
				 .out = segments,
				 .budget = HIDDEN_BUDGET };
	struct view view = { text, length, NULL };

	find_far(&hidden, text, length);
	find_characters(&hidden, text, length);
	hidden_blobs(&hidden, &view, 0);
}
