/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Every bound of Aletheia, with the kernel's own limit beside it where there
 * is one. Running into a bound fails closed and says so.
 */
#ifndef ALETHEIA_LIMITS_H
#define ALETHEIA_LIMITS_H

/* Objects of one controller (rules arrays are this long at most). */
#define AL_MAX_OBJECTS	     16384
/* Policies (branches, attached cgroups) loaded at the same time. */
#define AL_MAX_POLICIES	     512
/* Name slots of one controller. */
#define AL_MAX_SLOTS	     65536
/* Addresses of endpoints and ports. */
#define AL_MAX_ENDPOINTS     4096
/* Steps from a file up to the nearest labelled directory; then: deny. */
#define AL_MAX_WALK	     128
/* Cgroup levels that policies may sit at, at the same time. */
#define AL_MAX_LEVELS	     4
/* One path component; the kernel's NAME_MAX is 255. */
#define AL_NAME_SIZE	     256
/* Kernel TASK_COMM_LEN. */
#define AL_COMM_SIZE	     16
/* Bytes of one branch's event ring (a power of two, whole pages). */
#define AL_RING_SIZE	     (1u << 20)

/* User space. */
#define AL_MAX_RULE_SIZE     (10u << 20) /* bytes of a rule file */
#define AL_MAX_SDL_SIZE	     (4u << 20)
#define AL_MAX_MANIFEST_SIZE (1u << 20)
#define AL_MAX_GRANTS	     1000
#define AL_MAX_RESOURCES     2000
#define AL_MAX_BASELINES     1000
#define AL_MAX_SPANS	     256 /* places that ask for one grant */
#define AL_MAX_EXCEPTS	     256 /* exceptions of one baseline */
#define AL_MAX_ALIASES	     64	 /* further names of one fixture */
#define AL_MAX_COMMENTS	     65536 /* in one SystemDSL text */
#define AL_MAX_ENV	     32768 /* value of a fixture variable; kernel: 131072 */
#define AL_MAX_WORD	     64	 /* bytes of a name in SystemDSL */
#define AL_MIN_CANARY	     64	 /* bytes that hold a canary */
#define AL_MAX_CANARY	     (64u << 20)
#define AL_MAX_PATH	     4095 /* kernel PATH_MAX, without the zero */
#define AL_MAX_ENTRIES	     1000000 /* files of a project and its fixtures */
#define AL_MAX_DEPTH	     200 /* directories in each other */
#define AL_MAX_TREE_SIZE     (16ull << 30) /* bytes of all that is laid out */
#define AL_MAX_CLOSURE	     512 /* files that one program needs to start */
#define AL_MAX_ERRORS	     100 /* diagnostics of one input */

#endif /* ALETHEIA_LIMITS_H */
