; Faults for strict mode, one every 256 bytes; test_strict.c says what each must give. s[0:1] data, s2 the
; group; v0 the work-item.
	.macro	fault
	.p2align 8, 0
	.endm
	.macro	address ; v1 = 4 * work-item
	v_lshlrev_b32_e32 v1, 2, v0
	.endm

	fault ; 0: a result is used before the wait
	address
	v_mov_b32_e32 v2, 5
	global_load_b32 v2, v1, s[0:1]
	v_add_nc_u32_e32 v3, 1, v2
	s_waitcnt vmcnt(0)
	global_store_b32 v1, v2, s[0:1] offset:1024
	global_store_b32 v1, v3, s[0:1] offset:2048
	s_endpgm

	fault ; 1: loads return in order
	address
	global_load_b32 v2, v1, s[0:1]
	global_load_b32 v3, v1, s[0:1] offset:4
	s_waitcnt vmcnt(1)
	v_add_nc_u32_e32 v4, 1, v2
	s_waitcnt vmcnt(0)
	v_add_nc_u32_e32 v4, v4, v3
	global_store_b32 v1, v4, s[0:1] offset:1024
	s_endpgm

	fault ; 2: scalar loads do not
	s_load_b32 s8, s[0:1], null
	s_load_b32 s9, s[0:1], 0x4
	s_waitcnt lgkmcnt(1)
	s_add_u32 s10, s8, 1
	s_waitcnt lgkmcnt(0)
	s_endpgm

	fault ; 3: overwritten before it has arrived
	address
	global_load_b32 v2, v1, s[0:1]
	v_mov_b32_e32 v2, 0
	s_waitcnt vmcnt(0)
	s_endpgm

	fault ; 4: stores what nobody has written
	address
	global_store_b32 v1, v9, s[0:1] offset:1024
	s_endpgm

	fault ; 5: looks where nobody has said
	v_lshrrev_b32_e32 v8, 28, v9
	v_lshlrev_b32_e32 v8, 2, v8
	global_load_b32 v2, v8, s[0:1]
	s_waitcnt vmcnt(0)
	s_endpgm

	fault ; 6: half of the lanes
	address
	s_mov_b32 exec_lo, 0xffff
	v_mov_b32_e32 v2, 1
	s_mov_b32 exec_lo, -1
	v_add_nc_u32_e32 v3, 1, v2
	global_store_b32 v1, v3, s[0:1] offset:1024
	s_endpgm

	fault ; 7: by way of scratch
	address
	v_add_nc_u32_e32 v9, 1, v9
	scratch_store_b32 off, v9, off
	scratch_load_b32 v2, off, off
	s_waitcnt vmcnt(0)
	global_store_b32 v1, v2, s[0:1] offset:1024
	s_endpgm

	fault ; 8: the scalar cache does not see vector stores
	v_mov_b32_e32 v1, 0
	v_mov_b32_e32 v2, 1
	s_load_b32 s8, s[0:1], null
	s_waitcnt lgkmcnt(0)
	global_store_b32 v1, v2, s[0:1]
	s_waitcnt_vscnt null, 0x0
	s_movk_i32 s9, 0xc8
1:	s_load_b32 s8, s[0:1], null
	s_waitcnt lgkmcnt(0)
	s_sub_u32 s9, s9, 1
	s_cmp_eq_u32 s9, 0
	s_cbranch_scc1 2f
	s_cmp_eq_u32 s8, 1
	s_cbranch_scc0 1b
2:	v_mov_b32_e32 v2, s8
	global_store_b32 v1, v2, s[0:1] offset:1024
	s_endpgm

	fault ; 9: unless it is told
	v_mov_b32_e32 v1, 0
	v_mov_b32_e32 v2, 1
	s_load_b32 s8, s[0:1], null
	s_waitcnt lgkmcnt(0)
	global_store_b32 v1, v2, s[0:1]
	s_waitcnt_vscnt null, 0x0
	s_dcache_inv
	s_load_b32 s8, s[0:1], null
	s_waitcnt lgkmcnt(0)
	v_mov_b32_e32 v2, s8
	global_store_b32 v1, v2, s[0:1] offset:1024
	s_endpgm

	; Group 0 has the line of the flag, group 1 changes it; ready and done are other lines, past the caches.
	.macro	flag_begin
	v_mov_b32_e32 v1, 0
	s_cmp_eq_u32 s2, 0
	s_cbranch_scc0 5f
	global_load_b32 v2, v1, s[0:1]
	v_mov_b32_e32 v3, 1
	s_waitcnt vmcnt(0)
	global_store_b32 v1, v3, s[0:1] offset:256
1:	s_sleep 1
	global_load_b32 v2, v1, s[0:1] offset:512 glc
	s_waitcnt vmcnt(0)
	v_readfirstlane_b32 s8, v2
	s_cmp_eq_u32 s8, 1
	s_cbranch_scc0 1b
	s_movk_i32 s9, 0xc8
	.endm
	.macro	flag_end
	s_waitcnt vmcnt(0)
	v_readfirstlane_b32 s8, v2
	s_sub_u32 s9, s9, 1
	s_cmp_eq_u32 s9, 0
	s_cbranch_scc1 3f
	s_cmp_eq_u32 s8, 1
	s_cbranch_scc0 2b
3:	global_store_b32 v1, v2, s[0:1] offset:1024
	s_endpgm
5:	s_sleep 1
	global_load_b32 v2, v1, s[0:1] offset:256 glc
	s_waitcnt vmcnt(0)
	v_readfirstlane_b32 s8, v2
	s_cmp_eq_u32 s8, 1
	s_cbranch_scc0 5b
	v_mov_b32_e32 v3, 1
	global_store_b32 v1, v3, s[0:1]
	s_waitcnt_vscnt null, 0x0
	global_store_b32 v1, v3, s[0:1] offset:512
	s_endpgm
	.endm

	fault ; 10: nor does a vector cache see another WGP's stores
	flag_begin
2:	global_load_b32 v2, v1, s[0:1]
	flag_end

	fault ; 11: unless it is told
	flag_begin
2:	buffer_gl1_inv
	buffer_gl0_inv
	global_load_b32 v2, v1, s[0:1]
	flag_end

	fault ; 12: or passed by
	flag_begin
2:	global_load_b32 v2, v1, s[0:1] glc
	flag_end

	; Writes s_mov_b32 s8, 2 over s_mov_b32 s8, 1 when that has been executed.
	.macro	patch_begin
	s_getpc_b64 s[4:5]
	s_mov_b32 s9, 0
	v_mov_b32_e32 v1, 0
	v_mov_b32_e32 v2, 0xbe880082
	.endm
	.macro	patch_end
	s_cmp_eq_u32 s9, 1
	s_cbranch_scc1 3f
	s_mov_b32 s9, 1
	global_store_b32 v1, v2, s[4:5] offset:20 ; what s_getpc gave is 4
	s_waitcnt_vscnt null, 0x0
	s_branch 2b
3:	v_mov_b32_e32 v2, s8
	global_store_b32 v1, v2, s[0:1] offset:1024
	s_endpgm
	.endm

	fault ; 13: code that has been changed, and nobody told the cache
	patch_begin
2:	s_nop 0
	s_mov_b32 s8, 1
	patch_end

	fault ; 14: and somebody did
	patch_begin
2:	s_icache_inv
	s_mov_b32 s8, 1
	patch_end

	fault ; 15: a transcendental's result, too early
	v_exp_f32_e32 v2, v0
	v_add_f32_e32 v3, v2, v2
	s_endpgm

	fault ; 16: waited for
	v_exp_f32_e32 v2, v0
	s_waitcnt_depctr 0xfff
	v_add_f32_e32 v3, v2, v2
	s_endpgm

	fault ; 17: v_cmpx and v_permlane
	v_cmpx_eq_u32_e32 v0, v0
	v_permlane16_b32 v2, v0, s0, s1
	s_endpgm

	fault ; 18: with something between
	v_cmpx_eq_u32_e32 v0, v0
	v_mov_b32_e32 v3, v0
	v_permlane16_b32 v2, v0, s0, s1
	s_endpgm

	fault ; 19: WMMA behind WMMA
	v_wmma_f32_16x16x16_f16 v[16:23], v[0:7], v[8:15], v[16:23]
	v_wmma_f32_16x16x16_f16 v[24:31], v[16:23], v[8:15], v[24:31]
	s_endpgm

	fault ; 20 (wave64): a lane mask that changes under the VALU
	v_cndmask_b32_e64 v2, 0, 1, s4
	s_mov_b64 s[4:5], 0
	s_mov_b64 s[6:7], s[4:5]
	s_endpgm

	fault ; 21 (wave64): results from both sides of a change of EXEC
	v_mov_b32_e32 v2, 1
	s_mov_b64 exec, -1
	v_mov_b32_e32 v3, 2
	v_add_nc_u32_e32 v4, v2, v3
	s_endpgm

	fault ; 22: counters
	address
	global_load_b32 v2, v1, s[0:1]
	global_load_b32 v3, v1, s[0:1]
	global_load_b32 v4, v1, s[0:1]
	s_load_b64 s[8:9], s[0:1], null
	global_store_b32 v1, v1, s[0:1] offset:2048
	s_getreg_b32 s12, hwreg(HW_REG_IB_STS)
	s_waitcnt vmcnt(1)
	s_getreg_b32 s13, hwreg(HW_REG_IB_STS)
	s_waitcnt vmcnt(0) lgkmcnt(0)
	s_waitcnt_vscnt null, 0x0
	s_getreg_b32 s14, hwreg(HW_REG_IB_STS)
	v_mov_b32_e32 v5, s12
	v_mov_b32_e32 v6, s13
	v_mov_b32_e32 v7, s14
	v_mov_b32_e32 v1, 0
	global_store_b96 v1, v[5:7], s[0:1] offset:1024
	s_endpgm

	fault ; 23: poison, for those who look
	v_lshlrev_b32_e32 v1, 3, v0
	v_mov_b32_e32 v4, 0
	ds_load_b32 v2, v4
	scratch_load_b32 v3, off, off
	s_waitcnt vmcnt(0) lgkmcnt(0)
	global_store_b64 v1, v[2:3], s[0:1] offset:1024
	s_endpgm

	fault ; 24 (wave64): one source, of two registers that were written on both sides of a change of EXEC
	v_mov_b32_e32 v2, 1
	s_mov_b64 exec, -1
	v_mov_b32_e32 v3, 2
	v_lshlrev_b64 v[4:5], 2, v[2:3]
	s_endpgm

	fault ; 25 (wave64): two sources, one of them of two registers
	v_mov_b32_e32 v2, 1
	s_mov_b64 exec, -1
	v_mov_b32_e32 v6, 2
	v_lshlrev_b64 v[4:5], v6, v[2:3]
	s_endpgm

	; Registers that an instruction names nowhere. Each fault is followed by what is none.
	.macro	sides change:vararg ; fault 21, by another change of EXEC
	v_mov_b32_e32 v2, 1
	\change
	v_mov_b32_e32 v3, 2
	v_add_nc_u32_e32 v4, v2, v3
	s_endpgm
	.endm
	.macro	waited change:vararg
	v_mov_b32_e32 v2, 1
	\change
	v_mov_b32_e32 v3, 2
	s_waitcnt_depctr 0xfff
	v_add_nc_u32_e32 v4, v2, v3
	s_endpgm
	.endm

	fault ; 26 (wave64): EXEC, written by saveexec
	sides	s_and_saveexec_b64 s[4:5], -1
	fault ; 27
	waited	s_and_saveexec_b64 s[4:5], -1
	fault ; 28 (wave64): and by wrexec
	sides	s_and_not0_wrexec_b64 s[4:5], 0
	fault ; 29
	waited	s_and_not0_wrexec_b64 s[4:5], 0

	fault ; 30: VCC, read by a branch
	s_load_b32 vcc_lo, s[0:1], null
	s_cbranch_vccz 1f
1:	s_waitcnt lgkmcnt(0)
	s_endpgm

	fault ; 31
	s_load_b32 vcc_lo, s[0:1], null
	s_waitcnt lgkmcnt(0)
	s_cbranch_vccz 1f
1:	s_endpgm

	fault ; 32: VCC, read by v_div_fmas
	s_load_b32 vcc_lo, s[0:1], null
	v_div_fmas_f32 v2, v0, v0, v0
	s_waitcnt lgkmcnt(0)
	s_endpgm

	fault ; 33
	s_load_b32 vcc_lo, s[0:1], null
	s_waitcnt lgkmcnt(0)
	v_div_fmas_f32 v2, v0, v0, v0
	s_endpgm

	fault ; 34: M0, read by v_movrels
	s_sendmsg_rtn_b32 m0, sendmsg(MSG_RTN_GET_DOORBELL)
	v_movrels_b32_e32 v2, v0
	s_waitcnt lgkmcnt(0)
	s_endpgm

	fault ; 35
	s_sendmsg_rtn_b32 m0, sendmsg(MSG_RTN_GET_DOORBELL)
	s_waitcnt lgkmcnt(0)
	v_movrels_b32_e32 v2, v0
	s_endpgm

	fault ; 36: M0, read by a load that has no address
	s_sendmsg_rtn_b32 m0, sendmsg(MSG_RTN_GET_DOORBELL)
	ds_load_addtid_b32 v2
	s_waitcnt lgkmcnt(0)
	s_endpgm

	fault ; 37
	s_sendmsg_rtn_b32 m0, sendmsg(MSG_RTN_GET_DOORBELL)
	s_waitcnt lgkmcnt(0)
	s_mov_b32 m0, 0
	ds_load_addtid_b32 v2
	s_waitcnt lgkmcnt(0)
	s_endpgm

	fault ; 38: EXEC, read by the VALU
	s_sendmsg_rtn_b32 exec_lo, sendmsg(MSG_RTN_GET_DOORBELL)
	v_mov_b32_e32 v2, v0
	s_waitcnt lgkmcnt(0)
	s_endpgm

	fault ; 39
	s_sendmsg_rtn_b32 exec_lo, sendmsg(MSG_RTN_GET_DOORBELL)
	s_waitcnt lgkmcnt(0)
	v_mov_b32_e32 v2, v0
	s_endpgm

	fault ; 40: EXEC, read by a branch
	s_sendmsg_rtn_b32 exec_lo, sendmsg(MSG_RTN_GET_DOORBELL)
	s_cbranch_execz 1f
1:	s_waitcnt lgkmcnt(0)
	s_endpgm

	fault ; 41: none of these touches VCC, which is under way: their masks are operands
	s_load_b32 vcc_lo, s[0:1], null
	v_cmp_lt_u32_e64 s4, v0, v0
	v_cndmask_b32_e64 v2, v0, v0, s4
	v_add_co_ci_u32_e64 v3, s5, v0, v0, s4
	s_waitcnt lgkmcnt(0)
	s_endpgm

	fault ; 42: the compact forms do
	s_load_b32 vcc_lo, s[0:1], null
	v_cndmask_b32_e32 v2, v0, v0, vcc_lo
	v_cmp_lt_u32_e32 vcc_lo, v0, v0
	s_waitcnt lgkmcnt(0)
	s_endpgm

	; Registers that M0 chooses.
	fault ; 43: v4 + 3 is written
	address
	s_mov_b32 m0, 3
	v_movreld_b32_e32 v4, v0
	global_store_b32 v1, v7, s[0:1] offset:1024
	s_endpgm

	fault ; 44: and v4 is not
	address
	s_mov_b32 m0, 3
	v_movreld_b32_e32 v4, v0
	global_store_b32 v1, v4, s[0:1] offset:1024
	s_endpgm

	fault ; 45: v4 + 3 is under way
	address
	s_mov_b32 m0, 3
	global_load_b32 v7, v1, s[0:1]
	v_movrels_b32_e32 v2, v4
	s_waitcnt vmcnt(0)
	s_endpgm

	fault ; 46: v4 is under way, and not read
	address
	v_mov_b32_e32 v7, 1
	s_mov_b32 m0, 3
	global_load_b32 v4, v1, s[0:1]
	v_movrels_b32_e32 v2, v4
	s_waitcnt vmcnt(0)
	s_endpgm

	fault ; 47: two indices: v3 + 2 is read, v4 + 1 is written
	address
	s_mov_b32 m0, 0x10002
	global_load_b32 v5, v1, s[0:1]
	v_movrelsd_2_b32_e32 v4, v3
	s_waitcnt vmcnt(0)
	s_endpgm

	fault ; 48: s8 + 3 is under way
	s_mov_b32 m0, 3
	s_load_b32 s11, s[0:1], null
	s_movrels_b32 s12, s8
	s_waitcnt lgkmcnt(0)
	s_endpgm

	fault ; 49: and about to be overwritten
	s_mov_b32 m0, 3
	s_load_b32 s11, s[0:1], null
	s_movreld_b32 s8, s0
	s_waitcnt lgkmcnt(0)
	s_endpgm

	fault ; 50: s8 is under way, and neither read nor written
	s_mov_b32 m0, 3
	s_mov_b32 s11, 0
	s_load_b32 s8, s[0:1], null
	s_movrels_b32 s12, s8
	s_movreld_b32 s8, s0
	s_waitcnt lgkmcnt(0)
	s_endpgm

	fault ; 51: the address is in s8 + 2, which has been written there
	s_mov_b32 m0, 2
	s_movreld_b64 s[8:9], s[0:1]
	s_load_b32 s12, s[10:11], null
	s_waitcnt lgkmcnt(0)
	s_endpgm

	fault ; 52: from s8 + 2, which nobody has written
	s_mov_b32 m0, 2
	s_movrels_b32 s12, s8
	s_lshr_b32 s12, s12, 31
	s_load_b32 s14, s[0:1], s12
	s_waitcnt lgkmcnt(0)
	s_endpgm
