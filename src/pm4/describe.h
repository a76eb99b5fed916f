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
	uint32_t bases_dw[8]; /* base addresses of the block's segments, in dwords */
	size_t n_bases;
	bool fields; /* whether fields of registers are shown */
};
/* For a GPU that is not here: the tables of a GC version, and the segments that GPUs of its
 * generation have (vega10_ip_offset.h, navi10_ip_offset.h of Linux; gfx11 and gfx12 as their
 * discovery tables have it). */
struct bw_error *bw_pm4_names_of(uint32_t gc_version, struct bw_pm4_names *out) BW_MUST_CHECK;

/* Appends lines that describe a packet, each with a newline; none if its name tells everything. */
void bw_pm4_describe(const struct bw_pm4_names *names, const struct bw_pm4_packet *p,
		     struct bw_str *out);
void bw_sdma_describe(const struct bw_sdma_packet *p, struct bw_str *out);

/* Reads dwords from untrusted bytes: hexadecimal words in text, or binary. Words may have offsets
 * before them, as in dumps of rings and of umr. From "umr -RS" come the ring's words, then those of
 * each indirect buffer. BW_E_UNSUPPORTED: the packets are of another kind. Appends at most `max`
 * words. The caller owns them. */
struct bw_pm4_words BW_VEC(uint32_t);
struct bw_error *bw_pm4_read_words(const char *bytes, size_t n, size_t max,
				   struct bw_pm4_words *out) BW_MUST_CHECK;

#endif
