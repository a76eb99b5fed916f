/* SPDX-License-Identifier: MIT */
#ifndef BW_PM4_SDMA_H
#define BW_PM4_SDMA_H

/* Command streams of the SDMA engines, version 6.0: packets as structs, like those of PM4 in pm4.h.
 * data/pm4/sdma.txt lists the packets (pm4/sdma_packets.h). */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pm4/pm4.h"

struct bw_sdma_info {
	uint16_t code; /* enum bw_sdma_code */
	uint8_t min_dw;
	/* the field with the number of dwords beside the fixed ones; 0 bits: none */
	uint8_t count_lo, count_bits;
	uint8_t longer_bit, longer_dw; /* if this bit is set, the packet has so many dwords more */
	const char *name;	       /* "COPY_LINEAR" */
};
/* The facts about a packet, by its header; NULL: no packet has this opcode. */
const struct bw_sdma_info *bw_sdma_info(uint32_t header);
/* The name of a packet: "COPY_LINEAR", or "opcode 0x03 sub-opcode 0x01", which is written to
 * buf. */
const char *bw_sdma_name(uint32_t header, char buf[32]);

struct bw_sdma_packet {
	/* NULL: an unknown packet, whose size is taken as one dword */
	const struct bw_sdma_info *info;
	uint32_t header;
	const uint32_t *dw; /* with the header; borrowed from the stream */
	uint32_t size_dw;
};
/* The packet at dw[pos]. False: none is left, or (out->size_dw is then the size that it needs at
 * least) it does not fit into the n_dw dwords. */
bool bw_sdma_at(const uint32_t *dw, size_t n_dw, size_t pos, struct bw_sdma_packet *out);

static inline bool bw_sdma_is(const struct bw_sdma_packet *p, enum bw_sdma_code code, uint32_t n_dw)
{
	return p->info && p->info->code == code && p->size_dw >= n_dw;
}

#include "pm4/sdma_packets.h" /* generated */

struct bw_pm4_flow bw_sdma_flow(const struct bw_sdma_packet *p);

/* COPY_LINEAR_SUB_WINDOW, COPY_TILED_SUB_WINDOW, COPY_T2T_SUB_WINDOW */
struct bw_sdma_window {
	bool src_is_tiled, dst_is_tiled;
	struct bw_sdma_linear src_linear, dst_linear;
	struct bw_sdma_tiled src_tiled, dst_tiled;
	uint8_t elem_log2;
	uint32_t width, height, depth;
};
void bw_sdma_window(const struct bw_sdma_packet *p, struct bw_sdma_window *out);

#endif
