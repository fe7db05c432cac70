/* SPDX-License-Identifier: GPL-2.0-only */
/* The inside of a campaign, for this folder only. */
#ifndef USER_BRANCH_CAMPAIGN_H
#define USER_BRANCH_CAMPAIGN_H

#include <sys/types.h>

#include "base/text.h"
#include "branch/branch.h"
#include "branch/cgroup.h"

/**
 * struct campaign
 * @owner:	the process that opened it; only it cleans up
 * @base:	directory of all campaigns of this machine
 * @name:	of this one in @base, random
 * @directory:	BASE/NAME, holds the lock and the mount point @state
 * @state:	path of the private tmpfs; seen only in our mount namespace
 * @snapshot:	path of the snapshot in it
 * @lock:	held (flock) by us and the janitor
 * @hierarchy:	where our cgroup lies
 * @cgroup:	ours: every process of every branch is below it
 * @cgroup_name: its name in @hierarchy
 * @controllers: CGROUP_* limits that branches get
 * @janitor:	its process id, 0: none
 * @kept:	path for what is to be kept; made when there is something
 * @nr_branches: made by this process
 */
struct campaign {
	pid_t owner;
	int base;
	char *name;
	char *directory;
	char *state;
	char *snapshot;
	int lock;
	struct cgroup hierarchy;
	char *hierarchy_path;
	struct cgroup cgroup;
	char *cgroup_name;
	unsigned int controllers;
	pid_t janitor;
	struct digest snapshot_digest;
	bool has_snapshot;
	char *kept;
	unsigned int nr_branches;
};

/* Prefix of the names of our cgroups. */
#define CAMPAIGN_CGROUP "aletheia-"
#define CAMPAIGN_LOCK	"lock"
#define CAMPAIGN_STATE	"state"

/**
 * janitor_start() - the process that cleans up when we cannot
 *
 * It lives in a session of its own, holds only descriptors of us, the lock,
 * the cgroups and the directory, and waits for our end, whatever it is.
 */
int janitor_start(struct campaign *campaign, struct error **err);
/* janitor_stop() - after everything is cleaned up */
void janitor_stop(struct campaign *campaign);

/**
 * leftovers_remove() - all of one campaign: processes, cgroup, files
 * @base:	directory of all campaigns
 * @name:	the campaign's
 * @hierarchy:	directory of the cgroup that holds the campaign's
 *
 * What is mounted in the caller's own mount namespace must be gone before.
 *
 * Return: 0, or -errno if something had to stay (it keeps its lock file, so
 * that the next start tries again).
 */
int leftovers_remove(int base, const char *name, int hierarchy);

#endif /* USER_BRANCH_CAMPAIGN_H */
