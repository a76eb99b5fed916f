/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_EXEC_INDEXED_H
#define BW_VGPU_EXEC_INDEXED_H

#include "vgpu/device/exec/core/exec_priv.h"
#include "vgpu/device/exec/core/hwreg9.h"

/* gfx942's indexed VGPRs: between s_set_gpr_idx_on and _off, M0 is added to the numbers of VGPRs of
 * the vector ALU. The run loop asks before it runs anything. */

static inline bool bw_is_indexed(const struct bw_exec *x, const struct bw_wave *w)
{
	return bw_isa_is_gfx9(x->gen) && w->mode & BW_MODE9_GPR_IDX_EN;
}

/* Runs the record of one instruction, with x->left 1, and returns what its handler returns. */
const struct bw_rec *bw_run_indexed(const struct bw_rec *rec, struct bw_wave *w, struct bw_exec *x);

#endif
