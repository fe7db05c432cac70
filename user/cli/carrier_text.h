/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef USER_CLI_CARRIER_TEXT_H
#define USER_CLI_CARRIER_TEXT_H

#include <jansson.h>

#include "base/memory.h"
#include "extract/carriers.h"

/* carrier_text() - "rule: Codex, Cursor and 13 more", "script of AGENTS.md,
 * line 3". @all: name all agents */
void carrier_text(struct buffer *out, const struct carriers *carriers,
		  const struct carrier *carrier, bool all);

/* carrier_depth() - carriers that it is named by, one through the other */
unsigned int carrier_depth(const struct carriers *carriers,
			   const struct carrier *carrier);

json_t *carrier_to_json(const struct carriers *carriers,
			const struct carrier *carrier);

#endif /* USER_CLI_CARRIER_TEXT_H */
