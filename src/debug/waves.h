/* SPDX-License-Identifier: MIT */
#ifndef BW_DEBUG_WAVES_H
#define BW_DEBUG_WAVES_H

/* The stopped waves, why they stopped, and the wave that has the focus. */

#include "debug/debug.h"

/* ---- Why a wave has stopped ---- */

/* Several may be set at once. */
enum bw_reason {
	BW_REASON_BREAKPOINT = 1 << 0,
	BW_REASON_SINGLE_STEP = 1 << 1,
	BW_REASON_MEMORY_VIOLATION = 1 << 2,
	/* address is not canonical, in the wrong aperture, or misaligned */
	BW_REASON_ADDRESS_ERROR = 1 << 3,
	BW_REASON_ILLEGAL_INSTRUCTION = 1 << 4,
	BW_REASON_ASSERT_TRAP = 1 << 5, /* s_trap 2 */
	BW_REASON_DEBUG_TRAP = 1 << 6,	/* s_trap 3 */
	BW_REASON_TRAP = 1 << 7,	/* another s_trap; trap_id is its number */
	BW_REASON_FINDING = 1 << 8,	/* the virtual GPU's checker (--stop-on-finding) */
	BW_REASON_WAVE_START = 1 << 9,
	BW_REASON_WAVE_END = 1 << 10,
	BW_REASON_INTERRUPT = 1 << 11, /* asked to stop: by Ctrl-C, or because another wave
				        * stopped */
	BW_REASON_WATCHPOINT = 1 << 12,
	/* enabled exceptions of the ALU, in the order of enum bw_excp */
	BW_REASON_FP_SHIFT = 13,
	BW_REASON_FP_EXCEPTION = 0x7f << BW_REASON_FP_SHIFT,
};
/* Writes the reasons: "BREAKPOINT|SINGLE_STEP"; "" for 0. INTERRUPT alone is written
 * "INTERRUPT". */
void bw_reason_text(uint32_t reasons, char *out, size_t out_b);
/* The signal that gdb's users know: "SIGSEGV, Segmentation fault"; NULL: the reasons are not a
 * signal. */
const char *bw_reason_signal(uint32_t reasons);

/* ---- Waves ---- */

/* A wave that is stopped now. number: from 1, in the order they were first seen, never used again
 * while the program lives. It is the thread number, too. */
struct bw_wave_info {
	uint32_t number;
	/* agent is always 1; dispatch: number of a bw_dispatch_info */
	uint32_t agent, queue, dispatch;
	enum bw_target_stage stage;
	uint32_t draw;		  /* stage: of this draw; 0: the wave is of a dispatch */
	uint32_t inferior, space; /* the inferior to which it belongs; the address space of
					  * its PC */
	uint32_t workgroup[3];
	uint32_t wave_in_group;
	struct bw_place place;
	uint32_t slot;
	uint64_t pc;
	uint64_t exec; /* the program's active lanes: EXEC, except in whole-wave code */
	/* EXEC differs from the program's active lanes, in code that the compiler added: spills of
	 * scalar registers, prologues, operations across lanes. */
	bool whole_wave;
	uint8_t lanes;	  /* 32 or 64 */
	uint32_t n_vgprs; /* 0: the wave has freed them, and they cannot be read */
	/* gfx942: which of them is a0; those before it are v0 and so on. UINT32_MAX: none is */
	uint32_t accum_offset;
	uint32_t reasons;	   /* bits of enum bw_reason, for its last stop */
	uint32_t trap_id;	   /* TRAP, ASSERT_TRAP, DEBUG_TRAP */
	uint32_t breakpoint;	   /* number of the breakpoint at which it is; 0: none */
	uint64_t breakpoint_lanes; /* active lanes for which the breakpoint's condition held */
	bool in_barrier;
	bool builtin_trap; /* at the head of clang's __builtin_trap sequence */
	/* a memory violation or watchpoint may be reported late: see bw_target.is_precise */
	bool pc_imprecise;
	/* watchpoints, float exceptions and findings: address of the instruction that caused it,
	 * which has completed, unless it is pc (a finding); 0: not known */
	uint64_t cause_pc;
};

/* All stopped waves, by number. Borrowed until the next call that resumes waves. */
const struct bw_wave_info *bw_debug_waves(struct bw_debug *d, size_t *out_n);
/* NULL when no stopped wave has this number. */
const struct bw_wave_info *bw_debug_wave(struct bw_debug *d, uint32_t number);
/* The stopped wave at that place in its workgroup, of that dispatch; NULL: none. */
const struct bw_wave_info *bw_debug_wave_at(struct bw_debug *d, uint32_t dispatch,
					    const uint32_t workgroup[3], uint32_t wave_in_group);

/* The focus: the wave that registers, lanes and expressions refer to. NULL when nothing is
 * stopped. */
const struct bw_wave_info *bw_debug_focus(struct bw_debug *d);
unsigned bw_debug_focus_lane(struct bw_debug *d);
struct bw_error *bw_debug_set_focus(struct bw_debug *d, uint32_t wave_number) BW_MUST_CHECK;
/* The VMID of the focus wave's address space on the GPU; 0: no wave is stopped. */
uint32_t bw_debug_focus_vmid(struct bw_debug *d);
/* An inactive lane may be chosen; the caller warns. */
struct bw_error *bw_debug_set_lane(struct bw_debug *d, unsigned lane) BW_MUST_CHECK;

/* Writes "AMDGPU Wave 1:2:1:5 (2,0,0)/1". */
void bw_wave_name(const struct bw_wave_info *w, char *out, size_t out_b);
/* Writes "(2,0,0)/1", or "(?,?,?)/?" if the place is not known; of a draw's wave "draw 2, pixels".
 */
void bw_wave_place_text(const struct bw_wave_info *w, char out[56]);
/* Writes "AMDGPU Lane 1:2:1:5/3 (2,0,0)[35,0,0]", of a draw "AMDGPU Lane 1:1:6:1/3 draw 2, pixel
 * 50,38". */
void bw_lane_name(struct bw_debug *d, const struct bw_wave_info *w, unsigned lane, char *out,
		  size_t out_b);
/* The work-item of a lane in its workgroup, from the dispatch's workgroup size: lanes are numbered
 * x first. False: the workgroup size is not known, or the lane is outside of the workgroup. */
bool bw_lane_item(struct bw_debug *d, const struct bw_wave_info *w, unsigned lane,
		  uint32_t out_item[3]);

/* Whether the lane has a work-item, a vertex or a pixel at all, as far as that is known. */
bool bw_lane_is_used(struct bw_debug *d, const struct bw_wave_info *w, unsigned lane);

/* The branch at which inactive lanes of the focus wave became inactive, or the loop that they have
 * left. */
struct bw_lane_branch {
	uint64_t lanes;
	uint64_t branch; /* address of the branch, or of the loop's branch */
	bool is_loop;
};
enum { BW_LANE_BRANCHES = 32 };
/* The innermost branch first; a lane is in at most one of them, and in none if the branch is not
 * known. Found by the masks that compilers keep in SGPRs (doc/hardware/code-objects.md 10). */
struct bw_error *bw_debug_lane_branches(struct bw_debug *d,
					struct bw_lane_branch out[BW_LANE_BRANCHES],
					size_t *out_n) BW_MUST_CHECK;

/* The states of the waves of a dispatch. stopped + running + waiting + finished == total if total
 * is known (indirect dispatches: total is 0, known is false). waiting: not launched yet. They are
 * told from finished ones by the order of launch, and by whether another workgroup would have had
 * room. */
struct bw_wave_count {
	uint32_t dispatch;
	bool known;
	uint64_t total, stopped, running, waiting, finished;
};
struct bw_error *bw_debug_count_waves(struct bw_debug *d, uint32_t dispatch,
				      struct bw_wave_count *out) BW_MUST_CHECK;

#endif
