// out[i] = in[i] + 1, but for the first s_waitcnt vmcnt(0) that somebody forgot.
	.amdgcn_target "amdgcn-amd-amdhsa--gfx1100"
	.text
	.globl	nowait
	.p2align 8
	.type	nowait,@function
nowait:
	s_load_b128 s[4:7], s[0:1], null        // in, out
	v_lshlrev_b32 v1, 2, v0
	s_waitcnt lgkmcnt(0)
	global_load_b32 v2, v1, s[4:5]
	v_add_nc_u32 v2, 1, v2
	s_waitcnt vmcnt(0)
	global_store_b32 v1, v2, s[6:7]
	global_store_b32 v1, v7, s[6:7] offset:128
	s_endpgm
.Lend:
	.size	nowait, .Lend-nowait

	.section .rodata
	.p2align 6
	.amdhsa_kernel nowait
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
  - .name: nowait
    .symbol: nowait.kd
    .kernarg_segment_size: 16
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 32
    .sgpr_count: 24
    .vgpr_count: 8
    .max_flat_workgroup_size: 32
    .args:
      - { .name: in, .type_name: 'uint*', .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global }
      - { .name: out, .type_name: 'uint*', .offset: 8, .size: 8, .value_kind: global_buffer, .address_space: global }
...
	.end_amdgpu_metadata
