/* SPDX-License-Identifier: MIT */
#ifndef BW_SCAN_HALT_H
#define BW_SCAN_HALT_H

/* Halts all waves of a GPU while they are read. Waves that were halted before stay halted. Nothing
 * else resumes halted waves, and the display stands still with them; so a guard process resumes
 * them if this one is killed, and allows GFXOFF again if this one holds it off. */

#include "scan/scan.h"

struct bw_scan_halt {
	const struct bw_gpu *gpu;
	const volatile sig_atomic_t *has_ended; /* as in struct bw_scan */
	struct bw_guard guard;
	struct bw_scan_waves before; /* owned */
	size_t n_were_halted;	     /* number of waves in `before` that were halted */
	bool is_halted;		     /* false if a signal came first */
};
#define BW_SCAN_HALT_INIT {.guard = BW_GUARD_INIT}

/* Halts the waves. bw_scan_halt_end() must follow, also after an error. */
struct bw_error *bw_scan_halt_begin(struct bw_scan_halt *h) BW_MUST_CHECK;
/* Resumes the waves. err: an error since then, or NULL; it is returned if the waves run again,
 * otherwise freed. */
struct bw_error *bw_scan_halt_end(struct bw_scan_halt *h, struct bw_error *err) BW_MUST_CHECK;

#endif
