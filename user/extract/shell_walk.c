/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Syntax trees: which commands there are, what flows between them, and what
 * their variables hold. Every branch is taken once; commands that only run in
 * some case are conditional.
 */
#include "shell.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const struct stream silent = { .kind = STREAM_SILENT };
static const struct stream unknown = { .kind = STREAM_UNKNOWN };

static bool node_is(TSNode node, const char *type)
{
	return !strcmp(ts_node_type(node), type);
}

static TSNode field(TSNode node, const char *name)
{
	return ts_node_child_by_field_name(node, name, (uint32_t)strlen(name));
}

/* What two commands print, one after the other. */
struct stream shell_both(struct shell *shell, struct stream a, struct stream b)
{
	struct stream out = unknown;
	size_t length;
	char *data;
	size_t *origin;

	if (a.kind == STREAM_SILENT)
		return b;
	if (b.kind == STREAM_SILENT)
		return a;
	if (a.kind != STREAM_TEXT || b.kind != STREAM_TEXT || a.other ||
	    b.other)
		return out;
	length = a.text.length + b.text.length;
	if (length > SHELL_MAX_TEXT)
		return out;
	data = arena_alloc(shell->arena, length + 1);
	origin = arena_alloc(shell->arena, (length + 1) * sizeof(*origin));
	memcpy(data, a.text.data, a.text.length);
	memcpy(data + a.text.length, b.text.data, b.text.length);
	memcpy(origin, a.text.origin, a.text.length * sizeof(*origin));
	memcpy(origin + a.text.length, b.text.origin,
	       (b.text.length + 1) * sizeof(*origin));
	out.kind = STREAM_TEXT;
	out.text = (struct stretch){ data, length, origin };
	return out;
}

/* Either the one or the other. */
static struct stream either(struct shell *shell, struct stream a,
			    struct stream b)
{
	struct stream *last = &a;
	size_t nr = 1;

	if (a.kind == STREAM_SILENT)
		return b;
	if (b.kind == STREAM_SILENT)
		return a;
	while (last->other && nr++ < SHELL_MAX_VALUES)
		last = last->other;
	if (!last->other) {
		last->other = arena_alloc(shell->arena, sizeof(b));
		*last->other = b;
	}
	return a;
}

struct variable *variable_new(struct shell *shell, const char *name,
			      size_t length)
{
	struct variable *variable = shell_variable(shell, name, length);

	if (!variable) {
		if (shell->nr_names >= SHELL_MAX_NAMES)
			return NULL;
		shell->nr_names++;
		variable = arena_alloc(shell->keep, sizeof(*variable));
		variable->name = arena_strndup(shell->keep, name, length);
		variable->next = shell->variables;
		shell->variables = variable;
	}
	variable->nr = 0;
	return variable;
}

void variable_add(struct shell *shell, struct variable *variable,
		  const struct word *value)
{
	struct value *copy;

	for (size_t i = 0; i < variable->nr; i++)
		if (!strcmp(variable->values[i].text, value->text))
			return;
	if (variable->nr >= SHELL_MAX_VALUES ||
	    value->length > SHELL_MAX_VALUE || value->length > shell->bytes)
		return;
	shell->bytes -= value->length;
	copy = &variable->values[variable->nr++];
	copy->text = arena_strdup(shell->keep, value->text);
	copy->unknown = value->unknown;
	copy->process = value->process
				? arena_strdup(shell->keep, value->process)
				: NULL;
}

void shell_assigned(struct shell *shell, const char *name, size_t length,
		    const struct word *value)
{
	const char *role = signature_value("assigned", name, length);
	struct arguments none = { .signature = { .names = "" } };

	if (role && value->length)
		argument_apply(
			shell, &none,
			(enum signature_role)role_from_word(role, strlen(role)),
			value, &silent);
}

/*
 * A command or an assignment is gone through once for each combination of the
 * values of its variables. What happens inside of it, substitutions and calls
 * of functions, takes part in its rounds and has none of its own.
 */
struct rounds {
	size_t choice;
	size_t choices;
	size_t radix;
	bool looping;
};

static struct rounds rounds_begin(struct shell *shell)
{
	struct rounds rounds = { shell->choice, shell->choices, shell->radix,
				 shell->looping };

	if (rounds.looping)
		return rounds;
	shell->looping = true;
	shell->choice = 0;
	shell->choices = 1;
	shell->radix = 1;
	shell->round++;
	return rounds;
}

static bool rounds_next(struct shell *shell, const struct rounds *rounds)
{
	if (rounds->looping || shell->choice + 1 >= shell->choices ||
	    shell->choice + 1 >= SHELL_MAX_VALUES)
		return false;
	shell->choice++;
	shell->radix = 1;
	shell->round++;
	return true;
}

static void rounds_end(struct shell *shell, const struct rounds *rounds)
{
	if (rounds->looping)
		return;
	shell->looping = false;
	shell->choice = rounds->choice;
	shell->choices = rounds->choices;
	shell->radix = rounds->radix;
}

static void assign(struct shell *shell, const struct code *code, TSNode node,
		   bool keep)
{
	TSNode name = field(node, "name"), value = field(node, "value");
	struct rounds rounds;
	const char *text;
	struct variable *variable;
	struct words words = { NULL, 0 };
	struct word one;
	size_t length;

	if (ts_node_is_null(name))
		return;
	if (!node_is(name, "variable_name")) {
		shell_walk_inside(shell, code, node);
		return;
	}
	text = code->data + ts_node_start_byte(name);
	length = ts_node_end_byte(name) - ts_node_start_byte(name);
	if (ts_node_is_null(value)) {
		if (keep)
			variable_new(shell, text, length);
		return;
	}
	rounds = rounds_begin(shell);
	if (node_is(value, "array")) {
		uint32_t children = ts_node_named_child_count(value);

		for (uint32_t i = 0; i < children && i < SHELL_MAX_VALUES; i++)
			shell_words(shell, code, ts_node_named_child(value, i),
				    &words);
	} else {
		do {
			one = shell_word(shell, code, value);
			words_push(shell, &words, one);
		} while (rounds_next(shell, &rounds));
	}
	rounds_end(shell, &rounds);
	for (size_t i = 0; i < words.nr; i++)
		shell_assigned(shell, text, length, &words.list[i]);
	/* What is set in some case only is one more value. */
	variable = keep && shell->conditional
			   ? shell_variable(shell, text, length)
			   : NULL;
	if (keep && !variable)
		variable = variable_new(shell, text, length);
	for (size_t i = 0; variable && i < words.nr; i++)
		variable_add(shell, variable, &words.list[i]);
}

/* $X, "$X": nothing but a variable. */
static bool only_variable(const struct code *code, TSNode node)
{
	size_t start = ts_node_start_byte(node), end = ts_node_end_byte(node);

	if (start < end && code->data[start] == '"')
		start++;
	return start < end && code->data[start] == '$' &&
	       !memchr(code->data + start, '/', end - start) &&
	       !memchr(code->data + start, '(', end - start);
}

/* Variables that a test looks at. */
static void walk_test(struct shell *shell, const struct code *code, TSNode node)
{
	TSTreeCursor cursor;

	if (shell->depth >= SHELL_MAX_DEPTH)
		return;
	if (node_is(node, "string") || node_is(node, "simple_expansion") ||
	    node_is(node, "expansion") || node_is(node, "concatenation")) {
		struct word word = shell_word(shell, code, node);

		for (size_t i = 0;
		     only_variable(code, node) && i < word.nr_uses; i++)
			request_add(shell, AL_OP_NR_GETENV, RESOURCE_ENV,
				    word.uses[i].name, word.uses[i].start,
				    word.uses[i].end);
		return;
	}
	if (node_is(node, "command_substitution")) {
		shell_walk_inside(shell, code, node);
		return;
	}
	shell->depth++;
	cursor = ts_tree_cursor_new(node);
	if (ts_tree_cursor_goto_first_child(&cursor)) {
		do
			walk_test(shell, code,
				  ts_tree_cursor_current_node(&cursor));
		while (ts_tree_cursor_goto_next_sibling(&cursor));
	}
	ts_tree_cursor_delete(&cursor);
	shell->depth--;
}

void shell_walk_inside(struct shell *shell, const struct code *code,
		       TSNode node)
{
	TSTreeCursor cursor;

	if (shell->depth >= SHELL_MAX_DEPTH)
		return;
	shell->depth++;
	cursor = ts_tree_cursor_new(node);
	if (ts_tree_cursor_goto_first_child(&cursor)) {
		do {
			TSNode child = ts_tree_cursor_current_node(&cursor);

			if (!ts_node_is_named(child))
				continue;
			if (node_is(node, "process_substitution") ||
			    node_is(node, "command_substitution")) {
				shell->substitution++;
				shell_walk(shell, code, child, silent);
				shell->substitution--;
			} else {
				shell_walk_inside(shell, code, child);
			}
		} while (ts_tree_cursor_goto_next_sibling(&cursor));
	}
	ts_tree_cursor_delete(&cursor);
	shell->depth--;
}

/* What redirections do to the streams of a command. */
struct redirection {
	struct stream in;
	bool out_taken;
	struct words extra;
	TSNode then[8]; /* pipelines behind a here-document */
	size_t nr_then;
};

static const char *redirect_operator(TSNode node)
{
	uint32_t nr = ts_node_child_count(node);

	for (uint32_t i = 0; i < nr && i < 4; i++) {
		TSNode child = ts_node_child(node, i);

		if (!ts_node_is_named(child))
			return ts_node_type(child);
	}
	return "";
}

/* /dev/tcp/HOST/PORT is bash's own. */
static bool redirect_network(struct shell *shell, const struct word *word)
{
	const char *host, *port;
	size_t start, end;
	bool tcp = !strncmp(word->text, "/dev/tcp/", 9);

	if (!tcp && strncmp(word->text, "/dev/udp/", 9))
		return false;
	host = word->text + 9;
	port = strchr(host, '/');
	word_span(word, &start, &end);
	request_host(shell, tcp ? "tcp" : "udp", host,
		     port ? (size_t)(port - host) : strlen(host),
		     port ? (unsigned int)strtoul(port + 1, NULL, 10) : 0,
		     start, end);
	return true;
}

static void redirect_file(struct shell *shell, const struct code *code,
			  TSNode node, struct redirection *redirection)
{
	const char *operator= redirect_operator(node);
	uint32_t nr = ts_node_child_count(node);
	bool first = true, descriptor = false;

	for (uint32_t i = 0; i < nr && i < SHELL_MAX_WORDS; i++) {
		TSNode child = ts_node_child(node, i);
		struct word *word;

		if (!ts_node_is_named(child))
			continue;
		if (node_is(child, "file_descriptor")) {
			char c = code->data[ts_node_start_byte(child)];

			descriptor = c == '2';
			continue;
		}
		if (!first) {
			/* The "0" of "0>&1" is a descriptor. */
			if (!node_is(child, "number"))
				shell_words(shell, code, child,
					    &redirection->extra);
			continue;
		}
		first = false;
		word = arena_alloc(shell->arena, sizeof(*word));
		*word = shell_word(shell, code, child);
		if (word->stream || !word->length)
			continue;
		if (strchr(operator, '&') && operator[0] !=
		    '&' &&(isdigit((unsigned char)*word->text) ||
			   word_is(word, "-")))
			continue;
		if (redirect_network(shell, word))
			continue;
		if (strchr(operator, '<')) {
			request_path(shell, AL_OP_NR_READ, word, false, false);
			redirection->in = unknown;
			redirection->in.file = word;
		}
		if (strchr(operator, '>')) {
			request_path(shell, AL_OP_NR_WRITE, word, false, false);
			redirection->out_taken =
				redirection->out_taken || !descriptor;
		}
	}
}

static void redirect_document(struct shell *shell, const struct code *code,
			      TSNode node, struct redirection *redirection);

static void redirect_one(struct shell *shell, const struct code *code,
			 TSNode node, struct redirection *redirection)
{
	if (node_is(node, "file_redirect")) {
		redirect_file(shell, code, node, redirection);
	} else if (node_is(node, "heredoc_redirect")) {
		redirect_document(shell, code, node, redirection);
	} else if (node_is(node, "herestring_redirect")) {
		uint32_t nr = ts_node_named_child_count(node);
		struct word word;

		if (!nr)
			return;
		word = shell_word(shell, code,
				  ts_node_named_child(node, nr - 1));
		redirection->in = unknown;
		if (!word.unknown) {
			struct stretch text = word_stretch(&word);

			redirection->in = stream_text(&text);
		}
	}
}

static void redirect_document(struct shell *shell, const struct code *code,
			      TSNode node, struct redirection *redirection)
{
	uint32_t nr = ts_node_child_count(node);
	bool raw = false;

	for (uint32_t i = 0; i < nr && i < SHELL_MAX_WORDS; i++) {
		TSNode child = ts_node_child(node, i);

		if (!ts_node_is_named(child) || node_is(child, "heredoc_end"))
			continue;
		if (node_is(child, "heredoc_start")) {
			char c = code->data[ts_node_start_byte(child)];

			raw = c == '\'' || c == '"' || c == '\\';
		} else if (node_is(child, "heredoc_body")) {
			struct word word = shell_text(shell, code, child, raw);
			struct stretch text = word_stretch(&word);

			redirection->in = stream_text(&text);
		} else if (node_is(child, "file_redirect") ||
			   node_is(child, "herestring_redirect")) {
			redirect_one(shell, code, child, redirection);
		} else if (node_is(child, "file_descriptor")) {
			continue;
		} else if (node_is(child, "pipeline") ||
			   node_is(child, "list") ||
			   node_is(child, "command") ||
			   node_is(child, "redirected_statement")) {
			if (redirection->nr_then < 8)
				redirection->then[redirection->nr_then++] =
					child;
		} else {
			shell_words(shell, code, child, &redirection->extra);
		}
	}
}

static struct stream walk_redirected(struct shell *shell,
				     const struct code *code, TSNode node,
				     struct stream in)
{
	struct redirection redirection;
	struct rounds rounds;
	TSNode body = field(node, "body");
	const struct words *extra = shell->extra;
	uint32_t nr = ts_node_child_count(node);
	struct stream out = silent;

	rounds = rounds_begin(shell);
	do {
		redirection = (struct redirection){ .in = in };
		for (uint32_t i = 0; i < nr && i < SHELL_MAX_WORDS; i++) {
			TSNode child = ts_node_child(node, i);

			if (ts_node_is_named(child) &&
			    (ts_node_is_null(body) || !ts_node_eq(child, body)))
				redirect_one(shell, code, child, &redirection);
		}
	} while (rounds_next(shell, &rounds));
	rounds_end(shell, &rounds);
	if (!ts_node_is_null(body)) {
		shell->extra = redirection.extra.nr ? &redirection.extra : NULL;
		out = shell_walk(shell, code, body, redirection.in);
		shell->extra = extra;
	}
	if (redirection.out_taken)
		out = silent;
	for (size_t i = 0; i < redirection.nr_then; i++)
		out = shell_walk(shell, code, redirection.then[i], out);
	return out;
}

/* The words of a command in this round, and what stands before them. */
static void command_words(struct shell *shell, const struct code *code,
			  TSNode node, struct redirection *redirection,
			  struct words *ret)
{
	TSTreeCursor cursor = ts_tree_cursor_new(node);

	if (ts_tree_cursor_goto_first_child(&cursor)) {
		do {
			TSNode child = ts_tree_cursor_current_node(&cursor);

			if (!ts_node_is_named(child))
				continue;
			if (node_is(child, "variable_assignment"))
				assign(shell, code, child, false);
			else if (node_is(child, "file_redirect") ||
				 node_is(child, "heredoc_redirect") ||
				 node_is(child, "herestring_redirect"))
				redirect_one(shell, code, child, redirection);
			else
				shell_words(shell, code, child, ret);
		} while (ts_tree_cursor_goto_next_sibling(&cursor));
	}
	ts_tree_cursor_delete(&cursor);
	for (size_t i = 0; i < redirection->extra.nr; i++)
		words_push(shell, ret, redirection->extra.list[i]);
}

static struct stream walk_command(struct shell *shell, const struct code *code,
				  TSNode node, struct stream in)
{
	const struct words *extra = shell->extra;
	struct rounds rounds = rounds_begin(shell);
	struct stream out = silent;
	bool counted = false;

	shell->extra = NULL;
	do {
		struct redirection redirection = { .in = in };
		struct words words = { NULL, 0 };
		struct stream one = silent;

		command_words(shell, code, node, &redirection, &words);
		for (size_t i = 0; extra && i < extra->nr; i++)
			words_push(shell, &words, extra->list[i]);
		if (words.nr && !shell->nested && !shell->counted) {
			translation_asks(shell->ret,
					 code->origin[ts_node_start_byte(node)],
					 code->origin[ts_node_end_byte(node)]);
			counted = shell->counted = true;
		}
		if (words.nr)
			one = shell_call(shell, &words, redirection.in);
		if (redirection.out_taken)
			one = silent;
		out = either(shell, out, one);
	} while (rounds_next(shell, &rounds));
	rounds_end(shell, &rounds);
	shell->extra = extra;
	/* Commands in it are a part of what was counted. */
	if (counted)
		shell->counted = false;
	return out;
}

/* Statements one after the other. */
static struct stream walk_all(struct shell *shell, const struct code *code,
			      TSNode node, struct stream in)
{
	TSTreeCursor cursor = ts_tree_cursor_new(node);
	struct stream out = silent;

	if (ts_tree_cursor_goto_first_child(&cursor)) {
		do {
			TSNode child = ts_tree_cursor_current_node(&cursor);

			if (ts_node_is_named(child))
				out = shell_both(
					shell, out,
					shell_walk(shell, code, child, in));
		} while (ts_tree_cursor_goto_next_sibling(&cursor));
	}
	ts_tree_cursor_delete(&cursor);
	return out;
}

static struct stream walk_pipeline(struct shell *shell, const struct code *code,
				   TSNode node, struct stream in)
{
	TSTreeCursor cursor = ts_tree_cursor_new(node);
	const struct words *extra = shell->extra;
	uint32_t left = ts_node_named_child_count(node);
	struct stream out = in;

	if (ts_tree_cursor_goto_first_child(&cursor)) {
		do {
			TSNode child = ts_tree_cursor_current_node(&cursor);

			if (!ts_node_is_named(child))
				continue;
			/* Words behind a redirection are the last one's. */
			shell->extra = --left ? NULL : extra;
			if (node_is(child, "comment"))
				continue;
			out = shell_walk(shell, code, child, out);
			/* Something always flows, but not from nowhere. */
			if (out.kind == STREAM_SILENT)
				out = unknown;
		} while (ts_tree_cursor_goto_next_sibling(&cursor));
	}
	ts_tree_cursor_delete(&cursor);
	shell->extra = extra;
	return out;
}

static struct stream walk_list(struct shell *shell, const struct code *code,
			       TSNode node, struct stream in)
{
	TSTreeCursor cursor = ts_tree_cursor_new(node);
	const struct words *extra = shell->extra;
	uint32_t left = ts_node_named_child_count(node);
	struct stream out = silent;
	bool or = false;

	if (ts_tree_cursor_goto_first_child(&cursor)) {
		do {
			TSNode child = ts_tree_cursor_current_node(&cursor);
			struct stream one;

			if (!ts_node_is_named(child)) {
				or = node_is(child, "||");
				continue;
			}
			shell->extra = --left ? NULL : extra;
			shell->conditional += or ;
			one = shell_walk(shell, code, child, in);
			shell->conditional -= or ;
			out = or ? either(shell, out, one)
				 : shell_both(shell, out, one);
		} while (ts_tree_cursor_goto_next_sibling(&cursor));
	}
	ts_tree_cursor_delete(&cursor);
	shell->extra = extra;
	return out;
}

/* What is behind one of the words @marks, separated by spaces, is only done in
 * some case. */
static struct stream walk_conditional(struct shell *shell,
				      const struct code *code, TSNode node,
				      struct stream in, const char *marks)
{
	TSTreeCursor cursor = ts_tree_cursor_new(node);
	struct stream out = silent;
	unsigned int behind = !*marks;

	if (ts_tree_cursor_goto_first_child(&cursor)) {
		do {
			TSNode child = ts_tree_cursor_current_node(&cursor);
			const char *type = ts_node_type(child);
			struct stream one;

			if (!ts_node_is_named(child)) {
				if (signature_names(marks, type, strlen(type)))
					behind = 1;
				continue;
			}
			shell->conditional += behind;
			one = shell_walk(shell, code, child,
					 behind ? silent : in);
			shell->conditional -= behind;
			out = behind ? either(shell, out, one) : out;
		} while (ts_tree_cursor_goto_next_sibling(&cursor));
	}
	ts_tree_cursor_delete(&cursor);
	return out;
}

static struct stream walk_for(struct shell *shell, const struct code *code,
			      TSNode node)
{
	TSNode name = field(node, "variable"), body = field(node, "body");
	TSTreeCursor cursor = ts_tree_cursor_new(node);
	struct words words = { NULL, 0 };
	struct variable *variable;
	struct rounds rounds = rounds_begin(shell);

	if (ts_tree_cursor_goto_first_child(&cursor)) {
		do {
			TSNode child = ts_tree_cursor_current_node(&cursor);
			const char *named =
				ts_tree_cursor_current_field_name(&cursor);

			if (!named || strcmp(named, "value"))
				continue;
			shell_words(shell, code, child, &words);
		} while (ts_tree_cursor_goto_next_sibling(&cursor));
	}
	ts_tree_cursor_delete(&cursor);
	rounds_end(shell, &rounds);
	if (!ts_node_is_null(name)) {
		size_t start = ts_node_start_byte(name);

		variable = variable_new(shell, code->data + start,
					ts_node_end_byte(name) - start);
		for (size_t i = 0; variable && i < words.nr; i++)
			variable_add(shell, variable, &words.list[i]);
	}
	if (ts_node_is_null(body))
		return silent;
	shell_walk(shell, code, body, silent);
	return unknown;
}

static void define(struct shell *shell, const struct code *code, TSNode node)
{
	TSNode name = field(node, "name"), body = field(node, "body");
	struct function *function;
	size_t start;

	if (ts_node_is_null(name) || ts_node_is_null(body) ||
	    shell->nr_names >= SHELL_MAX_NAMES)
		return;
	shell->nr_names++;
	start = ts_node_start_byte(name);
	function = arena_alloc(shell->keep, sizeof(*function));
	function->name = arena_strndup(shell->keep, code->data + start,
				       ts_node_end_byte(name) - start);
	function->code = *code;
	/* Nested code goes with its statement. */
	if (shell->nested) {
		size_t end = ts_node_end_byte(node);
		size_t *origin =
			arena_alloc(shell->keep, (end + 1) * sizeof(*origin));

		memcpy(origin, code->origin, (end + 1) * sizeof(*origin));
		function->code.data =
			arena_strndup(shell->keep, code->data, end);
		function->code.origin = origin;
	}
	function->body = body;
	function->next = shell->functions;
	shell->functions = function;
}

void shell_walk_uncalled(struct shell *shell)
{
	static const struct words none;
	struct function *function;

	for (function = shell->functions; function; function = function->next) {
		if (function->called || function->alias.data)
			continue;
		function->called = true;
		shell->arguments = NULL;
		shell_walk(shell, &function->code, function->body, silent);
		shell->arguments = &none;
	}
	shell->arguments = NULL;
}

static void unset(struct shell *shell, const struct code *code, TSNode node)
{
	uint32_t nr = ts_node_named_child_count(node);

	for (uint32_t i = 0; i < nr && i < SHELL_MAX_NAMES; i++) {
		TSNode child = ts_node_named_child(node, i);
		size_t start = ts_node_start_byte(child);

		if (node_is(child, "variable_name"))
			variable_new(shell, code->data + start,
				     ts_node_end_byte(child) - start);
	}
}

static void walk_assignments(struct shell *shell, const struct code *code,
			     TSNode node)
{
	uint32_t nr = ts_node_named_child_count(node);

	for (uint32_t i = 0; i < nr && i < SHELL_MAX_NAMES; i++) {
		TSNode child = ts_node_named_child(node, i);

		if (node_is(child, "variable_assignment"))
			assign(shell, code, child, true);
		else
			shell_walk_inside(shell, code, child);
	}
}

static struct stream walk_node(struct shell *shell, const struct code *code,
			       TSNode node, struct stream in)
{
	const char *type = ts_node_type(node);

	switch (*type) {
	case 'c':
		if (!strcmp(type, "command"))
			return walk_command(shell, code, node, in);
		if (!strcmp(type, "comment"))
			return silent;
		if (!strcmp(type, "case_statement"))
			return walk_conditional(shell, code, node, in, "in");
		if (!strcmp(type, "case_item"))
			return walk_conditional(shell, code, node, in, ")");
		break;
	case 'd':
		if (!strcmp(type, "declaration_command")) {
			walk_assignments(shell, code, node);
			return silent;
		}
		break;
	case 'e':
		if (!strcmp(type, "elif_clause"))
			return walk_conditional(shell, code, node, in, "then");
		if (!strcmp(type, "else_clause"))
			return walk_conditional(shell, code, node, in, "");
		break;
	case 'f':
		if (!strcmp(type, "for_statement"))
			return walk_for(shell, code, node);
		if (!strcmp(type, "function_definition")) {
			define(shell, code, node);
			return silent;
		}
		if (!strcmp(type, "file_redirect")) {
			struct redirection redirection = { .in = in };

			redirect_one(shell, code, node, &redirection);
			return unknown;
		}
		break;
	case 'h':
		if (!strncmp(type, "heredoc_", 8))
			return silent;
		break;
	case 'i':
		if (!strcmp(type, "if_statement"))
			return walk_conditional(shell, code, node, in, "then");
		break;
	case 'l':
		if (!strcmp(type, "list"))
			return walk_list(shell, code, node, in);
		break;
	case 'p':
		if (!strcmp(type, "pipeline"))
			return walk_pipeline(shell, code, node, in);
		break;
	case 'r':
		if (!strcmp(type, "redirected_statement"))
			return walk_redirected(shell, code, node, in);
		break;
	case 's':
		if (!strcmp(type, "subshell")) {
			const char *cwd = shell->cwd;
			struct stream out = walk_all(shell, code, node, in);

			shell->cwd = cwd;
			return out;
		}
		/* A word that stands alone is no command: a broken tree. */
		if (!strcmp(type, "string") ||
		    !strcmp(type, "simple_expansion"))
			return silent;
		break;
	case 't':
		if (!strcmp(type, "test_command")) {
			walk_test(shell, code, node);
			return silent;
		}
		break;
	case 'u':
		if (!strcmp(type, "unset_command")) {
			unset(shell, code, node);
			return silent;
		}
		break;
	case 'v':
		if (!strcmp(type, "variable_assignment")) {
			assign(shell, code, node, true);
			return silent;
		}
		if (!strcmp(type, "variable_assignments")) {
			walk_assignments(shell, code, node);
			return silent;
		}
		break;
	default:
		break;
	}
	return walk_all(shell, code, node, in);
}

struct stream shell_walk(struct shell *shell, const struct code *code,
			 TSNode node, struct stream in)
{
	struct stream out;

	if (shell->depth >= SHELL_MAX_DEPTH) {
		shell_gap(shell, code->origin[ts_node_start_byte(node)],
			  code->origin[ts_node_end_byte(node)], "too-complex",
			  true, false);
		return unknown;
	}
	shell->depth++;
	out = walk_node(shell, code, node, in);
	shell->depth--;
	return out;
}
