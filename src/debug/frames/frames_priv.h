/* SPDX-License-Identifier: MIT */
#ifndef BW_DEBUG_FRAMES_PRIV_H
#define BW_DEBUG_FRAMES_PRIV_H

/* The stack of the focus wave, and the search for callers. */

#include "debug/code/code_priv.h"
#include "debug/debug_priv.h"
#include "debug/frames.h"

struct bw_wave_record;

/* A function with code of its own in which the wave is. Inlined frames are derived from it. */
struct bw_activation {
	uint64_t pc, at;
	uint64_t entry; /* 0: not known */
	bool is_kernel;
	bool has_s32, has_s33, has_base, has_exec;
	uint32_t s32, s33, base;
	uint64_t exec;
};

struct bw_facts;

struct bw_stack {
	bool is_valid; /* the activations are those of this stop */
	uint32_t wave; /* number of the wave to which they belong */
	struct BW_VEC(struct bw_activation) activations;
	bool is_complete; /* all activations have been found */
	/* why the last activation has no caller, if it is not a kernel */
	char end[256];
	struct bw_facts *facts; /* facts.c; NULL: not made yet */
	/* of the wave `level_wave` (0: none): the selected frame, and how many inlined functions
	 * that begin at its PC are not shown as entered yet */
	unsigned level, hidden;
	uint32_t level_wave;
};

void bw_stack_fini(struct bw_stack *s);

/* Notes that a step has stopped where inlined functions begin, and has not entered n of them. */
struct bw_error *bw_stack_hide(struct bw_debug *d, unsigned n) BW_MUST_CHECK;
/* How many inlined functions that begin at the focus wave's PC are not shown as entered. */
unsigned bw_stack_hidden(struct bw_debug *d);

/* The stack of the focus wave, with at least its first activation. */
struct bw_error *bw_stack_of(struct bw_debug *d, struct bw_wave_record **out_wave,
			     struct bw_stack **out) BW_MUST_CHECK;

void bw_facts_free(struct bw_facts *c);
/* unwind.c: adds the caller of the last activation, or says that there is none. */
struct bw_error *bw_unwind(struct bw_debug *d, struct bw_wave_record *w,
			   struct bw_stack *s) BW_MUST_CHECK;

#endif
