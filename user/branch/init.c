// SPDX-License-Identifier: GPL-2.0-only
#include "branch/init.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "branch/branch.h"
#include "branch/network.h"
#include "branch/process.h"
#include "branch/seccomp.h"

#define HOST_NAME "aletheia"

enum {
	FILES_MAX = 16384,
	/* Names of command's descriptors while it is being started. */
	STARTED_FD = 3,
	GO_FD = 4,
};

static int failed(struct error **err, const char *what)
{
	int code = errno;

	return error_set(err, ERROR_MACHINE, code, "%s: %s", what,
			 strerror(code));
}

/* If memory gets short, a branch goes before whoever runs it. */
static void prefer_as_victim(void)
{
	int fd cleanup_close =
		open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	if (fd >= 0 && write(fd, "500", 3) != 3)
		return;
}

static int enter_namespaces(const struct sandbox_spec *spec, struct error **err)
{
	/* clone3() made the others; this one takes the caller's cgroup. */
	if (unshare(CLONE_NEWCGROUP))
		return failed(err, "cgroup namespace");
	if (spec->network >= 0 ? setns(spec->network, CLONE_NEWNET)
			       : unshare(CLONE_NEWNET))
		return failed(err, "network namespace");
	if (spec->network < 0 && network_up(err))
		return -EIO;
	if (sethostname(HOST_NAME, strlen(HOST_NAME)) || setdomainname("", 0))
		return failed(err, "host name");
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL))
		return failed(err, "mount propagation");
	/* A session key ring of its own, not the caller's. */
	syscall(SYS_keyctl, 1 /* KEYCTL_JOIN_SESSION_KEYRING */, NULL);
	return 0;
}

static int prepare(const struct sandbox_spec *spec, struct error **err)
{
	int merged cleanup_close = -1;

	if (!spec->prepare)
		return 0;
	merged = open(spec->plan->merged, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (merged < 0)
		return failed(err, spec->plan->merged);
	return spec->prepare(spec->context, merged, spec->notes, err);
}

static int build(const struct sandbox_spec *spec, int *ret_null,
		 struct error **err)
{
	int code;

	umask(022);
	prefer_as_victim();
	code = enter_namespaces(spec, err);
	if (!code)
		code = root_build(spec->plan, spec->guard, err);
	if (!code)
		code = prepare(spec, err);
	if (!code)
		code = root_enter(spec->plan, err);
	if (code)
		return code;
	*ret_null = open("/dev/null", O_RDWR | O_CLOEXEC);
	return *ret_null < 0 ? failed(err, "/dev/null") : 0;
}

/* ---- the command */

static int set_limits(const struct sandbox_spec *spec)
{
	/*
	 * With 0 a crash would still start the machine's core handler, as
	 * root, outside of all this; with 1 the kernel does not.
	 */
	struct rlimit core = { 1, 1 };
	struct rlimit files = { 1024, FILES_MAX };
	struct rlimit disk = { spec->disk, spec->disk };
	struct rlimit processes = { spec->processes, spec->processes };

	if (setrlimit(RLIMIT_CORE, &core) || setrlimit(RLIMIT_NOFILE, &files) ||
	    (spec->disk && setrlimit(RLIMIT_FSIZE, &disk)) ||
	    (spec->processes && setrlimit(RLIMIT_NPROC, &processes)))
		return -errno;
	return 0;
}

/* Only 0 to 4 stay open, the last two not beyond exec. */
static int arrange_streams(const struct init_streams *streams, int null, int go)
{
	int started = fcntl(streams->started, F_DUPFD_CLOEXEC, 16);
	int out = fcntl(streams->out, F_DUPFD_CLOEXEC, 16);
	int err = fcntl(streams->err, F_DUPFD_CLOEXEC, 16);
	int copy = fcntl(go, F_DUPFD_CLOEXEC, 16);

	if (started < 0 || out < 0 || err < 0 || copy < 0 ||
	    dup2(null, 0) < 0 || dup2(out, 1) < 0 || dup2(err, 2) < 0 ||
	    dup3(started, STARTED_FD, O_CLOEXEC) < 0 ||
	    dup3(copy, GO_FD, O_CLOEXEC) < 0)
		return -errno;
	return close_range(GO_FD + 1, ~0u, 0) ? -errno : 0;
}

/* Until process 1 has given up what it has: then its end closes. */
static void wait_for_init(void)
{
	char byte;

	while (read(GO_FD, &byte, 1) < 0 && errno == EINTR)
		;
	close(GO_FD);
}

__attribute__((noreturn)) static void
command(const struct sandbox_spec *spec, const struct init_streams *streams,
	int null, int go)
{
	struct init_failure failure = { 0 };

	setsid();
	failure.code = -arrange_streams(streams, null, go);
	if (!failure.code)
		failure.code = -set_limits(spec);
	if (!failure.code)
		failure.code = -process_drop(BRANCH_AGENT_UID);
	if (!failure.code)
		failure.code = -seccomp_agent();
	if (!failure.code) {
		wait_for_init();
		if (chdir(spec->directory)) {
			failure.code = errno;
		} else {
			environ = (char **)(uintptr_t)spec->environment;
			execvp(spec->argv[0],
			       (char *const *)(uintptr_t)spec->argv);
			failure.code = errno;
		}
	}
	if (write(STARTED_FD, &failure, sizeof(failure)) < 0)
		_exit(126);
	_exit(127);
}

/* ---- process 1 */

/* Its parent could have died while its death signal was not set. */
static bool parent_died(int control)
{
	struct pollfd poll_fd = { .fd = control, .events = POLLIN };

	return poll(&poll_fd, 1, 0) && poll_fd.revents & POLLHUP;
}

/* Everything else in the branch ends when process 1 does. */
__attribute__((noreturn)) static void reap_until(pid_t pid)
{
	for (;;) {
		int status;
		pid_t dead = waitpid(-1, &status, 0);

		if (dead < 0 && errno == ECHILD)
			_exit(255);
		if (dead != pid)
			continue;
		if (WIFSIGNALED(status))
			_exit(128 + WTERMSIG(status));
		_exit(WEXITSTATUS(status));
	}
}

/* Before the command has run: nobody must take our status for its. */
__attribute__((noreturn)) static void
give_up(const struct init_streams *streams, int code)
{
	const struct init_failure failure = { .code = code ? code : EIO };

	if (write(streams->started, &failure, sizeof(failure)) < 0)
		_exit(126);
	_exit(127);
}

void sandbox_init(const struct sandbox_spec *spec,
		  const struct init_streams *streams)
{
	struct error *err = NULL;
	int go[2], null = -1, code;
	pid_t pid;

	process_begin();
	prctl(PR_SET_NAME, "al-init");
	if (build(spec, &null, &err)) {
		process_send_error(streams->control, err);
		_exit(1);
	}
	process_send_ready(streams->control);
	if (process_wait_go(streams->control))
		_exit(1);
	if (pipe2(go, O_CLOEXEC))
		give_up(streams, errno);
	pid = fork();
	if (pid < 0)
		give_up(streams, errno);
	if (!pid) {
		close(go[1]);
		command(spec, streams, null, go[0]);
	}
	code = process_drop(BRANCH_INIT_UID);
	if (code)
		give_up(streams, -code);
	if (parent_died(streams->control))
		_exit(1);
	code = seccomp_init_process();
	if (code)
		give_up(streams, -code);
	/* With this the command goes on: nothing is held any more. */
	close_range(0, ~0u, 0);
	reap_until(pid);
}
