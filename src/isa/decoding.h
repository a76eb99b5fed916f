/* SPDX-License-Identifier: MIT */
#ifndef BW_ISA_DECODING_H
#define BW_ISA_DECODING_H

/* An instruction being decoded, for the files of the decoder. Private to isa/. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "isa/inst.h"
#include "isa/opcode_tables.h"

enum { MAX_DW = 3 };

struct decoding {
	uint32_t w[MAX_DW]; /* a copy; what the instruction does not use is 0 */
	size_t n_dw;
	unsigned size_dw; /* used so far; the literal or DPP dword comes last */
	const struct bw_isa_tables *tables;
	const struct bw_isa_row *row;
	struct bw_inst *in;
};

/* Clears the low bits of an SGPR code that names n registers; false when the run does not exist.
 * VCC lies after s105 and ends a run that starts before it: ACO allocates s[104:107] (aco_ir.cpp,
 * sgpr_limit), although LLVM does not know it. */
static inline bool align_sgprs(uint16_t *code, unsigned n)
{
	if (n <= 1 || *code == BW_SRC_NULL)
		return *code <= BW_SRC_EXEC_HI;
	unsigned align = n == 2 ? 2 : 4;
	unsigned c = *code;
	if (c < BW_SRC_VCC_LO) {
		c -= c % align;
		if (c + n > BW_SRC_VCC_HI + 1)
			return false;
	} else if (c >= BW_SRC_TTMP0 && c < BW_SRC_NULL) {
		c -= (c - BW_SRC_TTMP0) % align;
		if (c + n > BW_SRC_NULL)
			return false;
	} else if (n != 2 || (c != BW_SRC_VCC_LO && c != BW_SRC_EXEC_LO)) {
		return false;
	}
	*code = (uint16_t)c;
	return true;
}

/* Takes the dword that makes the form of a vector ALU instruction. marker: its SRC0 field; compact:
 * it is not one of the 64-bit formats. */
bool bw_decoding_take_dpp(struct decoding *d, unsigned marker, bool compact);
bool bw_decoding_take_sdwa(struct decoding *d);

#endif
