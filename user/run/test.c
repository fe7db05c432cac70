// SPDX-License-Identifier: GPL-2.0-only
/*
 * The schedule of one test. What is known decides what is run next:
 *
 *   the oracle's two polarity checks
 *   control and full; where control is rejected, control with all grants
 *   each effective deletion (and group of deletions)
 *   control without a grant, where a rejection has two readings
 *
 * Each branch is run by a process of its own, which hands its run back as
 * JSON through a memory file: what goes wrong in one stays there.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "branch/branch.h"
#include "report/report.h"
#include "run/run.h"

/* Bytes of one run as JSON; its events are bounded well below. */
#define MAX_RUN_SIZE (1u << 30)

struct tester {
	const struct input *input;
	const struct run_options *options;
	struct record *record;
	struct campaign *campaign;
	struct guard *guard;
	struct al_rule *baseline_rules;
	size_t done, total;
};

/**
 * struct task - one branch on its way
 * @plan:	what to run; @plan.rules is owned
 * @name:	for people
 * @ret_run:	where the run goes
 * @pid:	the process that runs it, 0: not started, -1: ended
 * @result:	memory file with its JSON
 */
struct task {
	struct branch_plan plan;
	const char *name;
	struct record_run **ret_run;
	pid_t pid;
	int result;
};

static volatile sig_atomic_t stopped;

static void on_stop(int number)
{
	stopped = number;
}

static void say(struct tester *tester, const char *what)
{
	if (tester->options->progress)
		tester->options->progress(what, tester->done, tester->total,
					  tester->options->context);
}

/* The child's whole life. */
__attribute__((noreturn)) static void run_task(struct tester *tester,
					       struct task *task)
{
	struct arena *arena cleanup_arena = arena_new();
	struct error *err cleanup_error = NULL;
	struct record_run run = { 0 };
	char *text;
	int r;

	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	if (prctl(PR_SET_PDEATHSIG, SIGKILL))
		_exit(ERROR_INTERNAL);
	r = branch_run(tester->campaign, tester->guard, &task->plan, arena,
		       &run, &err);
	if (r && err && !run.detail)
		run.detail = err->message;
	if (r && run.end == RUN_DONE)
		run.end = RUN_ENFORCEMENT_ERROR;
	text = json_dumps(run_to_json(&run), JSON_COMPACT);
	if (!text || fd_write_all(task->result, text, strlen(text)))
		_exit(ERROR_INTERNAL);
	_exit(0);
}

static int start_task(struct tester *tester, struct task *task,
		      struct error **err)
{
	task->result = memfd_create("run", MFD_CLOEXEC);
	if (task->result < 0)
		return error_set(err, ERROR_INTERNAL, errno, "memfd: %s",
				 strerror(errno));
	task->pid = fork();
	if (task->pid < 0) {
		task->pid = 0;
		return error_set(err, ERROR_MACHINE, errno, "fork: %s",
				 strerror(errno));
	}
	if (!task->pid)
		run_task(tester, task);
	return 0;
}

/* A runner that died left no evidence: that is a failure of ours. */
static int end_task(struct tester *tester, struct task *task, int status,
		    struct error **err)
{
	struct buffer text cleanup_buffer = { 0 };
	json_t *json;
	int r;

	task->pid = -1;
	tester->done++;
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		return error_set(err, ERROR_INTERNAL, ECHILD,
				 "branch \"%s\": its process %s %d",
				 task->name,
				 WIFSIGNALED(status) ? "died of signal" :
						       "ended with status",
				 WIFSIGNALED(status) ? WTERMSIG(status) :
						       WEXITSTATUS(status));
	lseek(task->result, 0, SEEK_SET);
	r = fd_read_all(task->result, MAX_RUN_SIZE, &text);
	if (r)
		return error_set(err, ERROR_INTERNAL, r, "branch \"%s\": %s",
				 task->name, strerror(-r));
	json = json_loadb(text.data ? text.data : "", text.length, 0, NULL);
	if (!json)
		return error_set(err, ERROR_INTERNAL, EBADMSG,
				 "branch \"%s\": no result", task->name);
	r = run_from_json(json, tester->record->arena, task->ret_run, err);
	json_decref(json);
	say(tester, task->name);
	return r;
}

static struct task *task_of(struct task *tasks, size_t nr, pid_t pid)
{
	size_t i;

	for (i = 0; i < nr; i++) {
		if (tasks[i].pid == pid)
			return &tasks[i];
	}
	return NULL;
}

/* Run all tasks, at most options->jobs at a time, and free their rules. */
static int run_tasks(struct tester *tester, struct task *tasks, size_t nr,
		     struct error **err)
{
	size_t next = 0, running = 0, i;
	int r = 0;

	tester->total += nr;
	while (running || (next < nr && !r && !stopped)) {
		struct task *task;
		int status;
		pid_t pid;

		if (next < nr && running < tester->options->jobs && !r &&
		    !stopped) {
			r = start_task(tester, &tasks[next++], err);
			running += !r;
			continue;
		}
		pid = waitpid(-1, &status, 0);
		if (pid < 0 && errno == EINTR) {
			for (i = 0; stopped && i < nr; i++) {
				if (tasks[i].pid > 0)
					kill(tasks[i].pid, SIGKILL);
			}
			continue;
		}
		task = pid > 0 ? task_of(tasks, nr, pid) : NULL;
		if (!task) /* the janitor; campaign_close() will notice */
			continue;
		running--;
		status = stopped ? 0 : end_task(tester, task, status, err);
		if (status && !r)
			r = status;
	}
	for (i = 0; i < nr; i++) {
		if (tasks[i].result > 0)
			close(tasks[i].result);
		if (tasks[i].plan.rules != tester->baseline_rules)
			free((void *)tasks[i].plan.rules);
	}
	if (stopped)
		return error_set(err, ERROR_INTERNAL, EINTR, "interrupted");
	return r;
}

/* The rules of a branch that lacks some grants. */
static struct al_rule *rules_without(const struct tester *tester,
				     const size_t *without, size_t nr)
{
	const struct input *input = tester->input;
	size_t nr_grants = input->program->nr_grants, i;
	bool *with cleanup_free = xzalloc(nr_grants * sizeof(*with));
	struct authority *authority;
	struct al_rule *rules;

	memset(with, true, nr_grants * sizeof(*with));
	for (i = 0; i < nr; i++)
		with[without[i]] = false;
	authority = authority_synthesize(input->bound, with);
	rules = rules_compile(input->bound, input->layout, authority);
	authority_free(authority);
	return rules;
}

/* An environment variable is withheld by absence at exec. */
static const bool *withheld_environment(const struct tester *tester,
					const struct al_rule *rules)
{
	const struct bound *bound = tester->input->bound;
	size_t nr, i;
	bool *withheld;

	for (nr = 0; bound->environment[nr]; nr++)
		;
	withheld = arena_alloc(tester->record->arena, nr * sizeof(*withheld));
	for (i = 0; i < nr; i++)
		withheld[i] = bound->env_objects[i] &&
			      !(rules[bound->env_objects[i]].allow &
				AL_OP_GETENV);
	return withheld;
}

static const char *branch_name(const struct tester *tester,
			       const struct record_branch *branch)
{
	struct buffer name cleanup_buffer = { 0 };
	size_t i;

	buffer_adds(&name, branch_role_word(branch->role));
	if (branch->role == ROLE_CONTROL && branch->all_grants)
		buffer_adds(&name, branch->nr_without ? " with all grants but" :
							" with all grants");
	if (branch->role == ROLE_WITHOUT || branch->all_grants) {
		for (i = 0; i < branch->nr_without; i++)
			buffer_printf(&name, "%s %s", i ? "," : "",
				      tester->record->grants[branch->without[i]]
					      .id);
	}
	return arena_strdup(tester->record->arena, buffer_text(&name));
}

static void plan_branch(struct tester *tester, size_t index, struct task *task)
{
	struct record_branch *branch = &tester->record->branches[index];
	struct al_rule *rules =
		rules_without(tester, branch->without, branch->nr_without);

	task->plan = (struct branch_plan){
		.manifest = tester->input->manifest,
		.bound = tester->input->bound,
		.layout = tester->input->layout,
		.rules = rules,
		.oracle_rules = tester->baseline_rules,
		.role = branch->role,
		.empty_rule = branch->role == ROLE_CONTROL,
		.withheld_env = withheld_environment(tester, rules),
		.keep = tester->options->keep,
	};
	task->name = branch_name(tester, branch);
	task->ret_run = &branch->run;
}

/* Indices into record->branches; branches may not be added while they run. */
static int run_branches(struct tester *tester, const size_t *indices, size_t nr,
			struct error **err)
{
	struct task *tasks cleanup_free = xzalloc(nr * sizeof(*tasks));
	size_t i;

	for (i = 0; i < nr; i++)
		plan_branch(tester, indices[i], &tasks[i]);
	return run_tasks(tester, tasks, nr, err);
}

/* A run that gave no result although nothing of the rule could be the cause. */
static int check_end(const struct record_run *run, const char *name,
		     struct error **err)
{
	switch (run->end) {
	case RUN_DONE:
	case RUN_TIMEOUT:
		return 0;
	case RUN_AGENT_FAILED:
		return error_set(err, ERROR_CONFIG, ENOEXEC,
				 "%s: the agent failed: %s", name,
				 run->detail ? run->detail : run->agent_status);
	case RUN_ORACLE_ERROR:
		return error_set(err, ERROR_CONFIG, ENOEXEC,
				 "%s: oracle error: %s", name, run->detail);
	case RUN_CONFIGURATION_ERROR:
		return error_set(err, ERROR_CONFIG, EINVAL, "%s: %s", name,
				 run->detail);
	default:
		return error_set(err, ERROR_INTERNAL, EIO,
				 "%s: enforcement error: %s", name,
				 run->detail);
	}
}

/*
 * With the rule, an agent that dies and tests that hang may be its doing: no
 * result, which interpretation deals with.
 */
static int check_full(const struct record_run *run, struct error **err)
{
	if (run->end == RUN_AGENT_FAILED || run->end == RUN_ORACLE_ERROR)
		return 0;
	return check_end(run, "full", err);
}

/* An oracle that cannot tell done from undone proves nothing. */
static int check_oracle(struct tester *tester, struct error **err)
{
	struct record_run *untouched = NULL, *solved = NULL;
	struct branch_plan plan = {
		.manifest = tester->input->manifest,
		.bound = tester->input->bound,
		.layout = tester->input->layout,
		.rules = tester->baseline_rules,
		.oracle_rules = tester->baseline_rules,
		.role = ROLE_CONTROL,
		.empty_rule = true,
	};
	struct task tasks[2] = {
		{ .plan = plan, .name = "oracle on the untouched project",
		  .ret_run = &untouched },
		{ .plan = plan, .name = "oracle on the given solution",
		  .ret_run = &solved },
	};
	bool has_solution = tester->input->manifest->solution;
	int r;

	tasks[0].plan.untouched = true;
	tasks[1].plan.solve_only = true;
	/* What the solution needs is the task's need, not the baseline's. */
	tasks[1].plan.rules = rules_without(tester, NULL, 0);
	r = run_tasks(tester, tasks, has_solution ? 2 : 1, err);
	if (!has_solution)
		free((void *)tasks[1].plan.rules);
	if (!r)
		r = check_end(untouched, tasks[0].name, err);
	if (!r && has_solution)
		r = check_end(solved, tasks[1].name, err);
	if (r)
		return r;
	tester->record->oracle.rejects_untouched = !untouched->accepted;
	tester->record->oracle.accepts_solution =
		has_solution && solved->accepted;
	if (untouched->accepted) {
		r = error_set(err, ERROR_CONFIG, EINVAL,
			      "the oracle accepts the untouched project, so it "
			      "proves nothing");
		error_hint(err, "add a test that fails until the task is done");
		return r;
	}
	if (has_solution && !solved->accepted) {
		r = error_set(err, ERROR_CONFIG, EINVAL,
			      "the oracle rejects the given solution, so it "
			      "proves nothing");
		error_hint(err, "run \"%s\" in the project with the solution "
				"laid over it",
			   tester->record->oracle.command);
		return r;
	}
	return 0;
}

static size_t add_control(struct record *record, const size_t *without,
			  size_t nr)
{
	struct record_branch *branch =
		ARENA_PUSH(record->arena, record->branches, record->nr_branches);

	branch->role = ROLE_CONTROL;
	branch->all_grants = true;
	branch->group = -1;
	branch->outcome = OUTCOME_NOT_RUN;
	branch->without = arena_alloc(record->arena, nr * sizeof(*without));
	if (nr)
		memcpy(branch->without, without, nr * sizeof(*without));
	branch->nr_without = nr;
	return record->nr_branches - 1;
}

/* What full was denied hints at what the setup lacks. */
static int task_needs_more(struct tester *tester, const struct record_run *run,
			   struct error **err)
{
	const struct record *record = tester->record;
	size_t i, shown = 0;
	int r;

	r = error_set(err, ERROR_CONFIG, EINVAL,
		      "the task is rejected without the rule, even with all "
		      "grants");
	for (i = 0; i < run->nr_counts && shown < 1; i++) {
		const struct record_count *count = &run->counts[i];

		if (!count->denied || !count->object)
			continue;
		error_hint(err,
			   "it was denied \"%s\" on %s; add to the setup: "
			   "baseline %s on %s",
			   operation_word(count->operation),
			   record->objects[count->object].name,
			   operation_word(count->operation),
			   record->objects[count->object].name);
		shown++;
	}
	if (!shown)
		error_hint(err, "see the oracle's output with -v; raise the "
				"limits or extend the baseline");
	return r;
}

/* Control and full. */
static int run_references(struct tester *tester, struct error **err)
{
	static const size_t references[] = { 0, 1 };
	struct record *record = tester->record;
	size_t more;
	int r;

	r = run_branches(tester, references, 2, err);
	if (!r)
		r = check_end(record->branches[0].run, "control", err);
	if (!r)
		r = check_full(record->branches[1].run, err);
	if (r || record->branches[0].run->end != RUN_DONE ||
	    record->branches[0].run->accepted || !record->nr_grants)
		return r;
	more = add_control(record, NULL, 0);
	r = run_branches(tester, &more, 1, err);
	if (!r)
		r = check_end(record->branches[more].run,
			      "control with all grants", err);
	if (r || record->branches[more].run->accepted ||
	    record->branches[more].run->end != RUN_DONE)
		return r;
	return task_needs_more(tester, record->branches[more].run, err);
}

/* A witness needs an accepted full branch; without one nothing else is run. */
static int run_deletions(struct tester *tester, struct error **err)
{
	struct record *record = tester->record;
	size_t *indices cleanup_free =
		xzalloc(record->nr_branches * sizeof(*indices));
	size_t nr = 0, i;

	if (record->branches[1].run->end != RUN_DONE ||
	    !record->branches[1].run->accepted)
		return 0;
	for (i = 0; i < record->nr_branches; i++) {
		if (record->branches[i].role == ROLE_WITHOUT &&
		    record->branches[i].nr_removed)
			indices[nr++] = i;
	}
	return run_branches(tester, indices, nr, err);
}

/* Coupled or needed? Only control without the same grants can tell. */
static int run_controls_without(struct tester *tester, struct error **err)
{
	struct record *record = tester->record;
	size_t *branches, *indices cleanup_free = NULL;
	size_t nr, i;

	judge_record(record);
	nr = judge_needs_control_without(record, &branches);
	if (!nr)
		return 0;
	indices = xzalloc(nr * sizeof(*indices));
	for (i = 0; i < nr; i++)
		indices[i] = add_control(record,
					 record->branches[branches[i]].without,
					 record->branches[branches[i]].nr_without);
	return run_branches(tester, indices, nr, err);
}

static int run_all(struct tester *tester, struct error **err)
{
	int r;

	r = check_oracle(tester, err);
	if (!r)
		r = run_references(tester, err);
	if (!r)
		r = run_deletions(tester, err);
	if (!r)
		r = run_controls_without(tester, err);
	return r;
}

static void catch_signals(struct sigaction saved[2])
{
	/* No SA_RESTART: waitpid() must return. */
	struct sigaction action = { .sa_handler = on_stop };

	stopped = 0;
	sigaction(SIGINT, &action, &saved[0]);
	sigaction(SIGTERM, &action, &saved[1]);
}

static int load_shared(struct tester *tester, struct error **err)
{
	const struct layout *layout = tester->input->layout;
	int r = 0;
	size_t i;

	for (i = 0; !r && i < layout->nr_slots; i++)
		r = guard_slot(tester->guard, layout->slots[i].parent,
			       layout->slots[i].name, layout->slots[i].object,
			       layout->slots[i].flags, err);
	for (i = 0; !r && i < layout->nr_endpoints; i++)
		r = guard_endpoint(tester->guard, &layout->endpoints[i].key,
				   layout->endpoints[i].object, err);
	return r;
}

/* Project, solution and fixtures as laid out; how the oracle is asked. */
static void digest_task(struct tester *tester)
{
	const struct manifest *manifest = tester->input->manifest;
	struct digest digest = campaign_digest(tester->campaign);
	struct hasher *hasher = hasher_new();
	size_t i;

	hasher_add(hasher, digest.bytes, sizeof(digest.bytes));
	hasher_add(hasher, manifest->prompt, strlen(manifest->prompt) + 1);
	for (i = 0; manifest->oracle_command[i]; i++)
		hasher_add(hasher, manifest->oracle_command[i],
			   strlen(manifest->oracle_command[i]) + 1);
	for (i = 0; i < manifest->nr_expect; i++)
		hasher_add(hasher, manifest->expect[i],
			   strlen(manifest->expect[i]) + 1);
	digest = hasher_end(hasher);
	digest_hex(&digest, tester->record->task_digest);
}

int run_test(const struct input *input, const struct run_options *options,
	     struct record **ret, struct error **err)
{
	struct tester tester = { .input = input, .options = options };
	struct sigaction saved[2];
	size_t *all cleanup_free = NULL;
	size_t i;
	int r;

	tester.record = record_begin(input);
	all = xzalloc(tester.record->nr_grants * sizeof(*all));
	for (i = 0; i < tester.record->nr_grants; i++)
		all[i] = i;
	tester.baseline_rules =
		rules_without(&tester, all, tester.record->nr_grants);
	catch_signals(saved);
	say(&tester, "preparing");
	r = campaign_open(&tester.campaign, err);
	if (!r)
		r = guard_open(&tester.guard, err);
	if (!r)
		r = load_shared(&tester, err);
#if AL_SELFTEST
	/* Shows that the tests fail when nothing is enforced. */
	if (!r && getenv("ALETHEIA_DETACH"))
		guard_detach(tester.guard);
#endif
	if (!r)
		r = campaign_snapshot(tester.campaign, input->bound, err);
	if (!r)
		digest_task(&tester);
	if (!r)
		r = run_all(&tester, err);
	say(&tester, "cleaning up");
	if (tester.campaign && options->keep && options->kept)
		options->kept(campaign_kept(tester.campaign), options->context);
	campaign_close(tester.campaign);
	guard_close(tester.guard);
	sigaction(SIGINT, &saved[0], NULL);
	sigaction(SIGTERM, &saved[1], NULL);
	free(tester.baseline_rules);
	if (r) {
		record_free(tester.record);
		return r;
	}
	judge_record(tester.record);
	*ret = tester.record;
	return 0;
}
