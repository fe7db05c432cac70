/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Branches: one execution of the task under one policy, in namespaces and a
 * cgroup of its own, from the same initial state each time; then the oracle
 * in a sibling sandbox.
 */
#ifndef USER_BRANCH_BRANCH_H
#define USER_BRANCH_BRANCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/text.h"
#include "bind/bound.h"
#include "guard/guard.h"
#include "judge/record.h"
#include "manifest/manifest.h"
#include "policy/policy.h"

/*
 * User and group ids inside of branches; from a range that nothing else
 * gives out. The oracle has the agent's: the project's files belong to it,
 * and none of its processes is left then.
 */
#define BRANCH_AGENT_UID 60600
#define BRANCH_INIT_UID	 60601
#define BRANCH_SINK_UID	 60602

/**
 * struct campaign - what all branches of one test share
 *
 * State directory (a private tmpfs), parent cgroup, snapshot, janitor. Made
 * before the guard is opened; the janitor is forked first and holds nothing
 * but descriptors of the controller, the cgroup and the state.
 *
 * Its opener enters a mount namespace of its own, for good: what is mounted
 * for branches is seen by nobody else and ends with the last of us. The host's
 * mounts still reach it.
 */
struct campaign;

/**
 * campaign_open() - make the surroundings, start the janitor
 * @err:	ERROR_PERMISSION (not root), ERROR_MACHINE (no cgroup v2, no
 *		overlayfs with index=on, ...), each with what to do
 *
 * Also removes what a controller that was killed with its janitor left.
 */
int campaign_open(struct campaign **ret, struct error **err);
/* campaign_close() - kill, wait, unmount, remove; idempotent */
void campaign_close(struct campaign *campaign);

/* campaign_note() - which limits this machine cannot set, or NULL */
const char *campaign_note(const struct campaign *campaign);

/**
 * campaign_kept() - where branches with @keep leave what they wrote
 *
 * A directory that is made when there is something for it, and stays.
 */
const char *campaign_kept(const struct campaign *campaign);

/* campaign_snapshot() - snapshot_make() into the campaign's state */
int campaign_snapshot(struct campaign *campaign, const struct bound *bound,
		      struct error **err);

/* campaign_digest() - of what campaign_snapshot() laid out */
struct digest campaign_digest(const struct campaign *campaign);

/**
 * struct branch_plan - one branch, as data
 * @manifest:	limits, agent, oracle
 * @bound:	objects, contents, environment
 * @layout:	labels, slots, endpoints
 * @rules:	[layout->nr_objects] this branch's policy
 * @oracle_rules: [layout->nr_objects] the oracle's fixed policy: the baseline
 * @role:	for messages
 * @empty_rule:	control: the rule is replaced by an empty file
 * @untouched:	oracle polarity: no agent at all, the project as it is
 * @solve_only:	oracle polarity: only the solution is laid over the project
 * @withheld_env: per bound->environment entry: true: leave it out
 */
struct branch_plan {
	const struct manifest *manifest;
	const struct bound *bound;
	const struct layout *layout;
	const struct al_rule *rules;
	const struct al_rule *oracle_rules;
	enum branch_role role;
	bool empty_rule;
	bool untouched;
	bool solve_only;
	const bool *withheld_env;
	bool keep;
};

/**
 * branch_run() - run one branch and its oracle
 * @guard:	NULL: never (any run without the guard is an error)
 * @arena:	owns what @ret points to
 * @ret:	filled in completely, also when the run ended badly
 * @err:	what kept it from a result (also in @ret->end and ->detail)
 *
 * Blocking; callable from several processes of one campaign at a time. After
 * it nothing of the branch is left: processes, cgroup, mounts, files.
 */
int branch_run(struct campaign *campaign, struct guard *guard,
	       const struct branch_plan *plan, struct arena *arena,
	       struct record_run *ret, struct error **err);

#if AL_SELFTEST
/* branch_selftest_unguarded() - from now on @guard may be NULL */
void branch_selftest_unguarded(void);
#endif

/* branch_plan_print() - what would be done, step by step, for people */
void branch_plan_print(const struct branch_plan *plan, struct buffer *out);

#endif /* USER_BRANCH_BRANCH_H */
