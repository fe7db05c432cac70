// SPDX-License-Identifier: GPL-2.0-only
/*
 * Hidden text. Each folder of data/hidden/ is a case: a rule, and what is found
 * in it. The case "none" has all that looks alike and is innocent.
 */
#include "harness.h"

#include <zlib.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "extract/hidden.h"
#include "extract_support.h"

static void find(struct arena *arena, const char *text, size_t length,
		 struct segments *ret)
{
	*ret = (struct segments){ 0 };
	hidden_find(arena, text, length, ret);
}

static void print_concealed(const struct segments *segments, const char *text,
			    struct buffer *out)
{
	for (size_t i = 0; i < segments->nr_concealed; i++) {
		const struct concealed *concealed = &segments->concealed[i];

		buffer_printf(out, "concealed %s%s \"", concealed->how,
			      concealed->opaque ? "!" : "");
		text_escape(out, text + concealed->start,
			    concealed->end - concealed->start);
		buffer_adds(out, "\"\n");
	}
}

static void check_found(const char *name, const struct buffer *rule,
			const struct buffer *expected)
{
	struct arena *arena cleanup_arena = arena_new();
	struct buffer out cleanup_buffer = { 0 };
	struct segments segments;

	TH_LOG("case %s", name);
	find(arena, buffer_text(rule), rule->length, &segments);
	segments_print(&segments, &out);
	print_concealed(&segments, buffer_text(rule), &out);
	EXPECT_STREQ(buffer_text(&out), buffer_text(expected));
	EXPECT_STREQ(segments_fault(&segments, buffer_text(rule), rule->length),
		     NULL);
}

TEST(found)
{
	EXPECT_GE(cases_run("hidden", "found", check_found), 19);
}

/* Each byte of the decoded text comes from the group that encodes it. */
TEST(decoded_bytes_have_places)
{
	static const char text[] =
		"x d2dldCBodHRwczovL29uZS5leGFtcGxlL2E= y\n"
		"776765742068747470733a2f2f74776f2e6578616d706c652f\n";
	struct arena *arena cleanup_arena = arena_new();
	struct segments segments;
	const struct segment *segment;
	size_t i;

	find(arena, text, strlen(text), &segments);
	ASSERT_EQ(segments.nr, 2);
	segment = segments.list[0];
	EXPECT_STREQ(segment->text, "wget https://one.example/a");
	EXPECT_EQ(segment->start, 2 + 1);
	for (i = 0; i < segment->length; i++)
		EXPECT_EQ(segment->origin[i], 2 + (i * 8 + 7) / 6);
	segment = segments.list[1];
	EXPECT_STREQ(segment->text, "wget https://two.example/");
	for (i = 0; i < segment->length; i++)
		EXPECT_EQ(segment->origin[i], 41 + 2 * i);
}

/* What was found stands in front of the blank lines that end it, and no
 * further up than they begin. */
TEST(far_down_needs_many_lines)
{
	for (int lines = HIDDEN_FAR_DOWN - 2; lines <= HIDDEN_FAR_DOWN + 1;
	     lines++) {
		struct arena *arena cleanup_arena = arena_new();
		struct buffer text cleanup_buffer = { 0 };
		struct segments segments;

		buffer_adds(&text, "first\n");
		for (int i = 0; i < lines; i++)
			buffer_adds(&text, i % 2 ? "\n" : " \t\r\n");
		buffer_adds(&text, "last");
		find(arena, text.data, text.length, &segments);
		EXPECT_EQ(segments.nr_concealed, lines >= HIDDEN_FAR_DOWN);
	}
}

TEST(far_right_needs_many_columns)
{
	for (int columns = HIDDEN_FAR_RIGHT - 1; columns <= HIDDEN_FAR_RIGHT;
	     columns++) {
		struct arena *arena cleanup_arena = arena_new();
		struct segments segments;
		char *text cleanup_free = xasprintf("a%*sb\n", columns, "");

		find(arena, text, strlen(text), &segments);
		EXPECT_EQ(segments.nr_concealed, columns >= HIDDEN_FAR_RIGHT);
	}
}

/* A few bytes that become very many are not all made. */
TEST(bombs_are_bounded)
{
	struct arena *arena cleanup_arena = arena_new();
	size_t size = 64u << 20, packed = size / 64;
	unsigned char *zeros cleanup_free = xzalloc(size);
	unsigned char *small cleanup_free = xzalloc(packed);
	struct buffer text cleanup_buffer = { 0 };
	struct segments segments;
	uLongf length = packed;

	for (size_t i = 0; i < size; i++)
		zeros[i] = (unsigned char)"run the thing now "[i % 18];
	ASSERT_EQ(compress2(small, &length, zeros, size, 9), Z_OK);
	hex_encode(&text, small, length);
	find(arena, text.data, text.length, &segments);
	for (size_t i = 0; i < segments.nr; i++)
		EXPECT_LE(segments.list[i]->length, HIDDEN_BLOB);
	EXPECT_GE(segments.nr, 1);
}

/* Many blobs are not all decoded either, and that is said. */
TEST(decoding_has_a_budget)
{
	struct arena *arena cleanup_arena = arena_new();
	unsigned char plain[HIDDEN_BLOB], packed[4096];
	struct buffer one cleanup_buffer = { 0 };
	struct buffer text cleanup_buffer = { 0 };
	struct segments segments;
	uLongf length = sizeof(packed);
	size_t opaque = 0;

	for (size_t i = 0; i < sizeof(plain); i++)
		plain[i] = (unsigned char)"run the thing now "[i % 18];
	ASSERT_EQ(compress2(packed, &length, plain, sizeof(plain), 9), Z_OK);
	hex_encode(&one, packed, length);
	buffer_adds(&one, " .\n");
	fill(&text, "", one.data, "",
	     2 * HIDDEN_BUDGET / HIDDEN_BLOB * one.length);
	find(arena, text.data, text.length, &segments);
	for (size_t i = 0; i < segments.nr_concealed; i++)
		opaque += segments.concealed[i].opaque;
	EXPECT_GE(opaque, 1);
}

/* Searching costs no more than the text: the worst ones end within the time
 * that a test has, and what is behind them is found. */
TEST(long_texts_are_searched_to_the_end)
{
	static const char *const pieces[] = {
		"a",
		"QUJD",
		"ff",
		"%41",
		"\\x41",
		"0x41, ",
		"\xe2\x80\x8b",
		"\xe2\x80\xae",
		" ",
		"\n",
		"\t",
		"\xd0\xb0",
		"a\xd0\xb0.",
		"=",
		"/",
		"\x1b[0m",
		"\x1b",
		"\xf3\xa0\x81\x81 ",
		"a\xe2\x80\213a",
	};
	static const char end[] =
		" . \n776765742068747470733a2f2f656e642e6578616d706c652f\n";

	for (size_t i = 0; i < ARRAY_SIZE(pieces); i++) {
		struct arena *arena cleanup_arena = arena_new();
		struct buffer text cleanup_buffer = { 0 };
		struct segments segments;

		fill(&text, "", pieces[i], end, 4u << 20);
		find(arena, text.data, text.length, &segments);
		EXPECT_GE(segments.nr, 1)
		{
			TH_LOG("%s", pieces[i]);
		}
		if (segments.nr)
			EXPECT_STREQ(segments.list[segments.nr - 1]->text,
				     "wget https://end.example/");
		EXPECT_STREQ(segments_fault(&segments, text.data, text.length),
			     NULL);
	}
}
