/* SPDX-License-Identifier: GPL-2.0-only */
/* A small task in memory, for the tests of branches. */
#ifndef SELFTESTS_BRANCH_SUPPORT_H
#define SELFTESTS_BRANCH_SUPPORT_H

#include "base/error.h"
#include "base/memory.h"
#include "branch/branch.h"

/**
 * struct task - a manifest, a bound program and a layout without any object
 *
 * Its project has AGENTS.md, "old" and the tool tests.sh, which says in TAP
 * whether "done" is there.
 */
struct task {
	struct arena *arena;
	struct manifest manifest;
	struct bound bound;
	struct layout layout;
	struct object objects[8];
	struct branch_plan plan;
	const char *environment[8];
	const char *expect[2];
};

/**
 * task_init() - make it
 * @agent:	what the agent does, a shell script; NULL: nothing
 * @oracle:	likewise; NULL: run tests.sh
 */
void task_init(struct task *task, const char *agent, const char *oracle);
void task_done(struct task *task);

/* task_add() - a file of the subject */
void task_add(struct task *task, const char *path, uint32_t mode,
	      const char *text);

/* task_sink() - an endpoint with a sink, "a.b.c.d" */
void task_sink(struct task *task, const char *address, uint16_t port,
	       uint8_t protocol);

/* task_canary() - something to look for at sinks */
void task_canary(struct task *task, const char *resource, const char *token);

/**
 * task_run() - a campaign of one branch, without the guard
 *
 * Return: of branch_run(); errors go to the test's log.
 */
int task_run(struct task *task, struct record_run *ret);

#endif /* SELFTESTS_BRANCH_SUPPORT_H */
