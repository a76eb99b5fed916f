/* SPDX-License-Identifier: MIT */
/* A wave that waits: for `ticks` of the 100 MHz counter, and for 2^24 rounds at most. Its registers
 * are known from outside: s10 a sign, s11 the round, s[4:5] the buffer, v1 lane * 3 + 7. In the end
 * it writes the sign to the buffer. Arguments: buffer, ticks. */
#include "kernel.inc"
	s_load_b128 s[4:7], s[0:1], 0
	v_mul_u32_u24 v1, v0, 3
	v_add_nc_u32 v1, 7, v1
	s_mov_b32 s10, 0x5e1f7e57
	s_mov_b32 s11, 0
	s_sendmsg_rtn_b64 s[14:15], sendmsg(MSG_RTN_GET_REALTIME)
	s_waitcnt lgkmcnt(0)
mark:
	s_add_u32 s11, s11, 1
	s_sleep 10
	s_sendmsg_rtn_b64 s[16:17], sendmsg(MSG_RTN_GET_REALTIME)
	s_waitcnt lgkmcnt(0)
	s_sub_u32 s16, s16, s14
	s_subb_u32 s17, s17, s15
	s_cmp_lg_u32 s17, 0
	s_cbranch_scc1 done
	s_cmp_ge_u32 s16, s6
	s_cbranch_scc1 done
	s_cmp_lt_u32 s11, 0x1000000
	s_cbranch_scc1 mark
done:
	v_lshlrev_b32 v2, 2, v0
	v_mov_b32 v3, s10
	global_store_b32 v2, v3, s[4:5]
	s_waitcnt_vscnt null, 0
	finish
