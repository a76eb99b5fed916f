/* SPDX-License-Identifier: MIT */
#ifndef BW_ARCH_GFX9_ROW_H
#define BW_ARCH_GFX9_ROW_H

/* The lists of registers that the rows of gfx9 and gfx942 have in common, for their files alone. */

/* clang-format off */
static const uint8_t main_regs[] = {BW_WREG_MODE, BW_WREG_STATUS, BW_WREG_TRAPSTS, BW_WREG_NONE};
static const uint8_t more_regs[] = {BW_WREG_HW_ID, BW_WREG_GPR_ALLOC, BW_WREG_LDS_ALLOC, BW_WREG_IB_STS,
	BW_WREG_NONE};

/* gfx_v9_0_read_wave_data() and gfx_v9_4_3_read_wave_data() of Linux 6.12 */
static const uint8_t gprwave[] = {
	BW_WREG_STATUS, BW_WREG_PC_LO, BW_WREG_PC_HI, BW_WREG_EXEC_LO, BW_WREG_EXEC_HI, BW_WREG_HW_ID,
	BW_WREG_INST_DW0, BW_WREG_INST_DW1, BW_WREG_GPR_ALLOC, BW_WREG_LDS_ALLOC, BW_WREG_TRAPSTS,
	BW_WREG_IB_STS, BW_WREG_IB_DBG0, BW_WREG_M0, BW_WREG_MODE,
};
/* clang-format on */

#endif
