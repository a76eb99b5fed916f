/* SPDX-License-Identifier: MIT */
/* Whether other code can take the place of a captured dispatch's: arguments that this one has,
 * registers that the driver here would set, too, scratch memory. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../suite.h"
#include "regs/field.h"
#include "swap/variant.h"

static char why[BW_SWAP_WHY_B];

static uint32_t rsrc2(uint32_t n_user)
{
	return BW_FIELD(COMPUTE_PGM_RSRC2, USER_SGPR, n_user);
}

/* A descriptor set's address, a word of push constants, 0, 13 and 17 workgroups. */
static struct bw_swap_arguments arguments(void)
{
	return (struct bw_swap_arguments){
		.set = 0x1f, .value = {0x40000, BW_SWAP_PUSH_MARK + 2, 0, 13, 17}, .leads = 1};
}

static bool fits(const struct bw_swap_arguments *own, const struct bw_swap_arguments *other,
		 uint32_t n_user, size_t behind_b, struct bw_swap_moves *out)
{
	return bw_swap_arguments_fit(own, other, rsrc2(n_user), behind_b, out, why);
}

static void arguments_are_found(void **state)
{
	struct bw_swap_arguments own = arguments(), other = own;
	struct bw_swap_moves m;
	assert_true(fits(&own, &other, 5, 12, &m));
	for (unsigned k = 0; k < BW_SWAP_USER_DATA; k++) {
		assert_int_equal(m.from[k], k < 5 ? k : BW_SWAP_NONE);
		assert_int_equal(m.word[k], BW_SWAP_NONE);
	}
	/* one that takes fewer, in other SGPRs; the zero is the one in front of 13 */
	other = (struct bw_swap_arguments){.set = 0xf, .value = {0, 13, 17, BW_SWAP_PUSH_MARK + 2}};
	assert_true(fits(&own, &other, 4, 12, &m));
	assert_int_equal(m.from[0], 2);
	assert_int_equal(m.from[1], 3);
	assert_int_equal(m.from[2], 4);
	assert_int_equal(m.from[3], 1);
	assert_int_equal(m.from[4], BW_SWAP_NONE);
	other.value[1] = BW_SWAP_PUSH_MARK + 2;
	assert_false(fits(&own, &other, 4, 12, &m));
	/* what is behind its user SGPRs is not its own */
	other = own;
	other.value[4] = 99;
	assert_true(fits(&own, &other, 4, 12, &m));
	assert_false(fits(&own, &other, 5, 12, &m));
	assert_string_equal(why,
			    "it takes another value, which the captured dispatch does not pass");
	other.value[4] = BW_SWAP_PUSH_MARK + 4;
	assert_false(fits(&own, &other, 5, 12, &m));
	assert_string_equal(why, "it takes byte 16 of the push constants, which the captured "
				 "dispatch does not pass");
	other = own;
	other.set |= 1 << 5;
	other.value[5] = BW_SWAP_GROUPS_Z;
	assert_false(fits(&own, &other, 6, 12, &m));
	assert_string_equal(why, "it takes the number of workgroups in z from s5, which the "
				 "captured dispatch does not set");
}

/* The driver writes push constants to another place each time. */
static void pointers_are_followed(void **state)
{
	struct bw_swap_arguments own = arguments(), other = own;
	const uint32_t marks[2] = {BW_SWAP_PUSH_MARK + 5, BW_SWAP_PUSH_MARK + 6};
	struct bw_swap_moves m;
	other.value[0] = 0x50000;
	memset(own.behind[0], 7, sizeof(own.behind[0]));
	memset(other.behind[0], 7, 12);
	assert_true(fits(&own, &other, 5, 12, &m));
	assert_int_equal(m.from[0], 0);
	assert_false(fits(&own, &other, 5, 16, &m));
	assert_string_equal(why,
			    "it takes a pointer to arguments, which the captured dispatch does "
			    "not pass");
	/* nothing is known of what is behind */
	assert_false(fits(&own, &other, 5, 0, &m));
	other.leads = 0;
	assert_false(fits(&own, &other, 5, 12, &m));
	/* push constants that one has in memory, and the other in an SGPR */
	other = own;
	memcpy(own.behind[0] + 8, marks, sizeof(marks));
	other.value[1] = marks[1];
	assert_true(fits(&own, &other, 5, 12, &m));
	assert_int_equal(m.from[1], 0);
	assert_int_equal(m.word[1], 3);
}

static struct bw_swap_variant variant(void)
{
	const struct bw_swap_program own = {64, 0x2c0001, rsrc2(5), 0, 0, {64, 1, 1}};
	struct bw_swap_variant v = {.own = own, .other = own};
	v.other.rsrc1 = 0x2c0009;
	v.other.threads[0] = 32;
	return v;
}

static void registers_are_compared(void **state)
{
	struct bw_swap_variant v = variant();
	struct bw_swap_program captured = v.own;
	assert_true(bw_swap_variant_fits(&v, &captured, why));
	/* as they are once they have been changed */
	captured = v.other;
	assert_true(bw_swap_variant_fits(&v, &captured, why));
	captured.rsrc1 = 0x2c0005;
	assert_false(bw_swap_variant_fits(&v, &captured, why));
	assert_string_equal(why, "the captured dispatch has COMPUTE_PGM_RSRC1 0x2c0005, and the "
				 "driver here sets 0x2c0001 for it");
	captured = v.own;
	captured.rsrc2 ^= 1u << 15;
	assert_false(bw_swap_variant_fits(&v, &captured, why));
	assert_non_null(strstr(why, "COMPUTE_PGM_RSRC2"));
	captured = v.own;
	captured.threads[2] = 9;
	assert_false(bw_swap_variant_fits(&v, &captured, why));
	assert_non_null(strstr(why, "COMPUTE_NUM_THREAD_Z 0x9"));
	captured = v.own;
	captured.lanes = 32;
	assert_false(bw_swap_variant_fits(&v, &captured, why));
	assert_string_equal(why, "the driver makes waves of 64 lanes of it, and the captured "
				 "dispatch has waves of 32");
	captured = v.own;
	strcpy(v.refusal, "no");
	assert_false(bw_swap_variant_fits(&v, &captured, why));
	assert_string_equal(why, "no");
}

static void scratch_is_compared(void **state)
{
	struct bw_swap_variant v = variant();
	struct bw_swap_program captured = v.own;
	v.other.rsrc2 |= BW_FIELD(COMPUTE_PGM_RSRC2, SCRATCH_EN, 1);
	v.other.tmpring = BW_FIELD(COMPUTE_TMPRING_SIZE, WAVESIZE, 4);
	assert_false(bw_swap_variant_fits(&v, &captured, why));
	assert_string_equal(why, "it needs 1024 bytes of scratch memory for each wave, and the "
				 "captured dispatch has 0");
	captured.tmpring = v.other.tmpring;
	assert_true(bw_swap_variant_fits(&v, &captured, why));
	/* what the ring has and the code does not use */
	v.other.rsrc2 = v.own.rsrc2;
	captured.tmpring = 0;
	assert_true(bw_swap_variant_fits(&v, &captured, why));
}

/* Rules with variants are read; those whose code lies elsewhere are refused. */
static void a_file_is_checked(void **state)
{
	struct blob {
		struct bw_swap_variant v[2];
		uint32_t code[4];
	} blob = {.v = {variant(), variant()}, .code = {1, 2, 3, 4}};
	for (int broken = 0; broken < 4; broken++) {
		struct bw_swap_rules r = {0}, back;
		struct bw_swap_rule rule = {.kind = BW_SWAP_SPIRV, .n_variants = 2};
		struct bw_swap_variant v;
		uint8_t *head;
		size_t head_b;
		blob.v[1].other_code =
			(struct bw_swap_bytes){sizeof(blob.v) + 8 * (broken == 1), 12};
		memset(blob.v[0].refusal, broken == 2 ? 'x' : 0, sizeof(blob.v[0].refusal));
		rule.n_variants = broken == 3 ? 3 : 2;
		assert_null(bw_swap_which("a*", 2, &rule));
		assert_null(bw_swap_rules_add(&r, "spir", 4, &rule.spirv));
		assert_null(bw_swap_rules_add(&r, &blob, sizeof(blob), &rule.variants));
		assert_null(bw_vec_push(&r.rules, rule));
		assert_null(bw_swap_rules_head(&r, &head, &head_b));
		uint8_t *file = malloc(head_b + r.size_b);
		memcpy(file, head, head_b);
		memcpy(file + head_b, r.bytes, r.size_b);
		struct bw_error *err = bw_swap_rules_read(file, head_b + r.size_b, &back);
		assert_int_equal(!!err, !!broken);
		bw_error_free(err);
		if (!broken) {
			const struct bw_swap_rule *one = &back.rules.data[0];
			assert_true(bw_swap_variant_at(&back, one, 1, &v));
			assert_false(bw_swap_variant_at(&back, one, 2, &v));
			assert_int_equal(v.other_code.size_b, 12);
			assert_memory_equal(bw_swap_variant_code(&back, one, v.other_code),
					    blob.code, 12);
			bw_swap_rules_fini(&back);
		}
		bw_swap_rules_fini(&r);
		free(head);
	}
}

TESTS(arguments_are_found, pointers_are_followed, registers_are_compared, scratch_is_compared,
      a_file_is_checked);
