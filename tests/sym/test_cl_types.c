/* SPDX-License-Identifier: MIT */
#include "sym/cl_types.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "../suite.h"
#include "base/str.h"

/* "struct {int a@0; float b[2]@4;} 12"; "?": not known. */
static void describe(const struct bw_ctype *t, struct bw_str *out)
{
	char name[128];
	const struct bw_ctype *s = t ? bw_ctype_strip(t) : NULL;
	if (!s) {
		bw_str_add(out, "?");
		return;
	}
	if (s->kind != BW_CTYPE_STRUCT && s->kind != BW_CTYPE_UNION) {
		bw_ctype_name(s->kind == BW_CTYPE_VECTOR ? t : s, name, sizeof(name));
		bw_str_addf(out, "%s", name);
	}
	for (size_t i = 0; i < s->n_members; i++) {
		bw_str_addf(out, "%s%s@%llu:", i ? " " : "{",
			    s->members[i].name ? s->members[i].name : "-",
			    (unsigned long long)s->members[i].offset_b);
		describe(s->members[i].type, out);
	}
	bw_str_addf(out, "%s %llu", s->n_members ? "}" : "", (unsigned long long)s->size_b);
}

struct row {
	const char *source, *options, *name, *is;
};

static void check(const struct row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct bw_cl_types *t = NULL;
		struct bw_str s = {0};
		struct bw_error *err = bw_cl_types_open(rows[i].source,
							rows[i].options ? rows[i].options : "", &t);
		assert_null(err);
		describe(bw_cl_types_named(t, rows[i].name), &s);
		if (strcmp(bw_str_text(&s), rows[i].is) != 0)
			fail_msg("%s: %s is \"%s\", not \"%s\"", rows[i].source, rows[i].name,
				 bw_str_text(&s), rows[i].is);
		bw_str_free(&s);
		bw_cl_types_close(t);
	}
}
#define CHECK(...)                                                                                 \
	do {                                                                                       \
		static const struct row rows[] = {__VA_ARGS__};                                    \
		check(rows, sizeof(rows) / sizeof(*rows));                                         \
	} while (0)

/* Offsets and sizes are those that clang-19 -target spir64 has (offsetof and sizeof). */
static void lays_types_out(void **state)
{
	CHECK({"typedef struct { int shift; float scale; } params;", 0, "params",
	       "{shift@0:int 4 scale@4:float 4} 8"},
	      {"struct p { char c; double d; float3 v; short s[3]; }; kernel void f() { int x; }",
	       0, "struct p", "{c@0:char 1 d@8:double 8 v@16:float3 16 s@32:short [3] 6} 48"},
	      {"struct a { uchar4 c; }; typedef struct { struct a x[2], y; union { int i; ulong l; }; } b;",
	       0, "b",
	       "{x@0:struct a [2] 8 y@8:{c@0:uchar4 4} 4 -@16:{i@0:int 4 l@0:ulong 8} 8} 24"},
	      {"typedef struct __attribute__((packed)) { char c; int i; } p;", 0, "p",
	       "{c@0:char 1 i@1:int 4} 5"},
	      {"typedef struct { char c; int i; } __attribute__((packed)) p;", 0, "p",
	       "{c@0:char 1 i@1:int 4} 5"},
	      {"struct __attribute__((aligned(16))) p { char c; int i __attribute__((aligned(8))); };",
	       0, "struct p", "{c@0:char 1 i@8:int 4} 16"},
	      {"typedef float real; typedef real vec[4]; struct p { const vec v; unsigned long int n; };",
	       0, "struct p", "{v@0:real [4] 16 n@16:ulong 8} 24"},
	      {"typedef struct s { int i; } s, *ps; struct t { s a; };", 0, "struct t",
	       "{a@0:{i@0:int 4} 4} 4"},
	      {"struct q f(int a) { return b; } typedef struct { int i; } p;", 0, "p",
	       "{i@0:int 4} 4"},
	      {"enum e { A = 3, B = A + 1 }; struct p { enum e e; int a[B]; };", 0, "struct p",
	       "{e@0:enum e 4 a@4:int [4] 16} 20"},
	      {"", 0, "uint", "uint 4"}, {"", 0, "const float4", "float4 16"});
}

static void replaces_macros(void **state)
{
	CHECK({"#define N (2*M)\n#define M 0x10\nstruct p { int a[N << 1]; };", 0, "struct p",
	       "{a@0:int [64] 256} 256"},
	      {"struct p { int a[N]; };", "-cl-std=CL2.0 -D N=5 -DX", "struct p",
	       "{a@0:int [5] 20} 20"},
	      {"#ifndef N\n#define N 7 // seven\n#endif\nstruct p { T a[N]; };", "-D T=char",
	       "struct p", "{a@0:char [7] 7} 7"},
	      {"#ifdef DOUBLE\ntypedef double real;\n#else\ntypedef float real;\n#endif\n",
	       "-DDOUBLE", "real", "double 8"},
	      {"#ifdef DOUBLE\ntypedef double real;\n#else\ntypedef float real;\n#endif\n", 0,
	       "real", "float 4"},
	      {"#if defined(A) && A > 2 || !defined B\ntypedef int t;\n#elif 1\ntypedef long t;\n#endif",
	       "-DA=1 -DB", "t", "long 8"},
	      {"#define real \\\n  float\nstruct p { real /* a */ x; };", 0, "struct p",
	       "{x@0:float 4} 4"});
}

/* Never a guess. */
static void knows_what_it_does_not_know(void **state)
{
	CHECK({"struct p { int a[N]; };", 0, "struct p", "?"},
	      {"struct p { int *a; };", 0, "struct p", "?"},
	      {"struct p { int a : 3; };", 0, "struct p", "?"},
	      {"struct p { size_t a; };", 0, "struct p", "?"},
	      {"#pragma pack(1)\nstruct p { char c; int a; };", 0, "struct p", "?"},
	      {"struct p { int a; } __attribute__((endian(host)));", 0, "struct p", "?"},
	      {"typedef struct { int a; } p __attribute__((aligned(64)));", 0, "p", "?"},
	      {"#ifdef cl_khr_fp64\ntypedef double real;\n#else\ntypedef float real;\n#endif", 0,
	       "real", "?"},
	      {"#if __OPENCL_VERSION__ >= 200\n#define N 4\n#else\n#define N 8\n#endif\nstruct p { int a[N]; };",
	       0, "struct p", "?"},
	      {"#include \"n.h\"\n#ifndef N\n#define N 4\n#endif\nstruct p { int a[N]; };", 0,
	       "struct p", "?"},
	      {"#define V(n) n\nstruct p { int a[V(3)]; };", 0, "struct p", "?"},
	      {"struct p { int a; }; /* no end", 0, "struct p", "?"},
	      {"struct p { int a; }; struct p { int b; };", 0, "struct p", "?"},
	      {"void f() { struct p { int b; }; }", 0, "struct p", "?"},
	      {"typedef struct p q; struct p { int b; };", 0, "q", "?"},
	      {"struct p { int a[-1]; };", 0, "struct p", "?"},
	      {"struct p { int a[1 << 30]; };", 0, "struct p", "?"},
	      {"#define A B B\n#define B A A\nstruct p { A a; };", 0, "struct p", "?"},
	      {"struct p { int a", 0, "struct p", "?"}, {"struct", 0, "struct p", "?"},
	      {"typedef", 0, "p", "?"}, {"#if\n", 0, "p", "?"}, {"#endif\n", 0, "p", "?"});
}

TESTS(lays_types_out, replaces_macros, knows_what_it_does_not_know);
