// out[i] = 100, counted in a loop. Wave32.
	.amdgcn_target "amdgcn-amd-amdhsa--gfx1100"
	.text
	.globl	count
	.p2align 8
	.type	count,@function
count:
	s_load_b64 s[4:5], s[0:1], null         // out
	v_lshlrev_b32 v1, 2, v0
	v_mov_b32 v2, 0
	s_movk_i32 s2, 100
again:
	v_add_nc_u32 v2, 1, v2
	s_sub_u32 s2, s2, 1
	s_cmp_lg_u32 s2, 0
spin:
	s_cbranch_scc1 again
	s_waitcnt lgkmcnt(0)
store:
	global_store_b32 v1, v2, s[4:5]
	s_endpgm
.Lend:
	.size	count, .Lend-count

	.section .rodata
	.p2align 6
	.amdhsa_kernel count
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_next_free_vgpr 8
		.amdhsa_next_free_sgpr 8
		.amdhsa_wavefront_size32 1
	.end_amdhsa_kernel

	.amdgpu_metadata
amdhsa.version: [ 1, 2 ]
amdhsa.target: amdgcn-amd-amdhsa--gfx1100
amdhsa.kernels:
  - .name: count
    .symbol: count.kd
    .kernarg_segment_size: 8
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 32
    .sgpr_count: 8
    .vgpr_count: 8
    .max_flat_workgroup_size: 64
    .args:
      - .name: out
        .type_name: 'unsigned int*'
        .offset: 0
        .size: 8
        .value_kind: global_buffer
        .address_space: global
...
	.end_amdgpu_metadata
