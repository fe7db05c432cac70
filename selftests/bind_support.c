// SPDX-License-Identifier: GPL-2.0-only
#include "bind_support.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"

__attribute__((noreturn)) static void die(const char *what,
					  const struct error *err)
{
	printf("%s: %s\n", what, err ? err->message : strerror(errno));
	fflush(NULL);
	_exit(1);
}

static char *in_world(const struct world *world, const char *name)
{
	return xasprintf("%s/%s", world->dir, name);
}

static void make_parents(char *path)
{
	char *slash = path;

	while ((slash = strchr(slash + 1, '/'))) {
		*slash = '\0';
		mkdir(path, 0755);
		*slash = '/';
	}
}

static bool said(bool fine, const char *path)
{
	if (!fine)
		printf("%s: %s\n", path, strerror(errno));
	return fine;
}

bool world_file(struct world *world, const char *name, const char *content)
{
	char *path cleanup_free = in_world(world, name);
	int fd cleanup_close = -1;

	make_parents(path);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC,
		  strncmp(name, "libexec/", 8) ? 0644 : 0755);
	return said(fd >= 0 && !fd_write_all(fd, content, strlen(content)),
		    path);
}

bool world_directory(struct world *world, const char *name)
{
	char *path cleanup_free = in_world(world, name);

	make_parents(path);
	return said(!mkdir(path, 0755) || errno == EEXIST, path);
}

bool world_symlink(struct world *world, const char *name, const char *target)
{
	char *path cleanup_free = in_world(world, name);

	make_parents(path);
	return said(!symlink(target, path), path);
}

bool world_link(struct world *world, const char *name, const char *old)
{
	char *path cleanup_free = in_world(world, name);
	char *from cleanup_free = in_world(world, old);

	make_parents(path);
	return said(!link(from, path), path);
}

bool world_init(struct world *world, const char *dir)
{
	char *libexec cleanup_free = xasprintf("%s/libexec", dir);

	memset(world, 0, sizeof(*world));
	world->dir = xstrdup(dir);
	world->manifest = (struct manifest){
		.file = "manifest.yaml",
		.directory = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC),
		.name = "world",
		.rule = "rule",
		.place = "AGENTS.md",
		.project = "project",
		.prompt = "Do it.",
		.solution = "solution",
		.translation = "world.sdl",
		.agent = "scripted",
	};
	setenv("ALETHEIA_LIBEXEC", libexec, 1);
	return said(world->manifest.directory >= 0, dir) &&
	       world_directory(world, "project") &&
	       world_directory(world, "solution") &&
	       world_file(world, "libexec/aletheia-scripted", "agent") &&
	       world_file(world, "libexec/aletheia-transfer", "transfer");
}

static void forget(struct world *world)
{
	bound_free(world->bound);
	program_free(world->program);
	error_free(world->err);
	world->bound = NULL;
	world->program = NULL;
	world->err = NULL;
}

void world_done(struct world *world)
{
	forget(world);
	if (world->manifest.directory >= 0)
		close(world->manifest.directory);
	free(world->dir);
}

static struct program *parse(const char *file, const char *block,
			     const char *statements)
{
	struct error *err cleanup_error = NULL;
	struct program *program = NULL;
	char *text cleanup_free =
		xasprintf("%s \"world\" {\n%s\n}\n", block, statements);

	if (program_parse(file, text, strlen(text), &program, &err))
		die(text, err);
	return program;
}

int world_bind(struct world *world, const char *system, const char *setup)
{
	struct program *parts[3] = { parse("world.sdl", "system", system),
				     parse("setup.sdl", "setup", setup) };
	struct error *err cleanup_error = NULL;
	size_t nr = 2, i;
	int code;

	forget(world);
	if (parts[1]->use_standard && standard_program(&parts[nr++], &err))
		die("standard", err);
	if (program_merge((const struct program *const *)parts, nr,
			  &world->program, &err))
		die("merge", err);
	for (i = 0; i < nr; i++)
		program_free(parts[i]);
	code = bind_program(&world->manifest, world->program, WORLD_RULE,
			    strlen(WORLD_RULE), &world->bound, &world->err);
	if (code && (world->bound || !world->err))
		die("a result and an error, or neither", NULL);
	return code;
}

const struct object *world_resource(const struct world *world, const char *name)
{
	static const struct object nothing = { .name = "" };
	const struct program *program = world->program;
	size_t i;

	for (i = 0; world->bound && i < program->nr_resources; i++)
		if (!strcmp(program->resources[i].name, name))
			return &world->bound->objects
					[world->bound->resource_objects[i]];
	printf("no resource %s is bound\n", name);
	return &nothing;
}

bool object_has_path(const struct object *object, const char *path)
{
	size_t i;

	for (i = 0; i < object->nr_paths; i++)
		if (!strcmp(object->paths[i], path))
			return true;
	return false;
}

const struct object *world_object(const struct world *world, const char *path)
{
	size_t i;

	for (i = 0; world->bound && i < world->bound->nr_objects; i++)
		if (object_has_path(&world->bound->objects[i], path))
			return &world->bound->objects[i];
	return NULL;
}

bool object_within(const struct world *world, const struct object *object,
		   const char *tree)
{
	size_t i;

	for (i = 0; i < object->nr_within; i++)
		if (!strcmp(world->bound->objects[object->within[i]].name,
			    tree))
			return true;
	return false;
}

const char *world_errors(const struct world *world)
{
	static char text[8192];
	const struct error *error;
	size_t length = 0;

	text[0] = '\0';
	for (error = world->err; error && length < sizeof(text);
	     error = error->next)
		length += (size_t)snprintf(text + length, sizeof(text) - length,
					   "%s%s%s\n", error->message,
					   error->hint ? " | " : "",
					   error->hint ? error->hint : "");
	return text;
}
