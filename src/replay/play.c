/* SPDX-License-Identifier: MIT */
#include "replay/play.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/util.h"
#include "capture/told.h"
#include "replay/patch.h"
#include "replay/scratch.h"

enum { PAGE_B = BW_CAPTURE_PAGE_B, FENCE_B = 8 };

/* Where the kernel writes fences' numbers, which need not be those of the capture. */
struct fence_place {
	uint32_t space;
	uint64_t buffer, offset_b;
};

struct live_space {
	struct bw_capture_space s;
	bool is_placed; /* on the GPU */
	/* of the last submission, and of those before it whose memory is not known */
	struct bw_replay_clocks clocks;
	struct bw_replay_scratches scratch;
};

/* A page of memory that the program writes while the GPU works, as it was before a submission. */
struct user_page {
	uint64_t buffer, index, before;
};

struct play {
	struct bw_capture_reader *r;
	struct bw_replay_gpu *gpu;
	const struct bw_replay_options *o;
	struct bw_replay_report *out;
	struct BW_VEC(struct live_space) spaces;
	struct BW_VEC(struct fence_place) fences;
	struct BW_VEC(struct bw_capture_hash) hashes; /* of the capture's pages, once needed */
	/* That changed while the last submission ran. */
	struct BW_VEC(struct user_page) user_pages;
	bool *runs; /* each entry of the file; owned */
};

static struct bw_error *space_of(struct play *p, uint32_t number, struct live_space **out)
{
	bw_vec_each(&p->spaces, s) {
		if (s->s.number == number) {
			*out = s;
			return NULL;
		}
	}
	BW_TRY(bw_vec_push(&p->spaces, ((struct live_space){.s = {.number = number}})));
	*out = &p->spaces.data[p->spaces.len - 1];
	return NULL;
}

/* ---- Memory ---- */

/* A page that the capture has lost stays what it is. */
static struct bw_error *write_page(struct play *p, uint8_t *to, uint64_t page)
{
	uint8_t bytes[PAGE_B];
	struct bw_error *err = bw_capture_reader_page(p->r, page, bytes);
	if (err && (err->code == BW_E_NOT_FOUND || err->code == BW_E_INVALID)) {
		p->out->n_lost++;
		bw_error_free(err);
		return NULL;
	}
	BW_TRY(err);
	memcpy(to, bytes, PAGE_B);
	return NULL;
}

static struct bw_error *write_run(struct play *p, struct live_space *s,
				  const struct bw_capture_run *run)
{
	uint8_t *memory = bw_replay_gpu_memory(p->gpu, s->s.number, run->buffer);
	for (uint64_t i = 0; memory && i < run->count; i++)
		BW_TRY(write_page(p, memory + (run->index + i) * PAGE_B,
				  run->page ? run->page + i : 0));
	return NULL;
}

/* The whole space, when its first submission comes: new memory is zero. */
static struct bw_error *place(struct play *p, struct live_space *s)
{
	BW_TRY(bw_replay_gpu_shape(p->gpu, &s->s));
	bw_vec_each(&s->s.buffers, b) {
		uint8_t *memory = bw_replay_gpu_memory(p->gpu, s->s.number, b->info.id);
		for (uint64_t i = 0; memory && i < b->n_pages; i++)
			if (b->page[i])
				BW_TRY(write_page(p, memory + i * PAGE_B, b->page[i]));
	}
	s->is_placed = true;
	return NULL;
}

static struct bw_error *write_before(struct play *p, struct live_space *s,
				     const struct bw_capture_submission *sub)
{
	if (!s->is_placed)
		return place(p, s);
	BW_TRY(bw_replay_gpu_shape(p->gpu, &s->s));
	bw_vec_each(&sub->runs, run)
		BW_TRY(write_run(p, s, run));
	return NULL;
}

/* ---- Comparing ---- */

static struct bw_error *hash_of(struct play *p, uint64_t page, struct bw_capture_hash *out,
				bool *out_known)
{
	const struct bw_capture_hash unknown = {{UINT64_MAX, UINT64_MAX}}, zero = {{0, 0}};
	enum { PAGES_MAX = 1 << 26 };
	uint8_t bytes[PAGE_B];
	*out = zero;
	*out_known = true;
	if (!page)
		return NULL;
	if (page >= PAGES_MAX) {
		*out_known = false;
		return NULL;
	}
	BW_TRY(bw_vec_reserve(&p->hashes, page + 1));
	while (p->hashes.len <= page)
		p->hashes.data[p->hashes.len++] = zero;
	struct bw_capture_hash *h = &p->hashes.data[page];
	if (!h->word[0] && !h->word[1]) {
		struct bw_error *err = bw_capture_reader_page(p->r, page, bytes);
		if (err && err->code != BW_E_NOT_FOUND && err->code != BW_E_INVALID)
			return err;
		*h = err ? unknown : bw_capture_hash_page(bytes);
		bw_error_free(err);
	}
	*out = *h;
	*out_known = !bw_capture_hash_same(*h, unknown);
	return NULL;
}

/* Fences' numbers as the capture has them. */
static void put_fences(const struct play *p, uint32_t space, uint64_t buffer, uint64_t page_at,
		       const uint8_t *captured, uint8_t *replayed)
{
	bw_vec_each(&p->fences, f)
		if (f->space == space && f->buffer == buffer && f->offset_b >= page_at &&
		    f->offset_b - page_at <= PAGE_B - FENCE_B)
			memcpy(replayed + (f->offset_b - page_at),
			       captured + (f->offset_b - page_at), FENCE_B);
}

/* Pages that threads of the program can have changed, too, before that becomes the state. */
static struct bw_error *note_user_pages(struct play *p, const struct live_space *s,
					const struct bw_capture_runs *after)
{
	p->user_pages.len = 0;
	bw_vec_each(after, run) {
		const struct bw_capture_state_buffer *b =
			bw_capture_space_buffer(&s->s, run->buffer);
		if (!b || !(b->info.flags & (BW_CAPTURE_USERPTR | BW_CAPTURE_BUSY)))
			continue;
		for (uint64_t i = run->index; i - run->index < run->count && i < b->n_pages; i++)
			BW_TRY(bw_vec_push(&p->user_pages,
					   ((struct user_page){b->info.id, i, b->page[i]})));
	}
	return NULL;
}

/* Threads of the program write its own memory whenever they want to, beside what the GPU writes
 * there. A byte that the capture has changed and the replay has not is taken for one of theirs. */
static void take_program_bytes(struct play *p, const uint8_t *before, const uint8_t *captured,
			       uint8_t *memory)
{
	for (unsigned i = 0; i < PAGE_B; i++) {
		if (captured[i] == memory[i] || memory[i] != before[i])
			continue;
		memory[i] = captured[i];
		p->out->n_program_b++;
	}
}

static struct bw_error *take_program_pages(struct play *p, const struct live_space *s)
{
	uint8_t before[PAGE_B], captured[PAGE_B];
	bw_vec_each(&p->user_pages, u) {
		const struct bw_capture_state_buffer *b = bw_capture_space_buffer(&s->s, u->buffer);
		uint8_t *memory = bw_replay_gpu_memory(p->gpu, s->s.number, u->buffer);
		if (!b || !memory || u->index >= b->n_pages)
			continue;
		struct bw_error *err = bw_capture_reader_page(p->r, u->before, before);
		if (!err)
			err = bw_capture_reader_page(p->r, b->page[u->index], captured);
		if (!err)
			take_program_bytes(p, before, captured, memory + u->index * PAGE_B);
		/* of a page that the capture has lost nothing is known */
		if (!bw_error_catch(&err, BW_E_NOT_FOUND) && !bw_error_catch(&err, BW_E_INVALID))
			BW_TRY(err);
	}
	return NULL;
}

/* Compares a page whose hash is another one; notes the first difference of all. */
static struct bw_error *compare_bytes(struct play *p, const struct live_space *s,
				      const struct bw_capture_state_buffer *b, uint64_t i,
				      uint8_t *memory, bool *out_differs)
{
	struct bw_replay_difference *d = &p->out->difference;
	uint8_t captured[PAGE_B], replayed[PAGE_B];
	BW_TRY(bw_capture_reader_page(p->r, b->page[i], captured));
	p->out->n_scratch_b +=
		bw_replay_scratch_settle(&s->scratch, b->info.id, i * PAGE_B, captured, memory);
	memcpy(replayed, memory, PAGE_B);
	put_fences(p, s->s.number, b->info.id, i * PAGE_B, captured, replayed);
	unsigned at = 0;
	while (at < PAGE_B && captured[at] == replayed[at])
		at++;
	*out_differs = at < PAGE_B;
	if (at == PAGE_B || d->n_pages++)
		return NULL;
	d->buffer = b->info.id;
	d->offset_b = i * PAGE_B + at;
	if (!bw_capture_space_va(&s->s, d->buffer, d->offset_b, &d->va))
		d->va = 0;
	d->n_bytes = BW_MIN(PAGE_B - at, (unsigned)sizeof(d->captured));
	memcpy(d->captured, captured + at, d->n_bytes);
	memcpy(d->replayed, replayed + at, d->n_bytes);
	return NULL;
}

static struct bw_error *compare_buffer(struct play *p, const struct live_space *s,
				       const struct bw_capture_state_buffer *b, bool *any_known)
{
	uint8_t *memory = bw_replay_gpu_memory(p->gpu, s->s.number, b->info.id);
	bool any = false;
	for (uint64_t i = 0; memory && i < b->n_pages; i++) {
		struct bw_capture_hash h;
		bool known, differs = false;
		BW_TRY(hash_of(p, b->page[i], &h, &known));
		*any_known |= known;
		if (known && !bw_capture_hash_same(h, bw_capture_hash_page(memory + i * PAGE_B)))
			BW_TRY(compare_bytes(p, s, b, i, memory + i * PAGE_B, &differs));
		any |= differs;
	}
	p->out->difference.n_buffers += any;
	return NULL;
}

static struct bw_error *check(struct play *p, const struct live_space *s,
			      const struct bw_capture_summary *m)
{
	bool any_known = false;
	bw_vec_each(&s->s.buffers, b)
		BW_TRY(compare_buffer(p, s, b, &any_known));
	p->out->n_checked += any_known;
	if (p->out->difference.n_pages) {
		p->out->difference.number = m->number;
		p->out->difference.n_dispatches = m->n_dispatches;
		p->out->difference.n_draws = m->n_draws;
		p->out->verdict = BW_REPLAY_DIFFERS;
	}
	return NULL;
}

/* ---- Dumps ---- */

static struct bw_error *dump(struct play *p, const struct live_space *s,
			     const struct bw_replay_dump *d)
{
	const struct bw_capture_state_buffer *found = bw_capture_space_buffer(&s->s, d->what);
	bw_vec_each(&s->s.maps, m)
		if (!found && d->what >= m->va && d->what - m->va < m->size_b)
			found = bw_capture_space_buffer(&s->s, m->buffer);
	const uint8_t *memory =
		found ? bw_replay_gpu_memory(p->gpu, s->s.number, found->info.id) : NULL;
	if (!memory)
		return bw_errorf(BW_E_NOT_FOUND,
				 "submission %u has no buffer with the number or address 0x%llx",
				 d->number, (unsigned long long)d->what);
	return bw_file_write(d->path, "wbe", memory, found->info.size_b);
}

/* ---- One submission ---- */

static struct bw_error * override(struct play *p, const struct live_space *s,
				  struct bw_capture_submission *sub, struct bw_replay_patches *done)
{
	bw_vec_each(&p->o->overrides, v)
		if (v->number == sub->summary.number)
			BW_TRY(bw_replay_override_apply(v, p->gpu, &s->s, sub, done,
							&p->out->override_said));
	return NULL;
}

/* ---- How it ended ---- */

static bool broke_before(const struct bw_capture_entry *e)
{
	return !e->has_result || !e->result.has_ended || e->result.result;
}

/* A hang ends by the driver's time-out, ours or the capture's, and so in different ways; a page
 * fault is the same one by its page. */
static bool is_alike(const struct bw_capture_entry *e, const struct bw_capture_result *now)
{
	bool has_fault = e->has_result && e->result.fault_status;
	if (!broke_before(e) || has_fault != !!now->fault_status)
		return false;
	return !has_fault || e->result.fault_va / PAGE_B == now->fault_va / PAGE_B;
}

/* Memory of the capture as it is after a submission. out_known: false where it does not say. */
static struct bw_error *take_result(struct play *p, struct live_space *s,
				    const struct bw_capture_entry *e, bool *out_known)
{
	struct bw_capture_runs after = {0};
	*out_known = false;
	if (!e->has_result)
		return NULL;
	struct bw_error *err = bw_capture_reader_result(p->r, e, &after);
	if (!err)
		err = note_user_pages(p, s, &after);
	if (!err)
		err = bw_capture_space_apply_runs(&s->s, &after);
	bw_vec_free(&after);
	*out_known = !err && bw_capture_is_seen(&e->result);
	if (bw_error_catch(&err, BW_E_INVALID))
		p->out->n_lost_records++;
	return err;
}

/* What the user of the replay wants to know of the last submission. */
static struct bw_error *note_steps(struct play *p, const struct bw_capture_submission *sub)
{
	if (!p->o->steps || sub->summary.number != p->o->last)
		return NULL;
	struct bw_error *err = bw_replay_steps(p->gpu, sub, p->o->steps);
	if (err && err->code != BW_E_UNSUPPORTED)
		return err;
	bw_error_free(err);
	return NULL;
}

static struct bw_error *settle_clocks(struct play *p, struct live_space *s,
				      const struct bw_capture_entry *e)
{
	struct bw_capture_runs after = {0};
	if (!s->clocks.len)
		return NULL;
	struct bw_error *err = bw_capture_reader_result(p->r, e, &after);
	if (!err)
		err = bw_replay_clocks_settle(p->r, p->gpu, &s->s, &after, &s->clocks,
					      &p->out->clocks);
	bw_vec_free(&after);
	return err;
}

struct told BW_VEC(struct bw_told_dispatch);

/* The record of that number, to be freed by free_record; NULL: there is none. Names are of use
 * without. */
static struct bw_capture_pipeline *read_record(struct play *p, uint32_t number)
{
	struct bw_capture_pipeline *made_of = number ? calloc(1, sizeof(*made_of)) : NULL;
	struct bw_error *err = made_of ? bw_capture_reader_pipeline(p->r, number, made_of) : NULL;
	if (err) {
		free(made_of);
		made_of = NULL;
	}
	bw_error_free(err);
	return made_of;
}

static void free_record(const struct bw_capture_pipeline *p)
{
	struct bw_capture_pipeline *made_of = (struct bw_capture_pipeline *)(uintptr_t)p;
	if (made_of)
		bw_capture_pipeline_fini(made_of);
	free(made_of);
}

/* What a debugger of this process is to know of the dispatches, where an agent is in it. */
static struct bw_error *find_told(struct play *p, const struct bw_capture_submission *sub,
				  struct told *out)
{
	BW_TRY(bw_vec_reserve(out, sub->dispatches.len));
	bw_vec_each(&sub->dispatches, d) {
		const struct bw_capture_draw *draw = bw_capture_draw_of(sub, d);
		out->data[out->len++] = (struct bw_told_dispatch){
			.dispatch = d,
			.made_of = read_record(p, d->made_of),
			.pixel_made_of = draw ? read_record(p, draw->made_of) : NULL};
	}
	return NULL;
}

static struct bw_error *submit(struct play *p, const struct bw_capture_space *space,
			       const struct bw_capture_submission *sub)
{
	bw_told_begin_fn *begin = (bw_told_begin_fn *)dlsym(RTLD_DEFAULT, BW_TOLD_BEGIN);
	bw_told_end_fn *end = (bw_told_end_fn *)dlsym(RTLD_DEFAULT, BW_TOLD_END);
	struct told told = {0};
	struct bw_error *err = begin && end ? find_told(p, sub, &told) : NULL;
	if (!err && begin && end)
		begin(&(struct bw_told_submission){.s = sub,
						   .dispatches = told.data,
						   .n = told.len,
						   .objects = space->objects.data,
						   .n_objects = space->objects.len});
	if (!err)
		err = bw_replay_gpu_submit(p->gpu, sub, p->o->timeout_s, &p->out->outcome);
	if (begin && end)
		end();
	bw_vec_each(&told, t) {
		free_record(t->made_of);
		free_record(t->pixel_made_of);
	}
	bw_vec_free(&told);
	return err;
}

static struct bw_error *run_one(struct play *p, struct live_space *s,
				const struct bw_capture_entry *e, struct bw_capture_submission *sub)
{
	struct bw_replay_report *out = p->out;
	bool is_known;
	BW_TRY(write_before(p, s, sub));
	struct bw_replay_patches done = {0};
	struct bw_error *broken = override(p, s, sub, &done);
	if (!broken && p->o->swap)
		broken = bw_replay_swap_apply(p->o->swap, p->gpu, &s->s, sub, &done);
	if (!broken)
		broken = bw_replay_limit(p->gpu, &s->s, sub, &p->o->limit, &done);
	if (!broken)
		broken = note_steps(p, sub);
	if (!broken && (p->o->check || p->o->settles_clocks))
		broken = bw_replay_clocks_note(p->gpu, &s->s, sub, &s->clocks);
	if (!broken && p->o->check)
		broken = bw_replay_scratch_note(p->gpu, &s->s, sub, &s->scratch);
	if (!broken)
		broken = submit(p, &s->s, sub);
	bw_replay_patches_undo(p->gpu, &s->s, &done);
	bw_replay_gpu_drop_added(p->gpu, s->s.number);
	BW_TRY(broken);
	if (e->summary.number < p->o->first) {
		out->lead_in = out->n_led_in++ ? out->lead_in : e->summary.number;
	} else {
		out->n_submissions++;
		out->n_dispatches += e->summary.n_dispatches;
		out->n_draws += e->summary.n_draws;
	}
	out->number = e->summary.number;
	out->has_captured = e->has_result;
	out->captured = e->result;
	if (!out->outcome.has_ended || out->outcome.result)
		out->verdict = is_alike(e, &out->outcome) ? BW_REPLAY_BROKE_AS : BW_REPLAY_BROKE;
	BW_TRY(take_result(p, s, e, &is_known));
	bool is_good = out->verdict == BW_REPLAY_SAME && is_known && !broke_before(e);
	if (is_good)
		BW_TRY(take_program_pages(p, s));
	if (is_good)
		BW_TRY(settle_clocks(p, s, e));
	if (is_known)
		s->clocks.len = 0;
	if (p->o->watch && e->summary.number == p->o->last)
		BW_TRY(p->o->watch(p->o->cookie, p->gpu));
	bw_vec_each(&p->o->dumps, d)
		if (d->number == e->summary.number)
			BW_TRY(dump(p, s, d));
	/* What a submission changes that fails is chance. */
	if (p->o->check && is_good)
		BW_TRY(check(p, s, &e->summary));
	if (is_known)
		s->scratch.len = 0;
	return NULL;
}

static bool knows_fence(const struct play *p, const struct fence_place *f)
{
	bw_vec_each(&p->fences, one)
		if (one->space == f->space && one->buffer == f->buffer &&
		    one->offset_b == f->offset_b)
			return true;
	return false;
}

struct spaces BW_VEC(uint32_t);

static bool has_space(const struct spaces *all, uint32_t number)
{
	bw_vec_each(all, space)
		if (*space == number)
			return true;
	return false;
}

/* Which entries run: those from `first` on, and of each space those right before it that have left
 * memory which the capture does not have. */
static struct bw_error *choose(struct play *p, const struct bw_capture_entry *e, size_t n)
{
	struct spaces known = {0};
	struct bw_error *err = NULL;
	p->runs = calloc(n ? n : 1, sizeof(*p->runs));
	if (!p->runs)
		return bw_error_nomem();
	for (size_t i = n; !err && i-- > 0;) {
		p->runs[i] = e[i].summary.number >= p->o->first;
		if (p->runs[i] || has_space(&known, e[i].summary.space))
			continue;
		p->runs[i] = e[i].has_result && !bw_capture_is_seen(&e[i].result);
		if (!p->runs[i])
			err = bw_vec_push(&known, e[i].summary.space);
	}
	bw_vec_free(&known);
	return err;
}

/* A submission whose record is damaged: memory becomes what the capture has after it. */
static struct bw_error *take_unrun(struct play *p, struct live_space *s,
				   const struct bw_capture_entry *e)
{
	bool is_known;
	BW_TRY(take_result(p, s, e, &is_known));
	if (!s->is_placed || !is_known)
		return NULL;
	struct bw_capture_runs after = {0};
	struct bw_error *err = bw_capture_reader_result(p->r, e, &after);
	bw_vec_each(&after, run)
		if (!err)
			err = write_run(p, s, run);
	bw_vec_free(&after);
	return err;
}

static struct bw_error *take_entry(struct play *p, const struct bw_capture_entry *e, bool runs)
{
	struct bw_capture_submission sub = {0};
	struct live_space *s;
	bool is_known;
	BW_TRY(space_of(p, e->summary.space, &s));
	struct bw_error *err = bw_capture_reader_submission(p->r, e, &sub);
	if (bw_error_catch(&err, BW_E_INVALID)) {
		p->out->n_lost_records++;
		return take_unrun(p, s, e);
	}
	if (!err)
		err = bw_capture_space_apply(&s->s, &sub);
	const struct fence_place fence = {e->summary.space, sub.fence_buffer, sub.fence_offset_b};
	if (!err && sub.fence_buffer && !knows_fence(p, &fence))
		err = bw_vec_push(&p->fences, fence);
	if (!err)
		err = runs ? run_one(p, s, e, &sub) : take_result(p, s, e, &is_known);
	bw_capture_submission_fini(&sub);
	return bw_error_wrap(err, "submission %u", e->summary.number);
}

struct bw_error *bw_replay_play(struct bw_capture_reader *r, struct bw_replay_gpu *g,
				const struct bw_replay_options *o, struct bw_replay_report *out)
{
	struct play p = {.r = r, .gpu = g, .o = o, .out = out};
	size_t n;
	const struct bw_capture_entry *e = bw_capture_reader_entries(r, &n);
	*out = (struct bw_replay_report){0};
	struct bw_error *err = choose(&p, e, n);
	for (size_t i = 0;
	     !err && i < n && e[i].summary.number <= o->last && out->verdict == BW_REPLAY_SAME; i++)
		err = take_entry(&p, &e[i], p.runs[i]);
	bw_vec_each(&p.spaces, s) {
		bw_capture_space_fini(&s->s);
		bw_vec_free(&s->clocks);
		bw_vec_free(&s->scratch);
	}
	bw_vec_free(&p.spaces);
	bw_vec_free(&p.fences);
	bw_vec_free(&p.hashes);
	bw_vec_free(&p.user_pages);
	free(p.runs);
	return err;
}
