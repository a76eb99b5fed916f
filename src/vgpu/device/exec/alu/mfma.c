/* SPDX-License-Identifier: MIT */

/* Matrix products of gfx942 (sem/mfma.def). Whatever EXEC and MODE say: the whole wave takes part,
 * denormals are kept, and results are rounded to nearest even [I].
 *
 * Where elements lie: AMD's ISA manual of CDNA3, "Matrix arithmetic instructions", as one formula
 * (place_a, place_d). The arithmetic of sums of f16, bf16, xf32, fp8 and bf8 is that of
 * arXiv 2511.10909, which was measured on hardware: products are exact, those of a group are
 * aligned to the largest one and cut, see add_group. f32 and f64 are fused multiplications and
 * additions, one after the other. [I]: the payload of NaNs, and all of SMFMAC's arithmetic, which
 * is taken to be that of the same product with the zeros of A written out. */

#include <math.h>
#include <xmmintrin.h>

#include "base/util.h"
#include "vgpu/device/exec/alu/lane_math.h"
#include "vgpu/device/exec/alu/mfma.h"

#define HANDLER(name) static BW_HANDLER(h_##name)

enum element { F16, BF16, XF32, FP8, BF8, F32, F64, I8, I32 };
enum blgp { NONE, LANES, NEG };

enum {
	MAX_AB = 1024, /* elements of A in all blocks, and of B */
	MAX_CD = 32 * 32 * 2,
	NO_EXPONENT = -999, /* that of 0 */
	INDEX_BITS = 2,	    /* of an element of a sparse A: its place among four */
};

struct shape {
	uint8_t a, b, c; /* enum element */
	uint8_t m, k, blocks;
	uint8_t blgp; /* enum blgp */
	bool sparse;
};

/* ---- places ---- */

static unsigned element_bits(enum element e)
{
	static const uint8_t bits[] = {[F16] = 16, [BF16] = 16, [XF32] = 32, [FP8] = 8, [BF8] = 8,
				       [F32] = 32, [F64] = 64,	[I8] = 8,    [I32] = 32};
	return bits[e];
}

/* The place of an element: bits of consecutive registers of a lane. */
struct place {
	unsigned lane, index;
};

/* Element k of line i (a row of A, a column of B) of a block: each lane has run elements of one
 * line. */
static struct place place_a(const struct shape *s, unsigned block, unsigned i, unsigned k,
			    unsigned run)
{
	return (struct place){i + s->m * (block + s->blocks * (k / run)), k % run};
}

/* Row i, column j of C and D: groups of four rows (f64: one) lie in registers of a lane. */
static struct place place_d(const struct shape *s, unsigned block, unsigned i, unsigned j)
{
	unsigned h = s->c == F64 ? 1 : 4;
	unsigned in_block =
		s->m * s->m / h; /* lanes that a block takes of one group of registers */
	unsigned across = in_block < 64 ? 64 / in_block : 1; /* blocks beside each other */
	unsigned tall = 64 / across / s->m;
	unsigned groups = s->m / (h * tall);
	return (struct place){j + s->m * (i / h % tall + tall * (block % across)),
			      i % h + h * (i / (h * tall) + groups * (block / across))};
}

/* The lane of the registers of B from which lane l takes its own (the manual's BLGP). */
static unsigned permuted(unsigned blgp, unsigned l)
{
	switch (blgp) {
	case 1:
		return l % 32;
	case 2:
		return 32 + l % 32;
	case 3:
		return (l + 16) % 64;
	case 4:
	case 5:
	case 6:
	case 7:
		return (blgp - 4) * 16 + l % 16;
	default:
		return l;
	}
}

static uint64_t get(const struct bw_wave *w, unsigned reg, struct place p, unsigned bits)
{
	if (bits == 64) {
		const uint32_t *v = bw_wave_vgpr(w, reg + 2 * p.index);
		return bw_join32(v[w->lanes + p.lane], v[p.lane]);
	}
	unsigned at = p.index * bits;
	uint32_t v = bw_wave_vgpr(w, reg + at / 32)[p.lane] >> at % 32;
	return bits == 32 ? v : v & ((1u << bits) - 1);
}

static void put(const struct bw_wave *w, unsigned reg, struct place p, unsigned bits,
		uint64_t value)
{
	if (bits == 64) {
		uint32_t *v = bw_wave_vgpr(w, reg + 2 * p.index);
		v[p.lane] = bw_lo32(value);
		v[w->lanes + p.lane] = bw_hi32(value);
	} else {
		bw_wave_vgpr(w, reg + p.index)[p.lane] = (uint32_t)value;
	}
}

/* ---- numbers ---- */

/* sig * 2^(exponent - frac), or what has no such form. */
struct number {
	int32_t sig;
	int32_t exponent; /* NO_EXPONENT: 0 */
	double value;
	bool is_special; /* an infinity or a NaN */
};

struct float_form {
	uint8_t mantissa, exponent;
	uint8_t bias;
	bool has_infinity; /* else -0's pattern is the one NaN (fp8 and bf8 of gfx942) */
};

static const struct float_form forms[] = {
	[F16] = {10, 5, 15, true}, [BF16] = {7, 8, 127, true}, [XF32] = {10, 8, 127, true},
	[FP8] = {3, 4, 8, false},  [BF8] = {2, 5, 16, false},  [F32] = {23, 8, 127, true},
};

static struct number number_of(enum element e, uint32_t bits)
{
	const struct float_form f = forms[e];
	struct number n = {.exponent = NO_EXPONENT};
	if (e == XF32)
		bits >>= 13; /* the low bits of an f32 do not take part */
	uint32_t mantissa = bits & ((1u << f.mantissa) - 1);
	uint32_t exponent = bits >> f.mantissa & ((1u << f.exponent) - 1);
	bool negative = bits >> (f.mantissa + f.exponent) & 1;
	if (!f.has_infinity && negative && !exponent && !mantissa) {
		n.is_special = true;
		n.value = (double)NAN;
	} else if (f.has_infinity && exponent == (1u << f.exponent) - 1) {
		n.is_special = true;
		n.value = mantissa ? (double)NAN : negative ? -HUGE_VAL : HUGE_VAL;
	} else if (exponent || mantissa) {
		n.sig = (int32_t)(exponent ? mantissa | 1u << f.mantissa : mantissa);
		n.sig = negative ? -n.sig : n.sig;
		n.exponent = (exponent ? (int32_t)exponent : 1) - f.bias;
		n.value = ldexp(n.sig, n.exponent - f.mantissa);
	}
	return n;
}

/* v * 2^-n, cut towards zero, and towards minus infinity. */
static int64_t cut(int64_t v, int n)
{
	return n > 62 ? 0 : v < 0 ? -(-v >> n) : v >> n;
}

static int64_t cut_down(int64_t v, int n)
{
	return v >> (n > 63 ? 63 : n);
}

/* Also of negative values, which C does not shift. */
static int64_t scale(int64_t v, unsigned n)
{
	return (int64_t)((uint64_t)v << n);
}

enum { FRAC = 24, SUM_FRAC = 31 }; /* fractional bits of aligned products, of their sum */

/* A sum of products: sum * 2^(exponent - FRAC). */
struct sum {
	int64_t sum;
	int32_t exponent;
};

/* Every step-th of n products. frac: fractional bits of one. */
static struct sum add_products(const struct number *a, const struct number *b, unsigned n,
			       unsigned step, unsigned frac)
{
	struct sum s = {.exponent = 2 * NO_EXPONENT};
	for (unsigned i = 0; i < n; i += step)
		s.exponent = BW_MAX(s.exponent, a[i].exponent + b[i].exponent);
	for (unsigned i = 0; i < n; i += step)
		s.sum += cut(scale((int64_t)a[i].sig * b[i].sig, FRAC - frac),
			     s.exponent - (a[i].exponent + b[i].exponent));
	return s;
}

/* Infinities and NaNs, and products that an f32 cannot have: those become infinities. */
static bool add_special(const struct number *a, const struct number *b, unsigned n, float c,
			float *out)
{
	double sum = (double)c;
	bool plus = false, minus = false, special = c - c != 0;
	for (unsigned i = 0; i < n; i++) {
		double product = a[i].value * b[i].value;
		sum += product;
		special |= a[i].is_special || b[i].is_special;
		plus |= product >= 0x1p128;
		minus |= product <= -0x1p128;
	}
	if (special)
		*out = sum != sum ? NAN : (float)sum;
	else if (plus || minus)
		*out = plus && minus ? NAN : plus ? INFINITY : -INFINITY;
	return special || plus || minus;
}

/* The sum of a group's products and c, rounded to f32. frac: fractional bits of a product. */
static float add_group(const struct number *a, const struct number *b, unsigned n, float c,
		       unsigned frac, bool fp8)
{
	float result;
	if (add_special(a, b, n, c, &result))
		return result;
	struct sum s = add_products(a, b, n, fp8 ? 2 : 1, frac);
	if (fp8) { /* even and odd ones apart */
		struct sum odd = add_products(a + 1, b + 1, n - 1, 2, frac);
		int32_t max = BW_MAX(s.exponent, odd.exponent);
		s.sum = cut_down(s.sum, max - s.exponent) + cut_down(odd.sum, max - odd.exponent);
		s.exponent = max;
	}
	struct number nc = number_of(F32, f32_bits(c));
	int32_t max = BW_MAX(s.exponent, nc.exponent);
	int64_t sum = cut_down(scale(s.sum, SUM_FRAC - FRAC), max - s.exponent);
	int64_t addend = cut_down(scale(nc.sig, FRAC - 23), max - nc.exponent);
	if (!fp8 || nc.exponent >= max - 25)
		sum += scale(addend, SUM_FRAC - FRAC);
	return sum ? (float)ldexp((double)sum, max - SUM_FRAC) : 0.0f;
}

/* ---- products ---- */

/* A and B as lines of k elements, block after block. */
struct operands {
	union {
		struct number f[2][MAX_AB];
		uint64_t bits[2][MAX_AB];
	};
};

static unsigned group_of(const struct shape *s)
{
	return s->a == XF32 ? 4 : s->a == FP8 || s->a == BF8 ? 16 : BW_MIN(8u, s->k);
}

static uint64_t dot(const struct shape *s, const struct operands *o, unsigned a, unsigned b,
		    uint64_t c)
{
	unsigned n = s->k;
	if (s->c == I32) {
		uint32_t sum = (uint32_t)c;
		for (unsigned k = 0; k < n; k++)
			sum += (uint32_t)((int8_t)o->bits[0][a + k] * (int8_t)o->bits[1][b + k]);
		return sum;
	}
	if (s->c == F64) {
		double sum = bits_f64(c);
		for (unsigned k = 0; k < n; k++)
			sum = FMA64(bits_f64(o->bits[0][a + k]), bits_f64(o->bits[1][b + k]), sum);
		return f64_bits(sum);
	}
	float sum = bits_f32((uint32_t)c);
	if (s->a == F32) {
		for (unsigned k = 0; k < n; k++)
			sum = FMA32(bits_f32((uint32_t)o->bits[0][a + k]),
				    bits_f32((uint32_t)o->bits[1][b + k]), sum);
		return f32_bits(sum);
	}
	unsigned group = group_of(s);
	unsigned frac = (unsigned)forms[s->a].mantissa + forms[s->b].mantissa;
	for (unsigned k = 0; k < n; k += group)
		sum = add_group(&o->f[0][a + k], &o->f[1][b + k], BW_MIN(group, n - k), sum, frac,
				s->a == FP8 || s->a == BF8);
	return f32_bits(sum);
}

/* Elements of A in a lane that belong to one line, and of B. */
static unsigned run_a(const struct shape *s)
{
	return (s->sparse ? s->k / 2u : s->k) / (64u / (s->m * s->blocks));
}

static unsigned run_b(const struct shape *s)
{
	return s->k / (64u / (s->m * s->blocks));
}

static bool is_raw(const struct shape *s)
{
	return s->a == F32 || s->a == F64 || s->a == I8;
}

static void store(struct operands *o, const struct shape *s, unsigned which, unsigned at,
		  uint64_t bits)
{
	if (is_raw(s))
		o->bits[which][at] = bits;
	else
		o->f[which][at] = number_of(which ? s->b : s->a, (uint32_t)bits);
}

/* The block of A that a block multiplies: CBSZ makes groups of blocks, and ABID chooses one of a
 * group for all of it. */
static unsigned block_of_a(const struct bw_inst *inst, const struct shape *s, unsigned block)
{
	unsigned mask = s->blgp == LANES ? ((1u << inst->cbsz) - 1) & (s->blocks - 1u) : 0;
	return (block & ~mask) | (inst->abid & mask);
}

static void read_a(const struct bw_wave *w, const struct bw_inst *inst, const struct shape *s,
		   unsigned reg, struct operands *o)
{
	unsigned n = s->sparse ? s->k / 2 : s->k, bits = element_bits(s->a), run = run_a(s);
	for (unsigned block = 0; block < s->blocks; block++) {
		unsigned from = block_of_a(inst, s, block);
		for (unsigned i = 0; i < s->m; i++) {
			for (unsigned k = 0; k < n; k++) {
				uint64_t v = get(w, reg, place_a(s, from, i, k, run), bits);
				if (s->blgp == NEG && inst->blgp & 1)
					v ^= 1ull << 63;
				store(o, s, 0, (block * s->m + i) * n + k, v);
			}
		}
	}
}

static void read_b(const struct bw_wave *w, const struct bw_inst *inst, const struct shape *s,
		   unsigned reg, struct operands *o)
{
	unsigned bits = element_bits(s->b), run = run_b(s);
	for (unsigned block = 0; block < s->blocks; block++) {
		for (unsigned j = 0; j < s->m; j++) {
			for (unsigned k = 0; k < s->k; k++) {
				struct place p = place_a(s, block, j, k, run);
				if (s->blgp == LANES)
					p.lane = permuted(inst->blgp, p.lane);
				uint64_t v = get(w, reg, p, bits);
				if (s->blgp == NEG && inst->blgp & 2)
					v ^= 1ull << 63;
				store(o, s, 1, (block * s->m + j) * s->k + k, v);
			}
		}
	}
}

/* Row i of a sparse A, written out, and the elements of column j of B that meet one of it: others
 * do not take part, whatever they are. place: for each element of the row the k that it has. */
static uint64_t sparse_dot(const struct shape *s, const struct operands *o, unsigned i, unsigned j,
			   const uint8_t *place, uint64_t c)
{
	static const struct number zero = {.exponent = NO_EXPONENT};
	struct operands line;
	for (unsigned k = 0; k < s->k; k++) {
		if (is_raw(s))
			line.bits[0][k] = line.bits[1][k] = 0;
		else
			line.f[0][k] = line.f[1][k] = zero;
	}
	for (unsigned e = 0; e < s->k / 2u; e++) {
		unsigned k = place[e], a = i * s->k / 2 + e, b = j * s->k + k;
		if (is_raw(s)) {
			line.bits[0][k] = o->bits[0][a];
			line.bits[1][k] = o->bits[1][b];
		} else {
			line.f[0][k] = o->f[0][a];
			line.f[1][k] = o->f[1][b];
		}
	}
	return dot(s, &line, 0, 0, c);
}

/* The places of row i's elements. The index register has sets of as many bits as a lane's elements
 * need; ABID chooses one of them if CBSZ is 0, else it is the first [I]. */
static void read_index(const struct bw_wave *w, const struct bw_inst *inst, const struct shape *s,
		       unsigned reg, unsigned i, uint8_t *place)
{
	unsigned run = run_a(s), sets = 32 / (INDEX_BITS * run);
	unsigned set = inst->cbsz ? 0 : inst->abid % sets;
	for (unsigned e = 0; e < s->k / 2u; e++) {
		struct place p = place_a(s, 0, i, e, run);
		uint32_t v = bw_wave_vgpr(w, reg)[p.lane] >> INDEX_BITS * (set * run + p.index);
		place[e] = (uint8_t)(e / 2 * 4 + (v & 3));
	}
}

static uint64_t inline_c(const struct bw_wave *w, const struct bw_inst *inst, const struct shape *s)
{
	uint32_t v = bw_scalar_read32(w, inst, inst->src[2]);
	if (s->c != F64)
		return v;
	/* The inline floats of f64 have exact f32 counterparts but for the last one. */
	return inst->src[2] == BW_SRC_INV_2PI ? 0x3fc45f306dc9c882
	       : inst->src[2] >= BW_SRC_HALF  ? f64_bits((double)bits_f32(v))
					      : (uint64_t)(int64_t)(int32_t)v;
}

struct registers {
	unsigned a, b, c, n_a, n_b, n_d;
	bool has_c; /* else a constant */
};

static struct registers registers_of(const struct bw_inst *inst, const struct shape *s)
{
	return (struct registers){
		.a = inst->src[0] - BW_SRC_VGPR0,
		.b = inst->src[1] - BW_SRC_VGPR0,
		.c = s->sparse ? inst->dst : (unsigned)inst->src[2] - BW_SRC_VGPR0,
		.n_a = (run_a(s) * element_bits(s->a) + 31) / 32,
		.n_b = (run_b(s) * element_bits(s->b) + 31) / 32,
		.n_d = s->m * s->m * s->blocks * element_bits(s->c) / 32 / 64,
		.has_c = s->sparse || inst->src[2] >= BW_SRC_VGPR0,
	};
}

static void multiply(const struct bw_rec *rec, struct bw_wave *w, struct bw_exec *x,
		     const struct shape *s)
{
	const struct bw_inst *inst = rec->inst;
	const struct registers r = registers_of(inst, s);
	unsigned n_vgprs = x->code.page->ctx.n_vgprs, bits = element_bits(s->c);
	uint64_t d[MAX_CD], c = 0;
	struct operands o;
	uint8_t place[32] = {0};
	/* [I] Without one of its registers the instruction does nothing. */
	if (r.a + r.n_a > n_vgprs || r.b + r.n_b > n_vgprs || inst->dst + r.n_d > n_vgprs ||
	    (r.has_c && r.c + r.n_d > n_vgprs) ||
	    (s->sparse && inst->src[2] >= BW_SRC_VGPR0 + n_vgprs))
		return;
	uint32_t saved = _mm_getcsr();
	_mm_setcsr(0x1f80);
	read_a(w, inst, s, r.a, &o);
	read_b(w, inst, s, r.b, &o);
	if (!r.has_c)
		c = inline_c(w, inst, s);
	for (unsigned line = 0; line < (unsigned)s->blocks * s->m; line++) {
		unsigned block = line / s->m, i = line % s->m;
		if (s->sparse)
			read_index(w, inst, s, inst->src[2] - BW_SRC_VGPR0, i, place);
		for (unsigned j = 0; j < s->m; j++) {
			if (r.has_c)
				c = get(w, r.c, place_d(s, block, i, j), bits);
			uint64_t sign = s->blgp == NEG && inst->blgp & 4 ? 1ull << 63 : 0;
			d[line * s->m + j] = s->sparse ? sparse_dot(s, &o, i, j, place, c)
						       : dot(s, &o, line * s->k,
							     (block * s->m + j) * s->k, c ^ sign);
		}
	}
	for (unsigned line = 0; line < (unsigned)s->blocks * s->m; line++)
		for (unsigned j = 0; j < s->m; j++)
			put(w, inst->dst, place_d(s, line / s->m, line % s->m, j), bits,
			    d[line * s->m + j]);
	_mm_setcsr(saved);
}

#define ROW(name, ...)                                                                             \
	HANDLER(name)                                                                              \
	{                                                                                          \
		static const struct shape s = {__VA_ARGS__};                                       \
		multiply(rec, w, x, &s);                                                           \
		BW_NEXT(BW_FOLLOWING(rec));                                                        \
	}
#define MFMA(name, a, b, c, m, k, blocks, blgp) ROW(name, a, b, c, m, k, blocks, blgp, false)
#define SMFMAC(name, a, b, c, m, k) ROW(name, a, b, c, m, k, 1, NONE, true)
#include "vgpu/device/exec/sem/mfma.def"
#undef MFMA
#undef SMFMAC

#define MFMA(n, ...) {.name = #n, .fn = h_##n, .form = BW_WAVE_VECTOR},
#define SMFMAC MFMA
const struct bw_wave_row bw_mfma_rows[] = {
#include "vgpu/device/exec/sem/mfma.def"
};
const size_t bw_n_mfma_rows = BW_ARRAY_SIZE(bw_mfma_rows);
