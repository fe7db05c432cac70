/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One file of data-y: DATA_FILE between DATA_NAME and DATA_NAME_end, and a NUL
 * byte so that text can be read as a string.
 */
#define PASTE(a, b) a##b
#define END_OF(name) PASTE(name, _end)

	.section .rodata
	.balign 16
	.globl DATA_NAME
	.type DATA_NAME, %object
DATA_NAME:
	.incbin DATA_FILE
	.globl END_OF(DATA_NAME)
END_OF(DATA_NAME):
	.byte 0
	.size DATA_NAME, . - DATA_NAME
	.section .note.GNU-stack, "", %progbits
