// SPDX-License-Identifier: MIT
/* Values of the program's types in expressions, and as text. Types are as a compiler lays them out
 * for x86-64, where gdb 13.1 has printed the texts of the same values; but what is left of an
 * enumeration of flags is "unknown: 0x4" there. */
#include "fake_session.h"
#include "debug/expressions.h"
#include "debug/stop.h"
#include "debug/variables.h"
#include "debug/waves.h"
#include "ui/show.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"

static struct fake_session s;

/* ---- Types ---- */

static const struct bw_ctype t_int = {
	.kind = BW_CTYPE_INT, .name = "int", .size_b = 4, .is_signed = true};
static const struct bw_ctype t_unsigned = {
	.kind = BW_CTYPE_INT, .name = "unsigned int", .size_b = 4};
static const struct bw_ctype t_short = {
	.kind = BW_CTYPE_INT, .name = "short", .size_b = 2, .is_signed = true};
static const struct bw_ctype t_char = {
	.kind = BW_CTYPE_INT, .name = "char", .size_b = 1, .is_signed = true, .is_char = true};
static const struct bw_ctype t_bool = {.kind = BW_CTYPE_BOOL, .name = "_Bool", .size_b = 1};
static const struct bw_ctype t_float = {.kind = BW_CTYPE_FLOAT, .name = "float", .size_b = 4};
static const struct bw_ctype t_half = {.kind = BW_CTYPE_FLOAT, .name = "half", .size_b = 2};
static const struct bw_ctype t_bfloat = {
	.kind = BW_CTYPE_FLOAT, .name = "__bf16", .size_b = 2, .is_bfloat = true};
static const struct bw_cenumerator colors[] = {{"RED", 0}, {"GREEN", 5}, {"BLUE", 6}};
static const struct bw_ctype t_color = {.kind = BW_CTYPE_ENUM,
					.name = "enum color",
					.size_b = 4,
					.elem = &t_unsigned,
					.enumerators = colors,
					.n_enumerators = 3};
static const struct bw_cenumerator flags[] = {{"A", 1}, {"B", 2}, {"C", 16}};
static const struct bw_ctype t_flags = {.kind = BW_CTYPE_ENUM,
					.name = "enum flags",
					.size_b = 4,
					.elem = &t_unsigned,
					.enumerators = flags,
					.n_enumerators = 3};
static const struct bw_ctype t_float3 = {
	.kind = BW_CTYPE_ARRAY, .elem = &t_float, .count = 3, .size_b = 12};
static const struct bw_ctype t_text = {
	.kind = BW_CTYPE_ARRAY, .elem = &t_char, .count = 14, .size_b = 14};
static const struct bw_ctype t_node;
static const struct bw_ctype t_next = {.kind = BW_CTYPE_POINTER, .elem = &t_node, .size_b = 8};
static const struct bw_cmember inner[] = {{.name = "u", .type = &t_unsigned},
					  {.name = "f", .type = &t_float}};
static const struct bw_ctype t_anonymous = {
	.kind = BW_CTYPE_UNION, .size_b = 4, .members = inner, .n_members = 2};
static const struct bw_cmember members[] = {
	{.name = "v", .type = &t_int},
	{.name = "small", .type = &t_short, .offset_b = 4},
	{.name = "next", .type = &t_next, .offset_b = 8},
	{.name = "w", .type = &t_float3, .offset_b = 16},
	{.name = "color", .type = &t_color, .offset_b = 28},
	{.name = "low", .type = &t_unsigned, .offset_b = 32, .bit_size = 3},
	{.name = "high", .type = &t_unsigned, .offset_b = 32, .bit_offset = 3, .bit_size = 7},
	{.name = "sign", .type = &t_int, .offset_b = 32, .bit_offset = 10, .bit_size = 4},
	{.name = "on", .type = &t_bool, .offset_b = 34},
	{.name = "name", .type = &t_text, .offset_b = 35},
	{.type = &t_anonymous, .offset_b = 52},
};
static const struct bw_ctype t_node = {.kind = BW_CTYPE_STRUCT,
				       .name = "struct node",
				       .size_b = 56,
				       .members = members,
				       .n_members = BW_ARRAY_SIZE(members)};
static const struct bw_ctype t_float4 = {
	.kind = BW_CTYPE_VECTOR, .elem = &t_float, .count = 4, .size_b = 16};
static const struct bw_ctype t_ints = {
	.kind = BW_CTYPE_ARRAY, .elem = &t_int, .count = 300, .size_b = 1200};
static const struct bw_ctype p_node = {.kind = BW_CTYPE_POINTER, .elem = &t_node, .size_b = 8};
static const struct bw_ctype p_local = {
	.kind = BW_CTYPE_POINTER, .elem = &t_int, .size_b = 4, .address_class = BW_ADDRESS_LOCAL};
static const struct bw_ctype p_private = {
	.kind = BW_CTYPE_POINTER, .elem = &t_int, .size_b = 4, .address_class = BW_ADDRESS_PRIVATE};
static const struct bw_ctype p_int = {.kind = BW_CTYPE_POINTER, .elem = &t_int, .size_b = 8};
static const struct bw_ctype p_vector = {.kind = BW_CTYPE_POINTER, .elem = &t_float4, .size_b = 8};
static const struct bw_ctype p_flags = {.kind = BW_CTYPE_POINTER, .elem = &t_flags, .size_b = 8};
static const struct bw_ctype p_half = {.kind = BW_CTYPE_POINTER, .elem = &t_half, .size_b = 8};
static const struct bw_ctype p_bfloat = {.kind = BW_CTYPE_POINTER, .elem = &t_bfloat, .size_b = 8};
static const struct bw_ctype p_ints = {.kind = BW_CTYPE_POINTER, .elem = &t_ints, .size_b = 8};

enum {
	NODE = 0x2000, /* behind FAKE_BASE: two of them */
	VECTOR = 0x2100,
	NUMBERS = 0x2200,
	INTS = 0x3000,
};

struct node {
	int v;
	short small;
	uint64_t next;
	float w[3];
	unsigned color;
	unsigned low : 3, high : 7;
	int sign : 4;
	_Bool on;
	char name[14];
	unsigned u;
};

static void set_pointer(const char *name, const struct bw_ctype *type, uint64_t bits)
{
	struct bw_value v = {.type = bw_type_of(type), .bits = bits};
	OK(bw_debug_set_var(s.debug, name, &v));
}

static int setup(void **state)
{
	static const uint32_t code[] = {0xbf900003, 0xbfb00000};
	struct bw_stop stop;
	fake_session_create(&s, code, BW_ARRAY_SIZE(code));
	fake_session_start(&s, 2);
	struct node n[2] = {{-3,
			     -2,
			     FAKE_BASE + NODE + sizeof(n[0]),
			     {1.5f, 2.5f, -1},
			     5,
			     5,
			     100,
			     -3,
			     true,
			     "hi",
			     0x3fc00000},
			    {7, 8, 0, {0, 0, 0}, 9, 0, 0, 0, false, "", 0}};
	assert_int_equal(sizeof(n[0]), t_node.size_b);
	memcpy(fake_at(s.fake, FAKE_BASE + NODE), n, sizeof(n));
	float vector[] = {1, 2, 3, 4.5f};
	memcpy(fake_at(s.fake, FAKE_BASE + VECTOR), vector, sizeof(vector));
	/* flags: B|C, B|4, 0; half 1.5; bfloat -2.5 */
	uint32_t numbers[] = {18, 6, 0, 0x3e00, 0xc020};
	memcpy(fake_at(s.fake, FAKE_BASE + NUMBERS), numbers, sizeof(numbers));
	int ints[300] = {1, 2, 3};
	for (int i = 100; i < 300; i++)
		ints[i] = i;
	memcpy(fake_at(s.fake, FAKE_BASE + INTS), ints, sizeof(ints));
	int local[] = {11, 22, 33};
	memcpy(s.fake->lds + 0x10, local, sizeof(local));
	int private = 44;
	memcpy(s.fake->wave[3].scratch[6] + 8, &private, sizeof(private));
	OK(bw_debug_wait(s.debug, 10, &stop));
	OK(bw_debug_set_focus(s.debug, 4));
	OK(bw_debug_set_lane(s.debug, 6));
	set_pointer("p", &p_node, FAKE_BASE + NODE);
	set_pointer("vec", &p_vector, FAKE_BASE + VECTOR);
	set_pointer("flags", &p_flags, FAKE_BASE + NUMBERS);
	set_pointer("half", &p_half, FAKE_BASE + NUMBERS + 12);
	set_pointer("bf", &p_bfloat, FAKE_BASE + NUMBERS + 16);
	set_pointer("ints", &p_ints, FAKE_BASE + INTS);
	set_pointer("lp", &p_local, 0x10);
	set_pointer("pp", &p_private, 8);
	set_pointer("gl", &p_int, 0x2000000000000010); /* generic, in the aperture of LDS */
	set_pointer("gp", &p_int, 0x1000000000000008); /* and of scratch */
	return 0;
}

static int teardown(void **state)
{
	fake_session_end(&s);
	return 0;
}

static void shows(const char *text, const char *want)
{
	struct bw_value v;
	struct bw_expr_error where = {0};
	struct bw_str got = {0};
	struct bw_error *err = bw_debug_eval(s.debug, text, &v, &where);
	if (err)
		print_error("%s: %s (column %zu)\n", text, err->message, where.column);
	assert_null(err);
	bw_show_value(s.debug, &v, 0, &got);
	if (strcmp(bw_str_text(&got), want) != 0)
		print_error("%s shows %s, not %s\n", text, bw_str_text(&got), want);
	assert_string_equal(bw_str_text(&got), want);
	bw_str_free(&got);
	bw_value_fini(&v);
}

static void test_parts(void **state)
{
	static const struct {
		const char *text, *want;
	} rows[] = {
		{"$p->v", "-3"},
		/* generic pointers: the space by the aperture */
		{"$gl", "(int *) 0x2000000000000010 <local#0x10>"},
		{"$gp", "(int *) 0x1000000000000008 <private_lane#0x8>"},
		{"$gl == $lp", "1"},
		{"$gl != $lp", "0"},
		{"$gl + 1 == $lp", "0"},
		{"$gl + 1 > $lp", "1"},
		{"$gl + 3 - $lp", "3"},
		{"$gp == $pp", "1"},
		{"$gp == $lp", "0"},
		{"$gp != $lp", "1"},
		{"$gl - $gl", "0"},
		{"(*$p).v + 1", "-2"},
		{"$p.v", "-3"},
		{"$p->small * 2", "-4"},
		{"$p->w", "{1.5, 2.5, -1}"},
		{"$p->w[1]", "2.5"},
		{"*($p->w + 2)", "-1"},
		{"*$p->w@2", "{1.5, 2.5}"},
		{"$p->w[1]@2", "{2.5, -1}"},
		{"$p->next->v", "7"},
		{"$p[1].small", "8"},
		{"($p + 1)->v", "7"},
		{"$p + 1 == $p->next", "1"},
		{"$p->next - $p", "1"},
		{"$p < $p->next", "1"},
		{"$p->next->next", "(struct node *) 0x0"},
		{"$p->low", "5"},
		{"$p->high", "100"},
		{"$p->sign", "-3"},
		{"$p->on", "true"},
		{"$p->on + 1", "2"},
		{"$p->f", "1.5"}, /* of the anonymous union */
		{"$p->color", "GREEN"},
		{"$p->next->color", "9"},
		{"$p->color + 1", "6"},
		{"$p->name", "\"hi\", '\\000' <repeats 11 times>"},
		{"$p->name[0]", "104 'h'"},
		{"sizeof(*$p)", "56"},
		{"sizeof($p->w)", "12"},
		{"&$p->w[1]", "(float *) 0x700000002014"},
		{"&*$p == $p", "1"},
		{"*$vec", "{1, 2, 3, 4.5}"},
		{"$vec->x", "1"},
		{"$vec->w", "4.5"},
		{"(*$vec)[2]", "3"},
		{"$vec->s3", "4.5"},
		{"$vec->zyx", "{3, 2, 1}"},
		{"$vec->hi", "{3, 4.5}"},
		{"$vec->even", "{1, 3}"},
		{"$vec->xy.y", "2"},
		{"*$flags", "(B | C)"},
		{"$flags[1]", "(B | 0x4)"},
		{"$flags[2]", "0"},
		{"*$half", "1.5"},
		{"*$half * 2", "3"},
		{"*$bf", "-2.5"},
		{"*$bf + 1", "-1.5"},
		{"$lp", "(__local int *) local#0x10"},
		{"$lp[1]", "22"},
		{"*$lp@3", "{11, 22, 33}"},
		{"*$pp", "44"},
		{"*$gl", "11"},
		{"*$gp", "44"},
		{"$ints->x ? 1 : 2", NULL},
	};
	for (size_t i = 0; rows[i].want; i++)
		shows(rows[i].text, rows[i].want);
}

static void test_aggregates(void **state)
{
	struct bw_debug_settings *settings = bw_debug_settings(s.debug);
	shows("*$p",
	      "{v = -3, small = -2, next = 0x700000002038, w = {1.5, 2.5, -1}, color = GREEN, "
	      "low = 5, high = 100, sign = -3, on = true, name = \"hi\", '\\000' <repeats 11 "
	      "times>, {u = 1069547520, f = 1.5}}");
	settings->print_elements = 4;
	shows("*$ints", "{1, 2, 3, 0 <repeats 97 times>...}");
	shows("$p->name", "\"hi\", '\\000' <repeats 11 times>");
	settings->print_elements = 200;
	shows("*$vec@1", "{{1, 2, 3, 4.5}}");
	settings->print_pretty = true;
	shows("$p->w", "{1.5, 2.5, -1}");
	struct bw_value v;
	struct bw_expr_error where;
	OK(bw_debug_eval(s.debug, "$copy = *$p", &v, &where));
	bw_value_fini(&v);
	memset(fake_at(s.fake, FAKE_BASE + NODE), 0, 4);
	shows("$p->v", "0");
	shows("$copy.v", "-3"); /* as it was */
	shows("$copy.w[2]", "-1");
}

static void test_assignments(void **state)
{
	struct node n;
	shows("$p->w[1] = 7", "7");
	shows("$p->high = 3", "3");
	shows("$p->sign = -8", "-8");
	shows("$p->on = 9", "true");
	shows("$p->v += 10", "7");
	shows("$p->color = 6", "BLUE");
	shows("*$half = 2.5", "2.5");
	shows("*$bf = 3", "3");
	shows("$lp[2] = 5", "5");
	shows("*$gl = 6", "6");
	memcpy(&n, fake_at(s.fake, FAKE_BASE + NODE), sizeof(n));
	assert_true(n.w[1] == 7 && n.w[0] == 1.5f && n.w[2] == -1);
	assert_int_equal(n.low, 5);
	assert_int_equal(n.high, 3);
	assert_int_equal(n.sign, -8);
	assert_int_equal(n.on, 1);
	assert_int_equal(n.v, 7);
	assert_int_equal(n.color, 6);
	uint16_t bits;
	memcpy(&bits, fake_at(s.fake, FAKE_BASE + NUMBERS + 12), 2);
	assert_int_equal(bits, 0x4100);
	memcpy(&bits, fake_at(s.fake, FAKE_BASE + NUMBERS + 16), 2);
	assert_int_equal(bits, 0x4040);
	int local[3];
	memcpy(local, s.fake->lds + 0x10, sizeof(local));
	assert_int_equal(local[0], 6);
	assert_int_equal(local[2], 5);
	shows("($p[1] = *$p).v", "7");
	memcpy(&n, fake_at(s.fake, FAKE_BASE + NODE + 56), sizeof(n));
	assert_true(n.v == 7 && n.w[1] == 7);
}

/* A struct in registers, of which a part is not known. */
static void test_partly_known(void **state)
{
	struct bw_value v = {.type = bw_type_of(&t_node)};
	v.bytes = bw_bytes_new(t_node.size_b);
	assert_non_null(v.bytes);
	memcpy(v.bytes->data, (int[]){42}, 4);
	memset(v.bytes->known, 1, 4);
	float w = 2;
	memcpy(v.bytes->data + 20, &w, 4);
	memset(v.bytes->known + 20, 1, 4);
	OK(bw_debug_set_var(s.debug, "part", &v));
	shows("$part",
	      "{v = 42, small = <optimized out>, next = <optimized out>, w = {<optimized "
	      "out>, 2, <optimized out>}, color = <optimized out>, low = <optimized out>, "
	      "high = <optimized out>, sign = <optimized out>, on = <optimized out>, name = "
	      "<optimized out>, <optimized out>}");
	shows("$part.v + 1", "43");
	shows("$part.w[1]", "2");
	shows("$part.small", "<optimized out>");
	shows("sizeof($part.small)", "2");
	snprintf(v.bytes->why, sizeof(v.bytes->why), "LDS offset unknown");
	shows("$part.small", "<LDS offset unknown>");
	bw_value_fini(&v);
}

static void test_errors(void **state)
{
	static const struct {
		const char *text, *message;
	} rows[] = {
		{"$p->nothing", "There is no member named nothing"},
		{"$vec->k", "has no component named k: its components are "},
		{"$vec->xyzwq", "has no component named xyzwq"},
		{"$p->v.x", "not a structure"},
		{"*$p + 1", "not a number"},
		{"*$p == *$p", "not a number"},
		{"(*$vec)[4]", "no such vector element"},
		{"&$p->low", "not located in memory"},
		{"&$vec->xz", "not located in memory"},
		{"*$p = *$vec", "Invalid assignment"},
		{"*$p = 3", "Invalid assignment"},
		{"$p->w = 3", "Invalid assignment"},
		{"$part.small + 1", "LDS offset unknown"},
		{"$p->next->next->v", "Cannot access memory at address 0x0"},
		{"$p * 2", "not a number"},
		{"(struct nothing *)1", "No struct type named nothing"},
		{"$gl - $gp", "point into different address spaces"},
		{"$p->", "ends too early"},
		{"$p.3", "syntax"},
	};
	struct bw_value v = {.type = bw_type_of(&t_short), .is_missing = true};
	v.bytes = bw_bytes_new(2);
	snprintf(v.bytes->why, sizeof(v.bytes->why), "LDS offset unknown");
	struct bw_value whole = {.type = bw_type_of(&t_node), .bytes = bw_bytes_new(t_node.size_b)};
	snprintf(whole.bytes->why, sizeof(whole.bytes->why), "LDS offset unknown");
	OK(bw_debug_set_var(s.debug, "part", &whole));
	bw_value_fini(&whole);
	bw_value_fini(&v);
	for (size_t i = 0; i < BW_ARRAY_SIZE(rows); i++) {
		struct bw_expr_error where = {0};
		struct bw_error *err = bw_debug_eval(s.debug, rows[i].text, &v, &where);
		if (!err) {
			bw_value_fini(&v);
			print_error("%s is not refused\n", rows[i].text);
		} else if (!strcasestr(err->message, rows[i].message)) {
			print_error("%s: %s\n", rows[i].text, err->message);
		}
		assert_true(err && strcasestr(err->message, rows[i].message));
		bw_error_free(err);
	}
}

TESTS_EACH(setup, teardown, test_parts, test_aggregates, test_assignments, test_partly_known,
	   test_errors);
