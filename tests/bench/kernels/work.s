// 20,000 rounds of a loop of 11 instructions: work for the executor.
	.amdgcn_target "amdgcn-amd-amdhsa--gfx1100"
	.text
	.globl	work
	.p2align 8
	.type	work,@function
work:
	s_load_b64 s[4:5], s[0:1], null
	s_lshl_b32 s3, s2, 6
	v_add_nc_u32 v1, s3, v0
	v_lshlrev_b32 v7, 2, v1
	v_mov_b32 v2, 0
	s_mov_b32 s6, 20000
again:
	v_add_nc_u32 v2, v2, v1
	v_xor_b32 v3, v2, v1
	v_lshlrev_b32 v4, 3, v3
	v_lshrrev_b32 v5, 5, v3
	v_or_b32 v4, v4, v5
	v_mul_u32_u24 v5, 77, v4
	v_add_nc_u32 v2, v2, v5
	v_and_b32 v1, v2, v3
	s_sub_i32 s6, s6, 1
	s_cmp_lg_u32 s6, 0
	s_cbranch_scc1 again
	s_waitcnt lgkmcnt(0)
	global_store_b32 v7, v2, s[4:5]
	s_endpgm
.Lend:
	.size	work, .Lend-work

	.section .rodata
	.p2align 6
	.amdhsa_kernel work
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_next_free_vgpr 8
		.amdhsa_next_free_sgpr 24
		.amdhsa_wavefront_size32 1
	.end_amdhsa_kernel

	.amdgpu_metadata
---
amdhsa.version: [1, 2]
amdhsa.target: amdgcn-amd-amdhsa--gfx1100
amdhsa.kernels:
  - .name: work
    .symbol: work.kd
    .kernarg_segment_size: 8
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 32
    .sgpr_count: 24
    .vgpr_count: 8
    .max_flat_workgroup_size: 1024
    .args:
      - { .name: out, .type_name: 'uint*', .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global }
...
	.end_amdgpu_metadata
