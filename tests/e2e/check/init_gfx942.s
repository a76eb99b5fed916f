// What gfx942 alone has, as in init.s: AccVGPRs, sums of matrix products, parts of registers (SDWA), lanes from anywhere
// in the wave (DPP), indexed VGPRs, and results of 16 bits with zeros above them.
	.amdgcn_target "amdgcn-amd-amdhsa--gfx942"

	.macro kernel name
	.text
	.globl	\name
	.p2align 8
	.type	\name,@function
\name:
	s_load_dwordx2 s[4:5], s[0:1], 0x8      // out
	v_and_b32 v1, 0x3f, v0
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
		.amdhsa_next_free_vgpr 64
		.amdhsa_accum_offset 32
		.amdhsa_next_free_sgpr 32
	.end_amdhsa_kernel
	.endm

	.macro product name, elements
	kernel \name
	v_mov_b32 v2, 1.0
	.set i, 0
	.rept \elements
	v_accvgpr_write_b32 a[i], 0
	.set i, i + 1
	.endr
	s_nop 4
	v_mfma_f32_32x32x2_f32 a[0:15], v2, v2, a[0:15]
	s_nop 15
	s_nop 15
	v_accvgpr_read_b32 v3, a15
	global_store_dword v1, v3, s[4:5]
	end \name
	.endm
	product sums_wrong, 15                  // a15 is left out
	product sums_right, 16

	kernel acc_wrong
	v_accvgpr_read_b32 v3, a7
	global_store_dword v1, v3, s[4:5]
	end acc_wrong

	kernel acc_right
	v_accvgpr_write_b32 a7, v1
	v_accvgpr_mov_b32 a8, a7
	v_accvgpr_read_b32 v3, a8
	global_store_dword v1, v3, s[4:5]
	end acc_right

	// Byte 1 is written, and it is byte 2 that is taken.
	kernel part_wrong
	v_add_u32_sdwa v9, v1, v1 dst_sel:BYTE_1 dst_unused:UNUSED_PRESERVE src0_sel:DWORD src1_sel:DWORD
	v_add_u32_sdwa v3, v9, v1 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_2 src1_sel:DWORD
	global_store_dword v1, v3, s[4:5]
	end part_wrong

	kernel part_right
	v_add_u32_sdwa v9, v1, v1 dst_sel:BYTE_1 dst_unused:UNUSED_PRESERVE src0_sel:DWORD src1_sel:DWORD
	v_add_u32_sdwa v3, v9, v1 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_1 src1_sel:DWORD
	v_add_u32_sdwa v10, v3, v3 dst_sel:WORD_0 dst_unused:UNUSED_PAD src0_sel:DWORD src1_sel:DWORD
	v_add_u32 v3, v3, v10
	v_add_f16 v11, v1, v1                   // zeros above it
	v_add_u32 v3, v3, v11
	v_pk_mov_b32 v[12:13], v[2:3], v[2:3] op_sel:[1,1] op_sel_hi:[1,1]
	v_add_u32 v3, v12, v13
	global_store_dword v1, v3, s[4:5]
	end part_right

	// Lane 0 of a wave has no lane before it, and keeps what nobody has written.
	kernel lanes_wrong
	v_mov_b32_dpp v9, v1 wave_shr:1 row_mask:0xf bank_mask:0xf
	global_store_dword v1, v9, s[4:5]
	end lanes_wrong

	kernel lanes_right
	v_mov_b32_dpp v9, v1 wave_ror:1 row_mask:0xf bank_mask:0xf
	global_store_dword v1, v9, s[4:5]
	end lanes_right

	kernel indexed_wrong
	s_mov_b32 s8, 3
	v_mov_b32 v12, v1
	s_set_gpr_idx_on s8, gpr_idx(SRC0)
	v_mov_b32 v2, v8                        // v11
	s_set_gpr_idx_off
	global_store_dword v1, v2, s[4:5]
	end indexed_wrong

	kernel indexed_right
	s_mov_b32 s8, 3
	s_set_gpr_idx_on s8, gpr_idx(DST)
	v_mov_b32 v8, v1                        // v11
	s_set_gpr_idx_off
	v_mov_b32 v2, v11
	global_store_dword v1, v2, s[4:5]
	end indexed_right

	.amdgpu_metadata
---
amdhsa.version: [1, 2]
amdhsa.target: amdgcn-amd-amdhsa--gfx942
amdhsa.kernels:
  - .name: sums_wrong
    .symbol: sums_wrong.kd
    .kernarg_segment_size: 16
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 32
    .vgpr_count: 64
    .max_flat_workgroup_size: 128
    .args:
      - {.name: in, .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global}
      - {.name: out, .offset: 8, .size: 8, .value_kind: global_buffer, .address_space: global}
  - .name: sums_right
    .symbol: sums_right.kd
    .kernarg_segment_size: 16
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 32
    .vgpr_count: 64
    .max_flat_workgroup_size: 128
    .args:
      - {.name: in, .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global}
      - {.name: out, .offset: 8, .size: 8, .value_kind: global_buffer, .address_space: global}
  - .name: acc_wrong
    .symbol: acc_wrong.kd
    .kernarg_segment_size: 16
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 32
    .vgpr_count: 64
    .max_flat_workgroup_size: 128
    .args:
      - {.name: in, .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global}
      - {.name: out, .offset: 8, .size: 8, .value_kind: global_buffer, .address_space: global}
  - .name: acc_right
    .symbol: acc_right.kd
    .kernarg_segment_size: 16
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 32
    .vgpr_count: 64
    .max_flat_workgroup_size: 128
    .args:
      - {.name: in, .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global}
      - {.name: out, .offset: 8, .size: 8, .value_kind: global_buffer, .address_space: global}
  - .name: part_wrong
    .symbol: part_wrong.kd
    .kernarg_segment_size: 16
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 32
    .vgpr_count: 64
    .max_flat_workgroup_size: 128
    .args:
      - {.name: in, .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global}
      - {.name: out, .offset: 8, .size: 8, .value_kind: global_buffer, .address_space: global}
  - .name: part_right
    .symbol: part_right.kd
    .kernarg_segment_size: 16
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 32
    .vgpr_count: 64
    .max_flat_workgroup_size: 128
    .args:
      - {.name: in, .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global}
      - {.name: out, .offset: 8, .size: 8, .value_kind: global_buffer, .address_space: global}
  - .name: lanes_wrong
    .symbol: lanes_wrong.kd
    .kernarg_segment_size: 16
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 32
    .vgpr_count: 64
    .max_flat_workgroup_size: 128
    .args:
      - {.name: in, .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global}
      - {.name: out, .offset: 8, .size: 8, .value_kind: global_buffer, .address_space: global}
  - .name: lanes_right
    .symbol: lanes_right.kd
    .kernarg_segment_size: 16
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 32
    .vgpr_count: 64
    .max_flat_workgroup_size: 128
    .args:
      - {.name: in, .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global}
      - {.name: out, .offset: 8, .size: 8, .value_kind: global_buffer, .address_space: global}
  - .name: indexed_wrong
    .symbol: indexed_wrong.kd
    .kernarg_segment_size: 16
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 32
    .vgpr_count: 64
    .max_flat_workgroup_size: 128
    .args:
      - {.name: in, .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global}
      - {.name: out, .offset: 8, .size: 8, .value_kind: global_buffer, .address_space: global}
  - .name: indexed_right
    .symbol: indexed_right.kd
    .kernarg_segment_size: 16
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 32
    .vgpr_count: 64
    .max_flat_workgroup_size: 128
    .args:
      - {.name: in, .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global}
      - {.name: out, .offset: 8, .size: 8, .value_kind: global_buffer, .address_space: global}
...
	.end_amdgpu_metadata
