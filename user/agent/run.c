// SPDX-License-Identifier: GPL-2.0-only
#include "run.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"

enum { KILL_ROUNDS = 100 };

static void close_pipe(int (*fds)[2])
{
	close_fd(&(*fds)[0]);
	close_fd(&(*fds)[1]);
}

#define cleanup_pipe cleanup_with(close_pipe)

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

bool run_ok(const struct run *run)
{
	return !run->code && !run->cut && WIFEXITED(run->status) &&
	       !WEXITSTATUS(run->status);
}

void run_status(const struct run *run, struct buffer *out)
{
	if (run->code)
		buffer_printf(out, "cannot start: %s", strerror(run->code));
	else if (run->cut)
		buffer_adds(out, "cut short");
	else if (WIFSIGNALED(run->status))
		buffer_printf(out, "signal %d", WTERMSIG(run->status));
	else
		buffer_printf(out, "exit %d", WEXITSTATUS(run->status));
}

void run_done(struct run *run)
{
	buffer_done(&run->output);
}

/* ---- the child */

static void signals_default(void)
{
	sigset_t none;

	for (int i = 1; i < NSIG; i++)
		signal(i, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Tells why it could not exec through @failure, which exec closes. */
__attribute__((noreturn)) static void
child(const struct runner *runner, char *const *argv, int output, int failure)
{
	int code;

	if (setsid() >= 0 && !fchdir(runner->workspace) &&
	    dup2(runner->null, STDIN_FILENO) >= 0 &&
	    dup2(output, STDOUT_FILENO) >= 0 &&
	    dup2(output, STDERR_FILENO) >= 0 &&
	    !close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC)) {
		signals_default();
		execvp(argv[0], argv);
	}
	code = errno;
	(void)fd_write_all(failure, &code, sizeof(code));
	_exit(127);
}

/* ---- output */

/*
 * Read once, so that a flood of output cannot stop the clock; false at the end.
 * With @run NULL it is dropped.
 */
static bool output_read(struct runner *runner, int fd, struct run *run)
{
	char chunk[16384];
	ssize_t nr = read(fd, chunk, sizeof(chunk));
	size_t keep, room;

	if (nr < 0)
		return errno == EAGAIN || errno == EINTR;
	if (!nr || !run)
		return nr;
	keep = (size_t)nr;
	run->output_bytes += keep;
	room = RUN_OUTPUT_SHOWN - run->output.length;
	if (room > RUN_TOTAL_SHOWN - runner->shown)
		room = RUN_TOTAL_SHOWN - runner->shown;
	if (keep > room)
		keep = room;
	buffer_add(&run->output, chunk, keep);
	runner->shown += keep;
	return true;
}

static void strays_read(struct runner *runner)
{
	size_t i = 0;

	while (i < runner->nr_strays) {
		struct pollfd *stray = &runner->strays[i];

		if (!stray->revents || output_read(runner, stray->fd, NULL)) {
			i++;
			continue;
		}
		close(stray->fd);
		*stray = runner->strays[--runner->nr_strays];
	}
}

/*
 * What is left in the pipe of a command that has ended. The end of file does
 * not come while the command's children have the pipe.
 */
static void output_end(struct runner *runner, int fd, struct run *run)
{
	struct pollfd ready = { .fd = fd, .events = POLLIN };

	/* As much as a pipe holds; what comes later is not the command's. */
	for (int i = 0; i < 16 && poll(&ready, 1, 0) > 0; i++)
		if (!output_read(runner, fd, run))
			goto ended;
	if (runner->nr_strays < RUN_MAX_STRAYS) {
		runner->strays[runner->nr_strays++] = ready;
		return;
	}
ended:
	close(fd);
}

/* ---- waiting */

/* The session of a process, by /proc; 0: gone, a zombie, or not to be seen. */
static pid_t session_of(int proc, const char *pid)
{
	char text[512], state, *after;
	char path[64];
	int session, fd cleanup_close = -1;
	ssize_t nr;

	snprintf(path, sizeof(path), "%s/stat", pid);
	fd = openat(proc, path, O_RDONLY | O_CLOEXEC);
	nr = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (nr < 0)
		return 0;
	text[nr] = '\0';
	/* "pid (name) state ppid pgrp session"; the name may hold anything. */
	after = strrchr(text, ')');
	if (!after ||
	    sscanf(after + 1, " %c %*d %*d %d", &state, &session) != 2 ||
	    state == 'Z' || state == 'X')
		return 0;
	return session;
}

/* Kill who is in the session now; false: nobody is, or /proc is withheld. */
static bool session_kill_round(pid_t session)
{
	DIR *proc cleanup_dir = opendir("/proc");
	struct dirent *entry;
	bool found = false;

	while (proc && (entry = readdir(proc))) {
		if (entry->d_name[0] < '1' || entry->d_name[0] > '9' ||
		    session_of(dirfd(proc), entry->d_name) != session)
			continue;
		found |= !kill((pid_t)strtol(entry->d_name, NULL, 10), SIGKILL);
	}
	return found;
}

/*
 * Rounds, because a process can fork while the list is read. Most sessions are
 * one process group, which one call gets even where /proc cannot be read.
 */
static void session_kill(pid_t session)
{
	kill(-session, SIGKILL);
	kill(session, SIGKILL);
	for (int i = 0; i < KILL_ROUNDS && session_kill_round(session); i++)
		;
}

/*
 * Wait for a child, reading its output (-1: none) and that of strays. Return 0,
 * or -ETIME after @end (0: never); the child is then still there.
 */
static int child_wait(struct runner *runner, int pidfd, int output, double end,
		      struct run *run)
{
	struct pollfd fds[2 + RUN_MAX_STRAYS];
	size_t nr = runner->nr_strays;

	for (;;) {
		double left = end ? end - now() : 3600;

		if (left <= 0)
			return -ETIME;
		fds[0] = (struct pollfd){ .fd = pidfd, .events = POLLIN };
		fds[1] = (struct pollfd){ .fd = output, .events = POLLIN };
		memcpy(fds + 2, runner->strays, nr * sizeof(*fds));
		if (poll(fds, 2 + nr, (int)(left * 1000) + 1) < 0) {
			if (errno != EINTR)
				return -errno;
			continue;
		}
		if (fds[1].revents && !output_read(runner, output, run))
			output = -1;
		memcpy(runner->strays, fds + 2, nr * sizeof(*fds));
		strays_read(runner);
		nr = runner->nr_strays;
		if (fds[0].revents)
			return 0;
	}
}

static int child_reap(pid_t pid, int *ret_status)
{
	while (waitpid(pid, ret_status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return 0;
}

int runner_run(struct runner *runner, char *const *argv, unsigned int seconds,
	       struct run *ret)
{
	int output[2] cleanup_pipe = { -1, -1 };
	int failure[2] cleanup_pipe = { -1, -1 };
	int pidfd cleanup_close = -1;
	double start = now();
	int code;
	pid_t pid;

	if (pipe2(output, O_CLOEXEC) || pipe2(failure, O_CLOEXEC))
		return -errno;
	pid = fork();
	if (pid < 0)
		return -errno;
	if (!pid)
		child(runner, argv, output[1], failure[1]);
	close(take_fd(&output[1]));
	close(take_fd(&failure[1]));
	if (read(failure[0], &code, sizeof(code)) == sizeof(code))
		ret->code = code;
	pidfd = pidfd_open(pid, 0);
	code = pidfd < 0 ? -errno
			 : child_wait(runner, pidfd, output[0], start + seconds,
				      ret);
	if (code) {
		ret->cut = code == -ETIME;
		session_kill(pid);
	}
	if (code == -ETIME)
		code = 0;
	if (!code)
		code = child_reap(pid, &ret->status);
	ret->milliseconds = (unsigned int)((now() - start) * 1000);
	output_end(runner, take_fd(&output[0]), ret);
	return code;
}

int runner_call(struct runner *runner, int (*function)(void *), void *data,
		int *ret_status)
{
	int pidfd cleanup_close = -1;
	int code;
	pid_t pid;

	pid = fork();
	if (pid < 0)
		return -errno;
	if (!pid) {
		code = function(data);
		fflush(NULL);
		_exit(code);
	}
	pidfd = pidfd_open(pid, 0);
	code = pidfd < 0 ? -errno : child_wait(runner, pidfd, -1, 0, NULL);
	return code ? code : child_reap(pid, ret_status);
}
