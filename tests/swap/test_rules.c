/* SPDX-License-Identifier: MIT */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../suite.h"
#include "base/util.h"
#include "swap/rules.h"

static void ok(struct bw_error *err)
{
	if (err)
		fail_msg("%s", err->message);
}

static void which_is_a_hash_an_address_or_a_name(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		enum bw_swap_by by;
		uint64_t number;
	} rows[] = {
		{"ffa72cb101948a8b", BW_SWAP_BY_HASH, 0xffa72cb101948a8b},
		{"FFA72CB101948A8B", BW_SWAP_BY_HASH, 0xffa72cb101948a8b},
		{"ffa72cb101948a8", BW_SWAP_BY_NAME, 0},
		{"0xffff800100001000", BW_SWAP_BY_VA, 0xffff800100001000},
		{"0x", BW_SWAP_BY_NAME, 0},
		{"blur*", BW_SWAP_BY_NAME, 0},
	};
	for (size_t i = 0; i < BW_ARRAY_SIZE(rows); i++) {
		struct bw_swap_rule r = {0};
		ok(bw_swap_which(rows[i].text, strlen(rows[i].text), &r));
		assert_int_equal(r.by, rows[i].by);
		assert_int_equal(r.number, rows[i].number);
	}
	struct bw_swap_rule r = {0};
	struct bw_error *err = bw_swap_which("", 0, &r);
	assert_non_null(err);
	bw_error_free(err);
	char long_name[200];
	memset(long_name, 'x', sizeof(long_name));
	err = bw_swap_which(long_name, 128, &r);
	assert_non_null(err);
	bw_error_free(err);
	ok(bw_swap_which(long_name, 127, &r));
}

static void add_rule(struct bw_swap_rules *r, const char *which, enum bw_swap_kind kind)
{
	static const uint8_t bytes[] = {1, 2, 3, 4, 5, 6, 7, 8};
	struct bw_swap_rule one = {.kind = kind};
	ok(bw_swap_which(which, strlen(which), &one));
	ok(bw_swap_rules_add(r, bytes, sizeof(bytes),
			     kind == BW_SWAP_SPIRV ? &one.spirv : &one.code[1]));
	ok(bw_vec_push(&r->rules, one));
}

static void first_rule_that_fits_is_found(void **state)
{
	(void)state;
	struct bw_swap_rules r = {0};
	add_rule(&r, "blur*", BW_SWAP_CODE);
	add_rule(&r, "*", BW_SWAP_SPIRV);
	add_rule(&r, "00000000000000ff", BW_SWAP_CODE);
	add_rule(&r, "0x800000001000", BW_SWAP_CODE);
	struct bw_swap_shader s = {.name = "blur x", .module = "", .entry = "main", .file = ""};
	assert_int_equal(bw_swap_find(&r, BW_SWAP_CODE, &s), 0);
	assert_int_equal(bw_swap_find(&r, BW_SWAP_SPIRV, &s), 1);
	s = (struct bw_swap_shader){.name = "", .module = "", .entry = "main", .file = "blur.comp"};
	assert_int_equal(bw_swap_find(&r, BW_SWAP_CODE, &s), 0);
	s.file = "";
	assert_int_equal(bw_swap_find(&r, BW_SWAP_CODE, &s), -1);
	s.hash = 0xff;
	assert_int_equal(bw_swap_find(&r, BW_SWAP_CODE, &s), 2);
	s.hash = 0;
	s.code_va = 0xffff800000001000;
	assert_int_equal(bw_swap_find(&r, BW_SWAP_CODE, &s), 3);
	/* "*" is no rule for a shader of which nothing is known */
	s = (struct bw_swap_shader){.name = "", .module = "", .entry = "", .file = ""};
	assert_int_equal(bw_swap_find(&r, BW_SWAP_SPIRV, &s), -1);
	bw_swap_rules_fini(&r);
}

/* The bytes of a file with three rules. */
static uint8_t *make_file(size_t *out_size_b)
{
	struct bw_swap_rules r = {.saves = true};
	uint8_t *head;
	size_t head_b;
	add_rule(&r, "blur", BW_SWAP_SPIRV);
	add_rule(&r, "sum", BW_SWAP_CODE);
	add_rule(&r, "0123456789abcdef", BW_SWAP_CODE);
	ok(bw_swap_rules_head(&r, &head, &head_b));
	uint8_t *all = realloc(head, head_b + r.size_b);
	memcpy(all + head_b, r.bytes, r.size_b);
	*out_size_b = head_b + r.size_b;
	bw_swap_rules_fini(&r);
	return all;
}

static void file_is_read_back(void **state)
{
	(void)state;
	static const uint8_t bytes[] = {1, 2, 3, 4, 5, 6, 7, 8};
	size_t size_b;
	uint8_t *file = make_file(&size_b);
	struct bw_swap_rules r;
	ok(bw_swap_rules_read(file, size_b, &r));
	assert_int_equal(r.rules.len, 3);
	assert_true(r.saves);
	assert_string_equal(r.rules.data[0].which, "blur");
	assert_int_equal(r.rules.data[1].code[1].size_b, 8);
	assert_int_equal(r.rules.data[1].code[0].size_b, 0);
	assert_memory_equal(bw_swap_rules_at(&r, r.rules.data[0].spirv), bytes, 8);
	assert_memory_equal(bw_swap_rules_at(&r, r.rules.data[2].code[1]), bytes, 8);
	assert_int_equal(r.rules.data[2].number, 0x0123456789abcdef);
	bw_swap_rules_fini(&r);
}

static void cut_file_is_refused(void **state)
{
	(void)state;
	size_t size_b;
	uint8_t *file = make_file(&size_b);
	for (size_t n = 0; n < size_b; n++) {
		uint8_t *cut = malloc(n + 1);
		struct bw_swap_rules r;
		memcpy(cut, file, n);
		struct bw_error *err = bw_swap_rules_read(cut, n, &r);
		assert_non_null(err);
		assert_int_equal(err->code, BW_E_INVALID);
		assert_null(r.bytes);
		bw_error_free(err);
	}
	free(file);
}

static void entry_points_are_found(void **state)
{
	(void)state;
	/* OpEntryPoint Fragment %1 "f"; GLCompute %2 "main"; GLCompute %3 "two" */
	static const uint32_t code[] = {0x07230203,
					0x10000,
					0,
					9,
					0,
					4u << 16 | 15,
					4,
					1,
					'f',
					5u << 16 | 15,
					5,
					2,
					'm' | 'a' << 8 | 'i' << 16 | 'n' << 24,
					0,
					4u << 16 | 15,
					5,
					3,
					't' | 'w' << 8 | 'o' << 16};
	assert_true(bw_swap_is_spirv(code, sizeof(code)));
	assert_false(bw_swap_is_spirv(code, sizeof(code) - 4));
	assert_false(bw_swap_is_spirv(code, 16));
	assert_false(bw_swap_is_spirv(code + 1, sizeof(code) - 4));
	assert_string_equal(bw_swap_entry(code, sizeof(code), "two"), "two");
	assert_string_equal(bw_swap_entry(code, sizeof(code), "main"), "main");
	assert_string_equal(bw_swap_entry(code, sizeof(code), "f"), "main");
	assert_string_equal(bw_swap_entry(code, sizeof(code), NULL), "main");
	assert_null(bw_swap_entry(code, 9 * 4, NULL));
}

TESTS(which_is_a_hash_an_address_or_a_name, first_rule_that_fits_is_found, file_is_read_back,
      cut_file_is_refused, entry_points_are_found);
