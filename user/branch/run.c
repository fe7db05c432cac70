// SPDX-License-Identifier: GPL-2.0-only
/*
 * One branch from its cgroups to its record: sinks, agent, evidence, oracle,
 * and nothing left behind, however it goes.
 */
#include "branch/branch.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "branch/agent.h"
#include "branch/campaign.h"
#include "branch/enforce.h"
#include "branch/oracle.h"
#include "branch/process.h"
#include "branch/sandbox.h"
#include "branch/sink.h"
#include "branch/state.h"
#include "branch/tree.h"

enum {
	OUTPUT_MAX = 65536,
	EMPTY_MS = 30000,
	/* Process 1 and the command's process before it is the command. */
	OWN_PROCESSES = 2,
	/* A limit per user holds for all branches that run side by side. */
	SIDE_BY_SIDE = 8,
};

/**
 * struct site - what exists on the machine while the branch runs
 * @directory:	path of its directory in the campaign's state
 * @agent, @oracle: file systems in it, in our own mount namespace
 * @group:	its cgroup, @agent_group, @sink_group, @oracle_group in it
 */
struct site {
	struct campaign *campaign;
	char *name;
	char *directory;
	char *agent;
	char *oracle;
	struct cgroup group;
	struct cgroup agent_group;
	struct cgroup sink_group;
	struct cgroup oracle_group;
};

static int failed(struct error **err, const char *what)
{
	int code = errno;

	return error_set(err, ERROR_MACHINE, code, "%s: %s", what,
			 strerror(code));
}

static int make_groups(struct site *site, const struct manifest *manifest,
		       struct error **err)
{
	unsigned int controllers = site->campaign->controllers;
	int code = cgroup_make(&site->campaign->cgroup, site->name,
			       &site->group, err);

	if (code)
		return code;
	controllers &= cgroup_enable(&site->group);
	code = cgroup_make(&site->group, "agent", &site->agent_group, err);
	if (!code)
		code = cgroup_make(&site->group, "sink", &site->sink_group,
				   err);
	if (!code)
		code = cgroup_make(&site->group, "oracle", &site->oracle_group,
				   err);
	if (!code)
		code = cgroup_limit(&site->agent_group, controllers,
				    manifest->memory,
				    manifest->processes ? manifest->processes +
								  OWN_PROCESSES
							: 0,
				    err);
	if (!code)
		code = cgroup_limit(&site->oracle_group, controllers,
				    manifest->memory,
				    manifest->processes ? manifest->processes +
								  OWN_PROCESSES
							: 0,
				    err);
	return code;
}

/* A file system of its own: a limit for all that is written to it. */
static int mount_limited(const char *path, uint64_t size, struct error **err)
{
	char options[64] = "mode=0755";

	if (size)
		snprintf(options, sizeof(options), "mode=0755,size=%" PRIu64,
			 size);
	if (mkdir(path, 0755) ||
	    mount("aletheia", path, "tmpfs", MS_NOSUID | MS_NODEV, options))
		return failed(err, path);
	return 0;
}

/* What the agent fills up is not missing to the oracle. */
static int make_directory(struct site *site, const struct manifest *manifest,
			  struct error **err)
{
	int code;

	/* Unseen by other branches, and gone with us. */
	if (unshare(CLONE_NEWNS))
		return failed(err, "mount namespace");
	if (mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL))
		return failed(err, "mount propagation");
	if (mkdir(site->directory, 0755))
		return failed(err, site->directory);
	code = mount_limited(site->agent, manifest->disk, err);
	return code ? code : mount_limited(site->oracle, manifest->disk, err);
}

/* Mounted or not, there or not: afterwards neither. */
static int remove_mount(const char *path)
{
	umount2(path, MNT_DETACH | UMOUNT_NOFOLLOW);
	return rmdir(path) && errno != ENOENT ? -errno : 0;
}

static int remove_directory(const struct site *site)
{
	int code = 0;

	if (!site->directory)
		return 0;
	code = remove_mount(site->agent);
	if (!code)
		code = remove_mount(site->oracle);
	if (!code && rmdir(site->directory) && errno != ENOENT)
		code = -errno;
	return code;
}

static int site_open(struct campaign *campaign, const struct manifest *manifest,
		     struct site *ret, struct error **err)
{
	int code;

	ret->campaign = campaign;
	ret->name = xasprintf("b%d-%u", (int)getpid(), campaign->nr_branches++);
	ret->directory = xasprintf("%s/%s", campaign->state, ret->name);
	ret->agent = xasprintf("%s/agent", ret->directory);
	ret->oracle = xasprintf("%s/oracle", ret->directory);
	code = make_groups(ret, manifest, err);
	return code ? code : make_directory(ret, manifest, err);
}

static int site_close(struct site *site, struct error **err)
{
	int code = 0;

	if (site->group.fd >= 0) {
		code = cgroup_kill(site->group.fd);
		if (!code)
			code = cgroup_wait_empty(site->group.fd, EMPTY_MS);
	}
	cgroup_done(&site->agent_group);
	cgroup_done(&site->sink_group);
	cgroup_done(&site->oracle_group);
	cgroup_done(&site->group);
	if (!code && site->name)
		code = cgroup_remove(site->campaign->cgroup.fd, site->name);
	if (!code)
		code = remove_directory(site);
	free(site->name);
	free(site->directory);
	free(site->agent);
	free(site->oracle);
	memset(site, 0, sizeof(*site));
	if (code)
		return error_set(err, ERROR_INTERNAL, code,
				 "cannot clean up after the branch: %s",
				 strerror(-code));
	return 0;
}

/* ---- the agent */

/* The rule becomes empty, by whatever name it is read. */
static int empty_the_rule(void *context, int merged, int notes,
			  struct error **err)
{
	const struct bound *bound = context;
	const char *path = bound->objects[bound->rule_object].paths[0];
	struct timespec times[2];
	struct stat st;
	int fd cleanup_close = tree_open(merged, path + 1, O_WRONLY);

	(void)notes;
	if (fd < 0)
		return error_set(err, ERROR_INTERNAL, fd, "%s: %s", path,
				 strerror(-fd));
	if (fstat(fd, &st) || ftruncate(fd, 0))
		return failed(err, path);
	times[0] = st.st_atim;
	times[1] = st.st_mtim;
	return futimens(fd, times) ? failed(err, path) : 0;
}

/**
 * struct agent_run - the agent's part of a branch
 * @solution:	laid over the project before (struct branch_plan.solve_only)
 */
struct agent_run {
	const struct branch_plan *plan;
	struct site *site;
	struct guard *guard;
	struct arena *arena;
	struct record_run *run;
	int solution;
};

/* The rule is emptied where it must be, the solution laid where asked for. */
static int prepare_agent(void *context, int merged, int notes,
			 struct error **err)
{
	const struct agent_run *agent = context;
	const struct bound *bound = agent->plan->bound;
	int code = 0;

	if (agent->plan->empty_rule)
		code = empty_the_rule((void *)(uintptr_t)bound, merged, notes,
				      err);
	if (!code && agent->solution >= 0) {
		int workspace cleanup_close = tree_open(
			merged, &BRANCH_WORKSPACE[1], O_RDONLY | O_DIRECTORY);

		if (workspace < 0)
			return error_set(err, ERROR_INTERNAL, workspace,
					 "%s: %s", BRANCH_WORKSPACE,
					 strerror(-workspace));
		code = tree_copy(agent->solution, workspace, BRANCH_AGENT_UID,
				 err);
	}
	return code;
}

static void judge_end(const struct sandbox *sandbox,
		      const struct branch_plan *plan, const char *const *argv,
		      struct arena *arena, struct record_run *run)
{
	int status = sandbox->status;

	switch (sandbox->end) {
	case SANDBOX_TIMEOUT:
		run->end = RUN_TIMEOUT;
		run->agent_status = "killed at the time limit";
		run->detail = arena_printf(
			arena, "the agent took longer than %u seconds",
			plan->manifest->seconds);
		return;
	case SANDBOX_NO_EXEC:
		run->end = RUN_AGENT_FAILED;
		run->agent_status = "not started";
		run->detail = arena_printf(arena, "cannot run %s: %s", argv[0],
					   strerror(status));
		return;
	case SANDBOX_KILLED:
		run->end = RUN_AGENT_FAILED;
		run->agent_status = arena_printf(arena, "signal %d", status);
		run->detail = arena_printf(
			arena, "process 1 of the branch was killed (signal %d)",
			status);
		return;
	case SANDBOX_EXITED:
		break;
	}
	if (status > 128 && status <= 128 + 64) {
		run->end = RUN_AGENT_FAILED;
		run->agent_status =
			arena_printf(arena, "signal %d", status - 128);
		run->detail =
			arena_printf(arena, "the agent was killed by signal %d",
				     status - 128);
		return;
	}
	run->agent_status = arena_printf(arena, "exit %d", status);
	/* Done, stopped at a failed script, solution not complete: see
	 * aletheia-scripted(8). With another status it could not work. */
	if (plan->manifest->agent && status && status != 3 && status != 4) {
		run->end = RUN_AGENT_FAILED;
		run->detail = arena_printf(
			arena, "the scripted agent ended with status %d",
			status);
	}
}

static int watch_agent(struct agent_run *agent, const struct sandbox_spec *spec,
		       struct sandbox *sandbox, struct enforcement *enforcement,
		       struct error **err)
{
	struct output output = { .limit = OUTPUT_MAX };
	struct sandbox_watch watch = {
		.seconds = agent->plan->manifest->seconds,
		.out = &output,
		.err = &output,
		.fd = enforcement_fd(enforcement),
		.ready = enforcement_ready,
		.context = enforcement,
	};
	struct record_run *run = agent->run;
	int64_t start = process_now_ms();
	int code = sandbox_run(sandbox, &watch, err);

	run->agent_ms = (uint64_t)(process_now_ms() - start);
	run->agent_output_length = output.bytes.length;
	run->agent_output = arena_strndup(
		agent->arena, buffer_text(&output.bytes), output.bytes.length);
	output_done(&output);
	if (!code)
		judge_end(sandbox, agent->plan, spec->argv, agent->arena, run);
	return code;
}

static void find_rule_read(const struct branch_plan *plan,
			   struct record_run *run)
{
	size_t i;

	for (i = 0; i < run->nr_counts; i++)
		if (run->counts[i].object == plan->bound->rule_object &&
		    run->counts[i].operation == AL_OP_NR_READ &&
		    run->counts[i].allowed)
			run->rule_read = true;
}

/* No command starts without a decision on its program. */
static int check_alive(const struct agent_run *agent,
		       const struct sandbox *sandbox, struct error **err)
{
	if (!agent->guard || agent->run->nr_counts ||
	    sandbox->end == SANDBOX_NO_EXEC || sandbox->end == SANDBOX_KILLED)
		return 0;
	return error_set(err, ERROR_INTERNAL, EIO,
			 "the guard saw nothing of the agent: its programs are "
			 "not attached");
}

static int run_built(struct agent_run *agent, const struct sandbox_spec *spec,
		     struct sandbox *sandbox, struct sinks *sinks,
		     struct error **err)
{
	struct enforcement enforcement cleanup_enforcement = { 0 };
	const struct branch_plan *plan = agent->plan;
	struct campaign *campaign = agent->site->campaign;
	struct record_run *run = agent->run;
	struct digest digest;
	int code = 0;

	/* With the solution laid over it, it is no branch's initial state. */
	if (agent->solution < 0) {
		code = state_digest(plan->bound, &campaign->snapshot_digest,
				    spec->plan, sandbox->root, plan->empty_rule,
				    &digest, err);
		if (!code)
			digest_hex(&digest, run->initial_state);
	}
	if (!code)
		code = enforcement_arm(agent->guard, plan->layout, plan->rules,
				       true, sandbox, &enforcement, err);
	if (!code)
		code = watch_agent(agent, spec, sandbox, &enforcement, err);
	if (!code)
		code = enforcement_evidence(&enforcement, plan->rules,
					    agent->arena, run, err);
	if (!code)
		code = check_alive(agent, sandbox, err);
	if (!code)
		code = sinks_finish(sinks, plan->bound, agent->arena,
				    &run->sinks, &run->nr_sinks, err);
	if (!code)
		find_rule_read(plan, run);
	return code;
}

static int run_with_sinks(struct agent_run *agent, const struct root_plan *root,
			  struct sinks *sinks, struct error **err)
{
	struct sandbox sandbox cleanup_sandbox = SANDBOX_INIT;
	const struct branch_plan *plan = agent->plan;
	struct campaign *campaign = agent->site->campaign;
	const char *const *environment = agent_environment(plan, agent->arena);
	struct sandbox_spec spec = {
		.cgroup = &agent->site->agent_group,
		.plan = root,
		.guard = agent->guard,
		.network = sinks->network,
		.argv = agent_command(plan, agent->arena),
		.environment = environment,
		.directory = BRANCH_WORKSPACE,
		.processes = campaign->controllers & CGROUP_PIDS
				     ? 0
				     : plan->manifest->processes * SIDE_BY_SIDE,
		.disk = plan->manifest->disk,
		.prepare = prepare_agent,
		.context = agent,
		.notes = -1,
	};
	int code = sandbox_build(&spec, &sandbox, err);

	return code ? code : run_built(agent, &spec, &sandbox, sinks, err);
}

static int run_agent(struct agent_run *agent, struct error **err)
{
	struct root_plan root cleanup_root_plan = { 0 };
	struct sinks sinks cleanup_sinks = SINKS_INIT;
	const struct branch_plan *plan = agent->plan;
	const struct manifest *manifest = plan->manifest;
	int solution cleanup_close = -1;
	int code;

	if (plan->solve_only && manifest->solution) {
		solution = openat(manifest->directory, manifest->solution,
				  O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (solution < 0)
			return error_set(err, ERROR_CONFIG, errno, "%s: %s",
					 manifest->solution, strerror(errno));
	}
	agent->solution = solution;
	code = root_plan_branch(plan->bound, agent->site->campaign->snapshot,
				agent->site->agent, &root, err);
	if (!code)
		code = sinks_start(&agent->site->sink_group, plan->bound,
				   &sinks, err);
	return code ? code : run_with_sinks(agent, &root, &sinks, err);
}

/* ---- the branch */

static int keep(const struct site *site, const char *upper,
		const struct branch_plan *plan, struct error **err)
{
	const char *kept = site->campaign->kept;
	char *to cleanup_free = xasprintf(
		"%s/%s-%s", kept, branch_role_word(plan->role), site->name);
	int from_fd cleanup_close =
		open(upper, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int to_fd cleanup_close = -1;

	if ((mkdir(kept, 0700) && errno != EEXIST) || mkdir(to, 0700))
		return failed(err, to);
	to_fd = open(to, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (from_fd < 0 || to_fd < 0)
		return failed(err, to);
	return tree_keep(from_fd, to_fd, err);
}

/* Only the oracle runs: the agent's layer is there, and empty. */
static int make_empty_upper(const char *upper, struct error **err)
{
	return mkdir(upper, 0755) ? failed(err, upper) : 0;
}

static int run_at_site(struct site *site, struct guard *guard,
		       const struct branch_plan *plan, struct arena *arena,
		       struct record_run *run, struct error **err)
{
	struct agent_run agent = {
		.plan = plan,
		.site = site,
		.guard = guard,
		.arena = arena,
		.run = run,
		.solution = -1,
	};
	char *upper cleanup_free = xasprintf("%s/upper", site->agent);
	struct oracle oracle = {
		.campaign = site->campaign,
		.guard = guard,
		.plan = plan,
		.upper = upper,
		.directory = site->oracle,
		.cgroup = &site->oracle_group,
	};
	int code = agent_needed(plan) ? run_agent(&agent, err)
				      : make_empty_upper(upper, err);

	if (!code && plan->keep && agent_needed(plan))
		code = keep(site, upper, plan, err);
	if (code || run->end != RUN_DONE)
		return code;
	return oracle_run(&oracle, arena, run, err);
}

static bool may_run_unguarded;

#if AL_SELFTEST
void branch_selftest_unguarded(void)
{
	may_run_unguarded = true;
}
#endif

static int run_branch(struct campaign *campaign, struct guard *guard,
		      const struct branch_plan *plan, struct arena *arena,
		      struct record_run *run, struct error **err)
{
	struct site site = {
		.group = CGROUP_INIT,
		.agent_group = CGROUP_INIT,
		.sink_group = CGROUP_INIT,
		.oracle_group = CGROUP_INIT,
	};
	int code, closed;

	if (!guard && !may_run_unguarded)
		return error_set(err, ERROR_INTERNAL, ENOSYS,
				 "no branch runs without the guard");
	if (!campaign->has_snapshot)
		return error_set(err, ERROR_INTERNAL, EINVAL,
				 "the campaign has no snapshot");
	/* Whoever forked us for this branch takes it along. */
	if (getpid() != campaign->owner &&
	    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0))
		return error_set(err, ERROR_INTERNAL, errno, "prctl: %s",
				 strerror(errno));
	code = site_open(campaign, plan->manifest, &site, err);
	if (!code)
		code = run_at_site(&site, guard, plan, arena, run, err);
	closed = site_close(&site, code ? NULL : err);
	return code ? code : closed;
}

int branch_run(struct campaign *campaign, struct guard *guard,
	       const struct branch_plan *plan, struct arena *arena,
	       struct record_run *ret, struct error **err)
{
	struct error *why = NULL;
	int64_t start = process_now_ms();
	int code;

	memset(ret, 0, sizeof(*ret));
	ret->agent_status = "not run";
	ret->agent_output = ret->oracle_output = "";
	code = run_branch(campaign, guard, plan, arena, ret, &why);
	ret->wall_ms = (uint64_t)(process_now_ms() - start);
	if (!code)
		return 0;
	ret->accepted = false;
	ret->end = error_kind_of(why) == ERROR_CONFIG ? RUN_CONFIGURATION_ERROR
						      : RUN_ENFORCEMENT_ERROR;
	ret->detail = arena_strdup(arena, why && why->message ? why->message
							      : "failed");
	error_move(err, &why);
	error_free(why);
	return code;
}
