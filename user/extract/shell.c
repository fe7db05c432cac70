/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Blocks of code: which language they are in, and what of them is for the
 * reader's eyes only: prompts, output, placeholders. All of that is replaced
 * byte by byte, so that places stay what they are.
 */
#include "shell.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* A place to fill in: shell_word.c makes it "*". */
#define PLACEHOLDER '\002'

enum language {
	LANGUAGE_SHELL,
	LANGUAGE_CONSOLE, /* prompts, and output between */
	LANGUAGE_POWER,	  /* PowerShell, cmd */
	LANGUAGE_SCRIPT,  /* one that shell_scan() knows */
	LANGUAGE_NONE,	  /* nothing said */
	LANGUAGE_OTHER,
};

static enum language language_of(const char *name, const char **ret_script)
{
	static const struct {
		const char *names;
		enum language language;
		const char *script;
	} known[] = {
		{ "sh bash shell zsh fish ksh dash posix shellscript "
		  "shell-script",
		  LANGUAGE_SHELL, NULL },
		{ "console shell-session sh-session shellsession bash-session "
		  "terminal session",
		  LANGUAGE_CONSOLE, NULL },
		{ "powershell pwsh ps1 ps posh cmd bat batch dos dosbatch",
		  LANGUAGE_POWER, NULL },
		{ "python py python3 pycon ipython", LANGUAGE_SCRIPT,
		  "python" },
		{ "javascript js node mjs typescript ts jsx tsx",
		  LANGUAGE_SCRIPT, "javascript" },
		{ "perl pl", LANGUAGE_SCRIPT, "perl" },
		{ "ruby rb", LANGUAGE_SCRIPT, "ruby" },
		{ "php", LANGUAGE_SCRIPT, "php" },
		{ "text txt plaintext plain none command commands cli",
		  LANGUAGE_NONE, NULL },
	};

	*ret_script = NULL;
	if (!name || !*name)
		return LANGUAGE_NONE;
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		if (!signature_names(known[i].names, name, strlen(name)))
			continue;
		*ret_script = known[i].script;
		return known[i].language;
	}
	return LANGUAGE_OTHER;
}

/* Is the rest of a line the names of modules, "a, b.c as d"? */
static bool is_modules(const char *text, size_t length)
{
	bool name = false;

	for (size_t i = 0; i < length; i++) {
		if (!isalnum((unsigned char)text[i]) &&
		    !strchr("_., ", text[i]))
			return false;
		name = name || isalpha((unsigned char)text[i]);
	}
	return name;
}

/*
 * What is called shell, or nothing, may be a script of another language: by
 * its first line. NULL: it is not.
 */
static const char *script_of(const char *text, size_t length)
{
	static const struct {
		const char *program;
		const char *language;
	} known[] = {
		{ "python", "python" }, { "node", "javascript" },
		{ "perl", "perl" },	{ "ruby", "ruby" },
		{ "php", "php" },
	};
	size_t at = 0, end;

	while (at < length && isspace((unsigned char)text[at]))
		at++;
	text += at;
	length -= at;
	for (end = 0; end < length && text[end] != '\n';)
		end++;
	if (end > 2 && !memcmp(text, "#!", 2)) {
		for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
			if (memmem(text, end, known[i].program,
				   strlen(known[i].program)))
				return known[i].language;
		return NULL;
	}
	if (length >= 5 && !memcmp(text, "<?php", 5))
		return "php";
	if (end > 7 && end < length && !memcmp(text, "import ", 7) &&
	    is_modules(text + 7, end - 7))
		return "python";
	if (end > 5 && !memcmp(text, "from ", 5) &&
	    memmem(text, end, " import ", 8))
		return "python";
	return NULL;
}

static void blank(char *data, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		if (data[i] != '\n')
			data[i] = ' ';
}

/* "$ ", "> ", "user@host:~$ " at the start of a line: its length, 0: none. */
static size_t prompt_length(const char *line, size_t length)
{
	size_t at = 0;

	while (at < length && (line[at] == ' ' || line[at] == '\t'))
		at++;
	if (at + 1 < length && line[at + 1] == ' ' &&
	    (line[at] == '$' || line[at] == '%' || line[at] == '>'))
		return at + 2;
	if (at + 2 < length && !memcmp(line + at, "PS ", 3)) {
		size_t mark = at + 3;

		while (mark < length && line[mark] != '>')
			mark++;
		if (mark + 1 < length)
			return mark + 1;
	}
	while (at < length && (isalnum((unsigned char)line[at]) ||
			       strchr("@._-:~/()", line[at])))
		at++;
	if (at >= 3 && at + 1 < length && line[at + 1] == ' ' &&
	    (line[at] == '$' || line[at] == '#') && memchr(line, '@', at))
		return at + 2;
	return 0;
}

/* Prompts go; where there are some, the lines without are output. */
static void strip_prompts(char *data, size_t length, bool console)
{
	bool prompts = false, more = false;
	size_t at = 0;

	for (size_t pass = 0; pass < 2; pass++) {
		for (at = 0; at < length;) {
			const char *newline =
				memchr(data + at, '\n', length - at);
			size_t end =
				newline ? (size_t)(newline - data) : length;
			size_t prompt = prompt_length(data + at, end - at);

			/* "> x" continues a line, or is a quote. */
			if (prompt && data[at + prompt - 2] == '>' &&
			    !console && !prompts)
				prompt = 0;
			if (!pass) {
				prompts = prompts || prompt;
			} else if (prompt) {
				blank(data, at, at + prompt);
				more = end > at && data[end - 1] == '\\';
			} else if (prompts && !more) {
				blank(data, at, end);
			} else {
				more = more && end > at &&
				       data[end - 1] == '\\';
			}
			at = end + 1;
		}
		if (!prompts)
			return;
	}
}

/* "<name>" is for the reader to fill in, "< name" is not. */
static void mask_placeholders(char *data, size_t length)
{
	for (size_t i = 0; i + 2 < length; i++) {
		size_t end = i + 1;

		if (data[i] != '<' ||
		    !(isalpha((unsigned char)data[i + 1]) ||
		      strchr("_[", data[i + 1])) ||
		    (i && (data[i - 1] == '<' ||
			   isdigit((unsigned char)data[i - 1]))))
			continue;
		while (end < length && end - i < 64 &&
		       (isalnum((unsigned char)data[end]) ||
			strchr("_-. |/:,+[]'", data[end])))
			end++;
		if (end >= length || data[end] != '>' || data[end - 1] == ' ')
			continue;
		for (size_t k = i; k <= end; k++)
			data[k] = PLACEHOLDER;
		i = end;
	}
}

/* Bytes that the shell's grammar need not see. */
static void clean(char *data, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (!data[i] || data[i] == '\r' || data[i] == PLACEHOLDER)
			data[i] = ' ';
}

/* The apostrophe of "don't" is no quote, if nothing on the line closes it. */
static bool is_apostrophe(const char *data, size_t length, size_t at)
{
	static const char endings[] = "t s re ve ll d m";
	size_t end = at + 1;

	if (!at || !isalpha((unsigned char)data[at - 1]))
		return false;
	while (end < length && isalpha((unsigned char)data[end]))
		end++;
	return signature_names(endings, data + at + 1, end - at - 1);
}

static void mask_apostrophes(char *data, size_t length)
{
	for (size_t at = 0; at < length;) {
		const char *newline = memchr(data + at, '\n', length - at);
		size_t end = newline ? (size_t)(newline - data) : length;
		size_t quotes = 0, found = length;

		for (size_t i = at; i < end; i++) {
			if (data[i] != '\'')
				continue;
			quotes++;
			if (found == length && is_apostrophe(data, end, i))
				found = i;
		}
		if (quotes % 2 && found < length)
			data[found] = '_';
		at = end + 1;
	}
}

/* "<>" opens for both; the grammar knows only the one. */
static void mask_both_ways(char *data, size_t length)
{
	for (size_t i = 1; i + 1 < length; i++)
		if (data[i] == '<' && data[i + 1] == '>' &&
		    (isspace((unsigned char)data[i - 1]) ||
		     isdigit((unsigned char)data[i - 1])))
			data[i + 1] = ' ';
}

/*
 * Bytes of a decoded blob have one origin; here they are spread over the blob,
 * such that each part of the text has a part of it.
 */
static const size_t *spread(struct arena *arena, const size_t *origin,
			    size_t length)
{
	size_t *copy = NULL;

	for (size_t i = 0, end; i < length; i = end) {
		end = i + 1;
		while (end < length && origin[end] == origin[i])
			end++;
		if (end - i < 2 || origin[end] <= origin[i])
			continue;
		if (!copy) {
			copy = arena_alloc(arena, (length + 1) * sizeof(*copy));
			memcpy(copy, origin, (length + 1) * sizeof(*copy));
		}
		for (size_t k = i; k < end; k++)
			copy[k] = origin[i] + (origin[end] - origin[i]) *
						      (k - i) / (end - i);
	}
	return copy ? copy : origin;
}

/* ---- PowerShell and cmd */

/* Verb-Noun */
static bool is_cmdlet(const struct word *word)
{
	const char *dash = strchr(word->text, '-');

	if (!dash || !isupper((unsigned char)*word->text) ||
	    !isupper((unsigned char)dash[1]))
		return false;
	for (const char *c = word->text; *c; c++)
		if (!isalnum((unsigned char)*c) && *c != '-')
			return false;
	return true;
}

/* The words of one statement; quotes are taken off. */
static void power_words(struct shell *shell, const struct stretch *line,
			struct words *ret)
{
	size_t at = 0;

	while (at < line->length && ret->nr < SHELL_MAX_WORDS) {
		struct word word = { 0 };
		size_t from, to, nr = 0, *origin;
		char *text, quote = 0;

		while (at < line->length &&
		       isspace((unsigned char)line->data[at]))
			at++;
		from = at;
		while (at < line->length &&
		       (quote || !isspace((unsigned char)line->data[at]))) {
			char c = line->data[at++];

			if (quote ? c == quote : c == '"' || c == '\'')
				quote = quote ? 0 : c;
		}
		to = at;
		if (to == from)
			break;
		text = arena_alloc(shell->arena, to - from + 1);
		origin = arena_alloc(shell->arena,
				     (to - from + 1) * sizeof(*origin));
		for (size_t i = from; i < to; i++) {
			char c = line->data[i];

			if (c == '"' || c == '\'') {
				word.quoted = true;
				continue;
			}
			/* Variables, as far as their name goes. */
			if (c == '$' && i + 1 < to) {
				while (i + 1 < to &&
				       (isalnum((unsigned char)
							line->data[i + 1]) ||
					strchr("_:{}", line->data[i + 1])))
					i++;
				c = PLACEHOLDER;
			}
			if (c == PLACEHOLDER && nr && text[nr - 1] == '*')
				continue;
			text[nr] = c == PLACEHOLDER ? '*' : c;
			word.unknown = word.unknown || c == PLACEHOLDER;
			origin[nr++] = line->origin[i];
		}
		origin[nr] = line->origin[to];
		word.text = text;
		word.length = nr;
		word.origin = origin;
		word.anything = word.unknown && strspn(text, "*") == nr;
		words_push(shell, ret, word);
	}
}

static void power_cmdlet(struct shell *shell, const struct words *words,
			 const struct stretch *line)
{
	const char *name = words->list->text;
	char *lower = arena_strdup(shell->arena, name);
	const struct signature *signature;
	struct stream in = { .kind = STREAM_SILENT }, out;
	struct arguments arguments;
	size_t start, end;

	for (char *c = lower; *c; c++)
		*c = (char)tolower((unsigned char)*c);
	signature = signature_find(lower, strlen(lower));
	if (!signature) {
		stretch_span(line, 0, line->length, &start, &end);
		shell_gap(shell, start, end, "unknown-command", true, false);
		signature = signature_find("*-*", 3);
	}
	if (!signature)
		return;
	arguments_read(shell, words, signature, &arguments);
	arguments_apply(shell, &arguments, &in, &out);
}

/* True: it took PowerShell to run it. */
static bool power_line(struct shell *shell, const struct stretch *line)
{
	struct words words = { NULL, 0 };
	struct stream in = { .kind = STREAM_SILENT };
	const char *name;
	size_t skip = 0, start, end;

	while (skip < line->length && isspace((unsigned char)line->data[skip]))
		skip++;
	if (skip == line->length || line->data[skip] == '#' ||
	    (line->length - skip > 3 &&
	     !strncasecmp(line->data + skip, "rem ", 4)) ||
	    (line->length - skip > 1 && !memcmp(line->data + skip, "::", 2)))
		return false;
	power_words(shell, line, &words);
	/* "& program" and ". script" run it. */
	if (words.nr > 1 &&
	    (word_is(words.list, "&") || word_is(words.list, ".") ||
	     word_is(words.list, "call"))) {
		words.list++;
		words.nr--;
	}
	if (!words.nr)
		return false;
	name = words.list->text;
	/* "$x = command ..." */
	if (words.nr > 2 && word_is(&words.list[1], "=") &&
	    *words.list->text == '*' && !words.list[2].quoted &&
	    (is_cmdlet(&words.list[2]) || strchr(words.list[2].text, '/'))) {
		words.list += 2;
		words.nr -= 2;
		name = words.list->text;
	}
	if (is_cmdlet(words.list)) {
		power_cmdlet(shell, &words, line);
		return true;
	}
	if (isalpha((unsigned char)*name) || *name == '.' || *name == '/') {
		if (command_find(name) || strchr(name, '/') ||
		    strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-_.") ==
			    strlen(name)) {
			shell_call(shell, &words, in);
			return false;
		}
	}
	stretch_span(line, skip, line->length, &start, &end);
	shell_gap(shell, start, end, "powershell", true, false);
	shell_scan(shell, "powershell", line);
	return true;
}

static void power(struct shell *shell, const struct segment *segment,
		  struct stretch *source, char *data)
{
	const char *tool = "powershell";
	bool needed = false;
	size_t at = 0;

	for (size_t i = 0; i + 1 < source->length; i++) {
		/* A backquote or a caret continues the line. */
		if ((data[i] == '`' || data[i] == '^') && data[i + 1] == '\n')
			data[i] = data[i + 1] = ' ';
		if (data[i] == '\\' && !isspace((unsigned char)data[i + 1]))
			data[i] = '/';
	}
	if (segment->language &&
	    signature_names("cmd bat batch dos dosbatch", segment->language,
			    strlen(segment->language)))
		tool = "cmd";
	while (at < source->length) {
		size_t end = at;
		struct stretch line;

		while (end < source->length && !strchr("\n|;", data[end]))
			end++;
		line = (struct stretch){ data + at, end - at,
					 source->origin + at };
		translation_asks(shell->ret, line.origin[0],
				 line.origin[end - at]);
		needed = power_line(shell, &line) || needed;
		at = end + 1;
	}
	if (needed)
		request_add(shell, AL_OP_NR_EXECUTE, RESOURCE_TOOL, tool,
			    segment->start,
			    segment->length ? segment->origin[0] + 1
					    : segment->end);
}

/* ---- blocks whose language nobody says */

bool shell_looks_like_command(const char *text, size_t length)
{
	const struct signature *signature;
	size_t from = 0, first, second, second_length;
	char *name;

	while (from < length && (text[from] == ' ' || text[from] == '\t'))
		from++;
	if (from + 1 < length && text[from] == '$' && text[from + 1] == ' ')
		return true;
	/* NAME=value in front */
	for (;;) {
		size_t end = from, equals;

		while (end < length && !isspace((unsigned char)text[end]))
			end++;
		for (equals = from; equals < end && text[equals] != '=';
		     equals++)
			if (!isupper((unsigned char)text[equals]) &&
			    !isdigit((unsigned char)text[equals]) &&
			    text[equals] != '_')
				break;
		if (equals == from || equals >= end || text[equals] != '=' ||
		    end >= length)
			break;
		from = end + 1;
	}
	first = from;
	while (first < length && !isspace((unsigned char)text[first]))
		first++;
	if (first == from || first - from > 256)
		return false;
	second = first;
	while (second < length && isspace((unsigned char)text[second]))
		second++;
	second_length = second;
	while (second_length < length &&
	       !isspace((unsigned char)text[second_length]))
		second_length++;
	second_length -= second;
	if (second_length && is_prose_word(text + second, second_length))
		return false;
	if (first - from > 2 && text[from] == '.' && text[from + 1] == '/')
		return text[first - 1] != '/';
	{
		char copy[257];
		const char *base;

		memcpy(copy, text + from, first - from);
		copy[first - from] = '\0';
		name = copy;
		if (strspn(name, "abcdefghijklmnopqrstuvwxyz"
				 "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				 "0123456789._-+/~") != first - from)
			return false;
		base = strrchr(name, '/');
		signature = command_find(base ? base + 1 : name);
		if (signature && signature->names[0] == '*')
			signature = NULL;
		/* "src/find" is a folder's name, "/usr/bin/find" a program's. */
		if (base && *name != '/' && *name != '~' &&
		    strncmp(name, "node_modules/", 13) && *name != '.')
			signature = NULL;
	}
	return signature != NULL;
}

/* Only the lines that are commands; those that continue one go with it. */
static void keep_commands(char *data, size_t length)
{
	bool more = false;

	for (size_t at = 0; at < length;) {
		const char *newline = memchr(data + at, '\n', length - at);
		size_t end = newline ? (size_t)(newline - data) : length;

		if (!more && !shell_looks_like_command(data + at, end - at))
			blank(data, at, end);
		else
			more = end > at && data[end - 1] == '\\';
		at = end + 1;
	}
}

/* ---- */

static struct shell shell_new(const struct segment *segment, struct mood mood,
			      struct translation *ret, size_t length,
			      size_t end)
{
	return (struct shell){
		.ret = ret,
		.arena = arena_new(),
		.keep = arena_new(),
		.hidden = segment->hidden,
		.conditional_mood = mood.conditional,
		.steps = 4096 + length,
		.joins = 64,
		.broken = 512,
		.bytes = 4 * length + (1 << 20),
		.work = 16 * length + (1 << 20),
		.cwd = "",
		.radix = 1,
		.round = 1,
		.end = end,
	};
}

void shell_read(const struct segment *segment, size_t from, size_t length,
		struct mood mood, struct translation *ret)
{
	const char *script;
	enum language language = language_of(segment->language, &script);
	struct stretch source;
	struct shell shell;
	char *data;

	if (mood.negated || from >= segment->length)
		return;
	if (!length || length > segment->length - from)
		length = segment->length - from;
	if (segment->kind != SEGMENT_CODE)
		language = LANGUAGE_SHELL;
	if (language == LANGUAGE_SHELL || language == LANGUAGE_NONE) {
		script = script_of(segment->text + from, length);
		if (script) {
			language = LANGUAGE_SCRIPT;
			mood.run = true;
		}
	}
	if (language == LANGUAGE_OTHER ||
	    (language == LANGUAGE_SCRIPT && !mood.run))
		return;
	shell = shell_new(segment, mood, ret, length,
			  segment->origin[from + length]);
	data = arena_strndup(shell.keep, segment->text + from, length);
	source = (struct stretch){
		data, length, spread(shell.keep, segment->origin + from, length)
	};
	clean(data, length);
	if (language != LANGUAGE_SCRIPT) {
		strip_prompts(data, length, language == LANGUAGE_CONSOLE);
		mask_placeholders(data, length);
		mask_both_ways(data, length);
		mask_apostrophes(data, length);
	}
	if (language == LANGUAGE_NONE)
		keep_commands(data, length);
	if (language == LANGUAGE_SCRIPT)
		shell_scan(&shell, script, &source);
	else if (language == LANGUAGE_POWER)
		power(&shell, segment, &source, data);
	else
		shell_code(&shell, &source);
	shell_done(&shell);
}
