/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef USER_CLI_SDL_FILE_H
#define USER_CLI_SDL_FILE_H

#include "base/memory.h"
#include "dsl/program.h"

/**
 * sdl_file_read() - read and parse one SystemDSL file
 * @path:	its path; "-" is standard input
 * @text:	the file's bytes; replaced
 * @ret:	the program
 * @err:	ERROR_INPUT, all errors of the file
 */
int sdl_file_read(const char *path, struct buffer *text, struct program **ret,
		  struct error **err);

#endif /* USER_CLI_SDL_FILE_H */
