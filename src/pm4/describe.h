/* SPDX-License-Identifier: MIT */
#ifndef BW_PM4_DESCRIBE_H
#define BW_PM4_DESCRIBE_H

/* Packets as text: what each does, with names of registers and their fields. The words come from
 * anywhere and nothing in them is trusted. Pure. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "pm4/pm4.h"
#include "pm4/sdma.h"
#include "regs/regs.h"

struct bw_pm4_names {
	const struct bw_regs_block *gc;
	uint32_t bases_dw[8]; /* of the block's segments */
	size_t n_bases;
	bool fields; /* of registers, too */
};
/* For a GPU that is not here: the tables of a GC version, and the segments that GPUs of its
 * generation have (vega10_ip_offset.h, navi10_ip_offset.h of Linux; gfx11 and gfx12 as their
 * discovery tables have it). */
struct bw_error *bw_pm4_names_of(uint32_t gc_version, struct bw_pm4_names *out) BW_MUST_CHECK;

/* Lines, each with a newline; none for packets that their name says all about. */
void bw_pm4_describe(const struct bw_pm4_names *names, const struct bw_pm4_packet *p,
		     struct bw_str *out);
void bw_sdma_describe(const struct bw_sdma_packet *p, struct bw_str *out);

/* Dwords out of bytes from anywhere: hexadecimal words in text (with offsets in front, as dumps of
 * rings and umr have them; of "umr -RS" those of the ring, then those of each indirect buffer), or
 * binary. BW_E_UNSUPPORTED: the packets are of another kind. Appends at most `max`; owned by the
 * caller. */
struct bw_pm4_words BW_VEC(uint32_t);
struct bw_error *bw_pm4_read_words(const char *bytes, size_t n, size_t max,
				   struct bw_pm4_words *out) BW_MUST_CHECK;

#endif
