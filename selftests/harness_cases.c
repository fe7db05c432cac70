// SPDX-License-Identifier: GPL-2.0-only
/* Tests that pass, fail and die, for harness_test to look at. */
#include "harness.h"

TEST(pass)
{
	const char *nothing = NULL;

	EXPECT_EQ(1, 1);
	EXPECT_NE(1, 2);
	EXPECT_LT(-1, 0);
	EXPECT_LE(1, 1);
	EXPECT_GT(2, 1);
	EXPECT_GE(2, 2);
	EXPECT_TRUE(4);
	EXPECT_FALSE(0);
	EXPECT_NULL(nothing);
	EXPECT_NOT_NULL("");
	EXPECT_STREQ("a", "a");
	EXPECT_STREQ(nothing, nothing);
	EXPECT_STRNE("a", "b");
	EXPECT_STRNE("a", nothing);
	EXPECT_HAS_SUBSTR("abc", "b");
	EXPECT_HAS_NOT_SUBSTR("abc", "d");
}

/* One test per check, or one that always holds would hide among others. */
#define FAILS(name, check)                                                     \
	TEST(fails_##name)                                                     \
	{                                                                      \
		check;                                                         \
		puts("went on");                                               \
	}
FAILS(eq, EXPECT_EQ(1, 2))
FAILS(ne, EXPECT_NE(1, 1))
FAILS(lt, EXPECT_LT(0, 0))
FAILS(le, EXPECT_LE(1, 0))
FAILS(gt, EXPECT_GT(0, 0))
FAILS(ge, EXPECT_GE(0, 1))
FAILS(true, EXPECT_TRUE(0))
FAILS(false, EXPECT_FALSE(2))
FAILS(null, EXPECT_NULL(""))
FAILS(not_null, EXPECT_NOT_NULL((void *)0))
FAILS(streq, EXPECT_STREQ("a", "b"))
FAILS(streq_null, EXPECT_STREQ("a", (char *)0))
FAILS(strne, EXPECT_STRNE("a", "a"))
FAILS(has, EXPECT_HAS_SUBSTR("abc", "d"))
FAILS(has_null, EXPECT_HAS_SUBSTR((char *)0, "d"))
FAILS(has_not, EXPECT_HAS_NOT_SUBSTR("abc", "b"))
FAILS(has_not_null, EXPECT_HAS_NOT_SUBSTR((char *)0, "b"))

#define ENDS(name, check)                                                      \
	TEST(ends_##name)                                                      \
	{                                                                      \
		check;                                                         \
		puts("went on");                                               \
	}
ENDS(eq, ASSERT_EQ(1, 2))
ENDS(ne, ASSERT_NE(1, 1))
ENDS(lt, ASSERT_LT(0, 0))
ENDS(le, ASSERT_LE(1, 0))
ENDS(gt, ASSERT_GT(0, 0))
ENDS(ge, ASSERT_GE(0, 1))
ENDS(true, ASSERT_TRUE(0))
ENDS(false, ASSERT_FALSE(2))
ENDS(null, ASSERT_NULL(""))
ENDS(not_null, ASSERT_NOT_NULL((void *)0))
ENDS(streq, ASSERT_STREQ("a", "b"))
ENDS(strne, ASSERT_STRNE("a", "a"))
ENDS(has, ASSERT_HAS_SUBSTR("abc", "d"))
ENDS(has_not, ASSERT_HAS_NOT_SUBSTR("abc", "b"))

TEST(block)
{
	EXPECT_EQ(1, 1)
	{
		TH_LOG("never seen");
	}
	EXPECT_EQ(1, 2)
	{
		EXPECT_EQ(3, 3);
		TH_LOG("case %d", 7);
	}
	puts("went on");
}

TEST(output)
{
	printf("ok 1 forged\nnot ok 2 forged");
}

TEST(skipped)
{
	SKIP("no %s", "reason");
}

TEST(signal)
{
	raise(SIGTERM);
}

TEST_TIMEOUT(endless, 1)
{
	for (;;)
		pause();
}

TEST(early_exit)
{
	exit(0);
}

TEST(forked_fails)
{
	pid_t pid = fork();

	if (pid == 0)
		ASSERT_EQ(1, 2);
	waitpid(pid, NULL, 0);
}

/* Leaves a file, a process of its group and one in its own session. */
TEST(litter)
{
	char path[256];
	FILE *file;

	for (int i = 0; i < 2; i++) {
		pid_t pid = fork();

		if (pid == 0) {
			if (i)
				setsid();
			for (;;)
				pause();
		}
		printf("pid %d\n", pid);
	}
	snprintf(path, sizeof(path), "%s/file", test_dir());
	file = fopen(path, "we");
	ASSERT_NOT_NULL(file);
	fclose(file);
	printf("dir %s\n", test_dir());
}

FIXTURE(thing)
{
	int value;
};

FIXTURE_SETUP(thing)
{
	self->value = 5;
}

FIXTURE_TEARDOWN(thing)
{
	printf("teardown %d\n", self->value);
}

TEST_F(thing, pass)
{
	EXPECT_EQ(self->value, 5);
	self->value = 6;
}

TEST_F(thing, ends)
{
	ASSERT_EQ(self->value, 7);
}

TEST_F(thing, skipped)
{
	if (self->value)
		SKIP("has a value");
}

FIXTURE(broken)
{
	int value;
};

FIXTURE_SETUP(broken)
{
	ASSERT_EQ(self->value, 1);
}

FIXTURE_TEARDOWN(broken)
{
	puts("teardown");
}

TEST_F(broken, never)
{
	puts("went on");
}

TEST(leak)
{
	char *volatile lost = malloc(17);

	ASSERT_NOT_NULL(lost);
	lost = NULL;
}
