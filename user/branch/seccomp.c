// SPDX-License-Identifier: GPL-2.0-only
#include "branch/seccomp.h"

#include <errno.h>
#include <linux/netlink.h>
#include <sched.h>
#include <seccomp.h>
#include <stdbool.h>
#include <sys/socket.h>

#include "base/cleanup.h"

/* An int argument is 32 bits; what the caller left above them is nothing. */
#define INT_IS(nr, value)                                                      \
	SCMP_CMP(nr, SCMP_CMP_MASKED_EQ, 0xffffffffu, (scmp_datum_t)(value))
#define HAS_FLAG(nr, flag) SCMP_CMP(nr, SCMP_CMP_MASKED_EQ, (flag), (flag))

#ifndef IPPROTO_MPTCP
#define IPPROTO_MPTCP 262
#endif
#ifndef CLONE_NEWTIME
#define CLONE_NEWTIME 0x80
#endif

/* No such call in this kernel: programs then do it another way. */
static const char *const unknown_calls[] = {
	"io_uring_setup",
	"io_uring_enter",
	"io_uring_register",
	/* Its flags are out of a filter's sight; libc falls back to clone. */
	"clone3",
};

static const char *const forbidden_calls[] = {
	/* mounts */
	"mount",
	"umount",
	"umount2",
	"pivot_root",
	"chroot",
	"open_tree",
	"move_mount",
	"fsopen",
	"fsconfig",
	"fsmount",
	"fspick",
	"mount_setattr",
	"quotactl",
	"quotactl_fd",
	"swapon",
	"swapoff",
	/* namespaces */
	"setns",
	/* the kernel itself */
	"bpf",
	"perf_event_open",
	"kexec_load",
	"kexec_file_load",
	"init_module",
	"finit_module",
	"delete_module",
	"create_module",
	"reboot",
	"syslog",
	"acct",
	"iopl",
	"ioperm",
	"lookup_dcookie",
	"userfaultfd",
	"nfsservctl",
	"vhangup",
	"uselib",
	"ustat",
	"sysfs",
	/* clock and identity of the machine */
	"settimeofday",
	"stime",
	"clock_settime",
	"clock_settime64",
	"adjtimex",
	"clock_adjtime",
	"clock_adjtime64",
	"sethostname",
	"setdomainname",
	/* key rings outlive a branch */
	"keyctl",
	"add_key",
	"request_key",
	/* files by a door without a name */
	"open_by_handle_at",
	"name_to_handle_at",
	/* watches of whole file systems */
	"fanotify_init",
	"fanotify_mark",
};

/* In clone()'s and unshare()'s first argument. */
static const unsigned long namespace_flags[] = {
	CLONE_NEWNS,   CLONE_NEWCGROUP, CLONE_NEWUTS, CLONE_NEWIPC,
	CLONE_NEWUSER, CLONE_NEWPID,	CLONE_NEWNET,
};

/* Address families that programs of a branch may use. */
static bool known_family(int family)
{
	return family == AF_UNIX || family == AF_INET || family == AF_INET6 ||
	       family == AF_NETLINK;
}

/* Calls that this architecture never had are no error. */
static int add_names(scmp_filter_ctx filter, uint32_t action,
		     const char *const *names, size_t nr)
{
	size_t i;

	for (i = 0; i < nr; i++) {
		int call = seccomp_syscall_resolve_name(names[i]);
		int code;

		if (call == __NR_SCMP_ERROR || call < 0)
			continue;
		code = seccomp_rule_add(filter, action, call, 0);
		if (code)
			return code;
	}
	return 0;
}

static int add_namespaces(scmp_filter_ctx filter)
{
	size_t i;
	int code = 0;

	for (i = 0; !code && i < ARRAY_SIZE(namespace_flags); i++) {
		unsigned long flag = namespace_flags[i];

		code = seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM),
					SCMP_SYS(clone), 1, HAS_FLAG(0, flag));
		if (!code)
			code = seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM),
						SCMP_SYS(unshare), 1,
						HAS_FLAG(0, flag));
	}
	/* In clone() the same bit belongs to the exit signal. */
	if (!code)
		code = seccomp_rule_add(
			filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(unshare), 1,
			HAS_FLAG(0, (unsigned long)CLONE_NEWTIME));
	return code;
}

static int add_sockets(scmp_filter_ctx filter)
{
	int family, protocol, code = 0;

	/* The kernel itself refuses families from 46 on. */
	for (family = 0; !code && family < 64; family++)
		if (!known_family(family))
			code = seccomp_rule_add(
				filter, SCMP_ACT_ERRNO(EAFNOSUPPORT),
				SCMP_SYS(socket), 1, INT_IS(0, family));
	for (protocol = 1; !code && protocol < 64; protocol++)
		if (protocol != NETLINK_ROUTE)
			code = seccomp_rule_add(
				filter, SCMP_ACT_ERRNO(EPROTONOSUPPORT),
				SCMP_SYS(socket), 2, INT_IS(0, AF_NETLINK),
				INT_IS(2, protocol));
	if (!code)
		code = seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPROTONOSUPPORT),
					SCMP_SYS(socket), 2, INT_IS(0, AF_INET),
					INT_IS(2, IPPROTO_MPTCP));
	if (!code)
		code = seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPROTONOSUPPORT),
					SCMP_SYS(socket), 2,
					INT_IS(0, AF_INET6),
					INT_IS(2, IPPROTO_MPTCP));
	return code;
}

/* Calls of another architecture's table would not be seen: they kill. */
static int load(scmp_filter_ctx filter)
{
	int code = seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH,
				    SCMP_ACT_KILL_PROCESS);

	if (!code)
		code = seccomp_attr_set(filter, SCMP_FLTATR_CTL_NNP, 0);
	return code ? code : seccomp_load(filter);
}

int seccomp_agent(void)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
	int code;

	if (!filter)
		return -ENOMEM;
	code = add_names(filter, SCMP_ACT_ERRNO(ENOSYS), unknown_calls,
			 ARRAY_SIZE(unknown_calls));
	if (!code)
		code = add_names(filter, SCMP_ACT_ERRNO(EPERM), forbidden_calls,
				 ARRAY_SIZE(forbidden_calls));
	if (!code)
		code = add_namespaces(filter);
	if (!code)
		code = add_sockets(filter);
	if (!code)
		code = load(filter);
	seccomp_release(filter);
	return code;
}

static int only(const char *const *names, size_t nr)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_KILL_PROCESS);
	int code;

	if (!filter)
		return -ENOMEM;
	code = add_names(filter, SCMP_ACT_ALLOW, names, nr);
	if (!code)
		code = load(filter);
	seccomp_release(filter);
	return code;
}

int seccomp_init_process(void)
{
	static const char *const names[] = {
		"waitid", "wait4", "exit",  "exit_group",   "close_range",
		"close",  "poll",  "ppoll", "rt_sigreturn", "restart_syscall",
	};

	return only(names, ARRAY_SIZE(names));
}

int seccomp_sink(void)
{
	static const char *const names[] = {
		"accept",	  "accept4",	     "read",
		"recvfrom",	  "recvmsg",	     "write",
		"close",	  "shutdown",	     "poll",
		"ppoll",	  "fcntl",	     "brk",
		"mmap",		  "munmap",	     "mremap",
		"madvise",	  "mprotect",	     "futex",
		"clock_gettime",  "gettimeofday",    "getrandom",
		"exit",		  "exit_group",	     "rt_sigreturn",
		"rt_sigprocmask", "restart_syscall",
	};

	return only(names, ARRAY_SIZE(names));
}
