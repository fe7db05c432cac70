// SPDX-License-Identifier: GPL-2.0-only
#include "closure.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <glob.h>
#include <libelf.h>
#include <limits.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <aletheia/limits.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "bind/bound.h"

#define LINKER_CACHE "/etc/ld.so.cache"
#define LINKER_CONF  "/etc/ld.so.conf"

enum {
	SCRIPT_LINE = 256,  /* kernel BINPRM_BUF_SIZE */
	MAX_CONF = 1 << 16, /* bytes of a linker configuration file */
	MAX_CONF_DEPTH = 4, /* files that include each other */
	MAX_NEEDED = 256,   /* of one library */
};

/* A list of directories, ':' between them as in the ELF file. */
struct search {
	const char *runpath;
	const char *rpath;
	const char *origin; /* directory of the file that says so */
};

/**
 * struct image - one file, looked at once
 * @path:	the key: canonical, in the branch
 * @class_:	ELFCLASS32 or ELFCLASS64; 0: no ELF file
 * @interpreter: of an ELF program, or NULL
 * @script:	first line of a script without "#!", or NULL
 */
struct image {
	const char *path;
	unsigned char class_;
	uint16_t machine;
	const char *interpreter;
	const char **needed;
	size_t nr_needed;
	struct search search;
	const char *script;
};

struct closure {
	struct arena *arena;
	struct view *view;
	void *images;
	const char **directories; /* of the linker's configuration */
	size_t nr_directories;
};

/* ---- the linker's directories */

static void add_directory(struct closure *closure, const char *path)
{
	*ARENA_PUSH(closure->arena, closure->directories,
		    closure->nr_directories) =
		arena_strdup(closure->arena, path);
}

static void read_conf(struct closure *closure, const char *path,
		      unsigned int depth);

static void include_conf(struct closure *closure, const char *pattern,
			 unsigned int depth)
{
	glob_t found;
	size_t i;

	if (depth >= MAX_CONF_DEPTH || glob(pattern, 0, NULL, &found))
		return;
	for (i = 0; i < found.gl_pathc; i++)
		read_conf(closure, found.gl_pathv[i], depth + 1);
	globfree(&found);
}

/* Lines with a directory, or "include PATTERN". */
static void read_conf(struct closure *closure, const char *path,
		      unsigned int depth)
{
	struct buffer text cleanup_buffer = { 0 };
	char *line, *save = NULL;

	if (file_read(AT_FDCWD, path, MAX_CONF, &text, NULL) || !text.data)
		return;
	for (line = strtok_r(text.data, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		char *pattern;

		line[strcspn(line, "#")] = '\0';
		line += strspn(line, " \t");
		line[strcspn(line, " \t=")] = ' ';
		pattern = line + strlen("include ");
		if (!strncmp(line, "include ", strlen("include "))) {
			pattern += strspn(pattern, " \t");
			pattern[strcspn(pattern, " \t")] = '\0';
			include_conf(closure,
				     *pattern == '/'
					     ? pattern
					     : arena_printf(closure->arena,
							    "/etc/%s", pattern),
				     depth);
			continue;
		}
		line[strcspn(line, " ")] = '\0';
		if (*line == '/')
			add_directory(closure, line);
	}
}

/*
 * The linker knows its own directories from its build; ours are those of all
 * distributions, and a library of the wrong class is passed over.
 */
static const char *const default_directories[] = {
#if defined(__x86_64__)
	"/lib/x86_64-linux-gnu",
	"/usr/lib/x86_64-linux-gnu",
	"/lib/i386-linux-gnu",
	"/usr/lib/i386-linux-gnu",
#elif defined(__aarch64__)
	"/lib/aarch64-linux-gnu",
	"/usr/lib/aarch64-linux-gnu",
#endif
	"/lib64",
	"/usr/lib64",
	"/lib",
	"/usr/lib",
	"/lib32",
	"/usr/lib32",
	"/usr/local/lib", /* musl */
};

struct closure *closure_new(struct arena *arena, struct view *view)
{
	struct closure *closure = xzalloc(sizeof(*closure));
	size_t i;

	closure->arena = arena;
	closure->view = view;
	read_conf(closure, LINKER_CONF, 0);
	for (i = 0; i < ARRAY_SIZE(default_directories); i++)
		add_directory(closure, default_directories[i]);
	elf_version(EV_CURRENT);
	return closure;
}

static void keep(void *node)
{
	(void)node; /* in the arena */
}

void closure_free(struct closure *closure)
{
	if (!closure)
		return;
	tdestroy(closure->images, keep);
	free(closure);
}

/* ---- looking at one file */

static const char *directory_of(struct arena *arena, const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash == path
		       ? "/"
		       : arena_strndup(arena, path, (size_t)(slash - path));
}

static void read_dynamic(struct closure *closure, Elf *elf, Elf_Scn *section,
			 const GElf_Shdr *header, struct image *image)
{
	Elf_Data *data = elf_getdata(section, NULL);
	size_t nr =
		header->sh_entsize ? header->sh_size / header->sh_entsize : 0;
	size_t i;

	for (i = 0; data && i < nr && i <= INT_MAX; i++) {
		GElf_Dyn entry;
		const char *text;

		if (!gelf_getdyn(data, (int)i, &entry) ||
		    entry.d_tag == DT_NULL)
			return;
		if (entry.d_tag != DT_NEEDED && entry.d_tag != DT_RPATH &&
		    entry.d_tag != DT_RUNPATH)
			continue;
		text = elf_strptr(elf, header->sh_link, entry.d_un.d_val);
		if (!text)
			continue;
		text = arena_strdup(closure->arena, text);
		if (entry.d_tag == DT_RPATH)
			image->search.rpath = text;
		else if (entry.d_tag == DT_RUNPATH)
			image->search.runpath = text;
		else if (image->nr_needed < MAX_NEEDED)
			*ARENA_PUSH(closure->arena, image->needed,
				    image->nr_needed) = text;
	}
}

static void read_interpreter(struct closure *closure, Elf *elf,
			     struct image *image)
{
	size_t nr, size, i;
	const char *bytes = elf_rawfile(elf, &size);

	if (!bytes || elf_getphdrnum(elf, &nr))
		return;
	for (i = 0; i < nr && i <= INT_MAX; i++) {
		GElf_Phdr header;

		if (!gelf_getphdr(elf, (int)i, &header) ||
		    header.p_type != PT_INTERP || header.p_offset >= size ||
		    header.p_filesz > size - header.p_offset ||
		    header.p_filesz > AL_MAX_PATH)
			continue;
		image->interpreter =
			arena_strndup(closure->arena, bytes + header.p_offset,
				      header.p_filesz);
		return;
	}
}

static void read_elf(struct closure *closure, int fd, struct image *image)
{
	Elf *elf = elf_begin(fd, ELF_C_READ, NULL);
	Elf_Scn *section = NULL;
	GElf_Ehdr header;

	if (elf && elf_kind(elf) == ELF_K_ELF && gelf_getehdr(elf, &header)) {
		image->class_ = header.e_ident[EI_CLASS];
		image->machine = header.e_machine;
		read_interpreter(closure, elf, image);
		while ((section = elf_nextscn(elf, section))) {
			GElf_Shdr of_section;

			if (gelf_getshdr(section, &of_section) &&
			    of_section.sh_type == SHT_DYNAMIC)
				read_dynamic(closure, elf, section, &of_section,
					     image);
		}
	}
	elf_end(elf);
}

static void read_image(struct closure *closure, const struct program_file *file,
		       struct image *image)
{
	char line[SCRIPT_LINE + 1];
	int fd cleanup_close = -1;
	ssize_t length;

	fd = openat(file->directory, file->source,
		    O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return;
	length = pread(fd, line, SCRIPT_LINE, 0);
	if (length < 2)
		return;
	line[length] = '\0';
	if (line[0] == '#' && line[1] == '!') {
		line[strcspn(line, "\n")] = '\0';
		image->script = arena_strdup(closure->arena, line + 2);
	} else if (length > SELFMAG && !memcmp(line, ELFMAG, SELFMAG)) {
		read_elf(closure, fd, image);
	}
}

static int compare_images(const void *a, const void *b)
{
	const struct image *x = a, *y = b;

	return strcmp(x->path, y->path);
}

static const struct image *image_at(struct closure *closure,
				    const struct program_file *file)
{
	struct image *new = arena_alloc(closure->arena, sizeof(*new));
	struct image **found;

	new->path = arena_strdup(closure->arena, file->path);
	found = tsearch(new, &closure->images, compare_images);
	if (!found)
		abort(); /* out of memory */
	if (*found == new) {
		new->search.origin = directory_of(closure->arena, new->path);
		read_image(closure, file, new);
	}
	return *found;
}

/* A file by its name in the branch; NULL: not there, or no regular file. */
static const struct image *find_image(struct closure *closure, const char *path)
{
	struct found found = view_resolve(closure->view, path);
	struct program_file file = { .path = found.path };

	if (!found.exists || !S_ISREG(found.type) ||
	    !found_source(closure->arena, &found, &file.directory,
			  &file.source))
		return NULL;
	return image_at(closure, &file);
}

/* ---- libraries */

/**
 * struct linking - one program on its way through the dynamic linker
 * @program:	what is started
 * @images:	the program and all libraries so far
 * @loader:	[of @images] which one needed it first
 */
struct linking {
	struct closure *closure;
	const struct image *program;
	const struct image **images;
	size_t nr_images;
	size_t *loader;
	size_t nr_loader;
	struct need *needs;
	size_t nr_needs;
	const char *missing;
};

static void add_need(struct linking *linking, const char *path, bool execute,
		     bool data)
{
	struct need *need;
	size_t i;

	for (i = 0; i < linking->nr_needs; i++)
		if (!strcmp(linking->needs[i].path, path))
			return;
	need = ARENA_PUSH(linking->closure->arena, linking->needs,
			  linking->nr_needs);
	need->path = path;
	need->execute = execute;
	need->data = data;
}

/* The linker's variables in a directory; NULL: one that we do not know. */
static const char *expand(struct arena *arena, const char *text,
			  const char *origin, unsigned char class_)
{
	struct buffer out cleanup_buffer = { 0 };

	while (*text) {
		size_t nr = strcspn(text, "$");
		const char *name;
		bool braces;

		buffer_add(&out, text, nr);
		text += nr;
		if (!*text)
			break;
		braces = text[1] == '{';
		name = text + (braces ? 2 : 1);
		nr = strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");
		if (nr == 6 && !strncmp(name, "ORIGIN", nr))
			buffer_adds(&out, origin);
		else if (nr == 3 && !strncmp(name, "LIB", nr))
			buffer_adds(&out,
				    class_ == ELFCLASS64 ? "lib64" : "lib");
		else
			return NULL;
		text = name + nr + (braces && name[nr] == '}');
	}
	return arena_strdup(arena, buffer_text(&out));
}

/* Fits it the program? */
static bool is_library(const struct linking *linking, const struct image *image)
{
	return image && image->class_ == linking->program->class_ &&
	       image->machine == linking->program->machine;
}

static const struct image *
try_directory(struct linking *linking, const char *directory, const char *name)
{
	struct arena *arena = linking->closure->arena;
	const struct image *image;

	image = find_image(linking->closure,
			   arena_printf(arena, "%s/%s", directory, name));
	return is_library(linking, image) ? image : NULL;
}

static const struct image *try_list(struct linking *linking, const char *list,
				    const char *origin, const char *name)
{
	struct arena *arena = linking->closure->arena;
	char *copy, *one, *save = NULL;

	if (!list)
		return NULL;
	copy = arena_strdup(arena, list);
	for (one = strtok_r(copy, ":", &save); one;
	     one = strtok_r(NULL, ":", &save)) {
		const char *directory =
			expand(arena, one, origin, linking->program->class_);
		const struct image *image = NULL;

		if (directory && *directory == '/')
			image = try_directory(linking, directory, name);
		if (image)
			return image;
	}
	return NULL;
}

/*
 * As ld.so(8) says: RPATH of the one that needs it and of those that loaded
 * it, unless it has a RUNPATH; its RUNPATH; the configured directories.
 */
static const struct image *find_library(struct linking *linking, size_t from,
					const char *name)
{
	struct closure *closure = linking->closure;
	const struct search *search = &linking->images[from]->search;
	const struct image *image = NULL;
	size_t i = from;

	if (strchr(name, '/')) {
		const char *path = expand(closure->arena, name, search->origin,
					  linking->program->class_);

		image = path && *path == '/' ? find_image(closure, path) : NULL;
		return is_library(linking, image) ? image : NULL;
	}
	while (!image && !search->runpath) {
		const struct search *above = &linking->images[i]->search;

		if (!above->runpath)
			image = try_list(linking, above->rpath, above->origin,
					 name);
		if (!i)
			break;
		i = linking->loader[i];
	}
	if (!image)
		image = try_list(linking, search->runpath, search->origin,
				 name);
	for (i = 0; !image && i < closure->nr_directories; i++)
		image = try_directory(linking, closure->directories[i], name);
	return image;
}

/*
 * The linker prefers a library that is built for newer processors; which one
 * depends on the machine that the branch runs on, so all of them are needed.
 */
static void add_variants(struct linking *linking, const char *path)
{
	struct arena *arena = linking->closure->arena;
	const char *slash = strrchr(path, '/');
	glob_t found;
	size_t i;

	if (glob(arena_printf(arena, "%s/glibc-hwcaps/*/%s",
			      directory_of(arena, path), slash + 1),
		 0, NULL, &found))
		return;
	for (i = 0; i < found.gl_pathc; i++) {
		const struct image *image =
			find_image(linking->closure, found.gl_pathv[i]);

		if (is_library(linking, image))
			add_need(linking, image->path, false, false);
	}
	globfree(&found);
}

static void add_image(struct linking *linking, const struct image *image,
		      size_t loader)
{
	struct arena *arena = linking->closure->arena;
	size_t i;

	for (i = 0; i < linking->nr_images; i++)
		if (linking->images[i] == image)
			return;
	*ARENA_PUSH(arena, linking->images, linking->nr_images) = image;
	*ARENA_PUSH(arena, linking->loader, linking->nr_loader) = loader;
}

static void link_program(struct linking *linking)
{
	struct closure *closure = linking->closure;
	const struct image *image;
	size_t i, k;

	if (!linking->program->interpreter)
		return;
	image = find_image(closure, linking->program->interpreter);
	if (!image) {
		linking->missing = linking->program->interpreter;
		return;
	}
	add_need(linking, image->path, false, false);
	image = find_image(closure, LINKER_CACHE);
	if (image)
		add_need(linking, image->path, false, true);
	add_image(linking, linking->program, 0);
	for (i = 0; i < linking->nr_images; i++) {
		for (k = 0; k < linking->images[i]->nr_needed; k++) {
			const char *name = linking->images[i]->needed[k];

			image = find_library(linking, i, name);
			if (!image) {
				linking->missing = name;
				continue;
			}
			if (linking->nr_needs >= AL_MAX_CLOSURE) {
				linking->missing = "more files than we follow";
				return;
			}
			add_image(linking, image, i);
			add_need(linking, image->path, false, false);
			add_variants(linking, image->path);
		}
	}
}

/* ---- scripts */

struct found path_search(struct view *view, struct arena *arena,
			 const char *name)
{
	/* Our own directory comes first and holds nothing of the host. */
	char *copy = arena_strdup(arena, BRANCH_PATH);
	struct found found = { 0 };
	char *directory, *save = NULL;

	for (directory = strtok_r(copy, ":", &save); directory;
	     directory = strtok_r(NULL, ":", &save)) {
		found = view_resolve(
			view, arena_printf(arena, "%s/%s", directory, name));
		if (found.exists && found.host && S_ISREG(found.type) &&
		    (found.stat.st_mode & 0111))
			return found;
	}
	found.exists = false;
	return found;
}

/* "env [-S] [NAME=value]... PROGRAM" finds another program. */
static const char *behind_env(char *arguments)
{
	char *word, *save = NULL;

	for (word = strtok_r(arguments, " \t", &save); word;
	     word = strtok_r(NULL, " \t", &save)) {
		if (!strncmp(word, "-S", 2) && word[2])
			return word + 2;
		if (*word != '-' && !strchr(word, '='))
			return word;
	}
	return NULL;
}

static void need_interpreter(struct linking *linking, const struct found *found,
			     const char *name)
{
	if (found->exists && S_ISREG(found->type))
		add_need(linking, found->path, true, false);
	else
		linking->missing = name;
}

static void read_script(struct linking *linking)
{
	struct arena *arena = linking->closure->arena;
	char *line = arena_strdup(arena, linking->program->script);
	struct found found;
	const char *name;
	char *rest;

	line += strspn(line, " \t");
	rest = line + strcspn(line, " \t");
	if (*rest)
		*rest++ = '\0';
	if (*line != '/') {
		linking->missing = *line ? line : "an interpreter";
		return;
	}
	found = view_resolve(linking->closure->view, line);
	need_interpreter(linking, &found, line);
	if (strcmp(strrchr(line, '/'), "/env"))
		return;
	name = behind_env(rest);
	if (!name)
		return;
	if (*name == '/')
		found = view_resolve(linking->closure->view, name);
	else
		found = path_search(linking->closure->view, arena, name);
	need_interpreter(linking, &found, name);
}

size_t closure_of(struct closure *closure, const struct program_file *program,
		  struct need **ret, const char **ret_missing)
{
	struct linking linking = {
		.closure = closure,
		.program = image_at(closure, program),
	};

	if (linking.program->script)
		read_script(&linking);
	else if (linking.program->class_)
		link_program(&linking);
	*ret = linking.needs;
	*ret_missing = linking.missing;
	return linking.nr_needs;
}
