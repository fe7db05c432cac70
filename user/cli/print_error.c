// SPDX-License-Identifier: GPL-2.0-only
#include "cli/print_error.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "base/text.h"

/* Columns of a quoted line, and how many of them may precede the caret. */
#define SHOWN_COLUMNS  100
#define BEFORE_COLUMNS 60
#define TAB_COLUMNS    8
/* A chain of causes is as long as the pipeline is deep; no input makes one. */
#define MAX_CAUSES 16

static const char style_place[] = "\033[1m";
static const char style_error[] = "\033[1;31m";
static const char style_caret[] = "\033[1;32m";
static const char style_hint[] = "\033[36m";
static const char style_none[] = "\033[0m";

/**
 * struct printer - how to print
 * @indent:	columns in front of each line
 */
struct printer {
	FILE *out;
	bool colour;
	int indent;
};

static void style(const struct printer *printer, const char *code)
{
	if (printer->colour)
		fputs(code, printer->out);
}

/* One character as it can be shown; a backslash needs no doubling here. */
static void show(struct buffer *out, const char *text, size_t length)
{
	bool plain;

	text_next(text, length, &plain);
	if (plain)
		buffer_add(out, text, length);
	else
		text_escape(out, text, length);
}

static void print_text(const struct printer *printer, const char *text)
{
	struct buffer out cleanup_buffer = { 0 };
	size_t length = strlen(text), i, nr;
	bool plain;

	for (i = 0; i < length; i += nr) {
		nr = text_next(text + i, length - i, &plain);
		show(&out, text + i, nr);
	}
	fputs(buffer_text(&out), printer->out);
}

/* Code point of a character that is known to be well-formed. */
static uint32_t code_point(const char *text, size_t length)
{
	const unsigned char *s = (const unsigned char *)text;
	uint32_t c = length == 1 ? s[0] : s[0] & (0xffu >> (length + 1));
	size_t i;

	for (i = 1; i < length; i++)
		c = c << 6 | (s[i] & 0x3f);
	return c;
}

/* Columns on a terminal; the locale's wcwidth() is not set up here. */
static size_t columns_of(uint32_t c)
{
	if ((c >= 0x300 && c < 0x370) || (c >= 0x20d0 && c < 0x2100))
		return 0;
	if ((c >= 0x1100 && c < 0x1160) || (c >= 0x2e80 && c < 0xa4d0) ||
	    (c >= 0xac00 && c < 0xd7a4) || (c >= 0xf900 && c < 0xfb00) ||
	    (c >= 0xfe30 && c < 0xfe70) || (c >= 0xff00 && c < 0xff61) ||
	    (c >= 0xffe0 && c < 0xffe7) || (c >= 0x1f300 && c < 0x1f650) ||
	    (c >= 0x1f900 && c < 0x1fa00) || c >= 0x20000)
		return 2;
	return 1;
}

/* A character of the quoted line. */
struct cell {
	size_t offset;
	size_t length;
	size_t columns;
};

static size_t split(const char *line, size_t length, struct cell *cells)
{
	struct buffer shown cleanup_buffer = { 0 };
	size_t i, nr = 0, column = 0;
	bool plain;

	for (i = 0; i < length; i += cells[nr - 1].length) {
		struct cell *cell = &cells[nr++];

		cell->offset = i;
		cell->length = text_next(line + i, length - i, &plain);
		shown.length = 0;
		if (line[i] == '\t') {
			cell->columns = TAB_COLUMNS - column % TAB_COLUMNS;
		} else if (plain) {
			cell->columns =
				columns_of(code_point(line + i, cell->length));
		} else {
			show(&shown, line + i, cell->length);
			cell->columns = shown.length;
		}
		column += cell->columns;
	}
	return nr;
}

static void pad(struct buffer *out, char c, size_t nr)
{
	while (nr--)
		buffer_addc(out, c);
}

/* The last cell at or before an offset; @nr if the offset is behind all. */
static size_t cell_at(const struct cell *cells, size_t nr, size_t offset)
{
	size_t i;

	for (i = 0; i < nr; i++)
		if (offset < cells[i].offset + cells[i].length)
			break;
	return i;
}

/**
 * struct window - the part of a line that is shown
 * @first:	its first cell
 * @end:	the cell behind its last
 */
struct window {
	size_t first;
	size_t end;
};

static struct window choose(const struct cell *cells, size_t nr, size_t place)
{
	struct window window = { place, place };
	size_t columns = 0;

	while (window.first > 0 &&
	       columns + cells[window.first - 1].columns <= BEFORE_COLUMNS)
		columns += cells[--window.first].columns;
	columns = 0;
	for (window.end = window.first; window.end < nr; window.end++) {
		columns += cells[window.end].columns;
		if (columns > SHOWN_COLUMNS && window.end > place)
			break;
	}
	return window;
}

static void print_quote(const struct printer *printer, const char *line,
			const struct cell *cells, struct window window,
			bool cut_before, bool cut_behind)
{
	struct buffer out cleanup_buffer = { 0 };
	size_t i;

	for (i = window.first; i < window.end; i++) {
		if (line[cells[i].offset] == '\t')
			pad(&out, ' ', cells[i].columns);
		else
			show(&out, line + cells[i].offset, cells[i].length);
	}
	fprintf(printer->out, "%*s%s%s%s\n", printer->indent + 4, "",
		cut_before ? "..." : "", buffer_text(&out),
		cut_behind ? "..." : "");
}

static void print_caret(const struct printer *printer, const struct cell *cells,
			struct window window, size_t place, size_t end,
			bool cut_before)
{
	struct buffer out cleanup_buffer = { 0 };
	size_t i, before = cut_before ? 3 : 0, below = 0;

	for (i = window.first; i < place; i++)
		before += cells[i].columns;
	for (i = place; i < end && i < window.end; i++)
		below += cells[i].columns;
	pad(&out, ' ', before);
	fprintf(printer->out, "%*s%s", printer->indent + 4, "",
		buffer_text(&out));
	out.length = 0;
	buffer_addc(&out, '^');
	pad(&out, '~', below > 1 ? below - 1 : 0);
	style(printer, style_caret);
	fputs(buffer_text(&out), printer->out);
	style(printer, style_none);
	fputc('\n', printer->out);
}

static size_t byte_of(const struct error *err, uint32_t column)
{
	return column > err->line_column ? column - err->line_column : 0;
}

static void print_source(const struct printer *printer, const struct error *err)
{
	size_t length = strlen(err->line);
	struct cell *cells cleanup_free =
		xreallocarray(NULL, length + 1, sizeof(*cells));
	size_t nr = split(err->line, length, cells);
	size_t place = cell_at(cells, nr, byte_of(err, err->at.start.column));
	size_t end = nr;
	struct window window = choose(cells, nr, place);
	bool cut_before = window.first > 0 || err->line_column > 1;

	if (err->at.end.line == err->at.start.line)
		end = cell_at(cells, nr, byte_of(err, err->at.end.column));
	print_quote(printer, err->line, cells, window, cut_before,
		    window.end < nr);
	print_caret(printer, cells, window, place, end, cut_before);
}

static void print_place(const struct printer *printer, const struct error *err)
{
	style(printer, style_place);
	print_text(printer, err->at.file ? err->at.file : "aletheia");
	if (err->at.file && err->at.start.line)
		fprintf(printer->out, ":%u:%u", err->at.start.line,
			err->at.start.column);
	fputs(": ", printer->out);
	style(printer, style_none);
}

static void print_one(const struct printer *printer, const struct error *err)
{
	fprintf(printer->out, "%*s", printer->indent, "");
	/* A cause is part of what is said above it. */
	if (!printer->indent || err->at.file)
		print_place(printer, err);
	style(printer, style_error);
	print_text(printer, err->message);
	style(printer, style_none);
	fputc('\n', printer->out);
	if (err->line && err->at.start.line)
		print_source(printer, err);
	if (err->hint) {
		fprintf(printer->out, "%*s", printer->indent + 2, "");
		style(printer, style_hint);
		fputs("hint: ", printer->out);
		style(printer, style_none);
		print_text(printer, err->hint);
		fputc('\n', printer->out);
	}
}

static void print_list(struct printer printer, const struct error *err,
		       unsigned int depth)
{
	for (; err; err = err->next) {
		print_one(&printer, err);
		if (!err->cause || depth == MAX_CAUSES)
			continue;
		fprintf(printer.out, "%*sbecause:\n", printer.indent + 2, "");
		print_list((struct printer){ printer.out, printer.colour,
					     printer.indent + 4 },
			   err->cause, depth + 1);
	}
}

void error_print(FILE *out, const struct error *err, bool colour)
{
	print_list((struct printer){ out, colour, 0 }, err, 0);
}
