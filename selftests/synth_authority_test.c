// SPDX-License-Identifier: GPL-2.0-only
/*
 * Synthesis against its definition: a naive fixed point, written apart, that
 * works on single pairs and paths, and the properties that the definition has.
 */
#include "harness.h"

#include "base/cleanup.h"
#include "bound_support.h"
#include "synth/authority.h"

#define ROUNDS	   400
#define MAX_GRANTS 16

/* ---- the naive fixed point */

struct naive {
	const struct bound *bound;
	bool has[64][AL_NR_OPERATIONS];
	/* The pair came in a way that reaches everything below (a grant). */
	bool wide[64][AL_NR_OPERATIONS];
	bool narrow[64][AL_NR_OPERATIONS];
};

static bool lies_in(const struct bound *bound, uint32_t object, uint32_t tree)
{
	const struct object *o = &bound->objects[object];
	const struct object *t = &bound->objects[tree];

	for (size_t i = 0; i < o->nr_paths; i++)
		for (size_t k = 0; k < t->nr_paths; k++)
			if (t->tree && o != t &&
			    is_below(o->paths[i], t->paths[k]))
				return true;
	return false;
}

static bool naive_own(const struct bound *bound, uint32_t object)
{
	return object == bound->rule_object || object == bound->own_object ||
	       (bound->own_object && lies_in(bound, object, bound->own_object));
}

static bool naive_carved(const struct bound *bound, uint32_t object)
{
	if (bound->objects[object].task)
		return false;
	return bound->objects[object].excepted ||
	       (bound->objects[object].declared && !naive_own(bound, object));
}

/* May what is given to @tree narrowly be given to @object? */
static bool naive_reaches(const struct bound *bound, uint32_t object,
			  uint32_t tree)
{
	if (!lies_in(bound, object, tree))
		return false;
	if (bound->objects[object].task)
		return true;
	if (naive_carved(bound, object))
		return false;
	for (uint32_t d = 1; d < bound->nr_objects; d++)
		if (naive_carved(bound, d) && lies_in(bound, object, d) &&
		    lies_in(bound, d, tree))
			return false;
	return true;
}

static void naive_give(struct naive *naive, uint32_t object,
		       unsigned int action, enum resource_origin origin,
		       bool wide)
{
	bool what[AL_NR_OPERATIONS] = { 0 };

	if (!object)
		return;
	what[action] = true;
	if (action == AL_OP_NR_EXECUTE)
		what[AL_OP_NR_READ] = what[AL_OP_NR_MAP] = true;
	if (action == AL_OP_NR_READ && origin == ORIGIN_HOST)
		what[AL_OP_NR_MAP] = true;
	for (unsigned int i = 0; i < AL_NR_OPERATIONS; i++) {
		if (!what[i])
			continue;
		naive->has[object][i] = true;
		(wide ? naive->wide : naive->narrow)[object][i] = true;
	}
}

static bool naive_step(struct naive *naive)
{
	const struct bound *bound = naive->bound;
	bool new = false;

#define GIVE(set, o, op)                                                       \
	do {                                                                   \
		new |= !naive->set[o][op] || !naive->has[o][op];               \
		naive->set[o][op] = naive->has[o][op] = true;                  \
	} while (0)

	for (uint32_t o = 1; o < bound->nr_objects; o++)
		for (uint32_t t = 1; t < bound->nr_objects; t++)
			for (unsigned int op = 0; op < AL_NR_OPERATIONS; op++) {
				if (naive->wide[t][op] && lies_in(bound, o, t))
					GIVE(wide, o, op);
				if (naive->narrow[t][op] &&
				    naive_reaches(bound, o, t))
					GIVE(narrow, o, op);
			}
	for (size_t i = bound->nr_dependencies; i-- > 0;) {
		const struct dependency *need = &bound->dependencies[i];
		bool due = false;

		for (unsigned int op = 0; op < AL_NR_OPERATIONS; op++)
			due |= naive->has[need->object][op] &&
			       need->when & 1u << op;
		for (unsigned int op = 0; due && op < AL_NR_OPERATIONS; op++)
			if (need->then & 1u << op)
				GIVE(narrow, need->needs, op);
	}
	return new;
}

static void naive_synthesize(struct naive *naive, const struct bound *bound,
			     const bool *with)
{
	const struct program *program = bound->program;

	memset(naive, 0, sizeof(*naive));
	naive->bound = bound;
	for (size_t i = 0; i < program->nr_grants; i++)
		if (with[i])
			naive_give(
				naive,
				bound->resource_objects[program->grants[i]
								.resource],
				program->grants[i].action,
				program->resources[program->grants[i].resource]
					.selector.origin,
				true);
	for (size_t i = 0; i < program->nr_baselines; i++)
		for (unsigned int a = 0; a < AL_NR_OPERATIONS; a++)
			if (program->baselines[i].actions & 1u << a)
				naive_give(
					naive, bound->baseline_objects[i], a,
					program->baselines[i].selector.origin,
					false);
	naive_give(naive, bound->rule_object, AL_OP_NR_READ, ORIGIN_WORKSPACE,
		   false);
	naive_give(naive, bound->own_object, AL_OP_NR_EXECUTE, ORIGIN_WORKSPACE,
		   false);
	naive_give(naive, bound->own_object, AL_OP_NR_LIST, ORIGIN_WORKSPACE,
		   false);
	while (naive_step(naive))
		;
}

static uint32_t naive_mask(const struct naive *naive, uint32_t object)
{
	uint32_t mask = 0;

	for (unsigned int op = 0; op < AL_NR_OPERATIONS; op++)
		mask |= naive->has[object][op] ? 1u << op : 0;
	return mask;
}

static void random_subset(uint64_t *state, size_t nr, bool *with)
{
	for (size_t i = 0; i < nr; i++)
		with[i] = random_below(state, 2);
}

TEST(equals_the_naive_fixed_point)
{
	uint64_t state = random_seed();
	static struct naive naive;
	size_t pairs = 0;

	for (int round = 0; round < ROUNDS; round++) {
		struct authority *authority;
		bool with[MAX_GRANTS];
		struct maker maker;

		make_random(&maker, &state);
		random_subset(&state, maker.program.nr_grants, with);
		authority = authority_synthesize(&maker.bound, with);
		naive_synthesize(&naive, &maker.bound, with);
		ASSERT_EQ(authority->nr, maker.bound.nr_objects);
		for (uint32_t id = 0; id < authority->nr; id++) {
			ASSERT_EQ(authority->allow[id], naive_mask(&naive, id))
			TH_LOG("round %d object %u", round, id);
			pairs += authority->allow[id] != 0;
		}
		authority_free(authority);
		maker_done(&maker);
	}
	/* Else it would have compared nothing with nothing. */
	EXPECT_GT(pairs, ROUNDS);
}

TEST(order_does_not_matter)
{
	uint64_t state = random_seed();

	for (int round = 0; round < ROUNDS; round++) {
		struct authority *before, *after;
		struct maker maker;
		struct program *program = &maker.program;

		make_random(&maker, &state);
		before = authority_synthesize(&maker.bound, NULL);
		for (size_t i = program->nr_grants; i > 1; i--) {
			size_t k = random_below(&state, (uint32_t)i);
			struct grant swap = program->grants[i - 1];

			program->grants[i - 1] = program->grants[k];
			program->grants[k] = swap;
		}
		for (size_t i = maker.bound.nr_dependencies; i > 1; i--) {
			size_t k = random_below(&state, (uint32_t)i);
			struct dependency *all = maker.bound.dependencies;
			struct dependency swap = all[i - 1];

			all[i - 1] = all[k];
			all[k] = swap;
		}
		after = authority_synthesize(&maker.bound, NULL);
		EXPECT_FALSE(memcmp(before->allow, after->allow,
				    before->nr * sizeof(uint32_t)));
		authority_free(before);
		authority_free(after);
		maker_done(&maker);
	}
}

TEST(monotone_and_a_union)
{
	uint64_t state = random_seed();
	size_t strict = 0;

	for (int round = 0; round < ROUNDS; round++) {
		struct authority *less, *more, *one;
		bool small[MAX_GRANTS], large[MAX_GRANTS];
		struct maker maker;
		uint32_t *sum;
		size_t nr;

		make_random(&maker, &state);
		nr = maker.program.nr_grants;
		random_subset(&state, nr, large);
		for (size_t i = 0; i < nr; i++)
			small[i] = large[i] && random_below(&state, 2);
		less = authority_synthesize(&maker.bound, small);
		more = authority_synthesize(&maker.bound, large);
		for (uint32_t id = 0; id < less->nr; id++) {
			EXPECT_EQ(less->allow[id] & ~more->allow[id], 0);
			EXPECT_EQ(less->granted[id], more->granted[id]);
			strict += less->allow[id] != more->allow[id];
		}

		/* A(G) is the union of A({g}). */
		memset(small, 0, sizeof(small));
		one = authority_synthesize(&maker.bound, small);
		sum = one->allow;
		for (size_t i = 0; i < nr; i++) {
			struct authority *single;

			if (!large[i])
				continue;
			small[i] = true;
			single = authority_synthesize(&maker.bound, small);
			small[i] = false;
			for (uint32_t id = 0; id < one->nr; id++)
				sum[id] |= single->allow[id];
			authority_free(single);
		}
		EXPECT_FALSE(memcmp(sum, more->allow, more->nr * sizeof(*sum)));
		authority_free(one);
		authority_free(less);
		authority_free(more);
		maker_done(&maker);
	}
	EXPECT_GT(strict, 0);
}

/* ---- by hand */

TEST(action_means_operations)
{
	struct selector host = { .origin = ORIGIN_HOST };
	struct selector workspace = { .origin = ORIGIN_WORKSPACE };

	EXPECT_EQ(action_operations(AL_OP_NR_READ, &workspace), AL_OP_READ);
	EXPECT_EQ(action_operations(AL_OP_NR_READ, &host),
		  AL_OP_READ | AL_OP_MAP);
	EXPECT_EQ(action_operations(AL_OP_NR_LIST, &host), AL_OP_LIST);
	EXPECT_EQ(action_operations(AL_OP_NR_WRITE, &host), AL_OP_WRITE);
	EXPECT_EQ(action_operations(AL_OP_NR_EXECUTE, &workspace),
		  AL_OP_EXECUTE | AL_OP_READ | AL_OP_MAP);
	EXPECT_EQ(action_operations(AL_OP_NR_GETENV, &workspace), AL_OP_GETENV);
}

/* /w is the workspace, /w/secret declared, /w/docs too, with a file in it. */
struct project {
	struct maker maker;
	uint32_t tree, plain, secret, docs, page, ignored, inner;
	size_t read_secret, read_docs;
};

static void project_init(struct project *project)
{
	struct maker *maker = &project->maker;
	struct bound *bound = &maker->bound;

	maker_init(maker);
	project->tree = make_object(maker, RESOURCE_DIR, "/w", true);
	project->plain = make_object(maker, RESOURCE_FILE, "/w/plain", false);
	project->secret = make_object(maker, RESOURCE_FILE, "/w/secret", false);
	project->docs = make_object(maker, RESOURCE_DIR, "/w/docs", true);
	project->page =
		make_object(maker, RESOURCE_FILE, "/w/docs/page", false);
	project->ignored = make_object(maker, RESOURCE_DIR, "/w/.git", true);
	project->inner =
		make_object(maker, RESOURCE_FILE, "/w/.git/hook", false);
	bound->objects[project->ignored].excepted = true;
	make_within(maker);
	project->read_secret =
		make_grant(maker, "secret", AL_OP_NR_READ,
			   make_resource(maker, "secret", RESOURCE_FILE,
					 ORIGIN_WORKSPACE, project->secret));
	project->read_docs =
		make_grant(maker, "docs", AL_OP_NR_READ,
			   make_resource(maker, "docs", RESOURCE_DIR,
					 ORIGIN_WORKSPACE, project->docs));
	make_baseline(maker, AL_OP_READ | AL_OP_WRITE, RESOURCE_DIR,
		      ORIGIN_WORKSPACE, project->tree);
}

TEST(baseline_stops_at_what_is_declared)
{
	bool with[2] = { false, false };
	struct authority *authority;
	struct project project;

	project_init(&project);
	authority = authority_synthesize(&project.maker.bound, with);
	EXPECT_EQ(authority->allow[project.tree], AL_OP_READ | AL_OP_WRITE);
	EXPECT_EQ(authority->allow[project.plain], AL_OP_READ | AL_OP_WRITE);
	EXPECT_EQ(authority->allow[project.secret], 0);
	EXPECT_EQ(authority->allow[project.docs], 0);
	EXPECT_EQ(authority->allow[project.page], 0);
	EXPECT_EQ(authority->allow[project.ignored], 0);
	EXPECT_EQ(authority->allow[project.inner], 0);
	authority_free(authority);

	/* A grant's tree covers what lies in it. */
	with[project.read_docs] = true;
	authority = authority_synthesize(&project.maker.bound, with);
	EXPECT_EQ(authority->allow[project.docs], AL_OP_READ);
	EXPECT_EQ(authority->allow[project.page], AL_OP_READ);
	EXPECT_EQ(authority->allow[project.secret], 0);
	EXPECT_EQ(authority->granted[project.page], AL_OP_READ);
	EXPECT_EQ(authority->granted[project.secret], AL_OP_READ);
	EXPECT_EQ(authority->granted[project.plain], 0);
	authority_free(authority);
	maker_done(&project.maker);
}

/* The rule's program without its grants has the same carve-out. */
TEST(carve_out_looks_at_declarations_alone)
{
	struct authority *before, *after;
	bool with[2] = { false, false };
	struct project project;

	project_init(&project);
	before = authority_synthesize(&project.maker.bound, with);
	project.maker.program.nr_grants = 0;
	after = authority_synthesize(&project.maker.bound, NULL);
	EXPECT_FALSE(memcmp(before->allow, after->allow,
			    before->nr * sizeof(uint32_t)));
	authority_free(before);
	authority_free(after);

	/* And without the declaration it has not. */
	project.maker.bound.objects[project.secret].declared = false;
	after = authority_synthesize(&project.maker.bound, NULL);
	EXPECT_EQ(after->allow[project.secret], AL_OP_READ | AL_OP_WRITE);
	authority_free(after);
	maker_done(&project.maker);
}

/* The solution must be applied in each branch, whatever the rule names. */
TEST(baseline_reaches_what_the_task_needs)
{
	struct authority *authority;
	struct project project;
	bool with[2] = { 0 };

	project_init(&project);
	project.maker.bound.objects[project.page].task = true;
	authority = authority_synthesize(&project.maker.bound, with);
	EXPECT_EQ(authority->allow[project.page], AL_OP_READ | AL_OP_WRITE);
	EXPECT_EQ(authority->allow[project.docs], 0);
	authority_free(authority);
	maker_done(&project.maker);
}

TEST(what_equals_a_baseline_is_baseline)
{
	struct authority *authority;
	struct project project;
	bool with[4] = { 0 };

	project_init(&project);
	make_grant(&project.maker, "all", AL_OP_NR_READ,
		   make_resource(&project.maker, "all", RESOURCE_DIR,
				 ORIGIN_WORKSPACE, project.tree));
	authority = authority_synthesize(&project.maker.bound, with);
	EXPECT_EQ(authority->allow[project.tree], AL_OP_READ | AL_OP_WRITE);
	EXPECT_EQ(authority->allow[project.plain], AL_OP_READ | AL_OP_WRITE);
	authority_free(authority);
	maker_done(&project.maker);
}

TEST(the_rule_can_always_be_read)
{
	struct authority *authority;
	struct project project;
	bool with[2] = { 0 };

	project_init(&project);
	project.maker.bound.rule_object = project.secret;
	project.maker.bound.objects[project.secret].excepted = true;
	authority = authority_synthesize(&project.maker.bound, with);
	EXPECT_EQ(authority->allow[project.secret], AL_OP_READ);
	authority_free(authority);
	maker_done(&project.maker);
}

/* A fixture tool lies in our own tree and is withheld all the same. */
TEST(fixture_tools_are_not_ours)
{
	struct authority *authority;
	struct binding binding = { .resource = "scp",
				   .kind = BINDING_FIXTURE_TOOL };
	struct maker maker;
	uint32_t own, tool, agent;
	bool with[2] = { 0 };

	maker_init(&maker);
	own = make_object(&maker, RESOURCE_DIR, "/aletheia", true);
	tool = make_object(&maker, RESOURCE_TOOL, "/aletheia/bin/scp", false);
	agent = make_object(&maker, RESOURCE_TOOL, "/aletheia/agent", false);
	make_within(&maker);
	maker.bound.own_object = own;
	make_grant(
		&maker, "scp", AL_OP_NR_EXECUTE,
		make_resource(&maker, "scp", RESOURCE_TOOL, ORIGIN_HOST, tool));
	make_grant(&maker, "agent", AL_OP_NR_EXECUTE,
		   make_resource(&maker, "agent", RESOURCE_TOOL, ORIGIN_HOST,
				 agent));
	maker.program.bindings = &binding;
	maker.program.nr_bindings = 1;
	authority = authority_synthesize(&maker.bound, with);
	EXPECT_EQ(authority->allow[tool], 0);
	EXPECT_EQ(authority->allow[agent],
		  AL_OP_READ | AL_OP_LIST | AL_OP_EXECUTE | AL_OP_MAP);
	authority_free(authority);
	maker_done(&maker);
}

TEST(dependencies_follow_from_the_tool)
{
	struct authority *authority;
	uint32_t tool, library, loader;
	struct maker maker;
	bool with[1] = { true };

	maker_init(&maker);
	tool = make_object(&maker, RESOURCE_TOOL, "/bin/tool", false);
	library = make_object(&maker, RESOURCE_FILE, "/lib/x.so", false);
	loader = make_object(&maker, RESOURCE_FILE, "/lib/ld.so", false);
	make_within(&maker);
	make_grant(&maker, "tool", AL_OP_NR_EXECUTE,
		   make_resource(&maker, "tool", RESOURCE_TOOL, ORIGIN_HOST,
				 tool));
	/* A chain, and the later link first. */
	make_dependency(&maker, library, AL_OP_MAP, loader, AL_OP_READ);
	make_dependency(&maker, tool, AL_OP_EXECUTE, library,
			AL_OP_READ | AL_OP_MAP);
	authority = authority_synthesize(&maker.bound, with);
	EXPECT_EQ(authority->allow[library], AL_OP_READ | AL_OP_MAP);
	EXPECT_EQ(authority->allow[loader], AL_OP_READ);
	EXPECT_EQ(authority->granted[library], 0);
	authority_free(authority);
	with[0] = false;
	authority = authority_synthesize(&maker.bound, with);
	EXPECT_EQ(authority->allow[library], 0);
	EXPECT_EQ(authority->allow[loader], 0);
	authority_free(authority);
	maker_done(&maker);
}

TEST(reduction_lists_what_is_lost)
{
	struct authority *more, *less;
	struct arena *arena = arena_new();
	bool with[2] = { false, true };
	struct removed *removed;
	struct project project;

	project_init(&project);
	more = authority_synthesize(&project.maker.bound, NULL);
	less = authority_synthesize(&project.maker.bound, with);
	ASSERT_EQ(authority_reduction(arena, more, less, &removed), 1);
	EXPECT_EQ(removed[0].object, project.secret);
	EXPECT_EQ(removed[0].operations, AL_OP_READ);
	EXPECT_EQ(authority_reduction(arena, less, more, &removed), 0);
	authority_free(more);
	authority_free(less);
	arena_free(arena);
	maker_done(&project.maker);
}
