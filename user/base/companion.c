// SPDX-License-Identifier: GPL-2.0-only
#include "base/companion.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/memory.h"

char *program_path(void)
{
	char path[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);

	return length > 0 ? xmemdup0(path, (size_t)length) : xstrdup("");
}

int companion_find(const char *name, char **ret, struct error **err)
{
	static const char *const places[] = {
		"", "../libexec/aletheia/", "../", "../scripts/",
		"../../scripts/",
	};
	const char *libexec = getenv("ALETHEIA_LIBEXEC");
	char *self cleanup_free = program_path();
	char *slash = strrchr(self, '/');
	size_t i;

	if (slash)
		slash[1] = '\0';
	for (i = 0; i < (libexec ? 1 : ARRAY_SIZE(places)); i++) {
		char *path cleanup_free =
			libexec ? xasprintf("%s/%s", libexec, name) :
				  xasprintf("%s%s%s", self, places[i], name);
		char *resolved cleanup_free = realpath(path, NULL);

		if (resolved && !access(resolved, X_OK)) {
			*ret = take_ptr(resolved);
			return 0;
		}
	}
	error_set(err, ERROR_CONFIG, ENOENT,
		  "the program %s, which belongs to aletheia, is missing", name);
	error_hint(err, "run \"make\" or \"make install\" again%s",
		   libexec ? ", or unset ALETHEIA_LIBEXEC" : "");
	return -ENOENT;
}
