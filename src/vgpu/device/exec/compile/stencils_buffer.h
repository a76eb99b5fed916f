/* SPDX-License-Identifier: MIT */

/* Stencils of buffers, for stencils_memory.h alone: lanes have an offset (form V) or an index (form
 * S), the descriptor is a usual one, and all lanes are in range (buf.c, locate_plain()). Then they
 * are lanes of global memory. */

#include "vgpu/device/exec/memory/buf.h"

/* The greatest register of the active lanes of a wave. */
INLINE uint32_t greatest(const struct bw_wave *w, const uint32_t *v, unsigned lanes, int masked)
{
	__m256i max = _mm256_setzero_si256();
	UNROLL
	for (unsigned i = 0; i < lanes / 8; i++) {
		__m256i at = eight(v + 8 * i);
		if (masked)
			at = _mm256_and_si256(at, bw_active_8(half_exec(w, i / 4, 1), 8 * (i % 4)));
		max = _mm256_max_epu32(max, at);
	}
	__m128i m = _mm_max_epu32(_mm256_castsi256_si128(max), _mm256_extracti128_si256(max, 1));
	m = _mm_max_epu32(m, _mm_shuffle_epi32(m, 0x4e));
	m = _mm_max_epu32(m, _mm_shuffle_epi32(m, 0xb1));
	return (uint32_t)_mm_cvtsi128_si32(m);
}

/* Declares base and offsets, the lanes' from there; goes on to the call if the descriptor is not a
 * usual one, or a lane is not in range. */
#define FIND_BUFFER(lanes, by_index, e, masked)                                                    \
	const struct bw_buffer_desc d = bw_buffer_desc_read(&AT_W(const uint32_t, O_M));           \
	const struct bw_buf_use use = {                                                            \
		.has_index = by_index,                                                             \
		.fixed_b = (uint32_t)OFFSET(O_KEEP),                                               \
		.soffset = (AT_W(const uint32_t, O_N) & (uint32_t)OFFSET(O_C)) +                   \
			   (uint32_t)OFFSET(O_CH),                                                 \
		.size_b = bw_elem_size_b(e)};                                                      \
	uint64_t base;                                                                             \
	if (__builtin_expect(                                                                      \
		    !bw_buf_is_plain(&d, &use, greatest(w, ADDRESSES, lanes, masked), &base), 0))  \
		GO(CONT);                                                                          \
	uint32_t scaled[lanes];                                                                    \
	if (by_index) {                                                                            \
		UNROLL                                                                             \
		for (unsigned i = 0; i < (lanes) / 8; i++)                                         \
			_mm256_storeu_si256(                                                       \
				(void *)(scaled + 8 * i),                                          \
				_mm256_mullo_epi32(eight(ADDRESSES + 8 * i),                       \
						   _mm256_set1_epi32((int)d.stride_b)));           \
	}                                                                                          \
	const uint32_t *offsets = (by_index) ? scaled : ADDRESSES

#define BUFFER_LOAD(name, e, form, by_index, lanes, masked, suffix)                                \
	STENCIL(memory_##name##_##form##_##lanes##_##suffix)                                       \
	{                                                                                          \
		NOTHING_TO_HAND_ON();                                                              \
		FIND_BUFFER(lanes, by_index, e, masked);                                           \
		FIND_ALL(lanes, offsets, 0, base, masked, bw_elem_size_b(e), BW_ACCESS_READ);      \
		LOAD_FOUND(lanes, offsets, 0, e, masked);                                          \
	}

#define BUFFER_STORE(name, e, form, by_index, lanes, masked, suffix)                               \
	STENCIL(memory_##name##_##form##_##lanes##_##suffix)                                       \
	{                                                                                          \
		NOTHING_TO_HAND_ON();                                                              \
		FIND_BUFFER(lanes, by_index, e, masked);                                           \
		FIND_ALL(lanes, offsets, 0, base, masked, bw_elem_size_b(e), BW_ACCESS_WRITE);     \
		STORE_FOUND(lanes, e, masked);                                                     \
	}

ADDRESS_FORMS(BUFFER_LOAD, buffer_load_u8, ELEM_U8)
ADDRESS_FORMS(BUFFER_LOAD, buffer_load_i8, ELEM_I8)
ADDRESS_FORMS(BUFFER_LOAD, buffer_load_u16, ELEM_U16)
ADDRESS_FORMS(BUFFER_LOAD, buffer_load_i16, ELEM_I16)
ADDRESS_FORMS(BUFFER_LOAD, buffer_load_b32, ELEM_B32)
ADDRESS_FORMS(BUFFER_LOAD, buffer_load_b64, ELEM_B64)
ADDRESS_FORMS(BUFFER_LOAD, buffer_load_b128, ELEM_B128)
ADDRESS_FORMS(BUFFER_STORE, buffer_store_b8, ELEM_U8)
ADDRESS_FORMS(BUFFER_STORE, buffer_store_b16, ELEM_U16)
ADDRESS_FORMS(BUFFER_STORE, buffer_store_b32, ELEM_B32)
ADDRESS_FORMS(BUFFER_STORE, buffer_store_b64, ELEM_B64)
ADDRESS_FORMS(BUFFER_STORE, buffer_store_b128, ELEM_B128)
