// SPDX-License-Identifier: GPL-2.0-only
#include "branch/root.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "branch/mounts.h"

/*
 * With index=on all hard links of a file are one inode of the overlay, which
 * the guard's labels need; redirect_dir=on lets directories be renamed, as
 * outside; xino=on gives one device number and lasting inode numbers.
 */
#define OVERLAY_OPTIONS ",index=on,redirect_dir=on,metacopy=off,xino=on"

/* Without "index=" in its options the overlay has the module's default. */
static bool index_default(void)
{
	int fd cleanup_close = open("/sys/module/overlay/parameters/index",
				    O_RDONLY | O_CLOEXEC);
	char c = 'N';

	return fd >= 0 && read(fd, &c, 1) == 1 && c == 'Y';
}

static int read_back(const char *target, struct error **err)
{
	struct arena *arena cleanup_arena = arena_new();
	const struct mount *mount = NULL;
	struct mount *mounts;
	size_t nr;
	int code = mounts_read(arena, &mounts, &nr, err);

	if (code)
		return code;
	while (nr-- && !mount)
		if (!strcmp(mounts[nr].point, target))
			mount = &mounts[nr];
	if (mount && !strcmp(mount->type, "overlay") &&
	    !mount_option(mount, "index=off") &&
	    (mount_option(mount, "index=on") || index_default()))
		return 0;
	error_set(err, ERROR_MACHINE, ENOTSUP,
		  "overlayfs fell back to index=off: aliases would escape the "
		  "guard");
	error_hint(err, "the state directory must be on tmpfs or ext4");
	return -ENOTSUP;
}

/* Names may hold any byte, also ones that separate mount options. */
static int add_layer(struct buffer *options, const char *name, int *fd,
		     const char *path, struct error **err)
{
	*fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (*fd < 0)
		return error_set(err, ERROR_MACHINE, errno, "%s: %s", path,
				 strerror(errno));
	buffer_printf(options, "%s/proc/self/fd/%d", name, *fd);
	return 0;
}

static int mount_options(const char *target, const char *options,
			 unsigned long flags, struct error **err)
{
	if (!mount("aletheia", target, "overlay", flags, options))
		return 0;
	error_set(err, ERROR_MACHINE, errno, "cannot mount an overlay: %s",
		  strerror(errno));
	error_hint(err, "the kernel needs overlayfs with at most one overlay "
			"below; see dmesg");
	return -ENOTSUP;
}

int overlay_mount(const char *target, const char *const *layers,
		  const char *upper, const char *work, struct error **err)
{
	int fds[ROOT_MAX_LAYERS + 2] = { -1, -1, -1, -1, -1 };
	struct buffer options cleanup_buffer = { 0 };
	size_t i;
	int code = 0;

	for (i = 0; !code && i < ROOT_MAX_LAYERS && layers[i]; i++)
		code = add_layer(&options, i ? ":" : "lowerdir=", &fds[i],
				 layers[i], err);
	if (!code && upper)
		code = add_layer(&options, ",upperdir=", &fds[i], upper, err);
	if (!code && upper && work)
		code = add_layer(&options, ",workdir=", &fds[i + 1], work, err);
	if (upper)
		buffer_adds(&options, OVERLAY_OPTIONS);
	if (!code)
		code = mount_options(
			target, buffer_text(&options),
			MS_NOSUID | MS_NODEV | (upper ? 0 : MS_RDONLY), err);
	if (!code && upper)
		code = read_back(target, err);
	for (i = 0; i < ARRAY_SIZE(fds); i++)
		close_fd(&fds[i]);
	return code;
}

int overlay_probe(const char *directory, struct error **err)
{
	static const char *const names[] = { "lower", "upper", "work",
					     "merged" };
	char *paths[ARRAY_SIZE(names)];
	const char *layers[] = { NULL, NULL };
	size_t i;
	int code = 0;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		paths[i] = xasprintf("%s/probe-%s", directory, names[i]);
		if (mkdir(paths[i], 0700) && !code)
			code = error_set(err, ERROR_MACHINE, errno, "%s: %s",
					 paths[i], strerror(errno));
	}
	layers[0] = paths[0];
	if (!code)
		code = overlay_mount(paths[3], layers, paths[1], paths[2], err);
	umount2(paths[3], MNT_DETACH);
	/* What overlayfs leaves in the work directory. */
	for (i = 0; i < 2; i++) {
		char *below cleanup_free =
			xasprintf("%s/%s", paths[2], i ? "index" : "work");

		rmdir(below);
	}
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		rmdir(paths[i]);
		free(paths[i]);
	}
	return code;
}
