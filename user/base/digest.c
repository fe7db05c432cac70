// SPDX-License-Identifier: GPL-2.0-only
/*
 * Digests, apart from text.c: programs that only escape need no libcrypto.
 */
#include <stdlib.h>
#include <string.h>

#include <openssl/evp.h>

#include "text.h"

struct hasher {
	EVP_MD_CTX *context;
};

struct hasher *hasher_new(void)
{
	struct hasher *hasher = xzalloc(sizeof(*hasher));

	hasher->context = EVP_MD_CTX_new();
	if (!hasher->context ||
	    EVP_DigestInit_ex(hasher->context, EVP_sha256(), NULL) != 1)
		abort(); /* a library without SHA-256 */
	return hasher;
}

void hasher_add(struct hasher *hasher, const void *data, size_t length)
{
	if (EVP_DigestUpdate(hasher->context, data, length) != 1)
		abort();
}

struct digest hasher_end(struct hasher *hasher)
{
	struct digest digest;

	if (EVP_DigestFinal_ex(hasher->context, digest.bytes, NULL) != 1)
		abort();
	EVP_MD_CTX_free(hasher->context);
	free(hasher);
	return digest;
}

struct digest digest_of(const void *data, size_t length)
{
	struct hasher *hasher = hasher_new();

	hasher_add(hasher, data, length);
	return hasher_end(hasher);
}

void digest_hex(const struct digest *digest, char ret_hex[DIGEST_HEX])
{
	struct buffer out cleanup_buffer = { 0 };

	hex_encode(&out, digest->bytes, DIGEST_SIZE);
	memcpy(ret_hex, out.data, DIGEST_HEX);
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

bool digest_parse(const char *hex, struct digest *ret)
{
	struct digest digest;
	size_t i;

	if (strlen(hex) != 2 * DIGEST_SIZE)
		return false;
	for (i = 0; i < DIGEST_SIZE; i++) {
		int high = hex_digit(hex[2 * i]);
		int low = hex_digit(hex[2 * i + 1]);

		if (high < 0 || low < 0)
			return false;
		digest.bytes[i] = (uint8_t)(high << 4 | low);
	}
	*ret = digest;
	return true;
}
