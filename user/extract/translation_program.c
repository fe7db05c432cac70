// SPDX-License-Identifier: GPL-2.0-only
/*
 * Requests as SystemDSL. The language has fewer ways to say a thing than rules
 * have: a pattern of files is the directory that they are in, what nobody named
 * is unspecified. What the language has no word for is a comment, so that who
 * reviews the program sees it.
 */
#include "extract.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include <idn2.h>

#include <aletheia/abi.h>
#include <aletheia/limits.h>

#include "base/cleanup.h"
#include "dsl/selector.h"
#include "dsl/words.h"

#define MAX_PLACES 20000 /* of all grants: the text has to stay in bounds */
#define MAX_PLACE  4096	 /* bytes of one */
#define MAX_QUOTED 120	 /* bytes of a place whose text is printed */
#define MAX_QUOTES 8	 /* of one grant */
#define MAX_NAME   48	 /* of a resource; a grant's has the action, too */
#define MAX_UNSAID 100	 /* comments */

/**
 * struct builder - a program in the making
 * @comments:	what the language cannot say
 * @lines:	offsets of the rule's lines
 * @places:	of all grants so far
 */
struct builder {
	struct program program;
	struct arena *arena;
	const char *text;
	size_t length;
	size_t *lines;
	size_t nr_lines;
	size_t places;
	struct buffer comments;
	size_t nr_comments;
};

/* ---- places */

static void split(struct builder *builder)
{
	size_t nr = 1, i;

	for (i = 0; i < builder->length; i++)
		nr += builder->text[i] == '\n';
	builder->lines = xreallocarray(NULL, nr, sizeof(*builder->lines));
	builder->lines[builder->nr_lines++] = 0;
	for (i = 0; i < builder->length; i++)
		if (builder->text[i] == '\n')
			builder->lines[builder->nr_lines++] = i + 1;
}

static struct position position_of(const struct builder *builder, size_t offset)
{
	size_t low = 0, high = builder->nr_lines;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (builder->lines[middle] <= offset)
			low = middle;
		else
			high = middle;
	}
	return (struct position){
		.line = (uint32_t)low + 1,
		.column = (uint32_t)(offset - builder->lines[low]) + 1,
		.offset = offset,
	};
}

/* A place cannot have NUL bytes in it, and is never empty. */
static struct extent without_nul(const struct builder *builder,
				 struct extent place)
{
	const char *nul;

	if (place.end > builder->length)
		place.end = builder->length;
	if (place.end > place.start + MAX_PLACE)
		place.end = place.start + MAX_PLACE;
	while (place.start < place.end && !builder->text[place.start])
		place.start++;
	nul = memchr(builder->text + place.start, 0, place.end - place.start);
	if (nul)
		place.end = (size_t)(nul - builder->text);
	if (place.start < place.end)
		return place;
	/* Nothing is there but what cannot be: a byte before it, or behind. */
	while (place.start &&
	       (place.start >= builder->length || !builder->text[place.start]))
		place.start--;
	while (place.start + 1 < builder->length && !builder->text[place.start])
		place.start++;
	place.end = place.start + 1;
	return place;
}

static bool same_place(const struct source_span *span,
		       const struct extent *place)
{
	return span->where.start.offset == place->start &&
	       span->where.end.offset == place->end;
}

static void add_span(struct builder *builder, struct grant *grant,
		     struct extent place)
{
	struct source_span *span;

	place = without_nul(builder, place);
	for (size_t i = 0; i < grant->nr_spans; i++)
		if (same_place(&grant->spans[i], &place))
			return;
	if (grant->nr_spans == AL_MAX_SPANS ||
	    (grant->nr_spans && builder->places >= MAX_PLACES))
		return;
	span = ARENA_PUSH(builder->arena, grant->spans, grant->nr_spans);
	builder->places++;
	span->where.file = builder->program.rule;
	span->where.start = position_of(builder, place.start);
	span->where.end = position_of(builder, place.end);
	if (builder->text[place.start] && grant->nr_spans <= MAX_QUOTES &&
	    place.end - place.start <= MAX_QUOTED &&
	    span->where.start.line == span->where.end.line)
		span->text = arena_strndup(builder->arena,
					   builder->text + place.start,
					   place.end - place.start);
}

/* ---- paths */

static bool unspecified(struct selector *selector,
			const struct request *request)
{
	*selector = (struct selector){
		.kind = selector->kind,
		.origin = ORIGIN_UNSPECIFIED,
		.class_ = request->class_,
		.name = "",
	};
	return true;
}

/* Without empty and "." components; NULL: ".." leads out of it. */
static const char *simple_path(struct arena *arena, const char *path,
			       bool absolute)
{
	struct buffer out cleanup_buffer = { 0 };

	while (*path) {
		size_t length = strcspn(path, "/");

		if (length == 2 && !memcmp(path, "..", 2)) {
			const char *slash =
				out.length ? strrchr(out.data, '/') : NULL;

			if (!out.length && !absolute)
				return NULL;
			out.length = slash ? (size_t)(slash - out.data) : 0;
			if (out.data)
				out.data[out.length] = '\0';
		} else if (length && !(length == 1 && *path == '.')) {
			if (out.length)
				buffer_addc(&out, '/');
			buffer_add(&out, path, length);
		}
		path += length;
		path += *path == '/';
	}
	if (absolute)
		return arena_printf(arena, "/%s", buffer_text(&out));
	return arena_strdup(arena, out.length ? buffer_text(&out) : ".");
}

/* Bytes of a path before the component that is a pattern; all: none is. */
static size_t pattern_at(const char *path)
{
	size_t component = 0, i;

	for (i = 0; path[i]; i++) {
		if (strchr("*?[", path[i]))
			return component;
		if (path[i] == '/')
			component = i + 1;
	}
	return i;
}

static bool is_whole(const char *pattern)
{
	return !strcmp(pattern, "*") || !strcmp(pattern, "**") ||
	       !strcmp(pattern, "**/*");
}

static const char *after(const char *path, const char *root)
{
	size_t length = strlen(root);

	if (strncmp(path, root, length) != 0)
		return NULL;
	if (path[length] && path[length] != '/')
		return NULL;
	return path + length + (path[length] == '/');
}

/* @directory: it is known to be one; set where its name says so. */
static bool path_selector(struct builder *builder,
			  const struct request *request,
			  struct selector *selector, bool *directory)
{
	size_t length = pattern_at(request->object);
	const char *pattern = request->object + length;
	char *path = arena_strndup(builder->arena, request->object, length);
	const char *below;

	/* "~/.*_history" is not all of the home directory. */
	if (*pattern && !is_whole(pattern) && strlen(path) < 3)
		return unspecified(selector, request);
	if (!*path)
		return unspecified(selector, request);
	if (*pattern || path[strlen(path) - 1] == '/')
		*directory = true;
	if ((below = after(path, "~"))) {
		selector->origin = ORIGIN_HOME;
		selector->name = simple_path(builder->arena, below, false);
	} else if ((below = after(path, "/tmp"))) {
		selector->origin = ORIGIN_SCRATCH;
		selector->name = simple_path(builder->arena, below, false);
	} else if (*path == '/') {
		selector->origin = ORIGIN_HOST;
		selector->name = simple_path(builder->arena, path, true);
	} else {
		selector->origin = ORIGIN_WORKSPACE;
		selector->name = simple_path(builder->arena, path, false);
	}
	if (!selector->name)
		return unspecified(selector, request);
	if (!strcmp(selector->name, ".") || !strcmp(selector->name, "/"))
		*directory = true;
	return true;
}

static bool file_selector(struct builder *builder,
			  const struct request *request,
			  struct selector *selector)
{
	bool directory = selector->kind == RESOURCE_DIR;

	path_selector(builder, request, selector, &directory);
	if (directory && (selector->kind == RESOURCE_FILE ||
			  selector->kind == RESOURCE_TOOL))
		selector->kind = RESOURCE_DIR;
	/* A pattern of sockets is none of them in particular. */
	if (directory && selector->kind == RESOURCE_SOCKET)
		unspecified(selector, request);
	if (selector->kind == RESOURCE_DEVICE &&
	    (directory || selector->origin != ORIGIN_HOST))
		unspecified(selector, request);
	return true;
}

/*
 * "gradlew" can be a program of the project or of the system: the rule then
 * says "./gradlew" or "gradlew".
 */
static bool is_by_path(const struct builder *builder,
		       const struct request *request)
{
	struct buffer wanted cleanup_buffer = { 0 };
	size_t i;

	if (strchr(request->object, '/'))
		return true;
	buffer_printf(&wanted, "./%s", request->object);
	for (i = 0; i < request->nr_places; i++) {
		const struct extent *place = &request->places[i];

		if (place->end <= builder->length &&
		    memmem(builder->text + place->start,
			   place->end - place->start, wanted.data,
			   wanted.length))
			return true;
	}
	return false;
}

static bool tool_selector(struct builder *builder,
			  const struct request *request,
			  struct selector *selector)
{
	if (is_by_path(builder, request))
		return file_selector(builder, request, selector);
	if (strpbrk(request->object, "*?["))
		return unspecified(selector, request);
	selector->origin = ORIGIN_HOST;
	selector->name = request->object;
	return true;
}

/* ---- endpoints and ports */

/* "*", "22", "8000-8010" */
static bool read_ports(const char *text, struct selector *selector)
{
	char *end;
	unsigned long low, high;

	selector->port_low = selector->port_high = 0;
	if (!isdigit((unsigned char)*text))
		return !*text || !strcmp(text, "*");
	low = strtoul(text, &end, 10);
	high = *end == '-' ? strtoul(end + 1, &end, 10) : low;
	if (*end || !low || low > high || high > 65535)
		return false;
	selector->port_low = (uint16_t)low;
	selector->port_high = (uint16_t)high;
	return true;
}

static bool read_protocol(const char **text, struct selector *selector)
{
	if (!strncmp(*text, "tcp ", 4))
		selector->protocol = AL_PROTOCOL_TCP;
	else if (!strncmp(*text, "udp ", 4))
		selector->protocol = AL_PROTOCOL_UDP;
	else
		return false;
	*text += 4;
	return true;
}

/* Are these addresses of this machine? The language keeps them apart. */
static bool is_local(const char *host)
{
	size_t length = strlen(host);

	return !strcmp(host, "localhost") || !strncmp(host, "127.", 4) ||
	       !strcmp(host, "::1") || !strcmp(host, "::") ||
	       !strcmp(host, "0.0.0.0") || !strncmp(host, "::ffff:127.", 11) ||
	       (length > 10 && !strcmp(host + length - 10, ".localhost"));
}

/* An address in its simplest form, of a range without what is behind the
 * prefix. */
static const char *simple_address(struct arena *arena, const char *host)
{
	const char *slash = strchr(host, '/');
	char *plain = arena_strndup(
		arena, host, slash ? (size_t)(slash - host) : strlen(host));
	int family = strchr(plain, ':') ? AF_INET6 : AF_INET;
	unsigned char address[16];
	char text[INET6_ADDRSTRLEN];
	unsigned int size = family == AF_INET ? 32 : 128, bit;
	unsigned long prefix = slash ? strtoul(slash + 1, NULL, 10) : size;

	if (inet_pton(family, plain, address) != 1 || prefix > size)
		return NULL;
	for (bit = (unsigned int)prefix; bit < size; bit++)
		address[bit / 8] &= (unsigned char)~(0x80 >> bit % 8);
	inet_ntop(family, address, text, sizeof(text));
	return slash ? arena_printf(arena, "%s/%lu", text, prefix)
		     : arena_strdup(arena, text);
}

/* A host as the language writes it; "*" where it is a pattern. */
static const char *host_name(struct arena *arena, const char *host)
{
	char *name = arena_strdup(arena, host), *ascii = NULL;
	size_t length = strlen(name);
	const char *ret = simple_address(arena, name);
	bool plain = true;

	if (length > 2 && *name == '[' && name[length - 1] == ']') {
		name[length - 1] = '\0';
		name++;
		ret = simple_address(arena, name);
	}
	if (ret)
		return ret;
	for (char *c = name; *c; c++) {
		*c = (char)tolower((unsigned char)*c);
		plain &= (unsigned char)*c < 0x80;
	}
	if (plain)
		return name;
	if (idn2_to_ascii_8z(name, &ascii, IDN2_NONTRANSITIONAL) != IDN2_OK)
		return "*";
	ret = arena_strdup(arena, ascii);
	idn2_free(ascii);
	return ret;
}

static bool endpoint_selector(struct builder *builder,
			      const struct request *request,
			      struct selector *selector)
{
	const char *text = request->object, *space;
	char *host;

	if (!strcmp(text, "*"))
		return unspecified(selector, request);
	if (!read_protocol(&text, selector))
		return false;
	space = strrchr(text, ' ');
	host = arena_strndup(builder->arena, text,
			     space ? (size_t)(space - text) : strlen(text));
	selector->origin = ORIGIN_REMOTE;
	if (!strncmp(host, "registry:", 9) || !strncmp(host, "remote:", 7)) {
		bool registry = host[2] == 'g';

		selector->symbolic = registry ? "registry" : "remote";
		selector->name = strchr(host, ':') + 1;
		selector->protocol = 0;
		return *selector->name != '\0';
	}
	if (space && !read_ports(space + 1, selector))
		return false;
	selector->name = host_name(builder->arena, host);
	if (is_local(selector->name))
		selector->origin = ORIGIN_LOCAL;
	else if (selector_fault(builder->arena, selector).message)
		selector->name = "*";
	return true;
}

static bool port_selector(const struct request *request,
			  struct selector *selector)
{
	const char *text = request->object, *space;

	selector->origin = ORIGIN_LOCAL;
	selector->name = "";
	if (!strcmp(text, "*"))
		return unspecified(selector, request);
	if (!read_protocol(&text, selector))
		return false;
	space = strrchr(text, ' ');
	return read_ports(space ? space + 1 : text, selector);
}

/* ---- the rest */

static bool kernel_selector(const struct request *request,
			    struct selector *selector)
{
	selector->origin = ORIGIN_HOST;
	selector->name =
		strcmp(request->object, "time") ? request->object : "clock";
	if (words_find(&facility_words, selector->name) < 0)
		return unspecified(selector, request);
	return true;
}

static bool name_selector(const struct request *request,
			  struct selector *selector)
{
	if (strpbrk(request->object, "*?["))
		return unspecified(selector, request);
	selector->origin = ORIGIN_HOST;
	selector->name = request->object;
	return true;
}

/*
 * How the language says what a request's action and kind say. False: it has no
 * word for it.
 */
static bool say(const struct request *request, unsigned int *ret_action,
		enum resource_kind *ret_kind)
{
	static const struct {
		unsigned int action;
		enum resource_kind kind;
		unsigned int as_action;
		enum resource_kind as_kind;
	} ways[] = {
#define WAY(a, k, as_a, as_k)                                                  \
	{ AL_OP_NR_##a, RESOURCE_##k, AL_OP_NR_##as_a, RESOURCE_##as_k }
		/* Looking at one file is not looking into a directory. */
		WAY(LIST, FILE, READ, FILE),
		WAY(LIST, TOOL, READ, FILE),
		WAY(LIST, SOCKET, READ, FILE),
		WAY(LIST, DEVICE, READ, DEVICE),
		WAY(LIST, ENV, GETENV, ENV),
		WAY(LIST, KERNEL, KERNEL, KERNEL),
		WAY(READ, TOOL, READ, FILE),
		WAY(READ, ENV, GETENV, ENV),
		WAY(READ, PROCESS, TRACE, PROCESS),
		WAY(READ, SOCKET, CONNECT, SOCKET),
		WAY(READ, ENDPOINT, CONNECT, ENDPOINT),
		WAY(READ, KERNEL, KERNEL, KERNEL),
		WAY(WRITE, TOOL, WRITE, FILE),
		WAY(WRITE, SOCKET, CONNECT, SOCKET),
		WAY(WRITE, ENDPOINT, CONNECT, ENDPOINT),
		WAY(WRITE, PROCESS, SIGNAL, PROCESS),
		WAY(WRITE, KERNEL, KERNEL, KERNEL),
		WAY(DELETE, TOOL, DELETE, FILE),
		WAY(DELETE, DEVICE, DELETE, FILE),
		WAY(DELETE, PROCESS, SIGNAL, PROCESS),
		WAY(DELETE, KERNEL, KERNEL, KERNEL),
		WAY(SETATTR, TOOL, SETATTR, FILE),
		WAY(SETATTR, PROCESS, SIGNAL, PROCESS),
		WAY(SETATTR, KERNEL, KERNEL, KERNEL),
		WAY(EXECUTE, FILE, EXECUTE, TOOL),
		WAY(CONNECT, FILE, CONNECT, SOCKET),
		WAY(CONNECT, DEVICE, WRITE, DEVICE),
		WAY(BIND, ENDPOINT, BIND, PORT),
#undef WAY
	};

	*ret_action = request->action;
	*ret_kind = request->kind;
	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		if (ways[i].action != request->action ||
		    ways[i].kind != request->kind)
			continue;
		*ret_action = ways[i].as_action;
		*ret_kind = ways[i].as_kind;
	}
	return action_takes(*ret_action, *ret_kind);
}

/* The processes of a machine are a directory of it. */
static bool list_processes(unsigned int *action, struct selector *selector)
{
	*action = AL_OP_NR_LIST;
	selector->kind = RESOURCE_DIR;
	selector->origin = ORIGIN_HOST;
	selector->name = "/proc";
	return true;
}

static bool select_object(struct builder *builder,
			  const struct request *request, unsigned int *action,
			  struct selector *selector)
{
	if (request->action == AL_OP_NR_LIST &&
	    request->kind == RESOURCE_PROCESS)
		return list_processes(action, selector);
	if (!say(request, action, &selector->kind))
		return false;
	switch (selector->kind) {
	case RESOURCE_FILE:
	case RESOURCE_DIR:
	case RESOURCE_SOCKET:
	case RESOURCE_DEVICE:
		return file_selector(builder, request, selector);
	case RESOURCE_TOOL:
		return tool_selector(builder, request, selector);
	case RESOURCE_ENDPOINT:
		return endpoint_selector(builder, request, selector);
	case RESOURCE_PORT:
		return port_selector(request, selector);
	case RESOURCE_KERNEL:
		return kernel_selector(request, selector);
	default:
		return name_selector(request, selector);
	}
}

/* ---- names */

static const char *name_base(struct builder *builder,
			     const struct selector *selector)
{
	struct arena *arena = builder->arena;
	const char *kind = resource_kind_word(selector->kind);

	if (selector->origin == ORIGIN_UNSPECIFIED)
		return arena_printf(arena, "%s-%s",
				    resource_class_word(selector->class_),
				    kind);
	if (selector->symbolic)
		return arena_printf(arena, "%s-%s", selector->name,
				    selector->symbolic);
	if (selector->kind == RESOURCE_PORT)
		return arena_printf(arena, "port-%u", selector->port_low);
	if (selector->kind == RESOURCE_KERNEL)
		return arena_printf(arena, "kernel-%s", selector->name);
	if (!strcmp(selector->name, "*"))
		return "any-host";
	if (!strcmp(selector->name, ".") || !strcmp(selector->name, "/"))
		return resource_origin_word(selector->origin);
	if (selector->origin == ORIGIN_SCRATCH)
		return arena_printf(arena, "tmp-%s", selector->name);
	return selector->name;
}

/* Letters, digits and dots; the end of a long one says most. */
static char *name_clean(struct builder *builder, const char *base,
			enum resource_kind kind)
{
	char *name = arena_alloc(builder->arena, strlen(base) + 32);
	size_t nr = 0, skip;

	for (; *base; base++) {
		unsigned char c = (unsigned char)tolower((unsigned char)*base);

		if (islower(c) || isdigit(c) ||
		    (nr && strchr("._", c) && name[nr - 1] != c))
			name[nr++] = (char)c;
		else if (nr && !strchr("-.", name[nr - 1]))
			name[nr++] = '-';
	}
	while (nr && strchr("-._", name[nr - 1]))
		nr--;
	name[nr] = '\0';
	if (nr > MAX_NAME) {
		skip = nr - MAX_NAME;
		while (name[skip] && !islower((unsigned char)name[skip]))
			skip++;
		name += skip;
	}
	if (!islower((unsigned char)*name) || !strcmp(name, "from") ||
	    !strcmp(name, "to") || !strcmp(name, "observed"))
		name = arena_printf(builder->arena, "%s-%.*s",
				    resource_kind_word(kind), MAX_NAME - 10,
				    name);
	nr = strlen(name);
	while (nr && strchr("-._", name[nr - 1]))
		name[--nr] = '\0';
	return name;
}

static const char *name_unique(struct builder *builder, char *name)
{
	const char *ret = name;

	for (unsigned int i = 2; program_resource(&builder->program, ret); i++)
		ret = arena_printf(builder->arena, "%s-%u", name, i);
	return ret;
}

/* ---- the program */

static size_t add_resource(struct builder *builder,
			   const struct selector *selector)
{
	struct program *program = &builder->program;
	struct resource *resource;
	size_t i;

	for (i = 0; i < program->nr_resources; i++)
		if (selector->origin != ORIGIN_UNSPECIFIED &&
		    selector_equal(&program->resources[i].selector, selector))
			return i;
	resource = arena_alloc(builder->arena, sizeof(*resource));
	resource->selector = *selector;
	resource->name = name_unique(
		builder, name_clean(builder, name_base(builder, selector),
				    selector->kind));
	*ARENA_PUSH(builder->arena, program->resources, program->nr_resources) =
		*resource;
	return i;
}

static struct grant *add_grant(struct builder *builder, unsigned int action,
			       size_t resource)
{
	struct program *program = &builder->program;
	struct grant *grant;

	for (size_t i = 0; i < program->nr_grants; i++)
		if (program->grants[i].action == action &&
		    program->grants[i].resource == resource)
			return &program->grants[i];
	grant = ARENA_PUSH(builder->arena, program->grants, program->nr_grants);
	grant->name = arena_printf(builder->arena, "%s.%s",
				   program->resources[resource].name,
				   operation_word(action));
	grant->action = action;
	grant->resource = resource;
	grant->conditional = true;
	grant->base = true;
	return grant;
}

static void add_comment(struct builder *builder, const struct request *request)
{
	struct position at = position_of(builder, request->start);

	if (builder->nr_comments++ == MAX_UNSAID)
		buffer_adds(&builder->comments, "# ...\n");
	if (builder->nr_comments > MAX_UNSAID)
		return;
	buffer_printf(&builder->comments,
		      "# %u:%u asks for what this language cannot say: %s %s ",
		      at.line, at.column, operation_word(request->action),
		      resource_kind_word(request->kind));
	text_escape(&builder->comments, request->object,
		    strnlen(request->object, MAX_QUOTED));
	buffer_addc(&builder->comments, '\n');
}

static bool add_request(struct builder *builder, const struct request *request)
{
	struct selector selector = { 0 };
	unsigned int action;
	struct grant *grant;
	size_t i;

	if (!select_object(builder, request, &action, &selector) ||
	    !action_takes(action, selector.kind) ||
	    !kind_has_origin(selector.kind, selector.origin)) {
		add_comment(builder, request);
		return true;
	}
	if (selector_fault(builder->arena, &selector).message)
		unspecified(&selector, request);
	grant = add_grant(builder, action, add_resource(builder, &selector));
	if (builder->program.nr_grants > AL_MAX_GRANTS)
		return false;
	for (i = 0; i < request->nr_places; i++)
		add_span(builder, grant, request->places[i]);
	grant->conditional &= request->conditional;
	grant->base &= request->base;
	if (!grant->hidden)
		grant->hidden = request->hidden;
	return true;
}

/* The way through text is what makes sure that the program is one. */
static int finish(struct builder *builder, struct program **ret,
		  struct error **err)
{
	struct buffer text cleanup_buffer = { 0 };
	char *file cleanup_free = xasprintf("%s.sdl", builder->program.rule);

	buffer_add(&text, builder->comments.data, builder->comments.length);
	if (builder->comments.length)
		buffer_addc(&text, '\n');
	program_print(&builder->program, &text);
	if (program_parse(file, buffer_text(&text), text.length, ret, err))
		return error_wrap(err, ERROR_INTERNAL, -EINVAL,
				  "%s: what it asks for became no program",
				  builder->program.rule);
	return 0;
}

int translation_program(const struct translation *translation, const char *name,
			const char *rule, const char *text, size_t length,
			struct program **ret, struct error **err)
{
	struct arena *arena cleanup_arena = arena_new();
	struct builder builder = {
		.arena = arena,
		.text = text,
		.length = length,
		.program = { .arena = arena,
			     .name = name,
			     .rule = rule,
			     .rule_digest = digest_of(text, length),
			     .has_digest = true,
			     .has_system = true },
	};
	size_t *lines cleanup_free = NULL;
	bool fits = true;
	int r;

	split(&builder);
	lines = builder.lines;
	for (size_t i = 0; i < translation->nr_requests && fits; i++)
		fits = add_request(&builder, &translation->requests[i]);
	if (fits)
		r = finish(&builder, ret, err);
	else
		r = error_set(err, ERROR_INPUT, E2BIG,
			      "%s: asks for more than %d things", rule,
			      AL_MAX_GRANTS);
	buffer_done(&builder.comments);
	return r;
}
