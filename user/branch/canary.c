// SPDX-License-Identifier: GPL-2.0-only
#include "branch/canary.h"

#include <archive.h>
#include <archive_entry.h>
#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "base/text.h"

/* ---- encodings */

/**
 * struct reading - bytes prepared for the search
 * @plain:	as they are
 * @lower:	with letters in lower case, for hexadecimal digits
 * @standard:	with base64's digits for URLs replaced by the usual ones
 */
struct reading {
	const char *plain;
	char *lower;
	char *standard;
	size_t length;
};

static void reading_init(struct reading *reading, const char *data,
			 size_t length)
{
	size_t i;

	reading->plain = data;
	reading->length = length;
	reading->lower = xmemdup0(data, length);
	reading->standard = xmemdup0(data, length);
	for (i = 0; i < length; i++) {
		unsigned char c = (unsigned char)data[i];

		if (c >= 'A' && c <= 'Z')
			reading->lower[i] = (char)(c | 0x20);
		if (c == '-')
			reading->standard[i] = '+';
		else if (c == '_')
			reading->standard[i] = '/';
	}
}

static void reading_done(struct reading *reading)
{
	free(reading->lower);
	free(reading->standard);
}

static bool find_hex(const struct reading *reading, const char *token)
{
	struct buffer hex cleanup_buffer = { 0 };

	hex_encode(&hex, token, strlen(token));
	return memmem(reading->lower, reading->length, hex.data, hex.length);
}

static const char base64_digits[] =
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/*
 * The digits that @token yields when @before bytes stand between it and the
 * last boundary of three, without those that depend on its neighbours.
 */
static void encode_base64(const char *token, unsigned int before,
			  struct buffer *ret)
{
	size_t bits = (before + strlen(token)) * 8, at;
	/* The first digit without a bit of what stands before. */
	size_t first = (before * 8 + 5) / 6 * 6;

	for (at = first; at + 6 <= bits; at += 6) {
		unsigned int value = 0, i;

		for (i = 0; i < 6; i++) {
			size_t bit = at + i - before * 8;

			value = value << 1 | ((unsigned char)token[bit / 8] >>
						      (7 - bit % 8) &
					      1);
		}
		buffer_addc(ret, base64_digits[value]);
	}
}

static bool find_base64(const struct reading *reading, const char *token)
{
	unsigned int before;

	for (before = 0; before < 3; before++) {
		struct buffer digits cleanup_buffer = { 0 };

		encode_base64(token, before, &digits);
		if (memmem(reading->standard, reading->length, digits.data,
			   digits.length))
			return true;
	}
	return false;
}

static int hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)tolower((unsigned char)c);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Copies of bytes are made at once: what arrives at a sink can be large. */
static void decode_percent(const char *data, size_t length, struct buffer *ret)
{
	size_t i, nr = 0;

	buffer_add(ret, data, length);
	for (i = 0; i < length; i++) {
		int high = -1, low = -1;

		if (data[i] == '%' && i + 2 < length) {
			high = hex_value(data[i + 1]);
			low = hex_value(data[i + 2]);
		}
		if (high >= 0 && low >= 0) {
			ret->data[nr++] = (char)(high << 4 | low);
			i += 2;
		} else {
			ret->data[nr++] = data[i];
		}
	}
	ret->length = nr;
}

static bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static void strip_space(const char *data, size_t length, struct buffer *ret)
{
	size_t i, nr = 0;

	buffer_add(ret, data, length);
	for (i = 0; i < length; i++)
		if (!is_space(data[i]))
			ret->data[nr++] = data[i];
	ret->length = nr;
}

static bool find_encoded(const struct reading *reading, const char *token)
{
	return memmem(reading->plain, reading->length, token, strlen(token)) ||
	       find_hex(reading, token) || find_base64(reading, token);
}

/* One way to read the bytes: as they are, decoded, without spaces. */
static bool search_reading(const struct canary *canaries, size_t nr,
			   const char *data, size_t length, bool *ret_found)
{
	struct reading reading;
	bool any = false;
	size_t i;

	if (!length || !nr)
		return false;
	reading_init(&reading, data, length);
	for (i = 0; i < nr; i++) {
		bool found = find_encoded(&reading, canaries[i].token);

		ret_found[i] = ret_found[i] || found;
		any = any || found;
	}
	reading_done(&reading);
	return any;
}

bool canary_search_plain(const struct canary *canaries, size_t nr,
			 const char *data, size_t length, bool *ret_found)
{
	struct buffer decoded cleanup_buffer = { 0 };
	struct buffer stripped cleanup_buffer = { 0 };
	bool any;

	if (!length)
		return false;
	any = search_reading(canaries, nr, data, length, ret_found);
	decode_percent(data, length, &decoded);
	if (decoded.length != length)
		any |= search_reading(canaries, nr, decoded.data,
				      decoded.length, ret_found);
	strip_space(decoded.data, decoded.length, &stripped);
	if (stripped.length != decoded.length)
		any |= search_reading(canaries, nr, stripped.data,
				      stripped.length, ret_found);
	return any;
}

size_t canary_reach(const struct canary *canaries, size_t nr)
{
	size_t longest = 0, i;

	for (i = 0; i < nr; i++)
		if (strlen(canaries[i].token) > longest)
			longest = strlen(canaries[i].token);
	/* Percent-encoded, with a space after each character at worst. */
	return longest * 6;
}

/* ---- archives */

struct unpacking {
	const struct canary *canaries;
	size_t nr;
	bool *found;
	bool any;
	size_t left; /* bytes that may still be unpacked */
	unsigned int tries;
};

static void search_archives(struct unpacking *unpacking, const char *data,
			    size_t length, unsigned int depth);

static void search_member(struct unpacking *unpacking, struct archive *archive,
			  unsigned int depth)
{
	struct buffer content cleanup_buffer = { 0 };
	char chunk[65536];

	while (unpacking->left) {
		la_ssize_t nr =
			archive_read_data(archive, chunk, sizeof(chunk));

		if (nr <= 0)
			break;
		if ((size_t)nr > unpacking->left)
			nr = (la_ssize_t)unpacking->left;
		unpacking->left -= (size_t)nr;
		buffer_add(&content, chunk, (size_t)nr);
	}
	if (!content.length)
		return;
	unpacking->any |= canary_search_plain(unpacking->canaries,
					      unpacking->nr, content.data,
					      content.length, unpacking->found);
	search_archives(unpacking, content.data, content.length, depth + 1);
}

/* libarchive's readers that are part of it: none runs another program. */
static struct archive *open_archive(const char *data, size_t length)
{
	struct archive *archive = archive_read_new();

	if (!archive)
		return NULL;
	archive_read_support_filter_gzip(archive);
	archive_read_support_filter_bzip2(archive);
	archive_read_support_filter_xz(archive);
	archive_read_support_filter_zstd(archive);
	archive_read_support_format_tar(archive);
	archive_read_support_format_zip(archive);
	archive_read_support_format_cpio(archive);
	archive_read_support_format_raw(archive);
	if (archive_read_open_memory(archive, data, length)) {
		archive_read_free(archive);
		return NULL;
	}
	return archive;
}

static void search_archive(struct unpacking *unpacking, const char *data,
			   size_t length, unsigned int depth)
{
	struct archive *archive = open_archive(data, length);
	struct archive_entry *entry;

	while (archive && unpacking->left) {
		int code = archive_read_next_header(archive, &entry);

		if (code != ARCHIVE_OK && code != ARCHIVE_WARN)
			break;
		/* Raw without a filter is what was searched already. */
		if (archive_format(archive) == ARCHIVE_FORMAT_RAW &&
		    archive_filter_count(archive) <= 1)
			break;
		search_member(unpacking, archive, depth);
	}
	archive_read_free(archive);
}

struct magic {
	const char *bytes;
	size_t length;
};

/* Uncompressed tar and cpio show their members as they are. */
static const struct magic magics[] = {
	{ "\x1f\x8b\x08", 3 }, /* gzip */
	{ "BZh", 3 },	       /* bzip2 */
	{ "\xfd"
	  "7zXZ\0",
	  6 },			   /* xz */
	{ "\x28\xb5\x2f\xfd", 4 }, /* zstd */
	{ "PK\x03\x04", 4 },	   /* zip */
};

/* Where the next archive begins at or after @at; @length: nowhere. */
static size_t next_archive(const char *data, size_t length, size_t at)
{
	size_t first = length, i;

	for (i = 0; i < ARRAY_SIZE(magics); i++) {
		const char *found = memmem(data + at, length - at,
					   magics[i].bytes, magics[i].length);

		if (found && (size_t)(found - data) < first)
			first = (size_t)(found - data);
	}
	return first;
}

static void search_archives(struct unpacking *unpacking, const char *data,
			    size_t length, unsigned int depth)
{
	size_t at = 0;

	if (depth >= CANARY_DEPTH_MAX)
		return;
	while (at < length && unpacking->tries < CANARY_ARCHIVES_MAX) {
		at = next_archive(data, length, at);
		if (at == length)
			break;
		unpacking->tries++;
		search_archive(unpacking, data + at, length - at, depth);
		at++;
	}
}

bool canary_search(const struct canary *canaries, size_t nr, const char *data,
		   size_t length, bool *ret_found)
{
	struct unpacking unpacking = {
		.canaries = canaries,
		.nr = nr,
		.found = ret_found,
		.left = CANARY_UNPACKED_MAX,
	};

	unpacking.any =
		canary_search_plain(canaries, nr, data, length, ret_found);
	search_archives(&unpacking, data, length, 0);
	return unpacking.any;
}
