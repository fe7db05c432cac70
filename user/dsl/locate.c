// SPDX-License-Identifier: GPL-2.0-only
#include "program.h"

#include <stdlib.h>
#include <string.h>

#include <aletheia/limits.h>

#include "base/cleanup.h"
#include "diagnose.h"

/**
 * struct rule - the rule's bytes by line
 * @lines:	offsets of their first bytes
 * @nr_lines:	at least one; a line break at the end begins an empty line
 * @located:	bytes of all places so far
 */
struct rule {
	const char *name;
	const char *text;
	size_t length;
	size_t *lines;
	size_t nr_lines;
	size_t located;
};

static void split(struct rule *rule)
{
	size_t i, nr = 1;

	for (i = 0; i < rule->length; i++)
		nr += rule->text[i] == '\n';
	rule->lines = xreallocarray(NULL, nr, sizeof(*rule->lines));
	rule->nr_lines = 0;
	rule->lines[rule->nr_lines++] = 0;
	for (i = 0; i < rule->length; i++)
		if (rule->text[i] == '\n')
			rule->lines[rule->nr_lines++] = i + 1;
}

/* Bytes of a line, without its line break. */
static size_t line_length(const struct rule *rule, size_t line)
{
	size_t start = rule->lines[line - 1];

	if (line < rule->nr_lines)
		return rule->lines[line] - 1 - start;
	return rule->length - start;
}

/* The place right behind a line's last byte exists, too: spans end there. */
static bool locate(const struct rule *rule, struct position *position)
{
	if (position->line > rule->nr_lines ||
	    position->column - 1 > line_length(rule, position->line))
		return false;
	position->offset =
		rule->lines[position->line - 1] + position->column - 1;
	return true;
}

static struct position position_of(const struct rule *rule, size_t offset)
{
	size_t low = 0, high = rule->nr_lines;

	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (rule->lines[middle] <= offset)
			low = middle;
		else
			high = middle;
	}
	return (struct position){
		.line = (uint32_t)low + 1,
		.column = (uint32_t)(offset - rule->lines[low]) + 1,
		.offset = offset,
	};
}

static bool outside(const struct rule *rule, const struct source_span *span,
		    struct diagnostics *diagnostics)
{
	const struct position *end = &span->where.end;

	complain(diagnostics, &span->at, "this place is outside of the rule");
	if (span->where.start.line > rule->nr_lines ||
	    end->line > rule->nr_lines)
		return complain_hint(diagnostics, "%s has %zu lines",
				     rule->name, rule->nr_lines);
	return complain_hint(diagnostics,
			     "line %u of %s has %zu bytes and line %u %zu; "
			     "columns count bytes from 1, the end is behind "
			     "the last",
			     span->where.start.line, rule->name,
			     line_length(rule, span->where.start.line),
			     end->line, line_length(rule, end->line));
}

/* Where the claimed text really is helps who reviews. */
static void hint_where(const struct rule *rule, const char *text,
		       struct diagnostics *diagnostics)
{
	size_t nr = strlen(text);
	const char *found = rule->length
				    ? memmem(rule->text, rule->length, text, nr)
				    : NULL;
	struct position start, end;

	if (!found) {
		complain_hint(diagnostics, "%s has this text nowhere",
			      rule->name);
		return;
	}
	start = position_of(rule, (size_t)(found - rule->text));
	end = position_of(rule, (size_t)(found - rule->text) + nr);
	complain_hint(diagnostics, "%s has it at %u:%u-%u:%u", rule->name,
		      start.line, start.column, end.line, end.column);
}

static bool locate_span(struct rule *rule, struct source_span *span,
			struct diagnostics *diagnostics)
{
	struct position start = span->where.start, end = span->where.end;
	const char *text;
	size_t length;

	if (!locate(rule, &start) || !locate(rule, &end))
		return outside(rule, span, diagnostics);
	length = end.offset - start.offset;
	if (memchr(rule->text + start.offset, 0, length))
		return complain(diagnostics, &span->at,
				"the rule has a NUL byte there");
	rule->located += length;
	if (rule->located > AL_MAX_RULE_SIZE) {
		complain(diagnostics, &span->at,
			 "the places of all grants are larger than %u bytes",
			 AL_MAX_RULE_SIZE);
		diagnostics->full = true;
		return false;
	}
	text = arena_strndup(diagnostics->program->arena,
			     rule->text + start.offset, length);
	if (span->text && strcmp(span->text, text)) {
		complain(diagnostics, &span->at,
			 "the rule says %s there, not %s",
			 quoted(diagnostics, text),
			 quoted(diagnostics, span->text));
		hint_where(rule, span->text, diagnostics);
		return false;
	}
	span->where.start = start;
	span->where.end = end;
	span->text = text;
	return true;
}

static void check_digest(const struct rule *rule,
			 struct diagnostics *diagnostics)
{
	const struct program *program = diagnostics->program;
	struct digest now = digest_of(rule->text, rule->length);
	char was_hex[DIGEST_HEX], now_hex[DIGEST_HEX];

	if (!program->has_digest ||
	    !memcmp(&now, &program->rule_digest, sizeof(now)))
		return;
	digest_hex(&program->rule_digest, was_hex);
	digest_hex(&now, now_hex);
	complain(diagnostics, &program->rule_at,
		 "stale: this was reviewed against the rule with the digest "
		 "%s, but %s has the digest %s",
		 was_hex, rule->name, now_hex);
	complain_hint(diagnostics,
		      "review it against the rule as it is now, then write "
		      "sha256 \"%s\"",
		      now_hex);
}

int program_locate(struct program *program, const char *rule_name,
		   const char *text, size_t length, struct error **err)
{
	struct diagnostics diagnostics = { .program = program };
	struct rule rule = { .name = rule_name,
			     .text = text,
			     .length = length };
	size_t *lines cleanup_free = NULL;
	size_t i, k;

	split(&rule);
	lines = rule.lines;
	check_digest(&rule, &diagnostics);
	for (i = 0; i < program->nr_grants; i++)
		for (k = 0; k < program->grants[i].nr_spans; k++) {
			if (diagnostics.full)
				break;
			locate_span(&rule, &program->grants[i].spans[k],
				    &diagnostics);
		}
	return diagnostics_end(&diagnostics, err);
}
