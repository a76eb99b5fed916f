// fahrenheit.s: out[i] = in[i] * 1.8 + 32. Or so its author meant: there is a bug in it, which the
// demo finds (make demo).
//
//     breakwater run examples/fahrenheit.s --grid 128 --group 64
//         --arg in=iota:128 --arg out=zeros:128 --print out:8

	.amdgcn_target "amdgcn-amd-amdhsa--gfx1100"
	.text
	.globl	fahrenheit
	.p2align 8
	.type	fahrenheit,@function
fahrenheit:
	s_load_b128 s[4:7], s[0:1], null        // in, out
	s_lshl_b32 s3, s2, 6                    // first work-item of this group of 64
	v_add_nc_u32_e32 v1, s3, v0             // i
	v_lshlrev_b32_e32 v1, 2, v1             // as a byte offset
	s_waitcnt lgkmcnt(0)
	global_load_b32 v2, v1, s[4:5]          // degrees Celsius
	s_mov_b32 s8, 0x3fe66666                // 1.8
	s_mov_b32 s9, 0x41b80000                // the offset
	s_waitcnt vmcnt(0)
	v_mul_f32_e32 v3, s8, v2
	v_add_f32_e32 v4, s9, v3
	global_store_b32 v1, v4, s[6:7]         // degrees Fahrenheit
	s_endpgm
.Lend:
	.size	fahrenheit, .Lend-fahrenheit

	.section .rodata
	.p2align 6
	.amdhsa_kernel fahrenheit
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_next_free_vgpr 5
		.amdhsa_next_free_sgpr 10
		.amdhsa_wavefront_size32 1
	.end_amdhsa_kernel

	.amdgpu_metadata
---
amdhsa.version: [1, 2]
amdhsa.target: amdgcn-amd-amdhsa--gfx1100
amdhsa.kernels:
  - .name: fahrenheit
    .symbol: fahrenheit.kd
    .kernarg_segment_size: 16
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 32
    .sgpr_count: 10
    .vgpr_count: 5
    .max_flat_workgroup_size: 64
    .args:
      - { .name: in, .type_name: 'float*', .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global }
      - { .name: out, .type_name: 'float*', .offset: 8, .size: 8, .value_kind: global_buffer, .address_space: global }
...
	.end_amdgpu_metadata
