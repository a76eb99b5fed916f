/* SPDX-License-Identifier: MIT */
#include <stdint.h>
#include <string.h>

#include "../suite.h"
#include "base/util.h"
#include "swap/bindings.h"

#define OP(code, words) ((uint32_t)(words) << 16 | (code))

static void ok(struct bw_error *err)
{
	if (err)
		fail_msg("%s", err->message);
}

/* OpDecorate of variables 7 and 8 with Binding and DescriptorSet, of 9 with Binding alone, and of
 * 10 with Location. */
static void bindings_are_found(void **state)
{
	static const uint32_t code[] = {0x07230203, 0x10600,	  0,  20, 0, 4 << 16 | 71, 7, 34,
					1,	    4 << 16 | 71, 7,  33, 3, 4 << 16 | 71, 8, 33,
					3,	    4 << 16 | 71, 8,  34, 1, 4 << 16 | 71, 9, 33,
					5,	    4 << 16 | 71, 10, 30, 2};
	struct bw_swap_bindings b = {0};
	(void)state;
	ok(bw_swap_bindings(code, sizeof(code), &b));
	assert_int_equal(b.len, 2);
	assert_int_equal(b.data[0].set, 1);
	assert_int_equal(b.data[0].binding, 3);
	assert_int_equal(b.data[1].set, 0);
	assert_int_equal(b.data[1].binding, 5);
	bw_vec_free(&b);
	/* cut off in the middle of an instruction */
	memset(&b, 0, sizeof(b));
	ok(bw_swap_bindings(code, sizeof(code) - 20, &b));
	assert_int_equal(b.len, 1);
	bw_vec_free(&b);
}

/* A variable 10 whose type is a pointer to type 8, with binding 3 of set 0, and a load of it. */
static uint32_t types_of(const uint32_t *type, size_t n, uint32_t storage, bool is_used)
{
	uint32_t code[64] = {0x07230203, 0x10600, 0, 20, 0, OP(71, 4), 10, 33, 3};
	const uint32_t rest[] = {OP(32, 4), 9,	     storage,	8, OP(59, 4), 9,
				 10,	    storage, OP(61, 4), 7, 11,	      is_used ? 10 : 12};
	struct bw_swap_bindings b = {0};
	memcpy(code + 9, type, n * 4);
	memcpy(code + 9 + n, rest, sizeof(rest));
	ok(bw_swap_bindings(code, (9 + n) * 4 + sizeof(rest), &b));
	assert_int_equal(b.len, 1);
	assert_int_equal(b.data[0].binding, 3);
	uint32_t types = b.data[0].types;
	bw_vec_free(&b);
	return types;
}

/* Vulkan's table of shader resources and descriptor types; VkDescriptorType has the numbers. */
static void types_are_those_of_vulkan(void **state)
{
	enum { CONSTANT = 0, UNIFORM = 2, STORAGE = 12, INLINE = 1000138000 };
	static const struct {
		uint32_t type[16], n, storage, is[3], n_is;
		const char *name;
	} rows[] = {
		{{OP(26, 2), 8}, 2, CONSTANT, {0, 1}, 2, "a sampler"},
		{{OP(25, 9), 8, 1, 1, 0, 0, 0, 1, 0}, 9, CONSTANT, {2, 1}, 2, NULL},
		{{OP(25, 9), 8, 1, 1, 0, 0, 0, 2, 4}, 9, CONSTANT, {3}, 1, "a storage image"},
		{{OP(25, 9), 8, 1, 5, 0, 0, 0, 1, 0},
		 9,
		 CONSTANT,
		 {4},
		 1,
		 "a uniform texel buffer"},
		{{OP(25, 9), 8, 1, 5, 0, 0, 0, 2, 4},
		 9,
		 CONSTANT,
		 {5},
		 1,
		 "a storage texel buffer"},
		{{OP(25, 9), 8, 1, 6, 0, 0, 0, 2, 0}, 9, CONSTANT, {10}, 1, "an input attachment"},
		/* an image with its sampler; of a texel buffer */
		{{OP(25, 9), 6, 1, 1, 0, 0, 0, 1, 0, OP(27, 3), 8, 6},
		 12,
		 CONSTANT,
		 {1},
		 1,
		 "an image with a sampler"},
		{{OP(25, 9), 6, 1, 5, 0, 0, 0, 1, 0, OP(27, 3), 8, 6}, 12, CONSTANT, {4}, 1, NULL},
		/* blocks, of both ways to say what they are; an array of arrays of them */
		{{OP(30, 3), 8, 1}, 3, UNIFORM, {6, 8, INLINE}, 3, "a uniform buffer"},
		{{OP(30, 3), 8, 1}, 3, STORAGE, {7, 9}, 2, "a storage buffer"},
		{{OP(71, 3), 8, 3, OP(30, 3), 8, 1}, 6, UNIFORM, {7, 9}, 2, NULL},
		{{OP(30, 3), 5, 1, OP(28, 4), 6, 5, 2, OP(29, 3), 8, 6},
		 10,
		 STORAGE,
		 {7, 9},
		 2,
		 NULL},
		/* no descriptor */
		{{OP(30, 3), 8, 1}, 3, CONSTANT, {0}, 0, NULL},
	};
	(void)state;
	for (size_t i = 0; i < BW_ARRAY_SIZE(rows); i++) {
		uint32_t expected = 0;
		for (uint32_t k = 0; k < rows[i].n_is; k++)
			expected |= bw_swap_type_bit(rows[i].is[k]);
		uint32_t got = types_of(rows[i].type, rows[i].n, rows[i].storage, true);
		if (got != expected)
			fail_msg("row %zu: 0x%x, expected 0x%x", i, got, expected);
		if (rows[i].name)
			assert_string_equal(bw_swap_types_name(got), rows[i].name);
		assert_int_equal(types_of(rows[i].type, rows[i].n, rows[i].storage, false), 0);
	}
	assert_int_equal(bw_swap_type_bit(11), 0);
	assert_string_equal(bw_swap_types_name(bw_swap_type_bit(INLINE)),
			    "an inline uniform block");
}

/* Types that lead to each other or to nothing. */
static void circles_end(void **state)
{
	(void)state;
	assert_int_equal(types_of((const uint32_t[]){OP(29, 3), 8, 8}, 3, 12, true), 0);
	assert_int_equal(types_of((const uint32_t[]){OP(29, 3), 8, 0xffffffff}, 3, 12, true), 0);
	assert_int_equal(types_of((const uint32_t[]){OP(27, 3), 8, 8}, 3, 0, true), 0);
	assert_int_equal(types_of((const uint32_t[]){OP(30, 1)}, 1, 12, true), 0);
}

TESTS(bindings_are_found, types_are_those_of_vulkan, circles_end);
