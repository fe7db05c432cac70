// SPDX-License-Identifier: GPL-2.0-only
/*
 * Process 1 of a hostile guest: mounts both shares of scripts/vm for writing and
 * tries to change files in them. The file on the host it tries is given as the
 * kernel parameter victim=PATH; what happened is written to the output share.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/reboot.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static FILE *result;

static void stop(const char *why)
{
	printf("vm_writer: %s: %m\n", why);
	fflush(stdout);
	sync();
	syscall(SYS_reboot, LINUX_REBOOT_MAGIC1, LINUX_REBOOT_MAGIC2,
		LINUX_REBOOT_CMD_RESTART, NULL);
}

static int is_module(const struct dirent *entry)
{
	return strstr(entry->d_name, ".ko") != NULL;
}

static void load_modules(void)
{
	struct dirent **list;
	int nr = scandir("/modules/boot", &list, is_module, alphasort);

	for (int i = 0; i < nr; i++) {
		char path[300];
		int fd;

		snprintf(path, sizeof(path), "/modules/boot/%s",
			 list[i]->d_name);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (syscall(SYS_finit_module, fd, "", 0))
			stop(path);
		close(fd);
	}
}

static void mount_share(const char *tag, const char *target)
{
	mkdir(target, 0755);
	if (mount(tag, target, "9p", 0, "trans=virtio,version=9p2000.L"))
		stop(target);
}

static void note(const char *share, const char *what, int failed)
{
	fprintf(result, "%s %s: %s\n", share, what,
		failed ? strerrorname_np(errno) : "OK");
	fflush(result);
}

static int try_open(const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC, 0644);

	if (fd < 0)
		return -1;
	return close(fd);
}

/* All beside the file given, which exists. */
static void try_all(const char *share, const char *path)
{
	char made[4096], other[4096];

	snprintf(made, sizeof(made), "%s.made", path);
	snprintf(other, sizeof(other), "%s.other", path);
	note(share, "create", try_open(made, O_WRONLY | O_CREAT | O_EXCL));
	note(share, "open", try_open(path, O_WRONLY | O_TRUNC));
	note(share, "chmod", chmod(path, 0777));
	note(share, "link", link(path, other));
	note(share, "rename", rename(path, made));
	/* One of the names is there, whatever happened to the rename. */
	note(share, "unlink", unlink(access(path, F_OK) ? made : path));
}

int main(void)
{
	const char *victim = getenv("victim");
	char path[4096];

	mkdir("/dev", 0755);
	load_modules();
	mount_share("io", "/io");
	mount_share("host", "/host");
	result = fopen("/io/result", "we");
	if (!result || !victim || try_open("/io/victim", O_WRONLY | O_CREAT))
		stop("prepare");
	try_all("io", "/io/victim");
	snprintf(path, sizeof(path), "/host%s", victim);
	note("host", "read", try_open(path, O_RDONLY));
	try_all("host", path);
	fclose(result);
	stop("end");
	return 0;
}
