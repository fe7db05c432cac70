/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Synthesis: A(G), the least set of permitted (operation, object) pairs that
 * contains the baseline and the elaborated grants and is closed under the
 * dependencies. Pure. Restrictions are synthesized anew from the remaining
 * grants, never by subtracting from a policy.
 */
#ifndef USER_SYNTH_AUTHORITY_H
#define USER_SYNTH_AUTHORITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bind/bound.h"

/**
 * struct authority - effective authority: aliases and overlaps are resolved,
 * because objects are what the guard tells apart
 * @allow:	[nr] permitted operations per object id
 * @granted:	[nr] operations that any grant of the program, withheld or
 *		not, is about (the same for every subset of grants)
 */
struct authority {
	struct arena *arena;
	size_t nr;
	uint32_t *allow;
	uint32_t *granted;
};

/**
 * authority_synthesize() - least fixed point for a subset of the grants
 * @with:	[bound->program->nr_grants] true: granted
 */
struct authority *authority_synthesize(const struct bound *bound,
				       const bool *with);
void authority_free(struct authority *authority);

/* One pair that a deletion takes away: bits of @operations on @object. */
struct removed {
	uint32_t object;
	uint32_t operations;
};

/* authority_reduction() - what @less lacks of @more, by object id; into @arena */
size_t authority_reduction(struct arena *arena, const struct authority *more,
			   const struct authority *less,
			   struct removed **ret_removed);

/**
 * struct deletion - one grant or group of grants to withhold
 * @grants:	indices into program->grants, ascending
 * @effective:	withholding exactly these reduces authority
 * @covered_by:	for ineffective ones: grants that still cover it
 * @nr_covered_by: 0 and ineffective: the baseline covers it
 * @group:	ineffective single deletions: index in the schedule of the
 *		smallest covering set that is deleted together; else -1
 */
struct deletion {
	size_t *grants;
	size_t nr_grants;
	bool effective;
	size_t *covered_by;
	size_t nr_covered_by;
	int group;
};

/**
 * deletions_plan() - leave-one-out, then the groups that ineffective
 * deletions need; groups are unique and minimal
 */
size_t deletions_plan(struct arena *arena, const struct bound *bound,
		      struct deletion **ret);

#endif /* USER_SYNTH_AUTHORITY_H */
