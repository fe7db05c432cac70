// SPDX-License-Identifier: GPL-2.0-only
/*
 * The structure of rules. Each folder of data/structure/ is a case: a rule, and
 * its segments, one a line.
 */
#include "harness.h"

#include "base/cleanup.h"
#include "extract/structure.h"
#include "extract_support.h"

static void find(struct arena *arena, const struct buffer *text,
		 struct segments *ret)
{
	*ret = (struct segments){ 0 };
	structure_find(arena, "AGENTS.md", buffer_text(text), text->length,
		       ret);
}

static void check_segments(const char *name, const struct buffer *rule,
			   const struct buffer *expected)
{
	struct arena *arena cleanup_arena = arena_new();
	struct buffer out cleanup_buffer = { 0 };
	struct segments segments;

	TH_LOG("case %s", name);
	find(arena, rule, &segments);
	segments_print(&segments, &out);
	EXPECT_STREQ(buffer_text(&out), buffer_text(expected));
	EXPECT_STREQ(segments_fault(&segments, buffer_text(rule), rule->length),
		     NULL);
}

TEST(segments)
{
	EXPECT_GE(cases_run("structure", "segments", check_segments), 10);
}

/* ---- what must make no difference */

/* Texts of both, and where they stand: a function of one of the other. */
static void expect_same(const struct segments *a, const struct segments *b,
			size_t (*map)(const struct buffer *rule, size_t at),
			const struct buffer *rule)
{
	ASSERT_EQ(a->nr, b->nr);
	for (size_t i = 0; i < a->nr; i++) {
		const struct segment *x = a->list[i], *y = b->list[i];

		EXPECT_STREQ(x->text, y->text);
		if (strcmp(x->text, y->text))
			continue;
		for (size_t k = 0; k < x->length; k++)
			ASSERT_EQ(map(rule, x->origin[k]), y->origin[k])
			{
				TH_LOG("%s: byte %zu", x->text, k);
			}
	}
}

static void to_crlf(const struct buffer *from, struct buffer *to)
{
	for (size_t i = 0; i < from->length; i++) {
		if (from->data[i] == '\n')
			buffer_addc(to, '\r');
		buffer_addc(to, from->data[i]);
	}
}

/* A line break is where its CR is, unless it is a line's last byte. */
static size_t crlf_offset(const struct buffer *rule, size_t at)
{
	size_t ret = at;

	for (size_t i = 0; i < at && i < rule->length; i++)
		ret += rule->data[i] == '\n';
	return ret;
}

static void check_line_ends(const char *name, const struct buffer *rule,
			    const struct buffer *expected)
{
	struct arena *arena cleanup_arena = arena_new();
	struct buffer crlf cleanup_buffer = { 0 };
	struct segments a, b;

	(void)expected;
	TH_LOG("case %s", name);
	to_crlf(rule, &crlf);
	find(arena, rule, &a);
	find(arena, &crlf, &b);
	expect_same(&a, &b, crlf_offset, rule);
}

TEST(line_ends_make_no_difference)
{
	EXPECT_GE(cases_run("structure", "segments", check_line_ends), 10);
}

static size_t bom_offset(const struct buffer *rule, size_t at)
{
	(void)rule;
	return at + 3;
}

static void check_bom(const char *name, const struct buffer *rule,
		      const struct buffer *expected)
{
	struct arena *arena cleanup_arena = arena_new();
	struct buffer bom cleanup_buffer = { 0 };
	struct segments a, b;

	(void)expected;
	TH_LOG("case %s", name);
	buffer_adds(&bom, "\xef\xbb\xbf");
	buffer_add(&bom, rule->data, rule->length);
	find(arena, rule, &a);
	find(arena, &bom, &b);
	expect_same(&a, &b, bom_offset, rule);
}

TEST(a_byte_order_mark_makes_no_difference)
{
	EXPECT_GE(cases_run("structure", "segments", check_bom), 10);
}

/* Between any two characters, unless they are markup. */
TEST(unseen_characters_make_no_difference)
{
	static const char *const unseen[] = {
		"\xe2\x80\x8b", "\xe2\x81\xa0",	    "\xc2\xad",
		"\xef\xbb\xbf", "\xf3\xa0\x81\x81", "\x01",
	};
	struct buffer plain cleanup_buffer = { 0 };
	struct arena *arena cleanup_arena = arena_new();
	struct segments a, b;

	buffer_adds(&plain, "Run `npm ci` and *then*\n```sh\nmake x\n```\n");
	find(arena, &plain, &a);
	ASSERT_EQ(a.nr, 2);
	for (size_t i = 0; i < ARRAY_SIZE(unseen); i++)
		for (size_t at = 0; at <= plain.length; at++) {
			struct buffer text cleanup_buffer = { 0 };

			buffer_add(&text, plain.data, at);
			buffer_adds(&text, unseen[i]);
			buffer_adds(&text, plain.data + at);
			find(arena, &text, &b);
			ASSERT_EQ(b.nr, 2);
			EXPECT_STREQ(b.list[0]->text, a.list[0]->text);
			EXPECT_STREQ(b.list[1]->text, a.list[1]->text);
			EXPECT_STREQ(segments_fault(&b, text.data, text.length),
				     NULL);
		}
}

TEST(bytes_that_are_no_text)
{
	static const char text[] = "a\0b \xff\xfe `c\0d` \xc3\n\n"
				   "```sh\n\xf0\x28 x\0y\n```\n";
	struct arena *arena cleanup_arena = arena_new();
	struct segments segments = { 0 };

	structure_find(arena, "x", text, sizeof(text) - 1, &segments);
	ASSERT_EQ(segments.nr, 2);
	EXPECT_STREQ(segments.list[0]->text, "ab \xff\xfe `cd` \xc3");
	EXPECT_STREQ(segments.list[1]->text, "\xf0( xy\n");
	EXPECT_STREQ(segments_fault(&segments, text, sizeof(text) - 1), NULL);
}

/* ---- texts that are too large to be parsed at once */

static void expect_last(const struct buffer *text, const char *expected)
{
	struct arena *arena cleanup_arena = arena_new();
	struct segments segments;
	const struct segment *last;

	find(arena, text, &segments);
	ASSERT_GT(segments.nr, 0);
	last = segments.list[segments.nr - 1];
	EXPECT_HAS_SUBSTR(last->text, expected);
	EXPECT_STREQ(segments_fault(&segments, text->data, text->length), NULL);
}

TEST(windows_are_read_to_the_end)
{
	static const char *const pieces[] = {
		"word ",     "word\n",	"a paragraph\n\n", "- an item\n",
		"> quote\n", "`code` ", "| a | b |\n",	   "    indented\n",
		"<b>x</b> ", "x",
	};

	for (size_t i = 0; i < ARRAY_SIZE(pieces); i++) {
		struct buffer text cleanup_buffer = { 0 };

		fill(&text, "", pieces[i], "\n\nThe very end.\n",
		     3 * STRUCTURE_WINDOW);
		TH_LOG("%s", pieces[i]);
		expect_last(&text, "The very end.");
	}
}

/* A block that is longer than a window stays code of its language. */
TEST(code_over_windows)
{
	struct arena *arena cleanup_arena = arena_new();
	struct buffer text cleanup_buffer = { 0 };
	struct segments segments;

	fill(&text, "Never run this:\n\n~~~~ zsh\n", "echo one more line\n",
	     "~~~\nstill code\n~~~~\n\ntext\n", 3 * STRUCTURE_WINDOW);
	find(arena, &text, &segments);
	ASSERT_GE(segments.nr, 4);
	for (size_t i = 1; i + 1 < segments.nr; i++) {
		EXPECT_EQ(segments.list[i]->kind, SEGMENT_CODE);
		EXPECT_STREQ(segments.list[i]->language, "zsh");
		ASSERT_NOT_NULL(segments.list[i]->lead);
		EXPECT_STREQ(segments.list[i]->lead->text, "Never run this:");
	}
	EXPECT_HAS_SUBSTR(segments.list[segments.nr - 2]->text, "still code");
	EXPECT_STREQ(segments.list[segments.nr - 1]->text, "text");
}

/* What a line break would cut is found in one window or the other. */
TEST(long_lines_are_read_with_overlap)
{
	for (size_t shift = 0; shift < 64; shift++) {
		struct arena *arena cleanup_arena = arena_new();
		struct buffer text cleanup_buffer = { 0 };
		struct segments segments;
		size_t found = 0;

		while (text.length < STRUCTURE_WINDOW - 32 - shift)
			buffer_adds(&text, "x ");
		buffer_adds(&text, "the whole of this stands together ");
		while (text.length < STRUCTURE_WINDOW + 4096)
			buffer_adds(&text, "y ");
		find(arena, &text, &segments);
		for (size_t i = 0; i < segments.nr; i++)
			found += strstr(segments.list[i]->text,
					"the whole of this stands together") !=
				 NULL;
		EXPECT_GE(found, 1);
	}
}

/* Each mark begins a block; what nobody would write becomes space. */
TEST(marks_of_blocks_are_bounded)
{
	static const char *const pieces[] = { ">", "> ", "- ", "1. ", "* > " };

	for (size_t i = 0; i < ARRAY_SIZE(pieces); i++) {
		struct buffer text cleanup_buffer = { 0 };

		fill(&text, "", pieces[i], "the end", 1u << 20);
		TH_LOG("%s", pieces[i]);
		expect_last(&text, "the end");
	}
}
