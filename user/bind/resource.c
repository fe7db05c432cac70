// SPDX-License-Identifier: GPL-2.0-only
/*
 * From a selector to an object. The view is complete here, so that a name
 * leads to the same object for whoever uses it: a grant, a baseline, an alias.
 */
#include "binder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"

/* ---- who wants it */

struct wanted wanted_resource(struct binder *binder, size_t resource)
{
	const struct program *program = binder->program;
	const struct resource *declared = &program->resources[resource];
	struct wanted wanted = {
		.selector = &binder->selectors[resource],
		.name = declared->name,
		.at = &declared->at,
		.binding = binder->bindings[resource],
	};
	size_t i, more = 0;

	for (i = 0; i < program->nr_grants; i++) {
		const struct grant *grant = &program->grants[i];

		if (grant->resource != resource)
			continue;
		wanted.actions |= 1u << grant->action;
		if (wanted.who)
			more++;
		else
			wanted.who = arena_printf(
				binder->arena, "grant %s (%s %s)", grant->name,
				operation_word(grant->action), declared->name);
	}
	if (!wanted.who)
		wanted.who = arena_printf(binder->arena, "resource %s",
					  declared->name);
	else if (more)
		wanted.who = arena_printf(binder->arena, "%s and %zu more",
					  wanted.who, more);
	return wanted;
}

static const char *describe(struct binder *binder, const struct wanted *wanted)
{
	struct buffer text cleanup_buffer = { 0 };

	selector_print(wanted->selector, &text);
	return arena_strdup(binder->arena, buffer_text(&text));
}

static bool is_bound_real(const struct wanted *wanted)
{
	return wanted->binding && wanted->binding->kind == BINDING_REAL;
}

static bool is_fixture(const struct wanted *wanted)
{
	return wanted->binding && wanted->binding->kind != BINDING_REAL;
}

/* Nothing binds it. Baselines have no name to bind. */
static uint32_t unbound(struct binder *binder, const struct wanted *wanted,
			const char *what)
{
	if (wanted->optional)
		return AL_OBJECT_NONE;
	bind_complain(binder, wanted->at, "%s: %s: %s", wanted->who,
		      describe(binder, wanted), what);
	return AL_OBJECT_NONE;
}

/* The line that makes a fixture of the kind. */
static void hint_fixture(struct binder *binder, const struct wanted *wanted)
{
	const char *fixture = NULL;

	if (wanted->optional)
		return;
	if (!wanted->name) {
		bind_hint(binder, "%s",
			  wanted->selector->kind == RESOURCE_TOOL
				  ? "install it, or remove the line"
				  : "remove the line, or allow to write there");
		return;
	}
	switch (wanted->selector->kind) {
	case RESOURCE_FILE:
		fixture = "file { canary 4KiB }";
		break;
	case RESOURCE_DIR:
		fixture = "tree { canary 4KiB }";
		break;
	case RESOURCE_TOOL:
		fixture = "tool";
		break;
	case RESOURCE_ENDPOINT:
		fixture = "endpoint sink";
		break;
	case RESOURCE_ENV:
		fixture = "env { canary }";
		break;
	default:
		return;
	}
	bind_hint(binder, "bind %s to fixture %s", wanted->name, fixture);
}

/* ---- unspecified */

/* Where things of a class lie, as a proposal. */
static const char *usual_place(enum resource_class class_)
{
	switch (class_) {
	case CLASS_CREDENTIAL:
		return "home \".aws/credentials\"";
	case CLASS_ACCOUNT:
		return "host \"/etc/passwd\"";
	case CLASS_SHELL_HISTORY:
		return "home \".bash_history\"";
	case CLASS_LOG:
		return "host \"/var/log/auth.log\"";
	case CLASS_BROWSER_DATA:
		return "home \".config/google-chrome/Default/Cookies\"";
	case CLASS_KEYRING:
		return "home \".local/share/keyrings/login.keyring\"";
	default:
		return "workspace \"data\"";
	}
}

static uint32_t bind_unspecified(struct binder *binder,
				 const struct wanted *wanted)
{
	const struct selector *selector = wanted->selector;
	const char *fixture = "file";
	const char *place = usual_place(selector->class_);
	const char *content = " { canary 4KiB }";

	if (selector->kind == RESOURCE_ENDPOINT)
		return bind_endpoint(binder, wanted);
	if (selector->kind == RESOURCE_PORT)
		return bind_port(binder, wanted);
	unbound(binder, wanted, "the rule does not say which");
	switch (selector->kind) {
	case RESOURCE_FILE:
		break;
	case RESOURCE_DIR:
		fixture = "tree";
		break;
	case RESOURCE_TOOL:
		fixture = "tool";
		place = "host \"NAME\"";
		content = "";
		break;
	case RESOURCE_ENV:
		fixture = "env";
		place = "host \"NAME\"";
		content = " { canary }";
		break;
	default:
		return AL_OBJECT_NONE;
	}
	bind_hint(binder, "bind %s to fixture %s at %s%s", wanted->name,
		  fixture, place, content);
	return AL_OBJECT_NONE;
}

/* ---- files, directories, sockets, programs with a path */

static uint32_t wrong_type(struct binder *binder, const struct wanted *wanted,
			   const struct found *found)
{
	bool directory = S_ISDIR(found->type);

	if (wanted->optional)
		return AL_OBJECT_NONE;
	bind_complain(binder, wanted->at, "%s: %s is a %s", wanted->who,
		      found->path,
		      directory		     ? "directory"
		      : S_ISREG(found->type) ? "file"
					     : "special file");
	if (directory && wanted->selector->kind == RESOURCE_FILE)
		bind_hint(binder, "declare it as dir(%s)",
			  resource_origin_word(wanted->selector->origin));
	else if (S_ISREG(found->type) && wanted->selector->kind == RESOURCE_DIR)
		bind_hint(binder, "declare it as file(%s)",
			  resource_origin_word(wanted->selector->origin));
	return AL_OBJECT_NONE;
}

static bool type_fits(enum resource_kind kind, mode_t type)
{
	switch (kind) {
	case RESOURCE_DIR:
		return S_ISDIR(type);
	case RESOURCE_SOCKET:
		return S_ISSOCK(type);
	case RESOURCE_DEVICE:
		return !S_ISDIR(type);
	default:
		return S_ISREG(type);
	}
}

/*
 * What does not exist when a branch starts is bound all the same where someone
 * may make it: then it is what appears under the name.
 */
static bool may_appear(const struct wanted *wanted)
{
	return wanted->actions &
	       (wanted->selector->kind == RESOURCE_SOCKET ? AL_OP_BIND
							  : AL_OP_WRITE);
}

static uint32_t bind_absent(struct binder *binder, const struct wanted *wanted,
			    const struct found *found)
{
	if (may_appear(wanted))
		return object_file(binder, found, wanted->selector->kind);
	unbound(binder, wanted, "it does not exist in a branch");
	hint_fixture(binder, wanted);
	return AL_OBJECT_NONE;
}

/*
 * The host's own files are for baselines, and for resources only if the setup
 * says so; one that a baseline is on already is no secret.
 */
static uint32_t bind_host_file(struct binder *binder,
			       const struct wanted *wanted,
			       const struct found *found)
{
	uint32_t id = object_at(binder, found->path);

	if (!wanted->name || is_bound_real(wanted) || id ||
	    wanted->selector->kind == RESOURCE_TOOL)
		return object_file(binder, found, wanted->selector->kind);
	unbound(binder, wanted,
		"this is the host's own, which a grant only "
		"gets if the setup binds it");
	if (sensitive_file(&binder->tables, found->path) == CLASS_ANY &&
	    wanted->selector->kind == RESOURCE_DIR)
		bind_hint(binder, "bind %s to real", wanted->name);
	else
		hint_fixture(binder, wanted);
	return AL_OBJECT_NONE;
}

/* A real file of the host where a branch sees nothing of it: a copy. */
static uint32_t bind_host_copy(struct binder *binder,
			       const struct wanted *wanted, struct found *found)
{
	char *real cleanup_free = realpath(found->path, NULL);
	struct content *content;
	struct node *node;
	struct stat st;

	if (!real || strcmp(real, found->path) || lstat(real, &st)) {
		unbound(binder, wanted,
			real ? "a symbolic link leads there" : strerror(errno));
		hint_fixture(binder, wanted);
		return AL_OBJECT_NONE;
	}
	if (!type_fits(wanted->selector->kind, st.st_mode)) {
		found->type = st.st_mode & S_IFMT;
		return wrong_type(binder, wanted, found);
	}
	node = S_ISDIR(st.st_mode) ? view_directory(binder->view, real)
				   : view_file(binder->view, real);
	if (!node)
		return unbound(binder, wanted, "something else lies there");
	content = content_add(binder, CONTENT_COPY, real, st.st_mode & 0777,
			      true);
	content->source = content->path;
	node->made = true;
	if (S_ISDIR(st.st_mode) && view_walk(binder->view, node, AT_FDCWD, real,
					     "the copy", binder->err))
		binder->status = -EINVAL;
	*found = view_resolve(binder->view, real);
	return object_file(binder, found, wanted->selector->kind);
}

static uint32_t bind_path(struct binder *binder, const struct wanted *wanted)
{
	const struct selector *selector = wanted->selector;
	const char *path = selector_path(binder->arena, selector);
	struct found found;

	if (!resolve_wanted(binder, wanted, path, selector_root(selector),
			    &found))
		return AL_OBJECT_NONE;
	if (is_bound_real(wanted) && selector->origin == ORIGIN_HOME)
		return unbound(binder, wanted,
			       "a branch's home is fresh, nothing in it is "
			       "real");
	if (!found.exists) {
		if (is_bound_real(wanted) && selector->origin == ORIGIN_HOST &&
		    !path_is_system(found.path))
			return bind_host_copy(binder, wanted, &found);
		/* A fixture that could not be laid out was complained about. */
		if (is_fixture(wanted))
			return AL_OBJECT_NONE;
		return bind_absent(binder, wanted, &found);
	}
	if (!type_fits(selector->kind, found.type))
		return wrong_type(binder, wanted, &found);
	if (found.host)
		return bind_host_file(binder, wanted, &found);
	return object_file(binder, &found, selector->kind);
}

/* ---- tools by their base name */

static uint32_t bind_tool(struct binder *binder, const struct wanted *wanted)
{
	const struct selector *selector = wanted->selector;
	const char *base = strrchr(selector->name, '/');
	struct found found;

	if (selector->origin != ORIGIN_HOST)
		return bind_path(binder, wanted);
	base = base ? base + 1 : selector->name;
	if (is_fixture(wanted)) {
		found = view_resolve(binder->view,
				     arena_printf(binder->arena, "%s/%s",
						  BRANCH_TOOLS, base));
		return found.exists ? object_file(binder, &found, RESOURCE_TOOL)
				    : AL_OBJECT_NONE;
	}
	if (*selector->name == '/') {
		found = view_resolve(binder->view, selector->name);
		if (found.exists && !S_ISREG(found.type))
			return wrong_type(binder, wanted, &found);
		/* Of the host, only what is there to be run is a tool. */
		if (found.host && !(found.stat.st_mode & 0111))
			found.exists = false;
	} else {
		/* A fixture of this name comes first, as in PATH. */
		found = view_resolve(binder->view,
				     arena_printf(binder->arena, "%s/%s",
						  BRANCH_TOOLS, base));
		if (!found.exists)
			found = path_search(binder->view, binder->arena, base);
	}
	if (found.exists)
		return object_file(binder, &found, RESOURCE_TOOL);
	unbound(binder, wanted, "this machine has no such program");
	hint_fixture(binder, wanted);
	return AL_OBJECT_NONE;
}

/* ---- what has no path */

static uint32_t bind_device(struct binder *binder, const struct wanted *wanted)
{
	struct found found = view_resolve(binder->view, wanted->selector->name);

	if (found.exists && found.node && path_within(found.path, "/dev"))
		return object_file(binder, &found, RESOURCE_DEVICE);
	unbound(binder, wanted, "a branch has no such device");
	if (!wanted->optional)
		bind_hint(binder, "there are /dev/null, /dev/zero, /dev/full, "
				  "/dev/random, /dev/urandom and /dev/tty");
	return AL_OBJECT_NONE;
}

static uint32_t bind_named(struct binder *binder, const struct wanted *wanted)
{
	const struct selector *selector = wanted->selector;
	uint32_t id;

	id = object_named(binder, selector->kind,
			  arena_printf(binder->arena, "%s %s",
				       resource_kind_word(selector->kind),
				       selector->name));
	if (id && selector->kind == RESOURCE_ENV)
		binder->bound->objects[id].sensitive =
			sensitive_variable(&binder->tables, selector->name);
	return id;
}

uint32_t bind_wanted(struct binder *binder, const struct wanted *wanted)
{
	if (wanted->selector->origin == ORIGIN_UNSPECIFIED)
		return bind_unspecified(binder, wanted);
	switch (wanted->selector->kind) {
	case RESOURCE_FILE:
	case RESOURCE_DIR:
	case RESOURCE_SOCKET:
		return bind_path(binder, wanted);
	case RESOURCE_TOOL:
		return bind_tool(binder, wanted);
	case RESOURCE_DEVICE:
		return bind_device(binder, wanted);
	case RESOURCE_ENDPOINT:
		return bind_endpoint(binder, wanted);
	case RESOURCE_PORT:
		return bind_port(binder, wanted);
	case RESOURCE_ENV:
	case RESOURCE_KERNEL:
		return bind_named(binder, wanted);
	case RESOURCE_PROCESS:
		return unbound(binder, wanted,
			       "this version cannot bind processes");
	case NR_RESOURCE_KINDS:
		break;
	}
	return AL_OBJECT_NONE;
}
