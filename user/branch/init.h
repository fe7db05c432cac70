/* SPDX-License-Identifier: GPL-2.0-only */
/* What runs in a sandbox before the command: its builder, then process 1. */
#ifndef USER_BRANCH_INIT_H
#define USER_BRANCH_INIT_H

#include "branch/sandbox.h"

/* Descriptors that the first process of a sandbox is given. */
struct init_streams {
	int control;
	int started;
	int out;
	int err;
};

/* What the command's process says if exec fails. */
struct init_failure {
	int32_t code; /* errno */
};

/**
 * sandbox_init() - the life of a sandbox's first process
 *
 * Builds the root, says that it is ready, waits; then starts the command,
 * gives up everything and waits for its end.
 */
__attribute__((noreturn)) void sandbox_init(const struct sandbox_spec *spec,
					    const struct init_streams *streams);

#endif /* USER_BRANCH_INIT_H */
