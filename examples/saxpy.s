// saxpy: out[i] = a * x[i] + y[i], one work-item an element.
//
//     breakwater run examples/saxpy.s --grid 256 --group 64 --arg a=2.0 \
//         --arg x=iota:256 --arg y=fill:256:1 --arg out=zeros:256 --print out:8
//
// Registers at the start: s[0:1] address of the arguments, s15 workgroup id, v0 work-item of the
// group (wave32).

	.text
	.globl	saxpy
	.p2align 8
	.type	saxpy,@function
saxpy:
	s_load_b32 s4, s[0:1], 0x0              // a
	s_load_b128 s[8:11], s[0:1], 0x8        // x, y
	s_load_b64 s[12:13], s[0:1], 0x18       // out
	s_lshl_b32 s2, s15, 6                   // first element of this group: id * 64
	v_add_nc_u32_e32 v1, s2, v0             // element of this lane
	v_lshlrev_b32_e32 v1, 2, v1             // and its byte offset
	s_waitcnt lgkmcnt(0)
load:
	global_load_b32 v2, v1, s[8:9]          // x[i]
	global_load_b32 v3, v1, s[10:11]        // y[i]
	s_waitcnt vmcnt(0)
compute:
	v_fmac_f32_e32 v3, s4, v2               // a * x[i] + y[i]
store:
	global_store_b32 v1, v3, s[12:13]
	s_endpgm
.Lend:
	.size	saxpy, .Lend-saxpy

	.rodata
	.p2align 6
	.amdhsa_kernel saxpy
		.amdhsa_kernarg_size 32
		.amdhsa_user_sgpr_count 15
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_vgpr_workitem_id 0
		.amdhsa_wavefront_size32 1
		.amdhsa_next_free_vgpr 4
		.amdhsa_next_free_sgpr 16
	.end_amdhsa_kernel

	.amdgpu_metadata
---
amdhsa.version: [ 1, 2 ]
amdhsa.target: amdgcn-amd-amdhsa--gfx1100
amdhsa.kernels:
  - .name: saxpy
    .symbol: saxpy.kd
    .kernarg_segment_size: 32
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 32
    .sgpr_count: 16
    .vgpr_count: 4
    .max_flat_workgroup_size: 64
    .reqd_workgroup_size: [ 64, 1, 1 ]
    .args:
      - .name: a
        .type_name: float
        .offset: 0
        .size: 4
        .value_kind: by_value
      - .name: x
        .type_name: 'float*'
        .offset: 8
        .size: 8
        .value_kind: global_buffer
        .address_space: global
      - .name: !str y          # a bare y would be read as a truth value
        .type_name: 'float*'
        .offset: 16
        .size: 8
        .value_kind: global_buffer
        .address_space: global
      - .name: out
        .type_name: 'float*'
        .offset: 24
        .size: 8
        .value_kind: global_buffer
        .address_space: global
...
	.end_amdgpu_metadata
