/* SPDX-License-Identifier: MIT */
#ifndef BW_LAUNCH_PRINTF_H
#define BW_LAUNCH_PRINTF_H

/* What calls of printf in an OpenCL kernel leave in memory, as text
 * (doc/hardware/code-objects.md 5). Pure; formats and buffer are hostile until checked. */

#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

enum {
	BW_PRINTF_HEAD_B = 8,	    /* bytes in use, bytes there are, both without the head */
	BW_PRINTF_TAIL_B = 4,	    /* how many calls found no room */
	BW_PRINTF_ROOM_B = 4 << 20, /* for the calls themselves */
	BW_PRINTF_BUFFER_B = BW_PRINTF_HEAD_B + BW_PRINTF_ROOM_B + BW_PRINTF_TAIL_B,
};

/* Makes an empty buffer of BW_PRINTF_BUFFER_B bytes. */
void bw_printf_buffer_init(uint8_t *buffer);
/* Adds the text of all calls in such a buffer. formats: the lines of the metadata's amdhsa.printf,
 * "ID:ARGUMENTS:SIZE...:FORMAT". What cannot be read is said in the text, in brackets. */
void bw_printf_buffer_text(const uint8_t *buffer, const char *const *formats, size_t n_formats,
			   struct bw_str *out);

#endif
