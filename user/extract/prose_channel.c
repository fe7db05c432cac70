// SPDX-License-Identifier: GPL-2.0-only
/*
 * Channels that no request represents: what is mailed, written into a comment,
 * handed to a tool as an argument, or shown as an image that its host sees; and
 * what is to be kept from the user. They are listed, never ignored.
 */
#include "prose.h"

#include <ctype.h>

static const struct token none = { .kind = TOKEN_MARK,
				   .text = "",
				   .lower = "",
				   .act = ACT_NONE,
				   .noun = ACT_NONE };

static const struct token *token_at(const struct sentence *sentence, size_t at)
{
	return at < sentence->nr ? &sentence->list[at] : &none;
}

static void gap(struct prose *prose, const struct sentence *sentence,
		size_t from, size_t to, bool grave)
{
	const size_t *origin = prose->segment->origin;
	size_t first = token_at(sentence, from)->from;
	size_t last = token_at(sentence, to)->to;

	translation_gap(prose->ret, origin[first],
			last > first ? origin[last - 1] + 1 : origin[first],
			"channel", true,
			grave || prose->segment->hidden != NULL);
}

/* "name@example.com" */
static bool is_mail_address(const struct token *token)
{
	const char *at = memchr(token->text, '@', token->length);

	return at && !token->code && at > token->text &&
	       isalnum((unsigned char)at[-1]) &&
	       isalnum((unsigned char)at[1]) && strchr(at, '.');
}

/* "do not tell the user", "never mention it in the summary" */
static bool keeps_secret(const struct sentence *sentence, size_t at)
{
	const struct token *verb = token_at(sentence, at);

	if (!verb->negated || !token_has(verb, WORD_TELL) ||
	    (verb->form != FORM_BASE && verb->form != FORM_GERUND &&
	     verb->form != FORM_NONE))
		return false;
	for (size_t i = at + 1; i < sentence->nr && i < at + 8; i++) {
		const struct token *token = token_at(sentence, i);

		if (token_ends_clause(token))
			break;
		if (token_has(token, WORD_HEARER))
			return true;
	}
	return false;
}

/* What is asked for in @sentence goes over one of them. */
static bool is_channel(const struct sentence *sentence, size_t at)
{
	const struct token *token = token_at(sentence, at);

	if (token->act == ACT_CHANNEL)
		return token->ask;
	if (!token_has(token, WORD_CHANNEL))
		return false;
	/* "as an argument", "in the review comment" */
	for (size_t i = at; i-- > 0 && at - i < 5;) {
		const struct token *before = token_at(sentence, i);

		if (token_is(before, "as") || token_is(before, "in") ||
		    token_is(before, "into") || token_is(before, "to") ||
		    token_is(before, "with"))
			return true;
		if (before->kind == TOKEN_MARK || before->ask)
			return false;
	}
	return false;
}

/* An image whose URL is to be filled in. */
static void images(struct prose *prose, const struct sentence *sentence)
{
	const char *text = prose->segment->text;

	for (size_t i = sentence->from; i + 4 < sentence->to; i++) {
		const char *end;
		size_t length;

		if (text[i] != '!' || text[i + 1] != '[')
			continue;
		end = memchr(text + i, ')', sentence->to - i);
		length = (end ? (size_t)(end - text) : sentence->to) - i;
		if (!memmem(text + i, length, "://", 3) ||
		    !(memchr(text + i, '<', length) ||
		      memchr(text + i, '{', length) ||
		      memchr(text + i, '$', length)))
			continue;
		translation_gap(prose->ret, prose->segment->origin[i],
				prose->segment->origin[i + length - 1] + 1,
				"channel", true, true);
		i += length;
	}
}

void sentence_channel(struct prose *prose, const struct sentence *sentence)
{
	bool ask = false, mail = false;
	size_t first = 0;

	images(prose, sentence);
	for (size_t i = 0; i < sentence->nr; i++) {
		const struct token *token = token_at(sentence, i);

		mail = mail || token_has(token, WORD_MAIL) ||
		       (token->ask && token->act == ACT_SEND);
		if (token->ask && !ask) {
			ask = true;
			first = i;
		}
		if (keeps_secret(sentence, i)) {
			gap(prose, sentence, i, sentence->nr - 1, false);
			return;
		}
		if (!ask || token->negated || token->aside)
			continue;
		if ((mail && is_mail_address(token)) ||
		    (is_channel(sentence, i) &&
		     (prose->secret || token->act == ACT_CHANNEL))) {
			gap(prose, sentence, first, i, prose->secret);
			return;
		}
	}
}
