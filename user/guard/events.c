// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>

#include <bpf/libbpf.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "internal.h"

/**
 * struct guard_events - reader of one policy's ring
 * @ring:	libbpf's reader
 * @map:	descriptor of the ring
 * @fn:		called for each event, with @context
 */
struct guard_events {
	struct ring_buffer *ring;
	int map;
	guard_event_fn fn;
	void *context;
};

static int take_sample(void *context, void *data, size_t size)
{
	const struct guard_events *events = context;

	if (size < sizeof(struct al_event))
		return -EBADMSG;
	events->fn(data, events->context);
	return 0;
}

int guard_events_open(struct guard *guard, uint64_t cgroup, guard_event_fn fn,
		      void *context, struct guard_events **ret,
		      struct error **err)
{
	struct guard_events *events;
	int map, error;

	map = guard_inner(guard->rings, cgroup);
	if (map < 0)
		return error_set(err, ERROR_INTERNAL, map,
				 "no event ring for cgroup %llu",
				 (unsigned long long)cgroup);
	events = xzalloc(sizeof(*events));
	events->map = map;
	events->fn = fn;
	events->context = context;
	events->ring = ring_buffer__new(map, take_sample, events, NULL);
	if (!events->ring) {
		error = errno;
		guard_events_close(events);
		return error_set(err, ERROR_INTERNAL, error,
				 "cannot map the event ring of cgroup %llu",
				 (unsigned long long)cgroup);
	}
	*ret = events;
	return 0;
}

int guard_events_fd(const struct guard_events *events)
{
	return ring_buffer__epoll_fd(events->ring);
}

int guard_events_read(struct guard_events *events)
{
	return ring_buffer__consume(events->ring);
}

void guard_events_close(struct guard_events *events)
{
	if (!events)
		return;
	ring_buffer__free(events->ring);
	close_fd(&events->map);
	free(events);
}
