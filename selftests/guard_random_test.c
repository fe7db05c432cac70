// SPDX-License-Identifier: GPL-2.0-only
/*
 * Random trees, labels, slots, rules and acts: what the kernel does is held
 * against a model of it, written apart and as plainly as possible: objects are
 * looked for from the top down, decisions are made by the naive interpreter.
 * Each act's result must agree, and after each round every counter.
 *
 * TEST_SEED=n repeats a run; the seed is printed.
 */
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>

#include "base/cleanup.h"
#include "guard_world.h"
#include "harness.h"
#include "naive.h"

enum {
	ROUNDS = 30,
	ACTS = 80,	/* of a round */
	MAX_NAMES = 40, /* in a tree */
	MAX_DEPTH = 5,
	PATH_ROOM = 64,
	TREES = 5,	    /* objects that are labels */
	FIRST_SLOT = 6,	    /* objects that are slots */
	OBJECTS = WORLD_NR, /* in all */
};

/* ---- chance */

static uint64_t seed;

static uint32_t chance(uint32_t below)
{
	uint64_t z = seed += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return (uint32_t)((z ^ z >> 31) >> 33) % below;
}

static void set_seed(void)
{
	const char *given = getenv("TEST_SEED");

	seed = given ? strtoull(given, NULL, 0) : (uint64_t)time(NULL);
	printf("TEST_SEED=%llu\n", (unsigned long long)seed);
}

/* ---- the model */

struct inode {
	bool directory;
	bool labelled;
	struct al_label label;
};

/* A directory entry; number 0 is the root, whose parent it is itself. */
struct entry {
	bool used;
	int inode;
	int parent;
	char name[2];
};

struct slot {
	uint32_t parent;
	char name[2];
	struct al_label label;
};

static struct inode inodes[4 * MAX_NAMES + ROUNDS * ACTS];
static int nr_inodes;
static struct entry entries[MAX_NAMES];
static struct slot slots[8];
static int nr_slots;
static struct al_rule *rules;
static struct al_count counts[OBJECTS];
static int fds[4 * MAX_NAMES];
static int nr_fds;

static struct inode *inode_of(int entry)
{
	return &inodes[entries[entry].inode];
}

static const struct slot *slot_at(uint32_t parent, const char *name)
{
	for (int i = 0; i < nr_slots; i++)
		if (slots[i].parent == parent && !strcmp(slots[i].name, name))
			return &slots[i];
	return NULL;
}

/*
 * What an entry is labelled as: by its label, or else because its name is a
 * slot of what its directory is labelled as.
 */
static bool label_of(int entry, struct al_label *ret)
{
	const struct entry *e = &entries[entry];
	const struct slot *slot;
	struct al_label above;

	if (inodes[e->inode].labelled) {
		*ret = inodes[e->inode].label;
		return true;
	}
	if (!entry || !label_of(e->parent, &above) ||
	    !(above.flags & AL_LABEL_SLOTTED))
		return false;
	slot = slot_at(above.object, e->name);
	if (slot)
		*ret = slot->label;
	return slot;
}

/* What belongs to nobody below @directory belongs to ... */
static uint32_t class_below(int directory)
{
	struct al_label label;

	if (label_of(directory, &label) && label.flags & AL_LABEL_TREE)
		return label.object;
	return directory ? class_below(entries[directory].parent) :
			   AL_OBJECT_NONE;
}

/* The slot that a name would be; NULL: none. */
static const struct slot *slot_of_name(int directory, const char *name)
{
	struct al_label label;

	if (label_of(directory, &label) && label.flags & AL_LABEL_SLOTTED)
		return slot_at(label.object, name);
	return NULL;
}

/* What is in a slot has its label once it was made, linked or asked about. */
static void settle(int entry)
{
	const struct slot *slot =
		slot_of_name(entries[entry].parent, entries[entry].name);
	struct inode *inode = inode_of(entry);

	if (!slot || inode->labelled)
		return;
	inode->labelled = true;
	inode->label = slot->label;
}

static uint32_t object_of(int entry)
{
	settle(entry);
	return inode_of(entry)->labelled ?
		       inode_of(entry)->label.object :
		       class_below(entries[entry].parent);
}

static uint32_t object_of_name(int directory, const char *name)
{
	const struct slot *slot = slot_of_name(directory, name);

	return slot ? slot->label.object : class_below(directory);
}

/* One decision: its errno, and what it adds to the counters. */
static int decide(uint32_t object, uint32_t wanted, uint32_t from,
		  uint32_t moves)
{
	struct al_query query = {
		.allow = rules[object].allow,
		.wanted = wanted,
		.object = object,
		.mode = AL_MODE_ENFORCE,
		.moves = moves,
		.from = rules[from].allow,
	};
	int refusal;

	if (moves && from == AL_OBJECT_NONE)
		query.object = object = AL_OBJECT_NONE;
	refusal = naive_refusal(&query);
	for (int op = 0; op < AL_NR_OPERATIONS; op++) {
		if (naive_missing(&query, op))
			counts[object].denied[op]++;
		else if (!refusal && naive_in(wanted, op))
			counts[object].allowed[op]++;
	}
	return refusal;
}

static int free_entry(void)
{
	for (int i = 0; i < MAX_NAMES; i++)
		if (!entries[i].used)
			return i;
	return -1;
}

static int find_entry(int directory, const char *name)
{
	for (int i = 1; i < MAX_NAMES; i++)
		if (entries[i].used && entries[i].parent == directory &&
		    !strcmp(entries[i].name, name))
			return i;
	return -1;
}

static void put_entry(int entry, int inode, int directory, const char *name)
{
	entries[entry] = (struct entry){
		.used = true,
		.inode = inode,
		.parent = directory,
		.name = { name[0], 0 },
	};
}

/* What moves into another class is labelled with it. */
static void arrive(struct inode *inode, uint32_t from, uint32_t to,
		   const struct slot *slot)
{
	if (from == to)
		return;
	inode->labelled = true;
	inode->label.object = to;
	inode->label.flags = slot && slot->label.flags ? slot->label.flags :
			     inode->directory	       ? AL_LABEL_TREE :
							 0;
}

static bool is_below(int entry, int above)
{
	for (; entry; entry = entries[entry].parent)
		if (entry == above)
			return true;
	return false;
}

static bool is_empty(int directory)
{
	for (int i = 1; i < MAX_NAMES; i++)
		if (entries[i].used && entries[i].parent == directory)
			return false;
	return true;
}

static int depth_of(int entry)
{
	return entry ? 1 + depth_of(entries[entry].parent) : 0;
}

static void path_of(int directory, const char *name, char ret[PATH_ROOM])
{
	size_t length = 0;

	if (directory) {
		path_of(entries[directory].parent, entries[directory].name,
			ret);
		length = strlen(ret);
		ret[length++] = '/';
	}
	ASSERT_LT(length, PATH_ROOM - 2);
	strcpy(ret + length, name);
}

/* ---- acts: what is asked of the kernel, and what the model says to it */

enum verb {
	READ_FILE,
	WRITE_FILE,
	READ_WRITE,
	LIST,
	CREATE,
	MAKE,
	SYMLINK,
	CHMOD,
	TRUNCATE,
	UNLINK,
	RMDIR,
	RENAME,
	LINK,
	NR_VERBS,
};

static const char *const verb_names[] = {
	"read",	    "write",	"read-write", "list",  "create",
	"mkdir",    "symlink",	"chmod",      "truncate", "unlink",
	"rmdir",    "rename",	"link",
};

struct act {
	int verb;
	char path[PATH_ROOM];
	char other[PATH_ROOM];
	int expected;
};

static struct act acts[ACTS]; /* of this round */
static int nr_acts;

static int opened(const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC, 0666);

	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

static int perform(const struct act *act)
{
	switch (act->verb) {
	case READ_FILE:
		return opened(act->path, O_RDONLY | O_NOFOLLOW);
	case WRITE_FILE:
		return opened(act->path, O_WRONLY | O_NOFOLLOW);
	case READ_WRITE:
		return opened(act->path, O_RDWR | O_NOFOLLOW);
	case LIST:
		return opened(act->path, O_RDONLY | O_DIRECTORY);
	case CREATE:
		return opened(act->path, O_WRONLY | O_CREAT | O_EXCL);
	case MAKE:
		return mkdir(act->path, 0777) ? errno : 0;
	case SYMLINK:
		return symlink("nowhere", act->path) ? errno : 0;
	case CHMOD:
		return chmod(act->path, 0777) ? errno : 0;
	case TRUNCATE:
		return truncate(act->path, 1) ? errno : 0;
	case UNLINK:
		return unlink(act->path) ? errno : 0;
	case RMDIR:
		return rmdir(act->path) ? errno : 0;
	case RENAME:
		return rename(act->path, act->other) ? errno : 0;
	case LINK:
		return link(act->path, act->other) ? errno : 0;
	}
	return EINVAL;
}

static uint32_t wants(int verb)
{
	switch (verb) {
	case READ_FILE:
		return AL_OP_READ;
	case READ_WRITE:
		return AL_OP_READ | AL_OP_WRITE;
	case LIST:
		return AL_OP_LIST;
	case CHMOD:
		return AL_OP_SETATTR;
	case UNLINK:
	case RMDIR:
		return AL_OP_DELETE;
	default:
		return AL_OP_WRITE;
	}
}

/* A new name, by CREATE, MAKE or SYMLINK. */
static int expect_new(int verb, int directory, const char *name)
{
	int entry, refusal;

	refusal = decide(object_of_name(directory, name), AL_OP_WRITE, 0,
			 AL_MOVES_NOT);
	if (refusal)
		return refusal;
	entry = free_entry();
	inodes[nr_inodes] = (struct inode){ .directory = verb == MAKE };
	put_entry(entry, nr_inodes++, directory, name);
	settle(entry);
	/* The file is there, whether or not it may then be opened. */
	return verb == CREATE ? decide(object_of(entry), AL_OP_WRITE, 0,
				       AL_MOVES_NOT) :
				0;
}

static int expect_there(int verb, int entry)
{
	int refusal = decide(object_of(entry), wants(verb), 0, AL_MOVES_NOT);

	if (!refusal && (verb == UNLINK || verb == RMDIR))
		entries[entry].used = false;
	return refusal;
}

static int expect_link(int entry, int directory, const char *name)
{
	uint32_t from = object_of(entry), to = object_of_name(directory, name);
	const struct slot *slot = slot_of_name(directory, name);
	int refusal, new;

	refusal = decide(to, AL_OP_WRITE, from, AL_MOVES);
	if (refusal)
		return refusal;
	arrive(inode_of(entry), from, to, slot);
	new = free_entry();
	put_entry(new, entries[entry].inode, directory, name);
	settle(new);
	return 0;
}

/* A directory takes along what is in it, if that is of its class. */
static uint32_t moves(int entry)
{
	const struct inode *inode = inode_of(entry);

	return inode->directory && inode->labelled &&
			       inode->label.flags != AL_LABEL_TREE ?
		       AL_MOVES_NEVER :
		       AL_MOVES;
}

static int expect_rename(int entry, int directory, const char *name)
{
	uint32_t from = object_of(entry), to = object_of_name(directory, name);
	const struct slot *slot = slot_of_name(directory, name);
	int over = find_entry(directory, name);
	int refusal;

	refusal = decide(from, AL_OP_DELETE, 0, AL_MOVES_NOT);
	if (!refusal && over >= 0)
		refusal = decide(object_of(over), AL_OP_WRITE, 0, AL_MOVES_NOT);
	if (!refusal)
		refusal = decide(to, AL_OP_WRITE, from, moves(entry));
	if (refusal)
		return refusal;
	arrive(inode_of(entry), from, to, slot);
	if (over >= 0)
		entries[over].used = false;
	put_entry(entry, entries[entry].inode, directory, name);
	return 0;
}

/* ---- choosing an act that the kernel would do if there were no guard */

static int any_entry(bool directory)
{
	int candidates[MAX_NAMES], nr = 0;

	for (int i = directory ? 0 : 1; i < MAX_NAMES; i++)
		if (entries[i].used && inode_of(i)->directory == directory)
			candidates[nr++] = i;
	return nr ? candidates[chance(nr)] : -1;
}

static const char *any_name(void)
{
	static const char names[][2] = { "a", "b", "c", "d", "e" };

	return names[chance(ARRAY_SIZE(names))];
}

static bool is_symlink(int entry);

static bool choose_new(struct act *act)
{
	int directory = any_entry(true);
	const char *name = any_name();

	if (find_entry(directory, name) >= 0 || free_entry() < 0 ||
	    depth_of(directory) >= MAX_DEPTH)
		return false;
	path_of(directory, name, act->path);
	act->expected = expect_new(act->verb, directory, name);
	return true;
}

static bool choose_there(struct act *act)
{
	bool directory = act->verb == LIST || act->verb == RMDIR;
	int entry;

	if (act->verb == CHMOD)
		directory = chance(2);
	entry = any_entry(directory);
	if (entry <= 0 || (act->verb == RMDIR && !is_empty(entry)) ||
	    (is_symlink(entry) && act->verb != UNLINK))
		return false;
	path_of(entries[entry].parent, entries[entry].name, act->path);
	act->expected = expect_there(act->verb, entry);
	return true;
}

static bool choose_two(struct act *act)
{
	int entry = any_entry(act->verb == RENAME && chance(3) == 0);
	int directory = any_entry(true), over;
	const char *name = any_name();

	if (entry <= 0 || depth_of(directory) >= MAX_DEPTH)
		return false;
	over = find_entry(directory, name);
	if (act->verb == LINK &&
	    (over >= 0 || free_entry() < 0 || is_symlink(entry)))
		return false;
	if (over == entry || is_below(directory, entry))
		return false;
	/* Over a file only with a file, and not with another of its names. */
	if (over >= 0 && (inode_of(entry)->directory ||
			  inode_of(over)->directory ||
			  entries[over].inode == entries[entry].inode))
		return false;
	/* A directory takes along what is in it. */
	if (inode_of(entry)->directory && depth_of(directory) > 1)
		return false;
	path_of(entries[entry].parent, entries[entry].name, act->path);
	path_of(directory, name, act->other);
	act->expected = act->verb == LINK ?
			    expect_link(entry, directory, name) :
			    expect_rename(entry, directory, name);
	return true;
}

static bool choose(struct act *act)
{
	act->verb = chance(NR_VERBS);
	act->other[0] = 0;
	switch (act->verb) {
	case CREATE:
	case MAKE:
	case SYMLINK:
		return choose_new(act);
	case RENAME:
	case LINK:
		return choose_two(act);
	default:
		return choose_there(act);
	}
}

/* The model does not tell them from files: they are neither opened nor linked. */
static bool is_symlink(int entry)
{
	struct stat stat;
	char path[PATH_ROOM];

	path_of(entries[entry].parent, entries[entry].name, path);
	return !lstat(path, &stat) && S_ISLNK(stat.st_mode);
}

/* ---- a random beginning */

static void add_random_entry(void)
{
	int directory = any_entry(true), entry = free_entry();
	const char *name = any_name();
	char path[PATH_ROOM];
	int fd;

	if (entry < 0 || entry > MAX_NAMES / 2 ||
	    find_entry(directory, name) >= 0 ||
	    depth_of(directory) >= MAX_DEPTH - 2)
		return;
	path_of(directory, name, path);
	inodes[nr_inodes] = (struct inode){ .directory = chance(5) < 3 };
	if (inodes[nr_inodes].directory) {
		ASSERT_EQ(0, mkdir(path, 0777));
	} else {
		fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0777);
		ASSERT_GE(fd, 0);
		close(fd);
	}
	put_entry(entry, nr_inodes++, directory, name);
}

static void put_label(struct world *world, int entry, struct al_label label)
{
	struct error *err = NULL;
	char path[PATH_ROOM] = ".";

	if (entry)
		path_of(entries[entry].parent, entries[entry].name, path);
	fds[nr_fds] = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	ASSERT_GE(fds[nr_fds], 0);
	world_must(guard_label(world->guard, fds[nr_fds++], label.object,
			       label.flags, &err),
		   err, "guard_label");
	inode_of(entry)->labelled = true;
	inode_of(entry)->label = label;
}

/* The same in all rounds; which directories are object 1 is not. */
static void add_slots(struct world *world)
{
	const uint32_t component = AL_LABEL_TREE | AL_LABEL_SLOTTED;
	static const struct slot fixed[] = {
		/* In object 1: a file, and a component with another in it. */
		{ 1, "a", { FIRST_SLOT, 0 } },
		{ 1, "b", { FIRST_SLOT + 1, component } },
		{ FIRST_SLOT + 1, "c", { FIRST_SLOT + 2, component } },
		{ FIRST_SLOT + 2, "a", { FIRST_SLOT + 3, AL_LABEL_TREE } },
		{ FIRST_SLOT + 2, "b", { FIRST_SLOT + 4, 0 } },
	};
	struct error *err = NULL;

	nr_slots = ARRAY_SIZE(fixed);
	memcpy(slots, fixed, sizeof(fixed));
	for (int i = 0; i < nr_slots; i++)
		world_must(guard_slot(world->guard, slots[i].parent,
				      slots[i].name, slots[i].label.object,
				      slots[i].label.flags, &err),
			   err, "guard_slot");
}

static void begin(struct world *world)
{
	static int round;
	char dir[32];

	sprintf(dir, "round%d", round++);
	ASSERT_EQ(0, chdir(world->root));
	ASSERT_EQ(0, mkdir(dir, 0777));
	ASSERT_EQ(0, chdir(dir));
	memset(entries, 0, sizeof(entries));
	nr_inodes = nr_fds = 0;
	inodes[nr_inodes] = (struct inode){ .directory = true };
	put_entry(0, nr_inodes++, 0, "/");
	for (int i = 0; i < 30; i++)
		add_random_entry();
	put_label(world, 0, (struct al_label){ 1 + chance(TREES),
					       AL_LABEL_TREE });
	for (int i = 0; i < 5; i++) {
		struct al_label label = { .object = 1 + chance(TREES) };
		int entry = any_entry(chance(4) != 0);

		if (entry <= 0)
			continue;
		if (inode_of(entry)->directory) {
			label.flags = chance(4) ? AL_LABEL_TREE : 0;
			if (chance(2))
				label.flags |= AL_LABEL_SLOTTED;
		}
		put_label(world, entry, label);
	}
	for (int i = 1; i < OBJECTS; i++)
		world->rules[i].allow = chance(2) ? AL_OPS_FILE :
						    chance(AL_OPS_FILE + 1);
	/* Sets that are within each other, or nothing would ever move. */
	for (int i = 0; i < 4; i++)
		world->rules[1 + chance(OBJECTS - 1)].allow |= AL_OPS_FILE;
	for (int i = 0; i < OBJECTS; i++)
		world->rules[i].granted = ~0u;
	rules = world->rules;
	memset(counts, 0, sizeof(counts));
}

/* ---- a process in the cgroup that does what it is told */

static int tell;
static pid_t doer;

static void start_doer(struct world *world)
{
	int pair[2];
	struct act act;

	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0,
				pair));
	fflush(NULL);
	doer = fork();
	if (doer == 0) {
		close(pair[0]);
		if (write(world->procs, "0", 1) != 1)
			_exit(1);
		while (read(pair[1], &act, sizeof(act)) == sizeof(act)) {
			int error = perform(&act);

			if (write(pair[1], &error, sizeof(error)) < 0)
				_exit(1);
		}
		_exit(0);
	}
	close(pair[1]);
	tell = pair[0];
}

static int told(const struct act *act)
{
	int error;

	ASSERT_EQ(sizeof(*act), write(tell, act, sizeof(*act)));
	ASSERT_EQ(sizeof(error), read(tell, &error, sizeof(error)));
	return error;
}

static void stop_doer(void)
{
	close(tell);
	ASSERT_EQ(doer, waitpid(doer, NULL, 0));
}

/* What was done, what the kernel saw last, and what the model thinks. */
static void show_all(struct world *world)
{
	for (int i = 0; i < nr_acts; i++)
		TH_LOG("%s %s %s: %d", verb_names[acts[i].verb], acts[i].path,
		       acts[i].other, acts[i].expected);
	world_read(world);
	for (int i = 0; i < world->nr_events; i++) {
		const struct al_event *event = &world->event[i];

		if (i < world->nr_events - 8)
			continue;
		TH_LOG("event %llu: \"%s\" object %u from %u wanted %x "
		       "missing %x",
		       (unsigned long long)event->sequence, event->name,
		       event->object, event->from, event->operations,
		       event->missing);
	}
	for (int i = 0; i < MAX_NAMES; i++) {
		char path[PATH_ROOM];

		if (!entries[i].used)
			continue;
		path_of(entries[i].parent, entries[i].name, path);
		TH_LOG("%s: object %u, %s %u flags %u", path, object_of(i),
		       inode_of(i)->labelled ? "label" : "no label",
		       inode_of(i)->label.object, inode_of(i)->label.flags);
	}
	for (int i = 0; i < OBJECTS; i++)
		TH_LOG("object %d allows %x", i, world->rules[i].allow);
}

static void compare_counts(struct world *world)
{
	for (int object = 0; object < OBJECTS; object++)
		for (int op = 0; op < AL_NR_OPERATIONS; op++)
			for (int denied = 0; denied < 2; denied++)
				EXPECT_EQ(denied ? counts[object].denied[op] :
						   counts[object].allowed[op],
					  world_count(world, object, 1u << op,
						      denied)) {
					TH_LOG("object %d operation %d %s",
					       object, op,
					       denied ? "denied" : "allowed");
				}
}

static int results[3]; /* 0, EACCES, EXDEV */

static void one_round(struct world *world)
{
	begin(world);
	world_arm(world, AL_MODE_ENFORCE);
	start_doer(world);
	nr_acts = 0;
	for (int i = 0; i < ACTS; i++) {
		struct act *act = &acts[nr_acts];

		if (!choose(act))
			continue;
		nr_acts++;
		ASSERT_EQ(act->expected, told(act)) {
			show_all(world);
		}
		results[act->expected == EXDEV ? 2 : act->expected ? 1 : 0]++;
	}
	stop_doer();
	compare_counts(world);
	for (int i = 0; i < nr_fds; i++)
		close(fds[i]);
}

static void all_rounds(enum world_kind kind)
{
	static struct world world;

	set_seed();
	world_open(&world, test_dir(), kind);
	/* The slots of the world are not this test's. */
	add_slots(&world);
	for (int i = 0; i < ROUNDS && !test_note->failed; i++)
		one_round(&world);
	ASSERT_EQ(0, chdir(world.root));
	printf("%d acts done, %d refused, %d not moved\n", results[0],
	       results[1], results[2]);
	EXPECT_GT(results[0], 100);
	EXPECT_GT(results[1], 100);
	EXPECT_GT(results[2], 5);
	world_close(&world);
}

TEST_TIMEOUT(random_tmpfs, 240)
{
	all_rounds(WORLD_TMPFS);
}

TEST_TIMEOUT(random_overlay, 240)
{
	all_rounds(WORLD_OVERLAY);
}
