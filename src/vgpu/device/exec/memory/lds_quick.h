/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_EXEC_LDS_QUICK_H
#define BW_VGPU_EXEC_LDS_QUICK_H

/* Loads of dwords from LDS without a span, by AVX2: eight lanes at a time are taken from where they
 * lie one after the other, from one place, or from anywhere. Kernels that share tiles do little
 * else. Whatever is outside of the allocation or needs an alignment goes by a span, and so does
 * what the checker has to look at lane by lane. */

#include "vgpu/device/exec/memory/move.h"

#if defined(__AVX2__)

enum { BW_EIGHTS = BW_LANES / 8 };

/* Byte offsets in the LDS; inactive lanes have one of an active lane. */
struct bw_lds_places {
	__m256i at[BW_EIGHTS];
};

/* Whether all active lanes of a half are inside, at v. None active: false. */
BW_ALWAYS_INLINE bool bw_lds_find(struct bw_lds_places *p, const uint32_t *v, uint32_t exec,
				  uint32_t *out_max)
{
	if (!exec)
		return false;
	__m256i filler = _mm256_set1_epi32((int)v[__builtin_ctz(exec)]), max = filler;
#pragma GCC unroll 4
	for (unsigned i = 0; i < BW_EIGHTS; i++) {
		__m256i at = _mm256_loadu_si256((const __m256i *)(const void *)(v + 8 * i));
		if (exec != UINT32_MAX)
			at = _mm256_blendv_epi8(filler, at, bw_active_8(exec, 8 * i));
		p->at[i] = at;
		max = _mm256_max_epu32(max, at);
	}
	__m128i m = _mm_max_epu32(_mm256_castsi256_si128(max), _mm256_extracti128_si256(max, 1));
	m = _mm_max_epu32(m, _mm_shuffle_epi32(m, 0x4e));
	m = _mm_max_epu32(m, _mm_shuffle_epi32(m, 0xb1));
	*out_max = (uint32_t)_mm_cvtsi128_si32(m);
	return true;
}

/* A register of a half from the places, which are all inside of lds. */
BW_ALWAYS_INLINE void bw_lds_load(uint32_t *dst, const uint8_t *lds, const struct bw_lds_places *p,
				  uint32_t exec)
{
	const __m256i run = _mm256_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28);
#pragma GCC unroll 4
	for (unsigned i = 0; i < BW_EIGHTS; i++) {
		const uint8_t *first = lds + (uint32_t)_mm256_cvtsi256_si32(p->at[i]);
		__m256i from_first = _mm256_sub_epi32(
			p->at[i], _mm256_broadcastd_epi32(_mm256_castsi256_si128(p->at[i])));
		__m256i v;
		if (_mm256_movemask_epi8(_mm256_cmpeq_epi32(from_first, run)) == -1)
			v = _mm256_loadu_si256((const __m256i *)(const void *)first);
		else if (_mm256_testz_si256(from_first, from_first))
			v = _mm256_set1_epi32((int)*(const bw_u32_any *)first);
		else
			v = _mm256_i32gather_epi32((const int *)(const void *)lds, p->at[i], 1);
		bw_put_lanes(dst, v, 8 * i, exec);
	}
}

/* Tells the checker; false: that is still to be done. */
BW_ALWAYS_INLINE bool bw_lds_tell(struct bw_wave *w, const struct bw_lds_places *p,
				  const uint32_t *offset_b, unsigned n, uint32_t end_b)
{
	struct bw_lds_loads l = {.offset_b = offset_b, .n = n, .end_b = end_b};
	if (!w->wg->is_touch_checked)
		return true;
	memcpy(l.at, p, w->lanes * sizeof(l.at[0]));
	return bw_check_lds_loads(w, &l);
}

/* n registers from dst on, each from the address of `addr` and its offset. False: nothing has been
 * loaded. */
BW_ALWAYS_INLINE bool bw_lds_load_dwords(struct bw_wave *w, unsigned addr, unsigned dst,
					 const uint32_t *offset_b, unsigned n)
{
	struct bw_lds_places p[2];
	uint32_t lds_b = w->wg->lds_size_b, max, farthest = n == 2 && offset_b[1] > offset_b[0];
	unsigned n_halves = w->lanes / BW_LANES;
	if (w->align_mode != BW_ALIGN_NONE)
		return false;
	uint32_t end_b = 0;
	for (unsigned h = 0; h < n_halves; h++) {
		if (!bw_lds_find(&p[h], bw_wave_vgpr(w, addr) + h * BW_LANES,
				 bw_wave_half_exec(w, h), &max) ||
		    (uint64_t)max + offset_b[farthest] + sizeof(uint32_t) > lds_b)
			return false;
		end_b = BW_MAX(end_b, max + offset_b[farthest] + (uint32_t)sizeof(uint32_t));
	}
	if (BW_MEM_IS_CHECKED && !bw_lds_tell(w, p, offset_b, n, end_b))
		return false;
	for (unsigned h = 0; h < n_halves; h++)
		for (unsigned k = 0; k < n; k++)
			bw_lds_load(bw_wave_vgpr(w, dst + k) + h * BW_LANES,
				    w->wg->lds + offset_b[k], &p[h], bw_wave_half_exec(w, h));
	return true;
}

#else
BW_ALWAYS_INLINE bool bw_lds_load_dwords(const struct bw_wave *w, unsigned addr, unsigned dst,
					 const uint32_t *offset_b, unsigned n)
{
	return false;
}
#endif

#endif
