/* SPDX-License-Identifier: GPL-2.0-only */
/* One format of result_parse(), for this folder only. */
#ifndef USER_BRANCH_RESULT_TAP_H
#define USER_BRANCH_RESULT_TAP_H

#include <stddef.h>

#include "base/error.h"
#include "base/memory.h"
#include "judge/record.h"

int tap_parse(const char *data, size_t length, struct arena *arena,
	      struct record_test **ret, size_t *ret_nr, struct error **err);

#endif /* USER_BRANCH_RESULT_TAP_H */
