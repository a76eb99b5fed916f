// Halts itself, and then would end.
	.amdgcn_target "amdgcn-amd-amdhsa--gfx1100"
	.text
	.globl	halt
	.p2align 8
	.type	halt,@function
halt:
	v_mov_b32 v1, 0
	s_mov_b32 m0, 0x4d30
	s_sethalt 1
	s_sendmsghalt sendmsg(MSG_INTERRUPT)
	s_endpgm
.Lend:
	.size	halt, .Lend-halt

	.section .rodata
	.p2align 6
	.amdhsa_kernel halt
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
  - .name: halt
    .symbol: halt.kd
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
