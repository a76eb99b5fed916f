// SPDX-License-Identifier: MIT
/* src/debug/expr*.c. Values are those a C compiler gives for the same expression. */
#include "fake_session.h"
#include "debug/expressions.h"
#include "debug/stop.h"
#include "debug/waves.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"

static struct fake_session s;

/* One wave of the fake target, stopped, with known registers. */
static int setup(void **state)
{
	static const uint32_t code[] = {0xbf900003, 0xbfb00000};
	struct bw_stop stop;
	fake_session_create(&s, code, BW_ARRAY_SIZE(code));
	fake_session_start(&s, 2);
	struct fake_wave *w = &s.fake->wave[3];
	for (uint32_t i = 0; i < 106; i++)
		w->s[i] = 0x100 + i;
	w->s[106] = 0x55;
	for (unsigned lane = 0; lane < 64; lane++)
		for (unsigned n = 0; n < FAKE_VGPRS; n++)
			w->v[n][lane] = n * 1000 + lane;
	float f = 1.5f;
	memcpy(&w->v[5][6], &f, 4);
	uint32_t data[] = {11, 22, 33, 44};
	memcpy(fake_at(s.fake, FAKE_BASE + 0x2000), data, sizeof(data));
	float floats[] = {0.5f, 1.25f, -3.0f};
	memcpy(fake_at(s.fake, FAKE_BASE + 0x3000), floats, sizeof(floats));
	memcpy(s.fake->lds + 0x10, data, sizeof(data));
	memcpy(w->scratch[6] + 8, &data[1], 4);
	OK(bw_debug_wait(s.debug, 10, &stop));
	OK(bw_debug_set_focus(s.debug, 4));
	OK(bw_debug_set_lane(s.debug, 6));
	return 0;
}

static int teardown(void **state)
{
	fake_session_end(&s);
	return 0;
}

static struct bw_value eval(const char *text)
{
	struct bw_value v;
	struct bw_expr_error where = {0};
	struct bw_error *err = bw_debug_eval(s.debug, text, &v, &where);
	if (err)
		print_error("%s: %s (column %zu)\n", text, err->message, where.column);
	assert_null(err);
	return v;
}

static int64_t ival(const char *text)
{
	struct bw_value v = eval(text);
	int64_t i = bw_value_i64(&v, 6);
	bw_value_fini(&v);
	return i;
}

static void test_arithmetic(void **state)
{
#define C(expr) {#expr, (int64_t)(expr)}
	static const struct {
		const char *text;
		int64_t want;
	} rows[] = {
		C(1 + 2 * 3),
		C((1 + 2) * 3),
		C(7 / 2),
		C(-7 / 2),
		C(-7 % 3),
		C(7 - 2 - 1),
		C(1 << 4 >> 2),
		C(0xffffffff),
		C(0xffffffff + 1),
		C(4294967295u + 1),
		C(~0),
		C(~0u),
		C(-1 < 0u),
		C(!5),
		C(!!5),
		C(- -3),
		C(1 ? 2 : 3),
		C(0   ? 2
		  : 1 ? 4
		      : 5),
		{"5 & 3 | 8", 9},
		C(5 ^ 1),
		{"1 == 1 != 0", 1},
		C(3 > 2 && 2 > 1),
		C(0 && 1 / 0),
		C(1 || 1 / 0),
		C(2147483647 + 1ll),
		C(0x80000000),
		C(-0x80000000),
		C(1.5 + 1.5),
		C((int)2.9),
		C((char)300),
		C((unsigned char)300),
		C((short)-1 == -1),
		C((unsigned short)-1),
		C('a' + 1),
		C(1.0 / 4 * 8),
		C(7.9f > 7),
		C(sizeof(int)),
		C(sizeof(unsigned long long)),
		C(sizeof(float *)),
		C(010),
		C((1 << 31) >> 31),
		C((1u << 31) >> 31),
		C(3 - 2u > 0),
		C((long)1 << 40),
		C(-5 >> 1),
		C(0x7fffffffffffffff),
		C((unsigned)1 - 2 > 0),
		{"1 ? -1 : 0u", -1},
		/* a debugger shows the side taken as it is */ C(2 * (3 + 4) - 5 % 3),
		C((double)1 / 3 < 0.34),
		C(0.1f == 0.1),
	};
	for (size_t i = 0; i < BW_ARRAY_SIZE(rows); i++) {
		int64_t got = ival(rows[i].text);
		if (got != rows[i].want)
			print_error("%s = %lld, not %lld\n", rows[i].text, (long long)got,
				    (long long)rows[i].want);
		assert_true(got == rows[i].want);
	}
	struct bw_value v = eval("1.5f * 2");
	assert_int_equal(v.type.kind, BW_TYPE_FLOAT);
	assert_int_equal(v.type.size_b, 4);
	v = eval("1.5 * 2");
	assert_int_equal(v.type.size_b, 8);
	v = eval("0.1f + 0.2f");
	assert_true((float)bw_value_f64(&v, 0) == 0.1f + 0.2f);
}

static void test_registers(void **state)
{
	assert_int_equal(ival("$s4"), 0x104);
	assert_int_equal(ival("s4"), 0x104);
	assert_true(ival("$s[4:5]") == 0x10500000104ll);
	assert_true(ival("s[4:5] >> 32") == 0x105);
	assert_int_equal(ival("$v3"), 3006);
	assert_int_equal(ival("$v3[9]"), 3009);
	assert_int_equal(ival("$v3 + 1"), 3007);
	assert_int_equal(ival("$exec"), 0xffffffff);
	assert_int_equal(ival("$vcc"), 0x55);
	assert_true(ival("$pc") == (int64_t)FAKE_BASE);
	assert_int_equal(ival("$scc"), 0);
	assert_int_equal(ival("$s[4:5] == $s4 + ((long)$s5 << 32)"), 1);
	struct bw_value v = eval("$v3");
	assert_true(v.across_lanes);
	assert_int_equal(v.n_elem, 32);
	for (unsigned lane = 0; lane < 32; lane++)
		assert_int_equal(v.elem[lane], 3000 + lane);
	bw_value_fini(&v);
	v = eval("$v[3:4]");
	assert_int_equal(v.type.size_b, 8);
	assert_true(v.elem[2] == (4002ull << 32 | 3002));
	bw_value_fini(&v);
	v = eval("$s[8:11]");
	assert_int_equal(v.n_elem, 4);
	assert_int_equal(v.elem[3], 0x10b);
	bw_value_fini(&v);
	v = eval("as_float($v5)");
	assert_true(bw_value_f64(&v, 6) == 1.5);
	bw_value_fini(&v);
	v = eval("(float)$v5[6]");
	assert_true(bw_value_f64(&v, 0) == (double)0x3fc00000);
	struct bw_value lane;
	struct bw_expr_error at;
	OK(bw_debug_eval_lane(s.debug, "$v3 * 2", 11, &lane, &at));
	assert_int_equal(bw_value_i64(&lane, 11), 6022);
}

static void test_names_of_the_focus(void **state)
{
	struct bw_value v;
	assert_int_equal(ival("$_lane"), 6);
	assert_int_equal(ival("$_wave"), 4);
	assert_int_equal(ival("$_thread"), 4);
	assert_int_equal(ival("$_dispatch"), 1);
	assert_int_equal(ival("$_queue"), 2);
	assert_int_equal(ival("$_thread_workgroup_pos"), 1);
	v = eval("$_dispatch_pos");
	assert_string_equal(v.text, "(1,0,0)/1");
	v = eval("$_lane_workgroup_pos");
	assert_string_equal(v.text, "[38,0,0]");
	assert_int_equal(ival("$_dispatch_pos == \"(1,0,0)/1\""), 1);
	assert_int_equal(ival("$_workgroup == 1,0,0"), 1);
	assert_int_equal(ival("$_workgroup[0] == 1"), 1);
	assert_int_equal(ival("$_workgroup[1] == 1"), 0);
	assert_int_equal(ival("blockIdx.x"), 1);
	assert_int_equal(ival("$threadIdx.x"), 38);
	assert_int_equal(ival("threadIdx.y + blockDim.x * blockIdx.x"), 64);
	assert_int_equal(ival("gridDim.x"), 2);
	assert_true(ival("demo") == (int64_t)FAKE_BASE);
	assert_true(ival("demo + 4") == (int64_t)FAKE_BASE + 4);
	assert_true(ival("&demo") == (int64_t)FAKE_BASE);
}

static void test_memory(void **state)
{
	assert_int_equal(ival("*(int *)0x700000002004"), 22);
	assert_int_equal(ival("((int *)0x700000002000)[2]"), 33);
	assert_int_equal(ival("*((int *)0x700000002000 + 3)"), 44);
	assert_true(ival("&((int *)0x700000002000)[2]") == 0x700000002008);
	assert_int_equal(ival("&((int *)0x700000002000)[2] - (int *)0x700000002000"), 2);
	struct bw_value v = eval("*(float *)0x700000003004");
	assert_true(bw_value_f64(&v, 0) == 1.25);
	v = eval("{float} 0x700000003008");
	assert_true(bw_value_f64(&v, 0) == -3.0);
	v = eval("*(int *)0x700000002000@4");
	assert_int_equal(v.n_elem, 4);
	assert_int_equal(v.elem[3], 44);
	bw_value_fini(&v);
	assert_int_equal(ival("(*(int *)0x700000002000@4)[1]"), 22);
	assert_int_equal(ival("*lds#0x14"), 22);
	assert_int_equal(ival("*(short *)local#0x18"), 33);
	assert_int_equal(ival("((int*)local#0)[4]"), 11);
	assert_int_equal(ival("*(int *)private_lane#8"), 22);
	assert_int_equal(ival("*(__local int *)0x10"), 11);
	assert_int_equal(ival("*global#0x700000002000"), 11);
	v = eval("lds#(0x10 + 4)");
	assert_int_equal(v.type.kind, BW_TYPE_POINTER);
	assert_int_equal(v.type.space, BW_SPACE_LDS);
	assert_int_equal(v.bits, 0x14);
}

static void test_assignment(void **state)
{
	struct fake_wave *w = &s.fake->wave[3];
	float f;

	ival("$s4 = 7");
	assert_int_equal(w->s[4], 7);
	ival("$s[6:7] = 0x123456789a");
	assert_int_equal(w->s[6], 0x3456789a);
	assert_int_equal(w->s[7], 0x12);
	ival("$v2[3] = 1.5f");
	memcpy(&f, &w->v[2][3], 4);
	assert_true(f == 1.5f);
	ival("$v2[4] = 1.5");
	assert_int_equal(w->v[2][4], w->v[2][3]);
	ival("$v2 = 99"); /* the focus lane's */
	assert_int_equal(w->v[2][6], 99);
	assert_int_equal(w->v[2][7], 2007);
	ival("$s4 += 3");
	assert_int_equal(w->s[4], 10);
	ival("$s4 = $s5 = 1");
	assert_int_equal(w->s[4], 1);
	assert_int_equal(w->s[5], 1);
	ival("$scc = 1");
	assert_int_equal(w->hw.state.reg[BW_WREG_STATUS] & 1, 1);
	ival("$exec = 0xff");
	assert_true(w->hw.exec == 0xff);
	assert_true(bw_debug_focus(s.debug)->exec == 0xff);
	ival("$pc = demo + 4");
	assert_true(w->hw.pc == FAKE_BASE + 4);
	ival("$m0 = -1");
	assert_int_equal(w->hw.m0, 0xffffffff);
	ival("*(int *)0x700000002000 = 77");
	assert_int_equal(ival("*(int *)0x700000002000"), 77);
	ival("*(float *)0x700000003000 = 3");
	struct bw_value v = eval("*(float *)0x700000003000");
	assert_true(bw_value_f64(&v, 0) == 3.0);
	ival("*(short *)lds#0x10 = 5");
	assert_int_equal(ival("*(int *)lds#0x10"), 5);
	assert_int_equal(ival("*(int *)lds#0x14"), 22);
	ival("*(int *)scratch#8 <<= 1");
	assert_int_equal(ival("*(int *)scratch#8"), 44);
	assert_int_equal(ival("$x = 3"), 3);
	assert_int_equal(ival("$x * $x"), 9);
	ival("$x += 2");
	assert_int_equal(ival("$x"), 5);
	v = eval("$nothing");
	assert_int_equal(v.type.kind, BW_TYPE_VOID);
	/* sides that C would not evaluate do nothing */
	ival("0 && ($s4 = 5)");
	ival("1 ? 2 : ($s4 = 6)");
	assert_int_equal(w->s[4], 1);
}

static void test_errors(void **state)
{
	static const struct {
		const char *text, *message;
		size_t column;
	} rows[] = {
		{"", "ends too early", 0},
		{"1 +", "ends too early", 3},
		{"1 2", "near `2'", 2},
		{"(1", "ends too early", 2},
		{"1 + )", "near `)'", 4},
		{"nosuch + 1", "No symbol \"nosuch\" in current context", 0},
		{"1 + dmo", "did you mean demo?", 4},
		{"1 / 0", "Division by zero", 2},
		{"5 % (2 - 2)", "Division by zero", 2},
		{"*(float *)0x10", "Cannot access memory at address 0x10", 0},
		{"$v99", "the wave has no v99", 0},
		{"$v0[32]", "Invalid lane ID: 32", 3},
		{"1 = 2", "not an lvalue", 2},
		{"gibberish#4", "Address space gibberish not recognised", 0},
		{"lds#0x10000", NULL, 0},
		{"*lds#0x10000", "Cannot access memory at address local#0x10000", 0},
		{"1.5 << 2", "integers", 4},
		{"~1.5", "complement", 0},
		{"*(void *)0x700000002000", "void pointer", 0},
		{"$hw_id1 = 3", "cannot be written", 8},
		{"$pc = 3", "multiple of 4", 4},
		{"1.5[2]", "subscript", 3},
		{"\"abc", "Unterminated", 0},
		{"'ab'", "No symbol \"ab\"", 0},
		{"0x", "Invalid number", 0},
		{"0xg", "Invalid number", 0},
		{"1e", "Invalid number", 0},
		{"as_double($s4)", "8 bytes", 9},
		{"&1", "address of value", 0},
		{"3@2", "in memory", 1},
		{"*(int *)0x700000002000@0", "Invalid number 0 of repetitions", 22},
		{"threadIdx == 1,2", "ends too early", 16},
		{"threadIdx.w", "near `w'", 10},
		{"$scc = 2", "one bit", 5},
		{"1 ? 2", "ends too early", 5},
		{"\\", "Invalid character", 0},
		{"(unsigned signed)1", "near `signed", 10},
		{"$ttmp4", "belongs to the trap handler", 0},
	};
	for (size_t i = 0; i < BW_ARRAY_SIZE(rows); i++) {
		struct bw_value v = {0};
		struct bw_expr_error where = {0};
		struct bw_error *err = bw_debug_eval(s.debug, rows[i].text, &v, &where);
		if (!rows[i].message) {
			assert_null(err);
			bw_value_fini(&v);
			continue;
		}
		if (!err || !strstr(err->message, rows[i].message) ||
		    where.column != rows[i].column)
			print_error("%s: \"%s\" at %zu\n", rows[i].text,
				    err ? err->message : "no error", where.column);
		assert_non_null(err);
		assert_non_null(strstr(err->message, rows[i].message));
		assert_int_equal(where.column, rows[i].column);
		bw_error_free(err);
	}
	/* depth is limited, not the stack */
	char deep[3000];
	memset(deep, '(', sizeof(deep) - 1);
	deep[sizeof(deep) - 1] = 0;
	struct bw_value v;
	struct bw_expr_error where;
	fake_fails(bw_debug_eval(s.debug, deep, &v, &where), BW_E_INVALID, "too deeply");
	memset(deep, '-', sizeof(deep) - 1);
	fake_fails(bw_debug_eval(s.debug, deep, &v, &where), BW_E_INVALID, "too deeply");
}

static void test_completion(void **state)
{
	char **words = bw_debug_complete_expr(s.debug, "$ex");
	assert_non_null(words);
	assert_string_equal(words[0], "$exec");
	bw_debug_free_words(words);
	words = bw_debug_complete_where(s.debug, "de");
	assert_string_equal(words[0], "demo");
	assert_null(words[1]);
	bw_debug_free_words(words);
}

TESTS_EACH(setup, teardown, test_arithmetic, test_registers, test_names_of_the_focus, test_memory,
	   test_assignment, test_errors, test_completion);
