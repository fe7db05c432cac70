/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Command signatures: which arguments of a command read, write, connect and
 * so on. The data is signatures-*.yaml; its format is aletheia-signatures(5).
 */
#ifndef USER_EXTRACT_SIGNATURE_H
#define USER_EXTRACT_SIGNATURE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/*
 * What an argument means, AL_X(NAME, word, meaning): the words of the data
 * files and of the manual page.
 */
#define SIGNATURE_ROLES(AL_X)                                                  \
	AL_X(IGNORE, "-", "nothing")                                           \
	AL_X(READ, "read", "a file that is read")                              \
	AL_X(TREE, "tree", "a directory that is read with all below it")       \
	AL_X(WRITE, "write", "a file that is written")                         \
	AL_X(WRITE_DIR, "write-dir", "a directory that is written into")       \
	AL_X(EDIT, "edit", "a file that is read and written")                  \
	AL_X(LIST, "list", "a directory whose names are read")                 \
	AL_X(DELETE, "delete", "a file that is removed")                       \
	AL_X(MOVE, "move", "a file that is read and removed")                  \
	AL_X(SETATTR, "setattr", "a file whose attributes change")             \
	AL_X(SOURCE, "source", "a file or name on a host that is copied")      \
	AL_X(TARGET, "target", "where sources go: a file or a directory")      \
	AL_X(UPLOAD, "upload", "a file that leaves")                           \
	AL_X(DATA, "data", "text that leaves; @FILE reads a file")             \
	AL_X(FORM, "form", "NAME=text or NAME=@FILE that leaves")              \
	AL_X(TEXT, "text", "text whose variables are shown or sent")           \
	AL_X(EXECUTE, "execute", "a program that is run")                      \
	AL_X(SCRIPT, "script", "a file that is run by an interpreter")         \
	AL_X(MODULE, "module", "a module of an interpreter that is run")       \
	AL_X(COMMAND, "command", "a command line: this and all that follow")   \
	AL_X(SHELL, "shell", "shell code")                                     \
	AL_X(CODE, "code", "code of a scripting language")                     \
	AL_X(URL, "url", "a URL or host that is contacted")                    \
	AL_X(HOST, "host", "[USER@]HOST[:PORT] that is contacted")             \
	AL_X(REPOSITORY, "repository", "a repository's URL or place")          \
	AL_X(PORT, "port", "the port of the host that is contacted")           \
	AL_X(LISTEN, "listen", "[HOST:]PORT that is listened on")              \
	AL_X(FORWARD, "forward", "PORT:HOST:PORT")                             \
	AL_X(SOCKET, "socket", "a socket file that is connected to")           \
	AL_X(ENV, "env", "an environment variable that is read")               \
	AL_X(ASSIGN, "assign", "NAME=VALUE for a command's environment")       \
	AL_X(SIGNAL, "signal", "a process that is signalled")                  \
	AL_X(TRACE, "trace", "a process that is traced")                       \
	AL_X(MOUNT, "mount", "PLACE:PLACE, a place of this machine inside")    \
	AL_X(BATCH, "batch", "commands of a file transfer client")             \
	AL_X(GUESS, "guess", "whatever it looks like")

#define X_(name, word, help) ROLE_##name,
enum signature_role { SIGNATURE_ROLES(X_) NR_SIGNATURE_ROLES };
#undef X_

/*
 * Commands whose arguments no list of roles describes, AL_X(NAME, word,
 * meaning); shell_style.c has the code.
 */
#define SIGNATURE_STYLES(AL_X)                                                 \
	AL_X(PLAIN, "plain", "options and arguments")                          \
	AL_X(FIND, "find", "places, then an expression")                       \
	AL_X(TAR, "tar", "a bundle of letters first, a dash or not")           \
	AL_X(DD, "dd", "NAME=VALUE")                                           \
	AL_X(SHELL, "shell", "a shell: script, code or standard input")        \
	AL_X(INTERPRETER, "interpreter", "of a language: script or code")      \
	AL_X(SED, "sed", "a stream editor: its script may write or run")       \
	AL_X(SSH, "ssh", "a host, then a command there")                       \
	AL_X(SERVICE, "service", "a service manager: action and units")        \
	AL_X(CRONTAB, "crontab", "the user's schedule")                        \
	AL_X(KILL, "kill", "processes and a signal")                           \
	AL_X(XARGS, "xargs", "a command that gets further arguments")          \
	AL_X(COMPRESS, "compress", "files, each to one with a suffix")         \
	AL_X(HISTORY, "history", "the shell's history")                        \
	AL_X(NETCAT, "netcat", "a host and ports, or a port to listen on")     \
	AL_X(SOCAT, "socat", "two addresses with their kinds")                 \
	AL_X(RESOLVE, "resolve", "names, and the server that is asked")        \
	AL_X(BATCH, "batch", "a host; its commands come by standard input")    \
	AL_X(DATABASE, "database",                                             \
	     "a client; its server is here if not named")                      \
	AL_X(MODE, "mode", "a mode, which may begin with a dash, then files")  \
	AL_X(SYSCTL, "sysctl", "NAME or NAME=VALUE")                           \
	AL_X(EDITOR, "editor", "files; commands may come by standard input")   \
	AL_X(FETCH, "fetch",                                                   \
	     "files in the current folder, named after the arguments")         \
	AL_X(MULTIPLEXER, "multiplexer", "a terminal's: a command in a window")

#define X_(name, word, help) STYLE_##name,
enum signature_style { SIGNATURE_STYLES(X_) NR_SIGNATURE_STYLES };
#undef X_

/* How far a command's own execution is asked for. */
enum signature_base {
	BASE_NOT,     /* a tool like any other */
	BASE_UTILITY, /* everybody's */
	BASE_BUILTIN, /* the shell's, no program */
};

/**
 * struct signature - what is known about one command or subcommand
 * @names:	names, separated by spaces
 * @base:	see there
 * @style:	how its arguments are read
 * @options:	"-o=read --output=write -v": those with an argument, and flags
 * @lead:	roles of the first positional arguments
 * @args:	roles of the others; the last may be repeated ("read...")
 * @last:	role of the last positional argument, "" none
 * @without:	object of @args where there is none
 * @implies:	requests that every call makes, separated by ";"
 * @alone:	those of a call without positional arguments
 * @port:	default port, 0: any
 * @protocol:	"tcp" (NULL), "udp", "icmp"
 * @suffix:	of the file that "compress" makes; language of "interpreter"
 * @when:	changes that a flag makes
 * @sub:	subcommands
 * @owner:	of a subcommand: what it belongs to
 *
 * A field that is not there is NULL.
 */
struct signature {
	const char *names;
	enum signature_base base;
	enum signature_style style;
	const char *options;
	const char *lead;
	const char *args;
	const char *last;
	const char *without;
	const char *implies;
	const char *alone;
	unsigned int port;
	const char *protocol;
	const char *suffix;
	const struct signature *when;
	size_t nr_when;
	const struct signature *sub;
	size_t nr_sub;
	const struct signature *owner;
};

/* signature_find() - by a command's base name, NULL: not listed */
const struct signature *signature_find(const char *name, size_t length);
/* signature_sub() - a subcommand, NULL: none of that name */
const struct signature *signature_sub(const struct signature *signature,
				      const char *name, size_t length);

/**
 * signature_value() - an entry of a table of pairs
 * @table:	"variables", "assigned", "schemes", "calls", "directories",
 *		"registries"
 *
 * Return: its value, NULL: no such entry.
 */
const char *signature_value(const char *table, const char *name, size_t length);

/* role_from_word() - -1: no such role */
int role_from_word(const char *word, size_t length);

/* signature_names() - does @list ("a b c") have the name? */
bool signature_names(const char *list, const char *name, size_t length);

/**
 * signatures_check_shipped() - read all of the shipped files
 * @err:	what is wrong with them, ERROR_INPUT; a test makes sure that
 *		nothing is, since look-ups have nobody to tell
 */
int signatures_check_shipped(struct error **err);

/**
 * signatures_check() - read @text as the shipped files are read
 * @err:	what is wrong with it, ERROR_INPUT
 */
int signatures_check(const char *file, const char *text, size_t length,
		     struct error **err);

#endif /* USER_EXTRACT_SIGNATURE_H */
