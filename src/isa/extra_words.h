/* SPDX-License-Identifier: MIT */
#ifndef BW_ISA_EXTRA_WORDS_H
#define BW_ISA_EXTRA_WORDS_H

/* Fields of the dwords that can follow an instruction's own, the same in all generations that
 * have them; for base/words.h. doc/hardware/encodings.md 2. Private to isa/. */

#include "base/words.h"

/* clang-format off */
#define BW_DPP_SRC0           0,  8  /* a VGPR */
#define BW_DPP8_SEL           8, 24
#define BW_DPP16_CTRL         8,  9
#define BW_DPP16_FI          18,  1
#define BW_DPP16_BOUND_CTRL  19,  1
#define BW_DPP16_NEG(src)    20 + 2 * (src), 1  /* of VOP1, VOP2 and VOPC: src is 0 or 1 */
#define BW_DPP16_ABS(src)    21 + 2 * (src), 1
#define BW_DPP16_BANK_MASK   24,  4
#define BW_DPP16_ROW_MASK    28,  4
#define BW_DPP9_UNUSED       17,  2

/* SDWA of gfx9: what lies in the upper half for each source lies 8 bits higher for src[1]. */
#define BW_SDWA_SRC0          0,  8
#define BW_SDWA_DST_SEL       8,  3
#define BW_SDWA_DST_UNUSED   11,  2
#define BW_SDWA_CLAMP        13,  1
#define BW_SDWA_OMOD         14,  2
#define BW_SDWA_SDST          8,  7  /* VOPC, in the place of the four above; without SD it is VCC */
#define BW_SDWA_SD           15,  1
#define BW_SDWA_SEL(src)     16 + 8 * (src), 3
#define BW_SDWA_SEXT(src)    19 + 8 * (src), 1
#define BW_SDWA_NEG(src)     20 + 8 * (src), 1
#define BW_SDWA_ABS(src)     21 + 8 * (src), 1
#define BW_SDWA_SCALAR(src)  23 + 8 * (src), 1  /* an operand code below 256 */
#define BW_SDWA_OF_SRC1      24,  8

#define BW_NSA_VADDR(i)       8 * (i), 8  /* MIMG: the address VGPRs 1 to 4 */
/* clang-format on */

#endif
