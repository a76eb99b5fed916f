/* SPDX-License-Identifier: MIT */
#ifndef BW_DEBUG_FILTER_FACTS_H
#define BW_DEBUG_FILTER_FACTS_H

#include "debug/conditions/filter.h"

struct bw_debug;

enum { BW_FILTER_RESUME_DW = 8 }; /* the copy of the instruction, before the filter's code */

/* Where a condition is tested; the cookie of its facts. */
struct bw_filter_at {
	struct bw_debug *d;
	uint64_t va; /* in d->space */
};
/* What all dispatches that have waves, or will have, agree in. */
struct bw_filter_facts bw_filter_facts_of(struct bw_filter_at *at);

#endif
