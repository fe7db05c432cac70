/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef USER_CLI_ERROR_JSON_H
#define USER_CLI_ERROR_JSON_H

#include <jansson.h>

#include "base/error.h"

/* errors_to_json() - {"verdict": "error", "errors": [...]}, for machines that
 * asked for a record and get none; see aletheia-record(5) */
json_t *errors_to_json(const struct error *err);

#endif /* USER_CLI_ERROR_JSON_H */
