// SPDX-License-Identifier: GPL-2.0-only
/*
 * Texts that want to cost time or memory. All are as large as a text may be;
 * the parser's work must stay proportional to that, so what a text four times
 * as large costs is compared with the smaller one.
 */
#include "harness.h"

#include <sys/resource.h>

#include <aletheia/limits.h>

#include "base/cleanup.h"
#include "dsl/program.h"

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* @head, then @piece until there are @size bytes, then @tail. */
static void fill(struct buffer *text, const char *head, const char *piece,
		 const char *tail, size_t size)
{
	size_t rest = strlen(piece) + strlen(tail);

	buffer_adds(text, head);
	while (text->length + rest <= size)
		buffer_adds(text, piece);
	buffer_adds(text, tail);
}

static unsigned int count(const struct error *err)
{
	unsigned int nr = 0;

	for (; err; err = err->next)
		nr++;
	return nr;
}

static double parse_time(const char *head, const char *piece, const char *tail,
			 size_t size, int *ret, unsigned int *ret_errors)
{
	struct buffer text cleanup_buffer = { 0 };
	struct program *program cleanup_program = NULL;
	struct error *err cleanup_error = NULL;
	double start;

	fill(&text, head, piece, tail, size);
	start = seconds();
	*ret = program_parse("big", text.data, text.length, &program, &err);
	*ret_errors = count(err);
	return seconds() - start;
}

static const struct {
	const char *what;
	const char *head, *piece, *tail;
	int result;
} texts[] = {
	{ "one string", "system \"", "x", "\" { }", -EINVAL },
	{ "content",
	  "system \"t\" { resource f : file(workspace) = \"f\" }\n"
	  "setup \"t\" { bind f to fixture file { content \"",
	  "\\xff", "\" } }", 0 },
	{ "string that never ends", "system \"", "x", "", -EINVAL },
	{ "escapes that are none", "system \"", "\\q", "\" {}", -EINVAL },
	{ "open braces", "", "{", "", -EINVAL },
	{ "open braces in a block", "system \"t\" {\n", "{\n", "", -EINVAL },
	{ "closing braces", "", "}\n", "", -EINVAL },
	{ "blocks", "", "system \"t\" {\n", "", -EINVAL },
	{ "closed blocks", "", "system \"t\" {}\n", "", -EINVAL },
	{ "words on one line", "", "x ", "", -EINVAL },
	{ "one word", "system \"t\" { resource ", "x", "", -EINVAL },
	{ "statements that are none", "system \"t\" {\n", "x\n", "}", -EINVAL },
	{ "garbage on one line", "", "@ ", "", -EINVAL },
	{ "garbage in lines", "", "@\n", "", -EINVAL },
	{ "blank lines", "", "\n", "system \"t\" {}", 0 },
	{ "one comment", "#", "x", "\nsystem \"t\" {}", 0 },
	{ "comments", "", "#\n", "system \"t\" {}", -EINVAL },
	{ "hidden characters", "#", "\u202e", "\nsystem \"t\" {}", -EINVAL },
	{ "keywords", "system \"t\" {\n", "grant\n", "}", -EINVAL },
	{ "actions", "setup \"t\" { baseline ", "read ",
	  "on file(workspace) \"x\" }", -EINVAL },
	{ "places",
	  "system \"t\" { resource f : file(workspace) = \"f\" grant g read f "
	  "from \"R\" 1:1-1:2",
	  ",1:1-1:2", "}", -EINVAL },
	{ "deep path", "system \"t\" { resource f : file(workspace) = \"a",
	  "/../a", "\" }", -EINVAL },
	{ "dots", "system \"t\" { resource f : file(workspace) = \"a", "/.",
	  "\" }", -EINVAL },
	{ "one host", "system \"t\" { resource f : endpoint(remote) = tcp \"a",
	  ".a", "\" port 1 }", -EINVAL },
	{ "aliases",
	  "setup \"t\" { bind f to fixture file { symlink home \"a\"",
	  "symlink home \"a\"\n", " } }", -EINVAL },
};

TEST_TIMEOUT(time_is_linear, 120)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(texts); i++) {
		unsigned int nr;
		int r;
		double small =
			parse_time(texts[i].head, texts[i].piece, texts[i].tail,
				   AL_MAX_SDL_SIZE / 4, &r, &nr);
		double large =
			parse_time(texts[i].head, texts[i].piece, texts[i].tail,
				   AL_MAX_SDL_SIZE, &r, &nr);

		/* Quadratic would be sixteen times as much. */
		EXPECT_TRUE(large < 9 * small + 0.05)
		{
			TH_LOG("%s: %.3f s, a quarter of it %.3f s",
			       texts[i].what, large, small);
		}
		EXPECT_EQ(r, texts[i].result)
		{
			TH_LOG("%s", texts[i].what);
		}
		EXPECT_LE(nr, AL_MAX_ERRORS + 1);
	}
}

TEST(larger_than_a_text_may_be)
{
	struct buffer text cleanup_buffer = { 0 };
	struct program *program cleanup_program = NULL;
	struct error *err cleanup_error = NULL;

	fill(&text, "system \"t\" {}", " ", "", AL_MAX_SDL_SIZE);
	ASSERT_EQ(program_parse("big", text.data, text.length, &program, &err),
		  0);
	buffer_addc(&text, ' ');
	program_free(program);
	program = NULL;
	ASSERT_EQ(program_parse("big", text.data, text.length, &program, &err),
		  -EINVAL);
	EXPECT_STREQ(err->message, "the text is larger than 4194304 bytes");
	EXPECT_NULL(err->next);
	EXPECT_NULL(program);
}

/* As many of everything as there may be is a program, one more is an error. */
static void bound(const char *head, const char *format, unsigned int most,
		  const char *message)
{
	struct buffer text cleanup_buffer = { 0 };
	struct program *program cleanup_program = NULL;
	struct error *err cleanup_error = NULL;
	struct buffer more cleanup_buffer = { 0 };
	unsigned int i;

	buffer_adds(&text, head);
	for (i = 1; i <= most; i++) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		buffer_printf(&text, format, i, i);
#pragma GCC diagnostic pop
	}
	buffer_add(&more, text.data, text.length);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	buffer_printf(&more, format, i, i);
#pragma GCC diagnostic pop
	buffer_adds(&text, strstr(head, "fixture") ? "}}\n" : "}\n");
	buffer_adds(&more, strstr(head, "fixture") ? "}}\n" : "}\n");
	if (program_parse("t", text.data, text.length, &program, &err)) {
		TH_LOG("%s: %s", message, err->message);
		ASSERT_TRUE(false);
	}
	program_free(program);
	program = NULL;
	EXPECT_EQ(program_parse("t", more.data, more.length, &program, &err),
		  -EINVAL);
	EXPECT_STREQ(err->message, message);
	EXPECT_NULL(err->next);
}

#define FILES "resource f : file(workspace) = \"f\"\n"

TEST_TIMEOUT(every_list_has_its_bound, 60)
{
	char *grants cleanup_free = NULL;
	struct buffer resources cleanup_buffer = { 0 };
	unsigned int i;

	bound("system \"t\" {\n", "resource r%u : file(workspace) = \"%u\"\n",
	      AL_MAX_RESOURCES, "more than 2000 resources");
	bound("setup \"t\" {\n", "baseline read on file(workspace) \"%u/%u\"\n",
	      AL_MAX_BASELINES, "more than 1000 baselines");
	bound("setup \"t\" {\n", "bind r%u to real # %u\n", AL_MAX_RESOURCES,
	      "more than 2000 bindings");
	bound("setup \"t\" {\nbaseline read on dir(workspace) \".\" except "
	      "control-files",
	      ", \"%u/%u\"\n", AL_MAX_EXCEPTS - 1, "more than 256 exceptions");
	bound("setup \"t\" {\nbind f to fixture file {",
	      "symlink home \"%u/%u\"\n", AL_MAX_ALIASES,
	      "more than 64 further names");
	bound("system \"t\" {\n" FILES
	      "grant g read f from \"R\" 9000:1-9000:2",
	      ", %u:1-9000:%u\n", AL_MAX_SPANS - 1,
	      "more than 256 places in one grant");
	for (i = 1; i <= AL_MAX_GRANTS + 1; i++)
		buffer_printf(&resources,
			      "resource f%u : file(workspace) = \"%u\"\n", i,
			      i);
	grants = xasprintf("system \"t\" {\n%s", resources.data);
	bound(grants, "grant g%u read f%u observed\n", AL_MAX_GRANTS,
	      "more than 1000 grants");
}
