/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_EXEC_EXCP_H
#define BW_VGPU_EXEC_EXCP_H

/* Float exceptions: TRAPSTS.EXCP, and the trap when MODE.EXCP_EN asks for it (doc/rules.md 119,
 * 135, 232, 294). Rows do not compute them. Where they can be observed (EXCP_EN, or code that reads
 * TRAPSTS: code.c) each lane's result is computed again with fmath.h, which is slow; elsewhere they
 * are left out. */

#include "arch/gfx942_extra.h"
#include "vgpu/device/exec/core/exec_priv.h"
#include "vgpu/device/exec/core/hwreg.h"

/* Whether this instruction can raise any. For VOPD, either half. */
bool bw_excp_possible(const struct bw_inst *inst);

/* The exceptions (enum bw_fexcp) that the lanes of mask raise. s: operands as the row takes them,
 * modifiers applied. */
uint32_t bw_excp_lanes(unsigned op, const struct bw_map_row *row, const void *const s[3],
		       uint32_t mask, const struct bw_lane_args *args);

/* Whether this word is an s_getreg_b32 of TRAPSTS, or the s_trap of a breakpoint that replaces one:
 * Breakwater's has a mark beside the trap id. */
static inline bool bw_excp_is_reader(uint32_t word)
{
	return (word & 0xff80003f) == (0xb8800000 | BW_HWREG_TRAPSTS) ||
	       (word & 0xffffff00) == (BW_GFX11_S_TRAP | BW_GFX11_S_TRAP_READS_TRAPSTS) ||
	       (word & 0xffffff00) == (BW_GFX942_S_TRAP | BW_GFX942_S_TRAP_READS_TRAPSTS);
}

#endif
