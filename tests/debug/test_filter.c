// SPDX-License-Identifier: MIT
/* Conditions as machine code: what LLVM reads in it is what was meant. */
#include "debug/conditions/filter.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"
#include "isa/text.h"

static bool wave_place(void *cookie, uint64_t number, uint32_t out_group[3], uint32_t *out_wave);

static struct bw_filter_facts facts = {
	.n_vgprs = 16, .lanes = 32, .one_row = true, .wave = wave_place, .resume_before_b = 32};

/* The end of every filter: wave32 has no upper half, and the return with SCC. */
#define END                                                                                        \
	"s_getreg_b32 ttmp14, hwreg(28, 11, 1)\n"                                                  \
	"s_cmp_eq_u32 ttmp14, 0\n"                                                                 \
	"s_cselect_b32 ttmp3, 0, ttmp3\n"                                                          \
	"s_and_b64 ttmp[2:3], ttmp[2:3], exec\n"                                                   \
	"s_setpc_b64 ttmp[4:5]\n"
#define TO_RESULT "s_mov_b64 ttmp[2:3], ttmp[14:15]\n"
#define SELECT "s_cselect_b64 ttmp[14:15], -1, 0\n"

static char *text_of(const char *condition, char *out, size_t out_b)
{
	uint32_t code[160];
	size_t n = bw_filter_compile(condition, &facts, code, 160);
	struct bw_isa_text *t;
	struct bw_error *err = bw_isa_text_create("gfx1100", &t);
	assert_null(err);
	out[0] = 0;
	for (size_t i = 0; i < n;) {
		char line[128];
		size_t size_b =
			bw_isa_text_line(t, code + i, (n - i) * 4, i * 4, line, sizeof(line));
		assert_true(size_b >= 4);
		i += size_b / 4;
		strncat(out, line, out_b - strlen(out) - 2);
		strcat(out, "\n");
	}
	bw_isa_text_destroy(t);
	return out;
}

static void test_code(void **state)
{
	static const struct {
		const char *condition, *code;
	} rows[] = {
		{"$s4 == 7", "s_cmp_eq_u32 s4, 7\n" SELECT TO_RESULT END},
		{"!($s4 < 7)", "s_cmp_ge_u32 s4, 7\n" SELECT TO_RESULT END},
		{"7 > $m0", "s_cmp_lt_u32 m0, 7\n" SELECT TO_RESULT END},
		{"($s4 & 3) == 1",
		 "s_and_b32 ttmp14, s4, 3\ns_cmp_eq_u32 ttmp14, 1\n" SELECT TO_RESULT END},
		{"$v3 == 0x12345678",
		 "s_mov_b32 ttmp15, 0\nv_cmp_eq_u32_e64 ttmp14, v3, 0x12345678\n" TO_RESULT END},
		{"(int)$v3 < -5",
		 "s_mov_b32 ttmp15, 0\nv_cmp_lt_i32_e64 ttmp14, v3, -5\n" TO_RESULT END},
		/* of negative floats the greater has the smaller bits */
		{"as_float($v3) > -2.0",
		 "s_mov_b32 ttmp15, 0\nv_cmp_lt_u32_e64 ttmp14, v3, -2.0\n" TO_RESULT END},
		{"$_lane == 33", "s_mov_b32 ttmp14, 0\ns_mov_b32 ttmp15, 2\n" TO_RESULT END},
		{"$_workgroup.y >= 2 && $_lane < 2",
		 "s_cmp_ge_u32 ttmp9, 2\n" SELECT TO_RESULT
		 "s_mov_b32 ttmp14, 3\ns_mov_b32 ttmp15, 0\n"
		 "s_and_b64 ttmp[2:3], ttmp[2:3], ttmp[14:15]\n" END},
		{"$_wave == 5",
		 "s_and_b32 ttmp14, ttmp11, 63\ns_cmp_eq_u32 ttmp14, 1\n" SELECT
		 "s_cmp_eq_u32 ttmp8, 2\ns_cselect_b64 ttmp[14:15], ttmp[14:15], 0\n"
		 "s_cmp_eq_u32 ttmp9, 1\ns_cselect_b64 ttmp[14:15], ttmp[14:15], 0\n"
		 "s_cmp_eq_u32 ttmp10, 0\ns_cselect_b64 ttmp[14:15], ttmp[14:15], 0\n" TO_RESULT
			 END},
		/* the part that is not understood counts as true */
		{"$s4 == 7 && out[3] == 1", "s_cmp_eq_u32 s4, 7\n" SELECT TO_RESULT END},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char text[2048];
		text_of(rows[i].condition, text, sizeof(text));
		if (strcmp(text, rows[i].code) != 0)
			print_message("%s\n%s", rows[i].condition, text);
		assert_string_equal(text, rows[i].code);
	}
}

/* Where the lanes of ttmp[2:3] are gone through one by one. The numbers behind branches are those
 * of the code's addresses. */
#define LANES_BEGIN(none)                                                                          \
	"s_ctz_i32_b64 ttmp7, ttmp[2:3]\n"                                                         \
	"s_cmp_lt_i32 ttmp7, 0\n"                                                                  \
	"s_cbranch_scc1 " none "\n"                                                                \
	"s_bitset0_b64 ttmp[2:3], ttmp7\n"
#define LANES_END(out, distance)                                                                   \
	"s_mov_b32 ttmp2, 0\n"                                                                     \
	"s_branch " out "\n"                                                                       \
	"s_mov_b32 ttmp2, 1\n"                                                                     \
	"s_getpc_b64 ttmp[14:15]\n"                                                                \
	"s_sub_u32 ttmp7, ttmp14, " distance "\n"                                                  \
	"s_subb_u32 ttmp13, ttmp15, 0\n"                                                           \
	"s_cmp_lg_u32 ttmp2, 0\n"                                                                  \
	"s_setpc_b64 ttmp[4:5]\n"
#define ANY_LANE                                                                                   \
	"s_mov_b64 ttmp[2:3], exec\n"                                                              \
	"s_getreg_b32 ttmp14, hwreg(28, 11, 1)\n"                                                  \
	"s_cmp_eq_u32 ttmp14, 0\n"                                                                 \
	"s_cselect_b32 ttmp3, 0, ttmp3\n"                                                          \
	"s_and_b64 ttmp[2:3], ttmp[2:3], exec\n"                                                   \
	"s_cbranch_scc1 0x20\n"                                                                    \
	"s_setpc_b64 ttmp[4:5]\n"

static bool wave_place(void *cookie, uint64_t number, uint32_t out_group[3], uint32_t *out_wave)
{
	const uint32_t group[3] = {2, 1, 0};
	memcpy(out_group, group, sizeof(group));
	*out_wave = 1;
	return number == 5;
}

static void test_lanes(void **state)
{
	static const struct {
		const char *condition, *code;
	} rows[] = {
		{"$v1 + $v2 * 4 == $s3",
		 ANY_LANE LANES_BEGIN("0x58") "v_readlane_b32 ttmp13, v1, ttmp7\n"
					      "v_readlane_b32 ttmp14, v2, ttmp7\n"
					      "s_mul_i32 ttmp14, ttmp14, 4\n"
					      "s_add_u32 ttmp13, ttmp13, ttmp14\n"
					      "s_cmp_eq_u32 ttmp13, s3\n"
					      "s_cbranch_scc1 0x60\n"
					      "s_branch 0x20\n" LANES_END("0x64", "0x88")},
		/* C's types: of unsigned and int unsigned wins; an int's shift keeps the sign */
		{"as_int($v1) >> 1 < -1 - $_lane",
		 ANY_LANE LANES_BEGIN("0x54") "v_readlane_b32 ttmp13, v1, ttmp7\n"
					      "s_ashr_i32 ttmp13, ttmp13, 1\n"
					      "s_sub_u32 ttmp14, -1, ttmp7\n"
					      "s_cmp_lt_i32 ttmp13, ttmp14\n"
					      "s_cbranch_scc1 0x5c\n"
					      "s_branch 0x20\n" LANES_END("0x60", "0x84")},
		/* the same for all lanes: one is enough */
		{"$s4 * 3 > $s5 || $s6 % 8 == 1",
		 ANY_LANE LANES_BEGIN("0x5c") "s_mul_i32 ttmp13, s4, 3\n"
					      "s_cmp_gt_u32 ttmp13, s5\n"
					      "s_cbranch_scc1 0x64\n"
					      "s_branch 0x44\n"
					      "s_and_b32 ttmp13, s6, 7\n"
					      "s_cmp_eq_u32 ttmp13, 1\n"
					      "s_cbranch_scc1 0x64\n"
					      "s_branch 0x5c\n" LANES_END("0x68", "0x8c")},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char text[2048];
		text_of(rows[i].condition, text, sizeof(text));
		if (strcmp(text, rows[i].code) != 0)
			print_message("%s\n%s", rows[i].condition, text);
		assert_string_equal(text, rows[i].code);
	}
}

/* Nothing can be said in advance: every wave has to stop. */
static void test_not_understood(void **state)
{
	static const char *const conditions[] = {
		"out[3] == 1",
		"$s4 == 7 || out[3] == 1",
		"$v99 == 1", /* no such register here */
		"$s4 / 3 == 7",
		"$v3[2] + 1 == 7", /* one lane for all */
		"($s4 == 7) + 1 == 2",
		"$s4 + 0x100000000 == 7",
		/* more to remember than there are registers */
		"(($v1 + $v2) * ($v3 + $v4)) + (($v5 + $v6) * ($v7 + $v8)) == 1",
		"!(($s4 + 1 == 7) && out[3] == 1)",
		"*$s[4:5] + $s6 == 1",
		"$s6 + \"x\" == 1",
		"$v1 + ",
		"$s4 = 7",
		"$s4 == 7 ? 1 : 0",
		"$s4 & 3 == 1",		  /* C: $s4 & (3 == 1) */
		"!(as_float($v3) > 1.0)", /* NaN */
		"as_float($v3) > 0.0",	  /* denormals, -0 */
		"$s4 == 0x100000000",
		"$v3 > 1.5",
		"$_wave == 3",
		"$_lane == -1",
		"",
		"((((",
		"$s4 == ",
	};
	uint32_t code[160];
	for (size_t i = 0; i < sizeof(conditions) / sizeof(conditions[0]); i++)
		if (bw_filter_compile(conditions[i], &facts, code, 160))
			fail_msg("%s", conditions[i]);
	/* code that does not fit is none */
	assert_int_equal(bw_filter_compile("$s4 == 7", &facts, code, 4), 0);
	/* a generation whose waves keep their place in the grid elsewhere */
	struct bw_filter_facts other = facts;
	assert_int_not_equal(bw_filter_compile("$s4 == 7", &other, code, 160), 0);
	other.arch = bw_arch_nth(1);
	assert_int_equal(bw_filter_compile("$s4 == 7", &other, code, 160), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_code),
		cmocka_unit_test(test_lanes),
		cmocka_unit_test(test_not_understood),
	};
	facts.arch = bw_arch_nth(0);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
