; Each item writes its global id to its scratch, waits for the others, reads it back to out.
; s[0:1] out, s2 group size; s3 group id
	s_mul_i32 s4, s3, s2
	v_add_nc_u32_e32 v1, s4, v0
	scratch_store_b32 off, v1, off offset:4
	s_waitcnt_vscnt null, 0x0
	s_barrier
	scratch_load_b32 v2, off, off offset:4
	s_waitcnt vmcnt(0)
	v_lshlrev_b32_e32 v3, 2, v1
	global_store_b32 v3, v2, s[0:1]
	s_endpgm
