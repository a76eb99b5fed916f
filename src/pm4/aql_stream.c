/* SPDX-License-Identifier: MIT */
#include "pm4/aql_stream.h"

#include "base/util.h"
#include "regs/field.h"

enum { CS_PARTIAL_FLUSH_INDEX = 4 };

#define SET_SH(s, reg, ...)                                                                        \
	bw_pm4_put_sh(s, BW_REG_GC_DW(reg), (const uint32_t[]){__VA_ARGS__},                       \
		      sizeof((uint32_t[]){__VA_ARGS__}) / 4)

void bw_aql_groups(const struct bw_aql_packet *p, uint32_t out[3])
{
	for (unsigned i = 0; i < 3; i++) {
		uint32_t group = BW_MAX(p->dispatch.group[i], 1u);
		out[i] = (uint32_t)(((uint64_t)p->dispatch.grid[i] + group - 1) / group);
	}
}

/* Work-items of the last workgroup in a dimension. */
static uint32_t last_group(const struct bw_aql_packet *p, unsigned i)
{
	uint32_t group = BW_MAX(p->dispatch.group[i], 1u), rest = p->dispatch.grid[i] % group;
	return rest ? rest : group;
}

static bool has_partial_groups(const struct bw_aql_packet *p)
{
	bool any = false;
	for (unsigned i = 0; i < 3; i++)
		any |= last_group(p, i) != BW_MAX(p->dispatch.group[i], 1u);
	return any;
}

uint32_t bw_aql_initiator(const struct bw_aql_launch *l)
{
	return BW_FIELD(COMPUTE_DISPATCH_INITIATOR, COMPUTE_SHADER_EN, 1) |
	       BW_FIELD(COMPUTE_DISPATCH_INITIATOR, FORCE_START_AT_000, 1) |
	       BW_FIELD(COMPUTE_DISPATCH_INITIATOR, ORDER_MODE, 1) |
	       BW_FIELD(COMPUTE_DISPATCH_INITIATOR, PARTIAL_TG_EN, has_partial_groups(l->packet)) |
	       BW_FIELD(COMPUTE_DISPATCH_INITIATOR, CS_W32_EN,
			!!(l->descriptor->properties & BW_AQL_WAVE32));
}

/* As in launch/dispatch.c: the size of the last group in every dimension where any is not full. */
static uint32_t num_thread(const struct bw_aql_packet *p, unsigned i)
{
	return BW_FIELD(COMPUTE_NUM_THREAD_X, NUM_THREAD_FULL, p->dispatch.group[i]) |
	       BW_FIELD(COMPUTE_NUM_THREAD_X, NUM_THREAD_PARTIAL,
			has_partial_groups(p) ? last_group(p, i) : 0);
}

static void put_registers(const struct bw_aql_launch *l, struct bw_pm4_stream *out)
{
	const struct bw_aql_packet *p = l->packet;
	uint64_t pc = p->dispatch.kernel_object + (uint64_t)l->descriptor->entry_b;
	uint32_t data[BW_AQL_USER_SGPRS];
	SET_SH(out, COMPUTE_START_X, 0, 0, 0);
	SET_SH(out, COMPUTE_STATIC_THREAD_MGMT_SE0, ~0u, ~0u);
	SET_SH(out, COMPUTE_STATIC_THREAD_MGMT_SE2, ~0u, ~0u);
	SET_SH(out, COMPUTE_STATIC_THREAD_MGMT_SE4, ~0u, ~0u, ~0u, ~0u);
	SET_SH(out, COMPUTE_RESOURCE_LIMITS, 0);
	SET_SH(out, COMPUTE_PGM_LO, bw_lo_256b(pc), BW_FIELD(COMPUTE_PGM_HI, DATA, bw_hi_256b(pc)));
	SET_SH(out, COMPUTE_PGM_RSRC1, l->descriptor->rsrc1, bw_aql_rsrc2(l));
	SET_SH(out, COMPUTE_PGM_RSRC3, l->descriptor->rsrc3);
	SET_SH(out, COMPUTE_DISPATCH_SCRATCH_BASE_LO, bw_lo_256b(l->queue->scratch),
	       BW_FIELD(COMPUTE_DISPATCH_SCRATCH_BASE_HI, DATA, bw_hi_256b(l->queue->scratch)));
	SET_SH(out, COMPUTE_TMPRING_SIZE, l->queue->tmpring);
	SET_SH(out, COMPUTE_NUM_THREAD_X, num_thread(p, 0), num_thread(p, 1), num_thread(p, 2));
	bw_aql_user_data(l, data);
	bw_pm4_put_sh(out, BW_REG_GC_DW(COMPUTE_USER_DATA_0), data, BW_ARRAY_SIZE(data));
}

size_t bw_aql_stream(const struct bw_aql_launch *l, struct bw_pm4_stream *out)
{
	uint32_t groups[3];
	bw_aql_groups(l->packet, groups);
	bw_pm4_put_acquire(out, BW_PM4_GCR_BEFORE);
	put_registers(l, out);
	size_t at = out->len;
	bw_pm4_put_dispatch(out, groups, bw_aql_initiator(l));
	bw_pm4_put_event(out, BW_PM4_EVENT_CS_PARTIAL_FLUSH, CS_PARTIAL_FLUSH_INDEX);
	bw_pm4_put_acquire(out, BW_PM4_GCR_AFTER);
	while (out->len % BW_PM4_IB_ALIGN_DW)
		bw_pm4_put_nop(out, 1);
	return at;
}
