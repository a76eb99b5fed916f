/* SPDX-License-Identifier: MIT */

/* MODE where it applies: each arithmetic instruction in every combination of rounding, denormals
 * and FP16_OVFL (doc/rules.md 107 to 127), on random operands that lie close to what a
 * mode decides. The rows compute with the host's floats; what they should give is computed by the
 * integers of fmath.c, which test_fmath.c compares with the host's. */

#include <string.h>

#include "../../suite.h"
#include "base/util.h"
#include "harness.h"
#include "vgpu/device/exec/alu/fmath.h"

#define F16 BW_FKIND_F16
#define F32 BW_FKIND_F32
#define F64 BW_FKIND_F64
enum what { ADD, SUB, SUBREV, MUL, FMA, FMAC, DIV1, SQRT, LDEXP, CVT, CVT_RTZ, MIXLO, MIXHI, DOT2 };

static const struct {
	const char *text;
	uint32_t word[2];
	enum what what;
	enum bw_fkind from, to;
	bool is_pair; /* the same in both halves */
} cases[] = {
	/* clang-format off */
	{"v_add_f32_e32 v20, v2, v6", {0x06280d02}, ADD, F32, F32},
	{"v_sub_f32_e32 v20, v2, v6", {0x08280d02}, SUB, F32, F32},
	{"v_mul_f32_e32 v20, v2, v6", {0x10280d02}, MUL, F32, F32},
	{"v_fma_f32 v20, v2, v6, v10", {0xd6130014, 0x042a0d02}, FMA, F32, F32},
	{"v_fmac_f32_e32 v20, v2, v6", {0x56280d02}, FMAC, F32, F32},
	{"v_ldexp_f32 v20, v2, v6", {0xd71c0014, 0x00020d02}, LDEXP, F32, F32},
	{"v_fma_mix_f32 v20, v2, v6, v10", {0xcc200014, 0x042a0d02}, FMA, F32, F32},
	{"v_add_f16_e32 v20, v2, v6", {0x64280d02}, ADD, F16, F16},
	{"v_subrev_f16_e32 v20, v2, v6", {0x68280d02}, SUBREV, F16, F16},
	{"v_mul_f16_e32 v20, v2, v6", {0x6a280d02}, MUL, F16, F16},
	{"v_fma_f16 v20, v2, v6, v10", {0xd6480014, 0x042a0d02}, FMA, F16, F16},
	{"v_rcp_f16_e32 v20, v2", {0x7e28a902}, DIV1, F16, F16},
	{"v_sqrt_f16_e32 v20, v2", {0x7e28ab02}, SQRT, F16, F16},
	{"v_ldexp_f16_e32 v20, v2, v6", {0x76280d02}, LDEXP, F16, F16},
	{"v_pk_add_f16 v20, v2, v6", {0xcc0f4014, 0x18020d02}, ADD, F16, F16, true},
	{"v_pk_mul_f16 v20, v2, v6", {0xcc104014, 0x18020d02}, MUL, F16, F16, true},
	{"v_pk_fma_f16 v20, v2, v6, v10", {0xcc0e4014, 0x1c2a0d02}, FMA, F16, F16, true},
	{"v_fma_mixlo_f16 v20, v2, v6, v10", {0xcc210014, 0x042a0d02}, MIXLO, F32, F16},
	{"v_fma_mixhi_f16 v20, v2, v6, v10", {0xcc220014, 0x042a0d02}, MIXHI, F32, F16},
	{"v_dot2_f16_f16 v20, v2, v6, v10", {0xd6660014, 0x042a0d02}, DOT2, F16, F16},
	{"v_add_f64 v[20:21], v[2:3], v[6:7]", {0xd7270014, 0x00020d02}, ADD, F64, F64},
	{"v_mul_f64 v[20:21], v[2:3], v[6:7]", {0xd7280014, 0x00020d02}, MUL, F64, F64},
	{"v_fma_f64 v[20:21], v[2:3], v[6:7], v[10:11]", {0xd6140014, 0x042a0d02}, FMA, F64, F64},
	{"v_ldexp_f64 v[20:21], v[2:3], v6", {0xd72b0014, 0x00020d02}, LDEXP, F64, F64},
	{"v_cvt_f16_f32_e32 v20, v2", {0x7e281502}, CVT, F32, F16},
	{"v_cvt_pk_rtz_f16_f32_e32 v20, v2, v6", {0x5e280d02}, CVT_RTZ, F32, F16},
	{"v_cvt_f32_f16_e32 v20, v2", {0x7e281702}, CVT, F16, F32},
	{"v_cvt_f32_f64_e32 v20, v[2:3]", {0x7e281f02}, CVT, F64, F32},
	{"v_cvt_f64_f32_e32 v[20:21], v2", {0x7e282102}, CVT, F32, F64},
	/* clang-format on */
};

static uint64_t seed = 0x2545f4914f6cdd1d;

static uint32_t rnd(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (uint32_t)(seed >> 20);
}

/* Anything, but mostly near the ends of the exponents, with few or many ones at the fraction's
 * end. */
static uint64_t operand(enum bw_fkind t, bool to_f16)
{
	static const uint8_t frac_bits[] = {10, 7, 23, 52}, exp_bits[] = {5, 8, 8, 11};
	unsigned fb = frac_bits[t], eb = exp_bits[t], bias = (1u << (eb - 1)) - 1;
	uint64_t frac = ((uint64_t)rnd() << 32 | rnd()) & ((1ull << fb) - 1);
	unsigned e;
	switch (rnd() % 8) {
	case 0:
		e = rnd() & ((1u << eb) - 1);
		break;
	case 1:
		e = rnd() % 3;
		break;
	case 2:
		e = (1u << eb) - 1 - rnd() % 3;
		break;
	default:
		e = bias - 2 + rnd() % 5;
		break;
	}
	if (to_f16 && rnd() % 2) /* around the ends of f16 */
		e = rnd() & 1 ? bias + 14 + rnd() % 3 : bias - 26 + rnd() % 14;
	if (rnd() % 3 == 0)
		frac &= ~0ull << (fb / 2 + rnd() % (fb / 2));
	if (rnd() % 8 == 0)
		frac |= (1ull << fb / 2) - 1;
	if (to_f16 && rnd() % 3 == 0 && t == F32)
		frac = (frac & 0x7fe000) | 0x1000; /* halfway between two of them */
	return (uint64_t)(rnd() & 1) << (fb + eb) | (uint64_t)e << fb | frac;
}

static uint64_t minus(enum bw_fkind t, uint64_t v)
{
	return v ^ (t == F64 ? 1ull << 63 : t == F32 ? 1ull << 31 : 1ull << 15);
}

static uint64_t expect(size_t i, const uint64_t s[3], uint64_t old, const struct bw_fmode *mode)
{
	enum bw_fkind from = cases[i].from, to = cases[i].to;
	struct bw_fmath m = bw_fmath_mode(mode, to), in = bw_fmath_mode(mode, from);
	uint32_t none = 0;
	m.flush_in = in.flush_in;
	switch (cases[i].what) {
	case ADD:
		return bw_fmath_add(to, s[0], s[1], &m, &none);
	case SUB:
		return bw_fmath_add(to, s[0], minus(to, s[1]), &m, &none);
	case SUBREV:
		return bw_fmath_add(to, s[1], minus(to, s[0]), &m, &none);
	case MUL:
		return bw_fmath_mul(to, s[0], s[1], &m, &none);
	case FMA:
		return bw_fmath_fma(to, s, 0, &m, &none);
	case FMAC:
		return bw_fmath_fma(to, (const uint64_t[]){s[0], s[1], old}, 0, &m, &none);
	case DIV1:
		return bw_fmath_div(to, 0x3c00, s[0], &m, &none);
	case SQRT:
		return bw_fmath_sqrt(to, s[0], &m, &none);
	case LDEXP:
		return bw_fmath_ldexp(to, s[0], to == F16 ? (int16_t)s[1] : (int32_t)s[1], &m,
				      &none);
	case CVT:
		return bw_fmath_cvt(from, to, s[0], &m, &none);
	case CVT_RTZ:
		m.round = BW_ROUND_ZERO;
		return bw_fmath_cvt(from, to, s[0], &m, &none) |
		       bw_fmath_cvt(from, to, s[1], &m, &none) << 16;
	case MIXLO:
	case MIXHI: {
		/* One rounding as an f32, one to f16 (rule 207). */
		uint64_t sum = bw_fmath_fma(F32, s, 0, &in, &none);
		m.flush_in = false;
		uint64_t half = bw_fmath_cvt(F32, F16, sum, &m, &none);
		return cases[i].what == MIXLO ? (old & 0xffff0000) | half
					      : (old & 0xffff) | half << 16;
	}
	case DOT2: {
		uint64_t sum = bw_fmath_fma(
			F16, (const uint64_t[]){s[0] & 0xffff, s[1] & 0xffff, s[2] & 0xffff}, 0, &m,
			&none);
		return bw_fmath_fma(F16, (const uint64_t[]){s[0] >> 16, s[1] >> 16, sum}, 0, &m,
				    &none);
	}
	}
	return 0;
}

static bool same(enum bw_fkind t, uint64_t a, uint64_t b)
{
	return a == b || (bw_fmath_is_nan(t, a) && bw_fmath_is_nan(t, b));
}

/* Values in registers as the instruction has them: halves and words in one, doubles in two. */
static uint64_t source(size_t i, unsigned k)
{
	enum bw_fkind t = cases[i].from;
	bool to_f16 = cases[i].to == F16 && t == F32;
	if (cases[i].what == LDEXP && k == 1)
		return rnd() % 4 ? (uint32_t)((int)(rnd() % 60) - 30)
				 : (uint32_t)((int)(rnd() % 4400) - 2200);
	uint64_t v = operand(t, to_f16);
	return t == F16 ? v | operand(t, false) << 16 : v;
}

static void check(size_t i, const uint64_t s[3], uint64_t old, uint64_t got,
		  const struct bw_fmode *mode)
{
	bool two = cases[i].is_pair || cases[i].what == CVT_RTZ, one16 = cases[i].to == F16 && !two;
	bool dot = cases[i].what == DOT2, mix = cases[i].what == MIXLO || cases[i].what == MIXHI;
	for (unsigned h = 0; h < (cases[i].is_pair ? 2 : 1); h++) {
		uint64_t in[3], want;
		for (unsigned k = 0; k < 3; k++)
			in[k] = cases[i].from == F16 && !dot && !(cases[i].what == LDEXP && k == 1)
					? s[k] >> 16 * h & 0xffff
					: s[k];
		want = expect(i, in, old, mode);
		bool ok;
		if (two && !cases[i].is_pair)
			ok = same(F16, got & 0xffff, want & 0xffff) &&
			     same(F16, got >> 16, want >> 16);
		else if (mix)
			ok = same(F16, got & 0xffff, want & 0xffff) &&
			     same(F16, got >> 16, want >> 16);
		else if (cases[i].is_pair)
			ok = same(F16, got >> 16 * h & 0xffff, want);
		else if (one16)
			ok = same(F16, got & 0xffff, want) && got >> 16 == old >> 16;
		else
			ok = same(cases[i].to, got, want);
		if (!ok)
			fail_msg("%s in MODE %#x of %#llx, %#llx, %#llx: %#llx, not %#llx",
				 cases[i].text, mode->mode, (unsigned long long)s[0],
				 (unsigned long long)s[1], (unsigned long long)s[2],
				 (unsigned long long)got, (unsigned long long)want);
	}
}

static void run_case(struct harness *h, size_t i, uint32_t mode_bits)
{
	struct bw_fmode mode;
	uint64_t s[32][3], old[32];
	bw_fmode_set(&mode, mode_bits);
	harness_reset(h);
	h->w->mode = mode_bits;
	for (unsigned l = 0; l < 32; l++) {
		for (unsigned k = 0; k < 3; k++) {
			s[l][k] = source(i, k);
			harness_v(h, 2 + 4 * k)[l] = (uint32_t)s[l][k];
			harness_v(h, 3 + 4 * k)[l] = (uint32_t)(s[l][k] >> 32);
		}
		old[l] = operand(F32, false);
		harness_v(h, 20)[l] = (uint32_t)old[l];
		harness_v(h, 21)[l] = 0;
	}
	harness_run(h, cases[i].word, cases[i].word[1] ? 2 : 1);
	for (unsigned l = 0; l < 32; l++) {
		uint64_t got = harness_v(h, 20)[l];
		if (cases[i].to == F64)
			got |= (uint64_t)harness_v(h, 21)[l] << 32;
		check(i, s[l], old[l], got, &mode);
	}
}

static void every_mode(void **state)
{
	enum { DX10_CLAMP = 1 << 8, FP16_OVFL = 1 << 23 };
	struct harness *h = harness_create(32);
	for (size_t i = 0; i < BW_ARRAY_SIZE(cases); i++)
		for (uint32_t mode = 0; mode < 256; mode++) {
			run_case(h, i, mode | DX10_CLAMP);
			run_case(h, i, mode | DX10_CLAMP | FP16_OVFL);
		}
	harness_destroy(h);
	print_message("%zu instructions in 512 modes\n", BW_ARRAY_SIZE(cases));
}

TESTS(every_mode);
