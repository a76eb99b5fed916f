// AccVGPRs of gfx942, which follow the other VGPRs: registers 8 to 15 of 16 are a0 to a7. Stores each lane's number by
// way of a3, and GPR_ALLOC after the 64 of them.
	.amdgcn_target "amdgcn-amd-amdhsa--gfx942"
	.text
	.globl accum
	.p2align 8
	.type accum,@function
accum:
	s_load_dwordx2 s[4:5], s[0:1], 0x0
	v_and_b32 v0, 0x3ff, v0
	v_accvgpr_write_b32 a3, v0
	v_lshlrev_b32 v1, 2, v0
	v_accvgpr_read_b32 v2, a3
	s_getreg_b32 s6, hwreg(HW_REG_GPR_ALLOC)
	v_mov_b32 v3, s6
	v_mov_b32 v4, 0
	s_waitcnt lgkmcnt(0)
	global_store_dword v1, v2, s[4:5]
	global_store_dword v4, v3, s[4:5] offset:256
	s_endpgm
	.rodata
	.amdhsa_kernel accum
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_kernarg_size 8
		.amdhsa_next_free_vgpr 16
		.amdhsa_accum_offset 8
		.amdhsa_next_free_sgpr 16
	.end_amdhsa_kernel
	.amdgpu_metadata
---
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: accum
    .symbol: accum.kd
    .kernarg_segment_size: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .wavefront_size: 64
    .sgpr_count: 16
    .vgpr_count: 16
    .max_flat_workgroup_size: 1024
    .args:
      - { .name: out, .size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global }
...
	.end_amdgpu_metadata
