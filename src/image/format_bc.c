/* SPDX-License-Identifier: MIT */
#include "image/format_bc.h"

#include <string.h>

#include "base/float_bits.h"
#include "base/util.h"

/* Texels come out as fractions: a component is value / divisor, with one rounding at the end. */

/* Bits of a block from the lowest on. */
struct reader {
	uint64_t low, high;
};

static struct reader read_block(const uint8_t *block)
{
	struct reader r;
	memcpy(&r.low, block, 8);
	memcpy(&r.high, block + 8, 8);
	return r;
}

static unsigned take_bits(struct reader *r, unsigned n)
{
	unsigned v = (unsigned)(r->low & ((1u << n) - 1));
	if (n) {
		r->low = r->low >> n | r->high << (64 - n);
		r->high >>= n;
	}
	return v;
}

/* ---- BC1 to BC3: two 5_6_5 colours and what lies between ---- */

static const uint8_t color_max[3] = {31, 63, 31};

static unsigned color_field(unsigned color, unsigned c)
{
	static const uint8_t shift[3] = {11, 5, 0};
	return color >> shift[c] & color_max[c];
}

/* The four colours of a block as floats. has_alpha: BC1, where the order of the two says whether
 * the last one is transparent black. */
static void color_palette(const struct bw_format *f, const uint8_t *block, bool has_alpha,
			  uint32_t out[4][4])
{
	static const uint8_t thirds[4][2] = {{3, 0}, {0, 3}, {2, 1}, {1, 2}},
			     halves[4][2] = {{2, 0}, {0, 2}, {1, 1}, {0, 0}};
	unsigned a = block[0] | (unsigned)block[1] << 8, b = block[2] | (unsigned)block[3] << 8;
	bool three = has_alpha && a <= b;
	for (unsigned k = 0; k < 4; k++) {
		const uint8_t *w = three ? halves[k] : thirds[k];
		for (unsigned c = 0; c < 3; c++) {
			unsigned v = w[0] * color_field(a, c) + w[1] * color_field(b, c);
			double value = v / ((three ? 2.0 : 3.0) * color_max[c]);
			out[k][c] = f32_bits(
				(float)(f->num == BW_NUM_SRGB ? bw_srgb_curve(value) : value));
		}
		out[k][3] = f32_bits(three && k == 3 ? 0 : 1);
	}
}

static void decode_color(const struct bw_format *f, const uint8_t *block, bool has_alpha,
			 uint32_t out[16][4])
{
	uint32_t palette[4][4], indices;
	color_palette(f, block, has_alpha, palette);
	memcpy(&indices, block + 4, 4);
	for (unsigned t = 0; t < 16; t++)
		memcpy(out[t], palette[indices >> (2 * t) & 3], 16);
}

/* BC3's alpha and the channels of BC4 and BC5: two 8-bit values, and 6 or 4 between them; with 4,
 * the range's ends complete them. */
static void decode_channel(const uint8_t *block, bool is_signed, unsigned c, uint32_t out[16][4])
{
	int a = is_signed ? (int8_t)block[0] : block[0],
	    b = is_signed ? (int8_t)block[1] : block[1];
	double max = is_signed ? 127 : 255;
	uint64_t indices = 0;
	memcpy(&indices, block + 2, 6);
	/* -128 is -127, for the order of the two as well. */
	a = BW_MAX(a, is_signed ? -127 : 0);
	b = BW_MAX(b, is_signed ? -127 : 0);
	bool eight = a > b;
	for (unsigned t = 0; t < 16; t++, indices >>= 3) {
		int k = (int)(indices & 7), steps = eight ? 7 : 5;
		double v;
		if (k < 2)
			v = k ? b : a;
		else if (!eight && k >= 6)
			v = k == 7 ? max : is_signed ? -max : 0;
		else
			v = (double)((steps + 1 - k) * a + (k - 1) * b) / steps;
		out[t][c] = f32_bits((float)(v / max));
	}
}

static void decode_bc2_alpha(const uint8_t *block, uint32_t out[16][4])
{
	uint64_t alpha;
	memcpy(&alpha, block, 8);
	for (unsigned t = 0; t < 16; t++)
		out[t][3] = f32_bits((float)(alpha >> (4 * t) & 15) / 15);
}

/* ---- partitions of BC6 and BC7 ---- */

/* The subset of each texel: one bit each for two subsets, two bits each for three. The first 32 are
 * BC6's. */
/* clang-format off */
static const uint16_t partitions2[64] = {
	0xcccc, 0x8888, 0xeeee, 0xecc8, 0xc880, 0xfeec, 0xfec8, 0xec80, 0xc800, 0xffec, 0xfe80, 0xe800, 0xffe8,
	0xff00, 0xfff0, 0xf000, 0xf710, 0x008e, 0x7100, 0x08ce, 0x008c, 0x7310, 0x3100, 0x8cce, 0x088c, 0x3110,
	0x6666, 0x366c, 0x17e8, 0x0ff0, 0x718e, 0x399c, 0xaaaa, 0xf0f0, 0x5a5a, 0x33cc, 0x3c3c, 0x55aa, 0x9696,
	0xa55a, 0x73ce, 0x13c8, 0x324c, 0x3bdc, 0x6996, 0xc33c, 0x9966, 0x0660, 0x0272, 0x04e4, 0x4e40, 0x2720,
	0xc936, 0x936c, 0x39c6, 0x639c, 0x9336, 0x9cc6, 0x817e, 0xe718, 0xccf0, 0x0fcc, 0x7744, 0xee22,
};
/* clang-format on */
/* clang-format off */
static const uint32_t partitions3[64] = {
	0xaa685050, 0x6a5a5040, 0x5a5a4200, 0x5450a0a8, 0xa5a50000, 0xa0a05050, 0x5555a0a0, 0x5a5a5050,
	0xaa550000, 0xaa555500, 0xaaaa5500, 0x90909090, 0x94949494, 0xa4a4a4a4, 0xa9a59450, 0x2a0a4250,
	0xa5945040, 0x0a425054, 0xa5a5a500, 0x55a0a0a0, 0xa8a85454, 0x6a6a4040, 0xa4a45000, 0x1a1a0500,
	0x0050a4a4, 0xaaa59090, 0x14696914, 0x69691400, 0xa08585a0, 0xaa821414, 0x50a4a450, 0x6a5a0200,
	0xa9a58000, 0x5090a0a8, 0xa8a09050, 0x24242424, 0x00aa5500, 0x24924924, 0x24499224, 0x50a50a50,
	0x500aa550, 0xaaaa4444, 0x66660000, 0xa5a0a5a0, 0x50a050a0, 0x69286928, 0x44aaaa44, 0x66666600,
	0xaa444444, 0x54a854a8, 0x95809580, 0x96969600, 0xa85454a8, 0x80959580, 0xaa141414, 0x96960000,
	0xaaaa1414, 0xa05050a0, 0xa0a5a5a0, 0x96000000, 0x40804080, 0xa9a8a9a8, 0xaaaaaa44, 0x2a4a5254,
};
/* clang-format on */
/* The texel of each further subset whose index lacks its top bit (texel 0 is the first subset's):
 * the second of two, the second and third of three. */
/* clang-format off */
static const uint8_t anchors2[64] = {
	15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 2, 8, 2, 2, 8, 8, 15, 2, 8, 2, 2, 8, 8, 2, 2,
	15, 15, 6, 8, 2, 8, 15, 15, 2, 8, 2, 2, 2, 15, 15, 6, 6, 2, 6, 8, 15, 15, 2, 2, 15, 15, 15, 15, 15, 2, 2, 15,
};
/* clang-format on */
/* clang-format off */
static const uint8_t anchors3[2][64] = {
	{3, 3, 15, 15, 8, 3, 15, 15, 8, 8, 6, 6, 6, 5, 3, 3, 3, 3, 8, 15, 3, 3, 6, 10, 5, 8, 8, 6, 8, 5, 15, 15,
	 8, 15, 3, 5, 6, 10, 8, 15, 15, 3, 15, 5, 15, 15, 15, 15, 3, 15, 5, 5, 5, 8, 5, 10, 5, 10, 8, 13, 15, 12, 3, 3},
	{15, 8, 8, 3, 15, 15, 3, 8, 15, 15, 15, 15, 15, 15, 15, 8, 15, 8, 15, 3, 15, 8, 15, 8, 3, 15, 6, 10, 15, 15, 10, 8,
	 15, 3, 15, 10, 10, 8, 9, 10, 6, 15, 8, 15, 3, 6, 6, 8, 15, 3, 15, 15, 15, 15, 15, 15, 15, 15, 15, 15, 3, 15, 15, 8},
};
/* clang-format on */

static unsigned subset_of(unsigned n_subsets, unsigned partition, unsigned texel)
{
	if (n_subsets == 1)
		return 0;
	return n_subsets == 2 ? partitions2[partition] >> texel & 1u
			      : partitions3[partition] >> (2 * texel) & 3u;
}

static bool is_anchor(unsigned n_subsets, unsigned partition, unsigned texel)
{
	if (texel == 0)
		return true;
	if (n_subsets == 2)
		return anchors2[partition] == texel;
	return n_subsets == 3 &&
	       (anchors3[0][partition] == texel || anchors3[1][partition] == texel);
}

/* Weights of the second end point in 64ths, by bits of an index. */
static const uint8_t weights2[4] = {0, 21, 43, 64};
static const uint8_t weights3[8] = {0, 9, 18, 27, 37, 46, 55, 64};
static const uint8_t weights4[16] = {0, 4, 9, 13, 17, 21, 26, 30, 34, 38, 43, 47, 51, 55, 60, 64};

static int blend(int a, int b, unsigned n_bits, unsigned index)
{
	int w = n_bits == 2 ? weights2[index] : n_bits == 3 ? weights3[index] : weights4[index];
	return (a * (64 - w) + b * w + 32) >> 6;
}

/* ---- BC7 ---- */

struct bc7_mode {
	uint8_t n_subsets, partition, rotation, selection, color, alpha, own_p, shared_p, index,
		index2;
};

/* Bits of each part of a block, by mode. */
/* clang-format off */
static const struct bc7_mode bc7_modes[8] = {
	{3, 4, 0, 0, 4, 0, 1, 0, 3, 0}, {2, 6, 0, 0, 6, 0, 0, 1, 3, 0}, {3, 6, 0, 0, 5, 0, 0, 0, 2, 0},
	{2, 6, 0, 0, 7, 0, 1, 0, 2, 0}, {1, 0, 2, 1, 5, 6, 0, 0, 2, 3}, {1, 0, 2, 0, 7, 8, 0, 0, 2, 2},
	{1, 0, 0, 0, 7, 7, 1, 0, 4, 0}, {2, 6, 0, 0, 5, 5, 1, 0, 2, 0},
};
/* clang-format on */

/* End points to 8 bits: lowest bits that several share are appended, the top bits fill the rest. */
static void bc7_end_points(struct reader *r, const struct bc7_mode *m, uint8_t ends[6][4])
{
	unsigned n = 2 * m->n_subsets, p[6] = {0};
	for (unsigned c = 0; c < 4; c++)
		for (unsigned e = 0; e < n; e++)
			ends[e][c] = (uint8_t)take_bits(r, c < 3 ? m->color : m->alpha);
	for (unsigned e = 0; e < n; e++) {
		if (m->own_p)
			p[e] = take_bits(r, 1);
		else if (m->shared_p)
			p[e] = e % 2 ? p[e - 1] : take_bits(r, 1);
	}
	for (unsigned e = 0; e < n; e++) {
		for (unsigned c = 0; c < 4; c++) {
			unsigned bits = c < 3 ? m->color : m->alpha, v = ends[e][c];
			if (!bits) {
				ends[e][c] = 255;
				continue;
			}
			if (m->own_p || m->shared_p) {
				v = v << 1 | p[e];
				bits++;
			}
			v <<= 8 - bits;
			ends[e][c] = (uint8_t)(v | v >> bits);
		}
	}
}

static void read_indices(struct reader *r, const struct bc7_mode *m, unsigned partition,
			 unsigned bits, uint8_t index[16])
{
	for (unsigned t = 0; t < 16; t++)
		index[t] = (uint8_t)take_bits(r, bits - is_anchor(m->n_subsets, partition, t));
}

static void decode_bc7(const struct bw_format *f, const uint8_t *block, uint32_t out[16][4])
{
	struct reader r = read_block(block);
	uint8_t ends[6][4], index[2][16];
	unsigned mode = 0, partition, rotation, selection;

	while (mode < 8 && !take_bits(&r, 1))
		mode++;
	if (mode == 8) { /* reserved */
		memset(out, 0, 16 * sizeof(*out));
		return;
	}
	const struct bc7_mode *m = &bc7_modes[mode];
	partition = take_bits(&r, m->partition);
	rotation = take_bits(&r, m->rotation);
	selection = take_bits(&r, m->selection);
	bc7_end_points(&r, m, ends);
	read_indices(&r, m, partition, m->index, index[0]);
	if (m->index2)
		read_indices(&r, m, partition, m->index2, index[1]);
	for (unsigned t = 0; t < 16; t++) {
		const uint8_t *e0 = ends[2 * subset_of(m->n_subsets, partition, t)], *e1 = e0 + 4;
		uint8_t rgba[4];
		for (unsigned c = 0; c < 4; c++) {
			/* Colour and alpha have indices of their own, which may be exchanged. */
			bool second = m->index2 && (c == 3) != selection;
			rgba[c] = (uint8_t)blend(e0[c], e1[c], second ? m->index2 : m->index,
						 index[second][t]);
		}
		if (rotation) {
			uint8_t alpha = rgba[3];
			rgba[3] = rgba[rotation - 1];
			rgba[rotation - 1] = alpha;
		}
		for (unsigned c = 0; c < 4; c++)
			out[t][c] =
				f32_bits(f->num == BW_NUM_SRGB && c < 3 ? bw_srgb_to_linear(rgba[c])
									: (float)rgba[c] / 255);
	}
}

/* ---- BC6 ---- */

struct bc6_mode {
	uint8_t code; /* first 2 or 5 bits of the block */
	uint8_t n_subsets;
	uint8_t base;	  /* bits of the first end point */
	uint8_t delta[3]; /* of the others: R, G, B */
	bool is_delta;	  /* which are differences to the first one */
	/* in the order of the block: channel, end point w to z, bits high:low */
	const char *fields;
};

/* clang-format off */
static const struct bc6_mode bc6_modes[] = {
	{0x00, 2, 10, {5, 5, 5}, true, "gy4 by4 bz4 rw9:0 gw9:0 bw9:0 rx4:0 gz4 gy3:0 gx4:0 bz0 gz3:0 bx4:0 bz1 "
				       "by3:0 ry4:0 bz2 rz4:0 bz3"},
	{0x01, 2, 7, {6, 6, 6}, true, "gy5 gz4 gz5 rw6:0 bz0 bz1 by4 gw6:0 by5 bz2 gy4 bw6:0 bz3 bz5 bz4 rx5:0 "
				      "gy3:0 gx5:0 gz3:0 bx5:0 by3:0 ry5:0 rz5:0"},
	{0x02, 2, 11, {5, 4, 4}, true, "rw9:0 gw9:0 bw9:0 rx4:0 rw10 gy3:0 gx3:0 gw10 bz0 gz3:0 bx3:0 bw10 bz1 "
				       "by3:0 ry4:0 bz2 rz4:0 bz3"},
	{0x06, 2, 11, {4, 5, 4}, true, "rw9:0 gw9:0 bw9:0 rx3:0 rw10 gz4 gy3:0 gx4:0 gw10 gz3:0 bx3:0 bw10 bz1 "
				       "by3:0 ry3:0 bz0 bz2 rz3:0 gy4 bz3"},
	{0x0a, 2, 11, {4, 4, 5}, true, "rw9:0 gw9:0 bw9:0 rx3:0 rw10 by4 gy3:0 gx3:0 gw10 bz0 gz3:0 bx4:0 bw10 "
				       "by3:0 ry3:0 bz1 bz2 rz3:0 bz4 bz3"},
	{0x0e, 2, 9, {5, 5, 5}, true, "rw8:0 by4 gw8:0 gy4 bw8:0 bz4 rx4:0 gz4 gy3:0 gx4:0 bz0 gz3:0 bx4:0 bz1 "
				      "by3:0 ry4:0 bz2 rz4:0 bz3"},
	{0x12, 2, 8, {6, 5, 5}, true, "rw7:0 gz4 by4 gw7:0 bz2 gy4 bw7:0 bz3 bz4 rx5:0 gy3:0 gx4:0 bz0 gz3:0 "
				      "bx4:0 bz1 by3:0 ry5:0 rz5:0"},
	{0x16, 2, 8, {5, 6, 5}, true, "rw7:0 bz0 by4 gw7:0 gy5 gy4 bw7:0 gz5 bz4 rx4:0 gz4 gy3:0 gx5:0 gz3:0 "
				      "bx4:0 bz1 by3:0 ry4:0 bz2 rz4:0 bz3"},
	{0x1a, 2, 8, {5, 5, 6}, true, "rw7:0 bz1 by4 gw7:0 by5 gy4 bw7:0 bz5 bz4 rx4:0 gz4 gy3:0 gx4:0 bz0 gz3:0 "
				      "bx5:0 by3:0 ry4:0 bz2 rz4:0 bz3"},
	{0x1e, 2, 6, {6, 6, 6}, false, "rw5:0 gz4 bz0 bz1 by4 gw5:0 gy5 by5 bz2 gy4 bw5:0 gz5 bz3 bz5 bz4 rx5:0 "
				       "gy3:0 gx5:0 gz3:0 bx5:0 by3:0 ry5:0 rz5:0"},
	{0x03, 1, 10, {10, 10, 10}, false, "rw9:0 gw9:0 bw9:0 rx9:0 gx9:0 bx9:0"},
	{0x07, 1, 11, {9, 9, 9}, true, "rw9:0 gw9:0 bw9:0 rx8:0 rw10 gx8:0 gw10 bx8:0 bw10"},
	{0x0b, 1, 12, {8, 8, 8}, true, "rw9:0 gw9:0 bw9:0 rx7:0 rw10:11 gx7:0 gw10:11 bx7:0 bw10:11"},
	{0x0f, 1, 16, {4, 4, 4}, true, "rw9:0 gw9:0 bw9:0 rx3:0 rw10:15 gx3:0 gw10:15 bx3:0 bw10:15"},
};
/* clang-format on */

static unsigned number(const char **text)
{
	unsigned n = 0;
	while (**text >= '0' && **text <= '9')
		n = 10 * n + (unsigned)(*(*text)++ - '0');
	return n;
}

/* Follows the field list: "gy3:0" takes 4 bits, the first of them bit 0; "rw10:15" begins with bit
 * 15. */
static void bc6_read_fields(struct reader *r, const char *text, int ends[4][3])
{
	while (*text) {
		unsigned c = *text == 'r' ? 0 : *text == 'g' ? 1 : 2, e = (unsigned)(text[1] - 'w');
		text += 2;
		unsigned hi = number(&text), lo = hi;
		if (*text == ':') {
			text++;
			lo = number(&text);
		}
		for (unsigned b = lo;; b = lo < hi ? b + 1 : b - 1) {
			ends[e][c] |= (int)(take_bits(r, 1) << b);
			if (b == hi)
				break;
		}
		text += *text == ' ';
	}
}

static int sign_extend(int v, unsigned bits)
{
	return (int)bw_sign_extend((uint64_t)(unsigned)v, bits);
}

/* Expands to 16 bits (signed: 15 and a sign). */
static int bc6_unquantize(int v, unsigned bits, bool is_signed)
{
	int magnitude = v < 0 ? -v : v, out;
	if (!is_signed) {
		if (bits >= 15 || v == 0)
			return v;
		return v == (1 << bits) - 1 ? 0xffff : ((v << 16) + 0x8000) >> bits;
	}
	if (bits >= 16 || v == 0)
		return v;
	out = magnitude >= (1 << (bits - 1)) - 1 ? 0x7fff
						 : ((magnitude << 15) + 0x4000) >> (bits - 1);
	return v < 0 ? -out : out;
}

static void bc6_finish_ends(const struct bc6_mode *m, bool is_signed, int ends[4][3])
{
	unsigned n = 2 * m->n_subsets;
	for (unsigned c = 0; c < 3; c++) {
		if (is_signed)
			ends[0][c] = sign_extend(ends[0][c], m->base);
		for (unsigned e = 1; e < n; e++) {
			if (is_signed || m->is_delta)
				ends[e][c] = sign_extend(ends[e][c], m->delta[c]);
			if (m->is_delta) {
				ends[e][c] = (ends[e][c] + ends[0][c]) & ((1 << m->base) - 1);
				if (is_signed)
					ends[e][c] = sign_extend(ends[e][c], m->base);
			}
		}
		for (unsigned e = 0; e < n; e++)
			ends[e][c] = bc6_unquantize(ends[e][c], m->base, is_signed);
	}
}

/* The interpolated value, scaled so that it is the bit pattern of a half float. */
static uint32_t bc6_value(int v, bool is_signed)
{
	if (!is_signed)
		return bw_f16_to_f32((uint16_t)(v * 31 >> 6));
	int magnitude = (v < 0 ? -v : v) * 31 >> 5;
	return bw_f16_to_f32((uint16_t)((v < 0 ? 0x8000 : 0) | magnitude));
}

static const struct bc6_mode *bc6_find(struct reader *r)
{
	unsigned code = take_bits(r, 2);
	if (code > 1)
		code |= take_bits(r, 3) << 2;
	for (size_t i = 0; i < BW_ARRAY_SIZE(bc6_modes); i++)
		if (bc6_modes[i].code == code)
			return &bc6_modes[i];
	return NULL;
}

static void decode_bc6(const struct bw_format *f, const uint8_t *block, uint32_t out[16][4])
{
	bool is_signed = f->number == 120;
	struct reader r = read_block(block);
	const struct bc6_mode *m = bc6_find(&r);
	int ends[4][3] = {{0}};
	unsigned partition = 0, n_bits;

	if (m) {
		bc6_read_fields(&r, m->fields, ends);
		bc6_finish_ends(m, is_signed, ends);
		partition = m->n_subsets == 2 ? take_bits(&r, 5) : 0;
	}
	for (unsigned t = 0; t < 16; t++) {
		out[t][0] = out[t][1] = out[t][2] = 0; /* reserved modes */
		out[t][3] = f32_bits(1);
		if (!m)
			continue;
		n_bits = m->n_subsets == 2 ? 3 : 4;
		unsigned index = take_bits(&r, n_bits - is_anchor(m->n_subsets, partition, t));
		const int *e0 = ends[2 * subset_of(m->n_subsets, partition, t)], *e1 = e0 + 3;
		for (unsigned c = 0; c < 3; c++)
			out[t][c] = bc6_value(blend(e0[c], e1[c], n_bits, index), is_signed);
	}
}

/* ---- all ---- */

void bw_bc_decode(const struct bw_format *f, const uint8_t *block, uint32_t out[16][4])
{
	memset(out, 0, 16 * sizeof(*out));
	for (unsigned t = 0; t < 16; t++)
		out[t][3] = f32_bits(1);
	switch (f->number) {
	case 109:
	case 110:
		decode_color(f, block, true, out);
		break;
	case 111:
	case 112:
		decode_color(f, block + 8, false, out);
		decode_bc2_alpha(block, out);
		break;
	case 113:
	case 114:
		decode_color(f, block + 8, false, out);
		decode_channel(block, false, 3, out);
		break;
	case 115:
	case 116:
		decode_channel(block, f->num == BW_NUM_SNORM, 0, out);
		break;
	case 117:
	case 118:
		decode_channel(block, f->num == BW_NUM_SNORM, 0, out);
		decode_channel(block + 8, f->num == BW_NUM_SNORM, 1, out);
		break;
	case 119:
	case 120:
		decode_bc6(f, block, out);
		break;
	default:
		decode_bc7(f, block, out);
		break;
	}
}
