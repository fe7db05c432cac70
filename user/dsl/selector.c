// SPDX-License-Identifier: GPL-2.0-only
#include "selector.h"

#include <arpa/inet.h>
#include <string.h>

#include <aletheia/limits.h>

#include "base/cleanup.h"
#include "words.h"

#define FAULT(...) ((struct fault){ __VA_ARGS__ })

static struct fault no_fault(void)
{
	return (struct fault){ NULL, NULL };
}

/*
 * A path without empty, "." and ".." components, or NULL where ".." leads out
 * of what it is relative to. (".." of a symbolic link is somewhere else, so
 * the simplest form is only ever a suggestion.)
 */
static const char *simplest(struct arena *arena, const char *path)
{
	char *copy = arena_strdup(arena, path);
	char *out = arena_alloc(arena, strlen(path) + 2);
	size_t length = 0;
	char *part, *save = NULL;
	bool absolute = *path == '/';

	for (part = strtok_r(copy, "/", &save); part;
	     part = strtok_r(NULL, "/", &save)) {
		size_t nr = strlen(part);

		if (!strcmp(part, "."))
			continue;
		if (!strcmp(part, "..")) {
			if (!length && !absolute)
				return NULL;
			while (length && out[--length] != '/')
				;
			continue;
		}
		if (length || absolute)
			out[length++] = '/';
		memcpy(out + length, part, nr);
		length += nr;
	}
	out[length] = '\0';
	if (length)
		return out;
	return absolute ? "/" : ".";
}

static bool component_too_long(const char *path)
{
	size_t nr = 0;

	for (; *path; path++) {
		nr = *path == '/' ? 0 : nr + 1;
		if (nr >= AL_NAME_SIZE)
			return true;
	}
	return false;
}

/* Of a path, relative or absolute as it may be. */
static struct fault form_fault(struct arena *arena, const char *path,
			       const char *base)
{
	const char *simple;

	if (strlen(path) > AL_MAX_PATH)
		return FAULT(
			"the path is too long",
			arena_printf(arena, "at most %d bytes", AL_MAX_PATH));
	if (component_too_long(path))
		return FAULT("a component of the path is too long",
			     arena_printf(arena, "at most %d bytes each",
					  AL_NAME_SIZE - 1));
	simple = simplest(arena, path);
	if (!simple)
		return FAULT(arena_printf(arena, "the path leaves %s", base),
			     NULL);
	if (strcmp(simple, path))
		return FAULT("the path is not in its simplest form",
			     arena_printf(arena, "write \"%.200s\"", simple));
	return no_fault();
}

struct fault path_fault(struct arena *arena, const char *path, const char *base)
{
	if (!*path)
		return FAULT("the path is empty", NULL);
	if (*path == '/')
		return FAULT(arena_printf(arena,
					  "the path is absolute, but it is "
					  "relative to %s",
					  base),
			     NULL);
	return form_fault(arena, path, base);
}

static struct fault absolute_fault(struct arena *arena, const char *path)
{
	if (*path != '/')
		return FAULT("a host path begins with /", NULL);
	return form_fault(arena, path, "the host");
}

static const char *const bases[NR_RESOURCE_ORIGINS] = {
	[ORIGIN_WORKSPACE] = "the workspace",
	[ORIGIN_HOME] = "the home directory",
	[ORIGIN_SCRATCH] = "the scratch directory",
};

/* A path that fits another origin better. */
static struct fault hint_origin(struct arena *arena, struct fault fault,
				const struct selector *selector)
{
	const char *kind = resource_kind_word(selector->kind);
	bool host = selector->origin == ORIGIN_HOST;

	if (fault.message && !fault.hint && !host)
		fault.hint = arena_printf(arena,
					  "what lies elsewhere is %s(host), "
					  "with an absolute path",
					  kind);
	if (fault.message && !fault.hint && host &&
	    kind_has_origin(selector->kind, ORIGIN_WORKSPACE))
		fault.hint = arena_printf(arena,
					  "relative paths are for "
					  "%s(workspace), %s(home) and "
					  "%s(scratch)",
					  kind, kind, kind);
	return fault;
}

static struct fault file_fault(struct arena *arena,
			       const struct selector *selector)
{
	const char *path = selector->name;
	struct fault fault;

	if (!*path)
		return FAULT("the path is empty", NULL);
	if (selector->origin == ORIGIN_HOST)
		fault = absolute_fault(arena, path);
	else
		fault = path_fault(arena, path, bases[selector->origin]);
	if (fault.message || selector->kind == RESOURCE_DIR)
		return hint_origin(arena, fault, selector);
	if (!strcmp(path, ".") || !strcmp(path, "/"))
		return FAULT(arena_printf(arena,
					  "this is a directory, not a %s",
					  resource_kind_word(selector->kind)),
			     "declare it as a dir");
	return fault;
}

static struct fault tool_fault(struct arena *arena,
			       const struct selector *selector)
{
	const char *name = selector->name;

	if (selector->origin != ORIGIN_HOST || *name == '/')
		return file_fault(arena, selector);
	if (!*name)
		return FAULT("the name is empty", NULL);
	if (strchr(name, '/'))
		return FAULT("a host tool is a base name or an absolute path",
			     "a tool of the project is tool(workspace)");
	if (!strcmp(name, ".") || !strcmp(name, ".."))
		return FAULT("this is a directory, not a tool", NULL);
	if (strlen(name) >= AL_NAME_SIZE)
		return FAULT("the name is too long", NULL);
	return no_fault();
}

static struct fault name_fault(const char *name, const char *bad,
			       const char *message)
{
	if (!*name)
		return FAULT("the name is empty", NULL);
	if (strlen(name) >= AL_NAME_SIZE)
		return FAULT("the name is too long", NULL);
	if (strpbrk(name, bad))
		return FAULT(message, NULL);
	return no_fault();
}

static struct fault facility_fault(struct arena *arena, const char *name)
{
	const char *nearest;

	if (words_find(&facility_words, name) >= 0)
		return no_fault();
	nearest = words_nearest(&facility_words, name);
	return FAULT(
		"no such kernel facility",
		nearest ? arena_printf(arena, "did you mean \"%s\"?", nearest)
			: arena_printf(arena, "there are %s",
				       words_text(arena, &facility_words)));
}

/* Is all but the first @prefix bits of an address zero? */
static bool host_bits_zero(const unsigned char *address, size_t size,
			   unsigned long prefix)
{
	size_t bit;

	for (bit = prefix; bit < size * 8; bit++)
		if (address[bit / 8] >> (7 - bit % 8) & 1)
			return false;
	return true;
}

/* What follows "/" in an address range; -1: not that. */
static long parse_prefix(const char *text, unsigned int most)
{
	long prefix = 0;

	if (!*text || (*text == '0' && text[1]) || strlen(text) > 3)
		return -1;
	for (; *text; text++) {
		if (*text < '0' || *text > '9')
			return -1;
		prefix = prefix * 10 + (*text - '0');
	}
	return prefix <= (long)most ? prefix : -1;
}

/* A literal address or range. */
static struct fault address_fault(struct arena *arena, const char *name,
				  int family)
{
	unsigned char address[16];
	char canonical[INET6_ADDRSTRLEN];
	const char *slash = strchr(name, '/');
	const char *host =
		slash ? arena_strndup(arena, name, (size_t)(slash - name))
		      : name;
	size_t size = family == AF_INET ? 4 : 16;
	long prefix = (long)size * 8;

	if (inet_pton(family, host, address) != 1)
		return FAULT(family == AF_INET ? "this is no IPv4 address"
					       : "this is no IPv6 address",
			     family == AF_INET ? "write all four numbers, in "
						 "decimal"
					       : NULL);
	if (slash) {
		prefix = parse_prefix(slash + 1, (unsigned int)size * 8);
		if (prefix < 0)
			return FAULT(
				"the length of the prefix is wrong",
				arena_printf(arena, "from 0 to %zu", size * 8));
	}
	if (!host_bits_zero(address, size, (unsigned long)prefix))
		return FAULT("the range has bits behind its prefix", NULL);
	inet_ntop(family, address, canonical, sizeof(canonical));
	if (strcmp(canonical, host))
		return FAULT("the address is not in its simplest form",
			     arena_printf(arena, "write \"%s%s\"", canonical,
					  slash ? slash : ""));
	return no_fault();
}

static bool is_host_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' ||
	       c == '_';
}

/* What a resolver would not ask a server for: 10.1, 0x7f.1, 2130706433. */
static bool looks_numeric(const char *name)
{
	const char *last = strrchr(name, '.');

	last = last ? last + 1 : name;
	if (last[0] == '0' && (last[1] == 'x' || last[1] == 'X'))
		return true;
	return *last && strspn(last, "0123456789") == strlen(last);
}

static struct fault domain_fault(const char *name)
{
	size_t label = 0;

	if (strlen(name) > 253)
		return FAULT("the host name is too long", NULL);
	if (!strncmp(name, "*.", 2))
		name += 2;
	for (;; name++) {
		if (*name == '.' || !*name) {
			if (!label || label > 63)
				return FAULT("a label of the host name is "
					     "empty or too long",
					     NULL);
			if (!*name)
				return no_fault();
			label = 0;
		} else if (*name >= 'A' && *name <= 'Z') {
			return FAULT("host names are in lower case", NULL);
		} else if (!is_host_char(*name)) {
			return FAULT("this is no host name",
				     "names have letters, digits, \"-\" and "
				     "\"_\"; others are in their xn-- form; "
				     "\"*.\" before a name means all below it");
		} else {
			label++;
		}
	}
}

static bool ends_with(const char *text, const char *end)
{
	size_t a = strlen(text), b = strlen(end);

	return a >= b && !strcmp(text + a - b, end);
}

/* Does a well-formed host mean this machine wherever it is resolved? */
static bool is_local(const char *name)
{
	return !strcmp(name, "localhost") || ends_with(name, ".localhost") ||
	       !strncmp(name, "::ffff:127.", 11) || !strcmp(name, "::1") ||
	       !strcmp(name, "::") || !strcmp(name, "0.0.0.0") ||
	       (!strncmp(name, "127.", 4) && looks_numeric(name)) ||
	       (!strncmp(name, "127.", 4) && strchr(name, '/'));
}

static struct fault host_fault(struct arena *arena,
			       const struct selector *selector)
{
	const char *name = selector->name;
	struct fault fault;

	if (!strcmp(name, "*"))
		return no_fault();
	if (strchr(name, ':'))
		fault = address_fault(arena, name, AF_INET6);
	else if (looks_numeric(name) || strchr(name, '/'))
		fault = address_fault(arena, name, AF_INET);
	else
		fault = domain_fault(name);
	if (fault.message)
		return fault;
	if (selector->origin == ORIGIN_LOCAL && !is_local(name))
		return FAULT("this host is not local", "use endpoint(remote)");
	if (selector->origin == ORIGIN_REMOTE && is_local(name))
		return FAULT("this host is not remote", "use endpoint(local)");
	return fault;
}

static struct fault endpoint_fault(struct arena *arena,
				   const struct selector *selector)
{
	if (!selector->symbolic)
		return host_fault(arena, selector);
	if (selector->origin != ORIGIN_REMOTE)
		return FAULT(arena_printf(arena, "a %s is remote",
					  selector->symbolic),
			     "use endpoint(remote)");
	return name_fault(selector->name, "", "");
}

struct fault selector_fault(struct arena *arena,
			    const struct selector *selector)
{
	if (selector->origin == ORIGIN_UNSPECIFIED)
		return no_fault();
	switch (selector->kind) {
	case RESOURCE_FILE:
	case RESOURCE_DIR:
	case RESOURCE_SOCKET:
	case RESOURCE_DEVICE:
		return file_fault(arena, selector);
	case RESOURCE_TOOL:
		return tool_fault(arena, selector);
	case RESOURCE_ENDPOINT:
		return endpoint_fault(arena, selector);
	case RESOURCE_ENV:
		return name_fault(selector->name, "=",
				  "a variable's name has no \"=\"");
	case RESOURCE_PROCESS:
		return name_fault(selector->name, "/",
				  "a process is named by its program's base "
				  "name");
	case RESOURCE_KERNEL:
		return facility_fault(arena, selector->name);
	case RESOURCE_PORT:
	case NR_RESOURCE_KINDS:
		break;
	}
	return no_fault();
}

static bool text_equal(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

bool selector_equal(const struct selector *a, const struct selector *b)
{
	return a->kind == b->kind && a->origin == b->origin &&
	       a->class_ == b->class_ && text_equal(a->name, b->name) &&
	       a->protocol == b->protocol && a->port_low == b->port_low &&
	       a->port_high == b->port_high &&
	       text_equal(a->symbolic, b->symbolic);
}
