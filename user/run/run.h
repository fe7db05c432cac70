/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One test: the schedule of branches, run by up to N processes at a time,
 * and everything known about them put into one record.
 */
#ifndef USER_RUN_RUN_H
#define USER_RUN_RUN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "judge/record.h"
#include "run/input.h"

/**
 * struct run_options
 * @jobs:	branches at the same time, at least 1
 * @keep:	keep what each branch wrote
 * @progress:	called in the controller for each thing that starts or ends;
 *		NULL: nobody listens
 * @kept:	called once, with @keep, with the directory that has it
 */
struct run_options {
	unsigned int jobs;
	bool keep;
	void (*progress)(const char *what, size_t done, size_t total,
			 void *context);
	void (*kept)(const char *directory, void *context);
	void *context;
};

/**
 * run_test() - run all branches that the judgement needs
 * @ret:	the record with outcomes and witnesses, not yet interpreted
 * @err:	why nothing could be judged: configuration (the oracle proves
 *		nothing, the task needs more), this machine, enforcement;
 *		-EINTR after SIGINT or SIGTERM
 *
 * Needs root and a kernel that enforces. Leaves nothing behind.
 */
int run_test(const struct input *input, const struct run_options *options,
	     struct record **ret, struct error **err);

/* record_begin() - a record of the input alone: objects, grants, schedule */
struct record *record_begin(const struct input *input);

#endif /* USER_RUN_RUN_H */
