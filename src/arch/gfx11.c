/* SPDX-License-Identifier: MIT */
/* gfx11 (RDNA3 and RDNA3.5). arch.h says how to read a row. */
#include "arch/gfx11_extra.h"
#define BW_ARCH_GEN GFX11
#include "arch/row.h"
#include "arch/gfx11_flags.h"
#include "arch/gfx11_places.h"
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
	ROW_ARRAYS,
	.reg = {BW_ARCH_REGS},
	ROW_READ_ONLY,
	WRITABLE(MODE, MASK(MODE, FP_ROUND) | MASK(MODE, FP_DENORM) | MASK(MODE, DX10_CLAMP) | MASK(MODE, IEEE) |
			MASK(MODE, EXCP_EN) | MASK(MODE, WAVE_END) | MASK(MODE, FP16_OVFL),
		"stepi sets TRAP_AFTER_INST, the rest means nothing"),
	WRITABLE(STATUS, MASK(STATUS, SCC) | MASK(STATUS, USER_PRIO), "SCC and USER_PRIO can be, the rest is the hardware's"),
	WRITABLE(TRAPSTS, MASK(TRAPSTS, EXCP_ALU), "the float exceptions so far can be, the rest says why the wave stopped"),
	.at = {
		BW_ARCH_FIELDS
		[BW_WF_TRAP_ID] = AT(TTMP1, TRAP_ID),
		[BW_WF_HOST_TRAP_TTMP] = AT(TTMP1, HOST_TRAP),
		[BW_WF_PACKET] = AT(TTMP6, PACKET),
		[BW_WF_WORKGROUP_X] = AT(TTMP8, WORKGROUP_X),
		[BW_WF_WORKGROUP_Y] = AT(TTMP9, WORKGROUP_Y),
		[BW_WF_WORKGROUP_Z] = AT(TTMP10, WORKGROUP_Z),
		[BW_WF_WAVE_IN_GROUP] = AT(TTMP11, WAVE_IN_GROUP),
	},
	.gprwave_type = 3,

	.waves_per_simd = 16,
	.simds_per_wgp = 4,
	.has_wgps = true,
	.lds_per_wgp_b = 128 * 1024, /* doc/rules.md 326 */
	.pc_bits = 48,
	/* cwsr_trap_handler_gfx10.asm: SQ_WAVE_LDS_ALLOC_GRANULARITY 8, and VGPRs four at a time */
	.vgpr_granule = 4,
	.lds_granule_b = 256,
	.n_sgprs = 106,
	ROW_SQ(WORKITEM_ID),
	ROW_DEBUGGER,
	ROW_GFX11_DEBUGGER,
	ROW_RSRC(4, 256),

	.s_trap = BW_GFX11_S_TRAP,
	.has_filters = true,
	.trap_id_max = 255,
	.s_trap_reads_exceptions = BW_GFX11_S_TRAP_READS_TRAPSTS,
	.s_code_end = BW_GFX11_S_CODE_END,
	.wait_all = BW_GFX11_S_WAIT_IDLE,
	.msg_rtn_get_doorbell = 0x80,
};
/* clang-format on */
