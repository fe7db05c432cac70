/* SPDX-License-Identifier: GPL-2.0-only */
/* Proof that a branch starts from the same state as the others. */
#ifndef USER_BRANCH_STATE_H
#define USER_BRANCH_STATE_H

#include "base/error.h"
#include "base/text.h"
#include "bind/bound.h"
#include "branch/root.h"

/**
 * state_digest() - of what the branch sees before its first instruction
 * @snapshot:	digest of the lower layer, which nothing can change
 * @root:	the branch's root
 * @empty_rule:	the rule was emptied: the only thing that may be in the upper
 *		layer
 * @err:	ERROR_INTERNAL: something else is in the upper layer, or in a
 *		fresh directory
 *
 * Names, kinds, modes, owners, sizes and links of the subject, the rule's size
 * left out; which mounts of the system there are and how; that what is fresh
 * is empty. The contents of the system are not read: nothing in a branch can
 * write them.
 */
int state_digest(const struct bound *bound, const struct digest *snapshot,
		 const struct root_plan *plan, int root, bool empty_rule,
		 struct digest *ret, struct error **err);

#endif /* USER_BRANCH_STATE_H */
