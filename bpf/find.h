/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which object is it? An inode's own label; else the class it belongs to: that
 * of the nearest labelled directory above it, in its own superblock.
 *
 * The walk follows pointers that the verifier knows the type of, because only
 * those may be handed to inode storage. Faults on the way read as zero. It
 * takes no lock: beside a concurrent rename it sees the old place or the new
 * one, as any open would.
 */
#ifndef BPF_FIND_H
#define BPF_FIND_H

#include "check.h"

#include <aletheia/decide.h>

#include <linux/magic.h>
#include <linux/stat.h>

/* <linux/magic.h> lacks these. */
#define AL_MQUEUE_MAGIC 0x19800202
#define AL_PIDFS_MAGIC	0x50494446

static __always_inline __u64 al_name(const struct dentry *dentry)
{
	return (__u64)dentry->d_name.name;
}

static __always_inline bool al_is_dir(const struct inode *inode)
{
	return S_ISDIR(inode->i_mode);
}

/*
 * What the kernel mounts for itself has no names above it. All else without a
 * label is a filesystem that nobody gave authority on.
 */
static __always_inline __u32 al_kind(const struct super_block *super)
{
	if (!(super->s_flags & AL_SB_KERNMOUNT))
		return AL_KIND_OTHER;
	switch (super->s_magic) {
	case PIPEFS_MAGIC:
	case SOCKFS_MAGIC:
	case ANON_INODE_FS_MAGIC:
	case NSFS_MAGIC:
	case AL_PIDFS_MAGIC:
	case AL_MQUEUE_MAGIC:
		return AL_KIND_PIPE;
	case TMPFS_MAGIC:
	case HUGETLBFS_MAGIC:
	case SECRETMEM_MAGIC:
		return AL_KIND_MEMORY;
	default:
		return AL_KIND_UNKNOWN;
	}
}

/*
 * Names of a file with several links may lie in different classes. A hit also
 * needs the directory entry that the walk began from.
 */
static __always_inline bool al_cacheable(const struct inode *inode)
{
	return al_is_dir(inode) || inode->i_nlink == 1;
}

static __always_inline __u32 al_recall(const struct dentry *dentry,
				       struct inode *inode)
{
	struct al_cached *cached;
	__u64 found;

	cached = bpf_inode_storage_get(&al_cache, inode, 0, 0);
	if (!cached || cached->parent != (__u64)dentry->d_parent ||
	    !al_cacheable(inode))
		return AL_OBJECT_NONE;
	found = *(volatile __u64 *)&cached->found;
	if (AL_CACHED_EPOCH(found) != al_epoch)
		return AL_OBJECT_NONE;
	return AL_CACHED_OBJECT(found);
}

/* If there is no memory for it, the next one walks again. */
static __always_inline void al_remember(const struct dentry *dentry,
					struct inode *inode, __u64 epoch,
					__u32 object)
{
	struct al_cached *cached;

	if (!al_cacheable(inode))
		return;
	cached = bpf_inode_storage_get(&al_cache, inode, 0,
				       BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (!cached)
		return;
	cached->parent = (__u64)dentry->d_parent;
	*(volatile __u64 *)&cached->found = AL_CACHED(epoch, object);
}

/* Label an inode, or label it anew, as what was found. */
static __noinline void al_put_label(struct inode *inode, __u64 found)
{
	struct al_label value = {
		.object = AL_FOUND_OBJECT(found),
		.flags = AL_FOUND_FLAGS(found),
	};
	struct al_label *label;

	label = bpf_inode_storage_get(&al_labels, inode, &value,
				      BPF_LOCAL_STORAGE_GET_F_CREATE);
	if (label)
		*label = value;
	else
		al_unlabelled();
}

/**
 * struct al_walk - on the way up
 * @directory:	where it is
 * @child:	where it comes from
 * @found:	as al_below() returns it
 *
 * Small, because four frames and a name must fit in 512 bytes of stack.
 */
struct al_walk {
	struct dentry *directory;
	struct dentry *child;
	__u64 found;
};

/* No answer: too deep, or a label is there now that was not. */
#define AL_FOUND_AGAIN AL_FOUND(AL_OBJECT_NONE, AL_KIND_UNKNOWN)

/* Return: 1: @walk->found is the answer, 0: further up. */
static int al_step(__u32 index, struct al_walk *walk)
{
	struct dentry *directory = walk->directory;
	struct dentry *parent = directory->d_parent;
	struct dentry *child = walk->child;
	struct inode *inode = directory->d_inode;
	struct al_label *label;
	__u32 object;
	__u64 slot;

	label = bpf_inode_storage_get(&al_labels, inode, 0, 0);
	if (!label) {
		object = al_recall(directory, inode);
		walk->found = AL_FOUND(object, 0);
		if (object != AL_OBJECT_NONE)
			return 1;
	} else if (label->flags & AL_LABEL_SLOTTED) {
		slot = al_slot(label->object, al_name(child));
		object = AL_FOUND_OBJECT(slot);
		walk->found = slot;
		if (object != AL_OBJECT_NONE && index == 0)
			return 1;
		/*
		 * A directory that got no label when it appeared. Names in it
		 * may be slots too, and this walk has passed them: once more.
		 */
		if (object != AL_OBJECT_NONE &&
		    !bpf_inode_storage_get(&al_labels, child->d_inode, 0, 0)) {
			al_put_label(child->d_inode, slot);
			walk->found = AL_FOUND_AGAIN;
			return 1;
		}
	}
	if (label && label->flags & AL_LABEL_TREE) {
		walk->found = AL_FOUND(label->object, 0);
		return 1;
	}
	if (parent == directory) {
		walk->found = AL_FOUND(AL_OBJECT_NONE, AL_KIND_OTHER);
		return 1;
	}
	walk->found = AL_FOUND_AGAIN;
	walk->child = directory;
	walk->directory = parent;
	return 0;
}

/**
 * al_below() - class of @child in @directory, if it has no label of its own
 *
 * The child may be a name that nothing has yet.
 *
 * Return: AL_FOUND(object, 0), or, if the name is a slot, AL_FOUND(object,
 * its flags | AL_FOUND_SLOT), or AL_FOUND(AL_OBJECT_NONE, kind).
 */
static __always_inline __u64 al_below(struct dentry *directory,
				      struct dentry *child)
{
	__u64 found = AL_FOUND_AGAIN;

	for (int i = 0; i < 2 && found == AL_FOUND_AGAIN; i++) {
		struct al_walk walk = {
			.directory = directory,
			.child = child,
		};

		bpf_loop(AL_MAX_WALK, al_step, &walk, 0);
		found = al_opaque(walk.found);
	}
	return found;
}

static __always_inline __u64 al_resolve_path(struct dentry *dentry,
					     struct inode *inode)
{
	struct dentry *parent = dentry->d_parent;
	__u64 epoch = al_epoch;
	struct al_label *label;
	__u32 object, kind;
	__u64 found;

	label = bpf_inode_storage_get(&al_labels, inode, 0, 0);
	if (label)
		return AL_FOUND(label->object, 0);
	kind = al_kind(inode->i_sb);
	if (kind != AL_KIND_OTHER)
		return AL_FOUND(AL_OBJECT_NONE, kind);
	object = al_recall(dentry, inode);
	if (object != AL_OBJECT_NONE)
		return AL_FOUND(object, 0);
	/* A superblock's root without a label, or one without a place. */
	if (parent == dentry)
		return AL_FOUND(AL_OBJECT_NONE, AL_KIND_UNKNOWN);
	found = al_below(parent, dentry);
	object = AL_FOUND_OBJECT(found);
	if (object == AL_OBJECT_NONE)
		return found;
	/* It came into the slot with the directory that it is in. */
	if (AL_FOUND_HIGH(found) & AL_FOUND_SLOT) {
		al_put_label(inode, found);
	} else {
		al_remember(parent, parent->d_inode, epoch, object);
		al_remember(dentry, inode, epoch, object);
	}
	return AL_FOUND(object, 0);
}

/**
 * al_resolve() - the object an inode is, as reached through @dentry
 *
 * Return: AL_FOUND(object, 0), or AL_FOUND(AL_OBJECT_NONE, kind).
 */
static __noinline __u64 al_resolve(struct dentry *dentry, struct inode *inode)
{
	return al_opaque(al_resolve_path(dentry, inode));
}

/* The object that a call is about. */
static __always_inline void al_about(struct al_ask *ask, struct dentry *dentry,
				     struct inode *inode)
{
	ask->found = al_resolve(dentry, inode);
	ask->inode = (__u64)inode;
	ask->name = al_name(dentry);
}

static __always_inline void al_about_path(struct al_ask *ask,
					  const struct path *path)
{
	struct dentry *dentry = path->dentry;

	al_about(ask, dentry, dentry->d_inode);
}

/* The object that a new name would be. */
static __always_inline void al_about_name(struct al_ask *ask,
					  const struct path *directory,
					  struct dentry *dentry)
{
	ask->found = al_below(directory->dentry, dentry);
	ask->name = al_name(dentry);
}

#endif /* BPF_FIND_H */
