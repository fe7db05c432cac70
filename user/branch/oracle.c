// SPDX-License-Identifier: GPL-2.0-only
#include "branch/oracle.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "branch/enforce.h"
#include "branch/loaders.h"
#include "branch/process.h"
#include "branch/result.h"
#include "branch/sandbox.h"
#include "branch/tree.h"

/* Where the oracle may leave its result instead of printing it. */
#define RESULT_PATH "/tmp/aletheia-result"

static const char *const environment[] = {
	"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
	"HOME=" BRANCH_HOME,
	"USER=agent",
	"LOGNAME=agent",
	"SHELL=/bin/sh",
	"LANG=C.UTF-8",
	"TZ=UTC",
	"ALETHEIA_RESULT=" RESULT_PATH,
	NULL,
};

enum {
	OUTPUT_MAX = 65536,
	NOTES_MAX = 1 << 20,
};

/* Directories that are laid over the project or compared with it. */
struct sources {
	int snapshot;
	int solution;
	int tests;
	bool solve;
};

static int open_source(const struct manifest *manifest, const char *path,
		       int *ret, struct error **err)
{
	*ret = -1;
	if (!path)
		return 0;
	*ret = openat(manifest->directory, path,
		      O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (*ret < 0)
		return error_set(err, ERROR_CONFIG, errno, "%s: %s", path,
				 strerror(errno));
	return 0;
}

static int open_sources(const struct oracle *oracle, struct sources *ret,
			struct error **err)
{
	const struct manifest *manifest = oracle->plan->manifest;
	char *snapshot cleanup_free =
		xasprintf("%s" BRANCH_WORKSPACE, oracle->campaign->snapshot);
	int code;

	ret->solve = oracle->plan->solve_only && !manifest->apply;
	ret->snapshot = open(snapshot, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (ret->snapshot < 0)
		return error_set(err, ERROR_INTERNAL, errno, "%s: %s", snapshot,
				 strerror(errno));
	code = open_source(manifest, manifest->solution, &ret->solution, err);
	if (!code)
		code = open_source(manifest, manifest->oracle_tests,
				   &ret->tests, err);
	return code;
}

static void close_sources(struct sources *sources)
{
	close_fd(&sources->snapshot);
	close_fd(&sources->solution);
	close_fd(&sources->tests);
}

/* In the sandbox's first process: the project becomes what is judged. */
static int prepare(void *context, int merged, int notes, struct error **err)
{
	const struct sources *sources = context;
	int workspace cleanup_close =
		tree_open(merged, &BRANCH_WORKSPACE[1], O_RDONLY | O_DIRECTORY);
	int code = 0;

	if (workspace < 0)
		return error_set(err, ERROR_INTERNAL, workspace, "%s: %s",
				 BRANCH_WORKSPACE, strerror(-workspace));
	if (sources->solve && sources->solution >= 0)
		code = tree_copy(sources->solution, workspace, BRANCH_AGENT_UID,
				 err);
	if (!code)
		code = loaders_restore(workspace, sources->snapshot,
				       sources->solution, notes, err);
	/* Root's: neither the oracle nor what it tests can write them. */
	if (!code && sources->tests >= 0)
		code = tree_copy(sources->tests, workspace, 0, err);
	return code;
}

static void read_notes(int notes, struct arena *arena, struct record_run *run)
{
	struct buffer text cleanup_buffer = { 0 };
	size_t at = 0;

	if (lseek(notes, 0, SEEK_SET) || fd_read_all(notes, NOTES_MAX, &text))
		return;
	while (at < text.length) {
		*ARENA_PUSH(arena, run->removed_loaders,
			    run->nr_removed_loaders) =
			arena_strdup(arena, text.data + at);
		at += strlen(text.data + at) + 1;
	}
}

/* ---- the result */

/* What it left in the file, if it did, else what it printed. */
static int read_result(const struct oracle *oracle, const struct output *out,
		       struct buffer *ret, struct error **err)
{
	char *path cleanup_free =
		xasprintf("%s/fresh%s", oracle->directory, RESULT_PATH);
	int fd cleanup_close =
		open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	if (fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode)) {
		if (fd_read_all(fd, RESULT_SIZE_MAX, ret))
			return error_set(err, ERROR_INPUT, EFBIG,
					 "the result cannot be read or is "
					 "larger than %d bytes",
					 RESULT_SIZE_MAX);
		return 0;
	}
	if (out->total > RESULT_SIZE_MAX)
		return error_set(err, ERROR_INPUT, EFBIG,
				 "the oracle printed more than %d bytes",
				 RESULT_SIZE_MAX);
	buffer_add(ret, buffer_text(&out->bytes), out->bytes.length);
	return 0;
}

static void no_result(struct record_run *run, const char *detail)
{
	run->end = RUN_ORACLE_ERROR;
	run->detail = detail;
}

static const char *status_text(const struct sandbox *sandbox,
			       struct arena *arena)
{
	if (sandbox->end == SANDBOX_KILLED)
		return arena_printf(arena, "signal %d", sandbox->status);
	if (sandbox->status > 128 && sandbox->status <= 128 + 64)
		return arena_printf(arena, "signal %d", sandbox->status - 128);
	return arena_printf(arena, "exit %d", sandbox->status);
}

static void judge(const struct oracle *oracle, const struct sandbox *sandbox,
		  const struct output *out, struct arena *arena,
		  struct record_run *run)
{
	const struct manifest *manifest = oracle->plan->manifest;
	struct error *why cleanup_error = NULL;
	struct buffer result cleanup_buffer = { 0 };
	int code;

	if (sandbox->end == SANDBOX_NO_EXEC) {
		no_result(run, arena_printf(arena, "cannot run %s: %s",
					    manifest->oracle_command[0],
					    strerror(sandbox->status)));
		return;
	}
	if (sandbox->end == SANDBOX_TIMEOUT) {
		no_result(run,
			  arena_printf(arena, "took longer than %u seconds",
				       manifest->oracle_seconds));
		return;
	}
	code = read_result(oracle, out, &result, &why);
	if (!code)
		code = result_parse_apart(
			manifest->result, buffer_text(&result), result.length,
			arena, &run->tests, &run->nr_tests, &why);
	if (code) {
		no_result(run, arena_printf(arena,
					    "ended (%s) without its result: %s",
					    status_text(sandbox, arena),
					    why->message));
		return;
	}
	run->accepted = sandbox->end == SANDBOX_EXITED && !sandbox->status &&
			result_accepted(run->tests, run->nr_tests,
					manifest->expect, manifest->nr_expect);
}

static void copy_output(const struct output *out, const struct output *err,
			struct arena *arena, struct record_run *run)
{
	struct buffer both cleanup_buffer = { 0 };
	size_t nr = out->bytes.length;

	/* Of standard output all is kept for the parser, here its end. */
	if (nr > OUTPUT_MAX)
		nr = OUTPUT_MAX;
	if (nr)
		buffer_add(&both, out->bytes.data + out->bytes.length - nr, nr);
	if (err->bytes.length)
		buffer_add(&both, err->bytes.data, err->bytes.length);
	run->oracle_output_length = both.length;
	run->oracle_output =
		arena_strndup(arena, buffer_text(&both), both.length);
}

/* ---- the run */

static int run_sandbox(const struct oracle *oracle,
		       const struct sandbox_spec *spec, struct output *out,
		       struct output *errors, struct arena *arena,
		       struct record_run *run, struct error **err)
{
	struct sandbox sandbox cleanup_sandbox = SANDBOX_INIT;
	struct enforcement enforcement cleanup_enforcement = { 0 };
	struct sandbox_watch watch = {
		.seconds = oracle->plan->manifest->oracle_seconds,
		.out = out,
		.err = errors,
		.ready = enforcement_ready,
		.context = &enforcement,
	};
	int64_t start;
	int code = sandbox_build(spec, &sandbox, err);

	if (!code)
		code = enforcement_arm(oracle->guard, oracle->plan->layout,
				       oracle->plan->oracle_rules, false,
				       &sandbox, &enforcement, err);
	if (code)
		return code;
	watch.fd = enforcement_fd(&enforcement);
	start = process_now_ms();
	code = sandbox_run(&sandbox, &watch, err);
	run->oracle_ms = (uint64_t)(process_now_ms() - start);
	if (code)
		return code;
	judge(oracle, &sandbox, out, arena, run);
	return 0;
}

static int run_prepared(const struct oracle *oracle, struct sources *sources,
			int notes, struct arena *arena, struct record_run *run,
			struct error **err)
{
	const struct manifest *manifest = oracle->plan->manifest;
	struct error *why cleanup_error = NULL;
	struct root_plan root cleanup_root_plan = { 0 };
	struct output out = { .limit = RESULT_SIZE_MAX, .head = true };
	struct output errors = { .limit = OUTPUT_MAX };
	struct sandbox_spec spec = {
		.cgroup = oracle->cgroup,
		.plan = &root,
		.guard = oracle->guard,
		.network = -1,
		.argv = manifest->oracle_command,
		.environment = environment,
		.directory = BRANCH_WORKSPACE,
		.disk = manifest->disk,
		.prepare = prepare,
		.context = sources,
		.notes = notes,
	};
	int code = root_plan_oracle(oracle->upper, oracle->campaign->snapshot,
				    oracle->directory, &root, &why);

	if (!code)
		code = run_sandbox(oracle, &spec, &out, &errors, arena, run,
				   &why);
	/* What the agent left cannot be handled: nobody else's mistake. */
	if (code == -E2BIG || code == -ELOOP) {
		no_result(
			run,
			arena_printf(arena,
				     "cannot be run on what the agent left: %s",
				     why->message));
		code = 0;
	}
	if (code)
		error_move(err, &why);
	else
		copy_output(&out, &errors, arena, run);
	output_done(&out);
	output_done(&errors);
	return code;
}

int oracle_run(const struct oracle *oracle, struct arena *arena,
	       struct record_run *run, struct error **err)
{
	struct sources sources = { -1, -1, -1, false };
	int notes cleanup_close = memfd_create("notes", MFD_CLOEXEC);
	int code;

	if (notes < 0)
		return error_set(err, ERROR_INTERNAL, errno, "memfd: %s",
				 strerror(errno));
	code = open_sources(oracle, &sources, err);
	if (!code)
		code = run_prepared(oracle, &sources, notes, arena, run, err);
	if (!code)
		read_notes(notes, arena, run);
	close_sources(&sources);
	return code;
}
