/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Canonical names: paths as a shell in the project's folder would resolve
 * them, tools by their base name, endpoints with their port. What is ordinary
 * in a project, or stands for no object at all, is not asked for.
 */
#include "shell.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include <aletheia/limits.h>

#define MAX_COMPONENTS 128

/*
 * Words behind a redirection stand before those that they follow, and those
 * that were made up may have no place at all.
 */
static struct extent place(const struct shell *shell, size_t start, size_t end)
{
	struct extent ret = { start < end ? start : end,
			      start < end ? end : start };

	if (ret.start > shell->end)
		ret.start = shell->end;
	if (ret.end > shell->end)
		ret.end = shell->end;
	return ret;
}

void shell_gap(struct shell *shell, size_t start, size_t end,
	       const char *reason, bool actionable, bool grave)
{
	struct extent at = place(shell, start, end);

	translation_gap(shell->ret, at.start, at.end, reason, actionable,
			grave || shell->hidden);
}

void request_add(struct shell *shell, unsigned int action,
		 enum resource_kind kind, const char *object, size_t start,
		 size_t end)
{
	struct extent at = place(shell, start, end);
	struct request request = {
		.action = action,
		.kind = kind,
		.object = arena_strdup(shell->ret->arena, object),
		.class_ = CLASS_ANY,
		.start = at.start,
		.end = at.end,
		.conditional = shell->conditional_mood || shell->conditional,
		.base = false,
		.hidden = shell->hidden,
	};

	if (kind == RESOURCE_FILE || kind == RESOURCE_DIR)
		request.class_ = lexicon_class(object);
	translation_add(shell->ret, &request);
}

/* Joins components, without "." and with ".." resolved where it can be. */
static const char *join(struct shell *shell, const char *root, const char *text,
			size_t length, bool slash)
{
	const char *parts[MAX_COMPONENTS] = { NULL };
	size_t lengths[MAX_COMPONENTS] = { 0 }, nr = 0;
	struct buffer out = { 0 };
	const char *ret;

	for (size_t i = 0; i < length;) {
		size_t here = 0;

		while (i + here < length && text[i + here] != '/')
			here++;
		if (here == 2 && !memcmp(text + i, "..", 2) && nr &&
		    (lengths[nr - 1] != 2 || memcmp(parts[nr - 1], "..", 2)))
			nr--;
		else if (here == 2 && !memcmp(text + i, "..", 2) &&
			 *root == '/')
			; /* above "/" is "/" */
		else if (here && !(here == 1 && text[i] == '.') &&
			 nr < MAX_COMPONENTS) {
			parts[nr] = text + i;
			lengths[nr++] = here;
		}
		i += here + 1;
	}
	buffer_adds(&out, root);
	for (size_t i = 0; i < nr; i++) {
		if (i)
			buffer_addc(&out, '/');
		buffer_add(&out, parts[i], lengths[i]);
	}
	if (!out.length)
		buffer_addc(&out, '.');
	if (slash && out.data[out.length - 1] != '/')
		buffer_addc(&out, '/');
	ret = arena_strdup(shell->arena, buffer_text(&out));
	buffer_done(&out);
	return ret;
}

const char *object_path(struct shell *shell, const char *text, size_t length)
{
	const char *cwd = shell->cwd;
	struct buffer whole = { 0 };
	const char *ret;
	size_t user;
	bool slash;

	if (length > 7 && !memcmp(text, "file://", 7)) {
		text += 7;
		length -= 7;
	}
	if (!length || length > AL_MAX_PATH)
		return NULL;
	slash = text[length - 1] == '/' || (length == 1 && *text == '.') ||
		(length >= 2 && !memcmp(text + length - 2, "/.", 2)) ||
		(length >= 2 && !memcmp(text + length - 2, "..", 2));
	if (*text == '/')
		return join(shell, "/", text, length, slash);
	if (*text == '~') {
		user = 1;
		while (user < length && text[user] != '/')
			user++;
		if (user == 1 || user == 2)
			return join(shell, "~/", text + user, length - user,
				    slash);
		buffer_printf(&whole, "%s%.*s",
			      user == 5 && !memcmp(text, "~root", 5) ? ""
								     : "home/",
			      (int)(length - 1), text + 1);
		ret = join(shell, "/", buffer_text(&whole), whole.length,
			   slash);
		buffer_done(&whole);
		return ret;
	}
	/* Instructions one below the other often begin anew at the root. */
	user = 0;
	while (user < length && text[user] != '/')
		user++;
	if (*text != '.' && !strncmp(cwd, text, user) &&
	    (!cwd[user] || cwd[user] == '/'))
		cwd = "";
	if (*cwd == '/' || *cwd == '~') {
		size_t skip = *cwd == '~' ? 1 : 0;

		buffer_printf(&whole, "%s/%.*s", cwd + skip, (int)length, text);
		ret = join(shell, *cwd == '~' ? "~/" : "/", buffer_text(&whole),
			   whole.length, slash);
	} else {
		buffer_printf(&whole, "%s%s%.*s", cwd, *cwd ? "/" : "",
			      (int)length, text);
		ret = join(shell, "", buffer_text(&whole), whole.length, slash);
	}
	buffer_done(&whole);
	return ret;
}

bool path_is_outside(const char *object)
{
	return *object == '/' || *object == '~' || !strncmp(object, "../", 3);
}

/* ".env" and its like hold secrets, ".env.example" does not. */
static bool component_is_listed(const char *name, size_t length)
{
	if (length >= 4 && !memcmp(name, ".env", 4)) {
		static const char *const plain[] = { "example", "sample",
						     "template", "dist" };

		for (size_t i = 0; i < sizeof(plain) / sizeof(*plain); i++)
			if (length > 5 && length == 5 + strlen(plain[i]) &&
			    !memcmp(name + 5, plain[i], length - 5))
				return false;
		return true;
	}
	return signature_value("listed-names", name, length) != NULL;
}

bool path_is_ordinary(const char *object)
{
	const char *base = object;

	if (path_is_outside(object))
		return false;
	for (const char *at = object; *at;) {
		size_t length = strcspn(at, "/");

		if (component_is_listed(at, length))
			return false;
		base = length ? at : base;
		at += length + (at[length] == '/');
	}
	if (signature_value("ordinary-names", base, strlen(base)) ||
	    !strncmp(base, "requirements", 12))
		return true;
	for (const char *dot = strchr(base, '.'); dot;
	     dot = strchr(dot + 1, '.'))
		if (signature_value("listed-suffixes", dot, strcspn(dot, "/")))
			return false;
	return lexicon_class(object) == CLASS_ANY;
}

static bool starts(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}

void request_object(struct shell *shell, unsigned int action, const char *path,
		    bool directory, bool listed, size_t start, size_t end)
{
	size_t length = strlen(path);
	enum resource_kind kind = RESOURCE_FILE;

	if (!listed && path_is_ordinary(path))
		return;
	if (signature_value("never", path, length) ||
	    starts(path, "/dev/fd/") || starts(path, "/path/to"))
		return;
	if (starts(path, "/dev/") && !starts(path, "/dev/shm/")) {
		kind = RESOURCE_DEVICE;
	} else if (length > 5 && !strcmp(path + length - 5, ".sock")) {
		kind = RESOURCE_SOCKET;
		action = AL_OP_NR_CONNECT;
	} else if (directory || path[length - 1] == '/') {
		kind = RESOURCE_DIR;
		if (path[length - 1] != '/' && path[length - 1] != '*')
			path = arena_printf(shell->arena, "%s/", path);
	}
	request_add(shell, action, kind, path, start, end);
	if (action == AL_OP_NR_WRITE && !strcmp(path, "/proc/sysrq-trigger"))
		request_add(shell, AL_OP_NR_KERNEL, RESOURCE_KERNEL, "reboot",
			    start, end);
}

void request_path(struct shell *shell, unsigned int action,
		  const struct word *word, bool directory, bool listed)
{
	const char *path;
	size_t start, end;

	if (word->stream || word->anything || !word->length ||
	    word_is(word, "-"))
		return;
	word_span(word, &start, &end);
	if (url_scheme(word->text, word->length) &&
	    !starts(word->text, "file://")) {
		request_url(shell, word, 0, NULL);
		return;
	}
	path = object_path(shell, word->text, word->length);
	if (path)
		request_object(shell, action, path, directory, listed, start,
			       end);
}

/* A program in a system folder is known by its name alone. */
static const char *tool_name(const char *path)
{
	static const char *const folders[] = {
		"/bin/",
		"/sbin/",
		"/usr/bin/",
		"/usr/sbin/",
		"/usr/local/bin/",
		"/usr/local/sbin/",
		"/opt/homebrew/bin/",
		"/snap/bin/",
	};

	for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++) {
		size_t length = strlen(folders[i]);

		if (!strncmp(path, folders[i], length) &&
		    !strchr(path + length, '/'))
			return path + length;
	}
	return path;
}

void request_tool(struct shell *shell, const struct word *word, bool base)
{
	const char *object = word->text;
	struct request request;
	size_t start, end;
	struct extent at;

	if (!word->length || word_is(word, "-"))
		return;
	if (strchr(object, '/') && !word->anything) {
		object = object_path(shell, object, word->length);
		if (!object)
			return;
		object = tool_name(object);
	}
	word_span(word, &start, &end);
	at = place(shell, start, end);
	request = (struct request){
		.action = AL_OP_NR_EXECUTE,
		.kind = RESOURCE_TOOL,
		.object = arena_strdup(shell->ret->arena, object),
		.start = at.start,
		.end = at.end,
		.conditional = shell->conditional_mood || shell->conditional,
		.base = base,
		.hidden = shell->hidden,
	};
	translation_add(shell->ret, &request);
}

void request_host(struct shell *shell, const char *protocol, const char *host,
		  size_t length, unsigned int port, size_t start, size_t end)
{
	char *name = arena_strndup(shell->arena, host, length);
	const char *object;

	if (length > 255)
		return;
	for (char *c = name; *c; c++)
		*c = (char)tolower((unsigned char)*c);
	if (length > 2 && name[0] == '[' && name[length - 1] == ']') {
		name[length - 1] = '\0';
		name++;
	}
	for (const char *c = name; *c; c++)
		if (isspace((unsigned char)*c) ||
		    strchr("\"'<>(){}\\^`|,;", *c))
			return;
	if (!protocol)
		protocol = "tcp";
	if (!*name)
		name = arena_strdup(shell->arena, "*");
	object = port ? arena_printf(shell->arena, "%s %s %u", protocol, name,
				     port)
		      : arena_printf(shell->arena, "%s %s *", protocol, name);
	request_add(shell, AL_OP_NR_CONNECT, RESOURCE_ENDPOINT, object, start,
		    end);
}

size_t url_scheme(const char *text, size_t length)
{
	size_t nr = 0;

	while (nr < length &&
	       (isalnum((unsigned char)text[nr]) || strchr("+.-", text[nr])))
		nr++;
	return nr && nr + 3 <= length && !memcmp(text + nr, "://", 3) ? nr : 0;
}

/* "5432", "443 *.amazonaws.com": port, and the host where it is no part of
 * the URL. */
static void url_default(const char *scheme, unsigned int *port,
			const char **host)
{
	char *end;

	*port = (unsigned int)strtoul(scheme, &end, 10);
	*host = *end == ' ' ? end + 1 : NULL;
}

bool request_url(struct shell *shell, const struct word *word,
		 unsigned int port, const char *protocol)
{
	const char *text = word->text, *host, *at, *usual = NULL;
	size_t length = word->length, scheme = url_scheme(text, length), nr;
	size_t start, end, colon;
	unsigned int known = 0;

	if (!length || word->stream)
		return false;
	word_span(word, &start, &end);
	if (starts(text, "unix://") || starts(text, "npipe://")) {
		request_object(shell, AL_OP_NR_CONNECT, text + scheme + 3,
			       false, true, start, end);
		return true;
	}
	if (starts(text, "file://")) {
		request_path(shell, AL_OP_NR_READ, word, false, false);
		return true;
	}
	host = text;
	if (scheme) {
		char lower[32];
		const char *value = NULL;

		for (nr = 0; nr < scheme && nr < sizeof(lower); nr++)
			lower[nr] = (char)tolower((unsigned char)text[nr]);
		if (scheme <= sizeof(lower))
			value = signature_value("schemes", lower, scheme);
		if (value) {
			url_default(value, &known, &usual);
			port = known;
		}
		if (scheme == 3 && !memcmp(text, "udp", 3))
			protocol = "udp";
		host = text + scheme + 3;
	}
	if (usual) {
		request_host(shell, protocol, usual, strlen(usual), port, start,
			     end);
		return true;
	}
	nr = strcspn(host, "/?#");
	for (at = host + nr; at > host && at[-1] != '@'; at--)
		;
	nr -= (size_t)(at - host);
	host = at;
	if (*host == '[') {
		colon = strcspn(host, "]");
		colon += host[colon] == ']';
	} else {
		colon = strcspn(host, ":");
	}
	if (colon < nr) {
		unsigned long value = strtoul(host + colon + 1, NULL, 10);

		if (value && value < 65536)
			port = (unsigned int)value;
		nr = colon;
	}
	if (word->anything && !scheme) {
		request_host(shell, protocol, "*", 1, port, start, end);
		return true;
	}
	if (!nr && !scheme)
		return false;
	request_host(shell, protocol, host, nr, port, start, end);
	return true;
}
