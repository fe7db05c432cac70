// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names that appear, disappear and move. The path hooks fire once, for what a
 * process did; overlayfs's work on its layers does not call them.
 */
#include "find.h"

#define RENAME_EXCHANGE 2

/* ---- labels at birth */

/*
 * Fires before an inode can be found under a name: when it is made, and when a
 * look-up brings it into memory again. Slots hold whoever does that, so there
 * is no question of scope. A label that is there stays.
 */
SEC("lsm/d_instantiate")
int BPF_PROG(al_d_instantiate, struct dentry *dentry, struct inode *inode)
{
	struct dentry *parent = dentry->d_parent;
	struct al_label *label;
	struct al_label birth;
	__u64 slot;

	label = bpf_inode_storage_get(&al_labels, parent->d_inode, 0, 0);
	if (!label || !(label->flags & AL_LABEL_SLOTTED))
		return 0;
	slot = al_slot(label->object, al_name(dentry));
	birth.object = AL_FOUND_OBJECT(slot);
	birth.flags = AL_FOUND_FLAGS(slot);
	if (birth.object == AL_OBJECT_NONE)
		return 0;
	if (!bpf_inode_storage_get(&al_labels, inode, &birth,
				   BPF_LOCAL_STORAGE_GET_F_CREATE))
		al_unlabelled();
	return 0;
}

/* ---- names that appear */

static __always_inline int al_create(__u32 hook, const struct path *directory,
				     struct dentry *dentry)
{
	struct al_ask ask = { .hook = hook, .wanted = AL_OP_WRITE };

	al_about_name(&ask, directory, dentry);
	return al_answer(&ask);
}

/* A device node would be another name of the device, in any tree. */
SEC("lsm/path_mknod")
int BPF_PROG(al_path_mknod, const struct path *directory,
	     struct dentry *dentry, __u16 mode, unsigned int dev, int ret)
{
	if (ret || !al_scoped())
		return ret;
	if (S_ISCHR(mode) || S_ISBLK(mode))
		return al_floor();
	return al_create(AL_HOOK_PATH_MKNOD, directory, dentry);
}

SEC("lsm/path_mkdir")
int BPF_PROG(al_path_mkdir, const struct path *directory,
	     struct dentry *dentry, __u16 mode, int ret)
{
	if (ret || !al_scoped())
		return ret;
	return al_create(AL_HOOK_PATH_MKDIR, directory, dentry);
}

SEC("lsm/path_symlink")
int BPF_PROG(al_path_symlink, const struct path *directory,
	     struct dentry *dentry, const char *target, int ret)
{
	if (ret || !al_scoped())
		return ret;
	return al_create(AL_HOOK_PATH_SYMLINK, directory, dentry);
}

/* ---- names that disappear */

static __always_inline int al_delete(__u32 hook, struct dentry *dentry)
{
	struct al_ask ask = { .hook = hook, .wanted = AL_OP_DELETE };

	al_about(&ask, dentry, dentry->d_inode);
	return al_answer(&ask);
}

SEC("lsm/path_unlink")
int BPF_PROG(al_path_unlink, const struct path *directory,
	     struct dentry *dentry, int ret)
{
	if (ret || !al_scoped())
		return ret;
	return al_delete(AL_HOOK_PATH_UNLINK, dentry);
}

SEC("lsm/path_rmdir")
int BPF_PROG(al_path_rmdir, const struct path *directory,
	     struct dentry *dentry, int ret)
{
	if (ret || !al_scoped())
		return ret;
	return al_delete(AL_HOOK_PATH_RMDIR, dentry);
}

/* ---- names that move */

/*
 * One question is asked after the other in the same struct al_ask: the stack
 * has little room.
 */

/*
 * In a directory that is labelled for itself alone, or has slots, lies what
 * belongs to other classes: by moving, it would change them.
 */
static __always_inline __u8 al_moves(struct inode *inode)
{
	struct al_label *label = bpf_inode_storage_get(&al_labels, inode, 0, 0);

	return label && label->flags != AL_LABEL_TREE && al_is_dir(inode) ?
		       AL_MOVES_NEVER :
		       AL_MOVES;
}

/*
 * @inode, which is @from, gets the name @name in @directory; what that is stays
 * in ask->found.
 */
static __always_inline int al_check_move(struct al_ask *ask,
					 struct inode *inode, __u64 from,
					 const struct path *directory,
					 struct dentry *name)
{
	ask->wanted = AL_OP_WRITE;
	ask->moves = al_moves(inode);
	ask->from = from;
	ask->inode = (__u64)inode;
	al_about_name(ask, directory, name);
	return al_check(ask, NULL);
}

/* Ask about what has a name already; what it is stays in ask->found. */
static __always_inline int al_check_there(struct al_ask *ask, __u32 wanted,
					  struct dentry *dentry)
{
	ask->wanted = wanted;
	ask->moves = 0;
	al_about(ask, dentry, dentry->d_inode);
	return al_check(ask, NULL);
}

/*
 * What moves into another class belongs to it from now on, under all of its
 * names. The label comes before the new epoch: a walk that begins after it
 * finds the label, and what an earlier walk found is void.
 */
static __always_inline void al_arrive(struct inode *inode, __u64 from,
				      __u64 to)
{
	__u32 object = AL_FOUND_OBJECT(to);

	if (object == AL_OBJECT_NONE || object == AL_FOUND_OBJECT(from))
		return;
	if (!AL_FOUND_FLAGS(to) && al_is_dir(inode))
		to = AL_FOUND(object, AL_LABEL_TREE);
	al_put_label(inode, to);
	if (al_is_dir(inode))
		__sync_fetch_and_add(&al_epoch, 1);
}

SEC("lsm/path_link")
int BPF_PROG(al_path_link, struct dentry *old, const struct path *directory,
	     struct dentry *new, int ret)
{
	struct al_ask ask = { .hook = AL_HOOK_PATH_LINK };
	__u64 from;
	int error;

	if (ret || !al_scoped())
		return ret;
	from = al_resolve(old, old->d_inode);
	error = al_check_move(&ask, old->d_inode, from, directory, new);
	if (!error)
		al_arrive(old->d_inode, from, ask.found);
	return al_errno(error);
}

static __always_inline int al_exchange(struct al_ask *ask,
				       const struct path *old_directory,
				       struct dentry *old,
				       const struct path *new_directory,
				       struct dentry *new)
{
	__u64 old_from, old_to, new_from;
	int error;

	error = al_check_there(ask, AL_OP_DELETE, old);
	if (error)
		return error;
	old_from = ask->found;
	error = al_check_there(ask, AL_OP_DELETE, new);
	if (error)
		return error;
	new_from = ask->found;
	error = al_check_move(ask, old->d_inode, old_from, new_directory,
			      new);
	if (error)
		return error;
	old_to = ask->found;
	error = al_check_move(ask, new->d_inode, new_from, old_directory,
			      old);
	if (error)
		return error;
	al_arrive(old->d_inode, old_from, old_to);
	al_arrive(new->d_inode, new_from, ask->found);
	return 0;
}

/* What is replaced is written over, whatever class the name is in. */
static __always_inline int al_rename(struct al_ask *ask, struct dentry *old,
				     const struct path *directory,
				     struct dentry *new, bool replaces)
{
	__u64 from;
	int error;

	error = al_check_there(ask, AL_OP_DELETE, old);
	from = ask->found;
	if (!error && replaces)
		error = al_check_there(ask, AL_OP_WRITE, new);
	if (!error)
		error = al_check_move(ask, old->d_inode, from, directory, new);
	if (!error)
		al_arrive(old->d_inode, from, ask->found);
	return error;
}

/*
 * A name that is free has no inode, although the verifier believes that every
 * directory entry it sees has one: hence the read that cannot fault.
 */
SEC("lsm/path_rename")
int BPF_PROG(al_path_rename, const struct path *old_directory,
	     struct dentry *old, const struct path *new_directory,
	     struct dentry *new, unsigned int flags, int ret)
{
	struct al_ask ask = { .hook = AL_HOOK_PATH_RENAME };
	bool replaces = BPF_CORE_READ(new, d_inode);
	int error;

	if (ret || !al_scoped())
		return ret;
	if (!(flags & RENAME_EXCHANGE))
		error = al_rename(&ask, old, new_directory, new, replaces);
	else if (replaces)
		error = al_exchange(&ask, old_directory, old, new_directory,
				    new);
	else
		error = -ENOENT;
	return al_errno(error);
}
