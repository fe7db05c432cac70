/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Compilation: from bound objects and authority to what is loaded into the
 * guard. Pure. The layout is the same for all branches; only rules differ.
 */
#ifndef USER_POLICY_POLICY_H
#define USER_POLICY_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "bind/bound.h"
#include "synth/authority.h"

/**
 * struct policy_label - the inode at @path in the branch (not followed) gets
 * a label
 * @flags:	AL_LABEL_*
 * @optional:	nothing may be there yet: a directory above objects that are
 *		all absent; what appears gets the same label by its slot
 */
struct policy_label {
	const char *path;
	uint32_t object;
	uint32_t flags;
	bool optional;
};

/**
 * struct policy_slot - a name in a labelled directory; see struct al_slot_key
 * @flags:	AL_LABEL_* of what appears there
 */
struct policy_slot {
	uint32_t parent;
	const char *name;
	uint32_t object;
	uint32_t flags;
};

/* Directory object @directory has bound object @object somewhere below it. */
struct policy_below {
	uint32_t directory;
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
 *		to delete everything bound below it); where no tree is above
 *		a bound path, for the directory that it lies in (which gives
 *		nothing, but knows the name)
 * @parents:	[nr_objects] for those directories the tree's object id, else 0
 * @names:	[nr_objects] for records and messages
 * @below:	for those directories what is bound below them
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
	struct policy_below *below;
	size_t nr_below;
};

/**
 * layout_compile() - from bound objects to labels, slots and endpoints
 * @err:	ERROR_CONFIG: more than aletheia/limits.h admits; ERROR_INTERNAL:
 *		two objects claim one name
 */
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
