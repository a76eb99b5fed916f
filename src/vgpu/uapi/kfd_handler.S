/* SPDX-License-Identifier: MIT */

/* The first-level trap handler that the virtual GPU's own KFD gives a process that is debugged by KFD's
 * calls, for gfx11: it saves the waves of a queue that is taken off the GPU into the queue's save area,
 * loads them again, and leaves all else to the program's handler, which ROCm's runtime has set.
 *
 * Its place in the VMID: TBA here, TMA at BW_KFD_HANDLER_TMA of the same memory (kfd_debug_hw.c):
 *     0x00  u64 TBA of the second level, 0: none
 *     0x08  u64 its TMA
 *     0x10  u32 1: a debugger is attached, as TTMP11 bit 23 tells the second level
 *
 * A wave in the save area, upwards (what ROCdbgapi reads; facts: cwsr_trap_handler_gfx10.asm of Linux,
 * of which no code is used): its VGPRs; 128 dwords, of which 108 are s0 to s105 and VCC; 32 dwords, in
 * the lanes of v0 below; and the LDS of the group, of its first wave. Shared VGPRs are not used: the
 * device has none.
 *
 * What the second level finds: STATUS in ttmp12, its TMA in ttmp[14:15]; ttmp2 and 3 are free. */

#define __ASSEMBLER__ 1
#include "arch/gfx11_extra.h"
#define GEN(name) BW_GFX11_##name
#include "arch/fields.h"

#define IB_STS2_NUMBER (BW_GFX11_IB_STS2 - 0x100)
#define WAVE64 hwreg(IB_STS2_NUMBER, BW_GFX11_IB_STS2__WAVE64_LO, BW_GFX11_IB_STS2__WAVE64_WIDTH)
#define MSG_SAVE_WAVE 132
#define VA_BITS (48 << 16) /* of s_bfe_i64 */
#define FIRST_WAVE_HI 26   /* bit 58 of the address that a wave is told */
#define FIRST_WAVE_PC_HI 31
#define DEBUGGED_LO 23 /* of TTMP11 */
#define SGPRS_B 512
#define HWREGS_B 128
#define TTMPS_DW 16
/* the dwords of the third part */
#define DW_M0 0
#define DW_PC_LO 1
#define DW_PC_HI 2
#define DW_EXEC_LO 3
#define DW_EXEC_HI 4
#define DW_STATUS 5
#define DW_TRAPSTS 6
#define DW_MODE 8
#define DW_FLAT_LO 9
#define DW_FLAT_HI 10

	.text
	.p2align 8
	s_branch entry
	s_branch restore

entry:
	s_getreg_b32 ttmp12, hwreg(HW_REG_STATUS)
	s_and_b32 ttmp12, ttmp12, ~BW_GFX11_STATUS__SPI_PRIO
	s_getreg_b32 ttmp15, hwreg(HW_REG_TRAPSTS)
	s_and_b32 ttmp2, ttmp12, BW_GFX11_STATUS__HALT
	s_cbranch_scc0 not_halted
	/* The second level has halted it, and is done with it. */
	s_and_b32 ttmp2, ttmp15, BW_GFX11_TRAPSTS__SAVECTX
	s_cbranch_scc1 save
	s_branch leave
not_halted:
	/* What cannot be turned off; what is enabled; a trap; a single step, which a save would lose. */
	s_and_b32 ttmp2, ttmp15, BW_GFX11_TRAPSTS__MEM_VIOL | BW_GFX11_TRAPSTS__ILLEGAL_INST | BW_GFX11_TRAPSTS__HOST_TRAP | BW_GFX11_TRAPSTS__WAVESTART | BW_GFX11_TRAPSTS__WAVE_END | BW_GFX11_TRAPSTS__TRAP_AFTER_INST
	s_cbranch_scc1 second
	s_getreg_b32 ttmp3, hwreg(HW_REG_MODE)
	s_bfe_u32 ttmp2, ttmp3, BFE(MODE, EXCP_EN)
	s_bitcmp1_b32 ttmp2, 7 /* watchpoints 1 to 3 are enabled with 0 */
	s_cselect_b32 ttmp14, BW_GFX11_TRAPSTS__EXCP_HI, 0
	s_or_b32 ttmp2, ttmp2, ttmp14
	s_and_b32 ttmp2, ttmp2, ttmp15
	s_cbranch_scc1 second
	s_and_b32 ttmp2, ttmp1, BW_GFX11_TTMP1__TRAP_ID
	s_cbranch_scc1 second
	s_and_b32 ttmp2, ttmp3, BW_GFX11_MODE__TRAP_AFTER_INST_EN
	s_cbranch_scc1 second
	s_and_b32 ttmp2, ttmp15, BW_GFX11_TRAPSTS__SAVECTX
	s_cbranch_scc1 save

second:
	s_sendmsg_rtn_b64 ttmp[14:15], sendmsg(MSG_RTN_GET_TMA)
	s_waitcnt lgkmcnt(0)
	s_lshl_b64 ttmp[14:15], ttmp[14:15], 8
	s_bfe_i64 ttmp[14:15], ttmp[14:15], VA_BITS
	s_load_b32 ttmp2, ttmp[14:15], 0x10 glc dlc
	s_waitcnt lgkmcnt(0)
	s_and_b32 ttmp11, ttmp11, ~(1 << DEBUGGED_LO)
	s_lshl_b32 ttmp2, ttmp2, DEBUGGED_LO
	s_or_b32 ttmp11, ttmp11, ttmp2
	s_load_b64 ttmp[2:3], ttmp[14:15], 0x0 glc dlc
	s_waitcnt lgkmcnt(0)
	s_load_b64 ttmp[14:15], ttmp[14:15], 0x8 glc dlc
	s_waitcnt lgkmcnt(0)
	s_cmp_eq_u64 ttmp[2:3], 0
	s_cbranch_scc1 no_second
	s_setpc_b64 ttmp[2:3]
no_second:
	/* A trap is skipped; after anything else the wave halts, so that it does not come again. */
	s_and_b32 ttmp2, ttmp1, BW_GFX11_TTMP1__TRAP_ID
	s_cbranch_scc1 skip
	s_or_b32 ttmp12, ttmp12, BW_GFX11_STATUS__HALT
	s_branch leave
skip:
	s_add_u32 ttmp0, ttmp0, 4
	s_addc_u32 ttmp1, ttmp1, 0
leave:
	s_and_b32 ttmp1, ttmp1, BW_GFX11_TTMP1__PC_HI
	s_and_b64 exec, exec, exec
	s_and_b64 vcc, vcc, vcc
	s_setreg_b32 hwreg(HW_REG_STATUS), ttmp12
	s_rfe_b64 ttmp[0:1]

/* The size of a VGPR in \vgpr_b, how many there are in \n. */
.macro vgpr_sizes vgpr_b, n
	s_getreg_b32 \vgpr_b, WAVE64
	s_lshl_b32 \vgpr_b, 128, \vgpr_b
	s_getreg_b32 \n, FIELD(GPR_ALLOC, VGPR_SIZE)
	s_add_u32 \n, \n, 1
	s_lshl_b32 \n, \n, 2
.endm
/* The bytes of LDS, 0 with SCC clear. */
.macro lds_size to
	s_getreg_b32 \to, FIELD(LDS_ALLOC, LDS_SIZE)
	s_lshl_b32 \to, \to, 8
.endm

save:
	s_setreg_imm32_b32 FIELD(TRAPSTS, SAVECTX), 0
	s_and_b32 ttmp2, ttmp12, BW_GFX11_STATUS__NO_VGPRS
	s_cbranch_scc1 ended /* it has nothing more to do */
	s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
	s_waitcnt_vscnt null, 0x0
	s_mov_b64 ttmp[2:3], exec
	s_sendmsg_rtn_b64 ttmp[14:15], sendmsg(MSG_SAVE_WAVE)
	s_waitcnt lgkmcnt(0)
	s_and_b32 ttmp1, ttmp1, BW_GFX11_TTMP1__PC_HI
	s_bfe_u32 exec_lo, ttmp15, (1 << 16) | FIRST_WAVE_HI
	s_lshl_b32 exec_lo, exec_lo, FIRST_WAVE_PC_HI
	s_or_b32 ttmp1, ttmp1, exec_lo
	s_and_b32 ttmp15, ttmp15, 0xffff
	s_mov_b64 exec, -1
	global_store_addtid_b32 v0, ttmp[14:15] glc slc dlc
	v_mov_b32 v0, 0
	v_writelane_b32 v0, m0, DW_M0
	v_writelane_b32 v0, ttmp0, DW_PC_LO
	v_writelane_b32 v0, ttmp2, DW_EXEC_LO
	v_writelane_b32 v0, ttmp3, DW_EXEC_HI
	v_writelane_b32 v0, ttmp12, DW_STATUS
	.irp n, 4, 5, 6, 7, 8, 9, 10, 11, 13
	v_writelane_b32 v0, ttmp\n, TTMPS_DW + \n
	.endr
	s_and_b32 ttmp4, ttmp1, BW_GFX11_TTMP1__PC_HI
	v_writelane_b32 v0, ttmp4, DW_PC_HI
	s_getreg_b32 ttmp4, hwreg(HW_REG_TRAPSTS)
	v_writelane_b32 v0, ttmp4, DW_TRAPSTS
	s_getreg_b32 ttmp4, hwreg(HW_REG_MODE)
	v_writelane_b32 v0, ttmp4, DW_MODE
	s_getreg_b32 ttmp4, hwreg(HW_REG_FLAT_SCR_LO)
	v_writelane_b32 v0, ttmp4, DW_FLAT_LO
	s_getreg_b32 ttmp4, hwreg(HW_REG_FLAT_SCR_HI)
	v_writelane_b32 v0, ttmp4, DW_FLAT_HI
	vgpr_sizes ttmp9, ttmp10
	s_mul_i32 ttmp4, ttmp9, ttmp10
	s_add_u32 ttmp4, ttmp4, ttmp14
	s_addc_u32 ttmp5, ttmp15, 0 /* the SGPRs */
	s_mov_b32 exec_hi, 0
	s_add_u32 ttmp6, ttmp4, SGPRS_B
	s_addc_u32 ttmp7, ttmp5, 0
	global_store_addtid_b32 v0, ttmp[6:7] glc slc dlc

	/* 32 at a time in the lanes of v0. VCC follows s105. */
	s_mov_b32 m0, 0
1:	s_movrels_b32 ttmp8, s0
	s_and_b32 ttmp11, m0, 31
	v_writelane_b32 v0, ttmp8, ttmp11
	s_add_u32 m0, m0, 1
	s_and_b32 ttmp11, m0, 31
	s_cbranch_scc1 2f
	global_store_addtid_b32 v0, ttmp[4:5] glc slc dlc
	s_add_u32 ttmp4, ttmp4, 128
	s_addc_u32 ttmp5, ttmp5, 0
2:	s_cmp_lt_u32 m0, 106
	s_cbranch_scc1 1b
	v_writelane_b32 v0, vcc_lo, 106 % 32
	v_writelane_b32 v0, vcc_hi, 107 % 32
	global_store_addtid_b32 v0, ttmp[4:5] glc slc dlc

	s_mov_b64 exec, -1
	s_mov_b32 m0, 1
3:	s_add_u32 ttmp14, ttmp14, ttmp9
	s_addc_u32 ttmp15, ttmp15, 0
	v_movrels_b32_e32 v0, v0
	global_store_addtid_b32 v0, ttmp[14:15] glc slc dlc
	s_add_u32 m0, m0, 1
	s_cmp_lt_u32 m0, ttmp10
	s_cbranch_scc1 3b

	lds_size ttmp10
	s_cbranch_scc0 saved
	s_barrier
	s_bitcmp1_b32 ttmp1, FIRST_WAVE_PC_HI
	s_cbranch_scc0 saved
	s_add_u32 ttmp6, ttmp6, HWREGS_B
	s_addc_u32 ttmp7, ttmp7, 0
	s_mov_b32 m0, 0
4:	ds_load_addtid_b32 v0
	s_waitcnt lgkmcnt(0)
	global_store_addtid_b32 v0, ttmp[6:7] glc slc dlc
	s_add_u32 ttmp6, ttmp6, ttmp9
	s_addc_u32 ttmp7, ttmp7, 0
	s_add_u32 m0, m0, ttmp9
	s_cmp_lt_u32 m0, ttmp10
	s_cbranch_scc1 4b
saved:
	s_waitcnt_vscnt null, 0x0
ended:
	s_endpgm_saved

restore:
	s_mov_b32 ttmp14, exec_lo
	s_and_b32 ttmp15, exec_hi, 0xffff
	s_bfe_u32 ttmp8, exec_hi, (1 << 16) | FIRST_WAVE_HI
	s_mov_b64 exec, -1
	vgpr_sizes ttmp9, ttmp10
	s_mul_i32 ttmp12, ttmp9, ttmp10
	s_add_u32 ttmp12, ttmp12, ttmp14
	s_addc_u32 ttmp13, ttmp15, 0 /* the SGPRs */

	s_cmp_eq_u32 ttmp8, 0
	s_cbranch_scc1 2f
	lds_size ttmp11
	s_cbranch_scc0 2f
	s_add_u32 ttmp2, ttmp12, SGPRS_B + HWREGS_B
	s_addc_u32 ttmp3, ttmp13, 0
	s_mov_b32 m0, 0
1:	global_load_addtid_b32 v0, ttmp[2:3] glc slc dlc
	s_waitcnt vmcnt(0)
	ds_store_addtid_b32 v0
	s_add_u32 ttmp2, ttmp2, ttmp9
	s_addc_u32 ttmp3, ttmp3, 0
	s_add_u32 m0, m0, ttmp9
	s_cmp_lt_u32 m0, ttmp11
	s_cbranch_scc1 1b
	s_waitcnt lgkmcnt(0)

2:	s_mov_b64 ttmp[2:3], ttmp[14:15]
	s_mov_b32 m0, 1
3:	s_add_u32 ttmp2, ttmp2, ttmp9
	s_addc_u32 ttmp3, ttmp3, 0
	global_load_addtid_b32 v0, ttmp[2:3] glc slc dlc
	s_waitcnt vmcnt(0)
	v_movreld_b32_e32 v0, v0
	s_add_u32 m0, m0, 1
	s_cmp_lt_u32 m0, ttmp10
	s_cbranch_scc1 3b
	global_load_addtid_b32 v0, ttmp[14:15] glc slc dlc
	s_waitcnt vmcnt(0)

	s_mov_b64 ttmp[2:3], ttmp[12:13]
	s_mov_b32 m0, 0
4:	s_load_b32 ttmp4, ttmp[2:3], 0x0 glc dlc
	s_waitcnt lgkmcnt(0)
	s_movreld_b32 s0, ttmp4
	s_add_u32 ttmp2, ttmp2, 4
	s_addc_u32 ttmp3, ttmp3, 0
	s_add_u32 m0, m0, 1
	s_cmp_lt_u32 m0, 106
	s_cbranch_scc1 4b
	s_load_b64 vcc, ttmp[2:3], 0x0 glc dlc
	s_add_u32 ttmp2, ttmp12, SGPRS_B
	s_addc_u32 ttmp3, ttmp13, 0
	s_load_b32 ttmp4, ttmp[2:3], DW_M0 * 4 glc dlc
	s_load_b32 ttmp0, ttmp[2:3], DW_PC_LO * 4 glc dlc
	s_load_b32 ttmp1, ttmp[2:3], DW_PC_HI * 4 glc dlc
	s_load_b32 ttmp14, ttmp[2:3], DW_EXEC_LO * 4 glc dlc
	s_load_b32 ttmp15, ttmp[2:3], DW_EXEC_HI * 4 glc dlc
	s_load_b32 ttmp12, ttmp[2:3], DW_STATUS * 4 glc dlc
	s_load_b32 ttmp5, ttmp[2:3], DW_TRAPSTS * 4 glc dlc
	s_load_b32 ttmp6, ttmp[2:3], DW_MODE * 4 glc dlc
	s_load_b32 ttmp7, ttmp[2:3], DW_FLAT_LO * 4 glc dlc
	s_load_b32 ttmp8, ttmp[2:3], DW_FLAT_HI * 4 glc dlc
	s_waitcnt lgkmcnt(0)
	s_mov_b32 m0, ttmp4
	s_setreg_b32 hwreg(HW_REG_FLAT_SCR_LO), ttmp7
	s_setreg_b32 hwreg(HW_REG_FLAT_SCR_HI), ttmp8
	s_setreg_b32 hwreg(HW_REG_MODE), ttmp6
	/* not SAVECTX and HOST_TRAP, which may be asked for again already */
	s_setreg_b32 SPAN(TRAPSTS, EXCP_ALU, MEM_VIOL), ttmp5
	s_lshr_b32 ttmp4, ttmp5, LO(TRAPSTS, ILLEGAL_INST)
	s_setreg_b32 SPAN(TRAPSTS, ILLEGAL_INST, EXCP_HI), ttmp4
	s_lshr_b32 ttmp4, ttmp5, LO(TRAPSTS, WAVESTART)
	s_setreg_b32 SPAN(TRAPSTS, WAVESTART, TRAP_AFTER_INST), ttmp4
	s_lshr_b32 ttmp4, ttmp5, LO(TRAPSTS, UTC_ERROR)
	s_setreg_b32 FIELD(TRAPSTS, UTC_ERROR), ttmp4
	s_mov_b64 exec, ttmp[14:15]
	.irp n, 4, 5, 6, 7, 8, 9, 10, 11, 13
	s_load_b32 ttmp\n, ttmp[2:3], (TTMPS_DW + \n) * 4 glc dlc
	.endr
	s_waitcnt lgkmcnt(0)
	s_and_b32 ttmp1, ttmp1, BW_GFX11_TTMP1__PC_HI
	s_and_b64 exec, exec, exec
	s_and_b64 vcc, vcc, vcc
	s_icache_inv /* the debugger may have written code */
	s_barrier /* until the first wave has loaded the group's LDS */
	s_setreg_b32 hwreg(HW_REG_STATUS), ttmp12
	s_rfe_b64 ttmp[0:1]
