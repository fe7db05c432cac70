// SPDX-License-Identifier: GPL-2.0-only
/*
 * The schedule of deletions: what each single one does, and the groups.
 */
#include "harness.h"

#include "base/cleanup.h"
#include "bound_support.h"
#include "synth/authority.h"

#define ROUNDS	   400
#define MAX_GRANTS 16

static struct authority *synthesize_without(const struct bound *bound,
					    const size_t *grants, size_t nr)
{
	bool with[MAX_GRANTS];

	memset(with, true, sizeof(with));
	for (size_t i = 0; i < nr; i++)
		with[grants[i]] = false;
	return authority_synthesize(bound, with);
}

static struct authority *synthesize_with(const struct bound *bound,
					 const size_t *grants, size_t nr)
{
	bool with[MAX_GRANTS] = { 0 };

	for (size_t i = 0; i < nr; i++)
		with[grants[i]] = true;
	return authority_synthesize(bound, with);
}

static bool same(const struct authority *a, const struct authority *b)
{
	return !memcmp(a->allow, b->allow, a->nr * sizeof(*a->allow));
}

static bool covers(const struct authority *a, const struct authority *b)
{
	for (uint32_t id = 0; id < a->nr; id++)
		if (b->allow[id] & ~a->allow[id])
			return false;
	return true;
}

static bool is_in(size_t grant, const size_t *grants, size_t nr)
{
	while (nr--)
		if (grants[nr] == grant)
			return true;
	return false;
}

/* Do exactly the pairs of @grant stay if @grants alone remain? */
static bool still_covered(const struct bound *bound, size_t grant,
			  const size_t *grants, size_t nr)
{
	struct authority *one = synthesize_with(bound, &grant, 1);
	struct authority *rest = synthesize_with(bound, grants, nr);
	bool covered = covers(rest, one);

	authority_free(one);
	authority_free(rest);
	return covered;
}

/*
 * The smallest deletion with a grant in it that takes what it asks for away,
 * by trying all sets.
 */
static size_t smallest_by_search(const struct bound *bound, size_t grant,
				 uint32_t *ret_set)
{
	const struct program *program = bound->program;
	const struct grant *asked = &program->grants[grant];
	uint32_t object = bound->resource_objects[asked->resource];
	size_t best = SIZE_MAX;

	for (uint32_t set = 0; set < 1u << program->nr_grants; set++) {
		size_t members[MAX_GRANTS], nr = 0;
		struct authority *less;

		for (size_t i = 0; i < program->nr_grants; i++)
			if (set & 1u << i)
				members[nr++] = i;
		if (!(set & 1u << grant) || nr >= best)
			continue;
		less = synthesize_without(bound, members, nr);
		if (!(less->allow[object] & 1u << asked->action)) {
			best = nr;
			*ret_set = set;
		}
		authority_free(less);
	}
	return best;
}

static void check_group(const struct bound *bound,
			const struct deletion *deletions, size_t single)
{
	const struct deletion *group = &deletions[deletions[single].group];
	uint32_t set = 0, found = 0;
	size_t nr;

	EXPECT_TRUE(group->effective);
	EXPECT_TRUE(is_in(single, group->grants, group->nr_grants));
	nr = smallest_by_search(bound, single, &found);
	if (nr == SIZE_MAX) /* the baseline gives what is asked for */
		return;
	EXPECT_EQ(group->nr_grants, nr);
	for (size_t i = 0; i < group->nr_grants; i++)
		set |= 1u << group->grants[i];
	EXPECT_EQ(set, found);
}

static void check_cover(const struct bound *bound,
			const struct deletion *deletion, size_t single)
{
	size_t without[MAX_GRANTS];

	EXPECT_FALSE(
		is_in(single, deletion->covered_by, deletion->nr_covered_by));
	EXPECT_TRUE(still_covered(bound, single, deletion->covered_by,
				  deletion->nr_covered_by));
	/* None of them can be left out. */
	for (size_t i = 0; i < deletion->nr_covered_by; i++) {
		size_t nr = 0;

		for (size_t k = 0; k < deletion->nr_covered_by; k++)
			if (k != i)
				without[nr++] = deletion->covered_by[k];
		EXPECT_FALSE(still_covered(bound, single, without, nr));
	}
}

TEST_TIMEOUT(plans_of_random_programs, 60)
{
	uint64_t state = random_seed();
	size_t ineffective = 0, groups = 0;

	for (int round = 0; round < ROUNDS; round++) {
		struct arena *arena = arena_new();
		struct deletion *deletions;
		struct authority *full;
		struct maker maker;
		size_t nr, nr_grants;

		make_random(&maker, &state);
		nr_grants = maker.program.nr_grants;
		full = authority_synthesize(&maker.bound, NULL);
		nr = deletions_plan(arena, &maker.bound, &deletions);
		ASSERT_GE(nr, nr_grants);
		for (size_t i = 0; i < nr; i++) {
			struct authority *less = synthesize_without(
				&maker.bound, deletions[i].grants,
				deletions[i].nr_grants);

			EXPECT_EQ(deletions[i].effective, !same(full, less))
			TH_LOG("round %d deletion %zu", round, i);
			authority_free(less);
			if (i >= nr_grants) {
				EXPECT_GE(deletions[i].nr_grants, 2);
				groups++;
				continue;
			}
			ASSERT_EQ(deletions[i].nr_grants, 1);
			ASSERT_EQ(deletions[i].grants[0], i);
			if (deletions[i].effective) {
				EXPECT_EQ(deletions[i].group, -1);
				continue;
			}
			ineffective++;
			check_cover(&maker.bound, &deletions[i], i);
			if (deletions[i].group >= 0)
				check_group(&maker.bound, deletions, i);
			else
				EXPECT_EQ(deletions[i].nr_covered_by, 0);
		}
		for (size_t i = nr_grants; i < nr; i++)
			for (size_t k = nr_grants; k < i; k++)
				EXPECT_TRUE(deletions[i].nr_grants !=
						    deletions[k].nr_grants ||
					    memcmp(deletions[i].grants,
						   deletions[k].grants,
						   deletions[i].nr_grants *
							   sizeof(size_t)));
		authority_free(full);
		arena_free(arena);
		maker_done(&maker);
	}
	/* Else nothing of this was tested. */
	EXPECT_GT(ineffective, 50);
	EXPECT_GT(groups, 20);
}

TEST(file_in_a_granted_directory)
{
	struct arena *arena = arena_new();
	struct deletion *deletions;
	struct maker maker;
	uint32_t docs, page;

	maker_init(&maker);
	docs = make_object(&maker, RESOURCE_DIR, "/w/docs", true);
	page = make_object(&maker, RESOURCE_FILE, "/w/docs/page", false);
	make_within(&maker);
	make_grant(&maker, "page", AL_OP_NR_READ,
		   make_resource(&maker, "page", RESOURCE_FILE,
				 ORIGIN_WORKSPACE, page));
	make_grant(&maker, "docs", AL_OP_NR_READ,
		   make_resource(&maker, "docs", RESOURCE_DIR, ORIGIN_WORKSPACE,
				 docs));
	ASSERT_EQ(deletions_plan(arena, &maker.bound, &deletions), 3);
	EXPECT_FALSE(deletions[0].effective);
	ASSERT_EQ(deletions[0].nr_covered_by, 1);
	EXPECT_EQ(deletions[0].covered_by[0], 1);
	EXPECT_EQ(deletions[0].group, 2);
	EXPECT_TRUE(deletions[1].effective);
	EXPECT_TRUE(deletions[2].effective);
	ASSERT_EQ(deletions[2].nr_grants, 2);
	arena_free(arena);
	maker_done(&maker);
}

/* One object under two names: neither deletion does anything alone. */
TEST(asking_twice_hides_nothing)
{
	struct arena *arena = arena_new();
	struct deletion *deletions;
	struct maker maker;
	uint32_t key;

	maker_init(&maker);
	key = make_object(&maker, RESOURCE_FILE, "/home/agent/.ssh/id", false);
	make_within(&maker);
	make_grant(
		&maker, "key", AL_OP_NR_READ,
		make_resource(&maker, "key", RESOURCE_FILE, ORIGIN_HOME, key));
	make_grant(
		&maker, "link", AL_OP_NR_READ,
		make_resource(&maker, "link", RESOURCE_FILE, ORIGIN_HOME, key));
	ASSERT_EQ(deletions_plan(arena, &maker.bound, &deletions), 3);
	EXPECT_FALSE(deletions[0].effective);
	EXPECT_FALSE(deletions[1].effective);
	EXPECT_EQ(deletions[0].covered_by[0], 1);
	EXPECT_EQ(deletions[1].covered_by[0], 0);
	EXPECT_EQ(deletions[0].group, 2);
	EXPECT_EQ(deletions[1].group, 2);
	EXPECT_TRUE(deletions[2].effective);
	arena_free(arena);
	maker_done(&maker);
}

/*
 * What a tool needs stops at what is declared: only the tool and the file
 * together cover the directory. The other grants have no part in it.
 */
TEST(several_grants_cover_together)
{
	struct arena *arena = arena_new();
	struct deletion *deletions;
	struct maker maker;
	uint32_t lib, file, tool, other;

	maker_init(&maker);
	lib = make_object(&maker, RESOURCE_DIR, "/lib", true);
	file = make_object(&maker, RESOURCE_FILE, "/lib/file", false);
	tool = make_object(&maker, RESOURCE_TOOL, "/bin/tool", false);
	other = make_object(&maker, RESOURCE_FILE, "/other", false);
	make_within(&maker);
	make_dependency(&maker, tool, AL_OP_EXECUTE, lib, AL_OP_READ);
	make_grant(&maker, "other", AL_OP_NR_READ,
		   make_resource(&maker, "other", RESOURCE_FILE,
				 ORIGIN_WORKSPACE, other));
	make_grant(&maker, "file", AL_OP_NR_READ,
		   make_resource(&maker, "file", RESOURCE_FILE,
				 ORIGIN_WORKSPACE, file));
	make_grant(&maker, "lib", AL_OP_NR_READ,
		   make_resource(&maker, "lib", RESOURCE_DIR, ORIGIN_WORKSPACE,
				 lib));
	make_grant(&maker, "tool", AL_OP_NR_EXECUTE,
		   make_resource(&maker, "tool", RESOURCE_TOOL, ORIGIN_HOST,
				 tool));
	make_grant(&maker, "write", AL_OP_NR_WRITE, 0);
	deletions_plan(arena, &maker.bound, &deletions);
	EXPECT_FALSE(deletions[2].effective);
	ASSERT_EQ(deletions[2].nr_covered_by, 2);
	EXPECT_EQ(deletions[2].covered_by[0], 1);
	EXPECT_EQ(deletions[2].covered_by[1], 3);
	/* The directory itself goes with lib and tool. */
	ASSERT_GE(deletions[2].group, 0);
	ASSERT_EQ(deletions[deletions[2].group].nr_grants, 2);
	EXPECT_EQ(deletions[deletions[2].group].grants[0], 2);
	EXPECT_EQ(deletions[deletions[2].group].grants[1], 3);
	arena_free(arena);
	maker_done(&maker);
}

TEST(baseline_covers)
{
	struct arena *arena = arena_new();
	struct deletion *deletions;
	struct maker maker;
	uint32_t tool;

	maker_init(&maker);
	tool = make_object(&maker, RESOURCE_TOOL, "/usr/bin/python3", false);
	make_within(&maker);
	make_baseline(&maker, AL_OP_EXECUTE, RESOURCE_TOOL, ORIGIN_HOST, tool);
	make_grant(&maker, "python", AL_OP_NR_EXECUTE,
		   make_resource(&maker, "python", RESOURCE_TOOL, ORIGIN_HOST,
				 tool));
	ASSERT_EQ(deletions_plan(arena, &maker.bound, &deletions), 1);
	EXPECT_FALSE(deletions[0].effective);
	EXPECT_EQ(deletions[0].nr_covered_by, 0);
	EXPECT_EQ(deletions[0].group, -1);
	arena_free(arena);
	maker_done(&maker);
}

TEST(nothing_to_delete)
{
	struct arena *arena = arena_new();
	struct deletion *deletions;
	struct maker maker;

	maker_init(&maker);
	EXPECT_EQ(deletions_plan(arena, &maker.bound, &deletions), 0);
	arena_free(arena);
	maker_done(&maker);
}
