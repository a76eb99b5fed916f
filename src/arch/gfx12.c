/* SPDX-License-Identifier: MIT */
/* gfx12 (RDNA4), GC 12.0. What gfx11 has in STATUS and TRAPSTS is in STATE_PRIV, EXCP_FLAG_PRIV and
 * EXCP_FLAG_USER here, and what a wave traps for in TRAP_CTRL, no longer in MODE. GC 12.1 differs
 * in the PC's width and more, and is no part of this row. */
#include "arch/gfx12_extra.h"
#define BW_ARCH_GEN GFX12
#include "arch/row.h"
#include "arch/gfx12_flags.h"
#include "regs/regs.h"

/* As for gfx11; all of them have FeatureGFX11FullVGPRs' number of VGPRs. */
static const struct bw_arch_chip chips[] = {
	{BW_IP_VERSION(12, 0, 0), "gfx1200", 1536},
	{BW_IP_VERSION(12, 0, 1), "gfx1201", 1536},
};

/* clang-format off */
static const uint8_t main_regs[] = {BW_WREG_MODE, BW_WREG_STATUS, BW_WREG_STATE_PRIV,
	BW_WREG_EXCP_FLAG_PRIV, BW_WREG_EXCP_FLAG_USER, BW_WREG_TRAP_CTRL, BW_WREG_NONE};
static const uint8_t more_regs[] = {BW_WREG_HW_ID1, BW_WREG_HW_ID2, BW_WREG_GPR_ALLOC,
	BW_WREG_LDS_ALLOC, BW_WREG_IB_STS, BW_WREG_IB_STS2, BW_WREG_SCHED_MODE, BW_WREG_NONE};

/* gfx_v12_0_read_wave_data() of Linux 6.12 */
static const uint8_t gprwave[] = {
	BW_WREG_STATUS, BW_WREG_PC_LO, BW_WREG_PC_HI, BW_WREG_EXEC_LO, BW_WREG_EXEC_HI, BW_WREG_HW_ID1,
	BW_WREG_HW_ID2, BW_WREG_GPR_ALLOC, BW_WREG_LDS_ALLOC, BW_WREG_IB_STS, BW_WREG_IB_STS2,
	BW_WREG_IB_DBG1, BW_WREG_M0, BW_WREG_MODE, BW_WREG_STATE_PRIV, BW_WREG_EXCP_FLAG_PRIV,
	BW_WREG_EXCP_FLAG_USER, BW_WREG_TRAP_CTRL, BW_WREG_ACTIVE, BW_WREG_VALID_AND_IDLE,
	BW_WREG_DVGPR_ALLOC_LO, BW_WREG_DVGPR_ALLOC_HI, BW_WREG_SCHED_MODE,
};

const struct bw_arch bw_arch_gfx12 = {
	.name = "gfx12",
	.first_gc = BW_IP_VERSION(12, 0, 0),
	.last_gc = BW_IP_VERSION(12, 0, 255),
	.chips = chips,
	.n_chips = BW_ARRAY_SIZE(chips),
	.reg = {
		[BW_WREG_MODE] = {IND(MODE), "mode",
			MASK(MODE, FP_ROUND) | MASK(MODE, FP_DENORM) | MASK(MODE, FP16_OVFL) |
			MASK(MODE, SCALAR_PREFETCH_EN) | MASK(MODE, DISABLE_PERF), "the rest means nothing"},
		[BW_WREG_STATUS] = {IND(STATUS), "status", 0, "it says what the hardware is doing"},
		/* cwsr_trap_handler_gfx12.asm writes bits 15:9 back: BARRIER_COMPLETE may have changed meanwhile */
		[BW_WREG_STATE_PRIV] = {IND(STATE_PRIV), "state_priv", MASK(STATE_PRIV, SCC) | MASK(STATE_PRIV, USER_PRIO),
			"SCC and USER_PRIO can be, the rest is the hardware's"},
		[BW_WREG_EXCP_FLAG_PRIV] = {IND(EXCP_FLAG_PRIV), "excp_flag_priv", 0, "it says why the wave stopped"},
		[BW_WREG_EXCP_FLAG_USER] = {IND(EXCP_FLAG_USER), "excp_flag_user",
			BW_EXCP_ALU << BW_GFX12_EXCP_FLAG_USER__ALU_INVALID_LO,
			"the ALU exceptions so far can be, the rest is the hardware's"},
		[BW_WREG_TRAP_CTRL] = {IND(TRAP_CTRL), "trap_ctrl",
			((BW_EXCP_ALU | BW_EXCP_ADDR_WATCH) << BW_GFX12_TRAP_CTRL__ALU_INVALID_LO) |
			MASK(TRAP_CTRL, WAVE_END), "stepi sets TRAP_AFTER_INST, the rest means nothing"},
		[BW_WREG_HW_ID1] = {IND(HW_ID1), "hw_id1", 0, "it says where the wave runs"},
		[BW_WREG_HW_ID2] = {IND(HW_ID2), "hw_id2", 0, "it says where the wave runs"},
		[BW_WREG_GPR_ALLOC] = {IND(GPR_ALLOC), "gpr_alloc", 0, "the wave was given this when it was launched"},
		[BW_WREG_LDS_ALLOC] = {IND(LDS_ALLOC), "lds_alloc", 0, "the wave was given this when it was launched"},
		[BW_WREG_DVGPR_ALLOC_LO] = {IND(DVGPR_ALLOC_LO), "dvgpr_alloc_lo", 0, "the wave has allocated this"},
		[BW_WREG_DVGPR_ALLOC_HI] = {IND(DVGPR_ALLOC_HI), "dvgpr_alloc_hi", 0, "the wave has allocated this"},
		[BW_WREG_IB_STS] = {IND(IB_STS), "ib_sts", 0, "it says what the hardware is doing"},
		[BW_WREG_IB_STS2] = {IND(IB_STS2), "ib_sts2", 0, "it says what the hardware is doing"},
		[BW_WREG_SCHED_MODE] = {IND(SCHED_MODE), "sched_mode", MASK(SCHED_MODE, DEP_MODE), "the rest means nothing"},
		[BW_WREG_SHADER_CYCLES] = {IND(SQ_SHADER_CYCLES_LO), "shader_cycles", 0, "it is a clock"},
		[BW_WREG_IB_DBG1] = {.ind = IND(IB_DBG1)},
		[BW_WREG_PC_LO] = {.ind = IND(PC_LO)},
		[BW_WREG_PC_HI] = {.ind = IND(PC_HI)},
		[BW_WREG_FLAT_SCRATCH_LO] = {.ind = IND(SCRATCH_BASE_LO)},
		[BW_WREG_FLAT_SCRATCH_HI] = {.ind = IND(SCRATCH_BASE_HI)},
		[BW_WREG_M0] = {.ind = IND(M0)},
		[BW_WREG_EXEC_LO] = {.ind = IND(EXEC_LO)},
		[BW_WREG_EXEC_HI] = {.ind = IND(EXEC_HI)},
		[BW_WREG_ACTIVE] = {.ind = IND(ACTIVE)},
		[BW_WREG_VALID_AND_IDLE] = {.ind = IND(VALID_AND_IDLE)},
		TTMP_ROW(0), TTMP_ROW(1), TTMP_ROW(2), TTMP_ROW(3), TTMP_ROW(4), TTMP_ROW(5), TTMP_ROW(6), TTMP_ROW(7),
		TTMP_ROW(8), TTMP_ROW(9), TTMP_ROW(10), TTMP_ROW(11), TTMP_ROW(12), TTMP_ROW(13), TTMP_ROW(14),
		TTMP_ROW(15),
	},
	.at = {
		[BW_WF_SCC] = AT(STATE_PRIV, SCC),
		[BW_WF_IN_HANDLER] = AT(STATUS, PRIV),
		[BW_WF_TRAP_EN] = AT(STATUS, TRAP_EN),
		[BW_WF_HALTED] = AT(STATE_PRIV, HALT),
		[BW_WF_FATAL_HALT] = AT(STATUS, FATAL_HALT),
		[BW_WF_VALID] = AT(STATUS, VALID),
		[BW_WF_NO_VGPRS] = AT(STATUS, NO_VGPRS),
		[BW_WF_HAS_SCRATCH] = AT(STATE_PRIV, SCRATCH_EN),
		[BW_WF_IS_WAVE64] = AT(STATUS, WAVE64),
		[BW_WF_COND_DBG_USER] = AT(STATE_PRIV, COND_DBG_USER),
		[BW_WF_COND_DBG_SYS] = AT(STATE_PRIV, COND_DBG_SYS),
		[BW_WF_ALU_EXCEPTIONS] = AT_SPAN(EXCP_FLAG_USER, ALU_INVALID, ALU_INT_DIV0),
		[BW_WF_WATCH_HITS] = AT(EXCP_FLAG_PRIV, ADDR_WATCH),
		[BW_WF_MEMORY_VIOLATION] = AT(EXCP_FLAG_PRIV, MEMVIOL),
		[BW_WF_PAGE_FAULT] = AT(EXCP_FLAG_PRIV, XNACK_ERROR),
		[BW_WF_ILLEGAL_INST] = AT(EXCP_FLAG_PRIV, ILLEGAL_INST),
		[BW_WF_HOST_TRAP] = AT(EXCP_FLAG_PRIV, HOST_TRAP),
		[BW_WF_WAVE_START] = AT(EXCP_FLAG_PRIV, WAVE_START),
		[BW_WF_WAVE_END] = AT(EXCP_FLAG_PRIV, WAVE_END),
		[BW_WF_STEPPED] = AT(EXCP_FLAG_PRIV, TRAP_AFTER_INST),
		[BW_WF_TRAP_ID] = AT(TTMP1, TRAP_ID),
		[BW_WF_EXCP_EN] = AT_SPAN(TRAP_CTRL, ALU_INVALID, ADDR_WATCH),
		[BW_WF_STEP_EN] = AT(TRAP_CTRL, TRAP_AFTER_INST),
		[BW_WF_WAVE_ID] = AT(HW_ID1, WAVE_ID),
		[BW_WF_SIMD_ID] = AT(HW_ID1, SIMD_ID),
		[BW_WF_WGP_ID] = AT(HW_ID1, WGP_ID),
		[BW_WF_SA_ID] = AT(HW_ID1, SA_ID),
		[BW_WF_SE_ID] = AT(HW_ID1, SE_ID),
		[BW_WF_VMID] = AT(HW_ID2, VM_ID),
		[BW_WF_VGPR_SIZE] = AT(GPR_ALLOC, VGPR_SIZE),
		[BW_WF_LDS_SIZE] = AT(LDS_ALLOC, LDS_SIZE),
		[BW_WF_PACKET] = AT(TTMP8, PACKET),
		[BW_WF_WORKGROUP_X] = AT(TTMP9, WORKGROUP_X),
		[BW_WF_WORKGROUP_Y] = AT(TTMP7, WORKGROUP_Y),
		[BW_WF_WORKGROUP_Z] = AT(TTMP7, WORKGROUP_Z),
		[BW_WF_WAVE_IN_GROUP] = AT(TTMP8, WAVE_IN_GROUP),
	},
	.flags = flags,
	.n_flags = BW_ARRAY_SIZE(flags),
	.main_regs = main_regs,
	.more_regs = more_regs,
	.gprwave = gprwave,
	.n_gprwave = BW_ARRAY_SIZE(gprwave),
	.gprwave_type = 4,

	.waves_per_simd = 16,
	.simds_per_wgp = 4,
	.has_wgps = true,
	.pc_bits = 48,
	/* cwsr_trap_handler_gfx12.asm: SQ_WAVE_LDS_ALLOC_GRANULARITY 9, and VGPRs four at a time */
	.vgpr_granule = 4,
	.lds_granule_b = 512,
	.ind = {
		.wave = BITS(SQ_IND_INDEX, WAVE_ID), .lane = BITS(SQ_IND_INDEX, WORKITEM_ID),
		.index = BITS(SQ_IND_INDEX, INDEX), .auto_incr = MASK(SQ_IND_INDEX, AUTO_INCR),
		.sgprs = 0x200, .vgprs = 0x400, /* SQIND_WAVE_SGPRS_OFFSET, SQIND_WAVE_VGPRS_OFFSET of soc24_enum.h */
	},
	.sq_cmd = {
		.cmd = BITS(SQ_CMD, CMD), .mode = BITS(SQ_CMD, MODE), .check_vmid = BITS(SQ_CMD, CHECK_VMID),
		.data = BITS(SQ_CMD, DATA), .vmid = BITS(SQ_CMD, VM_ID),
	},
	.gdbg = {
		.trap_en = BITS(SPI_GDBG_PER_VMID_CNTL, TRAP_EN), .excp_en = BITS(SPI_GDBG_PER_VMID_CNTL, EXCP_EN),
	},
	.tba_hi_addr = BITS(SQ_SHADER_TBA_HI, ADDR_HI),
	.tba_hi_trap_en = BITS(SQ_SHADER_TBA_HI, TRAP_EN),
	.single_memop = BITS(SQ_DEBUG, SINGLE_MEMOP),
	.watch = {
		.mask = BITS(TCP_WATCH0_CNTL, MASK), .vmid = BITS(TCP_WATCH0_CNTL, VMID),
		.mode = BITS(TCP_WATCH0_CNTL, MODE), .valid = BITS(TCP_WATCH0_CNTL, VALID),
		.lowest_bit = 7, /* kgd_gfx_v12_set_address_watch() of Linux 6.12 */
	},
	.rsrc = {
		.vgprs = BITS(COMPUTE_PGM_RSRC1, VGPRS),
		.scratch_en = BITS(COMPUTE_PGM_RSRC2, SCRATCH_EN), .user_sgprs = BITS(COMPUTE_PGM_RSRC2, USER_SGPR),
		.lds_size = BITS(COMPUTE_PGM_RSRC2, LDS_SIZE), .excp_en = BITS(COMPUTE_PGM_RSRC2, EXCP_EN),
		.excp_en_msb = BITS(COMPUTE_PGM_RSRC2, EXCP_EN_MSB),
		.wave_size = BITS(COMPUTE_TMPRING_SIZE, WAVESIZE),
		/* LLVM 19, AMDGPUUsage: GRANULATED_LDS_SIZE, scratch WAVESIZE in 64 dwords */
		.lds_granule_b = 512, .wave_size_granule_b = 256,
		.wave32 = BITS(COMPUTE_DISPATCH_INITIATOR, CS_W32_EN),
	},

	.s_trap = BW_GFX12_S_TRAP,
	.trap_id_max = 15,
	.s_code_end = BW_GFX12_S_CODE_END,
	.wait_all = BW_GFX12_S_WAIT_IDLE,
	.msg_rtn_get_doorbell = 0x80,
};
/* clang-format on */
