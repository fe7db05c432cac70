// SPDX-License-Identifier: GPL-2.0-only
#include "branch/network.h"

#include <errno.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"

#define LOOPBACK 1 /* index of "lo" in every network namespace */

bool network_is_ipv4(const uint8_t address[16])
{
	static const uint8_t prefix[12] = { [10] = 0xff, [11] = 0xff };

	return !memcmp(address, prefix, sizeof(prefix));
}

int network_up(struct error **err)
{
	int fd cleanup_close = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct ifreq request = { .ifr_name = "lo", .ifr_flags = IFF_UP };

	if (fd < 0 || ioctl(fd, SIOCSIFFLAGS, &request))
		return error_set(err, ERROR_MACHINE, errno,
				 "cannot set up loopback: %s", strerror(errno));
	return 0;
}

/* RTM_NEWROUTE "local ADDRESS/BITS dev lo" and the kernel's answer. */
struct request {
	struct nlmsghdr header;
	struct rtmsg route;
	uint8_t attributes[64];
};

static void add_attribute(struct request *request, unsigned short type,
			  const void *data, size_t length)
{
	struct rtattr *attribute =
		(struct rtattr *)((char *)request +
				  NLMSG_ALIGN(request->header.nlmsg_len));

	attribute->rta_type = type;
	attribute->rta_len = (unsigned short)RTA_LENGTH(length);
	memcpy(RTA_DATA(attribute), data, length);
	request->header.nlmsg_len = NLMSG_ALIGN(request->header.nlmsg_len) +
				    (uint32_t)RTA_SPACE(length);
}

static int ask(struct request *request)
{
	struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };
	int fd cleanup_close =
		socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	struct {
		struct nlmsghdr header;
		struct nlmsgerr error;
		char more[512];
	} answer;
	ssize_t nr;

	if (fd < 0 || sendto(fd, request, request->header.nlmsg_len, 0,
			     (struct sockaddr *)&kernel, sizeof(kernel)) < 0)
		return -errno;
	nr = recv(fd, &answer, sizeof(answer), 0);
	if (nr < 0)
		return -errno;
	if ((size_t)nr < sizeof(answer.header) + sizeof(answer.error.error) ||
	    answer.header.nlmsg_type != NLMSG_ERROR)
		return -EBADMSG;
	return answer.error.error;
}

int network_local(const uint8_t address[16], unsigned int bits,
		  struct error **err)
{
	bool ipv4 = network_is_ipv4(address);
	const int device = LOOPBACK;
	struct request request = {
		.header = {
			.nlmsg_len = NLMSG_LENGTH(sizeof(struct rtmsg)),
			.nlmsg_type = RTM_NEWROUTE,
			.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK |
				       NLM_F_CREATE | NLM_F_REPLACE,
		},
		.route = {
			.rtm_family = ipv4 ? AF_INET : AF_INET6,
			.rtm_dst_len = (unsigned char)(ipv4 ? bits - 96 : bits),
			.rtm_table = RT_TABLE_LOCAL,
			.rtm_protocol = RTPROT_BOOT,
			.rtm_scope = RT_SCOPE_HOST,
			.rtm_type = RTN_LOCAL,
		},
	};
	int code;

	if (ipv4)
		add_attribute(&request, RTA_DST, address + 12, 4);
	else
		add_attribute(&request, RTA_DST, address, 16);
	add_attribute(&request, RTA_OIF, &device, sizeof(device));
	code = ask(&request);
	if (code)
		return error_set(err, ERROR_MACHINE, code,
				 "cannot add a local route: %s",
				 strerror(-code));
	return 0;
}
