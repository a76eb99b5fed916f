// SPDX-License-Identifier: MIT
// Hand-written assembly that says what its arguments are, and whose code has labels.
	.amdgcn_target "amdgcn-amd-amdhsa--gfx1100"
	.text
	.globl	scale
	.p2align 8
	.type	scale,@function
scale:
	s_load_b128 s[4:7], s[0:1], null
loop:
	s_sub_u32 s8, s8, 1
	s_cbranch_scc0 loop
done:
	s_endpgm
.Lend:
	.size	scale, .Lend-scale
	.section .rodata
	.p2align 6
	.amdhsa_kernel scale
		.amdhsa_group_segment_fixed_size 1024
		.amdhsa_private_segment_fixed_size 16
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_next_free_vgpr 40
		.amdhsa_next_free_sgpr 16
		.amdhsa_wavefront_size32 0
	.end_amdhsa_kernel
	.amdgpu_metadata
---
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: scale
    .symbol: scale.kd
    .kernarg_segment_size: 16
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 1024
    .private_segment_fixed_size: 16
    .wavefront_size: 64
    .sgpr_count: 16
    .vgpr_count: 40
    .max_flat_workgroup_size: 256
    .reqd_workgroup_size: [64, 2, 1]
    .args:
      - .name: out
        .type_name: 'float*'
        .value_kind: global_buffer
        .address_space: global
        .offset: 0
        .size: 8
      - .name: factor
        .type_name: float
        .value_kind: by_value
        .offset: 8
        .size: 4
      - .name: scratch
        .value_kind: dynamic_shared_pointer
        .offset: 12
        .size: 4
...
	.end_amdgpu_metadata
