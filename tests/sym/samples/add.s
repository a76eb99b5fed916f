	.amdgcn_target "amdgcn-amd-amdhsa--gfx1100"
	.text
	.globl	add
	.p2align 8
	.type	add,@function
add:
	s_load_b64 s[0:1], s[0:1], null      // kernarg: out
	v_lshlrev_b32_e32 v1, 2, v0
	v_add_nc_u32_e32 v2, 5, v0
	s_waitcnt lgkmcnt(0)
	global_store_b32 v1, v2, s[0:1]
	s_sendmsg sendmsg(MSG_DEALLOC_VGPRS)
	s_endpgm
.Lend:
	.size	add, .Lend-add
	.section .rodata
	.p2align 6
	.amdhsa_kernel add
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_next_free_vgpr 3
		.amdhsa_next_free_sgpr 4
		.amdhsa_wavefront_size32 1
	.end_amdhsa_kernel
	// SPDX-License-Identifier: MIT
