/* SPDX-License-Identifier: GPL-2.0-only */
/* The inside of the sinks' process, for this folder only. */
#ifndef USER_BRANCH_SINK_PROCESS_H
#define USER_BRANCH_SINK_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "bind/bound.h"

/* Canaries that one report can tell apart. */
#define SINK_CANARIES_MAX 1024
/* Sinks of one branch. */
#define SINK_MAX 1024

/**
 * struct sink_report - shared with the process; not to be trusted
 * @canaries:	by index in bound->canaries
 */
struct sink_report {
	uint64_t connections;
	uint64_t bytes;
	uint64_t unrecognised;
	uint8_t digest[32];
	uint8_t canaries[SINK_CANARIES_MAX];
};

/**
 * struct listener - one socket of one endpoint
 * @sink:	index of the endpoint's report
 */
struct listener {
	int fd;
	size_t sink;
	bool stream;
};

/**
 * sink_process() - accept, receive, search; never returns
 * @control:	end of file or a byte on it: finish; then a byte back
 */
__attribute__((noreturn)) void
sink_process(int control, const struct listener *listeners, size_t nr_listeners,
	     const struct canary *canaries, size_t nr_canaries,
	     struct sink_report *reports, size_t nr_reports);

#endif /* USER_BRANCH_SINK_PROCESS_H */
