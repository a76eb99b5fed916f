/* Words that the rows of src/arch name, assembled by LLVM for each generation, in the order of check_words() in
 * test_arch.c. */
	.text
	s_trap 15
#ifdef GFX942
	s_endpgm
	s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)
#else
	s_code_end
	s_wait_idle
	s_sendmsg_rtn_b32 s4, sendmsg(MSG_RTN_GET_DOORBELL)
#endif
	/* the getregs of fields */
#ifdef GFX942
	s_getreg_b32 s0, hwreg(HW_REG_STATUS, 0, 1)
	s_getreg_b32 s0, hwreg(HW_REG_TRAPSTS, 0, 7)
	s_getreg_b32 s0, hwreg(HW_REG_GPR_ALLOC, 6, 6)
	s_getreg_b32 s0, hwreg(HW_REG_MODE, 11, 1)
#elif defined(GFX11)
	s_getreg_b32 s0, hwreg(HW_REG_STATUS, 0, 1)
	s_getreg_b32 s0, hwreg(HW_REG_STATUS, 24, 1)
	s_getreg_b32 s0, hwreg(28, 11, 1)
	s_getreg_b32 s0, hwreg(HW_REG_TRAPSTS, 0, 7)
	s_getreg_b32 s0, hwreg(HW_REG_GPR_ALLOC, 12, 8)
	s_getreg_b32 s0, hwreg(HW_REG_MODE, 11, 1)
#else
	s_getreg_b32 s0, hwreg(HW_REG_STATE_PRIV, 9, 1)
	s_getreg_b32 s0, hwreg(HW_REG_STATUS, 24, 1)
	s_getreg_b32 s0, hwreg(HW_REG_STATUS, 29, 1)
	s_getreg_b32 s0, hwreg(HW_REG_EXCP_FLAG_USER, 0, 7)
	s_getreg_b32 s0, hwreg(HW_REG_GPR_ALLOC, 12, 8)
	s_getreg_b32 s0, hwreg(HW_REG_TRAP_CTRL, 9, 1)
#endif
