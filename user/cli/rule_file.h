/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef USER_CLI_RULE_FILE_H
#define USER_CLI_RULE_FILE_H

#include "base/error.h"
#include "base/memory.h"

/**
 * rule_file_read() - a rule's bytes
 * @path:	"-": standard input
 * @ret_name:	for messages and places: @path, or "<stdin>"
 */
int rule_file_read(const char *path, struct buffer *text, const char **ret_name,
		   struct error **err);

#endif /* USER_CLI_RULE_FILE_H */
