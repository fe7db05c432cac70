/* SPDX-License-Identifier: GPL-2.0-only */
/* The part of the bash grammar that is written by hand; see bash_parser.c. */
#include "scanner.c"
