// SPDX-License-Identifier: GPL-2.0-only
#include "cli/vm.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/companion.h"
#include "base/memory.h"
#include "guard/guard.h"

int vm_mode_parse(const char *word)
{
	static const char *const words[] = { "auto", "always", "never" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(words); i++) {
		if (!strcmp(words[i], word))
			return (int)i;
	}
	return -1;
}

int vm_wanted(enum vm_mode mode, bool *ret, struct error **reason,
	      struct error **err)
{
	int r;

	*ret = mode == VM_ALWAYS;
	if (mode == VM_ALWAYS)
		return 0;
	r = guard_probe(reason);
	if (!r)
		return 0;
	/* Another user's lack of rights is none of the kernel's. */
	if (mode == VM_NEVER || error_kind_of(*reason) == ERROR_PERMISSION) {
		error_move(err, reason);
		return r;
	}
	*ret = true;
	return 0;
}

int vm_run(const char *const *arguments, const char *kernel,
	   const char *directory, int *ret_status, struct error **err)
{
	char *script cleanup_free = NULL;
	char *self cleanup_free = program_path();
	const char **argv cleanup_free = NULL;
	size_t nr = 0, i;
	int status;
	pid_t pid;

	if (companion_find("vm", &script, err))
		return -ENOENT;
	for (i = 0; arguments[i]; i++)
		;
	argv = xzalloc((i + 12) * sizeof(*argv));
	argv[nr++] = script;
	argv[nr++] = "--kernel";
	argv[nr++] = kernel;
	argv[nr++] = "--timeout";
	argv[nr++] = "0";
	argv[nr++] = "--out";
	argv[nr++] = directory;
	argv[nr++] = "--";
	argv[nr++] = self;
	for (i = 0; arguments[i]; i++)
		argv[nr++] = arguments[i];

	fflush(NULL);
	pid = fork();
	if (!pid) {
		/* The script ends the machine when it is ended itself. */
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		execv(script, (char *const *)argv);
		_exit(127);
	}
	if (pid < 0)
		return error_set(err, ERROR_MACHINE, errno, "fork: %s",
				 strerror(errno));
	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			return error_set(err, ERROR_INTERNAL, errno,
					 "waiting for the VM: %s",
					 strerror(errno));
	}
	*ret_status = WIFEXITED(status) ? WEXITSTATUS(status) :
					  128 + WTERMSIG(status);
	return 0;
}
