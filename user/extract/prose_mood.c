// SPDX-License-Identifier: GPL-2.0-only
/*
 * Moods. A verb asks where the imperative stands: at the beginning of a
 * sentence or of a part of it, behind "must" and the like, and where it goes
 * on with one that asks ("read X and post it"). What forbids reaches to the
 * end of its part of the sentence, or to a "but".
 */
#include "prose.h"

/**
 * struct state - while the tokens are walked
 * @expect:	a verb here would be an imperative
 * @negated:	what comes is forbidden
 * @conditional: what comes is for some case
 * @intro:	in a clause that leads into the sentence: "when X, ..."
 * @introduced:	the sentence began with one
 * @had:	there was an imperative in this sentence
 * @described:	the present clause says what something does
 * @subject:	words that may be the subject were seen in this clause
 */
struct state {
	bool expect;
	bool negated;
	bool conditional;
	bool intro;
	bool introduced;
	bool had;
	bool described;
	bool subject;
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

static bool words_are(const struct sentence *sentence, size_t at,
		      const char *first, const char *second)
{
	return token_is(token_at(sentence, at), first) &&
	       token_is(token_at(sentence, at + 1), second);
}

/*
 * "Test files live in tests/" begins with a noun: before the sentence has any
 * other mark a verb says something about it.
 */
static bool is_noun_here(const struct sentence *sentence, size_t at)
{
	const struct token *after = token_at(sentence, at + 1);

	if (after->kind != TOKEN_WORD ||
	    token_has(after, WORD_DETERMINER | WORD_POSSESSIVE | WORD_PRONOUN |
				     WORD_POINTER))
		return false;
	for (size_t i = at + 1; i < sentence->nr && i < at + 8; i++) {
		const struct token *token = token_at(sentence, i);

		if (token->kind == TOKEN_MARK || token->kind == TOKEN_SPAN ||
		    token_has(token, WORD_PREPOSITION | WORD_CONDITION |
					     WORD_SUBJECT | WORD_CONJUNCTION |
					     WORD_DETERMINER | WORD_PRONOUN |
					     WORD_POSSESSIVE | WORD_POINTER))
			return false;
		if (token_has(token, WORD_COPULA | WORD_MUST | WORD_WILL |
					     WORD_OPTIONAL))
			return i > at + 1 || after->act == ACT_NONE;
	}
	return false;
}

static bool is_forbidding(const struct sentence *sentence, size_t at)
{
	const struct token *token = token_at(sentence, at);
	const struct token *after = token_at(sentence, at + 1);

	if (words_are(sentence, at, "instead", "of") ||
	    words_are(sentence, at, "rather", "than") ||
	    words_are(sentence, at, "no", "need") ||
	    words_are(sentence, at, "no", "longer") ||
	    words_are(sentence, at, "stay", "away") ||
	    words_are(sentence, at, "preferred", "over"))
		return true;
	if (!token_has(token, WORD_NEGATION))
		return false;
	/* "not only", "don't forget to", "never hesitate to" */
	if (token_is(token, "not") &&
	    (token_is(after, "only") || token_is(after, "just")))
		return false;
	if (token_has(token, WORD_NEGATION) &&
	    (token_is(after, "forget") || token_is(after, "fail") ||
	     token_is(after, "hesitate") || token_is(after, "neglect")))
		return false;
	return true;
}

/* A word that begins a clause which says when or why. */
static bool begins_intro(const struct token *token)
{
	return token_has(token, WORD_CONDITION) || token_is(token, "before") ||
	       token_is(token, "after") || token_is(token, "for") ||
	       token_is(token, "in") || token_is(token, "on") ||
	       token_is(token, "as") || token_is(token, "with") ||
	       token_is(token, "to") || token_is(token, "during") ||
	       token_is(token, "upon") || token_is(token, "since") ||
	       token_is(token, "because") || token_is(token, "by") ||
	       token_is(token, "from") || token_is(token, "at") ||
	       token_is(token, "within") || token_is(token, "under");
}

static void begin_clause(struct state *state, const struct prose *prose)
{
	state->expect = true;
	state->negated = prose->negated;
	state->intro = false;
	state->introduced = false;
	state->described = false;
	state->subject = false;
}

/* "do not run X, use Y instead" */
static bool has_instead(const struct sentence *sentence, size_t at)
{
	for (; at < sentence->nr; at++) {
		const struct token *token = token_at(sentence, at);

		if (token_ends_clause(token))
			return false;
		if (token_is(token, "instead"))
			return !token_is(token_at(sentence, at + 1), "of");
	}
	return false;
}

static void walk_mark(const struct prose *prose, struct state *state,
		      const struct sentence *sentence, size_t at)
{
	const struct token *token = token_at(sentence, at);

	switch (token->mark) {
	case MARK_WRONG:
		begin_clause(state, prose);
		state->negated = true;
		break;
	case ';':
	case ':':
	case MARK_DASH:
	case MARK_ITEM:
		begin_clause(state, prose);
		if (token->mark != ':' && token->mark != MARK_DASH)
			state->conditional = prose->conditional;
		break;
	case ',':
		if (state->negated && !prose->negated &&
		    has_instead(sentence, at + 1)) {
			state->negated = false;
			state->expect = true;
		}
		if (state->introduced || state->had)
			state->expect = true;
		if (state->intro) {
			state->subject = false;
			state->described = false;
		}
		state->intro = false;
		break;
	case '(':
	case ')':
		break;
	default:
		break;
	}
}

/*
 * "Before calling this tool read ~/.x": no comma is before the verb, but what
 * comes behind it has a name.
 */
static bool ends_intro(const struct sentence *sentence, size_t at)
{
	const struct token *before = at ? token_at(sentence, at - 1) : &none;
	const struct token *after = token_at(sentence, at + 1);

	if (token_has(after, WORD_DETERMINER | WORD_POSSESSIVE))
		after = token_at(sentence, at + 2);
	if (before->kind == TOKEN_MARK ||
	    token_has(before, WORD_SECOND | WORD_PRONOUN | WORD_MUST |
				      WORD_WILL | WORD_OPTIONAL |
				      WORD_CONJUNCTION | WORD_DETERMINER |
				      WORD_POSSESSIVE | WORD_PREPOSITION |
				      WORD_NEGATION | WORD_CONDITION |
				      WORD_AUXILIARY))
		return false;
	return before->kind == TOKEN_PATH ||
	       (after->kind == TOKEN_PATH && strchr("/~.", *after->text)) ||
	       after->kind == TOKEN_URL || after->kind == TOKEN_VARIABLE;
}

/* "make sure (that) X starts": nothing but X is between. */
static bool ensures(const struct sentence *sentence, size_t at)
{
	for (size_t i = at; i-- > 0 && at - i < 8;) {
		const struct token *token = token_at(sentence, i);

		if (token->kind == TOKEN_MARK ||
		    token_has(token, WORD_PREPOSITION | WORD_CONJUNCTION |
					     WORD_CONDITION))
			return false;
		if (token->act == ACT_NONE)
			continue;
		return token->ask &&
		       (token_is(token, "make") || token_is(token, "ensure"));
	}
	return false;
}

/* The verb at @at: does it ask? */
static void walk_verb(struct sentence *sentence, struct state *state, size_t at)
{
	struct token *token = &sentence->list[at];
	const struct token *before = at ? token_at(sentence, at - 1) : &none;

	switch (token->form) {
	case FORM_BASE:
		if (state->intro && ends_intro(sentence, at)) {
			state->intro = false;
			state->expect = true;
		}
		if (!state->expect || state->intro || token->things > 1 ||
		    is_noun_here(sentence, at)) {
			state->subject = true;
			state->expect = false;
			break;
		}
		token->ask = !state->negated;
		token->negated = state->negated;
		state->had = true;
		state->described = false;
		state->expect = token->act == ACT_SEEM;
		sentence->asks = sentence->asks || token->ask;
		break;
	case FORM_THIRD:
		/* "make sure that the service starts at boot" */
		if (ensures(sentence, at)) {
			token->ask = !state->negated;
			token->left = true;
			state->had = true;
		} else if (state->subject && !state->had) {
			state->described = true;
			sentence->describes = true;
		}
		state->expect = false;
		break;
	case FORM_PAST:
		/* "must be deleted", "should be sent to" */
		if (token_has(before, WORD_PASSIVE)) {
			const struct token *modal =
				at > 1 ? token_at(sentence, at - 2) : &none;

			if (token_has(modal, WORD_MUST) && !state->intro) {
				token->ask = !state->negated;
				token->left = true;
				state->had = true;
				sentence->asks = sentence->asks || token->ask;
			} else {
				state->described = true;
				sentence->describes = true;
			}
		} else if (state->subject && !state->had) {
			state->described = true;
		}
		state->expect = false;
		break;
	case FORM_GERUND:
	case FORM_NONE:
		state->expect = false;
		break;
	}
}

/* "make sure to", "you need to", "it is required to" */
static bool obliges(const struct sentence *sentence, size_t at)
{
	for (size_t i = at; i-- > 0 && at - i < 5;) {
		const struct token *token = token_at(sentence, i);

		if (token->kind == TOKEN_MARK)
			return false;
		if (token_has(token, WORD_MUST))
			return true;
	}
	return false;
}

/* Who is told: nobody is named, or the one who reads. */
static bool is_reader(const struct sentence *sentence, size_t at)
{
	for (size_t i = at; i-- > 0;) {
		const struct token *token = token_at(sentence, i);

		if (token->kind == TOKEN_MARK)
			break;
		if (token_has(token, WORD_SECOND))
			return true;
		if (token->kind != TOKEN_WORD)
			return false;
		if (!token_has(token, WORD_ADVERB | WORD_CONDITION |
					      WORD_PRONOUN | WORD_AUXILIARY |
					      WORD_COPULA | WORD_NEGATION |
					      WORD_OPTIONAL | WORD_MUST |
					      WORD_WILL))
			return false;
	}
	return true;
}

static bool prefers(const struct sentence *sentence, size_t at)
{
	while (at--) {
		const struct token *token = token_at(sentence, at);

		if (token_ends_clause(token))
			return false;
		if (!strncmp(token->lower, "prefer", 6) ||
		    token_is(token, "favor") || token_is(token, "favour"))
			return true;
	}
	return false;
}

static void walk_word(struct sentence *sentence, struct state *state, size_t at)
{
	struct token *token = &sentence->list[at];
	const struct token *before = at ? token_at(sentence, at - 1) : &none;
	const struct token *after = token_at(sentence, at + 1);

	/* "prefer `x` over `y`" */
	if (is_forbidding(sentence, at) ||
	    (token_is(token, "over") && prefers(sentence, at))) {
		state->negated = true;
		state->expect = !token_is(token, "without");
		return;
	}
	/* "Do not X, use Y instead": it is the other clause that asks. */
	if (token_has(token, WORD_CONTRAST) && !token_is(after, "of")) {
		if (!token_is(token, "though") &&
		    !token_is(token, "although")) {
			state->negated =
				token_is(token, "however") && state->negated;
			state->expect = true;
			if (token_is(token, "always"))
				state->intro = false;
		}
		return;
	}
	if ((token_has(token, WORD_CONDITION) &&
	     (!token_is(token, "where") || token_has(after, WORD_OPTIONAL))) ||
	    (token_has(token, WORD_OPTIONAL) && !state->had)) {
		state->conditional = true;
		token->conditional = true;
	}
	if (!state->had && !state->subject && begins_intro(token)) {
		state->intro = true;
		state->introduced = true;
		state->expect = false;
		return;
	}
	if (token_has(token, WORD_CONDITION) || token_is(token, "before") ||
	    token_is(token, "after") || token_is(token, "because") ||
	    token_is(token, "since")) {
		/* What follows tells when, up to a comma. */
		state->intro = true;
		state->expect = false;
		return;
	}
	if (token_is(token, "to")) {
		bool must = obliges(sentence, at);

		state->expect = state->expect || state->had || must;
		if (must && !is_reader(sentence, at) && !state->had)
			state->expect = false;
		return;
	}
	if (token_has(token, WORD_CONJUNCTION)) {
		state->expect =
			state->expect || (state->had && !state->described);
		return;
	}
	if (token_has(token, WORD_MUST)) {
		state->expect = is_reader(sentence, at);
		return;
	}
	if (token_has(token, WORD_OPTIONAL)) {
		state->expect = is_reader(sentence, at) && !state->intro;
		return;
	}
	if (token_has(token, WORD_SECOND)) {
		/* "you run X" tells; "run the agent" does not. */
		state->expect = state->expect && !state->had;
		state->subject = true;
		return;
	}
	if (token_has(token, WORD_ADVERB))
		return;
	if (token_has(token, WORD_AUXILIARY) && state->expect &&
	    token_is(token, "do"))
		return;
	if (token_has(token, WORD_COPULA)) {
		state->described =
			state->described || (state->subject && !state->had);
		state->expect = false;
		return;
	}
	/* A verb that nobody knows: "Frobnicate the gadget". */
	if (state->expect && !state->subject && !state->had &&
	    token->kind == TOKEN_WORD && !token->thing && !token->classes &&
	    (token_has(after, WORD_DETERMINER | WORD_POSSESSIVE | WORD_PRONOUN |
				      WORD_POINTER)) &&
	    (at == 0 || before->kind == TOKEN_MARK ||
	     token_has(before, WORD_ADVERB))) {
		state->had = !state->negated;
		sentence->asks = sentence->asks || state->had;
		state->expect = false;
		return;
	}
	state->subject = true;
	state->expect = false;
}

void sentence_mood(struct prose *prose, struct sentence *sentence)
{
	struct state state = { .conditional = prose->conditional };
	struct state outer = { 0 };
	bool inside = false;

	begin_clause(&state, prose);
	for (size_t i = 0; i < sentence->nr; i++) {
		struct token *token = &sentence->list[i];

		if (token_mark(token, '(') && !inside) {
			outer = state;
			inside = true;
			state.expect = true;
			state.had = false;
			state.intro = false;
			state.subject = false;
			state.described = false;
		} else if (token_mark(token, ')') && inside) {
			state = outer;
			inside = false;
		} else if (token->kind == TOKEN_MARK) {
			walk_mark(prose, &state, sentence, i);
		} else if (token->act != ACT_NONE) {
			walk_verb(sentence, &state, i);
		} else if (token->kind == TOKEN_WORD) {
			walk_word(sentence, &state, i);
		} else {
			state.expect = false;
			state.subject = true;
		}
		token->negated = state.negated;
		token->conditional = state.conditional;
		token->aside = state.described;
		token->intro = state.intro;
	}
}

/* ---- code spans */

/* From the beginning of the clause to @at there are only words of a label. */
static bool is_presented(const struct sentence *sentence, size_t at)
{
	for (size_t i = at; i-- > 0;) {
		const struct token *token = token_at(sentence, i);

		if (token_mark(token, ':') || token_mark(token, MARK_DASH) ||
		    token_mark(token, '(') || token_mark(token, ';') ||
		    token_mark(token, MARK_ITEM) || token_mark(token, '/'))
			return true;
		if (token_mark(token, ','))
			continue;
		if (token->kind == TOKEN_SPAN)
			continue;
		if (token->kind == TOKEN_WORD &&
		    token_has(token, WORD_CONJUNCTION | WORD_ADVERB))
			continue;
		return false;
	}
	return true;
}

/* Nothing is said about it: "Lint: `tox`". */
static bool is_alone(const struct sentence *sentence, size_t at)
{
	return at + 1 == sentence->nr ||
	       token_mark(token_at(sentence, at + 1), ';');
}

/* The verb that a span at @at belongs to: the last one of its clause. */
static const struct token *governor(const struct sentence *sentence, size_t at)
{
	for (size_t i = at; i-- > 0;) {
		const struct token *token = token_at(sentence, i);

		if (token_ends_clause(token) && !token_mark(token, ')'))
			return NULL;
		if (token->act != ACT_NONE &&
		    (token->ask || token->form != FORM_BASE))
			return token;
	}
	return NULL;
}

/* "run `x`", "with `x`", "use `x`": one word that is a program */
static bool is_named(const struct sentence *sentence, size_t at,
		     const struct token *verb)
{
	const struct token *before = at ? token_at(sentence, at - 1) : &none;

	return !verb || !verb->ask || before == verb || verb->act == ACT_RUN ||
	       verb->act == ACT_USE || verb->act == ACT_INSTALL ||
	       token_has(before, WORD_TOOL);
}

struct mood span_mood(const struct sentence *sentence, size_t at)
{
	const struct token *token = token_at(sentence, at);
	const struct token *verb = governor(sentence, at);
	struct mood mood = {
		.negated = token->negated,
		.conditional = token->conditional,
	};

	if (mood.negated)
		return mood;
	if (verb && verb->ask) {
		mood.request = true;
		mood.run = verb->act == ACT_RUN || verb->act == ACT_USE ||
			   verb->act == ACT_INSTALL || verb->act == ACT_START;
	} else if (verb &&
		   (verb->form == FORM_THIRD || verb->form == FORM_PAST)) {
		/* "CI runs `x`", "generated by `x`"; but "run it via `x`" */
		mood.request = sentence->asks && !token->aside &&
			       verb->form == FORM_PAST;
	} else if (verb && verb->form == FORM_GERUND) {
		mood.request = sentence->asks || is_presented(sentence, at);
	} else {
		mood.request = is_presented(sentence, at) ||
			       (sentence->asks && !token->aside);
	}
	if (is_presented(sentence, at) && !token->intro)
		mood.request = !token->nr || is_alone(sentence, at);
	else if (token->intro || (token->nr && !is_named(sentence, at, verb)))
		mood.request = false;
	return mood;
}
