/* SPDX-License-Identifier: MIT */
/* Image instructions without a sampler, from their encodings. The words are what llvm-mc-19 gives
 * for the text beside them; numbers in comments are rules of doc/rules.md. Where texels lie is
 * test_image.c's. */
#include <stdlib.h>
#include <string.h>

#include "../../suite.h"
#include "base/util.h"
#include "img_env.h"

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

static void ok(enum bw_mem_result r)
{
	if (r == BW_MEM_REFUSED)
		fail_msg("refused: %s", e.x->refused);
	assert_int_equal(r, BW_MEM_OK);
}

/* Lane i's coordinates in v[first], v[first + 1] ... */
static void coords(unsigned first, unsigned lane, uint32_t a, uint32_t b, uint32_t c)
{
	*env_v(&e, first, lane) = a;
	*env_v(&e, first + 1, lane) = b;
	*env_v(&e, first + 2, lane) = c;
}

static uint32_t texel32(unsigned level, unsigned x, unsigned y, unsigned z, unsigned sample)
{
	uint32_t v;
	img_peek(&e, img_va(&e, level, x, y, z, sample), &v, 4);
	return v;
}

static const struct img_desc plane = {
	.format = 46, .type = BW_IMAGE_2D, .mode = 27, .width = 60, .height = 50};

static void loads(void **state)
{
	for (unsigned mode = 0; mode < 28; mode += 27) {
		struct img_desc d = plane;
		d.mode = mode;
		img_descriptor(&e, &d);
		for (unsigned i = 0; i < e.w.lanes; i++)
			coords(1, i, env_random(&e) % 64, env_random(&e) % 52, 0);
		/* image_load v[4:7], v[1:2], s[8:15] dmask:0xf dim:2D */
		ok(IMG_RUN(&e, 0xf0000f04, 0x00020401));
		for (unsigned i = 0; i < e.w.lanes; i++) {
			uint32_t x = *env_v(&e, 1, i), y = *env_v(&e, 2, i);
			uint32_t t = x < 60 && y < 50 ? texel32(0, x, y, 0, 0) : 0; /* 434 */
			for (unsigned c = 0; c < 4; c++)
				assert_int_equal(*env_v(&e, 4 + c, i), t >> (8 * c) & 255);
		}
	}
}

static void selectors_and_mask(void **state)
{
	/* 8_8_UINT: what the format lacks is 0 and 1; DST_SEL W, 1, Y, X */
	struct img_desc d = {.format = 18,
			     .type = BW_IMAGE_2D_ARRAY,
			     .mode = 0,
			     .width = 60,
			     .height = 50,
			     .depth = 3,
			     .dst_sel = 7 | 1 << 3 | 5 << 6 | 4 << 9};
	img_descriptor(&e, &d);
	for (unsigned i = 0; i < e.w.lanes; i++) {
		*env_v(&e, 9, i) = i; /* NSA: [v9, v1, v2]  437 */
		*env_v(&e, 1, i) = 3;
		*env_v(&e, 2, i) = i < 8 ? 2 : 3;
	}
	/* image_load v[4:5], [v9, v1, v2], ... dmask:0xa dim:2D_ARRAY */
	ok(IMG_RUN(&e, 0xf0000a15, 0x00020409, 0x00000201));
	for (unsigned i = 0; i < e.w.lanes; i++) {
		uint8_t t[2] = {0, 0};
		if (i < 8)
			img_peek(&e, img_va(&e, 0, i, 3, 2, 0), t, 2);
		assert_int_equal(*env_v(&e, 4, i), 1);	  /* G: constant 1 */
		assert_int_equal(*env_v(&e, 5, i), t[0]); /* A: X */
	}
}

static void dimensions(void **state)
{
	struct img_desc d3 = {.format = 20,
			      .type = BW_IMAGE_3D,
			      .mode = 25,
			      .width = 20,
			      .height = 9,
			      .depth = 7};
	img_descriptor(&e, &d3);
	for (unsigned i = 0; i < e.w.lanes; i++)
		coords(1, i, i % 20, i % 9, i % 9);
	ok(IMG_RUN(&e, 0xf0000f08, 0x00020401)); /* image_load v[4:7], v[1:3], ... dim:3D */
	for (unsigned i = 0; i < e.w.lanes; i++)
		assert_int_equal(*env_v(&e, 4, i),
				 i % 9 < 7 ? texel32(0, i % 20, i % 9, i % 9, 0) : 0);

	struct img_desc d1 = {.format = 20, .type = BW_IMAGE_1D, .width = 20, .height = 1};
	img_descriptor(&e, &d1);
	ok(IMG_RUN(&e, 0xf0000f00, 0x00020401)); /* image_load v[4:7], v1, ... dim:1D */
	assert_int_equal(*env_v(&e, 4, 5), texel32(0, 5, 0, 0, 0));
	assert_int_equal(*env_v(&e, 7, 5), 1);

	struct img_desc ms = {.format = 20,
			      .type = BW_IMAGE_2D_MSAA,
			      .mode = 27,
			      .width = 20,
			      .height = 9,
			      .samples_log2 = 2};
	img_descriptor(&e, &ms);
	for (unsigned i = 0; i < e.w.lanes; i++)
		coords(1, i, i % 20, i % 9, i % 5);
	ok(IMG_RUN(&e, 0xf0000f18, 0x00020401)); /* image_load v[4:7], v[1:3], ... dim:2D_MSAA */
	for (unsigned i = 0; i < e.w.lanes; i++)
		assert_int_equal(*env_v(&e, 4, i),
				 i % 5 < 4 ? texel32(0, i % 20, i % 9, 0, i % 5) : 0);
	ms.format = 46;
	img_descriptor(&e, &ms);
	for (unsigned i = 0; i < e.w.lanes; i++)
		coords(1, i, 3, 4, 0);
	/* image_msaa_load v[4:7], v[1:3], ... dmask:0x2 442 */
	ok(IMG_RUN(&e, 0xf0600218, 0x00020401));
	for (unsigned s = 0; s < 4; s++)
		assert_int_equal(*env_v(&e, 4 + s, 9), texel32(0, 3, 4, 0, s) >> 8 & 255);
}

static void levels(void **state)
{
	struct img_desc d = {.format = 20,
			     .type = BW_IMAGE_2D_ARRAY,
			     .mode = 22,
			     .width = 40,
			     .height = 24,
			     .depth = 3,
			     .levels = 6,
			     .base_level = 1,
			     .last_level = 3};
	img_descriptor(&e, &d);
	for (unsigned i = 0; i < e.w.lanes; i++) {
		/* A16: x and y, then slice and level (manual 10.2) */
		*env_v(&e, 1, i) = i % 20 | (i % 12) << 16;
		*env_v(&e, 2, i) = i % 3 | (i % 4) << 16;
	}
	/* image_load_mip v[4:7], v[1:2], ... dim:2D_ARRAY a16 */
	ok(IMG_RUN(&e, 0xf0050f14, 0x00020401));
	for (unsigned i = 0; i < e.w.lanes; i++) {
		unsigned l = 1 + i % 4, x = i % 20, y = i % 12;
		bool in = l <= 3 && x < 40u >> l && y < 24u >> l;
		assert_int_equal(*env_v(&e, 4, i), in ? texel32(l, x, y, i % 3, 0) : 0);
	}
	/* Without a level: the view's base */
	for (unsigned i = 0; i < e.w.lanes; i++)
		coords(1, i, i % 20, i % 12, 1);
	ok(IMG_RUN(&e, 0xf0000f14, 0x00020401)); /* image_load v[4:7], v[1:3], ... dim:2D_ARRAY */
	assert_int_equal(*env_v(&e, 4, 7), texel32(1, 7, 7, 1, 0));

	ok(IMG_RUN(&e, 0xf0000f14, 0x00020401));
	for (unsigned i = 0; i < e.w.lanes; i++)
		*env_v(&e, 1, i) = i;
	ok(IMG_RUN(&e, 0xf05c0f04, 0x00020401)); /* image_get_resinfo v[4:7], v1, ...   438 */
	static const uint32_t want[4][4] = {
		{20, 12, 3, 3}, {10, 6, 3, 3}, {5, 3, 3, 3}, {0, 0, 0, 3}};
	for (unsigned i = 0; i < 4; i++)
		for (unsigned c = 0; c < 4; c++)
			assert_int_equal(*env_v(&e, 4 + c, i), want[i][c]);
}

static void sixteen_bits(void **state)
{
	struct img_desc d = plane;
	d.format = 42;
	img_descriptor(&e, &d);
	for (unsigned i = 0; i < e.w.lanes; i++)
		*env_v(&e, 1, i) = i | 7u << 16;
	static const uint8_t t[4] = {255, 0, 51, 128};
	img_poke(&e, img_va(&e, 0, 3, 7, 0, 0), t, 4);
	/* image_load v[4:5], v1, ... dim:2D a16 d16 432 */
	ok(IMG_RUN(&e, 0xf0030f04, 0x00020401));
	assert_int_equal(*env_v(&e, 4, 3), 0x00003c00);
	assert_int_equal(*env_v(&e, 5, 3), 0x38043266); /* 128/255 and 0.2 */

	d.format = 29; /* 16_16_FLOAT: stores the bits */
	img_descriptor(&e, &d);
	for (unsigned i = 0; i < e.w.lanes; i++) {
		coords(1, i, i, 8, 0);
		*env_v(&e, 4, i) = 0xc0003c00 + i;
	}
	ok(IMG_RUN(&e, 0xf01a0f04, 0x00020401)); /* image_store v[4:5], v[1:2], ... dmask:0xf d16 */
	assert_int_equal(texel32(0, 31, 8, 0, 0), 0xc0003c1f);
}

static void unconverted(void **state)
{
	struct img_desc d = plane;
	d.format = 50; /* 32_32_FLOAT */
	d.height = 20;
	img_descriptor(&e, &d);
	for (unsigned i = 0; i < e.w.lanes; i++)
		coords(1, i, i, 3, 0);
	ok(IMG_RUN(&e, 0xf0080304, 0x00020401)); /* image_load_pck v[4:5], v[1:2], ... dmask:0x3 */
	uint32_t t[2];
	img_peek(&e, img_va(&e, 0, 30, 3, 0, 0), t, 8);
	assert_int_equal(*env_v(&e, 4, 30), t[0]);
	assert_int_equal(*env_v(&e, 5, 30), t[1]);
	d.format = 8; /* 16_SNORM */
	img_descriptor(&e, &d);
	static const uint16_t low = 0x8001;
	img_poke(&e, img_va(&e, 0, 2, 3, 0, 0), &low, 2);
	ok(IMG_RUN(&e, 0xf00c0104, 0x00020401)); /* image_load_pck_sgn v4, v[1:2], ... dmask:0x1 */
	assert_int_equal(*env_v(&e, 4, 2), 0xffff8001);
}

static void stores(void **state)
{
	struct img_desc d = plane;
	d.format = 42;
	d.dst_sel = 6 | 5 << 3 | 4 << 6 | 7 << 9; /* BGRA */
	img_descriptor(&e, &d);
	e.w.s[BW_SRC_EXEC_LO] = 0xfffffffe;
	uint32_t before = texel32(0, 0, 3, 0, 0);
	for (unsigned i = 0; i < e.w.lanes; i++) {
		coords(1, i, 2 * i, 3, 0); /* lanes 30 and up are outside */
		*env_v(&e, 4, i) = img_bits(1);
		*env_v(&e, 5, i) = img_bits(0.2f);
		*env_v(&e, 6, i) = img_bits(0);
		*env_v(&e, 7, i) = img_bits(0.4f);
	}
	ok(IMG_RUN(&e, 0xf0180f04, 0x00020401)); /* image_store v[4:7], v[1:2], ... dmask:0xf */
	assert_int_equal(texel32(0, 0, 3, 0, 0), before);
	assert_int_equal(texel32(0, 58, 3, 0, 0), 0x66ff3300);
	/* image_store v[4:5], v[1:2], ... dmask:0x9: R and A 445 */
	ok(IMG_RUN(&e, 0xf0180904, 0x00020401));
	assert_int_equal(texel32(0, 58, 3, 0, 0), 0x33ff0000);
}

static void atomics(void **state)
{
	struct img_desc d = plane;
	d.format = 20;
	img_descriptor(&e, &d);
	for (unsigned i = 0; i < e.w.lanes; i++) {
		coords(1, i, i & 1, 60 * (i == 31), 0); /* the last one outside */
		*env_v(&e, 4, i) = 10;
	}
	static const uint32_t start[2] = {1000, 2000};
	img_poke(&e, img_va(&e, 0, 0, 0, 0, 0), &start[0], 4);
	img_poke(&e, img_va(&e, 0, 1, 0, 0, 0), &start[1], 4);
	/* image_atomic_add v4, v[1:2], ... dmask:0x1 glc 441 */
	ok(IMG_RUN(&e, 0xf0304104, 0x00020401));
	unsigned odd = e.w.lanes / 2 - 1;
	assert_int_equal(texel32(0, 0, 0, 0, 0), 1000 + 5 * e.w.lanes);
	assert_int_equal(texel32(0, 1, 0, 0, 0), 2000 + 10 * odd);
	assert_int_equal(*env_v(&e, 4, 4), 1020); /* before its own: rule 426 */
	assert_int_equal(*env_v(&e, 4, 31), 0);
	/* new value, then compare value */
	for (unsigned i = 0; i < e.w.lanes; i++) {
		coords(1, i, 5, i, 0);
		uint32_t t = i;
		img_poke(&e, img_va(&e, 0, 5, i < 50 ? i : 0, 0, 0), &t, 4);
		*env_v(&e, 4, i) = 777;
		*env_v(&e, 5, i) = 8;
	}
	/* image_atomic_cmpswap v[4:5], v[1:2], ... dmask:0x3 glc */
	ok(IMG_RUN(&e, 0xf02c4304, 0x00020401));
	assert_int_equal(texel32(0, 5, 8, 0, 0), 777);
	assert_int_equal(texel32(0, 5, 9, 0, 0), 9);
	assert_int_equal(*env_v(&e, 4, 9), 9);
	assert_int_equal(*env_v(&e, 5, 9), 8);
	/* 64 bits: two registers, no GLC, nothing comes back */
	d.format = 48;
	d.height = 40;
	img_descriptor(&e, &d);
	for (unsigned i = 0; i < e.w.lanes; i++) {
		coords(1, i, 7, 8, 0);
		*env_v(&e, 4, i) = i;
		*env_v(&e, 5, i) = i % 7;
	}
	uint64_t t = 0;
	img_poke(&e, img_va(&e, 0, 7, 8, 0, 0), &t, 8);
	/* image_atomic_umax v[4:5], v[1:2], ... dmask:0x3 */
	ok(IMG_RUN(&e, 0xf0440304, 0x00020401));
	img_peek(&e, img_va(&e, 0, 7, 8, 0, 0), &t, 8);
	unsigned last = e.w.lanes == 32 ? 27 : 62;
	assert_true(t == (6ull << 32 | last));
	assert_int_equal(*env_v(&e, 5, 3), 3);
}

static void faults(void **state)
{
	/* Rows of 256 bytes; the 16 pages end with row 255. */
	struct img_desc d = {.format = 20, .type = BW_IMAGE_2D, .width = 64, .height = 300};
	img_descriptor(&e, &d);
	for (unsigned i = 0; i < e.w.lanes; i++)
		coords(1, i, i, 250 + i, 0);
	uint32_t before = *env_v(&e, 4, 0);
	assert_int_equal(IMG_RUN(&e, 0xf0000f04, 0x00020401), BW_MEM_FAULT_PAGE);
	assert_int_equal(*env_v(&e, 4, 0), before);
	assert_int_equal((uint32_t)e.w.fault_lanes, 0xffffffc0);
	assert_int_equal(e.w.fault.va, ENV_VA + 256 * 256 + 24);
	/* Stores: the last page is read-only, and nothing is stored when one lane cannot */
	for (unsigned i = 0; i < e.w.lanes; i++)
		coords(1, i, i, 239 + (i == 5), 0);
	before = texel32(0, 0, 239, 0, 0);
	assert_int_equal(IMG_RUN(&e, 0xf0180f04, 0x00020401), BW_MEM_FAULT_PAGE);
	assert_int_equal(texel32(0, 0, 239, 0, 0), before);
	assert_int_equal(e.w.fault_lanes, 1 << 5);
}

static void residency(void **state)
{
	/* One page of the image is partially resident: 0 and a status (352, 432; manual 10.1.1) */
	struct img_desc d = {
		.format = 20, .type = BW_IMAGE_2D, .width = 64, .height = 16, .levels = 1};
	img_descriptor(&e, &d);
	e.w.s[IMG_T] = (uint32_t)(ENV_PRT_VA >> 8);
	for (unsigned i = 0; i < e.w.lanes; i++) {
		coords(1, i, i, i == 3 ? 16 : 2, 0);
		*env_v(&e, 8, i) = 99;
	}
	ok(IMG_RUN(&e, 0xf0000f04, 0x00220401)); /* image_load v[4:8], v[1:2], ... tfe */
	assert_int_equal(*env_v(&e, 4, 0), 0);
	assert_int_equal(*env_v(&e, 8, 0), 1);
	assert_int_equal(*env_v(&e, 8, 3), 0); /* outside of the image: not looked for */
}

static void registers(void **state)
{
	img_descriptor(&e, &plane);
	uint32_t before = *env_v(&e, 4, 0);
	e.w.n_vgprs = 7; /* v7 is not there: nothing happens at all (44, 46) */
	ok(IMG_RUN(&e, 0xf0000f04, 0x00020401));
	assert_int_equal(*env_v(&e, 4, 0), before);
	e.w.n_vgprs = ENV_VGPRS;
	/* Unbound: zeros; stores go nowhere */
	memset(&e.w.s[IMG_T], 0, 32);
	ok(IMG_RUN(&e, 0xf0000f04, 0x00020401));
	for (unsigned c = 0; c < 4; c++)
		assert_int_equal(*env_v(&e, 4 + c, 11), 0);
	ok(IMG_RUN(&e, 0xf0180f04, 0x00020401));
	ok(IMG_RUN(&e, 0xf0304104, 0x00020401));
	/* Refused by name */
	struct img_desc d = plane;
	d.format = 121;
	img_descriptor(&e, &d);
	assert_int_equal(IMG_RUN(&e, 0xf0180f04, 0x00020401), BW_MEM_REFUSED);
	assert_string_equal(e.x->refused, "image store to a compressed format");
	assert_int_equal(IMG_RUN(&e, 0xf0304104, 0x00020401), BW_MEM_REFUSED);
	assert_string_equal(e.x->refused, "image atomic of another width than its format");
	d.mode = 1;
	img_descriptor(&e, &d);
	assert_int_equal(IMG_RUN(&e, 0xf0000f04, 0x00020401), BW_MEM_REFUSED);
}

static void compressed(void **state)
{
	/* BC1: a red and a blue block, two to a row of blocks */
	static const uint8_t red[8] = {0, 0xf8, 0, 0xf8}, blue[8] = {0x1f, 0, 0x1f, 0};
	struct img_desc d = {
		.format = 109, .type = BW_IMAGE_2D, .mode = 27, .width = 8, .height = 8};
	img_descriptor(&e, &d);
	for (unsigned b = 0; b < 4; b++)
		img_poke(&e, img_va(&e, 0, b % 2 * 4, b / 2 * 4, 0, 0),
			 (b ^ b >> 1) & 1 ? blue : red, 8);
	for (unsigned i = 0; i < e.w.lanes; i++)
		coords(1, i, i % 8, i / 8, 0);
	ok(IMG_RUN(&e, 0xf0000f04, 0x00020401));
	for (unsigned i = 0; i < e.w.lanes; i++) {
		bool is_blue = ((i % 8 / 4) ^ (i / 32)) & 1;
		assert_int_equal(*env_v(&e, 4, i), img_bits(is_blue ? 0 : 1));
		assert_int_equal(*env_v(&e, 6, i), img_bits(is_blue ? 1 : 0));
		assert_int_equal(*env_v(&e, 7, i), img_bits(1));
	}
}

/* Any descriptor, any opcode, any address: a result, a fault or a refusal. */
static void hostile(void **state)
{
	unsigned seen[4] = {0};
	for (unsigned n = 0; n < 60000; n++) {
		uint32_t r = env_random(&e);
		uint32_t words[3] = {0xf0000000 | (env_random(&e) & 0x03fe7f9d),
				     env_random(&e) & 0x00e0ffff, env_random(&e)};
		words[1] = (words[1] & ~0x00ff00u) | 0x020400 | (env_random(&e) & 0x7c000000);
		if (n % 2) /* image_load to _dec, resinfo, msaa_load */
			words[0] = (words[0] & ~0x03fc0000u) | (r >> 8) % 25 << 18;
		if (!bw_isa_decode(BW_ISA_GFX11, words, 3, &e.inst) || !bw_exec_mem_row(e.inst.op))
			continue;
		for (unsigned i = 0; i < 12; i++)
			e.w.s[(e.inst.srsrc + i) % 100] = env_random(&e);
		if (r & 1) {
			static const uint8_t modes[] = {0, 2, 5, 6, 10, 22, 25, 26, 27, 31};
			struct img_desc d = {.format = (r >> 4) % 123,
					     .type = 8 + (r >> 12) % 8,
					     .mode = modes[(r >> 16) % 10],
					     .width = 1 + env_random(&e) % 60,
					     .height = 1 + env_random(&e) % 40,
					     .depth = 1 + env_random(&e) % 3};
			img_descriptor(&e, &d);
			e.inst.srsrc = IMG_T;
		}
		for (unsigned k = 0; k < ENV_VGPRS; k++)
			for (unsigned i = 0; i < e.w.lanes; i++)
				*env_v(&e, k, i) = r & 2   ? env_random(&e)
						   : r & 4 ? i % 40
							   : img_bits((float)i / 16);
		bool illegal;
		enum bw_mem_result got = env_run(&e, &illegal);
		assert_false(illegal);
		assert_in_range(got, BW_MEM_OK, BW_MEM_REFUSED);
		if (got == BW_MEM_REFUSED)
			assert_non_null(e.x->refused);
		seen[got]++;
	}
	for (unsigned i = 0; i < 4; i++)
		assert_int_not_equal(i == BW_MEM_FAULT_APERTURE ? 1 : seen[i], 0);
}

TESTS_EACH(setup32, teardown, loads, selectors_and_mask, dimensions, levels, sixteen_bits,
	   unconverted, stores, atomics, faults, residency, registers, compressed, hostile);
TESTS_EACH(setup64, teardown, loads, levels, atomics, compressed, hostile);
