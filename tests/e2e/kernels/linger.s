// A loop with a store and a division by zero in it; at the end each lane stores its wave's MODE, too. Exceptions
// that a debugger catches are enabled in MODE (19:12) while it is attached, also in waves that are past the loop:
// these bits are left out.
	.amdgcn_target "amdgcn-amd-amdhsa--gfx1100"
	.text
	.globl	linger
	.p2align 8
	.type	linger,@function
linger:
	s_load_b64 s[4:5], s[0:1], null
	s_lshl_b32 s3, s2, 6
	v_add_nc_u32 v1, s3, v0
	v_lshlrev_b32 v2, 3, v1
	v_mov_b32 v3, v1
	v_mov_b32 v4, 0
	s_movk_i32 s8, 1000
	s_waitcnt lgkmcnt(0)
loop:
	v_mul_lo_u32 v3, v3, 5
	v_add_nc_u32 v3, 1, v3
	v_rcp_f32 v5, v4
	global_store_b32 v2, v3, s[4:5]
	s_sub_u32 s8, s8, 1
	s_cmp_lg_u32 s8, 0
	s_cbranch_scc1 loop
	s_getreg_b32 s9, hwreg(HW_REG_MODE)
	s_and_b32 s9, s9, 0xffe00fff
	v_mov_b32 v6, s9
	global_store_b32 v2, v6, s[4:5] offset:4
	s_endpgm
.Lend:
	.size	linger, .Lend-linger

	.section .rodata
	.p2align 6
	.amdhsa_kernel linger
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_next_free_vgpr 8
		.amdhsa_next_free_sgpr 24
		.amdhsa_wavefront_size32 1
	.end_amdhsa_kernel

	.amdgpu_metadata
---
amdhsa.version: [1, 2]
amdhsa.target: amdgcn-amd-amdhsa--gfx1100
amdhsa.kernels:
  - .name: linger
    .symbol: linger.kd
    .kernarg_segment_size: 8
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 32
    .sgpr_count: 24
    .vgpr_count: 8
    .max_flat_workgroup_size: 64
    .args:
      - { .name: out, .type_name: 'uint*', .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global }
...
	.end_amdgpu_metadata
