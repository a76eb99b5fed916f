; Stores 0x1234 to the address in s[0:1], then 0x5678 to s[2:3].
	v_mov_b32_e32 v1, 0
	v_mov_b32_e32 v2, 0x1234
	global_store_b32 v1, v2, s[0:1]
	s_waitcnt_vscnt null, 0x0
	v_mov_b32_e32 v2, 0x5678
	global_store_b32 v1, v2, s[2:3]
	s_endpgm
