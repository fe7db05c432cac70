// SPDX-License-Identifier: GPL-2.0-only
#include "branch/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "branch/init.h"
#include "branch/keeper.h"
#include "branch/process.h"

enum {
	/* Under emulation, with many system mounts. */
	BUILD_MS = 60000,
	/* On 6.1 a guarded branch takes seconds to be gone. */
	EMPTY_MS = 30000,
};

#define NAMESPACES                                                             \
	((uint64_t)(CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS))

static int open_pipe(int *ret_read, int *ret_write, bool blocking)
{
	int pair[2];

	if (pipe2(pair, O_CLOEXEC))
		return -errno;
	if (!blocking && fcntl(pair[0], F_SETFL, O_NONBLOCK))
		return -errno;
	*ret_read = pair[0];
	*ret_write = pair[1];
	return 0;
}

/* The sandbox's ends: closed here once it has them. */
static int open_streams(struct sandbox *sandbox, struct init_streams *theirs)
{
	int pair[2];
	int code;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return -errno;
	sandbox->control = pair[0];
	theirs->control = pair[1];
	code = open_pipe(&sandbox->started, &theirs->started, false);
	if (!code)
		code = open_pipe(&sandbox->out, &theirs->out, false);
	if (!code)
		code = open_pipe(&sandbox->err, &theirs->err, false);
	return code;
}

static void close_streams(struct init_streams *streams)
{
	close_fd(&streams->control);
	close_fd(&streams->started);
	close_fd(&streams->out);
	close_fd(&streams->err);
}

static int open_root(struct sandbox *sandbox, struct error **err)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/root", (int)sandbox->pid);
	sandbox->root = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (sandbox->root < 0)
		return error_set(err, ERROR_INTERNAL, errno, "%s: %s", path,
				 strerror(errno));
	return 0;
}

int sandbox_build(const struct sandbox_spec *spec, struct sandbox *ret,
		  struct error **err)
{
	struct init_streams theirs = { -1, -1, -1, -1 };
	int code = open_streams(ret, &theirs);

	ret->spec = spec;
	if (code) {
		close_streams(&theirs);
		return error_set(err, ERROR_MACHINE, code, "pipes: %s",
				 strerror(-code));
	}
	ret->pid = process_clone(spec->cgroup->fd, NAMESPACES, &ret->pidfd);
	if (!ret->pid)
		sandbox_init(spec, &theirs);
	close_streams(&theirs);
	if (ret->pid < 0) {
		code = (int)ret->pid;
		ret->pid = 0;
		return error_set(err, ERROR_MACHINE, code,
				 "cannot make the namespaces: %s",
				 strerror(-code));
	}
	code = process_wait_ready(ret->control, BUILD_MS, err);
	if (code)
		return code;
	ret->keeper = keeper_start(ret->pid, ret->pidfd, err);
	if (ret->keeper < 0) {
		code = (int)ret->keeper;
		ret->keeper = 0;
		return code;
	}
	return open_root(ret, err);
}

/* ---- output */

void output_done(struct output *output)
{
	buffer_done(&output->bytes);
}

static void output_add(struct output *output, const char *data, size_t length)
{
	struct buffer *bytes = &output->bytes;

	output->total += length;
	if (output->head) {
		size_t room = output->limit - bytes->length;

		buffer_add(bytes, data, length < room ? length : room);
		return;
	}
	buffer_add(bytes, data, length);
	/* Twice the limit, so that moving costs little per byte. */
	if (bytes->length > 2 * output->limit) {
		memmove(bytes->data,
			bytes->data + bytes->length - output->limit,
			output->limit);
		bytes->length = output->limit;
	}
}

static void output_trim(struct output *output)
{
	struct buffer *bytes = &output->bytes;

	if (output->head || bytes->length <= output->limit)
		return;
	memmove(bytes->data, bytes->data + bytes->length - output->limit,
		output->limit);
	bytes->length = output->limit;
}

/* One chunk; false: nothing there (any more). */
static bool drain(int *fd, struct output *output)
{
	char chunk[65536];
	ssize_t nr;

	if (*fd < 0)
		return false;
	nr = read(*fd, chunk, sizeof(chunk));
	if (nr > 0) {
		output_add(output, chunk, (size_t)nr);
		return true;
	}
	if (nr < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	close(*fd);
	*fd = -1;
	return false;
}

/* ---- running */

static void read_started(struct sandbox *sandbox)
{
	struct init_failure failure;

	if (read(sandbox->started, &failure, sizeof(failure)) ==
	    (ssize_t)sizeof(failure)) {
		sandbox->end = SANDBOX_NO_EXEC;
		sandbox->status = failure.code;
	}
	close_fd(&sandbox->started);
	sandbox->started = -1;
}

enum {
	WATCH_PIDFD,
	WATCH_STARTED,
	WATCH_OUT,
	WATCH_ERR,
	WATCH_MORE,
	NR_WATCHES
};

/*
 * Returns 1 when process 1 is dead, 0 at the time limit. Whoever floods us
 * with output or events does not keep us from looking at the clock.
 */
static int watch_loop(struct sandbox *sandbox,
		      const struct sandbox_watch *watch)
{
	int64_t end = process_now_ms() + (int64_t)watch->seconds * 1000;

	for (;;) {
		struct pollfd polls[NR_WATCHES] = {
			[WATCH_PIDFD] = { .fd = sandbox->pidfd },
			[WATCH_STARTED] = { .fd = sandbox->started },
			[WATCH_OUT] = { .fd = sandbox->out },
			[WATCH_ERR] = { .fd = sandbox->err },
			[WATCH_MORE] = { .fd = watch->fd },
		};
		int64_t left = end - process_now_ms();
		int i, code;

		if (left <= 0)
			return 0;
		for (i = 0; i < NR_WATCHES; i++)
			polls[i].events = POLLIN;
		if (poll(polls, NR_WATCHES, left > 60000 ? 60000 : (int)left) <
		    0) {
			if (errno == EINTR)
				continue;
			return -errno;
		}
		if (polls[WATCH_STARTED].revents)
			read_started(sandbox);
		if (polls[WATCH_OUT].revents)
			drain(&sandbox->out, watch->out);
		if (polls[WATCH_ERR].revents)
			drain(&sandbox->err, watch->err);
		if (polls[WATCH_MORE].revents && watch->ready) {
			code = watch->ready(watch->context);
			if (code < 0)
				return code;
		}
		if (polls[WATCH_PIDFD].revents)
			return 1;
	}
}

static int end_processes(struct sandbox *sandbox, struct error **err)
{
	int cgroup = sandbox->spec->cgroup->fd;
	int code = cgroup_kill(cgroup);

	if (!code && sandbox->pid) {
		int status;

		while (waitpid(sandbox->pid, &status, 0) < 0)
			if (errno != EINTR)
				return error_set(err, ERROR_INTERNAL, errno,
						 "waitpid: %s",
						 strerror(errno));
		sandbox->pid = 0;
		if (sandbox->end != SANDBOX_EXITED) {
			/* Known better already. */
		} else if (WIFEXITED(status)) {
			sandbox->status = WEXITSTATUS(status);
		} else {
			sandbox->end = SANDBOX_KILLED;
			sandbox->status = WTERMSIG(status);
		}
	}
	if (!code)
		code = cgroup_wait_empty(cgroup, EMPTY_MS);
	if (!code)
		keeper_wait(&sandbox->keeper);
	if (code)
		return error_set(err, ERROR_INTERNAL, code,
				 "processes of the branch cannot be ended: %s",
				 strerror(-code));
	return 0;
}

int sandbox_run(struct sandbox *sandbox, const struct sandbox_watch *watch,
		struct error **err)
{
	int code, code2;

	process_send_go(sandbox->control);
	code = watch_loop(sandbox, watch);
	if (!code)
		sandbox->end = SANDBOX_TIMEOUT;
	code2 = end_processes(sandbox, err);
	if (code2)
		return code2;
	if (code < 0)
		return error_set(err, ERROR_INTERNAL, code,
				 "watching the branch: %s", strerror(-code));
	if (sandbox->started >= 0)
		read_started(sandbox);
	/* A pipe holds 64 KiB; the writers are dead. */
	while (drain(&sandbox->out, watch->out) ||
	       drain(&sandbox->err, watch->err))
		;
	output_trim(watch->out);
	output_trim(watch->err);
	return 0;
}

void sandbox_done(struct sandbox *sandbox)
{
	if (sandbox->pid > 0)
		cgroup_kill(sandbox->spec->cgroup->fd);
	process_reap(&sandbox->pid, &sandbox->pidfd);
	keeper_wait(&sandbox->keeper);
	close_fd(&sandbox->control);
	close_fd(&sandbox->started);
	close_fd(&sandbox->out);
	close_fd(&sandbox->err);
	close_fd(&sandbox->root);
	*sandbox = (struct sandbox)SANDBOX_INIT;
}
