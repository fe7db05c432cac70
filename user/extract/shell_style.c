/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Commands that no list of roles describes: expressions, bundles of letters,
 * interpreters, and those whose meaning hangs on one word.
 */
#include "shell.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const struct stream silent = { .kind = STREAM_SILENT };

static bool plain(struct shell *shell, const struct arguments *arguments,
		  const struct words *words, struct stream in,
		  struct stream *ret)
{
	(void)words;
	return arguments_apply(shell, arguments, &in, ret);
}

/* Request with the span of two words, for what their combination means. */
static void request_between(struct shell *shell, unsigned int action,
			    enum resource_kind kind, const char *object,
			    const struct word *from, const struct word *to)
{
	size_t start, end, other, other_end;

	word_span(from, &start, &end);
	word_span(to, &other, &other_end);
	if (other < start)
		start = other;
	request_add(shell, action, kind, object, start,
		    other_end > end ? other_end : end);
}

/* ---- find */

/* What find hands to -exec: a glob of the place and the wanted name. */
static const char *found(struct shell *shell, const struct word *place,
			 const char *name)
{
	size_t length = place->length;

	while (length > 1 && place->text[length - 1] == '/')
		length--;
	if (length == 1 && *place->text == '/')
		length = 0;
	return arena_printf(shell->arena, "%.*s/*%s%s", (int)length,
			    place->text, name ? "/" : "", name ? name : "");
}

/* {} is what was found. */
static struct word replaced(struct shell *shell, const struct word *word,
			    const char *mark, const char *with)
{
	const char *at = strstr(word->text, mark);
	struct word ret;

	if (!at || !*mark)
		return *word;
	ret = word_made(shell, word,
			arena_printf(shell->arena, "%.*s%s%s",
				     (int)(at - word->text), word->text, with,
				     at + strlen(mark)));
	ret.unknown = ret.anything = !strcmp(with, "*") && word_is(word, mark);
	return ret;
}

static bool find_ends(const struct word *word)
{
	return word_is(word, ";") || word_is(word, "+") || word_is(word, "\\;");
}

static void find_execute(struct shell *shell, const struct words *words,
			 size_t from, size_t to, const struct word *place,
			 const char *name)
{
	struct words command = { NULL, 0 };
	const char *object = found(shell, place, name);

	for (size_t i = from; i < to; i++)
		words_push(shell, &command,
			   replaced(shell, &words->list[i], "{}", object));
	if (command.nr)
		shell_call(shell, &command, silent);
}

static bool find(struct shell *shell, const struct arguments *arguments,
		 const struct words *words, struct stream in,
		 struct stream *ret)
{
	struct words places = { NULL, 0 };
	struct buffer out = { 0 };
	const char *name = NULL;
	struct stretch text;
	size_t i = 1, start, end;

	(void)in;
	while (i < words->nr && (word_is(&words->list[i], "-L") ||
				 word_is(&words->list[i], "-H") ||
				 word_is(&words->list[i], "-P")))
		i++;
	for (; i < words->nr && !strchr("-(!", *words->list[i].text); i++)
		words_push(shell, &places, words->list[i]);
	if (!places.nr) {
		struct word here = word_made(shell, arguments->name, ".");

		words_push(shell, &places, here);
	}
	for (size_t k = i; k + 1 < words->nr; k++)
		if (!name && (word_is(&words->list[k], "-name") ||
			      word_is(&words->list[k], "-iname")))
			name = words->list[k + 1].text;
	for (size_t k = 0; k < places.nr; k++)
		request_path(shell, AL_OP_NR_LIST, &places.list[k], true,
			     false);
	for (; i < words->nr; i++) {
		const char *word = words->list[i].text;
		size_t stop = i + 1;

		if (!strcmp(word, "-delete")) {
			for (size_t k = 0; k < places.nr; k++) {
				struct word object = word_made(
					shell, &words->list[i],
					found(shell, &places.list[k], name));

				object.anything = false;
				request_path(shell, AL_OP_NR_DELETE, &object,
					     false, false);
			}
		} else if (!strncmp(word, "-fprint", 7) ||
			   !strcmp(word, "-fls")) {
			if (stop < words->nr)
				request_path(shell, AL_OP_NR_WRITE,
					     &words->list[stop], false, false);
		} else if (!strncmp(word, "-exec", 5) ||
			   !strncmp(word, "-ok", 3)) {
			while (stop < words->nr &&
			       !find_ends(&words->list[stop]))
				stop++;
			for (size_t k = 0; k < places.nr; k++)
				find_execute(shell, words, i + 1, stop,
					     &places.list[k], name);
			i = stop;
		}
	}
	for (size_t k = 0; k < places.nr; k++)
		buffer_printf(&out, "%s%s", k ? "\n" : "",
			      found(shell, &places.list[k], name));
	word_span(arguments->name, &start, &end);
	text.length = out.length;
	text.data = arena_strndup(shell->arena, buffer_text(&out), out.length);
	text.origin = origin_spread(shell, start, end, text.length);
	buffer_done(&out);
	*ret = stream_text(&text);
	return true;
}

/* ---- archives */

static bool tar(struct shell *shell, const struct arguments *arguments,
		const struct words *words, struct stream in, struct stream *ret)
{
	static const char with_argument[] = "fCbTXKNVgFIH";
	const struct word *archive = NULL, *folder = NULL;
	const struct word *list[SHELL_MAX_VALUES];
	const char *cwd = shell->cwd;
	char pending[16];
	size_t nr = 0, nr_pending = 0;
	char mode = 0;

	(void)arguments;
	(void)in;
	(void)ret;
	for (size_t i = 1; i < words->nr; i++) {
		const struct word *word = &words->list[i];
		const char *letters = word->text;

		if (nr_pending) {
			char c = pending[0];

			memmove(pending, pending + 1, --nr_pending);
			if (c == 'f')
				archive = word;
			else if (c == 'C')
				folder = word;
			else if (c == 'T' || c == 'X')
				request_path(shell, AL_OP_NR_READ, word, false,
					     false);
			else if (c == 'I' || c == 'F')
				argument_apply(shell, arguments, ROLE_COMMAND,
					       word, &silent);
			continue;
		}
		if (!strncmp(letters, "--", 2)) {
			const char *equals = strchr(letters, '=');
			struct word value;

			if (!strcmp(letters, "--extract") ||
			    !strcmp(letters, "--get"))
				mode = 'x';
			else if (!strcmp(letters, "--create"))
				mode = 'c';
			else if (!strcmp(letters, "--list"))
				mode = 't';
			else if (!strcmp(letters, "--file"))
				pending[nr_pending++] = 'f';
			else if (!strcmp(letters, "--directory"))
				pending[nr_pending++] = 'C';
			if (!equals)
				continue;
			value = word_part(
				shell, word, (size_t)(equals + 1 - letters),
				word->length - (size_t)(equals + 1 - letters));
			if (!strncmp(letters, "--file", 6)) {
				archive = memcpy(arena_alloc(shell->arena,
							     sizeof(value)),
						 &value, sizeof(value));
			} else if (!strncmp(letters, "--directory", 11)) {
				folder = memcpy(arena_alloc(shell->arena,
							    sizeof(value)),
						&value, sizeof(value));
			} else if (!strncmp(letters,
					    "--checkpoint-action=exec=", 25) ||
				   !strncmp(letters, "--to-command=", 13) ||
				   !strncmp(letters,
					    "--use-compress-program=", 23)) {
				size_t skip = letters[2] == 'c' ? 25 : 0;

				if (skip)
					value = word_part(shell, word, skip,
							  word->length - skip);
				argument_apply(shell, arguments, ROLE_SHELL,
					       &value, &silent);
			}
			continue;
		}
		if (*letters == '-' || i == 1) {
			size_t k = *letters == '-';

			for (; letters[k]; k++) {
				if (strchr("xctru", letters[k]))
					mode = letters[k];
				if (!strchr(with_argument, letters[k]) ||
				    nr_pending >= sizeof(pending))
					continue;
				if (*letters == '-' && letters[k + 1] &&
				    letters[k] == 'f') {
					struct word value =
						word_part(shell, word, k + 1,
							  word->length - k - 1);

					archive = memcpy(
						arena_alloc(shell->arena,
							    sizeof(value)),
						&value, sizeof(value));
					break;
				}
				pending[nr_pending++] = letters[k];
			}
			continue;
		}
		if (nr < SHELL_MAX_VALUES)
			list[nr++] = word;
	}
	if (archive)
		request_path(shell,
			     mode == 'c' || mode == 'r' || mode == 'u'
				     ? AL_OP_NR_WRITE
				     : AL_OP_NR_READ,
			     archive, false, true);
	if (mode == 'x') {
		if (folder)
			request_path(shell, AL_OP_NR_WRITE, folder, true,
				     false);
		else if (*cwd)
			request_object(shell, AL_OP_NR_WRITE, cwd, true, false,
				       arguments->name->origin[0],
				       arguments->name->origin[0] +
					       arguments->name->length);
		return false;
	}
	if (mode == 't')
		return false;
	if (folder) {
		const char *path =
			object_path(shell, folder->text, folder->length);

		shell->cwd = path && strcmp(path, "./") ? path : cwd;
	}
	for (size_t i = 0; i < nr; i++)
		request_path(shell, AL_OP_NR_READ, list[i], false, false);
	shell->cwd = cwd;
	return false;
}

static bool compress(struct shell *shell, const struct arguments *arguments,
		     const struct words *words, struct stream in,
		     struct stream *ret)
{
	const char *suffix = arguments->signature.suffix;
	bool back = arguments_have(arguments, "-d --decompress --uncompress") ||
		    !strncmp(arguments->name->text, "un", 2);
	bool out = arguments_have(arguments, "-c --stdout --to-stdout -t -l");
	bool keep = arguments_have(arguments, "-k --keep");

	(void)words;
	(void)in;
	(void)ret;
	if (!suffix)
		suffix = ".gz";
	for (size_t i = 0; i < arguments->nr; i++) {
		const struct word *word = arguments->list[i];
		const char *path = object_path(shell, word->text, word->length);
		size_t length, start, end, tail = strlen(suffix);

		request_path(shell, AL_OP_NR_READ, word, false, false);
		if (out || !path || word->anything)
			continue;
		word_span(word, &start, &end);
		length = strlen(path);
		if (!back)
			path = arena_printf(shell->arena, "%s%s", path, suffix);
		else if (length > tail && !strcmp(path + length - tail, suffix))
			path = arena_strndup(shell->arena, path, length - tail);
		request_object(shell, AL_OP_NR_WRITE, path, false, false, start,
			       end);
		if (!keep)
			request_path(shell, AL_OP_NR_DELETE, word, false,
				     false);
	}
	return false;
}

static bool dd(struct shell *shell, const struct arguments *arguments,
	       const struct words *words, struct stream in, struct stream *ret)
{
	(void)arguments;
	(void)in;
	(void)ret;
	for (size_t i = 1; i < words->nr; i++) {
		const struct word *word = &words->list[i];
		struct word value;

		if (word->length <= 3 || word->text[2] != '=')
			continue;
		value = word_part(shell, word, 3, word->length - 3);
		if (!strncmp(word->text, "if=", 3))
			request_path(shell, AL_OP_NR_READ, &value, false,
				     false);
		else if (!strncmp(word->text, "of=", 3))
			request_path(shell, AL_OP_NR_WRITE, &value, false,
				     false);
	}
	return false;
}

/* ---- interpreters */

/* What stands between the command and the code: the pipe into it. */
static void run_unseen(struct shell *shell, const struct arguments *arguments)
{
	request_between(shell, AL_OP_NR_EXECUTE, RESOURCE_TOOL, "*",
			arguments->name, arguments->name_end);
}

static bool shell_shell(struct shell *shell, const struct arguments *arguments,
			const struct words *words, struct stream in,
			struct stream *ret)
{
	const struct word *script = NULL;
	size_t i;

	(void)arguments;
	for (i = 1; i < words->nr; i++) {
		const struct word *word = &words->list[i];
		const char *text = word->text;

		if (*text != '-' && *text != '+') {
			script = word;
			break;
		}
		if (word_is(word, "-") || word_is(word, "-s") ||
		    word_is(word, "--"))
			continue;
		if (word_is(word, "-o") || word_is(word, "+o") ||
		    word_is(word, "-O") || word_is(word, "--rcfile") ||
		    word_is(word, "--init-file")) {
			i++;
			continue;
		}
		if (text[1] != '-' && strchr(text, 'c') && i + 1 < words->nr) {
			struct stretch code = word_stretch(&words->list[i + 1]);
			const struct words *saved = shell->arguments;
			struct words arguments_of = { NULL, 0 };

			for (size_t k = i + 2; k < words->nr; k++)
				words_push(shell, &arguments_of,
					   words->list[k]);
			shell->arguments = &arguments_of;
			if (words->list[i + 1].anything)
				run_unseen(shell, arguments);
			else
				*ret = shell_nested(shell, &code, in);
			shell->arguments = saved;
			return true;
		}
	}
	if (script && !arguments_have(arguments, "-s")) {
		argument_apply(shell, arguments, ROLE_SCRIPT, script, &in);
	} else if (in.file) {
		argument_apply(shell, arguments, ROLE_SCRIPT, in.file, &in);
	} else if (in.kind == STREAM_TEXT) {
		if (in.decoded)
			run_unseen(shell, arguments);
		*ret = shell_nested(shell, &in.text, silent);
		return true;
	} else if (in.kind == STREAM_UNKNOWN) {
		run_unseen(shell, arguments);
	}
	return false;
}

/* A module of python is a command of its own: "module:NAME". */
static void module(struct shell *shell, const struct arguments *arguments,
		   const struct words *words, size_t at)
{
	const char *name =
		arena_printf(shell->arena, "module:%s", words->list[at].text);
	const struct signature *signature = signature_find(name, strlen(name));
	struct words rest = { words->list + at, words->nr - at };
	struct arguments own;
	struct stream in = silent, ignored;

	(void)arguments;
	if (!signature)
		signature = command_find(words->list[at].text);
	if (!signature)
		return;
	arguments_read(shell, &rest, signature, &own);
	shell_style(shell, &own, &rest, in, &ignored);
}

static bool interpreter(struct shell *shell, const struct arguments *arguments,
			const struct words *words, struct stream in,
			struct stream *ret)
{
	const struct signature *signature = &arguments->signature;
	const char *language = signature->suffix ? signature->suffix : "";
	const struct word *script = NULL;
	bool code = false;

	(void)ret;
	/* Options of the interpreter end with the script. */
	for (size_t i = 1; i < words->nr; i++) {
		const struct word *word = &words->list[i];
		struct words one = { words->list + i, words->nr - i };
		struct words whole = { NULL, 0 };
		struct arguments option;

		if (*word->text != '-' || word_is(word, "-")) {
			script = word;
			break;
		}
		/* One option and what may be its argument. */
		words_push(shell, &whole, words->list[0]);
		words_push(shell, &whole, *word);
		if (one.nr > 1)
			words_push(shell, &whole, one.list[1]);
		arguments_read(shell, &whole, signature, &option);
		for (size_t k = 0; k < option.nr_options; k++) {
			const struct option *o = &option.options[k];
			struct stretch text;

			if (!o->value)
				continue;
			if (o->role == ROLE_CODE) {
				text = word_stretch(o->value);
				shell_scan(shell, language, &text);
				code = true;
			} else if (o->role == ROLE_MODULE) {
				module(shell, arguments, words,
				       o->value == &whole.list[2] ? i + 1 : i);
				return false;
			} else {
				argument_apply(shell, &option, o->role,
					       o->value, &in);
			}
			if (whole.nr > 2 && o->value == &whole.list[2])
				i++;
		}
	}
	if (code)
		return false;
	if (script && !word_is(script, "-") && !script->stream) {
		argument_apply(shell, arguments, ROLE_SCRIPT, script, &in);
	} else if (in.kind == STREAM_TEXT) {
		if (in.decoded)
			run_unseen(shell, arguments);
		shell_scan(shell, language, &in.text);
	} else if (in.file) {
		argument_apply(shell, arguments, ROLE_SCRIPT, in.file, &in);
	} else if (in.kind == STREAM_UNKNOWN || (script && script->stream)) {
		run_unseen(shell, arguments);
	}
	return false;
}

/* "w FILE" and "e COMMAND" in sed's script are rare, -i is not. */
static bool sed(struct shell *shell, const struct arguments *arguments,
		const struct words *words, struct stream in, struct stream *ret)
{
	return plain(shell, arguments, words, in, ret);
}

/* ---- hosts */

static bool ssh(struct shell *shell, const struct arguments *arguments,
		const struct words *words, struct stream in, struct stream *ret)
{
	/* What runs there is no request here. */
	struct arguments here = *arguments;

	if (here.nr > 1)
		here.nr = 1;
	here.rest = here.nr;
	return plain(shell, &here, words, in, ret);
}

static bool is_port(const char *text)
{
	size_t digits = strspn(text, "0123456789");

	return digits && digits <= 5 &&
	       (!text[digits] || text[digits] == '-' || text[digits] == ',');
}

static bool netcat(struct shell *shell, const struct arguments *arguments,
		   const struct words *words, struct stream in,
		   struct stream *ret)
{
	const char *protocol =
		arguments_have(arguments, "-u --udp") ? "udp" : "tcp";
	struct arguments own = *arguments;
	const struct word *port = NULL, *host = NULL;
	size_t start, end, port_end;

	own.signature.protocol = protocol;
	own.nr = own.rest = 0;
	plain(shell, &own, words, in, ret);
	for (size_t i = 0; i < arguments->nr; i++) {
		const struct word *word = arguments->list[i];

		if (!port && is_port(word->text))
			port = word;
		else if (!host)
			host = word;
		else if (!port)
			port = word;
	}
	if (arguments_have(arguments, "-l --listen")) {
		if (!port)
			port = arguments_value(arguments, "-p --source-port");
		if (port)
			argument_apply(shell, &own, ROLE_LISTEN, port, &in);
		return false;
	}
	/* A socket file. */
	if (host && (*host->text == '/' || arguments_have(arguments, "-U"))) {
		argument_apply(shell, &own, ROLE_SOCKET, host, &in);
		return false;
	}
	if (!host)
		return false;
	word_span(host, &start, &end);
	if (port)
		word_span(port, &port_end, &end);
	request_host(shell, protocol, host->text, host->length,
		     !port ? arguments->signature.port
		     : strpbrk(port->text, "-,")
			     ? 0
			     : (unsigned int)strtoul(port->text, NULL, 10),
		     start, end);
	return false;
}

/* KIND:PLACE[,OPTION...] */
static bool socat(struct shell *shell, const struct arguments *arguments,
		  const struct words *words, struct stream in,
		  struct stream *ret)
{
	static const struct {
		const char *kinds;
		const char *role;
	} known[] = {
		{ "tcp tcp4 tcp6 tcp-connect openssl ssl openssl-connect udp "
		  "udp4 "
		  "udp-connect sctp",
		  "host" },
		{ "tcp-listen tcp4-listen tcp6-listen tcp-l openssl-listen "
		  "udp-listen udp-recv ssl-l",
		  "listen" },
		{ "exec system", "shell" },
		{ "unix unix-connect unix-client abstract-connect", "socket" },
		{ "open file gopen create", "edit" },
	};

	(void)words;
	(void)ret;
	for (size_t i = 0; i < arguments->nr; i++) {
		const struct word *word = arguments->list[i];
		size_t colon = strcspn(word->text, ":");
		struct arguments own = *arguments;
		struct word place;
		char kind[32];

		if (colon >= word->length || colon >= sizeof(kind))
			continue;
		for (size_t k = 0; k < colon; k++)
			kind[k] = (char)tolower((unsigned char)word->text[k]);
		own.signature.protocol =
			kind[0] == 'u' && kind[1] == 'd' ? "udp" : "tcp";
		place = word_part(shell, word, colon + 1,
				  strcspn(word->text + colon + 1, ","));
		for (size_t k = 0; k < sizeof(known) / sizeof(*known); k++)
			if (signature_names(known[k].kinds, kind, colon))
				argument_apply(
					shell, &own,
					(enum signature_role)role_from_word(
						known[k].role,
						strlen(known[k].role)),
					&place, &in);
	}
	return false;
}

/* dig @SERVER NAME, nslookup NAME SERVER */
static bool resolve(struct shell *shell, const struct arguments *arguments,
		    const struct words *words, struct stream in,
		    struct stream *ret)
{
	const struct word *server = NULL;
	size_t start, end;

	plain(shell, arguments, words, in, ret);
	for (size_t i = 0; i < arguments->nr; i++) {
		const struct word *word = arguments->list[i];

		if (*word->text == '@')
			server = word;
		else if (i == 1 && !strcmp(arguments->name->text, "nslookup"))
			server = word;
	}
	if (server) {
		bool at = *server->text == '@';

		word_span(server, &start, &end);
		request_host(shell, "udp", server->text + at,
			     server->length - at, 53, start, end);
	} else if (arguments->nr) {
		word_span(arguments->name, &start, &end);
		request_host(shell, "udp", "*", 1, 53, start, end);
	}
	return false;
}

static bool batch(struct shell *shell, const struct arguments *arguments,
		  const struct words *words, struct stream in,
		  struct stream *ret)
{
	plain(shell, arguments, words, in, ret);
	if (in.kind == STREAM_TEXT) {
		struct word word = { in.text.data, in.text.length,
				     in.text.origin, .process = NULL };

		argument_apply(shell, arguments, ROLE_BATCH, &word, &in);
	} else if (in.file) {
		argument_apply(shell, arguments, ROLE_READ, in.file, &in);
	}
	return false;
}

/* The last part of a URL or path, without what is not a name. */
static const char *last_part(struct shell *shell, const struct word *word,
			     bool repository)
{
	size_t scheme = url_scheme(word->text, word->length);
	const char *text = word->text + (scheme ? scheme + 3 : 0);
	size_t length = strcspn(text, "?#"), from;

	while (length && text[length - 1] == '/')
		length--;
	if (repository && length > 4 && !memcmp(text + length - 4, ".git", 4))
		length -= 4;
	for (from = length; from && !strchr("/:", text[from - 1]);)
		from--;
	/* A host alone has no name for a file. */
	if (from == length || (!from && scheme))
		return NULL;
	return arena_strndup(shell->arena, text + from, length - from);
}

/* curl -O, wget, git clone, unzip: what they make lies where they run. */
static bool fetch(struct shell *shell, const struct arguments *arguments,
		  const struct words *words, struct stream in,
		  struct stream *ret)
{
	const char *name = arguments->name->text;
	bool repository = !strcmp(name, "git");
	bool extract = !strcmp(name, "unzip");
	bool named = arguments_have(
		arguments, "-o --output -O --output-document -P "
			   "--directory-prefix -d --spider --delete-after");
	size_t start, end;

	plain(shell, arguments, words, in, ret);
	if (!strcmp(name, "curl"))
		named = !arguments_have(arguments, "-O --remote-name "
						   "--remote-name-all -J");
	if (named || (repository && arguments->nr != 1))
		return false;
	for (size_t i = 0; i < arguments->nr; i++) {
		const struct word *word = arguments->list[i];
		const char *file =
			extract ? "." : last_part(shell, word, repository);
		const char *path =
			file ? object_path(shell, file, strlen(file)) : NULL;

		if (!path || (extract && i))
			continue;
		word_span(word, &start, &end);
		request_object(shell, AL_OP_NR_WRITE, path,
			       repository || extract, false, start, end);
	}
	return false;
}

static bool database(struct shell *shell, const struct arguments *arguments,
		     const struct words *words, struct stream in,
		     struct stream *ret)
{
	bool named = false;
	size_t start, end;

	plain(shell, arguments, words, in, ret);
	for (size_t i = 0; i < arguments->nr_options; i++) {
		enum signature_role role = arguments->options[i].role;

		named = named || (arguments->options[i].value &&
				  (role == ROLE_HOST || role == ROLE_URL ||
				   role == ROLE_SOCKET));
	}
	for (size_t i = 0; i < arguments->nr; i++) {
		if (!arguments->list[i]->anything &&
		    !url_scheme(arguments->list[i]->text,
				arguments->list[i]->length))
			continue;
		argument_apply(shell, arguments, ROLE_URL, arguments->list[i],
			       &in);
		named = true;
	}
	if (named)
		return false;
	word_span(arguments->name, &start, &end);
	request_host(shell, NULL, "localhost", 9, arguments->signature.port,
		     start, end);
	return false;
}

/* "chmod -x FILE": the mode may look like an option. */
static bool mode(struct shell *shell, const struct arguments *arguments,
		 const struct words *words, struct stream in,
		 struct stream *ret)
{
	bool have = false;

	(void)ret;
	for (size_t i = 1; i < words->nr; i++) {
		const struct word *word = &words->list[i];
		const char *text = word->text;

		if (!strncmp(text, "--reference=", 12)) {
			have = true;
			continue;
		}
		if (*text == '-' &&
		    (text[1] == '-' ||
		     strspn(text + 1, "RvfcVhHLP") == word->length - 1))
			continue;
		if (have)
			argument_apply(shell, arguments, ROLE_SETATTR, word,
				       &in);
		have = true;
	}
	return false;
}

static bool sysctl(struct shell *shell, const struct arguments *arguments,
		   const struct words *words, struct stream in,
		   struct stream *ret)
{
	bool write = arguments_have(arguments, "-w --write -p --load --system");

	plain(shell, arguments, words, in, ret);
	for (size_t i = 0; i < arguments->nr; i++)
		write = write || strchr(arguments->list[i]->text, '=');
	if (write)
		request_between(shell, AL_OP_NR_KERNEL, RESOURCE_KERNEL,
				"sysctl", arguments->name,
				arguments->nr ? arguments->list[0]
					      : arguments->name);
	return false;
}

/* "e FILE", "r FILE", "w FILE" of ed and its heirs. */
static bool editor(struct shell *shell, const struct arguments *arguments,
		   const struct words *words, struct stream in,
		   struct stream *ret)
{
	struct words lines = { NULL, 0 };

	plain(shell, arguments, words, in, ret);
	if (in.kind != STREAM_TEXT)
		return false;
	words_split(shell, &in.text, &lines);
	for (size_t i = 0; i + 1 < lines.nr; i++) {
		const struct word *word = &lines.list[i + 1];

		if (*word->text != '/' && *word->text != '~')
			continue;
		if (word_is(&lines.list[i], "e") ||
		    word_is(&lines.list[i], "r") ||
		    word_is(&lines.list[i], "E"))
			argument_apply(shell, arguments, ROLE_READ, word, &in);
		else if (word_is(&lines.list[i], "w") ||
			 word_is(&lines.list[i], "W"))
			argument_apply(shell, arguments, ROLE_WRITE, word, &in);
	}
	return false;
}

static bool multiplexer(struct shell *shell, const struct arguments *arguments,
			const struct words *words, struct stream in,
			struct stream *ret)
{
	static const char opens[] =
		"new new-session new-window neww split-window "
		"splitw send-keys send respawn-pane popup";
	bool tmux = arguments->nr &&
		    signature_names(opens, arguments->list[0]->text,
				    arguments->list[0]->length);
	struct words command = { NULL, 0 };

	(void)words;
	(void)ret;
	for (size_t i = tmux; i < arguments->nr; i++)
		words_push(shell, &command, *arguments->list[i]);
	if (!command.nr || (!tmux && strcmp(arguments->name->text, "screen")))
		return false;
	if (tmux) {
		struct stretch code = word_stretch(
			&command.list
				 [command.nr > 1 &&
						  word_is(&command.list
								   [command.nr -
								    1],
							  "Enter")
					  ? command.nr - 2
					  : command.nr - 1]);

		shell_nested(shell, &code, silent);
	} else {
		shell_call(shell, &command, in);
	}
	return false;
}

/* ---- services, schedules, processes */

static bool service(struct shell *shell, const struct arguments *arguments,
		    const struct words *words, struct stream in,
		    struct stream *ret)
{
	static const char stops[] = "stop disable kill mask off unload bootout "
				    "remove del delete --del freeze uninstall";
	static const char lists[] = "list list-units list-unit-files status "
				    "list-timers list-sockets --status-all "
				    "-status-all --list print is-active";
	const struct word *action = NULL;

	plain(shell, arguments, words, in, ret);
	for (size_t i = 1; i < words->nr; i++) {
		const struct word *word = &words->list[i];

		if (signature_names(stops, word->text, word->length)) {
			action = word;
		} else if (signature_names(lists, word->text, word->length)) {
			bool one = i + 1 < words->nr &&
				   *words->list[i + 1].text != '-';

			if (!one || !strncmp(word->text, "list", 4))
				request_between(shell, AL_OP_NR_LIST,
						RESOURCE_PROCESS, "*",
						arguments->name, word);
			return false;
		}
		if (action)
			break;
	}
	if (!action) {
		if (!strcmp(arguments->name->text, "systemctl") &&
		    !arguments->nr)
			request_between(shell, AL_OP_NR_LIST, RESOURCE_PROCESS,
					"*", arguments->name, arguments->name);
		return false;
	}
	for (size_t i = 1; i < words->nr; i++) {
		const struct word *word = &words->list[i];
		const char *name = word->text;
		size_t length = word->length;

		if (word == action || *name == '-' || word->anything)
			continue;
		if (length > 8 && !strcmp(name + length - 8, ".service"))
			length -= 8;
		name = arena_strndup(shell->arena, name, length);
		if (signature_value("firewalls", name, length))
			request_between(shell, AL_OP_NR_KERNEL, RESOURCE_KERNEL,
					"firewall", action, word);
		else if (!signature_names("now defaults system gui", name,
					  length))
			request_between(shell, AL_OP_NR_SIGNAL,
					RESOURCE_PROCESS, name, action, word);
	}
	return false;
}

static bool crontab(struct shell *shell, const struct arguments *arguments,
		    const struct words *words, struct stream in,
		    struct stream *ret)
{
	static const char object[] = "/var/spool/cron/crontabs/*";
	const struct word *last = &words->list[words->nr - 1];
	size_t start, end, from;

	(void)in;
	(void)ret;
	word_span(words->list, &start, &end);
	word_span(last, &from, &end);
	if (arguments_have(arguments, "-l")) {
		request_object(shell, AL_OP_NR_READ, object, false, true, start,
			       end);
		return false;
	}
	if (arguments_have(arguments, "-r")) {
		request_object(shell, AL_OP_NR_DELETE, object, false, true,
			       start, end);
		return false;
	}
	for (size_t i = 0; i < arguments->nr; i++)
		request_path(shell, AL_OP_NR_READ, arguments->list[i], false,
			     false);
	request_object(shell, AL_OP_NR_WRITE, object, false, true, start, end);
	return false;
}

static bool kill_style(struct shell *shell, const struct arguments *arguments,
		       const struct words *words, struct stream in,
		       struct stream *ret)
{
	bool option = false;

	(void)arguments;
	(void)ret;
	for (size_t i = 1; i < words->nr; i++) {
		const struct word *word = &words->list[i];

		if (option) {
			option = false;
			continue;
		}
		if (word_is(word, "-l") || word_is(word, "-L"))
			return false;
		option = word_is(word, "-s") || word_is(word, "-n") ||
			 word_is(word, "-u") || word_is(word, "--signal") ||
			 word_is(word, "-t") || word_is(word, "-g");
		if (*word->text == '-' &&
		    !(i > 1 && words->nr == i + 1 &&
		      isdigit((unsigned char)word->text[1])))
			continue;
		if (*word->text == '%')
			continue;
		argument_apply(shell, arguments, ROLE_SIGNAL, word, &in);
	}
	return false;
}

static bool xargs(struct shell *shell, const struct arguments *arguments,
		  const struct words *words, struct stream in,
		  struct stream *ret)
{
	const struct word *mark = arguments_value(arguments, "-I -i --replace");
	struct words inputs = { NULL, 0 }, command = { NULL, 0 };
	bool placed = false;

	(void)words;
	if (arguments->rest >= arguments->nr)
		return false;
	if (in.kind == STREAM_TEXT)
		words_split(shell, &in.text, &inputs);
	if (!inputs.nr) {
		struct word any = word_made(shell, arguments->name, "*");

		words_push(shell, &inputs, any);
	}
	for (size_t i = arguments->rest; i < arguments->nr; i++) {
		const struct word *word = arguments->list[i];
		const char *text = mark ? mark->text : "{}";

		if (strstr(word->text, text)) {
			placed = true;
			words_push(shell, &command,
				   replaced(shell, word, text,
					    inputs.list[0].text));
		} else {
			words_push(shell, &command, *word);
		}
	}
	for (size_t i = 0; !placed && i < inputs.nr && i < SHELL_MAX_VALUES;
	     i++)
		words_push(shell, &command, inputs.list[i]);
	*ret = shell_call(shell, &command, silent);
	return true;
}

/* The list of past commands: shown, or written somewhere. */
static bool history(struct shell *shell, const struct arguments *arguments,
		    const struct words *words, struct stream in,
		    struct stream *ret)
{
	size_t start, end;

	(void)in;
	(void)ret;
	word_span(words->list, &start, &end);
	if (arguments_have(arguments, "-w -a") && arguments->nr) {
		request_path(shell, AL_OP_NR_WRITE, arguments->list[0], false,
			     false);
		return false;
	}
	if (!arguments->nr_options && !shell->substitution)
		request_object(shell, AL_OP_NR_READ, "~/.bash_history", false,
			       true, start, end);
	return false;
}

bool shell_style(struct shell *shell, const struct arguments *arguments,
		 const struct words *words, struct stream in,
		 struct stream *ret)
{
	static bool (*const styles[NR_SIGNATURE_STYLES])(
		struct shell *, const struct arguments *, const struct words *,
		struct stream, struct stream *) = {
		[STYLE_PLAIN] = plain,	     [STYLE_FIND] = find,
		[STYLE_TAR] = tar,	     [STYLE_DD] = dd,
		[STYLE_SHELL] = shell_shell, [STYLE_INTERPRETER] = interpreter,
		[STYLE_SED] = sed,	     [STYLE_SSH] = ssh,
		[STYLE_SERVICE] = service,   [STYLE_CRONTAB] = crontab,
		[STYLE_KILL] = kill_style,   [STYLE_XARGS] = xargs,
		[STYLE_COMPRESS] = compress, [STYLE_HISTORY] = history,
		[STYLE_NETCAT] = netcat,     [STYLE_SOCAT] = socat,
		[STYLE_RESOLVE] = resolve,   [STYLE_BATCH] = batch,
		[STYLE_DATABASE] = database, [STYLE_MODE] = mode,
		[STYLE_SYSCTL] = sysctl,     [STYLE_EDITOR] = editor,
		[STYLE_FETCH] = fetch,	     [STYLE_MULTIPLEXER] = multiplexer,
	};

	return styles[arguments->signature.style](shell, arguments, words, in,
						  ret);
}
