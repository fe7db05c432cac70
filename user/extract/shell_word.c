/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Words: what a shell would make of quotes, variables, substitutions and
 * braces. A piece that nobody can know becomes "*", the same sign that globs
 * have, since both stand for any name.
 */
#include "shell.h"

#include <ctype.h>
#include <string.h>

/* What is known about a byte of a word that is being put together. */
enum { QUOTED = 1, UNKNOWN = 2, SPLIT = 4 };

/* A placeholder of the text, put there by shell.c; a byte that no rule has. */
#define PLACEHOLDER '\002'

struct pieces {
	struct shell *shell;
	char *text;
	size_t *origin;
	unsigned char *flags;
	size_t nr;
	size_t room;
	bool quoted;
	bool stream;
	const char *process;
	struct use *uses;
	size_t nr_uses;
};

static void piece_add(struct pieces *pieces, char c, size_t origin,
		      unsigned int flags)
{
	struct shell *shell = pieces->shell;

	if (pieces->nr >= SHELL_MAX_TEXT)
		return;
	/* Words that are made of words that are made of words. */
	if (!shell->work) {
		shell->steps = 0;
		return;
	}
	shell->work--;
	if (pieces->nr + 1 >= pieces->room) {
		struct arena *arena = shell->arena;
		size_t room = pieces->room ? pieces->room * 2 : 32;
		char *text = arena_alloc(arena, room);
		size_t *origins = arena_alloc(arena, room * sizeof(*origins));
		unsigned char *more = arena_alloc(arena, room);

		if (pieces->nr) {
			memcpy(text, pieces->text, pieces->nr);
			memcpy(origins, pieces->origin,
			       pieces->nr * sizeof(*origins));
			memcpy(more, pieces->flags, pieces->nr);
		}
		pieces->text = text;
		pieces->origin = origins;
		pieces->flags = more;
		pieces->room = room;
	}
	pieces->text[pieces->nr] = c;
	pieces->origin[pieces->nr] = origin;
	pieces->flags[pieces->nr++] = (unsigned char)flags;
}

/* One "*" for all that is unknown in a row. */
static void piece_unknown(struct pieces *pieces, size_t origin)
{
	if (pieces->nr && (pieces->flags[pieces->nr - 1] & UNKNOWN))
		return;
	piece_add(pieces, '*', origin, UNKNOWN);
}

static void piece_literal(struct pieces *pieces, const struct code *code,
			  size_t from, size_t to, unsigned int flags)
{
	for (size_t i = from; i < to; i++) {
		if (code->data[i] == PLACEHOLDER)
			piece_unknown(pieces, code->origin[i]);
		else
			piece_add(pieces, code->data[i], code->origin[i],
				  flags);
	}
}

/* Outside of quotes a backslash quotes any byte; inside, only some. */
static void piece_escaped(struct pieces *pieces, const struct code *code,
			  size_t from, size_t to, bool inside)
{
	for (size_t i = from; i < to; i++) {
		unsigned int flags = inside ? QUOTED : 0;

		if (code->data[i] == '\\' && i + 1 < to &&
		    (!inside || strchr("\"\\$`\n", code->data[i + 1]))) {
			i++;
			if (code->data[i] == '\n')
				continue;
			flags = QUOTED;
		}
		piece_literal(pieces, code, i, i + 1, flags);
	}
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)tolower((unsigned char)c);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* $'...': the escapes of C. */
static void piece_ansi(struct pieces *pieces, const struct code *code,
		       size_t from, size_t to)
{
	static const char names[] = "abefnrtv", values[] = "\a\b\033\f\n\r\t\v";

	for (size_t i = from; i < to; i++) {
		const char *at;
		char c = code->data[i];
		size_t origin = code->origin[i];

		if (c == '\\' && i + 1 < to) {
			c = code->data[++i];
			at = strchr(names, c);
			if (c && at) {
				c = values[at - names];
			} else if (c == 'x' && i + 1 < to &&
				   hex_digit(code->data[i + 1]) >= 0) {
				int value = 0;

				for (int n = 0;
				     n < 2 && i + 1 < to &&
				     hex_digit(code->data[i + 1]) >= 0;
				     n++)
					value = value * 16 +
						hex_digit(code->data[++i]);
				c = (char)value;
			} else if (c >= '0' && c <= '7') {
				int value = c - '0';

				for (int n = 0; n < 2 && i + 1 < to &&
						code->data[i + 1] >= '0' &&
						code->data[i + 1] <= '7';
				     n++)
					value = value * 8 + code->data[++i] -
						'0';
				c = (char)value;
			}
		}
		piece_add(pieces, c ? c : ' ', origin, QUOTED);
	}
}

struct variable *shell_variable(struct shell *shell, const char *name,
				size_t length)
{
	struct variable *variable;

	for (variable = shell->variables; variable; variable = variable->next)
		if (strlen(variable->name) == length &&
		    !memcmp(variable->name, name, length))
			return variable;
	return NULL;
}

static void piece_use(struct pieces *pieces, const char *name, size_t length,
		      size_t start, size_t end)
{
	struct arena *arena = pieces->shell->arena;
	struct use *use;

	/* $1, $?, $$ and the like are no environment. */
	if (!isalpha((unsigned char)*name) && *name != '_')
		return;
	if (pieces->nr_uses >= SHELL_MAX_VALUES)
		return;
	use = ARENA_PUSH(arena, pieces->uses, pieces->nr_uses);
	use->name = arena_strndup(arena, name, length);
	use->start = start;
	use->end = end;
}

/* Its bytes come from where the variable stands, all over it. */
static void piece_value(struct pieces *pieces, const struct value *value,
			size_t start, size_t end, unsigned int flags)
{
	size_t length = strlen(value->text);

	if (value->process)
		pieces->process = value->process;
	for (size_t i = 0; i < length; i++) {
		size_t origin = start + (end - start) * i / length;

		if (value->text[i] == '*' && value->unknown)
			piece_unknown(pieces, origin);
		else
			piece_add(pieces, value->text[i], origin, flags);
	}
}

static void piece_word(struct pieces *pieces, const struct word *word,
		       size_t start, size_t end, unsigned int flags)
{
	struct value value = { word->text, word->unknown, word->process };

	piece_value(pieces, &value, start, end, flags);
}

/*
 * Which of @nr values: the rounds of a command go through all combinations of
 * what it has several of, as far as there are not too many.
 */
static size_t choose(struct shell *shell, size_t nr)
{
	size_t choice = shell->choice / shell->radix % nr;

	if (shell->radix * nr <= SHELL_MAX_VALUES)
		shell->radix *= nr;
	else
		shell->radix = SHELL_MAX_VALUES;
	if (shell->radix > shell->choices)
		shell->choices = shell->radix;
	return choice;
}

/*
 * The value of a variable, of an argument of a function, or what everybody's
 * environment has there. False: nobody knows.
 */
static bool piece_variable(struct pieces *pieces, const char *name,
			   size_t length, size_t start, size_t end,
			   unsigned int flags)
{
	struct shell *shell = pieces->shell;
	struct variable *variable = shell_variable(shell, name, length);
	const struct words *arguments = shell->arguments;
	const char *usual;

	if (variable && variable->nr) {
		if (variable->round != shell->round) {
			variable->round = shell->round;
			variable->chosen = choose(shell, variable->nr);
		}
		piece_value(pieces,
			    &variable->values[variable->chosen < variable->nr
						      ? variable->chosen
						      : 0],
			    start, end, flags);
		return true;
	}
	if (variable)
		return false;
	if (arguments && length == 1 && isdigit((unsigned char)*name)) {
		size_t i = (size_t)(*name - '0');

		if (i < arguments->nr)
			piece_word(pieces, &arguments->list[i], start, end,
				   flags);
		return true;
	}
	if (arguments && length == 1 && (*name == '@' || *name == '*')) {
		for (size_t i = 1; i < arguments->nr; i++) {
			if (i > 1)
				piece_add(pieces, ' ', start, SPLIT);
			piece_word(pieces, &arguments->list[i], start, end,
				   flags);
		}
		return true;
	}
	if (length == 1 && *name == '!')
		pieces->process = "";
	piece_use(pieces, name, length, start, end);
	if (length == 3 && !memcmp(name, "PWD", 3)) {
		struct value value = { *shell->cwd ? shell->cwd : ".", false,
				       NULL };

		piece_value(pieces, &value, start, end, flags);
		return true;
	}
	usual = signature_value("variables", name, length);
	if (usual) {
		struct value value = { usual, true, NULL };

		piece_value(pieces, &value, start, end, flags);
		return true;
	}
	return false;
}

static size_t name_length(const char *text, size_t length)
{
	size_t nr = 0;

	if (length && !isalpha((unsigned char)*text) && *text != '_')
		return 1;
	while (nr < length &&
	       (isalnum((unsigned char)text[nr]) || text[nr] == '_'))
		nr++;
	return nr;
}

static void piece_node(struct pieces *pieces, const struct code *code,
		       TSNode node, bool inside);

/* ${NAME}, ${NAME:-DEFAULT}; other operators make the value unknown. */
static void piece_expansion(struct pieces *pieces, const struct code *code,
			    TSNode node, size_t start, unsigned int flags)
{
	size_t end = ts_node_end_byte(node);
	const char *text = code->data + start + 2;
	size_t length = end - start > 3 ? end - start - 3 : 0;
	size_t name = name_length(text, length);
	const char *operator= text + name;
	size_t left = length - name;
	size_t before = pieces->nr;
	TSNode value;
	uint32_t nr;

	shell_walk_inside(pieces->shell, code, node);
	if (length && *text == '#') {
		piece_add(pieces, '0', code->origin[start], flags);
		return;
	}
	if (!length || *text == '!') {
		piece_unknown(pieces, code->origin[start]);
		return;
	}
	if (left >= 1 && *operator== ':' && left >= 2) {
		operator++;
		left--;
	}
	if (!left || strchr("-=?+[", *operator)) {
		if ((!left || *operator!= '+') &&
		    piece_variable(pieces, text, name, code->origin[start],
				   code->origin[end], flags))
			return;
		nr = ts_node_named_child_count(node);
		if (left && !strchr("?[", *operator) && nr >= 2) {
			value = ts_node_named_child(node, nr - 1);
			piece_node(pieces, code, value, flags & QUOTED);
			if (pieces->nr > before)
				return;
		}
	} else {
		/* Cut or replaced: part of it, so globs of it still hold. */
		piece_use(pieces, text, name, code->origin[start],
			  code->origin[end]);
	}
	piece_unknown(pieces, code->origin[start]);
}

static void piece_stream(struct pieces *pieces, const struct stream *stream,
			 size_t start, size_t end, bool inside)
{
	struct shell *shell = pieces->shell;
	const struct stream *one = stream;
	size_t nr = 0, length;

	for (const struct stream *s = stream; s; s = s->other)
		nr++;
	nr = choose(shell, nr);
	for (size_t i = 0; i < nr; i++)
		one = one->other;
	if (one->process)
		pieces->process = one->process;
	if (one->kind == STREAM_SILENT)
		return;
	if (one->kind == STREAM_UNKNOWN) {
		piece_unknown(pieces, start);
		return;
	}
	length = one->text.length;
	while (length && one->text.data[length - 1] == '\n')
		length--;
	for (size_t i = 0; i < length; i++)
		piece_add(pieces, one->text.data[i],
			  start + (end - start) * i / length,
			  inside ? QUOTED : SPLIT);
}

static void piece_substitution(struct pieces *pieces, const struct code *code,
			       TSNode node, bool inside)
{
	struct shell *shell = pieces->shell;
	struct stream in = { .kind = STREAM_SILENT }, out;
	size_t choice = shell->choice, choices = shell->choices;

	shell->substitution++;
	if (!shell->looping)
		shell->choice = 0;
	out = shell_walk(shell, code, node, in);
	if (!shell->looping) {
		shell->choice = choice;
		shell->choices = choices;
	}
	shell->substitution--;
	piece_stream(pieces, &out, code->origin[ts_node_start_byte(node)],
		     code->origin[ts_node_end_byte(node)], inside);
}

/* Children and the bytes between them. */
static void piece_children(struct pieces *pieces, const struct code *code,
			   TSNode node, size_t from, size_t to, bool inside)
{
	TSTreeCursor cursor = ts_tree_cursor_new(node);
	size_t at = from;

	if (ts_tree_cursor_goto_first_child(&cursor)) {
		do {
			TSNode child = ts_tree_cursor_current_node(&cursor);
			size_t start = ts_node_start_byte(child);
			size_t end = ts_node_end_byte(child);

			if (!ts_node_is_named(child) || start < at || end > to)
				continue;
			piece_escaped(pieces, code, at, start, inside);
			piece_node(pieces, code, child, inside);
			at = end;
		} while (ts_tree_cursor_goto_next_sibling(&cursor));
	}
	ts_tree_cursor_delete(&cursor);
	piece_escaped(pieces, code, at, to, inside);
}

static void piece_node(struct pieces *pieces, const struct code *code,
		       TSNode node, bool inside)
{
	struct shell *shell = pieces->shell;
	const char *type = ts_node_type(node);
	size_t start = ts_node_start_byte(node), end = ts_node_end_byte(node);
	unsigned int flags = inside ? QUOTED : SPLIT;

	if (start >= end)
		return;
	/* Space before an expansion in quotes is taken for a part of it. */
	while (inside && start + 1 < end &&
	       isspace((unsigned char)code->data[start]) &&
	       strstr(type, "expansion")) {
		piece_literal(pieces, code, start, start + 1, QUOTED);
		start++;
	}
	if (shell->depth >= SHELL_MAX_DEPTH) {
		piece_unknown(pieces, code->origin[start]);
		return;
	}
	shell->depth++;
	if (!strcmp(type, "word") || !strcmp(type, "string_content") ||
	    !strcmp(type, "variable_name") || !strcmp(type, "regex") ||
	    !strcmp(type, "extglob_pattern")) {
		piece_escaped(pieces, code, start, end, inside);
	} else if (!strcmp(type, "raw_string") && end - start >= 2) {
		pieces->quoted = true;
		piece_literal(pieces, code, start + 1,
			      code->data[end - 1] == '\'' ? end - 1 : end,
			      QUOTED);
	} else if (!strcmp(type, "ansi_c_string") && end - start >= 3) {
		pieces->quoted = true;
		piece_ansi(pieces, code, start + 2, end - 1);
	} else if (!strcmp(type, "string")) {
		pieces->quoted = true;
		piece_children(pieces, code, node, start + 1,
			       end - start >= 2 && code->data[end - 1] == '"'
				       ? end - 1
				       : end,
			       true);
	} else if (!strcmp(type, "simple_expansion")) {
		if (!piece_variable(pieces, code->data + start + 1,
				    end - start - 1, code->origin[start],
				    code->origin[end], flags))
			piece_unknown(pieces, code->origin[start]);
	} else if (!strcmp(type, "expansion")) {
		piece_expansion(pieces, code, node, start, flags);
	} else if (!strcmp(type, "command_substitution")) {
		piece_substitution(pieces, code, node, inside);
	} else if (!strcmp(type, "process_substitution")) {
		shell_walk_inside(shell, code, node);
		pieces->stream = true;
		piece_unknown(pieces, code->origin[start]);
	} else if (!strcmp(type, "arithmetic_expansion") ||
		   !strcmp(type, "brace_expression")) {
		shell_walk_inside(shell, code, node);
		piece_unknown(pieces, code->origin[start]);
	} else {
		/* concatenation, command_name, translated_string, ... */
		piece_children(pieces, code, node, start, end, inside);
	}
	shell->depth--;
}

static struct word word_finish(struct pieces *pieces, size_t from, size_t to,
			       size_t end)
{
	struct arena *arena = pieces->shell->arena;
	size_t length = to - from;
	size_t *origin = arena_alloc(arena, (length + 1) * sizeof(*origin));
	struct word word = {
		.text = arena_strndup(
			arena, pieces->text ? pieces->text + from : "", length),
		.length = length,
		.origin = origin,
		.quoted = pieces->quoted,
		.stream = pieces->stream,
		.process = pieces->process,
		.uses = pieces->uses,
		.nr_uses = pieces->nr_uses,
	};

	word.anything = length > 0;
	for (size_t i = 0; i < length; i++) {
		bool unknown = pieces->flags[from + i] & UNKNOWN;

		origin[i] = pieces->origin[from + i];
		word.unknown = word.unknown || unknown;
		word.anything = word.anything && unknown;
	}
	origin[length] = length && origin[length - 1] > end
				 ? origin[length - 1] + 1
				 : end;
	return word;
}

/* Part of @from, for braces and fields: flags come along. */
static void pieces_copy(struct pieces *to, const struct pieces *from,
			size_t start, size_t end)
{
	for (size_t i = start; i < end; i++)
		piece_add(to, from->text[i], from->origin[i], from->flags[i]);
}

/* The "}" of the "{" at @at, and whether a comma is between them. */
static size_t brace_end(const struct pieces *pieces, size_t at, bool *ret_list)
{
	size_t depth = 0;

	*ret_list = false;
	for (size_t i = at; i < pieces->nr; i++) {
		if (pieces->flags[i] & (QUOTED | SPLIT | UNKNOWN))
			continue;
		if (pieces->text[i] == '{') {
			depth++;
		} else if (pieces->text[i] == '}' && --depth == 0) {
			return i;
		} else if (pieces->text[i] == ',' && depth == 1) {
			*ret_list = true;
		}
	}
	return 0;
}

static struct pieces pieces_like(const struct pieces *pieces)
{
	struct pieces ret = *pieces;

	ret.text = NULL;
	ret.origin = NULL;
	ret.flags = NULL;
	ret.nr = 0;
	ret.room = 0;
	return ret;
}

struct word shell_text(struct shell *shell, const struct code *code,
		       TSNode node, bool raw)
{
	struct pieces pieces = { .shell = shell };
	size_t start = ts_node_start_byte(node), end = ts_node_end_byte(node);

	if (raw)
		piece_literal(&pieces, code, start, end, QUOTED);
	else
		piece_children(&pieces, code, node, start, end, true);
	return word_finish(&pieces, 0, pieces.nr, code->origin[end]);
}

void words_push(struct shell *shell, struct words *words, struct word word)
{
	if (words->nr < SHELL_MAX_WORDS)
		*ARENA_PUSH(shell->arena, words->list, words->nr) = word;
}

/* "{name}" in a word that a person is to fill in. */
static bool is_template(const struct pieces *pieces, size_t start, size_t end)
{
	if (end <= start + 1)
		return false;
	for (size_t i = start + 1; i < end; i++)
		if (!isalnum((unsigned char)pieces->text[i]) &&
		    !strchr("_- {}", pieces->text[i]))
			return false;
	return true;
}

/* {a,b} makes two words. */
static void braces(struct pieces *pieces, size_t end, unsigned int level,
		   struct words *ret)
{
	size_t start, close = 0, from, depth = 0;
	bool list = false;

	for (start = 0; start < pieces->nr; start++) {
		if (pieces->text[start] != '{' ||
		    (pieces->flags[start] & (QUOTED | SPLIT | UNKNOWN)))
			continue;
		close = brace_end(pieces, start, &list);
		if (close && (list || is_template(pieces, start, close)))
			break;
	}
	if (start >= pieces->nr || level >= SHELL_MAX_BRACES ||
	    pieces->nr > SHELL_MAX_BRACED || ret->nr >= SHELL_MAX_VALUES) {
		words_push(pieces->shell, ret,
			   word_finish(pieces, 0, pieces->nr, end));
		return;
	}
	if (!list) {
		struct pieces one = pieces_like(pieces);

		pieces_copy(&one, pieces, 0, start);
		piece_unknown(&one, pieces->origin[start]);
		pieces_copy(&one, pieces, close + 1, pieces->nr);
		braces(&one, end, level + 1, ret);
		return;
	}
	from = start + 1;
	for (size_t i = from; i <= close; i++) {
		bool plain = !(pieces->flags[i] & (QUOTED | SPLIT | UNKNOWN));

		if (plain && pieces->text[i] == '{')
			depth++;
		if (plain && pieces->text[i] == '}' && i < close)
			depth--;
		if (i == close || (plain && pieces->text[i] == ',' && !depth)) {
			struct pieces one = pieces_like(pieces);

			pieces_copy(&one, pieces, 0, start);
			pieces_copy(&one, pieces, from, i);
			pieces_copy(&one, pieces, close + 1, pieces->nr);
			if (ret->nr < SHELL_MAX_VALUES)
				braces(&one, end, level + 1, ret);
			from = i + 1;
		}
	}
}

/* "[args]" and "..." stand for more words or none. */
static bool is_optional(const struct pieces *pieces)
{
	const char *text = pieces->text;
	size_t nr = pieces->nr;

	if (pieces->quoted || !nr)
		return false;
	if (nr == 3 &&
	    (!memcmp(text, "...", 3) || !memcmp(text, "\xe2\x80\xa6", 3)))
		return true;
	return nr > 3 && text[0] == '[' && text[nr - 1] == ']' &&
	       !memchr(text, '*', nr) && !memchr(text, '/', nr);
}

/* Most words are only letters: they stand in the text as they are. */
static bool word_plain(struct shell *shell, const struct code *code,
		       TSNode node, struct words *ret)
{
	size_t start = ts_node_start_byte(node), end = ts_node_end_byte(node);
	const char *text = code->data + start;
	size_t length = end - start;

	if (!length || *text == '[' || (length == 3 && !memcmp(text, "...", 3)))
		return false;
	for (size_t i = 0; i < length; i++)
		if (!isalnum((unsigned char)text[i]) &&
		    !strchr("-_./=:,+@%~*[]?", text[i] ? text[i] : '"'))
			return false;
	words_push(shell, ret,
		   (struct word){
			   .text = arena_strndup(shell->arena, text, length),
			   .length = length,
			   .origin = code->origin + start,
		   });
	return true;
}

void shell_words(struct shell *shell, const struct code *code, TSNode node,
		 struct words *ret)
{
	struct pieces pieces = { .shell = shell };
	struct words words = { NULL, 0 };
	size_t end = code->origin[ts_node_end_byte(node)];
	size_t from = 0;

	if (word_plain(shell, code, node, ret))
		return;
	piece_node(&pieces, code, node, false);
	if (is_optional(&pieces))
		return;
	if (!pieces.nr && !pieces.quoted)
		return;
	for (size_t i = 0; i <= pieces.nr; i++) {
		struct pieces field;

		if (i < pieces.nr && (!(pieces.flags[i] & SPLIT) ||
				      !isspace((unsigned char)pieces.text[i])))
			continue;
		if (i > from || (pieces.quoted && i == pieces.nr && !from)) {
			field = pieces_like(&pieces);
			pieces_copy(&field, &pieces, from, i);
			braces(&field, end, 0, &words);
		}
		from = i + 1;
	}
	for (size_t i = 0; i < words.nr; i++)
		words_push(shell, ret, words.list[i]);
}

struct word shell_word(struct shell *shell, const struct code *code,
		       TSNode node)
{
	struct pieces pieces = { .shell = shell };

	piece_node(&pieces, code, node, false);
	return word_finish(&pieces, 0, pieces.nr,
			   code->origin[ts_node_end_byte(node)]);
}

struct stretch word_stretch(const struct word *word)
{
	return (struct stretch){ word->text, word->length, word->origin };
}

struct word word_part(struct shell *shell, const struct word *word, size_t from,
		      size_t length)
{
	struct word part = *word;

	part.text = arena_strndup(shell->arena, word->text + from, length);
	part.length = length;
	part.origin = word->origin + from;
	if (length && from + length < word->length) {
		size_t *origin = arena_alloc(shell->arena,
					     (length + 1) * sizeof(*origin));

		memcpy(origin, part.origin, length * sizeof(*origin));
		origin[length] = part.origin[length - 1] + 1;
		if (origin[length] < part.origin[length])
			origin[length] = part.origin[length];
		part.origin = origin;
	}
	part.anything = length == 1 && *part.text == '*' && word->unknown;
	return part;
}

const size_t *origin_spread(struct shell *shell, size_t start, size_t end,
			    size_t length)
{
	size_t *origin =
		arena_alloc(shell->arena, (length + 1) * sizeof(*origin));

	for (size_t i = 0; i < length; i++)
		origin[i] = start + (end - start) * i / length;
	origin[length] = end;
	return origin;
}

struct word word_made(struct shell *shell, const struct word *at,
		      const char *text)
{
	size_t start, end, length = strlen(text);

	word_span(at, &start, &end);
	return (struct word){
		.text = arena_strdup(shell->arena, text),
		.length = length,
		.origin = origin_spread(shell, start, end, length),
		.unknown = strchr(text, '*') != NULL,
		.anything = !strcmp(text, "*"),
	};
}

bool word_is(const struct word *word, const char *text)
{
	return !strcmp(word->text, text);
}

void words_split(struct shell *shell, const struct stretch *text,
		 struct words *ret)
{
	size_t i = 0;

	while (i < text->length && ret->nr < SHELL_MAX_WORDS) {
		struct pieces pieces = { .shell = shell };

		while (i < text->length &&
		       isspace((unsigned char)text->data[i]))
			i++;
		while (i < text->length &&
		       !isspace((unsigned char)text->data[i])) {
			piece_add(&pieces, text->data[i], text->origin[i], 0);
			i++;
		}
		if (pieces.nr)
			words_push(shell, ret,
				   word_finish(&pieces, 0, pieces.nr,
					       text->origin[i]));
	}
}

void stretch_span(const struct stretch *source, size_t from, size_t to,
		  size_t *ret_start, size_t *ret_end)
{
	const size_t *origin = source->origin;

	*ret_start = *ret_end = origin[from];
	if (to <= from)
		return;
	*ret_end = origin[to - 1] + 1;
	/* Behind text that was made there may be more of what it is made of. */
	if (to == source->length && to >= 2 &&
	    origin[to - 1] != origin[to - 2] + 1 && origin[to] > *ret_end)
		*ret_end = origin[to];
}

void word_span(const struct word *word, size_t *ret_start, size_t *ret_end)
{
	struct stretch source = word_stretch(word);

	stretch_span(&source, 0, word->length, ret_start, ret_end);
	if (!word->length)
		*ret_end = *ret_start + 1;
}
