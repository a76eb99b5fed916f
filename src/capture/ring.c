/* SPDX-License-Identifier: MIT */
#include "capture/ring.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/util.h"
#include "capture/page_store.h"
#include "capture/pipeline.h"
#include "capture/state.h"

enum { PIPELINES_MAX_B = 256 << 20 };

/* A submission, and its result when that has come. */
struct record {
	struct bw_capture_submission s;
	bool has_result;
	struct bw_capture_result result;
	struct bw_capture_runs after;
	uint64_t order; /* in which it came, of all address spaces, from 1 */
	uint64_t came_ns, size_b;
};

/* An address space: its records, and its memory as it was before the first of them. */
struct base {
	struct bw_capture_space state;
	struct BW_VEC(struct record *) records; /* owned; those before `first` are gone */
	size_t first;
	/* After the first of them that is seen (bw_capture_is_seen): what is before can be
	 * dropped, as memory is known there. `first`: none of those before `searched` is. */
	size_t mark, searched;
	uint64_t records_b; /* of records, with all pages that they name */
	bool is_bad, is_closed, is_written;
};

struct kept_pipeline {
	struct bw_capture_bytes bytes;
	uint64_t check;
	uint32_t number; /* in the file; 0: not written */
};

struct bw_capture_ring {
	struct bw_capture_ring_limits limits;
	struct bw_page_store pages;
	uint64_t records_b, n_records;
	uint64_t last_order, last_ns; /* of the newest record */
	struct BW_VEC(struct base) bases;
	struct BW_VEC(struct kept_pipeline) pipelines; /* id - 1 */
	uint64_t pipelines_b;
};

struct bw_error *bw_capture_ring_new(const struct bw_capture_ring_limits *limits,
				     struct bw_capture_ring **out)
{
	struct bw_capture_ring *r = calloc(1, sizeof(*r));
	if (!r)
		return bw_error_nomem();
	r->limits = *limits;
	*out = r;
	return NULL;
}

struct bw_error *bw_capture_ring_page(struct bw_capture_ring *r, const void *page, uint64_t *out_id)
{
	return bw_page_store_add(&r->pages, page, out_id);
}

void bw_capture_ring_release(struct bw_capture_ring *r, const uint64_t *ids, size_t n)
{
	for (size_t i = 0; i < n; i++)
		bw_page_store_unref(&r->pages, ids[i]);
}

uint32_t bw_capture_ring_kept(const struct bw_capture_ring *r)
{
	return (uint32_t)r->n_records;
}

uint64_t bw_capture_ring_bytes(const struct bw_capture_ring *r)
{
	uint64_t size_b = bw_page_store_bytes(&r->pages) + r->records_b + r->pipelines_b;
	bw_vec_each(&r->bases, b)
		size_b += b->state.total_b / BW_CAPTURE_PAGE_B * sizeof(uint64_t) +
			  b->state.objects.cap * sizeof(*b->state.objects.data);
	return size_b;
}

/* ---- Records ---- */

static void hold_runs(struct bw_capture_ring *r, const struct bw_capture_runs *runs)
{
	bw_vec_each(runs, one)
		for (uint64_t i = 0; one->page && i < one->count; i++)
			bw_page_store_ref(&r->pages, one->page + i);
}

static void release_runs(struct bw_capture_ring *r, const struct bw_capture_runs *runs)
{
	bw_vec_each(runs, one)
		for (uint64_t i = 0; one->page && i < one->count; i++)
			bw_page_store_unref(&r->pages, one->page + i);
}

static uint64_t count_pages(const struct bw_capture_runs *runs)
{
	uint64_t n = 0;
	bw_vec_each(runs, run)
		n += run->count;
	return n;
}

static uint64_t size_of(const struct record *e)
{
	const struct bw_capture_submission *s = &e->s;
	uint64_t size_b =
		sizeof(*e) + s->buffers.cap * sizeof(*s->buffers.data) +
		s->gone.cap * sizeof(*s->gone.data) + s->maps.cap * sizeof(*s->maps.data) +
		s->runs.cap * sizeof(*s->runs.data) + s->ibs.cap * sizeof(*s->ibs.data) +
		s->dispatches.cap * sizeof(*s->dispatches.data) + s->pushes.cap +
		s->bound.cap * sizeof(*s->bound.data) + s->args.cap * sizeof(*s->args.data) +
		s->objects.cap * sizeof(*s->objects.data) + s->labels.cap +
		s->draws.cap * sizeof(*s->draws.data) + e->after.cap * sizeof(*e->after.data);
	bw_vec_each(&s->chunks, c)
		size_b += sizeof(*c) + c->size_b;
	return size_b;
}

static void free_record(struct bw_capture_ring *r, struct record *e)
{
	r->records_b -= e->size_b;
	r->n_records--;
	release_runs(r, &e->s.runs);
	release_runs(r, &e->after);
	bw_capture_submission_fini(&e->s);
	bw_vec_free(&e->after);
	free(e);
}

static void free_base(struct bw_capture_ring *r, struct base *b)
{
	for (; b->first < b->records.len; b->first++)
		free_record(r, b->records.data[b->first]);
	bw_vec_free(&b->records);
	b->first = b->mark = b->searched = 0;
	b->records_b = 0;
	bw_vec_each(&b->state.buffers, one)
		for (uint64_t i = 0; i < one->n_pages; i++)
			bw_page_store_unref(&r->pages, one->page[i]);
	bw_capture_space_fini(&b->state);
}

void bw_capture_ring_free(struct bw_capture_ring *r)
{
	if (!r)
		return;
	bw_vec_each(&r->bases, b)
		free_base(r, b);
	bw_vec_free(&r->bases);
	bw_page_store_fini(&r->pages);
	bw_vec_each(&r->pipelines, p)
		bw_vec_free(&p->bytes);
	bw_vec_free(&r->pipelines);
	free(r);
}

static struct base *base_of(struct bw_capture_ring *r, uint32_t space)
{
	bw_vec_each(&r->bases, b)
		if (b->state.number == space)
			return b;
	return NULL;
}

static struct bw_error *need_base(struct bw_capture_ring *r, uint32_t space, struct base **out)
{
	*out = base_of(r, space);
	if (*out)
		return NULL;
	BW_TRY(bw_vec_push(&r->bases, ((struct base){.state = {.number = space}})));
	*out = &r->bases.data[r->bases.len - 1];
	return NULL;
}

/* ---- Records become memory ---- */

static struct bw_error *absorb_runs(struct bw_capture_ring *r, struct base *b,
				    const struct bw_capture_runs *runs)
{
	BW_TRY(bw_capture_space_check_runs(&b->state, runs));
	bw_vec_each(runs, run) {
		struct bw_capture_state_buffer *buffer =
			bw_capture_space_buffer(&b->state, run->buffer);
		for (uint64_t i = 0; i < run->count; i++) {
			uint64_t *at = &buffer->page[run->index + i], old = *at;
			*at = run->page ? run->page + i : 0;
			bw_page_store_ref(&r->pages, *at);
			bw_page_store_unref(&r->pages, old);
		}
	}
	return NULL;
}

static struct bw_error *absorb_submission(struct bw_capture_ring *r, struct base *b,
					  struct bw_capture_submission *s)
{
	bw_vec_each(&s->gone, id) {
		struct bw_capture_state_buffer *gone = bw_capture_space_buffer(&b->state, *id);
		for (uint64_t i = 0; gone && i < gone->n_pages; i++) {
			bw_page_store_unref(&r->pages, gone->page[i]);
			gone->page[i] = 0;
		}
	}
	/* Pages are counted, so the runs are not for bw_capture_space_apply. */
	struct bw_capture_runs runs = s->runs;
	memset(&s->runs, 0, sizeof(s->runs));
	struct bw_error *err = bw_capture_space_apply(&b->state, s);
	memcpy(&s->runs, &runs, sizeof(runs));
	return err ? err : absorb_runs(r, b, &s->runs);
}

/* Drops a space with inconsistent records: none of them is written, and no more are taken. */
static void give_up(struct bw_capture_ring *r, struct base *b, struct bw_error *err)
{
	BW_LOG(WARN, "capture", "address space %u is left out: %s", b->state.number, err->message);
	bw_error_free(err);
	free_base(r, b);
	b->is_bad = true;
}

static uint64_t size_with_pages(const struct record *e)
{
	return e->size_b + (count_pages(&e->s.runs) + count_pages(&e->after)) * BW_CAPTURE_PAGE_B;
}

/* ---- Dropping ---- */

static struct bw_error *absorb(struct bw_capture_ring *r, struct base *b, struct record *e)
{
	BW_TRY(absorb_submission(r, b, &e->s));
	return absorb_runs(r, b, &e->after);
}

static void drop_before_mark(struct bw_capture_ring *r, struct base *b)
{
	struct bw_error *err = NULL;
	for (; !err && b->first < b->mark; b->first++) {
		struct record *e = b->records.data[b->first];
		err = absorb(r, b, e);
		b->records_b -= size_with_pages(e);
		free_record(r, e);
	}
	if (err)
		give_up(r, b, err);
	else if (b->is_closed && b->first == b->records.len)
		free_base(r, b);
	/* now and then, so that each is moved but once */
	if (b->first <= b->records.len / 2)
		return;
	bw_vec_remove_n(&b->records, 0, b->first);
	b->mark -= b->first;
	b->searched -= b->first;
	b->first = 0;
}

/* Whether records of the space can be dropped. */
static bool find_mark(struct base *b)
{
	b->searched = BW_MAX(b->searched, b->first);
	for (; b->mark <= b->first && b->searched < b->records.len; b->searched++) {
		const struct record *e = b->records.data[b->searched];
		if (!e->has_result)
			break;
		if (bw_capture_is_seen(&e->result))
			b->mark = b->searched + 1;
	}
	return b->mark > b->first;
}

static bool is_too_old(const struct bw_capture_ring *r, const struct record *e)
{
	const struct bw_capture_ring_limits *l = &r->limits;
	return (l->submissions && r->last_order - e->order >= l->submissions) ||
	       (l->time_ns && r->last_ns - e->came_ns > l->time_ns) ||
	       (l->size_b && bw_capture_ring_bytes(r) > l->size_b);
}

/* The space whose oldest records are the oldest of all that can be dropped, and are too old. */
static struct base *droppable(struct bw_capture_ring *r)
{
	struct base *found = NULL;
	bw_vec_each(&r->bases, b) {
		if (!find_mark(b))
			continue;
		const struct record *last = b->records.data[b->mark - 1];
		if (last->order != r->last_order && is_too_old(r, last) &&
		    (!found ||
		     b->records.data[b->first]->order < found->records.data[found->first]->order))
			found = b;
	}
	return found;
}

/* Senders see memory often enough for the ring's size. One that does not is not kept for ever. */
static void check_unseen(struct bw_capture_ring *r, struct base *b)
{
	const struct record *last = b->records.data[b->records.len - 1];
	if (r->limits.size_b && (b->records_b - size_with_pages(last)) / 2 > r->limits.size_b)
		give_up(r, b,
			bw_errorf(
				BW_E_INVALID,
				"its memory is not looked at often enough for the size of the ring"));
}

static void trim(struct bw_capture_ring *r)
{
	for (struct base *b; (b = droppable(r));)
		drop_before_mark(r, b);
}

/* ---- Taking ---- */

struct bw_error *bw_capture_ring_submission(struct bw_capture_ring *r,
					    struct bw_capture_submission *s, uint64_t now_ns)
{
	struct base *b = NULL;
	struct record *e = calloc(1, sizeof(*e));
	struct bw_error *err = e ? need_base(r, s->summary.space, &b) : bw_error_nomem();
	if (!err && !b->is_bad)
		err = bw_vec_push(&b->records, e);
	if (err || b->is_bad) {
		bw_capture_submission_fini(s);
		free(e);
		return err;
	}
	e->order = ++r->last_order;
	e->came_ns = r->last_ns = BW_MAX(r->last_ns, now_ns);
	e->s = *s;
	memset(s, 0, sizeof(*s));
	hold_runs(r, &e->s.runs);
	e->size_b = size_of(e);
	r->records_b += e->size_b;
	r->n_records++;
	b->records_b += size_with_pages(e);
	trim(r); /* which may find that the space's records make no sense */
	if (!b->is_bad)
		check_unseen(r, b);
	return NULL;
}

static struct record *record_of(const struct base *b, uint32_t number)
{
	for (size_t i = b->records.len; i-- > b->first;)
		if (b->records.data[i]->s.summary.number == number)
			return b->records.data[i];
	return NULL;
}

struct bw_error *bw_capture_ring_result(struct bw_capture_ring *r, uint32_t space,
					const struct bw_capture_result *result,
					struct bw_capture_runs *runs)
{
	struct base *b = base_of(r, space);
	struct record *e = b ? record_of(b, result->number) : NULL;
	if (e && !e->has_result) {
		r->records_b -= e->size_b;
		b->records_b -= size_with_pages(e);
		e->has_result = true;
		e->result = *result;
		memcpy(&e->after, runs, sizeof(*runs));
		memset(runs, 0, sizeof(*runs));
		hold_runs(r, &e->after);
		e->size_b = size_of(e);
		r->records_b += e->size_b;
		b->records_b += size_with_pages(e);
	}
	bw_vec_free(runs);
	trim(r);
	return NULL;
}

void bw_capture_ring_close_space(struct bw_capture_ring *r, uint32_t space)
{
	struct base *b = base_of(r, space);
	if (!b)
		return;
	b->is_closed = true;
	if (b->first == b->records.len)
		free_base(r, b);
}

struct bw_error *bw_capture_ring_pipeline(struct bw_capture_ring *r, const void *bytes,
					  size_t size_b, uint32_t *out_id)
{
	struct kept_pipeline new = {.check = bw_capture_check(bytes, size_b)};
	for (size_t i = 0; i < r->pipelines.len; i++) {
		const struct kept_pipeline *p = &r->pipelines.data[i];
		if (p->check != new.check || p->bytes.len != size_b)
			continue;
		*out_id = (uint32_t)i + 1;
		return NULL;
	}
	*out_id = 0;
	if (r->pipelines.len == BW_CAPTURE_PIPELINES_MAX ||
	    r->pipelines_b + size_b > PIPELINES_MAX_B)
		return NULL;
	BW_TRY(bw_vec_reserve(&r->pipelines, r->pipelines.len + 1));
	BW_TRY(bw_vec_reserve(&new.bytes, size_b));
	memcpy(new.bytes.data, bytes, size_b);
	new.bytes.len = size_b;
	r->pipelines.data[r->pipelines.len++] = new;
	r->pipelines_b += size_b;
	*out_id = (uint32_t)r->pipelines.len;
	return NULL;
}

/* ---- Writing ---- */

static struct bw_error *number_pipeline(struct bw_capture_ring *r, struct bw_capture_writer *w,
					uint32_t *made_of)
{
	struct kept_pipeline *p =
		*made_of && *made_of <= r->pipelines.len ? &r->pipelines.data[*made_of - 1] : NULL;
	if (p && !p->number)
		BW_TRY(bw_capture_writer_pipeline(w, p->bytes.data, p->bytes.len, &p->number));
	*made_of = p ? p->number : 0;
	return NULL;
}

/* Ids of pipelines become numbers of the file. */
static struct bw_error *number_pipelines(struct bw_capture_ring *r, struct bw_capture_writer *w,
					 struct bw_capture_submission *s)
{
	bw_vec_each(&s->dispatches, d)
		BW_TRY(number_pipeline(r, w, &d->made_of));
	bw_vec_each(&s->draws, d)
		BW_TRY(number_pipeline(r, w, &d->made_of));
	return NULL;
}

static struct bw_error *number_of(struct bw_capture_ring *r, struct bw_capture_writer *w,
				  uint64_t id, uint64_t *out)
{
	uint64_t *number = bw_page_store_tag(&r->pages, id);
	if (id && !*number)
		BW_TRY(bw_capture_writer_page(w, bw_page_store_data(&r->pages, id), number));
	*out = id ? *number : 0;
	return NULL;
}

/* Ids of the ring become numbers of the file; `out` is empty before. */
static struct bw_error *translate(struct bw_capture_ring *r, struct bw_capture_writer *w,
				  const struct bw_capture_runs *runs, struct bw_capture_runs *out)
{
	bw_vec_each(runs, run) {
		for (uint64_t i = 0; run->page && i < run->count; i++) {
			struct bw_capture_run one = {run->buffer, run->index + i, 1, 0};
			BW_TRY(number_of(r, w, run->page + i, &one.page));
			BW_TRY(bw_capture_runs_add(out, one));
		}
		if (!run->page)
			BW_TRY(bw_capture_runs_add(out, *run));
	}
	return NULL;
}

/* Writes all memory of the space, as runs of the file. */
static struct bw_error *all_runs(struct bw_capture_ring *r, struct bw_capture_writer *w,
				 const struct bw_capture_space *s, struct bw_capture_runs *out)
{
	bw_vec_each(&s->buffers, b) {
		for (uint64_t i = 0; i < b->n_pages; i++) {
			struct bw_capture_run one = {b->info.id, i, 1, 0};
			if (!b->page[i])
				continue;
			BW_TRY(number_of(r, w, b->page[i], &one.page));
			BW_TRY(bw_capture_runs_add(out, one));
		}
	}
	return NULL;
}

/* The first submission of a space in the file makes all buffers, with what they hold. */
static struct bw_error *make_first(struct bw_capture_ring *r, struct bw_capture_writer *w,
				   struct base *b, struct bw_capture_submission *s)
{
	struct bw_capture_runs runs = {0};
	BW_TRY(absorb_submission(r, b, s));
	release_runs(r, &s->runs);
	s->runs.len = s->gone.len = s->buffers.len = s->maps.len = s->objects.len = 0;
	struct bw_error *err = all_runs(r, w, &b->state, &runs);
	bw_vec_free(&s->runs);
	memcpy(&s->runs, &runs, sizeof(runs));
	BW_TRY(err);
	bw_vec_each(&b->state.buffers, one)
		BW_TRY(bw_vec_push(&s->buffers, one->info));
	bw_vec_each(&b->state.maps, m)
		BW_TRY(bw_vec_push(&s->maps, *m));
	bw_vec_each(&b->state.objects, o)
		BW_TRY(bw_vec_push(&s->objects, *o));
	s->has_maps = s->has_objects = true;
	s->summary.changed_b = count_pages(&s->runs) * BW_CAPTURE_PAGE_B;
	b->is_written = true;
	return NULL;
}

/* The record's runs are of the file after the call. */
static struct bw_error *write_submission(struct bw_capture_ring *r, struct bw_capture_writer *w,
					 struct base *b, struct bw_capture_submission *s)
{
	struct bw_capture_runs runs = {0};
	if (!b->is_written) {
		struct bw_error *err = make_first(r, w, b, s);
		if (!err)
			err = bw_capture_writer_submission(w, s);
		bw_vec_free(&s->runs);
		return err;
	}
	struct bw_error *err = translate(r, w, &s->runs, &runs);
	release_runs(r, &s->runs);
	bw_vec_free(&s->runs);
	memcpy(&s->runs, &runs, sizeof(runs));
	if (!err)
		err = bw_capture_writer_submission(w, s);
	bw_vec_free(&s->runs);
	return err;
}

static struct bw_error *write_record(struct bw_capture_ring *r, struct bw_capture_writer *w,
				     struct base *b, struct record *e)
{
	struct bw_capture_runs after = {0};
	BW_TRY(number_pipelines(r, w, &e->s));
	BW_TRY(write_submission(r, w, b, &e->s));
	if (!e->has_result)
		return NULL;
	struct bw_error *err = translate(r, w, &e->after, &after);
	if (!err)
		err = bw_capture_writer_result(w, &e->result, &after);
	bw_vec_free(&after);
	return err;
}

/* The space whose first record came before those of all others; NULL: there are no more. */
static struct base *next_to_write(struct bw_capture_ring *r)
{
	struct base *found = NULL;
	bw_vec_each(&r->bases, b)
		if (b->first < b->records.len &&
		    (!found ||
		     b->records.data[b->first]->order < found->records.data[found->first]->order))
			found = b;
	return found;
}

struct bw_error *bw_capture_ring_write(struct bw_capture_ring *r, struct bw_capture_writer *w,
				       uint32_t *out_n)
{
	struct bw_error *err = NULL;
	uint32_t n = 0;
	for (struct base *b; !err && (b = next_to_write(r));) {
		struct record *e = b->records.data[b->first++];
		err = write_record(r, w, b, e);
		n += !err;
		free_record(r, e);
		/* false data of a sender cost only its own space */
		if (err && err->code == BW_E_INVALID) {
			give_up(r, b, err);
			err = NULL;
		}
	}
	bw_vec_each(&r->bases, b)
		free_base(r, b);
	r->bases.len = 0;
	if (!err)
		*out_n = n;
	return err;
}
