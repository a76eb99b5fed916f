/* Words that the rows of src/arch name, assembled by LLVM for each generation: one instruction for each
 * line of `expected` in test_arch.c, in this order. Operands are not 0, so that a mask that is too wide
 * shows. */
	.text
	s_branch 1
	s_cbranch_scc0 2
	s_cbranch_scc1 3
	s_cbranch_vccz 4
	s_cbranch_vccnz 5
	s_cbranch_execz 6
	s_cbranch_execnz 7
	s_getpc_b64 s[4:5]
	s_setpc_b64 s[6:7]
	s_swappc_b64 s[8:9], s[10:11]
	s_rfe_b64 s[12:13]
	s_call_b64 s[14:15], 8
	s_trap 15
	s_endpgm
	s_endpgm_saved
#ifdef GFX11
	s_cbranch_cdbgsys 9
	s_cbranch_cdbguser 10
	s_cbranch_cdbgsys_or_user 11
	s_cbranch_cdbgsys_and_user 12
	s_subvector_loop_begin s16, 13
	s_subvector_loop_end s17, 14
#endif
	/* none of them touches the PC */
	s_nop 3
	s_sleep 5
	s_sethalt 1
	s_sendmsg sendmsg(MSG_INTERRUPT)
	s_icache_inv
	s_setprio 2
	s_clause 4
	s_delay_alu instid0(VALU_DEP_1)
	s_mov_b64 s[4:5], s[6:7]
	s_movk_i32 s4, 0x4700
	s_cmovk_i32 s5, 1
	s_sendmsg_rtn_b32 s4, sendmsg(MSG_RTN_GET_DOORBELL)
	s_getreg_b32 s6, hwreg(HW_REG_MODE)
	v_mov_b32 v1, v2
	/* the rest of a row: s_code_end, what it waits with, the getregs of fields */
	s_code_end
#ifdef GFX11
	s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
	s_waitcnt_vscnt null, 0
	s_getreg_b32 s0, hwreg(HW_REG_STATUS, 0, 1)
	s_getreg_b32 s0, hwreg(HW_REG_STATUS, 24, 1)
	s_getreg_b32 s0, hwreg(28, 11, 1)
	s_getreg_b32 s0, hwreg(HW_REG_TRAPSTS, 0, 7)
	s_getreg_b32 s0, hwreg(HW_REG_GPR_ALLOC, 12, 8)
	s_getreg_b32 s0, hwreg(HW_REG_MODE, 11, 1)
#else
	s_wait_idle
	s_getreg_b32 s0, hwreg(HW_REG_STATE_PRIV, 9, 1)
	s_getreg_b32 s0, hwreg(HW_REG_STATUS, 24, 1)
	s_getreg_b32 s0, hwreg(HW_REG_STATUS, 29, 1)
	s_getreg_b32 s0, hwreg(HW_REG_EXCP_FLAG_USER, 0, 7)
	s_getreg_b32 s0, hwreg(HW_REG_GPR_ALLOC, 12, 8)
	s_getreg_b32 s0, hwreg(HW_REG_TRAP_CTRL, 9, 1)
#endif
