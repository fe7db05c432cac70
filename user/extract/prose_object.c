// SPDX-License-Identifier: GPL-2.0-only
/*
 * Verbs and their objects. Verbs that share objects form a group ("copies and
 * deletes X"); prepositions say what an object is to them: what is read or
 * written, where that goes, where it comes from, where to look. What verbs mean
 * for a thing is the lexicon's; for what has a name it is said here.
 */
#include "prose.h"

#include <ctype.h>
#include <stdlib.h>

#include <aletheia/limits.h>

#define MAX_VERBS   4
#define MAX_OBJECTS 16

enum role {
	OBJECT,
	TARGET,
	SOURCE,
	SCOPE, /* in, on, under: where to look, or what is changed */
	TOOL,
	OTHER,
	NR_ROLES
};

struct object {
	enum role role;
	size_t at;
	size_t end;
	const struct token *token; /* with a name, or the first of a thing */
	const struct thing *thing;
	const char *path; /* canonical */
	bool folder;
	bool pronoun;
};

struct group {
	size_t verbs[MAX_VERBS];
	size_t nr_verbs;
	struct object objects[MAX_OBJECTS];
	size_t nr;
	bool understood; /* something in it is known, if only as nothing */
};

static const struct token none = { .kind = TOKEN_MARK,
				   .text = "",
				   .lower = "",
				   .act = ACT_NONE,
				   .noun = ACT_NONE };

static const struct token *token_at(const struct sentence *sentence, size_t at)
{
	return at < sentence->nr ? &sentence->list[at] : &none;
}

/* ---- requests */

static void place_of(const struct prose *prose, size_t from, size_t to,
		     size_t *ret_start, size_t *ret_end)
{
	const size_t *origin = prose->segment->origin;

	*ret_start = origin[from];
	*ret_end = to > from ? origin[to - 1] + 1 : origin[to];
	if (*ret_end < *ret_start)
		*ret_end = *ret_start;
}

static uint32_t kind_bit(enum resource_kind kind)
{
	if (kind == RESOURCE_DIR || kind == RESOURCE_DEVICE)
		kind = RESOURCE_FILE;
	return 1u << kind;
}

/* Neither a name nor a host in it. */
static bool is_vague(const char *object)
{
	return !strcmp(object, "*") || !strncmp(object, "tcp * ", 6) ||
	       !strncmp(object, "udp * ", 6) || !strncmp(object, "icmp * ", 7);
}

/* What is read is nobody else's business. */
static bool is_secret(unsigned int action, const char *object,
		      enum resource_class class_)
{
	if (action == AL_OP_NR_GETENV)
		return true;
	return action == AL_OP_NR_READ &&
	       (class_ != CLASS_ANY || lexicon_class(object) != CLASS_ANY ||
		path_is_outside(object));
}

/* [from, to) of the segment's text asks for it. */
static void ask(struct prose *prose, unsigned int action,
		enum resource_kind kind, const char *object,
		enum resource_class class_, bool conditional, size_t from,
		size_t to)
{
	size_t start, end;

	place_of(prose, from, to, &start, &end);
	prose->secret = prose->secret || is_secret(action, object, class_);
	if (is_vague(object)) {
		if (prose->nr_vague == PROSE_MAX_VAGUE)
			return;
		prose->vague[prose->nr_vague++] = (struct vague){
			action, kind, object, class_, conditional, start, end,
		};
		return;
	}
	if (strncmp(object, "tcp localhost", 13))
		prose->named[action] |= kind_bit(kind);
	if (kind == RESOURCE_FILE || kind == RESOURCE_DIR ||
	    kind == RESOURCE_DEVICE) {
		prose->shell.conditional_mood = conditional;
		request_object(&prose->shell, action, object,
			       kind == RESOURCE_DIR, true, start, end);
		return;
	}
	translation_add(prose->ret, &(struct request){
					    .action = action,
					    .kind = kind,
					    .object = arena_strdup(
						    prose->ret->arena, object),
					    .class_ = class_,
					    .start = start,
					    .end = end,
					    .conditional = conditional,
					    .hidden = prose->segment->hidden,
				    });
}

static void ask_tool(struct prose *prose, const char *name, bool conditional,
		     size_t from, size_t to)
{
	const struct signature *signature = signature_find(name, strlen(name));
	size_t start, end;

	place_of(prose, from, to, &start, &end);
	translation_add(
		prose->ret,
		&(struct request){
			.action = AL_OP_NR_EXECUTE,
			.kind = RESOURCE_TOOL,
			.object = arena_strdup(prose->ret->arena, name),
			.start = start,
			.end = end,
			.conditional = conditional,
			.base = signature && signature->base != BASE_NOT,
			.hidden = prose->segment->hidden,
		});
}

/* "tcp * *" where a port is said as well */
static bool is_narrowed(const struct prose *prose, const struct vague *vague)
{
	if (strcmp(vague->object, "tcp * *"))
		return false;
	for (size_t i = 0; i < prose->nr_vague; i++)
		if (prose->vague[i].kind == RESOURCE_ENDPOINT &&
		    strcmp(prose->vague[i].object, "tcp * *"))
			return true;
	return false;
}

void prose_vague(struct prose *prose)
{
	for (size_t i = 0; i < prose->nr_vague; i++) {
		const struct vague *vague = &prose->vague[i];

		if ((prose->named[vague->action] & kind_bit(vague->kind)) ||
		    is_narrowed(prose, vague))
			continue;
		translation_add(
			prose->ret,
			&(struct request){
				.action = vague->action,
				.kind = vague->kind,
				.object = arena_strdup(prose->ret->arena,
						       vague->object),
				.class_ = vague->class_,
				.start = vague->start,
				.end = vague->end,
				.conditional = vague->conditional,
				.hidden = prose->segment->hidden,
			});
	}
	prose->nr_vague = 0;
}

/* ---- names */

bool span_is_command(const struct token *token)
{
	return token->kind == TOKEN_SPAN &&
	       shell_looks_like_command(token->text, token->length);
}

/* Letters of both cases mixed, as in "LinPEAS". */
static bool is_camel(const struct token *token)
{
	size_t upper = 0, lower = 0;

	for (size_t i = 0; i < token->length; i++) {
		if (isupper((unsigned char)token->text[i]))
			upper += i > 0;
		else if (islower((unsigned char)token->text[i]))
			lower++;
		else if (!isdigit((unsigned char)token->text[i]) &&
			 !strchr("-_.", token->text[i]))
			return false;
	}
	return upper && lower > 1;
}

static bool is_script(const struct token *token)
{
	static const char *const suffixes[] = { ".py", ".sh",  ".pl",
						".rb", ".ps1", ".js" };

	if (token->kind != TOKEN_PATH)
		return false;
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++) {
		size_t nr = strlen(suffixes[i]);

		if (token->length > nr &&
		    !strcmp(token->text + token->length - nr, suffixes[i]))
			return true;
	}
	return false;
}

const char *token_tool(struct prose *prose, const struct token *token,
		       bool sure)
{
	const struct signature *signature;
	char *name;

	if (is_script(token))
		return token->text;
	if (token->kind == TOKEN_PATH && token->code && sure &&
	    *token->text != '.')
		return token->text;
	if ((token->kind != TOKEN_WORD && token->kind != TOKEN_SPAN) ||
	    !token->nr)
		return NULL;
	if (token_has(token, WORD_PREPOSITION | WORD_DETERMINER |
				     WORD_TOOLNOUN | WORD_SYSTEM |
				     WORD_CONJUNCTION | WORD_PRONOUN |
				     WORD_POSSESSIVE))
		return NULL;
	name = arena_strndup(prose->arena, token->lower, token->nr);
	if (strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789+-._") !=
	    token->nr)
		return NULL;
	signature = signature_find(name, token->nr);
	if (signature && signature->names[0] == '*')
		signature = NULL;
	if (signature && (!token->common || (sure && !token->code) ||
			  (token->code && (token->program || prose->loose))))
		return name;
	if (!prose->loose)
		return NULL;
	if (token->code)
		return NULL;
	if (sure && token->capital)
		return token->text;
	return is_camel(token) || (sure && strchr(token->text, '-'))
		       ? token->text
		       : NULL;
}

/* Protocols that a sentence names: "over SSH". 0: it is none. */
static unsigned int protocol_port(const struct token *token,
				  const char **ret_protocol)
{
	const char *value;

	*ret_protocol = "tcp";
	if (token->kind != TOKEN_WORD || !token->nr)
		return 0;
	if (token_is(token, "dns")) {
		*ret_protocol = "udp";
		return 53;
	}
	value = signature_value("schemes", token->lower, token->nr);
	if (!value)
		return 0;
	if (token_is(token, "rsync"))
		return 22;
	return (unsigned int)strtoul(value, NULL, 10);
}

/* The port that a sentence with no named host is about. */
static unsigned int sentence_port(const struct sentence *sentence,
				  const char **ret_protocol)
{
	for (size_t i = 0; i < sentence->nr; i++) {
		const struct token *token = token_at(sentence, i);
		unsigned int port;

		/* "SSH keys" have no port. */
		if (token->things > 1) {
			i += token->things - 1;
			continue;
		}
		if (token->aside)
			continue;
		if (token_is(token, "port") &&
		    token_at(sentence, i + 1)->kind == TOKEN_NUMBER) {
			port = (unsigned int)strtoul(
				token_at(sentence, i + 1)->text, NULL, 10);
			*ret_protocol = "tcp";
			if (port && port < 65536)
				return port;
		}
		port = protocol_port(token, ret_protocol);
		if (port)
			return port;
	}
	*ret_protocol = "tcp";
	return 0;
}

static struct word word_of(struct prose *prose, const struct token *token)
{
	/* All of it comes from where the token stands. */
	size_t *origin = arena_alloc(prose->arena,
				     (token->length + 1) * sizeof(*origin));
	size_t start, end;

	place_of(prose, token->from, token->to, &start, &end);
	for (size_t i = 0; i <= token->length; i++)
		origin[i] = start + i < end ? start + i : end;
	return (struct word){
		.text = token->text,
		.length = token->length,
		.origin = origin,
	};
}

static const char *path_of(struct prose *prose, const struct token *token)
{
	const char *text = token->text, *folder;
	size_t length = token->length;

	folder = memchr(text, '/', length) ? NULL : lexicon_name(text, length);
	/* "<home>/.ssh/x" without what a tag was taken for */
	if (length > 2 && *text == '/' && text[1] == '.') {
		const char *name =
			lexicon_name(text + 1, strcspn(text + 1, "/"));

		if (name && *name == '~') {
			folder = name;
			text++;
		}
	}
	if (folder)
		text = arena_printf(prose->arena, "%s%s", folder, text);
	return object_path(&prose->shell, text, strlen(text));
}

/* ---- what acts mean for what has a name */

static bool act_reads(enum act act)
{
	return act == ACT_READ || act == ACT_SHOW || act == ACT_SEARCH ||
	       act == ACT_COPY || act == ACT_MOVE || act == ACT_SEND ||
	       act == ACT_PACK || act == ACT_CAPTURE || act == ACT_UNPACK;
}

static bool act_writes(enum act act)
{
	return act == ACT_WRITE || act == ACT_CLEAR || act == ACT_INSTALL ||
	       act == ACT_SCHEDULE || act == ACT_FETCH || act == ACT_START;
}

static void act_on_path(struct prose *prose, enum act act, const char *path,
			bool folder, enum resource_class class_,
			bool conditional, size_t from, size_t to)
{
	enum resource_kind kind = folder ? RESOURCE_DIR : RESOURCE_FILE;

	if (!strncmp(path, "/dev/", 5) && strncmp(path, "/dev/shm", 8))
		kind = RESOURCE_DEVICE;
	if (act_reads(act))
		ask(prose, AL_OP_NR_READ, kind, path, class_, conditional, from,
		    to);
	if (act_writes(act))
		ask(prose, AL_OP_NR_WRITE, kind, path, class_, conditional,
		    from, to);
	switch (act) {
	case ACT_LIST:
		ask(prose,
		    folder || (is_vague(path) && class_ == CLASS_ANY)
			    ? AL_OP_NR_LIST
			    : AL_OP_NR_READ,
		    kind, path, class_, conditional, from, to);
		break;
	case ACT_DELETE:
	case ACT_MOVE:
		ask(prose, AL_OP_NR_DELETE, kind, path, class_, conditional,
		    from, to);
		break;
	case ACT_PACK:
		if (is_vague(path))
			ask(prose, AL_OP_NR_WRITE, kind, path, class_,
			    conditional, from, to);
		break;
	case ACT_MODE:
		ask(prose, AL_OP_NR_SETATTR, kind, path, class_, conditional,
		    from, to);
		break;
	case ACT_USE:
		ask(prose, folder ? AL_OP_NR_LIST : AL_OP_NR_READ, kind, path,
		    class_, conditional, from, to);
		break;
	case ACT_RUN:
	case ACT_LOAD:
		ask(prose, AL_OP_NR_EXECUTE, RESOURCE_TOOL, path, CLASS_ANY,
		    conditional, from, to);
		break;
	case ACT_MOUNT:
		ask(prose, AL_OP_NR_KERNEL, RESOURCE_KERNEL, "mount", CLASS_ANY,
		    conditional, from, to);
		break;
	default:
		break;
	}
}

/* What an act usually means for a thing of some kind; -1: nothing. */
static int usual_action(enum act act, enum resource_kind kind)
{
	switch (kind) {
	case RESOURCE_PROCESS:
		if (act == ACT_STOP || act == ACT_DELETE)
			return AL_OP_NR_SIGNAL;
		if (act == ACT_TRACE)
			return AL_OP_NR_TRACE;
		if (act == ACT_LIST || act == ACT_READ || act == ACT_SEARCH ||
		    act == ACT_SHOW)
			return AL_OP_NR_LIST;
		return -1;
	case RESOURCE_KERNEL:
		if (act == ACT_SEARCH || act == ACT_COPY || act == ACT_SEND ||
		    act == ACT_LIST || act == ACT_READ || act == ACT_SHOW ||
		    act == ACT_USE || act == ACT_PACK || act == ACT_UNPACK)
			return -1;
		return AL_OP_NR_KERNEL;
	case RESOURCE_TOOL:
		if (act == ACT_RUN || act == ACT_USE || act == ACT_START ||
		    act == ACT_INSTALL || act == ACT_LOAD ||
		    act == ACT_SCHEDULE)
			return AL_OP_NR_EXECUTE;
		return -1;
	case RESOURCE_ENDPOINT:
	case RESOURCE_SOCKET:
		return act == ACT_ORDINARY || act == ACT_SEEM
			       ? -1
			       : AL_OP_NR_CONNECT;
	case RESOURCE_PORT:
		return act == ACT_LISTEN ? AL_OP_NR_BIND : -1;
	case RESOURCE_ENV:
		if (act_reads(act) || act == ACT_LIST)
			return AL_OP_NR_GETENV;
		return -1;
	case RESOURCE_FILE:
	case RESOURCE_DIR:
	case RESOURCE_DEVICE:
	case NR_RESOURCE_KINDS:
		break;
	}
	return -1;
}

static bool is_unknown(const struct token *token)
{
	return !token->classes && token->act == ACT_NONE &&
	       token->noun == ACT_NONE && !token->thing && !token->common;
}

/* "the Cb Response service": the names in front of a thing */
static const char *name_before(struct prose *prose,
			       const struct sentence *sentence, size_t at)
{
	size_t from = at, end;
	const char *text = prose->segment->text;

	while (from > 0) {
		const struct token *token = token_at(sentence, from - 1);

		if (token->kind == TOKEN_SPAN && token->nr) {
			from--;
			break;
		}
		if (token->kind != TOKEN_WORD ||
		    (!token->capital && !token_tool(prose, token, false) &&
		     !is_unknown(token)) ||
		    token->ask ||
		    token_has(token,
			      WORD_DETERMINER | WORD_SYSTEM | WORD_PREPOSITION))
			break;
		from--;
	}
	if (from == at)
		return "*";
	if (at - from == 1)
		return token_at(sentence, from)->text;
	end = token_at(sentence, at - 1)->to;
	from = token_at(sentence, from)->from;
	return arena_strndup(prose->arena, text + from, end - from);
}

/* "tcp * *" and a port that the sentence names */
static const char *with_port(struct prose *prose,
			     const struct sentence *sentence,
			     const char *object)
{
	const char *protocol;
	unsigned int port;

	if (strcmp(object, "tcp * *") && strcmp(object, "*"))
		return object;
	port = sentence_port(sentence, &protocol);
	if (!port)
		return object;
	return arena_printf(prose->arena, *object == '*' ? "%s %u" : "%s * %u",
			    protocol, port);
}

static void act_on_thing(struct prose *prose, const struct sentence *sentence,
			 enum act act, const struct object *object,
			 bool conditional, size_t from, size_t to)
{
	const struct thing *thing = object->thing;
	const struct demand *demand = thing->demands[act];
	const char *name = thing->object;
	int action;

	for (; demand; demand = demand->next) {
		name = demand->object;
		if (!strcmp(name, "<name>"))
			name = name_before(prose, sentence, object->at);
		if (demand->kind == RESOURCE_ENDPOINT ||
		    demand->kind == RESOURCE_PORT)
			name = with_port(prose, sentence, name);
		if (demand->kind == RESOURCE_TOOL && strcmp(name, "*"))
			ask_tool(prose, name, conditional, from, to);
		else
			ask(prose, demand->action, demand->kind, name,
			    thing->class_, conditional, from, to);
	}
	if (thing->demands[act] || !thing->object ||
	    !(thing->acts & UINT64_C(1) << act))
		return;
	if (!strcmp(name, "<name>"))
		name = name_before(prose, sentence, object->at);
	if (thing->kind == RESOURCE_FILE || thing->kind == RESOURCE_DIR ||
	    thing->kind == RESOURCE_DEVICE) {
		if (!strcmp(name, "*")) {
			enum resource_kind kind = thing->kind;

			/* Kept apart: "*" says nothing about the kind. */
			if (kind == RESOURCE_DEVICE)
				ask(prose,
				    act_writes(act) ? AL_OP_NR_WRITE
						    : AL_OP_NR_READ,
				    kind, name, thing->class_, conditional,
				    from, to);
			else
				act_on_path(prose, act, name,
					    kind == RESOURCE_DIR, thing->class_,
					    conditional, from, to);
			return;
		}
		act_on_path(prose, act, name, thing->kind == RESOURCE_DIR,
			    thing->class_, conditional, from, to);
		return;
	}
	action = usual_action(act, thing->kind);
	if (thing->kind == RESOURCE_ENDPOINT || thing->kind == RESOURCE_PORT)
		name = with_port(prose, sentence, name);
	if (action >= 0)
		ask(prose, (unsigned int)action, thing->kind, name,
		    thing->class_, conditional, from, to);
}

/* ---- groups */

/* Does the thing count here? */
static bool thing_counts(struct prose *prose, const struct sentence *sentence,
			 const struct thing *thing, size_t at)
{
	const struct token *token = token_at(sentence, at);

	if (!thing->task || (token->task && prose->loose))
		return true;
	/* "the X service" has a name. */
	return thing->object && !strcmp(thing->object, "<name>") &&
	       strcmp(name_before(prose, sentence, at), "*");
}

static bool have(const struct group *group, enum role role)
{
	for (size_t i = 0; i < group->nr; i++)
		if (group->objects[i].role == role)
			return true;
	return false;
}

/* An object with a name of its own in that role. */
static bool have_name(const struct group *group, enum role role)
{
	for (size_t i = 0; i < group->nr; i++) {
		const struct object *object = &group->objects[i];

		if (object->role == role &&
		    (object->path || object->token->kind == TOKEN_URL ||
		     object->token->kind == TOKEN_HOST ||
		     (object->thing && object->thing->object &&
		      !is_vague(object->thing->object))))
			return true;
	}
	return false;
}

static bool is_endpoint(const struct object *object)
{
	return object->token->kind == TOKEN_URL ||
	       object->token->kind == TOKEN_HOST ||
	       (object->thing && object->thing->kind == RESOURCE_ENDPOINT);
}

static bool have_endpoint(const struct group *group)
{
	for (size_t i = 0; i < group->nr; i++)
		if (is_endpoint(&group->objects[i]))
			return true;
	return false;
}

static void connect_to(struct prose *prose, const struct sentence *sentence,
		       enum act act, const struct object *object,
		       bool conditional)
{
	struct word word = word_of(prose, object->token);
	const char *protocol = NULL;
	unsigned int port = 0;

	if (object->token->kind == TOKEN_HOST) {
		port = sentence_port(sentence, &protocol);
		if (!port && (act == ACT_SEND || act == ACT_FETCH))
			port = 443;
	}
	prose->shell.conditional_mood = conditional;
	if (request_url(&prose->shell, &word, port, protocol))
		prose->named[AL_OP_NR_CONNECT] |= kind_bit(RESOURCE_ENDPOINT);
}

/* A host that nobody names. */
static void connect_somewhere(struct prose *prose,
			      const struct sentence *sentence, bool conditional,
			      size_t from, size_t to)
{
	const char *protocol;
	unsigned int port = sentence_port(sentence, &protocol);
	const char *object =
		port ? arena_printf(prose->arena, "%s * %u", protocol, port)
		     : "tcp * *";

	ask(prose, AL_OP_NR_CONNECT, RESOURCE_ENDPOINT, object, CLASS_ANY,
	    conditional, from, to);
}

static bool may_connect(enum act act)
{
	return act == ACT_SEND || act == ACT_FETCH || act == ACT_CONNECT ||
	       act == ACT_SCAN || act == ACT_COPY || act == ACT_MOVE ||
	       act == ACT_RUN || act == ACT_INSTALL || act == ACT_READ ||
	       act == ACT_WRITE || act == ACT_LOAD;
}

/* What the project has to say: "../CONTRIBUTING.md", "lib/AGENTS.md". */
static bool is_reading_matter(const char *path)
{
	size_t length = strlen(path);

	if (*path == '/' || *path == '~' || strstr(path, ".local/"))
		return false;
	return length > 3 && !strcmp(path + length - 3, ".md");
}

/*
 * In ordinary text "check the credentials" and "store passwords in the
 * keyring" are about a program that is written.
 */
static bool means_much(const struct token *verb, const struct thing *thing,
		       const struct group *group)
{
	bool vague = thing->object && !strcmp(thing->object, "*");

	if (token_has(verb, WORD_LOOK))
		return false;
	if (thing->class_ == CLASS_CREDENTIAL &&
	    (verb->act == ACT_INSTALL || verb->act == ACT_USE))
		return false;
	if (!vague || thing->demands[verb->act] ||
	    (thing->kind != RESOURCE_FILE && thing->kind != RESOURCE_DIR))
		return true;
	switch (verb->act) {
	case ACT_READ:
	case ACT_SHOW:
	case ACT_SEARCH:
	case ACT_COPY:
		return true;
	case ACT_SEND:
		return have_endpoint(group);
	default:
		return false;
	}
}

/* "check the scripts" reads no more of them than their names. */
static bool only_looks(const struct token *verb, const struct thing *thing)
{
	return token_has(verb, WORD_LOOK) && verb->form == FORM_BASE &&
	       thing->class_ == CLASS_ANY && thing->object &&
	       !strcmp(thing->object, "*") && thing->kind == RESOURCE_TOOL;
}

/* "capabilities (https://...)": a link to what that is */
static bool is_link(const struct sentence *sentence,
		    const struct object *object)
{
	return object->token->kind == TOKEN_URL && object->at &&
	       token_mark(token_at(sentence, object->at - 1), '(');
}

/* "the X environment variable", "the variable X" */
static bool says_variable(const struct sentence *sentence, size_t at)
{
	size_t from = at > 2 ? at - 2 : 0;

	for (size_t i = from; i < at + 3; i++)
		if (token_is(token_at(sentence, i), "variable") ||
		    token_is(token_at(sentence, i), "variables"))
			return true;
	return false;
}

/* One object and one verb. */
static void act_on(struct prose *prose, const struct sentence *sentence,
		   struct group *group, const struct token *verb,
		   const struct object *object)
{
	const struct token *token = object->token;
	bool conditional = verb->conditional || token->conditional;
	size_t from = verb->from < token->from ? verb->from : token->from;
	size_t end = token_at(sentence, object->end - 1)->to;
	size_t to = end > verb->to ? end : verb->to;
	enum act act = verb->act;

	switch (token->kind) {
	case TOKEN_URL:
	case TOKEN_HOST:
		if (is_link(sentence, object) &&
		    (object->role == TOOL || object->role == OTHER ||
		     (act != ACT_FETCH && act != ACT_CONNECT &&
		      act != ACT_SEND)))
			return;
		if (object->role == SOURCE && token->kind == TOKEN_URL)
			act = ACT_FETCH;
		if (act != ACT_FETCH &&
		    (token_has(verb, WORD_LOOK) ||
		     (act == ACT_READ && token->kind == TOKEN_HOST)))
			return;
		if (may_connect(act))
			connect_to(prose, sentence, act, object, conditional);
		return;
	case TOKEN_VARIABLE:
		if (!token->sure && !says_variable(sentence, object->at))
			return;
		if (act == ACT_SHOW || (act == ACT_READ && verb->task) ||
		    (act == ACT_SEND && (verb->task || have_endpoint(group))))
			ask(prose, AL_OP_NR_GETENV, RESOURCE_ENV, token->text,
			    CLASS_ANY, conditional, from, to);
		return;
	default:
		break;
	}
	if (object->path) {
		bool folder = object->folder;

		if (is_reading_matter(object->path) && !act_writes(act) &&
		    act != ACT_DELETE && act != ACT_MOVE && act != ACT_SEND)
			return;
		if (act == ACT_SEARCH && !folder && !object->pronoun &&
		    !strchr(token->text, '/') && verb->task) {
			ask(prose, AL_OP_NR_LIST, RESOURCE_DIR, "*", CLASS_ANY,
			    conditional, from, to);
			return;
		}
		if (act == ACT_SEARCH && object->role == SCOPE)
			act = have(group, OBJECT) ? ACT_LIST : act;
		act_on_path(prose, act, object->path, folder, CLASS_ANY,
			    conditional, from, to);
		return;
	}
	if (object->thing &&
	    (verb->task ? only_looks(verb, object->thing)
			: !means_much(verb, object->thing, group)))
		return;
	if (object->thing)
		act_on_thing(prose, sentence, act, object, conditional, from,
			     to);
}

/* The folder or thing where a search looks, NULL: nothing is said. */
static const char *scope_of(const struct group *group)
{
	for (size_t i = 0; i < group->nr; i++) {
		const struct object *object = &group->objects[i];

		if (object->thing && object->thing->scope)
			return object->thing->scope;
		if (object->role == SCOPE && object->path && object->folder)
			return object->path;
	}
	return NULL;
}

static bool is_unnamed(const struct object *object)
{
	return object->thing && object->thing->object &&
	       !strcmp(object->thing->object, "*") &&
	       (object->thing->kind == RESOURCE_FILE ||
		object->thing->kind == RESOURCE_DIR);
}

/* "credentials from Firefox", "passwords from memory": the source says it. */
static bool source_says(const struct group *group, const struct object *object)
{
	return is_unnamed(object) && object->role == OBJECT &&
	       object->thing->class_ != CLASS_ANY && have(group, SOURCE);
}

/* What is looked for is known by its class. */
static bool have_class(const struct group *group)
{
	for (size_t i = 0; i < group->nr; i++)
		if (group->objects[i].role == OBJECT &&
		    is_unnamed(&group->objects[i]) &&
		    group->objects[i].thing->class_ != CLASS_ANY)
			return true;
	return false;
}

/* Something is written to a place with a name. */
static bool have_place(const struct group *group)
{
	for (size_t i = 0; i < group->nr; i++)
		if (group->objects[i].role == TARGET &&
		    group->objects[i].path &&
		    !strstr(group->objects[i].path, "bin/"))
			return true;
	return false;
}

/* Which role's objects an act is about, and with which act. */
static enum act role_act(const struct group *group, const struct token *verb,
			 const struct object *object)
{
	enum act act = verb->act;

	/* "run X and output to Y", "run X in Y": Y is no program. */
	if (act == ACT_RUN && object->path && object->role != OBJECT &&
	    object->role != TOOL)
		return NR_ACTS;
	switch (object->role) {
	case OBJECT:
		/* "write it to X": it is what is written. */
		if (object->pronoun && act == ACT_WRITE && have(group, TARGET))
			return NR_ACTS;
		/* "append X to Y": X is read. */
		if (act == ACT_WRITE &&
		    (have_place(group) ||
		     (token_has(verb, WORD_KEEP) && have(group, TARGET))))
			return ACT_READ;
		return source_says(group, object) ? NR_ACTS : act;
	case TARGET:
		if (act == ACT_UNPACK)
			return NR_ACTS;
		if (act == ACT_SEND && !is_endpoint(object))
			return NR_ACTS;
		/* "set the shell to /bin/sh" */
		if (act == ACT_WRITE && object->path &&
		    strstr(object->path, "bin/") && have(group, OBJECT))
			return NR_ACTS;
		if (act == ACT_COPY || act == ACT_MOVE || act == ACT_SHOW ||
		    act == ACT_PACK || act == ACT_WRITE || act == ACT_READ ||
		    act == ACT_FETCH || act == ACT_LIST || act == ACT_SEARCH)
			return is_endpoint(object) ? ACT_SEND : ACT_WRITE;
		return act;
	case SOURCE:
		if ((act == ACT_SEARCH || act == ACT_LIST) && have_class(group))
			return ACT_READ;
		if (act == ACT_FETCH && !is_endpoint(object))
			return ACT_READ;
		if (act == ACT_WRITE || act == ACT_SEND)
			return ACT_READ;
		return act;
	case SCOPE:
		if (act == ACT_SEARCH || act == ACT_LIST)
			return object->path ? act : NR_ACTS;
		return have(group, OBJECT) &&
				       (act != ACT_WRITE || is_unnamed(object))
			       ? NR_ACTS
			       : act;
	case TOOL:
		/* "using a C script" */
		if (object->thing && object->thing->kind == RESOURCE_TOOL)
			return ACT_RUN;
		if (object->path && object->folder && act == ACT_SEARCH)
			return ACT_LIST;
		/* "install it with --index-url https://..." */
		if (object->token->kind == TOKEN_URL)
			return ACT_CONNECT;
		break;
	case OTHER:
	case NR_ROLES:
		break;
	}
	return NR_ACTS;
}

/* Data goes to, or comes from, a host that nobody names. */
static bool needs_host(const struct prose *prose,
		       const struct sentence *sentence,
		       const struct group *group, const struct token *verb)
{
	const char *protocol;
	bool data = false;

	for (size_t i = 0; i < group->nr; i++) {
		const struct object *object = &group->objects[i];

		data = data || object->path ||
		       (object->role == OBJECT && object->thing &&
			(object->thing->kind == RESOURCE_FILE ||
			 object->thing->kind == RESOURCE_DIR ||
			 object->thing->kind == RESOURCE_ENV ||
			 (object->thing->kind == RESOURCE_TOOL &&
			  verb->act == ACT_FETCH)));
	}
	if (!verb->task || !prose->loose)
		return verb->act == ACT_SEND && have_name(group, OBJECT);
	return data || sentence_port(sentence, &protocol) ||
	       (verb->act == ACT_FETCH && group->understood);
}

static void apply(struct prose *prose, const struct sentence *sentence,
		  struct group *group, const struct token *verb)
{
	const char *scope = scope_of(group);
	enum act act = verb->act;

	for (size_t i = 0; i < group->nr; i++) {
		struct object *object = &group->objects[i];
		struct token as = *verb;

		as.act = role_act(group, verb, object);
		if (as.act >= NR_ACTS)
			continue;
		/* "find files on the file system" */
		if (scope && is_unnamed(object) &&
		    object->thing->class_ == CLASS_ANY &&
		    (act == ACT_SEARCH || act == ACT_LIST)) {
			size_t end = token_at(sentence, object->end - 1)->to;

			ask(prose, AL_OP_NR_LIST, RESOURCE_DIR, scope,
			    CLASS_ANY, verb->conditional, verb->from,
			    end > verb->to ? end : verb->to);
			continue;
		}
		act_on(prose, sentence, group, &as, object);
	}
	if ((act == ACT_SEND || act == ACT_FETCH || act == ACT_CONNECT) &&
	    !have_endpoint(group) && needs_host(prose, sentence, group, verb))
		connect_somewhere(prose, sentence, verb->conditional,
				  verb->from, verb->to);
	if (act == ACT_COPY && verb->task && prose->loose &&
	    !have(group, TARGET) && have(group, OBJECT) &&
	    !have_name(group, OBJECT))
		ask(prose, AL_OP_NR_WRITE, RESOURCE_FILE, "*", CLASS_ANY,
		    verb->conditional, verb->from, verb->to);
}

/* Names that only a verb shows to be a service's. */
static bool stop_by_name(struct prose *prose, const struct sentence *sentence,
			 const struct token *verb, size_t at)
{
	size_t from = at, to;

	while (token_has(token_at(sentence, from), WORD_DETERMINER))
		from++;
	to = from;
	while (token_at(sentence, to)->kind == TOKEN_WORD &&
	       token_at(sentence, to)->capital &&
	       !token_has(token_at(sentence, to), WORD_PREPOSITION))
		to++;
	if (to == from || token_at(sentence, from)->thing)
		return false;
	ask(prose, AL_OP_NR_SIGNAL, RESOURCE_PROCESS,
	    arena_strndup(prose->arena,
			  prose->segment->text + token_at(sentence, from)->from,
			  token_at(sentence, to - 1)->to -
				  token_at(sentence, from)->from),
	    CLASS_ANY, verb->conditional, verb->from,
	    token_at(sentence, to - 1)->to);
	return true;
}

/* Nothing was understood of what is surely not ordinary. */
static bool act_is_grave(enum act act)
{
	return act == ACT_SEND || act == ACT_DELETE || act == ACT_STOP ||
	       act == ACT_LOAD || act == ACT_UNLOAD || act == ACT_CAPTURE ||
	       act == ACT_TRACE || act == ACT_SCAN || act == ACT_CONNECT ||
	       act == ACT_LISTEN || act == ACT_MOUNT || act == ACT_SCHEDULE;
}

/* What "it" means from here on: the objects, or what else there is. */
static void remember(struct prose *prose, const struct sentence *sentence,
		     const struct group *group)
{
	size_t nr = 0;

	for (size_t i = 0; i < group->nr && nr < PROSE_MAX_LAST; i++)
		if (group->objects[i].role == OBJECT &&
		    !is_link(sentence, &group->objects[i]))
			prose->last[nr++] = *group->objects[i].token;
	if (!nr && group->nr && !is_link(sentence, &group->objects[0]))
		prose->last[nr++] = *group->objects[group->nr - 1].token;
	if (nr)
		prose->nr_last = nr;
}

static void flush(struct prose *prose, const struct sentence *sentence,
		  struct group *group)
{
	size_t start, end;

	for (size_t i = 0; i < group->nr_verbs; i++) {
		const struct token *verb = token_at(sentence, group->verbs[i]);
		bool known = group->nr || group->understood;

		/* "him a mail": whose objects these are, the next verb says */
		apply(prose, sentence, group, verb);
		if (verb->act == ACT_STOP && verb->task && prose->loose &&
		    !group->nr &&
		    stop_by_name(prose, sentence, verb, group->verbs[i] + 1))
			continue;
		place_of(prose, verb->from, verb->to, &start, &end);
		if (known && verb->act != ACT_ORDINARY)
			translation_asks(prose->ret, start, end);
		if (known || !verb->task || !act_is_grave(verb->act) ||
		    verb->left || signature_find(verb->lower, verb->nr))
			continue;
		translation_gap(prose->ret, start, end, "unknown-object",
				prose->loose, false);
	}
	if (group->nr_verbs && group->nr)
		remember(prose, sentence, group);
	*group = (struct group){ 0 };
}

/* Does it stand for what was named before? */
static bool is_pronoun(const struct token *token)
{
	return token->kind == TOKEN_WORD && !token->code &&
	       token_has(token, WORD_PRONOUN | WORD_POSSESSIVE) &&
	       !token_is(token, "your") && !token_is(token, "our");
}

/* "UFW firewall configuration file": it is the file that is meant. */
static bool is_about(const struct sentence *sentence, size_t end)
{
	for (size_t i = end; i < end + 3; i++) {
		const struct token *token = token_at(sentence, i);

		if (token->kind != TOKEN_WORD ||
		    token_has(token, WORD_PREPOSITION | WORD_CONJUNCTION) ||
		    token->ask)
			return false;
		if (token_is(token, "file") || token_is(token, "files"))
			return true;
	}
	return false;
}

static bool says_folder(const struct sentence *sentence, size_t at)
{
	return token_has(token_at(sentence, at + 1), WORD_FOLDERNOUN);
}

/* Right before it, or before others like it, stands "run". */
static bool says_run(const struct sentence *sentence, size_t at)
{
	while (at--) {
		const struct token *token = token_at(sentence, at);

		if (token->ask)
			return token->act == ACT_RUN;
		if (!token->code && !token_mark(token, ',') &&
		    !token_has(token, WORD_DETERMINER | WORD_CONJUNCTION))
			return false;
	}
	return false;
}

/* "run scripts/x.sh": a program of the project is listed when it is run. */
static bool runs(const struct sentence *sentence, size_t at)
{
	const struct token *path = token_at(sentence, at);

	return says_run(sentence, at) &&
	       (is_script(path) ||
		(path->code && path->text[path->length - 1] != '/'));
}

static void add_path(struct prose *prose, const struct sentence *sentence,
		     struct group *group, struct object *object,
		     const char *text)
{
	struct token *token = arena_alloc(prose->arena, sizeof(*token));
	const char *path;

	*token = *object->token;
	token->text = text;
	token->length = strlen(text);
	path = path_of(prose, token);
	if (!path || group->nr == MAX_OBJECTS)
		return;
	object->token = token;
	object->folder = says_folder(sentence, object->at) ||
			 path[strlen(path) - 1] == '/' ||
			 signature_value("directories", path, strlen(path));
	if (path_is_ordinary(path) && !runs(sentence, object->at)) {
		group->understood = true;
		return;
	}
	object->path = path;
	/* "the log file /var/log/x": the name says it better. */
	while (group->nr && group->objects[group->nr - 1].thing &&
	       group->objects[group->nr - 1].role == object->role &&
	       group->objects[group->nr - 1].end + 3 > object->at)
		group->nr--;
	group->objects[group->nr++] = *object;
}

/* "/etc/{a,b}" is two. */
static void add_paths(struct prose *prose, const struct sentence *sentence,
		      struct group *group, struct object object)
{
	const char *text = object.token->text;
	const char *open = strchr(text, '{');
	const char *close = open ? strchr(open, '}') : NULL;

	if (!close || !memchr(open, ',', (size_t)(close - open))) {
		add_path(prose, sentence, group, &object, text);
		return;
	}
	for (const char *at = open + 1; at < close;) {
		size_t nr = strcspn(at, ",}");
		struct object one = object;

		add_path(prose, sentence, group, &one,
			 arena_printf(prose->arena, "%.*s%.*s%s",
				      (int)(open - text), text, (int)nr, at,
				      close + 1));
		at += nr + 1;
	}
}

/* @meant: what a pronoun stands for, or NULL. Result: tokens that were used
 * up, 0: it is no object. */
static size_t add_one(struct prose *prose, const struct sentence *sentence,
		      struct group *group, enum role role, size_t at,
		      const struct token *meant)
{
	const struct token *token = token_at(sentence, at);
	struct object object = { .role = role,
				 .at = at,
				 .end = at + 1,
				 .token = meant ? meant : token };

	if (meant) {
		object.thing = meant->thing;
		object.pronoun = true;
		token = meant;
	}
	switch (token->kind) {
	case TOKEN_PATH:
		if (token->thing && !meant)
			break;
		add_paths(prose, sentence, group, object);
		return 1;
	case TOKEN_URL:
	case TOKEN_HOST:
	case TOKEN_VARIABLE:
		if (group->nr < MAX_OBJECTS)
			group->objects[group->nr++] = object;
		return 1;
	case TOKEN_SPAN:
		group->understood = true;
		break;
	case TOKEN_WORD:
	case TOKEN_NUMBER:
	case TOKEN_MARK:
		break;
	}
	if (!token->thing)
		return 0;
	if (!meant) {
		object.thing = token->thing;
		object.end = at + token->things;
	}
	if (!thing_counts(prose, sentence, object.thing, at))
		return object.end - at;
	group->understood = true;
	/* "the file's timestamp" is about the latter. */
	if (!meant && token->things == 1 && token->nr < token->length)
		return 1;
	if (!object.thing->object && !object.thing->demands[ACT_USE]) {
		bool any = false;

		for (size_t i = 0; i < NR_ACTS; i++)
			any = any || object.thing->demands[i];
		if (!any)
			return object.end - at;
	}
	if (!meant && object.thing->kind != RESOURCE_FILE &&
	    object.thing->kind != RESOURCE_DIR && object.thing->object &&
	    is_about(sentence, object.end))
		return object.end - at;
	if (group->nr && group->objects[group->nr - 1].path &&
	    group->objects[group->nr - 1].end == at)
		return object.end - at; /* "/etc/passwd file" */
	if (group->nr < MAX_OBJECTS)
		group->objects[group->nr++] = object;
	return object.end - at;
}

static size_t add_object(struct prose *prose, const struct sentence *sentence,
			 struct group *group, enum role role, size_t at)
{
	const struct token *token = token_at(sentence, at);
	const struct token *after = token_at(sentence, at + 1);

	if (!is_pronoun(token))
		return add_one(prose, sentence, group, role, at, NULL);
	/* "it can be ..." begins another statement. */
	if (token_has(after, WORD_OPTIONAL | WORD_WILL | WORD_COPULA |
				     WORD_AUXILIARY | WORD_MUST))
		return 0;
	for (size_t i = 0; i < prose->nr_last; i++) {
		struct token meant = prose->last[i];

		add_one(prose, sentence, group, role, at,
			memcpy(arena_alloc(prose->arena, sizeof(meant)), &meant,
			       sizeof(meant)));
	}
	return prose->nr_last > 0;
}

/* The last object is known by its class alone: "cookies (of Chrome)". */
static bool is_classed(const struct group *group)
{
	const struct object *last =
		group->nr ? &group->objects[group->nr - 1] : NULL;

	return last && is_unnamed(last) && last->thing->class_ != CLASS_ANY;
}

/* @full: there is an object already; @full_of: what "of" then means. */
static enum role role_of(const struct token *token, enum role role, bool full,
			 enum role full_of, enum act act)
{
	if (token_is(token, "of"))
		return full ? full_of : role;
	if (token_has(token, WORD_SOURCE))
		return SOURCE;
	if (token_is(token, "to") || token_is(token, "into") ||
	    token_is(token, "onto") || token_is(token, "as"))
		return TARGET;
	if (token_is(token, "in") || token_is(token, "on") ||
	    token_is(token, "inside") || token_is(token, "within") ||
	    token_is(token, "under") || token_is(token, "across") ||
	    token_is(token, "at") || token_is(token, "throughout"))
		return SCOPE;
	if (token_is(token, "through") &&
	    (act == ACT_SEARCH || act == ACT_READ || act == ACT_LIST))
		return role;
	if (token_has(token, WORD_TOOL))
		return TOOL;
	if (token_is(token, "for"))
		return OBJECT;
	return OTHER;
}

/* ---- tools */

static const char *interpreter(struct prose *prose, const struct token *token)
{
	const char *tool = token_tool(prose, token, true);
	const struct signature *signature;

	signature = tool ? signature_find(tool, strlen(tool)) : NULL;
	return signature && (signature->style == STYLE_INTERPRETER ||
			     signature->style == STYLE_SHELL)
		       ? tool
		       : NULL;
}

/* Something leaves or comes: the program that does it counts by itself. */
static bool sends(const struct sentence *sentence, size_t at)
{
	while (at--) {
		const struct token *token = token_at(sentence, at);

		if (token->ask)
			return token->act == ACT_SEND ||
			       token->act == ACT_FETCH;
		if (token_ends_clause(token))
			return false;
	}
	return false;
}

/*
 * The programs of "using X", "with the X command", "via tshark or tcpdump";
 * of "the zipfile module of Python" it is the latter.
 */
static void read_tools(struct prose *prose, const struct sentence *sentence,
		       size_t at, bool verb)
{
	const char *names[4] = { NULL };
	size_t places[4], nr = 0, kept = 0, i;
	const struct token *first = token_at(sentence, at);

	for (i = at + 1; i < sentence->nr && i < at + 14; i++) {
		const struct token *token = token_at(sentence, i);
		const struct token *after = token_at(sentence, i + 1);
		bool sure = (token_has(after, WORD_TOOLNOUN) &&
			     after->lower[after->nr - 1] != 's') ||
			    (token->code && token->nr);
		const char *tool;

		if (token_mark(token, ',') || token_mark(token, '/') ||
		    token_has(token, WORD_CONJUNCTION)) {
			kept = nr;
			continue;
		}
		if (token->kind == TOKEN_MARK || token->ask ||
		    token_is(token, "to"))
			break;
		if (token_is(token, "from") || token_is(token, "in")) {
			const struct token *other = after;
			size_t k = i + 1;

			if (token_has(other, WORD_DETERMINER))
				other = token_at(sentence, ++k);
			tool = interpreter(prose, other);
			if (!tool)
				break;
			/* "the X command of Y" is X. */
			if (nr > kept &&
			    token_has(token_at(sentence, i - 1), WORD_TOOLNOUN))
				break;
			nr = kept;
			if (nr < 4) {
				places[nr] = k;
				names[nr++] = tool;
			}
			break;
		}
		if (token_is(token, "called") || token_is(token, "named")) {
			tool = token_tool(prose, after, true);
			nr = kept;
			if (tool && nr < 4) {
				places[nr] = i + 1;
				names[nr++] = tool;
			}
			break;
		}
		if (token_has(token, WORD_PREPOSITION) ||
		    token->form == FORM_THIRD)
			break;
		/* "shell scripts", "SSH keys": what is used is no program. */
		if (token->thing && token->things > 1 && !sure)
			break;
		tool = token_tool(prose, token, sure);
		if (!tool || nr == 4)
			continue;
		/* "built by X" is about people. */
		if (token_is(first, "by") &&
		    !signature_find(tool, strlen(tool)))
			continue;
		/* One name at a time; "the ip neighbour command" is ip's. */
		if (nr > kept &&
		    signature_find(names[kept], strlen(names[kept])) &&
		    (!signature_find(tool, strlen(tool)) ||
		     (places[kept] + 1 == i && !token->capital)))
			continue;
		if (nr > kept)
			nr = kept;
		places[nr] = i;
		names[nr++] = tool;
	}
	for (i = 0; i < nr; i++) {
		const struct token *token = token_at(sentence, places[i]);

		if (!token->task && !token->code && !sends(sentence, at))
			continue;
		ask_tool(prose, names[i], first->conditional,
			 verb ? first->from : token->from, token->to);
	}
}

/* "tar will compress", "dig detects": a program that does it */
static bool is_doer(struct prose *prose, const struct sentence *sentence,
		    size_t at)
{
	const struct token *token = token_at(sentence, at);
	const struct token *before = at ? token_at(sentence, at - 1) : &none;
	size_t i = at + 1;

	if (!token->task || token->aside || !token_tool(prose, token, false))
		return false;
	if (before->kind != TOKEN_MARK &&
	    !token_has(before, WORD_DETERMINER | WORD_CONJUNCTION))
		return false;
	while (token_has(token_at(sentence, i), WORD_CONJUNCTION) ||
	       token_mark(token_at(sentence, i), ',') ||
	       token_tool(prose, token_at(sentence, i), false))
		i++;
	if (token_has(token_at(sentence, i), WORD_WILL))
		return !token_is(token_at(sentence, i + 2), "required") &&
		       !token_is(token_at(sentence, i + 2), "needed");
	return token_at(sentence, i)->form == FORM_THIRD &&
	       token_at(sentence, i)->act != ACT_ORDINARY &&
	       token_at(sentence, i)->kind == TOKEN_WORD;
}

/* "standard gzip compression", "the X application" */
static bool is_named_tool(struct prose *prose, const struct sentence *sentence,
			  size_t at)
{
	const struct token *token = token_at(sentence, at);
	const struct token *after = token_at(sentence, at + 1);

	if (!token->task || token->aside || token->negated)
		return false;
	if (token_has(after, WORD_TOOLNOUN) && !token_is(after, "client"))
		return (is_camel(token) || token->code) &&
		       token_tool(prose, token, true);
	if (token_is(after, "library"))
		return token_tool(prose, token, false) != NULL;
	return (after->noun == ACT_PACK || after->noun == ACT_SCAN) &&
	       token_tool(prose, token, false);
}

/* "AWS - Create a key": what a part of the title is about, and no more */
static void title_things(struct prose *prose, const struct sentence *title)
{
	for (size_t i = 0; i < title->nr; i++) {
		const struct token *token = token_at(title, i);
		bool first = !i || token_ends_clause(token_at(title, i - 1));

		if (first && token->thing &&
		    token->thing->kind == RESOURCE_ENDPOINT &&
		    token->thing->object &&
		    (i + token->things == title->nr ||
		     token_ends_clause(token_at(title, i + token->things))))
			ask(prose, AL_OP_NR_CONNECT, RESOURCE_ENDPOINT,
			    token->thing->object, CLASS_ANY, false, token->from,
			    token->to);
	}
}

/* Nothing was understood: the things that are named are used somehow. */
void use_things(struct prose *prose, const struct sentence *sentence)
{
	for (size_t i = 0; i < sentence->nr; i++) {
		const struct token *token = token_at(sentence, i);
		struct object object = {
			.at = i,
			.end = i + token->things,
			.token = token,
			.thing = token->thing,
		};

		if (token->thing && token->thing->demands[ACT_USE] &&
		    !token->aside && !token->negated && token->task)
			act_on_thing(prose, sentence, ACT_USE, &object,
				     token->conditional, token->from,
				     token_at(sentence, object.end - 1)->to);
	}
}

void title_tool(struct prose *prose, const struct sentence *title)
{
	const struct token *first = token_at(title, 0);
	const char *tool = token_tool(prose, first, false);

	if (tool && (is_script(first) || signature_find(tool, strlen(tool))))
		ask_tool(prose, tool, first->conditional, first->from,
			 first->to);
	title_things(prose, title);
}

/* "pipes it to bash": at "to" */
static bool is_piped(struct prose *prose, const struct sentence *sentence,
		     size_t at)
{
	const struct token *to = token_at(sentence, at);
	const struct token *shell = token_at(sentence, at + 1);

	if ((!token_is(to, "to") && !token_is(to, "into")) || to->aside ||
	    to->negated)
		return false;
	if (shell->kind == TOKEN_PATH ? !strstr(shell->text, "bin/")
				      : !interpreter(prose, shell))
		return false;
	for (size_t i = at; i-- > 0 && at - i < 8;) {
		const struct token *token = token_at(sentence, i);

		if (token->kind == TOKEN_MARK)
			return false;
		if (!strncmp(token->lower, "pip", 3) &&
		    token->act == ACT_UNPACK)
			return true;
	}
	return false;
}

/* ---- */

/* A word after which objects belong to nothing that is known. */
static bool is_dead_end(const struct sentence *sentence, size_t at)
{
	const struct token *token = token_at(sentence, at);
	const struct token *before = at ? token_at(sentence, at - 1) : &none;

	if (token->form == FORM_THIRD)
		return token_has(before, WORD_SUBJECT) || token->aside;
	return token->form == FORM_BASE && token_is(before, "to");
}

/* "In X set ...": places in front of the verb */
static void scopes(struct group *group, const struct group *left)
{
	for (size_t i = 0; i < left->nr; i++)
		if (left->objects[i].role == SCOPE && left->objects[i].path &&
		    group->nr < MAX_OBJECTS)
			group->objects[group->nr++] = left->objects[i];
}

/* "find and read", "stop/start" */
static bool is_joined(const struct sentence *sentence, size_t at)
{
	while (at--) {
		const struct token *token = token_at(sentence, at);

		if (token_has(token, WORD_CONJUNCTION) ||
		    token_mark(token, ',') || token_mark(token, '/'))
			return true;
		if (!token_has(token, WORD_ADVERB))
			return false;
	}
	return false;
}

/* `import x` is of a language, `make x` is a program's. */
static bool is_identifier(const struct token *token)
{
	size_t length = strcspn(token->text, " ");
	const struct lexeme *lexeme = lexicon_word(token->text, length);

	if (!lexeme || !lexeme->common || lexeme->program)
		return false;
	return !strstr(token->text, " -") && !strstr(token->text, " /") &&
	       !strstr(token->text, " ~") && !strstr(token->text, " | ");
}

static void read_span(struct prose *prose, const struct sentence *sentence,
		      size_t at)
{
	const struct token *token = token_at(sentence, at);
	struct mood mood = span_mood(sentence, at);
	size_t from = (size_t)(token->from + 1);

	if (token->aside && token->task)
		return;
	if (mood.negated || !mood.request)
		return;
	if (is_identifier(token) && !says_run(sentence, at))
		return;
	shell_read(prose->segment, from, token->to - token->from - 2, mood,
		   prose->ret);
}

static bool has_code(const struct sentence *sentence)
{
	for (size_t i = 0; i < sentence->nr; i++)
		if (token_at(sentence, i)->kind == TOKEN_SPAN)
			return true;
	return false;
}

/* "executes ls -la $HISTFILE 3 times": a command without backquotes */
static size_t read_command(struct prose *prose, const struct sentence *sentence,
			   size_t at)
{
	const struct token *first = token_at(sentence, at + 1);
	const struct token *last = first;
	struct mood mood = { .request = true, .run = true };
	size_t i = at + 2, options = 0;

	if (first->kind != TOKEN_WORD || !first->nr || first->code ||
	    first->capital || !signature_find(first->lower, first->nr))
		return 0;
	for (; i < sentence->nr; i++) {
		const struct token *token = token_at(sentence, i);
		bool option = token->kind == TOKEN_WORD && token->length > 1 &&
			      *token->text == '-';
		/* "npm test", "cargo fmt" */
		bool word = token->kind == TOKEN_WORD && i == at + 2 &&
			    !first->common && !first->task && !token->classes &&
			    !token->capital && !token->thing;

		if (!option && !word && token->kind != TOKEN_VARIABLE &&
		    token->kind != TOKEN_PATH && token->kind != TOKEN_URL)
			break;
		if (token->from != last->to + 1)
			break;
		options += option || word;
		last = token;
	}
	if (!options && (first->common || first->task || has_code(sentence)))
		return 0;
	mood.conditional = first->conditional;
	shell_read(prose->segment, first->from, last->to - first->from, mood,
		   prose->ret);
	return i - at - 1;
}

/* "run `frob --all`", "check it with `frob check`": nobody knows frob, but that
 * it is a command is said. */
static bool is_run(const struct sentence *sentence, size_t at)
{
	const struct token *token = token_at(sentence, at);
	const struct token *before = at ? token_at(sentence, at - 1) : &none;
	size_t name;

	if (token->kind != TOKEN_SPAN)
		return false;
	name = strspn(token->text, "abcdefghijklmnopqrstuvwxyz0123456789-_");
	if (name < 2 || token->text[name] != ' ' ||
	    !islower((unsigned char)*token->text) ||
	    strpbrk(token->text, "(){}<>=;"))
		return false;
	return (before->ask && before->act == ACT_RUN) ||
	       (sentence->asks && !token->aside &&
		(token_is(before, "with") || token_is(before, "using") ||
		 token_is(before, "via")));
}

/* "Install step: curl https://... | sh": a command line in a sentence */
static bool read_line(struct prose *prose, const struct sentence *sentence,
		      size_t at)
{
	const struct segment *segment = prose->segment;
	const struct token *token = token_at(sentence, at);
	size_t from = token->to, to = sentence->to;
	struct mood mood = {
		.request = true,
		.run = true,
		.conditional = token->conditional,
	};
	bool command = false;

	if (token->negated || token->aside || sentence->describes)
		return false;
	for (size_t i = at + 1; i < sentence->nr; i++)
		if (token_has(token_at(sentence, i),
			      WORD_DETERMINER | WORD_PRONOUN | WORD_POSSESSIVE |
				      WORD_POINTER | WORD_CONJUNCTION))
			return false;
	while (from < to && segment->text[from] == ' ')
		from++;
	while (to > from && strchr(" .\n", segment->text[to - 1]))
		to--;
	if (!shell_looks_like_command(segment->text + from, to - from))
		return false;
	for (size_t i = from; i + 2 < to; i++) {
		const char *text = segment->text + i;

		/* What sentences have: quotes of code, dashes. */
		if (*text == '`' || !strncmp(text, " - ", 3))
			return false;
		command = command || !strncmp(text, " -", 2) ||
			  !strncmp(text, " | ", 3) ||
			  !strncmp(text, "://", 3) || !strncmp(text, " /", 2) ||
			  !strncmp(text, " ~/", 3);
	}
	if (!command || !strncmp(segment->text + from, "- ", 2))
		return false;
	shell_read(segment, from, to - from, mood, prose->ret);
	return true;
}

void sentence_requests(struct prose *prose, struct sentence *sentence)
{
	struct group group = { 0 }, left = { 0 };
	enum role role = OBJECT, outer = OBJECT;
	bool dead = true, remark = false;

	for (size_t i = 0; i < sentence->nr;) {
		struct token *token = &sentence->list[i];
		size_t used = 1;

		if (span_is_command(token) || is_run(sentence, i))
			read_span(prose, sentence, i);
		if (token_mark(token, ':') && read_line(prose, sentence, i)) {
			flush(prose, sentence, &group);
			return;
		}
		if (token_ends_clause(token)) {
			if (token_mark(token, '(')) {
				const struct token *after =
					token_at(sentence, i + 1);

				/* "(defined in X)" says more about it. */
				outer = role;
				remark = after->form == FORM_PAST ||
					 token_has(after, WORD_PREPOSITION);
				role = remark ? OTHER : role;
			} else if (token_mark(token, ')')) {
				role = outer;
				remark = false;
			} else {
				flush(prose, sentence, &group);
				if (left.nr && left.objects[0].path)
					remember(prose, sentence, &left);
				left = (struct group){ 0 };
				dead = true;
				role = OBJECT;
			}
		} else if (token_mark(token, ',') || token_mark(token, '/') ||
			   token_has(token, WORD_CONJUNCTION)) {
			if (role == OTHER)
				role = OBJECT;
		} else if (token->ask) {
			bool joined = group.nr_verbs && !group.nr &&
				      !group.understood &&
				      group.nr_verbs < MAX_VERBS &&
				      is_joined(sentence, i);
			bool again = token->left && group.nr_verbs &&
				     token_at(sentence,
					      group.verbs[group.nr_verbs - 1])
					     ->left;

			if (!joined && !again)
				flush(prose, sentence, &group);
			if (group.nr_verbs < MAX_VERBS)
				group.verbs[group.nr_verbs++] = i;
			if (!token->left && !again && !joined && !group.nr)
				scopes(&group, &left);
			if (token->left && !again && !group.nr) {
				for (size_t k = 0; k < left.nr; k++)
					left.objects[k].role = OBJECT;
				size_t nr = group.nr_verbs;
				size_t verbs[MAX_VERBS];

				memcpy(verbs, group.verbs, sizeof(verbs));
				group = left;
				memcpy(group.verbs, verbs, sizeof(verbs));
				group.nr_verbs = nr;
			}
			if (left.nr && (left.objects[0].path ||
					(prose->loose && !prose->nr_last)))
				remember(prose, sentence, &left);
			left = (struct group){ 0 };
			role = OBJECT;
			dead = false;
			if (token->act == ACT_USE)
				read_tools(prose, sentence, i, true);
			if (token->act == ACT_RUN)
				used += read_command(prose, sentence, i);
			if ((token->act == ACT_RUN ||
			     token->act == ACT_START) &&
			    token->task)
				read_tools(prose, sentence, i, true);
			if (token->task && token->kind == TOKEN_WORD &&
			    token->form == FORM_BASE && !token->common) {
				const struct signature *signature =
					signature_find(token->lower, token->nr);

				if (signature && signature->base == BASE_NOT &&
				    token->act != ACT_CONNECT)
					ask_tool(prose, token->lower,
						 token->conditional,
						 token->from, token->to);
			}
		} else if (is_piped(prose, sentence, i)) {
			ask(prose, AL_OP_NR_EXECUTE, RESOURCE_TOOL, "*",
			    CLASS_ANY, token->conditional, token->from,
			    token_at(sentence, i + 1)->to);
		} else if (token->aside || token->negated) {
			;
		} else if (token->act != ACT_NONE && is_dead_end(sentence, i)) {
			flush(prose, sentence, &group);
			dead = true;
		} else if (token_has(token, WORD_SUBJECT) && i &&
			   token_at(sentence, i - 1)->kind == TOKEN_WORD &&
			   !token_has(token_at(sentence, i - 1),
				      WORD_PREPOSITION)) {
			role = OTHER;
		} else if (token_is(token, "so") ||
			   token_is(token, "because") ||
			   (token_has(token, WORD_CONDITION) && !dead)) {
			role = OTHER;
		} else if (token_has(token, WORD_PREPOSITION) &&
			   !token->thing) {
			if (!remark)
				role = role_of(
					token, role, !dead && group.nr,
					is_classed(&group) ? SOURCE : OTHER,
					group.nr_verbs
						? token_at(sentence,
							   group.verbs[0])
							  ->act
						: ACT_NONE);
			if (role == TOOL && (token->task || sentence->asks))
				read_tools(prose, sentence, i, false);
		} else if (is_doer(prose, sentence, i) ||
			   is_named_tool(prose, sentence, i)) {
			ask_tool(prose,
				 token_tool(prose, token,
					    token->code || is_camel(token)),
				 token->conditional, token->from, token->to);
		} else {
			used = dead ? add_object(prose, sentence, &left, role,
						 i)
				    : add_object(prose, sentence, &group, role,
						 i);
			used = used ? used : 1;
			/* Command spans inside of a phrase. */
			for (size_t k = i + 1; k < i + used; k++)
				if (span_is_command(token_at(sentence, k)))
					read_span(prose, sentence, k);
		}
		i += used;
	}
	flush(prose, sentence, &group);
}
