// SPDX-License-Identifier: GPL-2.0-only
#include "branch/agent.h"

#include <string.h>

#include "base/cleanup.h"

/* The arguments of a command as they grow, NULL-ended in the end. */
struct command {
	struct arena *arena;
	const char **argv;
	size_t nr;
};

static void add(struct command *command, const char *argument)
{
	*ARENA_PUSH(command->arena, command->argv, command->nr) = argument;
}

static void add_number(struct command *command, const char *option,
		       unsigned int number)
{
	add(command, option);
	add(command, arena_printf(command->arena, "%u", number ? number : 1));
}

/* Files are laid over the project without an agent; a command needs one. */
bool agent_needed(const struct branch_plan *plan)
{
	if (plan->untouched)
		return false;
	return !plan->solve_only || plan->manifest->apply;
}

/*
 * Of the time limit at most two thirds go to the rule's commands, so that
 * neither one that hangs nor many that are slow keep the task from being done.
 */
static void add_scripted(struct command *command,
			 const struct manifest *manifest)
{
	const char *const *apply = manifest->apply;

	add(command, BRANCH_AGENT);
	if (manifest->stop_at_first_denial)
		add(command, "--stop-at-first-denial");
	add(command, "--rule");
	add(command, arena_printf(command->arena, BRANCH_WORKSPACE "/%s",
				  manifest->place));
	add(command, "--workspace");
	add(command, BRANCH_WORKSPACE);
	if (manifest->solution) {
		add(command, "--solution");
		add(command, BRANCH_SOLUTION);
	}
	add_number(command, "--seconds", manifest->seconds / 3);
	add_number(command, "--total-seconds", manifest->seconds * 2 / 3);
	if (!apply)
		return;
	add(command, "--");
	for (; *apply; apply++)
		add(command, *apply);
}

const char *const *agent_command(const struct branch_plan *plan,
				 struct arena *arena)
{
	const struct manifest *manifest = plan->manifest;
	struct command command = { .arena = arena };

	if (plan->solve_only)
		return manifest->apply;
	if (manifest->agent_command)
		return manifest->agent_command;
	add_scripted(&command, manifest);
	add(&command, NULL);
	return command.argv;
}

const char *const *agent_environment(const struct branch_plan *plan,
				     struct arena *arena)
{
	const char *const *from = (const char *const *)plan->bound->environment;
	struct command variables = { .arena = arena };
	size_t i;

	for (i = 0; from[i]; i++)
		if (!plan->withheld_env || !plan->withheld_env[i])
			add(&variables, from[i]);
	add(&variables, NULL);
	return variables.argv;
}
