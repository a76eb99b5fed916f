// Raw machine code for `breakwater run X.bin`: s[0:1] points to the arguments (out, k), the workgroup id
// follows the user SGPRs in s2. out[i] = i * k.
	.text
	s_load_b64 s[4:5], s[0:1], null
	s_load_b32 s6, s[0:1], 0x8
	s_lshl_b32 s3, s2, 5
	v_add_nc_u32 v1, s3, v0
	v_lshlrev_b32 v2, 2, v1
	s_waitcnt lgkmcnt(0)
	v_mul_lo_u32 v3, v1, s6
	global_store_b32 v2, v3, s[4:5]
	s_endpgm
