/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_EXEC_MEM_RMW_H
#define BW_VGPU_EXEC_MEM_RMW_H

/* Read-modify-write of one element in memory: the arithmetic of sem/rmw.def. The float helpers work
 * on bit patterns, except for the one addition, which the caller runs under a rounding mode of
 * nearest even with denormals kept (bw_fp_plain_begin). */

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/float_bits.h"
#include "base/small_float.h"

/* The denormals that a float operation takes for zero. */
enum bw_rmw_denorm { BW_DENORM_FLUSH_IN = 1, BW_DENORM_FLUSH_OUT = 2 };

static inline uint32_t bw_f32_flush(uint32_t v, bool flush)
{
	return flush && !(v & 0x7f800000) ? v & 0x80000000 : v;
}

static inline uint64_t bw_f64_flush(uint64_t v, bool flush)
{
	return flush && !(v & 0x7ff0000000000000) ? v & 0x8000000000000000 : v;
}

static inline bool bw_f32_is_nan(uint32_t v)
{
	return (v & 0x7fffffff) > 0x7f800000;
}

static inline bool bw_f64_is_nan(uint64_t v)
{
	return (v & 0x7fffffffffffffff) > 0x7ff0000000000000;
}

static inline bool bw_f32_is_snan(uint32_t v)
{
	return bw_f32_is_nan(v) && !(v & 0x00400000);
}

static inline bool bw_f64_is_snan(uint64_t v)
{
	return bw_f64_is_nan(v) && !(v & 0x0008000000000000);
}

/* Sorts -inf < negatives < -0 < +0 < positives < +inf as integers (rule 424). */
static inline int32_t bw_f32_order(uint32_t v)
{
	return (int32_t)(v & 0x80000000 ? ~v ^ 0x80000000 : v);
}

static inline int64_t bw_f64_order(uint64_t v)
{
	return (int64_t)(v & 0x8000000000000000 ? ~v ^ 0x8000000000000000 : v);
}

static inline uint32_t bw_rmw_add_f32_bits(uint32_t old, uint32_t data, uint32_t denorm)
{
	uint32_t a = bw_f32_flush(old, denorm & BW_DENORM_FLUSH_IN);
	uint32_t b = bw_f32_flush(data, denorm & BW_DENORM_FLUSH_IN);
	return bw_f32_flush(f32_bits(bits_f32(a) + bits_f32(b)), denorm & BW_DENORM_FLUSH_OUT);
}

static inline uint64_t bw_rmw_add_f64_bits(uint64_t old, uint64_t data, uint32_t denorm)
{
	uint64_t a = bw_f64_flush(old, denorm & BW_DENORM_FLUSH_IN);
	uint64_t b = bw_f64_flush(data, denorm & BW_DENORM_FLUSH_IN);
	return bw_f64_flush(f64_bits(bits_f64(a) + bits_f64(b)), denorm & BW_DENORM_FLUSH_OUT);
}

/* Two floats of 16 bits, each with itself. The sum of two of them as an f32 is exact enough to be
 * rounded once more; denormals are kept [I]. */
static inline uint32_t bw_rmw_pk_add_f16_bits(uint32_t old, uint32_t data)
{
	uint32_t sum[2];
	for (unsigned i = 0; i < 2; i++) {
		float a = bits_f32(bw_f16_to_f32((uint16_t)(old >> 16 * i)));
		float b = bits_f32(bw_f16_to_f32((uint16_t)(data >> 16 * i)));
		sum[i] = bw_f32_to_f16(f32_bits(a + b), false);
	}
	return sum[0] | sum[1] << 16;
}

static inline uint32_t bw_rmw_to_bf16(uint32_t f)
{
	if (bw_f32_is_nan(f))
		return f >> 16 | 0x40;
	return (f + 0x7fff + (f >> 16 & 1)) >> 16;
}

static inline uint32_t bw_rmw_pk_add_bf16_bits(uint32_t old, uint32_t data)
{
	float low = bits_f32(old << 16) + bits_f32(data << 16);
	float high = bits_f32(old & 0xffff0000) + bits_f32(data & 0xffff0000);
	return bw_rmw_to_bf16(f32_bits(low)) | bw_rmw_to_bf16(f32_bits(high)) << 16;
}

/* Minimum and maximum: a signalling NaN comes back quieted, a number wins over a quiet NaN, two
 * quiet NaNs leave memory as it was [I: which of the two]. */
#define BW_RMW_MIN_MAX(name, width, quiet_bit, keep_data)                                          \
	static inline uint##width##_t bw_rmw_##name##_bits(uint##width##_t old,                    \
							   uint##width##_t data, uint32_t denorm)  \
	{                                                                                          \
		uint##width##_t o = bw_f##width##_flush(old, denorm & BW_DENORM_FLUSH_IN);         \
		uint##width##_t d = bw_f##width##_flush(data, denorm & BW_DENORM_FLUSH_IN);        \
		if (bw_f##width##_is_snan(d))                                                      \
			return d | quiet_bit;                                                      \
		if (bw_f##width##_is_snan(o))                                                      \
			return o | quiet_bit;                                                      \
		if (bw_f##width##_is_nan(d))                                                       \
			return o;                                                                  \
		if (bw_f##width##_is_nan(o))                                                       \
			return d;                                                                  \
		return bw_f##width##_order(d) keep_data bw_f##width##_order(o) ? d : o;            \
	}
BW_RMW_MIN_MAX(min_f32, 32, 0x00400000u, <)
BW_RMW_MIN_MAX(max_f32, 32, 0x00400000u, >)
BW_RMW_MIN_MAX(min_f64, 64, 0x0008000000000000u, <)
BW_RMW_MIN_MAX(max_f64, 64, 0x0008000000000000u, >)
#undef BW_RMW_MIN_MAX

/* +0 equals -0, a NaN equals nothing (rule 425). */
#define BW_RMW_EQUAL(width)                                                                        \
	static inline bool bw_rmw_equal_f##width(uint##width##_t old, uint##width##_t compare,     \
						 uint32_t denorm)                                  \
	{                                                                                          \
		uint##width##_t o = bw_f##width##_flush(old, denorm & BW_DENORM_FLUSH_IN);         \
		uint##width##_t c = bw_f##width##_flush(compare, denorm & BW_DENORM_FLUSH_IN);     \
		if (bw_f##width##_is_nan(o) || bw_f##width##_is_nan(c))                            \
			return false;                                                              \
		return o == c || ((o | c) << 1) == 0;                                              \
	}
BW_RMW_EQUAL(32)
BW_RMW_EQUAL(64)
#undef BW_RMW_EQUAL

/* Each dword is replaced by data[30:0] if bit 31 of that half of the data is set (rule 410). */
static inline uint64_t bw_rmw_condxchg32(uint64_t old, uint64_t data)
{
	uint64_t low = data & 0x80000000 ? data & 0x7fffffff : old & 0xffffffff;
	uint64_t high = data >> 63 ? data >> 32 & 0x7fffffff : old >> 32;
	return high << 32 | low;
}

enum bw_rmw_kind { BW_RMW_INT, BW_RMW_FADD, BW_RMW_FCMP };

/* One operation. Values of 32 bits travel in the low half. */
struct bw_rmw {
	/* The new value. */
	uint64_t (*plain)(uint64_t o, uint64_t d, uint64_t c, uint32_t M);
	/* The atomic form, for memory that workgroups on other threads use, too. `at` is naturally
	 * aligned. Returns the old value. */
	uint64_t (*shared)(void *at, uint64_t d, uint64_t c, uint32_t M);
	uint8_t size_b;
	uint8_t kind;
};

#define RMW(name, type, kind, expr)                                                                \
	static inline uint64_t bw_rmw_plain_##name(uint64_t o, uint64_t d, uint64_t c, uint32_t M) \
	{                                                                                          \
		type O = (type)o, D = (type)d, C = (type)c;                                        \
		(void)O, (void)D, (void)C, (void)M;                                                \
		return expr;                                                                       \
	}                                                                                          \
	static inline uint64_t bw_rmw_shared_##name(void *at, uint64_t d, uint64_t c, uint32_t M)  \
	{                                                                                          \
		type O = __atomic_load_n((type *)at, __ATOMIC_RELAXED), N;                         \
		do                                                                                 \
			N = (type)bw_rmw_plain_##name(O, d, c, M);                                 \
		while (!__atomic_compare_exchange_n((type *)at, &O, N, false, __ATOMIC_SEQ_CST,    \
						    __ATOMIC_RELAXED));                            \
		return O;                                                                          \
	}                                                                                          \
	static const struct bw_rmw bw_rmw_##name = {bw_rmw_plain_##name, bw_rmw_shared_##name,     \
						    sizeof(type), BW_RMW_##kind};
#include "vgpu/device/exec/sem/rmw.def"
#undef RMW

/* LDS follows MODE: bit 0 of each field keeps denormals that come in, bit 1 those that go out. */
static inline uint32_t bw_rmw_lds_denorm(uint32_t mode, unsigned size_b)
{
	uint32_t keep = mode >> (size_b == 8 ? 6 : 4);
	return (keep & 1 ? 0 : BW_DENORM_FLUSH_IN) | (keep & 2 ? 0 : BW_DENORM_FLUSH_OUT);
}

/* Memory: additions flush, always; what only compares does not (rule 423; gfx11 is not among the
 * GPUs that LLVM gives denormal support in memory atomics, gfx942 is: keeps). */
static inline uint32_t bw_rmw_memory_denorm(const struct bw_rmw *op, bool keeps)
{
	return op->kind == BW_RMW_FADD && !keeps ? BW_DENORM_FLUSH_IN | BW_DENORM_FLUSH_OUT : 0;
}

/* Float addition in memory rounds to nearest even whatever MODE says (rule 422), so the host's
 * control word, which the executor may have set for the wave, is put aside meanwhile. */
#if defined(__x86_64__)
static inline uint32_t bw_fp_plain_begin(void)
{
	uint32_t saved = __builtin_ia32_stmxcsr();
	__builtin_ia32_ldmxcsr(0x1f80);
	return saved;
}

static inline void bw_fp_plain_end(uint32_t saved)
{
	__builtin_ia32_ldmxcsr(saved);
}
#else
#include <fenv.h>
static inline uint32_t bw_fp_plain_begin(void)
{
	uint32_t saved = (uint32_t)fegetround();
	fesetround(FE_TONEAREST);
	return saved;
}

static inline void bw_fp_plain_end(uint32_t saved)
{
	fesetround((int)saved);
}
#endif

#endif
