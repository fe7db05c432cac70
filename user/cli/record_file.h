/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef USER_CLI_RECORD_FILE_H
#define USER_CLI_RECORD_FILE_H

#include "base/error.h"
#include "judge/record.h"

/**
 * record_file_read() - read a saved record
 * @path:	its path; "-" is standard input
 * @err:	ERROR_INPUT: it cannot be read, is no JSON or no record
 */
int record_file_read(const char *path, struct record **ret, struct error **err);

static inline void record_done(struct record **record)
{
	record_free(*record);
	*record = NULL;
}

#define cleanup_record __attribute__((__cleanup__(record_done)))

#endif /* USER_CLI_RECORD_FILE_H */
