/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The maps that several units use (weak: the linker keeps one of each); those
 * of a decision alone are in check.bpf.c. User space writes labels and
 * policies; the programs write the cache, and give labels to what appears in a
 * slot or moves between classes.
 */
#ifndef BPF_MAPS_H
#define BPF_MAPS_H

#include "types.h"

#include <aletheia/abi.h>

/* Which object an inode is. */
struct {
	__uint(type, BPF_MAP_TYPE_INODE_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct al_label);
} al_labels __weak SEC(".maps");

/**
 * struct al_cached - class of an unlabelled inode, found by a walk
 * @found:	AL_CACHED(epoch when the walk began, object id), in one word, so
 *		that concurrent writers never leave one's epoch with the other's
 *		object
 * @parent:	address of the directory entry it was found in; reached through
 *		another one it may belong elsewhere
 */
struct al_cached {
	__u64 found;
	__u64 parent;
};

#define AL_CACHED(epoch, object)  ((__u64)(epoch) << 24 | (object))
#define AL_CACHED_OBJECT(found)	  ((__u32)(found) & 0xffffff)
#define AL_CACHED_EPOCH(found)	  ((found) >> 24)
_Static_assert(AL_MAX_OBJECTS <= 1u << 24, "object ids fit beside an epoch");

struct {
	__uint(type, BPF_MAP_TYPE_INODE_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct al_cached);
} al_cache __weak SEC(".maps");

/* The policies, by the ids of their cgroups. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, AL_MAX_POLICIES);
	__type(key, __u64);
	__type(value, struct al_policy);
} al_policies __weak SEC(".maps");

/*
 * Depths of the cgroups that have policies; 0: unused, and so are those behind
 * it (the root of the hierarchy never has a policy).
 */
volatile __u32 al_levels[AL_MAX_LEVELS] __weak SEC(".bss");

/* Raised whenever classes found by a walk may have changed. */
volatile __u64 al_epoch __weak SEC(".bss");

#endif /* BPF_MAPS_H */
