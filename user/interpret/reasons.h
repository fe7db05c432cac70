/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The table of reasons in memory, and facts to hold against it. A fact is a
 * name with a value ("action" "read"); a grant has several of one name where
 * several are true ("tool" "transfer", "tool" "interpreter").
 */
#ifndef USER_INTERPRET_REASONS_H
#define USER_INTERPRET_REASONS_H

#include <stdbool.h>
#include <stddef.h>

#include "interpret/interpret.h"
#include "judge/record.h"

enum severity {
	SEVERITY_LOW,
	SEVERITY_MEDIUM,
	SEVERITY_HIGH,
	SEVERITY_CRITICAL,
	NR_SEVERITIES
};

const char *severity_word(enum severity severity);

/* Patterns that put a name into a group: fact @fact then has the value @name. */
struct group {
	const char *fact; /* "tool", "variable", "path", "host" */
	const char *name;
	const char **patterns;
	size_t nr_patterns;
};

/* A fact must have (or, @negated, must have none of) these values. */
struct test {
	const char *fact;
	bool negated;
	const char **values;
	size_t nr_values;
};

/**
 * struct condition - all must hold
 * @also:	for each of these another grant of the rule must meet it
 * @severity:	of the reason in this case
 * @second:	it asks for the fact "flagged", known after all others
 */
struct condition {
	struct test *tests;
	size_t nr_tests;
	struct condition *also;
	size_t nr_also;
	enum severity severity;
	bool second;
};

/* What is ordinary clears the reasons that name it. */
struct ordinary {
	const char *id;
	const char *title;
	const char *explanation;
	struct condition *when;
	size_t nr_when;
};

/* One of the conditions must hold. */
struct reason {
	const char *id;
	const char *title;
	const char *explanation;
	enum severity severity;
	const char **justified_by; /* ids of ordinary classes */
	size_t nr_justified_by;
	struct condition *when;
	size_t nr_when;
};

struct reasons {
	struct arena *arena;
	struct group *groups;
	size_t nr_groups;
	struct ordinary *ordinary;
	size_t nr_ordinary;
	struct reason *reasons;
	size_t nr_reasons;
};

/* Names of facts, as the documentation lists them; NULL-ended. */
extern const char *const fact_names[];

struct fact {
	const char *name;
	const char *value;
};

struct facts {
	struct fact *items;
	size_t nr;
};

/* facts_add() - one more; strings are borrowed */
void facts_add(struct arena *arena, struct facts *facts, const char *name,
	       const char *value);
bool facts_have(const struct facts *facts, const char *name, const char *value);

/**
 * facts_of_grant() - everything that reasons can ask about a grant
 * @full:	the full branch's run, NULL: none
 */
struct facts facts_of_grant(struct arena *arena, const struct reasons *reasons,
			    const struct record *record,
			    const struct record_grant *grant,
			    const struct record_run *full);

/* facts_of_attempt() - of an operation that nobody asked for */
struct facts facts_of_attempt(struct arena *arena,
			      const struct reasons *reasons,
			      const struct record_object *object,
			      unsigned int operation);

/* facts_of_program() - of an attempt to run what only its name tells */
struct facts facts_of_program(struct arena *arena,
			      const struct reasons *reasons, const char *name);

/* facts_of_address() - of a connection to what is bound to nothing */
struct facts facts_of_address(struct arena *arena,
			      const struct reasons *reasons, const char *host);

#endif /* USER_INTERPRET_REASONS_H */
