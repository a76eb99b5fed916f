// SPDX-License-Identifier: MIT
// out[i] = i + 1 + 2 + ... + 10, with a call, s_getpc and branches on the way.
	.include "kernel.inc"
	.text
	.globl	sum
	.p2align 8
	.type	sum,@function
sum:
	s_load_b64 s[4:5], s[0:1], 0x0
	v_lshlrev_b32_e32 v1, 2, v0
	v_mov_b32_e32 v2, v0
	s_mov_b32 s6, 10
	s_getpc_b64 s[8:9]
base:
	s_add_u32 s8, s8, add - base
	s_addc_u32 s9, s9, 0
next:
	s_swappc_b64 s[10:11], s[8:9]
	s_sub_u32 s6, s6, 1
	s_cmp_lg_u32 s6, 0
	s_cbranch_scc1 next
	s_cbranch_execz over
	s_waitcnt lgkmcnt(0)
	global_store_b32 v1, v2, s[4:5]
over:
	s_branch forever
	s_trap 2
forever:
	s_mov_b32 s21, 1
	s_cmp_eq_u32 s20, 1
	s_cbranch_scc1 forever
	s_endpgm
	.p2align 4
add:
	v_add_nc_u32_e32 v2, s6, v2
	s_setpc_b64 s[10:11]
.Lend:
	.size	sum, .Lend-sum
	kernel sum
#include META
