// SPDX-License-Identifier: GPL-2.0-only
/* From selectors to objects. */
#include "harness.h"

#include <sys/stat.h>

#include <aletheia/limits.h>

#include "base/cleanup.h"
#include "bind_support.h"
#include "synth/authority.h"

#define FROM " from \"rule\" 1:1-1:2\n"

FIXTURE(bind)
{
	struct world world;
};

FIXTURE_SETUP(bind)
{
	ASSERT_TRUE(world_init(&self->world, test_dir()));
}

FIXTURE_TEARDOWN(bind)
{
	world_done(&self->world);
}

#define BIND(system, setup)                                                    \
	ASSERT_EQ(world_bind(&self->world, system, setup), 0)                  \
	{                                                                      \
		TH_LOG("%s", world_errors(&self->world));                      \
	}

#define REFUSE(system, setup, ...)                                             \
	do {                                                                   \
		EXPECT_LT(world_bind(&self->world, system, setup), 0);         \
		check_errors(&self->world,                                     \
			     (const char *const[]){ __VA_ARGS__, NULL });      \
	} while (0)

/* Each error has its text, and there are no more. */
static void check_errors(const struct world *world, const char *const *texts)
{
	const struct error *error = world->err;

	for (; error && *texts; error = error->next, texts++) {
		char *text cleanup_free =
			xasprintf("%s | %s", error->message,
				  error->hint ? error->hint : "");

		EXPECT_EQ(error->kind, ERROR_CONFIG);
		EXPECT_HAS_SUBSTR(text, *texts);
	}
	EXPECT_NULL(error)
	{
		TH_LOG("%s", world_errors(world));
	}
	EXPECT_NULL(*texts)
	{
		TH_LOG("not said: %s", *texts);
	}
}

static bool has_dependency(const struct world *world,
			   const struct object *object, uint32_t when,
			   const struct object *needs, uint32_t then)
{
	size_t i;

	for (i = 0; i < world->bound->nr_dependencies; i++) {
		const struct dependency *one = &world->bound->dependencies[i];

		if (one->object == object->id && (one->when & when) &&
		    one->needs == needs->id && (one->then & then) == then)
			return true;
	}
	return false;
}

static size_t nr_needs(const struct world *world, const struct object *object,
		       uint32_t then)
{
	size_t nr = 0, i;

	for (i = 0; i < world->bound->nr_dependencies; i++)
		nr += world->bound->dependencies[i].object == object->id &&
		      world->bound->dependencies[i].then == then;
	return nr;
}

static const struct content *content_at(const struct world *world,
					const char *path)
{
	const struct content *last = NULL;
	size_t i;

	for (i = 0; i < world->bound->nr_contents; i++)
		if (!strcmp(world->bound->contents[i].path, path))
			last = &world->bound->contents[i];
	return last;
}

static bool has_place(const struct world *world, const char *subject,
		      const char *target)
{
	size_t i;

	for (i = 0; i < world->bound->nr_places; i++)
		if (!strcmp(world->bound->places[i].subject, subject) &&
		    !strcmp(world->bound->places[i].target, target))
			return true;
	return false;
}

/* What holds for every bound program. */
static void check_bound(const struct world *world)
{
	const struct bound *bound = world->bound;
	size_t i, k, nr_keys = 0;

	ASSERT_NOT_NULL(bound);
	EXPECT_EQ(bound->objects[0].nr_paths, 0);
	for (i = 0; i < bound->nr_objects; i++) {
		const struct object *object = &bound->objects[i];

		EXPECT_EQ(object->id, i);
		nr_keys += object->nr_keys;
		if (object->nr_paths)
			EXPECT_STREQ(object->name, object->paths[0]);
		for (k = 0; k < object->nr_paths; k++)
			EXPECT_EQ(world_object(world, object->paths[k]),
				  object);
		for (k = 0; k < object->nr_within; k++) {
			EXPECT_NE(object->within[k], i);
			EXPECT_TRUE(bound->objects[object->within[k]].tree);
		}
	}
	EXPECT_LE(nr_keys, AL_MAX_ENDPOINTS);
	EXPECT_TRUE(bound->objects[bound->own_object].tree);
	EXPECT_STREQ(bound->objects[bound->rule_object].name,
		     "/workspace/AGENTS.md");
}

/* ---- files */

TEST_F(bind, project_files)
{
	struct world *world = &self->world;

	ASSERT_TRUE(world_file(world, "project/src/a", "a"));
	ASSERT_TRUE(world_symlink(world, "project/link", "src/a"));
	ASSERT_TRUE(world_link(world, "project/other", "project/src/a"));
	BIND("resource a : file(workspace) = \"src/a\"\n"
	     "resource link : file(workspace) = \"link\"\n"
	     "resource other : file(workspace) = \"other\"\n"
	     "resource src : dir(workspace) = \"src\"\n"
	     "grant g read a" FROM,
	     "baseline read on dir(workspace) \".\"");
	check_bound(world);
	/* By all its names it is one object. */
	EXPECT_EQ(world_resource(world, "a"), world_resource(world, "link"));
	EXPECT_EQ(world_resource(world, "a"), world_resource(world, "other"));
	EXPECT_EQ(world_resource(world, "a")->nr_paths, 2);
	EXPECT_TRUE(object_has_path(world_resource(world, "a"),
				    "/workspace/src/a"));
	EXPECT_TRUE(object_has_path(world_resource(world, "a"),
				    "/workspace/other"));
	EXPECT_TRUE(world_resource(world, "a")->declared);
	EXPECT_FALSE(world_resource(world, "a")->absent);
	EXPECT_TRUE(world_resource(world, "src")->tree);
	/* The nearest first. */
	ASSERT_EQ(world_resource(world, "a")->nr_within, 2);
	EXPECT_EQ(world_resource(world, "a")->within[0],
		  world_resource(world, "src")->id);
	EXPECT_EQ(world_resource(world, "a")->within[1],
		  world->bound->baseline_objects[0]);
	EXPECT_TRUE(object_within(world, world_resource(world, "src"),
				  "/workspace"));
}

TEST_F(bind, link_out)
{
	struct world *world = &self->world;

	ASSERT_TRUE(world_symlink(world, "project/passwd", "/etc/passwd"));
	ASSERT_TRUE(world_symlink(world, "project/up", ".."));
	REFUSE("resource a : file(workspace) = \"passwd\"\n"
	       "resource b : file(workspace) = \"up/home/agent/x\"\n"
	       "grant g read a" FROM "grant h write b" FROM,
	       "",
	       "grant g (read a): /workspace/passwd leads out of the "
	       "workspace, to /etc/passwd | the symbolic link "
	       "/workspace/passwd says /etc/passwd",
	       "leads out of the workspace, to /home/agent/x");
	/* A link that the setup makes may lead anywhere. */
	BIND("resource key : file(home) = \".ssh/key\"\n"
	     "resource same : file(workspace) = \"key\"\n"
	     "grant g read same" FROM,
	     "bind key to fixture file { canary 1KiB "
	     "symlink workspace \"key\" }");
	EXPECT_EQ(world_resource(world, "key"), world_resource(world, "same"));
	EXPECT_EQ(world_resource(world, "key")->sensitive, CLASS_CREDENTIAL);
	EXPECT_STREQ(content_at(world, "/workspace/key")->source,
		     "/home/agent/.ssh/key");
}

TEST_F(bind, absent)
{
	struct world *world = &self->world;

	REFUSE("resource a : file(workspace) = \"a\"\n"
	       "resource b : dir(home) = \"b\"\n"
	       "resource c : file(scratch) = \"c\"\n"
	       "resource d : file(workspace) = \"d\"\n"
	       "grant a read a" FROM "grant b list b" FROM "grant c read c" FROM
	       "grant d delete d" FROM,
	       "",
	       "grant a (read a): file(workspace) \"a\": it does not exist in "
	       "a branch | bind a to fixture file { canary 4KiB }",
	       "bind b to fixture tree { canary 4KiB }",
	       "bind c to fixture file { canary 4KiB }",
	       "bind d to fixture file { canary 4KiB }");
	/* What someone may make is bound to its name. */
	BIND("resource a : file(workspace) = \"a\"\n"
	     "resource b : dir(home) = \"b\"\n"
	     "resource c : file(scratch) = \"c\"\n"
	     "grant a read a" FROM "grant a2 write a" FROM
	     "grant b write b" FROM "grant c write c" FROM,
	     "");
	check_bound(world);
	EXPECT_TRUE(world_resource(world, "a")->absent);
	EXPECT_FALSE(world_resource(world, "a")->tree);
	EXPECT_TRUE(world_resource(world, "b")->absent);
	EXPECT_TRUE(world_resource(world, "b")->tree);
	EXPECT_STREQ(world_resource(world, "b")->name, "/home/agent/b");
	EXPECT_STREQ(world_resource(world, "c")->name, "/tmp/c");
}

TEST_F(bind, wrong_type)
{
	struct world *world = &self->world;

	ASSERT_TRUE(world_file(world, "project/f", ""));
	ASSERT_TRUE(world_directory(world, "project/d"));
	REFUSE("resource f : dir(workspace) = \"f\"\n"
	       "resource d : file(workspace) = \"d\"\n"
	       "resource x : file(workspace) = \"f/x\"\n"
	       "grant f list f" FROM "grant d read d" FROM
	       "grant x write x" FROM,
	       "", "/workspace/f is a file | declare it as file(workspace)",
	       "/workspace/d is a directory | declare it as dir(workspace)",
	       "/workspace/f is no directory");
}

/* Only the setup gives the host's own files. */
TEST_F(bind, host_files)
{
	struct world *world = &self->world;
	const char *shells = "/etc/shells";

	if (access(shells, F_OK))
		shells = "/etc/fstab";
	ASSERT_EQ(access(shells, F_OK), 0);
	REFUSE("resource s : file(host) = \"/etc/passwd\"\n"
	       "resource d : dir(host) = \"/usr/share\"\n"
	       "grant s read s" FROM "grant d list d" FROM,
	       "",
	       "grant s (read s): file(host) \"/etc/passwd\": this is the "
	       "host's own, which a grant only gets if the setup binds it | "
	       "bind s to fixture file { canary 4KiB }",
	       "bind d to real");
	BIND("resource s : file(host) = \"/etc/passwd\"\n"
	     "resource d : dir(host) = \"/usr/share\"\n"
	     "resource hosts : file(host) = \"/etc/hosts\"\n"
	     "grant s read s" FROM "grant d list d" FROM
	     "grant h read hosts" FROM,
	     "bind s to real bind d to real");
	EXPECT_STREQ(world_resource(world, "s")->name, "/etc/passwd");
	EXPECT_EQ(world_resource(world, "s")->sensitive, CLASS_ACCOUNT);
	EXPECT_TRUE(world_resource(world, "d")->tree);
	/* Ours, so nobody has to say so. */
	EXPECT_STREQ(world_resource(world, "hosts")->name, "/etc/hosts");
	EXPECT_NULL(content_at(world, "/etc/passwd"));

	/* What a baseline is on needs no binding. */
	BIND("resource d : dir(host) = \"/usr\"\ngrant d list d" FROM,
	     "baseline read on dir(host) \"/usr\"");
	EXPECT_EQ(world_resource(world, "d")->id,
		  world->bound->baseline_objects[0]);

	/* A fixture lies over it. */
	BIND("resource s : file(host) = \"/etc/shadow\"\ngrant s read s" FROM,
	     "bind s to fixture file { canary 4KiB }");
	EXPECT_TRUE(has_place(world, "/etc/shadow", "/etc/shadow"));
	EXPECT_EQ(content_at(world, "/etc/shadow")->kind, CONTENT_CANARY);
	EXPECT_EQ(content_at(world, "/etc/shadow")->mode, 0600);
	EXPECT_EQ(world_resource(world, "s")->sensitive, CLASS_CREDENTIAL);
}

/* Where a branch sees nothing of the host, "real" is a copy. */
TEST_F(bind, host_copy)
{
	struct world *world = &self->world;
	char *path cleanup_free = xasprintf("%s/data/x", world->dir);
	char *system cleanup_free = xasprintf(
		"resource x : file(host) = \"%s\"\ngrant x read x" FROM, path);

	REFUSE(system, "", "bind x to fixture file { canary 4KiB }");
	REFUSE(system, "bind x to real", "No such file or directory");
	ASSERT_TRUE(world_file(world, "data/x", "real"));
	BIND(system, "bind x to real");
	EXPECT_STREQ(world_resource(world, "x")->name, path);
	ASSERT_NOT_NULL(content_at(world, path));
	EXPECT_EQ(content_at(world, path)->kind, CONTENT_COPY);
	/* The branch's home is fresh. */
	REFUSE("resource x : file(home) = \"x\"\ngrant x read x" FROM,
	       "bind x to real", "a branch's home is fresh");
}

/* ---- fixtures */

TEST_F(bind, file_fixtures)
{
	struct world *world = &self->world;
	const struct object *a;

	ASSERT_TRUE(world_file(world, "project/old", "old"));
	ASSERT_TRUE(world_link(world, "project/old2", "project/old"));
	ASSERT_TRUE(world_file(world, "data/b", "b"));
	ASSERT_TRUE(world_file(world, "data/tree/x/y", "y"));
	BIND("resource a : file(workspace) = \"deep/er/a\"\n"
	     "resource old : file(workspace) = \"old\"\n"
	     "resource b : file(home) = \"b\"\n"
	     "resource t : dir(home) = \"t\"\n"
	     "resource y : file(home) = \"t/x/y\"\n"
	     "resource s : file(scratch) = \"s\"\n"
	     "resource srv : file(host) = \"/srv/x\"\n"
	     "grant a read a" FROM "grant o read old" FROM "grant b read b" FROM
	     "grant t list t" FROM "grant y read y" FROM "grant s read s" FROM
	     "grant srv read srv" FROM,
	     "bind a to fixture file { canary 64KiB "
	     "hard-link home \"links/a\" hard-link workspace \"a\" "
	     "symlink scratch \"a\" }\n"
	     "bind old to fixture file { content \"new\" mode 0640 }\n"
	     "bind b to fixture file { from \"data/b\" }\n"
	     "bind t to fixture tree { from \"data/tree\" canary 1KiB }\n"
	     "bind s to fixture file\n"
	     "bind srv to fixture file");
	check_bound(world);
	a = world_resource(world, "a");
	EXPECT_STREQ(a->name, "/workspace/deep/er/a");
	EXPECT_EQ(a->nr_paths, 3);
	EXPECT_TRUE(object_has_path(a, "/home/agent/links/a"));
	EXPECT_TRUE(object_has_path(a, "/workspace/a"));
	EXPECT_EQ(content_at(world, "/tmp/a")->kind, CONTENT_SYMLINK);
	EXPECT_EQ(content_at(world, "/tmp")->mode, 01777);
	EXPECT_EQ(content_at(world, "/workspace/a")->kind, CONTENT_HARDLINK);
	ASSERT_NOT_NULL(content_at(world, a->name)->canary);
	EXPECT_EQ(strlen(content_at(world, a->name)->canary->token), 32);
	EXPECT_STREQ(content_at(world, a->name)->canary->resource, "a");
	/* The project's other name of the file stays one. */
	EXPECT_TRUE(object_has_path(world_resource(world, "old"),
				    "/workspace/old2"));
	EXPECT_STREQ(content_at(world, "/workspace/old")->data, "new");
	EXPECT_EQ(content_at(world, "/workspace/old")->mode, 0640);
	EXPECT_STREQ(content_at(world, "/home/agent/b")->source, "data/b");
	EXPECT_TRUE(object_within(world, world_resource(world, "y"),
				  "/home/agent/t"));
	EXPECT_EQ(content_at(world, "/home/agent/t/canary")->size, 1024);
	EXPECT_STREQ(world_resource(world, "srv")->name, "/srv/x");
	EXPECT_FALSE(has_place(world, "/srv/x", "/srv/x"));
	EXPECT_EQ(world->bound->nr_canaries, 2);
	EXPECT_STRNE(world->bound->canaries[0].token,
		     world->bound->canaries[1].token);
}

TEST_F(bind, fixtures_in_the_way)
{
	struct world *world = &self->world;

	ASSERT_TRUE(world_file(world, "project/f", ""));
	ASSERT_TRUE(world_directory(world, "project/d"));
	ASSERT_TRUE(world_symlink(world, "project/out", "/etc"));
	REFUSE("resource d : file(workspace) = \"d\"\n"
	       "resource below : file(workspace) = \"f/x\"\n"
	       "resource rule : file(workspace) = \"AGENTS.md\"\n"
	       "resource a : file(home) = \"a\"\n"
	       "resource out : file(workspace) = \"out/x\"\n"
	       "resource dir : dir(workspace) = \"d\"\n"
	       "resource dev : file(host) = \"/dev/x\"\n"
	       "resource lost : file(home) = \"lost\"\n",
	       "bind d to fixture file\n"
	       "bind below to fixture file\n"
	       "bind rule to fixture file\n"
	       "bind a to fixture file { symlink workspace \"f\" }\n"
	       "bind out to fixture file\n"
	       "bind dir to fixture tree\n"
	       "bind dev to fixture file\n"
	       "bind lost to fixture file { from \"nowhere\" }",
	       "the fixture of d cannot lie at /workspace/d",
	       "/workspace/f is no directory",
	       "the fixture of rule cannot lie at /workspace/AGENTS.md",
	       "the fixture of a cannot lie at /workspace/f",
	       "leads out of the workspace",
	       "the fixture of dir cannot lie at /workspace/d",
	       "no fixture can lie in /dev",
	       "nowhere: No such file or directory",
	       /* And then the resources, once each. */
	       "/workspace/d is a directory", "/workspace/f is no directory",
	       "leads out of the workspace");
}

TEST_F(bind, unspecified)
{
	struct world *world = &self->world;
	const struct object *key;

	REFUSE("resource creds : file(unspecified) = credential\n"
	       "resource server : endpoint(unspecified) = any\n"
	       "resource tool : tool(unspecified) = any\n"
	       "grant c read creds" FROM "grant s connect server" FROM
	       "grant t execute tool" FROM,
	       "",
	       "bind creds to fixture file at home \".aws/credentials\" "
	       "{ canary 4KiB }",
	       "bind server to fixture endpoint sink",
	       "bind tool to fixture tool at host \"NAME\"");
	BIND("resource creds : file(unspecified) = credential\n"
	     "resource server : endpoint(unspecified) = any\n"
	     "grant c read creds" FROM "grant s connect server" FROM,
	     "bind creds to fixture file at home \"notes.txt\" { canary }\n"
	     "bind server to fixture endpoint sink");
	EXPECT_STREQ(world_resource(world, "creds")->name,
		     "/home/agent/notes.txt");
	EXPECT_EQ(world_resource(world, "creds")->sensitive, CLASS_CREDENTIAL);
	key = world_resource(world, "server");
	EXPECT_STREQ(key->name, "any * any");
	EXPECT_EQ(key->nr_keys, 2);
	EXPECT_EQ(key->keys[0].port, 0);
	EXPECT_TRUE(key->sink);
}

/* ---- tools */

TEST_F(bind, real_tools)
{
	struct world *world = &self->world;
	char *sh cleanup_free = realpath("/bin/sh", NULL);
	const struct object *script, *object;

	ASSERT_TRUE(world_file(world, "project/run.sh", "#!/bin/sh\n"));
	ASSERT_TRUE(world_file(world, "libexec/only-here", "#!/bin/sh\n"));
	setenv("PATH", world->dir, 1);
	BIND("resource sh : tool(host) = \"sh\"\n"
	     "resource path : tool(host) = \"/bin/sh\"\n"
	     "resource run : tool(workspace) = \"run.sh\"\n"
	     "grant s execute sh" FROM "grant r execute run" FROM,
	     "baseline read on dir(host) \"/usr\"");
	check_bound(world);
	object = world_resource(world, "sh");
	EXPECT_STREQ(object->name, sh);
	EXPECT_EQ(object, world_resource(world, "path"));
	EXPECT_TRUE(world->bound->real_tools[0]);
	EXPECT_TRUE(has_dependency(world, object, AL_OP_EXECUTE, object,
				   AL_OP_READ | AL_OP_MAP));
	/* Its dynamic linker, at least. */
	EXPECT_GT(nr_needs(world, object, AL_OP_READ | AL_OP_MAP), 1);
	script = world_resource(world, "run");
	EXPECT_TRUE(has_dependency(world, script, AL_OP_EXECUTE, object,
				   AL_OP_EXECUTE));
	EXPECT_FALSE(has_dependency(world, object, AL_OP_EXECUTE, script,
				    AL_OP_EXECUTE));
	REFUSE("resource x : tool(host) = \"only-here\"\n"
	       "resource y : tool(host) = \"/usr/bin/no-such-tool\"\n"
	       "resource z : tool(host) = \"/etc/os-release\"\n"
	       "grant x execute x" FROM "grant y execute y" FROM
	       "grant z execute z" FROM,
	       "",
	       "grant x (execute x): tool(host) \"only-here\": this machine "
	       "has no such program | bind x to fixture tool",
	       "bind y to fixture tool", "bind z to fixture tool");
}

TEST_F(bind, broken_tool)
{
	struct world *world = &self->world;

	ASSERT_TRUE(world_file(world, "project/x", "#!/no/such\n"));
	REFUSE("resource x : tool(workspace) = \"x\"\ngrant x execute x" FROM,
	       "",
	       "/workspace/x cannot start here: it needs /no/such, which is "
	       "nowhere");
}

TEST_F(bind, tool_fixtures)
{
	struct world *world = &self->world;
	char *sh cleanup_free = realpath("/bin/sh", NULL);
	const struct object *tool;

	ASSERT_TRUE(world_file(world, "own", "#!/bin/sh\n"));
	BIND("resource a : tool(host) = \"no-such-tool\"\n"
	     "resource sh : tool(host) = \"tar\"\n"
	     "resource c : tool(host) = \"/opt/x/bin/deploy\"\n"
	     "resource d : tool(workspace) = \"bin/d\"\n"
	     "grant a execute a" FROM "grant b execute sh" FROM
	     "grant c execute c" FROM "grant d execute d" FROM,
	     "bind a to fixture tool\n"
	     "bind sh to fixture tool\n"
	     "bind c to fixture tool { from \"own\" }\n"
	     "bind d to fixture tool\n"
	     "baseline execute on tool(host) \"tar\"");
	check_bound(world);
	tool = world_resource(world, "a");
	EXPECT_STREQ(tool->name, "/aletheia/bin/no-such-tool");
	EXPECT_TRUE(object_within(world, tool, "/aletheia"));
	EXPECT_FALSE(world->bound->real_tools[0]);
	/* Where the host has the tool, its name leads to the fixture too. */
	tool = world_resource(world, "sh");
	EXPECT_TRUE(object_has_path(tool, "/usr/bin/tar") ||
		    object_has_path(tool, "/bin/tar"));
	EXPECT_EQ(world->bound->baseline_objects[0], tool->id);
	EXPECT_FALSE(content_at(world, tool->name)->agent);
	tool = world_resource(world, "c");
	EXPECT_TRUE(object_has_path(tool, "/opt/x/bin/deploy"));
	EXPECT_TRUE(
		has_place(world, "/aletheia/bin/deploy", "/opt/x/bin/deploy"));
	EXPECT_STREQ(content_at(world, tool->name)->source, "own");
	EXPECT_TRUE(has_dependency(world, tool, AL_OP_EXECUTE,
				   world_object(world, sh), AL_OP_EXECUTE));
	EXPECT_STREQ(world_resource(world, "d")->name, "/workspace/bin/d");
}

/* Under a name that leads to another program, that one is not replaced. */
TEST_F(bind, tool_of_another_name)
{
	struct world *world = &self->world;
	char *awk cleanup_free = realpath("/usr/bin/awk", NULL);
	const struct object *tool;

	if (!awk || !strncmp(strrchr(awk, '/'), "/awk", 4))
		SKIP("awk is no link to another name");
	BIND("resource awk : tool(host) = \"awk\"\n"
	     "grant a execute awk" FROM,
	     "bind awk to fixture tool");
	tool = world_resource(world, "awk");
	EXPECT_EQ(tool->nr_paths, 1);
	EXPECT_FALSE(object_has_path(tool, awk));
}

/* ---- endpoints */

static bool has_key(const struct object *object, const char *address,
		    unsigned int port, unsigned int protocol)
{
	unsigned char bytes[16] = { 0 };
	unsigned int v4[4];
	size_t i;

	if (sscanf(address, "%u.%u.%u.%u", &v4[0], &v4[1], &v4[2], &v4[3]) ==
	    4) {
		bytes[10] = bytes[11] = 0xff;
		for (i = 0; i < 4; i++)
			bytes[12 + i] = (unsigned char)v4[i];
	}
	for (i = 0; i < object->nr_keys; i++)
		if (!memcmp(object->keys[i].address, bytes, 16) &&
		    object->keys[i].port == port &&
		    object->keys[i].protocol == protocol)
			return true;
	return false;
}

TEST_F(bind, endpoints)
{
	struct world *world = &self->world;
	const struct object *b;

	BIND("resource b : endpoint(remote) = tcp \"b.example\" port 22\n"
	     "resource a : endpoint(remote) = tcp \"a.example\" port 443\n"
	     "resource b2 : endpoint(remote) = tcp \"b.example\" port 80\n"
	     "resource own : endpoint(remote) = udp \"198.18.0.3\" port 53\n"
	     "resource c : endpoint(remote) = tcp \"c.example\" port any\n"
	     "resource six : endpoint(remote) = tcp \"2001:db8::1\" port 1\n"
	     "resource here : endpoint(local) = tcp \"localhost\" port 3000\n"
	     "resource port : port(local) = tcp 8080\n",
	     "bind b to fixture endpoint sink\n"
	     "bind a to fixture endpoint sink\n"
	     "bind b2 to fixture endpoint sink\n"
	     "bind own to fixture endpoint sink\n"
	     "bind c to fixture endpoint sink\n"
	     "bind six to fixture endpoint sink");
	check_bound(world);
	b = world_resource(world, "b");
	EXPECT_STREQ(b->name, "tcp b.example 22");
	EXPECT_STREQ(b->hostname, "b.example");
	EXPECT_TRUE(b->sink);
	ASSERT_EQ(b->nr_keys, 2);
	/* In order of declaration; a name has one address. */
	EXPECT_TRUE(has_key(b, "198.18.0.1", 22, AL_PROTOCOL_TCP));
	EXPECT_EQ(b->keys[1].address[0], 0xfd);
	EXPECT_TRUE(has_key(world_resource(world, "a"), "198.18.0.2", 443,
			    AL_PROTOCOL_TCP));
	EXPECT_TRUE(has_key(world_resource(world, "b2"), "198.18.0.1", 80,
			    AL_PROTOCOL_TCP));
	/* A literal address keeps its own, so nobody else gets it. */
	EXPECT_TRUE(has_key(world_resource(world, "own"), "198.18.0.3", 53,
			    AL_PROTOCOL_UDP));
	EXPECT_TRUE(has_key(world_resource(world, "c"), "198.18.0.4", 0,
			    AL_PROTOCOL_TCP));
	EXPECT_EQ(world_resource(world, "six")->nr_keys, 1);
	EXPECT_FALSE(world_resource(world, "here")->sink);
	EXPECT_TRUE(has_key(world_resource(world, "here"), "127.0.0.1", 3000,
			    AL_PROTOCOL_TCP));
	EXPECT_EQ(world_resource(world, "port")->keys[0].side, AL_SIDE_LOCAL);
	EXPECT_HAS_SUBSTR(content_at(world, "/etc/hosts")->data,
			  "127.0.0.1\tlocalhost\n");
	EXPECT_HAS_SUBSTR(content_at(world, "/etc/hosts")->data,
			  "198.18.0.1\tb.example\nfd00:616c::1\tb.example\n"
			  "198.18.0.2\ta.example\n");
	EXPECT_HAS_SUBSTR(content_at(world, "/etc/hosts")->data,
			  "198.18.0.4\tc.example\n");
}

/* All errors of a program in one run, each with the line to write. */
TEST_F(bind, endpoints_unbound)
{
	struct world *world = &self->world;

	REFUSE("resource victim : endpoint(remote) = tcp \"victim-host\" port "
	       "22\n"
	       "resource wide : endpoint(remote) = tcp \"10.0.0.0/8\" port "
	       "any\n"
	       "resource star : endpoint(remote) = tcp \"*.x.example\" port "
	       "any\n"
	       "resource reg : endpoint(remote) = registry \"no-such\"\n"
	       "resource git : endpoint(remote) = remote \"origin\"\n"
	       "grant upload.connect connect victim" FROM,
	       "bind wide to fixture endpoint sink\n"
	       "bind star to fixture endpoint sink\n"
	       "bind reg to fixture endpoint sink\n"
	       "bind git to fixture endpoint sink\n",
	       "grant upload.connect (connect victim): endpoint(remote) tcp "
	       "\"victim-host\" port 22: nothing is bound to it | bind victim "
	       "to fixture endpoint sink",
	       "single hosts", "single hosts", "no such registry",
	       "git remotes");
	EXPECT_STREQ(world->err->hint, "bind victim to fixture endpoint sink");
	EXPECT_STREQ(world->err->at.file, "world.sdl");
	EXPECT_EQ(world->err->at.start.line, 2);
}

TEST_F(bind, registries)
{
	struct world *world = &self->world;
	const struct object *npm;

	BIND("resource npm : endpoint(remote) = registry \"npm\"\n"
	     "resource host : endpoint(remote) = tcp \"registry.npmjs.org\" "
	     "port 443\n",
	     "bind npm to fixture endpoint sink\n"
	     "bind host to fixture endpoint sink\n"
	     "baseline connect on endpoint(remote) registry \"pypi\"");
	npm = world_resource(world, "npm");
	EXPECT_EQ(npm, world_resource(world, "host"));
	EXPECT_TRUE(has_key(npm, "198.18.0.1", 443, AL_PROTOCOL_TCP));
	/* What a baseline connects to ends in a sink too. */
	EXPECT_TRUE(
		world->bound->objects[world->bound->baseline_objects[0]].sink);
	EXPECT_HAS_SUBSTR(content_at(world, "/etc/hosts")->data,
			  "198.18.0.1\tregistry.yarnpkg.com\n");
	EXPECT_HAS_SUBSTR(content_at(world, "/etc/hosts")->data,
			  "198.18.0.2\tfiles.pythonhosted.org\n");
}

/* Which object the guard would find for an address and port. */
static const struct object *look_up(const struct world *world,
				    const char *address, unsigned int port)
{
	const struct {
		const char *address;
		unsigned int port;
	} order[] = {
		{ address, port }, { address, 0 }, { "", port }, { "", 0 }
	};
	const struct object *found = NULL;
	size_t i, k;

	for (k = 0; !found && k < ARRAY_SIZE(order); k++)
		for (i = 0; i < world->bound->nr_objects; i++) {
			const struct object *object = &world->bound->objects[i];

			if (!has_key(object, order[k].address, order[k].port,
				     AL_PROTOCOL_TCP))
				continue;
			/* One key, one object. */
			EXPECT_NULL(found);
			found = object;
		}
	return found;
}

/* Is an object, or one that it lies within, the resource's? */
static bool covered(const struct world *world, const struct object *object,
		    const char *resource)
{
	const struct object *outer = world_resource(world, resource);
	size_t i;

	if (!object || object == outer)
		return object;
	for (i = 0; i < object->nr_within; i++)
		if (object->within[i] == outer->id)
			return true;
	return false;
}

TEST_F(bind, overlaps)
{
	struct world *world = &self->world;
	static const struct {
		const char *name;
		const char *address; /* "": any */
		unsigned int low, high;
	} sets[] = {
		{ "all", "", 1, 65535 },
		{ "ssh", "", 22, 22 },
		{ "host", "10.0.0.1", 1, 65535 },
		{ "low", "10.0.0.1", 20, 30 },
		{ "high", "10.0.0.1", 25, 40 },
		{ "other", "10.0.0.2", 22, 80 },
	};
	static const char *const addresses[] = { "10.0.0.1", "10.0.0.2",
						 "10.0.0.3" };
	static const unsigned int ports[] = { 1,  19, 20, 21, 22, 24, 25,
					      30, 31, 40, 41, 80, 81, 443 };
	size_t a, p, s;

	BIND("resource all : endpoint(remote) = tcp \"*\" port any\n"
	     "resource ssh : endpoint(remote) = tcp \"*\" port 22\n"
	     "resource host : endpoint(remote) = tcp \"10.0.0.1\" port any\n"
	     "resource low : endpoint(remote) = tcp \"10.0.0.1\" port 20-30\n"
	     "resource high : endpoint(remote) = tcp \"10.0.0.1\" port 25-40\n"
	     "resource other : endpoint(remote) = tcp \"10.0.0.2\" port "
	     "22-80\n",
	     "bind all to fixture endpoint sink\n"
	     "bind ssh to fixture endpoint sink\n"
	     "bind host to fixture endpoint sink\n"
	     "bind low to fixture endpoint sink\n"
	     "bind high to fixture endpoint sink\n"
	     "bind other to fixture endpoint sink");
	check_bound(world);
	for (a = 0; a < ARRAY_SIZE(addresses); a++)
		for (p = 0; p < ARRAY_SIZE(ports); p++) {
			const struct object *object =
				look_up(world, addresses[a], ports[p]);

			ASSERT_NOT_NULL(object);
			EXPECT_TRUE(object->sink);
			for (s = 0; s < ARRAY_SIZE(sets); s++) {
				bool in = ports[p] >= sets[s].low &&
					  ports[p] <= sets[s].high &&
					  (!*sets[s].address ||
					   !strcmp(sets[s].address,
						   addresses[a]));

				EXPECT_EQ(covered(world, object, sets[s].name),
					  in)
				{
					TH_LOG("%s %u in %s (%s)", addresses[a],
					       ports[p], sets[s].name,
					       object->name);
				}
			}
		}
	/* A range that would need more keys than the guard holds. */
	REFUSE("resource all : endpoint(remote) = tcp \"10.0.0.1\" port "
	       "1-30000\n",
	       "bind all to fixture endpoint sink",
	       "more than 4096 addresses and ports | write \"any\"");
}

/* ---- exceptions */

TEST_F(bind, control_files)
{
	struct world *world = &self->world;
	static const char *const excepted[] = {
		/* there */
		"/workspace/.git/hooks",
		"/workspace/.git/config",
		"/workspace/sub/.env",
		"/workspace/sub/.env.test",
		"/workspace/deep/down/id_rsa.pub",
		"/workspace/server.pem",
		"/workspace/.claude",
		/* not yet */
		"/workspace/.mcp.json",
		"/workspace/.cursor",
		"/workspace/.github/workflows",
		"/workspace/.env",
	};
	static const char *const ordinary[] = {
		"/workspace/README.md",
		"/workspace/.git/HEAD",
		"/workspace/sub/environment",
		"/workspace/AGENTS.md",
	};
	size_t i;

	for (i = 0; i < 7; i++) {
		char *name cleanup_free =
			xasprintf("project%s%s", excepted[i] + 10,
				  strstr(excepted[i], "hooks") ||
						  strstr(excepted[i], "claude")
					  ? "/x"
					  : "");

		ASSERT_TRUE(world_file(world, name, ""));
	}
	for (i = 0; i < 3; i++) {
		char *name cleanup_free =
			xasprintf("project%s", ordinary[i] + 10);

		ASSERT_TRUE(world_file(world, name, ""));
	}
	ASSERT_TRUE(
		world_link(world, "project/innocent", "project/server.pem"));
	BIND("", "baseline read write on dir(workspace) \".\" except "
		 "control-files");
	check_bound(world);
	for (i = 0; i < ARRAY_SIZE(excepted); i++) {
		const struct object *object = world_object(world, excepted[i]);

		ASSERT_NOT_NULL(object)
		{
			TH_LOG("%s", excepted[i]);
		}
		EXPECT_TRUE(object->excepted);
		EXPECT_EQ(object->absent, i >= 7);
		EXPECT_TRUE(object_within(world, object, "/workspace"));
	}
	EXPECT_TRUE(world_object(world, "/workspace/.git/hooks")->tree);
	EXPECT_TRUE(world_object(world, "/workspace/.cursor")->tree);
	EXPECT_FALSE(world_object(world, "/workspace/.env")->tree);
	/* By its other name it is the same. */
	EXPECT_EQ(world_object(world, "/workspace/innocent"),
		  world_object(world, "/workspace/server.pem"));
	for (i = 0; i < ARRAY_SIZE(ordinary); i++) {
		const struct object *object = world_object(world, ordinary[i]);

		EXPECT_FALSE(object && object->excepted)
		{
			TH_LOG("%s", ordinary[i]);
		}
	}
	/* Without the table nothing is. */
	BIND("", "baseline read write on dir(workspace) \".\"");
	for (i = 0; i < world->bound->nr_objects; i++)
		EXPECT_FALSE(world->bound->objects[i].excepted);
}

/* A name that is a link cannot be made one that is not, either. */
TEST_F(bind, linked_control_files)
{
	struct world *world = &self->world;

	ASSERT_TRUE(world_file(world, "project/agents/x", ""));
	ASSERT_TRUE(world_symlink(world, "project/.claude", "agents"));
	ASSERT_TRUE(world_symlink(world, "project/.env", "/etc/passwd"));
	BIND("", "baseline read write on dir(workspace) \".\" except "
		 "control-files");
	check_bound(world);
	EXPECT_TRUE(world_object(world, "/workspace/.claude")->excepted);
	EXPECT_FALSE(world_object(world, "/workspace/.claude")->absent);
	EXPECT_FALSE(world_object(world, "/workspace/.claude")->tree);
	EXPECT_TRUE(world_object(world, "/workspace/agents")->excepted);
	EXPECT_TRUE(world_object(world, "/workspace/agents")->tree);
	EXPECT_TRUE(world_object(world, "/workspace/.env")->excepted);
	EXPECT_NULL(world_object(world, "/etc/passwd"));
}

/* The rule stays readable wherever it lies. */
TEST_F(bind, rule_is_no_control_file)
{
	struct world *world = &self->world;

	world->manifest.place = ".cursor/rules/x.mdc";
	ASSERT_TRUE(world_file(world, "project/.cursor/mcp.json", "{}"));
	BIND("", "baseline read on dir(workspace) \".\" except control-files, "
		 "\".cursor/rules/*.mdc\"");
	EXPECT_TRUE(world_object(world, "/workspace/.cursor")->excepted);
	EXPECT_FALSE(world->bound->objects[world->bound->rule_object].excepted);
	EXPECT_TRUE(world->bound->objects[world->bound->rule_object].task);
	EXPECT_STREQ(world->bound->objects[world->bound->rule_object].name,
		     "/workspace/.cursor/rules/x.mdc");
}

TEST_F(bind, excepted_paths)
{
	struct world *world = &self->world;

	ASSERT_TRUE(world_file(world, "project/d/a.key", ""));
	ASSERT_TRUE(world_file(world, "project/d/b.txt", ""));
	ASSERT_TRUE(world_file(world, "project/e/f/c.key", ""));
	BIND("", "baseline read on dir(workspace) \".\" except \"d/*.key\", "
		 "\"e\", \"later\"\n"
		 "baseline read on dir(host) \"/usr\" except \"share/doc\"");
	EXPECT_TRUE(world_object(world, "/workspace/d/a.key")->excepted);
	EXPECT_NULL(world_object(world, "/workspace/d/b.txt"));
	EXPECT_TRUE(world_object(world, "/workspace/e")->excepted);
	EXPECT_TRUE(world_object(world, "/workspace/e")->tree);
	EXPECT_TRUE(world_object(world, "/workspace/later")->absent);
	EXPECT_TRUE(world_object(world, "/usr/share/doc")->excepted);
	REFUSE("", "baseline read on dir(host) \"/usr\" except \"share/d*\"",
	       "patterns are for directories of a branch's own");
}

/* What an object permits without any grant. */
static uint32_t baseline_allows(const struct world *world, const char *path)
{
	bool with[16] = { false };
	struct authority *authority = authority_synthesize(world->bound, with);
	const struct object *object = world_object(world, path);
	uint32_t allow = object ? authority->allow[object->id] : ~0u;

	authority_free(authority);
	return allow;
}

/* The given solution can always be applied. */
TEST_F(bind, task_files)
{
	struct world *world = &self->world;

	ASSERT_TRUE(world_file(world, "project/src/cart.py", "old"));
	ASSERT_TRUE(world_file(world, "project/src/other.py", "old"));
	ASSERT_TRUE(world_file(world, "solution/src/cart.py", "new"));
	ASSERT_TRUE(world_file(world, "solution/src/sub/new.py", "new"));
	ASSERT_TRUE(world_file(world, "solution/.vscode/tasks.json", "{}"));
	ASSERT_TRUE(world_file(world, "solution/plain.py", "new"));
	BIND("resource src : dir(workspace) = \"src\"\n"
	     "resource other : file(workspace) = \"src/other.py\"\n"
	     "grant s read src" FROM,
	     "baseline read write on dir(workspace) \".\" except "
	     "control-files");
	check_bound(world);
	EXPECT_TRUE(world_object(world, "/workspace/src/cart.py")->task);
	EXPECT_FALSE(world_object(world, "/workspace/src/cart.py")->absent);
	EXPECT_TRUE(world_object(world, "/workspace/src/sub")->task);
	EXPECT_TRUE(world_object(world, "/workspace/src/sub")->absent);
	EXPECT_TRUE(world_object(world, "/workspace/.vscode/tasks.json")->task);
	EXPECT_FALSE(world_object(world, "/workspace/src")->task);
	EXPECT_FALSE(world_object(world, "/workspace/src/other.py")->task);
	/* The solution makes it. */
	EXPECT_TRUE(world_object(world, "/workspace/.vscode")->task);
	/* Where the baseline reaches anyway no object is needed. */
	EXPECT_NULL(world_object(world, "/workspace/plain.py"));

	/* So no deletion of a grant can keep the solution from being applied. */
	EXPECT_EQ(baseline_allows(world, "/workspace/src/cart.py"),
		  AL_OP_READ | AL_OP_WRITE);
	EXPECT_EQ(baseline_allows(world, "/workspace/.vscode/tasks.json"),
		  AL_OP_READ | AL_OP_WRITE);
	EXPECT_EQ(baseline_allows(world, "/workspace/src/other.py"), 0);
	EXPECT_EQ(baseline_allows(world, "/workspace/.cursor"), 0);
}

/* ---- environment */

static const char *variable(const struct world *world, const char *name,
			    uint32_t *ret_object)
{
	size_t length = strlen(name), i;

	for (i = 0; world->bound->environment[i]; i++) {
		const char *entry = world->bound->environment[i];

		if (strncmp(entry, name, length) || entry[length] != '=')
			continue;
		*ret_object = world->bound->env_objects[i];
		return entry + length + 1;
	}
	return NULL;
}

TEST_F(bind, environment)
{
	struct world *world = &self->world;
	const struct object *home;
	uint32_t object = 1;

	setenv("ALETHEIA_TEST_REAL", "real", 1);
	setenv("ALETHEIA_TEST_OTHER", "other", 1);
	BIND("resource token : env(host) = \"GITHUB_TOKEN\"\n"
	     "resource mode : env(host) = \"MODE\"\n"
	     "resource real : env(host) = \"ALETHEIA_TEST_REAL\"\n"
	     "resource home : env(host) = \"HOME\"\n"
	     "grant t getenv token" FROM "grant h getenv home" FROM,
	     "bind token to fixture env { canary }\n"
	     "bind mode to fixture env { content \"fast\" }\n"
	     "bind real to real");
	EXPECT_STREQ(variable(world, "HOME", &object), "/home/agent");
	EXPECT_EQ(object, 0);
	EXPECT_STREQ(variable(world, "PATH", &object), BRANCH_PATH);
	EXPECT_STREQ(variable(world, "GITHUB_TOKEN", &object),
		     world->bound->canaries[0].token);
	EXPECT_EQ(object, world_resource(world, "token")->id);
	EXPECT_EQ(world_resource(world, "token")->sensitive, CLASS_CREDENTIAL);
	EXPECT_STREQ(variable(world, "MODE", &object), "fast");
	EXPECT_EQ(world_resource(world, "mode")->sensitive, CLASS_ANY);
	EXPECT_STREQ(variable(world, "ALETHEIA_TEST_REAL", &object), "real");
	/* Nothing is inherited. */
	EXPECT_NULL(variable(world, "ALETHEIA_TEST_OTHER", &object));
	/* Everyone has a home. */
	home = world_resource(world, "home");
	EXPECT_TRUE(has_dependency(
		world, &world->bound->objects[world->bound->rule_object],
		AL_OP_READ, home, AL_OP_GETENV));
	EXPECT_FALSE(has_dependency(
		world, &world->bound->objects[world->bound->rule_object],
		AL_OP_READ, world_resource(world, "token"), AL_OP_GETENV));
	REFUSE("resource x : env(host) = \"NOT_SET_ANYWHERE\"\n"
	       "resource y : env(host) = \"NOR_THIS\"\n"
	       "grant x getenv x" FROM,
	       "bind y to real\n"
	       "baseline getenv on env(host) \"NOT_THIS\"",
	       "grant x (getenv x): nothing sets the variable "
	       "NOT_SET_ANYWHERE | bind x to fixture env { canary }",
	       "NOR_THIS is not set here",
	       "nothing sets the variable NOT_THIS");
}

/* ---- the shipped baseline */

TEST_F(bind, standard)
{
	static const char *const lookers[] = { "whoami", "id",	  "w",
					       "last",	 "uname", "hostname",
					       "env",	 "ps",	  "getent",
					       "who",	 "groups" };
	struct world *world = &self->world;
	const struct program *program;
	const struct bound *bound;
	char *cat cleanup_free = realpath("/bin/cat", NULL);
	size_t i, k, nr = 0, absent = 0;

	BIND("", "use standard");
	check_bound(world);
	program = world->program;
	bound = world->bound;
	for (i = 0; i < program->nr_baselines; i++) {
		const struct baseline *baseline = &program->baselines[i];
		const struct object *object =
			&bound->objects[bound->baseline_objects[i]];

		if (!bound->baseline_objects[i]) {
			absent++;
			continue;
		}
		nr++;
		EXPECT_EQ(object->sensitive, CLASS_ANY)
		{
			TH_LOG("%s", object->name);
		}
		EXPECT_FALSE(object->declared);
		/* No baseline tree has anything sensitive that is known. */
		for (k = 0; k < bound->nr_objects; k++)
			EXPECT_FALSE(bound->objects[k].sensitive != CLASS_ANY &&
				     object_within(world, &bound->objects[k],
						   object->name));
		if (baseline->selector.kind != RESOURCE_TOOL)
			continue;
		for (k = 0; k < ARRAY_SIZE(lookers); k++)
			EXPECT_STRNE(baseline->selector.name, lookers[k]);
		EXPECT_TRUE(has_dependency(world, object, AL_OP_EXECUTE, object,
					   AL_OP_READ));
	}
	TH_LOG("%zu objects, %zu not on this machine", nr, absent);
	EXPECT_GT(nr, 60);
	EXPECT_NOT_NULL(world_object(world, cat));
	EXPECT_NULL(world_object(world, "/etc/passwd"));
	EXPECT_NULL(world_object(world, "/etc/shadow"));
	EXPECT_NOT_NULL(world_object(world, "/etc/nsswitch.conf"));
	/* In the user's own setup, what is not there is an error. */
	REFUSE("",
	       "use standard\nbaseline read on file(host) \"/etc/no-such\"\n"
	       "baseline execute on tool(host) \"no-such-tool\"",
	       "the baseline: file(host) \"/etc/no-such\": it does not exist "
	       "in a "
	       "branch | remove the line",
	       "the baseline: tool(host) \"no-such-tool\": this machine has no "
	       "such program | install it");
}

/* A tool that the rule asks for is one object, in the baseline or not. */
TEST_F(bind, declared_tool)
{
	struct world *world = &self->world;

	BIND("resource cat : tool(host) = \"cat\"\n"
	     "resource whoami : tool(host) = \"whoami\"\n"
	     "grant c execute cat" FROM "grant w execute whoami" FROM,
	     "use standard");
	EXPECT_TRUE(
		object_within(world, world_resource(world, "whoami"), "/usr"));
	EXPECT_TRUE(world_resource(world, "whoami")->declared);
	EXPECT_TRUE(world_resource(world, "cat")->declared);
}

/* ---- what cannot be bound */

TEST_F(bind, not_in_this_version)
{
	struct world *world = &self->world;

	REFUSE("resource p : process(host) = \"sshd\"\n"
	       "resource s : socket(host) = \"/run/docker.sock\"\n"
	       "resource d : device(host) = \"/dev/sda\"\n"
	       "grant p signal p" FROM "grant s connect s" FROM
	       "grant d read d" FROM,
	       "", "this version cannot bind processes",
	       "it does not exist in a branch", "a branch has no such device");
	BIND("resource k : kernel(host) = \"reboot\"\n"
	     "resource s : socket(workspace) = \"my.sock\"\n"
	     "resource n : device(host) = \"/dev/null\"\n"
	     "grant k kernel k" FROM "grant s bind s" FROM
	     "grant n write n" FROM,
	     "");
	EXPECT_STREQ(world_resource(world, "k")->name, "kernel reboot");
	EXPECT_TRUE(world_resource(world, "s")->absent);
	EXPECT_STREQ(world_resource(world, "n")->name, "/dev/null");
}

TEST_F(bind, project_in_the_way)
{
	struct world *world = &self->world;
	char *fifo cleanup_free = xasprintf("%s/project/fifo", world->dir);

	ASSERT_EQ(mkfifo(fifo, 0644), 0);
	ASSERT_TRUE(world_directory(world, "project/AGENTS.md"));
	REFUSE("resource a : file(workspace) = \"a\"\ngrant a read a" FROM, "",
	       "/workspace/fifo: a FIFO cannot be copied",
	       "the rule's place: /workspace/AGENTS.md: a directory is in the "
	       "way",
	       "bind a to fixture file");
}
