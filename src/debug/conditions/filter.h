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

/* A variable of the program, or a part of one, where it is at the breakpoint. */
enum bw_filter_place {
	BW_FILTER_CONSTANT, /* bits */
	BW_FILTER_SGPR,	    /* reg, and the next one */
	BW_FILTER_VGPR,
	BW_FILTER_PRIVATE, /* the lane's scratch: the SGPR reg (BW_SRC_NULL: 0) + offset_b */
	BW_FILTER_LDS,	   /* offset_b */
};
struct bw_filter_variable {
	enum bw_filter_place kind;
	struct bw_type type;
	unsigned reg;
	uint32_t offset_b;
	uint64_t bits;
	const char *why; /* not known: "is read from memory"; static */
};

/* What is the same for all waves that may reach the breakpoint. */
struct bw_filter_facts {
	const struct bw_arch *arch; /* of the waves */
	enum bw_isa_gen gen;	    /* of the code */
	unsigned n_vgprs;	    /* that each of them has */
	unsigned lanes;		    /* 32 or 64; 0: both */
	bool one_row;		    /* groups are N x 1 x 1 */
	uint32_t scratch_b;	    /* that each lane has */
	/* A convenience variable that is a number; may be NULL. */
	bool (*variable)(void *cookie, const char *name, struct bw_value *out);
	/* The place of this name, "item.at[2]"; false: no such place is known (out->why). May be
	 * NULL. */
	bool (*place)(void *cookie, const char *text, size_t len, struct bw_filter_variable *out);
	/* Where a wave of this number is in its dispatch, false: not known, or over. May be
	 * NULL. */
	bool (*wave)(void *cookie, uint64_t number, uint32_t out_group[3],
		     uint32_t *out_wave_in_group);
	uint32_t resume_before_b; /* bytes from where the handler resumes a rejected wave to this
				   * code */
	void *cookie;
};

struct bw_filter_result {
	unsigned n_vgprs; /* that the code changes, from v0 on */
	bool is_whole;	  /* a wave stops only where the condition holds for a lane (of floats: or
			   * may) */
	/* else what is left to the debugger, the first of it, and why; NULL: nothing that has a
	 * name */
	char part[48];
	const char *why;
};
/* Code that leaves SCC set where the condition may hold for an active lane, and returns by
 * ttmp[4:5]. Returns its size in dwords; 0: the condition says nothing that could be tested
 * there. */
size_t bw_filter_compile(const char *text, const struct bw_filter_facts *facts, uint32_t *out,
			 size_t max_dw, struct bw_filter_result *out_result);

#endif
