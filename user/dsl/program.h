/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * SystemDSL as a typed program: what the parser yields, the checker holds
 * against the action signatures, the printer prints and every later stage
 * reads. Built once, immutable afterwards. Describing a resource never
 * touches it. Grammar and meaning: systemdsl(5).
 */
#ifndef USER_DSL_PROGRAM_H
#define USER_DSL_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <aletheia/operations.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

/*
 * Actions are operations of the same name, except "map", which no rule can
 * ask for (enum al_operation numbers are used for both).
 */

/* AL_X(NAME, word) */
#define RESOURCE_KINDS(AL_X)                                                   \
	AL_X(FILE, "file")                                                     \
	AL_X(DIR, "dir")                                                       \
	AL_X(TOOL, "tool")                                                     \
	AL_X(ENDPOINT, "endpoint")                                             \
	AL_X(PORT, "port")                                                     \
	AL_X(SOCKET, "socket")                                                 \
	AL_X(ENV, "env")                                                       \
	AL_X(DEVICE, "device")                                                 \
	AL_X(PROCESS, "process")                                               \
	AL_X(KERNEL, "kernel")

#define RESOURCE_ORIGINS(AL_X)                                                 \
	AL_X(WORKSPACE, "workspace")                                           \
	AL_X(HOME, "home")                                                     \
	AL_X(HOST, "host")                                                     \
	AL_X(SCRATCH, "scratch")                                               \
	AL_X(LOCAL, "local")                                                   \
	AL_X(REMOTE, "remote")                                                 \
	AL_X(UNSPECIFIED, "unspecified")

/* Classes of unspecified selectors, also used by interpretation. */
#define RESOURCE_CLASSES(AL_X)                                                 \
	AL_X(ANY, "any")                                                       \
	AL_X(CREDENTIAL, "credential")                                         \
	AL_X(ACCOUNT, "account")                                               \
	AL_X(SHELL_HISTORY, "shell-history")                                   \
	AL_X(LOG, "log")                                                       \
	AL_X(BROWSER_DATA, "browser-data")                                     \
	AL_X(KEYRING, "keyring")

#define X_(name, word) RESOURCE_##name,
enum resource_kind { RESOURCE_KINDS(X_) NR_RESOURCE_KINDS };
#undef X_
#define X_(name, word) ORIGIN_##name,
enum resource_origin { RESOURCE_ORIGINS(X_) NR_RESOURCE_ORIGINS };
#undef X_
#define X_(name, word) CLASS_##name,
enum resource_class { RESOURCE_CLASSES(X_) NR_RESOURCE_CLASSES };
#undef X_

/* Words for the numbers, and back (-1: no such word). */
const char *operation_word(unsigned int operation);
const char *resource_kind_word(enum resource_kind kind);
const char *resource_origin_word(enum resource_origin origin);
const char *resource_class_word(enum resource_class class_);
int operation_from_word(const char *word);
int resource_kind_from_word(const char *word);
int resource_origin_from_word(const char *word);
int resource_class_from_word(const char *word);
/* operations_text() - "read write" for a mask, in order of the table */
const char *operations_text(struct arena *arena, uint32_t operations);

/*
 * The action signatures: what an action may be asked for, and what a kind's
 * name may be relative to. The tables are printed in systemdsl(5).
 */
bool action_takes(unsigned int action, enum resource_kind kind);
bool kind_has_origin(enum resource_kind kind, enum resource_origin origin);

/**
 * struct selector - the typed description of a resource
 * @kind:	what it is
 * @origin:	where its name comes from
 * @class_:	for ORIGIN_UNSPECIFIED: what the phrase names
 * @name:	path (relative to the origin, "." for its root; absolute for
 *		host), base name or path of a tool, host name or literal
 *		address, variable, process, kernel facility; "" where
 *		unspecified, "*" for any host
 * @protocol:	AL_PROTOCOL_* of endpoints and ports, else 0
 * @port_low:	first port, 0: any
 * @port_high:	last port
 * @symbolic:	endpoints: NULL, "registry" or "remote" (@name is which one)
 */
struct selector {
	enum resource_kind kind;
	enum resource_origin origin;
	enum resource_class class_;
	const char *name;
	uint8_t protocol;
	uint16_t port_low;
	uint16_t port_high;
	const char *symbolic;
};

/* A declared resource. @at: where in the SystemDSL source. */
struct resource {
	const char *name;
	struct selector selector;
	struct span at;
};

/**
 * struct source_span - a request's place in the rule
 * @where:	its place there; offsets are filled in by program_locate()
 * @text:	the bytes there, NULL if not given
 * @at:		where the SystemDSL source says so
 */
struct source_span {
	struct span where;
	const char *text;
	struct span at;
};

/**
 * struct grant - one requested authority
 * @name:	its id, unique in the program
 * @action:	enum al_operation
 * @resource:	index into struct program.resources
 * @spans:	where the rule asks, at least one unless @observed
 * @observed:	it was seen in the full branch instead of asked for
 * @conditional: the text asks only in some case
 * @base:	a base utility that everybody's baseline has
 * @hidden:	how the text hides, NULL: it does not
 */
struct grant {
	const char *name;
	unsigned int action;
	size_t resource;
	struct source_span *spans;
	size_t nr_spans;
	bool observed;
	bool conditional;
	bool base;
	const char *hidden;
	struct span at;
};

/**
 * struct except - what a baseline tree does not reach
 * @table:	name of a shipped table ("control-files"), or NULL
 * @path:	path or glob relative to the baseline's selector, or NULL
 */
struct except {
	const char *table;
	const char *path;
};

/* baseline ACTIONS on SELECTOR [except ...] */
struct baseline {
	uint32_t actions; /* bits */
	struct selector selector;
	struct except *excepts;
	size_t nr_excepts;
	struct span at;
};

enum binding_kind {
	BINDING_REAL,	       /* bind X to real */
	BINDING_FIXTURE_FILE,
	BINDING_FIXTURE_TREE,
	BINDING_FIXTURE_TOOL,
	BINDING_FIXTURE_ENDPOINT,
	BINDING_FIXTURE_ENV,
	BINDING_FIXTURE_SOCKET,
	BINDING_FIXTURE_PROCESS,
};

/* Another name that a file fixture has before any branch exists. */
struct alias {
	bool symbolic; /* symlink, else hard link */
	enum resource_origin origin;
	const char *path;
};

/**
 * struct binding - bind RESOURCE to ...
 * @resource:	name of the resource it binds
 * @kind:	to what
 * @place:	for unspecified selectors: where the fixture lies (name NULL:
 *		where the selector says)
 * @canary:	bytes of generated content that carry the canary, 0: none
 * @content:	literal content, or NULL
 * @from:	file or directory to copy, relative to the SystemDSL file
 * @mode:	permission bits, 0: default
 * @aliases:	further names
 */
struct binding {
	const char *resource;
	enum binding_kind kind;
	struct selector place;
	uint64_t canary;
	const char *content;
	size_t content_length;
	const char *from;
	uint32_t mode;
	struct alias *aliases;
	size_t nr_aliases;
	struct span at;
};

/* A SystemDSL text that a program was made from, to quote lines from. */
struct source {
	const char *file;
	const char *text;
	size_t length;
};

/* What a comment of the source belongs to. */
enum comment_owner {
	COMMENT_TOP,	    /* the text: it stands first, before a blank line */
	COMMENT_SYSTEM,	    /* the line that opens the block */
	COMMENT_RULE,
	COMMENT_RESOURCE,
	COMMENT_GRANT,
	COMMENT_SYSTEM_END, /* the line that closes it */
	COMMENT_SETUP,
	COMMENT_AGENT,
	COMMENT_USE,
	COMMENT_BASELINE,
	COMMENT_BINDING,
	COMMENT_SETUP_END,
	COMMENT_END,	    /* the end of the text */
	NR_COMMENT_OWNERS
};

/**
 * struct comment - a comment; it means nothing, but program_format() keeps it
 * @text:	from the "#" on
 * @index:	which resource, grant, baseline or binding
 * @beside:	it stands behind its owner on the same line, else above it
 */
struct comment {
	const char *text;
	size_t index;
	bool beside;
};

/**
 * struct program - one SystemDSL text, typed
 * @arena:	owns everything here
 * @file:	name of the SystemDSL file, for messages
 * @sources:	the texts
 * @name:	of the system or setup block ("" when there is neither)
 * @name_at:	where the SystemDSL source says so
 * @has_system:	there is a system block
 * @rule:	name of the rule file that the spans are in, or NULL
 * @rule_digest: what the translation was reviewed against
 * @has_digest:	@rule_digest counts
 * @rule_at:	where the SystemDSL source says so
 * @agent_root:	"agent as root"
 * @use_standard: "use standard": the shipped baseline is part of it
 * @comments:	of each owner, in order; none in a merged program
 */
struct program {
	struct arena *arena;
	const char *file;
	struct source *sources;
	size_t nr_sources;
	const char *name;
	struct span name_at;
	bool has_system;
	const char *rule;
	struct digest rule_digest;
	bool has_digest;
	struct span rule_at;
	struct resource *resources;
	size_t nr_resources;
	struct grant *grants;
	size_t nr_grants;
	bool has_setup;
	bool agent_root;
	bool use_standard;
	struct baseline *baselines;
	size_t nr_baselines;
	struct binding *bindings;
	size_t nr_bindings;
	struct comment *comments[NR_COMMENT_OWNERS];
	size_t nr_comments[NR_COMMENT_OWNERS];
};

/**
 * program_parse() - lex, parse and check one SystemDSL text
 * @file:	its name, for messages
 * @text:	the bytes, need not be valid UTF-8 (then: an error with a place)
 * @length:	how many, at most AL_MAX_SDL_SIZE
 * @ret:	the program
 * @err:	all errors of the text, in order, ERROR_INPUT
 */
int program_parse(const char *file, const char *text, size_t length,
		  struct program **ret, struct error **err);

/**
 * program_merge() - one program from several texts (translation, setup,
 * shipped baseline), checked as a whole
 * @parts:	borrowed; may be freed afterwards
 * @err:	duplicate names, bindings of undeclared resources, different
 *		systems or rules, ERROR_INPUT
 *
 * The shipped baseline is a setup named STANDARD_SETUP; the names of all other
 * blocks are the same.
 */
#define STANDARD_SETUP "standard"
int program_merge(const struct program *const *parts, size_t nr,
		  struct program **ret, struct error **err);

/**
 * program_locate() - hold the grants' spans against the rule's bytes
 * @rule:	name of the rule, for messages
 * @text:	the rule, any bytes
 * @err:	stale digest, span outside the rule, text that does not contain
 *		what the grant claims: ERROR_INPUT, all of them
 *
 * Fills in offsets and texts; the only function that changes a program.
 */
int program_locate(struct program *program, const char *rule, const char *text,
		   size_t length, struct error **err);

/*
 * program_print() - canonical text; parse(print(p)) equals p. Texts that differ
 * in layout, comments and ways to write the same thing print equally.
 */
void program_print(const struct program *program, struct buffer *out);

/* program_format() - canonical text with the comments of its source */
void program_format(const struct program *program, struct buffer *out);

/* selector_print() - as in the language, e.g. file(home) ".ssh/id_ed25519" */
void selector_print(const struct selector *selector, struct buffer *out);

/* program_resource() - by name, NULL: none */
const struct resource *program_resource(const struct program *program,
					const char *name);

void program_free(struct program *program);

static inline void program_done(struct program **program)
{
	program_free(*program);
	*program = NULL;
}

#define cleanup_program __attribute__((__cleanup__(program_done)))

#endif /* USER_DSL_PROGRAM_H */
