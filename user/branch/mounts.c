// SPDX-License-Identifier: GPL-2.0-only
#include "branch/mounts.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"

enum { MOUNTINFO_MAX = 64 << 20 };

/* The kernel writes space, tab, newline and backslash as \ooo. */
static void unescape(char *text)
{
	char *to = text;

	for (; *text; text++) {
		if (text[0] == '\\' && text[1] >= '0' && text[1] <= '3' &&
		    text[2] >= '0' && text[2] <= '7' && text[3] >= '0' &&
		    text[3] <= '7') {
			*to++ = (char)((text[1] - '0') << 6 |
				       (text[2] - '0') << 3 | (text[3] - '0'));
			text += 3;
		} else {
			*to++ = *text;
		}
	}
	*to = '\0';
}

/*
 * "36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw,errors=a":
 * fields 4 and 5, then, behind a lone dash, the type, source and options.
 */
static bool parse(char *line, char *ret[4])
{
	char *save = NULL, *field;
	unsigned int nr = 0, after = 0;

	for (field = strtok_r(line, " \n", &save); field;
	     field = strtok_r(NULL, " \n", &save)) {
		nr++;
		if (nr == 4)
			ret[0] = field;
		else if (nr == 5)
			ret[1] = field;
		else if (nr > 6 && !after && !strcmp(field, "-"))
			after = 1;
		else if (after == 1)
			ret[2] = field, after++;
		else if (after == 3)
			ret[3] = field, after++;
		else if (after)
			after++;
	}
	return ret[0] && ret[1] && ret[2] && ret[3];
}

static int read_lines(struct buffer *ret)
{
	int fd cleanup_close =
		open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);

	return fd < 0 ? -errno : fd_read_all(fd, MOUNTINFO_MAX, ret);
}

int mounts_read(struct arena *arena, struct mount **ret, size_t *ret_nr,
		struct error **err)
{
	struct buffer text cleanup_buffer = { 0 };
	struct mount *mounts = NULL;
	char *line, *save = NULL;
	size_t nr = 0;
	int code = read_lines(&text);

	if (code)
		return error_set(err, ERROR_MACHINE, code,
				 "/proc/self/mountinfo: %s", strerror(-code));
	for (line = text.data ? strtok_r(text.data, "\n", &save) : NULL; line;
	     line = strtok_r(NULL, "\n", &save)) {
		char *fields[4] = { NULL, NULL, NULL, NULL };
		struct mount *mount;
		size_t i;

		if (!parse(line, fields))
			return error_set(err, ERROR_MACHINE, EINVAL,
					 "/proc/self/mountinfo: line %zu is "
					 "not understood",
					 nr + 1);
		for (i = 0; i < ARRAY_SIZE(fields); i++)
			unescape(fields[i]);
		mount = ARENA_PUSH(arena, mounts, nr);
		mount->root = arena_strdup(arena, fields[0]);
		mount->point = arena_strdup(arena, fields[1]);
		mount->type = arena_strdup(arena, fields[2]);
		mount->options = arena_strdup(arena, fields[3]);
	}
	*ret = mounts;
	*ret_nr = nr;
	return 0;
}

bool mount_option(const struct mount *mount, const char *option)
{
	const char *at = mount->options;
	size_t length = strlen(option);

	for (;;) {
		size_t nr = strcspn(at, ",");

		if (nr == length && !memcmp(at, option, nr))
			return true;
		if (!at[nr])
			return false;
		at += nr + 1;
	}
}

bool path_below(const char *path, const char *directory)
{
	size_t nr = strlen(directory);

	if (nr && directory[nr - 1] == '/') /* the root */
		nr--;
	return !strncmp(path, directory, nr) && path[nr] == '/' && path[nr + 1];
}
