/* SPDX-License-Identifier: GPL-2.0-only */
/* The branch's network: loopback only, with more local addresses. */
#ifndef USER_BRANCH_NETWORK_H
#define USER_BRANCH_NETWORK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/**
 * network_up() - set the loopback device up
 *
 * In the network namespace that the caller is in.
 */
int network_up(struct error **err);

/**
 * network_local() - make addresses reachable here
 * @address:	IPv6, or IPv4 as ::ffff:a.b.c.d
 * @bits:	how many bits of it count, of the 128
 */
int network_local(const uint8_t address[16], unsigned int bits,
		  struct error **err);

/* network_is_ipv4() - ::ffff:a.b.c.d? */
bool network_is_ipv4(const uint8_t address[16]);

#endif /* USER_BRANCH_NETWORK_H */
