// SPDX-License-Identifier: MIT
// Calls in assembly, by conventions of its own: link registers s[4:5] and s[8:9], kept in SGPRs and in lanes.
	.amdgcn_target "amdgcn-amd-amdhsa--gfx1100"
	.text
	.globl	calls
	.p2align 8
	.type	calls,@function
calls:
	s_load_b64 s[0:1], s[0:1], null
	v_lshlrev_b32_e32 v1, 2, v0
	s_movk_i32 s12, 2
.Lagain:
	s_getpc_b64 s[2:3]
	s_add_u32 s2, s2, outer-.Lhere
	s_addc_u32 s3, s3, 0
.Lhere = .Lagain+4
	s_swappc_b64 s[4:5], s[2:3]
	s_sub_u32 s12, s12, 1
	s_cmp_lg_u32 s12, 0
	s_cbranch_scc1 .Lagain
	s_waitcnt lgkmcnt(0)
	global_store_b32 v1, v0, s[0:1]
	s_endpgm
.Lend:
	.size	calls, .Lend-calls
outer:
	s_mov_b64 s[6:7], s[4:5]
	s_call_b64 s[8:9], inner
	s_mov_b64 s[4:5], s[6:7]
	s_setpc_b64 s[4:5]
inner:
	v_writelane_b32 v2, s8, 5
	v_writelane_b32 v2, s9, 6
	s_mov_b64 s[8:9], 0
	v_add_nc_u32_e32 v0, 3, v0
	s_cmp_eq_u32 s12, 1
	s_cbranch_scc1 .Lout
	v_add_nc_u32_e32 v0, 4, v0
.Lout:
	v_readlane_b32 s9, v2, 6
	v_readlane_b32 s8, v2, 5
	s_setpc_b64 s[8:9]

	.section .rodata
	.p2align 6
	.amdhsa_kernel calls
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_next_free_vgpr 3
		.amdhsa_next_free_sgpr 16
		.amdhsa_wavefront_size32 1
	.end_amdhsa_kernel
