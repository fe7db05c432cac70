/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a command prints, where its words say so: it may become a word of
 * another command, or the code that an interpreter runs.
 */
#include "shell.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

static const struct stream silent = { .kind = STREAM_SILENT };
static const struct stream unknown = { .kind = STREAM_UNKNOWN };

struct stream stream_text(const struct stretch *text)
{
	return (struct stream){ .kind = STREAM_TEXT, .text = *text };
}

/* Bytes that were made from others: all from one place. */
static struct stream made(struct shell *shell, const struct stretch *from,
			  const char *data, size_t length)
{
	size_t start = from->origin[0], end = from->origin[from->length];
	struct stretch text = {
		.data = arena_strndup(shell->arena, data, length),
		.length = length,
		.origin = origin_spread(shell, start, end, length),
	};

	struct stream out = stream_text(&text);

	out.decoded = true;
	return length ? out : unknown;
}

/* Words joined by spaces, as echo does. */
static struct stream joined(struct shell *shell, const struct words *words,
			    size_t from)
{
	size_t length = 0, at = 0;
	struct stretch text;
	char *data;
	size_t *origin;

	for (size_t i = from; i < words->nr; i++)
		length += words->list[i].length + 1;
	if (!length || length > SHELL_MAX_TEXT)
		return unknown;
	data = arena_alloc(shell->arena, length + 1);
	origin = arena_alloc(shell->arena, (length + 1) * sizeof(*origin));
	for (size_t i = from; i < words->nr; i++) {
		const struct word *word = &words->list[i];

		memcpy(data + at, word->text, word->length);
		memcpy(origin + at, word->origin,
		       word->length * sizeof(*origin));
		at += word->length;
		data[at] = i + 1 < words->nr ? ' ' : '\n';
		origin[at++] = word->origin[word->length];
	}
	origin[at] = origin[at - 1] + 1;
	text = (struct stretch){ data, at, origin };
	return stream_text(&text);
}

/* \n and its like become what they stand for. */
static struct stream unescaped(struct stream stream)
{
	char *data = (char *)(uintptr_t)stream.text.data;
	size_t *origin = (size_t *)(uintptr_t)stream.text.origin;
	size_t to = 0;

	if (stream.kind != STREAM_TEXT)
		return stream;
	for (size_t i = 0; i < stream.text.length; i++, to++) {
		data[to] = data[i];
		origin[to] = origin[i];
		if (data[i] != '\\' || i + 1 >= stream.text.length)
			continue;
		i++;
		if (data[i] == 'n')
			data[to] = '\n';
		else if (data[i] == 't')
			data[to] = '\t';
		else if (data[i] == '\\')
			data[to] = '\\';
		else
			i--;
	}
	origin[to] = origin[stream.text.length];
	stream.text.length = to;
	return stream;
}

static struct stream output_echo(struct shell *shell,
				 const struct arguments *arguments,
				 const struct words *words, struct stream in)
{
	size_t from = 1;

	(void)arguments;
	(void)in;
	while (from < words->nr && words->list[from].length <= 3 &&
	       *words->list[from].text == '-' &&
	       strspn(words->list[from].text + 1, "neE") ==
		       words->list[from].length - 1)
		from++;
	return unescaped(joined(shell, words, from));
}

/* A format that only repeats its arguments is none. */
static struct stream output_printf(struct shell *shell,
				   const struct arguments *arguments,
				   const struct words *words, struct stream in)
{
	(void)arguments;
	(void)in;
	if (words->nr < 2)
		return silent;
	if (words->nr > 2 && !strncmp(words->list[1].text, "%s", 2))
		return unescaped(joined(shell, words, 2));
	if (strchr(words->list[1].text, '%') && words->nr > 2)
		return unknown;
	return unescaped(joined(shell, words, 1));
}

static struct stream output_cat(struct shell *shell,
				const struct arguments *arguments,
				const struct words *words, struct stream in)
{
	(void)shell;
	(void)words;
	if (!arguments->nr ||
	    (arguments->nr == 1 && word_is(arguments->list[0], "-")))
		return in;
	return unknown;
}

static struct stream output_in(struct shell *shell,
			       const struct arguments *arguments,
			       const struct words *words, struct stream in)
{
	(void)shell;
	(void)words;
	return arguments->nr ? unknown : in;
}

static struct stream output_tee(struct shell *shell,
				const struct arguments *arguments,
				const struct words *words, struct stream in)
{
	(void)shell;
	(void)arguments;
	(void)words;
	return in;
}

bool base64_decode(const char *text, size_t length, struct buffer *out)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnop"
		"qrstuvwxyz0123456789+/";
	uint32_t bits = 0;
	unsigned int nr = 0;

	for (size_t i = 0; i < length; i++) {
		char c = text[i] == '-' ? '+' : text[i] == '_' ? '/' : text[i];
		const char *at;

		if (isspace((unsigned char)c))
			continue;
		if (c == '=')
			break;
		at = c ? strchr(digits, c) : NULL;
		if (!at)
			return false;
		bits = bits << 6 | (uint32_t)(at - digits);
		if (++nr % 4 == 0 || nr % 4 == 2 || nr % 4 == 3) {
			unsigned int shift = nr % 4 == 0   ? 0
					     : nr % 4 == 2 ? 4
							   : 2;

			buffer_addc(out, (char)(bits >> shift));
			if (nr % 4 == 0)
				bits = 0;
		}
	}
	return out->length > 0;
}

static struct stream decoded(struct shell *shell, struct stream in)
{
	struct buffer out = { 0 };
	struct stream ret = unknown;

	if (in.kind != STREAM_TEXT)
		return unknown;
	if (base64_decode(in.text.data, in.text.length, &out))
		ret = made(shell, &in.text, out.data, out.length);
	buffer_done(&out);
	return ret;
}

static struct stream output_base64(struct shell *shell,
				   const struct arguments *arguments,
				   const struct words *words, struct stream in)
{
	(void)words;
	if (!arguments_have(arguments, "-d -D --decode") || arguments->nr)
		return unknown;
	return decoded(shell, in);
}

static struct stream output_openssl(struct shell *shell,
				    const struct arguments *arguments,
				    const struct words *words, struct stream in)
{
	bool base64 = arguments_have(arguments, "-base64 -a");

	for (size_t i = 1; i < words->nr; i++)
		base64 = base64 || word_is(&words->list[i], "base64");
	if (!base64 || !arguments_have(arguments, "-d") ||
	    arguments_have(arguments, "-in"))
		return unknown;
	return decoded(shell, in);
}

static int digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)tolower((unsigned char)c);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static struct stream output_xxd(struct shell *shell,
				const struct arguments *arguments,
				const struct words *words, struct stream in)
{
	struct buffer out = { 0 };
	struct stream ret;
	int high = -1;

	(void)words;
	if (in.kind != STREAM_TEXT || arguments->nr ||
	    !arguments_have(arguments, "-r") ||
	    !arguments_have(arguments, "-p"))
		return unknown;
	for (size_t i = 0; i < in.text.length; i++) {
		int value = digit(in.text.data[i]);

		if (value < 0)
			continue;
		if (high >= 0)
			buffer_addc(&out, (char)(high << 4 | value));
		high = high >= 0 ? -1 : value;
	}
	ret = made(shell, &in.text, buffer_text(&out), out.length);
	buffer_done(&out);
	return ret;
}

static struct stream output_rev(struct shell *shell,
				const struct arguments *arguments,
				const struct words *words, struct stream in)
{
	struct buffer out = { 0 };
	struct stream ret;

	(void)words;
	if (in.kind != STREAM_TEXT || arguments->nr)
		return unknown;
	for (size_t i = 0; i < in.text.length;) {
		size_t end = i;

		while (end < in.text.length && in.text.data[end] != '\n')
			end++;
		for (size_t k = end; k > i; k--)
			buffer_addc(&out, in.text.data[k - 1]);
		if (end < in.text.length)
			buffer_addc(&out, '\n');
		i = end + 1;
	}
	ret = made(shell, &in.text, buffer_text(&out), out.length);
	buffer_done(&out);
	return ret;
}

static struct stream output_gunzip(struct shell *shell,
				   const struct arguments *arguments,
				   const struct words *words, struct stream in)
{
	struct stream ret = unknown;
	z_stream stream = { 0 };
	unsigned char *data;
	size_t length;

	if (in.kind != STREAM_TEXT || arguments->nr ||
	    (!strcmp(words->list->text, "gzip") &&
	     !arguments_have(arguments, "-d --decompress -dc")))
		return unknown;
	/* 32: zlib or gzip, whichever it is. */
	if (inflateInit2(&stream, 15 + 32) != Z_OK)
		return unknown;
	data = arena_alloc(shell->arena, SHELL_MAX_TEXT);
	stream.next_in = (unsigned char *)(uintptr_t)in.text.data;
	stream.avail_in = (uInt)in.text.length;
	stream.next_out = data;
	stream.avail_out = SHELL_MAX_TEXT;
	inflate(&stream, Z_FINISH);
	length = SHELL_MAX_TEXT - stream.avail_out;
	inflateEnd(&stream);
	if (length)
		ret = made(shell, &in.text, (char *)data, length);
	return ret;
}

/* "which python": the name may then be run. */
static struct stream output_which(struct shell *shell,
				  const struct arguments *arguments,
				  const struct words *words, struct stream in)
{
	size_t from = words->nr;

	(void)arguments;
	(void)in;
	for (size_t i = 1; i < words->nr && from == words->nr; i++)
		if (*words->list[i].text != '-')
			from = i;
	return from < words->nr ? joined(shell, words, from) : unknown;
}

static struct stream one_word(struct shell *shell, const struct word *at,
			      const char *text)
{
	struct word word = word_made(shell, at, text);
	struct stretch source = word_stretch(&word);

	return word.length ? stream_text(&source) : unknown;
}

static struct stream output_pwd(struct shell *shell,
				const struct arguments *arguments,
				const struct words *words, struct stream in)
{
	(void)arguments;
	(void)in;
	return one_word(shell, words->list, *shell->cwd ? shell->cwd : ".");
}

static struct stream output_git(struct shell *shell,
				const struct arguments *arguments,
				const struct words *words, struct stream in)
{
	(void)in;
	if (arguments_have(arguments, "--show-toplevel"))
		return one_word(shell, words->list, ".");
	return unknown;
}

static struct stream output_mktemp(struct shell *shell,
				   const struct arguments *arguments,
				   const struct words *words, struct stream in)
{
	(void)in;
	(void)arguments;
	return one_word(shell, words->list, "/tmp/*");
}

static struct stream output_ls(struct shell *shell,
			       const struct arguments *arguments,
			       const struct words *words, struct stream in)
{
	(void)in;
	if (arguments->nr != 1 || !strchr(arguments->list[0]->text, '*'))
		return unknown;
	return one_word(shell, words->list, arguments->list[0]->text);
}

static struct stream output_basename(struct shell *shell,
				     const struct arguments *arguments,
				     const struct words *words,
				     struct stream in)
{
	const char *text, *slash;

	(void)in;
	if (!arguments->nr || arguments->list[0]->unknown)
		return unknown;
	text = arguments->list[0]->text;
	slash = strrchr(text, '/');
	return one_word(shell, words->list,
			slash && slash[1] ? slash + 1 : text);
}

static struct stream output_dirname(struct shell *shell,
				    const struct arguments *arguments,
				    const struct words *words, struct stream in)
{
	const char *text, *slash;

	(void)in;
	if (!arguments->nr || arguments->list[0]->anything)
		return unknown;
	text = arguments->list[0]->text;
	slash = strrchr(text, '/');
	if (!slash)
		return one_word(shell, words->list, ".");
	return one_word(shell, words->list,
			slash == text ? "/"
				      : arena_strndup(shell->arena, text,
						      (size_t)(slash - text)));
}

static struct stream output_realpath(struct shell *shell,
				     const struct arguments *arguments,
				     const struct words *words,
				     struct stream in)
{
	(void)in;
	if (arguments->nr != 1 || arguments->list[0]->anything)
		return unknown;
	return one_word(shell, words->list, arguments->list[0]->text);
}

/* The number of a process, which is known by its name. */
static struct stream output_pgrep(struct shell *shell,
				  const struct arguments *arguments,
				  const struct words *words, struct stream in)
{
	struct stream out = unknown;

	(void)shell;
	(void)words;
	(void)in;
	if (arguments->nr)
		out.process = arguments->list[arguments->nr - 1]->text;
	return out;
}

static struct stream output_silent(struct shell *shell,
				   const struct arguments *arguments,
				   const struct words *words, struct stream in)
{
	(void)shell;
	(void)arguments;
	(void)words;
	(void)in;
	return silent;
}

/* ---- what the shell's own commands do to the shell */

static struct stream output_cd(struct shell *shell,
			       const struct arguments *arguments,
			       const struct words *words, struct stream in)
{
	const struct word *word;
	const char *path;
	size_t length;

	(void)in;
	(void)words;
	if (!arguments->nr) {
		shell->cwd = "~";
		return silent;
	}
	word = arguments->list[0];
	if (word->anything || word_is(word, "-") ||
	    !strncmp(word->text, "/path/to", 8)) {
		shell->cwd = "";
		return silent;
	}
	path = object_path(shell, word->text, word->length);
	if (!path)
		return silent;
	length = strlen(path);
	while (length > 1 && path[length - 1] == '/')
		length--;
	shell->cwd = length == 1 && *path == '.'
			     ? ""
			     : arena_strndup(shell->keep, path, length);
	return silent;
}

static struct stream output_read(struct shell *shell,
				 const struct arguments *arguments,
				 const struct words *words, struct stream in)
{
	(void)words;
	for (size_t i = 0; i < arguments->nr; i++) {
		const struct word *name = arguments->list[i];
		struct variable *variable =
			variable_new(shell, name->text, name->length);
		struct words values = { NULL, 0 };

		if (!variable || in.kind != STREAM_TEXT || i)
			continue;
		words_split(shell, &in.text, &values);
		for (size_t k = 0; k < values.nr; k++)
			variable_add(shell, variable, &values.list[k]);
	}
	return silent;
}

static struct stretch stretch_copy(struct arena *arena, const struct word *word)
{
	size_t size = (word->length + 1) * sizeof(*word->origin);
	size_t *origin = arena_alloc(arena, size);

	memcpy(origin, word->origin, size);
	return (struct stretch){ arena_strdup(arena, word->text), word->length,
				 origin };
}

static struct stream output_alias(struct shell *shell,
				  const struct arguments *arguments,
				  const struct words *words, struct stream in)
{
	(void)arguments;
	(void)in;
	for (size_t i = 1; i < words->nr; i++) {
		const struct word *word = &words->list[i];
		size_t length = strcspn(word->text, "=");
		struct function *function;
		struct word value;

		if (length >= word->length || !length ||
		    shell->nr_names >= SHELL_MAX_NAMES)
			continue;
		shell->nr_names++;
		value = word_part(shell, word, length + 1,
				  word->length - length - 1);
		function = arena_alloc(shell->keep, sizeof(*function));
		function->name = arena_strndup(shell->keep, word->text, length);
		function->alias = stretch_copy(shell->keep, &value);
		function->next = shell->functions;
		shell->functions = function;
	}
	return silent;
}

/* "set -- a b", "eval ...", "trap 'code' EXIT" */
static struct stream output_eval(struct shell *shell,
				 const struct arguments *arguments,
				 const struct words *words, struct stream in)
{
	struct stream code;

	(void)arguments;
	if (words->nr < 2)
		return silent;
	if (words->nr == 2 && words->list[1].anything) {
		argument_apply(shell, arguments, ROLE_SCRIPT, &words->list[1],
			       &in);
		return unknown;
	}
	code = joined(shell, words, 1);
	return code.kind == STREAM_TEXT ? shell_nested(shell, &code.text, in)
					: unknown;
}

struct stream shell_output(struct shell *shell, const char *name,
			   const struct arguments *arguments,
			   const struct words *words, struct stream in)
{
	static const struct {
		const char *names;
		struct stream (*output)(struct shell *,
					const struct arguments *,
					const struct words *, struct stream);
	} known[] = {
		{ "echo", output_echo },
		{ "printf", output_printf },
		{ "cat", output_cat },
		{ "cd pushd", output_cd },
		{ "tee", output_tee },
		{ "sort uniq head tail", output_in },
		{ "base64", output_base64 },
		{ "openssl", output_openssl },
		{ "xxd", output_xxd },
		{ "rev", output_rev },
		{ "gunzip zcat gzip", output_gunzip },
		{ "which command type", output_which },
		{ "pwd", output_pwd },
		{ "git", output_git },
		{ "mktemp", output_mktemp },
		{ "ls", output_ls },
		{ "basename", output_basename },
		{ "dirname", output_dirname },
		{ "realpath readlink", output_realpath },
		{ "pgrep pidof", output_pgrep },
		{ "read", output_read },
		{ "alias", output_alias },
		{ "eval", output_eval },
		{ "mkdir touch rm rmdir cp mv ln chmod chown chgrp test [ true "
		  "false : sleep set unset export trap wait popd shift exit "
		  "return source . umask ulimit shopt",
		  output_silent },
	};
	size_t length = strlen(name);

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (signature_names(known[i].names, name, length))
			return known[i].output(shell, arguments, words, in);
	return unknown;
}
