/* SPDX-License-Identifier: MIT */
#ifndef BW_DEBUG_FRAMES_PRIV_H
#define BW_DEBUG_FRAMES_PRIV_H

/* The stack of the focus wave, and how it is found. */

#include "debug/code/code_priv.h"
#include "debug/debug_priv.h"
#include "debug/frames.h"

struct bw_wave_record;

/* A function with code of its own that the wave is in. Inlined frames are made of it. */
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
	bool is_valid; /* activations are those of this stop */
	uint32_t wave; /* whose they are */
	struct BW_VEC(struct bw_activation) activations;
	bool is_complete;	/* there are no more */
	char end[256];		/* why, where the last one is no kernel */
	struct bw_facts *facts; /* facts.c; NULL: none yet */
	/* of the wave `level_wave` (0: none): the selected frame, and how many functions that
	 * begin at its PC it is not shown in yet */
	unsigned level, hidden;
	uint32_t level_wave;
};

void bw_stack_fini(struct bw_stack *s);

/* A step has stopped where inlined functions begin, n of which it has not entered. */
struct bw_error *bw_stack_hide(struct bw_debug *d, unsigned n) BW_MUST_CHECK;
unsigned bw_stack_hidden(const struct bw_debug *d);

/* The stack of the focus wave, with its first activation at least. */
struct bw_error *bw_stack_of(struct bw_debug *d, struct bw_wave_record **out_wave,
			     struct bw_stack **out) BW_MUST_CHECK;

void bw_facts_free(struct bw_facts *c);
/* unwind.c: adds the caller of the last activation, or says that there is none. */
struct bw_error *bw_unwind(struct bw_debug *d, struct bw_wave_record *w,
			   struct bw_stack *s) BW_MUST_CHECK;

#endif
