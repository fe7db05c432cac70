// SPDX-License-Identifier: GPL-2.0-only
/*
 * SystemDSL text to typed program: recursive descent with one token of
 * look-ahead. A statement that is wrong is complained about once and skipped,
 * up to the next line that begins with the keyword of a statement.
 */
#include "program.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <aletheia/limits.h>

#include "base/cleanup.h"
#include "check.h"
#include "parser.h"

/* ---- comments */

static void keep_comment(struct parser *parser,
			 const struct loose_comment *loose,
			 enum comment_owner owner, size_t index, bool beside)
{
	struct program *program = parser->program;
	struct comment *comment =
		ARENA_PUSH(parser->arena, program->comments[owner],
			   program->nr_comments[owner]);

	comment->text = loose->text;
	comment->index = index;
	comment->beside = beside;
}

/*
 * Give the comments so far to an owner: those up to @until stand above it (or
 * within it, from where they move up), one behind @until on its line beside.
 */
static void take_comments(struct parser *parser, enum comment_owner owner,
			  size_t index, const struct position *until)
{
	struct lexer *lexer = &parser->lexer;
	size_t i;

	for (i = 0; i < lexer->nr_comments; i++) {
		const struct loose_comment *loose = &lexer->comments[i];
		bool inside = loose->at.offset < until->offset;

		if (!inside && loose->at.line != until->line)
			break;
		keep_comment(parser, loose, owner, index, !inside);
	}
	lexer->nr_comments -= i;
	/* What is left was found while looking one token ahead. */
	if (i)
		memmove(lexer->comments, lexer->comments + i,
			lexer->nr_comments * sizeof(*lexer->comments));
}

/* A comment on the text: before everything, and before a blank line. */
static void take_top_comments(struct parser *parser)
{
	struct lexer *lexer = &parser->lexer;
	struct position until = { 0 };
	uint32_t next = parser->token.at.start.line;
	size_t i;

	for (i = lexer->nr_comments; i > 0 && !until.line; i--) {
		const struct position *at = &lexer->comments[i - 1].at;

		if (next > at->line + 1) {
			until = *at;
			until.offset++;
		}
		next = at->line;
	}
	if (until.line)
		take_comments(parser, COMMENT_TOP, 0, &until);
}

/* ---- blocks */

/**
 * struct statement - a keyword and what follows it
 * @setup:	it stands in a setup block, else in a system block
 * @owner:	whose comments are kept
 */
struct statement {
	const char *keyword;
	bool (*parse)(struct parser *parser);
	bool setup;
	enum comment_owner owner;
};

static const struct statement statements[] = {
	{ "rule", statement_rule, false, COMMENT_RULE },
	{ "resource", statement_resource, false, COMMENT_RESOURCE },
	{ "grant", statement_grant, false, COMMENT_GRANT },
	{ "agent", statement_agent, true, COMMENT_AGENT },
	{ "use", statement_use, true, COMMENT_USE },
	{ "baseline", statement_baseline, true, COMMENT_BASELINE },
	{ "bind", statement_bind, true, COMMENT_BINDING },
};

static size_t nr_owned(const struct program *program, enum comment_owner owner)
{
	switch (owner) {
	case COMMENT_RESOURCE:
		return program->nr_resources;
	case COMMENT_GRANT:
		return program->nr_grants;
	case COMMENT_BASELINE:
		return program->nr_baselines;
	case COMMENT_BINDING:
		return program->nr_bindings;
	default:
		return 0;
	}
}

static const struct statement *statement_of(const struct token *token)
{
	size_t i;

	for (i = 0; token->kind == TOKEN_WORD && i < ARRAY_SIZE(statements);
	     i++)
		if (!strcmp(statements[i].keyword, token->text))
			return &statements[i];
	return NULL;
}

static const char *const block_list[] = { "system", "setup" };
static const struct words block_words = { block_list, ARRAY_SIZE(block_list) };

static bool at_block(const struct parser *parser)
{
	return parser_at_word(parser, "system") ||
	       parser_at_word(parser, "setup");
}

bool parser_at_statement(const struct parser *parser)
{
	return statement_of(&parser->token) || at_block(parser);
}

/* To the next line that begins a statement or block, or to the block's end. */
static void recover(struct parser *parser)
{
	while (parser->token.kind != TOKEN_END) {
		if (parser->token.first && parser_at_statement(parser))
			break;
		if (parser_at_mark(parser, '}') && parser->depth <= 1)
			break;
		parser_advance(parser);
	}
	parser->depth = 1;
}

/* Always false. */
static bool unknown_statement(struct parser *parser, bool setup)
{
	const char *list[ARRAY_SIZE(statements)];
	struct words words = { list, 0 };
	struct token token = parser->token;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(statements); i++)
		if (statements[i].setup == setup)
			list[words.nr++] = statements[i].keyword;
	parser_expected(parser, "a statement or \"}\"");
	if (token.kind == TOKEN_WORD)
		parser_hint_words(parser, &words, token.text);
	parser_advance(parser);
	/* It may have been a declaration. */
	if (!setup && token.kind == TOKEN_WORD &&
	    parser->token.kind == TOKEN_WORD)
		parser_declare(parser, &parser->token);
	return false;
}

static bool parse_statement(struct parser *parser, bool setup)
{
	const struct statement *statement = statement_of(&parser->token);
	struct program *program = parser->program;
	size_t index;

	if (!statement)
		return unknown_statement(parser, setup);
	if (statement->setup != setup) {
		complain(parser->diagnostics, &parser->token.at,
			 "%s does not belong here", parser_found(parser));
		complain_hint(parser->diagnostics, "it goes into the %s block",
			      statement->setup ? "setup" : "system");
	}
	index = nr_owned(program, statement->owner);
	parser_advance(parser);
	if (!statement->parse(parser))
		return false;
	take_comments(parser, statement->owner, index, &parser->end);
	return true;
}

static bool parse_block_name(struct parser *parser, bool first)
{
	struct program *program = parser->program;
	struct span at = parser->token.at;
	const char *name = NULL;

	if (!parser_string(parser, "the name of the system", &name))
		return false;
	if (!*name || strlen(name) >= AL_NAME_SIZE)
		return complain(parser->diagnostics, &at,
				"the name is empty or too long");
	if (!first && strcmp(program->name, name)) {
		complain(parser->diagnostics, &at,
			 "the other block is about %s",
			 quoted(parser->diagnostics, program->name));
		return complain_hint(parser->diagnostics,
				     "both blocks have the same name");
	}
	program->name = name;
	program->name_at = at;
	return true;
}

/* The lines of a block, after its opening brace. */
static void parse_statements(struct parser *parser, bool setup,
			     const struct span *opened)
{
	while (parser->token.kind != TOKEN_END &&
	       !parser_at_mark(parser, '}')) {
		if (parser->token.first && at_block(parser))
			break;
		if (!parse_statement(parser, setup))
			recover(parser);
	}
	if (parser_at_mark(parser, '}')) {
		parser_advance(parser);
		take_comments(parser,
			      setup ? COMMENT_SETUP_END : COMMENT_SYSTEM_END, 0,
			      &parser->end);
		return;
	}
	if (parser->lexer.stop)
		return;
	parser_expected(parser, "\"}\"");
	complain_hint(parser->diagnostics, "the block was opened in line %u",
		      opened->start.line);
}

static void parse_block(struct parser *parser)
{
	struct program *program = parser->program;
	bool setup = parser_at_word(parser, "setup");
	bool *has = setup ? &program->has_setup : &program->has_system;
	struct span at = parser->token.at;
	bool first = !program->has_setup && !program->has_system;

	if (*has) {
		complain(parser->diagnostics, &at, "a second %s block",
			 parser->token.text);
		complain_hint(parser->diagnostics,
			      "a text holds each block at most once");
	}
	*has = true;
	parser->depth = 0;
	parser_advance(parser);
	if (!parse_block_name(parser, first))
		while (!parser_at_mark(parser, '{') && !parser->token.first &&
		       parser->token.kind != TOKEN_END)
			parser_advance(parser);
	if (!parser_mark(parser, '{')) {
		recover(parser);
		if (!statement_of(&parser->token)) {
			parser_accept_mark(parser, '}');
			return;
		}
	}
	take_comments(parser, setup ? COMMENT_SETUP : COMMENT_SYSTEM, 0,
		      &parser->end);
	parse_statements(parser, setup, &at);
}

static void not_a_block(struct parser *parser)
{
	const struct token *token = &parser->token;
	const struct statement *statement = statement_of(token);

	if (token->kind == TOKEN_BAD)
		return;
	complain(parser->diagnostics, &token->at,
		 "expected \"system\" or \"setup\", found %s",
		 parser_found(parser));
	if (statement)
		complain_hint(parser->diagnostics,
			      "statements stand in a block: %s \"NAME\" { "
			      "... }",
			      statement->setup ? "setup" : "system");
	else if (token->kind == TOKEN_WORD)
		parser_hint_words(parser, &block_words, token->text);
}

static void parse_text(struct parser *parser)
{
	struct position end;

	parser_advance(parser);
	take_top_comments(parser);
	while (parser->token.kind != TOKEN_END) {
		if (at_block(parser)) {
			parse_block(parser);
			continue;
		}
		not_a_block(parser);
		do
			parser_advance(parser);
		while (parser->token.kind != TOKEN_END &&
		       !(at_block(parser) && parser->token.first));
	}
	end = parser->token.at.end;
	end.offset++;
	take_comments(parser, COMMENT_END, 0, &end);
	if (!parser->diagnostics->nr && !parser->program->has_system &&
	    !parser->program->has_setup) {
		parser_expected(parser, "a system or a setup block");
		complain_hint(parser->diagnostics,
			      "a rule that asks for nothing is: system "
			      "\"NAME\" { }");
	}
}

static void parse(struct program *program, struct diagnostics *diagnostics)
{
	const struct source *source = &program->sources[0];
	struct parser parser = {
		.arena = program->arena,
		.program = program,
		.diagnostics = diagnostics,
	};

	if (source->length > AL_MAX_SDL_SIZE) {
		struct span at = { .file = source->file,
				   .start = { 1, 1, 0 },
				   .end = { 1, 1, 0 } };

		complain(diagnostics, &at, "the text is larger than %u bytes",
			 AL_MAX_SDL_SIZE);
		return;
	}
	lexer_init(&parser.lexer, program->arena, source->file, source->text,
		   source->length, diagnostics);
	parse_text(&parser);
	/* Of half a text it is not known what is missing. */
	if (parser.lexer.stop || diagnostics->full)
		return;
	parser_resolve(&parser);
	check_program(program, program->has_system, diagnostics);
}

int program_parse(const char *file, const char *text, size_t length,
		  struct program **ret, struct error **err)
{
	struct program *program cleanup_program = xzalloc(sizeof(*program));
	struct diagnostics diagnostics = { .program = program };
	struct source *source;
	int code;

	program->arena = arena_new();
	source = ARENA_PUSH(program->arena, program->sources,
			    program->nr_sources);
	program->file = source->file = arena_strdup(program->arena, file);
	program->name = "";
	source->length = length;
	source->text = length > AL_MAX_SDL_SIZE
			       ? text
			       : arena_strndup(program->arena, text, length);
	parse(program, &diagnostics);
	code = diagnostics_end(&diagnostics, err);
	if (!code)
		*ret = take_ptr(program);
	return code;
}

const struct resource *program_resource(const struct program *program,
					const char *name)
{
	size_t i;

	for (i = 0; i < program->nr_resources; i++)
		if (!strcmp(program->resources[i].name, name))
			return &program->resources[i];
	return NULL;
}

void program_free(struct program *program)
{
	if (!program)
		return;
	arena_free(program->arena);
	free(program);
}
