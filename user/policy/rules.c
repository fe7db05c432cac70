// SPDX-License-Identifier: GPL-2.0-only
#include "policy.h"

struct al_rule *rules_compile(const struct bound *bound,
			      const struct layout *layout,
			      const struct authority *authority)
{
	struct al_rule *rules = xzalloc(layout->nr_objects * sizeof(*rules));
	size_t i;

	for (i = AL_OBJECT_FIRST; i < layout->nr_objects; i++) {
		size_t id = i < bound->nr_objects ? i : layout->parents[i];

		/* AL_OBJECT_NONE, for directories without a tree, has none. */
		rules[i].allow = authority->allow[id];
		rules[i].granted = authority->granted[id];
	}
	/* Moving a directory away moves all that is bound below it. */
	for (i = 0; i < layout->nr_below; i++) {
		const struct policy_below *below = &layout->below[i];

		if (!(authority->allow[below->object] & AL_OP_DELETE))
			rules[below->directory].allow &= ~AL_OP_DELETE;
	}
	return rules;
}
