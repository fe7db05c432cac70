// SPDX-License-Identifier: GPL-2.0-only
#include "markdown.h"

#include <stdbool.h>
#include <string.h>

#include <cmark.h>

#include "base/cleanup.h"

/*
 * A block without a word is tried as a shell script: that is how most rules
 * write their commands, and a shell fails harmlessly on the rest.
 */
static const struct interpreter interpreters[] = {
	{ "", "sh", "-c", true },
	{ "sh", "sh", "-c", true },
	{ "shell", "sh", "-c", true },
	{ "shellscript", "sh", "-c", true },
	{ "shell-script", "sh", "-c", true },
	{ "console", "sh", "-c", true },
	{ "shell-session", "sh", "-c", true },
	{ "sh-session", "sh", "-c", true },
	{ "terminal", "sh", "-c", true },
	{ "dash", "sh", "-c", true },
	{ "bash", "bash", "-c", true },
	{ "bash-session", "bash", "-c", true },
	{ "zsh", "zsh", "-c", true },
	{ "fish", "fish", "-c", true },
	{ "python", "python3", "-c", false },
	{ "python3", "python3", "-c", false },
	{ "py", "python3", "-c", false },
	{ "node", "node", "-e", false },
	{ "javascript", "node", "-e", false },
	{ "js", "node", "-e", false },
	{ "perl", "perl", "-e", false },
	{ "ruby", "ruby", "-e", false },
};

static const struct interpreter *interpreter_find(const char *word)
{
	for (size_t i = 0; i < ARRAY_SIZE(interpreters); i++)
		if (!strcmp(interpreters[i].word, word))
			return &interpreters[i];
	return NULL;
}

/* "Bash title=x", "{.bash}", "sh,ignore": the first word, lower case. */
static const char *info_word(const char *info, struct arena *arena)
{
	size_t length, i;
	char *word;

	info += strspn(info, " \t{.");
	length = strcspn(info, " \t,;:}{");
	word = arena_strndup(arena, info, length);
	for (i = 0; i < length; i++)
		if (word[i] >= 'A' && word[i] <= 'Z')
			word[i] = (char)(word[i] + ('a' - 'A'));
	return word;
}

/* The CR of a CRLF would become part of a command's last word. */
static void add_line(struct buffer *out, const char *line, size_t length)
{
	if (length && line[length - 1] == '\r')
		length--;
	buffer_add(out, line, length);
	buffer_addc(out, '\n');
}

static bool has_prompt(const char *line, const char *end)
{
	return end - line >= 2 && line[0] == '$' && line[1] == ' ';
}

/*
 * A recorded session: what follows "$ " is a command and what follows "> " right
 * after one goes on with it; the rest is output.
 */
static void session_commands(const char *text, const char *end,
			     struct buffer *out)
{
	bool command = false;

	while (text < end) {
		const char *eol = memchr(text, '\n', (size_t)(end - text));
		const char *stop = eol ? eol : end;

		command = has_prompt(text, stop) ||
			  (command && stop - text >= 2 && text[0] == '>' &&
			   text[1] == ' ');
		if (command)
			add_line(out, text + 2, (size_t)(stop - text) - 2);
		text = stop + 1;
	}
}

static bool is_session(const char *text, const char *end)
{
	while (text < end && strchr(" \t\r\n", *text))
		text++;
	return has_prompt(text, end);
}

static void block_text(const char *text, bool shell, struct buffer *out)
{
	const char *end = text + strlen(text);

	if (shell && is_session(text, end)) {
		session_commands(text, end, out);
		return;
	}
	while (text < end) {
		const char *eol = memchr(text, '\n', (size_t)(end - text));
		const char *stop = eol ? eol : end;

		add_line(out, text, (size_t)(stop - text));
		text = stop + 1;
	}
}

static void block_read(cmark_node *node, struct script *ret,
		       struct arena *arena)
{
	struct buffer text cleanup_buffer = { 0 };

	ret->line = cmark_node_get_start_line(node);
	ret->word = info_word(cmark_node_get_fence_info(node), arena);
	ret->interpreter = interpreter_find(ret->word);
	if (ret->interpreter)
		block_text(cmark_node_get_literal(node),
			   ret->interpreter->shell, &text);
	/* Blank lines alone are nothing to run. */
	if (strspn(buffer_text(&text), " \t\n") == text.length)
		text.length = 0;
	ret->text = arena_strndup(arena, text.data, text.length);
	ret->length = text.length;
}

void scripts_read(const char *text, size_t length, struct arena *arena,
		  struct script **ret, size_t *ret_nr)
{
	cmark_node *document =
		cmark_parse_document(text, length, CMARK_OPT_DEFAULT);
	cmark_iter *walk = cmark_iter_new(document);
	struct script *scripts = NULL;
	cmark_event_type event;
	size_t nr = 0;

	while ((event = cmark_iter_next(walk)) != CMARK_EVENT_DONE) {
		cmark_node *node = cmark_iter_get_node(walk);

		if (event == CMARK_EVENT_ENTER &&
		    cmark_node_get_type(node) == CMARK_NODE_CODE_BLOCK)
			block_read(node, ARENA_PUSH(arena, scripts, nr), arena);
	}
	cmark_iter_free(walk);
	cmark_node_free(document);
	*ret = scripts;
	*ret_nr = nr;
}
