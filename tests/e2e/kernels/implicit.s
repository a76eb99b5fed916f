// Registers that instructions read and write without naming them, in wave64: `early` uses each too early,
// `waited` waits first.
	.amdgcn_target "amdgcn-amd-amdhsa--gfx1100"
	.text
	.globl	early
	.p2align 8
	.type	early,@function
early:
	v_mov_b32_e32 v1, 1
	s_and_saveexec_b64 s[4:5], -1           // writes EXEC
	v_mov_b32_e32 v2, 2
	v_add_nc_u32_e32 v3, v1, v2
	s_waitcnt_depctr 0xfff
	v_mov_b32_e32 v1, 1
	s_and_not0_wrexec_b64 s[4:5], 0         // writes EXEC
	v_mov_b32_e32 v2, 2
	v_add_nc_u32_e32 v3, v1, v2
	s_load_b64 vcc, s[0:1], null
	s_cbranch_vccz .Learly_next             // reads VCC
.Learly_next:
	s_waitcnt lgkmcnt(0)
	s_load_b64 vcc, s[0:1], null
	v_div_fmas_f32 v4, v0, v0, v0           // reads VCC
	s_waitcnt lgkmcnt(0)
	s_sendmsg_rtn_b32 m0, sendmsg(MSG_RTN_GET_DOORBELL)
	v_movrels_b32_e32 v5, v0                // reads M0
	s_waitcnt lgkmcnt(0)
	s_endpgm
.Learly_end:
	.size	early, .Learly_end-early

	.globl	waited
	.p2align 8
	.type	waited,@function
waited:
	v_mov_b32_e32 v1, 1
	s_and_saveexec_b64 s[4:5], -1
	v_mov_b32_e32 v2, 2
	s_waitcnt_depctr 0xfff
	v_add_nc_u32_e32 v3, v1, v2
	v_mov_b32_e32 v1, 1
	s_and_not0_wrexec_b64 s[4:5], 0
	v_mov_b32_e32 v2, 2
	s_waitcnt_depctr 0xfff
	v_add_nc_u32_e32 v3, v1, v2
	s_load_b64 vcc, s[0:1], null
	v_cmp_eq_u32_e64 s[4:5], v0, v0         // a mask of its own: not VCC
	s_waitcnt lgkmcnt(0)
	s_cbranch_vccz .Lwaited_next
.Lwaited_next:
	s_load_b64 vcc, s[0:1], null
	s_waitcnt lgkmcnt(0)
	v_div_fmas_f32 v4, v0, v0, v0
	s_sendmsg_rtn_b32 m0, sendmsg(MSG_RTN_GET_DOORBELL)
	s_waitcnt lgkmcnt(0)
	v_movrels_b32_e32 v5, v0
	s_endpgm
.Lwaited_end:
	.size	waited, .Lwaited_end-waited

	.macro	descriptor name
	.amdhsa_kernel \name
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_info 0
		.amdhsa_group_segment_fixed_size 0
		.amdhsa_next_free_vgpr 8
		.amdhsa_next_free_sgpr 24
		.amdhsa_wavefront_size32 0
	.end_amdhsa_kernel
	.endm

	.section .rodata
	.p2align 6
	descriptor early
	.p2align 6
	descriptor waited

	.amdgpu_metadata
---
amdhsa.version: [1, 2]
amdhsa.target: amdgcn-amd-amdhsa--gfx1100
amdhsa.kernels:
  - .name: early
    .symbol: early.kd
    .kernarg_segment_size: 8
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 24
    .vgpr_count: 8
    .max_flat_workgroup_size: 64
    .args:
      - { .name: in, .type_name: 'uint*', .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global }
  - .name: waited
    .symbol: waited.kd
    .kernarg_segment_size: 8
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 24
    .vgpr_count: 8
    .max_flat_workgroup_size: 64
    .args:
      - { .name: in, .type_name: 'uint*', .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global }
...
	.end_amdgpu_metadata
