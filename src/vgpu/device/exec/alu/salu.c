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

#include "vgpu/device/exec/alu/scalar_ops.h"
#include "vgpu/device/exec/core/exec_priv.h"

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
#define SAVEEXEC(n, e) ENTRY(n##_b32, EXEC, B32, B32, NONE) ENTRY(n##_b64, EXEC, B64, B64, NONE)
#define WREXEC(n, e) SAVEEXEC(n, e)

const struct bw_scalar_row bw_scalar_rows[] = {
#include "vgpu/device/exec/sem/sop.def"
};
const size_t bw_n_scalar_rows = sizeof(bw_scalar_rows) / sizeof(bw_scalar_rows[0]);
