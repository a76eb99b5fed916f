/* SPDX-License-Identifier: MIT */
#include "replay/limit.h"

#include <amdgpu_drm.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/util.h"
#include "pm4/pm4.h"

/* ---- The packets of a submission ---- */

struct memory {
	struct bw_replay_gpu *g;
	uint32_t space;
	const struct bw_capture_space *captured; /* where memory is written, else NULL */
	struct bw_replay_patches *done;
};

static bool read_words(void *cookie, uint64_t va, uint32_t *out, size_t n)
{
	const struct memory *m = cookie;
	return bw_replay_gpu_read(m->g, m->space, va, out, n * 4);
}

struct bw_error *bw_replay_steps(struct bw_replay_gpu *g, const struct bw_capture_submission *sub,
				 struct bw_pm4_steps *out)
{
	struct memory m = {.g = g, .space = sub->summary.space};
	struct BW_VEC(struct bw_pm4_walk_stream) streams = {0};
	struct bw_error *err = NULL;
	uint32_t n_unseen;
	for (size_t i = 0; !err && i < sub->ibs.len; i++) {
		const struct bw_capture_ib *ib = &sub->ibs.data[i];
		if (ib->ip_type > AMDGPU_HW_IP_DMA)
			err = bw_errorf(BW_E_UNSUPPORTED, "packets of %s rings are not known",
					bw_capture_ip_name(ib->ip_type));
		else
			err = bw_vec_push(&streams, ((struct bw_pm4_walk_stream){
							    ib->va, ib->size_b / 4,
							    ib->ip_type == AMDGPU_HW_IP_DMA}));
	}
	const struct bw_pm4_walk w = {streams.data, streams.len, read_words, &m};
	if (!err)
		err = bw_pm4_walk(&w, out, &n_unseen);
	bw_vec_free(&streams);
	return err;
}

/* ---- Making NOPs ---- */

struct addresses BW_VEC(uint64_t);

static int by_address(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

static bool has(const struct addresses *kept, uint64_t va)
{
	return kept->len && bsearch(&va, kept->data, kept->len, sizeof(va), by_address);
}

/* What the capture does not have is freed after the submission, and need not be put back. */
static struct bw_error *change(const struct memory *m, const struct bw_pm4_step *s)
{
	uint32_t n = bw_pm4_step_changed(s);
	uint64_t left_b;
	_cleanup_free_ uint32_t *dw = malloc((size_t)n * 4);
	if (!dw)
		return bw_error_nomem();
	if (s->va % 4 || !read_words((void *)(uintptr_t)m, s->va, dw, n))
		return NULL;
	for (uint32_t i = 0; i < n; i++)
		dw[i] = bw_pm4_step_nop(s, i, dw[i]);
	if (bw_replay_memory_at(m->g, m->captured, s->va, &left_b))
		return bw_replay_patch_write(m->g, m->captured, s->va, dw, (size_t)n * 4, m->done);
	uint8_t *at = bw_replay_gpu_at(m->g, m->space, s->va, &left_b);
	if (at && left_b >= (uint64_t)n * 4)
		memcpy(at, dw, (size_t)n * 4);
	return NULL;
}

/* The header of a dispatch's or draw's packet; 0: it cannot be read, or is none. */
static uint32_t header_of(const struct memory *m, const struct bw_capture_dispatch *d)
{
	uint32_t header;
	bool is_read =
		d->packet_va % 4 == 0 && read_words((void *)(uintptr_t)m, d->packet_va, &header, 1);
	return is_read && bw_pm4_type(header) == 3 ? header : 0;
}

/* The next packet that has one half of a draw with a task shader; the number of all: none. */
static size_t next_half(const struct memory *m, const struct bw_capture_submission *sub, size_t i,
			bool is_task)
{
	for (; i < sub->dispatches.len; i++) {
		const unsigned op = header_of(m, &sub->dispatches.data[i]) >> 8 & 0xff;
		bool is_draw = op == BW_PM4_DISPATCH_TASKMESH_GFX;
		if (is_task ? op == BW_PM4_DISPATCH_TASKMESH_DIRECT_ACE ||
				      op == BW_PM4_DISPATCH_TASKMESH_INDIRECT_MULTI_ACE
			    : is_draw)
			break;
	}
	return i;
}

/* A task shader and the draw that it feeds are packets of two queues, in the same order: neither
 * ends without the other one. */
static void drop_other_halves(const struct memory *m, const struct bw_capture_submission *sub,
			      bool *dropped)
{
	const size_t n = sub->dispatches.len;
	size_t task = next_half(m, sub, 0, true), draw = next_half(m, sub, 0, false);
	while (task < n && draw < n) {
		dropped[task] = dropped[draw] = dropped[task] || dropped[draw];
		task = next_half(m, sub, task + 1, true);
		draw = next_half(m, sub, draw + 1, false);
	}
}

static struct bw_error *limit_dispatches(const struct memory *m,
					 const struct bw_capture_submission *sub, uint32_t n_kept,
					 const struct addresses *kept)
{
	_cleanup_free_ bool *dropped = calloc(sub->dispatches.len + 1, sizeof(*dropped));
	if (!dropped)
		return bw_error_nomem();
	for (size_t i = n_kept; i < sub->dispatches.len; i++)
		dropped[i] = !has(kept, sub->dispatches.data[i].packet_va);
	drop_other_halves(m, sub, dropped);
	for (size_t i = 0; i < sub->dispatches.len; i++) {
		const struct bw_pm4_step step = {.va = sub->dispatches.data[i].packet_va,
						 .header = header_of(m, &sub->dispatches.data[i]),
						 .size_dw = 1};
		if (dropped[i] && step.header)
			BW_TRY(change(m, &step));
	}
	return NULL;
}

static struct bw_error *limit_packets(const struct memory *m, const struct bw_pm4_steps *steps,
				      uint32_t n_kept, const struct addresses *kept)
{
	for (size_t i = n_kept; i < steps->len; i++)
		if (!has(kept, steps->data[i].va))
			BW_TRY(change(m, &steps->data[i]));
	return NULL;
}

/* The first n addresses, sorted. */
static struct bw_error *keep(const struct bw_capture_submission *sub,
			     const struct bw_pm4_steps *steps, const struct bw_replay_limit *l,
			     struct addresses *out)
{
	size_t n = l->is_packets ? steps->len : sub->dispatches.len;
	if (l->n > n)
		return bw_errorf(BW_E_NOT_FOUND, "it has %zu %s", n,
				 l->is_packets ? "packets" : bw_capture_work_name(sub, n));
	for (size_t i = 0; i < l->n; i++)
		BW_TRY(bw_vec_push(out, l->is_packets ? steps->data[i].va
						      : sub->dispatches.data[i].packet_va));
	if (out->len)
		qsort(out->data, out->len, sizeof(*out->data), by_address);
	return NULL;
}

struct bw_error *bw_replay_limit(struct bw_replay_gpu *g, const struct bw_capture_space *s,
				 const struct bw_capture_submission *sub,
				 const struct bw_replay_limit *l, struct bw_replay_patches *done)
{
	const struct memory m = {g, sub->summary.space, s, done};
	struct bw_pm4_steps steps = {0};
	struct addresses kept = {0};
	if (!l->number || l->number != sub->summary.number)
		return NULL;
	struct bw_error *err = l->is_packets ? bw_replay_steps(g, sub, &steps) : NULL;
	if (!err)
		err = keep(sub, &steps, l, &kept);
	if (!err)
		err = l->is_packets ? limit_packets(&m, &steps, l->n, &kept)
				    : limit_dispatches(&m, sub, l->n, &kept);
	bw_vec_free(&steps);
	bw_vec_free(&kept);
	return err;
}
