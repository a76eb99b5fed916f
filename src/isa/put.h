/* SPDX-License-Identifier: MIT */
#ifndef BW_ISA_PUT_H
#define BW_ISA_PUT_H

/* Helpers of the generated functions that read and write fields. Private to isa/. */

#include <stdbool.h>
#include <stdint.h>

#include "base/util.h"
#include "isa/inst.h"

/* Puts value into a field of *w that is 0. False: it does not fit. */
static inline bool put(uint32_t *w, unsigned shift, unsigned bits, uint32_t value)
{
	*w |= (uint32_t)((value & ((1ull << bits) - 1)) << shift);
	return value >> (bits - 1) >> 1 == 0;
}

static inline bool put_signed(uint32_t *w, unsigned shift, unsigned bits, int32_t value)
{
	put(w, shift, bits, (uint32_t)value);
	return bw_sign_extend((uint32_t)value & ((1ull << bits) - 1), bits) == value;
}

/* An operand code of a field, as struct bw_inst has it: codes is the generation's. */
static inline unsigned code_of(const uint8_t codes[128], unsigned number)
{
	return number < 128 ? codes[number] : number;
}

static inline unsigned number_of(const uint16_t numbers[256], unsigned code)
{
	return code < 256 ? numbers[code] : code;
}

/* Bit i of acc: src[i] is an AccVGPR. */
static inline void take_acc(struct bw_inst *in, uint32_t acc)
{
	for (unsigned i = 0; i < 2; i++)
		if ((acc >> i & 1) && in->src[i] >= BW_SRC_VGPR0)
			in->src[i] += BW_SRC_ACC0 - BW_SRC_VGPR0;
}

static inline uint32_t put_acc(const struct bw_inst *in)
{
	return (in->src[0] >= BW_SRC_ACC0) | (uint32_t)(in->src[1] >= BW_SRC_ACC0) << 1;
}

/* The code of a VGPR in the place of that of an AccVGPR. */
static inline uint32_t vgpr_number(uint16_t code)
{
	return code >= BW_SRC_ACC0 ? code - (uint32_t)(BW_SRC_ACC0 - BW_SRC_VGPR0) : code;
}

/* SMEM with bits that say which offsets there are. If the register is alone and not in SOFFSET, it
 * is in OFFSET. */
static inline void take_offsets(struct bw_inst *in, bool has_imm, bool has_soffset,
				const uint8_t codes[128])
{
	if (!has_soffset)
		in->soffset = has_imm ? (uint8_t)BW_SRC_NULL : codes[in->imm & 127];
	if (!has_imm)
		in->imm = 0;
}

#endif
