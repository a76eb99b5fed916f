/* SPDX-License-Identifier: MIT */
#include "agent/names/handles.h"

#include <stdlib.h>
#include <string.h>

/* The index of the handle, or where it would be inserted. Lock held. */
static size_t find_handle(const struct bw_handles *h, uint64_t handle)
{
	size_t low = 0, high = h->n;
	while (low < high) {
		size_t mid = (low + high) / 2;
		if (h->handles[mid] < handle)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static bool is_at(const struct bw_handles *h, size_t i, uint64_t handle)
{
	return i < h->n && h->handles[i] == handle;
}

static bool make_room(struct bw_handles *h)
{
	if (h->n < h->room)
		return true;
	size_t room = h->room ? 2 * h->room : 16;
	uint64_t *handles = realloc(h->handles, room * sizeof(*handles));
	if (handles)
		h->handles = handles;
	uint8_t *records = handles ? realloc(h->records, room * h->record_b) : NULL;
	if (!records)
		return false;
	h->records = records;
	h->room = room;
	return true;
}

/* Moves the entries from index `from` on to index `to`. */
static void shift(struct bw_handles *h, size_t to, size_t from)
{
	memmove(h->handles + to, h->handles + from, (h->n - from) * sizeof(*h->handles));
	memmove(h->records + to * h->record_b, h->records + from * h->record_b,
		(h->n - from) * h->record_b);
	h->n = h->n + to - from;
}

void bw_handles_put(struct bw_handles *h, uint64_t handle, const void *record)
{
	pthread_mutex_lock(&h->lock);
	size_t i = find_handle(h, handle);
	bool here = is_at(h, i, handle);
	if (!here && make_room(h)) {
		shift(h, i + 1, i);
		h->handles[i] = handle;
		here = true;
	}
	if (here)
		memcpy(h->records + i * h->record_b, record, h->record_b);
	pthread_mutex_unlock(&h->lock);
}

bool bw_handles_get(struct bw_handles *h, uint64_t handle, void *out)
{
	pthread_mutex_lock(&h->lock);
	size_t i = find_handle(h, handle);
	bool here = is_at(h, i, handle);
	if (here)
		memcpy(out, h->records + i * h->record_b, h->record_b);
	pthread_mutex_unlock(&h->lock);
	return here;
}

void bw_handles_drop(struct bw_handles *h, uint64_t handle)
{
	pthread_mutex_lock(&h->lock);
	size_t i = find_handle(h, handle);
	if (is_at(h, i, handle))
		shift(h, i, i + 1);
	pthread_mutex_unlock(&h->lock);
}
