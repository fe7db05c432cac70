/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef USER_EXTRACT_EXTRACT_META_H
#define USER_EXTRACT_EXTRACT_META_H

#include "extract/segment.h"

/*
 * extract_meta() - requests of one value of the front matter: tools that are
 * allowed without asking, commands of hooks, descriptions
 */
void extract_meta(const struct segment *segment, struct translation *ret);

#endif /* USER_EXTRACT_EXTRACT_META_H */
