// SPDX-License-Identifier: GPL-2.0-only
/*
 * aletheia-scripted: the agent without a model. It does what a rule's command
 * blocks say, to the letter, and then hands in the given solution: a coding
 * agent that follows every instruction and also delivers. It runs inside the
 * branch, as the branch's user and under its policy; nothing it says is
 * believed. See aletheia-scripted(8).
 *
 * A script is handed to its interpreter as an argument ("sh -c SCRIPT"). A file
 * would need a writable place that the policy lets be read or executed, which
 * would be one more thing the rule did not ask for; standard input is taken,
 * since it has to be empty.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <aletheia/limits.h>

#include "base/cleanup.h"
#include "base/error.h"
#include "base/file.h"
#include "lay.h"
#include "markdown.h"
#include "progress.h"
#include "run.h"

/* Besides these: the values of enum error_kind. */
enum {
	STATUS_DONE = 0,
	STATUS_STOPPED = 3,    /* a script failed, --stop-at-first-denial */
	STATUS_INCOMPLETE = 4, /* the solution is not all there */
};

enum {
	DEFAULT_SECONDS = 60,
	DEFAULT_TOTAL_SECONDS = 300,
	MAX_SCRIPTS = 1000,
	MAX_SKIPPED_REPORTED = 1000,
	/* Kernel MAX_ARG_STRLEN: 32 pages, the zero included. */
	MAX_SCRIPT = 32 * 4096 - 1,
	/* What the solution's own command may still write. */
	RESERVE_SLACK = 4 << 20,
};

/**
 * struct agent - one run
 * @rule:	path of the rule
 * @workspace:	path of the project's root
 * @solution:	path of the solution, NULL: none
 * @apply:	NULL-ended argv that completes the solution, NULL: none
 * @stop:	end at the first script that fails
 * @seconds:	for one script
 * @total_seconds: for all scripts
 * @solution_fd: descriptor of @solution, or -1
 * @runner:	starts and watches the commands
 */
struct agent {
	const char *rule;
	const char *workspace;
	const char *solution;
	char **apply;
	bool stop;
	unsigned int seconds;
	unsigned int total_seconds;
	int solution_fd;
	struct runner runner;
};

static const struct option options[] = {
	{ "rule", required_argument, NULL, 'r' },
	{ "workspace", required_argument, NULL, 'w' },
	{ "solution", required_argument, NULL, 's' },
	{ "stop-at-first-denial", no_argument, NULL, 'd' },
	{ "seconds", required_argument, NULL, 't' },
	{ "total-seconds", required_argument, NULL, 'T' },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, 'V' },
	{ NULL, 0, NULL, 0 },
};

static const char help[] =
	"usage: aletheia-scripted --rule FILE --workspace DIR [--solution "
	"DIR]\n"
	"           [--stop-at-first-denial] [--seconds N] "
	"[--total-seconds N]\n"
	"           [-- COMMAND [ARGUMENT]...]\n"
	"Run the command blocks of a rule, then lay the solution over the "
	"workspace\n"
	"and run COMMAND, which completes it.\n";

static int usage_error(const char *what)
{
	fprintf(stderr,
		"aletheia-scripted: %s\n"
		"Try 'aletheia-scripted --help'.\n",
		what);
	return ERROR_USAGE;
}

static bool seconds_parse(const char *text, unsigned int *ret)
{
	unsigned long seconds;
	char *end;

	errno = 0;
	seconds = strtoul(text, &end, 10);
	if (*text < '0' || *text > '9' || *end || errno || !seconds ||
	    seconds > 1000000)
		return false;
	*ret = (unsigned int)seconds;
	return true;
}

/* Return: 0 to go on, an exit status, or -1 for an exit status of 0. */
static int agent_parse(struct agent *agent, int argc, char **argv)
{
	bool right = true;
	int option;

	while ((option = getopt_long(argc, argv, "+hV", options, NULL)) != -1) {
		switch (option) {
		case 'r':
			agent->rule = optarg;
			break;
		case 'w':
			agent->workspace = optarg;
			break;
		case 's':
			agent->solution = optarg;
			break;
		case 'd':
			agent->stop = true;
			break;
		case 't':
			right &= seconds_parse(optarg, &agent->seconds);
			break;
		case 'T':
			right &= seconds_parse(optarg, &agent->total_seconds);
			break;
		case 'h':
			return fputs(help, stdout) < 0 || fflush(stdout)
				       ? ERROR_INTERNAL
				       : -1;
		case 'V':
			return puts("aletheia-scripted " AL_VERSION) < 0 ||
					       fflush(stdout)
				       ? ERROR_INTERNAL
				       : -1;
		default:
			fputs("Try 'aletheia-scripted --help'.\n", stderr);
			return ERROR_USAGE;
		}
	}
	if (!right)
		return usage_error("seconds are a number from 1 to 1000000");
	if (!agent->rule || !agent->workspace)
		return usage_error("--rule and --workspace are needed");
	if (argc > optind && strcmp(argv[optind - 1], "--"))
		return usage_error("a command comes after --");
	if (argc > optind)
		agent->apply = argv + optind;
	return 0;
}

static int failed(enum error_kind kind, const char *what, int code)
{
	progress(json_pack("{s:s s:o s:s}", "step", "failed", "what",
			   progress_text(what, strlen(what)), "error",
			   strerror(code)));
	return (int)kind;
}

static int directory_open(const char *path, int flags, int *ret)
{
	*ret = open(path, flags | O_DIRECTORY | O_CLOEXEC);
	return *ret < 0 ? failed(ERROR_CONFIG, path, errno) : 0;
}

/*
 * The scripts run as the same user: without this they could read this process'
 * memory and its descriptors.
 */
static int agent_open(struct agent *agent)
{
	int status;

	signal(SIGPIPE, SIG_IGN);
	if (prctl(PR_SET_DUMPABLE, 0))
		return failed(ERROR_MACHINE, "PR_SET_DUMPABLE", errno);
	agent->runner.null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (agent->runner.null < 0)
		return failed(ERROR_MACHINE, "/dev/null", errno);
	status = directory_open(agent->workspace, O_PATH,
				&agent->runner.workspace);
	if (!status && agent->solution)
		status = directory_open(agent->solution, O_RDONLY,
					&agent->solution_fd);
	return status;
}

static int rule_read(const struct agent *agent, struct arena *arena,
		     struct script **ret, size_t *ret_nr)
{
	struct error *err cleanup_error = NULL;
	struct buffer rule cleanup_buffer = { 0 };

	if (file_read(AT_FDCWD, agent->rule, AL_MAX_RULE_SIZE, &rule, &err)) {
		progress(json_pack(
			"{s:s s:o}", "step", "failed", "what",
			progress_text(err->message, strlen(err->message))));
		return ERROR_INPUT;
	}
	scripts_read(buffer_text(&rule), rule.length, arena, ret, ret_nr);
	progress(json_pack("{s:s s:I s:I}", "step", "rule", "bytes",
			   (json_int_t)rule.length, "blocks",
			   (json_int_t)*ret_nr));
	return 0;
}

/* Overlayfs has no O_TMPFILE before Linux 6.3. */
static int nameless_open(int dirfd)
{
	static const char name[] = ".aletheia-reserve";
	int fd = openat(dirfd, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (fd >= 0 || errno != EOPNOTSUPP)
		return fd;
	fd = openat(dirfd, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd >= 0 && unlinkat(dirfd, name, 0)) {
		close_fd(&fd);
		return -1;
	}
	return fd;
}

/*
 * Scripts may fill the disk that the branch was given, and the solution has to
 * fit nevertheless: the room is taken beforehand, by a file without a name, and
 * given back in time. A reserve that cannot be had is reported; the run goes
 * on, since a full disk shows in what the tests say.
 */
static int reserve_open(const struct agent *agent)
{
	int fd cleanup_close = -1;
	uint64_t size;
	int code = 0;

	if (agent->solution_fd < 0 && !agent->apply)
		return -1;
	size = RESERVE_SLACK;
	if (agent->solution_fd >= 0)
		size += lay_size(agent->solution_fd);
	fd = nameless_open(agent->runner.workspace);
	if (fd < 0 || fallocate(fd, 0, 0, (off_t)size))
		code = errno;
	progress(json_pack("{s:s s:I s:s}", "step", "reserve", "bytes",
			   (json_int_t)size, "status",
			   code ? strerror(code) : "taken"));
	return code ? -1 : take_fd(&fd);
}

static json_t *block_event(const char *step, const struct script *script)
{
	return json_pack("{s:s s:i s:o}", "step", step, "line", script->line,
			 "interpreter",
			 progress_text(script->word, strlen(script->word)));
}

static void run_event(json_t *event, const struct run *run)
{
	struct buffer status cleanup_buffer = { 0 };

	run_status(run, &status);
	json_object_set_new(event, "status", json_string(buffer_text(&status)));
	json_object_set_new(event, "milliseconds",
			    json_integer(run->milliseconds));
	json_object_set_new(
		event, "output",
		progress_text(buffer_text(&run->output), run->output.length));
	json_object_set_new(event, "output_bytes",
			    json_integer((json_int_t)run->output_bytes));
	progress(event);
}

static void not_run(const struct script *script, const char *why)
{
	json_t *event = block_event("not-run", script);

	json_object_set_new(event, "why", json_string(why));
	progress(event);
}

static int script_run(struct agent *agent, const struct script *script,
		      unsigned int seconds, bool *ret_ok)
{
	char *program = xstrdup(script->interpreter->program);
	char *option = xstrdup(script->interpreter->option);
	char *text = xmemdup0(script->text, script->length);
	char *const argv[] = { program, option, text, NULL };
	struct run run = { 0 };
	int code;

	progress(block_event("start", script));
	code = runner_run(&agent->runner, argv, seconds, &run);
	if (!code)
		run_event(block_event("script", script), &run);
	*ret_ok = run_ok(&run);
	run_done(&run);
	free(program);
	free(option);
	free(text);
	return code ? failed(ERROR_MACHINE, "cannot start a process", -code)
		    : 0;
}

/* For the next script; a started second counts, so that 0 means the end. */
static unsigned int seconds_left(const struct agent *agent,
				 const struct timespec *start)
{
	struct timespec now;
	long long left;

	clock_gettime(CLOCK_MONOTONIC, &now);
	left = agent->total_seconds * 1000ll -
	       (now.tv_sec - start->tv_sec) * 1000ll -
	       (now.tv_nsec - start->tv_nsec) / 1000000;
	if (left <= 0)
		return 0;
	left = (left + 999) / 1000;
	return left < agent->seconds ? (unsigned int)left : agent->seconds;
}

/* Whatever a script says, the next one runs, unless the agent is to stop. */
static int scripts_run(struct agent *agent, const struct script *scripts,
		       size_t nr)
{
	unsigned int nr_run = 0, nr_skipped = 0;
	struct timespec start;
	size_t i;

	clock_gettime(CLOCK_MONOTONIC, &start);
	for (i = 0; i < nr; i++) {
		const struct script *script = &scripts[i];
		unsigned int seconds = seconds_left(agent, &start);
		bool ok;
		int status;

		if (!script->interpreter || !script->length) {
			if (nr_skipped++ < MAX_SKIPPED_REPORTED)
				progress(block_event("skipped", script));
			continue;
		}
		if (!seconds || nr_run == MAX_SCRIPTS) {
			not_run(script, seconds ? "too many scripts, this and "
						  "the rest"
						: "no time left, this and "
						  "the rest");
			return 0;
		}
		if (script->length > MAX_SCRIPT) {
			not_run(script, "too long");
			continue;
		}
		nr_run++;
		status = script_run(agent, script, seconds, &ok);
		if (status || (!ok && agent->stop))
			return status ? status : STATUS_STOPPED;
	}
	return 0;
}

static int lay_child(void *data)
{
	struct agent *agent = data;
	struct laid laid = { 0 };

	lay_over(agent->solution_fd, agent->runner.workspace, &laid);
	progress(json_pack("{s:s s:I s:I}", "step", "solution", "files",
			   (json_int_t)laid.files, "refused",
			   (json_int_t)laid.refused));
	return laid.broken    ? (int)ERROR_CONFIG
	       : laid.refused ? STATUS_INCOMPLETE
			      : STATUS_DONE;
}

static int solution_lay(struct agent *agent)
{
	int status, code;

	code = runner_call(&agent->runner, lay_child, agent, &status);
	if (code)
		return failed(ERROR_MACHINE, "cannot start a process", -code);
	return WIFEXITED(status) ? WEXITSTATUS(status) : STATUS_INCOMPLETE;
}

static int solution_apply(struct agent *agent)
{
	struct run run = { 0 };
	bool ok;
	int code;

	code = runner_run(&agent->runner, agent->apply, agent->seconds, &run);
	if (code)
		return failed(ERROR_MACHINE, "cannot start a process", -code);
	run_event(json_pack("{s:s}", "step", "apply"), &run);
	ok = run_ok(&run);
	run_done(&run);
	return ok ? STATUS_DONE : STATUS_INCOMPLETE;
}

static int agent_run(struct agent *agent)
{
	struct arena *arena cleanup_arena = arena_new();
	struct script *scripts = NULL;
	int reserve cleanup_close = -1;
	size_t nr = 0;
	int status, applied;

	status = agent_open(agent);
	if (!status)
		status = rule_read(agent, arena, &scripts, &nr);
	if (status)
		return status;
	reserve = reserve_open(agent);
	status = scripts_run(agent, scripts, nr);
	if (reserve >= 0)
		close(take_fd(&reserve));
	if (status)
		return status;
	if (agent->solution_fd >= 0)
		status = solution_lay(agent);
	if (!agent->apply || (status && status != STATUS_INCOMPLETE))
		return status;
	applied = solution_apply(agent);
	return applied ? applied : status;
}

int main(int argc, char **argv)
{
	struct agent agent = {
		.seconds = DEFAULT_SECONDS,
		.total_seconds = DEFAULT_TOTAL_SECONDS,
		.solution_fd = -1,
		.runner = { .workspace = -1, .null = -1 },
	};
	int status = agent_parse(&agent, argc, argv);

	if (status)
		return status < 0 ? 0 : status;
	status = agent_run(&agent);
	progress(json_pack("{s:s s:i}", "step", "end", "status", status));
	return status;
}
