// SPDX-License-Identifier: GPL-2.0-only
#include "branch_support.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

static const char tests_sh[] =
	"#!/bin/sh\n"
	"echo 1..1\n"
	"if [ -e done ]; then echo 'ok 1 - it is done'; exit 0; fi\n"
	"echo 'not ok 1 - it is done'\n"
	"exit 1\n";

static const char *const *shell(struct arena *arena, const char *script)
{
	const char **argv = arena_alloc(arena, 4 * sizeof(*argv));

	argv[0] = "/bin/sh";
	argv[1] = "-c";
	argv[2] = arena_strdup(arena, script);
	return argv;
}

void task_add(struct task *task, const char *path, uint32_t mode,
	      const char *text)
{
	struct content *content = ARENA_PUSH(task->arena, task->bound.contents,
					     task->bound.nr_contents);

	content->path = path;
	content->mode = mode;
	content->agent = true;
	content->directory = -1;
	if (!text) {
		content->kind = CONTENT_DIRECTORY;
		return;
	}
	content->kind = CONTENT_BYTES;
	content->data = text;
	content->length = strlen(text);
}

static void add_object(struct task *task, enum resource_kind kind,
		       const char *name)
{
	struct object *object = &task->objects[task->bound.nr_objects];

	object->id = (uint32_t)task->bound.nr_objects++;
	object->kind = kind;
	object->name = name;
}

void task_sink(struct task *task, const char *address, uint16_t port,
	       uint8_t protocol)
{
	struct object *object = &task->objects[task->bound.nr_objects];
	char *mapped = arena_printf(task->arena, "::ffff:%s", address);

	add_object(task, RESOURCE_ENDPOINT,
		   arena_printf(task->arena, "%s:%u", address, port));
	object->sink = true;
	object->nr_keys = 1;
	object->keys = arena_alloc(task->arena, sizeof(*object->keys));
	inet_pton(AF_INET6, mapped, object->keys->address);
	object->keys->port = port;
	object->keys->protocol = protocol;
}

void task_canary(struct task *task, const char *resource, const char *token)
{
	struct canary *canary = ARENA_PUSH(task->arena, task->bound.canaries,
					   task->bound.nr_canaries);

	canary->resource = resource;
	canary->token = token;
}

void task_init(struct task *task, const char *agent, const char *oracle)
{
	static const char *rule_paths[] = { "/workspace/AGENTS.md" };

	memset(task, 0, sizeof(*task));
	task->arena = arena_new();
	task->bound.objects = task->objects;
	task->bound.arena = task->arena;
	add_object(task, RESOURCE_FILE, "nothing");
	add_object(task, RESOURCE_FILE, "/workspace/AGENTS.md");
	task->objects[1].paths = rule_paths;
	task->objects[1].nr_paths = 1;
	task->bound.rule_object = 1;
	task->environment[0] = "PATH=" BRANCH_PATH;
	task->environment[1] = "HOME=" BRANCH_HOME;
	task->bound.environment = task->environment;
	task_add(task, "/workspace", 0755, NULL);
	task_add(task, "/home/agent", 0700, NULL);
	task_add(task, "/aletheia", 0755, NULL);
	task_add(task, "/workspace/AGENTS.md", 0644, "do this\n");
	task_add(task, "/workspace/old", 0644, "old\n");
	task_add(task, "/workspace/tests.sh", 0755, tests_sh);
	task->expect[0] = "it is done";
	task->manifest = (struct manifest){
		.arena = task->arena,
		.directory = AT_FDCWD,
		.place = "AGENTS.md",
		.agent_command = shell(task->arena, agent ? agent : ":"),
		.oracle_command =
			shell(task->arena, oracle ? oracle : "./tests.sh"),
		.expect = task->expect,
		.nr_expect = 1,
		.result = RESULT_TAP,
		.seconds = 20,
		.oracle_seconds = 20,
		.memory = 1ull << 30,
		.processes = 50,
		.disk = 64 << 20,
	};
	task->plan = (struct branch_plan){
		.manifest = &task->manifest,
		.bound = &task->bound,
		.layout = &task->layout,
		.role = ROLE_FULL,
	};
}

void task_done(struct task *task)
{
	arena_free(task->arena);
}

/* The end of what somebody printed, in the test's log. */
static void show(const char *who, const char *text, size_t length)
{
	size_t nr = length < 2000 ? length : 2000;
	struct buffer escaped = { 0 };

	if (!nr)
		return;
	text_escape(&escaped, text + length - nr, nr);
	printf("%s: %s\n", who, buffer_text(&escaped));
	buffer_done(&escaped);
}

int task_run(struct task *task, struct record_run *ret)
{
	struct campaign *campaign = NULL;
	struct error *err = NULL;
	int code;

	branch_selftest_unguarded();
	code = campaign_open(&campaign, &err);
	if (!code)
		code = campaign_snapshot(campaign, &task->bound, &err);
	if (!code)
		code = branch_run(campaign, NULL, &task->plan, task->arena, ret,
				  &err);
	campaign_close(campaign);
	if (err)
		printf("%s%s%s\n", err->message, err->hint ? ": " : "",
		       err->hint ? err->hint : "");
	error_free(err);
	if (!code) {
		show("agent", ret->agent_output, ret->agent_output_length);
		show("oracle", ret->oracle_output, ret->oracle_output_length);
	}
	return code;
}
