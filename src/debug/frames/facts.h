/* SPDX-License-Identifier: MIT */
#ifndef BW_DEBUG_FRAMES_FACTS_H
#define BW_DEBUG_FRAMES_FACTS_H

/* What is known of code by flow.h, kept over stops: functions, and what they have done to registers
 * when they get to an address. */

#include "debug/frames/flow.h"
#include "debug/frames/frames_priv.h"

/* What the function at entry has done when it gets to `at`. */
struct bw_facts_row {
	const struct bw_module *module;
	uint64_t entry, at;
	bool called; /* the call at `at` has been executed, and has overwritten its link register */
	unsigned link;
	bool has_state;
	struct bw_sym_state state;
	struct bw_sym target; /* of the call at `at`: what it calls */
};

/* Before one caller is looked for: makes room. Rows are there until the next call. */
struct bw_error *bw_facts_begin(struct bw_stack *s) BW_MUST_CHECK;
/* The row of an activation whose function is known. */
struct bw_error *bw_facts_row(struct bw_debug *d, const struct bw_wave_record *w,
			      const struct bw_activation *a,
			      const struct bw_facts_row **out) BW_MUST_CHECK;
/* Sets entry and is_kernel. entry stays 0 where nothing says where the function starts. */
struct bw_error *bw_facts_function(struct bw_debug *d, const struct bw_wave_record *w,
				   struct bw_activation *a) BW_MUST_CHECK;
/* Whether there is a call, and the first SGPR of its return address. */
bool bw_facts_call_at(const struct bw_debug *d, const struct bw_module *m, uint64_t at,
		      unsigned *out_link);

#endif
