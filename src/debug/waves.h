/* SPDX-License-Identifier: MIT */
#ifndef BW_DEBUG_WAVES_H
#define BW_DEBUG_WAVES_H

/* Waves that are stopped, why, and the one that has the focus. */

#include "debug/debug.h"

/* ---- Why a wave has stopped ---- */

/* Several may be set at once. */
enum bw_reason {
	BW_REASON_BREAKPOINT = 1 << 0,
	BW_REASON_SINGLE_STEP = 1 << 1,
	BW_REASON_MEMORY_VIOLATION = 1 << 2,
	BW_REASON_ADDRESS_ERROR = 1 << 3, /* not canonical, wrong aperture, misaligned */
	BW_REASON_ILLEGAL_INSTRUCTION = 1 << 4,
	BW_REASON_ASSERT_TRAP = 1 << 5, /* s_trap 2 */
	BW_REASON_DEBUG_TRAP = 1 << 6,	/* s_trap 3 */
	BW_REASON_TRAP = 1 << 7,	/* another s_trap, trap_id says which */
	BW_REASON_WAVE_START = 1 << 9,
	BW_REASON_WAVE_END = 1 << 10,
	BW_REASON_INTERRUPT = 1 << 11, /* was asked to stop: by Ctrl-C, or because another wave
				        * stopped */
	BW_REASON_WATCHPOINT = 1 << 12,
	/* enabled exceptions of the ALU, in the order of enum bw_excp */
	BW_REASON_FP_SHIFT = 13,
	BW_REASON_FP_EXCEPTION = 0x7f << BW_REASON_FP_SHIFT,
};
/* "BREAKPOINT|SINGLE_STEP"; "" for 0. INTERRUPT alone is written "INTERRUPT". */
void bw_reason_text(uint32_t reasons, char *out, size_t out_b);
/* What gdb users read: "SIGSEGV, Segmentation fault"; NULL when it is no signal. */
const char *bw_reason_signal(uint32_t reasons);

/* ---- Waves ---- */

/* A wave that is stopped now. number: from 1, in the order they were first seen, never used again
 * while the program lives. It is the thread number, too. */
struct bw_wave_info {
	uint32_t number;
	uint32_t agent, queue, dispatch; /* agent is 1; dispatch is that of bw_dispatch_info */
	uint32_t inferior, space;	 /* the inferior it belongs to, and the address space that
					  * its PC is in */
	uint32_t workgroup[3];
	uint32_t wave_in_group;
	struct bw_place place;
	uint32_t slot;
	uint64_t pc;
	uint64_t exec; /* the program's active lanes: EXEC, except in whole-wave code */
	/* EXEC has other lanes than the program's, in code of the compiler's own: spills of scalar
	 * registers, prologues, operations across lanes. */
	bool whole_wave;
	uint8_t lanes;		   /* 32 or 64 */
	uint32_t n_vgprs;	   /* 0: given back, not readable */
	uint32_t reasons;	   /* enum bw_reason, of its last stop */
	uint32_t trap_id;	   /* TRAP, ASSERT_TRAP, DEBUG_TRAP */
	uint32_t breakpoint;	   /* number of the one it is at, 0 if none */
	uint64_t breakpoint_lanes; /* active lanes whose condition held */
	bool in_barrier;
	bool builtin_trap; /* at the head of clang's __builtin_trap sequence */
	bool pc_imprecise; /* memory violation or watch reported late: see bw_target.is_precise */
	uint64_t cause_pc; /* watchpoints and float exceptions: the instruction that did it, which
			    * is complete; 0 when it is not known */
};

/* All stopped waves, by number. */
const struct bw_wave_info *bw_debug_waves(struct bw_debug *d, size_t *out_n);
/* NULL when no stopped wave has this number. */
const struct bw_wave_info *bw_debug_wave(struct bw_debug *d, uint32_t number);
/* The wave of that workgroup position in that dispatch, or NULL. */
const struct bw_wave_info *bw_debug_wave_at(struct bw_debug *d, uint32_t dispatch,
					    const uint32_t workgroup[3], uint32_t wave_in_group);

/* The focus: the wave that registers, lanes and expressions refer to. NULL when nothing is
 * stopped. */
const struct bw_wave_info *bw_debug_focus(struct bw_debug *d);
unsigned bw_debug_focus_lane(struct bw_debug *d);
struct bw_error *bw_debug_set_focus(struct bw_debug *d, uint32_t wave_number) BW_MUST_CHECK;
/* An inactive lane may be chosen; the caller warns. */
struct bw_error *bw_debug_set_lane(struct bw_debug *d, unsigned lane) BW_MUST_CHECK;

/* "AMDGPU Wave 1:2:1:5 (2,0,0)/1" */
void bw_wave_name(const struct bw_wave_info *w, char *out, size_t out_b);
/* "(2,0,0)/1"; where it is not known "(?,?,?)/?" */
void bw_wave_place_text(const struct bw_wave_info *w, char out[56]);
/* "AMDGPU Lane 1:2:1:5/3 (2,0,0)[35,0,0]" */
void bw_lane_name(struct bw_debug *d, const struct bw_wave_info *w, unsigned lane, char *out,
		  size_t out_b);
/* Work item of a lane in its group, from the dispatch's group size: lanes are numbered x first.
 * False when the group size is not known or the lane lies beyond the group. */
bool bw_lane_item(struct bw_debug *d, const struct bw_wave_info *w, unsigned lane,
		  uint32_t out_item[3]);

/* Since which branch inactive lanes of the focus wave are so, or which loop they have left. */
struct bw_lane_branch {
	uint64_t lanes;
	uint64_t branch; /* address of the branch, or of the loop's */
	bool is_loop;
};
enum { BW_LANE_BRANCHES = 32 };
/* The innermost branch first; a lane is in one of them at most, and in none where that is not
 * known. By the masks that compilers keep in SGPRs (doc/hardware/code-objects.md 10). */
struct bw_error *bw_debug_lane_branches(struct bw_debug *d,
					struct bw_lane_branch out[BW_LANE_BRANCHES],
					size_t *out_n) BW_MUST_CHECK;

/* What became of the waves of a dispatch. stopped + running + waiting + finished == total, where
 * total is known (indirect dispatches: total 0 and known false). waiting: not launched yet; told
 * from finished by the order of launch and by whether another group would have had room. */
struct bw_wave_count {
	uint32_t dispatch;
	bool known;
	uint64_t total, stopped, running, waiting, finished;
};
struct bw_error *bw_debug_count_waves(struct bw_debug *d, uint32_t dispatch,
				      struct bw_wave_count *out) BW_MUST_CHECK;

#endif
