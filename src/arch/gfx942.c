/* SPDX-License-Identifier: MIT */
/* gfx942 (MI300): GC 9.4.3 and 9.4.4. arch.h says how to read a row. It has CUs instead of WGPs,
 * and no register that says which wave slots are in use. */
#include "arch/gfx942_extra.h"
#define BW_ARCH_GEN GFX942
#include "arch/row.h"
#include "arch/gfx942_flags.h"
#include "arch/gfx942_places.h"
#include "arch/gfx9_row.h"
#include "regs/regs.h"

/* GC versions: gfx_target_version in amdkfd/kfd_device.c of Linux 6.12. VGPRs: AMDGPU.td of LLVM
 * 19, 512 of 64 lanes, counted here as runs of 32. */
static const struct bw_arch_chip chips[] = {
	{BW_IP_VERSION(9, 4, 3), "gfx942", 1024},
	{BW_IP_VERSION(9, 4, 4), "gfx942", 1024},
};

/* clang-format off */
const struct bw_arch bw_arch_gfx942 = {
	.name = "gfx942",
	.first_gc = BW_IP_VERSION(9, 4, 3),
	.last_gc = BW_IP_VERSION(9, 4, 4),
	ROW_ARRAYS,
	.reg = {BW_ARCH_REGS},
	WRITABLE(HW_ID, 0, "it says where the wave runs"),
	WRITABLE(GPR_ALLOC, 0, "the wave was given this when it was launched"),
	WRITABLE(LDS_ALLOC, 0, "the wave was given this when it was launched"),
	WRITABLE(IB_STS, 0, "it says what the hardware is doing"),
	WRITABLE(MODE, MASK(MODE, FP_ROUND) | MASK(MODE, FP_DENORM) | MASK(MODE, DX10_CLAMP) | MASK(MODE, IEEE) |
			MASK(MODE, EXCP_EN) | MASK(MODE, FP16_OVFL) | MASK(MODE, GPR_IDX_EN),
		"stepi sets DEBUG_EN, the rest means nothing"),
	WRITABLE(STATUS, MASK(STATUS, SCC) | MASK(STATUS, USER_PRIO), "SCC and USER_PRIO can be, the rest is the hardware's"),
	WRITABLE(TRAPSTS, MASK(TRAPSTS, EXCP_ALU), "the float exceptions so far can be, the rest says why the wave stopped"),
	.at = {
		BW_ARCH_FIELDS
		[BW_WF_STEP_EN] = AT(MODE, DEBUG_EN),
		[BW_WF_WAVE_START] = AT(TRAPSTS, WAVESTART),
		[BW_WF_ACCUM_OFFSET] = AT(GPR_ALLOC, ACCV_OFFSET),
		[BW_WF_TRAP_ID] = AT(TTMP1, TRAP_ID),
		[BW_WF_HOST_TRAP_TTMP] = AT(TTMP1, HOST_TRAP),
		[BW_WF_PACKET] = AT(TTMP6, PACKET),
		[BW_WF_WORKGROUP_X] = AT(TTMP8, WORKGROUP_X),
		[BW_WF_WORKGROUP_Y] = AT(TTMP9, WORKGROUP_Y),
		[BW_WF_WORKGROUP_Z] = AT(TTMP10, WORKGROUP_Z),
		[BW_WF_WAVE_IN_GROUP] = AT(TTMP11, WAVE_IN_GROUP),
	},
	.gprwave_type = 1,

	.waves_per_simd = 8,
	.simds_per_wgp = 4, /* of a CU */
	.lds_per_wgp_b = 64 * 1024,
	.pc_bits = 48,
	/* cwsr_trap_handler_gfx9.asm: VGPRs eight at a time, AccVGPRs from a multiple of four on, LDS in 64 dwords */
	.vgpr_granule = 8,
	.accum_granule = 4,
	.lds_granule_b = 256,
	.n_sgprs = BW_GFX942_FLAT_SCRATCH,
	.flat_scratch_sgpr = BW_GFX942_FLAT_SCRATCH,
	ROW_SQ(THREAD_ID),
	.ind.simd = BITS(SQ_IND_INDEX, SIMD_ID),
	ROW_DEBUGGER,
	ROW_RSRC(8, 1024),

	.s_trap = BW_GFX942_S_TRAP,
	.trap_id_max = 255,
	.s_trap_reads_exceptions = BW_GFX942_S_TRAP_READS_TRAPSTS,
	.s_code_end = BW_GFX942_S_ENDPGM,
	.wait_all = BW_GFX942_S_WAITCNT,
};
/* clang-format on */
