/* SPDX-License-Identifier: MIT */
/* Writes 0x11, 0x22 ... 0x88 to each word of the first 128 bytes of the buffer, a store a round.
 * Argument: buffer. */
#include "kernel.inc"
	s_mov_b32 s10, 0
	begin_words 0
mark:
	s_nop 0
round:
	v_add_nc_u32 v1, 0x11, v1
	global_store_b32 v2, v1, s[4:5]
	s_waitcnt_vscnt null, 0
	.rept 12
	s_nop 0
	.endr
	s_add_u32 s10, s10, 1
	s_cmp_lt_u32 s10, 8
	s_cbranch_scc1 round
	finish
