# Jumps by s_setpc_b64 that are not returns.
	.amdgcn_target "amdgcn-amd-amdhsa--gfx1100"
	.text
	.macro func name
	.globl	\name
	.p2align	8
	.type	\name,@function
\name:
	.endm
	.macro address to
	s_getpc_b64 s[0:1]
.Lat\@:
	s_add_u32 s0, s0, \to-.Lat\@
	s_addc_u32 s1, s1, (\to-.Lat\@)>>32
	.endm

# A branch to where s_cbranch does not reach, as LLVM makes it.
	func far
	s_add_i32 s32, s32, 16
	s_cbranch_scc1 .Lnear
	address .Lfar
	s_setpc_b64 s[0:1]
.Lnear:
	v_mov_b32 v7, 0
	s_add_i32 s32, s32, -16
	s_setpc_b64 s[30:31]
	.globl	far_end
far_end:
.Lfar:
	v_mov_b32 v9, 0
	s_add_i32 s32, s32, -16
	s_setpc_b64 s[30:31]
	.size	far, .-far

# A tail call of a function that is known.
	func tail
	v_mov_b32 v3, 0
	address far
	s_setpc_b64 s[0:1]
	.size	tail, .-tail

# A tail call of one that is not: the convention holds.
	func pointer
	s_load_b64 s[4:5], s[4:5], 0x0
	s_waitcnt lgkmcnt(0)
	s_setpc_b64 s[4:5]
	.size	pointer, .-pointer

# A jump with a frame that is not given back: nothing is known.
	func lost
	s_cbranch_scc1 .Lreturn
	s_load_b64 s[4:5], s[4:5], 0x0
	s_add_i32 s32, s32, 16
	s_setpc_b64 s[4:5]
.Lreturn:
	s_setpc_b64 s[30:31]
	.size	lost, .-lost
