/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Records for tests, as if branches had run: a guard is played by the decision
 * core, so that counters, events and policies agree.
 */
#ifndef SELFTESTS_RECORD_SUPPORT_H
#define SELFTESTS_RECORD_SUPPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "judge/record.h"

/* Objects 0 (nothing) and 1 (the workspace, a tree) are there from the start. */
enum { OBJECT_WORKSPACE = 1 };

struct record *make_record(void);
uint32_t make_object(struct record *record, const char *kind, const char *name,
		     const char *class_);
/* make_grant() - of an object that it alone gives; returns its index */
size_t make_grant(struct record *record, const char *id, unsigned int action,
		  const char *kind, const char *origin, const char *name,
		  uint32_t object);
/* make_branch() - @without: up to two grants, SIZE_MAX: no more */
struct record_branch *make_branch(struct record *record, enum branch_role role,
				  size_t without, size_t more);

/*
 * make_run() - what a branch may do follows from its grants; a rule and
 * something of the workspace are read
 */
struct record_run *make_run(struct record *record, size_t branch,
			    bool accepted);
/* ask() - the agent tries something; true: it may */
bool ask(struct record *record, struct record_run *run, uint32_t object,
	 uint32_t operations, const char *name);
/* ask_address() - of something that is bound to nothing */
void ask_address(struct record_run *run, struct arena *arena,
		 const char *address, uint16_t port);
/* send_to() - what arrives at an endpoint, with a canary or none */
void send_to(struct record *record, struct record_run *run, uint32_t object,
	     uint64_t bytes, const char *canary);

/*
 * make_rename_total() - the paper's running example: three grants, control,
 * full and three restricted branches; not judged yet
 */
struct record *make_rename_total(void);

#endif /* SELFTESTS_RECORD_SUPPORT_H */
