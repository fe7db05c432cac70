// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is true of a grant, from the record alone.
 */
#include <fnmatch.h>
#include <string.h>

#include "bind/bound.h"
#include "interpret/reasons.h"

void facts_add(struct arena *arena, struct facts *facts, const char *name,
	       const char *value)
{
	struct fact *fact = ARENA_PUSH(arena, facts->items, facts->nr);

	fact->name = name;
	fact->value = value;
}

bool facts_have(const struct facts *facts, const char *name, const char *value)
{
	size_t i;

	for (i = 0; i < facts->nr; i++)
		if (!strcmp(facts->items[i].name, name) &&
		    !strcmp(facts->items[i].value, value))
			return true;
	return false;
}

static void add_flag(struct arena *arena, struct facts *facts, const char *name,
		     bool value)
{
	facts_add(arena, facts, name, value ? "yes" : "no");
}

/* All groups of a table that hold one of two spellings of a name. */
static bool add_groups(struct arena *arena, const struct reasons *reasons,
		       struct facts *facts, const char *fact, const char *name,
		       const char *other, int flags)
{
	bool any = false;
	size_t i, k;

	for (i = 0; i < reasons->nr_groups; i++) {
		const struct group *group = &reasons->groups[i];

		if (strcmp(group->fact, fact) != 0)
			continue;
		for (k = 0; k < group->nr_patterns; k++) {
			const char *pattern = group->patterns[k];

			if (!fnmatch(pattern, name, flags) ||
			    (other && !fnmatch(pattern, other, flags))) {
				facts_add(arena, facts, fact, group->name);
				any = true;
				break;
			}
		}
	}
	return any;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* What follows a directory in a path: "" for itself, NULL: it is elsewhere. */
static const char *below(const char *path, const char *directory)
{
	size_t length = strlen(directory);

	if (strncmp(path, directory, length) != 0 ||
	    (path[length] && path[length] != '/'))
		return NULL;
	return path + length;
}

/* What follows anybody's home directory. */
static const char *below_home(const char *path)
{
	const char *rest = below(path, BRANCH_HOME);

	if (!rest)
		rest = below(path, "/root");
	if (!rest && below(path, "/home") && path[strlen("/home")]) {
		rest = strchr(path + strlen("/home/"), '/');
		if (!rest)
			rest = path + strlen(path);
	}
	return rest;
}

static const char *place_of(const char *path)
{
	static const char *const scratch[] = { "/tmp", "/var/tmp", "/dev/shm" };
	size_t i;

	if (below(path, BRANCH_WORKSPACE))
		return "workspace";
	if (below(path, BRANCH_OWN))
		return "own";
	if (below_home(path))
		return "home";
	for (i = 0; i < sizeof(scratch) / sizeof(scratch[0]); i++)
		if (below(path, scratch[i]))
			return "scratch";
	return "system";
}

/* The path itself, and as "~/..." or "./..." where it is that. */
static void add_path(struct arena *arena, const struct reasons *reasons,
		     struct facts *facts, const char *path)
{
	const char *other = NULL, *rest;

	facts_add(arena, facts, "place", place_of(path));
	if ((rest = below_home(path)))
		other = arena_printf(arena, "~%s", rest);
	else if ((rest = below(path, BRANCH_WORKSPACE)))
		other = arena_printf(arena, ".%s", rest);
	add_groups(arena, reasons, facts, "path", path, other, 0);
}

/* A host that no table knows is unrelated to what we know. */
static void add_host(struct arena *arena, const struct reasons *reasons,
		     struct facts *facts, const char *host)
{
	if (!add_groups(arena, reasons, facts, "host", host, NULL,
			FNM_CASEFOLD))
		facts_add(arena, facts, "host", "unrelated");
}

/* An endpoint's object is named "PROTOCOL HOST PORT". */
static const char *host_of_object(struct arena *arena, const char *name)
{
	const char *start = strchr(name, ' ');
	const char *end = strrchr(name, ' ');

	if (!start || end == start)
		return NULL;
	start++;
	return arena_strndup(arena, start, (size_t)(end - start));
}

static const char *port_of_object(const char *name)
{
	const char *end = strrchr(name, ' ');

	return end ? end + 1 : NULL;
}

static void add_object(struct arena *arena, const struct reasons *reasons,
		       struct facts *facts, const struct record_object *object)
{
	const char *port;

	if (object->class_)
		facts_add(arena, facts, "class", object->class_);
	if (object->name[0] == '/')
		add_path(arena, reasons, facts, object->name);
	if (!strcmp(object->kind, "endpoint") ||
	    !strcmp(object->kind, "port")) {
		port = port_of_object(object->name);
		if (port)
			facts_add(arena, facts, "port", port);
	}
}

/* Which canaries of @resource arrived at hosts that nobody knows? */
static bool left(struct arena *arena, const struct reasons *reasons,
		 const struct record *record, const struct record_run *full,
		 const char *resource)
{
	size_t i, k;

	for (i = 0; full && resource && i < full->nr_sinks; i++) {
		const struct record_sink *sink = &full->sinks[i];
		const struct record_object *object =
			record_object(record, sink->object);
		struct facts facts = { 0 };
		const char *host =
			object ? host_of_object(arena, object->name) : NULL;

		for (k = 0; k < sink->nr_canaries; k++)
			if (!strcmp(sink->canaries[k], resource))
				break;
		if (k == sink->nr_canaries)
			continue;
		add_host(arena, reasons, &facts, host ? host : "");
		if (facts_have(&facts, "host", "unrelated"))
			return true;
	}
	return false;
}

/* Did anything at all arrive at this endpoint? */
static bool arrived(const struct record_run *full, uint32_t object)
{
	size_t i;

	for (i = 0; full && i < full->nr_sinks; i++)
		if (full->sinks[i].object == object && full->sinks[i].bytes)
			return true;
	return false;
}

struct facts facts_of_grant(struct arena *arena, const struct reasons *reasons,
			    const struct record *record,
			    const struct record_grant *grant,
			    const struct record_run *full)
{
	const struct record_object *object =
		record_object(record, grant->object);
	struct facts facts = { 0 };
	const char *name = grant->name ? grant->name : "";
	const char *alias = object ? base_name(object->name) : NULL;

	facts_add(arena, &facts, "action", operation_word(grant->action));
	facts_add(arena, &facts, "kind", grant->kind);
	if (grant->origin)
		facts_add(arena, &facts, "origin", grant->origin);
	if (grant->class_)
		facts_add(arena, &facts, "class", grant->class_);
	if (grant->binding)
		facts_add(arena, &facts, "binding", grant->binding);
	add_flag(arena, &facts, "real-tool", grant->real_tool);
	add_flag(arena, &facts, "base", grant->base);
	add_flag(arena, &facts, "conditional", grant->conditional);
	add_flag(arena, &facts, "hidden", grant->hidden);
	add_flag(arena, &facts, "observed", grant->observed);
	add_flag(arena, &facts, "undeclared", false);
	if (object)
		add_object(arena, reasons, &facts, object);
	/* The name that the rule uses may be a link to the object. */
	if (name[0] == '/')
		add_groups(arena, reasons, &facts, "path", name, NULL, 0);
	else if (grant->origin && !strcmp(grant->origin, "home"))
		add_groups(arena, reasons, &facts, "path",
			   arena_printf(arena, "~/%s", name), NULL, 0);
	if (!strcmp(grant->kind, "tool"))
		add_groups(arena, reasons, &facts, "tool", base_name(name),
			   alias, 0);
	if (!strcmp(grant->kind, "env"))
		add_groups(arena, reasons, &facts, "variable", name, NULL, 0);
	if (!strcmp(grant->kind, "endpoint")) {
		if (!grant->symbolic)
			add_host(arena, reasons, &facts, name);
		else
			facts_add(arena, &facts, "host",
				  strcmp(grant->symbolic, "registry")
					  ? "forge"
					  : "registry");
		add_flag(arena, &facts, "arrived",
			 arrived(full, grant->object));
	}
	add_flag(arena, &facts, "left",
		 left(arena, reasons, record, full, grant->declared));
	return facts;
}

struct facts facts_of_attempt(struct arena *arena,
			      const struct reasons *reasons,
			      const struct record_object *object,
			      unsigned int operation)
{
	struct facts facts = { 0 };
	const char *host;

	facts_add(arena, &facts, "action", operation_word(operation));
	facts_add(arena, &facts, "kind", object->kind);
	add_flag(arena, &facts, "undeclared", true);
	add_object(arena, reasons, &facts, object);
	if (!strcmp(object->kind, "tool"))
		add_groups(arena, reasons, &facts, "tool",
			   base_name(object->name), NULL, 0);
	if (!strcmp(object->kind, "endpoint")) {
		host = host_of_object(arena, object->name);
		add_host(arena, reasons, &facts, host ? host : "");
	}
	return facts;
}

struct facts facts_of_program(struct arena *arena,
			      const struct reasons *reasons, const char *name)
{
	struct facts facts = { 0 };

	facts_add(arena, &facts, "action", operation_word(AL_OP_NR_EXECUTE));
	facts_add(arena, &facts, "kind", resource_kind_word(RESOURCE_TOOL));
	add_flag(arena, &facts, "undeclared", true);
	add_groups(arena, reasons, &facts, "tool", name, NULL, 0);
	return facts;
}

struct facts facts_of_address(struct arena *arena,
			      const struct reasons *reasons, const char *host)
{
	struct facts facts = { 0 };

	facts_add(arena, &facts, "action", operation_word(AL_OP_NR_CONNECT));
	facts_add(arena, &facts, "kind", resource_kind_word(RESOURCE_ENDPOINT));
	add_flag(arena, &facts, "undeclared", true);
	add_host(arena, reasons, &facts, host);
	return facts;
}
