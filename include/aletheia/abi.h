/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What crosses between the guard (bpf/) and user space: fixed width, no
 * holes, sizes asserted. Nothing here is a published interface between
 * versions: both sides are always built together.
 */
#ifndef ALETHEIA_ABI_H
#define ALETHEIA_ABI_H

#ifndef __bpf__
#include <linux/types.h>
#endif

#include <aletheia/limits.h>
#include <aletheia/operations.h>

/*
 * Object ids. The same id means the same bound object in every branch and at
 * every overlay level; which operations a branch may do on it is in that
 * branch's rules alone.
 */
enum al_object {
	AL_OBJECT_NONE = 0, /* nothing bound: every operation is denied */
	AL_OBJECT_FIRST = 1,
};

/* struct al_label.flags */
#define AL_LABEL_TREE	 0x1u /* unlabelled objects below belong to it */
#define AL_LABEL_SLOTTED 0x2u /* names in this directory may be slots */

/**
 * struct al_label - what inode storage says about an inode
 * @object: object id
 * @flags:	AL_LABEL_*
 */
struct al_label {
	__u32 object;
	__u32 flags;
};

/**
 * struct al_slot_key - a name in a labelled directory
 * @parent:	object id of the directory
 * @length:	bytes of @name that count
 * @name:	exact name, zero padded
 */
struct al_slot_key {
	__u32 parent;
	__u32 length;
	__u8 name[AL_NAME_SIZE];
};

#define AL_PROTOCOL_TCP 6
#define AL_PROTOCOL_UDP 17

/* struct al_endpoint_key.side */
#define AL_SIDE_REMOTE 0 /* connect, send */
#define AL_SIDE_LOCAL  1 /* bind, listen */

/**
 * struct al_endpoint_key - an address as the guard looks it up
 * @address:	IPv6, or IPv4 as ::ffff:a.b.c.d; all zero: any address
 * @port:	host byte order; 0: any port
 * @protocol:	AL_PROTOCOL_*
 * @side:	AL_SIDE_*
 *
 * Looked up in the order (address, port), (address, 0), (any, port), (any, 0).
 */
struct al_endpoint_key {
	__u8 address[16];
	__u16 port;
	__u8 protocol;
	__u8 side;
};

/**
 * struct al_rule - one object in one policy
 * @allow:	operations permitted (bits of enum al_operation_bit)
 * @granted:	those of them, and of the withheld ones, that a rule's grant
 *		is about: each decision on them is an event
 */
struct al_rule {
	__u32 allow;
	__u32 granted;
};

/* Exact decision counters of one object in one policy. */
struct al_count {
	__u64 allowed[AL_NR_OPERATIONS];
	__u64 denied[AL_NR_OPERATIONS];
};

enum al_mode {
	AL_MODE_SETUP = 0,   /* known, not yet decided on: everything passes */
	AL_MODE_ENFORCE = 1,
	AL_MODE_AUDIT = 2,   /* same decisions and events, nothing denied */
	AL_MODE_PROBE = 3,
};

/**
 * struct al_policy - state of one policy, keyed by its cgroup's id
 * @mode:	enum al_mode
 * @nr_objects:	length of its rules and counters
 * @sequence:	events numbered so far
 * @lost:	events that found no room in the ring
 * @unlabelled:	labels that could not be allocated (evidence, not decisions)
 */
struct al_policy {
	__u32 mode;
	__u32 nr_objects;
	__u64 sequence;
	__u64 lost;
	__u64 unlabelled;
};

/* AL_X(NAME, word): which kernel hook an event came from */
#define AL_HOOKS(AL_X)                                                         \
	AL_X(FILE_OPEN, "file_open")                                           \
	AL_X(FILE_TRUNCATE, "file_truncate")                                   \
	AL_X(FILE_RECEIVE, "file_receive")                                     \
	AL_X(PATH_TRUNCATE, "path_truncate")                                   \
	AL_X(PATH_UNLINK, "path_unlink")                                       \
	AL_X(PATH_RMDIR, "path_rmdir")                                         \
	AL_X(PATH_MKDIR, "path_mkdir")                                         \
	AL_X(PATH_MKNOD, "path_mknod")                                         \
	AL_X(PATH_SYMLINK, "path_symlink")                                     \
	AL_X(PATH_LINK, "path_link")                                           \
	AL_X(PATH_RENAME, "path_rename")                                       \
	AL_X(PATH_CHMOD, "path_chmod")                                         \
	AL_X(PATH_CHOWN, "path_chown")                                         \
	AL_X(INODE_SETATTR, "inode_setattr")                                   \
	AL_X(INODE_SETXATTR, "inode_setxattr")                                 \
	AL_X(INODE_REMOVEXATTR, "inode_removexattr")                           \
	AL_X(INODE_GETXATTR, "inode_getxattr")                                 \
	AL_X(INODE_SET_ACL, "inode_set_acl")                                   \
	AL_X(BPRM_CHECK, "bprm_check_security")                                \
	AL_X(MMAP_FILE, "mmap_file")                                           \
	AL_X(FILE_MPROTECT, "file_mprotect")                                   \
	AL_X(SOCKET_CREATE, "socket_create")                                   \
	AL_X(SOCKET_CONNECT, "socket_connect")                                 \
	AL_X(SOCKET_SENDMSG, "socket_sendmsg")                                 \
	AL_X(SOCKET_BIND, "socket_bind")                                       \
	AL_X(SOCKET_LISTEN, "socket_listen")                                   \
	AL_X(UNIX_STREAM_CONNECT, "unix_stream_connect")                       \
	AL_X(UNIX_MAY_SEND, "unix_may_send")                                   \
	AL_X(TASK_KILL, "task_kill")                                           \
	AL_X(PTRACE_ACCESS_CHECK, "ptrace_access_check")                       \
	AL_X(FLOOR, "floor")

#define AL_HOOK_ENUM(name, word) AL_HOOK_##name,
enum al_hook { AL_HOOKS(AL_HOOK_ENUM) AL_NR_HOOKS };
#undef AL_HOOK_ENUM

/* What guard_probe() asks a socket for, to see that a program refuses it. */
#define AL_CANARY_PROTOCOL 0x414c4348

/**
 * struct al_mode_request - argument of the program that switches a mode
 * @policy:	id of the policy's cgroup
 * @mode:	enum al_mode
 */
struct al_mode_request {
	__u64 policy;
	__u32 mode;
	__u32 padding;
};

/**
 * struct al_event - one decision in a branch's ring
 * @sequence:	counts from 1 in each policy; gaps are losses
 * @time:	CLOCK_MONOTONIC, nanoseconds
 * @policy:	id of the policy's cgroup
 * @ino:	inode number, decoration only (numbers collide)
 * @dev:	superblock's device number, decoration only
 * @object:	object id, AL_OBJECT_NONE where nothing is bound
 * @from:	object that something moves from into @object (rename, link);
 *		AL_OBJECT_NONE: nothing moves
 * @kind:	enum al_kind, which decided where nothing is bound
 * @moves:	enum al_moves
 * @operations:	wanted (bits)
 * @missing:	those not permitted (bits); 0: allowed
 * @error:	errno given to the process, 0 when allowed
 * @hook:	enum al_hook
 * @pid:	thread id in the initial pid namespace
 * @tgid:	process id there
 * @uid:	its user id
 * @port:	of the address, host byte order
 * @protocol:	AL_PROTOCOL_* or the socket's own
 * @family:	AF_* of the address as it was used, 0: no address
 * @address:	as in struct al_endpoint_key
 * @comm:	the thread's name
 * @name:	last path component as used
 */
struct al_event {
	__u64 sequence;
	__u64 time;
	__u64 policy;
	__u64 ino;
	__u32 dev;
	__u32 object;
	__u32 from;
	__u16 kind;
	__u16 moves;
	__u32 operations;
	__u32 missing;
	__s32 error;
	__u32 hook;
	__u32 pid;
	__u32 tgid;
	__u32 uid;
	__u16 port;
	__u8 protocol;
	__u8 family;
	__u8 address[16];
	__u8 comm[AL_COMM_SIZE];
	__u8 name[AL_NAME_SIZE];
};

#define AL_ASSERT_SIZE(type, size)                                             \
	_Static_assert(sizeof(struct type) == (size), #type " has holes")
AL_ASSERT_SIZE(al_label, 8);
AL_ASSERT_SIZE(al_slot_key, 8 + AL_NAME_SIZE);
AL_ASSERT_SIZE(al_endpoint_key, 20);
AL_ASSERT_SIZE(al_rule, 8);
AL_ASSERT_SIZE(al_count, 16 * AL_NR_OPERATIONS);
AL_ASSERT_SIZE(al_policy, 32);
AL_ASSERT_SIZE(al_mode_request, 16);
AL_ASSERT_SIZE(al_event, 8 * 4 + 4 * 11 + 4 + 16 + AL_COMM_SIZE + AL_NAME_SIZE);

#endif /* ALETHEIA_ABI_H */
