; Copies the word at [s[0:1]] to 64 bytes after it, through the scalar cache.
	s_load_b32 s8, s[0:1], 0x0
	s_waitcnt lgkmcnt(0)
	v_mov_b32_e32 v1, 64
	v_mov_b32_e32 v2, s8
	global_store_b32 v1, v2, s[0:1]
	s_endpgm
