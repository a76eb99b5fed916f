/* SPDX-License-Identifier: MIT */
#include "vgpu/device/exec/alu/fmath.h"

#include <stddef.h>

typedef unsigned __int128 u128;

struct format {
	unsigned frac; /* fraction bits */
	int bias;
	unsigned bits;
};

static const struct format formats[] = {
	[BW_FKIND_F16] = {10, 15, 16},
	[BW_FKIND_BF16] = {7, 127, 16},
	[BW_FKIND_F32] = {23, 127, 32},
	[BW_FKIND_F64] = {52, 1023, 64},
};

enum class { ZERO, FINITE, INF, NAN_ };

/* (-1)^neg * mant * 2^exp */
struct number {
	enum class class;
	bool neg, quiet;
	int exp;
	u128 mant;
	uint64_t payload; /* NaN: the fraction, as that of an f64 */
};

static uint64_t sign_bit(const struct format *f)
{
	return 1ull << (f->bits - 1);
}

static uint64_t inf_bits(const struct format *f)
{
	return ((1ull << (f->bits - 1 - f->frac)) - 1) << f->frac;
}

static uint64_t magnitude(const struct format *f, uint64_t a)
{
	return a & (sign_bit(f) - 1);
}

bool bw_fmath_is_nan(enum bw_fkind kind, uint64_t a)
{
	return magnitude(&formats[kind], a) > inf_bits(&formats[kind]);
}

bool bw_fmath_is_snan(enum bw_fkind kind, uint64_t a)
{
	return bw_fmath_is_nan(kind, a) && !(a >> (formats[kind].frac - 1) & 1);
}

bool bw_fmath_is_denormal(enum bw_fkind kind, uint64_t a)
{
	uint64_t mag = magnitude(&formats[kind], a);
	return mag != 0 && mag >> formats[kind].frac == 0;
}

struct bw_fmath bw_fmath_mode(const struct bw_fmode *m, enum bw_fkind kind)
{
	if (kind == BW_FKIND_F32)
		return (struct bw_fmath){.round = m->round32,
					 .flush_in = m->flush_in32,
					 .flush_out = m->flush_out32};
	return (struct bw_fmath){.round = m->round16,
				 .flush_in = m->flush_in16,
				 .flush_out = m->flush_out16,
				 .saturate = kind == BW_FKIND_F16 && m->fp16_ovfl};
}

static struct number unpack(enum bw_fkind kind, uint64_t a, const struct bw_fmath *m,
			    uint32_t *flags)
{
	const struct format *f = &formats[kind];
	uint64_t mag = magnitude(f, a), frac = mag & ((1ull << f->frac) - 1);
	int e = (int)(mag >> f->frac);
	struct number n = {.neg = (a & sign_bit(f)) != 0};
	if (mag >= inf_bits(f)) {
		n.class = frac ? NAN_ : INF;
		n.quiet = frac >> (f->frac - 1) & 1;
		n.payload = frac << (52 - f->frac);
		if (frac && !n.quiet)
			*flags |= BW_FEXCP_INVALID;
	} else if (e == 0 && (frac == 0 || m->flush_in)) {
		n.class = ZERO;
	} else {
		n.class = FINITE;
		if (e == 0)
			*flags |= BW_FEXCP_DENORMAL;
		n.mant = e ? frac | 1ull << f->frac : frac;
		n.exp = (e ? e : 1) - f->bias - (int)f->frac;
	}
	return n;
}

static uint64_t pack_nan(const struct format *f, const struct number *n)
{
	uint64_t sign = n->neg ? sign_bit(f) : 0;
	return sign | inf_bits(f) | 1ull << (f->frac - 1) | n->payload >> (52 - f->frac);
}

static uint64_t default_nan(const struct format *f, uint32_t *flags)
{
	*flags |= BW_FEXCP_INVALID;
	return sign_bit(f) | inf_bits(f) | 1ull << (f->frac - 1);
}

static unsigned length(u128 v)
{
	uint64_t hi = (uint64_t)(v >> 64), lo = (uint64_t)v;
	return hi   ? 128 - (unsigned)__builtin_clzll(hi)
	       : lo ? 64 - (unsigned)__builtin_clzll(lo)
		    : 0;
}

/* v >> by, the bits that fall out remembered in the last one. */
static u128 shift_jam(u128 v, unsigned by)
{
	if (by == 0)
		return v;
	if (by >= 128)
		return v != 0;
	return v >> by | ((v & (((u128)1 << by) - 1)) != 0);
}

static bool rounds_away(enum bw_round round, bool neg)
{
	return (round == BW_ROUND_UP && !neg) || (round == BW_ROUND_DOWN && neg);
}

/* mant >> drop in this mode. */
static uint64_t round_off(u128 mant, unsigned drop, bool neg, enum bw_round round,
			  bool *out_inexact)
{
	*out_inexact = false;
	if (drop == 0)
		return (uint64_t)mant;
	if (drop > 126) {
		mant = shift_jam(mant, drop - 126);
		drop = 126;
	}
	u128 rest = mant & (((u128)1 << drop) - 1), half = (u128)1 << (drop - 1);
	uint64_t kept = (uint64_t)(mant >> drop);
	*out_inexact = rest != 0;
	if (round == BW_ROUND_NEAREST)
		return kept + (rest > half || (rest == half && (kept & 1)));
	return kept + (rest != 0 && rounds_away(round, neg));
}

/* mant is not 0. It may have its last bit set for any number of bits lost, when it is longer than
 * the result by two bits at least. */
static uint64_t pack(const struct format *f, bool neg, u128 mant, int exp, const struct bw_fmath *m,
		     uint32_t *flags)
{
	uint64_t sign = neg ? sign_bit(f) : 0;
	int len = (int)length(mant), place = (int)f->frac + 1;
	int lowest = 1 - f->bias - (int)f->frac; /* exponent of a denormal's last place */
	/* exponent of the result's last place if it is normal */
	int lsb = exp + len - place;
	bool inexact, below = lsb < lowest;
	int drop = (below ? lowest : lsb) - exp;
	uint64_t kept;
	if (drop <= 0) {
		kept = (uint64_t)(mant << -drop);
		inexact = false;
	} else {
		kept = round_off(mant, (unsigned)drop, neg, m->round, &inexact);
	}
	int e = (below ? lowest : lsb) + (int)f->frac + f->bias;
	/* Tiny: below the normal numbers when rounded as if the exponent knew no bounds. */
	bool tiny = below, lost;
	if (lsb == lowest - 1 && drop > 1)
		tiny = round_off(mant, (unsigned)drop - 1, neg, m->round, &lost) >> place == 0;
	/* a carry and the leading one move e up */
	uint64_t out = ((uint64_t)(e - 1) << f->frac) + kept;
	if (inexact)
		*flags |= BW_FEXCP_INEXACT;
	if (e > 2 * f->bias || out >= inf_bits(f)) {
		bool to_inf = m->round == BW_ROUND_NEAREST || rounds_away(m->round, neg);
		*flags |= BW_FEXCP_OVERFLOW | BW_FEXCP_INEXACT;
		return sign | (inf_bits(f) - (to_inf && !m->saturate ? 0 : 1));
	}
	if (tiny) {
		if (inexact || m->flush_out)
			*flags |= BW_FEXCP_UNDERFLOW;
		if (m->flush_out) {
			*flags |= BW_FEXCP_INEXACT;
			return sign;
		}
	}
	return sign | out;
}

static struct number times(const struct number *a, const struct number *b)
{
	struct number p = {.neg = a->neg != b->neg};
	if (a->class == INF || b->class == INF) {
		p.class = INF;
	} else if (a->class == ZERO || b->class == ZERO) {
		p.class = ZERO;
	} else {
		p.class = FINITE;
		p.mant = a->mant * b->mant;
		p.exp = a->exp + b->exp;
	}
	return p;
}

/* Both must be FINITE. The leading bit of the larger one goes to bit 125: 19 bits at least are left
 * below the 106 of a product, so that nothing is lost when much cancels. */
static struct number plus(struct number a, struct number b)
{
	if (a.exp + (int)length(a.mant) < b.exp + (int)length(b.mant)) {
		struct number t = a;
		a = b;
		b = t;
	}
	unsigned up = 126 - length(a.mant);
	a.mant <<= up;
	a.exp -= (int)up;
	if (b.exp >= a.exp)
		b.mant <<= b.exp - a.exp;
	else
		b.mant = shift_jam(b.mant, (unsigned)(a.exp - b.exp));
	if (a.neg == b.neg) {
		a.mant += b.mant;
	} else if (b.mant > a.mant) {
		a.mant = b.mant - a.mant;
		a.neg = b.neg;
	} else {
		a.mant -= b.mant;
	}
	if (a.mant == 0)
		a.class = ZERO;
	return a;
}

static uint64_t sum(const struct format *f, struct number a, struct number b, int scale,
		    const struct bw_fmath *m, uint32_t *flags)
{
	if (a.class == INF || b.class == INF) {
		if (a.class == b.class && a.neg != b.neg)
			return default_nan(f, flags);
		return ((a.class == INF ? a.neg : b.neg) ? sign_bit(f) : 0) | inf_bits(f);
	}
	struct number r = a.class == ZERO ? b : b.class == ZERO ? a : plus(a, b);
	if (r.class == ZERO) {
		bool neg = a.neg == b.neg && a.class == ZERO && b.class == ZERO
				   ? a.neg
				   : m->round == BW_ROUND_DOWN;
		return neg ? sign_bit(f) : 0;
	}
	return pack(f, r.neg, r.mant, r.exp + scale, m, flags);
}

uint64_t bw_fmath_fma(enum bw_fkind kind, const uint64_t s[3], int scale, const struct bw_fmath *m,
		      uint32_t *flags)
{
	const struct format *f = &formats[kind];
	struct number x = unpack(kind, s[0], m, flags), y = unpack(kind, s[1], m, flags),
		      z = unpack(kind, s[2], m, flags);
	const struct number *nan = x.class == NAN_   ? &x
				   : y.class == NAN_ ? &y
				   : z.class == NAN_ ? &z
						     : NULL;
	if (nan)
		return pack_nan(f, nan);
	if ((x.class == INF && y.class == ZERO) || (x.class == ZERO && y.class == INF))
		return default_nan(f, flags);
	return sum(f, times(&x, &y), z, scale, m, flags);
}

uint64_t bw_fmath_add(enum bw_fkind kind, uint64_t a, uint64_t b, const struct bw_fmath *m,
		      uint32_t *flags)
{
	const struct format *f = &formats[kind];
	struct number x = unpack(kind, a, m, flags), y = unpack(kind, b, m, flags);
	if (x.class == NAN_ || y.class == NAN_)
		return pack_nan(f, x.class == NAN_ ? &x : &y);
	return sum(f, x, y, 0, m, flags);
}

static uint64_t finish(const struct format *f, const struct number *n, const struct bw_fmath *m,
		       uint32_t *flags)
{
	uint64_t sign = n->neg ? sign_bit(f) : 0;
	switch (n->class) {
	case NAN_:
		return pack_nan(f, n);
	case INF:
		return sign | inf_bits(f);
	case ZERO:
		return sign;
	case FINITE:
		break;
	}
	return pack(f, n->neg, n->mant, n->exp, m, flags);
}

uint64_t bw_fmath_mul(enum bw_fkind kind, uint64_t a, uint64_t b, const struct bw_fmath *m,
		      uint32_t *flags)
{
	const struct format *f = &formats[kind];
	struct number x = unpack(kind, a, m, flags), y = unpack(kind, b, m, flags);
	if (x.class == NAN_ || y.class == NAN_)
		return pack_nan(f, x.class == NAN_ ? &x : &y);
	if ((x.class == INF && y.class == ZERO) || (x.class == ZERO && y.class == INF))
		return default_nan(f, flags);
	struct number p = times(&x, &y);
	return finish(f, &p, m, flags);
}

uint64_t bw_fmath_div(enum bw_fkind kind, uint64_t a, uint64_t b, const struct bw_fmath *m,
		      uint32_t *flags)
{
	const struct format *f = &formats[kind];
	struct number x = unpack(kind, a, m, flags), y = unpack(kind, b, m, flags);
	if (x.class == NAN_ || y.class == NAN_)
		return pack_nan(f, x.class == NAN_ ? &x : &y);
	if (x.class == y.class && (x.class == INF || x.class == ZERO))
		return default_nan(f, flags);
	struct number q = {.neg = x.neg != y.neg, .class = FINITE};
	if (x.class == ZERO || y.class == INF) {
		q.class = ZERO;
	} else if (x.class == INF || y.class == ZERO) {
		q.class = INF;
		if (x.class != INF)
			*flags |= BW_FEXCP_DIV0;
	} else {
		/* 127 bits by at most 53: the quotient has 74 or more, enough for any rounding. */
		unsigned up = 127 - length(x.mant);
		u128 n = x.mant << up;
		q.mant = n / y.mant << 1 | (n % y.mant != 0);
		q.exp = x.exp - (int)up - y.exp - 1;
	}
	return finish(f, &q, m, flags);
}

/* floor(sqrt(v)), bit by bit. */
static u128 root(u128 v)
{
	u128 r = 0;
	for (u128 bit = (u128)1 << 126; bit; bit >>= 2) {
		if (v >= r + bit) {
			v -= r + bit;
			r = (r >> 1) + bit;
		} else {
			r >>= 1;
		}
	}
	return r;
}

uint64_t bw_fmath_sqrt(enum bw_fkind kind, uint64_t a, const struct bw_fmath *m, uint32_t *flags)
{
	const struct format *f = &formats[kind];
	struct number x = unpack(kind, a, m, flags);
	if (x.class == NAN_ || x.class == ZERO)
		return finish(f, &x, m, flags);
	if (x.neg)
		return default_nan(f, flags);
	if (x.class == FINITE) {
		unsigned up = 127 - length(x.mant);
		up -= (unsigned)(x.exp - (int)up) & 1; /* an even exponent */
		u128 v = x.mant << up, r = root(v);
		x.mant = r << 1 | (r * r != v);
		x.exp = (x.exp - (int)up) / 2 - 1;
	}
	return finish(f, &x, m, flags);
}

uint64_t bw_fmath_ldexp(enum bw_fkind kind, uint64_t a, int scale, const struct bw_fmath *m,
			uint32_t *flags)
{
	struct number x = unpack(kind, a, m, flags);
	x.exp += scale < -5000 ? -5000 : scale > 5000 ? 5000 : scale;
	return finish(&formats[kind], &x, m, flags);
}

uint64_t bw_fmath_cvt(enum bw_fkind from, enum bw_fkind to, uint64_t a, const struct bw_fmath *m,
		      uint32_t *flags)
{
	struct number x = unpack(from, a, m, flags);
	return finish(&formats[to], &x, m, flags);
}
