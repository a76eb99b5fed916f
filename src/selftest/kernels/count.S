/* SPDX-License-Identifier: MIT */
/* 400 rounds of four instructions from `mark` + 4 on, then work-item g writes 400 + g to the
 * buffer. Groups of 32. Argument: buffer. */
#include "kernel.inc"
	load_buffer
	s_lshl_b32 s8, s2, 5
	v_add_nc_u32 v2, s8, v0
	v_mov_b32 v1, 0
	s_mov_b32 s10, 0
	s_waitcnt lgkmcnt(0)
mark:
	s_nop 0
round:
	s_add_u32 s10, s10, 1
	v_add_nc_u32 v1, 1, v1
	s_cmp_lt_u32 s10, 400
	s_cbranch_scc1 round
	v_add_nc_u32 v1, v1, v2
	v_lshlrev_b32 v2, 2, v2
	finish_words
