// SPDX-License-Identifier: GPL-2.0-only
/*
 * The canonical text. Every list whose order means nothing was sorted by the
 * parser, so equal programs have equal texts.
 */
#include "program.h"

#include <string.h>

#include <aletheia/abi.h>

#include "base/cleanup.h"
#include "check.h"
#include "lex.h"

/**
 * struct printer - a program on its way to text
 * @comments:	print them
 * @printed:	comments of each owner that are out
 * @kinds:	statements of the block so far: a blank line goes between kinds
 * @last:	kind of the last statement
 */
struct printer {
	const struct program *program;
	struct buffer *out;
	bool comments;
	size_t printed[NR_COMMENT_OWNERS];
	bool kinds;
	enum comment_owner last;
};

static void word(struct printer *printer, const char *text)
{
	buffer_addc(printer->out, ' ');
	buffer_adds(printer->out, text);
}

static void string(struct printer *printer, const char *text)
{
	buffer_addc(printer->out, ' ');
	string_print(printer->out, text);
}

/* ---- comments */

static const struct comment *next_comment(struct printer *printer,
					  enum comment_owner owner,
					  size_t index, bool beside)
{
	size_t i = printer->printed[owner];
	const struct comment *comment;

	if (!printer->comments || i == printer->program->nr_comments[owner])
		return NULL;
	comment = &printer->program->comments[owner][i];
	if (comment->index != index || comment->beside != beside)
		return NULL;
	printer->printed[owner]++;
	return comment;
}

static void print_above(struct printer *printer, enum comment_owner owner,
			size_t index, const char *indent)
{
	const struct comment *comment;

	while ((comment = next_comment(printer, owner, index, false)))
		buffer_printf(printer->out, "%s%s\n", indent, comment->text);
}

/* Ends the line. */
static void print_beside(struct printer *printer, enum comment_owner owner,
			 size_t index)
{
	const struct comment *comment =
		next_comment(printer, owner, index, true);

	if (comment)
		word(printer, comment->text);
	buffer_addc(printer->out, '\n');
}

static void begin(struct printer *printer, enum comment_owner owner,
		  size_t index, const char *keyword)
{
	if (printer->kinds && printer->last != owner)
		buffer_addc(printer->out, '\n');
	printer->kinds = true;
	printer->last = owner;
	print_above(printer, owner, index, "  ");
	buffer_printf(printer->out, "  %s", keyword);
}

/* ---- parts of statements */

static void print_ports(struct printer *printer,
			const struct selector *selector)
{
	if (!selector->port_high)
		word(printer, "any");
	else if (selector->port_low == selector->port_high)
		buffer_printf(printer->out, " %u", selector->port_low);
	else
		buffer_printf(printer->out, " %u-%u", selector->port_low,
			      selector->port_high);
}

static const char *protocol_word(uint8_t protocol)
{
	return protocol == AL_PROTOCOL_UDP ? "udp" : "tcp";
}

static void print_kind(struct printer *printer, const struct selector *selector)
{
	buffer_printf(printer->out, "%s(%s)",
		      resource_kind_word(selector->kind),
		      resource_origin_word(selector->origin));
}

static void print_designator(struct printer *printer,
			     const struct selector *selector)
{
	if (selector->origin == ORIGIN_UNSPECIFIED) {
		word(printer, resource_class_word(selector->class_));
	} else if (selector->symbolic) {
		word(printer, selector->symbolic);
		string(printer, selector->name);
	} else if (selector->kind == RESOURCE_ENDPOINT) {
		word(printer, protocol_word(selector->protocol));
		string(printer, selector->name);
		word(printer, "port");
		print_ports(printer, selector);
	} else if (selector->kind == RESOURCE_PORT) {
		word(printer, protocol_word(selector->protocol));
		print_ports(printer, selector);
	} else {
		string(printer, selector->name);
	}
}

static void print_size(struct printer *printer, uint64_t size)
{
	static const char *const units[] = { "", "KiB", "MiB", "GiB" };
	size_t i = 0;

	while (i + 1 < ARRAY_SIZE(units) && size && !(size & 1023)) {
		size >>= 10;
		i++;
	}
	buffer_printf(printer->out, " %llu%s", (unsigned long long)size,
		      units[i]);
}

/* ---- statements of a system */

static void print_rule(struct printer *printer)
{
	const struct program *program = printer->program;
	char hex[DIGEST_HEX];

	if (!program->has_digest)
		return;
	begin(printer, COMMENT_RULE, 0, "rule");
	string(printer, program->rule);
	word(printer, "sha256");
	digest_hex(&program->rule_digest, hex);
	string(printer, hex);
	print_beside(printer, COMMENT_RULE, 0);
}

static void print_resource(struct printer *printer, size_t i)
{
	const struct resource *resource = &printer->program->resources[i];

	begin(printer, COMMENT_RESOURCE, i, "resource");
	word(printer, resource->name);
	buffer_adds(printer->out, " : ");
	print_kind(printer, &resource->selector);
	buffer_adds(printer->out, " =");
	print_designator(printer, &resource->selector);
	print_beside(printer, COMMENT_RESOURCE, i);
}

static void print_span(struct printer *printer, const struct source_span *span)
{
	buffer_printf(printer->out, "%u:%u-%u:%u", span->where.start.line,
		      span->where.start.column, span->where.end.line,
		      span->where.end.column);
	if (span->text)
		string(printer, span->text);
}

static void print_grant(struct printer *printer, size_t i)
{
	const struct program *program = printer->program;
	const struct grant *grant = &program->grants[i];
	/* Several places: one in each line. */
	const char *before = grant->nr_spans > 1 ? "\n    " : " ";
	size_t k;

	begin(printer, COMMENT_GRANT, i, "grant");
	word(printer, grant->name);
	word(printer, operation_word(grant->action));
	word(printer, program->resources[grant->resource].name);
	word(printer, grant->observed ? "observed" : "from");
	if (!grant->observed)
		string(printer, grant->spans[0].where.file);
	for (k = 0; k < grant->nr_spans; k++) {
		buffer_adds(printer->out, k ? "," : "");
		buffer_adds(printer->out, before);
		print_span(printer, &grant->spans[k]);
	}
	if (grant->conditional)
		word(printer, "conditional");
	if (grant->base)
		word(printer, "base");
	if (grant->hidden) {
		word(printer, "hidden");
		string(printer, grant->hidden);
	}
	print_beside(printer, COMMENT_GRANT, i);
}

/* ---- statements of a setup */

static void print_baseline(struct printer *printer, size_t i)
{
	const struct baseline *baseline = &printer->program->baselines[i];
	unsigned int action;
	size_t k;

	begin(printer, COMMENT_BASELINE, i, "baseline");
	for (action = 0; action < AL_NR_OPERATIONS; action++)
		if (baseline->actions >> action & 1)
			word(printer, operation_word(action));
	buffer_adds(printer->out, " on ");
	print_kind(printer, &baseline->selector);
	print_designator(printer, &baseline->selector);
	for (k = 0; k < baseline->nr_excepts; k++) {
		const struct except *except = &baseline->excepts[k];

		buffer_adds(printer->out, k ? "," : " except");
		if (except->table)
			word(printer, except->table);
		else
			string(printer, except->path);
	}
	print_beside(printer, COMMENT_BASELINE, i);
}

static void print_alias(struct printer *printer, const struct alias *alias)
{
	buffer_adds(printer->out, alias->symbolic ? "symlink" : "hard-link");
	word(printer, resource_origin_word(alias->origin));
	string(printer, alias->path);
}

static void print_properties(struct printer *printer,
			     const struct binding *binding)
{
	size_t nr = !!binding->canary + !!binding->content + !!binding->from +
		    !!binding->mode + binding->nr_aliases;
	const char *before = nr > 1 ? "\n    " : " ";
	size_t i;

	if (!nr)
		return;
	buffer_adds(printer->out, " {");
	if (binding->canary) {
		buffer_printf(printer->out, "%scanary", before);
		print_size(printer, binding->canary);
	}
	if (binding->content) {
		buffer_printf(printer->out, "%scontent", before);
		string(printer, binding->content);
	}
	if (binding->from) {
		buffer_printf(printer->out, "%sfrom", before);
		string(printer, binding->from);
	}
	if (binding->mode)
		buffer_printf(printer->out, "%smode %04o", before,
			      binding->mode);
	for (i = 0; i < binding->nr_aliases; i++) {
		buffer_adds(printer->out, before);
		print_alias(printer, &binding->aliases[i]);
	}
	buffer_adds(printer->out, nr > 1 ? "\n  }" : " }");
}

static void print_binding(struct printer *printer, size_t i)
{
	const struct binding *binding = &printer->program->bindings[i];

	begin(printer, COMMENT_BINDING, i, "bind");
	word(printer, binding->resource);
	word(printer, "to");
	if (binding->kind != BINDING_REAL)
		word(printer, "fixture");
	word(printer, binding_kind_word(binding->kind));
	if (binding->kind == BINDING_FIXTURE_ENDPOINT ||
	    binding->kind == BINDING_FIXTURE_SOCKET)
		word(printer, "sink");
	if (binding->place.name) {
		word(printer, "at");
		word(printer, resource_origin_word(binding->place.origin));
		string(printer, binding->place.name);
	}
	print_properties(printer, binding);
	print_beside(printer, COMMENT_BINDING, i);
}

/* ---- blocks */

static void open_block(struct printer *printer, enum comment_owner owner,
		       const char *keyword)
{
	print_above(printer, owner, 0, "");
	buffer_adds(printer->out, keyword);
	string(printer, printer->program->name);
	word(printer, "{");
	print_beside(printer, owner, 0);
	printer->kinds = false;
}

static void close_block(struct printer *printer, enum comment_owner owner)
{
	print_above(printer, owner, 0, "  ");
	buffer_addc(printer->out, '}');
	print_beside(printer, owner, 0);
}

static void print_system(struct printer *printer)
{
	const struct program *program = printer->program;
	size_t i;

	open_block(printer, COMMENT_SYSTEM, "system");
	print_rule(printer);
	for (i = 0; i < program->nr_resources; i++)
		print_resource(printer, i);
	for (i = 0; i < program->nr_grants; i++)
		print_grant(printer, i);
	close_block(printer, COMMENT_SYSTEM_END);
}

static void print_setup(struct printer *printer)
{
	const struct program *program = printer->program;
	size_t i;

	open_block(printer, COMMENT_SETUP, "setup");
	begin(printer, COMMENT_AGENT, 0, "agent as");
	word(printer, program->agent_root ? "root" : "user");
	print_beside(printer, COMMENT_AGENT, 0);
	if (program->use_standard) {
		/* No blank line between these two. */
		printer->last = COMMENT_USE;
		begin(printer, COMMENT_USE, 0, "use standard");
		print_beside(printer, COMMENT_USE, 0);
	}
	for (i = 0; i < program->nr_baselines; i++)
		print_baseline(printer, i);
	for (i = 0; i < program->nr_bindings; i++)
		print_binding(printer, i);
	close_block(printer, COMMENT_SETUP_END);
}

static void print(const struct program *program, struct buffer *out,
		  bool comments)
{
	struct printer printer = { .program = program,
				   .out = out,
				   .comments = comments };

	print_above(&printer, COMMENT_TOP, 0, "");
	if (printer.printed[COMMENT_TOP])
		buffer_addc(out, '\n');
	if (program->has_system)
		print_system(&printer);
	if (program->has_system && program->has_setup)
		buffer_addc(out, '\n');
	if (program->has_setup)
		print_setup(&printer);
	print_above(&printer, COMMENT_END, 0, "");
}

void program_print(const struct program *program, struct buffer *out)
{
	print(program, out, false);
}

void program_format(const struct program *program, struct buffer *out)
{
	print(program, out, true);
}

void selector_print(const struct selector *selector, struct buffer *out)
{
	struct printer printer = { .out = out };

	print_kind(&printer, selector);
	print_designator(&printer, selector);
}
