// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the programs decide by.
 */
#include <errno.h>
#include <string.h>

#include <bpf/bpf.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "internal.h"

/* Classes found earlier may be others by what was just written. */
static void forget_classes(struct guard *guard)
{
	__atomic_add_fetch(guard->epoch, 1, __ATOMIC_SEQ_CST);
}

int guard_label(struct guard *guard, int fd, uint32_t object, uint32_t flags,
		struct error **err)
{
	struct al_label label = { .object = object, .flags = flags };

	if (object >= AL_MAX_OBJECTS)
		return error_set(err, ERROR_INTERNAL, EINVAL,
				 "object %u is out of range", object);
	if (bpf_map_update_elem(guard->labels, &fd, &label, BPF_ANY))
		return error_set(err, ERROR_INTERNAL, errno,
				 "cannot label an inode as object %u: %s",
				 object, strerror(errno));
	forget_classes(guard);
	return 0;
}

int guard_label_get(struct guard *guard, int fd, struct al_label *ret)
{
	return bpf_map_lookup_elem(guard->labels, &fd, ret) ? -errno : 0;
}

int guard_slot(struct guard *guard, uint32_t parent, const char *name,
	       uint32_t object, uint32_t flags, struct error **err)
{
	struct al_label label = { .object = object, .flags = flags };
	struct al_slot_key key = { .parent = parent };
	size_t length = strlen(name);

	if (!length || length >= sizeof(key.name) ||
	    object >= AL_MAX_OBJECTS || object == AL_OBJECT_NONE)
		return error_set(err, ERROR_INTERNAL, EINVAL,
				 "\"%s\" cannot be a slot of object %u", name,
				 object);
	key.length = length;
	memcpy(key.name, name, length);
	if (bpf_map_update_elem(guard->slots, &key, &label, BPF_ANY))
		return error_set(err, ERROR_INTERNAL, errno,
				 "cannot make \"%s\" a slot: %s", name,
				 errno == E2BIG ? "too many slots" :
						  strerror(errno));
	forget_classes(guard);
	return 0;
}

int guard_endpoint(struct guard *guard, const struct al_endpoint_key *key,
		   uint32_t object, struct error **err)
{
	if (object >= AL_MAX_OBJECTS || object == AL_OBJECT_NONE)
		return error_set(err, ERROR_INTERNAL, EINVAL,
				 "object %u is out of range", object);
	if (bpf_map_update_elem(guard->endpoints, key, &object, BPF_ANY))
		return error_set(err, ERROR_INTERNAL, errno,
				 "cannot add an endpoint: %s",
				 errno == E2BIG ? "too many" : strerror(errno));
	return 0;
}

int guard_inner(int outer, uint64_t cgroup)
{
	uint32_t id;
	int fd;

	if (bpf_map_lookup_elem(outer, &cgroup, &id))
		return -errno;
	fd = bpf_map_get_fd_by_id(id);
	return fd < 0 ? -errno : fd;
}

/*
 * Levels are only ever added: other processes may be adding one at the same
 * time, and the programs may be reading them.
 */
static int use_level(struct guard *guard, uint32_t level, struct error **err)
{
	for (int i = 0; i < AL_MAX_LEVELS; i++) {
		uint32_t none = 0;

		if (guard->levels[i] == level ||
		    __atomic_compare_exchange_n(&guard->levels[i], &none, level,
						false, __ATOMIC_SEQ_CST,
						__ATOMIC_SEQ_CST) ||
		    none == level)
			return 0;
	}
	return error_set(err, ERROR_CONFIG, ENOSPC,
			 "policies at more than %d cgroup levels at once",
			 AL_MAX_LEVELS);
}

static int new_array(const char *name, uint32_t value_size, uint32_t nr)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_INNER_MAP);
	int fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, name, sizeof(uint32_t),
				value_size, nr, &opts);

	return fd < 0 ? -errno : fd;
}

static int write_rules(int map, const struct al_rule *rules, uint32_t nr)
{
	for (uint32_t i = 0; i < nr; i++)
		if (bpf_map_update_elem(map, &i, &rules[i], BPF_ANY))
			return -errno;
	return bpf_map_freeze(map) ? -errno : 0;
}

/* One of a policy's maps into its place; descriptors are no longer needed. */
static int insert(int outer, uint64_t cgroup, int inner)
{
	return bpf_map_update_elem(outer, &cgroup, &inner, BPF_NOEXIST) ?
		       -errno :
		       0;
}

static int add_maps(struct guard *guard, uint64_t cgroup,
		    const struct al_rule *rules, uint32_t nr)
{
	cleanup_close int rule_map =
		new_array("al_policy_rules", sizeof(struct al_rule), nr);
	cleanup_close int count_map =
		new_array("al_policy_count", sizeof(struct al_count), nr);
	cleanup_close int ring = bpf_map_create(BPF_MAP_TYPE_RINGBUF,
						"al_policy_ring", 0, 0,
						AL_RING_SIZE, NULL);
	int error;

	if (rule_map < 0)
		return rule_map;
	if (count_map < 0)
		return count_map;
	if (ring < 0)
		return -errno;
	error = write_rules(rule_map, rules, nr);
	if (!error)
		error = insert(guard->rules, cgroup, rule_map);
	if (!error)
		error = insert(guard->counters, cgroup, count_map);
	if (!error)
		error = insert(guard->rings, cgroup, ring);
	return error;
}

int guard_policy_add(struct guard *guard, uint64_t cgroup, uint32_t level,
		     const struct al_rule *rules, uint32_t nr,
		     struct error **err)
{
	struct al_policy policy = { .mode = AL_MODE_SETUP, .nr_objects = nr };
	int error;

	if (!level || !nr || nr > AL_MAX_OBJECTS)
		return error_set(err, ERROR_INTERNAL, EINVAL,
				 "a policy of %u objects at level %u", nr,
				 level);
	error = use_level(guard, level, err);
	if (error)
		return error;
	if (!bpf_map_lookup_elem(guard->policies, &cgroup, &policy))
		return error_set(err, ERROR_INTERNAL, EEXIST,
				 "cgroup %llu already has a policy",
				 (unsigned long long)cgroup);
	error = add_maps(guard, cgroup, rules, nr);
	if (!error &&
	    bpf_map_update_elem(guard->policies, &cgroup, &policy, BPF_NOEXIST))
		error = -errno;
	if (error) {
		guard_policy_remove(guard, cgroup);
		return error_set(err, ERROR_INTERNAL, error,
				 "cannot load a policy of %u objects: %s", nr,
				 error == -E2BIG ? "too many policies" :
						   strerror(-error));
	}
	return 0;
}

int guard_policy_mode(struct guard *guard, uint64_t cgroup, uint32_t mode,
		      struct error **err)
{
	struct al_mode_request request = { .policy = cgroup, .mode = mode };
	LIBBPF_OPTS(bpf_test_run_opts, opts, .ctx_in = &request,
		    .ctx_size_in = sizeof(request));
	struct al_policy policy;
	int error;

	if (bpf_prog_test_run_opts(guard->set_mode, &opts))
		return error_set(err, ERROR_INTERNAL, errno,
				 "cannot switch a policy's mode: %s",
				 strerror(errno));
	error = guard_policy_state(guard, cgroup, &policy, err);
	if (error)
		return error;
	if (opts.retval || policy.mode != mode)
		return error_set(err, ERROR_INTERNAL, EIO,
				 "mode %u of cgroup %llu reads back as %u",
				 mode, (unsigned long long)cgroup, policy.mode);
	return 0;
}

int guard_policy_state(struct guard *guard, uint64_t cgroup,
		       struct al_policy *ret, struct error **err)
{
	if (bpf_map_lookup_elem(guard->policies, &cgroup, ret))
		return error_set(err, ERROR_INTERNAL, errno,
				 "no policy for cgroup %llu",
				 (unsigned long long)cgroup);
	return 0;
}

static int read_array(int outer, uint64_t cgroup, void *data, size_t size,
		      uint32_t nr, struct error **err)
{
	cleanup_close int map = guard_inner(outer, cgroup);

	if (map < 0)
		return error_set(err, ERROR_INTERNAL, map,
				 "no policy for cgroup %llu",
				 (unsigned long long)cgroup);
	for (uint32_t i = 0; i < nr; i++)
		if (bpf_map_lookup_elem(map, &i, (char *)data + i * size))
			return error_set(err, ERROR_INTERNAL, errno,
					 "cannot read object %u of a policy: %s",
					 i, strerror(errno));
	return 0;
}

int guard_policy_rules(struct guard *guard, uint64_t cgroup,
		       struct al_rule *ret_rules, uint32_t nr,
		       struct error **err)
{
	return read_array(guard->rules, cgroup, ret_rules, sizeof(*ret_rules),
			  nr, err);
}

int guard_policy_counts(struct guard *guard, uint64_t cgroup,
			struct al_count *ret_counts, uint32_t nr,
			struct error **err)
{
	return read_array(guard->counters, cgroup, ret_counts,
			  sizeof(*ret_counts), nr, err);
}

static int forget(int map, uint64_t cgroup)
{
	return bpf_map_delete_elem(map, &cgroup) && errno != ENOENT ? -errno :
								      0;
}

/* The policy first: without it the programs do not look for the rest. */
int guard_policy_remove(struct guard *guard, uint64_t cgroup)
{
	const int maps[] = { guard->policies, guard->rules, guard->counters,
			     guard->rings };
	int ret = 0;

	for (size_t i = 0; i < ARRAY_SIZE(maps); i++) {
		int error = forget(maps[i], cgroup);

		if (error && !ret)
			ret = error;
	}
	return ret;
}
