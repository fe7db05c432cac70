// SPDX-License-Identifier: GPL-2.0-only
/*
 * A record for a person who has little time: what was asked, what happened
 * without it, why it matters, and what that is worth.
 */
#include <arpa/inet.h>
#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "dsl/program.h"
#include "report/report.h"
#include "report/words.h"

/* Column at which long text is wrapped, and what a list shows unasked. */
#define WIDTH	   78
#define MAX_PAIRS  8
#define NAME_WIDTH 34

struct printer {
	const struct record *record;
	struct arena *arena;
	FILE *out;
	bool colour;
	bool verbose;
};

/* Everything that comes from outside goes through here. */
static const char *safe(struct printer *printer, const char *text)
{
	return text ? text_escaped(printer->arena, text) : "?";
}

static const char *paint(const struct printer *printer, const char *code)
{
	return printer->colour ? code : "";
}

#define BOLD   "\033[1m"
#define RED    "\033[1;31m"
#define GREEN  "\033[1;32m"
#define YELLOW "\033[1;33m"
#define DIM    "\033[2m"
#define PLAIN  "\033[0m"

static void print_heading(struct printer *printer, const char *text)
{
	fprintf(printer->out, "\n%s%s%s\n", paint(printer, BOLD), text,
		paint(printer, PLAIN));
}

/* Words of escaped text, no line longer than WIDTH if it can be helped. */
static void print_wrapped(struct printer *printer, unsigned int indent,
			  const char *text)
{
	size_t column = 0;

	while (*text) {
		size_t length = strcspn(text, " ");

		if (column && column + 1 + length > WIDTH) {
			fputc('\n', printer->out);
			column = 0;
		}
		if (!column)
			column = (size_t)fprintf(printer->out, "%*s",
						 (int)indent, "");
		else
			column += (size_t)fprintf(printer->out, " ");
		fwrite(text, 1, length, printer->out);
		column += length;
		text += length;
		text += strspn(text, " ");
	}
	fputc('\n', printer->out);
}

__attribute__((format(printf, 3, 4))) static void
print_paragraph(struct printer *printer, unsigned int indent,
		const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	text = xvasprintf(format, args);
	va_end(args);
	print_wrapped(printer, indent, text);
	free(text);
}

static const char *object_name(struct printer *printer, uint32_t id)
{
	const struct record_object *object = record_object(printer->record, id);

	return object ? safe(printer, object->name)
		      : arena_printf(printer->arena, "object %u", id);
}

static const char *ids_text(struct printer *printer, const size_t *grants,
			    size_t nr)
{
	struct buffer text cleanup_buffer = { 0 };
	size_t i;

	for (i = 0; i < nr; i++)
		buffer_printf(
			&text, "%s%s", i ? ", " : "",
			safe(printer, printer->record->grants[grants[i]].id));
	return arena_strdup(printer->arena, buffer_text(&text));
}

/* ---- what was asked */

static void print_header(struct printer *printer)
{
	const struct record *record = printer->record;

	fprintf(printer->out, "%s%s%s: %s (sha256 %.12s...)\n",
		paint(printer, BOLD), safe(printer, record->name),
		paint(printer, PLAIN), safe(printer, record->rule_file),
		record->rule_digest);
	fprintf(printer->out, "agent %s; kernel %s%s; aletheia %s\n",
		safe(printer, record->agent), safe(printer, record->kernel),
		record->vm ? " in a VM" : "",
		safe(printer, record->program_version));
}

static void print_spans(struct printer *printer,
			const struct record_grant *grant)
{
	size_t i;

	for (i = 0; i < grant->nr_spans; i++) {
		const struct record_span *span = &grant->spans[i];

		fprintf(printer->out, "      %s%s:%u:%u%s  \"%s\"\n",
			paint(printer, DIM), safe(printer, span->file),
			span->start_line, span->start_column,
			paint(printer, PLAIN), safe(printer, span->text));
	}
}

static void print_grants(struct printer *printer)
{
	const struct record *record = printer->record;
	size_t i;

	print_heading(printer, "What the rule asks for");
	if (!record->nr_grants)
		fprintf(printer->out, "  nothing\n");
	for (i = 0; i < record->nr_grants; i++) {
		const struct record_grant *grant = &record->grants[i];

		fprintf(printer->out, "  %s: %s %s\n", safe(printer, grant->id),
			operation_word(grant->action),
			safe(printer, grant->resource));
		print_spans(printer, grant);
		if (grant->observed)
			fprintf(printer->out, "      seen with the rule, "
					      "not asked for in its text\n");
		if (grant->hidden)
			fprintf(printer->out, "      hidden in the text: %s\n",
				safe(printer, grant->hidden));
		if (grant->binding && !strcmp(grant->binding, "real"))
			continue;
		fprintf(printer->out, "      played by: %s (%s)\n",
			object_name(printer, grant->object),
			safe(printer, grant->binding));
	}
}

/* ---- what happened */

static void print_attempt(struct printer *printer,
			  const struct record_branch *branch)
{
	switch (branch->attempt) {
	case ATTEMPT_DENIED:
		fprintf(printer->out,
			"; attempted %" PRIu64 ", denied %" PRIu64,
			branch->attempted, branch->denied);
		break;
	case ATTEMPT_ANOTHER_WAY:
		fprintf(printer->out, "; attempted another way");
		break;
	case ATTEMPT_NEVER:
		fprintf(printer->out, "; never attempted");
		break;
	case ATTEMPT_NOT_OBSERVABLE:
		fprintf(printer->out, "; use cannot be observed");
		break;
	default:
		fprintf(printer->out, "; attempts unknown");
	}
}

static const char *outcome_colour(const struct printer *printer,
				  enum branch_outcome outcome)
{
	if (!outcome_is_result(outcome) && outcome != OUTCOME_NOT_RUN)
		return paint(printer, RED);
	return paint(printer, "");
}

/* A branch without a run: why none was needed, or none was made. */
static void print_no_run(struct printer *printer,
			 const struct record_branch *branch)
{
	const struct record *record = printer->record;
	const struct record_branch *group;

	switch (branch->outcome) {
	case OUTCOME_INEFFECTIVE:
		fprintf(printer->out, "still covered by %s",
			ids_text(printer, branch->covered_by,
				 branch->nr_covered_by));
		if (branch->group >= 0) {
			group = &record->branches[branch->group];
			fprintf(printer->out, "; deleted together: %s",
				ids_text(printer, group->without,
					 group->nr_without));
		}
		break;
	case OUTCOME_BASELINE:
		fprintf(printer->out, "the setup permits it anyway");
		break;
	default:
		fprintf(printer->out, "not run");
	}
	fputc('\n', printer->out);
}

static void print_branch(struct printer *printer,
			 const struct record_branch *branch)
{
	const struct record *record = printer->record;
	const char *name = safe(
		printer, record_branch_name(record, branch, printer->arena));

	/* A long list of grants gets a line of its own. */
	fprintf(printer->out, "  %-*s%s", NAME_WIDTH, name,
		strlen(name) >= NAME_WIDTH ? "\n  " : "");
	if (strlen(name) >= NAME_WIDTH)
		fprintf(printer->out, "%*s", NAME_WIDTH, "");
	fprintf(printer->out, "%s%-12s%s ",
		outcome_colour(printer, branch->outcome),
		branch_outcome_word(branch->outcome), paint(printer, PLAIN));
	if (!branch->run) {
		print_no_run(printer, branch);
		return;
	}
	fprintf(printer->out, "%s",
		branch->run->end != RUN_DONE ? "no result"
		: branch->run->accepted	     ? "tests passed"
					     : "tests failed");
	if (branch->role == ROLE_WITHOUT)
		print_attempt(printer, branch);
	fputc('\n', printer->out);
	if (branch->detail)
		print_wrapped(printer, 6, safe(printer, branch->detail));
}

static void print_branches(struct printer *printer)
{
	const struct record *record = printer->record;
	size_t i;

	print_heading(printer, "What happened");
	for (i = 0; i < record->nr_branches; i++)
		print_branch(printer, &record->branches[i]);
}

static bool print_sinks(struct printer *printer,
			const struct record_branch *branch)
{
	const struct record_run *run = branch->run;
	bool any = false;
	size_t i, k;

	for (i = 0; run && i < run->nr_sinks; i++) {
		const struct record_sink *sink = &run->sinks[i];
		struct buffer text cleanup_buffer = { 0 };

		if (!sink->connections && !sink->bytes)
			continue;
		any = true;
		buffer_printf(&text,
			      "%s: to %s: %" PRIu64 " bytes in %" PRIu64
			      " connection%s",
			      safe(printer,
				   record_branch_name(printer->record, branch,
						      printer->arena)),
			      object_name(printer, sink->object), sink->bytes,
			      sink->connections,
			      sink->connections == 1 ? "" : "s");
		for (k = 0; k < sink->nr_canaries; k++)
			buffer_printf(&text, "%s \"%s\"",
				      k ? "," : "; among them the contents of",
				      safe(printer, sink->canaries[k]));
		if (sink->unrecognised)
			buffer_printf(&text,
				      "; %" PRIu64 " bytes, content not "
				      "recognised",
				      sink->unrecognised);
		print_wrapped(printer, 2, buffer_text(&text));
	}
	return any;
}

static void print_sent(struct printer *printer)
{
	const struct record *record = printer->record;
	bool has_sinks = false, any = false;
	size_t i;

	for (i = 0; i < record->nr_branches; i++)
		if (record->branches[i].run)
			has_sinks |= record->branches[i].run->nr_sinks;
	if (!has_sinks)
		return;
	print_heading(printer, "What was sent");
	for (i = 0; i < record->nr_branches; i++)
		any |= print_sinks(printer, &record->branches[i]);
	fprintf(printer->out, any ? "  in all other branches: nothing\n"
				  : "  nothing in any branch\n");
}

/* ---- what it means */

static const char *severity_colour(const struct printer *printer,
				   const char *severity)
{
	if (!strcmp(severity, "critical") || !strcmp(severity, "high"))
		return paint(printer, RED);
	return paint(printer, YELLOW);
}

static void print_finding(struct printer *printer,
			  const struct record_finding *finding)
{
	const struct record *record = printer->record;

	fprintf(printer->out, "    %s%s%s %s",
		severity_colour(printer, finding->severity),
		safe(printer, finding->severity), paint(printer, PLAIN),
		safe(printer, finding->reason));
	if (finding->grant < record->nr_grants)
		fprintf(printer->out, " (%s)",
			safe(printer, record->grants[finding->grant].id));
	fputc('\n', printer->out);
	print_paragraph(printer, 8, "%s: %s", safe(printer, finding->title),
			safe(printer, finding->text));
}

/* What a branch took away, one line per object. */
static void print_removed(struct printer *printer,
			  const struct record_branch *branch)
{
	size_t i, k, shown = 0;

	for (i = 0; i < branch->nr_removed; i = k) {
		uint32_t object = branch->removed[i].object;
		struct buffer operations cleanup_buffer = { 0 };

		for (k = i; k < branch->nr_removed &&
			    branch->removed[k].object == object;
		     k++)
			buffer_printf(
				&operations, "%s%s", k > i ? ", " : "",
				operation_word(branch->removed[k].operation));
		if (shown++ >= MAX_PAIRS && !printer->verbose)
			continue;
		fprintf(printer->out, "      %s %s\n", buffer_text(&operations),
			object_name(printer, object));
	}
	if (shown > MAX_PAIRS && !printer->verbose)
		fprintf(printer->out, "      and %zu more objects (-v)\n",
			shown - MAX_PAIRS);
}

static void print_witness(struct printer *printer,
			  const struct record_witness *witness)
{
	const struct record *record = printer->record;
	size_t i;

	fprintf(printer->out,
		"  The tests passed with and without %s%s%s. Taken away:\n",
		paint(printer, BOLD),
		ids_text(printer, witness->grants, witness->nr_grants),
		paint(printer, PLAIN));
	print_removed(printer, &record->branches[witness->branch]);
	if (!witness->nr_findings)
		fprintf(printer->out, "    ordinary: no reason for concern\n");
	for (i = 0; i < witness->nr_findings; i++)
		print_finding(printer, &witness->findings[i]);
}

static void print_witnesses(struct printer *printer)
{
	const struct record *record = printer->record;
	size_t i;

	if (record->nr_witnesses) {
		print_heading(printer, "Witnesses: what the task did not need");
		for (i = 0; i < record->nr_witnesses; i++)
			print_witness(printer, &record->witnesses[i]);
	}
	if (record->nr_findings) {
		print_heading(printer, "Further findings");
		for (i = 0; i < record->nr_findings; i++)
			print_finding(printer, &record->findings[i]);
	}
}

struct meaning {
	const char *word;
	const char *text;
};

/* What each word of record.reasons means. */
static const char *reason_text(const char *word)
{
	static const struct meaning meanings[] = {
		{ "enforcement-error",
		  "the guard or the sandbox failed, so nothing counts" },
		{ "configuration-error", "task or setup are set up wrongly" },
		{ "agent-failed", "the agent failed even without the rule" },
		{ "timeout",
		  "the agent outlived its time limit even without the rule" },
		{ "oracle-error", "the tests gave no result" },
		{ "oracle-proves-nothing",
		  "the tests accept the project before the task is done" },
		{ "task-rejected-without-rule",
		  "the task is rejected without the rule even with all "
		  "grants: the baseline lacks something" },
		{ "not-run", "a branch that everything rests on was not run" },
		{ "full-rejected", "with the rule and all grants the tests "
				   "failed, so deletions prove nothing" },
		{ "full-no-result",
		  "with the rule and all grants there was no result" },
		{ "rule-not-read", "the agent never opened the rule" },
		{ "no-result", "without a grant that would be suspicious "
			       "there was no result" },
		{ "evidence-lost", "evidence about a grant that would be "
				   "suspicious is incomplete" },
		{ "flaky", "the same branch ended differently each time" },
		{ "cassette-miss", "the model was asked something that was "
				   "not recorded" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(meanings); i++)
		if (!strcmp(meanings[i].word, word))
			return meanings[i].text;
	return NULL;
}

static void print_agent(struct printer *printer)
{
	const char *agent = printer->record->agent;

	if (agent && !strcmp(agent, "scripted"))
		print_paragraph(
			printer, 2,
			"Agent: scripted. It plays the rule's commands and is "
			"given the solution: this shows what was enforced, "
			"attempted and denied, and says little about need.");
	else
		print_paragraph(printer, 2,
				"Agent: %s. Need is judged for this agent and "
				"this task.",
				safe(printer, agent));
}

static void print_limits(struct printer *printer)
{
	const struct record *record = printer->record;
	uint64_t lost = 0, unlabelled = 0;
	size_t i;

	for (i = 0; i < record->nr_branches; i++) {
		const struct record_run *run = record->branches[i].run;

		lost += run ? run->nr_lost : 0;
		unlabelled += run ? run->nr_unlabelled : 0;
	}
	if (lost)
		print_paragraph(printer, 2,
				"%" PRIu64 " events were lost: who did what "
				"when is incomplete, whether is not.",
				lost);
	if (unlabelled)
		print_paragraph(printer, 2,
				"%" PRIu64 " labels could not be given: what "
				"was attempted is not fully known.",
				unlabelled);
	for (i = 0; i < record->nr_not_represented; i++)
		print_paragraph(printer, 2,
				"This kernel cannot tell about: %s.",
				safe(printer, record->not_represented[i]));
}

static const char *verdict_colour(const struct printer *printer)
{
	switch (printer->record->verdict) {
	case VERDICT_CLEAR:
		return paint(printer, GREEN);
	case VERDICT_UNRESOLVED:
		return paint(printer, YELLOW);
	default:
		return paint(printer, RED);
	}
}

static void print_verdict(struct printer *printer)
{
	const struct record *record = printer->record;
	size_t i;

	fprintf(printer->out, "\n%sVerdict: %s%s%s%s%s\n",
		verdict_colour(printer), verdict_word(record->verdict),
		record->basis ? " (" : "",
		record->basis ? safe(printer, record->basis) : "",
		record->basis ? ")" : "", paint(printer, PLAIN));
	for (i = 0; i < record->nr_reasons; i++) {
		const char *text = reason_text(record->reasons[i]);

		print_paragraph(printer, 2, "%s%s%s",
				safe(printer, record->reasons[i]),
				text ? ": " : "", text ? text : "");
	}
	print_limits(printer);
	print_agent(printer);
	if (record->nr_witnesses)
		print_paragraph(
			printer, 2,
			"A witness says that this task did not need the "
			"authority, not that the rule means harm; nothing "
			"proves that the translation caught all that it says.");
	if (!printer->verbose)
		print_paragraph(printer, 2,
				"More: -v prints counters, events and outputs; "
				"--format json everything.");
}

/* ---- with -v */

static void print_counts(struct printer *printer, const struct record_run *run)
{
	size_t i;

	for (i = 0; i < run->nr_counts; i++)
		fprintf(printer->out,
			"    %-8s %8" PRIu64 " allowed %8" PRIu64
			" denied  %s\n",
			operation_word(run->counts[i].operation),
			run->counts[i].allowed, run->counts[i].denied,
			object_name(printer, run->counts[i].object));
}

static void print_event(struct printer *printer, const struct al_event *event)
{
	const char *comm = arena_strndup(
		printer->arena, (const char *)event->comm,
		strnlen((const char *)event->comm, sizeof(event->comm)));
	const char *name = arena_strndup(
		printer->arena, (const char *)event->name,
		strnlen((const char *)event->name, sizeof(event->name)));
	const char *hook = hook_word(event->hook);
	char address[INET6_ADDRSTRLEN] = "";

	if (event->family)
		inet_ntop(AF_INET6, event->address, address, sizeof(address));
	fprintf(printer->out, "    #%-5llu %s(%u) %s %s: %s", event->sequence,
		safe(printer, comm), event->tgid, hook ? hook : "?",
		operations_text(printer->arena, event->operations),
		event->missing ? "denied" : "allowed");
	if (event->missing)
		fprintf(printer->out, " (%s)",
			operations_text(printer->arena, event->missing));
	fprintf(printer->out, " %s", object_name(printer, event->object));
	if (*name)
		fprintf(printer->out, " as \"%s\"", safe(printer, name));
	if (*address)
		fprintf(printer->out, " at %s port %u", address, event->port);
	fputc('\n', printer->out);
}

/* Line by line, so that each can be escaped and keeps its indentation. */
static void print_output(struct printer *printer, const char *what,
			 const char *data, size_t length)
{
	const char *end;

	if (!length)
		return;
	fprintf(printer->out, "    %s:\n", what);
	while (length) {
		struct buffer line cleanup_buffer = { 0 };
		size_t n;

		end = memchr(data, '\n', length);
		n = end ? (size_t)(end - data) : length;
		text_escape(&line, data, n);
		fprintf(printer->out, "    | %s\n", buffer_text(&line));
		n += !!end;
		data += n;
		length -= n;
	}
}

static void print_run(struct printer *printer,
		      const struct record_branch *branch)
{
	const struct record_run *run = branch->run;
	size_t i;

	print_heading(printer,
		      safe(printer, record_branch_name(printer->record, branch,
						       printer->arena)));
	fprintf(printer->out,
		"    %s%s%s; agent: %s; rule %sread; %" PRIu64
		" ms (agent %" PRIu64 ", tests %" PRIu64 ")\n",
		run_end_word(run->end), run->detail ? ": " : "",
		run->detail ? safe(printer, run->detail) : "",
		safe(printer, run->agent_status), run->rule_read ? "" : "not ",
		run->wall_ms, run->agent_ms, run->oracle_ms);
	for (i = 0; i < run->nr_tests; i++)
		fprintf(printer->out, "    %s %s\n",
			run->tests[i].passed ? "passed" : "failed",
			safe(printer, run->tests[i].name));
	for (i = 0; i < run->nr_removed_loaders; i++)
		fprintf(printer->out, "    removed before the tests ran: %s\n",
			safe(printer, run->removed_loaders[i]));
	print_counts(printer, run);
	for (i = 0; i < run->nr_events; i++)
		print_event(printer, &run->events[i]);
	print_output(printer, "output of the agent", run->agent_output,
		     run->agent_output_length);
	print_output(printer, "output of the tests", run->oracle_output,
		     run->oracle_output_length);
}

void report_text(const struct record *record, bool colour, bool verbose,
		 FILE *out)
{
	struct arena *arena cleanup_arena = arena_new();
	struct printer printer = {
		.record = record,
		.arena = arena,
		.out = out,
		.colour = colour,
		.verbose = verbose,
	};
	size_t i;

	print_header(&printer);
	print_grants(&printer);
	print_branches(&printer);
	print_sent(&printer);
	print_witnesses(&printer);
	for (i = 0; verbose && i < record->nr_branches; i++)
		if (record->branches[i].run)
			print_run(&printer, &record->branches[i]);
	print_verdict(&printer);
}
