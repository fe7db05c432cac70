/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the programs read of the kernel's types, declared by hand: the field
 * offsets are relocated to the running kernel at load time (CO-RE), so only
 * names and types matter here, and one object serves all kernels.
 */
#ifndef BPF_TYPES_H
#define BPF_TYPES_H

#include <stdbool.h>

#include <linux/types.h>
#include <linux/bpf.h>
#include <linux/errno.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#pragma clang attribute push(__attribute__((preserve_access_index)),           \
			     apply_to = record)

struct dentry;

struct super_block {
	__u32 s_dev;
	unsigned long s_flags;
	unsigned long s_magic;
	struct dentry *s_root;
};

struct inode {
	__u16 i_mode;
	struct super_block *i_sb;
	unsigned long i_ino;
	const unsigned int i_nlink;
};

struct qstr {
	const unsigned char *name;
};

struct dentry {
	struct dentry *d_parent;
	struct qstr d_name;
	struct inode *d_inode;
};

struct vfsmount {
	struct dentry *mnt_root;
};

struct mnt_namespace;

struct mount {
	struct vfsmount mnt;
	struct mnt_namespace *mnt_ns;
};

struct path {
	struct vfsmount *mnt;
	struct dentry *dentry;
};

struct file {
	struct path f_path;
	struct inode *f_inode;
	unsigned int f_flags;
	unsigned int f_mode;
};

struct iattr {
	unsigned int ia_valid;
};

struct linux_binprm {
	struct file *file;
};

struct vm_area_struct {
	const unsigned long vm_flags;
	struct file *vm_file;
};

struct in6_addr {
	union {
		__u8 u6_addr8[16];
	} in6_u;
};

struct sock_common {
	__be32 skc_rcv_saddr;
	__u16 skc_num;
	unsigned short skc_family;
	struct in6_addr skc_v6_rcv_saddr;
};

struct sock {
	struct sock_common __sk_common;
	__u16 sk_type;
	__u16 sk_protocol;
};

struct unix_sock {
	struct path path;
};

struct socket {
	struct sock *sk;
};

struct msghdr {
	void *msg_name;
	int msg_namelen;
	unsigned int msg_flags;
};

struct kernfs_node {
	__u64 id;
};

struct cgroup {
	int level;
	struct kernfs_node *kn;
	struct cgroup *ancestors[];
};

struct css_set {
	struct cgroup *dfl_cgrp;
};

struct cred;

struct task_struct {
	const struct cred *real_cred;
	const struct cred *cred;
	struct css_set *cgroups;
};

#pragma clang attribute pop

/* Kernel constants that no header for user space has. */
#define AL_MAX_ERRNO	   4095
#define AL_SB_KERNMOUNT	   (1ul << 22)
#define AL_MNT_NS_INTERNAL (-EINVAL)
#define AL_FMODE_READ	   0x1
#define AL_FMODE_WRITE	   0x2
#define AL_FMODE_EXEC	   0x20 /* in f_flags: an open by exec itself */
#define AL_FMODE_BACKING   (1u << 25)
#define AL_VM_EXEC	   0x4ul
#define AL_ATTR_MODE	   (1u << 0)
#define AL_ATTR_UID	   (1u << 1)
#define AL_ATTR_GID	   (1u << 2)
#define AL_ATTR_SIZE	   (1u << 3)

#endif /* BPF_TYPES_H */
