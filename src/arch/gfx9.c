/* SPDX-License-Identifier: MIT */
/* gfx9.0 to 9.4.0 (Vega10, Raven, Vega12, Renoir, Vega20), to look at its waves, as gfx10.c: it has
 * CUs instead of WGPs, and no register that says which wave slots are in use. GC 9.4.1 and later
 * are not part of this row: from 9.4.2 GPR_ALLOC has other bits (cwsr_trap_handler_gfx9.asm;
 * gfx942.c has 9.4.3), and of 9.4.1 it is not known here what HW_ID says of eight engines. */
#include "arch/gfx9_bits.h"
#define BW_ARCH_GEN GFX9
#include "arch/row.h"
#include "arch/gfx9_flags.h"
#include "arch/gfx9_places.h"
#include "arch/gfx9_row.h"
#include "regs/regs.h"

/* GC versions: gfx_target_version in amdkfd/kfd_device.c of Linux 6.12. VGPRs: AMDGPU.td of LLVM
 * 19, 256 of 64 lanes, counted here as runs of 32. */
static const struct bw_arch_chip chips[] = {
	{BW_IP_VERSION(9, 0, 1), "gfx900", 512}, {BW_IP_VERSION(9, 1, 0), "gfx902", 512},
	{BW_IP_VERSION(9, 2, 1), "gfx904", 512}, {BW_IP_VERSION(9, 2, 2), "gfx902", 512},
	{BW_IP_VERSION(9, 3, 0), "gfx90c", 512}, {BW_IP_VERSION(9, 4, 0), "gfx906", 512},
};

/* clang-format off */
const struct bw_arch bw_arch_gfx9 = {
	.name = "gfx9",
	.first_gc = BW_IP_VERSION(9, 0, 0),
	.last_gc = BW_IP_VERSION(9, 4, 0),
	ROW_ARRAYS,
	.reg = {BW_ARCH_REGS},
	.at = {
		BW_ARCH_FIELDS
		/* {TTMP1, TTMP0} = {..., HT[0], trapID[7:0], PC[47:0]}: cwsr_trap_handler_gfx9.asm of Linux 6.12 */
		[BW_WF_TRAP_ID] = {BW_WREG_TTMP1, {16, 8}, {0, 0}},
		[BW_WF_HOST_TRAP_TTMP] = {BW_WREG_TTMP1, {24, 1}, {0, 0}},
	},
	.gprwave_type = 1,

	.waves_per_simd = 10,
	.simds_per_wgp = 4, /* of a CU */
	.pc_bits = 48,
	/* cwsr_trap_handler_gfx9.asm: VGPRs four at a time, LDS in 64 dwords */
	.vgpr_granule = 4,
	.lds_granule_b = 256,
	.n_sgprs = 102,
	.flat_scratch_sgpr = 102,
	ROW_SQ(THREAD_ID),
};
/* clang-format on */
