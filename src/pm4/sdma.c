/* SPDX-License-Identifier: MIT */
#include "pm4/sdma.h"

#include <stdio.h>

#include "base/util.h"
#include "pm4/fields.h"

static const struct bw_sdma_info infos[] = {
#include "pm4/sdma_opcodes.inc"
};

const struct bw_sdma_info *bw_sdma_info(uint32_t header)
{
	for (size_t i = 0; i < BW_ARRAY_SIZE(infos); i++)
		if (infos[i].code == bw_words_get(&header, BW_SDMA_CODE))
			return &infos[i];
	return NULL;
}

const char *bw_sdma_name(uint32_t header, char buf[32])
{
	const struct bw_sdma_info *info = bw_sdma_info(header);
	if (info)
		return info->name;
	snprintf(buf, 32, "opcode 0x%02x sub-opcode 0x%02x",
		 (unsigned)bw_words_get(&header, BW_SDMA_OPCODE),
		 (unsigned)bw_words_get(&header, BW_SDMA_SUB_OPCODE));
	return buf;
}

static uint64_t u64(const uint32_t *lo)
{
	return bw_join32(lo[1], lo[0]);
}

/* With as many dwords as the packet has at least. */
static uint32_t size_of(const struct bw_sdma_packet *p)
{
	switch (p->info->code) {
	case BW_SDMA_NOP:
		return 1 + (uint32_t)bw_words_get(p->dw, BW_SDMA_NOP_COUNT);
	case BW_SDMA_COPY_LINEAR:
		return p->info->min_dw + (bw_words_get(p->dw, BW_SDMA_COPY_BROADCAST) ? 2 : 0);
	case BW_SDMA_COPY_TILED_SUB_WINDOW:
	case BW_SDMA_COPY_T2T_SUB_WINDOW:
		return p->info->min_dw + (bw_words_get(p->dw, BW_SDMA_WINDOW_DCC) ? 3 : 0);
	case BW_SDMA_WRITE_LINEAR:
		return 4 + (uint32_t)bw_words_get(p->dw, BW_SDMA_WRITE_COUNT) + 1;
	default:
		return p->info->min_dw;
	}
}

bool bw_sdma_at(const uint32_t *dw, size_t n_dw, size_t pos, struct bw_sdma_packet *out)
{
	*out = (struct bw_sdma_packet){.size_dw = 1};
	if (pos >= n_dw)
		return false;
	out->dw = dw + pos;
	out->header = dw[pos];
	out->info = bw_sdma_info(out->header);
	if (!out->info)
		return true;
	out->size_dw = out->info->min_dw;
	if (out->size_dw <= n_dw - pos)
		out->size_dw = size_of(out);
	return out->size_dw <= n_dw - pos;
}

void bw_sdma_copy(const struct bw_sdma_packet *p, struct bw_sdma_copy *out)
{
	*out = (struct bw_sdma_copy){
		.src = u64(p->dw + 3),
		.dst = u64(p->dw + 5),
		.dst2 = bw_words_get(p->dw, BW_SDMA_COPY_BROADCAST) ? u64(p->dw + 7) : 0,
		.size_b = bw_words_get(p->dw, BW_SDMA_COPY_COUNT) + 1,
	};
}

/* ---- windows ---- */

static struct bw_sdma_linear linear(const uint32_t *d, unsigned pitch_at)
{
	return (struct bw_sdma_linear){
		.va = u64(d),
		.x = bw_words_get(d, BW_SDMA_SIDE_X),
		.y = bw_words_get(d, BW_SDMA_SIDE_Y),
		.z = bw_words_get(d, BW_SDMA_SIDE_Z),
		.pitch = bw_words_get(d, BW_PM4_BIT(3, pitch_at), 32 - pitch_at) + 1,
		.slice_pitch = bw_words_get(d, BW_SDMA_LINEAR_SLICE_PITCH) + 1,
	};
}

static struct bw_sdma_tiled tiled(const uint32_t *d)
{
	return (struct bw_sdma_tiled){
		.va = u64(d),
		.x = bw_words_get(d, BW_SDMA_SIDE_X),
		.y = bw_words_get(d, BW_SDMA_SIDE_Y),
		.z = bw_words_get(d, BW_SDMA_SIDE_Z),
		.width = bw_words_get(d, BW_SDMA_TILED_WIDTH) + 1,
		.height = bw_words_get(d, BW_SDMA_TILED_HEIGHT) + 1,
		.depth = bw_words_get(d, BW_SDMA_TILED_DEPTH) + 1,
		.elem_log2 = bw_words_get(d, BW_SDMA_TILED_ELEMENT_SIZE),
		.sw_mode = bw_words_get(d, BW_SDMA_TILED_SWIZZLE_MODE),
		.dimension = bw_words_get(d, BW_SDMA_TILED_DIMENSION),
		.n_levels = bw_words_get(d, BW_SDMA_TILED_MIP_MAX) + 1,
		.level = bw_words_get(d, BW_SDMA_TILED_MIP_ID),
	};
}

void bw_sdma_window(const struct bw_sdma_packet *p, struct bw_sdma_window *out)
{
	const uint32_t *d = p->dw, *size;
	*out = (struct bw_sdma_window){.has_metadata = bw_words_get(d, BW_SDMA_WINDOW_DCC)};
	switch (p->info->code) {
	case BW_SDMA_COPY_LINEAR_SUB_WINDOW:
		out->has_metadata = false;
		out->elem_log2 = bw_words_get(d, BW_SDMA_WINDOW_ELEMENT_SIZE);
		out->src_linear = linear(d + 1, 13);
		out->dst_linear = linear(d + 6, 13);
		size = d + 11;
		break;
	case BW_SDMA_COPY_TILED_SUB_WINDOW:
		if (bw_words_get(d, BW_SDMA_WINDOW_DETILE)) {
			out->src_is_tiled = true;
			out->src_tiled = tiled(d + 1);
			out->dst_linear = linear(d + 7, 16);
		} else {
			out->dst_is_tiled = true;
			out->dst_tiled = tiled(d + 1);
			out->src_linear = linear(d + 7, 16);
		}
		out->elem_log2 = bw_words_get(d + 1, BW_SDMA_TILED_ELEMENT_SIZE);
		size = d + 12;
		break;
	default:
		out->src_is_tiled = out->dst_is_tiled = true;
		out->src_tiled = tiled(d + 1);
		out->dst_tiled = tiled(d + 7);
		out->elem_log2 = bw_words_get(d + 1, BW_SDMA_TILED_ELEMENT_SIZE);
		size = d + 13;
		break;
	}
	out->width = bw_words_get(size, BW_SDMA_RECT_X) + 1;
	out->height = bw_words_get(size, BW_SDMA_RECT_Y) + 1;
	out->depth = bw_words_get(size, BW_SDMA_RECT_Z) + 1;
}

/* ---- the rest ---- */

void bw_sdma_write(const struct bw_sdma_packet *p, struct bw_sdma_write *out)
{
	*out = (struct bw_sdma_write){u64(p->dw + 1), p->dw + 4, p->size_dw - 4};
}

void bw_sdma_fill(const struct bw_sdma_packet *p, struct bw_sdma_fill *out)
{
	static const uint8_t unit_b[4] = {1, 2, 4, 4};
	*out = (struct bw_sdma_fill){
		.dst = u64(p->dw + 1),
		.value = p->dw[3],
		.size_b = bw_words_get(p->dw, BW_SDMA_FILL_COUNT) + 1,
		.unit_b = unit_b[bw_words_get(p->dw, BW_SDMA_FILL_SIZE)],
	};
}

void bw_sdma_indirect(const struct bw_sdma_packet *p, struct bw_pm4_indirect_buffer *out)
{
	*out = (struct bw_pm4_indirect_buffer){
		.va = u64(p->dw + 1) & ~0x1full,
		.size_dw = bw_words_get(p->dw, BW_SDMA_IB_SIZE),
		.vmid = bw_words_get(p->dw, BW_SDMA_IB_VMID),
	};
}

void bw_sdma_poll(const struct bw_sdma_packet *p, struct bw_sdma_poll *out)
{
	*out = (struct bw_sdma_poll){
		.hdp_flush = bw_words_get(p->dw, BW_SDMA_POLL_HDP_FLUSH),
		.wait = {.function = bw_words_get(p->dw, BW_SDMA_POLL_FUNC),
			 .is_memory = bw_words_get(p->dw, BW_SDMA_POLL_MEM),
			 .ref = p->dw[3],
			 .mask = p->dw[4]},
	};
	if (out->wait.is_memory) {
		out->wait.address = u64(p->dw + 1) & ~3ull;
	} else {
		out->wait.address = bw_words_get(p->dw, BW_SDMA_POLL_REG_0);
		out->wait.address2 = bw_words_get(p->dw, BW_SDMA_POLL_REG_1);
	}
}

void bw_sdma_cond_exe(const struct bw_sdma_packet *p, struct bw_sdma_cond_exe *out)
{
	*out = (struct bw_sdma_cond_exe){u64(p->dw + 1) & ~3ull, p->dw[3],
					 bw_words_get(p->dw, BW_SDMA_COND_EXE_COUNT)};
}

void bw_sdma_pre_exe(const struct bw_sdma_packet *p, struct bw_sdma_pre_exe *out)
{
	*out = (struct bw_sdma_pre_exe){bw_words_get(p->dw, BW_SDMA_PRE_EXE_DEV_SEL),
					bw_words_get(p->dw, BW_SDMA_PRE_EXE_COUNT)};
}

void bw_sdma_vm_invalidation(const struct bw_sdma_packet *p, struct bw_sdma_vm_invalidation *out)
{
	*out = (struct bw_sdma_vm_invalidation){bw_words_get(p->dw, BW_SDMA_INVALIDATION_ENG),
						p->dw[1],
						bw_words_get(p->dw, BW_SDMA_INVALIDATION_ACK)};
}

void bw_sdma_atomic(const struct bw_sdma_packet *p, struct bw_pm4_atomic_mem *out)
{
	*out = (struct bw_pm4_atomic_mem){
		.op = bw_words_get(p->dw, BW_SDMA_ATOMIC_OP),
		.is_64 = bw_words_get(p->dw, BW_SDMA_ATOMIC_IS_64),
		.loop = bw_words_get(p->dw, BW_SDMA_ATOMIC_LOOP),
		.address = u64(p->dw + 1),
		.src = u64(p->dw + 3),
		.compare = u64(p->dw + 5),
	};
}

void bw_sdma_ptepde(const struct bw_sdma_packet *p, struct bw_sdma_ptepde *out)
{
	*out = (struct bw_sdma_ptepde){u64(p->dw + 1), u64(p->dw + 3), u64(p->dw + 5),
				       u64(p->dw + 7),
				       bw_words_get(p->dw, BW_SDMA_PTEPDE_COUNT) + 1};
}

void bw_sdma_srbm_write(const struct bw_sdma_packet *p, struct bw_sdma_srbm_write *out)
{
	*out = (struct bw_sdma_srbm_write){bw_words_get(p->dw, BW_SDMA_SRBM_ADDR), p->dw[2], 0};
	for (unsigned i = 0; i < 4; i++)
		if (bw_words_get(p->dw, BW_SDMA_SRBM_BYTE_EN) >> i & 1)
			out->mask |= 0xffu << 8 * i;
}

uint64_t bw_sdma_address(const struct bw_sdma_packet *p)
{
	return u64(p->dw + 1);
}
