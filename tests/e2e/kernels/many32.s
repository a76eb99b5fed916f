// out[i] = i * 3, and 1000 more for odd i: half the lanes of each wave diverge. Wave32.
	.amdgcn_target "amdgcn-amd-amdhsa--gfx1100"
	.text
	.globl	many
	.p2align 8
	.type	many,@function
many:
	s_load_b64 s[4:5], s[0:1], null
	s_lshl_b32 s3, s2, 6                    // groups of 64
	v_add_nc_u32 v1, s3, v0                 // i
	v_lshlrev_b32 v2, 2, v1
	v_mul_u32_u24 v3, 3, v1
	v_and_b32 v4, 1, v1
	v_cmp_eq_u32 vcc_lo, 1, v4
	s_waitcnt lgkmcnt(0)
	s_and_saveexec_b32 s8, vcc_lo             // the odd ones
	s_cbranch_execz join
odd:
	v_add_nc_u32 v3, 0x3e8, v3
join:
	s_or_b32 exec_lo, exec_lo, s8
	global_store_b32 v2, v3, s[4:5]
	s_endpgm
.Lend:
	.size	many, .Lend-many

	.section .rodata
	.p2align 6
	.amdhsa_kernel many
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
  - .name: many
    .symbol: many.kd
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
