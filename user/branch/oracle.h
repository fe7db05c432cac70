/* SPDX-License-Identifier: GPL-2.0-only */
/* The trusted tests, in a sandbox of their own after the agent's is gone. */
#ifndef USER_BRANCH_ORACLE_H
#define USER_BRANCH_ORACLE_H

#include "branch/branch.h"
#include "branch/campaign.h"

/**
 * struct oracle - what it judges
 * @upper:	path of what the agent left, above the campaign's snapshot
 * @directory:	path of an empty directory for its own files
 * @cgroup:	for its processes
 */
struct oracle {
	const struct campaign *campaign;
	struct guard *guard;
	const struct branch_plan *plan;
	const char *upper;
	const char *directory;
	const struct cgroup *cgroup;
};

/**
 * oracle_run() - lay the trusted tests over the project and run them
 * @run:	@accepted, @tests, @oracle_output, @removed_loaders, @oracle_ms,
 *		and for an oracle without a result @end and @detail
 */
int oracle_run(const struct oracle *oracle, struct arena *arena,
	       struct record_run *run, struct error **err);

#endif /* USER_BRANCH_ORACLE_H */
