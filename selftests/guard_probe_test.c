// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where the guard cannot run, it must say why and what to do; and never seem to
 * run. Unprivileged, on any machine.
 */
#include <sys/types.h>

#include "guard/guard.h"
#include "harness.h"

static void expect_reason(const struct error *err, enum error_kind kind)
{
	ASSERT_NOT_NULL(err);
	EXPECT_EQ(kind, err->kind);
	EXPECT_NOT_NULL(err->hint);
	EXPECT_STRNE("", err->message);
}

TEST(probe)
{
	struct error *err = NULL;
	struct guard *guard = NULL;
	int error = guard_probe(&err);

	if (!error) {
		/* What the probe promises holds. */
		EXPECT_NULL(err);
		ASSERT_EQ(0, guard_open(&guard, &err));
		guard_close(guard);
		return;
	}
	expect_reason(err, geteuid() ? ERROR_PERMISSION : ERROR_MACHINE);
	error_free(err);
	err = NULL;
	EXPECT_EQ(error, guard_open(&guard, &err));
	EXPECT_NULL(guard);
	expect_reason(err, geteuid() ? ERROR_PERMISSION : ERROR_MACHINE);
	error_free(err);
}

TEST(not_for_users)
{
	struct error *err = NULL;

	if (geteuid() == 0)
		ASSERT_EQ(0, setresuid(65534, 65534, 65534));
	EXPECT_NE(0, guard_probe(&err));
	expect_reason(err, ERROR_PERMISSION);
	error_free(err);
}
