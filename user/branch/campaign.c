// SPDX-License-Identifier: GPL-2.0-only
#include "branch/campaign.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "branch/root.h"

/* Where campaigns live, the first that is writable. */
static const char *const bases[] = { "/run/aletheia", "/var/tmp/aletheia",
				     "/tmp/aletheia" };

/* Not in the state: people look at it when that is gone. */
#define KEPT_PREFIX "/var/tmp/aletheia-kept-"

static int failed(struct error **err, enum error_kind kind, const char *what)
{
	int code = errno;

	return error_set(err, kind, code, "%s: %s", what, strerror(code));
}

/* Others could have made the directory before us in a place like /tmp. */
static int open_base(const char *path)
{
	int fd cleanup_close = -1;
	struct stat st;

	if (mkdir(path, 0700) && errno != EEXIST)
		return -errno;
	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st))
		return -errno;
	if (st.st_uid != geteuid() || st.st_mode & 077)
		return -EPERM;
	if (faccessat(fd, ".", W_OK, 0))
		return -errno;
	return take_fd(&fd);
}

static int find_base(const char **ret_path, struct error **err)
{
	size_t i;
	int fd = -1;

	for (i = 0; i < ARRAY_SIZE(bases); i++) {
		fd = open_base(bases[i]);
		if (fd >= 0) {
			*ret_path = bases[i];
			return fd;
		}
	}
	return error_set(err, ERROR_MACHINE, fd, "%s: %s",
			 bases[ARRAY_SIZE(bases) - 1], strerror(-fd));
}

/* The hierarchy that a dead campaign's cgroup is in, as its lock file says. */
static int hierarchy_of(int lock)
{
	char path[4096];
	ssize_t nr = pread(lock, path, sizeof(path) - 1, 0);

	if (nr <= 0)
		return -1;
	path[nr] = '\0';
	return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* Removed if nobody holds its lock: its controller and janitor are dead. */
static int clean_one(int base, const char *name, int hierarchy,
		     struct error **err)
{
	int lock cleanup_close = -1;
	int theirs cleanup_close = -1;
	char *path cleanup_free = xasprintf("%s/" CAMPAIGN_LOCK, name);
	int code;

	lock = openat(base, path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (lock < 0 && errno != ENOENT)
		return 0;
	if (lock >= 0 && flock(lock, LOCK_EX | LOCK_NB))
		return 0;
	if (lock >= 0)
		theirs = hierarchy_of(lock);
	code = leftovers_remove(base, name, theirs >= 0 ? theirs : hierarchy);
	if (code)
		return error_set(err, ERROR_MACHINE, code,
				 "cannot clean up after campaign %s: %s", name,
				 strerror(-code));
	return 0;
}

static int clean_all(int base, int hierarchy, struct error **err)
{
	DIR *dir cleanup_dir = NULL;
	struct dirent *entry;
	int fd = openat(base, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int code = 0;

	if (fd < 0)
		return failed(err, ERROR_MACHINE, "campaigns");
	dir = fdopendir(fd);
	if (!dir) {
		close(fd);
		return failed(err, ERROR_INTERNAL, "campaigns");
	}
	while (!code && (entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			code = clean_one(base, entry->d_name, hierarchy, err);
	return code;
}

static char *random_name(void)
{
	unsigned char bytes[8];
	char name[2 * sizeof(bytes) + 1];
	size_t i;

	if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
		return NULL;
	for (i = 0; i < sizeof(bytes); i++)
		snprintf(name + 2 * i, 3, "%02x", bytes[i]);
	return xstrdup(name);
}

/*
 * While the base is locked: dead campaigns go, ours appears with its lock
 * held, so that whoever comes next sees either nothing or a living one.
 */
static int make_directory(struct campaign *campaign, const char *base_path,
			  struct error **err)
{
	int base_lock cleanup_close =
		openat(campaign->base, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	char *lock cleanup_free = NULL;
	int code;

	if (base_lock < 0 || flock(base_lock, LOCK_EX))
		return failed(err, ERROR_MACHINE, base_path);
	code = clean_all(campaign->base, campaign->hierarchy.fd, err);
	if (code)
		return code;
	campaign->name = random_name();
	if (!campaign->name)
		return failed(err, ERROR_MACHINE, "getrandom");
	campaign->directory = xasprintf("%s/%s", base_path, campaign->name);
	campaign->state = xasprintf("%s/" CAMPAIGN_STATE, campaign->directory);
	campaign->snapshot = xasprintf("%s/snapshot", campaign->state);
	campaign->kept = xasprintf(KEPT_PREFIX "%s", campaign->name);
	campaign->cgroup_name = xasprintf(CAMPAIGN_CGROUP "%s", campaign->name);
	lock = xasprintf("%s/" CAMPAIGN_LOCK, campaign->directory);
	if (mkdir(campaign->directory, 0700) || mkdir(campaign->state, 0700))
		return failed(err, ERROR_MACHINE, campaign->directory);
	campaign->lock =
		open(lock, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (campaign->lock < 0 || flock(campaign->lock, LOCK_EX | LOCK_NB))
		return failed(err, ERROR_MACHINE, lock);
	code = fd_write_all(campaign->lock, campaign->hierarchy_path,
			    strlen(campaign->hierarchy_path));
	if (code)
		return error_set(err, ERROR_MACHINE, code, "%s: %s", lock,
				 strerror(-code));
	return 0;
}

/*
 * Our own mount namespace: what we mount is seen by nobody else and is gone
 * with our last process, however that ends. The host's own changes still
 * reach us.
 */
static int make_state(struct campaign *campaign, struct error **err)
{
	if (unshare(CLONE_NEWNS))
		return failed(err, ERROR_PERMISSION,
			      "cannot make a mount namespace");
	if (mount(NULL, "/", NULL, MS_REC | MS_SLAVE, NULL))
		return failed(err, ERROR_MACHINE, "mount propagation");
	if (mount("aletheia", campaign->state, "tmpfs", MS_NOSUID | MS_NODEV,
		  "mode=0700"))
		return failed(err, ERROR_MACHINE, campaign->state);
	return overlay_probe(campaign->state, err);
}

static int open_all(struct campaign *campaign, struct error **err)
{
	const char *base_path = NULL;
	int code;

	code = cgroup_hierarchy(&campaign->hierarchy, &campaign->hierarchy_path,
				err);
	if (code)
		return code;
	campaign->base = find_base(&base_path, err);
	if (campaign->base < 0)
		return campaign->base;
	code = make_directory(campaign, base_path, err);
	if (code)
		return code;
	/* Before the cgroup: from its first process on somebody ends it. */
	code = janitor_start(campaign, err);
	if (!code)
		code = make_state(campaign, err);
	if (!code)
		code = cgroup_make(&campaign->hierarchy, campaign->cgroup_name,
				   &campaign->cgroup, err);
	if (code)
		return code;
	campaign->controllers = cgroup_enable(&campaign->hierarchy);
	campaign->controllers &= cgroup_enable(&campaign->cgroup);
	return 0;
}

int campaign_open(struct campaign **ret, struct error **err)
{
	struct campaign *campaign;
	int code;

	if (geteuid()) {
		error_set(err, ERROR_PERMISSION, EPERM,
			  "only root can make branches");
		error_hint(err, "run it with sudo");
		return -EPERM;
	}
	campaign = xzalloc(sizeof(*campaign));
	campaign->owner = getpid();
	campaign->base = campaign->lock = -1;
	campaign->hierarchy.fd = campaign->cgroup.fd = -1;
	code = open_all(campaign, err);
	if (code) {
		campaign_close(campaign);
		return code;
	}
	*ret = campaign;
	return 0;
}

const char *campaign_note(const struct campaign *campaign)
{
	switch (campaign->controllers & (CGROUP_MEMORY | CGROUP_PIDS)) {
	case 0:
		return "no memory and process limits: the cgroup v2 hierarchy "
		       "has no such controllers";
	case CGROUP_MEMORY:
		return "no process limit: the cgroup v2 hierarchy has no pids "
		       "controller";
	case CGROUP_PIDS:
		return "no memory limit: the cgroup v2 hierarchy has no memory "
		       "controller";
	default:
		return NULL;
	}
}

const char *campaign_kept(const struct campaign *campaign)
{
	return campaign->kept;
}

/* Mount points that fresh directories need below parts of the snapshot. */
static int add_mount_points(int snapshot, struct error **err)
{
	if (!faccessat(snapshot, "var", F_OK, AT_SYMLINK_NOFOLLOW) &&
	    mkdirat(snapshot, "var/tmp", 01777) && errno != EEXIST)
		return failed(err, ERROR_MACHINE, "snapshot: /var/tmp");
	return 0;
}

int campaign_snapshot(struct campaign *campaign, const struct bound *bound,
		      struct error **err)
{
	int fd cleanup_close = -1;
	int code;

	if (mkdir(campaign->snapshot, 0755))
		return failed(err, ERROR_MACHINE, campaign->snapshot);
	fd = open(campaign->snapshot,
		  O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return failed(err, ERROR_MACHINE, campaign->snapshot);
	code = snapshot_make(bound, fd, BRANCH_AGENT_UID,
			     &campaign->snapshot_digest, err);
	if (!code)
		code = add_mount_points(fd, err);
	campaign->has_snapshot = !code;
	return code;
}

struct digest campaign_digest(const struct campaign *campaign)
{
	return campaign->snapshot_digest;
}

void campaign_close(struct campaign *campaign)
{
	if (!campaign)
		return;
	if (campaign->owner == getpid()) {
		cgroup_done(&campaign->cgroup);
		/* Only in our mount namespace; without it the name is free. */
		if (campaign->state)
			umount2(campaign->state, MNT_DETACH | UMOUNT_NOFOLLOW);
		if (campaign->name)
			leftovers_remove(campaign->base, campaign->name,
					 campaign->hierarchy.fd);
		janitor_stop(campaign);
	}
	cgroup_done(&campaign->cgroup);
	cgroup_done(&campaign->hierarchy);
	close_fd(&campaign->lock);
	close_fd(&campaign->base);
	free(campaign->name);
	free(campaign->directory);
	free(campaign->state);
	free(campaign->snapshot);
	free(campaign->hierarchy_path);
	free(campaign->cgroup_name);
	free(campaign->kept);
	free(campaign);
}
