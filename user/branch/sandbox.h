/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A sandbox: namespaces, root, process 1 of ours and one unprivileged command
 * in it. A branch runs its agent in one, its oracle in another.
 */
#ifndef USER_BRANCH_SANDBOX_H
#define USER_BRANCH_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/memory.h"
#include "branch/cgroup.h"
#include "branch/root.h"
#include "guard/guard.h"

/**
 * struct sandbox_spec - what to run where
 * @cgroup:	all of its processes are in it
 * @plan:	its root
 * @guard:	pinned in its mount namespace
 * @network:	namespace to join, -1: a new one with loopback only
 * @argv:	looked up in @environment's PATH
 * @environment: NULL-ended
 * @directory:	to start in
 * @processes:	limit per user, where no cgroup limit can be had; 0: none
 * @disk:	bytes that one file may have; 0: any
 * @prepare:	called in the sandbox's first process before the root is
 *		entered, as root, with the subject's overlay; NULL: nothing
 * @notes:	a file that @prepare may write to for the caller, or -1
 */
struct sandbox_spec {
	const struct cgroup *cgroup;
	const struct root_plan *plan;
	struct guard *guard;
	int network;
	const char *const *argv;
	const char *const *environment;
	const char *directory;
	uint64_t processes;
	uint64_t disk;
	int (*prepare)(void *context, int merged, int notes,
		       struct error **err);
	void *context;
	int notes;
};

enum sandbox_end {
	SANDBOX_EXITED,	 /* @status is its exit status, 128 + N for signal N */
	SANDBOX_TIMEOUT, /* was killed */
	SANDBOX_NO_EXEC, /* @status is the errno of exec */
	SANDBOX_KILLED,	 /* process 1 was killed: out of memory, or by us */
};

/**
 * struct sandbox - one that was built
 * @pid:	process 1, seen from here
 * @keeper:	holds its mount namespace to the end (keeper.h)
 * @out, @err:	what the command wrote; the same pipe unless split
 */
struct sandbox {
	const struct sandbox_spec *spec;
	pid_t pid;
	pid_t keeper;
	int pidfd;
	int control;
	int started;
	int out;
	int err;
	int root;
	enum sandbox_end end;
	int status;
};

#define SANDBOX_INIT                                                           \
	{                                                                      \
		.pidfd = -1, .control = -1, .started = -1, .out = -1,          \
		.err = -1, .root = -1                                          \
	}

/**
 * sandbox_build() - everything up to the first instruction of the command
 * @spec:	borrowed for the sandbox's life
 *
 * Process 1 then waits, with its root entered and nothing dropped yet;
 * @ret->root is a descriptor of that root.
 */
int sandbox_build(const struct sandbox_spec *spec, struct sandbox *ret,
		  struct error **err);

/**
 * struct output - the end of what somebody wrote, bounded
 * @limit:	bytes to keep
 * @total:	bytes there were
 * @head:	keep the beginning instead of the end
 */
struct output {
	struct buffer bytes;
	size_t limit;
	uint64_t total;
	bool head;
};
void output_done(struct output *output);

/**
 * struct sandbox_watch - what happens while the command runs
 * @seconds:	time limit
 * @out, @err:	where output goes; the same for both
 * @fd:		polled as well, -1: none; @ready is called when readable
 */
struct sandbox_watch {
	unsigned int seconds;
	struct output *out;
	struct output *err;
	int fd;
	int (*ready)(void *context);
	void *context;
};

/**
 * sandbox_run() - let the command run to its end or its limit
 *
 * Afterwards no process of it is left, and @sandbox->end and ->status say how
 * it ended.
 */
int sandbox_run(struct sandbox *sandbox, const struct sandbox_watch *watch,
		struct error **err);

/* sandbox_done() - kill, reap, close */
void sandbox_done(struct sandbox *sandbox);

#define cleanup_sandbox __attribute__((__cleanup__(sandbox_done)))

#endif /* USER_BRANCH_SANDBOX_H */
