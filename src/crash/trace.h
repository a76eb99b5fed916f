/* SPDX-License-Identifier: MIT */
#ifndef BW_CRASH_TRACE_H
#define BW_CRASH_TRACE_H

/* Finds the draw or dispatch of a hang report's command buffers that hangs. RADV writes a trace
 * point, a memory write and a NOP with a number, after a draw or a dispatch; where it synchronizes
 * (RADV_DEBUG=hang implies it) a packet that waits for the work before follows, and another trace
 * point. So the work before the last point that was reached was launched, and unless a wait lies
 * between them it may still run. Waves whose PCs lie in its code prove that it does. Pure. */

#include "crash/crash.h"

enum { BW_CRASH_MAX_WORKS = 64, BW_CRASH_WORK_CODES = 12 };

/* A draw or a dispatch. */
struct bw_crash_work {
	size_t ib, at_dw;
	uint8_t op;
	bool is_compute;  /* a dispatch of a compute shader; else a draw */
	bool is_launched; /* a trace point after it was reached */
	/* of the dispatches, or the draws, of all command buffers, from 1; 0: it is not a dispatch
	 * that a debugger lists */
	unsigned number;
	unsigned n_waves;		   /* that stand in its code */
	uint32_t groups[3], group_size[3]; /* of a dispatch; ~0: read from memory */
	/* where its shaders begin: bits 39:8 of the addresses */
	uint32_t code[BW_CRASH_WORK_CODES];
	unsigned n_codes;
};

struct bw_crash_trace {
	unsigned reached, next; /* numbers of trace points */
	bool has_next;
	size_t ib, point_dw; /* of the point that was reached */
	/* The work that may hang, in order, without work that has no waves while another has
	 * some. */
	struct bw_crash_work works[BW_CRASH_MAX_WORKS];
	unsigned n_works, n_left_out;
	unsigned n_launched; /* of works */
	/* The packet after the point that waits for what was launched; size_dw 0: there is none */
	struct bw_pm4_packet wait;
	/* The first packet after the point that may take its time, where no work may hang */
	struct bw_pm4_packet stuck;
	uint64_t n_waves;	  /* of the files */
	unsigned n_waves_in_work; /* in the code of any of the works */
};

/* False: no trace point was reached. */
bool bw_crash_find_trace(const struct bw_crash *c, const struct bw_crash_dump *d,
			 struct bw_crash_trace *out);

/* The state of a draw or a dispatch at a place: what is between two that may run counts as running.
 * */
enum bw_crash_work_state { BW_CRASH_WORK_DONE, BW_CRASH_WORK_RUNNING, BW_CRASH_WORK_WAITING };
enum bw_crash_work_state bw_crash_work_state(const struct bw_crash_trace *t, size_t ib,
					     size_t at_dw);

/* The shader of a pipeline whose code is at an address; NULL: the files do not know. */
const struct bw_crash_shader *bw_crash_shader_at(const struct bw_crash_report *r, uint64_t va);
/* The shader of a draw or dispatch that is in the files; one with waves is preferred. NULL: none
 * is. */
const struct bw_crash_shader *bw_crash_shader_of(const struct bw_crash *c,
						 const struct bw_crash_work *w);

#endif
