/* SPDX-License-Identifier: MIT */
#ifndef BW_SCAN_HALT_H
#define BW_SCAN_HALT_H

/* All waves of a GPU, halted while they are looked at. Those that were halted before stay so.
 * Halted waves stay halted for ever, and the display with them: so a guard process resumes them
 * when this one is killed, and allows GFXOFF again where this one holds it off. */

#include "scan/scan.h"

struct bw_scan_halt {
	const struct bw_gpu *gpu;
	const volatile sig_atomic_t *has_ended; /* as in struct bw_scan */
	struct bw_guard guard;
	struct bw_scan_waves before; /* owned */
	size_t n_were_halted;	     /* of before */
	bool is_halted;		     /* false after a signal that came first */
};
#define BW_SCAN_HALT_INIT {.guard = BW_GUARD_INIT}

/* Halts; in any case bw_scan_halt_end() follows. */
struct bw_error *bw_scan_halt_begin(struct bw_scan_halt *h) BW_MUST_CHECK;
/* Resumes the waves. err: what has happened meanwhile, or NULL; it is returned where the waves run
 * on, else freed. */
struct bw_error *bw_scan_halt_end(struct bw_scan_halt *h, struct bw_error *err) BW_MUST_CHECK;

#endif
