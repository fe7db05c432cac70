// SPDX-License-Identifier: GPL-2.0-only
#include "cli/translate_text.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"

#define MAX_LINE 320 /* bytes of a line that are printed at once */
#define MAX_NAME 200 /* bytes of an object */
#define TAB	 8

/**
 * struct mark - a stretch of the rule and what is said about it
 * @request:	NULL: @gap
 */
struct mark {
	size_t start;
	size_t end;
	const struct request *request;
	const struct gap *gap;
};

struct marks {
	struct mark *list;
	size_t nr;
};

/**
 * struct printer - a rule on its way to the terminal
 * @next:	first mark that is not printed
 * @number:	of the line
 */
struct printer {
	FILE *out;
	const char *text;
	size_t length;
	const struct marks *marks;
	size_t next;
	size_t number;
	bool colour;
};

void request_text(struct buffer *out, const struct request *request)
{
	buffer_printf(out, "%s %s ", operation_word(request->action),
		      resource_kind_word(request->kind));
	text_escape(out, request->object, strnlen(request->object, MAX_NAME));
	if (request->class_ != CLASS_ANY)
		buffer_printf(out, " (%s)",
			      resource_class_word(request->class_));
	if (request->conditional)
		buffer_adds(out, ", conditional");
	if (request->base)
		buffer_adds(out, ", base");
	if (request->hidden)
		buffer_printf(out, ", hidden: %s", request->hidden);
}

static int by_place(const void *a, const void *b)
{
	const struct mark *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->end < y->end ? -1 : x->end > y->end;
}

static void collect(const struct translation *translation, struct marks *marks)
{
	size_t nr = translation->nr_gaps, i, k;

	for (i = 0; i < translation->nr_requests; i++)
		nr += translation->requests[i].nr_places;
	marks->list = xreallocarray(NULL, nr, sizeof(*marks->list));
	for (i = 0; i < translation->nr_requests; i++) {
		const struct request *request = &translation->requests[i];

		for (k = 0; k < request->nr_places; k++)
			marks->list[marks->nr++] = (struct mark){
				.start = request->places[k].start,
				.end = request->places[k].end,
				.request = request,
			};
	}
	for (i = 0; i < translation->nr_gaps; i++)
		marks->list[marks->nr++] =
			(struct mark){ .start = translation->gaps[i].start,
				       .end = translation->gaps[i].end,
				       .gap = &translation->gaps[i] };
	qsort(marks->list, marks->nr, sizeof(*marks->list), by_place);
}

/* ---- one line */

/* Columns of what is printed for [at, end); it is appended to @out. */
static size_t put(struct buffer *out, const char *text, size_t at, size_t end,
		  size_t column)
{
	size_t nr, before;
	bool plain;

	for (; at < end; at += nr) {
		if (text[at] == '\t') {
			nr = 1;
			do
				buffer_addc(out, ' ');
			while (++column % TAB);
			continue;
		}
		nr = text_next(text + at, end - at, &plain);
		if (nr > end - at)
			nr = end - at;
		before = out->length;
		text_escape(out, text + at, nr);
		column += plain && text[at] != '\\' ? 1 : out->length - before;
	}
	return column;
}

static size_t columns(const char *text, size_t at, size_t end)
{
	struct buffer ignored cleanup_buffer = { 0 };

	return put(&ignored, text, at, end, 0);
}

/* The end of the marks that begin at or before @at and cover it, else @at. */
static size_t covered_to(const struct printer *printer, size_t at, size_t end)
{
	size_t ret = at;

	for (size_t i = printer->next; i < printer->marks->nr; i++) {
		const struct mark *mark = &printer->marks->list[i];

		if (mark->start > ret)
			break;
		if (mark->end > ret)
			ret = mark->end;
	}
	return ret < end ? ret : end;
}

static size_t next_mark(const struct printer *printer, size_t at, size_t end)
{
	for (size_t i = printer->next; i < printer->marks->nr; i++)
		if (printer->marks->list[i].start >= at)
			return printer->marks->list[i].start < end
				       ? printer->marks->list[i].start
				       : end;
	return end;
}

static void print_source(const struct printer *printer, size_t at, size_t end)
{
	struct buffer out cleanup_buffer = { 0 };
	size_t column = 0, stop;

	while (at < end) {
		stop = covered_to(printer, at, end);
		if (stop > at && printer->colour)
			buffer_adds(&out, "\033[1;4m");
		if (stop == at)
			stop = next_mark(printer, at + 1, end);
		else if (printer->colour) {
			column = put(&out, printer->text, at, stop, column);
			buffer_adds(&out, "\033[0m");
			at = stop;
			continue;
		}
		column = put(&out, printer->text, at, stop, column);
		at = stop;
	}
	fprintf(printer->out, "%6zu  %s\n", printer->number, buffer_text(&out));
}

static void print_mark(const struct printer *printer, const struct mark *mark,
		       size_t from, size_t end)
{
	struct buffer out cleanup_buffer = { 0 };
	size_t stop = mark->end < end ? mark->end : end;
	size_t indent = columns(printer->text, from, mark->start);
	size_t width = columns(printer->text, from, stop) - indent;

	fprintf(printer->out, "        %*s", (int)indent, "");
	if (printer->colour)
		fputs(mark->gap ? "\033[33m" : "\033[36m", printer->out);
	for (; width > 1; width--)
		fputc('^', printer->out);
	if (mark->gap)
		buffer_printf(&out, "not understood: %s", mark->gap->reason);
	else
		request_text(&out, mark->request);
	fprintf(printer->out, "^ %s%s\n", buffer_text(&out),
		printer->colour ? "\033[0m" : "");
}

/* [at, end) is a line, or a part of a long one. */
static void print_part(struct printer *printer, size_t at, size_t end,
		       bool always)
{
	const struct marks *marks = printer->marks;
	size_t last = printer->next;

	while (last < marks->nr &&
	       (marks->list[last].start < end || marks->list[last].start == at))
		last++;
	if (last > printer->next || always)
		print_source(printer, at, end);
	for (; printer->next < last; printer->next++)
		print_mark(printer, &marks->list[printer->next], at, end);
}

/* Do not cut a character. */
static size_t part_end(const struct printer *printer, size_t at, size_t end)
{
	size_t stop = at + MAX_LINE;

	if (stop >= end)
		return end;
	while (stop > at + MAX_LINE - 4 &&
	       ((unsigned char)printer->text[stop] & 0xc0) == 0x80)
		stop--;
	return stop;
}

static void print_line(struct printer *printer, size_t at, size_t end)
{
	bool whole = end - at <= MAX_LINE;
	size_t stop;

	if (end > at && printer->text[end - 1] == '\r')
		end--;
	if (!whole)
		fprintf(printer->out, "%6zu  (%zu bytes)\n", printer->number,
			end - at);
	do {
		stop = part_end(printer, at, end);
		print_part(printer, at, stop, whole);
		at = stop;
	} while (at < end);
}

static void print_summary(FILE *out, const struct translation *translation)
{
	fprintf(out, "\n%zu request%s", translation->nr_requests,
		translation->nr_requests == 1 ? "" : "s");
	if (translation->nr_gaps)
		fprintf(out,
			"; not understood: %zu place%s, %zu of %zu bytes that "
			"ask for something",
			translation->nr_gaps,
			translation->nr_gaps == 1 ? "" : "s",
			translation->unmapped, translation->actionable);
	fputs(translation_unresolved(translation)
		      ? "\nToo much was not understood to judge by this.\n"
		      : "\n",
	      out);
}

void translate_text(FILE *out, const struct translation *translation,
		    const char *rule, const char *text, size_t length,
		    bool colour)
{
	struct buffer name cleanup_buffer = { 0 };
	struct marks marks = { 0 };
	struct printer printer = { .out = out,
				   .text = text,
				   .length = length,
				   .marks = &marks,
				   .colour = colour };
	size_t at = 0;

	text_escape(&name, rule, strlen(rule));
	fprintf(out, "%s:\n", buffer_text(&name));
	collect(translation, &marks);
	while (at < length) {
		const char *eol = memchr(text + at, '\n', length - at);
		size_t end = eol ? (size_t)(eol - text) : length;

		printer.number++;
		print_line(&printer, at, end);
		at = end + 1;
	}
	print_summary(out, translation);
	free(marks.list);
}
