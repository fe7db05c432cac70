// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the oracle printed is the word of code that the agent wrote: it is read
 * by a process that can do nothing but read it.
 */
#include "branch/result.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "branch/branch.h"
#include "branch/process.h"
#include "branch/seccomp.h"

enum {
	/* The reader's answer: every name, a flag and a zero each. */
	ANSWER_MAX = RESULT_SIZE_MAX + 2 * RESULT_TESTS_MAX + 4096,
	PASSED = 'p',
	FAILED = 'f',
	WRONG = 'w', /* not a result; what follows is why */
};

static void answer_add(struct buffer *answer, char kind, const char *text)
{
	buffer_addc(answer, kind);
	buffer_add(answer, text, strlen(text) + 1);
}

__attribute__((noreturn)) static void reader(int out, enum result_format format,
					     const char *data, size_t length)
{
	struct arena *arena = arena_new();
	struct error *err = NULL;
	struct record_test *tests = NULL;
	struct buffer answer = { 0 };
	size_t nr = 0, i;

	process_begin();
	prctl(PR_SET_NAME, "al-result");
	process_quiet();
	if (process_drop(BRANCH_SINK_UID) || seccomp_sink())
		_exit(1);
	if (result_parse(format, data, length, arena, &tests, &nr, &err))
		answer_add(&answer, WRONG, err->message);
	for (i = 0; i < nr; i++)
		answer_add(&answer, tests[i].passed ? PASSED : FAILED,
			   tests[i].name);
	_exit(fd_write_all(out, answer.data ? answer.data : "", answer.length)
		      ? 1
		      : 0);
}

/* Its answer is checked: the reader may have been made to say anything. */
static int read_answer(const struct buffer *answer, struct arena *arena,
		       struct record_test **ret, size_t *ret_nr,
		       struct error **err)
{
	struct record_test *tests = NULL;
	size_t at = 0, nr = 0;

	while (at < answer->length) {
		char kind = answer->data[at];
		const char *text = answer->data + at + 1;
		size_t left = answer->length - at - 1;
		struct record_test *test;

		if (!memchr(text, 0, left))
			return error_set(err, ERROR_INPUT, EBADMSG,
					 "its result could not be read");
		if (kind == WRONG)
			return error_set(err, ERROR_INPUT, EINVAL, "%s", text);
		if (nr == RESULT_TESTS_MAX)
			return error_set(err, ERROR_INPUT, E2BIG,
					 "too many tests");
		test = ARENA_PUSH(arena, tests, nr);
		test->name = arena_strdup(arena, text);
		test->passed = kind == PASSED;
		at += strlen(text) + 2;
	}
	*ret = tests;
	*ret_nr = nr;
	return 0;
}

int result_parse_apart(enum result_format format, const char *data,
		       size_t length, struct arena *arena,
		       struct record_test **ret, size_t *ret_nr,
		       struct error **err)
{
	struct buffer answer cleanup_buffer = { 0 };
	int status, pair[2], code;
	pid_t pid;

	if (pipe2(pair, O_CLOEXEC))
		return error_set(err, ERROR_INTERNAL, errno, "pipe: %s",
				 strerror(errno));
	fflush(NULL);
	pid = fork();
	if (!pid)
		reader(pair[1], format, data, length);
	close(pair[1]);
	code = pid < 0 ? -errno : fd_read_all(pair[0], ANSWER_MAX, &answer);
	close(pair[0]);
	if (pid < 0)
		return error_set(err, ERROR_INTERNAL, code, "fork: %s",
				 strerror(-code));
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (code || !WIFEXITED(status) || WEXITSTATUS(status))
		return error_set(err, ERROR_INPUT, EBADMSG,
				 "its result could not be read");
	return read_answer(&answer, arena, ret, ret_nr, err);
}
