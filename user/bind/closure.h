/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a program needs to start: its ELF interpreter and libraries as the
 * dynamic linker finds them, or the interpreter that its first line names.
 */
#ifndef USER_BIND_CLOSURE_H
#define USER_BIND_CLOSURE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/memory.h"
#include "bind/view.h"

/**
 * struct need - one file that starting a program takes
 * @path:	canonical, in the branch
 * @execute:	it is executed (an interpreter of scripts); else read and mapped
 * @data:	it is only read (the dynamic linker's cache)
 */
struct need {
	const char *path;
	bool execute;
	bool data;
};

/**
 * struct program_file - where the bytes of a program are before there is a
 * branch
 * @path:	canonical path in the branch; $ORIGIN is its directory
 * @directory:	descriptor that @source is relative to
 * @source:	path on the host
 */
struct program_file {
	const char *path;
	int directory;
	const char *source;
};

struct closure;

/* closure_new() - remembers each file it looked at */
struct closure *closure_new(struct arena *arena, struct view *view);
void closure_free(struct closure *closure);

/**
 * closure_of() - what one program needs, itself not included
 * @ret_missing: NULL, or what is needed and nowhere (a message)
 *
 * Return: number of needs. A file that is neither ELF nor script needs
 * nothing. The needs of an interpreter of scripts are not among them: it is a
 * program of its own.
 */
size_t closure_of(struct closure *closure, const struct program_file *program,
		  struct need **ret, const char **ret_missing);

/* path_search() - a program by its base name in BRANCH_PATH, the host's part */
struct found path_search(struct view *view, struct arena *arena,
			 const char *name);

#endif /* USER_BIND_CLOSURE_H */
