/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The bash grammar of tree-sitter, generated C that scripts/deps fetches with
 * its digest pinned; Kbuild names the folder. Compiled without our warnings,
 * since the code is not ours.
 */
#if !__has_include("parser.c")
#error "the bash grammar is missing: run scripts/deps"
#endif
#include "parser.c"
