/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Running this program again in a VM, where this kernel does not enforce.
 */
#ifndef USER_CLI_VM_H
#define USER_CLI_VM_H

#include <stdbool.h>

#include "base/error.h"

enum vm_mode { VM_AUTO, VM_ALWAYS, VM_NEVER };

/* vm_mode_parse() - "auto", "always" or "never"; -1: none of them */
int vm_mode_parse(const char *word);

/**
 * vm_wanted() - decide where to run, by really trying to load a program
 * @ret:	true: in the VM
 * @reason:	why, for the one line that says so; the caller frees it
 * @err:	with VM_NEVER: why this kernel does not enforce
 */
int vm_wanted(enum vm_mode mode, bool *ret, struct error **reason,
	      struct error **err);

/**
 * vm_run() - run "aletheia ARGUMENTS" in a VM that sees this machine's files
 * @arguments:	NULL-ended, without the program's name
 * @kernel:	"6.12" or "6.1"
 * @directory:	what the command leaves in VM_OUTPUT is brought here
 * @ret_status:	its exit status
 */
int vm_run(const char *const *arguments, const char *kernel,
	   const char *directory, int *ret_status, struct error **err);

/* Where the guest leaves files for the host. */
#define VM_OUTPUT "/io"

#endif /* USER_CLI_VM_H */
