; All waves of all groups meet twice. s[0:1] out, s2 waves less 1, s3: only set the resource up;
; s4 group id. Each wave counts out[0], then all, and writes what it sees to out[64 + group]; then
; the same with out[1] and out[2048 + group].
	s_mov_b32 exec_lo, 1
	s_mov_b32 m0, 0x50000
	v_mov_b32_e32 v0, 0
	v_mov_b32_e32 v1, s2
	v_mov_b32_e32 v2, 1
	v_mov_b32_e32 v4, s4
	v_lshlrev_b32_e32 v4, 2, v4
	s_cmp_eq_u32 s3, 0
	s_cbranch_scc1 meet
	ds_gws_init v1 offset:1 gds
	s_endpgm
meet:
	global_atomic_add_u32 v0, v2, s[0:1]
	s_waitcnt_vscnt null, 0
	ds_gws_barrier v1 offset:1 gds
	s_waitcnt lgkmcnt(0)
	global_load_b32 v3, v0, s[0:1] glc
	s_waitcnt vmcnt(0)
	global_store_b32 v4, v3, s[0:1] offset:256
	v_add_nc_u32_e32 v4, 0x2000, v4
	global_atomic_add_u32 v0, v2, s[0:1] offset:4
	s_waitcnt_vscnt null, 0
	ds_gws_barrier v1 offset:1 gds
	s_waitcnt lgkmcnt(0)
	global_load_b32 v3, v0, s[0:1] offset:4 glc
	s_waitcnt vmcnt(0)
	global_store_b32 v4, v3, s[0:1]
	s_endpgm
