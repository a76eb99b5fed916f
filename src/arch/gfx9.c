/* SPDX-License-Identifier: MIT */
/* gfx9.0 to 9.4.0 (Vega10, Raven, Vega12, Renoir, Vega20), to look at its waves, as gfx10.c: it has
 * CUs instead of WGPs, and no register that says which wave slots are in use. GC 9.4.1 and later
 * are no part of this row: from 9.4.2 GPR_ALLOC has other bits (cwsr_trap_handler_gfx9.asm), from
 * 9.4.3 a GPU has several graphics units, and of 9.4.1 it is not known here what HW_ID says of
 * eight engines. */
#include "arch/gfx9_bits.h"
#define BW_ARCH_GEN GFX9
#include "arch/row.h"
#include "arch/gfx9_flags.h"
#include "regs/regs.h"

/* GC versions: gfx_target_version in amdkfd/kfd_device.c of Linux 6.12. VGPRs: AMDGPU.td of LLVM
 * 19, 256 of 64 lanes, counted here as runs of 32. */
static const struct bw_arch_chip chips[] = {
	{BW_IP_VERSION(9, 0, 1), "gfx900", 512}, {BW_IP_VERSION(9, 1, 0), "gfx902", 512},
	{BW_IP_VERSION(9, 2, 1), "gfx904", 512}, {BW_IP_VERSION(9, 2, 2), "gfx902", 512},
	{BW_IP_VERSION(9, 3, 0), "gfx90c", 512}, {BW_IP_VERSION(9, 4, 0), "gfx906", 512},
};

/* clang-format off */
static const uint8_t main_regs[] = {BW_WREG_MODE, BW_WREG_STATUS, BW_WREG_TRAPSTS, BW_WREG_NONE};
static const uint8_t more_regs[] = {BW_WREG_HW_ID, BW_WREG_GPR_ALLOC, BW_WREG_LDS_ALLOC, BW_WREG_IB_STS,
	BW_WREG_NONE};

/* gfx_v9_0_read_wave_data() of Linux 6.12 */
static const uint8_t gprwave[] = {
	BW_WREG_STATUS, BW_WREG_PC_LO, BW_WREG_PC_HI, BW_WREG_EXEC_LO, BW_WREG_EXEC_HI, BW_WREG_HW_ID,
	BW_WREG_INST_DW0, BW_WREG_INST_DW1, BW_WREG_GPR_ALLOC, BW_WREG_LDS_ALLOC, BW_WREG_TRAPSTS,
	BW_WREG_IB_STS, BW_WREG_IB_DBG0, BW_WREG_M0, BW_WREG_MODE,
};

const struct bw_arch bw_arch_gfx9 = {
	.name = "gfx9",
	.first_gc = BW_IP_VERSION(9, 0, 0),
	.last_gc = BW_IP_VERSION(9, 4, 0),
	.chips = chips,
	.n_chips = BW_ARRAY_SIZE(chips),
	.reg = {
		[BW_WREG_MODE] = {.ind = IND(MODE), .name = "mode"},
		[BW_WREG_STATUS] = {.ind = IND(STATUS), .name = "status"},
		[BW_WREG_TRAPSTS] = {.ind = IND(TRAPSTS), .name = "trapsts"},
		[BW_WREG_HW_ID] = {.ind = IND(HW_ID), .name = "hw_id"},
		[BW_WREG_INST_DW0] = {.ind = IND(INST_DW0), .name = "inst_dw0"},
		[BW_WREG_INST_DW1] = {.ind = IND(INST_DW1), .name = "inst_dw1"},
		[BW_WREG_GPR_ALLOC] = {.ind = IND(GPR_ALLOC), .name = "gpr_alloc"},
		[BW_WREG_LDS_ALLOC] = {.ind = IND(LDS_ALLOC), .name = "lds_alloc"},
		[BW_WREG_IB_STS] = {.ind = IND(IB_STS), .name = "ib_sts"},
		[BW_WREG_IB_DBG0] = {.ind = IND(IB_DBG0)},
		[BW_WREG_IB_DBG1] = {.ind = IND(IB_DBG1)},
		[BW_WREG_PC_LO] = {.ind = IND(PC_LO)},
		[BW_WREG_PC_HI] = {.ind = IND(PC_HI)},
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
		[BW_WF_ALU_EXCEPTIONS] = {BW_WREG_TRAPSTS, PART(TRAPSTS, EXCP, 0, 7), {0, 0}},
		[BW_WF_WATCH_HITS] = {BW_WREG_TRAPSTS, PART(TRAPSTS, EXCP, 7, 1), BITS(TRAPSTS, EXCP_HI)},
		[BW_WF_MEMORY_VIOLATION] = {BW_WREG_TRAPSTS, PART(TRAPSTS, EXCP, 8, 1), {0, 0}},
		[BW_WF_PAGE_FAULT] = AT(TRAPSTS, XNACK_ERROR),
		[BW_WF_ILLEGAL_INST] = AT(TRAPSTS, ILLEGAL_INST),
		/* {TTMP1, TTMP0} = {..., HT[0], trapID[7:0], PC[47:0]}: cwsr_trap_handler_gfx9.asm of Linux 6.12 */
		[BW_WF_TRAP_ID] = {BW_WREG_TTMP1, {16, 8}, {0, 0}},
		[BW_WF_HOST_TRAP_TTMP] = {BW_WREG_TTMP1, {24, 1}, {0, 0}},
		[BW_WF_EXCP_EN] = {BW_WREG_MODE, PART(MODE, EXCP_EN, 0, 8), {0, 0}},
		[BW_WF_WAVE_ID] = AT(HW_ID, WAVE_ID),
		[BW_WF_SIMD_ID] = AT(HW_ID, SIMD_ID),
		[BW_WF_WGP_ID] = AT(HW_ID, CU_ID),
		[BW_WF_SA_ID] = AT(HW_ID, SH_ID),
		[BW_WF_SE_ID] = AT(HW_ID, SE_ID),
		[BW_WF_VMID] = AT(HW_ID, VM_ID),
		[BW_WF_VGPR_SIZE] = AT(GPR_ALLOC, VGPR_SIZE),
		[BW_WF_LDS_SIZE] = AT(LDS_ALLOC, LDS_SIZE),
	},
	.flags = flags,
	.n_flags = BW_ARRAY_SIZE(flags),
	.main_regs = main_regs,
	.more_regs = more_regs,
	.gprwave = gprwave,
	.n_gprwave = BW_ARRAY_SIZE(gprwave),
	.gprwave_type = 1,

	.waves_per_simd = 10,
	.simds_per_wgp = 4, /* of a CU */
	.pc_bits = 48,
	/* cwsr_trap_handler_gfx9.asm: VGPRs four at a time, LDS in 64 dwords */
	.vgpr_granule = 4,
	.lds_granule_b = 256,
	.ind = {
		.wave = BITS(SQ_IND_INDEX, WAVE_ID), .lane = BITS(SQ_IND_INDEX, THREAD_ID),
		.index = BITS(SQ_IND_INDEX, INDEX), .auto_incr = MASK(SQ_IND_INDEX, AUTO_INCR),
		.sgprs = 0x200, .vgprs = 0x400, /* SQIND_WAVE_SGPRS_OFFSET, SQIND_WAVE_VGPRS_OFFSET of vega10_enum.h */
	},
	.sq_cmd = {
		.cmd = BITS(SQ_CMD, CMD), .mode = BITS(SQ_CMD, MODE), .check_vmid = BITS(SQ_CMD, CHECK_VMID),
		.data = BITS(SQ_CMD, DATA), .vmid = BITS(SQ_CMD, VM_ID),
	},
};
/* clang-format on */
