/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The decision core: pure functions over plain integers, compiled into the
 * guard's programs and into user space, where they predict, replay and are
 * held against a naive interpreter. Nothing else in Aletheia decides.
 */
#ifndef ALETHEIA_DECIDE_H
#define ALETHEIA_DECIDE_H

#include <linux/errno.h>

#include <aletheia/abi.h>

#ifdef __bpf__
#define AL_INLINE static __attribute__((always_inline)) inline
#else
#define AL_INLINE static inline
#endif

/* Superblock kinds of objects that no label reaches (struct al_query.kind). */
enum al_kind {
	AL_KIND_OTHER = 0,  /* a filesystem: only labels give authority */
	AL_KIND_INNER,	    /* overlayfs's own call on a layer */
	AL_KIND_PIPE,	    /* pipes, sockets, anonymous inodes */
	AL_KIND_MEMORY,	    /* memfd, shared memory without a name */
	AL_KIND_UNKNOWN,    /* the walk gave up, or a kind not in the table */
};

/* struct al_query.moves */
enum al_moves {
	AL_MOVES_NOT = 0,
	AL_MOVES,	/* rename, link */
	AL_MOVES_NEVER, /* it would, but what is in it belongs elsewhere */
};

/**
 * struct al_query - what a hook asks
 * @allow:	permitted operations of the object in this policy (0: no rule)
 * @granted:	operations of the object that grants are about
 * @wanted:	operations that the call needs, all of them
 * @object:	object id
 * @kind:	enum al_kind, used where @object is AL_OBJECT_NONE
 * @mode:	enum al_mode
 * @moves:	enum al_moves: does something move into this object's class?
 * @from:	permitted operations of the class it comes from
 */
struct al_query {
	__u32 allow;
	__u32 granted;
	__u32 wanted;
	__u32 object;
	__u32 kind;
	__u32 mode;
	__u32 moves;
	__u32 from;
};

/**
 * struct al_verdict - what the core answers
 * @missing:	wanted operations that are not permitted
 * @error:	errno of that, 0: all are permitted
 * @deny:	1: the call fails with @error, 0: it goes on
 * @report:	1: each such decision is an event, not only the first
 */
struct al_verdict {
	__u32 missing;
	__u32 error;
	__u32 deny;
	__u32 report;
};

/* What an unlabelled object of a kind permits whatever the policy. */
AL_INLINE __u32 al_kind_allows(__u32 kind)
{
	switch (kind) {
	case AL_KIND_INNER:
		return ~0u;
	case AL_KIND_PIPE:
		return AL_OP_READ | AL_OP_WRITE | AL_OP_SETATTR;
	case AL_KIND_MEMORY:
		return AL_OP_READ | AL_OP_WRITE | AL_OP_SETATTR;
	default:
		return 0;
	}
}

/**
 * al_may_move() - may an object go where another class governs?
 * @from:	permitted operations of the class it is in
 * @to:	permitted operations of the class it would be in
 *
 * Only into a class that permits nothing more, so that no name ever gives more
 * authority than the object had.
 */
AL_INLINE int al_may_move(__u32 from, __u32 to)
{
	return !(to & ~from & AL_OPS_FILE);
}

/*
 * A forbidden move is EXDEV, so that programs fall back to copying, which
 * reads and writes openly.
 */
AL_INLINE struct al_verdict al_decide(const struct al_query *query)
{
	struct al_verdict verdict = { 0, 0, 0, 0 };
	__u32 allow = query->allow;

	if (query->mode == AL_MODE_SETUP)
		return verdict;
	if (query->object == AL_OBJECT_NONE)
		allow = al_kind_allows(query->kind);
	verdict.missing = query->wanted & ~allow;
	if (verdict.missing) {
		verdict.error = EACCES;
	} else if (query->moves == AL_MOVES_NEVER ||
		   (query->moves && !al_may_move(query->from, allow))) {
		verdict.missing = query->wanted;
		verdict.error = EXDEV;
	}
	verdict.deny = verdict.error && query->mode != AL_MODE_AUDIT;
	verdict.report = verdict.error || (query->wanted & query->granted);
	return verdict;
}

#endif /* ALETHEIA_DECIDE_H */
