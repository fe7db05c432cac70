// SPDX-License-Identifier: GPL-2.0-only
#include "run/input.h"

#include <errno.h>
#include <stdlib.h>

#include <aletheia/limits.h>

#include "base/file.h"

/* One SystemDSL file that the manifest names. */
static int load_program(const struct manifest *manifest, const char *path,
			struct program **ret, struct error **err)
{
	struct buffer text cleanup_buffer = { 0 };
	int r;

	r = file_read(manifest->directory, path, AL_MAX_SDL_SIZE, &text, err);
	if (r)
		return r;
	return program_parse(path, buffer_text(&text), text.length, ret, err);
}

/* What the built-in translator makes of the rule. */
static int translate_rule(struct input *input, struct program **ret,
			  struct error **err)
{
	const struct manifest *manifest = input->manifest;
	const char *text = buffer_text(&input->rule);
	int r;

	r = extract_rule(manifest->place, text, input->rule.length,
			 &input->translation, err);
	if (r)
		return r;
	return translation_program(input->translation, manifest->name,
				   manifest->place, text, input->rule.length,
				   ret, err);
}

/* Translation, setup and, where the setup says so, the shipped baseline. */
static int load_programs(struct input *input, struct error **err)
{
	const struct manifest *manifest = input->manifest;
	struct program *translation cleanup_program = NULL;
	struct program *setup cleanup_program = NULL;
	struct program *standard cleanup_program = NULL;
	const struct program *parts[3];
	size_t nr = 0;
	int r, r2 = 0;

	/* Both files are read even if the first is wrong: all errors at once. */
	if (manifest->translation)
		r = load_program(manifest, manifest->translation, &translation,
				 err);
	else
		r = translate_rule(input, &translation, err);
	if (manifest->setup)
		r2 = load_program(manifest, manifest->setup, &setup, err);
	if (r || r2)
		return r ? r : r2;
	parts[nr++] = translation;
	if (setup)
		parts[nr++] = setup;
	if (translation->use_standard || (setup && setup->use_standard)) {
		r = standard_program(&standard, err);
		if (r)
			return r;
		parts[nr++] = standard;
	}
	r = program_merge(parts, nr, &input->program, err);
	if (r)
		return r;
	return program_locate(input->program, manifest->rule,
			      buffer_text(&input->rule), input->rule.length,
			      err);
}

int input_load(const char *path, struct input **ret, struct error **err)
{
	struct input *input cleanup_input = xzalloc(sizeof(*input));
	int r;

	r = manifest_load(path, &input->manifest, err);
	if (!r)
		r = file_read(input->manifest->directory, input->manifest->rule,
			      AL_MAX_RULE_SIZE, &input->rule, err);
	if (!r)
		r = load_programs(input, err);
	if (!r)
		r = bind_program(input->manifest, input->program,
				 buffer_text(&input->rule), input->rule.length,
				 &input->bound, err);
	if (!r)
		r = layout_compile(input->bound, &input->layout, err);
	if (r)
		return r;
	*ret = input;
	input = NULL;
	return 0;
}

void input_free(struct input *input)
{
	if (!input)
		return;
	layout_free(input->layout);
	bound_free(input->bound);
	program_free(input->program);
	translation_free(input->translation);
	buffer_done(&input->rule);
	manifest_free(input->manifest);
	free(input);
}
