/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The first stages in a row: manifest, rule, SystemDSL, binding, layout.
 */
#ifndef USER_RUN_INPUT_H
#define USER_RUN_INPUT_H

#include "base/error.h"
#include "base/memory.h"
#include "bind/bound.h"
#include "dsl/program.h"
#include "extract/extract.h"
#include "manifest/manifest.h"
#include "policy/policy.h"

/**
 * struct input - everything that is fixed before the first branch
 * @manifest:	what the user named
 * @rule:	the rule's bytes
 * @translation: what the built-in translator found, NULL: a reviewed
 *		translation was given
 * @program:	translation, setup and shipped baseline as one program
 * @bound:	what its selectors mean on this machine
 * @layout:	labels, slots and endpoints of every branch
 */
struct input {
	struct manifest *manifest;
	struct buffer rule;
	struct translation *translation;
	struct program *program;
	struct bound *bound;
	struct layout *layout;
};

/**
 * input_load() - from the manifest's path to what can be run
 * @err:	the errors of the first stage that has any, all of them
 */
int input_load(const char *path, struct input **ret, struct error **err);
void input_free(struct input *input);

static inline void input_done(struct input **input)
{
	input_free(*input);
	*input = NULL;
}

#define cleanup_input __attribute__((__cleanup__(input_done)))

#endif /* USER_RUN_INPUT_H */
