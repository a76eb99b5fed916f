// Fills every register of a wave of gfx942 with values that name them, AccVGPRs among them; runs a stretch of code that
// changes none of them; writes them all out. As everything.inc does for gfx11; test_mi300x_debug.py knows the same values.
//
//   SGPR n       0x5a000000 + n          but s[100:101]: where to write
//   FLAT_SCRATCH, XNACK_MASK             0x77000066 77000067, 0x77000068 77000069
//   VGPR n       lane << 16 | 0xa000 + n
//   AccVGPR n    lane << 16 | 0xb000 + n
//   VCC, EXEC    0x1234567 c1c2c3c4 / 0xf0f1f2f3 e0e1e2e7
//   M0 0x00c0ffee   SCC 1   MODE: round up, f32 denormals kept
//
// Output of wave n, from out + n * 0x21000 (bytes):
//   0x00000  v0 to v255, a0 to a255      (256 bytes each)
//   0x20000  s0 to s99, then from 0x20200 on: VCC, EXEC, M0, MODE, FLAT_SCRATCH, XNACK_MASK
	.amdgcn_target "amdgcn-amd-amdhsa--gfx942"
	.set STRIDE, 0x21000
	.text
	.globl everything
	.p2align 8
	.type everything,@function
everything:
	s_load_dwordx2 s[100:101], s[0:1], 0x0
	s_mul_i32 s8, s2, STRIDE
	v_mbcnt_lo_u32_b32 v0, -1, 0
	v_mbcnt_hi_u32_b32 v0, -1, v0
	v_lshlrev_b32 v0, 16, v0
	.set i, 0
	.rept 256
	v_or_b32 v1, 0xb000 + i, v0
	v_accvgpr_write_b32 a[i], v1
	.set i, i + 1
	.endr
	.set i, 1
	.rept 255
	v_or_b32 v[i], 0xa000 + i, v0
	.set i, i + 1
	.endr
	v_or_b32 v0, 0xa000, v0
	s_waitcnt lgkmcnt(0)
	s_add_u32 s100, s100, s8
	s_addc_u32 s101, s101, 0
	.set i, 0
	.rept 100
	s_mov_b32 s[i], 0x5a000000 + i
	.set i, i + 1
	.endr
	s_mov_b32 flat_scratch_lo, 0x77000066
	s_mov_b32 flat_scratch_hi, 0x77000067
	s_mov_b32 xnack_mask_lo, 0x77000068
	s_mov_b32 xnack_mask_hi, 0x77000069
	s_mov_b32 vcc_lo, 0xc1c2c3c4
	s_mov_b32 vcc_hi, 0x01234567
	s_mov_b32 m0, 0x00c0ffee
	s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 8), 0xf1
	s_mov_b32 exec_lo, 0xe0e1e2e7
	s_mov_b32 exec_hi, 0xf0f1f2f3
	s_cmp_eq_u32 m0, m0                     // SCC = 1
	.globl stretch
stretch:
	s_nop 0
	v_nop
	s_mov_b32 s7, 0x5a000007
	v_mov_b32 v9, v9
	v_or_b32 v10, 0, v10
	s_cbranch_scc0 1f
	s_cbranch_scc1 1f
	s_endpgm
1:
	s_branch 2f
	s_endpgm
2:
	v_add3_u32 v11, v11, 0, 0
	s_getpc_b64 s[20:21]
	s_mov_b32 s20, 0x5a000014
	s_mov_b32 s21, 0x5a000015
	s_cselect_b32 s22, 0x5a000016, 0
	v_accvgpr_read_b32 v12, a12
	v_accvgpr_write_b32 a12, v12
	v_mov_b32 v12, v13
	v_sub_u32 v12, v12, 1
	// M0[7:0] = 20: v_mov reads v44; then as it was
	s_mov_b32 m0, s99
	s_set_gpr_idx_on s20, 0x1
	v_mov_b32 v14, v24
	s_nop 0
	s_set_gpr_idx_off
	v_sub_u32 v14, v14, 30
	s_mov_b32 m0, 0x00c0ffee
	s_nop 0
	.globl stretch_end
stretch_end:
	s_nop 1

	// SCC first: what follows changes it. A wrong one spoils M0.
	s_cbranch_scc1 3f
	s_mov_b32 m0, 0xbad
3:
	.set i, 0
	.rept 25
	s_store_dwordx4 s[i:i+3], s[100:101], 0x20000 + i * 4
	.set i, i + 4
	.endr
	s_waitcnt lgkmcnt(0)
	s_mov_b64 s[0:1], vcc
	s_mov_b64 s[2:3], exec
	s_mov_b32 s4, m0
	s_getreg_b32 s5, hwreg(HW_REG_MODE, 0, 8)
	s_mov_b64 s[6:7], flat_scratch
	s_mov_b64 s[8:9], xnack_mask
	s_store_dwordx4 s[0:3], s[100:101], 0x20200
	s_store_dwordx4 s[4:7], s[100:101], 0x20210
	s_store_dwordx2 s[8:9], s[100:101], 0x20220
	s_waitcnt lgkmcnt(0)
	s_dcache_wb
	s_mov_b64 exec, -1
	// A descriptor that adds the lane's number * 4
	s_mov_b32 s0, s100
	s_and_b32 s1, s101, 0xffff
	s_or_b32 s1, s1, 4 << 16
	s_mov_b32 s2, -1
	s_mov_b32 s3, 0x00807fac
	s_mov_b32 s4, 0
	.set i, 0
	.rept 256
	buffer_store_dword v[i], off, s[0:3], s4
	s_add_u32 s4, s4, 256
	.set i, i + 1
	.endr
	.set i, 0
	.rept 256
	buffer_store_dword a[i], off, s[0:3], s4
	s_add_u32 s4, s4, 256
	.set i, i + 1
	.endr
	s_endpgm
	.rodata
	.amdhsa_kernel everything
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_kernarg_size 8
		.amdhsa_next_free_vgpr 512
		.amdhsa_accum_offset 256
		.amdhsa_next_free_sgpr 102
	.end_amdhsa_kernel
	.amdgpu_metadata
---
amdhsa.version: [1, 2]
amdhsa.kernels:
  - .name: everything
    .symbol: everything.kd
    .kernarg_segment_size: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .wavefront_size: 64
    .sgpr_count: 102
    .vgpr_count: 512
    .max_flat_workgroup_size: 64
    .args:
      - { .name: out, .size: 8, .offset: 0, .value_kind: global_buffer, .address_space: global }
...
	.end_amdgpu_metadata
