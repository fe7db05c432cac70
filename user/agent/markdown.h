/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The command blocks of a rule. Pure: bytes in, scripts out.
 */
#ifndef USER_AGENT_MARKDOWN_H
#define USER_AGENT_MARKDOWN_H

#include <stddef.h>

#include "base/memory.h"

/**
 * struct interpreter - what runs a block whose info string has a certain word
 * @word:	first word of the info string, lower case; "" for none
 * @program:	looked up in PATH
 * @option:	makes @program take the script as its next argument
 * @shell:	prompts of a recorded session are taken off
 */
struct interpreter {
	const char *word;
	const char *program;
	const char *option;
	int shell;
};

/**
 * struct script - one fenced or indented code block
 * @line:	1-based line of the rule where the block starts
 * @word:	first word of the info string, lower case, as in the rule
 * @interpreter: what runs it; NULL: the block is no script
 * @text:	what is run: LF line ends, no zero byte; "" if there is nothing
 * @length:	bytes of @text
 */
struct script {
	int line;
	const char *word;
	const struct interpreter *interpreter;
	const char *text;
	size_t length;
};

/**
 * scripts_read() - the code blocks of a Markdown text, in its order
 * @text:	any bytes
 * @length:	how many
 * @arena:	owns the result
 * @ret:	the blocks
 * @ret_nr:	how many
 *
 * Code spans in running text are no blocks and are not run: prose names a
 * command far more often than it asks for it.
 */
void scripts_read(const char *text, size_t length, struct arena *arena,
		  struct script **ret, size_t *ret_nr);

#endif /* USER_AGENT_MARKDOWN_H */
