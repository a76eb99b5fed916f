/* SPDX-License-Identifier: MIT */
/* Where a shader's text declares local variables, and where their blocks end. */
#include <stdint.h>

#include <stdio.h>
#include <string.h>

#include "../suite.h"
#include "base/util.h"
#include "sym/shader_scopes.h"

/* "name:line-end" of each, or "name:line-begin-end" where its block is no function's, with "f" in a for's head, "+" where code follows in the line of the
 * declaration, and "s" where it does behind the end. */
static void expect(const char *text, const char *want)
{
	struct bw_declarations all = {0};
	char got[512] = "";
	assert_null(bw_shader_declarations(text, &all));
	bw_vec_each(&all, d) {
		size_t at = strlen(got);
		char begin[16] = "";
		if (d->begin)
			snprintf(begin, sizeof(begin), "%u-", d->begin);
		snprintf(got + at, sizeof(got) - at, "%s%.*s:%u-%s%u%s%s%s", at ? " " : "",
			 (int)d->len, d->name, d->line, begin, d->end, d->is_loop ? "f" : "",
			 d->is_last ? "" : "+", d->end_is_shared ? "s" : "");
	}
	bw_vec_free(&all);
	assert_string_equal(got, want);
}

static void blocks(void **state)
{
	(void)state;
	expect("void main() {\n int a = 1;\n {\n  float a[2], b = f(1, 2), c;\n }\n vec3 d;\n}\n",
	       "a:2-7 a:4-3-5 b:4-3-5 c:4-3-5 d:6-7");
	expect("int a;\nint f(int x)\n{\n return x;\n}\nvoid main()\n{\n int y; y = 1;\n}",
	       "y:8-9+");
	expect("void f() { do {\n int a;\n } while (a > 0);\n}", "a:2-1-3s");
	expect("void f() {\n int a =\n 3;\n}", "a:2-4+");
	expect("void f() {\n a = b;\n return c;\n g(x);\n ++d;\n (e);\n;\n}", "");
	expect("void f() {\n const highp float a = 1;\n vector<float, 3> b;\n float[2] c = {1, 2};\n}",
	       "a:2-5 b:3-5 c:4-5");
}

static void loops(void **state)
{
	(void)state;
	expect("void f() {\n for (int i = 0; i < 3; i++)\n  for (int k = 0;;)\n   x += i;\n y++;\n}",
	       "i:2-2-4f+ k:3-3-4f+");
	expect("void f() {\n for (int i = 0, n = 3; i < n; i++) {\n  int a;\n }\n int i;\n}",
	       "i:2-2-4f+ n:2-2-4f+ a:3-2-4 i:5-6");
	expect("void f() {\n if (x) for (int i = 0;;) y++; else {\n  int a;\n }\n}",
	       "i:2-2-4f+ a:3-2-4");
	expect("void f() {\n [unroll] for (;;) { int a; }\n UNROLL for (int b = 0;;) {\n }\n int c;\n}",
	       "a:2-2-2 b:3-3-4f+ c:5-6");
	expect("void f() {\n LOOP(i, 3) {\n  int a;\n }\n while (x) { int b; }\n switch (x) {\n case 1: int c;\n"
	       " default: int d;\n }\n}",
	       "a:3-2-4 b:5-5-5 c:7-6-9 d:8-6-9");
}

static void not_code(void **state)
{
	(void)state;
	expect("/* { \n */ void f() { // {\n int a; // }\n /* } */\n}", "a:3-5");
	expect("#define M(x) do { x; } \\\n while (0)\nvoid f()\n{\n#ifdef A\n int a;\n#else\n int b;\n#endif\n}",
	       "a:6-10 b:8-10");
	expect("#line 100\nvoid f() {\n int a;\n}", "a:101-102");
	expect("struct S { int a; };\nlayout(binding = 0) buffer B { int b; } x;\nfloat4 f() : SV_Target {\n int c;\n}",
	       "c:4-5");
}

/* Blocks that cannot be told are none. */
static void not_told(void **state)
{
	(void)state;
	expect("#define BEGIN {\nvoid f() { int a; }", "");
	expect("void f() { int a;", "");
	expect("void f() { int a; } }", "a:1-1");
	expect("void f() {\n#if X\n if (a) {\n#else\n if (b) {\n#endif\n int c;\n }\n}", "");
	expect("void f() { int a; /* }", "");
	expect("#line 3 \"other\"\nvoid f() { int a; }", "");
	expect("", "");
	expect("void f() { for (int a; ] }", "");
	expect("void f() { (((", "");
	expect("void f() { a b c = ; < > } ;", "");
}

TESTS(blocks, loops, not_code, not_told);
