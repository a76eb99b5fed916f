/* SPDX-License-Identifier: MIT */
#include "vgpu/device/exec/alu/excp.h"

#include <math.h>
#include <pthread.h>

#include "base/float_bits.h"
#include "base/util.h"
#include "isa/ops.h"
#include "vgpu/device/exec/core/build.h"
#include "vgpu/device/exec/alu/fmath.h"
#include "vgpu/device/exec/alu/lane_half.h"

/* clang-format off */
enum kind {
	NO_KIND,
	ADD, SUB, SUBREV, MUL, MUL_DX9, FMA, FMA_F16, FMA_DX9,
	OPERANDS, /* signalling NaNs, denormals */
	FINITE,   /* the same, infinities are invalid, results inexact */
	FRACT,    /* the same, without the last */
	TO_F16, TO_F16_RTZ, TO_F32, TO_F64, TO_I32, TO_U32, TO_I16, TO_U16,
	FROM_I32, FROM_U32, FROM_I16, FROM_U16,
	RCP, RCP_IFLAG, RSQ, SQRT, LOG, EXP, LDEXP, DIV_FMAS, DIV_FIXUP,
};
/* clang-format on */

static const struct {
	const char *name;
	enum kind kind;
} table[] = {
#define EXCP(n, k) {#n, k},
#include "vgpu/device/exec/sem/excp.def"
};

static uint8_t kinds[BW_OP_COUNT];

/* v_cmp_class has a mask for its second operand. */
static bool compares_floats(const struct bw_op_info *info)
{
	return info->src[0].type == BW_OPERAND_FLOAT && info->src[1].type == BW_OPERAND_FLOAT;
}

static void fill_kinds(void)
{
	for (size_t i = 0; i < BW_ARRAY_SIZE(table); i++)
		kinds[bw_isa_op_by_name(table[i].name)] = (uint8_t)table[i].kind;
	for (unsigned op = BW_OP_ILLEGAL + 1; op < BW_OP_COUNT; op++) {
		const struct bw_op_info *info = bw_isa_op_info(op);
		if (info->same != op)
			kinds[op] = kinds[info->same];
		else if (info->class == BW_CLASS_CMP && compares_floats(info))
			kinds[op] = OPERANDS;
	}
	kinds[BW_OP_ILLEGAL] = NO_KIND;
}

static enum kind kind_of(unsigned op)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, fill_kinds);
	return (enum kind)kinds[op];
}

bool bw_excp_possible(const struct bw_inst *inst)
{
	return kind_of(inst->op) != NO_KIND ||
	       (inst->fmt == BW_FMT_VOPD && kind_of(inst->op_y) != NO_KIND);
}

/* One lane's operands. */
struct lane {
	enum bw_fkind type;
	uint64_t s[3];
	unsigned n;
	uint32_t bit; /* of the mask operand */
	const struct bw_fmode *m;
};

static uint64_t ones(enum bw_fkind t)
{
	static const uint64_t one[] = {0x3c00, 0x3f80, 0x3f800000, 0x3ff0000000000000};
	return one[t];
}

static double value(enum bw_fkind t, uint64_t v)
{
	switch (t) {
	case BW_FKIND_F16:
		return (double)f16_to_f32((uint16_t)v, 0);
	case BW_FKIND_BF16:
		return (double)bf16_to_f32((uint16_t)v);
	case BW_FKIND_F32:
		return (double)bits_f32((uint32_t)v);
	case BW_FKIND_F64:
		return bits_f64(v);
	}
	return 0.0;
}

static uint64_t sign_of(enum bw_fkind t)
{
	return t == BW_FKIND_F64 ? 1ull << 63 : t == BW_FKIND_F32 ? 1ull << 31 : 1ull << 15;
}

/* Signalling NaNs are invalid, denormals that count as such are reported. */
static uint32_t input_exceptions(const struct lane *a, const struct bw_fmath *m)
{
	uint32_t flags = 0;
	for (unsigned i = 0; i < a->n; i++) {
		if (bw_fmath_is_snan(a->type, a->s[i]))
			flags |= BW_FEXCP_INVALID;
		if (!m->flush_in && bw_fmath_is_denormal(a->type, a->s[i]))
			flags |= BW_FEXCP_DENORMAL;
	}
	return flags;
}

static bool counts_as_zero(const struct lane *a, unsigned i, const struct bw_fmath *m)
{
	return (a->s[i] & ~sign_of(a->type)) == 0 ||
	       (m->flush_in && bw_fmath_is_denormal(a->type, a->s[i]));
}

/* Float to integer: rule 154. A saturated value is invalid, a fraction lost inexact. */
static uint32_t to_int(const struct lane *a, const struct bw_fmath *m, double lo, double hi)
{
	uint32_t flags = input_exceptions(a, m);
	for (unsigned i = 0; i < a->n; i++) {
		double v = counts_as_zero(a, i, m) ? 0.0 : value(a->type, a->s[i]);
		if (!(__builtin_trunc(v) >= lo && __builtin_trunc(v) <= hi))
			flags |= BW_FEXCP_INVALID;
		else if (v != __builtin_trunc(v))
			flags |= BW_FEXCP_INEXACT;
	}
	return flags;
}

/* Is an integer too long for the fraction of a float? */
static uint32_t from_int(uint64_t magnitude, unsigned digits, double largest)
{
	if ((double)magnitude > largest)
		return BW_FEXCP_OVERFLOW | BW_FEXCP_INEXACT;
	if (magnitude == 0)
		return 0;
	unsigned len =
		64 - (unsigned)__builtin_clzll(magnitude) - (unsigned)__builtin_ctzll(magnitude);
	return len > digits ? BW_FEXCP_INEXACT : 0;
}

/* Widest to narrow type: the operand's flush, the result's rounding. */
static uint32_t convert(const struct lane *a, enum bw_fkind to, int round)
{
	struct bw_fmath in = bw_fmath_mode(a->m, a->type), m = bw_fmath_mode(a->m, to);
	uint32_t flags = 0;
	m.flush_in = in.flush_in;
	if (round >= 0)
		m.round = (enum bw_round)round;
	for (unsigned i = 0; i < a->n; i++)
		bw_fmath_cvt(a->type, to, a->s[i], &m, &flags);
	return flags;
}

/* 1 / sqrt(x), log2(x), 2^x: the exceptions that do not depend on the result's last bit. */
static uint32_t transcendental(enum kind kind, const struct lane *a, const struct bw_fmath *m)
{
	uint32_t flags = input_exceptions(a, m);
	double v = counts_as_zero(a, 0, m) ? 0.0 : value(a->type, a->s[0]);
	int emin = a->type == BW_FKIND_F16 ? -14 : a->type == BW_FKIND_F32 ? -126 : -1022;
	if (v != v)
		return flags;
	if (kind == EXP) {
		if (__builtin_isinf(v))
			return flags;
		if (v >= (double)(1 - emin + 1))
			return flags | BW_FEXCP_OVERFLOW | BW_FEXCP_INEXACT;
		if (v < (double)emin)
			return flags | BW_FEXCP_UNDERFLOW | BW_FEXCP_INEXACT;
		return v == __builtin_trunc(v) ? flags : flags | BW_FEXCP_INEXACT;
	}
	if (v == 0.0)
		return flags | BW_FEXCP_DIV0;
	if (v < 0.0)
		return flags | BW_FEXCP_INVALID;
	if (__builtin_isinf(v))
		return flags;
	int e;
	double fraction = __builtin_frexp(v, &e);
	/* a power of two, for rsq an even one */
	bool exact = fraction == 0.5 && (kind == LOG || (e & 1));
	return exact ? flags : flags | BW_FEXCP_INEXACT;
}

static uint32_t div_fixup(const struct lane *a, const struct bw_fmath *m)
{
	const struct lane operands = {.type = a->type, .s = {a->s[1], a->s[2]}, .n = 2, .m = a->m};
	uint32_t flags = input_exceptions(&operands, m);
	double den = counts_as_zero(a, 1, m) ? 0.0 : value(a->type, a->s[1]);
	double num = counts_as_zero(a, 2, m) ? 0.0 : value(a->type, a->s[2]);
	if (den != den || num != num)
		return flags;
	if ((den == 0.0 && num == 0.0) || (__builtin_isinf(den) && __builtin_isinf(num)))
		return flags | BW_FEXCP_INVALID;
	if (den == 0.0 && !__builtin_isinf(num))
		return flags | BW_FEXCP_DIV0;
	return flags;
}

static uint32_t fma_flags(const struct lane *a, const struct bw_fmath *m, int scale)
{
	uint32_t flags = 0;
	bw_fmath_fma(a->type, a->s, scale, m, &flags);
	return flags;
}

static uint32_t fma_f16(const struct lane *a, const struct bw_fmath *m)
{
	uint32_t flags = 0;
	struct lane r = {.type = BW_FKIND_F32, .n = 1, .m = a->m};
	struct bw_fmath to16 = bw_fmath_mode(a->m, BW_FKIND_F16);
	r.s[0] = bw_fmath_fma(BW_FKIND_F32, a->s, 0, m, &flags);
	to16.flush_in = false;
	uint32_t narrow = 0;
	bw_fmath_cvt(BW_FKIND_F32, BW_FKIND_F16, r.s[0], &to16, &narrow);
	return flags | (narrow & ~(uint32_t)BW_FEXCP_DENORMAL);
}

static uint32_t arithmetic(enum kind kind, const struct lane *a, const struct bw_fmath *m)
{
	uint32_t flags = 0;
	uint64_t minus = sign_of(a->type);
	bool dx9_zero = counts_as_zero(a, 0, m) || (a->n > 1 && counts_as_zero(a, 1, m));
	switch ((unsigned)kind) {
	case ADD:
		bw_fmath_add(a->type, a->s[0], a->s[1], m, &flags);
		break;
	case SUB:
		bw_fmath_add(a->type, a->s[0], a->s[1] ^ minus, m, &flags);
		break;
	case SUBREV:
		bw_fmath_add(a->type, a->s[1], a->s[0] ^ minus, m, &flags);
		break;
	case MUL_DX9:
		if (dx9_zero)
			break;
		/* fallthrough */
	case MUL:
		bw_fmath_mul(a->type, a->s[0], a->s[1], m, &flags);
		break;
	case FMA_DX9:
		if (dx9_zero)
			break;
		/* fallthrough */
	case FMA:
		return fma_flags(a, m, 0);
	case DIV_FMAS: {
		unsigned top = a->type == BW_FKIND_F64 ? 1023 : 127,
			 frac = a->type == BW_FKIND_F64 ? 52 : 23;
		int by = a->type == BW_FKIND_F64 ? 128 : 64;
		bool up = (a->s[2] & ~minus) >> frac > top;
		return fma_flags(a, m, !a->bit ? 0 : up ? by : -by);
	}
	case RCP:
		bw_fmath_div(a->type, ones(a->type), a->s[0], m, &flags);
		break;
	case SQRT:
		bw_fmath_sqrt(a->type, a->s[0], m, &flags);
		break;
	case LDEXP:
		bw_fmath_ldexp(a->type, a->s[0], (int32_t)a->s[1], m, &flags);
		break;
	default:
		break;
	}
	return flags;
}

static uint32_t lane_flags(enum kind kind, const struct lane *a)
{
	const struct bw_fmath m = bw_fmath_mode(a->m, a->type);
	uint32_t raw = (uint32_t)a->s[0];
	switch (kind) {
	case NO_KIND:
		return 0;
	case ADD:
	case SUB:
	case SUBREV:
	case MUL:
	case MUL_DX9:
	case FMA:
	case FMA_DX9:
	case DIV_FMAS:
	case RCP:
	case SQRT:
	case LDEXP:
		return arithmetic(kind, a, &m);
	case FMA_F16:
		return fma_f16(a, &m);
	case OPERANDS:
		return input_exceptions(a, &m);
	case FINITE:
	case FRACT: {
		double v = counts_as_zero(a, 0, &m) ? 0.0 : value(a->type, a->s[0]);
		uint32_t flags = input_exceptions(a, &m);
		if (__builtin_isinf(v))
			return flags | BW_FEXCP_INVALID;
		return kind == FINITE && v == v && v * 4.0 != __builtin_trunc(v * 4.0)
			       ? flags | BW_FEXCP_INEXACT
			       : flags;
	}
	case TO_F16:
		return convert(a, BW_FKIND_F16, -1);
	case TO_F16_RTZ:
		return convert(a, BW_FKIND_F16, BW_ROUND_ZERO);
	case TO_F32:
		return convert(a, BW_FKIND_F32, -1);
	case TO_F64:
		return convert(a, BW_FKIND_F64, -1);
	case TO_I32:
		return to_int(a, &m, -0x1p31, 0x1p31 - 1);
	case TO_U32:
		return to_int(a, &m, 0, 0x1p32 - 1);
	case TO_I16:
		return to_int(a, &m, -0x1p15, 0x1p15 - 1);
	case TO_U16:
		return to_int(a, &m, 0, 0x1p16 - 1);
	case FROM_I32:
		return from_int((int32_t)raw < 0 ? -(uint64_t)(int64_t)(int32_t)raw : raw, 24,
				INFINITY);
	case FROM_U32:
		return from_int(raw, 24, INFINITY);
	case FROM_I16:
		return from_int((uint64_t)(raw & 0x8000 ? 0x10000 - raw : raw), 11, 65519.0);
	case FROM_U16:
		return from_int(raw, 11, a->m->round16 == BW_ROUND_NEAREST ? 65519.0 : 65535.0);
	case RCP_IFLAG: /* rule 135 */
		return counts_as_zero(a, 0, &m) ? BW_FEXCP_INT_DIV0 : 0;
	case RSQ:
	case LOG:
	case EXP:
		return transcendental(kind, a, &m);
	case DIV_FIXUP:
		return div_fixup(a, &m);
	}
	return 0;
}

static enum bw_fkind float_type(enum bw_row_type t)
{
	switch ((unsigned)t) {
	case BW_T_F64:
	case BW_T_N64:
		return BW_FKIND_F64;
	case BW_T_F16:
	case BW_T_PKH:
		return BW_FKIND_F16;
	case BW_T_BF16:
	case BW_T_PKB:
		return BW_FKIND_BF16;
	default:
		return BW_FKIND_F32;
	}
}

static uint64_t element(const void *s, unsigned bits, unsigned i)
{
	if (bits == 16)
		return ((const uint16_t *)s)[i];
	return bits == 32 ? ((const uint32_t *)s)[i] : ((const uint64_t *)s)[i];
}

uint32_t bw_excp_lanes(unsigned op, const struct bw_map_row *row, const void *const s[3],
		       uint32_t mask, const struct bw_lane_args *args)
{
	enum kind kind = kind_of(op);
	uint32_t flags = 0;
	bool packed = row->shape == BW_SHAPE_PACKED;
	if (kind == NO_KIND)
		return 0;
	for (unsigned i = 0; i < (packed ? 2 : 1) * BW_LANES; i++) {
		unsigned l = packed ? i / 2 : i;
		if (!(mask >> l & 1))
			continue;
		struct lane a = {.type = float_type((enum bw_row_type)row->src[0]),
				 .n = row->n_src,
				 .m = args->m,
				 .bit = args->mask_in >> l & 1};
		for (unsigned k = 0; k < row->n_src; k++)
			a.s[k] = element(
				s[k], packed ? 16 : bw_type_bits((enum bw_row_type)row->src[k]), i);
		if (kind == LDEXP) { /* the second operand is an integer */
			a.n = 1;
			a.s[1] = row->src[1] == BW_T_I16 ? (uint64_t)(int64_t)(int16_t)a.s[1]
							 : a.s[1];
		}
		flags |= lane_flags(kind, &a);
	}
	return flags;
}
