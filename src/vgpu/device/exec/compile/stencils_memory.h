/* SPDX-License-Identifier: MIT */

/* The stencils of memory instructions, for stencils.c alone. Each looks whether the lanes access
 * memory in a simple way: in runs that the TLB knows, in LDS inside of the allocation. If so, it
 * does what the instruction does, and jumps over the call (part_call) that is put after it;
 * everything else is left to that call of the instruction's handler. Nothing has been written then,
 * so that the handler finds what the interpreter would. Neither hands on anything.
 *
 *   O_A, O_B           the first VGPR of the address, and of the data that are stored
 *   O_D                the first VGPR that is loaded; of scalar loads the first SGPR, from w
 *   O_M, O_N           the pair of SGPRs that is a base, an offset, from w
 *   O_KEEP, O_FLIP     the offsets of the instruction, in bytes
 *   O_C, O_CH          of buffers: which bits of O_N count, and a constant that is added to it
 */

#include "gpuvm/apertures.h"
#include "regs/field.h"
#include "vgpu/device/exec/memory/lds_quick.h"

STENCIL(SKIP);

#define UNROLL _Pragma("clang loop unroll(full)")

/* An offset of the instruction; of global ones it has a sign. */
#define OFFSET(hole) constant((uint32_t)HOLE(hole))

/* A register of eight lanes. */
INLINE __m256i eight(const void *at)
{
	return _mm256_loadu_si256(at);
}

INLINE void put_eight(uint8_t *at, __m256i v, int masked, __m256i active)
{
	if (masked)
		v = _mm256_blendv_epi8(eight(at), v, active);
	_mm256_storeu_si256((void *)at, v);
}

/* The registers of eight lanes from elements that follow each other. */
INLINE void load_eight(__m256i r[4], const uint8_t *from, enum bw_elem e)
{
	const void *at = from;
	if (e == ELEM_U8) {
		r[0] = _mm256_cvtepu8_epi32(_mm_loadl_epi64(at));
	} else if (e == ELEM_I8) {
		r[0] = _mm256_cvtepi8_epi32(_mm_loadl_epi64(at));
	} else if (e == ELEM_U16) {
		r[0] = _mm256_cvtepu16_epi32(_mm_loadu_si128(at));
	} else if (e == ELEM_I16) {
		r[0] = _mm256_cvtepi16_epi32(_mm_loadu_si128(at));
	} else if (e == ELEM_B32) {
		r[0] = eight(from);
	} else if (e == ELEM_B64) {
		__m256 a = (__m256)eight(from), b = (__m256)eight(from + 32);
		r[0] = _mm256_permute4x64_epi64((__m256i)_mm256_shuffle_ps(a, b, 0x88), 0xd8);
		r[1] = _mm256_permute4x64_epi64((__m256i)_mm256_shuffle_ps(a, b, 0xdd), 0xd8);
	} else {
		bw_load_eight_b128(r, from, NULL);
	}
}

/* The low bytes or halves of eight lanes, side by side. */
INLINE void store_eight_narrow(void *to, __m256i v, enum bw_elem e)
{
	const __m256i low_b = _mm256_set1_epi64x(e == ELEM_U8 ? 0x0c080400 : 0x0d0c090805040100);
	__m256i low = _mm256_shuffle_epi8(v, low_b); /* of each four */
	__m128i a = _mm256_castsi256_si128(low), b = _mm256_extracti128_si256(low, 1);
	if (e == ELEM_U8)
		_mm_storel_epi64(to, _mm_unpacklo_epi32(a, b));
	else
		_mm_storeu_si128(to, _mm_unpacklo_epi64(a, b));
}

/* Lanes of a group that are not active keep what is there, also while others write it. */
INLINE void store_eight(uint8_t *to, const uint8_t *from, size_t reg_b, enum bw_elem e, int masked,
			__m256i active)
{
	unsigned n_dw = bw_elem_n_dw(e), lanes = (unsigned)_mm256_movemask_ps((__m256)active);
	__m256i r[4];
	UNROLL
	for (unsigned k = 0; k < n_dw; k++)
		r[k] = eight(from + k * reg_b);
	if (masked && e == ELEM_B32)
		_mm256_maskstore_epi32((int *)(void *)to, active, r[0]);
	else if (masked && lanes != 0xff)
		for (; lanes; lanes &= lanes - 1) {
			unsigned i = (unsigned)__builtin_ctz(lanes);
			const uint8_t *lane = from + i * sizeof(uint32_t);
			UNROLL
			for (unsigned k = 0; k < n_dw; k++)
				bw_elem_put(to + i * bw_elem_size_b(e) + 4 * k,
					    *(const bw_u32_any *)(lane + k * reg_b),
					    bw_elem_dword(e));
		}
	else if (bw_elem_size_b(e) < 4)
		store_eight_narrow(to, r[0], e);
	else
		bw_store_eight(to, r, n_dw);
}

INLINE uint32_t half_exec(const struct bw_wave *w, unsigned h, int masked)
{
	return masked ? w->s[BW_SRC_EXEC_LO + h] : UINT32_MAX;
}

#include "vgpu/device/exec/compile/stencils_global.h"
#include "vgpu/device/exec/compile/stencils_buffer.h"
#include "vgpu/device/exec/compile/stencils_lds.h"

/* ---- scalar loads ---- */

/* From a pair of SGPRs and an offset; form S: and the offset in an SGPR (smem.c, load()). */
#define SCALAR_LOAD(name, n_dw, form, has_soffset)                                                 \
	STENCIL(memory_##name##_##form##_32_full)                                                  \
	{                                                                                          \
		NOTHING_TO_HAND_ON();                                                              \
		uint64_t va = AT_W(const uint64_t, O_M) + (uint64_t)(int64_t)OFFSET(O_KEEP);       \
		if (has_soffset)                                                                   \
			va += AT_W(const uint32_t, O_N);                                           \
		va &= ~3ull;                                                                       \
		const struct bw_tlb_entry *e = &w->tlb->entry[bw_tlb_slot(va)];                    \
		if (__builtin_expect(e->tag != bw_tlb_tag(va) || !(e->access & BW_ACCESS_READ) ||  \
					     va % BW_PAGE_B > BW_PAGE_B - 4 * (n_dw),              \
				     0))                                                           \
			GO(CONT);                                                                  \
		__builtin_memcpy_inline((uint8_t *)w + HOLE(O_D), e->host + va % BW_PAGE_B,        \
					4 * (n_dw));                                               \
		GO(SKIP);                                                                          \
	}
#define SCALAR_LOADS(name, n_dw) SCALAR_LOAD(name, n_dw, V, 0) SCALAR_LOAD(name, n_dw, S, 1)
SCALAR_LOADS(s_load_b32, 1)
SCALAR_LOADS(s_load_b64, 2)
SCALAR_LOADS(s_load_b128, 4)
SCALAR_LOADS(s_load_b256, 8)
SCALAR_LOADS(s_load_b512, 16)

/* From a descriptor, if all dwords are in range (smem.c, buffer_load()). */
#define SCALAR_BUFFER_LOAD(name, n_dw, form, has_soffset)                                          \
	STENCIL(memory_##name##_##form##_32_full)                                                  \
	{                                                                                          \
		NOTHING_TO_HAND_ON();                                                              \
		uint64_t range_b, base = bw_smem_range(&AT_W(const uint32_t, O_M), 0, &range_b);   \
		uint64_t offset = (uint32_t)OFFSET(O_KEEP);                                        \
		if (has_soffset)                                                                   \
			offset += AT_W(const uint32_t, O_N);                                       \
		offset &= ~3ull;                                                                   \
		uint64_t va = bw_canonical((base & ~3ull) + offset);                               \
		const struct bw_tlb_entry *e = &w->tlb->entry[bw_tlb_slot(va)];                    \
		if (__builtin_expect(e->tag != bw_tlb_tag(va) || !(e->access & BW_ACCESS_READ) ||  \
					     va % BW_PAGE_B > BW_PAGE_B - 4 * (n_dw) ||            \
					     offset + 4 * (n_dw) > range_b,                        \
				     0))                                                           \
			GO(CONT);                                                                  \
		__builtin_memcpy_inline((uint8_t *)w + HOLE(O_D), e->host + va % BW_PAGE_B,        \
					4 * (n_dw));                                               \
		GO(SKIP);                                                                          \
	}
#define SCALAR_BUFFER_LOADS(name, n_dw)                                                            \
	SCALAR_BUFFER_LOAD(name, n_dw, V, 0) SCALAR_BUFFER_LOAD(name, n_dw, S, 1)
SCALAR_BUFFER_LOADS(s_buffer_load_b32, 1)
SCALAR_BUFFER_LOADS(s_buffer_load_b64, 2)
SCALAR_BUFFER_LOADS(s_buffer_load_b128, 4)
SCALAR_BUFFER_LOADS(s_buffer_load_b256, 8)
SCALAR_BUFFER_LOADS(s_buffer_load_b512, 16)

/* ---- the call ---- */

/* Executes one instruction by its handler (KONST), whose record is at O_T from the block's first
 * one; at O_F is the next. Leaves the block with it where the handler wants the run loop, or a
 * request has come, such as for a watch that it has hit. */
STENCIL(part_call)
{
	const struct bw_rec *at = (const void *)((const uint8_t *)rec + HOLE(O_T));
	const struct bw_rec *next = (const void *)((const uint8_t *)rec + HOLE(O_F));
	__builtin_ia32_vzeroupper();
	const struct bw_rec *after = ((bw_handler *)(uintptr_t)KONST)(at, w, x, 1, vgpr);
	if (__builtin_expect(
		    after != next || atomic_load_explicit(&w->request, memory_order_relaxed), 0)) {
		x->left = left + (uint64_t)HOLE(O_COUNT);
		return after;
	}
	NOTHING_TO_HAND_ON();
	GO(CONT);
}
