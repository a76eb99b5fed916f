// Halts with known values: s20, s21, v4 (32 bits that differ in each lane), M0 and EXEC. Nothing resumes it.
	.amdgcn_target "amdgcn-amd-amdhsa--gfx1100"
	.text
	.globl	known
	.p2align 8
	.type	known,@function
known:
	s_mov_b32 s20, 0x12345678
	s_mov_b32 s21, 0x9abcdef0
	s_mov_b32 m0, 0x0badcafe
	v_mul_u32_u24 v4, 0x10203, v0
	v_xor_b32 v5, 0xffffffff, v4
	s_mov_b32 exec_lo, 0x0ff0f00f
	s_sethalt 1
	s_nop 0
	s_endpgm
.Lend:
	.size	known, .Lend-known

	.section .rodata
	.p2align 6
	.amdhsa_kernel known
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
  - .name: known
    .symbol: known.kd
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
