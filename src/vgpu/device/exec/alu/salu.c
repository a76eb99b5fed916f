/* SPDX-License-Identifier: MIT */

/* The scalar rows of sem/sop.def made into handlers.
 *
 * Forms (D, T0, T1 are types; S0, S1 operands, D the result, SCC the old condition):
 *   SOP1, SOP2(name, D, T0.., expr, scc)   scc: the new SCC, NZ for D != 0, KEEP
 *   SOP1D(..)                              S1 is the old destination
 *   SOPK(name, form, D, expr, scc)         S0 is the old destination, S1 the immediate
 *   SOPC(name, T0, T1, cond)               writes SCC only
 *   SOPKC(name, form, T, cond)             S0 is the register, S1 the immediate
 *   SAVEEXEC, WREXEC(name, expr)           both widths; E is the old EXEC */

#include "vgpu/device/exec/core/exec_priv.h"

typedef uint32_t s_B32, s_U32;
typedef int32_t s_I32;
typedef uint64_t s_B64, s_U64;
typedef int64_t s_I64;

static inline uint32_t negate_if_negative(uint32_t v)
{
	return v >> 31 ? 0u - v : v;
}

static inline uint64_t bfe_u(uint64_t v, unsigned offset, unsigned width)
{
	v >>= offset;
	return width >= 64 ? v : v & ((1ull << width) - 1);
}

static inline int64_t bfe_i(uint64_t v, unsigned offset, unsigned width, unsigned bits)
{
	if (width == 0)
		return 0;
	if (offset + width > bits)
		width = bits - offset;
	v >>= offset;
	return (int64_t)(v << (64 - width)) >> (64 - width);
}

static inline uint64_t brev64(uint64_t v)
{
	v = (v >> 1 & 0x5555555555555555ull) | (v & 0x5555555555555555ull) << 1;
	v = (v >> 2 & 0x3333333333333333ull) | (v & 0x3333333333333333ull) << 2;
	v = (v >> 4 & 0x0f0f0f0f0f0f0f0full) | (v & 0x0f0f0f0f0f0f0f0full) << 4;
	return __builtin_bswap64(v);
}

/* Leading copies of the sign bit, -1 when all bits are equal: rule 92. */
static inline int32_t cls(int64_t v, unsigned bits)
{
	uint64_t u = (uint64_t)(v ^ v >> 63);
	return u ? __builtin_clzll(u) - (int32_t)(64 - bits) : -1;
}

static inline uint64_t bitreplicate(uint32_t v)
{
	uint64_t d = 0;
	for (unsigned i = 0; i < 32; i++)
		d |= (uint64_t)(v >> i & 1) * 3 << 2 * i;
	return d;
}

static inline uint64_t quadmask(uint64_t v)
{
	uint64_t d = 0;
	for (unsigned i = 0; i < 16; i++)
		d |= (uint64_t)((v >> 4 * i & 15) != 0) << i;
	return d;
}

static inline uint64_t wqm(uint64_t v)
{
	uint64_t any = (v | v >> 1 | v >> 2 | v >> 3) & 0x1111111111111111ull;
	return any * 15;
}

#define SCC (w->scc)
#define KEEP (w->scc)
#define NZ (D != 0)

/* Four handlers a row: bit 0 of the index says that src0 is a constant, bit 1 that src1 is. */
#define AT(T, slot) (*(s_##T *)(void *)((uint8_t *)w + rec->off[slot]))
#define SRC(T, slot, is_const) ((is_const) ? (s_##T)rec->off[slot] : AT(T, slot))
#define FORMS(name)                                                                                \
	static BW_HANDLER(name##_rr)                                                               \
	{                                                                                          \
		return name(rec, w, x, left, vgpr, 0, 0);                                          \
	}                                                                                          \
	static BW_HANDLER(name##_cr)                                                               \
	{                                                                                          \
		return name(rec, w, x, left, vgpr, 1, 0);                                          \
	}                                                                                          \
	static BW_HANDLER(name##_rc)                                                               \
	{                                                                                          \
		return name(rec, w, x, left, vgpr, 0, 1);                                          \
	}                                                                                          \
	static BW_HANDLER(name##_cc)                                                               \
	{                                                                                          \
		return name(rec, w, x, left, vgpr, 1, 1);                                          \
	}
#define TEMPLATE(name)                                                                             \
	static inline __attribute__((always_inline)) const struct bw_rec *name(                    \
		const struct bw_rec *rec, struct bw_wave *w, struct bw_exec *x, uint64_t left,     \
		uint8_t *vgpr, int c0, int c1)

#define SOP_(name, n, DT, T0, T1, expr, scc_)                                                      \
	TEMPLATE(h_##name)                                                                         \
	{                                                                                          \
		const s_##T0 S0 = SRC(T0, 1, c0);                                                  \
		const s_##T1 S1 = (n) > 1 ? SRC(T1, 2, c1) : 0;                                    \
		const s_##DT D = (s_##DT)(expr);                                                   \
		(void)S0, (void)S1;                                                                \
		w->scc = (uint32_t)(scc_);                                                         \
		AT(DT, 0) = D;                                                                     \
		BW_NEXT(BW_FOLLOWING(rec));                                                        \
	}                                                                                          \
	FORMS(h_##name)
#define SOP1(name, DT, T0, expr, scc_) SOP_(name, 1, DT, T0, T0, expr, scc_)
#define SOP2(name, DT, T0, T1, expr, scc_) SOP_(name, 2, DT, T0, T1, expr, scc_)
#define SOP1D(name, DT, T0, expr, scc_) SOP_(name, 2, DT, T0, DT, expr, scc_)
#define SOPK(name, form, DT, expr, scc_) SOP_(name, 2, DT, DT, DT, expr, scc_)
#define SOPC(name, T0, T1, cond)                                                                   \
	TEMPLATE(h_##name)                                                                         \
	{                                                                                          \
		const s_##T0 S0 = SRC(T0, 1, c0);                                                  \
		const s_##T1 S1 = SRC(T1, 2, c1);                                                  \
		w->scc = (uint32_t)(cond);                                                         \
		BW_NEXT(BW_FOLLOWING(rec));                                                        \
	}                                                                                          \
	FORMS(h_##name)
#define SOPKC(name, form, T, cond) SOPC(name, T, T, cond)

/* The source is read before EXEC changes, the destination may be the source. */
#define EXEC_(name, T, expr, result)                                                               \
	TEMPLATE(h_##name)                                                                         \
	{                                                                                          \
		s_##T *exec = (s_##T *)(void *)&w->s[BW_SRC_EXEC_LO];                              \
		const s_##T S0 = SRC(T, 1, c0), E = *exec;                                         \
		const s_##T N = (expr);                                                            \
		(void)c1;                                                                          \
		AT(T, 0) = result;                                                                 \
		*exec = N;                                                                         \
		w->scc = N != 0;                                                                   \
		BW_NEXT(BW_FOLLOWING(rec));                                                        \
	}                                                                                          \
	FORMS(h_##name)
#define SAVEEXEC(name, expr) EXEC_(name##_b32, B32, expr, E) EXEC_(name##_b64, B64, expr, E)
#define WREXEC(name, expr) EXEC_(name##_b32, B32, expr, N) EXEC_(name##_b64, B64, expr, N)

#include "vgpu/device/exec/sem/sop.def"

#undef SOP1
#undef SOP1D
#undef SOP2
#undef SOPK
#undef SOPC
#undef SOPKC
#undef SAVEEXEC
#undef WREXEC

#define ENTRY(n, form_, D, T0, T1)                                                                 \
	{.name = #n,                                                                               \
	 .fn = {h_##n##_rr, h_##n##_cr, h_##n##_rc, h_##n##_cc},                                   \
	 .dst = BW_T_##D,                                                                          \
	 .src = {BW_T_##T0, BW_T_##T1},                                                            \
	 .form = BW_SCALAR_##form_},
#define SOP1(n, D, T0, e, s) ENTRY(n, PLAIN, D, T0, NONE)
#define SOP1D(n, D, T0, e, s) ENTRY(n, DST, D, T0, D)
#define SOP2(n, D, T0, T1, e, s) ENTRY(n, PLAIN, D, T0, T1)
#define SOPK(n, form, D, e, s) ENTRY(n, form, D, D, D)
#define SOPC(n, T0, T1, c) ENTRY(n, PLAIN, NONE, T0, T1)
#define SOPKC(n, form, T, c) ENTRY(n, form, NONE, T, T)
#define SAVEEXEC(n, e) ENTRY(n##_b32, PLAIN, B32, B32, NONE) ENTRY(n##_b64, PLAIN, B64, B64, NONE)
#define WREXEC(n, e) SAVEEXEC(n, e)

const struct bw_scalar_row bw_scalar_rows[] = {
#include "vgpu/device/exec/sem/sop.def"
};
const size_t bw_n_scalar_rows = sizeof(bw_scalar_rows) / sizeof(bw_scalar_rows[0]);
