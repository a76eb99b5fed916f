; Pairs of instructions of gfx942 that want wait states between them, each twice: with as many as they want
; (NAME_enough), and with one fewer (NAME_short). test_strict_gfx942.c runs them; the numbers are those of LLVM's
; GCNHazardRecognizer. Further kernels are about waits and caches: their names end in what they must give.
	.amdgcn_target "amdgcn-amd-amdhsa--gfx942:xnack-"
	.text

	.macro begin name
	.globl \name
	.p2align 8
	.type \name,@function
\name:
	s_load_dwordx2 s[2:3], s[0:1], 0x0 ; 64 KiB
	v_and_b32_e32 v0, 0x3ff, v0
	v_lshlrev_b32_e32 v1, 4, v0
	.irp n, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
	v_mov_b32_e32 v\n, 0
	.endr
	.irp n, 32, 33, 34, 35, 36, 37, 38, 39
	v_mov_b32_e32 v\n, 0
	.endr
	s_mov_b64 vcc, 0
	s_waitcnt lgkmcnt(0)
	v_mov_b32_e32 v2, s2
	v_mov_b32_e32 v3, s3
	s_mov_b64 s[4:5], s[2:3]
	s_mov_b32 s6, 0
	s_nop 15
	s_nop 7
	.endm

	.macro end name
	s_nop 15
	s_waitcnt vmcnt(0) lgkmcnt(0)
	s_endpgm
	.pushsection .rodata,"a"
	.p2align 6
	.amdhsa_kernel \name
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_kernarg_size 8
		.amdhsa_group_segment_fixed_size 4096
		.amdhsa_next_free_vgpr 80
		.amdhsa_accum_offset 64
		.amdhsa_next_free_sgpr 32
	.end_amdhsa_kernel
	.popsection
	.endm

	.macro states n
	.rept \n
	s_nop 0
	.endr
	.endm

	.macro pair name, n, first, second
	begin \name\()_enough
	\first
	states \n
	\second
	end \name\()_enough
	begin \name\()_short
	\first
	states \n - 1
	\second
	end \name\()_short
	.endm

	; nothing is wanted
	.macro free name, first, second
	begin \name\()_free
	\first
	\second
	end \name\()_free
	.endm

	pair sgpr_vmem, 5, "v_readfirstlane_b32 s4, v2", "global_load_dword v8, v1, s[4:5]"
	pair vcc_valu, 2, "v_cmp_eq_u32_e32 vcc, v4, v5", "v_cndmask_b32_e32 v8, v4, v5, vcc"
	pair sgpr_valu, 2, "v_readfirstlane_b32 s6, v4", "v_add_u32_e32 v8, s6, v5"
	pair carry_valu, 2, "v_add_co_u32_e32 v8, vcc, v4, v5", "v_addc_co_u32_e32 v9, vcc, v6, v7, vcc"
	pair lane, 4, "v_readfirstlane_b32 s6, v4", "v_readlane_b32 s7, v5, s6"
	pair div_fmas, 4, "v_cmp_eq_u32_e32 vcc, v4, v5", "v_div_fmas_f32 v8, v4, v5, v6"
	pair exec_lane, 4, "v_cmpx_eq_u32_e32 vcc, v4, v5", "v_readlane_b32 s7, v5, 0"
	pair exec_dpp, 5, "v_cmpx_eq_u32_e32 vcc, v4, v5", "v_mov_b32_dpp v8, v5 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf"
	pair exec_matrix, 4, "v_cmpx_eq_u32_e32 vcc, v4, v5", "v_mfma_f32_4x4x1_16b_f32 v[8:11], v4, v5, v[8:11]"
	pair readlane, 1, "v_add_u32_e32 v8, v4, v5", "v_readfirstlane_b32 s7, v8"
	pair dpp, 2, "v_add_u32_e32 v8, v4, v5", "v_mov_b32_dpp v9, v8 row_shl:1 row_mask:0xf bank_mask:0xf"
	pair to_matrix, 2, "v_add_u32_e32 v12, v4, v5", "v_mfma_f32_4x4x1_16b_f32 v[8:11], v12, v5, v[8:11]"
	pair trans, 1, "v_exp_f32_e32 v8, v4", "v_add_f32_e32 v9, v8, v5"
	pair part_sdwa, 1, "v_add_u32_sdwa v8, v4, v5 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:DWORD src1_sel:DWORD", "v_add_u32_e32 v9, v8, v5"
	pair part_high, 1, "v_mad_u16 v8, v4, v5, v6 op_sel:[0,0,0,1]", "v_add_u32_e32 v9, v8, v5"
	pair dot_valu, 3, "v_dot4_i32_i8 v8, v4, v5, v6", "v_add_u32_e32 v9, v8, v5"
	pair dot_store, 3, "v_dot4_i32_i8 v8, v4, v5, v6", "global_store_dword v1, v8, s[2:3]"
	pair dot_over, 3, "v_dot4_i32_i8 v8, v4, v5, v6", "v_mov_b32_e32 v8, v5"
	pair dot_ab, 3, "v_dot4_i32_i8 v8, v4, v5, v6", "v_dot4_i32_i8 v9, v8, v5, v6"
	pair store_data, 2, "global_store_dwordx4 v1, v[4:7], s[2:3]", "v_mov_b32_e32 v5, 0"
	pair setreg, 2, "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 0", "s_getreg_b32 s7, hwreg(HW_REG_MODE)"
	pair m0, 1, "s_mov_b32 m0, 0", "ds_write_addtid_b32 v5"
	pair f64_fma, 2, "v_mfma_f64_4x4x4_4b_f64 v[8:9], v[4:5], v[6:7], v[8:9]", "v_fma_f64 v[10:11], v[4:5], v[6:7], v[4:5]"

	; results of matrix instructions
	pair xdl2_valu, 5, "v_mfma_f32_4x4x4_16b_f16 v[8:11], v[4:5], v[6:7], v[8:11]", "v_add_f32_e32 v4, v11, v5"
	pair xdl4_valu, 7, "v_mfma_f32_16x16x16_f16 v[8:11], v[4:5], v[6:7], v[8:11]", "v_add_f32_e32 v4, v11, v5"
	pair xdl8_load, 11, "v_mfma_f32_32x32x8_f16 v[8:23], v[4:5], v[6:7], v[8:23]", "global_load_dword v20, v1, s[2:3]"
	pair xdl16_lds, 19, "v_mfma_f32_32x32x4_2b_f16 v[8:39], v[4:5], v[6:7], v[8:39]", "ds_write_b32 v0, v39"
	pair f32_valu, 10, "v_mfma_f32_16x16x4_f32 v[8:11], v4, v6, v[8:11]", "v_add_f32_e32 v4, v11, v5"
	pair f32_ab, 18, "v_mfma_f32_32x32x2_f32 v[8:23], v4, v6, v[8:23]", "v_mfma_f32_4x4x1_16b_f32 v[24:27], v9, v4, v[24:27]"
	pair f64_valu, 11, "v_mfma_f64_16x16x4_f64 v[8:15], v[4:5], v[6:7], v[8:15]", "v_mov_b32_e32 v4, v9"
	pair f64_store, 18, "v_mfma_f64_16x16x4_f64 v[8:15], v[4:5], v[6:7], v[8:15]", "global_store_dword v1, v9, s[2:3]"
	pair f64_over, 6, "v_mfma_f64_4x4x4_4b_f64 v[8:9], v[4:5], v[6:7], v[8:9]", "v_mov_b32_e32 v9, v4"
	pair f64_small_store, 9, "v_mfma_f64_4x4x4_4b_f64 v[8:9], v[4:5], v[6:7], v[8:9]", "global_store_dword v1, v9, s[2:3]"
	pair f64_same, 4, "v_mfma_f64_4x4x4_4b_f64 v[8:9], v[4:5], v[6:7], v[8:9]", "v_mfma_f64_4x4x4_4b_f64 v[8:9], v[4:5], v[6:7], v[8:9]"
	pair xdl_same, 2, "v_mfma_f32_4x4x4_16b_f16 v[8:11], v[4:5], v[6:7], v[8:11]", "v_mfma_f32_4x4x4_16b_f16 v[8:11], v[4:5], v[6:7], v[8:11]"
	pair xdl_overlap, 5, "v_mfma_f32_16x16x16_f16 v[8:11], v[4:5], v[6:7], v[8:11]", "v_mfma_f32_16x16x16_f16 v[10:13], v[4:5], v[6:7], v[10:13]"
	pair f32_overlap, 8, "v_mfma_f32_16x16x4_f32 v[8:11], v4, v6, v[8:11]", "v_mfma_f32_16x16x4_f32 v[10:13], v4, v6, v[10:13]"
	pair index, 7, "v_mfma_f32_16x16x16_f16 v[8:11], v[4:5], v[6:7], v[8:11]", "v_smfmac_f32_16x16x32_f16 v[12:15], v[4:5], v[16:19], v8"
	pair c_overwritten, 3, "v_mfma_f32_16x16x16_f16 v[12:15], v[4:5], v[6:7], v[8:11]", "v_mov_b32_e32 v9, 0"

	free xdl4_same, "v_mfma_f32_16x16x16_f16 v[8:11], v[4:5], v[6:7], v[8:11]", "v_mfma_f32_16x16x16_f16 v[8:11], v[4:5], v[6:7], v[8:11]"
	free f32_to_xdl, "v_mfma_f32_16x16x4_f32 v[8:11], v4, v6, v[8:11]", "v_mfma_f32_16x16x16_f16 v[10:13], v[4:5], v[6:7], v[10:13]"
	free dot_chain, "v_dot4_i32_i8 v8, v4, v5, v6", "v_dot4_i32_i8 v8, v4, v5, v8"
	free narrow_store, "global_store_dwordx2 v1, v[4:5], s[2:3]", "v_mov_b32_e32 v5, 0"
	free valu, "v_add_u32_e32 v8, v4, v5", "v_add_u32_e32 v9, v8, v5"
	free salu_vmem, "s_mov_b64 s[4:5], s[2:3]", "global_load_dword v8, v1, s[4:5]"

	; stores count in vmcnt, in the order of the loads
	begin stores_counted_free
	global_load_dword v8, v1, s[2:3]
	global_store_dword v1, v4, s[2:3] offset:1024
	s_waitcnt vmcnt(1)
	v_add_u32_e32 v9, v8, v5
	end stores_counted_free
	begin stores_counted_wait
	global_load_dword v8, v1, s[2:3]
	global_store_dword v1, v4, s[2:3] offset:1024
	s_waitcnt vmcnt(2)
	v_add_u32_e32 v9, v8, v5
	end stores_counted_wait

	; FLAT operations return in no order
	begin flat_order_wait
	v_add_co_u32_e32 v2, vcc, v2, v1
	s_nop 1
	v_addc_co_u32_e32 v3, vcc, 0, v3, vcc
	global_load_dword v8, v1, s[2:3]
	flat_load_dword v9, v[2:3]
	s_waitcnt vmcnt(1)
	v_add_u32_e32 v10, v8, v5
	end flat_order_wait
	begin flat_order_free
	v_add_co_u32_e32 v2, vcc, v2, v1
	s_nop 1
	v_addc_co_u32_e32 v3, vcc, 0, v3, vcc
	global_load_dword v8, v1, s[2:3]
	flat_load_dword v9, v[2:3]
	s_waitcnt vmcnt(0)
	v_add_u32_e32 v10, v8, v5
	s_waitcnt lgkmcnt(0)
	v_add_u32_e32 v10, v9, v5
	end flat_order_free

	; none of these has to be waited for, and a full counter waits by itself
	begin flat_many_free
	v_add_co_u32_e32 v2, vcc, v2, v1
	s_nop 1
	v_addc_co_u32_e32 v3, vcc, 0, v3, vcc
	s_mov_b32 s7, 50000
0:
	flat_store_dword v[2:3], v4
	s_sub_u32 s7, s7, 1
	s_cmp_lg_u32 s7, 0
	s_cbranch_scc1 0b
	end flat_many_free

	; LDS returns in order, scalar loads and the time do not
	begin lds_order_free
	ds_read_b32 v8, v0
	ds_read_b32 v9, v0 offset:256
	s_waitcnt lgkmcnt(1)
	v_add_u32_e32 v10, v8, v5
	end lds_order_free
	begin scalar_order_wait
	s_load_dword s8, s[2:3], 0x0
	s_load_dword s9, s[2:3], 0x4
	s_waitcnt lgkmcnt(1)
	s_add_u32 s10, s8, 1
	end scalar_order_wait
	begin time_wait
	s_memtime s[8:9]
	s_add_u32 s10, s8, 1
	end time_wait
	begin time_free
	s_memtime s[8:9]
	s_waitcnt lgkmcnt(0)
	s_add_u32 s10, s8, 1
	end time_free

	; AccVGPRs, and one that nobody has written
	begin acc_wait
	global_load_dword a3, v1, s[2:3]
	v_accvgpr_read_b32 v8, a3
	end acc_wait
	begin acc_init
	global_store_dword v1, v50, s[2:3]
	end acc_init

	; indexed VGPRs: v8 + 2 is being loaded
	begin index_wait
	global_load_dword v10, v1, s[2:3]
	s_mov_b32 s6, 2
	s_set_gpr_idx_on s6, gpr_idx(SRC0)
	v_mov_b32_e32 v11, v8
	s_set_gpr_idx_off
	end index_wait
	begin index_free
	global_load_dword v10, v1, s[2:3]
	s_mov_b32 s6, 3
	s_set_gpr_idx_on s6, gpr_idx(SRC0)
	v_mov_b32_e32 v11, v8
	s_set_gpr_idx_off
	end index_free

	; the counters
	begin counters_free
	.rept 17
	global_load_dword v8, v1, s[2:3]
	.endr
	global_store_dword v1, v4, s[2:3] offset:1024
	ds_read_b32 v9, v0
	ds_read_b32 v10, v0
	s_load_dwordx2 s[8:9], s[2:3], 0x0
	s_getreg_b32 s7, hwreg(HW_REG_IB_STS)
	s_waitcnt vmcnt(0) lgkmcnt(0)
	v_mov_b32_e32 v4, s7
	global_store_dword v1, v4, s[2:3]
	end counters_free

	; The vector L1 keeps what scalar stores have changed, and the scalar cache what vector stores have. Lane 0's dword
	; is stored at offset 64 in the end.
	.macro change
	s_mov_b32 s6, 1
	s_store_dword s6, s[2:3], 0x0
	s_dcache_wb
	s_waitcnt lgkmcnt(0)
	s_movk_i32 s7, 100
	.endm
	.macro vector_loop name, modifier, invalidate:vararg
	begin \name
	global_load_dword v8, v1, s[2:3]
	s_waitcnt vmcnt(0)
	change
0:
	\invalidate
	global_load_dword v8, v1, s[2:3] \modifier
	s_waitcnt vmcnt(0)
	s_sub_u32 s7, s7, 1
	s_cmp_lg_u32 s7, 0
	s_cbranch_scc1 0b
	global_store_dword v1, v8, s[2:3] offset:4
	end \name
	.endm
	vector_loop l1_spin, "", s_nop 0
	vector_loop l1_group_spin, "sc0", s_nop 0
	vector_loop l1_inv_group_spin, "", buffer_inv sc0
	vector_loop l1_inv_free, "", buffer_inv sc1
	vector_loop l1_agent_free, "sc1", s_nop 0
	vector_loop l1_system_free, "sc0 sc1", s_nop 0

	.macro scalar_loop name, invalidate
	begin \name
	s_load_dword s8, s[2:3], 0x0
	s_waitcnt lgkmcnt(0)
	v_mov_b32_e32 v4, 1
	global_store_dword v1, v4, s[2:3]
	s_waitcnt vmcnt(0)
	s_movk_i32 s7, 100
0:
	\invalidate
	s_load_dword s8, s[2:3], 0x0
	s_waitcnt lgkmcnt(0)
	s_sub_u32 s7, s7, 1
	s_cmp_lg_u32 s7, 0
	s_cbranch_scc1 0b
	v_mov_b32_e32 v8, s8
	global_store_dword v1, v8, s[2:3] offset:4
	end \name
	.endm
	scalar_loop scalar_spin, "s_nop 0"
	scalar_loop scalar_inv_free, "s_dcache_inv"
