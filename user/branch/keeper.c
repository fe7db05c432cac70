// SPDX-License-Identifier: GPL-2.0-only
#include "branch/keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "branch/process.h"

/* Its descriptors. */
enum { PIDFD = 3, NAMESPACE = 4 };

__attribute__((noreturn)) static void keeper(int pidfd, int namespace)
{
	static const int ignored[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM,
				       SIGPIPE };
	struct pollfd poll_fd = { .fd = PIDFD, .events = POLLIN };
	int high_pidfd, high_namespace;
	size_t i;

	process_begin();
	prctl(PR_SET_PDEATHSIG, 0);
	prctl(PR_SET_NAME, "al-keeper");
	prctl(PR_SET_DUMPABLE, 0);
	for (i = 0; i < ARRAY_SIZE(ignored); i++)
		signal(ignored[i], SIG_IGN);
	process_quiet();
	high_pidfd = fcntl(pidfd, F_DUPFD_CLOEXEC, 16);
	high_namespace = fcntl(namespace, F_DUPFD_CLOEXEC, 16);
	if (chdir("/") || dup2(high_pidfd, PIDFD) < 0 ||
	    dup2(high_namespace, NAMESPACE) < 0 ||
	    close_range(NAMESPACE + 1, ~0u, 0))
		_exit(1);
	while (poll(&poll_fd, 1, -1) <= 0)
		;
	close(NAMESPACE);
	_exit(0);
}

pid_t keeper_start(pid_t init, int pidfd, struct error **err)
{
	char path[64];
	int namespace cleanup_close = -1;
	pid_t pid;

	snprintf(path, sizeof(path), "/proc/%d/ns/mnt", (int)init);
	namespace = open(path, O_RDONLY | O_CLOEXEC);
	if (namespace < 0)
		return error_set(err, ERROR_INTERNAL, errno, "%s: %s", path,
				 strerror(errno));
	fflush(NULL);
	pid = fork();
	if (pid < 0)
		return error_set(err, ERROR_MACHINE, errno, "fork: %s",
				 strerror(errno));
	if (!pid)
		keeper(pidfd, namespace);
	return pid;
}

void keeper_wait(pid_t *pid)
{
	if (*pid > 0)
		while (waitpid(*pid, NULL, 0) < 0 && errno == EINTR)
			;
	*pid = 0;
}
