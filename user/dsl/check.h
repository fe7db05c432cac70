/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef USER_DSL_CHECK_H
#define USER_DSL_CHECK_H

#include "diagnose.h"

/**
 * check_program() - what can only be seen when all statements are known
 * @program:	parsed or merged; places of bindings get their kind here
 * @whole:	all resources are declared here, so a binding of another one is
 *		an error
 *
 * Names and objects that are declared or asked for twice, spans in different
 * rules, bindings that do not fit their resource. All lists are bounded, so
 * each is simply searched. A resource whose declaration is wrong has the kind
 * NR_RESOURCE_KINDS, so that its uses are no errors of their own.
 */
void check_program(struct program *program, bool whole,
		   struct diagnostics *diagnostics);

/*
 * nearest_resource() - name of the resource that @name seems to mean, or NULL
 */
const char *nearest_resource(const struct program *program, const char *name);

/* Words of the language for enum binding_kind. */
const char *binding_kind_word(enum binding_kind kind);
/* What a fixture stands for; real stands for anything. */
enum resource_kind binding_resource_kind(enum binding_kind kind);

#endif /* USER_DSL_CHECK_H */
