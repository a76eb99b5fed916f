/* SPDX-License-Identifier: MIT */
#ifndef BW_ISA_EXTRA_WORDS_H
#define BW_ISA_EXTRA_WORDS_H

/* Fields of the dwords that can follow an instruction's own, the same in all generations that
 * data/isa has; for base/words.h. doc/hardware/encodings.md 2. Private to isa/. */

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

#define BW_NSA_VADDR(i)       8 * (i), 8  /* MIMG: the address VGPRs 1 to 4 */
/* clang-format on */

#endif
