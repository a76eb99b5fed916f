// SPDX-License-Identifier: MIT
// out[i] = 11, half of the waves with half of their lanes at a time.
	.include "kernel.inc"
	.text
	.globl	many
	.p2align 8
	.type	many,@function
many:
	s_load_b64 s[4:5], s[0:1], 0x0
	s_lshl_b32 s6, s15, GROUP
	v_add_nc_u32_e32 v1, s6, v0
	v_lshlrev_b32_e32 v1, 2, v1
	v_mov_b32_e32 v2, 4
	s_and_b32 s7, s15, 1
	s_cmp_eq_u32 s7, 0
	s_cbranch_scc1 here
	s_mov_b32 exec_lo, 0x55555555
	s_mov_b32 exec_hi, 0x55555555
here:
	v_add_nc_u32_e32 v2, 7, v2
	s_not_b32 s8, exec_lo
	s_not_b32 s9, exec_hi
	s_cmp_eq_u32 s7, 0
	s_cbranch_scc1 whole
	s_mov_b32 exec_lo, s8
	s_mov_b32 exec_hi, s9
	v_add_nc_u32_e32 v2, 7, v2
	s_mov_b64 exec, -1
whole:
	s_waitcnt lgkmcnt(0)
	global_store_b32 v1, v2, s[4:5]
	s_endpgm
.Lend:
	.size	many, .Lend-many
	kernel many, WAVE32
#include META
