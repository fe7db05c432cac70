/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Untrusted bytes on their way to people and machines, and digests.
 */
#ifndef USER_BASE_TEXT_H
#define USER_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memory.h"

/* text_is_utf8() - well-formed UTF-8 without NUL? */
bool text_is_utf8(const char *data, size_t length);

/**
 * text_character() - one character of UTF-8
 * @length:	of @data, at least one
 *
 * Return: its length in bytes, 0 where @data does not begin with well-formed
 * UTF-8.
 */
size_t text_character(const char *data, size_t length, uint32_t *ret);

/**
 * text_next() - the next character of untrusted bytes
 * @data:	the bytes
 * @length:	how many, at least one
 * @ret_plain:	set: text_escape() lets it pass (a backslash too, which is only
 *		doubled); not set: it is a control character, hides, changes
 *		direction, or is no UTF-8
 *
 * Return: its length in bytes; 1 where the bytes are no UTF-8.
 */
size_t text_next(const char *data, size_t length, bool *ret_plain);

/**
 * text_escape() - make bytes safe for a terminal or a log line
 * @out:	appended to
 * @data:	untrusted bytes
 * @length:	how many
 *
 * Printable UTF-8 passes; control characters, invalid bytes, and characters
 * that are invisible or change direction become \n, \t, \xHH or \u{HHHH};
 * a backslash becomes \\. The result is one line.
 */
void text_escape(struct buffer *out, const char *data, size_t length);

/* text_escaped() - text_escape() of a string into an arena */
const char *text_escaped(struct arena *arena, const char *text);

#define DIGEST_SIZE 32
#define DIGEST_HEX  65

struct digest {
	uint8_t bytes[DIGEST_SIZE];
};

/* digest_of() - SHA-256 of bytes */
struct digest digest_of(const void *data, size_t length);
/* digest_hex() - as 64 lower-case hexadecimal digits and a zero */
void digest_hex(const struct digest *digest, char ret_hex[DIGEST_HEX]);
/* digest_parse() - from 64 hexadecimal digits; false if @hex is not that */
bool digest_parse(const char *hex, struct digest *ret);

/* Incremental SHA-256. */
struct hasher;
struct hasher *hasher_new(void);
void hasher_add(struct hasher *hasher, const void *data, size_t length);
/* hasher_end() - the digest so far; frees @hasher */
struct digest hasher_end(struct hasher *hasher);

/* hex_encode() - append @length bytes as lower-case hexadecimal digits */
void hex_encode(struct buffer *out, const void *data, size_t length);

#endif /* USER_BASE_TEXT_H */
