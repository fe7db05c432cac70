/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Cleanup by attribute. The variable's value when it goes out of scope is
 * released; take_ptr() and take_fd() move it out first.
 */
#ifndef USER_BASE_CLEANUP_H
#define USER_BASE_CLEANUP_H

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define cleanup_with(function) __attribute__((__cleanup__(function)))

static inline void free_ptr(void *p)
{
	free(*(void **)p);
}

/* Keeps errno, so that a failing path can still report it. */
static inline void close_fd(const int *fd)
{
	int saved = errno;

	if (*fd >= 0)
		close(*fd);
	errno = saved;
}

static inline void close_file(FILE **file)
{
	if (*file)
		fclose(*file);
}

static inline void close_dir(DIR **dir)
{
	if (*dir)
		closedir(*dir);
}

#define cleanup_free  cleanup_with(free_ptr)
#define cleanup_close cleanup_with(close_fd)
#define cleanup_file  cleanup_with(close_file)
#define cleanup_dir   cleanup_with(close_dir)

#define take_ptr(p)                                                            \
	({                                                                     \
		__typeof__(p) take_ptr_ = (p);                                 \
		(p) = NULL;                                                    \
		take_ptr_;                                                     \
	})

static inline int take_fd(int *fd)
{
	int ret = *fd;

	*fd = -1;
	return ret;
}

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#endif /* USER_BASE_CLEANUP_H */
