// Each group of 256 reverses its part of `in` through LDS.
	.amdgcn_target "amdgcn-amd-amdhsa--gfx1100"
	.text
	.globl	reverse
	.p2align 8
	.type	reverse,@function
reverse:
	s_load_b128 s[4:7], s[0:1], null        // in, out
	s_lshl_b32 s3, s2, 8                    // groups of 256
	v_add_nc_u32 v1, s3, v0
	v_lshlrev_b32 v1, 2, v1
	v_lshlrev_b32 v2, 2, v0
	s_waitcnt lgkmcnt(0)
	global_load_b32 v3, v1, s[4:5]
	s_waitcnt vmcnt(0)
	ds_store_b32 v2, v3
	s_waitcnt lgkmcnt(0)
	s_barrier
after:
	v_xor_b32 v4, 0x3fc, v2
	ds_load_b32 v5, v4
	s_waitcnt lgkmcnt(0)
	global_store_b32 v1, v5, s[6:7]
	s_endpgm
.Lend:
	.size	reverse, .Lend-reverse

	.section .rodata
	.p2align 6
	.amdhsa_kernel reverse
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_group_segment_fixed_size 1024
		.amdhsa_next_free_vgpr 8
		.amdhsa_next_free_sgpr 24
		.amdhsa_wavefront_size32 1
	.end_amdhsa_kernel

	.amdgpu_metadata
---
amdhsa.version: [1, 2]
amdhsa.target: amdgcn-amd-amdhsa--gfx1100
amdhsa.kernels:
  - .name: reverse
    .symbol: reverse.kd
    .kernarg_segment_size: 16
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 1024
    .private_segment_fixed_size: 0
    .wavefront_size: 32
    .sgpr_count: 24
    .vgpr_count: 8
    .max_flat_workgroup_size: 256
    .args:
      - { .name: in, .type_name: 'uint*', .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global }
      - { .name: out, .type_name: 'uint*', .offset: 8, .size: 8, .value_kind: global_buffer, .address_space: global }
...
	.end_amdgpu_metadata
