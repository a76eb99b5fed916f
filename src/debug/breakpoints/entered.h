/* SPDX-License-Identifier: MIT */
#ifndef BW_DEBUG_BREAKPOINTS_ENTERED_H
#define BW_DEBUG_BREAKPOINTS_ENTERED_H

/* Inlined functions that begin at a breakpoint's place. As in gdb, a wave that stops there has not
 * entered, as users see it, those inside of the function that the place names. */

#include <stdint.h>

struct bw_break;
struct bw_debug;
struct bw_lines;
struct bw_where_spec;

/* How many these are at addr of an image, which the place is. s NULL: a breakpoint on dispatches,
 * which names the kernel. lines NULL: 0. */
unsigned bw_where_not_entered(const struct bw_lines *lines, const struct bw_where_spec *s,
			      uint64_t addr);
/* The same for a breakpoint at an address of d->space. */
unsigned bw_break_not_entered(struct bw_debug *d, const struct bw_break *b, uint64_t pc);

#endif
