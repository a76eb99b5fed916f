/* SPDX-License-Identifier: MIT */
#ifndef BW_DEBUG_FILTER_H
#define BW_DEBUG_FILTER_H

/* Conditions as machine code for the trap handler. Pure. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/arch.h"
#include "debug/value.h"
#include "isa/op.h"

/* What is the same for all waves that may reach the breakpoint. */
struct bw_filter_facts {
	const struct bw_arch *arch; /* of the waves */
	enum bw_isa_gen gen;	    /* of the code */
	unsigned n_vgprs;	    /* that each of them has */
	unsigned lanes;		    /* 32 or 64; 0: both */
	bool one_row;		    /* groups are N x 1 x 1 */
	/* A convenience variable that is a number; may be NULL. */
	bool (*variable)(void *cookie, const char *name, struct bw_value *out);
	/* Where a wave of this number is in its dispatch, false: not known, or over. May be
	 * NULL. */
	bool (*wave)(void *cookie, uint64_t number, uint32_t out_group[3],
		     uint32_t *out_wave_in_group);
	uint32_t resume_before_b; /* bytes from where the handler resumes a rejected wave to this
				   * code */
	void *cookie;
};

/* Code that leaves SCC set where the condition may hold for an active lane, and returns by
 * ttmp[4:5]. Returns its size in dwords; 0: the condition says nothing that could be tested
 * there. */
size_t bw_filter_compile(const char *text, const struct bw_filter_facts *facts, uint32_t *out,
			 size_t max_dw);

#endif
