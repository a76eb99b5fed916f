/* SPDX-License-Identifier: MIT */
#include "sym/variables_priv.h"

#include <dwarf.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../suite.h"

/* Expressions byte by byte: what they mean by DWARF 5, and by doc/hardware/code-objects.md 7 where
 * clang-19 means something else. Whatever else there is has a reason why it is not known. */

enum { VGPR3_LO = 0x83, VGPR_HI = 0x0c }; /* 0x603 as LEB128 */

static const uint64_t addresses[] = {0x1200, 0, 0x900000};

static struct bw_location evaluated_as(uint64_t size_b, const uint8_t *expr, size_t n)
{
	struct bw_expr_context c = {
		.lds_offset = -1,
		.addr = {(const uint8_t *)addresses, sizeof(addresses)},
		.size_b = size_b,
		.image_b = 0x4000,
		.frame = BW_BASE_S33,
	};
	/* its own allocation, so that a read past the end is seen */
	uint8_t *copy = malloc(n ? n : 1);
	struct bw_location out = {.start = 4, .end = 8};
	assert_non_null(copy);
	memcpy(copy, expr, n);
	bw_location_evaluate(&c, copy, n, &out);
	free(copy);
	assert_int_equal(out.start, 4);
	assert_int_equal(out.end, 8);
	return out;
}
static struct bw_location evaluated(const uint8_t *expr, size_t n)
{
	return evaluated_as(8, expr, n);
}
#define EVALUATED(...)                                                                             \
	evaluated((const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

#define CHECK_UNKNOWN(reason, ...)                                                                 \
	do {                                                                                       \
		struct bw_location at_ = EVALUATED(__VA_ARGS__);                                   \
		assert_int_equal(at_.kind, BW_LOC_UNKNOWN);                                        \
		assert_int_equal(at_.n_pieces, 0);                                                 \
		assert_string_equal(at_.why, reason);                                              \
	} while (0)

#define SPACE(n) DW_OP_lit##n, DW_OP_swap, DW_OP_xderef

static void registers(void **state)
{
	struct bw_location at = EVALUATED(DW_OP_regx, VGPR3_LO, VGPR_HI);
	assert_int_equal(at.kind, BW_LOC_VGPR);
	assert_int_equal(at.reg, 3);
	at = EVALUATED(DW_OP_bregx, VGPR3_LO, VGPR_HI, 0, SPACE(1));
	assert_int_equal(at.kind, BW_LOC_VGPR);
	assert_int_equal(at.reg, 3);
	at = EVALUATED(DW_OP_regx, 0x83, 0x14); /* 0xa03: of a wave64 */
	assert_int_equal(at.kind, BW_LOC_VGPR);
	assert_int_equal(at.reg, 3);
	at = EVALUATED(DW_OP_regx, 36);
	assert_int_equal(at.kind, BW_LOC_SGPR);
	assert_int_equal(at.reg, 4);
	at = EVALUATED(DW_OP_regx, 0xc1, 0x08); /* 1089 */
	assert_int_equal(at.kind, BW_LOC_SGPR);
	assert_int_equal(at.reg, 65);
	at = EVALUATED(DW_OP_bregx, 36, 0, SPACE(1));
	assert_int_equal(at.kind, BW_LOC_SGPR);
	CHECK_UNKNOWN("a value computed from v3", DW_OP_bregx, VGPR3_LO, VGPR_HI, 4, SPACE(1));
	CHECK_UNKNOWN("its address is in v3", DW_OP_bregx, VGPR3_LO, VGPR_HI, 0);
	CHECK_UNKNOWN("DWARF register 16 is not supported", DW_OP_reg16);
	CHECK_UNKNOWN("DWARF register 512 is not supported", DW_OP_regx, 0x80, 4);
}

static void memory(void **state)
{
	struct bw_location at = EVALUATED(DW_OP_fbreg, 0x7c, SPACE(1));
	assert_int_equal(at.kind, BW_LOC_PRIVATE);
	assert_int_equal(at.base, BW_BASE_S33);
	assert_int_equal(at.offset, -4);
	at = EVALUATED(DW_OP_bregx, 64, 16); /* s32, as C writes it */
	assert_int_equal(at.kind, BW_LOC_PRIVATE);
	assert_int_equal(at.base, BW_BASE_S32);
	assert_int_equal(at.offset, 16);
	at = EVALUATED(DW_OP_fbreg, 8, DW_OP_plus_uconst, 4);
	assert_int_equal(at.offset, 12);
	at = EVALUATED(DW_OP_addrx, 0);
	assert_int_equal(at.kind, BW_LOC_GLOBAL);
	assert_int_equal(at.offset, 0x1200);
	at = EVALUATED(DW_OP_addr, 0x10, 0, 0, 0, 0, 0, 0, 0);
	assert_int_equal(at.kind, BW_LOC_GLOBAL);
	assert_int_equal(at.offset, 0x10);
	CHECK_UNKNOWN("LDS offset unknown", DW_OP_addrx, 1, SPACE(2));
	CHECK_UNKNOWN("the object does not say its address", DW_OP_addrx, 1);
	CHECK_UNKNOWN("the object does not say its address", DW_OP_addrx, 2);
	CHECK_UNKNOWN("a damaged index of an address", DW_OP_addrx, 3);
	CHECK_UNKNOWN("a damaged index of an address", DW_OP_addrx, 0xff, 0xff, 0xff, 0xff, 0xff,
		      0xff, 0xff, 0xff, 0xff, 0x01);
	CHECK_UNKNOWN("an address of an unknown space", DW_OP_fbreg, 0, SPACE(5));
	CHECK_UNKNOWN("an address of an unknown space", DW_OP_lit4);
	CHECK_UNKNOWN("DW_OP_deref is not supported", DW_OP_fbreg, 8, DW_OP_deref);
}

static void constants(void **state)
{
	struct bw_location at = EVALUATED(DW_OP_consts, 0x7f, SPACE(1), DW_OP_stack_value);
	assert_int_equal(at.kind, BW_LOC_CONSTANT);
	assert_int_equal((int64_t)at.value, -1);
	at = EVALUATED(DW_OP_lit16, DW_OP_lit1, DW_OP_shr, SPACE(1), DW_OP_stack_value);
	assert_int_equal(at.value, 8);
	at = EVALUATED(DW_OP_const2s, 0xfe, 0xff, DW_OP_stack_value);
	assert_int_equal((int64_t)at.value, -2);
	/* the bits above the type's would count */
	CHECK_UNKNOWN("DW_OP_shr is not supported", DW_OP_const1s, 0xfe, DW_OP_lit1, DW_OP_shr,
		      DW_OP_stack_value);
	CHECK_UNKNOWN("DW_OP_div is not supported", DW_OP_lit4, DW_OP_lit0, DW_OP_div,
		      DW_OP_stack_value);
	at = EVALUATED(DW_OP_implicit_value, 4, 1, 2, 3, 4);
	assert_int_equal(at.kind, BW_LOC_CONSTANT);
	assert_int_equal(at.value, 0x04030201);
	at = EVALUATED(DW_OP_implicit_value, 10, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10);
	assert_int_equal(at.n_pieces, 2);
	assert_int_equal(at.piece[0].size_b, 8);
	assert_int_equal(at.piece[1].size_b, 2);
	assert_int_equal(at.piece[1].value, 0x0a09);
	CHECK_UNKNOWN("a damaged expression: its value has no end", DW_OP_implicit_value, 4, 1, 2);
}

static void pieces(void **state)
{
	struct bw_location at =
		EVALUATED(DW_OP_regx, VGPR3_LO, VGPR_HI, DW_OP_piece, 4, DW_OP_piece, 2, DW_OP_lit7,
			  DW_OP_stack_value, DW_OP_piece, 2);
	assert_int_equal(at.n_pieces, 3);
	assert_int_equal(at.piece[0].kind, BW_LOC_VGPR);
	assert_int_equal(at.piece[1].kind, BW_LOC_OPTIMIZED_OUT);
	assert_int_equal(at.piece[2].kind, BW_LOC_CONSTANT);
	assert_int_equal(at.piece[2].value, 7);
	/* what the pieces leave out of a type of 8 bytes */
	at = EVALUATED(DW_OP_regx, VGPR3_LO, VGPR_HI, DW_OP_piece, 4);
	assert_int_equal(at.n_pieces, 2);
	assert_int_equal(at.piece[1].kind, BW_LOC_OPTIMIZED_OUT);
	assert_int_equal(at.piece[1].size_b, 4);
	at = EVALUATED(DW_OP_regx, VGPR3_LO, VGPR_HI, DW_OP_piece, 8);
	assert_int_equal(at.n_pieces, 0);
	assert_int_equal(at.kind, BW_LOC_VGPR);
	at = EVALUATED(DW_OP_piece, 8);
	assert_int_equal(at.kind, BW_LOC_OPTIMIZED_OUT);
	assert_int_equal(at.n_pieces, 0);
	CHECK_UNKNOWN("a variable in pieces of bits", DW_OP_regx, VGPR3_LO, VGPR_HI,
		      DW_OP_bit_piece, 3, 0);
	CHECK_UNKNOWN("a damaged expression: its last piece has no size", DW_OP_piece, 4,
		      DW_OP_lit0);
	uint8_t many[2 * 17];
	for (size_t i = 0; i < sizeof(many); i += 2) {
		many[i] = DW_OP_piece;
		many[i + 1] = 1;
	}
	at = evaluated(many, sizeof(many));
	assert_int_equal(at.kind, BW_LOC_UNKNOWN);
	assert_string_equal(at.why, "a variable in more than 16 pieces");
}

/* The value that an expression computes from v3 and v4. */
static bool computed(const struct bw_location *at, uint32_t v3, uint32_t v4, uint64_t *out)
{
	uint32_t regs[BW_LOC_STEPS_MAX] = {0};
	assert_int_equal(at->kind, BW_LOC_COMPUTED);
	for (unsigned i = 0; i < at->n_steps; i++)
		if (bw_location_step_is_register(&at->step[i]))
			regs[i] = at->step[i].reg == 3 ? v3 : v4;
	return bw_location_compute(at, regs, out);
}
#define COMPUTED(size_b, ...)                                                                      \
	evaluated_as(size_b, (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))
#define V3 DW_OP_bregx, VGPR3_LO, VGPR_HI
#define V4 DW_OP_bregx, VGPR3_LO + 1, VGPR_HI

/* As C computes it on int and unsigned. */
static void computed_values(void **state)
{
	uint64_t v;
	struct bw_location at =
		COMPUTED(4, V3, 0, DW_OP_lit31, DW_OP_and, SPACE(1), DW_OP_stack_value);
	assert_true(computed(&at, 0x12345678, 0, &v));
	assert_int_equal(v, 0x18);
	at = COMPUTED(4, V3, 0x7b, DW_OP_stack_value); /* v3 - 5 */
	assert_true(computed(&at, 3, 0, &v));
	assert_int_equal(v, 0xfffffffe);
	/* of the type's width, whatever the bits above are */
	at = COMPUTED(2, V3, 0, DW_OP_lit4, DW_OP_shr, DW_OP_stack_value);
	assert_true(computed(&at, 0xabcd8765, 0, &v));
	assert_int_equal(v, 0x876);
	at = COMPUTED(2, V3, 0, DW_OP_lit4, DW_OP_shra, DW_OP_stack_value);
	assert_true(computed(&at, 0xabcd8765, 0, &v));
	assert_int_equal(v, 0xf876);
	at = COMPUTED(4, V3, 0, V4, 0, DW_OP_div, DW_OP_stack_value);
	assert_true(computed(&at, (uint32_t)-7, 2, &v));
	assert_int_equal(v, (uint32_t)-3);
	assert_false(computed(&at, 7, 0, &v));
	assert_true(computed(&at, 0x80000000, (uint32_t)-1, &v));
	assert_int_equal(v, 0x80000000);
	/* clang says nothing of the operands' sign */
	at = COMPUTED(1, V3, 0, V4, 0, DW_OP_lt, SPACE(1), DW_OP_stack_value);
	assert_true(computed(&at, 2, 1000, &v));
	assert_int_equal(v, 1);
	assert_true(computed(&at, 1000, 1000, &v));
	assert_int_equal(v, 0);
	assert_false(computed(&at, (uint32_t)-1, 1000, &v));
	assert_true(computed(&at, (uint32_t)-2, (uint32_t)-1, &v));
	assert_int_equal(v, 1);
	/* as many values as LLVM takes together, all on the stack before the first is added */
	uint8_t sum[16 * 5 + 15 + 1];
	size_t n = 0;
	for (size_t i = 0; i < 16; i++) {
		const uint8_t reg[] = {V3, 0};
		memcpy(sum + n, reg, sizeof(reg));
		n += sizeof(reg);
	}
	memset(sum + n, DW_OP_plus, 15);
	n += 15;
	sum[n++] = DW_OP_stack_value;
	at = evaluated_as(4, sum, n);
	assert_true(computed(&at, 1001, 0, &v));
	assert_int_equal(v, 16016);
	/* half of a pair of registers; a result that is missing, or one too many */
	CHECK_UNKNOWN("DW_OP_shr is not supported", V3, 0, DW_OP_lit4, DW_OP_shr,
		      DW_OP_stack_value);
	CHECK_UNKNOWN("DW_OP_lt is not supported", V3, 0, DW_OP_lt, DW_OP_stack_value);
	CHECK_UNKNOWN("DW_OP_lt is not supported", V3, 0, V4, 0, DW_OP_lt);
	CHECK_UNKNOWN("DW_OP_convert is not supported", V3, 0, DW_OP_convert, 0x2b,
		      DW_OP_stack_value);
}

static void damaged(void **state)
{
	uint8_t deep[33] = {0};
	struct bw_location at = evaluated(deep, 0);
	assert_int_equal(at.kind, BW_LOC_OPTIMIZED_OUT);
	memset(deep, DW_OP_lit0, sizeof(deep));
	at = evaluated(deep, sizeof(deep));
	assert_string_equal(at.why, "an expression that needs a deeper stack");
	CHECK_UNKNOWN("a damaged expression: it takes from an empty stack", DW_OP_swap);
	CHECK_UNKNOWN("a damaged expression: it has no end", DW_OP_const8u, 1, 2);
	CHECK_UNKNOWN("a damaged expression: it has no end", DW_OP_fbreg, 0x80);
	CHECK_UNKNOWN("a damaged expression: operators follow its result", DW_OP_regx, 36,
		      DW_OP_lit0);
	CHECK_UNKNOWN("DW_OP_entry_value is not supported", DW_OP_entry_value, 1, DW_OP_reg0);
	CHECK_UNKNOWN("DW_OP_LLVM_user is not supported", 0xe9, 1);
	CHECK_UNKNOWN("the DWARF operator 0xff is not supported", 0xff);
}

static void frame_bases(void **state)
{
	static const uint8_t s33[] = {DW_OP_regx, 65}, s32[] = {DW_OP_regx, 64},
			     s34[] = {DW_OP_regx, 66}, cfa[] = {DW_OP_call_frame_cfa};
	enum bw_frame_base base = BW_BASE_ZERO;
	assert_null(bw_location_frame_base(s33, 2, &base));
	assert_int_equal(base, BW_BASE_S33);
	assert_null(bw_location_frame_base(s32, 2, &base));
	assert_int_equal(base, BW_BASE_S32);
	assert_non_null(bw_location_frame_base(s34, 2, &base));
	assert_non_null(bw_location_frame_base(cfa, 1, &base));
	assert_non_null(bw_location_frame_base(cfa, 0, &base));
}

TESTS(registers, memory, constants, pieces, computed_values, damaged, frame_bases);
