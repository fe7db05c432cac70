// SPDX-License-Identifier: GPL-2.0-only
/*
 * Loading and attaching. Which programs fit is asked of the kernel's own type
 * information, never of its version.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "guard.skel.h"
#include "internal.h"

#define CANARY "al_canary"

/* ---- what libbpf says, kept for the error */

enum { LOG_KEPT = 4096 };

static struct buffer bpf_log;

__attribute__((format(printf, 2, 0))) static int
keep_log(enum libbpf_print_level level, const char *format, va_list args)
{
	cleanup_free char *line = NULL;

	if (level == LIBBPF_WARN) {
		line = xvasprintf(format, args);
		buffer_adds(&bpf_log, line);
	}
	return 0;
}

/* The end of it: a verifier's complaint comes last. */
static const char *log_end(void)
{
	const char *text = buffer_text(&bpf_log);
	size_t length = strlen(text);

	if (length > LOG_KEPT)
		text += length - LOG_KEPT;
	return text;
}

static void log_done(libbpf_print_fn_t *before)
{
	libbpf_set_print(*before);
	buffer_done(&bpf_log);
}

/* ---- which programs */

/* Hooks whose arguments differ between kernels: the program that has as many. */
static const struct {
	const char *program;
	int arguments;
} variants[] = {
	{ "al_inode_setattr_2", 2 },
	{ "al_inode_setattr_3", 3 },
	{ "al_perf_event_open_1", 1 },
	{ "al_perf_event_open_2", 2 },
};

/*
 * Hooks that a kernel may do without. @facility: what it lacks then, NULL: it
 * asks another hook instead.
 */
static const struct {
	const char *hook;
	const char *facility;
} optional[] = {
	{ "file_truncate", NULL },
	{ "inode_set_acl", NULL },
	{ "inode_remove_acl", NULL },
	{ "perf_event_open", "perf events" },
	{ "tun_dev_create", "tun devices" },
	{ "uring_sqpoll", "io_uring" },
	{ "uring_cmd", "io_uring commands" },
	{ "uring_override_creds", "io_uring credentials" },
	{ "key_alloc", "keys" },
	{ "key_permission", "key permissions" },
};

static bool fits(const struct btf *btf, int function, const char *program)
{
	const struct btf_type *type = btf__type_by_id(btf, function);

	type = btf__type_by_id(btf, type->type);
	for (size_t i = 0; i < ARRAY_SIZE(variants); i++)
		if (!strcmp(variants[i].program, program))
			return btf_vlen(type) == variants[i].arguments;
	return true;
}

static int note_missing(struct guard *guard, size_t *nr, const char *hook,
			struct error **err)
{
	for (size_t i = 0; i < ARRAY_SIZE(optional); i++) {
		if (strcmp(optional[i].hook, hook))
			continue;
		if (optional[i].facility)
			guard->missing[(*nr)++] = optional[i].facility;
		return 0;
	}
	error_set(err, ERROR_MACHINE, EOPNOTSUPP,
		  "this kernel has no LSM hook %s", hook);
	error_hint(err, "Aletheia needs Linux 6.1 or later with "
			"CONFIG_SECURITY_PATH and CONFIG_SECURITY_NETWORK");
	return -EOPNOTSUPP;
}

static void free_btf(struct btf **btf)
{
	btf__free(*btf);
}

static int choose_programs(struct guard *guard, struct error **err)
{
	__attribute__((cleanup(free_btf))) struct btf *btf =
		btf__load_vmlinux_btf();
	struct bpf_program *program;
	size_t nr = 0;

	if (!btf) {
		error_set(err, ERROR_MACHINE, errno,
			  "this kernel has no type information (BTF)");
		error_hint(err, "Aletheia needs a kernel with "
				"CONFIG_DEBUG_INFO_BTF");
		return -EOPNOTSUPP;
	}
	bpf_object__for_each_program(program, guard->bpf->obj) {
		const char *name = bpf_program__name(program);
		const char *hook = bpf_program__section_name(program);
		cleanup_free char *function = NULL;
		int id, error;

		if (bpf_program__type(program) != BPF_PROG_TYPE_LSM)
			continue;
		hook += strlen("lsm/");
		function = xasprintf("bpf_lsm_%s", hook);
		id = btf__find_by_name_kind(btf, function, BTF_KIND_FUNC);
		if (id < 0) {
			error = note_missing(guard, &nr, hook, err);
			if (error)
				return error;
		}
		bpf_program__set_autoload(program, id >= 0 &&
							   strcmp(name, CANARY) &&
							   fits(btf, id, name));
	}
	return 0;
}

/* It needs no maps, and where it is not asked there is no inode storage. */
static void only_canary(struct guard *guard)
{
	struct bpf_program *program;
	struct bpf_map *map;

	bpf_object__for_each_program(program, guard->bpf->obj)
		bpf_program__set_autoload(
			program, !strcmp(bpf_program__name(program), CANARY));
	bpf_object__for_each_map(map, guard->bpf->obj)
		bpf_map__set_autocreate(map, bpf_map__is_internal(map));
}

/* ---- load and attach */

static int refused(int code, const char *what, struct error **err)
{
	enum error_kind kind = ERROR_INTERNAL;

	if (code == -EPERM)
		kind = geteuid() ? ERROR_PERMISSION : ERROR_MACHINE;
	else if (code == -EOPNOTSUPP || code == -ENOSYS || code == -ESRCH)
		kind = ERROR_MACHINE;
	if (*log_end() && err)
		error_set(err, kind, code, "libbpf: %s", log_end());
	error_wrap(err, kind, code, "%s: %s", what, strerror(-code));
	if (kind == ERROR_PERMISSION)
		error_hint(err, "only root may load BPF programs");
	else if (kind == ERROR_MACHINE)
		error_hint(err, "this kernel lets not even root load BPF LSM "
				"programs; use --vm=always, or a kernel that "
				"does");
	return code;
}

static int open_skeleton(struct guard *guard, struct error **err)
{
	guard->bpf = guard_bpf__open();
	if (!guard->bpf)
		return refused(-errno, "cannot open the guard's programs", err);
	guard->missing =
		xreallocarray(NULL, ARRAY_SIZE(optional) + 1,
			      sizeof(*guard->missing));
	memset(guard->missing, 0,
	       (ARRAY_SIZE(optional) + 1) * sizeof(*guard->missing));
	return 0;
}

static int load_and_attach(struct guard *guard, struct error **err)
{
	int error;

	error = guard_bpf__load(guard->bpf);
	if (error)
		return refused(error, "cannot load the guard's programs", err);
	error = guard_bpf__attach(guard->bpf);
	if (error)
		return refused(error, "cannot attach the guard's programs",
			       err);
	return 0;
}

static void share(struct guard *guard)
{
	struct guard_bpf *bpf = guard->bpf;

	guard->labels = bpf_map__fd(bpf->maps.al_labels);
	guard->slots = bpf_map__fd(bpf->maps.al_slots);
	guard->endpoints = bpf_map__fd(bpf->maps.al_endpoints);
	guard->policies = bpf_map__fd(bpf->maps.al_policies);
	guard->rules = bpf_map__fd(bpf->maps.al_rules);
	guard->counters = bpf_map__fd(bpf->maps.al_counters);
	guard->rings = bpf_map__fd(bpf->maps.al_rings);
	guard->set_mode = bpf_program__fd(bpf->progs.al_set_mode);
	guard->levels = bpf->bss->al_levels;
	guard->epoch = (volatile uint64_t *)&bpf->bss->al_epoch;
}

static void guard_done(struct guard **guard)
{
	guard_close(*guard);
}

static int try_open(struct guard **ret, struct error **err)
{
	__attribute__((unused, cleanup(log_done))) libbpf_print_fn_t before =
		libbpf_set_print(keep_log);
	__attribute__((cleanup(guard_done))) struct guard *guard =
		xzalloc(sizeof(*guard));
	int error;

	error = open_skeleton(guard, err);
	if (!error)
		error = choose_programs(guard, err);
	if (!error)
		error = load_and_attach(guard, err);
	if (error)
		return error;
	share(guard);
	*ret = take_ptr(guard);
	return 0;
}

/* If the kernel cannot do it at all, that is the better reason. */
int guard_open(struct guard **ret, struct error **err)
{
	cleanup_error struct error *reason = NULL;
	int error = try_open(ret, &reason), probed;

	if (!error)
		return 0;
	probed = guard_probe(err);
	if (probed)
		return probed;
	if (err)
		error_move(err, &reason);
	return error;
}

void guard_close(struct guard *guard)
{
	if (!guard)
		return;
	guard_bpf__destroy(guard->bpf);
	free(guard->missing);
	free(guard);
}

const char *const *guard_not_represented(const struct guard *guard)
{
	return (const char *const *)guard->missing;
}

int guard_probe(struct error **err)
{
	__attribute__((unused, cleanup(log_done))) libbpf_print_fn_t before =
		libbpf_set_print(keep_log);
	__attribute__((cleanup(guard_done))) struct guard *guard =
		xzalloc(sizeof(*guard));
	cleanup_close int fd = -1;
	int error;

	error = open_skeleton(guard, err);
	if (error)
		return error;
	only_canary(guard);
	error = load_and_attach(guard, err);
	if (error)
		return error;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, AL_CANARY_PROTOCOL);
	if (fd < 0 && errno == ECANCELED)
		return 0;
	error_set(err, ERROR_MACHINE, EOPNOTSUPP,
		  "this kernel loads BPF LSM programs but does not ask them");
	error_hint(err, "boot with \"bpf\" in the list lsm= (the present list "
			"is in /sys/kernel/security/lsm), or use --vm=always");
	return -EOPNOTSUPP;
}

/* bpffs takes no path relative to a descriptor. */
int guard_pin(struct guard *guard, int dirfd, struct error **err)
{
	const struct bpf_object_skeleton *s = guard->bpf->skeleton;
	cleanup_close int before = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	int error = 0;

	if (before < 0 || fchdir(dirfd))
		return error_set(err, ERROR_INTERNAL, errno,
				 "cannot enter the directory for pins: %s",
				 strerror(errno));
	for (int i = 0; i < s->prog_cnt && !error; i++) {
		struct bpf_link *link = *s->progs[i].link;

		if (link && bpf_obj_pin(bpf_link__fd(link), s->progs[i].name))
			error = error_set(err, ERROR_INTERNAL, errno,
					  "cannot pin %s: %s", s->progs[i].name,
					  strerror(errno));
	}
	if (fchdir(before) && !error)
		error = error_set(err, ERROR_INTERNAL, errno,
				  "cannot go back from the pins: %s",
				  strerror(errno));
	return error;
}

#if AL_SELFTEST
void guard_detach(struct guard *guard)
{
	guard_bpf__detach(guard->bpf);
}
#endif
