// Each workgroup counts itself: out[id] += 1. Number 100 never ends, number 101 writes where nothing is mapped.
	.amdgcn_target "amdgcn-amd-amdhsa--gfx1100"
	.text
	.globl	steps
	.p2align 8
	.type	steps,@function
steps:
	s_load_b64 s[4:5], s[0:1], null         // out
	v_mov_b32 v1, 1
	s_lshl_b32 s2, s15, 2
	v_mov_b32 v0, s2
	s_cmp_eq_u32 s15, 100
	s_cbranch_scc1 again
	s_waitcnt lgkmcnt(0)
	s_cmp_eq_u32 s15, 101
	s_cbranch_scc0 count
	s_mov_b32 s4, 0x56789000
	s_mov_b32 s5, 0x1234
count:
	s_mov_b32 exec_lo, 1                    // one lane
	global_atomic_add_u32 v0, v1, s[4:5]
	s_endpgm
again:
	s_sleep 1
	s_branch again
.Lend:
	.size	steps, .Lend-steps

	.section .rodata
	.p2align 6
	.amdhsa_kernel steps
		.amdhsa_kernarg_size 8
		.amdhsa_user_sgpr_count 15
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
  - .name: steps
    .symbol: steps.kd
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
