; A trap handler that saves and restores the context of its wave: one entry for traps, the next instruction for waves that
; come back. In the block of a wave: its VGPRs, 128 dwords of which 106 are SGPRs and the others VCC, M0 and what else
; the wave had, 128 bytes that are not used, and the LDS of the group.
	.amdgcn_target "amdgcn-amd-amdhsa--gfx1100"
	.text
	.p2align 8
	s_branch entry
	s_branch restore

entry:
	s_getreg_b32 ttmp12, hwreg(HW_REG_STATUS)
	s_getreg_b32 ttmp13, hwreg(HW_REG_TRAPSTS, 10, 1)	; SAVECTX
	s_lshr_b32 ttmp2, ttmp1, 16				; what has come: a trap's number
	s_and_b32 ttmp2, ttmp2, 0xff
	s_cbranch_scc1 trap
	s_cmp_lg_u32 ttmp13, 0
	s_cbranch_scc1 save
	s_branch leave
trap:
	s_add_u32 ttmp0, ttmp0, 4
	s_addc_u32 ttmp1, ttmp1, 0
leave:
	s_and_b32 ttmp1, ttmp1, 0xffff
	s_setreg_b32 hwreg(HW_REG_STATUS), ttmp12
	s_rfe_b64 ttmp[0:1]

save:
	s_mov_b64 ttmp[2:3], exec
	s_mov_b32 ttmp4, m0
	s_mov_b32 ttmp5, 0
	s_setreg_b32 hwreg(HW_REG_TRAPSTS, 10, 1), ttmp5
	s_sendmsg_rtn_b64 ttmp[6:7], sendmsg(132)		; SAVE_WAVE
	s_waitcnt lgkmcnt(0)
	s_and_b32 ttmp8, ttmp7, 0x04000000			; the first wave of its group
	s_and_b32 ttmp7, ttmp7, 0xffff
	s_mov_b64 exec, -1
	s_getreg_b32 ttmp9, hwreg(28, 11, 1)			; wave64
	s_lshl_b32 ttmp9, 128, ttmp9				; bytes of a VGPR
	s_getreg_b32 ttmp10, hwreg(HW_REG_GPR_ALLOC, 12, 8)
	s_add_u32 ttmp10, ttmp10, 1
	s_lshl_b32 ttmp10, ttmp10, 2				; VGPRs
	s_mov_b32 m0, 0
1:	v_movrels_b32_e32 v0, v0
	global_store_addtid_b32 v0, ttmp[6:7] glc slc
	s_add_u32 ttmp6, ttmp6, ttmp9
	s_addc_u32 ttmp7, ttmp7, 0
	s_add_u32 m0, m0, 1
	s_cmp_lt_u32 m0, ttmp10
	s_cbranch_scc1 1b

	; scalars, 32 at a time in the lanes of v0
	s_mov_b32 exec_hi, 0
	s_mov_b32 m0, 0
2:	s_movrels_b32 ttmp11, s0
	s_and_b32 ttmp14, m0, 31
	v_writelane_b32 v0, ttmp11, ttmp14
	s_add_u32 m0, m0, 1
	s_and_b32 ttmp14, m0, 31
	s_cbranch_scc1 3f
	global_store_addtid_b32 v0, ttmp[6:7] glc slc
	s_add_u32 ttmp6, ttmp6, 128
	s_addc_u32 ttmp7, ttmp7, 0
3:	s_cmp_lt_u32 m0, 106
	s_cbranch_scc1 2b
	v_writelane_b32 v0, vcc_lo, 10
	v_writelane_b32 v0, vcc_hi, 11
	v_writelane_b32 v0, ttmp4, 12
	v_writelane_b32 v0, ttmp0, 13
	v_writelane_b32 v0, ttmp1, 14
	v_writelane_b32 v0, ttmp2, 15
	v_writelane_b32 v0, ttmp3, 16
	v_writelane_b32 v0, ttmp12, 17
	s_getreg_b32 ttmp11, hwreg(HW_REG_MODE)
	v_writelane_b32 v0, ttmp11, 18
	s_getreg_b32 ttmp11, hwreg(20)				; FLAT_SCR_LO, HI
	v_writelane_b32 v0, ttmp11, 19
	s_getreg_b32 ttmp11, hwreg(21)
	v_writelane_b32 v0, ttmp11, 20
	global_store_addtid_b32 v0, ttmp[6:7] glc slc
	s_add_u32 ttmp6, ttmp6, 256
	s_addc_u32 ttmp7, ttmp7, 0
	s_mov_b64 exec, -1

	s_getreg_b32 ttmp10, hwreg(HW_REG_LDS_ALLOC, 12, 9)
	s_lshl_b32 ttmp10, ttmp10, 8
	s_cbranch_scc0 saved
	s_barrier
	s_cmp_eq_u32 ttmp8, 0
	s_cbranch_scc1 saved
	s_mov_b32 m0, 0
4:	ds_load_addtid_b32 v0
	s_waitcnt lgkmcnt(0)
	global_store_addtid_b32 v0, ttmp[6:7] glc slc
	s_add_u32 ttmp6, ttmp6, ttmp9
	s_addc_u32 ttmp7, ttmp7, 0
	s_add_u32 m0, m0, ttmp9
	s_cmp_lt_u32 m0, ttmp10
	s_cbranch_scc1 4b
saved:
	s_waitcnt_vscnt null, 0x0
	s_endpgm_saved

restore:
	s_and_b32 ttmp8, exec_hi, 0x04000000
	s_mov_b32 ttmp6, exec_lo
	s_and_b32 ttmp7, exec_hi, 0xffff
	s_mov_b64 exec, -1
	s_getreg_b32 ttmp9, hwreg(28, 11, 1)
	s_lshl_b32 ttmp9, 128, ttmp9
	s_getreg_b32 ttmp10, hwreg(HW_REG_GPR_ALLOC, 12, 8)
	s_add_u32 ttmp10, ttmp10, 1
	s_lshl_b32 ttmp10, ttmp10, 2
	s_mul_i32 ttmp11, ttmp10, ttmp9
	s_add_u32 ttmp12, ttmp6, ttmp11				; the scalars
	s_addc_u32 ttmp13, ttmp7, 0

	s_cmp_eq_u32 ttmp8, 0
	s_cbranch_scc1 2f
	s_getreg_b32 ttmp14, hwreg(HW_REG_LDS_ALLOC, 12, 9)
	s_lshl_b32 ttmp14, ttmp14, 8
	s_cbranch_scc0 2f
	s_add_u32 ttmp2, ttmp12, 640
	s_addc_u32 ttmp3, ttmp13, 0
	s_mov_b32 m0, 0
1:	global_load_addtid_b32 v0, ttmp[2:3] glc slc
	s_waitcnt vmcnt(0)
	ds_store_addtid_b32 v0
	s_add_u32 ttmp2, ttmp2, ttmp9
	s_addc_u32 ttmp3, ttmp3, 0
	s_add_u32 m0, m0, ttmp9
	s_cmp_lt_u32 m0, ttmp14
	s_cbranch_scc1 1b
	s_waitcnt lgkmcnt(0)

2:	s_mov_b64 ttmp[2:3], ttmp[6:7]
	s_mov_b32 m0, 1
3:	s_add_u32 ttmp2, ttmp2, ttmp9
	s_addc_u32 ttmp3, ttmp3, 0
	global_load_addtid_b32 v0, ttmp[2:3] glc slc
	s_waitcnt vmcnt(0)
	v_movreld_b32_e32 v0, v0
	s_add_u32 m0, m0, 1
	s_cmp_lt_u32 m0, ttmp10
	s_cbranch_scc1 3b
	global_load_addtid_b32 v0, ttmp[6:7] glc slc
	s_waitcnt vmcnt(0)

	s_mov_b32 m0, 0
4:	s_load_b32 ttmp11, ttmp[12:13], 0x0 glc
	s_waitcnt lgkmcnt(0)
	s_movreld_b32 s0, ttmp11
	s_add_u32 ttmp12, ttmp12, 4
	s_addc_u32 ttmp13, ttmp13, 0
	s_add_u32 m0, m0, 1
	s_cmp_lt_u32 m0, 106
	s_cbranch_scc1 4b
	s_barrier
	s_load_b64 vcc, ttmp[12:13], 0x0 glc
	s_load_b32 ttmp4, ttmp[12:13], 0x8 glc
	s_load_b32 ttmp0, ttmp[12:13], 0xc glc
	s_load_b32 ttmp1, ttmp[12:13], 0x10 glc
	s_load_b32 ttmp2, ttmp[12:13], 0x14 glc
	s_load_b32 ttmp3, ttmp[12:13], 0x18 glc
	s_load_b32 ttmp14, ttmp[12:13], 0x1c glc
	s_load_b32 ttmp5, ttmp[12:13], 0x20 glc
	s_load_b32 ttmp6, ttmp[12:13], 0x24 glc
	s_load_b32 ttmp7, ttmp[12:13], 0x28 glc
	s_waitcnt lgkmcnt(0)
	s_setreg_b32 hwreg(HW_REG_MODE), ttmp5
	s_setreg_b32 hwreg(20), ttmp6
	s_setreg_b32 hwreg(21), ttmp7
	s_mov_b32 m0, ttmp4
	s_mov_b64 exec, ttmp[2:3]
	s_and_b32 ttmp1, ttmp1, 0xffff
	s_setreg_b32 hwreg(HW_REG_STATUS), ttmp14
	s_rfe_b64 ttmp[0:1]
