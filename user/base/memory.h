/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memory. Inputs are bounded (aletheia/limits.h), so running out of memory is
 * the machine's failure, not an input's: the x functions then say so once and
 * end the process with status 70, before any verdict is given.
 */
#ifndef USER_BASE_MEMORY_H
#define USER_BASE_MEMORY_H

#include <stdarg.h>
#include <stddef.h>

void *xzalloc(size_t size) __attribute__((malloc, returns_nonnull));
void *xreallocarray(void *old, size_t nr, size_t size)
	__attribute__((returns_nonnull));
char *xstrdup(const char *text) __attribute__((malloc, returns_nonnull));
/* xmemdup0() - copy of @length bytes with a zero behind them */
char *xmemdup0(const void *data, size_t length)
	__attribute__((malloc, returns_nonnull));
char *xasprintf(const char *format, ...)
	__attribute__((format(printf, 1, 2), returns_nonnull));
char *xvasprintf(const char *format, va_list args)
	__attribute__((format(printf, 1, 0), returns_nonnull));

/**
 * struct arena - memory that is released all at once
 *
 * What a stage builds is immutable afterwards and lives in one arena, with
 * all of its strings; pointers into it are valid until arena_free().
 */
struct arena;

struct arena *arena_new(void);
void arena_free(struct arena *arena);
void *arena_alloc(struct arena *arena, size_t size) /* zeroed */
	__attribute__((returns_nonnull));
char *arena_strdup(struct arena *arena, const char *text)
	__attribute__((returns_nonnull));
char *arena_strndup(struct arena *arena, const char *data, size_t length)
	__attribute__((returns_nonnull));
char *arena_printf(struct arena *arena, const char *format, ...)
	__attribute__((format(printf, 2, 3), returns_nonnull));

/**
 * arena_grow() - room for one more element at the end of an array
 * @arena:	where the array lives
 * @array:	the array, replaced when it moves (old copies stay until the
 *		arena is freed, so growth doubles)
 * @nr:		elements in use
 * @size:	bytes of one element
 *
 * Return: the new, zeroed element number @nr; the caller counts it.
 */
void *arena_grow(struct arena *arena, void *array, size_t nr, size_t size)
	__attribute__((returns_nonnull));
/* ARENA_PUSH() - append a zeroed element and return its address */
#define ARENA_PUSH(arena, array, nr)                                           \
	((array) = arena_grow((arena), (array), (nr), sizeof(*(array))),       \
	 &(array)[(nr)++])

static inline void arena_done(struct arena **arena)
{
	arena_free(*arena);
	*arena = NULL;
}

#define cleanup_arena __attribute__((__cleanup__(arena_done)))

/**
 * struct buffer - bytes that grow
 * @data:	the bytes, always followed by a zero; NULL when empty
 * @length:	how many
 * @room:	bytes allocated
 */
struct buffer {
	char *data;
	size_t length;
	size_t room;
};

void buffer_add(struct buffer *buffer, const void *data, size_t length);
void buffer_adds(struct buffer *buffer, const char *text);
void buffer_addc(struct buffer *buffer, char c);
void buffer_printf(struct buffer *buffer, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* buffer_text() - the bytes as a string, "" when empty; owned by @buffer */
const char *buffer_text(const struct buffer *buffer);
void buffer_done(struct buffer *buffer);

#define cleanup_buffer __attribute__((__cleanup__(buffer_done)))

#endif /* USER_BASE_MEMORY_H */
