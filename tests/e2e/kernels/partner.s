// Half of the group waits at a barrier for the other half, which spins for ever.
	.amdgcn_target "amdgcn-amd-amdhsa--gfx1100"
	.text
	.globl	partner
	.p2align 8
	.type	partner,@function
partner:
	v_cmp_gt_u32 vcc_lo, 32, v0
	s_cbranch_vccz spins
	s_nop 0
meets:
	s_barrier
	s_nop 1
	s_endpgm
spins:
	s_sleep 1
	s_branch spins
.Lend:
	.size	partner, .Lend-partner

	.section .rodata
	.p2align 6
	.amdhsa_kernel partner
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
  - .name: partner
    .symbol: partner.kd
    .kernarg_segment_size: 0
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 32
    .sgpr_count: 24
    .vgpr_count: 8
    .max_flat_workgroup_size: 64
    .args: []
...
	.end_amdgpu_metadata
