/* SPDX-License-Identifier: MIT */
#ifndef BW_ARCH_GFX10_ROW_H
#define BW_ARCH_GFX10_ROW_H

/* A row of gfx10, to look at its waves: where SPI puts workgroups and packets, and all that running
 * and stopping takes, is left out. gfx10.c (RDNA2) and gfx10_1.c (RDNA1) each include this once,
 * after their chips and these definitions:
 *
 *	BW_ARCH_GEN		the prefix of its macros (row.h)
 *	BW_GFX10_ROW		the name of the row, of which BW_GFX10_NAME is the text
 *	BW_GFX10_MINOR		the second number of its GC versions
 *	BW_GFX10_WAVES_PER_SIMD	slots; of GC 10.1 no register says which of them are in use */

#include "arch/row.h"
#include "regs/regs.h"

/* clang-format off */
static const uint8_t main_regs[] = {BW_WREG_MODE, BW_WREG_STATUS, BW_WREG_TRAPSTS, BW_WREG_NONE};
static const uint8_t more_regs[] = {BW_WREG_HW_ID1, BW_WREG_HW_ID2, BW_WREG_GPR_ALLOC,
	BW_WREG_LDS_ALLOC, BW_WREG_IB_STS, BW_WREG_IB_STS2, BW_WREG_NONE};

/* gfx_v10_0_read_wave_data() of Linux 6.12 */
static const uint8_t gprwave[] = {
	BW_WREG_STATUS, BW_WREG_PC_LO, BW_WREG_PC_HI, BW_WREG_EXEC_LO, BW_WREG_EXEC_HI, BW_WREG_HW_ID1,
	BW_WREG_HW_ID2, BW_WREG_INST_DW0, BW_WREG_GPR_ALLOC, BW_WREG_LDS_ALLOC, BW_WREG_TRAPSTS,
	BW_WREG_IB_STS, BW_WREG_IB_STS2, BW_WREG_IB_DBG1, BW_WREG_M0, BW_WREG_MODE,
};

const struct bw_arch BW_GFX10_ROW = {
	.name = BW_GFX10_NAME,
	.first_gc = BW_IP_VERSION(10, BW_GFX10_MINOR, 0),
	.last_gc = BW_IP_VERSION(10, BW_GFX10_MINOR, 255),
	ROW_ARRAYS,
	.reg = {BW_ARCH_REGS},
	.at = {
		BW_ARCH_FIELDS
		/* {TTMP1, TTMP0} = {..., HT[0], trapID[7:0], PC[47:0]}: cwsr_trap_handler_gfx10.asm of Linux 6.12 */
		[BW_WF_TRAP_ID] = {BW_WREG_TTMP1, {16, 8}, {0, 0}},
		[BW_WF_HOST_TRAP_TTMP] = {BW_WREG_TTMP1, {24, 1}, {0, 0}},
	},
	.gprwave_type = 2,

	.waves_per_simd = BW_GFX10_WAVES_PER_SIMD,
	.simds_per_wgp = 4,
	.has_wgps = true,
	.lds_per_wgp_b = 128 * 1024,
	.pc_bits = 48,
	/* cwsr_trap_handler_gfx10.asm, as gfx11 */
	.vgpr_granule = 4,
	.lds_granule_b = 256,
	.n_sgprs = 106,
	ROW_SQ(WORKITEM_ID),
};
/* clang-format on */

#endif
