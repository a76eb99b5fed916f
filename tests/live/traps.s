// SPDX-License-Identifier: MIT
// Traps of the shader's own and an illegal instruction; then writes 3.
	.include "kernel.inc"
	.text
	.globl	traps
	.p2align 8
	.type	traps,@function
traps:
	s_load_b64 s[4:5], s[0:1], 0x0
	v_lshlrev_b32_e32 v1, 2, v0
	s_mov_b32 s6, 1
	s_trap 3
	s_add_u32 s6, s6, 1
	s_trap 9
	s_add_u32 s6, s6, 1
	.long 0xbfff0000
	v_mov_b32_e32 v2, s6
	s_waitcnt lgkmcnt(0)
	global_store_b32 v1, v2, s[4:5]
	s_endpgm
.Lend:
	.size	traps, .Lend-traps
	kernel traps
#include META
