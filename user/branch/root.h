/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The root of a branch as a list of steps, and the executor that does them
 * without thinking.
 */
#ifndef USER_BRANCH_ROOT_H
#define USER_BRANCH_ROOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/memory.h"
#include "bind/bound.h"
#include "guard/guard.h"

#define ROOT_MAX_LAYERS 3

enum step_kind {
	STEP_MAKE,	 /* outside: directory @target */
	STEP_TOUCH,	 /* outside: empty file @target */
	STEP_ROOT,	 /* outside: the root's file system at @target */
	STEP_OVERLAY,	 /* outside: @layers, @upper, @work at @target */
	STEP_DIRECTORY,	 /* inside: directory @target */
	STEP_SYMLINK,	 /* inside: @target leads to @source */
	STEP_DEVICE,	 /* inside: character device @device at @target */
	STEP_BIND,	 /* outside @source at inside @target */
	STEP_LAYERS,	 /* inside: read-only overlay of @layers at @target */
	STEP_TMPFS,	 /* inside: file system at @target, options @source */
	STEP_PROC,	 /* inside: the new pid namespace's at @target */
	STEP_AGAIN,	 /* inside: @source once more at @target */
	STEP_ATTRIBUTES, /* inside: mount at @target gets @attributes */
	STEP_PINS,	 /* inside: the guard's links, to be covered */
};

/**
 * struct step
 * @target:	absolute path, outside or inside the new root
 * @source:	likewise, or what the kind says
 * @layers:	outside paths, topmost first
 * @mode, @uid:	of what is made
 * @attributes:	MOUNT_ATTR_*
 * @governed:	the root of this mount belongs to the tree it lies in: the
 *		guard's label of that tree is set on it
 * @optional:	nothing happens where @source is not there
 */
struct step {
	enum step_kind kind;
	const char *target;
	const char *source;
	const char *layers[ROOT_MAX_LAYERS];
	const char *upper;
	const char *work;
	mode_t mode;
	uid_t uid;
	dev_t device;
	uint64_t attributes;
	bool governed;
	bool optional;
};

/**
 * struct root_plan
 * @arena:	owns everything here
 * @directory:	outside path of what the run writes (upper, scratch)
 * @root:	outside path where the new root is put together
 * @merged:	outside path of the subject's overlay
 * @fresh:	inside paths of the fresh directories
 */
struct root_plan {
	struct arena *arena;
	const char *directory;
	const char *root;
	const char *merged;
	struct step *steps;
	size_t nr_steps;
	const char **fresh;
	size_t nr_fresh;
};

/**
 * root_plan_branch() - the root that an agent sees
 * @bound:	contents and places
 * @snapshot:	outside path of the lower layer
 * @directory:	outside path of the run's own file system
 * @err:	ERROR_MACHINE, ERROR_CONFIG (a place that nothing can be put at)
 *
 * Reads the names of the host's top-level directories and its mounts.
 */
int root_plan_branch(const struct bound *bound, const char *snapshot,
		     const char *directory, struct root_plan *ret,
		     struct error **err);

/**
 * root_plan_oracle() - the root that the oracle sees
 * @upper:	outside path of what the agent left, the layer above @snapshot
 *
 * Of the subject only the workspace.
 */
int root_plan_oracle(const char *upper, const char *snapshot,
		     const char *directory, struct root_plan *ret,
		     struct error **err);
void root_plan_done(struct root_plan *plan);

/* root_plan_print() - one line per step */
void root_plan_print(const struct root_plan *plan, struct buffer *out);

/**
 * root_build() - do the steps
 * @guard:	to pin, NULL: no pins (tests only)
 *
 * In a new mount namespace without propagation, the old root still there.
 */
int root_build(const struct root_plan *plan, struct guard *guard,
	       struct error **err);
/* root_enter() - the new root becomes ours, the old one goes */
int root_enter(const struct root_plan *plan, struct error **err);

/**
 * overlay_mount() - layers, topmost first; index=on is read back
 * @layers:	NULL-ended or ROOT_MAX_LAYERS
 * @upper:	NULL: read-only, without index
 */
int overlay_mount(const char *target, const char *const *layers,
		  const char *upper, const char *work, struct error **err);
/* overlay_probe() - does it work in this directory? ERROR_MACHINE: no */
int overlay_probe(const char *directory, struct error **err);

#define cleanup_root_plan __attribute__((__cleanup__(root_plan_done)))

#endif /* USER_BRANCH_ROOT_H */
