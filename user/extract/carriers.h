/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Carriers: the files of a project that agents take instructions from, what
 * those include, and the scripts that they tell an agent to run.
 */
#ifndef USER_EXTRACT_CARRIERS_H
#define USER_EXTRACT_CARRIERS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/memory.h"

/* AL_X(NAME, word) */
#define CARRIER_KINDS(AL_X)                                                    \
	AL_X(RULE, "rule")                                                     \
	AL_X(SKILL, "skill")                                                   \
	AL_X(COMMAND, "command")                                               \
	AL_X(AGENT, "agent")                                                   \
	AL_X(INCLUDE, "include")                                               \
	AL_X(SCRIPT, "script")

#define X_(name, word) CARRIER_##name,
enum carrier_kind { CARRIER_KINDS(X_) NR_CARRIER_KINDS };
#undef X_

const char *carrier_kind_word(enum carrier_kind kind);

/**
 * struct carrier - a file that has a say
 * @path:	relative to the project
 * @kind:	what it is
 * @agents:	that read it, ends with NULL; of an include or a script: those
 *		of the carrier that names it
 * @includes:	"@path" in it is read as well
 * @from:	index of the carrier that names it, SIZE_MAX: its own name does
 * @line:	there, 1-based; 0: it lies in the skill's folder
 * @outside:	it lies outside of the project, or is not there: not read
 */
struct carrier {
	const char *path;
	enum carrier_kind kind;
	const char *const *agents;
	bool includes;
	size_t from;
	unsigned int line;
	bool outside;
};

/**
 * struct carriers - of one project
 * @directory:	descriptor of the project
 * @list:	each carrier is followed by what it names, and so on
 */
struct carriers {
	struct arena *arena;
	int directory;
	struct carrier *list;
	size_t nr;
};

/**
 * carriers_find() - look through a project
 * @path:	its directory
 * @err:	ERROR_INPUT: it cannot be read; too many files, too deep
 */
int carriers_find(const char *path, struct carriers **ret, struct error **err);
void carriers_free(struct carriers *carriers);

static inline void carriers_done(struct carriers **carriers)
{
	carriers_free(*carriers);
	*carriers = NULL;
}

#define cleanup_carriers __attribute__((__cleanup__(carriers_done)))

/* carrier_read() - a carrier's bytes; symbolic links may not leave the
 * project. @err: ERROR_INPUT */
int carrier_read(const struct carriers *carriers, const struct carrier *carrier,
		 struct buffer *ret, struct error **err);

#endif /* USER_EXTRACT_CARRIERS_H */
