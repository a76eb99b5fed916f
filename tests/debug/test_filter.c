// SPDX-License-Identifier: MIT
/* Conditions as machine code: what LLVM reads in it is what was meant. */
#include "debug/filter.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"
#include "isa/text.h"

static const struct bw_filter_facts facts = {.n_vgprs = 16, .lanes = 32, .one_row = true};

/* The end of every filter: wave32 has no upper half, and the return with SCC. */
#define END                                                                                        \
	"s_getreg_b32 ttmp14, hwreg(28, 11, 1)\n"                                                  \
	"s_cmp_eq_u32 ttmp14, 0\n"                                                               \
	"s_cselect_b32 ttmp3, 0, ttmp3\n"                                                          \
	"s_and_b64 ttmp[2:3], ttmp[2:3], exec\n"                                                   \
	"s_setpc_b64 ttmp[4:5]\n"
#define TO_RESULT "s_mov_b64 ttmp[2:3], ttmp[14:15]\n"
#define SELECT	  "s_cselect_b64 ttmp[14:15], -1, 0\n"

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
		size_t size_b = bw_isa_text_line(t, code + i, (n - i) * 4, 0, line, sizeof(line));
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

/* Nothing can be said in advance: every wave has to stop. */
static void test_not_understood(void **state)
{
	static const char *const conditions[] = {
		"out[3] == 1",
		"$s4 == 7 || out[3] == 1",
		"$v99 == 1", /* no such register here */
		"$s4 + 1 == 7",
		"$s4 = 7",
		"$s4 == 7 ? 1 : 0",
		"$s4 & 3 == 1", /* C: $s4 & (3 == 1) */
		"!(as_float($v3) > 1.0)", /* NaN */
		"as_float($v3) > 0.0",	  /* denormals, -0 */
		"$s4 == 0x100000000",
		"$v3 > 1.5",
		"$_wave == 3",
		"$_lane == -1",
		"1 == 2",
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
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_code),
		cmocka_unit_test(test_not_understood),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
