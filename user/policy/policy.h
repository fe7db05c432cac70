/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Compilation: from bound objects and authority to what is loaded into the
 * guard. Pure. The layout is the same for all branches; only rules differ.
 */
#ifndef USER_POLICY_POLICY_H
#define USER_POLICY_POLICY_H

#include "bind/bound.h"
#include "synth/authority.h"

/* The inode at @path in the branch (not followed) gets a label. */
struct policy_label {
	const char *path;
	uint32_t object;
	uint32_t flags; /* AL_LABEL_* */
};

/* A name in a labelled directory; see struct al_slot_key. */
struct policy_slot {
	uint32_t parent;
	const char *name;
	uint32_t object;
};

struct policy_endpoint {
	struct al_endpoint_key key;
	uint32_t object;
};

/**
 * struct layout - labels, slots and endpoints of every branch
 * @nr_objects:	bound objects first, with their ids; then one object for each
 *		directory that is a component of a bound path below its tree
 *		(it governs like the tree, but its deletion needs the right
 *		to delete everything bound below it)
 * @parents:	[nr_objects] for those directories the tree's object id, else 0
 * @names:	[nr_objects] for records and messages
 */
struct layout {
	struct arena *arena;
	size_t nr_objects;
	uint32_t *parents;
	const char **names;
	struct policy_label *labels;
	size_t nr_labels;
	struct policy_slot *slots;
	size_t nr_slots;
	struct policy_endpoint *endpoints;
	size_t nr_endpoints;
};

int layout_compile(const struct bound *bound, struct layout **ret,
		   struct error **err);
void layout_free(struct layout *layout);

/**
 * rules_compile() - the rules of one policy
 *
 * Return: [layout->nr_objects] rules, malloc'ed.
 */
struct al_rule *rules_compile(const struct bound *bound,
			      const struct layout *layout,
			      const struct authority *authority);

#endif /* USER_POLICY_POLICY_H */
