/* SPDX-License-Identifier: MIT */

/* Integer float arithmetic and the f16/bf16 helpers of the rows, against the host: its SSE unit in
 * all modes for f32 and f64 (results and exception flags), _Float16, and long double where that is
 * exact. */

#include <fenv.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <xmmintrin.h>

#include "../../suite.h"
#include "base/util.h"
#include "vgpu/device/exec/alu/fmath.h"
#include "vgpu/device/exec/alu/lane_math.h"

enum { N_RANDOM = 200000, N_CROSS = 60 };

static uint64_t state = 0x5eed0f0a;

static uint64_t rnd(void)
{
	uint64_t z = state += 0x9e3779b97f4a7c15;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

/* Values near every edge, and of all sizes. */
static uint64_t any(unsigned bits, unsigned frac)
{
	uint64_t inf = ((1ull << (bits - 1 - frac)) - 1) << frac,
		 one = inf >> 1 & ~((1ull << frac) - 1);
	uint64_t sign = (rnd() & 1) << (bits - 1), r = rnd();
	uint64_t mask = bits == 64 ? ~0ull : (1ull << bits) - 1;
	switch (rnd() % 12) {
	case 0:
		return sign;
	case 1:
		return sign | (1 + r % 3);
	case 2:
		return sign | ((1ull << frac) - 1 + r % 3);
	case 3:
		return sign | (inf - 2 + r % 5);
	case 4:
		return sign | (inf | 1ull << (frac - 1)) | r % 3;
	case 5:
		return sign | (one - 1 + r % 3);
	case 6:
		return sign | (r & ((1ull << frac) - 1));
	case 7:
		return sign | (one + ((r >> 60) << frac)) | 1ull << (r & 7);
	case 8:
		return (sign | (one + (r & ((4ull << frac) - 1)))) & mask;
	default:
		return r & mask;
	}
}

/* ---- f32 and f64 against SSE ---- */

static const uint32_t host_round[] = {0, 2, 1, 3};

static uint32_t mxcsr_of(const struct bw_fmath *m)
{
	return 0x1f80 | host_round[m->round] << 13 | (m->flush_out ? 1u << 15 : 0) |
	       (m->flush_in ? 1u << 6 : 0);
}

/* MXCSR: invalid, denormal, divide by zero, overflow, underflow, precision: EXCP's order. */
static uint32_t host_flags(void)
{
	return _mm_getcsr() & 0x3f;
}

enum op { ADD, MUL, DIV, SQRT, FMA, CVT, N_OPS };

static uint64_t host32(enum op op, uint64_t a, uint64_t b, uint64_t c)
{
	volatile float x = bits_f32((uint32_t)a), y = bits_f32((uint32_t)b),
		       z = bits_f32((uint32_t)c), r = 0;
	volatile double d;
	switch (op) {
	case ADD:
		r = x + y;
		break;
	case MUL:
		r = x * y;
		break;
	case DIV:
		r = x / y;
		break;
	case SQRT:
		r = sqrtf(x);
		break;
	case FMA:
		r = fmaf(x, y, z);
		break;
	case CVT:
		d = x;
		return f64_bits(d);
	case N_OPS:
		break;
	}
	return f32_bits(r);
}

static uint64_t host64(enum op op, uint64_t a, uint64_t b, uint64_t c)
{
	volatile double x = bits_f64(a), y = bits_f64(b), z = bits_f64(c), r = 0;
	volatile float f;
	switch (op) {
	case ADD:
		r = x + y;
		break;
	case MUL:
		r = x * y;
		break;
	case DIV:
		r = x / y;
		break;
	case SQRT:
		r = sqrt(x);
		break;
	case FMA:
		r = fma(x, y, z);
		break;
	case CVT:
		f = (float)x;
		return f32_bits(f);
	case N_OPS:
		break;
	}
	return f64_bits(r);
}

static uint64_t soft(enum bw_fkind k, enum op op, uint64_t a, uint64_t b, uint64_t c,
		     const struct bw_fmath *m, uint32_t *flags)
{
	switch (op) {
	case ADD:
		return bw_fmath_add(k, a, b, m, flags);
	case MUL:
		return bw_fmath_mul(k, a, b, m, flags);
	case DIV:
		return bw_fmath_div(k, a, b, m, flags);
	case SQRT:
		return bw_fmath_sqrt(k, a, m, flags);
	case FMA:
		return bw_fmath_fma(k, (const uint64_t[]){a, b, c}, 0, m, flags);
	case CVT:
		return bw_fmath_cvt(k, k == BW_FKIND_F32 ? BW_FKIND_F64 : BW_FKIND_F32, a, m,
				    flags);
	case N_OPS:
		break;
	}
	return 0;
}

static void compare_with_sse(enum bw_fkind k, bool has_fma)
{
	bool wide = k == BW_FKIND_F64;
	unsigned bits = wide ? 64 : 32, frac = wide ? 52 : 23;
	for (unsigned i = 0; i < N_RANDOM; i++) {
		enum op op = rnd() % N_OPS;
		uint64_t a = any(bits, frac), b = any(bits, frac), c = any(bits, frac);
		struct bw_fmath m = {
			.round = rnd() & 3, .flush_in = rnd() & 1, .flush_out = rnd() & 1};
		if (op == FMA && !has_fma)
			continue;
		if (op == FMA && rnd() % 4 == 0) { /* much cancels */
			uint32_t f = 0;
			c = bw_fmath_mul(k, a, b, &m, &f) ^ 1ull << (bits - 1);
		}
		uint32_t saved = _mm_getcsr(), flags = 0;
		_mm_setcsr(mxcsr_of(&m));
		uint64_t want = wide ? host64(op, a, b, c) : host32(op, a, b, c);
		uint32_t want_flags = host_flags();
		_mm_setcsr(saved);
		uint64_t got = soft(k, op, a, b, c, &m, &flags);
		enum bw_fkind out = op == CVT ? (wide ? BW_FKIND_F32 : BW_FKIND_F64) : k;
		bool nan = bw_fmath_is_nan(out, want);
		/* SSE does not report denormal operands beside a NaN. */
		uint32_t care =
			nan || (want_flags & BW_FEXCP_DIV0) ? ~(uint32_t)BW_FEXCP_DENORMAL : ~0u;
		if ((nan ? !bw_fmath_is_nan(out, got) : got != want) ||
		    ((flags ^ want_flags) & care))
			fail_msg(
				"kind %d op %d round %d flush %d%d: %llx %llx %llx: %llx flags %x, host %llx %x",
				k, op, m.round, m.flush_in, m.flush_out, (unsigned long long)a,
				(unsigned long long)b, (unsigned long long)c,
				(unsigned long long)got, flags, (unsigned long long)want,
				want_flags);
	}
}

static void f32_as_the_host(void **s)
{
	compare_with_sse(BW_FKIND_F32, __builtin_cpu_supports("fma"));
}

static void f64_as_the_host(void **s)
{
	compare_with_sse(BW_FKIND_F64, __builtin_cpu_supports("fma"));
}

/* ---- f16 against exact values ---- */

/* Rounds an exact long double to a grid by searching it: nothing but comparisons. */
struct grid {
	enum bw_fkind kind;
	uint16_t inf;
	long double value[0x8000]; /* of each magnitude */
};

static struct grid f16_grid = {.kind = BW_FKIND_F16, .inf = 0x7c00};
static struct grid bf16_grid = {.kind = BW_FKIND_BF16, .inf = 0x7f80};

static void fill(struct grid *g, unsigned frac, int emin)
{
	for (unsigned i = 0; i <= g->inf; i++) {
		unsigned e = i >> frac, f = i & ((1u << frac) - 1);
		g->value[i] =
			e ? ldexpl((long double)(f | 1u << frac), (int)e - 1 + emin - (int)frac)
			  : ldexpl((long double)f, emin - (int)frac);
	}
}

static uint16_t to_grid(const struct grid *g, long double v, const struct bw_fmath *m,
			uint32_t *out_flags)
{
	uint16_t sign = signbit(v) ? 0x8000 : 0;
	long double a = fabsl(v);
	uint16_t lo = 0, hi = g->inf;
	*out_flags = 0;
	if (isnan(v))
		return 0x7fff;
	if (isinf(v))
		return sign | g->inf;
	/* The largest magnitude not above a; value[inf] continues the grid. */
	while (hi - lo > 1) {
		uint16_t mid = (uint16_t)((lo + hi) / 2);
		if (g->value[mid] <= a)
			lo = mid;
		else
			hi = mid;
	}
	if (a >= g->value[g->inf])
		lo = g->inf - 1;
	uint16_t r = lo;
	if (a != g->value[lo]) {
		long double tie = (g->value[lo] + g->value[lo + 1]) / 2;
		bool up = m->round == BW_ROUND_NEAREST
				  ? a > tie || (a == tie && (lo & 1))
				  : (m->round == BW_ROUND_UP && !sign) ||
					    (m->round == BW_ROUND_DOWN && sign);
		*out_flags |= BW_FEXCP_INEXACT;
		r = (uint16_t)(lo + up);
		if (r == g->inf || a >= g->value[g->inf])
			*out_flags |= BW_FEXCP_OVERFLOW;
		if (r == g->inf && m->saturate)
			r--;
	}
	/* Tiny: rounds below the first normal number with a finer grid, too. */
	uint16_t normal = g->kind == BW_FKIND_F16 ? 0x400 : 0x80;
	long double first = g->value[normal], step = g->value[1] / 2, last = first - step;
	bool tiny = a != 0 && a < first;
	if (tiny && a > last)
		tiny = m->round == BW_ROUND_NEAREST ? a < first - step / 2
						    : !((m->round == BW_ROUND_UP && !sign) ||
							(m->round == BW_ROUND_DOWN && sign));
	if (tiny && (m->flush_out || *out_flags))
		*out_flags |= BW_FEXCP_UNDERFLOW;
	if (tiny && m->flush_out) {
		*out_flags |= BW_FEXCP_INEXACT;
		r = 0;
	}
	return sign | r;
}

static long double from_grid(const struct grid *g, uint16_t h, bool flush)
{
	unsigned mag = h & 0x7fff;
	long double v = mag > g->inf	? (long double)NAN
			: mag == g->inf ? (long double)INFINITY
					: g->value[mag];
	if (flush && mag < (g->kind == BW_FKIND_F16 ? 0x400u : 0x80u))
		v = 0;
	return h & 0x8000 ? -v : v;
}

static bool same16(const struct grid *g, uint16_t got, uint16_t want)
{
	return (want & 0x7fff) > g->inf ? (got & 0x7fff) > g->inf : got == want;
}

static struct bw_fmode mode_of(const struct bw_fmath *m)
{
	struct bw_fmode f = {.round16 = m->round,
			     .flush_in16 = m->flush_in,
			     .flush_out16 = m->flush_out,
			     .fp16_ovfl = m->saturate,
			     .ieee = true,
			     .dx10_clamp = true};
	return f;
}

static struct bw_fmath some_mode(unsigned i)
{
	return (struct bw_fmath){.round = i & 3,
				 .flush_in = i >> 2 & 1,
				 .flush_out = i >> 3 & 1,
				 .saturate = i >> 4 & 1};
}

/* What rows compute in f32 needs the host in the mode that map.c sets; the compiler is not to move
 * it. */
enum row_op { ROW_ADD, ROW_MUL, ROW_FMA };

static __attribute__((noinline)) uint16_t f16_row(enum row_op op, uint16_t a, uint16_t b,
						  uint16_t c, const struct bw_fmode *FM)
{
	const struct bw_fmath host = {.round = (enum bw_round)FM->round16};
	uint32_t saved = _mm_getcsr();
	volatile float x = HS(a), y = HS(b), z = HS(c), r;
	_mm_setcsr(mxcsr_of(&host));
	if (op == ROW_ADD)
		r = x + y;
	else if (op == ROW_MUL)
		r = x * y;
	else
		r = f16_fma_odd(x, y, z, FM);
	_mm_setcsr(saved);
	return F16_OF_F32(r);
}

#define CHECK16(g, got, want, ...)                                                                 \
	do {                                                                                       \
		if (!same16(g, got, want))                                                         \
			fail_msg(__VA_ARGS__);                                                     \
	} while (0)

/* Every f16, every mode: widening, narrowing, ldexp, frexp, and what the rows compute through
 * double. */
static void f16_one_operand(void **s)
{
	for (unsigned i = 0; i < 32; i++) {
		const struct bw_fmath m = some_mode(i);
		const struct bw_fmode mode = mode_of(&m), *FM = &mode;
		for (unsigned h = 0; h < 0x10000; h++) {
			long double v = from_grid(&f16_grid, (uint16_t)h, m.flush_in);
			uint32_t flags, got_flags = 0;
			assert_true(isnan(v) ? isnan(HF(h))
					     : (long double)HF(h) == v &&
						       !signbit(HF(h)) == !signbit(v));
			uint16_t sq = v < 0 ? 0x7fff : to_grid(&f16_grid, sqrtl(v), &m, &flags);
			CHECK16(&f16_grid, F16_OF(__builtin_sqrt(HF(h))), sq, "sqrt %x in mode %u",
				h, i);
			uint16_t soft_sq = (uint16_t)bw_fmath_sqrt(BW_FKIND_F16, h, &m, &got_flags);
			CHECK16(&f16_grid, soft_sq, sq, "soft sqrt %x in mode %u", h, i);
			if (v > 0 && isfinite(v))
				assert_int_equal(got_flags & ~(uint32_t)BW_FEXCP_DENORMAL, flags);
			uint16_t rcp = to_grid(&f16_grid, 1.0L / v, &m, &flags);
			CHECK16(&f16_grid, F16_OF(1.0 / HF(h)), rcp, "rcp %x in mode %u", h, i);
			uint16_t soft_rcp =
				(uint16_t)bw_fmath_div(BW_FKIND_F16, 0x3c00, h, &m, &got_flags);
			CHECK16(&f16_grid, soft_rcp, rcp, "soft rcp %x in mode %u", h, i);
			int e = (int)(rnd() % 80) - 40;
			uint16_t scaled = to_grid(&f16_grid, ldexpl(v, e), &m, &flags);
			got_flags = 0;
			CHECK16(&f16_grid,
				(uint16_t)bw_fmath_ldexp(BW_FKIND_F16, h, e, &m, &got_flags),
				scaled, "ldexp %x by %d in mode %u", h, e, i);
			if (isfinite(v))
				assert_int_equal(got_flags & ~(uint32_t)BW_FEXCP_DENORMAL, flags);
			CHECK16(&f16_grid, F16_OF(HF(h) * pow2_f64(e)), scaled,
				"ldexp %x by %d in mode %u", h, e, i);
			if (isfinite(v) && v != 0) {
				int want_e;
				long double want_m = frexpl(v, &want_e);
				assert_int_equal(frexp_exp16((uint16_t)h, m.flush_in), want_e);
				assert_true(from_grid(&f16_grid,
						      frexp_mant16((uint16_t)h, m.flush_in),
						      false) == want_m);
			} else {
				assert_int_equal(frexp_exp16((uint16_t)h, m.flush_in), 0);
			}
		}
	}
}

static void f16_two_operands(void **s)
{
	for (unsigned i = 0; i < 2000000; i++) {
		const struct bw_fmath m = some_mode((unsigned)rnd());
		const struct bw_fmode mode = mode_of(&m), *FM = &mode;
		uint16_t a = (uint16_t)any(16, 10), b = (uint16_t)any(16, 10);
		long double x = from_grid(&f16_grid, a, m.flush_in),
			    y = from_grid(&f16_grid, b, m.flush_in);
		uint32_t flags, got = 0;
		long double exact = x + y;
		if (exact == 0 && x != 0) /* the host's long double rounds to nearest */
			exact = m.round == BW_ROUND_DOWN ? -0.0L : 0.0L;
		else if (exact == 0 && signbit(x) != signbit(y))
			exact = m.round == BW_ROUND_DOWN ? -0.0L : 0.0L;
		uint16_t sum = to_grid(&f16_grid, exact, &m, &flags);
		uint16_t soft_sum = (uint16_t)bw_fmath_add(BW_FKIND_F16, a, b, &m, &got);
		CHECK16(&f16_grid, soft_sum, sum, "%x + %x: %x, not %x", a, b, soft_sum, sum);
		if (isfinite(x) && isfinite(y))
			assert_int_equal(got & ~(uint32_t)BW_FEXCP_DENORMAL, flags);
		CHECK16(&f16_grid, f16_row(ROW_ADD, a, b, 0, FM), sum, "row %x + %x", a, b);
		uint16_t product = to_grid(&f16_grid, x * y, &m, &flags);
		got = 0;
		CHECK16(&f16_grid, (uint16_t)bw_fmath_mul(BW_FKIND_F16, a, b, &m, &got), product,
			"%x * %x", a, b);
		if (isfinite(x) && isfinite(y))
			assert_int_equal(got & ~(uint32_t)BW_FEXCP_DENORMAL, flags);
		CHECK16(&f16_grid, f16_row(ROW_MUL, a, b, 0, FM), product, "row %x * %x", a, b);
		uint16_t q = (uint16_t)bw_fmath_div(BW_FKIND_F16, a, b, &m, &got);
		CHECK16(&f16_grid, q, to_grid(&f16_grid, x / y, &m, &flags), "%x / %x", a, b);
	}
}

/* The row's half_fma against integers, for f16 and bf16; and integers against __float128-free exact
 * sums where a long double holds them. */
static void half_fma_is_fused(void **s)
{
	for (unsigned i = 0; i < 3000000; i++) {
		const struct bw_fmath m = some_mode((unsigned)rnd() & 15);
		const struct bw_fmode mode = mode_of(&m), *FM = &mode;
		uint16_t a = (uint16_t)any(16, 10), b = (uint16_t)any(16, 10),
			 c = (uint16_t)any(16, 10);
		uint32_t flags = 0;
		uint64_t f16[] = {a, b, c};
		uint16_t want = (uint16_t)bw_fmath_fma(BW_FKIND_F16, f16, 0, &m, &flags);
		CHECK16(&f16_grid, f16_row(ROW_FMA, a, b, c, FM), want, "row fma %x %x %x mode %u",
			a, b, c, m.round);
		if (want & 0x7fff)
			CHECK16(&f16_grid, F16_OF(half_fma(HF(a), HF(b), HF(c))), want,
				"fma %x %x %x mode %u%u%u", a, b, c, m.round, m.flush_in,
				m.flush_out);
		a = (uint16_t)any(16, 7), b = (uint16_t)any(16, 7), c = (uint16_t)any(16, 7);
		uint64_t bf16[] = {a, b, c};
		want = (uint16_t)bw_fmath_fma(BW_FKIND_BF16, bf16, 0, &m, &flags);
		double x = (double)bf16_to_f32(flush_bf16(a, m.flush_in)),
		       y = (double)bf16_to_f32(flush_bf16(b, m.flush_in));
		double z = (double)bf16_to_f32(flush_bf16(c, m.flush_in));
		if (want & 0x7fff)
			CHECK16(&bf16_grid, f64_to_bf16(half_fma(x, y, z), FM), want,
				"bf16 fma %x %x %x", a, b, c);
	}
}

/* Any double to 16 bits. */
static void narrowing(void **s)
{
	for (unsigned i = 0; i < 2000000; i++) {
		const struct bw_fmath m = some_mode((unsigned)rnd());
		const struct bw_fmode mode = mode_of(&m);
		uint32_t flags, got = 0;
		uint64_t d = any(64, 52);
		if (rnd() & 1)
			d = (d & 0x800fffffffffffffull) | (1023 - 30 + rnd() % 50) << 52;
		if (rnd() & 1)
			d &= ~0ull << (36 + rnd() % 12); /* ties */
		uint16_t want = to_grid(&f16_grid, (long double)bits_f64(d), &m, &flags);
		CHECK16(&f16_grid, f64_to_f16(bits_f64(d), m.round, &mode), want, "%llx",
			(unsigned long long)d);
		float f = (float)bits_f64(d);
		want = to_grid(&f16_grid, (long double)f, &m, &flags);
		CHECK16(&f16_grid, f32_to_f16(f, m.round, &mode), want, "%a", (double)f);
		want = to_grid(&f16_grid, (long double)bits_f64(d), &m, &flags);
		const struct bw_fmath keep_in = {
			.round = m.round, .flush_out = m.flush_out, .saturate = m.saturate};
		CHECK16(&f16_grid,
			(uint16_t)bw_fmath_cvt(BW_FKIND_F64, BW_FKIND_F16, d, &keep_in, &got), want,
			"soft %llx", (unsigned long long)d);
		const struct bw_fmath plain = {.round = m.round, .flush_out = m.flush_out};
		want = to_grid(&bf16_grid, (long double)bits_f64(d), &plain, &flags);
		CHECK16(&bf16_grid, f64_to_bf16(bits_f64(d), &mode), want, "bf16 %llx",
			(unsigned long long)d);
		CHECK16(&bf16_grid,
			(uint16_t)bw_fmath_cvt(BW_FKIND_F64, BW_FKIND_BF16, d, &plain, &got), want,
			"soft bf16");
	}
}

/* Scaled before it is rounded: a quotient that becomes denormal. */
static void scaled_fma(void **s)
{
	for (unsigned i = 0; i < N_RANDOM; i++) {
		const struct bw_fmath m = {.round = rnd() & 3};
		uint32_t flags = 0;
		/* a * b + c exact in a long double's 64 bits. */
		double a = (double)(int32_t)rnd(), b = (double)(int32_t)(rnd() >> 34),
		       c = (double)(int32_t)rnd();
		int scale = -1070 - (int)(rnd() % 60);
		long double exact = ldexpl((long double)a * (long double)b + (long double)c, scale);
		if (exact == 0)
			continue;
		uint64_t abc[] = {f64_bits(a), f64_bits(b), f64_bits(c)};
		uint64_t got = bw_fmath_fma(BW_FKIND_F64, abc, scale, &m, &flags);
		uint32_t saved = _mm_getcsr();
		fesetround((const int[]){FE_TONEAREST, FE_UPWARD, FE_DOWNWARD,
					 FE_TOWARDZERO}[m.round]);
		volatile double want = (double)exact; /* fld, fstp: one rounding */
		fesetround(FE_TONEAREST);
		_mm_setcsr(saved);
		assert_int_equal(got, f64_bits(want));
	}
}

static void minmax_and_median(void **s)
{
	for (unsigned i = 0; i < 500000; i++) {
		struct bw_fmode mode = {.ieee = rnd() & 1, .flush_in16 = rnd() & 1};
		uint16_t v[3] = {(uint16_t)any(16, 10), (uint16_t)any(16, 10),
				 (uint16_t)any(16, 10)};
		long double x = from_grid(&f16_grid, v[0], mode.flush_in16),
			    y = from_grid(&f16_grid, v[1], mode.flush_in16);
		uint16_t lo = minmax16(v[0], v[1], 0, &mode), hi = minmax16(v[0], v[1], 1, &mode);
		bool snan0 = bw_fmath_is_snan(BW_FKIND_F16, v[0]),
		     snan1 = bw_fmath_is_snan(BW_FKIND_F16, v[1]);
		if (mode.ieee && (snan0 || snan1)) {
			assert_int_equal(lo, (snan0 ? v[0] : v[1]) | 0x200);
			assert_int_equal(hi, lo);
			continue;
		}
		if (isnan(x) || isnan(y)) {
			long double other = isnan(x) ? y : x, r = from_grid(&f16_grid, lo, false);
			assert_true(isnan(other) ? isnan(r) : r == other);
			continue;
		}
		assert_true(from_grid(&f16_grid, lo, false) == (x < y ? x : y));
		assert_true(from_grid(&f16_grid, hi, false) == (x < y ? y : x));
		if (x == 0 && y == 0) {
			assert_int_equal(lo >> 15, signbit(x) || signbit(y));
			assert_int_equal(hi >> 15, signbit(x) && signbit(y));
		}
		long double z = from_grid(&f16_grid, v[2], mode.flush_in16);
		long double med = from_grid(&f16_grid, med3_f16(v[0], v[1], v[2], &mode), false);
		if (!isnan(z))
			assert_true((x <= med) + (y <= med) + (z <= med) >= 2 &&
				    (x >= med) + (y >= med) + (z >= med) >= 2);
	}
}

static void integer_dots(void **s)
{
	for (unsigned i = 0; i < 100000; i++) {
		uint32_t a = (uint32_t)rnd(), b = (uint32_t)rnd();
		uint8_t x[4], y[4];
		int32_t bytes[4] = {0}, nibbles[4] = {0};
		memcpy(x, &a, 4);
		memcpy(y, &b, 4);
		for (unsigned j = 0; j < 4; j++) {
			int8_t sx = (int8_t)x[j], sy = (int8_t)y[j];
			bytes[0] += x[j] * y[j];
			bytes[1] += sx * y[j];
			bytes[2] += x[j] * sy;
			bytes[3] += sx * sy;
			for (unsigned h = 0; h < 8; h += 4) {
				int ux = x[j] >> h & 15, uy = y[j] >> h & 15;
				int nx = ux < 8 ? ux : ux - 16, ny = uy < 8 ? uy : uy - 16;
				nibbles[0] += ux * uy;
				nibbles[1] += nx * uy;
				nibbles[2] += ux * ny;
				nibbles[3] += nx * ny;
			}
		}
		for (unsigned k = 0; k < 4; k++) {
			assert_int_equal(dot_int(a, b, 8, k & 1, k & 2), bytes[k]);
			assert_int_equal(dot_int(a, b, 4, k & 1, k & 2), nibbles[k]);
		}
	}
}

static int fill_grids(void **s)
{
	fill(&f16_grid, 10, -14);
	fill(&bf16_grid, 7, -126);
	return 0;
}

TESTS_AROUND(fill_grids, NULL, f32_as_the_host, f64_as_the_host, f16_one_operand, f16_two_operands,
	     half_fma_is_fused, narrowing, scaled_fma, minmax_and_median, integer_dots);
