/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The guard as the files of this folder share it. Only guard.c knows the
 * skeleton; the others see descriptors and the programs' two variables.
 */
#ifndef USER_GUARD_INTERNAL_H
#define USER_GUARD_INTERNAL_H

#include "guard.h"

struct guard_bpf;

/**
 * struct guard - a loaded and attached set of programs
 * @bpf:	the skeleton, which owns all descriptors below
 * @labels:	inode storage: struct al_label
 * @slots:	struct al_slot_key -> struct al_label
 * @endpoints:	struct al_endpoint_key -> object id
 * @policies:	cgroup id -> struct al_policy
 * @rules:	cgroup id -> array of struct al_rule
 * @counters:	cgroup id -> array of struct al_count
 * @rings:	cgroup id -> ring of struct al_event
 * @set_mode:	program that takes a struct al_mode_request
 * @levels:	al_levels of bpf/maps.h, in memory shared with the programs
 * @epoch:	al_epoch of bpf/maps.h, likewise
 * @missing:	guard_not_represented()
 *
 * Nothing is kept about policies: what is in the maps is all there is, so that
 * processes that inherited the guard see each other's.
 */
struct guard {
	struct guard_bpf *bpf;
	int labels;
	int slots;
	int endpoints;
	int policies;
	int rules;
	int counters;
	int rings;
	int set_mode;
	volatile uint32_t *levels;
	volatile uint64_t *epoch;
	const char **missing;
};

/* guard_inner() - a policy's own map in one of the maps of maps, or -errno */
int guard_inner(int outer, uint64_t cgroup);

#endif /* USER_GUARD_INTERNAL_H */
