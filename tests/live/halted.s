// SPDX-License-Identifier: MIT
// Its waves halt themselves, those of the first workgroup one instruction later than the others.
	.include "kernel.inc"
	.text
	.globl	halted
	.p2align 8
	.type	halted,@function
halted:
	s_load_b64 s[4:5], s[0:1], 0x0
	s_lshl_b32 s6, s15, 5
	v_add_nc_u32_e32 v1, s6, v0
	v_add_nc_u32_e32 v2, 0x3e8, v1
	s_waitcnt lgkmcnt(0)
	s_cmp_eq_u32 s15, 0
	s_cbranch_scc1 first
	s_sethalt 1
	s_nop 1
first:
	s_sethalt 1
	s_nop 2
	s_endpgm
.Lend:
	.size	halted, .Lend-halted
	kernel halted
#include META
