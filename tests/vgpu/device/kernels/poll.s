; Waits until [s[0:1]] is not 0, sleeping in between, then adds 1 at [s[0:1] + 64] for each wave.
1:	s_load_b32 s8, s[0:1], 0x0 glc
	s_waitcnt lgkmcnt(0)
	s_cmp_lg_u32 s8, 0
	s_cbranch_scc1 2f
	s_sleep 8
	s_branch 1b
2:	v_cmp_eq_u32_e32 vcc_lo, 0, v0
	s_mov_b32 exec_lo, 1
	v_mov_b32_e32 v1, 64
	v_mov_b32_e32 v2, 1
	global_atomic_add_u32 v1, v2, s[0:1]
	s_endpgm
