/* SPDX-License-Identifier: MIT */
/* Layouts of LDS variables. Offsets and sizes are those of clang-19: of kernels with such
 * variables, the offsets of ds_store in its assembly, and .amdhsa_group_segment_fixed_size. */
#include "sym/lds.h"

#include <string.h>

#include "../suite.h"
#include "base/util.h"

enum { MAX = 7 };

struct wanted {
	const char *symbol;
	uint64_t size_b, align_b, offset_b;
};

static const struct layout {
	struct wanted v[MAX];
	uint64_t total_b;
} layouts[] = {
	/* one */
	{{{"k.x", 1, 1, 0}}, 1},
	/* the larger first, whatever the names */
	{{{"k.a", 4, 4, 8}, {"k.b", 8, 8, 0}}, 16},
	/* equal ones by name */
	{{{"k.b", 16, 4, 16}, {"k.a", 16, 4, 0}}, 32},
	/* padding is filled before a larger one comes */
	{{{"k.x0", 28, 4, 0}, {"k.y1A", 4, 4, 28}, {"k.y2A", 16, 16, 32}, {"k.z3", 16, 8, 48}}, 64},
	{{{"k.t0A", 165, 1, 0},
	  {"k.c1A", 15, 1, 192},
	  {"k.b2_q", 16, 16, 176},
	  {"k.b3A", 8, 8, 168}},
	 208},
	/* the size is a multiple of the types' own alignment, not of the one that LLVM asks for */
	{{{"k.a0", 64, 4, 0}, {"k.y1A", 5, 1, 64}, {"k.a2", 3, 1, 72}}, 76},
	{{{"k.y0", 66, 2, 144}, {"k.t1", 132, 4, 0}}, 212},
	/* types with large alignments */
	{{{"k.t0", 4, 4, 128}, {"k.y1", 128, 128, 0}}, 256},
	{{{"k.t0_q", 4, 4, 324},
	  {"k.c1A", 1, 1, 328},
	  {"k.y2_q", 132, 4, 192},
	  {"k.x3_q", 12, 4, 384},
	  {"k.z4A", 36, 4, 336},
	  {"k.d5A", 32, 32, 160},
	  {"k.b6_q", 160, 32, 0}},
	 416},
	{{{"k.a0A", 8, 8, 4896},
	  {"k.z1A", 128, 8, 4736},
	  {"k.d2_q", 8, 8, 4904},
	  {"k.d3A", 16, 16, 4880},
	  {"k.b4", 16, 16, 4864},
	  {"k.z5", 4224, 128, 0},
	  {"k.y6", 512, 32, 4224}},
	 4992},
};

static void rule(void **state)
{
	for (size_t i = 0; i < BW_ARRAY_SIZE(layouts); i++) {
		const struct layout *l = &layouts[i];
		struct bw_lds_variable v[MAX];
		size_t n = 0;
		for (; n < MAX && l->v[n].symbol; n++)
			v[n] = (struct bw_lds_variable){l->v[n].symbol, l->v[n].size_b,
							l->v[n].align_b, l->v[n].align_b,
							UINT64_MAX};
		assert_int_equal(bw_lds_lay_out(v, n), l->total_b);
		for (size_t k = 0; k < n; k++)
			for (size_t w = 0; w < n; w++)
				if (!strcmp(v[k].symbol, l->v[w].symbol) &&
				    v[k].offset_b != l->v[w].offset_b)
					fail_msg("layout %zu: %s at %llu, not %llu", i, v[k].symbol,
						 (unsigned long long)v[k].offset_b,
						 (unsigned long long)l->v[w].offset_b);
	}
}

TESTS(rule);
