// SPDX-License-Identifier: GPL-2.0-only
#include "extract_support.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/text.h"
#include "dsl_support.h"

/* ---- segments */

static void print_text(struct buffer *out, const char *text, size_t length)
{
	buffer_addc(out, '"');
	text_escape(out, text, length);
	buffer_addc(out, '"');
}

static void print_segment(const struct segment *segment, struct buffer *out)
{
	static const char *const kinds[] = { "prose", "code", "inline",
					     "meta" };
	static const char *const roles[] = { "prose", "item", "cell",
					     "heading" };

	buffer_adds(out, segment->kind == SEGMENT_PROSE ? roles[segment->role]
							: kinds[segment->kind]);
	if (segment->language)
		buffer_printf(out, "(%s)", segment->language);
	if (segment->hidden)
		buffer_printf(out, " {%s}", segment->hidden);
	buffer_addc(out, ' ');
	print_text(out, segment->text, segment->length);
	if (segment->lead) {
		buffer_adds(out, " < ");
		print_text(out, segment->lead->text, segment->lead->length);
	}
	if (segment->column)
		buffer_printf(out, " : \"%s\"", segment->column);
	for (size_t i = 0; i < segment->nr_inlines; i++)
		buffer_printf(out, " `%s`", segment->inlines[i].text);
	buffer_addc(out, '\n');
}

void segments_print(const struct segments *segments, struct buffer *out)
{
	for (size_t i = 0; i < segments->nr; i++)
		print_segment(segments->list[i], out);
}

static bool is_decoded(const struct segment *segment)
{
	static const char *const how[] = { "base64",
					   "hex",
					   "escapes",
					   "compressed",
					   "zero-width",
					   "tag-characters",
					   "variation-selectors" };

	for (size_t i = 0; segment->hidden && i < ARRAY_SIZE(how); i++)
		if (!strcmp(segment->hidden, how[i]))
			return true;
	return false;
}

static const char *segment_fault(const struct segment *segment,
				 const char *text, size_t length)
{
	if (segment->text[segment->length])
		return "no zero behind the text";
	if (segment->start > segment->end || segment->end > length)
		return "the stretch is outside of the rule";
	for (size_t i = 0; i <= segment->length; i++) {
		size_t origin = segment->origin[i];

		if (origin > length)
			return "an origin is outside of the rule";
		if (i && origin < segment->origin[i - 1])
			return "origins do not ascend";
		/* The target of "[text][name]" stands elsewhere as a whole. */
		if ((i && origin == segment->origin[i - 1]) ||
		    (i < segment->length && origin == segment->origin[i + 1]))
			continue;
		if (i < segment->length &&
		    isalnum((unsigned char)segment->text[i]) &&
		    !is_decoded(segment) && text[origin] != '&' &&
		    (origin == length || text[origin] != segment->text[i]))
			return "a letter stands elsewhere";
	}
	for (size_t i = 0; i < segment->nr_inlines; i++) {
		const char *fault =
			segment_fault(&segment->inlines[i], text, length);

		if (fault)
			return fault;
	}
	return NULL;
}

const char *segments_fault(const struct segments *segments, const char *text,
			   size_t length)
{
	for (size_t i = 0; i < segments->nr; i++) {
		const char *fault =
			segment_fault(segments->list[i], text, length);

		if (fault)
			return fault;
	}
	for (size_t i = 0; i < segments->nr_concealed; i++)
		if (segments->concealed[i].start >=
			    segments->concealed[i].end ||
		    segments->concealed[i].end > length)
			return "a concealed place is empty or outside";
	return NULL;
}

/* ---- translations */

void translation_print(const struct translation *translation,
		       struct buffer *out)
{
	for (size_t i = 0; i < translation->nr_requests; i++) {
		const struct request *request = &translation->requests[i];

		if (request->base)
			continue;
		buffer_printf(out, "%s %s ", operation_word(request->action),
			      resource_kind_word(request->kind));
		text_escape(out, request->object, strlen(request->object));
		if (request->conditional)
			buffer_adds(out, " ?");
		if (request->hidden)
			buffer_printf(out, " {%s}", request->hidden);
		buffer_addc(out, '\n');
	}
	for (size_t i = 0; i < translation->nr_gaps; i++) {
		const struct gap *gap = &translation->gaps[i];

		buffer_printf(out, "gap %s%s\n", gap->reason,
			      gap->actionable && gap->grave ? "!" : "");
	}
}

static bool has_place(const struct request *request)
{
	for (size_t i = 0; i < request->nr_places; i++)
		if (request->places[i].start == request->start &&
		    request->places[i].end == request->end)
			return true;
	return false;
}

static const char *requests_fault(const struct translation *translation,
				  size_t length)
{
	for (size_t i = 0; i < translation->nr_requests; i++) {
		const struct request *request = &translation->requests[i];

		if (!request->nr_places || !*request->object)
			return "a request without a place or object";
		if (!has_place(request))
			return "a request does not stand at a place of its own";
		if (i && request->start < request[-1].start)
			return "requests are not in order";
		for (size_t k = 0; k < request->nr_places; k++)
			if (request->places[k].start > request->places[k].end ||
			    request->places[k].end > length ||
			    (k && request->places[k].start <
					  request->places[k - 1].start))
				return "a place is outside or not in order";
	}
	for (size_t i = 0; i < translation->nr_gaps; i++)
		if (translation->gaps[i].start > translation->gaps[i].end ||
		    translation->gaps[i].end > length)
			return "a gap is outside";
	if (translation->unmapped > translation->actionable ||
	    translation->actionable > length)
		return "more bytes than there are";
	return NULL;
}

static const char *program_fault(const struct program *program,
				 const char *text, size_t length)
{
	struct program *again cleanup_program = NULL;
	struct error *err cleanup_error = NULL;
	struct buffer printed cleanup_buffer = { 0 };

	program_print(program, &printed);
	if (program_parse("printed", buffer_text(&printed), printed.length,
			  &again, &err))
		return "the program cannot be read back";
	if (dsl_difference(program, again))
		return "printing changed the program";
	if (program_locate(again, "rule", text, length, &err))
		return "the program is not of the rule";
	return NULL;
}

const char *translation_fault(const struct translation *translation,
			      const char *text, size_t length)
{
	struct program *program cleanup_program = NULL;
	struct error *err cleanup_error = NULL;
	const char *fault = requests_fault(translation, length);

	if (fault)
		return fault;
	/* That there are too many for a program is no fault of theirs. */
	if (translation_program(translation, "test", "rule", text, length,
				&program, &err))
		return err->kind == ERROR_INPUT ? NULL : "there is no program";
	return program_fault(program, text, length);
}

void fill(struct buffer *text, const char *head, const char *piece,
	  const char *tail, size_t size)
{
	size_t rest = strlen(piece) + strlen(tail);

	buffer_adds(text, head);
	while (text->length + rest <= size)
		buffer_adds(text, piece);
	buffer_adds(text, tail);
}

/* ---- cases */

static bool read_case(const char *set, const char *name, const char *file,
		      struct buffer *ret)
{
	char *path cleanup_free = xasprintf(
		TEST_SOURCE "/selftests/data/%s/%s/%s", set, name, file);
	struct error *err cleanup_error = NULL;

	return !file_read(AT_FDCWD, path, 1u << 20, ret, &err);
}

unsigned int cases_run(const char *set, const char *expected,
		       void (*run)(const char *name, const struct buffer *rule,
				   const struct buffer *expected))
{
	char *path cleanup_free =
		xasprintf(TEST_SOURCE "/selftests/data/%s", set);
	struct dirent **entries;
	int nr = scandir(path, &entries, NULL, alphasort), i;
	unsigned int cases = 0;

	for (i = 0; i < nr; i++) {
		struct buffer rule cleanup_buffer = { 0 };
		struct buffer want cleanup_buffer = { 0 };

		if (read_case(set, entries[i]->d_name, "rule", &rule) &&
		    read_case(set, entries[i]->d_name, expected, &want)) {
			run(entries[i]->d_name, &rule, &want);
			cases++;
		}
		free(entries[i]);
	}
	if (nr >= 0)
		free(entries);
	return cases;
}
