// SPDX-License-Identifier: GPL-2.0-only
/*
 * Text in characters that nobody sees: one tag or variation selector for each
 * byte, or bits and pairs of bits as zero-width characters.
 */
#include "hidden.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"

#define MIN_SELECTORS 4	 /* one follows an emoji */
#define MIN_BITS      16 /* joiners in words and emoji come alone */
#define MAX_SYMBOLS   4

static void found(struct hidden *hidden, struct writer *writer, size_t start,
		  size_t end, const char *how)
{
	bool text = hidden_is_text(writer->text.data, writer->text.length);
	struct view view = writer_take(writer, end);

	if (!text || !hidden_text(hidden, &view, how, true))
		conceal(hidden->arena, hidden->out, start, end, how, true);
}

/* ---- a byte for each character */

/* England, Scotland, Wales: a flag is followed by its region in tags. */
static bool is_flag(const char *text, size_t at, size_t nr)
{
	return nr <= 7 && at >= 4 &&
	       !memcmp(text + at - 4, "\xf0\x9f\x8f\xb4", 4);
}

static void find_tags(struct hidden *hidden, const char *text, size_t start,
		      size_t end)
{
	struct writer writer cleanup_writer = { .arena = hidden->arena };
	size_t at = start, nr;
	uint32_t c;

	for (; at < end; at += nr) {
		nr = text_character(text + at, end - at, &c);
		if (!nr)
			break;
		if (c >= 0xe0020 && c < 0xe007f)
			writer_put(&writer, (char)(c - 0xe0000), at);
	}
	if (writer.text.length >= 2 &&
	    !is_flag(text, start, writer.text.length))
		found(hidden, &writer, start, end, "tag-characters");
}

static void find_selectors(struct hidden *hidden, const char *text,
			   size_t start, size_t end)
{
	struct writer writer cleanup_writer = { .arena = hidden->arena };
	size_t at = start, nr;
	uint32_t c;

	for (; at < end; at += nr) {
		nr = text_character(text + at, end - at, &c);
		if (!nr)
			break;
		if (c >= 0xfe00 && c < 0xfe10)
			writer_put(&writer, (char)(c - 0xfe00), at);
		else if (c >= 0xe0100 && c < 0xe01f0)
			writer_put(&writer, (char)(c - 0xe0100 + 16), at);
	}
	if (writer.text.length >= MIN_SELECTORS)
		found(hidden, &writer, start, end, "variation-selectors");
}

/* ---- bits */

/**
 * struct symbols - a run of zero-width characters
 * @list:	the different ones
 * @values:	index into @list of each
 * @at:		where each stands in the rule
 */
struct symbols {
	uint32_t list[MAX_SYMBOLS];
	size_t nr_list;
	struct buffer values;
	size_t *at;
	size_t start;
	size_t end;
};

static bool collect(struct arena *arena, const char *text,
		    struct symbols *symbols)
{
	size_t at = symbols->start, nr, i, count = 0;
	uint32_t c;

	for (; at < symbols->end; at += nr) {
		nr = text_character(text + at, symbols->end - at, &c);
		if (!nr)
			return false;
		if (c >= 0xe0000 || (c >= 0xfe00 && c < 0xfe10) || c < 0xa0)
			continue;
		for (i = 0; i < symbols->nr_list; i++)
			if (symbols->list[i] == c)
				break;
		if (i == MAX_SYMBOLS)
			return false;
		if (i == symbols->nr_list)
			symbols->list[symbols->nr_list++] = c;
		*ARENA_PUSH(arena, symbols->at, count) = at;
		buffer_addc(&symbols->values, (char)i);
	}
	return count >= MIN_BITS && symbols->nr_list > 1;
}

/**
 * struct code - what the symbols could mean
 * @digit:	value of each, -1: it stands between characters
 * @bits:	of one symbol
 * @width:	bits of a character, 0: up to the next separator
 */
struct code {
	int digit[MAX_SYMBOLS];
	unsigned int bits;
	unsigned int width;
};

/* False: a character is none. */
static bool put_character(struct writer *writer, unsigned int value, size_t at)
{
	char c = (char)value;

	if (!value || value > 0x7e || !hidden_is_text(&c, 1))
		return false;
	writer_put(writer, c, at);
	return true;
}

static bool decode(const struct symbols *symbols, const struct code *code,
		   struct writer *writer)
{
	unsigned int value = 0, bits = 0;
	bool good = true;

	writer->text.length = 0;
	for (size_t i = 0; i < symbols->values.length && good; i++) {
		int digit = code->digit[(int)symbols->values.data[i]];

		if (digit >= 0) {
			value = value << code->bits | (unsigned int)digit;
			bits += code->bits;
		}
		if ((code->width && bits == code->width) ||
		    (!code->width && bits && digit < 0)) {
			good = put_character(writer, value, symbols->at[i]);
			value = bits = 0;
		} else if (bits > 16) {
			good = false;
		}
	}
	if (good && !code->width && bits)
		good = put_character(writer, value,
				     symbols->at[symbols->values.length - 1]);
	return good && writer->text.length >= 2;
}

static bool try_two(const struct symbols *symbols, struct writer *writer)
{
	static const unsigned int widths[] = { 8, 7, 16 };

	for (size_t i = 0; i < ARRAY_SIZE(widths) * 2; i++) {
		struct code code = { .bits = 1, .width = widths[i / 2] };

		code.digit[0] = (int)(i % 2);
		code.digit[1] = !(i % 2);
		if (decode(symbols, &code, writer))
			return true;
	}
	return false;
}

/* One of the three separates characters, or bytes of fixed width. */
static bool try_three(const struct symbols *symbols, struct writer *writer)
{
	for (int i = 0; i < 12; i++) {
		struct code code = { .bits = 1, .width = i < 6 ? 0 : 8 };
		int separator = i % 3, next = 0;

		for (int k = 0; k < 3; k++)
			if (k != separator)
				code.digit[k] = (i / 3 % 2) ^ next++;
		code.digit[separator] = -1;
		if (decode(symbols, &code, writer))
			return true;
	}
	return false;
}

static bool try_four(const struct symbols *symbols, struct writer *writer)
{
	for (int i = 0; i < 256; i++) {
		struct code code = { .bits = 2, .width = 8 };
		unsigned int used = 0;

		for (int k = 0; k < 4; k++) {
			code.digit[k] = i >> (2 * k) & 3;
			used |= 1u << code.digit[k];
		}
		if (used == 15 && decode(symbols, &code, writer))
			return true;
	}
	return false;
}

static void find_bits(struct hidden *hidden, const char *text, size_t start,
		      size_t end)
{
	struct writer writer cleanup_writer = { .arena = hidden->arena };
	struct symbols symbols = { .start = start, .end = end };
	bool good = collect(hidden->arena, text, &symbols);

	if (good) {
		if (symbols.nr_list == 2)
			good = try_two(&symbols, &writer);
		else if (symbols.nr_list == 3)
			good = try_three(&symbols, &writer);
		else
			good = try_four(&symbols, &writer);
		if (!good)
			writer.text.length = 0;
		found(hidden, &writer, start, end, "zero-width");
	}
	buffer_done(&symbols.values);
}

void hidden_unseen(struct hidden *hidden, const char *text, size_t at,
		   size_t end)
{
	find_tags(hidden, text, at, end);
	find_selectors(hidden, text, at, end);
	find_bits(hidden, text, at, end);
}
