; out[i] = 3 * i + 7 for every work-item i; and at out - 16 the dispatch's id and the address of its queue.
; s[0:1] packet, s[2:3] queue, s[4:5] kernel arguments (out), s[6:7] dispatch id; s8 group id
	s_load_b64 s[10:11], s[4:5], 0x0
	s_load_b32 s12, s[0:1], 0x4
	s_waitcnt lgkmcnt(0)
	s_and_b32 s12, s12, 0xffff
	s_mul_i32 s13, s8, s12
	v_add_nc_u32_e32 v1, s13, v0
	v_lshlrev_b32_e32 v2, 2, v1
	v_mul_u32_u24_e32 v3, 3, v1
	v_add_nc_u32_e32 v3, 7, v3
	global_store_b32 v2, v3, s[10:11]
	v_mov_b32_e32 v2, 0
	v_mov_b32_e32 v4, s6
	v_mov_b32_e32 v5, s2
	v_mov_b32_e32 v6, s3
	global_store_b96 v2, v[4:6], s[10:11] offset:-16
	s_endpgm
