// SPDX-License-Identifier: MIT
// Lanes from 8 on write to 0x1000 + 4 * lane, where nothing is mapped.
	.include "kernel.inc"
	.text
	.globl	fault
	.p2align 8
	.type	fault,@function
fault:
	s_load_b64 s[4:5], s[0:1], 0x0
	v_and_b32_e32 v6, 31, v0
	v_lshlrev_b32_e32 v1, 2, v6
	v_mov_b32_e32 v5, 0
	s_waitcnt lgkmcnt(0)
	v_add_nc_u32_e32 v2, s4, v1
	v_mov_b32_e32 v3, s5
	v_add_nc_u32_e32 v4, 0x1000, v1
	v_cmp_lt_u32_e32 vcc_lo, 7, v6
	v_cndmask_b32_e32 v2, v2, v4, vcc_lo
	v_cndmask_b32_e32 v3, v3, v5, vcc_lo
wild:
	global_store_b32 v[2:3], v1, off
	s_endpgm
.Lend:
	.size	fault, .Lend-fault
	kernel fault
#include META
