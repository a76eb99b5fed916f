/* SPDX-License-Identifier: MIT */
/* Fills every register, traps, and writes what the registers are after it, a row of 32 words each
 * (selftest/save.c has their order). Pattern: vN is N << 24 | N << 16 | lane (v0: lane * 4), sN is
 * 0x51000000 + N. LDS word i is 0x1d500000 + i. Argument: buffer. */
#include "kernel.inc"
#include "selftest/kernels/save.h"
	load_buffer
	v_mov_b32 v1, v0
	v_lshlrev_b32 v0, 2, v0
	v_add_nc_u32 v2, 0x1d500000, v1
	ds_store_b32 v0, v2
	s_waitcnt lgkmcnt(0)
	.set n, 2
	.rept SAVE_VGPRS - 2
	v_add_nc_u32 v[n], (n << 24) + (n << 16), v1
	.set n, n + 1
	.endr
	v_add_nc_u32 v1, (1 << 24) + (1 << 16), v1
	.set n, SAVE_FIRST_SGPR
	.rept SAVE_SGPRS
	s_mov_b32 s[n], 0x51000000 + n
	.set n, n + 1
	.endr
	s_mov_b32 m0, SAVE_M0
	s_mov_b32 vcc_lo, SAVE_VCC
	s_mov_b32 s6, 1
	s_cmp_eq_u32 s6, 1
	s_mov_b32 exec_lo, SAVE_EXEC
mark:
	s_trap 3
	s_cselect_b32 s6, 1, 0
	s_mov_b32 s7, exec_lo
	s_mov_b32 exec_lo, -1
	.set n, 0
	.rept SAVE_VGPRS
	row v[n]
	.set n, n + 1
	.endr
	.set n, SAVE_FIRST_SGPR
	.rept SAVE_SGPRS
	v_mov_b32 v1, s[n]
	row v1
	.set n, n + 1
	.endr
	v_mov_b32 v1, s6
	row v1
	v_mov_b32 v1, s7
	row v1
	v_mov_b32 v1, vcc_lo
	row v1
	v_mov_b32 v1, m0
	row v1
	ds_load_b32 v1, v0
	s_waitcnt lgkmcnt(0)
	row v1
	s_waitcnt_vscnt null, 0
	finish
