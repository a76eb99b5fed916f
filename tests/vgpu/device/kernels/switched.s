; A value for each work-item that depends on all of its registers, on its group's LDS, and on barriers, n times.
; Kernel arguments: where to store it, n, flags: 1 the value goes through scratch, 2 it executes s_trap.
; s[0:1] kernel arguments; s2 group id; 128 work-items in a group. The result: value_of() in test_cwsr.c.
	.amdgcn_target "amdgcn-amd-amdhsa--gfx1100"
	.text
	.p2align 8
	s_load_b128 s[4:7], s[0:1], 0x0
	s_waitcnt lgkmcnt(0)
	s_lshl_b32 s8, s2, 7
	v_add_nc_u32_e32 v3, s8, v0			; its number
	v_lshlrev_b32_e32 v1, 2, v0
	v_add_nc_u32_e32 v2, 1, v0
	v_and_b32_e32 v2, 0x7f, v2
	v_lshlrev_b32_e32 v2, 2, v2			; its neighbour's place in LDS
	v_mov_b32_e32 v47, v3
	s_mov_b32 s100, 0
	s_mov_b32 vcc_lo, 0
1:	v_lshl_add_u32 v47, v47, 1, v47
	v_add_nc_u32_e32 v47, vcc_lo, v47
	s_bitcmp1_b32 s7, 0
	s_cbranch_scc0 2f
	scratch_store_b32 off, v47, off offset:16
	s_waitcnt_vscnt null, 0x0
	v_mov_b32_e32 v47, 0
	scratch_load_b32 v47, off, off offset:16
	s_waitcnt vmcnt(0)
2:	s_bitcmp1_b32 s7, 1
	s_cbranch_scc0 3f
	s_trap 3
3:	ds_store_b32 v1, v47
	s_waitcnt lgkmcnt(0)
	s_barrier
	ds_load_b32 v5, v2
	s_waitcnt lgkmcnt(0)
	s_barrier
	v_add_nc_u32_e32 v47, v47, v5
	s_add_u32 s100, s100, 1
	s_add_u32 vcc_lo, vcc_lo, s100
	s_cmp_lt_u32 s100, s6
	s_cbranch_scc1 1b
	v_lshlrev_b32_e32 v3, 2, v3
	global_store_b32 v3, v47, s[4:5]
	s_endpgm
