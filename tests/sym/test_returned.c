/* SPDX-License-Identifier: MIT */
/* Where results of functions are. What is expected is what clang-19 -O2 makes of functions that
 * return such types (llvm-objdump-19). */
#include "sym/returned.h"

#include <dwarf.h>
#include <stdint.h>
#include <string.h>

#include "../suite.h"

static const struct bw_ctype c8 = {.kind = BW_CTYPE_INT, .size_b = 1},
			     i16 = {.kind = BW_CTYPE_INT, .size_b = 2},
			     i32 = {.kind = BW_CTYPE_INT, .size_b = 4},
			     f64 = {.kind = BW_CTYPE_FLOAT, .size_b = 8};

static void assert_piece(const struct bw_location *l, unsigned i, unsigned reg, unsigned size_b)
{
	assert_true(i < l->n_pieces);
	assert_int_equal(l->piece[i].kind, BW_LOC_VGPR);
	assert_int_equal(l->piece[i].reg, reg);
	assert_int_equal(l->piece[i].size_b, size_b);
}

static void test_numbers(void **state)
{
	struct bw_location l;
	assert_true(bw_returned_in(&c8, &l));
	assert_piece(&l, 0, 0, 1);
	assert_true(bw_returned_in(&f64, &l));
	assert_int_equal(l.n_pieces, 1);
	assert_piece(&l, 0, 0, 8);
	assert_false(bw_returned_in(&(struct bw_ctype){.kind = BW_CTYPE_VOID}, &l));
}

static void test_vectors(void **state)
{
	const struct bw_ctype int3 = {
		.kind = BW_CTYPE_VECTOR, .elem = &i32, .count = 3, .size_b = 16};
	const struct bw_ctype short4 = {
		.kind = BW_CTYPE_VECTOR, .elem = &i16, .count = 4, .size_b = 8};
	const struct bw_ctype char4 = {
		.kind = BW_CTYPE_VECTOR, .elem = &c8, .count = 4, .size_b = 4};
	struct bw_location l;
	assert_true(bw_returned_in(&int3, &l));
	assert_int_equal(l.n_pieces, 2);
	assert_piece(&l, 0, 0, 12);
	assert_int_equal(l.piece[1].kind, BW_LOC_OPTIMIZED_OUT);
	assert_int_equal(l.piece[1].size_b, 4);
	assert_true(bw_returned_in(&short4, &l));
	assert_int_equal(l.n_pieces, 1);
	assert_piece(&l, 0, 0, 8);
	assert_true(bw_returned_in(&char4, &l));
	assert_int_equal(l.n_pieces, 4);
	assert_piece(&l, 3, 3, 1);
}

static void test_structs(void **state)
{
	const struct bw_cmember pair[] = {{.type = &i16}, {.type = &i32, .offset_b = 4}};
	const struct bw_cmember mix[] = {{.type = &c8}, {.type = &f64, .offset_b = 8}};
	const struct bw_ctype ints = {
		.kind = BW_CTYPE_ARRAY, .elem = &i32, .count = 17, .size_b = 68};
	const struct bw_cmember many[] = {{.type = &ints}};
	struct bw_ctype s = {.kind = BW_CTYPE_STRUCT, .members = pair, .n_members = 2, .size_b = 8};
	struct bw_location l;
	assert_true(bw_returned_in(&s, &l)); /* as the bytes are */
	assert_int_equal(l.n_pieces, 1);
	assert_piece(&l, 0, 0, 8);
	s.members = mix;
	s.size_b = 16;
	assert_true(bw_returned_in(&s, &l));
	assert_int_equal(l.n_pieces, 3);
	assert_piece(&l, 0, 0, 1);
	assert_int_equal(l.piece[1].size_b, 7);
	assert_piece(&l, 2, 1, 8);
	s.members = many;
	s.n_members = 1;
	s.size_b = 68;
	assert_false(bw_returned_in(&s, &l));
	assert_true(bw_returned_in_memory(&s));
	const struct bw_cmember derived[] = {{.type = &ints, .is_base = true}};
	s.members = derived; /* clang does not count what is inherited */
	assert_false(bw_returned_in_memory(&s));
	s = (struct bw_ctype){.kind = BW_CTYPE_STRUCT,
			      .members = pair,
			      .n_members = 2,
			      .size_b = 8,
			      .convention = DW_CC_pass_by_reference};
	assert_true(bw_returned_in_memory(&s));
	s.convention = DW_CC_pass_by_value;
	assert_false(bw_returned_in_memory(&s));
	const struct bw_cmember bits[] = {{.type = &i32, .bit_size = 3},
					  {.type = &f64, .offset_b = 8}};
	s = (struct bw_ctype){
		.kind = BW_CTYPE_STRUCT, .members = bits, .n_members = 2, .size_b = 16};
	assert_false(bw_returned_in(&s, &l));
	assert_string_equal(bw_returned_why_not(&s), "bit fields");
	s.kind = BW_CTYPE_UNION;
	assert_false(bw_returned_in(&s, &l));
	assert_string_equal(bw_returned_why_not(&s), "a union");
	const struct bw_cmember outer[] = {{.type = &i32}, {.type = &s, .offset_b = 8}};
	const struct bw_ctype around = {
		.kind = BW_CTYPE_STRUCT, .members = outer, .n_members = 2, .size_b = 24};
	assert_string_equal(bw_returned_why_not(&around), "a union");
	s = (struct bw_ctype){
		.kind = BW_CTYPE_STRUCT, .members = derived, .n_members = 1, .size_b = 68};
	assert_string_equal(bw_returned_why_not(&s), "a base class");
	s.members = mix;
	s.n_members = 2;
	assert_null(bw_returned_why_not(&s));
}

/* Types as damaged information has them. */
static void test_damage(void **state)
{
	const struct bw_cmember over[] = {{.type = &i32, .offset_b = 8}, {.type = &f64}};
	const struct bw_ctype s = {
		.kind = BW_CTYPE_STRUCT, .members = over, .n_members = 2, .size_b = 16};
	const struct bw_ctype huge = {
		.kind = BW_CTYPE_VECTOR, .elem = &i32, .count = UINT64_MAX / 4, .size_b = 4};
	/* each of nine structs has many members of the one before it, and none has a size */
	struct bw_cmember wide[9][64] = {0};
	struct bw_ctype level[10] = {{.kind = BW_CTYPE_STRUCT}};
	for (unsigned i = 0; i < 9; i++) {
		for (unsigned k = 0; k < 64; k++)
			wide[i][k].type = &level[i];
		level[i + 1] = (struct bw_ctype){
			.kind = BW_CTYPE_STRUCT, .members = wide[i], .n_members = 64};
	}
	assert_null(bw_returned_why_not(&level[9]));
	level[9].size_b = 12;
	const struct bw_ctype large = {.kind = BW_CTYPE_INT, .size_b = UINT64_MAX};
	struct bw_location l;
	assert_false(bw_returned_in(&s, &l)); /* members in no order */
	assert_false(bw_returned_in(&huge, &l));
	assert_false(bw_returned_in(&large, &l));
	assert_false(bw_returned_in(&level[9], &l)); /* and soon */
	assert_false(bw_returned_in_memory(&level[9]));
	level[0] = c8;
	assert_false(bw_returned_in_memory(&level[9]));
	assert_false(bw_returned_in_memory(&huge));
}

TESTS(test_numbers, test_vectors, test_structs, test_damage);
