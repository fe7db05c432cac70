/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the tests of the guard share: one attached set of programs, policies on
 * cgroups, processes in them, and a small file system whose places are objects.
 *
 * The programs are attached once, before main(), and inherited by all tests;
 * unless the test's program has a variable world_attaches_late: then each
 * world_open() attaches a set of its own, and world_close() detaches it.
 */
#ifndef SELFTESTS_GUARD_WORLD_H
#define SELFTESTS_GUARD_WORLD_H

#include <stdbool.h>
#include <stdint.h>

#include <aletheia/decide.h>

#include "guard/guard.h"

extern const bool world_attaches_late __attribute__((weak));

/* The objects of a world. */
enum world_object {
	WORLD_NONE = AL_OBJECT_NONE,
	WORLD_SYSTEM, /* tree: /, and the world's root */
	WORLD_WORK,   /* tree: work */
	WORLD_NARROW, /* tree: narrow */
	WORLD_OTHER,  /* tree: other */
	WORLD_KEYS,   /* component: keys, whose names are slots */
	WORLD_SECRET, /* file: keys/secret, a slot */
	WORLD_FOLDER, /* component: keys/folder, a slot */
	WORLD_INNER,  /* file: keys/folder/inner, a slot */
	WORLD_SERVER, /* an address */
	WORLD_ANY,    /* any address at some port */
	WORLD_NR,
};

#define WORLD_ALL (AL_OPS_FILE | AL_OP_CONNECT | AL_OP_BIND)

/**
 * struct world - a policy on a cgroup, and a file system
 * @guard:	the attached programs
 * @cgroup:	id of the cgroup
 * @level:	its depth
 * @dir:	descriptor of its directory
 * @procs:	descriptor of its cgroup.procs
 * @path:	its directory
 * @root:	the file system; the tests chdir() into it
 * @rules:	what world_arm() loads
 * @events:	reader of the policy's events, opened by world_arm()
 * @event:	the events read, and how many
 */
struct world {
	struct guard *guard;
	uint64_t cgroup;
	uint32_t level;
	int dir;
	int procs;
	char *path;
	char *root;
	struct al_rule rules[WORLD_NR];
	struct guard_events *events;
	struct al_event event[512];
	int nr_events;
};

enum world_kind {
	WORLD_TMPFS,   /* one tmpfs */
	WORLD_OVERLAY, /* overlay over two tmpfs, files in the lower one */
};

/*
 * world_open() - a cgroup without a policy and a labelled file system
 *
 * In a mount namespace of its own, in test_dir(). All files are owned by root
 * and have all permissions. The working directory becomes the root:
 *
 *	work/file work/two work/sub/deep/file work/empty/ work/full/x
 *	work/prog work/script (both executable)
 *	narrow/file other/file
 *	work/twin other/twin (one file)
 *	keys/secret work/alias (one file) keys/folder/inner
 */
void world_open(struct world *world, const char *dir, enum world_kind kind);
void world_close(struct world *world);

/* world_arm() - (re)load the policy with world->rules, in @mode */
void world_arm(struct world *world, uint32_t mode);

/* world_allow() - all rules allow @operations */
void world_allow(struct world *world, uint32_t operations);

/*
 * world_run() - do something in the cgroup, as a child
 *
 * Return: what @act returned: 0 or an errno (at most 255).
 */
int world_run(struct world *world, int (*act)(void));

/* world_count() - one counter; world_counts() - sum of all of them */
uint64_t world_count(struct world *world, uint32_t object, uint32_t operation,
		     bool denied);
uint64_t world_counts(struct world *world);

/* world_read() - read the events since the last time */
void world_read(struct world *world);
/* world_find() - the event of @hook about @object; NULL: none */
const struct al_event *world_find(struct world *world, uint32_t hook,
				  uint32_t object);

/* world_must() - end the test, with what @err says, if @error is not 0 */
void world_must(int error, struct error *err, const char *what);

#endif /* SELFTESTS_GUARD_WORLD_H */
