/* SPDX-License-Identifier: MIT */
/* Which assignments give a variable its value: expected is what C executes. */
#include <stdint.h>

#include "../suite.h"
#include "base/float_bits.h"
#include "sym/assigned.h"

static const struct bw_ctype int_type = {.kind = BW_CTYPE_INT, .size_b = 4, .is_signed = true};
static const struct bw_ctype float_type = {.kind = BW_CTYPE_FLOAT, .size_b = 4};
static const struct bw_cenumerator colors[] = {{"RED", 0}, {"BLUE", 6}};
static const struct bw_ctype color_type = {
	.kind = BW_CTYPE_ENUM, .size_b = 4, .enumerators = colors, .n_enumerators = 2};

static const char *line_of(void *ctx, unsigned line)
{
	const char *const *lines = ctx;
	for (unsigned i = 1; lines[i - 1]; i++)
		if (i == line)
			return lines[i - 1];
	return NULL;
}

static struct bw_assigned of(const char *const *lines, const char *name, unsigned decl, unsigned at)
{
	return (struct bw_assigned){.line = line_of,
				    .ctx = (void *)(uintptr_t)lines,
				    .name = name,
				    .type = &int_type,
				    .decl_line = decl,
				    .at_line = at};
}

static bool can_be(const char *const *lines, const char *name, unsigned decl, unsigned at,
		   int64_t value)
{
	struct bw_assigned a = of(lines, name, decl, at);
	return bw_assigned_constant(&a, (uint64_t)value, false);
}

static bool from_line(const char *const *lines, const char *name, unsigned at, unsigned line)
{
	struct bw_assigned a = of(lines, name, 2, at);
	struct bw_assigned_last last;
	assert_true(bw_assigned_last(&a, false, &last));
	for (size_t i = 0; i < last.n; i++)
		if (last.line[i] == line)
			return true;
	return false;
}

static bool has_others(const char *const *lines, const char *name, unsigned at)
{
	struct bw_assigned a = of(lines, name, 2, at);
	struct bw_assigned_last last;
	assert_true(bw_assigned_last(&a, false, &last));
	return !last.is_all;
}

static const char *const straight[] = {"void f(int *out, int n) {",   /* 1 */
				       "	int t = n; // t = 3", /* 2 */
				       "	out[0] = t;",	      /* 3 */
				       "	t = 3;",	      /* 4 */
				       "	out[1] = t;",	      /* 5 */
				       "	t = -4; /* t = 7 */", /* 6 */
				       "	out[2] = t;",	      /* 7 */
				       "}",			      /* 8 */
				       NULL};

static void test_straight(void **state)
{
	assert_false(can_be(straight, "t", 2, 3, 3));
	assert_false(can_be(straight, "t", 2, 4, 3));
	assert_true(can_be(straight, "t", 2, 5, 3));
	assert_false(can_be(straight, "t", 2, 5, -4));
	assert_true(can_be(straight, "t", 2, 7, -4));
	assert_false(can_be(straight, "t", 2, 7, 3)); /* no more */
	assert_false(can_be(straight, "t", 2, 7, 7)); /* in a comment */
	assert_false(can_be(straight, "t", 2, 8, 3)); /* the end of its scope is still in it */
	assert_true(can_be(straight, "t", 2, 8, -4));
	/* n in a register */
	assert_true(from_line(straight, "t", 3, 2));
	assert_false(from_line(straight, "t", 5, 2));
	assert_false(from_line(straight, "t", 3, 4));
	assert_false(from_line(straight, "t", 3, 1));
	assert_true(has_others(straight, "t", 3));
	assert_true(from_line(straight, "t", 2, 2)); /* being initialized */
}

static const char *const branches[] = {"void f(int *out, int n) {",   /* 1 */
				       "	int t = n;",	      /* 2 */
				       "	if (n)",	      /* 3 */
				       "		t = 5;",      /* 4 */
				       "	else {",	      /* 5 */
				       "		t = 6;",      /* 6 */
				       "		out[9] = t;", /* 7 */
				       "	}",		      /* 8 */
				       "	out[0] = t;",	      /* 9 */
				       "	switch (n) {",	      /* 10 */
				       "	case 1:",	      /* 11 */
				       "		n--;",	      /* 12 */
				       "		t = 7;",      /* 13 */
				       "		break;",      /* 14 */
				       "	case 2:",	      /* 15 */
				       "		out[1] = t;", /* 16 */
				       "	}",		      /* 17 */
				       "	out[2] = t;",	      /* 18 */
				       "}",			      /* 19 */
				       NULL};

static void test_branches(void **state)
{
	assert_true(can_be(branches, "t", 2, 9, 5));
	assert_true(can_be(branches, "t", 2, 9, 6));
	assert_false(can_be(branches, "t", 2, 9, 7));
	assert_true(can_be(branches, "t", 2, 7, 6));
	assert_false(can_be(branches, "t", 2, 7, 5));
	assert_true(can_be(branches, "t", 2, 16, 6)); /* `t = 7` is not on the way */
	assert_true(can_be(branches, "t", 2, 18, 7));
	assert_true(can_be(branches, "t", 2, 18, 5));
	assert_true(from_line(branches, "t", 18, 2));
	assert_true(from_line(branches, "t", 18, 13));
	assert_false(has_others(branches, "t", 18));
	assert_true(has_others(branches, "t", 7));
}

/* A parameter of which all calls pass the same has that constant until it is assigned. */
static void test_parameter(void **state)
{
	static const char *const lines[] = {"int f(int n) {",		      /* 1 */
					    "	int t = n + 1;",	      /* 2 */
					    "	for (int i = 0; i < t; i++)", /* 3 */
					    "		n += i;",	      /* 4 */
					    "	return n;",		      /* 5 */
					    "}",			      /* 6 */
					    NULL};
	struct bw_assigned a = of(straight, "n", 1, 5), assigned = of(lines, "n", 1, 5);
	a.is_param = assigned.is_param = true;
	assert_true(bw_assigned_constant(&a, 97, false));
	assert_false(bw_assigned_constant(&assigned, 97, false));
}

static const char *const loops[] = {"void f(int *out, int n) {",	/* 1 */
				    "	int t = 1, u;",			/* 2 */
				    "	for (int i = 0; i < 4; i++) {", /* 3 */
				    "		out[i] = t;",		/* 4 */
				    "		t = 2;",		/* 5 */
				    "		u = 8;",		/* 6 */
				    "		out[u] = i;",		/* 7 */
				    "	}",				/* 8 */
				    "	for (int i = 9; i; i--)",	/* 9 */
				    "		out[i] += t;",		/* 10 */
				    "	u = 0;",			/* 11 */
				    "	while (u < n)",			/* 12 */
				    "		u++;",			/* 13 */
				    "	out[0] = u;",			/* 14 */
				    "}",				/* 15 */
				    NULL};

static void test_loops(void **state)
{
	assert_true(can_be(loops, "t", 2, 4, 1));
	assert_true(can_be(loops, "t", 2, 4, 2)); /* in later rounds */
	assert_false(can_be(loops, "t", 2, 7, 1));
	assert_true(can_be(loops, "t", 2, 10, 2));
	/* an unrolled loop */
	assert_true(can_be(loops, "i", 3, 3, 0));
	assert_true(can_be(loops, "i", 3, 4, 0));
	assert_true(can_be(loops, "i", 3, 4, 3));
	assert_true(can_be(loops, "i", 9, 10, 9));
	assert_true(can_be(loops, "u", 2, 7, 8));
	assert_true(can_be(loops, "u", 2, 13, 1));
	assert_false(can_be(loops, "u", 2, 13, 8) && !can_be(loops, "u", 2, 13, 1));
	assert_true(from_line(loops, "u", 14, 13));
	assert_false(from_line(loops, "u", 14, 6));
	assert_false(from_line(loops, "t", 7, 2));
}

static const char *const kinds[] = {"void f(int *out, enum color c) {", /* 1 */
				    "	float t = 0.5f; int other_t;",	/* 2 */
				    "	other_t = 3;",			/* 3 */
				    "	t = 1.5f;",			/* 4 */
				    "	c = BLUE;",			/* 5 */
				    "	out[0] = c + t;",		/* 6 */
				    "	t = LIMIT;",			/* 7 */
				    "	out[1] = \"t = 9; {\"[0];",	/* 8 */
				    "}",				/* 9 */
				    NULL};

static void test_kinds(void **state)
{
	struct bw_assigned a = of(kinds, "t", 2, 4);
	a.type = &float_type;
	assert_true(bw_assigned_constant(&a, f32_bits(0.5f), false));
	assert_false(bw_assigned_constant(&a, f32_bits(1.5f), false));
	a.at_line = 6;
	assert_true(bw_assigned_constant(&a, f32_bits(1.5f), false));
	assert_false(bw_assigned_constant(&a, f32_bits(9), false)); /* LIMIT */
	a.at_line = 8;
	assert_true(bw_assigned_constant(&a, f32_bits(9), false));
	a = of(kinds, "c", 1, 5);
	a.type = &color_type;
	a.is_param = true;
	assert_false(bw_assigned_constant(&a, 6, false));
	a.at_line = 6;
	assert_true(bw_assigned_constant(&a, 6, false));
	assert_false(bw_assigned_constant(&a, 0, false));
	/* another text than the compiler's; no text */
	assert_false(can_be(kinds, "t", 3, 4, 77));
	assert_false(can_be(kinds, "out", 4, 5, 77));
	assert_true(can_be(kinds, "t", 12, 12, 77));
}

/* What is assigned where the text does not show it: a constant may be that of an earlier
 * statement. As John the Ripper's phpass_kernel.cl has it, where `i` had 5 behind a loop to 10. */
static void test_unclear(void **state)
{
	static const char *const c[] = {"#define COUNT(q) \\",		     /* 1 */
					"	for (i = 0; i < 9; i++) \\", /* 2 */
					"		x[i] = q",	     /* 3 */
					"void f(int *x) {",		     /* 4 */
					"	int i = 5, k = 5;",	     /* 5 */
					"	x[0] = i;",		     /* 6 */
					"	COUNT(3);",		     /* 7 */
					"	x[1] = i + k;",		     /* 8 */
					"}",				     /* 9 */
					"void g(int *x) {",		     /* 10 */
					"	int m = 5;",		     /* 11 */
					"#if FAST",			     /* 12 */
					"	m = 6;",		     /* 13 */
					"#endif",			     /* 14 */
					"	x[0] = m;",		     /* 15 */
					"}",				     /* 16 */
					NULL};
	struct bw_assigned_place place[BW_ASSIGNED_MAX];
	struct bw_assigned a = of(c, "i", 5, 8);
	size_t n;
	assert_false(can_be(c, "i", 5, 8, 5));
	assert_true(can_be(c, "k", 5, 8, 5));
	assert_false(can_be(c, "m", 11, 15, 5));
	assert_false(bw_assigned_places(&a, place, &n));
	a = of(c, "k", 5, 8);
	assert_true(bw_assigned_places(&a, place, &n));
	assert_int_equal(n, 1);
}

/* Everything that can change what is in memory, and nothing that only reads. */
static void test_lines(void **state)
{
	static const char *const lines[] = {"void f(int *out, int n) {", /* 1 */
					    "	int t[4] = {n, 1};",	 /* 2 */
					    "	out[0] = t[n & 3];",	 /* 3 */
					    "	t[n & 1] += 3;",	 /* 4 */
					    "	if (n) {",		 /* 5 */
					    "		change(t, n);",	 /* 6 */
					    "		t[2]++;",	 /* 7 */
					    "	}",			 /* 8 */
					    "	out[1] = t[1] == 3;",	 /* 9 */
					    "}",			 /* 10 */
					    NULL};
	static const struct bw_ctype array = {
		.kind = BW_CTYPE_ARRAY, .size_b = 16, .count = 4, .elem = &int_type};
	const struct bw_assigned_place wanted[] = {{2, 16}, {4, 4}, {6, 0}, {7, 4}};
	struct bw_assigned a = of(lines, "t", 2, 5);
	struct bw_assigned_place got[BW_ASSIGNED_MAX];
	size_t n = 0;
	a.type = &array;
	assert_true(bw_assigned_places(&a, got, &n));
	assert_int_equal(n, 4);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(got[i].line, wanted[i].line);
		assert_int_equal(got[i].size_b, wanted[i].size_b);
	}
	/* members */
	static const struct bw_cmember in[] = {{.name = "x", .type = &int_type},
					       {.name = "y", .type = &float_type}};
	static const struct bw_ctype pair = {
		.kind = BW_CTYPE_STRUCT, .size_b = 8, .members = in, .n_members = 2};
	static const struct bw_ctype pairs = {
		.kind = BW_CTYPE_ARRAY, .size_b = 32, .count = 4, .elem = &pair};
	static const char *const members[] = {"	struct pair s[4];", /* 1 */
					      "	s[n & 3].y = 1;",   /* 2 */
					      "	s[0] = p;",	    /* 3 */
					      "	s[1].z = p;",	    /* 4 */
					      "}",		    /* 5 */
					      NULL};
	const struct bw_assigned_place parts[] = {{2, 4}, {3, 8}, {4, 0}};
	struct bw_assigned b = of(members, "s", 1, 5);
	b.type = &pairs;
	assert_true(bw_assigned_places(&b, got, &n));
	assert_int_equal(n, 3);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(got[i].line, parts[i].line);
		assert_int_equal(got[i].size_b, parts[i].size_b);
	}
	a.name = "u"; /* another text than the compiler's */
	assert_false(bw_assigned_places(&a, got, &n));
}

static bool never(const char *const *lines, const char *name, bool has_references)
{
	struct bw_assigned a = of(lines, name, 2, 2);
	a.is_param = true;
	return bw_assigned_never(&a, has_references);
}

/* Parameters that nothing assigns: in each text `n` is one; others are assigned, or may be. */
static void test_never(void **state)
{
	static const char *const c[] = {
		"#define SQUARE(x) ((x) * (x))",
		"kernel void f(int a, int b, int d, int e, int n, int g) {",
		"	for (int i = 0; i < n; i++)",
		"		out[i] = min(i, n) + (n) * sizeof(n) - (int)(n);",
		"	a = 3; --b; g(&d); e <<= 1;",
		"	SQUARE(1 + g[2]);",
		"	return n == a ? n : s.n = 4;",
		"}",
		"void h(int n) { n = 3; }",
		NULL};
	assert_true(never(c, "n", false));
	assert_false(never(c, "a", false));
	assert_false(never(c, "b", false));
	assert_false(never(c, "d", false));
	assert_false(never(c, "e", false));
	assert_false(never(c, "g", false)); /* given to a macro */
	assert_false(never(c, "n", true));  /* an argument of min */
	assert_false(never(c, "other", false));
	static const char *const references[] = {
		"",
		"void f(T a, T b, int d, int e, int n, int m) {",
		"	T &r = a, &s{b};",
		"	x[n] = n + m * 2; if (n < m && x[0] == n + 1) h(m + 1, x[n]);",
		"	for (auto &i : d)",
		"		h(3, ((e)));",
		"}",
		NULL};
	assert_true(never(references, "n", true));
	assert_true(never(references, "m", true));
	assert_false(never(references, "a", true));
	assert_false(never(references, "b", true));
	assert_false(never(references, "d", true));
	assert_false(never(references, "e", true));
	assert_true(never(references, "e", false));		   /* C passes values */
	static const char *const macros[] = {"#define STEP(x) \\", /* 1 */
					     "	int f(int n) {",   /* 2 */
					     "	y = n;",	   /* 3 */
					     "}",		   /* 4 */
					     NULL};
	assert_true(never(macros, "n", false));
	static const char *const steps[] = {"#define STEP \\",		  /* 1 */
					    "	(n += 1) int f(int n) {", /* 2 */
					    "	y = n;",		  /* 3 */
					    "}",			  /* 4 */
					    NULL};
	assert_false(never(steps, "n", false));
	static const char *const unclear[] = {
		"", "int f(int n) {", "#ifdef A", "	n = 2;", "#endif", "}", NULL};
	assert_false(never(unclear, "n", false));
	/* a pointer's target is another thing */
	static const char *const points[] = {"", "int f(int *p) {", "	p[2] = 3; *p = 1;", "}",
					     NULL};
	struct bw_ctype pointer = {.kind = BW_CTYPE_POINTER, .size_b = 8, .elem = &int_type};
	struct bw_assigned a = of(points, "p", 2, 2);
	assert_false(bw_assigned_never(&a, false)); /* no parameter */
	a.is_param = true;
	a.type = &pointer;
	assert_true(bw_assigned_never(&a, false));
}

TESTS(test_straight, test_branches, test_parameter, test_loops, test_kinds, test_lines, test_never,
      test_unclear);
