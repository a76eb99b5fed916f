/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_EXEC_CHECK_SYNC_H
#define BW_VGPU_EXEC_CHECK_SYNC_H

/* The checker for barriers of a workgroup that not all of its work-items reach. The hardware counts
 * waves, and forgets those that have ended: it hides that an error. Three kinds are told:
 *
 *     lanes   a lane is not active at a barrier of its wave, and accesses memory later
 *     ended   a wave has stored to memory or LDS since its last barrier, and ends, while others of
 *             the group wait at one more
 *     places  the waves of the group meet at different barriers
 *
 * A lane or a wave that only ends early is no finding: HIP's programs do so, and nothing of theirs
 * comes after the barrier.
 *
 * One thread runs the waves of a group, so only findings need a lock. */

#include "vgpu/device/exec/check/check.h"

enum bw_sync_kind { BW_SYNC_LANES, BW_SYNC_ENDED, BW_SYNC_PLACES };

struct bw_sync_finding {
	enum bw_sync_kind kind;
	uint64_t count;
	uint8_t vmid, lanes;
	uint64_t missing;	 /* BW_SYNC_LANES: the lanes */
	struct bw_check_side at; /* the barrier, and the wave there */
	/* the next access of a lane that is missing; the last store of the wave that has ended; the
	 * other barrier */
	struct bw_check_side other;
};

/* A wave starts, with EXEC as at its launch; it has come to a barrier; it ends by itself. */
void bw_sync_wave_begin(struct bw_wave *w);
void bw_sync_arrive(struct bw_wave *w);
void bw_sync_wave_end(struct bw_wave *w);
/* All waves of the group that have not ended have come to a barrier, and are still there. */
void bw_sync_meet(struct bw_workgroup *wg);

/* Called once for each new finding, from a worker thread. */
typedef void bw_sync_listener(void *cookie, size_t number, const struct bw_sync_finding *f);
void bw_sync_listen(struct bw_check *c, bw_sync_listener *fn, void *cookie);
/* Findings in the order in which they were made, at most max; returns how many there are. */
size_t bw_sync_findings(struct bw_check *c, struct bw_sync_finding *out, size_t max);
const char *bw_sync_kind_name(enum bw_sync_kind kind);

#endif
