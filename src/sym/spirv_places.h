/* SPDX-License-Identifier: MIT */
#ifndef BW_SYM_SPIRV_PLACES_H
#define BW_SYM_SPIRV_PLACES_H

/* The places in a compute shader's source where waves can stay for ever: its loops, and its
 * barriers. Pure. */

#include "base/vec.h"
#include "sym/spirv.h"

enum bw_spirv_place_kind { BW_SPIRV_LOOP, BW_SPIRV_BARRIER };

struct bw_spirv_place {
	enum bw_spirv_place_kind kind;
	uint32_t function; /* as bw_spirv_function_at has them */
	const char *file;  /* borrowed; NULL: it has no lines */
	unsigned first_line, last_line;
};
struct bw_spirv_places {
	struct BW_VEC(struct bw_spirv_place) list;
	bool has_lines; /* some of the code that runs has a line */
};

/* The places of the entry point and of the functions that it calls, in the order of the module:
 * outer loops come before inner ones. Each place in the source is there once. */
struct bw_error *bw_spirv_find_places(struct bw_spirv *s,
				      struct bw_spirv_places *out) BW_MUST_CHECK;
void bw_spirv_places_free(struct bw_spirv_places *p);

#endif
