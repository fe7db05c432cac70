// SPDX-License-Identifier: GPL-2.0-only
/*
 * The floor: what no grant can give. Each hook is the one place through which
 * all callers of its facility come.
 */
#include "check.h"

/* AL_DENIED(name of the program, hook, arguments of the hook...) */
#define AL_DENIED(name, hook, ...)                                             \
	SEC("lsm/" #hook)                                                      \
	int BPF_PROG(al_##name, ##__VA_ARGS__, int ret)                        \
	{                                                                      \
		if (ret || !al_scoped())                                       \
			return ret;                                            \
		return al_floor();                                             \
	}

/* A new mount could show objects where nothing is labelled, or hide ours. */
AL_DENIED(sb_mount, sb_mount, const char *device, const struct path *path,
	  const char *type, unsigned long flags, void *data)
AL_DENIED(sb_umount, sb_umount, void *mount, int flags)
AL_DENIED(sb_remount, sb_remount, struct super_block *super, void *options)
AL_DENIED(sb_pivotroot, sb_pivotroot, const struct path *old, const struct path *new)
AL_DENIED(move_mount, move_mount, const struct path *from, const struct path *to)

/* Programs and maps could undo the guard. */
AL_DENIED(bpf, bpf, int command, void *attr, unsigned int size)

/* A user namespace gives all capabilities over what it contains. */
AL_DENIED(userns_create, userns_create, const struct cred *cred)

/* Counters and traces see more than the process. Arguments differ. */
AL_DENIED(perf_event_open_1, perf_event_open, int type)
AL_DENIED(perf_event_open_2, perf_event_open, void *attr, int type)

/* Code and data that the kernel takes into itself: modules, firmware, kexec. */
AL_DENIED(kernel_read_file, kernel_read_file, struct file *file, int id,
	  bool contents)
AL_DENIED(kernel_load_data, kernel_load_data, int id, bool contents)

/* What the machine shares. */
AL_DENIED(settime, settime, const void *time, const void *zone)
AL_DENIED(syslog, syslog, int type)
AL_DENIED(quotactl, quotactl, int commands, int type, int id, void *super)
AL_DENIED(tun_dev_create, tun_dev_create)

/*
 * io_uring: a kernel thread that submits for ever, commands to drivers that no
 * other hook sees, and requests with another's credentials. Ordinary requests
 * call the same hooks as system calls.
 */
AL_DENIED(uring_sqpoll, uring_sqpoll)
AL_DENIED(uring_cmd, uring_cmd, void *command)
AL_DENIED(uring_override_creds, uring_override_creds, const struct cred *cred)

/* Keyrings outlive processes and cross from one branch to the next. */
AL_DENIED(key_alloc, key_alloc, void *key, const struct cred *cred,
	  unsigned long flags)
AL_DENIED(key_permission, key_permission, unsigned long key,
	  const struct cred *cred, int permission)

/*
 * The kernel asks for modules by itself, when a program has an unknown format
 * for instance: not an act of the process, so nothing is accounted.
 */
SEC("lsm/kernel_module_request")
int BPF_PROG(al_kernel_module_request, char *name, int ret)
{
	if (ret || !al_scoped())
		return ret;
	return -EPERM;
}
