// Code in which EXEC has other lanes than the program's: as LLVM spills SGPRs at -O0, as its
// prologues save the inactive lanes of VGPRs, and with a move instead of s_or_saveexec; and code
// that sets EXEC and is none of these. Lanes 1, 2 and 4 are active.
	.amdgcn_target "amdgcn-amd-amdhsa--gfx1100"
	.text
	.globl	whole_wave
	.p2align 8
	.type	whole_wave,@function
whole_wave:
	s_mov_b32 exec_lo, 0x16
	v_mov_b32 v1, 7
	s_or_saveexec_b32 s34, -1
in_or:
	v_mov_b32 v2, 1
	s_nop 0
	s_mov_b32 exec_lo, s34
behind_or:
	s_nop 0
	s_xor_saveexec_b32 s4, -1
in_xor:
	v_mov_b32 v2, 2
	s_mov_b32 exec_lo, -1
in_xor_all:
	v_mov_b32 v3, 2
	s_mov_b32 exec_lo, s4
	s_mov_b32 vcc_lo, exec_lo
	s_nop 0
	s_mov_b32 exec_lo, -1
in_move:
	v_mov_b32 v2, 3
	s_mov_b32 exec_lo, vcc_lo
	s_or_saveexec_b32 s34, -1
	s_mov_b32 s34, 0
overwritten:
	s_nop 0
	s_endpgm
.Lend:
	.size	whole_wave, .Lend-whole_wave

	.section .rodata
	.p2align 6
	.amdhsa_kernel whole_wave
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_next_free_vgpr 8
		.amdhsa_next_free_sgpr 40
		.amdhsa_wavefront_size32 1
	.end_amdhsa_kernel

	.amdgpu_metadata
---
amdhsa.version: [1, 2]
amdhsa.target: amdgcn-amd-amdhsa--gfx1100
amdhsa.kernels:
  - .name: whole_wave
    .symbol: whole_wave.kd
    .kernarg_segment_size: 8
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 32
    .sgpr_count: 40
    .vgpr_count: 8
    .max_flat_workgroup_size: 1024
    .args:
      - { .name: out, .type_name: 'uint*', .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global }
...
	.end_amdgpu_metadata
