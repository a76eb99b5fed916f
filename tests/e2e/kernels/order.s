// What the atomics return depends on the order of 512 waves: each adds what it got, and gives it to a
// neighbour through LDS.
	.amdgcn_target "amdgcn-amd-amdhsa--gfx1100"
	.text
	.globl	order
	.p2align 8
	.type	order,@function
order:
	s_load_b64 s[4:5], s[0:1], null
	v_mov_b32 v1, 0
	v_mov_b32 v2, 1
	v_lshlrev_b32 v5, 2, v0
	s_waitcnt lgkmcnt(0)
	global_atomic_add_u32 v3, v1, v2, s[4:5] glc
	s_waitcnt vmcnt(0)
	ds_store_b32 v5, v3
	s_waitcnt lgkmcnt(0)
	s_barrier
	v_xor_b32 v6, 0xfc, v5
	ds_load_b32 v4, v6
	v_and_b32 v7, 0x3f, v3
	v_lshlrev_b32 v7, 2, v7
	s_waitcnt lgkmcnt(0)
	global_atomic_add_u32 v7, v4, s[4:5] offset:512
	s_endpgm
.Lend:
	.size	order, .Lend-order

	.section .rodata
	.p2align 6
	.amdhsa_kernel order
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
  - .name: order
    .symbol: order.kd
    .kernarg_segment_size: 8
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 1024
    .private_segment_fixed_size: 0
    .wavefront_size: 32
    .sgpr_count: 24
    .vgpr_count: 8
    .max_flat_workgroup_size: 256
    .args:
      - { .name: out, .type_name: 'uint*', .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global }
...
	.end_amdgpu_metadata
