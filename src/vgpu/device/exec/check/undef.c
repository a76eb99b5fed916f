/* SPDX-License-Identifier: MIT */
#include "vgpu/device/exec/check/undef.h"

typedef struct bw_bits bits_t;

static uint64_t mask_of(unsigned bits)
{
	return bits >= 64 ? ~0ull : (1ull << bits) - 1;
}

static bits_t all_undefined(unsigned bits)
{
	return (bits_t){0, mask_of(bits)};
}

/* ---- single operations ---- */

static bits_t not_(bits_t a)
{
	return (bits_t){~a.v, a.u};
}

static bits_t and_(bits_t a, bits_t b)
{
	return (bits_t){a.v & b.v, (a.u | b.u) & (a.v | a.u) & (b.v | b.u)};
}

static bits_t or_(bits_t a, bits_t b)
{
	return (bits_t){a.v | b.v, (a.u | b.u) & (~a.v | a.u) & (~b.v | b.u)};
}

static bits_t xor_(bits_t a, bits_t b)
{
	return (bits_t){a.v ^ b.v, a.u | b.u};
}

/* A carry goes up, never down. */
static bits_t sum(bits_t a, bits_t b)
{
	uint64_t u = a.u | b.u;
	return (bits_t){a.v + b.v, u ? u | -u : 0};
}

static bits_t shl(bits_t a, bits_t distance, unsigned bits)
{
	unsigned n = (unsigned)distance.v & (bits - 1);
	if (distance.u & (bits - 1))
		return all_undefined(bits);
	return (bits_t){a.v << n, a.u << n};
}

static bits_t shr(bits_t a, bits_t distance, unsigned bits)
{
	unsigned n = (unsigned)distance.v & (bits - 1);
	if (distance.u & (bits - 1))
		return all_undefined(bits);
	return (bits_t){(a.v & mask_of(bits)) >> n, (a.u & mask_of(bits)) >> n};
}

/* The sign of a number of so many bits in all bits above. */
static uint64_t extend(uint64_t x, unsigned bits)
{
	return (uint64_t)((int64_t)(x << (64 - bits)) >> (64 - bits));
}

static bits_t sext(bits_t a, unsigned bits)
{
	return (bits_t){extend(a.v, bits), extend(a.u, bits)};
}

static bits_t sar(bits_t a, bits_t distance, unsigned bits)
{
	unsigned n = (unsigned)distance.v & (bits - 1);
	if (distance.u & (bits - 1))
		return all_undefined(bits);
	return (bits_t){(uint64_t)((int64_t)extend(a.v, bits) >> n),
			(uint64_t)((int64_t)extend(a.u, bits) >> n)};
}

static bits_t bfe(bits_t a, unsigned offset, unsigned width, bool is_signed, unsigned bits)
{
	if (!width)
		return (bits_t){0, 0};
	if (offset + width > bits)
		width = bits - offset;
	bits_t field = {a.v >> offset & mask_of(width), a.u >> offset & mask_of(width)};
	return is_signed ? sext(field, width) : field;
}

static bits_t bfe_vector(const bits_t *s, bool is_signed)
{
	if ((s[1].u | s[2].u) & 31)
		return all_undefined(32);
	return bfe(s[0], s[1].v & 31, s[2].v & 31, is_signed, 32);
}

static bits_t bfe_scalar(const bits_t *s, bool is_signed, unsigned bits)
{
	if (s[1].u & (0x7f0000 | (bits - 1)))
		return all_undefined(bits);
	return bfe(s[0], (unsigned)s[1].v & (bits - 1), (unsigned)(s[1].v >> 16) & 127, is_signed,
		   bits);
}

static uint64_t reverse(uint64_t x, unsigned bits)
{
	uint64_t out = 0;
	for (unsigned i = 0; i < bits; i++)
		out |= (x >> i & 1) << (bits - 1 - i);
	return out;
}

static bits_t pack(bits_t a, unsigned a_at, bits_t b, unsigned b_at)
{
	return (bits_t){(a.v >> a_at & 0xffff) | (b.v >> b_at & 0xffff) << 16,
			(a.u >> a_at & 0xffff) | (b.u >> b_at & 0xffff) << 16};
}

static bits_t join(bits_t hi, bits_t lo)
{
	return (bits_t){hi.v << 32 | (lo.v & UINT32_MAX), hi.u << 32 | (lo.u & UINT32_MAX)};
}

static bits_t align(const bits_t *s, unsigned unit, unsigned n_units)
{
	bits_t both = join(s[0], s[1]);
	unsigned n = (unsigned)(s[2].v & (n_units - 1)) * unit;
	if (s[2].u & (n_units - 1))
		return all_undefined(32);
	return (bits_t){both.v >> n & UINT32_MAX, both.u >> n & UINT32_MAX};
}

/* Selectors: 0 to 7 a byte of 0:1, 8 to 11 a sign of it, 12 zeros, above ones. */
static bits_t perm(const bits_t *s)
{
	bits_t both = join(s[0], s[1]), out = {0, 0};
	for (unsigned i = 0; i < 4; i++) {
		unsigned select = s[2].v >> 8 * i & 0xff;
		uint64_t v = select > 12 ? 0xff : 0, u = 0;
		if (s[2].u >> 8 * i & 0xff) {
			u = 0xff;
		} else if (select < 8) {
			v = both.v >> 8 * select & 0xff;
			u = both.u >> 8 * select & 0xff;
		} else if (select < 12) {
			v = both.v >> (16 * (select - 8) + 15) & 1 ? 0xff : 0;
			u = both.u >> (16 * (select - 8) + 15) & 1 ? 0xff : 0;
		}
		out.v |= v << 8 * i;
		out.u |= u << 8 * i;
	}
	return out;
}

static bits_t select_(const bits_t *s, unsigned bits)
{
	if (!(s[2].u & 1))
		return s[2].v & 1 ? s[1] : s[0];
	bool same = !s[0].u && !s[1].u && !((s[0].v ^ s[1].v) & mask_of(bits));
	return same ? s[0] : all_undefined(bits);
}

static bits_t bitset(const bits_t *s, bool to, unsigned bits)
{
	unsigned n = (unsigned)s[0].v & (bits - 1);
	if (s[0].u & (bits - 1))
		return all_undefined(bits);
	uint64_t bit = 1ull << n;
	return (bits_t){to ? s[1].v | bit : s[1].v & ~bit, s[1].u & ~bit};
}

/* ---- conditions ---- */

static bool is_equal_undefined(bits_t a, bits_t b)
{
	uint64_t u = a.u | b.u;
	return u && !((a.v ^ b.v) & ~u);
}

/* Whether some values of the undefined bits make a less than b (or equal), and others not. */
static bool is_less_undefined(bits_t a, bits_t b, bool or_equal, uint64_t sign)
{
	uint64_t a_v = a.v ^ sign, b_v = b.v ^ sign;
	uint64_t a_min = a_v & ~a.u, a_max = a_v | a.u, b_min = b_v & ~b.u, b_max = b_v | b.u;
	bool always = or_equal ? a_max <= b_min : a_max < b_min;
	bool never = or_equal ? a_min > b_max : a_min >= b_max;
	return !always && !never;
}

static bool is_order_undefined(enum bw_undef_rule rule, const bits_t *s, unsigned bits)
{
	uint64_t sign = rule >= BW_UNDEF_IS_LT_S ? 1ull << (bits - 1) : 0;
	switch ((rule - BW_UNDEF_IS_LT_U) % 4) {
	case 0:
		return is_less_undefined(s[0], s[1], false, sign);
	case 1:
		return is_less_undefined(s[0], s[1], true, sign);
	case 2:
		return is_less_undefined(s[1], s[0], false, sign);
	default:
		return is_less_undefined(s[1], s[0], true, sign);
	}
}

static bits_t condition(bool is_undefined)
{
	return (bits_t){0, is_undefined};
}

static bits_t bit(const bits_t *s, unsigned bits)
{
	unsigned n = (unsigned)s[1].v & (bits - 1);
	return condition((s[1].u & (bits - 1)) || (s[0].u >> n & 1));
}

bool bw_undef_nonzero(struct bw_bits x)
{
	return x.u && !(x.v & ~x.u);
}

/* ---- rules ---- */

static bool any(const bits_t *s, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (s[i].u)
			return true;
	return false;
}

static bits_t any_undefined(const bits_t *s, unsigned n, unsigned bits)
{
	return any(s, n) ? all_undefined(bits) : (bits_t){0, 0};
}

static bits_t whole(const bits_t *s, unsigned n, unsigned bits)
{
	for (unsigned i = 0; i < n; i++)
		if ((s[i].u & mask_of(bits)) == mask_of(bits))
			return all_undefined(bits);
	return (bits_t){0, 0};
}

/* Each part of `bits` bits of the result is of that part of each source. */
static bits_t parts(const bits_t *s, unsigned n, unsigned bits)
{
	const uint64_t one = (1ull << bits) - 1;
	bits_t out = {0, 0};
	for (unsigned i = 0; i < n; i++)
		for (unsigned at = 0; at < 64; at += bits)
			out.u |= s[i].u >> at & one ? one << at : 0;
	return out;
}

static bits_t pack_wide(const bits_t *s)
{
	const uint64_t high = 0xffffffff00000000;
	return (bits_t){(s[0].v & ~high) | (s[1].v & high), (s[0].u & ~high) | (s[1].u & high)};
}

static bool is_zero(bits_t x)
{
	return !x.u && !x.v;
}

static bits_t product(const bits_t *s, bool is_float, unsigned bits)
{
	if (is_zero(s[0]) || is_zero(s[1]))
		return (bits_t){0, 0};
	return is_float ? any_undefined(s, 2, bits) : sum(s[0], s[1]);
}

static bits_t of_sums(enum bw_undef_rule rule, const bits_t *s, unsigned n, unsigned bits)
{
	bits_t out = s[0];
	switch ((int)rule) {
	case BW_UNDEF_SHL_ADD:
		return sum(shl(s[0], s[1], bits), s[2]);
	case BW_UNDEF_SHL_OR:
		return or_(shl(s[0], s[1], bits), s[2]);
	case BW_UNDEF_ADD_SHL:
		return shl(sum(s[0], s[1]), s[2], bits);
	case BW_UNDEF_XAD:
		return sum(xor_(s[0], s[1]), s[2]);
	case BW_UNDEF_MUL:
		return product(s, false, bits);
	case BW_UNDEF_MUL_FLOAT:
		return product(s, true, bits);
	default:
		for (unsigned i = 1; i < n; i++)
			out = sum(out, s[i]);
		return n == 1 ? sum(out, (bits_t){0, 0}) : out;
	}
}

static bits_t of_logic(enum bw_undef_rule rule, const bits_t *s)
{
	switch ((int)rule) {
	case BW_UNDEF_AND:
		return and_(s[0], s[1]);
	case BW_UNDEF_AND_NOT0:
		return and_(not_(s[0]), s[1]);
	case BW_UNDEF_AND_NOT1:
		return and_(s[0], not_(s[1]));
	case BW_UNDEF_NAND:
		return not_(and_(s[0], s[1]));
	case BW_UNDEF_OR:
		return or_(s[0], s[1]);
	case BW_UNDEF_OR_NOT0:
		return or_(not_(s[0]), s[1]);
	case BW_UNDEF_OR_NOT1:
		return or_(s[0], not_(s[1]));
	case BW_UNDEF_NOR:
		return not_(or_(s[0], s[1]));
	case BW_UNDEF_XOR:
		return xor_(s[0], s[1]);
	case BW_UNDEF_XNOR:
		return not_(xor_(s[0], s[1]));
	case BW_UNDEF_AND_OR:
		return or_(and_(s[0], s[1]), s[2]);
	case BW_UNDEF_OR3:
		return or_(or_(s[0], s[1]), s[2]);
	case BW_UNDEF_XOR3:
		return xor_(xor_(s[0], s[1]), s[2]);
	default: /* BFI */
		return or_(and_(s[0], s[1]), and_(not_(s[0]), s[2]));
	}
}

static bits_t of_fields(enum bw_undef_rule rule, const bits_t *s, unsigned bits)
{
	switch ((int)rule) {
	case BW_UNDEF_SHL:
		return shl(s[0], s[1], bits);
	case BW_UNDEF_SHR:
		return shr(s[0], s[1], bits);
	case BW_UNDEF_SAR:
		return sar(s[0], s[1], bits);
	case BW_UNDEF_SHL_REV:
		return shl(s[1], s[0], bits);
	case BW_UNDEF_SHR_REV:
		return shr(s[1], s[0], bits);
	case BW_UNDEF_SAR_REV:
		return sar(s[1], s[0], bits);
	case BW_UNDEF_BFE_U:
	case BW_UNDEF_BFE_I:
		return bfe_vector(s, rule == BW_UNDEF_BFE_I);
	case BW_UNDEF_BFE_SU:
	case BW_UNDEF_BFE_SI:
		return bfe_scalar(s, rule == BW_UNDEF_BFE_SI, bits);
	case BW_UNDEF_SEXT8:
		return sext(s[0], 8);
	case BW_UNDEF_SEXT16:
		return sext(s[0], 16);
	case BW_UNDEF_PACK_LL:
		return pack(s[0], 0, s[1], 0);
	case BW_UNDEF_PACK_LH:
		return pack(s[0], 0, s[1], 16);
	case BW_UNDEF_PACK_HH:
		return pack(s[0], 16, s[1], 16);
	case BW_UNDEF_PACK_HL:
		return pack(s[0], 16, s[1], 0);
	case BW_UNDEF_CVT_PK:
		return (bits_t){0, (s[0].u ? 0xffffull : 0) | (s[1].u ? 0xffff0000ull : 0)};
	case BW_UNDEF_UBYTE0:
	case BW_UNDEF_UBYTE1:
	case BW_UNDEF_UBYTE2:
	case BW_UNDEF_UBYTE3:
		return s[0].u >> 8 * (rule - BW_UNDEF_UBYTE0) & 0xff ? all_undefined(bits)
								     : (bits_t){0, 0};
	case BW_UNDEF_ALIGN_BIT:
		return align(s, 1, 32);
	case BW_UNDEF_ALIGN_BYTE:
		return align(s, 8, 4);
	default: /* PERM */
		return perm(s);
	}
}

static bits_t result(enum bw_undef_rule rule, const bits_t *s, unsigned n, unsigned bits)
{
	switch (rule) {
	case BW_UNDEF_ANY:
		return any_undefined(s, n, bits);
	case BW_UNDEF_NONE:
		return (bits_t){0, 0};
	case BW_UNDEF_WHOLE:
		return whole(s, n, bits);
	case BW_UNDEF_COPY:
		return s[0];
	case BW_UNDEF_NOT:
		return not_(s[0]);
	case BW_UNDEF_REVERSE:
		return (bits_t){reverse(s[0].v, bits), reverse(s[0].u, bits)};
	case BW_UNDEF_AND ... BW_UNDEF_BFI:
		return of_logic(rule, s);
	case BW_UNDEF_SUM ... BW_UNDEF_MUL_FLOAT:
	case BW_UNDEF_SHL_ADD ... BW_UNDEF_XAD:
		return of_sums(rule, s, n, bits);
	case BW_UNDEF_SHL ... BW_UNDEF_SAR_REV:
	case BW_UNDEF_BFE_U ... BW_UNDEF_PERM:
		return of_fields(rule, s, bits);
	case BW_UNDEF_BITSET0:
	case BW_UNDEF_BITSET1:
		return bitset(s, rule == BW_UNDEF_BITSET1, bits);
	case BW_UNDEF_SELECT:
		return select_(s, bits);
	case BW_UNDEF_PACKED:
		return parts(s, n, 16);
	case BW_UNDEF_PACKED_WIDE:
		return parts(s, n, 32);
	case BW_UNDEF_PACK_WIDE:
		return pack_wide(s);
	case BW_UNDEF_IS_EQUAL:
		return condition(is_equal_undefined(s[0], s[1]));
	case BW_UNDEF_IS_LT_U ... BW_UNDEF_IS_GE_S:
		return condition(is_order_undefined(rule, s, bits));
	case BW_UNDEF_BIT:
		return bit(s, bits);
	}
	return all_undefined(bits);
}

struct bw_bits bw_undef_result(enum bw_undef_rule rule, const struct bw_bits *s, unsigned n,
			       unsigned bits)
{
	bits_t in[4] = {{0, 0}}, out;
	for (unsigned i = 0; i < n && i < 4; i++)
		in[i] = s[i];
	out = result(rule, in, n, bits);
	return (bits_t){out.v & mask_of(bits), out.u & mask_of(bits)};
}
