/* SPDX-License-Identifier: MIT */
#include "image/swizzle.h"

#include <assert.h>
#include <pthread.h>
#include <string.h>

#include "base/util.h"

enum { MICRO_LOG2 = 8, MAX_LOG2 = 18, N_PIPES_LOG2 = 5, N_ELEM = 5, N_SAMPLES = 4, N_MODES = 32 };

enum { AXIS_X, AXIS_Y, AXIS_Z, AXIS_S, N_AXES };

/* A coordinate bit in a mask with 16 bits of each axis; the bits of a mask are XORed into one
 * address bit. */
static uint64_t bit_of(unsigned axis, unsigned n)
{
	return 1ull << (axis * 16 + n);
}

static const struct mode {
	uint8_t mode, block_log2;
	char kind;    /* D, S, or R for Z and R */
	uint8_t dims; /* 2: 1D and 2D, 3: 3D, 5: both */
	enum { PLAIN, PIPES, PRT } xor ;
} modes[] = {
	{BW_SW_256B_D, 8, 'D', 2, PLAIN},     {BW_SW_4KB_S, 12, 'S', 3, PLAIN},
	{BW_SW_4KB_D, 12, 'D', 2, PLAIN},     {BW_SW_64KB_S, 16, 'S', 3, PLAIN},
	{BW_SW_64KB_D, 16, 'D', 2, PLAIN},    {BW_SW_64KB_S_T, 16, 'S', 3, PRT},
	{BW_SW_64KB_D_T, 16, 'D', 2, PRT},    {BW_SW_4KB_S_X, 12, 'S', 3, PIPES},
	{BW_SW_4KB_D_X, 12, 'D', 2, PIPES},   {BW_SW_64KB_Z_X, 16, 'R', 5, PIPES},
	{BW_SW_64KB_S_X, 16, 'S', 3, PIPES},  {BW_SW_64KB_D_X, 16, 'D', 5, PIPES},
	{BW_SW_64KB_R_X, 16, 'R', 5, PIPES},  {BW_SW_256KB_Z_X, 18, 'R', 5, PIPES},
	{BW_SW_256KB_S_X, 18, 'S', 3, PIPES}, {BW_SW_256KB_D_X, 18, 'D', 2, PIPES},
	{BW_SW_256KB_R_X, 18, 'R', 5, PIPES},
};

/* The order of coordinate bits inside 256 bytes, above the bytes of one element. */
static const char *const micro_thin[N_ELEM] = {
	"x0 x1 y0 x2 y1 y2 x3 y3", "x0 y0 x1 y1 x2 y2 x3", "x0 y0 x1 y1 x2 y2",
	"x0 y0 x1 x2 y1",	   "x0 y0 x1 y1",
};
static const char *const micro_thick[N_ELEM] = {
	"x0 x1 z0 y0 y1 z1 x2 z2", "x0 z0 y0 x1 z1 y1 z2", "x0 y0 x1 z0 y1 z1",
	"x0 y0 z0 x1 z1",	   "x0 z0 y0 z1",
};

#define RENDER(block, samples, elem, text) [BLOCK_##block][samples][elem] = text,
#define DISPLAY3(elem, text)
enum { BLOCK_64K, BLOCK_256K };
static const char *const render[2][N_SAMPLES][N_ELEM] = {
#include "image/swizzle.def"
};
#undef RENDER
#undef DISPLAY3
#define RENDER(block, samples, elem, text)
#define DISPLAY3(elem, text) [elem] = text,
static const char *const display3[N_ELEM] = {
#include "image/swizzle.def"
};

static struct bw_swizzle layouts[N_MODES][2][N_ELEM][N_SAMPLES];

/* Address bits from `at` on, as text: "x9y4y9 x4y4". Returns the bit after the last. */
static unsigned parse(uint64_t *bit, unsigned at, const char *text)
{
	for (; *text; at++) {
		bit[at] = 0;
		for (; *text && *text != ' '; text += 2) {
			unsigned axis = (unsigned)(strchr("xyzs", *text) - "xyzs");
			bit[at] |= bit_of(axis, (unsigned)(text[1] - '0'));
		}
		text += *text == ' ';
	}
	return at;
}

/* The number of bits of an axis in the address bits below `end`. */
static unsigned count_axis(const uint64_t *bit, unsigned end, unsigned axis)
{
	unsigned n = 0;
	for (unsigned i = 0; i < end; i++)
		n += (unsigned)__builtin_popcountll(bit[i] & (0xffffull << (16 * axis)));
	return n;
}

/* Above the micro tile a rule continues: the lowest bits not used yet, y before x before z. */
static void grow(uint64_t *bit, unsigned end, bool thick)
{
	static const uint8_t order[] = {AXIS_Y, AXIS_X, AXIS_Z};
	unsigned next[N_AXES];
	for (unsigned a = 0; a < N_AXES; a++)
		next[a] = count_axis(bit, MICRO_LOG2, a);
	for (unsigned i = MICRO_LOG2; i < end; i++) {
		unsigned axis = order[(i - MICRO_LOG2) % (thick ? 3 : 2)];
		bit[i] = bit_of(axis, next[axis]++);
	}
}

/* The bits of a window are XORed with those that follow it, mirrored: one partner each in two
 * dimensions, two in three. plain continues beyond the block; PRT tiles take partners only inside
 * of it. */
static void add_xor(uint64_t *bit, const uint64_t *plain, const struct mode *m, bool thick)
{
	unsigned first = MICRO_LOG2, n = BW_MIN(m->block_log2 - MICRO_LOG2, N_PIPES_LOG2), end = 64;
	if (m->xor == PRT) {
		first = thick ? 11 : 10;
		n = 13 - first;
		end = m->block_log2;
	}
	for (unsigned i = 0; i < n; i++) {
		unsigned partner = first + n + (n - 1 - i) * (thick ? 2 : 1);
		for (unsigned k = 0; k < (thick ? 2 : 1); k++)
			if (partner + k < end)
				bit[first + i] |= plain[partner + k];
		if (!thick && m->xor == PIPES)
			/* slices start in other pipes */
			bit[first + i] |= bit_of(AXIS_Z, n - 1 - i);
	}
}

/* Bits below 8 of several samples: the samples first, then x and y in turn. */
static void micro_samples(uint64_t *bit, unsigned elem_log2, unsigned samples_log2)
{
	unsigned at = elem_log2;
	for (unsigned i = 0; i < samples_log2; i++)
		bit[at++] = bit_of(AXIS_S, i);
	for (unsigned i = 0; at < MICRO_LOG2; i++)
		bit[at++] = bit_of(i % 2 ? AXIS_Y : AXIS_X, i / 2);
}

static uint32_t column(const uint64_t *bit, unsigned block_log2, unsigned axis, unsigned n)
{
	uint32_t mask = 0;
	for (unsigned i = 0; i < block_log2; i++)
		if (bit[i] & bit_of(axis, n))
			mask |= 1u << i;
	return mask;
}

static void fill(uint32_t *table, unsigned n_bits, const uint64_t *bit, unsigned block_log2,
		 unsigned axis, unsigned first)
{
	for (unsigned v = 0; v < 1u << n_bits; v++) {
		table[v] = 0;
		for (unsigned i = 0; i < n_bits; i++)
			if (v >> i & 1)
				table[v] ^= column(bit, block_log2, axis, first + i);
	}
}

static void extents(struct bw_swizzle *sw, const uint64_t *plain, unsigned elem_log2,
		    unsigned samples_log2)
{
	unsigned n = sw->block_log2 - elem_log2 - samples_log2,
		 n_micro = MICRO_LOG2 - elem_log2 - samples_log2;
	if (sw->is_thick) {
		unsigned end = sw->block_log2;
		sw->block = (struct bw_extent_log2){(uint8_t)count_axis(plain, end, AXIS_X),
						    (uint8_t)count_axis(plain, end, AXIS_Y),
						    (uint8_t)count_axis(plain, end, AXIS_Z)};
		sw->micro = (struct bw_extent_log2){(uint8_t)count_axis(plain, MICRO_LOG2, AXIS_X),
						    (uint8_t)count_axis(plain, MICRO_LOG2, AXIS_Y),
						    (uint8_t)count_axis(plain, MICRO_LOG2, AXIS_Z)};
		return;
	}
	/* As square as possible; an odd bit makes it wider, or higher for 2 and 8 samples. */
	unsigned wider = samples_log2 % 2 == 0;
	sw->block.w = (uint8_t)((n + wider) / 2);
	sw->block.h = (uint8_t)(n - sw->block.w);
	sw->micro.w = (uint8_t)((n_micro + 1) / 2);
	sw->micro.h = (uint8_t)(n_micro - sw->micro.w);
}

static void make_swizzle(const struct mode *m, bool is_3d, unsigned elem_log2,
			 unsigned samples_log2)
{
	struct bw_swizzle *sw = &layouts[m->mode][is_3d][elem_log2][samples_log2];
	uint64_t bit[64] = {0}, plain[64] = {0};
	bool thick = is_3d && m->kind != 'R';

	if (samples_log2)
		micro_samples(bit, elem_log2, samples_log2);
	else
		parse(bit, elem_log2, (thick ? micro_thick : micro_thin)[elem_log2]);
	memcpy(plain, bit, sizeof(plain));
	grow(plain, 32, thick);
	if (m->kind == 'R') {
		parse(bit, MICRO_LOG2,
		      render[m->block_log2 == 18 ? BLOCK_256K : BLOCK_64K][samples_log2]
			    [elem_log2]);
	} else if (m->kind == 'D' && is_3d) {
		parse(bit, MICRO_LOG2, display3[elem_log2]);
	} else {
		memcpy(bit, plain, sizeof(bit));
		if (m->xor != PLAIN)
			add_xor(bit, plain, m, thick);
	}
	sw->block_log2 = m->block_log2;
	sw->is_thick = thick;
	sw->is_xor = m->xor != PLAIN;
	sw->is_z = m->mode == BW_SW_64KB_Z_X || m->mode == BW_SW_256KB_Z_X;
	extents(sw, plain, elem_log2, samples_log2);
	fill(sw->x_low, 5, bit, m->block_log2, AXIS_X, 0);
	fill(sw->x_high, 5, bit, m->block_log2, AXIS_X, 5);
	fill(sw->y_low, 5, bit, m->block_log2, AXIS_Y, 0);
	fill(sw->y_high, 5, bit, m->block_log2, AXIS_Y, 5);
	fill(sw->z_low, 4, bit, m->block_log2, AXIS_Z, 0);
	fill(sw->z_high, 4, bit, m->block_log2, AXIS_Z, 4);
	fill(sw->s, 3, bit, m->block_log2, AXIS_S, 0);
}

static void make_all(void)
{
	for (size_t i = 0; i < BW_ARRAY_SIZE(modes); i++) {
		const struct mode *m = &modes[i];
		for (unsigned elem = 0; elem < N_ELEM; elem++) {
			unsigned n_samples = m->kind == 'R' ? N_SAMPLES : 1;
			for (unsigned s = 0; m->dims != 3 && s < n_samples; s++)
				make_swizzle(m, false, elem, s);
			if (m->dims != 2)
				make_swizzle(m, true, elem, 0);
		}
	}
}

const struct bw_swizzle *bw_swizzle_get(unsigned mode, bool is_3d, unsigned elem_log2,
					unsigned samples_log2)
{
	static pthread_once_t made = PTHREAD_ONCE_INIT;
	pthread_once(&made, make_all);
	if (mode >= N_MODES || elem_log2 >= N_ELEM || samples_log2 >= N_SAMPLES)
		return NULL;
	const struct bw_swizzle *sw = &layouts[mode][is_3d][elem_log2][samples_log2];
	return sw->block_log2 ? sw : NULL;
}
