; A primitive shader: positions from the numbers of the vertices, between -4 and 4; w is 1.
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
	exp pos1 v0, v1, v2, v3 done
	s_endpgm
