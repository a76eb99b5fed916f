/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_EXEC_FMATH_H
#define BW_VGPU_EXEC_FMATH_H

/* Float arithmetic by integers: single lanes of f16, bf16, f32 and f64, one rounding in any mode,
 * and the exceptions it raises. Slow. The rows compute with the host's arithmetic; this is for what
 * the host's arithmetic does not give: which exceptions an operation raised in which lane, and
 * results that are scaled before they are rounded. Pure: no host mode is read or written. */

#include <stdbool.h>
#include <stdint.h>

#include "vgpu/device/exec/core/fmode.h"

enum bw_fkind { BW_FKIND_F16, BW_FKIND_BF16, BW_FKIND_F32, BW_FKIND_F64 };

/* TRAPSTS.EXCP, bits 0 to 6; MODE.EXCP_EN has the same order from bit 12 on. */
enum bw_fexcp {
	BW_FEXCP_INVALID = 1 << 0,
	BW_FEXCP_DENORMAL = 1 << 1, /* an operand is denormal and is taken as such [I] */
	BW_FEXCP_DIV0 = 1 << 2,
	BW_FEXCP_OVERFLOW = 1 << 3,
	BW_FEXCP_UNDERFLOW = 1 << 4, /* tiny after rounding, and inexact or flushed */
	BW_FEXCP_INEXACT = 1 << 5,
	BW_FEXCP_INT_DIV0 = 1 << 6,
	BW_FEXCP_FLOAT = 0x7f,
};

/* The rounding of one operation, and its handling of denormals. */
struct bw_fmath {
	enum bw_round round;
	bool flush_in, flush_out;
	bool saturate; /* overflow gives the largest finite value (FP16_OVFL) */
};

/* The part of MODE that governs this type. */
struct bw_fmath bw_fmath_mode(const struct bw_fmode *m, enum bw_fkind kind);

/* Values are bit patterns in the low bits. flags: |= enum bw_fexcp. */

/* (a * b + c) * 2^scale, one rounding. */
uint64_t bw_fmath_fma(enum bw_fkind kind, const uint64_t s[3], int scale, const struct bw_fmath *m,
		      uint32_t *flags);
uint64_t bw_fmath_add(enum bw_fkind kind, uint64_t a, uint64_t b, const struct bw_fmath *m,
		      uint32_t *flags);
uint64_t bw_fmath_mul(enum bw_fkind kind, uint64_t a, uint64_t b, const struct bw_fmath *m,
		      uint32_t *flags);
uint64_t bw_fmath_div(enum bw_fkind kind, uint64_t a, uint64_t b, const struct bw_fmath *m,
		      uint32_t *flags);
uint64_t bw_fmath_sqrt(enum bw_fkind kind, uint64_t a, const struct bw_fmath *m, uint32_t *flags);
/* a * 2^scale. */
uint64_t bw_fmath_ldexp(enum bw_fkind kind, uint64_t a, int scale, const struct bw_fmath *m,
			uint32_t *flags);
/* flush_in is that of `from`'s type, the rest that of `to`'s. */
uint64_t bw_fmath_cvt(enum bw_fkind from, enum bw_fkind to, uint64_t a, const struct bw_fmath *m,
		      uint32_t *flags);

/* Questions about one operand. */
bool bw_fmath_is_nan(enum bw_fkind kind, uint64_t a);
bool bw_fmath_is_snan(enum bw_fkind kind, uint64_t a);
bool bw_fmath_is_denormal(enum bw_fkind kind, uint64_t a);

#endif
