/* SPDX-License-Identifier: MIT */
#include "capture/seek.h"

#include <string.h>

#include "base/util.h"

enum { PAGE_B = BW_CAPTURE_PAGE_B };

struct bw_error *bw_capture_find(const struct bw_capture_reader *r, uint64_t number,
				 size_t *out_index)
{
	size_t n;
	const struct bw_capture_entry *e = bw_capture_reader_entries(r, &n);
	for (size_t i = 0; i < n; i++) {
		if (e[i].summary.number != number)
			continue;
		*out_index = i;
		return NULL;
	}
	return bw_errorf(
		BW_E_NOT_FOUND,
		"the capture holds no submission %llu (\"breakwater capture list\" shows what "
		"it holds)",
		(unsigned long long)number);
}

bool bw_capture_knows_before(const struct bw_capture_reader *r, size_t index)
{
	size_t n;
	const struct bw_capture_entry *e = bw_capture_reader_entries(r, &n);
	for (size_t i = index; i-- > 0;)
		if (e[i].summary.space == e[index].summary.space)
			return !e[i].has_result || bw_capture_is_seen(&e[i].result);
	return true;
}

static struct bw_error *apply_result(struct bw_capture_reader *r, const struct bw_capture_entry *e,
				     struct bw_capture_space *s)
{
	struct bw_capture_runs runs = {0};
	if (!e->has_result)
		return NULL;
	struct bw_error *err = bw_capture_reader_result(r, e, &runs);
	if (!err)
		err = bw_capture_space_apply_runs(s, &runs);
	bw_vec_free(&runs);
	if (bw_error_catch(&err, BW_E_INVALID))
		s->n_lost++;
	return err;
}

/* Applies the memory that a submission before the wanted one has left. */
static struct bw_error *apply_earlier(struct bw_capture_reader *r, const struct bw_capture_entry *e,
				      struct bw_capture_space *s)
{
	struct bw_capture_submission one = {0};
	struct bw_error *err = bw_capture_reader_submission(r, e, &one);
	if (bw_error_catch(&err, BW_E_INVALID))
		s->n_lost++;
	else if (!err)
		err = bw_capture_space_apply(s, &one);
	bw_capture_submission_fini(&one);
	return err ? err : apply_result(r, e, s);
}

struct bw_error *bw_capture_seek(struct bw_capture_reader *r, size_t index,
				 struct bw_capture_space *out_space,
				 struct bw_capture_submission *out)
{
	size_t n;
	const struct bw_capture_entry *e = bw_capture_reader_entries(r, &n);
	out_space->number = e[index].summary.space;
	for (size_t i = 0; i < index; i++)
		if (e[i].summary.space == e[index].summary.space)
			BW_TRY(bw_error_wrap(apply_earlier(r, &e[i], out_space), "submission %u",
					     e[i].summary.number));
	struct bw_error *err = bw_capture_reader_submission(r, &e[index], out);
	if (!err)
		err = bw_capture_space_apply(out_space, out);
	return bw_error_wrap(err, "submission %u", e[index].summary.number);
}

/* The mapping that an address lies in, NULL: none. */
static const struct bw_capture_map *map_of(const struct bw_capture_space *s, uint64_t va)
{
	bw_vec_each(&s->maps, m)
		if (va >= m->va && va - m->va < m->size_b)
			return m;
	return NULL;
}

struct bw_error *bw_capture_read(struct bw_capture_reader *r, const struct bw_capture_space *s,
				 uint64_t va, void *out, size_t size_b)
{
	while (size_b) {
		uint8_t page[PAGE_B];
		const struct bw_capture_map *m = map_of(s, va);
		const struct bw_capture_state_buffer *b =
			m ? bw_capture_space_buffer(s, m->buffer) : NULL;
		uint64_t at = m ? va - m->va + m->offset_b : 0;
		if (!b || at / PAGE_B >= b->n_pages)
			return bw_error_fault(va, "nothing is mapped at 0x%llx",
					      (unsigned long long)va);
		size_t take = BW_MIN(size_b, (size_t)(PAGE_B - at % PAGE_B));
		uint64_t left = m->va + m->size_b - va;
		take = (size_t)BW_MIN(left, (uint64_t)take);
		BW_TRY(bw_capture_reader_page(r, b->page[at / PAGE_B], page));
		memcpy(out, page + at % PAGE_B, take);
		out = (uint8_t *)out + take;
		va += take;
		size_b -= take;
	}
	return NULL;
}
