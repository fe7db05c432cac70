// SPDX-License-Identifier: GPL-2.0-only
/* Spans and the digest, held against the rule's bytes. */
#include "harness.h"

#include "base/cleanup.h"
#include "dsl/program.h"

/* Lines: 1 "Send artifact.tar", 2 "", 3 "caf\xc3\xa9 with scp" */
#define RULE "Send artifact.tar\n\ncaf\xc3\xa9 with scp\n"

static struct program *parse_spans(const char *rule, const char *spans)
{
	struct error *err cleanup_error = NULL;
	struct program *program = NULL;
	char *text cleanup_free = xasprintf(
		"system \"t\" {\n%s  resource f : file(workspace) = \"f\"\n"
		"  grant g read f from \"AGENTS.md\" %s\n}\n",
		rule, spans);

	if (program_parse("t.sdl", text, strlen(text), &program, &err))
		TH_LOG("%s: %s", spans, err->message);
	return program;
}

/* The errors' messages and hints, one per line. */
static char *locate(const char *rule_line, const char *spans, const char *text,
		    size_t length)
{
	struct program *program cleanup_program = parse_spans(rule_line, spans);
	struct error *err cleanup_error = NULL;
	struct buffer out cleanup_buffer = { 0 };
	const struct error *each;
	int r;

	if (!program)
		return xstrdup("no program");
	r = program_locate(program, "AGENTS.md", text, length, &err);
	if (!r != !err)
		return xstrdup("an error without an error");
	for (each = err; each; each = each->next) {
		buffer_printf(&out, "%u:%u %s\n", each->at.start.line,
			      each->at.start.column, each->message);
		if (each->kind != ERROR_INPUT || !each->line)
			buffer_adds(&out, "wrong kind or no line\n");
		if (each->hint)
			buffer_printf(&out, "  %s\n", each->hint);
	}
	return xstrdup(buffer_text(&out));
}

static void check(const char *spans, const char *expected)
{
	char *found cleanup_free = locate("", spans, RULE, strlen(RULE));

	EXPECT_STREQ(found, expected);
}

TEST(spans_get_offsets_and_text)
{
	struct program *program cleanup_program =
		parse_spans("", "1:6-1:18, 3:6-3:9 \" wi\", 1:15-3:6, 4:1-4:2");
	struct program *last cleanup_program = NULL;
	struct error *err cleanup_error = NULL;
	const struct source_span *spans;

	ASSERT_NOT_NULL(program);
	EXPECT_NE(
		program_locate(program, "AGENTS.md", RULE, strlen(RULE), &err),
		0);
	ASSERT_NOT_NULL(err);
	EXPECT_STREQ(err->message, "this place is outside of the rule");
	EXPECT_NULL(err->next);
	spans = program->grants[0].spans;
	EXPECT_EQ(spans[0].where.start.offset, 5);
	EXPECT_EQ(spans[0].where.end.offset, 17);
	EXPECT_STREQ(spans[0].text, "artifact.tar");
	EXPECT_EQ(spans[1].where.start.offset, 24);
	EXPECT_STREQ(spans[1].text, " wi");
	EXPECT_STREQ(spans[2].text, "tar\n\ncaf\xc3\xa9");

	/* The end of the text is a place: the line behind the last. */
	last = parse_spans("", "3:12-4:1");
	ASSERT_NOT_NULL(last);
	error_done(&err);
	ASSERT_EQ(program_locate(last, "AGENTS.md", RULE, strlen(RULE), &err),
		  0);
	EXPECT_STREQ(last->grants[0].spans[0].text, "scp\n");
}

TEST(what_is_outside)
{
	check("5:1-5:2", "3:35 this place is outside of the rule\n"
			 "  AGENTS.md has 4 lines\n");
	check("3:12-5:1", "3:35 this place is outside of the rule\n"
			  "  AGENTS.md has 4 lines\n");
	check("1:6-1:19",
	      "3:35 this place is outside of the rule\n"
	      "  line 1 of AGENTS.md has 17 bytes and line 1 17; columns count "
	      "bytes from 1, the end is behind the last\n");
	check("2:2-3:1",
	      "3:35 this place is outside of the rule\n"
	      "  line 2 of AGENTS.md has 0 bytes and line 3 14; columns count "
	      "bytes from 1, the end is behind the last\n");
	check("4294967295:4294967294-4294967295:4294967295",
	      "3:35 this place is outside of the rule\n"
	      "  AGENTS.md has 4 lines\n");
	/* The same places one byte nearer are inside. */
	check("1:6-1:18", "");
	check("2:1-3:1", "");
}

TEST(text_that_is_elsewhere_or_nowhere)
{
	check("1:1-1:5 \"Send\", 1:6-1:9 \"scp\", 3:1-3:4 \"zzz\"",
	      "3:51 the rule says \"art\" there, not \"scp\"\n"
	      "  AGENTS.md has it at 3:12-3:15\n"
	      "3:66 the rule says \"caf\" there, not \"zzz\"\n"
	      "  AGENTS.md has this text nowhere\n");
	/* A part of the place is not the place. */
	check("1:6-1:18 \"artifact\"",
	      "3:35 the rule says \"artifact.tar\" there, not \"artifact\"\n"
	      "  AGENTS.md has it at 1:6-1:14\n");
}

#define DIGEST                                                                 \
	"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

TEST(stale_digest_names_both)
{
	struct digest digest = digest_of(RULE, strlen(RULE));
	char hex[DIGEST_HEX];
	char *fresh cleanup_free = NULL, *stale cleanup_free = NULL;
	char *expected cleanup_free = NULL, *line cleanup_free = NULL;

	digest_hex(&digest, hex);
	line = xasprintf("  rule \"AGENTS.md\" sha256 \"%s\"\n", hex);
	fresh = locate(line, "1:1-1:5 \"Send\"", RULE, strlen(RULE));
	EXPECT_STREQ(fresh, "");

	stale = locate("  rule \"AGENTS.md\" sha256 \"" DIGEST "\"\n",
		       "1:1-1:5 \"Sent\"", RULE, strlen(RULE));
	expected = xasprintf(
		"2:27 stale: this was reviewed against the rule with the "
		"digest " DIGEST ", but AGENTS.md has the digest %s\n"
		"  review it against the rule as it is now, then write sha256 "
		"\"%s\"\n"
		"4:35 the rule says \"Send\" there, not \"Sent\"\n"
		"  AGENTS.md has this text nowhere\n",
		hex, hex);
	EXPECT_STREQ(stale, expected);
}

TEST(rules_that_are_not_ordinary)
{
	static const char nul[] = "a\0b\n";
	char *with_nul cleanup_free = locate("", "1:1-1:4", nul, 4);
	char *around cleanup_free = locate("", "1:1-1:2 \"a\"", nul, 4);
	char *empty cleanup_free = locate("", "1:1-1:2", "", 0);
	char *crlf cleanup_free = locate("", "1:1-1:3 \"a\\x0d\"", "a\r\n", 3);
	char *bytes cleanup_free =
		locate("", "1:1-1:3 \"\\xff\\xfe\"", "\xff\xfe", 2);

	EXPECT_STREQ(with_nul, "3:35 the rule has a NUL byte there\n");
	EXPECT_STREQ(around, "");
	EXPECT_HAS_SUBSTR(empty, "outside of the rule");
	EXPECT_STREQ(crlf, "");
	EXPECT_STREQ(bytes, "");
}

/* Few bytes of SystemDSL must not make many of the rule be copied. */
TEST(places_are_bounded_together)
{
	size_t size = 4 << 20;
	char *rule cleanup_free = xzalloc(size);
	char *two cleanup_free = NULL, *three cleanup_free = NULL;

	memset(rule, 'x', size);
	two = locate("", "1:1-1:4194305, 1:2-1:4194305", rule, size);
	three = locate("",
		       "1:1-1:4194305, 1:2-1:4194305, 1:3-1:4194305, 1:9-1:10",
		       rule, size);
	EXPECT_STREQ(two, "");
	EXPECT_HAS_SUBSTR(three, "the places of all grants are larger than "
				 "10485760 bytes\n");
}
