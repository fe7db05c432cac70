// SPDX-License-Identifier: GPL-2.0-only
/*
 * aletheia translate - say what rules ask for
 */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>

#include <aletheia/limits.h>

#include "base/cleanup.h"
#include "cli/command.h"
#include "cli/print_error.h"
#include "cli/rule_file.h"
#include "cli/translate_text.h"
#include "extract/extract.h"

/* JSON writes a byte as six at most. */
#define MAX_JSON_LINE (AL_MAX_RULE_SIZE * 6u + 65536u)

enum format { FORMAT_SDL, FORMAT_JSON, FORMAT_TEXT };

static void print_json(const json_t *json, size_t flags)
{
	json_dumpf(json, stdout, flags);
	putchar('\n');
}

/* ---- rules that are named */

static const char *system_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

static int print_sdl(const struct translation *translation, const char *name,
		     const struct buffer *text, struct error **err)
{
	struct program *program cleanup_program = NULL;
	struct buffer sdl cleanup_buffer = { 0 };
	int r = translation_program(translation, system_name(name), name,
				    buffer_text(text), text->length, &program,
				    err);

	if (r)
		return r;
	program_format(program, &sdl);
	fwrite(sdl.data, 1, sdl.length, stdout);
	return 0;
}

static int translate_file(const char *path, enum format format)
{
	struct translation *translation cleanup_translation = NULL;
	struct buffer text cleanup_buffer = { 0 };
	const char *name;
	struct error *err = NULL;
	json_t *json;

	if (rule_file_read(path, &text, &name, &err) ||
	    extract_rule(name, buffer_text(&text), text.length, &translation,
			 &err))
		return fail(&err);
	if (format == FORMAT_SDL)
		return print_sdl(translation, name, &text, &err) ? fail(&err)
								 : 0;
	if (format == FORMAT_TEXT) {
		translate_text(stdout, translation, name, buffer_text(&text),
			       text.length, use_colour(stdout));
		return 0;
	}
	json = translation_to_json(translation, name, buffer_text(&text),
				   text.length);
	print_json(json, JSON_INDENT(2));
	json_decref(json);
	return 0;
}

/* ---- rules that come in lines of JSON */

/* The next line; false: there is none. Of one that is too long the rest is
 * skipped. */
static bool read_line(struct buffer *line, bool *ret_long)
{
	int c;

	line->length = 0;
	*ret_long = false;
	while ((c = getc_unlocked(stdin)) != EOF && c != '\n') {
		*ret_long |= line->length == MAX_JSON_LINE;
		if (!*ret_long)
			buffer_addc(line, (char)c);
	}
	return c != EOF || line->length;
}

static json_t *error_result(const json_t *id, const char *message)
{
	return json_pack("{s:O?, s:s}", "id", id, "error", message);
}

static json_t *translate_object(const json_t *input)
{
	struct translation *translation cleanup_translation = NULL;
	struct error *err cleanup_error = NULL;
	const json_t *id = json_object_get(input, "id");
	const json_t *text = json_object_get(input, "text");
	const char *path = json_string_value(json_object_get(input, "path"));
	json_t *result;

	if (!json_is_string(text))
		return error_result(id, "there is no \"text\"");
	if (!path)
		path = "-";
	if (extract_rule(path, json_string_value(text),
			 json_string_length(text), &translation, &err))
		return error_result(id, err->message);
	result = translation_to_json(translation, path, json_string_value(text),
				     json_string_length(text));
	if (id)
		json_object_set(result, "id", (json_t *)id);
	return result;
}

/* One result for each line, so that results and inputs can be paired. */
static int translate_lines(void)
{
	struct buffer line cleanup_buffer = { 0 };
	bool too_long;
	int status = 0;

	while (read_line(&line, &too_long)) {
		json_error_t where;
		json_t *input =
			too_long ? NULL
				 : json_loadb(buffer_text(&line), line.length,
					      JSON_ALLOW_NUL, &where);
		json_t *result =
			input ? translate_object(input)
			      : error_result(NULL,
					     too_long ? "the line is too long"
						      : "the line is no JSON");

		if (json_object_get(result, "error"))
			status = ERROR_INPUT;
		print_json(result, JSON_COMPACT);
		fflush(stdout);
		json_decref(result);
		json_decref(input);
	}
	return status;
}

static bool read_format(const char *word, enum format *ret)
{
	static const char *const words[] = { "sdl", "json", "text" };

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		if (strcmp(words[i], word) != 0)
			continue;
		*ret = (enum format)i;
		return true;
	}
	return false;
}

int command_translate(int argc, char **argv)
{
	static const struct option long_options[] = {
		COMMON_OPTIONS,
		{ "format", required_argument, NULL, 'f' },
		{ "jsonl", no_argument, NULL, 'j' },
		{ NULL, 0, NULL, 0 },
	};
	struct common common = { 0 };
	enum format format = FORMAT_SDL;
	bool lines = false;
	int option, status = 0, i;

	while ((option = getopt_long(argc, argv, COMMON_SHORT, long_options,
				     NULL)) != -1) {
		if (common_option(option, &common)) {
			if (common.done)
				return common.status;
		} else if (option == 'j') {
			lines = true;
		} else if (!read_format(optarg, &format)) {
			return usage_error("--format is sdl, json or text, not "
					   "\"%s\"",
					   optarg);
		}
	}
	if (lines)
		return optind < argc ? usage_error("--jsonl reads standard "
						   "input, not files")
				     : translate_lines();
	if (optind == argc)
		return usage_error("no rule to translate (\"-\" is standard "
				   "input)");
	for (i = optind; i < argc; i++) {
		int r = translate_file(argv[i], format);

		if (!status)
			status = r;
	}
	return status;
}
