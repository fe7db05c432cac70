// SPDX-License-Identifier: GPL-2.0-only
/*
 * The decision core against a naive interpreter, and what must hold of it
 * whatever the query: it is pure, so random queries say a lot.
 */
#include <time.h>

#include "harness.h"
#include "naive.h"

enum { CASES = 300000 };

static uint64_t seed;

static uint32_t random32(void)
{
	/* splitmix64 */
	uint64_t z = seed += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return (z ^ z >> 31) >> 32;
}

static void set_seed(void)
{
	const char *given = getenv("TEST_SEED");

	seed = given ? strtoull(given, NULL, 0) : (uint64_t)time(NULL);
	printf("TEST_SEED=%llu\n", (unsigned long long)seed);
}

/* Sets with few, half and nearly all of the operations. */
static uint32_t random_set(void)
{
	uint32_t set = random32();

	switch (random32() % 4) {
	case 0:
		set &= random32();
		break;
	case 1:
		set |= random32();
		break;
	case 2:
		set = 1u << random32() % AL_NR_OPERATIONS;
		break;
	}
	return set & ((1u << AL_NR_OPERATIONS) - 1);
}

static struct al_query random_query(void)
{
	return (struct al_query){
		.allow = random_set(),
		.granted = random_set(),
		.wanted = random_set(),
		.object = random32() % 3,
		.kind = random32() % (AL_KIND_UNKNOWN + 2),
		.mode = random32() % (AL_MODE_PROBE + 1),
		.moves = random32() % (AL_MOVES_NEVER + 1),
		.from = random_set(),
	};
}

static void show(const struct al_query *query)
{
	TH_LOG("allow %x granted %x wanted %x object %u kind %u mode %u "
	       "moves %u from %x",
	       query->allow, query->granted, query->wanted, query->object,
	       query->kind, query->mode, query->moves, query->from);
}

TEST(as_naive)
{
	set_seed();
	for (int i = 0; i < CASES; i++) {
		struct al_query query = random_query();
		struct al_verdict verdict = al_decide(&query);
		bool setup = query.mode == AL_MODE_SETUP;
		int refusal = setup ? 0 : naive_refusal(&query);

		ASSERT_EQ(refusal, verdict.error) {
			show(&query);
		}
		ASSERT_EQ(refusal && query.mode != AL_MODE_AUDIT,
			  verdict.deny) {
			show(&query);
		}
		for (int op = 0; op < AL_NR_OPERATIONS; op++)
			ASSERT_EQ(!setup && naive_missing(&query, op),
				  naive_in(verdict.missing, op)) {
				show(&query);
			}
	}
}

/* More in the rules never refuses more; nor does less that is wanted. */
TEST(monotone)
{
	set_seed();
	for (int i = 0; i < CASES; i++) {
		struct al_query query = random_query(), more = query;

		/* Into a class that permits more, fewer things may move. */
		if (query.moves) {
			more.from |= random_set();
		} else {
			more.allow |= random_set();
			more.wanted &= random_set();
		}
		ASSERT_EQ(0, al_decide(&more).missing &
				     ~al_decide(&query).missing) {
			show(&query);
			show(&more);
		}
		ASSERT_LE(al_decide(&more).deny, al_decide(&query).deny) {
			show(&query);
			show(&more);
		}
	}
}

/* Whatever happens to it on the way, an object never gains an operation. */
TEST(moves_only_narrow)
{
	set_seed();
	for (int i = 0; i < CASES; i++) {
		uint32_t at = random_set(), first = at;

		for (int step = 0; step < 4; step++) {
			uint32_t to = random_set();

			if (al_may_move(at, to))
				at = to;
		}
		ASSERT_EQ(0, at & ~first & AL_OPS_FILE);
	}
}

TEST(reports_refusals_and_grants)
{
	set_seed();
	for (int i = 0; i < CASES; i++) {
		struct al_query query = random_query();
		struct al_verdict verdict = al_decide(&query);

		if (query.mode == AL_MODE_SETUP)
			ASSERT_EQ(0, verdict.report);
		else
			ASSERT_EQ(verdict.error ||
					  (query.wanted & query.granted),
				  !!verdict.report) {
				show(&query);
			}
	}
}

/* The words are one vocabulary: each operation has one, and they differ. */
TEST(words)
{
#define WORD(name, word, help) word,
	const char *const words[] = { AL_OPERATIONS(WORD) };
#undef WORD

	ASSERT_EQ(AL_NR_OPERATIONS, sizeof(words) / sizeof(*words));
	for (int i = 0; i < AL_NR_OPERATIONS; i++)
		for (int j = 0; j < i; j++)
			EXPECT_STRNE(words[i], words[j]);
	EXPECT_STREQ("read", words[AL_OP_NR_READ]);
	EXPECT_STREQ("kernel", words[AL_OP_NR_KERNEL]);
}
