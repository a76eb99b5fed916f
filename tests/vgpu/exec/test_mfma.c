/* SPDX-License-Identifier: MIT */

/* Matrix instructions of gfx942: tests/golden/isa/mfma.vec, whose matrices come from a seed, and
 * whose products make-mfma-vec.py has computed with integers of any size. Here matrices go to
 * registers, and back, by AMD's layout (ISA manual of CDNA3, "Matrix arithmetic instructions"),
 * from lanes and registers to rows and columns; the executor has it the other way round. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../suite.h"
#include "harness.h"
#include "isa/op.h"
#include "isa/ops.h"
#include "vgpu/device/exec/core/exec_priv.h"

enum { LANES = 64, MAX_AB = 2048, MAX_D = 2048 };

struct type {
	const char *name;
	unsigned bits, mantissa, exponent, bias;
	bool has_infinity, is_int;
};
static const struct type types[] = {
	{"f16", 16, 10, 5, 15, true, false},	{"bf16", 16, 7, 8, 127, true, false},
	{"fp8", 8, 3, 4, 8, false, false},	{"bf8", 8, 2, 5, 16, false, false},
	{"f32", 32, 23, 8, 127, true, false},	{"xf32", 32, 23, 8, 127, true, false},
	{"f64", 64, 52, 11, 1023, true, false}, {"i8", 8, 0, 0, 0, false, true},
	{"i32", 32, 0, 0, 0, false, true},
};

/* What a name says: v_mfma_f32_32x32x4_2b_f16. */
struct shape {
	const struct type *a, *b, *c;
	unsigned m, k, blocks;
	bool sparse;
};

static const struct type *type_of(const char *name)
{
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (strcmp(types[i].name, name) == 0)
			return &types[i];
	fail_msg("type %s", name);
	return NULL;
}

static struct shape shape_of(const char *name)
{
	struct shape s = {.blocks = 1, .sparse = name[2] == 's'};
	char c[8], rest[32], a[32];
	assert_int_equal(
		sscanf(strchr(name + 2, '_'), "_%7[a-z0-9]_%ux%*ux%u_%31s", c, &s.m, &s.k, rest),
		4);
	char *types_at = rest;
	if (sscanf(rest, "%ub_", &s.blocks) == 1)
		types_at = strchr(rest, '_') + 1;
	snprintf(a, sizeof(a), "%s", types_at);
	char *second = strchr(a, '_');
	if (second)
		*second++ = '\0';
	s.a = type_of(a);
	s.b = type_of(second ? second : a);
	s.c = type_of(c);
	return s;
}

static uint64_t splitmix64(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static uint64_t element(uint64_t *state, const struct type *t, const char *kind)
{
	uint64_t r = splitmix64(state), e;
	if (t->is_int || strcmp(kind, "bits") == 0)
		return t->bits == 64 ? r : r & ((1ull << t->bits) - 1);
	if (strcmp(kind, "wide") == 0)
		e = 1 + (r >> 1) % ((1u << t->exponent) - 1 - t->has_infinity);
	else if (strcmp(kind, "tiny") == 0)
		e = (r >> 1) % 2;
	else
		e = t->bias - 3 + (r >> 1) % 7;
	if (strcmp(kind, "zeros") == 0 && (r >> 60) % 3 == 0)
		return 0;
	return (r & 1) << (t->mantissa + t->exponent) | e << t->mantissa |
	       (r >> 8 & ((1ull << t->mantissa) - 1));
}

/* The bits of consecutive registers of a lane. */
static void set_element(struct harness *h, unsigned reg, unsigned lane, unsigned index,
			unsigned bits, uint64_t value)
{
	for (unsigned done = 0; done < bits; done += 32) {
		unsigned at = index * bits + done, width = bits < 32 ? bits : 32;
		uint32_t mask = width == 32 ? UINT32_MAX : ((1u << width) - 1) << at % 32;
		uint32_t *v = &harness_v(h, reg + at / 32)[lane];
		*v = (*v & ~mask) | ((uint32_t)(value >> done) << at % 32 & mask);
	}
}

/* A, or B as its columns: n elements of each line, block after block. */
static void set_ab(struct harness *h, const struct shape *s, unsigned reg, const struct type *t,
		   unsigned n, const uint64_t *x)
{
	unsigned run = n * s->m * s->blocks / LANES;
	for (unsigned lane = 0; lane < LANES; lane++) {
		for (unsigned e = 0; e < run; e++) {
			unsigned line = lane % s->m, rest = lane / s->m;
			unsigned block = rest % s->blocks, k = rest / s->blocks * run + e;
			set_element(h, reg, lane, e, t->bits, x[(block * s->m + line) * n + k]);
		}
	}
}

/* The element of C and D that a register of a lane has. */
static unsigned d_element(const struct shape *s, unsigned index, unsigned lane)
{
	unsigned h = s->c->bits == 64 ? 1 : 4, lanes = s->m * s->m / h;
	unsigned beside = lanes < LANES ? LANES / lanes : 1, tall = LANES / beside / s->m;
	unsigned groups = s->m / (h * tall), quad = index / h, row = lane / s->m;
	unsigned i = h * (tall * (quad % groups) + row % tall) + index % h;
	unsigned block = quad / groups * beside + row / tall;
	return (block * s->m + i) * s->m + lane % s->m;
}

/* Places of the elements of a sparse A: two of four, in the set of the index register that the
 * instruction takes. */
static void set_index(struct harness *h, const struct shape *s, unsigned reg, unsigned set,
		      uint64_t *state)
{
	static const uint8_t two[6] = {0x4, 0x8, 0xc, 0x9, 0xd, 0xe}; /* bits 1:0 and 3:2 */
	unsigned n = s->k / 2, run = n * s->m / LANES;
	for (unsigned i = 0; i < s->m; i++) {
		for (unsigned pair = 0; pair < n / 2; pair++) {
			unsigned lane = i + s->m * (2 * pair / run);
			unsigned shift = set * run * 2 + 2 * pair % run * 2;
			uint32_t *v = &harness_v(h, reg)[lane];
			*v = (*v & ~(15u << shift)) | (uint32_t)two[splitmix64(state) % 6] << shift;
		}
	}
}

static uint64_t canonical(const struct type *t, uint64_t v)
{
	if (t->is_int)
		return v;
	uint64_t infinity = ((1ull << t->exponent) - 1) << t->mantissa;
	uint64_t magnitude = v & ((1ull << (t->bits - 1)) - 1);
	return magnitude > infinity ? infinity | 1ull << (t->mantissa - 1) : v;
}

static uint64_t hash(const uint64_t *d, unsigned n, unsigned n_bytes)
{
	uint64_t h = 0xcbf29ce484222325;
	for (unsigned i = 0; i < n; i++)
		for (unsigned b = 0; b < n_bytes; b++)
			h = (h ^ (uint8_t)(d[i] >> 8 * b)) * 0x100000001b3;
	return h;
}

static unsigned vgpr(unsigned code)
{
	return code >= BW_SRC_ACC0 ? code - BW_SRC_ACC0 + HARNESS_ACCUM_OFFSET
				   : code - BW_SRC_VGPR0;
}

struct row {
	char name[64], kind[8], first[160];
	uint32_t word[2];
	uint64_t seed, hash;
};

static bool parse_row(char *line, struct row *r)
{
	char *close = strrchr(line, '"');
	if (line[0] == '#' || !close)
		return false;
	assert_int_equal(sscanf(line, "%63s", r->name), 1);
	assert_int_equal(sscanf(close + 1, " %x %x : %lx %7s -> %lx %159s", &r->word[0],
				&r->word[1], &r->seed, r->kind, &r->hash, r->first),
			 6);
	return true;
}

/* Runs a row's instruction; out_d: the matrix that it leaves. */
static void multiply(struct harness *h, const struct row *r, const struct shape *s, uint64_t *out_d)
{
	static uint64_t x[MAX_AB];
	struct bw_inst inst;
	uint64_t state = r->seed;
	unsigned n_a = s->sparse ? s->k / 2 : s->k, lines = s->m * s->blocks;
	unsigned n_d = s->m * s->m * s->blocks, per_lane = n_d / LANES;
	assert_true(bw_isa_decode(BW_ISA_GFX942, r->word, 2, &inst));
	assert_string_equal(bw_isa_op_info(inst.op)->name, r->name);
	harness_reset(h);
	for (unsigned n = 0; n < HARNESS_VGPRS; n++)
		for (unsigned l = 0; l < LANES; l++)
			harness_v(h, n)[l] = 0xa5000000 | n << 8 | l;
	for (unsigned i = 0; i < lines * n_a; i++)
		x[i] = element(&state, s->a, r->kind);
	set_ab(h, s, vgpr(inst.src[0]), s->a, n_a, x);
	for (unsigned i = 0; i < lines * s->k; i++)
		x[i] = element(&state, s->b, r->kind);
	set_ab(h, s, vgpr(inst.src[1]), s->b, s->k, x);
	for (unsigned i = 0; i < n_d; i++)
		x[i] = element(&state, s->c, r->kind);
	unsigned d = inst.dst + (inst.acc ? HARNESS_ACCUM_OFFSET : 0);
	unsigned c = s->sparse ? d : vgpr(inst.src[2]);
	for (unsigned i = 0; i < n_d && (s->sparse || inst.src[2] >= BW_SRC_VGPR0); i++)
		set_element(h, c, i % LANES, i / LANES, s->c->bits,
			    x[d_element(s, i / LANES, i % LANES)]);
	if (s->sparse)
		set_index(h, s, vgpr(inst.src[2]), inst.cbsz ? 0 : inst.abid, &state);
	/* Neither EXEC nor the rounding of MODE takes part. */
	h->w->s[BW_SRC_EXEC_LO] = (uint32_t)r->seed;
	h->w->s[BW_SRC_EXEC_HI] = 0;
	h->w->mode |= r->seed & 15;
	harness_code(h, HARNESS_CODE, r->word, 2);
	bw_exec_flush_code(h->x);
	assert_int_equal(bw_exec_run(h->x, h->w, 1), BW_RUN_QUANTUM);
	for (unsigned i = 0; i < per_lane; i++) {
		for (unsigned l = 0; l < LANES; l++) {
			unsigned at = s->c->bits == 64 ? 2 * i : i;
			uint64_t v = harness_v(h, d + at)[l];
			if (s->c->bits == 64)
				v |= (uint64_t)harness_v(h, d + at + 1)[l] << 32;
			out_d[d_element(s, i, l)] = canonical(s->c, v);
		}
	}
}

static void products(void **state)
{
	static uint8_t covered[BW_OP_COUNT];
	static uint64_t d[MAX_D];
	char path[4096], line[1024];
	const char *root = getenv("BREAKWATER_SOURCE");
	unsigned n_wrong = 0, n = 0;
	snprintf(path, sizeof(path), "%s/tests/golden/isa/mfma.vec", root ? root : ".");
	FILE *f = fopen(path, "r");
	assert_non_null(f);
	struct harness *h = harness_create_gen(BW_ISA_GFX942, LANES);
	while (fgets(line, sizeof(line), f)) {
		struct row r;
		if (!parse_row(line, &r))
			continue;
		const struct shape s = shape_of(r.name);
		char first[160] = "";
		multiply(h, &r, &s, d);
		for (unsigned i = 0; i < 6; i++)
			snprintf(first + strlen(first), sizeof(first) - strlen(first), "%s%lx",
				 i ? "," : "", d[i]);
		if (hash(d, s.m * s.m * s.blocks, s.c->bits / 8) != r.hash && n_wrong++ < 20)
			print_error("%.110s\n\tD is %s, not %s\n", line, first, r.first);
		covered[bw_isa_op_by_name(r.name)] = 1;
		n++;
	}
	fclose(f);
	harness_destroy(h);
	assert_int_equal(n_wrong, 0);
	for (unsigned op = BW_OP_ILLEGAL + 1; op < BW_OP_COUNT; op++) {
		const char *name = bw_isa_op_info(op)->name;
		if (strstr(name, "mfma") && !covered[op])
			fail_msg("%s has no vector", name);
	}
	print_message("%u products\n", n);
}

TESTS(products);
