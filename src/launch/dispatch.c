/* SPDX-License-Identifier: MIT */
#include "launch/dispatch.h"

#include <string.h>

#include "base/util.h"
#include "isa/descriptor.h"
#include "regs/field.h"

enum { CS_PARTIAL_FLUSH_INDEX = 4 };

#define SET_SH(ib, reg, ...)                                                                       \
	bw_pm4_put_sh(ib, BW_REG_GC_DW(reg), (const uint32_t[]){__VA_ARGS__},                      \
		      sizeof((uint32_t[]){__VA_ARGS__}) / 4)

uint32_t bw_dispatch_scratch_wave_b(const struct bw_launch_plan *plan)
{
	return (uint32_t)bw_align_up((uint64_t)plan->scratch_b * (plan->wave32 ? 32 : 64),
				     plan->gpu->scratch_unit_b);
}

/* gfx9: dwords, of which those of 64 lanes lie side by side (amd_queue.h of ROCr has the same). A
 * kernel adds its wave's offset to the base. */
static void scratch_buffer(const struct bw_launch_plan *plan, const struct bw_dispatch_memory *mem,
			   uint32_t out[BW_BUFFER_DESC_DW])
{
	enum { DWORDS_OF_64 = 3 };
	uint64_t all_b = (uint64_t)bw_dispatch_scratch_wave_b(plan) * mem->scratch_waves_per_se;
	bw_words_put(out, BW_BUFFER_BASE, mem->scratch_va);
	bw_words_put(out, BW_BUFFER9_SWIZZLE, 1);
	bw_words_put(out, BW_BUFFER_NUM_RECORDS, BW_MIN(all_b, (uint64_t)UINT32_MAX));
	bw_words_put(out, BW_BUFFER_INDEX_STRIDE, DWORDS_OF_64);
	bw_words_put(out, BW_BUFFER_ADD_TID, 1);
}

/* In the order of the properties (doc/hardware/code-objects.md 3); what the user preset on raw code
 * stays. */
static void user_sgprs(const struct bw_launch_plan *plan, const struct bw_dispatch_memory *mem,
		       uint32_t *out)
{
	const struct {
		uint16_t bit;
		bool wide;
		uint64_t value;
	} sources[] = {
		{BW_KCP_DISPATCH_PTR, true, mem->packet_va},
		{BW_KCP_QUEUE_PTR, true, mem->queue_va},
		{BW_KCP_KERNARG_PTR, true, mem->kernarg_va},
		{BW_KCP_DISPATCH_ID, true, 0},
		{BW_KCP_FLAT_SCRATCH_INIT, true, mem->scratch_va},
		{BW_KCP_PRIVATE_SIZE, false, plan->scratch_b},
	};
	for (size_t i = 0; i < BW_ARRAY_SIZE(sources); i++) {
		unsigned at = bw_kcp_sgpr_of(plan->properties, sources[i].bit);
		if (!(plan->properties & sources[i].bit))
			continue;
		out[at] = bw_lo32(sources[i].value);
		if (sources[i].wide)
			out[at + 1] = bw_hi32(sources[i].value);
	}
	if (plan->properties & BW_KCP_PRIVATE_BUFFER)
		scratch_buffer(plan, mem, out);
	for (unsigned i = 0; i < BW_LAUNCH_USER_SGPRS; i++)
		if (bw_bit_is_set(plan->user_sgpr_mask, i))
			out[i] = plan->user_sgpr[i];
}

/* FULL in 15:0; PARTIAL in 31:16 where a dimension's last group is not full; an aligned dimension
 * carries the full size there, not 0 (doc/hardware/dispatch.md 2.3). */
static uint32_t num_thread(const struct bw_launch_plan *plan, unsigned dim, bool partial)
{
	uint32_t rest = plan->grid[dim] % plan->group[dim];
	uint32_t last = rest ? rest : plan->group[dim];
	return BW_FIELD(COMPUTE_NUM_THREAD_X, NUM_THREAD_FULL, plan->group[dim]) |
	       BW_FIELD(COMPUTE_NUM_THREAD_X, NUM_THREAD_PARTIAL, partial ? last : 0);
}

/* The packets that RADV sends for a dispatch (doc/hardware/dispatch.md 2.1), in the order it sends
 * them. */
struct bw_error *bw_dispatch_ib(const struct bw_launch_plan *plan,
				const struct bw_dispatch_memory *mem, struct bw_pm4_stream *ib)
{
	uint64_t entry = mem->code_va + plan->entry;
	bool partial = false;
	for (unsigned i = 0; i < 3; i++)
		partial |= plan->grid[i] % plan->group[i] != 0;

	bw_pm4_put_acquire(ib, BW_PM4_GCR_BEFORE);
	SET_SH(ib, COMPUTE_START_X, 0, 0, 0);
	SET_SH(ib, COMPUTE_STATIC_THREAD_MGMT_SE0, ~0u, ~0u);
	SET_SH(ib, COMPUTE_STATIC_THREAD_MGMT_SE2, ~0u, ~0u);
	SET_SH(ib, COMPUTE_STATIC_THREAD_MGMT_SE4, ~0u, ~0u, ~0u, ~0u);
	SET_SH(ib, COMPUTE_RESOURCE_LIMITS, 0);

	SET_SH(ib, COMPUTE_PGM_LO, bw_lo_256b(entry),
	       BW_FIELD(COMPUTE_PGM_HI, DATA, bw_hi_256b(entry)));
	SET_SH(ib, COMPUTE_PGM_RSRC1, plan->rsrc1, plan->rsrc2);
	SET_SH(ib, COMPUTE_PGM_RSRC3, plan->rsrc3);
	if (mem->scratch_va) {
		SET_SH(ib, COMPUTE_DISPATCH_SCRATCH_BASE_LO, bw_lo_256b(mem->scratch_va),
		       BW_FIELD(COMPUTE_DISPATCH_SCRATCH_BASE_HI, DATA,
				bw_hi_256b(mem->scratch_va)));
		SET_SH(ib, COMPUTE_TMPRING_SIZE,
		       BW_FIELD(COMPUTE_TMPRING_SIZE, WAVESIZE,
				bw_dispatch_scratch_wave_b(plan) / plan->gpu->scratch_unit_b) |
			       BW_FIELD(COMPUTE_TMPRING_SIZE, WAVES, mem->scratch_waves_per_se));
	} else {
		SET_SH(ib, COMPUTE_TMPRING_SIZE, 0);
	}
	SET_SH(ib, COMPUTE_NUM_THREAD_X, num_thread(plan, 0, partial), num_thread(plan, 1, partial),
	       num_thread(plan, 2, partial));

	uint32_t sgprs[BW_LAUNCH_USER_SGPRS] = {0};
	user_sgprs(plan, mem, sgprs);
	if (plan->user_sgprs)
		bw_pm4_put_sh(ib, BW_REG_GC_DW(COMPUTE_USER_DATA_0), sgprs, plan->user_sgprs);

	bw_pm4_put_dispatch(ib, plan->groups,
			    BW_FIELD_MASK(COMPUTE_DISPATCH_INITIATOR, COMPUTE_SHADER_EN) |
				    BW_FIELD_MASK(COMPUTE_DISPATCH_INITIATOR, FORCE_START_AT_000) |
				    BW_FIELD_MASK(COMPUTE_DISPATCH_INITIATOR, ORDER_MODE) |
				    BW_FIELD(COMPUTE_DISPATCH_INITIATOR, PARTIAL_TG_EN, partial) |
				    BW_FIELD(COMPUTE_DISPATCH_INITIATOR, CS_W32_EN, plan->wave32));

	bw_pm4_put_event(ib, BW_PM4_EVENT_CS_PARTIAL_FLUSH, CS_PARTIAL_FLUSH_INDEX);
	bw_pm4_put_acquire(ib, BW_PM4_GCR_AFTER);
	while (ib->len % BW_IB_ALIGN_DW)
		bw_pm4_put_nop(ib, 1);
	return ib->failed ? bw_error_nomem() : NULL;
}

void bw_dispatch_aql(const struct bw_launch_plan *plan, const struct bw_dispatch_memory *mem,
		     uint8_t out[BW_AQL_PACKET_B])
{
	/* hsa_kernel_dispatch_packet_t */
	const struct {
		uint16_t header, setup;
		uint16_t group[3], reserved0;
		uint32_t grid[3];
		uint32_t private_b, group_b;
		uint64_t kernel_object, kernarg, reserved1, signal;
	} packet = {
		.header = 2, /* kernel dispatch */
		.setup = plan->grid[2] > 1   ? 3
			 : plan->grid[1] > 1 ? 2
					     : 1,
		.group = {(uint16_t)plan->group[0], (uint16_t)plan->group[1],
			  (uint16_t)plan->group[2]},
		.grid = {plan->grid[0], plan->grid[1], plan->grid[2]},
		.private_b = plan->scratch_b,
		.group_b = plan->lds_b,
		.kernel_object = mem->code_va + (plan->kernel ? plan->kernel->descriptor : 0),
		.kernarg = mem->kernarg_va,
	};
	_Static_assert(sizeof(packet) == BW_AQL_PACKET_B, "HSA layout");
	memcpy(out, &packet, sizeof(packet));
}
