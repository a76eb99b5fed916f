; A primitive shader: positions from the numbers of the vertices, between -4 and 4; w is 1. If s9 says so, it counts in the
; global data share, wherever M0 (s8) and the numbers of the vertices say, and by registers that do not count; and it exports as a mesh shader.
	s_mov_b32 m0, s8
	s_bitcmp1_b32 s9, 0
	s_cbranch_scc0 .Lposition
	ds_ordered_count v6, v5 offset:252 gds
	ds_add_gs_reg_rtn v[7:8], v5 offset:12 gds
	ds_sub_gs_reg_rtn v[7:8], v6 gds
	ds_add_u32 v5, v6 gds
	ds_add_u32 v5, v6 offset:65535 gds
	ds_ordered_count v6, v5 offset:768 gds
	s_waitcnt lgkmcnt(0)
	s_bitcmp1_b32 s9, 1
	s_cbranch_scc0 .Lposition
	ds_add_gs_reg_rtn v[7:8], v5 offset:60 gds
.Lposition:
	exp prim v0, off, off, off done
	v_and_b32_e32 v1, 7, v5
	v_cvt_f32_u32_e32 v1, v1
	v_add_f32_e32 v1, -4.0, v1
	v_bfe_u32 v2, v5, 2, 3
	v_cvt_f32_u32_e32 v2, v2
	v_add_f32_e32 v2, -4.0, v2
	v_mov_b32_e32 v3, 0.5
	v_mov_b32_e32 v4, 1.0
	exp pos0 v1, v2, v3, v4
	s_bitcmp1_b32 s9, 2
	s_cbranch_scc0 .Llast
	exp pos0 v1, v2, v3, v4 row_en ; wherever M0 says
	exp prim v0, v5, off, off row_en
.Llast:
	exp pos1 v0, v1, v2, v3 done
	s_endpgm
