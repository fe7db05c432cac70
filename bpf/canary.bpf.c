// SPDX-License-Identifier: GPL-2.0-only
/*
 * Loaded alone, to see that this kernel lets BPF programs decide.
 */
#include "types.h"

#include <aletheia/abi.h>

SEC("lsm/socket_create")
int BPF_PROG(al_canary, int family, int type, int protocol, int kern, int ret)
{
	if (ret || protocol != AL_CANARY_PROTOCOL)
		return ret;
	return -ECANCELED;
}
