/* SPDX-License-Identifier: MIT */
#ifndef BW_DEBUG_DISPATCHES_MARKS_H
#define BW_DEBUG_DISPATCHES_MARKS_H

/* Finds where the lines of a shader begin that records its variables (sym/spirv_record.h): at the
 * instructions that store marks. Pure: it reads machine code, and returns places. */

#include "base/error.h"
#include "isa/inst.h"
#include "sym/lines.h"

struct bw_marked_code {
	enum bw_isa_gen gen;
	const void *bytes; /* any bytes; need not be code */
	size_t size_b;
	uint32_t first_mark, n_marks; /* that the shader has */
};

/* Lists, by address, the stores of marks and the beginnings of basic blocks; a block's beginning
 * belongs to the line of its first mark. The caller owns *out (free); NULL if the code has no mark.
 * The only error is lack of memory. out_begun: the store by which a lane begins its record, so that
 * the code after it runs when the record has begun; 0: not known. */
struct bw_error *bw_marks_find(const struct bw_marked_code *code, struct bw_shader_mark **out,
			       size_t *out_n, uint32_t *out_begun) BW_MUST_CHECK;

#endif
