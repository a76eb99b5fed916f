/* SPDX-License-Identifier: MIT */

/* DPP: which lane of its half each lane reads. No pattern of gfx11 leaves a row of 16 lanes, so one
 * half of 32 tells it for both (doc/hardware/encodings.md 5). Those of gfx942 do. */

#include "vgpu/device/exec/core/build.h"

/* The lane that lane l reads, or -1. */
static int dpp16_from(unsigned ctrl, unsigned l)
{
	unsigned row = l & ~15u, in_row = l & 15, n = ctrl & 15;
	if (ctrl <= 0xff)
		return (int)((l & ~3u) + (ctrl >> (l & 3) * 2 & 3));
	if (ctrl < 0x110)
		return in_row + n < 16 ? (int)(l + n) : -1; /* row_shl */
	if (ctrl < 0x120)
		return in_row >= n ? (int)(l - n) : -1; /* row_shr */
	if (ctrl < 0x130)
		return (int)(row + ((in_row - n) & 15)); /* row_ror */
	if (ctrl == 0x140)
		return (int)(row + 15 - in_row);
	if (ctrl == 0x141)
		return (int)((l & ~7u) + 7 - (l & 7));
	if (ctrl < 0x160)
		return (int)(row + n);	  /* row_share */
	return (int)(row + (in_row ^ n)); /* row_xmask */
}

/* The same on gfx942, where a wave has 64 lanes. */
static int dpp9_from(unsigned ctrl, unsigned l)
{
	enum { LAST = 2 * BW_LANES - 1 };
	switch (ctrl) {
	case 0x130: /* wave_shl:1 */
		return l < LAST ? (int)l + 1 : -1;
	case 0x134: /* wave_rol:1 */
		return (int)((l + 1) & LAST);
	case 0x138: /* wave_shr:1 */
		return (int)l - 1;
	case 0x13c: /* wave_ror:1 */
		return (int)((l - 1) & LAST);
	case 0x142: /* row_bcast:15: the last lane of the row before */
		return (int)(l & ~15u) - 1;
	case 0x143: /* row_bcast:31 */
		return (int)(l & ~31u) - 1;
	default: /* row_newbcast is gfx11's row_share */
		return dpp16_from(ctrl, l);
	}
}

static void prepare_far(struct bw_dpp_lanes *d, const struct bw_inst *inst)
{
	d->is_far = true;
	for (unsigned l = 0; l < 2 * BW_LANES; l++) {
		int from = dpp9_from(inst->dpp_ctrl, l);
		d->far_from[l] = (uint8_t)(from < 0 ? (int)l : from);
		d->far_in_range |= (uint64_t)(from >= 0) << l;
	}
}

void bw_dpp_prepare(struct bw_code_page *page, const struct bw_inst *inst, struct bw_rec *rec)
{
	struct bw_dpp_lanes *d = bw_code_alloc(page, sizeof(*d));
	d->inst = *inst;
	if (bw_isa_is_gfx9(page->ctx.gen))
		prepare_far(d, inst);
	for (unsigned l = 0; l < BW_LANES; l++) {
		int from = inst->dpp == BW_DPP_8
				   ? (int)((l & ~7u) + (inst->dpp8_sel >> (l & 7) * 3 & 7))
				   : dpp16_from(inst->dpp_ctrl, l);
		d->from[l] = (uint8_t)(from < 0 ? (int)l : from);
		d->in_range |= (uint32_t)(from >= 0) << l;
		for (unsigned half = 0; half < 2; half++) {
			unsigned row = half * 2 + l / 16, bank = l % 16 / 4;
			bool on = inst->dpp == BW_DPP_8 ||
				  ((inst->row_mask >> row & 1) && (inst->bank_mask >> bank & 1));
			d->enable[half] |= (uint32_t)on << l;
		}
	}
	rec->inst = &d->inst;
}

uint32_t bw_dpp_far_masks(const struct bw_dpp_lanes *d, unsigned half, uint64_t exec,
			  uint32_t *out_valid)
{
	uint32_t valid = (uint32_t)(d->far_in_range >> 32 * half);
	uint32_t write = (uint32_t)(exec >> 32 * half) & d->enable[half];
	for (unsigned l = 0; l < BW_LANES; l++)
		if (!(exec >> d->far_from[half * BW_LANES + l] & 1))
			valid &= ~(1u << l);
	*out_valid = valid;
	return d->inst.bound_ctrl ? write : write & valid;
}

uint32_t bw_dpp_masks(const struct bw_dpp_lanes *d, unsigned half, uint32_t exec,
		      uint32_t *out_valid)
{
	const struct bw_inst *inst = &d->inst;
	uint32_t valid = d->in_range, write = exec & d->enable[half];
	if (!inst->fi) {
		uint32_t active = 0;
		for (unsigned l = 0; l < BW_LANES; l++)
			active |= (exec >> d->from[l] & 1) << l;
		valid &= active;
	}
	if (inst->dpp == BW_DPP_16 && !inst->bound_ctrl)
		write &= valid;
	*out_valid = valid;
	return write;
}
