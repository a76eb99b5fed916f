/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_EXEC_UNDEF_H
#define BW_VGPU_EXEC_UNDEF_H

/* How "nobody has written it" passes from the operands of an instruction to its result, bit by bit.
 * Pure: values in, bits out.
 *
 * A bit of the result counts as undefined if another value of the undefined bits of the operands
 * can change it. Where that would be costly to say exactly, moves, logic, shifts and compares are
 * exact enough that code of compilers, which computes with values that it then does not use, gives
 * no finding; for the rest, any undefined bit makes the whole result undefined. */

#include <stdbool.h>
#include <stdint.h>

/* A value of up to 64 bits. u: its bits that nobody has written. */
struct bw_bits {
	uint64_t v, u;
};

enum bw_undef_rule {
	BW_UNDEF_ANY,	/* any undefined bit makes all of the result undefined */
	BW_UNDEF_NONE,	/* the result counts as defined */
	BW_UNDEF_WHOLE, /* the result is undefined if a source is so as a whole */
	BW_UNDEF_COPY,
	BW_UNDEF_NOT,
	BW_UNDEF_REVERSE, /* of bits */
	BW_UNDEF_AND,
	BW_UNDEF_AND_NOT0, /* source 0 inverted */
	BW_UNDEF_AND_NOT1, /* source 1 inverted */
	BW_UNDEF_NAND,
	BW_UNDEF_OR,
	BW_UNDEF_OR_NOT0,
	BW_UNDEF_OR_NOT1,
	BW_UNDEF_NOR,
	BW_UNDEF_XOR,
	BW_UNDEF_XNOR,
	BW_UNDEF_AND_OR, /* (0 & 1) | 2 */
	BW_UNDEF_OR3,
	BW_UNDEF_XOR3,
	BW_UNDEF_BFI, /* (0 & 1) | (~0 & 2) */
	BW_UNDEF_SUM, /* additions, subtractions, low products: from the lowest undefined bit on */
	BW_UNDEF_MUL, /* SUM, but 0 if a factor is */
	BW_UNDEF_MUL_FLOAT, /* ANY, but 0 if a factor is: v_mul_dx9_zero */
	BW_UNDEF_SHL,
	BW_UNDEF_SHR,
	BW_UNDEF_SAR,
	BW_UNDEF_SHL_REV, /* source 0 is the distance */
	BW_UNDEF_SHR_REV,
	BW_UNDEF_SAR_REV,
	BW_UNDEF_SHL_ADD, /* (0 << 1) + 2 */
	BW_UNDEF_SHL_OR,
	BW_UNDEF_ADD_SHL, /* (0 + 1) << 2 */
	BW_UNDEF_XAD,	  /* (0 ^ 1) + 2 */
	BW_UNDEF_BFE_U,	  /* of vectors: offset in 1, width in 2 */
	BW_UNDEF_BFE_I,
	BW_UNDEF_BFE_SU, /* of scalars: both in 1 */
	BW_UNDEF_BFE_SI,
	BW_UNDEF_SEXT8,
	BW_UNDEF_SEXT16,
	BW_UNDEF_PACK_LL, /* halves of 0 and 1 */
	BW_UNDEF_PACK_LH,
	BW_UNDEF_PACK_HH,
	BW_UNDEF_PACK_HL,
	BW_UNDEF_CVT_PK, /* each half of the result is of one source */
	BW_UNDEF_UBYTE0, /* a byte of the source */
	BW_UNDEF_UBYTE1,
	BW_UNDEF_UBYTE2,
	BW_UNDEF_UBYTE3,
	BW_UNDEF_ALIGN_BIT, /* 0:1 shifted right by 2 bits, bytes */
	BW_UNDEF_ALIGN_BYTE,
	BW_UNDEF_PERM,	  /* bytes of 0:1, chosen by 2 */
	BW_UNDEF_BITSET0, /* bit 0 of 1, its old destination */
	BW_UNDEF_BITSET1,
	BW_UNDEF_SELECT,      /* 2 (one bit) ? 1 : 0 */
	BW_UNDEF_PACKED,      /* each half of the result is of one half of each source */
	BW_UNDEF_PACKED_WIDE, /* the same, with halves of 32 bits */
	BW_UNDEF_PACK_WIDE,   /* the low half of 0, the high half of 1 */
	/* conditions: one bit */
	BW_UNDEF_IS_EQUAL, /* and not equal */
	BW_UNDEF_IS_LT_U,  /* of integers: 0 below 1, and so on */
	BW_UNDEF_IS_LE_U,
	BW_UNDEF_IS_GT_U,
	BW_UNDEF_IS_GE_U,
	BW_UNDEF_IS_LT_S,
	BW_UNDEF_IS_LE_S,
	BW_UNDEF_IS_GT_S,
	BW_UNDEF_IS_GE_S,
	BW_UNDEF_BIT, /* bit 1 of 0 */
};

/* The result of n sources, at most 4, of so many bits; of a condition these are the bits of its
 * sources. v of the result is right only of moves, logic, shifts and fields. */
struct bw_bits bw_undef_result(enum bw_undef_rule rule, const struct bw_bits *s, unsigned n,
			       unsigned bits);

/* Whether it is undefined if the value is other than 0. */
bool bw_undef_nonzero(struct bw_bits x);

/* Rules of opcodes. */
enum bw_undef_rule bw_undef_rule_of(unsigned op);
/* Opcodes whose result is defined if both sources are the same. */
bool bw_undef_cancels(unsigned op);

#endif
