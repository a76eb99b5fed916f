/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_DEVICE_AQL_CHECK_H
#define BW_VGPU_DEVICE_AQL_CHECK_H

/* What an AQL queue tells the checker of its packets (exec/check/jobs.h). */

#include "pm4/aql.h"
#include "vgpu/device/exec/check/jobs.h"

struct bw_device;
struct bw_queue;

/* What has ended before the program submits something else counts as ordered before that. So the
 * first packet after a pause of a queue is held up a little, as by a GPU that has other things to
 * do, and the program has time to submit what is in no order with it. */
struct bw_aql_hold {
	uint64_t until_ns;
	unsigned n; /* how often there was one */
};
void bw_aql_hold_begin(const struct bw_device *dev, struct bw_aql_hold *h);
bool bw_aql_hold_is_on(const struct bw_aql_hold *h);

struct bw_aql_check {
	uint32_t line;	    /* BW_CHECK_NO_LINE: nothing is told */
	uint64_t submitted; /* the packets before are known to be */
	struct bw_aql_hold hold;
	/* of the packet `next`, once it has begun; and of those that it waits for */
	struct bw_check_job job;
	struct bw_check_wait wait[BW_AQL_N_BARRIER_SIGNALS];
	uint64_t waits_for[BW_AQL_N_BARRIER_SIGNALS]; /* the signals, to be 0; 0: none */
};

/* The queue's packets from a position on. */
void bw_aql_check_start(struct bw_queue *q);
/* Of all queues of the device, AQL and SDMA: tells what the program has submitted, and which waits
 * it has ended. To be called before it can learn of the end of anything else. */
void bw_aql_check_submitted(struct bw_device *dev);
/* The next packet begins, after what it waits for. */
void bw_aql_check_begin(struct bw_queue *q);
/* It looks at a signal, the number-th of those that it waits for; holds: and finds what it waits
 * for. */
void bw_aql_check_waits(struct bw_queue *q, unsigned number, uint64_t signal, bool holds);

#endif
