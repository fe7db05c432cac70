// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is loaded into the guard means what was synthesized. The guard is played
 * by a few lines that look up labels and slots as it does; what it should
 * answer comes from paths and authority alone.
 */
#include "harness.h"

#include "base/cleanup.h"
#include "bound_support.h"
#include "policy/policy.h"

#define ROUNDS	   400
#define MAX_GRANTS 16

/* ---- the guard, played */

static const struct policy_label *label_of(const struct layout *layout,
					   const char *path)
{
	for (size_t i = 0; i < layout->nr_labels; i++)
		if (!strcmp(layout->labels[i].path, path))
			return &layout->labels[i];
	return NULL;
}

static const struct policy_slot *slot_of(const struct layout *layout,
					 uint32_t parent, const char *name)
{
	for (size_t i = 0; i < layout->nr_slots; i++)
		if (layout->slots[i].parent == parent &&
		    !strcmp(layout->slots[i].name, name))
			return &layout->slots[i];
	return NULL;
}

/* The class of a path whose own inode has no label, by the walk upwards. */
static uint32_t walk(const struct layout *layout, const char *path)
{
	char directory[64];

	snprintf(directory, sizeof(directory), "%s", path);
	for (bool first = true;; first = false) {
		char *slash = strrchr(directory, '/'), name[64];
		const struct policy_label *label;
		const struct policy_slot *slot;

		if (!slash || !directory[1])
			return 0;
		snprintf(name, sizeof(name), "%s", slash + 1);
		slash[slash == directory] = '\0';
		label = label_of(layout, directory);
		if (label && label->flags & AL_LABEL_SLOTTED) {
			slot = slot_of(layout, label->object, name);
			if (slot && (first || slot->flags & AL_LABEL_TREE))
				return slot->object;
		}
		if (label && label->flags & AL_LABEL_TREE)
			return label->object;
	}
}

static uint32_t class_of(const struct layout *layout, const char *path)
{
	const struct policy_label *label = label_of(layout, path);

	return label && !label->optional ? label->object : walk(layout, path);
}

/* ---- what it should answer */

static uint32_t bound_at(const struct bound *bound, const char *path)
{
	for (uint32_t id = 1; id < bound->nr_objects; id++)
		for (size_t i = 0; i < bound->objects[id].nr_paths; i++)
			if (!strcmp(bound->objects[id].paths[i], path))
				return id;
	return 0;
}

static uint32_t nearest_tree(const struct bound *bound, const char *path)
{
	uint32_t best = 0;
	size_t length = 0;

	for (uint32_t id = 1; id < bound->nr_objects; id++)
		for (size_t i = 0; i < bound->objects[id].nr_paths; i++) {
			const char *at = bound->objects[id].paths[i];

			if (bound->objects[id].tree && is_below(path, at) &&
			    strlen(at) > length) {
				best = id;
				length = strlen(at);
			}
		}
	return best;
}

/* Authority on a path, with what lies bound below it protected from moves. */
static uint32_t should_allow(const struct bound *bound,
			     const struct authority *authority,
			     const char *path)
{
	uint32_t id = bound_at(bound, path), allow;

	if (id)
		return authority->allow[id];
	id = nearest_tree(bound, path);
	if (!id)
		return 0;
	allow = authority->allow[id];
	for (uint32_t o = 1; o < bound->nr_objects; o++)
		for (size_t i = 0; i < bound->objects[o].nr_paths; i++)
			if (is_below(bound->objects[o].paths[i], path) &&
			    !(authority->allow[o] & AL_OP_DELETE))
				allow &= ~AL_OP_DELETE;
	return allow;
}

static void random_path(uint64_t *state, char path[64])
{
	uint32_t depth = 1 + random_below(state, 5);
	size_t length = 0;

	while (depth--)
		length += (size_t)sprintf(path + length, "/%c",
					  'a' + (int)random_below(state, 4));
}

/* Directories are protected only where something may be deleted. */
static void make_deletable(struct maker *maker)
{
	for (uint32_t id = 1; id < maker->bound.nr_objects; id++)
		if (maker->bound.objects[id].tree)
			make_baseline(maker, AL_OP_READ | AL_OP_DELETE,
				      RESOURCE_DIR, ORIGIN_WORKSPACE, id);
}

static void make_some_absent(struct maker *maker, uint64_t *state)
{
	for (uint32_t id = 1; id < maker->bound.nr_objects; id++) {
		struct object *object = &maker->bound.objects[id];

		if (object->nr_paths && !object->tree)
			object->absent = !random_below(state, 3);
	}
}

TEST_TIMEOUT(means_what_was_synthesized, 60)
{
	uint64_t state = random_seed();
	size_t allowed = 0, protected = 0, appeared = 0;

	for (int round = 0; round < ROUNDS; round++) {
		struct error *err cleanup_error = NULL;
		struct authority *authority;
		bool with[MAX_GRANTS];
		struct layout *layout;
		struct al_rule *rules;
		struct maker maker;
		int r;

		make_random(&maker, &state);
		make_some_absent(&maker, &state);
		if (round % 2)
			make_deletable(&maker);
		for (size_t i = 0; i < maker.program.nr_grants; i++)
			with[i] = random_below(&state, 2);
		r = layout_compile(&maker.bound, &layout, &err);
		ASSERT_EQ(r, 0)
		TH_LOG("%s", err->message);
		authority = authority_synthesize(&maker.bound, with);
		rules = rules_compile(&maker.bound, layout, authority);
		for (int i = 0; i < 60; i++) {
			uint32_t id, should;
			char path[64];

			random_path(&state, path);
			id = class_of(layout, path);
			should = should_allow(&maker.bound, authority, path);
			EXPECT_EQ(rules[id].allow, should)
			TH_LOG("round %d path %s", round, path);
			allowed += should != 0;
			appeared += bound_at(&maker.bound, path) &&
				    !label_of(layout, path);
			protected +=
				id >= maker.bound.nr_objects &&
				authority->allow[layout->parents[id]] != should;
		}
		/* Bound objects are exactly what was synthesized. */
		for (uint32_t id = 0; id < maker.bound.nr_objects; id++) {
			EXPECT_EQ(rules[id].allow, authority->allow[id]);
			EXPECT_EQ(rules[id].granted, authority->granted[id]);
		}
		free(rules);
		authority_free(authority);
		layout_free(layout);
		maker_done(&maker);
	}
	/* All three kinds of answers were really seen. */
	EXPECT_GT(allowed, 1000);
	EXPECT_GT(appeared, 50);
	EXPECT_GT(protected, 10);
}

TEST(fewer_grants_never_permit_more)
{
	uint64_t state = random_seed();
	size_t strict = 0;

	for (int round = 0; round < ROUNDS; round++) {
		bool small[MAX_GRANTS], large[MAX_GRANTS];
		struct authority *less, *more;
		struct al_rule *few, *many;
		struct layout *layout;
		struct maker maker;

		make_random(&maker, &state);
		for (size_t i = 0; i < maker.program.nr_grants; i++) {
			large[i] = random_below(&state, 4);
			small[i] = large[i] && random_below(&state, 2);
		}
		ASSERT_EQ(layout_compile(&maker.bound, &layout, NULL), 0);
		less = authority_synthesize(&maker.bound, small);
		more = authority_synthesize(&maker.bound, large);
		few = rules_compile(&maker.bound, layout, less);
		many = rules_compile(&maker.bound, layout, more);
		for (size_t i = 0; i < layout->nr_objects; i++) {
			EXPECT_EQ(few[i].allow & ~many[i].allow, 0);
			EXPECT_EQ(few[i].granted, many[i].granted);
			strict += few[i].allow != many[i].allow;
		}
		free(few);
		free(many);
		authority_free(less);
		authority_free(more);
		layout_free(layout);
		maker_done(&maker);
	}
	EXPECT_GT(strict, 0);
}

/* What appears in a slot is labelled as what a label says there would be. */
TEST(slots_agree_with_labels)
{
	uint64_t state = random_seed();
	size_t checked = 0;

	for (int round = 0; round < ROUNDS; round++) {
		struct layout *layout;
		struct maker maker;

		make_random(&maker, &state);
		make_some_absent(&maker, &state);
		ASSERT_EQ(layout_compile(&maker.bound, &layout, NULL), 0);
		for (size_t i = 0; i < layout->nr_labels; i++) {
			const struct policy_label *label = &layout->labels[i];
			const struct policy_label *parent;
			const struct policy_slot *slot;
			char directory[64];
			char *slash;

			snprintf(directory, sizeof(directory), "%s",
				 label->path);
			slash = strrchr(directory, '/');
			slash[slash == directory] = '\0';
			parent = label_of(layout, directory);
			/* Without a tree above, nothing may appear there. */
			if (!parent || !label->path[1] ||
			    (label->object >= maker.bound.nr_objects &&
			     !layout->parents[label->object]))
				continue;
			ASSERT_TRUE(parent->flags & AL_LABEL_SLOTTED);
			slot = slot_of(layout, parent->object,
				       strrchr(label->path, '/') + 1);
			ASSERT_NOT_NULL(slot);
			EXPECT_EQ(slot->object, label->object);
			EXPECT_EQ(slot->flags, label->flags);
			checked++;
		}
		layout_free(layout);
		maker_done(&maker);
	}
	EXPECT_GT(checked, ROUNDS);
}

/* ---- by hand */

struct home {
	struct maker maker;
	uint32_t tree, key, absent;
	struct layout *layout;
};

static void home_init(struct home *home)
{
	struct maker *maker = &home->maker;

	maker_init(maker);
	home->tree = make_object(maker, RESOURCE_DIR, "/h", true);
	home->key = make_object(maker, RESOURCE_FILE, "/h/.ssh/key", false);
	make_alias(maker, home->key, "/h/link");
	home->absent =
		make_object(maker, RESOURCE_FILE, "/h/.config/x/rc", false);
	maker->bound.objects[home->absent].absent = true;
	make_object(maker, RESOURCE_ENDPOINT, "tcp host 22", false);
	make_within(maker);
	make_baseline(maker, AL_OP_READ | AL_OP_WRITE | AL_OP_DELETE,
		      RESOURCE_DIR, ORIGIN_HOME, home->tree);
	make_grant(maker, "key", AL_OP_NR_READ,
		   make_resource(maker, "key", RESOURCE_FILE, ORIGIN_HOME,
				 home->key));
	ASSERT_EQ(layout_compile(&maker->bound, &home->layout, NULL), 0);
}

static void home_done(struct home *home)
{
	layout_free(home->layout);
	maker_done(&home->maker);
}

TEST(directories_become_objects)
{
	const struct policy_label *label;
	const struct policy_slot *slot;
	struct home home;

	home_init(&home);
	/* .ssh, .config, .config/x and the directory that /h lies in. */
	EXPECT_EQ(home.layout->nr_objects, 5 + 4);

	label = label_of(home.layout, "/h");
	ASSERT_NOT_NULL(label);
	EXPECT_EQ(label->object, home.tree);
	EXPECT_EQ(label->flags, AL_LABEL_TREE | AL_LABEL_SLOTTED);

	label = label_of(home.layout, "/h/.ssh");
	ASSERT_NOT_NULL(label);
	EXPECT_EQ(label->flags, AL_LABEL_SLOTTED);
	EXPECT_FALSE(label->optional);
	EXPECT_EQ(home.layout->parents[label->object], home.tree);
	EXPECT_STREQ(home.layout->names[label->object], "/h/.ssh");
	slot = slot_of(home.layout, home.tree, ".ssh");
	ASSERT_NOT_NULL(slot);
	EXPECT_EQ(slot->object, label->object);
	slot = slot_of(home.layout, label->object, "key");
	ASSERT_NOT_NULL(slot);
	EXPECT_EQ(slot->object, home.key);
	slot = slot_of(home.layout, home.tree, "link");
	ASSERT_NOT_NULL(slot);
	EXPECT_EQ(slot->object, home.key);
	home_done(&home);
}

TEST(absent_objects_have_names_only)
{
	const struct policy_label *label;
	struct home home;

	home_init(&home);
	EXPECT_NULL(label_of(home.layout, "/h/.config/x/rc"));
	label = label_of(home.layout, "/h/.config/x");
	ASSERT_NOT_NULL(label);
	EXPECT_TRUE(label->optional);
	ASSERT_NOT_NULL(slot_of(home.layout, label->object, "rc"));
	EXPECT_EQ(slot_of(home.layout, label->object, "rc")->object,
		  home.absent);
	home_done(&home);
}

TEST(directories_above_what_must_stay_stay)
{
	struct authority *authority;
	struct al_rule *rules;
	struct home home;
	uint32_t ssh, config;

	home_init(&home);
	ssh = label_of(home.layout, "/h/.ssh")->object;
	config = label_of(home.layout, "/h/.config/x")->object;
	authority = authority_synthesize(&home.maker.bound, NULL);
	rules = rules_compile(&home.maker.bound, home.layout, authority);
	EXPECT_EQ(rules[home.key].allow, AL_OP_READ);
	EXPECT_EQ(rules[ssh].allow, AL_OP_READ | AL_OP_WRITE);
	EXPECT_EQ(rules[config].allow, AL_OP_READ | AL_OP_WRITE | AL_OP_DELETE);
	EXPECT_EQ(rules[AL_OBJECT_NONE].allow, 0);
	free(rules);
	authority_free(authority);
	home_done(&home);
}

TEST(endpoints_have_their_keys)
{
	struct al_endpoint_key keys[2] = {
		{ .port = 22, .protocol = AL_PROTOCOL_TCP },
		{ .port = 22, .protocol = AL_PROTOCOL_UDP },
	};
	struct layout *layout;
	struct maker maker;
	uint32_t host;

	maker_init(&maker);
	host = make_object(&maker, RESOURCE_ENDPOINT, "tcp host 22", false);
	maker.bound.objects[host].keys = keys;
	maker.bound.objects[host].nr_keys = 2;
	ASSERT_EQ(layout_compile(&maker.bound, &layout, NULL), 0);
	ASSERT_EQ(layout->nr_endpoints, 2);
	EXPECT_EQ(layout->endpoints[1].object, host);
	EXPECT_EQ(layout->endpoints[1].key.protocol, AL_PROTOCOL_UDP);
	EXPECT_EQ(layout->nr_labels, 0);
	layout_free(layout);
	maker_done(&maker);
}

TEST(names_too_long_are_refused)
{
	struct error *err cleanup_error = NULL;
	char path[AL_NAME_SIZE + 8] = "/h/";
	struct layout *layout;
	struct maker maker;

	memset(path + 3, 'x', AL_NAME_SIZE - 1);
	maker_init(&maker);
	make_object(&maker, RESOURCE_DIR, "/h", true);
	make_object(&maker, RESOURCE_FILE, path, false);
	make_within(&maker);
	ASSERT_EQ(layout_compile(&maker.bound, &layout, &err), 0);
	layout_free(layout);
	path[AL_NAME_SIZE + 2] = 'x';
	make_object(&maker, RESOURCE_FILE, path, false);
	EXPECT_EQ(layout_compile(&maker.bound, &layout, &err), -ENAMETOOLONG);
	EXPECT_EQ(error_kind_of(err), ERROR_CONFIG);
	maker_done(&maker);
}

TEST(two_objects_on_one_path_are_refused)
{
	struct error *err cleanup_error = NULL;
	struct layout *layout;
	struct maker maker;

	maker_init(&maker);
	make_object(&maker, RESOURCE_FILE, "/a", false);
	make_object(&maker, RESOURCE_FILE, "/a", false);
	EXPECT_EQ(layout_compile(&maker.bound, &layout, &err), -EINVAL);
	EXPECT_EQ(error_kind_of(err), ERROR_INTERNAL);
	maker_done(&maker);
}

/* A tree with two names has the same directories below each. */
TEST(aliased_trees_share_their_directories)
{
	struct layout *layout;
	struct maker maker;
	uint32_t tree, one;

	maker_init(&maker);
	tree = make_object(&maker, RESOURCE_DIR, "/usr/bin", true);
	make_alias(&maker, tree, "/bin");
	one = make_object(&maker, RESOURCE_FILE, "/usr/bin/d/one", false);
	make_alias(&maker, one, "/bin/d/one");
	make_within(&maker);
	ASSERT_EQ(layout_compile(&maker.bound, &layout, NULL), 0);
	EXPECT_EQ(label_of(layout, "/usr/bin/d")->object,
		  label_of(layout, "/bin/d")->object);
	layout_free(layout);
	maker_done(&maker);
}
