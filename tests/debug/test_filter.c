// SPDX-License-Identifier: MIT
/* Conditions as machine code: what LLVM reads in it is what was meant. */
#include "debug/conditions/filter.h"

#include <string.h>

#include "../suite.h"
#include "base/str.h"
#include "isa/inst.h"
#include "isa/text.h"

static bool wave_place(void *cookie, uint64_t number, uint32_t out_group[3], uint32_t *out_wave);
static bool variable_place(void *cookie, const char *text, size_t len,
			   struct bw_filter_variable *out);

static struct bw_filter_facts facts = {.n_vgprs = 16,
				       .lanes = 32,
				       .one_row = true,
				       .scratch_b = 16384,
				       .place = variable_place,
				       .wave = wave_place,
				       .resume_before_b = 32};
static struct bw_filter_result result;

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
	size_t n = bw_filter_compile(condition, &facts, code, 160, &result);
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
		"$s4 == 0x100000000",
		"$v3 > 1.5",
		"$_wave == 3",
		"",
		"((((",
		"$s4 == ",
	};
	uint32_t code[160];
	for (size_t i = 0; i < sizeof(conditions) / sizeof(conditions[0]); i++)
		if (bw_filter_compile(conditions[i], &facts, code, 160, &result))
			fail_msg("%s", conditions[i]);
	/* code that does not fit is none */
	assert_int_equal(bw_filter_compile("$s4 == 7", &facts, code, 4, &result), 0);
	/* a generation whose waves keep their place in the grid elsewhere */
	struct bw_filter_facts other = facts;
	assert_int_not_equal(bw_filter_compile("$s4 == 7", &other, code, 160, &result), 0);
	other.arch = bw_arch_nth(1);
	assert_int_equal(bw_filter_compile("$s4 == 7", &other, code, 160, &result), 0);
}

/* ---- Variables of the program ---- */

static bool variable_place(void *cookie, const char *text, size_t len,
			   struct bw_filter_variable *out)
{
	enum { S32 = 32, S33 = 33, NONE = BW_SRC_NULL };
	static const struct {
		const char *name;
		struct bw_filter_variable v;
	} rows[] = {
		{"i", {BW_FILTER_PRIVATE, {BW_TYPE_INT, 4}, S33, 8, 0, NULL}},
		{"j", {BW_FILTER_PRIVATE, {BW_TYPE_INT, 4}, S33, 12, 0, NULL}},
		{"item.at[2]", {BW_FILTER_PRIVATE, {BW_TYPE_UINT, 4}, S32, 16, 0, NULL}},
		{"c", {BW_FILTER_PRIVATE, {BW_TYPE_INT, 1}, S33, 21, 0, NULL}},
		{"w", {BW_FILTER_PRIVATE, {BW_TYPE_UINT, 2}, NONE, 22, 0, NULL}},
		{"n", {BW_FILTER_PRIVATE, {BW_TYPE_UINT, 8}, S33, 24, 0, NULL}},
		{"far", {BW_FILTER_PRIVATE, {BW_TYPE_INT, 4}, S33, 8000, 0, NULL}},
		{"outside", {BW_FILTER_PRIVATE, {BW_TYPE_INT, 4}, S33, 16384, 0, NULL}},
		{"x", {BW_FILTER_VGPR, {BW_TYPE_FLOAT, 4}, 5, 0, 0, NULL}},
		{"d", {BW_FILTER_VGPR, {BW_TYPE_FLOAT, 8}, 6, 0, 0, NULL}},
		{"v", {BW_FILTER_VGPR, {BW_TYPE_INT, 4}, 4, 0, 0, NULL}},
		{"gone", {BW_FILTER_VGPR, {BW_TYPE_INT, 4}, 16, 0, 0, NULL}},
		{"half", {BW_FILTER_VGPR, {BW_TYPE_INT, 2}, 0, 0, 0, NULL}},
		{"wide", {BW_FILTER_VGPR, {BW_TYPE_INT, 8}, 6, 0, 0, NULL}},
		{"s", {BW_FILTER_SGPR, {BW_TYPE_INT, 4}, 6, 0, 0, NULL}},
		{"p", {BW_FILTER_SGPR, {BW_TYPE_POINTER, 8}, 4, 0, 0, NULL}},
		{"odd", {BW_FILTER_SGPR, {BW_TYPE_UINT, 8}, 5, 0, 0, NULL}},
		{"tile", {BW_FILTER_LDS, {BW_TYPE_INT, 4}, 0, 64, 0, NULL}},
		{"seven", {BW_FILTER_CONSTANT, {BW_TYPE_INT, 4}, 0, 0, 7, NULL}},
	};
	out->why = !strncmp(text, "lost", len) ? "has no value here" : NULL;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (strlen(rows[i].name) != len || strncmp(text, rows[i].name, len) != 0)
			continue;
		*out = rows[i].v;
		return true;
	}
	return false;
}

/* A wave whose frame lies outside of its scratch stops. */
#define BASE(reg, most)                                                                            \
	"s_cmp_le_u32 " reg ", " most                                                              \
	"\ns_cbranch_scc1 0x14\ns_cmp_eq_u32 0, 0\ns_setpc_b64 ttmp[4:5]\n"
#define WAIT "s_waitcnt vmcnt(0) expcnt(0) lgkmcnt(0)\n"
#define V_INTO "s_mov_b32 ttmp15, 0\n"

static void test_variables(void **state)
{
	static const struct {
		const char *condition;
		unsigned n_vgprs;
		const char *code;
	} rows[] = {
		{"i == 1000000", 1,
		 BASE("s33", "0x3ff4") "scratch_load_b32 v0, off, s33 offset:8\n" WAIT V_INTO
				       "v_cmp_eq_i32_e64 ttmp14, v0, 0xf4240\n" TO_RESULT END},
		/* one load, whatever it is compared with */
		{"i > 1 && i < 5", 1,
		 BASE("s33", "0x3ff4") "scratch_load_b32 v0, off, s33 offset:8\n" WAIT V_INTO
				       "v_cmp_gt_i32_e64 ttmp14, v0, 1\n" TO_RESULT V_INTO
				       "v_cmp_lt_i32_e64 ttmp14, v0, 5\n"
				       "s_and_b64 ttmp[2:3], ttmp[2:3], ttmp[14:15]\n" END},
		/* the VGPRs that the condition reads stay what they are */
		{"$v0 == 1 && i == 2", 2,
		 BASE("s33", "0x3ff4") "scratch_load_b32 v1, off, s33 offset:8\n" WAIT V_INTO
				       "v_cmp_eq_u32_e64 ttmp14, v0, 1\n" TO_RESULT V_INTO
				       "v_cmp_eq_i32_e64 ttmp14, v1, 2\n"
				       "s_and_b64 ttmp[2:3], ttmp[2:3], ttmp[14:15]\n" END},
		{"c == -1", 1,
		 BASE("s33", "0x3fea") "scratch_load_i8 v0, off, s33 offset:21\n" WAIT V_INTO
				       "v_cmp_eq_i32_e64 ttmp14, v0, -1\n" TO_RESULT END},
		{"w < 7", 1,
		 "scratch_load_u16 v0, off, off offset:22\n" WAIT V_INTO
		 "v_cmp_lt_i32_e64 ttmp14, v0, 7\n" TO_RESULT END},
		{"n >= 5", 2,
		 BASE("s33",
		      "0x3fe0") "scratch_load_b64 v[0:1], off, s33 offset:24\n" WAIT
				"s_mov_b32 ttmp14, 5\ns_mov_b32 ttmp15, 0\n"
				"v_cmp_ge_u64_e64 ttmp14, v[0:1], ttmp[14:15]\n" TO_RESULT END},
		{"far != 3", 1,
		 BASE("s33", "0x20bc") "s_add_u32 ttmp14, s33, 0x1f40\n"
				       "scratch_load_b32 v0, off, ttmp14\n" WAIT V_INTO
				       "v_cmp_ne_i32_e64 ttmp14, v0, 3\n" TO_RESULT END},
		{"item.at[2] == 3", 1,
		 BASE("s32", "0x3fec") "scratch_load_b32 v0, off, s32 offset:16\n" WAIT V_INTO
				       "v_cmp_eq_u32_e64 ttmp14, v0, 3\n" TO_RESULT END},
		{"half == 3", 2,
		 "v_bfe_i32 v1, v0, 0, 16\n" V_INTO
		 "v_cmp_eq_i32_e64 ttmp14, v1, 3\n" TO_RESULT END},
		{"wide < -1", 0,
		 "s_mov_b32 ttmp14, -1\ns_mov_b32 ttmp15, -1\n"
		 "v_cmp_lt_i64_e64 ttmp14, v[6:7], ttmp[14:15]\n" TO_RESULT END},
		{"p != 0", 0,
		 "s_mov_b32 ttmp14, 0\ns_mov_b32 ttmp15, 0\n"
		 "v_cmp_ne_u64_e64 ttmp14, s[4:5], ttmp[14:15]\n" TO_RESULT END},
		{"odd == 1", 2,
		 "v_mov_b32_e32 v0, s5\nv_mov_b32_e32 v1, s6\n"
		 "s_mov_b32 ttmp14, 1\ns_mov_b32 ttmp15, 0\n"
		 "v_cmp_eq_u64_e64 ttmp14, v[0:1], ttmp[14:15]\n" TO_RESULT END},
		{"tile == 9", 1,
		 "v_mov_b32_e32 v0, 64\nds_load_b32 v0, v0\n" WAIT V_INTO
		 "v_cmp_eq_i32_e64 ttmp14, v0, 9\n" TO_RESULT END},
		{"s <= seven", 0, "s_cmp_le_i32 s6, 7\n" SELECT TO_RESULT END},
		/* x > 0.1, a double, is x > the float below it */
		{"x > 0.1", 0, V_INTO "v_cmp_ge_i32_e64 ttmp14, v5, 0x3dcccccd\n" TO_RESULT END},
		{"x < 0.1", 0, V_INTO "v_cmp_lt_i32_e64 ttmp14, v5, 0x3dcccccd\n" TO_RESULT END},
		{"x == 0.1", 0, "s_mov_b32 ttmp14, 0\ns_mov_b32 ttmp15, 0\n" TO_RESULT END},
		{"x == 0", 0, V_INTO "v_cmp_class_f32_e64 ttmp14, v5, 0x60\n" TO_RESULT END},
		{"x < 0", 0, V_INTO "v_cmp_gt_u32_e64 ttmp14, v5, 0x80000000\n" TO_RESULT END},
		{"as_float($v3) > 0.0", 0, V_INTO "v_cmp_gt_i32_e64 ttmp14, v3, 0\n" TO_RESULT END},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char text[2048];
		text_of(rows[i].condition, text, sizeof(text));
		if (strcmp(text, rows[i].code) != 0)
			print_message("%s\n%s", rows[i].condition, text);
		assert_string_equal(text, rows[i].code);
		assert_int_equal(result.n_vgprs, rows[i].n_vgprs);
		assert_true(result.is_whole);
	}
}

/* What the debugger is left with, and why. */
static void test_left_over(void **state)
{
	static const struct {
		const char *condition;
		bool compiles;
		const char *part, *why;
	} rows[] = {
		{"in[i] == 3", false, "in[i]", "is read from memory"},
		{"i == 2 && in[i & 7] == 3", true, "in[i & 7]", "is read from memory"},
		{"node->x == 3", false, "node->x", "is read from memory"},
		{"*q == 3", false, "*q", "is read from memory"},
		{"lost == 3", false, "lost", "has no value here"},
		{"d > 1", false, "d", "has a type that is not compared on the GPU"},
		{"gone == 1", false, "gone", "is in a register that not all waves have"},
		{"outside == 1", false, "outside", "lies outside of the lane's scratch memory"},
		{"(float)i > 1.5", false, "", NULL},
	};
	uint32_t code[160];
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		size_t n = bw_filter_compile(rows[i].condition, &facts, code, 160, &result);
		if (!n == rows[i].compiles || result.is_whole ||
		    strcmp(result.part, rows[i].part) != 0)
			fail_msg("%s: %zu dwords, left: %s", rows[i].condition, n, result.part);
		assert_int_equal(!result.why, !rows[i].why);
		if (rows[i].why)
			assert_string_equal(result.why, rows[i].why);
	}
}

static int take_gfx11(void **state)
{
	facts.arch = bw_arch_nth(0);
	return 0;
}

TESTS_AROUND(take_gfx11, NULL, test_code, test_lanes, test_not_understood, test_variables,
	     test_left_over);
