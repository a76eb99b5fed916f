/* SPDX-License-Identifier: MIT */
#include "vgpu/device/exec/memory/atomic.h"

#include "vgpu/device/exec/memory/checked.h"

/* One lane's element for an atomic; NULL when it is in pieces (a 64-bit one in private memory). */
static inline uint8_t *atomic_at(const struct bw_span *s, unsigned h, unsigned i, unsigned size_b)
{
	const struct bw_span_half *half = &s->half[h];
	if (half->kind == BW_SPAN_SAME)
		return half->at[0];
	if (half->kind == BW_SPAN_RUN || half->kind == BW_SPAN_PART)
		return half->at[0] + i * size_b;
	return s->split >> (h * BW_LANES + i) & 1 ? NULL : s->lane[h * BW_LANES + i];
}

/* The denormals that an atomic flushes; a FLAT atomic on LDS follows the rules of LDS. */
static uint32_t denorm_of(const struct bw_wave *w, const struct bw_mem_prep *p,
			  const struct bw_rmw *op, const uint8_t *host)
{
	const struct bw_workgroup *wg = w->wg;
	if (op->kind == BW_RMW_INT)
		return 0;
	bool in_lds = wg->lds && host >= wg->lds && host < wg->lds + wg->lds_size_b;
	return in_lds ? bw_rmw_lds_denorm(w->mode, op->size_b)
		      : bw_rmw_memory_denorm(op, p->denormals);
}

static uint64_t atomic_lane(const struct bw_span *s, const struct bw_wave *w,
			    const struct bw_mem_prep *p, const struct bw_rmw *op, unsigned lane)
{
	uint64_t data = bw_lane_get(w, p->data, lane, op->size_b);
	uint64_t data2 = bw_lane_get(w, p->data2, lane, op->size_b);
	uint8_t *at = atomic_at(s, lane / BW_LANES, lane % BW_LANES, op->size_b);
	if (at)
		return op->shared(at, data, data2, denorm_of(w, p, op, at));
	uint64_t old = 0;
	bw_span_get(s, lane, &old, op->size_b);
	uint64_t new = op->plain(old, data, data2, bw_rmw_memory_denorm(op, p->denormals));
	bw_span_put(s, lane, &new, op->size_b);
	return old;
}

void bw_span_atomic(const struct bw_span *s, struct bw_wave *w, const struct bw_mem_prep *p,
		    const struct bw_rmw *op)
{
	unsigned i;
	if (BW_MEM_IS_CHECKED)
		bw_span_touch(s, w, BW_TOUCH_ATOMIC, NULL, op->size_b);
	uint32_t fp = op->kind == BW_RMW_FADD ? bw_fp_plain_begin() : 0;
	for (unsigned h = 0; h < w->lanes / BW_LANES; h++) {
		BW_EACH_LANE(s->half[h].exec, i) {
			unsigned lane = h * BW_LANES + i;
			uint64_t old = atomic_lane(s, w, p, op, lane);
			if (p->has_return)
				bw_lane_set(w, p->dst, lane, old, op->size_b);
		}
	}
	if (op->kind == BW_RMW_FADD)
		bw_fp_plain_end(fp);
}
