; out[i] = 3 * i + 7 for every work-item i.  s[0:1] out, s2 group size; s3 group id
	s_mul_i32 s4, s3, s2
	v_add_nc_u32_e32 v1, s4, v0
	v_lshlrev_b32_e32 v2, 2, v1
	v_mul_u32_u24_e32 v3, 3, v1
	v_add_nc_u32_e32 v3, 7, v3
	global_store_b32 v2, v3, s[0:1]
	s_endpgm
