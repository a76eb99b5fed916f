/* SPDX-License-Identifier: MIT */
#include "image/format.h"

#include <math.h>
#include <pthread.h>
#include <string.h>

#include "base/float_bits.h"
#include "base/util.h"
#include "base/words.h"

enum { N_FORMATS = 256, N_BUFFER_FORMATS = 64 };

#define FORMAT(number_, name_, layout_, num_, size_, ...)                                          \
	[number_] = {.name = #name_,                                                               \
		     .number = number_,                                                            \
		     .size_b = size_,                                                              \
		     .num = BW_NUM_##num_,                                                         \
		     .layout = BW_LAYOUT_##layout_,                                                \
		     .bits = {__VA_ARGS__},                                                        \
		     .is_int = BW_NUM_##num_ == BW_NUM_UINT || BW_NUM_##num_ == BW_NUM_SINT},
#define ABSENT(number_, name_) [number_] = {.name = #name_},
static struct bw_format formats[N_FORMATS] = {
#include "image/format.def"
};
#undef FORMAT
#undef ABSENT

static float srgb_linear[256];
static float unorm8[256]; /* the most common division */
/* Smallest linear value that becomes n + 1 when encoded. */
static float srgb_threshold[255];

double bw_srgb_curve(double v)
{
	return v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
}

static void prepare_formats(void)
{
	for (unsigned i = 0; i < N_FORMATS; i++) {
		struct bw_format *f = &formats[i];
		unsigned at = 0;
		for (unsigned c = 0; c < 4; c++) {
			f->shift[c] = (uint8_t)at;
			at += f->bits[c];
			f->n += f->bits[c] != 0;
		}
		f->is_raw32 =
			f->n == 1 && f->bits[0] == 32 && (f->is_int || f->num == BW_NUM_FLOAT);
		f->is_unorm8 = f->num == BW_NUM_UNORM && f->n && f->n * 8 == at;
		for (unsigned c = 0; c < f->n; c++)
			f->is_unorm8 &= f->bits[c] == 8;
		/* Comparisons with a depth that cannot leave 0..1. */
		f->clamps_compare = f->num == BW_NUM_UNORM || i == 75;
	}
	for (unsigned i = 0; i < 256; i++) {
		srgb_linear[i] = (float)bw_srgb_curve(i / 255.0);
		unorm8[i] = (float)(i / 255.0);
	}
	for (unsigned i = 0; i < 255; i++)
		srgb_threshold[i] = (float)bw_srgb_curve((i + 0.5) / 255.0);
}

static const struct bw_format *lookup(unsigned number, unsigned limit)
{
	static pthread_once_t prepared = PTHREAD_ONCE_INIT;
	pthread_once(&prepared, prepare_formats);
	return number < limit && formats[number].size_b ? &formats[number] : NULL;
}

const struct bw_format *bw_format_buffer(unsigned number)
{
	return lookup(number, N_BUFFER_FORMATS);
}

/* Formats of one layout follow each other: its first number, by DATA_FORMAT. NUM_FORMAT is enum
 * bw_num, but FLOAT is 7. */
const struct bw_format *bw_format_buffer9(unsigned data, unsigned num)
{
	static const uint8_t first[] = {0, 1, 7, 14, 20, 23, 30, 31, 32, 36, 42, 48, 51, 58, 61};
	enum { FLOAT = 7 };
	const struct bw_format *f =
		lookup(data < BW_ARRAY_SIZE(first) ? first[data] : 0, N_BUFFER_FORMATS);
	unsigned want = num == FLOAT ? BW_NUM_FLOAT : num < BW_NUM_FLOAT ? num : BW_NUM_SRGB;
	for (const struct bw_format *g = f; g && memcmp(g->bits, f->bits, sizeof(f->bits)) == 0;
	     g = lookup(g->number + 1u, N_BUFFER_FORMATS))
		if (g->num == want)
			return g;
	return NULL;
}

const struct bw_format *bw_format_image(unsigned number)
{
	return lookup(number, N_FORMATS);
}

const char *bw_format_absent_name(unsigned number)
{
	return number < N_FORMATS && !formats[number].size_b ? formats[number].name : NULL;
}

float bw_srgb_to_linear(uint8_t v)
{
	lookup(0, 0);
	return srgb_linear[v];
}

uint8_t bw_linear_to_srgb(float v)
{
	unsigned low = 0, high = 255; /* the code is in low..high */
	lookup(0, 0);
	while (low < high) {
		unsigned mid = (low + high) / 2;
		if (v >= srgb_threshold[mid]) /* false for NaN */
			low = mid + 1;
		else
			high = mid;
	}
	return (uint8_t)low;
}

/* ---- small floats ---- */

uint32_t bw_ufloat_to_f32(uint32_t v, unsigned mantissa_bits)
{
	return bw_small_to_f32(v, mantissa_bits);
}

/* Negative values become 0, finite ones stay finite [I: as Vulkan asks of such formats]. */
uint32_t bw_f32_to_ufloat(uint32_t f, unsigned mantissa_bits)
{
	uint32_t infinity = 31u << mantissa_bits;
	if ((f & 0x7fffffff) > 0x7f800000)
		return infinity | 1u << (mantissa_bits - 1);
	if (f & 0x80000000)
		return 0;
	if (f == 0x7f800000)
		return infinity;
	return BW_MIN(bw_f32_to_small(f, mantissa_bits, false), infinity - 1);
}

/* ---- one component ---- */

static uint32_t unpack_float(uint32_t raw, unsigned bits)
{
	switch (bits) {
	case 16:
		return bw_f16_to_f32((uint16_t)raw);
	case 11:
		return bw_ufloat_to_f32(raw, 6);
	case 10:
		return bw_ufloat_to_f32(raw, 5);
	default:
		return raw;
	}
}

/* Rule 361. Quotients of integers below 2^24 are correctly rounded by one float division. */
static uint32_t unpack_component(enum bw_num num, uint32_t raw, unsigned bits)
{
	int32_t value = (int32_t)bw_sign_extend(raw, bits);
	switch (num) {
	case BW_NUM_UNORM:
		return f32_bits(bits == 8 ? unorm8[raw]
					  : (float)raw / (float)(UINT32_MAX >> (32 - bits)));
	case BW_NUM_SNORM: {
		float v = (float)value / (float)(UINT32_MAX >> (33 - bits));
		return f32_bits(v < -1 ? -1 : v);
	}
	case BW_NUM_USCALED:
		return f32_bits((float)raw);
	case BW_NUM_SSCALED:
		return f32_bits((float)value);
	case BW_NUM_UINT:
		return raw;
	case BW_NUM_SINT:
		return (uint32_t)value;
	case BW_NUM_FLOAT:
		return unpack_float(raw, bits);
	case BW_NUM_SRGB:
		return f32_bits(srgb_linear[raw & 255]);
	}
	return 0;
}

static uint32_t pack_float(uint32_t value, unsigned bits)
{
	switch (bits) {
	case 16:
		return bw_f32_to_f16(value, false);
	case 11:
		return bw_f32_to_ufloat(value, 6);
	case 10:
		return bw_f32_to_ufloat(value, 5);
	default:
		return value;
	}
}

/* Clamps a float to low..high and rounds it to nearest even; NaN is 0 (rule 367). All of it is
 * exact in double before the one rounding. */
static int64_t round_clamped(double v, double low, double high)
{
	if (isnan(v))
		return 0;
	return (int64_t)rint(v < low ? low : v > high ? high : v);
}

static uint32_t pack_component(enum bw_num num, uint32_t value, unsigned bits)
{
	uint32_t umax = UINT32_MAX >> (32 - bits);
	int32_t smax = (int32_t)(umax / 2), smin = -smax - 1;
	double v = bits_f32(value);
	switch (num) {
	case BW_NUM_UNORM:
		return (uint32_t)round_clamped(v * umax, 0, umax);
	case BW_NUM_SNORM:
		return (uint32_t)round_clamped(v * smax, -smax, smax) & umax;
	case BW_NUM_USCALED:
		return (uint32_t)round_clamped(v, 0, umax);
	case BW_NUM_SSCALED:
		return (uint32_t)round_clamped(v, smin, smax) & umax;
	case BW_NUM_UINT:
		return BW_MIN(value, umax);
	case BW_NUM_SINT: {
		int32_t i = (int32_t)value;
		return (uint32_t)(i < smin ? smin : i > smax ? smax : i) & umax;
	}
	case BW_NUM_FLOAT:
		return pack_float(value, bits);
	case BW_NUM_SRGB:
		return bw_linear_to_srgb(bits_f32(value));
	}
	return 0;
}

/* The same for 8 bits of UNORM. The sum with 2^52 rounds to nearest even, and has the integer in
 * its lowest bits. */
static uint8_t pack_unorm8(uint32_t value)
{
	double v = (double)bits_f32(value) * 255;
	uint64_t bits;
	v = v > 0 ? v : 0; /* NaN, too */
	v = (v < 255 ? v : 255) + 0x1p52;
	memcpy(&bits, &v, sizeof(bits));
	return (uint8_t)bits;
}

/* ---- shared exponent: 5_9_9_9 ---- */

#define SHARED_MANTISSA(c) 9 * (c), 9
#define SHARED_EXPONENT 27, 5

/* A component is mantissa * 2^(exponent - 24). */
static void unpack_shared(const uint8_t *texel, uint32_t out[4])
{
	uint32_t v;
	memcpy(&v, texel, 4);
	for (unsigned c = 0; c < 3; c++)
		out[c] = f32_bits((float)ldexp((double)bw_words_get(&v, SHARED_MANTISSA(c)),
					       (int)bw_words_get(&v, SHARED_EXPONENT) - 24));
}

/* The conversion of the Khronos data format specification (and of EXT_texture_shared_exponent): the
 * largest component chooses the exponent, one up if it would round to 512. */
static void pack_shared(const uint32_t in[4], uint8_t *texel)
{
	const double limit = 511.0 / 512 * 65536;
	double v[3], top = 0;
	int exponent = 0;
	for (unsigned c = 0; c < 3; c++) {
		v[c] = bits_f32(in[c]);
		v[c] = !(v[c] > 0) ? 0 : v[c] > limit ? limit : v[c];
		top = v[c] > top ? v[c] : top;
	}
	if (top > 0) {
		frexp(top, &exponent); /* top = m * 2^exponent, m in 0.5..1 */
		exponent = BW_MAX(exponent + 15, 0);
		if (floor(ldexp(top, 24 - exponent) + 0.5) == 512)
			exponent++;
	}
	uint32_t word = 0;
	bw_words_put(&word, SHARED_EXPONENT, (unsigned)exponent);
	for (unsigned c = 0; c < 3; c++)
		bw_words_put(&word, SHARED_MANTISSA(c),
			     (uint32_t)floor(ldexp(v[c], 24 - exponent) + 0.5));
	memcpy(texel, &word, 4);
}

/* ---- texels ---- */

uint32_t bw_format_one(const struct bw_format *f)
{
	return f->is_int ? 1 : 0x3f800000;
}

/* SRGB has a linear W, and the stencil beside a float depth is an integer. */
static enum bw_num num_of(const struct bw_format *f, unsigned c)
{
	if (f->num == BW_NUM_SRGB && c == 3)
		return BW_NUM_UNORM;
	if (f->num == BW_NUM_FLOAT && f->bits[c] == 8)
		return BW_NUM_UINT;
	return f->num;
}

void bw_format_unpack(const struct bw_format *f, const uint8_t *texel, uint32_t out_rgba[4])
{
	uint64_t words[2] = {0, 0};
	out_rgba[0] = out_rgba[1] = out_rgba[2] = 0;
	out_rgba[3] = bw_format_one(f);
	if (f->is_raw32) {
		memcpy(out_rgba, texel, 4);
		return;
	}
	if (f->is_unorm8) {
		for (unsigned c = 0; c < f->n; c++)
			out_rgba[c] = f32_bits(unorm8[texel[c]]);
		return;
	}
	if (f->layout == BW_LAYOUT_SHARED_EXPONENT) {
		unpack_shared(texel, out_rgba);
		return;
	}
	memcpy(words, texel, f->size_b);
	for (unsigned c = 0; c < f->n; c++) {
		/* No field crosses the middle of 128 bits. */
		uint64_t raw = words[f->shift[c] / 64] >> (f->shift[c] % 64);
		out_rgba[c] = unpack_component(
			num_of(f, c), (uint32_t)bw_bits(raw, f->bits[c] - 1u, 0), f->bits[c]);
	}
}

void bw_format_pack(const struct bw_format *f, const uint32_t rgba[4], uint8_t *out_texel)
{
	uint64_t words[2] = {0, 0};
	if (f->is_raw32) {
		memcpy(out_texel, rgba, 4);
		return;
	}
	if (f->is_unorm8) {
		for (unsigned c = 0; c < f->n; c++)
			out_texel[c] = pack_unorm8(rgba[c]);
		return;
	}
	if (f->layout == BW_LAYOUT_SHARED_EXPONENT) {
		pack_shared(rgba, out_texel);
		return;
	}
	for (unsigned c = 0; c < f->n; c++) {
		uint64_t raw = pack_component(num_of(f, c), rgba[c], f->bits[c]);
		words[f->shift[c] / 64] |= raw << (f->shift[c] % 64);
	}
	memcpy(out_texel, words, f->size_b);
}

void bw_format_select(const struct bw_format *f, uint32_t dst_sel, const uint32_t in[4],
		      uint32_t out[4])
{
	for (unsigned c = 0; c < 4; c++) {
		unsigned sel = dst_sel >> BW_SEL_SHIFT(c) & 7;
		/* 2 and 3 are reserved: 0 [I]. */
		out[c] = sel >= BW_SEL_X   ? in[sel - BW_SEL_X]
			 : sel == BW_SEL_1 ? bw_format_one(f)
					   : 0;
	}
}

void bw_format_unselect(uint32_t dst_sel, const uint32_t in[4], uint32_t out[4])
{
	for (unsigned c = 0; c < 4; c++) {
		out[c] = 0;
		for (unsigned k = 4; k-- > 0;)
			if ((dst_sel >> BW_SEL_SHIFT(k) & 7) == BW_SEL_X + c)
				out[c] = in[k];
	}
}

uint16_t bw_format_to_d16(const struct bw_format *f, uint32_t value)
{
	if (f->is_int)
		return (uint16_t)value;
	return bw_f32_to_f16(value, f->num == BW_NUM_FLOAT && f->bits[0] == 32);
}

uint32_t bw_format_from_d16(const struct bw_format *f, uint16_t value)
{
	if (!f->is_int)
		return bw_f16_to_f32(value);
	return f->num == BW_NUM_SINT ? (uint32_t)(int16_t)value : value;
}
