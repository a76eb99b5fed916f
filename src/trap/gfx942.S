/* SPDX-License-Identifier: MIT */

/* The trap handler (handler.S) for gfx942 (CDNA3), in the order of gfx11.S. Facts beyond those of handler.S:
 * AMD's ISA manual of CDNA3. */

#define __ASSEMBLER__ 1
#include "trap.h"
#include "arch/gfx942_extra.h" /* where the bits are */

#define HAS_SECOND_LEVEL 0
#define HAS_FILTERS 0
#define HAS_DEALLOC 0
#define VGPR_PAGES_LOG2 BW_TRAP_VGPR_PAGES_LOG2_ACC

#define GEN(name) BW_GFX942_##name
#include "arch/fields.h"
#define CODE_END BW_GFX942_S_ENDPGM

#define S_LOAD_B32 s_load_dword
#define S_LOAD_B64 s_load_dwordx2
#define GLC_SCALAR glc
#define NO_OFFSET 0x0
#define S_AND_NOT1_B32 s_andn2_b32
#define V_ADD_U32 v_add_u32
#define DS_LOAD_B32 ds_read_b32
#define DS_STORE_B32 ds_write_b32
#define GLOBAL_ATOMIC_ADD_U32 global_atomic_add
#define WAIT_STORES s_waitcnt vmcnt(0)
#define SETREG_GAP s_nop 1 /* between two s_setreg of a register */

#define AT_SE FIELD(HW_ID, SE_ID)
#define AT_SA FIELD(HW_ID, SH_ID)
#define AT_WGP FIELD(HW_ID, CU_ID)
#define AT_SIMD FIELD(HW_ID, SIMD_ID)
#define AT_WAVE FIELD(HW_ID, WAVE_ID)

#define STEP_EN DEBUG_EN
#define TMA_LO 18
#define TMA_HI 19

.macro get_tma lo, hi
	s_getreg_b32 ttmp\lo, hwreg(TMA_LO)
	s_getreg_b32 ttmp\hi, hwreg(TMA_HI)
.endm

/* There is no global_store_addtid: v1 has the lane's number * 4 in the handler. */
.macro lanes_store vgpr, base, offset:vararg
	global_store_dword v1, \vgpr, \base offset:\offset sc0 sc1
.endm
.macro lanes_load vgpr, base, offset:vararg
	global_load_dword \vgpr, v1, \base offset:\offset sc0 sc1
.endm

/* v0 and v1, by a descriptor that adds the lane's number; s[0:3] are in the slot meanwhile. Then MODE goes
 * to the slot: while it has GPR_IDX_EN, instructions have other VGPRs than they name. */
#define STRIDE_4 (4 << 16)
#define ADD_TID_ENABLE (1 << 23)
#define ANY_FORMAT 0x7fac /* destinations X, Y, Z, W; NUM_FORMAT float; the stride has no higher bits */
.macro save_first_vgprs
	s_store_dwordx4 s[0:3], ttmp[14:15], BW_TRAP_S_SGPR glc
	s_getreg_b32 ttmp13, hwreg(HW_REG_MODE)
	s_store_dword ttmp13, ttmp[14:15], BW_TRAP_S_HW + 4 * BW_TRAP_HW_MODE glc
	s_waitcnt lgkmcnt(0)
	s_dcache_wb
	s_waitcnt lgkmcnt(0)
	s_setreg_imm32_b32 FIELD(MODE, GPR_IDX_EN), 0
	s_mov_b32 s0, ttmp2
	s_and_b32 s1, ttmp3, 0xffff
	s_or_b32 s1, s1, STRIDE_4
	s_mov_b32 s2, -1
	s_mov_b32 s3, ADD_TID_ENABLE | ANY_FORMAT
	buffer_store_dword v0, off, s[0:3], 0 sc0 sc1
	buffer_store_dword v1, off, s[0:3], 0 offset:256 sc0 sc1
	s_load_dwordx4 s[0:3], ttmp[14:15], BW_TRAP_S_SGPR glc
	v_mbcnt_lo_u32_b32 v1, -1, 0
	v_mbcnt_hi_u32_b32 v1, -1, v1
	v_lshlrev_b32 v1, 2, v1
	s_waitcnt lgkmcnt(0)
.endm
.macro restore_last_vgpr
	lanes_load v1, ttmp[2:3], 256
.endm
#define FIRST_LANE_OFFSET

/* 102 and 103 are FLAT_SCRATCH, 104 and 105 XNACK_MASK, 106 and 107 VCC. */
.macro sgpr_name number, call:vararg
	.if \number == 102
	\call flat_scratch_lo
	.elseif \number == 103
	\call flat_scratch_hi
	.elseif \number == 104
	\call xnack_mask_lo
	.elseif \number == 105
	\call xnack_mask_hi
	.elseif \number == 106
	\call vcc_lo
	.elseif \number == 107
	\call vcc_hi
	.else
	\call s[\number]
	.endif
.endm
.macro sgpr_save number, lane
	sgpr_name \number, sgpr_save_named \lane,
.endm
.macro sgpr_save_named lane, name
	v_writelane_b32 v0, \name, \lane
.endm
.macro sgpr_restore number, lane
	sgpr_name \number, sgpr_restore_named \lane,
.endm
.macro sgpr_restore_named lane, name
	v_readlane_b32 \name, v0, \lane
.endm

.macro save_other_hwregs
	hwreg_save BW_TRAP_HW_HW_ID1, HW_REG_HW_ID
	v_writelane_b32 v0, 0, BW_TRAP_HW_HW_ID2
	v_writelane_b32 v0, 0, BW_TRAP_HW_IB_STS2
	v_writelane_b32 v0, flat_scratch_lo, BW_TRAP_HW_FLAT_SCRATCH_LO
	v_writelane_b32 v0, flat_scratch_hi, BW_TRAP_HW_FLAT_SCRATCH_HI
	v_writelane_b32 v0, 0, BW_TRAP_HW_CYCLES
.endm
.macro restore_other_hwregs
.endm
.macro get_mode to
	s_load_dword \to, ttmp[14:15], BW_TRAP_S_HW + 4 * BW_TRAP_HW_MODE glc
	s_waitcnt lgkmcnt(0)
.endm

.macro clear_causes
	s_setreg_imm32_b32 SPAN(TRAPSTS, EXCP_ALU, MEM_VIOL), 0
	SETREG_GAP
	s_setreg_imm32_b32 SPAN(TRAPSTS, ILLEGAL_INST, EXCP_HI), 0
	SETREG_GAP
	s_setreg_imm32_b32 SPAN(TRAPSTS, HOST_TRAP, TRAP_AFTER_INST), 0
	SETREG_GAP
	s_setreg_imm32_b32 FIELD(TRAPSTS, XNACK_ERROR), 0
	s_setreg_imm32_b32 FIELD(MODE, DEBUG_EN), 0
.endm

/* In eights, AccVGPRs among them. */
.macro count_vgprs to
	s_getreg_b32 \to, FIELD(GPR_ALLOC, VGPR_SIZE)
	s_add_u32 \to, \to, 1
	s_lshl_b32 \to, \to, 3
.endm

/* AccVGPRs begin at a number in fours, in memory as in the register file. v0 and v1 are left out. */
.macro all_vgprs op, label
	s_getreg_b32 ttmp4, FIELD(GPR_ALLOC, ACCV_OFFSET)
	s_add_u32 ttmp4, ttmp4, 1
	s_lshl_b32 ttmp4, ttmp4, 2
	s_mov_b32 ttmp5, ttmp7
	s_min_u32 ttmp7, ttmp7, ttmp4
	vgpr_all \op, v, 2, 256, plain_\label
plain_\label:
	s_sub_u32 ttmp7, ttmp5, ttmp7
	s_cmp_eq_u32 ttmp7, 0
	s_cbranch_scc1 vgpr_\label
	s_lshl_b32 ttmp4, ttmp4, 8
	s_add_u32 ttmp12, ttmp2, ttmp4
	s_addc_u32 ttmp13, ttmp3, 0
	vgpr_all \op, a, 0, 256, vgpr_\label
.endm

#include "handler.S"
