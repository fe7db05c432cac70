/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Text to syntax trees. The parser repairs what is broken, at a cost that may
 * grow with the square of the input, and a quote that is not closed swallows
 * what follows. So text is parsed in windows, with a budget, and where a tree
 * is broken the lines are taken one by one: a block of a rule is often half
 * prose.
 */
#include "shell.h"

#include <string.h>

const TSLanguage *tree_sitter_bash(void);

/* The parser reads in small steps, so that the steps measure its work. */
#define STEP 64
/* Brackets that may be open at once. */
#define MAX_OPEN 100
/* Lines that are put together until they parse. */
#define MAX_JOINED 24

struct input {
	const char *data;
	size_t length;
	size_t steps;
	size_t cancel;
};

static const char *input_read(void *payload, uint32_t offset, TSPoint at,
			      uint32_t *ret_length)
{
	struct input *input = payload;
	size_t left;

	(void)at;
	*ret_length = 0;
	if (!input->steps)
		input->cancel = 1;
	else
		input->steps--;
	if (offset >= input->length)
		return "";
	left = input->length - offset;
	*ret_length = (uint32_t)(left < STEP ? left : STEP);
	return input->data + offset;
}

static bool too_deep(const char *data, size_t length)
{
	size_t depth = 0;

	for (size_t i = 0; i < length; i++) {
		if (data[i] == '(' || data[i] == '{' || data[i] == '`')
			depth++;
		else if ((data[i] == ')' || data[i] == '}') && depth)
			depth--;
		if (depth > MAX_OPEN)
			return true;
	}
	return false;
}

/* NULL: it would take too long. */
static TSTree *parse(struct shell *shell, const char *data, size_t length)
{
	struct input input = { data, length, length / 8 + 256, 0 };
	TSInput reader = { &input, input_read, TSInputEncodingUTF8 };
	TSTree *tree;

	if (too_deep(data, length))
		return NULL;
	if (!shell->parser) {
		shell->parser = ts_parser_new();
		ts_parser_set_language(shell->parser, tree_sitter_bash());
	}
	ts_parser_set_cancellation_flag(shell->parser, &input.cancel);
	tree = ts_parser_parse(shell->parser, NULL, reader);
	ts_parser_set_cancellation_flag(shell->parser, NULL);
	ts_parser_reset(shell->parser);
	return tree;
}

/* Errors proper; what is only missing (a last "fi") does no harm. */
static bool is_broken(TSNode node, unsigned int depth)
{
	TSTreeCursor cursor;
	bool broken = false;

	if (ts_node_is_missing(node) || !ts_node_has_error(node))
		return false;
	if (!strcmp(ts_node_type(node), "ERROR") || depth > SHELL_MAX_DEPTH)
		return true;
	cursor = ts_tree_cursor_new(node);
	if (ts_tree_cursor_goto_first_child(&cursor)) {
		do
			broken = is_broken(ts_tree_cursor_current_node(&cursor),
					   depth + 1);
		while (!broken && ts_tree_cursor_goto_next_sibling(&cursor));
	}
	ts_tree_cursor_delete(&cursor);
	return broken;
}

/* Trees that hold functions stay until the end. */
static void tree_done(struct shell *shell, TSTree *tree,
		      const struct function *before)
{
	if (shell->functions == before)
		ts_tree_delete(tree);
	else
		*ARENA_PUSH(shell->keep, shell->trees, shell->nr_trees) = tree;
}

static size_t line_end(const char *data, size_t length, size_t at)
{
	const char *newline = memchr(data + at, '\n', length - at);

	return newline ? (size_t)(newline - data) + 1 : length;
}

/* What a statement needed goes with it, unless others wait for its output. */
static void statement_done(struct shell *shell, size_t *nr, struct stream *out)
{
	if (shell->nested || ++*nr % 8)
		return;
	arena_free(shell->arena);
	shell->arena = arena_new();
	*out = (struct stream){ .kind = STREAM_SILENT };
}

static void walk_tree(struct shell *shell, const struct code *code,
		      TSTree *tree, struct stream *out)
{
	TSTreeCursor cursor = ts_tree_cursor_new(ts_tree_root_node(tree));
	struct stream in = { .kind = STREAM_SILENT };
	size_t nr = 0;

	if (ts_tree_cursor_goto_first_child(&cursor)) {
		do {
			TSNode node = ts_tree_cursor_current_node(&cursor);

			if (!ts_node_is_named(node))
				continue;
			*out = shell_both(shell, *out,
					  shell_walk(shell, code, node, in));
			statement_done(shell, &nr, out);
		} while (ts_tree_cursor_goto_next_sibling(&cursor));
	}
	ts_tree_cursor_delete(&cursor);
}

/* Words of one line without its grammar, where that costs too much. */
static void line_roughly(struct shell *shell, const struct stretch *line,
			 struct stream *out)
{
	static const struct stream in = { .kind = STREAM_UNKNOWN };
	size_t at = 0, nr = 7;

	while (at < line->length) {
		size_t length = 0;
		struct words words = { NULL, 0 };
		struct stretch part;

		while (at + length < line->length &&
		       !strchr(";|&\n", line->data[at + length]))
			length++;
		part = (struct stretch){ line->data + at, length,
					 line->origin + at };
		words_split(shell, &part, &words);
		if (words.nr)
			shell_call(shell, &words, in);
		statement_done(shell, &nr, out);
		at += length + 1;
	}
}

static void lines(struct shell *shell, const struct stretch *source,
		  struct stream *out)
{
	size_t at = 0;

	while (at < source->length) {
		const char *data = source->data + at;
		size_t left = source->length - at;
		size_t end = line_end(data, left, 0), first;
		struct code code = { data, source->origin + at };
		const struct function *before = shell->functions;
		TSTree *tree;

		while (end < left && end >= 2 && data[end - 2] == '\\')
			end = line_end(data, left, end);
		first = end;
		if (!shell->broken) {
			struct stretch line = { data, end, code.origin };

			line_roughly(shell, &line, out);
			at += end;
			continue;
		}
		tree = parse(shell, data, end);
		if (!tree || is_broken(ts_tree_root_node(tree), 0))
			shell->broken--;
		for (int i = 0; i < MAX_JOINED && end < left && tree &&
				is_broken(ts_tree_root_node(tree), 0);
		     i++) {
			TSTree *more;

			if (!shell->joins)
				break;
			shell->joins--;
			end = line_end(data, left, end);
			more = parse(shell, data, end);
			if (more && !is_broken(ts_tree_root_node(more), 0)) {
				ts_tree_delete(tree);
				tree = more;
				first = end;
				break;
			}
			if (more)
				ts_tree_delete(more);
		}
		if (tree) {
			walk_tree(shell, &code, tree, out);
			tree_done(shell, tree, before);
		} else {
			struct stretch line = { data, first, code.origin };
			size_t from, to;

			stretch_span(&line, 0, first, &from, &to);
			shell_gap(shell, from, to, "too-complex", true, false);
			shell_scan(shell, "", &line);
		}
		at += first;
	}
}

/* Good statements as they are, broken ones line by line. */
static void statements(struct shell *shell, const struct stretch *source,
		       const struct code *code, TSNode root, struct stream *out)
{
	TSTreeCursor cursor = ts_tree_cursor_new(root);
	struct stream in = { .kind = STREAM_SILENT };
	size_t bad = 0, bad_end = 0, nr = 0;
	bool more = ts_tree_cursor_goto_first_child(&cursor);

	while (more) {
		TSNode node = ts_tree_cursor_current_node(&cursor);
		size_t start = ts_node_start_byte(node);
		bool broken = is_broken(node, 0);

		more = ts_tree_cursor_goto_next_sibling(&cursor);
		if (!broken && start >= bad_end) {
			if (bad_end) {
				struct stretch part = { source->data + bad,
							bad_end - bad,
							source->origin + bad };

				lines(shell, &part, out);
				bad_end = 0;
			}
			if (ts_node_is_named(node))
				*out = shell_walk(shell, code, node, in);
			statement_done(shell, &nr, out);
			continue;
		}
		if (!bad_end) {
			bad = start;
			while (bad > 0 && source->data[bad - 1] != '\n')
				bad--;
		}
		/* What else is on its last line goes with it. */
		if (broken) {
			size_t end = ts_node_end_byte(node);

			end = line_end(source->data, source->length,
				       end > start ? end - 1 : end);
			bad_end = end > bad_end ? end : bad_end;
		}
	}
	if (bad_end) {
		struct stretch part = { source->data + bad, bad_end - bad,
					source->origin + bad };

		lines(shell, &part, out);
	}
	ts_tree_cursor_delete(&cursor);
}

static void window(struct shell *shell, const struct stretch *source,
		   struct stream *out)
{
	struct code code = { source->data, source->origin };
	const struct function *before = shell->functions;
	TSTree *tree = shell->broken
			       ? parse(shell, source->data, source->length)
			       : NULL;

	if (!tree) {
		lines(shell, source, out);
		return;
	}
	if (is_broken(ts_tree_root_node(tree), 0)) {
		shell->broken -= shell->broken < 64 ? shell->broken : 64;
		statements(shell, source, &code, ts_tree_root_node(tree), out);
	} else {
		walk_tree(shell, &code, tree, out);
	}
	tree_done(shell, tree, before);
}

static struct stream windows(struct shell *shell, const struct stretch *source)
{
	struct stream out = { .kind = STREAM_SILENT };
	size_t at = 0;

	while (at < source->length) {
		struct stretch part = { source->data + at, source->length - at,
					source->origin + at };

		if (part.length > SHELL_MAX_WINDOW) {
			const char *newline =
				memrchr(part.data, '\n', SHELL_MAX_WINDOW);

			part.length =
				newline ? (size_t)(newline - part.data) + 1
					: SHELL_MAX_WINDOW;
		}
		window(shell, &part, &out);
		at += part.length;
	}
	return out;
}

void shell_code(struct shell *shell, const struct stretch *source)
{
	windows(shell, source);
	shell_walk_uncalled(shell);
}

void shell_done(struct shell *shell)
{
	for (size_t i = 0; i < shell->nr_trees; i++)
		ts_tree_delete(shell->trees[i]);
	ts_parser_delete(shell->parser);
	arena_free(shell->arena);
	arena_free(shell->keep);
}

struct stream shell_nested(struct shell *shell, const struct stretch *source,
			   struct stream in)
{
	struct stream out = { .kind = STREAM_UNKNOWN };
	unsigned int depth = shell->depth;
	size_t start, end;
	char *data;

	(void)in;
	if (!source->length)
		return out;
	if (shell->nested >= SHELL_MAX_NESTED ||
	    source->length > shell->bytes) {
		stretch_span(source, 0, source->length, &start, &end);
		shell_gap(shell, start, end, "too-complex", true, false);
		return out;
	}
	/* Decoded bytes may be anything. */
	data = arena_alloc(shell->arena, source->length + 1);
	for (size_t i = 0; i < source->length; i++)
		data[i] = source->data[i] ? source->data[i] : ' ';
	shell->bytes -= source->length;
	shell->nested++;
	out = windows(shell, &(struct stretch){ data, source->length,
						source->origin });
	shell->nested--;
	shell->depth = depth;
	return out;
}
