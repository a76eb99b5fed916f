; HW_ID1 of each work-item's wave.  s[0:1] out, s2 group size; s3 group id
	s_mul_i32 s4, s3, s2
	v_add_nc_u32_e32 v1, s4, v0
	v_lshlrev_b32_e32 v2, 2, v1
	s_getreg_b32 s5, hwreg(HW_REG_HW_ID1)
	v_mov_b32_e32 v3, s5
	global_store_b32 v2, v3, s[0:1]
	s_endpgm
