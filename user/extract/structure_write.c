// SPDX-License-Identifier: GPL-2.0-only
#include "structure.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

#define MAX_COPY 4096

static void reserve(struct writer *writer, size_t more)
{
	size_t need = writer->text.length + more + 1;

	if (need <= writer->room)
		return;
	writer->room = need + need / 2 + 64;
	writer->origin = xreallocarray(writer->origin, writer->room,
				       sizeof(*writer->origin));
}

void writer_put(struct writer *writer, char c, size_t origin)
{
	reserve(writer, 1);
	writer->origin[writer->text.length] = origin;
	buffer_addc(&writer->text, c);
}

void writer_add(struct writer *writer, const char *data, const size_t *origin,
		size_t length)
{
	if (!length)
		return;
	reserve(writer, length);
	memcpy(writer->origin + writer->text.length, origin,
	       length * sizeof(*origin));
	buffer_add(&writer->text, data, length);
}

void writer_run(struct writer *writer, const char *data, size_t origin,
		size_t length)
{
	if (!length)
		return;
	reserve(writer, length);
	for (size_t i = 0; i < length; i++)
		writer->origin[writer->text.length + i] = origin + i;
	buffer_add(&writer->text, data, length);
}

void writer_adds(struct writer *writer, const char *text, size_t origin)
{
	for (; *text; text++)
		writer_put(writer, *text, origin);
}

struct view writer_take(struct writer *writer, size_t end)
{
	size_t length = writer->text.length;
	size_t *origin =
		arena_alloc(writer->arena, (length + 1) * sizeof(*origin));
	struct view view = {
		.data = arena_strndup(writer->arena, writer->text.data, length),
		.length = length,
		.origin = origin,
	};

	if (length)
		memcpy(origin, writer->origin, length * sizeof(*origin));
	origin[length] =
		length && origin[length - 1] > end ? origin[length - 1] : end;
	if (length)
		writer->text.data[0] = '\0';
	writer->text.length = 0;
	writer->inlines = NULL;
	writer->nr_inlines = 0;
	return view;
}

void writer_done(struct writer *writer)
{
	buffer_done(&writer->text);
	free(writer->origin);
	writer->origin = NULL;
}

bool view_is_blank(const struct view *view)
{
	for (size_t i = 0; i < view->length; i++)
		if (!strchr(" \t\r\n\f\v", view->data[i]) || !view->data[i])
			return false;
	return true;
}

struct view view_part(const struct view *view, size_t from, size_t length)
{
	return (struct view){ view->data + from, length, view->origin + from };
}

struct segment *segment_new(struct arena *arena, struct segments *out,
			    enum segment_kind kind, const struct view *view)
{
	struct segment *segment = arena_alloc(arena, sizeof(*segment));

	segment->kind = kind;
	segment->text = view->data;
	segment->length = view->length;
	segment->origin = view->origin;
	segment->start = view->origin[0];
	segment->end = view->origin[view->length];
	segment->heading = "";
	*ARENA_PUSH(arena, out->list, out->nr) = segment;
	return segment;
}

struct segment *segment_copy(struct arena *arena, const struct segment *from)
{
	struct segment *segment = arena_alloc(arena, sizeof(*segment));
	size_t *origin, skip;

	*segment = *from;
	if (from->length > MAX_COPY)
		segment->length = MAX_COPY;
	skip = from->length - segment->length;
	origin = arena_alloc(arena, (segment->length + 1) * sizeof(*origin));
	memcpy(origin, from->origin + skip,
	       (segment->length + 1) * sizeof(*origin));
	segment->origin = origin;
	segment->text =
		arena_strndup(arena, from->text + skip, segment->length);
	segment->heading = "";
	segment->under = NULL;
	segment->lead = NULL;
	segment->column = NULL;
	segment->inlines = NULL;
	segment->nr_inlines = 0;
	return segment;
}

void conceal(struct arena *arena, struct segments *out, size_t start,
	     size_t end, const char *how, bool opaque)
{
	struct concealed *concealed;

	if (start >= end)
		return;
	concealed = ARENA_PUSH(arena, out->concealed, out->nr_concealed);
	concealed->start = start;
	concealed->end = end;
	concealed->how = how;
	concealed->opaque = opaque;
}
