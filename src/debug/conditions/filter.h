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

/* The place of a variable of the program, or of a part of one, at the breakpoint. */
enum bw_filter_place {
	BW_FILTER_CONSTANT, /* the value is `bits` */
	BW_FILTER_SGPR,	    /* in the SGPR `reg` and the next one */
	BW_FILTER_VGPR,
	BW_FILTER_PRIVATE, /* the lane's scratch: the SGPR reg (BW_SRC_NULL: 0) + offset_b */
	BW_FILTER_LDS,	   /* in LDS at offset_b */
};
struct bw_filter_variable {
	enum bw_filter_place kind;
	struct bw_type type;
	unsigned reg;
	uint32_t offset_b;
	uint64_t bits;
	const char *why; /* no place: why the place is not known, "is read from memory"; static */
};

/* Facts that are the same for all waves that may reach the breakpoint. */
struct bw_filter_facts {
	const struct bw_arch *arch; /* architecture of the waves */
	enum bw_isa_gen gen;	    /* generation of the code */
	unsigned n_vgprs;	    /* number of VGPRs that each wave has */
	unsigned lanes;		    /* size of the waves: 32 or 64; 0: both occur */
	bool one_row;		    /* workgroups are N x 1 x 1 */
	uint32_t scratch_b;	    /* bytes of scratch that each lane has */
	/* Looks up a convenience variable that is a number. May be NULL. */
	bool (*variable)(void *cookie, const char *name, struct bw_value *out);
	/* Looks up the place of a name, "item.at[2]". False: no place is known, and out->why says
	 * why. May be NULL. */
	bool (*place)(void *cookie, const char *text, size_t len, struct bw_filter_variable *out);
	/* Looks up where the wave of this number is in its dispatch. False: the wave is not known,
	 * or has ended. May be NULL. */
	bool (*wave)(void *cookie, uint64_t number, uint32_t out_group[3],
		     uint32_t *out_wave_in_group);
	uint32_t resume_before_b; /* bytes between the place where the handler resumes a rejected
				   * wave, and this code */
	void *cookie;
};

struct bw_filter_result {
	unsigned n_vgprs; /* number of VGPRs that the code changes, from v0 on */
	bool is_whole;	  /* Waves stop only if the condition holds for a lane (for
			   * comparisons of floats: if it may hold). */
	/* If not is_whole: the first part that the debugger has to test, and why. NULL: no single
	 * part. */
	char part[48];
	const char *why;
};
/* Compiles a condition to code that sets SCC if the condition may hold for an active lane, and
 * returns by ttmp[4:5]. Returns its size in dwords; 0: nothing in the condition can be tested by
 * code. */
size_t bw_filter_compile(const char *text, const struct bw_filter_facts *facts, uint32_t *out,
			 size_t max_dw, struct bw_filter_result *out_result);

#endif
