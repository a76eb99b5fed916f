/* SPDX-License-Identifier: MIT */
#ifndef BW_SYM_SHADER_SCOPES_H
#define BW_SYM_SHADER_SCOPES_H

/* The lines where the text of a shader (GLSL, HLSL) declares local variables, and where their
 * blocks end: SPIR-V has no blocks of the source. Macros are not expanded, and all branches of #if
 * are read. Pure. */

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/vec.h"

struct bw_declared {
	const char *name; /* in the text, not terminated */
	uint32_t len;
	uint32_t line;
	/* its block: of the first token and of the last one; begin 0: that is a whole function */
	uint32_t begin, end;
	bool is_loop;	    /* in the head of a for: its line comes again */
	bool is_last;	    /* nothing but the end of its statement follows in its line */
	bool end_is_shared; /* other code follows in the last line */
};
struct bw_declarations BW_VEC(struct bw_declared);

/* out: owned (bw_vec_free), in the order of the text. Empty where blocks cannot be told: braces
 * that do not match, in the text or in a macro. Only the lack of memory is an error. */
struct bw_error *bw_shader_declarations(const char *text,
					struct bw_declarations *out) BW_MUST_CHECK;

#endif
