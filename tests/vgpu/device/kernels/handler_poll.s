; A trap handler that waits, asleep in between, until the dword at TMA + 64 is not 0.
	s_sendmsg_rtn_b64 ttmp[2:3], sendmsg(MSG_RTN_GET_TMA)
	s_waitcnt lgkmcnt(0)
	s_lshl_b64 ttmp[2:3], ttmp[2:3], 8
1:	s_load_b32 ttmp12, ttmp[2:3], 0x40 glc
	s_waitcnt lgkmcnt(0)
	s_cmp_lg_u32 ttmp12, 0
	s_cbranch_scc1 2f
	s_sleep 0x20
	s_branch 1b
2:	s_mov_b32 ttmp12, 0
	s_setreg_b32 hwreg(HW_REG_TRAPSTS, 8, 24), ttmp12
	s_and_b32 ttmp1, ttmp1, 0xffff
	s_rfe_b64 ttmp[0:1]
	s_nop 0
