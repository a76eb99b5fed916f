// out[i] = 1 / x[i], with an instruction for each exception that a debugger may catch. Wave32.
	.amdgcn_target "amdgcn-amd-amdhsa--gfx1100"
	.text
	.globl	excp
	.p2align 8
	.type	excp,@function
excp:
	s_load_b128 s[4:7], s[0:1], null        // x, out
	v_lshlrev_b32 v1, 2, v0
	s_waitcnt lgkmcnt(0)
	global_load_b32 v2, v1, s[4:5]
	s_waitcnt vmcnt(0)
divide:
	v_rcp_f32 v3, v2                        // 1 / 0: division by zero
overflow:
	v_mul_f32 v4, 0x7f000000, v2            // 2^127 * x
invalid:
	v_sqrt_f32 v5, v2                       // of a negative number
integer:
	v_rcp_iflag_f32 v6, v2                  // how compilers divide integers: by zero
	global_store_b32 v1, v3, s[6:7]
	s_endpgm
.Lend:
	.size	excp, .Lend-excp

	.section .rodata
	.p2align 6
	.amdhsa_kernel excp
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_next_free_vgpr 8
		.amdhsa_next_free_sgpr 8
		.amdhsa_wavefront_size32 1
	.end_amdhsa_kernel

	.amdgpu_metadata
amdhsa.version: [ 1, 2 ]
amdhsa.target: amdgcn-amd-amdhsa--gfx1100
amdhsa.kernels:
  - .name: excp
    .symbol: excp.kd
    .kernarg_segment_size: 16
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 32
    .sgpr_count: 8
    .vgpr_count: 8
    .max_flat_workgroup_size: 64
    .args:
      - .name: x
        .type_name: 'float*'
        .offset: 0
        .size: 8
        .value_kind: global_buffer
        .address_space: global
      - .name: out
        .type_name: 'float*'
        .offset: 8
        .size: 8
        .value_kind: global_buffer
        .address_space: global
...
	.end_amdgpu_metadata
