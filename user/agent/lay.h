/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Laying the given solution over the workspace.
 */
#ifndef USER_AGENT_LAY_H
#define USER_AGENT_LAY_H

#include <stdbool.h>
#include <stdint.h>

/**
 * struct laid - what came of it
 * @files:	files and symlinks laid
 * @refused:	entries that the workspace refused, each reported by progress()
 * @broken:	the solution itself could not be read
 */
struct laid {
	uint64_t files;
	uint64_t refused;
	bool broken;
};

/**
 * lay_over() - copy a tree over another
 * @from:	descriptor of the solution's directory
 * @to:		descriptor of the workspace
 *
 * No symlink is followed in either tree: one that lies where the solution has a
 * file or a directory is replaced, so that nothing outside is changed whatever
 * happened to the workspace before. For the same reason a file with several
 * links is replaced; any other is written in place, for which the right to
 * write it is enough. The solution's symlinks are copied as they are.
 */
void lay_over(int from, int to, struct laid *ret);

/* lay_size() - bytes of disk that the tree at @from needs at most */
uint64_t lay_size(int from);

#endif /* USER_AGENT_LAY_H */
