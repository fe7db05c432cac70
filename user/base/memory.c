// SPDX-License-Identifier: GPL-2.0-only
#include "memory.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "error.h"

__attribute__((noreturn)) static void out_of_memory(void)
{
	static const char text[] = "aletheia: out of memory\n";
	ssize_t ignored = write(STDERR_FILENO, text, sizeof(text) - 1);

	(void)ignored;
	_exit(ERROR_INTERNAL);
}

void *xzalloc(size_t size)
{
	void *p = calloc(1, size ? size : 1);

	if (!p)
		out_of_memory();
	return p;
}

void *xreallocarray(void *old, size_t nr, size_t size)
{
	void *p = reallocarray(old, nr ? nr : 1, size ? size : 1);

	if (!p)
		out_of_memory();
	return p;
}

char *xstrdup(const char *text)
{
	return xmemdup0(text, strlen(text));
}

char *xmemdup0(const void *data, size_t length)
{
	char *copy = xzalloc(length + 1);

	if (length)
		memcpy(copy, data, length);
	return copy;
}

char *xvasprintf(const char *format, va_list args)
{
	char *text;

	if (vasprintf(&text, format, args) < 0)
		out_of_memory();
	return text;
}

char *xasprintf(const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	text = xvasprintf(format, args);
	va_end(args);
	return text;
}

#define CHUNK_SIZE 16384

struct chunk {
	struct chunk *next;
	_Alignas(max_align_t) char data[];
};

struct arena {
	struct chunk *chunks; /* the newest first; only it has room */
	size_t used;
	size_t room;
};

struct arena *arena_new(void)
{
	return xzalloc(sizeof(struct arena));
}

void arena_free(struct arena *arena)
{
	if (!arena)
		return;
	while (arena->chunks) {
		struct chunk *chunk = arena->chunks;

		arena->chunks = chunk->next;
		free(chunk);
	}
	free(arena);
}

void *arena_alloc(struct arena *arena, size_t size)
{
	const size_t align = _Alignof(max_align_t);
	char *p;

	if (size > SIZE_MAX / 2)
		out_of_memory();
	size = (size + align - 1) & ~(align - 1);
	if (!arena->chunks || size > arena->room - arena->used) {
		size_t room = size > CHUNK_SIZE ? size : CHUNK_SIZE;
		struct chunk *chunk = xzalloc(sizeof(*chunk) + room);

		chunk->next = arena->chunks;
		arena->chunks = chunk;
		arena->used = 0;
		arena->room = room;
	}
	p = arena->chunks->data + arena->used;
	arena->used += size;
	return p;
}

char *arena_strdup(struct arena *arena, const char *text)
{
	return arena_strndup(arena, text, strlen(text));
}

char *arena_strndup(struct arena *arena, const char *data, size_t length)
{
	char *copy = arena_alloc(arena, length + 1);

	if (length)
		memcpy(copy, data, length);
	return copy;
}

char *arena_printf(struct arena *arena, const char *format, ...)
{
	va_list args;
	char *text, *copy;

	va_start(args, format);
	text = xvasprintf(format, args);
	va_end(args);
	copy = arena_strdup(arena, text);
	free(text);
	return copy;
}

/* Rooms are powers of two, so that a count alone tells when one is full. */
void *arena_grow(struct arena *arena, void *array, size_t nr, size_t size)
{
	void *bigger;

	if (nr & (nr - 1) || (nr && nr < 4))
		return array;
	bigger = arena_alloc(arena, (nr ? nr * 2 : 4) * size);
	if (nr)
		memcpy(bigger, array, nr * size);
	return bigger;
}

static void buffer_reserve(struct buffer *buffer, size_t more)
{
	size_t need = buffer->length + more + 1;

	if (need < more)
		out_of_memory();
	if (need <= buffer->room)
		return;
	buffer->room = need < 256 ? 256 : need + need / 2;
	buffer->data = xreallocarray(buffer->data, buffer->room, 1);
}

void buffer_add(struct buffer *buffer, const void *data, size_t length)
{
	buffer_reserve(buffer, length);
	if (length)
		memcpy(buffer->data + buffer->length, data, length);
	buffer->length += length;
	buffer->data[buffer->length] = '\0';
}

void buffer_adds(struct buffer *buffer, const char *text)
{
	buffer_add(buffer, text, strlen(text));
}

void buffer_addc(struct buffer *buffer, char c)
{
	buffer_add(buffer, &c, 1);
}

void buffer_printf(struct buffer *buffer, const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	text = xvasprintf(format, args);
	va_end(args);
	buffer_adds(buffer, text);
	free(text);
}

const char *buffer_text(const struct buffer *buffer)
{
	return buffer->data ? buffer->data : "";
}

void buffer_done(struct buffer *buffer)
{
	free(buffer->data);
	*buffer = (struct buffer){ 0 };
}
