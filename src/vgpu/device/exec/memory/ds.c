/* SPDX-License-Identifier: MIT */
/* LDS. A workgroup's LDS is touched by the one thread that runs its WGP, so nothing here needs host
 * atomics; accesses beyond the allocation read 0 and write nothing, and only misaligned atomics
 * fault (rules 395 to 401, alignment mode "unaligned" as amdgpu sets it). */
#include "base/util.h"
#include "base/words.h"
#include "vgpu/device/exec/memory/lds_quick.h"
#include "vgpu/device/exec/memory/move.h"
#include "vgpu/device/exec/memory/rmw.h"

/* The addresses of one half, as far as they do not depend on the offset: two-address instructions
 * look at them once. */
struct lds_half {
	const uint32_t *v;
	uint32_t exec;
	uint32_t step; /* see bw_lanes_step */
	/* where step is UINT32_MAX; then the span's index[] is filled as well */
	uint32_t max;
	const uint32_t *index;
};

static inline void look_at(struct lds_half *l, struct bw_span *s, struct bw_wave *w, unsigned h,
			   const uint32_t *v, unsigned size_b)
{
	uint32_t min;
	l->index = &s->index[h * BW_LANES];
	l->v = v;
	l->exec = bw_wave_half_exec(w, h);
	if (!l->exec)
		return;
	l->step = bw_lanes_step(v, l->exec, size_b);
	if (l->step == UINT32_MAX)
		bw_lanes_gather(v, l->exec, &s->index[h * BW_LANES], &min, &l->max);
}

/* Locates the elements at v + offset. Addresses are 32 bits wide and wrap. */
static void locate_lds(struct bw_span *s, struct bw_wave *w, unsigned h, const struct lds_half *l,
		       uint32_t offset, unsigned size_b)
{
	struct bw_span_half *half = &s->half[h];
	uint32_t exec = half->exec = l->exec, lds_b = w->wg->lds_size_b;
	unsigned i;
	if (!exec)
		return;

	unsigned first = (unsigned)__builtin_ctz(exec), last = 31 - (unsigned)__builtin_clz(exec);
	uint32_t from = l->v[first] + offset, step = l->step;
	if (step != UINT32_MAX && from % s->align_b == 0 &&
	    (uint64_t)from + (uint64_t)(last - first) * step + size_b <= lds_b) {
		half->at[0] = w->wg->lds + from - first * step;
		if (!step && first != last)
			half->kind = BW_SPAN_SAME;
		else if (from >= first * size_b && from + (BW_LANES - first) * size_b <= lds_b)
			half->kind = BW_SPAN_RUN;
		else
			half->kind = BW_SPAN_PART;
		return;
	}
	/* Anywhere, but all inside. */
	if (step == UINT32_MAX && s->align_b == 1 && (uint64_t)l->max + offset + size_b <= lds_b) {
		uint32_t *index = &s->index[h * BW_LANES];
		if (index != l->index)
			memcpy(index, l->index, sizeof(*index) * BW_LANES);
		half->at[0] = w->wg->lds + offset;
		half->kind = BW_SPAN_INDEX;
		return;
	}
	half->kind = BW_SPAN_SCATTER;
	BW_EACH_LANE(exec, i) {
		uint32_t at = l->v[i] + offset;
		if (__builtin_expect(at < lds_b && size_b <= lds_b - at && !(at & (s->align_b - 1)),
				     1))
			s->lane[h * BW_LANES + i] = w->wg->lds + at;
		else
			bw_span_locate_lds(s, w, h * BW_LANES + i, at, size_b);
	}
}

static void locate(struct bw_span *s, struct bw_wave *w, const struct bw_mem_prep *p,
		   uint32_t offset, unsigned size_b, unsigned align_b)
{
	struct lds_half l;
	bw_span_begin(s, align_b);
	bw_span_align(s, w, size_b);
	for (unsigned h = 0; h < w->lanes / BW_LANES; h++) {
		look_at(&l, s, w, h, bw_wave_vgpr(w, p->addr[0]) + h * BW_LANES, size_b);
		locate_lds(s, w, h, &l, offset, size_b);
	}
}

/* The places of a two-address instruction. */
static void locate2(struct bw_span *a, struct bw_span *b, struct bw_wave *w,
		    const struct bw_mem_prep *p, unsigned size_b)
{
	struct lds_half l;
	bw_span_begin(a, 1);
	bw_span_begin(b, 1);
	bw_span_align(a, w, size_b);
	bw_span_align(b, w, size_b);
	for (unsigned h = 0; h < w->lanes / BW_LANES; h++) {
		look_at(&l, a, w, h, bw_wave_vgpr(w, p->addr[0]) + h * BW_LANES, size_b);
		locate_lds(a, w, h, &l, p->step[0], size_b);
		locate_lds(b, w, h, &l, p->step[1], size_b);
	}
}

/* offset + M0[15:0] + 4 x lane, no VGPR (rule 403). */
static void locate_addtid(struct bw_span *s, struct bw_wave *w, const struct bw_mem_prep *p)
{
	uint32_t v[BW_LANES];
	struct lds_half l;
	bw_span_begin(s, 1);
	for (unsigned h = 0; h < w->lanes / BW_LANES; h++) {
		for (unsigned i = 0; i < BW_LANES; i++)
			v[i] = 4 * (h * BW_LANES + i) + (w->s[BW_SRC_M0] & 0xffff);
		look_at(&l, s, w, h, v, 4);
		locate_lds(s, w, h, &l, (uint32_t)p->imm, 4);
	}
}

BW_ALWAYS_INLINE enum bw_mem_result ds_load(struct bw_wave *w, const struct bw_rec *rec,
					    enum bw_elem e)
{
	const struct bw_mem_prep *p = bw_mem_prep(rec);
	struct bw_span s;
	if (p->is_nop || (e == ELEM_B32 && bw_lds_load_dwords(w, p->addr[0], p->dst, p->step, 1)))
		return BW_MEM_OK;
	locate(&s, w, p, (uint32_t)p->imm, bw_elem_size_b(e), 1);
	if (__builtin_expect(s.fault_lanes != 0, 0))
		return bw_span_check(&s, w);
	bw_span_load(&s, w, p->dst, e);
	return BW_MEM_OK;
}

BW_ALWAYS_INLINE enum bw_mem_result ds_store(struct bw_wave *w, const struct bw_rec *rec,
					     enum bw_elem e)
{
	const struct bw_mem_prep *p = bw_mem_prep(rec);
	struct bw_span s;
	if (p->is_nop)
		return BW_MEM_OK;
	locate(&s, w, p, (uint32_t)p->imm, bw_elem_size_b(e), 1);
	if (__builtin_expect(s.fault_lanes != 0, 0))
		return bw_span_check(&s, w);
	bw_span_store(&s, w, p->data, e);
	return BW_MEM_OK;
}

/* Both addresses are located before anything is written, because the address register may be one of
 * the destinations (rule 397). */
BW_ALWAYS_INLINE enum bw_mem_result ds_load2(struct bw_wave *w, const struct bw_rec *rec,
					     enum bw_elem e)
{
	const struct bw_mem_prep *p = bw_mem_prep(rec);
	struct bw_span a, b;
	if (p->is_nop || (e == ELEM_B32 && bw_lds_load_dwords(w, p->addr[0], p->dst, p->step, 2)))
		return BW_MEM_OK;
	locate2(&a, &b, w, p, bw_elem_size_b(e));
	if (__builtin_expect((a.fault_lanes | b.fault_lanes) != 0, 0))
		return bw_span_check(a.fault_lanes ? &a : &b, w);
	bw_span_load(&a, w, p->dst, e);
	bw_span_load(&b, w, p->dst + bw_elem_n_dw(e), e);
	return BW_MEM_OK;
}

BW_ALWAYS_INLINE enum bw_mem_result ds_store2(struct bw_wave *w, const struct bw_rec *rec,
					      enum bw_elem e)
{
	const struct bw_mem_prep *p = bw_mem_prep(rec);
	struct bw_span a, b;
	if (p->is_nop)
		return BW_MEM_OK;
	locate2(&a, &b, w, p, bw_elem_size_b(e));
	if (__builtin_expect((a.fault_lanes | b.fault_lanes) != 0, 0))
		return bw_span_check(a.fault_lanes ? &a : &b, w);
	bw_span_store(&a, w, p->data, e);
	bw_span_store(&b, w, p->data2, e);
	return BW_MEM_OK;
}

static enum bw_mem_result ds_load_addtid(struct bw_exec *x, struct bw_wave *w,
					 const struct bw_rec *rec)
{
	const struct bw_mem_prep *p = bw_mem_prep(rec);
	struct bw_span s;
	if (p->is_nop)
		return BW_MEM_OK;
	locate_addtid(&s, w, p);
	bw_span_load(&s, w, p->dst, ELEM_B32);
	return BW_MEM_OK;
}

static enum bw_mem_result ds_store_addtid(struct bw_exec *x, struct bw_wave *w,
					  const struct bw_rec *rec)
{
	const struct bw_mem_prep *p = bw_mem_prep(rec);
	struct bw_span s;
	if (p->is_nop)
		return BW_MEM_OK;
	locate_addtid(&s, w, p);
	bw_span_store(&s, w, p->data, ELEM_B32);
	return BW_MEM_OK;
}

/* The place of one lane's atomic; beyond the allocation, `outside`, which reads 0. */
static uint8_t *atomic_at(struct bw_wave *w, unsigned lane, uint32_t at, unsigned size_b,
			  uint8_t *outside)
{
	if (at < w->wg->lds_size_b && size_b <= w->wg->lds_size_b - at)
		return w->wg->lds + at;
	bw_mem_outside(w, &(struct bw_outside){.of = BW_OUTSIDE_LDS,
					       .lane = (uint8_t)lane,
					       .size_b = size_b,
					       .limit = w->wg->lds_size_b,
					       .at = at});
	memset(outside, 0, size_b);
	return outside;
}

static inline uint64_t lds_get(const uint8_t *at, unsigned size_b)
{
	uint64_t v = 0;
	if (size_b == 4)
		memcpy(&v, at, 4);
	else
		memcpy(&v, at, 8);
	return v;
}

static inline void lds_put(uint8_t *at, uint64_t v, unsigned size_b)
{
	if (size_b == 4)
		memcpy(at, &v, 4);
	else
		memcpy(at, &v, 8);
}

/* A misaligned lane anywhere stops the instruction before it has done anything (rule 401). */
static enum bw_mem_result check_aligned(struct bw_wave *w, const struct bw_mem_prep *p,
					uint32_t offset, unsigned size_b)
{
	const uint32_t *addr = bw_wave_vgpr(w, p->addr[0]);
	uint64_t misaligned = 0;
	unsigned lane;
	BW_EACH_LANE(bw_wave_exec(w), lane)
		if ((addr[lane] + offset) % size_b)
			misaligned |= 1ull << lane;
	if (!misaligned)
		return BW_MEM_OK;
	w->fault = (struct bw_vm_fault){.va = addr[__builtin_ctzll(misaligned)] + offset,
					.access = BW_ACCESS_ATOMIC};
	w->fault_lanes = misaligned;
	return BW_MEM_FAULT_APERTURE;
}

static enum bw_mem_result ds_atomic(struct bw_wave *w, const struct bw_rec *rec,
				    const struct bw_rmw *op)
{
	const struct bw_mem_prep *p = bw_mem_prep(rec);
	const uint32_t *addr = bw_wave_vgpr(w, p->addr[0]);
	uint32_t denorm = bw_rmw_lds_denorm(w->mode, op->size_b);
	uint32_t mask = op == &bw_rmw_condxchg32_b64 ? 0xfff8 : UINT32_MAX; /* rule 410 */
	unsigned lane;
	if (p->is_nop)
		return BW_MEM_OK;
	if (mask == UINT32_MAX) {
		enum bw_mem_result result = check_aligned(w, p, (uint32_t)p->imm, op->size_b);
		if (result != BW_MEM_OK)
			return result;
	}
	uint32_t fp = op->kind == BW_RMW_FADD ? bw_fp_plain_begin() : 0;
	BW_EACH_LANE(bw_wave_exec(w), lane) {
		uint8_t outside[8];
		uint8_t *at = atomic_at(w, lane, (addr[lane] + (uint32_t)p->imm) & mask, op->size_b,
					outside);
		bw_lds_touch(w, lane, at, outside, op->size_b);
		uint64_t old = lds_get(at, op->size_b);
		lds_put(at,
			op->plain(old, bw_lane_get(w, p->data, lane, op->size_b),
				  bw_lane_get(w, p->data2, lane, op->size_b), denorm),
			op->size_b);
		if (p->has_return)
			bw_lane_set(w, p->dst, lane, old, op->size_b);
	}
	if (op->kind == BW_RMW_FADD)
		bw_fp_plain_end(fp);
	return BW_MEM_OK;
}

/* Two exchanges, each for itself (rule 406). */
static enum bw_mem_result ds_xchg2(struct bw_wave *w, const struct bw_rec *rec, unsigned size_b)
{
	const struct bw_mem_prep *p = bw_mem_prep(rec);
	const uint16_t *data[2] = {p->data, p->data2};
	unsigned lane;
	if (p->is_nop)
		return BW_MEM_OK;
	for (unsigned i = 0; i < 2; i++) {
		enum bw_mem_result result = check_aligned(w, p, p->step[i], size_b);
		if (result != BW_MEM_OK)
			return result;
	}
	BW_EACH_LANE(bw_wave_exec(w), lane) {
		uint32_t addr = bw_wave_vgpr(w, p->addr[0])[lane];
		uint64_t old[2];
		for (unsigned i = 0; i < 2; i++) {
			uint8_t outside[8];
			uint8_t *at = atomic_at(w, lane, addr + p->step[i], size_b, outside);
			bw_lds_touch(w, lane, at, outside, size_b);
			old[i] = lds_get(at, size_b);
			lds_put(at, bw_lane_get(w, data[i], lane, size_b), size_b);
		}
		bw_lane_set(w, p->dst, lane, old[0], size_b);
		bw_lane_set(w, p->dst + size_b / 4, lane, old[1], size_b);
	}
	return BW_MEM_OK;
}

/* Adds the number of active lanes at M0 base + offset, or subtracts it; all of them get the old
 * value (rule 404). */
static enum bw_mem_result append(struct bw_wave *w, const struct bw_rec *rec, bool consume)
{
	const struct bw_mem_prep *p = bw_mem_prep(rec);
	uint64_t exec = bw_wave_exec(w);
	uint32_t at = (w->s[BW_SRC_M0] & 0xffff) + (uint32_t)p->imm;
	uint32_t n = (uint32_t)__builtin_popcountll(exec), old, new;
	uint8_t outside[4];
	unsigned lane;

	if (p->is_nop || !exec)
		return BW_MEM_OK;
	if (at % 4) {
		w->fault = (struct bw_vm_fault){.va = at, .access = BW_ACCESS_ATOMIC};
		w->fault_lanes = exec;
		return BW_MEM_FAULT_APERTURE;
	}
	uint8_t *host = atomic_at(w, (unsigned)__builtin_ctzll(exec), at, 4, outside);
	bw_lds_touch(w, (unsigned)__builtin_ctzll(exec), host, outside, 4);
	memcpy(&old, host, 4);
	new = consume ? old - n : old + n;
	memcpy(host, &new, 4);
	BW_EACH_LANE(exec, lane)
		bw_wave_vgpr(w, p->dst)[lane] = old;
	return BW_MEM_OK;
}

static enum bw_mem_result do_append(struct bw_exec *x, struct bw_wave *w, const struct bw_rec *rec)
{
	return append(w, rec, false);
}

static enum bw_mem_result do_consume(struct bw_exec *x, struct bw_wave *w, const struct bw_rec *rec)
{
	return append(w, rec, true);
}

/* Lane permutations work inside 32 lanes; in wave64 each half is one of its own, which is what
 * compilers that permute a whole wave64 build upon [I from Mesa's and LLVM's lowering]. */
static void write_lanes(struct bw_wave *w, unsigned dst, unsigned h, const uint32_t *value)
{
	uint32_t *out = bw_wave_vgpr(w, dst) + h * BW_LANES;
	unsigned i;
	BW_EACH_LANE(bw_wave_half_exec(w, h), i)
		out[i] = value[i];
}

/* Push: the highest sender to a lane wins, lanes that get nothing become 0 (rule 253). */
static enum bw_mem_result do_permute(struct bw_exec *x, struct bw_wave *w, const struct bw_rec *rec)
{
	const struct bw_mem_prep *p = bw_mem_prep(rec);
	unsigned i;
	if (p->is_nop)
		return BW_MEM_OK;
	for (unsigned h = 0; h < w->lanes / BW_LANES; h++) {
		const uint32_t *addr = bw_wave_vgpr(w, p->addr[0]) + h * BW_LANES;
		const uint32_t *data = bw_wave_vgpr(w, p->data[0]) + h * BW_LANES;
		uint32_t out[BW_LANES] = {0};
		BW_EACH_LANE(bw_wave_half_exec(w, h), i)
			out[(addr[i] + (uint32_t)p->imm) / 4 % BW_LANES] = data[i];
		write_lanes(w, p->dst, h, out);
	}
	return BW_MEM_OK;
}

/* Pull: an inactive source lane gives 0 (rules 24, 254). */
static enum bw_mem_result do_bpermute(struct bw_exec *x, struct bw_wave *w,
				      const struct bw_rec *rec)
{
	const struct bw_mem_prep *p = bw_mem_prep(rec);
	if (p->is_nop)
		return BW_MEM_OK;
	for (unsigned h = 0; h < w->lanes / BW_LANES; h++) {
		const uint32_t *addr = bw_wave_vgpr(w, p->addr[0]) + h * BW_LANES;
		const uint32_t *data = bw_wave_vgpr(w, p->data[0]) + h * BW_LANES;
		uint32_t exec = bw_wave_half_exec(w, h), out[BW_LANES];
		for (unsigned i = 0; i < BW_LANES; i++) {
			unsigned from = (addr[i] + (uint32_t)p->imm) / 4 % BW_LANES;
			out[i] = exec >> from & 1 ? data[from] : 0;
		}
		write_lanes(w, p->dst, h, out);
	}
	return BW_MEM_OK;
}

/* gfx942: across the whole wave. */
static void write_wave(struct bw_wave *w, unsigned dst, const uint32_t *value)
{
	for (unsigned h = 0; h < w->lanes / BW_LANES; h++)
		write_lanes(w, dst, h, value + h * BW_LANES);
}

static enum bw_mem_result do_permute64(struct bw_exec *x, struct bw_wave *w,
				       const struct bw_rec *rec)
{
	const struct bw_mem_prep *p = bw_mem_prep(rec);
	const uint32_t *addr = bw_wave_vgpr(w, p->addr[0]), *data = bw_wave_vgpr(w, p->data[0]);
	uint32_t out[2 * BW_LANES] = {0};
	unsigned i;
	if (p->is_nop)
		return BW_MEM_OK;
	BW_EACH_LANE(bw_wave_exec(w), i)
		out[(addr[i] + (uint32_t)p->imm) / 4 % w->lanes] = data[i];
	write_wave(w, p->dst, out);
	return BW_MEM_OK;
}

static enum bw_mem_result do_bpermute64(struct bw_exec *x, struct bw_wave *w,
					const struct bw_rec *rec)
{
	const struct bw_mem_prep *p = bw_mem_prep(rec);
	const uint32_t *addr = bw_wave_vgpr(w, p->addr[0]), *data = bw_wave_vgpr(w, p->data[0]);
	uint64_t exec = bw_wave_exec(w);
	uint32_t out[2 * BW_LANES];
	if (p->is_nop)
		return BW_MEM_OK;
	for (unsigned i = 0; i < w->lanes; i++) {
		unsigned from = (addr[i] + (uint32_t)p->imm) / 4 % w->lanes;
		out[i] = exec >> from & 1 ? data[from] : 0;
	}
	write_wave(w, p->dst, out);
	return BW_MEM_OK;
}

static unsigned reverse5(unsigned v)
{
	return (v & 1) << 4 | (v & 2) << 2 | (v & 4) | (v & 8) >> 2 | (v & 16) >> 4;
}

/* Fields of a swizzle pattern, by its form. */
#define SWIZZLE_AND 0, 5 /* of rotations: the bits that stay */
#define SWIZZLE_OR 5, 5
#define SWIZZLE_XOR 10, 5
#define SWIZZLE_ROTATE_BY 5, 5
#define SWIZZLE_ROTATE_DOWN 10, 1
#define SWIZZLE_QUAD(lane) 2 * (lane), 2

/* The source lane of a swizzle pattern, both in 0..31 (rule 255). */
static unsigned swizzle_source(unsigned pattern, unsigned i)
{
	const uint32_t p = pattern;
	unsigned low = (unsigned)bw_words_get(&p, SWIZZLE_AND);
	if (pattern >= 0xe000) /* FFT: bit-reversed, the masked bits stay */
		return (reverse5(i) >> __builtin_popcount(low)) | (i & low);
	if (pattern >= 0xc000) { /* rotate; the bits of the mask stay */
		unsigned n = (unsigned)bw_words_get(&p, SWIZZLE_ROTATE_BY);
		unsigned to = bw_words_get(&p, SWIZZLE_ROTATE_DOWN) ? i - n : i + n;
		return ((i & low) | (to & ~low)) & 31;
	}
	if (pattern & 0x8000) /* quads */
		return (i & ~3u) | (unsigned)bw_words_get(&p, SWIZZLE_QUAD(i & 3));
	return ((i & low) | (unsigned)bw_words_get(&p, SWIZZLE_OR)) ^
	       (unsigned)bw_words_get(&p, SWIZZLE_XOR);
}

static enum bw_mem_result do_swizzle(struct bw_exec *x, struct bw_wave *w, const struct bw_rec *rec)
{
	const struct bw_mem_prep *p = bw_mem_prep(rec);
	if (p->is_nop)
		return BW_MEM_OK;
	for (unsigned h = 0; h < w->lanes / BW_LANES; h++) {
		const uint32_t *data = bw_wave_vgpr(w, p->addr[0]) + h * BW_LANES;
		uint32_t exec = bw_wave_half_exec(w, h), out[BW_LANES];
		for (unsigned i = 0; i < BW_LANES; i++) {
			unsigned from = swizzle_source((unsigned)p->imm & 0xffff, i);
			out[i] = exec >> from & 1 ? data[from] : 0;
		}
		write_lanes(w, p->dst, h, out);
	}
	return BW_MEM_OK;
}

/* n_load: dwords that come back; n_store: of one data operand; step_b: of the two-address
 * offsets. */
static bool prepare(struct bw_rec *rec, const struct bw_rec_ctx *ctx, unsigned n_load,
		    unsigned n_store, unsigned n_operands, unsigned step_b)
{
	const struct bw_inst *in = rec->inst;
	struct bw_mem_prep *p = bw_mem_prep_begin(rec, ctx);
	if (in->gds)
		return false;
	p->has_return = n_load != 0;
	if (step_b) {
		p->step[0] = in->offset0 * step_b;
		p->step[1] = in->offset1 * step_b;
	} else {
		p->imm &= 0xffff;
	}
	bw_mem_prep_src(p->addr, in->vaddr, 1, ctx);
	bw_mem_prep_src(p->data, in->vdata, n_store, ctx);
	if (n_operands == 2)
		bw_mem_prep_src(p->data2, in->vdata2, n_store, ctx);
	if (n_load)
		bw_mem_prep_dst(p, n_load, ctx);
	return true;
}

#define ROW(name, call, ...)                                                                       \
	static enum bw_mem_result row_##name(struct bw_exec *x, struct bw_wave *w,                 \
					     const struct bw_rec *rec)                             \
	{                                                                                          \
		return call;                                                                       \
	}                                                                                          \
	static bool prepare_##name(struct bw_rec *rec, const struct bw_rec_ctx *ctx)               \
	{                                                                                          \
		return prepare(rec, ctx, __VA_ARGS__);                                             \
	}
#define DW(elem) bw_elem_n_dw(ELEM_##elem)
#define LOAD(name, elem) ROW(name, ds_load(w, rec, ELEM_##elem), DW(elem), 0, 0, 0)
#define LOAD2(name, elem, step)                                                                    \
	ROW(name, ds_load2(w, rec, ELEM_##elem), 2 * DW(elem), 0, 0, step * 4 * DW(elem))
#define STORE(name, elem) ROW(name, ds_store(w, rec, ELEM_##elem), 0, DW(elem), 1, 0)
#define STORE2(name, elem, step)                                                                   \
	ROW(name, ds_store2(w, rec, ELEM_##elem), 0, DW(elem), 2, step * 4 * DW(elem))
#define LOAD_ADDTID(name) ROW(name, ds_load_addtid(x, w, rec), 1, 0, 0, 0)
#define STORE_ADDTID(name) ROW(name, ds_store_addtid(x, w, rec), 0, 1, 1, 0)
#define ATOMIC(name, rmw, n_operands, returns)                                                     \
	ROW(name, ds_atomic(w, rec, &bw_rmw_##rmw), returns ? bw_rmw_##rmw.size_b / 4 : 0,         \
	    bw_rmw_##rmw.size_b / 4, n_operands, 0)
#define XCHG2(name, rmw, step)                                                                     \
	ROW(name, ds_xchg2(w, rec, bw_rmw_##rmw.size_b), bw_rmw_##rmw.size_b / 2,                  \
	    bw_rmw_##rmw.size_b / 4, 2, step * bw_rmw_##rmw.size_b)
#define WAVE(name, fn, n_store, n_load) ROW(name, fn(x, w, rec), n_load, n_store, 1, 0)
#define NOTHING(name)
#include "vgpu/device/exec/sem/ds.def"
#undef LOAD
#undef LOAD2
#undef STORE
#undef STORE2
#undef LOAD_ADDTID
#undef STORE_ADDTID
#undef ATOMIC
#undef XCHG2
#undef WAVE
#undef NOTHING

#define LOAD(name, ...) {#name, row_##name, prepare_##name},
#define LOAD2 LOAD
#define STORE LOAD
#define STORE2 LOAD
#define LOAD_ADDTID LOAD
#define STORE_ADDTID LOAD
#define ATOMIC LOAD
#define XCHG2 LOAD
#define WAVE LOAD
#define NOTHING(name) {#name, bw_mem_nothing, NULL},
static const struct bw_mem_row rows[] = {
#include "vgpu/device/exec/sem/ds.def"
};

const struct bw_mem_table bw_mem_ds = {rows, BW_ARRAY_SIZE(rows)};
