// SPDX-License-Identifier: GPL-2.0-only
#include "text.h"

#include <string.h>

/*
 * One character of UTF-8: its length, or 0 if the bytes are not well-formed
 * (overlong forms, surrogates and values above U+10FFFF included).
 */
static size_t utf8_decode(const unsigned char *s, size_t length, uint32_t *ret)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	uint32_t c = s[0];
	size_t nr, i;

	if (c < 0x80) {
		*ret = c;
		return 1;
	}
	if (c >= 0xc2 && c < 0xe0)
		nr = 2, c &= 0x1f;
	else if (c >= 0xe0 && c < 0xf0)
		nr = 3, c &= 0x0f;
	else if (c >= 0xf0 && c < 0xf5)
		nr = 4, c &= 0x07;
	else
		return 0;
	if (nr > length)
		return 0;
	for (i = 1; i < nr; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (s[i] & 0x3f);
	}
	if (c < least[nr] || (c >= 0xd800 && c < 0xe000) || c > 0x10ffff)
		return 0;
	*ret = c;
	return nr;
}

bool text_is_utf8(const char *data, size_t length)
{
	const unsigned char *s = (const unsigned char *)data;
	size_t i = 0, nr;
	uint32_t c;

	while (i < length) {
		nr = utf8_decode(s + i, length - i, &c);
		if (!nr || !c)
			return false;
		i += nr;
	}
	return true;
}

/* Characters that hide, reorder or fake what a person reads. */
static bool is_deceptive(uint32_t c)
{
	return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0xad ||
	       c == 0x61c || c == 0x115f || c == 0x1160 || c == 0x180e ||
	       (c >= 0x200b && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e) ||
	       (c >= 0x2060 && c <= 0x206f) || c == 0x3164 ||
	       (c >= 0xe000 && c <= 0xf8ff) || (c >= 0xfe00 && c <= 0xfe0f) ||
	       c == 0xfeff || c == 0xffa0 || (c >= 0xfff0 && c <= 0xffff) ||
	       c >= 0xe0000;
}

size_t text_character(const char *data, size_t length, uint32_t *ret)
{
	return utf8_decode((const unsigned char *)data, length, ret);
}

size_t text_next(const char *data, size_t length, bool *ret_plain)
{
	uint32_t c;
	size_t nr = utf8_decode((const unsigned char *)data, length, &c);

	*ret_plain = nr && !is_deceptive(c);
	return nr ? nr : 1;
}

void text_escape(struct buffer *out, const char *data, size_t length)
{
	const unsigned char *s = (const unsigned char *)data;
	size_t i, nr;
	uint32_t c;

	for (i = 0; i < length; i += nr) {
		nr = utf8_decode(s + i, length - i, &c);
		if (!nr) {
			buffer_printf(out, "\\x%02x", s[i]);
			nr = 1;
		} else if (c == '\n') {
			buffer_adds(out, "\\n");
		} else if (c == '\t') {
			buffer_adds(out, "\\t");
		} else if (c == '\r') {
			buffer_adds(out, "\\r");
		} else if (c == '\\') {
			buffer_adds(out, "\\\\");
		} else if (c < 0x80 && is_deceptive(c)) {
			buffer_printf(out, "\\x%02x", c);
		} else if (is_deceptive(c)) {
			buffer_printf(out, "\\u{%x}", c);
		} else {
			buffer_add(out, s + i, nr);
		}
	}
}

const char *text_escaped(struct arena *arena, const char *text)
{
	struct buffer out cleanup_buffer = { 0 };

	text_escape(&out, text, strlen(text));
	return arena_strdup(arena, buffer_text(&out));
}

void hex_encode(struct buffer *out, const void *data, size_t length)
{
	static const char digits[] = "0123456789abcdef";
	const unsigned char *s = data;
	size_t i;

	for (i = 0; i < length; i++) {
		buffer_addc(out, digits[s[i] >> 4]);
		buffer_addc(out, digits[s[i] & 15]);
	}
}
