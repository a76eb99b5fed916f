/* SPDX-License-Identifier: MIT */
#ifndef BW_ARCH_ROW_H
#define BW_ARCH_ROW_H

/* For the rows (gfx9.c to gfx12.c): places by the names of the register database, and the parts
 * that several rows have. Most registers and fields of a row come from data/regs/rows.list
 * (arch/gfxN_places.h); a row writes down where it differs. It defines BW_ARCH_GEN, the prefix of
 * its generation's macros, before it includes this. */

#include "arch/arch.h"
#include "base/util.h"

#define BW_ARCH_PASTE_(gen, name) BW_##gen##_##name
#define BW_ARCH_PASTE(gen, name) BW_ARCH_PASTE_(gen, name)

/* A field of a register, as bits and as a mask. */
#define BITS(reg, field)                                                                           \
	{BW_ARCH_PASTE(BW_ARCH_GEN, reg##__##field##_LO),                                          \
	 BW_ARCH_PASTE(BW_ARCH_GEN, reg##__##field##_WIDTH)}
#define MASK(reg, field) ((uint32_t)BW_ARCH_PASTE(BW_ARCH_GEN, reg##__##field))
/* From a field to another one above it. */
#define SPAN(reg, first, last)                                                                     \
	{BW_ARCH_PASTE(BW_ARCH_GEN, reg##__##first##_LO),                                          \
	 BW_ARCH_PASTE(BW_ARCH_GEN, reg##__##last##_LO) +                                          \
		 BW_ARCH_PASTE(BW_ARCH_GEN, reg##__##last##_WIDTH) -                               \
		 BW_ARCH_PASTE(BW_ARCH_GEN, reg##__##first##_LO)}

/* The same as a bw_arch_place, the register known by the same name in enum bw_wreg. */
#define AT(reg, field) {BW_WREG_##reg, BITS(reg, field), {0, 0}}
#define AT_SPAN(reg, first, last) {BW_WREG_##reg, SPAN(reg, first, last), {0, 0}}

/* The bits of a register that can be written (after BW_ARCH_REGS), and why the others cannot. */
#define WRITABLE(reg_, bits, why)                                                                  \
	.reg[BW_WREG_##reg_].writable = (bits), .reg[BW_WREG_##reg_].why_not = (why)

/* Parts that every row has. */
/* clang-format off */
#define ROW_ARRAYS                                                                                 \
	.chips = chips, .n_chips = BW_ARRAY_SIZE(chips),                                           \
	.flags = flags, .n_flags = BW_ARRAY_SIZE(flags),                                           \
	.main_regs = main_regs, .more_regs = more_regs,                                            \
	.gprwave = gprwave, .n_gprwave = BW_ARRAY_SIZE(gprwave)
/* SGPRs and VGPRs of a wave: SQIND_WAVE_SGPRS_OFFSET and SQIND_WAVE_VGPRS_OFFSET of vega10_enum.h,
 * navi10_enum.h, soc21_enum.h and soc24_enum.h of Linux 6.12 */
#define ROW_SQ(lane_field)                                                                         \
	.ind = {                                                                                   \
		.wave = BITS(SQ_IND_INDEX, WAVE_ID), .lane = BITS(SQ_IND_INDEX, lane_field),       \
		.index = BITS(SQ_IND_INDEX, INDEX), .auto_incr = MASK(SQ_IND_INDEX, AUTO_INCR),    \
		.sgprs = 0x200, .vgprs = 0x400,                                                    \
	},                                                                                         \
	.sq_cmd = {                                                                                \
		.cmd = BITS(SQ_CMD, CMD), .mode = BITS(SQ_CMD, MODE),                              \
		.check_vmid = BITS(SQ_CMD, CHECK_VMID), .data = BITS(SQ_CMD, DATA),                \
		.vmid = BITS(SQ_CMD, VM_ID),                                                       \
	}

/* Parts of the rows whose programs can be debugged. */
#define ROW_READ_ONLY                                                                              \
	WRITABLE(HW_ID1, 0, "it says where the wave runs"),                                        \
	WRITABLE(HW_ID2, 0, "it says where the wave runs"),                                        \
	WRITABLE(GPR_ALLOC, 0, "the wave was given this when it was launched"),                    \
	WRITABLE(LDS_ALLOC, 0, "the wave was given this when it was launched"),                    \
	WRITABLE(IB_STS, 0, "it says what the hardware is doing"),                                 \
	WRITABLE(IB_STS2, 0, "it says what the hardware is doing"),                                \
	WRITABLE(SHADER_CYCLES, 0, "it is a clock")
/* Bit 0 of a watch's MASK: kgd_gfx_v9_4_3_set_address_watch(), kgd_gfx_v11_set_address_watch() and
 * kgd_gfx_v12_set_address_watch() of Linux 6.12. Granules: LLVM 19, AMDGPUUsage, GRANULATED_LDS_SIZE, and scratch WAVESIZE in 64 dwords. */
#define ROW_DEBUGGER                                                                               \
	.gdbg = {                                                                                  \
		.trap_en = BITS(SPI_GDBG_PER_VMID_CNTL, TRAP_EN),                                  \
		.excp_en = BITS(SPI_GDBG_PER_VMID_CNTL, EXCP_EN),                                  \
	},                                                                                         \
	.tba_hi_addr = BITS(SQ_SHADER_TBA_HI, ADDR_HI),                                            \
	.single_memop = BITS(SQ_DEBUG, SINGLE_MEMOP),                                              \
	.watch = {                                                                                 \
		.mask = BITS(TCP_WATCH0_CNTL, MASK), .vmid = BITS(TCP_WATCH0_CNTL, VMID),          \
		.mode = BITS(TCP_WATCH0_CNTL, MODE), .valid = BITS(TCP_WATCH0_CNTL, VALID),        \
		.lowest_bit = 7,                                                                   \
	}
/* What is not in all of them. */
#define ROW_GFX11_DEBUGGER                                                                         \
	.tba_hi_trap_en = BITS(SQ_SHADER_TBA_HI, TRAP_EN),                                         \
	.rsrc.wave32 = BITS(COMPUTE_DISPATCH_INITIATOR, CS_W32_EN)
/* vgprs: in a unit of RSRC1.VGPRS, of wave64; scratch_b: in one of WAVESIZE. */
#define ROW_RSRC(vgprs_, scratch_b)                                                                \
	.rsrc.vgprs = BITS(COMPUTE_PGM_RSRC1, VGPRS),                                              \
	.rsrc.scratch_en = BITS(COMPUTE_PGM_RSRC2, SCRATCH_EN),                                    \
	.rsrc.user_sgprs = BITS(COMPUTE_PGM_RSRC2, USER_SGPR),                                     \
	.rsrc.lds_size = BITS(COMPUTE_PGM_RSRC2, LDS_SIZE),                                        \
	.rsrc.excp_en = BITS(COMPUTE_PGM_RSRC2, EXCP_EN),                                          \
	.rsrc.excp_en_msb = BITS(COMPUTE_PGM_RSRC2, EXCP_EN_MSB),                                  \
	.rsrc.wave_size = BITS(COMPUTE_TMPRING_SIZE, WAVESIZE), .rsrc.lds_granule_b = 512,         \
	.rsrc.vgpr_granule = (vgprs_), .rsrc.wave_size_granule_b = (scratch_b)
/* clang-format on */

#endif
