// SPDX-License-Identifier: GPL-2.0-only
/* A branch without the guard: namespaces, root, limits, oracle, clean-up. */
#include "harness.h"

#include "branch_support.h"

TEST(runs_and_is_accepted)
{
	struct record_run run;
	struct task task;

	task_init(&task, "touch done; exit 3", NULL);
	ASSERT_EQ(task_run(&task, &run), 0);
	EXPECT_EQ(run.end, RUN_DONE);
	EXPECT_STREQ(run.agent_status, "exit 3");
	EXPECT_TRUE(run.accepted);
	task_done(&task);
}
