/* SPDX-License-Identifier: MIT */

/* SDWA of gfx942: bytes and words of registers as operands (AMD's ISA manual of CDNA3, "SDWA").
 * map.c takes the parts before a row is run, and puts the result into its part afterwards. */

#include "vgpu/device/exec/core/build.h"

static unsigned shift_of(unsigned sel)
{
	return sel <= BW_SDWA_BYTE_3 ? 8 * sel : sel == BW_SDWA_WORD_1 ? 16 : 0;
}

static unsigned bits_of(unsigned sel)
{
	return sel <= BW_SDWA_BYTE_3 ? 8 : sel <= BW_SDWA_WORD_1 ? 16 : 32;
}

/* The low bits of v, with zeros or their sign above them. */
static uint32_t extend(uint32_t v, unsigned bits, bool is_signed)
{
	if (bits == 32)
		return v;
	v &= (1u << bits) - 1;
	return is_signed && v >> (bits - 1) ? v | UINT32_MAX << bits : v;
}

uint32_t bw_sdwa_part(const struct bw_inst *inst, unsigned i, uint32_t v)
{
	unsigned sel = inst->src_sel[i];
	return extend(v >> shift_of(sel), bits_of(sel), inst->sext >> i & 1);
}

void bw_sdwa_take(const struct bw_inst *inst, unsigned i, const void *from, unsigned from_bits,
		  void *out, unsigned bits)
{
	for (unsigned l = 0; l < BW_LANES; l++) {
		uint32_t v =
			from_bits == 16 ? ((const uint16_t *)from)[l] : ((const uint32_t *)from)[l];
		v = bw_sdwa_part(inst, i, v);
		if (bits == 16)
			((uint16_t *)out)[l] = (uint16_t)v;
		else
			((uint32_t *)out)[l] = v;
	}
}

uint32_t bw_sdwa_put(const struct bw_inst *inst, uint32_t old, uint32_t result)
{
	unsigned sel = inst->dst_sel, shift = shift_of(sel), bits = bits_of(sel);
	if (bits == 32)
		return result;
	if (inst->dst_unused == BW_SDWA_PRESERVE) {
		uint32_t part = ((1u << bits) - 1) << shift;
		return (old & ~part) | (result << shift & part);
	}
	return extend(result, bits, inst->dst_unused == BW_SDWA_SEXT) << shift;
}
