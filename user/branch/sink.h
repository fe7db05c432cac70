/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sinks: what listens at the endpoints of a branch, in a process of its own
 * that nobody's bytes can do much with. They take everything and answer
 * nothing.
 */
#ifndef USER_BRANCH_SINK_H
#define USER_BRANCH_SINK_H

#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/memory.h"
#include "bind/bound.h"
#include "branch/cgroup.h"
#include "judge/record.h"

/**
 * struct sinks - the process and what it owns
 * @pid:	0: none
 * @control:	our end of the conversation with it
 * @network:	its network namespace, which is the branch's
 */
struct sinks {
	pid_t pid;
	int pidfd;
	int control;
	int network;
	struct sink_report *report;
	size_t report_size;
};

#define SINKS_INIT                                                             \
	{                                                                      \
		.pidfd = -1, .control = -1, .network = -1                      \
	}

/**
 * sinks_start() - make the branch's network and listen
 * @cgroup:	where the process lives; not the agent's
 * @bound:	endpoints with sinks, canaries to look for
 *
 * Also where there is no sink: the network needs somebody to own it.
 */
int sinks_start(const struct cgroup *cgroup, const struct bound *bound,
		struct sinks *ret, struct error **err);

/**
 * sinks_finish() - what arrived, after everything that could send is dead
 * @ret:	one per endpoint that got anything
 * @err:	ERROR_INTERNAL: the process failed, so that nothing is known
 */
int sinks_finish(struct sinks *sinks, const struct bound *bound,
		 struct arena *arena, struct record_sink **ret, size_t *ret_nr,
		 struct error **err);
/* sinks_done() - kill and reap */
void sinks_done(struct sinks *sinks);

#define cleanup_sinks __attribute__((__cleanup__(sinks_done)))

#endif /* USER_BRANCH_SINK_H */
