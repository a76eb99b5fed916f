/* SPDX-License-Identifier: MIT */
#include "vgpu/device/exec/memory/span.h"

#include "base/util.h"
#include "vgpu/device/exec/memory/checked.h"

/* Rules 400, 452, 453. Atomics are aligned to their size in every mode (rule 454). 96 bits count as
 * dwords in the strict mode too [I]. */
void bw_span_set_align(struct bw_span *s, const struct bw_wave *w, unsigned size_b)
{
	if (s->align_b != 1)
		return;
	s->align_b = size_b == 12 || (w->align_mode != BW_ALIGN_STRICT && size_b > 4) ? 4 : size_b;
	s->round_down = w->align_mode == BW_ALIGN_DWORD;
	s->may_index = s->may_index && s->align_b == 1;
}

void bw_span_locate_sink(struct bw_span *s, unsigned lane)
{
	memset(s->sink[lane], 0, BW_MEM_MAX_B);
	s->lane[lane] = s->sink[lane];
}

static void record_fault(struct bw_span *s, unsigned lane, const struct bw_vm_fault *fault,
			 bool page_fault)
{
	if (!s->fault_lanes) {
		s->fault = *fault;
		s->page_fault = page_fault;
	}
	s->fault_lanes |= 1ull << lane;
}

void bw_span_violation(struct bw_span *s, unsigned lane, uint64_t va, enum bw_access access)
{
	struct bw_vm_fault fault = {.va = va, .access = (uint8_t)access};
	record_fault(s, lane, &fault, false);
}

/* A hit of an address watch is reported after the instruction (exec.c), by a request of the wave to
 * itself. The trap handler's own accesses are not watched. */
static void hit_watches(struct bw_wave *w, uint64_t va, unsigned size_b, enum bw_access access)
{
	unsigned hits = w->status & BW_STATUS_PRIV ? 0 : bw_tlb_watched(w->tlb, va, size_b, access);
	if (!hits)
		return;
	w->watch_hits |= (uint8_t)hits;
	atomic_fetch_or_explicit(&w->request, BW_REQ_WATCH, memory_order_relaxed);
}

/* A lookup gave nothing: a fault, a page with an address watch, or a partially resident page, which
 * is the lane's sink. fault.va is where the size_b bytes begin, offset_b into the lane's
 * element. */
static uint8_t *refused(struct bw_span *s, struct bw_wave *w, unsigned lane,
			const struct bw_vm_fault *fault, unsigned offset_b, unsigned size_b)
{
	if (fault->watched) {
		hit_watches(w, fault->va, size_b, fault->access);
		return fault->host;
	}
	if (!fault->prt) {
		record_fault(s, lane, fault, true);
		return NULL;
	}
	bw_span_locate_sink(s, lane);
	return s->sink[lane] + offset_b;
}

/* The host's address of size_b bytes at va, which begins offset_b into the lane's element; NULL
 * after recording the fault. */
static uint8_t *translate(struct bw_span *s, const struct bw_mem_request *q, unsigned lane,
			  uint64_t va, unsigned offset_b, unsigned size_b)
{
	struct bw_vm_fault fault = {0};
	if (bw_canonical(va) != va) {
		bw_span_violation(s, lane, va, q->access);
		return NULL;
	}
	uint8_t *host = bw_tlb_lookup(q->w->tlb, va, q->access, &fault);
	return host ? host : refused(s, q->w, lane, &fault, offset_b, size_b);
}

void bw_span_refuse_half(struct bw_span *s, struct bw_wave *w, unsigned h,
			 const struct bw_vm_fault *fault)
{
	unsigned lane;
	s->half[h].kind = BW_SPAN_SCATTER;
	BW_EACH_LANE(s->half[h].exec, lane)
		refused(s, w, h * BW_LANES + lane, fault, 0, 0);
}

void bw_span_add_piece(struct bw_span *s, const struct bw_mem_request *q, unsigned lane,
		       uint64_t va, unsigned offset_b, unsigned size_b)
{
	uint8_t *host = translate(s, q, lane, va, offset_b, size_b);
	if (!host)
		return;
	if (!(s->split >> lane & 1)) {
		s->split |= 1ull << lane;
		s->n_pieces[lane] = 0;
	}
	s->piece[lane][s->n_pieces[lane]++] =
		(struct bw_span_piece){host, (uint8_t)offset_b, (uint8_t)size_b};
}

void bw_span_locate_va(struct bw_span *s, const struct bw_mem_request *q, unsigned lane,
		       uint64_t va)
{
	if (s->round_down)
		va -= va % s->align_b;
	unsigned to_page_end = BW_PAGE_B - (va & (BW_PAGE_B - 1));
	if (va % s->align_b) {
		bw_span_violation(s, lane, va, q->access);
	} else if (to_page_end >= q->size_b) {
		s->lane[lane] = translate(s, q, lane, va, 0, q->size_b);
	} else {
		bw_span_add_piece(s, q, lane, va, 0, to_page_end);
		bw_span_add_piece(s, q, lane, va + to_page_end, to_page_end,
				  q->size_b - to_page_end);
	}
}

void bw_span_locate_lds(struct bw_span *s, struct bw_wave *w, unsigned lane, uint64_t offset_b,
			unsigned size_b)
{
	/* Beyond the group's own allocation: reads 0, writes are dropped (rules 398, 399). An
	 * element that only begins inside counts as beyond [I]. */
	if (s->round_down)
		offset_b -= offset_b % s->align_b;
	if (offset_b % s->align_b)
		bw_span_violation(s, lane, offset_b, BW_ACCESS_ATOMIC);
	else if (offset_b <= w->wg->lds_size_b && size_b <= w->wg->lds_size_b - offset_b)
		s->lane[lane] = w->wg->lds + offset_b;
	else {
		bw_span_locate_sink(s, lane);
		bw_mem_outside(w, &(struct bw_outside){.of = BW_OUTSIDE_LDS,
						       .lane = (uint8_t)lane,
						       .size_b = size_b,
						       .limit = w->wg->lds_size_b,
						       .at = (int64_t)offset_b});
	}
}

void bw_span_locate_private(struct bw_span *s, const struct bw_mem_request *q, unsigned lane,
			    uint64_t offset_b)
{
	struct bw_wave *w = q->w;
	unsigned size_b = q->size_b;
	uint64_t lane_size_b = w->scratch_size_b / w->lanes;
#ifdef BW_MEM_CHECK
	s->private_lanes |= 1ull << lane;
#endif
	if (s->round_down)
		offset_b -= offset_b % s->align_b;
	bool is_outside = offset_b > lane_size_b || size_b > lane_size_b - offset_b;
	if (is_outside)
		bw_mem_outside(w, &(struct bw_outside){.of = BW_OUTSIDE_SCRATCH,
						       .lane = (uint8_t)lane,
						       .size_b = size_b,
						       .limit = lane_size_b,
						       .at = (int64_t)offset_b});
	if (is_outside || offset_b % s->align_b) {
		bw_span_violation(s, lane,
				  bw_wave_scratch(w) + offset_b / 4 * 4 * w->lanes + 4 * lane,
				  q->access);
		return;
	}
	for (unsigned done = 0; done < size_b;) {
		/* One dword of a lane lies next to the same dword of the next lane (rule 381). */
		uint64_t at = offset_b + done;
		uint64_t va = bw_wave_scratch(w) + at / 4 * 4 * w->lanes + 4 * lane + at % 4;
		unsigned n = BW_MIN(4 - (unsigned)(at % 4), size_b - done);
		if (n == size_b)
			s->lane[lane] = translate(s, q, lane, va, 0, n);
		else
			bw_span_add_piece(s, q, lane, va, done, n);
		done += n;
	}
}

static inline bool in_aperture(uint64_t va, uint32_t hi)
{
	return hi && bw_hi32(va) == hi;
}

/* One lane outside of the common forms. */
void bw_span_locate_global(struct bw_span *s, const struct bw_mem_request *q, unsigned lane,
			   uint64_t va)
{
	/* GLOBAL does not reach LDS or scratch (rule 376). */
	if (in_aperture(va, q->ap.shared_hi) || in_aperture(va, q->ap.private_hi))
		bw_span_violation(s, lane, va, q->access);
	else
		bw_span_locate_va(s, q, lane, va);
}

/* Locates active lanes that are consecutive or all at the same place, in a page or a known range,
 * with one translation. */
static bool locate_together(struct bw_span *s, const struct bw_mem_request *q, unsigned h,
			    const uint32_t *lo, const uint32_t *hi, uint64_t base)
{
	struct bw_wave *w = q->w;
	unsigned size_b = q->size_b;
	enum bw_access access = q->access;
	struct bw_span_half *half = &s->half[h];
	uint32_t exec = half->exec;
	unsigned first = (unsigned)__builtin_ctz(exec), last = 31 - (unsigned)__builtin_clz(exec);
	uint32_t step = bw_lanes_step(lo, exec, size_b);
	struct bw_vm_fault fault;

	if (step == UINT32_MAX || (uint64_t)lo[first] + (last - first) * step > UINT32_MAX)
		return false;
	if (hi && !bw_lanes_are(hi, hi[first], 0, exec))
		return false;
	uint64_t from = base + lo[first] + (hi ? bw_join32(hi[first], 0) : 0);
	uint64_t to = from + (last - first) * step + size_b - 1;
	bool one_page = from / BW_PAGE_B == to / BW_PAGE_B;
	if (bw_canonical(from) != from || from % s->align_b || in_aperture(from, q->ap.shared_hi) ||
	    in_aperture(from, q->ap.private_hi))
		return false;
	uint8_t *host = one_page ? bw_tlb_lookup(w->tlb, from, access, &fault)
				 : bw_tlb_search_range(w->tlb, from, to - from + 1, access);
	if (!host) {
		if (!one_page || fault.watched)
			return false; /* each lane by itself */
		bw_span_refuse_half(s, w, h, &fault);
		return true;
	}
	half->at[0] = host - first * step;
	if (!step && first != last) {
		half->kind = BW_SPAN_SAME;
	} else {
		uint64_t in_page = from % BW_PAGE_B;
		bool all = in_page >= first * size_b &&
			   in_page + (BW_LANES - first) * size_b <= BW_PAGE_B;
		half->kind = all ? BW_SPAN_RUN : BW_SPAN_PART;
	}
	return true;
}

/* Whether all addresses in the 4 GiB from base on are translated by page tables only. */
static bool plain_4g(uint64_t base, struct bw_apertures ap)
{
	uint64_t end = base + UINT32_MAX;
	return bw_canonical(base) == base && bw_canonical(end) == end && end > base &&
	       !in_aperture(base, ap.shared_hi) && !in_aperture(base, ap.private_hi) &&
	       !in_aperture(end, ap.shared_hi) && !in_aperture(end, ap.private_hi);
}

/* Locates all active lanes in a known range. base is added to lo. */
static bool locate_index(struct bw_span *s, const struct bw_mem_request *q, unsigned h,
			 const uint32_t *lo, uint64_t base)
{
	struct bw_span_half *half = &s->half[h];
	uint32_t *index = &s->index[h * BW_LANES], min, max;
	if (!s->may_index)
		return false;
	bw_lanes_gather(lo, half->exec, index, &min, &max);
	if (max - min > INT32_MAX - BW_MEM_MAX_B)
		return false;
	uint8_t *host = bw_tlb_search_range(q->w->tlb, base + min,
					    (uint64_t)(max - min) + q->size_b, q->access);
	if (!host)
		return false;
	for (unsigned i = 0; i < BW_LANES; i++)
		index[i] -= min;
	half->at[0] = host;
	half->kind = BW_SPAN_INDEX;
	return true;
}

static void locate_apart(struct bw_span *s, const struct bw_mem_request *q, unsigned h,
			 const uint32_t *lo, const uint32_t *hi, uint64_t base)
{
	struct bw_wave *w = q->w;
	unsigned size_b = q->size_b;
	enum bw_access access = q->access;
	uint32_t exec = s->half[h].exec, hi_first = hi ? hi[__builtin_ctz(exec)] : 0;
	bool plain = !hi || bw_lanes_are(hi, hi_first, 0, exec);
	uint64_t bad_page = UINT64_MAX;
	struct bw_vm_fault fault;
	unsigned i;

	base += bw_join32(hi_first, 0);
	plain = plain && plain_4g(base, q->ap);
	if (plain && locate_index(s, q, h, lo, base))
		return;
	s->half[h].kind = BW_SPAN_SCATTER;
	BW_EACH_LANE(exec, i) {
		unsigned lane = h * BW_LANES + i;
		uint64_t va = base + lo[i] + (hi ? bw_join32(hi[i] - hi_first, 0) : 0);
		if (!plain || va % BW_PAGE_B > BW_PAGE_B - size_b || va & (s->align_b - 1)) {
			bw_span_locate_global(s, q, lane, va);
			continue;
		}
		/* One report for each bad page is enough. */
		uint8_t *host = va / BW_PAGE_B == bad_page
					? NULL
					: bw_tlb_lookup(w->tlb, va, access, &fault);
		if (__builtin_expect(!host, 0)) {
			if (!fault.watched)
				bad_page = va / BW_PAGE_B;
			fault.va = va;
			host = refused(s, w, lane, &fault, 0, size_b);
		}
		s->lane[lane] = host;
	}
}

void bw_span_locate_half(struct bw_span *s, const struct bw_mem_request *q, unsigned h,
			 const uint32_t *lo, const uint32_t *hi, uint64_t base)
{
	if (BW_MEM_IS_CHECKED)
		bw_check_addresses(
			q->w, &(struct bw_addresses){h, s->half[h].exec, lo, hi, base, q->size_b});
	if (!locate_together(s, q, h, lo, hi, base))
		locate_apart(s, q, h, lo, hi, base);
}

enum bw_mem_result bw_span_check(const struct bw_span *s, struct bw_wave *w)
{
	if (__builtin_expect(!s->fault_lanes, 1))
		return BW_MEM_OK;
	w->fault = s->fault;
	w->fault_lanes = s->fault_lanes;
	return s->page_fault ? BW_MEM_FAULT_PAGE : BW_MEM_FAULT_APERTURE;
}
