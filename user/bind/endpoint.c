// SPDX-License-Identifier: GPL-2.0-only
/*
 * Endpoints and ports. Names get addresses of our own; literal addresses keep
 * theirs. An endpoint is a set, addresses times ports; where two of them
 * overlap, what they share becomes an object of its own, so that each address
 * and port belongs to exactly one object and containment says who covers whom.
 */
#include "binder.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <aletheia/limits.h>

#include "base/cleanup.h"

enum { LAST_PORT = 65535, REGISTRY_PORT = 443 };

/* Room for names: 198.18.0.0/15 without its first and last address. */
#define MAX_HOSTS 131070

static const uint8_t any_address[16];
static const uint8_t mapped_prefix[12] = { 0, 0, 0, 0, 0,    0,
					   0, 0, 0, 0, 0xff, 0xff };

/* ---- addresses */

/* A literal address as the guard sees it. */
static bool parse_address(const char *text, uint8_t ret[16])
{
	if (inet_pton(AF_INET6, text, ret) == 1)
		return true;
	memcpy(ret, mapped_prefix, sizeof(mapped_prefix));
	return inet_pton(AF_INET, text, ret + 12) == 1;
}

static bool is_literal(const struct binder *binder, const uint8_t *address)
{
	const struct program *program = binder->program;
	uint8_t other[16];
	size_t i;

	for (i = 0; i < program->nr_resources; i++)
		if (binder->selectors[i].kind == RESOURCE_ENDPOINT &&
		    parse_address(binder->selectors[i].name, other) &&
		    !memcmp(address, other, 16))
			return true;
	for (i = 0; i < program->nr_baselines; i++)
		if (program->baselines[i].selector.kind == RESOURCE_ENDPOINT &&
		    parse_address(program->baselines[i].selector.name, other) &&
		    !memcmp(address, other, 16))
			return true;
	return false;
}

/* The next synthetic addresses that the program does not name itself. */
static void next_addresses(struct binder *binder, struct host *host)
{
	const struct host *before = host - 1;
	uint32_t n = 0;

	if (host > binder->hosts)
		n = ((uint32_t)before->addresses[0][13] << 16 |
		     (uint32_t)before->addresses[0][14] << 8 |
		     before->addresses[0][15]) -
		    (18u << 16);
	do {
		n++;
		memcpy(host->addresses[0], mapped_prefix,
		       sizeof(mapped_prefix));
		host->addresses[0][12] = 198;
		host->addresses[0][13] = (uint8_t)(18 + (n >> 16));
		host->addresses[0][14] = (uint8_t)(n >> 8);
		host->addresses[0][15] = (uint8_t)n;
		memset(host->addresses[1], 0, 16);
		host->addresses[1][0] = 0xfd;
		host->addresses[1][2] = 'a';
		host->addresses[1][3] = 'l';
		host->addresses[1][13] = (uint8_t)(n >> 16);
		host->addresses[1][14] = (uint8_t)(n >> 8);
		host->addresses[1][15] = (uint8_t)n;
	} while (n < MAX_HOSTS && (is_literal(binder, host->addresses[0]) ||
				   is_literal(binder, host->addresses[1])));
}

static struct host *host_of(struct binder *binder, const char *name)
{
	size_t i, k;

	for (i = 0; i < binder->nr_hosts; i++)
		for (k = 0; k < binder->hosts[i].nr_names; k++)
			if (!strcmp(binder->hosts[i].names[k], name))
				return &binder->hosts[i];
	return NULL;
}

/* Names that belong together get one address each kind. */
static void add_host(struct binder *binder, const char *const *names, size_t nr)
{
	struct host *host = NULL;
	size_t i;

	for (i = 0; !host && i < nr; i++)
		host = host_of(binder, names[i]);
	if (!host) {
		host = ARENA_PUSH(binder->arena, binder->hosts,
				  binder->nr_hosts);
		next_addresses(binder, host);
	}
	for (i = 0; i < nr; i++)
		if (!host_of(binder, names[i]))
			*ARENA_PUSH(binder->arena, host->names,
				    host->nr_names) =
				arena_strdup(binder->arena, names[i]);
}

static const struct registry *registry_of(const struct binder *binder,
					  const char *name)
{
	size_t i;

	for (i = 0; i < binder->tables.nr_registries; i++)
		if (!strcmp(binder->tables.registries[i].name, name))
			return &binder->tables.registries[i];
	return NULL;
}

static bool is_registry(const struct selector *selector)
{
	return selector->symbolic && !strcmp(selector->symbolic, "registry");
}

/* A name that a resolver would be asked for. */
static bool is_name(const struct selector *selector)
{
	uint8_t address[16];

	return !selector->symbolic && selector->origin == ORIGIN_REMOTE &&
	       !strpbrk(selector->name, "*/") &&
	       !parse_address(selector->name, address);
}

/* Registries first: a host that is named alone may be one of theirs. */
static void assign(struct binder *binder, const struct selector *selector,
		   bool registries)
{
	const struct registry *registry;

	if (selector->kind != RESOURCE_ENDPOINT)
		return;
	if (registries && is_registry(selector)) {
		registry = registry_of(binder, selector->name);
		if (registry)
			add_host(binder, registry->hosts.items,
				 registry->hosts.nr);
	} else if (!registries && is_name(selector)) {
		add_host(binder, &selector->name, 1);
	}
}

void hosts_assign(struct binder *binder)
{
	const struct program *program = binder->program;
	unsigned int pass;
	size_t i;

	for (pass = 0; pass < 2; pass++) {
		for (i = 0; i < program->nr_resources; i++)
			assign(binder, &binder->selectors[i], !pass);
		for (i = 0; i < program->nr_baselines; i++)
			assign(binder, &program->baselines[i].selector, !pass);
	}
}

/* ---- boxes */

static void add_address(struct binder *binder, struct box *box,
			const uint8_t *address)
{
	uint8_t(*more)[16] =
		ARENA_PUSH(binder->arena, box->addresses, box->nr_addresses);

	memcpy(*more, address, 16);
}

static bool has_address(const struct box *box, const uint8_t *address)
{
	size_t i;

	for (i = 0; i < box->nr_addresses; i++)
		if (!memcmp(box->addresses[i], address, 16))
			return true;
	return false;
}

static bool is_any(const struct box *box)
{
	return has_address(box, any_address);
}

static bool has_all(const struct box *outer, const struct box *inner)
{
	size_t i;

	if (is_any(outer))
		return true;
	for (i = 0; i < inner->nr_addresses; i++)
		if (!has_address(outer, inner->addresses[i]))
			return false;
	return true;
}

/* Does a box contain all of another one? */
static bool contains(const struct box *outer, const struct box *inner)
{
	return outer->side == inner->side &&
	       (!outer->protocol || outer->protocol == inner->protocol) &&
	       outer->low <= inner->low && outer->high >= inner->high &&
	       has_all(outer, inner);
}

static bool equal(const struct box *a, const struct box *b)
{
	return contains(a, b) && contains(b, a);
}

static const char *protocol_word(uint8_t protocol)
{
	switch (protocol) {
	case AL_PROTOCOL_TCP:
		return "tcp";
	case AL_PROTOCOL_UDP:
		return "udp";
	default:
		return "any";
	}
}

static const char *ports_text(struct arena *arena, const struct box *box)
{
	if (!box->low && box->high == LAST_PORT)
		return "any";
	if (box->low == box->high)
		return arena_printf(arena, "%u", box->low);
	return arena_printf(arena, "%u-%u", box->low, box->high);
}

static uint32_t box_object(struct binder *binder, const struct box *wanted,
			   bool sink)
{
	struct box *box;
	struct object *object;
	const char *name;
	size_t i;

	for (i = 0; i < binder->nr_boxes; i++) {
		if (!equal(&binder->boxes[i], wanted))
			continue;
		binder->bound->objects[binder->boxes[i].object].sink |= sink;
		return binder->boxes[i].object;
	}
	if (wanted->side == AL_SIDE_LOCAL)
		name = arena_printf(binder->arena, "port %s %s",
				    protocol_word(wanted->protocol),
				    ports_text(binder->arena, wanted));
	else
		name = arena_printf(binder->arena, "%s %s %s",
				    protocol_word(wanted->protocol),
				    wanted->host,
				    ports_text(binder->arena, wanted));
	box = ARENA_PUSH(binder->arena, binder->boxes, binder->nr_boxes);
	*box = *wanted;
	box->object =
		object_new(binder,
			   wanted->side == AL_SIDE_LOCAL ? RESOURCE_PORT
							 : RESOURCE_ENDPOINT,
			   name);
	object = &binder->bound->objects[box->object];
	object->sink = sink;
	if (host_of(binder, wanted->host))
		object->hostname = arena_strdup(binder->arena, wanted->host);
	return box->object;
}

static void set_ports(struct box *box, const struct selector *selector)
{
	box->low = selector->port_low;
	box->high = selector->port_low ? selector->port_high : LAST_PORT;
}

/* ---- binding */

static uint32_t complain(struct binder *binder, const struct wanted *wanted,
			 const char *what)
{
	struct buffer text cleanup_buffer = { 0 };

	selector_print(wanted->selector, &text);
	return bind_complain(binder, wanted->at, "%s: %s: %s", wanted->who,
			     buffer_text(&text), what);
}

static void add_local_addresses(struct binder *binder, struct box *box)
{
	static const char *const local[] = { "127.0.0.1", "::1", "0.0.0.0" };
	uint8_t address[16];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(local); i++)
		if (parse_address(local[i], address))
			add_address(binder, box, address);
}

static void add_host_addresses(struct binder *binder, struct box *box,
			       const char *name)
{
	const struct host *host = host_of(binder, name);

	add_address(binder, box, host->addresses[0]);
	add_address(binder, box, host->addresses[1]);
}

/* false: after a complaint */
static bool find_addresses(struct binder *binder, const struct wanted *wanted,
			   struct box *box)
{
	const struct selector *selector = wanted->selector;
	const struct registry *registry;
	uint8_t address[16];

	box->host = *selector->name ? selector->name : "*";
	if (selector->symbolic && !is_registry(selector)) {
		complain(binder, wanted,
			 "this version does not look up git remotes");
		bind_hint(binder, "declare the remote's host as an endpoint");
		return false;
	}
	if (selector->symbolic) {
		registry = registry_of(binder, selector->name);
		if (!registry) {
			complain(binder, wanted, "no such registry is known");
			return false;
		}
		box->host = registry->hosts.items[0];
		add_host_addresses(binder, box, box->host);
		return true;
	}
	if (selector->origin == ORIGIN_LOCAL) {
		if (parse_address(selector->name, address) &&
		    strcmp(selector->name, "0.0.0.0") &&
		    strcmp(selector->name, "::"))
			add_address(binder, box, address);
		else
			add_local_addresses(binder, box);
		return true;
	}
	if (!strcmp(box->host, "*")) {
		add_address(binder, box, any_address);
	} else if (strpbrk(selector->name, "*/")) {
		complain(binder, wanted,
			 "this version binds single hosts or all of them");
		bind_hint(binder, "name one host, or \"*\"");
		return false;
	} else if (parse_address(selector->name, address)) {
		add_address(binder, box, address);
	} else {
		add_host_addresses(binder, box, selector->name);
	}
	return true;
}

uint32_t bind_endpoint(struct binder *binder, const struct wanted *wanted)
{
	const struct selector *selector = wanted->selector;
	struct box box = { .side = AL_SIDE_REMOTE,
			   .protocol = selector->protocol };
	bool local = selector->origin == ORIGIN_LOCAL;
	bool bound = wanted->binding &&
		     wanted->binding->kind == BINDING_FIXTURE_ENDPOINT;

	if (wanted->name && !bound && !local) {
		complain(binder, wanted, "nothing is bound to it");
		bind_hint(binder, "bind %s to fixture endpoint sink",
			  wanted->name);
		return AL_OBJECT_NONE;
	}
	if (!find_addresses(binder, wanted, &box))
		return AL_OBJECT_NONE;
	set_ports(&box, selector);
	if (is_registry(selector)) {
		box.protocol = AL_PROTOCOL_TCP;
		box.low = box.high = REGISTRY_PORT;
	}
	/* What a baseline connects to gets a sink too: nothing leaves. */
	return box_object(binder, &box, bound || (!wanted->name && !local));
}

uint32_t bind_port(struct binder *binder, const struct wanted *wanted)
{
	struct box box = { .side = AL_SIDE_LOCAL,
			   .protocol = wanted->selector->protocol,
			   .host = "" };

	add_address(binder, &box, any_address);
	set_ports(&box, wanted->selector);
	return box_object(binder, &box, false);
}

/* ---- overlaps */

/* What two boxes share; false: nothing. */
static bool intersect(struct binder *binder, const struct box *a,
		      const struct box *b, struct box *ret)
{
	const struct box *smaller = is_any(a) ? b : a;
	const struct box *other = is_any(a) ? a : b;
	size_t i;

	*ret = (struct box){
		.side = a->side,
		.protocol = a->protocol ? a->protocol : b->protocol,
		.low = a->low > b->low ? a->low : b->low,
		.high = a->high < b->high ? a->high : b->high,
		.host = smaller->host,
	};
	if (a->side != b->side || ret->low > ret->high ||
	    (a->protocol && b->protocol && a->protocol != b->protocol))
		return false;
	for (i = 0; i < smaller->nr_addresses; i++)
		if (is_any(other) || has_address(other, smaller->addresses[i]))
			add_address(binder, ret, smaller->addresses[i]);
	return ret->nr_addresses;
}

/* Until all that any two boxes share is a box. */
static bool close_boxes(struct binder *binder)
{
	size_t i, k;

	for (i = 1; i < binder->nr_boxes; i++) {
		for (k = 0; k < i; k++) {
			const struct object *objects = binder->bound->objects;
			struct box shared;
			bool sink;

			if (!intersect(binder, &binder->boxes[i],
				       &binder->boxes[k], &shared))
				continue;
			if (binder->nr_boxes >= AL_MAX_ENDPOINTS) {
				bind_complain(binder, NULL,
					      "the endpoints overlap in more "
					      "than %d ways",
					      AL_MAX_ENDPOINTS);
				return false;
			}
			/* Equal to one of the two, it is that one. */
			sink = objects[binder->boxes[i].object].sink ||
			       objects[binder->boxes[k].object].sink;
			if (equal(&shared, &binder->boxes[i]) ||
			    equal(&shared, &binder->boxes[k]))
				sink = false;
			if (!box_object(binder, &shared, sink))
				return false;
		}
	}
	return true;
}

static uint64_t size_of(const struct box *box)
{
	uint64_t addresses = is_any(box) ? 1u << 16 : box->nr_addresses;

	return addresses * (box->high - box->low + 1) * (box->protocol ? 1 : 2);
}

struct container {
	uint32_t object;
	uint64_t size;
};

static int compare_containers(const void *a, const void *b)
{
	const struct container *x = a, *y = b;

	if (x->size != y->size)
		return x->size < y->size ? -1 : 1;
	return x->object < y->object ? -1 : x->object > y->object;
}

static void find_containers(struct binder *binder, const struct box *box)
{
	struct object *objects = binder->bound->objects;
	struct object *object = &objects[box->object];
	struct container *list = NULL;
	size_t nr = 0, i;

	for (i = 0; i < binder->nr_boxes; i++) {
		const struct box *outer = &binder->boxes[i];

		if (outer == box || !contains(outer, box))
			continue;
		objects[outer->object].tree = true;
		*ARENA_PUSH(binder->arena, list, nr) =
			(struct container){ outer->object, size_of(outer) };
	}
	if (nr)
		qsort(list, nr, sizeof(*list), compare_containers);
	object->within =
		arena_alloc(binder->arena, nr * sizeof(*object->within));
	object->nr_within = nr;
	for (i = 0; i < nr; i++)
		object->within[i] = list[i].object;
}

/* Is an address and port in a box that lies in @box? Then it is that one's. */
static bool in_smaller(const struct binder *binder, const struct box *box,
		       const uint8_t *address, unsigned int low,
		       unsigned int high, uint8_t protocol)
{
	struct box point = {
		.side = box->side,
		.protocol = protocol,
		.low = low,
		.high = high,
		.addresses = (uint8_t(*)[16])(uintptr_t)address,
		.nr_addresses = 1,
	};
	size_t i;

	for (i = 0; i < binder->nr_boxes; i++) {
		const struct box *inner = &binder->boxes[i];

		if (inner != box && contains(box, inner) &&
		    contains(inner, &point))
			return true;
	}
	return false;
}

static bool add_key(struct binder *binder, const struct box *box,
		    const uint8_t *address, unsigned int port, uint8_t protocol)
{
	struct object *object = &binder->bound->objects[box->object];
	struct al_endpoint_key *key;

	if (binder->nr_keys >= AL_MAX_ENDPOINTS) {
		bind_complain(binder, NULL,
			      "the endpoints have more than %d addresses and "
			      "ports",
			      AL_MAX_ENDPOINTS);
		bind_hint(binder, "write \"any\" instead of a wide range of "
				  "ports");
		return false;
	}
	binder->nr_keys++;
	key = ARENA_PUSH(binder->arena, object->keys, object->nr_keys);
	memcpy(key->address, address, 16);
	key->port = (uint16_t)port;
	key->protocol = protocol;
	key->side = box->side;
	return true;
}

static bool add_ports(struct binder *binder, const struct box *box,
		      const uint8_t *address, uint8_t protocol)
{
	unsigned int port;

	if (!box->low && box->high == LAST_PORT)
		return in_smaller(binder, box, address, 0, LAST_PORT,
				  protocol) ||
		       add_key(binder, box, address, 0, protocol);
	for (port = box->low; port <= box->high; port++)
		if (!in_smaller(binder, box, address, port, port, protocol) &&
		    !add_key(binder, box, address, port, protocol))
			return false;
	return true;
}

static bool add_keys(struct binder *binder, const struct box *box)
{
	static const uint8_t protocols[] = { AL_PROTOCOL_TCP, AL_PROTOCOL_UDP };
	size_t i, k;

	for (i = 0; i < box->nr_addresses; i++)
		for (k = 0; k < ARRAY_SIZE(protocols); k++)
			if ((!box->protocol || box->protocol == protocols[k]) &&
			    !add_ports(binder, box, box->addresses[i],
				       protocols[k]))
				return false;
	return true;
}

void endpoints_finish(struct binder *binder)
{
	size_t i;

	if (!close_boxes(binder))
		return;
	for (i = 0; i < binder->nr_boxes; i++)
		find_containers(binder, &binder->boxes[i]);
	for (i = 0; i < binder->nr_boxes; i++)
		if (!add_keys(binder, &binder->boxes[i]))
			return;
}
