/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_EXEC_EMIT_H
#define BW_VGPU_EXEC_EMIT_H

/* Puts stencils one after the other into memory and fills their holes. */

#include "vgpu/device/exec/compile/code_memory.h"
#include "vgpu/device/exec/compile/stencil.h"
#include "vgpu/device/exec/core/rec.h"

enum {
	/* A block is at most so many instructions, which bounds how long a request waits. */
	BW_BLOCK_INSTRUCTIONS = 64,
	/* Holes that wait for its end: constants, of up to three sources of two records, for all
	 * lanes and for some, of two halves; some are read more than once. */
	BW_BLOCK_LATER = BW_BLOCK_INSTRUCTIONS * 48,
};

enum { BW_NO_RESULT = UINT32_MAX, BW_NO_HALF = 2 };

struct bw_emit {
	struct bw_code_memory *memory;
	size_t start_b, at_b; /* of the block in the memory */
	bool is_full;	      /* the memory is; nothing of the block counts */
	bool is_too_large;    /* it has too many constants; likewise */
	uint32_t value[BW_HOLE_VALUES];
	uint64_t konst; /* for the next stencil */
	/* The VGPR (from `vgpr`, for a half) that is the last result; BW_NO_RESULT: none. */
	uint32_t result;
	/* The half whose active lanes are in registers; BW_NO_HALF: none. */
	unsigned half;
	uint64_t original;
	const struct bw_rec *first; /* of the block */
	uint32_t n_after;	    /* instructions of the block after the one that is put */
	unsigned skip_b;	    /* size of the call that is put after the stencil */
	/* Holes that are filled at the end: of constants, and of the code for some lanes. */
	unsigned n_later;
	struct {
		uint32_t at;
		int32_t addend;
		uint64_t value;
		bool is_masked;
	} later[BW_BLOCK_LATER];
};

void bw_emit_begin(struct bw_emit *e, struct bw_code_memory *memory);
/* Puts it with the values, konst and original of e. */
void bw_emit_stencil(struct bw_emit *e, const struct bw_stencil *stencil);
void bw_emit_part(struct bw_emit *e, enum bw_block_part part);
/* A stencil that may jump over the call that is put after it. */
void bw_emit_over_call(struct bw_emit *e, const struct bw_stencil *stencil);
/* Calls a handler for one instruction of the block. */
void bw_emit_call(struct bw_emit *e, const struct bw_rec *rec, bw_handler *handler);
/* The code for some lanes starts here. */
void bw_emit_masked(struct bw_emit *e);
/* The block is complete. Its machine code, or NULL: it did not fit. */
const void *bw_emit_end(struct bw_emit *e);

#endif
