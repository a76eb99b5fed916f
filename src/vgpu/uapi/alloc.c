/* SPDX-License-Identifier: MIT */
#include <assert.h>
#include <errno.h>
#include <string.h>

#include "base/util.h"
#include "vgpu/uapi/alloc.h"

int bw_ranges_add(struct bw_ranges *r, uint64_t start, uint64_t size_b)
{
	uint64_t end = start + size_b;
	size_t i = 0;
	while (i < r->len && r->data[i].end < start)
		i++;
	if (i < r->len && r->data[i].end == start) {
		r->data[i].end = end;
		if (i + 1 < r->len && r->data[i + 1].start == end) {
			r->data[i].end = r->data[i + 1].end;
			bw_vec_remove(r, i + 1);
		}
		return 0;
	}
	if (i < r->len && r->data[i].start == end) {
		r->data[i].start = start;
		return 0;
	}
	struct bw_error *err = bw_vec_insert(r, i, ((struct bw_range){start, end}));
	bw_error_free(err);
	return err ? -ENOMEM : 0;
}

bool bw_ranges_alloc(struct bw_ranges *r, uint64_t size_b, uint64_t align_b, uint64_t *out_start)
{
	/* Room for the piece that taking a middle leaves: freeing must not fail for lack of memory,
	 * nor may this after it has changed something. */
	struct bw_error *err = bw_vec_reserve(r, r->len + 2);
	if (err) {
		bw_error_free(err);
		return false;
	}
	for (size_t i = 0; i < r->len; i++) {
		struct bw_range s = r->data[i];
		uint64_t start = bw_align_up(s.start, align_b);
		if (start < s.start || start > s.end || s.end - start < size_b)
			continue;
		uint64_t end = start + size_b;
		if (s.start < start && end < s.end) {
			memmove(&r->data[i + 1], &r->data[i], (r->len - i) * sizeof(r->data[0]));
			r->len++;
			r->data[i].end = start;
			r->data[i + 1].start = end;
		} else if (s.start < start) {
			r->data[i].end = start;
		} else if (end < s.end) {
			r->data[i].start = end;
		} else {
			bw_vec_remove(r, i);
		}
		*out_start = start;
		return true;
	}
	return false;
}

void bw_ids_init(struct bw_ids *ids, uint32_t first)
{
	*ids = (struct bw_ids){.first = first};
}

int bw_ids_add(struct bw_ids *ids, void *object, uint32_t *out_id)
{
	enum { MAX_IDS = 1 << 20 };
	uint32_t i = 0;
	/* Full up to cap is the common case of a program that only allocates. */
	if (ids->n == ids->cap)
		i = ids->cap;
	while (i < ids->cap && ids->slot[i])
		i++;
	if (i == ids->cap) {
		uint32_t cap = ids->cap ? ids->cap * 2 : 16;
		if (cap > MAX_IDS)
			return -ENOMEM;
		void **slot = reallocarray(ids->slot, cap, sizeof(*slot));
		if (!slot)
			return -ENOMEM;
		memset(slot + ids->cap, 0, (cap - ids->cap) * sizeof(*slot));
		ids->slot = slot;
		ids->cap = cap;
	}
	ids->slot[i] = object;
	ids->n++;
	*out_id = ids->first + i;
	return 0;
}

void *bw_ids_get(const struct bw_ids *ids, uint32_t id)
{
	return id >= ids->first && id - ids->first < ids->cap ? ids->slot[id - ids->first] : NULL;
}

void *bw_ids_remove(struct bw_ids *ids, uint32_t id)
{
	void *object = bw_ids_get(ids, id);
	if (object) {
		ids->slot[id - ids->first] = NULL;
		ids->n--;
	}
	return object;
}

void bw_ids_fini(struct bw_ids *ids)
{
	free(ids->slot);
	*ids = (struct bw_ids){.first = ids->first};
}
