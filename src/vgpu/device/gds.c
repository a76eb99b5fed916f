/* SPDX-License-Identifier: MIT */
#include "vgpu/device/gds.h"

#include "base/util.h"
#include "base/words.h"
#include "isa/ops.h"
#include "vgpu/device/device_priv.h"
#include "vgpu/device/exec/core/exec_priv.h"

/* Fields of M0. For ordered counts, the lower half is the number of the subgroup. */
#define M0_SIZE 0, 16
#define M0_BASE 16, 16
/* Fields of the offsets of ds_ordered_count, and of an access to a register. */
#define ORDERED_INDEX 2, 6
#define REGISTER 2, 4
enum { N_COUNTERS = 4 }; /* GDS_STRMOUT_DWORDS_WRITTEN_0 to 3, the first of the registers */

static _Atomic uint32_t *dword(struct bw_device *dev, uint64_t offset_b)
{
	return offset_b < BW_GDS_B ? &dev->gds[offset_b / 4] : NULL;
}

uint32_t bw_gds_read(struct bw_device *dev, uint64_t offset_b)
{
	_Atomic uint32_t *at = dword(dev, offset_b);
	return at ? atomic_load(at) : 0;
}

static uint32_t add(struct bw_device *dev, uint64_t offset_b, uint32_t value)
{
	_Atomic uint32_t *at = dword(dev, offset_b);
	return at ? atomic_fetch_add(at, value) : 0;
}

/* Instructions take the data of the first active lane alone (rule 416), and give it the result. */
static uint32_t vgpr(const struct bw_wave *w, unsigned n, unsigned lane)
{
	return n < w->n_vgprs ? w->v[n * w->lanes + lane] : 0;
}

static void set_result(struct bw_wave *w, const struct bw_inst *in, unsigned lane, uint32_t value)
{
	if (in->dst < w->n_vgprs)
		w->v[in->dst * w->lanes + lane] = value;
}

/* One of the counters; all other registers of GS_REGS are refused. */
static bool change_register(struct bw_device *dev, struct bw_wave *w, const struct bw_inst *in,
			    unsigned lane)
{
	const uint32_t offset = (uint32_t)in->imm;
	unsigned number = bw_words_get(&offset, REGISTER);
	if (number >= N_COUNTERS)
		return false;
	enum bw_register reg = BW_REG_GDS_STRMOUT_DWORDS_WRITTEN_0 + number;
	uint32_t value = vgpr(w, in->vdata, lane), old = bw_reg_get(dev, reg);
	bw_reg_set(dev, reg, in->op == BW_OP_DS_SUB_GS_REG_RTN ? old - value : old + value);
	set_result(w, in, lane, old);
	return true;
}

bool bw_gds_instruction(struct bw_device *dev, struct bw_wave *w, const struct bw_inst *in)
{
	const uint32_t m0 = w->s[BW_SRC_M0], index = in->offset0;
	const uint64_t exec = bw_wave_exec(w);
	const unsigned lane = exec ? (unsigned)__builtin_ctzll(exec) : 0;
	const uint32_t base = bw_words_get(&m0, M0_BASE);
	switch (in->op) {
	case BW_OP_DS_ADD_GS_REG_RTN:
	case BW_OP_DS_SUB_GS_REG_RTN:
		return !exec || change_register(dev, w, in, lane);
	case BW_OP_DS_ORDERED_COUNT: /* of one dword [I] */
		if (exec)
			set_result(w, in, lane,
				   add(dev, base + bw_words_get(&index, ORDERED_INDEX) * 4ull,
				       vgpr(w, in->vaddr, lane)));
		return true;
	case BW_OP_DS_ADD_U32: {
		uint64_t offset = (uint64_t)vgpr(w, in->vaddr, lane) + ((uint32_t)in->imm & 0xffff);
		if (exec && offset < bw_words_get(&m0, M0_SIZE))
			add(dev, base + offset, vgpr(w, in->vdata, lane));
		return true;
	}
	default:
		return false;
	}
}
