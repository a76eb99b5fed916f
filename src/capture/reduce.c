/* SPDX-License-Identifier: MIT */
#include "capture/reduce.h"

#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "capture/state.h"

enum { PAGE_B = BW_CAPTURE_PAGE_B };

/* An address space as the capture has it now, and as the records that were written have it: pages
 * by their numbers in the capture that is read. */
struct space {
	struct bw_capture_space now, written;
	bool has_record;
};

struct job {
	struct bw_capture_reader *r;
	const struct bw_capture_reduction *how;
	struct bw_capture_writer *w;
	struct bw_capture_reduced *out;
	struct BW_VEC(struct space) spaces;
	uint32_t last_space; /* the one that the reduction is about */
	struct BW_VEC(
		uint32_t) pipelines; /* numbers in what is written: by number - 1; 0: none yet */
};

static struct bw_error *space_of(struct job *j, uint32_t number, struct space **out)
{
	bw_vec_each(&j->spaces, s) {
		if (s->now.number == number) {
			*out = s;
			return NULL;
		}
	}
	struct space one = {.now = {.number = number}, .written = {.number = number}};
	BW_TRY(bw_vec_push(&j->spaces, one));
	*out = &j->spaces.data[j->spaces.len - 1];
	return NULL;
}

/* ---- What is left out ---- */

static int by_id(const void *key, const void *elem)
{
	uint64_t a = *(const uint64_t *)key, b = *(const uint64_t *)elem;
	return (a > b) - (a < b);
}

static bool is_gone(const struct job *j, const struct space *s, uint64_t buffer)
{
	const struct bw_capture_ids *gone = &j->how->gone;
	return s->now.number == j->last_space && gone->len &&
	       bsearch(&buffer, gone->data, gone->len, sizeof(buffer), by_id);
}

static int by_place(const void *a, const void *b)
{
	const struct bw_capture_place *x = a, *y = b;
	if (x->buffer != y->buffer)
		return x->buffer < y->buffer ? -1 : 1;
	return (x->index > y->index) - (x->index < y->index);
}

static bool is_zeroed(const struct job *j, const struct space *s, uint64_t buffer, uint64_t index)
{
	const struct bw_capture_places *zeroed = &j->how->zeroed;
	const struct bw_capture_place key = {buffer, index};
	return s->now.number == j->last_space && !s->has_record && zeroed->len &&
	       bsearch(&key, zeroed->data, zeroed->len, sizeof(key), by_place);
}

/* The first of the words that lies in this page or after it. */
static size_t first_word(const struct job *j, uint64_t buffer, uint64_t index)
{
	const struct bw_capture_words *words = &j->how->words;
	size_t lo = 0, hi = words->len;
	while (lo < hi) {
		size_t mid = (lo + hi) / 2;
		const struct bw_capture_word *w = &words->data[mid];
		if (w->buffer < buffer || (w->buffer == buffer && w->offset_b / PAGE_B < index))
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Puts the words of a page into it; false: there are none. */
static bool put_words(const struct job *j, uint64_t buffer, uint64_t index, uint8_t *page)
{
	const struct bw_capture_words *words = &j->how->words;
	bool any = false;
	for (size_t i = first_word(j, buffer, index); i < words->len; i++) {
		const struct bw_capture_word *w = &words->data[i];
		if (w->buffer != buffer || w->offset_b / PAGE_B != index)
			break;
		if (w->offset_b % PAGE_B <= PAGE_B - sizeof(w->value))
			memcpy(page + w->offset_b % PAGE_B, &w->value, sizeof(w->value));
		any = true;
	}
	return any;
}

/* ---- Pages ---- */

static struct bw_error *read_page(struct job *j, uint64_t number, uint8_t *out)
{
	struct bw_error *err = bw_capture_reader_page(j->r, number, out);
	if (err && (err->code == BW_E_NOT_FOUND || err->code == BW_E_INVALID)) {
		bw_error_free(err);
		memset(out, 0, PAGE_B);
		return NULL;
	}
	return err;
}

/* One page of a record. is_last: of the record that the words are for. */
static struct bw_error *put_page(struct job *j, const struct space *s,
				 const struct bw_capture_state_buffer *b, uint64_t index,
				 bool is_last, struct bw_capture_runs *runs)
{
	const struct bw_capture_state_buffer *old =
		bw_capture_space_buffer(&s->written, b->info.id);
	uint8_t page[PAGE_B] = {0};
	struct bw_capture_run one = {b->info.id, index, 1, 0};
	bool has_words = is_last && put_words(j, b->info.id, index, page);
	if (b->page[index] == (old ? old->page[index] : 0) && !has_words)
		return NULL;
	bool is_zero = is_zeroed(j, s, b->info.id, index);
	if (is_zero && !has_words)
		return NULL;
	memset(page, 0, sizeof(page));
	if (!is_zero)
		BW_TRY(read_page(j, b->page[index], page));
	if (has_words)
		put_words(j, b->info.id, index, page);
	BW_TRY(bw_capture_writer_page(j->w, page, &one.page));
	j->out->n_pages += one.page != 0;
	return bw_capture_runs_add(runs, one);
}

static struct bw_error *put_pages(struct job *j, const struct space *s, bool is_last,
				  struct bw_capture_runs *runs)
{
	bw_vec_each(&s->now.buffers, b)
		for (uint64_t i = 0; !is_gone(j, s, b->info.id) && i < b->n_pages; i++)
			BW_TRY(put_page(j, s, b, i, is_last, runs));
	return NULL;
}

/* The written space becomes what the capture has now. */
static struct bw_error *copy_space(const struct bw_capture_space *from, struct bw_capture_space *to)
{
	bw_capture_space_fini(to);
	BW_TRY(bw_vec_reserve(&to->buffers, from->buffers.len));
	bw_vec_each(&from->buffers, b) {
		struct bw_capture_state_buffer one = *b;
		one.page = malloc(b->n_pages * sizeof(*b->page));
		if (!one.page)
			return bw_error_nomem();
		memcpy(one.page, b->page, b->n_pages * sizeof(*b->page));
		to->buffers.data[to->buffers.len++] = one;
	}
	to->total_b = from->total_b;
	return NULL;
}

/* ---- Records ---- */

static struct bw_error *put_shape(struct job *j, const struct space *s,
				  struct bw_capture_submission *out)
{
	bw_vec_each(&s->written.buffers, b)
		if (!bw_capture_space_buffer(&s->now, b->info.id) && !is_gone(j, s, b->info.id))
			BW_TRY(bw_vec_push(&out->gone, b->info.id));
	bw_vec_each(&s->now.buffers, b) {
		if (is_gone(j, s, b->info.id) || bw_capture_space_buffer(&s->written, b->info.id))
			continue;
		BW_TRY(bw_vec_push(&out->buffers, b->info));
		j->out->n_buffers++;
	}
	bw_vec_each(&s->now.maps, m) {
		if (is_gone(j, s, m->buffer))
			continue;
		BW_TRY(bw_vec_push(&out->maps, *m));
		out->summary.mapped_b += m->size_b;
	}
	bw_vec_each(&s->now.objects, o)
		BW_TRY(bw_vec_push(&out->objects, *o));
	out->has_maps = out->has_objects = true;
	return NULL;
}

/* The record of a pipeline goes along; one that the capture, damaged, does not have is left out. */
static struct bw_error *put_pipeline(struct job *j, uint32_t number, uint32_t *out)
{
	struct bw_capture_pipeline p = {0};
	struct bw_capture_bytes bytes = {0};
	*out = 0;
	if (!number || number > BW_CAPTURE_PIPELINES_MAX)
		return NULL;
	while (j->pipelines.len < number)
		BW_TRY(bw_vec_push(&j->pipelines, 0));
	uint32_t *known = &j->pipelines.data[number - 1];
	struct bw_error *err = *known ? NULL : bw_capture_reader_pipeline(j->r, number, &p);
	if (err && (err->code == BW_E_NOT_FOUND || err->code == BW_E_INVALID)) {
		bw_error_free(err);
		return NULL;
	}
	if (!err && !*known)
		err = bw_capture_pipeline_encode(&p, &bytes);
	if (!err && !*known)
		err = bw_capture_writer_pipeline(j->w, bytes.data, bytes.len, known);
	bw_capture_pipeline_fini(&p);
	bw_vec_free(&bytes);
	*out = *known;
	return err;
}

static struct bw_error *put_dispatches(struct job *j, const struct bw_capture_submission *sub,
				       bool is_last, struct bw_capture_submission *out)
{
	for (size_t i = 0; i < sub->dispatches.len; i++) {
		struct bw_capture_dispatch one = sub->dispatches.data[i];
		const struct bw_capture_draw *of = bw_capture_draw_of(sub, &one);
		struct bw_capture_draw draw = of ? *of : (struct bw_capture_draw){0};
		if (is_last && j->how->no_dispatch && j->how->no_dispatch[i])
			continue;
		BW_TRY(put_pipeline(j, one.made_of, &one.made_of));
		if (of)
			BW_TRY(put_pipeline(j, draw.made_of, &draw.made_of));
		BW_TRY(bw_capture_add_work(out, &one, of ? &draw : NULL));
	}
	/* of those that are left out, too: the others say where theirs begins */
	bw_vec_each(&sub->pushes, byte)
		BW_TRY(bw_vec_push(&out->pushes, *byte));
	bw_vec_each(&sub->bound, b)
		BW_TRY(bw_vec_push(&out->bound, *b));
	bw_vec_each(&sub->args, a)
		BW_TRY(bw_vec_push(&out->args, *a));
	bw_vec_each(&sub->labels, byte)
		BW_TRY(bw_vec_push(&out->labels, *byte));
	j->out->n_dispatches += out->dispatches.len;
	return NULL;
}

/* sub: as the capture has it, applied to s->now. */
static struct bw_error *make_record(struct job *j, const struct space *s,
				    const struct bw_capture_submission *sub, bool is_last,
				    struct bw_capture_submission *out)
{
	out->summary = sub->summary;
	out->summary.mapped_b = out->summary.changed_b = 0;
	out->summary.n_dispatches = out->summary.n_draws = 0;
	if (!is_gone(j, s, sub->fence_buffer)) {
		out->fence_buffer = sub->fence_buffer;
		out->fence_offset_b = sub->fence_offset_b;
	}
	BW_TRY(put_shape(j, s, out));
	BW_TRY(put_pages(j, s, is_last, &out->runs));
	bw_vec_each(&out->runs, run)
		out->summary.changed_b += run->count * PAGE_B;
	bw_vec_each(&sub->ibs, ib)
		BW_TRY(bw_vec_push(&out->ibs, *ib));
	bw_vec_each(&sub->chunks, c) {
		struct bw_capture_chunk one = {c->id, c->size_b, malloc(c->size_b + 1)};
		if (one.data && c->size_b)
			memcpy(one.data, c->data, c->size_b);
		struct bw_error *err = one.data ? bw_vec_push(&out->chunks, one) : bw_error_nomem();
		if (err)
			free(one.data);
		BW_TRY(err);
	}
	return put_dispatches(j, sub, is_last, out);
}

static struct bw_error *write_record(struct job *j, struct space *s,
				     const struct bw_capture_submission *sub, bool is_last)
{
	struct bw_capture_submission record = {0};
	struct bw_error *err = make_record(j, s, sub, is_last, &record);
	if (!err)
		err = bw_capture_writer_submission(j->w, &record);
	bw_capture_submission_fini(&record);
	BW_TRY(err);
	j->out->n_submissions++;
	s->has_record = true;
	return copy_space(&s->now, &s->written);
}

/* ---- Results ---- */

static struct bw_error *put_runs(struct job *j, const struct space *s,
				 const struct bw_capture_runs *runs, struct bw_capture_runs *out)
{
	uint8_t page[PAGE_B];
	bw_vec_each(runs, run) {
		for (uint64_t i = 0; !is_gone(j, s, run->buffer) && i < run->count; i++) {
			struct bw_capture_run one = {run->buffer, run->index + i, 1, 0};
			if (run->page) {
				BW_TRY(read_page(j, run->page + i, page));
				BW_TRY(bw_capture_writer_page(j->w, page, &one.page));
			}
			BW_TRY(bw_capture_runs_add(out, one));
		}
	}
	return NULL;
}

static struct bw_error *write_result(struct job *j, const struct space *s,
				     const struct bw_capture_entry *e,
				     const struct bw_capture_runs *runs, bool is_last)
{
	struct bw_capture_result result = e->result;
	struct bw_capture_runs out = {0};
	bool no_runs = is_last && j->how->no_runs;
	if (no_runs && result.has_ended && !result.result)
		return NULL;
	struct bw_error *err = no_runs ? NULL : put_runs(j, s, runs, &out);
	result.changed_pages = 0;
	bw_vec_each(&out, run)
		result.changed_pages += (uint32_t)run->count;
	if (!err)
		err = bw_capture_writer_result(j->w, &result, &out);
	bw_vec_free(&out);
	return err;
}

/* ---- All of it ---- */

static struct bw_error *take_entry(struct job *j, size_t index, const struct bw_capture_entry *e,
				   const struct bw_capture_submission *sub)
{
	struct bw_capture_runs runs = {0};
	struct space *s;
	bool is_last = index == j->how->last;
	BW_TRY(space_of(j, e->summary.space, &s));
	BW_TRY(bw_capture_space_apply(&s->now, sub));
	if (j->how->kept[index])
		BW_TRY(write_record(j, s, sub, is_last));
	if (!e->has_result)
		return NULL;
	struct bw_error *err = bw_capture_reader_result(j->r, e, &runs);
	if (!err)
		err = bw_capture_space_apply_runs(&s->now, &runs);
	if (!err && j->how->kept[index])
		err = bw_capture_space_apply_runs(&s->written, &runs);
	if (!err && j->how->kept[index])
		err = write_result(j, s, e, &runs, is_last);
	bw_vec_free(&runs);
	return err;
}

struct bw_error *bw_capture_reduce(struct bw_capture_reader *r,
				   const struct bw_capture_reduction *how,
				   struct bw_capture_writer *w, struct bw_capture_reduced *out)
{
	struct job j = {.r = r, .how = how, .w = w, .out = out};
	struct bw_error *err = NULL;
	size_t n;
	const struct bw_capture_entry *e = bw_capture_reader_entries(r, &n);
	*out = (struct bw_capture_reduced){0};
	j.last_space = how->last < n ? e[how->last].summary.space : 0;
	for (size_t i = 0; !err && i < n && i <= how->last; i++) {
		struct bw_capture_submission sub = {0};
		err = bw_capture_reader_submission(r, &e[i], &sub);
		if (!err)
			err = take_entry(&j, i, &e[i], &sub);
		bw_capture_submission_fini(&sub);
		err = bw_error_wrap(err, "submission %u", e[i].summary.number);
	}
	bw_vec_each(&j.spaces, s) {
		bw_capture_space_fini(&s->now);
		bw_capture_space_fini(&s->written);
	}
	bw_vec_free(&j.spaces);
	bw_vec_free(&j.pipelines);
	return err ? err : bw_capture_writer_end(w);
}
