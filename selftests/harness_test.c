// SPDX-License-Identifier: GPL-2.0-only
/*
 * The harness itself: a test that cannot fail proves nothing, so every check is
 * seen failing.
 */
#include "harness.h"

static char output[64 * 1024];

/* Run those cases that match @glob; returns the exit status. */
static int cases(const char *glob, const char *must_run)
{
	size_t length;
	FILE *pipe;
	char command[512];

	snprintf(command, sizeof(command),
		 "TEST_TIMES=1 MUST_RUN=%s '%s/selftests/harness_cases' '%s'",
		 must_run, TEST_BUILD, glob);
	pipe = popen(command, "re");
	ASSERT_NOT_NULL(pipe);
	length = fread(output, 1, sizeof(output) - 1, pipe);
	output[length] = '\0';
	printf("%s\n", output);
	return WEXITSTATUS(pclose(pipe));
}

static int count(const char *what)
{
	const char *at = output;
	int n = 0;

	for (; (at = strstr(at, what)); at += strlen(what))
		n++;
	return n;
}

TEST(passing)
{
	EXPECT_EQ(cases("pass", "0"), KSFT_PASS);
	EXPECT_STREQ(output, "TAP version 13\n1..1\nok 1 pass\n"
			     "# pass:1 fail:0 skip:0\n");
}

TEST(every_expect_can_fail)
{
	EXPECT_EQ(cases("fails_*", "0"), KSFT_FAIL);
	EXPECT_EQ(count("\nnot ok "), 17);
	EXPECT_EQ(count("\nok "), 0);
	EXPECT_EQ(count("# went on\n"), 17);
	EXPECT_HAS_SUBSTR(output, "not so: 1 == 2 (1, 2)\n");
	EXPECT_HAS_SUBSTR(output, "\"a\"\n#   NULL\n");
}

TEST(every_assert_can_fail)
{
	EXPECT_EQ(cases("ends_*", "0"), KSFT_FAIL);
	EXPECT_EQ(count("\nnot ok "), 14);
	EXPECT_EQ(count("\nok "), 0);
	EXPECT_EQ(count("went on"), 0);
}

TEST(block_runs_on_failure)
{
	EXPECT_EQ(cases("block", "0"), KSFT_FAIL);
	EXPECT_HAS_SUBSTR(output, "case 7\n# went on\nnot ok 1 block\n");
	EXPECT_HAS_NOT_SUBSTR(output, "never seen");
}

TEST(output_cannot_forge_results)
{
	EXPECT_EQ(cases("output", "0"), KSFT_PASS);
	EXPECT_HAS_SUBSTR(output, "\n# ok 1 forged\n# not ok 2 forged\nok 1 ");
}

TEST(skipping)
{
	EXPECT_EQ(cases("skipped", "0"), KSFT_SKIP);
	EXPECT_HAS_SUBSTR(output, "\nok 1 skipped # SKIP no reason\n");
}

TEST(skip_among_passing)
{
	EXPECT_EQ(cases("thing.[ps]*", "0"), KSFT_PASS);
	EXPECT_HAS_SUBSTR(output, "# pass:1 fail:0 skip:1\n");
}

TEST(must_run)
{
	EXPECT_EQ(cases("skipped", "1"), KSFT_FAIL);
	EXPECT_HAS_SUBSTR(output, "MUST_RUN=1: no reason\nnot ok 1 skipped\n");
	EXPECT_EQ(cases("pass", "1"), KSFT_PASS);
}

TEST(no_such_test)
{
	EXPECT_EQ(cases("nothing", "0"), KSFT_FAIL);
	EXPECT_HAS_SUBSTR(output, "\n1..0\n");
}

TEST(deaths)
{
	EXPECT_EQ(cases("signal", "0"), KSFT_FAIL);
	EXPECT_HAS_SUBSTR(output, "# killed: Terminated\nnot ok 1 ");
	EXPECT_EQ(cases("endless", "0"), KSFT_FAIL);
	EXPECT_HAS_SUBSTR(output, "# not done after 1 seconds\nnot ok 1 ");
	EXPECT_EQ(cases("early_exit", "0"), KSFT_FAIL);
	EXPECT_HAS_SUBSTR(output, "# called exit(0)\nnot ok 1 ");
	EXPECT_EQ(cases("forked_fails", "0"), KSFT_FAIL);
	EXPECT_HAS_SUBSTR(output, "not so: 1 == 2");
}

TEST(nothing_is_left)
{
	const char *at;
	char dir[64];
	int pids[2];

	EXPECT_EQ(cases("litter", "0"), KSFT_PASS);
	at = strstr(output, "pid ");
	ASSERT_NOT_NULL(at);
	ASSERT_EQ(sscanf(at, "pid %d\n# pid %d\n# dir %63s", &pids[0], &pids[1],
			 dir),
		  3);
	for (int i = 0; i < 2; i++) {
		EXPECT_EQ(kill(pids[i], 0), -1);
		EXPECT_EQ(errno, ESRCH);
	}
	EXPECT_EQ(access(dir, F_OK), -1);
	EXPECT_EQ(errno, ENOENT);
}

TEST(fixtures)
{
	EXPECT_EQ(cases("thing.pass", "0"), KSFT_PASS);
	EXPECT_HAS_SUBSTR(output, "# teardown 6\nok 1 thing.pass\n");
	EXPECT_EQ(cases("thing.ends", "0"), KSFT_FAIL);
	EXPECT_HAS_SUBSTR(output, "# teardown 5\nnot ok 1 thing.ends\n");
	EXPECT_EQ(cases("thing.skipped", "0"), KSFT_SKIP);
	EXPECT_HAS_SUBSTR(output, "# teardown 5\nok 1 thing.skipped # SKIP ");
	EXPECT_EQ(cases("broken.never", "0"), KSFT_FAIL);
	EXPECT_HAS_NOT_SUBSTR(output, "teardown");
	EXPECT_HAS_NOT_SUBSTR(output, "went on");
}

/* In a build with AddressSanitizer a test that loses memory has failed. */
TEST(leaks)
{
	bool seen = __lsan_do_recoverable_leak_check != NULL;

	EXPECT_EQ(cases("leak", "0"), seen ? KSFT_FAIL : KSFT_PASS);
	EXPECT_EQ(!!strstr(output, "17 byte(s)"), seen);
}
