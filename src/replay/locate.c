/* SPDX-License-Identifier: MIT */
#include "replay/locate.h"

#include <stdio.h>
#include <string.h>

#include "base/util.h"
#include "capture/seek.h"

enum { PAGE_B = BW_CAPTURE_PAGE_B, FENCE_B = 8 };

/* A page that differs in the end. */
struct page {
	uint64_t buffer, index;
	uint8_t before[PAGE_B], captured[PAGE_B], replayed[PAGE_B];
};

struct locate {
	struct bw_capture_reader *r;
	const char *node;
	const struct bw_replay_options *o;
	struct bw_capture_submission sub;
	struct bw_capture_space before, after; /* as the capture has it */
	struct BW_VEC(struct page *) pages;    /* owned */
	struct bw_pm4_steps steps;
	struct bw_replay_blame *out;
	bool is_written;  /* by the packets of the last run */
	bool is_unsteady; /* each run leaves other bytes: any other value than before counts */
};

/* ---- The pages that differ ---- */

static struct bw_error *page_of(struct locate *l, const struct bw_capture_space *s, uint64_t buffer,
				uint64_t index, uint8_t *out)
{
	const struct bw_capture_state_buffer *b = bw_capture_space_buffer(s, buffer);
	memset(out, 0, PAGE_B);
	struct bw_error *err =
		b && index < b->n_pages ? bw_capture_reader_page(l->r, b->page[index], out) : NULL;
	return err;
}

/* The number that the kernel writes after each submission is not a difference. */
static void drop_fence(const struct locate *l, struct page *p)
{
	uint64_t at = l->sub.fence_offset_b % PAGE_B;
	if (l->sub.fence_buffer == p->buffer && l->sub.fence_offset_b / PAGE_B == p->index &&
	    at <= PAGE_B - FENCE_B)
		memcpy(p->replayed + at, p->captured + at, FENCE_B);
}

static bool differs(const struct page *p, unsigned i)
{
	return p->captured[i] != p->replayed[i];
}

static struct bw_error *take_page(struct locate *l, uint64_t buffer, uint64_t index,
				  const uint8_t *memory, const uint8_t *captured)
{
	struct page *p = malloc(sizeof(*p));
	if (!p)
		return bw_error_nomem();
	p->buffer = buffer;
	p->index = index;
	memcpy(p->captured, captured, PAGE_B);
	memcpy(p->replayed, memory, PAGE_B);
	drop_fence(l, p);
	struct bw_error *err = page_of(l, &l->before, buffer, index, p->before);
	bool any = false;
	for (unsigned i = 0; !err && i < PAGE_B; i++) {
		if (!differs(p, i))
			continue;
		any = true;
		l->out->n_differ_b++;
		l->out->n_missing_b += p->before[i] == p->replayed[i];
	}
	if (!err && any)
		err = bw_vec_push(&l->pages, p);
	if (err || !any)
		free(p);
	return err;
}

static struct bw_error *compare_page(struct locate *l, const struct bw_capture_state_buffer *b,
				     uint64_t index, const uint8_t *memory)
{
	uint8_t captured[PAGE_B];
	struct bw_error *err = bw_capture_reader_page(l->r, b->page[index], captured);
	/* a page that the capture has lost */
	if (err && (err->code == BW_E_NOT_FOUND || err->code == BW_E_INVALID)) {
		bw_error_free(err);
		return NULL;
	}
	BW_TRY(err);
	if (!memcmp(memory, captured, PAGE_B))
		return NULL;
	if (l->pages.len == BW_REPLAY_BLAME_PAGES_MAX) {
		l->out->is_cut = true;
		return NULL;
	}
	return take_page(l, b->info.id, index, memory, captured);
}

/* After the run with all packets. */
static struct bw_error *collect(void *cookie, struct bw_replay_gpu *g)
{
	struct locate *l = cookie;
	bw_vec_each(&l->after.buffers, b) {
		const uint8_t *memory = bw_replay_gpu_memory(g, l->after.number, b->info.id);
		for (uint64_t i = 0; memory && i < b->n_pages; i++)
			BW_TRY(compare_page(l, b, i, memory + i * PAGE_B));
	}
	return NULL;
}

/* ---- Which bytes are as in the end ---- */

static void note_place(struct locate *l, const struct page *p, unsigned i)
{
	struct bw_replay_blame *o = l->out;
	o->buffer = p->buffer;
	o->offset_b = p->index * PAGE_B + i;
	if (!bw_capture_space_va(&l->after, o->buffer, o->offset_b, &o->va))
		o->va = 0;
	o->n_bytes = BW_MIN(PAGE_B - i, (unsigned)sizeof(o->before));
	memcpy(o->before, p->before + i, o->n_bytes);
	memcpy(o->captured, p->captured + i, o->n_bytes);
	memcpy(o->replayed, p->replayed + i, o->n_bytes);
}

/* After a run with some packets. */
static struct bw_error *look(void *cookie, struct bw_replay_gpu *g)
{
	struct locate *l = cookie;
	uint64_t n_b = 0;
	bw_vec_each(&l->pages, one) {
		const struct page *p = *one;
		const uint8_t *memory = bw_replay_gpu_memory(g, l->after.number, p->buffer);
		for (unsigned i = 0; memory && i < PAGE_B; i++) {
			uint8_t now = memory[p->index * PAGE_B + i];
			if (!differs(p, i) || p->before[i] == p->replayed[i] ||
			    (l->is_unsteady ? now == p->before[i] : now != p->replayed[i]))
				continue;
			if (!n_b++)
				note_place(l, p, i);
		}
	}
	l->is_written = n_b;
	if (n_b)
		l->out->n_written_b = n_b;
	return NULL;
}

/* ---- Runs ---- */

/* n: packets; UINT32_MAX: all of them. false: it fails or does not end. */
static struct bw_error *run_part(struct locate *l, uint32_t n,
				 struct bw_error *(*watch)(void *cookie, struct bw_replay_gpu *g),
				 bool *out_ended)
{
	struct bw_replay_options o = *l->o;
	struct bw_replay_report report;
	struct bw_replay_gpu *g;
	o.first = o.last = l->sub.summary.number;
	o.check = false;
	o.settles_clocks = true;
	o.dumps.len = 0;
	o.steps = n == UINT32_MAX ? &l->steps : NULL;
	o.watch = watch;
	o.cookie = l;
	if (n != UINT32_MAX)
		o.limit = (struct bw_replay_limit){o.first, n, true};
	BW_TRY(bw_replay_gpu_open(l->node, &g));
	struct bw_error *err = bw_replay_play(l->r, g, &o, &report);
	bw_replay_gpu_close(g);
	if (!err)
		*out_ended = report.verdict == BW_REPLAY_SAME;
	if (!err && !*out_ended)
		snprintf(l->out->why, sizeof(l->out->why),
			 "with the first %u packets alone it fails or does not end", n);
	return err;
}

static struct bw_error *search(struct locate *l)
{
	uint32_t lo = 0, hi = (uint32_t)l->steps.len;
	bool ended;
	/* the place that all packets leave, should only the last one do it */
	BW_TRY(run_part(l, hi, look, &ended));
	if (ended && !l->is_written) {
		l->is_unsteady = true;
		BW_TRY(run_part(l, hi, look, &ended));
	}
	if (!ended || !l->is_written) {
		l->out->kind = BW_REPLAY_BLAME_UNKNOWN;
		if (ended)
			snprintf(l->out->why, sizeof(l->out->why),
				 "each run of it leaves something else");
		return NULL;
	}
	while (hi - lo > 1) {
		uint32_t middle = lo + (hi - lo) / 2;
		BW_TRY(run_part(l, middle, look, &ended));
		if (!ended) {
			l->out->kind = BW_REPLAY_BLAME_UNKNOWN;
			return NULL;
		}
		if (l->is_written)
			hi = middle;
		else
			lo = middle;
	}
	l->out->kind = BW_REPLAY_BLAME_PACKET;
	l->out->is_unsteady = l->is_unsteady;
	l->out->packet = hi - 1;
	l->out->step = l->steps.data[hi - 1];
	return NULL;
}

static void name_dispatch(struct locate *l)
{
	for (size_t i = 0; i < l->sub.dispatches.len; i++) {
		const struct bw_capture_dispatch *d = &l->sub.dispatches.data[i];
		if (d->packet_va != l->out->step.va)
			continue;
		l->out->is_dispatch = true;
		l->out->is_draw = d->draw;
		l->out->dispatch = (uint32_t)i;
		memcpy(l->out->pipeline, d->pipeline, sizeof(d->pipeline));
		snprintf(l->out->label, sizeof(l->out->label), "%s", bw_capture_label(&l->sub, d));
		return;
	}
}

static struct bw_error *locate(struct locate *l)
{
	struct bw_replay_blame *out = l->out;
	bool ended;
	BW_TRY(run_part(l, UINT32_MAX, collect, &ended));
	out->n_packets = (uint32_t)l->steps.len;
	if (!ended)
		out->kind = BW_REPLAY_BLAME_UNKNOWN;
	else if (!l->pages.len)
		out->kind = BW_REPLAY_BLAME_NOT_ALONE;
	else if (out->n_missing_b == out->n_differ_b)
		out->kind = BW_REPLAY_BLAME_NOT_WRITTEN;
	else if (!l->steps.len)
		out->kind = BW_REPLAY_BLAME_UNKNOWN;
	else
		BW_TRY(search(l));
	if (!ended)
		snprintf(out->why, sizeof(out->why), "alone it fails or does not end");
	else if (!*out->why)
		snprintf(out->why, sizeof(out->why), "it has no packets that can be read");
	if (out->kind == BW_REPLAY_BLAME_PACKET)
		name_dispatch(l);
	return NULL;
}

/* Memory after the submission, as the capture has it. */
static struct bw_error *seek_behind(struct locate *l, size_t index)
{
	struct bw_capture_submission same = {0};
	struct bw_capture_runs runs = {0};
	size_t n;
	const struct bw_capture_entry *e = bw_capture_reader_entries(l->r, &n);
	struct bw_error *err = bw_capture_seek(l->r, index, &l->after, &same);
	if (!err && e[index].has_result)
		err = bw_capture_reader_result(l->r, &e[index], &runs);
	if (!err)
		err = bw_capture_space_apply_runs(&l->after, &runs);
	bw_vec_free(&runs);
	bw_capture_submission_fini(&same);
	return err;
}

struct bw_error *bw_replay_locate(struct bw_capture_reader *r, const char *node,
				  const struct bw_replay_options *o, uint32_t number,
				  struct bw_replay_blame *out)
{
	struct locate l = {.r = r, .node = node, .o = o, .out = out};
	size_t index;
	*out = (struct bw_replay_blame){0};
	BW_TRY(bw_capture_find(r, number, &index));
	if (!bw_capture_knows_before(r, index)) {
		out->kind = BW_REPLAY_BLAME_UNKNOWN;
		snprintf(out->why, sizeof(out->why),
			 "the capture does not hold what the submission before it has left");
		return NULL;
	}
	struct bw_error *err = bw_capture_seek(r, index, &l.before, &l.sub);
	if (!err)
		err = seek_behind(&l, index);
	if (!err)
		err = locate(&l);
	bw_vec_each(&l.pages, p)
		free(*p);
	bw_vec_free(&l.pages);
	bw_vec_free(&l.steps);
	bw_capture_space_fini(&l.before);
	bw_capture_space_fini(&l.after);
	bw_capture_submission_fini(&l.sub);
	return err;
}
