// SPDX-License-Identifier: GPL-2.0-only
/*
 * Prose: what leads into a stretch of text and what of it asks for something.
 */
#include "prose.h"

#include <ctype.h>

static void prose_begin(struct prose *prose, const struct segment *segment,
			struct translation *ret)
{
	size_t nr;

	*prose = (struct prose){
		.segment = segment,
		.ret = ret,
		.arena = arena_new(),
		.shell = {
			.ret = ret,
			.hidden = segment->hidden,
			.end = segment->origin[segment->length],
			.cwd = "",
		},
	};
	prose->shell.arena = prose->arena;
	/* No token without a byte, and some room to stop before the end. */
	nr = segment->length + 16;
	if (nr > PROSE_MAX_TOKENS)
		nr = PROSE_MAX_TOKENS;
	prose->tokens = arena_alloc(prose->arena, nr * sizeof(*prose->tokens));
}

static void prose_done(struct prose *prose)
{
	arena_free(prose->arena);
}

/* ---- what leads into it */

/**
 * struct context - what the text above says about what it leads into
 * @negated:	it is not to be done
 * @conditional: only in some case
 * @asks:	it asks for it
 * @run:	it asks to run it
 * @shown:	it is what something prints
 * @task:	it is a task
 */
struct context {
	bool negated;
	bool conditional;
	bool asks;
	bool run;
	bool shown;
	bool task;
};

/* Does the last part of it forbid or call something wrong? */
static void context_of(const struct sentence *sentence, struct context *ret)
{
	const struct token *last = &sentence->list[sentence->nr - 1];
	size_t from = 0;

	*ret = (struct context){ .asks = sentence->asks };
	for (size_t i = 0; i + 1 < sentence->nr; i++)
		if (token_mark(&sentence->list[i], ';') ||
		    token_mark(&sentence->list[i], MARK_DASH))
			from = i + 1;
	for (size_t i = from; i < sentence->nr; i++) {
		const struct token *token = &sentence->list[i];

		ret->conditional = ret->conditional || token->conditional;
		ret->run = ret->run ||
			   (token->ask &&
			    (token->act == ACT_RUN || token->act == ACT_USE ||
			     token->act == ACT_WRITE ||
			     token->act == ACT_INSTALL));
		ret->shown = ret->shown || token_has(token, WORD_SHOWN);
	}
	ret->negated =
		last->negated || token_has(&sentence->list[from], WORD_WRONG);
	ret->task = leads_to_task(sentence, 0, sentence->nr);
}

/* The end of a text of which only the last sentence counts. */
static void last_sentence(const struct segment *segment, size_t end,
			  struct context *ret)
{
	struct segment part = *segment;
	struct sentence sentence;
	struct prose prose;
	size_t from = end > PROSE_MAX_BEFORE ? end - PROSE_MAX_BEFORE : 0;

	*ret = (struct context){ 0 };
	while (from && from < end &&
	       !isspace((unsigned char)segment->text[from]))
		from++;
	part.length = end;
	prose_begin(&prose, &part, NULL);
	prose.at = from;
	while (sentence_next(&prose, &sentence)) {
		sentence_mood(&prose, &sentence);
		context_of(&sentence, ret);
	}
	prose_done(&prose);
}

/* Headings above and what stands right before. */
static struct context lead_of(const struct segment *segment)
{
	struct context heading = { 0 }, lead = { 0 };

	if (segment->under && segment->under != segment)
		last_sentence(segment->under, segment->under->length, &heading);
	if (segment->lead && segment->lead != segment)
		last_sentence(segment->lead, segment->lead->length, &lead);
	else if (segment->role == SEGMENT_HEADING)
		return (struct context){ 0 };
	return (struct context){
		.negated = lead.negated || (heading.negated && !lead.asks),
		.conditional = lead.conditional,
		.asks = lead.asks,
		.run = lead.run,
		.shown = lead.shown,
		.task = lead.task,
	};
}

struct mood prose_mood(const struct segment *segment, size_t at)
{
	struct context context;
	struct sentence sentence;
	struct prose prose;
	struct mood mood = { 0 };

	if (segment->kind == SEGMENT_CODE || segment->kind == SEGMENT_META) {
		context = lead_of(segment);
		return (struct mood){
			.request = !context.negated,
			.negated = context.negated,
			.conditional = context.conditional,
			.run = context.run,
		};
	}
	if (at >= segment->length) {
		last_sentence(segment, segment->length, &context);
		return (struct mood){
			.request = !context.negated,
			.negated = context.negated,
			.conditional = context.conditional,
			.run = context.run,
		};
	}
	context = lead_of(segment);
	prose_begin(&prose, segment, NULL);
	prose.negated = context.negated;
	prose.conditional = context.conditional;
	if (at > PROSE_MAX_BEFORE)
		prose.at = at - PROSE_MAX_BEFORE;
	while (sentence_next(&prose, &sentence)) {
		if (sentence.to <= at)
			continue;
		sentence_mood(&prose, &sentence);
		for (size_t i = 0; i < sentence.nr; i++)
			if (sentence.list[i].to > at) {
				mood = span_mood(&sentence, i);
				break;
			}
		break;
	}
	prose_done(&prose);
	return mood;
}

static bool is_known(const struct translation *translation, size_t from,
		     const struct request *request)
{
	for (size_t i = from; i < translation->nr_requests; i++) {
		const struct request *other = &translation->requests[i];

		if (other->action == request->action &&
		    other->kind == request->kind &&
		    !strcmp(other->object, request->object))
			return true;
	}
	return false;
}

/* A task's name: only what the description does not say, it says better. */
static void read_title(struct prose *prose, size_t known)
{
	struct translation *ret = prose->ret, *title;

	if (!prose->title.nr)
		return;
	title = translation_new();
	prose->ret = title;
	prose->shell.ret = title;
	title_tool(prose, &prose->title);
	sentence_requests(prose, &prose->title);
	if (ret->nr_requests == known && !title->nr_requests &&
	    !prose->nr_vague)
		use_things(prose, &prose->title);
	prose_vague(prose);
	for (size_t i = 0; i < title->nr_requests; i++) {
		struct request request = title->requests[i];

		if (is_known(ret, known, &request))
			continue;
		request.object = arena_strdup(ret->arena, request.object);
		translation_add(ret, &request);
	}
	for (size_t i = 0; i < title->nr_gaps && ret->nr_requests == known;
	     i++) {
		const struct gap *gap = &title->gaps[i];

		translation_gap(ret, gap->start, gap->end, gap->reason,
				gap->actionable, gap->grave);
	}
	prose->ret = ret;
	prose->shell.ret = ret;
	translation_free(title);
}

void prose_read(const struct segment *segment, struct translation *ret)
{
	struct context context = lead_of(segment);
	size_t known = ret->nr_requests;
	struct sentence sentence;
	struct prose prose;

	if (!segment->length)
		return;
	prose_begin(&prose, segment, ret);
	prose.negated = context.negated;
	prose.conditional = context.conditional;
	prose.task = context.task && !context.negated;
	while (sentence_next(&prose, &sentence)) {
		sentence_mood(&prose, &sentence);
		sentence_task(&prose, &sentence);
		sentence_requests(&prose, &sentence);
		sentence_channel(&prose, &sentence);
		prose.told = prose.telling;
	}
	prose_vague(&prose);
	read_title(&prose, known);
	prose_done(&prose);
}
