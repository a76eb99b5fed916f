; [s[2:3]] = [s[0:1]] + 1
	v_mov_b32_e32 v1, 0
	global_load_b32 v2, v1, s[0:1]
	s_waitcnt vmcnt(0)
	v_add_nc_u32_e32 v2, 1, v2
	global_store_b32 v1, v2, s[2:3]
	s_endpgm
