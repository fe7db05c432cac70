/* SPDX-License-Identifier: GPL-2.0-only */
/* Who takes a sandbox's mount namespace apart when everyone in it is dead. */
#ifndef USER_BRANCH_KEEPER_H
#define USER_BRANCH_KEEPER_H

#include <sys/types.h>

#include "base/error.h"

/**
 * keeper_start() - a process that lets go of a namespace last
 * @init:	process 1 of the sandbox, alive
 * @pidfd:	of it
 *
 * With the last process of a mount namespace the guard's links that are pinned
 * in it can go, and that process then waits for the kernel to detach each
 * program. On 6.1 this must not be one of the branch's: process 1, which waits
 * for it to exit, holds up just that detaching, for ever (rcu-tasks and
 * zap_pid_ns_processes()). The keeper holds the namespace until process 1 and
 * so all others are dead. It outlives its parent, and ends by itself.
 *
 * Return: its process id or -errno.
 */
pid_t keeper_start(pid_t init, int pidfd, struct error **err);

/* keeper_wait() - for its end, after process 1 was reaped */
void keeper_wait(pid_t *pid);

#endif /* USER_BRANCH_KEEPER_H */
