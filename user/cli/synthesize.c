// SPDX-License-Identifier: GPL-2.0-only
/*
 * aletheia synthesize - print the authority that a policy enforces
 */
#include <string.h>

#include <jansson.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "cli/command.h"
#include "run/input.h"
#include "synth/authority.h"

enum { OPTION_FORMAT = 256, OPTION_WITHOUT, OPTION_DIFF };

/**
 * struct options
 * @without:	names of grants; pointers into argv
 */
struct options {
	struct common common;
	const char **without;
	size_t nr_without;
	bool diff;
	bool json;
};

static int parse_option(int option, struct options *options,
			struct arena *arena)
{
	switch (option) {
	case OPTION_WITHOUT:
		*ARENA_PUSH(arena, options->without, options->nr_without) =
			optarg;
		return 0;
	case OPTION_DIFF:
		options->diff = true;
		return 0;
	default:
		options->json = !strcmp(optarg, "json");
		if (!options->json && strcmp(optarg, "text") != 0)
			return usage_error("--format is text or json, not "
					   "\"%s\"",
					   optarg);
		return 0;
	}
}

static int parse_options(int argc, char **argv, struct options *options,
			 struct arena *arena)
{
	static const struct option table[] = {
		COMMON_OPTIONS,
		{ "format", required_argument, NULL, OPTION_FORMAT },
		{ "without", required_argument, NULL, OPTION_WITHOUT },
		{ "diff", no_argument, NULL, OPTION_DIFF },
		{ NULL, 0, NULL, 0 },
	};
	int option, status;

	while ((option = getopt_long(argc, argv, COMMON_SHORT, table, NULL)) !=
	       -1) {
		if (common_option(option, &options->common)) {
			if (options->common.done)
				return options->common.status;
			continue;
		}
		status = parse_option(option, options, arena);
		if (status)
			return status;
	}
	if (optind == argc)
		return usage_error("name a manifest, or a directory that holds "
				   "manifest.yaml");
	if (argc - optind > 1)
		return usage_error("one manifest at a time, not also \"%s\"",
				   argv[optind + 1]);
	if (options->diff && !options->nr_without)
		return usage_error("--diff needs --without: it prints what "
				   "that takes away");
	return 0;
}

/* Which grants stay; a name that there is not is a mistake on the line. */
static int withhold(const struct program *program,
		    const struct options *options, bool *with)
{
	size_t i, k;

	for (i = 0; i < program->nr_grants; i++)
		with[i] = true;
	for (i = 0; i < options->nr_without; i++) {
		for (k = 0; k < program->nr_grants; k++)
			if (!strcmp(program->grants[k].name,
				    options->without[i]))
				break;
		if (k == program->nr_grants)
			return usage_error("there is no grant \"%s\"",
					   options->without[i]);
		with[k] = false;
	}
	return 0;
}

/* All pairs of one authority, in the form of a reduction to nothing. */
static size_t all_pairs(struct arena *arena, const struct authority *authority,
			struct removed **ret)
{
	struct authority nothing = {
		.nr = authority->nr,
		.allow = arena_alloc(arena, authority->nr * sizeof(uint32_t)),
	};

	return authority_reduction(arena, authority, &nothing, ret);
}

/* A tree's name ends in a slash: the pair is about what lies in it as well. */
static const char *pair_name(struct arena *arena, const struct object *object)
{
	size_t length = strlen(object->name);
	bool slash =
		object->tree && (!length || object->name[length - 1] != '/');

	return arena_printf(arena, "%s%s", object->name, slash ? "/" : "");
}

static void print_text(struct arena *arena, const struct bound *bound,
		       const struct removed *pairs, size_t nr)
{
	unsigned int operation;
	size_t i;

	for (i = 0; i < nr; i++) {
		const char *name = text_escaped(
			arena,
			pair_name(arena, &bound->objects[pairs[i].object]));

		for (operation = 0; operation < AL_NR_OPERATIONS; operation++)
			if (pairs[i].operations & 1u << operation)
				printf("%s %s\n", operation_word(operation),
				       name);
	}
}

static json_t *name_to_json(const char *name)
{
	struct buffer hex cleanup_buffer = { 0 };

	if (text_is_utf8(name, strlen(name)))
		return json_string(name);
	hex_encode(&hex, name, strlen(name));
	return json_pack("{s:s}", "bytes", buffer_text(&hex));
}

static void print_json(const struct bound *bound, const struct options *options,
		       const struct removed *pairs, size_t nr)
{
	json_t *json = json_object(), *list = json_array(), *without;
	unsigned int operation;
	size_t i;

	without = json_array();
	for (i = 0; i < options->nr_without; i++)
		json_array_append_new(without,
				      name_to_json(options->without[i]));
	json_object_set_new(json, "without", without);
	for (i = 0; i < nr; i++) {
		const struct object *object = &bound->objects[pairs[i].object];
		json_t *operations = json_array(), *pair = json_object();

		for (operation = 0; operation < AL_NR_OPERATIONS; operation++)
			if (pairs[i].operations & 1u << operation)
				json_array_append_new(
					operations,
					json_string(operation_word(operation)));
		json_object_set_new(pair, "object", name_to_json(object->name));
		json_object_set_new(
			pair, "kind",
			json_string(resource_kind_word(object->kind)));
		json_object_set_new(pair, "tree", json_boolean(object->tree));
		json_object_set_new(pair, "operations", operations);
		json_array_append_new(list, pair);
	}
	json_object_set_new(json, options->diff ? "removed" : "authority",
			    list);
	if (!json_dumpf(json, stdout, JSON_INDENT(2) | JSON_ENSURE_ASCII))
		putchar('\n');
	json_decref(json);
}

static void print_authority(struct arena *arena, const struct bound *bound,
			    const struct options *options, const bool *with)
{
	struct authority *full cleanup_authority =
		authority_synthesize(bound, NULL);
	struct authority *less cleanup_authority =
		authority_synthesize(bound, with);
	struct removed *pairs;
	size_t nr;

	nr = options->diff ? authority_reduction(arena, full, less, &pairs)
			   : all_pairs(arena, less, &pairs);
	if (options->json)
		print_json(bound, options, pairs, nr);
	else
		print_text(arena, bound, pairs, nr);
	if (options->diff && !nr && !options->common.quiet && !options->json)
		fprintf(stderr, "aletheia: withholding that takes nothing "
				"away\n");
}

int command_synthesize(int argc, char **argv)
{
	struct arena *arena cleanup_arena = arena_new();
	struct options options = { 0 };
	struct error *err cleanup_error = NULL;
	struct input *input cleanup_input = NULL;
	bool *with;
	int status;

	status = parse_options(argc, argv, &options, arena);
	if (status || options.common.done)
		return status;
	if (input_load(argv[optind], &input, &err))
		return fail(&err);
	with = arena_alloc(arena, input->program->nr_grants * sizeof(*with));
	status = withhold(input->program, &options, with);
	if (status)
		return status;
	print_authority(arena, input->bound, &options, with);
	return 0;
}
