/* SPDX-License-Identifier: GPL-2.0-only */
/* How the agent of a branch is started. */
#ifndef USER_BRANCH_AGENT_H
#define USER_BRANCH_AGENT_H

#include "base/memory.h"
#include "branch/branch.h"

/* agent_needed() - does anything run before the oracle? */
bool agent_needed(const struct branch_plan *plan);
/* agent_command() - its argv */
const char *const *agent_command(const struct branch_plan *plan,
				 struct arena *arena);
/* agent_environment() - what of the environment is not withheld */
const char *const *agent_environment(const struct branch_plan *plan,
				     struct arena *arena);

#endif /* USER_BRANCH_AGENT_H */
