/* SPDX-License-Identifier: MIT */
#ifndef BW_SYM_PLACED_H
#define BW_SYM_PLACED_H

/* Finds a code object in memory whose load address nobody has reported, by the bytes around an
 * address at which code runs. Images lie at multiples of a page, so the offset in the page is
 * known. Pure. */

#include <stdint.h>

#include "sym/code_object.h"

enum { BW_PLACED_AROUND_B = 512 };

/* The memory around an address. */
struct bw_placed_window {
	uint64_t pc;
	uint8_t bytes[2 * BW_PLACED_AROUND_B]; /* pc lies at BW_PLACED_AROUND_B */
	unsigned before_b, after_b;	       /* that could be read */
};

/* Reads memory up to the first byte that cannot be read; returns how much. */
typedef size_t bw_placed_read_fn(void *cookie, uint64_t va, void *out, size_t size_b);
void bw_placed_look(uint64_t pc, bw_placed_read_fn *read, void *cookie,
		    struct bw_placed_window *out);

/* The part, in percent, of the function at pc that memory has, for the best place of the image; the
 * image's address goes to out_base. 0: it is not there. Breakpoints may be in the code, so
 * BW_PLACED_ENOUGH percent are enough. */
enum { BW_PLACED_ENOUGH = 80 };
unsigned bw_placed_find(const struct bw_code_object *co, const struct bw_placed_window *w,
			uint64_t *out_base);

#endif
