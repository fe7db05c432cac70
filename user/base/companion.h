/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Programs and files that belong to this one, found beside it.
 */
#ifndef USER_BASE_COMPANION_H
#define USER_BASE_COMPANION_H

#include "base/error.h"

/**
 * companion_find() - path of a program that belongs to this one
 * @name:	e.g. "aletheia-scripted" or "vm"
 * @ret:	absolute path, malloc'ed
 * @err:	ERROR_CONFIG when it is nowhere
 *
 * Looked for in $ALETHEIA_LIBEXEC, if set nowhere else; else beside the
 * running program, in ../libexec/aletheia, one folder up (the test build) and,
 * for scripts, in ../scripts.
 */
int companion_find(const char *name, char **ret, struct error **err);

/* program_path() - absolute path of the running program, malloc'ed */
char *program_path(void);

#endif /* USER_BASE_COMPANION_H */
