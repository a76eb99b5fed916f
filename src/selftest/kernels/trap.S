/* SPDX-License-Identifier: MIT */
/* Executes s_trap 3 once and writes 0x600d0001 to each word of the first 128 bytes of the buffer.
 * Argument: buffer. */
#include "kernel.inc"
	s_load_b64 s[4:5], s[0:1], 0
	v_lshlrev_b32 v2, 2, v0
	v_mov_b32 v1, 0x600d0001
	s_waitcnt lgkmcnt(0)
mark:
	s_trap 3
	global_store_b32 v2, v1, s[4:5]
	s_waitcnt_vscnt null, 0
	finish
