/* SPDX-License-Identifier: MIT */
#ifndef BW_DEBUG_FRAMES_H
#define BW_DEBUG_FRAMES_H

/* Frames of the focus wave: the functions that it is in, the innermost one first. A function that
 * was inlined has a frame of its own, with the registers of the function around it. Callers are
 * found by what the code has done to registers and scratch so far: code objects for the GPU have no
 * unwind tables (doc/hardware/code-objects.md 9). */

#include "debug/code.h"
#include "debug/waves.h"

struct bw_stack_frame {
	unsigned level; /* 0 is the innermost */
	uint64_t pc;	/* where it continues: the wave's PC; of a caller, the return address */
	/* The instruction that it is in: pc; of a caller, the call. Lines, scopes and locations of
	 * variables are those of this address. */
	uint64_t at;
	unsigned inline_level; /* which function around `at`: i of bw_lines_frame */
	unsigned depth;	       /* of calls: inlined frames share it with the function around them */
	bool is_inlined, is_kernel;
	const char *function; /* of the source, else the symbol; borrowed; NULL: not known */
	bool has_params;
	uint64_t die;	/* of bw_lines_frame, 0: none */
	uint64_t entry; /* where the code of the function around it starts, 0: not known */
	/* The place in the source: of a frame around an inlined one, its call. */
	bool has_line, line_is_approximate, is_call_site;
	const char *file; /* borrowed */
	unsigned line, column;
	/* Scratch offsets of a lane: the stack and frame pointers, and s32 as it was at the
	 * function's entry. */
	bool has_s32, has_s33, has_base;
	uint32_t s32, s33, base;
	bool has_exec;
	uint64_t exec;
};

/* The level-th frame of the focus wave. Fails with BW_E_NOT_FOUND beyond the outermost one. */
struct bw_error *bw_debug_stack_frame(struct bw_debug *d, unsigned level,
				      struct bw_stack_frame *out) BW_MUST_CHECK;
/* Why there is nothing beyond the outermost frame: "Backtrace stopped: ..."; "" where it is a
 * kernel. Borrowed until the next call. */
const char *bw_debug_stack_end(struct bw_debug *d);

/* The selected frame, which expressions and variables refer to; 0 after each stop, and when another
 * wave gets the focus. */
unsigned bw_debug_frame_level(struct bw_debug *d);
struct bw_error *bw_debug_select_frame(struct bw_debug *d, unsigned level) BW_MUST_CHECK;
struct bw_error *bw_debug_selected_frame(struct bw_debug *d,
					 struct bw_stack_frame *out) BW_MUST_CHECK;

/* A register as the frame has it: frame 0 as it is now; a caller as it was when it made the call.
 * What functions that it called have overwritten without saving it is not known. */
enum bw_frame_reg_place {
	BW_FRAME_REG_UNKNOWN, /* out is as it was */
	BW_FRAME_REG_SAME,    /* still in the register */
	BW_FRAME_REG_SAVED,   /* in another register, a lane of a VGPR or scratch */
};
struct bw_error *bw_debug_frame_sgpr(struct bw_debug *d, unsigned level, unsigned n, uint32_t *out,
				     enum bw_frame_reg_place *out_place) BW_MUST_CHECK;
/* out has room for 64 lanes; those that are not in out_known are not set. */
struct bw_error *bw_debug_frame_vgpr(struct bw_debug *d, unsigned level, unsigned n, uint32_t *out,
				     uint64_t *out_known) BW_MUST_CHECK;
/* The scratch offset that the caller has given to the function of that frame as its first argument:
 * where it is to put a struct that does not fit into registers, of the focus lane. False: not
 * known. */
bool bw_debug_frame_sret(struct bw_debug *d, unsigned level, uint32_t *out);

#endif
