/* SPDX-License-Identifier: MIT */
#ifndef BW_LAUNCH_PLAN_PRIV_H
#define BW_LAUNCH_PLAN_PRIV_H

#include "launch/plan.h"

/* Matches the --args of the options with those of the plan's kernel (or lays them out for raw
 * code): fills args, kernarg_b and lds_b. */
struct bw_error *bw_launch_plan_args(struct bw_launch_plan *p,
				     const struct bw_launch_options *o) BW_MUST_CHECK;

#endif
