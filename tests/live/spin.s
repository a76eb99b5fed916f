// SPDX-License-Identifier: MIT
// Loops until the debugger makes s20 1, then writes 7.
	.include "kernel.inc"
	.text
	.globl	spin
	.p2align 8
	.type	spin,@function
spin:
	s_load_b64 s[4:5], s[0:1], 0x0
	s_lshl_b32 s6, s15, 6
	v_add_nc_u32_e32 v1, s6, v0
	v_lshlrev_b32_e32 v1, 2, v1
	v_mov_b32_e32 v2, 7
	s_mov_b32 s20, 0
	s_waitcnt lgkmcnt(0)
spinning:
	s_cmp_eq_u32 s20, 1
	s_cbranch_scc0 spinning
out:
	global_store_b32 v1, v2, s[4:5]
	s_endpgm
.Lend:
	.size	spin, .Lend-spin
	kernel spin
#include META
