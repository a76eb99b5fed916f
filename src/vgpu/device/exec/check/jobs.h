/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_EXEC_CHECK_JOBS_H
#define BW_VGPU_EXEC_CHECK_JOBS_H

/* What queues are after. A line is a queue whose order with others is known; what it executes are
 * jobs with numbers from 1, that begin in this order. There are two kinds:
 *
 * The rings of the virtual GPU's own driver: a job is a submission, and the driver knows what it
 * makes each wait for. They run one after the other.
 *
 * Queues that programs feed themselves, by /dev/kfd: a job is a packet. It is after the packets
 * whose completion the program could see when it submitted this one, and after those that have made
 * the signals what packets before it on its line have waited for.
 *
 * Jobs of different kinds are not compared. Of other queues nothing is known, and they are not
 * compared either. */

#include <stdbool.h>
#include <stdint.h>

#include "vgpu/device/exec/check/finding.h"

struct bw_check;

enum {
	BW_CHECK_RINGS = 8,
	BW_CHECK_LINES = 32, /* the rings come first; queues beyond that are not compared */
	BW_CHECK_NO_LINE = 0,
};

/* Which part of the device executes packets: a queue of the command processor by ME and pipe, or
 * the engine `pipe` of SDMA. */
struct bw_check_engine {
	uint8_t me, pipe;
	bool is_sdma;
	bool is_ring; /* only these may be rings of the driver */
};

struct bw_check_job {
	uint32_t line;
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

/* ---- queues of programs; c may be NULL, and the line BW_CHECK_NO_LINE ---- */

/* The queue starts at a position of its own, which grows with each packet. line: what it had
 * before. */
uint32_t bw_check_line_start(struct bw_check *c, uint32_t line, uint64_t at);
/* The program has submitted the packets before that position. */
void bw_check_line_submitted(struct bw_check *c, uint32_t line, uint64_t at);
/* The packet at a position begins; those before one have ended, as a signal tells the program. */
struct bw_check_job bw_check_packet_begin(struct bw_check *c, uint32_t line, uint64_t at);
void bw_check_packets_ended(struct bw_check *c, uint32_t line, uint64_t at);
/* The packet has ended, and is about to change a signal at this place of the host's memory.
 * is_sole: nobody else can have had a part in what the signal then is. */
void bw_check_signalled(struct bw_check *c, struct bw_check_job job, const void *signal,
			bool is_sole);

/* How a wait for a signal goes: to be zero before its first look. */
struct bw_check_wait {
	bool has_begun, is_open;	/* open: the signal was not what is waited for */
	uint64_t n;			/* how often jobs had changed it */
	bool was_seen;			/* that it is by now, before the wait has looked again */
	uint64_t ended[BW_CHECK_LINES]; /* what had ended then */
};
/* The signal of a wait is what is waited for. To be called before anything else ends. */
void bw_check_wait_holds(struct bw_check *c, struct bw_check_wait *w);
/* A packet looks at a signal; holds: and finds what it waits for, so that what follows on the line
 * comes after what has made it so. */
void bw_check_waits(struct bw_check *c, uint32_t line, struct bw_check_wait *w, const void *signal,
		    bool holds);
/* What follows on the line comes after all that has ended by now, or (begun) has begun. */
void bw_check_line_learns(struct bw_check *c, uint32_t line, bool begun);

/* ---- for the checker, under its lock ---- */

struct bw_jobs {
	struct bw_jobs_line {
		struct bw_check_engine engine;
		const uint64_t *fence; /* of a ring; else NULL */
		struct bw_jobs_after {
			uint64_t seq, of[BW_CHECK_LINES];
		} after[32];			/* more than a line executes at once */
		uint64_t known[BW_CHECK_LINES]; /* what its next job is after, whatever else */
		/* of a program's queue: the job of position 0; batches of submitted packets, with
		 * what had ended then */
		uint64_t base, submitted;
		struct bw_jobs_batch {
			uint64_t last, ended[BW_CHECK_LINES];
		} batch[16];
		unsigned n_batches;
	} line[BW_CHECK_LINES];
	uint32_t n_lines; /* with the rings; 0: no other one yet */
	/* Of each line, the last job of which something was seen; the last one that has begun; that
	 * up to which the program can know that all have ended. The latter two of programs'
	 * queues. */
	uint64_t seen[BW_CHECK_LINES], begun[BW_CHECK_LINES], ended[BW_CHECK_LINES];
	struct bw_jobs_signal { /* by hash */
		const void *host;
		uint64_t n, used, of[BW_CHECK_LINES]; /* used: when, for the oldest to go */
	} signal[1024];
	uint64_t n_used;
};

/* Who accesses memory, or has done so. */
struct bw_check_act {
	uint64_t stretch;  /* bw_check_launch */
	uint64_t dispatch; /* its number; 0: a packet */
	struct bw_check_job job;
};
struct bw_check_now {
	struct bw_check_act act;
	bool is_explicit;      /* bw_check_is_explicit */
	const uint64_t *after; /* of the job */
};
/* Dispatches that one has met at atomic objects: after its next fence it comes after them. */
struct bw_check_meetings {
	bool any, of_stretch;
	uint64_t of[BW_CHECK_LINES];
};
/* What follows a job on its line comes after these of each line. */
void bw_jobs_learn(struct bw_check *c, const struct bw_check_job *job,
		   const uint64_t of[BW_CHECK_LINES]);
/* Nothing orders the two. */
bool bw_jobs_are_unordered(const struct bw_check_now *now, const struct bw_check_act *then,
			   enum bw_check_relation *out);
static inline bool bw_jobs_is_of_program(const struct bw_check_job *job)
{
	return job->seq && job->line >= BW_CHECK_RINGS;
}
/* The submission that a ring executes now. */
struct bw_check_job bw_jobs_now(const struct bw_check *c, const struct bw_check_engine *e);
/* What a job is after; it can be raised while it runs. */
uint64_t *bw_jobs_after(struct bw_check *c, const struct bw_check_job *job);
/* Something of the job has begun. True: jobs of other lines that have begun are in no order with
 * it. */
bool bw_jobs_begin(struct bw_check *c, const struct bw_check_job *job, const uint64_t *after);

#endif
