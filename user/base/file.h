/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef USER_BASE_FILE_H
#define USER_BASE_FILE_H

#include <stddef.h>
#include <sys/types.h>

#include "error.h"
#include "memory.h"

/**
 * file_read() - a whole regular file, bounded
 * @path:	its path, relative to @dirfd ("-" is a name like any other)
 * @dirfd:	directory or AT_FDCWD
 * @limit:	bytes; a larger file is an error
 * @ret:	the bytes; replaced
 * @err:	ERROR_INPUT: cannot be read, too large, not a regular file
 */
int file_read(int dirfd, const char *path, size_t limit, struct buffer *ret,
	      struct error **err);

/* fd_read_all() - until end of file or @limit, which is -EFBIG */
int fd_read_all(int fd, size_t limit, struct buffer *ret);

/* fd_write_all() - all bytes or -errno */
int fd_write_all(int fd, const void *data, size_t length);

/**
 * file_write_atomic() - replace a file with new content, or leave it alone
 * @path:	destination; written beside it and renamed over it
 */
int file_write_atomic(const char *path, const void *data, size_t length,
		      mode_t mode, struct error **err);

#endif /* USER_BASE_FILE_H */
