// SPDX-License-Identifier: MIT
// out[i] = 500 + i, by way of scratch.
	.include "kernel.inc"
	.text
	.globl	private
	.p2align 8
	.type	private,@function
private:
	s_load_b64 s[4:5], s[0:1], 0x0
	v_lshlrev_b32_e32 v1, 2, v0
	v_add_nc_u32_e32 v2, 0x1f4, v0
	scratch_store_b32 off, v2, off offset:8
	s_waitcnt_vscnt null, 0x0
saved:
	s_waitcnt lgkmcnt(0)
	scratch_load_b32 v3, off, off offset:8
	s_waitcnt vmcnt(0)
	global_store_b32 v1, v3, s[4:5]
	s_endpgm
.Lend:
	.size	private, .Lend-private
	kernel private, 1, 0, 64, 1
#include META
