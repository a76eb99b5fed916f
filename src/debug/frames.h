/* SPDX-License-Identifier: MIT */
#ifndef BW_DEBUG_FRAMES_H
#define BW_DEBUG_FRAMES_H

/* Frames of the focus wave: the functions that it is in, the innermost one first. A function that
 * was inlined has a frame of its own, with the registers of the function around it. Callers are
 * found by following what the code has done so far to registers and scratch: code objects for the
 * GPU have no unwind tables (doc/hardware/code-objects.md 9). */

#include "debug/code.h"
#include "debug/waves.h"

struct bw_stack_frame {
	unsigned level; /* 0 is the innermost */
	/* where it continues: the wave's PC or, for a caller, the return address */
	uint64_t pc;
	/* The instruction at which it is: pc or, for a caller, the call. Lines, scopes and
	 * locations of variables are looked up at this address. */
	uint64_t at;
	unsigned inline_level; /* which of the functions inlined at `at`: i of bw_lines_frame */
	/* number of calls inside of it; inlined frames share it with the function around them */
	unsigned depth;
	bool is_inlined, is_kernel;
	const char *function; /* name in the source, else the symbol; borrowed; NULL: not known */
	bool has_params;
	uint64_t die;	/* its entry in the debug information (bw_lines_frame); 0: none */
	uint64_t entry; /* where the code of the function around it starts; 0: not known */
	/* The place in the source. For a frame around an inlined one, that is the call. */
	bool has_line, line_is_approximate, is_call_site;
	const char *file; /* borrowed */
	unsigned line, column;
	/* Offsets in a lane's scratch: the stack and frame pointers, and s32 as it was at the
	 * function's entry. */
	bool has_s32, has_s33, has_base;
	uint32_t s32, s33, base;
	bool has_exec;
	uint64_t exec;
};

/* The level-th frame of the focus wave. Fails with BW_E_NOT_FOUND beyond the outermost one. */
struct bw_error *bw_debug_stack_frame(struct bw_debug *d, unsigned level,
				      struct bw_stack_frame *out) BW_MUST_CHECK;
/* Says why the outermost frame has no known caller: "Backtrace stopped: ..."; "" if it is a kernel.
 * Borrowed until the next call. */
const char *bw_debug_stack_end(struct bw_debug *d);

/* The selected frame, to which expressions and variables refer. It is 0 after each stop, and when
 * another wave gets the focus. */
unsigned bw_debug_frame_level(struct bw_debug *d);
struct bw_error *bw_debug_select_frame(struct bw_debug *d, unsigned level) BW_MUST_CHECK;
struct bw_error *bw_debug_selected_frame(struct bw_debug *d,
					 struct bw_stack_frame *out) BW_MUST_CHECK;

/* A register as the frame sees it: for frame 0 as it is now; for a caller as it was when it made
 * the call. The value is not known if a function that it called has overwritten it without saving
 * it. */
enum bw_frame_reg_place {
	BW_FRAME_REG_UNKNOWN, /* out is unchanged */
	BW_FRAME_REG_SAME,    /* still in the register */
	BW_FRAME_REG_SAVED,   /* in another register, a lane of a VGPR or scratch */
};
struct bw_error *bw_debug_frame_sgpr(struct bw_debug *d, unsigned level, unsigned n, uint32_t *out,
				     enum bw_frame_reg_place *out_place) BW_MUST_CHECK;
/* The call of an inlined function at whose first instruction a wave has stopped without having
 * entered it, as users see it (a breakpoint names the function around it, or a step came there).
 * False: its innermost function is meant. The texts are borrowed as long as the code is loaded. */
struct bw_call_place {
	const char *function; /* that makes the call; NULL: not known */
	const char *file;     /* NULL: not known */
	unsigned line;
};
bool bw_debug_at_call(struct bw_debug *d, uint32_t wave, struct bw_call_place *out);
/* One VGPR of a frame. out has room for 64 lanes; lanes that are not in out_known are not set. */
struct bw_error *bw_debug_frame_vgpr(struct bw_debug *d, unsigned level, unsigned n, uint32_t *out,
				     uint64_t *out_known) BW_MUST_CHECK;
/* The scratch offset, for the focus lane, that the caller has passed to the function of that frame
 * as a first argument: there the function puts a returned struct that does not fit into registers.
 * False: not known. */
bool bw_debug_frame_sret(struct bw_debug *d, unsigned level, uint32_t *out);

#endif
