/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From a hook's arguments to a decision: every hook fills a struct al_ask,
 * finds the object, and returns al_answer().
 */
#ifndef BPF_CHECK_H
#define BPF_CHECK_H

#include "maps.h"

/*
 * An object and more, as functions return it: beside an object the flags of
 * its slot, beside AL_OBJECT_NONE the kind (enum al_kind). Taken apart as late
 * as possible, because each branch doubles what the verifier has to look at.
 */
#define AL_FOUND(object, high) ((__u64)(high) << 32 | (object))
#define AL_FOUND_OBJECT(found) ((__u32)(found))
#define AL_FOUND_HIGH(found)   ((__u32)((found) >> 32))
#define AL_FOUND_FLAGS(found)  (AL_FOUND_HIGH(found) & ~AL_FOUND_SLOT)
#define AL_FOUND_SLOT	       (1u << 31) /* in the flags: it is a slot */

/**
 * struct al_ask - what a hook asks of all policies that govern it
 * @found:	what the call is about, as AL_FOUND()
 * @from:	what moves there, as AL_FOUND(), if @moves
 * @inode:	kernel address, for the event only
 * @name:	kernel address of the name, for the event only
 * @task:	kernel address of the other process: one that the same policy
 *		governs is never refused
 * @hook:	enum al_hook
 * @wanted:	operations, all of them
 * @refusal:	errno of a denial; 0: EACCES
 * @moves:	enum al_moves: does @from move into the class of @found?
 * @inner:	1: overlayfs asks for itself: only a denial is accounted
 *
 * Small: it lies at the bottom of a stack of 512 bytes that must also hold a
 * name and the frames between.
 */
struct al_ask {
	__u64 found;
	__u64 from;
	__u64 inode;
	__u64 name;
	__u64 task;
	__u32 hook;
	__u32 wanted;
	__u16 refusal;
	__u8 moves;
	__u8 inner;
	__u32 padding;
};

/**
 * struct al_address - where a socket goes, or what it may be
 * @key:	as it is looked up
 * @family:	AF_* of the address as it was used
 */
struct al_address {
	struct al_endpoint_key key;
	__u32 family;
};

/*
 * Global functions: the verifier looks at each once per program, and their
 * stack does not add to what their caller inlines.
 */

/**
 * al_check() - ask, account, report
 * @ask:	the question
 * @address:	the address, for sockets; else NULL
 *
 * Return: 0 or -errno.
 */
int al_check(const struct al_ask *ask, const struct al_address *address);
int al_check_level(const struct al_ask *ask, const struct al_address *address,
		   __u32 level);
/* al_slot() - object and flags of a slot; AL_OBJECT_NONE: it is none */
__u64 al_slot(__u32 parent, __u64 name);
/* al_endpoint() - the object of an address */
__u32 al_endpoint(const struct al_endpoint_key *key);
/*
 * al_opaque() - the same value, of which the verifier knows nothing: the paths
 * that lead to it become one again
 */
__u64 al_opaque(__u64 value);
/* al_unlabelled() - note that a label could not be allocated */
int al_unlabelled(void);

/* Does a policy that is in force govern the current task? */
static __always_inline bool al_scoped(void)
{
	for (int i = 0; i < AL_MAX_LEVELS; i++) {
		struct al_policy *policy;
		__u64 id;

		if (!al_levels[i])
			return false;
		id = bpf_get_current_ancestor_cgroup_id(al_levels[i]);
		policy = bpf_map_lookup_elem(&al_policies, &id);
		if (policy && policy->mode != AL_MODE_SETUP)
			return true;
	}
	return false;
}

/*
 * A program may return only what the verifier sees to be an errno, and of a
 * global function's result it knows nothing. The barrier keeps the compiler
 * from making one comparison of two, which the verifier does not follow.
 */
static __always_inline int al_errno(int error)
{
	if (error > 0)
		return -EACCES;
	barrier_var(error);
	if (error < -AL_MAX_ERRNO)
		return -EACCES;
	return error;
}

static __always_inline int al_answer(const struct al_ask *ask)
{
	return al_errno(al_check(ask, NULL));
}

/* What no grant can give: mounts, modules, BPF and the like. */
static __always_inline int al_floor(void)
{
	struct al_ask ask = {
		.hook = AL_HOOK_FLOOR,
		.wanted = AL_OP_KERNEL,
		.refusal = EPERM,
	};

	return al_answer(&ask);
}

#endif /* BPF_CHECK_H */
