/* SPDX-License-Identifier: MIT */
#ifndef BW_VGPU_EXEC_MEM_SPAN_H
#define BW_VGPU_EXEC_MEM_SPAN_H

/* Vector memory in two steps. First every active lane's element is located: translated to where its
 * bytes lie on the host. Only when that went well for all of them is anything moved, so that a
 * faulting instruction has changed neither registers nor memory and can be executed again. A span
 * is the result of the first step; it lives on the stack for one instruction and is not initialised
 * as a whole, because it is large and its common forms need a few words of it. */

#include "regs/field.h"
#include "vgpu/device/exec/core/apertures.h"
#include "vgpu/device/exec/core/lane_bit.h"
#include "vgpu/device/exec/memory/memory.h"

enum {
	BW_MEM_MAX_B = 16,     /* of one element */
	BW_MEM_MAX_PIECES = 5, /* of one element: misaligned b128 in scratch touches 5 dwords */
};

enum bw_span_kind {
	BW_SPAN_NONE, /* no active lane */
	BW_SPAN_RUN,  /* element of lane i at at[0] + i * size; all 32 may be read */
	BW_SPAN_PART, /* the same, but inactive lanes may lie outside of what is mapped */
	BW_SPAN_SAME, /* all active lanes at at[0] */
	BW_SPAN_ROWS, /* dword k of lane i at at[k] + i * 4 */
	/* lane i at at[0] + index[i], which inactive lanes may read as well; only where
	 * bw_span.may_index says that the caller knows it */
	BW_SPAN_INDEX,
	BW_SPAN_SCATTER, /* each lane for itself: lane[], piece[] */
};

struct bw_span_piece {
	uint8_t *host;
	uint8_t offset_b, size_b; /* within the element */
};

struct bw_span_half {
	enum bw_span_kind kind;
	uint32_t exec;
	uint8_t *at[4];
};

struct bw_span {
	struct bw_span_half half[2];
	bool may_index;
	/* that addresses must have: 1, or the element's size for atomics */
	unsigned align_b;
	bool round_down; /* or are given */
	uint64_t split;	 /* lanes that need piece[] */
	uint64_t fault_lanes;
#ifdef BW_MEM_CHECK
	uint64_t private_lanes; /* elements in private memory */
#endif
	struct bw_vm_fault fault; /* of the first faulting lane */
	bool page_fault;	  /* else an aperture or alignment violation */
	uint32_t index[64];	  /* BW_SPAN_INDEX; less than 2^31 */
	uint8_t *lane[64];	  /* whole element in one place */
	uint8_t n_pieces[64];
	struct bw_span_piece piece[64][BW_MEM_MAX_PIECES];
	/* The target of accesses that have no effect; it reads as zeros: partially resident pages,
	 * LDS beyond the allocation, buffers beyond their range. */
	uint8_t sink[64][BW_MEM_MAX_B] __attribute__((aligned(16)));
};

/* An instruction's memory request: the part that is equal for all of its lanes. */
struct bw_mem_request {
	struct bw_wave *w;
	struct bw_apertures ap;
	unsigned size_b; /* of a lane's element */
	enum bw_access access;
};

static inline struct bw_mem_request bw_mem_request_of(const struct bw_exec *x, struct bw_wave *w,
						      unsigned size_b, enum bw_access access)
{
	return (struct bw_mem_request){w, bw_apertures_of(x), size_b, access};
}

static inline void bw_span_begin(struct bw_span *s, unsigned align_b)
{
	s->align_b = align_b;
	s->round_down = false;
	s->may_index = false;
	s->half[0].kind = s->half[1].kind = BW_SPAN_NONE;
	s->split = 0;
	s->fault_lanes = 0;
#ifdef BW_MEM_CHECK
	s->private_lanes = 0;
#endif
}

void bw_span_set_align(struct bw_span *s, const struct bw_wave *w, unsigned size_b);
/* Sets the alignment that the wave's mode requires of elements of size_b bytes. Call it after
 * bw_span_begin and may_index. */
static inline void bw_span_align(struct bw_span *s, const struct bw_wave *w, unsigned size_b)
{
	if (__builtin_expect(w->align_mode != BW_ALIGN_NONE, 0))
		bw_span_set_align(s, w, size_b);
}

/* Each locates the element of one lane and records a fault, or where the element is. */
void bw_span_locate_va(struct bw_span *s, const struct bw_mem_request *q, unsigned lane,
		       uint64_t va);
void bw_span_locate_lds(struct bw_span *s, struct bw_wave *w, unsigned lane, uint64_t offset_b,
			unsigned size_b);
/* offset_b: in the lane's private memory. */
void bw_span_locate_private(struct bw_span *s, const struct bw_mem_request *q, unsigned lane,
			    uint64_t offset_b);
void bw_span_locate_sink(struct bw_span *s, unsigned lane);
/* A fault without a page-table walk: aperture, alignment, outside of scratch. */
void bw_span_violation(struct bw_span *s, unsigned lane, uint64_t va, enum bw_access access);
/* A lookup for all active lanes of a half gave nothing: they all fault, or read zeros. */
void bw_span_refuse_half(struct bw_span *s, struct bw_wave *w, unsigned h,
			 const struct bw_vm_fault *fault);
/* Adds size_b bytes of a lane's element from offset_b on, at a place that must not cross a page. */
void bw_span_add_piece(struct bw_span *s, const struct bw_mem_request *q, unsigned lane,
		       uint64_t va, unsigned offset_b, unsigned size_b);

/* One lane in global memory, which does not reach LDS or scratch (rule 376). */
void bw_span_locate_global(struct bw_span *s, const struct bw_mem_request *q, unsigned lane,
			   uint64_t va);
/* The active lanes of half h, each at base + (hi:lo); hi NULL: lo is an unsigned offset. half.exec
 * is set and not 0. */
void bw_span_locate_half(struct bw_span *s, const struct bw_mem_request *q, unsigned h,
			 const uint32_t *lo, const uint32_t *hi, uint64_t base);

/* The result for the caller to return after it has found the addresses: OK, or FAULT, which the
 * wave has been told. */
enum bw_mem_result bw_span_check(const struct bw_span *s, struct bw_wave *w);

static inline uint32_t bw_wave_half_exec(const struct bw_wave *w, unsigned half)
{
	return w->s[BW_SRC_EXEC_LO + half];
}

/* The bytes of one lane's element of a scattered half. */
static inline void bw_span_get(const struct bw_span *s, unsigned lane, void *out, unsigned size_b)
{
	if (__builtin_expect(!(s->split >> lane & 1), 1)) {
		memcpy(out, s->lane[lane], size_b);
		return;
	}
	for (unsigned i = 0; i < s->n_pieces[lane]; i++) {
		const struct bw_span_piece *p = &s->piece[lane][i];
		memcpy((uint8_t *)out + p->offset_b, p->host, p->size_b);
	}
}

/* The bytes of one lane of any half: where they are, or copied into buffer (size_b). */
static inline const uint8_t *bw_span_element(const struct bw_span *s, unsigned lane,
					     unsigned size_b, uint8_t *buffer)
{
	const struct bw_span_half *half = &s->half[lane / BW_LANES];
	if (half->kind == BW_SPAN_SAME)
		return half->at[0];
	if (half->kind == BW_SPAN_RUN || half->kind == BW_SPAN_PART)
		return half->at[0] + lane % BW_LANES * size_b;
	bw_span_get(s, lane, buffer, size_b);
	return buffer;
}

static inline void bw_span_put(const struct bw_span *s, unsigned lane, const void *data,
			       unsigned size_b)
{
	if (__builtin_expect(!(s->split >> lane & 1), 1)) {
		memcpy(s->lane[lane], data, size_b);
		return;
	}
	for (unsigned i = 0; i < s->n_pieces[lane]; i++) {
		const struct bw_span_piece *p = &s->piece[lane][i];
		memcpy(p->host, (const uint8_t *)data + p->offset_b, p->size_b);
	}
}

/* All ones if the lane is in exec. */
static inline uint32_t bw_lane_mask(uint32_t exec, unsigned i)
{
	return exec & bw_lane_bit[i] ? UINT32_MAX : 0;
}

/* The values of active lanes; inactive ones get that of the first active one. Least and greatest of
 * them. */
static inline void bw_lanes_gather(const uint32_t *v, uint32_t exec, uint32_t *restrict out,
				   uint32_t *out_min, uint32_t *out_max)
{
	uint32_t filler = v[__builtin_ctz(exec)], min = UINT32_MAX, max = 0;
	for (unsigned i = 0; i < BW_LANES; i++) {
		uint32_t take = bw_lane_mask(exec, i), value = (v[i] & take) | (filler & ~take);
		out[i] = value;
		min = value < min ? value : min;
		max = value > max ? value : max;
	}
	*out_min = min;
	*out_max = max;
}

/* The greatest of active lanes. */
static inline uint32_t bw_lanes_max(const uint32_t *v, uint32_t exec)
{
	uint32_t max = 0;
	for (unsigned i = 0; i < BW_LANES; i++) {
		uint32_t value = v[i] & bw_lane_mask(exec, i);
		max = value > max ? value : max;
	}
	return max;
}

/* Whether in the lanes of exec v[i] is start + i * step (mod 2^32). */
static inline bool bw_lanes_are(const uint32_t *v, uint32_t start, uint32_t step, uint32_t exec)
{
	uint32_t differs = 0;
	if (exec == UINT32_MAX)
		for (unsigned i = 0; i < BW_LANES; i++)
			differs |= v[i] ^ (start + i * step);
	else
		for (unsigned i = 0; i < BW_LANES; i++)
			differs |= (v[i] ^ (start + i * step)) & bw_lane_mask(exec, i);
	return !differs;
}

/* The step between the addresses of active lanes: size_b, 0 (all are equal), or UINT32_MAX
 * (neither). One active lane counts as a step of size_b. */
static inline uint32_t bw_lanes_step(const uint32_t *v, uint32_t exec, unsigned size_b)
{
	unsigned first = (unsigned)__builtin_ctz(exec);
	uint32_t rest = exec & (exec - 1);
	if (!rest)
		return size_b;
	unsigned second = (unsigned)__builtin_ctz(rest);
	uint32_t step = v[second] == v[first] ? 0 : size_b;
	return bw_lanes_are(v, v[first] - first * step, step, exec) ? step : UINT32_MAX;
}

#define BW_EACH_LANE(mask, lane)                                                                   \
	for (uint64_t bw_mask_ = (mask);                                                           \
	     bw_mask_ && ((lane) = (unsigned)__builtin_ctzll(bw_mask_), 1);                        \
	     bw_mask_ &= bw_mask_ - 1)

#endif
