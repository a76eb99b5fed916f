/* SPDX-License-Identifier: MIT */
/* gfx12 (RDNA4), GC 12.0. What gfx11 has in STATUS and TRAPSTS is in STATE_PRIV, EXCP_FLAG_PRIV and
 * EXCP_FLAG_USER here, and what a wave traps for in TRAP_CTRL, no longer in MODE. GC 12.1 differs
 * in the PC's width and more, and is no part of this row. */
#include "arch/gfx12_extra.h"
#define BW_ARCH_GEN GFX12
#include "arch/row.h"
#include "arch/gfx12_flags.h"
#include "arch/gfx12_places.h"
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
	ROW_ARRAYS,
	.reg = {BW_ARCH_REGS},
	ROW_READ_ONLY,
	WRITABLE(MODE, MASK(MODE, FP_ROUND) | MASK(MODE, FP_DENORM) | MASK(MODE, FP16_OVFL) |
			MASK(MODE, SCALAR_PREFETCH_EN) | MASK(MODE, DISABLE_PERF), "the rest means nothing"),
	WRITABLE(STATUS, 0, "it says what the hardware is doing"),
	/* cwsr_trap_handler_gfx12.asm writes bits 15:9 back: BARRIER_COMPLETE may have changed meanwhile */
	WRITABLE(STATE_PRIV, MASK(STATE_PRIV, SCC) | MASK(STATE_PRIV, USER_PRIO),
		"SCC and USER_PRIO can be, the rest is the hardware's"),
	WRITABLE(EXCP_FLAG_PRIV, 0, "it says why the wave stopped"),
	WRITABLE(EXCP_FLAG_USER, BW_EXCP_ALU << BW_GFX12_EXCP_FLAG_USER__ALU_INVALID_LO,
		"the ALU exceptions so far can be, the rest is the hardware's"),
	WRITABLE(TRAP_CTRL, ((BW_EXCP_ALU | BW_EXCP_ADDR_WATCH) << BW_GFX12_TRAP_CTRL__ALU_INVALID_LO) |
			MASK(TRAP_CTRL, WAVE_END), "stepi sets TRAP_AFTER_INST, the rest means nothing"),
	WRITABLE(DVGPR_ALLOC_LO, 0, "the wave has allocated this"),
	WRITABLE(DVGPR_ALLOC_HI, 0, "the wave has allocated this"),
	.reg[BW_WREG_SCHED_MODE].name = "sched_mode",
	WRITABLE(SCHED_MODE, MASK(SCHED_MODE, DEP_MODE), "the rest means nothing"),
	.at = {
		BW_ARCH_FIELDS
		[BW_WF_ALU_EXCEPTIONS] = AT_SPAN(EXCP_FLAG_USER, ALU_INVALID, ALU_INT_DIV0),
		[BW_WF_EXCP_EN] = AT_SPAN(TRAP_CTRL, ALU_INVALID, ADDR_WATCH),
		[BW_WF_TRAP_ID] = AT(TTMP1, TRAP_ID),
		[BW_WF_PACKET] = AT(TTMP8, PACKET),
		[BW_WF_WORKGROUP_X] = AT(TTMP9, WORKGROUP_X),
		[BW_WF_WORKGROUP_Y] = AT(TTMP7, WORKGROUP_Y),
		[BW_WF_WORKGROUP_Z] = AT(TTMP7, WORKGROUP_Z),
		[BW_WF_WAVE_IN_GROUP] = AT(TTMP8, WAVE_IN_GROUP),
	},
	.gprwave_type = 4,

	.waves_per_simd = 16,
	.simds_per_wgp = 4,
	.has_wgps = true,
	.lds_per_wgp_b = 128 * 1024, /* doc/rules.md 326 */
	.pc_bits = 48,
	/* cwsr_trap_handler_gfx12.asm: SQ_WAVE_LDS_ALLOC_GRANULARITY 9, and VGPRs four at a time */
	.vgpr_granule = 4,
	.lds_granule_b = 512,
	.n_sgprs = 106,
	ROW_SQ(WORKITEM_ID),
	ROW_DEBUGGER,
	ROW_GFX11_DEBUGGER,
	ROW_RSRC(4, 256),

	.s_trap = BW_GFX12_S_TRAP,
	.has_filters = true,
	.trap_id_max = 15,
	.s_code_end = BW_GFX12_S_CODE_END,
	.wait_all = BW_GFX12_S_WAIT_IDLE,
	.msg_rtn_get_doorbell = 0x80,
};
/* clang-format on */
