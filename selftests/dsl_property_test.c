// SPDX-License-Identifier: GPL-2.0-only
/*
 * Laws of the language over generated programs. DSL_SEED=n in the environment
 * tries that seed alone.
 */
#include "harness.h"

#include <sys/random.h>

#include "base/cleanup.h"
#include "dsl/program.h"
#include "dsl_support.h"

#define NR_PROGRAMS 400

/* Fixed ones, so that a failure is everybody's, and one that is always new. */
static uint64_t seed_of(unsigned int i)
{
	const char *given = getenv("DSL_SEED");
	uint64_t seed = i + 1;

	if (given)
		return strtoull(given, NULL, 0);
	if (i + 1 == NR_PROGRAMS &&
	    getrandom(&seed, sizeof(seed), 0) != sizeof(seed))
		seed = 0;
	return seed;
}

static void log_text(const struct buffer *text)
{
	printf("---\n%s---\n", buffer_text(text));
}

static struct program *parse(const struct buffer *text, uint64_t seed)
{
	struct error *err cleanup_error = NULL;
	struct program *program = NULL;

	if (!program_parse("text", buffer_text(text), text->length, &program,
			   &err))
		return program;
	TH_LOG("seed %llu: %u:%u: %s", (unsigned long long)seed,
	       err->at.start.line, err->at.start.column, err->message);
	log_text(text);
	return NULL;
}

/* Parse a text and hold it against the program that it was made from. */
static bool is_text_of(const struct buffer *text, const struct program *program,
		       const struct buffer *canonical, uint64_t seed)
{
	struct program *parsed cleanup_program = parse(text, seed);
	struct buffer printed cleanup_buffer = { 0 };
	const char *difference;

	if (!parsed)
		return false;
	difference = dsl_difference(program, parsed);
	if (difference) {
		TH_LOG("seed %llu: %s differs", (unsigned long long)seed,
		       difference);
		log_text(text);
		return false;
	}
	program_print(parsed, &printed);
	if (strcmp(buffer_text(&printed), buffer_text(canonical))) {
		TH_LOG("seed %llu: printed differently",
		       (unsigned long long)seed);
		log_text(&printed);
		log_text(canonical);
		return false;
	}
	return true;
}

TEST(print_then_parse_is_the_same_program)
{
	unsigned int i;

	for (i = 0; i < NR_PROGRAMS; i++) {
		struct random random = { seed_of(i) };
		uint64_t seed = random.state;
		struct program *program cleanup_program =
			dsl_generate(&random, 1 + i % 20);
		struct buffer canonical cleanup_buffer = { 0 };

		program_print(program, &canonical);
		ASSERT_TRUE(is_text_of(&canonical, program, &canonical, seed));
	}
}

TEST(print_is_unique_whatever_the_source_looks_like)
{
	unsigned int i, k, nr_different = 0;

	for (i = 0; i < NR_PROGRAMS; i++) {
		struct random random = { seed_of(i) };
		uint64_t seed = random.state;
		struct program *program cleanup_program =
			dsl_generate(&random, 1 + i % 20);
		struct buffer canonical cleanup_buffer = { 0 };

		program_print(program, &canonical);
		for (k = 0; k < 5; k++) {
			struct buffer text cleanup_buffer = { 0 };

			dsl_scribble(program, &random, &text);
			nr_different += !!strcmp(buffer_text(&text),
						 buffer_text(&canonical));
			ASSERT_TRUE(
				is_text_of(&text, program, &canonical, seed));
		}
	}
	/* The sources must not all have been canonical. */
	EXPECT_GT(nr_different, NR_PROGRAMS);
}

static size_t count_comments(const struct buffer *text)
{
	bool quoted = false, comment = false;
	size_t i, nr = 0;

	for (i = 0; i < text->length; i++) {
		char c = text->data[i];

		if (comment) {
			comment = c != '\n';
		} else if (quoted) {
			i += c == '\\';
			quoted = c != '"';
		} else if (c == '"') {
			quoted = true;
		} else if (c == '#') {
			comment = true;
			nr++;
		}
	}
	return nr;
}

TEST(format_keeps_all_comments_and_is_idempotent)
{
	unsigned int i;
	size_t all = 0;

	for (i = 0; i < NR_PROGRAMS; i++) {
		struct random random = { seed_of(i) };
		uint64_t seed = random.state;
		struct program *program cleanup_program =
			dsl_generate(&random, 1 + i % 20);
		struct program *parsed cleanup_program = NULL;
		struct program *again cleanup_program = NULL;
		struct buffer canonical cleanup_buffer = { 0 };
		struct buffer text cleanup_buffer = { 0 };
		struct buffer formatted cleanup_buffer = { 0 };
		struct buffer twice cleanup_buffer = { 0 };

		program_print(program, &canonical);
		dsl_scribble(program, &random, &text);
		parsed = parse(&text, seed);
		ASSERT_NE(parsed, NULL);
		program_format(parsed, &formatted);
		EXPECT_EQ(count_comments(&text), count_comments(&formatted));
		all += count_comments(&text);
		ASSERT_TRUE(is_text_of(&formatted, program, &canonical, seed));
		again = parse(&formatted, seed);
		ASSERT_NE(again, NULL);
		program_format(again, &twice);
		if (strcmp(buffer_text(&formatted), buffer_text(&twice)))
			log_text(&formatted);
		ASSERT_STREQ(buffer_text(&formatted), buffer_text(&twice));
	}
	EXPECT_TRUE(all > NR_PROGRAMS || getenv("DSL_SEED"));
}

/* Splitting a program into its blocks and merging them is no change. */
TEST(merge_of_the_blocks_is_the_whole)
{
	unsigned int i, nr = 0;

	for (i = 0; i < NR_PROGRAMS; i++) {
		struct random random = { seed_of(i) };
		uint64_t seed = random.state;
		struct program *program cleanup_program =
			dsl_generate(&random, 1 + i % 20);
		struct program *part_a cleanup_program = NULL;
		struct program *part_b cleanup_program = NULL;
		struct program *merged cleanup_program = NULL;
		struct error *err cleanup_error = NULL;
		struct buffer whole cleanup_buffer = { 0 };
		struct buffer a cleanup_buffer = { 0 };
		struct buffer b cleanup_buffer = { 0 };
		struct buffer printed cleanup_buffer = { 0 };
		const struct program *parts[2];
		const char *setup;

		program_print(program, &whole);
		setup = strstr(buffer_text(&whole), "\n\nsetup \"");
		if (!program->has_system || !setup)
			continue;
		nr++;
		buffer_add(&a, whole.data, (size_t)(setup + 1 - whole.data));
		buffer_adds(&b, setup + 2);
		part_a = parse(&a, seed);
		part_b = parse(&b, seed);
		ASSERT_TRUE(part_a && part_b);
		parts[i & 1] = part_a;
		parts[!(i & 1)] = part_b;
		if (program_merge(parts, 2, &merged, &err)) {
			TH_LOG("seed %llu: %s", (unsigned long long)seed,
			       err->message);
			ASSERT_TRUE(false);
		}
		EXPECT_EQ(dsl_difference(program, merged), NULL);
		program_print(merged, &printed);
		EXPECT_STREQ(buffer_text(&printed), buffer_text(&whole));
	}
	EXPECT_TRUE(nr > NR_PROGRAMS / 10 || getenv("DSL_SEED"));
}

/* A program with one thing changed is not printed as the original. */
TEST(print_tells_programs_apart)
{
	unsigned int i, nr = 0;

	for (i = 0; i < NR_PROGRAMS; i++) {
		struct random random = { seed_of(i) };
		struct program *program cleanup_program =
			dsl_generate(&random, 1 + i % 20);
		struct buffer before cleanup_buffer = { 0 };
		struct buffer after cleanup_buffer = { 0 };
		struct grant *grant;

		if (!program->nr_grants)
			continue;
		nr++;
		program_print(program, &before);
		grant = &program->grants[random_below(
			&random, (unsigned int)program->nr_grants)];
		if (random_chance(&random, 2))
			grant->base = !grant->base;
		else
			grant->hidden = grant->hidden ? NULL : "x";
		program_print(program, &after);
		EXPECT_STRNE(buffer_text(&before), buffer_text(&after));
	}
	EXPECT_TRUE(nr > NR_PROGRAMS / 10 || getenv("DSL_SEED"));
}
