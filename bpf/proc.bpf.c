// SPDX-License-Identifier: GPL-2.0-only
/*
 * Other processes: what the same policy governs is open to it, nothing else.
 */
#include "check.h"

/* Only signals that a process sends come here, not the kernel's own. */
SEC("lsm/task_kill")
int BPF_PROG(al_task_kill, struct task_struct *task, void *info, int signal,
	     const struct cred *cred, int ret)
{
	struct al_ask ask = {
		.hook = AL_HOOK_TASK_KILL,
		.wanted = AL_OP_SIGNAL,
		.refusal = EPERM,
		.task = (__u64)task,
	};

	if (ret || !al_scoped())
		return ret;
	return al_answer(&ask);
}

/* ptrace(), and the parts of /proc/PID that are as good. */
SEC("lsm/ptrace_access_check")
int BPF_PROG(al_ptrace_access_check, struct task_struct *task,
	     unsigned int mode, int ret)
{
	struct al_ask ask = {
		.hook = AL_HOOK_PTRACE_ACCESS_CHECK,
		.wanted = AL_OP_TRACE,
		.refusal = EPERM,
		.task = (__u64)task,
	};

	if (ret || !al_scoped())
		return ret;
	return al_answer(&ask);
}
