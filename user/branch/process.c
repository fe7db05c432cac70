// SPDX-License-Identifier: GPL-2.0-only
#include "branch/process.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/sched.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"

/* Messages of the child. */
struct message {
	uint32_t ready;
	int32_t kind;
	int32_t code;
	char text[512];
	char hint[256];
};

int64_t process_now_ms(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

pid_t process_clone(int cgroup, uint64_t flags, int *ret_pidfd)
{
	int pidfd = -1;
	struct clone_args args = {
		.flags = flags | CLONE_INTO_CGROUP | CLONE_PIDFD,
		.pidfd = (uint64_t)(uintptr_t)&pidfd,
		.exit_signal = SIGCHLD,
		.cgroup = (uint64_t)cgroup,
	};
	pid_t pid;

	/* Buffered output would otherwise be written by both. */
	fflush(NULL);
	pid = (pid_t)syscall(SYS_clone3, &args, sizeof(args));
	if (pid < 0)
		return -errno;
	if (pid)
		*ret_pidfd = pidfd;
	return pid;
}

void process_begin(void)
{
	struct sigaction action = { .sa_handler = SIG_DFL };
	sigset_t none;
	int number;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (number = 1; number < NSIG; number++)
		sigaction(number, &action, NULL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	setsid();
}

void process_quiet(void)
{
	int fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	int i;

	for (i = 0; fd >= 0 && i < 3; i++)
		dup2(fd, i);
}

static int drop_capabilities(void)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct none[2] = { { 0 }, { 0 } };

	if (syscall(SYS_capset, &header, none))
		return -errno;
	return 0;
}

int process_drop(uid_t uid)
{
	int capability;

	for (capability = 0; capability < 64; capability++)
		if (prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) &&
		    errno != EINVAL)
			return -errno;
	if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) ||
	    setgroups(0, NULL) || setresgid(uid, uid, uid) ||
	    setresuid(uid, uid, uid))
		return -errno;
	if (drop_capabilities() || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) ||
	    /* The change of users has cleared it. */
	    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0))
		return -errno;
	return 0;
}

void process_reap(pid_t *pid, int *pidfd)
{
	if (*pid > 0) {
		pidfd_send_signal(*pidfd, SIGKILL, NULL, 0);
		while (waitpid(*pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	*pid = 0;
	close_fd(pidfd);
	*pidfd = -1;
}

static void send_message(int control, const struct message *message)
{
	/* Whoever does not hear it is dead, and so are we soon. */
	if (send(control, message, sizeof(*message), MSG_NOSIGNAL) < 0)
		_exit(1);
}

void process_send_ready(int control)
{
	const struct message message = { .ready = 1 };

	send_message(control, &message);
}

void process_send_error(int control, const struct error *err)
{
	struct message message = {
		.kind = error_kind_of(err),
		.code = err ? err->code : -EIO,
	};

	snprintf(message.text, sizeof(message.text), "%s",
		 err && err->message ? err->message : "failed");
	snprintf(message.hint, sizeof(message.hint), "%s",
		 err && err->hint ? err->hint : "");
	send_message(control, &message);
}

int process_wait_go(int control)
{
	char byte;
	ssize_t nr;

	do
		nr = recv(control, &byte, 1, 0);
	while (nr < 0 && errno == EINTR);
	return nr == 1 ? 0 : -EPIPE;
}

int process_wait_ready(int control, unsigned int milliseconds,
		       struct error **err)
{
	struct pollfd poll_fd = { .fd = control, .events = POLLIN };
	struct message message = { 0 };
	int64_t end = process_now_ms() + milliseconds;
	int ready;

	do {
		int64_t left = end - process_now_ms();

		ready = poll(&poll_fd, 1, left > 0 ? (int)left : 0);
	} while (ready < 0 && errno == EINTR);
	if (!ready)
		return error_set(
			err, ERROR_MACHINE, ETIMEDOUT,
			"a process of the branch did not get ready in %u s",
			milliseconds / 1000);
	if (recv(control, &message, sizeof(message), MSG_DONTWAIT) !=
	    (ssize_t)sizeof(message))
		return error_set(
			err, ERROR_INTERNAL, EPIPE,
			"a process of the branch died before it was ready");
	if (message.ready)
		return 0;
	error_set(err, (enum error_kind)message.kind, message.code, "%.*s",
		  (int)sizeof(message.text) - 1, message.text);
	if (*message.hint)
		error_hint(err, "%.*s", (int)sizeof(message.hint) - 1,
			   message.hint);
	return message.code ? message.code : -EIO;
}

void process_send_go(int control)
{
	char byte = 1;

	/* If it is dead, its process descriptor says so. */
	if (send(control, &byte, 1, MSG_NOSIGNAL) < 0)
		return;
}
