// SPDX-License-Identifier: GPL-2.0-only
/*
 * systemdsl(5) says what the checker does: its tables are those of the code,
 * its examples are programs.
 */
#include "harness.h"

#include "base/cleanup.h"
#include "base/file.h"
#include "dsl/check.h"
#include "dsl/program.h"
#include "dsl/words.h"

#define MANUAL TEST_SOURCE "/Documentation/man/systemdsl.5.rst"

static void read_manual(struct buffer *ret)
{
	struct error *err cleanup_error = NULL;

	ASSERT_EQ(file_read(AT_FDCWD, MANUAL, 1 << 20, ret, &err), 0);
}

/* The rows of the table with this heading, without their indentation. */
static void read_table(const char *heading, struct buffer *ret)
{
	struct buffer manual cleanup_buffer = { 0 };
	const char *line;

	read_manual(&manual);
	line = strstr(buffer_text(&manual), heading);
	ASSERT_NOT_NULL(line);
	for (line = strchr(line, '\n') + 1; *line == ' ';
	     line = strchr(line, '\n') + 1) {
		line += strspn(line, " ");
		buffer_add(ret, line, strcspn(line, "\n") + 1);
	}
}

static void add_word(struct buffer *out, bool *first, const char *word)
{
	buffer_printf(out, "%s%s", *first ? "" : ", ", word);
	*first = false;
}

TEST(actions_and_their_kinds)
{
	struct buffer table cleanup_buffer = { 0 };
	struct buffer expected cleanup_buffer = { 0 };
	unsigned int action, kind;

	for (action = 0; action < AL_NR_OPERATIONS; action++) {
		bool first = true;

		if (action == AL_OP_NR_MAP)
			continue;
		buffer_printf(&expected, "%-7s  ", operation_word(action));
		for (kind = 0; kind < NR_RESOURCE_KINDS; kind++)
			if (action_takes(action, kind))
				add_word(&expected, &first,
					 resource_kind_word(kind));
		buffer_adds(&expected, "\n");
	}
	read_table("action   kinds", &table);
	EXPECT_STREQ(buffer_text(&table), buffer_text(&expected));
}

TEST(kinds_and_their_origins)
{
	struct buffer table cleanup_buffer = { 0 };
	struct buffer expected cleanup_buffer = { 0 };
	unsigned int origin, kind;

	for (kind = 0; kind < NR_RESOURCE_KINDS; kind++) {
		bool first = true;

		buffer_printf(&expected, "%-8s  ", resource_kind_word(kind));
		for (origin = 0; origin < NR_RESOURCE_ORIGINS; origin++)
			if (kind_has_origin(kind, origin))
				add_word(&expected, &first,
					 resource_origin_word(origin));
		buffer_adds(&expected, "\n");
	}
	read_table("kind      origins", &table);
	EXPECT_STREQ(buffer_text(&table), buffer_text(&expected));
}

static bool is_program(const char *text)
{
	struct program *program cleanup_program = NULL;
	struct error *err cleanup_error = NULL;

	return !program_parse("text", text, strlen(text), &program, &err);
}

/* What the parser accepts, by trying. */
TEST(fixtures_and_their_properties)
{
	static const char *const properties[][2] = {
		{ "canary", "canary 64" },
		{ "content", "content \"x\"" },
		{ "from", "from \"x\"" },
		{ "mode", "mode 0600" },
		{ "hard-link", "hard-link home \"x\"" },
		{ "symlink", "symlink home \"x\"" },
	};
	struct buffer table cleanup_buffer = { 0 };
	struct buffer expected cleanup_buffer = { 0 };
	unsigned int kind, i;

	for (kind = BINDING_FIXTURE_FILE; kind <= BINDING_FIXTURE_PROCESS;
	     kind++) {
		const char *word = binding_kind_word(kind);
		const char *of =
			resource_kind_word(binding_resource_kind(kind));
		bool first = true;

		buffer_printf(&expected, "%-8s  %s", word, of);
		for (i = 0; i < ARRAY_SIZE(properties); i++) {
			char *text cleanup_free = xasprintf(
				"setup \"t\" { bind x to fixture %s { %s } }",
				word, properties[i][1]);

			if (!is_program(text))
				continue;
			if (first)
				buffer_printf(&expected, "%*s",
					      (int)(10 - strlen(of)), "");
			add_word(&expected, &first, properties[i][0]);
		}
		buffer_adds(&expected, "\n");
	}
	read_table("fixture   for       properties", &table);
	EXPECT_STREQ(buffer_text(&table), buffer_text(&expected));
}

TEST(classes_and_facilities)
{
	struct buffer manual cleanup_buffer = { 0 };
	struct arena *arena cleanup_arena = arena_new();

	read_manual(&manual);
	EXPECT_HAS_SUBSTR(manual.data,
			  arena_printf(arena, "\nClasses:\n        %s\n",
				       words_text(arena, &class_words)));
	EXPECT_HAS_SUBSTR(manual.data,
			  arena_printf(arena,
				       "\nKernel facilities:\n        %s\n",
				       words_text(arena, &facility_words)));
}

/* A literal block that begins with "system" or "setup" is an example. */
TEST(examples_are_programs)
{
	struct buffer manual cleanup_buffer = { 0 };
	const char *start, *end;
	unsigned int nr = 0;

	read_manual(&manual);
	for (start = manual.data; (start = strstr(start, "::\n\n    s"));
	     start = end) {
		char *text cleanup_free = NULL;

		start += strlen("::\n\n");
		for (end = start; *end == ' ' || *end == '\n';
		     end = strchr(end, '\n') + 1)
			;
		text = xmemdup0(start, (size_t)(end - start));
		EXPECT_TRUE(is_program(text))
		{
			TH_LOG("%s", text);
		}
		nr++;
	}
	EXPECT_GE(nr, 1);
}

TEST(words_and_numbers_agree)
{
	unsigned int i;

	for (i = 0; i < AL_NR_OPERATIONS; i++)
		EXPECT_EQ(operation_from_word(operation_word(i)), i);
	for (i = 0; i < NR_RESOURCE_KINDS; i++)
		EXPECT_EQ(resource_kind_from_word(resource_kind_word(i)), i);
	for (i = 0; i < NR_RESOURCE_ORIGINS; i++)
		EXPECT_EQ(resource_origin_from_word(resource_origin_word(i)),
			  i);
	for (i = 0; i < NR_RESOURCE_CLASSES; i++)
		EXPECT_EQ(resource_class_from_word(resource_class_word(i)), i);
	EXPECT_EQ(operation_from_word("no"), -1);
	EXPECT_EQ(resource_kind_from_word(""), -1);
	EXPECT_STREQ(operation_word(AL_NR_OPERATIONS), "?");
	EXPECT_FALSE(action_takes(AL_NR_OPERATIONS, RESOURCE_FILE));
	EXPECT_FALSE(action_takes(AL_OP_NR_READ, NR_RESOURCE_KINDS));
	EXPECT_FALSE(kind_has_origin(NR_RESOURCE_KINDS, ORIGIN_HOST));
}

TEST(operations_in_the_order_of_the_table)
{
	struct arena *arena cleanup_arena = arena_new();

	EXPECT_STREQ(operations_text(arena, AL_OP_WRITE | AL_OP_READ),
		     "read write");
	EXPECT_STREQ(operations_text(arena, 0), "");
}

TEST(did_you_mean)
{
	EXPECT_STREQ(words_nearest(&kind_words, "fil"), "file");
	EXPECT_STREQ(words_nearest(&kind_words, "endpooint"), "endpoint");
	EXPECT_STREQ(words_nearest(&operation_words, "reda"), "read");
	EXPECT_NULL(words_nearest(&kind_words, "xyzzy"));
	EXPECT_EQ(word_distance("abc", "abc", 3), 0);
	EXPECT_EQ(word_distance("abc", "acb", 3), 1);
	EXPECT_EQ(word_distance("abc", "abcd", 3), 1);
	EXPECT_EQ(word_distance("abc", "", 9), 3);
	EXPECT_EQ(word_distance("abc", "xyz", 3), 3);
}
