// SPDX-License-Identifier: GPL-2.0-only
#include "extract_meta.h"

#include <ctype.h>
#include <string.h>

#include "base/cleanup.h"

static bool is_one_of(const char *key, const char *const *keys, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (!strcasecmp(key, keys[i]))
			return true;
	return false;
}

/* ---- tools */

/* "Bash(git:*)": the name, and what is in parentheses. */
struct tool {
	const struct segment *segment;
	size_t start;
	size_t end;
	size_t argument;
	size_t argument_end;
};

static bool tool_is(const struct tool *tool, const char *name)
{
	size_t length = tool->argument ? tool->argument - 1 - tool->start
				       : tool->end - tool->start;

	return length == strlen(name) &&
	       !strncasecmp(tool->segment->text + tool->start, name, length);
}

static void add(const struct tool *tool, unsigned int action,
		enum resource_kind kind, const char *object,
		struct translation *ret)
{
	struct request request = {
		.action = action,
		.kind = kind,
		.object = arena_strdup(ret->arena, object),
		.class_ = kind == RESOURCE_FILE ? lexicon_class(object)
						: CLASS_ANY,
		.start = tool->segment->origin[tool->start],
		.end = tool->segment->origin[tool->end],
		.conditional = true,
		.hidden = tool->segment->hidden,
	};

	translation_add(ret, &request);
}

/* "git:*" allows every command that begins so, "npm run test" that one. */
static void allow_command(const struct tool *tool, struct translation *ret)
{
	struct mood mood = { .request = true,
			     .conditional = true,
			     .run = true };
	struct segment code = *tool->segment;
	char *text = arena_strndup(ret->arena, code.text, code.length);
	size_t length = tool->argument_end - tool->argument, i;

	for (i = tool->argument; i < tool->argument_end; i++)
		if (text[i] == ':' || text[i] == '*')
			text[i] = ' ';
	if (strspn(text + tool->argument, " ") >= length) {
		add(tool, AL_OP_NR_EXECUTE, RESOURCE_TOOL, "*", ret);
		return;
	}
	code.kind = SEGMENT_CODE;
	code.language = "sh";
	code.text = text;
	shell_read(&code, tool->argument, length, mood, ret);
}

/* "~/x", "//x" (of the system), all below a folder */
static void allow_path(const struct tool *tool, unsigned int action,
		       struct translation *ret)
{
	const char *path =
		arena_strndup(ret->arena, tool->segment->text + tool->argument,
			      tool->argument_end - tool->argument);
	size_t length;
	char *object;

	if (!strncmp(path, "//", 2))
		path++;
	else if (*path != '~')
		return;
	object = arena_strdup(ret->arena, path);
	length = strlen(object);
	if (length > 2 && !strcmp(object + length - 2, "**"))
		object[length - 1] = '\0';
	add(tool, action, RESOURCE_FILE, object, ret);
}

static void allow_fetch(const struct tool *tool, struct translation *ret)
{
	static const char domain[] = "domain:";
	const char *text = tool->segment->text + tool->argument;
	size_t length = tool->argument_end - tool->argument;

	if (!tool->argument || length < sizeof(domain) ||
	    strncmp(text, domain, sizeof(domain) - 1) != 0) {
		add(tool, AL_OP_NR_CONNECT, RESOURCE_ENDPOINT, "tcp * 443",
		    ret);
		return;
	}
	add(tool, AL_OP_NR_CONNECT, RESOURCE_ENDPOINT,
	    arena_printf(ret->arena, "tcp %.*s 443",
			 (int)(length - sizeof(domain) + 1),
			 text + sizeof(domain) - 1),
	    ret);
}

static void allow_tool(const struct tool *tool, struct translation *ret)
{
	const struct segment *segment = tool->segment;

	if (tool_is(tool, "Bash") || tool_is(tool, "shell") ||
	    tool_is(tool, "run_shell_command")) {
		if (tool->argument)
			allow_command(tool, ret);
		else
			add(tool, AL_OP_NR_EXECUTE, RESOURCE_TOOL, "*", ret);
	} else if (tool_is(tool, "WebFetch") || tool_is(tool, "web_fetch")) {
		allow_fetch(tool, ret);
	} else if (tool_is(tool, "Read") && tool->argument) {
		allow_path(tool, AL_OP_NR_READ, ret);
	} else if ((tool_is(tool, "Write") || tool_is(tool, "Edit")) &&
		   tool->argument) {
		allow_path(tool, AL_OP_NR_WRITE, ret);
	} else if (!strncmp(segment->text + tool->start, "mcp__", 5)) {
		translation_gap(ret, segment->origin[tool->start],
				segment->origin[tool->end], "channel", true,
				false);
	}
}

/* Names with arguments, between commas or spaces. */
static void allow_tools(const struct segment *segment, struct translation *ret)
{
	const char *text = segment->text;
	size_t at = 0;

	while (at < segment->length) {
		struct tool tool = { .segment = segment, .start = at };
		const char *close;

		while (at < segment->length &&
		       (isalnum((unsigned char)text[at]) ||
			strchr("_-.", text[at])))
			at++;
		if (at == tool.start) {
			at++;
			continue;
		}
		close = at < segment->length && text[at] == '('
				? memchr(text + at, ')', segment->length - at)
				: NULL;
		if (close) {
			tool.argument = at + 1;
			tool.argument_end = (size_t)(close - text);
			at = tool.argument_end + 1;
		}
		tool.end = at;
		allow_tool(&tool, ret);
	}
}

/* ---- the rest */

/* Three words are something to read. */
static bool is_sentence(const struct segment *segment)
{
	size_t words = 0;

	for (size_t i = 1; i < segment->length; i++)
		words += isspace((unsigned char)segment->text[i]) &&
			 isalpha((unsigned char)segment->text[i - 1]);
	return words >= 2;
}

void extract_meta(const struct segment *segment, struct translation *ret)
{
	static const char *const tools[] = { "allowed-tools", "allowedTools",
					     "tools", "autoApprove" };
	static const char *const commands[] = { "command", "run", "script" };
	static const char *const ignored[] = { "globs",	  "applyTo", "paths",
					       "name",	  "license", "author",
					       "version", "tags",    "model" };
	struct mood mood = { .request = true,
			     .conditional = true,
			     .run = true };
	struct segment copy = *segment;

	if (is_one_of(segment->language, tools, ARRAY_SIZE(tools))) {
		allow_tools(segment, ret);
	} else if (is_one_of(segment->language, commands,
			     ARRAY_SIZE(commands))) {
		copy.kind = SEGMENT_CODE;
		copy.language = "sh";
		shell_read(&copy, 0, 0, mood, ret);
	} else if (!is_one_of(segment->language, ignored,
			      ARRAY_SIZE(ignored)) &&
		   is_sentence(segment)) {
		copy.kind = SEGMENT_PROSE;
		copy.language = NULL;
		prose_read(&copy, ret);
	}
}
