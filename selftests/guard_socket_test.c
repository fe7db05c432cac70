// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sockets. One address and port is an object (granted or not), and so are some
 * sockets in the file system.
 */
#include <arpa/inet.h>
#include <linux/netlink.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/cleanup.h"
#include "guard_world.h"
#include "harness.h"

enum {
	PORT = 4321,	   /* of the object */
	OTHER_PORT = 4322, /* of nobody */
	ANY_PORT = 4323,   /* at any address, an object too */
};

static const char *host; /* IPv4 or IPv6, what the acts use */
static int port;
static int type;

static socklen_t make_address(struct sockaddr_storage *ret)
{
	struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)ret;
	struct sockaddr_in *v4 = (struct sockaddr_in *)ret;

	memset(ret, 0, sizeof(*ret));
	if (inet_pton(AF_INET, host, &v4->sin_addr) == 1) {
		v4->sin_family = AF_INET;
		v4->sin_port = htons(port);
		return sizeof(*v4);
	}
	inet_pton(AF_INET6, host, &v6->sin6_addr);
	v6->sin6_family = AF_INET6;
	v6->sin6_port = htons(port);
	return sizeof(*v6);
}

static int do_connect(void)
{
	struct sockaddr_storage to;
	socklen_t length = make_address(&to);
	cleanup_close int fd = socket(to.ss_family, type | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return errno;
	return connect(fd, (struct sockaddr *)&to, length) ? errno : 0;
}

static int do_send(void)
{
	struct sockaddr_storage to;
	socklen_t length = make_address(&to);
	cleanup_close int fd = socket(to.ss_family, type | SOCK_CLOEXEC, 0);
	int how = type == SOCK_STREAM ? MSG_FASTOPEN : 0;

	if (fd < 0)
		return errno;
	return sendto(fd, "x", 1, how, (struct sockaddr *)&to, length) == 1 ?
		       0 :
		       errno;
}

static int do_bind(void)
{
	struct sockaddr_storage to;
	socklen_t length = make_address(&to);
	cleanup_close int fd = socket(to.ss_family, type | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return errno;
	return bind(fd, (struct sockaddr *)&to, length) ? errno : 0;
}

static int do_listen(void)
{
	struct sockaddr_storage to;
	socklen_t length = make_address(&to);
	cleanup_close int fd = socket(to.ss_family, type | SOCK_CLOEXEC, 0);

	if (fd < 0 || (port >= 0 && bind(fd, (struct sockaddr *)&to, length)))
		return errno;
	return listen(fd, 1) ? errno : 0;
}

static int run(struct world *world, int (*act)(void), int of_type,
	       const char *at, int number)
{
	host = at;
	port = number;
	type = of_type;
	return world_run(world, act);
}

/* ---- the network: a namespace with lo, and who listens there */

static void listen_on(const char *at, int number, int of_type)
{
	struct sockaddr_storage to;
	socklen_t length;
	int fd, no = 0;

	host = at;
	port = number;
	length = make_address(&to);
	/* Open until the test ends. */
	fd = socket(to.ss_family, of_type | SOCK_CLOEXEC, 0);
	ASSERT_GE(fd, 0);
	if (to.ss_family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof(no));
	ASSERT_EQ(0, bind(fd, (struct sockaddr *)&to, length));
	if (of_type == SOCK_STREAM)
		ASSERT_EQ(0, listen(fd, 64));
}

static void endpoint(struct world *world, const char *at, int number,
		     uint8_t protocol, uint8_t side, uint32_t object)
{
	struct al_endpoint_key key = {
		.port = number,
		.protocol = protocol,
		.side = side,
	};
	struct error *err = NULL;

	ASSERT_EQ(1, inet_pton(AF_INET6, at, key.address));
	world_must(guard_endpoint(world->guard, &key, object, &err), err,
		   "guard_endpoint");
}

static void add_endpoints(struct world *world)
{
	const uint8_t protocols[] = { AL_PROTOCOL_TCP, AL_PROTOCOL_UDP };

	for (int i = 0; i < 2; i++) {
		endpoint(world, "::ffff:127.0.0.1", PORT, protocols[i],
			 AL_SIDE_REMOTE, WORLD_SERVER);
		endpoint(world, "::1", PORT, protocols[i], AL_SIDE_REMOTE,
			 WORLD_SERVER);
		endpoint(world, "::", ANY_PORT, protocols[i], AL_SIDE_REMOTE,
			 WORLD_ANY);
		endpoint(world, "::ffff:127.0.0.3", PORT, protocols[i],
			 AL_SIDE_LOCAL, WORLD_SERVER);
		endpoint(world, "::", ANY_PORT, protocols[i], AL_SIDE_LOCAL,
			 WORLD_ANY);
	}
}

FIXTURE(net)
{
	struct world world;
};

FIXTURE_SETUP(net)
{
	const int types[] = { SOCK_STREAM, SOCK_DGRAM };
	struct ifreq lo = { .ifr_name = "lo", .ifr_flags = IFF_UP };
	cleanup_close int fd = -1;

	ASSERT_EQ(0, unshare(CLONE_NEWNET));
	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	ASSERT_EQ(0, ioctl(fd, SIOCSIFFLAGS, &lo));
	for (int i = 0; i < 2; i++) {
		/* Whatever address of the machine's. */
		listen_on("::", PORT, types[i]);
		listen_on("::", OTHER_PORT, types[i]);
		listen_on("0.0.0.0", ANY_PORT, types[i]);
	}
	world_open(&self->world, test_dir(), WORLD_TMPFS);
	add_endpoints(&self->world);
	world_arm(&self->world, AL_MODE_ENFORCE);
}

FIXTURE_TEARDOWN(net)
{
	world_close(&self->world);
}

static void withhold(struct world *world, uint32_t object)
{
	world_allow(world, WORLD_ALL);
	world->rules[object].allow = 0;
	world_arm(world, AL_MODE_ENFORCE);
}

static void expect_event(struct world *world, uint32_t hook, uint32_t object,
			 int family, const char *address, int number)
{
	const struct al_event *event;
	uint8_t wanted[16];

	ASSERT_EQ(1, inet_pton(AF_INET6, address, wanted));
	world_read(world);
	event = world_find(world, hook, object);
	ASSERT_NOT_NULL(event);
	EXPECT_EQ(EACCES, event->error);
	EXPECT_EQ(family, event->family);
	EXPECT_EQ(number, event->port);
	EXPECT_EQ(type == SOCK_STREAM ? IPPROTO_TCP : IPPROTO_UDP,
		  event->protocol);
	EXPECT_EQ(0, memcmp(wanted, event->address, 16));
}

/* ---- connecting and sending */

/* The same object by its IPv4 address, mapped into IPv6, and by IPv6. */
static void try_remote(struct world *world, int (*act)(void), uint32_t hook,
		       int of_type)
{
	const char *const mapped = "::ffff:127.0.0.1";

	world_allow(world, WORLD_ALL);
	world_arm(world, AL_MODE_ENFORCE);
	EXPECT_EQ(0, run(world, act, of_type, "127.0.0.1", PORT));
	EXPECT_EQ(0, run(world, act, of_type, mapped, PORT));
	EXPECT_EQ(0, run(world, act, of_type, "::1", PORT));
	EXPECT_EQ(3, world_count(world, WORLD_SERVER, AL_OP_CONNECT, false));
	EXPECT_EQ(3, world_counts(world));
	EXPECT_EQ(EACCES, run(world, act, of_type, "127.0.0.1", OTHER_PORT));
	EXPECT_EQ(EACCES, run(world, act, of_type, "127.0.0.2", PORT));
	EXPECT_EQ(EACCES, run(world, act, of_type, mapped, OTHER_PORT));
	EXPECT_EQ(EACCES, run(world, act, of_type, "::1", OTHER_PORT));
	EXPECT_EQ(4, world_count(world, AL_OBJECT_NONE, AL_OP_CONNECT, true));
	EXPECT_EQ(0, run(world, act, of_type, "127.0.0.7", ANY_PORT));
	EXPECT_EQ(1, world_count(world, WORLD_ANY, AL_OP_CONNECT, false));
	/* "Here", wherever that is, is none of the addresses of an object. */
	EXPECT_EQ(EACCES, run(world, act, of_type, "0.0.0.0", PORT));
	EXPECT_EQ(EACCES, run(world, act, of_type, "::", PORT));
	EXPECT_EQ(EACCES, run(world, act, of_type, "::ffff:0.0.0.0", PORT));

	withhold(world, WORLD_SERVER);
	EXPECT_EQ(EACCES, run(world, act, of_type, "127.0.0.1", PORT));
	expect_event(world, hook, WORLD_SERVER, AF_INET, mapped, PORT);
	EXPECT_EQ(EACCES, run(world, act, of_type, mapped, PORT));
	expect_event(world, hook, WORLD_SERVER, AF_INET6, mapped, PORT);
	EXPECT_EQ(EACCES, run(world, act, of_type, "::1", PORT));
	expect_event(world, hook, WORLD_SERVER, AF_INET6, "::1", PORT);
	EXPECT_EQ(3, world_counts(world));
	/* Outside. */
	EXPECT_EQ(0, act());
	port = OTHER_PORT;
	EXPECT_EQ(0, act());
	EXPECT_EQ(3, world_counts(world));
}

TEST_F(net, connect_stream)
{
	try_remote(&self->world, do_connect, AL_HOOK_SOCKET_CONNECT,
		   SOCK_STREAM);
}

TEST_F(net, connect_datagram)
{
	try_remote(&self->world, do_connect, AL_HOOK_SOCKET_CONNECT,
		   SOCK_DGRAM);
}

TEST_F(net, send_fast_open)
{
	try_remote(&self->world, do_send, AL_HOOK_SOCKET_SENDMSG, SOCK_STREAM);
}

TEST_F(net, send_datagram)
{
	try_remote(&self->world, do_send, AL_HOOK_SOCKET_SENDMSG, SOCK_DGRAM);
}

/* An address that a stream ignores is no destination. */
static int send_with_ignored_address(void)
{
	struct sockaddr_storage to;
	socklen_t length = make_address(&to);
	cleanup_close int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (connect(fd, (struct sockaddr *)&to, length))
		return errno;
	port = OTHER_PORT;
	make_address(&to);
	return sendto(fd, "x", 1, 0, (struct sockaddr *)&to, length) == 1 ?
		       0 :
		       errno;
}

TEST_F(net, send_on_stream)
{
	EXPECT_EQ(0, run(&self->world, send_with_ignored_address, SOCK_STREAM,
			 "127.0.0.1", PORT));
	EXPECT_EQ(1, world_counts(&self->world));
}

/* One mapped IPv6 socket may send to IPv4 addresses as such. */
static int send_v4_on_v6(void)
{
	struct sockaddr_storage to;
	socklen_t length = make_address(&to);
	cleanup_close int fd = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	return sendto(fd, "x", 1, 0, (struct sockaddr *)&to, length) == 1 ?
		       0 :
		       errno;
}

TEST_F(net, send_v4_on_v6)
{
	struct world *world = &self->world;

	EXPECT_EQ(0, run(world, send_v4_on_v6, SOCK_DGRAM, "127.0.0.1", PORT));
	withhold(world, WORLD_SERVER);
	EXPECT_EQ(EACCES,
		  run(world, send_v4_on_v6, SOCK_DGRAM, "127.0.0.1", PORT));
	EXPECT_EQ(0, send_v4_on_v6());
}

/* In IPv4's sendmsg() "unspecified" is IPv4; to connect() it says: nowhere. */
static int send_unspecified(void)
{
	struct sockaddr_storage to;
	socklen_t length = make_address(&to);
	cleanup_close int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	to.ss_family = AF_UNSPEC;
	return sendto(fd, "x", 1, 0, (struct sockaddr *)&to, length) == 1 ?
		       0 :
		       errno;
}

static int connect_and_disconnect(void)
{
	struct sockaddr_storage to;
	socklen_t length = make_address(&to);
	cleanup_close int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (connect(fd, (struct sockaddr *)&to, length))
		return errno;
	to.ss_family = AF_UNSPEC;
	return connect(fd, (struct sockaddr *)&to, length) ? errno : 0;
}

TEST_F(net, unspecified)
{
	struct world *world = &self->world;

	EXPECT_EQ(0, run(world, connect_and_disconnect, SOCK_DGRAM,
			 "127.0.0.1", PORT));
	EXPECT_EQ(1, world_counts(world));
	EXPECT_EQ(0,
		  run(world, send_unspecified, SOCK_DGRAM, "127.0.0.1", PORT));
	withhold(world, WORLD_SERVER);
	EXPECT_EQ(EACCES,
		  run(world, send_unspecified, SOCK_DGRAM, "127.0.0.1", PORT));
	EXPECT_EQ(0, send_unspecified());
}

/* Too short for an address: never one that was bound. */
static int connect_short(void)
{
	struct sockaddr_storage to;
	cleanup_close int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	make_address(&to);
	return connect(fd, (struct sockaddr *)&to, 6) ? errno : 0;
}

TEST_F(net, short_address)
{
	EXPECT_EQ(EACCES, run(&self->world, connect_short, SOCK_DGRAM,
			      "127.0.0.1", PORT));
	EXPECT_NE(EACCES, connect_short());
}

static int send_many(void)
{
	struct sockaddr_storage to[3];
	cleanup_close int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct mmsghdr messages[3] = { 0 };
	struct iovec byte = { &port, 1 };
	const int ports[] = { PORT, PORT, OTHER_PORT };

	for (int i = 0; i < 3; i++) {
		port = ports[i];
		messages[i].msg_hdr.msg_namelen = make_address(&to[i]);
		messages[i].msg_hdr.msg_name = &to[i];
		messages[i].msg_hdr.msg_iov = &byte;
		messages[i].msg_hdr.msg_iovlen = 1;
	}
	return sendmmsg(fd, messages, 3, 0);
}

TEST_F(net, send_many)
{
	/* Two of three go; the kernel asks once for equal addresses. */
	EXPECT_EQ(2, run(&self->world, send_many, SOCK_DGRAM, "127.0.0.1", 0));
	EXPECT_EQ(1, world_count(&self->world, WORLD_SERVER, AL_OP_CONNECT,
				 false));
	EXPECT_EQ(1, world_count(&self->world, AL_OBJECT_NONE, AL_OP_CONNECT,
				 true));
	EXPECT_EQ(3, send_many());
}

/* ---- binding and listening */

enum { LOCAL = 4330, LOCAL_ANY = 4331 };

static void try_local(struct world *world, int (*act)(void), uint32_t hook,
		      int of_type, uint8_t protocol)
{
	endpoint(world, "::ffff:127.0.0.3", LOCAL, protocol, AL_SIDE_LOCAL,
		 WORLD_SERVER);
	endpoint(world, "::", LOCAL_ANY, protocol, AL_SIDE_LOCAL, WORLD_ANY);
	EXPECT_EQ(0, run(world, act, of_type, "127.0.0.3", LOCAL));
	EXPECT_EQ(0, run(world, act, of_type, "::ffff:127.0.0.3", LOCAL));
	EXPECT_EQ(0, run(world, act, of_type, "::", LOCAL_ANY));
	EXPECT_EQ(0, run(world, act, of_type, "0.0.0.0", LOCAL_ANY));
	EXPECT_EQ(EACCES, run(world, act, of_type, "127.0.0.4", LOCAL));
	EXPECT_EQ(EACCES, run(world, act, of_type, "::1", LOCAL));
	EXPECT_EQ(EACCES, run(world, act, of_type, "0.0.0.0", LOCAL));
	EXPECT_EQ(3, world_count(world, AL_OBJECT_NONE, AL_OP_BIND, true));

	withhold(world, WORLD_SERVER);
	EXPECT_EQ(EACCES, run(world, act, of_type, "127.0.0.3", LOCAL));
	expect_event(world, hook, WORLD_SERVER, AF_INET, "::ffff:127.0.0.3",
		     LOCAL);
	EXPECT_EQ(1, world_counts(world));
	EXPECT_EQ(0, act());
	EXPECT_EQ(1, world_counts(world));
}

TEST_F(net, bind_stream)
{
	try_local(&self->world, do_bind, AL_HOOK_SOCKET_BIND, SOCK_STREAM,
		  AL_PROTOCOL_TCP);
}

TEST_F(net, bind_datagram)
{
	try_local(&self->world, do_bind, AL_HOOK_SOCKET_BIND, SOCK_DGRAM,
		  AL_PROTOCOL_UDP);
}

TEST_F(net, bind_free_port)
{
	EXPECT_EQ(0, run(&self->world, do_bind, SOCK_STREAM, "127.0.0.3", 0));
	EXPECT_EQ(0, run(&self->world, do_bind, SOCK_DGRAM, "::1", 0));
	EXPECT_EQ(0, world_counts(&self->world));
}

/* A socket that was bound where no policy governs. */
static int bound;

static int do_listen_bound(void)
{
	return listen(bound, 1) ? errno : 0;
}

static void bind_outside(const char *at, int number)
{
	struct sockaddr_storage to;
	socklen_t length;

	host = at;
	port = number;
	length = make_address(&to);
	bound = socket(to.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	ASSERT_EQ(0, bind(bound, (struct sockaddr *)&to, length));
}

TEST_F(net, listen)
{
	struct world *world = &self->world;

	endpoint(world, "::ffff:127.0.0.3", LOCAL, AL_PROTOCOL_TCP,
		 AL_SIDE_LOCAL, WORLD_SERVER);
	bind_outside("127.0.0.3", LOCAL);
	EXPECT_EQ(0, world_run(world, do_listen_bound));
	EXPECT_EQ(1, world_count(world, WORLD_SERVER, AL_OP_BIND, false));
	withhold(world, WORLD_SERVER);
	type = SOCK_STREAM;
	EXPECT_EQ(EACCES, world_run(world, do_listen_bound));
	expect_event(world, AL_HOOK_SOCKET_LISTEN, WORLD_SERVER, AF_INET,
		     "::ffff:127.0.0.3", LOCAL);
	EXPECT_EQ(0, do_listen_bound());
	close(bound);

	bind_outside("::1", LOCAL);
	EXPECT_EQ(EACCES, world_run(world, do_listen_bound));
	expect_event(world, AL_HOOK_SOCKET_LISTEN, AL_OBJECT_NONE, AF_INET6,
		     "::1", LOCAL);
	close(bound);
}

/* A free port, from bind() or from listen() itself. */
TEST_F(net, listen_on_free_port)
{
	struct world *world = &self->world;

	EXPECT_EQ(EACCES, run(world, do_listen, SOCK_STREAM, "127.0.0.3", 0));
	EXPECT_EQ(EACCES, run(world, do_listen, SOCK_STREAM, "127.0.0.3", -1));
	EXPECT_EQ(2, world_count(world, AL_OBJECT_NONE, AL_OP_BIND, true));
	EXPECT_EQ(0, do_listen());
	endpoint(world, "::", 0, AL_PROTOCOL_TCP, AL_SIDE_LOCAL, WORLD_ANY);
	EXPECT_EQ(0, run(world, do_listen, SOCK_STREAM, "127.0.0.3", 0));
	EXPECT_EQ(0, run(world, do_listen, SOCK_STREAM, "127.0.0.3", -1));
	EXPECT_EQ(2, world_count(world, WORLD_ANY, AL_OP_BIND, false));
}

/* ---- families */

static int family, protocol;

static int do_socket(void)
{
	cleanup_close int fd = socket(family, type | SOCK_CLOEXEC, protocol);

	return fd < 0 ? errno : 0;
}

static const struct {
	int family, type, protocol, error;
} sockets[] = {
	{ AF_UNIX, SOCK_STREAM, 0, 0 },
	{ AF_UNIX, SOCK_DGRAM, 0, 0 },
	{ AF_UNIX, SOCK_SEQPACKET, 0, 0 },
	{ AF_INET, SOCK_STREAM, 0, 0 },
	{ AF_INET, SOCK_STREAM, IPPROTO_TCP, 0 },
	{ AF_INET, SOCK_DGRAM, IPPROTO_UDP, 0 },
	{ AF_INET6, SOCK_STREAM, 0, 0 },
	{ AF_INET6, SOCK_DGRAM, 0, 0 },
	{ AF_NETLINK, SOCK_RAW, NETLINK_ROUTE, 0 },
	{ AF_INET, SOCK_RAW, IPPROTO_ICMP, EPROTONOSUPPORT },
	{ AF_INET6, SOCK_RAW, IPPROTO_RAW, EPROTONOSUPPORT },
	{ AF_INET, SOCK_STREAM, 262 /* MPTCP */, EPROTONOSUPPORT },
	{ AF_NETLINK, SOCK_RAW, NETLINK_KOBJECT_UEVENT, EAFNOSUPPORT },
	{ AF_NETLINK, SOCK_RAW, NETLINK_AUDIT, EAFNOSUPPORT },
	{ AF_PACKET, SOCK_RAW, 0, EAFNOSUPPORT },
};

TEST_F(net, families)
{
	struct world *world = &self->world;
	uint64_t denied = 0;

	for (size_t i = 0; i < ARRAY_SIZE(sockets); i++) {
		family = sockets[i].family;
		type = sockets[i].type;
		protocol = sockets[i].protocol;
		EXPECT_EQ(sockets[i].error, world_run(world, do_socket)) {
			TH_LOG("%d %d %d", family, type, protocol);
		}
		EXPECT_EQ(0, do_socket()) {
			TH_LOG("%d %d %d", family, type, protocol);
		}
		denied += sockets[i].error != 0;
	}
	EXPECT_EQ(denied, world_count(world, AL_OBJECT_NONE, AL_OP_KERNEL,
				      true));
	EXPECT_EQ(denied, world_counts(world));
	world_read(world);
	EXPECT_EQ(denied, world->nr_events);
	EXPECT_EQ(AL_HOOK_SOCKET_CREATE, world->event[0].hook);
	EXPECT_EQ(EPROTONOSUPPORT, world->event[0].error);
	EXPECT_EQ(AF_INET, world->event[0].family);
	EXPECT_EQ(IPPROTO_ICMP, world->event[0].protocol);
}

/* ---- unix sockets */

static struct sockaddr_un unix_address;
static socklen_t unix_length;

static void name_unix(const char *path)
{
	unix_address = (struct sockaddr_un){ .sun_family = AF_UNIX };
	/* An abstract name begins with a zero, for which "@" stands here. */
	memcpy(unix_address.sun_path, path, strlen(path));
	if (*path == '@')
		unix_address.sun_path[0] = 0;
	unix_length = offsetof(struct sockaddr_un, sun_path) + strlen(path);
}

static void listen_unix(const char *path, int of_type)
{
	int fd = socket(AF_UNIX, of_type | SOCK_CLOEXEC, 0);

	name_unix(path);
	ASSERT_EQ(0, bind(fd, (struct sockaddr *)&unix_address, unix_length));
	if (of_type == SOCK_STREAM)
		ASSERT_EQ(0, listen(fd, 8));
}

static int connect_unix(void)
{
	cleanup_close int fd = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);

	return connect(fd, (struct sockaddr *)&unix_address, unix_length) ?
		       errno :
		       0;
}

static int send_unix(void)
{
	cleanup_close int fd = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);

	return sendto(fd, "x", 1, 0, (struct sockaddr *)&unix_address,
		      unix_length) == 1 ?
		       0 :
		       errno;
}

static int bind_unix(void)
{
	cleanup_close int fd = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);

	return bind(fd, (struct sockaddr *)&unix_address, unix_length) ?
		       errno :
		       0;
}

static void try_unix(struct world *world, int (*act)(void), int of_type,
		     uint32_t hook, const char *path)
{
	const struct al_event *event;

	type = of_type;
	listen_unix(path, type);
	world_allow(world, WORLD_ALL);
	world_arm(world, AL_MODE_ENFORCE);
	EXPECT_EQ(0, world_run(world, act));
	EXPECT_EQ(1, world_count(world, WORLD_WORK, AL_OP_CONNECT, false));
	EXPECT_EQ(1, world_counts(world));
	world->rules[WORLD_WORK].allow &= ~AL_OP_CONNECT;
	world_arm(world, AL_MODE_ENFORCE);
	EXPECT_EQ(EACCES, world_run(world, act));
	EXPECT_EQ(1, world_counts(world));
	world_read(world);
	event = world_find(world, hook, WORLD_WORK);
	ASSERT_NOT_NULL(event);
	EXPECT_EQ(AF_UNIX, event->family);
	EXPECT_STREQ(strrchr(path, '/') + 1, (const char *)event->name);
	EXPECT_EQ(0, act());
}

static void try_all_unix(struct world *world)
{
	try_unix(world, connect_unix, SOCK_STREAM, AL_HOOK_UNIX_STREAM_CONNECT,
		 "work/s1");
	try_unix(world, connect_unix, SOCK_DGRAM, AL_HOOK_UNIX_MAY_SEND,
		 "work/s2");
	try_unix(world, send_unix, SOCK_DGRAM, AL_HOOK_UNIX_MAY_SEND,
		 "work/s3");
}

TEST_F(net, unix_tmpfs)
{
	try_all_unix(&self->world);
}

TEST(unix_overlay)
{
	static struct world world;

	world_open(&world, test_dir(), WORLD_OVERLAY);
	try_all_unix(&world);
	world_close(&world);
}

static int pair_unix(void)
{
	int fds[2];

	if (socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, fds))
		return errno;
	return write(fds[0], "x", 1) == 1 ? 0 : errno;
}

TEST_F(net, unix_without_path)
{
	struct world *world = &self->world;

	world_allow(world, 0);
	world_arm(world, AL_MODE_ENFORCE);
	listen_unix("@guard-test-stream", SOCK_STREAM);
	type = SOCK_STREAM;
	EXPECT_EQ(0, world_run(world, connect_unix));
	EXPECT_EQ(0, world_run(world, pair_unix));
	listen_unix("@guard-test-datagram", SOCK_DGRAM);
	type = SOCK_DGRAM;
	EXPECT_EQ(0, world_run(world, connect_unix));
	EXPECT_EQ(0, world_run(world, send_unix));
	EXPECT_EQ(0, world_run(world, pair_unix));
	EXPECT_EQ(0, world_counts(world));
}

TEST_F(net, unix_bind)
{
	struct world *world = &self->world;

	type = SOCK_STREAM;
	name_unix("work/s1");
	EXPECT_EQ(0, world_run(world, bind_unix));
	EXPECT_EQ(1, world_count(world, WORLD_WORK, AL_OP_WRITE, false));
	world->rules[WORLD_WORK].allow &= ~AL_OP_WRITE;
	world_arm(world, AL_MODE_ENFORCE);
	name_unix("work/s2");
	EXPECT_EQ(EACCES, world_run(world, bind_unix));
	name_unix("@guard-test-bind");
	EXPECT_EQ(0, world_run(world, bind_unix));
	EXPECT_EQ(1, world_counts(world));
}

/* ---- descriptors that are passed */

static int pair[2];

static void pass(int fd)
{
	char control[CMSG_SPACE(sizeof(int))] = { 0 };
	struct iovec byte = { control, 1 };
	struct msghdr message = {
		.msg_iov = &byte,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = sizeof(control),
	};
	struct cmsghdr *part = CMSG_FIRSTHDR(&message);

	part->cmsg_level = SOL_SOCKET;
	part->cmsg_type = SCM_RIGHTS;
	part->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(part), &fd, sizeof(fd));
	ASSERT_EQ(1, sendmsg(pair[0], &message, 0));
}

/* Returns 0 if a descriptor came. */
static int take(void)
{
	char control[CMSG_SPACE(sizeof(int))], data;
	struct iovec byte = { &data, 1 };
	struct msghdr message = {
		.msg_iov = &byte,
		.msg_iovlen = 1,
		.msg_control = control,
		.msg_controllen = sizeof(control),
	};

	if (recvmsg(pair[1], &message, MSG_CMSG_CLOEXEC) != 1)
		return errno;
	return CMSG_FIRSTHDR(&message) ? 0 : EACCES;
}

static void try_pass(struct world *world, const char *path, int flags,
		     uint32_t object, uint32_t operation)
{
	cleanup_close int fd = open(path, flags | O_CLOEXEC);

	ASSERT_GE(fd, 0);
	world_allow(world, WORLD_ALL);
	world_arm(world, AL_MODE_ENFORCE);
	pass(fd);
	EXPECT_EQ(0, world_run(world, take));
	EXPECT_EQ(1, world_count(world, object, operation, false));
	EXPECT_EQ(1, world_counts(world));
	world->rules[object].allow &= ~operation;
	world_arm(world, AL_MODE_ENFORCE);
	pass(fd);
	EXPECT_EQ(EACCES, world_run(world, take));
	EXPECT_EQ(1, world_counts(world));
	world_read(world);
	ASSERT_NOT_NULL(world_find(world, AL_HOOK_FILE_RECEIVE, object));
	pass(fd);
	EXPECT_EQ(0, take());
}

static void try_pass_all(struct world *world)
{
	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair));
	try_pass(world, "keys/secret", O_RDONLY, WORLD_SECRET, AL_OP_READ);
	try_pass(world, "work/alias", O_WRONLY, WORLD_SECRET, AL_OP_WRITE);
	try_pass(world, "work", O_RDONLY, WORLD_WORK, AL_OP_LIST);
}

TEST_F(net, pass_tmpfs)
{
	try_pass_all(&self->world);
}

TEST(pass_overlay)
{
	static struct world world;

	world_open(&world, test_dir(), WORLD_OVERLAY);
	try_pass_all(&world);
	world_close(&world);
}

/* What has no place of its own, and what opens nothing, is not refused. */
TEST_F(net, pass_harmless)
{
	struct world *world = &self->world;
	int ends[2], path;

	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair));
	ASSERT_EQ(0, pipe2(ends, O_CLOEXEC));
	path = open("keys/secret", O_PATH | O_CLOEXEC);
	world_allow(world, 0);
	world_arm(world, AL_MODE_ENFORCE);
	pass(ends[0]);
	EXPECT_EQ(0, world_run(world, take));
	pass(pair[0]);
	EXPECT_EQ(0, world_run(world, take));
	pass(path);
	EXPECT_EQ(0, world_run(world, take));
}
