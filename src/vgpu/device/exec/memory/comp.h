/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_EXEC_MEM_COMP_H
#define BW_VGPU_EXEC_MEM_COMP_H

/* The components of a texel in the registers of one lane: a dword each, two in a dword (D16), or
 * one in the upper half of a dword. */

#include "image/format.h"
#include "vgpu/device/exec/memory/memory.h"

enum bw_comp { BW_COMP_FULL, BW_COMP_D16, BW_COMP_HI16 };

/* The first n components of a texel of format f. */
struct bw_comps {
	enum bw_comp kind;
	unsigned n;
	const struct bw_format *f;
};

static inline unsigned bw_comp_n_dw(enum bw_comp kind, unsigned n)
{
	return kind == BW_COMP_D16 ? (n + 1) / 2 : n;
}

static inline void bw_half_set(uint32_t *reg, bool high, uint16_t v)
{
	*reg = high ? (*reg & 0xffff) | (uint32_t)v << 16 : (*reg & 0xffff0000) | v;
}

/* The unused half of the last register is kept (rule 368). */
static inline void bw_comp_write(const struct bw_wave *w, unsigned dst, unsigned lane,
				 struct bw_comps comps, const uint32_t *v)
{
	const struct bw_format *f = comps.f;
	for (unsigned c = 0; c < comps.n; c++) {
		if (comps.kind == BW_COMP_FULL)
			bw_wave_vgpr(w, dst + c)[lane] = v[c];
		else if (comps.kind == BW_COMP_D16)
			bw_half_set(&bw_wave_vgpr(w, dst + c / 2)[lane], c & 1,
				    bw_format_to_d16(f, v[c]));
		else
			bw_half_set(&bw_wave_vgpr(w, dst)[lane], true, bw_format_to_d16(f, v[c]));
	}
}

/* data: the register of each dword. Components that the instruction does not have are 0 (rule
 * 366). */
static inline void bw_comp_read(const struct bw_wave *w, const uint16_t *data, unsigned lane,
				struct bw_comps comps, uint32_t v[4])
{
	enum bw_comp kind = comps.kind;
	for (unsigned c = 0; c < 4; c++) {
		if (c >= comps.n) {
			v[c] = 0;
			continue;
		}
		uint32_t reg = bw_wave_vgpr(w, data[kind == BW_COMP_D16 ? c / 2 : c])[lane];
		if (kind == BW_COMP_FULL)
			v[c] = reg;
		else
			v[c] = bw_format_from_d16(
				comps.f,
				(uint16_t)(kind == BW_COMP_HI16 || c & 1 ? reg >> 16 : reg));
	}
}

#endif
