/* SPDX-License-Identifier: MIT */
#include "capture/state.h"

#include <stdlib.h>
#include <string.h>

#include "base/util.h"

void bw_capture_space_fini(struct bw_capture_space *s)
{
	bw_vec_each(&s->buffers, b)
		free(b->page);
	bw_vec_free(&s->buffers);
	bw_vec_free(&s->maps);
	bw_vec_free(&s->objects);
	s->total_b = 0;
}

/* The first buffer whose id is not less. */
static size_t place_of(const struct bw_capture_space *s, uint64_t id)
{
	size_t lo = 0, hi = s->buffers.len;
	while (lo < hi) {
		size_t mid = (lo + hi) / 2;
		if (s->buffers.data[mid].info.id < id)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

struct bw_capture_state_buffer *bw_capture_space_buffer(const struct bw_capture_space *s,
							uint64_t id)
{
	size_t at = place_of(s, id);
	return at < s->buffers.len && s->buffers.data[at].info.id == id ? &s->buffers.data[at]
									: NULL;
}

static struct bw_error *bad(const char *what, uint64_t id)
{
	return bw_errorf(BW_E_INVALID, "the capture is damaged: %s (buffer %llu)", what,
			 (unsigned long long)id);
}

/* Ids rise. */
static struct bw_error *add_buffer(struct bw_capture_space *s, const struct bw_capture_buffer *b)
{
	const struct bw_capture_state_buffer *last =
		s->buffers.len ? &s->buffers.data[s->buffers.len - 1] : NULL;
	if (!b->size_b || b->size_b > BW_CAPTURE_BUFFER_MAX_B ||
	    s->total_b + b->size_b > BW_CAPTURE_SPACE_MAX_B)
		return bad("a buffer has an impossible size", b->id);
	if (!b->id || (last && last->info.id >= b->id))
		return bad("a buffer is created twice", b->id);
	BW_TRY(bw_vec_reserve(&s->buffers, s->buffers.len + 1));
	struct bw_capture_state_buffer one = {.info = *b,
					      .n_pages = bw_align_up(b->size_b, BW_CAPTURE_PAGE_B) /
							 BW_CAPTURE_PAGE_B};
	one.page = calloc(one.n_pages, sizeof(*one.page));
	if (!one.page)
		return bw_error_nomem();
	s->buffers.data[s->buffers.len++] = one;
	s->total_b += b->size_b;
	return NULL;
}

/* Removes any number of buffers in one pass. */
static void remove_buffers(struct bw_capture_space *s, const uint64_t *ids, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct bw_capture_state_buffer *b = bw_capture_space_buffer(s, ids[i]);
		if (!b || !b->page)
			continue;
		s->total_b -= b->info.size_b;
		free(b->page);
		b->page = NULL;
	}
	bw_vec_drop(&s->buffers, b, !b->page);
}

struct bw_error *bw_capture_space_check_runs(const struct bw_capture_space *s,
					     const struct bw_capture_runs *runs)
{
	/* no page is named twice */
	uint64_t left = s->total_b / BW_CAPTURE_PAGE_B + s->buffers.len;
	bw_vec_each(runs, r) {
		const struct bw_capture_state_buffer *b = bw_capture_space_buffer(s, r->buffer);
		if (!b || r->index > b->n_pages || r->count > b->n_pages - r->index ||
		    r->count > left || (r->page && r->page > UINT64_MAX - r->count))
			return bad("pages lie outside of a buffer", r->buffer);
		left -= r->count;
	}
	return NULL;
}

struct bw_error *bw_capture_space_apply_runs(struct bw_capture_space *s,
					     const struct bw_capture_runs *runs)
{
	BW_TRY(bw_capture_space_check_runs(s, runs));
	bw_vec_each(runs, r) {
		struct bw_capture_state_buffer *b = bw_capture_space_buffer(s, r->buffer);
		for (uint64_t i = 0; i < r->count; i++)
			b->page[r->index + i] = r->page ? r->page + i : 0;
	}
	return NULL;
}

struct bw_error *bw_capture_space_apply(struct bw_capture_space *s,
					const struct bw_capture_submission *sub)
{
	remove_buffers(s, sub->gone.data, sub->gone.len);
	bw_vec_each(&sub->buffers, b)
		BW_TRY(add_buffer(s, b));
	BW_TRY(bw_capture_space_apply_runs(s, &sub->runs));
	if (sub->has_objects) {
		BW_TRY(bw_vec_reserve(&s->objects, sub->objects.len));
		if (sub->objects.len)
			memcpy(s->objects.data, sub->objects.data,
			       sub->objects.len * sizeof(*s->objects.data));
		s->objects.len = sub->objects.len;
	}
	if (!sub->has_maps)
		return NULL;
	BW_TRY(bw_vec_reserve(&s->maps, sub->maps.len));
	if (sub->maps.len)
		memcpy(s->maps.data, sub->maps.data, sub->maps.len * sizeof(*s->maps.data));
	s->maps.len = sub->maps.len;
	return NULL;
}

bool bw_capture_space_va(const struct bw_capture_space *s, uint64_t buffer, uint64_t offset_b,
			 uint64_t *out_va)
{
	bw_vec_each(&s->maps, m) {
		if (m->buffer != buffer || offset_b < m->offset_b ||
		    offset_b - m->offset_b >= m->size_b)
			continue;
		*out_va = m->va + (offset_b - m->offset_b);
		return true;
	}
	return false;
}
