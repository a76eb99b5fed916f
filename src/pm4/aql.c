/* SPDX-License-Identifier: MIT */
#include "pm4/aql.h"

#include <string.h>

#include "base/util.h"
#include "regs/field.h"

static uint64_t pair(const uint32_t *dw, unsigned at_b)
{
	return bw_join32(dw[at_b / 4 + 1], dw[at_b / 4]);
}

static void read_dispatch(const uint32_t *dw, struct bw_aql_packet *out)
{
	out->dispatch.dimensions = dw[0] >> 16 & 3;
	const uint32_t group[3] = {dw[1] & 0xffff, dw[1] >> 16, dw[2] & 0xffff};
	for (unsigned i = 0; i < 3; i++) {
		bool used = i < out->dispatch.dimensions;
		out->dispatch.group[i] = used ? group[i] : 1;
		out->dispatch.grid[i] = used ? dw[3 + i] : 1;
	}
	out->dispatch.private_b = dw[6];
	out->dispatch.group_b = dw[7];
	out->dispatch.kernel_object = pair(dw, 0x20);
	out->dispatch.kernarg = pair(dw, 0x28);
}

void bw_aql_read(const uint32_t dw[BW_AQL_PACKET_DW], struct bw_aql_packet *out)
{
	memset(out, 0, sizeof(*out));
	out->type = dw[0] & 0xff;
	out->barrier = dw[0] >> 8 & 1;
	out->acquire = dw[0] >> 9 & 3;
	out->release = dw[0] >> 11 & 3;
	out->completion = pair(dw, 0x38);
	switch ((enum bw_aql_type)out->type) {
	case BW_AQL_DISPATCH:
		read_dispatch(dw, out);
		break;
	case BW_AQL_BARRIER_AND:
	case BW_AQL_BARRIER_OR:
		for (unsigned i = 0; i < BW_AQL_N_BARRIER_SIGNALS; i++)
			out->barriers.signal[i] = pair(dw, 8 + i * 8);
		break;
	case BW_AQL_VENDOR:
		out->vendor = dw[0] >> 16 & 0xff;
		if (out->vendor == BW_AQL_VENDOR_PM4_IB) {
			memcpy(out->pm4_ib.packet, dw + 1, sizeof(out->pm4_ib.packet));
		} else if (out->vendor == BW_AQL_VENDOR_BARRIER_VALUE) {
			out->value.signal = pair(dw, 8);
			out->value.value = (int64_t)pair(dw, 0x10);
			out->value.mask = pair(dw, 0x18);
			out->value.condition = dw[8];
		}
		break;
	case BW_AQL_INVALID:
	case BW_AQL_AGENT_DISPATCH:
		break;
	}
}

const char *bw_aql_name(unsigned type)
{
	static const char *const names[] = {
		[BW_AQL_VENDOR] = "vendor packet",	    [BW_AQL_INVALID] = "invalid",
		[BW_AQL_DISPATCH] = "kernel dispatch",	    [BW_AQL_BARRIER_AND] = "barrier-AND",
		[BW_AQL_AGENT_DISPATCH] = "agent dispatch", [BW_AQL_BARRIER_OR] = "barrier-OR",
	};
	return type < BW_ARRAY_SIZE(names) ? names[type] : "unknown";
}

bool bw_aql_holds(uint32_t condition, int64_t value, int64_t reference)
{
	switch (condition) {
	case 0:
		return value == reference;
	case 1:
		return value != reference;
	case 2:
		return value < reference;
	case 3:
		return value >= reference;
	default:
		return false;
	}
}

void bw_aql_read_queue(const uint32_t dw[BW_AQL_QUEUE_DW], struct bw_aql_queue_object *out)
{
	out->tmpring = dw[0x8c / 4];
	memcpy(out->descriptor, dw + 0x90 / 4, sizeof(out->descriptor));
	out->scratch = pair(dw, 0xa0);
	out->wave64_lane_b = dw[0xb0 / 4];
	out->properties = dw[0xb4 / 4];
	out->inactive_signal = pair(dw, 0xc0);
}

void bw_aql_read_descriptor(const uint32_t dw[BW_AQL_DESCRIPTOR_DW], struct bw_aql_descriptor *out)
{
	out->group_b = dw[0];
	out->private_b = dw[1];
	out->kernarg_b = dw[2];
	out->entry_b = (int64_t)pair(dw, 0x10);
	out->rsrc3 = dw[0x2c / 4];
	out->rsrc1 = dw[0x30 / 4];
	out->rsrc2 = dw[0x34 / 4];
	out->properties = dw[0x38 / 4] & 0xffff;
	out->is_reserved_zero = !dw[3] && !dw[0x3c / 4];
	for (unsigned i = 0x18 / 4; i < 0x2c / 4; i++)
		out->is_reserved_zero &= !dw[i];
}

static unsigned put_pair(uint32_t *out, unsigned n, uint64_t value)
{
	out[n] = bw_lo32(value);
	out[n + 1] = bw_hi32(value);
	return n + 2;
}

void bw_aql_user_data(const struct bw_aql_launch *l, uint32_t out[BW_AQL_USER_SGPRS])
{
	uint32_t wanted = l->descriptor->properties;
	unsigned n = 0;
	memset(out, 0, BW_AQL_USER_SGPRS * sizeof(*out));
	if (wanted & BW_AQL_SGPR_PRIVATE_BUFFER) {
		memcpy(out, l->queue->descriptor, sizeof(l->queue->descriptor));
		n = 4;
	}
	if (wanted & BW_AQL_SGPR_DISPATCH_PTR)
		n = put_pair(out, n, l->packet_va);
	if (wanted & BW_AQL_SGPR_QUEUE_PTR)
		n = put_pair(out, n, l->queue_va);
	if (wanted & BW_AQL_SGPR_KERNARG_PTR)
		n = put_pair(out, n, l->packet->dispatch.kernarg);
	if (wanted & BW_AQL_SGPR_DISPATCH_ID)
		n = put_pair(out, n, l->index);
	if (wanted & BW_AQL_SGPR_FLAT_SCRATCH)
		n = put_pair(out, n, l->queue->scratch);
	if (wanted & BW_AQL_SGPR_PRIVATE_SIZE)
		out[n++] = l->packet->dispatch.private_b;
}

unsigned bw_aql_wants_scratch(const struct bw_aql_launch *l)
{
	bool wave32 = l->descriptor->properties & BW_AQL_WAVE32;
	uint64_t lane_b = (uint64_t)l->queue->wave64_lane_b * 64 / (wave32 ? 32 : 64);
	if (l->packet->dispatch.private_b <= lane_b)
		return 0;
	return wave32 ? BW_AQL_WANTS_SCRATCH32 : BW_AQL_WANTS_SCRATCH64;
}

uint32_t bw_aql_rsrc2(const struct bw_aql_launch *l)
{
	enum { LDS_GRANULE_B = 512 };
	uint32_t rsrc2 = l->descriptor->rsrc2 & ~BW_FIELD_MASK(COMPUTE_PGM_RSRC2, LDS_SIZE);
	rsrc2 |= BW_FIELD(COMPUTE_PGM_RSRC2, LDS_SIZE,
			  (l->packet->dispatch.group_b + LDS_GRANULE_B - 1) / LDS_GRANULE_B);
	if (!l->packet->dispatch.private_b)
		rsrc2 &= ~BW_FIELD_MASK(COMPUTE_PGM_RSRC2, SCRATCH_EN);
	return rsrc2;
}
