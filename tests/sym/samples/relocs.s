// SPDX-License-Identifier: MIT
// Addresses in data: what a loader has to put right.
	.amdgcn_target "amdgcn-amd-amdhsa--gfx1100"
	.text
	.globl	k
	.p2align 8
	.type	k,@function
k:
	s_endpgm
.Lend:
	.size	k, .Lend-k
	.data
	.globl	table
	.p2align 3
	.type	table,@object
table:
	.quad	local + 4
	.quad	table
	.quad	perhaps
	.size	table, 24
	.weak	perhaps
local:
	.long	1, 2
	.section .rodata
	.p2align 6
	.amdhsa_kernel k
		.amdhsa_next_free_vgpr 1
		.amdhsa_next_free_sgpr 1
	.end_amdhsa_kernel
