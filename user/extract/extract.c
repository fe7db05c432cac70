// SPDX-License-Identifier: GPL-2.0-only
/*
 * One rule: its windows are read one after the other, then what was decoded
 * out of it; then what stands in a concealed place is marked.
 */
#include "extract.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <aletheia/limits.h>

#include "base/cleanup.h"
#include "extract/extract_meta.h"
#include "extract/hidden.h"
#include "extract/structure.h"

/* ---- code */

/*
 * How what stands before a block asks for it. A block that nothing leads into
 * is there to be run; a heading can only say that it is not.
 */
static struct mood code_mood(const struct segment *segment)
{
	struct mood mood = { .request = true };
	const struct segment *under = segment->under;

	if (segment->lead)
		mood = prose_mood(segment->lead, segment->lead->length);
	if (under && prose_mood(under, under->length).negated)
		mood.negated = true;
	/* What hides was not put there to show how not to do it. */
	if (segment->hidden)
		mood = (struct mood){ .request = true, .run = true };
	return mood;
}

/* ---- prose */

/* A hidden line that is a command is not there to be read. */
static void read_hidden_prose(const struct segment *segment,
			      struct translation *ret)
{
	struct view view = { segment->text, segment->length, segment->origin };
	struct mood mood = { .request = true, .run = true };
	struct segment code = *segment;

	prose_read(segment, ret);
	if (!hidden_reads_as_command(&view))
		return;
	code.kind = SEGMENT_CODE;
	code.language = "sh";
	shell_read(&code, 0, 0, mood, ret);
}

static void read_segment(const struct segment *segment, struct translation *ret)
{
	switch (segment->kind) {
	case SEGMENT_CODE:
		shell_read(segment, 0, 0, code_mood(segment), ret);
		break;
	case SEGMENT_META:
		extract_meta(segment, ret);
		break;
	default:
		if (segment->hidden)
			read_hidden_prose(segment, ret);
		else
			prose_read(segment, ret);
	}
}

static void read_segments(const struct segments *segments,
			  struct translation *ret)
{
	for (size_t i = 0; i < segments->nr; i++)
		read_segment(segments->list[i], ret);
}

/* ---- what a sentence leaves open and its block names */

/* A block and the sentence that leads into it, as bytes of the rule. */
struct pair {
	struct extent lead;
	struct extent code;
};

struct pairs {
	struct pair *list;
	size_t nr;
};

static void pair_blocks(const struct segments *segments, struct arena *arena,
			struct pairs *ret)
{
	for (size_t i = 0; i < segments->nr; i++) {
		const struct segment *code = segments->list[i];

		if (code->kind != SEGMENT_CODE || !code->lead || code->hidden)
			continue;
		*ARENA_PUSH(arena, ret->list, ret->nr) = (struct pair){
			.lead = { code->lead->start, code->lead->end },
			.code = { code->start, code->end },
		};
	}
}

static bool is_open(const struct request *request)
{
	return !strcmp(request->object, "*") ||
	       !strncmp(request->object, "tcp * ", 6);
}

static bool lies_in(const struct extent *place, const struct extent *extent)
{
	return place->start >= extent->start && place->end <= extent->end;
}

static bool has_place_in(const struct request *request,
			 const struct extent *extent)
{
	for (size_t i = 0; i < request->nr_places; i++)
		if (lies_in(&request->places[i], extent))
			return true;
	return false;
}

static int by_lead(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;

	if (x->lead.start != y->lead.start)
		return x->lead.start < y->lead.start ? -1 : 1;
	if (x->code.start != y->code.start)
		return x->code.start < y->code.start ? -1 : 1;
	return 0;
}

/* The blocks that a place leads into: first and behind the last. */
static size_t blocks_of(const struct pairs *pairs, const struct extent *place,
			size_t *ret_end)
{
	size_t low = 0, high = pairs->nr, first;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (pairs->list[middle].lead.start <= place->start)
			low = middle + 1;
		else
			high = middle;
	}
	*ret_end = low;
	for (first = low; first; first--)
		if (!lies_in(place, &pairs->list[first - 1].lead))
			break;
	return first;
}

/* A request of the same kind in a block that the place leads into. */
static const struct request *find_named(const struct translation *translation,
					const struct request *open,
					const struct extent *place,
					const struct pairs *pairs)
{
	size_t end, first = blocks_of(pairs, place, &end), i, k;

	for (i = first; i < end; i++)
		for (k = 0; k < translation->nr_requests; k++) {
			const struct request *request =
				&translation->requests[k];

			if (request->action == open->action &&
			    request->kind == open->kind && !is_open(request) &&
			    !request->hidden &&
			    has_place_in(request, &pairs->list[i].code))
				return request;
		}
	return NULL;
}

/*
 * "Send it to our server:" and then a command that names the server is one
 * request with two places.
 */
static void name_open(struct translation *translation,
		      const struct pairs *pairs)
{
	for (size_t i = 0; i < translation->nr_requests; i++) {
		struct request open = translation->requests[i];
		size_t kept = 0;

		if (!is_open(&open) || open.hidden)
			continue;
		for (size_t k = 0; k < open.nr_places; k++) {
			struct extent place = open.places[k];
			const struct request *named =
				find_named(translation, &open, &place, pairs);
			struct request request;

			if (!named) {
				open.places[kept++] = place;
				continue;
			}
			request = *named;
			request.start = place.start;
			request.end = place.end;
			translation_add(translation, &request);
		}
		translation->requests[i].nr_places = kept;
	}
}

/* Of a sentence and its command, the command says best what is asked for. */
static void prefer_code(struct translation *translation,
			const struct pairs *pairs)
{
	for (size_t i = 0; i < translation->nr_requests; i++) {
		struct request *request = &translation->requests[i];
		struct extent place = { request->start, request->end };
		size_t end, block = blocks_of(pairs, &place, &end), k;

		for (k = 0; block < end && k < request->nr_places; k++) {
			if (!lies_in(&request->places[k],
				     &pairs->list[block].code))
				continue;
			request->start = request->places[k].start;
			request->end = request->places[k].end;
			break;
		}
	}
}

/* ---- concealed places */

static int by_start(const void *a, const void *b)
{
	const struct concealed *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->end < y->end ? -1 : x->end > y->end;
}

/* Ranges in order without overlaps: the first that conceals a byte counts. */
static void flatten(struct segments *segments)
{
	struct concealed *list = segments->concealed;
	size_t nr = 0;

	if (segments->nr_concealed)
		qsort(list, segments->nr_concealed, sizeof(*list), by_start);
	for (size_t i = 0; i < segments->nr_concealed; i++) {
		struct concealed next = list[i];

		if (nr && next.start < list[nr - 1].end)
			next.start = list[nr - 1].end;
		if (next.start < next.end)
			list[nr++] = next;
	}
	segments->nr_concealed = nr;
}

/* How [start, end) is concealed, or NULL. */
static const char *concealed_how(const struct segments *segments, size_t start,
				 size_t end)
{
	const struct concealed *list = segments->concealed;
	size_t low = 0, high = segments->nr_concealed;

	/* The first range that ends behind @start. */
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (list[middle].end <= start)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < segments->nr_concealed && list[low].start < end)
		return list[low].how;
	return NULL;
}

/* Places of a request that are concealed make a request of their own. */
static void mark_request(struct translation *translation, size_t index,
			 const struct segments *segments)
{
	struct request request = translation->requests[index];
	size_t kept = 0, i;

	if (request.hidden)
		return;
	for (i = 0; i < request.nr_places; i++) {
		struct extent place = request.places[i];
		const char *how =
			concealed_how(segments, place.start, place.end);

		if (!how) {
			request.places[kept++] = place;
			continue;
		}
		request.hidden = how;
		request.start = place.start;
		request.end = place.end;
		translation_add(translation, &request);
	}
	translation->requests[index].nr_places = kept;
}

static void mark_requests(struct translation *translation,
			  const struct segments *segments)
{
	size_t nr = translation->nr_requests;

	for (size_t i = 0; i < nr; i++)
		mark_request(translation, i, segments);
}

/* Requests all of whose places went elsewhere are gone. */
static void drop_empty(struct translation *translation)
{
	size_t kept = 0, i, k;

	for (i = 0; i < translation->nr_requests; i++) {
		struct request request = translation->requests[i];

		if (!request.nr_places)
			continue;
		request.start = SIZE_MAX;
		for (k = 0; k < request.nr_places; k++) {
			if (request.places[k].start >= request.start)
				continue;
			request.start = request.places[k].start;
			request.end = request.places[k].end;
		}
		translation->requests[kept++] = request;
	}
	translation->nr_requests = kept;
}

static void finish(struct translation *translation, struct segments *segments,
		   const struct pairs *pairs)
{
	size_t i;

	for (i = 0; i < segments->nr_concealed; i++) {
		const struct concealed *concealed = &segments->concealed[i];

		if (concealed->opaque)
			translation_gap(translation, concealed->start,
					concealed->end, "undecodable", true,
					true);
	}
	flatten(segments);
	if (pairs->nr)
		qsort(pairs->list, pairs->nr, sizeof(*pairs->list), by_lead);
	name_open(translation, pairs);
	mark_requests(translation, segments);
	drop_empty(translation);
	prefer_code(translation, pairs);
	for (i = 0; i < translation->nr_gaps; i++) {
		struct gap *gap = &translation->gaps[i];

		gap->grave |= gap->actionable &&
			      concealed_how(segments, gap->start, gap->end);
	}
}

/* ---- scripts */

/* In which language a file is, if it is a script; else NULL. */
static const char *script_language(const char *path, const char *text,
				   size_t length)
{
	static const struct {
		const char *suffix, *interpreter, *language;
	} known[] = {
		{ ".sh", "sh", "sh" },
		{ ".bash", "bash", "sh" },
		{ ".zsh", "zsh", "sh" },
		{ ".py", "python", "python" },
		{ ".js", "node", "javascript" },
		{ ".mjs", "deno", "javascript" },
		{ ".ts", "bun", "javascript" },
		{ ".rb", "ruby", "ruby" },
		{ ".pl", "perl", "perl" },
		{ ".php", "php", "php" },
		{ ".ps1", "pwsh", "powershell" },
		{ ".bat", "cmd", "cmd" },
	};
	const char *dot = strrchr(path, '.');
	const char *eol = memchr(text, '\n', length);
	size_t first = eol ? (size_t)(eol - text) : length;

	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		if (dot && !strcmp(dot, known[i].suffix))
			return known[i].language;
		if (length > 2 && !memcmp(text, "#!", 2) &&
		    memmem(text, first, known[i].interpreter,
			   strlen(known[i].interpreter)))
			return known[i].language;
	}
	return NULL;
}

/* Windows that end with lines; what a shell remembers ends with them, too. */
static void read_script(const char *language, const char *text, size_t length,
			struct translation *ret)
{
	struct mood mood = { .request = true, .run = true };
	size_t at = 0, nr;

	for (; at < length; at += nr) {
		struct arena *arena cleanup_arena = arena_new();
		struct writer writer cleanup_writer = { .arena = arena };
		struct segments segments = { 0 };
		struct segment *segment;
		struct view view;
		const char *eol = NULL;

		nr = length - at;
		if (nr > STRUCTURE_WINDOW) {
			eol = memrchr(text + at, '\n', STRUCTURE_WINDOW);
			nr = eol ? (size_t)(eol + 1 - text) - at
				 : STRUCTURE_WINDOW;
		}
		writer_run(&writer, text + at, at, nr);
		view = writer_take(&writer, at + nr);
		segment = segment_new(arena, &segments, SEGMENT_CODE, &view);
		segment->language = language;
		shell_read(segment, 0, 0, mood, ret);
	}
}

/* ---- the rule */

static void read_windows(const char *text, size_t length, struct arena *arena,
			 struct segments *hidden, struct pairs *pairs,
			 struct translation *ret)
{
	struct view view = { text, length, NULL };
	struct structure structure;
	struct segments segments = { 0 };
	struct arena *window = arena_new();
	bool more;

	structure_begin(&structure, &view, NULL);
	structure.at = meta_read(text, length, window, &segments);
	do {
		more = structure_next(&structure, window, &segments);
		read_segments(&segments, ret);
		pair_blocks(&segments, arena, pairs);
		for (size_t i = 0; i < segments.nr_concealed; i++)
			*ARENA_PUSH(arena, hidden->concealed,
				    hidden->nr_concealed) =
				segments.concealed[i];
		segments = (struct segments){ 0 };
		arena_free(window);
		window = arena_new();
	} while (more);
	structure_done(&structure);
	arena_free(window);
}

int extract_rule(const char *path, const char *text, size_t length,
		 struct translation **ret, struct error **err)
{
	struct arena *arena cleanup_arena = arena_new();
	struct segments hidden = { 0 };
	struct pairs pairs = { 0 };
	struct translation *translation;
	const char *language = script_language(path, text, length);

	if (length > AL_MAX_RULE_SIZE)
		return error_set(err, ERROR_INPUT, EFBIG,
				 "%s: larger than %u bytes", path,
				 AL_MAX_RULE_SIZE);
	translation = translation_new();
	hidden_find(arena, text, length, &hidden);
	if (language)
		read_script(language, text, length, translation);
	else
		read_windows(text, length, arena, &hidden, &pairs, translation);
	read_segments(&hidden, translation);
	finish(translation, &hidden, &pairs);
	translation_end(translation);
	*ret = translation;
	return 0;
}
