// SPDX-License-Identifier: GPL-2.0-only
#include "branch/campaign.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"

enum {
	/* On 6.1 a guarded branch takes seconds to be gone. */
	EMPTY_MS = 20000,
	EMPTY_TRIES = 6,
};

static int processes_end(int cgroup)
{
	unsigned int tries;
	int code = 0;

	for (tries = 0; tries < EMPTY_TRIES; tries++) {
		code = cgroup_kill(cgroup);
		if (!code)
			code = cgroup_wait_empty(cgroup, EMPTY_MS);
		if (code != -ETIMEDOUT)
			return code;
	}
	return code;
}

static int cgroup_end(const char *name, int hierarchy)
{
	char cgroup_name[NAME_MAX + 1];
	int cgroup cleanup_close = -1;
	int code;

	snprintf(cgroup_name, sizeof(cgroup_name), CAMPAIGN_CGROUP "%s", name);
	cgroup = openat(hierarchy, cgroup_name,
			O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	if (cgroup < 0)
		return errno == ENOENT ? 0 : -errno;
	code = processes_end(cgroup);
	return code ? code : cgroup_remove(hierarchy, cgroup_name);
}

int leftovers_remove(int base, const char *name, int hierarchy)
{
	int directory cleanup_close = openat(
		base, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	int code;

	code = cgroup_end(name, hierarchy);
	if (code)
		return code;
	if (directory < 0)
		return errno == ENOENT ? 0 : -errno;
	if (unlinkat(directory, CAMPAIGN_STATE, AT_REMOVEDIR) &&
	    errno != ENOENT)
		return -errno;
	if (unlinkat(directory, CAMPAIGN_LOCK, 0) && errno != ENOENT)
		return -errno;
	return unlinkat(base, name, AT_REMOVEDIR) && errno != ENOENT ? -errno
								     : 0;
}

/* Keep only @keep, in ascending order, and 0 to 2 as nothing. */
static void close_others(int *keep, size_t nr)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	unsigned int next = 3;
	size_t i, j;

	for (i = 0; i < 3; i++)
		if (null >= 0)
			dup2(null, (int)i);
	for (i = 0; i < nr; i++)
		for (j = i + 1; j < nr; j++)
			if (keep[j] < keep[i]) {
				int fd = keep[i];

				keep[i] = keep[j];
				keep[j] = fd;
			}
	for (i = 0; i < nr; i++) {
		if ((unsigned int)keep[i] > next)
			close_range(next, (unsigned int)keep[i] - 1, 0);
		next = (unsigned int)keep[i] + 1;
	}
	close_range(next, ~0u, 0);
}

__attribute__((noreturn)) static void janitor(struct campaign *campaign,
					      int controller)
{
	static const int ignored[] = { SIGHUP,	SIGINT,	 SIGQUIT, SIGTERM,
				       SIGPIPE, SIGUSR1, SIGUSR2, SIGALRM };
	int keep[] = { controller, campaign->base, campaign->lock,
		       campaign->hierarchy.fd };
	struct pollfd poll_fd = { .fd = controller, .events = POLLIN };
	sigset_t none;
	size_t i;

	sigemptyset(&none);
	for (i = 0; i < ARRAY_SIZE(ignored); i++)
		signal(ignored[i], SIG_IGN);
	sigprocmask(SIG_SETMASK, &none, NULL);
	setsid();
	prctl(PR_SET_NAME, "al-janitor");
	prctl(PR_SET_DUMPABLE, 0);
	if (chdir("/"))
		_exit(1);
	close_others(keep, ARRAY_SIZE(keep));
	while (poll(&poll_fd, 1, -1) <= 0)
		;
	_exit(leftovers_remove(campaign->base, campaign->name,
			       campaign->hierarchy.fd)
		      ? 1
		      : 0);
}

int janitor_start(struct campaign *campaign, struct error **err)
{
	int controller cleanup_close = pidfd_open(getpid(), 0);
	pid_t pid;

	if (controller < 0)
		return error_set(err, ERROR_MACHINE, errno, "pidfd_open: %s",
				 strerror(errno));
	pid = fork();
	if (pid < 0)
		return error_set(err, ERROR_INTERNAL, errno, "fork: %s",
				 strerror(errno));
	if (!pid)
		janitor(campaign, controller);
	campaign->janitor = pid;
	return 0;
}

void janitor_stop(struct campaign *campaign)
{
	if (campaign->janitor <= 0)
		return;
	kill(campaign->janitor, SIGKILL);
	while (waitpid(campaign->janitor, NULL, 0) < 0 && errno == EINTR)
		;
	campaign->janitor = 0;
}
