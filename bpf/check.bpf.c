// SPDX-License-Identifier: GPL-2.0-only
/*
 * Scope, decision, accounting: the one way from a question to an answer.
 */
#include "check.h"

#include <aletheia/decide.h>

char al_license[] SEC("license") = "GPL";

/* Written by user space. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, AL_MAX_SLOTS);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct al_slot_key);
	__type(value, struct al_label);
} al_slots SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, AL_MAX_ENDPOINTS);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct al_endpoint_key);
	__type(value, __u32);
} al_endpoints SEC(".maps");

/*
 * By the ids of the policies' cgroups. Inner arrays are as long as each policy
 * needs (BPF_F_INNER_MAP); rules are frozen before they are put here.
 */
struct al_rule_array {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(map_flags, BPF_F_INNER_MAP);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(struct al_rule));
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH_OF_MAPS);
	__uint(max_entries, AL_MAX_POLICIES);
	__type(key, __u64);
	__array(values, struct al_rule_array);
} al_rules SEC(".maps");

struct al_count_array {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__uint(map_flags, BPF_F_INNER_MAP);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(struct al_count));
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH_OF_MAPS);
	__uint(max_entries, AL_MAX_POLICIES);
	__type(key, __u64);
	__array(values, struct al_count_array);
} al_counters SEC(".maps");

struct al_ring {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, AL_RING_SIZE);
};

struct {
	__uint(type, BPF_MAP_TYPE_HASH_OF_MAPS);
	__uint(max_entries, AL_MAX_POLICIES);
	__type(key, __u64);
	__array(values, struct al_ring);
} al_rings SEC(".maps");


static __always_inline struct al_rule al_rule_of(__u64 id, __u32 object)
{
	struct al_rule none = { 0, 0 };
	struct al_rule *rule;
	void *rules;

	rules = bpf_map_lookup_elem(&al_rules, &id);
	if (!rules)
		return none;
	rule = bpf_map_lookup_elem(rules, &object);
	return rule ? *rule : none;
}

/*
 * Counts a decision once per operation: each denial where it was missing, else
 * each permission. Returns whether one of them was the first of its kind.
 */
static __always_inline bool al_account(__u64 id, __u32 object, __u32 wanted,
				       __u32 missing)
{
	struct al_count *count;
	__u32 counted = missing ? missing : wanted;
	bool first = false;
	void *counters;
	__u64 *column;

	counters = bpf_map_lookup_elem(&al_counters, &id);
	if (!counters)
		return true;
	count = bpf_map_lookup_elem(counters, &object);
	if (!count) {
		/* A label of an object that this policy never heard of. */
		object = AL_OBJECT_NONE;
		count = bpf_map_lookup_elem(counters, &object);
		if (!count)
			return true;
	}
	column = missing ? count->denied : count->allowed;
	for (int i = 0; i < AL_NR_OPERATIONS; i++) {
		if (!(counted & 1u << i))
			continue;
		if (!__sync_fetch_and_add(&column[i], 1))
			first = true;
	}
	return first;
}

/* A ring without room costs the event, never the decision. */
static __always_inline void al_report(__u64 id, struct al_policy *policy,
				      const struct al_ask *ask,
				      const struct al_address *address,
				      const struct al_query *query,
				      __u32 missing, int error)
{
	__u64 sequence = __sync_fetch_and_add(&policy->sequence, 1) + 1;
	__u64 pid = bpf_get_current_pid_tgid();
	struct al_event *event = NULL;
	void *ring;

	ring = bpf_map_lookup_elem(&al_rings, &id);
	if (ring)
		event = bpf_ringbuf_reserve(ring, sizeof(*event), 0);
	if (!event) {
		__sync_fetch_and_add(&policy->lost, 1);
		return;
	}
	__builtin_memset(event, 0, sizeof(*event));
	event->sequence = sequence;
	event->time = bpf_ktime_get_ns();
	event->policy = id;
	event->object = query->object;
	event->from = query->moves ? AL_FOUND_OBJECT(ask->from) : 0;
	event->kind = query->kind;
	event->moves = query->moves;
	event->operations = ask->wanted;
	event->missing = missing;
	event->error = error;
	event->hook = ask->hook;
	event->pid = (__u32)pid;
	event->tgid = pid >> 32;
	event->uid = (__u32)bpf_get_current_uid_gid();
	if (address) {
		event->port = address->key.port;
		event->protocol = address->key.protocol;
		event->family = address->family;
		__builtin_memcpy(event->address, address->key.address,
				 sizeof(event->address));
	}
	bpf_get_current_comm(event->comm, sizeof(event->comm));
	if (ask->inode) {
		struct inode *inode = (struct inode *)ask->inode;

		event->ino = BPF_CORE_READ(inode, i_ino);
		event->dev = BPF_CORE_READ(inode, i_sb, s_dev);
	}
	if (ask->name)
		bpf_probe_read_kernel_str(event->name, sizeof(event->name),
					  (void *)ask->name);
	bpf_ringbuf_submit(event, 0);
}

/* Is the task below the cgroup @id, which is @level deep? */
static __always_inline bool al_below_cgroup(struct task_struct *task,
					    __u32 level, __u64 id)
{
	struct cgroup *cgroup = BPF_CORE_READ(task, cgroups, dfl_cgrp);
	struct cgroup *ancestor = NULL;

	if (BPF_CORE_READ(cgroup, level) < (int)level)
		return false;
	bpf_core_read(&ancestor, sizeof(ancestor), &cgroup->ancestors[level]);
	return BPF_CORE_READ(ancestor, kn, id) == id;
}

/* The question as the decision core takes it. */
static __always_inline struct al_query al_query(const struct al_ask *ask,
						__u64 id, __u32 mode)
{
	struct al_query query = {
		.wanted = ask->wanted,
		.object = AL_FOUND_OBJECT(ask->found),
		.moves = ask->moves,
		.mode = mode,
	};
	struct al_rule rule;

	if (ask->moves) {
		query.from = al_rule_of(id, AL_FOUND_OBJECT(ask->from)).allow;
		/* What nobody bound cannot come from anywhere. */
		if (AL_FOUND_OBJECT(ask->from) == AL_OBJECT_NONE)
			query.object = AL_OBJECT_NONE;
	}
	rule = al_rule_of(id, query.object);
	query.allow = rule.allow;
	query.granted = rule.granted;
	if (query.object == AL_OBJECT_NONE)
		query.kind = query.moves ? AL_KIND_UNKNOWN :
					   AL_FOUND_HIGH(ask->found);
	return query;
}

/* One policy's answer: 0 or a positive errno. */
static __always_inline int al_decide_in(const struct al_ask *ask,
					const struct al_address *address,
					__u64 id, struct al_policy *policy)
{
	struct al_query query = al_query(ask, id, policy->mode);
	struct al_verdict verdict = al_decide(&query);
	int error = 0;
	bool first;

	if (ask->inner && !verdict.error)
		return 0;
	if (verdict.deny && verdict.error == EACCES && ask->refusal)
		error = ask->refusal;
	else if (verdict.deny)
		error = verdict.error;
	first = al_account(id, query.object, ask->wanted, verdict.missing);
	if (first || verdict.report)
		al_report(id, policy, ask, address, &query, verdict.missing,
			  error);
	return error;
}

/* The policy at one level, if one is there and in force: 0 or -errno. */
__noinline int al_check_level(const struct al_ask *ask,
			      const struct al_address *address, __u32 level)
{
	__u64 id = bpf_get_current_ancestor_cgroup_id(level);
	struct al_policy *policy = bpf_map_lookup_elem(&al_policies, &id);

	if (!ask)
		return -EACCES;
	if (!policy || policy->mode == AL_MODE_SETUP)
		return 0;
	if (ask->task &&
	    al_below_cgroup((struct task_struct *)ask->task, level, id))
		return 0;
	return -al_decide_in(ask, address, id, policy);
}

/* Nested policies: each decides and accounts, the first error counts. */
__noinline int al_check(const struct al_ask *ask,
			const struct al_address *address)
{
	int answer = 0;

	if (!ask)
		return -EACCES;
	for (int i = 0; i < AL_MAX_LEVELS; i++) {
		int error;

		if (!al_levels[i])
			break;
		error = al_check_level(ask, address, al_levels[i]);
		if (error && !answer)
			answer = error;
	}
	return answer;
}

__noinline __u64 al_slot(__u32 parent, __u64 name)
{
	struct al_slot_key key = { .parent = parent };
	struct al_label *slot;
	long length;

	length = bpf_probe_read_kernel_str(key.name, sizeof(key.name),
					   (void *)name);
	if (length <= 0)
		return AL_FOUND(AL_OBJECT_NONE, 0);
	key.length = length - 1;
	slot = bpf_map_lookup_elem(&al_slots, &key);
	return slot ? AL_FOUND(slot->object, slot->flags | AL_FOUND_SLOT) :
		      AL_FOUND(AL_OBJECT_NONE, 0);
}

static __always_inline __u32 al_lookup_endpoint(struct al_endpoint_key *key)
{
	__u32 *object = bpf_map_lookup_elem(&al_endpoints, key);

	return object ? *object : AL_OBJECT_NONE;
}

/* The most exact entry decides: address before port, both before neither. */
__noinline __u32 al_endpoint(const struct al_endpoint_key *wanted)
{
	struct al_endpoint_key key;
	__u32 object;

	if (!wanted)
		return AL_OBJECT_NONE;
	key = *wanted;
	for (int i = 0; i < 2; i++) {
		key.port = wanted->port;
		object = al_lookup_endpoint(&key);
		if (object != AL_OBJECT_NONE)
			return object;
		key.port = 0;
		object = al_lookup_endpoint(&key);
		if (object != AL_OBJECT_NONE)
			return object;
		__builtin_memset(key.address, 0, sizeof(key.address));
	}
	return AL_OBJECT_NONE;
}

__noinline __u64 al_opaque(__u64 value)
{
	barrier_var(value);
	return value;
}

__noinline int al_unlabelled(void)
{
	for (int i = 0; i < AL_MAX_LEVELS; i++) {
		struct al_policy *policy;
		__u32 level = al_levels[i];
		__u64 id;

		if (!level)
			break;
		id = bpf_get_current_ancestor_cgroup_id(level);
		policy = bpf_map_lookup_elem(&al_policies, &id);
		if (policy)
			__sync_fetch_and_add(&policy->unlabelled, 1);
	}
	return 0;
}

/**
 * al_set_mode() - run by user space, to switch a policy's mode in place
 *
 * An update of the map's value from there would write over the numbers that
 * programs count in the same value at that moment.
 */
SEC("syscall")
int al_set_mode(struct al_mode_request *request)
{
	__u64 id = request->policy;
	struct al_policy *policy;

	policy = bpf_map_lookup_elem(&al_policies, &id);
	if (!policy)
		return -ENOENT;
	policy->mode = request->mode;
	return 0;
}
