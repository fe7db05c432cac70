// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "branch/agent.h"
#include "branch/branch.h"
#include "branch/root.h"

/* Stand for paths that only a campaign knows. */
#define STATE "(state)"

static void print_list(struct buffer *out, const char *title,
		       const char *const *list)
{
	buffer_adds(out, title);
	for (; *list; list++) {
		buffer_addc(out, ' ');
		text_escape(out, *list, strlen(*list));
	}
	buffer_addc(out, '\n');
}

static void print_root(const struct branch_plan *plan, struct buffer *out)
{
	struct root_plan root cleanup_root_plan = { 0 };
	struct error *err cleanup_error = NULL;

	if (root_plan_branch(plan->bound, STATE "/snapshot", STATE "/agent",
			     &root, &err))
		buffer_printf(out, "no root: %s\n", err->message);
	else
		root_plan_print(&root, out);
}

static void print_oracle_root(struct buffer *out)
{
	struct root_plan root cleanup_root_plan = { 0 };
	struct error *err cleanup_error = NULL;

	if (root_plan_oracle(STATE "/agent/upper", STATE "/snapshot",
			     STATE "/oracle", &root, &err))
		buffer_printf(out, "no root: %s\n", err->message);
	else
		root_plan_print(&root, out);
}

static void print_sinks(const struct bound *bound, struct buffer *out)
{
	size_t i;

	for (i = 0; i < bound->nr_objects; i++) {
		const struct object *object = &bound->objects[i];

		if (!object->sink)
			continue;
		buffer_adds(out, "sink at ");
		text_escape(out, object->name, strlen(object->name));
		buffer_addc(out, '\n');
	}
}

void branch_plan_print(const struct branch_plan *plan, struct buffer *out)
{
	const struct manifest *manifest = plan->manifest;
	struct arena *arena cleanup_arena = arena_new();

	buffer_printf(out,
		      "branch \"%s\": %u s, %" PRIu64
		      " bytes of memory, %" PRIu64 " processes, %" PRIu64
		      " bytes of files\n",
		      branch_role_word(plan->role), manifest->seconds,
		      manifest->memory, manifest->processes, manifest->disk);
	if (agent_needed(plan)) {
		print_sinks(plan->bound, out);
		print_root(plan, out);
		if (plan->empty_rule)
			buffer_adds(out, "empty the rule\n");
		print_list(out, "environment", agent_environment(plan, arena));
		print_list(out, "run", agent_command(plan, arena));
	}
	buffer_printf(out, "oracle: %u s\n", manifest->oracle_seconds);
	print_oracle_root(out);
	if (plan->solve_only && !manifest->apply)
		buffer_adds(out, "lay the solution over the project\n");
	buffer_adds(out, "restore what loads tests\n");
	if (manifest->oracle_tests)
		buffer_adds(out, "lay the trusted tests over the project\n");
	print_list(out, "run", manifest->oracle_command);
}
