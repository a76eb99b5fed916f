// Kernels in pairs for test_check.py: two workgroups, of which each loads what the other one has by a scalar load, as
// compilers do for three dwords or one byte, and stores to its own, where the other one needs it, or where it does not.
	.amdgcn_target "amdgcn-amd-amdhsa--gfx1100"
	.text

.macro kernel name, load, store, offset
	.globl	\name
	.p2align 8
	.type	\name,@function
\name:
	s_load_b128 s[4:7], s[0:1], null        // in, out
	s_xor_b32 s8, s2, 1
	s_lshl_b32 s8, s8, 4
	s_lshl_b32 s9, s2, 4
	v_mov_b32 v1, s9
	v_mov_b32 v2, 1
	s_waitcnt lgkmcnt(0)
	.if \load
	s_load_b128 s[12:15], s[6:7], s8
	.else
	s_load_b32 s12, s[6:7], s8
	.endif
	s_waitcnt lgkmcnt(0)
	\store v1, v2, s[6:7] offset:\offset
	s_endpgm
	.size	\name, .-\name

	.section .rodata
	.p2align 6
	.amdhsa_kernel \name
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_next_free_vgpr 8
		.amdhsa_next_free_sgpr 24
		.amdhsa_wavefront_size32 1
	.end_amdhsa_kernel
	.text
.endm
	kernel wide_wrong, 1, global_store_b32, 8
	kernel wide_right, 1, global_store_b32, 12
	kernel byte_wrong, 0, global_store_b32, 0
	kernel byte_right, 0, global_store_b8, 3

	.amdgpu_metadata
---
amdhsa.version: [1, 2]
amdhsa.target: amdgcn-amd-amdhsa--gfx1100
amdhsa.kernels:
  - .name: wide_wrong
    .symbol: wide_wrong.kd
    .kernarg_segment_size: 16
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 32
    .sgpr_count: 24
    .vgpr_count: 8
    .max_flat_workgroup_size: 256
    .args:
      - { .name: in, .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global }
      - { .name: out, .offset: 8, .size: 8, .value_kind: global_buffer, .address_space: global }
  - .name: wide_right
    .symbol: wide_right.kd
    .kernarg_segment_size: 16
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 32
    .sgpr_count: 24
    .vgpr_count: 8
    .max_flat_workgroup_size: 256
    .args:
      - { .name: in, .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global }
      - { .name: out, .offset: 8, .size: 8, .value_kind: global_buffer, .address_space: global }
  - .name: byte_wrong
    .symbol: byte_wrong.kd
    .kernarg_segment_size: 16
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 32
    .sgpr_count: 24
    .vgpr_count: 8
    .max_flat_workgroup_size: 256
    .args:
      - { .name: in, .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global }
      - { .name: out, .offset: 8, .size: 8, .value_kind: global_buffer, .address_space: global }
  - .name: byte_right
    .symbol: byte_right.kd
    .kernarg_segment_size: 16
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 32
    .sgpr_count: 24
    .vgpr_count: 8
    .max_flat_workgroup_size: 256
    .args:
      - { .name: in, .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global }
      - { .name: out, .offset: 8, .size: 8, .value_kind: global_buffer, .address_space: global }
...
	.end_amdgpu_metadata
