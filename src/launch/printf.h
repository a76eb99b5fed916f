/* SPDX-License-Identifier: MIT */
#ifndef BW_LAUNCH_PRINTF_H
#define BW_LAUNCH_PRINTF_H

/* What calls of printf in an OpenCL kernel leave in memory, as text
 * (doc/hardware/code-objects.md 5). Pure; formats and buffer are hostile until checked. */

#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

enum {
	BW_PRINTF_HEAD_B = 8, /* bytes in use, bytes there are, both without the head */
	/* how many calls found no room; how many bytes of calls a debugger has shown already */
	BW_PRINTF_TAIL_B = 8,
	BW_PRINTF_ROOM_B = 4 << 20, /* for the calls themselves */
	BW_PRINTF_BUFFER_B = BW_PRINTF_HEAD_B + BW_PRINTF_ROOM_B + BW_PRINTF_TAIL_B,
	BW_PRINTF_SHOWN_AT = BW_PRINTF_HEAD_B + BW_PRINTF_ROOM_B + 4,
};

/* Makes an empty buffer of BW_PRINTF_BUFFER_B bytes. */
void bw_printf_buffer_init(uint8_t *buffer);
/* Adds the text of all calls in such a buffer that have not been shown. formats: the lines of the
 * metadata's amdhsa.printf, "ID:ARGUMENTS:SIZE...:FORMAT". What cannot be read is said in the text,
 * in brackets. */
void bw_printf_buffer_text(const uint8_t *buffer, const char *const *formats, size_t n_formats,
			   struct bw_str *out);
/* While the kernel runs: adds the text of the calls in these bytes up to the first one that may not
 * be written to its end. Returns how many bytes they take. */
size_t bw_printf_calls_text(const uint8_t *calls, size_t size_b, const char *const *formats,
			    size_t n_formats, struct bw_str *out);

#endif
