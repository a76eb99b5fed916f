/* SPDX-License-Identifier: MIT */
/* Writes 0xa11fe to each word of the first 128 bytes of the buffer: whether the GPU still works.
 * Argument: buffer. */
#include "kernel.inc"
	begin_words 0xa11fe
mark:
	finish_words
