/* SPDX-License-Identifier: MIT */
#ifndef BW_PM4_CLOCK_H
#define BW_PM4_CLOCK_H

/* Packets by which the GPU writes a value of its clock into memory. EVENT_WRITE is not one of them:
 * from gfx9 on time stamps are RELEASE_MEM's (nvd.h of Linux 6.12 has no EVENT_WRITE_EOP for
 * gfx11). Pure. */

#include "pm4/walk.h"

struct bw_pm4_clock_write {
	uint64_t va;	 /* address of the first byte that it writes */
	uint32_t size_b; /* 4 or 8 bytes */
};
/* Whether a packet writes the clock, and where. words: the packet with its header, s->size_dw
 * words. */
bool bw_pm4_clock_write(const struct bw_pm4_step *s, const uint32_t *words,
			struct bw_pm4_clock_write *out);

#endif
