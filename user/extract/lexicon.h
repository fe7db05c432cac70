/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The lexicon: words of sentences, well-known things, well-known paths. The
 * data is lexicon-*.yaml; its format is aletheia-lexicon(5).
 */
#ifndef USER_EXTRACT_LEXICON_H
#define USER_EXTRACT_LEXICON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "dsl/program.h"

/* What a verb asks for, AL_X(NAME, word, meaning). */
#define LEXICON_ACTS(AL_X)                                                     \
	AL_X(READ, "read", "read what is in it")                               \
	AL_X(LIST, "list", "read which there are")                             \
	AL_X(SEARCH, "search", "look for it")                                  \
	AL_X(SHOW, "show", "read and print")                                   \
	AL_X(WRITE, "write", "create or change")                               \
	AL_X(CLEAR, "clear", "make empty")                                     \
	AL_X(DELETE, "delete", "remove")                                       \
	AL_X(COPY, "copy", "read, and write a target")                         \
	AL_X(MOVE, "move", "copy and remove")                                  \
	AL_X(SEND, "send", "read, and connect to a target")                    \
	AL_X(FETCH, "fetch", "connect to a source, and write")                 \
	AL_X(PACK, "pack", "read, and write in another form")                  \
	AL_X(UNPACK, "unpack", "the reverse of it")                            \
	AL_X(RUN, "run", "run a program")                                      \
	AL_X(USE, "use", "do something else with it")                          \
	AL_X(START, "start", "start or enable")                                \
	AL_X(STOP, "stop", "stop or disable")                                  \
	AL_X(SCHEDULE, "schedule", "have it run later")                        \
	AL_X(INSTALL, "install", "install")                                    \
	AL_X(LOAD, "load", "load into something that runs")                    \
	AL_X(UNLOAD, "unload", "the reverse of it")                            \
	AL_X(MOUNT, "mount", "mount or unmount")                               \
	AL_X(CAPTURE, "capture", "record what comes by")                       \
	AL_X(MODE, "mode", "change mode, owner, times, attributes")            \
	AL_X(CONNECT, "connect", "connect to it")                              \
	AL_X(LISTEN, "listen", "accept connections on it")                     \
	AL_X(SCAN, "scan", "connect to many")                                  \
	AL_X(TRACE, "trace", "look into a running process")                    \
	AL_X(REBOOT, "reboot", "restart or halt the machine")                  \
	AL_X(SWITCH, "switch", "become another user")                          \
	AL_X(SEEM, "seem", "what the verb behind it says")                     \
	AL_X(CHANNEL, "channel", "send over what we do not represent")         \
	AL_X(ORDINARY, "ordinary", "nothing outside of the text")

#define X_(name, word, help) ACT_##name,
enum act { LEXICON_ACTS(X_) NR_ACTS };
#undef X_
#define ACT_NONE NR_ACTS

/* What a word is good for in a sentence, AL_X(NAME, word). */
#define LEXICON_CLASSES(AL_X)                                                  \
	AL_X(DETERMINER, "determiner")                                         \
	AL_X(POSSESSIVE, "possessive")                                         \
	AL_X(PRONOUN, "pronoun")                                               \
	AL_X(POINTER, "pointer")                                               \
	AL_X(ADVERB, "adverb")                                                 \
	AL_X(CONDITION, "condition")                                           \
	AL_X(OPTIONAL, "optional")                                             \
	AL_X(MUST, "must")                                                     \
	AL_X(WILL, "will")                                                     \
	AL_X(NEGATION, "negation")                                             \
	AL_X(CONTRAST, "contrast")                                             \
	AL_X(CONJUNCTION, "conjunction")                                       \
	AL_X(TARGET, "target")                                                 \
	AL_X(SOURCE, "source")                                                 \
	AL_X(TOOL, "tool")                                                     \
	AL_X(PREPOSITION, "preposition")                                       \
	AL_X(COPULA, "copula")                                                 \
	AL_X(PASSIVE, "passive")                                               \
	AL_X(PAST, "past")                                                     \
	AL_X(AUXILIARY, "auxiliary")                                           \
	AL_X(SUBJECT, "subject")                                               \
	AL_X(SECOND, "second")                                                 \
	AL_X(FOE, "foe")                                                       \
	AL_X(DEMONSTRATION, "demonstration")                                   \
	AL_X(MENTION, "mention")                                               \
	AL_X(USUAL, "usual")                                                   \
	AL_X(REFER, "refer")                                                   \
	AL_X(PERFORM, "perform")                                               \
	AL_X(TIME, "time")                                                     \
	AL_X(ADDRESSEE, "addressee")                                           \
	AL_X(SHOWN, "shown")                                                   \
	AL_X(WRONG, "wrong")                                                   \
	AL_X(LOOK, "look")                                                     \
	AL_X(KEEP, "keep")                                                     \
	AL_X(TELL, "tell")                                                     \
	AL_X(HEARER, "hearer")                                                 \
	AL_X(CHANNEL, "channel")                                               \
	AL_X(MAIL, "mail")                                                     \
	AL_X(TOOLNOUN, "toolnoun")                                             \
	AL_X(FOLDERNOUN, "foldernoun")                                         \
	AL_X(PLACENOUN, "placenoun")                                           \
	AL_X(SYSTEM, "system")

#define X_(name, word) WORD_BIT_##name,
enum word_bit { LEXICON_CLASSES(X_) NR_WORD_CLASSES };
#undef X_
#define X_(name, word) WORD_##name = UINT64_C(1) << WORD_BIT_##name,
enum word_class { LEXICON_CLASSES(X_) };
#undef X_

/**
 * struct lexeme - what is known about one word as it is written
 * @classes:	bits of enum word_class
 * @act:	as a verb, in this very form (the base form), or ACT_NONE
 * @noun:	as a noun, or ACT_NONE
 * @common:	a program has that name, but in a sentence it says something
 *		else
 * @program:	in code it is the program nevertheless
 * @past:	the verb that it is the irregular past participle of, or NULL
 */
struct lexeme {
	uint64_t classes;
	enum act act;
	enum act noun;
	bool common;
	bool program;
	const char *past;
};

/* Forms of verbs. */
enum verb_form {
	FORM_NONE,
	FORM_BASE,
	FORM_THIRD,  /* reads */
	FORM_GERUND, /* reading */
	FORM_PAST,   /* copied */
};

/* One request that a thing stands for. */
struct demand {
	unsigned int action;
	enum resource_kind kind;
	const char *object;
	const struct demand *next;
};

/**
 * struct thing - something well-known
 * @kind:	of what it is
 * @object:	its canonical name, NULL: it is nothing; "<name>": the words
 *		in front of it
 * @class_:	of the object
 * @task:	it means something only where a task is described
 * @scope:	where a search that names it looks, or NULL
 * @acts:	bits of acts that mean what they usually mean
 * @demands:	of acts that mean something else
 */
struct thing {
	enum resource_kind kind;
	const char *object;
	enum resource_class class_;
	bool task;
	const char *scope;
	uint64_t acts;
	const struct demand *demands[NR_ACTS];
};

/* A place in the tree of phrases. */
struct phrase {
	const struct thing *thing; /* ends here, or NULL */
	enum act act;		   /* a verb ends here, or ACT_NONE */
	uint32_t number;
};

/* lexicon_word() - a word in lower case, NULL: not known */
const struct lexeme *lexicon_word(const char *word, size_t length);
/* lexicon_verb() - a word in lower case, whatever form of a verb it is;
 * ACT_NONE: no verb that is known. @ret_base: its base form, AL_MAX_WORD + 1 */
enum act lexicon_verb(const char *word, size_t length, enum verb_form *ret,
		      char *ret_base);

/* phrase_root() - where phrases begin */
const struct phrase *phrase_root(void);
/* phrase_next() - what goes on with a word in lower case, its plural and
 * genitive included; NULL: nothing */
const struct phrase *phrase_next(const struct phrase *phrase, const char *word,
				 size_t length);

/* lexicon_name() - "~/" for ".bashrc": where a bare name lies, or NULL */
const char *lexicon_name(const char *name, size_t length);

/* lexicon_check() - what is wrong with the shipped files; a test asks */
int lexicon_check(struct error **err);

#endif /* USER_EXTRACT_LEXICON_H */
