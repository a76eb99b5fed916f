/* SPDX-License-Identifier: MIT */
#include "vgpu/device/exec/core/fmode.h"

#include <xmmintrin.h>

#include "base/words.h"
#include "regs/field.h"

/* MODE.FP_ROUND and FP_DENORM have two bits for f32, and two for f16 and f64 (rules 107, 110). */
#define MODE_ROUND_32 0, 2
#define MODE_ROUND_16_64 2, 2
#define MODE_DENORM_32 4, 2
#define MODE_DENORM_16_64 6, 2

/* MXCSR: all exceptions masked; round control in 14:13, flush outputs 15, inputs 6. */
enum {
	MXCSR_MASKED = 0x1f80,
	MXCSR_ROUND_SHIFT = 13,
	MXCSR_FTZ = 1 << 15,
	MXCSR_DAZ = 1 << 6,
};

static uint32_t mxcsr(enum bw_round round, unsigned denorm)
{
	static const uint8_t host_round[] = {
		[BW_ROUND_NEAREST] = 0,
		[BW_ROUND_UP] = 2,
		[BW_ROUND_DOWN] = 1,
		[BW_ROUND_ZERO] = 3,
	};
	uint32_t v = MXCSR_MASKED | (uint32_t)host_round[round] << MXCSR_ROUND_SHIFT;
	if (!(denorm & 1))
		v |= MXCSR_DAZ;
	if (!(denorm & 2))
		v |= MXCSR_FTZ;
	return v;
}

void bw_fmode_set(struct bw_fmode *m, uint32_t mode)
{
	unsigned denorm32 = (unsigned)bw_words_get(&mode, MODE_DENORM_32),
		 denorm16 = (unsigned)bw_words_get(&mode, MODE_DENORM_16_64),
		 round32 = (unsigned)bw_words_get(&mode, MODE_ROUND_32),
		 round16 = (unsigned)bw_words_get(&mode, MODE_ROUND_16_64);
	*m = (struct bw_fmode){
		.mode = mode,
		.round32 = (uint8_t)round32,
		.round16 = (uint8_t)round16,
		.flush_in32 = !(denorm32 & 1),
		.flush_out32 = !(denorm32 & 2),
		.flush_in16 = !(denorm16 & 1),
		.flush_out16 = !(denorm16 & 2),
		.dx10_clamp = BW_FIELD_GET(SQ_WAVE_MODE, DX10_CLAMP, mode),
		.ieee = BW_FIELD_GET(SQ_WAVE_MODE, IEEE, mode),
		.fp16_ovfl = BW_FIELD_GET(SQ_WAVE_MODE, FP16_OVFL, mode),
		.mxcsr32 = mxcsr(round32, denorm32),
		.mxcsr64 = mxcsr(round16, denorm16),
		.mxcsr_narrow = mxcsr(round32, (denorm16 & 1) | (denorm32 & 2)),
		.mxcsr_bf16 = mxcsr(round16, 3),
	};
	m->mxcsr_f16 = m->round16 == m->round32 ? m->mxcsr32 : m->mxcsr_bf16;
}

uint32_t bw_fmode_enter(const struct bw_fmode *m)
{
	uint32_t saved = _mm_getcsr();
	_mm_setcsr(m->mxcsr32);
	return saved;
}

void bw_fmode_leave(uint32_t saved)
{
	_mm_setcsr(saved);
}

void bw_fmode_load(uint32_t value)
{
	_mm_setcsr(value);
}
