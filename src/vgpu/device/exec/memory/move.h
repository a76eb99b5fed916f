/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_EXEC_MEM_MOVE_H
#define BW_VGPU_EXEC_MEM_MOVE_H

/* Moving elements between a located span and VGPRs. Everything is inlined into the handler of one
 * opcode with the element as a constant.
 *
 * Long file: a template, whose parts are of use only together. */

#ifdef __AVX2__
#include <immintrin.h>
#endif

#include "vgpu/device/exec/memory/checked.h"

#define BW_ALWAYS_INLINE static inline __attribute__((always_inline))

typedef uint32_t bw_u32_any __attribute__((aligned(1)));
typedef uint16_t bw_u16_any __attribute__((aligned(1)));

/* The element that is moved. LO_ and HI_ are the d16 forms, which leave the other half of the
 * register alone on loads and take that half on stores (rules 350, 351, 388, 412, 413). */
/* clang-format off */
enum bw_elem {
	ELEM_U8, ELEM_I8, ELEM_U16, ELEM_I16,
	ELEM_LO_U8, ELEM_LO_I8, ELEM_LO_B16, ELEM_HI_U8, ELEM_HI_I8, ELEM_HI_B16,
	ELEM_B32, ELEM_B64, ELEM_B96, ELEM_B128,
};
/* clang-format on */

BW_ALWAYS_INLINE unsigned bw_elem_size_b(enum bw_elem e)
{
	switch (e) {
	case ELEM_U8:
	case ELEM_I8:
	case ELEM_LO_U8:
	case ELEM_LO_I8:
	case ELEM_HI_U8:
	case ELEM_HI_I8:
		return 1;
	case ELEM_U16:
	case ELEM_I16:
	case ELEM_LO_B16:
	case ELEM_HI_B16:
		return 2;
	case ELEM_B32:
		return 4;
	case ELEM_B64:
		return 8;
	case ELEM_B96:
		return 12;
	case ELEM_B128:
		return 16;
	}
	return 0;
}

BW_ALWAYS_INLINE unsigned bw_elem_n_dw(enum bw_elem e)
{
	return (bw_elem_size_b(e) + 3) / 4;
}

/* The kind of each dword of the element. */
BW_ALWAYS_INLINE enum bw_elem bw_elem_dword(enum bw_elem e)
{
	return bw_elem_size_b(e) < 4 ? e : ELEM_B32;
}

/* The register that an element of at most one dword becomes, given what the register held. */
BW_ALWAYS_INLINE uint32_t bw_elem_extend(enum bw_elem e, const uint8_t *restrict src, uint32_t old)
{
	switch (e) {
	case ELEM_U8:
		return *src;
	case ELEM_I8:
		return (uint32_t)(int8_t)*src;
	case ELEM_U16:
		return *(const bw_u16_any *)src;
	case ELEM_I16:
		return (uint32_t)(int16_t)*(const bw_u16_any *)src;
	case ELEM_LO_U8:
		return (old & 0xffff0000) | *src;
	case ELEM_LO_I8:
		return (old & 0xffff0000) | (uint16_t)(int8_t)*src;
	case ELEM_LO_B16:
		return (old & 0xffff0000) | *(const bw_u16_any *)src;
	case ELEM_HI_U8:
		return (old & 0xffff) | (uint32_t)*src << 16;
	case ELEM_HI_I8:
		return (old & 0xffff) | (uint32_t)(uint16_t)(int8_t)*src << 16;
	case ELEM_HI_B16:
		return (old & 0xffff) | (uint32_t)*(const bw_u16_any *)src << 16;
	case ELEM_B32:
	case ELEM_B64:
	case ELEM_B96:
	case ELEM_B128:
		break;
	}
	return *(const bw_u32_any *)src;
}

/* dst: this lane of the first register; reg_dw: from one register to the next. */
BW_ALWAYS_INLINE void bw_elem_load(uint32_t *restrict dst, size_t reg_dw,
				   const uint8_t *restrict src, enum bw_elem e)
{
	if (bw_elem_size_b(e) < 4)
		*dst = bw_elem_extend(e, src, *dst);
	else
		for (unsigned k = 0; k < bw_elem_n_dw(e); k++)
			dst[k * reg_dw] = ((const bw_u32_any *)src)[k];
}

/* An element of at most one dword. */
BW_ALWAYS_INLINE void bw_elem_put(uint8_t *restrict dst, uint32_t value, enum bw_elem e)
{
	unsigned shift = e == ELEM_HI_U8 || e == ELEM_HI_I8 || e == ELEM_HI_B16 ? 16 : 0;
	if (bw_elem_size_b(e) == 1)
		*dst = (uint8_t)(value >> shift);
	else if (bw_elem_size_b(e) == 2)
		*(bw_u16_any *)dst = (uint16_t)(value >> shift);
	else
		*(bw_u32_any *)dst = value;
}

BW_ALWAYS_INLINE void bw_elem_store(uint8_t *restrict dst, const uint32_t *const *reg,
				    unsigned lane, enum bw_elem e)
{
	for (unsigned k = 0; k < bw_elem_n_dw(e); k++)
		bw_elem_put(dst + 4 * k, reg[k][lane], bw_elem_dword(e));
}

/* One register of 32 lanes from elements stride_b apart, at most one dword each. */
BW_ALWAYS_INLINE void bw_load_run32(uint32_t *restrict dst, const uint8_t *restrict src,
				    unsigned stride_b, uint32_t exec, enum bw_elem e)
{
	if (exec == UINT32_MAX) {
		for (unsigned i = 0; i < BW_LANES; i++)
			dst[i] = bw_elem_extend(e, src + i * stride_b, dst[i]);
	} else {
		for (unsigned i = 0; i < BW_LANES; i++) {
			uint32_t take = bw_lane_mask(exec, i);
			uint32_t value = bw_elem_extend(e, src + i * stride_b, dst[i]);
			dst[i] = (dst[i] & ~take) | (value & take);
		}
	}
}

/* One register of 32 lanes from anywhere; inactive lanes may be read. */
BW_ALWAYS_INLINE void bw_gather32(uint32_t *restrict dst, const uint8_t *src,
				  const uint32_t *restrict index, uint32_t exec)
{
#if defined(__AVX512F__)
	for (unsigned i = 0; i < BW_LANES; i += 16) {
		__m512i old = _mm512_loadu_si512(dst + i), at = _mm512_loadu_si512(index + i);
		_mm512_storeu_si512(dst + i, _mm512_mask_i32gather_epi32(
						     old, (__mmask16)(exec >> i), at, src, 1));
	}
#elif defined(__AVX2__)
	for (unsigned i = 0; i < BW_LANES; i += 8) {
		__m256i v = _mm256_i32gather_epi32(
			(const int *)(const void *)src,
			_mm256_loadu_si256((const __m256i *)(const void *)(index + i)), 1);
		__m256i bits = _mm256_loadu_si256((const __m256i *)(const void *)(bw_lane_bit + i));
		__m256i take = _mm256_cmpeq_epi32(
			_mm256_and_si256(bits, _mm256_set1_epi32((int)exec)), bits);
		__m256i *at = (__m256i *)(void *)(dst + i);
		_mm256_storeu_si256(at,
				    exec == UINT32_MAX
					    ? v
					    : _mm256_blendv_epi8(_mm256_loadu_si256(at), v, take));
	}
#else
	for (unsigned i = 0; i < BW_LANES; i++) {
		uint32_t take = bw_lane_mask(exec, i);
		dst[i] = (dst[i] & ~take) | (*(const bw_u32_any *)(src + index[i]) & take);
	}
#endif
}

#ifdef __AVX2__
BW_ALWAYS_INLINE __m256i bw_two_128(const uint8_t *lo, const uint8_t *hi)
{
	return _mm256_inserti128_si256(
		_mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)lo)),
		_mm_loadu_si128((const __m128i *)(const void *)hi), 1);
}

BW_ALWAYS_INLINE void bw_put_two_128(uint8_t *lo, uint8_t *hi, __m256i v)
{
	_mm_storeu_si128((__m128i *)(void *)lo, _mm256_castsi256_si128(v));
	_mm_storeu_si128((__m128i *)(void *)hi, _mm256_extracti128_si256(v, 1));
}

/* All ones in those of eight lanes that are active. */
BW_ALWAYS_INLINE __m256i bw_active_8(uint32_t exec, unsigned first)
{
	__m256i bits = _mm256_loadu_si256((const __m256i *)(const void *)(bw_lane_bit + first));
	return _mm256_cmpeq_epi32(_mm256_and_si256(bits, _mm256_set1_epi32((int)exec)), bits);
}

/* Eight lanes of a register, as far as they are active. */
BW_ALWAYS_INLINE void bw_put_lanes(uint32_t *dst, __m256i v, unsigned first, uint32_t exec)
{
	if (exec == UINT32_MAX)
		_mm256_storeu_si256((__m256i *)(void *)(dst + first), v);
	else
		_mm256_maskstore_epi32((int *)(void *)(dst + first), bw_active_8(exec, first), v);
}
#endif

#ifdef __AVX2__
/* Eight elements of four dwords become four registers: index NULL is element i at i * 16. */
BW_ALWAYS_INLINE void bw_load_eight_b128(__m256i out[4], const uint8_t *src, const uint32_t *index)
{
#define BW_AT(i) (src + (index ? index[i] : (i) * 16))
	__m256i a = bw_two_128(BW_AT(0), BW_AT(4)), b = bw_two_128(BW_AT(1), BW_AT(5));
	__m256i c = bw_two_128(BW_AT(2), BW_AT(6)), d = bw_two_128(BW_AT(3), BW_AT(7));
#undef BW_AT
	__m256i ab01 = _mm256_unpacklo_epi32(a, b), ab23 = _mm256_unpackhi_epi32(a, b);
	__m256i cd01 = _mm256_unpacklo_epi32(c, d), cd23 = _mm256_unpackhi_epi32(c, d);
	out[0] = _mm256_unpacklo_epi64(ab01, cd01);
	out[1] = _mm256_unpackhi_epi64(ab01, cd01);
	out[2] = _mm256_unpacklo_epi64(ab23, cd23);
	out[3] = _mm256_unpackhi_epi64(ab23, cd23);
}

/* One, two or four registers of eight lanes to elements that follow each other. */
BW_ALWAYS_INLINE void bw_store_eight(uint8_t *at, const __m256i *r, unsigned n_dw)
{
	if (n_dw == 1) {
		_mm256_storeu_si256((__m256i *)(void *)at, r[0]);
		return;
	}
	__m256i lo01 = _mm256_unpacklo_epi32(r[0], r[1]), hi01 = _mm256_unpackhi_epi32(r[0], r[1]);
	if (n_dw == 2) {
		bw_put_two_128(at, at + 4 * 8, lo01);
		bw_put_two_128(at + 2 * 8, at + 6 * 8, hi01);
		return;
	}
	__m256i lo23 = _mm256_unpacklo_epi32(r[2], r[3]), hi23 = _mm256_unpackhi_epi32(r[2], r[3]);
	bw_put_two_128(at, at + 4 * 16, _mm256_unpacklo_epi64(lo01, lo23));
	bw_put_two_128(at + 16, at + 5 * 16, _mm256_unpackhi_epi64(lo01, lo23));
	bw_put_two_128(at + 2 * 16, at + 6 * 16, _mm256_unpacklo_epi64(hi01, hi23));
	bw_put_two_128(at + 3 * 16, at + 7 * 16, _mm256_unpackhi_epi64(hi01, hi23));
}
#endif

/* Elements of four dwords: index NULL is lane i at i * 16. Whole elements are read and turned over,
 * eight lanes at a time. Inactive lanes may be read. */
BW_ALWAYS_INLINE void bw_load_b128(uint32_t *restrict dst, size_t reg_dw, const uint8_t *src,
				   const uint32_t *restrict index, uint32_t exec)
{
#ifdef __AVX2__
	for (unsigned i = 0; i < BW_LANES; i += 8) {
		__m256i r[4];
		bw_load_eight_b128(r, index ? src : src + i * 16, index ? index + i : NULL);
		for (unsigned k = 0; k < 4; k++)
			bw_put_lanes(dst + k * reg_dw, r[k], i, exec);
	}
#else
	for (unsigned k = 0; k < 4; k++) {
		if (index)
			bw_gather32(dst + k * reg_dw, src + 4 * k, index, exec);
		else
			bw_load_run32(dst + k * reg_dw, src + 4 * k, 16, exec, ELEM_B32);
	}
#endif
}

BW_ALWAYS_INLINE void bw_load_index(uint32_t *restrict dst, size_t reg_dw, const uint8_t *src,
				    const uint32_t *restrict index, uint32_t exec, enum bw_elem e)
{
	unsigned lane;
	if (bw_elem_size_b(e) < 4)
		BW_EACH_LANE(exec, lane)
			bw_elem_load(dst + lane, reg_dw, src + index[lane], e);
	else if (e == ELEM_B128)
		bw_load_b128(dst, reg_dw, src, index, exec);
	else
		for (unsigned k = 0; k < bw_elem_n_dw(e); k++)
			bw_gather32(dst + k * reg_dw, src + 4 * k, index, exec);
}

/* Stores in the order of the lanes, so that the last one wins if several store to one place (rule
 * 393). */
BW_ALWAYS_INLINE void bw_store_index(uint8_t *dst, const uint32_t *const *reg,
				     const uint32_t *index, uint32_t exec, enum bw_elem e)
{
	unsigned lane;
	if (exec == UINT32_MAX)
		for (unsigned i = 0; i < BW_LANES; i++)
			bw_elem_store(dst + index[i], reg, i, e);
	else
		BW_EACH_LANE(exec, lane)
			bw_elem_store(dst + index[lane], reg, lane, e);
}

/* The located elements of one half go to registers. dst: lane 0 or 32 of the first one. */
BW_ALWAYS_INLINE void bw_span_load_half(const struct bw_span *s, unsigned h, uint32_t *restrict dst,
					size_t reg_dw, enum bw_elem e)
{
	const struct bw_span_half *half = &s->half[h];
	const unsigned size_b = bw_elem_size_b(e), n_dw = bw_elem_n_dw(e);
	unsigned lane;

	switch (half->kind) {
	case BW_SPAN_NONE:
		break;
	case BW_SPAN_RUN:
		if (e == ELEM_B128) {
			bw_load_b128(dst, reg_dw, half->at[0], NULL, half->exec);
			break;
		}
		for (unsigned k = 0; k < n_dw; k++)
			bw_load_run32(dst + k * reg_dw, half->at[0] + 4 * k, size_b, half->exec, e);
		break;
	case BW_SPAN_ROWS:
		for (unsigned k = 0; k < n_dw; k++)
			bw_load_run32(dst + k * reg_dw, half->at[k], 4, half->exec, e);
		break;
	case BW_SPAN_SAME:
		for (unsigned k = 0; k < n_dw; k++)
			bw_load_run32(dst + k * reg_dw, half->at[0] + 4 * k, 0, half->exec, e);
		break;
	case BW_SPAN_PART:
		BW_EACH_LANE(half->exec, lane)
			bw_elem_load(dst + lane, reg_dw, half->at[0] + lane * size_b, e);
		break;
	case BW_SPAN_INDEX:
		bw_load_index(dst, reg_dw, half->at[0], &s->index[h * BW_LANES], half->exec, e);
		break;
	case BW_SPAN_SCATTER:
		BW_EACH_LANE(half->exec, lane) {
			unsigned wave_lane = h * BW_LANES + lane;
			if (__builtin_expect(!(s->split >> wave_lane & 1), 1)) {
				bw_elem_load(dst + lane, reg_dw, s->lane[wave_lane], e);
			} else {
				uint8_t bytes[BW_MEM_MAX_B];
				bw_span_get(s, wave_lane, bytes, size_b);
				bw_elem_load(dst + lane, reg_dw, bytes, e);
			}
		}
		break;
	}
}

/* One register of 32 lanes to places stride_b apart. */
BW_ALWAYS_INLINE void bw_store_run32(uint8_t *restrict dst, const uint32_t *restrict reg,
				     unsigned stride_b, uint32_t exec, enum bw_elem e)
{
	unsigned lane;
	if (exec == UINT32_MAX) {
		for (unsigned i = 0; i < BW_LANES; i++)
			bw_elem_put(dst + i * stride_b, reg[i], e);
	} else {
		BW_EACH_LANE(exec, lane)
			bw_elem_put(dst + lane * stride_b, reg[lane], e);
	}
}

/* n_dw registers of 32 lanes to elements that follow each other. */
BW_ALWAYS_INLINE void bw_store_interleaved(uint8_t *restrict dst, const uint32_t *const *reg,
					   unsigned n_dw)
{
#ifdef __AVX2__
	for (unsigned i = 0; i < BW_LANES && (n_dw == 2 || n_dw == 4); i += 8) {
		__m256i r[4];
		for (unsigned k = 0; k < n_dw; k++)
			r[k] = _mm256_loadu_si256((const __m256i *)(const void *)(reg[k] + i));
		bw_store_eight(dst + i * 4 * n_dw, r, n_dw);
	}
	if (n_dw == 2 || n_dw == 4)
		return;
#endif
	uint32_t out[4 * BW_LANES];
	for (unsigned i = 0; i < BW_LANES; i++)
		for (unsigned k = 0; k < n_dw; k++)
			out[i * n_dw + k] = reg[k][i];
	memcpy(dst, out, n_dw * 4 * BW_LANES);
}

/* Registers of one half go to the located elements. reg[k]: lane 0 or 32 of dword k. */
BW_ALWAYS_INLINE void bw_span_store_half(const struct bw_span *s, unsigned h,
					 const uint32_t *const *reg, enum bw_elem e)
{
	const struct bw_span_half *half = &s->half[h];
	const unsigned size_b = bw_elem_size_b(e), n_dw = bw_elem_n_dw(e);
	unsigned lane;

	switch (half->kind) {
	case BW_SPAN_NONE:
		break;
	case BW_SPAN_RUN:
	case BW_SPAN_PART:
		if (n_dw == 1)
			bw_store_run32(half->at[0], reg[0], size_b, half->exec, e);
		else if (half->exec == UINT32_MAX)
			bw_store_interleaved(half->at[0], reg, n_dw);
		else
			BW_EACH_LANE(half->exec, lane)
				bw_elem_store(half->at[0] + lane * size_b, reg, lane, e);
		break;
	case BW_SPAN_ROWS:
		for (unsigned k = 0; k < n_dw; k++)
			bw_store_run32(half->at[k], reg[k], 4, half->exec, bw_elem_dword(e));
		break;
	case BW_SPAN_SAME:
		/* Lanes store in order, so that the last one stays (rule 393). */
		bw_elem_store(half->at[0], reg, 31 - (unsigned)__builtin_clz(half->exec), e);
		break;
	case BW_SPAN_INDEX:
		bw_store_index(half->at[0], reg, &s->index[h * BW_LANES], half->exec, e);
		break;
	case BW_SPAN_SCATTER:
		BW_EACH_LANE(half->exec, lane) {
			unsigned wave_lane = h * BW_LANES + lane;
			if (__builtin_expect(!(s->split >> wave_lane & 1), 1)) {
				bw_elem_store(s->lane[wave_lane], reg, lane, e);
			} else {
				uint8_t bytes[BW_MEM_MAX_B];
				bw_elem_store(bytes, reg, lane, e);
				bw_span_put(s, wave_lane, bytes, size_b);
			}
		}
		break;
	}
}

/* Loads and stores for all halves of a wave. dst, data: register numbers of the record. */
BW_ALWAYS_INLINE void bw_span_load(const struct bw_span *s, struct bw_wave *w, unsigned dst,
				   enum bw_elem e)
{
	if (BW_MEM_IS_CHECKED)
		bw_span_touch(s, w, BW_TOUCH_LOAD, NULL, bw_elem_size_b(e));
	for (unsigned h = 0; h < w->lanes / BW_LANES; h++)
		bw_span_load_half(s, h, bw_wave_vgpr(w, dst) + h * BW_LANES, w->lanes, e);
}

/* Tells the checker what the lanes store. */
BW_ALWAYS_INLINE void bw_span_touch_store(const struct bw_span *s, struct bw_wave *w,
					  const uint16_t *data, enum bw_elem e)
{
	bw_span_values values;
	const uint32_t *reg[4];
	unsigned lane;
	if (!BW_MEM_IS_CHECKED || !w->wg->is_touch_checked)
		return;
	for (unsigned k = 0; k < bw_elem_n_dw(e); k++)
		reg[k] = bw_wave_vgpr(w, data[k]);
	BW_EACH_LANE(bw_wave_exec(w), lane)
		bw_elem_store(values[lane], reg, lane, e);
	bw_span_touch(s, w, BW_TOUCH_STORE, (const bw_span_values *)&values, bw_elem_size_b(e));
}

BW_ALWAYS_INLINE void bw_span_store(const struct bw_span *s, struct bw_wave *w,
				    const uint16_t *data, enum bw_elem e)
{
	bw_span_touch_store(s, w, data, e);
	for (unsigned h = 0; h < w->lanes / BW_LANES; h++) {
		const uint32_t *reg[4];
		for (unsigned k = 0; k < bw_elem_n_dw(e); k++)
			reg[k] = bw_wave_vgpr(w, data[k]) + h * BW_LANES;
		bw_span_store_half(s, h, reg, e);
	}
}

#endif
