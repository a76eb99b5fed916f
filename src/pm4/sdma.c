/* SPDX-License-Identifier: MIT */
#include "pm4/sdma.h"

#include <stdio.h>

#include "base/util.h"

static const struct bw_sdma_info infos[] = {
#include "pm4/sdma_opcodes.inc"
};

const struct bw_sdma_info *bw_sdma_info(uint32_t header)
{
	for (size_t i = 0; i < BW_ARRAY_SIZE(infos); i++)
		if (infos[i].code == (header & 0xffff))
			return &infos[i];
	return NULL;
}

const char *bw_sdma_name(uint32_t header, char buf[32])
{
	const struct bw_sdma_info *info = bw_sdma_info(header);
	if (info)
		return info->name;
	snprintf(buf, 32, "opcode 0x%02x sub-opcode 0x%02x", header & 0xff, header >> 8 & 0xff);
	return buf;
}

static uint64_t u64(const uint32_t *lo)
{
	return lo[0] | (uint64_t)lo[1] << 32;
}

/* With as many dwords as the packet has at least. */
static uint32_t size_of(const struct bw_sdma_packet *p)
{
	switch (p->info->code) {
	case BW_SDMA_NOP: /* COUNT 29:16 */
		return 1 + (p->header >> 16 & 0x3fff);
	case BW_SDMA_COPY_LINEAR: /* BROADCAST 27 */
		return p->info->min_dw + (p->header >> 27 & 1) * 2;
	case BW_SDMA_COPY_TILED_SUB_WINDOW: /* DCC 19 */
	case BW_SDMA_COPY_T2T_SUB_WINDOW:
		return p->info->min_dw + (p->header >> 19 & 1) * 3;
	case BW_SDMA_WRITE_LINEAR: /* COUNT 19:0 */
		return 4 + (p->dw[3] & 0xfffff) + 1;
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
		.dst2 = p->header >> 27 & 1 ? u64(p->dw + 7) : 0,
		.size_b = (uint64_t)(p->dw[1] & 0x3fffffff) + 1,
	};
}

/* ---- windows ---- */

static struct bw_sdma_linear linear(const uint32_t *d, unsigned pitch_at)
{
	return (struct bw_sdma_linear){
		.va = u64(d),
		.x = d[2] & 0x3fff,
		.y = d[2] >> 16 & 0x3fff,
		.z = d[3] & 0x1fff,
		.pitch = (d[3] >> pitch_at) + 1,
		.slice_pitch = (d[4] & 0xfffffff) + 1,
	};
}

/* The dword of the layout: ELEMENT_SIZE 2:0, SWIZZLE_MODE 7:3, DIMENSION 10:9, MIP_MAX 19:16,
 * MIP_ID 23:20 */
static struct bw_sdma_tiled tiled(const uint32_t *d)
{
	return (struct bw_sdma_tiled){
		.va = u64(d),
		.x = d[2] & 0x3fff,
		.y = d[2] >> 16 & 0x3fff,
		.z = d[3] & 0x1fff,
		.width = (d[3] >> 16 & 0x3fff) + 1,
		.height = (d[4] & 0x3fff) + 1,
		.depth = (d[4] >> 16 & 0x1fff) + 1,
		.elem_log2 = d[5] & 7,
		.sw_mode = d[5] >> 3 & 0x1f,
		.dimension = d[5] >> 9 & 3,
		.n_levels = (d[5] >> 16 & 0xf) + 1,
		.level = d[5] >> 20 & 0xf,
	};
}

void bw_sdma_window(const struct bw_sdma_packet *p, struct bw_sdma_window *out)
{
	const uint32_t *d = p->dw, *size;
	*out = (struct bw_sdma_window){.has_metadata = p->header >> 19 & 1};
	switch (p->info->code) {
	case BW_SDMA_COPY_LINEAR_SUB_WINDOW:
		out->has_metadata = false;
		out->elem_log2 = p->header >> 29;
		out->src_linear = linear(d + 1, 13);
		out->dst_linear = linear(d + 6, 13);
		size = d + 11;
		break;
	case BW_SDMA_COPY_TILED_SUB_WINDOW:
		if (p->header >> 31) { /* DETILE */
			out->src_is_tiled = true;
			out->src_tiled = tiled(d + 1);
			out->dst_linear = linear(d + 7, 16);
		} else {
			out->dst_is_tiled = true;
			out->dst_tiled = tiled(d + 1);
			out->src_linear = linear(d + 7, 16);
		}
		out->elem_log2 = d[6] & 7;
		size = d + 12;
		break;
	default:
		out->src_is_tiled = out->dst_is_tiled = true;
		out->src_tiled = tiled(d + 1);
		out->dst_tiled = tiled(d + 7);
		out->elem_log2 = d[6] & 7;
		size = d + 13;
		break;
	}
	out->width = (size[0] & 0x3fff) + 1;
	out->height = (size[0] >> 16 & 0x3fff) + 1;
	out->depth = (size[1] & 0x1fff) + 1;
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
		.size_b = (uint64_t)(p->dw[4] & 0x3fffffff) + 1,
		.unit_b = unit_b[p->header >> 30], /* FILLSIZE */
	};
}

void bw_sdma_indirect(const struct bw_sdma_packet *p, struct bw_pm4_indirect_buffer *out)
{
	*out = (struct bw_pm4_indirect_buffer){
		.va = u64(p->dw + 1) & ~0x1full,
		.size_dw = p->dw[3] & 0xfffff,
		.vmid = p->header >> 16 & 0xf,
	};
}

void bw_sdma_poll(const struct bw_sdma_packet *p, struct bw_sdma_poll *out)
{
	*out = (struct bw_sdma_poll){
		.hdp_flush = p->header >> 26 & 1,
		.wait = {.function = p->header >> 28 & 7,
			 .is_memory = p->header >> 31,
			 .ref = p->dw[3],
			 .mask = p->dw[4]},
	};
	if (out->wait.is_memory) {
		out->wait.address = u64(p->dw + 1) & ~3ull;
	} else {
		out->wait.address = p->dw[1] >> 2;
		out->wait.address2 = p->dw[2] >> 2;
	}
}

void bw_sdma_cond_exe(const struct bw_sdma_packet *p, struct bw_sdma_cond_exe *out)
{
	*out = (struct bw_sdma_cond_exe){u64(p->dw + 1) & ~3ull, p->dw[3], p->dw[4] & 0x3fff};
}

/* DEV_SEL 23:16, EXEC_COUNT 13:0 */
void bw_sdma_pre_exe(const struct bw_sdma_packet *p, struct bw_sdma_pre_exe *out)
{
	*out = (struct bw_sdma_pre_exe){(uint8_t)(p->header >> 16), p->dw[1] & 0x3fff};
}

/* ENG_ID 20:16, INVALIDATEACK 15:0 of dword 3 */
void bw_sdma_vm_invalidation(const struct bw_sdma_packet *p, struct bw_sdma_vm_invalidation *out)
{
	*out = (struct bw_sdma_vm_invalidation){p->header >> 16 & 0x1f, p->dw[1],
						p->dw[3] & 0xffff};
}

/* LOOP 16, ATOMIC_OP 31:25 */
void bw_sdma_atomic(const struct bw_sdma_packet *p, struct bw_pm4_atomic_mem *out)
{
	*out = (struct bw_pm4_atomic_mem){
		.op = p->header >> 25 & 0x1f,
		.is_64 = p->header >> 30 & 1,
		.loop = p->header >> 16 & 1,
		.address = u64(p->dw + 1),
		.src = u64(p->dw + 3),
		.compare = u64(p->dw + 5),
	};
}

void bw_sdma_ptepde(const struct bw_sdma_packet *p, struct bw_sdma_ptepde *out)
{
	*out = (struct bw_sdma_ptepde){u64(p->dw + 1), u64(p->dw + 3), u64(p->dw + 5),
				       u64(p->dw + 7), (p->dw[9] & 0x7ffff) + 1};
}

void bw_sdma_srbm_write(const struct bw_sdma_packet *p, struct bw_sdma_srbm_write *out)
{
	*out = (struct bw_sdma_srbm_write){p->dw[1] & 0x3ffff, p->dw[2], 0};
	for (unsigned i = 0; i < 4; i++) /* BYTE_EN 31:28 */
		if (p->header >> (28 + i) & 1)
			out->mask |= 0xffu << 8 * i;
}

uint64_t bw_sdma_address(const struct bw_sdma_packet *p)
{
	return u64(p->dw + 1);
}
