/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A command held against its signature: options and arguments get roles, and
 * roles make requests.
 */
#include "shell.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const struct stream silent = { .kind = STREAM_SILENT };
static const struct stream unknown = { .kind = STREAM_UNKNOWN };

/* An option in the lists of a signature and of what it is a part of. */
struct listed {
	const char *name;
	size_t length;
	bool argument; /* the next word, if nothing is attached */
	bool attached; /* only attached */
	enum signature_role role;
};

/*
 * The entry for @name in "-o=read --output[=write] -v". A list that says
 * nothing of it says that it is a flag.
 */
static bool listed_find(const char *list, const char *name, size_t length,
			struct listed *ret)
{
	while (list && *list) {
		const char *word = list + strspn(list, " ");
		size_t whole = strcspn(word, " ");
		size_t here = strcspn(word, " =[");
		const char *role = word + here;
		size_t left = whole - here;

		list = word + whole;
		if (here != length || memcmp(word, name, length))
			continue;
		*ret = (struct listed){ word, length, false, false,
					ROLE_IGNORE };
		if (left && *role == '[') {
			ret->attached = true;
			role++;
			left--;
		}
		if (left && *role == '=') {
			int number;

			ret->argument = !ret->attached;
			role++;
			left--;
			if (left && role[left - 1] == ']')
				left--;
			number = role_from_word(role, left);
			if (number >= 0)
				ret->role = (enum signature_role)number;
		}
		return true;
	}
	return false;
}

static bool option_find(const struct signature *signature, const char *name,
			size_t length, struct listed *ret)
{
	for (; signature; signature = signature->owner)
		if (listed_find(signature->options, name, length, ret))
			return true;
	return false;
}

static struct option *option_push(struct shell *shell,
				  struct arguments *arguments, const char *name,
				  size_t length)
{
	struct option *option = ARENA_PUSH(shell->arena, arguments->options,
					   arguments->nr_options);

	option->name = name;
	option->length = length;
	option->role = ROLE_IGNORE;
	return option;
}

static struct word *word_copy(struct shell *shell, struct word word)
{
	struct word *copy = arena_alloc(shell->arena, sizeof(*copy));

	*copy = word;
	return copy;
}

/*
 * One word of options: "--name", "--name=value", "-name" as a whole, or a
 * bundle "-abcVALUE". Returns how many of the following words it takes.
 */
static size_t option_read(struct shell *shell, struct arguments *arguments,
			  const struct words *words, size_t at)
{
	const struct signature *signature = &arguments->signature;
	const struct word *word = &words->list[at];
	const char *text = word->text, *equals = strchr(text, '=');
	size_t length = equals ? (size_t)(equals - text) : word->length;
	struct listed listed;
	struct option *option;
	bool known = option_find(signature, text, length, &listed);

	if (known || text[1] == '-' || word->length < 2) {
		option = option_push(shell, arguments, text, length);
		if (!known)
			return 0;
		option->role = listed.role;
		if (equals)
			option->value = word_copy(
				shell, word_part(shell, word, length + 1,
						 word->length - length - 1));
		else if (listed.argument && at + 1 < words->nr)
			option->value = &words->list[at + 1];
		return option->value && !equals;
	}
	for (size_t i = 1; i < word->length; i++) {
		char name[3] = { text[0], text[i], '\0' };

		option = option_push(shell, arguments,
				     arena_strdup(shell->arena, name), 2);
		if (!option_find(signature, name, 2, &listed))
			continue;
		option->role = listed.role;
		if (!listed.argument && !listed.attached)
			continue;
		if (i + 1 < word->length) {
			size_t skip = text[i + 1] == '=' ? 2 : 1;

			option->value = word_copy(
				shell, word_part(shell, word, i + skip,
						 word->length - i - skip));
			return 0;
		}
		if (listed.argument && at + 1 < words->nr) {
			option->value = &words->list[at + 1];
			return 1;
		}
	}
	return 0;
}

/* The role of the positional argument @at of @nr. */
static enum signature_role role_at(const struct signature *signature, size_t at,
				   size_t nr)
{
	const char *lists[] = { signature->lead, signature->args };
	size_t i = 0;

	if (signature->last && nr && at == nr - 1 &&
	    (nr > 1 || !signature->args))
		return (enum signature_role)role_from_word(
			signature->last, strlen(signature->last));
	for (size_t k = 0; k < 2; k++) {
		const char *list = lists[k];

		while (list && *list) {
			size_t length = strcspn(list, " ");
			bool more = length > 3 &&
				    !memcmp(list + length - 3, "...", 3);
			int role = role_from_word(list,
						  more ? length - 3 : length);

			if (i == at || more)
				return (enum signature_role)role;
			i++;
			list += length + strspn(list + length, " ");
		}
	}
	return ROLE_IGNORE;
}

bool arguments_have(const struct arguments *arguments, const char *names)
{
	for (size_t i = 0; i < arguments->nr_options; i++)
		if (signature_names(names, arguments->options[i].name,
				    arguments->options[i].length))
			return true;
	return false;
}

const struct word *arguments_value(const struct arguments *arguments,
				   const char *names)
{
	for (size_t i = 0; i < arguments->nr_options; i++)
		if (arguments->options[i].value &&
		    signature_names(names, arguments->options[i].name,
				    arguments->options[i].length))
			return arguments->options[i].value;
	return NULL;
}

/* What flags change; implied requests are added by arguments_apply(). */
static void flags_apply(struct arguments *arguments)
{
	struct signature *signature = &arguments->signature;

	for (size_t i = 0; i < signature->nr_when; i++) {
		const struct signature *when = &signature->when[i];

		if (!arguments_have(arguments, when->names))
			continue;
		if (when->lead)
			signature->lead = *when->lead ? when->lead : NULL;
		if (when->args)
			signature->args = when->args;
		if (when->last)
			signature->last = *when->last ? when->last : NULL;
		if (when->alone)
			signature->alone = when->alone;
		if (when->without)
			signature->without = when->without;
		if (when->port)
			signature->port = when->port;
		if (when->protocol)
			signature->protocol = when->protocol;
		if (when->style != STYLE_PLAIN)
			signature->style = when->style;
	}
}

void arguments_read(struct shell *shell, const struct words *words,
		    const struct signature *signature, struct arguments *ret)
{
	bool options = true;
	size_t at;

	*ret = (struct arguments){ .signature = *signature };
	ret->name = ret->name_end = words->nr ? words->list : NULL;
	ret->rest = SIZE_MAX;
	for (at = 1; at < words->nr; at++) {
		const struct word *word = &words->list[at];
		char first = *word->text;

		if (options && !word->quoted && word_is(word, "--")) {
			options = false;
			continue;
		}
		if (options && word->length > 1 &&
		    (first == '-' || (first == '+' && signature->options &&
				      strstr(signature->options, " +")))) {
			at += option_read(shell, ret, words, at);
			continue;
		}
		if (!ret->nr && options) {
			const struct signature *sub = signature_sub(
				&ret->signature, word->text, word->length);

			if (sub) {
				ret->signature = *sub;
				ret->name_end = word;
				continue;
			}
		}
		*ARENA_PUSH(shell->arena, ret->list, ret->nr) = word;
		/* "command -v x" runs nothing. */
		flags_apply(ret);
		if (role_at(&ret->signature, ret->nr - 1, SIZE_MAX) !=
		    ROLE_COMMAND)
			continue;
		ret->rest = ret->nr - 1;
		while (++at < words->nr)
			*ARENA_PUSH(shell->arena, ret->list, ret->nr) =
				&words->list[at];
	}
	if (ret->rest == SIZE_MAX)
		ret->rest = ret->nr;
	flags_apply(ret);
}

static void uses(struct shell *shell, const struct word *word)
{
	for (size_t i = 0; i < word->nr_uses; i++) {
		const struct use *use = &word->uses[i];

		if (!signature_value("internal", use->name, strlen(use->name)))
			request_add(shell, AL_OP_NR_GETENV, RESOURCE_ENV,
				    use->name, use->start, use->end);
	}
}

/* [USER@]HOST:PATH, as scp and rsync have it: the length of [USER@]HOST. */
static size_t remote_host(const struct word *word)
{
	size_t colon = strcspn(word->text, ":/"), at;

	if (word->text[colon] != ':' || !colon || word->anything ||
	    url_scheme(word->text, word->length))
		return 0;
	/* C:\ is a drive. */
	at = colon == 1 && (word->text[2] == '\\' || word->text[2] == '/')
		     ? 0
		     : colon;
	return at;
}

static void request_remote(struct shell *shell, const struct word *word,
			   size_t length, const struct arguments *arguments)
{
	const struct word *port = arguments_value(arguments, "-P -p --port");
	unsigned int number = arguments->signature.port;
	const char *host = word->text, *at = memrchr(host, '@', length);
	const char *protocol = arguments->signature.protocol;
	size_t start, end;

	/* A place in a container is none on a host. */
	if (protocol && !strcmp(protocol, "none"))
		return;
	if (at) {
		length -= (size_t)(at + 1 - host);
		host = at + 1;
	}
	if (port && strtoul(port->text, NULL, 10))
		number = (unsigned int)strtoul(port->text, NULL, 10);
	word_span(word, &start, &end);
	request_host(shell, NULL, host, length, number ? number : 22, start,
		     end);
}

/* One port; a range is any. */
static unsigned int port_number(const char *text)
{
	char *end;
	unsigned long port = strtoul(text, &end, 10);

	return *end || port > 65535 ? 0 : (unsigned int)port;
}

static unsigned int port_of(const struct arguments *arguments)
{
	for (size_t i = 0; i < arguments->nr_options; i++) {
		const struct option *option = &arguments->options[i];

		if (option->role == ROLE_PORT && option->value)
			return port_number(option->value->text);
	}
	return arguments->signature.port;
}

static void apply_host(struct shell *shell, const struct arguments *arguments,
		       const struct word *word)
{
	const char *text = word->text, *at = memrchr(text, '@', word->length);
	const char *protocol = arguments->signature.protocol;
	size_t length = word->length, start, end, colon;
	unsigned int port = port_of(arguments);

	if (url_scheme(text, length)) {
		request_url(shell, word, port, protocol);
		return;
	}
	word_span(word, &start, &end);
	if (at) {
		length -= (size_t)(at + 1 - text);
		text = at + 1;
	}
	/* A path: a socket of this machine. */
	if (*text == '/' && !strchr(text + 1, ' ')) {
		request_path(shell, AL_OP_NR_CONNECT, word, false, true);
		return;
	}
	colon = strcspn(text, ":");
	if (colon < length && !strchr(text + colon + 1, ':')) {
		if (strtoul(text + colon + 1, NULL, 10))
			port = (unsigned int)strtoul(text + colon + 1, NULL,
						     10);
		length = colon;
	}
	request_host(shell, protocol, text, length, port, start, end);
}

static void apply_repository(struct shell *shell,
			     const struct arguments *arguments,
			     const struct word *word)
{
	size_t host = remote_host(word), start, end;

	word_span(word, &start, &end);
	if (url_scheme(word->text, word->length)) {
		request_url(shell, word, 443, NULL);
	} else if (host) {
		struct arguments ssh = *arguments;

		ssh.signature.port = 22;
		request_remote(shell, word, host, &ssh);
	} else if (strchr("/.~", *word->text)) {
		request_path(shell, AL_OP_NR_READ, word, true, false);
	} else if (strchr(word->text, '/') && !word->unknown) {
		request_host(shell, NULL, "github.com", 10, 443, start, end);
	} else if (!word->anything) {
		request_add(shell, AL_OP_NR_CONNECT, RESOURCE_ENDPOINT,
			    arena_printf(shell->arena, "tcp remote:%s *",
					 word->text),
			    start, end);
	}
}

static void request_port(struct shell *shell, const struct word *word,
			 const char *protocol)
{
	const char *colon = strrchr(word->text, ':');
	const char *digits = colon ? colon + 1 : word->text;
	unsigned long port = strtoul(digits, NULL, 10);
	size_t start, end;

	word_span(word, &start, &end);
	if (!isdigit((unsigned char)*digits) && !word->unknown)
		return;
	request_add(shell, AL_OP_NR_BIND, RESOURCE_PORT,
		    port ? arena_printf(shell->arena, "%s %lu",
					protocol ? protocol : "tcp", port)
			 : arena_printf(shell->arena, "%s *",
					protocol ? protocol : "tcp"),
		    start, end);
}

/* [HOST:]PORT:HOST:PORT, the first port is listened on here. */
static void apply_forward(struct shell *shell, const struct word *word)
{
	size_t colon = strcspn(word->text, ":");
	struct word port;

	if (!isdigit((unsigned char)*word->text))
		return;
	port = word_part(shell, word, 0, colon);
	request_port(shell, &port, NULL);
}

static void request_process(struct shell *shell, unsigned int action,
			    const struct word *word)
{
	const char *name = word->text;
	size_t start, end;

	word_span(word, &start, &end);
	if (word->process) {
		if (!*word->process)
			return;
		name = word->process;
	} else if (isdigit((unsigned char)*name)) {
		name = arena_printf(shell->arena, "pid %s", name);
	}
	request_add(shell, action, RESOURCE_PROCESS, name, start, end);
}

/* PLACE:PLACE[:ro], or source=PLACE,... */
static void apply_mount(struct shell *shell, const struct word *word)
{
	static const char *const keys[] = { "source=", "src=" };
	const char *text = word->text;
	size_t length = strcspn(text, ":"), from = 0;
	struct word place;

	for (size_t i = 0; i < 2; i++) {
		const char *key = strstr(text, keys[i]);

		if (!key)
			continue;
		from = (size_t)(key - text) + strlen(keys[i]);
		length = strcspn(text + from, ",");
		break;
	}
	if (from + length > word->length || !length ||
	    (!strchr("/~.*", text[from])))
		return;
	place = word_part(shell, word, from, length);
	request_path(shell, AL_OP_NR_READ, &place, true, false);
	if (!strstr(text + from, ":ro") && !strstr(text, "readonly"))
		request_path(shell, AL_OP_NR_WRITE, &place, true, false);
}

/* "put FILE", "get FILE [FILE]" of sftp, ftp, smbclient and their like. */
static void apply_batch(struct shell *shell, const struct stretch *text)
{
	size_t at = 0;

	while (at < text->length) {
		size_t length = 0;
		struct stretch line = { text->data + at, 0, text->origin + at };
		struct words words = { NULL, 0 };

		while (at + length < text->length &&
		       text->data[at + length] != '\n' &&
		       text->data[at + length] != ';')
			length++;
		line.length = length;
		words_split(shell, &line, &words);
		if (words.nr >= 2 && (word_is(&words.list[0], "put") ||
				      word_is(&words.list[0], "mput") ||
				      word_is(&words.list[0], "reput")))
			request_path(shell, AL_OP_NR_READ, &words.list[1],
				     false, true);
		if (words.nr >= 2 && (word_is(&words.list[0], "get") ||
				      word_is(&words.list[0], "mget")))
			request_path(shell, AL_OP_NR_WRITE,
				     &words.list[words.nr - 1], false, false);
		at += length + 1;
	}
}

/* Text that leaves: "@FILE" is a file's. */
static void apply_data(struct shell *shell, const struct word *word, bool form)
{
	size_t from = 0, length;
	struct word file;

	uses(shell, word);
	if (form) {
		const char *equals = strchr(word->text, '=');

		if (!equals)
			return;
		from = (size_t)(equals - word->text) + 1;
	}
	if (word->text[from] != '@' && (!form || word->text[from] != '<'))
		return;
	from++;
	length = strcspn(word->text + from, form ? ";," : "");
	if (!length || (length == 1 && word->text[from] == '-'))
		return;
	file = word_part(shell, word, from, length);
	request_path(shell, AL_OP_NR_READ, &file, false, true);
}

/* A folder by its looks: a slash, a dot, or one that everybody has. */
static bool is_folder(const char *path)
{
	size_t length = strlen(path);

	return path[length - 1] == '/' || !strcmp(path, ".") ||
	       signature_value("directories", path, length);
}

/* One that the text has made. */
static bool was_made(const struct shell *shell, const char *path)
{
	size_t length = strlen(path);

	for (size_t i = 0; i < shell->nr_folders; i++)
		if (!strcmp(shell->folders[i], path) ||
		    (!strncmp(shell->folders[i], path, length) &&
		     !strcmp(shell->folders[i] + length, "/")))
			return true;
	return false;
}

static bool looks_like_path(const struct word *word)
{
	return (word->text[0] == '/' && word->length > 1 &&
		strcspn(word->text, " \n;|<>\"'") == word->length) ||
	       !strncmp(word->text, "~/", 2);
}

/* An argument of a command that nobody told us about. */
static void apply_guess(struct shell *shell, const struct word *word)
{
	if (url_scheme(word->text, word->length)) {
		request_url(shell, word, 0, NULL);
		return;
	}
	if (!looks_like_path(word) || is_folder(word->text))
		return;
	request_path(shell, AL_OP_NR_READ, word, false, false);
}

void argument_apply(struct shell *shell, const struct arguments *arguments,
		    enum signature_role role, const struct word *word,
		    const struct stream *in)
{
	const struct signature *signature = &arguments->signature;
	struct stretch text = word_stretch(word);
	struct words words = { NULL, 0 };
	size_t host, start, end;

	switch (role) {
	case ROLE_READ:
		request_path(shell, AL_OP_NR_READ, word, false, false);
		break;
	case ROLE_UPLOAD:
		request_path(shell, AL_OP_NR_READ, word, false, true);
		break;
	case ROLE_TREE:
		request_path(shell, AL_OP_NR_READ, word, true, false);
		break;
	case ROLE_WRITE:
		request_path(shell, AL_OP_NR_WRITE, word, false, false);
		break;
	case ROLE_WRITE_DIR:
		if (object_path(shell, word->text, word->length) &&
		    !word->anything && shell->nr_folders < SHELL_MAX_NAMES)
			*ARENA_PUSH(shell->keep, shell->folders,
				    shell->nr_folders) =
				arena_strdup(shell->keep,
					     object_path(shell, word->text,
							 word->length));
		request_path(shell, AL_OP_NR_WRITE, word, true, false);
		break;
	case ROLE_EDIT:
		request_path(shell, AL_OP_NR_READ, word, false, false);
		request_path(shell, AL_OP_NR_WRITE, word, false, false);
		break;
	case ROLE_LIST:
		request_path(shell, AL_OP_NR_LIST, word, false, false);
		break;
	case ROLE_DELETE:
		request_path(shell, AL_OP_NR_DELETE, word, false, false);
		break;
	case ROLE_MOVE:
		request_path(shell, AL_OP_NR_READ, word, false, false);
		request_path(shell, AL_OP_NR_DELETE, word, false, false);
		break;
	case ROLE_SETATTR:
		request_path(shell, AL_OP_NR_SETATTR, word, false, true);
		break;
	case ROLE_SOURCE:
	case ROLE_TARGET:
		host = remote_host(word);
		if (host)
			request_remote(shell, word, host, arguments);
		else if (url_scheme(word->text, word->length))
			request_url(shell, word, signature->port, NULL);
		else
			request_path(shell,
				     role == ROLE_SOURCE ? AL_OP_NR_READ
							 : AL_OP_NR_WRITE,
				     word, false, false);
		break;
	case ROLE_DATA:
		apply_data(shell, word, false);
		break;
	case ROLE_FORM:
		apply_data(shell, word, true);
		break;
	case ROLE_TEXT:
		uses(shell, word);
		break;
	case ROLE_EXECUTE:
		request_tool(shell, word, false);
		break;
	case ROLE_SCRIPT:
		/* Everybody's way into a virtual environment. */
		if (word->length > 13 &&
		    !strcmp(word->text + word->length - 13, "/bin/activate"))
			break;
		if (word->stream || word->anything) {
			word_span(word, &start, &end);
			request_add(shell, AL_OP_NR_EXECUTE, RESOURCE_TOOL, "*",
				    start, end);
		} else if (url_scheme(word->text, word->length)) {
			request_url(shell, word, 443, NULL);
		} else if (!word_is(word, "-")) {
			const char *path =
				object_path(shell, word->text, word->length);

			word_span(word, &start, &end);
			if (path)
				request_add(shell, AL_OP_NR_EXECUTE,
					    RESOURCE_TOOL, path, start, end);
		}
		break;
	case ROLE_SHELL:
		shell_nested(shell, &text, silent);
		break;
	case ROLE_COMMAND:
		words_split(shell, &text, &words);
		if (words.nr)
			shell_call(shell, &words, *in);
		break;
	case ROLE_CODE:
		shell_scan(shell, signature->suffix ? signature->suffix : "",
			   &text);
		break;
	case ROLE_URL:
		if (!word->stream)
			request_url(shell, word, port_of(arguments),
				    signature->protocol);
		break;
	case ROLE_HOST:
		apply_host(shell, arguments, word);
		break;
	case ROLE_REPOSITORY:
		apply_repository(shell, arguments, word);
		break;
	case ROLE_LISTEN:
		request_port(shell, word, signature->protocol);
		break;
	case ROLE_FORWARD:
		apply_forward(shell, word);
		break;
	case ROLE_SOCKET:
		word_span(word, &start, &end);
		if (*word->text == '/' || *word->text == '~')
			request_add(
				shell, AL_OP_NR_CONNECT, RESOURCE_SOCKET,
				object_path(shell, word->text, word->length),
				start, end);
		break;
	case ROLE_ENV:
		word_span(word, &start, &end);
		request_add(shell, AL_OP_NR_GETENV, RESOURCE_ENV,
			    *word->text == '$' ? word->text + 1 : word->text,
			    start, end);
		break;
	case ROLE_ASSIGN:
		host = strcspn(word->text, "=");
		if (host < word->length) {
			struct word value = word_part(shell, word, host + 1,
						      word->length - host - 1);

			shell_assigned(shell, word->text, host, &value);
		}
		break;
	case ROLE_SIGNAL:
		request_process(shell, AL_OP_NR_SIGNAL, word);
		break;
	case ROLE_TRACE:
		request_process(shell, AL_OP_NR_TRACE, word);
		break;
	case ROLE_MOUNT:
		apply_mount(shell, word);
		break;
	case ROLE_BATCH:
		apply_batch(shell, &text);
		break;
	case ROLE_GUESS:
		apply_guess(shell, word);
		break;
	case ROLE_IGNORE:
	case ROLE_MODULE:
	case ROLE_PORT:
	case NR_SIGNATURE_ROLES:
		break;
	}
}

/*
 * Sources go to one target: below it under their own names if it is a folder,
 * else they become it.
 */
static void apply_target(struct shell *shell, const struct arguments *arguments,
			 const struct word *target, size_t nr)
{
	size_t host = remote_host(target), start, end;
	bool remote = host || url_scheme(target->text, target->length);
	const char *path = NULL;
	bool leaves = remote;

	word_span(target, &start, &end);
	if (remote) {
		argument_apply(shell, arguments, ROLE_TARGET, target, &silent);
	} else if (!target->stream && !target->anything) {
		path = object_path(shell, target->text, target->length);
		leaves = path && path_is_outside(path);
	}
	for (size_t i = 0; i < nr; i++) {
		const struct word *word = arguments->list[i];
		enum signature_role role =
			role_at(&arguments->signature, i, arguments->nr);
		const char *base;
		size_t length;

		if ((role == ROLE_SOURCE || role == ROLE_MOVE) &&
		    (remote_host(word) ||
		     url_scheme(word->text, word->length))) {
			argument_apply(shell, arguments, ROLE_SOURCE, word,
				       &silent);
		} else if (role == ROLE_SOURCE || role == ROLE_MOVE) {
			request_path(shell, AL_OP_NR_READ, word, false, leaves);
			if (role == ROLE_MOVE)
				request_path(shell, AL_OP_NR_DELETE, word,
					     false, leaves);
		}
		length = word->length;
		while (length && word->text[length - 1] == '/')
			length--;
		base = memrchr(word->text, '/', length);
		base = base ? base + 1 : word->text;
		if (path &&
		    (is_folder(path) || was_made(shell, path) || nr > 1) &&
		    !remote_host(word) && length)
			request_object(
				shell, AL_OP_NR_WRITE,
				arena_printf(shell->arena, "%s%s%.*s", path,
					     path[strlen(path) - 1] == '/'
						     ? ""
						     : "/",
					     (int)(word->text + length - base),
					     base),
				false, false, start, end);
		else if (path)
			request_object(shell, AL_OP_NR_WRITE, path, false,
				       false, start, end);
	}
}

/* "{1}", "{-C}", "{1|DEFAULT}" in an implied object; false: there is none. */
static bool fill(struct shell *shell, const struct arguments *arguments,
		 const char *text, size_t length, struct buffer *out,
		 const struct word **ret_word)
{
	for (size_t i = 0; i < length; i++) {
		const struct word *word = NULL;
		size_t close = i, name, number;

		if (text[i] != '{') {
			buffer_addc(out, text[i]);
			continue;
		}
		while (close < length && text[close] != '}')
			close++;
		name = strcspn(text + i + 1, "|}");
		number = (size_t)strtoul(text + i + 1, NULL, 10);
		if (number && number <= arguments->nr)
			word = arguments->list[number - 1];
		else if (!strncmp(text + i + 1, "last", 4) && arguments->nr)
			word = arguments->list[arguments->nr - 1];
		else if (text[i + 1] == '-')
			word = arguments_value(
				arguments, arena_strndup(shell->arena,
							 text + i + 1, name));
		if (word) {
			buffer_adds(out, word->text);
			*ret_word = word;
		} else if (i + 1 + name < close) {
			buffer_add(out, text + i + 2 + name,
				   close - i - 2 - name);
		} else {
			return false;
		}
		i = close;
	}
	return true;
}

/* "ACTION KIND OBJECT", or "registry NAME". */
static void imply_one(struct shell *shell, const struct arguments *arguments,
		      const char *text, size_t length)
{
	const char *kind, *object;
	size_t action_length = 0, kind_length, start, end, ignored;
	const struct word *word = NULL;
	struct buffer out = { 0 };
	int action, number;

	while (length && isspace((unsigned char)*text)) {
		text++;
		length--;
	}
	while (length && isspace((unsigned char)text[length - 1]))
		length--;
	if (!length || !arguments->name)
		return;
	while (action_length < length && text[action_length] != ' ')
		action_length++;
	word_span(arguments->name, &start, &ignored);
	word_span(arguments->name_end, &ignored, &end);
	if (action_length == 8 && !memcmp(text, "registry", 8)) {
		request_add(shell, AL_OP_NR_CONNECT, RESOURCE_ENDPOINT,
			    arena_printf(shell->arena, "tcp registry:%.*s 443",
					 (int)(length - 9), text + 9),
			    start, end);
		return;
	}
	kind = text + action_length + 1;
	if (action_length + 1 >= length)
		return;
	kind_length = strcspn(kind, " ");
	object = kind + kind_length + 1;
	if (object >= text + length ||
	    !fill(shell, arguments, object, (size_t)(text + length - object),
		  &out, &word)) {
		buffer_done(&out);
		return;
	}
	action = operation_from_word(
		arena_strndup(shell->arena, text, action_length));
	number = resource_kind_from_word(
		arena_strndup(shell->arena, kind, kind_length));
	if (word)
		word_span(word, &start, &end);
	if (action >= 0 &&
	    (number == RESOURCE_FILE || number == RESOURCE_DIR)) {
		const char *path =
			object_path(shell, buffer_text(&out), out.length);

		if (path)
			request_object(shell, (unsigned int)action, path,
				       number == RESOURCE_DIR, false, start,
				       end);
	} else if (action >= 0 && number >= 0) {
		request_add(shell, (unsigned int)action,
			    (enum resource_kind)number, buffer_text(&out),
			    start, end);
	}
	buffer_done(&out);
}

static void imply(struct shell *shell, const struct arguments *arguments,
		  const char *list)
{
	while (list && *list) {
		size_t length = strcspn(list, ";");

		imply_one(shell, arguments, list, length);
		list += length + (list[length] == ';');
	}
}

bool arguments_apply(struct shell *shell, const struct arguments *arguments,
		     const struct stream *in, struct stream *ret)
{
	const struct signature *signature = &arguments->signature;
	const struct word *target = NULL;
	struct words words = { NULL, 0 };
	size_t nr = arguments->rest < arguments->nr ? arguments->rest
						    : arguments->nr;

	for (size_t i = 0; i < arguments->nr_options; i++) {
		const struct option *option = &arguments->options[i];

		if (!option->value)
			continue;
		if (option->role == ROLE_TARGET)
			target = option->value;
		else
			argument_apply(shell, arguments, option->role,
				       option->value, in);
	}
	if (!target && nr > 1 && signature->last &&
	    role_from_word(signature->last, strlen(signature->last)) ==
		    ROLE_TARGET)
		target = arguments->list[--nr];
	if (target) {
		apply_target(shell, arguments, target, nr);
	} else {
		for (size_t i = 0; i < nr; i++)
			argument_apply(shell, arguments,
				       role_at(signature, i, arguments->nr),
				       arguments->list[i], in);
	}
	if (!arguments->nr && signature->without && arguments->name) {
		struct word word =
			word_made(shell, arguments->name, signature->without);

		word.unknown = word.anything = false;
		argument_apply(shell, arguments, role_at(signature, 0, 1),
			       &word, in);
	}
	imply(shell, arguments, signature->implies);
	if (!arguments->nr)
		imply(shell, arguments, signature->alone);
	for (size_t i = 0; i < signature->nr_when; i++)
		if (arguments_have(arguments, signature->when[i].names))
			imply(shell, arguments, signature->when[i].implies);
	if (arguments->rest >= arguments->nr)
		return false;
	for (size_t i = arguments->rest; i < arguments->nr; i++)
		words_push(shell, &words, *arguments->list[i]);
	/* NAME=VALUE in front of a command: env, sudo. */
	while (words.nr && strchr(words.list->text, '=') &&
	       strcspn(words.list->text, "=") <
		       strcspn(words.list->text, "/ -")) {
		argument_apply(shell, arguments, ROLE_ASSIGN, words.list, in);
		words.list++;
		words.nr--;
	}
	if (!words.nr)
		return false;
	*ret = shell_call(shell, &words, *in);
	return true;
}

/* ---- which command it is */

static bool plain_name(const struct word *name)
{
	const char *slash = strchr(name->text, '/');

	if (!isalnum((unsigned char)*name->text) &&
	    !strchr("./~_*", *name->text))
		return false;
	/* "/help" is for an agent. */
	if (slash)
		return slash != name->text || strchr(slash + 1, '/');
	if (name->length == 1)
		return false;
	for (const char *c = name->text; *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr("._+-@*:[", *c))
			return false;
	return name->text[name->length - 1] != ':' &&
	       strspn(name->text, "0123456789.") != name->length;
}

bool is_prose_word(const char *text, size_t length)
{
	static const char words[] =
		"the a an and or of to is are was it its this that these those "
		"in on at by for with from into your our you we they be if "
		"then "
		"when where which any every each not no must should can will "
		"sure";

	return signature_names(words, text, length);
}

/* Words, words, words: a sentence in a code block. */
static bool is_sentence(const struct words *words, bool listed)
{
	size_t plain = 0;

	if (!listed && words->nr > 1 && !words->list[1].quoted &&
	    is_prose_word(words->list[1].text, words->list[1].length))
		return true;

	for (size_t i = 0; i < words->nr; i++) {
		const struct word *word = &words->list[i];
		size_t letters =
			strspn(word->text, "abcdefghijklmnopqrstuvwxyz"
					   "ABCDEFGHIJKLMNOPQRSTUVWXYZ'");

		if (word->quoted)
			return false;
		if (letters == word->length ||
		    (letters && letters + 1 == word->length &&
		     strchr(".,:;!?", word->text[letters])))
			plain++;
		else if (*word->text == '-' || *word->text == '/')
			return false;
	}
	return words->nr >= 3 && plain * 4 >= words->nr * 3;
}

/* "Make sure that ...": no command begins so. */
static bool is_capital(const struct words *words)
{
	return isupper((unsigned char)*words->list->text);
}

/* "python3.11", "gcc-12" are python3 and gcc. */
const struct signature *command_find(const char *name)
{
	size_t length = strlen(name);
	const struct signature *signature = signature_find(name, length);

	if (signature)
		return signature;
	if (length > 4 && (!strcmp(name + length - 4, ".exe") ||
			   !strcmp(name + length - 4, ".cmd")))
		length -= 4;
	while (length && (isdigit((unsigned char)name[length - 1]) ||
			  name[length - 1] == '.'))
		length--;
	if (length && name[length - 1] == '-')
		length--;
	return length ? signature_find(name, length) : NULL;
}

static struct function *function_find(struct shell *shell, const char *name)
{
	struct function *function;

	for (function = shell->functions; function; function = function->next)
		if (!strcmp(function->name, name))
			return function;
	return NULL;
}

static struct stream call_function(struct shell *shell,
				   struct function *function,
				   const struct words *words, struct stream in)
{
	const struct words *arguments = shell->arguments;
	struct stream out;

	function->called = true;
	if (function->active)
		return unknown;
	function->active = true;
	shell->arguments = words;
	if (function->alias.data) {
		struct words all = { NULL, 0 };

		/* It may have been made in some case only. */
		if (command_find(words->list->text))
			request_tool(shell, words->list, false);
		words_split(shell, &function->alias, &all);
		for (size_t i = 1; i < words->nr; i++)
			words_push(shell, &all, words->list[i]);
		out = all.nr ? shell_call(shell, &all, in) : unknown;
	} else {
		out = shell_walk(shell, &function->code, function->body, in);
	}
	shell->arguments = arguments;
	function->active = false;
	return out;
}

/*
 * $PYTHON, $which_openssl, $GIT_BIN: what nobody set is most likely what it is
 * called after, if there is such a command.
 */
static struct word named_like(struct shell *shell, const struct word *word)
{
	static const char *const prefixes[] = { "which_", "path_to_" };
	static const char *const suffixes[] = { "_bin", "_cmd", "_path",
						"_exe" };
	char *name;
	size_t length;

	if (word->nr_uses != 1)
		return *word;
	name = arena_strdup(shell->arena, word->uses->name);
	for (char *c = name; *c; c++)
		*c = (char)tolower((unsigned char)*c);
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++)
		if (!strncmp(name, prefixes[i], strlen(prefixes[i])))
			name += strlen(prefixes[i]);
	length = strlen(name);
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++) {
		size_t tail = strlen(suffixes[i]);

		if (length > tail && !strcmp(name + length - tail, suffixes[i]))
			name[length -= tail] = '\0';
	}
	return length && command_find(name) ? word_made(shell, word, name)
					    : *word;
}

/* Nobody knows what it does with the paths and URLs that it is given. */
static void unknown_command(struct shell *shell, const struct words *words)
{
	for (size_t i = 1; i < words->nr; i++) {
		const struct word *word = &words->list[i];
		const char *path = object_path(shell, word->text, word->length);
		size_t start, end;

		if (!looks_like_path(word) &&
		    !url_scheme(word->text, word->length))
			continue;
		word_span(word, &start, &end);
		shell_gap(shell, start, end, "unknown-command", true,
			  path && lexicon_class(path) != CLASS_ANY);
	}
}

/* By how arguments usually look. */
static void call_unknown(struct shell *shell, const struct words *words)
{
	const struct signature *signature = signature_find("*", 1);
	struct stream in = silent, out;
	struct arguments arguments;

	unknown_command(shell, words);
	if (!signature)
		return;
	arguments_read(shell, words, signature, &arguments);
	arguments_apply(shell, &arguments, &in, &out);
}

struct stream shell_call(struct shell *shell, const struct words *words,
			 struct stream in)
{
	const struct word *name = words->list;
	const struct signature *signature;
	struct arguments arguments;
	struct function *function;
	struct stream out = unknown;
	const char *base;
	size_t start, end, ignored;
	bool sentence;

	word_span(name, &start, &end);
	if (!shell->steps) {
		shell_gap(shell, start, end, "too-complex", true, false);
		return unknown;
	}
	shell->steps--;
	if (shell->depth >= SHELL_MAX_DEPTH || !name->length)
		return unknown;
	if (name->anything) {
		struct words named = { NULL, 0 };

		if (name->stream)
			return unknown;
		words_push(shell, &named, named_like(shell, name));
		if (word_is(named.list, "*")) {
			request_tool(shell, name, false);
			call_unknown(shell, words);
			return unknown;
		}
		for (size_t i = 1; i < words->nr; i++)
			words_push(shell, &named, words->list[i]);
		return shell_call(shell, &named, in);
	}
	/* "tool@version", "tool[extra]" are packages. */
	if (strpbrk(name->text + 1, "@[") && !strchr(name->text, '/')) {
		struct words cut = { NULL, 0 };

		for (size_t i = 0; i < words->nr; i++)
			words_push(shell, &cut, words->list[i]);
		cut.list[0] = word_part(shell, name, 0,
					1 + strcspn(name->text + 1, "@["));
		return shell_call(shell, &cut, in);
	}
	function = function_find(shell, name->text);
	if (function)
		return call_function(shell, function, words, in);
	base = strrchr(name->text, '/');
	base = base ? base + 1 : name->text;
	signature = command_find(base);
	sentence = is_sentence(words, signature != NULL);
	if (signature ? sentence && is_capital(words) && name->length > 1
		      : sentence || !plain_name(name) || !*base) {
		word_span(&words->list[words->nr - 1], &ignored, &end);
		shell_gap(shell, start, end, "not-a-command", false, false);
		return unknown;
	}
	if (!signature || signature->base != BASE_BUILTIN)
		request_tool(shell, name, signature && signature->base);
	if (!signature) {
		call_unknown(shell, words);
		return unknown;
	}
	shell->depth++;
	arguments_read(shell, words, signature, &arguments);
	if (!shell_style(shell, &arguments, words, in, &out))
		out = shell_output(shell, base, &arguments, words, in);
	shell->depth--;
	return out;
}
