; Every item takes a number from one counter and adds it to the cell of its low bits: what each gets depends
; on the order of the waves. s[0:1] data; s3 the group; v0 the work-item.
	v_mov_b32_e32 v1, 0
	v_mov_b32_e32 v2, 1
	global_atomic_add_u32 v3, v1, v2, s[0:1] glc
	s_waitcnt vmcnt(0)
	v_and_b32_e32 v4, 15, v0
	v_lshlrev_b32_e32 v4, 2, v4
	global_atomic_add_u32 v4, v3, s[0:1] offset:256
	s_sleep 2
	global_atomic_add_u32 v3, v1, v2, s[0:1] glc
	s_waitcnt vmcnt(0)
	global_atomic_xor_b32 v4, v3, s[0:1] offset:512
	s_endpgm
