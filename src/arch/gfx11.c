/* SPDX-License-Identifier: MIT */
/* gfx11 (RDNA3 and RDNA3.5). arch.h says how to read a row. */
#include "arch/gfx11_extra.h"
#define BW_ARCH_GEN GFX11
#include "arch/row.h"
#include "arch/gfx11_flags.h"
#include "regs/regs.h"

/* GC versions: gfx_target_version in amdkfd/kfd_device.c of Linux 6.12. VGPRs: AMDGPU.td of LLVM
 * 19, 1536 where FeatureGFX11FullVGPRs. */
static const struct bw_arch_chip chips[] = {
	{BW_IP_VERSION(11, 0, 0), "gfx1100", 1536}, {BW_IP_VERSION(11, 0, 1), "gfx1103", 1024},
	{BW_IP_VERSION(11, 0, 2), "gfx1102", 1024}, {BW_IP_VERSION(11, 0, 3), "gfx1101", 1536},
	{BW_IP_VERSION(11, 0, 4), "gfx1103", 1024}, {BW_IP_VERSION(11, 5, 0), "gfx1150", 1024},
	{BW_IP_VERSION(11, 5, 1), "gfx1151", 1536}, {BW_IP_VERSION(11, 5, 2), "gfx1152", 1024},
};

/* clang-format off */
/* Names as gdb's users know them, which are not always the database's; EXCP's bits: RDNA3 ISA manual,
 * TRAPSTS. */
static const uint8_t main_regs[] = {BW_WREG_MODE, BW_WREG_STATUS, BW_WREG_TRAPSTS, BW_WREG_NONE};
static const uint8_t more_regs[] = {BW_WREG_HW_ID1, BW_WREG_HW_ID2, BW_WREG_GPR_ALLOC,
	BW_WREG_LDS_ALLOC, BW_WREG_IB_STS, BW_WREG_IB_STS2, BW_WREG_NONE};

/* gfx_v11_0_read_wave_data() of Linux 6.12 */
static const uint8_t gprwave[] = {
	BW_WREG_STATUS, BW_WREG_PC_LO, BW_WREG_PC_HI, BW_WREG_EXEC_LO, BW_WREG_EXEC_HI, BW_WREG_HW_ID1,
	BW_WREG_HW_ID2, BW_WREG_GPR_ALLOC, BW_WREG_LDS_ALLOC, BW_WREG_TRAPSTS, BW_WREG_IB_STS,
	BW_WREG_IB_STS2, BW_WREG_IB_DBG1, BW_WREG_M0, BW_WREG_MODE,
};

const struct bw_arch bw_arch_gfx11 = {
	.name = "gfx11",
	.first_gc = BW_IP_VERSION(11, 0, 0),
	.last_gc = BW_IP_VERSION(11, 5, 255),
	.chips = chips,
	.n_chips = BW_ARRAY_SIZE(chips),
	.reg = {
		[BW_WREG_MODE] = {IND(MODE), "mode",
			MASK(MODE, FP_ROUND) | MASK(MODE, FP_DENORM) | MASK(MODE, DX10_CLAMP) | MASK(MODE, IEEE) |
			MASK(MODE, EXCP_EN) | MASK(MODE, WAVE_END) | MASK(MODE, FP16_OVFL),
			"stepi sets TRAP_AFTER_INST, the rest means nothing"},
		[BW_WREG_STATUS] = {IND(STATUS), "status", MASK(STATUS, SCC) | MASK(STATUS, USER_PRIO),
			"SCC and USER_PRIO can be, the rest is the hardware's"},
		[BW_WREG_TRAPSTS] = {IND(TRAPSTS), "trapsts", MASK(TRAPSTS, EXCP_ALU),
			"the float exceptions so far can be, the rest says why the wave stopped"},
		[BW_WREG_HW_ID1] = {IND(HW_ID1), "hw_id1", 0, "it says where the wave runs"},
		[BW_WREG_HW_ID2] = {IND(HW_ID2), "hw_id2", 0, "it says where the wave runs"},
		[BW_WREG_GPR_ALLOC] = {IND(GPR_ALLOC), "gpr_alloc", 0, "the wave was given this when it was launched"},
		[BW_WREG_LDS_ALLOC] = {IND(LDS_ALLOC), "lds_alloc", 0, "the wave was given this when it was launched"},
		[BW_WREG_IB_STS] = {IND(IB_STS), "ib_sts", 0, "it says what the hardware is doing"},
		[BW_WREG_IB_STS2] = {IND(IB_STS2), "ib_sts2", 0, "it says what the hardware is doing"},
		[BW_WREG_SHADER_CYCLES] = {IND(SHADER_CYCLES), "shader_cycles", 0, "it is a clock"},
		[BW_WREG_IB_DBG1] = {.ind = IND(IB_DBG1)},
		[BW_WREG_SCHED_MODE] = {.ind = IND(SCHED_MODE)},
		[BW_WREG_PC_LO] = {.ind = IND(PC_LO)},
		[BW_WREG_PC_HI] = {.ind = IND(PC_HI)},
		[BW_WREG_FLAT_SCRATCH_LO] = {.ind = IND(FLAT_SCRATCH_LO)},
		[BW_WREG_FLAT_SCRATCH_HI] = {.ind = IND(FLAT_SCRATCH_HI)},
		[BW_WREG_M0] = {.ind = IND(M0)},
		[BW_WREG_EXEC_LO] = {.ind = IND(EXEC_LO)},
		[BW_WREG_EXEC_HI] = {.ind = IND(EXEC_HI)},
		[BW_WREG_ACTIVE] = {.ind = IND(ACTIVE)},
		[BW_WREG_VALID_AND_IDLE] = {.ind = IND(VALID_AND_IDLE)},
		TTMP_ROW(0), TTMP_ROW(1), TTMP_ROW(3), TTMP_ROW(4), TTMP_ROW(5), TTMP_ROW(6), TTMP_ROW(7),
		TTMP_ROW(8), TTMP_ROW(9), TTMP_ROW(10), TTMP_ROW(11), TTMP_ROW(12), TTMP_ROW(13), TTMP_ROW(14),
		TTMP_ROW(15),
		/* gc_11_0_0_offset.h leaves it out; it lies between its neighbours */
		[BW_WREG_TTMP2] = {.ind = IND(TTMP1) + 1},
	},
	.at = {
		[BW_WF_SCC] = AT(STATUS, SCC),
		[BW_WF_IN_HANDLER] = AT(STATUS, PRIV),
		[BW_WF_TRAP_EN] = AT(STATUS, TRAP_EN),
		[BW_WF_IN_BARRIER] = AT(STATUS, IN_BARRIER),
		[BW_WF_HALTED] = AT(STATUS, HALT),
		[BW_WF_FATAL_HALT] = AT(STATUS, FATAL_HALT),
		[BW_WF_VALID] = AT(STATUS, VALID),
		[BW_WF_NO_VGPRS] = AT(STATUS, NO_VGPRS),
		[BW_WF_HAS_SCRATCH] = AT(STATUS, SCRATCH_EN),
		[BW_WF_IS_WAVE64] = AT(IB_STS2, WAVE64),
		[BW_WF_COND_DBG_USER] = AT(STATUS, COND_DBG_USER),
		[BW_WF_COND_DBG_SYS] = AT(STATUS, COND_DBG_SYS),
		[BW_WF_ALU_EXCEPTIONS] = AT(TRAPSTS, EXCP_ALU),
		[BW_WF_WATCH_HITS] = {BW_WREG_TRAPSTS, BITS(TRAPSTS, ADDR_WATCH0), BITS(TRAPSTS, EXCP_HI)},
		[BW_WF_MEMORY_VIOLATION] = AT(TRAPSTS, MEM_VIOL),
		[BW_WF_PAGE_FAULT] = AT(TRAPSTS, UTC_ERROR),
		[BW_WF_ILLEGAL_INST] = AT(TRAPSTS, ILLEGAL_INST),
		[BW_WF_HOST_TRAP] = AT(TRAPSTS, HOST_TRAP),
		[BW_WF_WAVE_START] = AT(TRAPSTS, WAVESTART),
		[BW_WF_WAVE_END] = AT(TRAPSTS, WAVE_END),
		[BW_WF_STEPPED] = AT(TRAPSTS, TRAP_AFTER_INST),
		[BW_WF_TRAP_ID] = AT(TTMP1, TRAP_ID),
		[BW_WF_HOST_TRAP_TTMP] = AT(TTMP1, HOST_TRAP),
		[BW_WF_EXCP_EN] = AT_SPAN(MODE, EXCP_EN_ALU, EXCP_EN_WATCH),
		[BW_WF_STEP_EN] = AT(MODE, TRAP_AFTER_INST_EN),
		[BW_WF_WAVE_ID] = AT(HW_ID1, WAVE_ID),
		[BW_WF_SIMD_ID] = AT(HW_ID1, SIMD_ID),
		[BW_WF_WGP_ID] = AT(HW_ID1, WGP_ID),
		[BW_WF_SA_ID] = AT(HW_ID1, SA_ID),
		[BW_WF_SE_ID] = AT(HW_ID1, SE_ID),
		[BW_WF_VMID] = AT(HW_ID2, VM_ID),
		[BW_WF_VGPR_SIZE] = AT(GPR_ALLOC, VGPR_SIZE),
		[BW_WF_LDS_SIZE] = AT(LDS_ALLOC, LDS_SIZE),
		[BW_WF_PACKET] = AT(TTMP6, PACKET),
		[BW_WF_WORKGROUP_X] = AT(TTMP8, WORKGROUP_X),
		[BW_WF_WORKGROUP_Y] = AT(TTMP9, WORKGROUP_Y),
		[BW_WF_WORKGROUP_Z] = AT(TTMP10, WORKGROUP_Z),
		[BW_WF_WAVE_IN_GROUP] = AT(TTMP11, WAVE_IN_GROUP),
	},
	.flags = flags,
	.n_flags = BW_ARRAY_SIZE(flags),
	.main_regs = main_regs,
	.more_regs = more_regs,
	.gprwave = gprwave,
	.n_gprwave = BW_ARRAY_SIZE(gprwave),
	.gprwave_type = 3,

	.waves_per_simd = 16,
	.simds_per_wgp = 4,
	.has_wgps = true,
	.pc_bits = 48,
	/* cwsr_trap_handler_gfx10.asm: SQ_WAVE_LDS_ALLOC_GRANULARITY 8, and VGPRs four at a time */
	.vgpr_granule = 4,
	.lds_granule_b = 256,
	.ind = {
		.wave = BITS(SQ_IND_INDEX, WAVE_ID), .lane = BITS(SQ_IND_INDEX, WORKITEM_ID),
		.index = BITS(SQ_IND_INDEX, INDEX), .auto_incr = MASK(SQ_IND_INDEX, AUTO_INCR),
		.sgprs = BW_GFX11_IND_SGPRS, .vgprs = BW_GFX11_IND_VGPRS,
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
		.lowest_bit = 7, /* kgd_gfx_v11_set_address_watch() of Linux 6.12 */
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

	.s_trap = BW_GFX11_S_TRAP,
	.trap_id_max = 255,
	.s_trap_reads_exceptions = BW_GFX11_S_TRAP_READS_TRAPSTS,
	.s_code_end = BW_GFX11_S_CODE_END,
	.wait_all = BW_GFX11_S_WAIT_IDLE,
	.msg_rtn_get_doorbell = 0x80,
};
/* clang-format on */
