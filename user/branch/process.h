/* SPDX-License-Identifier: GPL-2.0-only */
/* Starting processes of a branch, dropping rights, talking before the start. */
#ifndef USER_BRANCH_PROCESS_H
#define USER_BRANCH_PROCESS_H

#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

/**
 * process_clone() - fork() into a cgroup
 * @cgroup:	its directory; the child is in it from its first instruction
 * @flags:	CLONE_NEW*
 * @ret_pidfd:	of the child
 *
 * Return: 0 in the child, its id, or -errno.
 */
pid_t process_clone(int cgroup, uint64_t flags, int *ret_pidfd);

/**
 * process_begin() - the first thing in a child
 *
 * Signals as after exec, a session of its own, dies with its parent.
 */
void process_begin(void);

/* process_quiet() - standard streams become /dev/null */
void process_quiet(void);

/**
 * process_drop() - become an unprivileged user for good
 *
 * No groups, no capabilities, none to regain, no_new_privs, not dumpable,
 * still dies with its parent. Return: 0 or -errno.
 */
int process_drop(uid_t uid);

/* process_reap() - kill (if it still runs) and wait for it */
void process_reap(pid_t *pid, int *pidfd);

/*
 * The conversation before the start, over a socket pair that keeps messages
 * apart: the child says that it is ready or what went wrong, the parent lets
 * it go on. End of file means that the other side is dead.
 */
void process_send_ready(int control);
void process_send_error(int control, const struct error *err);
/* process_wait_go() - 0, or -EPIPE: the parent is dead */
int process_wait_go(int control);

/* process_wait_ready() - 0 or what the child reported */
int process_wait_ready(int control, unsigned int milliseconds,
		       struct error **err);
void process_send_go(int control);

int64_t process_now_ms(void); /* CLOCK_MONOTONIC */

#endif /* USER_BRANCH_PROCESS_H */
