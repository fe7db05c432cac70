// SPDX-License-Identifier: GPL-2.0-only
/*
 * What runs unprivileged and filtered. All connections of one endpoint form
 * one stream of bytes, in the order in which they were accepted: the oldest is
 * its head and goes straight into the digest, the others wait in memory up to
 * a bound, then in their sockets.
 */
#include "branch/sink_process.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "branch/canary.h"

enum {
	CONNECTIONS_MAX = 64,
	/* Kept of one connection, for the digest and for archives. */
	KEPT_MAX = 8 << 20,
	/* A peer that waits for an answer is told that there is none. */
	IDLE_MS = 5000,
	/* After everybody is dead: a socket that gives nothing is empty. */
	SILENT_MS = 50,
};

/**
 * struct connection
 * @number:	order of acceptance
 * @kept:	its first bytes
 * @digested:	how many of them are in the digest
 * @tail:	last bytes of what came after @kept, where a token may begin
 */
struct connection {
	int fd;
	size_t sink;
	uint64_t number;
	uint64_t bytes;
	struct buffer kept;
	size_t digested;
	struct buffer tail;
	bool *found;
	bool ended;
	int64_t last;
};

struct state {
	const struct listener *listeners;
	size_t nr_listeners;
	const struct canary *canaries;
	size_t nr_canaries;
	struct sink_report *reports;
	struct hasher **hashers;
	size_t nr_reports;
	struct connection connections[CONNECTIONS_MAX];
	size_t nr_connections;
	uint64_t next_number;
	size_t reach;
};

static int64_t now_ms(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

/* Is this the oldest connection of its endpoint? */
static bool is_head(const struct state *state,
		    const struct connection *connection)
{
	size_t i;

	for (i = 0; i < state->nr_connections; i++)
		if (state->connections[i].sink == connection->sink &&
		    state->connections[i].number < connection->number)
			return false;
	return true;
}

static void digest_kept(struct state *state, struct connection *connection)
{
	size_t nr = connection->kept.length - connection->digested;

	if (!nr)
		return;
	hasher_add(state->hashers[connection->sink],
		   connection->kept.data + connection->digested, nr);
	connection->digested += nr;
}

/* Beyond what is kept: searched piece by piece, with some overlap. */
static void search_more(struct state *state, struct connection *connection,
			const char *data, size_t length)
{
	struct buffer *tail = &connection->tail;

	buffer_add(tail, data, length);
	canary_search_plain(state->canaries, state->nr_canaries, tail->data,
			    tail->length, connection->found);
	if (tail->length > state->reach) {
		memmove(tail->data, tail->data + tail->length - state->reach,
			state->reach);
		tail->length = state->reach;
	}
}

static void add_bytes(struct state *state, struct connection *connection,
		      const char *data, size_t length)
{
	struct buffer *kept = &connection->kept;
	size_t room = KEPT_MAX - kept->length;
	size_t nr = length < room ? length : room;

	connection->bytes += length;
	if (nr)
		buffer_add(kept, data, nr);
	if (is_head(state, connection))
		digest_kept(state, connection);
	if (nr == length)
		return;
	if (!connection->tail.length && kept->length >= state->reach)
		buffer_add(&connection->tail,
			   kept->data + kept->length - state->reach,
			   state->reach);
	/* Only the head is read beyond what is kept. */
	hasher_add(state->hashers[connection->sink], data + nr, length - nr);
	search_more(state, connection, data + nr, length - nr);
}

static void close_connection(struct connection *connection)
{
	if (connection->fd >= 0)
		close(connection->fd);
	connection->fd = -1;
	connection->ended = true;
}

static void report(struct state *state, struct connection *connection)
{
	struct sink_report *to = &state->reports[connection->sink];
	bool any = false;
	size_t i;

	digest_kept(state, connection);
	canary_search(state->canaries, state->nr_canaries,
		      connection->kept.data, connection->kept.length,
		      connection->found);
	for (i = 0; i < state->nr_canaries; i++) {
		any = any || connection->found[i];
		if (connection->found[i])
			to->canaries[i] = 1;
	}
	to->connections++;
	to->bytes += connection->bytes;
	if (!any)
		to->unrecognised += connection->bytes;
	close_connection(connection);
	buffer_done(&connection->kept);
	buffer_done(&connection->tail);
	free(connection->found);
}

/* Heads that have ended are reported, and whoever is head after them. */
static void settle(struct state *state)
{
	size_t i = 0;

	while (i < state->nr_connections) {
		struct connection *connection = &state->connections[i];

		if (!connection->ended || !is_head(state, connection)) {
			i++;
			continue;
		}
		report(state, connection);
		*connection = state->connections[--state->nr_connections];
		i = 0;
	}
}

static struct connection *new_connection(struct state *state, size_t sink,
					 int fd)
{
	struct connection *connection =
		&state->connections[state->nr_connections++];

	*connection = (struct connection){
		.fd = fd,
		.sink = sink,
		.number = state->next_number++,
		.found = xzalloc(state->nr_canaries + 1),
		.last = now_ms(),
	};
	return connection;
}

static void receive(struct state *state, struct connection *connection)
{
	char chunk[65536];
	ssize_t nr = read(connection->fd, chunk, sizeof(chunk));

	if (nr < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (nr <= 0) {
		close_connection(connection);
		return;
	}
	connection->last = now_ms();
	add_bytes(state, connection, chunk, (size_t)nr);
}

/* A datagram is a connection of its own. */
static void receive_datagram(struct state *state, const struct listener *from)
{
	char chunk[65536];
	ssize_t nr = recv(from->fd, chunk, sizeof(chunk), MSG_DONTWAIT);
	struct connection *connection;

	if (nr < 0)
		return;
	connection = new_connection(state, from->sink, -1);
	add_bytes(state, connection, chunk, (size_t)nr);
	connection->ended = true;
}

static void accept_one(struct state *state, const struct listener *from)
{
	struct sockaddr_storage peer;
	socklen_t length = sizeof(peer);
	int fd = accept4(from->fd, (struct sockaddr *)&peer, &length,
			 SOCK_NONBLOCK | SOCK_CLOEXEC);

	if (fd >= 0)
		new_connection(state, from->sink, fd);
}

/* May more of it be read now? Others than the head only up to the bound. */
static bool wants_more(const struct state *state,
		       const struct connection *connection)
{
	return connection->fd >= 0 &&
	       (connection->kept.length + 65536 <= KEPT_MAX ||
		is_head(state, connection));
}

static bool has_room(const struct state *state)
{
	return state->nr_connections < CONNECTIONS_MAX;
}

/*
 * One turn: first what lies in the sockets, then who is silent. Returns
 * whether anything was there.
 */
static bool turn(struct state *state, struct pollfd *polls, int timeout)
{
	size_t nr = 1, i, nr_connections = state->nr_connections;
	int ready;
	bool any = false;

	for (i = 0; i < state->nr_listeners; i++, nr++)
		polls[nr] = (struct pollfd){
			.fd = has_room(state) ? state->listeners[i].fd : -1,
			.events = POLLIN,
		};
	for (i = 0; i < nr_connections; i++, nr++)
		polls[nr] = (struct pollfd){
			.fd = wants_more(state, &state->connections[i])
				      ? state->connections[i].fd
				      : -1,
			.events = POLLIN,
		};
	ready = poll(polls, nr, timeout);
	if (ready <= 0)
		return false;
	for (i = 0; i < nr_connections; i++)
		if (polls[1 + state->nr_listeners + i].revents) {
			receive(state, &state->connections[i]);
			any = true;
		}
	for (i = 0; i < state->nr_listeners && has_room(state); i++)
		if (polls[1 + i].revents) {
			if (state->listeners[i].stream)
				accept_one(state, &state->listeners[i]);
			else
				receive_datagram(state, &state->listeners[i]);
			any = true;
		}
	return any;
}

static void end_idle(struct state *state, int64_t limit)
{
	int64_t now = now_ms();
	size_t i;

	for (i = 0; i < state->nr_connections; i++) {
		struct connection *connection = &state->connections[i];

		/* One that we ourselves do not read is not idle. */
		if (connection->fd >= 0 && wants_more(state, connection) &&
		    now - connection->last >= limit)
			close_connection(connection);
	}
}

static void serve(struct state *state, int control, struct pollfd *polls)
{
	unsigned int silent = 0;
	char byte;

	polls[0] = (struct pollfd){ .fd = control, .events = POLLIN };
	for (;;) {
		turn(state, polls, 500);
		if (polls[0].revents)
			break;
		end_idle(state, IDLE_MS);
		settle(state);
	}
	/* Unread, it would turn our answer into a reset connection. */
	if (read(control, &byte, 1) < 0)
		_exit(1);
	/*
	 * Nobody sends any more: all that is still in the sockets is read,
	 * however long that takes. If it takes too long, our opener says that
	 * nothing is known.
	 */
	polls[0].fd = -1;
	while (silent < 2 || state->nr_connections) {
		int timeout = state->nr_connections ? SILENT_MS : 0;

		silent = turn(state, polls, timeout) ? 0 : silent + 1;
		if (silent >= 2)
			end_idle(state, 0);
		settle(state);
	}
}

void sink_process(int control, const struct listener *listeners,
		  size_t nr_listeners, const struct canary *canaries,
		  size_t nr_canaries, struct sink_report *reports,
		  size_t nr_reports)
{
	struct state *state = xzalloc(sizeof(*state));
	struct pollfd *polls =
		xzalloc((1 + nr_listeners + CONNECTIONS_MAX) * sizeof(*polls));
	size_t i;

	state->listeners = listeners;
	state->nr_listeners = nr_listeners;
	state->canaries = canaries;
	state->nr_canaries = nr_canaries;
	state->reports = reports;
	state->nr_reports = nr_reports;
	state->reach = canary_reach(canaries, nr_canaries);
	state->hashers = xzalloc((nr_reports + 1) * sizeof(*state->hashers));
	for (i = 0; i < nr_reports; i++)
		state->hashers[i] = hasher_new();
	serve(state, control, polls);
	for (i = 0; i < nr_reports; i++) {
		struct digest digest = hasher_end(state->hashers[i]);

		memcpy(reports[i].digest, digest.bytes, sizeof(digest.bytes));
	}
	if (write(control, "", 1) != 1)
		_exit(1);
	_exit(0);
}
