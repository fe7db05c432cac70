// SPDX-License-Identifier: GPL-2.0-only
/*
 * Described tasks. Some text asks for what it then only describes: "complete
 * this task: Delete logs - Deletes the system logs". From there on verbs ask in
 * any form, and nouns for acts do, too; what is said about others ("an attacker
 * may ..."), about the past, and where to read more does not.
 */
#include "prose.h"

static const struct token none = { .kind = TOKEN_MARK,
				   .text = "",
				   .lower = "",
				   .act = ACT_NONE,
				   .noun = ACT_NONE };

static const struct token *token_at(const struct sentence *sentence, size_t at)
{
	return at < sentence->nr ? &sentence->list[at] : &none;
}

/* ---- where a task begins */

static bool near(const struct sentence *sentence, size_t from, size_t to,
		 uint64_t first, uint64_t second, size_t distance)
{
	for (size_t i = from; i < to; i++) {
		const struct token *token = token_at(sentence, i);

		if (!token_has(token, first) || token->negated)
			continue;
		for (size_t k = i + 1; k < to && k <= i + distance; k++) {
			const struct token *other = token_at(sentence, k);

			if (token_ends_clause(other))
				break;
			if (token_has(other, second))
				return true;
		}
	}
	return false;
}

bool leads_to_task(const struct sentence *sentence, size_t from, size_t to)
{
	const struct token *first = token_at(sentence, from);
	const struct token *last =
		to > from ? token_at(sentence, to - 1) : &none;

	if (to <= from)
		return false;
	/* "Step 0 of every task: ..." */
	if (token_is(first, "step") || token_is(first, "task"))
		return token_at(sentence, from + 1)->kind == TOKEN_NUMBER ||
		       token_is(token_at(sentence, from + 1), "zero") ||
		       token_is(token_at(sentence, from + 1), "one");
	/* "Therefore: ..." */
	if (token_has(last, WORD_ADVERB) && token_has(last, WORD_REFER))
		return true;
	return near(sentence, from, to, WORD_PERFORM, WORD_REFER, 5) ||
	       near(sentence, from, to, WORD_REFER, WORD_PERFORM, 6);
}

/* "This test creates ...", "The following command deletes ..." */
static bool demonstrates(const struct sentence *sentence, size_t at)
{
	size_t i = at;
	bool pointed = false;

	for (; i < at + 4; i++) {
		const struct token *token = token_at(sentence, i);

		if (token_has(token, WORD_POINTER) || token_is(token, "the") ||
		    token_is(token, "following"))
			pointed = true;
		else if (token_has(token, WORD_DEMONSTRATION))
			return pointed &&
			       token_at(sentence, i + 1)->form == FORM_THIRD;
		else if (token->kind != TOKEN_WORD || token->act != ACT_NONE)
			return false;
	}
	return false;
}

/* "Deletes the logs": a description without a subject. */
static bool describes(const struct sentence *sentence, size_t at)
{
	const struct token *token = token_at(sentence, at);

	return token->form == FORM_THIRD && token->capital &&
	       token->act != ACT_NONE;
}

/* A word that says when something is to be done, in a paragraph. */
static bool tells(const struct prose *prose, const struct token *token)
{
	return prose->segment->role == SEGMENT_PARAGRAPH && !token->negated &&
	       (token_has(token, WORD_TIME | WORD_MUST) ||
		(token_has(token, WORD_ADVERB) &&
		 token_has(token, WORD_REFER)) ||
		token_is(token, "please"));
}

/* The first token of this sentence that is part of a task. */
static size_t task_begins(struct prose *prose, const struct sentence *sentence)
{
	bool told = prose->told;

	if (prose->task)
		return 0;
	if (prose->told &&
	    (demonstrates(sentence, 0) || describes(sentence, 0))) {
		prose->loose = true;
		return 0;
	}
	for (size_t i = 0; i < sentence->nr; i++) {
		const struct token *token = token_at(sentence, i);

		/* "When done, additionally Create a service: ..." */
		if (i && token_has(token, WORD_ADVERB) &&
		    token_has(token, WORD_REFER) && !token->negated &&
		    (token_at(sentence, i + 1)->capital ||
		     token_at(sentence, i + 1)->kind == TOKEN_PATH)) {
			prose->loose = true;
			return i + 1;
		}
		told = told || tells(prose, token);
		if (!token_mark(token, ':') && !token_mark(token, MARK_DASH) &&
		    !token_mark(token, '('))
			continue;
		if (token_mark(token, ':') && i + 1 < sentence->nr &&
		    leads_to_task(sentence, 0, i)) {
			prose->loose = true;
			return i + 1;
		}
		if (told && i + 1 < sentence->nr &&
		    (describes(sentence, i + 1) ||
		     demonstrates(sentence, i + 1))) {
			prose->loose = true;
			return 0;
		}
	}
	return sentence->nr;
}

/* ---- what it asks for */

/**
 * struct state - while the tokens are walked
 * @skip:	to the end of the sentence nothing asks
 * @soft:	to the end of this part nothing asks
 * @seem:	what somebody else may do is what is to be done
 * @verb:	this clause has a verb
 * @asked:	this clause has one that asks
 */
struct state {
	bool skip;
	bool soft;
	bool seem;
	bool verb;
	bool asked;
};

/* The token before, adverbs and articles of the "and then" kind passed over. */
static const struct token *before(const struct sentence *sentence, size_t from,
				  size_t at)
{
	while (at > from) {
		const struct token *token = token_at(sentence, --at);

		if (token->kind == TOKEN_NUMBER)
			return &none;
		if (!token_has(token, WORD_ADVERB))
			return token;
	}
	return &none;
}

static bool is_verbal(const struct sentence *sentence, size_t from, size_t at)
{
	const struct token *token = before(sentence, from, at);

	return token->kind == TOKEN_MARK ||
	       token_has(token, WORD_CONJUNCTION | WORD_WILL | WORD_MUST |
					WORD_SECOND) ||
	       token_is(token, "to") ||
	       (token_has(token, WORD_AUXILIARY) && token_is(token, "do"));
}

/* Does an object begin here? */
static bool is_object(const struct token *token)
{
	return token->kind != TOKEN_MARK &&
	       !token_has(token, WORD_CONJUNCTION | WORD_COPULA | WORD_WILL |
					 WORD_MUST | WORD_OPTIONAL) &&
	       (!token_has(token, WORD_PREPOSITION) || token->thing);
}

static bool third_asks(const struct sentence *sentence,
		       const struct state *state, size_t from, size_t at)
{
	const struct token *token = before(sentence, from, at);

	/* "the script that writes" does, "files (which store" are. */
	if (token_has(token, WORD_SUBJECT))
		return at >= from + 2 &&
		       token_at(sentence, at - 2)->kind != TOKEN_MARK;
	if (token->kind == TOKEN_MARK ||
	    token_has(token,
		      WORD_CONJUNCTION | WORD_SECOND | WORD_DEMONSTRATION) ||
	    token_is(token, "it"))
		return true;
	return !state->verb && token->kind == TOKEN_WORD &&
	       !token_has(token, WORD_DETERMINER | WORD_PREPOSITION |
					 WORD_POSSESSIVE) &&
	       is_object(token_at(sentence, at + 1));
}

static bool gerund_asks(const struct sentence *sentence, size_t from, size_t at)
{
	const struct token *token = before(sentence, from, at);

	return token->kind == TOKEN_MARK ||
	       token_has(token, WORD_CONJUNCTION | WORD_TOOL) ||
	       token_is(token, "of") || token_is(token, "for") ||
	       token_is(token, "automate");
}

static bool past_asks(const struct sentence *sentence,
		      const struct state *state, size_t from, size_t at)
{
	const struct token *token = before(sentence, from, at);
	const struct token *after = token_at(sentence, at + 1);

	/* "will be created" says what comes of it. */
	if (token_has(token, WORD_PASSIVE) && !token_has(token, WORD_PAST))
		return !(token_is(token, "be") && at > from + 1 &&
			 token_has(before(sentence, from, at - 1), WORD_WILL));
	if (token_has(token, WORD_CONJUNCTION) && at > from + 1 &&
	    token_at(sentence, at - 2)->left)
		return true;
	return !state->verb && at > from && token->kind == TOKEN_WORD &&
	       !token_has(token, WORD_DETERMINER | WORD_PREPOSITION) &&
	       (after->kind == TOKEN_MARK || token_has(after, WORD_TOOL));
}

/* "nmap, telnet, and nc": a program in a list of them */
static bool is_listed_program(const struct sentence *sentence, size_t at)
{
	const struct token *token = token_at(sentence, at);
	const struct token *previous = at ? token_at(sentence, at - 1) : &none;
	const struct token *after = token_at(sentence, at + 1);

	return (token_mark(previous, ',') ||
		token_has(previous, WORD_CONJUNCTION)) &&
	       (token_mark(after, ',') ||
		token_has(after, WORD_CONJUNCTION | WORD_TOOLNOUN)) &&
	       signature_find(token->lower, token->nr);
}

static void task_verb(struct sentence *sentence, struct state *state,
		      size_t from, size_t at)
{
	struct token *token = &sentence->list[at];
	bool ask = false;

	token->ask = false;
	token->left = false;
	switch (token->form) {
	case FORM_BASE:
		ask = is_verbal(sentence, from, at) &&
		      !is_listed_program(sentence, at);
		break;
	case FORM_THIRD:
		ask = third_asks(sentence, state, from, at);
		break;
	case FORM_GERUND:
		ask = gerund_asks(sentence, from, at);
		break;
	case FORM_PAST:
		ask = past_asks(sentence, state, from, at);
		token->left = ask;
		break;
	case FORM_NONE:
		break;
	}
	if (!ask && token->noun != ACT_NONE && !state->asked) {
		token->act = token->noun;
		token->form = FORM_NONE;
		token->left = true;
		ask = true;
	}
	if (!ask)
		return;
	state->verb = true;
	if (token->act == ACT_SEEM) {
		state->seem = true;
		return;
	}
	if (token->act == ACT_ORDINARY)
		return;
	token->ask = !state->skip && !state->soft && !token->negated;
	/* "use X to perform a scan": the noun asks as well. */
	state->asked = state->asked || (token->ask && token->act != ACT_USE);
	sentence->asks = sentence->asks || token->ask;
}

/* Words behind which nothing asks. */
static bool begins_aside(const struct sentence *sentence,
			 const struct state *state, size_t from, size_t at)
{
	const struct token *token = token_at(sentence, at);
	const struct token *after = token_at(sentence, at + 1);
	bool first =
		at == from || token_ends_clause(token_at(sentence, at - 1));

	if (first &&
	    (token_has(token, WORD_MENTION) || token_is(token, "note")) &&
	    token->capital)
		return true;
	if (token_has(token, WORD_MENTION) && token->capital &&
	    token_mark(after, ':'))
		return true;
	if (token_has(token, WORD_FOE) && !state->seem)
		return true;
	if (token_has(token, WORD_USUAL))
		return true;
	if (token_has(token, WORD_PAST) && !token_has(token, WORD_PASSIVE) &&
	    after->form == FORM_PAST)
		return true;
	if (token_has(token, WORD_OPTIONAL) && !state->seem &&
	    (token_is(token, "may") || token_is(token, "might") ||
	     token_is(token, "can") || token_is(token, "could")))
		return true;
	if (!strncmp(token->lower, "require", 7))
		return true;
	return false;
}

/* "X is a tool that ...", "before ..." */
static bool begins_remark(const struct sentence *sentence, size_t at)
{
	const struct token *token = token_at(sentence, at);
	const struct token *after = token_at(sentence, at + 1);

	return token_is(token, "prior") || token_is(token, "before") ||
	       token_is(token, "without") || token_is(token, "until") ||
	       token_is(token, "against") ||
	       (token_has(token, WORD_COPULA) && !token_has(token, WORD_PAST) &&
		(token_has(after, WORD_DETERMINER) || token_is(after, "not")));
}

/* No "where" or "which" stands before it. */
static bool is_main(const struct sentence *sentence, size_t from, size_t at)
{
	while (at-- > from) {
		const struct token *token = token_at(sentence, at);

		if (token->kind == TOKEN_MARK)
			return at == from || !token_mark(token, ',');
		if (token_has(token, WORD_SUBJECT) || token_is(token, "where"))
			return false;
	}
	return true;
}

static void task_word(struct sentence *sentence, struct state *state,
		      size_t from, size_t at)
{
	struct token *token = &sentence->list[at];

	if (begins_aside(sentence, state, from, at))
		state->skip = true;
	if (begins_remark(sentence, at)) {
		/* "X is a tool that ...": all of it is about X. */
		if (token_has(token, WORD_COPULA) && !state->verb &&
		    is_main(sentence, from, at))
			state->skip = true;
		state->soft = true;
	}
	if (token->noun != ACT_NONE && token->act == ACT_NONE) {
		token->form = FORM_NONE;
		task_verb(sentence, state, from, at);
	}
}

static void walk(struct sentence *sentence, size_t from)
{
	struct state state = { 0 }, outer = { 0 };
	bool inside = false;

	for (size_t i = from; i < sentence->nr; i++) {
		struct token *token = &sentence->list[i];

		token->task = true;
		if (token_mark(token, '(') && !inside) {
			outer = state;
			inside = true;
			state.verb = state.asked = state.soft = false;
		} else if (token_mark(token, ')') && inside) {
			state = outer;
			inside = false;
		} else if (token_ends_clause(token)) {
			state.verb = state.asked = state.soft = false;
			if (!token_mark(token, ':') &&
			    !token_mark(token, MARK_DASH))
				state.skip = false;
		} else if (token_mark(token, ',')) {
			state.soft = false;
		} else if (token->thing && token->things > 1) {
			/* "process memory": its words are no verbs. */
			for (size_t k = i; k < i + token->things; k++) {
				sentence->list[k].ask = false;
				sentence->list[k].task = true;
				sentence->list[k].aside =
					state.skip || state.soft;
				task_word(sentence, &state, from, k);
				if (sentence->list[k].noun == ACT_NONE)
					sentence->list[k].act = ACT_NONE;
			}
			i += token->things - 1;
			continue;
		} else if (token->act != ACT_NONE) {
			if (begins_aside(sentence, &state, from, i))
				state.skip = true;
			if (begins_remark(sentence, i))
				state.soft = true;
			task_verb(sentence, &state, from, i);
		} else if (token->kind == TOKEN_WORD) {
			task_word(sentence, &state, from, i);
		}
		token->aside = state.skip || state.soft;
	}
}

/* "Delete logs - Deletes ...": the name is taken out, to be read last. */
static void take_title(struct prose *prose, struct sentence *sentence,
		       size_t from)
{
	struct sentence *title = &prose->title;
	size_t end = from;

	while (end < sentence->nr &&
	       !token_mark(&sentence->list[end], MARK_DASH) &&
	       !token_mark(&sentence->list[end], ':'))
		end++;
	if (end == from)
		return;
	title->nr = end - from;
	title->list = arena_alloc(prose->arena,
				  (title->nr + 1) * sizeof(*title->list));
	title->from = sentence->list[from].from;
	title->to = sentence->list[end - 1].to;
	title->asks = sentence->asks;
	for (size_t i = 0; i < title->nr; i++) {
		struct token *token = &sentence->list[from + i];

		title->list[i] = *token;
		token->kind = TOKEN_MARK;
		token->mark = ';';
		token->classes = 0;
		token->act = ACT_NONE;
		token->noun = ACT_NONE;
		token->ask = false;
		token->thing = NULL;
	}
}

/* "The following must be done once.", and more behind it */
static bool foretells(const struct sentence *sentence)
{
	bool following = false;

	for (size_t i = 0; i < sentence->nr; i++)
		following = following ||
			    token_is(token_at(sentence, i), "following") ||
			    token_is(token_at(sentence, i), "below");
	return following && leads_to_task(sentence, 0, sentence->nr);
}

void sentence_task(struct prose *prose, struct sentence *sentence)
{
	bool begun = prose->task;
	size_t from = task_begins(prose, sentence);

	for (size_t i = 0; i < sentence->nr; i++)
		prose->telling =
			prose->telling || tells(prose, token_at(sentence, i));

	if (from < sentence->nr) {
		prose->task = true;
		walk(sentence, from);
		if (prose->loose && !prose->title.list && (!begun || !from) &&
		    from < sentence->nr)
			take_title(prose, sentence, from);
	} else if (foretells(sentence)) {
		/* "The following must be done once." and more after that */
		prose->task = true;
		prose->loose = true;
	}
}
