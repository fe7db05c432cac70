// SPDX-License-Identifier: GPL-2.0-only
/*
 * Blobs: text that a reader does not read, because it is base64, hexadecimal
 * digits, escapes or compressed. Most are digests, keys and pictures; those
 * that are text are read as if they stood there.
 */
#include "hidden.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "base/cleanup.h"
#include "base/text.h"

#define MIN_BASE64  20 /* characters */
#define MIN_HEX	    24
#define MIN_ESCAPES 4
#define MIN_LINE    40 /* of a blob that goes on in the next line */

/* ---- is it text? */

bool hidden_is_text(const char *data, size_t length)
{
	if (!length || !text_is_utf8(data, length))
		return false;
	for (size_t i = 0; i < length; i++) {
		unsigned char c = (unsigned char)data[i];

		if ((c < 0x20 && !strchr("\t\n\r", c)) || c == 0x7f)
			return false;
	}
	return true;
}

static bool has(const struct view *view, const char *text)
{
	return memmem(view->data, view->length, text, strlen(text)) != NULL;
}

/* Words with spaces between them, and little else? */
static bool is_language(const struct view *view)
{
	size_t words = 0, letters = 0, word = 0;

	for (size_t i = 0; i <= view->length; i++) {
		char c = i < view->length ? view->data[i] : ' ';
		bool letter =
			isalpha((unsigned char)c) || (unsigned char)c >= 0x80;

		letters += letter || c == ' ';
		words += (c == ' ' || c == '\n') && word >= 2;
		word = letter ? word + 1 : 0;
	}
	return words >= 3 && letters * 10 >= view->length * 8;
}

bool hidden_reads_as_command(const struct view *view)
{
	static const char *const words[] = { " the ",  " and ", " your ",
					     " then ", " it ",	" all ",
					     " a ",    " of ",	" with " };

	if (!shell_looks_like_command(view->data, view->length))
		return false;
	if (!is_language(view))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (has(view, words[i]))
			return false;
	return true;
}

bool hidden_means(const struct view *view)
{
	if (shell_looks_like_command(view->data, view->length) ||
	    has(view, "://") || has(view, "~/") || has(view, "/etc/") ||
	    has(view, "/bin/") || has(view, "/dev/tcp/"))
		return true;
	return is_language(view);
}

/* ---- bytes on their way to text */

/**
 * struct blob - decoded bytes
 * @start:	of the encoded ones in the rule
 * @end:	behind them
 */
struct blob {
	struct hidden *hidden;
	struct writer writer;
	const char *how;
	size_t start;
	size_t end;
	unsigned int nested;
};

static bool is_compressed(const unsigned char *data, size_t length)
{
	return length > 8 &&
	       ((data[0] == 0x1f && data[1] == 0x8b) ||
		(data[0] == 0x78 && !((data[0] << 8 | data[1]) % 31)));
}

/* gzip or zlib, one stream after the other, as much as may be. */
static void inflate_blob(struct blob *blob)
{
	char *out cleanup_free = xzalloc(HIDDEN_BLOB);
	z_stream stream = {
		.next_in = (unsigned char *)blob->writer.text.data,
		.avail_in = (unsigned int)blob->writer.text.length,
		.next_out = (unsigned char *)out,
		.avail_out = HIDDEN_BLOB,
	};
	size_t length;
	int r = Z_STREAM_END;

	/* Either format, by what it begins with. */
	if (inflateInit2(&stream, 15 + 32) != Z_OK)
		return;
	while (r == Z_STREAM_END && stream.avail_out &&
	       is_compressed(stream.next_in, stream.avail_in)) {
		r = inflate(&stream, Z_SYNC_FLUSH);
		if (r == Z_STREAM_END)
			inflateReset(&stream);
	}
	length = HIDDEN_BLOB - stream.avail_out;
	inflateEnd(&stream);
	if (!length)
		return;
	blob->writer.text.length = 0;
	for (size_t i = 0; i < length; i++)
		writer_put(&blob->writer, out[i], blob->start);
	blob->how = "compressed";
}

/* UTF-16 of ASCII, as PowerShell encodes commands. */
static void narrow(struct writer *writer)
{
	char *data = writer->text.data;
	size_t length = writer->text.length;

	if (length < 8 || length % 2)
		return;
	for (size_t i = 1; i < length; i += 2)
		if (data[i])
			return;
	for (size_t i = 0; i < length; i += 2) {
		data[i / 2] = data[i];
		writer->origin[i / 2] = writer->origin[i];
	}
	writer->text.length = length / 2;
}

/* Was it text that means something? */
static bool blob_end(struct blob *blob)
{
	struct hidden *hidden = blob->hidden;
	struct view view;
	bool ret;

	if (blob->writer.text.length > hidden->budget) {
		conceal(hidden->arena, hidden->out, blob->start, blob->end,
			blob->how, true);
		return false;
	}
	if (is_compressed((unsigned char *)blob->writer.text.data,
			  blob->writer.text.length))
		inflate_blob(blob);
	narrow(&blob->writer);
	if (!hidden_is_text(blob->writer.text.data, blob->writer.text.length))
		return false;
	view = writer_take(&blob->writer, blob->end);
	hidden->budget -=
		view.length < hidden->budget ? view.length : hidden->budget;
	ret = hidden_text(hidden, &view, blob->how, false);
	if (blob->nested < HIDDEN_NESTED)
		hidden_blobs(hidden, &view, blob->nested + 1);
	return ret;
}

/* ---- base64 and hexadecimal digits */

static int base64_value(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	if (c == '+' || c == '-')
		return 62;
	if (c == '/' || c == '_')
		return 63;
	return -1;
}

static int hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/* Characters of one encoding that belong together, over lines. */
struct run {
	struct writer digits;
	size_t end;
	bool hex;
};

static size_t piece(const struct view *view, size_t at)
{
	while (at < view->length && base64_value(view->data[at]) >= 0)
		at++;
	return at;
}

/* Where the next line's text begins, if @at is the end of a line. */
static size_t next_line(const struct view *view, size_t at)
{
	if (at < view->length && view->data[at] == '\r')
		at++;
	if (at >= view->length || view->data[at] != '\n')
		return 0;
	at++;
	while (at < view->length && strchr(" \t>#", view->data[at]) &&
	       view->data[at])
		at++;
	return at;
}

static void run_add(struct run *run, const struct view *view, size_t from,
		    size_t to)
{
	for (size_t i = from; i < to; i++) {
		run->hex &= hex_value(view->data[i]) >= 0;
		writer_put(&run->digits, view->data[i], view_origin(view, i));
	}
	run->end = to;
}

/* A run that fills its line goes on in the next one, if it does so there. */
static void run_read(struct run *run, const struct view *view, size_t at)
{
	size_t end = piece(view, at), next, stop;

	run->hex = true;
	run->digits.text.length = 0;
	run_add(run, view, at, end);
	while (end - at >= MIN_LINE) {
		next = next_line(view, end);
		if (!next)
			return;
		stop = piece(view, next);
		if (stop == next || stop - next > end - at ||
		    (stop < view->length &&
		     !strchr("=\r\n\"'`", view->data[stop])))
			return;
		run_add(run, view, next, stop);
		at = next;
		end = stop;
	}
}

static void blob_begin(struct blob *blob, const struct run *run,
		       const struct view *view, size_t skip)
{
	blob->writer.text.length = 0;
	blob->start = run->digits.origin[skip];
	blob->end = view_origin(view, run->end - 1) + 1;
}

/* Can it be text, UTF-16 or compressed, by its first six bytes? */
static bool could_be(const char *data)
{
	size_t plain = 0;

	if (is_compressed((const unsigned char *)data, 9))
		return true;
	for (size_t i = 0; i < 6; i++)
		plain += data[i] == 0 || data[i] == '\n' || data[i] == '\t' ||
			 data[i] == '\r' || data[i] >= 0x20 ||
			 (unsigned char)data[i] >= 0x80;
	return plain == 6;
}

static bool try_base64(struct blob *blob, const struct run *run,
		       const struct view *view, size_t skip)
{
	unsigned int value = 0, bits = 0;
	size_t nr = run->digits.text.length;

	if (nr < skip + MIN_BASE64)
		return false;
	blob_begin(blob, run, view, skip);
	blob->how = "base64";
	for (size_t i = skip; i < nr; i++) {
		value = value << 6 |
			(unsigned int)base64_value(run->digits.text.data[i]);
		bits += 6;
		if (bits < 8)
			continue;
		bits -= 8;
		writer_put(&blob->writer, (char)(value >> bits),
			   run->digits.origin[i]);
		/* Most runs are words; the first bytes tell. */
		if (blob->writer.text.length == 6 &&
		    !could_be(blob->writer.text.data))
			return false;
	}
	return blob_end(blob);
}

static bool try_hex(struct blob *blob, const struct run *run,
		    const struct view *view)
{
	const char *data = run->digits.text.data;
	size_t nr = run->digits.text.length;

	if (!run->hex || nr < MIN_HEX || nr % 2)
		return false;
	blob_begin(blob, run, view, 0);
	blob->how = "hex";
	for (size_t i = 0; i < nr; i += 2)
		writer_put(&blob->writer,
			   (char)(hex_value(data[i]) << 4 |
				  hex_value(data[i + 1])),
			   run->digits.origin[i]);
	return blob_end(blob);
}

static size_t read_run(struct blob *blob, struct run *run,
		       const struct view *view, size_t at)
{
	const char *slash;

	run_read(run, view, at);
	if (run->digits.text.length < MIN_BASE64)
		return run->end;
	if (try_hex(blob, run, view) || try_base64(blob, run, view, 0))
		return run->end;
	/* "/tmp/aGVsbG8": what stands before it is a path. */
	slash = memrchr(run->digits.text.data, '/', run->digits.text.length);
	if (slash)
		try_base64(blob, run, view,
			   (size_t)(slash - run->digits.text.data) + 1);
	return run->end;
}

/* ---- escapes */

static const struct {
	const char *prefix;
	unsigned int digits;
	unsigned int base;
} escapes[] = {
	{ "\\x", 2, 16 }, { "\\u00", 2, 16 }, { "%", 2, 16 },
	{ "&#x", 2, 16 }, { "0x", 2, 16 },    { "\\0", 3, 8 },
	{ "\\", 3, 8 },	  { "&#", 3, 10 },    { "&#", 2, 10 },
};

/* One escape of a kind: its length, 0: none. */
static size_t escape(const struct view *view, size_t at, size_t kind, char *ret)
{
	size_t nr = strlen(escapes[kind].prefix), i;
	unsigned int value = 0;

	if (view->length - at < nr + escapes[kind].digits ||
	    memcmp(view->data + at, escapes[kind].prefix, nr))
		return 0;
	for (i = at + nr; i < at + nr + escapes[kind].digits; i++) {
		int digit = hex_value(view->data[i]);

		if (digit < 0 || (unsigned int)digit >= escapes[kind].base)
			return 0;
		value = value * escapes[kind].base + (unsigned int)digit;
	}
	if (value > 0xff)
		return 0;
	*ret = (char)value;
	return nr + escapes[kind].digits;
}

/* One of a kind with this prefix: decimal numbers differ in length. */
static size_t escape_alike(const struct view *view, size_t at, size_t kind,
			   char *ret)
{
	size_t nr = 0;

	for (size_t i = 0; !nr && i < ARRAY_SIZE(escapes); i++)
		if (!strcmp(escapes[i].prefix, escapes[kind].prefix))
			nr = escape(view, at, i, ret);
	return nr;
}

/* What may stand between two of them. */
static size_t between(const struct view *view, size_t at, size_t kind)
{
	size_t nr = 0;

	if (!strncmp(escapes[kind].prefix, "&#", 2))
		return at < view->length && view->data[at] == ';';
	if (strcmp(escapes[kind].prefix, "0x") != 0)
		return 0;
	while (at + nr < view->length && nr < 8 && view->data[at + nr] &&
	       strchr(", \t\n", view->data[at + nr]))
		nr++;
	return nr;
}

static size_t read_escapes(struct blob *blob, const struct view *view,
			   size_t at, size_t kind)
{
	size_t end = at, nr;
	char c;

	blob->writer.text.length = 0;
	while (end < view->length && (nr = escape_alike(view, end, kind, &c))) {
		writer_put(&blob->writer, c, view_origin(view, end));
		end += nr;
		end += between(view, end, kind);
	}
	if (blob->writer.text.length < MIN_ESCAPES)
		return end > at ? end : at + 1;
	blob->how = "escapes";
	blob->start = view_origin(view, at);
	blob->end = view_origin(view, end - 1) + 1;
	blob_end(blob);
	return end;
}

static size_t escape_kind(const struct view *view, size_t at)
{
	size_t i;
	char c;

	for (i = 0; i < ARRAY_SIZE(escapes); i++)
		if (escape(view, at, i, &c))
			break;
	return i;
}

void hidden_blobs(struct hidden *hidden, const struct view *view,
		  unsigned int nested)
{
	struct blob blob = { .hidden = hidden,
			     .writer = { .arena = hidden->arena },
			     .nested = nested };
	struct run run = { .digits = { .arena = hidden->arena } };
	size_t at = 0, kind;

	while (at < view->length) {
		char c = view->data[at];

		kind = c == '\\' || c == '%' || c == '&' || c == '0'
			       ? escape_kind(view, at)
			       : ARRAY_SIZE(escapes);
		if (kind < ARRAY_SIZE(escapes))
			at = read_escapes(&blob, view, at, kind);
		else if (base64_value(c) >= 0)
			at = read_run(&blob, &run, view, at);
		else
			at++;
	}
	writer_done(&blob.writer);
	writer_done(&run.digits);
}
