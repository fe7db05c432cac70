/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The manifest: one YAML file that names everything trusted about a test.
 * Format: aletheia-manifest(5). It is named by the user, never discovered.
 */
#ifndef USER_MANIFEST_MANIFEST_H
#define USER_MANIFEST_MANIFEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/memory.h"

enum result_format { RESULT_TAP, RESULT_JUNIT };

/**
 * struct manifest - paths are relative to @directory unless absolute
 * @arena:	owns everything here
 * @file:	the manifest's name as given
 * @directory:	descriptor of the directory that it lies in (O_PATH)
 * @name:	of the test; default: name of the directory
 * @rule:	the rule file
 * @place:	where it lies in the workspace, e.g. "AGENTS.md"
 * @project:	the project's directory
 * @prompt:	the task's request to the agent
 * @solution:	directory whose files, laid over the project, solve the task;
 *		NULL: none (only for agents that need none)
 * @apply:	argv that completes the solution after its files were laid over the
 *		project (generates code from something outside, say), run by
 *		the agent in the project's root; NULL: none
 * @translation: reviewed SystemDSL of the rule, NULL: the built-in translator's
 * @setup:	SystemDSL with the setup block, NULL: it is in @translation
 * @agent:	"scripted" or NULL when @agent_command is given
 * @agent_command: argv of a plain command, or NULL
 * @stop_at_first_denial: scripted: stop when a command of the rule fails
 * @oracle_command: argv, run in the project's root
 * @oracle_tests: directory laid over the project before the oracle runs
 * @expect:	names of the tests that must pass, exactly these
 * @result:	how the oracle reports
 * @oracle_seconds: time limit of the oracle
 * @seconds:	time limit of the agent in one branch
 * @memory:	bytes of memory of one branch, 0: no limit
 * @processes:	number of processes of one branch
 * @disk:	bytes that one branch may write
 */
struct manifest {
	struct arena *arena;
	const char *file;
	int directory;
	const char *name;
	const char *rule;
	const char *place;
	const char *project;
	const char *prompt;
	const char *solution;
	const char *const *apply;
	const char *translation;
	const char *setup;
	const char *agent;
	const char *const *agent_command;
	bool stop_at_first_denial;
	const char *const *oracle_command;
	const char *oracle_tests;
	const char *const *expect;
	size_t nr_expect;
	enum result_format result;
	unsigned int oracle_seconds;
	unsigned int seconds;
	uint64_t memory;
	uint64_t processes;
	uint64_t disk;
};

/**
 * manifest_load() - read and check a manifest
 * @path:	the file, or a directory that holds manifest.yaml
 * @err:	all errors, each with its line and column (ERROR_CONFIG; a file
 *		that is no YAML at all, or a rule that is no file: ERROR_INPUT); unknown keys are errors
 *		with the nearest known key as hint
 */
int manifest_load(const char *path, struct manifest **ret, struct error **err);
void manifest_free(struct manifest *manifest);

static inline void manifest_done(struct manifest **manifest)
{
	manifest_free(*manifest);
	*manifest = NULL;
}

#define cleanup_manifest __attribute__((__cleanup__(manifest_done)))

#endif /* USER_MANIFEST_MANIFEST_H */
