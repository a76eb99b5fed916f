/* SPDX-License-Identifier: MIT */
/* Texel formats, against the definitions of rules 361 to 367 computed in long double, the
 * compiler's own half floats, and texels worked out by hand. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../suite.h"
#include "base/util.h"
#include "image/format.h"

static uint64_t seed = 0x2545f4914f6cdd1d;

static uint32_t rnd(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (uint32_t)(seed >> 16);
}

static float as_float(uint32_t bits)
{
	float v;
	memcpy(&v, &bits, 4);
	return v;
}

static uint32_t as_bits(float v)
{
	uint32_t bits;
	memcpy(&bits, &v, 4);
	return bits;
}

static const struct bw_format *by_name(const char *name)
{
	for (unsigned i = 0; i < 256; i++) {
		const struct bw_format *f = bw_format_image(i);
		if (f && strcmp(f->name, name) == 0)
			return f;
	}
	fail_msg("no format %s", name);
	return NULL;
}

/* ---- small floats ---- */

static void halves_widen(void **state)
{
	for (uint32_t h = 0; h < 0x10000; h++) {
		_Float16 v;
		uint16_t bits = (uint16_t)h;
		memcpy(&v, &bits, 2);
		uint32_t got = bw_f16_to_f32(bits);
		if (v != v)
			assert_int_equal(got, (h & 0x8000) << 16 | 0x7f800000 | (h & 0x3ff) << 13);
		else
			assert_int_equal(got, as_bits((float)v));
	}
}

static void check_narrow(uint32_t bits)
{
	float v = as_float(bits);
	_Float16 nearest = (_Float16)v;
	uint16_t want, cut = bw_f32_to_f16(bits, true);
	memcpy(&want, &nearest, 2);
	if (v != v) {
		assert_true((bw_f32_to_f16(bits, false) & 0x7fff) > 0x7c00);
		return;
	}
	assert_int_equal(bw_f32_to_f16(bits, false), want);
	/* Truncated: the largest half that is no larger in magnitude. */
	if (isinf(v)) {
		assert_int_equal(cut & 0x7fff, 0x7c00);
		return;
	}
	assert_int_equal(cut >> 15, bits >> 31);
	assert_true(fabsf(as_float(bw_f16_to_f32(cut))) <= fabsf(v));
	assert_true((cut & 0x7fff) == 0x7bff || fabsf(as_float(bw_f16_to_f32(cut + 1))) > fabsf(v));
}

static void halves_narrow(void **state)
{
	for (uint32_t h = 0; h < 0x8000; h++) {
		/* Around every half and every midpoint between two. */
		uint32_t f = bw_f16_to_f32((uint16_t)h), next = bw_f16_to_f32((uint16_t)(h + 1));
		float mid = (as_float(f) + as_float(next)) / 2;
		check_narrow(f);
		for (int d = -1; d <= 1 && h < 0x7c00; d++) {
			check_narrow(as_bits(mid) + (uint32_t)d);
			check_narrow(f + (uint32_t)(f ? d : 0));
		}
	}
	for (unsigned i = 0; i < 200000; i++)
		check_narrow(rnd());
}

static void unsigned_floats(void **state)
{
	/* 1.0 has exponent 15 and no mantissa; 65024 and 64512 are the largest
	 * (EXT_packed_float). */
	assert_int_equal(bw_f32_to_ufloat(as_bits(1.0f), 6), 15 << 6);
	assert_int_equal(bw_f32_to_ufloat(as_bits(1.0f), 5), 15 << 5);
	assert_true(as_float(bw_ufloat_to_f32(0x7bf, 6)) == 65024.0f);
	assert_true(as_float(bw_ufloat_to_f32(0x3df, 5)) == 64512.0f);
	assert_true(as_float(bw_ufloat_to_f32(1, 6)) == ldexpf(1, -20));
	assert_int_equal(bw_f32_to_ufloat(as_bits(-3.0f), 6), 0);
	assert_int_equal(bw_f32_to_ufloat(as_bits(1e9f), 6), 0x7bf);
	assert_int_equal(bw_f32_to_ufloat(as_bits(INFINITY), 6), 0x7c0);
	assert_true(isnan(as_float(bw_ufloat_to_f32(bw_f32_to_ufloat(as_bits(NAN), 5), 5))));
	for (uint32_t v = 0; v < 31 << 6; v++)
		assert_int_equal(bw_f32_to_ufloat(bw_ufloat_to_f32(v, 6), 6), v);
	for (uint32_t v = 0; v < 31 << 5; v++)
		assert_int_equal(bw_f32_to_ufloat(bw_ufloat_to_f32(v, 5), 5), v);
}

/* ---- rule 361, every code of every narrow component ---- */

static uint32_t expected(const struct bw_format *f, unsigned c, uint32_t raw)
{
	unsigned bits = f->bits[c];
	int32_t value = (int32_t)(raw << (32 - bits)) >> (32 - bits);
	long double umax = (1ull << bits) - 1, smax = (1ull << (bits - 1)) - 1;
	switch (f->num) {
	case BW_NUM_UNORM:
		return as_bits((float)(raw / umax));
	case BW_NUM_SNORM:
		return as_bits(fmaxf(-1, (float)(value / smax)));
	case BW_NUM_USCALED:
		return as_bits((float)raw);
	case BW_NUM_SSCALED:
		return as_bits((float)value);
	case BW_NUM_UINT:
		return raw;
	case BW_NUM_SINT:
		return (uint32_t)value;
	default:
		return raw;
	}
}

static void set_field(uint8_t *texel, unsigned shift, unsigned bits, uint32_t raw)
{
	for (unsigned i = 0; i < bits; i++)
		if (raw >> i & 1)
			texel[(shift + i) / 8] |= (uint8_t)(1u << (shift + i) % 8);
}

static void check_code(const struct bw_format *f, unsigned c, uint32_t raw)
{
	unsigned shift = 0;
	uint8_t texel[16] = {0}, back[17];
	uint32_t rgba[4];
	for (unsigned k = 0; k < c; k++)
		shift += f->bits[k];
	set_field(texel, shift, f->bits[c], raw);
	bw_format_unpack(f, texel, rgba);
	if (rgba[c] != expected(f, c, raw))
		fail_msg("%s component %u code 0x%x: 0x%x, not 0x%x", f->name, c, raw, rgba[c],
			 expected(f, c, raw));
	for (unsigned k = 0; k < 4; k++)
		if (k >= f->n)
			assert_int_equal(rgba[k], k < 3 ? 0 : f->is_int ? 1 : 0x3f800000);
	/* And back, except that SNORM has two codes for -1; no byte after the texel is touched. */
	memset(back, 0xa5, sizeof(back));
	bw_format_pack(f, rgba, back);
	assert_int_equal(back[f->size_b], 0xa5);
	if (f->num != BW_NUM_SNORM || raw != 1u << (f->bits[c] - 1))
		assert_memory_equal(back, texel, f->size_b);
}

static void every_code(void **state)
{
	for (unsigned i = 0; i < 256; i++) {
		const struct bw_format *f = bw_format_image(i);
		if (!f || f->layout != BW_LAYOUT_FIELDS || f->num == BW_NUM_FLOAT ||
		    f->num == BW_NUM_SRGB)
			continue;
		unsigned sum = 0;
		for (unsigned c = 0; c < f->n; c++)
			sum += f->bits[c];
		assert_in_range(sum, 1, 8 * f->size_b);
		for (unsigned c = 0; c < f->n; c++) {
			uint64_t codes = f->bits[c] > 16 ? 5000 : 1ull << f->bits[c];
			for (uint64_t v = 0; v < codes; v++)
				check_code(f, c,
					   f->bits[c] > 16
						   ? rnd() & (UINT32_MAX >> (32 - f->bits[c]))
						   : (uint32_t)v);
		}
	}
}

/* Stores choose the nearest code, ties to the even one (rule 367). */
static void nearest_code(void **state)
{
	static const char *const names[] = {"8_UNORM",	"16_UNORM",  "8_SNORM",
					    "16_SNORM", "8_USCALED", "16_SSCALED"};
	for (size_t n = 0; n < BW_ARRAY_SIZE(names); n++) {
		const struct bw_format *f = by_name(names[n]);
		bool is_signed = f->num == BW_NUM_SNORM || f->num == BW_NUM_SSCALED;
		bool norm = f->num == BW_NUM_UNORM || f->num == BW_NUM_SNORM;
		long double top = is_signed ? (1 << (f->bits[0] - 1)) - 1 : (1 << f->bits[0]) - 1;
		long double bottom = f->num == BW_NUM_SSCALED ? -top - 1 : is_signed ? -top : 0;
		for (unsigned i = 0; i < 30000; i++) {
			float v = as_float(rnd());
			if (i % 4)
				v = (float)((rnd() % 4000000 / 1e6 - 2) * (double)(norm ? 1 : top));
			if (i < 200)
				v = ((float)i + 0.5f) / (norm ? (float)top : 1); /* near ties */
			long double scaled = norm ? (long double)v * top : v;
			long double want = isnan(v) ? 0 : rintl(fminl(fmaxl(scaled, bottom), top));
			uint32_t rgba[4] = {as_bits(v)};
			uint8_t texel[16] = {0};
			bw_format_pack(f, rgba, texel);
			uint32_t raw = (uint32_t)texel[0] | (uint32_t)texel[1] << 8;
			uint32_t mask = (1u << f->bits[0]) - 1;
			if ((raw & mask) != ((uint32_t)(int64_t)want & mask))
				fail_msg("%s of %a: 0x%x, not %Lf", f->name, v, raw, want);
		}
	}
}

static void integers_clamp(void **state)
{
	uint32_t rgba[4] = {300, 255, (uint32_t)-5, 7};
	uint8_t texel[16];
	bw_format_pack(by_name("8_8_8_8_UINT"), rgba, texel);
	assert_memory_equal(texel, "\xff\xff\xff\x07", 4);
	rgba[0] = 200, rgba[1] = (uint32_t)-200, rgba[3] = 0x80000000;
	bw_format_pack(by_name("8_8_8_8_SINT"), rgba, texel);
	assert_memory_equal(texel, "\x7f\x80\xfb\x80", 4);
}

/* ---- by hand ---- */

static void texels_by_hand(void **state)
{
	static const struct {
		const char *name;
		uint8_t texel[16];
		float rgba[4];
	} rows[] = {
		/* X in bits 9:0, W in 31:30 (rule 363): 1023, 0, 341 (a third), 2 (two thirds) */
		{"2_10_10_10_UNORM", {0xff, 0x03, 0x50, 0x95}, {1, 0, 341 / 1023.0f, 2 / 3.0f}},
		/* X is the low two bits */
		{"10_10_10_2_UNORM", {0x01, 0x00, 0x00, 0xff}, {1 / 3.0f, 0, 0, 1020 / 1023.0f}},
		/* X in 10:0: 1.0, 2.0, 0.5 */
		{"10_11_11_FLOAT", {0xc0, 0x03, 0x20, 0x70}, {1, 2, 0.5f, 1}},
		{"5_6_5_UNORM", {0x1f, 0xf8}, {1, 0, 1, 1}},
		{"5_6_5_UNORM", {0xe0, 0x07}, {0, 1, 0, 1}},
		{"1_5_5_5_UNORM", {0x1f, 0x80}, {1, 0, 0, 1}},
		{"5_5_5_1_UNORM", {0x3f, 0x00}, {1, 1, 0, 0}},
		{"4_4_4_4_UNORM", {0x0f, 0xf0}, {1, 0, 0, 1}},
		{"16_16_FLOAT", {0x00, 0x3c, 0x00, 0xc0}, {1, -2, 0, 1}},
		/* exponent 16, mantissas 256 (1.0), 128 (0.5), 64 (0.25) */
		{"5_9_9_9_FLOAT", {0x00, 0x01, 0x01, 0x81}, {1, 0.5f, 0.25f, 1}},
		{"32_32_FLOAT", {0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0}, {1, -2, 0, 1}},
		{"8_8_8_8_SRGB", {0xff, 0x00, 0xff, 0x80}, {1, 0, 1, 128 / 255.0f}},
		{"8_24_UNORM", {0xff, 0xff, 0xff, 0xff}, {1, 1, 0, 1}},
		{"X24_8_32_FLOAT", {0, 0, 0, 0x3f, 0, 0, 0, 0}, {0.5f, 0, 0, 1}},
	};
	for (size_t i = 0; i < BW_ARRAY_SIZE(rows); i++) {
		const struct bw_format *f = by_name(rows[i].name);
		uint32_t rgba[4];
		uint8_t back[16] = {0};
		bw_format_unpack(f, rows[i].texel, rgba);
		for (unsigned c = 0; c < 4; c++)
			if (as_float(rgba[c]) != rows[i].rgba[c])
				fail_msg("%s component %u: %a, not %a", f->name, c,
					 as_float(rgba[c]), rows[i].rgba[c]);
		bw_format_pack(f, rgba, back);
		assert_memory_equal(back, rows[i].texel, f->size_b);
	}
}

static void shared_exponents(void **state)
{
	const struct bw_format *f = by_name("5_9_9_9_FLOAT");
	for (unsigned i = 0; i < 100000; i++) {
		/* Every texel whose largest mantissa has its top bit set is the one its value packs
		 * to. */
		uint32_t texel = rnd() | 0x100, rgba[4], back;
		bw_format_unpack(f, (uint8_t *)&texel, rgba);
		bw_format_pack(f, rgba, (uint8_t *)&back);
		assert_int_equal(back, texel);
	}
	uint32_t rgba[4] = {as_bits(1e9f), as_bits(-1), as_bits(NAN)}, texel;
	bw_format_pack(f, rgba, (uint8_t *)&texel);
	assert_int_equal(texel, 0xf80001ff);		      /* 65408, 0, 0 */
	rgba[0] = rgba[1] = rgba[2] = as_bits(511.75f / 512); /* rounds up: one exponent more */
	bw_format_pack(f, rgba, (uint8_t *)&texel);
	assert_int_equal(texel, 16u << 27 | 256 << 18 | 256 << 9 | 256);
}

static void srgb(void **state)
{
	assert_true(bw_srgb_to_linear(0) == 0 && bw_srgb_to_linear(255) == 1);
	assert_true(fabsf(bw_srgb_to_linear(188) - 0.50288653f) < 1e-7f);
	for (unsigned i = 0; i < 256; i++)
		assert_int_equal(bw_linear_to_srgb(bw_srgb_to_linear((uint8_t)i)), i);
	for (unsigned i = 0; i < 100000; i++) {
		double v = rnd() / 4294967296.0;
		double curve = v <= 0.0031308 ? 12.92 * v : 1.055 * pow(v, 1 / 2.4) - 0.055;
		assert_true(fabs(bw_linear_to_srgb((float)v) - curve * 255) < 0.5001);
	}
	assert_int_equal(bw_linear_to_srgb(NAN), 0);
	assert_int_equal(bw_linear_to_srgb(-1), 0);
	assert_int_equal(bw_linear_to_srgb(7), 255);
}

static void selectors(void **state)
{
	const struct bw_format *f = by_name("8_8_8_8_UINT");
	const uint32_t in[4] = {10, 11, 12, 13};
	uint32_t out[4];
	/* W, 1, 0, X from the first register on */
	bw_format_select(f, BW_SEL_W | BW_SEL_1 << 3 | BW_SEL_0 << 6 | BW_SEL_X << 9, in, out);
	assert_int_equal(out[0], 13);
	assert_int_equal(out[1], 1);
	assert_int_equal(out[2], 0);
	assert_int_equal(out[3], 10);
	/* BGRA: Z, Y, X, W is its own inverse */
	bw_format_unselect(BW_SEL_Z | BW_SEL_Y << 3 | BW_SEL_X << 6 | BW_SEL_W << 9, in, out);
	assert_int_equal(out[0], 12);
	assert_int_equal(out[1], 11);
	assert_int_equal(out[2], 10);
	assert_int_equal(out[3], 13);
	/* alpha only: memory's X is register W, the rest 0 */
	bw_format_unselect(BW_SEL_0 | BW_SEL_0 << 3 | BW_SEL_0 << 6 | BW_SEL_X << 9, in, out);
	assert_int_equal(out[0], 13);
	assert_int_equal(out[1] | out[2] | out[3], 0);
}

static void sixteen_bits(void **state)
{
	/* A third: 0x3eaaaaab; nearest half 0x3555, of which 1 - 2^-12 of the step is missing when
	 * cut. */
	assert_int_equal(bw_format_to_d16(by_name("8_UNORM"), 0x3f7fffff), 0x3c00);
	assert_int_equal(bw_format_to_d16(by_name("32_FLOAT"), 0x3f7fffff), 0x3bff);
	assert_int_equal(bw_format_to_d16(by_name("32_UINT"), 0x12345), 0x2345);
	assert_int_equal(bw_format_from_d16(by_name("32_SINT"), 0xfffe), 0xfffffffe);
	assert_int_equal(bw_format_from_d16(by_name("32_UINT"), 0xfffe), 0xfffe);
	assert_int_equal(bw_format_from_d16(by_name("8_UNORM"), 0x3800), as_bits(0.5f));
}

static void numbers(void **state)
{
	assert_null(bw_format_buffer(0));
	assert_null(bw_format_buffer(64));
	assert_null(bw_format_image(0));
	assert_null(bw_format_image(255));
	assert_null(bw_format_image(100000));
	assert_string_equal(bw_format_absent_name(82), "GB_GR_UNORM");
	assert_null(bw_format_absent_name(22));
	assert_null(bw_format_absent_name(96));
	assert_string_equal(bw_format_buffer(63)->name, "32_32_32_32_FLOAT");
	assert_int_equal(bw_format_buffer(60)->size_b, 12);
}

/* gfx9 has the layout and the kind of its numbers apart: the format is the one that has both in its
 * name. */
static void two_numbers(void **state)
{
	static const char *const layout[] = {
		NULL,	       "8",	   "16",	  "8_8",	"32",	   "16_16",
		"10_11_11",    "11_11_10", "10_10_10_2",  "2_10_10_10", "8_8_8_8", "32_32",
		"16_16_16_16", "32_32_32", "32_32_32_32", NULL,
	};
	static const char *const kind[] = {"UNORM", "SNORM", "USCALED", "SSCALED",
					   "UINT",  "SINT",  NULL,	"FLOAT"};
	unsigned n = 0;
	for (unsigned data = 0; data < BW_ARRAY_SIZE(layout); data++) {
		for (unsigned num = 0; num < BW_ARRAY_SIZE(kind); num++) {
			const struct bw_format *f = bw_format_buffer9(data, num), *want = NULL;
			char name[64] = "";
			if (layout[data] && kind[num])
				snprintf(name, sizeof(name), "%s_%s", layout[data], kind[num]);
			for (unsigned i = 1; i < 64 && *name; i++)
				if (strcmp(bw_format_buffer(i)->name, name) == 0)
					want = bw_format_buffer(i);
			assert_ptr_equal(f, want);
			n += f != NULL;
		}
	}
	assert_int_equal(n, 63); /* each is one of them */
}

TESTS(halves_widen, halves_narrow, unsigned_floats, every_code, nearest_code, integers_clamp,
      texels_by_hand, shared_exponents, srgb, selectors, sixteen_bits, numbers, two_numbers);
