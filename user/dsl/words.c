// SPDX-License-Identifier: GPL-2.0-only
#include "words.h"

#include <string.h>

#include "base/cleanup.h"
#include "program.h"

#define WORDS(name, ...)                                                       \
	static const char *const name##_list[] = { __VA_ARGS__ };              \
	const struct words name##_words = { name##_list,                       \
					    ARRAY_SIZE(name##_list) }

#define X_(name, word, help) word,
WORDS(operation, AL_OPERATIONS(X_));
#undef X_
#define X_(name, word) word,
WORDS(kind, RESOURCE_KINDS(X_));
WORDS(origin, RESOURCE_ORIGINS(X_));
WORDS(class, RESOURCE_CLASSES(X_));
#undef X_

/* What "kernel" resources name; operations that nobody gets for real. */
WORDS(facility, "audit", "bpf", "capture", "clock", "firewall", "module",
      "mount", "namespace", "reboot", "service", "swap", "sysctl");
WORDS(except, "control-files");

#define KIND(name)   (1u << RESOURCE_##name)
#define ORIGIN(name) (1u << ORIGIN_##name)

/* action -> the kinds it can be asked for; printed in systemdsl(5) */
static const uint16_t signatures[AL_NR_OPERATIONS] = {
	[AL_OP_NR_READ] = KIND(FILE) | KIND(DIR) | KIND(DEVICE),
	[AL_OP_NR_LIST] = KIND(DIR),
	[AL_OP_NR_WRITE] = KIND(FILE) | KIND(DIR) | KIND(DEVICE),
	[AL_OP_NR_DELETE] = KIND(FILE) | KIND(DIR) | KIND(SOCKET),
	[AL_OP_NR_SETATTR] =
		KIND(FILE) | KIND(DIR) | KIND(SOCKET) | KIND(DEVICE),
	[AL_OP_NR_EXECUTE] = KIND(DIR) | KIND(TOOL),
	[AL_OP_NR_MAP] = 0,
	[AL_OP_NR_CONNECT] = KIND(ENDPOINT) | KIND(SOCKET),
	[AL_OP_NR_BIND] = KIND(PORT) | KIND(SOCKET),
	[AL_OP_NR_SIGNAL] = KIND(PROCESS),
	[AL_OP_NR_TRACE] = KIND(PROCESS),
	[AL_OP_NR_GETENV] = KIND(ENV),
	[AL_OP_NR_KERNEL] = KIND(KERNEL),
};
_Static_assert(NR_RESOURCE_KINDS <= 16, "kinds fit into a signature");

#define ORIGINS_PATH                                                           \
	(ORIGIN(WORKSPACE) | ORIGIN(HOME) | ORIGIN(HOST) | ORIGIN(SCRATCH) |   \
	 ORIGIN(UNSPECIFIED))

/* kind -> its origins; printed in systemdsl(5) */
static const uint16_t origins[NR_RESOURCE_KINDS] = {
	[RESOURCE_FILE] = ORIGINS_PATH,
	[RESOURCE_DIR] = ORIGINS_PATH,
	[RESOURCE_TOOL] = ORIGINS_PATH,
	[RESOURCE_ENDPOINT] =
		ORIGIN(LOCAL) | ORIGIN(REMOTE) | ORIGIN(UNSPECIFIED),
	[RESOURCE_PORT] = ORIGIN(LOCAL) | ORIGIN(UNSPECIFIED),
	[RESOURCE_SOCKET] = ORIGINS_PATH,
	[RESOURCE_ENV] = ORIGIN(HOST) | ORIGIN(UNSPECIFIED),
	[RESOURCE_DEVICE] = ORIGIN(HOST) | ORIGIN(UNSPECIFIED),
	[RESOURCE_PROCESS] = ORIGIN(HOST) | ORIGIN(UNSPECIFIED),
	[RESOURCE_KERNEL] = ORIGIN(HOST) | ORIGIN(UNSPECIFIED),
};

bool action_takes(unsigned int action, enum resource_kind kind)
{
	return action < AL_NR_OPERATIONS && kind < NR_RESOURCE_KINDS &&
	       (signatures[action] >> kind & 1);
}

bool kind_has_origin(enum resource_kind kind, enum resource_origin origin)
{
	return kind < NR_RESOURCE_KINDS && origin < NR_RESOURCE_ORIGINS &&
	       (origins[kind] >> origin & 1);
}

static const char *word_at(const struct words *words, unsigned int i)
{
	return i < words->nr ? words->list[i] : "?";
}

int words_find(const struct words *words, const char *word)
{
	size_t i;

	for (i = 0; i < words->nr; i++)
		if (!strcmp(words->list[i], word))
			return (int)i;
	return -1;
}

const char *operation_word(unsigned int operation)
{
	return word_at(&operation_words, operation);
}

const char *resource_kind_word(enum resource_kind kind)
{
	return word_at(&kind_words, kind);
}

const char *resource_origin_word(enum resource_origin origin)
{
	return word_at(&origin_words, origin);
}

const char *resource_class_word(enum resource_class class_)
{
	return word_at(&class_words, class_);
}

int operation_from_word(const char *word)
{
	return words_find(&operation_words, word);
}

int resource_kind_from_word(const char *word)
{
	return words_find(&kind_words, word);
}

int resource_origin_from_word(const char *word)
{
	return words_find(&origin_words, word);
}

int resource_class_from_word(const char *word)
{
	return words_find(&class_words, word);
}

const char *operations_text(struct arena *arena, uint32_t operations)
{
	struct buffer out cleanup_buffer = { 0 };
	unsigned int i;

	for (i = 0; i < AL_NR_OPERATIONS; i++)
		if (operations >> i & 1)
			buffer_printf(&out, "%s%s", out.length ? " " : "",
				      operation_word(i));
	return arena_strdup(arena, buffer_text(&out));
}

/* Longer words get no suggestion: the distance costs the product of both. */
#define MAX_COMPARED 32

unsigned int word_distance(const char *a, const char *b, unsigned int limit)
{
	unsigned int rows[3][MAX_COMPARED + 1];
	size_t na = strlen(a), nb = strlen(b), i, j;

	if (na > MAX_COMPARED || nb > MAX_COMPARED ||
	    (na > nb ? na - nb : nb - na) >= limit)
		return limit;
	for (j = 0; j <= nb; j++)
		rows[0][j] = (unsigned int)j;
	for (i = 1; i <= na; i++) {
		unsigned int *now = rows[i % 3], *above = rows[(i + 2) % 3];
		const unsigned int *two_above = rows[(i + 1) % 3];

		now[0] = (unsigned int)i;
		for (j = 1; j <= nb; j++) {
			unsigned int best =
				above[j - 1] + (a[i - 1] != b[j - 1]);

			if (above[j] + 1 < best)
				best = above[j] + 1;
			if (now[j - 1] + 1 < best)
				best = now[j - 1] + 1;
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] &&
			    a[i - 2] == b[j - 1] && two_above[j - 2] + 1 < best)
				best = two_above[j - 2] + 1;
			now[j] = best;
		}
	}
	return rows[na % 3][nb] < limit ? rows[na % 3][nb] : limit;
}

const char *words_nearest(const struct words *words, const char *word)
{
	/* One edit in three letters: "fil" is "file", "cat" is nothing. */
	unsigned int least = (unsigned int)(strlen(word) + 2) / 3 + 1;
	const char *nearest = NULL;
	size_t i;

	if (least > 3)
		least = 3;
	for (i = 0; i < words->nr; i++) {
		unsigned int n = word_distance(words->list[i], word, least);

		if (n < least) {
			least = n;
			nearest = words->list[i];
		}
	}
	return nearest;
}

const char *words_text(struct arena *arena, const struct words *words)
{
	struct buffer out cleanup_buffer = { 0 };
	size_t i;

	for (i = 0; i < words->nr; i++)
		buffer_printf(&out, "%s%s", i ? ", " : "", words->list[i]);
	return arena_strdup(arena, buffer_text(&out));
}
