/* SPDX-License-Identifier: MIT */
#ifndef BW_SCAN_SCAN_H
#define BW_SCAN_SCAN_H

/* The waves that are on a GPU now, read through debugfs without a trap handler: which wave slots
 * are in use by SQ_IND, registers by amdgpu_gprwave (doc/hardware/kernel-interface.md 4.6). One
 * thread. */

#include <signal.h>

#include "arch/arch.h"
#include "base/vec.h"
#include "gpu/opened.h"
#include "guard/guard.h"
#include "target/target.h"

enum { BW_SCAN_SGPRS = 108, BW_SCAN_SGPR_SLOTS = 124 /* with the TTMPs after them */ };

/* A wave as the SQ has it: PC and EXEC are those of now, in the trap handler the handler's. */
struct bw_scan_wave {
	struct bw_place place;
	/* state with TTMPs; space: its VMID; slot: 0 */
	struct bw_target_wave wave;
	uint32_t sgprs[BW_SCAN_SGPRS];
	uint32_t *vgprs; /* wave.n_vgprs runs of wave.lanes; owned. NULL: not read, or none */
};
struct bw_scan_waves BW_VEC(struct bw_scan_wave);
void bw_scan_free(struct bw_scan_waves *list);
/* Where the wave is in the program's code: in the trap handler, where it entered it. */
uint64_t bw_scan_code_pc(const struct bw_scan_wave *w);

struct bw_scan {
	const struct bw_gpu *gpu;
	const char *places; /* a pattern with * and ?, as of shells; NULL: all */
	int vmid;	    /* -1: all */
	bool reads_vgprs;
	bool awaits_halt;			/* a wave is read when it has halted */
	const volatile sig_atomic_t *has_ended; /* nonzero ends a scan early; NULL: nothing does */
};
/* Calls fn for each wave that is wanted, in the order of places; it may take w's vgprs, and set
 * them to NULL. An error of fn, or has_ended, ends it early. */
struct bw_error *bw_scan_each(const struct bw_scan *s,
			      struct bw_error *(*fn)(void *cookie, struct bw_scan_wave *w),
			      void *cookie) BW_MUST_CHECK;
/* Appends them to a list. */
struct bw_error *bw_scan_run(const struct bw_scan *s, struct bw_scan_waves *out) BW_MUST_CHECK;
/* Reads the VGPRs of a wave that has been found without. */
struct bw_error *bw_scan_vgprs(const struct bw_scan *s, struct bw_scan_wave *w) BW_MUST_CHECK;

/* What the GPU has, as its driver says. BW_E_UNSUPPORTED: its waves are not known here. */
struct bw_error *bw_scan_facts(const struct bw_gpu *gpu, struct bw_target_facts *out) BW_MUST_CHECK;

/* The write that halts all waves of the GPU, or resumes them. */
struct bw_error *bw_scan_halt_command(const struct bw_gpu *gpu, bool on,
				      struct bw_guard_write *out) BW_MUST_CHECK;
struct bw_error *bw_scan_halt_all(const struct bw_gpu *gpu, bool on) BW_MUST_CHECK;
/* Resumes one wave. */
struct bw_error *bw_scan_release(const struct bw_gpu *gpu, const struct bw_place *p) BW_MUST_CHECK;
/* Has a halted wave issue one instruction. It does so at a time of its own. BW_E_UNSUPPORTED: the
 * GPU's SQ has no such command (gfx9). */
struct bw_error *bw_scan_step(const struct bw_gpu *gpu, const struct bw_place *p) BW_MUST_CHECK;

#endif
