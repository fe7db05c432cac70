// SPDX-License-Identifier: GPL-2.0-only
/* The root of a branch as a plan; needs no rights to be made or printed. */
#include "harness.h"

#include <sys/mount.h>

#include "base/cleanup.h"
#include "branch/root.h"
#include "branch_support.h"

/* Index of the step of that kind at that target, or -1. */
static long find(const struct root_plan *plan, enum step_kind kind,
		 const char *target)
{
	size_t i;

	for (i = 0; i < plan->nr_steps; i++)
		if (plan->steps[i].kind == kind &&
		    !strcmp(plan->steps[i].target, target))
			return (long)i;
	return -1;
}

static void make_plan(const struct task *task, struct root_plan *ret)
{
	struct error *err cleanup_error = NULL;

	ASSERT_EQ(root_plan_branch(&task->bound, "/state/snapshot",
				   "/state/agent", ret, &err),
		  0);
}

TEST(system_is_bound_read_only)
{
	struct root_plan plan cleanup_root_plan = { 0 };
	struct task task __attribute__((__cleanup__(task_done)));
	size_t i, nr = 0;

	task_init(&task, NULL, NULL);
	make_plan(&task, &plan);
	for (i = 0; i < plan.nr_steps; i++) {
		const struct step *step = &plan.steps[i];

		if (step->kind != STEP_BIND ||
		    !strncmp(step->source, "/state/", 7))
			continue;
		/* At its own place, and nothing but the system. */
		EXPECT_STREQ(step->source, step->target);
		EXPECT_TRUE(path_is_system(step->source));
		EXPECT_TRUE(step->attributes & MOUNT_ATTR_RDONLY);
		EXPECT_TRUE(step->attributes & MOUNT_ATTR_NOSUID);
		EXPECT_TRUE(step->attributes & MOUNT_ATTR_NODEV);
		EXPECT_TRUE(step->governed);
		nr++;
	}
	EXPECT_GE(nr, 2);
	EXPECT_GE(find(&plan, STEP_BIND, "/usr"), 0);
	EXPECT_GE(find(&plan, STEP_BIND, "/etc"), 0);
	EXPECT_LT(find(&plan, STEP_BIND, "/sys"), 0);
}

TEST(subject_comes_from_the_overlay)
{
	struct root_plan plan cleanup_root_plan = { 0 };
	struct task task __attribute__((__cleanup__(task_done)));
	long overlay, workspace, own;

	task_init(&task, NULL, NULL);
	task_add(&task, "/srv/data/table", 0644, "x");
	make_plan(&task, &plan);
	overlay = find(&plan, STEP_OVERLAY, "/state/agent/merged");
	ASSERT_GE(overlay, 0);
	EXPECT_STREQ(plan.steps[overlay].layers[0], "/state/snapshot");
	EXPECT_NULL(plan.steps[overlay].layers[1]);
	workspace = find(&plan, STEP_BIND, "/workspace");
	ASSERT_GT(workspace, overlay);
	EXPECT_STREQ(plan.steps[workspace].source,
		     "/state/agent/merged/workspace");
	EXPECT_FALSE(plan.steps[workspace].attributes & MOUNT_ATTR_RDONLY);
	EXPECT_FALSE(plan.steps[workspace].governed);
	own = find(&plan, STEP_BIND, "/aletheia");
	ASSERT_GT(own, overlay);
	EXPECT_TRUE(plan.steps[own].attributes & MOUNT_ATTR_RDONLY);
	EXPECT_GT(find(&plan, STEP_BIND, "/srv"), overlay);
	EXPECT_GT(find(&plan, STEP_BIND, "/home"), overlay);
}

/* The links lie below what covers them. */
TEST(pins_are_covered)
{
	struct root_plan plan cleanup_root_plan = { 0 };
	struct task task __attribute__((__cleanup__(task_done)));
	long pins;

	task_init(&task, NULL, NULL);
	make_plan(&task, &plan);
	pins = find(&plan, STEP_PINS, "/dev");
	ASSERT_GE(pins, 0);
	EXPECT_GT(find(&plan, STEP_TMPFS, "/dev"), pins);
}

TEST(fresh_or_brought)
{
	struct root_plan plan cleanup_root_plan = { 0 };
	struct root_plan brought cleanup_root_plan = { 0 };
	struct task task __attribute__((__cleanup__(task_done)));

	task_init(&task, NULL, NULL);
	make_plan(&task, &plan);
	EXPECT_EQ(plan.nr_fresh, 4);
	EXPECT_STREQ(plan.steps[find(&plan, STEP_BIND, "/tmp")].source,
		     "/state/agent/fresh/tmp");
	task_add(&task, "/tmp", 01777, NULL);
	task_add(&task, "/tmp/notes", 0644, "x");
	task_add(&task, "/var/log/auth.log", 0644, "x");
	make_plan(&task, &brought);
	EXPECT_EQ(brought.nr_fresh, 3);
	EXPECT_STREQ(brought.steps[find(&brought, STEP_BIND, "/tmp")].source,
		     "/state/agent/merged/tmp");
	EXPECT_STREQ(brought.steps[find(&brought, STEP_BIND, "/var")].source,
		     "/state/agent/merged/var");
	EXPECT_STREQ(
		brought.steps[find(&brought, STEP_BIND, "/var/tmp")].source,
		"/state/agent/fresh/var-tmp");
}

TEST(names_that_the_host_lacks)
{
	static struct place places[] = {
		{ "/aletheia/etc/passwd", "/etc/passwd" },
		{ "/aletheia/etc/b", "/etc/no-such-thing/a/b" },
	};
	struct root_plan plan cleanup_root_plan = { 0 };
	struct task task __attribute__((__cleanup__(task_done)));
	long extended, place;

	task_init(&task, NULL, NULL);
	task_add(&task, "/aletheia/etc/passwd", 0644, "x");
	task_add(&task, "/aletheia/etc/b", 0644, "x");
	task.bound.places = places;
	task.bound.nr_places = 2;
	make_plan(&task, &plan);
	extended = find(&plan, STEP_LAYERS, "/etc");
	ASSERT_GE(extended, 0);
	EXPECT_GT(extended, find(&plan, STEP_BIND, "/etc"));
	EXPECT_STREQ(plan.steps[extended].layers[0], "/state/agent/extra-0");
	EXPECT_STREQ(plan.steps[extended].layers[1], "/etc");
	EXPECT_GE(
		find(&plan, STEP_MAKE, "/state/agent/extra-0/no-such-thing/a"),
		0);
	EXPECT_GE(find(&plan, STEP_TOUCH,
		       "/state/agent/extra-0/no-such-thing/a/b"),
		  0);
	place = find(&plan, STEP_BIND, "/etc/no-such-thing/a/b");
	EXPECT_GT(place, extended);
	EXPECT_STREQ(plan.steps[place].source,
		     "/state/agent/merged/aletheia/etc/b");
	EXPECT_GT(find(&plan, STEP_BIND, "/etc/passwd"), extended);
}

TEST(oracle_has_only_the_workspace)
{
	struct root_plan plan cleanup_root_plan = { 0 };
	struct error *err cleanup_error = NULL;
	long overlay;
	size_t i;

	ASSERT_EQ(root_plan_oracle("/state/agent/upper", "/state/snapshot",
				   "/state/oracle", &plan, &err),
		  0);
	overlay = find(&plan, STEP_OVERLAY, "/state/oracle/merged");
	ASSERT_GE(overlay, 0);
	EXPECT_STREQ(plan.steps[overlay].layers[0], "/state/agent/upper");
	EXPECT_STREQ(plan.steps[overlay].layers[1], "/state/snapshot");
	for (i = 0; i < plan.nr_steps; i++)
		if (plan.steps[i].kind == STEP_BIND &&
		    strstr(plan.steps[i].source, "/merged/"))
			EXPECT_STREQ(plan.steps[i].target, "/workspace");
	EXPECT_EQ(plan.nr_fresh, 5);
}

TEST(printed_for_people)
{
	struct buffer text cleanup_buffer = { 0 };
	struct task task __attribute__((__cleanup__(task_done)));
	const char *at;

	task_init(&task, "echo '\033[2J'", NULL);
	task_sink(&task, "198.18.0.5", 22, AL_PROTOCOL_TCP);
	task.plan.empty_rule = true;
	branch_plan_print(&task.plan, &text);
	at = buffer_text(&text);
	EXPECT_NE(strstr(at, "branch \"full\": 20 s"), NULL);
	EXPECT_NE(strstr(at, "sink at 198.18.0.5:22\n"), NULL);
	EXPECT_NE(strstr(at, "bind /usr from /usr, read-only\n"), NULL);
	EXPECT_NE(strstr(at, "overlay at (state)/agent/merged of "
			     "(state)/snapshot, written to "
			     "(state)/agent/upper\n"),
		  NULL);
	EXPECT_NE(strstr(at, "empty the rule\n"), NULL);
	EXPECT_NE(strstr(at, "environment PATH="), NULL);
	EXPECT_NE(strstr(at, "oracle: 20 s\n"), NULL);
	for (; *at; at++)
		EXPECT_TRUE(*at == '\n' || (unsigned char)*at >= 0x20);
}

TEST(scripted_agent)
{
	static const char *const apply[] = { "python3", "make.py", NULL };
	struct buffer text cleanup_buffer = { 0 };
	struct task task __attribute__((__cleanup__(task_done)));

	task_init(&task, NULL, NULL);
	task.manifest.agent = "scripted";
	task.manifest.agent_command = NULL;
	task.manifest.solution = "solution";
	task.manifest.apply = apply;
	task.manifest.stop_at_first_denial = true;
	branch_plan_print(&task.plan, &text);
	EXPECT_NE(strstr(text.data,
			 "run /aletheia/agent/aletheia-scripted"
			 " --stop-at-first-denial"
			 " --rule /workspace/AGENTS.md --workspace /workspace"
			 " --solution /aletheia/solution --seconds 6"
			 " --total-seconds 13 -- python3 make.py\n"),
		  NULL);
}
