/* SPDX-License-Identifier: MIT */
#ifndef BW_CLI_UMR_H
#define BW_CLI_UMR_H

/* What hang reports need of the tool umr (doc/hardware/kernel-interface.md 7, doc/hardware/mesa.md
 * 4): its options and the output that other programs parse, made from our own reading of
 * debugfs. */

#include <stdbool.h>
#include <stdint.h>

#include "kmd/kmd.h"
#include "regs/regs.h"

struct bw_umr {
	struct bw_kmd *kmd;
	const struct bw_regs_block *gc;
	uint32_t gc_bases_dw[8];
	unsigned n_gc_bases;
	bool bits, halt_waves;
	struct bw_kmd_bank bank; /* of -r */
};

struct bw_error *bw_umr_waves(struct bw_umr *u) BW_MUST_CHECK;

#endif
