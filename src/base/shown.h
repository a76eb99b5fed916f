/* SPDX-License-Identifier: MIT */
#ifndef BW_BASE_SHOWN_H
#define BW_BASE_SHOWN_H

/* What comes from outside, in a sentence. */

#include <stdint.h>

/* A name, so that the sentence stays one line and a terminal only shows it: bw_shown(name).text, as
 * bw_str_add_printable has it. What is too long is cut, and ends with "...". */
struct bw_shown {
	char text[1024];
};
struct bw_shown bw_shown(const char *name);

/* Makes a name that is kept a single line, too: its control characters become blanks. kept: one
 * that stays, 0: none does. */
void bw_make_line(char *name, char kept);

/* Where an instruction lies, from the beginning of the code that its wave runs: "+0x2b8"; "-0x2a0"
 * for a function that lies before its kernel. */
struct bw_shown_offset {
	char text[20];
};
struct bw_shown_offset bw_shown_offset(uint64_t pc, uint64_t start);

/* A result of a kernel call, a fence or a message: -errno, but from outside any number. */
const char *bw_error_result(int result);

#endif
