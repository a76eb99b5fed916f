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

/* With as many dwords as the packet has at least. */
static uint32_t size_of(const struct bw_sdma_packet *p)
{
	const struct bw_sdma_info *i = p->info;
	uint32_t size_dw = i->min_dw;
	if (i->count_bits)
		size_dw += (uint32_t)bw_words_get(p->dw, i->count_lo, i->count_bits);
	if (i->longer_dw && bw_words_get(p->dw, i->longer_bit, 1))
		size_dw += i->longer_dw;
	return size_dw;
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

static struct bw_sdma_linear linear(const struct bw_sdma_linear_of_tiled *l)
{
	return (struct bw_sdma_linear){l->address,	     l->x, l->y, l->z, l->pitch_less_1,
				       l->slice_pitch_less_1};
}

void bw_sdma_window(const struct bw_sdma_packet *p, struct bw_sdma_window *out)
{
	struct bw_sdma_copy_linear_sub_window l;
	struct bw_sdma_copy_tiled_sub_window t;
	struct bw_sdma_copy_t2t_sub_window both;
	if (bw_sdma_copy_linear_sub_window(p, &l)) {
		*out = (struct bw_sdma_window){
			.src_linear = l.source,
			.dst_linear = l.destination,
			.elem_log2 = l.element_log2,
			.width = l.width_less_1 + 1u,
			.height = l.height_less_1 + 1u,
			.depth = l.depth_less_1 + 1u,
		};
	} else if (bw_sdma_copy_tiled_sub_window(p, &t)) {
		*out = (struct bw_sdma_window){
			.elem_log2 = t.tiled.element_log2,
			.width = t.width_less_1 + 1u,
			.height = t.height_less_1 + 1u,
			.depth = t.depth_less_1 + 1u,
		};
		*(t.detile ? &out->src_is_tiled : &out->dst_is_tiled) = true;
		*(t.detile ? &out->src_tiled : &out->dst_tiled) = t.tiled;
		*(t.detile ? &out->dst_linear : &out->src_linear) = linear(&t.linear);
	} else if (bw_sdma_copy_t2t_sub_window(p, &both)) {
		*out = (struct bw_sdma_window){
			.src_is_tiled = true,
			.dst_is_tiled = true,
			.src_tiled = both.source,
			.dst_tiled = both.destination,
			.elem_log2 = both.source.element_log2,
			.width = both.width_less_1 + 1u,
			.height = both.height_less_1 + 1u,
			.depth = both.depth_less_1 + 1u,
		};
	} else {
		*out = (struct bw_sdma_window){0};
	}
}
