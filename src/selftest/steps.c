/* SPDX-License-Identifier: MIT */
/* The table of the steps. */
#include "selftest/selftest_priv.h"

#include "base/util.h"

const struct bw_selftest_step *bw_selftest_steps(size_t *out_n)
{
	static const struct bw_selftest_step steps[] = {
#define BW_STEP(name, does, risk) {#name, does, risk, bw_selftest_step_##name},
#include "selftest/steps.def"
#undef BW_STEP
		/* without a function: each inference runs in a process of its own */
		{"inferences",
		 "Runs a small kernel for each behaviour of the GPU that is only inferred, and says whether it is so (doc/inferences.md).",
		 "The kernels are unusual. If one hangs, the GPU is asked whether it still works, and the hung kernel is ended after the last one.",
		 NULL},
	};
	*out_n = BW_ARRAY_SIZE(steps);
	return steps;
}
