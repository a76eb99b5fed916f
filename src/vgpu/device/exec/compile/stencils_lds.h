/* SPDX-License-Identifier: MIT */

/* Stencils of LDS, for stencils_memory.h alone. */

/* Declares places[], where the lanes of all halves are; goes on to the call if one is outside. */
#define FIND_IN_LDS(n_halves, masked, size_b, farthest)                                            \
	struct bw_lds_places places[n_halves];                                                     \
	UNROLL                                                                                     \
	for (unsigned h = 0; h < (n_halves); h++) {                                                \
		const uint32_t *v =                                                                \
			(const uint32_t *)(const void *)(vgpr + HOLE(O_A)) + h * BW_LANES;         \
		uint32_t max;                                                                      \
		if (__builtin_expect(                                                              \
			    w->align_mode != BW_ALIGN_NONE ||                                      \
				    !bw_lds_find(&places[h], v, half_exec(w, h, masked), &max) ||  \
				    (uint64_t)max + (farthest) + (size_b) > w->wg->lds_size_b,     \
			    0))                                                                    \
			GO(CONT);                                                                  \
	}

/* O_KEEP is the smaller one of two offsets. */
#define LDS_LOAD(name, n, lanes, masked, suffix)                                                   \
	STENCIL(memory_##name##_V_##lanes##_##suffix)                                              \
	{                                                                                          \
		NOTHING_TO_HAND_ON();                                                              \
		const uint32_t near = (uint32_t)OFFSET(O_KEEP), far = (uint32_t)OFFSET(O_FLIP);    \
		FIND_IN_LDS((lanes) / BW_LANES, masked, 4, (n) == 1 || near > far ? near : far);   \
		UNROLL                                                                             \
		for (unsigned h = 0; h < (lanes) / BW_LANES; h++) {                                \
			uint8_t *to = vgpr + HOLE(O_D) + h * BW_HALF_B;                            \
			uint32_t exec = half_exec(w, h, masked);                                   \
			bw_lds_load((uint32_t *)(void *)to, w->wg->lds + near, &places[h], exec);  \
			if ((n) == 2)                                                              \
				bw_lds_load((uint32_t *)(void *)(to + 4 * (lanes)),                \
					    w->wg->lds + far, &places[h], exec);                   \
		}                                                                                  \
		GO(SKIP);                                                                          \
	}

/* Whether each eight lanes are a run, or, if may_be_same, in one place. */
INLINE bool are_runs(const struct bw_lds_places *p, unsigned size_b, int may_be_same)
{
	__m256i run = _mm256_mullo_epi32(_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7),
					 _mm256_set1_epi32((int)size_b));
	UNROLL
	for (unsigned i = 0; i < BW_EIGHTS; i++) {
		__m256i from_first = _mm256_sub_epi32(
			p->at[i], _mm256_broadcastd_epi32(_mm256_castsi256_si128(p->at[i])));
		__m256i differs = _mm256_xor_si256(from_first, run);
		if (!_mm256_testz_si256(differs, differs) &&
		    !(may_be_same && _mm256_testz_si256(from_first, from_first)))
			return false;
	}
	return true;
}

INLINE const uint8_t *first_of(const struct bw_lds_places *p, const uint8_t *lds, unsigned i)
{
	return lds + (uint32_t)_mm256_cvtsi256_si32(p->at[i]);
}

/* Elements of two or four dwords, of all lanes. */
#define LDS_LOAD_WIDE(name, e, lanes)                                                              \
	STENCIL(memory_##name##_V_##lanes##_full)                                                  \
	{                                                                                          \
		NOTHING_TO_HAND_ON();                                                              \
		const uint32_t near = (uint32_t)OFFSET(O_KEEP);                                    \
		FIND_IN_LDS((lanes) / BW_LANES, 0, bw_elem_size_b(e), near);                       \
		UNROLL                                                                             \
		for (unsigned h = 0; h < (lanes) / BW_LANES; h++)                                  \
			if (__builtin_expect(!are_runs(&places[h], bw_elem_size_b(e), 1), 0))      \
				GO(CONT);                                                          \
		UNROLL                                                                             \
		for (unsigned i = 0; i < (lanes) / 8; i++) {                                       \
			const struct bw_lds_places *p = &places[i / BW_EIGHTS];                    \
			const uint8_t *from = first_of(p, w->wg->lds + near, i % BW_EIGHTS);       \
			__m256i r[4], at = p->at[i % BW_EIGHTS];                                   \
			if (_mm256_extract_epi32(at, 1) != _mm256_extract_epi32(at, 0))            \
				load_eight(r, from, e);                                            \
			else                                                                       \
				UNROLL                                                             \
			for (unsigned k = 0; k < bw_elem_n_dw(e); k++)                             \
				r[k] = _mm256_set1_epi32((int)((const bw_u32_any *)from)[k]);      \
			UNROLL                                                                     \
			for (unsigned k = 0; k < bw_elem_n_dw(e); k++)                             \
				put_eight(vgpr + HOLE(O_D) + k * 4 * (lanes) + i * 32, r[k], 0,    \
					  at);                                                     \
		}                                                                                  \
		GO(SKIP);                                                                          \
	}

#define LDS_STORE(name, e, lanes)                                                                  \
	STENCIL(memory_##name##_V_##lanes##_full)                                                  \
	{                                                                                          \
		NOTHING_TO_HAND_ON();                                                              \
		const uint32_t near = (uint32_t)OFFSET(O_KEEP);                                    \
		FIND_IN_LDS((lanes) / BW_LANES, 0, bw_elem_size_b(e), near);                       \
		UNROLL                                                                             \
		for (unsigned h = 0; h < (lanes) / BW_LANES; h++)                                  \
			if (__builtin_expect(!are_runs(&places[h], bw_elem_size_b(e), 0), 0))      \
				GO(CONT);                                                          \
		UNROLL                                                                             \
		for (unsigned i = 0; i < (lanes) / 8; i++) {                                       \
			const struct bw_lds_places *p = &places[i / BW_EIGHTS];                    \
			store_eight((uint8_t *)first_of(p, w->wg->lds + near, i % BW_EIGHTS),      \
				    vgpr + HOLE(O_B) + i * 32, 4 * (lanes), e, 0, p->at[0]);       \
		}                                                                                  \
		GO(SKIP);                                                                          \
	}

#define LDS_LOADS(name, n)                                                                         \
	LDS_LOAD(name, n, 32, 0, full)                                                             \
	LDS_LOAD(name, n, 32, 1, masked)                                                           \
	LDS_LOAD(name, n, 64, 0, full)                                                             \
	LDS_LOAD(name, n, 64, 1, masked)
LDS_LOADS(ds_load_b32, 1)
LDS_LOADS(ds_load_2addr_b32, 2)
LDS_LOADS(ds_load_2addr_stride64_b32, 2)
LDS_LOAD_WIDE(ds_load_b64, ELEM_B64, 32)
LDS_LOAD_WIDE(ds_load_b64, ELEM_B64, 64)
LDS_LOAD_WIDE(ds_load_b128, ELEM_B128, 32)
LDS_LOAD_WIDE(ds_load_b128, ELEM_B128, 64)
LDS_STORE(ds_store_b32, ELEM_B32, 32)
LDS_STORE(ds_store_b32, ELEM_B32, 64)
LDS_STORE(ds_store_b64, ELEM_B64, 32)
LDS_STORE(ds_store_b64, ELEM_B64, 64)
LDS_STORE(ds_store_b128, ELEM_B128, 32)
LDS_STORE(ds_store_b128, ELEM_B128, 64)
