/* SPDX-License-Identifier: MIT */
#ifndef BW_CRASH_STORY_H
#define BW_CRASH_STORY_H

/* A summary of one incident of a kernel log, for its verdict. */

#include "crash/crash.h"
#include "crash/incidents.h"

/* The first event of each kind, and the number of events of that kind. */
struct bw_crash_story {
	const struct bw_crash *crash;
	const struct bw_gpuvm_part *part;
	const struct bw_crash_log *log;
	const struct bw_crash_item *items;
	size_t n_items;
	const struct bw_crash_event *first[BW_CRASH_N_KINDS], *last[BW_CRASH_N_KINDS];
	unsigned n[BW_CRASH_N_KINDS];
	const struct bw_crash_event *hang;  /* the first timeout or soft recovery, or NULL */
	const struct bw_crash_fault *fault; /* that is told of those before the hang, or NULL */
	const struct bw_crash_fault *late;  /* the first one after it, or NULL */
	size_t n_early;			    /* faults before the hang */
	uint64_t n_suppressed;
};

/* The summary of incident `incident` of `in`; all of it is borrowed. part: the GPU that the user
 * names, or NULL. */
struct bw_crash_story bw_crash_story_of(const struct bw_crash *c, const struct bw_gpuvm_part *part,
					const struct bw_crash_incidents *in,
					const struct bw_crash_incident *incident);
/* After which a fault is not a cause any more; NULL: nothing was. */
const struct bw_crash_event *bw_crash_turn_of(const struct bw_crash_story *s);
/* A status that tells something counts more than one that came first. */
bool bw_crash_is_telling(const struct bw_crash_fault *f);

#endif
