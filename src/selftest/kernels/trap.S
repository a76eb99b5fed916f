/* SPDX-License-Identifier: MIT */
/* Executes s_trap 3 once and writes 0x600d0001 to each word of the first 128 bytes of the buffer.
 * Argument: buffer. */
#include "kernel.inc"
	begin_words 0x600d0001
mark:
	s_trap 3
	finish_words
