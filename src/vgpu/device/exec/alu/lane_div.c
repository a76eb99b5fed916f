/* SPDX-License-Identifier: MIT */

/* The three steps of a division (doc/rules.md 144 to 150). Not inlined: they are long and
 * rare. They run with the wave's float mode set, as the rows do. */

#include "vgpu/device/exec/alu/fmath.h"
#include "vgpu/device/exec/alu/lane_math.h"

static int exp32(uint32_t a)
{
	return (int)(a >> 23 & 0xff);
}

uint32_t div_scale32(uint32_t s0, uint32_t s1, uint32_t s2, const struct bw_fmode *m,
		     uint32_t *out_mask)
{
	s0 = flush32(s0, m->flush_in32);
	s1 = flush32(s1, m->flush_in32);
	s2 = flush32(s2, m->flush_in32);
	double den = fabs((double)bits_f32(F32_ABS(s1)));
	int apart = exp32(s2) - exp32(s1);
	*out_mask = 0;
	if (F32_ABS(s1) == 0 || F32_ABS(s2) == 0) {
		*out_mask = 1;
		return 0xffc00000;
	}
	/* 2^-126 is the smallest normal. A quotient counts as denormal by its exponents: the mask
	 * is 1 for 2^-126 / 1 (rule 145). */
	int tiny_inverse = 1.0 / den < 0x1p-126;
	int tiny_quotient = apart <= -126;
	int is_den = s0 == s1, is_num = s0 == s2;
	if (apart >= 96) {
		*out_mask = 1;
		return is_den ? f32_bits(ldexp32(bits_f32(s0), 64)) : s0;
	}
	if (F32_IS_DENORM(s1))
		return f32_bits(ldexp32(bits_f32(s0), 64));
	if (tiny_inverse && tiny_quotient) {
		/* Down: the definition's text scales up, which would make an infinity of it, and
		 * the quotient of the division sequence must come out 2^64 too large for div_fmas
		 * [I]. */
		*out_mask = 1;
		return is_den ? f32_bits(ldexp32(bits_f32(s0), -64)) : s0;
	}
	if (tiny_inverse)
		return f32_bits(ldexp32(bits_f32(s0), -64));
	if (tiny_quotient) {
		*out_mask = 1;
		return is_num ? f32_bits(ldexp32(bits_f32(s0), 64)) : s0;
	}
	if (exp32(s2) <= 23)
		return f32_bits(ldexp32(bits_f32(s0), 64));
	return s0;
}

static int exp64(uint64_t a)
{
	return (int)(a >> 52 & 0x7ff);
}

uint64_t div_scale64(uint64_t s0, uint64_t s1, uint64_t s2, const struct bw_fmode *m,
		     uint32_t *out_mask)
{
	s0 = flush64(s0, m->flush_in16);
	s1 = flush64(s1, m->flush_in16);
	s2 = flush64(s2, m->flush_in16);
	int apart = exp64(s2) - exp64(s1);
	*out_mask = 0;
	if (F64_ABS(s1) == 0 || F64_ABS(s2) == 0) {
		*out_mask = 1;
		return 0xfff8000000000000ull;
	}
	/* 1 / x is denormal above 2^1022. */
	int tiny_inverse = F64_ABS(s1) > 0x7fd0000000000000ull;
	int tiny_quotient = apart <= -1022;
	int is_den = s0 == s1, is_num = s0 == s2;
	if (apart >= 768) {
		*out_mask = 1;
		return is_den ? f64_bits(ldexp64(bits_f64(s0), 128)) : s0;
	}
	if (F64_IS_DENORM(s1))
		return f64_bits(ldexp64(bits_f64(s0), 128));
	if (tiny_inverse && tiny_quotient) { /* as above */
		*out_mask = 1;
		return is_den ? f64_bits(ldexp64(bits_f64(s0), -128)) : s0;
	}
	if (tiny_inverse)
		return f64_bits(ldexp64(bits_f64(s0), -128));
	if (tiny_quotient) {
		*out_mask = 1;
		return is_num ? f64_bits(ldexp64(bits_f64(s0), 128)) : s0;
	}
	if (exp64(s2) <= 53)
		return f64_bits(ldexp64(bits_f64(s0), 128));
	return s0;
}

/* Computes with integers if the quotient is scaled: it may become denormal, and must be rounded
 * once. */
float div_fmas32(float a, float b, float c, uint32_t scale, const struct bw_fmode *m)
{
	if (!scale)
		return FMA32(a, b, c);
	const struct bw_fmath mode = bw_fmath_mode(m, BW_FKIND_F32);
	uint32_t flags = 0;
	int by = exp32(f32_bits(c)) > 127 ? 64 : -64;
	return bits_f32((uint32_t)bw_fmath_fma(
		BW_FKIND_F32, (const uint64_t[]){f32_bits(a), f32_bits(b), f32_bits(c)}, by, &mode,
		&flags));
}

double div_fmas64(double a, double b, double c, uint32_t scale, const struct bw_fmode *m)
{
	if (!scale)
		return FMA64(a, b, c);
	const struct bw_fmath mode = bw_fmath_mode(m, BW_FKIND_F64);
	uint32_t flags = 0;
	int by = exp64(f64_bits(c)) > 1023 ? 128 : -128;
	return bits_f64(bw_fmath_fma(BW_FKIND_F64,
				     (const uint64_t[]){f64_bits(a), f64_bits(b), f64_bits(c)}, by,
				     &mode, &flags));
}

uint32_t div_fixup32(uint32_t q, uint32_t den, uint32_t num, const struct bw_fmode *m)
{
	den = flush32(den, m->flush_in32);
	num = flush32(num, m->flush_in32);
	uint32_t sign = (den ^ num) & 0x80000000u, d = F32_ABS(den), n = F32_ABS(num);
	if (F32_IS_NAN(num))
		return num | F32_QUIET;
	if (F32_IS_NAN(den))
		return den | F32_QUIET;
	if ((d == 0 && n == 0) || (d == 0x7f800000 && n == 0x7f800000))
		return 0xffc00000;
	if (d == 0 || n == 0x7f800000)
		return sign | 0x7f800000;
	if (d == 0x7f800000 || n == 0)
		return sign;
	if (exp32(num) - exp32(den) < -150)
		return sign;
	if (F32_IS_NAN(q))
		return sign | 0x7f800000; /* rule 150 */
	return sign | F32_ABS(q);
}

uint64_t div_fixup64(uint64_t q, uint64_t den, uint64_t num, const struct bw_fmode *m)
{
	den = flush64(den, m->flush_in16);
	num = flush64(num, m->flush_in16);
	uint64_t sign = (den ^ num) & 0x8000000000000000ull, d = F64_ABS(den), n = F64_ABS(num);
	uint64_t inf = 0x7ff0000000000000ull;
	if (F64_IS_NAN(num))
		return num | F64_QUIET;
	if (F64_IS_NAN(den))
		return den | F64_QUIET;
	if ((d == 0 && n == 0) || (d == inf && n == inf))
		return 0xfff8000000000000ull;
	if (d == 0 || n == inf)
		return sign | inf;
	if (d == inf || n == 0)
		return sign;
	if (exp64(num) - exp64(den) < -1075)
		return sign;
	if (F64_IS_NAN(q))
		return sign | inf;
	return sign | F64_ABS(q);
}

uint16_t div_fixup16(uint16_t q, uint16_t den, uint16_t num, const struct bw_fmode *m)
{
	den = flush16(den, m->flush_in16);
	num = flush16(num, m->flush_in16);
	uint16_t sign = (den ^ num) & 0x8000, d = den & 0x7fff, n = num & 0x7fff;
	if (n > 0x7c00)
		return num | 0x200;
	if (d > 0x7c00)
		return den | 0x200;
	if ((d == 0 && n == 0) || (d == 0x7c00 && n == 0x7c00))
		return 0xfe00;
	if (d == 0 || n == 0x7c00)
		return sign | 0x7c00;
	if (d == 0x7c00 || n == 0)
		return sign;
	if ((q & 0x7fff) > 0x7c00)
		return sign | 0x7c00;
	return sign | (q & 0x7fff);
}
