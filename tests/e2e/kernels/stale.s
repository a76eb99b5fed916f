// Each work-item of workgroup WHICH stores what it finds where nobody has put anything;
// those of the other workgroups store 1. One kernel for each place: LDS, scratch memory, a VGPR, an SGPR.
	.amdgcn_target "amdgcn-amd-amdhsa--gfx1100"
	.text

	.macro	begin name
	.globl	\name
	.p2align 8
	.type	\name,@function
\name:
	s_load_b128 s[4:7], s[0:1], null        // out, the workgroup that reads
	v_lshlrev_b32_e32 v0, 2, v0
	s_lshl_b32 s2, s15, 7                   // 32 items of 4 bytes
	v_add_nc_u32_e32 v1, s2, v0
	v_mov_b32_e32 v2, 1
	s_waitcnt lgkmcnt(0)
	s_cmp_lg_u32 s15, s6
	s_cbranch_scc1 .Lstore_\name
	.endm

	.macro	end name, lds, scratch
.Lstore_\name:
	global_store_b32 v1, v2, s[4:5]
	s_endpgm
.Lend_\name:
	.size	\name, .Lend_\name-\name
	.section .rodata
	.p2align 6
	.amdhsa_kernel \name
		.amdhsa_group_segment_fixed_size \lds
		.amdhsa_private_segment_fixed_size \scratch
		.amdhsa_enable_private_segment \scratch / 16
		.amdhsa_kernarg_size 16
		.amdhsa_user_sgpr_count 15
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_next_free_vgpr 16
		.amdhsa_next_free_sgpr 40
		.amdhsa_wavefront_size32 1
	.end_amdhsa_kernel
	.text
	.endm

	begin	stale_lds
	ds_load_b32 v2, v0 offset:128
	s_waitcnt lgkmcnt(0)
	end	stale_lds, 512, 0

	begin	stale_scratch
	scratch_load_b32 v2, off, off offset:4
	s_waitcnt vmcnt(0)
	end	stale_scratch, 0, 16

	begin	stale_vgpr
	v_mov_b32_e32 v2, v9
	end	stale_vgpr, 0, 0

	begin	stale_sgpr
	v_mov_b32_e32 v2, s30
	end	stale_sgpr, 0, 0

	.amdgpu_metadata
---
amdhsa.version: [1, 2]
amdhsa.target: amdgcn-amd-amdhsa--gfx1100
amdhsa.kernels:
  - { .name: stale_lds, .symbol: stale_lds.kd, .kernarg_segment_size: 16, .kernarg_segment_align: 8, .group_segment_fixed_size: 512,
      .private_segment_fixed_size: 0, .wavefront_size: 32, .sgpr_count: 40, .vgpr_count: 16, .max_flat_workgroup_size: 1024, .args: [
        { .name: out, .type_name: 'uint*', .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global },
        { .name: which, .type_name: 'uint', .offset: 8, .size: 4, .value_kind: by_value }] }
  - { .name: stale_scratch, .symbol: stale_scratch.kd, .kernarg_segment_size: 16, .kernarg_segment_align: 8, .group_segment_fixed_size: 0,
      .private_segment_fixed_size: 16, .wavefront_size: 32, .sgpr_count: 40, .vgpr_count: 16, .max_flat_workgroup_size: 1024, .args: [
        { .name: out, .type_name: 'uint*', .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global },
        { .name: which, .type_name: 'uint', .offset: 8, .size: 4, .value_kind: by_value }] }
  - { .name: stale_vgpr, .symbol: stale_vgpr.kd, .kernarg_segment_size: 16, .kernarg_segment_align: 8, .group_segment_fixed_size: 0,
      .private_segment_fixed_size: 0, .wavefront_size: 32, .sgpr_count: 40, .vgpr_count: 16, .max_flat_workgroup_size: 1024, .args: [
        { .name: out, .type_name: 'uint*', .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global },
        { .name: which, .type_name: 'uint', .offset: 8, .size: 4, .value_kind: by_value }] }
  - { .name: stale_sgpr, .symbol: stale_sgpr.kd, .kernarg_segment_size: 16, .kernarg_segment_align: 8, .group_segment_fixed_size: 0,
      .private_segment_fixed_size: 0, .wavefront_size: 32, .sgpr_count: 40, .vgpr_count: 16, .max_flat_workgroup_size: 1024, .args: [
        { .name: out, .type_name: 'uint*', .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global },
        { .name: which, .type_name: 'uint', .offset: 8, .size: 4, .value_kind: by_value }] }
...
	.end_amdgpu_metadata
