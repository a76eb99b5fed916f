/* SPDX-License-Identifier: MIT */

/* The trap handler (handler.S) for gfx11 (RDNA3): what differs between generations. */

#define __ASSEMBLER__ 1
#include "trap.h"
#include "arch/gfx11_extra.h" /* where the bits are */

#define HAS_SECOND_LEVEL 1
#define HAS_FILTERS 1
#define HAS_DEALLOC 1 /* waves can give their VGPRs back */
#define VGPR_PAGES_LOG2 BW_TRAP_VGPR_PAGES_LOG2

#define GEN(name) BW_GFX11_##name
#include "arch/fields.h"
#define CODE_END BW_GFX11_S_CODE_END

/* Spelling */
#define S_LOAD_B32 s_load_b32
#define S_LOAD_B64 s_load_b64
#define GLC_SCALAR glc dlc
#define NO_OFFSET null
#define S_AND_NOT1_B32 s_and_not1_b32
#define V_ADD_U32 v_add_nc_u32
#define DS_LOAD_B32 ds_load_b32
#define DS_STORE_B32 ds_store_b32
#define GLOBAL_ATOMIC_ADD_U32 global_atomic_add_u32
#define WAIT_STORES s_waitcnt_vscnt null, 0x0
#define SETREG_GAP

/* Where a wave runs */
#define AT_SE FIELD(HW_ID1, SE_ID)
#define AT_SA FIELD(HW_ID1, SA_ID)
#define AT_WGP FIELD(HW_ID1, WGP_ID)
#define AT_SIMD FIELD(HW_ID1, SIMD_ID)
#define AT_WAVE FIELD(HW_ID1, WAVE_ID)

#define STEP_EN TRAP_AFTER_INST_EN /* of MODE */
/* LLVM has no name for IB_STS2. */
#define IB_STS2_NUMBER (BW_GFX11_IB_STS2 - 0x100)
#define WAVE64 hwreg(IB_STS2_NUMBER, BW_GFX11_IB_STS2__WAVE64_LO, BW_GFX11_IB_STS2__WAVE64_WIDTH)

/* TMA, in 256 bytes. */
.macro get_tma lo, hi
	s_sendmsg_rtn_b64 ttmp[\lo:\hi], sendmsg(MSG_RTN_GET_TMA)
	s_waitcnt lgkmcnt(0)
.endm

/* A VGPR between the lanes of EXEC and memory, a dword for each lane of the wave. */
.macro lanes_store vgpr, base, offset:vararg
	global_store_addtid_b32 \vgpr, \base offset:\offset glc slc dlc
.endm
.macro lanes_load vgpr, base, offset:vararg
	global_load_addtid_b32 \vgpr, \base offset:\offset glc slc dlc
.endm

/* What is stored before all else, and loaded after it: v0. */
.macro save_first_vgprs
	lanes_store v0, ttmp[2:3], 0
.endm
.macro restore_last_vgpr
.endm
/* lanes_store stores one lane's dword at the offset; what others add of v1 is 0 then. */
#define FIRST_LANE_OFFSET v_mov_b32 v1, 0

/* SGPR \number of the wave: 106 and 107 are VCC. \op is of v_writelane or v_readlane. */
.macro sgpr_save number, lane
	.if \number == 106
	v_writelane_b32 v0, vcc_lo, \lane
	.elseif \number == 107
	v_writelane_b32 v0, vcc_hi, \lane
	.else
	v_writelane_b32 v0, s[\number], \lane
	.endif
.endm
.macro sgpr_restore number, lane
	.if \number == 106
	v_readlane_b32 vcc_lo, v0, \lane
	.elseif \number == 107
	v_readlane_b32 vcc_hi, v0, \lane
	.else
	v_readlane_b32 s[\number], v0, \lane
	.endif
.endm

.macro save_other_hwregs
	hwreg_save BW_TRAP_HW_HW_ID1, HW_REG_HW_ID1
	hwreg_save BW_TRAP_HW_HW_ID2, HW_REG_HW_ID2
	hwreg_save BW_TRAP_HW_IB_STS2, IB_STS2_NUMBER
	hwreg_save BW_TRAP_HW_FLAT_SCRATCH_LO, HW_REG_FLAT_SCR_LO
	hwreg_save BW_TRAP_HW_FLAT_SCRATCH_HI, HW_REG_FLAT_SCR_HI
	hwreg_save BW_TRAP_HW_CYCLES, HW_REG_SHADER_CYCLES
.endm
.macro restore_other_hwregs
	v_readlane_b32 ttmp7, v0, BW_TRAP_HW_FLAT_SCRATCH_LO
	s_setreg_b32 hwreg(HW_REG_FLAT_SCR_LO), ttmp7
	v_readlane_b32 ttmp7, v0, BW_TRAP_HW_FLAT_SCRATCH_HI
	s_setreg_b32 hwreg(HW_REG_FLAT_SCR_HI), ttmp7
.endm
.macro get_mode to
	s_getreg_b32 \to, hwreg(HW_REG_MODE)
.endm

/* What was reported must not make the wave enter the handler again. */
.macro clear_causes
	s_setreg_imm32_b32 SPAN(TRAPSTS, EXCP_ALU, MEM_VIOL), 0
	s_setreg_imm32_b32 SPAN(TRAPSTS, ILLEGAL_INST, BUFFER_OOB), 0
	s_setreg_imm32_b32 SPAN(TRAPSTS, HOST_TRAP, TRAP_AFTER_INST), 0
	s_setreg_imm32_b32 FIELD(TRAPSTS, UTC_ERROR), 0
	s_setreg_imm32_b32 FIELD(MODE, TRAP_AFTER_INST_EN), 0
.endm

/* (GPR_ALLOC.VGPR_SIZE + 1) * 4 in both wave sizes, as the kernel's handler counts. */
.macro count_vgprs to
	s_getreg_b32 \to, FIELD(GPR_ALLOC, VGPR_SIZE)
	s_add_u32 \to, \to, 1
	s_lshl_b32 \to, \to, 2
	s_min_u32 \to, \to, 256
.endm

/* The first ttmp7 VGPRs but v0, from ttmp[12:13] on; then at vgpr_\label. */
.macro all_vgprs op, label
	s_getreg_b32 ttmp4, WAVE64
	s_cmp_eq_u32 ttmp4, 0
	s_cbranch_scc0 wave64_\label
	vgpr_all \op, v, 1, 128, vgpr_\label
	s_branch vgpr_\label
wave64_\label:
	vgpr_all \op, v, 1, 256, vgpr_\label
.endm

#include "handler.S"
