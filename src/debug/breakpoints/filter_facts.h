/* SPDX-License-Identifier: MIT */
#ifndef BW_DEBUG_FILTER_FACTS_H
#define BW_DEBUG_FILTER_FACTS_H

#include "debug/conditions/filter.h"

struct bw_debug;

enum { BW_FILTER_RESUME_DW = 8 }; /* dwords before the filter's code: the copy of the instruction */

/* Where a condition is tested; the cookie of the callbacks in its facts. */
struct bw_filter_at {
	struct bw_debug *d;
	uint64_t va;	/* in d->space */
	unsigned level; /* of the functions inlined there, in which names are looked up */
};
/* The facts that are the same for all dispatches that have waves now, or will have. */
struct bw_filter_facts bw_filter_facts_of(struct bw_filter_at *at);

#endif
