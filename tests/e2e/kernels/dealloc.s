// out[i] = i; the registers are given back before the end, at `last`. Wave32.
	.amdgcn_target "amdgcn-amd-amdhsa--gfx1100"
	.text
	.globl	dealloc
	.p2align 8
	.type	dealloc,@function
dealloc:
	s_load_b64 s[4:5], s[0:1], null
	s_lshl_b32 s3, s2, 6                    // groups of 64
	v_add_nc_u32 v1, s3, v0                 // i
	v_lshlrev_b32 v2, 2, v1
	s_waitcnt lgkmcnt(0)
	global_store_b32 v2, v1, s[4:5]
	s_nop 0
	s_sendmsg sendmsg(MSG_DEALLOC_VGPRS)
last:
	s_endpgm
.Lend:
	.size	dealloc, .Lend-dealloc

	.section .rodata
	.p2align 6
	.amdhsa_kernel dealloc
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
  - .name: dealloc
    .symbol: dealloc.kd
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
