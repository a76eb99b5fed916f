/* SPDX-License-Identifier: MIT */
#include "pm4/walk.h"

#include "base/cleanup.h"
#include "base/util.h"
#include "pm4/pm4.h"
#include "pm4/sdma.h"

enum {
	STREAM_MAX_DW = BW_PM4_IB_MAX_DW,
	ALL_MAX_DW = 4 << 20,
	STREAMS_MAX = 512,
	DEPTH_MAX = 3, /* calls in calls; the command processor has two levels */
};

struct seen {
	uint64_t va;
	size_t size_dw;
};

struct job {
	const struct bw_pm4_walk *w;
	struct bw_pm4_steps *out;
	struct BW_VEC(struct seen) seen;
	size_t n_dw;
	uint32_t n_unseen;
};

/* A stream, and for which of those submitted it is executed. */
struct place {
	struct bw_pm4_walk_stream s;
	uint32_t stream;
	uint8_t depth;
};

static bool was_seen(const struct job *j, const struct bw_pm4_walk_stream *s)
{
	bw_vec_each(&j->seen, one)
		if (one->va == s->va && one->size_dw == s->size_dw)
			return true;
	return false;
}

static struct bw_error *walk_streams(struct job *j, struct place p);

static struct bw_error *add_step(struct job *j, const struct place *p, size_t pos,
				 const struct bw_pm4_step *step)
{
	struct bw_pm4_step one = *step;
	one.va = p->s.va + pos * 4;
	one.stream_va = p->s.va;
	one.stream = p->stream;
	one.depth = p->depth;
	one.is_sdma = p->s.is_sdma;
	return bw_vec_push(j->out, one);
}

/* What a stream calls; a chained one becomes *out_next, and the stream ends there. */
static struct bw_error *follow(struct job *j, const struct place *p, const struct bw_pm4_flow *flow,
			       struct place *out_next)
{
	struct place next = {.s = {flow->va, flow->size_dw, p->s.is_sdma},
			     .stream = p->stream,
			     .depth = (uint8_t)(p->depth + !flow->chain)};
	if (flow->chain) {
		*out_next = next;
		return NULL;
	}
	return walk_streams(j, next);
}

static struct bw_error *walk_pm4(struct job *j, const struct place *p, const uint32_t *dw,
				 struct place *out_next)
{
	struct bw_pm4_packet one;
	size_t n = p->s.size_dw;
	for (size_t pos = 0; pos < n; pos += one.size_dw) {
		if (!bw_pm4_at(dw, n, pos, &one) || !bw_pm4_is_known(&one)) {
			return add_step(j, p, pos,
					&(struct bw_pm4_step){.header = dw[pos],
							      .size_dw = (uint32_t)(n - pos),
							      .is_bad = true});
		}
		if (one.kind != BW_PM4_TYPE3 || one.op == BW_PM4_NOP)
			continue;
		const struct bw_pm4_step step = {.header = one.header,
						 .size_dw = one.size_dw,
						 .is_work = bw_pm4_starts_waves(one.op)};
		BW_TRY(add_step(j, p, pos, &step));
		const struct bw_pm4_flow flow = bw_pm4_flow(&one);
		if (flow.calls)
			BW_TRY(follow(j, p, &flow, out_next));
		if (flow.chain)
			return NULL;
	}
	return NULL;
}

static struct bw_error *walk_sdma(struct job *j, const struct place *p, const uint32_t *dw)
{
	struct bw_sdma_packet one;
	size_t n = p->s.size_dw;
	for (size_t pos = 0; pos < n; pos += one.size_dw) {
		if (!bw_sdma_at(dw, n, pos, &one) || !one.info) {
			return add_step(j, p, pos,
					&(struct bw_pm4_step){.header = dw[pos],
							      .size_dw = (uint32_t)(n - pos),
							      .is_bad = true});
		}
		if (one.info->code == BW_SDMA_NOP)
			continue;
		const struct bw_pm4_step step = {.header = one.header, .size_dw = one.size_dw};
		BW_TRY(add_step(j, p, pos, &step));
		const struct bw_pm4_flow flow = bw_sdma_flow(&one);
		if (flow.calls)
			BW_TRY(follow(j, p, &flow, NULL));
	}
	return NULL;
}

/* A stream and those that are chained after it. */
static struct bw_error *walk_streams(struct job *j, struct place p)
{
	while (p.s.size_dw && !was_seen(j, &p.s)) {
		struct place next = {0};
		if (p.s.size_dw > STREAM_MAX_DW || p.depth > DEPTH_MAX ||
		    j->seen.len >= STREAMS_MAX || j->n_dw + p.s.size_dw > ALL_MAX_DW) {
			j->n_unseen++;
			return NULL;
		}
		BW_TRY(bw_vec_push(&j->seen, ((struct seen){p.s.va, p.s.size_dw})));
		j->n_dw += p.s.size_dw;
		_cleanup_free_ uint32_t *dw = malloc(p.s.size_dw * 4);
		if (!dw)
			return bw_error_nomem();
		if (!j->w->read(j->w->cookie, p.s.va, dw, p.s.size_dw)) {
			j->n_unseen++;
			return NULL;
		}
		BW_TRY(p.s.is_sdma ? walk_sdma(j, &p, dw) : walk_pm4(j, &p, dw, &next));
		p = next;
	}
	return NULL;
}

struct bw_error *bw_pm4_walk(const struct bw_pm4_walk *w, struct bw_pm4_steps *out,
			     uint32_t *out_unseen)
{
	struct job j = {.w = w, .out = out};
	struct bw_error *err = NULL;
	for (size_t i = 0; !err && i < w->n_streams; i++)
		err = walk_streams(&j, (struct place){.s = w->streams[i], .stream = (uint32_t)i});
	bw_vec_free(&j.seen);
	if (!err)
		*out_unseen = j.n_unseen;
	return err;
}

uint32_t bw_pm4_step_changed(const struct bw_pm4_step *s)
{
	return s->is_sdma || s->is_bad ? s->size_dw : 1;
}

uint32_t bw_pm4_step_nop(const struct bw_pm4_step *s, uint32_t i, uint32_t old)
{
	if (s->is_sdma)
		return 0; /* a NOP of one dword */
	if (s->is_bad)
		return BW_PM4_NOP_1DW;
	return i ? old : bw_pm4_as_nop(s->header);
}

const char *bw_pm4_step_name(const struct bw_pm4_step *s, char buf[32])
{
	if (s->is_bad)
		return "no packet";
	return s->is_sdma ? bw_sdma_name(s->header, buf)
			  : bw_pm4_name(bw_pm4_opcode(s->header), buf);
}
