// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the guard says about what it did: counters are exact whatever happens,
 * events are numbered, and what finds no room is counted too.
 */
#include <bpf/bpf.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "guard/internal.h"
#include "guard_world.h"
#include "harness.h"

FIXTURE(evidence)
{
	struct world world;
};

FIXTURE_SETUP(evidence)
{
	world_open(&self->world, test_dir(), WORLD_TMPFS);
}

FIXTURE_TEARDOWN(evidence)
{
	world_close(&self->world);
}

static int times; /* how often the acts open */

static int open_often(void)
{
	int denied = 0;

	for (int i = 0; i < times; i++) {
		cleanup_close int fd = open("work/file", O_RDONLY | O_CLOEXEC);

		denied += fd < 0 && errno == EACCES;
	}
	return denied == times ? EACCES : denied ? EIO : 0;
}

static int open_once(void)
{
	times = 1;
	return open_often();
}

static struct al_policy state_of(struct world *world)
{
	struct al_policy state = { 0 };
	struct error *err = NULL;

	world_must(guard_policy_state(world->guard, world->cgroup, &state,
				      &err),
		   err, "guard_policy_state");
	return state;
}

static void set_mode(struct world *world, uint32_t mode)
{
	struct error *err = NULL;

	world_must(guard_policy_mode(world->guard, world->cgroup, mode, &err),
		   err, "guard_policy_mode");
}

/* ---- events */

TEST_F(evidence, first_of_each)
{
	struct world *world = &self->world;

	world_arm(world, AL_MODE_ENFORCE);
	times = 100;
	EXPECT_EQ(0, world_run(world, open_often));
	world_read(world);
	EXPECT_EQ(1, world->nr_events);
	EXPECT_EQ(0, world->event[0].missing);
	EXPECT_EQ(0, world->event[0].error);
	EXPECT_EQ(100, world_count(world, WORLD_WORK, AL_OP_READ, false));
	EXPECT_EQ(0, world_run(world, open_often));
	world_read(world);
	EXPECT_EQ(0, world->nr_events);
}

/* Denials, and all that is about a grant, one by one. */
TEST_F(evidence, each)
{
	struct world *world = &self->world;

	times = 100;
	world->rules[WORLD_WORK].granted = AL_OP_READ;
	world_arm(world, AL_MODE_ENFORCE);
	EXPECT_EQ(0, world_run(world, open_often));
	world_read(world);
	EXPECT_EQ(100, world->nr_events);
	for (int i = 0; i < world->nr_events; i++)
		EXPECT_EQ(i + 1, world->event[i].sequence);

	world->rules[WORLD_WORK] = (struct al_rule){ 0, 0 };
	world_arm(world, AL_MODE_ENFORCE);
	EXPECT_EQ(EACCES, world_run(world, open_often));
	world_read(world);
	EXPECT_EQ(100, world->nr_events);
	EXPECT_EQ(100, world->event[99].sequence);
	EXPECT_EQ(100, state_of(world).sequence);
	EXPECT_EQ(0, state_of(world).lost);
}

TEST_F(evidence, who_and_what)
{
	struct world *world = &self->world;
	struct al_event event;
	struct timespec now;
	struct stat stat;

	world_arm(world, AL_MODE_ENFORCE);
	EXPECT_EQ(0, world_run(world, open_once));
	world_read(world);
	ASSERT_EQ(1, world->nr_events);
	event = world->event[0];
	ASSERT_EQ(0, fstatat(AT_FDCWD, "work/file", &stat, 0));
	EXPECT_EQ(stat.st_ino, event.ino);
	EXPECT_EQ(AL_OP_READ, event.operations);
	EXPECT_EQ(AL_HOOK_FILE_OPEN, event.hook);
	EXPECT_EQ(world->cgroup, event.policy);
	EXPECT_GT(event.pid, 0);
	EXPECT_EQ(event.pid, event.tgid);
	EXPECT_EQ(0, event.uid);
	EXPECT_EQ(0, event.family);
	EXPECT_EQ(0, event.from);
	EXPECT_STREQ("guard_evidence_", (const char *)event.comm);
	EXPECT_STREQ("file", (const char *)event.name);
	clock_gettime(CLOCK_MONOTONIC, &now);
	EXPECT_LE(event.time,
		  now.tv_sec * 1000000000ull + now.tv_nsec);
	EXPECT_GT(event.time,
		  (now.tv_sec - 30) * 1000000000ull);
}

/* The recorded event is enough to decide again. */
TEST_F(evidence, replayable)
{
	struct world *world = &self->world;

	times = 3;
	for (int withheld = 0; withheld < 2; withheld++) {
		world->rules[WORLD_WORK].allow = withheld ? AL_OP_WRITE :
							    AL_OP_READ;
		world_arm(world, AL_MODE_ENFORCE);
		world_run(world, open_often);
		world_read(world);
		ASSERT_GT(world->nr_events, 0);
		for (int i = 0; i < world->nr_events; i++) {
			const struct al_event *event = &world->event[i];
			struct al_query query = {
				.allow = world->rules[event->object].allow,
				.wanted = event->operations,
				.object = event->object,
				.kind = event->kind,
				.mode = AL_MODE_ENFORCE,
				.moves = event->moves,
				.from = world->rules[event->from].allow,
			};

			EXPECT_EQ(event->missing, al_decide(&query).missing);
			EXPECT_EQ(event->error, al_decide(&query).error);
		}
	}
}

/* ---- losses */

TEST_F_TIMEOUT(evidence, ring_full, 60)
{
	struct world *world = &self->world;
	struct al_policy state;
	uint64_t last = 0, got = 0;

	world->rules[WORLD_WORK].allow = 0;
	world_arm(world, AL_MODE_ENFORCE);
	times = AL_RING_SIZE / sizeof(struct al_event) + 1000;
	EXPECT_EQ(EACCES, world_run(world, open_often));
	state = state_of(world);
	EXPECT_EQ(times, world_count(world, WORLD_WORK, AL_OP_READ, true));
	EXPECT_EQ(times, state.sequence);
	EXPECT_GT(state.lost, 0);
	EXPECT_LT(state.lost, times);
	world_read(world);
	got = world->nr_events;
	EXPECT_EQ(state.sequence, got + state.lost);
	/* There is room again, and the gap shows. */
	last = world->event[0].sequence;
	EXPECT_EQ(1, last);
	times = 1;
	EXPECT_EQ(EACCES, world_run(world, open_often));
	world_read(world);
	ASSERT_EQ(1, world->nr_events);
	EXPECT_EQ(state.sequence + 1, world->event[0].sequence);
	EXPECT_EQ(state.lost, state_of(world).lost);
}

/* Nobody may be counted twice or forgotten, however many count at once. */
TEST_F_TIMEOUT(evidence, concurrent, 60)
{
	struct world *world = &self->world;
	pid_t pids[4];
	struct al_policy state;

	world->rules[WORLD_WORK].allow = 0;
	world_arm(world, AL_MODE_ENFORCE);
	times = 1000;
	for (int i = 0; i < 4; i++) {
		pids[i] = fork();
		if (pids[i] == 0)
			_exit(world_run(world, open_often));
	}
	/* Setting a mode must not write over numbers. */
	for (int i = 0; i < 200; i++)
		set_mode(world, AL_MODE_ENFORCE);
	for (int i = 0; i < 4; i++) {
		int status;

		ASSERT_EQ(pids[i], waitpid(pids[i], &status, 0));
		EXPECT_EQ(EACCES, WEXITSTATUS(status));
	}
	state = state_of(world);
	EXPECT_EQ(4000, world_count(world, WORLD_WORK, AL_OP_READ, true));
	EXPECT_EQ(4000, state.sequence);
	world_read(world);
	EXPECT_EQ(4000, world->nr_events + state.lost);
}

/* ---- modes */

TEST_F(evidence, setup)
{
	struct world *world = &self->world;

	world_allow(world, 0);
	world_arm(world, AL_MODE_SETUP);
	EXPECT_EQ(0, world_run(world, open_once));
	EXPECT_EQ(0, world_counts(world));
	set_mode(world, AL_MODE_ENFORCE);
	EXPECT_EQ(EACCES, world_run(world, open_once));
	set_mode(world, AL_MODE_SETUP);
	EXPECT_EQ(0, world_run(world, open_once));
	EXPECT_EQ(1, world_counts(world));
}

TEST_F(evidence, audit)
{
	struct world *world = &self->world;

	world_allow(world, 0);
	world_arm(world, AL_MODE_AUDIT);
	EXPECT_EQ(0, world_run(world, open_once));
	EXPECT_EQ(1, world_count(world, WORLD_WORK, AL_OP_READ, true));
	world_read(world);
	ASSERT_EQ(1, world->nr_events);
	EXPECT_EQ(AL_OP_READ, world->event[0].missing);
	EXPECT_EQ(0, world->event[0].error);
}

TEST_F(evidence, mode_of_nobody)
{
	struct error *err = NULL;

	EXPECT_NE(0, guard_policy_mode(self->world.guard, 12345,
				       AL_MODE_ENFORCE, &err));
	EXPECT_NOT_NULL(err);
	error_free(err);
}

/* ---- what was loaded */

TEST_F(evidence, rules_are_frozen)
{
	struct world *world = &self->world;
	struct al_rule rule = { ~0u, 0 }, read[WORLD_NR];
	struct error *err = NULL;
	uint32_t object = WORLD_WORK;
	struct al_count count = { 0 };
	cleanup_close int counters = -1;
	cleanup_close int map = -1;

	world->rules[WORLD_WORK].allow = AL_OP_LIST;
	world_arm(world, AL_MODE_ENFORCE);
	map = guard_inner(world->guard->rules, world->cgroup);
	ASSERT_GE(map, 0);
	EXPECT_NE(0, bpf_map_update_elem(map, &object, &rule, BPF_ANY));
	EXPECT_EQ(EPERM, errno);
	/* The counters are a map of the same kind, which is not. */
	counters = guard_inner(world->guard->counters, world->cgroup);
	EXPECT_EQ(0, bpf_map_update_elem(counters, &object, &count, BPF_ANY));
	EXPECT_EQ(EACCES, world_run(world, open_once));
	world_must(guard_policy_rules(world->guard, world->cgroup, read,
				      WORLD_NR, &err),
		   err, "guard_policy_rules");
	EXPECT_EQ(0, memcmp(read, world->rules, sizeof(read)));
}

TEST_F(evidence, rules_are_replaced_whole)
{
	struct world *world = &self->world;
	struct error *err = NULL;

	world_arm(world, AL_MODE_ENFORCE);
	EXPECT_EQ(-EEXIST, guard_policy_add(world->guard, world->cgroup,
					    world->level, world->rules,
					    WORLD_NR, &err));
	error_free(err);
	EXPECT_EQ(0, world_run(world, open_once));
	EXPECT_EQ(0, guard_policy_remove(world->guard, world->cgroup));
	EXPECT_EQ(0, guard_policy_remove(world->guard, world->cgroup));
	world_allow(world, 0);
	world_arm(world, AL_MODE_ENFORCE);
	EXPECT_EQ(EACCES, world_run(world, open_once));
	EXPECT_EQ(1, world_counts(world));
	EXPECT_EQ(1, state_of(world).sequence);
}

TEST_F(evidence, removed)
{
	struct world *world = &self->world;

	world_allow(world, 0);
	world_arm(world, AL_MODE_ENFORCE);
	EXPECT_EQ(EACCES, world_run(world, open_once));
	EXPECT_EQ(0, guard_policy_remove(world->guard, world->cgroup));
	EXPECT_EQ(0, world_run(world, open_once));
	world_arm(world, AL_MODE_ENFORCE);
}

/* An object that is none of the policy's, as when a label is of another's. */
TEST_F(evidence, unknown_object)
{
	struct world *world = &self->world;
	cleanup_close int fd = open("work/file", O_PATH | O_CLOEXEC);
	struct error *err = NULL;

	world_must(guard_label(world->guard, fd, WORLD_NR + 5, 0, &err), err,
		   "guard_label");
	world_arm(world, AL_MODE_ENFORCE);
	EXPECT_EQ(EACCES, world_run(world, open_once));
	EXPECT_EQ(1, world_count(world, AL_OBJECT_NONE, AL_OP_READ, true));
	world_read(world);
	EXPECT_EQ(WORLD_NR + 5, world->event[0].object);
}

TEST_F(evidence, labels_read_back)
{
	struct world *world = &self->world;
	cleanup_close int fd = open("keys", O_PATH | O_CLOEXEC);
	cleanup_close int none = open("work/file", O_PATH | O_CLOEXEC);
	struct al_label label;

	EXPECT_EQ(0, guard_label_get(world->guard, fd, &label));
	EXPECT_EQ(WORLD_KEYS, label.object);
	EXPECT_EQ(AL_LABEL_TREE | AL_LABEL_SLOTTED, label.flags);
	EXPECT_EQ(-ENOENT, guard_label_get(world->guard, none, &label));
}

TEST_F(evidence, out_of_range)
{
	struct guard *guard = self->world.guard;
	struct al_endpoint_key key = { .port = 1 };
	cleanup_close int fd = open("keys", O_PATH | O_CLOEXEC);
	char long_name[AL_NAME_SIZE + 1];
	struct error *err = NULL;

	memset(long_name, 'x', sizeof(long_name) - 1);
	long_name[AL_NAME_SIZE] = 0;
	EXPECT_NE(0, guard_label(guard, fd, AL_MAX_OBJECTS, 0, &err));
	EXPECT_NE(0, guard_slot(guard, 1, "", 2, 0, &err));
	EXPECT_NE(0, guard_slot(guard, 1, long_name, 2, 0, &err));
	EXPECT_EQ(0, guard_slot(guard, 9999, long_name + 1, 2, 0, &err));
	EXPECT_NE(0, guard_endpoint(guard, &key, AL_MAX_OBJECTS, &err));
	EXPECT_NE(0, guard_policy_add(guard, 1, 0, self->world.rules, WORLD_NR,
				      &err));
	EXPECT_NE(0, guard_policy_add(guard, 1, 1, self->world.rules, 0, &err));
	error_free(err);
}
