/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_EXEC_CHECK_H
#define BW_VGPU_EXEC_CHECK_H

/* The checker: races between the waves of a dispatch, and between the lanes of an instruction. One
 * bw_check belongs to a device. Parts:
 *
 *     order.c     which accesses are ordered: clocks of waves (pure)
 *     shadow.c    the last accesses of each dword of memory (pure)
 *     rows.c      memory instructions of an executor with a checker, chosen when code is decoded
 *     check.c     dispatches, groups, instructions: what is given to the two above
 *     races.c     races: what is told of them
 *     between.c   races between dispatches, packets and queues: of what writers.c has noted
 *     reads.c     who has only read memory, for these
 *     jobs.c      which submissions of the driver come after which
 *     findings.c  findings of all kinds, each once for its places (finding.h)
 *     sync.c      barriers that not all reach
 *     around.c    ways around a barrier
 *
 * A memory instruction and all that follows from it is one step under a lock, so the order in which
 * waves meet at atomics is that in which the checker sees them. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "vgpu/device/exec/check/finding.h"
#include "vgpu/device/exec/check/jobs.h"
#include "vgpu/device/exec/core/rec.h"
#include "vgpu/device/exec/core/wave.h"

struct bw_check;
struct bw_check_dispatch;

struct bw_check *bw_check_create(unsigned what, enum bw_isa_gen gen);
void bw_check_destroy(struct bw_check *c);

/* A workgroup starts: wg->check is set. *dispatch: of its dispatch, NULL before the first group. */
struct bw_check_draw {
	uint32_t number;   /* of the draw; 0: a dispatch */
	uint32_t place[3]; /* of the group, as TTMP8 to TTMP10 have it */
	/* Writes what a lane of its waves runs for, "pixel 3,4"; "" where that is not known. */
	void (*lane)(const struct bw_wave *w, unsigned lane, char out[BW_CHECK_LANE_B]);
};
struct bw_check_launch {
	uint64_t code_va;
	uint64_t space;		   /* the root of the page tables, as the registers have it */
	const uint32_t *user_data; /* 16 */
	unsigned lanes;
	/* Dispatches with the same number have no wait of their queue between them; 0: not
	 * known. */
	uint64_t stretch;
	uint32_t lds_b; /* of a workgroup, by the byte; 0: not known */
	uint8_t vmid;
	struct bw_check_engine engine; /* that executes its packet */
	struct bw_check_job job;       /* seq 0: the one that a ring executes */
	bool is_restored; /* from a context save: what it has done is not known any more */
	/* A round of a draw: its waves are in no order, like workgroups. Races with others,
	 * values that nobody has written, and barriers are not followed. */
	struct bw_check_draw draw;
};
void bw_check_group_begin(struct bw_check *c, struct bw_check_dispatch **dispatch,
			  const struct bw_check_launch *launch, struct bw_workgroup *wg);
/* Accesses of these lanes are not told of: those of helpers, which only their neighbours use. */
void bw_check_hide_lanes(struct bw_workgroup *wg, unsigned wave, uint64_t lanes);
/* The programs of an address space use Vulkan. So they have to order copies and fills with
 * dispatches themselves; other drivers may do that by ways that packets do not show. And their
 * shaders are compiled by ACO (around.c). */
void bw_check_is_explicit(struct bw_check *c, uint64_t space);
/* Its waves that have not ended have all reached a barrier. */
void bw_check_barrier(struct bw_workgroup *wg);
/* A wave comes to a resource of the global wave sync, where others of its dispatch may wait; it
 * goes on, after what these did before they came. */
void bw_check_gws_arrive(struct bw_check *c, struct bw_wave *w, unsigned resource);
void bw_check_gws_leave(struct bw_check *c, struct bw_wave *w, unsigned resource);
/* The dispatch has ended; NULL: nothing happens. */
void bw_check_dispatch_end(struct bw_check_dispatch *d);

/* The row to be used for a memory instruction of an executor with a checker. */
const struct bw_mem_row *bw_check_row(const struct bw_mem_row *row, unsigned op);
/* The handler to be used for any other instruction. */
bw_handler *bw_check_handler(const struct bw_exec *x, const struct bw_inst *inst, bw_handler *fn);

#endif
