; Each wave stores to its slot, meets all others, and loads the slot of the next group. s3: 0, only set the
; resource up; 1, they meet; 2, they do not. s[0:1] out, s2 waves less 1, s4 group id.
	s_mov_b32 exec_lo, 1
	s_mov_b32 m0, 0x50000
	v_mov_b32_e32 v0, 0
	v_mov_b32_e32 v1, s2
	s_cmp_eq_u32 s3, 0
	s_cbranch_scc0 work
	ds_gws_init v1 offset:1 gds
	s_endpgm
work:
	v_mov_b32_e32 v2, s4
	v_lshlrev_b32_e32 v4, 2, v2
	global_store_b32 v4, v2, s[0:1]
	s_waitcnt_vscnt null, 0
	s_cmp_eq_u32 s3, 1
	s_cbranch_scc0 look
	ds_gws_barrier v1 offset:1 gds
	s_waitcnt lgkmcnt(0)
	buffer_gl1_inv
	buffer_gl0_inv
look:
	s_add_u32 s6, s4, 1
	s_cmp_eq_u32 s4, s2
	s_cselect_b32 s6, 0, s6
	v_mov_b32_e32 v5, s6
	v_lshlrev_b32_e32 v5, 2, v5
	global_load_b32 v3, v5, s[0:1]
	s_waitcnt vmcnt(0)
	s_endpgm
