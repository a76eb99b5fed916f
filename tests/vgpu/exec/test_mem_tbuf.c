/* SPDX-License-Identifier: MIT */
/* Formatted buffer instructions, from their encodings. The words are what llvm-mc-19 gives for the
 * text beside them; numbers in comments are rules of doc/rules.md. */
#include <stdlib.h>
#include <string.h>

#include "../../suite.h"
#include "base/util.h"
#include "mem_env.h"

enum { SRSRC = 8, XYZW = 07654, RAW = 3u << 28 };

static struct env e;

static int setup32(void **state)
{
	env_init(&e, 32);
	return 0;
}

static int setup64(void **state)
{
	env_init(&e, 64);
	return 0;
}

static int teardown(void **state)
{
	env_fini(&e);
	return 0;
}

static enum bw_mem_result run(uint32_t w0, uint32_t w1)
{
	uint32_t words[2] = {w0, w1};
	bool illegal;
	assert_true(bw_isa_decode(BW_ISA_GFX11, words, 2, &e.inst));
	enum bw_mem_result result = env_run(&e, &illegal);
	assert_false(illegal);
	return result;
}

static void ok(uint32_t w0, uint32_t w1)
{
	assert_int_equal(run(w0, w1), BW_MEM_OK);
}

static void descriptor(uint64_t base, unsigned stride_b, uint32_t n_records, uint32_t word3)
{
	e.w.s[SRSRC] = (uint32_t)base;
	e.w.s[SRSRC + 1] = (uint32_t)(base >> 32) | stride_b << 16;
	e.w.s[SRSRC + 2] = n_records;
	e.w.s[SRSRC + 3] = word3;
}

static void poke(uint64_t va, const void *data, size_t size_b)
{
	for (size_t i = 0; i < size_b; i++)
		*env_byte(&e, va + i, false) = ((const uint8_t *)data)[i];
}

static uint8_t peek8(uint64_t va)
{
	return *env_byte(&e, va, false);
}

static uint32_t peek32(uint64_t va)
{
	return (uint32_t)peek8(va) | (uint32_t)peek8(va + 1) << 8 | (uint32_t)peek8(va + 2) << 16 |
	       (uint32_t)peek8(va + 3) << 24;
}

static uint32_t bits(float v)
{
	uint32_t b;
	memcpy(&b, &v, 4);
	return b;
}

/* v1 = lane * step */
static void lanes(unsigned step)
{
	for (unsigned i = 0; i < e.w.lanes; i++)
		*env_v(&e, 1, i) = i * step;
}

static void typed_loads(void **state)
{
	/* Across a page: lane 8 is the first of the second page. */
	uint64_t base = ENV_VA + BW_PAGE_B - 32;
	descriptor(base, 0, 0x10000, RAW);
	lanes(4);
	/* tbuffer_load_format_xyzw v[4:7], v1, s[8:11], 0 format:[8_8_8_8_UNORM] offen */
	ok(0xe9518000, 0x80420401);
	for (unsigned i = 0; i < e.w.lanes; i++)
		for (unsigned c = 0; c < 4; c++)
			assert_int_equal(*env_v(&e, 4 + c, i),
					 bits(peek8(base + 4 * i + c) / 255.0f));

	/* What the format lacks is 0, W too: DST_SEL is XY00 (manual 9.3) */
	ok(0xe8718000, 0x80420401); /* tbuffer_load_format_xyzw ... format:[8_8_UNORM] */
	for (unsigned i = 0; i < e.w.lanes; i++) {
		assert_int_equal(*env_v(&e, 5, i), bits(peek8(base + 4 * i + 1) / 255.0f));
		assert_int_equal(*env_v(&e, 6, i), 0);
		assert_int_equal(*env_v(&e, 7, i), 0);
	}
	ok(0xe8b00000, 0x80420401); /* tbuffer_load_format_x v4, ... format:[32_FLOAT] */
	for (unsigned i = 0; i < e.w.lanes; i++)
		assert_int_equal(*env_v(&e, 4, i), peek32(base + 4 * i));
}

static void typed_loads_packed(void **state)
{
	/* 1.0, 2.0, 0.5 */
	static const uint32_t packed = 0x702003c0;
	descriptor(ENV_VA, 0, 0x10000, RAW);
	for (unsigned i = 0; i < e.w.lanes; i++)
		poke(ENV_VA + 4 + 8 * i, &packed, 4);
	lanes(8);
	/* tbuffer_load_format_xyz v[4:6], ... format:[10_11_11_FLOAT] offen offset:4 */
	ok(0xe8f10004, 0x80420401);
	for (unsigned i = 0; i < e.w.lanes; i++) {
		assert_int_equal(*env_v(&e, 4, i), bits(1));
		assert_int_equal(*env_v(&e, 5, i), bits(2));
		assert_int_equal(*env_v(&e, 6, i), bits(0.5f));
	}
}

static void typed_d16(void **state)
{
	static const uint16_t halves[4] = {0x3c00, 0xc000, 0x3800, 0x7bff};
	descriptor(ENV_VA, 0, 0x10000, RAW);
	lanes(8);
	for (unsigned i = 0; i < e.w.lanes; i++) {
		poke(ENV_VA + 8 * i, halves, 8);
		*env_v(&e, 5, i) = 0xdead0000;
	}
	/* tbuffer_load_d16_format_xyz v[4:5], ... format:[16_16_16_16_FLOAT] */
	ok(0xe9cd0000, 0x80420401);
	assert_int_equal(*env_v(&e, 4, 3), 0xc0003c00);
	assert_int_equal(*env_v(&e, 5, 3), 0xdead3800); /* 368: the odd half is kept */

	/* 1/3 and -1/3: f32 is truncated to f16 (0x3555), not that it matters here; 1 - 2^-24 shows
	 * it */
	static const uint32_t floats[2] = {0x3f7fffff, 0xbf7fffff};
	for (unsigned i = 0; i < e.w.lanes; i++)
		poke(ENV_VA + 8 * i, floats, 8);
	ok(0xe9948000, 0x80420401); /* tbuffer_load_d16_format_xy v4, ... format:[32_32_FLOAT] */
	assert_int_equal(*env_v(&e, 4, 5), 0xbbff3bff);

	for (unsigned i = 0; i < e.w.lanes; i++) {
		*env_v(&e, 4, i) = 0x7fff8000;
		*env_v(&e, 5, i) = 0x5555ffff;
	}
	/* tbuffer_store_d16_format_xyz v[4:5], ... format:[16_16_16_16_SINT] */
	ok(0xe9c70000, 0x80420401);
	assert_int_equal(peek32(ENV_VA + 16), 0x7fff8000);
	assert_int_equal(peek32(ENV_VA + 20), 0x0000ffff); /* 366: what is not stored is 0 */
}

static void typed_stores(void **state)
{
	descriptor(ENV_VA, 0, 0x10000, RAW);
	lanes(4);
	e.w.s[BW_SRC_EXEC_LO] = 0x7fffffff;
	uint32_t before = peek32(ENV_VA + 31 * 4);
	for (unsigned i = 0; i < e.w.lanes; i++) {
		*env_v(&e, 4, i) = bits(1);
		*env_v(&e, 5, i) = bits(-1);
		*env_v(&e, 6, i) = bits((float)i / 1023);
		*env_v(&e, 7, i) = bits(0.4f); /* 1.2 of 3 */
	}
	/* tbuffer_store_format_xyzw v[4:7], ... format:[2_10_10_10_UNORM] */
	ok(0xe9238000, 0x80420401);
	for (unsigned i = 0; i < 31; i++)
		assert_int_equal(peek32(ENV_VA + 4 * i), 0x400003ff | i << 20);
	assert_int_equal(peek32(ENV_VA + 31 * 4), before);

	for (unsigned i = 0; i < e.w.lanes; i++)
		*env_v(&e, 4, i) = 100 * i;
	ok(0xe9720000, 0x80420401); /* tbuffer_store_format_x v4, ... format:[8_8_8_8_UINT] */
	assert_int_equal(peek32(ENV_VA + 4), 100);
	assert_int_equal(peek32(ENV_VA + 12), 255); /* 367: clamped */
}

/* 8_8_8_8_UNORM seen as BGRA1 */
static void untyped_selectors(void **state)
{
	uint32_t sel = 6 | 5 << 3 | 4 << 6 | 1 << 9;
	descriptor(ENV_VA, 4, 20, sel | 42 << 12);
	lanes(1);
	ok(0xe00c0000, 0x80820401); /* buffer_load_format_xyzw v[4:7], v1, s[8:11], 0 idxen */
	for (unsigned i = 0; i < e.w.lanes; i++) {
		bool in = i < 20; /* 347: out of range is 0, but a selected 1 stays */
		assert_int_equal(*env_v(&e, 4, i),
				 in ? bits(peek8(ENV_VA + 4 * i + 2) / 255.0f) : 0);
		assert_int_equal(*env_v(&e, 6, i), in ? bits(peek8(ENV_VA + 4 * i) / 255.0f) : 0);
		assert_int_equal(*env_v(&e, 7, i), bits(1));
	}
	uint32_t after = peek32(ENV_VA + 80);
	for (unsigned i = 0; i < e.w.lanes; i++) {
		*env_v(&e, 4, i) = bits(1);    /* to the memory's Z */
		*env_v(&e, 5, i) = bits(0.2f); /* 51 to Y */
		*env_v(&e, 6, i) = bits(0);    /* to X */
		*env_v(&e, 7, i) = bits(1);    /* nowhere: no selector names W */
	}
	ok(0xe01c0000, 0x80820401); /* buffer_store_format_xyzw v[4:7], v1, s[8:11], 0 idxen */
	assert_int_equal(peek32(ENV_VA + 4 * 19), 0x00ff3300);
	assert_int_equal(peek32(ENV_VA + 80), after);
}

static void untyped_halves(void **state)
{
	descriptor(ENV_VA, 2, 1000, XYZW | 7 << 12); /* 16_UNORM */
	lanes(1);
	static const uint16_t ones = 0xffff;
	for (unsigned i = 0; i < e.w.lanes; i++) {
		poke(ENV_VA + 2 * i, &ones, 2);
		*env_v(&e, 4, i) = 0x11112222;
	}
	/* buffer_load_d16_hi_format_x v4, v1, s[8:11], 0 idxen 369 */
	ok(0xe0980000, 0x80820401);
	assert_int_equal(*env_v(&e, 4, 7), 0x3c002222);
	*env_v(&e, 4, 7) = 0x3800ffff; /* 0.5: 32767.5 rounds to the even 32768 */
	ok(0xe09c0000, 0x80820401);    /* buffer_store_d16_hi_format_x v4, v1, s[8:11], 0 idxen */
	assert_int_equal(peek8(ENV_VA + 14) | peek8(ENV_VA + 15) << 8, 0x8000);
	ok(0xe02c0000, 0x80820401); /* buffer_load_d16_format_xyzw v[4:5], v1, s[8:11], 0 idxen */
	assert_int_equal(*env_v(&e, 4, 0), 0x00003c00);
	assert_int_equal(*env_v(&e, 5, 0), 0x3c000000); /* 364: a W that the format lacks is 1 */
}

static void invalid_format(void **state)
{
	descriptor(ENV_VA, 4, 1000, XYZW);
	lanes(1);
	uint32_t before = peek32(ENV_VA);
	/* buffer_store_format_xyzw 371 */
	ok(0xe01c0000, 0x80820401);
	assert_int_equal(peek32(ENV_VA), before);
	ok(0xe00c0000, 0x80820401); /* buffer_load_format_xyzw */
	for (unsigned c = 0; c < 4; c++)
		assert_int_equal(*env_v(&e, 4 + c, 9), 0);
}

static void faults_change_nothing(void **state)
{
	/* The second lane's texel begins in the last mapped page and ends behind it. */
	uint64_t end = ENV_VA + ENV_PAGES * BW_PAGE_B;
	descriptor(end - 6, 0, 0x10000, RAW);
	lanes(4);
	uint32_t before = *env_v(&e, 4, 0);
	assert_int_equal(run(0xe9518000, 0x80420401), BW_MEM_FAULT_PAGE);
	assert_int_equal(*env_v(&e, 4, 0), before);
	assert_int_equal(e.w.fault_lanes & 3, 2);
	assert_int_equal(e.w.fault.va, end);
	/* Read-only: loads work, stores do not. */
	descriptor(ENV_VA + ENV_RO_PAGE * BW_PAGE_B, 0, 0x10000, RAW);
	ok(0xe9518000, 0x80420401);
	assert_int_equal(run(0xe9238000, 0x80420401), BW_MEM_FAULT_PAGE);
}

static void destinations(void **state)
{
	descriptor(ENV_VA, 0, 0x10000, RAW);
	lanes(4);
	uint32_t before = *env_v(&e, 4, 0);
	e.w.n_vgprs = 7; /* v7 is not there: nothing at all happens (44) */
	ok(0xe9518000, 0x80420401);
	assert_int_equal(*env_v(&e, 4, 0), before);
	e.w.n_vgprs = ENV_VGPRS;
	*env_v(&e, 8, 2) = 77;
	e.inst.tfe = true;
	bool illegal;
	env_run(&e, &illegal);
	assert_int_equal(*env_v(&e, 8, 2), 0); /* 352 */
}

/* Any descriptor, any format, any opcode: results or faults, nothing else. */
static void hostile(void **state)
{
	for (unsigned n = 0; n < 40000; n++) {
		uint32_t r = env_random(&e);
		uint32_t words[2] = {r & 1 ? 0xe8000000 | (env_random(&e) & 0x03ffffff)
					   : 0xe0000000,
				     0x80020401 | (env_random(&e) & 0x00e00000)};
		if (!(r & 1)) /* MUBUF: 0 to 15, 38, 39 */
			words[0] |=
				(r & 2 ? r >> 8 & 15 : 38 + (r >> 8 & 1)) << 18 | (r >> 16 & 0xfff);
		if (!bw_isa_decode(BW_ISA_GFX11, words, 2, &e.inst))
			continue;
		for (unsigned i = 0; i < 4; i++)
			e.w.s[SRSRC + i] = env_random(&e);
		if (r & 4)
			descriptor(ENV_VA + (r >> 8) % 0x8000, env_random(&e) & 15,
				   env_random(&e) % 0x8000, env_random(&e) & 0x3fffffff);
		for (unsigned i = 0; i < e.w.lanes; i++)
			*env_v(&e, 1, i) = r & 8 ? env_random(&e) : i;
		bool illegal;
		env_run(&e, &illegal);
		assert_false(illegal);
	}
}

TESTS_EACH(setup32, teardown, typed_loads, typed_loads_packed, typed_d16, typed_stores,
	   untyped_selectors, untyped_halves, invalid_format, faults_change_nothing, destinations,
	   hostile);
TESTS_EACH(setup64, teardown, typed_loads, untyped_selectors, hostile);
