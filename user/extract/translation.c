// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the readers found, as one list: equal requests are one with several
 * places.
 */
#include "extract.h"

#include <stdlib.h>
#include <string.h>

#include <aletheia/limits.h>

#include "base/cleanup.h"

struct translation *translation_new(void)
{
	struct arena *arena = arena_new();
	struct translation *translation =
		arena_alloc(arena, sizeof(*translation));

	translation->arena = arena;
	return translation;
}

void translation_free(struct translation *translation)
{
	if (translation)
		arena_free(translation->arena);
}

/* ---- equal requests */

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

static bool same_request(const struct request *a, const struct request *b)
{
	return a->action == b->action && a->kind == b->kind &&
	       same_text(a->object, b->object) &&
	       same_text(a->hidden, b->hidden);
}

static size_t hash(const struct request *request)
{
	uint64_t h = 14695981039346656037u + request->action * 31u +
		     (uint64_t)request->kind;

	for (const char *c = request->object; *c; c++)
		h = (h ^ (unsigned char)*c) * 1099511628211u;
	return (size_t)(h ^ h >> 32);
}

/* The place in the index where a request is or would be. */
static size_t *find(struct translation *translation,
		    const struct request *request)
{
	size_t mask = translation->index_size - 1;
	size_t i = hash(request) & mask;

	while (translation->index[i] &&
	       !same_request(&translation->requests[translation->index[i] - 1],
			     request))
		i = (i + 1) & mask;
	return &translation->index[i];
}

static void grow_index(struct translation *translation)
{
	if (translation->index_size > 2 * translation->nr_requests + 2)
		return;
	translation->index_size =
		translation->index_size ? translation->index_size * 2 : 64;
	translation->index = arena_alloc(
		translation->arena, translation->index_size * sizeof(size_t));
	for (size_t i = 0; i < translation->nr_requests; i++)
		*find(translation, &translation->requests[i]) = i + 1;
}

static void add_place(struct translation *translation, struct request *request,
		      size_t start, size_t end)
{
	struct extent *place;

	for (size_t i = request->nr_places; i-- > 0;)
		if (request->places[i].start == start &&
		    request->places[i].end == end)
			return;
	if (request->nr_places == AL_MAX_SPANS)
		return;
	place = ARENA_PUSH(translation->arena, request->places,
			   request->nr_places);
	place->start = start;
	place->end = end;
	if (start < request->start) {
		request->start = start;
		request->end = end;
	}
}

struct request *translation_add(struct translation *translation,
				const struct request *request)
{
	struct request *known;
	size_t *slot;

	grow_index(translation);
	slot = find(translation, request);
	if (*slot) {
		known = &translation->requests[*slot - 1];
		known->conditional &= request->conditional;
		known->base &= request->base;
		if (known->class_ == CLASS_ANY)
			known->class_ = request->class_;
	} else if (translation->nr_requests == TRANSLATION_MAX_REQUESTS) {
		translation_gap(translation, request->start, request->end,
				"too-many", true, true);
		return &translation->requests[translation->nr_requests - 1];
	} else {
		known = ARENA_PUSH(translation->arena, translation->requests,
				   translation->nr_requests);
		*known = *request;
		known->places = NULL;
		known->nr_places = 0;
		*slot = translation->nr_requests;
	}
	add_place(translation, known, request->start, request->end);
	return known;
}

/* ---- stretches */

void translation_asks(struct translation *translation, size_t start, size_t end)
{
	struct extent *last =
		translation->nr_stretches
			? &translation->stretches[translation->nr_stretches - 1]
			: NULL;

	if (start >= end)
		return;
	if (last && start >= last->start && start <= last->end) {
		if (end > last->end)
			last->end = end;
		return;
	}
	last = ARENA_PUSH(translation->arena, translation->stretches,
			  translation->nr_stretches);
	last->start = start;
	last->end = end;
}

void translation_gap(struct translation *translation, size_t start, size_t end,
		     const char *reason, bool actionable, bool grave)
{
	size_t nr = translation->nr_gaps;
	struct gap *gap = nr ? &translation->gaps[nr - 1] : NULL;

	if (gap && gap->start == start && gap->end == end &&
	    same_text(gap->reason, reason)) {
		gap->actionable |= actionable;
		gap->grave |= grave;
		return;
	}
	if (nr < TRANSLATION_MAX_GAPS) {
		gap = ARENA_PUSH(translation->arena, translation->gaps,
				 translation->nr_gaps);
		*gap = (struct gap){ start, end, reason, actionable, grave };
		return;
	}
	gap->reason = "too-many";
	gap->start = start < gap->start ? start : gap->start;
	gap->end = end > gap->end ? end : gap->end;
	gap->actionable |= actionable;
	gap->grave = true;
}

static int by_start(const void *a, const void *b)
{
	const struct extent *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->end != y->end)
		return x->end < y->end ? -1 : 1;
	return 0;
}

/* A set of bytes, as stretches. */
struct set {
	struct extent *list;
	size_t nr;
	size_t room;
};

static void set_add(struct set *set, size_t start, size_t end)
{
	if (set->nr == set->room) {
		set->room = set->room * 2 + 64;
		set->list =
			xreallocarray(set->list, set->room, sizeof(*set->list));
	}
	set->list[set->nr++] = (struct extent){ start, end };
}

/* Sorted, without overlaps. */
static void set_end(struct set *set)
{
	size_t nr = 0;

	if (set->nr)
		qsort(set->list, set->nr, sizeof(*set->list), by_start);
	for (size_t i = 0; i < set->nr; i++) {
		if (nr && set->list[i].start <= set->list[nr - 1].end) {
			if (set->list[i].end > set->list[nr - 1].end)
				set->list[nr - 1].end = set->list[i].end;
		} else {
			set->list[nr++] = set->list[i];
		}
	}
	set->nr = nr;
}

static size_t set_bytes(const struct set *set)
{
	size_t bytes = 0;

	for (size_t i = 0; i < set->nr; i++)
		bytes += set->list[i].end - set->list[i].start;
	return bytes;
}

/* Bytes that are in both. */
static size_t set_common(const struct set *a, const struct set *b)
{
	size_t bytes = 0, i = 0, k = 0;

	while (i < a->nr && k < b->nr) {
		size_t start = a->list[i].start > b->list[k].start
				       ? a->list[i].start
				       : b->list[k].start;
		size_t end = a->list[i].end < b->list[k].end ? a->list[i].end
							     : b->list[k].end;

		if (start < end)
			bytes += end - start;
		if (a->list[i].end < b->list[k].end)
			i++;
		else
			k++;
	}
	return bytes;
}

static void count_bytes(struct translation *translation)
{
	struct set asks = { 0 }, found = { 0 }, gaps = { 0 };
	size_t i, k;

	for (i = 0; i < translation->nr_stretches; i++)
		set_add(&asks, translation->stretches[i].start,
			translation->stretches[i].end);
	for (i = 0; i < translation->nr_requests; i++)
		for (k = 0; k < translation->requests[i].nr_places; k++) {
			const struct extent *place =
				&translation->requests[i].places[k];

			set_add(&asks, place->start, place->end);
			set_add(&found, place->start, place->end);
		}
	for (i = 0; i < translation->nr_gaps; i++) {
		if (!translation->gaps[i].actionable)
			continue;
		set_add(&asks, translation->gaps[i].start,
			translation->gaps[i].end);
		set_add(&gaps, translation->gaps[i].start,
			translation->gaps[i].end);
	}
	set_end(&asks);
	set_end(&found);
	set_end(&gaps);
	translation->actionable = set_bytes(&asks);
	translation->unmapped = set_bytes(&gaps) - set_common(&gaps, &found);
	free(asks.list);
	free(found.list);
	free(gaps.list);
}

/* ---- order */

static int requests_order(const void *a, const void *b)
{
	const struct request *x = a, *y = b;
	int r;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->end != y->end)
		return x->end < y->end ? -1 : 1;
	if (x->action != y->action)
		return x->action < y->action ? -1 : 1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	r = strcmp(x->object, y->object);
	if (r)
		return r;
	return strcmp(x->hidden ? x->hidden : "", y->hidden ? y->hidden : "");
}

static int gaps_order(const void *a, const void *b)
{
	const struct gap *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->end != y->end)
		return x->end < y->end ? -1 : 1;
	return strcmp(x->reason, y->reason);
}

/* Of two places one in the other, the smaller says better what asks. */
static void drop_wider(struct request *request)
{
	size_t kept = 0, i, k;

	for (i = 0; i < request->nr_places; i++) {
		struct extent wide = request->places[i], *inner = NULL;

		/* Of those that begin together the smaller comes first. */
		if (kept && request->places[kept - 1].start == wide.start)
			inner = &request->places[kept - 1];
		for (k = i + 1; !inner && k < request->nr_places &&
				request->places[k].start < wide.end;
		     k++)
			if (request->places[k].end <= wide.end)
				inner = &request->places[k];
		if (!inner) {
			request->places[kept++] = wide;
		} else if (request->start == wide.start &&
			   request->end == wide.end) {
			request->start = inner->start;
			request->end = inner->end;
		}
	}
	request->nr_places = kept;
}

void translation_end(struct translation *translation)
{
	for (size_t i = 0; i < translation->nr_requests; i++) {
		struct request *request = &translation->requests[i];

		qsort(request->places, request->nr_places,
		      sizeof(struct extent), by_start);
		drop_wider(request);
	}
	if (translation->nr_requests)
		qsort(translation->requests, translation->nr_requests,
		      sizeof(*translation->requests), requests_order);
	if (translation->nr_gaps)
		qsort(translation->gaps, translation->nr_gaps,
		      sizeof(*translation->gaps), gaps_order);
	translation->index = NULL;
	translation->index_size = 0;
	count_bytes(translation);
}

bool translation_unresolved(const struct translation *translation)
{
	for (size_t i = 0; i < translation->nr_gaps; i++)
		if (translation->gaps[i].actionable &&
		    translation->gaps[i].grave)
			return true;
	return (double)translation->unmapped >
	       TRANSLATION_BAR * (double)translation->actionable;
}
