/* SPDX-License-Identifier: MIT */
/* Where a shader stores marks. The words are llvm-mc-19's of the text beside them. */
#include "debug/dispatches/marks.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../suite.h"
#include "base/util.h"
#include "sym/spirv_record.h"

#define M(n) (BW_SPIRV_RECORD_MARK + (n))

static const uint32_t code[] = {
	0x7e0e02ff, M(0),	      /* 00 v_mov_b32 v7, mark 0 */
	0x7e1602ff, M(1),	      /* 08 v_mov_b32 v11, mark 1 */
	0xbe8500ff, M(2),	      /* 10 s_mov_b32 s5, mark 2 */
	0xdc690000, 0x00fc0701,	      /* 18 scratch_store_b32 v1, v7, off */
	0xca1000ff, 0x05020100, M(3), /* 20 v_dual_mov_b32 v5, mark 3 :: v_dual_mov_b32 v2, v0 */
	0xbfa50004,		      /* 2c s_cbranch_execz 0x40 */
	0x7e060205,		      /* 30 v_mov_b32 v3, s5 */
	0xdc6d0000, 0x00fc0a01,	      /* 34 scratch_store_b64 v1, v[10:11], off */
	0x7e0e0300,		      /* 3c v_mov_b32 v7, v0 */
	0xdc690000, 0x00fc0501,	      /* 40 scratch_store_b32 v1, v5, off */
	0xdc690000, 0x00fc0701,	      /* 48 scratch_store_b32 v1, v7, off */
	0xdc690000, 0x00fc0301,	      /* 50 scratch_store_b32 v1, v3, off */
	0x7e060205,		      /* 58 v_mov_b32 v3, s5 */
	0x4a121281,		      /* 5c v_add_nc_u32 v9, 1, v9 */
	0xdc690000, 0x00fc0301,	      /* 60 scratch_store_b32 v1, v3, off */
	0xdc690000, 0x00fc0b01,	      /* 68 scratch_store_b32 v1, v11, off */
	0x7e160309,		      /* 70 v_mov_b32 v11, v9 */
	0xbfa2fff9,		      /* 74 s_cbranch_scc1 0x5c */
	0x7e1002ff, M(4),	      /* 78 v_mov_b32 v8, mark 4 */
	0xdc690000, 0x00fc0801,	      /* 80 scratch_store_b32 v1, v8, off */
	0x7e1002fa, 0xff01010b,	      /* 88 v_mov_b32_dpp v8, v11 row_shl:1 */
	0xd8340000, 0x00000301,	      /* 90 ds_store_b32 v1, v3 */
	0xbfb00000,		      /* 98 s_endpgm */
};

static void expect(const uint32_t *words, size_t size_b, uint32_t n_marks,
		   const struct bw_shader_mark *want, size_t n_want)
{
	const struct bw_marked_code c = {BW_ISA_GFX11, words, size_b, BW_SPIRV_RECORD_MARK,
					 n_marks};
	struct bw_shader_mark *found;
	size_t n;
	uint32_t begun;
	assert_null(bw_marks_find(&c, &found, &n, &begun));
	assert_int_equal(begun, 0);
	assert_int_equal(n, n_want);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(found[i].offset_b, want[i].offset_b);
		assert_int_equal(found[i].mark, want[i].mark);
		assert_int_equal(found[i].begins_line, want[i].begins_line);
	}
	free(found);
}

/* Marks are known where every way to a store moves the same one there: through a VOPD, an SGPR, a
 * branch. What only one way has, or a loop overwrites, is not. */
static void test_ways(void **state)
{
	const struct bw_shader_mark want[] = {
		{0x00, M(0), false}, {0x18, M(0), true},  {0x30, M(1), false}, {0x34, M(1), true},
		{0x40, M(3), true},  {0x5c, M(2), false}, {0x60, M(2), true},  {0x78, 0, false},
	};
	expect(code, sizeof(code), 4, want, BW_ARRAY_SIZE(want));
}

/* A number that is no mark of this shader is data. */
static void test_numbers(void **state)
{
	const struct bw_shader_mark want[] = {{0x00, M(0), false}, {0x18, M(0), true},
					      {0x30, 0, false},	   {0x40, 0, false},
					      {0x5c, 0, false},	   {0x78, 0, false}};
	expect(code, sizeof(code), 1, want, BW_ARRAY_SIZE(want));
	expect(code, sizeof(code), 0, NULL, 0);
	expect(code, 0x18, 4, NULL, 0); /* no store is left */
	expect(code, 0, 4, NULL, 0);
}

/* The store by which a record begins, in the first block; elsewhere it says nothing. */
static void test_begun(void **state)
{
	static const uint32_t first[] = {
		0x7e0c02ff, BW_SPIRV_RECORD_LIVE, /* 00 v_mov_b32 v6, live */
		0xdc690000, 0x00fc0601,		  /* 08 scratch_store_b32 v1, v6, off */
		0x7e0e02ff, M(0),		  /* 10 v_mov_b32 v7, mark 0 */
		0xdc690000, 0x00fc0701,		  /* 18 scratch_store_b32 v1, v7, off */
		0xbfb00000,			  /* 20 s_endpgm */
	};
	uint32_t later[BW_ARRAY_SIZE(first) + 1] = {0xbfa50000}; /* s_cbranch_execz to the next */
	memcpy(later + 1, first, sizeof(first));
	const struct bw_marked_code a = {BW_ISA_GFX11, first, sizeof(first), BW_SPIRV_RECORD_MARK,
					 1},
				    b = {BW_ISA_GFX11, later, sizeof(later), BW_SPIRV_RECORD_MARK,
					 1};
	struct bw_shader_mark *found;
	uint32_t begun;
	size_t n;
	assert_null(bw_marks_find(&a, &found, &n, &begun));
	assert_int_equal(n, 2);
	assert_int_equal(begun, 8);
	free(found);
	assert_null(bw_marks_find(&b, &found, &n, &begun));
	assert_int_equal(begun, 0);
	free(found);
}

/* Branches into instructions and beyond the code, and what is no instruction. */
static void test_anything(void **state)
{
	uint32_t words[64], seed = 1;
	for (unsigned run = 0; run < 20000; run++) {
		const struct bw_marked_code c = {BW_ISA_GFX11, words, sizeof(words),
						 BW_SPIRV_RECORD_MARK, 4};
		struct bw_shader_mark *found;
		size_t n;
		uint32_t begun;
		for (unsigned i = 0; i < BW_ARRAY_SIZE(words); i++) {
			seed = seed * 1664525 + 1013904223;
			words[i] = seed >> 30	  ? code[(seed >> 8) % BW_ARRAY_SIZE(code)]
				   : seed & 0x100 ? 0xbfa20000 | (seed >> 9 & 0xff)
						  : seed;
		}
		assert_null(bw_marks_find(&c, &found, &n, &begun));
		for (size_t i = 0; i < n; i++)
			assert_true(found[i].offset_b < sizeof(words));
		free(found);
	}
}

TESTS(test_ways, test_numbers, test_begun, test_anything);
