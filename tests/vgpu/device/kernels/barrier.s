; Turns each group's items round through LDS: out[g * n + i] = (g * n + (n - 1 - i)) * 5.
; s[0:1] out, s2 n; s3 group id
	s_mul_i32 s4, s3, s2
	v_add_nc_u32_e32 v1, s4, v0
	v_mul_u32_u24_e32 v2, 5, v1
	v_lshlrev_b32_e32 v3, 2, v0
	ds_store_b32 v3, v2
	s_waitcnt lgkmcnt(0)
	s_barrier
	s_sub_u32 s5, s2, 1
	v_sub_nc_u32_e32 v4, s5, v0
	v_lshlrev_b32_e32 v4, 2, v4
	ds_load_b32 v5, v4
	s_waitcnt lgkmcnt(0)
	v_lshlrev_b32_e32 v6, 2, v1
	global_store_b32 v6, v5, s[0:1]
	s_endpgm
