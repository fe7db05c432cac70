/* SPDX-License-Identifier: GPL-2.0-only */
/* Cgroups (version 2 only) of a campaign and its branches. */
#ifndef USER_BRANCH_CGROUP_H
#define USER_BRANCH_CGROUP_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/**
 * struct cgroup - one cgroup that we made
 * @fd:		its directory, -1: not made
 * @id:		as the kernel's programs know it
 * @level:	below the root of the hierarchy (root: 0)
 */
struct cgroup {
	int fd;
	uint64_t id;
	uint32_t level;
};

#define CGROUP_INIT                                                            \
	{                                                                      \
		.fd = -1                                                       \
	}

/* What limits the machine can set on a cgroup of ours. */
enum { CGROUP_MEMORY = 1, CGROUP_PIDS = 2 };

/**
 * cgroup_hierarchy() - where cgroups of ours can be made
 * @ret:	the root of the hierarchy, or our own cgroup where that is all
 *		that may be changed; owned by the caller
 * @ret_path:	its path, malloc'ed
 * @err:	ERROR_MACHINE (no cgroup v2, too old, a cgroup namespace of its
 *		own), ERROR_PERMISSION
 */
int cgroup_hierarchy(struct cgroup *ret, char **ret_path, struct error **err);

/* cgroup_make() - a new one below @parent */
int cgroup_make(const struct cgroup *parent, const char *name,
		struct cgroup *ret, struct error **err);

/* cgroup_enable() - hand limits down to the children; which ones it can */
unsigned int cgroup_enable(const struct cgroup *cgroup);

/* cgroup_limit() - @memory bytes (0: any), @processes (0: any) */
int cgroup_limit(const struct cgroup *cgroup, unsigned int controllers,
		 uint64_t memory, uint64_t processes, struct error **err);

/* cgroup_kill() - every process in it and below, also those being forked */
int cgroup_kill(int fd);

/**
 * cgroup_wait_empty() - until no process is left in it and below
 *
 * Return: 0, -ETIMEDOUT, -errno.
 */
int cgroup_wait_empty(int fd, unsigned int milliseconds);

/* cgroup_remove() - it and everything below; 0 also if it is not there */
int cgroup_remove(int parent, const char *name);

/* cgroup_done() - close the descriptor; the cgroup stays */
void cgroup_done(struct cgroup *cgroup);

#define cleanup_cgroup __attribute__((__cleanup__(cgroup_done)))

#endif /* USER_BRANCH_CGROUP_H */
