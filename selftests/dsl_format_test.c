// SPDX-License-Identifier: GPL-2.0-only
/*
 * What "aletheia fmt" prints: for each data/dsl/format/x.sdl the formatted text
 * is exactly x.expected, and formatting that changes nothing. TEST_UPDATE=1 in
 * the environment writes the expected files instead.
 */
#include "harness.h"

#include "base/cleanup.h"
#include "base/file.h"
#include "dsl/program.h"

#define FORMAT TEST_SOURCE "/selftests/data/dsl/format/"

static struct program *parse(const char *text, size_t length)
{
	struct error *err cleanup_error = NULL;
	struct program *program = NULL;

	if (program_parse("text", text, length, &program, &err))
		TH_LOG("%u:%u: %s", err->at.start.line, err->at.start.column,
		       err->message);
	return program;
}

static bool format(const struct buffer *text, struct buffer *ret)
{
	struct program *program cleanup_program =
		parse(buffer_text(text), text->length);

	if (program)
		program_format(program, ret);
	return program != NULL;
}

static void check_format(const char *name)
{
	char *path cleanup_free = xasprintf("%s%s.sdl", FORMAT, name);
	char *golden cleanup_free = xasprintf("%s%s.expected", FORMAT, name);
	struct error *err cleanup_error = NULL;
	struct buffer text cleanup_buffer = { 0 };
	struct buffer once cleanup_buffer = { 0 };
	struct buffer twice cleanup_buffer = { 0 };
	struct buffer expected cleanup_buffer = { 0 };

	ASSERT_EQ(file_read(AT_FDCWD, path, 1 << 20, &text, &err), 0);
	ASSERT_TRUE(format(&text, &once));
	ASSERT_TRUE(format(&once, &twice));
	EXPECT_STREQ(buffer_text(&once), buffer_text(&twice));
	if (getenv("TEST_UPDATE"))
		ASSERT_EQ(file_write_atomic(golden, once.data, once.length,
					    0644, &err),
			  0);
	ASSERT_EQ(file_read(AT_FDCWD, golden, 1 << 20, &expected, &err), 0);
	EXPECT_STREQ(buffer_text(&once), buffer_text(&expected));
	/* An input that is its own result would show nothing. */
	EXPECT_STRNE(buffer_text(&text), buffer_text(&once));
}

TEST(all_of_the_language)
{
	check_format("all");
}

TEST(comments_stay_with_what_they_are_about)
{
	check_format("comments");
}

TEST(selectors_as_in_the_language)
{
	static const char text[] =
		"system \"t\" {\n"
		"resource a : file(home) = \".ssh/id_ed25519\"\n"
		"resource b : endpoint(remote) = tcp \"h\" port 1-65535\n"
		"resource c : endpoint(remote) = udp \"h\" port 5-5\n"
		"resource d : endpoint(remote) = registry \"npm\"\n"
		"resource e : port(local) = tcp 80-90\n"
		"resource f : dir(unspecified) = log\n"
		"resource g : file(workspace) = \"a\\x1b\\n\\\"\\xff\"\n"
		"}\n";
	static const char *const expected[] = {
		"file(home) \".ssh/id_ed25519\"",
		"endpoint(remote) tcp \"h\" port any",
		"endpoint(remote) udp \"h\" port 5",
		"endpoint(remote) registry \"npm\"",
		"port(local) tcp 80-90",
		"dir(unspecified) log",
		"file(workspace) \"a\\x1b\\n\\\"\\xff\"",
	};
	struct program *program cleanup_program = parse(text, strlen(text));
	size_t i;

	ASSERT_NOT_NULL(program);
	ASSERT_EQ(program->nr_resources, ARRAY_SIZE(expected));
	for (i = 0; i < ARRAY_SIZE(expected); i++) {
		struct buffer out cleanup_buffer = { 0 };

		selector_print(&program->resources[i].selector, &out);
		EXPECT_STREQ(buffer_text(&out), expected[i]);
	}
}

/* What the parser makes of the text, field by field. */
TEST(the_program_says_what_the_text_says)
{
	static const char text[] =
		"system \"s\" {\n"
		"  rule \"AGENTS.md\" sha256 \"00000000000000000000000000000000"
		"000000000000000000000000000000ff\"\n"
		"  resource key : file(home) = \".ssh/id\"\n"
		"  resource v : endpoint(remote) = tcp \"victim\" port 22-23\n"
		"  grant x.read read key from \"AGENTS.md\" 3:34-3:46 \"art\", "
		"5:1-6:2 conditional base hidden \"comment\"\n"
		"  grant x.send connect v observed\n"
		"}\n"
		"setup \"s\" {\n"
		"  agent as root\n"
		"  use standard\n"
		"  baseline write read on dir(workspace) \".\" except \"b\", "
		"control-files, \"a\"\n"
		"  bind key to fixture file { mode 0640 canary 2KiB symlink "
		"home \"k\" hard-link scratch \"h\" }\n"
		"}\n";
	struct program *program cleanup_program = parse(text, strlen(text));
	const struct grant *grant;
	const struct baseline *baseline;
	const struct binding *binding;

	ASSERT_NOT_NULL(program);
	EXPECT_STREQ(program->name, "s");
	EXPECT_TRUE(program->has_system);
	EXPECT_TRUE(program->has_setup);
	EXPECT_STREQ(program->rule, "AGENTS.md");
	EXPECT_TRUE(program->has_digest);
	EXPECT_EQ(program->rule_digest.bytes[31], 0xff);
	EXPECT_EQ(program->rule_digest.bytes[0], 0);
	EXPECT_EQ(program_resource(program, "v"), &program->resources[1]);
	EXPECT_NULL(program_resource(program, "w"));
	EXPECT_EQ(program->resources[1].selector.port_low, 22);
	EXPECT_EQ(program->resources[1].selector.port_high, 23);
	EXPECT_EQ(program->resources[1].selector.protocol, 6);
	EXPECT_EQ(program->resources[1].at.start.line, 4);
	EXPECT_EQ(program->resources[1].at.start.column, 12);

	ASSERT_EQ(program->nr_grants, 2);
	grant = &program->grants[0];
	EXPECT_STREQ(grant->name, "x.read");
	EXPECT_EQ(grant->action, AL_OP_NR_READ);
	EXPECT_EQ(grant->resource, 0);
	ASSERT_EQ(grant->nr_spans, 2);
	EXPECT_EQ(grant->spans[0].where.start.line, 3);
	EXPECT_EQ(grant->spans[0].where.start.column, 34);
	EXPECT_EQ(grant->spans[0].where.end.column, 46);
	EXPECT_STREQ(grant->spans[0].text, "art");
	EXPECT_EQ(grant->spans[1].where.end.line, 6);
	EXPECT_NULL(grant->spans[1].text);
	EXPECT_TRUE(grant->conditional && grant->base && !grant->observed);
	EXPECT_STREQ(grant->hidden, "comment");
	EXPECT_TRUE(program->grants[1].observed);
	EXPECT_EQ(program->grants[1].resource, 1);
	EXPECT_EQ(program->grants[1].nr_spans, 0);

	EXPECT_TRUE(program->agent_root && program->use_standard);
	ASSERT_EQ(program->nr_baselines, 1);
	baseline = &program->baselines[0];
	EXPECT_EQ(baseline->actions, AL_OP_READ | AL_OP_WRITE);
	ASSERT_EQ(baseline->nr_excepts, 3);
	EXPECT_STREQ(baseline->excepts[0].table, "control-files");
	EXPECT_STREQ(baseline->excepts[1].path, "a");
	EXPECT_STREQ(baseline->excepts[2].path, "b");

	ASSERT_EQ(program->nr_bindings, 1);
	binding = &program->bindings[0];
	EXPECT_STREQ(binding->resource, "key");
	EXPECT_EQ(binding->kind, BINDING_FIXTURE_FILE);
	EXPECT_NULL(binding->place.name);
	EXPECT_EQ(binding->canary, 2048);
	EXPECT_EQ(binding->mode, 0640);
	ASSERT_EQ(binding->nr_aliases, 2);
	EXPECT_FALSE(binding->aliases[0].symbolic);
	EXPECT_EQ(binding->aliases[0].origin, ORIGIN_SCRATCH);
	EXPECT_TRUE(binding->aliases[1].symbolic);
	EXPECT_STREQ(binding->aliases[1].path, "k");
}
