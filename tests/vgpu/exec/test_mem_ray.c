/* SPDX-License-Identifier: MIT */
/* Rays, the traversal stack, and loads straight to LDS. Words are what llvm-mc-19 gives for the
 * text beside them. What a ray meets is computed here in double precision and in other ways: boxes
 * by walking along the ray, triangles by volumes. */
#include <stdlib.h>
#include <string.h>

#include <math.h>

#include "../../suite.h"
#include "base/util.h"
#include "mem_env.h"

enum { DESC = 8, NODE_B = 64, N_NODES = 64 };
#define INVALID 0xffffffffu

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

static enum bw_mem_result run_n(const uint32_t *words, unsigned n)
{
	bool illegal;
	assert_true(bw_isa_decode(BW_ISA_GFX11, words, n, &e.inst));
	enum bw_mem_result result = env_run(&e, &illegal);
	assert_false(illegal);
	return result;
}

#define RUN(...) run_n((const uint32_t[]){__VA_ARGS__}, sizeof((uint32_t[]){__VA_ARGS__}) / 4)
#define OK(...) assert_int_equal(RUN(__VA_ARGS__), BW_MEM_OK)

static uint32_t bits(double v)
{
	float f = (float)v;
	uint32_t b;
	memcpy(&b, &f, 4);
	return b;
}

static float number(uint32_t b)
{
	float f;
	memcpy(&f, &b, 4);
	return f;
}

static void poke(uint64_t va, const void *data, size_t size_b)
{
	for (size_t i = 0; i < size_b; i++)
		*env_byte(&e, va + i, false) = ((const uint8_t *)data)[i];
}

static double random_in(double lo, double hi)
{
	return lo + (hi - lo) * (env_random(&e) % 100001) / 100000.0;
}

/* ---- rays ---- */

struct probe {
	double origin[3], dir[3], extent;
};

static uint64_t node_va(unsigned index)
{
	return ENV_VA + index * NODE_B;
}

static void descriptor(unsigned heuristic, bool sorts, bool flags, bool barycentrics)
{
	e.w.s[DESC] = (uint32_t)(ENV_VA >> 8);
	e.w.s[DESC + 1] =
		(uint32_t)(ENV_VA >> 40) | heuristic << 21 | 6u << 23 | (uint32_t)sorts << 31;
	e.w.s[DESC + 2] = N_NODES - 1;
	e.w.s[DESC + 3] = 8u << 28 | (uint32_t)flags << 23 | (uint32_t)barycentrics << 24;
}

static void set_ray(unsigned lane, uint64_t node, const struct probe *p, unsigned node_dw)
{
	unsigned r = 0;
	*env_v(&e, r++, lane) = (uint32_t)node;
	if (node_dw == 2)
		*env_v(&e, r++, lane) = (uint32_t)(node >> 32);
	*env_v(&e, r++, lane) = bits(p->extent);
	for (unsigned a = 0; a < 3; a++)
		*env_v(&e, r++, lane) = bits(p->origin[a]);
	for (unsigned a = 0; a < 3; a++)
		*env_v(&e, r++, lane) = bits(p->dir[a]);
	for (unsigned a = 0; a < 3; a++)
		*env_v(&e, r++, lane) = bits(1 / p->dir[a]);
}

static struct probe random_ray(void)
{
	struct probe p = {.extent = random_in(1, 40)};
	for (unsigned a = 0; a < 3; a++) {
		p.origin[a] = number(bits(random_in(-10, 10)));
		p.dir[a] = number(bits(random_in(0.2, 1) * (env_random(&e) & 1 ? 1 : -1)));
	}
	return p;
}

/* The part of the ray inside of a box: six planes cut it shorter, one after the other. */
static void clip(const struct probe *p, const double box[6], double *t0, double *t1)
{
	*t0 = -1e30;
	*t1 = 1e30;
	for (unsigned a = 0; a < 3; a++) {
		double x = (box[a] - p->origin[a]) / p->dir[a],
		       y = (box[3 + a] - p->origin[a]) / p->dir[a];
		*t0 = fmax(*t0, fmin(x, y));
		*t1 = fmin(*t1, fmax(x, y));
	}
}

static uint16_t half_of(double v)
{
	/* Only multiples of 1/16 up to 64: exact. */
	if (v == 0)
		return 0;
	int ex;
	double m = frexp(fabs(v), &ex);
	return (uint16_t)((v < 0 ? 0x8000 : 0) | (unsigned)(ex + 14) << 10 |
			  (unsigned)((2 * m - 1) * 1024));
}

static void put_box_node(unsigned index, bool is16, double box[4][6], const uint32_t child[4],
			 uint32_t flags)
{
	uint32_t node[32] = {0};
	memcpy(node, child, 16);
	for (unsigned c = 0; c < 4; c++) {
		uint16_t half[6];
		for (unsigned k = 0; k < 6; k++) {
			double v = random_in(-12, 12);
			v = k < 3 ? v : box[c][k - 3] + 4 + fabs(v);
			box[c][k] = is16 ? floor(v * 16) / 16 : number(bits(v));
			half[k] = half_of(box[c][k]);
			if (!is16)
				node[4 + 6 * c + k] = bits(box[c][k]);
		}
		if (is16)
			memcpy(&node[4 + 3 * c], half, sizeof(half));
	}
	node[28] = is16 ? node[28] : flags;
	poke(node_va(index), node, is16 ? 64 : 128);
}

static void boxes(void **state)
{
	const uint32_t child[4] = {0x105, 0x204, 0x300, 0x401};
	unsigned hits = 0, compared = 0;
	for (unsigned round = 0; round < 60; round++) {
		bool is16 = round & 1, sorts = round % 3 != 0;
		unsigned heuristic = round / 3 % 3;
		double box[4][6];
		struct probe ray[64];
		put_box_node(4, is16, box, child, 0);
		descriptor(heuristic, sorts, false, false);
		for (unsigned l = 0; l < e.w.lanes; l++) {
			ray[l] = random_ray();
			set_ray(l, 4 << 3 | (is16 ? 4 : 5), &ray[l], 1);
		}
		OK(0xf0648f80, 0x00021400); /* image_bvh_intersect_ray v[20:23], v[0:10], s[8:11] */
		for (unsigned l = 0; l < e.w.lanes; l++) {
			double key[4];
			uint32_t want[4];
			unsigned n = 0;
			bool clear = true;
			for (unsigned c = 0; c < 4; c++) {
				double first, last, t0, t1;
				clip(&ray[l], box[c], &first, &last);
				t0 = fmax(first, 0);
				t1 = fmin(last, ray[l].extent);
				clear &= fabs(t1 - t0) > 1e-4; /* else a rounding decides */
				double k = heuristic == 1   ? t0 - t1
					   : heuristic == 2 ? first + last
							    : t0;
				if (t0 > t1) {
					if (!sorts)
						want[n++] = INVALID;
					continue;
				}
				hits++;
				unsigned at = n++;
				for (; sorts && at && key[at - 1] > k; at--) {
					key[at] = key[at - 1];
					want[at] = want[at - 1];
				}
				clear &= !(sorts && ((at && fabs(key[at - 1] - k) < 1e-4) ||
						     (at + 1 < n && fabs(key[at + 1] - k) < 1e-4)));
				key[at] = k;
				want[at] = child[c];
			}
			while (n < 4)
				want[n++] = INVALID;
			for (unsigned c = 0; clear && c < 4; c++)
				assert_int_equal(*env_v(&e, 20 + c, l), want[c]);
			compared += clear;
		}
	}
	print_message("%u rays compared, %u boxes hit\n", compared, hits);
	assert_true(hits > 400 && compared > 800);
}

static double volume(const double a[3], const double b[3], const double c[3])
{
	return a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) +
	       a[2] * (b[0] * c[1] - b[1] * c[0]);
}

/* t, i, j of origin + t dir = v0 + i e1 + j e2, by Cramer's rule. */
static void solve(const struct probe *p, double v[3][3], double out[3])
{
	double e1[3], e2[3], minus[3], rhs[3];
	for (unsigned k = 0; k < 3; k++) {
		e1[k] = v[1][k] - v[0][k];
		e2[k] = v[2][k] - v[0][k];
		minus[k] = -p->dir[k];
		rhs[k] = p->origin[k] - v[0][k];
	}
	double det = volume(minus, e1, e2);
	out[0] = volume(rhs, e1, e2) / det;
	out[1] = volume(minus, rhs, e2) / det;
	out[2] = volume(minus, e1, rhs) / det;
}

static void triangles(void **state)
{
	static const uint8_t order[2][3] = {{0, 1, 2}, {1, 3, 2}};
	unsigned hits = 0, misses = 0;
	for (unsigned round = 0; round < 200; round++) {
		unsigned type = round & 1, turned = round / 2 % 3;
		bool barycentrics = round & 8;
		double vertex[4][3], v[3][3], weight[3];
		uint32_t node[16] = {0};
		struct probe p = random_ray();
		for (unsigned i = 0; i < 12; i++)
			node[i] = bits(vertex[i / 3][i % 3] = number(bits(random_in(-15, 15))));
		for (unsigned i = 0; i < 9; i++)
			v[i / 3][i % 3] = vertex[order[type][i / 3]][i % 3];
		/* Half of the rays go at the triangle's middle. */
		for (unsigned a = 0; a < 3 && round & 4; a++)
			p.dir[a] = number(bits((v[0][a] + v[1][a] + v[2][a]) / 3 - p.origin[a]));
		node[15] = 0xa5a50000 | ((turned + 1) % 3 | (turned + 2) % 3 << 2) << 8 * type;
		poke(node_va(7), node, sizeof(node));
		descriptor(0, true, false, barycentrics);
		set_ray(3, 7 << 3 | type, &p, 2);
		e.w.s[BW_SRC_EXEC_LO] = 8;
		e.w.s[BW_SRC_EXEC_HI] = 0;
		uint32_t kept = *env_v(&e, 20, 4);
		/* image_bvh64_intersect_ray v[20:23], v[0:11], s[8:11] */
		OK(0xf0688f80, 0x00021400);
		assert_int_equal(*env_v(&e, 20, 4), kept);
		double m[3];
		solve(&p, v, m);
		weight[0] = 1 - m[1] - m[2];
		weight[1] = m[1];
		weight[2] = m[2];
		if (fmin(fmin(weight[0], weight[1]), fmin(weight[2], m[0])) > 1e-4) {
			double denom = number(*env_v(&e, 21, 3));
			assert_true(fabs(number(*env_v(&e, 20, 3)) / denom - m[0]) <
				    1e-3 * fabs(m[0]) + 1e-4);
			if (barycentrics) {
				assert_true(fabs(number(*env_v(&e, 22, 3)) / denom -
						 weight[(turned + 1) % 3]) < 1e-3);
				assert_true(fabs(number(*env_v(&e, 23, 3)) / denom -
						 weight[(turned + 2) % 3]) < 1e-3);
			} else {
				assert_int_equal(*env_v(&e, 22, 3), node[15]);
				assert_int_equal(*env_v(&e, 23, 3), 1);
			}
			hits++;
		} else if (fmin(fmin(weight[0], weight[1]), fmin(weight[2], m[0])) < -1e-4) {
			assert_int_equal(*env_v(&e, 20, 3), 0x7f800000);
			assert_int_equal(*env_v(&e, 21, 3), bits(1));
			if (!barycentrics)
				assert_int_equal(*env_v(&e, 23, 3), 0);
			misses++;
		}
	}
	assert_true(hits > 50 && misses > 50);
}

/* Pointer flags: bit 54 and up of the node pointer, with the descriptor's leave. */
static void flags(void **state)
{
	uint32_t node[16] = {0};
	const double corner[3][3] = {{0, 0, 5}, {1, 0, 5}, {0, 1, 5}};
	struct probe p = {{0.25, 0.25, 0}, {1e-6, 1e-6, 1}, 100};
	for (unsigned i = 0; i < 9; i++)
		node[i] = bits(corner[i / 3][i % 3]);
	node[15] = 1 << 7; /* opaque */
	poke(node_va(1), node, sizeof(node));
	e.w.s[BW_SRC_EXEC_LO] = 1;
	e.w.s[BW_SRC_EXEC_HI] = 0;
	/* clang-format off */
	static const struct {
		uint64_t flags;
		bool on, hit;
	} rows[] = {
		{0, true, true},	  {1ull << 62, true, false}, {1ull << 60, true, false},
		{1ull << 61, true, true}, {1ull << 62, false, true}, {1ull << 60 | 1ull << 55, true, true},
	};
	/* clang-format on */
	for (size_t i = 0; i < BW_ARRAY_SIZE(rows); i++) {
		descriptor(0, true, rows[i].on, false);
		set_ray(0, (1 << 3) | rows[i].flags, &p, 2);
		OK(0xf0688f80, 0x00021400);
		assert_int_equal(*env_v(&e, 23, 0), rows[i].hit);
	}
	/* One of both sides is culled, and turning the triangle round changes which. */
	bool hit[4];
	for (unsigned i = 0; i < 4; i++) {
		descriptor(0, true, true, false);
		set_ray(0, (1 << 3) | 1ull << (i & 1 ? 58 : 59) | (uint64_t)(i >> 1) << 57, &p, 2);
		OK(0xf0688f80, 0x00021400);
		hit[i] = *env_v(&e, 23, 0);
	}
	assert_true(hit[0] != hit[1] && hit[2] != hit[3] && hit[0] != hit[2]);
	/* Box nodes leave out children of the kind that is skipped. */
	double box[4][6];
	const uint32_t child[4] = {1 << 3, 2 << 3, 3 << 3, 4 << 3};
	put_box_node(2, false, box, child, 0x08040201);
	uint32_t all[24];
	for (unsigned c = 0; c < 4; c++)
		for (unsigned k = 0; k < 6; k++)
			all[6 * c + k] = bits(k < 3 ? -50 : 50);
	poke(node_va(2) + 16, all, sizeof(all));
	/* opaque, non-opaque, triangles, procedural */
	static const uint32_t skipped[] = {60, 61, 62, 63};
	for (unsigned i = 0; i < 4; i++) {
		descriptor(0, false, true, false);
		set_ray(0, (2 << 3 | 5) | 1ull << skipped[i], &p, 2);
		OK(0xf0688f80, 0x00021400);
		for (unsigned c = 0; c < 4; c++)
			assert_int_equal(*env_v(&e, 20 + c, 0), c == i ? INVALID : child[c]);
	}
}

static void ray_operands(void **state)
{
	double box[4][6];
	const uint32_t child[4] = {8, 16, 24, 32};
	struct probe p = {{0, 0, 0}, {1, 0.5, 0.25}, 100};
	uint32_t want[4];
	put_box_node(4, false, box, child, 0);
	descriptor(0, true, false, false);
	e.w.s[BW_SRC_EXEC_LO] = 1;
	e.w.s[BW_SRC_EXEC_HI] = 0;
	set_ray(0, 4 << 3 | 5, &p, 1);
	OK(0xf0648f80, 0x00021400);
	for (unsigned k = 0; k < 4; k++)
		want[k] = *env_v(&e, 20 + k, 0);
	/* The same with registers in groups: image_bvh_intersect_ray v[20:23], [v0, v3, v[1:3],
	 * ... */
	uint32_t r[11];
	for (unsigned k = 0; k < 11; k++)
		r[k] = *env_v(&e, k, 0);
	*env_v(&e, 11, 0) = r[1];
	OK(0xf0648f81, 0x00021400, 0x0805020b); /* [v0, v11, v[2:4], v[5:7], v[8:10]] */
	for (unsigned k = 0; k < 4; k++)
		assert_int_equal(*env_v(&e, 20 + k, 0), want[k]);
	/* A16: direction and inverse as halves of three registers. */
	static const uint32_t both[3] = {0x3c003c00, 0x40003800, 0x44003400};
	for (unsigned k = 0; k < 3; k++)
		*env_v(&e, 5 + k, 0) = both[k];
	OK(0xf0658f80, 0x00021400); /* image_bvh_intersect_ray v[20:23], v[0:7], s[8:11] a16 */
	for (unsigned k = 0; k < 4; k++)
		assert_int_equal(*env_v(&e, 20 + k, 0), want[k]);
	/* Nodes of other kinds, and behind the end. */
	set_ray(0, 4 << 3 | 6, &p, 1);
	OK(0xf0648f80, 0x00021400);
	assert_int_equal(*env_v(&e, 21, 0), INVALID);
	set_ray(0, N_NODES << 3 | 5, &p, 1);
	OK(0xf0648f80, 0x00021400);
	assert_int_equal(*env_v(&e, 20, 0), INVALID);
	set_ray(0, 4 << 3 | 2, &p, 1);
	assert_int_equal(RUN(0xf0648f80, 0x00021400), BW_MEM_REFUSED);
	/* A node that cannot be read: nothing is written. */
	e.w.s[DESC + 2] = UINT32_MAX;
	*env_v(&e, 20, 0) = 77;
	set_ray(0, 0x40000 << 3 | 5, &p, 1);
	assert_int_equal(RUN(0xf0648f80, 0x00021400), BW_MEM_FAULT_PAGE);
	assert_int_equal(*env_v(&e, 20, 0), 77);
	e.w.s[DESC + 3] = 0;
	assert_int_equal(RUN(0xf0648f80, 0x00021400), BW_MEM_REFUSED);
}

/* ---- the stack ---- */

static uint32_t step(uint32_t last, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
	const uint32_t child[4] = {a, b, c, d};
	*env_v(&e, 1, 5) = last;
	for (unsigned k = 0; k < 4; k++)
		*env_v(&e, 8 + k, 5) = child[k];
	OK(0xdab40000, 0x05080100); /* ds_bvh_stack_rtn_b32 v5, v0, v1, v[8:11]: 8 entries */
	return *env_v(&e, 5, 5);
}

static void traversal_stack(void **state)
{
	*env_v(&e, 0, 5) = 16u << 18; /* base: dword 16 */
	e.w.s[BW_SRC_EXEC_LO] = 1u << 5;
	e.w.s[BW_SRC_EXEC_HI] = 0;
	/* the last child is returned, the others are pushed on the stack */
	assert_int_equal(step(INVALID, 30, 20, 10, 5), 5);
	assert_int_equal(*env_v(&e, 0, 5), 16u << 18 | 3);
	assert_int_equal(step(INVALID, INVALID, INVALID, INVALID, INVALID), 10);
	/* pushed, and popped at once */
	assert_int_equal(step(INVALID, INVALID, 40, INVALID, INVALID), 40);
	/* from the node visited last on, all are done */
	assert_int_equal(step(7, 50, 7, 60, 7), 50);
	assert_int_equal(*env_v(&e, 0, 5), 16u << 18 | 2);
	assert_int_equal(step(INVALID, INVALID, INVALID, INVALID, INVALID), 20);
	assert_int_equal(step(INVALID, INVALID, INVALID, INVALID, INVALID), 30);
	/* Nine entries on a stack of eight: the oldest is gone, and an entry that was taken is
	 * invalid. */
	for (uint32_t i = 0; i < 3; i++)
		step(INVALID, 100 + 3 * i, 101 + 3 * i, 102 + 3 * i, 1);
	for (uint32_t i = 8; i >= 1; i--)
		assert_int_equal(step(INVALID, INVALID, INVALID, INVALID, INVALID), 100 + i);
	assert_int_equal(step(INVALID, INVALID, INVALID, INVALID, INVALID), INVALID);
	/* Entries of 32 lanes lie side by side: 128 bytes from one to the next. */
	*env_v(&e, 0, 5) = 16u << 18;
	step(INVALID, 0x1234, 0x5678, INVALID, 9);
	uint32_t two[2];
	memcpy(&two[0], e.lds + 64, 4);
	memcpy(&two[1], e.lds + 64 + 128, 4);
	assert_int_equal(two[0], 0x1234);
	assert_int_equal(two[1], 0x5678);
	/* Outside of LDS nothing is kept. */
	*env_v(&e, 0, 5) = 0x3fffu << 18;
	step(INVALID, 1, 2, 3, 4);
	assert_int_equal(step(INVALID, INVALID, INVALID, INVALID, INVALID), 0);
}

/* ---- to LDS ---- */

static uint32_t lds(uint32_t at)
{
	uint32_t v;
	memcpy(&v, e.lds + at, 4);
	return v;
}

/* Element i of 1 or 4 bytes in memory, as random as env_scramble made it. */
static uint32_t memory(uint64_t va, unsigned size_b)
{
	uint32_t v = 0;
	for (unsigned i = 0; i < size_b; i++)
		v |= (uint32_t)*env_byte(&e, va + i, false) << 8 * i;
	return v;
}

static void loads_to_lds(void **state)
{
	uint32_t exec = 0x7fff0ff1, before[64];
	e.w.s[BW_SRC_M0] = 0xabcd0100;
	e.w.s[3] = 32;
	e.w.s[DESC] = (uint32_t)ENV_VA;
	e.w.s[DESC + 1] = (uint32_t)(ENV_VA >> 32);
	e.w.s[DESC + 2] = 4096;
	e.w.s[DESC + 3] = 3u << 28 | 22 << 12 | 07654; /* raw, 32_FLOAT */
	e.w.s[BW_SRC_EXEC_LO] = exec;
	e.w.s[BW_SRC_EXEC_HI] = 0;
	for (unsigned l = 0; l < e.w.lanes; l++) {
		*env_v(&e, 2, l) = 12 * l;
		before[l] = lds(0x110 + 4 * l);
	}
	OK(0xe0c40010, 0x03420002); /* buffer_load_lds_b32 v2, s[8:11], s3 offen offset:16 */
	for (unsigned l = 0; l < e.w.lanes; l++)
		assert_int_equal(lds(0x110 + 4 * l), l < 32 && exec >> l & 1
							     ? memory(ENV_VA + 48 + 12 * l, 4)
							     : before[l]);
	OK(0xe0b80010, 0x03420002); /* buffer_load_lds_i8 */
	for (unsigned l = 0; l < 32; l++)
		if (exec >> l & 1)
			assert_int_equal(lds(0x110 + 4 * l),
					 (uint32_t)(int8_t)memory(ENV_VA + 48 + 12 * l, 1));
	/* Beyond the records 0, beyond LDS nothing. */
	*env_v(&e, 2, 0) = 5000;
	OK(0xe0c40010, 0x03420002);
	assert_int_equal(lds(0x110), 0);
	e.w.s[BW_SRC_M0] = ENV_LDS_B - 16;
	uint32_t guard = lds(ENV_LDS_B);
	OK(0xe0c40010, 0x03420002);
	assert_int_equal(lds(ENV_LDS_B), guard);
	/* A texel, with an index. */
	e.w.s[BW_SRC_M0] = 0;
	e.w.s[DESC + 1] |= 8u << 16;
	for (unsigned l = 0; l < e.w.lanes; l++)
		*env_v(&e, 2, l) = 2 * l;
	e.w.s[DESC + 3] = 1u << 28 | 1 << 12 | 07654; /* 8_UNORM, checked by index */
	OK(0xe0c80000, 0x80820002); /* buffer_load_lds_format_x v2, s[8:11], 0 idxen */
	for (unsigned l = 0; l < 32; l++)
		if (exec >> l & 1)
			assert_true(fabsf(number(lds(4 * l)) -
					  (float)memory(ENV_VA + 16 * l, 1) / 255.0f) < 1e-6f);
}

TESTS_EACH(setup32, teardown, boxes, triangles, flags, ray_operands, traversal_stack, loads_to_lds);
TESTS_EACH(setup64, teardown, boxes, triangles, flags, ray_operands, traversal_stack, loads_to_lds);
