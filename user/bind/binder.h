/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Binding under construction, shared by the files of this folder.
 *
 * Order: what every branch has; fixtures (from then on the view is complete,
 * so that a name leads to the same thing for all who use it); baselines;
 * resources; exceptions; the task's own files; what tools need; endpoints;
 * then everything that is computed from all objects together.
 */
#ifndef USER_BIND_BINDER_H
#define USER_BIND_BINDER_H

#include "bind/bound.h"
#include "bind/closure.h"
#include "bind/table.h"
#include "bind/view.h"

/* File of the shipped baseline, which tells it from the user's. */
#define STANDARD_FILE "(shipped) standard.sdl"

/**
 * struct box - endpoints as a set: addresses times ports
 * @object:	its object
 * @host:	as written, for its name
 * @addresses:	as in struct al_endpoint_key; one that is all zero: any
 * @low:	and @high: ports, inclusive; 0 and 65535: any
 */
struct box {
	uint32_t object;
	uint8_t protocol;
	uint8_t side;
	const char *host;
	uint8_t (*addresses)[16];
	size_t nr_addresses;
	unsigned int low;
	unsigned int high;
};

/* Host names that share addresses, in order of declaration. */
struct host {
	const char **names;
	size_t nr_names;
	uint8_t addresses[2][16]; /* IPv4, IPv6 */
};

/**
 * struct binder
 * @view:	what a branch's file tree will look like
 * @status:	0, or -errno once something could not be bound
 * @by_path:	tsearch() tree: canonical path to object id
 * @by_inode:	the same for files of the host that have several names
 * @bindings:	[of resources] its binding, or NULL
 * @selectors:	[of resources] with unspecified ones where the binding puts
 *		them
 * @boxes:	of all endpoint and port objects
 * @nr_keys:	addresses and ports of all of them so far
 * @hosts:	names that got addresses
 */
struct binder {
	struct arena *arena;
	struct bound *bound;
	const struct manifest *manifest;
	const struct program *program;
	const char *rule;
	size_t rule_length;
	struct view *view;
	struct closure *closure;
	struct tables tables;
	struct error **err;
	int status;
	void *by_path;
	void *by_inode;
	const struct binding **bindings;
	struct selector *selectors;
	struct box *boxes;
	size_t nr_boxes;
	size_t nr_keys;
	struct host *hosts;
	size_t nr_hosts;
};

/**
 * struct wanted - who wants something bound, for messages and decisions
 * @selector:	what
 * @name:	the resource's name, NULL for a baseline
 * @who:	"grant upload.read", "resource key" or "the baseline"
 * @at:		where the SystemDSL says so
 * @binding:	or NULL
 * @actions:	bits, of the baseline or of all grants on the resource
 * @optional:	of the shipped baseline: may be absent
 */
struct wanted {
	const struct selector *selector;
	const char *name;
	const char *who;
	const struct span *at;
	const struct binding *binding;
	uint32_t actions;
	bool optional;
};

/* ---- bind.c */

/* bind_complain() - an error at a place of a SystemDSL text; always 0 */
uint32_t bind_complain(struct binder *binder, const struct span *at,
		       const char *format, ...)
	__attribute__((format(printf, 3, 4)));
void bind_hint(struct binder *binder, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* object_new() - without a path */
uint32_t object_new(struct binder *binder, enum resource_kind kind,
		    const char *name);
/* object_named() - without a path, found by its name and kind, or made */
uint32_t object_named(struct binder *binder, enum resource_kind kind,
		      const char *name);
/* object_at() - by canonical path, 0: none */
uint32_t object_at(struct binder *binder, const char *path);
/* object_file() - of what a name leads to; made if need be */
uint32_t object_file(struct binder *binder, const struct found *found,
		     enum resource_kind kind);

struct content *content_add(struct binder *binder, enum content_kind kind,
			    const char *path, uint32_t mode, bool agent);

/* selector_path() - of a selector with a path, in the branch */
const char *selector_path(struct arena *arena, const struct selector *selector);
/* selector_root() - what a selector's path must not leave, NULL: nothing */
const char *selector_root(const struct selector *selector);
/*
 * resolve_wanted() - its path in the branch; false, after a complaint, if that
 * cannot be resolved or leaves what it is relative to
 */
bool resolve_wanted(struct binder *binder, const struct wanted *wanted,
		    const char *path, const char *root, struct found *ret);

/* ---- fixture.c */

void bind_given(struct binder *binder); /* what every branch has */
void bind_fixtures(struct binder *binder);
void bind_names(struct binder *binder); /* /etc/hosts, when names are known */
void bind_environment(struct binder *binder);

/* ---- resource.c */

struct wanted wanted_resource(struct binder *binder, size_t resource);
uint32_t bind_wanted(struct binder *binder, const struct wanted *wanted);

/* ---- except.c */

void bind_excepts(struct binder *binder);
void bind_task_files(struct binder *binder);

/* ---- need.c */

/* bind_needs() - dependencies of whatever is a program */
void bind_needs(struct binder *binder);

/* ---- endpoint.c */

/* hosts_assign() - addresses for all names of the program */
void hosts_assign(struct binder *binder);
uint32_t bind_endpoint(struct binder *binder, const struct wanted *wanted);
uint32_t bind_port(struct binder *binder, const struct wanted *wanted);
/* endpoints_finish() - overlaps, keys, containment */
void endpoints_finish(struct binder *binder);

#endif /* USER_BIND_BINDER_H */
