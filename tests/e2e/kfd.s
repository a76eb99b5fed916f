; out[i] = 3 * i + 7 for every work-item i; kernel arguments: the address of out, and that of a word which the kernel
; waits for, with all that it needs then in registers; each wave that begins adds 1 to the next word. s[0:1] kernel arguments; s2 group id; 64 work-items in a group
	.amdgcn_target "amdgcn-amd-amdhsa--gfx1100"
	.text
	.p2align 8
	s_load_b128 s[4:7], s[0:1], 0x0
	s_lshl_b32 s8, s2, 6
	v_add_nc_u32_e32 v1, s8, v0
	v_lshlrev_b32_e32 v2, 2, v1
	v_mul_u32_u24_e32 v3, 3, v1
	v_add_nc_u32_e32 v3, 7, v3
	s_waitcnt lgkmcnt(0)
	s_mov_b32 s9, exec_lo
	s_mov_b32 exec_lo, 1
	v_mov_b32_e32 v4, 0
	v_mov_b32_e32 v5, 1
	global_atomic_add_u32 v4, v5, s[6:7] offset:4
	s_mov_b32 exec_lo, s9
1:	s_load_b32 s8, s[6:7], 0x0 glc
	s_waitcnt lgkmcnt(0)
	s_cmp_lg_u32 s8, 0
	s_cbranch_scc1 2f
	s_sleep 8
	s_branch 1b
2:	global_store_b32 v2, v3, s[4:5]
	s_endpgm
