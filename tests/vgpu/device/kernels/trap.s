; Runs into a trap, then stores 0x77 to s[0:1].
	s_trap 5
	v_mov_b32_e32 v1, 0
	v_mov_b32_e32 v2, 0x77
	global_store_b32 v1, v2, s[0:1]
	s_endpgm
