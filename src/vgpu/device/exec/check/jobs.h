/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_EXEC_CHECK_JOBS_H
#define BW_VGPU_EXEC_CHECK_JOBS_H

/* Submissions to the rings of the virtual GPU's own driver, which knows what it makes them wait
 * for. Those of a ring have numbers from 1, and run in that order. Any other driver says nothing,
 * and then nothing is known of the order of queues. */

#include <stdbool.h>
#include <stdint.h>

struct bw_check;

enum { BW_CHECK_RINGS = 8 };

/* Which part of the device executes packets: a queue of the command processor by ME and pipe, or
 * the engine `pipe` of SDMA. */
struct bw_check_engine {
	uint8_t me, pipe;
	bool is_sdma;
	bool is_ring; /* only these may be rings of the driver */
};

struct bw_check_job {
	uint32_t ring;
	uint64_t seq; /* 0: not known */
};

/* For the driver. The ring with this number is that engine's; *fence is the number of its last
 * submission that has ended. c may be NULL. */
void bw_check_ring(struct bw_check *c, unsigned ring, struct bw_check_engine e,
		   const uint64_t *fence);
/* A submission that is going to run: of each ring those up to after[] have ended before, because of
 * a semaphore, of a fence that the CPU has seen, or of the order of a queue. c may be NULL. */
void bw_check_job(struct bw_check *c, struct bw_check_job job,
		  const uint64_t after[BW_CHECK_RINGS]);

/* What the checker keeps, under its lock. */
struct bw_jobs {
	struct bw_jobs_ring {
		struct bw_check_engine engine;
		const uint64_t *fence; /* NULL: there is no such ring */
		struct bw_jobs_after {
			uint64_t seq, of[BW_CHECK_RINGS];
		} after[8]; /* more than a ring has at once */
	} ring[BW_CHECK_RINGS];
	uint64_t
		begun[BW_CHECK_RINGS]; /* the last submission of each of which something was seen */
};

/* For the checker, under its lock. The submission that the engine executes now, and what it is
 * after. */
const uint64_t *bw_jobs_now(const struct bw_check *c, const struct bw_check_engine *e,
			    struct bw_check_job *out);
/* Something of the submission has begun. True: submissions of other rings that have begun are in no
 * order with it. */
bool bw_jobs_begin(struct bw_check *c, const struct bw_check_job *job, const uint64_t *after);

#endif
