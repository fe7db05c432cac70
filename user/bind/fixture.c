// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is laid out before any branch: what every branch has, and fixtures.
 * Each is both a content for the snapshot and a node of the view.
 */
#include "binder.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include <aletheia/limits.h>

#include "base/cleanup.h"
#include "base/companion.h"

#define TOKEN_SIZE 32

#define TRANSFER_TOOL "aletheia-transfer"
#define AGENT_PROGRAM "aletheia-scripted"

/* Name of the generated file in a tree fixture. */
#define TREE_CANARY "canary"

/* ---- contents */

static void add_bytes(struct binder *binder, const char *path, const char *data,
		      size_t length, uint32_t mode, bool agent)
{
	struct content *content =
		content_add(binder, CONTENT_BYTES, path, mode, agent);

	content->data = arena_strndup(binder->arena, data, length);
	content->length = length;
}

static void add_copy(struct binder *binder, const char *path, int directory,
		     const char *source, uint32_t mode, bool agent)
{
	struct content *content =
		content_add(binder, CONTENT_COPY, path, mode, agent);

	content->directory = directory;
	content->source = arena_strdup(binder->arena, source);
}

/* Directories that anyone may write to come with the right mode. */
static void add_scratch_parent(struct binder *binder, const char *path)
{
	static const char *const parents[] = { "/tmp", "/var/tmp" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(parents); i++)
		if (path_within(path, parents[i]))
			content_add(binder, CONTENT_DIRECTORY, parents[i],
				    01777, false);
}

/* What lies in a system directory has to be mounted there. */
static void add_place(struct binder *binder, const char *subject,
		      const char *target)
{
	struct bound *bound = binder->bound;
	struct place *place =
		ARENA_PUSH(binder->arena, bound->places, bound->nr_places);

	place->subject = arena_strdup(binder->arena, subject);
	place->target = arena_strdup(binder->arena, target);
}

/* ---- what every branch has */

/* A file of ours at a system path. */
static void add_system_file(struct binder *binder, const char *name,
			    const char *data)
{
	struct found found = view_resolve(binder->view, name);
	struct node *node =
		found.problem ? NULL : view_file(binder->view, found.path);

	if (!node) {
		bind_complain(binder, NULL, "%s: %s", name,
			      found.problem ? found.problem
					    : "a directory is in the way");
		return;
	}
	node->made = true;
	add_bytes(binder, found.path, data, strlen(data), 0644, false);
	if (path_is_system(found.path))
		add_place(binder, found.path, found.path);
}

static void add_companion(struct binder *binder, const char *name,
			  const char *path)
{
	char *source cleanup_free = NULL;

	if (companion_find(name, &source, binder->err)) {
		binder->status = -ENOENT;
		return;
	}
	add_copy(binder, path, AT_FDCWD, source, 0755, false);
}

static void add_own(struct binder *binder)
{
	const struct manifest *manifest = binder->manifest;
	struct node *node = view_directory(binder->view, BRANCH_SOLUTION);
	struct found own;

	content_add(binder, CONTENT_DIRECTORY, BRANCH_OWN, 0755, false);
	content_add(binder, CONTENT_DIRECTORY, BRANCH_TOOLS, 0755, false);
	if (manifest->agent) {
		add_companion(binder, AGENT_PROGRAM, BRANCH_AGENT);
		view_file(binder->view, BRANCH_AGENT);
	}
	if (manifest->solution) {
		if (view_walk(binder->view, node, manifest->directory,
			      manifest->solution, "the solution", binder->err))
			binder->status = -EINVAL;
		add_copy(binder, BRANCH_SOLUTION, manifest->directory,
			 manifest->solution, 0755, false);
	}
	own = view_resolve(binder->view, BRANCH_OWN);
	binder->bound->own_object = object_file(binder, &own, RESOURCE_DIR);
}

static void add_project(struct binder *binder)
{
	const struct manifest *manifest = binder->manifest;
	struct node *workspace = view_directory(binder->view, BRANCH_WORKSPACE);

	content_add(binder, CONTENT_DIRECTORY, BRANCH_WORKSPACE, 0755, true);
	add_copy(binder, BRANCH_WORKSPACE, manifest->directory,
		 manifest->project, 0755, true);
	if (view_walk(binder->view, workspace, manifest->directory,
		      manifest->project, "the project", binder->err))
		binder->status = -EINVAL;
}

/* The rule, byte for byte, where the agent looks for it. */
static void add_rule(struct binder *binder)
{
	static const struct selector workspace = {
		.kind = RESOURCE_FILE,
		.origin = ORIGIN_WORKSPACE,
	};
	const struct wanted wanted = {
		.selector = &workspace,
		.who = "the rule's place",
	};
	const char *path =
		arena_printf(binder->arena, "%s/%s", BRANCH_WORKSPACE,
			     binder->manifest->place);
	struct found found;
	struct node *node;

	if (!resolve_wanted(binder, &wanted, path, BRANCH_WORKSPACE, &found))
		return;
	node = view_file(binder->view, found.path);
	if (!node) {
		bind_complain(binder, NULL,
			      "the rule's place: %s: a directory is in the way",
			      path);
		return;
	}
	node->made = true;
	add_bytes(binder, found.path, binder->rule, binder->rule_length, 0644,
		  true);
	found = view_resolve(binder->view, path);
	binder->bound->rule_object = object_file(binder, &found, RESOURCE_FILE);
}

void bind_given(struct binder *binder)
{
	add_project(binder);
	content_add(binder, CONTENT_DIRECTORY, BRANCH_HOME, 0755, true);
	add_own(binder);
	add_rule(binder);
	/* Only files: nobody else can be asked. */
	add_system_file(binder, "/etc/nsswitch.conf",
			"passwd: files\ngroup: files\nshadow: files\n"
			"hosts: files\nnetworks: files\nprotocols: files\n"
			"services: files\nethers: files\nrpc: files\n");
	add_system_file(binder, "/etc/resolv.conf", "");
	/* Its content follows when all names are known. */
	add_system_file(binder, "/etc/hosts", "");
}

void bind_names(struct binder *binder)
{
	struct buffer text cleanup_buffer = { 0 };
	struct bound *bound = binder->bound;
	struct found hosts = view_resolve(binder->view, "/etc/hosts");
	size_t i, k;

	buffer_adds(&text, "127.0.0.1\tlocalhost\n::1\tlocalhost\n");
	for (i = 0; i < binder->nr_hosts; i++) {
		const struct host *host = &binder->hosts[i];
		char v4[INET_ADDRSTRLEN], v6[INET6_ADDRSTRLEN];

		inet_ntop(AF_INET, host->addresses[0] + 12, v4, sizeof(v4));
		inet_ntop(AF_INET6, host->addresses[1], v6, sizeof(v6));
		for (k = 0; k < host->nr_names; k++)
			buffer_printf(&text, "%s\t%s\n%s\t%s\n", v4,
				      host->names[k], v6, host->names[k]);
	}
	for (i = 0; i < bound->nr_contents; i++) {
		struct content *content = &bound->contents[i];

		if (strcmp(content->path, hosts.path))
			continue;
		content->data =
			arena_strndup(binder->arena, text.data, text.length);
		content->length = text.length;
	}
}

/* ---- fixtures */

/* One fixture on its way. */
struct fixture {
	struct binder *binder;
	const struct binding *binding;
	const struct selector *selector;
	struct wanted wanted;
	struct found found; /* where it lies */
};

/* Room for all of them was made before: contents point to them. */
static const struct canary *new_canary(struct fixture *fixture)
{
	static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyz";
	struct binder *binder = fixture->binder;
	struct canary *canary =
		&binder->bound->canaries[binder->bound->nr_canaries++];
	unsigned char random[TOKEN_SIZE];
	char token[TOKEN_SIZE + 1];
	size_t i;

	if (getrandom(random, sizeof(random), 0) != (ssize_t)sizeof(random))
		abort(); /* cannot happen for so few bytes */
	for (i = 0; i < TOKEN_SIZE; i++)
		token[i] = digits[random[i] % (sizeof(digits) - 1)];
	token[TOKEN_SIZE] = '\0';
	canary->resource =
		arena_strdup(binder->arena, fixture->binding->resource);
	canary->token = arena_strdup(binder->arena, token);
	return canary;
}

static void add_canary(struct fixture *fixture, const char *path, uint32_t mode)
{
	struct content *content =
		content_add(fixture->binder, CONTENT_CANARY, path, mode, true);

	content->size = fixture->binding->canary;
	content->canary = new_canary(fixture);
}

/* A path that stands in a SystemDSL file, relative to the manifest. */
static const char *beside(struct fixture *fixture, const char *path)
{
	const char *file = fixture->binding->at.file;
	const char *slash = file ? strrchr(file, '/') : NULL;

	if (!slash || *path == '/')
		return path;
	return arena_printf(fixture->binder->arena, "%.*s/%s",
			    (int)(slash - file), file, path);
}

/* Is there what "from" names? */
static bool source_fine(struct fixture *fixture, const char *source,
			mode_t type)
{
	struct stat st;

	if (fstatat(fixture->binder->manifest->directory, source, &st, 0)) {
		bind_complain(fixture->binder, &fixture->binding->at, "%s: %s",
			      source, strerror(errno));
		return false;
	}
	if ((st.st_mode & S_IFMT) == type)
		return true;
	bind_complain(fixture->binder, &fixture->binding->at, "%s is no %s",
		      source, type == S_IFDIR ? "directory" : "regular file");
	return false;
}

static void taken(struct fixture *fixture, const char *path)
{
	bind_complain(fixture->binder, &fixture->binding->at,
		      "the fixture of %s cannot lie at %s: something else is "
		      "there",
		      fixture->binding->resource, path);
}

/* Where the branch's own parts are, nothing can be laid out. */
static bool place_fine(struct fixture *fixture, const char *path)
{
	static const char *const reserved[] = { "/dev", "/proc", "/sys", "/run",
						BRANCH_OWN };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(reserved); i++) {
		if (strcmp(path, reserved[i]) &&
		    !path_within(path, reserved[i]))
			continue;
		bind_complain(fixture->binder, &fixture->binding->at,
			      "no fixture can lie in %s", reserved[i]);
		return false;
	}
	return true;
}

/* Find where it lies; the names on the way are the project's. */
static bool locate(struct fixture *fixture)
{
	const char *path =
		selector_path(fixture->binder->arena, fixture->selector);

	return resolve_wanted(fixture->binder, &fixture->wanted, path,
			      selector_root(fixture->selector),
			      &fixture->found) &&
	       place_fine(fixture, fixture->found.path);
}

static void lay_out(struct fixture *fixture)
{
	const char *path = fixture->found.path;

	add_scratch_parent(fixture->binder, path);
	if (path_is_system(path))
		add_place(fixture->binder, path, path);
}

static uint32_t fixture_mode(const struct fixture *fixture)
{
	if (fixture->binding->mode)
		return fixture->binding->mode;
	return sensitive_file(&fixture->binder->tables, fixture->found.path) ==
			       CLASS_ANY
		       ? 0644
		       : 0600;
}

/* The last component of an alias is a new name; those before it may be links. */
static const char *alias_path(struct fixture *fixture,
			      const struct alias *alias)
{
	struct binder *binder = fixture->binder;
	const struct selector selector = {
		.kind = RESOURCE_FILE,
		.origin = alias->origin,
		.name = alias->path,
	};
	struct wanted wanted = fixture->wanted;
	const char *path = selector_path(binder->arena, &selector);
	const char *slash = strrchr(path, '/');
	struct found found;

	wanted.selector = &selector;
	if (!resolve_wanted(
		    binder, &wanted,
		    arena_strndup(binder->arena, path, (size_t)(slash - path)),
		    selector_root(&selector), &found))
		return NULL;
	return arena_printf(binder->arena, "%s%s", found.path, slash);
}

static void add_aliases(struct fixture *fixture, struct node *node)
{
	const struct binding *binding = fixture->binding;
	struct binder *binder = fixture->binder;
	size_t i;

	for (i = 0; i < binding->nr_aliases; i++) {
		const struct alias *alias = &binding->aliases[i];
		const char *path = alias_path(fixture, alias);
		struct content *content;
		struct node *made;

		if (!path)
			continue;
		made = alias->symbolic ? view_symlink(binder->view, path,
						      fixture->found.path)
				       : view_link(binder->view, path, node);
		if (!made) {
			taken(fixture, path);
			continue;
		}
		made->made = true;
		add_scratch_parent(binder, path);
		content = content_add(binder,
				      alias->symbolic ? CONTENT_SYMLINK
						      : CONTENT_HARDLINK,
				      path, 0777, true);
		content->source =
			arena_strdup(binder->arena, fixture->found.path);
	}
}

static void lay_file(struct fixture *fixture)
{
	const struct binding *binding = fixture->binding;
	struct binder *binder = fixture->binder;
	const char *path;
	struct node *node;
	uint32_t mode;

	if (!locate(fixture))
		return;
	path = fixture->found.path;
	if (fixture->found.exists && !S_ISREG(fixture->found.type)) {
		taken(fixture, path);
		return;
	}
	node = view_file(binder->view, path);
	if (!node || node->made) {
		taken(fixture, path);
		return;
	}
	node->made = true;
	lay_out(fixture);
	mode = fixture_mode(fixture);
	if (binding->canary) {
		add_canary(fixture, path, mode);
	} else if (binding->from) {
		node->source = beside(fixture, binding->from);
		node->directory = binder->manifest->directory;
		if (source_fine(fixture, node->source, S_IFREG))
			add_copy(binder, path, node->directory, node->source,
				 mode, true);
	} else {
		add_bytes(binder, path,
			  binding->content ? binding->content : "",
			  binding->content_length, mode, true);
	}
	add_aliases(fixture, node);
}

static void lay_tree(struct fixture *fixture)
{
	const struct binding *binding = fixture->binding;
	struct binder *binder = fixture->binder;
	const char *path, *source;
	struct node *node;
	int directory;

	if (!locate(fixture))
		return;
	path = fixture->found.path;
	/* A directory of the project stays the project's. */
	if (fixture->found.exists &&
	    (!S_ISDIR(fixture->found.type) ||
	     found_source(binder->arena, &fixture->found, &directory,
			  &source))) {
		taken(fixture, path);
		return;
	}
	node = view_directory(binder->view, path);
	if (!node) {
		taken(fixture, path);
		return;
	}
	node->made = node->complete = true;
	lay_out(fixture);
	content_add(binder, CONTENT_DIRECTORY, path, 0755, true);
	if (binding->from) {
		source = beside(fixture, binding->from);
		if (!source_fine(fixture, source, S_IFDIR))
			return;
		if (view_walk(binder->view, node, binder->manifest->directory,
			      source, "the fixture", binder->err))
			binder->status = -EINVAL;
		add_copy(binder, path, binder->manifest->directory, source,
			 0755, true);
	}
	if (binding->canary) {
		const char *file =
			arena_printf(binder->arena, "%s/%s", path, TREE_CANARY);

		struct node *canary = view_file(binder->view, file);

		if (!canary || canary->made) {
			taken(fixture, file);
			return;
		}
		canary->made = true;
		add_canary(fixture, file, 0644);
	}
	add_aliases(fixture, node);
}

/* Is a file the tool itself, as nc.openbsd is nc? */
static bool is_variant(const char *file, const char *tool)
{
	size_t length = strlen(tool);

	return !strncmp(file, tool, length) &&
	       (!file[length] || file[length] == '.' || file[length] == '-');
}

/* Names at which the host has the tool, to be covered by the fixture. */
static void cover_host_tool(struct fixture *fixture, struct node *node,
			    const char *name)
{
	struct binder *binder = fixture->binder;
	const char *path = fixture->selector->name;
	const char *base = strrchr(name, '/') + 1;
	char *list cleanup_free = xstrdup(BRANCH_PATH);
	char *directory, *save = NULL;

	if (*path == '/') {
		struct found found = view_resolve(binder->view, path);

		if (!found.problem && !found.node &&
		    path_is_system(found.path) &&
		    (!found.exists || S_ISREG(found.type)) &&
		    view_link(binder->view, found.path, node))
			add_place(binder, name, found.path);
	}
	for (directory = strtok_r(list, ":", &save); directory;
	     directory = strtok_r(NULL, ":", &save)) {
		struct found found = view_resolve(
			binder->view,
			arena_printf(binder->arena, "%s/%s", directory, base));

		if (!found.exists || !found.host || !S_ISREG(found.type))
			continue;
		/*
		 * Behind a link to a program of another name (busybox, python
		 * for python3) are more tools than this one; the link stays
		 * what it is.
		 */
		if (!is_variant(strrchr(found.path, '/') + 1, base))
			continue;
		if (view_link(binder->view, found.path, node))
			add_place(binder, name, found.path);
	}
}

/* Where a tool fixture's bytes come from; NULL: after a complaint. */
static const char *tool_source(struct fixture *fixture, int *ret_directory)
{
	struct binder *binder = fixture->binder;
	const char *source;
	char *companion;

	if (fixture->binding->from) {
		source = beside(fixture, fixture->binding->from);
		*ret_directory = binder->manifest->directory;
		return source_fine(fixture, source, S_IFREG) ? source : NULL;
	}
	*ret_directory = AT_FDCWD;
	if (companion_find(TRANSFER_TOOL, &companion, binder->err)) {
		binder->status = -ENOENT;
		return NULL;
	}
	source = arena_strdup(binder->arena, companion);
	free(companion);
	return source;
}

/* A program that does what a transfer tool does, under the tool's name. */
static void lay_tool(struct fixture *fixture)
{
	const struct selector *selector = fixture->selector;
	struct binder *binder = fixture->binder;
	bool host = selector->origin == ORIGIN_HOST;
	const char *path = strrchr(selector->name, '/');
	struct node *node;

	if (host) {
		path = arena_printf(binder->arena, "%s/%s", BRANCH_TOOLS,
				    path ? path + 1 : selector->name);
	} else {
		if (!locate(fixture))
			return;
		path = fixture->found.path;
		lay_out(fixture);
	}
	node = view_file(binder->view, path);
	if (!node || node->made) {
		taken(fixture, path);
		return;
	}
	node->made = true;
	node->source = tool_source(fixture, &node->directory);
	if (!node->source)
		return;
	add_copy(binder, path, node->directory, node->source, 0755, !host);
	if (host)
		cover_host_tool(fixture, node, path);
}

static void lay_fixture(struct binder *binder, size_t resource)
{
	struct fixture fixture = {
		.binder = binder,
		.binding = binder->bindings[resource],
		.selector = &binder->selectors[resource],
		.wanted = wanted_resource(binder, resource),
	};

	/* The check of the program has already complained about a place. */
	if (fixture.selector->origin == ORIGIN_UNSPECIFIED)
		return;
	fixture.wanted.at = &fixture.binding->at;
	switch (fixture.binding->kind) {
	case BINDING_FIXTURE_FILE:
		lay_file(&fixture);
		break;
	case BINDING_FIXTURE_TREE:
		lay_tree(&fixture);
		break;
	case BINDING_FIXTURE_TOOL:
		lay_tool(&fixture);
		break;
	case BINDING_FIXTURE_SOCKET:
	case BINDING_FIXTURE_PROCESS:
		bind_complain(binder, &fixture.binding->at,
			      "%s: this version has no such fixture",
			      fixture.wanted.who);
		break;
	case BINDING_REAL:
	case BINDING_FIXTURE_ENDPOINT:
	case BINDING_FIXTURE_ENV:
		break;
	}
}

void bind_fixtures(struct binder *binder)
{
	const struct program *program = binder->program;
	size_t i;

	binder->bound->canaries = arena_alloc(
		binder->arena,
		program->nr_resources * sizeof(*binder->bound->canaries));
	for (i = 0; i < program->nr_resources; i++)
		if (binder->bindings[i])
			lay_fixture(binder, i);
}

/* ---- the environment */

/* Position in the environment, or of its end. */
static size_t find_variable(const struct bound *bound, const char *name)
{
	size_t length = strlen(name), i;

	for (i = 0; bound->environment[i]; i++)
		if (!strncmp(bound->environment[i], name, length) &&
		    bound->environment[i][length] == '=')
			break;
	return i;
}

static bool has_variable(const struct bound *bound, const char *name)
{
	return bound->environment[find_variable(bound, name)];
}

/* There is room for all that the program can add. */
static void add_variable(struct binder *binder, const char *name,
			 const char *value, uint32_t object)
{
	struct bound *bound = binder->bound;
	size_t i = find_variable(bound, name);

	bound->environment[i] =
		arena_printf(binder->arena, "%s=%s", name, value);
	bound->env_objects[i] = object;
}

/* Whoever can read the rule, and all can, has the basic environment. */
static void give_variable(struct binder *binder, uint32_t object)
{
	struct bound *bound = binder->bound;
	struct dependency *given = ARENA_PUSH(
		binder->arena, bound->dependencies, bound->nr_dependencies);

	given->object = bound->rule_object;
	given->when = AL_OP_READ;
	given->needs = object;
	given->then = AL_OP_GETENV;
}

static void bind_variable(struct binder *binder, size_t resource)
{
	const struct binding *binding = binder->bindings[resource];
	const char *name = binder->selectors[resource].name;
	struct wanted wanted = wanted_resource(binder, resource);
	uint32_t object = binder->bound->resource_objects[resource];
	struct fixture fixture = { .binder = binder, .binding = binding };
	const char *value;

	if (!object)
		return;
	if (!binding) {
		if (has_variable(binder->bound, name)) {
			give_variable(binder, object);
			return;
		}
		bind_complain(binder, wanted.at,
			      "%s: nothing sets the "
			      "variable %s",
			      wanted.who, name);
		bind_hint(binder, "bind %s to fixture env { canary }",
			  wanted.name);
		return;
	}
	if (binding->kind == BINDING_REAL) {
		value = getenv(name);
		if (!value) {
			bind_complain(binder, &binding->at,
				      "%s: the variable %s is not set here",
				      wanted.who, name);
			return;
		}
	} else if (binding->canary) {
		value = new_canary(&fixture)->token;
	} else {
		value = binding->content ? binding->content : "";
	}
	add_variable(binder, name, value, object);
}

void bind_environment(struct binder *binder)
{
	const struct program *program = binder->program;
	const struct {
		const char *name;
		const char *value;
	} basic[] = {
		{ "PATH", BRANCH_PATH },
		{ "HOME", BRANCH_HOME },
		{ "USER", program->agent_root ? "root" : "agent" },
		{ "LOGNAME", program->agent_root ? "root" : "agent" },
		{ "SHELL", "/bin/sh" },
		{ "LANG", "C.UTF-8" },
		{ "TMPDIR", "/tmp" },
		{ "PWD", BRANCH_WORKSPACE },
	};
	struct bound *bound = binder->bound;
	size_t nr = ARRAY_SIZE(basic) + program->nr_resources + 1, i;

	bound->environment =
		arena_alloc(binder->arena, nr * sizeof(*bound->environment));
	bound->env_objects =
		arena_alloc(binder->arena, nr * sizeof(*bound->env_objects));
	for (i = 0; i < ARRAY_SIZE(basic); i++)
		add_variable(binder, basic[i].name, basic[i].value, 0);
	for (i = 0; i < program->nr_resources; i++)
		if (binder->selectors[i].kind == RESOURCE_ENV)
			bind_variable(binder, i);
	for (i = 0; i < program->nr_baselines; i++)
		if (program->baselines[i].selector.kind == RESOURCE_ENV &&
		    !has_variable(binder->bound,
				  program->baselines[i].selector.name))
			bind_complain(binder, &program->baselines[i].at,
				      "nothing sets the variable %s",
				      program->baselines[i].selector.name);
}
