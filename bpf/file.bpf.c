// SPDX-License-Identifier: GPL-2.0-only
/*
 * Files that are opened, received, cut or changed in their attributes.
 */
#include "find.h"

#include <asm-generic/fcntl.h>

/*
 * Overlayfs opens its layers through private mounts, which no process can
 * reach; before 6.8 it also opens a layer's inode under the overlay's path.
 */
static __always_inline bool al_inner(struct file *file)
{
	struct vfsmount *vfsmount = file->f_path.mnt;
	struct dentry *dentry = file->f_path.dentry;
	struct mount *mount;

	if (file->f_inode != dentry->d_inode)
		return true;
	mount = (void *)((__u64)vfsmount -
			 bpf_core_field_offset(struct mount, mnt));
	return (long)BPF_CORE_READ(mount, mnt_ns) == AL_MNT_NS_INTERNAL &&
	       !(file->f_inode->i_sb->s_flags & AL_SB_KERNMOUNT);
}

static __always_inline void al_about_file(struct al_ask *ask, struct file *file)
{
	struct dentry *dentry = file->f_path.dentry;
	struct inode *inode = file->f_inode;
	struct al_label *label;

	if (!al_inner(file)) {
		al_about(ask, dentry, inode);
		return;
	}
	label = bpf_inode_storage_get(&al_labels, inode, 0, 0);
	ask->found = label ? AL_FOUND(label->object, 0) :
			     AL_FOUND(AL_OBJECT_NONE, AL_KIND_INNER);
	ask->inner = 1;
	ask->inode = (__u64)inode;
	ask->name = al_name(dentry);
}

/* What an open file can do, whatever its opener does with it. */
static __always_inline __u32 al_file_wants(const struct file *file)
{
	__u32 wants = 0;

	if (file->f_mode & AL_FMODE_READ)
		wants |= al_is_dir(file->f_inode) ? AL_OP_LIST : AL_OP_READ;
	if (file->f_mode & AL_FMODE_WRITE)
		wants |= AL_OP_WRITE;
	return wants;
}

/*
 * exec opens what it runs by itself: that is decided in exec.bpf.c. Access mode
 * 3 is Linux's own: neither reads nor writes, but is good for ioctl().
 */
static __always_inline __u32 al_open_wants(const struct file *file)
{
	__u32 wants = al_file_wants(file);

	if (file->f_flags & AL_FMODE_EXEC)
		return 0;
	if ((file->f_flags & O_ACCMODE) == O_ACCMODE)
		wants |= AL_OP_READ | AL_OP_WRITE;
	if (file->f_flags & O_TRUNC)
		wants |= AL_OP_WRITE;
	return wants;
}

SEC("lsm/file_open")
int BPF_PROG(al_file_open, struct file *file, int ret)
{
	struct al_ask ask = { .hook = AL_HOOK_FILE_OPEN };

	if (ret || !al_scoped())
		return ret;
	ask.wanted = al_open_wants(file);
	if (!ask.wanted)
		return 0;
	al_about_file(&ask, file);
	return al_answer(&ask);
}

/* A descriptor that another process passes on, or that is taken from it. */
SEC("lsm/file_receive")
int BPF_PROG(al_file_receive, struct file *file, int ret)
{
	struct al_ask ask = { .hook = AL_HOOK_FILE_RECEIVE };

	if (ret || !al_scoped())
		return ret;
	ask.wanted = al_file_wants(file);
	if (!ask.wanted)
		return 0;
	al_about_file(&ask, file);
	return al_answer(&ask);
}

/* ftruncate(), and O_TRUNC a second time, where path_truncate has neither. */
SEC("lsm/file_truncate")
int BPF_PROG(al_file_truncate, struct file *file, int ret)
{
	struct al_ask ask = {
		.hook = AL_HOOK_FILE_TRUNCATE,
		.wanted = AL_OP_WRITE,
	};

	if (ret || !al_scoped())
		return ret;
	al_about_file(&ask, file);
	return al_answer(&ask);
}

SEC("lsm/path_truncate")
int BPF_PROG(al_path_truncate, const struct path *path, int ret)
{
	struct al_ask ask = {
		.hook = AL_HOOK_PATH_TRUNCATE,
		.wanted = AL_OP_WRITE,
	};

	if (ret || !al_scoped())
		return ret;
	al_about_path(&ask, path);
	return al_answer(&ask);
}

SEC("lsm/path_chmod")
int BPF_PROG(al_path_chmod, const struct path *path, __u16 mode, int ret)
{
	struct al_ask ask = {
		.hook = AL_HOOK_PATH_CHMOD,
		.wanted = AL_OP_SETATTR,
	};

	if (ret || !al_scoped())
		return ret;
	al_about_path(&ask, path);
	return al_answer(&ask);
}

SEC("lsm/path_chown")
int BPF_PROG(al_path_chown, const struct path *path, __u64 uid, __u64 gid,
	     int ret)
{
	struct al_ask ask = {
		.hook = AL_HOOK_PATH_CHOWN,
		.wanted = AL_OP_SETATTR,
	};

	if (ret || !al_scoped())
		return ret;
	al_about_path(&ask, path);
	return al_answer(&ask);
}

/*
 * The inode_* hooks fire again for what overlayfs does to its layers, as the
 * mounter: layers have no labelled root, so nothing is found there. Both must
 * hold, since a process can borrow credentials too (io_uring personalities).
 */
static __always_inline int al_attribute(struct al_ask *ask,
					struct dentry *dentry)
{
	struct task_struct *task = bpf_get_current_task_btf();

	al_about(ask, dentry, dentry->d_inode);
	if (AL_FOUND_OBJECT(ask->found) == AL_OBJECT_NONE &&
	    task->cred != task->real_cred)
		return 0;
	return al_answer(ask);
}

/*
 * Times go through no other hook; mode, owner and size are decided by path.
 * The arguments differ between kernels: one of the two programs is loaded.
 */
static __always_inline int al_setattr(struct dentry *dentry,
				      const struct iattr *attr)
{
	struct al_ask ask = {
		.hook = AL_HOOK_INODE_SETATTR,
		.wanted = AL_OP_SETATTR,
	};

	if (attr->ia_valid &
	    (AL_ATTR_MODE | AL_ATTR_UID | AL_ATTR_GID | AL_ATTR_SIZE))
		return 0;
	return al_attribute(&ask, dentry);
}

SEC("lsm/inode_setattr")
int BPF_PROG(al_inode_setattr_2, struct dentry *dentry, struct iattr *attr,
	     int ret)
{
	if (ret || !al_scoped())
		return ret;
	return al_setattr(dentry, attr);
}

SEC("lsm/inode_setattr")
int BPF_PROG(al_inode_setattr_3, void *idmap, struct dentry *dentry,
	     struct iattr *attr, int ret)
{
	if (ret || !al_scoped())
		return ret;
	return al_setattr(dentry, attr);
}

SEC("lsm/inode_setxattr")
int BPF_PROG(al_inode_setxattr, void *idmap, struct dentry *dentry,
	     const char *name, const void *value, __u64 size, int flags,
	     int ret)
{
	struct al_ask ask = {
		.hook = AL_HOOK_INODE_SETXATTR,
		.wanted = AL_OP_SETATTR,
	};

	if (ret || !al_scoped())
		return ret;
	return al_attribute(&ask, dentry);
}

SEC("lsm/inode_removexattr")
int BPF_PROG(al_inode_removexattr, void *idmap, struct dentry *dentry,
	     const char *name, int ret)
{
	struct al_ask ask = {
		.hook = AL_HOOK_INODE_REMOVEXATTR,
		.wanted = AL_OP_SETATTR,
	};

	if (ret || !al_scoped())
		return ret;
	return al_attribute(&ask, dentry);
}

/* Where access lists have hooks of their own; before, inode_setxattr. */
SEC("lsm/inode_set_acl")
int BPF_PROG(al_inode_set_acl, void *idmap, struct dentry *dentry,
	     const char *name, void *acl, int ret)
{
	struct al_ask ask = {
		.hook = AL_HOOK_INODE_SET_ACL,
		.wanted = AL_OP_SETATTR,
	};

	if (ret || !al_scoped())
		return ret;
	return al_attribute(&ask, dentry);
}

SEC("lsm/inode_remove_acl")
int BPF_PROG(al_inode_remove_acl, void *idmap, struct dentry *dentry,
	     const char *name, int ret)
{
	struct al_ask ask = {
		.hook = AL_HOOK_INODE_SET_ACL,
		.wanted = AL_OP_SETATTR,
	};

	if (ret || !al_scoped())
		return ret;
	return al_attribute(&ask, dentry);
}

/*
 * system.* and security.* are metadata (access lists, capabilities), which is
 * not represented: "ls -l" asks for them. What else a file carries is content.
 */
static __always_inline bool al_is_content(const char *name)
{
	char prefix[10] = {};

	bpf_probe_read_kernel(prefix, sizeof(prefix) - 1, name);
	return bpf_strncmp(prefix, 7, "system.") &&
	       bpf_strncmp(prefix, 9, "security.");
}

SEC("lsm/inode_getxattr")
int BPF_PROG(al_inode_getxattr, struct dentry *dentry, const char *name,
	     int ret)
{
	struct al_ask ask = {
		.hook = AL_HOOK_INODE_GETXATTR,
		.wanted = AL_OP_READ,
	};

	if (ret || !al_scoped())
		return ret;
	if (!al_is_content(name))
		return 0;
	return al_attribute(&ask, dentry);
}
