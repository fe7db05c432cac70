/* SPDX-License-Identifier: GPL-2.0-only */
/* Finding canaries in what arrived somewhere, however it was wrapped. */
#ifndef USER_BRANCH_CANARY_H
#define USER_BRANCH_CANARY_H

#include <stdbool.h>
#include <stddef.h>

#include "bind/bound.h"

/* Bytes that are unpacked of one input, all archives in it together. */
#define CANARY_UNPACKED_MAX (64u << 20)
/* Places in one input that are tried as the start of an archive. */
#define CANARY_ARCHIVES_MAX 32
/* Archives in archives. */
#define CANARY_DEPTH_MAX 3

/**
 * canary_search() - which of the canaries are in these bytes?
 * @canaries:	tokens of at least 16 ASCII letters and digits
 * @data:	untrusted
 * @ret_found:	[nr]; set to true for those that are there, else untouched
 *
 * Raw, hexadecimal (either case), percent-encoded, base64 (any of the three
 * alignments, both alphabets), each also with white space in between; and in
 * whatever gzip, bzip2, xz, zstd, tar, zip or cpio holds, wherever in the
 * bytes that begins.
 *
 * Return: are there any?
 */
bool canary_search(const struct canary *canaries, size_t nr, const char *data,
		   size_t length, bool *ret_found);

/* canary_search_plain() - without looking into archives */
bool canary_search_plain(const struct canary *canaries, size_t nr,
			 const char *data, size_t length, bool *ret_found);

/* canary_reach() - bytes that an encoded token can stretch over */
size_t canary_reach(const struct canary *canaries, size_t nr);

#endif /* USER_BRANCH_CANARY_H */
