/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A test harness with the words of the kernel's kselftest_harness.h:
 *
 *	TEST(name) { ... }                 30 seconds at most
 *	TEST_TIMEOUT(name, seconds) { ... }
 *
 *	FIXTURE(thing) { int fd; };        what the tests share
 *	FIXTURE_SETUP(thing) { self->fd = ...; }
 *	FIXTURE_TEARDOWN(thing) { close(self->fd); }
 *	TEST_F(thing, name) { ... self->fd ... }
 *	TEST_F_TIMEOUT(thing, name, seconds) { ... }
 *
 *	ASSERT_*(a, b)                     ends the test when it does not hold
 *	EXPECT_*(a, b)                     notes the failure and goes on
 *	EXPECT_EQ(a, b) { TH_LOG("case %d", i); }    says more if it fails
 *	SKIP("why")                        ends the test
 *	test_dir()                         a directory of the test's own
 *
 * Each test runs in a child of its own. Whatever it prints and however it dies,
 * the parent writes TAP version 13: the test's output as comments, then one
 * line for the test. Afterwards nothing of the test is left: neither processes
 * nor its directory.
 *
 * usage: x_test [GLOB]. Exit status, as in kselftest: 0 all passed, 1 any
 * failed or no test has such a name, 4 all skipped. With MUST_RUN=1 in the
 * environment a skipped test has failed; TEST_TIMES=n gives each n times its
 * seconds, for slow machines.
 *
 * The header holds main(): one object of a program includes it.
 */
#ifndef SELFTESTS_HARNESS_H
#define SELFTESTS_HARNESS_H

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <ftw.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { KSFT_PASS = 0, KSFT_FAIL = 1, KSFT_SKIP = 4 };

enum {
	TEST_SECONDS = 30,
	TEST_OUTPUT_MAX = 256 * 1024, /* bytes of a test's output shown */
};

struct test {
	const char *name;
	void (*run)(void);
	unsigned int seconds;
	struct test *next;
};

/* Written by the child, read by the parent: survives any kind of death. */
struct test_note {
	bool failed;
	bool ended; /* came to its end, and not by an exit() somewhere */
	char reason[256];
	char dir[64];
};

static struct test *test_head, **test_tail = &test_head;
static struct test_note *test_note;
static bool test_wrong;	 /* the check being handled does not hold */
static jmp_buf test_end; /* where ASSERT_* and SKIP() leave the test */
static pid_t test_pid;

/* ---- declaring tests */

#define TEST_REGISTER(id, string, secs)                                        \
	static void id(void);                                                  \
	__attribute__((constructor)) static void id##_register(void)           \
	{                                                                      \
		static struct test t = { string, id, secs, NULL };             \
		*test_tail = &t;                                               \
		test_tail = &t.next;                                           \
	}

#define TEST_TIMEOUT(name, secs)                                               \
	static void name##_body(void);                                         \
	TEST_REGISTER(name##_test, #name, secs)                                \
	static void name##_test(void)                                          \
	{                                                                      \
		if (!setjmp(test_end))                                         \
			name##_body();                                         \
	}                                                                      \
	static void name##_body(void)
#define TEST(name) TEST_TIMEOUT(name, TEST_SECONDS)

#define FIXTURE(name) struct name##_fixture
#define FIXTURE_SETUP(name)                                                    \
	static void name##_setup(                                              \
		__attribute__((unused)) struct name##_fixture *self)
#define FIXTURE_TEARDOWN(name)                                                 \
	static void name##_teardown(                                           \
		__attribute__((unused)) struct name##_fixture *self)

/* Teardown follows a setup that went well, also when the test ends early. */
#define TEST_F_TIMEOUT(fixture, name, secs)                                    \
	static void fixture##_##name##_body(struct fixture##_fixture *self);   \
	TEST_REGISTER(fixture##_##name##_test, #fixture "." #name, secs)       \
	static void fixture##_##name##_test(void)                              \
	{                                                                      \
		static struct fixture##_fixture self;                          \
                                                                               \
		if (setjmp(test_end))                                          \
			return;                                                \
		fixture##_setup(&self);                                        \
		if (!setjmp(test_end))                                         \
			fixture##_##name##_body(&self);                        \
		if (!setjmp(test_end))                                         \
			fixture##_teardown(&self);                             \
	}                                                                      \
	static void fixture##_##name##_body(                                   \
		__attribute__((unused)) struct fixture##_fixture *self)
#define TEST_F(fixture, name) TEST_F_TIMEOUT(fixture, name, TEST_SECONDS)

/* ---- in a test */

#define TH_LOG(fmt, ...)                                                       \
	printf("%s:%d: " fmt "\n", __FILE__, __LINE__, ##__VA_ARGS__)

/*
 * Leave the test. A process that the test has forked just ends: what comes
 * after the test is its parent's to do.
 */
__attribute__((noreturn, unused)) static void test_leave(int status)
{
	if (getpid() == test_pid)
		longjmp(test_end, 1);
	fflush(NULL);
	_exit(status);
}

/* Leave the test unfinished; CI makes that a failure (MUST_RUN=1). */
#define SKIP(...)                                                              \
	do {                                                                   \
		snprintf(test_note->reason, sizeof(test_note->reason),         \
			 __VA_ARGS__);                                         \
		test_leave(KSFT_SKIP);                                         \
	} while (0)

/* An empty directory, removed after the test with all that is in it. */
__attribute__((unused)) static const char *test_dir(void)
{
	static const char template[] = "/tmp/aletheia-test.XXXXXX";

	if (!*test_note->dir) {
		char dir[sizeof(template)];

		memcpy(dir, template, sizeof(dir));
		if (!mkdtemp(dir)) {
			perror(template);
			test_note->failed = true;
			test_leave(KSFT_FAIL);
		}
		memcpy(test_note->dir, dir, sizeof(dir));
	}
	return test_note->dir;
}

enum test_op { TEST_EQ, TEST_NE, TEST_LT, TEST_LE, TEST_GT, TEST_GE };

/* The functions test_*() that check return true when it does not hold. */
__attribute__((unused)) static bool test_int(const char *file, int line,
					     const char *what, long long a,
					     enum test_op op, long long b)
{
	bool right = op == TEST_EQ   ? a == b
		     : op == TEST_NE ? a != b
		     : op == TEST_LT ? a < b
		     : op == TEST_LE ? a <= b
		     : op == TEST_GT ? a > b
				     : a >= b;

	if (!right)
		printf("%s:%d: not so: %s (%lld, %lld)\n", file, line, what, a,
		       b);
	return !right;
}

__attribute__((unused)) static void test_print_string(const char *s)
{
	if (!s) {
		printf("NULL");
		return;
	}
	putchar('"');
	for (; *s; s++) {
		if (*s == '\n')
			printf("\\n");
		else if (*s == '"' || *s == '\\')
			printf("\\%c", *s);
		else if ((unsigned char)*s < 0x20 || *s == 0x7f)
			printf("\\x%02x", (unsigned char)*s);
		else
			putchar(*s);
	}
	putchar('"');
}

enum test_string_op { TEST_STREQ, TEST_STRNE, TEST_HAS, TEST_HAS_NOT };

__attribute__((unused)) static bool test_string(const char *file, int line,
						const char *what, const char *a,
						enum test_string_op op,
						const char *b)
{
	bool right = a && b;

	if (op == TEST_STREQ || op == TEST_STRNE)
		right = (right ? !strcmp(a, b) : a == b) == (op == TEST_STREQ);
	else if (right)
		right = !!strstr(a, b) == (op == TEST_HAS);
	if (!right) {
		printf("%s:%d: not so: %s\n  ", file, line, what);
		test_print_string(a);
		printf("\n  ");
		test_print_string(b);
		putchar('\n');
	}
	return !right;
}

__attribute__((unused)) static void test_failed(bool fatal)
{
	test_wrong = false;
	test_note->failed = true;
	if (fatal)
		test_leave(KSFT_FAIL);
}

/* A loop, so that a block may follow the check and runs when it fails. */
#define TEST_CHECK(check, fatal)                                               \
	for (test_wrong = (check); test_wrong; test_failed(fatal))

#define TEST_INT(a, sign, op, b, fatal)                                        \
	TEST_CHECK(test_int(__FILE__, __LINE__, #a " " #sign " " #b,           \
			    (long long)(a), op, (long long)(b)),               \
		   fatal)
#define TEST_BOOL(a, want, fatal)                                              \
	TEST_CHECK(test_int(__FILE__, __LINE__, #a " is " #want, !!(a),        \
			    TEST_EQ, want),                                    \
		   fatal)
#define TEST_STRING(a, word, op, b, fatal)                                     \
	TEST_CHECK(                                                            \
		test_string(__FILE__, __LINE__, #a " " word " " #b, a, op, b), \
		fatal)

/* Integers and pointers, compared as signed 64-bit numbers. */
#define ASSERT_EQ(a, b)	   TEST_INT(a, ==, TEST_EQ, b, true)
#define ASSERT_NE(a, b)	   TEST_INT(a, !=, TEST_NE, b, true)
#define ASSERT_LT(a, b)	   TEST_INT(a, <, TEST_LT, b, true)
#define ASSERT_LE(a, b)	   TEST_INT(a, <=, TEST_LE, b, true)
#define ASSERT_GT(a, b)	   TEST_INT(a, >, TEST_GT, b, true)
#define ASSERT_GE(a, b)	   TEST_INT(a, >=, TEST_GE, b, true)
#define ASSERT_TRUE(a)	   TEST_BOOL(a, true, true)
#define ASSERT_FALSE(a)	   TEST_BOOL(a, false, true)
#define ASSERT_NULL(a)	   TEST_INT(a, ==, TEST_EQ, NULL, true)
#define ASSERT_NOT_NULL(a) TEST_INT(a, !=, TEST_NE, NULL, true)

#define EXPECT_EQ(a, b)	   TEST_INT(a, ==, TEST_EQ, b, false)
#define EXPECT_NE(a, b)	   TEST_INT(a, !=, TEST_NE, b, false)
#define EXPECT_LT(a, b)	   TEST_INT(a, <, TEST_LT, b, false)
#define EXPECT_LE(a, b)	   TEST_INT(a, <=, TEST_LE, b, false)
#define EXPECT_GT(a, b)	   TEST_INT(a, >, TEST_GT, b, false)
#define EXPECT_GE(a, b)	   TEST_INT(a, >=, TEST_GE, b, false)
#define EXPECT_TRUE(a)	   TEST_BOOL(a, true, false)
#define EXPECT_FALSE(a)	   TEST_BOOL(a, false, false)
#define EXPECT_NULL(a)	   TEST_INT(a, ==, TEST_EQ, NULL, false)
#define EXPECT_NOT_NULL(a) TEST_INT(a, !=, TEST_NE, NULL, false)

/* Strings; only NULL equals NULL, and it contains nothing. */
#define ASSERT_STREQ(a, b)	TEST_STRING(a, "equals", TEST_STREQ, b, true)
#define ASSERT_STRNE(a, b)	TEST_STRING(a, "is not", TEST_STRNE, b, true)
#define ASSERT_HAS_SUBSTR(a, b) TEST_STRING(a, "has", TEST_HAS, b, true)
#define ASSERT_HAS_NOT_SUBSTR(a, b)                                            \
	TEST_STRING(a, "has not", TEST_HAS_NOT, b, true)
#define EXPECT_STREQ(a, b)	TEST_STRING(a, "equals", TEST_STREQ, b, false)
#define EXPECT_STRNE(a, b)	TEST_STRING(a, "is not", TEST_STRNE, b, false)
#define EXPECT_HAS_SUBSTR(a, b) TEST_STRING(a, "has", TEST_HAS, b, false)
#define EXPECT_HAS_NOT_SUBSTR(a, b)                                            \
	TEST_STRING(a, "has not", TEST_HAS_NOT, b, false)

/* ---- around the tests */

/* There only in a build with AddressSanitizer. */
extern int __lsan_do_recoverable_leak_check(void) __attribute__((weak));

__attribute__((noreturn)) static void
test_child(const struct test *t, int output, const sigset_t *mask)
{
	setpgid(0, 0);
	sigprocmask(SIG_SETMASK, mask, NULL);
	if (dup2(output, STDOUT_FILENO) < 0 || dup2(output, STDERR_FILENO) < 0)
		_exit(KSFT_FAIL);
	close(output);
	setvbuf(stdout, NULL, _IOLBF, 0);
	test_pid = getpid();
	t->run();
	test_note->ended = true;
	if (!test_note->failed && !*test_note->reason &&
	    __lsan_do_recoverable_leak_check &&
	    __lsan_do_recoverable_leak_check())
		test_note->failed = true;
	fflush(NULL);
	if (test_note->failed)
		_exit(KSFT_FAIL);
	_exit(*test_note->reason ? KSFT_SKIP : KSFT_PASS);
}

/* Wait for @pid until the test's time is up: false then. */
static bool test_wait(pid_t pid, unsigned int seconds, int *ret_status)
{
	struct timespec now, left = { 0 };
	sigset_t chld;
	time_t end;

	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	clock_gettime(CLOCK_MONOTONIC, &now);
	end = now.tv_sec + seconds;
	for (;;) {
		if (waitpid(pid, ret_status, WNOHANG) == pid)
			return true;
		clock_gettime(CLOCK_MONOTONIC, &now);
		if (now.tv_sec >= end)
			return false;
		left.tv_sec = end - now.tv_sec;
		sigtimedwait(&chld, NULL, &left);
	}
}

/*
 * End what the test has left running: its process group, and what has left the
 * group but is by now a child of this process, which is a subreaper.
 */
static void test_end_processes(pid_t group)
{
	char path[64];

	kill(-group, SIGKILL);
	snprintf(path, sizeof(path), "/proc/self/task/%d/children", getpid());
	/* Each death may hand over more children. */
	for (int round = 0; round < 1000; round++) {
		FILE *children = fopen(path, "re");
		int pid, count = 0;

		while (children && fscanf(children, "%d", &pid) == 1)
			count += !kill(pid, SIGKILL);
		if (children)
			fclose(children);
		if (!count)
			return;
		usleep(1000);
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
	}
}

static int test_remove(const char *path, const struct stat *stat, int flag,
		       struct FTW *ftw)
{
	(void)stat, (void)flag, (void)ftw;
	if (remove(path))
		printf("# %s: %s\n", path, strerror(errno));
	return 0;
}

/* The test's output, each line as a comment of TAP. */
static void test_show(int output)
{
	char block[4096];
	bool start = true;
	off_t at = 0, size = lseek(output, 0, SEEK_END);
	ssize_t n;

	if (size > TEST_OUTPUT_MAX) {
		at = size - TEST_OUTPUT_MAX;
		printf("# (%lld bytes left out)\n", (long long)at);
	}
	while ((n = pread(output, block, sizeof(block), at)) > 0) {
		at += n;
		for (ssize_t i = 0; i < n; i++) {
			if (start)
				fputs("# ", stdout);
			start = block[i] == '\n';
			putchar(block[i]);
		}
	}
	if (!start)
		putchar('\n');
}

static int test_one(const struct test *t, unsigned int seconds)
{
	int output, status, ret = KSFT_FAIL;
	sigset_t chld, before;
	pid_t pid;

	memset(test_note, 0, sizeof(*test_note));
	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	sigprocmask(SIG_BLOCK, &chld, &before);
	output = memfd_create("output", MFD_CLOEXEC);
	if (output < 0 || fcntl(output, F_SETFL, O_APPEND) < 0) {
		printf("# memfd_create: %s\n", strerror(errno));
		return KSFT_FAIL;
	}
	fflush(NULL);
	pid = fork();
	if (pid == 0)
		test_child(t, output, &before);
	if (pid < 0) {
		printf("# fork: %s\n", strerror(errno));
		close(output);
		return KSFT_FAIL;
	}
	if (!test_wait(pid, seconds, &status)) {
		kill(pid, SIGKILL);
		waitpid(pid, &status, 0);
		printf("# not done after %u seconds\n", seconds);
	} else if (WIFSIGNALED(status)) {
		printf("# killed: %s\n", strsignal(WTERMSIG(status)));
	} else {
		ret = WEXITSTATUS(status);
	}
	test_end_processes(pid);
	if (*test_note->dir)
		nftw(test_note->dir, test_remove, 16,
		     FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
	test_show(output);
	close(output);
	if (ret != KSFT_FAIL && !test_note->ended) {
		printf("# called exit(%d)\n", ret);
		ret = KSFT_FAIL;
	}
	return ret;
}

int main(int argc, char **argv)
{
	const char *glob = argc > 1 ? argv[1] : "*";
	const char *must_run = getenv("MUST_RUN");
	const char *times = getenv("TEST_TIMES");
	unsigned int nr = 0, fail = 0, skip = 0, total = 0;

	test_note = mmap(NULL, sizeof(*test_note), PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (test_note == MAP_FAILED || prctl(PR_SET_CHILD_SUBREAPER, 1)) {
		printf("Bail out! %s\n", strerror(errno));
		return KSFT_FAIL;
	}
	for (struct test *t = test_head; t; t = t->next)
		total += !fnmatch(glob, t->name, 0);
	printf("TAP version 13\n1..%u\n", total);
	for (struct test *t = test_head; t; t = t->next) {
		int ret;

		if (fnmatch(glob, t->name, 0))
			continue;
		ret = test_one(t, t->seconds * (times ? atoi(times) : 1));
		nr++;
		if (ret == KSFT_PASS) {
			printf("ok %u %s\n", nr, t->name);
		} else if (ret != KSFT_SKIP) {
			fail++;
			printf("not ok %u %s\n", nr, t->name);
		} else if (must_run && !strcmp(must_run, "1")) {
			fail++;
			printf("# skipped, but MUST_RUN=1: %s\nnot ok %u %s\n",
			       test_note->reason, nr, t->name);
		} else {
			skip++;
			printf("ok %u %s # SKIP %s\n", nr, t->name,
			       test_note->reason);
		}
		fflush(stdout);
	}
	printf("# pass:%u fail:%u skip:%u\n", nr - fail - skip, fail, skip);
	if (fail || !nr)
		return KSFT_FAIL;
	return skip == nr ? KSFT_SKIP : KSFT_PASS;
}

#endif /* SELFTESTS_HARNESS_H */
