// out[i] = the float exceptions so far, as the shader sees them (TRAPSTS 6:0): none is enabled. Wave32.
	.amdgcn_target "amdgcn-amd-amdhsa--gfx1100"
	.text
	.globl	sticky
	.p2align 8
	.type	sticky,@function
sticky:
	s_load_b64 s[4:5], s[0:1], null         // out
	v_lshlrev_b32 v1, 2, v0
	v_mov_b32 v2, 0
	v_rcp_f32 v3, v2                        // divides by zero
between:
	v_mov_b32 v4, 0x7f7fffff
	v_mul_f32 v4, v4, v4                    // overflows, and is not exact
	s_nop 0
look:
	s_getreg_b32 s2, hwreg(HW_REG_TRAPSTS, 0, 7)
	v_mov_b32 v2, s2
	s_waitcnt lgkmcnt(0)
store:
	global_store_b32 v1, v2, s[4:5]
	s_endpgm
.Lend:
	.size	sticky, .Lend-sticky

	.section .rodata
	.p2align 6
	.amdhsa_kernel sticky
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_next_free_vgpr 8
		.amdhsa_next_free_sgpr 8
		.amdhsa_wavefront_size32 1
	.end_amdhsa_kernel

	.amdgpu_metadata
amdhsa.version: [ 1, 2 ]
amdhsa.target: amdgcn-amd-amdhsa--gfx1100
amdhsa.kernels:
  - .name: sticky
    .symbol: sticky.kd
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
