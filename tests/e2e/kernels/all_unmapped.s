// Each lane of all waves writes to a page of its own from `addr` on.
	.amdgcn_target "amdgcn-amd-amdhsa--gfx1100"
	.text
	.globl	all_unmapped
	.p2align 8
	.type	all_unmapped,@function
all_unmapped:
	s_load_b128 s[4:7], s[0:1], null        // out, addr
	v_lshlrev_b32 v1, 14, v0
	s_lshl_b32 s2, s2, 20
	v_mov_b32 v5, 1
	s_waitcnt lgkmcnt(0)
	s_add_u32 s4, s6, s2
	s_addc_u32 s5, s7, 0
	global_store_b32 v1, v5, s[4:5]
	s_endpgm
.Lend:
	.size	all_unmapped, .Lend-all_unmapped

	.section .rodata
	.p2align 6
	.amdhsa_kernel all_unmapped
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
  - .name: all_unmapped
    .symbol: all_unmapped.kd
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
