// Registers that nobody has written: v9 is stored, s20 decides about a branch, and s22 is part of an address. In the
// right kernels they are written; undefined bits of others are masked away, or are in lanes that do not count.
	.amdgcn_target "amdgcn-amd-amdhsa--gfx1100"

	.macro kernel name
	.text
	.globl	\name
	.p2align 8
	.type	\name,@function
\name:
	s_load_b64 s[4:5], s[0:1], 0x8          // out
	v_and_b32 v1, 0x3ff, v0
	v_lshlrev_b32 v1, 2, v1
	s_waitcnt lgkmcnt(0)
	.endm

	.macro end name
	s_endpgm
.Lend_\name:
	.size	\name, .Lend_\name-\name
	.section .rodata
	.p2align 6
	.amdhsa_kernel \name
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_next_free_vgpr 16
		.amdhsa_next_free_sgpr 32
		.amdhsa_wavefront_size32 1
	.end_amdhsa_kernel
	.endm

	kernel store_wrong
	v_add_nc_u32 v2, v9, v1
	global_store_b32 v1, v2, s[4:5]
	end store_wrong

	kernel store_right
	v_mov_b32 v9, 5
	v_add_nc_u32 v2, v9, v1
	v_and_b32 v3, 0, v8                     // 0, whatever v8 is
	v_xor_b32 v4, v7, v7
	v_add3_u32 v2, v2, v3, v4
	v_lshrrev_b32 v5, 32 - 8, v6            // the byte that is undefined is shifted out again
	v_lshl_or_b32 v5, v5, 24, v1
	v_and_b32 v5, 0xffffff, v5
	v_add_nc_u32 v2, v2, v5
	s_mov_b32 m0, 3
	v_movreld_b32 v8, v2                    // v11, while other registers are undefined
	v_movrels_b32 v2, v8
	v_add_nc_u32 v2, v2, v11
	global_store_b32 v1, v2, s[4:5]
	end store_right

	kernel branch_wrong
	s_cmp_gt_i32 s20, 3
	s_cbranch_scc0 .Lskip_wrong
	global_store_b32 v1, v1, s[4:5]
.Lskip_wrong:
	end branch_wrong

	kernel branch_right
	s_bfe_u32 s21, s20, 0x40000             // 0 to 15
	s_cmp_gt_u32 s21, 15
	s_cbranch_scc1 .Lskip_right
	v_cmp_gt_u32 vcc_lo, 8, v9              // undefined, and of lanes that the next mask has not
	s_and_b32 vcc_lo, vcc_lo, 0
	s_cbranch_vccnz .Lskip_right
	v_writelane_b32 v10, s4, 3              // the other lanes are not read
	v_writelane_b32 v10, s5, 4
	v_readlane_b32 s8, v10, 3
	v_readlane_b32 s9, v10, 4
	global_store_b32 v1, v1, s[8:9]
.Lskip_right:
	end branch_right

	kernel address_wrong
	s_and_b32 s22, s22, 0x7c
	v_add_nc_u32 v1, s22, v1
	global_store_b32 v1, v0, s[4:5]
	end address_wrong

	kernel address_right
	s_mov_b32 s22, 0x7c
	s_and_b32 s22, s22, 0x7c
	v_add_nc_u32 v1, s22, v1
	global_store_b32 v1, v0, s[4:5]
	end address_right

	.amdgpu_metadata
---
amdhsa.version: [1, 2]
amdhsa.target: amdgcn-amd-amdhsa--gfx1100
amdhsa.kernels:
  - .name: store_wrong
    .symbol: store_wrong.kd
    .kernarg_segment_size: 16
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 32
    .sgpr_count: 32
    .vgpr_count: 16
    .max_flat_workgroup_size: 128
    .args:
      - {.name: in, .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global}
      - {.name: out, .offset: 8, .size: 8, .value_kind: global_buffer, .address_space: global}
  - .name: store_right
    .symbol: store_right.kd
    .kernarg_segment_size: 16
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 32
    .sgpr_count: 32
    .vgpr_count: 16
    .max_flat_workgroup_size: 128
    .args:
      - {.name: in, .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global}
      - {.name: out, .offset: 8, .size: 8, .value_kind: global_buffer, .address_space: global}
  - .name: branch_wrong
    .symbol: branch_wrong.kd
    .kernarg_segment_size: 16
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 32
    .sgpr_count: 32
    .vgpr_count: 16
    .max_flat_workgroup_size: 128
    .args:
      - {.name: in, .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global}
      - {.name: out, .offset: 8, .size: 8, .value_kind: global_buffer, .address_space: global}
  - .name: branch_right
    .symbol: branch_right.kd
    .kernarg_segment_size: 16
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 32
    .sgpr_count: 32
    .vgpr_count: 16
    .max_flat_workgroup_size: 128
    .args:
      - {.name: in, .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global}
      - {.name: out, .offset: 8, .size: 8, .value_kind: global_buffer, .address_space: global}
  - .name: address_wrong
    .symbol: address_wrong.kd
    .kernarg_segment_size: 16
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 32
    .sgpr_count: 32
    .vgpr_count: 16
    .max_flat_workgroup_size: 128
    .args:
      - {.name: in, .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global}
      - {.name: out, .offset: 8, .size: 8, .value_kind: global_buffer, .address_space: global}
  - .name: address_right
    .symbol: address_right.kd
    .kernarg_segment_size: 16
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 32
    .sgpr_count: 32
    .vgpr_count: 16
    .max_flat_workgroup_size: 128
    .args:
      - {.name: in, .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global}
      - {.name: out, .offset: 8, .size: 8, .value_kind: global_buffer, .address_space: global}
...
	.end_amdgpu_metadata
