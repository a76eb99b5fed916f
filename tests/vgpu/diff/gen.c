/* SPDX-License-Identifier: MIT */
#include "gen.h"

#include "base/util.h"

uint32_t gen_random(struct gen *g)
{
	/* splitmix64 */
	uint64_t z = g->state += 0x9e3779b97f4a7c15;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return (uint32_t)(z >> 32);
}

static unsigned below(struct gen *g, unsigned n)
{
	return gen_random(g) % n;
}

uint32_t gen_input(struct gen *g)
{
	/* clang-format off */
	static const uint32_t special[] = {
		0, 1, 2, 3, 31, 32, 33, 63, 64, 0xff, 0x100, 0x7fff, 0x8000, 0xffff, 0x10000, 0x7fffffff,
		0x80000000, 0x80000001, 0xffffffff, 0xfffffffe, 0x00000001, 0x007fffff, 0x00800000, 0x00800001,
		0x3f800000, 0xbf800000, 0x3f000000, 0x40490fdb, 0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000,
		0x7fc00000, 0x4b800000, 0x4f000000, 0xcf000000, 0x4f800000, 0x5f000000, 0x33800000, 0x01000000,
	};
	/* clang-format on */
	switch (below(g, 6)) {
	case 0:
		return special[below(g, BW_ARRAY_SIZE(special))];
	case 1:
		return below(g, 200) - 100;
	case 2:
		return (below(g, 2) << 31) | ((100 + below(g, 56)) << 23) |
		       (gen_random(g) & 0x7fffff);
	case 3:
		return 1u << below(g, 32);
	default:
		return gen_random(g);
	}
}

void gen_prologue(FILE *f)
{
	fputs("typedef unsigned char u8; typedef signed char i8; typedef unsigned short u16; typedef short i16;\n"
	      "typedef unsigned int u32; typedef int i32; typedef unsigned long u64; typedef long i64; typedef float f32; typedef double f64;\n"
	      "typedef u32 __attribute__((aligned(1), may_alias)) u32_any;\n"
	      "typedef u64 __attribute__((aligned(1), may_alias)) u64_any;\n"
	      "typedef u16 __attribute__((aligned(1), may_alias)) u16_any;\n"
	      "typedef _Float16 f16; typedef u16 u16x2 __attribute__((ext_vector_type(2))); typedef i16 i16x2 __attribute__((ext_vector_type(2)));\n"
	      "typedef f16 f16x2 __attribute__((ext_vector_type(2))); typedef unsigned __int128 u128;\n"
	      "#ifdef __AMDGPU__\n"
	      "#define MEM __attribute__((address_space(1)))\n"
	      "#else\n"
	      "#define MEM\n"
	      "#endif\n"
	      "#define IN const u32 MEM *\n"
	      "#define OUT u32 MEM *\n"
	      "static inline f32 as_f(u32 v) { union { u32 u; f32 f; } x = {v}; return x.f; }\n"
	      /* One NaN stands for all: which one comes out is not laid down. */
	      "static inline u32 as_u(f32 v) { union { f32 f; u32 u; } x = {v}; return v != v ? 0x7fc00000u : x.u; }\n"
	      "static inline f64 as_d(u64 v) { union { u64 u; f64 f; } x = {v}; return x.f; }\n"
	      "static inline u64 as_l(f64 v) { union { f64 f; u64 u; } x = {v}; return v != v ? 0x7ff8000000000000ul : x.u; }\n"
	      "static inline f64 dsel(u32 c, f64 a, f64 b) { return c ? a : b; }\n"
	      "static inline i32 d2i(f64 v) { return v > -2147483649.0 && v < 2147483648.0 ? (i32)v : 7; }\n"
	      "static inline u32 d2u(f64 v) { return v > -1.0 && v < 4294967296.0 ? (u32)v : 9; }\n"
	      "static inline i64 d2l(f64 v) { return v > -9223372036854775808.0 && v < 9223372036854775808.0 ? (i64)v : 11; }\n"
	      "static inline u32 sel(u32 c, u32 a, u32 b) { return c ? a : b; }\n"
	      "static inline u64 lsel(u32 c, u64 a, u64 b) { return c ? a : b; }\n"
	      "static inline f32 fsel(u32 c, f32 a, f32 b) { return c ? a : b; }\n"
	      "static inline i32 f2i(f32 v) { return v > -2147483648.0f && v < 2147483648.0f ? (i32)v : 7; }\n"
	      "static inline u32 f2u(f32 v) { return v > -1.0f && v < 4294967296.0f ? (u32)v : 9; }\n"
	      "static inline u64 f2l(f32 v) { return v > -1.0f && v < 18446744073709551616.0f ? (u64)v : 11; }\n"
	      /* LLVM 19 takes an unsigned dividend that it can see to be sign-extended for a short
	       * number and divides wrongly: it must not see it. */
	      "#ifdef __AMDGPU__\n"
	      "static inline u32 hide(u32 v) { __asm__(\"\" : \"+v\"(v)); return v; }\n"
	      "static inline u64 hidel(u64 v) { __asm__(\"\" : \"+v\"(v)); return v; }\n"
	      "#else\n"
	      "#define hide(v) (v)\n"
	      "#define hidel(v) (v)\n"
	      "#endif\n"
	      /* 16 bits and pairs of them */
	      "static inline f16 as_h(u32 v) { union { u16 u; f16 f; } x = {(u16)v}; return x.f; }\n"
	      "static inline u32 as_s(f16 v) { union { f16 f; u16 u; } x = {v}; return v != v ? 0x7e00u : x.u; }\n"
	      "static inline u16x2 as_p(u32 v) { union { u32 u; u16x2 p; } x = {v}; return x.p; }\n"
	      "static inline u32 as_pu(u16x2 v) { union { u16x2 p; u32 u; } x = {v}; return x.u; }\n"
	      "static inline u16x2 as_ps(i16x2 v) { union { i16x2 s; u16x2 p; } x = {v}; return x.p; }\n"
	      "static inline i16x2 as_sp(u16x2 v) { union { u16x2 p; i16x2 s; } x = {v}; return x.s; }\n"
	      "static inline f16x2 as_q(u32 v) { union { u32 u; f16x2 q; } x = {v}; return x.q; }\n"
	      "static inline u32 as_qu(f16x2 v) { return as_s(v.x) | as_s(v.y) << 16; }\n"
	      /* Not where LLVM 19 sees that the f32 was an integer: it makes one conversion of the
	       * two. */
	      "#ifdef __AMDGPU__\n"
	      "static inline f16 f2h(f32 v) { __asm__(\"\" : \"+v\"(v)); return (f16)v; }\n"
	      "#else\n"
	      "static inline f16 f2h(f32 v) { __asm__(\"\" : \"+x\"(v)); return (f16)v; }\n"
	      "#endif\n"
	      "static inline f16 hsel(u32 c, f16 a, f16 b) { return c ? a : b; }\n"
	      "static inline i32 h2i(f16 v) { return v == v && v - v == (f16)0.0f ? (i32)v : 5; }\n"
	      "static inline u32 h2u(f16 v) { return v > (f16)-1.0f && v < (f16)65504.0f ? (u32)v : 6; }\n"
	      "static inline u32 carry(u32 a, u32 b) { u32 r; return __builtin_add_overflow(a, b, &r) ? ~r : r; }\n"
	      "static inline u32 scarry(i32 a, i32 b) { i32 r; return __builtin_sub_overflow(a, b, &r) ? (u32)r ^ 0x55555555u : (u32)r; }\n"
	      "static inline u32 mid(i32 a, i32 b, i32 c) { i32 lo = a < b ? a : b, hi = a < b ? b : a; return (u32)(c < lo ? lo : c > hi ? hi : c); }\n"
	      "static inline u32 pick(u32 n, u32 a, u32 b, u32 c, u32 d) { switch (n & 7) { case 0: return a; case 1: return b + 1; case 3: return c ^ a; case 4: return d - b; case 6: return ~a; default: return n; } }\n"
	      "static inline u32 rotl(u32 v, u32 n) { return v << (n & 31) | v >> (-n & 31); }\n"
	      "#ifdef __AMDGPU__\n"
	      "static __attribute__((address_space(3), loader_uninitialized)) u32 given[128];\n"
	      "static inline void meet(void)\n{\n\t__builtin_amdgcn_fence(__ATOMIC_RELEASE, \"workgroup\");\n"
	      "\t__builtin_amdgcn_s_barrier();\n\t__builtin_amdgcn_fence(__ATOMIC_ACQUIRE, \"workgroup\");\n}\n"
	      "#endif\n"
	      "static inline u32 mulhi(u32 a, u32 b) { return (u32)((u64)a * b >> 32); }\n"
	      "static inline i32 smulhi(i32 a, i32 b) { return (i32)((i64)a * b >> 32); }\n"
	      "static inline u32 bfe(u32 v, u32 o, u32 w) { return v >> (o & 31) & ((1u << (w & 31)) - 1); }\n"
	      "static inline i32 sdiv(i32 a, i32 b) { return b == 0 || (b == -1 && a == (-2147483647 - 1)) ? a : a / b; }\n"
	      "static inline i32 srem(i32 a, i32 b) { return b == 0 || b == -1 ? a : a % b; }\n"
	      "static __attribute__((noinline)) u32 mix(u32 a, u32 b, u32 c)\n"
	      "{ u32 t[4] = {a, b, c, a ^ b}; for (u32 i = 0; i < 4; i++) t[(a + i) & 3] += rotl(t[(b ^ i) & 3], c + i); return t[0] ^ t[1] ^ t[2] ^ t[3]; }\n",
	      f);
}

static void expr_u(struct gen *g);
static void expr_l(struct gen *g);
static void expr_f(struct gen *g);
static void expr_d(struct gen *g);
static void expr_h(struct gen *g);
static void expr_p(struct gen *g);
static void expr_q(struct gen *g);

/* Writes the pieces of a template: U, L, F, D, H, P, Q are operands of that type (u32, u64, f32,
 * f64, f16, two u16, two f16), the rest is text. */
static void expand(struct gen *g, const char *text)
{
	g->depth++;
	for (; *text; text++) {
		switch (*text) {
		case 'U':
			expr_u(g);
			break;
		case 'L':
			expr_l(g);
			break;
		case 'F':
			expr_f(g);
			break;
		case 'D':
			expr_d(g);
			break;
		case 'H':
			expr_h(g);
			break;
		case 'P':
			expr_p(g);
			break;
		case 'Q':
			expr_q(g);
			break;
		default:
			fputc(*text, g->f);
			break;
		}
	}
	g->depth--;
}

/* Capitals in these are operands: names in them must not have U, L, F, D, H, P or Q. */
/* clang-format off */
static const char *const ops_u[] = {
	"(U + U)", "(U - U)", "(U * U)", "(U & U)", "(U | U)", "(U ^ U)", "(~U)", "(-U)", "(U & ~U)", "(U | ~U)", "(~(U ^ U))",
	"(U << (U & 31))", "(U >> (U & 31))", "((u32)((i32)U >> (U & 31)))", "rotl(U, U)", "mulhi(U, U)",
	"((u32)smulhi((i32)U, (i32)U))", "(hide(U) / (U | 1))", "(hide(U) % (U | 1))", "((u32)sdiv((i32)U, (i32)U))",
	"((u32)srem((i32)U, (i32)U))", "sel(U < U, U, U)", "sel((i32)U < (i32)U, U, U)", "sel(U == U, U, U)",
	"sel((U & U) != 0, U, U)", "(U < U ? U : U)", "((i32)U > (i32)U ? U : U)", "(U + U * U)", "((U << 3) + U)",
	"((U + U) << 2)", "((U & U) | U)", "(U ^ U ^ U)", "(U + U + U)", "((u32)(u8)U)", "((u32)(i8)U)", "((u32)(u16)U)",
	"((u32)(i16)U)", "bfe(U, U, U)", "((u32)((i32)(U << (U & 31)) >> (U & 31)))", "((u32)__builtin_popcount(U))",
	"((u32)__builtin_clz(U | 1))", "((u32)__builtin_ctz(U | 0x80000000u))", "__builtin_bitreverse32(U)", "__builtin_bswap32(U)",
	"((u32)L)", "((u32)(L >> 32))", "((u32)(L >> (U & 63)))", "as_u(F)", "((u32)f2i(F))", "f2u(F)", "(F < F)", "(F <= F)", "(F == F)", "(F != F)",
	"(F > F ? U : U)", "((u32)d2i(D))", "d2u(D)", "(D < D)", "(D == D)", "(D >= D)", "(F >= F)", "!(F < F)", "(L < L)", "((i64)L < (i64)L)", "(L == L)", "(U && U)", "(U || U)", "(!U)",
	"mix(U, U, U)", "((u32)(u16)(U + U))", "((u32)(u16)((u16)U * (u16)U))", "((u32)(i16)((i16)U >> (U & 15)))",
	"as_s(H)", "as_pu(P)", "as_qu(Q)", "((u32)h2i(H))", "h2u(H)", "(H < H)", "(H == H)", "!(H >= H)", "((u32)P.x)", "((u32)(i16)P.y)",
	"__builtin_elementwise_add_sat(U, U)", "__builtin_elementwise_sub_sat(U, U)",
	"((u32)__builtin_elementwise_add_sat((i32)U, (i32)U))", "((u32)__builtin_elementwise_sub_sat((i32)U, (i32)U))",
	"((u32)(u16)__builtin_elementwise_add_sat((u16)U, (u16)U))", "((u32)(i16)__builtin_elementwise_sub_sat((i16)U, (i16)U))",
	"carry(U, U)", "scarry((i32)U, (i32)U)", "mid((i32)U, (i32)U, (i32)U)", "pick(U, U, U, U, U)", "((u32)((u128)L * L >> 70))",
	"((u32)(((i64)(i32)U * (i32)U) >> 16))", "((U & 0xff) + (U >> 24))", "((u32)((i32)U << 8 >> 8) * (u32)((i32)U << 8 >> 8))",
	"((U & 0xffffff) * (U & 0xffffff))", "(U > U ? U - U : U - U)", "((u32)__builtin_abs((i32)(U | 1)))",
};
/* clang-format on */
/* clang-format off */
static const char *const ops_l[] = {
	"(L + L)", "(L - L)", "(L * L)", "(L & L)", "(L | L)", "(L ^ L)", "(~L)", "(-L)", "(L << (U & 63))", "(L >> (U & 63))",
	"((u64)((i64)L >> (U & 63)))", "((u64)U)", "((u64)(i64)(i32)U)", "((u64)U * U)", "((u64)((i64)(i32)U * (i32)U))", "((u64)U * U + L)",
	"((u64)U << 32 | U)", "lsel(U < U, L, L)", "lsel(L > L, L, L)", "((i64)L < (i64)L ? L : L)", "(hidel(L) / (L | 1))", "(hidel(L) % (U | 1))",
	"((u64)((u128)L * L >> 64))", "((u64)((u128)L + L >> 1))", "((u64)((__int128)(i64)L * (i64)L >> 60))",
	"__builtin_elementwise_add_sat(L, L)", "__builtin_bitreverse64(L)", "((u64)__builtin_ctzll(L | 1ul << 63))", "((u64)((i64)L / ((i32)U | 1)))",
	"((u64)__builtin_popcountll(L))", "((u64)__builtin_clzll(L | 1))", "__builtin_bswap64(L)", "f2l(F)", "as_l(D)", "((u64)d2l(D))", "(L << 5 | L >> 59)",
};
/* clang-format on */
/* clang-format off */
static const char *const ops_f[] = {
	"(F + F)", "(F - F)", "(F * F)", "(F / F)", "(-F)", "__builtin_fabsf(F)", "__builtin_fmaf(F, F, F)", "(F * F + F)", "(F + F)", "(F * F)",
	"fsel(F < F, F, F)", "fsel(U < U, F, F)", "(F > F ? F : F)", "((f32)U)", "((f32)(i32)U)", "((f32)L)", "((f32)(i64)L)", "((f32)(u8)U)", "as_f(U)", "((f32)D)",
	"__builtin_floorf(F)", "__builtin_ceilf(F)", "__builtin_truncf(F)", "__builtin_rintf(F)", "__builtin_sqrtf(F)", "__builtin_copysignf(F, as_f(as_u(F)))",
	"((f32)H)", "__builtin_ldexpf(F, (i32)(U & 511) - 256)", "(__builtin_fabsf(F) < 1.0f ? F : -F)", "__builtin_roundf(F)",
	"(F * 0.5f)", "(F * 2.0f)", "(F + 1.0f)", "(1.0f - F)", "(1.0f / F)", "__builtin_fmaf(-F, F, F)", "__builtin_fmaf(__builtin_fabsf(F), -F, F)",
};
/* clang-format on */

/* clang-format off */
static const char *const ops_d[] = {
	"(D + D)", "(D - D)", "(D * D)", "(D / D)", "(-D)", "__builtin_fabs(D)", "__builtin_fma(D, D, D)", "(D * D + D)",
	"dsel(D < D, D, D)", "dsel(U < U, D, D)", "(D > D ? D : D)", "((f64)U)", "((f64)(i32)U)", "((f64)L)", "((f64)(i64)L)", "((f64)F)", "as_d(L)",
	"__builtin_floor(D)", "__builtin_ceil(D)", "__builtin_trunc(D)", "__builtin_rint(D)", "__builtin_sqrt(D)", "__builtin_copysign(D, as_d(as_l(D)))",
	"((f64)H)", "__builtin_ldexp(D, (i32)(U & 4095) - 2048)",
	"(D * 0.5)", "(D + 1.0)", "(1.0 - D)", "(1.0 / D)", "__builtin_fma(-D, D, D)",
};
/* clang-format on */

/* -ffp-contract=off and no excess precision: each of these rounds once. */
/* clang-format off */
static const char *const ops_h[] = {
	"(H + H)", "(H - H)", "(H * H)", "(H / H)", "(-H)", "__builtin_fabsf16(H)", "(H * H + H)", "hsel(H < H, H, H)", "hsel(U < U, H, H)",
	"f2h(F)", "((f16)(i16)U)", "((f16)(u16)U)", "((f16)(i32)(U & 0xfff))", "as_h(U)", "as_h(U >> 16)", "(H * (f16)0.5f)", "((f16)1.0f - H)",
	"__builtin_floorf16(H)", "__builtin_ceilf16(H)", "__builtin_truncf16(H)", "__builtin_rintf16(H)", "__builtin_copysignf16(H, as_h(as_s(H)))",
	"Q.x", "Q.y",
};
/* clang-format on */
/* clang-format off */
static const char *const ops_p[] = {
	"(P + P)", "(P - P)", "(P * P)", "(P & P)", "(P | P)", "(P ^ P)", "(~P)", "(P << (P & 15))", "(P >> (P & 15))",
	"as_ps(as_sp(P) >> as_sp(P & 15))", "__builtin_elementwise_max(P, P)", "__builtin_elementwise_min(P, P)",
	"as_ps(__builtin_elementwise_max(as_sp(P), as_sp(P)))", "as_ps(__builtin_elementwise_min(as_sp(P), as_sp(P)))",
	"__builtin_elementwise_add_sat(P, P)", "__builtin_elementwise_sub_sat(P, P)", "as_ps(__builtin_elementwise_add_sat(as_sp(P), as_sp(P)))",
	"as_p(U)", "P.yx", "P.xx", "(P * P + P)", "((u16x2){(u16)U, P.x})", "(P + (u16x2){5, 5})",
};
/* clang-format on */
/* clang-format off */
static const char *const ops_q[] = {
	"(Q + Q)", "(Q - Q)", "(Q * Q)", "(-Q)", "(Q * Q + Q)", "as_q(U)", "Q.yx", "Q.yy", "((f16x2){H, Q.x})", "((f16x2){f2h(F), f2h(F)})",
	"(Q * (f16x2){(f16)0.5f, (f16)2.0f})", "(Q + (f16)1.0f)", "__builtin_elementwise_abs(Q)",
};
/* clang-format on */

static void constant(struct gen *g)
{
	if (below(g, 2))
		fprintf(g->f, "%uu", below(g, 66));
	else
		fprintf(g->f, "0x%xu", gen_input(g));
}

static void expr_u(struct gen *g)
{
	if (g->depth < 5 && below(g, 5) > g->depth / 2) {
		expand(g, ops_u[below(g, BW_ARRAY_SIZE(ops_u))]);
		return;
	}
	switch (below(g, 6)) {
	case 0:
		constant(g);
		break;
	case 1:
	case 2:
		if (g->n_u) {
			fprintf(g->f, "u%u", below(g, g->n_u));
			break;
		}
		/* fallthrough */
	default:
		fprintf(g->f, "in[%u]", below(g, GEN_IN_DW));
		break;
	}
}

static void expr_l(struct gen *g)
{
	if (g->depth < 5 && below(g, 5) > g->depth / 2)
		expand(g, ops_l[below(g, BW_ARRAY_SIZE(ops_l))]);
	else if (g->n_l && below(g, 2))
		fprintf(g->f, "l%u", below(g, g->n_l));
	else
		fprintf(g->f, "((u64)in[%u] << 32 | in[%u])", below(g, GEN_IN_DW),
			below(g, GEN_IN_DW));
}

static void expr_f(struct gen *g)
{
	/* no 0.0f: LLVM 19 makes -|x| of 0 - |x|, which has another sign when x is 0 */
	static const char *const constants[] = {"1.0f",	   "(-1.0f)",	  "0.5f",	 "2.0f",
						"(-4.0f)", "0.15915494f", "3.1415927f",	 "1e10f",
						"1e-40f",  "(-0.0f)",	  "16777216.0f", "0.1f"};
	if (g->depth < 5 && below(g, 5) > g->depth / 2)
		expand(g, ops_f[below(g, BW_ARRAY_SIZE(ops_f))]);
	else if (g->n_f && below(g, 2))
		fprintf(g->f, "f%u", below(g, g->n_f));
	else if (below(g, 4) == 0)
		fputs(constants[below(g, BW_ARRAY_SIZE(constants))], g->f);
	else
		fprintf(g->f, "as_f(in[%u])", below(g, GEN_IN_DW));
}

static void expr_d(struct gen *g)
{
	static const char *const constants[] = {
		"1.0", "(-1.0)", "0.5", "(-4.0)", "3.141592653589793", "1e-310", "1e300", "0.1"};
	if (g->depth < 5 && below(g, 5) > g->depth / 2)
		expand(g, ops_d[below(g, BW_ARRAY_SIZE(ops_d))]);
	else if (g->n_d && below(g, 2))
		fprintf(g->f, "d%u", below(g, g->n_d));
	else if (below(g, 4) == 0)
		fputs(constants[below(g, BW_ARRAY_SIZE(constants))], g->f);
	else if (below(g, 2))
		fprintf(g->f, "(f64)as_f(in[%u])", below(g, GEN_IN_DW));
	else
		fprintf(g->f, "as_d((u64)in[%u] << 32 | in[%u])", below(g, GEN_IN_DW),
			below(g, GEN_IN_DW));
}

static void expr_h(struct gen *g)
{
	static const char *const constants[] = {"(f16)1.0f",	 "(f16)-2.0f", "(f16)0.5f",
						"(f16)65504.0f", "(f16)6e-8f", "(f16)0.1f"};
	if (g->depth < 5 && below(g, 5) > g->depth / 2)
		expand(g, ops_h[below(g, BW_ARRAY_SIZE(ops_h))]);
	else if (below(g, 4) == 0)
		fprintf(g->f, "(%s)", constants[below(g, BW_ARRAY_SIZE(constants))]);
	else
		fprintf(g->f, "as_h(in[%u]%s)", below(g, GEN_IN_DW), below(g, 2) ? " >> 16" : "");
}

static void expr_p(struct gen *g)
{
	if (g->depth < 5 && below(g, 5) > g->depth / 2)
		expand(g, ops_p[below(g, BW_ARRAY_SIZE(ops_p))]);
	else
		fprintf(g->f, "as_p(in[%u])", below(g, GEN_IN_DW));
}

static void expr_q(struct gen *g)
{
	if (g->depth < 5 && below(g, 5) > g->depth / 2)
		expand(g, ops_q[below(g, BW_ARRAY_SIZE(ops_q))]);
	else
		fprintf(g->f, "as_q(in[%u])", below(g, GEN_IN_DW));
}

/* One statement that may change temporaries, with a template's operands. */
static void statement(struct gen *g)
{
	static const char *const memory[] = {
		"((const u8 MEM *)in)[U & 63]",
		"(u32)((const i8 MEM *)in)[U & 63]",
		"((const u16 MEM *)in)[U & 31]",
		"(u32)((const i16 MEM *)in)[U & 31]",
		"in[U & 15]",
		"*(const u32_any MEM *)((const u8 MEM *)in + (U & 31))",
		"*(const u16_any MEM *)((const u8 MEM *)in + (U & 31))",
		"(u32)*(const u64_any MEM *)((const u8 MEM *)in + (U & 31))",
	};
	unsigned which = below(g, 16);
	g->depth = 1;
	fputc('\t', g->f);
	if (which < 3 || !g->n_u) {
		fprintf(g->f, "u32 u%u = ", g->n_u);
		expand(g, "U");
		g->n_u++;
	} else if (which < 5) {
		fprintf(g->f, "f32 f%u = ", g->n_f);
		expand(g, "F");
		g->n_f++;
	} else if (which < 7) {
		fprintf(g->f, "u64 l%u = ", g->n_l);
		expand(g, "L");
		g->n_l++;
	} else if (which == 12) {
		fprintf(g->f, "f64 d%u = ", g->n_d);
		expand(g, "D");
		g->n_d++;
	} else if (which == 7) {
		fprintf(g->f, "u32 u%u = ", g->n_u);
		expand(g, memory[below(g, BW_ARRAY_SIZE(memory))]);
		g->n_u++;
	} else if (which == 8) {
		fprintf(g->f, "if (");
		expand(g, "U & 1) {");
		fprintf(g->f, " u%u = ", below(g, g->n_u));
		expand(g, "U; } else {");
		fprintf(g->f, " u%u ^= ", below(g, g->n_u));
		expand(g, "U; }");
	} else if (which == 9) {
		unsigned t = below(g, g->n_u);
		fprintf(g->f, "for (u32 n = 0; n < (");
		expand(g, "U & 7); n++) { ");
		fprintf(g->f, "u%u = u%u * 5 + n + ", t, t);
		expand(g, "U; if (U == 3) break; }");
	} else if (which == 13) {
		/* lanes part ways twice */
		unsigned t = below(g, g->n_u);
		fprintf(g->f, "for (u32 n = 0; n < (");
		expand(g,
		       "U & 3); n++) { for (u32 m = n; m < (U & 3); m++) { if (U & 1) continue; ");
		fprintf(g->f, "u%u = (u%u << 1) + m + ", t, t);
		expand(g, "U; } if (U & 4) break; ");
		fprintf(g->f, "u%u ^= ", below(g, g->n_u));
		expand(g, "U; }");
	} else if (which == 14) {
		/* bytes and halves of the lane's own */
		fprintf(g->f,
			"u32 u%u; { u8 a[24]; u16 b[6]; for (u32 n = 0; n < 24; n++) a[n] = (u8)(n + ",
			g->n_u);
		expand(g,
		       "U); for (u32 n = 0; n < 6; n++) b[n] = (u16)(U >> n); a[U & 15] ^= (u8)U; b[U & 3] += (u16)U;");
		fprintf(g->f, " u%u = ", g->n_u);
		expand(g,
		       "(u32)a[U & 15] << 16 | (u32)(i8)a[U & 7] ^ b[U & 3] ^ *(u32_any *)&a[U & 15]; }");
		g->n_u++;
	} else if (which == 15) {
		/* wide ones */
		fprintf(g->f,
			"u64 l%u; { u64 a[4]; f64 d[4]; for (u32 n = 0; n < 4; n++) { a[n] = ",
			g->n_l);
		expand(g, "L + n; d[n] = D; } a[U & 3] ^= L; d[U & 3] = D;");
		fprintf(g->f, " l%u = ", g->n_l);
		expand(g, "a[U & 3] + as_l(d[U & 3]); }");
		g->n_l++;
	} else if (which == 10) {
		/* an array of the lane's own, indexed by what is computed */
		fprintf(g->f, "u32 u%u; { u32 a[8]; for (u32 n = 0; n < 8; n++) a[n] = n * ",
			g->n_u);
		expand(g, "U; a[U & 7] = U; a[U & 7] += a[U & 7];");
		fprintf(g->f, " u%u = ", g->n_u);
		expand(g, "a[U & 7] ^ a[U & 7]; }");
		g->n_u++;
	} else {
		fprintf(g->f, "out[%u] = ", below(g, GEN_OUT_DW));
		expand(g, "U; ((u8 MEM *)out)[U & 63] = (u8)U; ((u16 MEM *)out)[U & 31] = (u16)U");
	}
	fputs(";\n", g->f);
}

void gen_case(FILE *f, uint64_t seed, unsigned number)
{
	struct gen g = {.state = seed, .f = f};
	unsigned n = 3 + below(&g, 6), at = 0;
	unsigned flip = 1 + below(&g, 127), turn = below(&g, 128);
	fprintf(f, "static inline u32 give_%u(IN in)\n{\n\treturn ", number);
	expr_u(&g);
	fprintf(f, ";\n}\nstatic inline void body_%u(IN in, OUT out, u32 u0)\n{\n", number);
	g.n_u = 1;
	fprintf(f, "\tfor (u32 n = 0; n < %u; n++) out[n] = n;\n", GEN_OUT_DW);
	for (unsigned i = 0; i < n; i++)
		statement(&g);
	for (unsigned i = 0; i < g.n_u && at < GEN_OUT_DW; i++)
		fprintf(f, "\tout[%u] ^= u%u;\n", at++, i);
	for (unsigned i = 0; i < g.n_f && at < GEN_OUT_DW; i++)
		fprintf(f, "\tout[%u] ^= as_u(f%u);\n", at++, i);
	for (unsigned i = 0; i < g.n_l && at + 2 <= GEN_OUT_DW; i++, at += 2)
		fprintf(f, "\tout[%u] ^= (u32)l%u; out[%u] ^= (u32)(l%u >> 32);\n", at, i, at + 1,
			i);
	for (unsigned i = 0; i < g.n_d && at + 2 <= GEN_OUT_DW; i++, at += 2)
		fprintf(f, "\tout[%u] ^= (u32)as_l(d%u); out[%u] ^= (u32)(as_l(d%u) >> 32);\n", at,
			i, at + 1, i);
	/* Work-items of a group hand each other what give_N computed. */
	fputs("}\n#ifdef __AMDGPU__\n", f);
	fprintf(f,
		"__attribute__((amdgpu_kernel)) void k%u(IN in, OUT out, u32 n)\n{\n"
		"\tu32 t = __builtin_amdgcn_workitem_id_x(), i = __builtin_amdgcn_workgroup_id_x() * %u + t;\n"
		"\tgiven[t] = i < n ? give_%u(in + i * %u) : i;\n\tmeet();\n"
		"\tu32 u = given[t ^ %u] + given[(t + %u) & %u];\n"
		"\tif (i < n) body_%u(in + i * %u, out + i * %u, u);\n}\n",
		number, GEN_GROUP, number, GEN_IN_DW, flip, turn, GEN_GROUP - 1, number, GEN_IN_DW,
		GEN_OUT_DW);
	fputs("#else\n", f);
	fprintf(f,
		"void k%u(IN in, OUT out, u32 n)\n{\n\tu32 given[%u];\n"
		"\tfor (u32 t = 0; t < %u; t++) given[t] = t < n ? give_%u(in + t * %u) : t;\n"
		"\tfor (u32 t = 0; t < n; t++) body_%u(in + t * %u, out + t * %u, given[t ^ %u] + given[(t + %u) & %u]);\n}\n",
		number, GEN_GROUP, GEN_GROUP, number, GEN_IN_DW, number, GEN_IN_DW, GEN_OUT_DW,
		flip, turn, GEN_GROUP - 1);
	fputs("#endif\n", f);
}
