/* SPDX-License-Identifier: GPL-2.0-only */
/* A policy of the guard on one sandbox, from its labels to its evidence. */
#ifndef USER_BRANCH_ENFORCE_H
#define USER_BRANCH_ENFORCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "branch/sandbox.h"
#include "guard/guard.h"
#include "judge/record.h"
#include "policy/policy.h"

/* Events kept of one run; more are counted as lost. */
#define EVENTS_MAX 20000

/**
 * struct enforcement
 * @guard:	NULL: none (tests only); then nothing here does anything
 * @cgroup:	id of the policy's cgroup, 0: no policy
 * @held:	descriptors of what is labelled: labels die with their inodes
 * @nr_dropped:	events that were more than EVENTS_MAX
 */
struct enforcement {
	struct guard *guard;
	const struct layout *layout;
	uint64_t cgroup;
	int *held;
	size_t nr_held;
	struct guard_events *reader;
	struct al_event *events;
	size_t nr_events;
	uint64_t nr_dropped;
};

/**
 * enforcement_arm() - label what is in the sandbox and switch the policy on
 * @rules:	[layout->nr_objects]
 * @complete:	every label's path must be there; else those that are not are
 *		left out
 *
 * Before sandbox_run(): the command's first instruction is under the policy.
 */
int enforcement_arm(struct guard *guard, const struct layout *layout,
		    const struct al_rule *rules, bool complete,
		    const struct sandbox *sandbox, struct enforcement *ret,
		    struct error **err);

/* enforcement_fd() - polls readable when there are events, or -1 */
int enforcement_fd(const struct enforcement *enforcement);
/* enforcement_ready() - read them; for struct sandbox_watch */
int enforcement_ready(void *enforcement);

/**
 * enforcement_evidence() - what happened, after all processes are dead
 * @run:	rules, counts, events and losses are filled in
 */
int enforcement_evidence(struct enforcement *enforcement,
			 const struct al_rule *rules, struct arena *arena,
			 struct record_run *run, struct error **err);

/* enforcement_done() - forget the policy, let go of the labels */
void enforcement_done(struct enforcement *enforcement);

#define cleanup_enforcement __attribute__((__cleanup__(enforcement_done)))

#endif /* USER_BRANCH_ENFORCE_H */
