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
 *	BW_GFX10_PAGE_FAULT	where TRAPSTS has XNACK_ERROR, for which the database has two names
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
	.chips = chips,
	.n_chips = BW_ARRAY_SIZE(chips),
	.reg = {
		[BW_WREG_MODE] = {.ind = IND(MODE), .name = "mode"},
		[BW_WREG_STATUS] = {.ind = IND(STATUS), .name = "status"},
		[BW_WREG_TRAPSTS] = {.ind = IND(TRAPSTS), .name = "trapsts"},
		[BW_WREG_HW_ID1] = {.ind = IND(HW_ID1), .name = "hw_id1"},
		[BW_WREG_HW_ID2] = {.ind = IND(HW_ID2), .name = "hw_id2"},
		[BW_WREG_INST_DW0] = {.ind = IND(INST_DW0), .name = "inst_dw0"},
		[BW_WREG_GPR_ALLOC] = {.ind = IND(GPR_ALLOC), .name = "gpr_alloc"},
		[BW_WREG_LDS_ALLOC] = {.ind = IND(LDS_ALLOC), .name = "lds_alloc"},
		[BW_WREG_IB_STS] = {.ind = IND(IB_STS), .name = "ib_sts"},
		[BW_WREG_IB_STS2] = {.ind = IND(IB_STS2), .name = "ib_sts2"},
#if BW_GFX10_MINOR == 3
		[BW_WREG_SHADER_CYCLES] = {.ind = IND(SHADER_CYCLES), .name = "shader_cycles"},
		[BW_WREG_ACTIVE] = {.ind = IND(ACTIVE)},
		[BW_WREG_VALID_AND_IDLE] = {.ind = IND(VALID_AND_IDLE)},
#endif
		[BW_WREG_IB_DBG1] = {.ind = IND(IB_DBG1)},
		[BW_WREG_SCHED_MODE] = {.ind = IND(SCHED_MODE)},
		[BW_WREG_PC_LO] = {.ind = IND(PC_LO)},
		[BW_WREG_PC_HI] = {.ind = IND(PC_HI)},
		[BW_WREG_FLAT_SCRATCH_LO] = {.ind = IND(FLAT_SCRATCH_LO)},
		[BW_WREG_FLAT_SCRATCH_HI] = {.ind = IND(FLAT_SCRATCH_HI)},
		[BW_WREG_M0] = {.ind = IND(M0)},
		[BW_WREG_EXEC_LO] = {.ind = IND(EXEC_LO)},
		[BW_WREG_EXEC_HI] = {.ind = IND(EXEC_HI)},
		TTMP_ROW(0), TTMP_ROW(1), TTMP_ROW(2), TTMP_ROW(3), TTMP_ROW(4), TTMP_ROW(5), TTMP_ROW(6), TTMP_ROW(7),
		TTMP_ROW(8), TTMP_ROW(9), TTMP_ROW(10), TTMP_ROW(11), TTMP_ROW(12), TTMP_ROW(13), TTMP_ROW(14),
		TTMP_ROW(15),
	},
	.at = {
		[BW_WF_SCC] = AT(STATUS, SCC),
		[BW_WF_IN_HANDLER] = AT(STATUS, PRIV),
		[BW_WF_TRAP_EN] = AT(STATUS, TRAP_EN),
		[BW_WF_IN_BARRIER] = AT(STATUS, IN_BARRIER),
		[BW_WF_HALTED] = AT(STATUS, HALT),
		[BW_WF_FATAL_HALT] = AT(STATUS, FATAL_HALT),
		[BW_WF_VALID] = AT(STATUS, VALID),
		[BW_WF_IS_WAVE64] = AT(IB_STS2, WAVE64),
		[BW_WF_ALU_EXCEPTIONS] = {BW_WREG_TRAPSTS, PART(TRAPSTS, EXCP, 0, 7), {0, 0}},
		[BW_WF_WATCH_HITS] = {BW_WREG_TRAPSTS, PART(TRAPSTS, EXCP, 7, 1), BITS(TRAPSTS, EXCP_HI)},
		[BW_WF_MEMORY_VIOLATION] = {BW_WREG_TRAPSTS, PART(TRAPSTS, EXCP, 8, 1), {0, 0}},
		[BW_WF_PAGE_FAULT] = {BW_WREG_TRAPSTS, BW_GFX10_PAGE_FAULT, {0, 0}},
		[BW_WF_ILLEGAL_INST] = AT(TRAPSTS, ILLEGAL_INST),
		/* {TTMP1, TTMP0} = {..., HT[0], trapID[7:0], PC[47:0]}: cwsr_trap_handler_gfx10.asm of Linux 6.12 */
		[BW_WF_TRAP_ID] = {BW_WREG_TTMP1, {16, 8}, {0, 0}},
		[BW_WF_HOST_TRAP_TTMP] = {BW_WREG_TTMP1, {24, 1}, {0, 0}},
		[BW_WF_EXCP_EN] = {BW_WREG_MODE, PART(MODE, EXCP_EN, 0, 8), {0, 0}},
		[BW_WF_WAVE_ID] = AT(HW_ID1, WAVE_ID),
		[BW_WF_SIMD_ID] = AT(HW_ID1, SIMD_ID),
		[BW_WF_WGP_ID] = AT(HW_ID1, WGP_ID),
		[BW_WF_SA_ID] = AT(HW_ID1, SA_ID),
		[BW_WF_SE_ID] = AT(HW_ID1, SE_ID),
		[BW_WF_VMID] = AT(HW_ID2, VM_ID),
		[BW_WF_VGPR_SIZE] = AT(GPR_ALLOC, VGPR_SIZE),
		[BW_WF_LDS_SIZE] = AT(LDS_ALLOC, LDS_SIZE),
	},
	.flags = flags,
	.n_flags = BW_ARRAY_SIZE(flags),
	.main_regs = main_regs,
	.more_regs = more_regs,
	.gprwave = gprwave,
	.n_gprwave = BW_ARRAY_SIZE(gprwave),
	.gprwave_type = 2,

	.waves_per_simd = BW_GFX10_WAVES_PER_SIMD,
	.simds_per_wgp = 4,
	.has_wgps = true,
	.pc_bits = 48,
	/* cwsr_trap_handler_gfx10.asm, as gfx11 */
	.vgpr_granule = 4,
	.lds_granule_b = 256,
	.ind = {
		.wave = BITS(SQ_IND_INDEX, WAVE_ID), .lane = BITS(SQ_IND_INDEX, WORKITEM_ID),
		.index = BITS(SQ_IND_INDEX, INDEX), .auto_incr = MASK(SQ_IND_INDEX, AUTO_INCR),
		.sgprs = 0x200, .vgprs = 0x400, /* SQIND_WAVE_SGPRS_OFFSET, SQIND_WAVE_VGPRS_OFFSET of navi10_enum.h */
	},
	.sq_cmd = {
		.cmd = BITS(SQ_CMD, CMD), .mode = BITS(SQ_CMD, MODE), .check_vmid = BITS(SQ_CMD, CHECK_VMID),
		.data = BITS(SQ_CMD, DATA), .vmid = BITS(SQ_CMD, VM_ID),
	},
};
/* clang-format on */

#endif
