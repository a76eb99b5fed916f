/* SPDX-License-Identifier: MIT */
/* The kernels of inferences.def, in its order, then a table of what each of them is: offsets of its
 * begin, its end and its mark. A kernel NAME is the macro ask_NAME of inferred/. It has waves of 32
 * lanes and 64 VGPRs; s[4:5] is the buffer, v0 the lane. It writes its answers to the first words
 * of the buffer, and uses the bytes from DATA on. */
#include "kernel.inc"
#include "selftest/kernels/inferred.h"

	/* Word n of the answers = a scalar source. EXEC stays; s98, s99, v62 and v63 change. */
	.macro answer n, source
	s_mov_b32 s98, \source
	s_mov_b32 s99, exec_lo
	s_mov_b32 exec_lo, 1
	v_mov_b32 v62, 0
	v_mov_b32 v63, s98
	global_store_b32 v62, v63, s[4:5] offset:4 * \n
	s_mov_b32 exec_lo, s99
	.endm

	/* Word n = one lane of a VGPR. */
	.macro answer_lane n, vector, lane
	v_readlane_b32 s97, \vector, \lane
	answer \n, s97
	.endm

	/* Word n = 1 if SCC is set, else 0. */
	.macro answer_scc n
	s_cselect_b32 s97, 1, 0
	answer \n, s97
	.endm

	/* vector = dword `offset` of DATA; v61 is the address. */
	.macro read_data vector, offset
	v_mov_b32 v61, 0
	s_waitcnt_vscnt null, 0
	global_load_b32 \vector, v61, s[4:5] offset:DATA + \offset glc
	s_waitcnt vmcnt(0)
	.endm

	.macro write_data offset, value
	v_mov_b32 v61, 0
	v_mov_b32 v60, \value
	global_store_b32 v61, v60, s[4:5] offset:DATA + \offset
	s_waitcnt_vscnt null, 0
	.endm

#include "selftest/kernels/inferred/masks.inc"
#include "selftest/kernels/inferred/floats.inc"
#include "selftest/kernels/inferred/memory.inc"
#include "selftest/kernels/inferred/waves.inc"

	.macro kernel name
begin_\name:
	load_buffer
	s_waitcnt lgkmcnt(0)
	ask_\name
	answer LAST_WORD, DONE
	s_waitcnt_vscnt null, 0
	s_endpgm
	.fill 64, 4, 0xbf9f0000 /* s_code_end */
end_\name:
	.ifndef mark_\name
	.set mark_\name, begin_\name
	.endif
	.endm

#define BW_INFERENCE(name, ...) kernel name
#include "selftest/inferences.def"
#undef BW_INFERENCE

	/* a kernel: its begin, end and mark, three dwords each */
#define BW_INFERENCE(name, ...) .long begin_##name - start, end_##name - start, mark_##name - start
#include "selftest/inferences.def"
#undef BW_INFERENCE
