// Writes 3 * i + 7 for each work-item i, then hangs: its waves branch to themselves.
	.amdgcn_target "amdgcn-amd-amdhsa--gfx1100"
	.text
	.globl	stuck
	.p2align 8
	.type	stuck,@function
stuck:
	s_load_b64 s[4:5], s[0:1], 0x0
	s_lshl_b32 s6, s2, 5
	v_add_nc_u32 v1, s6, v0
	v_mul_u32_u24 v2, 3, v1
	v_add_nc_u32 v2, 7, v2
	v_lshlrev_b32 v3, 2, v1
	s_movk_i32 s20, 0x1234
	s_waitcnt lgkmcnt(0)
	global_store_b32 v3, v2, s[4:5]
	s_waitcnt_vscnt null, 0x0
hang:
	s_branch hang // here
	s_endpgm
.Lend:
	.size	stuck, .Lend-stuck

	.section .rodata
	.p2align 6
	.amdhsa_kernel stuck
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
  - .name: stuck
    .symbol: stuck.kd
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
