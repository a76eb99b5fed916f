/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_EXEC_ZERO_BITS_H
#define BW_VGPU_EXEC_ZERO_BITS_H

#include "vgpu/device/exec/core/build.h"

/* gfx942: VCCZ and EXECZ as operands, which compilers do not use: 1 while all of VCC or EXEC is 0
 * (ISA manual of CDNA3, 3.4). The instruction takes SCC in their place, which has the value
 * meanwhile; other instructions are not slower for it. */

enum bw_zero_bit { BW_ZERO_NONE, BW_ZERO_VCC, BW_ZERO_EXEC };

/* Replaces the operand. An instruction that has both of them, or looks at SCC as well, keeps it,
 * and is illegal; so does one of another generation. */
enum bw_zero_bit bw_zero_bit_take(enum bw_isa_gen gen, struct bw_inst *inst);
/* After the record has been made: its handler. */
bw_handler *bw_zero_bit_wrap(struct bw_code_page *page, struct bw_rec *rec, enum bw_zero_bit bit);

#endif
