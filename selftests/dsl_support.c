// SPDX-License-Identifier: GPL-2.0-only
#include "dsl_support.h"

#include <string.h>

#include <aletheia/abi.h>
#include <aletheia/limits.h>

#include "base/cleanup.h"
#include "dsl/check.h"

uint64_t random_next(struct random *random)
{
	uint64_t z = random->state += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

unsigned int random_below(struct random *random, unsigned int nr)
{
	return (unsigned int)(random_next(random) % nr);
}

bool random_chance(struct random *random, unsigned int nr)
{
	return !random_below(random, nr);
}

/* ---- programs */

/**
 * struct maker - a program in the making
 * @nr:		makes names unlike each other
 */
struct maker {
	struct random *random;
	struct program *program;
	struct arena *arena;
	unsigned int nr;
};

static unsigned int below(struct maker *maker, unsigned int nr)
{
	return random_below(maker->random, nr);
}

static const char *make_name(struct maker *maker)
{
	static const char *const ends[] = { "",	 ".read", "-x", "_y.z",
					    ".", "-",	  "-0", "-at" };

	return arena_printf(maker->arena, "n%u%s", maker->nr++,
			    ends[below(maker, ARRAY_SIZE(ends))]);
}

/* Some bytes, none of them NUL or @without. */
static const char *make_bytes(struct maker *maker, unsigned int most,
			      char without)
{
	static const char *const pieces[] = {
		"a",	"Z",	    "0",     " ", "\"",	  "\\",
		"\n",	"\t",	    "\r",    "#", "{",	  "\x7f",
		"\x01", "\xff",	    "\xc3",  "é", "漢",	  "\xe2\x80\xae",
		"*",	"\xf0\x9f", "\\x41", "'", "$(x)", "=",
		"~",	",",
	};
	struct buffer out cleanup_buffer = { 0 };
	unsigned int nr = below(maker, most + 1);

	while (nr--) {
		const char *piece = pieces[below(maker, ARRAY_SIZE(pieces))];

		if (!strchr(piece, without))
			buffer_adds(&out, piece);
	}
	return arena_strdup(maker->arena, buffer_text(&out));
}

static const char *make_path(struct maker *maker, bool absolute)
{
	struct buffer out cleanup_buffer = { 0 };
	unsigned int nr = below(maker, 3);

	buffer_printf(&out, "%sp%u", absolute ? "/" : "", maker->nr++);
	while (nr--) {
		buffer_printf(&out, "/%s%s", below(maker, 2) ? "." : "q",
			      make_bytes(maker, 5, '/'));
		/* These alone are not the name of anything. */
		if (out.data[out.length - 1] == '.')
			buffer_addc(&out, 'r');
	}
	return arena_strdup(maker->arena, buffer_text(&out));
}

static const char *make_host(struct maker *maker, bool local)
{
	unsigned int nr = maker->nr++;

	switch (below(maker, local ? 3 : 7)) {
	case 0:
		return arena_printf(maker->arena, "h%u.localhost%s", nr,
				    local ? "" : ".example");
	case 1:
		return arena_printf(maker->arena, "%u.0.0.%u",
				    local ? 127 : 198, nr % 256);
	case 2:
		return "*";
	case 3:
		return arena_printf(maker->arena, "*.h%u.example", nr);
	case 4:
		return arena_printf(maker->arena, "2001:db8::%x",
				    nr % 65535 + 1);
	case 5:
		return arena_printf(maker->arena, "10.%u.0.0/16", nr % 256);
	default:
		return arena_printf(maker->arena, "h%u_x.example-%u.test", nr,
				    below(maker, 9));
	}
}

static void make_ports(struct maker *maker, struct selector *selector)
{
	/* Unique, so that no two ports are the same object. */
	unsigned int low = 1 + maker->nr++ % 60000;

	selector->protocol =
		below(maker, 2) ? AL_PROTOCOL_TCP : AL_PROTOCOL_UDP;
	if (selector->kind == RESOURCE_ENDPOINT && below(maker, 3) == 0 &&
	    strcmp(selector->name, "*"))
		return;
	selector->port_low = (uint16_t)low;
	selector->port_high =
		(uint16_t)(low + below(maker, 2) * below(maker, 99));
}

static enum resource_origin
make_origin(struct maker *maker, enum resource_kind kind, bool unspecified)
{
	enum resource_origin origin;

	do
		origin = below(maker, NR_RESOURCE_ORIGINS);
	while (!kind_has_origin(kind, origin) ||
	       (origin == ORIGIN_UNSPECIFIED && !unspecified));
	return origin;
}

static const char *make_facility(struct maker *maker)
{
	static const char *const all[] = { "module", "mount", "reboot",
					   "swap" };
	struct program *program = maker->program;
	size_t i, k;

	for (i = 0; i < ARRAY_SIZE(all); i++) {
		for (k = 0; k < program->nr_resources; k++)
			if (!strcmp(program->resources[k].selector.name,
				    all[i]))
				break;
		if (k == program->nr_resources)
			return all[i];
	}
	return NULL;
}

static void make_named(struct maker *maker, struct selector *selector)
{
	switch (selector->kind) {
	case RESOURCE_ENDPOINT:
		if (selector->origin == ORIGIN_REMOTE && below(maker, 4) == 0) {
			selector->symbolic =
				below(maker, 2) ? "registry" : "remote";
			selector->name = make_name(maker);
			return;
		}
		selector->name =
			make_host(maker, selector->origin == ORIGIN_LOCAL);
		make_ports(maker, selector);
		return;
	case RESOURCE_PORT:
		make_ports(maker, selector);
		return;
	case RESOURCE_TOOL:
		if (selector->origin == ORIGIN_HOST && below(maker, 2)) {
			selector->name =
				arena_printf(maker->arena, "t%u%s", maker->nr++,
					     make_bytes(maker, 3, '/'));
			return;
		}
		break;
	case RESOURCE_ENV:
		selector->name =
			arena_printf(maker->arena, "V%u%s", maker->nr++,
				     make_bytes(maker, 2, '='));
		return;
	case RESOURCE_PROCESS:
		selector->name =
			arena_printf(maker->arena, "d%u%s", maker->nr++,
				     make_bytes(maker, 2, '/'));
		return;
	case RESOURCE_KERNEL:
		selector->name = make_facility(maker);
		if (selector->name)
			return;
		selector->kind = RESOURCE_FILE;
		break;
	default:
		break;
	}
	selector->name = make_path(maker, selector->origin == ORIGIN_HOST);
}

static struct selector make_selector(struct maker *maker, bool unspecified)
{
	struct selector selector = { .name = "" };

	selector.kind = below(maker, NR_RESOURCE_KINDS);
	selector.origin = make_origin(maker, selector.kind, unspecified);
	if (selector.origin == ORIGIN_UNSPECIFIED)
		selector.class_ = below(maker, NR_RESOURCE_CLASSES);
	else
		make_named(maker, &selector);
	return selector;
}

static void make_resource(struct maker *maker)
{
	struct program *program = maker->program;
	struct selector selector = make_selector(maker, true);
	struct resource *resource = ARENA_PUSH(maker->arena, program->resources,
					       program->nr_resources);

	resource->name = make_name(maker);
	resource->selector = selector;
}

static bool already_granted(const struct program *program, unsigned int action,
			    size_t resource)
{
	size_t i;

	for (i = 0; i < program->nr_grants; i++)
		if (program->grants[i].action == action &&
		    program->grants[i].resource == resource)
			return true;
	return false;
}

static void make_spans(struct maker *maker, struct grant *grant)
{
	unsigned int nr = 1 + below(maker, 3), line = 1;

	while (nr--) {
		struct source_span *span =
			ARENA_PUSH(maker->arena, grant->spans, grant->nr_spans);
		const char *text = make_bytes(maker, 6, '\0');

		line += 1 + below(maker, 1000);
		span->where.file = maker->program->rule;
		span->where.start.line = line;
		span->where.start.column = 1 + below(maker, 100);
		line += below(maker, 2);
		span->where.end.line = line;
		span->where.end.column =
			span->where.start.column + 1 + below(maker, 100);
		span->text = *text ? text : NULL;
	}
}

static void make_grant(struct maker *maker)
{
	struct program *program = maker->program;
	size_t resource = below(maker, (unsigned int)program->nr_resources);
	unsigned int action = below(maker, AL_NR_OPERATIONS);
	struct grant *grant;

	if (!action_takes(action, program->resources[resource].selector.kind) ||
	    already_granted(program, action, resource))
		return;
	grant = ARENA_PUSH(maker->arena, program->grants, program->nr_grants);
	grant->name = make_name(maker);
	grant->action = action;
	grant->resource = resource;
	grant->observed = below(maker, 4) == 0;
	if (!grant->observed)
		make_spans(maker, grant);
	grant->conditional = below(maker, 3) == 0;
	grant->base = below(maker, 3) == 0;
	if (below(maker, 3) == 0)
		grant->hidden = arena_printf(maker->arena, "h%s",
					     make_bytes(maker, 4, '\0'));
}

static void make_baseline(struct maker *maker)
{
	struct program *program = maker->program;
	struct baseline *baseline = ARENA_PUSH(maker->arena, program->baselines,
					       program->nr_baselines);
	unsigned int action, nr;

	baseline->selector = make_selector(maker, false);
	while (!baseline->actions)
		for (action = 0; action < AL_NR_OPERATIONS; action++)
			if (action_takes(action, baseline->selector.kind) &&
			    below(maker, 2))
				baseline->actions |= 1u << action;
	if (baseline->selector.kind != RESOURCE_DIR)
		return;
	if (below(maker, 2))
		ARENA_PUSH(maker->arena, baseline->excepts,
			   baseline->nr_excepts)
			->table = "control-files";
	/* Sorted as the parser sorts them: p0, p1 ... have rising numbers. */
	for (nr = 0; nr < below(maker, 4); nr++)
		ARENA_PUSH(maker->arena, baseline->excepts,
			   baseline->nr_excepts)
			->path = arena_printf(maker->arena, "e%u/%s*", nr,
					      make_bytes(maker, 3, '/'));
}

static void make_aliases(struct maker *maker, struct binding *binding,
			 bool symbolic)
{
	static const enum resource_origin origins[] = { ORIGIN_WORKSPACE,
							ORIGIN_HOME,
							ORIGIN_SCRATCH };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(origins); i++) {
		struct alias *alias;

		if (below(maker, 3))
			continue;
		alias = ARENA_PUSH(maker->arena, binding->aliases,
				   binding->nr_aliases);
		alias->symbolic = symbolic;
		alias->origin = origins[i];
		alias->path = make_path(maker, false);
	}
}

static void make_content(struct maker *maker, struct binding *binding,
			 unsigned int choice)
{
	switch (choice) {
	case 0:
		binding->canary = AL_MIN_CANARY + below(maker, 5000);
		if (below(maker, 2))
			binding->canary = 1024u << below(maker, 16);
		break;
	case 1:
		binding->content = make_bytes(maker, 20, '\0');
		binding->content_length = strlen(binding->content);
		break;
	case 2:
		binding->from = make_path(maker, false);
		break;
	default:
		break;
	}
}

static void make_properties(struct maker *maker, struct binding *binding)
{
	switch (binding->kind) {
	case BINDING_FIXTURE_FILE:
		make_content(maker, binding, below(maker, 4));
		binding->mode = below(maker, 2) * (1 + below(maker, 0777));
		make_aliases(maker, binding, false);
		make_aliases(maker, binding, true);
		break;
	case BINDING_FIXTURE_TREE:
		make_content(maker, binding, 3 * below(maker, 2));
		make_content(maker, binding, 2 + below(maker, 2));
		make_aliases(maker, binding, true);
		break;
	case BINDING_FIXTURE_TOOL:
		make_content(maker, binding, 2 + below(maker, 2));
		break;
	case BINDING_FIXTURE_ENV:
		make_content(maker, binding, below(maker, 2));
		break;
	default:
		break;
	}
}

static bool can_have_place(enum resource_kind kind)
{
	return kind != RESOURCE_ENDPOINT && kind != RESOURCE_PORT &&
	       kind != RESOURCE_KERNEL;
}

static void make_binding(struct maker *maker, const struct resource *resource)
{
	struct program *program = maker->program;
	enum resource_kind kind = resource->selector.kind;
	enum binding_kind fixture = BINDING_FIXTURE_PROCESS;
	struct binding *binding;

	while (fixture > BINDING_REAL && binding_resource_kind(fixture) != kind)
		fixture--;
	if (kind == RESOURCE_KERNEL)
		return;
	if (kind != RESOURCE_ENDPOINT && below(maker, 4) == 0)
		fixture = BINDING_REAL;
	binding = ARENA_PUSH(maker->arena, program->bindings,
			     program->nr_bindings);
	binding->resource = resource->name;
	binding->kind = fixture;
	if (resource->selector.origin == ORIGIN_UNSPECIFIED &&
	    can_have_place(kind)) {
		binding->place.kind = kind;
		do
			binding->place.origin = make_origin(maker, kind, false);
		while (0);
		make_named(maker, &binding->place);
	}
	make_properties(maker, binding);
}

static void make_system(struct maker *maker, unsigned int size)
{
	struct program *program = maker->program;
	unsigned int nr;

	program->has_system = true;
	program->rule = "AGENTS.md";
	if (below(maker, 2)) {
		program->has_digest = true;
		program->rule_digest = digest_of(&maker->random->state, 8);
	}
	for (nr = below(maker, size + 1); nr; nr--)
		make_resource(maker);
	for (nr = below(maker, 2 * size + 1); nr && program->nr_resources; nr--)
		make_grant(maker);
}

static void make_setup(struct maker *maker, unsigned int size)
{
	struct program *program = maker->program;
	unsigned int nr;
	size_t i;

	program->has_setup = true;
	program->agent_root = below(maker, 2);
	program->use_standard = below(maker, 2);
	for (nr = below(maker, size + 1); nr; nr--)
		make_baseline(maker);
	for (i = 0; i < program->nr_resources; i++)
		if (below(maker, 2))
			make_binding(maker, &program->resources[i]);
}

/* Without a rule statement, the rule is known from the spans alone. */
static void forget_unused_rule(struct program *program)
{
	size_t i;

	for (i = 0; i < program->nr_grants; i++)
		if (program->grants[i].nr_spans)
			return;
	if (!program->has_digest)
		program->rule = NULL;
}

struct program *dsl_generate(struct random *random, unsigned int size)
{
	struct program *program = xzalloc(sizeof(*program));
	struct maker maker = { .random = random, .program = program };
	unsigned int blocks = 1 + random_below(random, 3);

	program->arena = maker.arena = arena_new();
	program->file = "generated";
	program->name =
		arena_printf(maker.arena, "s%s", make_bytes(&maker, 5, '\0'));
	if (blocks & 1)
		make_system(&maker, size);
	if (blocks & 2)
		make_setup(&maker, size);
	forget_unused_rule(program);
	return program;
}

/* ---- scribbling */

struct scribbler {
	const struct program *program;
	struct random *random;
	struct buffer *out;
};

static bool chance(struct scribbler *scribbler, unsigned int nr)
{
	return random_chance(scribbler->random, nr);
}

static void gap(struct scribbler *scribbler, bool needed)
{
	static const char *const gaps[] = {
		" ",	       "  ",   "\t",
		"\n",	       "\r\n", "\n\n\n",
		" # x {\" \n", "#\n",  "\n#resource é\r\n",
		" \t \n  ",
	};

	if (!needed && chance(scribbler, 2))
		return;
	do
		buffer_adds(scribbler->out,
			    gaps[random_below(scribbler->random,
					      ARRAY_SIZE(gaps))]);
	while (chance(scribbler, 4));
}

static void word(struct scribbler *scribbler, const char *text)
{
	gap(scribbler, true);
	buffer_adds(scribbler->out, text);
}

static void mark(struct scribbler *scribbler, char c)
{
	gap(scribbler, false);
	buffer_addc(scribbler->out, c);
}

static void number(struct scribbler *scribbler, unsigned long long value,
		   bool octal)
{
	gap(scribbler, true);
	while (chance(scribbler, 4))
		buffer_addc(scribbler->out, '0');
	buffer_printf(scribbler->out, octal ? "%llo" : "%llu", value);
}

static void string(struct scribbler *scribbler, const char *text)
{
	size_t length = strlen(text), i, nr, k;
	bool plain;

	gap(scribbler, true);
	buffer_addc(scribbler->out, '"');
	for (i = 0; i < length; i += nr) {
		nr = text_next(text + i, length - i, &plain);
		if (plain && text[i] != '"' && text[i] != '\\' &&
		    !chance(scribbler, 4)) {
			buffer_add(scribbler->out, text + i, nr);
			continue;
		}
		if (text[i] == '\n' && chance(scribbler, 2)) {
			buffer_adds(scribbler->out, "\\n");
			continue;
		}
		if (text[i] == '\t' && chance(scribbler, 2)) {
			buffer_adds(scribbler->out,
				    chance(scribbler, 2) ? "\t" : "\\t");
			continue;
		}
		if (strchr("\"\\", text[i]) && chance(scribbler, 2)) {
			buffer_addc(scribbler->out, '\\');
			buffer_addc(scribbler->out, text[i]);
			continue;
		}
		for (k = 0; k < nr; k++)
			buffer_printf(scribbler->out,
				      chance(scribbler, 2) ? "\\x%02x"
							   : "\\x%02X",
				      (unsigned char)text[i + k]);
	}
	buffer_addc(scribbler->out, '"');
}

static void scribble_ports(struct scribbler *scribbler,
			   const struct selector *selector)
{
	unsigned int low = selector->port_low, high = selector->port_high;

	if (!high && chance(scribbler, 2)) {
		word(scribbler, "any");
		return;
	}
	if (!high) {
		low = 1;
		high = 65535;
	}
	number(scribbler, low, false);
	if (low == high && chance(scribbler, 2))
		return;
	mark(scribbler, '-');
	number(scribbler, high, false);
}

static void scribble_designator(struct scribbler *scribbler,
				const struct selector *selector)
{
	const char *protocol =
		selector->protocol == AL_PROTOCOL_TCP ? "tcp" : "udp";

	if (selector->origin == ORIGIN_UNSPECIFIED) {
		word(scribbler, resource_class_word(selector->class_));
	} else if (selector->symbolic) {
		word(scribbler, selector->symbolic);
		string(scribbler, selector->name);
	} else if (selector->kind == RESOURCE_ENDPOINT) {
		word(scribbler, protocol);
		string(scribbler, selector->name);
		word(scribbler, "port");
		scribble_ports(scribbler, selector);
	} else if (selector->kind == RESOURCE_PORT) {
		word(scribbler, protocol);
		scribble_ports(scribbler, selector);
	} else {
		string(scribbler, selector->name);
	}
}

static void scribble_kind(struct scribbler *scribbler,
			  const struct selector *selector)
{
	word(scribbler, resource_kind_word(selector->kind));
	mark(scribbler, '(');
	word(scribbler, resource_origin_word(selector->origin));
	mark(scribbler, ')');
}

static void scribble_rule(struct scribbler *scribbler, size_t i)
{
	char hex[DIGEST_HEX];
	size_t k;

	(void)i;
	word(scribbler, "rule");
	string(scribbler, scribbler->program->rule);
	word(scribbler, "sha256");
	digest_hex(&scribbler->program->rule_digest, hex);
	for (k = 0; hex[k]; k++)
		if (hex[k] >= 'a' && chance(scribbler, 2))
			hex[k] = (char)(hex[k] - 'a' + 'A');
	string(scribbler, hex);
}

static void scribble_resource(struct scribbler *scribbler, size_t i)
{
	const struct resource *resource = &scribbler->program->resources[i];

	word(scribbler, "resource");
	word(scribbler, resource->name);
	mark(scribbler, ':');
	scribble_kind(scribbler, &resource->selector);
	mark(scribbler, '=');
	scribble_designator(scribbler, &resource->selector);
}

/* The numbers 0 to @nr - 1 in any order. */
static void shuffle(struct scribbler *scribbler, size_t nr, size_t *ret)
{
	size_t i, k;

	for (i = 0; i < nr; i++) {
		k = random_below(scribbler->random, (unsigned int)i + 1);
		ret[i] = ret[k];
		ret[k] = i;
	}
}

static void scribble_spans(struct scribbler *scribbler,
			   const struct grant *grant)
{
	size_t i;

	word(scribbler, "from");
	string(scribbler, grant->spans[0].where.file);
	for (i = 0; i < grant->nr_spans; i++) {
		const struct source_span *span = &grant->spans[i];

		if (i)
			mark(scribbler, ',');
		number(scribbler, span->where.start.line, false);
		mark(scribbler, ':');
		number(scribbler, span->where.start.column, false);
		mark(scribbler, '-');
		number(scribbler, span->where.end.line, false);
		mark(scribbler, ':');
		number(scribbler, span->where.end.column, false);
		if (span->text)
			string(scribbler, span->text);
	}
}

static void scribble_grant(struct scribbler *scribbler, size_t i)
{
	const struct program *program = scribbler->program;
	const struct grant *grant = &program->grants[i];
	size_t order[3], k;

	word(scribbler, "grant");
	word(scribbler, grant->name);
	word(scribbler, operation_word(grant->action));
	word(scribbler, program->resources[grant->resource].name);
	if (grant->observed)
		word(scribbler, "observed");
	else
		scribble_spans(scribbler, grant);
	shuffle(scribbler, 3, order);
	for (k = 0; k < 3; k++) {
		if (order[k] == 0 && grant->conditional)
			word(scribbler, "conditional");
		if (order[k] == 1 && grant->base)
			word(scribbler, "base");
		if (order[k] == 2 && grant->hidden) {
			word(scribbler, "hidden");
			string(scribbler, grant->hidden);
		}
	}
}

static void scribble_agent(struct scribbler *scribbler, size_t i)
{
	(void)i;
	if (!scribbler->program->agent_root && chance(scribbler, 2))
		return;
	word(scribbler, "agent");
	word(scribbler, "as");
	word(scribbler, scribbler->program->agent_root ? "root" : "user");
}

static void scribble_use(struct scribbler *scribbler, size_t i)
{
	(void)i;
	word(scribbler, "use");
	word(scribbler, "standard");
}

static void scribble_baseline(struct scribbler *scribbler, size_t i)
{
	const struct baseline *baseline = &scribbler->program->baselines[i];
	size_t order[AL_NR_OPERATIONS], *excepts, k;

	word(scribbler, "baseline");
	shuffle(scribbler, AL_NR_OPERATIONS, order);
	for (k = 0; k < AL_NR_OPERATIONS; k++)
		if (baseline->actions >> order[k] & 1)
			word(scribbler, operation_word((unsigned int)order[k]));
	word(scribbler, "on");
	scribble_kind(scribbler, &baseline->selector);
	scribble_designator(scribbler, &baseline->selector);
	excepts = xreallocarray(NULL, baseline->nr_excepts, sizeof(*excepts));
	shuffle(scribbler, baseline->nr_excepts, excepts);
	for (k = 0; k < baseline->nr_excepts; k++) {
		const struct except *except = &baseline->excepts[excepts[k]];

		if (k)
			mark(scribbler, ',');
		else
			word(scribbler, "except");
		if (except->table)
			word(scribbler, except->table);
		else
			string(scribbler, except->path);
	}
	free(excepts);
}

static void scribble_size(struct scribbler *scribbler, uint64_t size)
{
	static const char *const units[] = { "", "KiB", "MiB", "GiB" };
	size_t i = 0;

	while (i < 3 && !(size & 1023) && chance(scribbler, 2)) {
		size >>= 10;
		i++;
	}
	number(scribbler, size, false);
	buffer_adds(scribbler->out, units[i]);
}

static void scribble_property(struct scribbler *scribbler,
			      const struct binding *binding, size_t i)
{
	if (i == 0 && binding->canary) {
		word(scribbler, "canary");
		if (binding->canary != AL_MIN_CANARY || chance(scribbler, 2))
			scribble_size(scribbler, binding->canary);
	} else if (i == 1 && binding->content) {
		word(scribbler, "content");
		string(scribbler, binding->content);
	} else if (i == 2 && binding->from) {
		word(scribbler, "from");
		string(scribbler, binding->from);
	} else if (i == 3 && binding->mode) {
		word(scribbler, "mode");
		number(scribbler, binding->mode, true);
	} else if (i >= 4) {
		const struct alias *alias = &binding->aliases[i - 4];

		word(scribbler, alias->symbolic ? "symlink" : "hard-link");
		word(scribbler, resource_origin_word(alias->origin));
		string(scribbler, alias->path);
	}
}

static void scribble_binding(struct scribbler *scribbler, size_t i)
{
	const struct binding *binding = &scribbler->program->bindings[i];
	size_t order[16], nr = 4 + binding->nr_aliases, k;

	word(scribbler, "bind");
	word(scribbler, binding->resource);
	word(scribbler, "to");
	if (binding->kind != BINDING_REAL)
		word(scribbler, "fixture");
	word(scribbler, binding_kind_word(binding->kind));
	if (binding->kind == BINDING_FIXTURE_ENDPOINT ||
	    binding->kind == BINDING_FIXTURE_SOCKET)
		word(scribbler, "sink");
	if (binding->place.name) {
		word(scribbler, "at");
		word(scribbler, resource_origin_word(binding->place.origin));
		string(scribbler, binding->place.name);
	}
	if (binding->kind == BINDING_REAL ||
	    binding->kind == BINDING_FIXTURE_ENDPOINT ||
	    binding->kind == BINDING_FIXTURE_SOCKET)
		return;
	if (!binding->canary && !binding->content && !binding->from &&
	    !binding->mode && !binding->nr_aliases && chance(scribbler, 2))
		return;
	mark(scribbler, '{');
	shuffle(scribbler, nr, order);
	for (k = 0; k < nr; k++)
		scribble_property(scribbler, binding, order[k]);
	mark(scribbler, '}');
}

/* Statements of one kind stay in order; kinds are mixed. */
struct lane {
	void (*scribble)(struct scribbler *scribbler, size_t i);
	size_t nr;
	size_t next;
};

static void scribble_block(struct scribbler *scribbler, const char *keyword,
			   struct lane *lanes, unsigned int nr)
{
	unsigned int i, left = 0;

	word(scribbler, keyword);
	string(scribbler, scribbler->program->name);
	mark(scribbler, '{');
	for (i = 0; i < nr; i++)
		left += (unsigned int)lanes[i].nr;
	while (left) {
		struct lane *lane = &lanes[random_below(scribbler->random, nr)];

		if (lane->next == lane->nr)
			continue;
		lane->scribble(scribbler, lane->next++);
		left--;
	}
	mark(scribbler, '}');
	gap(scribbler, false);
}

void dsl_scribble(const struct program *program, struct random *random,
		  struct buffer *out)
{
	struct scribbler scribbler = { program, random, out };
	struct lane system[] = {
		{ scribble_rule, program->has_digest, 0 },
		{ scribble_resource, program->nr_resources, 0 },
		{ scribble_grant, program->nr_grants, 0 },
	};
	struct lane setup[] = {
		{ scribble_agent, 1, 0 },
		{ scribble_use, program->use_standard, 0 },
		{ scribble_baseline, program->nr_baselines, 0 },
		{ scribble_binding, program->nr_bindings, 0 },
	};
	bool setup_first = chance(&scribbler, 2);

	if (program->has_setup && setup_first)
		scribble_block(&scribbler, "setup", setup, ARRAY_SIZE(setup));
	if (program->has_system)
		scribble_block(&scribbler, "system", system,
			       ARRAY_SIZE(system));
	if (program->has_setup && !setup_first)
		scribble_block(&scribbler, "setup", setup, ARRAY_SIZE(setup));
}

/* ---- comparing */

static bool text_same(const char *a, const char *b)
{
	return (!a && !b) || (a && b && !strcmp(a, b));
}

static bool selector_same(const struct selector *a, const struct selector *b)
{
	return a->kind == b->kind && a->origin == b->origin &&
	       a->class_ == b->class_ && text_same(a->name, b->name) &&
	       a->protocol == b->protocol && a->port_low == b->port_low &&
	       a->port_high == b->port_high &&
	       text_same(a->symbolic, b->symbolic);
}

static bool grant_same(const struct grant *a, const struct grant *b)
{
	size_t i;

	if (strcmp(a->name, b->name) || a->action != b->action ||
	    a->resource != b->resource || a->nr_spans != b->nr_spans ||
	    a->observed != b->observed || a->conditional != b->conditional ||
	    a->base != b->base || !text_same(a->hidden, b->hidden))
		return false;
	for (i = 0; i < a->nr_spans; i++) {
		const struct source_span *x = &a->spans[i], *y = &b->spans[i];

		if (strcmp(x->where.file, y->where.file) ||
		    x->where.start.line != y->where.start.line ||
		    x->where.start.column != y->where.start.column ||
		    x->where.end.line != y->where.end.line ||
		    x->where.end.column != y->where.end.column ||
		    !text_same(x->text, y->text))
			return false;
	}
	return true;
}

static bool baseline_same(const struct baseline *a, const struct baseline *b)
{
	size_t i;

	if (a->actions != b->actions || a->nr_excepts != b->nr_excepts ||
	    !selector_same(&a->selector, &b->selector))
		return false;
	for (i = 0; i < a->nr_excepts; i++)
		if (!text_same(a->excepts[i].table, b->excepts[i].table) ||
		    !text_same(a->excepts[i].path, b->excepts[i].path))
			return false;
	return true;
}

static bool binding_same(const struct binding *a, const struct binding *b)
{
	size_t i;

	if (strcmp(a->resource, b->resource) || a->kind != b->kind ||
	    !text_same(a->place.name, b->place.name) ||
	    (a->place.name && !selector_same(&a->place, &b->place)) ||
	    a->canary != b->canary || !text_same(a->content, b->content) ||
	    a->content_length != b->content_length ||
	    !text_same(a->from, b->from) || a->mode != b->mode ||
	    a->nr_aliases != b->nr_aliases)
		return false;
	for (i = 0; i < a->nr_aliases; i++)
		if (a->aliases[i].symbolic != b->aliases[i].symbolic ||
		    a->aliases[i].origin != b->aliases[i].origin ||
		    strcmp(a->aliases[i].path, b->aliases[i].path))
			return false;
	return true;
}

static const char *system_difference(const struct program *a,
				     const struct program *b)
{
	size_t i;

	if (!text_same(a->rule, b->rule) || a->has_digest != b->has_digest ||
	    memcmp(&a->rule_digest, &b->rule_digest, sizeof(a->rule_digest)))
		return "rule";
	if (a->nr_resources != b->nr_resources)
		return "number of resources";
	for (i = 0; i < a->nr_resources; i++)
		if (strcmp(a->resources[i].name, b->resources[i].name) ||
		    !selector_same(&a->resources[i].selector,
				   &b->resources[i].selector))
			return a->resources[i].name;
	if (a->nr_grants != b->nr_grants)
		return "number of grants";
	for (i = 0; i < a->nr_grants; i++)
		if (!grant_same(&a->grants[i], &b->grants[i]))
			return a->grants[i].name;
	return NULL;
}

static const char *setup_difference(const struct program *a,
				    const struct program *b)
{
	size_t i;

	if (a->agent_root != b->agent_root)
		return "agent";
	if (a->use_standard != b->use_standard)
		return "use standard";
	if (a->nr_baselines != b->nr_baselines)
		return "number of baselines";
	for (i = 0; i < a->nr_baselines; i++)
		if (!baseline_same(&a->baselines[i], &b->baselines[i]))
			return "baseline";
	if (a->nr_bindings != b->nr_bindings)
		return "number of bindings";
	for (i = 0; i < a->nr_bindings; i++)
		if (!binding_same(&a->bindings[i], &b->bindings[i]))
			return a->bindings[i].resource;
	return NULL;
}

const char *dsl_difference(const struct program *a, const struct program *b)
{
	const char *difference;

	if (!text_same(a->name, b->name))
		return "name";
	if (a->has_system != b->has_system || a->has_setup != b->has_setup)
		return "blocks";
	difference = system_difference(a, b);
	return difference ? difference : setup_difference(a, b);
}
