/* SPDX-License-Identifier: MIT */
#ifndef BW_CLI_WAVE_SCAN_H
#define BW_CLI_WAVE_SCAN_H

/* The waves that are on a GPU now, read through debugfs without a debugger: which wave slots are in
 * use by SQ_IND, registers by amdgpu_gprwave (doc/hardware/kernel-interface.md 4.6). One thread. */

#include "arch/arch.h"
#include "base/vec.h"
#include "cli/look_gpu.h"

enum { BW_SCAN_SGPRS = 108, BW_SCAN_SGPR_SLOTS = 124 /* with the TTMPs after them */ };

struct bw_scan_place {
	uint32_t se, sa, wgp, simd, wave;
	uint32_t is_cu; /* gfx9: wgp is the number of a CU */
};
/* "se0.sa0.wgp1.simd2.w3", as the debugger writes places; of gfx9 "se0.sa0.cu1.simd2.w3" */
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
	struct bw_gpu *gpu;
	const char *places; /* a pattern with * and ?, as of shells; NULL: all */
	int vmid;	    /* -1: all */
	bool reads_vgprs;
	bool awaits_halt; /* a wave is read when it has halted */
};
/* Calls fn for each wave that is wanted, in the order of places; it may take w's vgprs, and set
 * them to NULL. An error of fn, or a signal (bw_look_ended), ends it early. */
struct bw_error *bw_scan_each(const struct bw_scan *s,
			      struct bw_error *(*fn)(void *cookie, struct bw_scan_wave *w),
			      void *cookie) BW_MUST_CHECK;
/* Appends them to a list. */
struct bw_error *bw_scan_run(const struct bw_scan *s, struct bw_scan_waves *out) BW_MUST_CHECK;

/* Halts all waves of the GPU, or lets them run on. */
struct bw_error *bw_scan_halt_all(struct bw_gpu *gpu, bool on) BW_MUST_CHECK;
/* Lets one wave run on. */
struct bw_error *bw_scan_release(struct bw_gpu *gpu, const struct bw_scan_place *p) BW_MUST_CHECK;
/* Has a halted wave issue one instruction. It does so at a time of its own. BW_E_UNSUPPORTED: the
 * GPU's SQ has no such command (gfx9). */
struct bw_error *bw_scan_step(struct bw_gpu *gpu, const struct bw_scan_place *p) BW_MUST_CHECK;

/* ---- wave_guard.c ---- */

/* A small process that lets all waves run on when this one ends without having done so, and allows
 * GFXOFF again where this one holds it off. To be started before the GPU is opened. */
struct bw_scan_guard {
	int fd; /* -1: none */
	int child;
};
struct bw_error *bw_scan_guard_start(struct bw_look *l, bool holds_gfxoff,
				     struct bw_scan_guard *out) BW_MUST_CHECK;
/* From here on there is something to do for it. */
struct bw_error *bw_scan_guard_arm(struct bw_scan_guard *g) BW_MUST_CHECK;
/* All waves run on: there is nothing to do any more. */
void bw_scan_guard_disarm(struct bw_scan_guard *g);
/* Ends it, as the end of this process does: one that is armed lets the waves run on first. Accepts
 * one that was not started (fd -1). */
void bw_scan_guard_end(struct bw_scan_guard *g);

/* ---- wave_halt.c ---- */

/* All waves of a GPU, halted while they are looked at. Those that were halted before stay so. */
struct bw_scan_halt {
	struct bw_gpu *gpu;
	struct bw_scan_guard *guard; /* started */
	struct bw_scan_waves before; /* owned */
	size_t n_were_halted;	     /* of before */
	bool is_halted;		     /* false after a signal that came first */
};
/* Halts; in any case bw_scan_halt_end() follows. */
struct bw_error *bw_scan_halt_begin(struct bw_scan_halt *h) BW_MUST_CHECK;
/* Lets the waves run on and disarms the guard. err: what has happened meanwhile, or NULL; it is
 * returned where the waves run on, else freed. */
struct bw_error *bw_scan_halt_end(struct bw_scan_halt *h, struct bw_error *err) BW_MUST_CHECK;

#endif
