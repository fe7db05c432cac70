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
 * action_operations() - what asking for an action means for its object
 *
 *	read		read; on host selectors map too (system libraries)
 *	execute		execute, read, map; what the tool needs follows from
 *			its dependencies
 *	others		the operation of the same name; write includes create,
 *			append and truncate, connect includes send, bind
 *			includes listen and accept
 *
 * On a tree the operations hold for the directory and for all below it: "read"
 * is about the files below, "list" about the directories.
 */
uint32_t action_operations(unsigned int action,
			   const struct selector *selector);

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
 * @with:	[bound->program->nr_grants] true: granted; NULL: all of them
 *
 * The rules: a grant gives its operations to its object and, if that is a
 * tree, to everything within it. A baseline does the same, but stops at what
 * is declared or excepted strictly within its tree (and at what lies within
 * that): the carve-out, which depends on declarations alone. So does what a
 * tool needs. The rule itself can always be read and BRANCH_OWN used; neither
 * is carved out when a rule names it.
 */
struct authority *authority_synthesize(const struct bound *bound,
				       const bool *with);
void authority_free(struct authority *authority);

static inline void authority_done(struct authority **authority)
{
	authority_free(*authority);
	*authority = NULL;
}

#define cleanup_authority __attribute__((__cleanup__(authority_done)))

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
 * deletions need
 * @ret:	one per grant in their order, then the groups
 *
 * The group of an ineffective deletion is the set of all grants that give
 * what its grant asks for: the smallest whose deletion takes that away. (Where
 * the baseline gives that, but not all that comes with it, the smallest for
 * any of the rest; the first by grants among equals.) Equal groups are one.
 */
size_t deletions_plan(struct arena *arena, const struct bound *bound,
		      struct deletion **ret);

#endif /* USER_SYNTH_AUTHORITY_H */
