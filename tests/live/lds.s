// SPDX-License-Identifier: MIT
// Each item writes 1000 + its number into LDS and stores what its neighbour wrote (the last one its own).
	.include "kernel.inc"
	.text
	.globl	neighbour
	.p2align 8
	.type	neighbour,@function
neighbour:
	s_load_b64 s[4:5], s[0:1], 0x0
	s_lshl_b32 s6, s15, 6
	v_add_nc_u32_e32 v1, s6, v0
	v_add_nc_u32_e32 v2, 0x3e8, v1
	v_lshlrev_b32_e32 v3, 2, v0
	ds_store_b32 v3, v2
written:
	s_waitcnt lgkmcnt(0)
	s_barrier
	v_add_nc_u32_e32 v4, 1, v0
	v_min_u32_e32 v4, 63, v4
	v_lshlrev_b32_e32 v4, 2, v4
	ds_load_b32 v5, v4
	v_lshlrev_b32_e32 v1, 2, v1
	s_waitcnt lgkmcnt(0)
	global_store_b32 v1, v5, s[4:5]
	s_endpgm
.Lend:
	.size	neighbour, .Lend-neighbour
	kernel neighbour, 1, 256
#include META
