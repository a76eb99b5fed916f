/* SPDX-License-Identifier: MIT */
/* Code that the debugger has overwritten, with the original bytes. */
#include <errno.h>
#include <string.h>

#include "agent/memory/track_priv.h"
#include "base/util.h"

static bool touches(const struct bw_track_patch *p, uint64_t va, uint64_t size_b)
{
	uint64_t end = va + size_b < va ? UINT64_MAX : va + size_b;
	return p->va < end && va < p->va + p->size_b;
}

/* The part of the patch inside [va, va + size): where it begins in the patch and in the range. */
static size_t overlap(const struct bw_track_patch *p, uint64_t va, size_t size_b,
		      size_t *out_in_patch, size_t *out_in_range)
{
	uint64_t from = BW_MAX(p->va, va), to = BW_MIN(p->va + p->size_b, va + size_b);
	*out_in_patch = (size_t)(from - p->va);
	*out_in_range = (size_t)(from - va);
	return (size_t)(to - from);
}

int bw_patch_read(struct bw_agent_file *f, uint64_t va, void *out, size_t size_b, uint64_t *out_va)
{
	struct bw_track *t = f->track;
	va &= BW_VA_MASK;
	pthread_mutex_lock(&t->patch_lock);
	int r = bw_track_read(f, va, out, size_b, out_va);
	bw_vec_each(&t->patches, p) {
		size_t in_patch, in_range;
		if (r || !touches(p, va, size_b))
			continue;
		size_t n = overlap(p, va, size_b, &in_patch, &in_range);
		memcpy((char *)out + in_range, p->original + in_patch, n);
	}
	pthread_mutex_unlock(&t->patch_lock);
	return r;
}

/* Piece by piece around the patches, so that not even for a moment a breakpoint is away. */
static int write_around(struct bw_agent_file *f, uint64_t va, const uint8_t *data, size_t size_b,
			uint64_t *out_va)
{
	struct bw_track *t = f->track;
	while (size_b) {
		struct bw_track_patch *next =
			NULL; /* the first one that begins or lasts at or behind va */
		bw_vec_each(&t->patches, p)
			if (touches(p, va, size_b) && (!next || p->va < next->va))
				next = p;
		size_t plain = !next ? size_b : next->va > va ? (size_t)(next->va - va) : 0;
		int r = plain ? bw_track_write(f, va, data, plain, out_va) : 0;
		if (r)
			return r;
		size_t done = plain;
		if (next) {
			size_t in_patch, in_range;
			size_t n = overlap(next, va, size_b, &in_patch, &in_range);
			memcpy(next->original + in_patch, data + in_range, n);
			done += n;
		}
		va += done;
		data += done;
		size_b -= done;
	}
	return 0;
}

int bw_patch_write(struct bw_agent_file *f, uint64_t va, const void *data, size_t size_b,
		   uint64_t *out_va)
{
	struct bw_track *t = f->track;
	pthread_mutex_lock(&t->patch_lock);
	int r = write_around(f, va & BW_VA_MASK, data, size_b, out_va);
	pthread_mutex_unlock(&t->patch_lock);
	return r;
}

static int set_locked(struct bw_agent_file *f, uint64_t va, const void *data, size_t size_b,
		      uint64_t *out_va)
{
	struct bw_track *t = f->track;
	bool known = false;
	bw_vec_each(&t->patches, p) {
		known |= p->va == va && p->size_b == size_b;
		if (touches(p, va, size_b) && !known)
			return -EEXIST;
	}
	if (!known) {
		struct bw_track_patch p = {.va = va, .size_b = (uint32_t)size_b};
		int r = bw_track_read(f, va, p.original, size_b, out_va);
		if (r)
			return r;
		struct bw_error *err = bw_vec_push(&t->patches, p);
		if (err) {
			bw_error_free(err);
			return -ENOMEM;
		}
	}
	int r = bw_track_write(f, va, data, size_b, out_va);
	if (r && !known)
		t->patches.len--;
	return r;
}

int bw_patch_set(struct bw_agent_file *f, uint64_t va, const void *data, size_t size_b,
		 uint64_t *out_va)
{
	struct bw_track *t = f->track;
	if (!size_b || size_b > BW_PATCH_MAX_B)
		return -EINVAL;
	pthread_mutex_lock(&t->patch_lock);
	int r = set_locked(f, va & BW_VA_MASK, data, size_b, out_va);
	pthread_mutex_unlock(&t->patch_lock);
	return r;
}

static int put_back(struct bw_agent_file *f, const struct bw_track_patch *p)
{
	uint64_t va;
	return bw_track_write(f, p->va, p->original, p->size_b, &va);
}

int bw_patch_clear(struct bw_agent_file *f, uint64_t va)
{
	struct bw_track *t = f->track;
	int r = -ENOENT;
	pthread_mutex_lock(&t->patch_lock);
	for (size_t i = 0; i < t->patches.len; i++) {
		if (t->patches.data[i].va == (va & BW_VA_MASK)) {
			r = put_back(f, &t->patches.data[i]);
			bw_vec_remove(&t->patches, i);
			break;
		}
	}
	pthread_mutex_unlock(&t->patch_lock);
	return r;
}

void bw_patch_clear_range(struct bw_agent_file *f, uint64_t va, uint64_t size_b)
{
	struct bw_track *t = f->track;
	pthread_mutex_lock(&t->patch_lock);
	for (size_t i = t->patches.len; i-- > 0;) {
		if (!touches(&t->patches.data[i], va, size_b))
			continue;
		put_back(f, &t->patches.data[i]);
		bw_vec_remove(&t->patches, i);
	}
	pthread_mutex_unlock(&t->patch_lock);
}
