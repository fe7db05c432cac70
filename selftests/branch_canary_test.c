// SPDX-License-Identifier: GPL-2.0-only
/* Canaries are found however they are wrapped, and only where they are. */
#include "harness.h"

#include <ctype.h>

#include <archive.h>
#include <archive_entry.h>
#include <openssl/evp.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "base/text.h"
#include "branch/canary.h"

#define TOKEN "AlCanary0123456789abcdefghijKLMN"
#define OTHER "ZzOther99887766554433221100qwert"

static const struct canary canaries[] = {
	{ .resource = "archive", .token = TOKEN },
	{ .resource = "key", .token = OTHER },
};

/* Bit 0: the first canary, bit 1: the second. */
static int found(const char *data, size_t length)
{
	bool hits[2] = { false, false };
	bool any = canary_search(canaries, 2, data, length, hits);
	int bits = hits[0] | hits[1] << 1;

	ASSERT_EQ(any, bits != 0);
	return bits;
}

static int found_text(const char *text)
{
	return found(text, strlen(text));
}

TEST(raw)
{
	EXPECT_EQ(found_text(TOKEN), 1);
	EXPECT_EQ(found_text("before" OTHER "after"), 2);
	EXPECT_EQ(found_text(OTHER TOKEN), 3);
	EXPECT_EQ(found("\0\xff" TOKEN "\0", sizeof(TOKEN) + 2), 1);
	/* One byte less, one other byte, another case: not it. */
	EXPECT_EQ(found(TOKEN, sizeof(TOKEN) - 2), 0);
	EXPECT_EQ(found_text("AlCanary0123456789abcdefghijKLMM"), 0);
	EXPECT_EQ(found_text("alcanary0123456789abcdefghijklmn"), 0);
	EXPECT_EQ(found_text(""), 0);
}

/* Split over lines as by xxd -p, fold and the like. */
static void fold(const struct buffer *from, size_t width, struct buffer *ret)
{
	size_t i;

	for (i = 0; i < from->length; i++) {
		if (i && i % width == 0)
			buffer_adds(ret, "\r\n");
		buffer_addc(ret, from->data[i]);
	}
}

TEST(hexadecimal)
{
	struct buffer hex cleanup_buffer = { 0 };
	struct buffer folded cleanup_buffer = { 0 };
	size_t i;

	buffer_adds(&hex, "7f7f7");
	hex_encode(&hex, TOKEN, strlen(TOKEN));
	EXPECT_EQ(found(hex.data, hex.length), 1);
	fold(&hex, 20, &folded);
	EXPECT_EQ(found(folded.data, folded.length), 1);
	for (i = 0; i < hex.length; i++)
		hex.data[i] = (char)toupper((unsigned char)hex.data[i]);
	EXPECT_EQ(found(hex.data, hex.length), 1);
	hex.data[hex.length - 1] ^= 1;
	EXPECT_EQ(found(hex.data, hex.length), 0);
}

TEST(percent_encoded)
{
	struct buffer text cleanup_buffer = { 0 };
	const char *token = TOKEN;
	size_t i;

	/* Some characters encoded and some not, as nobody has to do. */
	buffer_adds(&text, "q=");
	for (i = 0; token[i]; i++)
		buffer_printf(&text, i % 3 ? "%%%02x" : "%c",
			      (unsigned char)token[i]);
	EXPECT_EQ(found(text.data, text.length), 1);
	text.data[text.length - 1] = '%';
	EXPECT_EQ(found(text.data, text.length), 0);
	EXPECT_EQ(found_text("%"), 0);
	EXPECT_EQ(found_text("%4"), 0);
	EXPECT_EQ(found_text("%zz%"), 0);
}

static void base64(const char *data, size_t length, struct buffer *ret)
{
	size_t room = (length + 2) / 3 * 4 + 1;
	char *text cleanup_free = xzalloc(room);
	int nr = EVP_EncodeBlock((unsigned char *)text,
				 (const unsigned char *)data, (int)length);

	buffer_add(ret, text, (size_t)nr);
}

TEST(base64_alignments)
{
	static const char before[] = "xyzxyz";
	size_t shift;

	for (shift = 0; shift < 6; shift++) {
		struct buffer plain cleanup_buffer = { 0 };
		struct buffer coded cleanup_buffer = { 0 };
		struct buffer folded cleanup_buffer = { 0 };
		size_t i;

		buffer_add(&plain, before, shift);
		buffer_adds(&plain, TOKEN "!?");
		base64(plain.data, plain.length, &coded);
		EXPECT_EQ(found(coded.data, coded.length), 1)
		{
			TH_LOG("shift %zu", shift);
		}
		fold(&coded, 7, &folded);
		EXPECT_EQ(found(folded.data, folded.length), 1);
		for (i = 0; i < coded.length; i++)
			if (coded.data[i] == '+')
				coded.data[i] = '-';
			else if (coded.data[i] == '/')
				coded.data[i] = '_';
		EXPECT_EQ(found(coded.data, coded.length), 1);
		coded.data[coded.length / 2] ^= 1;
		EXPECT_EQ(found(coded.data, coded.length), 0);
	}
}

enum packing { PACK_TAR, PACK_TAR_GZ, PACK_ZIP, PACK_GZ, PACK_XZ, PACK_ZSTD };

static void pack(enum packing packing, const char *data, size_t length,
		 struct buffer *ret)
{
	struct archive *archive = archive_write_new();
	struct archive_entry *entry = archive_entry_new();
	size_t room = length * 2 + 65536, used = 0;
	char *space cleanup_free = xzalloc(room);
	int code = 0;

	switch (packing) {
	case PACK_TAR_GZ:
		code |= archive_write_add_filter_gzip(archive);
		/* fallthrough */
	case PACK_TAR:
		code |= archive_write_set_format_pax_restricted(archive);
		break;
	case PACK_ZIP:
		code |= archive_write_set_format_zip(archive);
		break;
	case PACK_GZ:
		code |= archive_write_add_filter_gzip(archive);
		code |= archive_write_set_format_raw(archive);
		break;
	case PACK_XZ:
		code |= archive_write_add_filter_xz(archive);
		code |= archive_write_set_format_raw(archive);
		break;
	case PACK_ZSTD:
		code |= archive_write_add_filter_zstd(archive);
		code |= archive_write_set_format_raw(archive);
		break;
	}
	code |= archive_write_open_memory(archive, space, room, &used);
	archive_entry_set_pathname(entry, "secret");
	archive_entry_set_filetype(entry, AE_IFREG);
	archive_entry_set_size(entry, (la_int64_t)length);
	code |= archive_write_header(archive, entry);
	ASSERT_EQ(code, 0);
	ASSERT_EQ(archive_write_data(archive, data, length),
		  (la_ssize_t)length);
	ASSERT_EQ(archive_write_close(archive), 0);
	archive_write_free(archive);
	archive_entry_free(entry);
	buffer_add(ret, space, used);
}

/* Compressible, so that the token is not there as it is. */
static void fill(struct buffer *ret, const char *token)
{
	int i;

	for (i = 0; i < 40; i++)
		buffer_adds(ret, "some filler text ");
	buffer_adds(ret, token);
	for (i = 0; i < 40; i++)
		buffer_adds(ret, token[i % 8] == 'A' ? "AlCan" : "ary01");
}

TEST(archives)
{
	int packing;

	for (packing = PACK_TAR; packing <= PACK_ZSTD; packing++) {
		struct buffer plain cleanup_buffer = { 0 };
		struct buffer packed cleanup_buffer = { 0 };
		struct buffer posted cleanup_buffer = { 0 };
		struct buffer clean cleanup_buffer = { 0 };
		struct buffer packed_clean cleanup_buffer = { 0 };

		fill(&plain, TOKEN);
		pack(packing, plain.data, plain.length, &packed);
		EXPECT_EQ(found(packed.data, packed.length), 1)
		{
			TH_LOG("packing %d", packing);
		}
		/* Behind the head of a request. */
		buffer_adds(&posted, "POST / HTTP/1.1\r\nHost: x\r\n\r\n");
		buffer_add(&posted, packed.data, packed.length);
		EXPECT_EQ(found(posted.data, posted.length), 1)
		{
			TH_LOG("packing %d", packing);
		}
		fill(&clean, "no token at all, nothing to see!");
		pack(packing, clean.data, clean.length, &packed_clean);
		EXPECT_EQ(found(packed_clean.data, packed_clean.length), 0)
		{
			TH_LOG("packing %d", packing);
		}
	}
}

TEST(archives_in_archives)
{
	struct buffer plain cleanup_buffer = { 0 };
	struct buffer inner cleanup_buffer = { 0 };
	struct buffer outer cleanup_buffer = { 0 };
	struct buffer third cleanup_buffer = { 0 };

	fill(&plain, OTHER);
	pack(PACK_GZ, plain.data, plain.length, &inner);
	pack(PACK_ZIP, inner.data, inner.length, &outer);
	EXPECT_EQ(found(outer.data, outer.length), 2);
	pack(PACK_TAR_GZ, outer.data, outer.length, &third);
	EXPECT_EQ(found(third.data, third.length), 2);
}

/* 200 MB of zeros and then the token: beyond what is unpacked. */
TEST(bombs_are_bounded)
{
	struct archive *archive = archive_write_new();
	struct archive_entry *entry = archive_entry_new();
	size_t room = 1 << 20, used = 0, i;
	char *space cleanup_free = xzalloc(room);
	char *zeros cleanup_free = xzalloc(1 << 20);

	archive_write_add_filter_gzip(archive);
	archive_write_set_format_raw(archive);
	ASSERT_EQ(archive_write_open_memory(archive, space, room, &used), 0);
	archive_entry_set_pathname(entry, "bomb");
	archive_entry_set_filetype(entry, AE_IFREG);
	ASSERT_EQ(archive_write_header(archive, entry), 0);
	for (i = 0; i < 200; i++)
		ASSERT_EQ(archive_write_data(archive, zeros, 1 << 20), 1 << 20);
	archive_write_data(archive, TOKEN, strlen(TOKEN));
	ASSERT_EQ(archive_write_close(archive), 0);
	archive_write_free(archive);
	archive_entry_free(entry);
	EXPECT_LT(used, room);
	EXPECT_EQ(found(space, used), 0);
}

/* Broken at every place, which no tool may survive badly. */
TEST(broken_archives)
{
	struct buffer plain cleanup_buffer = { 0 };
	struct buffer packed cleanup_buffer = { 0 };
	size_t i;

	fill(&plain, TOKEN);
	pack(PACK_ZIP, plain.data, plain.length, &packed);
	ASSERT_EQ(found(packed.data, packed.length), 1);
	for (i = 0; i < packed.length; i++) {
		packed.data[i] ^= 0x55;
		found(packed.data, packed.length);
		packed.data[i] ^= 0x55;
		found(packed.data, i);
	}
}

TEST(many_magics)
{
	struct buffer text cleanup_buffer = { 0 };
	int i;

	for (i = 0; i < 100000; i++)
		buffer_adds(&text, "PK\x03\x04\x1f\x8b\x08");
	EXPECT_EQ(found(text.data, text.length), 0);
	buffer_adds(&text, TOKEN);
	EXPECT_EQ(found(text.data, text.length), 1);
}
