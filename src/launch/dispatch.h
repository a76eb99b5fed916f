/* SPDX-License-Identifier: MIT */
#ifndef BW_LAUNCH_DISPATCH_H
#define BW_LAUNCH_DISPATCH_H

/* The command buffer of one launch, and the two blocks of memory that a kernel may ask for. Pure:
 * addresses in, dwords out. */

#include "launch/plan.h"
#include "pm4/aql.h"
#include "pm4/build.h"

enum {
	BW_IB_ALIGN_DW = BW_PM4_IB_ALIGN_DW,
};

struct bw_dispatch_memory {
	uint64_t code_va; /* of the image; a multiple of 4096 */
	uint64_t kernarg_va, packet_va, queue_va;
	uint64_t scratch_va; /* 0: none */
	uint32_t scratch_waves_per_se;
};

/* Bytes of scratch that TMPRING_SIZE gives each wave. */
uint32_t bw_dispatch_scratch_wave_b(const struct bw_launch_plan *plan);

/* Appends a whole number of BW_IB_ALIGN_DW dwords. */
struct bw_error *bw_dispatch_ib(const struct bw_launch_plan *plan,
				const struct bw_dispatch_memory *mem,
				struct bw_pm4_stream *ib) BW_MUST_CHECK;

/* The image of the AQL packet that dispatch_ptr shows to a kernel. */
void bw_dispatch_aql(const struct bw_launch_plan *plan, const struct bw_dispatch_memory *mem,
		     uint8_t out[BW_AQL_PACKET_B]);

#endif
