/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The vocabulary of authority, compiled into the guard and into user space.
 *
 * An operation is what the guard decides about one object. Every action of
 * SystemDSL has the operation of the same name, so that the language, the
 * maps, the records and the documentation share their words. The one
 * operation that is no action is "map": an executable mapping of a file,
 * which "execute" and a system file's "read" imply (see aletheia-model(7)).
 */
#ifndef ALETHEIA_OPERATIONS_H
#define ALETHEIA_OPERATIONS_H

/* AL_X(NAME, word, what the guard sees) - the order is ABI: bit = position */
#define AL_OPERATIONS(AL_X)                                                    \
	AL_X(READ, "read", "open for reading, getxattr")                       \
	AL_X(LIST, "list", "open of a directory")                              \
	AL_X(WRITE, "write", "create, append, truncate, open for writing")     \
	AL_X(DELETE, "delete", "unlink, rmdir, rename away")                   \
	AL_X(SETATTR, "setattr", "mode, owner, times, xattrs")                 \
	AL_X(EXECUTE, "execute", "exec of a program or script")                \
	AL_X(MAP, "map", "executable mapping")                                 \
	AL_X(CONNECT, "connect", "connect, send to an address")                \
	AL_X(BIND, "bind", "bind, listen, accept")                             \
	AL_X(SIGNAL, "signal", "signal a process")                             \
	AL_X(TRACE, "trace", "ptrace, read of another process's memory")       \
	AL_X(GETENV, "getenv", "presence of an environment variable at exec")  \
	AL_X(KERNEL, "kernel", "mounts, modules, sysctl and the like")

#define AL_OP_ENUM(name, word, help) AL_OP_NR_##name,
enum al_operation { AL_OPERATIONS(AL_OP_ENUM) AL_NR_OPERATIONS };
#undef AL_OP_ENUM

#define AL_OP_BIT(name, word, help) AL_OP_##name = 1u << AL_OP_NR_##name,
enum al_operation_bit { AL_OPERATIONS(AL_OP_BIT) };
#undef AL_OP_BIT

/* Operations on what has an inode; a class may only move into a narrower one. */
#define AL_OPS_FILE                                                            \
	(AL_OP_READ | AL_OP_LIST | AL_OP_WRITE | AL_OP_DELETE |                \
	 AL_OP_SETATTR | AL_OP_EXECUTE | AL_OP_MAP)

#endif /* ALETHEIA_OPERATIONS_H */
