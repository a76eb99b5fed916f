// Lane 5 reads at `addr`, the others read out[0].
	.amdgcn_target "amdgcn-amd-amdhsa--gfx1100"
	.text
	.globl	unmapped
	.p2align 8
	.type	unmapped,@function
unmapped:
	s_load_b128 s[4:7], s[0:1], null        // out, addr
	v_lshlrev_b32 v1, 2, v0
	s_waitcnt lgkmcnt(0)
	v_mov_b32 v2, s4
	v_mov_b32 v3, s5
	v_cmp_eq_u32 vcc_lo, 5, v0              // lane 5 takes the bad address
	v_cndmask_b32 v2, v2, s6, vcc_lo
	v_mov_b32 v4, s7
	v_cndmask_b32 v3, v3, v4, vcc_lo
	global_load_b32 v5, v[2:3], off
	s_waitcnt vmcnt(0)
	global_store_b32 v1, v5, s[4:5]
	s_endpgm
.Lend:
	.size	unmapped, .Lend-unmapped

	.section .rodata
	.p2align 6
	.amdhsa_kernel unmapped
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
  - .name: unmapped
    .symbol: unmapped.kd
    .kernarg_segment_size: 16
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 32
    .sgpr_count: 24
    .vgpr_count: 8
    .max_flat_workgroup_size: 1024
    .args:
      - { .name: out, .type_name: 'uint*', .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global }
      - { .name: addr, .type_name: 'ulong', .offset: 8, .size: 8, .value_kind: by_value }
...
	.end_amdgpu_metadata
