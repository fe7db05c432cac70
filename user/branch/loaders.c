// SPDX-License-Identifier: GPL-2.0-only
#include "branch/loaders.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "branch/branch.h"
#include "branch/tree.h"

extern const char data_loaders_txt[];

bool loaders_match(const char *name)
{
	const char *line = data_loaders_txt;

	while (*line) {
		const char *end = strchrnul(line, '\n');
		char *pattern cleanup_free =
			xmemdup0(line, (size_t)(end - line));

		if (*pattern && *pattern != '#' &&
		    !fnmatch(pattern, name, FNM_NOESCAPE))
			return true;
		line = *end ? end + 1 : end;
	}
	return false;
}

struct restore {
	int workspace;
	int original;
	int solution;
	int notes;
};

/* Two regular files with the same bytes? */
static bool same_bytes(int a, int b)
{
	char chunks[2][16384];
	struct stat st[2];

	if (fstat(a, &st[0]) || fstat(b, &st[1]) || !S_ISREG(st[0].st_mode) ||
	    !S_ISREG(st[1].st_mode) || st[0].st_size != st[1].st_size)
		return false;
	for (;;) {
		ssize_t nr = read(a, chunks[0], sizeof(chunks[0]));

		if (nr <= 0)
			return !nr;
		if (read(b, chunks[1], (size_t)nr) != nr ||
		    memcmp(chunks[0], chunks[1], (size_t)nr))
			return false;
	}
}

static bool same_in(int root, const struct restore *restore, const char *path)
{
	int there cleanup_close = -1;
	int here cleanup_close = -1;

	if (root < 0)
		return false;
	there = tree_open(root, path, O_RDONLY | O_NONBLOCK);
	here = tree_open(restore->workspace, path, O_RDONLY | O_NONBLOCK);
	return there >= 0 && here >= 0 && same_bytes(there, here);
}

static int restore_entry(int directory, const char *name, const char *path,
			 const struct stat *st, void *context,
			 struct error **err)
{
	const struct restore *restore = context;
	int original cleanup_close = -1;
	struct stat old;
	int code;

	if (!loaders_match(name))
		return TREE_INTO;
	original = tree_open(restore->original, path, O_PATH);
	/* A directory that was there: what is in it has names of its own. */
	if (original >= 0 && !fstat(original, &old) && S_ISDIR(st->st_mode) &&
	    S_ISDIR(old.st_mode))
		return TREE_INTO;
	if (same_in(restore->original, restore, path) ||
	    same_in(restore->solution, restore, path))
		return TREE_OVER;
	if (original >= 0 && !fstat(original, &old) && S_ISREG(old.st_mode))
		code = tree_restore(restore->original, restore->workspace, path,
				    BRANCH_AGENT_UID, err);
	else
		code = tree_remove(directory, name, err);
	if (!code)
		code = fd_write_all(restore->notes, path, strlen(path) + 1);
	return code ? code : TREE_OVER;
}

int loaders_restore(int workspace, int original, int solution, int notes,
		    struct error **err)
{
	struct restore restore = {
		.workspace = workspace,
		.original = original,
		.solution = solution,
		.notes = notes,
	};

	return tree_walk(workspace, restore_entry, &restore, err);
}
