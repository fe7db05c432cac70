/* SPDX-License-Identifier: GPL-2.0-only */
/* Words that only records use. */
#ifndef USER_REPORT_WORDS_H
#define USER_REPORT_WORDS_H

#include <aletheia/abi.h>

#include "judge/record.h"

#define NR_RUN_ENDS (RUN_CONFIGURATION_ERROR + 1)

/* Each gives the word of a number below the count; NULL: no such number. */
const char *run_end_word(unsigned int end);
const char *hook_word(unsigned int hook);

#endif /* USER_REPORT_WORDS_H */
