// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is left of a campaign: nothing, whoever is killed. With the guard: not
 * one denied operation succeeds on the way.
 */
#include "harness.h"

#include <bpf/bpf.h>
#include <dirent.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "branch/campaign.h"
#include "branch_support.h"
#include "guard/guard.h"
#include "run/input.h"
#include "synth/authority.h"

/* Written by the controller, read by the test. */
struct shared {
	char name[64];
	char cgroup[4096];
	pid_t janitor;
	volatile int opened;
	int code;
	char error[256];
};

static struct shared *shared;

static int64_t now_ms(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

static void sleep_ms(long ms)
{
	struct timespec time = { ms / 1000, ms % 1000 * 1000000 };

	nanosleep(&time, NULL);
}

static void share(const struct campaign *campaign)
{
	snprintf(shared->name, sizeof(shared->name), "%s", campaign->name);
	snprintf(shared->cgroup, sizeof(shared->cgroup), "%s/%s",
		 campaign->hierarchy_path, campaign->cgroup_name);
	shared->janitor = campaign->janitor;
	shared->opened = 1;
}

static void note_error(int code, const struct error *err)
{
	shared->code = code;
	if (err)
		snprintf(shared->error, sizeof(shared->error), "%s",
			 err->message);
}

/* ---- what is there */

static bool exists(const char *path)
{
	struct stat st;

	return !lstat(path, &st);
}

static void read_text(const char *path, struct buffer *ret)
{
	int fd cleanup_close = open(path, O_RDONLY | O_CLOEXEC);

	if (fd >= 0)
		fd_read_all(fd, 1 << 20, ret);
}

/* Names in a directory, sorted by nobody but the kernel. */
static void list_names(const char *path, struct buffer *ret)
{
	DIR *dir cleanup_dir = opendir(path);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		buffer_printf(ret, "%s/%s\n", path, entry->d_name);
}

/* Processes of ours: by the names that they give themselves. */
static void list_processes(struct buffer *ret)
{
	DIR *dir cleanup_dir = opendir("/proc");
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		struct buffer stat cleanup_buffer = { 0 };
		char path[300];
		const char *name, *state;

		if (entry->d_name[0] < '0' || entry->d_name[0] > '9')
			continue;
		snprintf(path, sizeof(path), "/proc/%s/stat", entry->d_name);
		read_text(path, &stat);
		/* "12 (name) S ..."; what is dead waits for its parent. */
		name = strchr(buffer_text(&stat), '(');
		state = strrchr(buffer_text(&stat), ')');
		if (name && state && !strncmp(name, "(al-", 4) &&
		    strncmp(state, ") Z", 3))
			buffer_printf(ret, "%s\n", name);
	}
}

/* The machine as far as a branch could change it. */
static char *machine(void)
{
	struct buffer text = { 0 };
	struct cgroup hierarchy = CGROUP_INIT;
	char *path cleanup_free = NULL;

	read_text("/proc/self/mountinfo", &text);
	list_names("/run/aletheia", &text);
	list_names("/var/tmp", &text);
	list_processes(&text);
	ASSERT_EQ(cgroup_hierarchy(&hierarchy, &path, NULL), 0);
	list_names(path, &text);
	cgroup_done(&hierarchy);
	return text.data;
}

/* ---- controllers */

/* A process that runs @life and ends. */
static pid_t controller_start(void (*life)(void))
{
	pid_t pid;

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ASSERT_NE(shared, MAP_FAILED);
	fflush(NULL);
	pid = fork();
	if (!pid) {
		life();
		fflush(NULL);
		_exit(0);
	}
	return pid;
}

/* Loops for ever, also by processes in other sessions. */
static void looping_branch(void)
{
	struct campaign *campaign = NULL;
	struct error *err = NULL;
	struct record_run run;
	struct task task;
	int code;

	task_init(&task,
		  "(setsid sh -c 'while :; do :; done' &);"
		  "trap '' TERM INT HUP; while :; do :; done",
		  NULL);
	branch_selftest_unguarded();
	code = campaign_open(&campaign, &err);
	if (!code) {
		share(campaign);
		code = campaign_snapshot(campaign, &task.bound, &err);
	}
	if (!code)
		code = branch_run(campaign, NULL, &task.plan, task.arena, &run,
				  &err);
	note_error(code, err);
	campaign_close(campaign);
}

/* The same, by a process of its own for the branch. */
static void looping_runner(void)
{
	struct campaign *campaign = NULL;
	struct error *err = NULL;
	struct record_run run;
	struct task task;

	task_init(&task, "while :; do :; done", NULL);
	branch_selftest_unguarded();
	if (campaign_open(&campaign, &err) ||
	    campaign_snapshot(campaign, &task.bound, &err))
		return;
	if (!fork()) {
		branch_run(campaign, NULL, &task.plan, task.arena, &run, &err);
		_exit(0);
	}
	share(campaign);
	pause();
}

/* Processes of the agent, once there are @nr of them; the last one found. */
static pid_t wait_for_agent(size_t nr)
{
	int64_t end = now_ms() + 90000;

	while (now_ms() < end) {
		DIR *dir cleanup_dir =
			shared->opened ? opendir(shared->cgroup) : NULL;
		struct dirent *entry;

		while (dir && (entry = readdir(dir))) {
			struct buffer text cleanup_buffer = { 0 };
			char path[5000];
			size_t lines = 0;
			const char *at;
			pid_t last = 0;

			snprintf(path, sizeof(path), "%s/%s/agent/cgroup.procs",
				 shared->cgroup, entry->d_name);
			read_text(path, &text);
			for (at = buffer_text(&text); *at;
			     at = strchr(at, '\n') + 1) {
				last = atoi(at);
				lines++;
			}
			if (lines >= nr)
				return last;
		}
		if (shared->code) {
			TH_LOG("%s", shared->error);
			break;
		}
		sleep_ms(5);
	}
	return 0;
}

static bool is_empty(void)
{
	struct buffer text cleanup_buffer = { 0 };
	char path[5000];

	snprintf(path, sizeof(path), "%s/cgroup.events", shared->cgroup);
	read_text(path, &text);
	return !exists(shared->cgroup) ||
	       strstr(buffer_text(&text), "populated 0");
}

static bool is_gone(void)
{
	char path[128];

	snprintf(path, sizeof(path), "/run/aletheia/%s", shared->name);
	return !exists(path) && !exists(shared->cgroup);
}

/* How long until it is so, or -1. */
static int64_t time_until(bool (*so)(void), int64_t limit)
{
	int64_t start = now_ms();

	while (now_ms() - start < limit) {
		if (so())
			return now_ms() - start;
		sleep_ms(1);
	}
	return -1;
}

static void expect_quick_end(void)
{
	int64_t dead = time_until(is_empty, 20000);
	int64_t gone = time_until(is_gone, 20000);

	TH_LOG("processes dead after %lld ms, cgroup and files gone %lld ms "
	       "later",
	       (long long)dead, (long long)gone);
	EXPECT_GE(dead, 0);
	EXPECT_GE(gone, 0);
	EXPECT_LT(dead, 1000);
	EXPECT_LT(dead + gone, 2000);
}

/* ---- tests */

static void whole_run(void)
{
	struct record_run run;
	struct task task;

	task_init(&task, "touch done; (setsid sleep 1000 &)", NULL);
	note_error(task_run(&task, &run), NULL);
	if (!run.accepted)
		note_error(-1, NULL);
}

static void open_and_close(void)
{
	struct campaign *campaign = NULL;
	struct error *err = NULL;

	note_error(campaign_open(&campaign, &err), err);
	campaign_close(campaign);
}

static void failing_run(void)
{
	struct record_run run;
	struct task task;

	task_init(&task, NULL, NULL);
	task_sink(&task, "198.18.0.5", 0, AL_PROTOCOL_TCP);
	note_error(task_run(&task, &run), NULL);
}

TEST(nothing_is_left)
{
	char *before cleanup_free = NULL;
	char *after cleanup_free = NULL;
	int status;

	/* The first one makes the directory of all campaigns. */
	ASSERT_EQ(waitpid(controller_start(whole_run), &status, 0) > 0, true);
	before = machine();
	ASSERT_EQ(waitpid(controller_start(whole_run), &status, 0) > 0, true);
	ASSERT_EQ(shared->code, 0);
	after = machine();
	EXPECT_STREQ(after, before);
	free(after);
	ASSERT_EQ(waitpid(controller_start(failing_run), &status, 0) > 0, true);
	ASSERT_NE(shared->code, 0);
	after = machine();
	EXPECT_STREQ(after, before);
}

TEST(something_is_there_meanwhile)
{
	char *before cleanup_free = machine();
	char *during cleanup_free = NULL;
	pid_t pid = controller_start(looping_branch);
	pid_t agent = wait_for_agent(3);

	ASSERT_GT(agent, 0);
	during = machine();
	EXPECT_STRNE(during, before);
	EXPECT_FALSE(is_empty());
	EXPECT_FALSE(is_gone());
	kill(pid, SIGKILL);
	expect_quick_end();
}

TEST(controller_is_killed)
{
	char *before cleanup_free = machine();
	char *after cleanup_free = NULL;
	pid_t pid = controller_start(looping_branch);

	ASSERT_GT(wait_for_agent(3), 0);
	kill(pid, SIGKILL);
	expect_quick_end();
	waitpid(pid, NULL, 0);
	/* The janitor, too. */
	sleep_ms(200);
	after = machine();
	EXPECT_STREQ(after, before);
}

TEST(controller_with_runner_is_killed)
{
	pid_t pid = controller_start(looping_runner);

	ASSERT_GT(wait_for_agent(2), 0);
	kill(pid, SIGKILL);
	expect_quick_end();
}

/* Its processes still die with their parents; the next start cleans up. */
TEST(controller_and_janitor_are_killed)
{
	struct campaign *campaign = NULL;
	struct error *err = NULL;
	pid_t pid = controller_start(looping_runner);
	int64_t dead;

	ASSERT_GT(wait_for_agent(2), 0);
	kill(shared->janitor, SIGKILL);
	sleep_ms(50);
	kill(pid, SIGKILL);
	dead = time_until(is_empty, 20000);
	TH_LOG("processes dead after %lld ms", (long long)dead);
	EXPECT_GE(dead, 0);
	EXPECT_LT(dead, 1000);
	waitpid(pid, NULL, 0);
	EXPECT_FALSE(is_gone());
	ASSERT_EQ(campaign_open(&campaign, &err), 0);
	EXPECT_TRUE(is_gone());
	campaign_close(campaign);
}

static size_t count_descriptors(pid_t pid)
{
	char path[64];
	DIR *dir cleanup_dir = NULL;
	struct dirent *entry;
	size_t nr = 0;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	dir = opendir(path);
	while (dir && (entry = readdir(dir)))
		nr += entry->d_name[0] != '.';
	return nr;
}

/* The process of that name in the campaign's cgroup or among our children. */
static pid_t find_process(const char *name)
{
	DIR *dir cleanup_dir = opendir("/proc");
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		struct buffer comm cleanup_buffer = { 0 };
		struct buffer group cleanup_buffer = { 0 };
		char path[300];

		snprintf(path, sizeof(path), "/proc/%s/comm", entry->d_name);
		read_text(path, &comm);
		snprintf(path, sizeof(path), "/proc/%s/cgroup", entry->d_name);
		read_text(path, &group);
		if (!strncmp(buffer_text(&comm), name, strlen(name)) &&
		    strstr(buffer_text(&group),
			   strrchr(shared->cgroup, '/') + 1))
			return atoi(entry->d_name);
	}
	return 0;
}

static void expect_unprivileged(pid_t pid, const char *uid)
{
	struct buffer status cleanup_buffer = { 0 };
	char path[64], line[64];

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	read_text(path, &status);
	snprintf(line, sizeof(line), "Uid:\t%s\t%s\t%s\t%s\n", uid, uid, uid,
		 uid);
	EXPECT_NE(strstr(buffer_text(&status), line), NULL);
	EXPECT_NE(strstr(buffer_text(&status), "CapPrm:\t0000000000000000\n"),
		  NULL);
	EXPECT_NE(strstr(buffer_text(&status), "CapBnd:\t0000000000000000\n"),
		  NULL);
	EXPECT_NE(strstr(buffer_text(&status), "NoNewPrivs:\t1\n"), NULL);
	EXPECT_NE(strstr(buffer_text(&status), "Seccomp:\t2\n"), NULL);
}

/* What an attacker in the branch could aim at. */
TEST(processes_of_ours_hold_little)
{
	pid_t pid = controller_start(looping_branch);
	pid_t init, sink;

	ASSERT_GT(wait_for_agent(3), 0);
	init = find_process("al-init");
	sink = find_process("al-sink");
	ASSERT_GT(init, 0);
	ASSERT_GT(sink, 0);
	EXPECT_EQ(count_descriptors(init), 0);
	expect_unprivileged(init, "60601");
	/* Nothing three times, and the line to its opener. */
	EXPECT_EQ(count_descriptors(sink), 4);
	expect_unprivileged(sink, "60602");
	/* The base, the lock, the hierarchy and the controller. */
	EXPECT_EQ(count_descriptors(shared->janitor), 7);
	kill(pid, SIGKILL);
	expect_quick_end();
}

/* A campaign that lives is left alone by others. */
TEST(living_campaigns_are_left_alone)
{
	struct campaign *campaign = NULL;
	struct error *err = NULL;
	pid_t pid = controller_start(looping_branch);

	ASSERT_GT(wait_for_agent(3), 0);
	ASSERT_EQ(campaign_open(&campaign, &err), 0);
	EXPECT_FALSE(is_empty());
	EXPECT_FALSE(is_gone());
	campaign_close(campaign);
	EXPECT_FALSE(is_empty());
	EXPECT_FALSE(is_gone());
	kill(pid, SIGKILL);
	expect_quick_end();
}

/*
 * At any point: while it is being opened, built, run, closed. The janitor or,
 * before there is one, the next start sees to it that nothing stays.
 */
TEST_TIMEOUT(controller_is_killed_at_any_point, 120)
{
	unsigned int seed = (unsigned int)time(NULL), i;
	char *before cleanup_free = NULL;
	char *after cleanup_free = NULL;
	int64_t start = now_ms(), whole;

	ASSERT_GT(waitpid(controller_start(whole_run), NULL, 0), 0);
	whole = now_ms() - start;
	before = machine();
	TH_LOG("seed %u, a whole run takes %lld ms", seed, (long long)whole);
	srand(seed);
	for (i = 0; i < 25; i++) {
		pid_t pid = controller_start(whole_run);
		long wait = rand() % (whole * 1200);
		struct timespec time = { wait / 1000000,
					 wait % 1000000 * 1000 };

		nanosleep(&time, NULL);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
	/* Janitors that are at work still have their locks. */
	start = now_ms();
	do {
		sleep_ms(100);
		waitpid(controller_start(open_and_close), NULL, 0);
		ASSERT_EQ(shared->code, 0);
		free(after);
		after = machine();
	} while (strcmp(after, before) && now_ms() - start < 20000);
	EXPECT_STREQ(after, before);
}

/* ---- with the guard */

/* Tries for ever; what it tries and what it gets is in the workspace. */
static const char *const denied_loop[] = {
	"/bin/sh", "-c",
	"while :; do echo >> tries;"
	"  true 2>/dev/null < artifact.tar && echo >> successes; done "
	"2>/dev/null",
	NULL
};
static bool with_grants;

static int guarded(struct campaign *campaign, struct guard *guard,
		   const struct input *input, struct error **err)
{
	struct arena *arena cleanup_arena = arena_new();
	bool *with cleanup_free =
		xzalloc(input->program->nr_grants * sizeof(*with));
	struct authority *authority;
	struct record_run run;
	struct branch_plan plan = {
		.manifest = input->manifest,
		.bound = input->bound,
		.layout = input->layout,
		.role = ROLE_WITHOUT,
	};
	size_t i;
	int code = 0;

	for (i = 0; i < input->program->nr_grants; i++)
		with[i] = with_grants;
	authority = authority_synthesize(input->bound, with);
	plan.rules = plan.oracle_rules =
		rules_compile(input->bound, input->layout, authority);
	for (i = 0; !code && i < input->layout->nr_slots; i++) {
		const struct policy_slot *slot = &input->layout->slots[i];

		code = guard_slot(guard, slot->parent, slot->name, slot->object,
				  slot->flags, err);
	}
	input->manifest->agent = NULL;
	input->manifest->agent_command = denied_loop;
	if (!code)
		code = campaign_snapshot(campaign, input->bound, err);
	if (!code)
		code = branch_run(campaign, guard, &plan, arena, &run, err);
	/* It is meant to be killed. */
	if (!code)
		code = error_set(err, ERROR_INTERNAL, EINVAL,
				 "the agent ended: %s, %s", run.agent_status,
				 run.detail);
	return code;
}

static void guarded_branch(void)
{
	struct campaign *campaign = NULL;
	struct guard *guard = NULL;
	struct input *input = NULL;
	struct error *err = NULL;
	int code;

	code = input_load(TEST_SOURCE "/Documentation/examples/rename-total",
			  &input, &err);
	if (!code)
		code = campaign_open(&campaign, &err);
	if (!code) {
		share(campaign);
		code = guard_open(&guard, &err);
	}
	if (!code)
		code = guarded(campaign, guard, input, &err);
	note_error(code, err);
	campaign_close(campaign);
	guard_close(guard);
}

static off_t size_at(int directory, const char *name)
{
	struct stat st;

	return fstatat(directory, name, &st, AT_SYMLINK_NOFOLLOW) ? 0
								  : st.st_size;
}

/* The agent's workspace, which lives on while we hold it. */
static int open_workspace(pid_t agent)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/root/workspace", (int)agent);
	return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static size_t count_programs(void)
{
	uint32_t id = 0;
	size_t nr = 0;

	while (!bpf_prog_get_next_id(id, &id))
		nr++;
	return nr;
}

static size_t programs_before;

static bool programs_are_gone(void)
{
	return count_programs() <= programs_before;
}

static void kill_guarded(bool granted)
{
	int workspace cleanup_close = -1;
	int64_t end = now_ms() + 60000;
	pid_t pid, agent;
	off_t tries;

	with_grants = granted;
	programs_before = count_programs();
	pid = controller_start(guarded_branch);
	agent = wait_for_agent(2);
	ASSERT_GT(agent, 0);
	workspace = open_workspace(agent);
	ASSERT_GE(workspace, 0);
	while (size_at(workspace, "tries") < 100 && now_ms() < end)
		sleep_ms(5);
	tries = size_at(workspace, "tries");
	ASSERT_GE(tries, 100)
	{
		TH_LOG("%s", shared->error);
	}
	EXPECT_GT(count_programs(), programs_before);
	kill(pid, SIGKILL);
	expect_quick_end();
	TH_LOG("%lld tries, %lld of them after SIGKILL, %lld successes",
	       (long long)size_at(workspace, "tries"),
	       (long long)(size_at(workspace, "tries") - tries),
	       (long long)size_at(workspace, "successes"));
	if (granted)
		EXPECT_GT(size_at(workspace, "successes"), 0);
	else
		EXPECT_EQ(size_at(workspace, "successes"), 0);
	close_fd(&workspace);
	workspace = -1;
	end = time_until(programs_are_gone, 60000);
	TH_LOG("programs gone %lld ms later", (long long)end);
	EXPECT_GE(end, 0);
	EXPECT_LT(end, 30000);
}

TEST_TIMEOUT(killed_while_denied, 300)
{
	kill_guarded(false);
}

/* The control: with the grant the same loop does succeed, and is seen. */
TEST_TIMEOUT(killed_while_granted, 300)
{
	kill_guarded(true);
}
