/* SPDX-License-Identifier: MIT */

/* Stencils of global memory, for stencils_memory.h alone. */

INLINE bool is_in_aperture(const struct bw_exec *x, uint64_t va)
{
	uint32_t hi = (uint32_t)(va >> 32), bases = x->host.sh_mem_bases;
	return hi && (hi == bw_aperture_hi(BW_FIELD_GET(SH_MEM_BASES, SHARED_BASE, bases)) ||
		      hi == bw_aperture_hi(BW_FIELD_GET(SH_MEM_BASES, PRIVATE_BASE, bases)));
}

/* The request of an instruction. */
struct access {
	const struct bw_wave *w;
	const struct bw_exec *x;
	uint64_t base;
	unsigned size_b, rights;
	int masked;
};

/* Lanes of a half: their addresses, hi NULL without upper parts, and which of them are active, by
 * bits and as vectors. */
struct some {
	const uint32_t *lo, *hi;
	uint32_t exec;
	const __m256i *active;
};

/* Where lanes lie whose active ones are a run that is all in a page and may be accessed: n times
 * eight lanes, exec has their bits. False: it is not so, or the TLB does not know. */
INLINE bool find_run(const struct access *a, const struct some *of, unsigned n, const uint8_t **out)
{
	const uint32_t *lo = of->lo, *hi = of->hi;
	uint32_t exec = of->exec;
	if (a->masked && !exec) {
		*out = (const uint8_t *)a->x->src; /* nobody looks at it */
		return true;
	}
	unsigned first = a->masked ? (unsigned)__builtin_ctz(exec) : 0, run_b = n * 8 * a->size_b;
	uint32_t start = lo[first] - first * a->size_b, hi_start = hi ? hi[first] : 0;
	__m256i at = _mm256_set1_epi32((int)start), any = _mm256_setzero_si256();
	__m256i step = _mm256_set1_epi32((int)a->size_b);
	at = _mm256_add_epi32(at,
			      _mm256_mullo_epi32(_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), step));
	UNROLL
	for (unsigned i = 0; i < n; i++) {
		__m256i differs = _mm256_xor_si256(eight(lo + 8 * i), at);
		if (hi)
			differs = _mm256_or_si256(
				differs, _mm256_xor_si256(eight(hi + 8 * i),
							  _mm256_set1_epi32((int)hi_start)));
		if (a->masked)
			differs = _mm256_and_si256(differs, of->active[i]);
		any = _mm256_or_si256(any, differs);
		at = _mm256_add_epi32(at, _mm256_slli_epi32(step, 3));
	}
	uint64_t va = a->base + start + ((uint64_t)hi_start << 32);
	const struct bw_tlb_entry *e = &a->w->tlb->entry[bw_tlb_slot(va)];
	uint64_t in_page = va % BW_PAGE_B;
	*out = e->host + in_page;
	return _mm256_testz_si256(any, any) && start <= UINT32_MAX - run_b &&
	       e->tag == bw_tlb_tag(va) && (e->access & a->rights) == a->rights &&
	       in_page <= BW_PAGE_B - run_b && in_page % a->size_b == 0 &&
	       !is_in_aperture(a->x, va);
}

/* The places of four times eight lanes, which lie side by side, or so do the first two
 * and the last two by themselves: a tile's row often has 16 elements. */
INLINE bool find_half(const struct access *a, const struct some *of, const uint8_t *at[4])
{
	unsigned eight_b = 8 * a->size_b;
	const struct some first = {of->lo, of->hi, of->exec & 0xffff, of->active};
	const struct some last = {of->lo + 16, of->hi ? of->hi + 16 : NULL, of->exec >> 16,
				  of->active + 2};
	if (__builtin_expect(find_run(a, of, 4, &at[0]), 1)) {
		at[2] = at[0] + 2 * eight_b;
	} else if (!find_run(a, &first, 2, &at[0]) || !find_run(a, &last, 2, &at[2])) {
		return false;
	}
	at[1] = at[0] + eight_b;
	at[3] = at[2] + eight_b;
	return true;
}

/* The sum that flat.c's global_base() is. */
INLINE uint64_t base_of(const struct bw_wave *w, int has_saddr)
{
	uint64_t base = (uint64_t)(int64_t)OFFSET(O_KEEP);
	if (!has_saddr)
		return base;
	base += AT_W(const uint64_t, O_M);
	return base >> BW_VA_BITS ? base : bw_canonical(base);
}

/* Declares at[], where each eight lanes lie, which of them are active, and whether all were
 * found. offsets: of all lanes, after them the upper parts if has_hi. */
#define FIND_ALL(lanes, offsets, has_hi, base, masked, size_b, rights)                             \
	const uint8_t *at[(lanes) / 8];                                                            \
	__m256i active[(lanes) / 8];                                                               \
	const struct access access = {w, x, base, size_b, rights, masked};                         \
	bool found = true;                                                                         \
	UNROLL                                                                                     \
	for (unsigned h = 0; h < (lanes) / BW_LANES && found; h++) {                               \
		uint32_t exec = half_exec(w, h, masked);                                           \
		const uint32_t *lo = (offsets) + h * BW_LANES;                                     \
		const uint32_t *hi = (has_hi) ? lo + (lanes) : NULL;                               \
		UNROLL                                                                             \
		for (unsigned i = 0; i < 4; i++)                                                   \
			active[4 * h + i] = bw_active_8(exec, 8 * i);                              \
		found = find_half(&access, &(const struct some){lo, hi, exec, active + 4 * h},     \
				  at + 4 * h);                                                     \
	}

/* Elements of dwords anywhere in what the TLB knows to lie in one piece, as span.c's
 * locate_index() has them. */
INLINE bool find_apart(const struct access *a, const struct some *of, struct bw_lds_places *p,
		       const uint8_t **out)
{
	const uint32_t *lo = of->lo, *hi = of->hi;
	uint32_t exec = of->exec;
	uint32_t max;
	if (!bw_lds_find(p, lo, exec, &max))
		return false;
	__m256i least = p->at[0], differs = _mm256_setzero_si256();
	uint32_t hi_first = hi ? hi[a->masked ? (unsigned)__builtin_ctz(exec) : 0] : 0;
	UNROLL
	for (unsigned i = 0; i < BW_EIGHTS; i++) {
		least = _mm256_min_epu32(least, p->at[i]);
		if (!hi)
			continue;
		__m256i d = _mm256_xor_si256(eight(hi + 8 * i), _mm256_set1_epi32((int)hi_first));
		if (a->masked)
			d = _mm256_and_si256(d, bw_active_8(exec, 8 * i));
		differs = _mm256_or_si256(differs, d);
	}
	__m128i m =
		_mm_min_epu32(_mm256_castsi256_si128(least), _mm256_extracti128_si256(least, 1));
	m = _mm_min_epu32(m, _mm_shuffle_epi32(m, 0x4e));
	m = _mm_min_epu32(m, _mm_shuffle_epi32(m, 0xb1));
	uint32_t min = (uint32_t)_mm_cvtsi128_si32(m);
	uint64_t va = a->base + min + ((uint64_t)hi_first << 32);
	UNROLL
	for (unsigned i = 0; i < BW_EIGHTS; i++)
		p->at[i] = _mm256_sub_epi32(p->at[i], _mm256_set1_epi32((int)min));
	*out = bw_tlb_lookup_range(a->w->tlb, va, (uint64_t)(max - min) + a->size_b,
				   (enum bw_access)a->rights);
	return *out && max - min <= INT32_MAX - BW_MEM_MAX_B &&
	       va >> 32 == (va + (max - min)) >> 32 && !is_in_aperture(a->x, va) &&
	       a->w->align_mode == BW_ALIGN_NONE && _mm256_testz_si256(differs, differs);
}

/* Elements of dwords; goes on to the call if a half is elsewhere. */
#define LOAD_APART(lanes, offsets, has_hi, e, masked)                                              \
	do {                                                                                       \
		struct bw_lds_places places[(lanes) / BW_LANES];                                   \
		const uint8_t *from[(lanes) / BW_LANES];                                           \
		UNROLL                                                                             \
		for (unsigned h = 0; h < (lanes) / BW_LANES; h++) {                                \
			const uint32_t *lo = (offsets) + h * BW_LANES;                             \
			const struct some of = {lo, (has_hi) ? lo + (lanes) : NULL,                \
						half_exec(w, h, masked), NULL};                    \
			if (!find_apart(&access, &of, &places[h], &from[h]))                       \
				GO(CONT);                                                          \
		}                                                                                  \
		UNROLL                                                                             \
		for (unsigned h = 0; h < (lanes) / BW_LANES; h++)                                  \
			UNROLL                                                                     \
		for (unsigned k = 0; k < bw_elem_n_dw(e); k++)                                     \
			bw_lds_load((uint32_t *)(void *)(vgpr + HOLE(O_D) + h * BW_HALF_B +        \
							 k * 4 * (lanes)),                         \
				    from[h] + 4 * k, &places[h], half_exec(w, h, masked));         \
	} while (0)

/* What is left of a load and of a store once places are looked for. */
#define LOAD_FOUND(lanes, offsets, has_hi, e, masked)                                              \
	do {                                                                                       \
		if (bw_elem_size_b(e) >= 4 && !found) {                                            \
			LOAD_APART(lanes, offsets, has_hi, e, masked);                             \
			GO(SKIP);                                                                  \
		}                                                                                  \
		if (__builtin_expect(!found, 0))                                                   \
			GO(CONT);                                                                  \
		UNROLL                                                                             \
		for (unsigned i = 0; i < (lanes) / 8; i++) {                                       \
			__m256i r[4];                                                              \
			load_eight(r, at[i], e);                                                   \
			UNROLL                                                                     \
			for (unsigned k = 0; k < bw_elem_n_dw(e); k++)                             \
				put_eight(vgpr + HOLE(O_D) + k * 4 * (lanes) + i * 32, r[k],       \
					  masked, active[i]);                                      \
		}                                                                                  \
		GO(SKIP);                                                                          \
	} while (0)
#define STORE_FOUND(lanes, e, masked)                                                              \
	do {                                                                                       \
		if (__builtin_expect(!found, 0))                                                   \
			GO(CONT);                                                                  \
		UNROLL                                                                             \
		for (unsigned i = 0; i < (lanes) / 8; i++)                                         \
			store_eight((uint8_t *)at[i], vgpr + HOLE(O_B) + i * 32, 4 * (lanes), e,   \
				    masked, active[i]);                                            \
		GO(SKIP);                                                                          \
	} while (0)

#define ADDRESSES ((const uint32_t *)(const void *)(vgpr + HOLE(O_A)))

#define GLOBAL_LOAD(name, e, form, has_saddr, lanes, masked, suffix)                               \
	STENCIL(memory_##name##_##form##_##lanes##_##suffix)                                       \
	{                                                                                          \
		NOTHING_TO_HAND_ON();                                                              \
		FIND_ALL(lanes, ADDRESSES, !(has_saddr), base_of(w, has_saddr), masked,            \
			 bw_elem_size_b(e), BW_ACCESS_READ);                                       \
		LOAD_FOUND(lanes, ADDRESSES, !(has_saddr), e, masked);                             \
	}

#define GLOBAL_STORE(name, e, form, has_saddr, lanes, masked, suffix)                              \
	STENCIL(memory_##name##_##form##_##lanes##_##suffix)                                       \
	{                                                                                          \
		NOTHING_TO_HAND_ON();                                                              \
		FIND_ALL(lanes, ADDRESSES, !(has_saddr), base_of(w, has_saddr), masked,            \
			 bw_elem_size_b(e), BW_ACCESS_WRITE);                                      \
		STORE_FOUND(lanes, e, masked);                                                     \
	}

/* Form V, form S, for waves of both sizes, all lanes and some. */
#define ADDRESS_FORMS(make, name, e)                                                               \
	make(name, e, V, 0, 32, 0, full) make(name, e, V, 0, 32, 1, masked)                        \
		make(name, e, S, 1, 32, 0, full) make(name, e, S, 1, 32, 1, masked)                \
			make(name, e, V, 0, 64, 0, full) make(name, e, V, 0, 64, 1, masked)        \
				make(name, e, S, 1, 64, 0, full)                                   \
					make(name, e, S, 1, 64, 1, masked)

ADDRESS_FORMS(GLOBAL_LOAD, global_load_u8, ELEM_U8)
ADDRESS_FORMS(GLOBAL_LOAD, global_load_i8, ELEM_I8)
ADDRESS_FORMS(GLOBAL_LOAD, global_load_u16, ELEM_U16)
ADDRESS_FORMS(GLOBAL_LOAD, global_load_i16, ELEM_I16)
ADDRESS_FORMS(GLOBAL_LOAD, global_load_b32, ELEM_B32)
ADDRESS_FORMS(GLOBAL_LOAD, global_load_b64, ELEM_B64)
ADDRESS_FORMS(GLOBAL_LOAD, global_load_b128, ELEM_B128)
ADDRESS_FORMS(GLOBAL_STORE, global_store_b8, ELEM_U8)
ADDRESS_FORMS(GLOBAL_STORE, global_store_b16, ELEM_U16)
ADDRESS_FORMS(GLOBAL_STORE, global_store_b32, ELEM_B32)
ADDRESS_FORMS(GLOBAL_STORE, global_store_b64, ELEM_B64)
ADDRESS_FORMS(GLOBAL_STORE, global_store_b128, ELEM_B128)
