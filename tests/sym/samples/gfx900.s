// SPDX-License-Identifier: MIT
// For another GPU.
	.amdgcn_target "amdgcn-amd-amdhsa--gfx900"
	.text
	.globl	k
	.p2align 8
	.type	k,@function
k:
	s_endpgm
.Lend:
	.size	k, .Lend-k
	.section .rodata
	.p2align 6
	.amdhsa_kernel k
		.amdhsa_next_free_vgpr 9
		.amdhsa_next_free_sgpr 8
	.end_amdhsa_kernel
