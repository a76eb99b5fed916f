; A trap handler: leaves ttmp0, ttmp1, TRAPSTS, STATUS, ttmp8 at the address in TMA, counts at +32, and
; resumes behind an s_trap. Uses v60 and v61, EXEC restored.
	s_sendmsg_rtn_b64 ttmp[2:3], sendmsg(MSG_RTN_GET_TMA)
	s_waitcnt lgkmcnt(0)
	s_lshl_b64 ttmp[2:3], ttmp[2:3], 8
	s_mov_b64 ttmp[4:5], exec
	s_mov_b64 exec, 1
	v_mov_b32_e32 v60, 0
	v_mov_b32_e32 v61, ttmp0
	global_store_b32 v60, v61, ttmp[2:3]
	v_mov_b32_e32 v61, ttmp1
	global_store_b32 v60, v61, ttmp[2:3] offset:4
	s_getreg_b32 ttmp12, hwreg(HW_REG_TRAPSTS)
	v_mov_b32_e32 v61, ttmp12
	global_store_b32 v60, v61, ttmp[2:3] offset:8
	s_getreg_b32 ttmp12, hwreg(HW_REG_STATUS)
	v_mov_b32_e32 v61, ttmp12
	global_store_b32 v60, v61, ttmp[2:3] offset:12
	v_mov_b32_e32 v61, ttmp8
	global_store_b32 v60, v61, ttmp[2:3] offset:16
	v_mov_b32_e32 v61, 1
	global_atomic_add_u32 v60, v61, ttmp[2:3] offset:32
	s_waitcnt_vscnt null, 0x0
	s_mov_b32 ttmp12, 0
	s_setreg_b32 hwreg(HW_REG_TRAPSTS, 8, 24), ttmp12
	s_bfe_u32 ttmp12, ttmp1, 0x80010
	s_cmp_eq_u32 ttmp12, 0
	s_cbranch_scc1 1f
	s_add_u32 ttmp0, ttmp0, 4
	s_addc_u32 ttmp1, ttmp1, 0
1:	s_and_b32 ttmp1, ttmp1, 0xffff
	s_mov_b64 exec, ttmp[4:5]
	s_rfe_b64 ttmp[0:1]
	s_nop 0
