; SPDX-License-Identifier: MIT
; One of each kind that --fidelity tells of, in two waves: exact, within 1 ULP, approximate, unusual (a
; VGPR that the wave does not have), the two halves of a pair; and behind a branch that is taken when the
; second argument is 0, what is not executed. Labels count: 2 waves times 4 turns of the loop.
	.amdgcn_target "amdgcn-amd-amdhsa--gfx1100"
	.text
	.globl approx
	.p2align 8
	.type approx,@function
approx:
	s_load_b32 s4, s[0:1], 0x0
	s_mov_b32 s5, 4
	v_cvt_f32_u32 v1, v0
.Lloop:
	v_exp_f32 v2, v1
	v_rcp_f32 v3, v1
	s_sub_u32 s5, s5, 1
	s_cmp_lg_u32 s5, 0
	s_cbranch_scc1 .Lloop
	v_wmma_f32_16x16x16_f16 v[8:15], v[16:23], v[16:23], v[8:15]
	v_mov_b32 v4, v200
	v_dual_mov_b32 v2, v1 :: v_dual_dot2acc_f32_f16 v5, v6, v7
	s_waitcnt lgkmcnt(0)
	s_cmp_eq_u32 s4, 0
	s_cbranch_scc1 .Lend
	exp mrt0 v0, v0, v0, v0 done
.Lend:
	s_endpgm
.Lfunc_end:
	.size approx, .Lfunc_end-approx

	.rodata
	.p2align 6
	.amdhsa_kernel approx
		.amdhsa_kernarg_size 4
		.amdhsa_user_sgpr_count 15
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_wavefront_size32 1
		.amdhsa_next_free_vgpr 24
		.amdhsa_next_free_sgpr 16
	.end_amdhsa_kernel

	.amdgpu_metadata
---
amdhsa.version: [ 1, 2 ]
amdhsa.target: amdgcn-amd-amdhsa--gfx1100
amdhsa.kernels:
  - .name: approx
    .symbol: approx.kd
    .kernarg_segment_size: 4
    .kernarg_segment_align: 4
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 32
    .sgpr_count: 16
    .vgpr_count: 24
    .max_flat_workgroup_size: 1024
    .args:
      - { .name: export, .size: 4, .offset: 0, .value_kind: by_value, .value_type: i32 }
...
	.end_amdgpu_metadata
