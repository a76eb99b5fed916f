/* SPDX-License-Identifier: MIT */
/* How undefined bits pass through instructions (exec/check/undef.c), compared with what trying all
 * values of the undefined bits says. */
#include "vgpu/device/exec/check/undef.h"

#include "isa/op.h"
#include "isa/ops.h"

#include "../../suite.h"

/* What an instruction computes, written down here once more. */
typedef uint64_t operation(const uint64_t *s);

static uint32_t low(uint64_t v)
{
	return (uint32_t)v;
}

static uint64_t op_and(const uint64_t *s)
{
	return s[0] & s[1];
}
static uint64_t op_or(const uint64_t *s)
{
	return s[0] | s[1];
}
static uint64_t op_and_or(const uint64_t *s)
{
	return (s[0] & s[1]) | s[2];
}
static uint64_t op_and_not(const uint64_t *s)
{
	return s[0] & ~s[1];
}
static uint64_t op_xor3(const uint64_t *s)
{
	return s[0] ^ s[1] ^ s[2];
}
static uint64_t op_bfi(const uint64_t *s)
{
	return (s[0] & s[1]) | (~s[0] & s[2]);
}
static uint64_t op_add(const uint64_t *s)
{
	return s[0] + s[1];
}
static uint64_t op_mad(const uint64_t *s)
{
	return s[0] * s[1] + s[2];
}
static uint64_t op_sub(const uint64_t *s)
{
	return s[0] - s[1];
}
static uint64_t op_mul(const uint64_t *s)
{
	return s[0] * s[1];
}
static uint64_t op_shl(const uint64_t *s)
{
	return low(s[1]) << (s[0] & 31);
}
static uint64_t op_shr(const uint64_t *s)
{
	return low(s[1]) >> (s[0] & 31);
}
static uint64_t op_sar(const uint64_t *s)
{
	return low((uint64_t)((int32_t)low(s[1]) >> (s[0] & 31)));
}
static uint64_t op_lshl_add(const uint64_t *s)
{
	return (low(s[0]) << (s[1] & 31)) + low(s[2]);
}
static uint64_t op_bfe(const uint64_t *s)
{
	return low(s[0]) >> (s[1] & 31) & ((1ull << (s[2] & 31)) - 1);
}
static uint64_t op_bfe_signed(const uint64_t *s)
{
	unsigned offset = s[1] & 31, width = s[2] & 31;
	if (!width)
		return 0;
	if (offset + width > 32)
		width = 32 - offset;
	uint32_t up = low(s[0]) << (32 - width - offset);
	return low((uint64_t)((int32_t)up >> (32 - width)));
}
static uint64_t op_alignbyte(const uint64_t *s)
{
	return low((s[0] << 32 | low(s[1])) >> 8 * (s[2] & 3));
}
static uint64_t op_perm(const uint64_t *s)
{
	uint8_t bytes[8];
	uint32_t out = 0;
	for (unsigned i = 0; i < 8; i++)
		bytes[i] = (uint8_t)((i < 4 ? s[1] : s[0]) >> 8 * (i % 4));
	for (unsigned i = 0; i < 4; i++) {
		unsigned select = s[2] >> 8 * i & 0xff;
		uint32_t b = select < 8	    ? bytes[select]
			     : select < 12  ? (bytes[2 * (select - 8) + 1] & 0x80 ? 0xff : 0)
			     : select == 12 ? 0
					    : 0xff;
		out |= b << 8 * i;
	}
	return out;
}
static uint64_t op_pack_lh(const uint64_t *s)
{
	return (s[0] & 0xffff) | (s[1] & 0xffff0000);
}
static uint64_t op_reverse(const uint64_t *s)
{
	uint32_t out = 0;
	for (unsigned i = 0; i < 32; i++)
		out = out << 1 | (s[0] >> i & 1);
	return out;
}
static uint64_t op_equal(const uint64_t *s)
{
	return low(s[0]) == low(s[1]);
}
static uint64_t op_less(const uint64_t *s)
{
	return low(s[0]) < low(s[1]);
}
static uint64_t op_at_least_signed(const uint64_t *s)
{
	return (int32_t)low(s[0]) >= (int32_t)low(s[1]);
}
static uint64_t op_bit(const uint64_t *s)
{
	return s[0] >> (s[1] & 31) & 1;
}

static const struct {
	unsigned op;
	operation *fn;
	unsigned n;
	/* The rule may say that more is undefined than is: carries may turn out not to reach. */
	bool is_rough, is_condition;
} rows[] = {
	{BW_OP_V_AND_B32, op_and, 2},
	{BW_OP_V_OR_B32, op_or, 2},
	{BW_OP_V_AND_OR_B32, op_and_or, 3},
	{BW_OP_S_AND_NOT1_B32, op_and_not, 2},
	{BW_OP_V_XOR3_B32, op_xor3, 3},
	{BW_OP_V_BFI_B32, op_bfi, 3, .is_rough = true},
	{BW_OP_V_ADD_NC_U32, op_add, 2, .is_rough = true},
	{BW_OP_V_SUB_NC_U32, op_sub, 2, .is_rough = true},
	{BW_OP_V_MUL_LO_U32, op_mul, 2, .is_rough = true},
	{BW_OP_V_MAD_U64_U32, op_mad, 3, .is_rough = true},
	{BW_OP_V_LSHLREV_B32, op_shl, 2, .is_rough = true},
	{BW_OP_V_LSHRREV_B32, op_shr, 2, .is_rough = true},
	{BW_OP_V_ASHRREV_I32, op_sar, 2, .is_rough = true},
	{BW_OP_V_LSHL_ADD_U32, op_lshl_add, 3, .is_rough = true},
	{BW_OP_V_BFE_U32, op_bfe, 3, .is_rough = true},
	{BW_OP_V_BFE_I32, op_bfe_signed, 3, .is_rough = true},
	{BW_OP_V_ALIGNBYTE_B32, op_alignbyte, 3, .is_rough = true},
	{BW_OP_V_PERM_B32, op_perm, 3, .is_rough = true},
	{BW_OP_S_PACK_LH_B32_B16, op_pack_lh, 2},
	{BW_OP_V_BFREV_B32, op_reverse, 1},
	{BW_OP_V_CMP_EQ_U32, op_equal, 2, .is_condition = true},
	{BW_OP_V_CMP_LT_U32, op_less, 2, .is_condition = true, .is_rough = true},
	{BW_OP_S_CMP_GE_I32, op_at_least_signed, 2, .is_condition = true, .is_rough = true},
	{BW_OP_S_BITCMP1_B32, op_bit, 2, .is_condition = true, .is_rough = true},
};

static uint32_t seed;
static uint32_t random32(void)
{
	seed = seed * 1664525 + 1013904223;
	return seed >> 8 ^ seed << 13;
}

/* Small numbers, which shifts and selectors need, and large ones. */
static uint64_t random_value(void)
{
	uint32_t v = random32();
	switch (random32() % 4) {
	case 0:
		return v & 31;
	case 1:
		return v & 0x0f0f0f0f;
	case 2:
		return random32() % 2 ? 0 : UINT32_MAX;
	default:
		return v;
	}
}

enum { UNDEFINED_BITS = 6 };

/* The bits of the result that change while so many undefined bits take all their values. */
static uint64_t changing(operation *fn, const struct bw_bits *s, unsigned n)
{
	unsigned place[UNDEFINED_BITS], source[UNDEFINED_BITS], n_bits = 0;
	for (unsigned i = 0; i < n; i++)
		for (uint64_t rest = s[i].u; rest; rest &= rest - 1) {
			place[n_bits] = (unsigned)__builtin_ctzll(rest);
			source[n_bits++] = i;
		}
	uint64_t first = 0, changed = 0;
	for (unsigned k = 0; k < 1u << n_bits; k++) {
		uint64_t v[3] = {s[0].v, s[1].v, s[2].v};
		for (unsigned b = 0; b < n_bits; b++)
			v[source[b]] = (v[source[b]] & ~(1ull << place[b])) | (uint64_t)(k >> b & 1)
										      << place[b];
		uint64_t r = low(fn(v));
		if (!k)
			first = r;
		changed |= r ^ first;
	}
	return changed;
}

static void agrees_with_all_values(void **state)
{
	for (size_t r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
		uint64_t n_undefined = 0, n_defined = 0;
		seed = 1;
		for (unsigned round = 0; round < 4000; round++) {
			struct bw_bits s[3] = {{0, 0}};
			for (unsigned i = 0; i < 3; i++)
				s[i].v = random_value();
			unsigned n_bits = random32() % (UNDEFINED_BITS + 1);
			for (unsigned b = 0; b < n_bits; b++)
				s[random32() % rows[r].n].u |= 1ull << random32() % 32;
			uint64_t wanted = changing(rows[r].fn, s, rows[r].n);
			struct bw_bits got =
				bw_undef_result(bw_undef_rule_of(rows[r].op), s, rows[r].n, 32);
			if (wanted & ~got.u || (!rows[r].is_rough && got.u & ~wanted))
				fail_msg("%s of %#lx/%#lx, %#lx/%#lx, %#lx/%#lx: %#lx, not %#lx",
					 bw_isa_op_info(rows[r].op)->name, s[0].v, s[0].u, s[1].v,
					 s[1].u, s[2].v, s[2].u, got.u, wanted);
			if (!wanted && rows[r].is_condition && got.u && !rows[r].is_rough)
				fail_msg("%s is decided", bw_isa_op_info(rows[r].op)->name);
			n_undefined += got.u != 0;
			n_defined += n_bits && !got.u;
		}
		assert_true(n_undefined > 100);
		assert_true(n_defined > 0 || rows[r].fn == op_xor3 || rows[r].fn == op_reverse ||
			    rows[r].fn == op_add || rows[r].fn == op_sub || rows[r].fn == op_mad);
	}
}

static uint64_t undefined(unsigned op, const struct bw_bits *s, unsigned n, unsigned bits)
{
	return bw_undef_result(bw_undef_rule_of(op), s, n, bits).u;
}

static void floats_are_undefined_as_a_whole(void **state)
{
	const struct bw_bits s[2] = {{0x3f800000, 1}, {0x40000000, 0}};
	assert_int_equal(undefined(BW_OP_V_ADD_F32, s, 2, 32), UINT32_MAX);
	assert_int_equal(undefined(BW_OP_V_DUAL_ADD_F32, s, 2, 32), UINT32_MAX);
	assert_int_equal(undefined(BW_OP_V_ADD_F32, s + 1, 1, 32), 0);
}

static void a_select_takes_the_chosen_source(void **state)
{
	struct bw_bits s[3] = {{5, 0xff}, {7, 0}, {1, 0}};
	assert_int_equal(undefined(BW_OP_V_CNDMASK_B32, s, 3, 32), 0);
	s[2].v = 0;
	assert_int_equal(undefined(BW_OP_V_CNDMASK_B32, s, 3, 32), 0xff);
	s[0].u = 0;
	s[2].u = 1;
	assert_int_equal(undefined(BW_OP_V_CNDMASK_B32, s, 3, 32), UINT32_MAX);
	s[0].v = 7; /* the same either way */
	assert_int_equal(undefined(BW_OP_V_CNDMASK_B32, s, 3, 32), 0);
}

static void halves_of_packed_ones_are_apart(void **state)
{
	const struct bw_bits s[2] = {{0, 0x10}, {0, 0}};
	assert_int_equal(undefined(BW_OP_V_PK_ADD_U16, s, 2, 32), 0xffff);
	assert_int_equal(undefined(BW_OP_V_CVT_PK_U16_U32, s, 2, 32), 0xffff);
	assert_int_equal(undefined(BW_OP_V_PACK_B32_F16, s, 2, 32), 0xffff);
	assert_true(undefined(BW_OP_V_PK_FMA_F32, s, 2, 64) == UINT32_MAX);
}

static void halves_of_pairs_are_put_together(void **state)
{
	struct bw_bits s[2] = {{0, 0x10ull << 32 | 1}, {0, 0}};
	assert_int_equal(undefined(BW_OP_V_PK_MOV_B32, s, 2, 64), 1);
	s[1] = s[0];
	s[0].u = 0;
	assert_true(undefined(BW_OP_V_PK_MOV_B32, s, 2, 64) == 0x10ull << 32);
}

/* Compilers add 32 bits so, with whatever is in the upper half. */
static void the_upper_half_of_an_addend_stays_there(void **state)
{
	struct bw_bits s[3] = {{3, 0}, {5, 0}, {7, 0xffffffffull << 32}};
	assert_true(undefined(BW_OP_V_MAD_U64_U32, s, 3, 64) == 0xffffffffull << 32);
	assert_true(undefined(BW_OP_V_MAD_I64_I32, s, 3, 64) == 0xffffffffull << 32);
}

static void a_zero_factor_decides(void **state)
{
	struct bw_bits s[2] = {{0, UINT32_MAX}, {0, 0}};
	assert_int_equal(undefined(BW_OP_V_MUL_LO_U32, s, 2, 32), 0);
	s[1].v = 4; /* the two lowest bits are 0 of such a product, and count as undefined */
	assert_int_equal(undefined(BW_OP_V_MUL_LO_U32, s, 2, 32), UINT32_MAX);
}

static void not_zero_needs_one_defined_bit(void **state)
{
	assert_true(bw_undef_nonzero((struct bw_bits){0, 1}));
	assert_true(bw_undef_nonzero((struct bw_bits){1, 1}));
	assert_false(bw_undef_nonzero((struct bw_bits){2, 1}));
	assert_false(bw_undef_nonzero((struct bw_bits){0, 0}));
}

static void shifts_of_64_bits(void **state)
{
	struct bw_bits s[2] = {{36, 0}, {0, 0xf}};
	assert_true(undefined(BW_OP_V_LSHLREV_B64, s, 2, 64) == 0xfull << 36);
	s[1].u = 0xfull << 60;
	assert_true(undefined(BW_OP_V_LSHRREV_B64, s, 2, 64) == 0xf000000ull);
	assert_true(undefined(BW_OP_V_ASHRREV_I64, s, 2, 64) == 0xffffffffff000000ull);
	s[0].u = 32;
	assert_true(undefined(BW_OP_V_LSHRREV_B64, s, 2, 64) == UINT64_MAX);
}

TESTS(agrees_with_all_values, floats_are_undefined_as_a_whole, a_select_takes_the_chosen_source,
      halves_of_packed_ones_are_apart, halves_of_pairs_are_put_together, a_zero_factor_decides,
      the_upper_half_of_an_addend_stays_there, not_zero_needs_one_defined_bit, shifts_of_64_bits);
