// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which deletions to run. A grant's gain is what it adds to the baseline. A
 * pair is gone when all of its givers are withheld; so the sets that matter
 * are the givers of single pairs.
 */
#include <string.h>

#include "authority.h"

struct gain {
	struct removed *pairs;
	size_t nr_pairs;
};

/* Everything that planning looks at, computed once. */
struct plan {
	struct arena *arena;
	const struct bound *bound;
	size_t nr_grants;
	struct gain *gains;
	struct deletion *deletions;
	size_t nr_deletions;
};

/* A set of grants as ascending indices. */
struct set {
	size_t *items;
	size_t nr;
};

static uint32_t gain_of(const struct gain *gain, uint32_t object)
{
	size_t low = 0, high = gain->nr_pairs, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (gain->pairs[middle].object == object)
			return gain->pairs[middle].operations;
		if (gain->pairs[middle].object < object)
			low = middle + 1;
		else
			high = middle;
	}
	return 0;
}

/* Gains are synthesized one by one, each from its own grant alone. */
static void compute_gains(struct plan *plan, bool *with)
{
	struct authority *none cleanup_authority = NULL;
	size_t i;

	memset(with, 0, plan->nr_grants * sizeof(*with));
	none = authority_synthesize(plan->bound, with);
	for (i = 0; i < plan->nr_grants; i++) {
		struct authority *one cleanup_authority = NULL;

		with[i] = true;
		one = authority_synthesize(plan->bound, with);
		with[i] = false;
		plan->gains[i].nr_pairs = authority_reduction(
			plan->arena, one, none, &plan->gains[i].pairs);
	}
}

static struct set givers(const struct plan *plan, uint32_t object,
			 uint32_t operation)
{
	struct set set = { 0 };
	size_t i;

	for (i = 0; i < plan->nr_grants; i++)
		if (gain_of(&plan->gains[i], object) & operation)
			*ARENA_PUSH(plan->arena, set.items, set.nr) = i;
	return set;
}

/* Fewer members first, then the first that differs. */
static int set_compare(const struct set *a, const struct set *b)
{
	size_t i;

	if (a->nr != b->nr)
		return a->nr < b->nr ? -1 : 1;
	for (i = 0; i < a->nr; i++)
		if (a->items[i] != b->items[i])
			return a->items[i] < b->items[i] ? -1 : 1;
	return 0;
}

static struct set smallest_group(const struct plan *plan, size_t grant)
{
	const struct program *program = plan->bound->program;
	const struct grant *asked = &program->grants[grant];
	const struct gain *gain = &plan->gains[grant];
	uint32_t object = plan->bound->resource_objects[asked->resource];
	uint32_t operation = 1u << asked->action;
	struct set best = { 0 };
	size_t i;

	if (gain_of(gain, object) & operation)
		return givers(plan, object, operation);
	for (i = 0; i < gain->nr_pairs; i++) {
		for (operation = 1; operation < 1u << AL_NR_OPERATIONS;
		     operation <<= 1) {
			struct set set;

			if (!(gain->pairs[i].operations & operation))
				continue;
			set = givers(plan, gain->pairs[i].object, operation);
			if (!best.nr || set_compare(&set, &best) < 0)
				best = set;
		}
	}
	return best;
}

/* Do the grants of @set, one of them left out, still give all of @gain? */
static bool covers(const struct plan *plan, const struct set *set, size_t skip,
		   const struct gain *gain)
{
	size_t i, k;

	for (i = 0; i < gain->nr_pairs; i++) {
		uint32_t left = gain->pairs[i].operations;

		for (k = 0; k < set->nr && left; k++)
			if (k != skip)
				left &= ~gain_of(&plan->gains[set->items[k]],
						 gain->pairs[i].object);
		if (left)
			return false;
	}
	return true;
}

static void set_remove(struct set *set, size_t at)
{
	memmove(&set->items[at], &set->items[at + 1],
		(set->nr - at - 1) * sizeof(*set->items));
	set->nr--;
}

/*
 * Grants that still cover one: the first that does it alone, else the later
 * ones of all others are dropped for as long as the rest does it.
 */
static struct set covering(const struct plan *plan, size_t grant)
{
	struct set set = { 0 };
	size_t i;

	if (!plan->gains[grant].nr_pairs)
		return set;
	for (i = 0; i < plan->nr_grants; i++) {
		struct set one = { &i, 1 };

		if (i == grant)
			continue;
		if (covers(plan, &one, SIZE_MAX, &plan->gains[grant])) {
			set.nr = 0;
			*ARENA_PUSH(plan->arena, set.items, set.nr) = i;
			return set;
		}
		*ARENA_PUSH(plan->arena, set.items, set.nr) = i;
	}
	for (i = set.nr; i-- > 0;)
		if (covers(plan, &set, i, &plan->gains[grant]))
			set_remove(&set, i);
	return set;
}

/* Withholding exactly these: synthesized anew and compared. */
static bool is_effective(const struct plan *plan, const struct authority *full,
			 const struct set *set, bool *with)
{
	struct authority *less cleanup_authority = NULL;
	size_t i;

	for (i = 0; i < plan->nr_grants; i++)
		with[i] = true;
	for (i = 0; i < set->nr; i++)
		with[set->items[i]] = false;
	less = authority_synthesize(plan->bound, with);
	return memcmp(full->allow, less->allow,
		      full->nr * sizeof(*full->allow));
}

static int find_group(const struct plan *plan, const struct set *set)
{
	size_t i;

	for (i = plan->nr_grants; i < plan->nr_deletions; i++) {
		struct set other = { plan->deletions[i].grants,
				     plan->deletions[i].nr_grants };

		if (!set_compare(set, &other))
			return (int)i;
	}
	return -1;
}

static size_t add_deletion(struct plan *plan, const struct set *set)
{
	struct deletion *new =
		ARENA_PUSH(plan->arena, plan->deletions, plan->nr_deletions);

	new->grants = set->items;
	new->nr_grants = set->nr;
	new->group = -1;
	return plan->nr_deletions - 1;
}

static void plan_group(struct plan *plan, const struct authority *full,
		       size_t single, bool *with)
{
	struct set set = smallest_group(plan, single);
	int group = find_group(plan, &set);

	if (group < 0) {
		group = (int)add_deletion(plan, &set);
		plan->deletions[group].effective =
			is_effective(plan, full, &set, with);
	}
	plan->deletions[single].group = group;
}

size_t deletions_plan(struct arena *arena, const struct bound *bound,
		      struct deletion **ret)
{
	struct authority *full cleanup_authority =
		authority_synthesize(bound, NULL);
	size_t nr = bound->program->nr_grants, i;
	struct plan plan = {
		.arena = arena,
		.bound = bound,
		.nr_grants = nr,
		.gains = arena_alloc(arena, nr * sizeof(struct gain)),
	};
	bool *with = arena_alloc(arena, nr * sizeof(*with));

	compute_gains(&plan, with);
	for (i = 0; i < nr; i++) {
		struct set set = { 0 };

		*ARENA_PUSH(arena, set.items, set.nr) = i;
		add_deletion(&plan, &set);
		plan.deletions[i].effective =
			is_effective(&plan, full, &set, with);
	}
	for (i = 0; i < nr; i++) {
		struct set cover;

		if (plan.deletions[i].effective)
			continue;
		cover = covering(&plan, i);
		plan.deletions[i].covered_by = cover.items;
		plan.deletions[i].nr_covered_by = cover.nr;
		if (plan.gains[i].nr_pairs)
			plan_group(&plan, full, i, with);
	}
	*ret = plan.deletions;
	return plan.nr_deletions;
}
