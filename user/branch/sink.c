// SPDX-License-Identifier: GPL-2.0-only
#include "branch/sink.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "branch/branch.h"
#include "branch/canary.h"
#include "branch/network.h"
#include "branch/process.h"
#include "branch/seccomp.h"
#include "branch/sink_process.h"

enum {
	START_MS = 10000,
	/* Unpacking what arrived is bounded, but not fast under emulation. */
	FINISH_MS = 120000,
	MEMORY_MAX = 1 << 30,
};

/* Names get addresses in these; every one of them is local. */
static const uint8_t ipv4_names[16] = {
	[10] = 0xff, [11] = 0xff, [12] = 198, [13] = 18
};
static const uint8_t ipv6_names[16] = { 0xfd };
enum { IPV4_NAMES_BITS = 96 + 15, IPV6_NAMES_BITS = 8 };

static size_t count_sinks(const struct bound *bound)
{
	size_t nr = 0, i;

	for (i = 0; i < bound->nr_objects; i++)
		nr += bound->objects[i].sink;
	return nr;
}

static int make_network(const struct bound *bound, struct error **err)
{
	size_t i, j;
	int code = network_up(err);

	if (!code)
		code = network_local(ipv4_names, IPV4_NAMES_BITS, err);
	/* Machines without IPv6 have no such addresses to reach, either. */
	if (!code)
		network_local(ipv6_names, IPV6_NAMES_BITS, NULL);
	for (i = 0; !code && i < bound->nr_objects; i++) {
		const struct object *object = &bound->objects[i];

		for (j = 0; !code && object->sink && j < object->nr_keys; j++) {
			const uint8_t *address = object->keys[j].address;
			static const uint8_t any[16];

			if (memcmp(address, any, sizeof(any)))
				code = network_local(address, 128, err);
		}
	}
	return code;
}

static int listen_at(const struct al_endpoint_key *key, const char *name,
		     int *ret, struct error **err)
{
	bool stream = key->protocol == AL_PROTOCOL_TCP;
	bool ipv4 = network_is_ipv4(key->address);
	struct sockaddr_in in = {
		.sin_family = AF_INET,
		.sin_port = htons(key->port),
	};
	struct sockaddr_in6 in6 = {
		.sin6_family = AF_INET6,
		.sin6_port = htons(key->port),
	};
	int fd cleanup_close = socket(ipv4 ? AF_INET : AF_INET6,
				      (stream ? SOCK_STREAM : SOCK_DGRAM) |
					      SOCK_CLOEXEC | SOCK_NONBLOCK,
				      0);
	int one = 1;

	if (!key->port) {
		error_set(err, ERROR_CONFIG, EINVAL,
			  "%s: a sink needs one port", name);
		error_hint(err, "name the port in the setup");
		return -EINVAL;
	}
	memcpy(&in.sin_addr, key->address + 12, 4);
	memcpy(&in6.sin6_addr, key->address, 16);
	if (fd < 0 ||
	    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) ||
	    /* A local route alone gives no address that bind() would take. */
	    (!ipv4 &&
	     setsockopt(fd, IPPROTO_IPV6, IPV6_FREEBIND, &one, sizeof(one))) ||
	    bind(fd, ipv4 ? (struct sockaddr *)&in : (struct sockaddr *)&in6,
		 ipv4 ? sizeof(in) : sizeof(in6)) ||
	    (stream && listen(fd, 128)))
		return error_set(err, ERROR_MACHINE, errno, "sink for %s: %s",
				 name, strerror(errno));
	*ret = take_fd(&fd);
	return 0;
}

static int listen_all(const struct bound *bound, struct listener **ret,
		      size_t *ret_nr, struct error **err)
{
	size_t sink = 0, nr = 0, i, j;
	struct listener *listeners = NULL;
	int code = 0;

	for (i = 0; !code && i < bound->nr_objects; i++) {
		const struct object *object = &bound->objects[i];

		for (j = 0; !code && object->sink && j < object->nr_keys; j++) {
			int fd = -1;

			code = listen_at(&object->keys[j], object->name, &fd,
					 err);
			if (code)
				break;
			listeners = xreallocarray(listeners, nr + 1,
						  sizeof(*listeners));
			listeners[nr++] = (struct listener){
				.fd = fd,
				.sink = sink,
				.stream = object->keys[j].protocol ==
					  AL_PROTOCOL_TCP,
			};
		}
		sink += object->sink;
	}
	*ret = listeners;
	*ret_nr = nr;
	return code;
}

/* Keep the standard streams as nothing, @control and the listeners. */
static void close_others(int control, const struct listener *listeners,
			 size_t nr)
{
	int last = control;
	int fd;
	size_t i;

	for (i = 0; i < nr; i++)
		if (listeners[i].fd > last)
			last = listeners[i].fd;
	for (fd = 3; fd <= last; fd++) {
		bool keep = fd == control;

		for (i = 0; i < nr && !keep; i++)
			keep = listeners[i].fd == fd;
		if (!keep)
			close(fd);
	}
	close_range((unsigned int)last + 1, ~0u, 0);
}

static int drop_everything(void)
{
	struct rlimit memory = { MEMORY_MAX, MEMORY_MAX };
	struct rlimit core = { 1, 1 };
	struct rlimit nothing = { 0, 0 };
	bool none = false;

	/* libcrypto and libarchive set themselves up while they still can. */
	digest_of("", 0);
	canary_search(NULL, 0, "\x1f\x8b\x08", 3, &none);
	if (setrlimit(RLIMIT_AS, &memory) || setrlimit(RLIMIT_CORE, &core) ||
	    setrlimit(RLIMIT_FSIZE, &nothing))
		return -errno;
	return process_drop(BRANCH_SINK_UID) ?: seccomp_sink();
}

__attribute__((noreturn)) static void run(const struct bound *bound,
					  int control,
					  struct sink_report *reports,
					  size_t nr_reports)
{
	struct error *err = NULL;
	struct listener *listeners = NULL;
	size_t nr = 0;
	int code;

	process_begin();
	prctl(PR_SET_NAME, "al-sink");
	process_quiet();
	code = unshare(CLONE_NEWNET)
		       ? error_set(&err, ERROR_MACHINE, errno,
				   "network namespace: %s", strerror(errno))
		       : 0;
	if (!code)
		code = make_network(bound, &err);
	if (!code)
		code = listen_all(bound, &listeners, &nr, &err);
	if (!code) {
		close_others(control, listeners, nr);
		if (chdir("/"))
			code = -errno;
	}
	if (code) {
		process_send_error(control, err);
		_exit(1);
	}
	/* Told before the filter: our opener opens the namespace meanwhile. */
	process_send_ready(control);
	if (process_wait_go(control))
		_exit(1);
	if (drop_everything())
		_exit(1);
	sink_process(control, listeners, nr, bound->canaries,
		     bound->nr_canaries < SINK_CANARIES_MAX ? bound->nr_canaries
							    : SINK_CANARIES_MAX,
		     reports, nr_reports);
}

static int check_numbers(const struct bound *bound, size_t nr_sinks,
			 struct error **err)
{
	if (nr_sinks > SINK_MAX)
		return error_set(err, ERROR_CONFIG, E2BIG,
				 "more than %d endpoints with sinks", SINK_MAX);
	if (bound->nr_canaries > SINK_CANARIES_MAX)
		return error_set(err, ERROR_CONFIG, E2BIG,
				 "more than %d canaries", SINK_CANARIES_MAX);
	return 0;
}

int sinks_start(const struct cgroup *cgroup, const struct bound *bound,
		struct sinks *ret, struct error **err)
{
	size_t nr = count_sinks(bound);
	int pair[2];
	char path[64];
	int code = check_numbers(bound, nr, err);

	if (code)
		return code;
	ret->report_size = (nr + 1) * sizeof(struct sink_report);
	ret->report = mmap(NULL, ret->report_size, PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (ret->report == MAP_FAILED) {
		ret->report = NULL;
		return error_set(err, ERROR_MACHINE, errno, "mmap: %s",
				 strerror(errno));
	}
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return error_set(err, ERROR_INTERNAL, errno, "socketpair: %s",
				 strerror(errno));
	ret->control = pair[0];
	ret->pid = process_clone(cgroup->fd, 0, &ret->pidfd);
	if (!ret->pid)
		run(bound, pair[1], ret->report, nr);
	close(pair[1]);
	if (ret->pid < 0) {
		code = (int)ret->pid;
		ret->pid = 0;
		return error_set(err, ERROR_MACHINE, code, "clone: %s",
				 strerror(-code));
	}
	code = process_wait_ready(ret->control, START_MS, err);
	if (code)
		return code;
	snprintf(path, sizeof(path), "/proc/%d/ns/net", (int)ret->pid);
	ret->network = open(path, O_RDONLY | O_CLOEXEC);
	if (ret->network < 0)
		return error_set(err, ERROR_INTERNAL, errno, "%s: %s", path,
				 strerror(errno));
	process_send_go(ret->control);
	return 0;
}

/* Numbers and flags from an untrusted process: any value is harmless. */
static void copy_report(const struct sink_report *from,
			const struct object *object, const struct bound *bound,
			struct arena *arena, struct record_sink *to)
{
	struct digest digest;
	size_t i;

	to->object = object->id;
	to->connections = from->connections;
	to->bytes = from->bytes;
	to->unrecognised = from->unrecognised;
	memcpy(digest.bytes, from->digest, sizeof(digest.bytes));
	digest_hex(&digest, to->digest);
	for (i = 0; i < bound->nr_canaries; i++)
		if (from->canaries[i])
			*ARENA_PUSH(arena, to->canaries, to->nr_canaries) =
				arena_strdup(arena,
					     bound->canaries[i].resource);
}

int sinks_finish(struct sinks *sinks, const struct bound *bound,
		 struct arena *arena, struct record_sink **ret, size_t *ret_nr,
		 struct error **err)
{
	struct pollfd answer = { .fd = sinks->control, .events = POLLIN };
	struct record_sink *list = NULL;
	size_t sink = 0, nr = 0, i;
	char byte = 0;

	if (send(sinks->control, &byte, 1, MSG_NOSIGNAL) != 1 ||
	    poll(&answer, 1, FINISH_MS) != 1 ||
	    recv(sinks->control, &byte, 1, MSG_DONTWAIT) != 1)
		return error_set(err, ERROR_INTERNAL, EIO,
				 "the sinks failed: what arrived is not known");
	for (i = 0; i < bound->nr_objects; i++) {
		const struct object *object = &bound->objects[i];
		const struct sink_report *from;

		if (!object->sink)
			continue;
		from = &sinks->report[sink++];
		if (from->connections)
			copy_report(from, object, bound, arena,
				    ARENA_PUSH(arena, list, nr));
	}
	*ret = list;
	*ret_nr = nr;
	return 0;
}

void sinks_done(struct sinks *sinks)
{
	process_reap(&sinks->pid, &sinks->pidfd);
	close_fd(&sinks->control);
	close_fd(&sinks->network);
	if (sinks->report)
		munmap(sinks->report, sinks->report_size);
	*sinks = (struct sinks)SINKS_INIT;
}
