/* SPDX-License-Identifier: MIT */
/* Which bits of a result code needs. The words are llvm-mc-19's of the text beside them; what is
 * expected are the bits that can change what is stored. */
#include "debug/variables/demanded.h"

#include <stdint.h>

#include "../suite.h"

#define ADD 0x4a020702			  /* v_add_nc_u32 v1, v2, v3 */
#define LOAD 0xdc520000, 0x017c0002	  /* global_load_b32 v1, v[2:3], off */
#define AND_3 0x36080283		  /* v_and_b32 v4, 3, v1 */
#define AND_7 0x36080287		  /* v_and_b32 v4, 7, v1 */
#define XOR 0x3a0a0501			  /* v_xor_b32 v5, v1, v2 */
#define MOV 0x7e0a0301			  /* v_mov_b32 v5, v1 */
#define DUAL 0xca200101, 0x05040687	  /* v_dual_mov_b32 v5, v1 :: v_dual_add_nc_u32 v4, 7, v3 */
#define SHIFT 0x300c0a83		  /* v_lshlrev_b32 v6, 3, v5 */
#define SUM 0xd6550006, 0x040e0501	  /* v_add3_u32 v6, v1, v2, v3 */
#define SIGN 0x7c880a80			  /* v_cmp_gt_i32 vcc_lo, 0, v5 */
#define ZERO 0x7c940a80			  /* v_cmp_eq_u32 vcc_lo, 0, v5 */
#define ADD_2 0x4a020501		  /* v_add_nc_u32 v1, v1, v2 */
#define XOR_2 0x3a020501		  /* v_xor_b32 v1, v1, v2 */
#define LOOP 0xbfa2fffe			  /* s_cbranch_scc1: to the dword in front */
#define STORE_1 0xdc6a0000, 0x007c0102	  /* global_store_b32 v[2:3], v1, off */
#define STORE_4 0xdc6a0000, 0x007c0402	  /* global_store_b32 v[2:3], v4, off */
#define STORE_BYTE 0xdc620000, 0x007c0102 /* global_store_b8 v[2:3], v1, off */
#define STORE_HALF 0xdc660000, 0x007c0602 /* global_store_b16 v[2:3], v6, off */
#define CALL 0xbe9e4906			  /* s_swappc_b64 s[30:31], s[6:7] */
#define END 0xbfb00000			  /* s_endpgm */

static uint32_t bits(const uint32_t *words, size_t size_b, uint64_t at)
{
	const struct bw_origin_code code = {.gen = BW_ISA_GFX11,
					    .lanes = 32,
					    .image = (const uint8_t *)words,
					    .image_b = size_b,
					    .end = UINT64_MAX};
	return bw_demanded_bits(&code, at, true, 1);
}

#define BITS(...) bits((const uint32_t[]){__VA_ARGS__}, sizeof((const uint32_t[]){__VA_ARGS__}), 0)

static void test_uses(void **state)
{
	assert_int_equal(BITS(ADD, AND_3, STORE_4, END), 3);
	assert_int_equal(BITS(ADD, STORE_1, END), UINT32_MAX);
	assert_int_equal(BITS(ADD, STORE_BYTE, END), 0xff);
	assert_int_equal(BITS(ADD, AND_3, END), 0); /* nobody uses that */
	/* an operation behind it, and copies */
	assert_int_equal(BITS(ADD, XOR, SHIFT, STORE_HALF, END), 0x1fff);
	assert_int_equal(BITS(ADD, MOV, SHIFT, STORE_HALF, END), 0x1fff);
	assert_int_equal(BITS(ADD, DUAL, SHIFT, STORE_HALF, END), 0x1fff);
	assert_int_equal(BITS(ADD, SUM, STORE_HALF, END), 0xffff);
	/* x < 0 looks at one bit */
	assert_int_equal(BITS(ADD, MOV, SIGN, END), 0);
	assert_int_equal(BITS(ADD, MOV, ZERO, END), UINT32_MAX);
}

static void test_several(void **state)
{
	assert_int_equal(BITS(ADD, AND_3, STORE_4, AND_7, STORE_4, END), 7);
	assert_int_equal(BITS(ADD, AND_3, STORE_4, STORE_1, END), UINT32_MAX);
	/* one that was copied with its block */
	assert_int_equal(BITS(ADD, AND_3, STORE_4, AND_3, STORE_4, END), 3);
}

/* LLVM follows values through the whole function, around loops as well. */
static void test_far(void **state)
{
	assert_int_equal(BITS(ADD, ADD_2, ADD_2, ADD_2, ADD_2, ADD_2, ADD_2, ADD_2, ADD_2, AND_3,
			      STORE_4, END),
			 3);
	assert_int_equal(
		BITS(ADD, ADD_2, ADD_2, ADD_2, ADD_2, ADD_2, ADD_2, ADD_2, ADD_2, STORE_1, END),
		UINT32_MAX);
	assert_int_equal(BITS(ADD, XOR_2, LOOP, AND_3, STORE_4, END), 3);
	assert_int_equal(BITS(ADD, XOR_2, LOOP, END), 0); /* it needs only itself */
	assert_int_equal(BITS(ADD, XOR_2, AND_3, STORE_4, 0xbfa2fffb, STORE_1, END), UINT32_MAX);
}

/* ds_store_2addr_b32 v0, v5, v0 offset1:1; the same of v1: one register each */
static void test_two_addresses(void **state)
{
	assert_int_equal(BITS(ADD, 0xd8380100, 0x00000500, AND_3, STORE_4, END), 3);
	assert_int_equal(BITS(ADD, 0xd8380100, 0x00010500, AND_3, STORE_4, END), UINT32_MAX);
}

static bool is_used(const uint32_t *words, size_t size_b, unsigned reg)
{
	const struct bw_origin_code code = {.gen = BW_ISA_GFX11,
					    .lanes = 32,
					    .image = (const uint8_t *)words,
					    .image_b = size_b,
					    .end = UINT64_MAX};
	return bw_register_is_used(&code, 0, true, reg);
}

/* Of v1 and v5 from the start on. */
static void test_used(void **state)
{
	const uint32_t words[] = {MOV, STORE_1, END};
	const uint32_t written[] = {ADD, STORE_1, END};
	assert_true(is_used(words, sizeof(words), 1));
	assert_false(is_used(words, sizeof(words), 5)); /* written */
	assert_false(is_used(written, sizeof(written), 1));
	assert_true(is_used(written, sizeof(written), 3));
	assert_false(is_used(written, 2, 3));
}

static void test_ends(void **state)
{
	assert_int_equal(BITS(ADD, END, STORE_1), 0);
	assert_int_equal(BITS(ADD, CALL, STORE_1, END), 0); /* the function may have written it */
	assert_int_equal(BITS(ADD, AND_3, STORE_4, ADD, STORE_1, END), 3);
	/* a jump behind the store, and one to it: s_branch, s_cbranch_scc1 */
	assert_int_equal(BITS(ADD, 0xbfa00002, STORE_1, END), 0);
	assert_int_equal(BITS(ADD, 0xbfa20001, END, STORE_1, END), UINT32_MAX);
	assert_int_equal(BITS(LOAD, AND_3, STORE_4, END), UINT32_MAX);
}

static void test_damage(void **state)
{
	const uint32_t words[] = {ADD, AND_3, STORE_4, 0xffffffff, STORE_1, END};
	assert_int_equal(bits(words, sizeof(words), 0), 3); /* not followed through it */
	assert_int_equal(bits(words, sizeof(words), 2), 0);
	assert_int_equal(bits(words, sizeof(words), 64), 0);
	assert_int_equal(bits(words, 6, 0), 0);
}

TESTS(test_uses, test_several, test_far, test_two_addresses, test_used, test_ends, test_damage);
