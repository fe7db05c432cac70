// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sockets: which may exist, where they connect and send to, where they listen.
 * Addresses in these hooks are the kernel's own copies.
 */
#include "find.h"

#include <linux/in.h>

#include <bpf/bpf_endian.h>

#define AF_UNSPEC  0
#define AF_UNIX	   1
#define AF_INET	   2
#define AF_INET6   10
#define AF_NETLINK 16

#define SOCK_STREAM 1
#define SOCK_DGRAM  2

#define MSG_FASTOPEN 0x20000000

/* The part of struct sockaddr_in6 that counts (SIN6_LEN_RFC2133). */
struct al_sockaddr_in6 {
	__u16 family;
	__be16 port;
	__be32 flowinfo;
	__u8 address[16];
};

/* The part of struct sockaddr_in that counts. */
struct al_sockaddr_in {
	__u16 family;
	__be16 port;
	__u8 address[4];
};

static __always_inline bool al_is_inet(__u16 family)
{
	return family == AF_INET || family == AF_INET6;
}

static __always_inline bool al_family_allowed(int family, int protocol)
{
	return family == AF_UNIX || al_is_inet(family) ||
	       (family == AF_NETLINK && protocol == 0 /* NETLINK_ROUTE */);
}

static __always_inline bool al_transport_allowed(int type, int protocol)
{
	return (type == SOCK_STREAM &&
		(protocol == 0 || protocol == IPPROTO_TCP)) ||
	       (type == SOCK_DGRAM &&
		(protocol == 0 || protocol == IPPROTO_UDP));
}

/*
 * The errno is the one of a kernel built without them, with which programs
 * that only try (audit, MPTCP, kernel crypto) go on.
 */
SEC("lsm/socket_create")
int BPF_PROG(al_socket_create, int family, int type, int protocol, int kern,
	     int ret)
{
	struct al_ask ask = {
		.hook = AL_HOOK_SOCKET_CREATE,
		.wanted = AL_OP_KERNEL,
	};
	struct al_address wanted = {
		.family = family,
		.key.protocol = protocol,
	};

	if (ret || kern || !al_scoped())
		return ret;
	if (!al_family_allowed(family, protocol))
		ask.refusal = EAFNOSUPPORT;
	else if (al_is_inet(family) && !al_transport_allowed(type, protocol))
		ask.refusal = EPROTONOSUPPORT;
	else
		return 0;
	return al_errno(al_check(&ask, &wanted));
}

static __always_inline void al_put_v4(struct al_endpoint_key *key,
				      const void *address)
{
	key->address[10] = key->address[11] = 0xff;
	__builtin_memcpy(&key->address[12], address, 4);
}

/*
 * Reads an address of an internet socket. Returns false if there is none that
 * could name an endpoint; too short a one is an endpoint that nobody bound.
 */
static __always_inline bool al_read_address(struct al_address *ret,
					    const void *address, int length,
					    bool unspec_is_v4)
{
	struct al_sockaddr_in6 v6 = {};
	struct al_sockaddr_in v4 = {};

	bpf_probe_read_kernel(&v4.family, sizeof(v4.family), address);
	if (length < (int)sizeof(v4.family))
		return false;
	if (v4.family == AF_UNSPEC && !unspec_is_v4)
		return false;
	ret->family = v4.family;
	if (v4.family == AF_INET6 && length >= (int)sizeof(v6)) {
		bpf_probe_read_kernel(&v6, sizeof(v6), address);
		ret->key.port = bpf_ntohs(v6.port);
		__builtin_memcpy(ret->key.address, v6.address,
				 sizeof(v6.address));
	} else if (v4.family != AF_INET6 && length >= (int)sizeof(v4)) {
		bpf_probe_read_kernel(&v4, sizeof(v4), address);
		ret->key.port = bpf_ntohs(v4.port);
		al_put_v4(&ret->key, v4.address);
	}
	return true;
}

static __always_inline int al_ask_endpoint(struct al_ask *ask,
					   struct al_address *address,
					   struct socket *socket, __u8 side)
{
	address->key.protocol = BPF_CORE_READ(socket, sk, sk_protocol);
	address->key.side = side;
	ask->found = AL_FOUND(al_endpoint(&address->key), 0);
	return al_errno(al_check(ask, address));
}

static __always_inline __u16 al_family(struct socket *socket)
{
	return BPF_CORE_READ(socket, sk, __sk_common.skc_family);
}

/* Unix sockets have hooks of their own; without an address it disconnects. */
SEC("lsm/socket_connect")
int BPF_PROG(al_socket_connect, struct socket *socket, void *address,
	     int length, int ret)
{
	struct al_ask ask = {
		.hook = AL_HOOK_SOCKET_CONNECT,
		.wanted = AL_OP_CONNECT,
	};
	struct al_address to = {};

	if (ret || !al_scoped())
		return ret;
	if (!al_is_inet(al_family(socket)) ||
	    !al_read_address(&to, address, length, false))
		return 0;
	return al_ask_endpoint(&ask, &to, socket, AL_SIDE_REMOTE);
}

/*
 * A datagram with an address, or the first segment of a stream (fast open),
 * which calls no other hook. Streams ignore an address otherwise. In IPv4's
 * sendmsg() the family "unspecified" means IPv4.
 */
SEC("lsm/socket_sendmsg")
int BPF_PROG(al_socket_sendmsg, struct socket *socket, struct msghdr *message,
	     int size, int ret)
{
	struct al_ask ask = {
		.hook = AL_HOOK_SOCKET_SENDMSG,
		.wanted = AL_OP_CONNECT,
	};
	struct al_address to = {};
	void *address;
	__u16 family;

	if (ret || !al_scoped())
		return ret;
	address = message->msg_name;
	family = al_family(socket);
	if (!address || !al_is_inet(family))
		return 0;
	if (BPF_CORE_READ(socket, sk, sk_type) == SOCK_STREAM &&
	    !(message->msg_flags & MSG_FASTOPEN))
		return 0;
	if (!al_read_address(&to, address, message->msg_namelen,
			     family == AF_INET))
		return 0;
	return al_ask_endpoint(&ask, &to, socket, AL_SIDE_REMOTE);
}

/* Port 0 is any free port, which tells nobody where to come. */
SEC("lsm/socket_bind")
int BPF_PROG(al_socket_bind, struct socket *socket, void *address, int length,
	     int ret)
{
	struct al_ask ask = {
		.hook = AL_HOOK_SOCKET_BIND,
		.wanted = AL_OP_BIND,
	};
	struct al_address to = {};

	if (ret || !al_scoped())
		return ret;
	if (!al_is_inet(al_family(socket)) ||
	    !al_read_address(&to, address, length, true) || !to.key.port)
		return 0;
	return al_ask_endpoint(&ask, &to, socket, AL_SIDE_LOCAL);
}

/*
 * The port the socket has, be it from bind() or a free one; a socket without
 * any gets a free one here, and counts as port 0.
 */
SEC("lsm/socket_listen")
int BPF_PROG(al_socket_listen, struct socket *socket, int backlog, int ret)
{
	struct al_ask ask = {
		.hook = AL_HOOK_SOCKET_LISTEN,
		.wanted = AL_OP_BIND,
	};
	struct al_address to = {};
	__be32 v4;

	if (ret || !al_scoped())
		return ret;
	to.family = al_family(socket);
	if (!al_is_inet(to.family))
		return 0;
	to.key.port = BPF_CORE_READ(socket, sk, __sk_common.skc_num);
	if (to.family == AF_INET) {
		v4 = BPF_CORE_READ(socket, sk, __sk_common.skc_rcv_saddr);
		al_put_v4(&to.key, &v4);
	} else {
		BPF_CORE_READ_INTO(&to.key.address, socket, sk,
				   __sk_common.skc_v6_rcv_saddr);
	}
	return al_ask_endpoint(&ask, &to, socket, AL_SIDE_LOCAL);
}

/*
 * A socket with a path is the object that its path is. Abstract names and
 * socket pairs do not leave the network namespace.
 */
static __always_inline int al_ask_unix(struct al_ask *ask, struct sock *other)
{
	struct unix_sock *peer = bpf_skc_to_unix_sock(other);
	struct al_address address = { .family = AF_UNIX };
	struct dentry *dentry;

	if (!peer)
		return -EACCES;
	dentry = peer->path.dentry;
	if (!dentry)
		return 0;
	al_about(ask, dentry, dentry->d_inode);
	return al_errno(al_check(ask, &address));
}

SEC("lsm/unix_stream_connect")
int BPF_PROG(al_unix_stream_connect, struct sock *sock, struct sock *other,
	     struct sock *new, int ret)
{
	struct al_ask ask = {
		.hook = AL_HOOK_UNIX_STREAM_CONNECT,
		.wanted = AL_OP_CONNECT,
	};

	if (ret || !al_scoped())
		return ret;
	return al_ask_unix(&ask, other);
}

SEC("lsm/unix_may_send")
int BPF_PROG(al_unix_may_send, struct socket *socket, struct socket *other,
	     int ret)
{
	struct al_ask ask = {
		.hook = AL_HOOK_UNIX_MAY_SEND,
		.wanted = AL_OP_CONNECT,
	};
	struct sock *peer;

	if (ret || !al_scoped())
		return ret;
	peer = other->sk;
	if (!peer)
		return -EACCES;
	return al_ask_unix(&ask, peer);
}
