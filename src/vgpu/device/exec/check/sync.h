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
 * One thread runs the waves of a group, so no lock is needed but that of the findings. */

#include "vgpu/device/exec/check/check.h"

/* A wave starts, with EXEC as at its launch; it has come to a barrier; it ends by itself, or it is
 * ended from outside: its group is not followed any more. */
void bw_sync_wave_begin(struct bw_wave *w);
void bw_sync_arrive(struct bw_wave *w);
void bw_sync_wave_end(struct bw_wave *w);
void bw_sync_wave_killed(struct bw_wave *w);
/* All waves of the group that have not ended have come to a barrier, and are still there. */
void bw_sync_meet(struct bw_workgroup *wg);

#endif
