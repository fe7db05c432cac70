/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Binding: everything that a selector denotes is fixed here, once, before
 * any branch exists and the same in all of them, so that deleting a grant
 * changes authority and never availability or meaning.
 *
 * bind_program() only looks at the machine (project, tools, their ELF
 * closure); snapshot_make() then lays out what all branches start from.
 */
#ifndef USER_BIND_BOUND_H
#define USER_BIND_BOUND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <aletheia/abi.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "dsl/program.h"
#include "manifest/manifest.h"

/* Where things lie as the agent sees them. */
#define BRANCH_WORKSPACE "/workspace"
#define BRANCH_HOME	 "/home/agent"
#define BRANCH_OWN	 "/aletheia"	   /* ours, read-only to the agent */
#define BRANCH_TOOLS	 BRANCH_OWN "/bin" /* fixture tools, first in PATH */
#define BRANCH_SOLUTION	 BRANCH_OWN "/solution"
#define BRANCH_AGENT	 BRANCH_OWN "/agent/aletheia-scripted"
#define BRANCH_PATH                                                            \
	BRANCH_TOOLS                                                           \
	":/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

/*
 * What a branch sees of the host: these directories, NULL-ended. All else is
 * laid out by us, fresh, or not there.
 */
extern const char *const bound_system[];
/* path_is_system() - is an absolute path one of them or below one? */
bool path_is_system(const char *path);

/**
 * struct object - one concrete thing that the guard can tell apart
 * @id:		object id (index into struct bound.objects; 0 is the object
 *		"nothing bound", which no policy permits anything on)
 * @kind:	what it is
 * @name:	canonical, for people and records: a path as the agent sees it
 *		("/workspace/a"), "tcp victim-host 22", "env NAME", ...
 * @tree:	a directory that governs what lies below it
 * @declared:	a resource of the program is bound to it
 * @excepted:	a baseline's "except" names it
 * @task:	the rule, or a file that the given solution puts there: a baseline's
 *		tree reaches it also if it is declared, excepted, or within
 *		something that is
 * @paths:	every name in the branch that leads to it, resolved (no
 *		symlinks); the first is @name. Empty for what has no inode
 * @absent:	none of @paths exists yet at the start of a branch: what
 *		appears there will be it (name slots)
 * @within:	ids of the objects with @tree that strictly contain one of
 *		@paths, nearest first. Endpoints and ports that contain others
 *		(any port, a range, any host) are trees as well
 * @keys:	addresses of endpoints and ports
 * @sink:	a sink listens at @keys in every branch
 * @hostname:	for endpoints with a name: the name
 * @sensitive:	class of the object as the shipped table knows it, CLASS_ANY: none
 */
struct object {
	uint32_t id;
	enum resource_kind kind;
	const char *name;
	bool tree;
	bool declared;
	bool excepted;
	bool task;
	const char **paths;
	size_t nr_paths;
	bool absent;
	uint32_t *within;
	size_t nr_within;
	struct al_endpoint_key *keys;
	size_t nr_keys;
	bool sink;
	const char *hostname;
	enum resource_class sensitive;
};

/* Whoever may do @when on @object may do @then on @needs (tools' closures). */
struct dependency {
	uint32_t object;
	uint32_t when; /* any of these bits */
	uint32_t needs;
	uint32_t then; /* bits */
};

/**
 * struct place - something of the snapshot that lies at a system path too
 * @subject:	absolute path in the snapshot's root (and in the merged view)
 * @target:	absolute path in the branch where it is mounted as well; without
 *		symlinks, below one of bound_system; the host may have nothing
 *		there
 */
struct place {
	const char *subject;
	const char *target;
};

/**
 * struct canary - a token unique to one fixture of one run
 * @resource:	name of the resource whose fixture carries it
 * @token:	ASCII, 32 characters
 */
struct canary {
	const char *resource;
	const char *token;
};

/* One thing that snapshot_make() creates. */
enum content_kind {
	CONTENT_DIRECTORY,
	CONTENT_BYTES,	  /* @data */
	CONTENT_COPY,	  /* file or tree at @source on the host */
	CONTENT_CANARY,	  /* @size bytes that carry @canary */
	CONTENT_HARDLINK, /* of @source, a path in the snapshot */
	CONTENT_SYMLINK,  /* to @source */
};

/**
 * struct content - in the order of creation; parents are made as needed
 * @path:	absolute path in the branch
 * @mode:	permission bits
 * @agent:	owned by the agent's user, else by root
 * @directory:	for CONTENT_COPY: descriptor that @source is relative to
 */
struct content {
	enum content_kind kind;
	const char *path;
	uint32_t mode;
	bool agent;
	const char *source;
	int directory;
	const char *data;
	size_t length;
	uint64_t size;
	const struct canary *canary;
};

/**
 * struct bound - the bound program
 * @arena:	owns everything here
 * @program:	borrowed: translation, setup and shipped baseline merged
 * @objects:	indexed by object id
 * @resource_objects: per resource of @program, its object's id
 * @baseline_objects: per baseline of @program, its object's id; 0: a tool or
 *		path of the shipped baseline that this machine lacks
 * @rule_object: the rule file's
 * @own_object:	the tree BRANCH_OWN
 * @dependencies: see struct dependency
 * @contents:	what the snapshot is made of
 * @places:	what of it lies at system paths
 * @environment: NULL-ended "NAME=value" of the agent
 * @env_objects: per entry of @environment its env object's id, 0: unconditional
 * @real_tools:	per resource: true if a host's own program, false if a fixture
 */
struct bound {
	struct arena *arena;
	const struct program *program;
	struct object *objects;
	size_t nr_objects;
	uint32_t *resource_objects;
	uint32_t *baseline_objects;
	uint32_t rule_object;
	uint32_t own_object;
	struct dependency *dependencies;
	size_t nr_dependencies;
	struct content *contents;
	size_t nr_contents;
	struct place *places;
	size_t nr_places;
	struct canary *canaries;
	size_t nr_canaries;
	const char **environment;
	uint32_t *env_objects;
	bool *real_tools;
};

/**
 * bind_program() - fix what every selector means on this machine
 * @manifest:	borrowed for the life of the result
 * @program:	merged and located; borrowed for the life of the result
 * @rule:	the rule's bytes
 * @err:	ERROR_CONFIG, one per selector that nothing binds, naming the
 *		grant or baseline and, as a hint, the line to write
 *
 * Reads the project and the host's tools; writes nothing; needs no root.
 */
int bind_program(const struct manifest *manifest, const struct program *program,
		 const char *rule, size_t rule_length, struct bound **ret,
		 struct error **err);
void bound_free(struct bound *bound);

/**
 * standard_program() - the shipped baseline ("use standard")
 * @ret:	parsed from the embedded standard.sdl
 */
int standard_program(struct program **ret, struct error **err);

/**
 * snapshot_make() - lay out the contents below a directory
 * @dirfd:	an empty directory on tmpfs or ext4, the later lower layer;
 *		it becomes the root: DIR/workspace, DIR/home/agent, ...
 * @uid:	the agent's user and group
 * @ret_digest:	of names, modes, owners, link structure and contents, with
 *		the canaries' tokens left out: equal for equal inputs
 * @err:	ERROR_CONFIG (a source cannot be read), ERROR_MACHINE (full)
 */
int snapshot_make(const struct bound *bound, int dirfd, uid_t uid,
		  struct digest *ret_digest, struct error **err);

static inline void bound_done(struct bound **bound)
{
	bound_free(*bound);
	*bound = NULL;
}

#define cleanup_bound __attribute__((__cleanup__(bound_done)))

#endif /* USER_BIND_BOUND_H */
