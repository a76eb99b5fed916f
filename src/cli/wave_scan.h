/* SPDX-License-Identifier: MIT */
#ifndef BW_CLI_WAVE_SCAN_H
#define BW_CLI_WAVE_SCAN_H

/* The waves that are on a GPU now, read through debugfs without a debugger: which wave slots are in
 * use by SQ_IND, registers by amdgpu_gprwave (doc/hardware/kernel-interface.md 4.6). One thread. */

#include "arch/arch.h"
#include "base/vec.h"
#include "cli/look_gpu.h"

enum { BW_SCAN_SGPRS = 108, BW_SCAN_SGPR_SLOTS = 124 /* with the TTMPs behind them */ };

struct bw_scan_place {
	uint32_t se, sa, wgp, simd, wave;
};
/* "se0.sa0.wgp1.simd2.w3", as the debugger writes places */
void bw_scan_place_text(const struct bw_scan_place *p, char out[40]);

struct bw_scan_wave {
	struct bw_scan_place place;
	struct bw_wave_state state; /* with TTMPs */
	uint64_t pc, exec;
	unsigned vmid, lanes;
	uint32_t sgprs[BW_SCAN_SGPRS];
	unsigned n_vgprs;
	uint32_t *vgprs; /* n_vgprs runs of `lanes`; owned. NULL: not read */
};
struct bw_scan_waves BW_VEC(struct bw_scan_wave);
void bw_scan_free(struct bw_scan_waves *list);

struct bw_scan {
	struct bw_look_gpu *gpu;
	const char *places; /* a pattern with * and ?, as of shells; NULL: all */
	int vmid;	    /* -1: all */
	bool reads_vgprs;
	bool awaits_halt; /* a wave is read when it has halted */
};
/* Appends the waves that are wanted. Signals end it early (bw_look_ended). */
struct bw_error *bw_scan_run(const struct bw_scan *s, struct bw_scan_waves *out) BW_MUST_CHECK;

/* Halts all waves of the GPU, or lets them run on. */
struct bw_error *bw_scan_halt_all(struct bw_look_gpu *gpu, bool on) BW_MUST_CHECK;
/* Lets one wave run on. */
struct bw_error *bw_scan_release(struct bw_look_gpu *gpu,
				 const struct bw_scan_place *p) BW_MUST_CHECK;

/* ---- wave_guard.c ---- */

/* A small process that lets all waves run on when this one ends without having done so, and allows
 * GFXOFF again. To be started before the GPU is opened. */
struct bw_scan_guard {
	int fd; /* -1: none */
	int child;
};
struct bw_error *bw_scan_guard_start(struct bw_look *l, struct bw_scan_guard *out) BW_MUST_CHECK;
/* From here on there is something to do for it. */
struct bw_error *bw_scan_guard_arm(struct bw_scan_guard *g) BW_MUST_CHECK;
/* All waves run on: it ends. Without this the end of the process is what it acts on. */
void bw_scan_guard_dismiss(struct bw_scan_guard *g);

#endif
