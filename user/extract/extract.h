/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Extraction: from the bytes of a rule to the requests in it. Pure, offline,
 * deterministic; linear in the size of the rule. What is not understood is
 * listed, not guessed.
 *
 *   bytes ──structure──▶ segments ──shell, prose──▶ requests + gaps
 *            └─hidden──────┘
 *
 * structure.c finds the segments (Markdown, front matter, comments, ...) and
 * hidden.c those that a reader does not see; shell.c reads command lines with
 * the signatures (signatures-*.yaml), prose.c sentences with the lexicon
 * (lexicon-*.yaml). Every stage maps back to bytes of the original.
 */
#ifndef USER_EXTRACT_EXTRACT_H
#define USER_EXTRACT_EXTRACT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "base/error.h"
#include "base/memory.h"
#include "dsl/program.h"

/* A stretch of the rule, @end exclusive. */
struct extent {
	size_t start;
	size_t end;
};

/**
 * struct request - one authority that the text asks for
 * @action:	enum al_operation (never AL_OP_NR_MAP)
 * @kind:	what it is on
 * @object:	canonical name: "src/x", "~/x", "/abs/x" (directories end in
 *		"/"), tool's base name, "tcp HOST PORT", variable, process,
 *		kernel word; "*": not named
 * @class_:	for "*" and well-known places: what the phrase or table names
 * @start:	first byte in the rule that carries it: the first place, but of
 *		a sentence and the command it leads into the command
 * @end:	behind the last
 * @places:	all stretches that ask for it, by start, at most AL_MAX_SPANS;
 *		filled in by translation_add()
 * @conditional: only in some case, or optional; every time
 * @base:	a base utility
 * @hidden:	how the text hides, NULL: it does not
 */
struct request {
	unsigned int action;
	enum resource_kind kind;
	const char *object;
	enum resource_class class_;
	size_t start;
	size_t end;
	struct extent *places;
	size_t nr_places;
	bool conditional;
	bool base;
	const char *hidden;
};

/**
 * struct gap - a stretch that was not understood
 * @reason:	identifier, e.g. "unknown-command", "unknown-verb", "channel"
 * @actionable:	it asks for something (counts for the share)
 * @grave:	hidden or about credentials: makes the input unresolved
 */
struct gap {
	size_t start;
	size_t end;
	const char *reason;
	bool actionable;
	bool grave;
};

/**
 * struct translation - what was found in one rule
 * @requests:	unique by (action, kind, object, hidden), by first start
 * @gaps:	by start
 * @actionable:	bytes of all stretches that ask for something
 * @unmapped:	bytes of those that led to nothing
 * @index:	of requests, private
 * @stretches:	that ask for something, private
 */
struct translation {
	struct arena *arena;
	struct request *requests;
	size_t nr_requests;
	struct gap *gaps;
	size_t nr_gaps;
	size_t actionable;
	size_t unmapped;
	size_t *index;
	size_t index_size;
	struct extent *stretches;
	size_t nr_stretches;
};

/* What is not understood may be this share of what asks for something. */
#define TRANSLATION_BAR 0.2
/* More than these is one gap, "too-many". */
#define TRANSLATION_MAX_REQUESTS 20000
#define TRANSLATION_MAX_GAPS	 20000

/**
 * extract_rule() - translate one rule with the built-in translator
 * @path:	name of the rule; a script, by its name or first line, is code
 * @text:	any bytes
 * @length:	at most AL_MAX_RULE_SIZE
 */
int extract_rule(const char *path, const char *text, size_t length,
		 struct translation **ret, struct error **err);
void translation_free(struct translation *translation);

static inline void translation_done(struct translation **translation)
{
	translation_free(*translation);
	*translation = NULL;
}

#define cleanup_translation __attribute__((__cleanup__(translation_done)))

/**
 * translation_unresolved() - was too much not understood to judge by it?
 *
 * More than TRANSLATION_BAR of what asks for something, or a grave gap.
 */
bool translation_unresolved(const struct translation *translation);

/**
 * translation_program() - the requests as a SystemDSL program with a digest,
 * spans, and names made from the objects
 * @name:	of the system
 * @rule:	name of the rule
 */
int translation_program(const struct translation *translation, const char *name,
			const char *rule, const char *text, size_t length,
			struct program **ret, struct error **err);

/* translation_to_json() - as aletheia-translate(1) explains it */
json_t *translation_to_json(const struct translation *translation,
			    const char *rule, const char *text, size_t length);

/*
 * translation_new() - an empty one; readers add to it in any order
 *
 * A zeroed struct with an arena is one as well.
 */
struct translation *translation_new(void);
/* translation_end() - put everything in order, count the bytes */
void translation_end(struct translation *translation);
/* translation_add() - a request, merged with an equal one that is there; valid
 * until the next one is added */
struct request *translation_add(struct translation *translation,
				const struct request *request);
/*
 * translation_asks() - a stretch asks for something: a command, a sentence in
 * the imperative. What of it was not understood is a gap as well.
 */
void translation_asks(struct translation *translation, size_t start,
		      size_t end);
/* translation_gap() - a stretch that was not understood */
void translation_gap(struct translation *translation, size_t start, size_t end,
		     const char *reason, bool actionable, bool grave);

#endif /* USER_EXTRACT_EXTRACT_H */
