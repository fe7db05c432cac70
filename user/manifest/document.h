/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A YAML text as a tree of nodes with places: libyaml does the reading; this
 * bounds it and turns its nodes and its errors into ours.
 */
#ifndef USER_MANIFEST_DOCUMENT_H
#define USER_MANIFEST_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>

#include <yaml.h>

#include "base/error.h"
#include "base/memory.h"

/**
 * struct document - one YAML text
 * @file:	its name, for messages; borrowed
 * @text:	the bytes; borrowed
 * @length:	how many
 * @kind:	what an error in the content means
 * @err:	where errors go; borrowed
 * @status:	0, or -EINVAL once there was an error
 * @yaml:	the nodes
 */
struct document {
	const char *file;
	const char *text;
	size_t length;
	enum error_kind kind;
	struct error **err;
	int status;
	yaml_document_t yaml;
};

/**
 * document_open() - read a text that holds one YAML document
 * @kind:	of the errors that are found in its content later
 * @err:	ERROR_INPUT: no YAML, not UTF-8, nested too deeply, empty, or more
 *		than one document
 */
int document_open(struct document *document, const char *file, const char *text,
		  size_t length, enum error_kind kind, struct error **err);
void document_close(struct document *document);

/* document_root() - the topmost node */
yaml_node_t *document_root(struct document *document);

/* document_complain() - an error at a node */
void document_complain(struct document *document, const yaml_node_t *node,
		       const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* document_hint() - what to do about the last one */
void document_hint(struct document *document, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * The readers complain and return NULL or false where a node is not what they
 * are asked for; @what names it in the message.
 */

/* document_mapping() - is it a mapping whose keys are distinct texts? */
bool document_mapping(struct document *document, yaml_node_t *node,
		      const char *what);
/* document_key(), document_value() - of pair @i of a mapping; NULL: no more */
yaml_node_t *document_key(struct document *document, yaml_node_t *mapping,
			  size_t i);
yaml_node_t *document_value(struct document *document, yaml_node_t *mapping,
			    size_t i);
/* document_list() - is it a list? */
bool document_list(struct document *document, yaml_node_t *node,
		   const char *what);
/* document_item() - item @i of a list, NULL: no more */
yaml_node_t *document_item(struct document *document, yaml_node_t *list,
			   size_t i);
/* document_text() - a scalar that is not empty and has no NUL; borrowed */
const char *document_text(struct document *document, yaml_node_t *node,
			  const char *what);

#define cleanup_document __attribute__((__cleanup__(document_close)))

#endif /* USER_MANIFEST_DOCUMENT_H */
