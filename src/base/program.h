/* SPDX-License-Identifier: MIT */
#ifndef BW_BASE_PROGRAM_H
#define BW_BASE_PROGRAM_H

/* The file of a program, as execve sees it: for which machine it is, and which interpreter or
 * dynamic loader it asks for. Its bytes are hostile until checked. Any thread may call. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum { BW_PROGRAM_HEAD_B = 64 << 10 }; /* as much of a file as bw_program_parse has to see */

struct bw_program_file {
	bool is_elf, is_64_bit, is_core;
	bool has_loader, all_seen; /* all_seen: has_loader is known */
	bool has_interpreter_line; /* "#!" */
	uint16_t machine;	   /* EM_... */
	char interpreter[256];	   /* of "#!", or the dynamic loader; "": none, or not seen */
};

/* head: the file's first bytes. */
void bw_program_parse(const void *head, size_t size_b, struct bw_program_file *out);
/* False: it cannot be read. */
bool bw_program_read(int fd, struct bw_program_file *out);
/* The path that execvp finds; owned, NULL when there is none. */
char *bw_program_find(const char *name);
/* "AArch64"; NULL: not known here. */
const char *bw_program_machine_name(uint16_t machine);
/* Why execvp could not run it: with the interpreter that is missing, if it is that. */
struct bw_error *bw_program_not_run(const char *name, int errnum) BW_MUST_CHECK;

#endif
