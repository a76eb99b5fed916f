/* SPDX-License-Identifier: MIT */
#ifndef BW_DEBUG_DISPATCHES_MARKS_H
#define BW_DEBUG_DISPATCHES_MARKS_H

/* Where a shader that keeps a record of its variables begins its lines (sym/spirv_record.h): at the
 * instructions that store marks. Pure: machine code in, places out. */

#include "base/error.h"
#include "isa/inst.h"
#include "sym/lines.h"

struct bw_marked_code {
	enum bw_isa_gen gen;
	const void *bytes; /* may be anything */
	size_t size_b;
	uint32_t n_marks; /* how many the shader has */
};

/* By address: the stores of marks, and the beginning of each basic block, which belongs to the line
 * of the first mark of the block. out: owned (free), NULL where the code has no mark. Only the
 * lack of memory is an error. out_begun: what is after this place runs when the lane has begun its
 * record; 0: where that is is not known. */
struct bw_error *bw_marks_find(const struct bw_marked_code *code, struct bw_shader_mark **out,
			       size_t *out_n, uint32_t *out_begun) BW_MUST_CHECK;

#endif
