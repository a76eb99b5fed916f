; The packed local id of each work-item of a 3-D grid, and how often it was run, at
; out[(z * 4 + y) * 4 + x of the group][local]. s[0:1] out, s2 items a group; s3, s4, s5 ids. v0 packed
	v_bfe_u32 v1, v0, 0, 10
	v_bfe_u32 v2, v0, 10, 10
	v_bfe_u32 v3, v0, 20, 10
	v_lshlrev_b32_e32 v2, 3, v2
	v_lshlrev_b32_e32 v3, 6, v3
	v_add3_u32 v4, v1, v2, v3
	s_lshl_b32 s5, s5, 2
	s_add_u32 s5, s5, s4
	s_lshl_b32 s5, s5, 2
	s_add_u32 s5, s5, s3
	s_mul_i32 s5, s5, s2
	v_add_nc_u32_e32 v4, s5, v4
	v_lshlrev_b32_e32 v4, 2, v4
	v_mov_b32_e32 v5, 1
	global_atomic_add_u32 v4, v5, s[0:1]
	s_endpgm
