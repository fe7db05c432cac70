/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Inline code of scripting languages, scanned rather than parsed: literals,
 * the calls that they are arguments of, and a table of what such calls do.
 */
#include "shell.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define MAX_FRAMES   64
#define MAX_LITERALS 16

/**
 * struct frame - one open bracket
 * @name:	what stands before it, "" nothing
 * @literals:	strings and numbers in it, those of brackets without a name
 *		or with one that only hands them on included
 * @mode:	value of "mode=" or of the argument that is one
 * @bare:	a call without brackets, ended by the statement
 */
struct frame {
	const char *name;
	size_t name_at;
	struct word literals[MAX_LITERALS];
	bool string[MAX_LITERALS];
	size_t nr;
	bool list;
	bool bare;
};

struct scan {
	struct shell *shell;
	const char *language;
	const struct stretch *source;
	struct frame *frames;
	size_t nr;
	const char *name; /* the last identifier, "" none */
	size_t name_at;
	size_t name_end;
	const char *target; /* of an assignment, "" none */
	bool assigned;	    /* the string is its value */
	struct {
		const char *name;
		struct word value;
	} variables[MAX_LITERALS];
	size_t nr_variables;
	struct word held; /* of "Path('/x')", until ".unlink()" follows */
	bool has_held;
};

static struct word part(struct scan *scan, size_t from, size_t length)
{
	struct shell *shell = scan->shell;
	struct word word = {
		.text = arena_strndup(shell->arena, scan->source->data + from,
				      length),
		.length = length,
	};
	size_t *origin =
		arena_alloc(shell->arena, (length + 1) * sizeof(*origin));

	memcpy(origin, scan->source->origin + from, length * sizeof(*origin));
	origin[length] =
		length ? origin[length - 1] + 1 : scan->source->origin[from];
	word.origin = origin;
	return word;
}

/* An absolute path by its first folder, or one of the home directory. */
static bool is_path(const struct word *word)
{
	size_t first;

	if (!strncmp(word->text, "~/", 2))
		return word->length > 2;
	if (*word->text != '/' || word->length < 3 ||
	    strcspn(word->text, "\n\"'<>|;(){}") != word->length)
		return false;
	first = strcspn(word->text + 1, "/");
	return signature_value("roots", word->text + 1, first) != NULL;
}

static void apply(struct scan *scan, const char *role, const struct word *word)
{
	struct arguments arguments = {
		.signature = { .names = "", .suffix = scan->language },
		.name = word,
		.name_end = word,
	};
	struct stream in = { .kind = STREAM_SILENT };
	int number = role_from_word(role, strlen(role));

	if (number >= 0 && word->length)
		argument_apply(scan->shell, &arguments,
			       (enum signature_role)number, word, &in);
}

/* A literal whose call says nothing about it. */
static void apply_alone(struct scan *scan, const struct word *word)
{
	size_t scheme = url_scheme(word->text, word->length);

	if (scheme && word->length > scheme + 3 &&
	    strcspn(word->text, " \n\"'<>") == word->length)
		apply(scan, "url", word);
	else if (is_path(word))
		apply(scan, "read", word);
}

static void held_drop(struct scan *scan)
{
	if (scan->has_held)
		apply_alone(scan, &scan->held);
	scan->has_held = false;
}

/* "w", "rb", "r+", "a", "<", ">>" */
static bool is_mode(const struct word *word, bool *ret_write, bool *ret_read)
{
	const char *text = word->text;

	if (!word->length || word->length > 4 ||
	    strspn(text, "rwaxbtU+<>|-") != word->length)
		return false;
	*ret_write = strpbrk(text, "wax>") || strchr(text, '+');
	/* "w+" may read what it has written itself. */
	*ret_read = strpbrk(text, "r<") != NULL || !*ret_write;
	return true;
}

static void call_open(struct scan *scan, struct frame *frame)
{
	bool write = false, read = true;
	const struct word *path = NULL;
	struct word rest;

	for (size_t i = 0; i < frame->nr; i++) {
		struct word *word = &frame->literals[i];

		if (!frame->string[i])
			continue;
		if (is_mode(word, &write, &read))
			continue;
		if (!path)
			path = word;
	}
	if (!path)
		return;
	/* "> /x" in one string, as perl has it. */
	if (strchr("<>+", *path->text)) {
		size_t skip = strspn(path->text, "<>+ ");

		write = strpbrk(path->text, ">+") != NULL;
		read = !write || *path->text == '+';
		rest = word_part(scan->shell, path, skip, path->length - skip);
		path = &rest;
	}
	if (read)
		apply(scan, "read", path);
	if (write)
		apply(scan, "write", path);
}

static void call_command(struct scan *scan, struct frame *frame)
{
	struct shell *shell = scan->shell;
	struct stream in = { .kind = STREAM_SILENT };
	struct words words = { NULL, 0 };

	for (size_t i = 0; i < frame->nr; i++)
		if (frame->string[i])
			words_push(shell, &words, frame->literals[i]);
	if (!words.nr)
		return;
	if (words.nr == 1 && !frame->list) {
		struct stretch code = word_stretch(words.list);

		shell_nested(shell, &code, in);
	} else if (words.list->length && shell->nested < SHELL_MAX_NESTED) {
		shell->nested++;
		shell_call(shell, &words, in);
		shell->nested--;
	}
}

static void call_host(struct scan *scan, struct frame *frame)
{
	const struct word *host = NULL;
	unsigned int port = 0;
	size_t start, end, length;

	for (size_t i = 0; i < frame->nr; i++) {
		if (frame->string[i] && !host)
			host = &frame->literals[i];
		else if (!port)
			port = (unsigned int)strtoul(frame->literals[i].text,
						     NULL, 10);
	}
	if (!host || !host->length)
		return;
	length = strcspn(host->text, ":");
	if (length < host->length && !strchr(host->text + length + 1, ':'))
		port = (unsigned int)strtoul(host->text + length + 1, NULL, 10);
	else
		length = host->length;
	if (url_scheme(host->text, host->length)) {
		apply(scan, "url", host);
		return;
	}
	if (*host->text == '/') {
		apply(scan, "socket", host);
		return;
	}
	word_span(host, &start, &end);
	request_host(scan->shell, NULL, host->text, length, port, start, end);
}

static void call_base64(struct scan *scan, struct frame *frame)
{
	struct shell *shell = scan->shell;
	struct buffer out = { 0 };

	for (size_t i = 0; i < frame->nr; i++) {
		const struct word *word = &frame->literals[i];
		size_t start, end;

		out.length = 0;
		if (!frame->string[i] || word->length < 8 ||
		    shell->nested >= SHELL_MAX_NESTED ||
		    !base64_decode(word->text, word->length, &out))
			continue;
		word_span(word, &start, &end);
		shell->nested++;
		shell_scan(
			shell, scan->language,
			&(struct stretch){
				arena_strndup(shell->arena, out.data,
					      out.length),
				out.length,
				origin_spread(shell, start, end, out.length) });
		shell->nested--;
	}
	buffer_done(&out);
}

static void call_code(struct scan *scan, struct frame *frame)
{
	struct shell *shell = scan->shell;

	for (size_t i = 0; i < frame->nr; i++) {
		struct stretch code = word_stretch(&frame->literals[i]);

		if (!frame->string[i] || shell->nested >= SHELL_MAX_NESTED)
			continue;
		shell->nested++;
		shell_scan(shell, scan->language, &code);
		shell->nested--;
	}
}

/* What the table says of "a.b.c": of the whole, else of its last part. */
static const char *role_of(const char *table, const char *name)
{
	const char *role = signature_value(table, name, strlen(name));
	const char *last = name + strlen(name);

	while (last > name && last[-1] != '.' && last[-1] != ':' &&
	       last[-1] != '>')
		last--;
	return role || last == name
		       ? role
		       : signature_value(table, last, strlen(last));
}

static void frame_close(struct scan *scan)
{
	struct frame *frame = &scan->frames[scan->nr - 1];
	struct frame *parent = scan->nr > 1 ? frame - 1 : NULL;
	const char *role =
		*frame->name ? role_of("calls", frame->name) : "pass";

	scan->nr--;
	if (role && !strcmp(role, "pass")) {
		if (parent && *parent->name) {
			for (size_t i = 0;
			     i < frame->nr && parent->nr < MAX_LITERALS; i++) {
				parent->string[parent->nr] = frame->string[i];
				parent->literals[parent->nr++] =
					frame->literals[i];
			}
			parent->list = parent->list || frame->list;
			return;
		}
		if (*frame->name && frame->nr && frame->string[0]) {
			held_drop(scan);
			scan->held = frame->literals[0];
			scan->has_held = true;
			return;
		}
		role = NULL;
	}
	if (!role) {
		for (size_t i = 0; i < frame->nr; i++)
			if (frame->string[i])
				apply_alone(scan, &frame->literals[i]);
	} else if (!strcmp(role, "open")) {
		call_open(scan, frame);
	} else if (!strcmp(role, "command")) {
		call_command(scan, frame);
	} else if (!strcmp(role, "host")) {
		call_host(scan, frame);
	} else if (!strcmp(role, "base64")) {
		call_base64(scan, frame);
	} else if (!strcmp(role, "code")) {
		call_code(scan, frame);
	} else if (!strcmp(role, "copy")) {
		if (frame->nr)
			apply(scan, "read", &frame->literals[0]);
		if (frame->nr > 1)
			apply(scan, "write", &frame->literals[1]);
	} else if (!strcmp(role, "read-any")) {
		for (size_t i = 0; i < frame->nr; i++)
			if (frame->string[i] && is_path(&frame->literals[i]))
				apply(scan, "read", &frame->literals[i]);
	} else {
		for (size_t i = 0; i < frame->nr && i < 1; i++)
			apply(scan, role, &frame->literals[i]);
		for (size_t i = 1; i < frame->nr; i++)
			if (frame->string[i])
				apply_alone(scan, &frame->literals[i]);
	}
}

static void frame_open(struct scan *scan, size_t at, bool bare, bool list)
{
	const char *name = scan->name;
	struct frame *frame;

	if (scan->nr >= MAX_FRAMES)
		return;
	if (*name == '.' && scan->has_held) {
		const char *role = role_of("methods", name + 1);

		if (role) {
			apply(scan, role, &scan->held);
			scan->has_held = false;
		}
	}
	held_drop(scan);
	frame = &scan->frames[scan->nr++];
	memset(frame, 0, sizeof(*frame));
	frame->name = name;
	frame->name_at = at;
	frame->bare = bare;
	frame->list = list && !*name;
	scan->name = "";
}

static void frames_end(struct scan *scan, bool all)
{
	while (scan->nr && (all || scan->frames[scan->nr - 1].bare))
		frame_close(scan);
}

static void literal(struct scan *scan, struct word word, bool string)
{
	struct frame *frame;

	if (!scan->nr || scan->frames[scan->nr - 1].nr >= MAX_LITERALS) {
		if (string)
			apply_alone(scan, &word);
		return;
	}
	frame = &scan->frames[scan->nr - 1];
	frame->string[frame->nr] = string;
	frame->literals[frame->nr++] = word;
}

/* NAME = "text": what it is where NAME is an argument. */
static void name_set(struct scan *scan, const struct word *word)
{
	if (!*scan->target || scan->nr_variables >= MAX_LITERALS)
		return;
	scan->variables[scan->nr_variables].name = scan->target;
	scan->variables[scan->nr_variables++].value = *word;
	scan->target = "";
}

static void name_known(struct scan *scan)
{
	for (size_t i = scan->nr_variables; scan->nr && i; i--) {
		if (strcmp(scan->variables[i - 1].name, scan->name))
			continue;
		literal(scan, scan->variables[i - 1].value, true);
		return;
	}
}

/* The string that begins at @at; returns what is behind it. */
static size_t scan_string(struct scan *scan, size_t at)
{
	const struct stretch *source = scan->source;
	const char *data = source->data;
	char quote = data[at];
	size_t marks = 1, from, to, k = 0;
	struct word word;
	char *text;
	size_t *origin;

	if (quote != '`' && at + 2 < source->length && data[at + 1] == quote &&
	    data[at + 2] == quote)
		marks = 3;
	from = at + marks;
	for (to = from; to < source->length; to++) {
		if (data[to] == '\\' && to + 1 < source->length) {
			to++;
			continue;
		}
		if (data[to] == quote &&
		    (marks == 1 ||
		     (to + 2 < source->length && data[to + 1] == quote &&
		      data[to + 2] == quote)))
			break;
	}
	word = part(scan, from, to - from);
	/* Escapes go; what they stand for matters little here. */
	text = (char *)(uintptr_t)word.text;
	origin = (size_t *)(uintptr_t)word.origin;
	for (size_t i = 0; i < word.length; i++, k++) {
		if (text[i] == '\\' && i + 1 < word.length) {
			i++;
			text[k] = text[i] == 'n' ? '\n' : text[i];
		} else {
			text[k] = text[i];
		}
		origin[k] = origin[i];
	}
	if (word.length)
		origin[k] = origin[word.length];
	text[k] = '\0';
	word.length = k;
	if (quote == '`' && signature_names("perl ruby php", scan->language,
					    strlen(scan->language))) {
		struct stretch code = word_stretch(&word);

		shell_nested(scan->shell, &code,
			     (struct stream){ .kind = STREAM_SILENT });
	} else if (scan->assigned) {
		name_set(scan, &word);
		apply_alone(scan, &word);
	} else {
		literal(scan, word, true);
	}
	return to + marks < source->length ? to + marks : source->length;
}

/* system "ls", unlink '/x': a call without brackets. */
static bool bare_call(struct scan *scan, size_t at)
{
	const char *data = scan->source->data;

	if (!*scan->name || !role_of("calls", scan->name))
		return false;
	if (!signature_names("perl ruby php", scan->language,
			     strlen(scan->language)))
		return false;
	for (size_t i = scan->name_end; i < at; i++)
		if (!isspace((unsigned char)data[i]) && data[i] != ',' &&
		    data[i] != '$')
			return false;
	return true;
}

static void scan_all(struct scan *scan)
{
	const struct stretch *source = scan->source;
	const char *data = source->data;
	bool javascript = !strcmp(scan->language, "javascript");
	size_t at = 0;

	while (at < source->length) {
		char c = data[at];

		if ((c == '#' && !javascript && *scan->language) ||
		    (c == '/' && at + 1 < source->length &&
		     data[at + 1] == '/' &&
		     (javascript || !strcmp(scan->language, "php")))) {
			while (at < source->length && data[at] != '\n')
				at++;
		} else if (isalpha((unsigned char)c) || c == '_' ||
			   (c == '.' && at + 1 < source->length &&
			    isalpha((unsigned char)data[at + 1]))) {
			size_t from = at;

			at++;
			while (at < source->length &&
			       (isalnum((unsigned char)data[at]) ||
				strchr("_.:", data[at] ? data[at] : ' ')))
				at++;
			if (c != '.')
				held_drop(scan);
			if (*scan->name && at - from == 3 && from &&
			    data[from - 1] == '>' &&
			    !memcmp(data + from, "new", 3)) {
				/* Class->new(...) */
				scan->name_end = at;
				continue;
			}
			scan->name = arena_strndup(scan->shell->arena,
						   data + from, at - from);
			scan->name_at = from;
			scan->name_end = at;
			name_known(scan);
			/* process.env.NAME */
			if (!strncmp(scan->name, "process.env.", 12)) {
				struct word name =
					part(scan, from + 12, at - from - 12);

				apply(scan, "env", &name);
			}
		} else if (isdigit((unsigned char)c)) {
			size_t from = at;

			while (at < source->length &&
			       isdigit((unsigned char)data[at]))
				at++;
			literal(scan, part(scan, from, at - from), false);
			scan->name = "";
		} else if (c == '"' || c == '\'' || c == '`') {
			scan->assigned = !scan->nr && *scan->target;
			if (bare_call(scan, at))
				frame_open(scan, scan->name_at, true, false);
			at = scan_string(scan, at);
			scan->name = "";
		} else if (c == '(' || c == '[' || c == '{') {
			frame_open(scan, at, false, c == '[');
			at++;
		} else if (c == ')' || c == ']' || c == '}') {
			frames_end(scan, false);
			if (scan->nr)
				frame_close(scan);
			scan->name = "";
			at++;
		} else {
			if (c == ';' || c == '\n') {
				frames_end(scan, false);
				held_drop(scan);
				scan->target = "";
			} else if (c == '=' && !scan->nr) {
				scan->target = scan->name;
			}
			if (!isspace((unsigned char)c) && c != ',' && c != '$')
				scan->name =
					c == '-' || c == '>' ? scan->name : "";
			at++;
		}
	}
	frames_end(scan, true);
	held_drop(scan);
}

void shell_scan(struct shell *shell, const char *language,
		const struct stretch *source)
{
	struct scan scan = {
		.shell = shell,
		.language = language,
		.source = source,
		.name = "",
		.target = "",
	};

	scan.frames =
		arena_alloc(shell->arena, MAX_FRAMES * sizeof(*scan.frames));
	scan_all(&scan);
}
