/* SPDX-License-Identifier: MIT */
#ifndef BW_KMD_REGS_H
#define BW_KMD_REGS_H

/* Many accesses to registers at a time (kmd.h has those to one). The virtual GPU is sent up to 32
 * of them together, so that a look at every SIMD takes few waits for answers. Any thread may
 * call. */

#include "kmd/kmd.h"

struct bw_kmd_reg {
	struct bw_kmd_bank bank;
	bool write;
	uint32_t addr_dw, value;
};
/* Makes them in this order; all are of one XCC. Where one fails, those after it may have been made
 * or not. */
struct bw_error *bw_kmd_regs(struct bw_kmd *kmd, struct bw_kmd_reg *list, size_t n) BW_MUST_CHECK;

#endif
