/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The guard: one set of BPF programs per controller, attached once, and the
 * policies it decides by. See bpf/ for what the programs do.
 *
 * Order of use: guard_open(); guard_label(), guard_slot(), guard_endpoint()
 * for what all policies share; per branch guard_policy_add() while nothing
 * runs in its cgroup, guard_label() for its own inodes, guard_policy_mode()
 * to arm it; in the end guard_policy_remove().
 */
#ifndef USER_GUARD_GUARD_H
#define USER_GUARD_GUARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <aletheia/abi.h>

#include "base/error.h"

struct guard;

/**
 * guard_probe() - does this kernel accept and run BPF LSM programs?
 * @err:	ERROR_MACHINE with the reason and what to do
 *
 * Really loads and attaches a program and sees it decide.
 */
int guard_probe(struct error **err);

/**
 * guard_open() - load and attach all programs, or none
 * @ret:	the guard; its descriptors are close-on-exec and inherited by fork
 * @err:	ERROR_MACHINE (kernel refuses), ERROR_PERMISSION, ERROR_INTERNAL
 */
int guard_open(struct guard **ret, struct error **err);

/* guard_close() - detach and free; slow (100 ms a link under emulation) */
void guard_close(struct guard *guard);

/* guard_not_represented() - hooks this kernel lacks, a NULL-ended list */
const char *const *guard_not_represented(const struct guard *guard);

/**
 * guard_label() - say which object an inode is
 * @fd:		any descriptor of it, O_PATH too; the caller keeps one open for
 *		as long as the label must hold (storage dies with the inode)
 * @object:	object id
 * @flags:	AL_LABEL_*
 */
int guard_label(struct guard *guard, int fd, uint32_t object, uint32_t flags,
		struct error **err);
/* guard_label_get() - read a label back; -ENOENT: none */
int guard_label_get(struct guard *guard, int fd, struct al_label *ret);

/**
 * guard_slot() - what appears as @name in directory object @parent is @object
 * @name:	one path component
 * @flags:	AL_LABEL_* that it is labelled with: TREE and SLOTTED for a
 *		directory on the way to a bound object, nothing for a file
 *
 * The directory itself must be labelled with AL_LABEL_SLOTTED; what is there
 * already must be labelled by the caller.
 */
int guard_slot(struct guard *guard, uint32_t parent, const char *name,
	       uint32_t object, uint32_t flags, struct error **err);

/* guard_endpoint() - an address is an object (see struct al_endpoint_key) */
int guard_endpoint(struct guard *guard, const struct al_endpoint_key *key,
		   uint32_t object, struct error **err);

/**
 * guard_policy_add() - load a policy in AL_MODE_SETUP
 * @cgroup:	id (inode number) of its cgroup
 * @level:	depth of that cgroup below the root of the hierarchy (root: 0)
 * @rules:	one per object id, from 0
 * @nr:		how many
 *
 * The rules are frozen before the guard can see them.
 */
int guard_policy_add(struct guard *guard, uint64_t cgroup, uint32_t level,
		     const struct al_rule *rules, uint32_t nr,
		     struct error **err);

/* guard_policy_mode() - switch it (enum al_mode); read back before return */
int guard_policy_mode(struct guard *guard, uint64_t cgroup, uint32_t mode,
		      struct error **err);

/* guard_policy_rules() - the loaded rules, read back from the kernel */
int guard_policy_rules(struct guard *guard, uint64_t cgroup,
		       struct al_rule *ret_rules, uint32_t nr,
		       struct error **err);

/* guard_policy_state() - mode, sequence, losses; guard_policy_counts() - [nr] */
int guard_policy_state(struct guard *guard, uint64_t cgroup,
		       struct al_policy *ret, struct error **err);
int guard_policy_counts(struct guard *guard, uint64_t cgroup,
			struct al_count *ret_counts, uint32_t nr,
			struct error **err);

/* guard_policy_remove() - forget it; 0 also when it is not there */
int guard_policy_remove(struct guard *guard, uint64_t cgroup);

/**
 * struct guard_events - reader of one policy's ring
 *
 * guard_events_open() may be called in a process forked from the one that
 * opened the guard. guard_events_fd() polls readable; guard_events_read()
 * calls back once per event in order of sequence as the ring holds them and
 * returns how many there were, or -errno.
 */
struct guard_events;
typedef void (*guard_event_fn)(const struct al_event *event, void *context);
int guard_events_open(struct guard *guard, uint64_t cgroup, guard_event_fn fn,
		      void *context, struct guard_events **ret,
		      struct error **err);
int guard_events_fd(const struct guard_events *events);
int guard_events_read(struct guard_events *events);
void guard_events_close(struct guard_events *events);

/**
 * guard_pin() - keep the programs attached for as long as a mount lives
 * @dirfd:	an empty directory of a bpffs that nothing else can reach
 *
 * Called in the branch's mount namespace before the bpffs is covered.
 */
int guard_pin(struct guard *guard, int dirfd, struct error **err);

#if AL_SELFTEST
/* guard_detach() - drop the links, so that tests can show they would fail */
void guard_detach(struct guard *guard);
#endif

#endif /* USER_GUARD_GUARD_H */
