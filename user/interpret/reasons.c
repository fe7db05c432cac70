// SPDX-License-Identifier: GPL-2.0-only
/*
 * reasons.yaml -> struct reasons. Every error has its place; unknown facts and
 * words are errors, because a condition that can never hold hides something.
 */
#include "interpret/reasons.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include <aletheia/limits.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "manifest/document.h"

/* A NUL byte follows it. */
extern const char data_reasons_yaml[];

/* Tables of the user's are as bounded as other inputs. */
#define MAX_REASONS_SIZE AL_MAX_MANIFEST_SIZE

const char *const fact_names[] = {
	"action",   "kind",	 "origin",  "class",	   "place",
	"tool",	    "variable",	 "path",    "host",	   "port",
	"binding",  "real-tool", "base",    "conditional", "hidden",
	"observed", "left",	 "arrived", "outcome",	   "undeclared",
	"flagged",  NULL,
};

static const char *const severity_words[] = { "low", "medium", "high",
					      "critical" };

const char *severity_word(enum severity severity)
{
	return severity_words[severity];
}

struct loader {
	struct document document;
	struct reasons *reasons;
};

static bool is_fact(const char *name)
{
	size_t i;

	for (i = 0; fact_names[i]; i++)
		if (!strcmp(fact_names[i], name))
			return true;
	return false;
}

static bool is_table(const char *fact)
{
	return !strcmp(fact, "tool") || !strcmp(fact, "variable") ||
	       !strcmp(fact, "path") || !strcmp(fact, "host");
}

static const char *copy_text(struct loader *loader, yaml_node_t *node,
			     const char *what)
{
	const char *text = document_text(&loader->document, node, what);

	return text ? arena_strdup(loader->reasons->arena, text) : NULL;
}

/* One text or a list of texts. */
static void load_texts(struct loader *loader, yaml_node_t *node,
		       const char *what, const char ***ret, size_t *ret_nr)
{
	struct arena *arena = loader->reasons->arena;
	yaml_node_t *item;
	size_t i;

	if (node->type == YAML_SCALAR_NODE) {
		*ARENA_PUSH(arena, *ret, *ret_nr) =
			copy_text(loader, node, what);
		return;
	}
	if (!document_list(&loader->document, node, what))
		return;
	for (i = 0; (item = document_item(&loader->document, node, i)); i++)
		*ARENA_PUSH(arena, *ret, *ret_nr) =
			copy_text(loader, item, what);
}

static void load_severity(struct loader *loader, yaml_node_t *node,
			  enum severity *ret)
{
	const char *word = document_text(&loader->document, node, "severity");
	size_t i;

	for (i = 0; word && i < NR_SEVERITIES; i++) {
		if (!strcmp(word, severity_words[i])) {
			*ret = (enum severity)i;
			return;
		}
	}
	if (word)
		document_complain(&loader->document, node,
				  "severity is low, medium, high or critical, "
				  "not \"%s\"",
				  word);
}

static void load_condition(struct loader *loader, yaml_node_t *node,
			   struct condition *condition, bool inner);

static void load_conditions(struct loader *loader, yaml_node_t *node,
			    const char *what, enum severity severity,
			    struct condition **ret, size_t *ret_nr, bool inner)
{
	yaml_node_t *item;
	size_t i;

	if (!document_list(&loader->document, node, what))
		return;
	for (i = 0; (item = document_item(&loader->document, node, i)); i++) {
		struct condition *condition =
			ARENA_PUSH(loader->reasons->arena, *ret, *ret_nr);

		condition->severity = severity;
		load_condition(loader, item, condition, inner);
	}
}

static void load_test(struct loader *loader, yaml_node_t *key,
		      yaml_node_t *value, bool negated,
		      struct condition *condition)
{
	const char *name = copy_text(loader, key, "a fact");
	struct test *test;

	if (!name)
		return;
	if (!is_fact(name)) {
		document_complain(&loader->document, key,
				  "there is no fact \"%s\"", name);
		return;
	}
	test = ARENA_PUSH(loader->reasons->arena, condition->tests,
			  condition->nr_tests);
	test->fact = name;
	test->negated = negated;
	condition->second |= !strcmp(name, "flagged");
	load_texts(loader, value, name, &test->values, &test->nr_values);
}

static void load_not(struct loader *loader, yaml_node_t *node,
		     struct condition *condition)
{
	struct document *document = &loader->document;
	yaml_node_t *key;
	size_t i;

	if (!document_mapping(document, node, "not"))
		return;
	for (i = 0; (key = document_key(document, node, i)); i++)
		load_test(loader, key, document_value(document, node, i), true,
			  condition);
}

static void load_condition(struct loader *loader, yaml_node_t *node,
			   struct condition *condition, bool inner)
{
	struct document *document = &loader->document;
	yaml_node_t *key, *value;
	const char *word;
	size_t i;

	if (!document_mapping(document, node, "a condition"))
		return;
	for (i = 0; (key = document_key(document, node, i)); i++) {
		value = document_value(document, node, i);
		word = (const char *)key->data.scalar.value;
		if (!strcmp(word, "severity") && !inner)
			load_severity(loader, value, &condition->severity);
		else if (!strcmp(word, "not"))
			load_not(loader, value, condition);
		else if (!strcmp(word, "also") && !inner)
			load_conditions(loader, value, "also", SEVERITY_LOW,
					&condition->also, &condition->nr_also,
					true);
		else
			load_test(loader, key, value, false, condition);
	}
	if (!condition->nr_tests)
		document_complain(
			document, node,
			"a condition without facts would always hold");
}

/* ---- the three parts */

static struct group *find_group(struct reasons *reasons, const char *fact,
				const char *name)
{
	struct group *group;
	size_t i;

	for (i = 0; i < reasons->nr_groups; i++) {
		group = &reasons->groups[i];
		if (!strcmp(group->fact, fact) && !strcmp(group->name, name))
			return group;
	}
	group = ARENA_PUSH(reasons->arena, reasons->groups, reasons->nr_groups);
	group->fact = fact;
	group->name = name;
	return group;
}

static void load_table(struct loader *loader, yaml_node_t *key,
		       yaml_node_t *node)
{
	struct document *document = &loader->document;
	const char *fact = copy_text(loader, key, "a table"), *name;
	yaml_node_t *inner;
	size_t i;

	if (!fact || !document_mapping(document, node, fact))
		return;
	if (!is_table(fact)) {
		document_complain(document, key,
				  "tables are tool, variable, path and host, "
				  "not \"%s\"",
				  fact);
		return;
	}
	for (i = 0; (inner = document_key(document, node, i)); i++) {
		struct group *group;

		name = copy_text(loader, inner, "a group");
		if (!name)
			continue;
		group = find_group(loader->reasons, fact, name);
		load_texts(loader, document_value(document, node, i), name,
			   &group->patterns, &group->nr_patterns);
	}
}

static void load_tables(struct loader *loader, yaml_node_t *node)
{
	struct document *document = &loader->document;
	yaml_node_t *key;
	size_t i;

	if (!document_mapping(document, node, "tables"))
		return;
	for (i = 0; (key = document_key(document, node, i)); i++)
		load_table(loader, key, document_value(document, node, i));
}

/* The value of a key that may be missing; complains about a missing one. */
static yaml_node_t *member(struct loader *loader, yaml_node_t *mapping,
			   const char *name, bool required)
{
	struct document *document = &loader->document;
	yaml_node_t *key;
	size_t i;

	for (i = 0; (key = document_key(document, mapping, i)); i++)
		if (!strcmp((const char *)key->data.scalar.value, name))
			return document_value(document, mapping, i);
	if (required)
		document_complain(document, mapping, "\"%s\" is missing", name);
	return NULL;
}

static bool check_keys(struct loader *loader, yaml_node_t *mapping,
		       const char *const *known)
{
	struct document *document = &loader->document;
	bool right = true;
	yaml_node_t *key;
	size_t i, k;

	for (i = 0; (key = document_key(document, mapping, i)); i++) {
		const char *word = (const char *)key->data.scalar.value;

		for (k = 0; known[k] && strcmp(known[k], word) != 0; k++)
			;
		if (known[k])
			continue;
		document_complain(document, key, "there is no key \"%s\" here",
				  word);
		right = false;
	}
	return right;
}

static struct ordinary *ordinary_by_id(struct reasons *reasons, const char *id)
{
	size_t i;

	for (i = 0; i < reasons->nr_ordinary; i++)
		if (!strcmp(reasons->ordinary[i].id, id))
			return &reasons->ordinary[i];
	return NULL;
}

/* What has the same id as one that is there replaces it. */
static void load_ordinary(struct loader *loader, yaml_node_t *node)
{
	static const char *const known[] = { "id", "title", "explanation",
					     "when", NULL };
	struct reasons *reasons = loader->reasons;
	struct ordinary new = { 0 }, *old;
	yaml_node_t *value;

	if (!document_mapping(&loader->document, node, "an ordinary class") ||
	    !check_keys(loader, node, known))
		return;
	value = member(loader, node, "id", true);
	new.id = value ? copy_text(loader, value, "id") : NULL;
	value = member(loader, node, "title", true);
	new.title = value ? copy_text(loader, value, "title") : NULL;
	value = member(loader, node, "explanation", true);
	new.explanation =
		value ? copy_text(loader, value, "explanation") : NULL;
	value = member(loader, node, "when", true);
	if (value)
		load_conditions(loader, value, "when", SEVERITY_LOW, &new.when,
				&new.nr_when, false);
	if (!new.id)
		return;
	old = ordinary_by_id(reasons, new.id);
	if (!old)
		old = ARENA_PUSH(reasons->arena, reasons->ordinary,
				 reasons->nr_ordinary);
	*old = new;
}

static struct reason *reason_by_id(struct reasons *reasons, const char *id)
{
	size_t i;

	for (i = 0; i < reasons->nr_reasons; i++)
		if (!strcmp(reasons->reasons[i].id, id))
			return &reasons->reasons[i];
	return NULL;
}

static void load_justified_by(struct loader *loader, yaml_node_t *node,
			      struct reason *reason)
{
	size_t i;

	load_texts(loader, node, "justified-by", &reason->justified_by,
		   &reason->nr_justified_by);
	for (i = 0; i < reason->nr_justified_by; i++)
		if (reason->justified_by[i] &&
		    !ordinary_by_id(loader->reasons, reason->justified_by[i]))
			document_complain(&loader->document, node,
					  "there is no ordinary class \"%s\"",
					  reason->justified_by[i]);
}

static void load_reason(struct loader *loader, yaml_node_t *node)
{
	static const char *const known[] = {
		"id",		"title", "severity", "explanation",
		"justified-by", "when",	 NULL
	};
	struct reasons *reasons = loader->reasons;
	struct reason new = { 0 }, *old;
	yaml_node_t *value;

	if (!document_mapping(&loader->document, node, "a reason") ||
	    !check_keys(loader, node, known))
		return;
	value = member(loader, node, "id", true);
	new.id = value ? copy_text(loader, value, "id") : NULL;
	value = member(loader, node, "title", true);
	new.title = value ? copy_text(loader, value, "title") : NULL;
	value = member(loader, node, "explanation", true);
	new.explanation =
		value ? copy_text(loader, value, "explanation") : NULL;
	value = member(loader, node, "severity", true);
	if (value)
		load_severity(loader, value, &new.severity);
	value = member(loader, node, "justified-by", false);
	if (value)
		load_justified_by(loader, value, &new);
	value = member(loader, node, "when", true);
	if (value)
		load_conditions(loader, value, "when", new.severity, &new.when,
				&new.nr_when, false);
	if (!new.id)
		return;
	old = reason_by_id(reasons, new.id);
	if (!old)
		old = ARENA_PUSH(reasons->arena, reasons->reasons,
				 reasons->nr_reasons);
	*old = new;
}

static void load_each(struct loader *loader, yaml_node_t *list,
		      const char *what,
		      void (*load)(struct loader *, yaml_node_t *))
{
	yaml_node_t *item;
	size_t i;

	if (!document_list(&loader->document, list, what))
		return;
	for (i = 0; (item = document_item(&loader->document, list, i)); i++)
		load(loader, item);
}

static int load_text(struct reasons *reasons, const char *file,
		     const char *text, size_t length, struct error **err)
{
	static const char *const known[] = { "tables", "ordinary", "reasons",
					     NULL };
	struct loader loader = { .reasons = reasons };
	yaml_node_t *root, *part;
	int r;

	r = document_open(&loader.document, file, text, length, ERROR_CONFIG,
			  err);
	if (r)
		return r;
	root = document_root(&loader.document);
	if (document_mapping(&loader.document, root, "the file") &&
	    check_keys(&loader, root, known)) {
		part = member(&loader, root, "tables", false);
		if (part)
			load_tables(&loader, part);
		part = member(&loader, root, "ordinary", false);
		if (part)
			load_each(&loader, part, "ordinary", load_ordinary);
		part = member(&loader, root, "reasons", false);
		if (part)
			load_each(&loader, part, "reasons", load_reason);
	}
	r = loader.document.status;
	document_close(&loader.document);
	return r;
}

/* An unreadable file of the user's is a wrong setup like a wrong one. */
static int load_file(struct reasons *reasons, const char *path,
		     struct error **err)
{
	struct error *cause cleanup_error = NULL;
	struct buffer text cleanup_buffer = { 0 };
	int r;

	r = file_read(AT_FDCWD, path, MAX_REASONS_SIZE, &text, &cause);
	if (r) {
		error_move(err, &cause);
		return error_wrap(err, ERROR_CONFIG, r,
				  "the table of reasons cannot be read");
	}
	return load_text(reasons, path, buffer_text(&text), text.length, err);
}

int reasons_load(const char *path, struct reasons **ret, struct error **err)
{
	struct arena *arena = arena_new();
	struct reasons *reasons = arena_alloc(arena, sizeof(*reasons));
	int r;

	reasons->arena = arena;
	r = load_text(reasons, "reasons.yaml", data_reasons_yaml,
		      strlen(data_reasons_yaml), err);
	if (!r && path)
		r = load_file(reasons, path, err);
	if (r) {
		reasons_free(reasons);
		return r;
	}
	*ret = reasons;
	return 0;
}

void reasons_free(struct reasons *reasons)
{
	if (reasons)
		arena_free(reasons->arena);
}
