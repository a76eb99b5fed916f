/* SPDX-License-Identifier: MIT */
/* What has written to registers. The words are llvm-mc-19's of the text beside them. */
#include "debug/variables/origins.h"

#include <stdint.h>
#include <string.h>

#include "../suite.h"

static const uint32_t words[] = {
	0x7e080287,		/* 00 v_mov_b32 v4, 7 */
	0xca100081, 0x05020100, /* 04 v_dual_mov_b32 v5, 1 :: v_dual_mov_b32 v2, v0 */
	0xbe840002,		/* 0c s_mov_b32 s4, s2 */
	0xbf8903f7,		/* 10 s_waitcnt vmcnt(0) */
	0x7e060304,		/* 14 v_mov_b32 v3, v4 */
	0x4a080881,		/* 18 v_add_nc_u32 v4, 1, v4 */
	0xbf068004,		/* 1c s_cmp_eq_u32 s4, 0 */
	0xbfa2fffd,		/* 20 s_cbranch_scc1 0x18 */
	0xbe9e4906,		/* 24 s_swappc_b64 s[30:31], s[6:7] */
	0xdc6e0000, 0x007c0402, /* 28 global_store_b64 v[2:3], v[4:5], off */
	0xbfb00000,		/* 30 s_endpgm */
};
enum { ENTRY = 256 }; /* in the image */

struct seen {
	uint64_t refused; /* an address that is not accepted */
	struct bw_origin origin[8];
	unsigned n;
};

static bool note(void *ctx, const struct bw_origin *o)
{
	struct seen *s = ctx;
	assert_true(s->n < 8);
	s->origin[s->n++] = *o;
	return o->is_entry || o->at != s->refused;
}

static bool ask(struct seen *s, uint64_t at, bool is_vgpr, unsigned reg, uint64_t from, uint64_t to)
{
	uint8_t image[ENTRY + sizeof(words)] = {0};
	const struct bw_origin_code code = {.gen = BW_ISA_GFX11,
					    .lanes = 32,
					    .image = image,
					    .image_b = sizeof(image),
					    .entry = ENTRY,
					    .end = UINT64_MAX};
	const struct bw_origin_reg r = {is_vgpr, reg, ENTRY + from, ENTRY + to};
	memcpy(image + ENTRY, words, sizeof(words));
	s->n = 0;
	return bw_origins_all(&code, ENTRY + at, &r, note, s);
}

static bool is_at(const struct seen *s, unsigned i, uint64_t at)
{
	return i < s->n && !s->origin[i].is_entry && s->origin[i].at == ENTRY + at;
}

static void test_straight(void **state)
{
	struct seen s = {0};
	assert_true(ask(&s, 0x14, true, 4, 4, 0x18));
	assert_int_equal(s.n, 1);
	assert_true(is_at(&s, 0, 0));
	assert_true(s.origin[0].is_last);
	assert_false(s.origin[0].is_fused);
	assert_true(ask(&s, 0x14, true, 5, 0x14, 0x18));
	assert_true(is_at(&s, 0, 4));
	assert_true(s.origin[0].is_fused);
	assert_false(s.origin[0].is_last); /* s_mov is no wait */
	assert_true(ask(&s, 0x14, false, 4, 0x14, 0x18));
	assert_true(is_at(&s, 0, 0xc));
	assert_true(s.origin[0].is_last); /* s_waitcnt is one */
	/* not written yet: at the instruction that does it, too */
	assert_true(ask(&s, 4, true, 5, 4, 0xc));
	assert_int_equal(s.n, 1);
	assert_true(s.origin[0].is_entry);
	assert_int_equal(s.origin[0].reg, 5);
}

static void test_copies(void **state)
{
	struct seen s = {.refused = ENTRY + 4};
	assert_true(ask(&s, 0x14, true, 2, 0x14, 0x18));
	assert_int_equal(s.n, 2);
	assert_true(s.origin[1].is_entry);
	assert_int_equal(s.origin[1].reg, 0);
	s.refused = ENTRY + 0x14;
	assert_true(ask(&s, 0x18, true, 3, 0x18, 0x1c));
	assert_true(is_at(&s, 1, 0)); /* of v4 */
	s.refused = ENTRY;	      /* 7 is no register */
	assert_false(ask(&s, 0x14, true, 4, 0x14, 0x18));
	assert_int_equal(s.n, 1);
}

static void test_ways(void **state)
{
	struct seen s = {0};
	assert_true(ask(&s, 0x18, true, 4, 0x18, 0x1c));
	assert_int_equal(s.n, 2);
	assert_true((is_at(&s, 0, 0) && is_at(&s, 1, 0x18)) ||
		    (is_at(&s, 1, 0) && is_at(&s, 0, 0x18)));
	s.refused = ENTRY + 0x18;
	assert_false(ask(&s, 0x18, true, 4, 0x18, 0x1c));
}

static void test_calls(void **state)
{
	struct seen s = {0};
	/* across the call, and behind it: what it returns; s30 is the return address */
	assert_true(ask(&s, 0x28, true, 2, 0xc, 0x30));
	assert_true(is_at(&s, 0, 4));
	assert_true(ask(&s, 0x28, true, 2, 0x28, 0x30));
	assert_true(is_at(&s, 0, 0x24));
	assert_true(ask(&s, 0x28, false, 31, 0x28, 0x30));
	assert_true(is_at(&s, 0, 0x24));
	/* too far for a result */
	assert_true(ask(&s, 0x28, true, 40, 0x28, 0x30));
	assert_true(s.origin[0].is_entry);
}

static bool is_not(void *ctx, uint64_t at)
{
	return at != *(const uint64_t *)ctx;
}

/* scratch_store_b32 off, v1, s33 offset:4; scratch_store_b64 off, v[2:3], off offset:8;
 * scratch_store_b32 v4, v1, s33 (at an address in v4) */
static void test_stores(void **state)
{
	static const uint32_t stores[] = {0xdc690004, 0x00210100, 0xdc6d0008,
					  0x007c0200, 0xdc690000, 0x00a10104};
	const struct bw_origin_code code = {.gen = BW_ISA_GFX11,
					    .lanes = 32,
					    .image = (const uint8_t *)stores,
					    .image_b = sizeof(stores),
					    .end = UINT64_MAX};
	bool covered[12] = {false};
	uint64_t foreign = UINT64_MAX;
	struct bw_stored stored = {33, 2, sizeof(covered), is_not, &foreign};
	bw_stores_before(&code, 0x18, &stored, covered);
	for (unsigned i = 0; i < 12; i++)
		assert_int_equal(covered[i], i >= 2 && i < 6);
	memset(covered, 0, sizeof(covered));
	stored.base = BW_SRC_NULL;
	stored.offset = 8;
	bw_stores_before(&code, 8, &stored, covered); /* it is the next */
	assert_false(covered[0]);
	bw_stores_before(&code, 0x10, &stored, covered);
	assert_true(covered[0] && covered[7] && !covered[8]);
}

/* scratch_store_b64 off, v[2:3], off; scratch_store_b32 off, v1, off offset:4: the second is of
 * another variable. */
static void test_shared_memory(void **state)
{
	static const uint32_t stores[] = {0xdc6d0000, 0x007c0200, 0xdc690004, 0x007c0100};
	const struct bw_origin_code code = {.gen = BW_ISA_GFX11,
					    .lanes = 32,
					    .image = (const uint8_t *)stores,
					    .image_b = sizeof(stores),
					    .end = UINT64_MAX};
	bool covered[8] = {false};
	uint64_t foreign = 8;
	const struct bw_stored stored = {BW_SRC_NULL, 0, sizeof(covered), is_not, &foreign};
	bw_stores_before(&code, 8, &stored, covered);
	assert_true(covered[0] && covered[4]);
	bw_stores_before(&code, 16, &stored, covered);
	assert_true(covered[0] && covered[3]);
	assert_false(covered[4] || covered[7]);
	foreign = 0; /* own stores come behind */
	bw_stores_before(&code, 16, &stored, covered);
	assert_true(!covered[0] && !covered[3] && covered[4] && covered[7]);
}

static bool in_front(uint64_t end, bool is_vgpr, unsigned reg, struct bw_origin *out)
{
	static const uint32_t code_words[] = {
		0xca100081, 0x05020100, /* v_dual_mov_b32 v5, 1 :: v_dual_mov_b32 v2, v0 */
		0xf4000101, 0xf8000010, /* s_load_b32 s4, s[2:3], 0x10 */
		0xffffffff,
	};
	const struct bw_origin_code code = {.gen = BW_ISA_GFX11,
					    .lanes = 32,
					    .image = (const uint8_t *)code_words,
					    .image_b = sizeof(code_words),
					    .end = UINT64_MAX};
	const struct bw_origin_reg r = {is_vgpr, reg, 0, 0};
	return bw_origin_in_front(&code, end, &r, out);
}

static void test_in_front(void **state)
{
	struct bw_origin o;
	assert_true(in_front(8, true, 2, &o));
	assert_int_equal(o.at, 0);
	assert_true(o.is_fused && !o.is_load);
	assert_true(in_front(8, true, 5, &o));
	assert_false(in_front(8, true, 4, &o));
	assert_false(in_front(4, true, 5, &o)); /* none ends there */
	assert_true(in_front(16, false, 4, &o));
	assert_int_equal(o.at, 8);
	assert_true(o.is_load);
	assert_false(in_front(16, true, 4, &o));
	assert_false(in_front(20, false, 4, &o)); /* no instruction */
	assert_false(in_front(400, false, 4, &o));
}

static void note_store(void *ctx, uint64_t at, unsigned size_b)
{
	unsigned *sizes = ctx;
	assert_true(at % 4 == 0 && at / 4 < 16);
	sizes[at / 4] = size_b + 1;
}

/* scratch_store_b8 off, v4, off offset:8; flat_store_b64 v[2:3], v[4:5];
 * s_swappc_b64 s[30:31], s[6:7]; global_store_b32 v[2:3], v1, off; s_endpgm */
static void test_all_stores(void **state)
{
	static const uint32_t stores[] = {0xdc610008, 0x007c0400, 0xdc6c0000, 0x007c0402,
					  0xbe9e4906, 0xdc6a0000, 0x007c0102, 0xbfb00000};
	const struct bw_origin_code code = {.gen = BW_ISA_GFX11,
					    .lanes = 32,
					    .image = (const uint8_t *)stores,
					    .image_b = sizeof(stores),
					    .end = UINT64_MAX};
	unsigned sizes[16] = {0};
	const unsigned wanted[16] = {[0] = 1 + 1, [2] = 8 + 1, [4] = 0 + 1};
	bw_stores_each(&code, note_store, sizes);
	assert_memory_equal(sizes, wanted, sizeof(wanted));
}

static void test_damage(void **state)
{
	struct seen s = {0};
	assert_false(ask(&s, 2, true, 2, 0, 4));
	assert_false(ask(&s, 8, true, 2, 0, 4)); /* inside of an instruction */
	assert_false(ask(&s, 0x4000, true, 2, 0, 4));
	assert_int_equal(s.n, 0);
}

TESTS(test_straight, test_copies, test_ways, test_calls, test_stores, test_all_stores,
      test_shared_memory, test_in_front, test_damage);
