/* SPDX-License-Identifier: MIT */

/* The pieces of machine code ("stencils") that compiled code is copied from. clang compiles this
 * file when Breakwater is built; nothing here is called. tools/gen-stencils.py takes each
 * function's code and its relocations, which become holes; compile.c fills them.
 *
 * A stencil has the signature of a handler and ends by a jump to CONT, the code after it. Operands
 * are addresses of undefined symbols used as numbers, so that each leaves a hole of 32 bits:
 *
 *   O_D, O_DH          destination from `vgpr`, and its upper half of 64 bits
 *   O_A, O_AH, O_B ..  sources: from `vgpr` (form V), from w (S), or from x (X)
 *   O_M, O_N           a mask that is read, a mask that is written, from w
 *   O_EXEC, O_LANE0    EXEC of this half from w; 0 or 32
 *   O_T, O_F           the next record if a branch is taken, and if it is not, from rec
 *   O_COUNT            instructions of the block
 *   KONST, ORIGINAL    memory beside the code: a constant; the handler of the block's first record
 *
 * Forms of a source, in the stencil's name: V a VGPR, S a scalar register, K a constant, X lanes
 * in bw_exec.src (a scalar or constant that was spread, or what NEG and ABS have changed), P the
 * result of the row before. */

#define ROW_(name)
#define SAT_ROW_(name)
#define FAST_MAP(name, before, args)
#define FAST_CMP(name)
#include "vgpu/device/exec/alu/bodies.h"
#include "vgpu/device/exec/alu/scalar_ops.h"

/* The result of the last row, in registers of the host: that of 32 lanes of 32 bits. A row that
 * reads it (form P) need not wait for its store. And which lanes are active, each as all ones or
 * zeros, in the code for some lanes. All stencils hand both on. */
typedef uint32_t lanes8 __attribute__((ext_vector_type(8)));

/* The signature of a handler, and then what handlers know nothing of. */
#define SIG                                                                                        \
	const struct bw_rec *rec, struct bw_wave *w, struct bw_exec *x, uint64_t left,             \
		uint8_t *vgpr, lanes8 p0, lanes8 p1, lanes8 p2, lanes8 p3, lanes8 m0, lanes8 m1,   \
		lanes8 m2, lanes8 m3
#define STENCIL(name) const struct bw_rec *name(SIG)
typedef STENCIL(stencil_fn);
#define GO(where)                                                                                  \
	__attribute__((musttail)) return where(rec, w, x, left, vgpr, p0, p1, p2, p3, m0, m1, m2,  \
					       m3)
/* Whatever is in the registers. */
#define NOTHING_TO_HAND_ON()                                                                       \
	__asm__("" : "=x"(p0), "=x"(p1), "=x"(p2), "=x"(p3), "=x"(m0), "=x"(m1), "=x"(m2), "=x"(m3))
#define GO_RECORD(hole)                                                                            \
	do {                                                                                       \
		rec = (const void *)((const uint8_t *)rec + HOLE(hole));                           \
		__builtin_ia32_vzeroupper();                                                       \
		NOTHING_TO_HAND_ON();                                                              \
		GO(((stencil_fn *)rec->fn));                                                       \
	} while (0)

extern const char O_D[], O_DH[], O_A[], O_AH[], O_B[], O_BH[], O_C[], O_CH[], O_M[], O_N[],
	O_EXEC[], O_LANE0[], O_T[], O_F[], O_COUNT[], O_KEEP[], O_FLIP[];
#define HOLE(symbol) ((intptr_t)(uintptr_t)symbol)
extern const uint64_t KONST;
extern stencil_fn *const ORIGINAL;
STENCIL(CONT);
STENCIL(MASKED);
/* A stencil that refers to this is left out. */
STENCIL(UNSUPPORTED);

#define AT_W(T, hole) (*(T *)(void *)((uint8_t *)w + HOLE(hole)))

#define INLINE static inline __attribute__((always_inline))

/* ---- vectors ---- */

typedef uint32_t vec32 __attribute__((ext_vector_type(32), aligned(64)));
typedef uint64_t vec64 __attribute__((ext_vector_type(32), aligned(64)));
typedef int32_t veci __attribute__((ext_vector_type(32), aligned(64)));

enum form { V, S, K, X, P };

/* The lanes of a source of `size` bytes: where they lie, or collected into room. base: what `at`
 * and `hi` count from. */
INLINE const void *source(void *room, enum form form, unsigned size, const void *base, intptr_t at,
			  intptr_t hi)
{
	const uint8_t *first = base;
	switch (form) {
	case V:
		if (size == 4)
			return first + at;
		*(vec64 *)room = __builtin_convertvector(*(const vec32 *)(first + at), vec64) |
				 __builtin_convertvector(*(const vec32 *)(first + hi), vec64) << 32;
		return room;
	case S:
		if (size == 4)
			*(vec32 *)room = *(const uint32_t *)(first + at);
		else
			*(vec64 *)room = *(const uint64_t *)(first + at);
		return room;
	case K:
		if (size == 4)
			*(vec32 *)room = *(const uint32_t *)&KONST;
		else
			*(vec64 *)room = KONST;
		return room;
	case X:
		return first + at;
	case P: /* base: the last result */
		return base;
	}
}
#define SOURCE(room, form, T, at, hi)                                                              \
	source(room, form, sizeof(lane_##T),                                                       \
	       (form) == V   ? (const void *)vgpr                                                  \
	       : (form) == S ? (const void *)w                                                     \
	       : (form) == P ? (const void *)&last                                                 \
			     : (const void *)x,                                                    \
	       HOLE(at), HOLE(hi))

static const vec32 lane_bits = {
	1u << 0,  1u << 1,  1u << 2,  1u << 3,	1u << 4,  1u << 5,  1u << 6,  1u << 7,
	1u << 8,  1u << 9,  1u << 10, 1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15,
	1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21, 1u << 22, 1u << 23,
	1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31};

/* active: of each lane all ones or zeros. */
INLINE vec32 store32(uint8_t *p, vec32 r, int masked, veci active)
{
	if (masked)
		r = active < 0 ? r : *(vec32 *)p;
	*(vec32 *)p = r;
	return r;
}

INLINE void store64(uint8_t *lo, uint8_t *hi, vec64 r, int masked, veci active)
{
	store32(lo, __builtin_convertvector(r, vec32), masked, active);
	store32(hi, __builtin_convertvector(r >> 32, vec32), masked, active);
}

#define JOIN(v0, v1, v2, v3)                                                                       \
	__builtin_shufflevector(__builtin_shufflevector(v0, v1, SIXTEEN(0)),                       \
				__builtin_shufflevector(v2, v3, SIXTEEN(0)), SIXTEEN(0),           \
				SIXTEEN(16))
#define SPLIT(v, v0, v1, v2, v3)                                                                   \
	do {                                                                                       \
		v0 = __builtin_shufflevector(v, v, EIGHT(0));                                      \
		v1 = __builtin_shufflevector(v, v, EIGHT(8));                                      \
		v2 = __builtin_shufflevector(v, v, EIGHT(16));                                     \
		v3 = __builtin_shufflevector(v, v, EIGHT(24));                                     \
	} while (0)
#define EIGHT(from) from, from + 1, from + 2, from + 3, from + 4, from + 5, from + 6, from + 7
#define SIXTEEN(from) EIGHT(from), EIGHT(from + 8)

/* ---- lane-wise rows ---- */

/* Types that compiled code has. The others need another rounding mode of the host, or parts of
 * registers; their instructions are interpreted. */
enum {
	HAS_B32 = 1,
	HAS_U32 = 1,
	HAS_I32 = 1,
	HAS_F32 = 1,
	HAS_N32 = 1,
	HAS_X32 = 1,
	HAS_B64 = 1,
	HAS_U64 = 1,
	HAS_I64 = 1,
	HAS_F64 = 0,
	HAS_N64 = 0,
	HAS_B16 = 0,
	HAS_U16 = 0,
	HAS_I16 = 0,
	HAS_F16 = 0,
	HAS_BF16 = 0,
	HAS_F16H = 0,
	HAS_PKH = 0,
	HAS_PKB = 0,
	HAS_PKF = 0,
	HAS_MIX = 0,
};

enum { TAKES_MASK = 1, GIVES_MASK = 2, ONLY_MASK = 4 };

#define ROOM(name) uint64_t name[BW_LANES] __attribute__((aligned(64)))
#define ROW_STENCIL(name, n, D, T0, T1, T2, kind, f0, f1, f2, masked, suffix)                      \
	STENCIL(row_##name##_##f0##f1##f2##_##suffix)                                              \
	{                                                                                          \
		if (!(HAS_##D && HAS_##T0 && HAS_##T1 && HAS_##T2) ||                              \
		    (f0 == P && sizeof(lane_##T0) != 4) || (f1 == P && sizeof(lane_##T1) != 4) ||  \
		    (f2 == P && sizeof(lane_##T2) != 4))                                           \
			GO(UNSUPPORTED);                                                           \
		ROOM(a);                                                                           \
		ROOM(b);                                                                           \
		ROOM(c);                                                                           \
		ROOM(d);                                                                           \
		const vec32 last = JOIN(p0, p1, p2, p3);                                           \
		const veci active = (veci)JOIN(m0, m1, m2, m3);                                    \
		const struct bw_lane_args args = {                                                 \
			.m = &x->m,                                                                \
			.lane0 = (uint32_t)HOLE(O_LANE0),                                          \
			.mask_in = (kind) & TAKES_MASK ? AT_W(uint32_t, O_M) : 0};                 \
		const void *s0 = SOURCE(a, f0, T0, O_A, O_AH),                                     \
			   *s1 = n > 1 ? SOURCE(b, f1, T1, O_B, O_BH) : NULL,                      \
			   *s2 = n > 2 ? SOURCE(c, f2, T2, O_C, O_CH) : NULL;                      \
		uint32_t mask = body_##name(d, s0, s1, s2, &args);                                 \
		if (!((kind) & ONLY_MASK) && sizeof(lane_##D) == 4) {                              \
			vec32 r = store32(vgpr + HOLE(O_D), *(const vec32 *)d, masked, active);    \
			SPLIT(r, p0, p1, p2, p3);                                                  \
		} else if (!((kind) & ONLY_MASK)) {                                                \
			store64(vgpr + HOLE(O_D), vgpr + HOLE(O_DH), *(const vec64 *)d, masked,    \
				active);                                                           \
		}                                                                                  \
		if ((kind) & (GIVES_MASK | ONLY_MASK))                                             \
			AT_W(uint32_t, O_N) = masked ? mask & AT_W(uint32_t, O_EXEC) : mask;       \
		GO(CONT);                                                                          \
	}

/* Of compares one serves both: they look at EXEC in any case. */
#define ONE_OF_BOTH(name, n, D, T0, T1, T2, kind, f0, f1, f2)                                      \
	ROW_STENCIL(name, n, D, T0, T1, T2, kind, f0, f1, f2, 1, masked)
#define BOTH(name, n, D, T0, T1, T2, kind, f0, f1, f2)                                             \
	ROW_STENCIL(name, n, D, T0, T1, T2, kind, f0, f1, f2, 0, full)                             \
	ROW_STENCIL(name, n, D, T0, T1, T2, kind, f0, f1, f2, 1, masked)
#define ONE(name, D, T0, kind)                                                                     \
	BOTH(name, 1, D, T0, T0, T0, kind, V, V, V)                                                \
	BOTH(name, 1, D, T0, T0, T0, kind, S, V, V)                                                \
	BOTH(name, 1, D, T0, T0, T0, kind, K, V, V)                                                \
	BOTH(name, 1, D, T0, T0, T0, kind, X, V, V)                                                \
	BOTH(name, 1, D, T0, T0, T0, kind, P, V, V)
/* Two sources, or three of which the last is the destination. The second is in a VGPR or is the
 * last result: scalars and constants are rare there, and are spread (X). */
/* clang-format off */
#define FIRST_OF(make, name, n, D, T0, T1, T2, kind)                                               \
	make(name, n, D, T0, T1, T2, kind, V, V, V)                                                \
	make(name, n, D, T0, T1, T2, kind, S, V, V)                                                \
	make(name, n, D, T0, T1, T2, kind, K, V, V)                                                \
	make(name, n, D, T0, T1, T2, kind, X, V, V)                                                \
	make(name, n, D, T0, T1, T2, kind, V, X, V)                                                \
	make(name, n, D, T0, T1, T2, kind, X, X, V)                                                \
	make(name, n, D, T0, T1, T2, kind, P, V, V)                                                \
	make(name, n, D, T0, T1, T2, kind, V, P, V)                                                \
	make(name, n, D, T0, T1, T2, kind, S, P, V)                                                \
	make(name, n, D, T0, T1, T2, kind, K, P, V)
/* clang-format on */
#define TWO(name, D, T0, T1, kind)                                                                 \
	FIRST_OF(BOTH, name, 2, D, T0, T1, T1, kind)                                               \
	BOTH(name, 2, D, T0, T1, T1, kind, P, P, V)
#define THREE(name, D, T0, T1, T2, kind)                                                           \
	BOTH(name, 3, D, T0, T1, T2, kind, V, V, V)                                                \
	BOTH(name, 3, D, T0, T1, T2, kind, X, V, V)                                                \
	BOTH(name, 3, D, T0, T1, T2, kind, V, X, V)                                                \
	BOTH(name, 3, D, T0, T1, T2, kind, X, X, V)                                                \
	BOTH(name, 3, D, T0, T1, T2, kind, V, V, X)                                                \
	BOTH(name, 3, D, T0, T1, T2, kind, X, V, X)                                                \
	BOTH(name, 3, D, T0, T1, T2, kind, V, X, X)                                                \
	BOTH(name, 3, D, T0, T1, T2, kind, X, X, X)                                                \
	BOTH(name, 3, D, T0, T1, T2, kind, P, V, V)                                                \
	BOTH(name, 3, D, T0, T1, T2, kind, V, P, V)                                                \
	BOTH(name, 3, D, T0, T1, T2, kind, V, V, P)

#define MAP1(n, D, T0, e) ONE(n, D, T0, 0)
#define MAP2(n, D, T0, T1, e) TWO(n, D, T0, T1, 0)
#define MAP3(n, D, T0, T1, T2, e) THREE(n, D, T0, T1, T2, 0)
#define ACC2(n, D, T0, T1, e)                                                                      \
	FIRST_OF(BOTH, n, 3, D, T0, T1, D, 0)                                                      \
	BOTH(n, 3, D, T0, T1, D, 0, V, V, P)
#define ACC2S(n, D, T0, T1, e, R, exact) ACC2(n, D, T0, T1, e)
#define MAP2S(n, D, T0, T1, e, R, exact) MAP2(n, D, T0, T1, e)
#define MAP3S(n, D, T0, T1, T2, e, R, exact) MAP3(n, D, T0, T1, T2, e)
#define MAP3Q(n, D, T0, T1, T2, e, clamped) MAP3(n, D, T0, T1, T2, e)
#define SEL2(n, D, T0, T1, e) TWO(n, D, T0, T1, TAKES_MASK)
#define CARRY2(n, D, T0, T1, e, carry, exact) TWO(n, D, T0, T1, GIVES_MASK)
#define CARRY2M(n, D, T0, T1, e, carry, exact) TWO(n, D, T0, T1, GIVES_MASK | TAKES_MASK)
/* Where the mask goes nowhere, which is nearly always; it takes 128 bits. */
#define MAD64(n, D, T, narrow, wide, lo, hi) THREE(n, D, T, T, D, 0)
#define CMP2(n, T0, T1, e) FIRST_OF(ONE_OF_BOTH, v_cmp_##n, 2, U32, T0, T1, T1, ONLY_MASK)
/* parts of registers, or another rounding mode */
#define HALF1(n, e)
#define HALF1I(n, e)
#define HALF2(n, e)
#define HALF3(n, e)
#define HALF2ACC(n, e)
#define NARROW1(n, T0, e)
#define WIDEN1(n, D, e)
#define PACK_RTZ(n) TWO(n, X32, F32, F32, 0)
/* rare, and made of calls */
#define SCALE(n, T, f)
#define VCC3(n, T, e)

#include "vgpu/device/exec/sem/vop1.def"
#include "vgpu/device/exec/sem/vop2.def"
#include "vgpu/device/exec/sem/vop3.def"
#include "vgpu/device/exec/sem/vopc.def"

/* ---- sources made ready for form X, at O_D from x ---- */

/* An address that the compiler does not know to be one: it could say that it is not NULL, or is not
 * equal to another. Constants of 64 bits are sign-extended. */
INLINE int32_t constant(uint32_t v)
{
	__asm__("" : "+r"(v));
	return (int32_t)v;
}

#define TO_X(T) (*(T *)(void *)((uint8_t *)x + HOLE(O_D)))

STENCIL(part_spread_s32)
{
	TO_X(vec32) = AT_W(uint32_t, O_A);
	GO(CONT);
}

STENCIL(part_spread_s64)
{
	TO_X(vec64) = AT_W(uint64_t, O_A);
	GO(CONT);
}

STENCIL(part_spread_k32)
{
	TO_X(vec32) = (uint32_t)KONST;
	GO(CONT);
}

STENCIL(part_spread_k64)
{
	TO_X(vec64) = KONST;
	GO(CONT);
}

/* |x| and -x of floats of 32 bits, from a VGPR and in place. */
STENCIL(part_sign_v)
{
	TO_X(vec32) =
		(*(const vec32 *)(vgpr + HOLE(O_A)) & (uint32_t)constant((uint32_t)HOLE(O_KEEP))) ^
		(uint32_t)constant((uint32_t)HOLE(O_FLIP));
	GO(CONT);
}

STENCIL(part_sign_x)
{
	TO_X(vec32) = (TO_X(vec32) & (uint32_t)constant((uint32_t)HOLE(O_KEEP))) ^
		      (uint32_t)constant((uint32_t)HOLE(O_FLIP));
	GO(CONT);
}

/* Which lanes of a half are active, for masked rows. */
STENCIL(part_lanes)
{
	const veci active = ((vec32)AT_W(uint32_t, O_EXEC) & lane_bits) == lane_bits;
	SPLIT((vec32)active, m0, m1, m2, m3);
	GO(CONT);
}

/* ---- scalar rows ---- */

#define SCALAR(T, hole, is_const)                                                                  \
	((is_const) ? (s_##T)constant((uint32_t)HOLE(hole)) : AT_W(s_##T, hole))
#define SCALAR_FORMS(make, ...)                                                                    \
	make(rr, 0, 0, __VA_ARGS__) make(cr, 1, 0, __VA_ARGS__) make(rc, 0, 1, __VA_ARGS__)        \
		make(cc, 1, 1, __VA_ARGS__)

#define SOP_STENCIL(form, c0, c1, name, n, DT, T0, T1, expr, scc_)                                 \
	STENCIL(scalar_##name##_##form)                                                            \
	{                                                                                          \
		const s_##T0 S0 = SCALAR(T0, O_A, c0);                                             \
		const s_##T1 S1 = (n) > 1 ? SCALAR(T1, O_B, c1) : 0;                               \
		const s_##DT D = (s_##DT)(expr);                                                   \
		(void)S0, (void)S1;                                                                \
		w->scc = (uint32_t)(scc_);                                                         \
		AT_W(s_##DT, O_D) = D;                                                             \
		GO(CONT);                                                                          \
	}
#define CMP_STENCIL(form, c0, c1, name, T0, T1, cond)                                              \
	STENCIL(scalar_##name##_##form)                                                            \
	{                                                                                          \
		const s_##T0 S0 = SCALAR(T0, O_A, c0);                                             \
		const s_##T1 S1 = SCALAR(T1, O_B, c1);                                             \
		w->scc = (uint32_t)(cond);                                                         \
		GO(CONT);                                                                          \
	}
#define EXEC_STENCIL(form, c0, c1, name, T, expr, result)                                          \
	STENCIL(scalar_##name##_##form)                                                            \
	{                                                                                          \
		s_##T *exec = (s_##T *)(void *)&w->s[BW_SRC_EXEC_LO];                              \
		const s_##T S0 = SCALAR(T, O_A, c0), E = *exec;                                    \
		const s_##T N = (expr);                                                            \
		AT_W(s_##T, O_D) = result;                                                         \
		*exec = N;                                                                         \
		w->scc = N != 0;                                                                   \
		GO(CONT);                                                                          \
	}

#define SOP1(n, DT, T0, e, s) SCALAR_FORMS(SOP_STENCIL, n, 1, DT, T0, T0, e, s)
#define SOP2(n, DT, T0, T1, e, s) SCALAR_FORMS(SOP_STENCIL, n, 2, DT, T0, T1, e, s)
#define SOP1D(n, DT, T0, e, s) SCALAR_FORMS(SOP_STENCIL, n, 2, DT, T0, DT, e, s)
#define SOPK(n, form, DT, e, s) SCALAR_FORMS(SOP_STENCIL, n, 2, DT, DT, DT, e, s)
#define SOPC(n, T0, T1, cond) SCALAR_FORMS(CMP_STENCIL, n, T0, T1, cond)
#define SOPKC(n, form, T, cond) SOPC(n, T, T, cond)
#define SAVEEXEC(n, e)                                                                             \
	SCALAR_FORMS(EXEC_STENCIL, n##_b32, B32, e, E)                                             \
	SCALAR_FORMS(EXEC_STENCIL, n##_b64, B64, e, E)
#define WREXEC(n, e)                                                                               \
	SCALAR_FORMS(EXEC_STENCIL, n##_b32, B32, e, N)                                             \
	SCALAR_FORMS(EXEC_STENCIL, n##_b64, B64, e, N)
#include "vgpu/device/exec/sem/sop.def"

/* ---- the part of a block ---- */

/* The interpreter executes what is left of a turn, and acts on requests. A block is entered at its
 * first record, which `rec` is as long as it runs. */
#define ENTER(all_lanes)                                                                           \
	do {                                                                                       \
		if (__builtin_expect(                                                              \
			    left <= (uint64_t)HOLE(O_COUNT) ||                                     \
				    atomic_load_explicit(&w->request, memory_order_relaxed),       \
			    0))                                                                    \
			GO(ORIGINAL);                                                              \
		left -= (uint64_t)HOLE(O_COUNT);                                                   \
		if (!(all_lanes))                                                                  \
			GO(MASKED);                                                                \
		GO(CONT);                                                                          \
	} while (0)

STENCIL(part_enter_32)
{
	ENTER(w->s[BW_SRC_EXEC_LO] == UINT32_MAX);
}

STENCIL(part_enter_64)
{
	ENTER((w->s[BW_SRC_EXEC_LO] & w->s[BW_SRC_EXEC_HI]) == UINT32_MAX);
}

STENCIL(part_leave)
{
	GO_RECORD(O_T);
}

#define BRANCH(name, cond)                                                                         \
	STENCIL(part_branch_##name)                                                                \
	{                                                                                          \
		if (cond)                                                                          \
			GO_RECORD(O_T);                                                            \
		GO_RECORD(O_F);                                                                    \
	}
#define PAIR(name) (*(const uint64_t *)(const void *)&w->s[name])
BRANCH(scc0_32, w->scc == 0)
BRANCH(scc1_32, w->scc != 0)
BRANCH(vccz_32, w->s[BW_SRC_VCC_LO] == 0)
BRANCH(vccnz_32, w->s[BW_SRC_VCC_LO] != 0)
BRANCH(execz_32, w->s[BW_SRC_EXEC_LO] == 0)
BRANCH(execnz_32, w->s[BW_SRC_EXEC_LO] != 0)
BRANCH(vccz_64, PAIR(BW_SRC_VCC_LO) == 0)
BRANCH(vccnz_64, PAIR(BW_SRC_VCC_LO) != 0)
BRANCH(execz_64, PAIR(BW_SRC_EXEC_LO) == 0)
BRANCH(execnz_64, PAIR(BW_SRC_EXEC_LO) != 0)

#include "vgpu/device/exec/compile/stencils_memory.h"
