// SPDX-License-Identifier: GPL-2.0-only
#include "file.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cleanup.h"

int fd_read_all(int fd, size_t limit, struct buffer *ret)
{
	char chunk[65536];

	for (;;) {
		ssize_t nr = read(fd, chunk, sizeof(chunk));

		if (nr < 0 && errno == EINTR)
			continue;
		if (nr < 0)
			return -errno;
		if (!nr)
			return 0;
		if ((size_t)nr > limit - ret->length)
			return -EFBIG;
		buffer_add(ret, chunk, (size_t)nr);
	}
}

int fd_write_all(int fd, const void *data, size_t length)
{
	const char *p = data;

	while (length) {
		ssize_t nr = write(fd, p, length);

		if (nr < 0 && errno == EINTR)
			continue;
		if (nr < 0)
			return -errno;
		p += nr;
		length -= (size_t)nr;
	}
	return 0;
}

int file_read(int dirfd, const char *path, size_t limit, struct buffer *ret,
	      struct error **err)
{
	struct buffer content cleanup_buffer = { 0 };
	int fd cleanup_close = -1;
	struct stat st;
	int ret_code;

	/* O_NONBLOCK: a FIFO must not hang us before fstat() refuses it. */
	fd = openat(dirfd, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0 || fstat(fd, &st))
		return error_set(err, ERROR_INPUT, errno, "%s: %s", path,
				 strerror(errno));
	if (!S_ISREG(st.st_mode))
		return error_set(err, ERROR_INPUT, EINVAL,
				 "%s: not a regular file", path);
	ret_code = fd_read_all(fd, limit, &content);
	if (ret_code == -EFBIG)
		return error_set(err, ERROR_INPUT, EFBIG,
				 "%s: larger than %zu bytes", path, limit);
	if (ret_code)
		return error_set(err, ERROR_INPUT, ret_code, "%s: %s", path,
				 strerror(-ret_code));
	buffer_done(ret);
	*ret = content;
	content = (struct buffer){ 0 };
	return 0;
}

int file_write_atomic(const char *path, const void *data, size_t length,
		      mode_t mode, struct error **err)
{
	char *temporary cleanup_free = xasprintf("%s.XXXXXX", path);
	int fd cleanup_close = mkostemp(temporary, O_CLOEXEC);
	int ret;

	if (fd < 0)
		return error_set(err, ERROR_CONFIG, errno, "%s: %s", path,
				 strerror(errno));
	ret = fd_write_all(fd, data, length);
	if (!ret && (fchmod(fd, mode) || fsync(fd) || rename(temporary, path)))
		ret = -errno;
	if (!ret)
		return 0;
	unlink(temporary);
	return error_set(err, ERROR_CONFIG, ret, "%s: %s", path,
			 strerror(-ret));
}
