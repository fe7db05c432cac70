/* SPDX-License-Identifier: GPL-2.0-only */
/* System call filters, beside the guard's hooks. */
#ifndef USER_BRANCH_SECCOMP_H
#define USER_BRANCH_SECCOMP_H

/**
 * seccomp_agent() - what no grant can give: the floor
 *
 * Each of these loads a filter into the calling process, which must have
 * no_new_privs set. Return: 0 or -errno.
 */
int seccomp_agent(void);
/* seccomp_init_process() - process 1 only waits and exits */
int seccomp_init_process(void);
/* seccomp_sink() - a sink only accepts, receives and computes */
int seccomp_sink(void);

#endif /* USER_BRANCH_SECCOMP_H */
