/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Running one command after the other, each in a session of its own.
 */
#ifndef USER_AGENT_RUN_H
#define USER_AGENT_RUN_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/memory.h"

enum {
	RUN_OUTPUT_SHOWN = 16 * 1024, /* bytes of one command */
	RUN_TOTAL_SHOWN = 512 * 1024, /* bytes of all commands */
	RUN_MAX_STRAYS = 256,
};

/**
 * struct runner - what the commands share
 * @workspace:	where they run
 * @null:	their standard input
 * @strays:	output of commands that have ended but left children behind: it
 *		is read and dropped for as long as the agent runs, lest the
 *		children be stopped by a full or a broken pipe
 * @nr_strays:	how many
 * @shown:	bytes of output kept so far
 */
struct runner {
	int workspace;
	int null;
	struct pollfd strays[RUN_MAX_STRAYS];
	size_t nr_strays;
	size_t shown;
};

/**
 * struct run - how a command ended
 * @code:	errno if it could not be started, else 0
 * @cut:	its time was up and its session was killed
 * @status:	as from waitpid()
 * @milliseconds: how long it took
 * @output:	the start of what it wrote to standard output and error
 * @output_bytes: how much it wrote until it ended
 */
struct run {
	int code;
	bool cut;
	int status;
	unsigned int milliseconds;
	struct buffer output;
	uint64_t output_bytes;
};

/* run_ok() - did it start, end by itself and say that all went well? */
bool run_ok(const struct run *run);
/* run_status() - "exit 1", "signal 9", "cut short", "cannot start: ..." */
void run_status(const struct run *run, struct buffer *out);
void run_done(struct run *run);

/**
 * runner_run() - run one command and wait for its end
 * @argv:	NULL-ended; the program is looked up in PATH
 * @seconds:	when they are over, the command's session is killed: the
 *		command and all it started that made no session of their own
 * @ret:	zeroed by the caller
 *
 * Processes that the command leaves behind live on. Return: 0, or -errno if
 * this process has run out of what it needs to start another.
 */
int runner_run(struct runner *runner, char *const *argv, unsigned int seconds,
	       struct run *ret);

/**
 * runner_call() - call a function in a fresh child and wait for it
 * @function:	its value is the child's exit status
 * @ret_status:	as from waitpid()
 */
int runner_call(struct runner *runner, int (*function)(void *), void *data,
		int *ret_status);

#endif /* USER_AGENT_RUN_H */
