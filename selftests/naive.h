/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The decision once more, written apart and as plainly as it is told in
 * aletheia-model(7): one operation after the other, no sets of bits. What the
 * decision core and the kernel say is held against it.
 */
#ifndef SELFTESTS_NAIVE_H
#define SELFTESTS_NAIVE_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <aletheia/decide.h>

static inline bool naive_in(uint32_t set, int operation)
{
	return (set >> operation) % 2 == 1;
}

/* What an object without a label permits because of what it is. */
static inline bool naive_kind_permits(uint32_t kind, int operation)
{
	if (kind == AL_KIND_INNER)
		return true;
	if (kind == AL_KIND_PIPE || kind == AL_KIND_MEMORY)
		return operation == AL_OP_NR_READ ||
		       operation == AL_OP_NR_WRITE ||
		       operation == AL_OP_NR_SETATTR;
	return false;
}

static inline bool naive_permits(const struct al_query *query, int operation)
{
	if (query->object == AL_OBJECT_NONE)
		return naive_kind_permits(query->kind, operation);
	return naive_in(query->allow, operation);
}

/* Would the object be permitted something there that it is not here? */
static inline bool naive_gains(const struct al_query *query)
{
	const int operations[] = {
		AL_OP_NR_READ,	  AL_OP_NR_LIST,    AL_OP_NR_WRITE,
		AL_OP_NR_DELETE,  AL_OP_NR_SETATTR, AL_OP_NR_EXECUTE,
		AL_OP_NR_MAP,
	};

	for (size_t i = 0; i < sizeof(operations) / sizeof(*operations); i++)
		if (naive_permits(query, operations[i]) &&
		    !naive_in(query->from, operations[i]))
			return true;
	return false;
}

/* The errno of the refusal, in every mode but setup; 0: permitted. */
static inline int naive_refusal(const struct al_query *query)
{
	for (int i = 0; i < AL_NR_OPERATIONS; i++)
		if (naive_in(query->wanted, i) && !naive_permits(query, i))
			return EACCES;
	if (query->moves == AL_MOVES_NEVER)
		return EXDEV;
	if (query->moves == AL_MOVES && naive_gains(query))
		return EXDEV;
	return 0;
}

/* Is @operation one that was missing? */
static inline bool naive_missing(const struct al_query *query, int operation)
{
	if (!naive_in(query->wanted, operation))
		return false;
	if (naive_refusal(query) == EXDEV)
		return true;
	return !naive_permits(query, operation);
}

#endif /* SELFTESTS_NAIVE_H */
