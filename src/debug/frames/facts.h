/* SPDX-License-Identifier: MIT */
#ifndef BW_DEBUG_FRAMES_FACTS_H
#define BW_DEBUG_FRAMES_FACTS_H

/* The results of flow.h, kept across stops: functions, and what they have done to registers when
 * they get to an address. */

#include "debug/frames/flow.h"
#include "debug/frames/frames_priv.h"

/* What the function at `entry` has done when it gets to `at`. */
struct bw_facts_row {
	const struct bw_module *module;
	uint64_t entry, at;
	bool called; /* the call at `at` has been executed, and has overwritten its link register */
	unsigned link;
	bool has_state;
	struct bw_sym_state state;
	struct bw_sym target; /* what the call at `at` calls */
};

/* Called before a caller is looked for: makes room. Rows are valid until the next call. */
struct bw_error *bw_facts_begin(struct bw_stack *s) BW_MUST_CHECK;
/* The row for an activation whose function is known. */
struct bw_error *bw_facts_row(struct bw_debug *d, const struct bw_wave_record *w,
			      const struct bw_activation *a,
			      const struct bw_facts_row **out) BW_MUST_CHECK;
/* Finds the function of an activation: sets entry and is_kernel. entry stays 0 if it is not known
 * where the function starts. */
struct bw_error *bw_facts_function(struct bw_debug *d, const struct bw_wave_record *w,
				   struct bw_activation *a) BW_MUST_CHECK;
/* Whether there is a call at `at`, and the first SGPR of its return address. */
bool bw_facts_call_at(const struct bw_debug *d, const struct bw_module *m, uint64_t at,
		      unsigned *out_link);

#endif
